//! What is removed because of its age, in bounded batches, and what stays.

use crate::fixtures::{World, at, expired, keep, read, world, write};
use domain::{
    audit::{Actor, AuditAction},
    ids::EventId,
    session::AttemptNumber,
    time::Timestamp,
};
use store::{
    Db, StoreError,
    audit::{self, Entry},
    audit_chain::{self, Checked, Head},
    capture::capture_cookies::{self, CookieRow},
    jobs::{self, Claim, JobKind, Moment, NewJob},
    session::{
        links::{self, LinkRow},
        sessions::{self, SessionRow},
    },
    webhook::{
        deliveries::{self, AttemptRow, DeliveryRow, DeliveryState},
        delivery_attempts,
        events::{self, EventContent, EventRow, Old},
        outbox,
    },
};
use testkit::databases::{Backend, backends, postgres, postgres_server};

/// An event at `number` milliseconds with a delivery that is in `state`, settled at `settled`, after one attempt.
async fn delivered(db: &Db, session: &'static SessionRow, number: u8, state: DeliveryState, settled: i64) -> EventId {
    let event = keep(expired(session, number));
    let pending = state == DeliveryState::Pending;
    let stored = write!(db, tx => async {
        events::insert(tx, event).await?;
        deliveries::insert(tx, event, at(100)).await?;
        let before = deliveries::find_any(tx, &event.id).await?.unwrap();
        let after = DeliveryRow {
            state,
            attempts: 1,
            next_attempt_at: pending.then(|| at(settled)),
            settled_at: (!pending).then(|| at(settled)),
            ..before.clone()
        };
        deliveries::save(tx, &before, &after).await?;
        let attempt = AttemptRow {
            event: event.id.clone(),
            number: 1,
            attempted_at: at(settled),
            duration_ms: 1,
            status: Some(200),
            fault: None,
        };
        delivery_attempts::insert(tx, &event.tenant, &attempt).await
    });
    stored.unwrap();
    event.id.clone()
}

#[tokio::test]
async fn deliveries_leave_with_their_attempts_once_they_are_settled_and_old_and_pending_ones_stay() {
    use DeliveryState::{Abandoned, Delivered, Pending};
    for Backend { name, db, .. } in backends().await {
        let World {
            tenant,
            session,
            foreign,
            ..
        } = world(&db).await;
        for (number, state, settled) in [
            (1, Delivered, 10),
            (2, Delivered, 20),
            (3, Abandoned, 30),
            (4, Abandoned, 200),
        ] {
            delivered(&db, session, number, state, settled).await;
        }
        let pending = keep(delivered(&db, session, 5, Pending, 10).await);
        let others = keep(delivered(&db, foreign, 6, Delivered, 10).await);
        let late = keep(delivered(&db, session, 150, Delivered, 160).await);
        // Two at a time.
        for removed in [2, 1, 0] {
            let swept = write!(db, tx => deliveries::remove_settled(tx, &tenant.id, at(100), 2));
            assert_eq!(swept.unwrap(), removed, "{name}");
        }
        for kept in [pending, others, late] {
            assert!(read!(db, tx => deliveries::find_any(tx, kept)).is_some(), "{name}");
            assert_eq!(read!(db, tx => delivery_attempts::list(tx, kept)).len(), 1, "{name}");
        }
        let gone = keep(EventId::from_random([1; 16]));
        assert_eq!(read!(db, tx => delivery_attempts::list(tx, gone)), [], "{name}");
        // Their events stay, and can be sent again.
        assert_eq!(
            read!(db, tx => events::list_of_session(tx, &session.session.id)).len(),
            6,
            "{name}"
        );
    }
}

/// Planted fault that this test detects: attempts that are removed before it is known that their delivery leaves.
#[tokio::test]
async fn a_delivery_that_is_sent_again_while_old_ones_are_removed_keeps_its_attempts() {
    let Some(server) = postgres_server() else { return };
    let backend = postgres(&server).await;
    let db = &backend.db;
    let World { tenant, session, .. } = world(db).await;
    let event = keep(delivered(db, session, 1, DeliveryState::Abandoned, 10).await);
    let again = "UPDATE deliveries SET state = 'pending', settled_at = NULL, next_attempt_at = 0";
    let sweep = async { write!(db, tx => deliveries::remove_settled(tx, &tenant.id, at(100), 10)) };
    assert_eq!(backend.beside(again, sweep).await.unwrap(), 0);
    assert_eq!(read!(db, tx => delivery_attempts::list(tx, event)).len(), 1);
    assert_eq!(read!(db, tx => deliveries::was_removed(tx, event)), Some(false));
}

#[tokio::test]
async fn an_event_whose_delivery_is_removed_says_whether_something_of_it_may_have_been_sent() {
    use DeliveryState::{Abandoned, Delivered};
    for backend in backends().await {
        let (name, db) = (backend.name, &backend.db);
        let World { tenant, session, .. } = world(db).await;
        let sent = keep(delivered(db, session, 1, Delivered, 10).await);
        let unsent = keep(delivered(db, session, 2, Abandoned, 20).await);
        let perhaps = keep(delivered(db, session, 3, Abandoned, 30).await);
        let never = keep(expired(session, 4));
        write!(db, tx => events::insert(tx, never)).unwrap();
        backend
            .run("UPDATE delivery_attempts SET fault = 'connect_failed', status = NULL WHERE attempted_at = 20")
            .await;
        backend
            .run("UPDATE delivery_attempts SET fault = 'timeout', status = NULL WHERE attempted_at = 30")
            .await;
        erase(db, session, 500).await;
        let swept = write!(db, tx => deliveries::remove_settled(tx, &tenant.id, at(100), 10));
        assert_eq!(swept.unwrap(), 3, "{name}");
        for (event, removed, metadata) in [
            (sent, true, &None),
            (unsent, true, &session.metadata),
            (perhaps, true, &None),
            (&never.id, false, &session.metadata),
        ] {
            assert_eq!(
                read!(db, tx => deliveries::was_removed(tx, event)),
                Some(removed),
                "{name}: {event}"
            );
            let found = read!(db, tx => outbox::find(tx, event)).unwrap();
            assert_eq!(&found.sources.unwrap().metadata, metadata, "{name}: {event}");
        }
    }
}

async fn erase(db: &Db, session: &'static SessionRow, when: i64) {
    let erased = write!(db, tx => async {
        let mut row = sessions::find_any(tx, &session.session.id).await?.unwrap();
        row.session.purged_at = Some(at(when));
        sessions::save(tx, &mut row).await
    });
    erased.unwrap();
}

/// Events that happened, and whose sessions were erased, before these milliseconds.
const fn old(happened_before: i64, erased_before: i64) -> Old {
    Old {
        happened_before: at(happened_before),
        erased_before: at(erased_before),
    }
}

#[tokio::test]
async fn events_leave_after_their_session_was_erased_and_their_delivery_has_left() {
    for Backend { name, db, .. } in backends().await {
        let World {
            tenant,
            other,
            session,
            foreign,
            ..
        } = world(&db).await;
        let told = keep(delivered(&db, session, 1, DeliveryState::Delivered, 10).await);
        let test = keep(EventRow {
            id: EventId::from_random([9; 16]),
            tenant: tenant.id.clone(),
            created_at: at(9),
            content: EventContent::Test,
        });
        write!(db, tx => events::insert(tx, test)).unwrap();
        for event in [
            expired(session, 2),
            expired(session, 3),
            expired(session, 120),
            expired(foreign, 4),
        ] {
            let event = keep(event);
            write!(db, tx => events::insert(tx, event)).unwrap();
        }
        let remove = async |before: i64, erased: i64| {
            let (mut removed, mut after) = (0, None);
            loop {
                let from = keep(after);
                let found = read!(db, tx => events::list_old(tx, &tenant.id, old(before, erased), from.as_ref(), 2));
                let slice = keep(found);
                removed += write!(db, tx => events::remove_old(tx, &slice.removable, at(erased))).unwrap();
                after = slice.last.clone();
                if after.is_none() {
                    return removed;
                }
            }
        };
        assert_eq!(
            remove(100, 1_000).await,
            1,
            "{name}: only the test, as the session has its personal data"
        );
        erase(&db, session, 500).await;
        assert_eq!(remove(100, 500).await, 0, "{name}: erased at the limit");
        assert_eq!(remove(100, 501).await, 2, "{name}");
        assert_eq!(remove(100, 501).await, 0, "{name}: one has a delivery, one is younger");
        let left = read!(db, tx => events::list_of_session(tx, &session.session.id));
        assert_eq!(
            left.iter().map(|event| event.created_at).collect::<Vec<_>>(),
            [at(1), at(120)],
            "{name}"
        );
        assert!(read!(db, tx => deliveries::find_any(tx, told)).is_some(), "{name}");
        assert!(
            read!(db, tx => events::find(tx, &other.id, &expired(foreign, 4).id)).is_some(),
            "{name}"
        );
    }
}

#[tokio::test]
async fn an_old_event_that_is_sent_again_after_it_was_found_stays() {
    for Backend { name, db, .. } in backends().await {
        let World { tenant, session, .. } = world(&db).await;
        let (again, gone) = (keep(expired(session, 1)), keep(expired(session, 2)));
        let stored = write!(db, tx => async {
            events::insert(tx, again).await?;
            events::insert(tx, gone).await
        });
        stored.unwrap();
        erase(&db, session, 500).await;
        let found = keep(read!(db, tx => events::list_old(tx, &tenant.id, old(100, 501), None, 10)));
        assert_eq!(found.removable, [&again.id, &gone.id].map(EventId::to_string), "{name}");
        assert_eq!(found.last, None, "{name}");
        write!(db, tx => deliveries::insert(tx, again, at(600))).unwrap();
        let removed = write!(db, tx => events::remove_old(tx, &found.removable, at(501)));
        assert_eq!(removed.unwrap(), 1, "{name}");
        let left = read!(db, tx => events::list_of_session(tx, &session.session.id));
        assert_eq!(&left, std::slice::from_ref(again), "{name}");
    }
}

/// On PostgreSQL, a unit that gives an event a delivery may run while the sweep removes it.
#[tokio::test]
async fn an_old_event_that_is_being_sent_again_stays_and_nobody_waits() {
    for backend in backends().await {
        let Backend { name, db, .. } = &backend;
        if *name == "sqlite" {
            // Units run one after another.
            continue;
        }
        let World { tenant, session, .. } = world(db).await;
        let event = keep(expired(session, 1));
        write!(db, tx => events::insert(tx, event)).unwrap();
        erase(db, session, 500).await;
        let found = keep(read!(db, tx => events::list_old(tx, &tenant.id, old(100, 501), None, 10)));
        assert_eq!(found.removable, [event.id.to_string()], "{name}");
        let held = format!("SELECT 1 FROM events WHERE id = '{}' FOR NO KEY UPDATE", event.id);
        let removed = backend
            .beside(&held, async {
                write!(db, tx => events::remove_old(tx, &found.removable, at(501)))
            })
            .await;
        assert_eq!(removed.unwrap(), 0, "{name}");
        let held = write!(db, tx => events::hold(tx, &event.id));
        assert!(held.unwrap(), "{name}");
        let removed = write!(db, tx => events::remove_old(tx, &found.removable, at(501)));
        assert_eq!(removed.unwrap(), 1, "{name}");
        let held = write!(db, tx => events::hold(tx, &event.id));
        assert!(!held.unwrap(), "{name}: it is gone");
    }
}

/// On PostgreSQL, a session may be erased while the sweep removes the deliveries of its events.
#[tokio::test]
async fn whoever_changes_several_events_locks_them_in_the_order_of_their_ids() {
    for backend in backends().await {
        let Backend { name, db, .. } = &backend;
        if *name == "sqlite" {
            // Units run one after another.
            continue;
        }
        let World { tenant, session, .. } = world(db).await;
        // The greater id comes first in the table.
        let greater = delivered(db, session, 2, DeliveryState::Delivered, 10).await;
        let lesser = delivered(db, session, 1, DeliveryState::Delivered, 10).await;
        assert!(lesser < greater, "{name}");
        backend.run("UPDATE events SET note = 'sealed'").await;
        let [first, second] =
            [&lesser, &greater].map(|event| format!("SELECT 1 FROM events WHERE id = '{event}' FOR NO KEY UPDATE"));
        let erased = backend.beside_both(&first, &second, async {
            write!(db, tx => events::erase_notes(tx, &session.session.id))
        });
        erased.await.unwrap();
        let removed = backend.beside_both(&first, &second, async {
            write!(db, tx => deliveries::remove_settled(tx, &tenant.id, at(100), 10))
        });
        assert_eq!(removed.await.unwrap(), 2, "{name}");
    }
}

#[tokio::test]
async fn links_and_cookies_leave_with_their_session_and_no_others() {
    for Backend { name, db, .. } in backends().await {
        let World { session, foreign, .. } = world(&db).await;
        for (number, session) in [(1, session), (2, session), (3, foreign)] {
            let link = keep(LinkRow {
                hash: vec![number; 32],
                session: session.session.id.clone(),
                created_at: at(0),
                expires_at: at(10),
                used_at: None,
                killed_at: None,
            });
            let cookie = keep(CookieRow {
                hash: vec![number; 32],
                session: session.session.id.clone(),
                attempt: AttemptNumber::FIRST,
                created_at: at(0),
                seen_at: at(0),
                ended_at: None,
            });
            let stored = write!(db, tx => async {
                links::insert(tx, link).await?;
                capture_cookies::insert(tx, cookie).await
            });
            stored.unwrap();
        }
        let removed = write!(db, tx => async {
            links::remove_all(tx, &session.session.id).await?;
            capture_cookies::remove_all(tx, &session.session.id).await
        });
        removed.unwrap();
        for (number, left) in [(1, false), (2, false), (3, true)] {
            let hash = keep(vec![number; 32]);
            assert_eq!(read!(db, tx => links::find(tx, hash)).is_some(), left, "{name}");
            assert_eq!(
                read!(db, tx => capture_cookies::find(tx, hash)).is_some(),
                left,
                "{name}"
            );
        }
    }
}

async fn check(db: &Db, from: &'static Head) -> Checked {
    read!(db, tx => audit_chain::check(tx, from, 100))
}

#[tokio::test]
async fn old_entries_of_the_audit_log_leave_from_its_beginning_and_the_rest_can_still_be_checked() {
    for backend in backends().await {
        let (name, db) = (backend.name, &backend.db);
        // The seventh is older than those around it: a clock had been set back.
        for when in [10, 20, 30, 40, 50, 60, 15, 80] {
            let entry = keep(Entry::new(at(when), Actor::System, AuditAction::SessionRead));
            write!(db, tx => audit::record(tx, entry)).unwrap();
        }
        assert_eq!(
            write!(db, tx => audit_chain::remove_before(tx, at(45), at(100), 10)).unwrap(),
            0,
            "{name}: not linked"
        );
        write!(db, tx => audit_chain::seal(tx, 100)).unwrap();
        let start = keep(Head::default());
        let whole = check(db, start).await;
        let Checked::Whole(end, 0) = &whole else {
            panic!("{name}: {whole:?}")
        };
        for removed in [3, 1, 0] {
            let swept = write!(db, tx => audit_chain::remove_before(tx, at(45), at(100), 3));
            assert_eq!(swept.unwrap(), removed, "{name}");
        }
        assert_eq!(backend.number("SELECT MIN(position) FROM audit").await, 5, "{name}");
        assert_eq!(read!(db, tx => audit_chain::find_start(tx)).position, 4, "{name}");
        assert_eq!(check(db, start).await, Checked::Whole(end.clone(), 0), "{name}");
        // A log cut off by hand is broken.
        backend.run("DELETE FROM audit WHERE position = 5").await;
        assert_eq!(check(db, start).await, Checked::Broken(5), "{name}");
    }
}

#[tokio::test]
async fn entries_of_a_clock_that_was_ahead_leave_with_those_around_them() {
    for backend in backends().await {
        let (name, db) = (backend.name, &backend.db);
        let add = async |times: &[i64]| {
            for when in times {
                let entry = keep(Entry::new(at(*when), Actor::System, AuditAction::SessionRead));
                write!(db, tx => audit::record(tx, entry)).unwrap();
            }
            write!(db, tx => audit_chain::seal(tx, 100)).unwrap();
        };
        let remove =
            async |before: i64| write!(db, tx => audit_chain::remove_before(tx, at(before), at(100), 3)).unwrap();
        // A batch may end between those of the future, which are more than one holds. The last old one is from a clock that had been set back.
        add(&[10, 9_000, 9_001, 9_002, 20, 9_003, 50, 30]).await;
        for removed in [3, 2, 0] {
            assert_eq!(remove(45).await, removed, "{name}");
        }
        assert_eq!(read!(db, tx => audit_chain::find_start(tx)).position, 5, "{name}");
        let whole = check(db, keep(Head::default())).await;
        assert!(matches!(whole, Checked::Whole(_, 0)), "{name}: {whole:?}");
        assert_eq!(remove(60).await, 3, "{name}");
        add(&[9_004, 9_005, 9_006, 9_007]).await;
        assert_eq!(remove(60).await, 0, "{name}: nothing says how old these are");
        add(&[55]).await;
        for removed in [3, 2, 0] {
            assert_eq!(remove(60).await, removed, "{name}");
        }
    }
}

const DAY: i64 = 86_400_000;

/// Writes and links an entry of each of these days, and a mark after each.
async fn marked(db: &Db, days: impl IntoIterator<Item = i64>) {
    for day in days {
        let entry = keep(Entry::new(at(day * DAY), Actor::System, AuditAction::SessionRead));
        write!(db, tx => async {
            audit::record(tx, entry).await?;
            audit_chain::seal(tx, 100).await?;
            audit_chain::mark(tx, at(day * DAY)).await?;
            // Once a day is enough.
            audit_chain::mark(tx, at(day * DAY + 1)).await
        })
        .unwrap();
    }
}

/// Planted faults that this test detects: an entry whose own time alone counts; marks that outlive their entries.
#[tokio::test]
async fn an_entry_whose_future_time_has_passed_leaves_by_the_marks_that_were_made_after_it() {
    for backend in backends().await {
        let (name, db) = (backend.name, &backend.db);
        let entry = keep(Entry::new(at(500 * DAY), Actor::System, AuditAction::SessionRead));
        write!(db, tx => audit::record(tx, entry)).unwrap();
        marked(db, 1..=7).await;
        assert_eq!(backend.number("SELECT COUNT(*) FROM audit_marks").await, 7, "{name}");
        let remove = async |before: i64| {
            let removed = write!(db, tx => audit_chain::remove_before(tx, at(before), at(1_000 * DAY), 100));
            removed.unwrap()
        };
        assert_eq!(remove(7 * DAY).await, 0, "{name}: one mark too few");
        assert_eq!(remove(7 * DAY + 1).await, 8, "{name}");
        assert_eq!(backend.number("SELECT COUNT(*) FROM audit_marks").await, 0, "{name}");
        marked(db, [8]).await;
        let whole = check(db, keep(Head::default())).await;
        assert!(matches!(whole, Checked::Whole(_, 0)), "{name}: {whole:?}");
    }
}

/// Planted fault that this test detects: the latest mark that is old enough counts, whatever the others say.
#[tokio::test]
async fn marks_of_a_clock_that_was_behind_remove_nothing_early() {
    for backend in backends().await {
        let (name, db) = (backend.name, &backend.db);
        marked(db, 900..=902).await;
        // A week and two days of a clock that was years behind, and the right one again.
        marked(db, 1..=9).await;
        marked(db, 912..=920).await;
        let remove = async |before: i64| {
            let removed = write!(db, tx => audit_chain::remove_before(tx, at(before), at(1_000 * DAY), 100));
            removed.unwrap()
        };
        assert_eq!(remove(800 * DAY).await, 0, "{name}");
        // All of them are old.
        assert_eq!(remove(950 * DAY).await, 21, "{name}");
    }
}

async fn enqueue(db: &Db, kind: JobKind, subject: &'static str, run_at: i64) {
    let job = NewJob {
        kind,
        subject,
        run_at: at(run_at),
        dedup_key: None,
    };
    write!(db, tx => jobs::enqueue(tx, job)).unwrap();
}

#[tokio::test]
async fn jobs_planned_and_held_by_a_clock_that_was_ahead_are_brought_back_and_no_others() {
    let due = |listed: &[jobs::JobState], subject: &str| -> Timestamp {
        listed.iter().find(|job| job.subject == subject).unwrap().run_at
    };
    for Backend { name, db, .. } in backends().await {
        enqueue(&db, JobKind::Decide, "far", 9_000).await;
        enqueue(&db, JobKind::Decide, "near", 200).await;
        enqueue(&db, JobKind::Erase, "erasure", 9_000).await;
        assert_eq!(
            write!(db, tx => jobs::bring_forward(tx, JobKind::Decide, at(200), at(100))).unwrap(),
            1,
            "{name}"
        );
        let listed = read!(db, tx => jobs::list(tx, None, 10));
        let dues = ["far", "near", "erasure"].map(|subject| due(&listed, subject));
        assert_eq!(dues, [at(100), at(200), at(9_000)], "{name}");
        let claim = async |now: i64, until: i64| {
            let claim = Claim {
                worker: "w",
                at: Moment::by_one_clock(at(now)),
                until: at(until),
                limit: 1,
            };
            write!(db, tx => jobs::claim(tx, &[JobKind::Decide], claim)).unwrap()
        };
        let held = keep(claim(100, 9_000).await.remove(0));
        claim(200, 215).await;
        assert_eq!(
            write!(db, tx => jobs::end_leases_after(tx, at(215))).unwrap(),
            1,
            "{name}"
        );
        let lost = write!(db, tx => jobs::finish(tx, held, at(201)));
        assert!(matches!(lost, Err(StoreError::LeaseLost)), "{name}");
        assert_eq!(claim(201, 216).await[0].subject, "far", "{name}");
    }
}

#[tokio::test]
async fn what_is_planned_for_as_long_as_a_tenant_wants_is_not_brought_forward_and_everything_else_is() {
    for Backend { name, db, .. } in backends().await {
        for &kind in JobKind::ALL {
            enqueue(&db, kind, kind.as_str(), 9_000).await;
        }
        for &kind in JobKind::ALL {
            let brought = write!(db, tx => jobs::bring_forward(tx, kind, at(200), at(100)));
            let is_deadline = matches!(kind, JobKind::Expire | JobKind::Erase);
            assert_eq!(brought.unwrap(), u64::from(!is_deadline), "{name}: {kind:?}");
        }
    }
}
