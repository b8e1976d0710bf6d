//! How long each stage took, for the findings.

use domain::findings::StageTime;
use std::time::Instant;

/// Laps of one examination.
pub(crate) struct Stopwatch {
    last: Instant,
    laps: Vec<StageTime>,
}

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self {
            last: Instant::now(),
            laps: Vec::new(),
        }
    }

    /// Ends a stage and begins the next.
    pub(crate) fn lap(&mut self, stage: &str) {
        let now = Instant::now();
        let ms = now.duration_since(self.last).as_secs_f32() * 1000.0;
        self.laps.push(StageTime {
            stage: stage.to_owned(),
            ms,
        });
        self.last = now;
    }

    pub(crate) fn into_laps(self) -> Vec<StageTime> {
        self.laps
    }
}
