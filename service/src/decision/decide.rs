//! The automatic decision: waits until every picture is analysed, applies the rules of `domain::decision`, and ends the session in
//! one unit with its outcome, its readings, the record of the decision, and its event.

use crate::{
    Honnin,
    capture::progress::{AttemptState, gather},
    decision::{
        earlier::{EarlierSessions, find_earlier},
        input::DecisionInput,
        record::{self, Grounds, Made},
    },
    runtime::job_error::JobError,
    session::{self, blind_index::hashes, end::Ending},
};
use domain::{
    audit::AuditAction,
    blind_index::of_session,
    decision::{Evidence, decide},
    document::OcrField,
    findings::ModelHash,
    ids::SessionId,
    secret::Personal,
    session::{FailureReason, Status},
    time::{Millis, Timestamp},
};
use store::{
    StoreError, audit,
    jobs::{self, Job},
    session::sessions,
    settings::tenants,
    vault::SessionKey,
};

/// Failed runs, some forty minutes, after which a session whose stored data cannot be read ends in `failed`: nobody could review it either.
const MOST_UNREADABLE: i64 = 8;
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
    let unit = honnin.db.read(async move |tx| -> Result<_, StoreError> {
        let Some(row) = sessions::find_any(tx, &id).await? else {
            return Ok(None);
        };
        if row.session.status == Status::Deciding {
            gather(tx, row).await.map(Some)
        } else {
            Ok(None)
        }
    });
    let Some(attempt) = unit.await? else {
        return Ok(settle(honnin, job, None).await?);
    };
    if attempt.is_being_analysed() {
        return Ok(settle(honnin, job, Some(honnin.now().plus(LOOK_AGAIN))).await?);
    }
    match read_and_make(honnin, &attempt).await {
        Ok((made, earlier)) => Ok(store(honnin, job, attempt, made, earlier).await?),
        Err(StoreError::Erased) => Ok(fail(honnin, job, attempt, FailureReason::ErasedBeforeDecision).await?),
        Err(StoreError::Corrupt(fault)) if job.failures >= MOST_UNREADABLE => {
            tracing::error!(session = %attempt.row.session.id, fault, "gave up deciding a session");
            Ok(fail(honnin, job, attempt, FailureReason::ProcessingError).await?)
        }
        Err(error) => Err(error.into()),
    }
}

async fn read_and_make(honnin: &Honnin, attempt: &AttemptState) -> Result<(Made, EarlierSessions), StoreError> {
    let key = honnin.vault.open(&attempt.row.data_key).await?;
    make(honnin, attempt, &key).await
}

/// Ends the job without a decision, or postpones it.
async fn settle(honnin: &Honnin, job: &Job, again: Option<Timestamp>) -> Result<(), StoreError> {
    let (job, now) = (job.clone(), honnin.now());
    let unit = honnin.db.write(async move |tx| match again {
        Some(at) => jobs::retry_at(tx, &job, at, None).await,
        None => jobs::finish(tx, &job, now).await,
    });
    unit.await
}

async fn fail(honnin: &Honnin, job: &Job, attempt: AttemptState, reason: FailureReason) -> Result<(), StoreError> {
    let (job, event, at) = (job.clone(), honnin.event_id(), honnin.moment());
    let unit = honnin.db.write(async move |tx| {
        jobs::finish(tx, &job, at.now).await?;
        let mut row = attempt.row.clone();
        let Ok(failed) = row.session.fail(at.now) else {
            return Ok(());
        };
        row.session = failed;
        let tenant = tenants::load(tx, &row.session.tenant).await?;
        let ending = Ending {
            event: &event,
            tenant: &tenant,
            row: &mut row,
            at,
        };
        ending.fail(tx, reason).await
    });
    unit.await
}

async fn make(
    honnin: &Honnin,
    attempt: &AttemptState,
    key: &SessionKey,
) -> Result<(Made, EarlierSessions), StoreError> {
    let now = honnin.now();
    let policy = attempt.tenant.settings_or_default().into_owned().policy;
    let found = DecisionInput::of(attempt, key)?;
    let earlier = find_earlier(honnin, attempt, key, &found, &policy).await?;
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
    let mut models: Vec<ModelHash> = document.iter().flat_map(|side| side.models.clone()).collect();
    models.extend(selfie.iter().flat_map(|selfie| selfie.models.clone()));
    models.sort_by(|a, b| a.name.cmp(&b.name));
    models.dedup();
    let fields: Option<Vec<OcrField>> =
        (!document.is_empty()).then(|| document.into_iter().flat_map(|side| side.fields).collect());
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
    let made = Made::seal(&attempt.row, key, decision, grounds, now)?;
    Ok((made, earlier))
}

/// Stores session, outcome, readings, record, event and job in one unit.
async fn store(
    honnin: &Honnin,
    job: &Job,
    attempt: AttemptState,
    made: Made,
    earlier: EarlierSessions,
) -> Result<(), StoreError> {
    let (job, event, at) = (job.clone(), honnin.event_id(), honnin.moment());
    let now = at.now;
    let unit = honnin.db.write(async move |tx| {
        // As read before the decision: if the session has changed since, saving it reports a conflict.
        let mut row = attempt.row.clone();
        jobs::finish(tx, &job, now).await?;
        let Ok(decided) = row.session.decide(made.verdict(), now) else {
            return Ok(());
        };
        row.session = decided;
        earlier.keep(tx, made.verdict(), now).await?;
        // As it is now: its retention and its receivers may have changed since the decision began.
        let tenant = tenants::load(tx, &row.session.tenant).await?;
        let ending = Ending {
            event: &event,
            tenant: &tenant,
            row: &mut row,
            at,
        };
        record::record(tx, ending, &made).await?;
        audit::record(tx, &session::audit_entry(&row, now, AuditAction::SessionDecide)).await
    });
    match unit.await {
        // Decided by another worker in the meantime: the next run finds nothing to do.
        Err(StoreError::Duplicate) => Err(StoreError::Conflict),
        other => other,
    }
}
