//! Taking a picture: decode, judge, encrypt, store, and queue its analysis. The picture is durable before its row is, so that
//! no row refers to a missing picture; a crash in between leaves an encrypted object without a row, which the erasure removes.

mod document;
mod live;
mod selfie;
mod unused;

pub use document::capture_document;
pub use live::{Colours, FrameResponse, LiveError, LiveFrame, MAX_RUNS, look};
pub use selfie::{Answers, Burst, capture_selfie, challenge};
pub use unused::MOST_UNUSED;

use crate::{
    Honnin,
    capture::progress::{AttemptState, Next, Slot, StepRefused},
    runtime::{
        analyser::{Normalised, PictureFault},
        cpu_pool::PoolError,
    },
};
use domain::{
    ids::{CaptureId, TenantId},
    session::Step,
    time::Timestamp,
};
use store::{
    StoreError, Tx,
    capture::captures::{self, CaptureRow, Frame},
    jobs::{self, JobKind, NewJob},
    vault::SealedValue,
};

/// Why a picture was refused.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CaptureError {
    /// The file is not a usable picture.
    #[error(transparent)]
    Picture(#[from] PictureFault),
    /// A frame of a burst is not a usable picture: its number, from 0.
    #[error("frame {0}: {1}")]
    Frame(usize, PictureFault),
    /// No file was sent, or too few.
    #[error("a picture is missing")]
    Missing,
    /// More frames than a burst may have.
    #[error("too many pictures")]
    TooMany,
    /// No tries are left; the session continues with what it has.
    #[error("no attempts left")]
    NoTryLeft,
    /// Overloaded, or too many pictures of the session were decoded lately and not kept; worth a retry.
    #[error("too many pictures are waiting")]
    Busy,
    /// A selfie is due, but not this one: another run or form has replaced what it answers, or it arrives too late.
    #[error("the selfie belongs to an expired request")]
    RunOver,
    /// Another step is due.
    #[error(transparent)]
    StepRefused(#[from] StepRefused),
}

impl From<StoreError> for CaptureError {
    fn from(error: StoreError) -> Self {
        Self::StepRefused(error.into())
    }
}

impl From<PoolError> for CaptureError {
    fn from(error: PoolError) -> Self {
        match error {
            PoolError::Busy => Self::Busy,
            // A picture that makes the decoder panic is treated as damaged.
            PoolError::Panicked => Self::Picture(PictureFault::Corrupt),
        }
    }
}

/// Name of a capture's frame in the object store.
fn object_name(id: &CaptureId, frame: usize) -> String {
    format!("{id}-{frame}")
}

/// Whether an object is a frame of this capture.
pub(super) fn is_frame_of(id: &CaptureId, object: &str) -> bool {
    let frame = object.strip_prefix(id.as_str()).and_then(|rest| rest.strip_prefix('-'));
    frame.is_some_and(|frame| frame.parse::<usize>().is_ok())
}

/// Encrypts the pictures and stores them durably.
async fn keep(
    honnin: &Honnin,
    attempt: &AttemptState,
    id: &CaptureId,
    pictures: Vec<(u32, Normalised)>,
) -> Result<Vec<Frame>, StoreError> {
    let row = &attempt.row;
    let key = honnin.vault.open(&row.data_key).await?;
    let mut frames = Vec::with_capacity(pictures.len());
    for (index, (at, picture)) in pictures.into_iter().enumerate() {
        let object = object_name(id, index);
        let Normalised { jpeg, sha256, .. } = picture;
        let sealed = key.seal(&row.associated_data(SealedValue::Picture(&object)), &jpeg)?;
        // Not held in clear text, beside its encrypted form, for as long as the disk takes.
        drop(jpeg);
        honnin.pictures.put(&row.session.id, &object, sealed).await?;
        frames.push(Frame {
            object,
            sha256: hex::encode(sha256),
            at,
            repeated: false,
        });
    }
    Ok(frames)
}

/// Removes the pictures whose row was refused. After a storage error the row may exist nevertheless, so they stay; the erasure
/// removes them with the session.
async fn drop_if_refused<T>(
    honnin: &Honnin,
    capture: &CaptureRow,
    stored: Result<T, CaptureError>,
) -> Result<T, CaptureError> {
    let refused = match &stored {
        Err(
            CaptureError::NoTryLeft
            | CaptureError::RunOver
            | CaptureError::StepRefused(StepRefused::Over | StepRefused::OutOfTurn),
        ) => true,
        Ok(_) | Err(_) => false,
    };
    if refused {
        drop_pictures(honnin, capture).await;
    }
    stored
}

/// Removes the pictures of a capture that has no row. What cannot be removed now goes with the session.
async fn drop_pictures(honnin: &Honnin, capture: &CaptureRow) {
    for frame in &capture.frames {
        if let Err(error) = honnin.pictures.delete(&capture.session, &frame.object).await {
            tracing::warn!(session = %capture.session, %error, "cannot remove a picture that was refused");
        }
    }
}

/// The number of a slot's next picture, if tries are left.
fn number_of_next(attempt: &AttemptState, slot: Slot) -> Result<i64, CaptureError> {
    if attempt.tries_left(slot) == 0 {
        return Err(CaptureError::NoTryLeft);
    }
    let taken = attempt
        .captures
        .iter()
        .filter(|capture| capture.slot == slot)
        .map(|capture| capture.number);
    Ok(taken.max().unwrap_or(0) + 1)
}

/// Stores the capture and the job that analyses it, in the caller's unit.
async fn store_row(tx: &mut Tx, tenant: &TenantId, capture: &CaptureRow, now: Timestamp) -> Result<(), StoreError> {
    captures::insert(tx, capture).await?;
    let subject = capture.id.as_str();
    let job = NewJob {
        kind: JobKind::Analyse,
        subject,
        run_at: now,
        dedup_key: Some(subject),
    };
    jobs::enqueue_round_robin(tx, tenant, job).await
}

/// Whether a selfie may be taken now. A good selfie stays: another one could only show another person.
fn in_turn(attempt: &AttemptState, now: Timestamp) -> Result<(), StepRefused> {
    let open = attempt.has_consent() && attempt.plan().has(Step::Selfie);
    if open && attempt.next(now) == Next::Selfie {
        Ok(())
    } else {
        Err(StepRefused::OutOfTurn)
    }
}
