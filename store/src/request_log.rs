//! The requests of customers' servers, for their developers: what was called with which key, and how it was answered. Never a
//! body, a query or a path.

use crate::{
    StoreError,
    db::{Dialect, Tx, on, row},
    ids,
};
use domain::{
    ids::{ApiKeyId, RequestId, TenantId},
    time::Timestamp,
};
use std::ops::RangeInclusive;

/// The most entries that [`insert_all`] should be given: others wait on SQLite until they are written.
pub const MAX_AT_ONCE: usize = 500;

/// A request that was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The tenant of the key.
    pub tenant: TenantId,
    /// The key.
    pub key: ApiKeyId,
    /// When it arrived.
    pub at: Timestamp,
    /// Its id, as in the header `x-request-id` of the response.
    pub request: RequestId,
    /// The HTTP method.
    pub method: String,
    /// The route template.
    pub route: String,
    /// The HTTP status of the response.
    pub status: u16,
    /// `_tag` of an error response.
    pub error: Option<String>,
    /// How long the response took.
    pub duration_ms: i64,
    /// The caller's address.
    pub address: String,
}

/// An entry with its number and the name of its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logged {
    /// Increasing in the order of writing.
    pub number: i64,
    /// The request.
    pub entry: Entry,
    /// The name of the key.
    pub key_name: Option<String>,
}

/// Which requests are wanted; `None` means any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// The one with this id.
    pub request: Option<String>,
    /// Those with this key.
    pub key: Option<ApiKeyId>,
    /// Those with one of these statuses.
    pub status: Option<RangeInclusive<u16>>,
    /// Those of this operation.
    pub operation: Option<Operation>,
}

row! {
    /// An operation of the API.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub struct Operation {
        /// The HTTP method.
        pub method: String,
        /// The route template.
        pub route: String,
    }
}

row! {
    struct Row {
        number: i64,
        tenant_id: String,
        key_id: String,
        at: i64,
        request_id: String,
        method: String,
        route: String,
        status: i64,
        error: Option<String>,
        duration_ms: i64,
        address: String,
        key_name: Option<String>,
    }
}

impl TryFrom<Row> for Logged {
    type Error = StoreError;

    fn try_from(row: Row) -> Result<Self, StoreError> {
        Ok(Self {
            number: row.number,
            entry: Entry {
                tenant: ids::tenant_id(&row.tenant_id)?,
                key: ApiKeyId::parse(&row.key_id).ok_or(StoreError::Corrupt("a malformed key id"))?,
                at: Timestamp::from_millis(row.at),
                request: RequestId::parse(&row.request_id).ok_or(StoreError::Corrupt("a malformed request id"))?,
                method: row.method,
                route: row.route,
                status: u16::try_from(row.status).map_err(|_| StoreError::Corrupt("a status that is none"))?,
                error: row.error,
                duration_ms: row.duration_ms,
                address: row.address,
            },
            key_name: row.key_name,
        })
    }
}

/// Writes entries, from a list of which `$rows` are the elements. One parameter, however many there are: a statement for each number of entries
/// would be prepared anew nearly every time, which takes longer than to run it, and each would be kept.
macro_rules! insert_all_sql {
    ($rows:literal) => {
        concat!(
            "INSERT INTO request_log (tenant_id, key_id, at, request_id, method, route, status, error, duration_ms, address)
             SELECT value ->> 0, value ->> 1, CAST(value ->> 2 AS BIGINT), value ->> 3, value ->> 4, value ->> 5,
                 CAST(value ->> 6 AS BIGINT), value ->> 7, CAST(value ->> 8 AS BIGINT), value ->> 9
             FROM ",
            $rows
        )
    };
}

/// Writes entries with one statement.
///
/// # Errors
/// If the database does not respond.
pub async fn insert_all(tx: &mut Tx, entries: &[Entry]) -> Result<(), StoreError> {
    if entries.is_empty() {
        return Ok(());
    }
    let rows: Vec<_> = entries
        .iter()
        .map(|entry| {
            (
                entry.tenant.as_str(),
                entry.key.as_str(),
                entry.at.as_millis(),
                entry.request.as_str(),
                &entry.method,
                &entry.route,
                entry.status,
                &entry.error,
                entry.duration_ms,
                &entry.address,
            )
        })
        .collect();
    let rows = serde_json::to_string(&rows).map_err(StoreError::refused)?;
    let sql = match tx.dialect() {
        Dialect::Sqlite => insert_all_sql!("json_each($1) AS listed"),
        Dialect::Postgres => insert_all_sql!("json_array_elements($1::json) AS listed (value)"),
    };
    on!(tx, conn => sqlx::query(sql).bind(&rows).execute(conn).await.map(drop))
}

/// A tenant's entries that match, newest first, before number `before`.
///
/// # Errors
/// If the database does not respond or a row does not parse.
pub async fn list(
    tx: &mut Tx,
    tenant: &TenantId,
    filter: &Filter,
    before: Option<i64>,
    limit: u32,
) -> Result<Vec<Logged>, StoreError> {
    let (least, most) = filter.status.clone().unwrap_or(0..=u16::MAX).into_inner();
    let rows: Vec<Row> = on!(tx, conn => sqlx::query_as(
        "SELECT log.number, log.tenant_id, log.key_id, log.at, log.request_id, log.method, log.route, log.status, log.error,
                log.duration_ms, log.address, api_keys.name AS key_name
         FROM request_log AS log LEFT JOIN api_keys ON api_keys.id = log.key_id
         WHERE log.tenant_id = $1 AND log.number < $2
             AND (CAST($3 AS TEXT) IS NULL OR log.request_id = $3) AND (CAST($4 AS TEXT) IS NULL OR log.key_id = $4)
             AND log.status >= $5 AND log.status <= $6
             AND (CAST($7 AS TEXT) IS NULL OR (log.method = $7 AND log.route = $8))
         ORDER BY log.number DESC LIMIT $9")
        .bind(tenant.as_str()).bind(before.unwrap_or(i64::MAX)).bind(&filter.request)
        .bind(filter.key.as_ref().map(ApiKeyId::as_str)).bind(i64::from(least)).bind(i64::from(most))
        .bind(filter.operation.as_ref().map(|operation| operation.method.as_str()))
        .bind(filter.operation.as_ref().map(|operation| operation.route.as_str()))
        .bind(i64::from(limit)).fetch_all(conn).await)?;
    rows.into_iter().map(Logged::try_from).collect()
}

/// The operations that a tenant's entries are of, in order of their routes.
///
/// # Errors
/// If the database does not respond.
pub async fn operations(tx: &mut Tx, tenant: &TenantId) -> Result<Vec<Operation>, StoreError> {
    on!(tx, conn => sqlx::query_as(
        "SELECT DISTINCT method, route FROM request_log WHERE tenant_id = $1 ORDER BY route, method")
        .bind(tenant.as_str()).fetch_all(conn).await)
}

/// Removes up to `limit` of a tenant's entries, the oldest first, except for the newest `most`. Returns how many.
///
/// # Errors
/// If the database does not respond.
pub async fn keep_newest(tx: &mut Tx, tenant: &TenantId, most: u32, limit: u32) -> Result<u64, StoreError> {
    on!(tx, conn => sqlx::query(
        "DELETE FROM request_log WHERE number IN (
             SELECT number FROM request_log WHERE tenant_id = $1 AND number <= (
                 SELECT number FROM request_log WHERE tenant_id = $1 ORDER BY number DESC LIMIT 1 OFFSET $2)
             ORDER BY number LIMIT $3)")
        .bind(tenant.as_str()).bind(i64::from(most)).bind(i64::from(limit))
        .execute(conn).await.map(|done| done.rows_affected()))
}

/// Removes up to `limit` entries from before `before`. Returns how many.
///
/// # Errors
/// If the database does not respond.
pub async fn remove_before(tx: &mut Tx, before: Timestamp, limit: u32) -> Result<u64, StoreError> {
    on!(tx, conn => sqlx::query(
        "DELETE FROM request_log WHERE number IN (SELECT number FROM request_log WHERE at < $1 ORDER BY at LIMIT $2)")
        .bind(before.as_millis()).bind(i64::from(limit)).execute(conn).await.map(|done| done.rows_affected()))
}
