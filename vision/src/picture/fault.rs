//! What can be wrong with an upload. Each fault has a name, so that the user can be told what to do.

use image::ImageError;
use image::error::LimitErrorKind;

/// Why an upload is not a usable picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PictureFault {
    /// More bytes than allowed.
    #[error("the file is larger than {} MB", super::MAX_BYTES / 1024 / 1024)]
    TooLarge,
    /// No JPEG, PNG or WebP.
    #[error("the file is not a JPEG, PNG or WebP picture")]
    NotAPicture,
    /// An iPhone's HEIC (or AVIF): a picture, but of a kind that is not read here.
    #[error("the file is a HEIC or AVIF picture; save it as JPEG")]
    Heic,
    /// The file ends too early.
    #[error("the picture's file is cut short")]
    Truncated,
    /// The file contradicts itself.
    #[error("the picture's file is damaged")]
    Corrupt,
    /// More pixels than allowed.
    #[error("the picture has too many pixels")]
    DimensionsTooLarge,
    /// Too few pixels to show anything.
    #[error("the picture has too few pixels")]
    TooSmall,
}

/// The decoder's complaint in our words.
pub(super) fn of_decoder(error: &ImageError) -> PictureFault {
    match error {
        ImageError::Limits(limit) if matches!(limit.kind(), LimitErrorKind::Unsupported { .. }) => {
            PictureFault::Corrupt
        }
        ImageError::Limits(_) => PictureFault::DimensionsTooLarge,
        ImageError::IoError(io) if io.kind() == std::io::ErrorKind::UnexpectedEof => PictureFault::Truncated,
        // The PNG and WebP decoders wrap "unexpected end of file" in a message of their own.
        other if other.to_string().to_lowercase().contains("unexpected end") => PictureFault::Truncated,
        _ => PictureFault::Corrupt,
    }
}
