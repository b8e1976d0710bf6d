//! The colours of the screen during a selfie, and how the face reflected them.

use crate::named::vocabulary;
use serde::{Deserialize, Serialize};

vocabulary! {
    /// A colour of the screen. They lie on four sides of white, so that each is a clear change from every other.
    Colour {
        /// Red and blue.
        Magenta = "magenta",
        /// Green.
        Green = "green",
        /// Blue.
        Blue = "blue",
        /// Red and green.
        Amber = "amber",
    }
}

impl Colour {
    /// The colour as `#rrggbb` in sRGB.
    #[must_use]
    pub const fn css(self) -> &'static str {
        match self {
            Self::Magenta => "#ff00ff",
            Self::Green => "#00ff40",
            Self::Blue => "#2060ff",
            Self::Amber => "#ffb000",
        }
    }

    /// The light of it: red, green and blue, linear, 0 to 1. [`Self::css`] without its transfer function (IEC 61966-2-1).
    #[must_use]
    pub const fn light(self) -> [f32; 3] {
        match self {
            Self::Magenta => [1.0, 0.0, 1.0],
            Self::Green => [0.0, 1.0, 0.051],
            Self::Blue => [0.014, 0.117, 1.0],
            Self::Amber => [1.0, 0.434, 0.0],
        }
    }
}

/// How much redder and bluer than green the face's skin is, against the background beside it: for each patch of skin the difference of
/// ln(R/G) and of ln(B/G), in ten-thousandths; `None` for a patch that is too dark or too bright. The camera's white balance and exposure
/// change both alike and are not in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tint(pub Vec<Option<[i16; 2]>>);

/// A frame that was taken while the screen had a colour.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flash {
    /// The colour, by the server's clock.
    pub colour: Colour,
    /// Which frame of the burst it is, from 0; `None` if it is not among them.
    pub frame: Option<u32>,
    /// What its small copy showed at that moment; `None` if that could not be measured.
    pub tint: Option<Tint>,
}
