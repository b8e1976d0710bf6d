//! Submitting: every step of the plan is complete, and the session is decided next.

use crate::{
    Honnin,
    access::Applicant,
    analyse::enqueue_decision,
    mend::ask_again,
    progress::{Next, NotNow, Slot, collecting, progress},
    sealed::seal_json,
    type_in::{place, typed},
};
use domain::{
    document::{DocumentType, Side},
    ids::CaptureId,
    secret::Personal,
    session::Step,
    user_input::UserInput,
};
use store::{attempts, audit, sessions, sessions::column};

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
}

/// What will be submitted, if that is the next step.
///
/// # Errors
/// [`NotNow`]; [`NotNow::OutOfTurn`] also if a picture has to be retaken.
pub async fn summary(honnin: &Honnin, applicant: &Applicant) -> Result<Summary, NotNow> {
    let standing = progress(honnin, applicant).await?;
    if standing.next(honnin.now()) != Next::Submit {
        return Err(NotNow::OutOfTurn);
    }
    ask_again(honnin, applicant, &standing).await?;
    let key = honnin.vault.open(&standing.row.data_key).await?;
    let mut pictures = Vec::new();
    let mut selfie = None;
    for capture in standing.relied_on() {
        match capture.slot {
            Slot::Document(side) => pictures.push((side, capture.id.clone())),
            // The first frame looks straight ahead.
            Slot::Selfie => selfie = Some((capture.id.clone(), 0)),
        }
    }
    let has_document = standing.plan().has(Step::Document);
    Ok(Summary {
        document_type: standing.document_type().filter(|_| has_document),
        pictures,
        input: if has_document { typed(&standing, &key)? } else { None },
        selfie,
    })
}

/// Submits: `collecting` → `deciding`, and the decision's job in the same unit.
///
/// # Errors
/// [`NotNow`]; a second submit gets [`NotNow::OutOfTurn`], and so does one with a picture that has to be retaken.
pub async fn submit(honnin: &Honnin, applicant: &Applicant) -> Result<(), NotNow> {
    let standing = progress(honnin, applicant).await?;
    if standing.next(honnin.now()) == Next::Submit {
        ask_again(honnin, applicant, &standing).await?;
    }
    let key = honnin.vault.open(&standing.row.data_key).await?;
    let sealed = match typed(&standing, &key)? {
        Some(input) => Some(seal_json(&key, &place(&standing, column::TYPED), input.expose())?),
        None => None,
    };
    let (seen, who, now) = (standing.answers.version, applicant.clone(), honnin.now());
    let unit = honnin.db.write(async move |tx| {
        let mut standing = collecting(tx, &who, now).await?;
        // The details just encrypted must be the ones that are stored.
        if standing.next(now) != Next::Submit || standing.answers.version != seen {
            return Err(NotNow::OutOfTurn);
        }
        standing.row.session = standing.row.session.submit(now).map_err(|_| NotNow::OutOfTurn)?;
        tx.count_session(standing.row.session.status);
        standing.row.typed.clone_from(&sealed);
        let has_document = standing.plan().has(Step::Document);
        standing.row.document_type = standing.document_type().filter(|_| has_document);
        sessions::save(tx, &mut standing.row).await?;
        standing.answers.submitted_at = Some(now);
        attempts::save(tx, &mut standing.answers).await?;
        enqueue_decision(tx, standing.row.session.id.as_str(), now).await?;
        audit::record(tx, &standing.audit_entry(now, "session.submit")).await?;
        Ok(())
    });
    unit.await
}
