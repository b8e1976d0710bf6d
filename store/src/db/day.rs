//! Days in statements.

/// The day of a time, both as SQL: days since 1970, UTC.
macro_rules! day {
    ($at:literal) => {
        concat!($at, " / 86400000")
    };
}
pub(crate) use day;
