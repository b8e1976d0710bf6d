//! The minimum rate of an upload.

use super::UploadFault;
use crate::edge::LEAST_RATE;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// What has arrived so far, and since when.
pub(super) struct Pace {
    begun: Instant,
    received: u64,
    stall: Duration,
}

impl Pace {
    /// Begins now. An upload from which nothing arrives for `stall` is too slow.
    pub(super) fn new(stall: Duration) -> Self {
        Self {
            begun: Instant::now(),
            received: 0,
            stall,
        }
    }

    /// Counts bytes that have arrived.
    pub(super) const fn count(&mut self, bytes: usize) {
        self.received += bytes as u64;
    }

    /// Does not count time that we needed ourselves.
    pub(super) fn forgive(&mut self, ours: Duration) {
        self.begun += ours;
    }

    /// The next piece, if it arrives in time: before the stall time-out, and before the average rate is below [`LEAST_RATE`].
    pub(super) async fn keep<T, E>(&self, next: impl Future<Output = Result<T, E>>) -> Result<T, UploadFault> {
        let earned = Duration::from_secs(self.received / LEAST_RATE);
        let latest = (self.begun + self.stall + earned).min(Instant::now() + self.stall);
        let piece = timeout_at(latest, next).await.map_err(|_| UploadFault::Slow)?;
        piece.map_err(|_| UploadFault::Broken)
    }
}
