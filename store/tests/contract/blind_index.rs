//! Keyed hashes of a person: found within their tenant, together or apart, and gone when removed.

use crate::fixtures::{World, at, keep, read, session, world, write};
use store::session::{
    blind_index,
    search::{self, Filter, Order, Page, Person},
    sessions,
};
use testkit::databases::{Backend, backends};

#[tokio::test]
async fn a_person_is_found_by_any_form_of_the_name_and_by_the_date_of_birth_until_the_session_is_erased() {
    for Backend { name, db, .. } in backends().await {
        let World {
            tenant,
            other,
            session: first,
            ..
        } = world(&db).await;
        let second = keep(session(tenant, 13));
        write!(db, tx => sessions::insert(tx, second)).unwrap();
        let (one, two) = (&first.session.id, &second.session.id);
        for _ in 0..2 {
            write!(db, tx => blind_index::add(tx, &tenant.id, one, &[[1; 32], [2; 32], [9; 32]])).unwrap();
        }
        write!(db, tx => blind_index::add(tx, &tenant.id, two, &[[3; 32], [9; 32]])).unwrap();
        let found = async |tenant, names: &[u8], birth_date: Option<u8>| {
            let person = Person {
                name: names.iter().map(|byte| [*byte; 32]).collect(),
                birth_date: birth_date.map(|byte| [byte; 32]),
            };
            let filter = keep(Filter {
                person,
                ..Filter::default()
            });
            let page = keep(Page {
                order: Order::Newest,
                after: None,
                limit: 10,
            });
            let found = read!(db, tx => search::list(tx, tenant, filter, page, at(20)));
            found.into_iter().map(|found| found.id).collect::<Vec<_>>()
        };
        assert_eq!(
            found(&tenant.id, &[7, 2], None).await,
            std::slice::from_ref(one),
            "{name}"
        );
        assert_eq!(
            found(&tenant.id, &[], Some(9)).await,
            [two.clone(), one.clone()],
            "{name}"
        );
        assert_eq!(
            found(&tenant.id, &[1, 3], Some(9)).await,
            [two.clone(), one.clone()],
            "{name}"
        );
        assert_eq!(found(&tenant.id, &[3], Some(8)).await, [], "{name}: both must fit");
        assert_eq!(found(&other.id, &[], Some(9)).await, [], "{name}: of another tenant");
        write!(db, tx => blind_index::remove(tx, one)).unwrap();
        assert_eq!(
            found(&tenant.id, &[], Some(9)).await,
            std::slice::from_ref(two),
            "{name}: removed"
        );
    }
}

#[tokio::test]
async fn a_session_from_before_the_index_is_indexed_once() {
    for backend in backends().await {
        let World { session, .. } = world(&backend.db).await;
        let (name, db) = (backend.name, &backend.db);
        backend
            .run("INSERT INTO unindexed_sessions (session_id) SELECT id FROM sessions")
            .await;
        let id = &session.session.id;
        let before = read!(db, tx => blind_index::list_unindexed(tx, 10));
        assert!(before.contains(id), "{name}");
        assert_eq!(read!(db, tx => blind_index::list_unindexed(tx, 1)).len(), 1, "{name}");
        assert!(
            write!(db, tx => blind_index::leave_unindexed(tx, id)).unwrap(),
            "{name}"
        );
        assert!(
            !write!(db, tx => blind_index::leave_unindexed(tx, id)).unwrap(),
            "{name}"
        );
        assert!(
            !read!(db, tx => blind_index::list_unindexed(tx, 10)).contains(id),
            "{name}"
        );
    }
}
