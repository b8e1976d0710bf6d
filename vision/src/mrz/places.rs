//! Where the items of a machine-readable zone stand: for people who compare a reading with the print.

use super::find::{Row, Zone};
use crate::extent;
use crate::geometry::Corners;
use crate::text::Area;
use domain::document::FieldName;
use domain::findings::MrzFormat;

/// Part of a symbol's pitch that belongs to an item on either side: its first and last symbol are known by their middles. The rest of them is in
/// the margin that a cut-out has, in which half of the next symbol would be seen otherwise.
const MARGIN: f32 = 0.25;
/// Share of a line's area that its letters fill: the rest reaches into the lines above and below.
const LETTERS: f32 = 0.75;
/// Room on every side of a page, as a share of its width: it is seen from above, below or beside, and its zone does not say from where.
const ROOM: f32 = 0.07;

/// An item: its line, and its symbols from and to (ICAO 9303 parts 4 to 7).
type Range = (FieldName, usize, usize, usize);

const CARD: [Range; 6] = [
    (FieldName::BirthDate, 1, 0, 6),
    (FieldName::Gender, 1, 7, 8),
    (FieldName::Nationality, 1, 15, 18),
    (FieldName::DocumentNumber, 0, 5, 14),
    (FieldName::ExpiryDate, 1, 8, 14),
    (FieldName::IssuingCountry, 0, 2, 5),
];
const TWO_LINES: [Range; 6] = [
    (FieldName::BirthDate, 1, 13, 19),
    (FieldName::Gender, 1, 20, 21),
    (FieldName::Nationality, 1, 10, 13),
    (FieldName::DocumentNumber, 1, 0, 9),
    (FieldName::ExpiryDate, 1, 21, 27),
    (FieldName::IssuingCountry, 0, 2, 5),
];

const FRENCH: [Range; 4] = [
    (FieldName::DocumentNumber, 1, 0, 12),
    (FieldName::BirthDate, 1, 27, 33),
    (FieldName::Gender, 1, 34, 35),
    (FieldName::IssuingCountry, 0, 2, 5),
];

/// The zone's items, each with its corners on the page, and the zone itself.
pub(crate) fn places(zone: &Zone) -> Vec<(FieldName, Corners)> {
    let ranges: &[Range] = match zone.format {
        MrzFormat::Td1 => &CARD,
        MrzFormat::Td2 | MrzFormat::Td3 | MrzFormat::MrvA | MrzFormat::MrvB => &TWO_LINES,
        MrzFormat::France => &FRENCH,
        // What its line holds is up to the state.
        MrzFormat::License => &[],
    };
    let items = ranges.iter().copied().chain(names(zone));
    let place = |(name, line, from, to): Range| {
        let text = zone.lines.get(line)?.get(from..to)?.trim_matches('<');
        let row = zone.rows.get(line).filter(|_| !text.is_empty())?;
        Some((name, row.part(text, from)))
    };
    items
        .filter_map(place)
        .chain(whole(&zone.rows).map(|corners| (FieldName::Mrz, corners)))
        .collect()
}

/// The family name and the given names, which share a line.
fn names(zone: &Zone) -> Vec<Range> {
    let (line, from) = match zone.format {
        MrzFormat::Td1 => (2, 0),
        MrzFormat::License => return Vec::new(),
        MrzFormat::France => return vec![(FieldName::LastName, 0, 5, 30), (FieldName::FirstName, 1, 13, 27)],
        MrzFormat::Td2 | MrzFormat::Td3 | MrzFormat::MrvA | MrzFormat::MrvB => (0, 5),
    };
    let Some(text) = zone.lines.get(line).and_then(|line| line.get(from..)) else {
        return Vec::new();
    };
    let surname = text.split_once("<<").map_or(text.len(), |(surname, _)| surname.len());
    let given = (surname + 2).min(text.len());
    vec![
        (FieldName::LastName, line, from, from + surname),
        (FieldName::FirstName, line, from + given, from + text.len()),
    ]
}

/// The corners of the page that a zone belongs to, with room for what perspective does to it; `None` for formats whose zone is on the back.
pub(crate) fn page(zone: &Zone) -> Option<Corners> {
    match zone.format {
        MrzFormat::Td2 | MrzFormat::Td3 | MrzFormat::France => {}
        MrzFormat::Td1 | MrzFormat::MrvA | MrzFormat::MrvB | MrzFormat::License => return None,
    }
    let line = zone.rows.last()?.area.corners();
    extent::page_of_zone(zone.format, &line).map(|page| extent::with_room(&page, ROOM))
}

impl Row {
    /// The corners of a text that begins at about this symbol; those of the whole line where it was not read freely.
    fn part(&self, text: &str, near: usize) -> Corners {
        let wanted: Vec<char> = text.chars().collect();
        let read: Vec<char> = self.symbols.iter().map(|(symbol, _)| *symbol).collect();
        let found = read
            .windows(wanted.len())
            .enumerate()
            .filter(|(_, window)| *window == wanted)
            .map(|(at, _)| at)
            .min_by_key(|at| at.abs_diff(near));
        let Some(first) = found else {
            return self.between(0.0, 1.0);
        };
        let at = |index: usize| self.symbols[index].1;
        let last = first + wanted.len() - 1;
        let steps = self.symbols.len().saturating_sub(1).max(1) as f32;
        let pitch = (at(self.symbols.len() - 1) - at(0)) / steps;
        self.between(
            (at(first) - pitch * MARGIN).max(0.0),
            (at(last) + pitch * MARGIN).min(1.0),
        )
    }

    /// The corners of a part of the line; 0 is its left end, 1 its right end.
    fn between(&self, from: f32, to: f32) -> Corners {
        let area = &self.area;
        let part = Area {
            half_width: area.half_width * (to - from),
            half_height: area.half_height * LETTERS,
            x: area.x + area.half_width * (from + to - 1.0) * area.angle.cos(),
            y: area.y + area.half_width * (from + to - 1.0) * area.angle.sin(),
            ..*area
        };
        part.corners()
    }
}

/// The corners of all lines together.
fn whole(rows: &[Row]) -> Option<Corners> {
    let angle = rows.first()?.area.angle;
    let corners: Vec<[f32; 2]> = rows.iter().flat_map(|row| row.area.corners()).collect();
    Some(Area::along(&corners, angle).corners())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Lattice;

    const ZONE: [&str; 2] = [
        "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<",
        "L898902C36UTO7408122F1204159ZE184226B<<<<<10",
    ];

    /// A zone of which the recogniser read `free`, its symbols 10 pixels apart from 5 on.
    fn zone(free: [&str; 2]) -> Zone {
        let row = |(index, text): (usize, &str)| {
            let count = text.len() as f32;
            Row {
                area: Area {
                    x: count * 5.0,
                    y: 100.0 + 30.0 * index as f32,
                    half_width: count * 5.0,
                    half_height: 10.0,
                    angle: 0.0,
                },
                symbols: text
                    .chars()
                    .enumerate()
                    .map(|(at, symbol)| (symbol, (at as f32 + 0.5) / count))
                    .collect(),
                lattice: Lattice::default(),
            }
        };
        Zone {
            format: MrzFormat::Td3,
            lines: ZONE.map(str::to_owned).to_vec(),
            free: free.map(str::to_owned).to_vec(),
            rows: free.into_iter().enumerate().map(row).collect(),
            log_probability: -0.01,
            passed: 5,
            total: 5,
        }
    }

    fn place(zone: &Zone, name: FieldName) -> [f32; 4] {
        let places = places(zone);
        let (_, corners) = places.iter().find(|(other, _)| *other == name).unwrap();
        [corners[0][0], corners[0][1], corners[2][0], corners[2][1]].map(|at| (at * 2.0).round() / 2.0)
    }

    #[test]
    fn each_item_is_found_where_it_is_printed() {
        let zone = zone(ZONE);
        assert_eq!(place(&zone, FieldName::LastName), [52.5, 92.5, 127.5, 107.5]);
        assert_eq!(place(&zone, FieldName::FirstName), [152.5, 92.5, 247.5, 107.5]);
        assert_eq!(place(&zone, FieldName::BirthDate), [132.5, 122.5, 187.5, 137.5]);
        assert_eq!(place(&zone, FieldName::Gender), [202.5, 122.5, 207.5, 137.5]);
        assert_eq!(place(&zone, FieldName::Mrz), [0.0, 90.0, 440.0, 140.0]);
    }

    #[test]
    fn the_page_of_a_zone_reaches_from_below_it_to_its_own_height_above() {
        let [left_top, right_top, right_bottom, left_bottom] = page(&zone(ZONE)).unwrap();
        let [zone_left_top, _, zone_right_bottom, zone_left_bottom] = whole(&zone(ZONE).rows).unwrap();
        let length = zone_right_bottom[0] - zone_left_bottom[0];
        assert!(left_top[0] < zone_left_top[0] && right_bottom[0] > zone_right_bottom[0]);
        assert!(left_bottom[1] > zone_left_bottom[1] && right_top[1] > zone_left_bottom[1] - length);
        assert!((right_bottom[0] - left_bottom[0]) / length < 1.3);
        let back = Zone {
            format: MrzFormat::Td1,
            ..zone(ZONE)
        };
        assert_eq!(page(&back), None);
    }

    #[test]
    fn fillers_that_were_miscounted_move_nothing_and_what_was_not_read_shows_its_line() {
        let zone = zone([
            "P<UTOERIKSSON<<ANNA<MARIA<<<<<",
            "L898902C36UT07408I22F1204159ZE184226B<<10",
        ]);
        assert_eq!(place(&zone, FieldName::LastName), [52.5, 92.5, 127.5, 107.5]);
        assert_eq!(place(&zone, FieldName::BirthDate), [0.0, 122.5, 410.0, 137.5]);
        assert_eq!(place(&zone, FieldName::ExpiryDate), [212.5, 122.5, 267.5, 137.5]);
    }
}
