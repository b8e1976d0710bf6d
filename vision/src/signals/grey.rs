//! How much of a picture has no colour.

use super::rectified::Rectified;
use crate::raster::Raster;
use crate::statistics::median;

/// Channels that differ by less are grey to the eye, on paper of this brightness. In poor light colours differ by as much less.
const NEAR_GREY: (f32, f32) = (10.0, 230.0);
/// In darker places than this, the noise of the camera differs from channel to channel.
const DARK: f32 = 80.0;
/// The share does not change below this size.
const SIDE: usize = 512;

/// Cells that are darker say little about colour.
const LEGIBLE: f32 = 50.0;
/// The channels of a cell, each relative to the paper's, differ by more than this share of their mean where something coloured is printed.
const COLOURED: f32 = 0.08;
/// Share of coloured cells below which a document is without colour: none on 8 rendered copies in black and white, under lamps of any colour, and 0.011
/// and more on the 101 fronts and pages beside them.
const LEAST_COLOURED: f32 = 0.004;

/// Whether a document has no colour of its own. The light and the paper may have one, so a cell is compared with the paper, whatever lies around.
pub(crate) fn is_colourless(document: &Rectified) -> bool {
    let colours: Vec<[f32; 3]> = document.cells.iter().map(|cell| cell.colour).collect();
    let is_legible = |colour: &&[f32; 3]| colour.iter().sum::<f32>() / 3.0 > LEGIBLE;
    let legible = || colours.iter().filter(is_legible);
    let paper = [0, 1, 2].map(|channel| {
        median(legible().map(|colour| colour[channel]))
            .unwrap_or_default()
            .max(1.0)
    });
    let is_coloured = |colour: &&[f32; 3]| {
        let relative = [0, 1, 2].map(|channel| colour[channel] / paper[channel]);
        let most = relative.into_iter().fold(f32::MIN, f32::max);
        let least = relative.into_iter().fold(f32::MAX, f32::min);
        (most - least) * 3.0 > COLOURED * relative.iter().sum::<f32>()
    };
    let count = legible().count();
    count * 2 > colours.len() && (legible().filter(is_coloured).count() as f32) < LEAST_COLOURED * count as f32
}

/// Share of near-grey pixels: a photocopy is 1.0, original documents 0.2 to 0.6; some documents are printed in grey.
pub(crate) fn grey_share(picture: &Raster) -> f32 {
    let small = picture.shrunk(SIDE);
    let grey = small.pixels().chunks_exact(3).filter(|pixel| is_grey(pixel)).count();
    grey as f32 / (small.width() * small.height()) as f32
}

fn is_grey(pixel: &[u8]) -> bool {
    let (least, most) = pixel.iter().fold((u8::MAX, u8::MIN), |(least, most), value| {
        (least.min(*value), most.max(*value))
    });
    let luma = pixel.iter().map(|value| f32::from(*value)).sum::<f32>() / 3.0;
    let (near, bright) = NEAR_GREY;
    f32::from(most - least) < near * luma.max(DARK) / bright
}

#[cfg(test)]
mod tests {
    use super::super::rectified::tests::{CORNERS, card};
    use super::*;

    /// The pixels of a picture, each changed.
    fn changed(picture: &Raster, change: impl Fn([f32; 3]) -> [f32; 3]) -> Raster {
        let pixel = |pixel: &[u8]| {
            let [r, g, b] = [0, 1, 2].map(|channel| f32::from(pixel[channel]));
            change([r, g, b]).map(|value| value.clamp(0.0, 255.0) as u8)
        };
        let pixels = picture.pixels().chunks_exact(3).flat_map(pixel).collect();
        Raster::new(picture.width(), picture.height(), pixels).unwrap()
    }

    #[test]
    fn a_copy_in_black_and_white_is_colourless_under_a_warm_lamp_and_a_document_with_a_seal_is_not() {
        let is_colourless = |picture: &Raster| super::is_colourless(&Rectified::of(picture, &CORNERS).unwrap());
        let mut document = card();
        document.paste(&Raster::filled(60, 60, [190, 60, 60]), 700, 400);
        assert!(!is_colourless(&document));
        let copy = changed(&document, |[r, g, b]| [(r + g + b) / 3.0; 3]);
        let lit = changed(&copy, |[r, g, b]| [r, g * 0.93, b * 0.75]);
        assert!(is_colourless(&copy) && is_colourless(&lit));
    }

    #[test]
    fn half_a_coloured_picture_is_half_grey() {
        let mut picture = Raster::filled(400, 300, [120, 122, 119]);
        assert_eq!(grey_share(&picture), 1.0);
        picture.paste(&Raster::filled(200, 300, [200, 120, 90]), 0, 0);
        assert!((grey_share(&picture) - 0.5).abs() < 0.01);
    }

    #[test]
    fn pale_colours_in_poor_light_are_colours() {
        let paper =
            |light: f32| Raster::filled(400, 300, [215.0, 225.0, 230.0].map(|value: f32| (value * light) as u8));
        assert_eq!([1.0, 0.45].map(|light| grey_share(&paper(light))), [0.0, 0.0]);
        let copy = |light: f32| Raster::filled(400, 300, [225.0, 225.0, 228.0].map(|value: f32| (value * light) as u8));
        assert_eq!([1.0, 0.45, 0.1].map(|light| grey_share(&copy(light))), [1.0; 3]);
    }
}
