//! Days in addresses and forms.

use domain::{civil_date, time::Timestamp};

/// Midnight at the start of a day, UTC.
pub(super) fn midnight(day: &str) -> Option<Timestamp> {
    civil_date::parse(day).map(|date| Timestamp::from_millis(date.midnight().assume_utc().unix_timestamp() * 1000))
}
