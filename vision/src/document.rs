//! One side of a document: the stages in their order, each timed, each allowed to be missing.

use crate::face::geometry::Point;
use crate::model::ModelError;
use crate::raster::Raster;
use crate::stopwatch::Stopwatch;
use crate::text::{Area, Line, Page, Reader};
use crate::{Vision, code, likeness, mrz, signals, zone};
use domain::document::{DocumentType, OcrField, Side};
use domain::findings::{CodeReading, DocumentFindings, Face, MrzReading, Quality, Signature, Unavailable};
use lens::frame::Frame;
use time::Date;

/// Width of the lines read where a complete machine-readable zone says what matters: enough to see the visual zone repeat it.
const BESIDE_ZONE: usize = 3200;
/// Four of the five items that both zones have: reading more would change no decision.
const ENOUGH: f32 = 0.8;
/// The lines of a zone are the longest of a page, or nearly: those shorter than this share are read later.
const LIKE_THE_LONGEST: f32 = 0.4;
/// Width of the lines read where the visual zone is all there is.
const WHOLE_PAGE: usize = 12_000;

/// What the stages that read have found.
#[derive(Default)]
struct Reading {
    mrz: Option<MrzReading>,
    /// Items of the machine-readable zone.
    machine: Vec<OcrField>,
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
    let codes = code::read(picture, kind, side, today, &vision.signers);
    watch.lap("codes");
    let portrait = portrait(vision, &page, picture, side).unwrap_or_else(|_| {
        unavailable.push(Unavailable::Face);
        None
    });
    watch.lap("portrait");
    let (grey_share, raster_z) = (signals::grey_share(picture), signals::raster_z(picture));
    watch.lap("signals");
    let likeness = likeness::describe(picture);
    watch.lap("likeness");
    unavailable.sort_unstable();
    unavailable.dedup();
    DocumentFindings {
        side,
        quality,
        mrz: reading.mrz,
        layout: None,
        fields: merged(reading.machine, &codes, reading.zone.fields),
        codes,
        places: Vec::new(),
        outline: None,
        text_lines: reading.zone.lines,
        viz_agreement: reading.zone.agreement,
        portrait,
        grey_share: Some(grey_share),
        raster_z,
        likeness: Some(likeness),
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
    let machine = read_machine_zone(reader, &mut page, kind, watch)?;
    let elements = machine
        .as_ref()
        .map(|zone| mrz::Elements::new(zone.format, &zone.lines));
    let visible = |page: &mut Page<'_>, budget: usize| {
        reader.read(page, budget, |_| true)?;
        if kind == DocumentType::MyNumberCard {
            page.lines.retain(|line| !zone::has_individual_number(&line.text));
        }
        let lines: Vec<&Line> = page.lines.iter().filter(|line| !mrz::is_candidate(line)).collect();
        Ok::<_, ModelError>(zone::read(&lines, kind, side, elements.as_ref(), today))
    };
    let complete = mrz::is_complete(machine.as_ref());
    let mut visual = visible(&mut page, if complete { BESIDE_ZONE } else { WHOLE_PAGE })?;
    let enough = visual.agreement.is_some_and(|share| share >= ENOUGH) || side == Side::Back;
    if complete && !enough && !page.is_read() {
        visual = visible(&mut page, WHOLE_PAGE)?;
    }
    watch.lap("visual zone");
    let fields = match (&machine, &elements) {
        (Some(zone), Some(elements)) => elements.fields(side, &zone.lines.join("\n"), today),
        _ => Vec::new(),
    };
    Ok((
        page,
        Reading {
            mrz: machine.as_ref().map(mrz::reading),
            machine: fields,
            zone: visual,
        },
    ))
}

/// All items once: those of the machine-readable zone first, then those of codes, then what is printed. A code whose signature
/// fails was made by somebody else than its issuer: nothing of it is taken over.
fn merged(machine: Vec<OcrField>, codes: &[CodeReading], visual: Vec<OcrField>) -> Vec<OcrField> {
    let trusted = codes.iter().filter(|code| code.signature != Signature::Invalid);
    let mut kept = machine;
    for field in trusted.flat_map(|code| code.fields.clone()).chain(visual) {
        if kept.iter().all(|known| known.name != field.name) {
            kept.push(field);
        }
    }
    kept
}

/// The machine-readable zone, from the longest lines alone or, where that is not enough, from all of them.
fn read_machine_zone(
    reader: &Reader,
    page: &mut Page<'_>,
    kind: DocumentType,
    watch: &mut Stopwatch,
) -> Result<Option<mrz::Zone>, ModelError> {
    if !may_have_zone(kind) {
        return Ok(None);
    }
    let longest = page.lines.iter().map(|line| line.area.half_width).fold(0.0, f32::max);
    let alike = |area: &Area| mrz::is_flat(area) && area.half_width > longest * LIKE_THE_LONGEST;
    reader.read(page, WHOLE_PAGE, alike)?;
    watch.lap("text recognition");
    let first = mrz::find(reader, &page.picture, &page.lines, 1)?;
    watch.lap("mrz");
    if mrz::is_complete(first.as_ref()) {
        return Ok(first);
    }
    reader.read(page, WHOLE_PAGE, |_| true)?;
    watch.lap("text recognition of all lines");
    let second = mrz::find(reader, &page.picture, &page.lines, usize::MAX)?;
    watch.lap("mrz of all lines");
    Ok(second.or(first))
}

/// Whether this kind of document may have a machine-readable zone. Nothing of a My Number card's codes may be read.
const fn may_have_zone(kind: DocumentType) -> bool {
    match kind {
        DocumentType::MyNumberCard => false,
        DocumentType::DrivingLicense
        | DocumentType::ResidenceCard
        | DocumentType::SpecialPermanentResidentCertificate
        | DocumentType::DrivingHistoryCertificate
        | DocumentType::Passport
        | DocumentType::IdCard => true,
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

#[cfg(test)]
mod tests {
    use super::*;
    use domain::document::FieldName;
    use domain::findings::CodeStandard;

    fn item(name: FieldName, text: &str) -> OcrField {
        OcrField {
            side: Side::Back,
            name,
            text: Some(text.to_owned()),
            normalized: None,
        }
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
        let kept = merged(vec![item(FieldName::LastName, "zone")], &codes, printed);
        let texts: Vec<_> = kept
            .iter()
            .map(|field| (field.name, field.text.as_deref().unwrap()))
            .collect();
        assert_eq!(
            texts,
            [
                (FieldName::LastName, "zone"),
                (FieldName::BirthDate, "code"),
                (FieldName::Address, "print"),
            ]
        );
    }
}
