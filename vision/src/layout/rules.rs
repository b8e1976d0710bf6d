//! What the items of a document must agree with. A rule that cannot be applied says nothing, unless its layout requires it.

use super::grammar::british_name_part;
use super::item::Item;
use domain::findings::RuleResult;
use serde::Deserialize;
use time::format_description::well_known::Iso8601;
use time::{Date, Duration, Month};

/// Age of majority in Japan since April 2022 (Civil Code, article 4). It was 20 before: people aged 18 or 19 got a card for five years.
const MAJORITY: i32 = 18;

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
        /// The name: a holder whose name has no kanji or kana may stay for another period.
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
    /// One date is not much later than another.
    Within {
        /// The earlier; today where documents of the layout do not say when they were issued.
        #[serde(default)]
        from: Option<String>,
        /// The later.
        to: String,
        /// Full years that may lie between them.
        years: i32,
        /// Days beyond these years.
        days: i64,
        /// Another number of years for minors.
        #[serde(default)]
        minors: Option<Minors>,
    },
}

/// How long a document of somebody who was a minor on the day of issue is valid.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Minors {
    /// The date of birth.
    born: String,
    /// Full years.
    years: i32,
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
            Self::Within { to, years, .. } => format!("{to}_within_{years}_years"),
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
            Self::Within { from, to, minors, .. } => {
                let born = minors.iter().map(|minors| &minors.born);
                from.iter().chain([to]).chain(born).map(String::as_str).collect()
            }
        }
    }

    /// The items in doubt when it does not hold: their normal forms are not given.
    fn doubted(&self) -> Vec<&str> {
        match self {
            Self::Order { .. } | Self::Age { .. } | Self::MadeOf { .. } => self.fields(),
            Self::NumberYear { number, .. } => vec![number],
            Self::Within { from, to, .. } => from.iter().chain([to]).map(String::as_str).collect(),
            // Already without a normal form; and a foreigner's card may end on any day.
            Self::Sound { .. } | Self::Birthday { .. } => Vec::new(),
        }
    }

    /// Whether it speaks of a document with these items at all.
    fn applies_to(&self, items: &[Item]) -> bool {
        match self {
            Self::Birthday { name, .. } => value(items, name).is_none_or(|name| !name.is_ascii()),
            Self::Order { .. }
            | Self::Age { .. }
            | Self::Sound { .. }
            | Self::NumberYear { .. }
            | Self::MadeOf { .. }
            | Self::Within { .. } => true,
        }
    }

    /// Whether it holds; `None` where an item is missing, or where it does not apply.
    fn holds(&self, items: &[Item], today: Date) -> Option<bool> {
        let value = |name: &str| value(items, name);
        let date = |name: &str| Date::parse(value(name)?, &Iso8601::DATE).ok();
        match self {
            Self::Order { earlier, later } => Some(date(earlier)? < date(later)?),
            Self::Age { born, on, years } => Some(years_later(date(born)?, *years)? <= date(on)?),
            Self::Sound { field } => Some(find(items, field)?.parsed.normalized.is_some()),
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
                let is_read = value(name).is_some();
                (is_read && self.applies_to(items)).then_some(is_birthday(expires, born))
            }
            Self::MadeOf { number, surname, born } => {
                is_british_number_of(value(number)?, value(surname)?, date(born)?)
            }
            Self::Within {
                from,
                to,
                years,
                days,
                minors,
            } => {
                let from = match from {
                    Some(from) => date(from)?,
                    None => today,
                };
                let is_minor = |minors: &&Minors| {
                    let adult = date(&minors.born).and_then(|born| years_later(born, MAJORITY));
                    adult.is_some_and(|day| day > from)
                };
                let years = minors.as_ref().filter(is_minor).map_or(*years, |minors| minors.years);
                let last = years_later(from, years)?.checked_add(Duration::days(*days))?;
                Some(date(to)? <= last)
            }
        }
    }
}

/// Whether a day is a birthday of somebody who was `born` then. For 29 February, the day before and the day after count too.
fn is_birthday(day: Date, born: Date) -> bool {
    let same = (born.month(), born.day()) == (day.month(), day.day());
    let leap = (born.month(), born.day()) == (Month::February, 29)
        && matches!((day.month(), day.day()), (Month::February, 28) | (Month::March, 1));
    same || leap
}

/// Whether a British driver number is that of somebody with this name and date of birth; `None` if a part of it is no number.
fn is_british_number_of(number: &str, surname: &str, born: Date) -> Option<bool> {
    let part = |from: usize, to: usize| number.get(from..to).and_then(|part| part.parse::<i32>().ok());
    let month = part(6, 8)?;
    let year = born.year() % 100;
    let months = [
        i32::from(u8::from(born.month())),
        i32::from(u8::from(born.month())) + 50,
    ];
    Some(
        number.get(..5)? == british_name_part(surname)
            && part(5, 6)? == year / 10
            && part(10, 11)? == year % 10
            && part(8, 10)? == i32::from(born.day())
            && months.contains(&month),
    )
}

fn find<'a>(items: &'a [Item], name: &str) -> Option<&'a Item> {
    items.iter().find(|item| item.name == name)
}

/// The normal form of an item.
fn value<'a>(items: &'a [Item], name: &str) -> Option<&'a str> {
    find(items, name)?.parsed.normalized.as_deref()
}

/// The same day so many years later, such as that on which somebody becomes so old.
fn years_later(day: Date, years: i32) -> Option<Date> {
    let year = day.year().checked_add(years)?;
    day.replace_year(year)
        .or_else(|_| Date::from_calendar_date(year, Month::March, 1))
        .ok()
}

/// Applies the rules that can be applied. One of the `required` whose items were not read does not hold: a document that shows nothing that can
/// be checked would pass otherwise.
pub(crate) fn apply(rules: &[Rule], required: &[String], items: &[Item], today: Date) -> Vec<RuleResult> {
    let result = |rule: &Rule| {
        let name = rule.name();
        let is_required = required.contains(&name) && rule.applies_to(items);
        let held = rule.holds(items, today).or(is_required.then_some(false))?;
        Some(RuleResult {
            rule: name,
            held,
            contradiction: false,
        })
    };
    rules.iter().filter_map(result).collect()
}

/// Judges the items that were read with certainty: takes the normal forms of those in doubt, and names the rules that every
/// genuine document keeps (`is_certain`) and these do not.
pub(crate) fn judge(
    rules: &[Rule],
    is_certain: impl Fn(&Rule) -> bool,
    items: &mut [Item],
    today: Date,
) -> Vec<String> {
    let is_broken = |rule: &&Rule| rule.holds(items, today) == Some(false);
    let broken: Vec<&Rule> = rules.iter().filter(is_broken).collect();
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
