//! The chain of the audit log: whatever is done to linked entries is found.

use crate::fixtures::{at, keep, read, world, write};
use domain::audit::{Actor, AuditAction};
use futures::future::join_all;
use std::time::{Duration, Instant};
use store::{
    Db, StoreError,
    audit::{self, Entry},
    audit_chain::{self, Beginning, Checked, Head},
};
use testkit::{
    databases::{Backend, backends, run_at},
    long_runs,
};

fn entry(number: i64) -> &'static Entry {
    keep(Entry {
        at: at(number),
        tenant: None,
        actor: Actor::System,
        action: AuditAction::SessionRead.into(),
        subject: (number % 2 == 0).then(|| format!("subject {number}")),
        detail: None,
        address: Some("192.0.2.1".into()),
    })
}

async fn with_entries(db: &Db, count: i64) {
    for number in 1..=count {
        let entry = entry(number);
        write!(db, tx => audit::record(tx, entry)).unwrap();
    }
}

/// Checks the whole chain, three entries at a time.
async fn check(db: &Db) -> Checked {
    let mut from = keep(Head::default());
    loop {
        match read!(db, tx => audit_chain::check(tx, from, 3)) {
            Checked::More(head) => from = keep(head),
            end => return end,
        }
    }
}

async fn seal(db: &Db) -> usize {
    let mut sealed = 0;
    while let count @ 1.. = write!(db, tx => audit_chain::seal(tx, 4)).unwrap() {
        sealed += count;
    }
    sealed
}

#[tokio::test]
async fn entries_are_linked_in_order_and_the_chain_is_checked_from_end_to_end() {
    for Backend { name, db, .. } in backends().await {
        assert_eq!(check(&db).await, Checked::Whole(Head::default(), 0), "{name}: empty");
        assert!(!read!(db, tx => audit_chain::any_open(tx)), "{name}");
        with_entries(&db, 10).await;
        assert!(read!(db, tx => audit_chain::any_open(tx)), "{name}");
        assert_eq!(
            check(&db).await,
            Checked::Whole(Head::default(), 10),
            "{name}: not linked yet"
        );
        assert_eq!(seal(&db).await, 10, "{name}");
        let Checked::Whole(head, 0) = check(&db).await else {
            panic!("{name}")
        };
        assert_eq!((head.position, head.hash.len()), (10, 32), "{name}");
        with_entries(&db, 1).await;
        assert_eq!(check(&db).await, Checked::Whole(head, 1), "{name}");
    }
}

/// Planted faults that this detected: the length of a part left out of the hash; the head not compared.
#[tokio::test]
async fn a_changed_dropped_added_or_moved_entry_is_found_at_its_place() {
    const TAMPERINGS: [(&str, &[&str], i64); 9] = [
        ("changed", &["UPDATE audit SET actor = 'usr_1' WHERE position = 5"], 5),
        ("emptied", &["UPDATE audit SET subject = NULL WHERE position = 4"], 4),
        (
            "given a subject",
            &["UPDATE audit SET subject = '' WHERE position = 5"],
            5,
        ),
        (
            "text moved to the next column",
            &["UPDATE audit SET detail = subject, subject = NULL WHERE position = 4"],
            4,
        ),
        ("dropped", &["DELETE FROM audit WHERE position = 7"], 7),
        ("last one dropped", &["DELETE FROM audit WHERE position = 10"], 10),
        (
            "dropped and closed up",
            &[
                "DELETE FROM audit WHERE position = 7",
                "UPDATE audit SET position = 7 WHERE position = 8",
                "UPDATE audit SET position = 8 WHERE position = 9",
                "UPDATE audit SET position = 9 WHERE position = 10",
            ],
            7,
        ),
        (
            "swapped",
            &[
                "UPDATE audit SET position = 99 WHERE position = 2",
                "UPDATE audit SET position = 2 WHERE position = 3",
                "UPDATE audit SET position = 3 WHERE position = 99",
            ],
            2,
        ),
        (
            "added at the end",
            &[
                "INSERT INTO audit (at, actor, action, position, hash) SELECT 1, 'x', 'y', 11, hash FROM audit WHERE position = 10",
            ],
            11,
        ),
    ];
    for (what, statements, place) in TAMPERINGS {
        for backend in backends().await {
            with_entries(&backend.db, 10).await;
            seal(&backend.db).await;
            for statement in statements {
                assert_eq!(backend.run(statement).await, 1, "{}: {what}", backend.name);
            }
            assert_eq!(
                check(&backend.db).await,
                Checked::Broken(place),
                "{}: {what}",
                backend.name
            );
        }
    }
}

#[tokio::test]
async fn the_newest_entries_are_checked_from_the_one_before_them_on() {
    for backend in backends().await {
        let Backend { name, db, .. } = &backend;
        with_entries(db, 10).await;
        seal(db).await;
        for (limit, position) in [(3, 7), (9, 1), (10, 0), (1_000, 0)] {
            let Beginning::After(before) = read!(db, tx => audit_chain::find_before_newest(tx, limit)) else {
                panic!("{name}: {limit}")
            };
            assert_eq!(before.position, position, "{name}: {limit}");
            let before = keep(before);
            let end = read!(db, tx => audit_chain::check(tx, before, 100));
            assert!(
                matches!(end, Checked::Whole(Head { position: 10, .. }, 0)),
                "{name}: {limit}: {end:?}"
            );
        }
        backend.run("DELETE FROM audit WHERE position = 7").await;
        let missing = read!(db, tx => audit_chain::find_before_newest(tx, 3));
        assert_eq!(missing, Beginning::Missing(7), "{name}");
    }
}

#[tokio::test]
async fn nodes_that_write_and_link_at_the_same_time_make_one_unbroken_chain() {
    for backend in backends().await {
        let nodes = [backend.db.clone(), backend.reopen().await];
        let work = (0..8).map(|number| {
            let db = nodes[number % 2].clone();
            tokio::spawn(async move {
                with_entries(&db, 10).await;
                for _ in 0..5 {
                    match write!(db, tx => audit_chain::seal(tx, 7)) {
                        // Another node came first, more often than a unit is run again.
                        Ok(_) | Err(StoreError::Conflict) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
            })
        });
        for done in join_all(work).await {
            done.unwrap();
        }
        seal(&backend.db).await;
        let Checked::Whole(head, 0) = check(&backend.db).await else {
            panic!("{}", backend.name)
        };
        assert_eq!(head.position, 80, "{}", backend.name);
    }
}

/// How long checking a million entries may take, in an optimised build: a request of the console does so.
const MILLION_CHECKED: Duration = Duration::from_secs(10);

/// Prints how long it took, and fails if a million entries or more take too long.
#[tokio::test]
async fn a_long_log_is_linked_and_checked_part_by_part() {
    let rows = long_runs::count("HONNIN_AUDIT_ROWS", 20_000);
    for Backend { name, db, url, .. } in backends().await {
        let insert = format!(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows})
             INSERT INTO audit (at, tenant_id, actor, action, subject, address)
             SELECT i, 'tn_0123456789abcdef0123456789abcdef', 'key_0123456789abcdef0123456789abcdef', 'session.read',
                    'vs_0123456789abcdef0123456789abcdef', '192.0.2.1' FROM n"
        );
        assert_eq!(run_at(&url, keep(insert)).await, rows, "{name}");
        let start = Instant::now();
        while write!(db, tx => audit_chain::seal(tx, 10_000)).unwrap() > 0 {}
        let linked = start.elapsed();
        let (start, mut from) = (Instant::now(), keep(Head::default()));
        let head = loop {
            match read!(db, tx => audit_chain::check(tx, from, 10_000)) {
                Checked::More(head) => from = keep(head),
                Checked::Whole(head, 0) => break head,
                other => panic!("{name}: {other:?}"),
            }
        };
        let checked = start.elapsed();
        println!("{name}: {rows} entries, linked in {linked:?}, checked in {checked:?}");
        assert_eq!(u64::try_from(head.position), Ok(rows), "{name}");
        assert!(rows < 1_000_000 || checked <= MILLION_CHECKED, "{name}: {checked:?}");
    }
}

#[tokio::test]
async fn entries_are_found_by_what_who_and_when() {
    for Backend { name, db, .. } in backends().await {
        let world = world(&db).await;
        let by = |number: i64, actor: &Actor, action: AuditAction| {
            keep(Entry {
                tenant: Some(world.tenant.id.clone()),
                actor: actor.clone(),
                action: action.into(),
                ..entry(number).clone()
            })
        };
        let rita = &Actor::Person(world.user.id.clone());
        for entry in [
            by(1, rita, AuditAction::SessionRead),
            by(2, &Actor::System, AuditAction::SessionRead),
            by(3, rita, AuditAction::KeyIssue),
        ] {
            write!(db, tx => audit::record(tx, entry)).unwrap();
        }
        let any = audit::Filter::default();
        let filters = [
            (any.clone(), vec![3, 2, 1]),
            (
                audit::Filter {
                    actor: Some(rita.clone()),
                    ..any.clone()
                },
                vec![3, 1],
            ),
            (
                audit::Filter {
                    action: Some(AuditAction::SessionRead),
                    ..any.clone()
                },
                vec![2, 1],
            ),
            (
                audit::Filter {
                    subject: Some("subject 2".into()),
                    ..any.clone()
                },
                vec![2],
            ),
            (
                audit::Filter {
                    from: Some(at(2)),
                    ..any.clone()
                },
                vec![3, 2],
            ),
            (
                audit::Filter {
                    until: Some(at(2)),
                    ..any.clone()
                },
                vec![1],
            ),
        ];
        for (filter, expected) in filters {
            let filter = keep(filter);
            let found = read!(db, tx => audit::search(tx, &world.tenant.id, filter, &audit::numbers_before(None), 10));
            let times: Vec<_> = found.iter().map(|one| one.entry.at.as_millis()).collect();
            assert_eq!(times, expected, "{name}: {filter:?}");
        }
        let none =
            read!(db, tx => audit::search(tx, &world.other.id, keep(any.clone()), &audit::numbers_before(None), 10));
        assert!(none.is_empty(), "{name}");
    }
}

/// On PostgreSQL, an entry is numbered when it is written and may be committed after many others.
#[tokio::test]
async fn an_entry_that_is_committed_long_after_others_were_linked_is_linked_when_all_are_looked_at() {
    for backend in backends().await {
        let (name, db) = (backend.name, &backend.db);
        let is_postgres = name == "postgres";
        let with_number = async |number: i64| {
            let overriding = if is_postgres { "OVERRIDING SYSTEM VALUE" } else { "" };
            let insert = format!(
                "INSERT INTO audit (number, at, actor, action) {overriding} VALUES ({number}, 1, 'system', 'session.read')"
            );
            backend.run(keep(insert)).await;
        };
        with_number(1_000_000).await;
        assert_eq!(seal(db).await, 1, "{name}");
        // As late as another unit may be.
        with_number(999_000).await;
        assert_eq!(seal(db).await, 1, "{name}");
        with_number(7).await;
        assert_eq!(read!(db, tx => audit_chain::any_open(tx)), !is_postgres, "{name}");
        let left = write!(db, tx => audit_chain::seal_all(tx, 10));
        assert_eq!(left.unwrap(), 1, "{name}");
        assert!(matches!(check(db).await, Checked::Whole(_, 0)), "{name}");
    }
}
