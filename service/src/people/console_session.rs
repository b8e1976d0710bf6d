//! Sessions of browsers signed in to the console: storing them for the server's session layer, and ending them.

use crate::{
    Honnin,
    access::Staff,
    people::{links, pending_sign_in, visit},
    runtime::token,
};
use domain::{
    audit::AuditAction,
    ids::UserId,
    time::{Millis, Timestamp},
};
use serde_json::{Map, Value};
use store::{
    StoreError, Tx, audit,
    people::{
        console_sessions::{self, ConsoleSession},
        second_factors, users,
    },
};

/// Idle time-out of a session.
pub const IDLE: Millis = Millis::minutes(30);
/// Absolute time-out of a session, from signing in.
pub const ABSOLUTE: Millis = Millis::hours(12);

/// What a session's JSON contains.
pub mod key {
    /// Who signed in.
    pub const USER: &str = "user";
    /// Of which epoch of their sessions it is.
    pub const EPOCH: &str = "epoch";
    /// When they signed in.
    pub const SIGNED_IN_AT: &str = "signed_in_at";
    /// When they were last seen, to the minute.
    pub const SEEN_AT: &str = "seen_at";
    /// The network address they signed in from.
    pub const ADDRESS: &str = "address";
    /// The browser they signed in with, as it named itself.
    pub const AGENT: &str = "agent";
}

/// A session as its owner sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnSession {
    /// Identifies it: the hash of the cookie's value.
    pub id: String,
    /// When they signed in.
    pub signed_in_at: Option<Timestamp>,
    /// When they were last seen, to the minute.
    pub seen_at: Option<Timestamp>,
    /// The network address they signed in from.
    pub address: String,
    /// The browser, as it named itself.
    pub agent: String,
}

/// The id of the session with this cookie.
#[must_use]
pub fn id_of(cookie: &str) -> String {
    hex::encode(token::hash(cookie))
}

/// A person's own sessions, the one seen last first.
///
/// # Errors
/// If the database does not respond.
pub async fn list_own(honnin: &Honnin, staff: &Staff) -> Result<Vec<OwnSession>, StoreError> {
    let (user, now) = (staff.user().clone(), honnin.now());
    let unit = honnin
        .db
        .read(async move |tx| console_sessions::list_of(tx, &user, now).await);
    let rows = unit.await?.into_iter();
    let parsed = rows.map(|row| (serde_json::from_str::<Value>(&row.data).unwrap_or_default(), row.hash));
    let of_this_epoch = |data: &Value| data[key::EPOCH].as_i64().unwrap_or_default() == staff.session_epoch();
    let current = parsed.filter(|(data, _)| of_this_epoch(data));
    Ok(current.map(|(data, hash)| own(&data, &hash)).collect())
}

fn own(data: &Value, hash: &[u8]) -> OwnSession {
    let text = |key: &str| data[key].as_str().unwrap_or_default().to_owned();
    let time = |key: &str| data[key].as_i64().map(Timestamp::from_millis);
    OwnSession {
        id: hex::encode(hash),
        signed_in_at: time(key::SIGNED_IN_AT),
        seen_at: time(key::SEEN_AT),
        address: text(key::ADDRESS),
        agent: text(key::AGENT),
    }
}

/// Ends one session of a person. Returns whether there was one.
///
/// # Errors
/// If the database does not respond.
pub async fn end_own(honnin: &Honnin, staff: &Staff, id: &str) -> Result<bool, StoreError> {
    let Ok(hash) = hex::decode(id) else { return Ok(false) };
    let (user, entry) = (
        staff.user().clone(),
        staff.own_entry(honnin.now(), AuditAction::PersonEndSession),
    );
    let unit = honnin.db.write(async move |tx| -> Result<_, StoreError> {
        let ended = console_sessions::delete_own(tx, &user, &hash).await?;
        if ended {
            audit::record(tx, &entry).await?;
        }
        Ok(ended)
    });
    unit.await
}

/// A session as the server's session layer knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrowserSession {
    /// The cookie's value.
    pub cookie: String,
    /// Who signed in.
    pub user: Option<UserId>,
    /// JSON.
    pub data: String,
    /// When it ends.
    pub expires_at: Timestamp,
}

impl BrowserSession {
    fn row(self) -> ConsoleSession {
        let hash = token::hash(&self.cookie);
        ConsoleSession {
            hash,
            user: self.user,
            data: self.data,
            expires_at: self.expires_at,
        }
    }
}

/// Stores a new session. Those that have ended leave with the hourly sweep.
///
/// # Errors
/// [`StoreError::Duplicate`] if the cookie's value is already in use.
pub async fn create(honnin: &Honnin, session: BrowserSession) -> Result<(), StoreError> {
    let row = session.row();
    let unit = honnin
        .db
        .write(async move |tx| console_sessions::insert(tx, &row).await);
    unit.await
}

/// What a request changes of a session's JSON: keys with their new values; `None` removes one.
pub type Changes = Vec<(String, Option<Value>)>;

/// Saves what a request has changed of a session, unless it has ended in the meantime. What another request of the same browser has changed since
/// this one loaded the session stays: somebody switches the tenant while a page of another tab loads.
///
/// # Errors
/// If the database does not respond, or what is stored does not parse.
pub async fn save(honnin: &Honnin, session: BrowserSession, changes: Changes) -> Result<(), StoreError> {
    let row = session.row();
    let unit = honnin.db.write(async move |tx| {
        let Some(stored) = console_sessions::lock(tx, &row.hash).await? else {
            return Ok(());
        };
        let malformed = StoreError::Corrupt("a session that is not a JSON object");
        let mut data: Map<String, Value> = serde_json::from_str(&stored).map_err(|_| malformed)?;
        for (key, value) in &changes {
            match value {
                Some(value) => drop(data.insert(key.clone(), value.clone())),
                None => drop(data.remove(key)),
            }
        }
        let merged = ConsoleSession {
            data: Value::Object(data).to_string(),
            ..row.clone()
        };
        console_sessions::save(tx, &merged).await
    });
    unit.await
}

/// A session's JSON and end, by its cookie's value.
///
/// # Errors
/// If the database does not respond.
pub async fn load(honnin: &Honnin, cookie: &str) -> Result<Option<(String, Timestamp)>, StoreError> {
    let (hash, now) = (token::hash(cookie), honnin.now());
    let unit = honnin
        .db
        .read(async move |tx| console_sessions::find(tx, &hash, now).await);
    unit.await
}

/// Ends a session. Returns whether there was one.
///
/// # Errors
/// If the database does not respond.
pub async fn delete(honnin: &Honnin, cookie: &str) -> Result<bool, StoreError> {
    let hash = token::hash(cookie);
    let unit = honnin
        .db
        .write(async move |tx| console_sessions::delete(tx, &hash).await);
    unit.await
}

/// Ends every session of a signed-in person, this one included, and withdraws the links that they made. Returns how many sessions there were.
///
/// # Errors
/// If the database does not respond.
pub async fn sign_out_everywhere(honnin: &Honnin, staff: &Staff) -> Result<u64, StoreError> {
    let (user, now) = (staff.user().clone(), honnin.now());
    let entry = staff.own_entry(now, AuditAction::PersonSignOutEverywhere);
    let home = staff.home().cloned();
    let unit = honnin.db.write(async move |tx| -> Result<_, StoreError> {
        links::lock(tx, home.as_ref()).await?;
        let ended = end_all(tx, &user, now).await?;
        audit::record(tx, &entry).await?;
        Ok(ended.sessions)
    });
    unit.await
}

/// Whether the session of somebody who is signed in is still valid: while a password was hashed or a form filled in, all their sessions may
/// have been ended, or the account disabled. It stays as it is until the unit is done.
pub(super) async fn goes_on(tx: &mut Tx, staff: &Staff) -> Result<bool, StoreError> {
    let found = visit::lock_active(tx, staff.user()).await?;
    Ok(found.is_some_and(|user| user.session_epoch == staff.session_epoch()))
}

/// What [`end_all`] has done.
pub(super) struct Ended {
    /// How many sessions there were.
    pub(super) sessions: u64,
    /// Of which epoch the sessions are that begin from now on.
    pub(super) next_epoch: i64,
}

/// Ends every session of a person, and every sign-in that has come as far as the second factor. Those that have come further, and whose session
/// is not stored yet, are of an earlier epoch. What lets somebody in who made or saw it in one of the sessions ends as well: the links that the
/// person made for others, and the key of an authenticator app that is being set up.
pub(super) async fn end_all(tx: &mut Tx, user: &UserId, now: Timestamp) -> Result<Ended, StoreError> {
    // First, since it locks the person, as those do who are about to sign in.
    let next_epoch = users::begin_session_epoch(tx, user).await?;
    pending_sign_in::end_all(tx, user, now).await?;
    links::withdraw(tx, user, now).await?;
    second_factors::drop_begun_authenticator(tx, user).await?;
    Ok(Ended {
        sessions: console_sessions::delete_of(tx, user).await?,
        next_epoch,
    })
}
