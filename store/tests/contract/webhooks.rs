//! Events, their deliveries and attempts, and the signing secrets.

use crate::fixtures::{World, at, event, expired, keep, outcome, read, world, write};
use domain::{
    delivery::DeliveryFault,
    event::{EventData, EventKind, EventType},
    ids::{EventId, SecretId},
    named::Named,
    outcome::Verdict,
};
use store::{
    StoreError,
    session::sessions::SessionRow,
    settings::webhook_secrets,
    webhook::{
        deliveries::{self, AttemptRow, DeliveryFilter, DeliveryRow, DeliveryState},
        delivery_attempts::{self, ReceiverHealth},
        events::{self, EventContent, EventRow},
    },
};
use testkit::databases::{Backend, backends};

#[tokio::test]
async fn events_are_read_back_by_their_tenant_without_the_note_in_the_clear() {
    for Backend { name, db, .. } in backends().await {
        let World {
            tenant, other, session, ..
        } = world(&db).await;
        let decided = outcome(session, Verdict::Rejected, Some("a note with a name in it"));
        let decision = keep(event(
            session,
            2,
            EventType::Rejected,
            EventData::Decision(Box::new(decided.clone())),
        ));
        let first = keep(expired(session, 1));
        let test = keep(EventRow {
            id: EventId::from_random([3; 16]),
            content: EventContent::Test,
            ..first.clone()
        });
        for event in [decision, first, test] {
            write!(db, tx => events::insert(tx, event)).unwrap();
        }
        let mut bare = decided;
        bare.review.as_mut().unwrap().note = None;
        let stored = event(session, 2, EventType::Rejected, EventData::Decision(Box::new(bare)));
        assert_eq!(
            read!(db, tx => events::find(tx, &tenant.id, &decision.id)),
            Some(stored.clone()),
            "{name}"
        );
        assert_eq!(
            read!(db, tx => events::find(tx, &other.id, &decision.id)),
            None,
            "{name}"
        );
        assert_eq!(
            read!(db, tx => events::find(tx, &tenant.id, &test.id)).as_ref(),
            Some(test),
            "{name}"
        );
        assert_eq!(
            read!(db, tx => events::list_of_session(tx, &session.session.id)),
            [first.clone(), stored],
            "{name}"
        );
        assert!(
            matches!(write!(db, tx => events::insert(tx, first)), Err(StoreError::Duplicate)),
            "{name}"
        );

        write!(db, tx => events::erase_notes(tx, &session.session.id)).unwrap();
        for event in read!(db, tx => events::list_of_session(tx, &session.session.id)) {
            assert!(
                matches!(event.content, EventContent::Session { note: None, .. }),
                "{name}"
            );
        }
    }
}

async fn delivery(db: &store::Db, session: &'static SessionRow, number: u8) -> &'static EventRow {
    let event = keep(expired(session, number));
    let stored = write!(db, tx => async {
        events::insert(tx, event).await?;
        deliveries::insert(tx, event, at(100)).await
    });
    stored.unwrap();
    event
}

#[tokio::test]
async fn a_delivery_starts_pending_and_is_moved_by_one_hand_at_a_time() {
    for Backend { name, db, .. } in backends().await {
        let World {
            tenant, other, session, ..
        } = world(&db).await;
        let event = delivery(&db, session, 1).await;
        let before = keep(read!(db, tx => deliveries::find_any(tx, &event.id)).unwrap());
        let expected = DeliveryRow {
            event: event.id.clone(),
            tenant: tenant.id.clone(),
            kind: EventKind::Session(EventType::Expired).into(),
            created_at: event.created_at,
            state: DeliveryState::Pending,
            attempts: 0,
            started_at: at(100),
            step: 0,
            next_attempt_at: Some(at(100)),
            settled_at: None,
        };
        assert_eq!(before, &expected, "{name}");
        assert_eq!(
            read!(db, tx => deliveries::find(tx, &other.id, &event.id)),
            None,
            "{name}"
        );

        let after = keep(DeliveryRow {
            state: DeliveryState::Delivered,
            attempts: 1,
            step: 1,
            next_attempt_at: None,
            settled_at: Some(at(101)),
            ..before.clone()
        });
        write!(db, tx => deliveries::save(tx, before, after)).unwrap();
        assert_eq!(
            read!(db, tx => deliveries::find(tx, &tenant.id, &event.id)).as_ref(),
            Some(after),
            "{name}"
        );
        let late = write!(db, tx => deliveries::save(tx, before, after));
        assert!(matches!(late, Err(StoreError::Conflict)), "{name}");
        let twice = write!(db, tx => deliveries::insert(tx, event, at(200)));
        assert!(matches!(twice, Err(StoreError::Conflict)), "{name}");
    }
}

#[tokio::test]
async fn an_attempt_in_flight_does_not_undo_that_the_event_is_asked_for_again() {
    for Backend { name, db, .. } in backends().await {
        let World { tenant, session, .. } = world(&db).await;
        let event = delivery(&db, session, 1).await;
        let first = keep(read!(db, tx => deliveries::find_any(tx, &event.id)).unwrap());
        let before = keep(DeliveryRow {
            attempts: 9,
            step: 9,
            ..first.clone()
        });
        write!(db, tx => deliveries::save(tx, first, before)).unwrap();
        let anew = keep(DeliveryRow {
            started_at: at(500),
            step: 0,
            next_attempt_at: Some(at(500)),
            ..before.clone()
        });
        write!(db, tx => deliveries::save(tx, before, anew)).unwrap();
        let abandoned = keep(DeliveryRow {
            state: DeliveryState::Abandoned,
            attempts: 10,
            step: 10,
            next_attempt_at: None,
            settled_at: Some(at(501)),
            ..before.clone()
        });
        let stale = write!(db, tx => deliveries::save(tx, before, abandoned));
        assert!(matches!(stale, Err(StoreError::Conflict)), "{name}");
        assert_eq!(
            read!(db, tx => deliveries::find(tx, &tenant.id, &event.id)).as_ref(),
            Some(anew),
            "{name}"
        );
    }
}

#[tokio::test]
async fn deliveries_are_listed_newest_first_by_state_type_time_and_page() {
    for Backend { name, db, .. } in backends().await {
        let World {
            tenant,
            session,
            foreign,
            ..
        } = world(&db).await;
        let mut events = Vec::new();
        for number in 1..=4 {
            events.push(delivery(&db, session, number).await);
        }
        delivery(&db, foreign, 9).await;
        let before = keep(read!(db, tx => deliveries::find_any(tx, &EventId::from_random([2; 16]))).unwrap());
        let abandoned = keep(DeliveryRow {
            state: DeliveryState::Abandoned,
            next_attempt_at: None,
            settled_at: Some(at(7)),
            ..before.clone()
        });
        write!(db, tx => deliveries::save(tx, before, abandoned)).unwrap();
        let listed = |filter: DeliveryFilter, limit| {
            let (db, filter) = (db.clone(), keep(filter));
            async move {
                read!(db, tx => deliveries::list(tx, &tenant.id, filter, limit))
                    .into_iter()
                    .map(|row| row.created_at.as_millis())
                    .collect::<Vec<_>>()
            }
        };
        let all = DeliveryFilter::default();
        let oldest = |after, limit| {
            let (db, filter) = (
                db.clone(),
                keep(DeliveryFilter {
                    after,
                    until: Some(at(4)),
                    ..DeliveryFilter::default()
                }),
            );
            async move {
                read!(db, tx => deliveries::list_oldest(tx, &tenant.id, filter, limit))
                    .into_iter()
                    .map(|row| row.created_at.as_millis())
                    .collect::<Vec<_>>()
            }
        };
        assert_eq!(oldest(None, 2).await, [1, 2], "{name}");
        let after = Some((at(2), events[1].id.clone()));
        assert_eq!(oldest(after, 2).await, [3], "{name}: beyond it");
        assert_eq!(listed(all.clone(), 10).await, [4, 3, 2, 1], "{name}");
        assert_eq!(listed(all.clone(), 2).await, [4, 3], "{name}");
        let after = Some((at(3), events[2].id.clone()));
        assert_eq!(
            listed(DeliveryFilter { after, ..all.clone() }, 10).await,
            [2, 1],
            "{name}"
        );
        let state = Some(DeliveryState::Abandoned);
        assert_eq!(listed(DeliveryFilter { state, ..all.clone() }, 10).await, [2], "{name}");
        let kind = Some(EventKind::Session(EventType::Approved).into());
        assert_eq!(
            listed(DeliveryFilter { kind, ..all.clone() }, 10).await,
            Vec::<i64>::new(),
            "{name}"
        );
        let (since, until) = (Some(at(2)), Some(at(4)));
        assert_eq!(
            listed(DeliveryFilter { since, until, ..all }, 10).await,
            [3, 2],
            "{name}"
        );
    }
}

#[tokio::test]
async fn attempts_are_kept_in_order_and_tell_how_the_receiver_is() {
    for Backend { name, db, .. } in backends().await {
        let World {
            tenant, other, session, ..
        } = world(&db).await;
        let event = delivery(&db, session, 1).await;
        let attempt = |number: i64, status: Option<u16>, fault: Option<DeliveryFault>| {
            keep(AttemptRow {
                event: event.id.clone(),
                number,
                attempted_at: at(number * 10),
                duration_ms: 5,
                status,
                fault: fault.map(Named::Known),
            })
        };
        let rows = [
            attempt(1, Some(200), None),
            attempt(2, Some(503), Some(DeliveryFault::Status)),
            attempt(3, None, Some(DeliveryFault::TimedOut)),
        ];
        let health = || async { read!(db, tx => delivery_attempts::find_health(tx, &tenant.id, None)) };
        assert_eq!(health().await, ReceiverHealth::default(), "{name}");
        for row in rows {
            write!(db, tx => delivery_attempts::insert(tx, &tenant.id, row)).unwrap();
        }
        assert_eq!(
            read!(db, tx => delivery_attempts::list(tx, &event.id)),
            rows.map(Clone::clone),
            "{name}"
        );
        let elsewhere = keep(AttemptRow {
            event: delivery(&db, session, 2).await.id.clone(),
            ..rows[0].clone()
        });
        write!(db, tx => delivery_attempts::insert(tx, &tenant.id, elsewhere)).unwrap();
        let untried = delivery(&db, session, 3).await.id.clone();
        let asked = keep([event.id.clone(), untried, elsewhere.event.clone()]);
        let mut last = read!(db, tx => delivery_attempts::list_last(tx, asked));
        last.sort_by_key(|attempt| attempt.number);
        assert_eq!(last, [elsewhere.clone(), rows[2].clone()], "{name}");
        assert_eq!(read!(db, tx => delivery_attempts::list_last(tx, &[])), [], "{name}");
        let failing = ReceiverHealth {
            last_success_at: Some(at(10)),
            failing_since: Some(at(20)),
            last_fault: Some(DeliveryFault::TimedOut.into()),
        };
        assert_eq!(health().await, failing, "{name}");
        let since = async |set_at| read!(db, tx => delivery_attempts::find_health(tx, &tenant.id, Some(at(set_at))));
        assert_eq!(
            since(20).await.failing_since,
            Some(at(30)),
            "{name}: only since it was set"
        );
        assert_eq!(since(9).await, failing, "{name}");
        assert_eq!(
            since(10).await.last_success_at,
            None,
            "{name}: an attempt of that moment may have gone to the old URL"
        );
        assert_eq!(
            since(30).await,
            ReceiverHealth::default(),
            "{name}: what was sent before went to another receiver"
        );
        let twice = write!(db, tx => delivery_attempts::insert(tx, &tenant.id, rows[0]));
        assert!(matches!(twice, Err(StoreError::Duplicate)), "{name}");
        let healed = attempt(4, Some(204), None);
        write!(db, tx => delivery_attempts::insert(tx, &tenant.id, healed)).unwrap();
        assert_eq!(
            health().await,
            ReceiverHealth {
                last_success_at: Some(at(40)),
                ..ReceiverHealth::default()
            },
            "{name}"
        );
        let theirs = read!(db, tx => delivery_attempts::find_health(tx, &other.id, None));
        assert_eq!(theirs, ReceiverHealth::default(), "{name}");
    }
}

#[tokio::test]
async fn two_secrets_are_valid_at_most_and_a_disabled_one_is_wiped() {
    for Backend { name, db, .. } in backends().await {
        let World { tenant, other, .. } = world(&db).await;
        let ids = [1, 2, 3].map(|number| keep(SecretId::from_random([number; 16])));
        let insert = |id: &'static SecretId, now| {
            let db = db.clone();
            async move { write!(db, tx => webhook_secrets::insert(tx, &tenant.id, id, b"sealed", at(now))) }
        };
        insert(ids[0], 1).await.unwrap();
        insert(ids[1], 2).await.unwrap();
        assert!(matches!(insert(ids[2], 3).await, Err(StoreError::Duplicate)), "{name}");
        let disable = |tenant, now| {
            let db = db.clone();
            async move { write!(db, tx => webhook_secrets::disable(tx, tenant, ids[0], at(now))).unwrap() }
        };
        assert!(!disable(&other.id, 4).await, "{name}: foreign");
        assert!(disable(&tenant.id, 5).await, "{name}");
        assert!(!disable(&tenant.id, 6).await, "{name}: twice");
        insert(ids[2], 7).await.unwrap();

        let valid: Vec<_> = read!(db, tx => webhook_secrets::list_valid(tx, &tenant.id));
        assert_eq!(
            valid.iter().map(|row| &row.id).collect::<Vec<_>>(),
            [ids[2], ids[1]],
            "{name}"
        );
        assert!(
            valid
                .iter()
                .all(|row| row.sealed.as_deref() == Some(b"sealed".as_slice())),
            "{name}"
        );
        let all = read!(db, tx => webhook_secrets::list(tx, &tenant.id));
        assert_eq!(all.len(), 3, "{name}");
        assert_eq!((&all[2].sealed, all[2].disabled_at), (&None, Some(at(5))), "{name}");
    }
}
