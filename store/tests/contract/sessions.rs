//! Tenants, their keys, their sessions and the links to them.

use crate::fixtures::{
    World, at, create, entry, keep, new_session, outcome, read, session, tenant, user, world, write,
};
use domain::{
    audit::{Actor, AuditAction},
    document::DocumentType,
    ids::{ApiKeyId, SessionId, TenantId},
    outcome::Verdict,
    role::Role,
    scope::{Scope, Scopes},
    session::{AttemptNumber, FailureReason, Status},
    tenant::TenantSettings,
};
use std::collections::HashMap;
use store::{
    StoreError, audit,
    jobs::{self, JobKind},
    people::users::{self, UserRow},
    session::{
        creation_rates::TokenRequest,
        links::{self, LinkRow},
        sessions::{self, SessionRow},
    },
    settings::{
        api_keys::{self, ApiKeyRow, CallerRow, ListedKeys},
        tenants::{self, TenantRow},
    },
};
use testkit::databases::{Backend, backends};

#[tokio::test]
async fn tenants_are_read_back_and_listed_oldest_first() {
    for Backend { name, db, .. } in backends().await {
        let (late, early) = (
            keep(tenant(2)),
            keep(TenantRow {
                settings: None,
                ..tenant(1)
            }),
        );
        write!(db, tx => tenants::insert(tx, late)).unwrap();
        write!(db, tx => tenants::insert(tx, early)).unwrap();
        assert_eq!(
            read!(db, tx => tenants::find(tx, &late.id)).as_ref(),
            Some(late),
            "{name}"
        );
        assert_eq!(
            read!(db, tx => tenants::list(tx)),
            [early.clone(), late.clone()],
            "{name}"
        );
        assert_eq!(
            read!(db, tx => tenants::find_oldest(tx)).as_ref(),
            Some(early),
            "{name}"
        );
        let nobody = keep(TenantId::from_random([9; 16]));
        assert_eq!(read!(db, tx => tenants::find(tx, nobody)), None, "{name}");
        assert_eq!(read!(db, tx => tenants::load(tx, &early.id)), *early, "{name}");
        let missing = db.read(async |tx| tenants::load(tx, nobody).await).await;
        assert!(matches!(missing, Err(StoreError::Corrupt(_))), "{name}: {missing:?}");
        let again = write!(db, tx => tenants::insert(tx, late));
        assert!(matches!(again, Err(StoreError::Duplicate)), "{name}");
    }
}

#[tokio::test]
async fn of_two_savers_of_settings_the_second_is_told() {
    for Backend { name, db, .. } in backends().await {
        let before = keep(tenant(1));
        write!(db, tx => tenants::insert(tx, before)).unwrap();
        let settings = Some(TenantSettings {
            tries: 3,
            ..TenantSettings::default()
        });
        let changed = keep(TenantRow {
            name: "Renamed".into(),
            settings,
            ..before.clone()
        });
        write!(db, tx => tenants::save(tx, changed)).unwrap();
        let stored = read!(db, tx => tenants::find(tx, &before.id)).unwrap();
        assert_eq!(
            stored,
            TenantRow {
                version: before.version + 1,
                ..changed.clone()
            },
            "{name}"
        );
        let late = write!(db, tx => tenants::save(tx, before));
        assert!(matches!(late, Err(StoreError::Conflict)), "{name}");
    }
}

fn api_key(tenant: &TenantRow, number: u8) -> ApiKeyRow {
    ApiKeyRow {
        id: ApiKeyId::from_random([number; 16]),
        tenant: tenant.id.clone(),
        name: "Shop".into(),
        prefix: "hn_live_ab".into(),
        hash: vec![number; 32],
        scopes: if number == 1 {
            Scopes::ALL
        } else {
            Scopes::NONE.with(Scope::Create)
        },
        created_at: at(i64::from(number)),
        expires_at: (number == 1).then(|| at(100)),
        revoked_at: None,
        replaced_at: None,
        last_used_at: None,
        last_used_from: None,
        networks: Vec::new(),
    }
}

#[tokio::test]
async fn whoever_holds_a_tenant_counts_what_the_one_before_left() {
    for Backend { name, db, .. } in backends().await {
        let tenant = keep(world(&db).await.tenant);
        let tenant_id = &tenant.id;
        let before = read!(db, tx => users::list(tx, tenant_id)).len();
        let added = (0..8).map(|_| {
            db.write(async move |tx| {
                tenants::lock(tx, &tenant.id).await?;
                let people = users::list(tx, &tenant.id).await?.len();
                let number = u8::try_from(100 + people).unwrap();
                users::insert(tx, &user(tenant, number, Role::Reviewer)).await
            })
        });
        for added in futures::future::join_all(added).await {
            added.unwrap();
        }
        assert_eq!(read!(db, tx => users::list(tx, tenant_id)).len(), before + 8, "{name}");
    }
}

#[tokio::test]
async fn a_pinned_tenant_is_as_it_is_now_and_whoever_changes_it_finds_what_was_planned_by_it() {
    for Backend { name, db, .. } in backends().await {
        let tenant = keep(world(&db).await.tenant);
        // Each of them plans by the tenant's name.
        let planned = (0..8_u8).map(|number| {
            db.write(async move |tx| {
                let now = tenants::load_pinned(tx, &tenant.id).await?;
                let planned = UserRow {
                    name: now.name,
                    ..user(tenant, 100 + number, Role::Reviewer)
                };
                users::insert(tx, &planned).await
            })
        });
        let changed = db.write(async move |tx| {
            let mut now = tenants::load(tx, &tenant.id).await?;
            now.name = "New".to_owned();
            tenants::save(tx, &now).await?;
            let people = users::list(tx, &tenant.id).await?;
            Ok::<_, StoreError>(people.len())
        });
        let (planned, found) = futures::future::join(futures::future::join_all(planned), changed).await;
        for planned in planned {
            planned.unwrap();
        }
        let people = read!(db, tx => users::list(tx, &tenant.id));
        let by_the_old = people.iter().filter(|person| person.name != "New").count();
        assert_eq!(found.unwrap(), by_the_old, "{name}");
        let missing = TenantId::from_random([99; 16]);
        let missing = write!(db, tx => tenants::load_pinned(tx, &missing));
        assert!(matches!(missing, Err(StoreError::Corrupt(_))), "{name}: {missing:?}");
    }
}

#[tokio::test]
async fn a_key_leads_to_its_tenant_until_it_expires_or_is_revoked_by_that_tenant() {
    for Backend { name, db, .. } in backends().await {
        let World { tenant, other, .. } = world(&db).await;
        let (one, two) = (keep(api_key(tenant, 1)), keep(api_key(tenant, 2)));
        write!(db, tx => api_keys::insert(tx, one)).unwrap();
        write!(db, tx => api_keys::insert(tx, two)).unwrap();
        let expected = CallerRow {
            key: one.id.clone(),
            last_used_at: None,
            networks: Vec::new(),
            tenant: tenant.id.clone(),
            settings: tenant.settings.clone(),
            mode: tenant.mode,
            scopes: one.scopes,
            full_at: None,
        };
        let found = read!(db, tx => api_keys::find_caller(tx, &one.hash, at(99)));
        assert_eq!(found, Some(expected), "{name}");
        let expired = read!(db, tx => api_keys::find_caller(tx, &one.hash, at(100)));
        assert_eq!(expired, None, "{name}: expired");
        let unknown = read!(db, tx => api_keys::find_caller(tx, &[7; 32], at(50)));
        assert_eq!(unknown, None, "{name}: unknown");
        assert_eq!(
            read!(db, tx => api_keys::list(tx, &tenant.id)),
            [two.clone(), one.clone()],
            "{name}"
        );
        assert_eq!(read!(db, tx => api_keys::list(tx, &other.id)), [], "{name}");

        assert!(
            !write!(db, tx => api_keys::revoke(tx, &other.id, &one.id, at(50))).unwrap(),
            "{name}: foreign"
        );
        assert!(
            write!(db, tx => api_keys::revoke(tx, &tenant.id, &one.id, at(50))).unwrap(),
            "{name}"
        );
        assert!(
            !write!(db, tx => api_keys::revoke(tx, &tenant.id, &one.id, at(60))).unwrap(),
            "{name}: twice"
        );
        write!(db, tx => api_keys::mark_used(tx, &two.id, "192.0.2.1", at(70))).unwrap();
        let token_request = TokenRequest {
            now: 1_000,
            cost: 10,
            latest: 1_020,
            credible: 2_030,
        };
        assert!(
            write!(db, tx => create(tx, &new_session(&tenant.id), Some(&token_request))).unwrap(),
            "{name}"
        );
        let revoked = read!(db, tx => api_keys::find_caller(tx, &one.hash, at(51)));
        assert_eq!(revoked, None, "{name}: revoked");
        let two = read!(db, tx => api_keys::find_caller(tx, &two.hash, at(1_000))).unwrap();
        assert_eq!((two.last_used_at, two.full_at), (Some(at(70)), Some(1_010)), "{name}");
    }
}

#[tokio::test]
async fn two_keys_cannot_have_one_hash() {
    for Backend { name, db, .. } in backends().await {
        let World { tenant, other, .. } = world(&db).await;
        let one = keep(api_key(tenant, 1));
        let copy = keep(ApiKeyRow {
            id: ApiKeyId::from_random([3; 16]),
            ..api_key(other, 1)
        });
        write!(db, tx => api_keys::insert(tx, one)).unwrap();
        assert!(
            matches!(write!(db, tx => api_keys::insert(tx, copy)), Err(StoreError::Duplicate)),
            "{name}"
        );
    }
}

#[tokio::test]
async fn a_session_is_found_by_its_tenant_and_by_nobody_else() {
    for Backend { name, db, .. } in backends().await {
        let World {
            tenant, other, session, ..
        } = world(&db).await;
        let id = &session.session.id;
        assert_eq!(
            read!(db, tx => sessions::find(tx, &tenant.id, id)).as_ref(),
            Some(session),
            "{name}"
        );
        write!(db, tx => sessions::lock(tx, id)).unwrap();
        assert_eq!(read!(db, tx => sessions::find(tx, &other.id, id)), None, "{name}");
        assert_eq!(
            read!(db, tx => sessions::find_any(tx, id)).as_ref(),
            Some(session),
            "{name}"
        );
        let nothing = keep(SessionId::from_random([99; 16]));
        assert_eq!(read!(db, tx => sessions::find_any(tx, nothing)), None, "{name}");
        assert!(
            matches!(
                write!(db, tx => sessions::insert(tx, session)),
                Err(StoreError::Duplicate)
            ),
            "{name}"
        );
    }
}

#[tokio::test]
async fn of_many_sessions_those_of_every_tenant_are_known_and_when_they_were_erased() {
    for Backend { name, db, .. } in backends().await {
        let World { session, foreign, .. } = world(&db).await;
        write!(db, tx => async {
            let mut erased = foreign.clone();
            erased.session.purged_at = Some(at(8));
            sessions::save(tx, &mut erased).await
        })
        .unwrap();
        let (open, erased) = (session.session.id.clone(), foreign.session.id.clone());
        let unknown = |number: u128| SessionId::from_random(number.to_be_bytes());
        let mut asked = vec![erased.clone(), open.clone()];
        asked.extend((0..498).map(unknown));
        let asked = keep(asked);
        let mut found = read!(db, tx => sessions::list_purged(tx, asked));
        found.sort();
        let mut expected = [(open, None), (erased, Some(at(8)))];
        expected.sort();
        assert_eq!(found, expected, "{name}");
        assert!(read!(db, tx => sessions::list_purged(tx, &[])).is_empty(), "{name}");
    }
}

#[tokio::test]
async fn everything_of_a_session_is_saved_but_the_note_in_the_clear() {
    for Backend { name, db, .. } in backends().await {
        let World { session, .. } = world(&db).await;
        let mut changed = session.clone();
        changed.session.status = Status::Completed;
        changed.session.attempt = AttemptNumber::new(2);
        changed.session.completed_at = Some(at(7));
        changed.session.erasure_requested_at = Some(at(6));
        changed.session.purged_at = Some(at(8));
        changed.typed = Some(vec![3]);
        changed.ocr = Some(vec![4]);
        changed.note = Some(vec![5]);
        changed.state = None;
        changed.document_type = Some(DocumentType::Passport);
        changed.failure_reason = Some(FailureReason::MediaLost);
        changed.outcome = Some(outcome(session, Verdict::Approved, Some("looks like her sister")));
        let changed = keep(changed);
        let version = write!(db, tx => async {
            let mut row = changed.clone();
            sessions::save(tx, &mut row).await?;
            Ok(row.session.version)
        });
        assert_eq!(version.unwrap(), 1, "{name}");

        let mut expected = changed.clone();
        expected.session.version = 1;
        expected.outcome.as_mut().unwrap().review.as_mut().unwrap().note = None;
        assert_eq!(
            read!(db, tx => sessions::find_any(tx, &session.session.id)),
            Some(expected),
            "{name}"
        );
    }
}

#[tokio::test]
async fn a_session_saved_meanwhile_is_a_conflict_and_stays() {
    for Backend { name, db, .. } in backends().await {
        let World { session, .. } = world(&db).await;
        let save = |status| {
            let mut row = session.clone();
            row.session.status = status;
            let row = keep(row);
            let db = db.clone();
            async move { write!(db, tx => async { sessions::save(tx, &mut row.clone()).await }) }
        };
        save(Status::Collecting).await.unwrap();
        assert!(
            matches!(save(Status::Failed).await, Err(StoreError::Conflict)),
            "{name}"
        );
        let stored = read!(db, tx => sessions::find_any(tx, &session.session.id)).unwrap();
        assert_eq!(
            (stored.session.status, stored.session.version),
            (Status::Collecting, 1),
            "{name}"
        );
    }
}

#[tokio::test]
async fn a_session_without_a_tenant_is_refused() {
    for Backend { name, db, .. } in backends().await {
        let orphan = keep(session(&tenant(1), 1));
        let answer = write!(db, tx => sessions::insert(tx, orphan));
        assert!(matches!(answer, Err(StoreError::Refused(_))), "{name}: {answer:?}");
    }
}

fn link(session: &SessionId, number: u8) -> LinkRow {
    LinkRow {
        hash: vec![number; 32],
        session: session.clone(),
        created_at: at(i64::from(number)),
        expires_at: at(100),
        used_at: None,
        killed_at: None,
    }
}

#[tokio::test]
async fn a_creation_is_stored_whole_or_not_at_all() {
    let token_request = TokenRequest {
        now: 1_000,
        cost: 10,
        latest: 1_000,
        credible: 2_010,
    };
    for Backend { name, db, .. } in backends().await {
        let World { tenant, session, .. } = world(&db).await;
        let of_a_person = SessionRow {
            known: Some(vec![1]),
            state: Some(vec![2]),
            metadata: Some(r#"{"order":"A-1"}"#.to_owned().into()),
            callback_url: Some("https://example.com/done".into()),
            ..new_session(&tenant.id)
        };
        for (row, token_request) in [(of_a_person, None), (new_session(&tenant.id), Some(token_request))] {
            let row: &'static SessionRow = keep(row);
            assert!(
                write!(db, tx => create(tx, row, token_request.as_ref())).unwrap(),
                "{name}"
            );
            let id = &row.session.id;
            assert_eq!(
                read!(db, tx => sessions::find_any(tx, id)).as_ref(),
                Some(row),
                "{name}"
            );
            let link = read!(db, tx => links::find(tx, id.as_str().as_bytes())).unwrap();
            assert_eq!((&link.session, link.expires_at), (id, row.session.expires_at), "{name}");
            let jobs = read!(db, tx => jobs::list(tx, Some(id.as_str()), 10));
            let [job] = jobs.as_slice() else { panic!("{jobs:?}") };
            assert_eq!(
                (job.kind, job.run_at),
                (JobKind::Expire, row.session.expires_at),
                "{name}"
            );
            let entries = read!(db, tx => audit::list(tx, &tenant.id, Some(id.as_str()), None, 10));
            let [entry] = entries.as_slice() else {
                panic!("{entries:?}")
            };
            assert_eq!(entry.entry.address.as_deref(), Some("192.0.2.1"), "{name}");
        }
        // There was one token.
        let refused = keep(new_session(&tenant.id));
        let unit = db.write(async move |tx| -> Result<(), StoreError> {
            assert!(!create(tx, refused, Some(&token_request)).await?);
            Err(StoreError::Conflict)
        });
        assert!(unit.await.is_err(), "{name}");
        let id = &refused.session.id;
        assert_eq!(read!(db, tx => sessions::find_any(tx, id)), None, "{name}");
        assert_eq!(read!(db, tx => links::find(tx, id.as_str().as_bytes())), None, "{name}");
        let twice = write!(db, tx => create(tx, session, None));
        assert!(matches!(twice, Err(StoreError::Duplicate)), "{name}: {twice:?}");
    }
}

#[tokio::test]
async fn a_reading_is_recorded_if_there_is_such_a_session() {
    for Backend { name, db, .. } in backends().await {
        let World {
            tenant, session, other, ..
        } = world(&db).await;
        let (tenant, id) = (&tenant.id, &session.session.id);
        let entry = keep(entry(tenant, id, AuditAction::SessionRead));
        for (caller, known) in [(tenant, true), (&other.id, false)] {
            let found = write!(db, tx => sessions::find_and_record(tx, caller, id, entry)).unwrap();
            assert_eq!(found.is_some(), known, "{name}");
            assert!(found.is_none_or(|found| found == *session), "{name}");
            let recorded = read!(db, tx => audit::list(tx, tenant, Some(id.as_str()), None, 10));
            assert_eq!(recorded.len(), 1, "{name}");
        }
    }
}

#[tokio::test]
async fn a_link_opens_once_before_its_end_and_never_after() {
    for Backend { name, db, .. } in backends().await {
        let World { session, .. } = world(&db).await;
        let (one, late) = (keep(link(&session.session.id, 1)), keep(link(&session.session.id, 2)));
        write!(db, tx => links::insert(tx, one)).unwrap();
        write!(db, tx => links::insert(tx, late)).unwrap();
        assert_eq!(
            read!(db, tx => links::find(tx, &one.hash)).as_ref(),
            Some(one),
            "{name}"
        );
        assert_eq!(read!(db, tx => links::find(tx, &[9; 32])), None, "{name}");
        assert!(
            write!(db, tx => links::use_once(tx, &one.hash, at(99))).unwrap(),
            "{name}"
        );
        assert!(
            !write!(db, tx => links::use_once(tx, &one.hash, at(99))).unwrap(),
            "{name}: twice"
        );
        assert!(
            !write!(db, tx => links::use_once(tx, &late.hash, at(100))).unwrap(),
            "{name}: too late"
        );
        assert_eq!(
            read!(db, tx => links::find(tx, &one.hash)).unwrap().used_at,
            Some(at(99)),
            "{name}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_who_open_a_link_at_once_one_wins() {
    for Backend { name, db, .. } in backends().await {
        let World { session, .. } = world(&db).await;
        let link = keep(link(&session.session.id, 1));
        write!(db, tx => links::insert(tx, link)).unwrap();
        let racing: Vec<_> = (0..16)
            .map(|_| {
                let db = db.clone();
                tokio::spawn(async move { write!(db, tx => links::use_once(tx, &link.hash, at(50))).unwrap() })
            })
            .collect();
        let won = futures::future::join_all(racing)
            .await
            .into_iter()
            .filter(|won| *won.as_ref().unwrap())
            .count();
        assert_eq!(won, 1, "{name}");
    }
}

#[tokio::test]
async fn killing_a_sessions_links_leaves_those_of_others_and_those_used() {
    for Backend { name, db, .. } in backends().await {
        let World { session, foreign, .. } = world(&db).await;
        let [used, open] = [1, 2].map(|number| keep(link(&session.session.id, number)));
        let theirs = keep(link(&foreign.session.id, 3));
        for link in [used, open, theirs] {
            write!(db, tx => links::insert(tx, link)).unwrap();
        }
        assert!(write!(db, tx => links::use_once(tx, &used.hash, at(10))).unwrap());
        write!(db, tx => links::kill_all(tx, &session.session.id, at(20))).unwrap();
        let killed: Vec<_> = read!(db, tx => links::list(tx, &session.session.id))
            .into_iter()
            .map(|link| link.killed_at)
            .collect();
        assert_eq!(killed, [None, Some(at(20))], "{name}");
        assert!(
            !write!(db, tx => links::use_once(tx, &open.hash, at(30))).unwrap(),
            "{name}"
        );
        assert!(
            write!(db, tx => links::use_once(tx, &theirs.hash, at(30))).unwrap(),
            "{name}"
        );
    }
}

#[tokio::test]
async fn keys_are_listed_page_by_page_those_that_are_valid_or_the_others() {
    for Backend { name, db, .. } in backends().await {
        let World { tenant, other, .. } = world(&db).await;
        // Two are issued at the same time. The first one expires.
        let keys = keep([1, 2, 3, 4].map(|number| ApiKeyRow {
            created_at: at(i64::from(number / 2)),
            ..api_key(tenant, number)
        }));
        let foreign = keep(api_key(other, 9));
        for key in keys.iter().chain([foreign]) {
            write!(db, tx => api_keys::insert(tx, key)).unwrap();
        }
        write!(db, tx => api_keys::revoke(tx, &tenant.id, &keys[3].id, at(5))).unwrap();
        let db = &db;
        let listed = |which, now, limit| async move {
            let (mut all, mut after) = (Vec::new(), None);
            loop {
                let from = keep(after);
                let page = read!(db, tx => api_keys::list_page(tx, &tenant.id, which, at(now), from.as_ref(), limit));
                let Some(last) = page.last() else { return all };
                after = Some((last.created_at, last.id.clone()));
                all.extend(page.iter().map(|key| key.hash[0]));
            }
        };
        for (which, now, expected) in [
            (ListedKeys::All, 50, vec![4, 3, 2, 1]),
            (ListedKeys::Valid, 50, vec![3, 2, 1]),
            (ListedKeys::Valid, 100, vec![3, 2]),
            (ListedKeys::Ended, 100, vec![4, 1]),
        ] {
            for limit in [1, 2, 9] {
                let found = listed(which, now, limit).await;
                assert_eq!(found, expected, "{name}: {which:?} at {now}, {limit} a page");
            }
        }
    }
}

#[tokio::test]
async fn the_person_who_issued_a_key_is_named_and_nobody_is_for_one_of_the_command_line() {
    for Backend { name, db, .. } in backends().await {
        let World {
            tenant, other, user, ..
        } = world(&db).await;
        let keys = keep([1, 2, 3].map(|number| api_key(tenant, number)));
        for key in keys {
            write!(db, tx => api_keys::insert(tx, key)).unwrap();
        }
        let person = Actor::Person(user.id.clone());
        // A key with many networks has several entries.
        for (key, actor, action) in [
            (&keys[0], &person, AuditAction::KeyIssue),
            (&keys[0], &person, AuditAction::KeyIssue),
            (&keys[1], &Actor::System, AuditAction::KeyIssue),
            (&keys[1], &person, AuditAction::KeyRevoke),
            (&keys[2], &person, AuditAction::KeyIssue),
        ] {
            let issued = audit::Entry::new(at(1), actor.clone(), action).in_tenant(tenant.id.clone());
            let issued = keep(issued.about(&key.id));
            write!(db, tx => audit::record(tx, issued)).unwrap();
        }
        let found = read!(db, tx => api_keys::list_issuers(tx, &tenant.id, (at(1), at(2))));
        let named = HashMap::from([(keys[0].id.clone(), user.name.clone())]);
        assert_eq!(found, named, "{name}");
        let foreign = read!(db, tx => api_keys::list_issuers(tx, &other.id, (at(1), at(2))));
        assert!(foreign.is_empty(), "{name}: {foreign:?}");
    }
}

#[tokio::test]
async fn a_keys_networks_are_kept_and_its_end_is_only_brought_forward() {
    for Backend { name, db, .. } in backends().await {
        let World { tenant, other, .. } = world(&db).await;
        let key = |number, expires_at: Option<i64>| ApiKeyRow {
            networks: vec!["192.0.2.0/24".parse().unwrap(), "2001:db8::/32".parse().unwrap()],
            expires_at: expires_at.map(at),
            ..api_key(tenant, number)
        };
        let (endless, short, over) = (keep(key(1, None)), keep(key(2, Some(50))), keep(key(3, Some(5))));
        for key in [endless, short, over] {
            write!(db, tx => api_keys::insert(tx, key)).unwrap();
        }
        let found = read!(db, tx => api_keys::find_caller(tx, &endless.hash, at(10))).unwrap();
        assert_eq!(found.networks, endless.networks, "{name}");
        for (owner, key, there) in [
            (other, endless, false),
            (tenant, endless, true),
            (tenant, short, true),
            (tenant, over, false),
            // They have a successor.
            (tenant, endless, false),
            (tenant, short, false),
        ] {
            let done = write!(db, tx => api_keys::replace(tx, &owner.id, &key.id, at(10), at(100)));
            assert_eq!(done.unwrap(), there, "{name}");
        }
        let mut ends: Vec<_> = read!(db, tx => api_keys::list(tx, &tenant.id))
            .into_iter()
            .map(|key| (key.expires_at, key.replaced_at))
            .collect();
        ends.sort();
        let expected = [(5, None), (50, Some(at(10))), (100, Some(at(10)))];
        assert_eq!(
            ends,
            expected.map(|(end, replaced)| (Some(at(end)), replaced)),
            "{name}"
        );
        // By a clock that was ahead: what has no successor keeps its end.
        assert_eq!(
            write!(db, tx => api_keys::bring_back(tx, at(10), at(4))).unwrap(),
            0,
            "{name}"
        );
        assert_eq!(
            write!(db, tx => api_keys::bring_back(tx, at(9), at(4))).unwrap(),
            2,
            "{name}"
        );
        let mut ends: Vec<_> = read!(db, tx => api_keys::list(tx, &tenant.id))
            .into_iter()
            .map(|key| (key.expires_at, key.replaced_at))
            .collect();
        ends.sort();
        let expected = [(5, None), (44, Some(at(4))), (94, Some(at(4)))];
        assert_eq!(
            ends,
            expected.map(|(end, replaced)| (Some(at(end)), replaced)),
            "{name}"
        );
    }
}

#[tokio::test]
async fn the_first_request_for_an_erasure_is_noted_and_whoever_read_the_session_before_collides() {
    for Backend { name, db, .. } in backends().await {
        let World {
            tenant, other, session, ..
        } = world(&db).await;
        let id = &session.session.id;
        write!(db, tx => sessions::request_erasure(tx, &other.id, id, at(4))).unwrap();
        assert_eq!(
            read!(db, tx => sessions::find_any(tx, id)).as_ref(),
            Some(session),
            "{name}: not theirs"
        );
        for now in [5, 6] {
            write!(db, tx => sessions::request_erasure(tx, &tenant.id, id, at(now))).unwrap();
        }
        let found = read!(db, tx => sessions::find_any(tx, id)).unwrap().session;
        assert_eq!((found.erasure_requested_at, found.version), (Some(at(5)), 1), "{name}");
        let late = write!(db, tx => async { sessions::save(tx, &mut session.clone()).await });
        assert!(matches!(late, Err(StoreError::Conflict)), "{name}");
        let mut erased = keep(session.clone()).clone();
        erased.session = domain::session::Session {
            purged_at: Some(at(9)),
            erasure_requested_at: None,
            ..found
        };
        let erased = keep(erased);
        write!(db, tx => async { sessions::save(tx, &mut erased.clone()).await }).unwrap();
        write!(db, tx => sessions::request_erasure(tx, &tenant.id, id, at(10))).unwrap();
        let after = read!(db, tx => sessions::find_any(tx, id)).unwrap().session;
        assert_eq!(after.erasure_requested_at, None, "{name}: it is erased already");
    }
}

#[tokio::test]
async fn keys_are_listed_of_sessions_that_were_not_erased_by_id() {
    for Backend { name, db, .. } in backends().await {
        let World { session, foreign, .. } = world(&db).await;
        let of = |row: &SessionRow| (row.session.id.clone(), row.data_key.clone());
        assert_eq!(
            read!(db, tx => sessions::list_keys(tx, None, 10)),
            [of(session), of(foreign)],
            "{name}"
        );
        let after = Some(&session.session.id);
        assert_eq!(
            read!(db, tx => sessions::list_keys(tx, after, 10)),
            [of(foreign)],
            "{name}"
        );
        assert_eq!(
            read!(db, tx => sessions::list_keys(tx, None, 1)),
            [of(session)],
            "{name}"
        );
        let mut erased = session.clone();
        erased.session.purged_at = Some(at(9));
        let erased = keep(erased);
        write!(db, tx => async { sessions::save(tx, &mut erased.clone()).await }).unwrap();
        assert_eq!(
            read!(db, tx => sessions::list_keys(tx, None, 10)),
            [of(foreign)],
            "{name}"
        );
    }
}

#[tokio::test]
async fn keys_of_the_newest_sessions_are_listed_however_many_were_erased() {
    for Backend { name, db, .. } in backends().await {
        let World { session, foreign, .. } = world(&db).await;
        let of = |row: &SessionRow| (row.session.id.clone(), row.data_key.clone());
        let newest = async |looked_at: u32| read!(db, tx => sessions::list_newest_keys(tx, looked_at));
        assert_eq!(newest(10).await, [of(foreign), of(session)], "{name}");
        assert_eq!(newest(1).await, [of(foreign)], "{name}");
        let mut erased = foreign.clone();
        erased.session.purged_at = Some(at(9));
        let erased = keep(erased);
        write!(db, tx => async { sessions::save(tx, &mut erased.clone()).await }).unwrap();
        assert_eq!(newest(10).await, [of(session)], "{name}");
        assert!(newest(1).await.is_empty(), "{name}: it is looked at");
    }
}
