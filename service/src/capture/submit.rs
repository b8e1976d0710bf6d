//! Submitting: every step of the plan is complete, and the session is decided next.

use crate::{
    Honnin,
    access::Applicant,
    capture::{
        analyse::enqueue_decision,
        details::typed,
        progress::{Next, Slot, StepRefused, collecting, progress},
        retake::ask_again,
    },
    runtime::sealed_json::seal_json,
};
use domain::{
    audit::AuditAction,
    document::{DocumentType, Side},
    ids::CaptureId,
    secret::Personal,
    session::Step,
    user_input::UserInput,
};
use store::{audit, capture::attempts, session::sessions, vault::SealedValue};

/// What will be submitted.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The kind of document.
    pub document_type: Option<DocumentType>,
    /// Each side's picture; a side without tries left may have none.
    pub pictures: Vec<(Side, CaptureId)>,
    /// The details.
    pub input: Option<Personal<UserInput>>,
    /// The selfie, and a frame of it to show.
    pub selfie: Option<(CaptureId, usize)>,
    /// Whether another selfie can be taken instead.
    pub may_retake_selfie: bool,
    /// Whether the selfie is not good enough and no tries are left, so that a person reviews it.
    pub has_poor_selfie: bool,
}

/// What will be submitted, if that is the next step.
///
/// # Errors
/// [`StepRefused`]; [`StepRefused::OutOfTurn`] also if a picture has to be retaken.
pub async fn summary(honnin: &Honnin, applicant: &Applicant) -> Result<Summary, StepRefused> {
    let attempt = progress(honnin, applicant).await?;
    if attempt.next(honnin.now()) != Next::Submit {
        return Err(StepRefused::OutOfTurn);
    }
    ask_again(honnin, applicant, &attempt).await?;
    let key = honnin.vault.open(&attempt.row.data_key).await?;
    let mut pictures = Vec::new();
    let mut selfie = None;
    for capture in attempt.relied_on() {
        match capture.slot {
            Slot::Document(side) => pictures.push((side, capture.id.clone())),
            // The first frame looks straight ahead.
            Slot::Selfie => selfie = Some((capture.id.clone(), 0)),
        }
    }
    let has_document = attempt.plan().has(Step::Document);
    let may_retake_selfie = attempt.may_retake_selfie();
    let has_problems = attempt
        .shown(Slot::Selfie)
        .is_some_and(|shown| !shown.problems.is_empty());
    Ok(Summary {
        document_type: attempt.document_type().filter(|_| has_document),
        pictures,
        input: if has_document { typed(&attempt, &key)? } else { None },
        selfie,
        may_retake_selfie,
        has_poor_selfie: has_problems && !may_retake_selfie,
    })
}

/// Submits: `collecting` → `deciding`, and the decision's job in the same unit.
///
/// # Errors
/// [`StepRefused`]; a second submit gets [`StepRefused::OutOfTurn`], and so does one with a picture that has to be retaken.
pub async fn submit(honnin: &Honnin, applicant: &Applicant) -> Result<(), StepRefused> {
    let attempt = progress(honnin, applicant).await?;
    if attempt.next(honnin.now()) == Next::Submit {
        ask_again(honnin, applicant, &attempt).await?;
    }
    let key = honnin.vault.open(&attempt.row.data_key).await?;
    let sealed = match typed(&attempt, &key)? {
        Some(input) => Some(seal_json(
            &key,
            &attempt.row.associated_data(SealedValue::Typed),
            input.expose(),
        )?),
        None => None,
    };
    let (seen, who, now) = (attempt.answers.version, applicant.clone(), honnin.now());
    let unit = honnin.db.write(async move |tx| {
        let mut attempt = collecting(tx, &who, now).await?;
        // The details just encrypted must be the ones that are stored.
        if attempt.next(now) != Next::Submit || attempt.answers.version != seen {
            return Err(StepRefused::OutOfTurn);
        }
        attempt.row.session = attempt.row.session.submit(now).map_err(|_| StepRefused::OutOfTurn)?;
        tx.count_session(attempt.row.session.status);
        attempt.row.typed.clone_from(&sealed);
        let has_document = attempt.plan().has(Step::Document);
        attempt.row.document_type = attempt.document_type().filter(|_| has_document);
        sessions::save(tx, &mut attempt.row).await?;
        attempt.answers.submitted_at = Some(now);
        attempts::save(tx, &mut attempt.answers).await?;
        enqueue_decision(tx, &attempt.row.session, now).await?;
        audit::record(tx, &attempt.audit_entry(now, AuditAction::SessionSubmit)).await?;
        Ok(())
    });
    unit.await
}
