//! Loads everything that an event's webhook is rendered from with one statement. It is needed at every attempt, and one
//! statement takes one round trip to the database, whereas loading the parts one by one in a transaction takes seven.

use crate::{
    StoreError,
    db::{Tx, on, row},
    ids,
    settings::{
        tenants,
        webhook_secrets::{self, SecretRow},
    },
    vault::DataKeyId,
    webhook::{
        deliveries::DeliveryState,
        events::{self, EventRow, Page},
        sent::{may_have_sent, sent_nothing},
    },
};
use domain::{
    cursor::After,
    event::EventKind,
    ids::{EventId, TenantId},
    named::Named,
    secret::Unlogged,
    time::Timestamp,
};

/// An event that is to be sent, or could be.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// Its tenant.
    pub tenant: TenantId,
    /// Its type; other versions may know others.
    pub kind: Named<EventKind>,
    /// How far its delivery has come; `None` if it was not to be sent.
    pub delivery: Option<DeliveryProgress>,
    /// The sources of its webhook, unless part of them does not parse.
    pub sources: Result<Sources, StoreError>,
}

/// How far the delivery of an event has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeliveryProgress {
    /// Its state.
    pub state: DeliveryState,
    /// When its schedule started.
    pub started_at: Timestamp,
    /// Attempts made in total.
    pub attempts: i64,
}

/// The sources of a webhook.
#[derive(Clone, Debug, PartialEq)]
pub struct Sources {
    /// The event as it was recorded.
    pub event: EventRow,
    /// The key of its session's personal data: `None` for a test event, once the session is erased, and if a copy was put back and something was sent
    /// before its erasure, which is repeated.
    pub data_key: Option<DataKeyId>,
    /// The metadata that its webhook carries, as written by the tenant: after an erasure, it is sent only if nothing was sent before it.
    pub metadata: Option<Unlogged>,
    /// The receiver URL as set by the admin.
    pub url: Option<String>,
    /// Whether a reviewer's note in the event must not be sent to `url` ([`domain::tenant::TenantSettings::withholds_note`]).
    pub withholds_note: bool,
    /// The tenant's active secrets, newest first.
    pub secrets: Vec<SecretRow>,
}

impl Sources {
    /// Leaves out the metadata of an erased session, even if nothing that was sent before the erasure is noted.
    pub fn forget_erased(&mut self) {
        if self.data_key.is_none() {
            self.metadata = None;
        }
    }
}

row! {
    /// One row for each active secret, or one without.
    struct Raw {
        ..event: events::Raw;
        state: Option<String>,
        started_at: Option<i64>,
        attempts: Option<i64>,
        settings: Option<String>,
        data_key: Option<String>,
        metadata: Option<String>,
        secret_id: Option<String>,
        secret_sealed: Option<Vec<u8>>,
        secret_created_at: Option<i64>,
    }
}

impl Raw {
    fn secret(&mut self) -> Option<Result<SecretRow, StoreError>> {
        let raw = webhook_secrets::Raw {
            id: self.secret_id.take()?,
            tenant_id: self.event.tenant_id.clone(),
            sealed: self.secret_sealed.take(),
            created_at: self.secret_created_at?,
            disabled_at: None,
        };
        Some(SecretRow::try_from(raw))
    }

    fn delivery(&self) -> Result<Option<DeliveryProgress>, StoreError> {
        let (Some(state), Some(started_at), Some(attempts)) = (&self.state, self.started_at, self.attempts) else {
            return Ok(None);
        };
        Ok(Some(DeliveryProgress {
            state: DeliveryState::parse(state).ok_or(StoreError::Corrupt("an unknown state of a delivery"))?,
            started_at: Timestamp::from_millis(started_at),
            attempts,
        }))
    }

    fn into_sources(mut self, secrets: Result<Vec<SecretRow>, StoreError>) -> Result<Sources, StoreError> {
        let settings = tenants::parse_settings(self.settings.as_deref())?;
        // A delivery resent by an admin is newer than the URL that the admin saw.
        let since = Timestamp::from_millis(self.started_at.unwrap_or(self.event.created_at));
        Ok(Sources {
            data_key: self.data_key.take().as_deref().map(DataKeyId::stored).transpose()?,
            metadata: self.metadata.take().map(Unlogged::from),
            withholds_note: settings.as_ref().is_some_and(|settings| settings.withholds_note(since)),
            url: settings.and_then(|settings| settings.webhook_url),
            secrets: secrets?,
            event: EventRow::try_from(self.event)?,
        })
    }
}

/// An event with the metadata of its session, if that is not erased.
pub type ListedEvent = (EventRow, Option<Unlogged>);

row! {
    struct RawListed {
        ..event: events::Raw;
        metadata: Option<String>,
    }
}

/// A tenant's events that this version can read, sent or not, newest first; after the event with this time and id if there is one.
///
/// # Errors
/// If the database does not respond.
pub async fn list(
    tx: &mut Tx,
    tenant: &TenantId,
    after: Option<&After<EventId>>,
    limit: u32,
) -> Result<Vec<ListedEvent>, StoreError> {
    // No event happens at the end of time.
    let mut page = Page::new(after, i64::MAX, limit);
    loop {
        let rows: Vec<RawListed> = on!(tx, conn => sqlx::query_as(
            "SELECT event.id, event.tenant_id, event.session_id, event.kind, event.created_at, event.data, event.note,
                    session.metadata
             FROM events AS event
             LEFT JOIN sessions AS session ON session.id = event.session_id AND session.purged_at IS NULL
             WHERE event.tenant_id = $1 AND (event.created_at, event.id) < ($2, $3)
             ORDER BY event.created_at DESC, event.id DESC LIMIT $4")
            .bind(tenant.as_str()).bind(page.after.0).bind(&page.after.1).bind(page.batch)
            .fetch_all(conn).await)?;
        if let Some(listed) = page.add(rows.into_iter().map(RawListed::read)) {
            return Ok(listed);
        }
    }
}

impl RawListed {
    /// The time and id of an event, and what was read.
    fn read(self) -> ((i64, String), Result<ListedEvent, StoreError>) {
        let key = self.event.key();
        let metadata = self.metadata.map(Unlogged::from);
        let event = EventRow::try_from(self.event);
        (key, event.map(|event| (event, metadata)))
    }
}

/// Whether the personal data of an event's session is there and may be sent. What was sent before a copy was put back is not sent with it even before
/// its erasure is repeated.
macro_rules! may_be_told {
    () => {
        "session.purged_at IS NULL
                    AND (session.erasure_requested_at IS NULL OR COALESCE(event.removed_delivery, '') <> 'sent')"
    };
}

/// Any tenant's event with the sources of its webhook.
///
/// # Errors
/// If the database does not respond.
pub async fn find(tx: &mut Tx, event: &EventId) -> Result<Option<Outgoing>, StoreError> {
    // What was never noted and has no delivery may have been sent by one that is gone.
    let mut rows: Vec<Raw> = on!(tx, conn => sqlx::query_as(concat!(
        "SELECT event.id, event.tenant_id, event.session_id, event.kind, event.created_at, event.data, event.note,
                delivery.state, delivery.started_at, delivery.attempts, tenant.settings,
                CASE WHEN ", may_be_told!(), " THEN session.data_key END AS data_key,
                CASE WHEN (", may_be_told!(), ") OR NOT (
                    COALESCE(event.removed_delivery = 'sent', delivery.event_id IS NULL AND NOT EXISTS (
                        SELECT 1 FROM unsent_events AS unsent WHERE unsent.event_id = event.id
                    ))
                    OR ", may_have_sent!("event.id", "$2"), "
                ) THEN session.metadata END AS metadata,
                secret.id AS secret_id, secret.sealed AS secret_sealed, secret.created_at AS secret_created_at
         FROM events AS event
         JOIN tenants AS tenant ON tenant.id = event.tenant_id
         LEFT JOIN deliveries AS delivery ON delivery.event_id = event.id
         LEFT JOIN sessions AS session ON session.id = event.session_id
         LEFT JOIN webhook_secrets AS secret ON secret.tenant_id = event.tenant_id AND secret.disabled_at IS NULL
         WHERE event.id = $1 ORDER BY secret.created_at DESC, secret.id DESC"))
        .bind(event.as_str()).bind(sent_nothing()).fetch_all(conn).await)?;
    let secrets = rows.iter_mut().filter_map(Raw::secret).collect();
    let Some(first) = rows.into_iter().next() else {
        return Ok(None);
    };
    Ok(Some(Outgoing {
        tenant: ids::tenant_id(&first.event.tenant_id)?,
        kind: Named::parse(&first.event.kind),
        delivery: first.delivery()?,
        sources: first.into_sources(secrets),
    }))
}
