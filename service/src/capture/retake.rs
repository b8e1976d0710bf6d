//! What the user should fix before the submit: what was wrong with a picture when it arrived, and what its analysis has found
//! since. The analysis ends after the upload is answered, so every step on the way to the submit checks again.

use crate::{
    Honnin,
    access::Applicant,
    capture::{
        findings::{SideFindings, findings_of_document},
        progress::{AttemptState, Next, Slot, SlotState, StepRefused, collecting, progress},
    },
};
use domain::{
    decision::{kind_shown_instead, retake_reasons},
    document::{DocumentType, OcrField, Side},
    findings::DocumentFindings,
    ids::CaptureId,
    reasons::Reason,
    secret::Personal,
};
use store::{
    StoreError,
    capture::{attempts, captures},
    vault::SessionKey,
};

/// The photo that the user has to check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToCheck {
    /// Its id, part of its URL.
    pub id: CaptureId,
    /// The side it should show.
    pub side: Side,
    /// The kind of document it should show.
    pub document_type: DocumentType,
    /// Why it should be retaken, most urgent first.
    pub problems: Vec<Reason>,
    /// The kind of document that it shows, if it is another one.
    pub looks_like: Option<DocumentType>,
    /// Whether its analysis has ended.
    pub analysed: bool,
    /// Whether there is a picture to show; one that must not be kept has been deleted.
    pub kept: bool,
    /// Whether the card was found, so that it can be shown straightened.
    pub straight: bool,
    /// What was read on it.
    pub read: Personal<Vec<OcrField>>,
    /// Tries left after this one.
    pub tries_left: u8,
}

/// The photo to check next.
///
/// # Errors
/// [`StepRefused::OutOfTurn`] if there is none.
pub async fn to_check(honnin: &Honnin, applicant: &Applicant) -> Result<ToCheck, StepRefused> {
    let attempt = progress(honnin, applicant).await?;
    let (Next::Check(side), Some(document_type)) = (attempt.next(honnin.now()), attempt.document_type()) else {
        return Err(StepRefused::OutOfTurn);
    };
    let slot = Slot::Document(side);
    let SlotState::ToCheck(capture) = attempt.slot(slot) else {
        return Err(StepRefused::OutOfTurn);
    };
    let key = honnin.vault.open(&attempt.row.data_key).await?;
    let found = PictureFindings::of(&attempt, &key)?;
    let problems = found.problems(&attempt, slot);
    // If the card was not found, what was cut out is something else.
    let is_card = !problems.contains(&Reason::DocumentNotFound);
    Ok(ToCheck {
        id: capture.id.clone(),
        side,
        document_type,
        straight: is_card && found.picture(slot).is_some_and(|picture| picture.outline.is_some()),
        problems,
        looks_like: found
            .picture(slot)
            .and_then(|picture| kind_shown_instead(document_type, picture)),
        analysed: capture.analysed_at.is_some(),
        kept: !capture.frames.is_empty(),
        read: Personal::new(
            found
                .picture(slot)
                .map(|picture| picture.fields.clone())
                .unwrap_or_default(),
        ),
        tries_left: attempt.tries_left(slot),
    })
}

/// Asks again for pictures that were accepted before their analysis found problems, unless no tries are left.
///
/// # Errors
/// [`StepRefused::OutOfTurn`] if a picture has to be retaken: its page is next.
pub(crate) async fn ask_again(
    honnin: &Honnin,
    applicant: &Applicant,
    attempt: &AttemptState,
) -> Result<(), StepRefused> {
    let key = honnin.vault.open(&attempt.row.data_key).await?;
    let unsettled = PictureFindings::of(attempt, &key)?.unsettled(attempt);
    if unsettled.is_empty() {
        return Ok(());
    }
    let (seen, applicant, now) = (attempt.answers.version, applicant.clone(), honnin.now());
    let unit = honnin.db.write(async move |tx| -> Result<_, StepRefused> {
        let mut attempt = collecting(tx, &applicant, now).await?;
        // Another tab was faster: its pictures are checked separately.
        if attempt.answers.version == seen {
            for id in &unsettled {
                captures::take_back(tx, id).await?;
            }
            attempts::save(tx, &mut attempt.answers).await?;
        }
        Ok(())
    });
    unit.await?;
    Err(StepRefused::OutOfTurn)
}

/// Whether somebody who was shown `shown` knows about a problem. A user who knows that the document was not found expects its other problems.
pub(crate) fn is_known(problem: Reason, shown: &[Reason]) -> bool {
    let expected = matches!(problem, Reason::DocumentCutOff | Reason::DocumentBlurry);
    shown.contains(&problem) || (expected && shown.contains(&Reason::DocumentNotFound))
}

/// The findings of the pictures that the decision will be based on.
pub(crate) struct PictureFindings(Vec<SideFindings>);

impl PictureFindings {
    pub(crate) fn of(attempt: &AttemptState, key: &SessionKey) -> Result<Self, StoreError> {
        findings_of_document(attempt, key).map(Self)
    }

    fn picture(&self, slot: Slot) -> Option<&DocumentFindings> {
        let (_, found) = self.0.iter().find(|(other, _)| *other == slot)?;
        found.as_ref().map(Personal::expose)
    }

    /// Why the picture of `slot` should be retaken. It is compared with the other side only once that one is settled: of two
    /// pictures of the same side, the one taken for the other side is the wrong one.
    pub(crate) fn problems(&self, attempt: &AttemptState, slot: Slot) -> Vec<Reason> {
        let settled = |other: &&SideFindings| other.0 != slot && matches!(attempt.slot(other.0), SlotState::Done(_));
        self.against(attempt, slot, self.0.iter().filter(settled))
    }

    /// The accepted pictures with problems that were not shown. A back is compared with its front, but not vice versa.
    fn unsettled(&self, attempt: &AttemptState) -> Vec<CaptureId> {
        let accepted = self.0.iter().enumerate().filter_map(|(index, (slot, _))| {
            let SlotState::Done(Some(capture)) = attempt.slot(*slot) else {
                return None;
            };
            let problems = self.against(attempt, *slot, self.0[..index].iter());
            // Used on a node of an earlier version: it keeps what was shown among what was found.
            let shown = capture.accepted_problems.as_ref().unwrap_or(&capture.problems);
            let known = problems.iter().all(|problem| is_known(*problem, shown));
            (!known && attempt.tries_left(*slot) > 0).then(|| capture.id.clone())
        });
        accepted.collect()
    }

    fn against<'a>(
        &'a self,
        attempt: &AttemptState,
        slot: Slot,
        others: impl Iterator<Item = &'a SideFindings>,
    ) -> Vec<Reason> {
        let mut problems = attempt.shown(slot).map(|shown| shown.problems).unwrap_or_default();
        if let (Some(kind), Some(picture)) = (attempt.document_type(), self.picture(slot)) {
            let others = others.filter_map(|(_, found)| found.as_ref().map(Personal::expose));
            let found = retake_reasons(kind, picture, others);
            problems.retain(|problem| !found.contains(problem));
            problems.splice(..0, found);
        }
        if problems.contains(&Reason::DocumentNotFound) {
            // Measured on something that is not a document.
            problems.retain(|problem| !matches!(problem, Reason::DocumentCutOff | Reason::DocumentBlurry));
        }
        problems
    }
}
