//! Everything stored about one session, for people: readings, captures, decisions with their scores, rulings, links, events.
//! Personal parts are decrypted only if the caller says so.

use crate::{
    Honnin,
    runtime::sealed_json::open_json,
    session::read::{SessionDetail, detail},
};
use domain::{
    decision::{Policy, Score},
    document::DocumentType,
    findings::{Asked, DocumentFindings, ModelHash, Pose, SelfieFindings},
    ids::CaptureId,
    named::Named,
    outcome::Verdict,
    reasons::Reason,
    secret::Personal,
    session::{AttemptNumber, FailureReason},
    time::Timestamp,
};
use serde::Deserialize;
use store::{
    StoreError, Tx,
    capture::captures::{self, CaptureRow, Slot},
    decision::decisions::{self, DecisionRow},
    review::{self, Ruled},
    session::{
        links::{self, LinkRow},
        sessions::SessionRow,
    },
    vault::{SealedValue, SessionKey},
    webhook::events::{self, EventRow},
};

/// A picture or burst.
#[derive(Clone, Debug)]
pub struct Taken {
    /// Its id.
    pub id: CaptureId,
    /// Its attempt.
    pub attempt: AttemptNumber,
    /// What it shows.
    pub slot: Slot,
    /// 1 for the first of its slot.
    pub number: i64,
    /// What the user was asked to do, and how it was followed in front of the camera.
    pub asked: Asked,
    /// Where the face looked in the frames of a burst that were analysed.
    pub poses: Vec<Pose>,
    /// How many pictures it has.
    pub frames: usize,
    /// Which of them was judged.
    pub best: usize,
    /// When it was taken.
    pub at: Timestamp,
    /// Whether the user used it.
    pub used: bool,
    /// Why it should be retaken.
    pub problems: Vec<Reason>,
    /// Whether a face was found.
    pub face: bool,
    /// Whether the card was found, so that it can be shown straightened.
    pub straight: bool,
    /// Everything found in the picture of a document.
    pub document: Option<Personal<DocumentFindings>>,
}

/// An automatic decision.
#[derive(Clone, Debug)]
pub struct Decided {
    /// Its attempt.
    pub attempt: AttemptNumber,
    /// When.
    pub at: Timestamp,
    /// The verdict.
    pub verdict: Verdict,
    /// The policy in effect.
    pub policy: Policy,
    /// The models that were used.
    pub models: Vec<ModelHash>,
    /// All scores; empty after erasure.
    pub scores: Vec<Score>,
    /// Its reasons, which stay when a reviewer decides otherwise; empty after erasure.
    pub reasons: Vec<Named<Reason>>,
}

/// A reviewer's decision.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Who decided what, when.
    pub ruled: Ruled,
    /// The note for the next reviewer when the user was asked again. The note of a decision that ended the case is in the
    /// outcome.
    pub note: Option<Personal<String>>,
}

/// Everything stored about one session.
#[derive(Clone, Debug)]
pub struct SessionHistory {
    /// What the API returns as well.
    pub detail: SessionDetail,
    /// The kind of document that the user chose.
    pub document_type: Option<DocumentType>,
    /// Why it ended in `failed`.
    pub failure: Option<FailureReason>,
    /// Where the user is sent back to.
    pub callback_url: Option<String>,
    /// Pictures, oldest first.
    pub captures: Vec<Taken>,
    /// Decisions, oldest first.
    pub decisions: Vec<Decided>,
    /// Reviewers' decisions, oldest first.
    pub rulings: Vec<Judged>,
    /// One-time links, oldest first.
    pub links: Vec<LinkRow>,
    /// Events, oldest first.
    pub events: Vec<EventRow>,
}

/// The rows that make up a history.
pub(crate) struct Rows {
    row: SessionRow,
    captures: Vec<CaptureRow>,
    decisions: Vec<DecisionRow>,
    rulings: Vec<Ruled>,
    links: Vec<LinkRow>,
    events: Vec<EventRow>,
}

impl Rows {
    /// The session itself.
    pub(crate) const fn row(&self) -> &SessionRow {
        &self.row
    }

    /// Its pictures, oldest first.
    pub(crate) fn captures(&self) -> &[CaptureRow] {
        &self.captures
    }

    /// Its events, oldest first.
    pub(crate) fn events(&self) -> &[EventRow] {
        &self.events
    }
}

/// Reads the rows of a session, in the caller's unit.
pub(crate) async fn gather(tx: &mut Tx, row: SessionRow) -> Result<Rows, StoreError> {
    let id = row.session.id.clone();
    Ok(Rows {
        captures: captures::list_all(tx, &id).await?,
        decisions: decisions::list(tx, &id).await?,
        rulings: review::list(tx, &id).await?,
        links: links::list(tx, &id).await?,
        events: events::list_of_session(tx, &id).await?,
        row,
    })
}

/// The part of a decision's explanation that people see.
#[derive(Default, Deserialize)]
struct Explanation {
    scores: Vec<Score>,
    reasons: Vec<Named<Reason>>,
}

/// How much of a history somebody may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Disclosure {
    /// All of it.
    Everything,
    /// What is not encrypted.
    NothingPersonal,
}

/// Assembles the history.
pub(crate) async fn open(honnin: &Honnin, rows: Rows, disclosure: Disclosure) -> Result<SessionHistory, StoreError> {
    let now = honnin.now();
    let key = match disclosure {
        Disclosure::Everything => find_key(honnin, &rows.row).await?,
        Disclosure::NothingPersonal => None,
    };
    let mut bare = rows.row.clone();
    if key.is_none() {
        (bare.known, bare.typed, bare.ocr, bare.note, bare.state) = (None, None, None, None, None);
    }
    let captures = rows
        .captures
        .iter()
        .map(|capture| taken(capture, &rows.row, key.as_ref()))
        .collect::<Result<_, _>>()?;
    let decisions = rows.decisions.iter().map(|row| decided(row, &rows.row, key.as_ref()));
    let rulings = rows.rulings.iter().map(|ruled| judged(ruled, &rows.row, key.as_ref()));
    Ok(SessionHistory {
        decisions: decisions.collect::<Result<_, _>>()?,
        rulings: rulings.collect::<Result<_, _>>()?,
        document_type: rows.row.document_type,
        failure: rows.row.failure_reason,
        callback_url: rows.row.callback_url.clone(),
        detail: detail(honnin, bare, now).await?,
        captures,
        links: rows.links,
        events: rows.events,
    })
}

/// An automatic decision on `session`, with its explanation if there is a key to open it.
fn decided(row: &DecisionRow, session: &SessionRow, key: Option<&SessionKey>) -> Result<Decided, StoreError> {
    let associated_data = session.associated_data(SealedValue::Explanation(row.attempt));
    let sealed = key.zip(row.explanation.as_ref());
    let explained = sealed
        .map(|(key, sealed)| open_json::<Explanation>(key, &associated_data, sealed))
        .transpose()?;
    let explained = explained.map(Personal::into_exposed).unwrap_or_default();
    Ok(Decided {
        attempt: row.attempt,
        at: row.decided_at,
        verdict: row.verdict,
        policy: row.policy.clone(),
        models: row.models.clone(),
        scores: explained.scores,
        reasons: explained.reasons,
    })
}

/// A reviewer's decision on `session`, with its note if there is a key to open it.
fn judged(ruled: &Ruled, session: &SessionRow, key: Option<&SessionKey>) -> Result<Judged, StoreError> {
    let associated_data = session.associated_data(SealedValue::ReviewNote(ruled.attempt));
    let note = key.zip(ruled.note.as_ref());
    Ok(Judged {
        ruled: ruled.clone(),
        note: note
            .map(|(key, sealed)| key.open_text(&associated_data, sealed))
            .transpose()?,
    })
}

/// The key of a session's personal data; `None` once it is erased.
pub(crate) async fn find_key(honnin: &Honnin, row: &SessionRow) -> Result<Option<SessionKey>, StoreError> {
    match honnin.vault.open(&row.data_key).await {
        Ok(key) => Ok(Some(key)),
        Err(StoreError::Erased) => Ok(None),
        Err(other) => Err(other),
    }
}

/// Why a picture should be retaken. An analysis that ended after the picture was used overrides what was shown before.
fn problems(row: &CaptureRow) -> Vec<Reason> {
    let mut problems = row.problems.clone();
    if let Some(shown) = &row.accepted_problems
        && row.accepted_at >= row.analysed_at
    {
        problems.retain(|problem| !shown.contains(problem));
        problems.splice(..0, shown.iter().copied());
    }
    problems
}

/// A picture of `session`, with what was found in it if there is a key to open that.
fn taken(row: &CaptureRow, session: &SessionRow, key: Option<&SessionKey>) -> Result<Taken, StoreError> {
    let mut taken = Taken {
        id: row.id.clone(),
        attempt: row.attempt,
        slot: row.slot,
        number: row.number,
        asked: row.asked.clone(),
        poses: Vec::new(),
        frames: row.frames.len(),
        best: 0,
        at: row.created_at,
        used: row.accepted_at.is_some() && row.discarded_at.is_none(),
        problems: problems(row),
        face: false,
        straight: false,
        document: None,
    };
    let (Some(key), Some(sealed)) = (key, &row.findings) else {
        return Ok(taken);
    };
    let associated_data = session.associated_data(SealedValue::Findings(&row.id));
    match row.slot {
        Slot::Document(_) => {
            let found: Personal<DocumentFindings> = open_json(key, &associated_data, sealed)?;
            let shown = found.expose();
            taken.face = shown.portrait.is_some();
            taken.straight = shown.outline.is_some();
            taken.document = Some(found);
        }
        Slot::Selfie => {
            let found: Personal<SelfieFindings> = open_json(key, &associated_data, sealed)?;
            let found = found.expose();
            taken.poses.clone_from(&found.poses);
            taken.face = found.face.is_some();
            taken.best = found
                .best_frame
                .map_or(0, |frame| frame as usize)
                .min(row.frames.len().saturating_sub(1));
        }
    }
    Ok(taken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{document::Side, ids::SessionId};

    #[test]
    fn what_was_shown_counts_unless_a_later_analysis_knows_better() {
        let (at, session) = (Timestamp::from_millis, SessionId::from_random([1; 16]));
        let (id, slot) = (CaptureId::from_random([2; 16]), Slot::Document(Side::Front));
        let shown = vec![Reason::DocumentTypeMismatch, Reason::DocumentBlurry];
        let used = CaptureRow {
            problems: vec![Reason::DocumentBlurry],
            accepted_at: Some(at(5)),
            accepted_problems: Some(shown.clone()),
            ..CaptureRow::new(id, (&session, AttemptNumber::FIRST), slot, Vec::new(), at(1))
        };
        for (analysed_at, expected) in [(None, &shown), (Some(at(4)), &shown), (Some(at(6)), &used.problems)] {
            let row = CaptureRow {
                analysed_at,
                ..used.clone()
            };
            assert_eq!(problems(&row), *expected, "{analysed_at:?}");
        }
    }
}
