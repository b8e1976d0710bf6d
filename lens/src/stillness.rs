//! How much the picture changes from one frame to another, whatever the light does in between.

use crate::frame::Plane;

/// Side of the thumbnails that are compared: small enough that noise and the tremble of a hand average out.
const SIDE: usize = 64;

/// Up to this much motion a hand counts as still: about two pixels of a 640 pixel preview that shows a card.
pub const STILL: f32 = 0.022;
/// From this much on something in the picture has moved on purpose, such as a head that turned.
pub const MOVED: f32 = 0.055;

/// A thumbnail to compare others with.
#[derive(Clone, Debug, PartialEq)]
pub struct Thumbnail {
    plane: Plane,
    mean: f32,
}

impl Thumbnail {
    /// Takes it.
    #[must_use]
    pub fn of(plane: &Plane) -> Self {
        let plane = plane.reduced(SIDE);
        let mean = plane.mean(plane.area()) * 255.0;
        Self { plane, mean }
    }

    /// Mean change of a pixel once the change of brightness is taken out, as a share of the mean contrast to the picture's
    /// brightness; 0 for the same picture. Pictures of different sizes have nothing in common: 1.
    #[must_use]
    pub fn motion_to(&self, other: &Self) -> f32 {
        if (self.plane.width, self.plane.height) != (other.plane.width, other.plane.height) {
            return 1.0;
        }
        // A camera that adjusts multiplies the light rather than adding to it.
        let gain = self.mean.max(1.0) / other.mean.max(1.0);
        let pairs = self.plane.values.iter().zip(&other.plane.values);
        let change: f32 = pairs.map(|(&a, &b)| (f32::from(a) - f32::from(b) * gain).abs()).sum();
        change / self.plane.values.len() as f32 / self.mean.max(16.0)
    }
}

/// Compares each frame with the one before.
#[derive(Clone, Debug, Default)]
pub struct Stillness {
    before: Option<Thumbnail>,
}

impl Stillness {
    /// The motion since the frame before; 1 for the first.
    pub fn motion(&mut self, plane: &Plane) -> f32 {
        let now = Thumbnail::of(plane);
        let motion = self.before.as_ref().map_or(1.0, |before| before.motion_to(&now));
        self.before = Some(now);
        motion
    }
}
