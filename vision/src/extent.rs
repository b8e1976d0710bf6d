//! How much of the document can be seen, by what was read of it. An outline may be that of a portrait, or end at the border because
//! the table does: labels that stand in place tell where the card's corners are, inside the picture or outside, and print that keeps
//! away from the border is all there. Paper may be too bright for the camera, and every item on it legible all the same.

use crate::projection::Corners;
use domain::findings::Quality;

/// A corner this share of the card's width outside the picture is cut off: labels are printed to within 5 of 85.6 mm.
const OUTSIDE: f32 = 0.06;

/// The judgement of a picture of `size`, corrected by where the labels say that the card's corners are, in pixels.
pub(crate) fn corrected(quality: Quality, corners: &Corners, size: [f32; 2]) -> Quality {
    let [[ax, ay], [bx, by], ..] = *corners;
    let width = (bx - ax).hypot(by - ay).max(1.0);
    let outside = corners.iter().map(|corner| outside(*corner, size)).fold(0.0, f32::max) / width;
    let share = lens::outline::area(corners) / (size[0] * size[1]);
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
pub(crate) fn with_all_print(quality: Quality) -> Quality {
    Quality {
        cut_off: quality.cut_off.map(|_| false),
        ..quality
    }
}

/// The judgement of a picture whose border runs through the print of the document: paper that fills the picture is all there only if its
/// print is.
pub(crate) fn with_cut_print(quality: Quality) -> Quality {
    Quality {
        cut_off: Some(true),
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

/// Whether a document with these corners is all within a picture of this size.
pub(crate) fn is_inside(corners: &Corners, size: [f32; 2]) -> bool {
    corners.iter().all(|corner| outside(*corner, size) == 0.0)
}

/// How many pixels a place is outside a picture of this size.
fn outside([x, y]: [f32; 2], [width, height]: [f32; 2]) -> f32 {
    [-x, -y, x - width, y - height].into_iter().fold(0.0, f32::max)
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
        let all_print = |cut_off| with_all_print(seen(cut_off, Some(0.4))).cut_off;
        assert_eq!([all_print(Some(true)), all_print(None)], [Some(false), None]);
        assert_eq!(with_cut_print(seen(Some(false), Some(0.97))).cut_off, Some(true));
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
}
