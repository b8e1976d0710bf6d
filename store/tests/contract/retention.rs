//! What is removed because of its age, in bounded batches, and what stays.

use crate::fixtures::{World, at, expired, keep, read, world, write};
use domain::{
    audit::{Actor, AuditAction},
    ids::EventId,
    time::Timestamp,
};
use store::{
    Db, StoreError,
    audit::{self, Entry},
    audit_chain::{self, Checked, Head},
    capture::capture_cookies::{self, CookieRow},
    jobs::{self, Claim, JobKind, NewJob},
    session::{
        links::{self, LinkRow},
        sessions::{self, SessionRow},
    },
    webhook::{
        deliveries::{self, AttemptRow, DeliveryRow, DeliveryState},
        delivery_attempts,
        events::{self, EventContent, EventRow},
    },
};
use testkit::databases::{Backend, backends};

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

async fn erase(db: &Db, session: &'static SessionRow, when: i64) {
    let erased = write!(db, tx => async {
        let mut row = sessions::find_any(tx, &session.session.id).await?.unwrap();
        row.session.purged_at = Some(at(when));
        sessions::save(tx, &mut row).await
    });
    erased.unwrap();
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
            write!(db, tx => events::remove_old(tx, &tenant.id, at(before), at(erased), 2)).unwrap()
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
                attempt: 1,
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
            write!(db, tx => audit_chain::remove_before(tx, at(45), 10)).unwrap(),
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
            let swept = write!(db, tx => audit_chain::remove_before(tx, at(45), 3));
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
                now: at(now),
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
