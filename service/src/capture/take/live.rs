//! The selfie while its camera is on: the server looks at a small copy of each frame and says what to do next. Only the run's id and
//! its progress are stored: the run itself travels as an encrypted token, so that any node can answer the next frame.

use super::in_turn;
use crate::{
    Honnin,
    access::Applicant,
    capture::progress::{AttemptState, StepRefused, collecting, progress},
    runtime::{
        analyser::{Analyser, PictureFault},
        cpu_pool::PoolError,
        sealed_json::{open_json, seal_json},
    },
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use domain::{
    live::{FileHash, Glance, Instruction, Keep, Run, drawn_colours},
    time::Timestamp,
};
use std::sync::Arc;
use store::{
    StoreError,
    capture::attempts::{self, AttemptRow, RunStep},
    vault::{SealedValue, SessionKey},
};

/// How many runs of an attempt may come to a request: a video prepared for one of the eighteen sequences must not simply wait for it.
pub const MAX_RUNS: i64 = 10;

/// The answer to a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameResponse {
    /// What to do.
    pub instruction: Instruction,
    /// To be sent with the next frame, and with the burst once the run is done. That of a run that has ended is worth nothing.
    pub token: String,
}

/// Why a frame was not looked at.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LiveError {
    /// The file is not a usable picture.
    #[error(transparent)]
    Picture(#[from] PictureFault),
    /// The camera was started too often, or the models of faces are missing: files can be sent instead.
    #[error("the camera cannot be used any more")]
    NoRunLeft,
    /// Overloaded; the next frame may fare better.
    #[error("too many pictures are waiting")]
    Busy,
    /// Another step is due, or the token is not the latest one of the current run.
    #[error(transparent)]
    StepRefused(#[from] StepRefused),
}

impl From<StoreError> for LiveError {
    fn from(error: StoreError) -> Self {
        Self::StepRefused(error.into())
    }
}

impl From<PoolError> for LiveError {
    fn from(error: PoolError) -> Self {
        match error {
            PoolError::Busy => Self::Busy,
            PoolError::Panicked => Self::Picture(PictureFault::Corrupt),
        }
    }
}

/// Whether the screen shines in colours during a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colours {
    /// As the tenant's settings say.
    AsSet,
    /// The user has declined them.
    Declined,
}

/// A frame while the camera is on.
#[derive(Clone, Copy, Debug)]
pub enum LiveFrame<'a> {
    /// The first, which begins a run.
    First(Colours),
    /// The next of the run with this token.
    Next(&'a str),
}

/// Looks at a frame. `file` is the hash of the one at full size, to which the browser commits itself.
///
/// # Errors
/// [`LiveError`].
pub async fn look(
    honnin: &Honnin,
    applicant: &Applicant,
    which: LiveFrame<'_>,
    frame: Vec<u8>,
    file: Option<FileHash>,
) -> Result<FrameResponse, LiveError> {
    let attempt = progress(honnin, applicant).await?;
    in_turn(&attempt, honnin.now())?;
    let key = honnin.vault.open(&attempt.row.data_key).await?;
    let current = match which {
        LiveFrame::First(_) if attempt.answers.live_runs >= MAX_RUNS => return Err(LiveError::NoRunLeft),
        LiveFrame::First(_) => None,
        LiveFrame::Next(token) => match find_current(&key, &attempt, token) {
            Ok(run) => Some(run),
            Err(NotCurrent::Ended(instruction)) => {
                let token = token.to_owned();
                return Ok(FrameResponse { instruction, token });
            }
            Err(NotCurrent::OutOfTurn) => return Err(StepRefused::OutOfTurn.into()),
        },
    };
    let frame: Arc<[u8]> = frame.into();
    let glance = in_pool(honnin, &frame, |analyser, frame| analyser.glance(frame)).await?;
    let mut run = match current {
        Some(run) => run,
        // Only now: a browser that has given up on this frame, as on a slow server, must not have used up a run.
        None => begin(honnin, applicant).await?,
    };
    if let LiveFrame::First(colours) = which {
        run = with_colours(honnin, &attempt, run, colours);
    }
    let now = honnin.now();
    if attempt.answers.step_of(&run.id) > run.step() {
        run.resume(now);
    }
    let step = run.step();
    let instruction = see(honnin, &frame, &mut run, glance, now).await?;
    if instruction.keep == Keep::Required {
        run.commit(file);
    }
    store_progress(honnin, applicant, &mut run, step, now).await?;
    let sealed = seal_json(&key, &attempt.row.associated_data(SealedValue::SelfieRun), &run)?;
    Ok(FrameResponse {
        instruction,
        token: URL_SAFE_NO_PAD.encode(sealed),
    })
}

/// Why a token does not continue the current run.
enum NotCurrent {
    /// The camera has to begin again, as this says: the run has ended and that answer was lost, or another page has begun one.
    Ended(Instruction),
    /// It is of no run of this attempt, or not the latest of the current one.
    OutOfTurn,
}

/// The current run, if the token is of it.
fn find_current(key: &SessionKey, attempt: &AttemptState, token: &str) -> Result<Run, NotCurrent> {
    let run = read(key, attempt, token).ok_or(NotCurrent::OutOfTurn)?;
    match &attempt.answers.live_id {
        Some(current) if *current == run.id && is_latest(&attempt.answers, &run) => Ok(run),
        Some(current) if *current == run.id => Err(NotCurrent::OutOfTurn),
        Some(_) => Err(NotCurrent::Ended(Instruction::REPLACED)),
        None => Err(NotCurrent::Ended(Instruction::FAILED)),
    }
}

/// A new run with the colours of the screen drawn, if the tenant shows any; with none of them if the user wants none.
fn with_colours(honnin: &Honnin, attempt: &AttemptState, run: Run, wanted: Colours) -> Run {
    if !attempt.shows_colours() {
        return run;
    }
    run.with_colours(match wanted {
        Colours::AsSet => drawn_colours(honnin.random_bytes()),
        Colours::Declined => Vec::new(),
    })
}

/// What the run makes of a frame. The burst is searched thoroughly for other faces: better to say so before anything is asked, so the frame before
/// that is searched in the same way.
async fn see(
    honnin: &Honnin,
    frame: &Arc<[u8]>,
    run: &mut Run,
    glance: Glance,
    now: Timestamp,
) -> Result<Instruction, LiveError> {
    let before = run.clone();
    let instruction = run.see(&glance, now);
    if !run.has_just_begun() || instruction.keep != Keep::Required {
        return Ok(instruction);
    }
    let faces = in_pool(honnin, frame, |analyser, frame| analyser.count_faces(frame)).await?;
    if faces <= 1 {
        return Ok(instruction);
    }
    *run = before;
    Ok(run.see(&Glance { faces, ..glance }, now))
}

/// Stores that the run has failed, or that it has come further than `step`.
async fn store_progress(
    honnin: &Honnin,
    applicant: &Applicant,
    run: &mut Run,
    step: i64,
    now: Timestamp,
) -> Result<(), LiveError> {
    if run.has_failed() {
        return end(honnin, applicant, run).await;
    }
    if run.step() > step {
        let stored = advance(honnin, applicant, run, now).await?;
        run.set_step_began(stored.since);
        run.note_unseen_turns(u32::try_from(stored.unseen_turns).unwrap_or(u32::MAX));
    }
    Ok(())
}

/// A look at one frame; `None` without models.
type LookAt<T> = fn(&dyn Analyser, &[u8]) -> Result<Option<T>, PictureFault>;

/// Looks at the frame in a thread for that.
async fn in_pool<T: Send + 'static>(honnin: &Honnin, frame: &Arc<[u8]>, look: LookAt<T>) -> Result<T, LiveError> {
    let frame = Arc::clone(frame);
    let seen = honnin.look_pool.run(move |analyser| look(analyser, &frame)).await??;
    // Without models nobody could say when a movement was made.
    seen.ok_or(LiveError::NoRunLeft)
}

/// Whether the answer with this run was the latest, or the one before it, in case the latest was lost. Any earlier one must not count:
/// a user who has followed a run knows its movements and colours.
fn is_latest(answers: &AttemptRow, run: &Run) -> bool {
    run.step() + 1 >= answers.step_of(&run.id)
}

/// The run of a token; `None` if it does not belong to this session.
pub(super) async fn open(honnin: &Honnin, attempt: &AttemptState, token: &str) -> Result<Option<Run>, StoreError> {
    let key = honnin.vault.open(&attempt.row.data_key).await?;
    Ok(read(&key, attempt, token))
}

fn read(key: &SessionKey, attempt: &AttemptState, token: &str) -> Option<Run> {
    let sealed = URL_SAFE_NO_PAD.decode(token).ok()?;
    let run = open_json::<Run>(key, &attempt.row.associated_data(SealedValue::SelfieRun), &sealed).ok()?;
    Some(run.into_exposed())
}

/// Stores that the run has come this far; returns when it did so first.
async fn advance(honnin: &Honnin, applicant: &Applicant, run: &Run, now: Timestamp) -> Result<RunStep, LiveError> {
    let (applicant, id, step) = (applicant.clone(), run.id.clone(), run.step());
    let reached = RunStep {
        run: id.clone(),
        step,
        since: now,
        unseen_turns: i64::from(run.unseen_turns()),
    };
    let unit = honnin.db.write(async move |tx| {
        let mut attempt = collecting(tx, &applicant, now).await?;
        let answers = &mut attempt.answers;
        let known = answers.step_of(&id);
        if answers.live_id.as_ref() != Some(&id) || known > step {
            return Err(StepRefused::OutOfTurn.into());
        }
        if known < step {
            // A user who opens the camera and closes it again has learnt nothing.
            answers.live_runs += i64::from(known == 0);
            answers.live_step = Some(reached.clone());
            attempts::save(tx, answers).await?;
        }
        Ok::<_, LiveError>(answers.live_step.clone().unwrap_or_else(|| reached.clone()))
    });
    unit.await
}

/// Ends a run that failed: an earlier token of it must not let it continue.
async fn end(honnin: &Honnin, applicant: &Applicant, run: &Run) -> Result<(), LiveError> {
    let (applicant, failed, now) = (applicant.clone(), run.id.clone(), honnin.now());
    let unit = honnin.db.write(async move |tx| {
        let mut attempt = collecting(tx, &applicant, now).await?;
        if attempt.answers.live_id.as_ref() == Some(&failed) {
            attempt.answers.live_id = None;
            attempts::save(tx, &mut attempt.answers).await?;
        }
        Ok::<_, LiveError>(())
    });
    unit.await
}

/// Begins a run, which makes every earlier one worthless.
async fn begin(honnin: &Honnin, applicant: &Applicant) -> Result<Run, LiveError> {
    let now = honnin.now();
    let id = hex::encode(honnin.random_bytes::<16>());
    let (applicant, new) = (applicant.clone(), id.clone());
    let unit = honnin.db.write(async move |tx| {
        let mut attempt = collecting(tx, &applicant, now).await?;
        in_turn(&attempt, now)?;
        if attempt.answers.live_runs >= MAX_RUNS {
            return Err(LiveError::NoRunLeft);
        }
        attempt.answers.live_id = Some(new.clone());
        attempts::save(tx, &mut attempt.answers).await?;
        Ok(attempt.answers.live_runs + 1)
    });
    let number = u32::try_from(unit.await?).unwrap_or(u32::MAX);
    Ok(Run::begin(id, number, honnin.random_bytes(), now))
}
