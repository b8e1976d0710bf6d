//! Tenants and their settings.

use crate::{
    StoreError,
    db::{Dialect, Tx, name_containing, on, row},
    ids,
};
use domain::{
    ids::TenantId,
    tenant::{Mode, TenantSettings},
    time::Timestamp,
};
use std::borrow::Cow;

/// A tenant as stored.
#[derive(Clone, Debug, PartialEq)]
pub struct TenantRow {
    /// Its id.
    pub id: TenantId,
    /// Its name, shown to end users.
    pub name: String,
    /// `None` until an admin has saved settings once.
    pub settings: Option<TenantSettings>,
    /// Whether it verifies people or is a sandbox.
    pub mode: Mode,
    /// When it was created.
    pub created_at: Timestamp,
    /// Compared and incremented by each save.
    pub version: i64,
}

row! {
    struct Raw {
        id: String,
        name: String,
        settings: Option<String>,
        livemode: bool,
        created_at: i64,
        version: i64,
    }
}

impl TenantRow {
    /// What its admins have saved, or the defaults.
    #[must_use]
    pub fn settings_or_default(&self) -> Cow<'_, TenantSettings> {
        self.settings.as_ref().map_or_else(Cow::default, Cow::Borrowed)
    }
}

impl TryFrom<Raw> for TenantRow {
    type Error = StoreError;

    fn try_from(raw: Raw) -> Result<Self, StoreError> {
        Ok(Self {
            id: ids::tenant_id(&raw.id)?,
            name: raw.name,
            settings: parse_settings(raw.settings.as_deref())?,
            mode: Mode::from_livemode(raw.livemode),
            created_at: Timestamp::from_millis(raw.created_at),
            version: raw.version,
        })
    }
}

/// Settings as stored.
pub(crate) fn parse_settings(json: Option<&str>) -> Result<Option<TenantSettings>, StoreError> {
    json.map(serde_json::from_str)
        .transpose()
        .map_err(|_| StoreError::Corrupt("settings that do not parse"))
}

fn json(settings: Option<&TenantSettings>) -> Result<Option<String>, StoreError> {
    settings
        .map(serde_json::to_string)
        .transpose()
        .map_err(StoreError::refused)
}

/// Stores a new tenant.
///
/// # Errors
/// [`StoreError::Duplicate`] if its id is already in use.
pub async fn insert(tx: &mut Tx, tenant: &TenantRow) -> Result<(), StoreError> {
    let settings = json(tenant.settings.as_ref())?;
    on!(tx, conn => sqlx::query(
        "INSERT INTO tenants (id, name, settings, livemode, created_at, version) VALUES ($1, $2, $3, $4, $5, $6)")
        .bind(tenant.id.as_str()).bind(&tenant.name).bind(&settings).bind(tenant.mode.is_live())
        .bind(tenant.created_at.as_millis()).bind(tenant.version)
        .execute(conn).await.map(drop))
}

macro_rules! find_sql {
    ($lock:literal) => {
        concat!(
            "SELECT id, name, settings, livemode, created_at, version FROM tenants WHERE id = $1",
            $lock
        )
    };
}

async fn find_by(tx: &mut Tx, sql: &'static str, id: &TenantId) -> Result<Option<TenantRow>, StoreError> {
    let raw: Option<Raw> = on!(tx, conn => sqlx::query_as(sql).bind(id.as_str()).fetch_optional(conn).await)?;
    raw.map(TenantRow::try_from).transpose()
}

/// The tenant with this id.
///
/// # Errors
/// If the database does not respond or the row does not parse.
pub async fn find(tx: &mut Tx, id: &TenantId) -> Result<Option<TenantRow>, StoreError> {
    find_by(tx, find_sql!(""), id).await
}

/// The tenant of something that refers to it, and therefore has one.
///
/// # Errors
/// [`StoreError::Corrupt`] if there is none; if the database does not respond or the row does not parse.
pub async fn load(tx: &mut Tx, id: &TenantId) -> Result<TenantRow, StoreError> {
    let found = find(tx, id).await?;
    found.ok_or(StoreError::Corrupt("a tenant is missing"))
}

/// The same, locked: a unit that changes the tenant waits until the caller's unit is done, and then finds what that has planned.
///
/// # Errors
/// As for [`load`].
pub async fn load_pinned(tx: &mut Tx, id: &TenantId) -> Result<TenantRow, StoreError> {
    let sql = match tx.dialect() {
        // Units run one after another.
        Dialect::Sqlite => find_sql!(""),
        Dialect::Postgres => find_sql!(" FOR SHARE"),
    };
    let found = find_by(tx, sql, id).await?;
    found.ok_or(StoreError::Corrupt("a tenant is missing"))
}

/// All tenants, oldest first.
///
/// # Errors
/// If the database does not respond or a row does not parse.
pub async fn list(tx: &mut Tx) -> Result<Vec<TenantRow>, StoreError> {
    let raw: Vec<Raw> = on!(tx, conn => sqlx::query_as(
        "SELECT id, name, settings, livemode, created_at, version FROM tenants ORDER BY created_at, id")
        .fetch_all(conn).await)?;
    raw.into_iter().map(TenantRow::try_from).collect()
}

/// The oldest tenant, if there is any.
///
/// # Errors
/// If the database does not respond or the row does not parse.
pub async fn find_oldest(tx: &mut Tx) -> Result<Option<TenantRow>, StoreError> {
    let raw: Option<Raw> = on!(tx, conn => sqlx::query_as(
        "SELECT id, name, settings, livemode, created_at, version FROM tenants ORDER BY created_at, id LIMIT 1")
        .fetch_optional(conn).await)?;
    raw.map(TenantRow::try_from).transpose()
}

/// The first `$1` tenants by name. PostgreSQL is given a collation in which only ASCII letters have two cases, as on SQLite.
macro_rules! names_sql {
    ($collation:literal) => {
        concat!(
            "SELECT id, name FROM tenants ORDER BY LOWER(name",
            $collation,
            "), id LIMIT $1"
        )
    };
}

/// Id and name of the first `limit` tenants by name.
///
/// # Errors
/// If the database does not respond or a row does not parse.
pub async fn list_names(tx: &mut Tx, limit: u32) -> Result<Vec<(TenantId, String)>, StoreError> {
    let sql = match tx.dialect() {
        Dialect::Sqlite => names_sql!(""),
        Dialect::Postgres => names_sql!(" COLLATE \"C\""),
    };
    let rows: Vec<(String, String)> = on!(tx, conn => sqlx::query_as(sql)
        .bind(i64::from(limit)).fetch_all(conn).await)?;
    rows.into_iter()
        .map(|(id, name)| Ok((ids::tenant_id(&id)?, name)))
        .collect()
}

/// A tenant, and what happens in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TenantActivity {
    /// The tenant.
    pub tenant: TenantId,
    /// Its name.
    pub name: String,
    /// Whether it verifies people or is a sandbox.
    pub mode: Mode,
    /// When it was created.
    pub created_at: Timestamp,
    /// How many sessions were created since a time.
    pub sessions: i64,
    /// When somebody last did something that is in the audit log, such as creating a session.
    pub last_at: Option<Timestamp>,
}

row! {
    struct RawActivity {
        id: String,
        name: String,
        livemode: bool,
        created_at: i64,
        sessions: i64,
        last_at: Option<i64>,
    }
}

/// The first `$3` tenants by name whose name is like `$2`, with their sessions since `$1`; compared as by [`list_names`].
/// Entries are ordered by the tenant as well, as only the index of a tenant's entries is: in the order of all entries, PostgreSQL would look
/// for those of a quiet tenant among everybody's.
macro_rules! activity_sql {
    ($collation:literal) => {
        concat!(
            "SELECT id, name, livemode, created_at,
                (SELECT COUNT(*) FROM sessions WHERE sessions.tenant_id = listed.id AND sessions.created_at >= $1) AS sessions,
                (SELECT at FROM audit WHERE audit.tenant_id >= listed.id AND audit.tenant_id <= listed.id
                 ORDER BY audit.tenant_id DESC, audit.number DESC LIMIT 1) AS last_at
             FROM (SELECT id, name, livemode, created_at FROM tenants WHERE LOWER(name",
            $collation,
            ") LIKE LOWER($2",
            $collation,
            ") ESCAPE '\\' ORDER BY LOWER(name",
            $collation,
            "), id LIMIT $3) AS listed ORDER BY LOWER(name",
            $collation,
            "), id"
        )
    };
}

/// What happens in the first `limit` tenants by name, of those whose name contains `part` (ASCII letters in upper or lower case): their sessions
/// created since `from`, and their last activity.
///
/// # Errors
/// If the database does not respond or a row does not parse.
pub async fn list_activity(
    tx: &mut Tx,
    part: &str,
    from: Timestamp,
    limit: u32,
) -> Result<Vec<TenantActivity>, StoreError> {
    let sql = match tx.dialect() {
        Dialect::Sqlite => activity_sql!(""),
        Dialect::Postgres => activity_sql!(" COLLATE \"C\""),
    };
    let rows: Vec<RawActivity> = on!(tx, conn => sqlx::query_as(sql)
        .bind(from.as_millis()).bind(name_containing(part)).bind(i64::from(limit)).fetch_all(conn).await)?;
    rows.into_iter()
        .map(|raw| {
            Ok(TenantActivity {
                tenant: ids::tenant_id(&raw.id)?,
                name: raw.name,
                mode: Mode::from_livemode(raw.livemode),
                created_at: Timestamp::from_millis(raw.created_at),
                sessions: raw.sessions,
                last_at: raw.last_at.map(Timestamp::from_millis),
            })
        })
        .collect()
}

/// Saves name and settings if `tenant` is still current.
///
/// # Errors
/// [`StoreError::Conflict`] if it was changed in the meantime.
pub async fn save(tx: &mut Tx, tenant: &TenantRow) -> Result<(), StoreError> {
    let settings = json(tenant.settings.as_ref())?;
    let saved = on!(tx, conn => sqlx::query(
        "UPDATE tenants SET name = $3, settings = $4, version = version + 1 WHERE id = $1 AND version = $2")
        .bind(tenant.id.as_str()).bind(tenant.version).bind(&tenant.name).bind(&settings)
        .execute(conn).await.map(|done| done.rows_affected()))?;
    if saved == 1 { Ok(()) } else { Err(tx.conflict()) }
}

/// Makes other units that lock this tenant wait until the caller's is done, so that what it counts does not change: the last
/// admin, the last secret. On SQLite, units run one after another anyway.
///
/// # Errors
/// If the database does not respond.
pub async fn lock(tx: &mut Tx, id: &TenantId) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("UPDATE tenants SET version = version WHERE id = $1")
        .bind(id.as_str()).execute(conn).await.map(drop))
}
