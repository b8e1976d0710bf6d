//! The automatic decision: waits until every picture is analysed, applies the rules of `domain::decision`, and ends the session in
//! one unit with its outcome, its readings, the record of the decision, and its event.

use crate::{
    Honnin,
    found::Found,
    job_fault::JobFault,
    look_back::{LookedBack, look_back},
    progress::{Standing, audit_entry, gather},
    record_decision::{self, Grounds, Made},
};
use domain::{
    decision::{Evidence, decide},
    findings::ModelHash,
    ids::SessionId,
    secret::Personal,
    session::{FailureReason, Status},
    time::{Millis, Timestamp},
};
use store::{
    StoreError, audit,
    jobs::{self, Job},
    sessions,
    vault::SessionKey,
};

/// How soon to check again whether the pictures are analysed, if nothing wakes it.
const LOOK_AGAIN: Millis = Millis::seconds(2);

/// Decides the session that the job names, if it is still to be decided, and wakes the page that waits for it.
///
/// # Errors
/// If storage fails; the job is retried then.
pub(crate) async fn run(honnin: &Honnin, job: &Job) -> Result<(), JobFault> {
    let id = SessionId::parse(&job.subject).ok_or(JobFault::Hopeless("malformed subject"))?;
    decide_session(honnin, job, id.clone()).await?;
    honnin.news.tell(&id);
    Ok(())
}

async fn decide_session(honnin: &Honnin, job: &Job, id: SessionId) -> Result<(), JobFault> {
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
    let Some(standing) = unit.await? else {
        return Ok(settle(honnin, job, None).await?);
    };
    if standing.is_being_analysed() {
        return Ok(settle(honnin, job, Some(honnin.now().plus(LOOK_AGAIN))).await?);
    }
    let key = match honnin.vault.open(&standing.row.data_key).await {
        Err(StoreError::Erased) => return Ok(fail(honnin, job, standing, FailureReason::ErasedBeforeDecision).await?),
        other => other?,
    };
    let (made, looked_back) = make(honnin, &standing, &key).await?;
    Ok(store(honnin, job, standing, made, looked_back).await?)
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

async fn fail(honnin: &Honnin, job: &Job, standing: Standing, reason: FailureReason) -> Result<(), StoreError> {
    let (job, event, now) = (job.clone(), honnin.event_id(), honnin.now());
    let unit = honnin.db.write(async move |tx| {
        jobs::finish(tx, &job, now).await?;
        let mut row = standing.row.clone();
        let Ok(failed) = row.session.fail(now) else {
            return Ok(());
        };
        row.session = failed;
        crate::conclude::fail(tx, &event, &standing.tenant, &mut row, reason, now).await
    });
    unit.await
}

async fn make(honnin: &Honnin, standing: &Standing, key: &SessionKey) -> Result<(Made, LookedBack), StoreError> {
    let now = honnin.now();
    let policy = standing
        .tenant
        .settings
        .as_ref()
        .map(|settings| settings.policy.clone())
        .unwrap_or_default();
    let found = Found::of(standing, key)?;
    let looked_back = look_back(honnin, standing, key, &found, &policy).await?;
    let Found {
        document,
        selfie,
        typed,
        known,
    } = found;
    let evidence = Evidence {
        plan: standing.plan(),
        document_type: standing.row.document_type,
        document: &document,
        selfie: selfie.as_ref(),
        typed: typed.as_ref().map(Personal::expose),
        known: known.as_ref().map(Personal::expose),
        earlier: &looked_back.earlier,
        draw: honnin.random_fraction(),
        today: now.date(),
    };
    let decision = decide(&evidence, &policy);
    let mut models: Vec<ModelHash> = document.iter().flat_map(|side| side.models.clone()).collect();
    models.extend(selfie.iter().flat_map(|selfie| selfie.models.clone()));
    models.sort_by(|a, b| a.name.cmp(&b.name));
    models.dedup();
    let grounds = Grounds {
        policy,
        models,
        captures: standing
            .relied_on()
            .into_iter()
            .map(|capture| capture.id.clone())
            .collect(),
        fields: (!document.is_empty()).then(|| document.into_iter().flat_map(|side| side.fields).collect()),
    };
    let made = Made::seal(&standing.row, key, decision, grounds, now)?;
    Ok((made, looked_back))
}

/// Stores session, outcome, readings, record, event and job in one unit.
async fn store(
    honnin: &Honnin,
    job: &Job,
    standing: Standing,
    made: Made,
    looked_back: LookedBack,
) -> Result<(), StoreError> {
    let (job, event, now) = (job.clone(), honnin.event_id(), honnin.now());
    let unit = honnin.db.write(async move |tx| {
        // As read before the decision: if the session has changed since, saving it reports a conflict.
        let mut row = standing.row.clone();
        jobs::finish(tx, &job, now).await?;
        let Ok(decided) = row.session.decide(made.verdict(), now) else {
            return Ok(());
        };
        row.session = decided;
        looked_back.keep(tx, made.verdict(), now).await?;
        record_decision::record(tx, &event, &standing.tenant, &mut row, &made, now).await?;
        audit::record(tx, &audit_entry(&row, now, "session.decide")).await
    });
    match unit.await {
        // Decided by another worker in the meantime: the next run finds nothing to do.
        Err(StoreError::Duplicate) => Err(StoreError::Conflict),
        other => other,
    }
}
