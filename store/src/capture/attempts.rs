//! What the end user has entered in one attempt of a session. Saved by compare-and-set, so that two tabs cannot overwrite each
//! other.

use crate::{
    StoreError,
    db::{Tx, on, row},
};
use domain::{
    document::DocumentType,
    findings::Challenge,
    ids::SessionId,
    language::Language,
    session::AttemptNumber,
    time::{Millis, Timestamp},
};

/// The answers of one attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptRow {
    /// The session.
    pub session: SessionId,
    /// Which attempt.
    pub attempt: AttemptNumber,
    /// 0 if nothing is stored yet.
    pub version: i64,
    /// The language of the consent.
    pub language: Option<Language>,
    /// The consent, once it is given.
    pub consent: Option<Consent>,
    /// Whether the user agreed to the face search among approved people; `None` if not asked.
    pub face_search: Option<bool>,
    /// The kind of document that the user chose.
    pub document_type: Option<DocumentType>,
    /// Encrypted: the details as typed, JSON of `UserInput`.
    pub typed: Option<Vec<u8>>,
    /// Encrypted: what was typed and not confirmed, JSON of `TypedForm`.
    pub draft: Option<Vec<u8>>,
    /// The next movement to request.
    pub challenge: Option<RequestedMovement>,
    /// Id of the latest run of the selfie camera; no other counts.
    pub live_id: Option<String>,
    /// How many runs of the selfie camera have requested something.
    pub live_runs: i64,
    /// How far one of them is: the latest, unless a node of an earlier release has begun another.
    pub live_step: Option<RunStep>,
    /// When it was submitted.
    pub submitted_at: Option<Timestamp>,
}

/// What the user agreed to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consent {
    /// Version of the consent text.
    pub version: String,
    /// When.
    pub at: Timestamp,
    /// For how long after the end of the session they were told that their data is kept; `None` if a node of an earlier release stored the consent.
    pub retention: Option<Millis>,
}

/// A movement that the page's form requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestedMovement {
    /// Its id, which the response names.
    pub id: String,
    /// What to do.
    pub challenge: Challenge,
}

/// How far a run of the selfie camera is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunStep {
    /// Its id.
    pub run: String,
    /// How many steps are behind it.
    pub step: i64,
    /// Since when.
    pub since: Timestamp,
    /// How many turns were not seen from their beginning.
    pub unseen_turns: i64,
}

impl AttemptRow {
    /// An attempt with no answer yet.
    #[must_use]
    pub const fn new(session: SessionId, attempt: AttemptNumber) -> Self {
        Self {
            session,
            attempt,
            version: 0,
            language: None,
            consent: None,
            face_search: None,
            document_type: None,
            typed: None,
            draft: None,
            challenge: None,
            live_id: None,
            live_runs: 0,
            live_step: None,
            submitted_at: None,
        }
    }

    /// How many steps this run has behind it, as far as is stored.
    #[must_use]
    pub fn step_of(&self, run: &str) -> i64 {
        let latest = self.live_step.as_ref().filter(|latest| latest.run == run);
        latest.map_or(0, |latest| latest.step)
    }
}

row! {
    struct Raw {
        version: i64,
        language: Option<String>,
        consent_version: Option<String>,
        consented_at: Option<i64>,
        consent_retention: Option<i64>,
        face_search: Option<bool>,
        document_type: Option<String>,
        typed: Option<Vec<u8>>,
        draft: Option<Vec<u8>>,
        challenge_id: Option<String>,
        challenge: Option<String>,
        live_id: Option<String>,
        live_runs: i64,
        step_run: Option<String>,
        step: Option<i64>,
        step_since: Option<i64>,
        step_unseen_turns: Option<i64>,
        submitted_at: Option<i64>,
    }
}

/// The answers of an attempt; empty if nothing is stored yet.
///
/// # Errors
/// If the database does not respond or the row does not parse.
pub async fn load(tx: &mut Tx, session: &SessionId, attempt: AttemptNumber) -> Result<AttemptRow, StoreError> {
    let raw: Option<Raw> = on!(tx, conn => sqlx::query_as(
        "SELECT version, language, consent_version, consented_at, consent_retention, face_search, document_type, typed, draft, challenge_id, challenge,
                live_id, live_runs, step_run, step, step_since, step_unseen_turns, submitted_at
         FROM attempts WHERE session_id = $1 AND attempt = $2")
        .bind(session.as_str()).bind(attempt.get()).fetch_optional(conn).await)?;
    let mut row = AttemptRow::new(session.clone(), attempt);
    let Some(raw) = raw else { return Ok(row) };
    let corrupt = StoreError::Corrupt("an attempt that does not parse");
    row.version = raw.version;
    row.language = raw.language.as_deref().and_then(Language::parse);
    let consent = raw.consent_version.zip(raw.consented_at.map(Timestamp::from_millis));
    row.consent = consent.map(|(version, at)| Consent {
        version,
        at,
        retention: raw.consent_retention.map(Millis),
    });
    row.face_search = raw.face_search;
    if let Some(kind) = raw.document_type {
        row.document_type = Some(DocumentType::parse(&kind).ok_or_else(|| corrupt.clone())?);
    }
    (row.typed, row.draft) = (raw.typed, raw.draft);
    if let Some((id, challenge)) = raw.challenge_id.zip(raw.challenge) {
        let challenge = Challenge::parse(&challenge).ok_or(corrupt)?;
        row.challenge = Some(RequestedMovement { id, challenge });
    }
    (row.live_id, row.live_runs) = (raw.live_id, raw.live_runs);
    if let (Some(run), Some(step), Some(since)) = (raw.step_run, raw.step, raw.step_since) {
        row.live_step = Some(RunStep {
            run,
            step,
            since: Timestamp::from_millis(since),
            unseen_turns: raw.step_unseen_turns.unwrap_or_default(),
        });
    }
    row.submitted_at = raw.submitted_at.map(Timestamp::from_millis);
    Ok(row)
}

/// Saves the answers if `row` is still current, and increments its version.
///
/// # Errors
/// [`StoreError::Conflict`] if it was changed in the meantime.
pub async fn save(tx: &mut Tx, row: &mut AttemptRow) -> Result<(), StoreError> {
    let (consent, requested, step) = (row.consent.as_ref(), row.challenge.as_ref(), row.live_step.as_ref());
    let saved = on!(tx, conn => sqlx::query(
        "INSERT INTO attempts (session_id, attempt, version, language, consent_version, consented_at, document_type, typed,
             challenge_id, challenge, submitted_at, face_search, live_id, live_runs, details_given,
             step_run, step, step_since, step_unseen_turns, draft, consent_retention)
         VALUES ($1, $2, $3 + 1, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)
         ON CONFLICT (session_id, attempt) DO UPDATE SET version = excluded.version, language = excluded.language,
             consent_version = excluded.consent_version, consented_at = excluded.consented_at,
             consent_retention = excluded.consent_retention,
             document_type = excluded.document_type, typed = excluded.typed, challenge_id = excluded.challenge_id,
             challenge = excluded.challenge, submitted_at = excluded.submitted_at, face_search = excluded.face_search,
             live_id = excluded.live_id, live_runs = excluded.live_runs,
             step_run = excluded.step_run, step = excluded.step, step_since = excluded.step_since,
             step_unseen_turns = excluded.step_unseen_turns, draft = excluded.draft,
             details_given = (attempts.details_given OR excluded.details_given)
         WHERE attempts.version = $3")
        .bind(row.session.as_str()).bind(row.attempt.get()).bind(row.version).bind(row.language.map(Language::as_str))
        .bind(consent.map(|consent| &consent.version)).bind(consent.map(|consent| consent.at.as_millis()))
        .bind(row.document_type.map(DocumentType::as_str)).bind(&row.typed)
        .bind(requested.map(|requested| &requested.id)).bind(requested.map(|requested| requested.challenge.as_str()))
        .bind(row.submitted_at.map(Timestamp::as_millis))
        .bind(row.face_search).bind(&row.live_id).bind(row.live_runs).bind(row.typed.is_some())
        .bind(step.map(|step| &step.run)).bind(step.map(|step| step.step)).bind(step.map(|step| step.since.as_millis()))
        .bind(step.map(|step| step.unseen_turns)).bind(&row.draft)
        .bind(consent.and_then(|consent| consent.retention).map(|retention| retention.0))
        .execute(conn).await.map(|done| done.rows_affected()))?;
    if saved == 1 {
        row.version += 1;
        Ok(())
    } else {
        Err(tx.conflict())
    }
}

/// The shortest time for which a user of this session was told, in any attempt, that their data is kept after its end; `None` if nobody was told.
///
/// # Errors
/// If the database does not respond.
pub async fn promised_retention(tx: &mut Tx, session: &SessionId) -> Result<Option<Millis>, StoreError> {
    let (shortest,): (Option<i64>,) = on!(tx, conn => sqlx::query_as(
        "SELECT MIN(consent_retention) FROM attempts WHERE session_id = $1")
        .bind(session.as_str()).fetch_one(conn).await)?;
    Ok(shortest.map(Millis))
}

/// Empties up to `limit` drafts of sessions that are erased. A version without drafts empties the other columns only, and its nodes still run during an
/// upgrade. Returns how many it emptied.
///
/// # Errors
/// If the database does not respond.
pub async fn empty_drafts_of_erased(tx: &mut Tx, limit: u32) -> Result<u64, StoreError> {
    on!(tx, conn => sqlx::query(
        "UPDATE attempts SET draft = NULL WHERE (session_id, attempt) IN (
             SELECT drafted.session_id, drafted.attempt FROM attempts AS drafted
             JOIN sessions ON sessions.id = drafted.session_id
             WHERE drafted.draft IS NOT NULL AND sessions.purged_at IS NOT NULL LIMIT $1)")
        .bind(i64::from(limit)).execute(conn).await.map(|done| done.rows_affected()))
}
