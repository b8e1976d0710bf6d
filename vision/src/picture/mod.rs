//! Turns an upload into a picture: within limits, upright, without metadata, at a bounded size. Does not look at what it shows.

mod fault;
mod format;
mod jpeg;
mod logo;
mod size;
mod webp;

pub use fault::PictureFault;
pub use logo::{LOGO_BYTES, Logo, logo};

use crate::raster::Raster;
use domain::live::FRAME_SIDE;
use format::Format;
use image::metadata::Orientation;
use image::{ColorType, DynamicImage, ImageDecoder, Limits};
use jpeg_encoder::{Encoder, SamplingFactor};

/// The largest upload: a phone's 12-megapixel JPEG has 3 to 6 MB.
pub const MAX_BYTES: usize = 10 * 1024 * 1024;
/// The longest side of an upload.
pub(crate) const MAX_SIDE: u32 = 12_000;
/// What one decode may hold at once, pixels and scratch: with the picture that is kept, it stays below 100 MiB. 25 megapixels of
/// an ordinary JPEG fit, 12 of a progressive one.
pub(crate) const MAX_DECODE_BYTES: u64 = 72 * 1024 * 1024;
/// The shortest sides of a picture that can show a face: a frame of an old phone's camera, and the small copies while it is on.
const MIN_SIDES: (u32, u32) = (120, 200);
/// The shortest sides of a picture that can show a legible document. The letters of a machine-readable zone are 2.4 mm high (ICAO 9303-3), and
/// none of less than 10 pixels is read, which is 4.2 pixels a millimetre: a card of 85.6 by 54 mm has 360 by 225 of them. It fills at most three
/// quarters of a photo's length and height, because its corners must be seen. Whatever is smaller would be a try lost to an illegible photo.
const MIN_DOCUMENT_SIDES: (u32, u32) = (300, 480);
/// The longest side kept: a card that fills it has about 35 pixels a millimetre, twice what reading needs.
pub const KEPT_SIDE: usize = 3000;
/// Quality of the kept JPEG: the eye sees no loss, and the file has a third of the size of quality 97.
const JPEG_QUALITY: u8 = 90;
/// Quality of a copy for a screen, whose colours have half the resolution: print stays sharp, and the file has a third of the size.
const SCREEN_QUALITY: u8 = 75;

/// A picture that is safe to keep and to look at.
#[derive(Clone)]
pub struct Picture {
    /// Upright pixels, at most [`KEPT_SIDE`] long.
    pub rgb: Raster,
    /// The same pixels as a JPEG without metadata: what is stored and shown.
    pub jpeg: Vec<u8>,
}

impl std::fmt::Debug for Picture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Picture({:?}, {} bytes)", self.rgb, self.jpeg.len())
    }
}

impl Picture {
    /// A smaller JPEG of it, at most `longest` pixels long: to look at, not to read.
    ///
    /// # Errors
    /// [`PictureFault::Corrupt`] if it cannot be encoded.
    pub fn reduced(&self, longest: usize) -> Result<Vec<u8>, PictureFault> {
        encode_as(&self.rgb.shrunk(longest), SCREEN_QUALITY, SamplingFactor::F_2_2)
    }

    /// Opens a JPEG that was made of what [`normalise`] accepted, without encoding it again. It may have become smaller than an upload may be.
    ///
    /// # Errors
    /// [`PictureFault`] if it cannot be decoded.
    pub fn reopen(jpeg: Vec<u8>) -> Result<Self, PictureFault> {
        let rgb = decode(&jpeg, (1, 1))?;
        Ok(Self { rgb, jpeg })
    }

    /// A picture made of pixels that are in memory already.
    ///
    /// # Errors
    /// [`PictureFault::Corrupt`] if it cannot be encoded.
    pub fn from_raster(rgb: Raster) -> Result<Self, PictureFault> {
        let jpeg = encode(&rgb)?;
        Ok(Self { rgb, jpeg })
    }
}

/// Turns an upload into a picture. The format is recognised by its first bytes alone, never by a name or a media type.
///
/// # Errors
/// [`PictureFault`]: what is wrong with it.
pub fn normalise(bytes: &[u8]) -> Result<Picture, PictureFault> {
    normalise_of(bytes, MIN_SIDES)
}

/// The same for a picture of a document, which needs more pixels than a face.
///
/// # Errors
/// As [`normalise`].
pub fn normalise_document(bytes: &[u8]) -> Result<Picture, PictureFault> {
    normalise_of(bytes, MIN_DOCUMENT_SIDES)
}

/// The same for a frame of the page's camera, or a copy of one. Many of them come, and a file of few bytes can have many pixels: what is larger than
/// the camera makes it is not decoded.
///
/// # Errors
/// As [`normalise`].
pub fn normalise_frame(bytes: &[u8]) -> Result<Picture, PictureFault> {
    let size = Format::detect(bytes)?.size(bytes)?;
    if size.width.max(size.height) as usize > FRAME_SIDE {
        return Err(PictureFault::DimensionsTooLarge);
    }
    normalise(bytes)
}

fn normalise_of(bytes: &[u8], least: (u32, u32)) -> Result<Picture, PictureFault> {
    Picture::from_raster(decode(bytes, least)?)
}

/// The pixels of a picture whose shorter and longer side are not below `least`.
fn decode(bytes: &[u8], least: (u32, u32)) -> Result<Raster, PictureFault> {
    if bytes.len() > MAX_BYTES {
        return Err(PictureFault::TooLarge);
    }
    let format = Format::detect(bytes)?;
    let size = format.size(bytes)?;
    size.check(least)?;
    let mut decoder = format.decoder_of(bytes, size)?;
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    limits.max_alloc = Some(MAX_DECODE_BYTES);
    decoder
        .set_limits(limits)
        .map_err(|_| PictureFault::DimensionsTooLarge)?;
    // Grey, transparent or deep pixels are copied into plain ones.
    let plain = u64::from(size.width) * u64::from(size.height) * 3;
    let copy = if decoder.color_type() == ColorType::Rgb8 {
        0
    } else {
        plain
    };
    if decoder.total_bytes() + size.scratch + copy > MAX_DECODE_BYTES {
        return Err(PictureFault::DimensionsTooLarge);
    }
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let decoded = DynamicImage::from_decoder(decoder).map_err(|error| fault::of_decoder(&error))?;
    let rgb = decoded.into_rgb8();
    let (width, height) = (rgb.width() as usize, rgb.height() as usize);
    let raster = Raster::new(width, height, rgb.into_raw()).ok_or(PictureFault::Corrupt)?;
    let kept = within_kept_side(raster);
    // Such as a strip: too little of it is kept.
    if kept.width().min(kept.height()) < least.0 as usize {
        return Err(PictureFault::TooSmall);
    }
    Ok(upright(kept, orientation))
}

/// The picture at the size that is kept. The larger one is gone before anything else is made of the smaller one: of a phone's 12 megapixels, it is
/// 36 MB.
fn within_kept_side(raster: Raster) -> Raster {
    if raster.longest() <= KEPT_SIDE {
        return raster;
    }
    raster.shrunk(KEPT_SIDE).into_owned()
}

/// Undoes what the camera's EXIF says about how it was held.
fn upright(raster: Raster, orientation: Orientation) -> Raster {
    match orientation {
        Orientation::NoTransforms => raster,
        Orientation::Rotate90 => raster.turned(1),
        Orientation::Rotate180 => raster.turned(2),
        Orientation::Rotate270 => raster.turned(3),
        Orientation::FlipHorizontal => raster.mirrored(),
        Orientation::FlipVertical => raster.turned(2).mirrored(),
        Orientation::Rotate90FlipH => raster.turned(1).mirrored(),
        Orientation::Rotate270FlipH => raster.turned(3).mirrored(),
    }
}

/// Colour is kept at full resolution.
fn encode(raster: &Raster) -> Result<Vec<u8>, PictureFault> {
    encode_as(raster, JPEG_QUALITY, SamplingFactor::F_1_1)
}

/// With AVX2, `jpeg-encoder` takes half the time that the encoder of `image` takes.
fn encode_as(raster: &Raster, quality: u8, colours: SamplingFactor) -> Result<Vec<u8>, PictureFault> {
    let (width, height) = (u16::try_from(raster.width()), u16::try_from(raster.height()));
    let (Ok(width), Ok(height)) = (width, height) else {
        return Err(PictureFault::DimensionsTooLarge);
    };
    let mut jpeg = Vec::new();
    let mut encoder = Encoder::new(&mut jpeg, quality);
    encoder.set_sampling_factor(colours);
    encoder
        .encode(raster.pixels(), width, height, jpeg_encoder::ColorType::Rgb)
        .map_err(|_| PictureFault::Corrupt)?;
    Ok(jpeg)
}

#[cfg(test)]
mod tests;
