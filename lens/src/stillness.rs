//! How much the picture changes from one frame to the next, independent of changes in the light.

use crate::frame::Plane;

/// Side of the thumbnails that are compared: small enough that noise and the tremble of a hand average out.
const SIDE: usize = 64;

/// Up to this much motion a hand counts as still: about two pixels of a 640 pixel preview that shows a card.
pub(crate) const STILL: f32 = 0.045;

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
    fn motion_to(&self, other: &Self) -> f32 {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A dark table with a bright card on it, moved to the right by that much of the width.
    fn card_at(shift: f32, light: f32) -> Plane {
        let (width, height) = (640, 480);
        let values = (0..width * height)
            .map(|i| {
                let (x, y) = ((i % width) as f32 - shift * width as f32, i / width);
                let card = (60.0..580.0).contains(&x) && (70..410).contains(&y);
                let ink = card && y % 24 < 10 && (x as i32 / 6) % 3 == 0;
                let value = if ink {
                    60.0
                } else if card {
                    210.0
                } else {
                    50.0
                };
                (value * light) as u8
            })
            .collect();
        Plane { width, height, values }
    }

    #[test]
    fn the_same_picture_in_another_light_is_still() {
        let mut stillness = Stillness::default();
        assert!(
            stillness.motion(&card_at(0.0, 1.0)) > STILL,
            "nothing is known before the first frame"
        );
        assert!(stillness.motion(&card_at(0.0, 1.0)) < 0.001);
        assert!(stillness.motion(&card_at(0.0, 0.8)) < STILL);
    }

    #[test]
    fn a_trembling_hand_is_still_and_a_moving_one_is_not() {
        let before = Thumbnail::of(&card_at(0.0, 1.0));
        let motion = |shift| before.motion_to(&Thumbnail::of(&card_at(shift, 1.0)));
        assert!(motion(2.0 / 640.0) < STILL, "{}", motion(2.0 / 640.0));
        assert!(motion(0.03) > STILL, "{}", motion(0.03));
    }
}
