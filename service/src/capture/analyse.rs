//! Analysing a picture as soon as it is uploaded: its findings are stored, encrypted, beside it before the decision. What
//! cannot be analysed is given up after a few runs and goes to review; it never fails the session, unless the picture is lost or damaged when it is
//! decided. An overloaded pool or unavailable storage says nothing about the picture: then the job is retried for hours.

use crate::{
    Honnin,
    capture::{
        progress::{Slot, gather},
        take::is_frame_of,
    },
    runtime::{
        analyser::{Analyser, PictureFault},
        cpu_pool::PoolError,
        job_error::{JobError, MAX_WITHOUT_MASTER_KEY},
        sealed_json::{open_json, seal_json},
    },
};
use domain::{
    decision::must_not_be_kept,
    document::{DocumentType, OcrField, Side},
    findings::{Asked, DocumentFindings, SelfieFindings, Unavailable},
    ids::CaptureId,
    quality::{QualityLimits, SelfieLimits, cover_problem, document_problems, selfie_is_poor},
    reasons::Reason,
    session::{Session, Status},
    time::Timestamp,
};
use store::{
    StoreError, Tx,
    capture::captures::{self, CaptureRow},
    jobs::{self, Job, JobKind, NewJob},
    session::sessions::{self, SessionRow},
    settings::tenants,
    vault::{SealedValue, SessionKey},
};
use time::Date;

/// Runs before an analysis is given up because the picture cannot be opened or makes the analyser panic.
const MAX_RUNS_ON_BAD_PICTURE: i64 = 4;
/// Runs before an analysis is given up for any reason, counting runs that took the whole process down. Nearly three hours.
const MAX_RUNS: i64 = 20;

/// Why there are no findings.
enum Unseen {
    /// The fault is in the picture, as far as is known.
    Picture(&'static str),
    /// Another cause.
    Later(JobError),
}

impl From<StoreError> for Unseen {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Corrupt(_) => Self::Picture(UNREADABLE),
            other => Self::Later(other.into()),
        }
    }
}

const UNREADABLE: &str = "a stored picture cannot be read";

/// The result of an analysis.
enum Seen {
    Document(Box<DocumentFindings>),
    Selfie(Box<SelfieFindings>),
}

/// Analyses the capture that the job names. An analysed capture stays as it is.
///
/// # Errors
/// If storage fails or the pool is full; the job is retried then.
pub(crate) async fn run(honnin: &Honnin, job: &Job) -> Result<(), JobError> {
    let id = CaptureId::parse(&job.subject).ok_or(JobError::MALFORMED_SUBJECT)?;
    let Some(found) = find(honnin, id).await? else {
        return Ok(honnin.finish(job).await?);
    };
    let Found {
        capture,
        row,
        is_sandbox,
    } = found;
    if capture.analysed_at.is_some() {
        // Cut short before all of what must not be kept was deleted, perhaps.
        if capture.frames.is_empty() {
            delete_pictures(honnin, &capture).await?;
        }
        return Ok(honnin.finish(job).await?);
    }
    if is_sandbox {
        // Nothing is analysed in a sandbox: the pictures go to review, as if the models were missing.
        return Ok(finish(honnin, job, &capture, None, &capture.problems).await?);
    }
    let seen = match honnin.vault.open(&row.data_key).await {
        // Erased in the meantime: there is nothing left to analyse.
        Err(StoreError::Erased) => return Ok(finish(honnin, job, &capture, None, &capture.problems).await?),
        // What must not be kept was deleted while the copy was made that this installation was restored from, and what was found with it.
        Ok(_) if capture.frames.is_empty() => {
            return Ok(finish(honnin, job, &capture, None, &[Reason::DocumentWrongSide]).await?);
        }
        // A key that this process does not have says nothing about the picture: these runs are not among `job.attempt`.
        Err(error @ StoreError::MasterKeyMissing) if job.failures < MAX_WITHOUT_MASTER_KEY => return Err(error.into()),
        Err(StoreError::MasterKeyMissing) => Err(Unseen::Picture("its version of the master key is missing")),
        _ if job.attempt > MAX_RUNS => Err(Unseen::Picture("tried too often")),
        Ok(key) => look(honnin, &capture, &row, &key).await.map(|seen| (seen, key)),
        Err(error) => Err(error.into()),
    };
    let (seen, key) = match seen {
        Ok(seen) => seen,
        Err(Unseen::Picture(fault)) if job.attempt >= MAX_RUNS_ON_BAD_PICTURE => {
            tracing::error!(capture = %capture.id, fault, "gave up analysing a picture");
            return Ok(finish(honnin, job, &capture, None, &capture.problems).await?);
        }
        Err(Unseen::Picture(fault)) => return Err(JobError::Transient(fault)),
        Err(Unseen::Later(fault)) => return Err(fault),
    };
    let problems = problems(&capture, &seen);
    let sealed = seal(&capture, &row, &key, &seen)?;
    if let Seen::Document(found) = &seen
        && must_not_be_kept(found)
    {
        // What was found comes first: of pictures that are gone, nothing can be found again. Until they are gone, the job is open.
        forget(honnin, &capture, sealed, &problems).await?;
        delete_pictures(honnin, &capture).await?;
        return Ok(honnin.finish(job).await?);
    }
    Ok(finish(honnin, job, &capture, Some(sealed), &problems).await?)
}

/// A capture to analyse.
struct Found {
    capture: CaptureRow,
    /// Its session.
    row: SessionRow,
    /// Whether that is of a sandbox.
    is_sandbox: bool,
}

/// The capture; `None` if it is gone.
async fn find(honnin: &Honnin, id: CaptureId) -> Result<Option<Found>, StoreError> {
    let unit = honnin.db.read(async move |tx| {
        let Some(capture) = captures::find(tx, &id).await? else {
            return Ok(None);
        };
        let Some(row) = sessions::find_any(tx, &capture.session).await? else {
            return Ok(None);
        };
        let tenant = tenants::find(tx, &row.session.tenant).await?;
        let is_sandbox = tenant.is_some_and(|tenant| tenant.mode.is_sandbox());
        Ok::<_, StoreError>(Some(Found {
            capture,
            row,
            is_sandbox,
        }))
    });
    unit.await
}

/// Deletes the pictures of a capture, which its row does not name any more.
async fn delete_pictures(honnin: &Honnin, capture: &CaptureRow) -> Result<(), StoreError> {
    for object in honnin.pictures.list_names(&capture.session).await? {
        if is_frame_of(&capture.id, &object) {
            honnin.pictures.delete(&capture.session, &object).await?;
        }
    }
    Ok(())
}

async fn look(honnin: &Honnin, capture: &CaptureRow, row: &SessionRow, key: &SessionKey) -> Result<Seen, Unseen> {
    let pictures = open(honnin, capture, row, key).await?;
    let (kind, today) = (capture.document_type, honnin.now().date());
    let (slot, asked) = (capture.slot, asked(capture, row, key)?);
    // Those of a run are counted in what it was asked.
    let is_run = asked.live.is_some();
    let repeated_files = if is_run { 0 } else { capture.repeated_frames() };
    let look = move |analyser: &dyn Analyser| match slot {
        Slot::Document(side) => document(analyser, pictures, kind, side, today)
            .map(Box::new)
            .map(Seen::Document),
        Slot::Selfie => analyser.selfie(pictures, &asked).map(|found| {
            Seen::Selfie(Box::new(SelfieFindings {
                repeated_files,
                ..found
            }))
        }),
    };
    match honnin.cpu_pool.run(look).await {
        Ok(Ok(seen)) => Ok(seen),
        Ok(Err(_)) => Err(Unseen::Picture(UNREADABLE)),
        Err(PoolError::Busy) => Err(Unseen::Later(JobError::Transient("too many pictures are waiting"))),
        Err(PoolError::Panicked) => Err(Unseen::Picture("the analyser panicked")),
    }
}

fn document(
    analyser: &dyn Analyser,
    pictures: Vec<Vec<u8>>,
    kind: Option<DocumentType>,
    side: Side,
    today: Date,
) -> Result<DocumentFindings, PictureFault> {
    let (Some(kind), Some(picture)) = (kind, pictures.into_iter().next()) else {
        return Err(PictureFault::Corrupt);
    };
    let mut findings = analyser.document(picture, kind, side, today)?;
    if must_not_be_kept(&findings) {
        return Ok(DocumentFindings {
            quality: findings.quality,
            layout: findings.layout,
            individual_number: findings.individual_number,
            ..DocumentFindings::none(side)
        });
    }
    if kind == DocumentType::MyNumberCard {
        // The law forbids storing the individual number. The analyser leaves it out; this makes sure.
        findings.fields.retain(|field| !holds_individual_number(field));
        findings.printed.retain(|field| !holds_individual_number(field));
    }
    Ok(findings)
}

fn holds_individual_number(field: &OcrField) -> bool {
    let digits = |text: &Option<String>| {
        let text = text.as_deref().unwrap_or_default();
        text.split(|c: char| !c.is_numeric() && c != ' ' && c != '-')
            .any(|run| run.chars().filter(|c| c.is_numeric()).count() >= 12)
    };
    digits(&field.text) || digits(&field.normalized)
}

async fn open(
    honnin: &Honnin,
    capture: &CaptureRow,
    row: &SessionRow,
    key: &SessionKey,
) -> Result<Vec<Vec<u8>>, Unseen> {
    let mut pictures = Vec::with_capacity(capture.frames.len());
    for frame in &capture.frames {
        let sealed = honnin.pictures.find(&capture.session, &frame.object).await?;
        let sealed = sealed.ok_or(Unseen::Picture("a stored picture is missing"))?;
        let associated_data = row.associated_data(SealedValue::Picture(&frame.object));
        pictures.push(key.open(&associated_data, &sealed)?.into_exposed());
    }
    Ok(pictures)
}

/// Why the picture should be taken again, as far as is known now. The analysis of a document knows better what is missing than
/// the first check, which found an outline or none.
fn problems(capture: &CaptureRow, seen: &Seen) -> Vec<Reason> {
    match seen {
        Seen::Document(findings) => document_problems(&findings.quality, &QualityLimits::default()),
        Seen::Selfie(findings) => selfie_problems(capture.problems.clone(), findings),
    }
}

/// The same for a selfie with which the upload had these problems.
fn selfie_problems(mut problems: Vec<Reason>, selfie: &SelfieFindings) -> Vec<Reason> {
    if selfie.unavailable.contains(&Unavailable::Face) {
        return problems;
    }
    if selfie.face.is_some() {
        // The upload saw the light of the whole picture. The decision goes by that of the face.
        problems.retain(|problem| *problem != Reason::SelfieLowQuality);
        if selfie_is_poor(&selfie.quality, &QualityLimits::default()) {
            problems.push(Reason::SelfieLowQuality);
        }
    }
    let worst = match (selfie.faces, &selfie.face) {
        (2.., _) => Some(Reason::SelfieMultipleFaces),
        (_, None) => Some(Reason::SelfieNoFace),
        (_, Some(_)) => cover_problem(&selfie.signs, &selfie.quality, &SelfieLimits::default()),
    };
    if let Some(worst) = worst {
        problems.retain(|known| *known != worst);
        problems.insert(0, worst);
    }
    problems
}

/// What a selfie was asked to show, with what the colours of the screen showed of the face.
fn asked(capture: &CaptureRow, row: &SessionRow, key: &SessionKey) -> Result<Asked, StoreError> {
    let mut asked = capture.asked.clone();
    if let (Some(live), Some(sealed)) = (&mut asked.live, &capture.flashes) {
        let associated_data = row.associated_data(SealedValue::Flashes(&capture.id));
        let measured = open_json(key, &associated_data, sealed)?;
        live.flashes = Some(measured.into_exposed());
    }
    Ok(asked)
}

fn seal(capture: &CaptureRow, row: &SessionRow, key: &SessionKey, seen: &Seen) -> Result<Vec<u8>, StoreError> {
    let associated_data = row.associated_data(SealedValue::Findings(&capture.id));
    match seen {
        Seen::Document(findings) => seal_json(key, &associated_data, findings),
        Seen::Selfie(findings) => seal_json(key, &associated_data, findings),
    }
}

/// Ends the analysis of what must not be kept, so that nobody looks for its pictures any more.
async fn forget(
    honnin: &Honnin,
    capture: &CaptureRow,
    findings: Vec<u8>,
    problems: &[Reason],
) -> Result<(), StoreError> {
    let session = capture.session.clone();
    let (capture, problems, now) = (capture.clone(), problems.to_vec(), honnin.now());
    let unit = honnin.db.write(async move |tx| {
        end(tx, &capture, Some(&findings), &problems, now).await?;
        captures::forget_frames(tx, &capture.id).await
    });
    unit.await?;
    honnin.wake_ups.notify(&session);
    Ok(())
}

/// Ends the analysis and its job in one unit, and wakes a decision or a page that waits for it.
async fn finish(
    honnin: &Honnin,
    job: &Job,
    capture: &CaptureRow,
    findings: Option<Vec<u8>>,
    problems: &[Reason],
) -> Result<(), StoreError> {
    let session = capture.session.clone();
    let (job, capture, problems, now) = (job.clone(), capture.clone(), problems.to_vec(), honnin.now());
    let unit = honnin.db.write(async move |tx| {
        jobs::finish(tx, &job, now).await?;
        end(tx, &capture, findings.as_deref(), &problems, now).await
    });
    unit.await?;
    honnin.wake_ups.notify(&session);
    Ok(())
}

/// Ends the analysis, and wakes a decision that waits for it.
async fn end(
    tx: &mut Tx,
    capture: &CaptureRow,
    findings: Option<&[u8]>,
    problems: &[Reason],
    now: Timestamp,
) -> Result<(), StoreError> {
    sessions::lock(tx, &capture.session).await?;
    let Some(row) = sessions::find_any(tx, &capture.session).await? else {
        return Ok(());
    };
    // Erased while it was being analysed: what was found is not to be kept.
    let findings = findings.filter(|_| row.session.purged_at.is_none());
    let is_stored = captures::save_findings(tx, &capture.id, findings, problems, now).await?;
    let is_good = is_stored && findings.is_some() && problems.is_empty();
    if is_good && capture.slot == Slot::Selfie && capture.accepted_at.is_none() {
        // It seemed poor when it arrived, and nothing is wrong with it: it is used, so the reviewer of the session has to see it.
        captures::mark_accepted(tx, &capture.id, &[], now).await?;
    }
    wake_decision(tx, row, now).await
}

async fn wake_decision(tx: &mut Tx, row: SessionRow, now: Timestamp) -> Result<(), StoreError> {
    let session = row.session.clone();
    if row.session.status != Status::Deciding || gather(tx, row).await?.is_being_analysed() {
        return Ok(());
    }
    enqueue_decision(tx, &session, now).await
}

/// The job that decides a session; at most one is pending, and it is moved to the earlier time.
pub(crate) async fn enqueue_decision(tx: &mut Tx, session: &Session, now: Timestamp) -> Result<(), StoreError> {
    let subject = session.id.as_str();
    let job = NewJob {
        kind: JobKind::Decide,
        subject,
        run_at: now,
        dedup_key: Some(subject),
    };
    jobs::enqueue_round_robin(tx, &session.tenant, job).await
}
