//! Whether two pictures are the same: the same file, or the same print photographed or edited again. It does not compare faces.
//!
//! `vision` describes up to some hundred corners of a picture by their surroundings. Two pictures of the same print share many
//! of them, in the same arrangement after a single rotation, scaling and shift. So re-encoding, cropping, a small rotation and
//! different brightness change little, and a common typeface alone is not enough.

use serde::{Deserialize, Serialize};
use std::f32::consts::{PI, TAU};

/// Maximum number of the 256 bits that may differ between two descriptions of one corner. Unrelated ones differ in about 128 ±
/// 8 (a fair coin per bit), neighbours of one print in fewer.
const NEAR: u32 = 60;
/// Maximum distance of a corner from its expected position, in pixels of a picture whose longer side is [`LONGEST`].
const OFF_PLACE: f32 = 14.0;
/// Maximum deviation from the expected direction, in radians.
const OFF_TURN: f32 = 0.45;
/// Fewer matching corners are chance.
const LEAST: usize = 10;
/// The longer side, in pixels, of the picture whose corners are described.
pub const LONGEST: usize = 512;

/// One corner and its surroundings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Corner {
    /// Pixels from the left of a picture whose longer side is [`LONGEST`].
    pub x: f32,
    /// Pixels from its top.
    pub y: f32,
    /// By how much the picture was scaled down when the corner was found, at least 1.
    pub scale: f32,
    /// Direction of the brighter side, in radians.
    pub direction: f32,
    /// 256 comparisons of the brightness of two points around it, rotated by `direction`.
    pub bits: [u64; 4],
}

/// The corners of a picture. Means nothing to a person, but recognises the picture again: stored encrypted only.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Likeness {
    /// The clearest ones, from all parts of the picture.
    pub corners: Vec<Corner>,
}

impl std::fmt::Debug for Likeness {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Likeness({} corners)", self.corners.len())
    }
}

impl Likeness {
    /// Share of the corners found again in `other` at the position given by one rotation, scaling and shift, 0 to 1.
    #[must_use]
    pub fn shared_with(&self, other: &Self) -> f32 {
        let pairs = pairs(&self.corners, &other.corners);
        let agreeing = pairs
            .iter()
            .map(|pair| pairs.iter().filter(|another| agrees(pair, another)).count())
            .max()
            .unwrap_or_default();
        let fewest = self.corners.len().min(other.corners.len());
        if agreeing < LEAST {
            return 0.0;
        }
        agreeing as f32 / fewest as f32
    }
}

type Pair<'a> = (&'a Corner, &'a Corner);

/// Pairs of corners of the two pictures that are each other's nearest.
fn pairs<'a>(here: &'a [Corner], there: &'a [Corner]) -> Vec<Pair<'a>> {
    let back: Vec<Option<usize>> = there.iter().map(|corner| nearest(corner, here)).collect();
    here.iter()
        .enumerate()
        .filter_map(|(index, corner)| {
            let found = nearest(corner, there)?;
            (back[found] == Some(index)).then_some((corner, &there[found]))
        })
        .collect()
}

fn nearest(corner: &Corner, among: &[Corner]) -> Option<usize> {
    among
        .iter()
        .enumerate()
        .map(|(index, other)| (distance(corner, other), index))
        .min()
        .filter(|(distance, _)| *distance <= NEAR)
        .map(|(_, index)| index)
}

fn distance(a: &Corner, b: &Corner) -> u32 {
    a.bits.iter().zip(&b.bits).map(|(a, b)| (a ^ b).count_ones()).sum()
}

/// Whether the rotation, scaling and shift that map one pair's first corner to its second do the same for the other pair.
fn agrees(&(from, to): &Pair<'_>, &(other_from, other_to): &Pair<'_>) -> bool {
    let turn = to.direction - from.direction;
    let growth = from.scale / to.scale;
    let (dx, dy) = (other_from.x - from.x, other_from.y - from.y);
    let (sin, cos) = turn.sin_cos();
    // The direction of a single corner is known only to a few degrees: the error grows with the distance.
    let slack = OFF_PLACE + 0.12 * dx.hypot(dy);
    // Levels of the pyramid are coarse, so the scale between two pictures is up to half a level away from `growth`.
    [0.9, 1.0, 1.11].iter().any(|fine| {
        let growth = growth * fine;
        let (x, y) = (
            to.x + growth * (cos * dx - sin * dy),
            to.y + growth * (sin * dx + cos * dy),
        );
        (x - other_to.x).hypot(y - other_to.y) <= slack
    }) && folded((other_to.direction - other_from.direction) - turn).abs() <= OFF_TURN
}

/// The same angle between −π and π.
fn folded(angle: f32) -> f32 {
    (angle + PI).rem_euclid(TAU) - PI
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn picture(corners: &[(f32, f32, f32, [u64; 4])]) -> Likeness {
        let corner = |&(x, y, direction, bits): &(f32, f32, f32, [u64; 4])| Corner {
            x,
            y,
            scale: 1.0,
            direction,
            bits,
        };
        Likeness {
            corners: corners.iter().map(corner).collect(),
        }
    }

    prop_compose! {
        fn any_picture()(corners in prop::collection::vec((0.0_f32..512.0, 0.0_f32..320.0, -3.0_f32..3.0, any::<[u64; 4]>()), 60..90))
            -> Likeness { picture(&corners) }
    }

    proptest! {
        #[test]
        fn a_picture_turned_shifted_and_shrunk_is_the_same(original in any_picture(), turn in -0.3_f32..0.3, growth in 0.8_f32..1.25,
            dx in -60.0_f32..60.0, dy in -60.0_f32..60.0, noise in any::<u64>()) {
            let (sin, cos) = turn.sin_cos();
            let mut moved = original.clone();
            for corner in &mut moved.corners {
                let (x, y) = (corner.x, corner.y);
                corner.x = growth * (cos * x - sin * y) + dx;
                corner.y = growth * (sin * x + cos * y) + dy;
                corner.direction = folded(corner.direction + turn);
                // A sixteenth of the bits is flipped, as by re-encoding.
                corner.bits[0] ^= noise & noise.rotate_left(7) & 0xffff;
            }
            prop_assert!(original.shared_with(&moved) > 0.8);
        }

        #[test]
        fn unrelated_pictures_share_nothing(one in any_picture(), other in any_picture()) {
            prop_assert_eq!(one.shared_with(&other), 0.0);
        }

        #[test]
        fn the_same_corners_in_other_places_are_another_picture(original in any_picture(), seed in any::<u64>()) {
            let mut scattered = original.clone();
            let mut state = seed | 1;
            let mut next = || { state ^= state << 13; state ^= state >> 7; state ^= state << 17; (state >> 40) as f32 / (1 << 24) as f32 };
            for corner in &mut scattered.corners {
                (corner.x, corner.y) = (next() * 512.0, next() * 320.0);
                corner.direction = folded(next() * TAU);
            }
            prop_assert!(original.shared_with(&scattered) < 0.2);
        }
    }

    #[test]
    fn a_blank_picture_is_like_nothing() {
        let blank = Likeness::default();
        assert_eq!(blank.shared_with(&blank), 0.0);
    }
}
