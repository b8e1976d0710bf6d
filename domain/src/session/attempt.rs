//! Identifies the attempt of a session that something belongs to.

use std::fmt;

/// The number of a session's attempt: 1 at first, one more after each reprocess.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AttemptNumber(i64);

impl AttemptNumber {
    /// That of a new session.
    pub const FIRST: Self = Self(1);

    /// From a number as it is stored, or as a form says it: there it may be one that no session has.
    #[must_use]
    pub const fn new(number: i64) -> Self {
        Self(number)
    }

    /// As it is stored.
    #[must_use]
    pub const fn get(self) -> i64 {
        self.0
    }

    /// That of the attempt which a reprocess begins. Saturates, since a form may say any number.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl fmt::Display for AttemptNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}
