//! Fictional people and documents, drawn at random from a seed.

use rand::{Rng, RngExt, seq::IndexedRandom};
use serde::Serialize;
use std::fmt;

/// The sizes of ICAO Doc 9303.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Format {
    /// A card of three lines.
    Td1,
    /// A larger card of two lines.
    Td2,
    /// A passport's page.
    Td3,
}

impl Format {
    /// Width and height in millimetres.
    pub(crate) fn millimetres(self) -> (f32, f32) {
        match self {
            Self::Td1 => (85.6, 54.0),
            Self::Td2 => (105.0, 74.0),
            Self::Td3 => (125.0, 88.0),
        }
    }
}

/// A calendar day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Date {
    pub(crate) year: u16,
    pub(crate) month: u8,
    pub(crate) day: u8,
}

impl Date {
    /// A random day of these years.
    pub(crate) fn drawn(chance: &mut impl Rng, first: u16, last: u16) -> Self {
        let (year, month) = (chance.random_range(first..=last), chance.random_range(1..=12));
        let day = chance.random_range(1..=days(year, month));
        Self { year, month, day }
    }

    /// The same day this many years later; the 29th of February becomes the 28th.
    pub(crate) fn years_later(self, years: u16) -> Self {
        let year = self.year + years;
        Self {
            year,
            day: self.day.min(days(year, self.month)),
            ..self
        }
    }

    /// The same day of the next month, or its last.
    pub(crate) fn month_later(self) -> Self {
        let (year, month) = if self.month == 12 {
            (self.year + 1, 1)
        } else {
            (self.year, self.month + 1)
        };
        Self {
            year,
            month,
            day: self.day.min(days(year, month)),
        }
    }

    /// The previous day.
    pub(crate) fn eve(self) -> Self {
        match (self.day, self.month) {
            (1, 1) => Self {
                year: self.year - 1,
                month: 12,
                day: 31,
            },
            (1, month) => Self {
                year: self.year,
                month: month - 1,
                day: days(self.year, month - 1),
            },
            (day, _) => Self { day: day - 1, ..self },
        }
    }

    /// The Japanese era and its year.
    pub(crate) fn era(self) -> (&'static str, u16) {
        let starts = [
            (
                "令和",
                Self {
                    year: 2019,
                    month: 5,
                    day: 1,
                },
            ),
            (
                "平成",
                Self {
                    year: 1989,
                    month: 1,
                    day: 8,
                },
            ),
            (
                "昭和",
                Self {
                    year: 1926,
                    month: 12,
                    day: 25,
                },
            ),
        ];
        starts
            .into_iter()
            .find(|(_, start)| self >= *start)
            .map_or(("大正", self.year.saturating_sub(1911)), |(era, start)| {
                (era, self.year - start.year + 1)
            })
    }

    /// As in a machine-readable zone.
    pub(crate) fn six_digits(self) -> String {
        format!("{:02}{:02}{:02}", self.year % 100, self.month, self.day)
    }

    /// As in the visual zone: `12 AUG 1974`.
    pub(crate) fn printed(self) -> String {
        const MONTHS: [&str; 12] = [
            "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC",
        ];
        let month = MONTHS
            .get(usize::from(self.month).wrapping_sub(1))
            .copied()
            .unwrap_or("???");
        format!("{:02} {month} {}", self.day, self.year)
    }
}

/// Days of a month.
const fn days(year: u16, month: u8) -> u8 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

impl fmt::Display for Date {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

impl Serialize for Date {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

/// The content of one document.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Document {
    pub(crate) format: Format,
    pub(crate) issuer: String,
    pub(crate) nationality: String,
    pub(crate) surname: String,
    pub(crate) given_names: String,
    pub(crate) number: String,
    pub(crate) sex: char,
    pub(crate) birth: Date,
    pub(crate) issued: Date,
    pub(crate) expiry: Date,
    pub(crate) optional: String,
}

const SURNAMES: [&str; 14] = [
    "Tanaka",
    "Suzuki",
    "Mueller",
    "O'Connor",
    "Garcia Lopez",
    "Nguyen",
    "Smith",
    "Watanabe",
    "Ivanova",
    "Kowalski",
    "Zollinger",
    "Boldizsar",
    "Li",
    "Quisquater",
];
const FEMALE: [&str; 7] = ["Hanako", "Anna Maria", "Olivia", "Quinn", "Zoe", "Yuki", "Ingrid"];
const MALE: [&str; 7] = ["Taro", "John Paul", "Ibrahim", "Bob", "Jun", "Felix", "William"];
/// Utopia, and fictional countries: no specimen claims to be of a real state.
const STATES: [&str; 4] = ["UTO", "ZUB", "FRD", "LIL"];
/// Letters that documents use in their numbers: no I, no O.
const NUMBER_LETTERS: &[u8] = b"ABCDEFGHJKLMNPRSTUVWXYZ";

impl Document {
    /// A document of a fictional person.
    pub(crate) fn invented(format: Format, chance: &mut impl Rng) -> Self {
        let sex = if chance.random_bool(0.5) { 'F' } else { 'M' };
        let issued = day(chance, 2022, 2025);
        // Nine in ten are of `UTO`, the state that readers know from specimens.
        let state = if chance.random_bool(0.9) {
            STATES[0]
        } else {
            pick(chance, &STATES)
        };
        let optional = match format {
            Format::Td2 => String::new(),
            Format::Td1 | Format::Td3 if chance.random_bool(0.5) => String::new(),
            Format::Td1 | Format::Td3 => (0..10)
                .map(|_| char::from(b'0' + chance.random_range(0..10_u8)))
                .collect(),
        };
        Self {
            format,
            issuer: state.to_owned(),
            nationality: state.to_owned(),
            surname: pick(chance, &SURNAMES).to_owned(),
            given_names: pick(chance, if sex == 'F' { &FEMALE } else { &MALE }).to_owned(),
            number: number(chance),
            sex,
            birth: day(chance, 1950, 2004),
            issued,
            // Ten years minus a day; the days drawn end at the 28th, so the previous day exists in the same month.
            expiry: Date {
                year: issued.year + 10,
                day: issued.day - 1,
                ..issued
            },
            optional,
        }
    }
}

fn pick<'a>(chance: &mut impl Rng, from: &[&'a str]) -> &'a str {
    from.choose(chance).copied().unwrap_or_default()
}

/// A day from the 2nd to the 28th, so that it and the previous day exist in every month.
fn day(chance: &mut impl Rng, first: u16, last: u16) -> Date {
    Date {
        year: chance.random_range(first..=last),
        month: chance.random_range(1..=12),
        day: chance.random_range(2..=28),
    }
}

fn number(chance: &mut impl Rng) -> String {
    let letters = (0..2)
        .map(|_| NUMBER_LETTERS.choose(chance).copied().unwrap_or(b'X'))
        .map(char::from);
    let mut number: String = letters.collect();
    for _ in 0..7 {
        number.push(char::from(b'0' + chance.random_range(0..10_u8)));
    }
    number
}
