//! Where the session layer stores its records: the service's table, by the hash of the cookie's value.

use async_trait::async_trait;
use domain::{ids::UserId, time::Timestamp};
use service::{
    Honnin,
    people::console_session::{self, BrowserSession, IDLE, key::USER},
};
use store::StoreError;
use time::OffsetDateTime;
use tower_sessions::{
    SessionStore,
    session::{Id, Record},
    session_store::{Error, Result},
};

/// The records of signed-in browsers.
#[derive(Clone, Debug)]
pub(super) struct Records(pub(super) Honnin);

fn backend(error: StoreError) -> Error {
    Error::Backend(error.to_string())
}

impl Records {
    /// The record to store. Its expiry uses the system's clock, not the layer's, so that there is a single clock.
    fn session(&self, record: &Record) -> Result<BrowserSession> {
        let user = record
            .data
            .get(USER)
            .and_then(|user| user.as_str())
            .and_then(UserId::parse);
        Ok(BrowserSession {
            cookie: record.id.to_string(),
            user,
            data: serde_json::to_string(&record.data).map_err(|error| Error::Encode(error.to_string()))?,
            expires_at: self.0.now().plus(IDLE),
        })
    }
}

#[async_trait]
impl SessionStore for Records {
    async fn create(&self, record: &mut Record) -> Result<()> {
        loop {
            match console_session::create(&self.0, self.session(record)?).await {
                Err(StoreError::Duplicate) => record.id = Id::default(),
                other => return other.map_err(backend),
            }
        }
    }

    async fn save(&self, record: &Record) -> Result<()> {
        console_session::save(&self.0, self.session(record)?)
            .await
            .map_err(backend)
    }

    async fn load(&self, id: &Id) -> Result<Option<Record>> {
        let found = console_session::load(&self.0, &id.to_string()).await.map_err(backend)?;
        let Some((data, ends)) = found else { return Ok(None) };
        Ok(Some(Record {
            id: *id,
            data: serde_json::from_str(&data).map_err(|error| Error::Decode(error.to_string()))?,
            expiry_date: date(ends),
        }))
    }

    async fn delete(&self, id: &Id) -> Result<()> {
        let deleted = console_session::delete(&self.0, &id.to_string()).await;
        deleted.map(drop).map_err(backend)
    }
}

fn date(at: Timestamp) -> OffsetDateTime {
    OffsetDateTime::from_unix_timestamp(at.as_seconds()).unwrap_or(OffsetDateTime::UNIX_EPOCH)
}
