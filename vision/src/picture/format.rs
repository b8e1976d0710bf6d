//! Which kind of file an upload is, and how many pixels its header promises, before anything is decoded.

use super::{PictureFault, fault, jpeg, size::Size};
use image::codecs::{jpeg::JpegDecoder, png::PngDecoder, webp::WebPDecoder};
use image::{ImageDecoder, Limits};
use std::io::Cursor;

/// The kinds that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Jpeg,
    Png,
    WebP,
}

/// Brands of the ISO base media files that hold HEVC or AV1 stills.
const STILL_BRANDS: [&[u8; 4]; 9] = [
    b"heic", b"heix", b"hevc", b"hevx", b"heim", b"heis", b"mif1", b"msf1", b"avif",
];

impl Format {
    /// The kind by the file's first bytes.
    pub(super) fn detect(bytes: &[u8]) -> Result<Self, PictureFault> {
        if bytes.starts_with(&[0xFF, 0xD8, 0xFF]) {
            return Ok(Self::Jpeg);
        }
        if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
            return Ok(Self::Png);
        }
        if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
            return Ok(Self::WebP);
        }
        let brand = bytes.get(8..12).unwrap_or_default();
        if bytes.get(4..8) == Some(b"ftyp") && STILL_BRANDS.iter().any(|known| &known[..] == brand) {
            return Err(PictureFault::Heic);
        }
        Err(PictureFault::NotAPicture)
    }

    /// The size in the header. For a JPEG the markers are walked to its end, which also shows whether it has one.
    pub(super) fn size(self, bytes: &[u8]) -> Result<Size, PictureFault> {
        match self {
            Self::Jpeg => jpeg::size(bytes),
            Self::Png | Self::WebP => {
                let (width, height) = self.decoder(bytes)?.dimensions();
                // WebP keeps a second copy of the frame beside its result: YUV where it is lossy, ARGB where it is not.
                let each = match (self, bytes.get(12..16)) {
                    (Self::WebP, Some(b"VP8 ")) => 2,
                    (Self::WebP, _) => 4,
                    (Self::Jpeg | Self::Png, _) => 0,
                };
                let scratch = u64::from(width) * u64::from(height) * each;
                Ok(Size { width, height, scratch })
            }
        }
    }

    /// A decoder that has read the header and no pixel yet.
    pub(super) fn decoder(self, bytes: &[u8]) -> Result<Box<dyn ImageDecoder + '_>, PictureFault> {
        let of = |error: image::ImageError| fault::of_decoder(&error);
        let input = Cursor::new(bytes);
        Ok(match self {
            Self::Jpeg => Box::new(JpegDecoder::new(input).map_err(of)?),
            Self::Png => {
                let mut limits = Limits::default();
                // Bounds what compressed text and colour profiles may unfold to.
                limits.max_alloc = Some(super::MAX_DECODE_BYTES);
                Box::new(PngDecoder::with_limits(input, limits).map_err(of)?)
            }
            Self::WebP => Box::new(WebPDecoder::new(input).map_err(of)?),
        })
    }
}
