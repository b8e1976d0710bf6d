//! Reading a multipart form whose room is there, at a pace.

use super::{MAX_FILE, Part, UploadFault};
use axum::extract::{FromRequest as _, Multipart, Request, multipart::Field};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// The largest value that is no file.
const MAX_TEXT: usize = 256;
/// The most parts of a form.
const MAX_PARTS: usize = 80;
/// Read and thrown away at most, so that the browser gets to see the answer; after that the connection ends.
const MAX_DRAINED: usize = 64 * 1024 * 1024;
/// A file's memory grows by at most this.
const STEP: usize = 512 * 1024;
/// What an upload must average, after as long as it may stall: a mobile network at its worst that still gets a picture through within
/// the deadline.
const BYTES_PER_SECOND: u64 = 16 * 1024;

/// The parts of a form whose files may hold `limit` bytes together; of one that is `over` already nothing is gathered.
pub(super) async fn read(
    request: Request,
    limit: usize,
    over: bool,
    stall: Duration,
) -> Result<Vec<(String, Part)>, UploadFault> {
    let mut budget = Budget::new(limit, over, stall);
    let mut form = Multipart::from_request(request, &())
        .await
        .map_err(|_| UploadFault::Broken)?;
    let mut parts = Vec::new();
    while let Some(field) = budget.pace.keep(form.next_field()).await? {
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

/// How fast a form has to come.
struct Pace {
    begun: Instant,
    received: u64,
    stall: Duration,
}

impl Pace {
    /// The next piece, if it comes in time: before nothing has come for too long, and before the average is too low.
    async fn keep<T, E>(&self, next: impl Future<Output = Result<T, E>>) -> Result<T, UploadFault> {
        let earned = Duration::from_secs(self.received / BYTES_PER_SECOND);
        let latest = (self.begun + self.stall + earned).min(Instant::now() + self.stall);
        let piece = timeout_at(latest, next).await.map_err(|_| UploadFault::Busy)?;
        piece.map_err(|_| UploadFault::Broken)
    }
}

/// What may still be gathered and thrown away.
struct Budget {
    limit: usize,
    gathered: usize,
    drained: usize,
    over: bool,
    pace: Pace,
}

impl Budget {
    fn new(limit: usize, over: bool, stall: Duration) -> Self {
        let pace = Pace {
            begun: Instant::now(),
            received: 0,
            stall,
        };
        Self {
            limit,
            gathered: 0,
            drained: 0,
            over,
            pace,
        }
    }

    /// The field's bytes, or nothing where the budget is over: then the rest is counted and thrown away.
    async fn gather(&mut self, mut field: Field<'_>, most: usize) -> Result<Vec<u8>, UploadFault> {
        let mut bytes = Vec::new();
        while let Some(chunk) = self.pace.keep(field.chunk()).await? {
            self.pace.received += chunk.len() as u64;
            self.over |= chunk.len() > self.limit - self.gathered || bytes.len() + chunk.len() > most;
            if self.over {
                bytes = Vec::new();
                self.drained += chunk.len();
                if self.drained > MAX_DRAINED {
                    return Err(UploadFault::TooLarge);
                }
            } else {
                self.gathered += chunk.len();
                // By steps and not by doubling: no more is held than there is room for.
                if bytes.capacity() - bytes.len() < chunk.len() {
                    bytes.reserve_exact(chunk.len() + STEP.min(bytes.len()));
                }
                bytes.extend_from_slice(&chunk);
            }
        }
        Ok(bytes)
    }
}
