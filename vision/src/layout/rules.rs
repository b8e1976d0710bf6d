//! What the items of a document must agree with. A rule that cannot be applied says nothing.

use super::grammar::british_name_part;
use super::item::Item;
use domain::findings::RuleResult;
use serde::Deserialize;
use time::format_description::well_known::Iso8601;
use time::{Date, Month};

/// A rule of a layout.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Rule {
    /// One date lies before another.
    Order {
        /// The earlier.
        earlier: String,
        /// The later.
        later: String,
    },
    /// The holder was at least this old.
    Age {
        /// The date of birth.
        born: String,
        /// The day.
        on: String,
        /// Full years.
        years: i32,
    },
    /// The check digits and the years of the item agree with each other.
    Sound {
        /// The item.
        field: String,
    },
    /// Third and fourth digit of a Japanese licence's number are the year of the first licence.
    NumberYear {
        /// The number.
        number: String,
        /// Dates of which the earliest is the first licence's.
        first: Vec<String>,
    },
    /// The document ends on a birthday.
    Birthday {
        /// The date of birth.
        born: String,
        /// The last day.
        expires: String,
        /// The name: whoever's has no kanji or kana may stay for another time.
        name: String,
    },
    /// A British driver number is made of family name and date of birth.
    MadeOf {
        /// The number.
        number: String,
        /// The family name.
        surname: String,
        /// The date of birth.
        born: String,
    },
}

impl Rule {
    /// Its name in findings.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Order { earlier, later } => format!("{earlier}_before_{later}"),
            Self::Age { on, years, .. } => format!("age_{years}_at_{on}"),
            Self::Sound { field } => format!("{field}_sound"),
            Self::NumberYear { .. } => "number_year".to_owned(),
            Self::Birthday { .. } => "expires_on_birthday".to_owned(),
            Self::MadeOf { .. } => "number_made_of_name_and_birth".to_owned(),
        }
    }

    /// The items it speaks of.
    pub(crate) fn fields(&self) -> Vec<&str> {
        match self {
            Self::Order { earlier, later } => vec![earlier, later],
            Self::Age { born, on, .. } => vec![born, on],
            Self::Sound { field } => vec![field],
            Self::NumberYear { number, first } => std::iter::once(number.as_str())
                .chain(first.iter().map(String::as_str))
                .collect(),
            Self::Birthday { born, expires, name } => vec![born, expires, name],
            Self::MadeOf { number, surname, born } => vec![number, surname, born],
        }
    }

    /// The items in doubt when it does not hold: their normal forms are not given.
    fn doubted(&self) -> Vec<&str> {
        match self {
            Self::Order { .. } | Self::Age { .. } | Self::MadeOf { .. } => self.fields(),
            Self::NumberYear { number, .. } => vec![number],
            // Already without a normal form; and a foreigner's card may end on any day.
            Self::Sound { .. } | Self::Birthday { .. } => Vec::new(),
        }
    }

    /// Whether it holds; `None` where an item is missing.
    fn holds(&self, items: &[Item]) -> Option<bool> {
        let item = |name: &str| items.iter().find(|item| item.name == name);
        let value = |name: &str| item(name)?.parsed.normalized.as_deref();
        let date = |name: &str| Date::parse(value(name)?, &Iso8601::DATE).ok();
        match self {
            Self::Order { earlier, later } => Some(date(earlier)? < date(later)?),
            Self::Age { born, on, years } => Some(birthday(date(born)?, *years)? <= date(on)?),
            Self::Sound { field } => Some(item(field)?.parsed.normalized.is_some()),
            Self::NumberYear { number, first } => {
                let read: Vec<i32> = first.iter().filter_map(|name| date(name)).map(Date::year).collect();
                let digits = value(number)?.get(2..4)?.parse::<i32>().ok()?;
                let later = (read.iter().min()? - digits).rem_euclid(100);
                // An earlier date may be the one that was not read; a licence is not held for longer than this.
                let may_be_unread = read.len() < first.len() && (1..=80).contains(&later);
                (!may_be_unread).then_some(later == 0)
            }
            Self::Birthday { born, expires, name } => {
                let (born, expires) = (date(born)?, date(expires)?);
                let japanese = !value(name)?.is_ascii();
                let same = (born.month(), born.day()) == (expires.month(), expires.day());
                let leap = (born.month(), born.day()) == (Month::February, 29)
                    && matches!(
                        (expires.month(), expires.day()),
                        (Month::February, 28) | (Month::March, 1)
                    );
                japanese.then_some(same || leap)
            }
            Self::MadeOf { number, surname, born } => {
                let (number, born) = (value(number)?, date(born)?);
                let part = |from: usize, to: usize| number.get(from..to).and_then(|part| part.parse::<i32>().ok());
                let month = part(6, 8)?;
                let year = born.year() % 100;
                let months = [
                    i32::from(u8::from(born.month())),
                    i32::from(u8::from(born.month())) + 50,
                ];
                Some(
                    number.get(..5)? == british_name_part(value(surname)?)
                        && part(5, 6)? == year / 10
                        && part(10, 11)? == year % 10
                        && part(8, 10)? == i32::from(born.day())
                        && months.contains(&month),
                )
            }
        }
    }
}

/// The day on which somebody becomes that old.
fn birthday(born: Date, years: i32) -> Option<Date> {
    let year = born.year().checked_add(years)?;
    born.replace_year(year)
        .or_else(|_| Date::from_calendar_date(year, Month::March, 1))
        .ok()
}

/// Applies the rules that can be applied.
pub(crate) fn apply(rules: &[Rule], items: &[Item]) -> Vec<RuleResult> {
    let result = |rule: &Rule| {
        Some(RuleResult {
            rule: rule.name(),
            held: rule.holds(items)?,
            contradiction: false,
        })
    };
    rules.iter().filter_map(result).collect()
}

/// Judges the items that were read with certainty: takes the normal forms of those in doubt, and names the rules that every
/// genuine document keeps (`is_certain`) and these do not.
pub(crate) fn judge(rules: &[Rule], is_certain: impl Fn(&Rule) -> bool, items: &mut [Item]) -> Vec<String> {
    let broken: Vec<&Rule> = rules.iter().filter(|rule| rule.holds(items) == Some(false)).collect();
    let doubted: Vec<&str> = broken.iter().flat_map(|rule| rule.doubted()).collect();
    for item in items.iter_mut().filter(|item| doubted.contains(&item.name.as_str())) {
        item.parsed.normalized = None;
    }
    broken
        .into_iter()
        .filter(|rule| is_certain(rule))
        .map(Rule::name)
        .collect()
}
