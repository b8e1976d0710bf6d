//! Days in addresses and forms.

use domain::{time::Timestamp, user_input::CivilDate};

/// Midnight at the start of a day, UTC.
pub(super) fn midnight(day: &str) -> Option<Timestamp> {
    CivilDate::parse(day).map(|date| Timestamp::from_millis(date.midnight().assume_utc().unix_timestamp() * 1000))
}
