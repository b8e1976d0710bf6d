//! Uploaded pictures: a side of the document, and the burst of a selfie.

use crate::{
    state::App,
    upload::{MAX_FILE, Upload, UploadFault},
};
use app::{
    capture::{
        Refusal, Request as PageRequest,
        live::answer as live_answer,
        upload::{FaultyFile, Taken, answer, applicant, classify, queued},
    },
    forms,
    page::refuse,
    text::picture::FileFault,
};
use axum::{
    extract::{Request, State},
    response::Response,
};
use domain::{
    document::{DocumentType, Side},
    ids::{SessionId, TenantId},
    live::FileHash,
};
use service::{
    access::Applicant,
    capture::{
        progress::{analysed_within, progress},
        take::{
            Answers, Burst, CaptureError, Colours, FrameResponse, LiveError, LiveFrame, capture_document,
            capture_selfie, look,
        },
    },
    runtime::analyser::PictureFault,
};
use std::time::Duration;

/// All frames together: a burst of 25 has about 6 MB; two phone photos have up to twice the size of one.
const MAX_BURST: usize = 2 * MAX_FILE + 64 * 1024;
/// A small copy of a frame has about 12 kB, its token 4 kB, and 14 kB with the colours of the screen.
const MAX_COPY: usize = 192 * 1024;
/// How long the response waits for the analysis of the burst, so that a user who was not in the picture is asked again
/// immediately.
const LOOKING: Duration = Duration::from_secs(6);

/// POST multipart: the picture of a side.
pub(super) async fn picture(State(app): State<App>, page: PageRequest, request: Request) -> Response {
    let taken = take_picture(&app, &page, request).await;
    answer(page, forms::DOCUMENT, taken).await
}

async fn take_picture(app: &App, page: &PageRequest, request: Request) -> Result<Taken, Refusal> {
    // Nothing is stored for a browser that belongs to no session.
    let applicant = applicant(page).await?;
    let (kind, side, picture, room) = match receive_side(app, &applicant, request).await? {
        Ok(sent) => sent,
        Err(fault) => return Ok(Taken::Faulty(fault)),
    };
    let taken = capture_document(&app.honnin, &applicant, kind, side, picture).await;
    drop(room);
    match taken {
        Ok(()) => {
            let attempt = progress(&app.honnin, &applicant).await?;
            Ok(Taken::Stored(attempt.next(app.honnin.now())))
        }
        Err(error) => classify(error).map(Taken::Faulty),
    }
}

/// What was sent: the kind and the side that the page asked for, the picture, and the upload memory that it holds until it is stored.
type Sent = (DocumentType, Side, Vec<u8>, Upload);

/// What was sent, or what is wrong with the file.
async fn receive_side(app: &App, applicant: &Applicant, request: Request) -> Result<Result<Sent, FaultyFile>, Refusal> {
    // The parts around the file are small.
    let mut upload = match Upload::read(&app.admission, owner(applicant), request, MAX_FILE + 64 * 1024).await {
        Ok(upload) => upload,
        Err(fault) => return of_upload(fault).map(Err),
    };
    let kind = upload.text(forms::DOCUMENT_TYPE).and_then(DocumentType::parse);
    let side = upload.text(forms::SLOT).and_then(forms::side);
    let (kind, side) = kind.zip(side).ok_or(Refusal::OutOfTurn)?;
    let picture = upload.take_files(forms::PICTURE).into_iter().next();
    Ok(picture
        .map(|picture| (kind, side, picture, upload))
        .ok_or(FileFault::Missing.into()))
}

/// Whose memory and turn an upload takes.
const fn owner(applicant: &Applicant) -> (&TenantId, &SessionId) {
    (applicant.tenant(), applicant.session())
}

/// What a refused upload means for the user.
fn of_upload(fault: UploadFault) -> Result<FaultyFile, Refusal> {
    match fault {
        UploadFault::TooLarge { file } => Ok(FaultyFile {
            fault: FileFault::TooLarge,
            number: file,
        }),
        UploadFault::Broken => Ok(FileFault::Damaged.into()),
        UploadFault::Busy => Err(Refusal::Busy),
        UploadFault::Slow => Err(Refusal::Slow),
    }
}

/// POST multipart: the burst, two pictures, or one picture from a user who cannot do the movement.
pub(super) async fn selfie(State(app): State<App>, page: PageRequest, request: Request) -> Response {
    let taken = take_selfie(&app, &page, request).await;
    answer(page, forms::SELFIE, taken).await
}

async fn take_selfie(app: &App, page: &PageRequest, request: Request) -> Result<Taken, Refusal> {
    let applicant = applicant(page).await?;
    let (burst, missing, room) = match receive_burst(app, &applicant, request).await? {
        Ok(sent) => sent,
        Err(fault) => return Ok(Taken::Faulty(fault)),
    };
    let taken = capture_selfie(&app.honnin, &applicant, burst).await;
    drop(room);
    match taken {
        Ok(()) => {
            let attempt = analysed_within(&app.honnin, &applicant, LOOKING).await?;
            Ok(Taken::Stored(attempt.next(app.honnin.now())))
        }
        Err(CaptureError::Missing) => Ok(Taken::Faulty(FaultyFile {
            fault: FileFault::Missing,
            number: missing,
        })),
        Err(error) => classify(error).map(Taken::Faulty),
    }
}

/// The burst, the number of the first file that is missing in it, and the upload memory that it holds until it is stored; or what is wrong
/// with the files.
async fn receive_burst(
    app: &App,
    applicant: &Applicant,
    request: Request,
) -> Result<Result<(Burst, usize, Upload), FaultyFile>, Refusal> {
    let mut upload = match Upload::read(&app.admission, owner(applicant), request, MAX_BURST).await {
        Ok(upload) => upload,
        Err(fault) => return of_upload(fault).map(Err),
    };
    let without = upload.text(forms::WITHOUT_CHALLENGE) == Some(forms::YES);
    let named = |name| upload.text(name).map(str::to_owned);
    let answers = match (named(forms::RUN), named(forms::CHALLENGE)) {
        _ if without => Answers::Nothing,
        (Some(run), _) => Answers::Run(run),
        (None, Some(challenge)) => Answers::Challenge(challenge),
        (None, None) => return Err(Refusal::OutOfTurn),
    };
    // Without the camera's script there are no times; then the order has to do.
    let times: Vec<u32> = upload.texts(forms::AT).map(|at| at.parse().unwrap_or(0)).collect();
    let missing = upload.count_filled(forms::FRAME);
    let frames = upload.take_files(forms::FRAME).into_iter().enumerate();
    let frames = frames
        .map(|(index, bytes)| (times.get(index).copied().unwrap_or(0), bytes))
        .collect();
    Ok(Ok((Burst { answers, frames }, missing, upload)))
}

/// GET: the number in the queue of an upload that waits.
pub(super) async fn queue(State(app): State<App>, page: PageRequest) -> Response {
    match applicant(&page).await {
        Ok(applicant) => queued(&page, app.admission.number(applicant.session())),
        Err(refusal) => refuse(page, refusal).await,
    }
}

/// POST multipart: a small copy of what the selfie camera shows.
pub(super) async fn live(State(app): State<App>, page: PageRequest, request: Request) -> Response {
    match look_at(&app, &page, request).await {
        Ok(response) => live_answer(page, response).await,
        Err(refusal) => refuse(page, refusal).await,
    }
}

async fn look_at(app: &App, page: &PageRequest, request: Request) -> Result<Result<FrameResponse, LiveError>, Refusal> {
    let applicant = applicant(page).await?;
    let mut upload = match Upload::read(&app.admission, owner(&applicant), request, MAX_COPY).await {
        Ok(upload) => upload,
        Err(UploadFault::Busy) => return Err(Refusal::Busy),
        Err(UploadFault::Slow) => return Err(Refusal::Slow),
        Err(UploadFault::TooLarge { .. }) => return Ok(Err(LiveError::Picture(PictureFault::TooLarge))),
        Err(UploadFault::Broken) => return Ok(Err(LiveError::Picture(PictureFault::Corrupt))),
    };
    let frame = upload.take_files(forms::FRAME).into_iter().next().unwrap_or_default();
    let file = upload.text(forms::FILE).and_then(file_hash);
    let colours = match upload.text(forms::WITHOUT_COLOURS) {
        Some(forms::YES) => Colours::Declined,
        _ => Colours::AsSet,
    };
    let which = upload
        .text(forms::RUN)
        .map_or(LiveFrame::First(colours), LiveFrame::Next);
    Ok(look(&app.honnin, &applicant, which, frame, file).await)
}

/// A SHA-256 in hexadecimal.
fn file_hash(text: &str) -> Option<FileHash> {
    let mut hash = FileHash::default();
    hex::decode_to_slice(text, &mut hash).ok()?;
    Some(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_64_hexadecimal_digits() {
        assert_eq!(file_hash(&"0a".repeat(32)), Some([10; 32]));
        for other in [String::new(), "0a".repeat(31), "0a".repeat(33), "zz".repeat(32)] {
            assert_eq!(file_hash(&other), None, "{other}");
        }
    }
}
