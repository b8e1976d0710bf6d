//! A decision and its record. The record is encrypted first, since keys are read outside units of work, and then stored in
//! the unit that ends the session.

use crate::{runtime::sealed_json::seal_json, session::end::Ending};
use domain::{
    civil_date,
    decision::{Decision, FaceSearch, Policy, Score},
    document::OcrField,
    findings::ModelHash,
    ids::CaptureId,
    named::Named,
    outcome::{Outcome, Source, Verdict},
    reasons::Reason,
    time::Timestamp,
};
use serde::{Deserialize, Serialize};
use store::{
    StoreError, Tx,
    decision::decisions::{self, DecisionRow},
    session::{
        blind_index::{self, TermHash},
        sessions::SessionRow,
    },
    vault::{SealedValue, SessionKey},
};

/// What a decision was based on, stored encrypted for reviewers and for recomputing it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Explanation {
    /// The pictures.
    pub(crate) captures: Vec<CaptureId>,
    /// All scores.
    pub(crate) scores: Vec<Score>,
    /// The reasons.
    pub(crate) reasons: Vec<Reason>,
    /// The day it was decided.
    pub(crate) decided_on: String,
    /// The search for the face; absent from decisions made before it was kept.
    #[serde(default)]
    pub(crate) faces: Option<FaceSearch>,
}

/// The input of a decision.
pub(crate) struct Grounds {
    /// The policy.
    pub(crate) policy: Policy,
    /// The models that were used.
    pub(crate) models: Vec<ModelHash>,
    /// The pictures.
    pub(crate) captures: Vec<CaptureId>,
    /// What was read; `None` without a document.
    pub(crate) fields: Option<Vec<OcrField>>,
    /// By which the session is found.
    pub(crate) terms: Vec<TermHash>,
    /// The search for the face among approved people.
    pub(crate) faces: FaceSearch,
}

/// A decision with everything to store.
pub(crate) struct SealedDecision {
    decision: Decision,
    policy: Policy,
    models: Vec<ModelHash>,
    ocr: Option<Vec<u8>>,
    explanation: Vec<u8>,
    terms: Vec<TermHash>,
}

impl SealedDecision {
    /// Encrypts the personal parts of a decision about the session in `row`.
    ///
    /// # Errors
    /// If the operating system provides no randomness.
    pub(crate) fn seal(
        row: &SessionRow,
        key: &SessionKey,
        decision: Decision,
        grounds: Grounds,
        now: Timestamp,
    ) -> Result<Self, StoreError> {
        let ocr = grounds
            .fields
            .map(|fields| seal_json(key, &row.associated_data(SealedValue::Ocr), &fields))
            .transpose()?;
        let explanation = Explanation {
            captures: grounds.captures,
            scores: decision.scores.clone(),
            reasons: decision.reasons.clone(),
            decided_on: civil_date::format(now.date()),
            faces: Some(grounds.faces),
        };
        let associated_data = row.associated_data(SealedValue::Explanation(row.session.attempt));
        let explanation = seal_json(key, &associated_data, &explanation)?;
        Ok(Self {
            decision,
            policy: grounds.policy,
            models: grounds.models,
            ocr,
            explanation,
            terms: grounds.terms,
        })
    }

    /// The verdict.
    pub(crate) const fn verdict(&self) -> Verdict {
        self.decision.verdict
    }
}

/// Stores the decision and ends the session, after [`domain::session::Session::decide`] has allowed it.
///
/// # Errors
/// [`StoreError::Conflict`] if a concurrent operation came first; [`StoreError::Duplicate`] if the attempt is already decided.
pub(crate) async fn record(tx: &mut Tx, ending: Ending<'_>, sealed: &SealedDecision) -> Result<(), StoreError> {
    let (verdict, decided_at) = (sealed.decision.verdict, ending.at.now);
    ending.row.ocr.clone_from(&sealed.ocr);
    let session = &ending.row.session;
    let record = DecisionRow {
        session: session.id.clone(),
        attempt: session.attempt,
        decided_at,
        verdict,
        policy: sealed.policy.clone(),
        models: sealed.models.clone(),
        explanation: Some(sealed.explanation.clone()),
    };
    decisions::insert(tx, &record).await?;
    blind_index::add(tx, &ending.tenant.id, &session.id, &sealed.terms).await?;
    let outcome = Outcome {
        session: ending.session(),
        verdict,
        decided_at,
        source: Source::Automatic,
        review: None,
        checks: sealed.decision.checks.clone(),
        reasons: sealed.decision.reasons.iter().copied().map(Named::Known).collect(),
    };
    ending.decide(tx, outcome).await
}
