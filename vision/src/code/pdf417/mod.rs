//! PDF417 (ISO/IEC 15438), the code on the backs of North American licences.
//!
//! Symbols are found by their start and stop patterns along scan lines, straightened by the projective map between them, and
//! read by template matching: each character is compared with all those that its row may contain, so that bars may be as
//! narrow as a pixel.

mod edges;
#[cfg(test)]
mod fuzz;
mod guards;
mod message;
mod quad;
mod reed_solomon;
mod regression;
mod rows;
mod symbol;
mod table;
mod templates;

use super::grey::Grey;
use guards::{End, Scan};
use symbol::Symbol;

/// Pictures larger than this are looked at in half their size first.
const LARGE: usize = 1500;
/// Pictures smaller than this are looked at in twice their size too.
const SMALL: usize = 1200;
/// Scan lines across the longer side, about.
const LINES: usize = 500;
/// Attempts at one direction of a view; each costs some 30 ms.
const ATTEMPTS: usize = 4;

/// What `wanted` makes of the first symbol's message that it accepts. The views of the picture are tried in a fixed order, the
/// cheapest first, and none a second time, so that the work is bounded whatever the picture shows.
pub(crate) fn read<T>(grey: &Grey, wanted: impl Fn(&[u8]) -> Option<T>) -> Option<T> {
    let half = || (longest(grey) > LARGE).then(|| grey.halved());
    let double = || (longest(grey) < SMALL).then(|| grey.doubled());
    let smooth = || Some(half().as_ref().unwrap_or(grey).smoothed());
    let views: [&dyn Fn() -> Option<Grey>; 4] = [&half, &|| Some(grey.clone()), &double, &smooth];
    views.iter().find_map(|view| read_view(&view()?, &wanted))
}

const fn longest(grey: &Grey) -> usize {
    if grey.width > grey.height {
        grey.width
    } else {
        grey.height
    }
}

fn read_view<T>(grey: &Grey, wanted: impl Fn(&[u8]) -> Option<T>) -> Option<T> {
    let step = (longest(grey) / LINES).max(1);
    (0..4).find_map(|quarters| {
        let guards = guards::find(&Scan::new(grey, quarters), step);
        let pairs = guards::pairs(&guards);
        let between = pairs.iter().take(ATTEMPTS);
        let alone = guards.iter().filter(|guard| guard.end == End::Start).take(ATTEMPTS / 2);
        between
            .filter_map(|(start, stop)| Symbol::between(grey, start, stop))
            .chain(alone.filter_map(|start| Symbol::behind(grey, start)))
            .find_map(|symbol| wanted(&symbol.read()?))
    })
}
