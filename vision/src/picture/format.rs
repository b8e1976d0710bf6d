//! The file format of an upload, and the number of pixels that its header declares, before anything is decoded.

use super::{PictureFault, fault, jpeg, size::Size, webp};
use image::codecs::{jpeg::JpegDecoder, png::PngDecoder, webp::WebPDecoder};
use image::{ImageDecoder, Limits};
use std::io::Cursor;

/// The most that a PNG's text and colour profile may take together, in bytes. A profile of a camera or screen has some kB.
const MAX_PNG_EXTRAS: u64 = 8 * 1024 * 1024;

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

    /// The size in the header. For a JPEG the markers are walked to its end, which also shows whether it has one. Of a WebP that is not too large anyway,
    /// what decoding it takes is read.
    pub(super) fn size(self, bytes: &[u8]) -> Result<Size, PictureFault> {
        match self {
            Self::Jpeg => jpeg::size(bytes),
            Self::Png | Self::WebP => {
                let (width, height) = self.decoder(bytes)?.dimensions();
                let size = Size {
                    width,
                    height,
                    scratch: 0,
                };
                if self == Self::Png || size.is_too_large() {
                    return Ok(size);
                }
                let scratch = webp::scratch(bytes, (width, height))?;
                Ok(Size { scratch, ..size })
            }
        }
    }

    /// A decoder that has read the header and no pixel yet, and found the size there that [`Self::size`] found.
    pub(super) fn decoder_of(self, bytes: &[u8], size: Size) -> Result<Box<dyn ImageDecoder + '_>, PictureFault> {
        let decoder = self.decoder(bytes)?;
        if decoder.dimensions() == (size.width, size.height) {
            Ok(decoder)
        } else {
            Err(PictureFault::Corrupt)
        }
    }

    fn decoder(self, bytes: &[u8]) -> Result<Box<dyn ImageDecoder + '_>, PictureFault> {
        let of = |error: image::ImageError| fault::of_decoder(&error);
        let input = Cursor::new(bytes);
        Ok(match self {
            Self::Jpeg => Box::new(JpegDecoder::new(input).map_err(of)?),
            Self::Png => {
                let mut limits = Limits::default();
                // Bounds what compressed text and colour profiles may unfold to. They are held beside the pixels, which have a limit of their own.
                limits.max_alloc = Some(MAX_PNG_EXTRAS);
                Box::new(PngDecoder::with_limits(input, limits).map_err(of)?)
            }
            Self::WebP => Box::new(WebPDecoder::new(input).map_err(of)?),
        })
    }
}
