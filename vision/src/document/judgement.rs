//! The quality of a picture of a document: judged by its pixels, corrected by what they show, and how much of the document is hidden.

use super::reading::LEAST_PRINT;
use crate::extent::{self, Shape};
use crate::geometry::{Corners, Point, mean_sides};
use crate::observation::Observation;
use crate::raster::Raster;
use crate::signals::{Ground, Rectified, obstructed_share, surely_obstructed_share};
use domain::findings::{Face, Quality};
use domain::quality::{QualityLimits, document_problems};
use lens::geometry::distance;

/// How far the corners of one card that was found in two ways may be from each other, as a share of its longer side.
const NEAR: f32 = 0.1;

/// The judgement of the pixels alone.
pub(crate) fn quality(picture: &Raster) -> Quality {
    picture
        .frame()
        .map(|frame| lens::quality::judge(&frame))
        .unwrap_or_default()
}

/// Share of the document that something lies on, of the part that its labels are on where no outline is found, or of the print: a hand
/// that comes in over a side hides the side, too. `None` where there is too little print for a document, or little and no outline of its
/// shape. `portrait` is the box of the face on it (left, top, width, height) in pixels of the picture.
pub(super) fn obstructed(
    picture: &Raster,
    seen: &Observation<'_, '_>,
    card: Option<&Rectified>,
    print: Option<&Rectified>,
    has_shape: bool,
    portrait: Option<[f32; 4]>,
) -> Option<f32> {
    let lines = seen.page.lines.len();
    if lines == 0 || (lines < LEAST_PRINT && !has_shape) {
        return None;
    }
    let share = |part: &Rectified, ground| obstructed_share(part, ground, portrait);
    // An outline of another shape that nobody read is of something else.
    let card = card.filter(|_| has_shape || seen.is_card || seen.card_by_labels().is_some());
    let labelled = || Rectified::of(picture, &seen.labelled()?);
    let of_document = match card {
        Some(card) => Some(share(card, Ground::Document)),
        None => labelled().map(|part| share(&part, Ground::Labels)),
    };
    let of_print = print.map(|print| share(print, Ground::Print));
    // The page of an open passport has no outline of its own. Its zone says about where its edges are.
    let page = || Rectified::of(picture, &seen.page_by_zone()?);
    let of_page = card
        .is_none()
        .then(page)
        .flatten()
        .map(|page| surely_obstructed_share(&page, portrait));
    of_document.into_iter().chain(of_print).chain(of_page).reduce(f32::max)
}

/// The corners of the card that was looked at: as its outline is if that has the shape of the document and all labels within, else where its labels say,
/// else as it was cut out, else as any outline is. Labels are not printed everywhere in the same place, and an outline is found where it is.
pub(super) fn card(
    seen: &Observation<'_, '_>,
    outlines: &[Corners],
    size: [f32; 2],
    proportions: &[f32],
) -> Option<Corners> {
    outlined(seen, outlines, size, proportions)
        .or_else(|| seen.card_by_labels())
        .or_else(|| seen.is_card.then(|| seen.corners()))
        .or_else(|| outlines.first().copied())
}

/// The outline that is whole, has one of these proportions, and has all labels within, its corners in the order of the rows; `None` where too few labels
/// were read.
fn outlined(seen: &Observation<'_, '_>, outlines: &[Corners], size: [f32; 2], proportions: &[f32]) -> Option<Corners> {
    let labelled = seen.labelled()?;
    let is_document = |outline: &&Corners| {
        extent::surrounds(outline, &labelled) && extent::shape(outline, size, proportions) == Some(Shape::Whole)
    };
    let outline = *outlines.iter().find(is_document)?;
    let turned = (0..4).map(|first| [0, 1, 2, 3].map(|corner| outline[(first + corner) % 4]));
    let off = |corners: &Corners| -> f32 { (0..4).map(|at| distance(corners[at], labelled[at])).sum() };
    turned.min_by(|one, other| off(one).total_cmp(&off(other)))
}

/// The corners that the portrait is within: those of the card, or of another outline where the labels of the document are not on it. An outline that leaves
/// them out is of something else, such as a picture of somebody that lies beside the document. `None` where all of them do.
pub(super) fn with_labels(seen: &Observation<'_, '_>, card: Option<&Corners>, outlines: &[Corners]) -> Option<Corners> {
    let Some(labelled) = seen.labelled() else {
        return card.copied();
    };
    let mut all = card.into_iter().chain(outlines);
    all.find(|outline| extent::surrounds(outline, &labelled)).copied()
}

/// Whether an outline is that of the card, as exactly as either is found.
pub(super) fn is_about(card: &Corners, outline: &Corners) -> bool {
    let [width, height] = mean_sides(card);
    let near = NEAR * width.max(height);
    let is_near = |corner: &Point| outline.iter().any(|other| distance(*corner, *other) < near);
    card.iter().all(is_near)
}

/// What a picture was found to show, by which the judgement of its pixels is corrected.
pub(super) struct Shown<'a, 'p, 'l> {
    pub(super) seen: &'a Observation<'p, 'l>,
    /// Of the picture.
    pub(super) size: [f32; 2],
    /// Of documents of this kind.
    pub(super) proportions: Vec<f32>,
    pub(super) outlines: &'a [Corners],
    pub(super) portrait: Option<&'a Face>,
    /// Whether a whole zone or a code was read, which only a document has.
    pub(super) is_machine_read: bool,
    /// Whether nothing was found that a document has.
    pub(super) is_empty: bool,
    /// Whether neither a portrait nor an item was found on the side that has both.
    pub(super) lacks_all: bool,
}

impl Shown<'_, '_, '_> {
    /// The judgement of the pixels, corrected.
    pub(super) fn corrected(&self, quality: Quality) -> Quality {
        let outlined = outlined(self.seen, self.outlines, self.size, &self.proportions);
        let by_labels = self.seen.card_by_labels().filter(|_| outlined.is_none());
        let mut quality = match by_labels {
            Some(corners) => extent::corrected(quality, &corners, self.size),
            None if self.seen.known.is_none()
                && (self.is_bare(&quality) || self.is_empty && quality.coverage.is_none()) =>
            {
                extent::without_document(quality)
            }
            None => quality,
        };
        if !by_labels.is_some_and(|corners| extent::is_inside(&corners, self.size)) {
            quality = self.with_extent(quality, by_labels);
        }
        if self.seen.is_complete() {
            quality = extent::with_all_items(quality);
        }
        if self.seen.known.is_some() || self.is_machine_read {
            quality = extent::found(quality);
        }
        quality
    }

    /// Whether a picture without fault shows the front of no document: a bank's card has the shape of one.
    fn is_bare(&self, quality: &Quality) -> bool {
        self.lacks_all && document_problems(quality, &QualityLimits::default()).is_empty()
    }

    /// Corrects whether the whole document is on the picture, where its labels do not say that it is.
    fn with_extent(&self, quality: Quality, by_labels: Option<Corners>) -> Quality {
        let (seen, size) = (self.seen, self.size);
        let labelled = seen.labelled();
        let shape_of = |card: &Corners| extent::shape(card, size, &self.proportions);
        // An outline that leaves labels out is of something else.
        let mut outlines = self
            .outlines
            .iter()
            .filter(|outline| labelled.is_none_or(|part| extent::surrounds(outline, &part)));
        let whole = labelled.and_then(|_| outlines.clone().find(|&card| shape_of(card) == Some(Shape::Whole)));
        let outline = by_labels.or_else(|| whole.or_else(|| outlines.next()).copied());
        let is_cut_out = by_labels.is_none() && whole.is_none() && seen.is_card;
        let card = if is_cut_out { Some(seen.corners()) } else { outline };
        let shape = card.as_ref().and_then(shape_of);
        // Print at the border is the table's where the outline reaches further than the document.
        let is_print_cut =
            shape != Some(Shape::Longer) && outline.is_some_and(|card| seen.is_print_cut(&card, shape, size));
        let fits = matches!(shape, Some(Shape::Whole | Shape::Flush | Shape::Longer));
        let is_cut = is_print_cut
            || shape == Some(Shape::Shorter)
            || seen.is_known_print_cut(size)
            || (!fits && seen.is_print_on_document_cut(size))
            || seen.page_by_zone().is_some_and(|page| extent::is_page_cut(&page, size))
            || self
                .portrait
                .is_some_and(|face| extent::is_portrait_cut(face.bounds, size));
        let is_whole = match shape {
            Some(Shape::Whole | Shape::Longer) => true,
            Some(Shape::Flush) if labelled.is_some() => true,
            _ => seen.known.is_some() && seen.is_print_inside(size),
        };
        if is_cut {
            extent::cut(quality)
        } else if is_whole {
            extent::whole(quality)
        } else {
            quality
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::rectangle;
    use crate::layout::Layouts;
    use crate::layout::tests::{LICENCE, TODAY, page};
    use domain::document::DocumentType;

    #[test]
    fn the_outline_of_the_card_says_where_it_is_though_its_labels_seem_to_say_otherwise() {
        let picture = Raster::filled(3000, 1000, [230; 3]);
        let layouts = Layouts::built_in().unwrap();
        let mut seen = Observation::blind(&picture);
        seen.known = layouts.read(&page(&LICENCE), TODAY);
        let (by_labels, labelled) = (seen.card_by_labels().unwrap(), seen.labelled().unwrap());
        let proportions = seen.proportions(DocumentType::DrivingLicense);
        let found = |outlines: &[Corners]| card(&seen, outlines, [3000.0, 1000.0], &proportions).unwrap();
        // The same card, printed with other margins.
        let own = rectangle([40.0, 40.0, 1409.0, 903.0]);
        assert!(extent::surrounds(&own, &labelled) && own != by_labels);
        assert_eq!(found(&[own]), own);
        let turned = [own[2], own[3], own[0], own[1]];
        assert_eq!(found(&[turned]), own, "in the order of the rows");
        // Something beside it, a part of it, and what has no card's shape.
        let others = [
            [1500.0, 40.0, 2869.0, 903.0],
            [40.0, 40.0, 620.0, 406.0],
            [40.0, 40.0, 2900.0, 903.0],
        ];
        assert_eq!(found(&others.map(rectangle)), by_labels);
    }

    #[test]
    fn a_portrait_is_looked_for_where_the_labels_are_and_not_on_what_lies_beside() {
        let picture = Raster::filled(3000, 1000, [230; 3]);
        let layouts = Layouts::built_in().unwrap();
        let card = rectangle([0.0, 0.0, 1369.0, 863.0]);
        let beside = rectangle([1500.0, 0.0, 2869.0, 863.0]);
        let mut seen = Observation::blind(&picture);
        assert_eq!(with_labels(&seen, Some(&beside), &[beside, card]), Some(beside));
        seen.known = layouts.read(&page(&LICENCE), TODAY);
        assert_eq!(with_labels(&seen, Some(&card), &[beside]), Some(card));
        assert_eq!(with_labels(&seen, Some(&beside), &[beside, card]), Some(card));
        assert_eq!(with_labels(&seen, Some(&beside), &[beside]), None);
    }
}
