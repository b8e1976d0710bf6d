//! Times that a wrong clock has set, and the newest time that a database knows.

use crate::{
    captures::capture,
    fixtures::{World, at, event, keep, read, session, world, write},
};
use domain::{
    event::{EventData, EventType},
    outcome::SessionRef,
    session::{AttemptNumber, FailureReason},
};
use store::{
    capture::captures::{self, CaptureRow, Slot},
    session::{
        links::{self, LinkRow},
        sessions::{self, SessionRow},
    },
    webhook::{
        deliveries,
        events::{self, EventRow},
        unsent,
    },
};
use testkit::databases::{Backend, backends};

fn failed(number: u8, session: &SessionRow) -> EventRow {
    let data = EventData::Failed {
        session: SessionRef {
            session_id: session.session.id.clone(),
            tenant_id: session.session.tenant.clone(),
        },
        reason: FailureReason::ConsentDeclined,
    };
    event(session, number, EventType::Failed, data)
}

#[tokio::test]
async fn unopened_links_and_the_event_of_a_failure_get_new_times_and_no_others() {
    for Backend { name, db, .. } in backends().await {
        let World { session, foreign, .. } = world(&db).await;
        let link = |number: u8, span: i64| LinkRow {
            hash: vec![number],
            session: session.session.id.clone(),
            created_at: at(1),
            expires_at: at(1 + span),
            used_at: None,
            killed_at: None,
        };
        let (open, long, used) = (keep(link(1, 10)), keep(link(2, 30)), keep(link(3, 10)));
        let (own, other) = (keep(failed(1, session)), keep(failed(2, foreign)));
        write!(db, tx => async {
            for link in [open, long, used] {
                links::insert(tx, link).await?;
            }
            links::use_once(tx, &used.hash, at(1)).await?;
            events::insert(tx, own).await?;
            events::insert(tx, other).await?;
            links::redate(tx, &session.session.id, at(50), at(70), &(at(5)..=at(9))).await?;
            events::redate_failure(tx, &session.session.id, AttemptNumber::FIRST, at(60), &(at(5)..=at(9))).await
        })
        .unwrap();
        let dates = async |row: &'static LinkRow| {
            let found = read!(db, tx => links::find(tx, &row.hash)).unwrap();
            (found.created_at, found.expires_at)
        };
        assert_eq!(dates(open).await, (at(50), at(60)), "{name}: its own span");
        assert_eq!(
            dates(long).await,
            (at(50), at(70)),
            "{name}: no longer than the session"
        );
        assert_eq!(dates(used).await, (at(1), at(11)), "{name}");
        for (event, expected) in [(own, at(60)), (other, at(2))] {
            let found = read!(db, tx => events::find(tx, &event.tenant, &event.id));
            assert_eq!(found.unwrap().created_at, expected, "{name}");
        }
    }
}

#[tokio::test]
async fn links_and_the_event_of_a_failure_that_are_of_a_right_time_keep_it() {
    for Backend { name, db, .. } in backends().await {
        let World { session, .. } = world(&db).await;
        let link = keep(LinkRow {
            hash: vec![1],
            session: session.session.id.clone(),
            created_at: at(2),
            expires_at: at(12),
            used_at: None,
            killed_at: None,
        });
        let event = keep(failed(2, session));
        for (right, (link_at, event_at)) in [(at(2)..=at(2), (at(2), at(2))), (at(3)..=at(9), (at(50), at(60)))] {
            let right = keep(right);
            write!(db, tx => async {
                if *right.start() == at(2) {
                    links::insert(tx, link).await?;
                    events::insert(tx, event).await?;
                }
                links::redate(tx, &session.session.id, at(50), at(70), right).await?;
                events::redate_failure(tx, &session.session.id, AttemptNumber::FIRST, at(60), right).await
            })
            .unwrap();
            let found = read!(db, tx => links::find(tx, &link.hash)).unwrap();
            assert_eq!(found.created_at, link_at, "{name}");
            let found = read!(db, tx => events::find(tx, &event.tenant, &event.id)).unwrap();
            assert_eq!(found.created_at, event_at, "{name}");
        }
    }
}

#[tokio::test]
async fn the_failure_of_the_last_attempt_gets_a_new_time_with_its_delivery_and_earlier_ones_keep_theirs() {
    for Backend { name, db, .. } in backends().await {
        let World { tenant, session, .. } = world(&db).await;
        // The clock was ahead when the second one happened, and behind when the last one did.
        let (right, ahead, behind) = (
            keep(failed(30, session)),
            keep(failed(90, session)),
            keep(failed(2, session)),
        );
        write!(db, tx => async {
            let mut row = session.clone();
            for (attempt, event) in [(1, right), (2, ahead), (3, behind)] {
                row.session.attempt = AttemptNumber::new(attempt);
                sessions::save(tx, &mut row).await?;
                events::insert(tx, event).await?;
                deliveries::insert(tx, event, event.created_at).await?;
                unsent::insert(tx, event).await?;
            }
            events::redate_failure(tx, &session.session.id, AttemptNumber::new(3), at(60), &(at(31)..=at(59))).await
        })
        .unwrap();
        for (event, expected) in [(right, at(30)), (ahead, at(60)), (behind, at(60))] {
            let found = read!(db, tx => events::find(tx, &event.tenant, &event.id)).unwrap();
            let delivery = read!(db, tx => deliveries::find(tx, &event.tenant, &event.id)).unwrap();
            assert_eq!(
                (found.created_at, delivery.created_at),
                (expected, expected),
                "{name}: {}",
                event.id
            );
        }
        let start = keep((at(31), right.id.clone()));
        let later = read!(db, tx => unsent::list(tx, &tenant.id, Some(start), 10));
        let mut later: Vec<_> = later.into_iter().map(|event| event.id).collect();
        later.sort();
        assert_eq!(
            later,
            [behind.id.clone(), ahead.id.clone()],
            "{name}: in the order of the events"
        );
    }
}

#[tokio::test]
async fn the_newest_time_is_that_of_the_newest_session_or_capture() {
    for Backend { name, db, .. } in backends().await {
        assert_eq!(read!(db, tx => sessions::find_newest_at(tx)), None, "{name}");
        let World { tenant, .. } = world(&db).await;
        let newest = keep(session(tenant, 77));
        write!(db, tx => sessions::insert(tx, newest)).unwrap();
        assert_eq!(
            read!(db, tx => sessions::find_newest_at(tx)),
            Some(newest.session.created_at),
            "{name}"
        );
        let later = keep(CaptureRow {
            created_at: at(90_000),
            ..capture(&newest.session.id, 1, Slot::Selfie, 1)
        });
        assert!(later.created_at > newest.session.created_at);
        write!(db, tx => captures::insert(tx, later)).unwrap();
        assert_eq!(
            read!(db, tx => sessions::find_newest_at(tx)),
            Some(later.created_at),
            "{name}"
        );
    }
}

/// On PostgreSQL, old deliveries may be removed while the failure of their session gets a new time: they are locked before their events in both
/// cases.
#[tokio::test]
async fn a_delivery_gets_its_new_time_before_its_event() {
    for backend in backends().await {
        let Backend { name, db, .. } = &backend;
        if *name == "sqlite" {
            // Units run one after another.
            continue;
        }
        let World { session, .. } = world(db).await;
        let event = keep(failed(1, session));
        let stored = write!(db, tx => async {
            events::insert(tx, event).await?;
            deliveries::insert(tx, event, event.created_at).await
        });
        stored.unwrap();
        let lock = format!("SELECT 1 FROM deliveries WHERE event_id = '{}' FOR UPDATE", event.id);
        let note = format!("UPDATE events SET removed_delivery = 'sent' WHERE id = '{}'", event.id);
        let none = keep(at(i64::MAX)..=at(i64::MAX));
        let redated = async {
            write!(db, tx => events::redate_failure(tx, &session.session.id, AttemptNumber::FIRST, at(60), none))
        };
        backend.beside_both(&lock, &note, redated).await.unwrap();
        let found = read!(db, tx => events::find(tx, &event.tenant, &event.id)).unwrap();
        let delivery = read!(db, tx => deliveries::find(tx, &event.tenant, &event.id)).unwrap();
        assert_eq!((found.created_at, delivery.created_at), (at(60), at(60)), "{name}");
    }
}

/// On PostgreSQL, an event that had no receiver may be sent at last while the failure of its session gets a new time: the event is locked before the note
/// that it was not sent in both cases.
#[tokio::test]
async fn an_unsent_event_gets_its_new_time_before_the_note_that_it_was_not_sent() {
    for backend in backends().await {
        let Backend { name, db, .. } = &backend;
        if *name == "sqlite" {
            // Units run one after another.
            continue;
        }
        let World { session, .. } = world(db).await;
        let event = keep(failed(1, session));
        let stored = write!(db, tx => async {
            events::insert(tx, event).await?;
            unsent::insert(tx, event).await
        });
        stored.unwrap();
        let hold = format!("SELECT 1 FROM events WHERE id = '{}' FOR NO KEY UPDATE", event.id);
        let forget = format!("DELETE FROM unsent_events WHERE event_id = '{}'", event.id);
        let none = keep(at(i64::MAX)..=at(i64::MAX));
        let redated = async {
            write!(db, tx => events::redate_failure(tx, &session.session.id, AttemptNumber::FIRST, at(60), none))
        };
        backend.beside_both(&hold, &forget, redated).await.unwrap();
        let found = read!(db, tx => events::find(tx, &event.tenant, &event.id)).unwrap();
        assert_eq!(found.created_at, at(60), "{name}");
        assert!(!read!(db, tx => unsent::is_noted(tx, &event.id)), "{name}");
    }
}
