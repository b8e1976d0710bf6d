//! The automatic decision: waits until every picture is analysed, applies the rules of `domain::decision`, and ends the session in
//! one unit with its outcome, its readings, the record of the decision, and its event.

use crate::{
    Honnin,
    capture::progress::{AttemptState, gather},
    decision::{
        earlier::{EarlierSessions, MissingKey, find_earlier},
        input::DecisionInput,
        record::{self, Grounds, SealedDecision},
    },
    runtime::job_error::{JobError, MAX_WITHOUT_MASTER_KEY},
    session::{self, blind_index::hashes, end::Ending},
};
use domain::{
    audit::AuditAction,
    blind_index::of_session,
    decision::{Evidence, decide},
    ids::SessionId,
    secret::Personal,
    session::{FailureReason, Status},
    time::Millis,
};
use futures::FutureExt;
use std::{panic::AssertUnwindSafe, time::Duration};
use store::{
    StoreError, audit,
    jobs::{self, Job},
    session::sessions::{self, SessionRow},
    settings::tenants,
    vault::{SealedValue, SessionKey},
};

/// Failed runs, some forty minutes, after which a session whose stored data cannot be read, or whose decision cannot be made or stored, ends in
/// `failed`: nobody could review it either.
const MAX_UNREADABLE: i64 = 8;
/// Runs in a row that began and whose end nobody noted, mostly since they took the whole process down, after which a session ends in `failed`: it
/// would go on forever. With the leases, some two minutes.
const MAX_BEGUN: i64 = 8;
/// Within which time runs begin again that were under way when the process went down.
const APART: Duration = Duration::from_secs(1);
/// How soon to check again whether the pictures are analysed, if nothing wakes it.
const LOOK_AGAIN: Millis = Millis::seconds(2);

/// Decides the session that the job names, if it is still to be decided, and wakes the page that waits for it.
///
/// # Errors
/// If storage fails; the job is retried then.
pub(crate) async fn run(honnin: &Honnin, job: &Job) -> Result<(), JobError> {
    let id = SessionId::parse(&job.subject).ok_or(JobError::MALFORMED_SUBJECT)?;
    decide_session(honnin, job, id.clone()).await?;
    honnin.wake_ups.notify(&id);
    Ok(())
}

async fn decide_session(honnin: &Honnin, job: &Job, id: SessionId) -> Result<(), JobError> {
    let found = match find_deciding(honnin, &id).await {
        Err(error @ StoreError::Corrupt(_)) if job.failures >= MAX_UNREADABLE => {
            return Ok(give_up_unread(honnin, job, id, &error).await?);
        }
        other => other?,
    };
    let Some(attempt) = found else {
        return Ok(honnin.finish(job).await?);
    };
    if attempt.is_being_analysed() {
        return Ok(postpone(honnin, job).await?);
    }
    if job.begun >= MAX_BEGUN {
        tracing::error!(
            session = %attempt.row.session.id,
            runs = job.begun,
            "gave up deciding a session: no run was completed"
        );
        return Ok(fail(honnin, job, attempt.row, FailureReason::AttemptsExhausted).await?);
    }
    begin(honnin, job).await?;
    let missing_key = if job.failures < MAX_WITHOUT_MASTER_KEY {
        MissingKey::Waits
    } else {
        MissingKey::IsLost
    };
    let done = AssertUnwindSafe(make_and_store(honnin, job, &attempt, missing_key)).catch_unwind();
    let reason = match done.await.unwrap_or(Err(StoreError::Panicked)) {
        Ok(None) => return Ok(()),
        Ok(Some(reason)) => {
            tracing::error!(session = %attempt.row.session.id, %reason, "a stored picture cannot be read");
            reason
        }
        Err(StoreError::Erased) => FailureReason::ErasedBeforeDecision,
        Err(error) => {
            let Some(reason) = reason_to_give_up(&error, job, missing_key) else {
                return Err(error.into());
            };
            tracing::error!(session = %attempt.row.session.id, %error, "gave up deciding a session");
            reason
        }
    };
    Ok(fail(honnin, job, attempt.row, reason).await?)
}

/// The current attempt of a session that is still to be decided.
async fn find_deciding(honnin: &Honnin, id: &SessionId) -> Result<Option<AttemptState>, StoreError> {
    let id = id.clone();
    let unit = honnin.db.read(async move |tx| -> Result<_, StoreError> {
        let row = sessions::find_any(tx, &id).await?;
        match row.filter(|row| row.session.status == Status::Deciding) {
            Some(row) => gather(tx, row).await.map(Some),
            None => Ok(None),
        }
    });
    unit.await
}

/// Why the session ends in `failed` because of an error that each further run would meet as well; `None` as long as another run may succeed.
fn reason_to_give_up(error: &StoreError, job: &Job, missing_key: MissingKey) -> Option<FailureReason> {
    let has_failed_often = job.failures >= MAX_UNREADABLE;
    match error {
        StoreError::Corrupt(_) if has_failed_often => Some(FailureReason::ProcessingError),
        StoreError::MasterKeyMissing if missing_key == MissingKey::IsLost => Some(FailureReason::ProcessingError),
        StoreError::Panicked | StoreError::Refused(_) if has_failed_often => Some(FailureReason::AttemptsExhausted),
        _ => None,
    }
}

/// Counts a run before it can take the process down. After a crash, the runs that were under way begin again at different moments, so that one
/// that crashes each time does not take the same others down with it.
async fn begin(honnin: &Honnin, job: &Job) -> Result<(), StoreError> {
    if job.begun > 0 {
        tokio::time::sleep(APART.mul_f64(honnin.random_fraction())).await;
    }
    let job = job.clone();
    let unit = honnin.db.write(async move |tx| jobs::note_begun(tx, &job).await);
    unit.await
}

/// Fails a session whose attempt cannot be read, if its own row can.
async fn give_up_unread(honnin: &Honnin, job: &Job, id: SessionId, error: &StoreError) -> Result<(), StoreError> {
    let unit = honnin.db.read(async move |tx| sessions::find_any(tx, &id).await);
    let Some(row) = unit.await? else {
        return honnin.finish(job).await;
    };
    tracing::error!(session = %row.session.id, %error, "gave up deciding a session");
    fail(honnin, job, row, FailureReason::ProcessingError).await
}

/// Decides the session, or says why neither the system nor a reviewer can.
async fn make_and_store(
    honnin: &Honnin,
    job: &Job,
    attempt: &AttemptState,
    missing_key: MissingKey,
) -> Result<Option<FailureReason>, StoreError> {
    let key = honnin.vault.open(&attempt.row.data_key).await?;
    if let Some(unfit) = find_unfit(honnin, attempt, &key).await? {
        return Ok(Some(unfit));
    }
    let (sealed, earlier) = make(honnin, attempt, &key, missing_key).await?;
    store(honnin, job, attempt.row.clone(), sealed, earlier).await?;
    Ok(None)
}

/// What is wrong with the stored pictures, if the analysis of one was given up since it is missing or damaged: a reviewer would not see it either. In
/// a sandbox, whose pictures are never analysed, nobody looks.
async fn find_unfit(
    honnin: &Honnin,
    attempt: &AttemptState,
    key: &SessionKey,
) -> Result<Option<FailureReason>, StoreError> {
    if attempt.tenant.mode.is_sandbox() {
        return Ok(None);
    }
    for capture in attempt.relied_on() {
        if capture.findings.is_some() {
            continue;
        }
        for frame in &capture.frames {
            let Some(sealed) = honnin.pictures.find(&capture.session, &frame.object).await? else {
                return Ok(Some(FailureReason::MediaLost));
            };
            let associated_data = attempt.row.associated_data(SealedValue::Picture(&frame.object));
            match key.open(&associated_data, &sealed) {
                Ok(_) => {}
                Err(StoreError::Corrupt(_)) => return Ok(Some(FailureReason::MediaCorrupted)),
                Err(error) => return Err(error),
            }
        }
    }
    Ok(None)
}

/// Looks again soon.
async fn postpone(honnin: &Honnin, job: &Job) -> Result<(), StoreError> {
    let (job, at) = (job.clone(), honnin.now().plus(LOOK_AGAIN));
    let unit = honnin
        .db
        .write(async move |tx| jobs::retry_at(tx, &job, at, None).await);
    unit.await
}

async fn fail(honnin: &Honnin, job: &Job, row: SessionRow, reason: FailureReason) -> Result<(), StoreError> {
    let (job, event, at) = (job.clone(), honnin.event_id(), honnin.read_clock());
    let unit = honnin.db.write(async move |tx| {
        tx.saves_earlier_read();
        let mut row = row.clone();
        if let Ok(failed) = row.session.fail(at.now) {
            row.session = failed;
            let tenant = tenants::load_pinned(tx, &row.session.tenant).await?;
            let ending = Ending {
                event: &event,
                tenant: &tenant,
                row: &mut row,
                at,
            };
            ending.fail(tx, reason).await?;
            let entry = session::audit_entry(&row, at.now, AuditAction::SessionDecide).with_detail(reason);
            audit::record(tx, &entry).await?;
        }
        // As in `store`.
        jobs::finish(tx, &job, at.now).await
    });
    unit.await
}

async fn make(
    honnin: &Honnin,
    attempt: &AttemptState,
    key: &SessionKey,
    missing_key: MissingKey,
) -> Result<(SealedDecision, EarlierSessions), StoreError> {
    let now = honnin.now();
    let policy = attempt.tenant.settings_or_default().policy.clone();
    let found = DecisionInput::of(attempt, key)?;
    let earlier = find_earlier(honnin, attempt, key, &found, &policy, missing_key).await?;
    let (models, fields) = (found.models(), found.fields());
    let DecisionInput {
        document,
        selfie,
        typed,
        known,
    } = found;
    let evidence = Evidence {
        plan: attempt.plan(),
        document_type: attempt.row.document_type,
        document: &document,
        selfie: selfie.as_ref(),
        typed: typed.as_ref().map(Personal::expose),
        known: known.as_ref().map(Personal::expose),
        earlier: &earlier.earlier,
        draw: honnin.random_fraction(),
        today: now.date(),
    };
    let decision = decide(&evidence, &policy);
    let terms = of_session(
        known.as_ref().map(Personal::expose),
        typed.as_ref().map(Personal::expose),
        fields.as_deref().unwrap_or_default(),
    );
    let grounds = Grounds {
        policy,
        models,
        captures: attempt
            .relied_on()
            .into_iter()
            .map(|capture| capture.id.clone())
            .collect(),
        terms: hashes(honnin, &attempt.row.session.tenant, &terms).await?,
        fields,
        faces: earlier.earlier.faces,
    };
    let sealed = SealedDecision::seal(&attempt.row, key, decision, grounds, now)?;
    Ok((sealed, earlier))
}

/// Stores session, outcome, readings, record, event and job in one unit. `read` is the session as it was when the decision began.
async fn store(
    honnin: &Honnin,
    job: &Job,
    read: SessionRow,
    sealed: SealedDecision,
    earlier: EarlierSessions,
) -> Result<(), StoreError> {
    let (job, event, at) = (job.clone(), honnin.event_id(), honnin.read_clock());
    let now = at.now;
    let unit = honnin.db.write(async move |tx| {
        // If the session has changed since the decision began, saving it reports a conflict.
        tx.saves_earlier_read();
        let mut row = read.clone();
        if let Ok(decided) = row.session.decide(sealed.verdict(), now) {
            row.session = decided;
            earlier.keep(tx, sealed.verdict(), now).await?;
            // As it is now: its retention and its receivers may have changed since the decision began.
            let tenant = tenants::load_pinned(tx, &row.session.tenant).await?;
            let ending = Ending {
                event: &event,
                tenant: &tenant,
                row: &mut row,
                at,
            };
            record::record(tx, ending, &sealed).await?;
            audit::record(tx, &session::audit_entry(&row, now, AuditAction::SessionDecide)).await?;
        }
        // After the session, as where a late analysis or a submission brings this job forward: otherwise each would wait for what the other has
        // locked.
        jobs::finish(tx, &job, now).await
    });
    match unit.await {
        // Decided by another worker in the meantime: the next run finds nothing to do.
        Err(StoreError::Duplicate) => Err(StoreError::Conflict),
        other => other,
    }
}
