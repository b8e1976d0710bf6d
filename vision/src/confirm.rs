//! Items that were read without certainty are read again, slightly enlarged and slightly reduced: what two readings agree on is kept.

use crate::fold;
use crate::geometry::rectangle;
use crate::layout::{self, Item, PrintedDate};
use crate::model::ModelError;
use crate::observation::{DocumentReader, Observation};
use crate::text::{Area, Line, Spacing};
use domain::document::{FieldName, OcrField, Side};
use domain::findings::FieldRegion;

/// An item of which every letter is at least this sure is not read again.
pub(crate) const SURE: f32 = 0.985;
/// An item of which a letter is less sure than this is left out, whatever the readings say.
const HOPELESS: f32 = 0.3;
/// An item is given when its readings together leave less doubt than this.
const ACCEPTED: f32 = 0.9;
/// Heights of the strips that are read again, as shares of the line's.
const AGAIN: [f32; 2] = [0.88, 1.14];

/// The items of a known layout that are sure enough to be given.
pub(crate) fn items(reader: &DocumentReader<'_>, seen: &Observation<'_, '_>) -> Result<Vec<Item>, ModelError> {
    let Some(known) = &seen.known else {
        return Ok(Vec::new());
    };
    let sure = |item: &Item| (item.confidence >= SURE).then(|| item.clone());
    let mut given: Vec<Option<Item>> = known.items.iter().map(sure).collect();
    let mut readings: Vec<Item> = Vec::new();
    for height in AGAIN {
        let lines = lines_of(known.items.iter().zip(&given).filter(|(_, given)| given.is_none()));
        if lines.is_empty() {
            break;
        }
        let page = again(reader, seen, &lines, height)?;
        let read = reader.layouts.read(&page, reader.today);
        readings.extend(read.into_iter().flat_map(|known| known.items));
        // What two readings agree on stays as it is, whatever a third one would say.
        for (item, given) in known.items.iter().zip(&mut given).filter(|(_, given)| given.is_none()) {
            let others: Vec<&Item> = readings.iter().filter(|other| other.name == item.name).collect();
            *given = agreed(item, &others);
        }
    }
    Ok(given.into_iter().flatten().collect())
}

/// Whether a printed date is what it was read as: where a digit is not sure, another reading must agree.
pub(crate) fn is_date(
    reader: &DocumentReader<'_>,
    seen: &Observation<'_, '_>,
    date: &PrintedDate,
) -> Result<bool, ModelError> {
    if date.confidence >= SURE {
        return Ok(true);
    }
    for height in AGAIN {
        let page = again(reader, seen, &[date.line], height)?;
        let readings = layout::printed_dates(&page, reader.today);
        let same = |other: &&PrintedDate| other.line == date.line && other.normalized == date.normalized;
        if let Some(reading) = readings.iter().find(same) {
            let doubt = (1.0 - date.confidence) * (1.0 - reading.confidence);
            return Ok(date.confidence.min(reading.confidence) >= HOPELESS && 1.0 - doubt >= ACCEPTED);
        }
    }
    Ok(false)
}

/// The lines that some items stand in, each once.
fn lines_of<'a>(items: impl Iterator<Item = (&'a Item, &'a Option<Item>)>) -> Vec<usize> {
    let mut lines: Vec<usize> = items
        .flat_map(|(item, _)| item.glyphs.iter().map(|glyph| glyph.line))
        .collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

/// The page with some of its lines read again.
fn again(
    reader: &DocumentReader<'_>,
    seen: &Observation<'_, '_>,
    lines: &[usize],
    height: f32,
) -> Result<Vec<Line>, ModelError> {
    let mut page = seen.page.lines.clone();
    for &index in lines {
        if let Some(line) = page.get_mut(index) {
            let area = Area {
                half_height: line.area.half_height * height,
                half_width: line.area.half_width + line.area.half_height * (height - 1.0),
                ..line.area
            };
            *line = reader.text.line(&seen.page.picture, area, Spacing::AsPrinted)?;
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
    pub(crate) fn region(&self, seen: &Observation<'_, '_>) -> Option<FieldRegion> {
        let name = FieldName::parse(&self.name)?;
        let known = seen.known.as_ref()?;
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
        let corners = rectangle([left, top, right, bottom]);
        Some(FieldRegion {
            name,
            confidence: self.confidence,
            corners: corners.map(|corner| seen.place(known.upright(corner))),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Layouts;
    use crate::layout::tests::{LICENCE, TODAY, page};
    use crate::model::{Model, Tensor};
    use crate::raster::Raster;
    use crate::text::{Alphabet, MRZ_SYMBOLS, Reader};
    use domain::document::DocumentType;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    const NAME: &str = "日本花子";

    /// Reads one text, whatever it is shown, as often as it is asked; and after that nothing.
    struct Scribe {
        text: &'static str,
        alphabet: Vec<String>,
        legible: usize,
        asked: Arc<AtomicUsize>,
    }

    impl Model for Scribe {
        fn name(&self) -> &str {
            "scribe"
        }
        fn run(&self, _: Tensor) -> Result<Vec<Tensor>, ModelError> {
            let legible = self.asked.fetch_add(1, Ordering::Relaxed) < self.legible;
            let symbols = self.alphabet.len() + 2;
            let letters = self
                .text
                .chars()
                .map(|letter| self.alphabet.iter().position(|known| *known == letter.to_string()));
            let mut data = Vec::new();
            for letter in letters {
                for state in [letter.filter(|_| legible).map_or(0, |index| index + 1), 0] {
                    let mut step = vec![0.0; symbols];
                    step[state] = 0.95;
                    data.extend(step);
                }
            }
            Ok(vec![Tensor {
                shape: vec![1, data.len() / symbols, symbols],
                data,
            }])
        }
    }

    fn reader(text: &'static str, legible: usize, asked: &Arc<AtomicUsize>) -> Reader {
        let mrz = MRZ_SYMBOLS.iter().map(|symbol| char::from(*symbol));
        let others = text.chars().filter(|letter| !letter.is_ascii_alphanumeric());
        let alphabet: Vec<String> = mrz.chain(others).map(String::from).collect();
        let scribe = || Scribe {
            text,
            alphabet: alphabet.clone(),
            legible,
            asked: asked.clone(),
        };
        Reader {
            detector: Box::new(scribe()),
            recogniser: Box::new(scribe()),
            alphabet: Alphabet::parse(&alphabet.join("\n")).unwrap(),
        }
    }

    /// How often the line of a doubtful name is read again, where so many readings confirm it, and whether the name is given.
    fn confirmed(legible: usize) -> (usize, bool) {
        let asked = Arc::new(AtomicUsize::new(0));
        let text = reader(NAME, legible, &asked);
        let layouts = Layouts::built_in().unwrap();
        let picture = Raster::filled(1370, 864, [255; 3]);
        let mut seen = Observation::blind(&picture);
        let mut printed = LICENCE;
        printed[1].0 = NAME;
        seen.page.lines = page(&printed);
        seen.page.lines[1]
            .symbols
            .iter_mut()
            .for_each(|symbol| symbol.probability = 0.95);
        seen.known = layouts.read(&seen.page.lines, TODAY);
        let reader = DocumentReader {
            text: &text,
            layouts: &layouts,
            kind: DocumentType::DrivingLicense,
            today: TODAY,
        };
        let given = items(&reader, &seen).unwrap();
        let is_given = given.iter().any(|item| item.parsed.text == NAME);
        (asked.load(Ordering::Relaxed), is_given)
    }

    /// Whether a printed date counts, of which a digit is as sure as this and which is read again as another text.
    fn is_confirmed(probability: f32, again: &'static str) -> bool {
        let text = reader(again, usize::MAX, &Arc::new(AtomicUsize::new(0)));
        let layouts = Layouts::built_in().unwrap();
        let picture = Raster::filled(1370, 864, [255; 3]);
        let mut seen = Observation::blind(&picture);
        seen.page.lines = page(&[("13.12.2022", 40.0, 10.0)]);
        seen.page.lines[0].symbols[4].probability = probability;
        let reader = DocumentReader {
            text: &text,
            layouts: &layouts,
            kind: DocumentType::Passport,
            today: TODAY,
        };
        let dates = layout::printed_dates(&seen.page.lines, TODAY);
        is_date(&reader, &seen, &dates[0]).unwrap()
    }

    #[test]
    fn a_doubtful_date_counts_where_another_reading_agrees() {
        assert!(is_confirmed(0.99, "13.12.2023"), "it is sure, and not read again");
        assert!(is_confirmed(0.9, "13.12.2022"));
        assert!(!is_confirmed(0.9, "13.12.2023"));
        assert!(!is_confirmed(0.2, "13.12.2022"), "hopeless");
    }

    #[test]
    fn an_item_is_read_again_until_two_readings_agree() {
        assert_eq!([confirmed(2), confirmed(0)], [(1, true), (2, false)]);
    }
}
