//! How much of a picture is without colour.

use crate::raster::Raster;

/// Channels that differ by less are grey to the eye.
const NEAR_GREY: u8 = 10;
/// The share does not change below this size.
const SIDE: usize = 512;

/// Share of near-grey pixels: a photocopy is 1.0, original documents 0.2 to 0.6; some documents are printed in grey.
pub(crate) fn grey_share(picture: &Raster) -> f32 {
    let small = picture.shrunk(SIDE);
    let spread = |p: &[u8]| p[0].max(p[1]).max(p[2]) - p[0].min(p[1]).min(p[2]);
    let grey = small.pixels().chunks_exact(3).filter(|p| spread(p) < NEAR_GREY).count();
    grey as f32 / (small.width() * small.height()) as f32
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
}
