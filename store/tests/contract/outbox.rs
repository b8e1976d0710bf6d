//! The sources of a webhook, found with one statement.

use crate::fixtures::{World, at, expired, keep, read, world, write};
use domain::{
    delivery::DeliveryFault,
    ids::{EventId, SecretId},
    named::Named,
    tenant::TenantSettings,
    time::Timestamp,
};
use store::{
    Db,
    session::sessions::{self, SessionRow},
    settings::{
        tenants::{self, TenantRow},
        webhook_secrets,
    },
    webhook::{
        deliveries::{self, AttemptRow, DeliveryState},
        delivery_attempts,
        events::{self, EventContent, EventRow},
        outbox, unsent,
    },
};
use testkit::databases::{Backend, backends};

const URL: &str = "https://hooks.example/honnin";

fn with_url(tenant: &TenantRow) -> TenantRow {
    TenantRow {
        settings: Some(TenantSettings {
            webhook_url: Some(URL.to_owned()),
            ..tenant.settings.clone().unwrap()
        }),
        ..tenant.clone()
    }
}

#[tokio::test]
async fn an_event_comes_with_its_session_the_receiver_and_the_valid_secrets_newest_first() {
    for Backend { name, db, .. } in backends().await {
        let World {
            tenant, other, session, ..
        } = world(&db).await;
        let event = keep(expired(session, 1));
        let tenant_with_url = keep(with_url(tenant));
        let secrets = [1, 2, 3].map(|number| keep(SecretId::from_random([number; 16])));
        let stored = write!(db, tx => async {
            tenants::save(tx, tenant_with_url).await?;
            events::insert(tx, event).await?;
            deliveries::insert(tx, event, at(8)).await?;
            webhook_secrets::insert(tx, &tenant.id, secrets[0], b"disabled", at(1)).await?;
            webhook_secrets::disable(tx, &tenant.id, secrets[0], at(2)).await?;
            webhook_secrets::insert(tx, &tenant.id, secrets[1], b"old", at(3)).await?;
            webhook_secrets::insert(tx, &tenant.id, secrets[2], b"new", at(4)).await?;
            webhook_secrets::insert(tx, &other.id, &SecretId::from_random([4; 16]), b"foreign", at(5)).await
        });
        stored.unwrap();
        let found = read!(db, tx => outbox::find(tx, &event.id)).unwrap();
        let delivery = found.delivery.map(|delivery| (delivery.state, delivery.attempts));
        assert_eq!(
            (&found.tenant, delivery),
            (&tenant.id, Some((DeliveryState::Pending, 0))),
            "{name}"
        );
        let sources = found.sources.unwrap();
        assert_eq!((&sources.event, sources.url.as_deref()), (event, Some(URL)), "{name}");
        let valid = read!(db, tx => webhook_secrets::list_valid(tx, &tenant.id));
        assert_eq!(sources.secrets, valid, "{name}");
        assert_eq!(sources.secrets[0].sealed.as_deref(), Some(b"new".as_slice()), "{name}");
        assert_eq!(
            (sources.data_key.as_ref(), &sources.metadata),
            (Some(&session.data_key), &session.metadata),
            "{name}"
        );
    }
}

#[tokio::test]
async fn an_erased_session_adds_only_its_metadata_and_only_to_what_was_never_sent() {
    for Backend { name, db, .. } in backends().await {
        let World { tenant, session, .. } = world(&db).await;
        let event = keep(expired(session, 1));
        let stored = write!(db, tx => async {
            events::insert(tx, event).await?;
            deliveries::insert(tx, event, at(8)).await?;
            let mut erased = session.clone();
            erased.session.purged_at = Some(at(9));
            sessions::save(tx, &mut erased).await
        });
        stored.unwrap();
        let faults = [DeliveryFault::ConnectFailed, DeliveryFault::Status];
        for (number, metadata) in [&session.metadata, &session.metadata, &None].into_iter().enumerate() {
            let sources = read!(db, tx => outbox::find(tx, &event.id)).unwrap().sources.unwrap();
            assert_eq!((&sources.event, sources.data_key), (event, None), "{name}");
            assert_eq!(&sources.metadata, metadata, "{name}, after {number} attempts");
            let Some(fault) = faults.get(number) else { continue };
            let made = keep(AttemptRow {
                event: event.id.clone(),
                number: number as i64 + 1,
                attempted_at: at(10),
                duration_ms: 5,
                status: None,
                fault: Some(Named::Known(*fault)),
            });
            write!(db, tx => delivery_attempts::insert(tx, &tenant.id, made)).unwrap();
        }
    }
}

#[tokio::test]
async fn an_event_without_a_delivery_that_is_from_before_removals_were_noted_counts_as_sent() {
    for backend in backends().await {
        let (name, db) = (backend.name, &backend.db);
        let World { session, .. } = world(db).await;
        let [gone, pending, noted] = [1, 2, 3].map(|number| keep(expired(session, number)));
        let stored = write!(db, tx => async {
            for event in [gone, pending, noted] {
                events::insert(tx, event).await?;
            }
            deliveries::insert(tx, pending, at(8)).await?;
            unsent::insert(tx, noted).await?;
            let mut erased = session.clone();
            erased.session.purged_at = Some(at(9));
            sessions::save(tx, &mut erased).await
        });
        stored.unwrap();
        backend.run("UPDATE events SET removed_delivery = NULL").await;
        let assert_metadata = async |when: &str| {
            for (event, metadata) in [(gone, &None), (pending, &session.metadata), (noted, &session.metadata)] {
                let sources = read!(db, tx => outbox::find(tx, &event.id)).unwrap().sources.unwrap();
                assert_eq!(&sources.metadata, metadata, "{name}, {when}: {}", event.id);
            }
        };
        assert_metadata("before they are sent by hand").await;
        for event in [gone, noted] {
            assert_eq!(read!(db, tx => deliveries::was_removed(tx, &event.id)), None, "{name}");
            let enqueued = write!(db, tx => async {
                deliveries::note_removed(tx, &event.id).await?;
                deliveries::insert(tx, event, at(10)).await?;
                unsent::remove(tx, &event.id).await
            });
            enqueued.unwrap();
        }
        assert_metadata("once they have a delivery").await;
    }
}

#[tokio::test]
async fn an_event_of_a_copy_that_may_have_been_sent_has_neither_metadata_nor_a_note_once_an_erasure_is_requested() {
    for Backend { name, db, .. } in backends().await {
        let World { session, foreign, .. } = world(&db).await;
        let [pending, noted, recorded] = [1, 2, 3].map(|number| keep(expired(session, number)));
        let theirs = keep(expired(foreign, 4));
        let stored = write!(db, tx => async {
            for event in [pending, noted, recorded, theirs] {
                events::insert(tx, event).await?;
            }
            deliveries::insert(tx, pending, at(8)).await?;
            deliveries::insert(tx, theirs, at(8)).await?;
            unsent::insert(tx, noted).await?;
            deliveries::note_sent_of_session(tx, &session.session.id).await
        });
        stored.unwrap();
        for is_requested in [false, true] {
            if is_requested {
                request_erasures(&db, [session, foreign]).await;
            }
            for (event, may_be_sent) in [(pending, true), (noted, true), (recorded, true), (theirs, false)] {
                let sources = read!(db, tx => outbox::find(tx, &event.id)).unwrap().sources.unwrap();
                let withheld = is_requested && may_be_sent;
                assert_eq!(sources.metadata.is_none(), withheld, "{name}: {}", event.id);
                assert_eq!(sources.data_key.is_none(), withheld, "{name}: the note of {}", event.id);
            }
        }
    }
}

/// Requests the erasure of these sessions, which withholds the metadata of what may have been sent.
async fn request_erasures(db: &Db, rows: [&'static SessionRow; 2]) {
    let requested = write!(db, tx => async {
        for row in rows {
            let mut requested = row.clone();
            requested.session.erasure_requested_at = Some(at(9));
            sessions::save(tx, &mut requested).await?;
        }
        Ok::<_, store::StoreError>(())
    });
    requested.unwrap();
}

#[tokio::test]
async fn an_event_noted_as_sent_alone_or_with_all_undelivered_ones_loses_its_metadata_to_an_erasure_request() {
    for Backend { name, db, .. } in backends().await {
        let World {
            tenant,
            session,
            foreign,
            ..
        } = world(&db).await;
        let [single, pending, kept] = [1, 2, 3].map(|number| keep(expired(session, number)));
        let theirs = keep(expired(foreign, 4));
        let without_receiver = keep(expired(session, 5));
        let stored = write!(db, tx => async {
            for event in [single, pending, kept, theirs, without_receiver] {
                events::insert(tx, event).await?;
            }
            for event in [pending, theirs] {
                deliveries::insert(tx, event, at(8)).await?;
            }
            unsent::insert(tx, without_receiver).await?;
            deliveries::note_sent(tx, &single.id).await?;
            deliveries::note_sent_of_undelivered(tx, &tenant.id).await
        });
        stored.unwrap();
        request_erasures(&db, [session, foreign]).await;
        for (event, may_be_sent) in [
            (single, true),
            (pending, true),
            (without_receiver, true),
            (kept, false),
            (theirs, false),
        ] {
            let sources = read!(db, tx => outbox::find(tx, &event.id)).unwrap().sources.unwrap();
            assert_eq!(sources.metadata.is_none(), may_be_sent, "{name}: {}", event.id);
        }
    }
}

#[tokio::test]
async fn an_event_that_is_not_sent_is_found_without_a_delivery_a_receiver_and_a_secret() {
    for Backend { name, db, .. } in backends().await {
        let World { session, .. } = world(&db).await;
        let event = keep(EventRow {
            content: EventContent::Test,
            ..expired(session, 1)
        });
        write!(db, tx => events::insert(tx, event)).unwrap();
        let found = read!(db, tx => outbox::find(tx, &event.id)).unwrap();
        let sources = found.sources.unwrap();
        assert_eq!(
            (found.delivery, sources.url, sources.data_key),
            (None, None, None),
            "{name}"
        );
        assert_eq!((sources.event, sources.secrets), (event.clone(), Vec::new()), "{name}");
        let unknown = keep(EventId::from_random([8; 16]));
        assert!(read!(db, tx => outbox::find(tx, unknown)).is_none(), "{name}");
    }
}

#[tokio::test]
async fn a_tenants_events_are_listed_newest_first_and_page_by_page_also_those_that_were_not_sent() {
    for Backend { name, db, .. } in backends().await {
        let World {
            tenant,
            other,
            session,
            foreign,
            ..
        } = world(&db).await;
        // Two of the same millisecond, which their ids order.
        let event = |number: u8, millis: i64| {
            keep(EventRow {
                created_at: at(millis),
                ..expired(session, number)
            })
        };
        let (first, second, third) = (event(1, 5), event(2, 7), event(3, 7));
        let theirs = keep(expired(foreign, 4));
        let test = keep(EventRow {
            id: EventId::from_random([5; 16]),
            tenant: tenant.id.clone(),
            created_at: at(9),
            content: EventContent::Test,
        });
        let stored = write!(db, tx => async {
            for event in [second, first, third, theirs, test] {
                events::insert(tx, event).await?;
            }
            Ok::<_, store::StoreError>(())
        });
        stored.unwrap();
        let listed = read!(db, tx => outbox::list(tx, &tenant.id, None, 10));
        let ids: Vec<_> = listed.iter().map(|(event, _)| event).collect();
        assert_eq!(ids, [test, third, second, first], "{name}");
        let metadata: Vec<_> = listed.iter().map(|(_, metadata)| metadata).collect();
        assert_eq!(
            metadata,
            [&None, &session.metadata, &session.metadata, &session.metadata],
            "{name}"
        );
        let after = keep((third.created_at, third.id.clone()));
        let next = read!(db, tx => outbox::list(tx, &tenant.id, Some(after), 1));
        assert_eq!(
            next.iter().map(|(event, _)| event).collect::<Vec<_>>(),
            [second],
            "{name}"
        );
        let foreign = read!(db, tx => outbox::list(tx, &other.id, None, 10));
        assert_eq!(
            foreign.iter().map(|(event, _)| event).collect::<Vec<_>>(),
            [theirs],
            "{name}"
        );
    }
}

#[tokio::test]
async fn events_of_a_type_that_only_a_newer_version_knows_hide_no_others() {
    for backend in backends().await {
        let (name, db) = (backend.name, backend.db.clone());
        let World { tenant, session, .. } = world(&db).await;
        let all = keep([1, 2, 3, 4, 5].map(|number| EventRow {
            created_at: at(i64::from(number)),
            ..expired(session, number)
        }));
        let stored = write!(db, tx => async {
            for event in all {
                events::insert(tx, event).await?;
                deliveries::insert(tx, event, at(8)).await?;
                unsent::insert(tx, event).await?;
            }
            Ok::<_, store::StoreError>(())
        });
        stored.unwrap();
        backend
            .run("UPDATE events SET kind = 'verification.future' WHERE created_at IN (1, 3, 4)")
            .await;
        let (second, fifth) = (&all[1], &all[4]);
        assert_eq!(
            read!(db, tx => events::list_of_session(tx, &session.session.id)),
            [second.clone(), fifth.clone()],
            "{name}"
        );
        let newest_first = async |after: Option<&'static (Timestamp, EventId)>| -> Vec<EventRow> {
            let listed = read!(db, tx => outbox::list(tx, &tenant.id, after, 1));
            listed.into_iter().map(|(event, _)| event).collect()
        };
        let beyond = |event: &EventRow| Some(keep((event.created_at, event.id.clone())));
        assert_eq!(newest_first(None).await, std::slice::from_ref(fifth), "{name}");
        assert_eq!(
            newest_first(beyond(fifth)).await,
            std::slice::from_ref(second),
            "{name}"
        );
        assert_eq!(newest_first(beyond(second)).await, [], "{name}");
        let oldest_first = async |after: Option<&'static (Timestamp, EventId)>| read!(db, tx => unsent::list(tx, &tenant.id, after, 1));
        assert_eq!(oldest_first(None).await, std::slice::from_ref(second), "{name}");
        assert_eq!(
            oldest_first(beyond(second)).await,
            std::slice::from_ref(fifth),
            "{name}"
        );
        assert_eq!(oldest_first(beyond(fifth)).await, [], "{name}");
    }
}
