//! Counters of attempts within a time window, one kind for each limit: signing in, showing a second factor, inviting, uploading pictures that are not
//! kept.

use crate::{
    StoreError,
    db::{Tx, on},
};
use domain::time::{Millis, Timestamp};

/// Counts an attempt, as one to sign in, and returns how many there were in this window, this one included. A window starts with the
/// first attempt after the last one ended, or after the clock was set back to before its start.
///
/// # Errors
/// If the database does not respond.
pub async fn count(tx: &mut Tx, counter: &[u8], now: Timestamp, window: Millis) -> Result<i64, StoreError> {
    let began = now.minus(window);
    on!(tx, conn => sqlx::query_scalar(
        "INSERT INTO sign_in_tries (bucket, tries, since) VALUES ($1, 1, $2)
         ON CONFLICT (bucket) DO UPDATE SET
            tries = CASE WHEN sign_in_tries.since <= $3 OR sign_in_tries.since > $2 THEN 1 ELSE sign_in_tries.tries + 1 END,
            since = CASE WHEN sign_in_tries.since <= $3 OR sign_in_tries.since > $2 THEN $2 ELSE sign_in_tries.since END
         RETURNING tries")
        .bind(counter).bind(now.as_millis()).bind(began.as_millis())
        .fetch_one(conn).await)
}

/// Takes back an attempt that was counted at `counted_at` and succeeded, unless another window has begun since.
///
/// # Errors
/// If the database does not respond.
pub async fn take_back(tx: &mut Tx, counter: &[u8], counted_at: Timestamp) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("UPDATE sign_in_tries SET tries = tries - 1 WHERE bucket = $1 AND tries > 0 AND since <= $2")
        .bind(counter).bind(counted_at.as_millis()).execute(conn).await.map(drop))
}

/// Clears the attempts of a counter, after one succeeded.
///
/// # Errors
/// If the database does not respond.
pub async fn forget(tx: &mut Tx, counter: &[u8]) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("DELETE FROM sign_in_tries WHERE bucket = $1")
        .bind(counter).execute(conn).await.map(drop))
}

/// No name of a counter, which is a SHA-256, comes after it.
const AFTER_ALL: [u8; 33] = [0xff; 33];

/// Removes the attempts whose window of length `window` is over at `now` among the `most` counters that follow the one named `after`, or
/// the first ones. Returns the name of the last of them, if there may be more. By name, because no index tells which are old.
///
/// # Errors
/// If the database does not respond.
pub async fn sweep(
    tx: &mut Tx,
    now: Timestamp,
    window: Millis,
    after: Option<&[u8]>,
    most: u32,
) -> Result<Option<Vec<u8>>, StoreError> {
    let after = after.unwrap_or_default();
    let last: Option<Vec<u8>> = on!(tx, conn => sqlx::query_scalar(
        "SELECT bucket FROM sign_in_tries WHERE bucket > $1 ORDER BY bucket LIMIT 1 OFFSET $2")
        .bind(after).bind(i64::from(most) - 1).fetch_optional(conn).await)?;
    on!(tx, conn => sqlx::query(
        "DELETE FROM sign_in_tries WHERE bucket > $1 AND bucket <= $2 AND (since <= $3 OR since > $4)")
        .bind(after).bind(last.as_deref().unwrap_or(&AFTER_ALL)).bind(now.minus(window).as_millis())
        .bind(now.as_millis()).execute(conn).await.map(drop))?;
    Ok(last)
}
