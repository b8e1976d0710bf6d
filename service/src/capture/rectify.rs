//! The views of a stored picture that people are shown: the card cropped and straightened, only its items or its face, or the picture
//! reduced. They are made on request, in the pool that analyses pictures; the stored picture remains unchanged.

use super::strips::{self, Items};
use crate::{
    Honnin,
    runtime::{
        analyser::{Analyser, Size},
        sealed_json::open_json,
        turns::Turn,
    },
};
use domain::{
    findings::{DocumentFindings, SelfieFindings},
    ids::{SessionId, UserId},
    secret::Personal,
};
use std::fmt::Display;
use store::{
    StoreError,
    capture::captures::{CaptureRow, Slot},
    session::sessions::SessionRow,
    vault::{SealedValue, SessionKey},
};

/// How a stored picture is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// As taken.
    #[default]
    Whole,
    /// The card alone, straightened, if it was found; otherwise as taken.
    Card,
    /// As taken, reduced for a phone's screen.
    Screen,
    /// The card like [`View::Card`], reduced for a phone's screen.
    CardOnScreen,
    /// Reduced, for lists.
    Small,
    /// The sheet of items cut out of a document ([`strips::Strips`]).
    Items(Items),
    /// The face that was compared, upright, its eyes always in the same place.
    Face,
}

/// One frame of a capture.
#[derive(Clone, Copy)]
pub(crate) struct FrameOf<'a> {
    /// Its session.
    pub(crate) row: &'a SessionRow,
    /// The capture.
    pub(crate) capture: &'a CaptureRow,
    /// Its position in the burst.
    pub(crate) index: usize,
}

/// Who is shown a picture. Somebody who opens many cases at once still has the turns of one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Viewer {
    /// The user of this session.
    Applicant(SessionId),
    /// Somebody in the console.
    Staff(UserId),
}

/// What is made of a picture.
enum Cut {
    Card([[f32; 2]; 4], Size),
    Reduced(Size),
    Items(Vec<[[f32; 2]; 4]>),
    Face([[f32; 2]; 2]),
}

/// Decrypts a frame and makes the requested view of it. `None` if there is no such frame or view.
///
/// # Errors
/// [`StoreError::Erased`] for a session that is erased; or if the picture cannot be read.
pub(crate) async fn open_frame(
    honnin: &Honnin,
    viewer: Viewer,
    frame: FrameOf<'_>,
    view: View,
) -> Result<Option<Personal<Vec<u8>>>, StoreError> {
    let Some(stored) = frame.capture.frames.get(frame.index) else {
        return Ok(None);
    };
    // Before the picture is in memory.
    let turn = if view == View::Whole {
        None
    } else {
        Some(honnin.views.take(viewer).await)
    };
    let key = honnin.vault.open(&frame.row.data_key).await?;
    let Some(sealed) = honnin.pictures.find(&frame.row.session.id, &stored.object).await? else {
        return Ok(None);
    };
    let associated_data = frame.row.associated_data(SealedValue::Picture(&stored.object));
    let picture = key.open(&associated_data, &sealed)?;
    shown(honnin, frame, &key, (picture, turn), view).await
}

/// The picture in the requested view. A card that was not found, or that cannot be cropped now, is the whole picture; items and faces
/// that were not found, or cannot be cut out now, are `None`.
///
/// # Errors
/// If the findings cannot be decrypted.
async fn shown(
    honnin: &Honnin,
    frame: FrameOf<'_>,
    key: &SessionKey,
    (picture, turn): (Personal<Vec<u8>>, Option<Turn>),
    view: View,
) -> Result<Option<Personal<Vec<u8>>>, StoreError> {
    let cut = match view {
        View::Whole => return Ok(Some(picture)),
        View::Screen => Cut::Reduced(Size::Screen),
        View::Small => Cut::Reduced(Size::List),
        View::Card => match outline(frame, key)? {
            None => return Ok(Some(picture)),
            Some(outline) => Cut::Card(outline, Size::Full),
        },
        View::CardOnScreen => match outline(frame, key)? {
            None => Cut::Reduced(Size::Screen),
            Some(outline) => Cut::Card(outline, Size::Screen),
        },
        View::Items(items) => match found(frame, key)? {
            None => return Ok(None),
            Some(found) => Cut::Items(strips::regions(found.expose(), items)),
        },
        View::Face => match eyes(frame, key)? {
            None => return Ok(None),
            Some(eyes) => Cut::Face(eyes),
        },
    };
    let (jpeg, whole) = match cut {
        Cut::Card(..) | Cut::Reduced(_) => (picture.expose().clone(), Some(picture)),
        Cut::Items(_) | Cut::Face(_) => (picture.into_exposed(), None),
    };
    let made = honnin.cpu_pool.run(move |analyser: &dyn Analyser| {
        // It ends with the work, even if the client hangs up meanwhile.
        let _turn = turn;
        match cut {
            Cut::Card(outline, size) => analyser.rectify(jpeg, outline, size).map(Some),
            Cut::Reduced(size) => analyser.reduce(jpeg, size).map(Some),
            Cut::Items(regions) => analyser.strips(jpeg, &regions),
            Cut::Face(eyes) => analyser.face(jpeg, eyes),
        }
    });
    match made.await {
        Ok(Ok(made)) => return Ok(made.map(Personal::new)),
        Ok(Err(fault)) => log_unmade(frame, &fault),
        Err(fault) => log_unmade(frame, &fault),
    }
    Ok(whole)
}

/// Says in the log why a view is missing, or the whole picture is in its place: to whoever looks, it seems that nothing was found.
fn log_unmade(frame: FrameOf<'_>, fault: &dyn Display) {
    tracing::warn!(capture = %frame.capture.id, %fault, "a view of a picture could not be made");
}

/// The corners of the card, if it was found.
fn outline(frame: FrameOf<'_>, key: &SessionKey) -> Result<Option<[[f32; 2]; 4]>, StoreError> {
    Ok(found(frame, key)?.and_then(|found| found.expose().outline))
}

/// What the analysis of a document's picture found.
fn found(frame: FrameOf<'_>, key: &SessionKey) -> Result<Option<Personal<DocumentFindings>>, StoreError> {
    let (Slot::Document(_), Some(sealed)) = (frame.capture.slot, &frame.capture.findings) else {
        return Ok(None);
    };
    let associated_data = frame.row.associated_data(SealedValue::Findings(&frame.capture.id));
    open_json(key, &associated_data, sealed).map(Some)
}

/// The eyes of the portrait, or of the frame of a selfie that was compared with it.
fn eyes(frame: FrameOf<'_>, key: &SessionKey) -> Result<Option<[[f32; 2]; 2]>, StoreError> {
    let Some(sealed) = &frame.capture.findings else {
        return Ok(None);
    };
    if frame.capture.slot != Slot::Selfie {
        let found = found(frame, key)?;
        return Ok(found.and_then(|found| found.expose().portrait.as_ref().map(|face| face.eyes)));
    }
    let associated_data = frame.row.associated_data(SealedValue::Findings(&frame.capture.id));
    let found: Personal<SelfieFindings> = open_json(key, &associated_data, sealed)?;
    let found = found.expose();
    let best = found.best_frame.and_then(|best| usize::try_from(best).ok());
    let face = found.face.as_ref().filter(|_| best == Some(frame.index));
    Ok(face.map(|face| face.eyes))
}
