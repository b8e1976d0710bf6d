//! What is observed in one view of a picture, either the whole picture or a card cut out and straightened: its lines, its
//! machine-readable zone, its layout.

use crate::extent::{self, Shape};
use crate::geometry::{Corners, beyond, is_inside, mean, rectangle};
use crate::layout::{Known, Layouts};
use crate::model::ModelError;
use crate::projection::Projection;
use crate::raster::Raster;
use crate::stopwatch::Stopwatch;
use crate::text::{Area, CARD_SIDE, PICTURE_SIDE, Page, Reader, Spacing};
use crate::{mrz, zone};
use domain::document::{DocumentType, size};
use lens::geometry::{area, distance};
use std::borrow::Cow;
use time::Date;

/// Width of the lines read where a complete machine-readable zone says what matters: enough to see the visual zone repeat it.
const BESIDE_ZONE: usize = 3200;
/// The lines of a zone are the longest of a page, or nearly: those shorter than this share are read later.
const LIKE_THE_LONGEST: f32 = 0.4;
/// Width of the lines read where the visual zone is all there is.
pub(crate) const WHOLE_PAGE: usize = 12_000;
/// Pixels of a card that is cut out: 16 to the millimetre of ID-1 and 12 of a passport's page, about what recognition wants.
const CARD_WIDTH: f32 = 1370.0;

/// Print that comes nearer to the border than this, in halves of its height, is cut: areas are grown from the core of the letters. On 190
/// rendered pictures of whole documents, no print of the document came nearer than 0.9; of 38 that are cut off, 30 had some within 0.3.
const NEAR: f32 = 0.3;
/// Share of the picture above which the document fills it.
const FILLING: f32 = 0.9;
/// How far within the border a document that goes over it must be found, as a share of the picture's longer side.
const MARGIN: f32 = 0.02;
/// Pieces of print on the table between the document and the border are shorter than this, in heights.
const STUB: f32 = 3.0;
/// Share of the lines above which print that the border runs through is that of a sheet, which continues beyond the picture.
const SHEET: f32 = 0.25;
/// Labels that are spread over a document, at least.
const SPREAD_LABELS: usize = 5;
/// What stands within so many times the part with the labels is printed on the document, where no outline says otherwise. Of 190 rendered
/// pictures of whole documents none had such print at the border, and one at twice the part.
const AROUND_LABELS: f32 = 1.6;
/// Lines that print spread over a document has, at least.
const SPREAD_LINES: usize = 5;
/// Width over height of a larger identity card; others are ID-1.
const TD2: f32 = size::TD2[0] / size::TD2[1];

/// What is looked at.
pub(crate) struct View<'a> {
    pub(crate) picture: Cow<'a, Raster>,
    /// From the pixels of the view to those of the picture it was cut out of; `None` where it is the picture.
    back: Option<Projection>,
    is_card: bool,
}

impl<'a> View<'a> {
    /// The picture as it is.
    pub(crate) const fn whole(picture: &'a Raster) -> Self {
        Self {
            picture: Cow::Borrowed(picture),
            back: None,
            is_card: false,
        }
    }

    /// Whether it is the picture as it is.
    pub(crate) const fn is_picture(&self) -> bool {
        self.back.is_none()
    }

    /// The part of the picture with some print, straight, in pixels of the picture's size, or in larger ones where it would have more of them than the
    /// picture. Where its document ends is not known.
    pub(crate) fn along(picture: &Raster, print: &Area) -> Option<Self> {
        let sides = [print.half_width, print.half_height].map(|half| 2.0 * half);
        let pixels = (picture.width() * picture.height()) as f32;
        let scale = (pixels / (sides[0] * sides[1])).sqrt().min(1.0);
        // A little more than the sides have: fewer pixels would each be the mean of four samples.
        let [width, height] = sides.map(|side| (scale * side).floor() + 1.0);
        let back = Projection::of_rectangle(width, height, &print.corners())?;
        Some(Self {
            picture: Cow::Owned(back.cut_out(picture, width as usize, height as usize)),
            back: Some(back),
            is_card: false,
        })
    }

    /// The card with these corners, straight, lying; width over height as given.
    pub(crate) fn card(picture: &Raster, corners: &Corners, aspect: f32) -> Option<Self> {
        let height = (CARD_WIDTH / aspect).round();
        let back = Projection::of_rectangle(CARD_WIDTH, height, corners)?;
        Some(Self {
            picture: Cow::Owned(back.cut_out(picture, CARD_WIDTH as usize, height as usize)),
            back: Some(back),
            is_card: true,
        })
    }
}

/// What was observed in a view.
pub(crate) struct Observation<'a, 'l> {
    pub(crate) page: Page<'a>,
    pub(crate) machine: Option<mrz::Zone>,
    pub(crate) known: Option<Known<'l>>,
    pub(crate) is_card: bool,
    /// Whether it shows a Japanese individual number.
    pub(crate) individual_number: bool,
    back: Option<Projection>,
    size: [f32; 2],
}

impl<'a> Observation<'a, '_> {
    /// What is observed without a reader: nothing.
    pub(crate) fn blind(picture: &'a Raster) -> Self {
        Self {
            page: Page::blank(picture),
            machine: None,
            known: None,
            is_card: false,
            individual_number: false,
            back: None,
            size: [picture.width() as f32, picture.height() as f32],
        }
    }

    /// Whether another view would teach nothing: the zone is complete, or the document is of the kind that is asked for and its labels
    /// could be read.
    pub(crate) fn is_enough(&self, kind: DocumentType) -> bool {
        let is_read = |known: &Known<'_>| known.reading.is_of(kind) && !known.lacks_items();
        mrz::is_complete(self.machine.as_ref()) || self.known.as_ref().is_some_and(is_read)
    }

    /// Whether more was observed than in another view. Where that is enough, more must have been read: more lines alone may be of the table.
    pub(crate) fn is_better_than(&self, other: &Self, kind: DocumentType) -> bool {
        let is_enough = other.is_enough(kind);
        let rank = |seen: &Self| {
            let weight = |known: &Known<'_>| known.reading.score * (1 + known.items.len()) as f32;
            let score = seen.known.as_ref().map_or(0.0, weight);
            let checks = seen.machine.as_ref().map_or(0, |zone| zone.passed);
            let beside = if is_enough {
                (0, 0)
            } else {
                (checks, seen.page.lines.len())
            };
            (mrz::is_complete(seen.machine.as_ref()), score, beside)
        };
        rank(self).partial_cmp(&rank(other)) == Some(std::cmp::Ordering::Greater)
    }

    /// Where a place of the upright page stands in the picture that was given.
    pub(crate) fn place(&self, [x, y]: [f32; 2]) -> [f32; 2] {
        let [width, height] = self.size;
        let unturned = match self.page.quarters % 4 {
            0 => [x, y],
            1 => [y, height - 1.0 - x],
            2 => [width - 1.0 - x, height - 1.0 - y],
            _ => [width - 1.0 - y, x],
        };
        self.back.map_or(unturned, |back| back.place(unturned))
    }

    /// Where the card's corners are in the picture that was given, by the labels of its layout; they may be outside.
    pub(crate) fn card_by_labels(&self) -> Option<Corners> {
        let known = self.known.as_ref()?;
        Some(known.corners?.map(|corner| self.place(known.upright(corner))))
    }

    /// Where the picture that was given has print, with the height of its letters around it.
    pub(crate) fn print(&self) -> Vec<Corners> {
        let surroundings = self.page.areas().map(Area::surroundings);
        surroundings
            .map(|corners| corners.map(|corner| self.place(corner)))
            .collect()
    }

    /// Whether all print keeps away from the border of the picture that was given, of this size, by the height of its letters.
    pub(crate) fn is_print_inside(&self, [width, height]: [f32; 2]) -> bool {
        let is_inside = |[x, y]: [f32; 2]| (0.0..width).contains(&x) && (0.0..height).contains(&y);
        let surroundings = self.page.areas().flat_map(Area::surroundings);
        surroundings.map(|corner| self.place(corner)).all(is_inside)
    }

    /// Whether the border of the picture that was given, of this size, runs through print of the document with these corners. One line says
    /// so where the document fills the picture or has a side on the border; elsewhere it may be of something else.
    pub(crate) fn is_print_cut(&self, corners: &Corners, shape: Option<Shape>, size: [f32; 2]) -> bool {
        let [width, height] = size;
        let fills = area(corners) > FILLING * width * height;
        let near = MARGIN * width.max(height);
        // The place just within the border: outlines are found no more exactly.
        let within = |[x, y]: [f32; 2]| [x.clamp(near, width - near), y.clamp(near, height - near)];
        let is_cut = |area: &&Area| {
            let is_at = |corner: [f32; 2]| {
                let place = self.place(corner);
                beyond(place, size) > -NEAR * area.half_height && is_inside(corners, within(place))
            };
            area.half_width > STUB * area.half_height
                && is_inside(corners, within(self.place([area.x, area.y])))
                && area.corners().into_iter().any(is_at)
        };
        let enough = if fills || shape == Some(Shape::Flush) { 1 } else { 2 };
        self.page.areas().filter(is_cut).count() >= enough
    }

    /// Whether the border of the picture that was given, of this size, runs through the lines of a machine-readable zone, or through a
    /// line with a label of the layout: these are the document's, whatever its outline.
    pub(crate) fn is_known_print_cut(&self, size: [f32; 2]) -> bool {
        let zone = self.machine.as_ref().filter(|zone| !mrz::is_complete(Some(zone)));
        let rows = zone.iter().flat_map(|zone| &zone.rows);
        let is_labelled = |area: &Area| self.known.as_ref().is_some_and(|known| known.labels_line(area));
        let mut lines = self.page.lines.iter().map(|line| &line.area);
        rows.filter(|row| self.is_at_border(&row.area, size)).count() > 1
            || lines.any(|area| self.is_at_border(area, size) && is_labelled(area))
    }

    /// Whether the border of the picture that was given, of this size, runs through a line on the document: where its zone or its labels
    /// say that it lies, else beside its labels.
    pub(crate) fn is_print_on_document_cut(&self, size: [f32; 2]) -> bool {
        let document = self.page_by_zone().or_else(|| self.card_by_labels());
        document.or_else(|| self.around_labels()).is_some_and(|document| {
            self.page.lines.iter().map(|line| &line.area).any(|area| {
                area.half_width > STUB * area.half_height
                    && self.is_at_border(area, size)
                    && is_inside(&document, self.place([area.x, area.y]))
            })
        })
    }

    /// Whether the border of the picture that was given, of this size, runs through so much of the print that it is that of a letter or a poster:
    /// on the back of a document, however full of fine print, lines end before its edge.
    pub(crate) fn is_print_of_sheet(&self, size: [f32; 2]) -> bool {
        let lines: Vec<&Area> = self
            .page
            .areas()
            .filter(|area| area.half_width > STUB * area.half_height)
            .collect();
        let cut = lines.iter().filter(|area| self.is_at_border(area, size)).count();
        cut as f32 > SHEET * lines.len() as f32
    }

    /// The part with the labels of the layout and what is around it.
    fn around_labels(&self) -> Option<Corners> {
        let part = self.labelled()?;
        let middle = mean(&part);
        Some(part.map(|corner| [0, 1].map(|axis| middle[axis] + AROUND_LABELS * (corner[axis] - middle[axis]))))
    }

    /// Where the corners of the document must be by its machine-readable zone, in the picture that was given.
    pub(crate) fn page_by_zone(&self) -> Option<Corners> {
        let zone = self.machine.as_ref().filter(|zone| zone.passed > 0)?;
        let line = zone.rows.last()?.area.corners().map(|corner| self.place(corner));
        extent::page_of_zone(zone.format, &line)
    }

    /// Whether print reaches the border of the picture that was given, of this size.
    fn is_at_border(&self, area: &Area, size: [f32; 2]) -> bool {
        let beyond = |corner: [f32; 2]| beyond(self.place(corner), size);
        area.corners().into_iter().map(beyond).fold(f32::MIN, f32::max) > -NEAR * area.half_height
    }

    /// Width over height that the document may have, the least first: of its layout, else of what it is said to be.
    pub(crate) fn proportions(&self, kind: DocumentType) -> Vec<f32> {
        let known = self.known.as_ref().map(|known| known.layout);
        known.map_or_else(
            || proportions(kind),
            |layout| proportions_of(layout.kind, layout.size[0] / layout.size[1]),
        )
    }

    /// The corners of the part of the document that its labels are on, in the picture that was given; `None` where there are too few.
    pub(crate) fn labelled(&self) -> Option<Corners> {
        let known = self
            .known
            .as_ref()
            .filter(|known| known.labels.len() >= SPREAD_LABELS)?;
        let all = known.labels.iter().copied().reduce(|all, label| {
            let least = |at: usize| f32::min(all[at], label[at]);
            let most = |at: usize| f32::max(all[at], label[at]);
            [least(0), least(1), most(2), most(3)]
        });
        Some(rectangle(all?).map(|corner| self.place(known.upright(corner))))
    }

    /// The corners of all lines that were read, in the picture that was given; `None` where there are too few.
    pub(crate) fn printed(&self) -> Option<Corners> {
        let lines = &self.page.lines;
        let longest = lines
            .iter()
            .max_by(|one, other| one.area.half_width.total_cmp(&other.area.half_width))
            .filter(|_| lines.len() >= SPREAD_LINES)?;
        let corners: Vec<[f32; 2]> = lines.iter().flat_map(|line| line.area.corners()).collect();
        let all = Area::along(&corners, longest.area.angle);
        Some(all.corners().map(|corner| self.place(corner)))
    }

    /// Whether every item was read of a document that must have them all.
    pub(crate) fn is_complete(&self) -> bool {
        self.known.as_ref().is_some_and(|known| {
            let mut fields = known.layout.field.iter();
            let has_items = known.layout.complete && !known.layout.field.is_empty();
            has_items && fields.all(|field| known.items.iter().any(|item| item.name == field.name))
        })
    }

    /// The longer side of what was looked at, in pixels of the picture that was given.
    pub(crate) fn longest_side(&self) -> f32 {
        let corners = self.corners();
        distance(corners[0], corners[1]).max(distance(corners[1], corners[2]))
    }

    /// The corners of what was looked at, as it is read.
    pub(crate) fn corners(&self) -> Corners {
        let (right, bottom) = (
            self.page.picture.width() as f32 - 1.0,
            self.page.picture.height() as f32 - 1.0,
        );
        rectangle([0.0, 0.0, right, bottom]).map(|corner| self.place(corner))
    }
}

/// Width over height that a document of a kind may have, the least first.
pub(crate) fn proportions(kind: DocumentType) -> Vec<f32> {
    proportions_of(kind, kind.aspect())
}

fn proportions_of(kind: DocumentType, usual: f32) -> Vec<f32> {
    if kind == DocumentType::IdCard {
        vec![TD2, usual]
    } else {
        vec![usual]
    }
}

/// Reads views of one document: the networks, the layouts, and what the document is said to be.
pub(crate) struct DocumentReader<'l> {
    pub(crate) text: &'l Reader,
    pub(crate) layouts: &'l Layouts,
    pub(crate) kind: DocumentType,
    pub(crate) today: Date,
}

impl<'l> DocumentReader<'l> {
    /// Finds the text of a view and reads it.
    pub(crate) fn read<'a>(&self, view: View<'a>, watch: &mut Stopwatch) -> Result<Observation<'a, 'l>, ModelError> {
        let areas = self.areas(&view, watch)?;
        self.read_at(view, &areas, watch)
    }

    /// Where a view has text.
    pub(crate) fn areas(&self, view: &View<'_>, watch: &mut Stopwatch) -> Result<Vec<Area>, ModelError> {
        let side = if view.is_card { CARD_SIDE } else { PICTURE_SIDE };
        let areas = self.text.areas(&view.picture, side)?;
        watch.lap("text detection");
        Ok(areas)
    }

    /// Reads a view that has text in these areas: the zone first where the kind has one, then lines until the layout is known.
    pub(crate) fn read_at<'a>(
        &self,
        view: View<'a>,
        areas: &[Area],
        watch: &mut Stopwatch,
    ) -> Result<Observation<'a, 'l>, ModelError> {
        let size = [view.picture.width() as f32, view.picture.height() as f32];
        let (back, is_card) = (view.back, view.is_card);
        let spacing = if self.kind.has_mrz() {
            Spacing::AsPrinted
        } else {
            Spacing::Narrow
        };
        let mut page = self.text.page(view.picture, areas, spacing)?;
        let mut machine = None;
        if self.kind.has_mrz() {
            machine = self.read_machine_zone(&mut page, watch)?;
        }
        let budget = if mrz::is_complete(machine.as_ref()) {
            BESIDE_ZONE
        } else {
            WHOLE_PAGE
        };
        self.text.read(&mut page, budget, Spacing::Narrow, |_| true)?;
        watch.lap("visual zone");
        let mut individual_number = shows_individual_number(&page, self.kind);
        self.forget_individual_numbers(&mut page, self.kind);
        let mut known = self.layouts.read(&page.lines, self.today);
        if let Some(known) = &mut known {
            // What was not looked at is not hidden.
            if !page.is_read() {
                known.reading.hidden = 0.0;
            }
            individual_number |= shows_individual_number(&page, known.layout.kind);
            self.forget_individual_numbers(&mut page, known.layout.kind);
        }
        watch.lap("layout");
        let mut seen = Observation {
            page,
            machine,
            known,
            is_card,
            individual_number,
            back,
            size,
        };
        if !self.kind.has_mrz() && may_have_zone(self.kind) {
            let again = if seen.known.as_ref().is_none_or(|known| known.layout.zone) {
                usize::MAX
            } else {
                1
            };
            self.read_candidates_again(&mut seen.page)?;
            seen.machine = mrz::find(self.text, &seen.page.picture, &seen.page.lines, again)?;
            watch.lap("mrz");
        }
        Ok(seen)
    }

    /// The machine-readable zone, from the longest lines alone or, where that is not enough, from all of them.
    fn read_machine_zone(&self, page: &mut Page<'_>, watch: &mut Stopwatch) -> Result<Option<mrz::Zone>, ModelError> {
        let longest = page.lines.iter().map(|line| line.area.half_width).fold(0.0, f32::max);
        let alike = |area: &Area| mrz::is_flat(area) && area.half_width > longest * LIKE_THE_LONGEST;
        self.text.read(page, WHOLE_PAGE, Spacing::AsPrinted, alike)?;
        watch.lap("text recognition");
        let first = mrz::find(self.text, &page.picture, &page.lines, 1)?;
        watch.lap("mrz");
        if mrz::is_complete(first.as_ref()) {
            return Ok(first);
        }
        self.text.read(page, WHOLE_PAGE, Spacing::AsPrinted, |_| true)?;
        watch.lap("text recognition of all lines");
        let second = mrz::find(self.text, &page.picture, &page.lines, usize::MAX)?;
        watch.lap("mrz of all lines");
        Ok(second.or(first))
    }

    /// What looks like a line of a zone was read narrowly, for its kind seldom has one.
    fn read_candidates_again(&self, page: &mut Page<'_>) -> Result<(), ModelError> {
        for line in page.lines.iter_mut().filter(|line| mrz::is_candidate(line)) {
            *line = self.text.line(&page.picture, line.area, Spacing::AsPrinted)?;
        }
        Ok(())
    }

    /// Lines that may hold an individual number are dropped before anybody looks at them.
    fn forget_individual_numbers(&self, page: &mut Page<'_>, kind: DocumentType) {
        if kind == DocumentType::MyNumberCard {
            page.lines.retain(|line| !zone::has_individual_number(&line.text));
        }
    }
}

/// Whether a page shows a Japanese individual number. Japanese cards for identification and residence have no other number of twelve digits.
fn shows_individual_number(page: &Page<'_>, kind: DocumentType) -> bool {
    let may_stand_alone = match kind {
        DocumentType::MyNumberCard
        | DocumentType::ResidenceCard
        | DocumentType::SpecialPermanentResidentCertificate => true,
        DocumentType::DrivingLicense
        | DocumentType::DrivingHistoryCertificate
        | DocumentType::Passport
        | DocumentType::IdCard => false,
    };
    zone::shows_individual_number(&page.lines, may_stand_alone)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::tests::{LICENCE, TODAY, page};
    use crate::text::Lattice;

    const SIZE: [f32; 2] = [1600.0, 1000.0];
    /// A card that fills the picture, and one with a table around it that goes over the right border.
    const FULL: Corners = [[0.0, 0.0], [1599.0, 0.0], [1599.0, 999.0], [0.0, 999.0]];
    const AT_THE_RIGHT: Corners = [[600.0, 200.0], [1599.0, 200.0], [1599.0, 800.0], [600.0, 800.0]];

    /// Whether lines with these left edges and middles, in millimetres of 16 pixels, are cut.
    fn is_cut(lines: &[(&str, f32, f32)], corners: &Corners) -> bool {
        let picture = Raster::filled(SIZE[0] as usize, SIZE[1] as usize, [230; 3]);
        let mut seen = Observation::blind(&picture);
        seen.page.lines = page(lines);
        seen.is_print_cut(corners, None, SIZE)
    }

    #[test]
    fn a_view_along_print_has_no_more_pixels_than_the_picture() {
        let picture = Raster::filled(900, 900, [230; 3]);
        let print = Area {
            x: 450.0,
            y: 450.0,
            half_width: 730.0,
            half_height: 830.0,
            angle: 0.785,
        };
        let view = View::along(&picture, &print).unwrap().picture;
        assert!(
            view.width() * view.height() < 905 * 905,
            "{} x {}",
            view.width(),
            view.height()
        );
        let small = Area {
            half_width: 100.0,
            half_height: 60.0,
            ..print
        };
        let view = View::along(&picture, &small).unwrap().picture;
        assert_eq!((view.width(), view.height()), (201, 121));
    }

    #[test]
    fn print_that_the_border_runs_through_is_cut_and_print_near_it_is_not() {
        assert!(is_cut(&[("NATIONALITY", 86.0, 20.0)], &FULL));
        assert!(is_cut(&[("NATIONALITY", -3.0, 20.0)], &FULL));
        assert!(!is_cut(
            &[("NATIONALITY", 2.0, 20.0), ("DATE OF BIRTH", 77.0, 40.0)],
            &FULL
        ));
    }

    #[test]
    fn where_the_document_does_not_fill_the_picture_two_lines_of_it_must_be_cut() {
        let (one, other) = (("NATIONALITY", 86.0, 20.0), ("DATE OF BIRTH", 84.0, 40.0));
        assert!(is_cut(&[one, other], &AT_THE_RIGHT));
        assert!(!is_cut(&[one], &AT_THE_RIGHT));
        let picture = Raster::filled(SIZE[0] as usize, SIZE[1] as usize, [230; 3]);
        let mut seen = Observation::blind(&picture);
        seen.page.lines = page(&[one]);
        assert!(seen.is_print_cut(&AT_THE_RIGHT, Some(Shape::Flush), SIZE));
        let on_the_table = [("2 kg flour, 12 eggs", -3.0, 20.0), ("250 g butter", -3.0, 40.0)];
        assert!(!is_cut(&on_the_table, &AT_THE_RIGHT));
        let along_its_edges = [("2 kg flour, 12 eggs", 86.0, 12.2), ("250 g butter", 84.0, 50.3)];
        assert!(!is_cut(&along_its_edges, &AT_THE_RIGHT));
        let under_the_card = "2 kg flour, 12 eggs, 1 l milk, 250 g butter, water and rent are due";
        let under_the_card = [(under_the_card, -3.0, 20.0), (under_the_card, -3.0, 40.0)];
        assert!(!is_cut(&under_the_card, &AT_THE_RIGHT));
        let stubs = [("fl", 98.5, 20.0), ("bu", 98.5, 40.0)];
        assert!(!is_cut(&stubs, &AT_THE_RIGHT));
    }

    #[test]
    fn a_zone_is_cut_where_two_of_its_lines_reach_the_border_before_all_checks_hold() {
        let picture = Raster::filled(SIZE[0] as usize, SIZE[1] as usize, [230; 3]);
        let is_cut = |moved: f32, passed: usize| {
            let mut zone = mrz::zone_of(&[("", Lattice::default()), ("", Lattice::default())]);
            zone.rows
                .iter_mut()
                .for_each(|row| (row.area.x, row.area.y) = (row.area.x + moved, 500.0));
            zone.passed = passed;
            let mut seen = Observation::blind(&picture);
            seen.machine = Some(zone);
            seen.is_known_print_cut(SIZE)
        };
        assert!(is_cut(-120.0, 2));
        assert!(!is_cut(0.0, 2));
        assert!(!is_cut(-120.0, 5));
    }

    #[test]
    fn the_labels_of_a_document_are_spread_over_a_part_of_it() {
        let picture = Raster::filled(SIZE[0] as usize, SIZE[1] as usize, [230; 3]);
        let layouts = Layouts::built_in().unwrap();
        let mut seen = Observation::blind(&picture);
        assert_eq!(seen.labelled(), None);
        seen.known = layouts.read(&page(&LICENCE), TODAY);
        let corners = seen.labelled().unwrap();
        let card = [[0.0, 0.0], [85.6, 0.0], [85.6, 53.98], [0.0, 53.98]].map(|corner| corner.map(|mm: f32| mm * 16.0));
        assert!(corners.iter().all(|corner| is_inside(&card, *corner)), "{corners:?}");
        assert!(area(&corners) > 0.5 * area(&card));
    }

    #[test]
    fn a_line_beside_the_labels_is_cut_at_the_border_and_one_far_from_them_is_the_tables() {
        let picture = Raster::filled(SIZE[0] as usize, SIZE[1] as usize, [230; 3]);
        let layouts = Layouts::built_in().unwrap();
        let is_cut = |beside: (&'static str, f32, f32)| {
            let mut seen = Observation::blind(&picture);
            seen.page.lines = page(&[&LICENCE[..], &[beside]].concat());
            seen.known = layouts.read(&seen.page.lines, TODAY);
            seen.is_print_on_document_cut(SIZE)
        };
        assert!(is_cut(("SPECIMEN", -1.0, 30.0)));
        assert!(!is_cut(("SPECIMEN", 3.0, 30.0)));
        assert!(!is_cut(("2 kg flour, 12 eggs", 90.0, 61.5)));
    }

    #[test]
    fn a_line_with_a_label_is_cut_at_the_border_whatever_the_outline() {
        let picture = Raster::filled(SIZE[0] as usize, SIZE[1] as usize, [230; 3]);
        let layouts = Layouts::built_in().unwrap();
        let is_cut = |labelled: &'static str, x: f32, beside: (&'static str, f32, f32)| {
            let mut lines = LICENCE.map(|(text, left, y)| (text, left + x, y));
            lines[2].0 = labelled;
            let mut seen = Observation::blind(&picture);
            seen.page.lines = page(&[&lines[..], &[beside]].concat());
            seen.known = layouts.read(&seen.page.lines, TODAY);
            assert!(seen.known.is_some());
            seen.is_known_print_cut(SIZE)
        };
        let on_the_table = ("2 kg flour, 12 eggs, 1 l milk", -1.0, 60.0);
        for labelled in ["住所 東京都千代田区霞が関2-1-2", "住所"] {
            assert!(!is_cut(labelled, 2.0, on_the_table), "{labelled}");
            assert!(is_cut(labelled, -2.1, on_the_table), "{labelled}");
        }
        assert!(!is_cut("住所", 2.0, ("fl", -1.0, 60.0)), "a stub");
    }
}
