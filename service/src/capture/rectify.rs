//! The card cropped from a stored picture and straightened, or the picture reduced, for viewing. Made on request, in the pool that analyses pictures;
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
    /// Reduced, for lists.
    Small,
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
    let outline = match view {
        View::Whole => return Ok(picture),
        View::Small => None,
        View::Card => match outline(row, capture, key)? {
            None => return Ok(picture),
            found => found,
        },
    };
    let jpeg = picture.expose().clone();
    let made = honnin.cpu_pool.run(move |analyser: &dyn Analyser| match outline {
        Some(outline) => analyser.rectify(jpeg, outline),
        None => analyser.reduce(jpeg),
    });
    Ok(match made.await {
        Ok(Ok(made)) => Personal::new(made),
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
