//! One side of a document: the stages in their order, each timed, each allowed to be missing.

use crate::face::geometry::Point;
use crate::model::ModelError;
use crate::raster::Raster;
use crate::stopwatch::Stopwatch;
use crate::text::{Line, Page, Reader};
use crate::{Vision, mrz, signals, zone};
use domain::document::{DocumentType, Side};
use domain::findings::{DocumentFindings, Face, MrzReading, Quality, Unavailable};
use lens::frame::Frame;
use time::Date;

/// Width of the lines read where a complete machine-readable zone says what matters: enough to see the visual zone repeat it.
const BESIDE_ZONE: usize = 3200;
/// Width of the lines read where the visual zone is all there is.
const WHOLE_PAGE: usize = 12_000;

/// What the stages that read have found.
#[derive(Default)]
struct Reading {
    mrz: Option<MrzReading>,
    zone: zone::VisualZone,
}

pub(crate) fn examine(
    vision: &Vision,
    picture: &Raster,
    kind: DocumentType,
    side: Side,
    today: Date,
) -> DocumentFindings {
    let mut watch = Stopwatch::start();
    let quality = quality(picture);
    watch.lap("quality");
    let mut unavailable = vision.missing();
    let (page, reading) = match read(vision, picture, kind, side, today, &mut watch) {
        Ok(read) => read,
        Err(_) => {
            unavailable.push(Unavailable::Text);
            (Page::blank(picture), Reading::default())
        }
    };
    let portrait = portrait(vision, &page, picture, side).unwrap_or_else(|_| {
        unavailable.push(Unavailable::Face);
        None
    });
    watch.lap("portrait");
    let (grey_share, raster_z) = (signals::grey_share(picture), signals::raster_z(picture));
    watch.lap("signals");
    unavailable.sort_unstable();
    unavailable.dedup();
    DocumentFindings {
        side,
        quality,
        mrz: reading.mrz,
        fields: reading.zone.fields,
        text_lines: reading.zone.lines,
        viz_agreement: reading.zone.agreement,
        portrait,
        grey_share: Some(grey_share),
        raster_z,
        specimen_words: reading.zone.specimen_words,
        unavailable,
        models: vision.models(),
        timings: watch.into_laps(),
    }
}

pub(crate) fn quality(picture: &Raster) -> Quality {
    frame(picture)
        .map(|frame| lens::quality::judge(&frame))
        .unwrap_or_default()
}

/// The picture as `lens` takes it.
pub(crate) fn frame(picture: &Raster) -> Option<Frame<'_>> {
    Frame::rgb(
        u32::try_from(picture.width()).ok()?,
        u32::try_from(picture.height()).ok()?,
        picture.pixels(),
    )
}

fn read<'a>(
    vision: &Vision,
    picture: &'a Raster,
    kind: DocumentType,
    side: Side,
    today: Date,
    watch: &mut Stopwatch,
) -> Result<(Page<'a>, Reading), ModelError> {
    let Some(reader) = &vision.reader else {
        return Ok((Page::blank(picture), Reading::default()));
    };
    let areas = reader.areas(picture)?;
    watch.lap("text detection");
    let mut page = reader.page(picture, &areas)?;
    reader.read(&mut page, WHOLE_PAGE, mrz::is_flat)?;
    watch.lap("text recognition of long lines");
    let mut machine = find_zone(reader, &page, kind)?;
    watch.lap("mrz");
    let complete = mrz::is_complete(machine.as_ref());
    reader.read(&mut page, if complete { BESIDE_ZONE } else { WHOLE_PAGE }, |_| true)?;
    if kind == DocumentType::MyNumberCard {
        page.lines.retain(|line| !zone::has_individual_number(&line.text));
    }
    watch.lap("text recognition");
    if !complete {
        machine = find_zone(reader, &page, kind)?;
        watch.lap("mrz again");
    }
    let (mut fields, elements, mrz) = match machine {
        Some(machine) => {
            let elements = mrz::Elements::new(machine.format, &machine.lines);
            let fields = elements.fields(side, &machine.lines.join("\n"), today);
            (fields, Some(elements), Some(mrz::reading(&machine)))
        }
        None => (Vec::new(), None, None),
    };
    let visible: Vec<&Line> = page.lines.iter().filter(|line| !mrz::is_candidate(line)).collect();
    let visual = zone::read(&visible, kind, side, elements.as_ref(), today);
    fields.extend(
        visual
            .fields
            .into_iter()
            .filter(|field| fields.iter().all(|f| f.name != field.name))
            .collect::<Vec<_>>(),
    );
    watch.lap("visual zone");
    Ok((
        page,
        Reading {
            mrz,
            zone: zone::VisualZone { fields, ..visual },
        },
    ))
}

/// The machine-readable zone, where this kind of document may have one.
fn find_zone(reader: &Reader, page: &Page<'_>, kind: DocumentType) -> Result<Option<mrz::Zone>, ModelError> {
    match kind {
        // Nothing of this card's codes may be read.
        DocumentType::MyNumberCard => Ok(None),
        DocumentType::DrivingLicense
        | DocumentType::ResidenceCard
        | DocumentType::SpecialPermanentResidentCertificate
        | DocumentType::DrivingHistoryCertificate
        | DocumentType::Passport
        | DocumentType::IdCard => mrz::find(reader, &page.picture, &page.lines),
    }
}

/// The portrait, in pixels of the picture that was given; backs have none.
fn portrait(vision: &Vision, page: &Page<'_>, picture: &Raster, side: Side) -> Result<Option<Face>, ModelError> {
    let (Some(faces), Side::Front) = (&vision.faces, side) else {
        return Ok(None);
    };
    let face = faces.largest(&page.picture)?;
    Ok(face.map(|face| turned_back(face, page.quarters, picture)))
}

/// The face where it lies in the picture before it was turned upright.
fn turned_back(mut face: Face, quarters: u8, picture: &Raster) -> Face {
    let (width, height) = (picture.width() as f32, picture.height() as f32);
    let place = |p: Point| match quarters % 4 {
        0 => p,
        1 => [p[1], height - 1.0 - p[0]],
        2 => [width - 1.0 - p[0], height - 1.0 - p[1]],
        _ => [width - 1.0 - p[1], p[0]],
    };
    let [left, top, w, h] = face.bounds;
    let (a, b) = (place([left, top]), place([left + w, top + h]));
    face.bounds = [a[0].min(b[0]), a[1].min(b[1]), (a[0] - b[0]).abs(), (a[1] - b[1]).abs()];
    face.eyes = face.eyes.map(place);
    face
}
