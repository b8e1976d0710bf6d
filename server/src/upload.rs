//! Uploads, limited while they stream: a file that is too large is counted and thrown away, never gathered. What all uploads of the
//! process may hold together is bounded as well; who finds no room is asked to come back. Room is taken for what has arrived and not
//! for what is announced, a session has one upload at a time, and each must be over in time: so nobody holds up the others.

mod turn;

use axum::extract::{FromRequest, Multipart, Request, multipart::Field};
use domain::ids::SessionId;
use http::header::CONTENT_LENGTH;
use std::time::Duration;
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    time::timeout,
};
use turn::Turn;

/// The largest file: a phone's 12-megapixel JPEG has 3 to 6 MB.
pub(crate) const MAX_FILE: usize = 10 * 1024 * 1024;
/// The largest value that is no file.
const MAX_TEXT: usize = 256;
/// The most parts of a form.
const MAX_PARTS: usize = 80;
/// Read and thrown away at most, so that the browser gets to see the answer; after that the connection ends.
const MAX_DRAINED: usize = 64 * 1024 * 1024;
/// What all uploads may hold together, in MiB.
const ROOM: usize = 96;
const MIB: usize = 1024 * 1024;
/// A file's memory grows by at most this.
const STEP: usize = 512 * 1024;
/// How long an upload waits for room.
const PATIENCE: Duration = Duration::from_secs(15);
/// By when an upload must have come: as long as the camera's script waits for its answer. 4 MB at 40 kB/s take 100 s.
const DEADLINE: Duration = Duration::from_secs(120);

static ROOMS: Semaphore = Semaphore::const_new(ROOM);

/// One part of a form.
#[derive(Debug)]
pub(crate) enum Part {
    /// A short value.
    Text(String),
    /// A file's bytes.
    File(Vec<u8>),
}

/// What was uploaded. Holds its room, and its session's turn, until it is dropped.
#[derive(Debug)]
pub(crate) struct Upload {
    parts: Vec<(String, Part)>,
    _room: Option<SemaphorePermit<'static>>,
    _turn: Turn,
}

/// Why an upload was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UploadFault {
    /// A file, or all of them together, is larger than allowed.
    TooLarge,
    /// The form is none, breaks off, or came too slowly.
    Broken,
    /// No room now, or another upload of the session has the turn.
    Busy,
}

impl Upload {
    /// Reads a multipart form of `session` whose files may hold `limit` bytes together.
    pub(crate) async fn read(session: &SessionId, request: Request, limit: usize) -> Result<Self, UploadFault> {
        Self::read_within(session, request, limit, DEADLINE).await
    }

    async fn read_within(
        session: &SessionId,
        request: Request,
        limit: usize,
        deadline: Duration,
    ) -> Result<Self, UploadFault> {
        let turn = Turn::take(session).ok_or(UploadFault::Busy)?;
        let read = timeout(deadline, read_form(request, limit));
        let (parts, room) = tokio::select! {
            read = read => read.map_err(|_| UploadFault::Broken)??,
            () = turn.taken_over() => return Err(UploadFault::Busy),
        };
        if !turn.arrive() {
            return Err(UploadFault::Busy);
        }
        Ok(Self {
            parts,
            _room: room,
            _turn: turn,
        })
    }

    /// The text of a part.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.parts.iter().find_map(|(known, part)| match part {
            Part::Text(text) if known == name => Some(text.as_str()),
            _ => None,
        })
    }

    /// Every text of that name, in order.
    pub(crate) fn texts<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.parts.iter().filter_map(move |(known, part)| match part {
            Part::Text(text) if known == name => Some(text.as_str()),
            _ => None,
        })
    }

    /// Takes every file of that name, in order; inputs left empty are none.
    pub(crate) fn take_files(&mut self, name: &str) -> Vec<Vec<u8>> {
        let mut files = Vec::new();
        for (known, part) in &mut self.parts {
            if let Part::File(bytes) = part
                && known == name
                && !bytes.is_empty()
            {
                files.push(std::mem::take(bytes));
            }
        }
        files
    }
}

/// The parts of a form and the room that they take.
type Form = (Vec<(String, Part)>, Option<SemaphorePermit<'static>>);

async fn read_form(request: Request, limit: usize) -> Result<Form, UploadFault> {
    let announced = request
        .headers()
        .get(CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    // Of what is announced to be too large nothing is gathered.
    let mut budget = Budget::new(limit, announced.is_some_and(|length| length > limit));
    let mut form = Multipart::from_request(request, &())
        .await
        .map_err(|_| UploadFault::Broken)?;
    let mut parts = Vec::new();
    while let Some(field) = form.next_field().await.map_err(|_| UploadFault::Broken)? {
        let name = field.name().unwrap_or_default().to_owned();
        if name.len() > MAX_TEXT || parts.len() >= MAX_PARTS {
            return Err(UploadFault::Broken);
        }
        let is_file = field.file_name().is_some();
        let bytes = budget.gather(field, if is_file { MAX_FILE } else { MAX_TEXT }).await?;
        if budget.over {
            // Nothing of it will be used: what was gathered goes now, the rest is only read to its end.
            parts.clear();
            budget.room = None;
            continue;
        }
        let part = if is_file {
            Part::File(bytes)
        } else {
            Part::Text(String::from_utf8(bytes).map_err(|_| UploadFault::Broken)?)
        };
        parts.push((name, part));
    }
    if budget.over {
        Err(UploadFault::TooLarge)
    } else {
        Ok((parts, budget.room))
    }
}

/// What may still be gathered and thrown away, and the room of what was gathered.
struct Budget {
    limit: usize,
    gathered: usize,
    drained: usize,
    over: bool,
    room: Option<SemaphorePermit<'static>>,
}

impl Budget {
    const fn new(limit: usize, over: bool) -> Self {
        Self {
            limit,
            gathered: 0,
            drained: 0,
            over,
            room: None,
        }
    }

    /// The field's bytes, or nothing where the budget is over: then the rest is counted and thrown away.
    async fn gather(&mut self, mut field: Field<'_>, most: usize) -> Result<Vec<u8>, UploadFault> {
        let mut bytes = Vec::new();
        while let Some(chunk) = field.chunk().await.map_err(|_| UploadFault::Broken)? {
            self.over |= chunk.len() > self.limit - self.gathered || bytes.len() + chunk.len() > most;
            if self.over {
                bytes = Vec::new();
                self.drained += chunk.len();
                if self.drained > MAX_DRAINED {
                    return Err(UploadFault::TooLarge);
                }
            } else {
                self.gathered += chunk.len();
                self.make_room().await?;
                // By steps and not by doubling: the room is counted in what is held.
                if bytes.capacity() - bytes.len() < chunk.len() {
                    bytes.reserve_exact(chunk.len() + STEP.min(bytes.len()));
                }
                bytes.extend_from_slice(&chunk);
            }
        }
        Ok(bytes)
    }

    /// Takes the room that is missing for what was gathered.
    async fn make_room(&mut self) -> Result<(), UploadFault> {
        let held = self.room.as_ref().map_or(0, SemaphorePermit::num_permits);
        let missing = self.gathered.div_ceil(MIB).saturating_sub(held);
        if missing == 0 {
            return Ok(());
        }
        let missing = u32::try_from(missing).map_err(|_| UploadFault::TooLarge)?;
        let Ok(Ok(more)) = timeout(PATIENCE, ROOMS.acquire_many(missing)).await else {
            return Err(UploadFault::Busy);
        };
        match &mut self.room {
            Some(room) => room.merge(more),
            None => self.room = Some(more),
        }
        Ok(())
    }
}

/// The routes that take uploads lift axum's own limit: [`Upload::read`] has its own.
pub(crate) const fn no_limit_of_axum() -> axum::extract::DefaultBodyLimit {
    axum::extract::DefaultBodyLimit::disable()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::{Body, Bytes};
    use futures::{StreamExt, stream};

    const LIMIT: usize = 2 * MAX_FILE;
    /// Far longer than a test takes.
    const LONG: Duration = Duration::from_secs(600);

    fn id(byte: u8) -> SessionId {
        SessionId::from_random([byte; 16])
    }

    /// A form that announces `LIMIT` bytes, brings `bytes` of one file, and then nothing, or its end.
    fn form(bytes: usize, ends: bool) -> Request {
        let head = "--b\r\ncontent-disposition: form-data; name=\"frame\"; filename=\"a\"\r\n\r\n";
        let chunks = [Bytes::from(head), Bytes::from(vec![b'x'; bytes])];
        let begun = stream::iter(chunks).map(Ok::<_, std::io::Error>);
        let body = if ends {
            Body::from_stream(begun.chain(stream::iter([Ok(Bytes::from("\r\n--b--\r\n"))])))
        } else {
            Body::from_stream(begun.chain(stream::pending()))
        };
        Request::post("/")
            .header("content-type", "multipart/form-data; boundary=b")
            .header("content-length", LIMIT)
            .body(body)
            .unwrap()
    }

    fn start(session: u8, request: Request) -> tokio::task::JoinHandle<Result<Upload, UploadFault>> {
        tokio::spawn(async move { Upload::read_within(&id(session), request, LIMIT, LONG).await })
    }

    #[tokio::test]
    async fn uploads_that_announce_much_and_bring_nothing_hold_up_nobody() {
        let waiting: Vec<_> = (10..30).map(|session| start(session, form(0, false))).collect();
        tokio::task::yield_now().await;
        let mut taken = Upload::read(&id(1), form(MIB, true), LIMIT).await.unwrap();
        assert_eq!(taken.take_files("frame")[0].len(), MIB);
        waiting.iter().for_each(tokio::task::JoinHandle::abort);
    }

    #[tokio::test]
    async fn an_upload_that_drips_is_cut_off_and_gives_its_room_back() {
        let request = form(3 * MIB, false);
        let cut = Upload::read_within(&id(2), request, LIMIT, Duration::from_millis(50)).await;
        assert_eq!(cut.err(), Some(UploadFault::Broken));
        assert_eq!(ROOMS.available_permits(), ROOM);
    }

    #[tokio::test]
    async fn a_newer_upload_of_a_session_ends_the_older_one() {
        let older = start(3, form(MIB, false));
        tokio::task::yield_now().await;
        let newer = Upload::read(&id(3), form(MIB, true), LIMIT).await.unwrap();
        assert_eq!(older.await.unwrap().err(), Some(UploadFault::Busy));
        let third = Upload::read(&id(3), form(MIB, true), LIMIT).await;
        assert_eq!(
            third.err(),
            Some(UploadFault::Busy),
            "while the newer one is being stored"
        );
        drop(newer);
        assert!(Upload::read(&id(3), form(MIB, true), LIMIT).await.is_ok());
    }
}
