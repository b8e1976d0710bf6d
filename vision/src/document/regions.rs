//! Where the items of the machine-readable zone stand in the picture.

use crate::observation::Observation;
use crate::text::Line;
use crate::{mrz, zone};
use domain::document::FieldName;
use domain::findings::FieldRegion;
use time::Date;

/// Adds where the dates of the zone are printed as people write them, if no item is known to stand there.
pub(super) fn locate_printed_dates(
    regions: &mut Vec<FieldRegion>,
    dates: &[(FieldName, Date)],
    seen: &Observation<'_, '_>,
) {
    for &(name, date) in dates {
        let says = |line: &&Line| !mrz::is_candidate(line) && zone::dates::has(&line.text, date);
        if regions.iter().all(|region| region.name != name)
            && let Some(line) = seen.page.lines.iter().find(says)
        {
            regions.push(FieldRegion {
                name,
                confidence: line.confidence,
                corners: line.area.corners().map(|corner| seen.place(corner)),
            });
        }
    }
}

/// Adds where the items of the zone stand, as far as they are not printed elsewhere as well: people read that more easily.
pub(super) fn locate_machine_items(regions: &mut Vec<FieldRegion>, zone: &mrz::Zone, seen: &Observation<'_, '_>) {
    for (name, corners) in mrz::places(zone) {
        if regions.iter().all(|region| region.name != name) {
            regions.push(FieldRegion {
                name,
                confidence: zone.log_probability.exp(),
                corners: corners.map(|corner| seen.place(corner)),
            });
        }
    }
}
