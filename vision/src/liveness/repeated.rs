//! Frames that repeat an earlier one, although something moved in between. A head does not return to exactly the same place in the same light; a
//! recording played backwards, in a loop or mirrored does.

use super::Seen;
use lens::geometry::bounds;

/// Frames are compared at this width, in pixels: the noise of a camera and of compression is averaged out.
const WIDTH: usize = 160;
/// Mean difference of luma around the face below which two frames show the same, apart from how bright they are as a whole: a recording that is made a little
/// brighter when it is shown again is still the same. Of 28 rendered recordings of living heads the nearest two reached 3.2, or 4.5 where one is mirrored,
/// before that was left out; the same frame compressed again stays below 0.7.
const SAME: f32 = 1.2;
/// The same, above which something has moved.
const MOVED: f32 = 4.0;
/// How far beyond the landmarks the part that is compared reaches, in widths of the face.
const MARGIN: f32 = 0.25;

/// How many frames show what an earlier one has shown, before something moved; or what any other one has shown mirrored.
pub(super) fn count(frames: &[Seen<'_>]) -> u32 {
    let smalls: Vec<Small> = frames.iter().map(Small::of).collect();
    let again = |&number: &usize| {
        let (earlier, own) = (&smalls[..number], &smalls[number]);
        let is_back = |other: usize| {
            let since = &smalls[other + 1..number];
            own.difference(&smalls[other], false) < SAME
                && since.iter().any(|frame| own.difference(frame, false) > MOVED)
        };
        (0..earlier.len()).any(is_back) || earlier.iter().any(|other| own.difference(other, true) < SAME)
    };
    (0..smalls.len()).filter(again).count() as u32
}

/// A small copy of a frame, and where its face is.
struct Small {
    width: usize,
    height: usize,
    luma: Vec<u8>,
    /// Left, top, right, bottom of the part around the face.
    part: [usize; 4],
}

impl Small {
    fn of(seen: &Seen<'_>) -> Self {
        let (width, height) = (seen.picture.width(), seen.picture.height());
        let scale = WIDTH as f32 / width.max(1) as f32;
        let rows = ((height as f32 * scale) as usize).max(1);
        let [left, top, right, bottom] = bounds(seen.shape.points());
        let margin = MARGIN * (right - left);
        let place = |at: f32, most: usize| ((at * scale).max(0.0) as usize).min(most);
        Self {
            width: WIDTH,
            height: rows,
            luma: seen.picture.resized(WIDTH, rows).luma(),
            part: [
                place(left - margin, WIDTH),
                place(top - margin, rows),
                place(right + margin, WIDTH),
                place(bottom + margin, rows),
            ],
        }
    }

    /// Mean difference of luma in the part around this frame's face, once the difference of their mean brightness is taken out; nothing in common
    /// where the frames have different shapes.
    fn difference(&self, other: &Self, mirrored: bool) -> f32 {
        let [left, top, right, bottom] = self.part;
        if self.height != other.height || right <= left || bottom <= top {
            return f32::MAX;
        }
        let at = |small: &Self, x: usize, y: usize| i32::from(small.luma[y * small.width + x]);
        let mut differences = Vec::with_capacity((right - left) * (bottom - top));
        for y in top..bottom {
            for x in left..right {
                let theirs = if mirrored { other.width - 1 - x } else { x };
                differences.push(at(self, x, y) - at(other, theirs, y));
            }
        }
        let count = differences.len() as f32;
        let brighter = differences.iter().sum::<i32>() as f32 / count;
        let changes = differences
            .iter()
            .map(|difference| (*difference as f32 - brighter).abs());
        changes.sum::<f32>() / count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face::pose::tests::head;
    use crate::raster::Raster;

    /// A frame with a face that has moved so many pixels; `noise` is that of its moment.
    fn frame(moved: usize, noise: usize) -> Raster {
        let pixels = (0..320 * 240).flat_map(|place| {
            let (x, y) = (place % 320 + 2 * moved, place / 320 + moved);
            let grain = (place * 7 + noise * 13) % 5;
            [60 + x * y / 40 % 120 + grain, 60 + x / 3 + grain, 60 + y / 2 + grain].map(|value| value.min(255) as u8)
        });
        Raster::new(320, 240, pixels.collect()).unwrap()
    }

    fn repeated(pictures: &[Raster]) -> u32 {
        let seen: Vec<Seen<'_>> = pictures
            .iter()
            .enumerate()
            .map(|(index, picture)| Seen {
                index,
                picture,
                shape: head(0.0, false),
            })
            .collect();
        count(&seen)
    }

    #[test]
    fn a_recording_that_is_played_backwards_in_a_loop_or_mirrored_shows_its_frames_again() {
        let out = [0, 10, 20, 30].map(|moved| frame(moved, moved));
        assert_eq!(repeated(&out), 0);
        let back: Vec<Raster> = out.iter().chain(out.iter().rev().skip(1)).cloned().collect();
        assert_eq!(repeated(&back), 3);
        let looped = [out.clone(), out.clone()].concat();
        assert!(repeated(&looped) >= 3);
        let mirrored = [&out[..], &[out[2].mirrored()]].concat();
        assert_eq!(repeated(&mirrored), 1);
    }

    /// The picture with all its values made brighter by this much, or darker.
    fn brighter(picture: &Raster, by: i16) -> Raster {
        let pixels = picture.pixels().iter();
        let pixels = pixels.map(|value| (i16::from(*value) + by).clamp(0, 255) as u8);
        Raster::new(picture.width(), picture.height(), pixels.collect()).unwrap()
    }

    #[test]
    fn a_recording_that_is_made_brighter_or_darker_when_it_is_played_again_shows_its_frames_again() {
        let out = [0, 10, 20, 30].map(|moved| frame(moved, moved));
        for by in [2, -6] {
            let again = out.iter().rev().skip(1).map(|picture| brighter(picture, by));
            let back: Vec<Raster> = out.iter().cloned().chain(again).collect();
            assert_eq!(repeated(&back), 3, "{by}");
            let mirrored = [&out[..], &[brighter(&out[2].mirrored(), by)]].concat();
            assert_eq!(repeated(&mirrored), 1, "{by}");
        }
    }

    #[test]
    fn a_face_that_keeps_still_while_the_camera_adjusts_its_exposure_shows_nothing_again() {
        let still = frame(10, 0);
        assert_eq!(repeated(&[still.clone(), brighter(&still, 9), still]), 0);
    }

    #[test]
    fn a_camera_that_stands_still_and_a_face_that_has_not_moved_show_nothing_again() {
        let same = frame(10, 0);
        assert_eq!(repeated(&[same.clone(), same.clone(), same, frame(20, 1)]), 0);
        assert_eq!(repeated(&[frame(10, 0), frame(10, 1), frame(10, 2)]), 0);
        assert_eq!(repeated(&[]), 0);
    }
}
