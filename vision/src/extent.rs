//! Corrects coverage and cut-off by what was read from the document. An outline may be that of a portrait, or end at the border because
//! the table does: labels in their usual places tell where the card's corners are, inside or outside the picture, and print that keeps
//! clear of the border is complete. Paper may be overexposed and every item on it still legible.

use crate::geometry::{self, Corners, beyond, mean, midpoint};
use crate::projection::Projection;
use domain::document::size;
use domain::findings::{MrzFormat, Quality};
use lens::geometry::{area, distance};

/// A corner this share of the card's width outside the picture is cut off: labels are printed to within 5 of 85.6 mm.
const OUTSIDE: f32 = 0.06;
/// A side lies on the picture's border where both its ends are this near to it, as a share of the picture's longer side, or beyond.
const ON_BORDER: f32 = 0.009;
/// A document's outline may be this much longer or shorter than the document: outlines are not found more exactly.
const TOLERANCE: f32 = 0.07;
/// Share of the part with the labels that must be within an outline of the document.
const NEARLY_ALL: f32 = 0.9;
/// Focal lengths of phones' cameras, as shares of the picture's longer side: 26 mm on film of 36 mm, and one that was cut to a quarter
/// of its width by whoever sent it.
const FOCAL_LENGTHS: [f32; 2] = [0.72, 2.9];
/// A portrait extends beyond the face by at least this share of the face's width, and the document beyond the portrait.
const BESIDE_FACE: f32 = 0.15;

/// Width of a letter of a machine-readable zone, in millimetres: ten to the inch (ICAO 9303-3, section 4).
const LETTER: f32 = 2.54;
/// A corner that the zone says is outside the picture by this share of the page's height is cut off. On 41 rendered pictures of whole
/// documents it said up to 0.05, tilted ones included, on 10 that are cut off 0.12 and more.
const OUTSIDE_BY_ZONE: f32 = 0.08;

/// The judgement of a picture of `size`, corrected by where the labels say that the card's corners are, in pixels.
pub(crate) fn corrected(quality: Quality, corners: &Corners, size: [f32; 2]) -> Quality {
    let [left_top, right_top, ..] = *corners;
    let width = distance(left_top, right_top).max(1.0);
    let outside = corners.iter().map(|corner| outside(*corner, size)).fold(0.0, f32::max) / width;
    let share = area(corners) / (size[0] * size[1]);
    Quality {
        cut_off: match outside {
            0.0 => Some(false),
            far if far > OUTSIDE => Some(true),
            _ => quality.cut_off,
        },
        coverage: Some(quality.coverage.map_or(share, |seen| seen.max(share)).min(1.0)),
        ..quality
    }
}

/// The judgement of a picture of which the whole print of a known document was found away from the border: what the border may cut
/// off is the table, or a margin without print.
pub(crate) fn whole(quality: Quality) -> Quality {
    Quality {
        cut_off: quality.cut_off.map(|_| false),
        ..quality
    }
}

/// The judgement of a picture whose border runs through the document.
pub(crate) fn cut(quality: Quality) -> Quality {
    Quality {
        cut_off: Some(true),
        ..quality
    }
}

/// The judgement of a picture of which the labels were read: it is found, however small it is in the picture. How large it has to be is
/// a rule of thumb for what can be read.
pub(crate) const fn found(quality: Quality) -> Quality {
    Quality {
        coverage: None,
        ..quality
    }
}

/// The judgement of a picture in which every item of a document that must have them all is seen: no light hides anything.
pub(crate) const fn with_all_items(quality: Quality) -> Quality {
    Quality { glare: 0.0, ..quality }
}

/// The judgement of a picture in which nothing is found that belongs to a document.
pub(crate) const fn without_document(quality: Quality) -> Quality {
    Quality {
        cut_off: None,
        coverage: Some(0.0),
        ..quality
    }
}

/// What an outline says that reaches the picture's border, next to the width over height of the document that it is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A part of the document is missing: the border cuts it off.
    Shorter,
    /// The document, whole: no side of it lies on the border.
    Whole,
    /// Of the document's shape, with one side on the border: the document, but for a little of that side at most.
    Flush,
    /// Longer than the document: part of the table was included.
    Longer,
}

/// Compares an outline with the proportions that the document may have, the least first; `None` where nothing can be said.
pub(crate) fn shape(outline: &Corners, size: [f32; 2], proportions: &[f32]) -> Option<Shape> {
    let (least, most) = (*proportions.first()?, *proportions.last()?);
    let mut corners = *outline;
    let mut seen = seen_proportions(&corners, size)?;
    if seen[1] < 1.0 {
        corners.rotate_left(1);
        seen = [1.0 / seen[1], 1.0 / seen[0]];
    }
    let on_border = [0, 1, 2, 3].map(|side| is_on_border([corners[side], corners[(side + 1) % 4]], size));
    let (long, short) = (on_border[0] || on_border[2], on_border[1] || on_border[3]);
    let is_short = seen[1] < least * (1.0 - TOLERANCE);
    let is_long = seen[0] > most * (1.0 + TOLERANCE);
    let fits = seen[0] > least * (1.0 - TOLERANCE) && seen[1] < most * (1.0 + TOLERANCE);
    // A side that is cut short lowers the proportion, and a long one raises it: little is missing only if the document has the other extreme.
    let is_nearly_all = if short {
        seen[0] > most * (1.0 - TOLERANCE)
    } else {
        seen[1] < least * (1.0 + TOLERANCE)
    };
    match on_border.into_iter().filter(|on_border| *on_border).count() {
        0 if fits => Some(Shape::Whole),
        1 if fits && is_nearly_all => Some(Shape::Flush),
        _ if short && is_short => Some(Shape::Shorter),
        _ if long && is_long => Some(Shape::Shorter),
        _ if short && is_long => Some(Shape::Longer),
        _ => None,
    }
}

/// Width over height of a rectangle with these corners, at least and at most, whatever the camera.
fn seen_proportions(corners: &Corners, size: [f32; 2]) -> Option<[f32; 2]> {
    let projection = Projection::of_rectangle(1.0, 1.0, corners)?;
    let [one, other] = FOCAL_LENGTHS.map(|share| projection.proportion(size, share * size[0].max(size[1])));
    Some([one.min(other), one.max(other)])
}

fn is_on_border(ends: [[f32; 2]; 2], [width, height]: [f32; 2]) -> bool {
    let near = ON_BORDER * width.max(height);
    let borders = ends.map(|[x, y]| [x < near, y < near, x > width - near, y > height - near]);
    (0..4).any(|border| borders.iter().all(|near| near[border]))
}

/// Whether a face (left, top, width, height) is so near to the border that a part of its portrait is outside.
pub(crate) fn is_portrait_cut([left, top, width, height]: [f32; 4], [right, bottom]: [f32; 2]) -> bool {
    let free = [left, top, right - left - width, bottom - top - height];
    free.into_iter().any(|free| free < BESIDE_FACE * width)
}

/// Where the corners of a document must be whose machine-readable zone has its last line here (ICAO 9303-4 to -6); `None` where the format
/// does not say how large the document is.
pub(crate) fn page_of_zone(format: MrzFormat, line: &Corners) -> Option<Corners> {
    // Letters of a line; width and height; from the left edge to the first letter, from the middle of the last line to the lower edge.
    let (letters, [width, height], left, below) = match format {
        MrzFormat::Td1 => (30.0, size::ID_1, 4.6, 7.5),
        MrzFormat::Td2 | MrzFormat::France => (36.0, size::TD2, 6.6, 8.5),
        MrzFormat::Td3 => (44.0, size::TD3, 6.6, 8.5),
        MrzFormat::MrvA | MrzFormat::MrvB | MrzFormat::License => return None,
    };
    let [left_top, right_top, right_bottom, left_bottom] = *line;
    let (from, to) = (midpoint(left_top, left_bottom), midpoint(right_top, right_bottom));
    let across = [0, 1].map(|axis| (to[axis] - from[axis]) / (letters * LETTER));
    let down = [-across[1], across[0]];
    let at = |x: f32, y: f32| [0, 1].map(|axis| from[axis] + x * across[axis] + y * down[axis]);
    let (right, above) = (width - left, below - height);
    Some([at(-left, above), at(right, above), at(right, below), at(-left, below)])
}

/// The corners of a page moved outwards on every side, by a share of its width.
pub(crate) fn with_room([left_top, right_top, right_bottom, left_bottom]: &Corners, room: f32) -> Corners {
    let across = [0, 1].map(|axis| (right_top[axis] - left_top[axis]) * room);
    let down = [-across[1], across[0]];
    let moved = |corner: &[f32; 2], x: f32, y: f32| [0, 1].map(|axis| corner[axis] + x * across[axis] + y * down[axis]);
    [
        moved(left_top, -1.0, -1.0),
        moved(right_top, 1.0, -1.0),
        moved(right_bottom, 1.0, 1.0),
        moved(left_bottom, -1.0, 1.0),
    ]
}

/// Whether a part of a page is outside the picture, by where its zone says that its corners are.
pub(crate) fn is_page_cut(page: &Corners, size: [f32; 2]) -> bool {
    let [left_top, .., left_bottom] = *page;
    let height = distance(left_top, left_bottom);
    page.iter()
        .any(|corner| outside(*corner, size) > OUTSIDE_BY_ZONE * height)
}

/// Whether the part of a document that has its labels is within an outline, as exactly as both are found.
pub(crate) fn surrounds(outline: &Corners, labelled: &Corners) -> bool {
    let middle = mean(labelled);
    let nearer = |corner: [f32; 2]| [0, 1].map(|axis| middle[axis] + NEARLY_ALL * (corner[axis] - middle[axis]));
    labelled
        .iter()
        .all(|corner| geometry::is_inside(outline, nearer(*corner)))
}

/// Whether a document with these corners is all within a picture of this size.
pub(crate) fn is_inside(corners: &Corners, size: [f32; 2]) -> bool {
    corners.iter().all(|corner| outside(*corner, size) == 0.0)
}

/// How many pixels a place is outside a picture of this size.
fn outside(place: [f32; 2], size: [f32; 2]) -> f32 {
    beyond(place, size).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: [f32; 2] = [1600.0, 1200.0];

    /// A card 1,000 pixels wide whose upper left corner is here.
    fn card(x: f32, y: f32) -> Corners {
        [[x, y], [x + 1000.0, y], [x + 1000.0, y + 630.0], [x, y + 630.0]]
    }

    fn seen(cut_off: Option<bool>, coverage: Option<f32>) -> Quality {
        Quality {
            cut_off,
            coverage,
            ..Quality::default()
        }
    }

    #[test]
    fn labels_overrule_the_outline_where_the_card_is_all_there_or_far_outside() {
        let inside = corrected(seen(Some(true), Some(0.1)), &card(200.0, 200.0), SIZE);
        assert_eq!(inside.cut_off, Some(false));
        assert!(inside.coverage.is_some_and(|share| (share - 0.328).abs() < 0.001));
        for corner in [[-100.0, 200.0], [700.0, 200.0], [200.0, -70.0], [200.0, 650.0]] {
            let cut = corrected(seen(None, None), &card(corner[0], corner[1]), SIZE);
            assert_eq!(cut.cut_off, Some(true), "{corner:?}");
        }
    }

    #[test]
    fn what_was_read_wholly_is_neither_cut_off_nor_hidden_by_light() {
        let all_print = |cut_off| whole(seen(cut_off, Some(0.4))).cut_off;
        assert_eq!([all_print(Some(true)), all_print(None)], [Some(false), None]);
        assert_eq!(cut(seen(Some(false), Some(0.97))).cut_off, Some(true));
        let bright = Quality {
            glare: 0.07,
            ..seen(None, None)
        };
        assert_eq!(with_all_items(bright).glare, 0.0);
    }

    #[test]
    fn within_the_tolerance_of_print_the_outline_decides() {
        for outline in [None, Some(true), Some(false)] {
            let near = corrected(seen(outline, Some(0.4)), &card(-40.0, 200.0), SIZE);
            assert_eq!((near.cut_off, near.coverage), (outline, Some(0.4)));
        }
    }

    const ID_1: [f32; 1] = [85.6 / 53.98];

    /// The shape of a rectangle with these left, top, right and bottom.
    fn shape_of([left, top, right, bottom]: [f32; 4]) -> Option<Shape> {
        let corners = [[left, top], [right, top], [right, bottom], [left, bottom]];
        shape(&corners, SIZE, &ID_1)
    }

    #[test]
    fn an_outline_shorter_than_the_document_is_cut_off_where_it_meets_the_border() {
        assert_eq!(shape_of([300.0, 200.0, 1600.0, 1200.0]), Some(Shape::Shorter));
        assert_eq!(
            shape_of([100.0, 500.0, 1500.0, 1200.0]),
            Some(Shape::Shorter),
            "its lower part"
        );
        assert_eq!(shape_of([300.0, 200.0, 1250.0, 1000.0]), None, "a box within it");
    }

    #[test]
    fn an_outline_with_some_of_the_table_says_nothing_of_the_border() {
        assert_eq!(shape_of([0.0, 300.0, 1500.0, 1000.0]), Some(Shape::Longer));
    }

    #[test]
    fn an_outline_of_the_documents_shape_away_from_the_border_is_all_of_it() {
        assert_eq!(shape_of([200.0, 200.0, 1469.0, 1000.0]), Some(Shape::Whole));
        let of_either_size = |corners: Corners| shape(&corners, SIZE, &[1.42, 1.586]);
        let at_the_right = |left: f32| [[left, 100.0], [1600.0, 100.0], [1600.0, 900.0], [left, 900.0]];
        assert_eq!(
            of_either_size(at_the_right(1600.0 - 1080.0)),
            None,
            "a sixth of it may be missing"
        );
        assert_eq!(of_either_size(at_the_right(1600.0 - 1269.0)), Some(Shape::Flush));
        let tilted = [[300.0, 250.0], [1300.0, 200.0], [1320.0, 950.0], [280.0, 900.0]];
        assert_eq!(shape(&tilted, SIZE, &[1.4, 1.6]), Some(Shape::Whole));
        assert_eq!(shape_of([0.0, 100.0, 1269.0, 900.0]), Some(Shape::Flush));
        assert_eq!(
            shape_of([0.0, 0.0, 1269.0, 800.0]),
            None,
            "two sides may be cut off alike"
        );
        assert_eq!(shape(&[[5.0, 5.0]; 4], SIZE, &ID_1), None);
    }

    #[test]
    fn an_outline_that_leaves_labels_out_does_not_surround_them() {
        let labelled = card(200.0, 200.0);
        assert!(surrounds(&card(210.0, 205.0), &labelled));
        assert!(!surrounds(&card(400.0, 200.0), &labelled));
        assert!(!surrounds(
            &[[0.0, 0.0], [300.0, 0.0], [300.0, 1200.0], [0.0, 1200.0]],
            &labelled
        ));
    }

    #[test]
    fn the_zone_tells_how_far_its_page_reaches() {
        let line = |x: f32, y: f32| {
            let (right, below) = (x + 44.0 * LETTER * 10.0, y + 30.0);
            [[x, y], [right, y], [right, below], [x, below]]
        };
        let page = |x: f32, y: f32| page_of_zone(MrzFormat::Td3, &line(x, y)).unwrap();
        for (corner, wanted) in page(100.0, 900.0)
            .iter()
            .zip([[34.0, 120.0], [1284.0, 120.0], [1284.0, 1000.0]])
        {
            assert!(distance(*corner, wanted) < 1.0, "{corner:?} {wanted:?}");
        }
        assert!(!is_page_cut(&page(100.0, 900.0), SIZE));
        assert!(!is_page_cut(&page(100.0, 730.0), SIZE), "found no more exactly");
        assert!(is_page_cut(&page(100.0, 680.0), SIZE), "without its title");
        assert!(is_page_cut(&page(600.0, 900.0), SIZE));
        let turned = line(100.0, 900.0).map(|[x, y]| [SIZE[0] - x, SIZE[1] - y]);
        assert!(!is_page_cut(&page_of_zone(MrzFormat::Td3, &turned).unwrap(), SIZE));
        assert_eq!(
            page_of_zone(MrzFormat::MrvA, &line(100.0, 900.0)),
            None,
            "a visa's page may be any"
        );
    }

    #[test]
    fn a_document_that_was_read_is_found_however_small_it_is() {
        assert_eq!(found(seen(None, Some(0.1))).coverage, None);
    }

    #[test]
    fn a_face_at_the_border_is_that_of_a_portrait_that_is_cut() {
        assert!(is_portrait_cut([15.0, 300.0, 200.0, 260.0], SIZE));
        assert!(is_portrait_cut([600.0, 945.0, 200.0, 260.0], SIZE));
        assert!(!is_portrait_cut([60.0, 300.0, 200.0, 260.0], SIZE));
    }
}
