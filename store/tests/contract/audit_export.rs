//! Exporting the audit log: in order, by one process at a time.

use crate::fixtures::{at, keep, read, world, write};
use domain::audit::{Actor, AuditAction};
use store::{
    StoreError,
    audit::{self, Entry},
    audit_chain, audit_export,
};
use testkit::databases::{Backend, backends};

#[tokio::test]
async fn linked_entries_are_listed_in_the_order_of_the_chain_with_names() {
    for Backend { name, db, .. } in backends().await {
        let user = world(&db).await.user;
        for number in 1..=3 {
            let entry = keep(
                Entry::new(at(number), Actor::Person(user.id.clone()), AuditAction::SessionRead)
                    .about(format_args!("subject {number}"))
                    .from_address("192.0.2.1"),
            );
            write!(db, tx => audit::record(tx, entry)).unwrap();
        }
        assert!(
            read!(db, tx => audit_export::list(tx, 0, 10)).is_empty(),
            "{name}: not linked yet"
        );
        assert!(!read!(db, tx => audit_export::any_new(tx)), "{name}");
        write!(db, tx => audit_chain::seal(tx, 10)).unwrap();
        assert!(read!(db, tx => audit_export::any_new(tx)), "{name}");
        let all = read!(db, tx => audit_export::list(tx, 0, 10));
        let places: Vec<_> = all
            .iter()
            .map(|entry| (entry.position, entry.at, entry.hash.len()))
            .collect();
        assert_eq!(places, [(1, 1, 32), (2, 2, 32), (3, 3, 32)], "{name}");
        assert_eq!(all[0].actor_name.as_deref(), Some(&*user.name), "{name}");
        assert_eq!(read!(db, tx => audit_export::list(tx, 1, 1)), all[1..2], "{name}");
    }
}

#[tokio::test]
async fn one_process_exports_until_its_lease_ends_or_is_given_up() {
    for Backend { name, db, .. } in backends().await {
        let claim = async |worker: &'static str, now: i64| {
            write!(db, tx => audit_export::claim(tx, worker, at(now), at(now + 10))).unwrap()
        };
        assert_eq!(claim("one", 0).await, Some(0), "{name}");
        assert_eq!(claim("two", 9).await, None, "{name}");
        write!(db, tx => audit_export::advance(tx, "one", 5)).unwrap();
        assert_eq!(claim("one", 5).await, Some(5), "{name}: renewed");
        assert_eq!(claim("two", 15).await, Some(5), "{name}");
        let late = write!(db, tx => audit_export::advance(tx, "one", 6));
        assert!(matches!(late, Err(StoreError::LeaseLost)), "{name}");
        let back = write!(db, tx => audit_export::advance(tx, "two", 5));
        assert!(matches!(back, Err(StoreError::LeaseLost)), "{name}: never backwards");
        write!(db, tx => audit_export::release(tx, "one")).unwrap();
        assert_eq!(claim("one", 16).await, None, "{name}: that was not its own");
        write!(db, tx => audit_export::release(tx, "two")).unwrap();
        assert_eq!(claim("one", 16).await, Some(5), "{name}");
    }
}
