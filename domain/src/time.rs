//! Points in time and durations, in milliseconds. The clock is an argument: nothing here reads the system clock.

use serde::{Deserialize, Serialize};
use std::{
    fmt,
    sync::atomic::{AtomicI64, Ordering},
};
use time::{Date, OffsetDateTime, format_description::BorrowedFormatItem, macros::format_description};

/// `2026-08-02T09:30:00.000Z`, the only format of a time in the API.
const ISO: &[BorrowedFormatItem<'_>] =
    format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");

/// How far a time that has just been noted may lie ahead: nodes' clocks differ, and are corrected by a little.
pub const SKEW: Millis = Millis::minutes(1);

/// Milliseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// From milliseconds since the epoch.
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since the epoch.
    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// Whole seconds since the epoch, as webhook signatures use them.
    #[must_use]
    pub const fn as_seconds(self) -> i64 {
        self.0.div_euclid(1000)
    }

    /// This time moved by `span`, which may be negative.
    #[must_use]
    pub const fn plus(self, span: Millis) -> Self {
        Self(self.0.saturating_add(span.0))
    }

    /// This time moved back by `span`, which may be negative.
    #[must_use]
    pub const fn minus(self, span: Millis) -> Self {
        Self(self.0.saturating_sub(span.0))
    }

    /// Milliseconds from `earlier` to this time; negative if that is later.
    #[must_use]
    pub const fn millis_since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }

    /// Whether this time was noted less than `span` before `now`. What was noted by a clock that was ahead was not: it would otherwise seem to be
    /// recent until that time has come. Clocks may differ by [`SKEW`].
    #[must_use]
    pub fn is_within(self, span: Millis, now: Self) -> bool {
        self <= now.plus(SKEW) && now < self.plus(span)
    }

    /// The calendar date in UTC.
    #[must_use]
    pub fn date(self) -> Date {
        self.to_utc().date()
    }

    /// ISO 8601, UTC, millisecond precision.
    #[must_use]
    pub fn to_iso(self) -> String {
        self.to_utc().format(ISO).unwrap_or_default()
    }

    /// Parses exactly what [`Timestamp::to_iso`] writes.
    #[must_use]
    pub fn parse_iso(text: &str) -> Option<Self> {
        let parsed = time::PrimitiveDateTime::parse(text, ISO).ok()?;
        i64::try_from(parsed.assume_utc().unix_timestamp_nanos() / 1_000_000)
            .ok()
            .map(Self)
    }

    /// The format covers the years 0000 to 9999; anything outside is clamped.
    fn to_utc(self) -> OffsetDateTime {
        const FIRST: i64 = -62_167_219_200_000;
        const LAST: i64 = 253_402_300_799_999;
        let held = self.0.clamp(FIRST, LAST);
        OffsetDateTime::from_unix_timestamp_nanos(i128::from(held) * 1_000_000).unwrap_or(OffsetDateTime::UNIX_EPOCH)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_iso())
    }
}

impl Serialize for Timestamp {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_iso())
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        Self::parse_iso(&text).ok_or_else(|| serde::de::Error::custom("not an ISO 8601 UTC time with milliseconds"))
    }
}

/// A duration in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Millis(pub i64);

impl Millis {
    /// `n` seconds.
    #[must_use]
    pub const fn seconds(n: i64) -> Self {
        Self(n * 1_000)
    }
    /// `n` minutes.
    #[must_use]
    pub const fn minutes(n: i64) -> Self {
        Self(n * 60_000)
    }
    /// `n` hours.
    #[must_use]
    pub const fn hours(n: i64) -> Self {
        Self(n * 3_600_000)
    }
    /// `n` days of 24 hours.
    #[must_use]
    pub const fn days(n: i64) -> Self {
        Self(n * 86_400_000)
    }

    /// The days of 24 hours that it lasts; a day begun counts.
    #[must_use]
    pub fn days_begun(self) -> u64 {
        self.0.max(0).unsigned_abs().div_ceil(Self::days(1).0.unsigned_abs())
    }
}

/// A unit in which people count time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// 1 s.
    Seconds,
    /// 60 s.
    Minutes,
    /// 60 min.
    Hours,
    /// 24 h.
    Days,
    /// 365 days.
    Years,
}

impl Unit {
    /// How long it lasts.
    #[must_use]
    pub const fn length(self) -> Millis {
        match self {
            Self::Seconds => Millis::seconds(1),
            Self::Minutes => Millis::minutes(1),
            Self::Hours => Millis::hours(1),
            Self::Days => Millis::days(1),
            Self::Years => Millis::days(365),
        }
    }

    /// One of it, in English.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Seconds => "second",
            Self::Minutes => "minute",
            Self::Hours => "hour",
            Self::Days => "day",
            Self::Years => "year",
        }
    }
}

/// A duration as people say it. Written in English: `90 minutes`, `7 days`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// How many of the unit.
    pub count: i64,
    /// The unit.
    pub unit: Unit,
}

impl Span {
    /// In the largest unit up to days of which it is a whole number; of less than seconds, nothing is said.
    #[must_use]
    pub const fn up_to_days(span: Millis) -> Self {
        let unit = match span.0 {
            whole if whole % Unit::Days.length().0 == 0 => Unit::Days,
            whole if whole % Unit::Hours.length().0 == 0 => Unit::Hours,
            whole if whole % Unit::Minutes.length().0 == 0 => Unit::Minutes,
            _ => Unit::Seconds,
        };
        Self {
            count: span.0 / unit.length().0,
            unit,
        }
    }

    /// The same, in years where it is a whole number of them.
    #[must_use]
    pub const fn up_to_years(span: Millis) -> Self {
        let year = Unit::Years.length().0;
        if span.0 == 0 || span.0 % year != 0 {
            return Self::up_to_days(span);
        }
        Self {
            count: span.0 / year,
            unit: Unit::Years,
        }
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.count == 1 { "" } else { "s" };
        write!(f, "{} {}{plural}", self.count, self.unit.as_str())
    }
}

/// The source of the current time.
pub trait Clock: Send + Sync + 'static {
    /// The current time.
    fn now(&self) -> Timestamp;

    /// The time since some fixed moment, which passes evenly however the clock is set.
    fn elapsed(&self) -> Millis;
}

/// A clock that moves only when told to, for tests.
#[derive(Debug)]
pub struct ManualClock {
    now: AtomicI64,
    elapsed: AtomicI64,
}

impl ManualClock {
    /// A clock that shows `start`.
    #[must_use]
    pub const fn at(start: Timestamp) -> Self {
        Self {
            now: AtomicI64::new(start.0),
            elapsed: AtomicI64::new(0),
        }
    }

    /// Lets time pass.
    pub fn advance(&self, span: Millis) {
        self.elapsed.fetch_add(span.0, Ordering::SeqCst);
        self.jump(span);
    }

    /// Sets the clock forward, or back, without time passing.
    pub fn jump(&self, span: Millis) {
        self.now.fetch_add(span.0, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.now.load(Ordering::SeqCst))
    }

    fn elapsed(&self) -> Millis {
        Millis(self.elapsed.load(Ordering::SeqCst))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_time_is_written_in_utc_with_milliseconds() {
        assert_eq!(
            Timestamp::from_millis(1_785_663_000_007).to_iso(),
            "2026-08-02T09:30:00.007Z"
        );
    }

    #[test]
    fn a_time_is_recent_until_its_span_is_over_and_not_before_it_has_come() {
        let (noted, span) = (Timestamp::from_millis(1_785_663_000_000), Millis::minutes(10));
        for (passed, recent) in [
            (Millis(0), true),
            (Millis(span.0 - 1), true),
            (span, false),
            (Millis(-SKEW.0), true),
            (Millis(-SKEW.0 - 1), false),
            (Millis::hours(-1), false),
        ] {
            assert_eq!(noted.is_within(span, noted.plus(passed)), recent, "{passed:?}");
        }
    }

    #[test]
    fn a_time_is_moved_both_ways_and_stops_where_there_is_no_more_time() {
        let (noted, span) = (Timestamp::from_millis(1_785_663_000_000), Millis::minutes(10));
        assert_eq!(noted.plus(span).minus(span), noted);
        assert_eq!(noted.minus(span).millis_since(noted), -span.0);
        let first = Timestamp::from_millis(i64::MIN);
        assert_eq!(first.minus(span), first);
        assert_eq!(noted.minus(Millis(i64::MIN)), Timestamp::from_millis(i64::MAX));
    }

    #[test]
    fn a_span_is_said_in_the_largest_unit_of_which_it_is_a_whole_number() {
        for (span, days, years) in [
            (Millis::seconds(330), "330 seconds", "330 seconds"),
            (Millis::minutes(5), "5 minutes", "5 minutes"),
            (Millis::hours(1), "1 hour", "1 hour"),
            (Millis::hours(36), "36 hours", "36 hours"),
            (Millis::days(365), "365 days", "1 year"),
            (Millis::days(7 * 365), "2555 days", "7 years"),
            (Millis::days(366), "366 days", "366 days"),
            (Millis(0), "0 days", "0 days"),
        ] {
            assert_eq!(Span::up_to_days(span).to_string(), days);
            assert_eq!(Span::up_to_years(span).to_string(), years);
        }
    }

    #[test]
    fn a_day_begun_counts() {
        let hours = [-1, 0, 24, 36, 48, 49].map(|hours| Millis::hours(hours).days_begun());
        assert_eq!(hours, [0, 0, 1, 2, 2, 3]);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(millis in -62_167_219_200_000_i64..253_402_300_800_000) {
            let at = Timestamp::from_millis(millis);
            prop_assert_eq!(Timestamp::parse_iso(&at.to_iso()), Some(at));
        }
    }
}
