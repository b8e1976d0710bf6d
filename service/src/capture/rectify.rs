//! The card cropped from a stored picture and straightened, for viewing. Made on request, in the pool that analyses pictures;
//! the stored picture remains unchanged.

use crate::{
    Honnin,
    runtime::{analyser::Analyser, sealed_json::open_json},
};
use domain::{findings::DocumentFindings, secret::Personal};
use store::{
    StoreError,
    capture::captures::{CaptureRow, Slot},
    session::sessions::SessionRow,
    vault::SessionKey,
};

/// How a stored picture is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// As taken.
    #[default]
    Whole,
    /// The card alone, straightened, if it was found; otherwise as taken.
    Card,
}

/// The picture in the requested view. If the card was not found, or cannot be cropped now, it is the whole picture.
///
/// # Errors
/// If the findings cannot be decrypted.
pub(crate) async fn shown(
    honnin: &Honnin,
    row: &SessionRow,
    capture: &CaptureRow,
    key: &SessionKey,
    picture: Personal<Vec<u8>>,
    view: View,
) -> Result<Personal<Vec<u8>>, StoreError> {
    if view == View::Whole {
        return Ok(picture);
    }
    let Some(outline) = outline(row, capture, key)? else {
        return Ok(picture);
    };
    let jpeg = picture.expose().clone();
    let cut = honnin
        .cpu_pool
        .run(move |analyser: &dyn Analyser| analyser.rectify(jpeg, outline))
        .await;
    Ok(match cut {
        Ok(Ok(card)) => Personal::new(card),
        Ok(Err(_)) | Err(_) => picture,
    })
}

/// Corners of the card in the picture, as its analysis found them.
fn outline(row: &SessionRow, capture: &CaptureRow, key: &SessionKey) -> Result<Option<[[f32; 2]; 4]>, StoreError> {
    let (Slot::Document(_), Some(sealed)) = (capture.slot, &capture.findings) else {
        return Ok(None);
    };
    let name = capture.findings_name();
    let found: Personal<DocumentFindings> = open_json(key, &row.place(&name), sealed)?;
    Ok(found.expose().outline)
}
