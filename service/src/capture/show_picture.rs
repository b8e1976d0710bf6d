//! The user's own pictures, during the attempt.

use crate::{
    Honnin,
    access::Applicant,
    capture::{
        progress::NotNow,
        rectify::{FrameOf, View, shown},
    },
};
use domain::{ids::CaptureId, secret::Personal, session::Status};
use store::{capture::captures, session::sessions, vault::AssociatedData};

/// One frame of a picture that the user took in this attempt, as JPEG. `None` if there is no such picture or view of it, even if another user
/// has one with this id, and after the submit: from then on only reviewers may see it.
///
/// # Errors
/// [`NotNow`].
pub async fn show_picture(
    honnin: &Honnin,
    applicant: &Applicant,
    id: &CaptureId,
    frame: usize,
    view: View,
) -> Result<Option<Personal<Vec<u8>>>, NotNow> {
    let (who, id, now) = (applicant.clone(), id.clone(), honnin.now());
    let unit = honnin.db.read(async move |tx| {
        let capture = captures::find(tx, &id).await?;
        let own =
            |capture: &captures::CaptureRow| capture.session == *who.session() && capture.attempt == who.attempt();
        let Some(capture) = capture.filter(own) else {
            return Ok(None);
        };
        let row = sessions::find_any(tx, who.session()).await?;
        let row = row.filter(|row| row.session.status_at(now) == Status::Collecting);
        let object = capture.frames.get(frame).cloned();
        Ok::<_, NotNow>(row.zip(object).map(|(row, object)| (row, capture, object)))
    });
    let Some((row, capture, object)) = unit.await? else {
        return Ok(None);
    };
    let key = honnin.vault.open(&row.data_key).await?;
    let Some(sealed) = honnin.pictures.find(&row.session.id, &object.object).await? else {
        return Ok(None);
    };
    let associated_data = AssociatedData {
        tenant: &row.session.tenant,
        session: &row.session.id,
        name: &object.object,
    };
    let picture = key.open(&associated_data, &sealed)?;
    let frame = FrameOf {
        row: &row,
        capture: &capture,
        index: frame,
    };
    Ok(shown(honnin, frame, &key, picture, view).await?)
}
