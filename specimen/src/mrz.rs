//! Machine-readable zones as laid out by ICAO Doc 9303 parts 4 to 6, with correct check digits.
//!
//! Implemented independently of the reader on purpose: each verifies the other.

use super::person::{Document, Format};
use unicode_normalization::UnicodeNormalization;

/// The check digit of part 3: weights 7, 3, 1, letters from A = 10, the filler 0.
pub(crate) fn check_digit(text: &str) -> char {
    let sum: u32 = text
        .chars()
        .zip([7, 3, 1].into_iter().cycle())
        .map(|(letter, weight)| letter.to_digit(36).unwrap_or(0) * weight)
        .sum();
    char::from_digit(sum % 10, 10).unwrap_or('0')
}

/// The lines of a document's zone.
pub(crate) fn lines(document: &Document) -> Vec<String> {
    let number = with_check(&filled(&document.number, 9));
    let birth = with_check(&document.birth.six_digits());
    let expiry = with_check(&document.expiry.six_digits());
    let (issuer, nationality) = (filled(&document.issuer, 3), filled(&document.nationality, 3));
    let sex = document.sex;
    let name = format!(
        "{}<<{}",
        transcribed(&document.surname),
        transcribed(&document.given_names)
    );
    match document.format {
        Format::Td1 => {
            let first = format!("I<{issuer}{number}{}", filled(&document.optional, 15));
            let second = format!("{birth}{sex}{expiry}{nationality}{}", filled("", 11));
            let composite = check_digit(&format!("{}{birth}{expiry}{}", &first[5..], filled("", 11)));
            vec![first, format!("{second}{composite}"), filled(&name, 30)]
        }
        Format::Td2 => {
            let optional = filled("", 7);
            let composite = check_digit(&format!("{number}{birth}{expiry}{optional}"));
            let second = format!("{number}{nationality}{birth}{sex}{expiry}{optional}{composite}");
            vec![filled(&format!("I<{issuer}{name}"), 36), second]
        }
        Format::Td3 => {
            let optional = filled(&document.optional, 14);
            let personal = format!("{optional}{}", check_digit(&optional));
            let composite = check_digit(&format!("{number}{birth}{expiry}{personal}"));
            let second = format!("{number}{nationality}{birth}{sex}{expiry}{personal}{composite}");
            vec![filled(&format!("P<{issuer}{name}"), 44), second]
        }
    }
}

fn with_check(text: &str) -> String {
    format!("{text}{}", check_digit(text))
}

/// The text truncated or padded with `<` to a length.
fn filled(text: &str, length: usize) -> String {
    format!("{text:<<length$}").chars().take(length).collect()
}

/// A name in the zone's letters: apostrophes are dropped, any other non-letter separates words.
fn transcribed(name: &str) -> String {
    let kept = name.chars().filter(|letter| *letter != '\'');
    kept.map(|letter| {
        if letter.is_ascii_alphabetic() {
            letter.to_ascii_uppercase()
        } else {
            '<'
        }
    })
    .collect()
}

/// A licence's name in the zone's letters: national letters lose their diacritics (Doc 9303 part 3, section 6), the rest is
/// omitted.
pub(crate) fn plain(name: &str) -> String {
    name.nfd()
        .filter(char::is_ascii_alphabetic)
        .map(|letter| letter.to_ascii_uppercase())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::person::Date;

    /// The specimen of Doc 9303 part 4, appendix A.
    fn anna() -> Document {
        Document {
            format: Format::Td3,
            issuer: "UTO".into(),
            nationality: "UTO".into(),
            surname: "Eriksson".into(),
            given_names: "Anna Maria".into(),
            number: "L898902C3".into(),
            sex: 'F',
            birth: Date {
                year: 1974,
                month: 8,
                day: 12,
            },
            issued: Date {
                year: 2002,
                month: 4,
                day: 16,
            },
            expiry: Date {
                year: 2012,
                month: 4,
                day: 15,
            },
            optional: "ZE184226B".into(),
        }
    }

    #[test]
    fn the_passport_of_the_standard_comes_out_as_printed_there() {
        assert_eq!(
            lines(&anna()),
            [
                "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<",
                "L898902C36UTO7408122F1204159ZE184226B<<<<<10"
            ]
        );
    }

    #[test]
    fn the_cards_of_the_standard_come_out_as_printed_there() {
        let td1 = Document {
            format: Format::Td1,
            number: "D23145890".into(),
            optional: String::new(),
            ..anna()
        };
        assert_eq!(
            lines(&td1),
            [
                "I<UTOD231458907<<<<<<<<<<<<<<<",
                "7408122F1204159UTO<<<<<<<<<<<6",
                "ERIKSSON<<ANNA<MARIA<<<<<<<<<<"
            ]
        );
        let td2 = Document {
            format: Format::Td2,
            ..td1
        };
        assert_eq!(
            lines(&td2),
            [
                "I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<",
                "D231458907UTO7408122F1204159<<<<<<<6"
            ]
        );
    }
}
