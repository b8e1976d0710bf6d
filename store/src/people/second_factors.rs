//! Second factors of console users: an authenticator app, recovery codes, passkeys and their challenges.

use crate::{
    StoreError,
    db::{Tx, on, row},
    ids,
};
use domain::{ids::UserId, time::Timestamp};

/// A person's authenticator app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthenticatorRow {
    /// The secret, encrypted with the master key.
    pub secret: Vec<u8>,
    /// When its set-up was begun.
    pub created_at: Timestamp,
    /// When the first code from it was entered; it does not count before.
    pub confirmed_at: Option<Timestamp>,
    /// The time step (RFC 6238) of the last code used; 0 before the first one.
    pub last_step: i64,
}

/// Starts the set-up of an authenticator app, in place of one that is not confirmed.
///
/// # Errors
/// [`StoreError::Duplicate`] if one is confirmed.
pub async fn put_authenticator(tx: &mut Tx, user: &UserId, secret: &[u8], now: Timestamp) -> Result<(), StoreError> {
    drop_begun_authenticator(tx, user).await?;
    on!(tx, conn => sqlx::query(
        "INSERT INTO authenticators (user_id, secret, created_at, last_step) VALUES ($1, $2, $3, 0)")
        .bind(user.as_str()).bind(secret).bind(now.as_millis()).execute(conn).await.map(drop))
}

/// Drops the set-up of an authenticator app that is not confirmed.
///
/// # Errors
/// If the database does not respond.
pub async fn drop_begun_authenticator(tx: &mut Tx, user: &UserId) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("DELETE FROM authenticators WHERE user_id = $1 AND confirmed_at IS NULL")
        .bind(user.as_str()).execute(conn).await.map(drop))
}

/// A person's authenticator app, confirmed or not.
///
/// # Errors
/// If the database does not respond.
pub async fn find_authenticator(tx: &mut Tx, user: &UserId) -> Result<Option<AuthenticatorRow>, StoreError> {
    let row: Option<(Vec<u8>, i64, Option<i64>, i64)> = on!(tx, conn => sqlx::query_as(
        "SELECT secret, created_at, confirmed_at, last_step FROM authenticators WHERE user_id = $1")
        .bind(user.as_str()).fetch_optional(conn).await)?;
    Ok(
        row.map(|(secret, created_at, confirmed_at, last_step)| AuthenticatorRow {
            secret,
            created_at: Timestamp::from_millis(created_at),
            confirmed_at: confirmed_at.map(Timestamp::from_millis),
            last_step,
        }),
    )
}

/// Uses the code of a time step, which confirms the app. Returns whether it was good: later than the last one used, and of an app that still
/// has the encrypted `secret` that the code was compared with.
///
/// # Errors
/// If the database does not respond.
pub async fn use_step(
    tx: &mut Tx,
    user: &UserId,
    secret: &[u8],
    step: i64,
    now: Timestamp,
) -> Result<bool, StoreError> {
    on!(tx, conn => sqlx::query(
        "UPDATE authenticators SET last_step = $2, confirmed_at = COALESCE(confirmed_at, $3)
         WHERE user_id = $1 AND last_step < $2 AND secret = $4")
        .bind(user.as_str()).bind(step).bind(now.as_millis()).bind(secret)
        .execute(conn).await.map(|done| done.rows_affected() == 1))
}

/// Removes a person's authenticator app. Returns whether there was one that counted: the set-up of another one is dropped as well.
///
/// # Errors
/// If the database does not respond.
pub async fn remove_authenticator(tx: &mut Tx, user: &UserId) -> Result<bool, StoreError> {
    let confirmed: Option<Option<i64>> = on!(tx, conn => sqlx::query_scalar(
        "DELETE FROM authenticators WHERE user_id = $1 RETURNING confirmed_at")
        .bind(user.as_str()).fetch_optional(conn).await)?;
    Ok(confirmed.flatten().is_some())
}

/// Replaces a person's recovery codes by those with these hashes.
///
/// # Errors
/// If the database does not respond.
pub async fn replace_recovery_codes(tx: &mut Tx, user: &UserId, hashes: &[Vec<u8>]) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("DELETE FROM recovery_codes WHERE user_id = $1")
        .bind(user.as_str()).execute(conn).await.map(drop))?;
    for hash in hashes {
        on!(tx, conn => sqlx::query("INSERT INTO recovery_codes (user_id, hash) VALUES ($1, $2)")
            .bind(user.as_str()).bind(hash).execute(conn).await.map(drop))?;
    }
    Ok(())
}

/// The hashes of the recovery codes that a person has left, in their own order.
///
/// # Errors
/// If the database does not respond.
pub async fn list_recovery_codes(tx: &mut Tx, user: &UserId) -> Result<Vec<Vec<u8>>, StoreError> {
    on!(tx, conn => sqlx::query_scalar("SELECT hash FROM recovery_codes WHERE user_id = $1 ORDER BY hash")
        .bind(user.as_str()).fetch_all(conn).await)
}

/// How many recovery codes a person has left.
///
/// # Errors
/// If the database does not respond.
pub async fn count_recovery_codes(tx: &mut Tx, user: &UserId) -> Result<i64, StoreError> {
    on!(tx, conn => sqlx::query_scalar("SELECT COUNT(*) FROM recovery_codes WHERE user_id = $1")
        .bind(user.as_str()).fetch_one(conn).await)
}

/// Uses up a recovery code. Returns whether it was valid.
///
/// # Errors
/// If the database does not respond.
pub async fn use_recovery_code(tx: &mut Tx, user: &UserId, hash: &[u8]) -> Result<bool, StoreError> {
    on!(tx, conn => sqlx::query("DELETE FROM recovery_codes WHERE user_id = $1 AND hash = $2")
        .bind(user.as_str()).bind(hash).execute(conn).await.map(|done| done.rows_affected() == 1))
}

/// A passkey.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PasskeyRow {
    /// The credential id.
    pub id: Vec<u8>,
    /// Its owner.
    pub user: UserId,
    /// The name chosen by its owner.
    pub name: String,
    /// A COSE key.
    pub public_key: Vec<u8>,
    /// The signature counter.
    pub counter: i64,
    /// When it was registered.
    pub created_at: Timestamp,
    /// When it was used last.
    pub last_used_at: Option<Timestamp>,
}

row! {
    struct Raw {
        id: Vec<u8>,
        user_id: String,
        name: String,
        public_key: Vec<u8>,
        counter: i64,
        created_at: i64,
        last_used_at: Option<i64>,
    }
}

impl TryFrom<Raw> for PasskeyRow {
    type Error = StoreError;

    fn try_from(raw: Raw) -> Result<Self, StoreError> {
        Ok(Self {
            id: raw.id,
            user: ids::user_id(&raw.user_id)?,
            name: raw.name,
            public_key: raw.public_key,
            counter: raw.counter,
            created_at: Timestamp::from_millis(raw.created_at),
            last_used_at: raw.last_used_at.map(Timestamp::from_millis),
        })
    }
}

macro_rules! passkey_columns {
    () => {
        "SELECT id, user_id, name, public_key, counter, created_at, last_used_at FROM passkeys "
    };
}

/// Stores a passkey.
///
/// # Errors [`StoreError::Duplicate`] if the credential is already registered.
pub async fn insert_passkey(tx: &mut Tx, row: &PasskeyRow) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query(
        "INSERT INTO passkeys (id, user_id, name, public_key, counter, created_at, last_used_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)")
        .bind(&row.id).bind(row.user.as_str()).bind(&row.name).bind(&row.public_key).bind(row.counter)
        .bind(row.created_at.as_millis()).bind(row.last_used_at.map(Timestamp::as_millis))
        .execute(conn).await.map(drop))
}

/// The passkey with a credential id.
///
/// # Errors
/// If the database does not respond.
pub async fn find_passkey(tx: &mut Tx, id: &[u8]) -> Result<Option<PasskeyRow>, StoreError> {
    let raw: Option<Raw> = on!(tx, conn => sqlx::query_as(concat!(passkey_columns!(), "WHERE id = $1"))
        .bind(id).fetch_optional(conn).await)?;
    raw.map(PasskeyRow::try_from).transpose()
}

/// A person's passkeys, oldest first.
///
/// # Errors
/// If the database does not respond.
pub async fn list_passkeys(tx: &mut Tx, user: &UserId) -> Result<Vec<PasskeyRow>, StoreError> {
    let rows: Vec<Raw> = on!(tx, conn => sqlx::query_as(
        concat!(passkey_columns!(), "WHERE user_id = $1 ORDER BY created_at, id"))
        .bind(user.as_str()).fetch_all(conn).await)?;
    rows.into_iter().map(PasskeyRow::try_from).collect()
}

/// Records the use of a passkey with its new counter, if the counter is still `before`. Returns whether it was: of two uses of one
/// assertion, one is refused.
///
/// # Errors
/// If the database does not respond.
pub async fn use_passkey(
    tx: &mut Tx,
    id: &[u8],
    (before, counter): (i64, i64),
    now: Timestamp,
) -> Result<bool, StoreError> {
    on!(tx, conn => sqlx::query("UPDATE passkeys SET counter = $3, last_used_at = $4 WHERE id = $1 AND counter = $2")
        .bind(id).bind(before).bind(counter).bind(now.as_millis())
        .execute(conn).await.map(|done| done.rows_affected() == 1))
}

/// Removes a person's passkey. Returns whether there was one.
///
/// # Errors
/// If the database does not respond.
pub async fn remove_passkey(tx: &mut Tx, user: &UserId, id: &[u8]) -> Result<bool, StoreError> {
    on!(tx, conn => sqlx::query("DELETE FROM passkeys WHERE user_id = $1 AND id = $2")
        .bind(user.as_str()).bind(id).execute(conn).await.map(|done| done.rows_affected() == 1))
}

/// Whether a person has a second factor: a confirmed authenticator app or a passkey.
///
/// # Errors
/// If the database does not respond.
pub async fn has_any(tx: &mut Tx, user: &UserId) -> Result<bool, StoreError> {
    let found: Option<i32> = on!(tx, conn => sqlx::query_scalar(
        "SELECT 1 FROM authenticators WHERE user_id = $1 AND confirmed_at IS NOT NULL
         UNION ALL SELECT 1 FROM passkeys WHERE user_id = $1 LIMIT 1")
        .bind(user.as_str()).fetch_optional(conn).await)?;
    Ok(found.is_some())
}

/// The encrypted secrets of all authenticator apps, to encrypt them with a new master key.
///
/// # Errors
/// If the database does not respond or a row does not parse.
pub async fn list_authenticators(tx: &mut Tx) -> Result<Vec<(UserId, Vec<u8>)>, StoreError> {
    let rows: Vec<(String, Vec<u8>)> = on!(tx, conn => sqlx::query_as(
        "SELECT user_id, secret FROM authenticators ORDER BY user_id").fetch_all(conn).await)?;
    let parsed = rows
        .into_iter()
        .map(|(user, secret)| Some((UserId::parse(&user)?, secret)));
    parsed
        .collect::<Option<_>>()
        .ok_or(StoreError::Corrupt("a malformed user id"))
}

/// Replaces the encrypted form of a secret, unless the person has set up another one in the meantime.
///
/// # Errors
/// If the database does not respond.
pub async fn replace_secret(tx: &mut Tx, user: &UserId, old: &[u8], new: &[u8]) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("UPDATE authenticators SET secret = $3 WHERE user_id = $1 AND secret = $2")
        .bind(user.as_str()).bind(old).bind(new).execute(conn).await.map(drop))
}

/// Removes every second factor of a person, recovery codes included.
///
/// # Errors
/// If the database does not respond.
pub async fn remove_all(tx: &mut Tx, user: &UserId) -> Result<(), StoreError> {
    remove_authenticator(tx, user).await?;
    replace_recovery_codes(tx, user, &[]).await?;
    on!(tx, conn => sqlx::query("DELETE FROM passkeys WHERE user_id = $1")
        .bind(user.as_str()).execute(conn).await.map(drop))
}

/// Stores a challenge until `expires_at`.
///
/// # Errors
/// [`StoreError::Duplicate`] if it is in use.
pub async fn insert_challenge(
    tx: &mut Tx,
    hash: &[u8],
    user: Option<&UserId>,
    expires_at: Timestamp,
) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("INSERT INTO passkey_challenges (hash, user_id, expires_at) VALUES ($1, $2, $3)")
        .bind(hash).bind(user.map(UserId::as_str)).bind(expires_at.as_millis()).execute(conn).await.map(drop))
}

/// Uses up a challenge that was made for `user`, or for anybody if that is `None`. Returns whether it was valid.
///
/// # Errors
/// If the database does not respond.
pub async fn take_challenge(
    tx: &mut Tx,
    hash: &[u8],
    user: Option<&UserId>,
    now: Timestamp,
) -> Result<bool, StoreError> {
    on!(tx, conn => sqlx::query(
        "DELETE FROM passkey_challenges WHERE hash = $1 AND COALESCE(user_id, '') = $2 AND expires_at > $3")
        .bind(hash).bind(user.map_or("", UserId::as_str)).bind(now.as_millis())
        .execute(conn).await.map(|done| done.rows_affected() == 1))
}

/// Removes up to `limit` of the challenges that have expired. Returns how many.
///
/// # Errors
/// If the database does not respond.
pub async fn remove_expired_challenges(tx: &mut Tx, now: Timestamp, limit: u32) -> Result<u64, StoreError> {
    on!(tx, conn => sqlx::query(
        "DELETE FROM passkey_challenges WHERE hash IN (
             SELECT hash FROM passkey_challenges WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)")
        .bind(now.as_millis()).bind(i64::from(limit))
        .execute(conn).await.map(|done| done.rows_affected()))
}
