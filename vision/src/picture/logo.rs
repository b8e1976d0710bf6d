//! Turns a company's logo into a small PNG, redrawn from its pixels, so that nothing else in the file is kept.

use super::{MAX_BYTES, MAX_DECODE_BYTES, PictureFault, fault, format::Format};
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::imageops::FilterType as Sampling;
use image::{DynamicImage, ExtendedColorType, ImageDecoder, ImageEncoder, Limits, RgbaImage};
use std::io::Cursor;

/// The most bytes of a logo as it is served: every capture page shows it, on mobile networks too.
pub const LOGO_BYTES: usize = 12 * 1024;
/// The largest logo on a page, in CSS pixels.
const LARGEST: (u32, u32) = (200, 48);
/// Pixels for each CSS pixel, so that it is sharp on a phone.
const DENSITY: u32 = 2;
/// Longest side of an upload.
const MAX_LOGO_SIDE: u32 = 6_000;
/// Shares of the full size that are tried, in per cent, until the file is small enough. At the last, the pixels alone are small
/// enough: 100 × 24 × 4 bytes.
const SHARES: [u32; 5] = [100, 75, 60, 40, 25];

/// A logo that is safe to serve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logo {
    /// At most [`LOGO_BYTES`].
    pub png: Vec<u8>,
    /// Width on the page, in CSS pixels.
    pub width: u32,
    /// Height on the page, in CSS pixels.
    pub height: u32,
}

/// Makes a logo from an upload. The format is recognised by its first bytes, as in [`normalise`](super::normalise).
///
/// # Errors
/// [`PictureFault`]: what is wrong with it.
pub fn logo(bytes: &[u8]) -> Result<Logo, PictureFault> {
    let full = premultiplied(decoded(bytes)?);
    let (width, height) = shown_size(full.width(), full.height());
    for share in SHARES {
        let scaled = |side: u32| (side * DENSITY * share / 100).max(1);
        let (wide, high) = (scaled(width), scaled(height));
        // Never enlarged: that adds bytes and no sharpness.
        let small = if wide < full.width() {
            image::imageops::resize(&full, wide, high, Sampling::Lanczos3)
        } else {
            full.clone()
        };
        let png = encoded(&straight(small))?;
        if png.len() <= LOGO_BYTES {
            return Ok(Logo { png, width, height });
        }
    }
    Err(PictureFault::TooLarge)
}

fn decoded(bytes: &[u8]) -> Result<RgbaImage, PictureFault> {
    if bytes.len() > MAX_BYTES {
        return Err(PictureFault::TooLarge);
    }
    let format = Format::detect(bytes)?;
    let size = format.size(bytes)?;
    // Four bytes a pixel, twice: as decoded, and as a copy.
    let held = u64::from(size.width) * u64::from(size.height) * 8 + size.scratch;
    if size.width.max(size.height) > MAX_LOGO_SIDE || held > MAX_DECODE_BYTES {
        return Err(PictureFault::DimensionsTooLarge);
    }
    if size.width.min(size.height) < 8 {
        return Err(PictureFault::TooSmall);
    }
    let mut decoder = format.decoder_of(bytes, size)?;
    let mut limits = Limits::default();
    limits.max_alloc = Some(MAX_DECODE_BYTES);
    decoder
        .set_limits(limits)
        .map_err(|_| PictureFault::DimensionsTooLarge)?;
    let decoded = DynamicImage::from_decoder(decoder).map_err(|error| fault::of_decoder(&error))?;
    Ok(decoded.into_rgba8())
}

/// The size on the page: within [`LARGEST`], in the same proportions.
fn shown_size(width: u32, height: u32) -> (u32, u32) {
    let (most_wide, most_high) = LARGEST;
    let by_height = u64::from(width) * u64::from(most_high) / u64::from(height.max(1));
    if by_height <= u64::from(most_wide) {
        return ((by_height as u32).max(1), most_high);
    }
    let by_width = u64::from(height) * u64::from(most_wide) / u64::from(width.max(1));
    (most_wide, (by_width as u32).max(1))
}

/// Colours weighted by their opacity, so that shrinking does not mix in what is invisible.
fn premultiplied(mut picture: RgbaImage) -> RgbaImage {
    for pixel in picture.pixels_mut() {
        let [red, green, blue, alpha] = pixel.0;
        let weigh = |colour: u8| ((u32::from(colour) * u32::from(alpha) + 127) / 255) as u8;
        pixel.0 = [weigh(red), weigh(green), weigh(blue), alpha];
    }
    picture
}

/// Undoes [`premultiplied`].
fn straight(mut picture: RgbaImage) -> RgbaImage {
    for pixel in picture.pixels_mut() {
        let [red, green, blue, alpha] = pixel.0;
        let weigh = |colour: u8| match u32::from(alpha) {
            0 => 0,
            alpha => ((u32::from(colour) * 255 + alpha / 2) / alpha).min(255) as u8,
        };
        pixel.0 = [weigh(red), weigh(green), weigh(blue), alpha];
    }
    picture
}

fn encoded(picture: &RgbaImage) -> Result<Vec<u8>, PictureFault> {
    let mut png = Cursor::new(Vec::new());
    let encoder = PngEncoder::new_with_quality(&mut png, CompressionType::Best, FilterType::Adaptive);
    let opaque = picture.pixels().all(|pixel| pixel.0[3] == 255);
    let (width, height) = picture.dimensions();
    let written = if opaque {
        let rgb = DynamicImage::ImageRgba8(picture.clone()).into_rgb8();
        encoder.write_image(&rgb, width, height, ExtendedColorType::Rgb8)
    } else {
        encoder.write_image(picture, width, height, ExtendedColorType::Rgba8)
    };
    written.map_err(|_| PictureFault::Corrupt)?;
    Ok(png.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgba;

    fn upload(width: u32, height: u32, pixel: impl Fn(u32, u32) -> [u8; 4]) -> Vec<u8> {
        encoded(&RgbaImage::from_fn(width, height, |x, y| Rgba(pixel(x, y)))).unwrap()
    }

    fn noise(x: u32, y: u32) -> [u8; 4] {
        let mixed = (x.wrapping_mul(2_654_435_761) ^ y.wrapping_mul(40_503)).wrapping_mul(2_246_822_519);
        let [red, green, blue, _] = (mixed ^ (mixed >> 13)).to_le_bytes();
        [red, green, blue, 255]
    }

    #[test]
    fn a_logo_keeps_its_proportions_and_fits_its_place() {
        for ((width, height), shown) in [
            ((800, 200), (192, 48)),
            ((2000, 100), (200, 10)),
            ((300, 300), (48, 48)),
            ((40, 20), (96, 48)),
        ] {
            let made = logo(&upload(width, height, |_, _| [200, 0, 0, 255])).unwrap();
            assert_eq!((made.width, made.height), shown, "{width} × {height}");
        }
    }

    #[test]
    fn even_noise_is_small_enough_to_serve() {
        let made = logo(&upload(1600, 400, noise)).unwrap();
        assert!(made.png.len() <= LOGO_BYTES, "{} bytes", made.png.len());
        assert_eq!((made.width, made.height), (192, 48));
    }

    #[test]
    fn transparent_edges_keep_their_colour() {
        // Red on black that is invisible: the edge must not darken.
        let made = logo(&upload(
            900,
            300,
            |x, _| if x < 451 { [255, 0, 0, 255] } else { [0, 0, 0, 0] },
        ))
        .unwrap();
        let read = image::load_from_memory(&made.png).unwrap().into_rgba8();
        let visible: Vec<_> = read.pixels().filter(|pixel| pixel.0[3] > 16).collect();
        assert!(visible.len() > 1_000 && visible.len() < read.pixels().len());
        assert!(
            visible.iter().all(|pixel| pixel.0[0] > 235 && pixel.0[1] < 20),
            "{made:?}"
        );
    }

    #[test]
    fn what_is_no_picture_is_refused() {
        let svg = br#"<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>"#;
        assert_eq!(logo(svg), Err(PictureFault::NotAPicture));
        assert_eq!(logo(&upload(200, 4, |_, _| [0; 4])), Err(PictureFault::TooSmall));
        let mut cut = upload(400, 100, noise);
        cut.truncate(cut.len() / 2);
        assert!(matches!(
            logo(&cut),
            Err(PictureFault::Truncated | PictureFault::Corrupt)
        ));
    }
}
