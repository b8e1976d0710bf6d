//! The card cut out of a picture and straightened, for people to look at.

use crate::geometry::{Corners, mean_sides};
use crate::picture::{Picture, PictureFault};
use crate::projection::Projection;
use domain::document::size;

/// Width over height of a card and of a passport's page.
const PROPORTIONS: [f32; 2] = [size::ID_1[0] / size::ID_1[1], size::TD3[0] / size::TD3[1]];
/// The longer side of what is cut out, in pixels: small print of a card can be read on it.
const SIDE: f32 = 1600.0;

/// What lies within `outline` (left top, right top, right bottom, left bottom as the card is read), straight and in the proportions of the
/// format it is nearest to; `None` where the corners make no quadrilateral.
///
/// # Errors
/// When the card cannot be encoded.
pub fn straightened(picture: &Picture, outline: &Corners) -> Result<Option<Picture>, PictureFault> {
    let [across, down] = mean_sides(outline);
    let (long, short) = (across.max(down), across.min(down).max(1.0));
    let off = |proportion: &f32| (proportion - long / short).abs();
    let proportion = PROPORTIONS
        .into_iter()
        .min_by(|a, b| off(a).total_cmp(&off(b)))
        .unwrap_or(PROPORTIONS[0]);
    let long = long.min(SIDE);
    let (width, height) = if across >= down {
        (long, long / proportion)
    } else {
        (long / proportion, long)
    };
    let (width, height) = (width.round().max(1.0), height.round().max(1.0));
    let Some(projection) = Projection::of_rectangle(width, height, outline) else {
        return Ok(None);
    };
    let card = projection.cut_out(&picture.rgb, width as usize, height as usize);
    Picture::from_raster(card).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raster::Raster;

    /// A blue card seen at a slant on white, its left top corner red.
    fn seen(corners: &Corners) -> Picture {
        let mut page = Raster::filled(800, 600, [240; 3]);
        let projection = Projection::of_rectangle(856.0, 540.0, corners).unwrap();
        for (y, x) in (0..540).flat_map(|y| (0..856).map(move |x| (y, x))) {
            let [at_x, at_y] = projection.place([x as f32, y as f32]);
            let colour = if x < 200 && y < 200 {
                [200, 30, 30]
            } else {
                [30, 60, 200]
            };
            page.paste(&Raster::filled(2, 2, colour), at_x as usize, at_y as usize);
        }
        Picture::from_raster(page).unwrap()
    }

    const SLANTED: Corners = [[120.0, 100.0], [640.0, 160.0], [600.0, 470.0], [90.0, 420.0]];

    fn is_near(colour: [f32; 3], wanted: [f32; 3]) -> bool {
        colour.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 30.0)
    }

    #[test]
    fn a_slanted_card_is_cut_out_whole_and_in_its_proportions() {
        let card = straightened(&seen(&SLANTED), &SLANTED).unwrap().unwrap().rgb;
        let proportion = card.width() as f32 / card.height() as f32;
        assert!((proportion - PROPORTIONS[0]).abs() < 0.01, "{proportion}");
        let (right, bottom) = (card.width() as f32 - 8.0, card.height() as f32 - 8.0);
        assert!(is_near(card.sample(8.0, 8.0), [200.0, 30.0, 30.0]));
        for place in [[right, 8.0], [right, bottom], [8.0, bottom]] {
            assert!(
                is_near(card.sample(place[0], place[1]), [30.0, 60.0, 200.0]),
                "{place:?}"
            );
        }
    }

    #[test]
    fn the_first_corner_becomes_the_left_top_one_however_the_card_lies() {
        let [a, b, c, d] = SLANTED;
        // Upside down: its left top corner is the picture's right bottom one.
        let turned = [c, d, a, b];
        let card = straightened(&seen(&turned), &turned).unwrap().unwrap().rgb;
        assert!(is_near(card.sample(8.0, 8.0), [200.0, 30.0, 30.0]));
        assert!(card.width() > card.height());
    }

    #[test]
    fn corners_in_one_place_cut_nothing_out() {
        assert!(straightened(&seen(&SLANTED), &[[5.0, 5.0]; 4]).unwrap().is_none());
    }
}
