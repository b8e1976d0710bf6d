//! The date of issue of a passport whose label was too small to be read.

use crate::model::ModelError;
use crate::observation::{DocumentReader, Observation};
use crate::{confirm, layout, mrz};
use domain::civil_date;
use domain::document::{FieldName, OcrField, Side};
use domain::findings::FieldRegion;
use time::Date;

/// Adds to its items the date of issue of a passport whose label was too small to be read: the page has three dates (ICAO 9303-4), and the zone says
/// which two are the others.
pub(super) fn add_date_of_issue(
    reader: &DocumentReader<'_>,
    fields: &mut Vec<OcrField>,
    regions: &mut Vec<FieldRegion>,
    zone: &[(FieldName, Date)],
    seen: &Observation<'_, '_>,
    side: Side,
) -> Result<(), ModelError> {
    let (name, today) = (FieldName::IssueDate, reader.today);
    let &[(FieldName::BirthDate, born), (FieldName::ExpiryDate, expires)] = zone else {
        return Ok(());
    };
    let lines = &seen.page.lines;
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
    let is_known = fields.iter().any(|field| field.name == name);
    if is_known || !fits || !has(&expires) || !confirm::is_date(reader, seen, issued)? {
        return Ok(());
    }
    fields.push(OcrField {
        side,
        name,
        text: Some(issued.text.clone()),
        normalized: Some(issued.normalized.clone()),
    });
    regions.extend(lines.get(issued.line).map(|line| FieldRegion {
        name,
        confidence: issued.confidence,
        corners: line.area.corners().map(|corner| seen.place(corner)),
    }));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::blank_reader::blank_reader;
    use super::*;
    use crate::layout::Layouts;
    use crate::layout::tests::{TODAY, page};
    use crate::raster::Raster;
    use domain::document::DocumentType;
    use time::macros::date;

    #[test]
    fn the_date_of_a_passport_that_its_zone_does_not_have_is_that_of_issue() {
        let picture = Raster::filled(2000, 1400, [255; 3]);
        let zone = [
            (FieldName::BirthDate, date!(1990 - 03 - 23)),
            (FieldName::ExpiryDate, date!(2032 - 12 - 13)),
        ];
        let (text, layouts) = (blank_reader(), Layouts::built_in().unwrap());
        let reader = DocumentReader {
            text: &text,
            layouts: &layouts,
            kind: DocumentType::Passport,
            today: TODAY,
        };
        let issued = |dates: &[&str]| {
            let lines: Vec<_> = (0u8..)
                .zip(dates)
                .map(|(at, text)| (*text, 40.0, 10.0 + 5.0 * f32::from(at)))
                .collect();
            let mut seen = Observation::blind(&picture);
            seen.page.lines = page(&lines);
            let (mut fields, mut regions) = (Vec::new(), Vec::new());
            add_date_of_issue(&reader, &mut fields, &mut regions, &zone, &seen, Side::Front).unwrap();
            let issued = fields.pop();
            assert_eq!(issued.is_some(), regions.len() == 1);
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
}
