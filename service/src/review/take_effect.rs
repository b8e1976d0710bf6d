//! A reviewer's approval or rejection, from the moment it is made: it is listed, it can be undone, and once it is due a job
//! carries it out. State, outcome, event, delivery and audit entry are committed together.

use crate::{
    Honnin,
    access::Reviewer,
    review::UNDO,
    runtime::{clock_trust::ClockReading, job_error::JobError},
    session::end::Ending,
};
use domain::{
    audit::{Actor, AuditAction},
    ids::{EventId, SessionId, TenantId},
    outcome::{Outcome, Review, Source, Verdict},
    ruling::{RESERVATION, Ruling},
    session::Status,
    time::Timestamp,
};
use store::{
    StoreError, Tx, audit,
    decision::identities,
    jobs::{self, Job, JobKind},
    review::{self, NamedPending, NewRuling, PendingRuling},
    session::sessions::{self, SessionRow},
    settings::tenants,
};

/// Why a decision was not undone.
#[derive(Clone, Debug, thiserror::Error)]
pub enum UndoError {
    /// It has taken effect, or it is not the caller's.
    #[error("this decision can no longer be undone")]
    TooLate,
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The caller's decisions that can still be undone, newest first.
///
/// # Errors
/// If the database does not respond.
pub async fn list_pending(honnin: &Honnin, reviewer: &Reviewer) -> Result<Vec<PendingRuling>, StoreError> {
    let user = reviewer.staff().user().clone();
    let unit = honnin.db.read(async move |tx| review::list_pending(tx, &user).await);
    unit.await
}

/// Undoes the caller's own decision on a case, which is reserved for them again, with the note and the reasons as they were.
///
/// # Errors
/// [`UndoError`].
pub async fn undo(honnin: &Honnin, reviewer: &Reviewer, id: &SessionId) -> Result<(), UndoError> {
    let (staff, id, now) = (reviewer.staff().clone(), id.clone(), honnin.now());
    let unit = honnin.db.write(async move |tx| {
        // In the order of those who overtake a decision. An erasure at the same moment must not miss the note that goes back to the reservation.
        sessions::lock(tx, &id).await?;
        let found = review::find_pending(tx, &id).await?;
        let pending = found
            .map(|found| found.pending)
            .filter(|pending| pending.user == *staff.user())
            .ok_or(UndoError::TooLate)?;
        if !review::take_pending(tx, &pending).await? {
            return Err(UndoError::TooLate);
        }
        jobs::cancel(tx, JobKind::ApplyRuling, id.as_str(), now).await?;
        review::reserve(tx, &id, staff.user(), now, now.plus(RESERVATION)).await?;
        review::keep_undone(tx, &pending).await?;
        let entry = staff
            .entry(now, AuditAction::CaseUndo)
            .about(&id)
            .with_detail(pending.ruling);
        audit::record(tx, &entry).await?;
        Ok(())
    });
    unit.await
}

/// Carries out the decision if it has not been undone.
///
/// # Errors
/// If storage fails; the job is retried then.
pub(crate) async fn run(honnin: &Honnin, job: &Job) -> Result<(), JobError> {
    let id = SessionId::parse(&job.subject).ok_or(JobError::MALFORMED_SUBJECT)?;
    let (job, at, event) = (job.clone(), honnin.read_clock(), honnin.event_id());
    let now = at.now;
    let unit = honnin.db.write(async move |tx| {
        if let Some(NamedPending { pending, .. }) = review::find_pending(tx, &id).await? {
            // It was undone and made again, and this is the job of the first time. A clock that was ahead may have planned it for a time
            // much later than anybody could still undo it: that is due.
            if pending.due_at > now && pending.due_at <= now.plus(UNDO) {
                return jobs::retry_at(tx, &job, pending.due_at, None).await;
            }
            carry_out(tx, pending, &event, at).await?;
        }
        jobs::finish(tx, &job, now).await
    });
    Ok(unit.await?)
}

async fn carry_out(tx: &mut Tx, pending: PendingRuling, event: &EventId, at: ClockReading) -> Result<(), StoreError> {
    let id = &pending.session;
    let row = sessions::find_any(tx, id).await?;
    let row = row.ok_or(StoreError::Corrupt("a decision without a case"))?;
    // In the order of those who overtake a decision, such as an erasure: the tenant, the session, the decision.
    let owner = tenants::load_pinned(tx, &row.session.tenant).await?;
    sessions::lock(tx, id).await?;
    // It may have been undone since it was read, and another one may have been made, which has a job of its own.
    if !review::take_pending(tx, &pending).await? {
        return Ok(());
    }
    let waiting = |row: &SessionRow| row.session.status == Status::Reviewing && row.session.attempt == pending.attempt;
    let Some(mut row) = sessions::find_any(tx, id).await?.filter(waiting) else {
        return Ok(());
    };
    let outcome = end(&mut row, &pending, at.now)?;
    let ending = Ending {
        event,
        tenant: &owner,
        row: &mut row,
        at,
    };
    ending.decide(tx, outcome).await?;
    record(tx, pending, owner.id, at.now).await
}

/// When a decision was made; by a clock that was ahead, no later than it takes effect.
fn made_at(pending: &PendingRuling, now: Timestamp) -> Timestamp {
    pending.made_at.min(now)
}

/// Ends the session of a case as it was decided, and returns the outcome.
fn end(row: &mut SessionRow, pending: &PendingRuling, now: Timestamp) -> Result<Outcome, StoreError> {
    let (Some(before), Ok(ended)) = (row.outcome.clone(), row.session.rule(now)) else {
        return Err(StoreError::Corrupt("a case without an outcome"));
    };
    row.session = ended;
    row.note.clone_from(&pending.note);
    Ok(Outcome {
        verdict: verdict_of(pending.ruling)?,
        decided_at: now,
        source: Source::ManualReview,
        review: Some(Review {
            reviewed_at: made_at(pending, now),
            note: None,
        }),
        reasons: pending.reasons.clone(),
        ..before
    })
}

/// Stores who decided what, in the history of the case and in the audit log, and releases the case.
async fn record(tx: &mut Tx, pending: PendingRuling, tenant: TenantId, now: Timestamp) -> Result<(), StoreError> {
    let (id, verdict) = (&pending.session, verdict_of(pending.ruling)?);
    let ruling = NewRuling {
        session: id,
        attempt: pending.attempt,
        user: &pending.user,
        ruling: pending.ruling,
        note: None,
        at: made_at(&pending, now),
    };
    review::insert(tx, ruling).await?;
    review::release(tx, id).await?;
    match verdict {
        Verdict::Approved => identities::approve(tx, id, now).await?,
        Verdict::Rejected | Verdict::NeedsReview => identities::remove(tx, id).await?,
    }
    let entry = audit::Entry::new(now, Actor::Person(pending.user), AuditAction::CaseRule)
        .in_tenant(tenant)
        .about(id)
        .with_detail(verdict)
        .from_address(pending.address);
    audit::record(tx, &entry).await
}

fn verdict_of(ruling: Ruling) -> Result<Verdict, StoreError> {
    match ruling {
        Ruling::Approved => Ok(Verdict::Approved),
        Ruling::Rejected => Ok(Verdict::Rejected),
        Ruling::AskedAgain => Err(StoreError::Corrupt("asking again takes effect at once")),
    }
}
