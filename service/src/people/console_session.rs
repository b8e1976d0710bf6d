//! Sessions of browsers signed in to the console: storing them for the server's session layer, and ending them.

use crate::{Honnin, access::Staff, runtime::token};
use domain::{
    audit::AuditAction,
    ids::UserId,
    time::{Millis, Timestamp},
};
use store::{
    StoreError, audit,
    people::console_sessions::{self, ConsoleSession},
};

/// Idle time-out of a session.
pub const IDLE: Millis = Millis::minutes(30);
/// Absolute time-out of a session, from signing in.
pub const ABSOLUTE: Millis = Millis::hours(12);

/// A session as the server's session layer knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Browser {
    /// The cookie's value.
    pub cookie: String,
    /// Who signed in.
    pub user: Option<UserId>,
    /// JSON.
    pub data: String,
    /// When it ends.
    pub expires_at: Timestamp,
}

impl Browser {
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

/// Stores a new session, and deletes those that have ended.
///
/// # Errors
/// [`StoreError::Duplicate`] if the cookie's value is already in use.
pub async fn create(honnin: &Honnin, browser: Browser) -> Result<(), StoreError> {
    let (row, now) = (browser.row(), honnin.now());
    let unit = honnin.db.write(async move |tx| {
        console_sessions::remove_ended(tx, now).await?;
        console_sessions::insert(tx, &row).await
    });
    unit.await
}

/// Saves a session, unless it has ended in the meantime.
///
/// # Errors
/// If the database does not respond.
pub async fn save(honnin: &Honnin, browser: Browser) -> Result<(), StoreError> {
    let row = browser.row();
    let unit = honnin.db.write(async move |tx| console_sessions::save(tx, &row).await);
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

/// Ends a session.
///
/// # Errors
/// If the database does not respond.
pub async fn delete(honnin: &Honnin, cookie: &str) -> Result<(), StoreError> {
    let hash = token::hash(cookie);
    let unit = honnin
        .db
        .write(async move |tx| console_sessions::delete(tx, &hash).await);
    unit.await
}

/// Ends every session of a signed-in person, this one included. Returns how many there were.
///
/// # Errors
/// If the database does not respond.
pub async fn sign_out_everywhere(honnin: &Honnin, staff: &Staff) -> Result<u64, StoreError> {
    let (user, entry) = (
        staff.user().clone(),
        staff.entry(honnin.now(), AuditAction::PersonSignOutEverywhere, None),
    );
    let unit = honnin.db.write(async move |tx| {
        audit::record(tx, &entry).await?;
        console_sessions::delete_of(tx, &user).await
    });
    unit.await
}
