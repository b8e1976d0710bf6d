//! The progress of an end user in an attempt: the next step follows from what is stored, never from what the browser says. So a
//! reload, a second tab or another visit shows the right page.

use super::branding::{self, Branding};
use crate::{
    Honnin,
    access::{
        Applicant,
        capture_cookie::{IDLE, PRECISION},
    },
    runtime::wake_up::poll_until,
    session,
};
use domain::{
    audit::AuditAction,
    document::{DocumentType, Side},
    ids::CaptureId,
    reasons::Reason,
    session::{Plan, Status, Step as PlanStep},
    time::{Millis, Timestamp},
};
use std::time::Duration;
use store::{
    StoreError, Tx, audit,
    capture::{
        attempts::{self, AttemptRow},
        capture_cookies,
        captures::{self, CaptureRow},
    },
    session::sessions::{self, SessionRow},
    settings::tenants::{self, TenantRow},
};

pub use store::capture::captures::Slot;

/// The next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Agree or decline.
    Consent,
    /// Choose the document.
    Choose,
    /// Photograph a side.
    Photograph(Side),
    /// Check the photo just taken.
    Check(Side),
    /// Type in the details.
    Details,
    /// Take the selfie.
    Selfie,
    /// Review everything and submit it.
    Submit,
    /// Submitted, or ended otherwise.
    Result,
    /// The deadline has passed.
    Expired,
}

/// Why a step cannot be taken now.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StepRefused {
    /// The attempt has ended for this browser.
    #[error("this attempt is over")]
    Over,
    /// Another step is due: the page was out of date.
    #[error("another step is next")]
    OutOfTurn,
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A picture as the pages show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Its id, part of its URL.
    pub id: CaptureId,
    /// Why it should be retaken, most urgent first.
    pub problems: Vec<Reason>,
}

/// Everything stored about an attempt.
#[derive(Clone, Debug)]
pub struct AttemptState {
    pub(crate) row: SessionRow,
    pub(crate) tenant: TenantRow,
    branding: Branding,
    pub(crate) answers: AttemptRow,
    pub(crate) captures: Vec<CaptureRow>,
    /// The absolute end of the browser's access; `None` if no browser is involved.
    until: Option<Timestamp>,
}

/// How much time a browser has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLeft {
    /// At least this long.
    pub span: Millis,
    /// Whether activity extends it.
    pub renewable: bool,
}

/// The state of one slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SlotState<'a> {
    /// A picture is needed.
    Open,
    /// There is a picture that the user has to check, or should retake.
    ToCheck(&'a CaptureRow),
    /// Continues with this one; `None` only if no tries are left.
    Done(Option<&'a CaptureRow>),
}

/// The user's progress.
///
/// # Errors
/// [`StepRefused::Over`] if the attempt is no longer the session's current one.
pub async fn progress(honnin: &Honnin, applicant: &Applicant) -> Result<AttemptState, StepRefused> {
    let applicant = applicant.clone();
    let unit = honnin.db.read(async move |tx| load(tx, &applicant).await);
    unit.await
}

/// The user's progress once the pictures taken so far are analysed; waits for that at most for `wait_at_most`.
///
/// # Errors
/// As [`progress`].
pub async fn analysed_within(
    honnin: &Honnin,
    applicant: &Applicant,
    wait_at_most: Duration,
) -> Result<AttemptState, StepRefused> {
    let analysed = |attempt: &AttemptState| !attempt.is_being_analysed();
    let look = || progress(honnin, applicant);
    poll_until(honnin, applicant.session(), wait_at_most, analysed, look).await
}

/// As [`progress`], in the caller's unit.
pub(crate) async fn load(tx: &mut Tx, applicant: &Applicant) -> Result<AttemptState, StepRefused> {
    let row = sessions::find_any(tx, applicant.session())
        .await?
        .ok_or(StepRefused::Over)?;
    if row.session.attempt != applicant.attempt() || row.session.purged_at.is_some() {
        return Err(StepRefused::Over);
    }
    let attempt = gather(tx, row).await?;
    Ok(AttemptState {
        until: Some(applicant.until()),
        ..attempt
    })
}

/// Everything of the session's current attempt.
pub(crate) async fn gather(tx: &mut Tx, row: SessionRow) -> Result<AttemptState, StoreError> {
    let tenant = tenants::load(tx, &row.session.tenant).await?;
    let (id, attempt) = (row.session.id.clone(), row.session.attempt);
    let branding = branding::load(tx, &tenant).await?;
    let answers = attempts::load(tx, &id, attempt).await?;
    let captures = captures::list(tx, &id, attempt).await?;
    Ok(AttemptState {
        row,
        tenant,
        branding,
        answers,
        captures,
        until: None,
    })
}

/// As [`load`], if the session is still in `collecting` and this browser's still. For a writing unit: whatever else changes the session, an erasure
/// or a new link, waits until it is done.
pub(crate) async fn collecting(
    tx: &mut Tx,
    applicant: &Applicant,
    now: Timestamp,
) -> Result<AttemptState, StepRefused> {
    sessions::lock(tx, applicant.session()).await?;
    // An upload takes minutes, in which the session may have gone to another browser.
    let cookie = capture_cookies::find(tx, applicant.cookie()).await?;
    if cookie.is_none_or(|cookie| cookie.ended_at.is_some()) {
        return Err(StepRefused::Over);
    }
    let attempt = load(tx, applicant).await?;
    match attempt.row.session.status_at(now) {
        Status::Collecting => Ok(attempt),
        _ => Err(StepRefused::OutOfTurn),
    }
}

impl AttemptState {
    /// The next step.
    #[must_use]
    pub fn next(&self, now: Timestamp) -> Next {
        match self.row.session.status_at(now) {
            Status::Expired => return Next::Expired,
            Status::Created | Status::Collecting => {}
            Status::Deciding | Status::Reviewing | Status::Completed | Status::Failed => return Next::Result,
        }
        if self.answers.consent.is_none() {
            return Next::Consent;
        }
        let plan = self.plan();
        if plan.has(PlanStep::Document)
            && let Some(next) = self.next_of_document()
        {
            return next;
        }
        if plan.has(PlanStep::Selfie) && !matches!(self.slot(Slot::Selfie), SlotState::Done(_)) {
            return Next::Selfie;
        }
        Next::Submit
    }

    fn next_of_document(&self) -> Option<Next> {
        let Some(kind) = self.answers.document_type else {
            return Some(Next::Choose);
        };
        for &side in kind.sides() {
            match self.slot(Slot::Document(side)) {
                SlotState::Open => return Some(Next::Photograph(side)),
                SlotState::ToCheck(_) => return Some(Next::Check(side)),
                SlotState::Done(_) => {}
            }
        }
        self.answers.typed.is_none().then_some(Next::Details)
    }

    pub(crate) fn slot(&self, slot: Slot) -> SlotState<'_> {
        let exhausted = self.tries_left(slot) == 0;
        match (self.latest(slot), slot) {
            (Some(last), Slot::Selfie) if last.discarded_at.is_some() && !exhausted => SlotState::Open,
            (Some(last), Slot::Selfie) if exhausted || is_settled(last) => SlotState::Done(Some(last)),
            (Some(last), Slot::Selfie) => SlotState::ToCheck(last),
            (Some(last), Slot::Document(_)) if last.discarded_at.is_none() => match last.accepted_at {
                Some(_) => SlotState::Done(Some(last)),
                None => SlotState::ToCheck(last),
            },
            // No tries are left: it continues with what it has, to review.
            (last, _) if exhausted => SlotState::Done(last),
            _ => SlotState::Open,
        }
    }

    /// The last picture of a slot, of the kind of document chosen now.
    fn latest(&self, slot: Slot) -> Option<&CaptureRow> {
        let fits = |capture: &&CaptureRow| {
            capture.slot == slot && (slot == Slot::Selfie || capture.document_type == self.answers.document_type)
        };
        self.captures.iter().filter(fits).max_by_key(|capture| capture.number)
    }

    /// The pictures that a decision is based on: the last one of each slot of the plan.
    pub(crate) fn relied_on(&self) -> Vec<&CaptureRow> {
        let sides = self.answers.document_type.map_or(&[][..], DocumentType::sides);
        let document = sides.iter().map(|&side| Slot::Document(side));
        let document = document.filter(|_| self.plan().has(PlanStep::Document));
        let selfie = self.plan().has(PlanStep::Selfie).then_some(Slot::Selfie);
        document.chain(selfie).filter_map(|slot| self.latest(slot)).collect()
    }

    /// Whether a photo of the chosen document can be discarded for a new one.
    #[must_use]
    pub fn may_photograph_again(&self) -> bool {
        let replaced = |capture: &&CaptureRow| {
            capture.slot != Slot::Selfie && capture.discarded_at.is_none() && self.tries_left(capture.slot) > 0
        };
        self.relied_on().iter().any(replaced)
    }

    /// Whether the last selfie is that of a user who cannot move.
    #[must_use]
    pub fn has_selfie_without_movement(&self) -> bool {
        self.latest(Slot::Selfie)
            .is_some_and(|capture| capture.asked.movements.is_empty())
    }

    /// Whether the selfie can be discarded for a new one.
    #[must_use]
    pub fn may_retake_selfie(&self) -> bool {
        self.tries_left(Slot::Selfie) > 0
    }

    /// Whether the selfie can be used despite its problems: another try showed nothing new. What was found may be a mistake, or something that the
    /// user cannot take off.
    #[must_use]
    pub fn may_use_selfie_anyway(&self) -> bool {
        let SlotState::ToCheck(last) = self.slot(Slot::Selfie) else {
            return false;
        };
        let is_earlier = |capture: &&CaptureRow| capture.slot == Slot::Selfie && capture.number < last.number;
        let is_repeated = |problem: &Reason| {
            let mut earlier = self.captures.iter().filter(is_earlier);
            earlier.any(|capture| capture.problems.contains(problem))
        };
        last.problems.iter().all(is_repeated)
    }

    /// Whether a picture that the decision is based on is still being analysed.
    #[must_use]
    pub fn is_being_analysed(&self) -> bool {
        self.relied_on().iter().any(|capture| capture.analysed_at.is_none())
    }

    /// The last picture of a slot as the pages show it.
    #[must_use]
    pub fn shown(&self, slot: Slot) -> Option<Shown> {
        self.latest(slot).map(|capture| Shown {
            id: capture.id.clone(),
            problems: capture.problems.clone(),
        })
    }

    /// Tries left for a slot.
    #[must_use]
    pub fn tries_left(&self, slot: Slot) -> u8 {
        let used = self.captures.iter().filter(|capture| capture.slot == slot).count();
        let tries = self.tenant.settings_or_default().tries;
        tries.saturating_sub(u8::try_from(used).unwrap_or(u8::MAX))
    }

    /// The steps of the session.
    #[must_use]
    pub const fn plan(&self) -> &Plan {
        &self.row.session.plan
    }

    /// Whether consent was given.
    #[must_use]
    pub(crate) const fn has_consent(&self) -> bool {
        self.answers.consent.is_some()
    }

    /// Whether every side of the document is taken.
    #[must_use]
    pub fn has_pictures(&self) -> bool {
        matches!(self.next_of_document(), None | Some(Next::Details))
    }

    /// The kind of document that the user chose.
    #[must_use]
    pub const fn document_type(&self) -> Option<DocumentType> {
        self.answers.document_type
    }

    /// How much time the current browser has left; `None` if the session expects nothing more from it.
    #[must_use]
    pub fn time_left(&self, now: Timestamp) -> Option<TimeLeft> {
        if matches!(self.next(now), Next::Result | Next::Expired) {
            return None;
        }
        let end = self.until?.min(self.row.session.expires_at);
        let idle = now.plus(Millis(IDLE.0 - PRECISION.0));
        Some(TimeLeft {
            span: Millis(end.min(idle).as_millis() - now.as_millis()),
            renewable: idle < end,
        })
    }

    /// How the tenant presents itself.
    #[must_use]
    pub const fn branding(&self) -> &Branding {
        &self.branding
    }

    /// Whether the tenant uses the face search among approved people.
    #[must_use]
    pub fn searches_faces(&self) -> bool {
        self.plan().has(PlanStep::Selfie) && self.tenant.settings_or_default().policy.find_duplicates
    }

    /// Whether the screen shows changing colours at the end of a selfie.
    #[must_use]
    pub fn shows_colours(&self) -> bool {
        self.tenant.settings_or_default().flashes
    }

    /// The retention period.
    #[must_use]
    pub fn retention(&self) -> Millis {
        self.tenant.settings_or_default().retention
    }

    /// An audit entry for something the user did.
    pub(crate) fn audit_entry(&self, at: Timestamp, action: AuditAction) -> audit::Entry {
        session::audit_entry(&self.row, at, action)
    }
}

/// Whether nothing is wrong with a selfie, or the user decided to use it despite all that is.
fn is_settled(selfie: &CaptureRow) -> bool {
    let accepted = selfie.accepted_problems.as_deref().unwrap_or_default();
    selfie.problems.iter().all(|problem| accepted.contains(problem))
}
