//! Uploads, limited while they stream: a file that is too large is counted and thrown away, never gathered. What all uploads of the
//! process may hold together is bounded as well; who finds no room is asked to come back.

use axum::extract::{FromRequest, Multipart, Request, multipart::Field};
use http::header::CONTENT_LENGTH;
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit};

/// The largest file: a phone's 12-megapixel JPEG has 3 to 6 MB.
pub(crate) const MAX_FILE: usize = 10 * 1024 * 1024;
/// The largest value that is no file.
const MAX_TEXT: usize = 256;
/// The most parts of a form.
const MAX_PARTS: usize = 80;
/// Read and thrown away at most, so that the browser gets to see the answer; after that the connection ends.
const MAX_DRAINED: usize = 64 * 1024 * 1024;
/// What all uploads may hold together, in MiB.
const ROOM: u32 = 96;
/// A file's memory grows by at most this.
const STEP: usize = 512 * 1024;
/// How long an upload waits for room.
const PATIENCE: Duration = Duration::from_secs(15);

static ROOMS: Semaphore = Semaphore::const_new(ROOM as usize);

/// One part of a form.
#[derive(Debug)]
pub(crate) enum Part {
    /// A short value.
    Text(String),
    /// A file's bytes.
    File(Vec<u8>),
}

/// What was uploaded. Holds its room until it is dropped.
#[derive(Debug)]
pub(crate) struct Upload {
    parts: Vec<(String, Part)>,
    _room: SemaphorePermit<'static>,
}

/// Why an upload was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UploadFault {
    /// A file, or all of them together, is larger than allowed.
    TooLarge,
    /// The form is none, breaks off, or came too slowly.
    Broken,
    /// No room now.
    Busy,
}

impl Upload {
    /// Reads a multipart form whose files may hold `limit` bytes together.
    pub(crate) async fn read(request: Request, limit: usize) -> Result<Self, UploadFault> {
        let announced = request
            .headers()
            .get(CONTENT_LENGTH)
            .and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
        // Of what is announced to be too large nothing will be gathered, so it needs no room.
        let over = announced.is_some_and(|length| length > limit);
        let needed = if over {
            0
        } else {
            announced.unwrap_or(limit).div_ceil(1024 * 1024)
        };
        let needed = u32::try_from(needed).unwrap_or(ROOM).min(ROOM);
        let room = tokio::time::timeout(PATIENCE, ROOMS.acquire_many(needed)).await;
        let Ok(Ok(room)) = room else {
            return Err(UploadFault::Busy);
        };
        let form = Multipart::from_request(request, &())
            .await
            .map_err(|_| UploadFault::Broken)?;
        let parts = read_parts(form, Budget::new(limit, over)).await?;
        Ok(Self { parts, _room: room })
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

async fn read_parts(mut form: Multipart, mut budget: Budget) -> Result<Vec<(String, Part)>, UploadFault> {
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
        Ok(parts)
    }
}

/// What may still be gathered and thrown away.
struct Budget {
    left: usize,
    drained: usize,
    over: bool,
}

impl Budget {
    const fn new(limit: usize, over: bool) -> Self {
        Self {
            left: limit,
            drained: 0,
            over,
        }
    }

    /// The field's bytes, or nothing where the budget is over: then the rest is counted and thrown away.
    async fn gather(&mut self, mut field: Field<'_>, most: usize) -> Result<Vec<u8>, UploadFault> {
        let mut bytes = Vec::new();
        while let Some(chunk) = field.chunk().await.map_err(|_| UploadFault::Broken)? {
            self.over |= chunk.len() > self.left || bytes.len() + chunk.len() > most;
            if self.over {
                bytes = Vec::new();
                self.drained += chunk.len();
                if self.drained > MAX_DRAINED {
                    return Err(UploadFault::TooLarge);
                }
            } else {
                self.left -= chunk.len();
                // By steps and not by doubling: the room is counted in what is held.
                if bytes.capacity() - bytes.len() < chunk.len() {
                    bytes.reserve_exact(chunk.len() + STEP.min(bytes.len()));
                }
                bytes.extend_from_slice(&chunk);
            }
        }
        Ok(bytes)
    }
}

/// The routes that take uploads lift axum's own limit: [`Upload::read`] has its own.
pub(crate) const fn no_limit_of_axum() -> axum::extract::DefaultBodyLimit {
    axum::extract::DefaultBodyLimit::disable()
}
