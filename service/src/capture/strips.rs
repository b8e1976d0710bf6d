//! Which items of a document are shown beside their readings, cut out of its picture, and where they lie on the sheet that holds
//! them all: one request for each side, however many items it has.

use domain::{
    document::FieldName,
    findings::{DocumentFindings, FieldRegion},
};
use vision::Sheet;

/// Which items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Items {
    /// Those that the form for the details has.
    Typed,
    /// All.
    All,
}

impl Items {
    const fn has(self, name: FieldName) -> bool {
        match self {
            Self::All => true,
            Self::Typed => matches!(
                name,
                FieldName::LastName
                    | FieldName::FirstName
                    | FieldName::FullName
                    | FieldName::LastNameKana
                    | FieldName::FirstNameKana
                    | FieldName::BirthDate
                    | FieldName::Address
            ),
        }
    }
}

/// One item on a sheet, in pixels of the sheet, at its left edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strip {
    /// Upper edge.
    pub top: u32,
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
    /// Width and height of the whole sheet.
    pub sheet: (u32, u32),
}

/// The items of one side, and where each lies on their sheet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Strips(Vec<(FieldName, Strip)>);

impl Strips {
    /// The items of a picture whose regions are known.
    #[must_use]
    pub fn of(found: &DocumentFindings, items: Items) -> Self {
        let shown = shown(found, items);
        let sheet = Sheet::of(&corners(&shown));
        let strips = shown.iter().zip(&sheet.strips).map(|(region, strip)| {
            let strip = Strip {
                top: strip.top,
                width: strip.width,
                height: strip.height,
                sheet: (sheet.width, sheet.height),
            };
            (region.name, strip)
        });
        Self(strips.collect())
    }

    /// The strip that shows an item; a name's part may be printed as one with the rest.
    #[must_use]
    pub fn find(&self, name: FieldName) -> Option<Strip> {
        let of = |wanted| {
            self.0
                .iter()
                .find(|(other, _)| *other == wanted)
                .map(|(_, strip)| *strip)
        };
        of(name).or_else(|| match name {
            FieldName::LastName | FieldName::FirstName => of(FieldName::FullName),
            _ => None,
        })
    }
}

fn shown(found: &DocumentFindings, items: Items) -> Vec<&FieldRegion> {
    let zone = found.regions.iter().find(|region| region.name == FieldName::Mrz);
    // `910812` is no date to people: who types theirs looks for it as it is printed.
    let is_cryptic = |region: &FieldRegion| {
        region.name == FieldName::BirthDate && zone.is_some_and(|zone| contains(&zone.corners, middle(&region.corners)))
    };
    let is_shown = |region: &&FieldRegion| items.has(region.name) && (items == Items::All || !is_cryptic(region));
    found.regions.iter().filter(is_shown).collect()
}

fn middle(corners: &[[f32; 2]; 4]) -> [f32; 2] {
    [0, 1].map(|axis| corners.iter().map(|corner| corner[axis]).sum::<f32>() / 4.0)
}

/// Whether a point lies within these corners, which are in order.
fn contains(corners: &[[f32; 2]; 4], [x, y]: [f32; 2]) -> bool {
    let sides = corners.iter().zip(corners.iter().cycle().skip(1));
    let turns = sides.map(|([ax, ay], [bx, by])| (bx - ax) * (y - ay) - (by - ay) * (x - ax));
    let turns: Vec<f32> = turns.collect();
    turns.iter().all(|turn| *turn >= 0.0) || turns.iter().all(|turn| *turn <= 0.0)
}

fn corners(regions: &[&FieldRegion]) -> Vec<[[f32; 2]; 4]> {
    regions.iter().map(|region| region.corners).collect()
}

/// The corners of the items on the sheet, in its order.
pub(super) fn regions(found: &DocumentFindings, items: Items) -> Vec<[[f32; 2]; 4]> {
    corners(&shown(found, items))
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::document::Side;

    fn found(names: &[FieldName]) -> DocumentFindings {
        let region = |(at, name): (usize, &FieldName)| {
            let top = at as f32 * 50.0;
            FieldRegion {
                name: *name,
                confidence: 0.9,
                corners: [[10.0, top], [210.0, top], [210.0, top + 30.0], [10.0, top + 30.0]],
            }
        };
        DocumentFindings {
            regions: names.iter().enumerate().map(region).collect(),
            ..DocumentFindings::none(Side::Front)
        }
    }

    #[test]
    fn the_form_gets_its_own_items_only() {
        let found = found(&[
            FieldName::DocumentNumber,
            FieldName::LastName,
            FieldName::Mrz,
            FieldName::BirthDate,
        ]);
        let typed = Strips::of(&found, Items::Typed);
        assert!(typed.find(FieldName::DocumentNumber).is_none());
        assert_eq!(typed.find(FieldName::LastName).unwrap().top, 0);
        assert_eq!(regions(&found, Items::Typed).len(), 2);
        assert_eq!(regions(&found, Items::All).len(), 4);
        let all = Strips::of(&found, Items::All);
        assert!(all.find(FieldName::LastName).unwrap().top > 0);
    }

    #[test]
    fn a_date_in_machine_readable_form_is_for_reviewers_only() {
        let mut found = found(&[FieldName::BirthDate, FieldName::LastName, FieldName::Mrz]);
        let [birth, name, zone] = &mut found.regions[..] else {
            panic!("three regions")
        };
        zone.corners = [[0.0, 300.0], [900.0, 310.0], [900.0, 410.0], [0.0, 400.0]];
        let in_zone = |from: f32| [[from, 340.0], [from + 90.0, 340.0], [from + 90.0, 370.0], [from, 370.0]];
        (birth.corners, name.corners) = (in_zone(200.0), in_zone(50.0));
        let typed = Strips::of(&found, Items::Typed);
        assert_eq!(typed.find(FieldName::BirthDate), None);
        assert!(typed.find(FieldName::LastName).is_some());
        assert!(Strips::of(&found, Items::All).find(FieldName::BirthDate).is_some());
        found.regions[0].corners = [[200.0, 100.0], [290.0, 100.0], [290.0, 130.0], [200.0, 130.0]];
        assert!(Strips::of(&found, Items::Typed).find(FieldName::BirthDate).is_some());
    }

    #[test]
    fn a_name_that_is_printed_whole_stands_beside_both_its_parts() {
        let strips = Strips::of(&found(&[FieldName::FullName]), Items::Typed);
        let whole = strips.find(FieldName::FullName);
        assert!(whole.is_some());
        assert_eq!(strips.find(FieldName::LastName), whole);
        assert_eq!(strips.find(FieldName::FirstName), whole);
        assert_eq!(strips.find(FieldName::BirthDate), None);
    }
}
