//! Analyses one side of a document: the stages in order, each timed and each optional.

mod beside_text;
#[cfg(test)]
mod blank_reader;
mod codes;
mod directions;
mod issue_date;
mod judgement;
mod merge;
mod reading;
mod regions;
mod views;

pub(crate) use judgement::quality;

use crate::drawing::Trace;
use crate::extent::{self, Shape};
use crate::geometry::{Corners, are_inside, is_inside, mean};
use crate::layout::Layout;
use crate::model::ModelError;
use crate::observation::{DocumentReader, Observation};
use crate::portrait::{self, Portraits};
use crate::raster::Raster;
use crate::signals::{self, Rasters, Rectified};
use crate::stopwatch::Stopwatch;
use crate::{Vision, mrz, zone};
use beside_text::BesideText;
use codes::Codes;
use domain::civil_date;
use domain::document::{DocumentType, Side};
use domain::findings::{CodeReading, DocumentFindings, Face, PrintedDays, Quality, Unavailable};
use judgement::{Shown, card, is_about, obstructed, with_labels};
use lens::frame::ANALYSED_SIDE;
use lens::quality::look_at;
use merge::{Machine, merged};
use reading::Reading;
use std::panic::resume_unwind;
use time::Date;
use views::{observe, outlines};

/// Examines one side of a document.
pub(crate) fn examine(
    vision: &Vision,
    picture: &Raster,
    kind: DocumentType,
    side: Side,
    today: Date,
) -> (DocumentFindings, Trace) {
    let mut watch = Stopwatch::start();
    let plane = picture.frame().map(|frame| frame.plane(ANALYSED_SIDE));
    let quality = plane.as_ref().map(|plane| look_at(plane).quality).unwrap_or_default();
    watch.lap("quality");
    let outlines = plane
        .as_ref()
        .map_or_else(Vec::new, |plane| outlines(plane, [picture.width(), picture.height()]));
    watch.lap("outline");
    let mut examination = Examination {
        vision,
        picture,
        kind,
        side,
        today,
        outlines,
        unavailable: vision.missing_for_documents(),
        watch,
    };
    let contents = examination.read();
    let size = [picture.width() as f32, picture.height() as f32];
    let proportions = contents.seen.proportions(kind);
    let card = card(&contents.seen, &examination.outlines, size, &proportions);
    let portraits = examination.find_portraits(&contents.seen, card.as_ref());
    let judged = examination.judge(quality, &contents, card.as_ref(), portraits.main.as_ref());
    let rasters = examination.rasters(&contents, card.as_ref());
    examination.conclude(judged, rasters, contents, portraits)
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

/// What the pixels are like, given what they show.
struct Judged {
    quality: Quality,
    /// Whether the document is printed without any colour.
    is_colourless: bool,
}

/// What a side shows.
struct Contents<'v> {
    seen: Observation<'v, 'v>,
    reading: Reading,
    codes: Vec<CodeReading>,
    beside: BesideText,
}

impl<'v> Examination<'v> {
    /// Reads print, zone and codes, and measures what needs no text.
    fn read(&mut self) -> Contents<'v> {
        let (vision, picture, side) = (self.vision, self.picture, self.side);
        let readable = vision.reader.as_ref().zip(vision.layouts.as_ref());
        let reader = readable.map(|(text, layouts)| DocumentReader {
            text,
            layouts,
            kind: self.kind,
            today: self.today,
        });
        let mut codes = Codes::on(picture, &vision.signers, self.kind, side, self.today);
        let (outlines, watch) = (&self.outlines, &mut self.watch);
        // Neither half needs the other: where a core is free, they take the time of the longer one.
        let (read, beside) = std::thread::scope(|scope| {
            let beside = scope.spawn(|| BesideText::of(picture, outlines.first()));
            let read = read_picture(reader.as_ref(), outlines, &mut codes, watch);
            (read, beside.join().unwrap_or_else(|panic| resume_unwind(panic)))
        });
        let (seen, reading) = read.unwrap_or_else(|error| {
            error.log();
            self.unavailable.push(Unavailable::Text);
            (Observation::blind(picture), Reading::default())
        });
        let may_have_code = |layout: &Layout| layout.side != side || layout.code;
        // Many backs repeat the words of the front, but not its items.
        if seen
            .known
            .as_ref()
            .is_none_or(|known| may_have_code(known.layout) || known.items.is_empty())
        {
            codes.find(&mut self.watch);
        }
        Contents {
            seen,
            reading,
            codes: codes.found(),
            beside,
        }
    }

    fn find_portraits(&mut self, seen: &Observation<'_, '_>, card: Option<&Corners>) -> Portraits {
        let card = with_labels(seen, card, &self.outlines);
        let portraits = portrait::find(self.vision.faces.as_ref(), seen, card.as_ref(), self.side);
        let portraits = portraits.unwrap_or_else(|error| {
            error.log();
            self.unavailable.push(Unavailable::Face);
            Portraits::default()
        });
        self.watch.lap("portrait");
        portraits
    }

    /// The judgement of the pixels, corrected by what they show.
    fn judge(
        &mut self,
        quality: Quality,
        contents: &Contents<'_>,
        card: Option<&Corners>,
        portrait: Option<&Face>,
    ) -> Judged {
        let (picture, seen) = (self.picture, &contents.seen);
        let is_readable = self.unavailable.is_empty();
        let size = [picture.width() as f32, picture.height() as f32];
        let has_nothing = contents.codes.is_empty() && portrait.is_none() && is_readable;
        let shown = Shown {
            seen,
            size,
            proportions: seen.proportions(self.kind),
            outlines: &self.outlines,
            portrait,
            is_machine_read: mrz::is_complete(seen.machine.as_ref()) || !contents.codes.is_empty(),
            is_empty: has_nothing && contents.reading.is_empty(self.side, seen.is_print_of_sheet(size)),
            lacks_all: has_nothing && self.side == Side::Front && contents.reading.lacks_items(),
        };
        let quality = shown.corrected(quality);
        let rectified = card.and_then(|card| Rectified::of(picture, card));
        let shape = card.and_then(|card| extent::shape(card, size, &shown.proportions));
        let has_shape = shape == Some(Shape::Whole);
        let print = seen.printed().and_then(|print| Rectified::of(picture, &print));
        let portrait_bounds = portrait.map(|face| face.bounds);
        let glare = match &rectified {
            Some(card) => signals::reflected_share(card, portrait_bounds),
            // Of a document without known edges, the brightest parts of the picture and what lies over its print.
            None => print.as_ref().map_or(quality.glare, |print| {
                quality.glare.max(signals::veiled_share(print, portrait_bounds))
            }),
        };
        let quality = Quality {
            glare,
            obstructed: obstructed(
                picture,
                seen,
                rectified.as_ref(),
                print.as_ref(),
                has_shape,
                portrait_bounds,
            ),
            ..quality
        };
        // A back may be printed in black and white.
        let is_colourless = self.side == Side::Front
            && match rectified.filter(|_| has_shape).or(print) {
                Some(document) => signals::is_colourless(&document),
                None => false,
            };
        self.watch.lap("obstruction");
        Judged { quality, is_colourless }
    }

    /// The rasters that the document has: on the card or, where that is not known, around its print.
    fn rasters(&mut self, contents: &Contents<'_>, card: Option<&Corners>) -> Option<Rasters> {
        if card
            .zip(self.outlines.first())
            .is_some_and(|(card, outline)| is_about(card, outline))
        {
            return contents.beside.rasters;
        }
        let print = contents.seen.print();
        let rasters = signals::rasters(self.picture, |tile| match card {
            Some(card) => are_inside(card, tile),
            None => print.iter().any(|line| is_inside(line, mean(tile))),
        });
        self.watch.lap("raster");
        rasters
    }

    fn conclude(
        self,
        judged: Judged,
        rasters: Option<Rasters>,
        contents: Contents<'v>,
        portraits: Portraits,
    ) -> (DocumentFindings, Trace) {
        let Contents {
            seen,
            mut reading,
            mut codes,
            beside,
        } = contents;
        let individual_number = seen.individual_number;
        if individual_number {
            // Nobody may collect it, nor what stands beside it.
            (reading, codes) = (Reading::default(), Vec::new());
        }
        let mut unavailable = self.unavailable;
        unavailable.sort_unstable();
        unavailable.dedup();
        let trace = Trace::of(&seen);
        let is_whole = mrz::is_complete(seen.machine.as_ref());
        let (fields, printed) = merged(
            Machine {
                items: reading.machine,
                is_whole,
            },
            &codes,
            reading.zone.fields,
        );
        let specimen_words = reading.zone.is_of_nowhere || zone::says_specimen(&seen.page.lines, &fields);
        let findings = DocumentFindings {
            side: self.side,
            quality: judged.quality,
            mrz: reading.mrz,
            layout: seen.known.as_ref().map(|known| known.reading.clone()),
            fields,
            printed,
            days_in_print: PrintedDays(reading.zone.days.into_iter().map(civil_date::format).collect()),
            codes,
            regions: reading.regions,
            outline: seen.is_card.then(|| seen.corners()),
            text_lines: reading.zone.lines,
            viz_agreement: reading.zone.agreement,
            portrait: portraits.main,
            portrait_crop: portraits.crop,
            portrait_repeated: portraits.distance,
            grey_share: Some(if judged.is_colourless { 1.0 } else { beside.grey_share }),
            raster_z: rasters.map(|found| found.each),
            halftone_z: rasters.map(|found| found.steady),
            likeness: Some(beside.likeness),
            specimen_words,
            individual_number,
            unavailable,
            models: self.vision.models(),
            timings: self.watch.into_laps().into_iter().chain(beside.timings).collect(),
        };
        (findings, trace)
    }
}

/// Reads the picture that may have codes, and what its text says.
fn read_picture<'a, 'l>(
    reader: Option<&DocumentReader<'l>>,
    outlines: &[Corners],
    codes: &mut Codes<'a>,
    watch: &mut Stopwatch,
) -> Result<(Observation<'a, 'l>, Reading), ModelError> {
    let Some(reader) = reader else {
        return Ok((Observation::blind(codes.picture), Reading::default()));
    };
    let mut seen = observe(reader, outlines, codes, watch)?;
    let reading = reading::read(reader, &mut seen, codes.side)?;
    watch.lap("items");
    Ok((seen, reading))
}
