//! A face cut out of a picture, upright, with the eyes always in the same place, for comparison by people and by the rules.

use crate::geometry::{midpoint, rectangle};
use crate::picture::{Picture, PictureFault};
use crate::projection::Projection;
use crate::raster::Raster;
use domain::findings::FaceCrop;

/// Size of what is cut out, in pixels: width and height.
const SIZE: [f32; 2] = [480.0, 600.0];
/// Distance between the eyes in it: a head is about two and a half times as wide.
const EYES: f32 = 150.0;
/// Where the middle between the eyes lies, as shares of width and height: a little above the middle, as in a passport's photo.
const MIDDLE: [f32; 2] = [0.5, 0.42];
/// Pixels of a cell of a crop, along and across: averaged, so that fine detail does not become coarse.
const CELL: usize = 3;

/// The face whose eyes have these centres, in pixels of the picture, the left one in the picture first; `None` where they are in one
/// place.
///
/// # Errors
/// When the face cannot be encoded.
pub fn aligned_face(picture: &Picture, eyes: [[f32; 2]; 2]) -> Result<Option<Picture>, PictureFault> {
    let middle = [MIDDLE[0] * SIZE[0], MIDDLE[1] * SIZE[1]];
    let Some(projection) = upright(eyes, SIZE, EYES, middle) else {
        return Ok(None);
    };
    Picture::from_raster(projection.cut_out(&picture.rgb, SIZE[0] as usize, SIZE[1] as usize)).map(Some)
}

/// The details of the face whose eyes have these centres; `None` where they are in one place.
pub(crate) fn crop(picture: &Raster, eyes: [[f32; 2]; 2]) -> Option<FaceCrop> {
    let (columns, rows) = (FaceCrop::COLUMNS, FaceCrop::ROWS);
    let pixels = |cells: usize| (cells * CELL) as f32;
    let middle = [pixels(columns) / 2.0, pixels(FaceCrop::EYE_ROW)];
    let size = [pixels(columns), pixels(rows)];
    let projection = upright(eyes, size, pixels(FaceCrop::EYES), middle)?;
    let luma = projection.cut_out(picture, columns * CELL, rows * CELL).luma();
    let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
    let cell = |(column, row): (usize, usize)| {
        let lines = (row * CELL..(row + 1) * CELL).map(|line| line * columns * CELL + column * CELL);
        let sum: u32 = lines
            .flat_map(|start| &luma[start..start + CELL])
            .map(|value| u32::from(*value))
            .sum();
        (sum as f32 / (CELL * CELL) as f32).round() as u8
    };
    FaceCrop::new(cells.map(cell).collect())
}

/// Where a rectangle of this size lies in the picture if the eyes are this far apart in it, with that middle.
fn upright([left, right]: [[f32; 2]; 2], size: [f32; 2], apart: f32, middle: [f32; 2]) -> Option<Projection> {
    let (dx, dy) = (right[0] - left[0], right[1] - left[1]);
    let between = midpoint(left, right);
    let place = |[x, y]: [f32; 2]| {
        let (u, v) = ((x - middle[0]) / apart, (y - middle[1]) / apart);
        [between[0] + u * dx - v * dy, between[1] + u * dy + v * dx]
    };
    let corners = rectangle([0.0, 0.0, size[0], size[1]]).map(place);
    Projection::of_rectangle(size[0], size[1], &corners)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grey picture with a red left and a blue right eye.
    fn with_eyes([left, right]: [[f32; 2]; 2]) -> Picture {
        let mut picture = Raster::filled(900, 700, [128; 3]);
        for (eye, colour) in [(left, [220, 0, 0]), (right, [0, 0, 220])] {
            picture.paste(
                &Raster::filled(21, 21, colour),
                eye[0] as usize - 10,
                eye[1] as usize - 10,
            );
        }
        Picture::from_raster(picture).unwrap()
    }

    #[test]
    fn eyes_come_to_the_same_places_however_large_and_tilted_the_face_is() {
        for eyes in [
            [[400.0, 300.0], [480.0, 300.0]],
            [[300.0, 250.0], [520.0, 330.0]],
            // Upside down.
            [[500.0, 400.0], [400.0, 400.0]],
        ] {
            let face = aligned_face(&with_eyes(eyes), eyes).unwrap().unwrap().rgb;
            assert_eq!((face.width(), face.height()), (480, 600));
            let [red, _, red_blue] = face.sample(165.0, 252.0);
            let [blue_red, _, blue] = face.sample(315.0, 252.0);
            assert!(
                red > 180.0 && red_blue < 60.0 && blue > 180.0 && blue_red < 60.0,
                "{eyes:?}"
            );
        }
    }

    #[test]
    fn the_details_of_a_face_are_the_same_however_large_and_tilted_it_is() {
        let crops = [[[400.0, 300.0], [480.0, 300.0]], [[300.0, 250.0], [520.0, 330.0]]].map(|[left, right]| {
            // Drawn with the eyes: a nose, a mouth and a mole, in the proportions of the face.
            let (dx, dy) = (right[0] - left[0], right[1] - left[1]);
            let place = |u: f32, v: f32| [left[0] + u * dx - v * dy, left[1] + u * dy + v * dx];
            let mut picture = Raster::filled(900, 900, [150; 3]);
            for (u, v, grey) in [
                (0.0, 0.0, 20),
                (1.0, 0.0, 40),
                (0.5, 0.7, 210),
                (0.3, 1.1, 60),
                (0.7, 1.1, 60),
                (1.1, 0.8, 10),
                (-0.2, 1.4, 90),
            ] {
                let [x, y] = place(u, v);
                let side = (dx.hypot(dy) * 0.22) as usize;
                let corner = |at: f32| (at - side as f32 / 2.0) as usize;
                picture.paste(&Raster::filled(side, side, [grey; 3]), corner(x), corner(y));
            }
            crop(&picture, [left, right]).unwrap()
        });
        let likeness = crops[0].likeness(&crops[1]);
        assert!(likeness > 0.7, "{likeness}");
        assert!(crop(&Raster::filled(90, 90, [9; 3]), [[40.0, 30.0]; 2]).is_none());
    }

    #[test]
    fn eyes_in_one_place_are_no_face() {
        let eyes = [[400.0, 300.0]; 2];
        assert!(aligned_face(&with_eyes(eyes), eyes).unwrap().is_none());
    }
}
