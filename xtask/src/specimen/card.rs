//! Prints a document: guilloche, visual zone in English and Japanese, portrait, machine-readable zone.

use super::{
    ink::{Inks, Style, size_for_pitch},
    mrz,
    person::{Document, Format},
    picture::{Colour, Picture},
};
use ab_glyph::FontVec;
use rand::{Rng, RngExt, seq::IndexedRandom};
use std::f32::consts::TAU;

/// Pixels of the printed card to a millimetre; about 300 to an inch.
const PER_MM: f32 = 12.0;
/// Ten letters of OCR-B to an inch (Doc 9303 part 3).
const MRZ_PITCH_MM: f32 = 2.54;
const MRZ_LINE_MM: f32 = 4.24;
const MRZ_FOOT_MM: f32 = 4.5;
const INK: Colour = [28.0, 28.0, 44.0];
const LABEL: Colour = [70.0, 80.0, 120.0];
const PAPERS: [Colour; 3] = [[245.0, 235.0, 225.0], [225.0, 230.0, 242.0], [228.0, 241.0, 229.0]];
const TINTS: [Colour; 3] = [[0.1, 0.3, 1.0], [1.0, 0.8, 0.2], [0.3, 1.0, 0.5]];

/// Which face of a card a picture shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Side {
    /// Portrait and visual zone; on passports and larger cards the machine-readable zone too.
    Front,
    /// The machine-readable zone of a small card.
    Back,
}

impl Format {
    /// The sides worth a picture, and whether each holds the machine-readable zone.
    pub(crate) fn sides(self) -> &'static [(Side, bool)] {
        match self {
            Self::Td1 => &[(Side::Front, false), (Side::Back, true)],
            Self::Td2 | Self::Td3 => &[(Side::Front, true)],
        }
    }
}

/// A printed sheet and the pens it is written with.
struct Sheet<'a> {
    picture: Picture,
    inks: &'a Inks,
}

impl<'a> Sheet<'a> {
    fn write(&mut self, text: &str, x_mm: f32, y_mm: f32, height_mm: f32, font: &'a FontVec, colour: Colour) {
        let style = Style {
            font,
            size: height_mm * PER_MM,
            colour,
            pitch: None,
        };
        self.picture.write(text, x_mm * PER_MM, y_mm * PER_MM, style);
    }

    /// A label with its value below it.
    fn field(&mut self, label: &str, value: &str, x_mm: f32, y_mm: f32) {
        self.write(label, x_mm, y_mm, 2.5, &self.inks.plain, LABEL);
        self.write(value, x_mm, y_mm + 3.9, 4.3, &self.inks.plain, INK);
    }

    fn machine_zone(&mut self, lines: &[String], height_mm: f32) {
        let pitch = MRZ_PITCH_MM * PER_MM;
        let size = size_for_pitch(&self.inks.machine, pitch);
        let top = height_mm - lines.len() as f32 * MRZ_LINE_MM - MRZ_FOOT_MM;
        // A plain band below the letters, as real documents have it.
        let from = ((top - 2.0) * PER_MM) as usize;
        self.picture.change(|_, y, colour| {
            if y as usize >= from {
                super::picture::mix(colour, [246.0, 246.0, 242.0], 0.75)
            } else {
                colour
            }
        });
        for (index, line) in lines.iter().enumerate() {
            let left = (self.picture.width as f32 - line.len() as f32 * pitch) / 2.0;
            let baseline = (top + index as f32 * MRZ_LINE_MM + 3.2) * PER_MM;
            let style = Style {
                font: &self.inks.machine,
                size,
                colour: [20.0; 3],
                pitch: Some(pitch),
            };
            self.picture.write(line, left, baseline, style);
        }
    }
}

/// Prints one side of a document. The portrait is asked for in the size it is printed in.
pub(crate) fn print(
    document: &Document,
    side: Side,
    portrait: impl FnOnce(usize, usize) -> Picture,
    inks: &Inks,
    chance: &mut impl Rng,
) -> Picture {
    let (width, height) = document.format.millimetres();
    let paper = guilloche((width * PER_MM) as usize, (height * PER_MM) as usize, chance);
    let mut sheet = Sheet { picture: paper, inks };
    match (document.format, side) {
        (Format::Td3, _) => front(&mut sheet, document, portrait, (5.0, 17.0, 33.0), 43.0),
        (Format::Td2, _) => front(&mut sheet, document, portrait, (4.0, 15.0, 27.0), 35.0),
        (Format::Td1, Side::Front) => front(&mut sheet, document, portrait, (4.0, 13.5, 24.0), 32.0),
        (Format::Td1, Side::Back) => back(&mut sheet, document),
    }
    if document.format.sides().contains(&(side, true)) {
        sheet.machine_zone(&mrz::lines(document), height);
    }
    sheet.picture
}

fn front(
    sheet: &mut Sheet<'_>,
    document: &Document,
    portrait: impl FnOnce(usize, usize) -> Picture,
    (left, top, width): (f32, f32, f32),
    column: f32,
) {
    let passport = document.format == Format::Td3;
    let title = if passport {
        "UTOPIA ユートピア国   PASSPORT 旅券"
    } else {
        "UTOPIA ユートピア国   IDENTITY CARD 身分証明書"
    };
    let title_height = if passport { 6.0 } else { 4.6 };
    sheet.write(title, left, 8.0, title_height, &sheet.inks.bold, [40.0, 50.0, 110.0]);
    let photo = portrait((width * PER_MM) as usize, (width * PER_MM * 45.0 / 35.0) as usize);
    sheet
        .picture
        .paste(&photo, (left * PER_MM) as usize, (top * PER_MM) as usize);

    let step = if document.format == Format::Td1 { 7.6 } else { 9.0 };
    let sex = if document.sex == 'F' { "F" } else { "M" };
    let second = column + if passport { 38.0 } else { 28.0 };
    let mut y = top + 1.5;
    sheet.field("Surname / 姓", &document.surname.to_uppercase(), column, y);
    if passport {
        sheet.field("Passport No. / 旅券番号", &document.number, second, y);
    }
    y += step;
    sheet.field("Given names / 名", &document.given_names.to_uppercase(), column, y);
    y += step;
    sheet.field("Nationality / 国籍", &document.nationality, column, y);
    sheet.field("Sex / 性別", sex, second, y);
    y += step;
    sheet.field("Date of birth / 生年月日", &document.birth.printed(), column, y);
    if passport {
        sheet.field("Issuing country / 発行国", &document.issuer, second, y);
    } else {
        sheet.field("Document No. / 番号", &document.number, second, y);
    }
    y += step;
    sheet.field("Date of issue / 発行年月日", &document.issued.printed(), column, y);
    sheet.field("Date of expiry / 有効期間満了日", &document.expiry.printed(), second, y);
}

fn back(sheet: &mut Sheet<'_>, document: &Document) {
    sheet.field("Address / 住所", "7 HARBOUR STREET, AMAUROT", 5.0, 6.0);
    sheet.write(
        "ユートピア国 アマウロト市 港通り七番",
        5.0,
        14.0,
        3.6,
        &sheet.inks.plain,
        INK,
    );
    sheet.field("Document No. / 番号", &document.number, 5.0, 20.0);
    sheet.field("Authority / 発行機関", "MINISTRY OF THE INTERIOR", 45.0, 20.0);
}

/// Fine waves in several tints, two rosettes and hair lines: what a security printer would lay under the text.
fn guilloche(width: usize, height: usize, chance: &mut impl Rng) -> Picture {
    let paper = PAPERS.choose(chance).copied().unwrap_or(PAPERS[0]);
    let mut sheet = Picture::filled(width, height, paper);
    for layer in 0..4_u8 {
        let layer = f32::from(layer);
        let phase = chance.random_range(0.0..TAU);
        let tint = TINTS.choose(chance).copied().unwrap_or(TINTS[0]);
        sheet.change(|x, y, colour| {
            let wave = (x / (9.0 + 3.0 * layer) + 6.0 * (y / (60.0 + 10.0 * layer) + phase).sin()).sin() * 5.0;
            std::array::from_fn(|channel| colour[channel] - wave * tint[channel])
        });
    }
    for _ in 0..2 {
        let centre = (
            chance.random_range(0.35..0.95) * width as f32,
            chance.random_range(0.2..0.6) * height as f32,
        );
        let petals = chance.random_range(7..13_u8);
        let tint = TINTS.choose(chance).copied().unwrap_or(TINTS[0]);
        sheet.change(|x, y, colour| {
            let (dx, dy) = (x - centre.0, y - centre.1);
            let reach = dx.hypot(dy) / (height as f32 * 0.28);
            if reach > 1.0 {
                return colour;
            }
            let ring = (reach * 40.0 + (dy.atan2(dx) * f32::from(petals)).sin() * 4.0).sin() * 7.0 * (1.0 - reach);
            std::array::from_fn(|channel| colour[channel] - ring * tint[channel])
        });
    }
    sheet
}
