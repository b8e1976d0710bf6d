//! Files that are refused. What is wrong with an accepted picture is in `domain::reasons`.

use super::{Text, texts};

texts! {
    /// No file was sent.
    FILE_MISSING: "Choose a photo", "写真を選んでください";
    /// A file without content.
    FILE_EMPTY: "The file is empty. Choose another photo, or take a new one", "ファイルの中身がありません。別の写真を選ぶか、撮り直してください";
    /// The file is larger than the limit.
    FILE_TOO_LARGE: "The photo must be smaller than 10 MB. Set the camera to 12 megapixels and take it again", "写真は10MB以下にしてください。カメラの解像度を約1200万画素に下げて撮り直してください";
    /// More pixels than the limit.
    FILE_TOO_MANY_PIXELS: "The photo’s resolution is too high. Set the camera to 12 megapixels and take it again", "写真の画素数が多すぎます。カメラの解像度を約1200万画素に下げて撮り直してください";
    /// Fewer pixels than needed.
    FILE_TOO_SMALL: "The photo is too small to read. Send the original photo, not a preview", "写真が小さすぎて読み取れません。縮小していない写真を送ってください";
    /// HEIC and the like.
    FILE_HEIC: "This phone sent a HEIC photo, which cannot be read. Set the camera to “Most compatible” (JPEG) and take it again", "HEIC形式の写真は読み取れません。カメラの設定を「互換性優先」（JPEG）にして撮り直してください";
    /// Not a picture at all.
    FILE_NOT_A_PICTURE: "The file is not a JPEG, PNG or WebP photo", "JPEG・PNG・WebPの写真ではありません";
    /// Truncated, or cannot be decoded.
    FILE_DAMAGED: "The photo is damaged or was not transferred completely. Send it again", "写真が壊れているか、途中で切れています。もう一度送信してください";
    /// A selfie that answers what is no longer asked.
    SELFIE_RUN_OVER: "This selfie arrived too late, or the camera was opened in another window. Take it again", "受付時間を過ぎたか、別の画面でカメラが開かれたため、この写真は使えません。もう一度撮影してください";
}

/// Why a file is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileFault {
    /// No file was sent.
    Missing,
    /// Without content.
    Empty,
    /// Larger than the limit.
    TooLarge,
    /// More pixels than the limit.
    TooManyPixels,
    /// Fewer pixels than needed.
    TooSmall,
    /// HEIC, HEIF or AVIF.
    Heic,
    /// No picture format that is supported.
    NotAPicture,
    /// Cannot be decoded completely.
    Damaged,
    /// A selfie that answers what is no longer asked.
    RunOver,
}

impl FileFault {
    /// Every fault.
    pub const ALL: &'static [Self] = &[
        Self::Missing,
        Self::Empty,
        Self::TooLarge,
        Self::TooManyPixels,
        Self::TooSmall,
        Self::Heic,
        Self::NotAPicture,
        Self::Damaged,
        Self::RunOver,
    ];

    /// The code in the JSON response.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "file_missing",
            Self::Empty => "file_empty",
            Self::TooLarge => "file_too_large",
            Self::TooManyPixels => "file_too_many_pixels",
            Self::TooSmall => "file_too_small",
            Self::Heic => "file_heic",
            Self::NotAPicture => "file_not_a_picture",
            Self::Damaged => "file_damaged",
            Self::RunOver => "selfie_run_over",
        }
    }

    /// What to tell the user.
    #[must_use]
    pub const fn text(self) -> Text {
        match self {
            Self::Missing => FILE_MISSING,
            Self::Empty => FILE_EMPTY,
            Self::TooLarge => FILE_TOO_LARGE,
            Self::TooManyPixels => FILE_TOO_MANY_PIXELS,
            Self::TooSmall => FILE_TOO_SMALL,
            Self::Heic => FILE_HEIC,
            Self::NotAPicture => FILE_NOT_A_PICTURE,
            Self::Damaged => FILE_DAMAGED,
            Self::RunOver => SELFIE_RUN_OVER,
        }
    }
}

/// Whether the fault with this code is that the page asks for what is no longer asked: there, another file would fare no better.
#[must_use]
pub fn is_of_an_old_page(code: &str) -> bool {
    code == FileFault::RunOver.as_str()
}
