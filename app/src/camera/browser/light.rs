//! Tells a camera that runs but shows black from one that shows something.

/// A picture this black for this long counts as no picture.
const BLACK: f32 = 0.006;
const BLACK_AFTER_MS: u64 = 5_000;

/// When the camera last showed something.
pub(super) struct Light(u64);

impl Light {
    /// The camera has been on since then.
    pub(super) const fn since(at: u64) -> Self {
        Self(at)
    }

    /// Takes note of how light a frame is, from 0 to 1.
    pub(super) fn see(&mut self, at: u64, exposure: f32) {
        if exposure > BLACK {
            self.0 = at;
        }
    }

    /// Whether nothing has been seen for too long.
    pub(super) const fn is_out(&self, at: u64) -> bool {
        at - self.0 > BLACK_AFTER_MS
    }
}
