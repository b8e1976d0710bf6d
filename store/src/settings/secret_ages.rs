//! How long each secret of the installation has been in use.

use crate::{
    StoreError,
    db::{Tx, on},
};
use domain::{secret_kind::SecretKind, time::Timestamp};

/// A secret that is in use.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretAgeRow {
    /// What it is.
    pub kind: SecretKind,
    /// A fingerprint that reveals whether the secret changed: a PHC string; of the master key, its version.
    pub mark: String,
    /// Since when it has been in use.
    pub since: Timestamp,
}

impl std::fmt::Debug for SecretAgeRow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SecretAgeRow({} since {})", self.kind, self.since)
    }
}

/// Stores a secret in place of the one of its kind whose mark is `before`, or of none. Where another node has stored one meanwhile, that one
/// stays.
///
/// # Errors
/// If the database does not respond.
pub async fn put(tx: &mut Tx, row: &SecretAgeRow, before: Option<&str>) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query(
        "INSERT INTO secret_ages (kind, mark, since) VALUES ($1, $2, $3)
         ON CONFLICT (kind) DO UPDATE SET mark = excluded.mark, since = excluded.since WHERE secret_ages.mark = $4")
        .bind(row.kind.as_str()).bind(&row.mark).bind(row.since.as_millis())
        .bind(before.unwrap_or_default()).execute(conn).await.map(drop))
}

/// All of them. Kinds that only a later version knows are left out.
///
/// # Errors
/// If the database does not respond.
pub async fn list(tx: &mut Tx) -> Result<Vec<SecretAgeRow>, StoreError> {
    let rows: Vec<(String, String, i64)> = on!(tx, conn => sqlx::query_as(
        "SELECT kind, mark, since FROM secret_ages ORDER BY kind").fetch_all(conn).await)?;
    let rows = rows.into_iter().filter_map(|(kind, mark, since)| {
        Some(SecretAgeRow {
            kind: SecretKind::parse(&kind)?,
            mark,
            since: Timestamp::from_millis(since),
        })
    });
    Ok(rows.collect())
}
