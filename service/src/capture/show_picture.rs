//! The user's own pictures, during the attempt.

use crate::{
    Honnin,
    access::Applicant,
    capture::{
        progress::StepRefused,
        rectify::{FrameOf, View, Viewer, open_frame},
    },
};
use domain::{ids::CaptureId, secret::Personal, session::Status};
use store::{capture::captures, session::sessions};

/// One frame of a picture that the user took in this attempt, as JPEG. `None` if there is no such picture or view of it, even if another user
/// has one with this id, and after the submit: from then on only reviewers may see it.
///
/// # Errors
/// [`StepRefused`].
pub async fn show_picture(
    honnin: &Honnin,
    applicant: &Applicant,
    id: &CaptureId,
    frame: usize,
    view: View,
) -> Result<Option<Personal<Vec<u8>>>, StepRefused> {
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
        Ok::<_, StepRefused>(row.map(|row| (row, capture)))
    });
    let Some((row, capture)) = unit.await? else {
        return Ok(None);
    };
    let frame = FrameOf {
        row: &row,
        capture: &capture,
        index: frame,
    };
    let viewer = Viewer::Applicant(applicant.session().clone());
    Ok(open_frame(honnin, viewer, frame, view).await?)
}
