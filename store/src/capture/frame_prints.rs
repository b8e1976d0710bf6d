//! Fingerprints of the frames of selfies, by which frames that were sent before are recognised. A fingerprint is the beginning of an HMAC
//! under a key of the tenant: it reveals nothing, and different frames hardly ever have the same fingerprint. Removed with the session's
//! personal data.

use crate::{
    StoreError,
    db::{Dialect, Tx, on},
};
use domain::ids::{SessionId, TenantId};

/// Waits until no other unit of work is looking for any of these frames, and keeps others waiting until this unit ends. Without it, two sessions that
/// send the same frame at the same moment would not see each other's.
///
/// # Errors
/// If the database does not respond.
pub async fn take_turn(tx: &mut Tx, prints: &[i64]) -> Result<(), StoreError> {
    if tx.dialect() == Dialect::Sqlite {
        // Units run one after another.
        return Ok(());
    }
    let mut sorted = prints.to_vec();
    // Always in the same order, which prevents deadlocks.
    sorted.sort_unstable();
    for print in sorted {
        on!(tx, conn => sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(print).execute(conn).await.map(drop))?;
    }
    Ok(())
}

/// Keeps the fingerprints of a session's frames; those that it has already count once.
///
/// # Errors
/// If the database does not respond.
pub async fn add(tx: &mut Tx, tenant: &TenantId, session: &SessionId, prints: &[i64]) -> Result<(), StoreError> {
    for print in prints {
        on!(tx, conn => sqlx::query(
            "INSERT INTO frame_prints (tenant_id, print, session_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING")
            .bind(tenant.as_str()).bind(print).bind(session.as_str()).execute(conn).await.map(drop))?;
    }
    Ok(())
}

/// How many of these frames another session of the tenant has sent.
///
/// # Errors
/// If the database does not respond.
pub async fn count_elsewhere(
    tx: &mut Tx,
    tenant: &TenantId,
    session: &SessionId,
    prints: &[i64],
) -> Result<u32, StoreError> {
    let mut count = 0;
    for print in prints {
        let found: Option<i64> = on!(tx, conn => sqlx::query_scalar(
            "SELECT print FROM frame_prints WHERE tenant_id = $1 AND print = $2 AND session_id <> $3 LIMIT 1")
            .bind(tenant.as_str()).bind(print).bind(session.as_str()).fetch_optional(conn).await)?;
        count += u32::from(found.is_some());
    }
    Ok(count)
}

/// Whether the session itself has sent this frame before.
///
/// # Errors
/// If the database does not respond.
pub async fn is_known(tx: &mut Tx, tenant: &TenantId, session: &SessionId, print: i64) -> Result<bool, StoreError> {
    let found: Option<i64> = on!(tx, conn => sqlx::query_scalar(
        "SELECT print FROM frame_prints WHERE tenant_id = $1 AND print = $2 AND session_id = $3")
        .bind(tenant.as_str()).bind(print).bind(session.as_str()).fetch_optional(conn).await)?;
    Ok(found.is_some())
}

/// Removes the fingerprints of a session.
///
/// # Errors
/// If the database does not respond.
pub async fn remove(tx: &mut Tx, session: &SessionId) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("DELETE FROM frame_prints WHERE session_id = $1")
        .bind(session.as_str()).execute(conn).await.map(drop))
}
