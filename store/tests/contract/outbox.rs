//! The sources of a webhook, found with one statement.

use crate::fixtures::{World, at, expired, keep, read, world, write};
use domain::{
    ids::{EventId, SecretId},
    tenant::TenantSettings,
};
use store::{
    session::sessions,
    settings::{
        tenants::{self, TenantRow},
        webhook_secrets,
    },
    webhook::{
        deliveries::{self, DeliveryState},
        events::{self, EventContent, EventRow},
        outbox::{self, PresentSession},
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
            deliveries::insert(tx, &tenant.id, &event.id, "verification.expired", at(7), at(8)).await?;
            webhook_secrets::insert(tx, &tenant.id, secrets[0], b"disabled", at(1)).await?;
            webhook_secrets::disable(tx, &tenant.id, secrets[0], at(2)).await?;
            webhook_secrets::insert(tx, &tenant.id, secrets[1], b"old", at(3)).await?;
            webhook_secrets::insert(tx, &tenant.id, secrets[2], b"new", at(4)).await?;
            webhook_secrets::insert(tx, &other.id, &SecretId::from_random([4; 16]), b"foreign", at(5)).await
        });
        stored.unwrap();
        let found = read!(db, tx => outbox::find(tx, &event.id)).unwrap();
        assert_eq!(
            (&found.tenant, found.state),
            (&tenant.id, Some(DeliveryState::Pending)),
            "{name}"
        );
        let sources = found.sources.unwrap();
        assert_eq!((&sources.event, sources.url.as_deref()), (event, Some(URL)), "{name}");
        let valid = read!(db, tx => webhook_secrets::list_valid(tx, &tenant.id));
        assert_eq!(sources.secrets, valid, "{name}");
        assert_eq!(sources.secrets[0].sealed.as_deref(), Some(b"new".as_slice()), "{name}");
        let present = PresentSession {
            data_key: session.data_key.clone(),
            metadata: session.metadata.clone(),
        };
        assert_eq!(sources.session, Some(present), "{name}");
    }
}

#[tokio::test]
async fn an_erased_session_adds_nothing() {
    for Backend { name, db, .. } in backends().await {
        let World { session, .. } = world(&db).await;
        let event = keep(expired(session, 1));
        let stored = write!(db, tx => async {
            events::insert(tx, event).await?;
            let mut erased = session.clone();
            erased.session.purged_at = Some(at(9));
            sessions::save(tx, &mut erased).await
        });
        stored.unwrap();
        let sources = read!(db, tx => outbox::find(tx, &event.id)).unwrap().sources.unwrap();
        assert_eq!(sources.session, None, "{name}");
        assert_eq!(&sources.event, event, "{name}");
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
            (found.state, sources.url, sources.session),
            (None, None, None),
            "{name}"
        );
        assert_eq!((sources.event, sources.secrets), (event.clone(), Vec::new()), "{name}");
        let unknown = keep(EventId::from_random([8; 16]));
        assert!(read!(db, tx => outbox::find(tx, unknown)).is_none(), "{name}");
    }
}
