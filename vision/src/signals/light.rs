//! How light a face is, or a part of a picture.

use crate::face::Detection;
use crate::raster::Raster;

/// Mean luma of the face, or of the whole frame without one.
pub(crate) fn brightness(picture: &Raster, luma: &[u8], face: Option<Detection>) -> f32 {
    let clip = |value: f32, most: usize| (value.max(0.0) as usize).min(most);
    let area = face.map_or([0, 0, picture.width(), picture.height()], |face| {
        [
            clip(face.left, picture.width()),
            clip(face.top, picture.height()),
            clip(face.left + face.width, picture.width()),
            clip(face.top + face.height, picture.height()),
        ]
    });
    mean(luma, picture.width(), area) / 255.0
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
