//! A decision with what is kept of it: sealed first, since keys are opened outside units of work; then stored in the unit that ends
//! the session.

use crate::{runtime::sealed_json::seal_json, session::end::record_outcome};
use domain::{
    decision::{Decision, Policy, Score},
    document::OcrField,
    findings::ModelHash,
    ids::{CaptureId, EventId},
    named::Named,
    outcome::{Outcome, SessionRef, Source, Verdict},
    reasons::Reason,
    time::Timestamp,
    user_input::CivilDate,
};
use serde::{Deserialize, Serialize};
use store::{
    StoreError, Tx,
    decision::decisions::{self, DecisionRow, explanation_name},
    session::sessions::{SessionRow, column},
    settings::tenants::TenantRow,
    vault::SessionKey,
};

/// What a decision rested on, kept sealed for the reviewer and for recomputing.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Explanation {
    /// The pictures.
    captures: Vec<CaptureId>,
    /// Every number looked at.
    scores: Vec<Score>,
    /// The reasons.
    reasons: Vec<Reason>,
    /// The day it was decided.
    decided_on: String,
}

/// What a decision was made of.
pub(crate) struct Grounds {
    /// The thresholds.
    pub(crate) policy: Policy,
    /// The models that took part.
    pub(crate) models: Vec<ModelHash>,
    /// The pictures.
    pub(crate) captures: Vec<CaptureId>,
    /// What was read; `None` without a document.
    pub(crate) fields: Option<Vec<OcrField>>,
}

/// A decision with what has to be stored of it.
pub(crate) struct Made {
    decision: Decision,
    policy: Policy,
    models: Vec<ModelHash>,
    ocr: Option<Vec<u8>>,
    explanation: Vec<u8>,
}

impl Made {
    /// Seals what is personal of a decision about the session in `row`.
    ///
    /// # Errors
    /// When the operating system gives no randomness.
    pub(crate) fn seal(
        row: &SessionRow,
        key: &SessionKey,
        decision: Decision,
        grounds: Grounds,
        now: Timestamp,
    ) -> Result<Self, StoreError> {
        let ocr = grounds
            .fields
            .map(|fields| seal_json(key, &row.place(column::OCR), &fields))
            .transpose()?;
        let explanation = Explanation {
            captures: grounds.captures,
            scores: decision.scores.clone(),
            reasons: decision.reasons.clone(),
            decided_on: CivilDate::format(now.date()),
        };
        let name = explanation_name(row.session.attempt);
        let explanation = seal_json(key, &row.place(&name), &explanation)?;
        Ok(Self {
            decision,
            policy: grounds.policy,
            models: grounds.models,
            ocr,
            explanation,
        })
    }

    /// The verdict.
    pub(crate) const fn verdict(&self) -> Verdict {
        self.decision.verdict
    }
}

/// Stores the decision and ends the session in `row` by it: [`domain::session::Session::decide`] has let it. Records the event `id`.
///
/// # Errors
/// [`StoreError::Conflict`] where somebody else was first; [`StoreError::Duplicate`] where the attempt is decided already.
pub(crate) async fn record(
    tx: &mut Tx,
    id: &EventId,
    tenant: &TenantRow,
    row: &mut SessionRow,
    made: &Made,
    now: Timestamp,
) -> Result<(), StoreError> {
    let verdict = made.decision.verdict;
    row.ocr.clone_from(&made.ocr);
    let record = DecisionRow {
        session: row.session.id.clone(),
        attempt: row.session.attempt,
        decided_at: now,
        verdict,
        policy: made.policy.clone(),
        models: made.models.clone(),
        explanation: Some(made.explanation.clone()),
    };
    decisions::insert(tx, &record).await?;
    let outcome = Outcome {
        session: SessionRef {
            session_id: row.session.id.clone(),
            tenant_id: tenant.id.clone(),
        },
        verdict,
        decided_at: now,
        source: Source::Automatic,
        review: None,
        checks: made.decision.checks.clone(),
        reasons: made.decision.reasons.iter().copied().map(Named::Known).collect(),
    };
    record_outcome(tx, id, tenant, row, outcome, now).await
}
