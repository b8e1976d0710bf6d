//! Print in more than one direction: a card that lies across a printed page, whose lines would give the wrong orientation.

use crate::text::Area;
use std::f32::consts::PI;

/// Lines that a document has in its direction, at least.
pub(super) const LEAST_LINES: usize = 5;
/// Width over height from which a line tells its direction.
const LONG: f32 = 3.0;
/// Lines that differ by less than this, in radians, are of one card or page: seen at a slant, its lines are not quite parallel.
const ALIKE: f32 = 0.14;
/// How much wider and higher than its long lines a document's print is at most: names and labels are too short to tell their direction.
const SHORT_LINES: [f32; 2] = [1.15, 1.3];

/// What is printed in each direction, the smallest first; nothing where all lines have one.
pub(super) fn prints(areas: &[Area]) -> Vec<Area> {
    let is_long = |area: &&Area| area.half_width > LONG * area.half_height;
    let mut rest: Vec<&Area> = areas.iter().filter(is_long).collect();
    rest.sort_by(|one, other| other.half_width.total_cmp(&one.half_width));
    let mut prints = Vec::new();
    while let Some(longest) = rest.first() {
        let angle = longest.angle;
        let (alike, others): (Vec<&Area>, Vec<&Area>) =
            rest.into_iter().partition(|area| between(area.angle, angle) < ALIKE);
        if alike.len() >= LEAST_LINES {
            let corners: Vec<[f32; 2]> = alike.iter().flat_map(|area| area.surroundings()).collect();
            let lines = Area::along(&corners, angle);
            prints.push(Area {
                half_width: lines.half_width * SHORT_LINES[0],
                half_height: lines.half_height * SHORT_LINES[1],
                ..lines
            });
        }
        rest = others;
    }
    if prints.len() < 2 {
        return Vec::new();
    }
    let size = |print: &Area| print.half_width * print.half_height;
    prints.sort_by(|one, other| size(one).total_cmp(&size(other)));
    prints
}

/// The angle between two directions of print, which may be read either way.
fn between(one: f32, other: f32) -> f32 {
    let angle = (one - other).rem_euclid(PI);
    angle.min(PI - angle)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f32::consts::FRAC_PI_2;

    /// Lines below each other, from this place on in this direction.
    fn lines(count: u8, [x, y]: [f32; 2], angle: f32) -> Vec<Area> {
        let (sin, cos) = angle.sin_cos();
        let line = |down: f32| Area {
            x: x - sin * down,
            y: y + cos * down,
            half_width: 100.0,
            half_height: 10.0,
            angle,
        };
        (0..count).map(|row| line(f32::from(row) * 30.0)).collect()
    }

    #[test]
    fn a_card_across_a_printed_page_has_print_of_its_own() {
        let page = lines(20, [300.0, 20.0], 0.02);
        for angle in [0.5, 1.2, -0.4, FRAC_PI_2] {
            let card = lines(6, [700.0, 300.0], angle);
            let all = [page.clone(), card.clone()].concat();
            let found = prints(&all);
            assert_eq!(found.len(), 2, "{angle}");
            let of_card = found[0];
            assert!((of_card.angle - angle).abs() < 0.01, "{angle}");
            // Wider than its lines with the height of their letters on either side.
            assert!((of_card.half_width - 120.0 * 1.15).abs() < 1.0, "{angle}: {of_card:?}");
            let middle = [f32::midpoint(card[0].x, card[5].x), f32::midpoint(card[0].y, card[5].y)];
            let off = [of_card.x - middle[0], of_card.y - middle[1]];
            assert!(off.iter().all(|by| by.abs() < 1.0), "{angle}: {of_card:?}");
        }
    }

    #[test]
    fn print_in_one_direction_and_a_few_lines_across_it_are_one_document() {
        let page = lines(20, [300.0, 20.0], FRAC_PI_2 - 0.03);
        // Nearly upright, read from the other side.
        let slanted = lines(5, [700.0, 20.0], -FRAC_PI_2 + 0.05);
        let stamp = lines(4, [500.0, 300.0], 0.6);
        assert!(prints(&page).is_empty());
        assert!(prints(&[page, slanted, stamp].concat()).is_empty());
        assert!(prints(&[]).is_empty());
    }
}
