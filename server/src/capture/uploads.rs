//! Uploaded pictures: a side of the document, and the burst of a selfie.

use crate::{
    state::App,
    upload::{MAX_FILE, Upload, UploadFault},
};
use app::{
    capture::{
        Refusal, Request as PageRequest,
        live::{FrameError, answer as live_answer},
        upload::{FaultyFile, UploadError, answer, applicant, queued},
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
        progress::{Next, StepRefused, analysed_within, progress},
        take::{
            Answers, Burst, CaptureError, Colours, FrameResponse, LiveFrame, capture_document, capture_selfie, look,
        },
    },
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
    let stored = store_picture(&app, &page, request).await;
    answer(page, forms::DOCUMENT, stored).await
}

async fn store_picture(app: &App, page: &PageRequest, request: Request) -> Result<Next, UploadError> {
    // Nothing is stored for a browser that belongs to no session.
    let applicant = applicant(page).await?;
    let sent = receive_side(app, &applicant, request).await?;
    let stored = capture_document(&app.honnin, &applicant, sent.kind, sent.side, sent.picture).await;
    stored.map_err(|error| match error {
        // Another kind was chosen in another window, or a photo was used there.
        CaptureError::StepRefused(StepRefused::OutOfTurn) => Refusal::NotSaved.into(),
        other => UploadError::from(other),
    })?;
    drop(sent.memory);
    let attempt = progress(&app.honnin, &applicant).await?;
    Ok(attempt.next(app.honnin.now()))
}

/// A picture of a side of the document.
struct SentSide {
    /// The kind of document that the page asked for.
    kind: DocumentType,
    /// The side that the page asked for.
    side: Side,
    picture: Vec<u8>,
    /// The upload memory that the picture holds until it is stored.
    memory: Upload,
}

async fn receive_side(app: &App, applicant: &Applicant, request: Request) -> Result<SentSide, UploadError> {
    // The parts around the file are small.
    let mut upload = Upload::read(&app.admission, owner(applicant), request, MAX_FILE + 64 * 1024).await?;
    let kind = upload.text(forms::DOCUMENT_TYPE).and_then(DocumentType::parse);
    let side = upload.text(forms::SLOT).and_then(forms::side);
    let (kind, side) = kind.zip(side).ok_or(Refusal::OutOfTurn)?;
    refuse_empty(&upload, forms::PICTURE)?;
    let picture = upload.take_files(forms::PICTURE).into_iter().next();
    Ok(SentSide {
        kind,
        side,
        picture: picture.ok_or(FileFault::Missing)?,
        memory: upload,
    })
}

/// Refuses a file without content, such as a photo that a cloud drive has not fetched yet: whoever chose one is not told to choose one.
fn refuse_empty(upload: &Upload, name: &str) -> Result<(), FaultyFile> {
    let fault = FileFault::Empty;
    upload
        .first_empty(name)
        .map_or(Ok(()), |number| Err(FaultyFile { fault, number }))
}

/// Whose memory and turn an upload takes.
const fn owner(applicant: &Applicant) -> (&TenantId, &SessionId) {
    (applicant.tenant(), applicant.session())
}

impl From<UploadFault> for UploadError {
    fn from(fault: UploadFault) -> Self {
        match fault {
            UploadFault::TooLarge { file } => Self::Faulty(FaultyFile {
                fault: FileFault::TooLarge,
                number: file,
            }),
            UploadFault::Broken => FileFault::Damaged.into(),
            UploadFault::Busy => Refusal::Busy.into(),
            UploadFault::Slow => Refusal::Slow.into(),
        }
    }
}

/// POST multipart: the burst, two pictures, or one picture from a user who cannot do the movement.
pub(super) async fn selfie(State(app): State<App>, page: PageRequest, request: Request) -> Response {
    let stored = store_selfie(&app, &page, request).await;
    answer(page, forms::SELFIE, stored).await
}

async fn store_selfie(app: &App, page: &PageRequest, request: Request) -> Result<Next, UploadError> {
    let applicant = applicant(page).await?;
    let sent = receive_burst(app, &applicant, request).await?;
    let first_missing = FaultyFile {
        fault: FileFault::Missing,
        number: sent.filled,
    };
    let stored = capture_selfie(&app.honnin, &applicant, sent.burst).await;
    stored.map_err(|error| match error {
        CaptureError::Missing => UploadError::Faulty(first_missing),
        other => other.into(),
    })?;
    drop(sent.memory);
    let attempt = analysed_within(&app.honnin, &applicant, LOOKING).await?;
    Ok(attempt.next(app.honnin.now()))
}

/// The pictures of a selfie.
struct SentBurst {
    burst: Burst,
    /// How many of the form's files were sent, which is the number of the first that is missing.
    filled: usize,
    /// The upload memory that the pictures hold until they are stored.
    memory: Upload,
}

async fn receive_burst(app: &App, applicant: &Applicant, request: Request) -> Result<SentBurst, UploadError> {
    let mut upload = Upload::read(&app.admission, owner(applicant), request, MAX_BURST).await?;
    let without = upload.text(forms::WITHOUT_CHALLENGE) == Some(forms::YES);
    let named = |name| upload.text(name).map(str::to_owned);
    let answers = match (named(forms::RUN), named(forms::CHALLENGE)) {
        (_, Some(challenge)) if without => Answers::CannotMove(challenge),
        _ if without => Answers::Nothing,
        (Some(run), _) => Answers::Run(run),
        (None, Some(challenge)) => Answers::Challenge(challenge),
        (None, None) => return Err(Refusal::OutOfTurn.into()),
    };
    // Without the camera's script there are no times; then the order has to do.
    let times: Vec<u32> = upload.texts(forms::AT).map(|at| at.parse().unwrap_or(0)).collect();
    refuse_empty(&upload, forms::FRAME)?;
    let filled = upload.count_filled(forms::FRAME);
    let frames = upload.take_files(forms::FRAME).into_iter().enumerate();
    let frames = frames
        .map(|(index, bytes)| (times.get(index).copied().unwrap_or(0), bytes))
        .collect();
    Ok(SentBurst {
        burst: Burst { answers, frames },
        filled,
        memory: upload,
    })
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
    let instruction = look_at(&app, &page, request).await;
    live_answer(page, instruction).await
}

async fn look_at(app: &App, page: &PageRequest, request: Request) -> Result<FrameResponse, FrameError> {
    let applicant = applicant(page).await?;
    let mut upload = Upload::read(&app.admission, owner(&applicant), request, MAX_COPY).await?;
    let frame = upload.take_files(forms::FRAME).into_iter().next().unwrap_or_default();
    let file = upload.text(forms::FILE).and_then(file_hash);
    let colours = match upload.text(forms::WITHOUT_COLOURS) {
        Some(forms::YES) => Colours::Declined,
        _ => Colours::AsSet,
    };
    let which = upload
        .text(forms::RUN)
        .map_or(LiveFrame::First(colours), LiveFrame::Next);
    Ok(look(&app.honnin, &applicant, which, frame, file).await?)
}

impl From<UploadFault> for FrameError {
    fn from(fault: UploadFault) -> Self {
        match fault {
            UploadFault::TooLarge { .. } | UploadFault::Broken => Self::Unusable,
            UploadFault::Busy => Refusal::Busy.into(),
            UploadFault::Slow => Refusal::Slow.into(),
        }
    }
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
