//! The fonts that documents are printed with, as installed by Debian's packages.

use super::picture::{Colour, Picture};
use crate::Done;
use ab_glyph::{Font, FontVec, GlyphId, PxScale, ScaleFont, point};
use rand::{Rng, seq::IndexedRandom};
use std::{fs, path::Path};

const FONTS: &str = "/usr/share/fonts";
/// Japanese fonts without serifs: fonts-noto-cjk, fonts-ipaexfont-gothic, fonts-vlgothic, fonts-motoya-l-cedar. The first font
/// of a collection is the Japanese one.
const GOTHIC: [&str; 5] = [
    "opentype/noto/NotoSansCJK-Regular.ttc",
    "opentype/ipaexfont-gothic/ipaexg.ttf",
    "truetype/vlgothic/VL-Gothic-Regular.ttf",
    "truetype/vlgothic/VL-PGothic-Regular.ttf",
    "truetype/motoya-l-cedar/MTLc3m.ttf",
];
/// Japanese fonts with serifs: fonts-noto-cjk, fonts-ipaexfont-mincho.
const MINCHO: [&str; 2] = [
    "opentype/noto/NotoSerifCJK-Regular.ttc",
    "opentype/ipaexfont-mincho/ipaexm.ttf",
];
const BOLD: [&str; 2] = [
    "opentype/noto/NotoSansCJK-Bold.ttc",
    "opentype/noto/NotoSerifCJK-Bold.ttc",
];
/// Latin fonts: fonts-liberation, fonts-dejavu-core, fonts-freefont-ttf.
const SANS: [&str; 4] = [
    "truetype/liberation/LiberationSans-Regular.ttf",
    "truetype/dejavu/DejaVuSans.ttf",
    "truetype/freefont/FreeSans.ttf",
    "truetype/liberation/LiberationSansNarrow-Regular.ttf",
];
const SANS_BOLD: [&str; 4] = [
    "truetype/liberation/LiberationSans-Bold.ttf",
    "truetype/dejavu/DejaVuSans-Bold.ttf",
    "truetype/freefont/FreeSansBold.ttf",
    "truetype/liberation/LiberationSansNarrow-Bold.ttf",
];
const OTHERS: [&str; 4] = [
    "truetype/liberation/LiberationMono-Regular.ttf",
    "truetype/liberation/LiberationSerif-Regular.ttf",
    "truetype/dejavu/DejaVuSansMono.ttf",
    "truetype/freefont/FreeSerif.ttf",
];
const MACHINE: &str = "opentype/ocr-b/OCRB.otf";

/// A font, and a fallback for the glyphs it lacks.
pub(crate) type Hand<'a> = [&'a FontVec; 2];

/// All fonts.
pub(crate) struct Types {
    gothic: Vec<FontVec>,
    mincho: Vec<FontVec>,
    bold: Vec<FontVec>,
    sans: Vec<FontVec>,
    sans_bold: Vec<FontVec>,
    others: Vec<FontVec>,
    /// OCR-B, as used on documents.
    pub(crate) machine: FontVec,
}

impl Types {
    /// Reads the fonts.
    pub(crate) fn load() -> Done<Self> {
        let all = |names: &[&str]| names.iter().copied().map(font).collect::<Done<Vec<_>>>();
        Ok(Self {
            gothic: all(&GOTHIC)?,
            mincho: all(&MINCHO)?,
            bold: all(&BOLD)?,
            sans: all(&SANS)?,
            sans_bold: all(&SANS_BOLD)?,
            others: all(&OTHERS)?,
            machine: font(MACHINE)?,
        })
    }

    /// A font for documents of Japanese issuers: one in four has serifs.
    pub(crate) fn japanese(&self, chance: &mut impl Rng) -> Hand<'_> {
        let from = if one_in(chance, 4) { &self.mincho } else { &self.gothic };
        [pick(from, chance), &self.gothic[0]]
    }

    /// A font for Japanese headings.
    pub(crate) fn japanese_bold(&self, chance: &mut impl Rng) -> Hand<'_> {
        [pick(&self.bold, chance), &self.gothic[0]]
    }

    /// A font for Latin letters: mostly without serifs, one in six is a typewriter's or has serifs.
    pub(crate) fn latin(&self, chance: &mut impl Rng) -> Hand<'_> {
        let from = if one_in(chance, 6) { &self.others } else { &self.sans };
        [pick(from, chance), &self.gothic[0]]
    }

    /// A bold font for Latin letters.
    pub(crate) fn latin_bold(&self, chance: &mut impl Rng) -> Hand<'_> {
        [pick(&self.sans_bold, chance), &self.bold[0]]
    }

    /// The font of the end-to-end scenes.
    pub(crate) fn plain(&self) -> Hand<'_> {
        [&self.gothic[0], &self.gothic[0]]
    }

    /// The bold font of the same.
    pub(crate) fn plain_bold(&self) -> Hand<'_> {
        [&self.bold[0], &self.bold[0]]
    }
}

fn one_in(chance: &mut impl Rng, count: u8) -> bool {
    rand::RngExt::random_range(chance, 0..count) == 0
}

fn pick<'a>(from: &'a [FontVec], chance: &mut impl Rng) -> &'a FontVec {
    from.choose(chance).unwrap_or(&from[0])
}

fn font(name: &str) -> Done<FontVec> {
    let path = Path::new(FONTS).join(name);
    let bytes =
        fs::read(&path).map_err(|error| format!("{}: {error}; `make setup` installs the fonts", path.display()))?;
    Ok(FontVec::try_from_vec_and_index(bytes, 0)?)
}

/// How to draw a line of text. Lengths are in pixels.
#[derive(Clone, Copy)]
pub(crate) struct Pen<'a> {
    pub(crate) hand: Hand<'a>,
    /// The em: the side of a kanji.
    pub(crate) em: f32,
    /// Horizontal scaling of the glyphs.
    pub(crate) squeeze: f32,
    /// Added after every letter, in ems.
    pub(crate) tracking: f32,
    pub(crate) colour: Colour,
    /// Opacity of the ink, 0 to 1.
    pub(crate) ink: f32,
    /// Advance of each letter, if not the font's own.
    pub(crate) pitch: Option<f32>,
}

impl Pen<'_> {
    fn scale(&self, font: &FontVec) -> PxScale {
        let scale = self.em * font.height_unscaled() / font.units_per_em().unwrap_or(1000.0);
        PxScale {
            x: scale * self.squeeze,
            y: scale,
        }
    }

    /// Glyphs with their fonts and positions; the last number is the total width.
    fn laid<'s>(&'s self, text: &str) -> (Vec<(&'s FontVec, GlyphId, f32)>, f32) {
        let mut at = 0.0;
        let mut laid = Vec::new();
        for letter in text.chars() {
            let font = if self.hand[0].glyph_id(letter).0 == 0 {
                self.hand[1]
            } else {
                self.hand[0]
            };
            let id = font.glyph_id(letter);
            laid.push((font, id, at));
            at += self
                .pitch
                .unwrap_or_else(|| font.as_scaled(self.scale(font)).h_advance(id) + self.tracking * self.em);
        }
        (laid, at)
    }

    /// Width of a line.
    pub(crate) fn width(&self, text: &str) -> f32 {
        self.laid(text).1
    }

    /// Draws one line with its left end and its baseline at a position; returns its right end.
    pub(crate) fn write(&self, on: &mut Picture, text: &str, x: f32, baseline: f32) -> f32 {
        let (laid, width) = self.laid(text);
        for (font, id, at) in laid {
            let glyph = id.with_scale_and_position(self.scale(font), point(x + at, baseline));
            let Some(outline) = font.outline_glyph(glyph) else {
                continue;
            };
            let bounds = outline.px_bounds();
            let (left, top) = (bounds.min.x as i64, bounds.min.y as i64);
            outline.draw(|dx, dy, share| {
                on.blend(left + i64::from(dx), top + i64::from(dy), self.colour, share * self.ink);
            });
        }
        x + width
    }
}

/// The em at which a monospaced font has this advance.
pub(crate) fn em_for_pitch(font: &FontVec, pitch: f32) -> f32 {
    let width = font.h_advance_unscaled(font.glyph_id('A')) / font.units_per_em().unwrap_or(1000.0);
    pitch / width
}
