//! Whether frames are one still picture: identical bytes, or the same pixels shifted.

use crate::raster::Raster;

/// Frames are compared at this width.
const WIDTH: usize = 96;
/// Shifts tried, in pixels of the small frame, each way.
const REACH: isize = 6;
/// Mean difference of luma below which two frames show the same pixels. A living face, and a camera's noise, differ by more:
/// two frames of the same JPEG encoded again differ by about 0.3.
const SAME: f32 = 0.8;

/// Whether all frames show the same picture; one frame alone says nothing.
pub(super) fn is_still(frames: &[&Raster]) -> bool {
    let Some((first, rest)) = frames.split_first() else {
        return false;
    };
    let first = Small::new(first);
    !rest.is_empty() && rest.iter().all(|frame| first.is_shift_of(&Small::new(frame)))
}

struct Small {
    width: isize,
    height: isize,
    luma: Vec<u8>,
}

impl Small {
    fn new(frame: &Raster) -> Self {
        let height = (frame.height() * WIDTH / frame.width()).clamp(1, WIDTH * 4);
        let small = frame.resized(WIDTH, height);
        Self {
            width: WIDTH as isize,
            height: height as isize,
            luma: small.luma(),
        }
    }

    fn is_shift_of(&self, other: &Self) -> bool {
        if self.height != other.height {
            return false;
        }
        (-REACH..=REACH).any(|dy| (-REACH..=REACH).any(|dx| self.difference(other, dx, dy) < SAME))
    }

    /// Mean difference over the part both have, where `other` is moved by (`dx`, `dy`). Where they have none, nothing is the same.
    fn difference(&self, other: &Self, dx: isize, dy: isize) -> f32 {
        let (mut sum, mut count) = (0_u32, 0_u32);
        for y in dy.max(0)..self.height.min(self.height + dy) {
            let columns = dx.max(0)..self.width.min(self.width + dx);
            let at = |row: isize, column: isize| (row * self.width + column) as usize;
            let mine = &self.luma[at(y, columns.start)..at(y, columns.end)];
            let theirs = &other.luma[at(y - dy, columns.start - dx)..at(y - dy, columns.end - dx)];
            sum += mine
                .iter()
                .zip(theirs)
                .map(|(a, b)| u32::from(a.abs_diff(*b)))
                .sum::<u32>();
            count += mine.len() as u32;
        }
        if count == 0 {
            return f32::MAX;
        }
        sum as f32 / count as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scene(shift: usize, hand: usize) -> Raster {
        let pixels = (0..240 * 320).flat_map(|i| {
            let (x, y) = (i % 240 + shift, i / 240);
            [
                (x * 7 % 256) as u8,
                (y * 3 % 256) as u8,
                ((x / 20 + y / 20) % 2 * 120) as u8,
            ]
        });
        let mut frame = Raster::new(240, 320, pixels.collect()).unwrap();
        frame.paste(&Raster::filled(60, 60, [240, 200, 180]), hand, 120);
        frame
    }

    #[test]
    fn the_same_picture_and_a_shifted_one_are_still_and_a_moving_part_is_not() {
        let (one, same) = (scene(0, 50), scene(0, 50));
        assert!(is_still(&[&one, &same, &one]));
        // Ten pixels are four of the small frame.
        assert!(is_still(&[&scene(0, 100), &scene(10, 90)]));
        assert!(!is_still(&[&one, &scene(0, 80)]));
        assert!(!is_still(&[&one]));
        assert!(!is_still(&[]));
    }

    /// Detects if shifts that leave nothing to compare count as the same.
    #[test]
    fn two_different_strips_that_are_lower_than_the_shifts_tried_are_not_still() {
        let strip = |grey: u8| Raster::filled(3000, 60, [grey; 3]);
        assert!(!is_still(&[&strip(40), &strip(200)]));
        assert!(is_still(&[&strip(40), &strip(40)]));
    }
}
