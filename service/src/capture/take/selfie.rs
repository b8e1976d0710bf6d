//! The selfie: a burst of frames around movements chosen by the server, two files around one, or one picture of a user who cannot
//! move.

use super::{CaptureError, drop_if_refused, in_turn, keep, live, number_of_next, store_row, unused::CountedPicture};
use crate::{
    Honnin,
    access::Applicant,
    capture::progress::{AttemptState, Slot, StepRefused, collecting, progress},
    fingerprints::tenant_key,
    runtime::{
        analyser::{Analyser, Normalised, Subject},
        sealed_json::seal_json,
    },
};
use domain::{
    findings::{Asked, Challenge},
    live::{MAX_FRAMES, Run},
    quality::{QualityLimits, selfie_is_poor},
    reasons::Reason,
    time::Timestamp,
};
use store::{
    Tx,
    capture::{
        attempts::{self, AttemptRow, RequestedMovement},
        captures::{self, CaptureRow},
        frame_prints,
    },
    vault::SealedValue,
};

/// Most photos of a selfie: before a movement and after it. More pictures come only from the page's camera, which makes them smaller: each photo may
/// take a second to decode.
const PHOTOS: usize = 2;
/// Tells fingerprints of frames from those of documents.
const FRAME: &str = "selfie frame";

/// What a burst answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answers {
    /// The run of the camera that the server watched, by its token.
    Run(String),
    /// The movement of the page's form, by its id.
    Challenge(String),
    /// Nothing: the user cannot make the movement of the page's form, by its id. A form that is sent again because its answer was lost
    /// counts once.
    CannotMove(String),
    /// The same, from a page of an earlier version.
    Nothing,
}

/// What was sent.
#[derive(Clone)]
pub struct Burst {
    /// What it answers.
    pub answers: Answers,
    /// Each frame with its milliseconds since the first, in the order taken.
    pub frames: Vec<(u32, Vec<u8>)>,
}

impl std::fmt::Debug for Burst {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Burst({} frames)", self.frames.len())
    }
}

/// The movement that the page's form requests. It stays the same until a burst answers it, so that reloading the page does not change
/// it.
///
/// # Errors
/// [`StepRefused`].
pub async fn challenge(honnin: &Honnin, applicant: &Applicant) -> Result<RequestedMovement, StepRefused> {
    let attempt = progress(honnin, applicant).await?;
    if let Some(known) = attempt.answers.challenge {
        return Ok(known);
    }
    let id = hex::encode(honnin.random_bytes::<16>());
    let [coin] = honnin.random_bytes::<1>();
    // Two files cannot show a face coming closer better than a magnifying glass does.
    let challenge = if coin & 1 == 0 {
        Challenge::TurnLeft
    } else {
        Challenge::TurnRight
    };
    let chosen = RequestedMovement { id, challenge };
    let (applicant, now) = (applicant.clone(), honnin.now());
    let unit = honnin.db.write(async move |tx| {
        let mut attempt = collecting(tx, &applicant, now).await?;
        if let Some(known) = attempt.answers.challenge {
            return Ok(known);
        }
        attempt.answers.challenge = Some(chosen.clone());
        attempts::save(tx, &mut attempt.answers).await?;
        Ok(chosen.clone())
    });
    unit.await
}

/// Takes a selfie.
///
/// # Errors
/// [`CaptureError`].
pub async fn capture_selfie(honnin: &Honnin, applicant: &Applicant, burst: Burst) -> Result<(), CaptureError> {
    let attempt = progress(honnin, applicant).await?;
    let answered = check_turn(honnin, &attempt, &burst, honnin.now()).await?;
    match (burst.frames.len(), &answered) {
        (0, _) | (1, Answered::Run(_) | Answered::Challenge(..)) => return Err(CaptureError::Missing),
        // The people in several are compared only where there is a movement.
        (2.., Answered::Nothing(_)) => return Err(CaptureError::TooMany),
        (frames, _) if frames > MAX_FRAMES => return Err(CaptureError::TooMany),
        _ => {}
    }
    if attempt.tries_left(Slot::Selfie) == 0 {
        return Err(CaptureError::NoTryLeft);
    }
    let counted = CountedPicture::begin(honnin, applicant.session()).await?;
    let taken = take(honnin, applicant, &attempt, answered, burst.frames, &counted).await;
    counted.settle(honnin, taken).await
}

async fn take(
    honnin: &Honnin,
    applicant: &Applicant,
    attempt: &AttemptState,
    answered: Answered,
    frames: Vec<(u32, Vec<u8>)>,
    counted: &CountedPicture,
) -> Result<(), CaptureError> {
    let look = move |analyser: &dyn Analyser| {
        let frames = frames.into_iter().enumerate().map(|(number, (at, bytes))| {
            let subject = if number < PHOTOS {
                Subject::Selfie
            } else {
                Subject::Frame
            };
            let picture = analyser.normalise(&bytes, subject);
            picture
                .map(|picture| (at, picture))
                .map_err(|fault| CaptureError::Frame(number, fault))
        });
        frames.collect::<Result<Vec<_>, CaptureError>>()
    };
    let pictures = honnin.cpu_pool.run(look).await??;
    let mut asked = answered.asked(&pictures);
    let prints = prints(honnin, attempt, &pictures).await?;
    let problems = if is_poor(&pictures) {
        vec![Reason::SelfieLowQuality]
    } else {
        Vec::new()
    };
    let (id, now) = (honnin.capture_id(), honnin.now());
    let measured = asked.live.as_mut().and_then(|live| live.flashes.take());
    let frames = keep(honnin, attempt, &id, pictures).await?;
    let of = (applicant.session(), applicant.attempt());
    // Its number is known in the unit that stores it.
    let mut capture = CaptureRow {
        asked,
        accepted_at: problems.is_empty().then_some(now),
        problems,
        ..CaptureRow::new(id, of, Slot::Selfie, frames, now)
    };
    if let Some(measured) = measured {
        let key = honnin.vault.open(&attempt.row.data_key).await?;
        let associated_data = attempt.row.associated_data(SealedValue::Flashes(&capture.id));
        capture.flashes = Some(seal_json(&key, &associated_data, &measured)?);
    }
    let (who, row, counted) = (applicant.clone(), capture.clone(), counted.clone());
    let unit = honnin.db.write(async move |tx| {
        store(tx, &who, &row, &answered, &prints).await?;
        counted.keep(tx).await?;
        Ok::<_, CaptureError>(())
    });
    drop_if_refused(honnin, &capture, unit.await).await
}

/// What a burst answers, found to be what is asked at the moment.
#[derive(Clone)]
enum Answered {
    Run(Box<Run>),
    Challenge(String, Challenge),
    /// With the id of the page's form, if it sends one.
    Nothing(Option<String>),
}

impl Answered {
    fn asked(&self, pictures: &[(u32, Normalised)]) -> Asked {
        match self {
            Self::Run(run) => {
                let prints: Vec<_> = pictures.iter().map(|(_, picture)| picture.print.clone()).collect();
                let files: Vec<_> = pictures.iter().map(|(_, picture)| picture.sha256).collect();
                Asked {
                    movements: run.movements.clone(),
                    live: Some(run.findings(&prints, &files)),
                }
            }
            Self::Challenge(_, challenge) => Asked {
                movements: vec![*challenge],
                live: None,
            },
            Self::Nothing(_) => Asked::default(),
        }
    }

    /// Refuses it if it is no longer what is asked.
    fn check(&self, answers: &AttemptRow, now: Timestamp) -> Result<(), CaptureError> {
        match self {
            Self::Run(run) => check_run(answers, run, now),
            Self::Challenge(id, _) | Self::Nothing(Some(id)) => check_challenge(answers, id).map(drop),
            Self::Nothing(None) => Ok(()),
        }
    }
}

/// A run counts until its burst is taken, another run begins, or it has been done for too long.
fn check_run(answers: &AttemptRow, run: &Run, now: Timestamp) -> Result<(), CaptureError> {
    let current = answers.live_id.as_ref().ok_or(StepRefused::OutOfTurn)?;
    if *current != run.id || run.is_too_late(now) {
        return Err(CaptureError::RunOver);
    }
    if run.is_done() && answers.step_of(&run.id) <= run.step() {
        Ok(())
    } else {
        Err(StepRefused::OutOfTurn.into())
    }
}

/// The movement with this id, which counts until a selfie is taken; the page then shows another.
fn check_challenge(answers: &AttemptRow, id: &str) -> Result<Challenge, CaptureError> {
    match &answers.challenge {
        Some(asked) if asked.id == id => Ok(asked.challenge),
        Some(_) => Err(CaptureError::RunOver),
        None => Err(StepRefused::OutOfTurn.into()),
    }
}

/// What recognises the frames in other sessions of the tenant: whoever injects a film sends the very same frames again, and whoever has
/// somebody's photos the same files. `None` of a frame in which nothing can be seen: anybody's may be equal to it.
async fn prints(
    honnin: &Honnin,
    attempt: &AttemptState,
    pictures: &[(u32, Normalised)],
) -> Result<Vec<Option<i64>>, CaptureError> {
    let key = tenant_key(honnin, &attempt.row.session.tenant).await?;
    let print = |(_, picture): &(u32, Normalised)| {
        if picture.print.is_blank() {
            return None;
        }
        let hmac = key.fingerprint(&[FRAME, &hex::encode(&picture.print.0)]);
        Some(hmac.first_chunk().map_or(0, |first| i64::from_be_bytes(*first)))
    };
    Ok(pictures.iter().map(print).collect())
}

/// Stores the burst's row, if it still answers what is asked. Earlier bursts are set aside.
async fn store(
    tx: &mut Tx,
    applicant: &Applicant,
    row: &CaptureRow,
    answered: &Answered,
    prints: &[Option<i64>],
) -> Result<(), CaptureError> {
    let (mut row, now) = (row.clone(), row.created_at);
    let mut attempt = collecting(tx, applicant, now).await?;
    let (tenant, session) = (&attempt.row.session.tenant, &attempt.row.session.id);
    let seen: Vec<i64> = prints.iter().copied().flatten().collect();
    frame_prints::take_turn(tx, &seen).await?;
    // Users who cannot use the camera may send the same file again. A camera never produces the same frame twice.
    let is_run = row.asked.live.is_some();
    for (frame, print) in row.frames.iter_mut().zip(prints) {
        let Some(print) = print else { continue };
        let is_elsewhere = frame_prints::count_elsewhere(tx, tenant, session, &[*print]).await? > 0;
        frame.repeated = is_elsewhere || is_run && frame_prints::is_known(tx, tenant, session, *print).await?;
    }
    frame_prints::add(tx, tenant, session, &seen).await?;
    let repeated = row.repeated_frames();
    if let Some(live) = &mut row.asked.live {
        live.repeated_frames += repeated;
    }
    row.number = number_of_next(&attempt, Slot::Selfie)?;
    answered.check(&attempt.answers, now)?;
    // Another one may have been taken since this one arrived: one that answers nothing is not used up by that.
    in_turn(&attempt, now)?;
    // Used up: the next try gets new movements.
    (attempt.answers.challenge, attempt.answers.live_id) = (None, None);
    if attempt.tries_left(Slot::Selfie) == 1 {
        // The last try is accepted as it is.
        row.accepted_at = Some(now);
    }
    for earlier in attempt.captures.iter().filter(|capture| capture.slot == Slot::Selfie) {
        captures::mark_discarded(tx, &earlier.id, now).await?;
    }
    store_row(tx, &attempt.row.session.tenant, &row, now).await?;
    Ok(attempts::save(tx, &mut attempt.answers).await?)
}

/// What the burst answers, if a selfie may be taken now.
async fn check_turn(
    honnin: &Honnin,
    attempt: &AttemptState,
    burst: &Burst,
    now: Timestamp,
) -> Result<Answered, CaptureError> {
    in_turn(attempt, now)?;
    let answered = match &burst.answers {
        Answers::Nothing => Answered::Nothing(None),
        Answers::CannotMove(id) => Answered::Nothing(Some(id.clone())),
        Answers::Challenge(id) => Answered::Challenge(id.clone(), check_challenge(&attempt.answers, id)?),
        Answers::Run(token) => {
            let run = live::open(honnin, attempt, token).await?;
            Answered::Run(Box::new(run.ok_or(StepRefused::OutOfTurn)?))
        }
    };
    answered.check(&attempt.answers, now)?;
    Ok(answered)
}

/// Whether even the sharpest frame is too poor to judge.
fn is_poor(pictures: &[(u32, Normalised)]) -> bool {
    let limits = QualityLimits::default();
    pictures
        .iter()
        .all(|(_, picture)| selfie_is_poor(&picture.quality, &limits))
}
