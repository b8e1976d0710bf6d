//! A sheet of the worst pictures with the names of the items that were wrong, for a person to look at.

use crate::{Done, compare::Read, fields::Case};
use ab_glyph::{Font, FontVec, PxScale, ScaleFont, point};
use image::{Rgb, RgbImage, imageops::FilterType};
use std::{fs, path::Path};

/// Debian's fonts-vlgothic: Latin and Japanese in one face.
const FONT: &str = "/usr/share/fonts/truetype/vlgothic/VL-Gothic-Regular.ttf";
const COLUMNS: u32 = 4;
const ROWS: u32 = 6;
const CELL: (u32, u32) = (480, 460);
const PICTURE: u32 = 330;
const LINE: f32 = 15.0;

/// Draws the cases with the most wrong items, then those with the most left out.
pub(crate) fn draw(cases: &[Case<'_>], out: &Path) -> Done {
    let mut worst: Vec<&Case<'_>> = cases
        .iter()
        .filter(|case| case.count(Read::Right) < case.items.len())
        .collect();
    worst.sort_by_key(|case| std::cmp::Reverse((case.count(Read::Wrong), case.count(Read::LeftOut))));
    worst.truncate((COLUMNS * ROWS) as usize);
    let bytes = fs::read(FONT).map_err(|error| format!("{FONT}: {error}; `make setup` installs it"))?;
    let font = FontVec::try_from_vec(bytes)?;
    let rows = (worst.len() as u32).div_ceil(COLUMNS).max(1);
    let mut sheet = RgbImage::from_pixel(COLUMNS * CELL.0, rows * CELL.1, Rgb([255; 3]));
    for (index, case) in (0..).zip(&worst) {
        let (left, top) = (index % COLUMNS * CELL.0, index / COLUMNS * CELL.1);
        let picture = image::open(case.label.path())?
            .resize(CELL.0 - 8, PICTURE, FilterType::Triangle)
            .to_rgb8();
        image::imageops::replace(&mut sheet, &picture, i64::from(left) + 4, i64::from(top) + 4);
        let failed = case.items.iter().filter(|item| item.read != Read::Right);
        let words = failed.map(|item| {
            let [truth, given] = [&item.truth, &item.given].map(|text| text.as_deref().unwrap_or("-"));
            match item.read {
                Read::Wrong => (format!("{}: {given} ≠ {truth}", item.name), Rgb([190, 0, 0])),
                Read::Right | Read::LeftOut => (format!("{}: left out ({truth})", item.name), Rgb([90, 90, 90])),
            }
        });
        let heading = (case.label.file.clone(), Rgb([0, 0, 0]));
        for (line, (text, colour)) in (0_u16..).zip(std::iter::once(heading).chain(words)).take(7) {
            let baseline = (top + PICTURE) as f32 + 20.0 + f32::from(line) * (LINE + 2.0);
            write(
                &mut sheet,
                &font,
                &text,
                (left as f32 + 6.0, baseline),
                (left + CELL.0) as f32,
                colour,
            );
        }
    }
    Ok(sheet.save(out)?)
}

fn write(sheet: &mut RgbImage, font: &FontVec, text: &str, (mut x, baseline): (f32, f32), end: f32, colour: Rgb<u8>) {
    let scaled = font.as_scaled(PxScale::from(LINE));
    for letter in text.chars() {
        let id = font.glyph_id(letter);
        if x + scaled.h_advance(id) > end {
            return;
        }
        if let Some(outline) = font.outline_glyph(id.with_scale_and_position(PxScale::from(LINE), point(x, baseline))) {
            let bounds = outline.px_bounds();
            outline.draw(|dx, dy, share| {
                let (at_x, at_y) = (bounds.min.x as i64 + i64::from(dx), bounds.min.y as i64 + i64::from(dy));
                if let (Ok(at_x), Ok(at_y)) = (u32::try_from(at_x), u32::try_from(at_y))
                    && let Some(pixel) = sheet.get_pixel_mut_checked(at_x, at_y)
                {
                    for (channel, ink) in pixel.0.iter_mut().zip(colour.0) {
                        *channel = (f32::from(*channel) * (1.0 - share) + f32::from(ink) * share) as u8;
                    }
                }
            });
        }
        x += scaled.h_advance(id);
    }
}
