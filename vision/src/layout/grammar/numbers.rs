//! Numbers of documents: their forms, and the check digits of those that have one.

use super::{Parsed, stretch};
use crate::fold;
use crate::layout::page::{Folded, Glyph};
use std::ops::RangeInclusive;

/// What may stand at a place of a number of fixed form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Letter,
    Digit,
    /// A letter, or 9 where the name has none left.
    NameLetter,
    Any,
    /// This letter.
    Only(char),
    /// A letter of German serial numbers.
    SerialLetter,
    /// A letter or digit of German serial numbers. They have no vowels and none of B, D, Q and S, so that what is read as one that looks like a digit
    /// is that digit (Federal Ministry of the Interior, *Introduction of Alphanumeric Serial Numbers on 1 November 2007*).
    Serial,
}

use Class::{Any, Digit, Letter, NameLetter, Only, Serial, SerialLetter};

/// The letters of German serial numbers.
const SERIAL_LETTERS: &str = "CFGHJKLMNPRTVWXYZ";
/// L01X00T47, on German identity cards since November 2010.
const GERMAN_CARD: &[Class] = &[
    SerialLetter,
    Serial,
    Serial,
    Serial,
    Serial,
    Serial,
    Serial,
    Serial,
    Serial,
];
/// CA00000AA, on Italian identity cards (Ministero dell'Interno, *Caratteristiche del documento*: the serial number begins with C).
const ITALIAN_CARD: &[Class] = &[Only('C'), Letter, Digit, Digit, Digit, Digit, Digit, Letter, Letter];
/// B072RRE2I55, on German licences: four of the office, five of the licence, a check digit, and which copy it is.
const GERMAN_LICENCE: &[Class] = &[Letter, Any, Any, Any, Any, Any, Any, Any, Any, Any, Any];
/// Characters before its check digit.
const GERMAN_LICENCE_CHECKED: usize = 9;

/// AA12345678BB, on residence cards and special permanent resident certificates.
pub(super) const RESIDENCE_CARD: &[Class] = &[
    Letter, Letter, Digit, Digit, Digit, Digit, Digit, Digit, Digit, Digit, Letter, Letter,
];
/// Five of the family name, decade, month (+ 50 for women), day, year, two initials, a tie-breaker, two check characters (DVLA INF1).
pub(super) const BRITISH_DRIVER: &[Class] = &[
    NameLetter, NameLetter, NameLetter, NameLetter, NameLetter, Digit, Digit, Digit, Digit, Digit, Digit, NameLetter,
    NameLetter, Any, Letter, Letter,
];
/// 12345678, on licences of Northern Ireland.
pub(super) const NORTHERN_IRISH_DRIVER: &[Class] = &[Digit; 8];
/// Digits of the issue that may follow a British driver number.
pub(super) const BRITISH_ISSUE: usize = 2;
/// Letters and digits of a group of a number that is set with spaces.
const GROUP: usize = 5;
/// Digits of a group of a number of digits alone, `12 34 567890 1` in Norway.
const DIGITS: usize = 6;
/// Letters of a series before a number, `EK 124103`.
const SERIES: usize = 3;
/// Digits of a Japanese driving licence's number.
const JAPANESE_LICENCE: usize = 12;
/// Weights of its first ten digits (National Police Agency, as reported).
const WEIGHTS: [u32; 10] = [5, 4, 3, 2, 7, 6, 5, 4, 3, 2];

/// 第 012345678901 号, with or without the words around it.
pub(super) fn japanese_licence(glyphs: &[Glyph]) -> Option<Parsed> {
    let folded = Folded::of(glyphs);
    let digit = |at: usize| folded.chars.get(at).is_some_and(char::is_ascii_digit);
    let starts: Vec<usize> = (0..folded.chars.len())
        .filter(|&at| digit(at) && !(at > 0 && digit(at - 1)))
        .filter(|&at| (at..at + JAPANESE_LICENCE).all(digit) && !digit(at + JAPANESE_LICENCE))
        .collect();
    let &[from] = starts.as_slice() else { return None };
    let number: String = folded.chars[from..from + JAPANESE_LICENCE].iter().collect();
    let (text, first, last) = stretch(glyphs, &folded, from, from + JAPANESE_LICENCE)?;
    Some(Parsed {
        text,
        normalized: check_digit_holds(&number).then_some(number),
        from: first,
        to: last,
    })
}

/// The eleventh digit is the last of 11 less the weighted sum modulo 11: 10 gives 0, and 11 gives 1.
fn check_digit_holds(number: &str) -> bool {
    let digits: Vec<u32> = number.chars().filter_map(|c| c.to_digit(10)).collect();
    let sum: u32 = digits.iter().zip(WEIGHTS).map(|(digit, weight)| digit * weight).sum();
    digits.get(WEIGHTS.len()) == Some(&((11 - sum % 11) % 10))
}

/// The serial number of a German identity card.
pub(super) fn german_card(glyphs: &[Glyph]) -> Option<Parsed> {
    of_form(glyphs, GERMAN_CARD, 0).filter(has_digits)
}

/// The serial number of an Italian identity card.
pub(super) fn italian_card(glyphs: &[Glyph]) -> Option<Parsed> {
    of_form(glyphs, ITALIAN_CARD, 0).filter(has_digits)
}

/// Whether digits were read as digits. `CHRISTOPH`, `KIRCHDORF` and `COZZOLINO` have letters that look like digits in the right places.
fn has_digits(parsed: &Parsed) -> bool {
    parsed.text.chars().filter(char::is_ascii_digit).count() >= 2
}

/// The number of a German licence. Where its check digit fails and one letter or digit that looks like another makes it hold, that is what is printed;
/// where none or several do, it is in doubt.
pub(super) fn german_licence(glyphs: &[Glyph]) -> Option<Parsed> {
    let parsed = of_form(glyphs, GERMAN_LICENCE, 0)?;
    let read: Vec<char> = parsed.normalized.as_deref()?.chars().collect();
    let with = |at: usize, c: char| {
        let mut number = read.clone();
        number[at] = c;
        number
    };
    // The first is a letter. Read as a digit, it may be one of several.
    let has_letter = parsed.text.starts_with(char::is_alphabetic);
    let changed = (1..=GERMAN_LICENCE_CHECKED).flat_map(|at| likes(read[at]).iter().map(move |&like| (at, like)));
    let mut holding = changed
        .map(|(at, like)| with(at, like))
        .filter(|number| german_check_digit_holds(number));
    let normalized = match (german_check_digit_holds(&read), holding.next(), holding.next()) {
        (true, ..) => Some(read),
        (false, Some(only), None) => Some(only),
        (false, ..) => None,
    };
    Some(Parsed {
        normalized: normalized.filter(|_| has_letter).map(String::from_iter),
        ..parsed
    })
}

/// What a letter or digit of a number may have been misread for. Not Z and 2 or D and O, which the check digit of German licences does not tell apart.
pub(super) const fn likes(c: char) -> &'static [char] {
    match c {
        '0' => &['O', 'D', 'Q'],
        'O' | 'D' | 'Q' => &['0'],
        '1' => &['I', 'L'],
        'I' | 'L' => &['1'],
        '5' => &['S'],
        'S' => &['5'],
        '6' => &['G'],
        'G' => &['6'],
        '8' => &['B'],
        'B' => &['8'],
        _ => &[],
    }
}

/// The tenth character is the sum of the nine before it, weighted 9 to 1, modulo 11, where letters count from 10 and X stands for 10
/// (<https://de.wikipedia.org/wiki/Führerscheinnummer>; the specimen B072RRE2I55 keeps it).
fn german_check_digit_holds(number: &[char]) -> bool {
    let value = |(c, weight): (&char, u32)| Some(c.to_digit(36)? * weight);
    let sum: Option<u32> = number.iter().zip((1..=9).rev()).map(value).sum();
    let check = sum.map(|sum| sum % 11);
    let printed = match number.get(GERMAN_LICENCE_CHECKED) {
        Some('X') => Some(10),
        other => other.and_then(|c| c.to_digit(10)),
    };
    printed.is_some() && check == printed
}

/// A number of a fixed form, standing alone or with exactly `tail` digits behind it. A place of the form tells a letter from the digit that looks like it.
pub(super) fn of_form(glyphs: &[Glyph], form: &[Class], tail: usize) -> Option<Parsed> {
    let folded = Folded::of(glyphs);
    let chars = &folded.chars;
    let alone = |from: usize| {
        let end =
            |at: usize| chars.get(at).is_none_or(|c| !c.is_ascii_alphanumeric()) || folded.apart.get(at) == Some(&true);
        let to = from + form.len();
        let behind = chars
            .get(to..to + tail)
            .is_some_and(|tail| tail.iter().all(char::is_ascii_digit));
        (end(to) || behind && end(to + tail))
            && (from == 0 || folded.apart[from] || !chars[from - 1].is_ascii_alphanumeric())
    };
    let read = |from: usize| -> Option<String> {
        let part = chars.get(from..from + form.len())?;
        part.iter().zip(form).map(|(&c, &class)| as_class(c, class)).collect()
    };
    let found: Vec<(usize, String)> = (0..chars.len())
        .filter(|&from| alone(from))
        .filter_map(|from| Some((from, read(from)?)))
        .collect();
    let [(from, number)] = found.as_slice() else {
        return None;
    };
    let (text, first, last) = stretch(glyphs, &folded, *from, from + form.len())?;
    Some(Parsed {
        text,
        normalized: Some(number.clone()),
        from: first,
        to: last,
    })
}

/// The letter or digit that a symbol is at a place of this class.
fn as_class(c: char, class: Class) -> Option<char> {
    let digit = match c {
        'O' | 'Q' => '0',
        'I' | 'L' => '1',
        'Z' => '2',
        'S' => '5',
        'B' => '8',
        other => other,
    };
    let letter = match c {
        '0' => 'O',
        '1' => 'I',
        '2' => 'Z',
        '5' => 'S',
        '8' => 'B',
        other => other,
    };
    match class {
        Digit => digit.is_ascii_digit().then_some(digit),
        Letter => letter.is_ascii_uppercase().then_some(letter),
        NameLetter if c == '9' => Some(c),
        NameLetter => letter.is_ascii_uppercase().then_some(letter),
        Any => c.is_ascii_alphanumeric().then_some(c),
        Only(only) => (c == only).then_some(c),
        SerialLetter => SERIAL_LETTERS.contains(c).then_some(c),
        Serial if SERIAL_LETTERS.contains(c) => Some(c),
        Serial if c == 'D' => Some('0'),
        Serial => digit.is_ascii_digit().then_some(digit),
    }
}

/// Letters and digits with hyphens between, or in short groups with spaces between. Hyphens are part of a number (`A123-4567-8901` is
/// how it is cited and printed again), spaces only set it.
pub(super) fn any(glyphs: &[Glyph], length: RangeInclusive<usize>, digits: usize) -> Option<Parsed> {
    let folded = Folded::of(glyphs);
    let from = folded.chars.iter().position(char::is_ascii_alphanumeric)?;
    let to = end_of_number(&folded, from)?;
    let joint = |c: char| matches!(c, '-' | '/' | '.' | '*');
    if !folded.chars[from..to]
        .iter()
        .all(|&c| c.is_ascii_alphanumeric() || joint(c))
    {
        return None;
    }
    let (text, first, last) = stretch(glyphs, &folded, from, to)?;
    let (bare, number) = (fold::bare(&text), folded.chars[from..to].iter().collect());
    let fits = length.contains(&bare.len()) && bare.bytes().filter(u8::is_ascii_digit).count() >= digits;
    fits.then_some(Parsed {
        text,
        normalized: Some(number),
        from: first,
        to: last,
    })
}

/// Where a number that begins at a position ends: at the end of its text, or before text that cannot belong to it. `None` where it may continue.
fn end_of_number(folded: &Folded, from: usize) -> Option<usize> {
    let chars = &folded.chars;
    let starts: Vec<usize> = (from + 1..chars.len()).filter(|&at| folded.apart[at]).collect();
    let bounds: Vec<usize> = std::iter::once(from).chain(starts).chain([chars.len()]).collect();
    let word = |pair: &[usize]| &chars[pair[0]..pair[1]];
    let words: Vec<&[char]> = bounds.windows(2).map(word).collect();
    let is_group = |word: &&[char]| word.len() <= GROUP && word.iter().all(char::is_ascii_alphanumeric);
    let is_digits = |word: &[char]| word.iter().all(char::is_ascii_digit);
    let is_group_of_digits = |word: &&[char]| word.len() <= DIGITS && is_digits(word);
    let is_series = |word: &[char]| word.len() <= SERIES && word.iter().all(char::is_ascii_alphabetic);
    // `L-1234567 8`, as Portugal sets it.
    let is_with_series = |word: &[char]| {
        let at = word.iter().position(|c| *c == '-').filter(|at| (1..=2).contains(at));
        at.is_some_and(|at| is_series(&word[..at]) && word.len() > at + 1 && is_digits(&word[at + 1..]))
    };
    // `F3633 - 44768 - 66111`, as Ontario sets it.
    let is_numeric_group = |word: &&[char]| {
        let group: Vec<&char> = word.iter().filter(|c| **c != '-').collect();
        group.len() <= GROUP
            && group.iter().all(|c| c.is_ascii_alphanumeric())
            && (group.is_empty() || group.iter().any(|c| c.is_ascii_digit()))
    };
    let end = match words.as_slice() {
        [_] => chars.len(),
        [series, digits] if is_series(series) && is_digits(digits) => chars.len(),
        [number, check] if is_with_series(number) && check.len() == 1 && is_digits(check) => chars.len(),
        words if words.iter().all(is_group) || words.iter().all(is_numeric_group) => chars.len(),
        words if words.iter().all(is_group_of_digits) => chars.len(),
        words if is_portuguese_card(words) => chars.len(),
        // What follows is a word, or a date or another number with joints of its own.
        [first, second, ..] if !second.iter().any(char::is_ascii_digit) || second.contains(&'/') => from + first.len(),
        _ => return None,
    };
    let last = chars[from..end].iter().rposition(char::is_ascii_alphanumeric)?;
    Some(from + last + 1)
}

/// Whether words are the number of a Portuguese identity card, `00000000 0 ZZ4`: civil number, its check digit, version and the check digit of all.
fn is_portuguese_card(words: &[&[char]]) -> bool {
    let [civil, check, version] = words else {
        return false;
    };
    let digits = |word: &[char], count: usize| word.len() == count && word.iter().all(char::is_ascii_digit);
    let is_version = version.len() == 3 && version.last().is_some_and(char::is_ascii_digit);
    digits(civil, 8) && digits(check, 1) && is_version && luhn_check_digit_holds(&words.concat())
}

/// From the right, every second symbol counts twice, less 9 where that is more than 9 (ISO/IEC 7812-1, annex B, Luhn's formula); in Portugal, letters
/// count from 10 (Agência para a Modernização Administrativa, *Validação de Número de Documento do Cartão de Cidadão*, 2009).
fn luhn_check_digit_holds(number: &[char]) -> bool {
    let value = |(at, symbol): (usize, &char)| {
        let once = symbol.to_digit(36)?;
        let twice = 2 * once;
        Some(match at % 2 {
            0 => once,
            _ if twice > 9 => twice - 9,
            _ => twice,
        })
    };
    let sum: Option<u32> = number.iter().rev().enumerate().map(value).sum();
    sum.is_some_and(|sum| sum.is_multiple_of(10))
}

/// Digits of an identity number of Thailand or South Africa.
const IDENTITY_NUMBER: usize = 13;

/// 1 1234 56789 01 1, as Thailand sets it (Department of Provincial Administration): the last digit is that of 11 less the sum of the others, weighted
/// 13 to 2, modulo 11.
pub(super) fn thai_identity(glyphs: &[Glyph]) -> Option<Parsed> {
    identity_number(glyphs, thai_check_digit_holds)
}

/// 8001015009087, in South Africa (Department of Home Affairs): the date of birth, sex and order, status, and a check digit modulo 10.
pub(super) fn south_african_identity(glyphs: &[Glyph]) -> Option<Parsed> {
    identity_number(glyphs, luhn_check_digit_holds)
}

/// Thirteen digits, in groups or not; without a normal form where their check digit fails.
fn identity_number(glyphs: &[Glyph], holds: fn(&[char]) -> bool) -> Option<Parsed> {
    let parsed = any(glyphs, IDENTITY_NUMBER..=IDENTITY_NUMBER, IDENTITY_NUMBER)?;
    let digits: Vec<char> = parsed.text.chars().filter(char::is_ascii_digit).collect();
    Some(Parsed {
        normalized: holds(&digits).then(|| digits.iter().collect()),
        ..parsed
    })
}

fn thai_check_digit_holds(number: &[char]) -> bool {
    let digits: Vec<u32> = number.iter().filter_map(|c| c.to_digit(10)).collect();
    let Some((check, rest)) = digits.split_last() else {
        return false;
    };
    let weights = (2..=13).rev();
    let sum: u32 = rest.iter().zip(weights).map(|(digit, weight)| digit * weight).sum();
    *check == (11 - sum % 11) % 10
}

/// Characters in the line of a card's zone, with some that were not seen or seen twice.
const ZONE_LINE: std::ops::RangeInclusive<usize> = 27..=32;

/// The first line of a zone of three lines: a document code of cards, the state, the number, and fillers.
pub(super) fn zone_of_card(glyphs: &[Glyph]) -> Option<Parsed> {
    let folded = Folded::of(glyphs);
    let chars = &folded.chars;
    let is_zone = ZONE_LINE.contains(&chars.len())
        && matches!(chars[0], 'I' | 'A' | 'C')
        && chars.contains(&'<')
        && chars
            .iter()
            .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || *c == '<');
    let (text, from, to) = stretch(glyphs, &folded, 0, chars.len()).filter(|_| is_zone)?;
    Some(Parsed {
        normalized: Some(text.clone()),
        text,
        from,
        to,
    })
}

/// The first five characters that a British driver number has for a family name: `MAC` is written `MC`, short names end in 9s.
pub(crate) fn british_name_part(surname: &str) -> String {
    let letters: String = fold::folded(surname).chars().filter(char::is_ascii_uppercase).collect();
    let letters = letters
        .strip_prefix("MAC")
        .map_or_else(|| letters.clone(), |rest| format!("MC{rest}"));
    letters.chars().chain("99999".chars()).take(5).collect()
}
