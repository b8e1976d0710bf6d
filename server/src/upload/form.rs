//! Reading a multipart form whose memory is reserved, at a minimum rate.

use super::{MAX_FILE, Part, UploadFault, heads::Heads, pace::Pace};
use axum::extract::{FromRequest as _, Multipart, Request, multipart::Field};
use http::header::CONTENT_TYPE;
use std::time::Duration;

/// The largest value that is not a file.
const MAX_TEXT: usize = 32 * 1024;
/// The maximum number of parts of a form.
const MAX_PARTS: usize = 80;
/// At most this is read and discarded, so that the browser gets to see the response; after that the connection is closed.
const MAX_DRAINED: usize = 64 * 1024 * 1024;
/// The most bytes of a form's media type. A boundary has at most 70 (RFC 2046 section 5.1.1), and every piece is searched for it.
const MAX_TYPE: usize = 256;
/// A file's memory grows by at most this.
const STEP: usize = 512 * 1024;

/// The parts of a form whose files may have `limit` bytes in total.
pub(super) async fn read(request: Request, limit: usize, stall: Duration) -> Result<Vec<(String, Part)>, UploadFault> {
    parts(request, Budget::new(limit, stall)).await
}

/// Reads a form that is too large to its end and buffers nothing. Returns why it is refused.
pub(super) async fn discard(request: Request, stall: Duration) -> UploadFault {
    let read = parts(request, Budget::exceeded(stall)).await;
    read.err().unwrap_or(UploadFault::TooLarge { file: 0 })
}

async fn parts(request: Request, mut budget: Budget) -> Result<Vec<(String, Part)>, UploadFault> {
    let kind = request.headers().get(CONTENT_TYPE);
    if kind.is_some_and(|kind| kind.len() > MAX_TYPE) {
        return Err(UploadFault::Broken);
    }
    let heads = Heads::default();
    let mut form = Multipart::from_request(request.map(|body| heads.limit(body)), &())
        .await
        .map_err(|_| UploadFault::Broken)?;
    let mut parts = Vec::new();
    while let Some(field) = budget.pace.keep(heads.within(form.next_field())).await? {
        let name = field.name().unwrap_or_default().to_owned();
        if name.len() > MAX_TEXT || parts.len() >= MAX_PARTS {
            return Err(UploadFault::Broken);
        }
        let is_file = field.file_name().is_some();
        // A browser sends an input without a file as a file without a name.
        let is_chosen = field.file_name().is_some_and(|name| !name.is_empty());
        let bytes = budget.gather(field, if is_file { MAX_FILE } else { MAX_TEXT }).await?;
        budget.files += usize::from(is_file);
        if budget.over {
            // Nothing of it will be used: what was buffered is freed, the rest is only read to its end.
            parts.clear();
            continue;
        }
        let part = if is_file && bytes.is_empty() && !is_chosen {
            Part::NoFile
        } else if is_file {
            Part::File(bytes)
        } else {
            Part::Text(String::from_utf8(bytes).map_err(|_| UploadFault::Broken)?)
        };
        parts.push((name, part));
    }
    if budget.over { Err(budget.fault()) } else { Ok(parts) }
}

/// What may still be buffered and discarded.
struct Budget {
    limit: usize,
    gathered: usize,
    drained: usize,
    over: bool,
    /// How many files have been read to their end.
    files: usize,
    /// The number of the first file that is too large by itself.
    too_large: Option<usize>,
    pace: Pace,
}

impl Budget {
    fn new(limit: usize, stall: Duration) -> Self {
        Self {
            limit,
            gathered: 0,
            drained: 0,
            over: false,
            files: 0,
            too_large: None,
            pace: Pace::new(stall),
        }
    }

    fn exceeded(stall: Duration) -> Self {
        Self {
            over: true,
            ..Self::new(0, stall)
        }
    }

    /// Why the form is refused. Files that are too large together are reported at the first of them.
    fn fault(&self) -> UploadFault {
        UploadFault::TooLarge {
            file: self.too_large.unwrap_or_default(),
        }
    }

    /// The field's bytes, or nothing if the limit is exceeded: then the rest is counted and discarded.
    async fn gather(&mut self, mut field: Field<'_>, most: usize) -> Result<Vec<u8>, UploadFault> {
        let (mut bytes, mut length) = (Vec::new(), 0);
        while let Some(chunk) = self.pace.keep(field.chunk()).await? {
            self.pace.count(chunk.len());
            length += chunk.len();
            if length > most {
                self.over = true;
                self.too_large = self.too_large.or(Some(self.files));
            }
            self.over |= chunk.len() > self.limit - self.gathered;
            if self.over {
                bytes = Vec::new();
                self.drained += chunk.len();
                if self.drained > MAX_DRAINED {
                    return Err(self.fault());
                }
            } else {
                self.gathered += chunk.len();
                // In steps instead of doubling, so that no more is held than was reserved.
                if bytes.capacity() - bytes.len() < chunk.len() {
                    bytes.reserve_exact(chunk.len() + STEP.min(bytes.len()));
                }
                bytes.extend_from_slice(&chunk);
            }
        }
        Ok(bytes)
    }
}
