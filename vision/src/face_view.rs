//! A face cut out of a picture, for people to compare with another: upright, its eyes always in the same place.

use crate::picture::{Picture, PictureFault};
use crate::projection::Projection;

/// Size of what is cut out, in pixels: width and height.
const SIZE: [f32; 2] = [480.0, 600.0];
/// Distance between the eyes in it: a head is about two and a half times as wide.
const EYES: f32 = 150.0;
/// Where the middle between the eyes lies, as shares of width and height: a little above the middle, as in a passport's photo.
const MIDDLE: [f32; 2] = [0.5, 0.42];

/// The face whose eyes have these centres, in pixels of the picture, the left one in the picture first; `None` where they are in one
/// place.
///
/// # Errors
/// When the face cannot be encoded.
pub fn aligned_face(picture: &Picture, [left, right]: [[f32; 2]; 2]) -> Result<Option<Picture>, PictureFault> {
    let (dx, dy) = (right[0] - left[0], right[1] - left[1]);
    let middle = [f32::midpoint(left[0], right[0]), f32::midpoint(left[1], right[1])];
    let place = |x: f32, y: f32| {
        let (u, v) = ((x - MIDDLE[0] * SIZE[0]) / EYES, (y - MIDDLE[1] * SIZE[1]) / EYES);
        [middle[0] + u * dx - v * dy, middle[1] + u * dy + v * dx]
    };
    let corners = [
        place(0.0, 0.0),
        place(SIZE[0], 0.0),
        place(SIZE[0], SIZE[1]),
        place(0.0, SIZE[1]),
    ];
    let Some(projection) = Projection::of_rectangle(SIZE[0], SIZE[1], &corners) else {
        return Ok(None);
    };
    Picture::from_raster(projection.cut_out(&picture.rgb, SIZE[0] as usize, SIZE[1] as usize)).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raster::Raster;

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
    fn eyes_in_one_place_are_no_face() {
        let eyes = [[400.0, 300.0]; 2];
        assert!(aligned_face(&with_eyes(eyes), eyes).unwrap().is_none());
    }
}
