//! The document's pictures: the camera page of a side, the upload, the look at the photo just taken, the photo itself.

use super::{
    answer::{answered, file_fault, mistaken, page as html, sort},
    refusal::Refusal,
    steps::{READING, onward, picture_url},
    visit::{Visit, fields},
};
use crate::{
    state::App,
    upload::{MAX_FILE, Upload, UploadFault},
};
use app::{
    Stage,
    capture::{
        check::{self, CheckView},
        document::{self, DocumentView},
    },
    forms::{self, picture_view},
    text::picture::FileFault,
};
use axum::{
    Json,
    extract::{Path, Request, State},
    response::{IntoResponse, Response},
};
use domain::{
    document::Side,
    ids::{CaptureId, SessionId},
    reasons::Reason,
};
use http::{Uri, header::CONTENT_TYPE};
use serde::Serialize;
use service::{
    capture::capture_document,
    check_picture::{Wish, check_picture},
    mend::to_check,
    progress::{Next, Slot, Standing, analysed_within},
    show_picture::show_picture,
};
use std::time::Duration;
use tokio::sync::Semaphore;

/// So many pages may be kept waiting for an analysis at once; others are told at once how it stands, and ask again.
static FOLLOWERS: Semaphore = Semaphore::const_new(64);

/// GET: the camera for the side that is next.
pub(super) async fn page(State(app): State<App>, visit: Visit) -> Response {
    let shown = async {
        let (_, standing) = visit.standing(&app).await?;
        Ok(html(side_html(&app, &visit, &standing, None)?))
    };
    answered(&app, &visit, shown.await)
}

fn side_html(app: &App, visit: &Visit, standing: &Standing, fault: Option<FileFault>) -> Result<String, Refusal> {
    let (Next::Photograph(side), Some(document_type)) = (standing.next(app.honnin.now()), standing.document_type())
    else {
        return Err(Refusal::OutOfTurn);
    };
    let view = DocumentView {
        document_type,
        side,
        tries_left: standing.tries_left(Slot::Document(side)),
        fault,
    };
    Ok(document::render(
        &view,
        &visit.meta_of(app, standing, Some(Stage::Document), forms::DOCUMENT),
    ))
}

/// POST multipart: the picture of a side.
pub(super) async fn upload(State(app): State<App>, visit: Visit, request: Request) -> Response {
    let taken = async {
        // Nobody without a part in a session gets a byte stored.
        let (applicant, standing) = visit.standing(&app).await?;
        let fault = match receive(&app, applicant.session(), request).await? {
            Ok((side, picture, room)) => {
                let taken = capture_document(&app.honnin, &applicant, side, picture).await;
                drop(room);
                match taken {
                    Ok(()) => return onward(&app, &visit, &applicant).await,
                    Err(error) => sort(error)?,
                }
            }
            Err(fault) => fault,
        };
        if visit.json {
            return Ok(file_fault(&visit, fault));
        }
        Ok(mistaken(side_html(&app, &visit, &standing, Some(fault))?))
    };
    answered(&app, &visit, taken.await)
}

/// What was sent: the side, its picture, and the room that the picture takes until it is stored.
type Sent = (Side, Vec<u8>, Upload);

/// What was sent, or what is wrong with the file.
async fn receive(app: &App, session: &SessionId, request: Request) -> Result<Result<Sent, FileFault>, Refusal> {
    // The parts around the file are small.
    let mut upload = match Upload::read(&app.admission, session, request, MAX_FILE + 64 * 1024).await {
        Ok(upload) => upload,
        Err(fault) => return of_upload(fault).map(Err),
    };
    let side = upload
        .text(forms::SLOT)
        .and_then(forms::side)
        .ok_or(Refusal::OutOfTurn)?;
    let picture = upload.take_files(forms::PICTURE).into_iter().next();
    Ok(picture.map(|picture| (side, picture, upload)).ok_or(FileFault::Missing))
}

/// What an upload that was not taken means for the user.
pub(super) fn of_upload(fault: UploadFault) -> Result<FileFault, Refusal> {
    match fault {
        UploadFault::TooLarge => Ok(FileFault::TooLarge),
        UploadFault::Broken => Ok(FileFault::Damaged),
        UploadFault::Busy => Err(Refusal::Busy),
    }
}

/// GET: the photo just taken.
pub(super) async fn check_page(State(app): State<App>, visit: Visit) -> Response {
    let shown = async {
        let (applicant, standing) = visit.standing(&app).await?;
        let photo = to_check(&app.honnin, &applicant).await?;
        let whole = picture_url(&photo.id, 0);
        let card = format!("{whole}?{}={}", forms::VIEW, forms::CARD);
        let view = CheckView {
            picture_url: whole,
            card_url: card,
            straight: photo.straight,
            document_type: photo.document_type,
            side: photo.side,
            problems: photo.problems,
            looks_like: photo.looks_like,
            analysed: photo.analysed,
            tries_left: photo.tries_left,
        };
        Ok(html(check::render(
            &view,
            &visit.meta_of(&app, &standing, Some(Stage::Document), forms::CHECK),
        )))
    };
    answered(&app, &visit, shown.await)
}

/// POST: go on with it, or take another.
pub(super) async fn check(State(app): State<App>, visit: Visit, request: Request) -> Response {
    let taken = async {
        let applicant = visit.applicant(&app).await?;
        let form = fields(request).await;
        let value = |name: &str| form.get(name).map(String::as_str);
        let wish = match value(forms::DECISION) {
            Some(forms::USE) => Wish::Use(codes(value(forms::SHOWN).unwrap_or_default())),
            Some(forms::AGAIN) => Wish::Again,
            _ => return Err(Refusal::OutOfTurn),
        };
        if wish != Wish::Again {
            // What the analysis finds is said before the next side is photographed, not after.
            analysed_within(&app.honnin, &applicant, READING).await?;
        }
        check_picture(&app.honnin, &applicant, wish).await?;
        onward(&app, &visit, &applicant).await
    };
    answered(&app, &visit, taken.await)
}

/// The reasons that a page was showing.
fn codes(shown: &str) -> Vec<Reason> {
    shown.split(',').filter_map(Reason::parse).collect()
}

/// What the page of a photo is told once the analysis has ended.
#[derive(Serialize)]
struct Found {
    analysed: bool,
    problems: String,
    straight: bool,
}

/// GET: for the page of a photo; waits a while for its analysis.
pub(super) async fn found(State(app): State<App>, visit: Visit) -> Response {
    let told = async {
        let applicant = visit.applicant(&app).await?;
        let seat = FOLLOWERS.try_acquire();
        let patience = if seat.is_ok() { READING } else { Duration::ZERO };
        tokio::select! {
            standing = analysed_within(&app.honnin, &applicant, patience) => drop(standing?),
            () = app.stopping.cancelled() => {}
        }
        let photo = to_check(&app.honnin, &applicant).await?;
        Ok(Json(Found {
            analysed: photo.analysed,
            problems: check::shown(&photo.problems),
            straight: photo.straight,
        })
        .into_response())
    };
    answered(&app, &visit, told.await)
}

/// GET: one of the applicant's own pictures.
pub(super) async fn show(State(app): State<App>, visit: Visit, Path(id): Path<String>, address: Uri) -> Response {
    let shown = async {
        let applicant = visit.applicant(&app).await?;
        let id = CaptureId::parse(&id).ok_or(Refusal::NotFound)?;
        let asked = |wanted: &str| {
            let query = url::form_urlencoded::parse(address.query().unwrap_or_default().as_bytes());
            let mut named = query.into_owned().filter(|(name, _)| name == wanted);
            named.next().map(|(_, value)| value)
        };
        let frame = asked("frame").and_then(|frame| frame.parse().ok()).unwrap_or(0);
        let view = picture_view(asked(forms::VIEW).as_deref());
        let picture = show_picture(&app.honnin, &applicant, &id, frame, view)
            .await?
            .ok_or(Refusal::NotFound)?;
        Ok(([(CONTENT_TYPE, "image/jpeg")], picture.into_exposed()).into_response())
    };
    answered(&app, &visit, shown.await)
}
