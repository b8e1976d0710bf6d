//! What recognises approved documents and faces: found only by their tenant, only once approved, and gone when removed.

use crate::fixtures::{World, at, keep, read, session, world, write};
use domain::{ids::SessionId, ruling::Ruling, session::AttemptNumber};
use store::{
    Db,
    decision::identities::{self, IdentityRow, SealedFace},
    review::{self, PendingRuling},
    session::sessions::{self, SessionRow},
    settings::tenants::TenantRow,
    vault::DataKeyId,
};
use testkit::databases::{Backend, backends};

const NUMBER: [u8; 32] = [7; 32];

fn row(session: &SessionRow, approved_at: Option<i64>) -> &'static IdentityRow {
    keep(IdentityRow {
        session: session.session.id.clone(),
        tenant: session.session.tenant.clone(),
        document: Some(NUMBER),
        face: Some(vec![9, 9]),
        face_engine: "face-api".to_owned(),
        approved_at: approved_at.map(at),
    })
}

fn face(session: &SessionRow) -> SealedFace {
    SealedFace {
        session: session.session.id.clone(),
        data_key: session.data_key.clone(),
        face: vec![9, 9],
    }
}

#[tokio::test]
async fn a_document_is_found_by_its_tenant_once_approved_and_not_for_the_session_that_asks() {
    for Backend { name, db, .. } in backends().await {
        let World {
            tenant,
            session: first,
            foreign,
            ..
        } = world(&db).await;
        let second = keep(session(tenant, 13));
        write!(db, tx => sessions::insert(tx, second)).unwrap();
        write!(db, tx => identities::save(tx, row(first, None))).unwrap();
        write!(db, tx => identities::save(tx, row(foreign, Some(5)))).unwrap();
        let ask = |me: &'static SessionRow| {
            let db = db.clone();
            async move { read!(db, tx => identities::list_by_document(tx, &tenant.id, &NUMBER, &me.session.id, 9)) }
        };
        assert_eq!(ask(second).await, Vec::<SessionId>::new(), "{name}: not approved yet");
        write!(db, tx => identities::approve(tx, &first.session.id, at(6))).unwrap();
        assert_eq!(ask(second).await, std::slice::from_ref(&first.session.id), "{name}");
        assert_eq!(ask(first).await, Vec::<SessionId>::new(), "{name}: itself");
        let other = read!(db, tx => identities::list_by_document(tx, &tenant.id, &[8; 32], &second.session.id, 9));
        assert_eq!(other, Vec::<SessionId>::new(), "{name}: another number");
        // A later attempt replaces the earlier one.
        write!(db, tx => identities::save(tx, row(first, None))).unwrap();
        assert_eq!(ask(second).await, Vec::<SessionId>::new(), "{name}: under way again");
        write!(db, tx => identities::approve(tx, &first.session.id, at(8))).unwrap();
        write!(db, tx => identities::remove(tx, &first.session.id)).unwrap();
        assert_eq!(ask(second).await, Vec::<SessionId>::new(), "{name}: removed");
    }
}

/// Two more sessions of a world's tenant.
async fn two_more(db: &Db, tenant: &'static TenantRow) -> (&'static SessionRow, &'static SessionRow) {
    let added = (keep(session(tenant, 13)), keep(session(tenant, 14)));
    for row in [added.0, added.1] {
        write!(db, tx => sessions::insert(tx, row)).unwrap();
    }
    added
}

async fn save_all(db: &Db, rows: impl IntoIterator<Item = &'static IdentityRow>) {
    for row in rows {
        write!(db, tx => identities::save(tx, row)).unwrap();
    }
}

#[tokio::test]
async fn approved_faces_come_page_by_page_with_the_keys_they_open_with() {
    for Backend { name, db, .. } in backends().await {
        let World {
            tenant,
            session: first,
            foreign,
            ..
        } = world(&db).await;
        let (second, waiting) = two_more(&db, tenant).await;
        let stored = [
            row(first, Some(5)),
            row(second, Some(6)),
            row(waiting, None),
            row(foreign, Some(5)),
        ];
        save_all(&db, stored).await;
        let page = read!(db, tx => identities::list_faces(tx, &tenant.id, "face-api", None, 1));
        assert_eq!(page, [face(first)], "{name}");
        let last = keep(page[0].session.clone());
        let rest = read!(db, tx => identities::list_faces(tx, &tenant.id, "face-api", Some(last), 9));
        assert_eq!(rest, [face(second)], "{name}: neither the waiting nor the foreign one");
        let others = read!(db, tx => identities::list_faces(tx, &tenant.id, "arcface@0123456789ab", None, 9));
        assert_eq!(others, [], "{name}: another network described none of them");
    }
}

#[tokio::test]
async fn sessions_that_were_approved_with_a_document_since_a_time_are_listed() {
    for Backend { name, db, .. } in backends().await {
        let World {
            tenant,
            session: first,
            foreign,
            ..
        } = world(&db).await;
        let second = keep(session(tenant, 13));
        write!(db, tx => sessions::insert(tx, second)).unwrap();
        save_all(&db, [row(first, None), row(second, Some(7)), row(foreign, Some(7))]).await;
        let since = |time| {
            let db = db.clone();
            async move { read!(db, tx => identities::list_same_document(tx, &first.session.id, at(time), 9)) }
        };
        assert_eq!(since(6).await, std::slice::from_ref(&second.session.id), "{name}");
        assert_eq!(since(7).await, Vec::<SessionId>::new(), "{name}");
    }
}

#[tokio::test]
async fn an_approval_with_a_document_is_pending_for_the_others_of_its_tenant_until_it_is_undone() {
    for Backend { name, db, .. } in backends().await {
        let World {
            tenant,
            other,
            session: first,
            foreign,
            user,
            ..
        } = world(&db).await;
        let second = keep(session(tenant, 13));
        write!(db, tx => sessions::insert(tx, second)).unwrap();
        save_all(&db, [row(first, None), row(second, None), row(foreign, None)]).await;
        let is_pending = |tenant: &'static TenantRow, document: &'static [u8; 32], me: &'static SessionRow| {
            let db = db.clone();
            async move { read!(db, tx => identities::is_approval_pending(tx, &tenant.id, document, &me.session.id)) }
        };
        for (ruling, expected) in [(Ruling::Rejected, false), (Ruling::Approved, true)] {
            let made = keep(PendingRuling {
                session: first.session.id.clone(),
                attempt: AttemptNumber::FIRST,
                user: user.id.clone(),
                ruling,
                reasons: Vec::new(),
                note: None,
                address: "192.0.2.1".into(),
                made_at: at(1),
                due_at: at(11),
            });
            write!(db, tx => review::insert_pending(tx, made)).unwrap();
            assert_eq!(is_pending(tenant, &NUMBER, second).await, expected, "{name}: {ruling}");
            assert!(!is_pending(tenant, &NUMBER, first).await, "{name}: its own");
            assert!(!is_pending(tenant, &[8; 32], second).await, "{name}: another number");
            assert!(!is_pending(other, &NUMBER, foreign).await, "{name}: another tenant");
            assert!(write!(db, tx => review::take_pending(tx, made)).unwrap(), "{name}");
            assert!(!is_pending(tenant, &NUMBER, second).await, "{name}: undone");
        }
    }
}

#[tokio::test]
async fn faces_approved_since_a_time_are_listed_by_session() {
    for Backend { name, db, .. } in backends().await {
        let World {
            tenant,
            session: first,
            foreign,
            ..
        } = world(&db).await;
        let (second, waiting) = two_more(&db, tenant).await;
        let stored = [
            row(first, Some(5)),
            row(second, Some(7)),
            row(waiting, None),
            row(foreign, Some(7)),
        ];
        save_all(&db, stored).await;
        let since = |time| {
            let db = db.clone();
            async move { read!(db, tx => identities::list_faces_since(tx, &tenant.id, at(time))) }
        };
        let (first, second) = (&first.session.id, &second.session.id);
        assert_eq!(since(5).await, [first.clone(), second.clone()], "{name}");
        assert_eq!(since(6).await, std::slice::from_ref(second), "{name}");
        assert_eq!(since(8).await, Vec::<SessionId>::new(), "{name}");
    }
}

#[tokio::test]
async fn faces_approved_after_a_case_was_decided_come_with_those_whose_approval_can_be_undone() {
    for Backend { name, db, .. } in backends().await {
        let World {
            tenant,
            session: first,
            foreign,
            user,
            ..
        } = world(&db).await;
        let (second, waiting) = two_more(&db, tenant).await;
        let stored = [
            row(first, None),
            row(second, Some(7)),
            row(waiting, None),
            row(foreign, Some(7)),
        ];
        save_all(&db, stored).await;
        let after = |time| {
            let db = db.clone();
            async move {
                let id = &first.session.id;
                let sessions = keep(read!(db, tx => identities::list_faces_approved_after(tx, id, at(time), 9)));
                let first = read!(db, tx => identities::list_faces_approved_after(tx, id, at(time), 1));
                assert!(first.iter().eq(sessions.iter().take(1)), "{name}: {first:?}");
                let faces = read!(db, tx => identities::list_faces_of(tx, &tenant.id, "face-api", sessions));
                assert!(
                    faces.iter().map(|face| &face.session).eq(sessions),
                    "{name}: {sessions:?}"
                );
                let none = read!(db, tx => identities::list_faces_of(tx, &tenant.id, "arcface@0123456789ab", sessions));
                assert_eq!(none, [], "{name}: another network described none of them");
                let none =
                    read!(db, tx => identities::list_faces_of(tx, &foreign.session.tenant, "face-api", sessions));
                assert_eq!(none, [], "{name}: they are of another tenant");
                faces
            }
        };
        assert_eq!(after(6).await, [face(second)], "{name}");
        assert_eq!(after(7).await, [], "{name}");
        let made = keep(PendingRuling {
            session: waiting.session.id.clone(),
            attempt: AttemptNumber::FIRST,
            user: user.id.clone(),
            ruling: Ruling::Approved,
            reasons: Vec::new(),
            note: None,
            address: "192.0.2.1".into(),
            made_at: at(8),
            due_at: at(18),
        });
        write!(db, tx => review::insert_pending(tx, made)).unwrap();
        assert_eq!(after(7).await, [face(waiting)], "{name}: it can still be undone");
        let pending = read!(db, tx => identities::list_pending_faces(tx, &tenant.id, "face-api"));
        assert_eq!(pending, [face(waiting)], "{name}");
        let others = read!(db, tx => identities::list_pending_faces(tx, &tenant.id, "arcface@0123456789ab"));
        assert_eq!(others, [], "{name}: of another network");
        let since = read!(db, tx => identities::list_faces_since(tx, &tenant.id, at(9)));
        assert_eq!(
            since,
            std::slice::from_ref(&waiting.session.id),
            "{name}: it counts already"
        );
        let of_another_network = keep(IdentityRow {
            face_engine: "arcface@0123456789ab".to_owned(),
            ..row(second, Some(9)).clone()
        });
        save_all(&db, [of_another_network]).await;
        assert_eq!(after(6).await, [face(waiting)], "{name}: that cannot be compared");
        let without = keep(IdentityRow {
            face: None,
            ..row(first, None).clone()
        });
        save_all(&db, [without]).await;
        assert_eq!(after(6).await, [], "{name}: it has no face");
    }
}

#[tokio::test]
async fn a_tenant_gets_one_key_whoever_comes_first() {
    for Backend { name, db, .. } in backends().await {
        let World { tenant, other, .. } = world(&db).await;
        let key = |n: u8| keep(DataKeyId::parse(&format!("dk_{n:032x}")).unwrap());
        let (first, second) = (key(1), key(2));
        assert_eq!(read!(db, tx => identities::find_key(tx, &tenant.id)), None, "{name}");
        let given = write!(db, tx => identities::give_key(tx, &tenant.id, first, None)).unwrap();
        assert_eq!(given, *first, "{name}");
        let given = write!(db, tx => identities::give_key(tx, &tenant.id, second, None)).unwrap();
        assert_eq!(given, *first, "{name}: the later caller uses the first");
        let given = write!(db, tx => identities::give_key(tx, &tenant.id, second, Some(second))).unwrap();
        assert_eq!(given, *first, "{name}: that one is not lost");
        assert_eq!(
            read!(db, tx => identities::find_key(tx, &tenant.id)).as_ref(),
            Some(first)
        );
        assert_eq!(read!(db, tx => identities::find_key(tx, &other.id)), None, "{name}");
        let given = write!(db, tx => identities::give_key(tx, &tenant.id, second, Some(first))).unwrap();
        assert_eq!(given, *second, "{name}: in place of a lost one");
        write!(db, tx => identities::give_key(tx, &other.id, first, None)).unwrap();
        let mut listed = read!(db, tx => identities::list_keys(tx));
        listed.sort();
        assert_eq!(listed, [first.clone(), second.clone()], "{name}: of both");
    }
}
