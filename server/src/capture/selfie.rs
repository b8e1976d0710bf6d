//! The selfie: the page with its challenge, and the burst.

use super::{
    answer::{answered, file_fault, mistaken, page as html, sort},
    pictures::of_upload,
    refusal::Refusal,
    steps::{in_turn, onward},
    visit::Visit,
};
use crate::{
    state::App,
    upload::{MAX_FILE, Upload},
};
use app::{
    Stage,
    capture::selfie::{self, SelfieView},
    forms,
    text::picture::FileFault,
};
use axum::{
    extract::{Request, State},
    response::Response,
};
use domain::ids::SessionId;
use service::{
    access::Applicant,
    capture::{Burst, capture_selfie, challenge},
    progress::{Next, Slot, analysed_within, progress},
};
use std::time::Duration;

/// All frames together: a burst of 18 has about 4 MB, two photographs of a phone up to twice the size of one.
const MAX_BURST: usize = 2 * MAX_FILE + 64 * 1024;
/// How long the answer waits for the burst to be looked at, so that whoever was not in the picture is asked again at once.
const LOOKING: Duration = Duration::from_secs(6);

/// GET: the selfie page.
pub(super) async fn page(State(app): State<App>, visit: Visit) -> Response {
    let shown = async {
        let applicant = visit.applicant(&app).await?;
        Ok(html(selfie_html(&app, &visit, &applicant, None).await?))
    };
    answered(&app, &visit, shown.await)
}

async fn selfie_html(
    app: &App,
    visit: &Visit,
    applicant: &Applicant,
    fault: Option<FileFault>,
) -> Result<String, Refusal> {
    let standing = progress(&app.honnin, applicant).await?;
    in_turn(standing.next(app.honnin.now()) == Next::Selfie)?;
    let (challenge_id, challenge) = challenge(&app.honnin, applicant).await?;
    let view = SelfieView {
        challenge_id,
        challenge,
        tries_left: standing.tries_left(Slot::Selfie),
        problems: standing
            .shown(Slot::Selfie)
            .map(|shown| shown.problems)
            .unwrap_or_default(),
        fault,
    };
    Ok(selfie::render(
        &view,
        &visit.meta_of(app, &standing, Some(Stage::Selfie), forms::SELFIE),
    ))
}

/// POST multipart: the burst, two pictures, or one of somebody who cannot do the movement.
pub(super) async fn upload(State(app): State<App>, visit: Visit, request: Request) -> Response {
    let taken = async {
        let applicant = visit.applicant(&app).await?;
        let fault = match receive(&app, applicant.session(), request).await? {
            Ok((burst, room)) => {
                let taken = capture_selfie(&app.honnin, &applicant, burst).await;
                drop(room);
                match taken {
                    Ok(()) => {
                        analysed_within(&app.honnin, &applicant, LOOKING).await?;
                        return onward(&app, &visit, &applicant).await;
                    }
                    Err(error) => sort(error)?,
                }
            }
            Err(fault) => fault,
        };
        if visit.json {
            return Ok(file_fault(&visit, fault));
        }
        Ok(mistaken(selfie_html(&app, &visit, &applicant, Some(fault)).await?))
    };
    answered(&app, &visit, taken.await)
}

/// The burst, and the room that it takes until it is stored; or what is wrong with the files.
async fn receive(
    app: &App,
    session: &SessionId,
    request: Request,
) -> Result<Result<(Burst, Upload), FileFault>, Refusal> {
    let mut upload = match Upload::read(&app.admission, session, request, MAX_BURST).await {
        Ok(upload) => upload,
        Err(fault) => return of_upload(fault).map(Err),
    };
    let without = upload.text(forms::WITHOUT_CHALLENGE) == Some(forms::YES);
    let challenge = upload.text(forms::CHALLENGE).map(str::to_owned);
    if challenge.is_none() && !without {
        return Err(Refusal::OutOfTurn);
    }
    // Without the camera's script no times come; then the order has to do.
    let times: Vec<u32> = upload.texts(forms::AT).map(|at| at.parse().unwrap_or(0)).collect();
    let frames = upload.take_files(forms::FRAME).into_iter().enumerate();
    let frames = frames
        .map(|(index, bytes)| (times.get(index).copied().unwrap_or(0), bytes))
        .collect();
    let challenge = challenge.filter(|_| !without);
    Ok(Ok((Burst { challenge, frames }, upload)))
}
