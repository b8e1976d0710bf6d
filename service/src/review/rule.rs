//! The reviewer's decision: approve, reject, or ask the user again. An approval or rejection is stored and takes effect a moment
//! later ([`super::take_effect`]), so that a slip can be undone before anybody is notified; asking again takes effect
//! immediately.

use super::{
    case::same_document,
    same_face::{self, SameFace},
    steps_not_performed,
};
use crate::{
    Honnin,
    access::{Forbidden, Reviewer, Staff},
    people::is_still,
    runtime::token,
    session::{
        history,
        reissue_link::{Reissued, replace_link},
        reprocess::{ReprocessError, begin_attempt},
    },
};
use domain::{
    audit::{Actor, AuditAction},
    ids::SessionId,
    named::Named,
    reasons::Reason,
    ruling::Ruling,
    secret::Personal,
    session::{AttemptNumber, Status, Step},
    time::{Millis, Timestamp},
    visible,
};
use std::collections::BTreeSet;
use store::{
    StoreError, Tx, audit,
    jobs::{self, JobKind, NewJob},
    review::{self, NamedPending, NewRuling, PendingRuling, Ruled},
    session::sessions::{self, SessionRow},
    settings::tenants,
    vault::SealedValue,
};

/// What a reviewer decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReviewDecision {
    /// Identity verified. Refused if another session was approved with the same document or face in the meantime.
    Approve,
    /// Identity verified by somebody who was shown these other sessions, which were approved with the same document or face in the meantime.
    ApproveDespite(Vec<SessionId>),
    /// Not verified, for at least one reason that [counts against](Reason::counts_against) the session.
    Reject(Vec<Reason>),
}

/// For how long an approval or rejection can be undone. Ten seconds are enough to notice that the wrong button was pressed.
pub const UNDO: Millis = Millis::seconds(10);

/// Searches for the face before an approval is given up, each of which another approval has overtaken.
const MAX_SEARCHES: usize = 5;

/// What a reviewer who asks again passes on to the user.
pub type AskedAgain = Reissued;

/// Maximum length of a note, in characters.
pub const NOTE_LIMIT: usize = 2000;

/// Why a decision was refused.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RuleError {
    /// No such session in this tenant.
    #[error("no such case")]
    NotFound,
    /// What was looked at was an earlier attempt.
    #[error("the user has started again since")]
    AnotherAttempt,
    /// Another reviewer was first; `None` if it left the queue in another way.
    #[error("the case has already been decided")]
    Decided(Option<Ruled>),
    /// It is under way, its data is gone, or it ended without a decision: there is nothing to do again.
    #[error("the session cannot be repeated")]
    NotRepeatable,
    /// It is decided, which takes effect soon and can still be undone.
    #[error("{name} has just decided this case")]
    Pending {
        /// Who decided it.
        name: String,
    },
    /// The same person has just done the same: the form was sent twice.
    #[error("this has already been done")]
    Repeated,
    /// A rejection without a reason that [counts against](Reason::counts_against) the session.
    #[error("a rejection needs a reason")]
    NoReason,
    /// Another reviewer has reserved it.
    #[error("{name} has reserved this case until {until}")]
    Held {
        /// Who.
        name: String,
        /// Until when.
        until: Timestamp,
    },
    /// A required step was not performed.
    #[error("a required step was not performed")]
    NotPerformed(Vec<Step>),
    /// These other sessions, the first few by id, were approved with the document since the case went to review, and the reviewer was not shown all
    /// of these.
    #[error("the document was approved in another session")]
    SameDocument(Vec<SessionId>),
    /// These other sessions were approved with the face since the case went to review, and the reviewer was not shown all of these.
    #[error("the face was approved in another session")]
    SameFace(Vec<SessionId>),
    /// The note has more than [`NOTE_LIMIT`] characters.
    #[error("the note must be at most {NOTE_LIMIT} characters")]
    LongNote,
    /// The note contains characters that cannot be seen.
    #[error("the note contains characters that cannot be seen")]
    HiddenCharacters,
    /// The caller has lost the role that allows this, or has been signed out.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What a reviewer looked at. A session that has begun another attempt since is refused, so that nobody decides what they have not seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LookedAt<'a> {
    /// The session.
    pub id: &'a SessionId,
    /// The attempt whose pictures were shown.
    pub attempt: AttemptNumber,
}

impl<'a> LookedAt<'a> {
    /// This attempt of this session.
    #[must_use]
    pub const fn new(id: &'a SessionId, attempt: AttemptNumber) -> Self {
        Self { id, attempt }
    }
}

/// Decides a case. The decision takes effect when [`UNDO`] has passed; the time is returned.
///
/// # Errors
/// [`RuleError`].
pub async fn rule(
    honnin: &Honnin,
    reviewer: &Reviewer,
    LookedAt { id, attempt }: LookedAt<'_>,
    ruling: ReviewDecision,
    note: Option<Personal<String>>,
) -> Result<Timestamp, RuleError> {
    let (kind, reasons, seen) = match ruling {
        ReviewDecision::Reject(reasons) if !reasons.iter().copied().any(Reason::counts_against) => {
            return Err(RuleError::NoReason);
        }
        ReviewDecision::Reject(reasons) => (Ruling::Rejected, distinct(reasons), Vec::new()),
        ReviewDecision::Approve => (Ruling::Approved, Vec::new(), Vec::new()),
        ReviewDecision::ApproveDespite(seen) => (Ruling::Approved, Vec::new(), seen),
    };
    let note = checked(note)?;
    let sealed = seal_note(honnin, reviewer.staff(), id, note.as_ref(), |_| SealedValue::Note).await?;
    let now = honnin.now();
    let pending = PendingRuling {
        session: id.clone(),
        attempt,
        user: reviewer.staff().user().clone(),
        ruling: kind,
        reasons,
        note: sealed,
        address: reviewer.staff().address().to_string(),
        made_at: now,
        due_at: now.plus(UNDO),
    };
    match keep(honnin, reviewer.staff(), &pending, &seen).await {
        Err(refused @ RuleError::Pending { .. }) => {
            let repeated = is_repeated(honnin, reviewer.staff(), &pending, note.as_ref()).await?;
            Err(if repeated { RuleError::Repeated } else { refused })
        }
        kept => kept,
    }
}

/// Each reason once, in the order in which they were chosen. A form may name one thousands of times, and each would be sent in the webhook.
fn distinct(reasons: Vec<Reason>) -> Vec<Named<Reason>> {
    let mut seen = BTreeSet::new();
    let first = reasons.into_iter().filter(|reason| seen.insert(*reason));
    first.map(Named::Known).collect()
}

/// Stores a decision that can be undone, and returns until when. The face of an approval is compared before the unit, which finds out whether others
/// have been approved since.
async fn keep(
    honnin: &Honnin,
    staff: &Staff,
    made: &PendingRuling,
    seen: &[SessionId],
) -> Result<Timestamp, RuleError> {
    for _ in 0..MAX_SEARCHES {
        let faces = match made.ruling {
            Ruling::Approved => same_face::find(honnin, staff.tenant(), &made.session).await?,
            Ruling::Rejected | Ruling::AskedAgain => SameFace::default(),
        };
        let (system, staff, made, seen) = (honnin.clone(), staff.clone(), made.clone(), seen.to_vec());
        let unit = honnin
            .db
            .write(async move |tx| store_ruling(tx, &system, &staff, &made, &seen, &faces).await);
        if let Some(due_at) = unit.await? {
            return Ok(due_at);
        }
    }
    Err(StoreError::Conflict.into())
}

/// Whether a decision that can still be undone is this one by the same person, with the same note.
async fn is_repeated(
    honnin: &Honnin,
    staff: &Staff,
    made: &PendingRuling,
    note: Option<&Personal<String>>,
) -> Result<bool, StoreError> {
    let (tenant, id) = (staff.tenant().clone(), made.session.clone());
    let unit = honnin.db.read(async move |tx| -> Result<_, StoreError> {
        let row = sessions::find(tx, &tenant, &id).await?;
        Ok((row, review::find_pending(tx, &id).await?))
    });
    let (Some(row), Some(NamedPending { pending: first, .. })) = unit.await? else {
        return Ok(false);
    };
    // Those that the reviewer could choose: what a newer version found was added.
    let chosen = first.reasons.iter().filter(|reason| reason.known().is_some());
    let is_alike = first.user == made.user
        && first.attempt == made.attempt
        && first.ruling == made.ruling
        && chosen.eq(&made.reasons);
    if !is_alike {
        return Ok(false);
    }
    let key = history::find_key(honnin, &row).await?;
    let first_note = key
        .zip(first.note)
        .map(|(key, sealed)| key.open_text(&row.associated_data(SealedValue::Note), &sealed))
        .transpose()?;
    Ok(first_note.as_ref() == note)
}

/// Stores a decision that can be undone, and returns until when; nothing is stored, and `None` returned, if a face was approved that is not among
/// `faces`. An approval is refused if the document or the face was approved in other sessions that the reviewer has not `seen`.
async fn store_ruling(
    tx: &mut Tx,
    honnin: &Honnin,
    staff: &Staff,
    made: &PendingRuling,
    seen: &[SessionId],
    faces: &SameFace,
) -> Result<Option<Timestamp>, RuleError> {
    if made.ruling == Ruling::Approved {
        // Of two approvals with one document, the second finds the first, even if that one is automatic. The tenant comes before the session.
        tenants::lock(tx, staff.tenant()).await?;
    }
    let mut row = find_waiting(tx, staff, LookedAt::new(&made.session, made.attempt), made.made_at).await?;
    if made.ruling == Ruling::Approved && !faces.is_complete(tx, &row).await? {
        return Ok(None);
    }
    // The compare-and-set comes first: the loser of two runs again and finds the winner's decision.
    sessions::save(tx, &mut row).await?;
    // The search for a face takes a while, in which they may be shut out. The session before the account, as where a case is assigned.
    if !is_still(tx, staff).await? {
        return Err(Forbidden.into());
    }
    let others = match made.ruling {
        Ruling::Approved => same_document(tx, &row).await?,
        Ruling::Rejected | Ruling::AskedAgain => Vec::new(),
    };
    let outcome = row.outcome.ok_or(StoreError::Corrupt("a case without an outcome"))?;
    let mut pending = made.clone();
    // The time to undo it begins now. The search for a face and the wait for others who write come before, and may take longer than all of it.
    pending.due_at = honnin.now().plus(UNDO);
    match made.ruling {
        Ruling::Rejected => {
            // What a newer version of the service found cannot be offered as a choice here, and is not lost.
            let unknown = outcome.reasons.into_iter().filter(|reason| reason.known().is_none());
            pending.reasons.extend(unknown);
        }
        Ruling::Approved | Ruling::AskedAgain => {
            let not_performed = steps_not_performed(&row.session.plan, &outcome.checks);
            if !not_performed.is_empty() {
                return Err(RuleError::NotPerformed(not_performed));
            }
            check_were_seen(others, faces, seen)?;
        }
    }
    review::insert_pending(tx, &pending).await?;
    let job = NewJob {
        kind: JobKind::ApplyRuling,
        subject: made.session.as_str(),
        run_at: pending.due_at,
        dedup_key: None,
    };
    jobs::enqueue(tx, job).await?;
    Ok(Some(pending.due_at))
}

/// Refuses an approval if its document or face was approved in other sessions, and the reviewer has not `seen` all of these.
fn check_were_seen(same_document: Vec<SessionId>, same_face: &SameFace, seen: &[SessionId]) -> Result<(), RuleError> {
    let is_unseen = |other: &SessionId| !seen.contains(other);
    if same_document.iter().any(is_unseen) {
        return Err(RuleError::SameDocument(same_document));
    }
    if same_face.sessions.iter().any(is_unseen) {
        return Err(RuleError::SameFace(same_face.sessions.clone()));
    }
    Ok(())
}

/// A note that may be stored; one that contains only white space counts as none.
fn checked(note: Option<Personal<String>>) -> Result<Option<Personal<String>>, RuleError> {
    let note = note.filter(|note| !note.expose().trim().is_empty());
    let text = note.as_ref().map_or("", |note| note.expose());
    if text.chars().count() > NOTE_LIMIT {
        return Err(RuleError::LongNote);
    }
    if text.split(['\n', '\r', '\t']).any(visible::hides_something) {
        return Err(RuleError::HiddenCharacters);
    }
    Ok(note)
}

/// Encrypts the note outside the unit of work, since the key is in another database. `value` says which note of an attempt it is.
async fn seal_note(
    honnin: &Honnin,
    staff: &Staff,
    id: &SessionId,
    note: Option<&Personal<String>>,
    value: fn(AttemptNumber) -> SealedValue<'static>,
) -> Result<Option<Vec<u8>>, RuleError> {
    let Some(note) = note else { return Ok(None) };
    let (tenant, id) = (staff.tenant().clone(), id.clone());
    let find = honnin.db.read(async move |tx| sessions::find(tx, &tenant, &id).await);
    let row = find.await?.ok_or(RuleError::NotFound)?;
    let key = match honnin.vault.open(&row.data_key).await {
        // An erased session has ended, so its decision is refused anyway.
        Err(StoreError::Erased) => return Ok(None),
        key => key?,
    };
    let associated_data = row.associated_data(value(row.session.attempt));
    Ok(Some(key.seal_text(&associated_data, note)?))
}

/// The row of a waiting case that is not reserved by somebody else, in the attempt that was looked at.
async fn find_waiting(
    tx: &mut Tx,
    staff: &Staff,
    LookedAt { id, attempt }: LookedAt<'_>,
    now: Timestamp,
) -> Result<SessionRow, RuleError> {
    let row = sessions::find(tx, staff.tenant(), id)
        .await?
        .ok_or(RuleError::NotFound)?;
    if row.session.status != Status::Reviewing {
        return Err(RuleError::Decided(find_ruling(tx, &row).await?));
    }
    if row.session.attempt != attempt {
        return Err(RuleError::AnotherAttempt);
    }
    if let Some(decided) = review::find_pending(tx, id).await? {
        return Err(RuleError::Pending { name: decided.name });
    }
    match review::find_reservation(tx, id, now).await? {
        Some(reservation) if reservation.user != *staff.user() => Err(RuleError::Held {
            name: reservation.name,
            until: reservation.until,
        }),
        _ => Ok(row),
    }
}

/// The decision by which a session left the queue; `None` if it was not a reviewer's.
async fn find_ruling(tx: &mut Tx, row: &SessionRow) -> Result<Option<Ruled>, StoreError> {
    let last = review::list(tx, &row.session.id).await?.pop();
    Ok(last.filter(|last| match last.ruling {
        Ruling::Approved | Ruling::Rejected => last.attempt == row.session.attempt,
        // It began the current attempt, which has not ended otherwise since.
        Ruling::AskedAgain => {
            let goes_on = matches!(row.session.status, Status::Collecting | Status::Deciding);
            last.attempt.next() == row.session.attempt && goes_on
        }
    }))
}

/// Sends the user of a waiting case back to the start with a new link. The attempt's decision stays in the history; the note is
/// for the next reviewer and is not sent in any webhook.
///
/// # Errors
/// [`RuleError`].
pub async fn ask_again(
    honnin: &Honnin,
    reviewer: &Reviewer,
    case: LookedAt<'_>,
    note: Option<Personal<String>>,
) -> Result<AskedAgain, RuleError> {
    let note = checked(note)?;
    let sealed = seal_note(
        honnin,
        reviewer.staff(),
        case.id,
        note.as_ref(),
        SealedValue::ReviewNote,
    )
    .await?;
    start_over(honnin, reviewer, case, Origin::Queue { note: sealed }).await
}

/// The same from a session's page, where the session may have ended: completed or failed.
///
/// # Errors
/// [`RuleError`].
pub async fn reopen(honnin: &Honnin, reviewer: &Reviewer, session: LookedAt<'_>) -> Result<AskedAgain, RuleError> {
    start_over(honnin, reviewer, session, Origin::SessionPage).await
}

/// Where a reviewer sends somebody back to the start.
enum Origin {
    /// In the queue: the case has to wait still. The note is sealed.
    Queue { note: Option<Vec<u8>> },
    /// On the session's page: it may have ended as well.
    SessionPage,
}

async fn start_over(
    honnin: &Honnin,
    reviewer: &Reviewer,
    LookedAt { id, attempt }: LookedAt<'_>,
    origin: Origin,
) -> Result<AskedAgain, RuleError> {
    let token = token::generate(&*honnin.random);
    let hash = token::hash(token.expose());
    let (staff, id, at) = (reviewer.staff().clone(), id.clone(), honnin.read_clock());
    let now = at.now;
    let unit = honnin.db.write(async move |tx| {
        // Of two at the same time, the second finds the attempt of the first.
        sessions::lock(tx, &id).await?;
        // The link opens the session: a person who has just lost access must not get one.
        if !is_still(tx, &staff).await? {
            return Err(RuleError::from(Forbidden));
        }
        let row = sessions::find(tx, staff.tenant(), &id)
            .await?
            .ok_or(RuleError::NotFound)?;
        if attempt.next() == row.session.attempt && has_begun_attempt(tx, &staff, &row, now).await? {
            return Err(RuleError::Repeated);
        }
        let case = LookedAt::new(&id, attempt);
        let (waits, current) = (row.session.status == Status::Reviewing, row.session.attempt);
        let (row, note) = match &origin {
            Origin::Queue { note } => (find_waiting(tx, &staff, case, now).await?, note.as_deref()),
            Origin::SessionPage if waits => (find_waiting(tx, &staff, case, now).await?, None),
            Origin::SessionPage if current != attempt => return Err(RuleError::AnotherAttempt),
            Origin::SessionPage => (row, None),
        };
        let owner = tenants::find(tx, staff.tenant()).await?.ok_or(RuleError::NotFound)?;
        let row = begin_attempt(tx, &owner, row, at).await.map_err(|error| match error {
            ReprocessError::Store(error) => RuleError::Store(error),
            ReprocessError::NotFound => RuleError::NotFound,
            ReprocessError::NotAllowed => RuleError::NotRepeatable,
        })?;
        let expires_at = replace_link(tx, &owner, &row, &hash, at).await?;
        if waits {
            let ruling = NewRuling {
                session: &id,
                attempt,
                user: staff.user(),
                ruling: Ruling::AskedAgain,
                note,
                at: now,
            };
            review::insert(tx, ruling).await?;
        }
        audit::record(tx, &staff.entry(now, AuditAction::CaseAskAgain).about(&id)).await?;
        Ok::<_, RuleError>(expires_at)
    });
    Ok(Reissued::of(honnin, &token, unit.await?))
}

/// Whether this person has begun the current attempt, whose link still works.
async fn has_begun_attempt(tx: &mut Tx, staff: &Staff, row: &SessionRow, now: Timestamp) -> Result<bool, StoreError> {
    if !matches!(row.session.status_at(now), Status::Created | Status::Collecting) {
        return Ok(false);
    }
    let id = &row.session.id;
    let own = audit::Filter {
        subject: Some(id.to_string()),
        actor: Some(Actor::Person(staff.user().clone())),
        action: Some(AuditAction::CaseAskAgain),
        ..audit::Filter::default()
    };
    let found = audit::search(tx, staff.tenant(), &own, &audit::numbers_before(None), 1).await?;
    let Some(last) = found.first() else {
        return Ok(false);
    };
    // Nobody has begun another one since.
    for action in [AuditAction::CaseAskAgain, AuditAction::SessionReprocess] {
        if audit::is_done_since(tx, action, id.as_str(), last.number).await? {
            return Ok(false);
        }
    }
    Ok(true)
}
