//! The capture cookie: ties a browser to an attempt, for a limited time.

use crate::{Honnin, access::Applicant, runtime::token};
use domain::{
    ids::{SessionId, TenantId},
    session::{Session, Status},
    time::{Millis, Timestamp},
};
use store::{
    StoreError, Tx,
    capture::capture_cookies::{self, CookieRow},
    session::sessions::{self, SessionRow},
};

/// Idle time-out of a browser.
pub const IDLE: Millis = Millis::minutes(30);
/// Absolute time-out of a browser.
pub const LIFETIME: Millis = Millis::hours(4);
/// Precision of the last visit.
pub(crate) const PRECISION: Millis = Millis::minutes(1);

/// Why a cookie is refused.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CookieError {
    /// Unknown, replaced, expired, or of an earlier attempt.
    #[error("the cookie is no longer valid")]
    Over,
    /// The session's deadline has passed.
    #[error("the session has expired")]
    Expired,
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The user whose browser presents `cookie`.
///
/// # Errors
/// [`CookieError`].
pub async fn applicant(honnin: &Honnin, cookie: &str) -> Result<Applicant, CookieError> {
    if !token::is_well_formed(cookie) {
        return Err(CookieError::Over);
    }
    let (hash, now) = (token::hash(cookie), honnin.now());
    let wanted = hash.clone();
    let unit = honnin.db.read(async move |tx| find(tx, &wanted, now).await);
    let (cookie, tenant) = unit.await?;
    if cookie.seen_at.plus(PRECISION) <= now {
        let unit = honnin
            .db
            .write(async move |tx| capture_cookies::mark_seen(tx, &hash, now).await);
        unit.await?;
    }
    let until = cookie.created_at.plus(LIFETIME);
    Ok(Applicant::new(tenant, cookie, until))
}

/// The session that was submitted with this cookie, which may have run out since: the browser has nothing left to do. `None` for a cookie
/// that a new link has replaced.
///
/// # Errors
/// If the database does not respond.
pub async fn submitted_session(honnin: &Honnin, cookie: &str) -> Result<Option<SessionId>, StoreError> {
    if !token::is_well_formed(cookie) {
        return Ok(None);
    }
    let (hash, now) = (token::hash(cookie), honnin.now());
    let unit = honnin.db.read(async move |tx| {
        let Some(cookie) = capture_cookies::find(tx, &hash).await? else {
            return Ok(None);
        };
        let Some(SessionRow { session, .. }) = sessions::find_any(tx, &cookie.session).await? else {
            return Ok(None);
        };
        let is_current = cookie.ended_at.is_none() && session.attempt == cookie.attempt && session.purged_at.is_none();
        let is_submitted = matches!(
            session.status_at(now),
            Status::Deciding | Status::Reviewing | Status::Completed
        );
        Ok((is_current && is_submitted).then_some(cookie.session))
    });
    unit.await
}

/// The session of a browser that took part in it until the deadline passed.
///
/// # Errors
/// If the database does not respond.
pub(crate) async fn expired_session(honnin: &Honnin, cookie: &str) -> Result<Option<SessionRow>, StoreError> {
    if !token::is_well_formed(cookie) {
        return Ok(None);
    }
    let (hash, now) = (token::hash(cookie), honnin.now());
    let unit = honnin.db.read(async move |tx| current(tx, &hash, now).await);
    match unit.await {
        Ok((_, row)) => Ok(Some(row).filter(|row| row.session.status_at(now) == Status::Expired)),
        Err(CookieError::Store(error)) => Err(error),
        Err(CookieError::Over | CookieError::Expired) => Ok(None),
    }
}

async fn find(tx: &mut Tx, hash: &[u8], now: Timestamp) -> Result<(CookieRow, TenantId), CookieError> {
    let (cookie, row) = current(tx, hash, now).await?;
    // A session that was submitted in time shows its result beyond its deadline.
    match row.session.status_at(now) {
        Status::Expired => Err(CookieError::Expired),
        _ => Ok((cookie, row.session.tenant)),
    }
}

/// A cookie in time, and the session whose current attempt it belongs to.
async fn current(tx: &mut Tx, hash: &[u8], now: Timestamp) -> Result<(CookieRow, SessionRow), CookieError> {
    let cookie = capture_cookies::find(tx, hash).await?.ok_or(CookieError::Over)?;
    let good = is_good(&cookie, now);
    let row = sessions::find_any(tx, &cookie.session).await?.filter(|_| good);
    let row = row.ok_or(CookieError::Over)?;
    if row.session.attempt != cookie.attempt || row.session.purged_at.is_some() {
        return Err(CookieError::Over);
    }
    Ok((cookie, row))
}

/// Whether nothing has ended a cookie, and it is in time.
fn is_good(cookie: &CookieRow, now: Timestamp) -> bool {
    cookie.ended_at.is_none() && cookie.seen_at.is_within(IDLE, now) && cookie.created_at.is_within(LIFETIME, now)
}

/// Whether a browser has the current attempt of a session, and can go on with it.
///
/// # Errors
/// If the database does not respond.
pub(crate) async fn is_held(tx: &mut Tx, session: &Session, now: Timestamp) -> Result<bool, StoreError> {
    let holder = capture_cookies::find_holder(tx, &session.id, session.attempt).await?;
    Ok(holder.is_some_and(|cookie| is_good(&cookie, now)))
}
