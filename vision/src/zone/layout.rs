//! Assigns values to labels by their positions on the page.

use crate::statistics::median;
use crate::text::Line;

/// A line in the page's own directions: upright, whatever the picture's tilt.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed<'a> {
    pub(super) text: &'a str,
    left: f32,
    right: f32,
    level: f32,
    half_height: f32,
}

/// The lines, all turned by their median angle.
pub(super) fn placed<'a>(lines: &[&'a Line]) -> Vec<Placed<'a>> {
    let angle = median(lines.iter().map(|line| line.area.angle)).unwrap_or_default();
    let place = |line: &&'a Line| {
        let (along, level) = line.area.in_frame_of(angle);
        let area = &line.area;
        Placed {
            text: &line.text,
            left: along - area.half_width,
            right: along + area.half_width,
            level,
            half_height: area.half_height,
        }
    };
    lines.iter().map(place).collect()
}

/// The value of a label that has none on its own line: below it, beginning where it begins; or else to its right.
pub(super) fn value_of<'a>(
    label: &Placed<'a>,
    others: &[Placed<'a>],
    is_label: impl Fn(&str) -> bool,
) -> Option<&'a str> {
    let height = label.half_height * 2.0;
    let below = |other: &&Placed<'a>| {
        let drop = other.level - label.level;
        drop > height * 0.5 && drop < height * 2.6 && (other.left - label.left).abs() < height * 1.2
    };
    let beside = |other: &&Placed<'a>| {
        let gap = other.left - label.right;
        (other.level - label.level).abs() < height * 0.6 && gap > -height * 0.5 && gap < height * 8.0
    };
    let nearest = |distance: &dyn Fn(&Placed<'a>) -> f32, fits: &dyn Fn(&&Placed<'a>) -> bool| {
        let candidates = others.iter().filter(|other| fits(other) && !is_label(other.text));
        candidates
            .min_by(|a, b| distance(a).total_cmp(&distance(b)))
            .map(|found| found.text)
    };
    nearest(&|other| other.level, &below).or_else(|| nearest(&|other| other.left, &beside))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, left: f32, level: f32) -> Placed<'_> {
        Placed {
            text,
            left,
            right: left + 100.0,
            level,
            half_height: 10.0,
        }
    }

    #[test]
    fn a_value_stands_below_or_beside_and_is_no_label() {
        let (surname, number) = (at("Surname", 0.0, 0.0), at("Number", 200.0, 0.0));
        let page = [
            surname,
            number,
            at("TANAKA", 2.0, 35.0),
            at("AB123", 204.0, 35.0),
            at("Sex", 0.0, 70.0),
            at("F", 120.0, 72.0),
            at("Address", 0.0, 105.0),
        ];
        let is_label = |text: &str| ["Surname", "Number", "Sex", "Address"].contains(&text);
        assert_eq!(value_of(&surname, &page, is_label), Some("TANAKA"));
        assert_eq!(value_of(&number, &page, is_label), Some("AB123"));
        assert_eq!(
            value_of(&page[4], &page, is_label),
            Some("F"),
            "below is a label, so beside"
        );
        assert_eq!(value_of(&page[6], &page, is_label), None);
    }
}
