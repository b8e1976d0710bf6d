//! One side of a document: the stages in their order, each timed, each allowed to be missing.

use crate::drawing::Trace;
use crate::extent::Shape;
use crate::layout::Layout;
use crate::look::{Eye, Look, View, WHOLE_PAGE};
use crate::model::ModelError;
use crate::portrait::{self, Portraits};
use crate::projection::Corners;
use crate::raster::Raster;
use crate::signals::{Ground, Sheet, obstructed_share};
use crate::stopwatch::Stopwatch;
use crate::text::{Line, Spacing};
use crate::{Vision, code, confirm, extent, layout, likeness, mrz, signals, zone};
use domain::civil_date;
use domain::document::{DocumentType, FieldName, OcrField, Side};
use domain::findings::{
    CodeReading, CodeStandard, DocumentFindings, Face, FieldRegion, MrzReading, Quality, Signature, StageTime,
    Unavailable,
};
use domain::input_match::completes;
use domain::likeness::Likeness;
use std::panic::resume_unwind;
use time::Date;

/// All of the items that both zones have: one that the print does not repeat may have been altered.
const ENOUGH: f32 = 1.0;

/// Minimum number of text lines on a document. A face in front of a door also has corners and colours, but no text.
const LEAST_PRINT: usize = 3;

/// Cards that are cut out and read: beside a picture that was read whole, and where the card comes first.
const MOST_CARDS: (usize, usize) = (1, 2);

/// What the stages that read have found.
#[derive(Default)]
struct Reading {
    mrz: Option<MrzReading>,
    /// Items of the machine-readable zone.
    machine: Vec<OcrField>,
    /// The visual zone; its items are those of the layout where that is known.
    zone: zone::VisualZone,
    regions: Vec<FieldRegion>,
}

impl Reading {
    /// Whether nothing was read that a document has: a stray line may be on any table.
    const fn is_empty(&self) -> bool {
        self.mrz.is_none() && self.zone.fields.is_empty() && (self.zone.lines as usize) < LEAST_PRINT
    }
}

/// Examines one side of a document.
pub(crate) fn examine(
    vision: &Vision,
    picture: &Raster,
    kind: DocumentType,
    side: Side,
    today: Date,
) -> (DocumentFindings, Trace) {
    let mut watch = Stopwatch::start();
    let quality = quality(picture);
    watch.lap("quality");
    let outlines = outlines(picture);
    watch.lap("outline");
    let mut unavailable = vision.missing();
    unavailable.retain(|missing| *missing != Unavailable::Liveness);
    let mut examination = Examination {
        vision,
        picture,
        kind,
        side,
        today,
        outlines,
        unavailable,
        watch,
    };
    let seen = examination.see();
    let card = card(&seen.look, &examination.outlines);
    let portraits = examination.find_portraits(&seen.look, card.as_ref());
    let quality = examination.judge(quality, &seen, card.as_ref(), portraits.main.as_ref());
    examination.conclude(quality, seen, portraits)
}

/// One side of a document while it is examined.
struct Examination<'v> {
    vision: &'v Vision,
    picture: &'v Raster,
    kind: DocumentType,
    side: Side,
    today: Date,
    outlines: Vec<Corners>,
    /// What could not be used.
    unavailable: Vec<Unavailable>,
    watch: Stopwatch,
}

/// What a side shows.
struct Seen<'v> {
    look: Look<'v, 'v>,
    reading: Reading,
    codes: Vec<CodeReading>,
    beside: BesideText,
}

impl<'v> Examination<'v> {
    /// Reads print, zone and codes, and measures what needs no text.
    fn see(&mut self) -> Seen<'v> {
        let (vision, picture, side) = (self.vision, self.picture, self.side);
        let readable = vision.reader.as_ref().zip(vision.layouts.as_ref());
        let eye = readable.map(|(reader, layouts)| Eye {
            reader,
            layouts,
            kind: self.kind,
            today: self.today,
        });
        let mut codes = Codes::on(picture, &vision.signers, (self.kind, side, self.today));
        let (outlines, watch) = (&self.outlines, &mut self.watch);
        // Neither half needs the other: where a core is free, they take the time of the longer one.
        let (read, beside) = std::thread::scope(|scope| {
            let beside = scope.spawn(|| BesideText::of(picture, outlines.first()));
            let read = read_picture(eye.as_ref(), outlines, &mut codes, watch);
            (read, beside.join().unwrap_or_else(|panic| resume_unwind(panic)))
        });
        let (look, reading) = read.unwrap_or_else(|_| {
            self.unavailable.push(Unavailable::Text);
            (Look::blind(picture), Reading::default())
        });
        let may_have_code = |layout: &Layout| layout.side != side || layout.code;
        // Many backs repeat the words of the front, but not its items.
        if look
            .known
            .as_ref()
            .is_none_or(|known| may_have_code(known.layout) || known.items.is_empty())
        {
            codes.look(&mut self.watch);
        }
        Seen {
            look,
            reading,
            codes: codes.found(),
            beside,
        }
    }

    fn find_portraits(&mut self, look: &Look<'_, '_>, card: Option<&Corners>) -> Portraits {
        let portraits = portrait::find(self.vision.faces.as_ref(), look, card, self.side).unwrap_or_else(|_| {
            self.unavailable.push(Unavailable::Face);
            Portraits::default()
        });
        self.watch.lap("portrait");
        portraits
    }

    /// The judgement of the pixels, corrected by what they show.
    fn judge(&mut self, quality: Quality, seen: &Seen<'_>, card: Option<&Corners>, portrait: Option<&Face>) -> Quality {
        let (picture, look) = (self.picture, &seen.look);
        let is_readable = self.unavailable.is_empty();
        let size = [picture.width() as f32, picture.height() as f32];
        let shown = Shown {
            look,
            size,
            proportions: look.proportions(self.kind),
            outlines: &self.outlines,
            portrait,
            is_empty: seen.reading.is_empty() && seen.codes.is_empty() && portrait.is_none() && is_readable,
        };
        let quality = shown.corrected(quality);
        let sheet = card.and_then(|card| Sheet::of(picture, card));
        let shape = card.and_then(|card| extent::shape(card, size, &shown.proportions));
        let reflected = sheet.as_ref().map(signals::reflected_share);
        let quality = Quality {
            glare: reflected.unwrap_or(quality.glare),
            obstructed: obstructed(picture, look, (sheet.as_ref(), shape == Some(Shape::Whole)), portrait),
            ..quality
        };
        self.watch.lap("obstruction");
        quality
    }

    fn conclude(self, quality: Quality, seen: Seen<'_>, portraits: Portraits) -> (DocumentFindings, Trace) {
        let Seen {
            look,
            reading,
            codes,
            beside,
        } = seen;
        let mut unavailable = self.unavailable;
        unavailable.sort_unstable();
        unavailable.dedup();
        let trace = Trace::of(&look);
        let is_whole = mrz::is_complete(look.machine.as_ref());
        let (fields, printed) = merged(
            Machine {
                items: reading.machine,
                is_whole,
            },
            &codes,
            reading.zone.fields,
        );
        let zone_lines = look.page.lines.iter().filter(|line| !mrz::is_candidate(line));
        let specimen_words = reading.zone.is_of_nowhere || zone::says_specimen(zone_lines, &fields);
        let findings = DocumentFindings {
            side: self.side,
            quality,
            mrz: reading.mrz,
            layout: look.known.as_ref().map(|known| known.reading.clone()),
            fields,
            printed,
            codes,
            regions: reading.regions,
            outline: look.is_card.then(|| look.corners()),
            text_lines: reading.zone.lines,
            viz_agreement: reading.zone.agreement,
            portrait: portraits.main,
            portrait_repeated: portraits.distance,
            grey_share: Some(beside.grey_share),
            raster_z: beside.raster_z,
            likeness: Some(beside.likeness),
            specimen_words,
            unavailable,
            models: self.vision.models(),
            timings: self.watch.into_laps().into_iter().chain(beside.timings).collect(),
        };
        (findings, trace)
    }
}

/// What is measured of a picture without reading its text.
struct BesideText {
    grey_share: f32,
    raster_z: Option<f32>,
    likeness: Likeness,
    timings: Vec<StageTime>,
}

impl BesideText {
    fn of(picture: &Raster, outline: Option<&Corners>) -> Self {
        let mut watch = Stopwatch::start();
        let grey_share = signals::grey_share(picture);
        let raster_z = signals::raster_z(picture, outline);
        watch.lap("signals");
        let likeness = likeness::describe(picture);
        watch.lap("likeness");
        Self {
            grey_share,
            raster_z,
            likeness,
            timings: watch.into_laps(),
        }
    }
}

/// The codes of a picture, looked for where its print does not say what it shows, or says that it has one: that takes as long as
/// reading a few lines.
struct Codes<'a> {
    picture: &'a Raster,
    signers: &'a code::Certificates,
    kind: DocumentType,
    side: Side,
    today: Date,
    found: Option<Vec<CodeReading>>,
}

impl<'a> Codes<'a> {
    const fn on(
        picture: &'a Raster,
        signers: &'a code::Certificates,
        (kind, side, today): (DocumentType, Side, Date),
    ) -> Self {
        Self {
            picture,
            signers,
            kind,
            side,
            today,
            found: None,
        }
    }

    /// The codes, looked for only once.
    fn look(&mut self, watch: &mut Stopwatch) -> &[CodeReading] {
        self.found.get_or_insert_with(|| {
            let found = code::read(self.picture, self.kind, self.side, self.today, self.signers);
            watch.lap("codes");
            found
        })
    }

    /// Whether one of them says all that a further look at the picture could.
    fn say_it_all(&mut self, watch: &mut Stopwatch) -> bool {
        self.look(watch).iter().any(says_it_all)
    }

    fn found(self) -> Vec<CodeReading> {
        self.found.unwrap_or_default()
    }
}

/// Whether a code names its kind of document and holds its items. A seal may be a sticker with nothing but an address, on the side with
/// the machine-readable zone.
fn says_it_all(code: &CodeReading) -> bool {
    code.kind.is_some() && code.standard != CodeStandard::Seal
}

pub(crate) fn quality(picture: &Raster) -> Quality {
    picture
        .frame()
        .map(|frame| lens::quality::judge(&frame))
        .unwrap_or_default()
}

/// Looks at the picture that may have codes, and reads what it shows.
fn read_picture<'a, 'l>(
    eye: Option<&Eye<'l>>,
    outlines: &[Corners],
    codes: &mut Codes<'a>,
    watch: &mut Stopwatch,
) -> Result<(Look<'a, 'l>, Reading), ModelError> {
    let Some(eye) = eye else {
        return Ok((Look::blind(codes.picture), Reading::default()));
    };
    let mut look = look(eye, outlines, codes, watch)?;
    let reading = read(eye, &mut look, codes.side)?;
    watch.lap("items");
    Ok((look, reading))
}

/// Looks until the document is known: the cards cut out where outlines are found, then the picture as it is. Where the kind has a
/// machine-readable zone the picture comes first, since the zone is found in it as well and nothing has to be cut out. A code that
/// says it all counts as much as a known layout.
fn look<'a, 'l>(
    eye: &Eye<'l>,
    outlines: &[Corners],
    codes: &mut Codes<'a>,
    watch: &mut Stopwatch,
) -> Result<Look<'a, 'l>, ModelError> {
    let picture = codes.picture;
    let whole = || View::whole(picture);
    let cards = |most: usize| {
        let cut_out = |corners| View::card(picture, corners, eye.kind.aspect());
        outlines.iter().take(most).filter_map(cut_out)
    };
    let has_zone = eye.kind.has_mrz();
    let (first, most) = if has_zone {
        (Some(whole()), MOST_CARDS.0)
    } else {
        (None, MOST_CARDS.1)
    };
    let mut best: Option<Look<'a, 'l>> = None;
    for view in first.into_iter().chain(cards(most)) {
        let seen = eye.look(view, watch)?;
        if seen.is_enough(eye.kind) {
            return Ok(seen);
        }
        if best.as_ref().is_none_or(|best| seen.beats(best)) {
            best = Some(seen);
        }
        if codes.say_it_all(watch) {
            break;
        }
    }
    match best {
        Some(best) if has_zone || best.known.is_some() || codes.say_it_all(watch) => Ok(best),
        best => {
            let seen = eye.look(whole(), watch)?;
            Ok(best.filter(|best| !seen.beats(best)).unwrap_or(seen))
        }
    }
}

/// What the lines of a look say.
fn read<'l>(eye: &Eye<'l>, look: &mut Look<'_, 'l>, side: Side) -> Result<Reading, ModelError> {
    let visible = |look: &Look<'_, '_>, elements: Option<&mrz::Elements>| {
        let lines: Vec<&Line> = look.page.lines.iter().filter(|line| !mrz::is_candidate(line)).collect();
        zone::read(&lines, eye.kind, side, elements, eye.today)
    };
    let mut elements = self::elements(look);
    let mut visual = visible(look, elements.as_ref());
    let enough = visual.agreement.is_some_and(|share| share >= ENOUGH) || side == Side::Back;
    if mrz::is_complete(look.machine.as_ref()) && (!enough || look.known.is_none()) && !look.page.is_read() {
        eye.reader.read(&mut look.page, WHOLE_PAGE, Spacing::Narrow, |_| true)?;
        look.known = eye.layouts.read(&look.page.lines, eye.today);
        elements = self::elements(look);
        visual = visible(look, elements.as_ref());
    }
    let mut reading = Reading {
        mrz: look
            .machine
            .as_ref()
            .zip(elements.as_ref())
            .map(|(zone, elements)| mrz::reading(zone, elements)),
        machine: Vec::new(),
        zone: visual,
        regions: Vec::new(),
    };
    if let (Some(zone), Some(elements)) = (&look.machine, &elements) {
        reading.machine = elements.fields(side, &zone.lines.join("\n"), eye.today);
    }
    if look.known.is_some() {
        let mut items = confirm::items(eye, look)?;
        layout::drop_mistaken_names(&mut items);
        if let Some(known) = &mut look.known {
            known.judge(&mut items);
        }
        reading.regions = items.iter().filter_map(|item| item.region(look)).collect();
        reading.zone.fields = items.iter().filter_map(|item| item.field(side)).collect();
    } else if !eye.kind.has_mrz() {
        // Labels alone say too little where the layout is not known: a wrong item is worse than none.
        reading.zone.fields.clear();
    }
    if let Some(elements) = elements.as_ref().filter(|_| eye.kind == DocumentType::Passport) {
        add_date_of_issue(eye, &mut reading, &elements.dates(eye.today), look, side)?;
    }
    if let (Some(zone), Some(elements)) = (&look.machine, &elements) {
        locate_printed_dates(&mut reading.regions, &elements.dates(eye.today), look);
        locate_machine_items(&mut reading.regions, zone, look);
    }
    Ok(reading)
}

/// The items of the machine-readable zone, as far as the print read so far settles them.
fn elements(look: &mut Look<'_, '_>) -> Option<mrz::Elements> {
    let zone = look.machine.as_mut()?;
    let print = look.page.lines.iter().filter(|line| !mrz::is_candidate(line));
    let words: Vec<String> = print.clone().flat_map(|line| zone::spelt_words(&line.text)).collect();
    let mut elements = mrz::elements(zone, &words);
    elements.printed = print.flat_map(|line| zone::dates::days(&line.text)).collect();
    Some(elements)
}

/// Adds the date of issue of a passport whose label was too small to be read: the page has three dates (ICAO 9303-4), and the zone says
/// which two are the others.
fn add_date_of_issue(
    eye: &Eye<'_>,
    reading: &mut Reading,
    zone: &[(FieldName, Date)],
    look: &Look<'_, '_>,
    side: Side,
) -> Result<(), ModelError> {
    let (name, today) = (FieldName::IssueDate, eye.today);
    let &[(FieldName::BirthDate, born), (FieldName::ExpiryDate, expires)] = zone else {
        return Ok(());
    };
    let lines = &look.page.lines;
    let is_print = |date: &layout::PrintedDate| lines.get(date.line).is_some_and(|line| !mrz::is_candidate(line));
    let dates: Vec<_> = layout::printed_dates(lines, today)
        .into_iter()
        .filter(is_print)
        .collect();
    let [born, expires] = [born, expires].map(civil_date::format);
    let has = |wanted: &String| dates.iter().any(|date| date.normalized == *wanted);
    // Two digits of a year may be those of either century.
    let is_other =
        |date: &&layout::PrintedDate| ![&born, &expires].iter().any(|known| known[2..] == date.normalized[2..]);
    let mut others = dates.iter().filter(is_other);
    let (Some(issued), None) = (others.next(), others.next()) else {
        return Ok(());
    };
    let is_to_come = civil_date::parse(&issued.normalized).is_none_or(|day| civil_date::is_to_come(day, today));
    let fits = born < issued.normalized && issued.normalized < expires && !is_to_come;
    let is_known = reading.zone.fields.iter().any(|field| field.name == name);
    if is_known || !fits || !has(&expires) || !confirm::is_date(eye, look, issued)? {
        return Ok(());
    }
    reading.zone.fields.push(OcrField {
        side,
        name,
        text: Some(issued.text.clone()),
        normalized: Some(issued.normalized.clone()),
    });
    reading.regions.extend(lines.get(issued.line).map(|line| FieldRegion {
        name,
        confidence: issued.confidence,
        corners: line.area.corners().map(|corner| look.place(corner)),
    }));
    Ok(())
}

/// Adds where the dates of the zone are printed as people write them, if no item is known to stand there.
fn locate_printed_dates(regions: &mut Vec<FieldRegion>, dates: &[(FieldName, Date)], look: &Look<'_, '_>) {
    for &(name, date) in dates {
        let says = |line: &&Line| !mrz::is_candidate(line) && zone::dates::has(&line.text, date);
        if regions.iter().all(|region| region.name != name)
            && let Some(line) = look.page.lines.iter().find(says)
        {
            regions.push(FieldRegion {
                name,
                confidence: line.confidence,
                corners: line.area.corners().map(|corner| look.place(corner)),
            });
        }
    }
}

/// Adds where the items of the zone stand, as far as they are not printed elsewhere as well: people read that more easily.
fn locate_machine_items(regions: &mut Vec<FieldRegion>, zone: &mrz::Zone, look: &Look<'_, '_>) {
    for (name, corners) in mrz::places(zone) {
        if regions.iter().all(|region| region.name != name) {
            regions.push(FieldRegion {
                name,
                confidence: zone.log_probability.exp(),
                corners: corners.map(|corner| look.place(corner)),
            });
        }
    }
}

/// The items of a machine-readable zone, and whether all its check digits hold.
struct Machine {
    items: Vec<OcrField>,
    is_whole: bool,
}

/// All items once: those of the machine-readable zone first, then those of codes, then what is printed; and the printed ones that
/// repeat any of these. What is machine-readable and has no normal form gives way to what completes it. A code whose signature fails was
/// made by somebody else than its issuer: nothing of it is taken over.
fn merged(machine: Machine, codes: &[CodeReading], print: Vec<OcrField>) -> (Vec<OcrField>, Vec<OcrField>) {
    let trusted = codes.iter().filter(|code| code.signature != Signature::Invalid);
    let coded = trusted.flat_map(|code| code.fields.clone()).collect();
    let Machine { mut items, is_whole } = machine;
    added(&mut items, is_whole, coded);
    let repeated = added(&mut items, is_whole, print);
    (items, repeated)
}

/// Adds the items that are not known yet, or known less well; what is left of them.
fn added(items: &mut Vec<OcrField>, is_whole: bool, others: Vec<OcrField>) -> Vec<OcrField> {
    items.retain(|item| !others.iter().any(|other| is_surer(other, item, is_whole)));
    let mut left = Vec::new();
    for other in others {
        if items.iter().any(|item| item.name == other.name) {
            left.push(other);
        } else {
            items.push(other);
        }
    }
    left
}

/// Whether an item takes the place of one that has no normal form. The beginning of a name, and the digits of a date where the check digits
/// hold, are certain: nothing takes their place but what goes on with them.
fn is_surer(other: &OcrField, machine: &OcrField, is_whole: bool) -> bool {
    let is_name = matches!(
        machine.name,
        FieldName::LastName | FieldName::FirstName | FieldName::FullName
    );
    let is_in_part = is_name || is_whole && machine.name == FieldName::BirthDate;
    other.name == machine.name
        && other.normalized.is_some()
        && machine.normalized.is_none()
        && (!is_in_part || completes(other, machine))
}

/// Share of the document that something lies on, of the part that its labels are on where no outline is found, or of the print: a hand
/// that comes in over a side hides the side, too. `None` where there is too little print for a document, or little and no outline of its
/// shape.
fn obstructed(
    picture: &Raster,
    look: &Look<'_, '_>,
    (card, has_shape): (Option<&Sheet>, bool),
    portrait: Option<&Face>,
) -> Option<f32> {
    let lines = look.page.lines.len();
    if lines == 0 || (lines < LEAST_PRINT && !has_shape) {
        return None;
    }
    let sheet = |corners: Option<Corners>| Sheet::of(picture, &corners?);
    let share = |sheet: &Sheet, ground| obstructed_share(sheet, ground, portrait.map(|face| face.bounds));
    let labelled = if card.is_none() { sheet(look.labelled()) } else { None };
    let of_document = card.or(labelled.as_ref()).map(|card| share(card, Ground::Document));
    let of_print = sheet(look.printed()).map(|print| share(&print, Ground::Print));
    of_document.into_iter().chain(of_print).reduce(f32::max)
}

/// The corners of the card that was looked at: where its labels say, else as it was cut out, else as its outline is.
fn card(look: &Look<'_, '_>, outlines: &[Corners]) -> Option<Corners> {
    look.card_by_labels()
        .or_else(|| look.is_card.then(|| look.corners()))
        .or_else(|| outlines.first().copied())
}

/// What a picture was found to show, by which the judgement of its pixels is corrected.
struct Shown<'a, 'p, 'l> {
    look: &'a Look<'p, 'l>,
    /// Of the picture.
    size: [f32; 2],
    /// Of documents of this kind.
    proportions: Vec<f32>,
    outlines: &'a [Corners],
    portrait: Option<&'a Face>,
    /// Whether nothing was found that a document has.
    is_empty: bool,
}

impl Shown<'_, '_, '_> {
    /// The judgement of the pixels, corrected.
    fn corrected(&self, quality: Quality) -> Quality {
        let by_labels = self.look.card_by_labels();
        let mut quality = match by_labels {
            Some(corners) => extent::corrected(quality, &corners, self.size),
            None if self.is_empty && self.look.known.is_none() && quality.coverage.is_none() => {
                extent::without_document(quality)
            }
            None => quality,
        };
        if !by_labels.is_some_and(|corners| extent::is_inside(&corners, self.size)) {
            quality = self.with_extent(quality, by_labels);
        }
        if self.look.is_complete() {
            quality = extent::with_all_items(quality);
        }
        if self.look.known.is_some() {
            quality = extent::found(quality);
        }
        quality
    }

    /// Corrects whether the whole document is on the picture, where its labels do not say that it is.
    fn with_extent(&self, quality: Quality, by_labels: Option<Corners>) -> Quality {
        let (look, size) = (self.look, self.size);
        let outline = by_labels.or_else(|| self.outlines.first().copied());
        let shape = card(look, self.outlines).and_then(|card| extent::shape(&card, size, &self.proportions));
        // Print at the border is the table's where the outline reaches further than the document.
        let is_print_cut = shape != Some(Shape::Longer) && outline.is_some_and(|card| look.is_print_cut(&card, size));
        let fits = matches!(shape, Some(Shape::Whole | Shape::Longer));
        let is_cut = is_print_cut
            || shape == Some(Shape::Shorter)
            || look.is_known_print_cut(size)
            || (!fits && look.is_print_around_labels_cut(size))
            || look.page_by_zone().is_some_and(|page| extent::is_page_cut(&page, size))
            || self
                .portrait
                .is_some_and(|face| extent::is_portrait_cut(face.bounds, size));
        if is_cut {
            extent::cut(quality)
        } else if shape.is_some() || (look.known.is_some() && look.is_print_inside(size)) {
            extent::whole(quality)
        } else {
            quality
        }
    }
}

/// The corners of the cards that may be in a picture, the likeliest first.
fn outlines(picture: &Raster) -> Vec<Corners> {
    picture.frame().map_or_else(Vec::new, |frame| {
        lens::quality::outlines(&frame)
            .iter()
            .map(lens::outline::Outline::lying)
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::tests::{PAYLOAD, drawn};
    use crate::layout::Layouts;
    use crate::layout::tests::{TODAY, page};
    use crate::model::{Model, Tensor};
    use crate::text::{Alphabet, Lattice, MRZ_SYMBOLS, Reader};
    use domain::document::FieldName;
    use time::macros::date;

    fn item(name: FieldName, text: &str) -> OcrField {
        OcrField {
            side: Side::Back,
            name,
            text: Some(text.to_owned()),
            normalized: None,
        }
    }

    fn sure(name: FieldName, text: &str) -> OcrField {
        OcrField {
            normalized: Some(text.to_owned()),
            ..item(name, text)
        }
    }

    fn zone(items: Vec<OcrField>) -> Machine {
        Machine { items, is_whole: true }
    }

    #[test]
    fn what_completes_an_item_in_part_takes_its_place_and_nothing_else_does() {
        for (name, part, print, is_taken) in [
            (FieldName::BirthDate, "241002", "2024-10-02", true),
            (FieldName::BirthDate, "241002", "1990-03-05", false),
            (
                FieldName::FirstName,
                "CHAYAPA DEJTHAMRONG K",
                "Chayapa Dejthamrong Krasuang",
                true,
            ),
            (FieldName::FirstName, "CHAYAPA DEJTHAMRONG K", "PETER", false),
            (FieldName::LastName, "BENNELONG WOOLOOM", "BENNELONG WOOLOOMOOLOO", true),
            (FieldName::LastName, "BENNELONG WOOLOOM", "GIVEN NAMES", false),
        ] {
            let (kept, beside) = merged(zone(vec![item(name, part)]), &[], vec![sure(name, print)]);
            let expected = if is_taken {
                (vec![sure(name, print)], vec![])
            } else {
                (vec![item(name, part)], vec![sure(name, print)])
            };
            assert_eq!((kept, beside), expected, "{print}");
        }
    }

    #[test]
    fn a_date_whose_check_digit_may_have_failed_gives_way_to_the_print() {
        let machine = Machine {
            items: vec![item(FieldName::BirthDate, "740813")],
            is_whole: false,
        };
        let (kept, beside) = merged(machine, &[], vec![sure(FieldName::BirthDate, "1974-08-12")]);
        assert_eq!(kept[0].normalized.as_deref(), Some("1974-08-12"));
        assert!(beside.is_empty());
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
            ("01 MAR 2019", date!(2019 - 03 - 01)),
            ("ERIKSSON", date!(2019 - 03 - 01)),
        ] {
            let mut look = Look::blind(&picture);
            look.page.lines = page(&[(printed, 40.0, 10.0)]);
            look.machine = Some(mrz::zone_of(&lines.map(|line| (line, Lattice::default()))));
            let elements = elements(&mut look).unwrap();
            assert_eq!(elements.birth_date(TODAY), Some(born), "{printed}");
        }
    }

    #[test]
    fn a_code_completes_a_name_that_the_zone_cut() {
        let codes = [code(
            Signature::Valid,
            vec![sure(FieldName::LastName, "BENNELONG WOOLOOMOOLOO")],
        )];
        let (kept, _) = merged(zone(vec![item(FieldName::LastName, "BENNELONG W")]), &codes, Vec::new());
        assert_eq!(kept[0].normalized.as_deref(), Some("BENNELONG WOOLOOMOOLOO"));
    }

    fn code(signature: Signature, fields: Vec<OcrField>) -> CodeReading {
        CodeReading {
            standard: CodeStandard::Seal,
            kind: None,
            issuer: None,
            fields,
            signature,
        }
    }

    #[test]
    fn machine_readable_items_come_first_and_those_of_a_forged_code_not_at_all() {
        let codes = [
            code(Signature::Invalid, vec![item(FieldName::Address, "forged")]),
            code(
                Signature::Absent,
                vec![item(FieldName::LastName, "code"), item(FieldName::BirthDate, "code")],
            ),
        ];
        let printed = vec![
            item(FieldName::LastName, "print"),
            item(FieldName::BirthDate, "print"),
            item(FieldName::Address, "print"),
        ];
        let (kept, repeated) = merged(zone(vec![item(FieldName::LastName, "zone")]), &codes, printed);
        let texts = |fields: &[OcrField]| -> Vec<(FieldName, String)> {
            fields
                .iter()
                .map(|field| (field.name, field.text.clone().unwrap()))
                .collect()
        };
        assert_eq!(
            texts(&kept),
            [
                (FieldName::LastName, "zone".to_owned()),
                (FieldName::BirthDate, "code".to_owned()),
                (FieldName::Address, "print".to_owned()),
            ]
        );
        assert_eq!(
            texts(&repeated),
            [
                (FieldName::LastName, "print".to_owned()),
                (FieldName::BirthDate, "print".to_owned()),
            ]
        );
    }

    #[test]
    fn a_seal_with_an_address_does_not_end_the_search_for_the_zone_beside_it() {
        let of = |standard, kind| CodeReading {
            standard,
            kind,
            ..code(Signature::Valid, Vec::new())
        };
        assert!(!says_it_all(&of(CodeStandard::Seal, Some(DocumentType::IdCard))));
        assert!(!says_it_all(&of(CodeStandard::Aamva, None)));
        assert!(says_it_all(&of(
            CodeStandard::Aamva,
            Some(DocumentType::DrivingLicense)
        )));
    }

    #[test]
    fn the_date_of_a_passport_that_its_zone_does_not_have_is_that_of_issue() {
        let picture = Raster::filled(2000, 1400, [255; 3]);
        let zone = [
            (FieldName::BirthDate, date!(1990 - 03 - 23)),
            (FieldName::ExpiryDate, date!(2032 - 12 - 13)),
        ];
        let (reader, layouts) = (blank_reader(), Layouts::built_in().unwrap());
        let eye = Eye {
            reader: &reader,
            layouts: &layouts,
            kind: DocumentType::Passport,
            today: TODAY,
        };
        let issued = |dates: &[&str]| {
            let lines: Vec<_> = (0u8..)
                .zip(dates)
                .map(|(at, text)| (*text, 40.0, 10.0 + 5.0 * f32::from(at)))
                .collect();
            let mut look = Look::blind(&picture);
            look.page.lines = page(&lines);
            let mut reading = Reading::default();
            add_date_of_issue(&eye, &mut reading, &zone, &look, Side::Front).unwrap();
            let issued = reading.zone.fields.pop();
            assert_eq!(issued.is_some(), reading.regions.len() == 1);
            issued.and_then(|field| field.normalized)
        };
        let found = Some("2022-12-13".to_owned());
        assert_eq!(issued(&["23.03.1990", "13.12.2022", "13.12.2032"]), found);
        assert_eq!(issued(&["23 MAR/MÄR 90", "13.12.2022", "13 DEC/DEZ 32"]), found);
        let tomorrow = Some("2026-11-22".to_owned());
        assert_eq!(issued(&["23.03.1990", "22.11.2026", "13.12.2032"]), tomorrow);
        for unsettled in [
            &["23.03.1990", "23.11.2026", "13.12.2032"][..],
            &["23.03.1990", "13.12.2022"],
            &["23.03.1990", "13.12.2022", "12.12.2022", "13.12.2032"],
            &["23.03.1990", "13.12.1989", "13.12.2032"],
            &["23.03.1990", "13.12.2027", "13.12.2032"],
        ] {
            assert_eq!(issued(unsettled), None, "{unsettled:?}");
        }
    }

    fn blank_reader() -> Reader {
        let symbols: Vec<String> = MRZ_SYMBOLS
            .iter()
            .map(|symbol| char::from(*symbol).to_string())
            .collect();
        Reader {
            detector: Box::new(Blank),
            recogniser: Box::new(Blank),
            alphabet: Alphabet::parse(&symbols.join("\n")).unwrap(),
        }
    }

    /// Sees no text anywhere.
    struct Blank;

    impl Model for Blank {
        fn name(&self) -> &str {
            "blank"
        }
        fn run(&self, input: Tensor) -> Result<Vec<Tensor>, ModelError> {
            let data = vec![0.0; input.shape[2] * input.shape[3]];
            Ok(vec![Tensor {
                shape: input.shape,
                data,
            }])
        }
    }

    #[test]
    fn a_picture_is_looked_at_once_where_a_code_says_what_it_shows() {
        let reader = blank_reader();
        let layouts = Layouts::built_in().unwrap();
        let (kind, signers) = (DocumentType::DrivingLicense, code::Certificates::default());
        let eye = Eye {
            reader: &reader,
            layouts: &layouts,
            kind,
            today: TODAY,
        };
        let looks = |picture: &Raster| {
            let [width, height] = [picture.width() as f32, picture.height() as f32];
            let outlines =
                [0.0, 9.0].map(|by| [[by, by], [width - by, by], [width - by, height - by], [by, height - by]]);
            let mut codes = Codes::on(picture, &signers, (kind, Side::Back, TODAY));
            let mut watch = Stopwatch::start();
            look(&eye, &outlines, &mut codes, &mut watch).unwrap();
            let laps = watch.into_laps();
            laps.iter().filter(|lap| lap.stage == "text detection").count()
        };
        let with_code = drawn(PAYLOAD, 0.0, 2.2);
        let without = Raster::filled(with_code.width(), with_code.height(), [240; 3]);
        assert_eq!((looks(&with_code), looks(&without)), (1, 3));
    }
}
