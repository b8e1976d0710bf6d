//! Analyses a frame while the camera is on: whether there is a face, where it is, and which way it looks. Fast enough to answer
//! several times a second; the burst is analysed separately, by the same networks.

use crate::face::Faces;
use crate::model::ModelError;
use crate::raster::Raster;
use crate::selfie::{largest, near};
use crate::signals::{self, brightness, mean};
use domain::live::{FramePrint, Glance, GlanceFace, looks_straight};

/// Looks at one frame.
pub(crate) fn glance(faces: &Faces, picture: &Raster) -> Result<Glance, ModelError> {
    let mut found = faces.detector.find_quickly(picture)?;
    if found.is_empty() {
        found = faces.detector.find(picture)?;
    }
    let luma = picture.luma();
    let largest = largest(&found);
    let shape = match &largest {
        Some(detection) => faces.shape(picture, detection)?,
        None => None,
    };
    let (width, height) = (picture.width() as f32, picture.height() as f32);
    let tint = shape.as_ref().and_then(|shape| signals::tint(picture, shape));
    let straight = shape.as_ref().filter(|shape| looks_straight(shape.yaw()));
    let covered = straight.map(|shape| {
        let [eyes, mouth] = signals::covered(picture, shape);
        eyes.max(mouth)
    });
    let face = shape.map(|shape| {
        let [left, right] = shape.eyes();
        GlanceFace {
            middle: [(left[0] + right[0]) / 2.0 / width, (left[1] + right[1]) / 2.0 / height],
            eye_distance: shape.eye_distance() / width,
            yaw: shape.yaw(),
        }
    });
    let seen = largest.filter(|_| face.is_some());
    Ok(Glance {
        faces: near(&found),
        luma: brightness(picture, &luma, seen),
        face_range: seen.and_then(|seen| signals::range(picture, &luma, seen)),
        face,
        print: print(picture),
        tint,
        covered,
    })
}

/// The tiny copy by which the frame is recognised in the burst.
pub(crate) fn print(picture: &Raster) -> FramePrint {
    let luma = picture.luma();
    let cells = (0..FramePrint::ROWS).flat_map(|row| (0..FramePrint::COLUMNS).map(move |column| (row, column)));
    let edge = |index: usize, count: usize, length: usize| index * length / count;
    let cell = |(row, column)| {
        let area = [
            edge(column, FramePrint::COLUMNS, picture.width()),
            edge(row, FramePrint::ROWS, picture.height()),
            edge(column + 1, FramePrint::COLUMNS, picture.width()),
            edge(row + 1, FramePrint::ROWS, picture.height()),
        ];
        mean(&luma, picture.width(), area).round() as u8
    };
    FramePrint(cells.map(cell).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::normalise;
    use image::codecs::jpeg::JpegEncoder;

    /// A picture with detail of every size, moved to the right by some pixels.
    fn scene(shift: usize) -> Raster {
        let (width, height) = (960, 1280);
        let mut pixels = Vec::with_capacity(width * height * 3);
        for y in 0..height {
            for x in 0..width {
                let x = x + shift;
                let big = if (x / 160 + y / 200).is_multiple_of(2) { 90 } else { 170 };
                let fine = ((x * 7 + y * 3) % 40) as u8;
                pixels.extend([big + fine, big, 200 - fine]);
            }
        }
        Raster::new(width, height, pixels).unwrap()
    }

    fn sent(picture: &Raster, quality: u8) -> Raster {
        let mut jpeg = Vec::new();
        JpegEncoder::new_with_quality(&mut jpeg, quality)
            .encode(
                picture.pixels(),
                picture.width() as u32,
                picture.height() as u32,
                image::ExtendedColorType::Rgb8,
            )
            .unwrap();
        normalise(&jpeg).unwrap().rgb
    }

    #[test]
    fn a_small_copy_of_a_frame_is_recognised_and_the_next_frame_is_not() {
        let small = print(&sent(&scene(0).resized(300, 400), 70));
        assert!(small.difference(&print(&sent(&scene(0), 85))).is_some());
        assert!(small.difference(&print(&sent(&scene(24), 85))).is_none());
    }
}
