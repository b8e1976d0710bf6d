//! Where the session layer stores its records: the service's table, by the hash of the cookie's value. For a record that was loaded, only what
//! the request has changed is saved.

use async_trait::async_trait;
use domain::{ids::UserId, time::Timestamp};
use serde_json::Value;
use service::{
    Honnin,
    people::console_session::{self, BrowserSession, Changes, IDLE, key::USER},
};
use std::collections::HashMap;
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

/// Key of what was loaded, as JSON, in a record. It is not stored.
const LOADED: &str = "loaded";

/// The content of a record, without [`LOADED`].
fn content(record: &Record) -> HashMap<&str, &Value> {
    let all = record.data.iter().filter(|(key, _)| *key != LOADED);
    all.map(|(key, value)| (key.as_str(), value)).collect()
}

/// What has changed about a record since it was loaded.
fn changes(record: &Record) -> Result<Changes> {
    let loaded = record.data.get(LOADED).and_then(Value::as_str).unwrap_or("{}");
    let before: HashMap<String, Value> = decoded(loaded)?;
    let now = content(record);
    let gone = before.keys().filter(|key| !now.contains_key(key.as_str()));
    let set = now.iter().filter(|(key, value)| before.get(**key) != Some(**value));
    let set = set.map(|(key, value)| ((*key).to_owned(), Some((*value).clone())));
    Ok(set.chain(gone.map(|key| (key.clone(), None))).collect())
}

fn decoded(json: &str) -> Result<HashMap<String, Value>> {
    serde_json::from_str(json).map_err(|error| Error::Decode(error.to_string()))
}

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
            data: serde_json::to_string(&content(record)).map_err(|error| Error::Encode(error.to_string()))?,
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
        console_session::save(&self.0, self.session(record)?, changes(record)?)
            .await
            .map_err(backend)
    }

    async fn load(&self, id: &Id) -> Result<Option<Record>> {
        let found = console_session::load(&self.0, &id.to_string()).await.map_err(backend)?;
        let Some((json, ends)) = found else { return Ok(None) };
        let mut data = decoded(&json)?;
        data.insert(LOADED.to_owned(), Value::String(json));
        Ok(Some(Record {
            id: *id,
            data,
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
