//! Letters: the OCR-B of machine-readable zones and a face for Latin and Japanese.

use super::picture::{Colour, Picture};
use crate::Done;
use ab_glyph::{Font, FontVec, PxScale, ScaleFont, point};
use std::{fs, path::Path};

/// Debian's fonts-ocr-b.
const OCR_B: &str = "/usr/share/fonts/opentype/ocr-b/OCRB.otf";
/// Debian's fonts-noto-cjk; the first face of the collection is the Japanese one.
const NOTO: &str = "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc";
const NOTO_BOLD: &str = "/usr/share/fonts/opentype/noto/NotoSansCJK-Bold.ttc";

/// The faces a specimen is printed with.
pub(crate) struct Inks {
    pub(crate) machine: FontVec,
    pub(crate) plain: FontVec,
    pub(crate) bold: FontVec,
}

impl Inks {
    /// Reads the fonts where Debian's packages lay them.
    pub(crate) fn load() -> Done<Self> {
        Ok(Self {
            machine: font(OCR_B)?,
            plain: font(NOTO)?,
            bold: font(NOTO_BOLD)?,
        })
    }
}

fn font(path: &str) -> Done<FontVec> {
    let bytes =
        fs::read(Path::new(path)).map_err(|error| format!("{path}: {error}; `make setup` installs the fonts"))?;
    Ok(FontVec::try_from_vec_and_index(bytes, 0)?)
}

/// How to write a line.
#[derive(Clone, Copy)]
pub(crate) struct Style<'a> {
    pub(crate) font: &'a FontVec,
    /// Height of the face in pixels.
    pub(crate) size: f32,
    pub(crate) colour: Colour,
    /// Distance from one letter to the next where it is not the font's own.
    pub(crate) pitch: Option<f32>,
}

impl Picture {
    /// Writes one line with its left end and its base line at a place; answers its right end.
    pub(crate) fn write(&mut self, text: &str, x: f32, baseline: f32, style: Style<'_>) -> f32 {
        let scaled = style.font.as_scaled(PxScale::from(style.size));
        let mut at = x;
        let mut before = None;
        for letter in text.chars() {
            let id = style.font.glyph_id(letter);
            if let (Some(before), None) = (before, style.pitch) {
                at += scaled.kern(before, id);
            }
            let glyph = id.with_scale_and_position(PxScale::from(style.size), point(at, baseline));
            if let Some(outline) = style.font.outline_glyph(glyph) {
                let bounds = outline.px_bounds();
                let (left, top) = (bounds.min.x as i64, bounds.min.y as i64);
                outline
                    .draw(|dx, dy, share| self.blend(left + i64::from(dx), top + i64::from(dy), style.colour, share));
            }
            at += style.pitch.unwrap_or_else(|| scaled.h_advance(id));
            before = Some(id);
        }
        at
    }
}

/// The size at which a fixed-width face has this distance between letters.
pub(crate) fn size_for_pitch(font: &FontVec, pitch: f32) -> f32 {
    let at_hundred = font.as_scaled(PxScale::from(100.0)).h_advance(font.glyph_id('A'));
    100.0 * pitch / at_hundred
}
