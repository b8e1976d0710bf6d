//! How much of a picture is without colour.

use crate::raster::Raster;

/// Channels that differ by less are grey to the eye, on paper of this brightness. In poor light colours differ by as much less.
const NEAR_GREY: (f32, f32) = (10.0, 230.0);
/// In darker places than this, the noise of the camera differs from channel to channel.
const DARK: f32 = 80.0;
/// The share does not change below this size.
const SIDE: usize = 512;

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
    use super::*;

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
