//! Days in addresses and forms.

use domain::{time::Timestamp, user_input::CivilDate};

/// Midnight at the start of a day, UTC.
pub(super) fn midnight(day: &str) -> Option<Timestamp> {
    CivilDate::parse(day).and_then(|_| Timestamp::parse_iso(&format!("{day}T00:00:00.000Z")))
}
