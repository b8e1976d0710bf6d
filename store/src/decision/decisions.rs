//! Automatic decisions, one for each attempt: the policy and models, and, encrypted, all scores.

use crate::{
    StoreError,
    db::{Tx, on, row},
    ids,
};
use domain::{
    decision::Policy,
    findings::ModelHash,
    ids::{SessionId, TenantId},
    outcome::Verdict,
    session::AttemptNumber,
    time::Timestamp,
};

/// A decision as stored.
#[derive(Clone, Debug, PartialEq)]
pub struct DecisionRow {
    /// The session.
    pub session: SessionId,
    /// The attempt decided.
    pub attempt: AttemptNumber,
    /// When.
    pub decided_at: Timestamp,
    /// The verdict.
    pub verdict: Verdict,
    /// The policy.
    pub policy: Policy,
    /// The models that were used.
    pub models: Vec<ModelHash>,
    /// Encrypted: the explanation, JSON; `None` after erasure.
    pub explanation: Option<Vec<u8>>,
}

row! {
    struct Raw {
        session_id: String,
        attempt: i64,
        decided_at: i64,
        verdict: String,
        policy: String,
        models: String,
        explanation: Option<Vec<u8>>,
    }
}

impl TryFrom<Raw> for DecisionRow {
    type Error = StoreError;

    fn try_from(raw: Raw) -> Result<Self, StoreError> {
        const CORRUPT: StoreError = StoreError::Corrupt("a decision that does not parse");
        Ok(Self {
            session: SessionId::parse(&raw.session_id).ok_or(CORRUPT)?,
            attempt: AttemptNumber::new(raw.attempt),
            decided_at: Timestamp::from_millis(raw.decided_at),
            verdict: Verdict::parse(&raw.verdict).ok_or(CORRUPT)?,
            policy: serde_json::from_str(&raw.policy).map_err(|_| CORRUPT)?,
            models: serde_json::from_str(&raw.models).map_err(|_| CORRUPT)?,
            explanation: raw.explanation,
        })
    }
}

/// Stores a decision.
///
/// # Errors
/// [`StoreError::Duplicate`] if the attempt is already decided.
pub async fn insert(tx: &mut Tx, row: &DecisionRow) -> Result<(), StoreError> {
    let policy = serde_json::to_string(&row.policy).map_err(StoreError::refused)?;
    let models = serde_json::to_string(&row.models).map_err(StoreError::refused)?;
    on!(tx, conn => sqlx::query(
        "INSERT INTO decisions (session_id, attempt, decided_at, verdict, policy, models, explanation)
         VALUES ($1, $2, $3, $4, $5, $6, $7)")
        .bind(row.session.as_str()).bind(row.attempt.get()).bind(row.decided_at.as_millis()).bind(row.verdict.as_str())
        .bind(&policy).bind(&models).bind(&row.explanation).execute(conn).await.map(drop))
}

/// The decisions of a session, oldest first.
///
/// # Errors
/// If the database does not respond or a row does not parse.
pub async fn list(tx: &mut Tx, session: &SessionId) -> Result<Vec<DecisionRow>, StoreError> {
    let raw: Vec<Raw> = on!(tx, conn => sqlx::query_as(
        "SELECT session_id, attempt, decided_at, verdict, policy, models, explanation FROM decisions
         WHERE session_id = $1 ORDER BY attempt")
        .bind(session.as_str()).fetch_all(conn).await)?;
    raw.into_iter().map(DecisionRow::try_from).collect()
}

/// A tenant's sessions whose current attempt was decided since `since` and is not erased, those first of which the last event is the latest.
///
/// # Errors
/// If the database does not respond.
pub async fn list_recent(
    tx: &mut Tx,
    tenant: &TenantId,
    since: Timestamp,
    limit: u32,
) -> Result<Vec<SessionId>, StoreError> {
    // Each decision has an event, which stays for as long as the session is not erased: the index on a tenant's events finds the decisions, however
    // long ago their sessions were created. A session is looked at with its last event only. SQLite takes tables in this order for a cross join.
    let ids: Vec<String> = on!(tx, conn => sqlx::query_scalar(
        "SELECT sessions.id FROM events CROSS JOIN sessions CROSS JOIN decisions
         WHERE events.tenant_id = $1 AND events.created_at >= $2
             AND sessions.id = events.session_id AND sessions.purged_at IS NULL
             AND decisions.session_id = sessions.id AND decisions.attempt = sessions.attempt AND decisions.decided_at >= $2
             AND NOT EXISTS (
                 SELECT 1 FROM events AS later WHERE later.session_id = events.session_id
                     AND (later.created_at, later.id) > (events.created_at, events.id))
         ORDER BY events.created_at DESC, events.id DESC LIMIT $3")
        .bind(tenant.as_str()).bind(since.as_millis()).bind(i64::from(limit)).fetch_all(conn).await)?;
    ids.iter().map(|id| ids::session_id(id)).collect()
}
