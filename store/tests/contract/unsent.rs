//! Events that were not sent, because there was no receiver.

use crate::fixtures::{World, at, expired, keep, read, world, write};
use domain::ids::EventId;
use store::{
    StoreError,
    session::sessions,
    webhook::{
        events::{self, EventRow, Old},
        unsent,
    },
};
use testkit::databases::{Backend, backends};

#[tokio::test]
async fn unsent_events_are_counted_and_listed_oldest_first_until_they_are_sent() {
    for Backend { name, db, .. } in backends().await {
        let World {
            tenant,
            other,
            session,
            foreign,
            ..
        } = world(&db).await;
        let of_tenant: Vec<EventRow> = (1..=3).map(|number| expired(session, number)).collect();
        let (of_tenant, theirs) = (keep(of_tenant), keep(expired(foreign, 9)));
        let stored = write!(db, tx => async {
            for event in of_tenant.iter().rev().chain([theirs]) {
                events::insert(tx, event).await?;
                unsent::insert(tx, event).await?;
            }
            Ok(())
        });
        stored.unwrap();
        let again = write!(db, tx => unsent::insert(tx, &of_tenant[0]));
        assert!(matches!(again, Err(StoreError::Duplicate)), "{name}");
        assert_eq!(read!(db, tx => unsent::count(tx, &tenant.id)), 3, "{name}");
        assert_eq!(
            &read!(db, tx => unsent::list(tx, &tenant.id, None, 10)),
            of_tenant,
            "{name}"
        );
        let after = keep((of_tenant[0].created_at, of_tenant[0].id.clone()));
        let page = read!(db, tx => unsent::list(tx, &tenant.id, Some(after), 1));
        assert_eq!(page, of_tenant[1..2], "{name}");
        assert!(read!(db, tx => unsent::is_noted(tx, &of_tenant[1].id)), "{name}");
        write!(db, tx => unsent::remove(tx, &of_tenant[1].id)).unwrap();
        assert!(!read!(db, tx => unsent::is_noted(tx, &of_tenant[1].id)), "{name}");
        write!(db, tx => unsent::remove(tx, keep(EventId::from_random([77; 16])))).unwrap();
        assert_eq!(read!(db, tx => unsent::count(tx, &tenant.id)), 2, "{name}");
        assert_eq!(
            &read!(db, tx => unsent::list(tx, &other.id, None, 10))[0],
            theirs,
            "{name}"
        );
    }
}

#[tokio::test]
async fn an_event_that_is_removed_because_of_its_age_is_no_longer_unsent() {
    for Backend { name, db, .. } in backends().await {
        let World { tenant, session, .. } = world(&db).await;
        let event = keep(expired(session, 1));
        let stored = write!(db, tx => async {
            let mut erased = session.clone();
            erased.session.purged_at = Some(at(9));
            sessions::save(tx, &mut erased).await?;
            events::insert(tx, event).await?;
            unsent::insert(tx, event).await
        });
        stored.unwrap();
        let old = Old {
            happened_before: at(100),
            erased_before: at(100),
        };
        let found = keep(read!(db, tx => events::list_old(tx, &tenant.id, old, None, 10)));
        let removed = write!(db, tx => events::remove_old(tx, &found.removable, at(100)));
        assert_eq!(removed.unwrap(), 1, "{name}");
        assert_eq!(read!(db, tx => unsent::count(tx, &tenant.id)), 0, "{name}");
    }
}
