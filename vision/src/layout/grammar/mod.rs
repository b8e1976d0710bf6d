//! The accepted forms of a document's items. Text that has none of them is left out: a wrong item is worse than none.

mod address;
mod country;
mod dates;
mod names;
mod numbers;
mod words;

pub(crate) use address::Post;
pub(super) use dates::run_together;
pub(crate) use names::{is_han, is_name_at_birth};
pub(crate) use numbers::british_name_part;

use super::page::{Folded, Glyph, tidy};
use crate::{fold, zone::is_label};
use domain::civil_date;
use serde::Deserialize;
use time::Date;

/// The order of day, month and year where numbers alone do not tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(crate) enum Order {
    /// 令和6年6月1日, 2024年6月1日, 2024-06-01.
    #[serde(rename = "year_first")]
    Year,
    /// 31.12.2024, 31 DEC 2024.
    #[serde(rename = "day_first")]
    Day,
    /// 12/31/2024.
    #[serde(rename = "month_first")]
    Month,
    /// 12/31/2024 and 31/12/2024, but not 05/07/2024: nothing says who wrote it.
    #[serde(skip)]
    DayOrMonth,
}

/// The form of an item.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Grammar {
    /// A date, alone in its text or told by the words around it.
    Date {
        /// How numbers are ordered.
        order: Order,
        /// Words of which one must follow.
        #[serde(default)]
        ends: Vec<String>,
        /// Words of which one must stand before.
        #[serde(default)]
        begins: Vec<String>,
        /// Whether it must lie in the past, which also tells the century of two digits.
        #[serde(default)]
        past: bool,
    },
    /// A name in kanji, kana or Latin letters, up to a date in its row.
    JapaneseName,
    /// A name in Latin letters.
    LatinName {
        /// Words of courtesy that stand before it and are not part of it.
        #[serde(default)]
        titles: Vec<String>,
        /// Words that are titles before a name, or names themselves.
        #[serde(default)]
        titles_or_names: Vec<String>,
    },
    /// An address that begins with a prefecture.
    JapaneseAddress,
    /// An address that was entered later, often without its prefecture and after a date.
    EnteredAddress,
    /// Any other address: letters and digits, up to its post code where that is given.
    Address {
        /// The post code that ends it: without it a line is missing.
        #[serde(default)]
        post: Option<Post>,
    },
    /// Twelve digits, the eleventh a check digit.
    JapaneseLicenceNumber,
    /// Two letters, eight digits, two letters.
    ResidenceCardNumber,
    /// Sixteen characters made of name, sex and birth date (DVLA).
    BritishDriverNumber,
    /// Eight digits (DVA).
    NorthernIrishDriverNumber,
    /// A letter and eight letters or digits, none of which looks like another.
    GermanCardNumber,
    /// Eleven letters and digits, the tenth a check digit.
    GermanLicenceNumber,
    /// C and a letter, five digits, two letters.
    ItalianCardNumber,
    /// Thirteen digits, the last a check digit modulo 11.
    ThaiIdentityNumber,
    /// Thirteen digits, the last a check digit modulo 10.
    SouthAfricanIdentityNumber,
    /// Letters and digits, at least `digits` of the latter.
    Number {
        /// Fewest characters.
        least: usize,
        /// Most characters.
        most: usize,
        /// Fewest digits.
        digits: usize,
    },
    /// A line of a card's machine-readable zone that names its document code, `I<UTO…` (ICAO 9303-5).
    ZoneOfCard,
    /// Sex in one letter, one kanji or a word.
    Gender {
        /// Whether H is *hombre* and M *mujer*.
        #[serde(default)]
        spanish: bool,
    },
    /// A country by its code or name.
    Country,
    /// One of the statuses of residence.
    ResidenceStatus,
    /// Words of an authority.
    Authority,
    /// Whatever is written: more than a speck.
    Anything,
}

/// What a grammar made of a text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Parsed {
    /// As read.
    pub(crate) text: String,
    /// The normal form; `None` where a check of the form itself fails.
    pub(crate) normalized: Option<String>,
    /// The letters it is made of.
    pub(crate) from: usize,
    pub(crate) to: usize,
}

/// What a grammar must know beside the text.
pub(crate) struct Context<'a> {
    pub(crate) today: Date,
    /// Labels and titles of all layouts, folded: no name is one of them.
    pub(crate) words: &'a [Vec<char>],
    /// The labels of the item, folded: no name is the beginning of one.
    pub(crate) labels: Vec<&'a [char]>,
    /// Whether dates may have the day first although those of the layout have the month first.
    pub(crate) may_be_day_first: bool,
}

impl Context<'_> {
    /// The order of a date on this page where its layout has this one.
    fn order(&self, of_layout: Order) -> Order {
        match of_layout {
            Order::Month if self.may_be_day_first => Order::DayOrMonth,
            order => order,
        }
    }
}

impl Grammar {
    /// The item in a text; `None` where the text is not of the form.
    pub(crate) fn parse(&self, glyphs: &[Glyph], context: &Context<'_>) -> Option<Parsed> {
        match self {
            Self::Date {
                order,
                ends,
                begins,
                past,
            } => dates::parse(glyphs, context.order(*order), [begins, ends], *past, context.today),
            Self::JapaneseName => names::japanese(glyphs, context),
            Self::LatinName {
                titles,
                titles_or_names,
            } => names::latin(glyphs, [titles, titles_or_names], context),
            Self::JapaneseAddress => address::japanese(glyphs),
            Self::EnteredAddress => address::entered(glyphs),
            Self::Address { post } => address::latin(glyphs, *post),
            Self::JapaneseLicenceNumber => numbers::japanese_licence(glyphs),
            Self::ResidenceCardNumber => numbers::of_form(glyphs, numbers::RESIDENCE_CARD, 0),
            Self::BritishDriverNumber => numbers::of_form(glyphs, numbers::BRITISH_DRIVER, numbers::BRITISH_ISSUE),
            Self::NorthernIrishDriverNumber => numbers::of_form(glyphs, numbers::NORTHERN_IRISH_DRIVER, 0),
            Self::GermanCardNumber => numbers::german_card(glyphs),
            Self::GermanLicenceNumber => numbers::german_licence(glyphs),
            Self::ItalianCardNumber => numbers::italian_card(glyphs),
            Self::ThaiIdentityNumber => numbers::thai_identity(glyphs),
            Self::SouthAfricanIdentityNumber => numbers::south_african_identity(glyphs),
            Self::Number { least, most, digits } => numbers::any(glyphs, *least..=*most, *digits),
            Self::ZoneOfCard => numbers::zone_of_card(glyphs),
            Self::Gender { spanish } => words::gender(glyphs, *spanish),
            Self::Country => country::parse(glyphs),
            Self::ResidenceStatus => words::residence_status(glyphs),
            Self::Authority => words::authority(glyphs, context),
            Self::Anything => words::anything(glyphs),
        }
    }

    /// Whether a text has this form in it, even several times, with a day that the calendar does not have, or shorter than documents print it.
    pub(crate) fn occurs(&self, glyphs: &[Glyph], context: &Context<'_>) -> bool {
        if let Self::Date {
            order, ends, begins, ..
        } = self
        {
            return dates::occurs(glyphs, context.order(*order), [begins, ends]);
        }
        self.parse(glyphs, context).is_some()
    }

    /// The text of an item that has this form and cannot be genuine, such as the 31st of April.
    pub(crate) fn impossible(&self, glyphs: &[Glyph], context: &Context<'_>) -> Option<Parsed> {
        match self {
            Self::Date {
                order,
                ends,
                begins,
                past,
            } => dates::impossible(glyphs, context.order(*order), [begins, ends], *past, context.today),
            Self::JapaneseName
            | Self::LatinName { .. }
            | Self::JapaneseAddress
            | Self::EnteredAddress
            | Self::Address { .. }
            | Self::JapaneseLicenceNumber
            | Self::ResidenceCardNumber
            | Self::BritishDriverNumber
            | Self::NorthernIrishDriverNumber
            | Self::GermanCardNumber
            | Self::GermanLicenceNumber
            | Self::ItalianCardNumber
            | Self::ThaiIdentityNumber
            | Self::SouthAfricanIdentityNumber
            | Self::Number { .. }
            | Self::ZoneOfCard
            | Self::Gender { .. }
            | Self::Country
            | Self::ResidenceStatus
            | Self::Authority
            | Self::Anything => None,
        }
    }

    /// Whether it is made of words that follow each other closely, any number of them.
    pub(crate) const fn is_prose(&self) -> bool {
        matches!(self, Self::JapaneseAddress | Self::Address { .. } | Self::Authority)
    }

    /// Whether it is a date whose day stands first in numbers.
    pub(crate) const fn is_date_with_day_first(&self) -> bool {
        matches!(self, Self::Date { order: Order::Day, .. })
    }

    /// The date beside a label of which no space was seen, 20022024, where the day stands first.
    pub(crate) fn parse_run_together(&self, glyphs: &[Glyph], context: &Context<'_>) -> Option<Parsed> {
        let Self::Date {
            order: Order::Day,
            past,
            ..
        } = self
        else {
            return None;
        };
        let may_be = |parsed: &Parsed| {
            let date = parsed.normalized.as_deref().and_then(civil_date::parse);
            date.is_some_and(|date| !past || !civil_date::is_to_come(date, context.today))
        };
        run_together(glyphs).filter(may_be)
    }

    /// Whether it is a name in Latin letters.
    pub(crate) const fn is_latin_name(&self) -> bool {
        matches!(self, Self::LatinName { .. })
    }

    /// Whether letters and digits that look alike can be told apart by the form itself or by a check digit.
    pub(crate) const fn tells_likes_apart(&self) -> bool {
        !matches!(self, Self::Number { .. } | Self::Address { .. })
    }
}

/// The letters of a folded stretch, from the first to the last glyph.
fn stretch(glyphs: &[Glyph], folded: &Folded, from: usize, to: usize) -> Option<(String, usize, usize)> {
    let (first, last) = (*folded.from.get(from)?, *folded.from.get(to.checked_sub(1)?)?);
    Some((tidy(&glyphs[first..=last]), first, last + 1))
}

/// A stretch that is given as it is printed; `None` for a label.
fn as_printed(glyphs: &[Glyph], folded: &Folded, from: usize, to: usize) -> Option<Parsed> {
    let (text, from, to) = stretch(glyphs, folded, from, to)?;
    if is_label(&text) {
        return None;
    }
    let text = fold::japanese(&text);
    Some(Parsed {
        normalized: Some(text.clone()),
        text,
        from,
        to,
    })
}

/// Letters for tests: one after another, all equally certain.
#[cfg(test)]
pub(crate) fn glyphs(text: &str) -> Vec<Glyph> {
    let glyph = |(index, symbol): (usize, char)| Glyph {
        symbol,
        x: index as f32 * 10.0,
        y: 0.0,
        height: 20.0,
        sure: 0.99,
        line: 0,
    };
    text.chars().enumerate().map(glyph).collect()
}

#[cfg(test)]
mod tests;
