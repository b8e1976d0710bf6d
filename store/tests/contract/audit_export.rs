//! Exporting the audit log: in order, by one process at a time.

use crate::fixtures::{at, keep, read, world, write};
use domain::{
    audit::{Actor, AuditAction},
    time::SKEW,
};
use store::{
    StoreError,
    audit::{self, Entry, Filter, MAX_DETAIL, numbers_before},
    audit_chain::{self, Checked, Head},
    audit_export,
};
use testkit::databases::{Backend, backends, run_at};

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
        assert_eq!(read!(db, tx => audit_export::count_new(tx)), 3, "{name}");
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
            let is_taken = read!(db, tx => audit_export::is_taken(tx, worker, at(now), at(now + 10)));
            let claimed = write!(db, tx => audit_export::claim(tx, worker, at(now), at(now + 10))).unwrap();
            assert_eq!(claimed.is_none(), is_taken, "{name}");
            claimed.map(|reached| reached.position)
        };
        assert_eq!(claim("one", 0).await, Some(0), "{name}");
        assert_eq!(claim("two", 9).await, None, "{name}");
        write!(db, tx => audit_export::advance(tx, "one", 5, at(0), None)).unwrap();
        assert_eq!(claim("one", 5).await, Some(5), "{name}: renewed");
        assert_eq!(claim("two", 15).await, Some(5), "{name}");
        let late = write!(db, tx => audit_export::advance(tx, "one", 6, at(15), None));
        assert!(matches!(late, Err(StoreError::LeaseLost)), "{name}");
        let back = write!(db, tx => audit_export::advance(tx, "two", 5, at(15), None));
        assert!(matches!(back, Err(StoreError::LeaseLost)), "{name}: never backwards");
        write!(db, tx => audit_export::release(tx, "one")).unwrap();
        assert_eq!(claim("one", 16).await, None, "{name}: that was not its own");
        write!(db, tx => audit_export::release(tx, "two")).unwrap();
        assert_eq!(claim("one", 16).await, Some(5), "{name}");
    }
}

#[tokio::test]
async fn a_lease_of_a_clock_that_was_ahead_keeps_nobody_from_exporting() {
    for Backend { name, db, .. } in backends().await {
        let claim = async |worker: &'static str, now: i64| {
            let is_taken = read!(db, tx => audit_export::is_taken(tx, worker, at(now), at(now + 10)));
            let claimed = write!(db, tx => audit_export::claim(tx, worker, at(now), at(now + 10))).unwrap();
            assert_eq!(claimed.is_none(), is_taken, "{name}");
            claimed.is_some()
        };
        let skewed = SKEW.0;
        assert!(claim("one", skewed).await, "{name}");
        assert!(!claim("two", 0).await, "{name}: clocks differ by a little");
        assert!(claim("one", skewed + 1).await, "{name}");
        assert!(claim("two", 0).await, "{name}");
    }
}

#[tokio::test]
async fn what_was_exported_some_time_ago_is_settled() {
    for Backend { name, db, .. } in backends().await {
        let settled = async |now: i64| {
            let claimed = write!(db, tx => audit_export::claim(tx, "one", at(now), at(now + 10))).unwrap();
            claimed.unwrap().settled
        };
        // Whatever is noted is certain 100 ms later.
        let advance = async |to: i64, now: i64, is_certain: bool| {
            let certain = is_certain.then(|| at(now - 100));
            write!(db, tx => audit_export::advance(tx, "one", to, at(now), certain)).unwrap();
            settled(now).await
        };
        assert_eq!(settled(0).await, 0, "{name}");
        assert_eq!(advance(10, 1_000, true).await, 0, "{name}");
        assert_eq!(advance(20, 1_050, true).await, 0, "{name}");
        assert_eq!(advance(30, 1_100, true).await, 0, "{name}: what was before the first");
        assert_eq!(advance(40, 1_199, true).await, 0, "{name}");
        assert_eq!(advance(50, 1_250, false).await, 0, "{name}: on a new connection");
        assert_eq!(advance(60, 1_300, true).await, 20, "{name}: exported by 1,100");
        // A clock that is ahead for a while: it begins again, and nothing is settled too early.
        assert_eq!(advance(70, 900_000, true).await, 50, "{name}");
        assert_eq!(advance(80, 1_400, true).await, 50, "{name}");
        assert_eq!(advance(90, 1_500, true).await, 70, "{name}");
        assert!(
            write!(db, tx => audit_export::set_back(tx, 60)).unwrap(),
            "{name}: exported"
        );
        assert!(
            !write!(db, tx => audit_export::set_back(tx, 60)).unwrap(),
            "{name}: nothing after it"
        );
        assert_eq!(read!(db, tx => audit_export::find_position(tx)), 60, "{name}");
        let late = write!(db, tx => audit_export::advance(tx, "one", 100, at(1_500), None));
        assert!(matches!(late, Err(StoreError::LeaseLost)), "{name}: it would skip some");
        assert_eq!(settled(1_500).await, 60, "{name}");
    }
}

#[tokio::test]
async fn what_was_exported_before_it_was_noted_what_is_settled_is_settled() {
    for Backend { name, db, url, .. } in backends().await {
        // As an earlier version leaves it.
        let exported = run_at(&url, "UPDATE audit_export SET position = 40").await;
        assert_eq!(exported, 1, "{name}");
        let settled = async |now: i64| {
            let claimed = write!(db, tx => audit_export::claim(tx, "one", at(now), at(now + 10))).unwrap();
            claimed.unwrap().settled
        };
        assert_eq!(settled(1_000).await, 40, "{name}");
        write!(db, tx => audit_export::advance(tx, "one", 50, at(1_000), None)).unwrap();
        assert_eq!(settled(1_000).await, 40, "{name}: on a new connection");
        write!(db, tx => audit_export::advance(tx, "one", 60, at(1_100), Some(at(1_000)))).unwrap();
        assert_eq!(settled(1_100).await, 40, "{name}");
        write!(db, tx => audit_export::advance(tx, "one", 70, at(1_200), Some(at(1_100)))).unwrap();
        assert_eq!(settled(1_200).await, 50, "{name}: exported by 1,100");
    }
}

#[tokio::test]
async fn a_detail_that_is_too_long_is_cut_in_the_middle_and_says_so() {
    for Backend { name, db, url, .. } in backends().await {
        let tenant = world(&db).await.tenant;
        let long = format!("callbacks: {}é{} at the end", "a".repeat(3_988), "b".repeat(500_000));
        let entry = keep(
            Entry::new(at(1), Actor::System, AuditAction::SettingsChange)
                .in_tenant(tenant.id.clone())
                .with_detail(&long),
        );
        write!(db, tx => audit::record(tx, entry)).unwrap();
        // As an earlier version has written it.
        let stored = format!(
            "INSERT INTO audit (at, tenant_id, actor, action, detail) VALUES (2, '{}', 'system', 'settings.change', '{}')",
            tenant.id,
            "é".repeat(300_000)
        );
        assert_eq!(run_at(&url, keep(stored)).await, 1, "{name}");
        write!(db, tx => audit_chain::seal(tx, 10)).unwrap();
        let exported = read!(db, tx => audit_export::list(tx, 0, 10));
        let details: Vec<_> = exported.into_iter().map(|entry| entry.detail.unwrap()).collect();
        assert!(details[0].len() <= MAX_DETAIL, "{name}: {}", details[0].len());
        assert!(
            details[0].starts_with("callbacks: aaa") && details[0].ends_with("bbb at the end"),
            "{name}"
        );
        let missing = long.len() - details[0].len() + " [496015 bytes left out] ".len();
        assert!(
            details[0].contains(&format!(" [{missing} bytes left out] ")),
            "{name}: {missing}"
        );
        let half = "é".repeat(4_000);
        assert_eq!(
            details[1],
            format!("{half} [292000 characters left out] {half}"),
            "{name}"
        );
        let found = read!(db, tx => audit::search(tx, &tenant.id, &Filter::default(), &numbers_before(None), 10));
        let found: Vec<_> = found.into_iter().rev().map(|one| one.entry.detail.unwrap()).collect();
        assert_eq!(found, details, "{name}");
        // The chain covers what is stored.
        let checked = read!(db, tx => audit_chain::check(tx, &Head::default(), 10));
        assert!(matches!(checked, Checked::Whole(_, 0)), "{name}: {checked:?}");
    }
}
