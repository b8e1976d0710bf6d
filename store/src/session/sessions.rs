//! Sessions: found by tenant and id, so that another tenant's id finds nothing; saved by compare-and-set on their version.

use crate::{
    StoreError,
    audit::Entry,
    db::{Dialect, Tx, on, row},
    ids,
    vault::{AssociatedData, DataKeyId, SealedValue},
};
use domain::{
    document::DocumentType,
    ids::{SessionId, TenantId},
    outcome::Outcome,
    secret::Unlogged,
    session::{AttemptNumber, FailureReason, Session, Status},
    time::Timestamp,
};
use sqlx::QueryBuilder;

/// A session with its whole row. Encrypted columns are decrypted with the session's data key at [`SessionRow::associated_data`].
#[derive(Clone, Debug, PartialEq)]
pub struct SessionRow {
    /// The part that the state machine needs.
    pub session: Session,
    /// The key of its personal data.
    pub data_key: DataKeyId,
    /// Compact JSON, as written by the tenant.
    pub metadata: Option<Unlogged>,
    /// The callback URL, normalised.
    pub callback_url: Option<String>,
    /// Encrypted: `state`, UTF-8.
    pub state: Option<Vec<u8>>,
    /// Encrypted: `preRegisteredInfo`, JSON.
    pub known: Option<Vec<u8>>,
    /// Encrypted: `userInputInfo`, JSON.
    pub typed: Option<Vec<u8>>,
    /// The kind of document that the user chose.
    pub document_type: Option<DocumentType>,
    /// Encrypted: `documentOcr.fields`, JSON.
    pub ocr: Option<Vec<u8>>,
    /// The decision, without the reviewer's note.
    pub outcome: Option<Outcome>,
    /// Encrypted: the reviewer's note, UTF-8.
    pub note: Option<Vec<u8>>,
    /// Why it ended in `failed`.
    pub failure_reason: Option<FailureReason>,
}

impl SessionRow {
    /// The row of a new session.
    #[must_use]
    pub const fn new(session: Session, data_key: DataKeyId) -> Self {
        Self {
            session,
            data_key,
            metadata: None,
            callback_url: None,
            state: None,
            known: None,
            typed: None,
            document_type: None,
            ocr: None,
            outcome: None,
            note: None,
            failure_reason: None,
        }
    }

    /// What a value of this session is bound to when it is encrypted.
    #[must_use]
    pub const fn associated_data<'a>(&'a self, value: SealedValue<'a>) -> AssociatedData<'a> {
        AssociatedData::new(&self.session.tenant, &self.session.id, value)
    }
}

row! {
    struct Raw {
        id: String,
        tenant_id: String,
        status: String,
        plan: String,
        created_at: i64,
        expires_at: i64,
        completed_at: Option<i64>,
        erasure_requested_at: Option<i64>,
        purged_at: Option<i64>,
        attempt: i64,
        version: i64,
        data_key: String,
        metadata: Option<String>,
        callback_url: Option<String>,
        state: Option<Vec<u8>>,
        known: Option<Vec<u8>>,
        typed: Option<Vec<u8>>,
        document_type: Option<String>,
        ocr: Option<Vec<u8>>,
        outcome: Option<String>,
        note: Option<Vec<u8>>,
        failure_reason: Option<String>,
    }
}

/// Parses a stored word of a vocabulary.
fn word<T>(text: Option<&str>, parse: fn(&str) -> Option<T>, fault: &'static str) -> Result<Option<T>, StoreError> {
    text.map(|text| parse(text).ok_or(StoreError::Corrupt(fault)))
        .transpose()
}

impl TryFrom<Raw> for SessionRow {
    type Error = StoreError;

    fn try_from(raw: Raw) -> Result<Self, StoreError> {
        let outcome = raw.outcome.as_deref().map(serde_json::from_str).transpose();
        Ok(Self {
            session: Session {
                id: ids::session_id(&raw.id)?,
                tenant: ids::tenant_id(&raw.tenant_id)?,
                status: Status::parse(&raw.status).ok_or(StoreError::Corrupt("an unknown status"))?,
                plan: serde_json::from_str(&raw.plan).map_err(|_| StoreError::Corrupt("a plan that does not parse"))?,
                created_at: Timestamp::from_millis(raw.created_at),
                expires_at: Timestamp::from_millis(raw.expires_at),
                completed_at: raw.completed_at.map(Timestamp::from_millis),
                erasure_requested_at: raw.erasure_requested_at.map(Timestamp::from_millis),
                purged_at: raw.purged_at.map(Timestamp::from_millis),
                attempt: AttemptNumber::new(raw.attempt),
                version: raw.version,
            },
            data_key: DataKeyId::stored(&raw.data_key)?,
            metadata: raw.metadata.map(Unlogged::from),
            callback_url: raw.callback_url,
            state: raw.state,
            known: raw.known,
            typed: raw.typed,
            document_type: word(
                raw.document_type.as_deref(),
                DocumentType::parse,
                "an unknown document type",
            )?,
            ocr: raw.ocr,
            outcome: outcome.map_err(|_| StoreError::Corrupt("an outcome that does not parse"))?,
            note: raw.note,
            failure_reason: word(
                raw.failure_reason.as_deref(),
                FailureReason::parse,
                "an unknown failure reason",
            )?,
        })
    }
}

/// Since when the session has been waiting for review: since the decision that sent it there.
fn waiting_since(row: &SessionRow) -> Option<i64> {
    let decided = row.outcome.as_ref().filter(|_| row.session.status == Status::Reviewing);
    decided.map(|outcome| outcome.decided_at.as_millis())
}

fn outcome_json(row: &SessionRow) -> Result<Option<String>, StoreError> {
    let bare = row.outcome.clone().map(|mut outcome| {
        if let Some(review) = &mut outcome.review {
            review.note = None;
        }
        outcome
    });
    bare.map(|outcome| serde_json::to_string(&outcome))
        .transpose()
        .map_err(StoreError::refused)
}

/// Stores a new session.
///
/// # Errors
/// [`StoreError::Duplicate`] if its id is already in use.
pub async fn insert(tx: &mut Tx, row: &SessionRow) -> Result<(), StoreError> {
    tx.count_session(row.session.status);
    let plan = serde_json::to_string(&row.session.plan).map_err(StoreError::refused)?;
    let outcome = outcome_json(row)?;
    on!(tx, conn => sqlx::query(
        "INSERT INTO sessions (id, tenant_id, status, plan, created_at, expires_at, completed_at, purged_at, attempt,
             version, data_key, metadata, callback_url, state, known, typed, document_type, ocr, outcome, note, failure_reason,
             waiting_since)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)")
        .bind(row.session.id.as_str()).bind(row.session.tenant.as_str()).bind(row.session.status.as_str()).bind(&plan)
        .bind(row.session.created_at.as_millis()).bind(row.session.expires_at.as_millis())
        .bind(row.session.completed_at.map(Timestamp::as_millis)).bind(row.session.purged_at.map(Timestamp::as_millis))
        .bind(row.session.attempt.get()).bind(row.session.version).bind(row.data_key.as_str()).bind(row.metadata.as_deref())
        .bind(&row.callback_url).bind(&row.state).bind(&row.known).bind(&row.typed)
        .bind(row.document_type.map(DocumentType::as_str)).bind(&row.ocr).bind(&outcome).bind(&row.note)
        .bind(row.failure_reason.map(FailureReason::as_str)).bind(waiting_since(row))
        .execute(conn).await.map(drop))
}

macro_rules! select {
    ($clause:literal) => {
        concat!(
            "SELECT id, tenant_id, status, plan, created_at, expires_at, completed_at, erasure_requested_at, purged_at, attempt,
                    version, data_key, metadata, callback_url, state, known, typed, document_type, ocr, outcome, note,
                    failure_reason
             FROM sessions ",
            $clause
        )
    };
}

/// A tenant's session; another tenant's id finds nothing.
///
/// # Errors
/// If the database does not respond or the row does not parse.
pub async fn find(tx: &mut Tx, tenant: &TenantId, id: &SessionId) -> Result<Option<SessionRow>, StoreError> {
    let raw: Option<Raw> = on!(tx, conn => sqlx::query_as(select!("WHERE id = $1 AND tenant_id = $2"))
        .bind(id.as_str()).bind(tenant.as_str()).fetch_optional(conn).await)?;
    raw.map(SessionRow::try_from).transpose()
}

/// Makes other units that lock or change this session wait until the caller's is done. On SQLite, units run one after another anyway.
///
/// # Errors
/// If the database does not respond.
pub async fn lock(tx: &mut Tx, id: &SessionId) -> Result<(), StoreError> {
    match tx.dialect() {
        Dialect::Sqlite => Ok(()),
        Dialect::Postgres => on!(tx, conn => sqlx::query("SELECT 1 FROM sessions WHERE id = $1 FOR NO KEY UPDATE")
            .bind(id.as_str()).execute(conn).await.map(drop)),
    }
}

macro_rules! record_reading {
    () => {
        "INSERT INTO audit (at, tenant_id, actor, action, subject, detail, address)
         SELECT $3, $4, $5, $6, $7, $8, $9 FROM sessions WHERE id = $1 AND tenant_id = $2"
    };
}

/// The same, and writes `entry` to the audit log if there is such a session. One round trip: a second one would cost a reading as much as
/// the rest of it.
///
/// # Errors
/// If the database does not respond or the row does not parse.
pub async fn find_and_record(
    tx: &mut Tx,
    tenant: &TenantId,
    id: &SessionId,
    entry: &Entry,
) -> Result<Option<SessionRow>, StoreError> {
    let sql = match tx.dialect() {
        Dialect::Sqlite => concat!(record_reading!(), ";", select!("WHERE id = $1 AND tenant_id = $2")),
        Dialect::Postgres => concat!(
            "WITH entry AS (",
            record_reading!(),
            ") ",
            select!("WHERE id = $1 AND tenant_id = $2")
        ),
    };
    let raw: Option<Raw> = on!(tx, conn => sqlx::query_as(sql)
        .bind(id.as_str()).bind(tenant.as_str())
        .bind(entry.at.as_millis()).bind(entry.tenant.as_ref().map(TenantId::as_str)).bind(entry.actor.as_str())
        .bind(entry.action.as_str()).bind(&entry.subject).bind(&entry.detail).bind(&entry.address)
        .fetch_optional(conn).await)?;
    raw.map(SessionRow::try_from).transpose()
}

/// Any tenant's session: for the worker, and for a user whose link names it.
///
/// # Errors
/// If the database does not respond or the row does not parse.
pub async fn find_any(tx: &mut Tx, id: &SessionId) -> Result<Option<SessionRow>, StoreError> {
    let raw: Option<Raw> = on!(tx, conn => sqlx::query_as(select!("WHERE id = $1"))
        .bind(id.as_str()).fetch_optional(conn).await)?;
    raw.map(SessionRow::try_from).transpose()
}

/// When the personal data of each of these sessions was erased, of whatever tenants; those that are not in the database are left out.
///
/// # Errors
/// If the database does not respond.
pub async fn list_purged(tx: &mut Tx, ids: &[SessionId]) -> Result<Vec<(SessionId, Option<Timestamp>)>, StoreError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let rows: Vec<(String, Option<i64>)> = on!(tx, conn => {
        let mut statement = QueryBuilder::new("SELECT id, purged_at FROM sessions WHERE id IN (");
        let mut listed = statement.separated(", ");
        for id in ids {
            listed.push_bind(id.as_str());
        }
        statement.push(")");
        statement.build_query_as().fetch_all(conn).await
    })?;
    let parsed = rows
        .into_iter()
        .map(|(id, purged_at)| Some((SessionId::parse(&id)?, purged_at.map(Timestamp::from_millis))));
    parsed
        .collect::<Option<_>>()
        .ok_or(StoreError::Corrupt("a malformed session id"))
}

/// Sessions whose personal data was not erased, with the names of their keys: up to `limit` after `after`, by id.
///
/// # Errors
/// If the database does not respond.
pub async fn list_keys(
    tx: &mut Tx,
    after: Option<&SessionId>,
    limit: u32,
) -> Result<Vec<(SessionId, DataKeyId)>, StoreError> {
    let rows: Vec<(String, String)> = on!(tx, conn => sqlx::query_as(
        "SELECT id, data_key FROM sessions WHERE purged_at IS NULL AND id > $1 ORDER BY id LIMIT $2")
        .bind(after.map_or("", SessionId::as_str)).bind(i64::from(limit)).fetch_all(conn).await)?;
    with_keys(rows)
}

/// The same of the `looked_at` newest sessions, erased or not, the newest first. It takes as long whether a thousand sessions were erased before or
/// ten million, which [`list_keys`] passes one by one.
///
/// # Errors
/// If the database does not respond.
pub async fn list_newest_keys(tx: &mut Tx, looked_at: u32) -> Result<Vec<(SessionId, DataKeyId)>, StoreError> {
    // Ids begin with the time.
    let rows: Vec<(String, String)> = on!(tx, conn => sqlx::query_as(
        "SELECT id, data_key FROM (SELECT id, data_key, purged_at FROM sessions ORDER BY id DESC LIMIT $1) AS newest
         WHERE purged_at IS NULL ORDER BY id DESC")
        .bind(i64::from(looked_at)).fetch_all(conn).await)?;
    with_keys(rows)
}

fn with_keys(rows: Vec<(String, String)>) -> Result<Vec<(SessionId, DataKeyId)>, StoreError> {
    let parsed = rows
        .into_iter()
        .map(|(id, key)| Some((SessionId::parse(&id)?, DataKeyId::parse(&key)?)));
    parsed
        .collect::<Option<_>>()
        .ok_or(StoreError::Corrupt("a malformed session or key id"))
}

/// Saves everything that may change, if `row` is still current, and increments its version.
///
/// # Errors
/// [`StoreError::Conflict`] if it was changed in the meantime: the contract's "concurrent operation collides".
pub async fn save(tx: &mut Tx, row: &mut SessionRow) -> Result<(), StoreError> {
    let outcome = outcome_json(row)?;
    let saved = on!(tx, conn => sqlx::query(
        "UPDATE sessions SET status = $3, expires_at = $4, completed_at = $5, purged_at = $6, attempt = $7, metadata = $8,
             state = $9, known = $10, typed = $11, document_type = $12, ocr = $13, outcome = $14, note = $15,
             failure_reason = $16, waiting_since = $17, erasure_requested_at = $18, version = version + 1
         WHERE id = $1 AND version = $2")
        .bind(row.session.id.as_str()).bind(row.session.version).bind(row.session.status.as_str())
        .bind(row.session.expires_at.as_millis()).bind(row.session.completed_at.map(Timestamp::as_millis))
        .bind(row.session.purged_at.map(Timestamp::as_millis)).bind(row.session.attempt.get()).bind(row.metadata.as_deref())
        .bind(&row.state).bind(&row.known).bind(&row.typed).bind(row.document_type.map(DocumentType::as_str))
        .bind(&row.ocr).bind(&outcome).bind(&row.note).bind(row.failure_reason.map(FailureReason::as_str))
        .bind(waiting_since(row)).bind(row.session.erasure_requested_at.map(Timestamp::as_millis))
        .execute(conn).await.map(|done| done.rows_affected()))?;
    if saved == 1 {
        row.session.version += 1;
        Ok(())
    } else {
        Err(tx.conflict())
    }
}

/// Notes that the erasure of a tenant's session was requested at `now`, unless it is noted already or the session is erased. Call it before the
/// session is read in the same unit: on Postgres it waits for a unit that is changing the session, and a unit that has read it before gets a
/// conflict.
///
/// # Errors
/// If the database does not respond.
pub async fn request_erasure(tx: &mut Tx, tenant: &TenantId, id: &SessionId, now: Timestamp) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query(
        "UPDATE sessions SET erasure_requested_at = $3, version = version + 1
         WHERE id = $1 AND tenant_id = $2 AND purged_at IS NULL AND erasure_requested_at IS NULL")
        .bind(id.as_str()).bind(tenant.as_str()).bind(now.as_millis()).execute(conn).await.map(drop))
}

/// When the newest session was created, or the newest capture taken: what is newer is not known to this database.
///
/// # Errors
/// If the database does not respond.
pub async fn find_newest_at(tx: &mut Tx) -> Result<Option<Timestamp>, StoreError> {
    // Ids begin with the time.
    let newest: Option<i64> = on!(tx, conn => sqlx::query_scalar(
        "SELECT MAX(at) FROM (
             SELECT (SELECT created_at FROM sessions ORDER BY id DESC LIMIT 1) AS at
             UNION ALL
             SELECT (SELECT created_at FROM captures ORDER BY id DESC LIMIT 1)) AS newest")
        .fetch_one(conn).await)?;
    Ok(newest.map(Timestamp::from_millis))
}
