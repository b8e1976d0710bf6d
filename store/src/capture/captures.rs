//! Pictures taken: their slot and attempt, what was found in them, and whether the user used them. The pixels are encrypted in
//! the object store under the names of the frames.

use crate::{
    StoreError,
    db::{Tx, on, row},
};
use domain::{
    document::{DocumentType, Side},
    findings::{Asked, Challenge, LiveFindings},
    ids::{CaptureId, SessionId},
    named::Named,
    reasons::Reason,
    session::AttemptNumber,
    time::Timestamp,
};
use serde::{Deserialize, Serialize};

/// What a picture shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Slot {
    /// One side of the document.
    Document(Side),
    /// A burst of the user's face.
    Selfie,
}

impl Slot {
    /// The slot as it is stored.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Document(Side::Front) => "document-front",
            Self::Document(Side::Back) => "document-back",
            Self::Selfie => "selfie",
        }
    }

    /// Parses what [`Slot::as_str`] wrote.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Document(Side::Front), Self::Document(Side::Back), Self::Selfie]
            .into_iter()
            .find(|slot| slot.as_str() == text)
    }
}

/// One picture of a capture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// Name in the object store, to which the encrypted bytes are bound.
    pub object: String,
    /// Lowercase hex SHA-256 of the uploaded bytes; empty once erased, since it would identify the file.
    pub sha256: String,
    /// Milliseconds since the first frame.
    pub at: u32,
    /// Whether another session of the tenant, or an earlier run of this one, had sent the same picture in a selfie before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repeated: bool,
}

/// A capture as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureRow {
    /// Its id.
    pub id: CaptureId,
    /// The session.
    pub session: SessionId,
    /// The attempt it belongs to.
    pub attempt: AttemptNumber,
    /// What it shows.
    pub slot: Slot,
    /// 1 for the first of a slot.
    pub number: i64,
    /// The kind of document that the user had chosen.
    pub document_type: Option<DocumentType>,
    /// What a selfie was asked to show, without the measurements of the face.
    pub asked: Asked,
    /// Encrypted: what the frames in the colours of the screen showed of the face, JSON.
    pub flashes: Option<Vec<u8>>,
    /// The pictures.
    pub frames: Vec<Frame>,
    /// The problems found, for which it should be retaken.
    pub problems: Vec<Reason>,
    /// When it was taken.
    pub created_at: Timestamp,
    /// When the user decided to use it.
    pub accepted_at: Option<Timestamp>,
    /// The problems despite which they decided so; also `None` if they did so on a node of an earlier version, which put them into `problems`.
    pub accepted_problems: Option<Vec<Reason>>,
    /// When the user decided to retake it.
    pub discarded_at: Option<Timestamp>,
    /// Encrypted: the findings, JSON.
    pub findings: Option<Vec<u8>>,
    /// When the analysis ended, with findings or without.
    pub analysed_at: Option<Timestamp>,
}

impl CaptureRow {
    /// The first of `slot` in an attempt, as it was just taken: nothing has been requested for it or found in it, and nobody has seen it yet.
    #[must_use]
    pub fn new(
        id: CaptureId,
        (session, attempt): (&SessionId, AttemptNumber),
        slot: Slot,
        frames: Vec<Frame>,
        created_at: Timestamp,
    ) -> Self {
        Self {
            id,
            session: session.clone(),
            attempt,
            slot,
            number: 1,
            document_type: None,
            asked: Asked::default(),
            flashes: None,
            frames,
            problems: Vec::new(),
            created_at,
            accepted_at: None,
            accepted_problems: None,
            discarded_at: None,
            findings: None,
            analysed_at: None,
        }
    }

    /// How many of its frames another session of the tenant had sent before.
    #[must_use]
    pub fn repeated_frames(&self) -> u32 {
        let repeated = self.frames.iter().filter(|frame| frame.repeated).count();
        u32::try_from(repeated).unwrap_or(u32::MAX)
    }
}

row! {
    struct Raw {
        id: String,
        session_id: String,
        attempt: i64,
        slot: String,
        number: i64,
        document_type: Option<String>,
        challenge: Option<String>,
        live: Option<String>,
        flashes: Option<Vec<u8>>,
        frames: String,
        problems: String,
        created_at: i64,
        accepted_at: Option<i64>,
        accepted_problems: Option<String>,
        problems_accepted_at: Option<i64>,
        found_problems: Option<String>,
        discarded_at: Option<i64>,
        findings: Option<Vec<u8>>,
        analysed_at: Option<i64>,
    }
}

impl TryFrom<Raw> for CaptureRow {
    type Error = StoreError;

    fn try_from(raw: Raw) -> Result<Self, StoreError> {
        const CORRUPT: StoreError = StoreError::Corrupt("a capture that does not parse");
        let kind = raw.document_type.map(|kind| DocumentType::parse(&kind).ok_or(CORRUPT));
        let names = raw.challenge.iter().flat_map(|names| names.split(','));
        let movements = names.map(|name| Challenge::parse(name).ok_or(CORRUPT));
        let live = raw.live.map(|json| serde_json::from_str(&json).map_err(|_| CORRUPT));
        // Otherwise a node of an earlier version has taken it back and used it since, and keeps in `problems` what was shown.
        let are_of_this_use = raw.accepted_at.is_some() && raw.accepted_at == raw.problems_accepted_at;
        let accepted = raw.accepted_problems.filter(|_| are_of_this_use);
        let accepted = accepted.map(|json| known_reasons(&json));
        // An analysis that ended since has replaced what was found, in `problems`.
        let stand = are_of_this_use && raw.analysed_at <= raw.accepted_at;
        let problems = raw.found_problems.filter(|_| stand).unwrap_or(raw.problems);
        Ok(Self {
            id: CaptureId::parse(&raw.id).ok_or(CORRUPT)?,
            session: SessionId::parse(&raw.session_id).ok_or(CORRUPT)?,
            attempt: AttemptNumber::new(raw.attempt),
            slot: Slot::parse(&raw.slot).ok_or(CORRUPT)?,
            number: raw.number,
            document_type: kind.transpose()?,
            asked: Asked {
                movements: movements.collect::<Result<_, _>>()?,
                live: live.transpose()?,
            },
            flashes: raw.flashes,
            frames: serde_json::from_str(&raw.frames).map_err(|_| CORRUPT)?,
            problems: known_reasons(&problems)?,
            created_at: Timestamp::from_millis(raw.created_at),
            accepted_at: raw.accepted_at.map(Timestamp::from_millis),
            accepted_problems: accepted.transpose()?,
            discarded_at: raw.discarded_at.map(Timestamp::from_millis),
            findings: raw.findings,
            analysed_at: raw.analysed_at.map(Timestamp::from_millis),
        })
    }
}

/// The reasons of a list that this version knows. During an upgrade, a node of the next one may have found others: the operation that decides on the
/// picture finds its problems itself.
fn known_reasons(json: &str) -> Result<Vec<Reason>, StoreError> {
    let reasons: Vec<Named<Reason>> =
        serde_json::from_str(json).map_err(|_| StoreError::Corrupt("problems of a capture that do not parse"))?;
    Ok(reasons.iter().filter_map(Named::known).collect())
}

/// Stores a new capture.
///
/// # Errors [`StoreError::Conflict`] if another picture of the slot has its number: another node was faster.
pub async fn insert(tx: &mut Tx, row: &CaptureRow) -> Result<(), StoreError> {
    let frames = serde_json::to_string(&row.frames).map_err(StoreError::refused)?;
    let problems = serde_json::to_string(&row.problems).map_err(StoreError::refused)?;
    let names: Vec<_> = row.asked.movements.iter().map(|movement| movement.as_str()).collect();
    let movements = (!names.is_empty()).then(|| names.join(","));
    // Measurements of a face are stored encrypted only.
    let plain = |live: &LiveFindings| LiveFindings {
        flashes: None,
        ..live.clone()
    };
    let live = row
        .asked
        .live
        .as_ref()
        .map(plain)
        .map(|live| serde_json::to_string(&live));
    let live = live.transpose().map_err(StoreError::refused)?;
    let inserted = on!(tx, conn => sqlx::query(
        "INSERT INTO captures (id, session_id, attempt, slot, try, document_type, challenge, live, flashes, frames, problems,
             created_at, accepted_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)")
        .bind(row.id.as_str()).bind(row.session.as_str()).bind(row.attempt.get()).bind(row.slot.as_str()).bind(row.number)
        .bind(row.document_type.map(DocumentType::as_str)).bind(&movements).bind(&live)
        .bind(&row.flashes).bind(&frames).bind(&problems).bind(row.created_at.as_millis()).bind(row.accepted_at.map(Timestamp::as_millis))
        .execute(conn).await.map(drop));
    match inserted {
        Err(StoreError::Duplicate) => Err(tx.conflict()),
        other => other,
    }
}

macro_rules! select {
    ($clause:literal) => {
        concat!(
            "SELECT id, session_id, attempt, slot, try AS number, document_type, challenge, live, flashes, frames, problems,
                    created_at, accepted_at, accepted_problems, problems_accepted_at, found_problems, discarded_at, findings, analysed_at
             FROM captures ",
            $clause
        )
    };
}

/// The capture with this id.
///
/// # Errors
/// If the database does not respond or the row does not parse.
pub async fn find(tx: &mut Tx, id: &CaptureId) -> Result<Option<CaptureRow>, StoreError> {
    let raw: Option<Raw> = on!(tx, conn => sqlx::query_as(select!("WHERE id = $1"))
        .bind(id.as_str()).fetch_optional(conn).await)?;
    raw.map(CaptureRow::try_from).transpose()
}

/// The captures of one attempt, oldest first.
///
/// # Errors
/// If the database does not respond or a row does not parse.
pub async fn list(tx: &mut Tx, session: &SessionId, attempt: AttemptNumber) -> Result<Vec<CaptureRow>, StoreError> {
    let raw: Vec<Raw> = on!(tx, conn => sqlx::query_as(
        select!("WHERE session_id = $1 AND attempt = $2 ORDER BY created_at, slot, try"))
        .bind(session.as_str()).bind(attempt.get()).fetch_all(conn).await)?;
    raw.into_iter().map(CaptureRow::try_from).collect()
}

/// Every capture of a session, oldest first: the history a reviewer sees.
///
/// # Errors
/// If the database does not respond or a row does not parse.
pub async fn list_all(tx: &mut Tx, session: &SessionId) -> Result<Vec<CaptureRow>, StoreError> {
    let raw: Vec<Raw> = on!(tx, conn => sqlx::query_as(select!("WHERE session_id = $1 ORDER BY attempt, created_at, slot, try"))
        .bind(session.as_str()).fetch_all(conn).await)?;
    raw.into_iter().map(CaptureRow::try_from).collect()
}

/// Marks a capture as used, despite the problems that were `shown`. What was found to be wrong with it stays, as more may have been found since. The
/// column `problems` gets both, because a node of an earlier version looks there for what was shown, and would ask again for the picture.
///
/// # Errors
/// If the database does not respond or the row does not parse.
pub async fn mark_accepted(tx: &mut Tx, id: &CaptureId, shown: &[Reason], now: Timestamp) -> Result<(), StoreError> {
    let unused = find(tx, id).await?.filter(|row| row.accepted_at.is_none());
    let Some(CaptureRow { problems: found, .. }) = unused else {
        return Ok(());
    };
    let new = found.iter().filter(|problem| !shown.contains(problem));
    let known: Vec<Reason> = shown.iter().chain(new).copied().collect();
    let json = |problems: &[Reason]| serde_json::to_string(problems).map_err(StoreError::refused);
    let (known, shown, found) = (json(&known)?, json(shown)?, json(&found)?);
    on!(tx, conn => sqlx::query(
        "UPDATE captures SET accepted_at = $2, problems = $3, accepted_problems = $4, problems_accepted_at = $2, found_problems = $5
         WHERE id = $1 AND accepted_at IS NULL")
        .bind(id.as_str()).bind(now.as_millis()).bind(&known).bind(&shown).bind(&found)
        .execute(conn).await.map(drop))
}

/// Has an accepted capture checked again, for what was found.
///
/// # Errors
/// If the database does not respond or the row does not parse.
pub async fn take_back(tx: &mut Tx, id: &CaptureId) -> Result<(), StoreError> {
    let Some(row) = find(tx, id).await? else {
        return Ok(());
    };
    let problems = serde_json::to_string(&row.problems).map_err(StoreError::refused)?;
    on!(tx, conn => sqlx::query(
        "UPDATE captures SET accepted_at = NULL, problems = $2, accepted_problems = NULL, problems_accepted_at = NULL,
             found_problems = NULL
         WHERE id = $1 AND discarded_at IS NULL")
        .bind(id.as_str()).bind(&problems).execute(conn).await.map(drop))
}

/// Marks a capture as discarded: the user takes another.
///
/// # Errors
/// If the database does not respond.
pub async fn mark_discarded(tx: &mut Tx, id: &CaptureId, now: Timestamp) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("UPDATE captures SET discarded_at = $2 WHERE id = $1 AND discarded_at IS NULL")
        .bind(id.as_str()).bind(now.as_millis()).execute(conn).await.map(drop))
}

/// Ends the analysis of a capture: with encrypted findings, or without if it was given up. `problems` are those known now. An
/// analysis that has ended is not changed; returns whether this one was stored.
///
/// # Errors
/// If the database does not respond.
pub async fn save_findings(
    tx: &mut Tx,
    id: &CaptureId,
    findings: Option<&[u8]>,
    problems: &[Reason],
    now: Timestamp,
) -> Result<bool, StoreError> {
    let problems = serde_json::to_string(problems).map_err(StoreError::refused)?;
    on!(tx, conn => sqlx::query(
        "UPDATE captures SET findings = $2, problems = $3, found_problems = NULL, analysed_at = $4
         WHERE id = $1 AND analysed_at IS NULL")
        .bind(id.as_str()).bind(findings).bind(&problems).bind(now.as_millis())
        .execute(conn).await.map(|done| done.rows_affected() == 1))
}

/// Removes the names of a capture's pictures, which have been deleted.
///
/// # Errors
/// If the database does not respond.
pub async fn forget_frames(tx: &mut Tx, id: &CaptureId) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("UPDATE captures SET frames = '[]' WHERE id = $1")
        .bind(id.as_str()).execute(conn).await.map(drop))
}

/// Empties the personal columns of a session's captures and answers; their key is destroyed next.
///
/// # Errors
/// If the database does not respond.
pub async fn erase(tx: &mut Tx, session: &SessionId) -> Result<(), StoreError> {
    for sql in [
        "UPDATE captures SET findings = NULL, flashes = NULL WHERE session_id = $1",
        "UPDATE attempts SET typed = NULL, draft = NULL WHERE session_id = $1",
        "UPDATE decisions SET explanation = NULL WHERE session_id = $1",
    ] {
        on!(tx, conn => sqlx::query(sql).bind(session.as_str()).execute(conn).await.map(drop))?;
    }
    let rows: Vec<(String, String)> = on!(tx, conn => sqlx::query_as("SELECT id, frames FROM captures WHERE session_id = $1")
        .bind(session.as_str()).fetch_all(conn).await)?;
    for (id, frames) in rows {
        // A value that cannot be parsed is deleted as a whole: nothing may block an erasure.
        let mut frames: Vec<Frame> = serde_json::from_str(&frames).unwrap_or_default();
        frames.iter_mut().for_each(|frame| frame.sha256.clear());
        let frames = serde_json::to_string(&frames).map_err(StoreError::refused)?;
        on!(tx, conn => sqlx::query("UPDATE captures SET frames = $2 WHERE id = $1")
            .bind(&id).bind(&frames).execute(conn).await.map(drop))?;
    }
    Ok(())
}
