//! The selfie: a burst of frames around a movement chosen by the server, or one picture of a user who cannot do the movement.

use super::{CaptureError, keep, kept_or_dropped, number_of_next, store_row};
use crate::{
    Honnin,
    access::Applicant,
    capture::progress::{AttemptState, Next, NotNow, Slot, collecting, progress},
    runtime::analyser::{Analyser, Normalised, PictureFault, Subject},
};
use domain::{
    findings::Challenge,
    quality::{QualityLimits, selfie_is_poor},
    reasons::Reason,
    session::Step,
    time::Timestamp,
};
use store::{
    Tx,
    capture::{
        attempts,
        captures::{self, CaptureRow},
    },
};

/// Maximum number of frames of a burst; the camera page sends up to 18.
pub const MAX_FRAMES: usize = 24;

/// What was sent.
#[derive(Clone)]
pub struct Burst {
    /// The id of the requested movement; `None`: the user cannot do it.
    pub challenge: Option<String>,
    /// Each frame with its milliseconds since the first, in the order taken.
    pub frames: Vec<(u32, Vec<u8>)>,
}

impl std::fmt::Debug for Burst {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Burst({} frames)", self.frames.len())
    }
}

/// The movement to request, with its id. It stays the same until a burst answers it, so that reloading the page does not change
/// it.
///
/// # Errors
/// [`NotNow`].
pub async fn challenge(honnin: &Honnin, applicant: &Applicant) -> Result<(String, Challenge), NotNow> {
    let attempt = progress(honnin, applicant).await?;
    if let Some(known) = attempt.answers.challenge {
        return Ok(known);
    }
    let id = hex::encode(honnin.random_bytes::<16>());
    let [coin] = honnin.random_bytes::<1>();
    let chosen = if coin & 1 == 0 {
        Challenge::TurnLeft
    } else {
        Challenge::TurnRight
    };
    let (applicant, now) = (applicant.clone(), honnin.now());
    let unit = honnin.db.write(async move |tx| {
        let mut attempt = collecting(tx, &applicant, now).await?;
        if let Some(known) = attempt.answers.challenge {
            return Ok(known);
        }
        attempt.answers.challenge = Some((id.clone(), chosen));
        attempts::save(tx, &mut attempt.answers).await?;
        Ok((id.clone(), chosen))
    });
    unit.await
}

/// Takes a selfie.
///
/// # Errors
/// [`CaptureError`].
pub async fn capture_selfie(honnin: &Honnin, applicant: &Applicant, burst: Burst) -> Result<(), CaptureError> {
    let attempt = progress(honnin, applicant).await?;
    let asked = check_turn(&attempt, &burst, honnin.now())?;
    match (burst.frames.len(), &asked) {
        (0, _) | (1, Some(_)) => return Err(CaptureError::Missing),
        (frames, _) if frames > MAX_FRAMES => return Err(CaptureError::TooMany),
        _ => {}
    }
    if attempt.tries_left(Slot::Selfie) == 0 {
        return Err(CaptureError::NoTryLeft);
    }
    let Burst {
        challenge: answered,
        frames,
    } = burst;
    let look = move |analyser: &dyn Analyser| {
        let one = |(at, bytes): (u32, Vec<u8>)| Ok((at, analyser.normalise(&bytes, Subject::Selfie)?));
        frames.into_iter().map(one).collect::<Result<Vec<_>, PictureFault>>()
    };
    let pictures = honnin.cpu_pool.run(look).await??;
    let problems = if is_poor(&pictures) {
        vec![Reason::SelfieLowQuality]
    } else {
        Vec::new()
    };
    let (id, now) = (honnin.capture_id(), honnin.now());
    let frames = keep(honnin, &attempt, &id, pictures).await?;
    let capture = CaptureRow {
        id,
        session: applicant.session().clone(),
        attempt: applicant.attempt(),
        slot: Slot::Selfie,
        number: 0,
        document_type: None,
        challenge: asked,
        frames,
        accepted_at: problems.is_empty().then_some(now),
        problems,
        created_at: now,
        discarded_at: None,
        findings: None,
        analysed_at: None,
    };
    let (who, row) = (applicant.clone(), capture.clone());
    let unit = honnin
        .db
        .write(async move |tx| store(tx, &who, &row, answered.as_deref()).await);
    kept_or_dropped(honnin, &capture, unit.await).await
}

/// Stores the burst's row, if its challenge is still the current one. Earlier bursts are set aside.
async fn store(
    tx: &mut Tx,
    applicant: &Applicant,
    row: &CaptureRow,
    answered: Option<&str>,
) -> Result<(), CaptureError> {
    let (mut row, now) = (row.clone(), row.created_at);
    let mut attempt = collecting(tx, applicant, now).await?;
    row.number = number_of_next(&attempt, Slot::Selfie)?;
    let asked = attempt.answers.challenge.as_ref().map(|(id, _)| id.as_str());
    if answered.is_some() && answered != asked {
        return Err(CaptureError::NotNow(NotNow::OutOfTurn));
    }
    // Used up: the next try gets a new challenge.
    attempt.answers.challenge = None;
    if attempt.tries_left(Slot::Selfie) == 1 {
        // The last try is accepted as it is.
        row.accepted_at = Some(now);
    }
    for earlier in attempt.captures.iter().filter(|capture| capture.slot == Slot::Selfie) {
        captures::mark_discarded(tx, &earlier.id, now).await?;
    }
    store_row(tx, &row, now).await?;
    Ok(attempts::save(tx, &mut attempt.answers).await?)
}

/// The movement that the burst answers, if a selfie may be taken now.
fn check_turn(attempt: &AttemptState, burst: &Burst, now: Timestamp) -> Result<Option<Challenge>, NotNow> {
    let open = attempt.has_consent() && attempt.plan().has(Step::Selfie);
    // A good selfie stays: another one could only show another person.
    if !open || attempt.next(now) != Next::Selfie {
        return Err(NotNow::OutOfTurn);
    }
    match (&burst.challenge, &attempt.answers.challenge) {
        (None, _) => Ok(None),
        (Some(answered), Some((asked, challenge))) if answered == asked => Ok(Some(*challenge)),
        (Some(_), _) => Err(NotNow::OutOfTurn),
    }
}

/// Whether even the sharpest frame is too poor to judge.
fn is_poor(pictures: &[(u32, Normalised)]) -> bool {
    let limits = QualityLimits::default();
    pictures
        .iter()
        .all(|(_, picture)| selfie_is_poor(&picture.quality, &limits))
}
