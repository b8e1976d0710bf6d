//! Which views of a picture are read: the cards cut out where outlines are found, the picture as it is, and what is printed across the rest.

use super::codes::Codes;
use super::directions::{LEAST_LINES, prints};
use crate::extent::{self, Shape};
use crate::geometry::Corners;
use crate::layout::Known;
use crate::model::ModelError;
use crate::mrz;
use crate::observation::{DocumentReader, Observation, View, proportions};
use crate::raster::Raster;
use crate::stopwatch::Stopwatch;
use crate::text::Area;
use domain::document::{DocumentType, FieldName, Side};
use lens::frame::Plane;
use lens::geometry::distance;

/// Cards that are cut out and read: beside a picture that was read whole, and where the card comes first.
const MAX_CARDS: (usize, usize) = (1, 2);
/// Beside the name, what says whose document it is, and until when.
const MAIN_ITEMS: [FieldName; 3] = [FieldName::BirthDate, FieldName::ExpiryDate, FieldName::DocumentNumber];
/// Print that takes less than this share of what was looked at, by the longer side, is looked at from nearer.
const PART: f32 = 0.75;
/// Directions of print that are read by themselves: that of a card and that of what it lies on.
const MAX_DIRECTIONS: usize = 2;

/// The corners of the cards that may be in a picture of this `size`, which was averaged down to this plane, the likeliest first.
pub(super) fn outlines(plane: &Plane, size: [usize; 2]) -> Vec<Corners> {
    let found = lens::quality::outlines_at(plane, size);
    found.iter().map(lens::outline::Outline::lying).collect()
}

/// Reads views until the document is known: the cards, then the picture as it is. Where the kind has a machine-readable zone the picture
/// comes first, since the zone is found in it as well and nothing has to be cut out. A code that says it all counts as much as a known
/// layout.
pub(super) fn observe<'a, 'l>(
    reader: &DocumentReader<'l>,
    outlines: &[Corners],
    codes: &mut Codes<'a>,
    watch: &mut Stopwatch,
) -> Result<Observation<'a, 'l>, ModelError> {
    let picture = codes.picture;
    let whole = || View::whole(picture);
    let size = [picture.width() as f32, picture.height() as f32];
    let cards = |most: usize| {
        let cut_out = |corners: &Corners| {
            let view = View::card(picture, corners, reader.kind.aspect())?;
            Some((view, is_of_document(corners, size, reader.kind)))
        };
        outlines.iter().take(most).filter_map(cut_out)
    };
    let has_zone = reader.kind.has_mrz();
    let (first, most) = if has_zone {
        (Some((whole(), true)), MAX_CARDS.0)
    } else {
        (None, MAX_CARDS.1)
    };
    let mut best: Option<Observation<'a, 'l>> = None;
    let mut is_whole = false;
    // Where the picture as it is has text, once that was looked for.
    let mut in_picture: Option<Vec<Area>> = None;
    // Whichever view is the best.
    let mut individual_number = false;
    for (view, fits) in first.into_iter().chain(cards(most)) {
        let (areas, is_picture) = (reader.areas(&view, watch)?, view.is_picture());
        let mut seen = reader.read_at(view, &areas, watch)?;
        in_picture = in_picture.or_else(|| is_picture.then_some(areas));
        individual_number |= seen.individual_number;
        let has_all = fits || seen.known.as_ref().is_some_and(Known::has_all_items);
        if has_all && seen.is_enough(reader.kind) {
            seen.individual_number = individual_number;
            return Ok(seen);
        }
        if best.as_ref().is_none_or(|best| seen.is_better_than(best, reader.kind)) {
            (best, is_whole) = (Some(seen), has_all);
        }
        if codes.is_complete(watch) {
            break;
        }
    }
    let mut best = match best {
        Some(best) if has_zone || (best.known.is_some() && is_whole) || codes.is_complete(watch) => best,
        best => {
            let areas = in_picture.insert(reader.areas(&whole(), watch)?);
            let seen = reader.read_at(whole(), areas, watch)?;
            individual_number |= seen.individual_number;
            best.filter(|best| !seen.is_better_than(best, reader.kind))
                .unwrap_or(seen)
        }
    };
    best.individual_number = individual_number;
    if lacks_main_items(&best)
        && let Some(view) = closer(picture, &best)
    {
        best = better(best, reader.read(view, watch)?, reader.kind);
    }
    if may_lie_across(&best) && !codes.is_complete(watch) {
        let areas = match in_picture {
            Some(areas) => areas,
            None => reader.areas(&whole(), watch)?,
        };
        best = read_across(reader, picture, &areas, best, watch)?;
    }
    Ok(best)
}

/// Whether an outline has the shape of a document of this kind, or of what the border leaves of it. One of something else, such as a part of a card or a card
/// and what it lies on, may cut items off.
fn is_of_document(corners: &Corners, size: [f32; 2], kind: DocumentType) -> bool {
    let shape = extent::shape(corners, size, &proportions(kind));
    matches!(shape, Some(Shape::Whole | Shape::Flush | Shape::Shorter))
}

/// Reads what is printed across the rest of a picture that has text in these areas. Returns the best observation, of which `best` was the first.
fn read_across<'a, 'l>(
    reader: &DocumentReader<'l>,
    picture: &'a Raster,
    areas: &[Area],
    mut best: Observation<'a, 'l>,
    watch: &mut Stopwatch,
) -> Result<Observation<'a, 'l>, ModelError> {
    let prints = prints(areas);
    let across = prints.iter().take(MAX_DIRECTIONS);
    for view in across.filter_map(|print| View::along(picture, print)) {
        best = better(best, reader.read(view, watch)?, reader.kind);
        if best.is_enough(reader.kind) {
            break;
        }
    }
    Ok(best)
}

/// The better one of two observations, and what either says of an individual number.
fn better<'a, 'l>(one: Observation<'a, 'l>, other: Observation<'a, 'l>, kind: DocumentType) -> Observation<'a, 'l> {
    let individual_number = one.individual_number || other.individual_number;
    let mut best = if other.is_better_than(&one, kind) { other } else { one };
    best.individual_number = individual_number;
    best
}

/// Whether one of the items that say whose document it is, and until when, was not read on a known front without a zone: their labels are the smallest
/// print on it.
fn lacks_main_items(best: &Observation<'_, '_>) -> bool {
    let Some(known) = best.known.as_ref().filter(|known| known.layout.side == Side::Front) else {
        return false;
    };
    let has = |name: FieldName| known.items.iter().any(|item| item.name == name.as_str());
    let is_printed = |name: FieldName| known.layout.field.iter().any(|field| field.name == name.as_str());
    let is_named = has(FieldName::FullName) || has(FieldName::LastName) && has(FieldName::FirstName);
    let is_left_out = |name: &FieldName| is_printed(*name) && !has(*name);
    !mrz::is_complete(best.machine.as_ref()) && (!is_named || MAIN_ITEMS.iter().any(is_left_out))
}

/// What is printed, from nearer, where it takes a part of the picture alone: small labels were too small for the view that was read.
fn closer<'a>(picture: &Raster, best: &Observation<'_, '_>) -> Option<View<'a>> {
    let print = best.print();
    let side = |corners: &Corners| distance(corners[0], corners[1]);
    let longest = print.iter().max_by(|one, other| side(one).total_cmp(&side(other)))?;
    let angle = (longest[1][1] - longest[0][1]).atan2(longest[1][0] - longest[0][0]);
    let print = Area::along(&print.concat(), angle);
    let is_part = 2.0 * print.half_width.max(print.half_height) < PART * best.longest_side();
    is_part.then(|| View::along(picture, &print)).flatten()
}

/// Whether so little was read of much print that the document may lie across other print, where neither its outline nor most lines tell how it
/// lies.
fn may_lie_across(best: &Observation<'_, '_>) -> bool {
    let lacks_items = best.known.as_ref().is_none_or(Known::lacks_items);
    lacks_items && !mrz::is_complete(best.machine.as_ref()) && best.page.areas().count() >= 2 * LEAST_LINES
}

#[cfg(test)]
mod tests {
    use super::super::blank_reader::blank_reader;
    use super::*;
    use crate::code;
    use crate::code::tests::{PAYLOAD, drawn};
    use crate::geometry::rectangle;
    use crate::layout::Layouts;
    use crate::layout::tests::{LICENCE, TODAY, page};
    use crate::model::{Model, Tensor};
    use crate::text::Reader;
    use domain::document::Side;

    #[test]
    fn the_outline_of_a_part_of_a_card_or_of_more_than_a_card_is_not_its_own() {
        let is_own = |sides| is_of_document(&rectangle(sides), [1600.0, 1200.0], DocumentType::DrivingLicense);
        assert!(is_own([300.0, 300.0, 1156.0, 840.0]));
        assert!(is_own([900.0, 300.0, 1600.0, 840.0]), "the border cuts it off");
        assert!(
            !is_own([300.0, 430.0, 1156.0, 840.0]),
            "without the ground of its title"
        );
        assert!(!is_own([300.0, 100.0, 1156.0, 1100.0]), "with a keyboard above it");
    }

    #[test]
    fn print_on_a_part_of_the_picture_is_looked_at_from_nearer_where_items_are_missing() {
        let (layouts, blank) = (Layouts::built_in().unwrap(), Raster::filled(10, 10, [230; 3]));
        let read = |lines: &[(&str, f32, f32)]| {
            let mut seen = Observation::blind(&blank);
            seen.page.lines = page(lines);
            seen.known = layouts.read(&seen.page.lines, TODAY);
            seen
        };
        let whole = read(&LICENCE);
        assert!(whole.known.is_some() && !lacks_main_items(&whole));
        let without_last_day: Vec<_> = LICENCE
            .into_iter()
            .filter(|(text, ..)| !text.contains("有効"))
            .collect();
        assert!(lacks_main_items(&read(&without_last_day)));
        let far = Raster::filled(3000, 2000, [230; 3]);
        let view = |picture: &Raster, lines: &[(&str, f32, f32)]| {
            let mut seen = Observation::blind(picture);
            seen.page.lines = page(lines);
            closer(picture, &seen).map(|view| view.picture.width())
        };
        assert!(view(&far, &LICENCE).is_some_and(|width| width < 1600));
        assert_eq!(view(&far, &[]), None, "nothing is printed");
        let near = Raster::filled(1500, 1000, [230; 3]);
        assert_eq!(view(&near, &LICENCE), None, "it fills the picture");
    }

    #[test]
    fn a_picture_is_looked_at_once_where_a_code_says_what_it_shows() {
        let (text, layouts) = (blank_reader(), Layouts::built_in().unwrap());
        let (kind, signers) = (DocumentType::DrivingLicense, code::Certificates::default());
        let reader = DocumentReader {
            text: &text,
            layouts: &layouts,
            kind,
            today: TODAY,
        };
        let looks = |picture: &Raster| {
            let [width, height] = [picture.width() as f32, picture.height() as f32];
            let outlines = [0.0, 9.0].map(|by| rectangle([by, by, width - by, height - by]));
            let mut codes = Codes::on(picture, &signers, kind, Side::Back, TODAY);
            let mut watch = Stopwatch::start();
            observe(&reader, &outlines, &mut codes, &mut watch).unwrap();
            let laps = watch.into_laps();
            laps.iter().filter(|lap| lap.stage == "text detection").count()
        };
        let with_code = drawn(PAYLOAD, 0.0, 2.2);
        let without = Raster::filled(with_code.width(), with_code.height(), [240; 3]);
        assert_eq!((looks(&with_code), looks(&without)), (1, 3));
    }

    /// Says that everything dark is text.
    struct Dark;

    impl Model for Dark {
        fn name(&self) -> &str {
            "dark"
        }
        fn run(&self, input: Tensor) -> Result<Vec<Tensor>, ModelError> {
            let plane = &input.data[..input.data.len() / 3];
            let data = plane.iter().map(|&value| if value < 0.0 { 0.9 } else { 0.0 }).collect();
            let shape = vec![1, 1, input.shape[2], input.shape[3]];
            Ok(vec![Tensor { shape, data }])
        }
    }

    /// Reads no symbol, of so many, in any line.
    struct Mute(usize);

    impl Model for Mute {
        fn name(&self) -> &str {
            "mute"
        }
        fn run(&self, _: Tensor) -> Result<Vec<Tensor>, ModelError> {
            Ok(vec![Tensor {
                shape: vec![1, 1, self.0],
                data: vec![0.0; self.0],
            }])
        }
    }

    #[test]
    fn text_is_looked_for_once_in_a_picture_of_which_nothing_can_be_read() {
        let (alphabet, layouts) = (blank_reader().alphabet, Layouts::built_in().unwrap());
        let text = Reader {
            detector: Box::new(Dark),
            recogniser: Box::new(Mute(alphabet.len())),
            alphabet,
        };
        let (kind, signers) = (DocumentType::DrivingLicense, code::Certificates::default());
        let reader = DocumentReader {
            text: &text,
            layouts: &layouts,
            kind,
            today: TODAY,
        };
        let mut picture = Raster::filled(1472, 736, [240; 3]);
        for line in 0..2 * LEAST_LINES {
            picture.paste(&Raster::filled(600, 16, [20; 3]), 200, 40 + 64 * line);
        }
        let mut codes = Codes::on(&picture, &signers, kind, Side::Front, TODAY);
        let mut watch = Stopwatch::start();
        let seen = observe(&reader, &[], &mut codes, &mut watch).unwrap();
        assert!(may_lie_across(&seen));
        let laps = watch.into_laps();
        assert_eq!(laps.iter().filter(|lap| lap.stage == "text detection").count(), 1);
    }
}
