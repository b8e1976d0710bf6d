//! The formats of ICAO 9303 parts 4 to 7, that of ISO/IEC 18013 licences, and which symbols each place of a line may hold.

use domain::findings::MrzFormat;

/// What may stand in one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// A letter or the filler.
    Letter,
    /// A digit or the filler.
    Number,
    /// A digit.
    Digit,
    /// M, F, X or the filler.
    Sex,
    /// The same or H, for *hombre*, as on the card of a Mexican voter.
    MexicanSex,
    /// A letter, a digit or the filler.
    Any,
    /// A letter, a digit other than zero, which nobody uses beside a card's first letter and which looks like O, or the filler.
    Second,
    /// First letter of a card: A, C or I.
    Card,
    /// First letter of a card of three lines: that of a card, or of a visa, which the United States print on cards for crossing the border.
    CardOrVisa,
    /// First letter of a passport: P.
    Passport,
    /// First letter of a visa: V.
    Visa,
    /// First letter of a driving licence: D.
    License,
    /// Nothing but the filler.
    Filler,
    /// Nothing but this symbol.
    Only(u8),
}

impl Class {
    pub(crate) const fn allows(self, symbol: u8) -> bool {
        match self {
            Self::Letter => matches!(symbol, b'<' | b'A'..=b'Z'),
            Self::Number => matches!(symbol, b'<' | b'0'..=b'9'),
            Self::Digit => symbol.is_ascii_digit(),
            Self::Sex => matches!(symbol, b'M' | b'F' | b'X' | b'<'),
            Self::MexicanSex => symbol == b'H' || Self::Sex.allows(symbol),
            Self::Any => matches!(symbol, b'<' | b'0'..=b'9' | b'A'..=b'Z'),
            Self::Second => symbol != b'0' && Self::Any.allows(symbol),
            Self::Card => matches!(symbol, b'A' | b'C' | b'I'),
            Self::CardOrVisa => Self::Card.allows(symbol) || Self::Visa.allows(symbol),
            Self::Passport => symbol == b'P',
            Self::Visa => symbol == b'V',
            Self::License => symbol == b'D',
            Self::Filler => symbol == b'<',
            Self::Only(wanted) => symbol == wanted,
        }
    }

    const fn of(code: u8) -> Self {
        match code {
            b'a' => Self::Letter,
            b'n' => Self::Number,
            b'd' => Self::Digit,
            b's' => Self::Sex,
            b'h' => Self::MexicanSex,
            b'o' => Self::Second,
            b'c' => Self::Card,
            b'b' => Self::CardOrVisa,
            b'p' => Self::Passport,
            b'v' => Self::Visa,
            b'l' => Self::License,
            _ => Self::Any,
        }
    }
}

/// Number of lines and their length.
pub(crate) const fn dimensions(format: MrzFormat) -> (usize, usize) {
    match format {
        MrzFormat::Td1 => (3, 30),
        MrzFormat::Td2 | MrzFormat::MrvB | MrzFormat::France => (2, 36),
        MrzFormat::Td3 | MrzFormat::MrvA => (2, 44),
        MrzFormat::License => (1, 30),
    }
}

/// The classes of a line, one for each place.
pub(crate) fn classes(format: MrzFormat, line: usize) -> Vec<Class> {
    // One letter a place: a letters, n numbers, d digit, s sex, h Mexican sex, x any, o second letter, c card, b card or visa, p passport, v visa, l licence.
    // Check digits are numbers, since an empty optional element may have the filler for its check digit.
    let codes = match (format, line) {
        (MrzFormat::Td1, 0) => "boaaaxxxxxxxxxnxxxxxxxxxxxxxxx",
        (MrzFormat::Td1, 1) => "nnnnnnnsnnnnnnnaaaxxxxxxxxxxxd",
        (MrzFormat::Td1, _) => "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        (MrzFormat::Td2, 0) => "coaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        // The department and the office that issued it, or fillers.
        (MrzFormat::France, 0) => "caaaaaaaaaaaaaaaaaaaaaaaaaaaaaxxxxxx",
        // Year and month of issue, department, number and its check digit; given names; birth; sex.
        (MrzFormat::France, _) => "ddddxxxddddddaaaaaaaaaaaaaannnnnnnsd",
        (MrzFormat::MrvB, 0) => "vaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        (MrzFormat::Td2, _) => "xxxxxxxxxnaaannnnnnnsnnnnnnnxxxxxxxd",
        (MrzFormat::MrvB, _) => "xxxxxxxxxnaaannnnnnnsnnnnnnnxxxxxxxx",
        (MrzFormat::Td3, 0) => "paaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        (MrzFormat::MrvA, 0) => "vaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        (MrzFormat::Td3, _) => "xxxxxxxxxnaaannnnnnnsnnnnnnnxxxxxxxxxxxxxxnd",
        (MrzFormat::MrvA, _) => "xxxxxxxxxnaaannnnnnnsnnnnnnnxxxxxxxxxxxxxxxx",
        // Letter, configuration, state; what the state makes of the rest is its own; check digit.
        (MrzFormat::License, _) => "ldaaaxxxxxxxxxxxxxxxxxxxxxxxxd",
    };
    of_codes(codes)
}

fn of_codes(codes: &str) -> Vec<Class> {
    codes.bytes().map(Class::of).collect()
}

/// The classes of the second line of a card of three lines that this state issued, where it fills it in its own way; `None` for the others, on
/// which an H is an M that was misread.
pub(crate) fn of_card(state: &str) -> Option<Vec<Class>> {
    (state == "MEX").then(|| of_codes("nnnnnnnhnnnnnnnaaaxxxxxxxxxxxd"))
}

/// The classes of a licence's line as its state fills it; `None` where that is not known.
///
/// France: number of two digits, two letters and five digits with its check digit, expiry, eight letters of the name. Netherlands:
/// edition, number of ten digits.
pub(crate) fn of_state(state: &str) -> Option<Vec<Class>> {
    match state {
        "FRA" => Some(of_codes("ldaaaddaaddddddddddddaaaaaaaad")),
        "NLD" => Some(of_codes("ldaaadddddddddddxxxxxxxxxxxxxd")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn h_is_a_sex_on_mexican_cards_alone() {
        let sex = of_card("MEX").unwrap()[7];
        assert!(b"HMFX<".iter().all(|symbol| sex.allows(*symbol)) && !sex.allows(b'N'));
        assert!(of_card("D<<").is_none());
        for (format, place) in [(MrzFormat::Td1, 7), (MrzFormat::Td2, 20), (MrzFormat::Td3, 20)] {
            assert!(!classes(format, 1)[place].allows(b'H'), "{format}");
        }
    }

    #[test]
    fn every_line_has_as_many_classes_as_places() {
        for &format in MrzFormat::ALL {
            let (lines, length) = dimensions(format);
            assert!((0..lines).all(|line| classes(format, line).len() == length), "{format}");
        }
        assert_eq!(of_card("MEX").map(|classes| classes.len()), Some(30));
        for state in ["FRA", "NLD"] {
            assert_eq!(of_state(state).map(|classes| classes.len()), Some(30), "{state}");
        }
    }
}
