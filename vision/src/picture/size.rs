//! The size that a picture's header declares, and when it is too large or too small.

use super::{MAX_DECODE_BYTES, MAX_SIDE, PictureFault};

/// What a header promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) width: u32,
    pub(super) height: u32,
    /// Bytes the decoder needs beside the pixels it returns.
    pub(super) scratch: u64,
}

impl Size {
    /// Whether the pixels alone are too many.
    pub(super) fn is_too_large(self) -> bool {
        let pixels = u64::from(self.width) * u64::from(self.height);
        self.width.max(self.height) > MAX_SIDE || pixels * 3 > MAX_DECODE_BYTES
    }

    /// `least` are the shortest shorter and longer side.
    pub(super) fn check(self, least: (u32, u32)) -> Result<(), PictureFault> {
        let (short, long) = (self.width.min(self.height), self.width.max(self.height));
        if self.is_too_large() {
            return Err(PictureFault::DimensionsTooLarge);
        }
        if short < least.0 || long < least.1 {
            return Err(PictureFault::TooSmall);
        }
        Ok(())
    }
}
