//! Makes one attempt to deliver one event: read, render, sign, send outside any unit of work, then store in one unit the result
//! and what happens next. After a crash in between, the event is sent again with the same id.

use crate::{
    Honnin,
    runtime::{
        clock_trust::{ClockReading, SETTLING},
        job_error::{JobError, MAX_WITHOUT_MASTER_KEY},
    },
    webhook::{
        delivery_log::holds_note,
        payload::{self, is_unreadable},
        schedule::{Failed, next_attempt_at},
        sender::{fault::Answer, pacing::Permit, signature::SignedRequest},
        signing_secret,
    },
};
use domain::{delivery::DeliveryFault, ids::EventId, named::Named, time::Timestamp};
use std::time::Duration;
use store::{
    StoreError, Tx,
    jobs::{self, Job},
    webhook::{
        deliveries::{self, AttemptRow, DeliveryRow, DeliveryState},
        delivery_attempts,
        outbox::{self, DeliveryProgress, Outgoing, Sources},
    },
};

/// An attempt that was made.
#[derive(Clone, Copy)]
struct DeliveryAttempt {
    /// When the schedule that it belongs to started.
    schedule_started_at: Timestamp,
    at: ClockReading,
    ended_at: Timestamp,
    took: Duration,
    answer: Answer,
    /// Whether an earlier run may have sent the event without a trace ([`may_have_sent_unnoted`]).
    may_be_unnoted: bool,
}

/// Makes the attempt and settles the job. `permit` is one of the receiver's, held while sending.
///
/// # Errors
/// If storage fails; the job is retried then.
pub(crate) async fn run(honnin: &Honnin, job: &Job, permit: Option<Permit>) -> Result<(), JobError> {
    let event = EventId::parse(&job.subject).ok_or(JobError::MALFORMED_SUBJECT)?;
    let Some((mut due, progress)) = find_due(honnin, &event).await? else {
        // Delivered or abandoned in the meantime.
        return Ok(honnin.finish(job).await?);
    };
    let may_be_unnoted = may_have_sent_unnoted(job, progress);
    if may_be_unnoted && let Ok(sources) = &mut due.sources {
        sources.forget_erased();
    }
    if due.kind.known().is_none() {
        // During an upgrade, a newer node recorded it and knows how to send it.
        return Err(JobError::UNKNOWN_EVENT_TYPE);
    }
    let started = tokio::time::Instant::now();
    let at = honnin.read_clock();
    let answer = attempt(honnin, job, &event, &due, at.now).await?;
    let attempted = DeliveryAttempt {
        schedule_started_at: progress.started_at,
        at,
        ended_at: honnin.now(),
        took: started.elapsed(),
        answer,
        may_be_unnoted,
    };
    if let Some(permit) = permit {
        permit.learn(&attempted.answer, attempted.took);
        // The rest is our own work: the receiver's permit is released.
        drop(permit);
    }
    if let Some(fault) = answer.fault {
        tracing::info!(%event, tenant = %due.tenant, fault = fault.as_str(), status = answer.status,
            "webhook not delivered");
    }
    store_attempt(honnin, job, &event, attempted).await
}

/// Whether an earlier run of this job may have sent the event without a trace: a run that comes to its end notes its attempt, one that
/// dies does not.
const fn may_have_sent_unnoted(job: &Job, progress: DeliveryProgress) -> bool {
    job.attempt > progress.attempts + 1
}

/// What to send, and how far its delivery has come, if that is still pending.
async fn find_due(honnin: &Honnin, event: &EventId) -> Result<Option<(Outgoing, DeliveryProgress)>, StoreError> {
    let event = event.clone();
    let unit = honnin.db.ask(async move |tx| outbox::find(tx, &event).await);
    Ok(unit.await?.and_then(|found| {
        let delivery = found.delivery?;
        (delivery.state == DeliveryState::Pending).then_some((found, delivery))
    }))
}

/// What cannot be sent counts as a failed attempt: it is visible, can be fixed, and the schedule continues. The same goes for what a version of the
/// master key encrypted that has been missing for so long that it may be lost.
async fn attempt(
    honnin: &Honnin,
    job: &Job,
    event: &EventId,
    due: &Outgoing,
    at: Timestamp,
) -> Result<Answer, StoreError> {
    let is_lost =
        |error: &StoreError| matches!(error, StoreError::MasterKeyMissing) && job.failures >= MAX_WITHOUT_MASTER_KEY;
    match try_to_send(honnin, &due.sources, at).await {
        Err(error) if is_unreadable(&error) || is_lost(&error) => {
            tracing::error!(%event, tenant = %due.tenant, %error, "an event cannot be rendered or signed");
            Ok(Answer::failed(DeliveryFault::CannotRender))
        }
        answer => answer,
    }
}

async fn try_to_send(
    honnin: &Honnin,
    sources: &Result<Sources, StoreError>,
    at: Timestamp,
) -> Result<Answer, StoreError> {
    let sources = sources.as_ref().map_err(Clone::clone)?;
    let Some(url) = &sources.url else {
        return Ok(Answer::failed(DeliveryFault::NoReceiver));
    };
    let Ok(url) = honnin.sender.parse_receiver(url) else {
        return Ok(Answer::failed(DeliveryFault::UrlRefused));
    };
    if sources.withholds_note && holds_note(&sources.event) {
        return Ok(Answer::failed(DeliveryFault::NoteWithheld));
    }
    let secrets = signing_secret::signers(honnin, &sources.secrets)?;
    if secrets.is_empty() {
        return Ok(Answer::failed(DeliveryFault::NoSecret));
    }
    let body = payload::render(honnin, sources).await?;
    let request = SignedRequest::new(sources.event.id.clone(), at, body, &secrets);
    Ok(honnin.sender.send(&url, &request, at).await)
}

/// Stores the attempt, the delivery's new state and the job's end or next time in one unit. Many of them share a commit.
async fn store_attempt(
    honnin: &Honnin,
    job: &Job,
    event: &EventId,
    attempted: DeliveryAttempt,
) -> Result<(), JobError> {
    let (system, job, event) = (honnin.clone(), job.clone(), event.clone());
    let unit = honnin.db.write(async move |tx| {
        let now = system.now();
        let Some(before) = deliveries::find_any(tx, &event).await? else {
            return jobs::finish(tx, &job, now).await;
        };
        let after = after_attempt(&system, &before, attempted, now);
        let row = AttemptRow {
            event: event.clone(),
            number: after.attempts,
            attempted_at: attempted.at.now,
            duration_ms: i64::try_from(attempted.took.as_millis()).unwrap_or(i64::MAX),
            status: attempted.answer.status,
            fault: attempted.answer.fault.map(Named::Known),
        };
        delivery_attempts::insert(tx, &before.tenant, &row).await?;
        deliveries::save(tx, &before, &after).await?;
        if attempted.may_be_unnoted {
            // Once this job has ended, the next one does not know of its runs. After its delivery, like everybody who writes both.
            deliveries::note_sent(tx, &event).await?;
        }
        settle(tx, &job, attempted.answer.fault, after.next_attempt_at, now).await
    });
    Ok(unit.await?)
}

fn after_attempt(honnin: &Honnin, before: &DeliveryRow, attempted: DeliveryAttempt, now: Timestamp) -> DeliveryRow {
    let attempts = before.attempts + 1;
    if attempted.schedule_started_at != before.started_at {
        // Somebody had it resent in the meantime, perhaps to another URL: that attempt is still to be made.
        return DeliveryRow {
            attempts,
            ..before.clone()
        };
    }
    // By a clock in doubt, an attempt may be made far too early, with a timestamp that its receiver must refuse. If it fails, it does not count.
    let counts = attempted.at.is_steady || attempted.answer.fault.is_none();
    let step = before.step + i64::from(counts);
    let failed = Failed {
        started_at: before.started_at,
        step,
        ended_at: attempted.ended_at,
        retry_after: attempted.answer.retry_after,
    };
    let (state, next_attempt_at) = match attempted.answer.fault {
        None => (DeliveryState::Delivered, None),
        Some(_) if !counts => (DeliveryState::Pending, Some(attempted.ended_at.plus(SETTLING))),
        Some(_) => match next_attempt_at(failed, &*honnin.random) {
            Some(next) => (DeliveryState::Pending, Some(next)),
            None => (DeliveryState::Abandoned, None),
        },
    };
    let settled_at = next_attempt_at.is_none().then_some(now);
    DeliveryRow {
        state,
        attempts,
        step,
        next_attempt_at,
        settled_at,
        ..before.clone()
    }
}

async fn settle(
    tx: &mut Tx,
    job: &Job,
    fault: Option<DeliveryFault>,
    next: Option<Timestamp>,
    now: Timestamp,
) -> Result<(), StoreError> {
    // Otherwise a missing master key would be waited for all over again, before each of the attempts.
    let reason = fault
        .filter(|fault| *fault == DeliveryFault::CannotRender)
        .map(DeliveryFault::as_str);
    match next {
        Some(next) => jobs::retry_at(tx, job, next, reason).await,
        None => jobs::finish(tx, job, now).await,
    }
}
