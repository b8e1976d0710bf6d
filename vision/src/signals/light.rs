//! How light a face is, or a part of a picture.

use crate::face::Detection;
use crate::geometry::clip;
use crate::raster::Raster;
use domain::quality::luma_range;

/// Mean luma of the face, or of the whole frame without one.
pub(crate) fn brightness(picture: &Raster, luma: &[u8], face: Option<Detection>) -> f32 {
    let area = face.map_or([0, 0, picture.width(), picture.height()], |face| area(picture, face));
    mean(luma, picture.width(), area) / 255.0
}

/// The [`luma_range`] of the face.
pub(crate) fn range(picture: &Raster, luma: &[u8], face: Detection) -> Option<[f32; 2]> {
    let [left, top, right, bottom] = area(picture, face);
    let width = picture.width();
    let rows = (top..bottom).flat_map(|y| luma.get(y * width + left..y * width + right).unwrap_or_default());
    luma_range(rows.copied())
}

/// Where the face is in the picture: left, top, right, bottom.
fn area(picture: &Raster, face: Detection) -> [usize; 4] {
    [
        clip(face.left, picture.width()),
        clip(face.top, picture.height()),
        clip(face.left + face.width, picture.width()),
        clip(face.top + face.height, picture.height()),
    ]
}

/// Mean of an area: left, top, right, bottom in pixels; 0 of an empty one.
pub(crate) fn mean(luma: &[u8], width: usize, [left, top, right, bottom]: [usize; 4]) -> f32 {
    let rows = (top..bottom).map(|y| luma.get(y * width + left..y * width + right).unwrap_or_default());
    let (sum, count) = rows.fold((0_u64, 0_u64), |(sum, count), row| {
        let row_sum: u64 = row.iter().map(|&value| u64::from(value)).sum();
        (sum + row_sum, count + row.len() as u64)
    });
    if count == 0 { 0.0 } else { sum as f32 / count as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_of_a_face_is_that_of_its_pixels_alone() {
        let mut picture = Raster::filled(100, 100, [255; 3]);
        picture.paste(&Raster::filled(40, 20, [20; 3]), 30, 40);
        picture.paste(&Raster::filled(40, 20, [60; 3]), 30, 60);
        let face = |left| Detection {
            score: 1.0,
            left,
            top: 40.0,
            width: 40.0,
            height: 40.0,
        };
        let [least, most] = range(&picture, &picture.luma(), face(30.0)).unwrap();
        assert!(
            (least - 20.0 / 255.0).abs() < 0.01 && (most - 60.0 / 255.0).abs() < 0.01,
            "{least} {most}"
        );
        assert_eq!(range(&picture, &picture.luma(), face(200.0)), None);
    }
}
