//! Opening a case, and its pictures. Each access to personal data is recorded before it is decrypted: the entry for opening a case names
//! the pictures on its page, and looking at another picture, or later, has an entry of its own.

use super::{
    LookedAt,
    same_face::{self, approved_since},
    steps_not_performed,
};
use crate::{
    Honnin,
    access::Reviewer,
    capture::rectify::{FrameOf, View, Viewer, open_frame},
    session::history::{self, Disclosure, Rows, SessionHistory},
};
use domain::{
    audit::AuditAction,
    document::Side,
    ids::{CaptureId, SessionId, UserId},
    named::Named,
    reasons::Reason,
    ruling::RESERVATION,
    secret::Personal,
    session::{Status, Step},
};
use store::{
    StoreError, Tx, audit,
    capture::captures::{self, CaptureRow, Slot},
    decision::identities,
    people::Colleague,
    review::{self, NamedPending, Reservation, Undone},
    session::sessions::{self, SessionRow},
    vault::SealedValue,
};

/// How many sessions with the same document are shown.
const MAX_SHOWN: u32 = 5;

/// A case as the reviewer sees it.
#[derive(Clone, Debug)]
pub struct Case {
    /// Everything stored about the session.
    pub history: SessionHistory,
    /// The pictures that count: the last used one of each side and of the face, from the last attempt that has any.
    pub pictures: Vec<CaptureId>,
    /// Who has reserved it: the caller, or somebody who was first. `None` if it is not waiting.
    pub reservation: Option<Reservation>,
    /// What the caller had decided here and undone.
    pub undone: Option<UndoneDecision>,
    /// A decision that has not taken effect yet.
    pub pending: Option<NamedPending>,
    /// Who is to decide it.
    pub assigned_to: Option<Colleague>,
    /// Steps that were not performed: with any of them the session cannot be approved.
    pub not_performed: Vec<Step>,
    /// Other sessions that were approved with its document since it went to review, of which its reasons say nothing.
    pub same_document: Vec<SessionId>,
    /// Other sessions that were approved with its face since it went to review, if the tenant searches for faces.
    pub same_face: Vec<SessionId>,
}

impl Case {
    /// Whether this person has reserved it.
    #[must_use]
    pub fn is_reserved_by(&self, user: &UserId) -> bool {
        self.reservation.as_ref().is_some_and(|held| held.user == *user)
    }
}

/// What the database has of a case.
struct Found {
    rows: Rows,
    pictures: Vec<CaptureId>,
    reservation: Option<Reservation>,
    pending: Option<NamedPending>,
    assigned_to: Option<Colleague>,
    same_document: Vec<SessionId>,
}

/// What belonged to a decision that was undone.
#[derive(Clone, Debug)]
pub struct UndoneDecision {
    /// Why it was rejected; none for an approval.
    pub reasons: Vec<Named<Reason>>,
    /// The note as written.
    pub note: Option<Personal<String>>,
}

/// Why a case was not opened.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CaseError {
    /// No such session, or no such picture, in this tenant.
    #[error("no such case")]
    NotFound,
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Opens a case and reserves it, if it is waiting, not decided, and not reserved by somebody else.
///
/// # Errors
/// [`CaseError`].
pub async fn open_case(honnin: &Honnin, reviewer: &Reviewer, id: &SessionId) -> Result<Case, CaseError> {
    let (staff, id, now) = (reviewer.staff().clone(), id.clone(), honnin.now());
    let me = staff.user().clone();
    let unit = honnin.db.write(async move |tx| {
        let row = sessions::find(tx, staff.tenant(), &id)
            .await?
            .ok_or(CaseError::NotFound)?;
        let pending = review::find_pending(tx, &id).await?;
        let reservation = if row.session.status == Status::Reviewing && pending.is_none() {
            Some(review::reserve(tx, &id, staff.user(), now, now.plus(RESERVATION)).await?)
        } else {
            None
        };
        let same_document = same_document(tx, &row).await?;
        let erased = row.session.purged_at.is_some();
        let rows = history::gather(tx, row).await?;
        let counting = counting(rows.captures());
        let mut entry = staff.entry(now, AuditAction::CaseOpen).about(&id);
        if !erased && !counting.is_empty() {
            let names: Vec<_> = counting.iter().map(|capture| named(capture)).collect();
            entry = entry.with_detail(names.join(", "));
        }
        audit::record(tx, &entry).await?;
        let pictures: Vec<_> = counting.into_iter().map(|capture| capture.id.clone()).collect();
        Ok::<_, CaseError>(Found {
            assigned_to: review::find_assignee(tx, &id).await?,
            rows,
            pictures,
            reservation,
            pending,
            same_document,
        })
    });
    let found = unit.await?;
    let mine = found.reservation.as_ref().filter(|held| held.user == me);
    let undone = match mine.and_then(|held| held.undone.clone()) {
        Some(undone) => Some(open_undone(honnin, found.rows.row(), undone).await?),
        None => None,
    };
    let history = history::open(honnin, found.rows, Disclosure::Everything).await?;
    // It decrypts the case as well, which is recorded by now.
    let same_face = same_face::find(honnin, reviewer.staff().tenant(), &history.detail.session.id).await?;
    let checks = history
        .detail
        .outcome
        .as_ref()
        .map(|outcome| outcome.checks.clone())
        .unwrap_or_default();
    Ok(Case {
        undone,
        not_performed: steps_not_performed(&history.detail.session.plan, &checks),
        reservation: found.reservation,
        pending: found.pending,
        assigned_to: found.assigned_to,
        pictures: found.pictures,
        same_document: found.same_document,
        same_face: same_face.sessions,
        history,
    })
}

async fn open_undone(honnin: &Honnin, row: &SessionRow, undone: Undone) -> Result<UndoneDecision, StoreError> {
    let key = history::find_key(honnin, row).await?;
    let note = key.zip(undone.note);
    let note = note.map(|(key, sealed)| key.open_text(&row.associated_data(SealedValue::Note), &sealed));
    Ok(UndoneDecision {
        reasons: undone.reasons,
        note: note.transpose()?,
    })
}

/// As [`Case::same_document`].
pub(super) async fn same_document(tx: &mut Tx, row: &SessionRow) -> Result<Vec<SessionId>, StoreError> {
    match &row.outcome {
        Some(outcome) if row.session.status == Status::Reviewing => {
            identities::list_same_document(tx, &row.session.id, approved_since(outcome), MAX_SHOWN).await
        }
        _ => Ok(Vec::new()),
    }
}

/// The pictures that count, as [`Case::pictures`].
fn counting(captures: &[CaptureRow]) -> Vec<&CaptureRow> {
    let is_used = |capture: &&CaptureRow| capture.accepted_at.is_some() && capture.discarded_at.is_none();
    let attempt = captures.iter().filter(is_used).map(|capture| capture.attempt).max();
    let last = |slot| {
        let mut latest = captures.iter().rev().filter(is_used);
        latest.find(|capture| capture.slot == slot && Some(capture.attempt) == attempt)
    };
    let slots = [Slot::Document(Side::Front), Slot::Selfie, Slot::Document(Side::Back)];
    slots.into_iter().filter_map(last).collect()
}

/// A picture in the audit log.
fn named(capture: &CaptureRow) -> String {
    format!("{} {}", capture.slot.as_str(), capture.id)
}

/// Extends the reservation of a case, if it is waiting in the attempt that was looked at and not reserved by somebody else. `None` if the caller
/// has lost it.
///
/// # Errors
/// [`CaseError`].
pub async fn keep_case(
    honnin: &Honnin,
    reviewer: &Reviewer,
    LookedAt { id, attempt }: LookedAt<'_>,
) -> Result<Option<Reservation>, CaseError> {
    let (staff, id, now) = (reviewer.staff().clone(), id.clone(), honnin.now());
    let unit = honnin.db.write(async move |tx| {
        let row = sessions::find(tx, staff.tenant(), &id).await?;
        let row = row.ok_or(CaseError::NotFound)?;
        let waits = row.session.status == Status::Reviewing && row.session.attempt == attempt;
        if !waits || review::find_pending(tx, &id).await?.is_some() {
            return Ok(None);
        }
        let reservation = review::reserve(tx, &id, staff.user(), now, now.plus(RESERVATION)).await?;
        Ok(Some(reservation).filter(|reservation| reservation.user == *staff.user()))
    });
    unit.await
}

/// Ends the caller's reservation of a case that they leave for another one, unless it has a decision that can still be undone. What they had undone
/// is there again when they come back soon.
///
/// # Errors
/// [`CaseError`].
pub async fn leave_case(honnin: &Honnin, reviewer: &Reviewer, id: &SessionId) -> Result<(), CaseError> {
    let (staff, id, now) = (reviewer.staff().clone(), id.clone(), honnin.now());
    let unit = honnin.db.write(async move |tx| {
        let row = sessions::find(tx, staff.tenant(), &id).await?;
        row.ok_or(CaseError::NotFound)?;
        if review::find_pending(tx, &id).await?.is_none() {
            review::end_reservation(tx, &id, staff.user(), now).await?;
        }
        Ok(())
    });
    unit.await
}

/// The decrypted bytes of a picture.
pub type Picture = Personal<Vec<u8>>;

/// One picture of a capture, by its place in the burst.
///
/// # Errors
/// [`CaseError`]; [`CaseError::NotFound`] also after erasure, and if the picture does not have this view.
pub async fn find_picture(
    honnin: &Honnin,
    reviewer: &Reviewer,
    capture: &CaptureId,
    frame: usize,
    view: View,
) -> Result<Picture, CaseError> {
    let (staff, capture, now) = (reviewer.staff().clone(), capture.clone(), honnin.now());
    let unit = honnin.db.write(async move |tx| {
        let capture = captures::find(tx, &capture).await?.ok_or(CaseError::NotFound)?;
        let row = sessions::find(tx, staff.tenant(), &capture.session)
            .await?
            .ok_or(CaseError::NotFound)?;
        capture.frames.get(frame).ok_or(CaseError::NotFound)?;
        let entry = staff
            .entry(now, AuditAction::PictureView)
            .about(&row.session.id)
            .with_detail(named(&capture));
        let recorded_as = [AuditAction::CaseOpen, AuditAction::PictureView];
        let lately = now.minus(RESERVATION);
        if !audit::is_recorded(tx, &entry, recorded_as, capture.id.as_str(), lately).await? {
            audit::record(tx, &entry).await?;
        }
        Ok::<_, CaseError>((row, capture))
    });
    let (row, capture) = unit.await?;
    let frame = FrameOf {
        row: &row,
        capture: &capture,
        index: frame,
    };
    let viewer = Viewer::Staff(reviewer.staff().user().clone());
    match open_frame(honnin, viewer, frame, view).await {
        Err(StoreError::Erased) => Err(CaseError::NotFound),
        opened => opened?.ok_or(CaseError::NotFound),
    }
}
