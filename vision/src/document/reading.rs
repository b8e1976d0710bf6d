//! What the text of a side says: its machine-readable zone, its items, and where they stand.

use super::issue_date::add_date_of_issue;
use super::regions::{locate_machine_items, locate_printed_dates};
use crate::geometry::is_inside;
use crate::model::ModelError;
use crate::observation::{DocumentReader, Observation, WHOLE_PAGE};
use crate::text::{Line, Spacing};
use crate::{confirm, fold, layout, mrz, zone};
use domain::document::{DocumentType, OcrField, Side};
use domain::findings::{FieldRegion, MrzReading};

/// All of the items that both zones have: one that the print does not repeat may have been altered.
const ENOUGH: f32 = 1.0;

/// Minimum number of text lines on a document. A face in front of a door also has corners and colours, but no text.
pub(super) const LEAST_PRINT: usize = 3;
/// From so many lines on, print that is nothing known and has no outline is a letter or a poster. Seven rendered letters have 19 and
/// more; fronts of documents with as many are recognised, or have a portrait, a zone, a code or an outline.
const LETTER: u32 = 15;

/// What the stages that read have found.
#[derive(Default)]
pub(super) struct Reading {
    pub(super) mrz: Option<MrzReading>,
    /// Items of the machine-readable zone.
    pub(super) machine: Vec<OcrField>,
    /// The visual zone; its items are those of the layout where that is known.
    pub(super) zone: zone::VisualZone,
    pub(super) regions: Vec<FieldRegion>,
}

impl Reading {
    /// Whether nothing was read that this side of a document has: a stray line may be on any table, or a letter. Backs without a layout may be full of
    /// fine print, unless it is that of a sheet ([`Observation::is_print_of_sheet`]).
    pub(super) fn is_empty(&self, side: Side, is_sheet: bool) -> bool {
        let most = if side == Side::Front || is_sheet {
            LETTER
        } else {
            u32::MAX
        };
        let may_be_print = (LEAST_PRINT as u32..most).contains(&self.zone.lines);
        self.lacks_items() && !may_be_print
    }

    /// Whether neither a machine-readable zone nor a labelled item was read.
    pub(super) fn lacks_items(&self) -> bool {
        self.mrz.is_none() && self.zone.fields.is_empty()
    }
}

/// What the lines that were observed say.
pub(super) fn read<'l>(
    reader: &DocumentReader<'l>,
    seen: &mut Observation<'_, 'l>,
    side: Side,
) -> Result<Reading, ModelError> {
    let visible = |seen: &Observation<'_, '_>, elements: Option<&mrz::Elements>| {
        zone::read(&print(seen), reader.kind, side, elements, reader.today)
    };
    let mut elements = self::elements(seen);
    let mut visual = visible(seen, elements.as_ref());
    let enough = visual.agreement.is_some_and(|share| share >= ENOUGH) || side == Side::Back;
    if mrz::is_complete(seen.machine.as_ref()) && (!enough || seen.known.is_none()) && !seen.page.is_read() {
        let text = reader.text;
        text.read(&mut seen.page, WHOLE_PAGE, Spacing::Narrow, |_| true)?;
        seen.known = reader.layouts.read(&seen.page.lines, reader.today);
        elements = self::elements(seen);
        visual = visible(seen, elements.as_ref());
    }
    let mut reading = Reading {
        mrz: seen
            .machine
            .as_ref()
            .zip(elements.as_ref())
            .map(|(zone, elements)| mrz::reading(zone, elements)),
        machine: Vec::new(),
        zone: visual,
        regions: Vec::new(),
    };
    if let (Some(zone), Some(elements)) = (&seen.machine, &elements) {
        reading.machine = elements.fields(side, &zone.lines.join("\n"), reader.today);
    }
    if seen.known.is_some() {
        let mut items = confirm::items(reader, seen)?;
        layout::drop_mistaken_names(&mut items);
        if let Some(known) = &mut seen.known {
            known.judge(&mut items);
        }
        reading.regions = items.iter().filter_map(|item| item.region(seen)).collect();
        reading.zone.fields = items.iter().filter_map(|item| item.field(side)).collect();
        zone::doubt_mexican_sex(&seen.page.lines, &mut reading.zone.fields);
    } else if !reader.kind.has_mrz() {
        // Labels alone say too little where the layout is not known: a wrong item is worse than none.
        reading.zone.fields.clear();
    }
    if let Some(elements) = elements.as_ref().filter(|_| reader.kind == DocumentType::Passport) {
        let dates = elements.dates(reader.today);
        add_date_of_issue(
            reader,
            &mut reading.zone.fields,
            &mut reading.regions,
            &dates,
            seen,
            side,
        )?;
    }
    if let (Some(zone), Some(elements)) = (&seen.machine, &elements) {
        locate_printed_dates(&mut reading.regions, &elements.dates(reader.today), seen);
        locate_machine_items(&mut reading.regions, zone, seen);
    }
    Ok(reading)
}

/// The lines of print: those on the page, where the zone says how far that reaches. A note that lies beside a passport could give any day that is
/// covered on it.
fn print<'s>(seen: &'s Observation<'_, '_>) -> Vec<&'s Line> {
    let zone = seen.machine.as_ref().filter(|zone| mrz::is_complete(Some(zone)));
    let page = zone.and_then(mrz::page);
    let is_on_page = |line: &Line| page.is_none_or(|page| is_inside(&page, [line.area.x, line.area.y]));
    let lines = seen.page.lines.iter();
    lines
        .filter(|line| !mrz::is_candidate(line) && is_on_page(line))
        .collect()
}

/// The items of the machine-readable zone, as far as the print read so far settles them.
fn elements(seen: &mut Observation<'_, '_>) -> Option<mrz::Elements> {
    let zone = seen.machine.as_mut()?;
    let print = seen.page.lines.iter().filter(|line| !mrz::is_candidate(line));
    let words: Vec<String> = print.clone().flat_map(|line| zone::spelt_words(&line.text)).collect();
    let mut elements = mrz::elements(zone, &words);
    let bare: Vec<String> = print.clone().map(|line| fold::bare(&line.text)).collect();
    let born = elements
        .births()
        .filter(|day| bare.iter().any(|text| zone::dates::may_name(text, *day)));
    let days = print.flat_map(|line| zone::dates::days(&line.text));
    elements.printed = days.chain(born).collect();
    Some(elements)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::tests::{TODAY, page};
    use crate::raster::Raster;
    use crate::text::Lattice;
    use time::macros::date;

    #[test]
    fn a_stray_line_and_a_letter_are_no_document() {
        let is_empty = |lines, side, is_sheet| {
            let mut reading = Reading::default();
            reading.zone.lines = lines;
            reading.is_empty(side, is_sheet)
        };
        assert!(
            [0, 2, 15, 32]
                .into_iter()
                .all(|lines| is_empty(lines, Side::Front, false))
        );
        assert!(![3, 9, 14].into_iter().any(|lines| is_empty(lines, Side::Front, false)));
        let full_of_fine_print = is_empty(32, Side::Back, false);
        assert!(is_empty(2, Side::Back, false) && !full_of_fine_print);
        assert!(is_empty(15, Side::Back, true) && !is_empty(14, Side::Back, true));
    }

    #[test]
    fn print_that_goes_on_beyond_the_picture_is_that_of_a_sheet() {
        let picture = Raster::filled(2000, 1400, [255; 3]);
        let is_sheet = |cut: usize| {
            let mut seen = Observation::blind(&picture);
            let line = |number: usize| {
                let from = if number < cut { 0.0 } else { 20.0 };
                ("minutes of the meeting", from, 5.0 + 4.0 * number as f32)
            };
            seen.page.lines = page(&(0..20).map(line).collect::<Vec<_>>());
            seen.is_print_of_sheet([2000.0, 1400.0])
        };
        assert!(is_sheet(6) && !is_sheet(5));
        let nothing = Observation::blind(&picture);
        assert!(!nothing.is_print_of_sheet([2000.0, 1400.0]));
    }

    #[test]
    fn print_beside_the_page_of_a_zone_is_none_of_it() {
        let picture = Raster::filled(2000, 1400, [255; 3]);
        let lines = [
            "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<",
            "L898902C36UTO7408122F3204153<<<<<<<<<<<<<<<0",
        ];
        let mut seen = Observation::blind(&picture);
        // The zone is 800 pixels wide, so that its page is 895, with 63 more on every side.
        let mut zone = mrz::zone_of(&lines.map(|line| (line, Lattice::default())));
        zone.rows.iter_mut().for_each(|row| row.area.y = 900.0);
        seen.machine = Some(zone);
        let on_page = [("12 AUG 1974", 20.0, 30.0), ("ERIKSSON", 40.0, 25.0)];
        let beside = [
            ("15 APR 2032", 80.0, 30.0),
            ("15.04.2032", 20.0, 5.0),
            ("2032-04-15", 20.0, 75.0),
        ];
        seen.page.lines = page(&[&on_page[..], &beside].concat());
        let texts = |seen: &Observation<'_, '_>| {
            let lines = print(seen).into_iter();
            lines.map(|line| line.text.clone()).collect::<Vec<_>>()
        };
        assert_eq!(texts(&seen), ["12 AUG 1974", "ERIKSSON"]);
        seen.machine = None;
        assert_eq!(texts(&seen).len(), 5);
    }

    #[test]
    fn a_birth_that_is_printed_in_the_last_century_is_that_of_the_zone() {
        let picture = Raster::filled(2000, 1400, [255; 3]);
        let lines = [
            "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<",
            "L898902C36UTO1903016F3204153<<<<<<<<<<<<<<<0",
        ];
        for (printed, born) in [
            ("01 MAR 1919", date!(1919 - 03 - 01)),
            ("Date of birth 01.03.1919", date!(1919 - 03 - 01)),
            ("01 03 1919", date!(1919 - 03 - 01)),
            ("03/01/1919", date!(1919 - 03 - 01)),
            ("01 MAR 2019", date!(2019 - 03 - 01)),
            ("ERIKSSON", date!(2019 - 03 - 01)),
        ] {
            let mut seen = Observation::blind(&picture);
            seen.page.lines = page(&[(printed, 40.0, 10.0)]);
            seen.machine = Some(mrz::zone_of(&lines.map(|line| (line, Lattice::default()))));
            let elements = elements(&mut seen).unwrap();
            assert_eq!(elements.birth_date(TODAY), Some(born), "{printed}");
        }
    }
}
