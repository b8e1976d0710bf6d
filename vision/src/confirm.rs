//! Items that were not read surely are read again, a little larger and a little smaller: what two readings agree on is kept.

use crate::layout::Item;
use crate::look::{Eye, Look};
use crate::model::ModelError;
use crate::text::{Area, Line};
use crate::zone::fold;
use domain::document::{FieldName, OcrField, Side};
use domain::findings::FieldPlace;

/// An item of which every letter is at least this sure is not read again.
const SURE: f32 = 0.985;
/// An item of which a letter is less sure than this is left out, whatever the readings say.
const HOPELESS: f32 = 0.3;
/// An item is given when its readings together leave less doubt than this.
const ACCEPTED: f32 = 0.9;
/// Heights of the strips that are read again, as shares of the line's.
const AGAIN: [f32; 2] = [0.88, 1.14];

/// The items of a known layout that are sure enough to be given.
pub(crate) fn items(eye: &Eye<'_>, look: &Look<'_, '_>) -> Result<Vec<Item>, ModelError> {
    let Some(known) = &look.known else {
        return Ok(Vec::new());
    };
    let unsure = |item: &&Item| item.confidence < SURE;
    let mut lines: Vec<usize> = known
        .items
        .iter()
        .filter(unsure)
        .flat_map(|item| item.glyphs.iter().map(|glyph| glyph.line))
        .collect();
    lines.sort_unstable();
    lines.dedup();
    let mut readings = Vec::new();
    for height in AGAIN.iter().take(if lines.is_empty() { 0 } else { AGAIN.len() }) {
        let again = again(eye, look, &lines, *height)?;
        let read = eye.layouts.read(&again, eye.today);
        readings.push(read.map_or_else(Vec::new, |known| known.items));
    }
    let judge = |item: &Item| {
        if item.confidence >= SURE {
            return Some(item.clone());
        }
        let others: Vec<&Item> = readings
            .iter()
            .flatten()
            .filter(|other| other.name == item.name)
            .collect();
        agreed(item, &others)
    };
    Ok(known.items.iter().filter_map(judge).collect())
}

/// The page with some of its lines read again.
fn again(eye: &Eye<'_>, look: &Look<'_, '_>, lines: &[usize], height: f32) -> Result<Vec<Line>, ModelError> {
    let mut page = look.page.lines.clone();
    for &index in lines {
        if let Some(line) = page.get_mut(index) {
            let area = Area {
                half_height: line.area.half_height * height,
                half_width: line.area.half_width + line.area.half_height * (height - 1.0),
                ..line.area
            };
            *line = eye.reader.line(&look.page.picture, area)?;
            line.area = Area {
                half_height: area.half_height / height,
                ..area
            };
        }
    }
    Ok(page)
}

/// What most readings say; `None` where no two agree.
fn agreed(first: &Item, others: &[&Item]) -> Option<Item> {
    let all: Vec<&Item> = std::iter::once(first).chain(others.iter().copied()).collect();
    let same = |a: &Item, b: &Item| {
        a.parsed.normalized == b.parsed.normalized && fold::bare(&a.parsed.text) == fold::bare(&b.parsed.text)
    };
    let votes = |item: &Item| all.iter().filter(|other| same(item, other)).count();
    let best = all.iter().copied().max_by(|a, b| {
        let key = |item: &Item| (votes(item), item.confidence);
        key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal)
    })?;
    // Each reading that agrees leaves less room for the error of all.
    let agreeing: Vec<f32> = all
        .iter()
        .filter(|other| same(best, other))
        .map(|other| other.confidence)
        .collect();
    let doubt: f32 = agreeing.iter().map(|confidence| 1.0 - confidence).product();
    let least = agreeing.iter().copied().fold(1.0, f32::min);
    (agreeing.len() >= 2 && least >= HOPELESS && 1.0 - doubt >= ACCEPTED).then(|| Item {
        confidence: 1.0 - doubt,
        ..best.clone()
    })
}

impl Item {
    /// The item in the words of the findings; `None` where only rules need it.
    pub(crate) fn field(&self, side: Side) -> Option<OcrField> {
        Some(OcrField {
            side,
            name: FieldName::parse(&self.name)?,
            text: Some(self.parsed.text.clone()),
            normalized: self.parsed.normalized.clone(),
        })
    }

    /// Where it stands in the picture.
    pub(crate) fn place(&self, look: &Look<'_, '_>) -> Option<FieldPlace> {
        let name = FieldName::parse(&self.name)?;
        let known = look.known.as_ref()?;
        let bound = |value: fn(&crate::layout::Glyph) -> f32, pick: fn(f32, f32) -> f32| {
            self.glyphs.iter().map(value).reduce(pick)
        };
        let (left, right) = (
            bound(|g| g.x - g.height * 0.4, f32::min)?,
            bound(|g| g.x + g.height * 0.4, f32::max)?,
        );
        let (top, bottom) = (
            bound(|g| g.y - g.height / 2.0, f32::min)?,
            bound(|g| g.y + g.height / 2.0, f32::max)?,
        );
        let corners = [[left, top], [right, top], [right, bottom], [left, bottom]];
        Some(FieldPlace {
            name,
            confidence: self.confidence,
            corners: corners.map(|corner| look.place(known.upright(corner))),
        })
    }
}
