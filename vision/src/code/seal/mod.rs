//! Visible digital seals (ICAO 9303-13): signed contents of a document in a Data Matrix or QR code.

mod c40;
mod certificates;
mod constrained;
mod find;
#[cfg(test)]
mod tests;
mod unconstrained;

pub(crate) use certificates::Certificates;

use super::grey::Grey;
use domain::document::Side;
use domain::findings::CodeReading;
use time::Date;

/// The first seal of a picture. Other codes are dropped here, unread.
pub(crate) fn read(grey: &Grey, side: Side, today: Date, known: &Certificates) -> Option<CodeReading> {
    find::contents(grey)
        .into_iter()
        .find_map(|bytes| reading(&bytes, side, today, known))
}

/// The reading of a seal of either kind, or `None` where the bytes are none.
pub(super) fn reading(bytes: &[u8], side: Side, today: Date, known: &Certificates) -> Option<CodeReading> {
    constrained::reading(bytes, side, today, known).or_else(|| unconstrained::reading(bytes, side, known))
}
