//! Japanese postcodes: as people type them, and as they precede an address.

use std::fmt;

const DIGITS: usize = 7;
/// The mark before a postcode.
const MARK: char = '〒';

/// Seven digits.
#[derive(Clone, PartialEq, Eq)]
pub struct Postcode(String);

impl Postcode {
    /// `typed` may have full-width digits, hyphens, spaces and the postal mark.
    #[must_use]
    pub fn parse(typed: &str) -> Option<Self> {
        let typed = typed.trim_start().trim_start_matches(MARK);
        let digits: String = typed
            .chars()
            .filter(|c| !is_between(*c))
            .map(digit)
            .collect::<Option<_>>()?;
        (digits.len() == DIGITS).then_some(Self(digits))
    }

    /// The digits alone.
    #[must_use]
    pub fn digits(&self) -> &str {
        &self.0
    }

    /// The address with this postcode as people in Japan write it: `〒150-0001 東京都渋谷区神宮前1-2-3`.
    #[must_use]
    pub fn before(&self, address: &str) -> String {
        format!("{MARK}{self} {address}")
    }

    /// The postcode before an address, if there is one with its mark, and the address without it.
    #[must_use]
    pub fn split_from(address: &str) -> (Option<Self>, &str) {
        let Some(rest) = address.trim_start().strip_prefix(MARK) else {
            return (None, address);
        };
        let seventh = rest.char_indices().filter(|(_, c)| digit(*c).is_some()).nth(DIGITS - 1);
        let end = seventh.map_or(rest.len(), |(at, c)| at + c.len_utf8());
        let (code, rest) = rest.split_at(end);
        match Self::parse(code) {
            Some(code) => (Some(code), rest.trim_start()),
            None => (None, address),
        }
    }
}

/// `150-0001`.
impl fmt::Display for Postcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (area, town) = self.0.split_at(3);
        write!(f, "{area}-{town}")
    }
}

/// Part of where somebody lives.
impl fmt::Debug for Postcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Postcode([personal])")
    }
}

fn is_between(c: char) -> bool {
    c.is_whitespace() || matches!(c, '-' | '‐' | '‑' | '–' | '−' | '－' | 'ー')
}

/// A digit of any width, as an ASCII digit.
fn digit(c: char) -> Option<char> {
    match c {
        '0'..='9' => Some(c),
        '０'..='９' => char::from_digit(u32::from(c) - u32::from('０'), 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_postcode_is_the_same_however_it_is_typed() {
        for typed in [
            "1500001",
            "150-0001",
            "〒150-0001",
            "１５０ー０００１",
            " 150 0001 ",
            "〒 150-0001",
        ] {
            assert_eq!(Postcode::parse(typed).unwrap().to_string(), "150-0001", "{typed}");
        }
        for typed in ["", "150", "15000011", "150-000a", "一五〇〇〇〇一", "〒"] {
            assert_eq!(Postcode::parse(typed), None, "{typed}");
        }
    }

    #[test]
    fn a_postcode_is_told_from_the_address_behind_it() {
        for address in [
            "〒150-0001 東京都渋谷区1-2",
            " 〒150-0001東京都渋谷区1-2",
            "〒１５０－０００１　東京都渋谷区1-2",
        ] {
            let (code, rest) = Postcode::split_from(address);
            let code = code.map(|code| code.to_string());
            assert_eq!(
                (code.as_deref(), rest),
                (Some("150-0001"), "東京都渋谷区1-2"),
                "{address}"
            );
        }
        for address in [
            "東京都渋谷区1-2",
            "1500001",
            "〒東京都",
            "〒150-000",
            "7 Harbour Street 100-0001",
        ] {
            assert_eq!(Postcode::split_from(address), (None, address));
        }
    }

    proptest! {
        #[test]
        fn what_was_put_before_an_address_comes_off_again(digits in "[0-9]{7}", address in "[^\\s\\p{Cc}][^\\p{Cc}]{0,40}") {
            let code = Postcode::parse(&digits).unwrap();
            let whole = code.before(&address);
            prop_assert_eq!(Postcode::split_from(&whole), (Some(code), address.as_str()));
        }

        #[test]
        fn no_text_is_too_much(text in any::<String>()) {
            drop(Postcode::parse(&text));
            drop(Postcode::split_from(&text));
        }
    }
}
