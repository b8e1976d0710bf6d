//! Distinguishes a frozen camera picture from a live one: a virtual camera, a lens cover that shows a picture of its own, a stream that another app
//! has taken over.

/// So many equal frames in a row are no accident. A camera's noise makes any two frames differ, but a slow one gives the same frame several times.
const FRAMES: u32 = 6;
/// For how long they must have been equal. A black picture is named before (`light.rs`).
const FROZEN_AFTER_MS: u64 = 6_000;

/// The frame that the camera shows: its hash, since when, and how often it was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frozen {
    hash: String,
    since: u64,
    seen: u32,
}

impl Frozen {
    /// Takes note of a frame by its hash. The time is any monotonic clock's, in milliseconds.
    pub fn see(&mut self, at: u64, hash: &str) {
        if self.hash != hash {
            hash.clone_into(&mut self.hash);
            (self.since, self.seen) = (at, 0);
        }
        self.seen = self.seen.saturating_add(1);
    }

    /// Whether the picture has stood still for too long.
    #[must_use]
    pub fn is_still(&self, at: u64) -> bool {
        self.seen >= FRAMES && at.saturating_sub(self.since) > FROZEN_AFTER_MS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_stands_still_after_six_equal_frames_and_six_seconds() {
        // Four frames a second, and one in four seconds.
        for (step, still_at) in [(250, 7_250), (4_000, 21_000)] {
            let mut frozen = Frozen::default();
            for at in (1_000..still_at).step_by(step) {
                frozen.see(at, "a");
                assert!(!frozen.is_still(at), "{at}");
            }
            frozen.see(still_at, "a");
            assert!(frozen.is_still(still_at), "{step}");
        }
    }

    #[test]
    fn a_frame_that_differs_starts_the_time_again() {
        let mut frozen = Frozen::default();
        for at in (1_000..=30_000).step_by(250) {
            frozen.see(at, if at % 5_000 == 0 { "b" } else { "a" });
            assert!(!frozen.is_still(at), "{at}");
        }
    }
}
