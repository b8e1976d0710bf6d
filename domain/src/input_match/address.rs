//! Whether two spellings denote the same address.

use super::names::{folded, in_new_forms, is_letter_or_digit, plain};
use crate::{edit_distance::edit_distance, postcode::Postcode};
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Whether two addresses are of the same home; `None` if neither says anything, or only one of them is in kanji or kana. Numbers must be equal, letters
/// nearly: a reading error costs a letter, but another number is another house. Whatever else cannot be decided is not the same, since then a reviewer
/// compares.
///
/// **In Japanese**, `芝一丁目2番3号`, `芝１丁目２−３`, `芝1の2の3` and `芝1-2-3` are the same.
/// - The place (prefecture to town): one letter may differ, if there are five or more, but none of those by which neighbouring places
///   differ (西新宿, 新宿). Only one of the two may leave out the prefecture, or the district (郡). 大字 and 字 do not count, nor how ヶ, ツ and
///   ノ are written.
/// - The house: the same numbers in the same order. 2 is not 2-3, nor 12-3.
/// - The building: nearly the same name, and the same numbers, if both have them. One may end before the room, or before the building. The
///   room may also be the fourth number of the house: `芝1-2-3-405` is `芝1-2-3 芝ハイツ405号室`.
///
/// **In other scripts**:
/// - The words, in any order, with the usual abbreviations (St, Rd): in longer ones one letter in five may differ. Only one of the two may
///   lack some, up to a third of the letters.
/// - The numbers of the house in the same order. What a flat is called, and whether it stands first or last, does not count: `Flat 3, 12 High Street` is
///   `12 High Street #3` and `3/12 High Street`. One may leave the flat out. 12 is not 12A, nor 12-14.
/// - The points of the compass (N, North), and the postcodes, if both have one.
///
/// A Japanese postcode with its mark, or before kanji or kana, adds nothing to what stands behind it, and documents do not print it.
pub(crate) fn same_address(a: &str, b: &str) -> Option<bool> {
    let [(_, a), (_, b)] = [a, b].map(Postcode::split_from);
    if folded(a).is_empty() && folded(b).is_empty() {
        return None;
    }
    let has_kanji_or_kana = |text: &str| in_new_forms(text).any(is_kanji_or_kana);
    let is_in_another_script = |text: &str| in_new_forms(text).any(is_other_letter) && !has_kanji_or_kana(text);
    if is_in_another_script(a) && has_kanji_or_kana(b) || has_kanji_or_kana(a) && is_in_another_script(b) {
        return None;
    }
    Some(if has_kanji_or_kana(a) || has_kanji_or_kana(b) {
        Japanese::of(a).is(&Japanese::of(b))
    } else {
        Western::of(a).is(&Western::of(b))
    })
}

/// The sound mark is not among them: people also type it for a hyphen.
const fn is_kanji_or_kana(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{30fa}' | '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}')
}

/// A letter of another script. The sound mark, 々 and 〇 are of no other.
fn is_other_letter(c: char) -> bool {
    let is_mark = matches!(c, '\u{3005}'..='\u{3007}' | '\u{30fc}'..='\u{30ff}');
    c.is_alphabetic() && is_letter_or_digit(c) && !is_kanji_or_kana(c) && !is_mark
}

/// Whether at most one letter in five differs.
fn is_close(a: &[char], b: &[char]) -> bool {
    edit_distance(a, b) * 5 <= a.len().max(b.len())
}

/// Without the zeros before it.
fn number(digits: &str) -> String {
    let number = digits.trim_start_matches('0');
    let number = if number.is_empty() { "0" } else { number };
    number.to_owned()
}

/// The parts of a Japanese address.
#[derive(Default)]
struct Japanese {
    /// The letters from the prefecture to the town.
    place: Vec<char>,
    /// The numbers among them: 北10条.
    place_numbers: Vec<String>,
    /// 丁目, 番 or 番地, 号, and what else follows them without a letter between.
    house: Vec<String>,
    /// The letters behind the house.
    building: Vec<char>,
    /// The numbers behind the house.
    room: Vec<String>,
}

/// What a Japanese address is made of.
#[derive(PartialEq)]
enum Token {
    Number(String),
    Letter(char),
    /// What stands between two numbers, or after one, and is not a letter of a name.
    Link,
    /// The link 丁目: a house has a number behind it.
    Chome,
}

impl Japanese {
    fn of(text: &str) -> Self {
        let tokens = tokens(behind_postcode(text));
        let mut address = Self::default();
        let mut rest = tokens.as_slice();
        while let Some(first) = rest.first() {
            if let Token::Letter(c) = first {
                let letters = if address.house.is_empty() {
                    &mut address.place
                } else {
                    &mut address.building
                };
                letters.push(*c);
                rest = &rest[1..];
                continue;
            }
            let end = rest.iter().position(|token| matches!(token, Token::Letter(_)));
            let (run, behind) = rest.split_at(end.unwrap_or(rest.len()));
            let numbers = run.iter().filter_map(|token| match token {
                Token::Number(number) => Some(number.clone()),
                _ => None,
            });
            let numbers_of = if !address.house.is_empty() {
                &mut address.room
            } else if is_of_place(run, behind) {
                &mut address.place_numbers
            } else {
                &mut address.house
            };
            numbers_of.extend(numbers);
            rest = behind;
        }
        let place: String = address.place.iter().collect();
        address.place = place
            .replace("大字", "")
            .replace("小字", "")
            .replace('字', "")
            .chars()
            .collect();
        address
    }

    fn is(&self, other: &Self) -> bool {
        same_place(&self.place, &other.place)
            && self.place_numbers == other.place_numbers
            && self.has_numbers_of(other)
            && (self.building.is_empty() || other.building.is_empty() || is_close(&self.building, &other.building))
    }

    fn has_numbers_of(&self, other: &Self) -> bool {
        /// The numbers of a house at most, of which the last is not a room.
        const WHOLE: usize = 3;
        if self.house == other.house {
            return begins_alike(&self.room, &other.room);
        }
        let is_whole = self.house.len() >= WHOLE && other.house.len() >= WHOLE;
        let [own, others] = [self, other].map(|address| [address.house.as_slice(), &address.room].concat());
        is_whole && begins_alike(&own, &others)
    }
}

/// The address after a postcode without its mark, if there is one.
fn behind_postcode(address: &str) -> &str {
    let text = address.trim_start();
    let end = text.find(|c: char| c.is_whitespace() || is_kanji_or_kana(c));
    let (code, rest) = text.split_at(end.unwrap_or(text.len()));
    let rest = rest.trim_start();
    let is_code = hyphenated(code).is_some_and(|[area, town]| area.len() == 3 && town.len() == 4);
    if is_code && rest.starts_with(char::is_alphabetic) {
        rest
    } else {
        address
    }
}

/// Digits, a stroke, and digits.
fn hyphenated(word: &str) -> Option<[String; 2]> {
    let word: String = word.nfkc().collect();
    let parts = word.split_once(is_stroke)?;
    let parts = <[&str; 2]>::from(parts);
    let is_digits = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    parts.iter().all(is_digits).then(|| parts.map(str::to_owned))
}

/// Whether one of two lists begins with the other.
fn begins_alike(a: &[String], b: &[String]) -> bool {
    a.iter().zip(b).all(|(a, b)| a == b)
}

/// Whether the numbers of a run belong to the name of a place that continues after it: 北10条西, 二丁目御旅町.
fn is_of_place(run: &[Token], behind: &[Token]) -> bool {
    let Some(Token::Letter(next)) = behind.first() else {
        return false;
    };
    match run {
        [Token::Number(_)] => matches!(next, '条' | '線' | '地' | '区' | '町' | '番' | '丁' | '軒'),
        _ => run.iter().rev().find(|token| **token != Token::Link) == Some(&Token::Chome),
    }
}

fn same_place(a: &[char], b: &[char]) -> bool {
    /// Between places that are neighbours.
    const TELLING: &str = "東西南北上中下元本新";
    let [(in_a, a), (in_b, b)] = [a, b].map(|place| place.split_at(prefecture(place)));
    let same_prefecture = in_a.is_empty() || in_b.is_empty() || in_a == in_b;
    let (from_a, from_b) = (district(a), district(b));
    let one_has_it = (from_a == 0) != (from_b == 0);
    let (a, b) = if one_has_it {
        (&a[from_a..], &b[from_b..])
    } else {
        (a, b)
    };
    let telling = |c: &&char| TELLING.contains(**c);
    let same_letters = a.iter().filter(telling).eq(b.iter().filter(telling));
    // Two letters are already the name of another town.
    same_prefecture && same_letters && is_close(a, b) && edit_distance(a, b) <= 1
}

/// How many letters the prefecture has with which a place begins.
fn prefecture(place: &[char]) -> usize {
    const OTHERS: [&str; 4] = ["北海道", "東京都", "京都府", "大阪府"];
    if OTHERS.iter().any(|name| begins(place, name)) {
        return 3;
    }
    let end = (2..=3).find(|at| place.get(*at) == Some(&'県'));
    end.map_or(0, |end| end + 1)
}

/// How many letters the district has with which a town or village is given. Some cities have its letter in their names: 大和郡山市, 蒲郡市.
fn district(place: &[char]) -> usize {
    let Some(end) = place.iter().position(|c| *c == '郡') else {
        return 0;
    };
    let (before, behind) = (&place[..end], &place[end + 1..]);
    let is_of_city = before.iter().any(|c| matches!(c, '市' | '区')) || matches!(behind, ['市' | '山', ..]);
    let has_town = behind.iter().any(|c| matches!(c, '町' | '村'));
    let is_district = !before.is_empty() && !is_of_city && has_town;
    if is_district { end + 1 } else { 0 }
}

fn tokens(text: &str) -> Vec<Token> {
    let marks_off = in_new_forms(text).filter(|c| !is_combining_mark(*c));
    let chars: Vec<char> = marks_off.map(one_kana).collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let (token, length) = next_token(&chars, at, tokens.last());
        tokens.extend(token);
        at += length;
    }
    tokens
}

/// Of the kana that one name is written with or without, small or large: 霞ヶ関 and 霞が関, 四ッ谷 and 四ツ谷, 山ノ内 and 山之内.
const fn one_kana(c: char) -> char {
    match c {
        'ヶ' | 'ヵ' | 'が' | 'ガ' => 'ケ',
        'ッ' | 'つ' | 'っ' => 'ツ',
        'ノ' | '之' => 'の',
        other => other,
    }
}

/// The token at this place, if it counts, and its length, which is at least one.
fn next_token(chars: &[char], at: usize, last: Option<&Token>) -> (Option<Token>, usize) {
    let (before, rest) = chars.split_at(at);
    let digits = leading(rest, is_digit);
    if digits > 0 {
        let run: String = rest[..digits].iter().collect();
        return (Some(Token::Number(number(&run))), digits);
    }
    let numerals = leading(rest, is_numeral);
    if numerals > 0 && is_number(&rest[numerals..], last) {
        return (Some(Token::Number(value(&rest[..numerals]))), numerals);
    }
    let c = rest[0];
    if last.is_some_and(|last| !matches!(last, Token::Letter(_))) {
        if let Some((token, length)) = counter(rest) {
            return (Some(token), length);
        }
        if !is_letter_or_digit(c) || is_joint(rest) {
            return (Some(Token::Link), 1);
        }
    }
    let is_latin = |c: Option<&char>| c.is_some_and(char::is_ascii_alphabetic);
    let token = match c {
        _ if !is_letter_or_digit(c) => None,
        // A single one names a building or a room, as numbers do: A棟, 405B.
        _ if c.is_ascii_alphabetic() && !is_latin(before.last()) && !is_latin(rest.get(1)) => {
            Some(Token::Number(c.to_string()))
        }
        _ => Some(Token::Letter(c)),
    };
    (token, 1)
}

fn leading(chars: &[char], is: impl Fn(char) -> bool) -> usize {
    chars.iter().take_while(|c| is(**c)).count()
}

fn is_digit(c: char) -> bool {
    c.is_numeric() && numeral(c).is_none()
}

fn is_numeral(c: char) -> bool {
    numeral(c).is_some() || unit(c).is_some()
}

const fn numeral(c: char) -> Option<u64> {
    match c {
        '〇' | '零' => Some(0),
        '一' => Some(1),
        '二' => Some(2),
        '三' => Some(3),
        '四' => Some(4),
        '五' => Some(5),
        '六' => Some(6),
        '七' => Some(7),
        '八' => Some(8),
        '九' => Some(9),
        _ => None,
    }
}

const fn unit(c: char) -> Option<u64> {
    match c {
        '十' => Some(10),
        '百' => Some(100),
        '千' => Some(1000),
        _ => None,
    }
}

/// The digits of kanji numerals: 二十一 and 二一 are 21.
fn value(numerals: &[char]) -> String {
    if !numerals.iter().any(|c| unit(*c).is_some()) {
        let digits: String = numerals
            .iter()
            .filter_map(|c| numeral(*c))
            .map(|digit| digit.to_string())
            .collect();
        return number(&digits);
    }
    let (mut total, mut digits) = (0_u64, 0_u64);
    for c in numerals {
        match unit(*c) {
            Some(unit) => {
                total = total.saturating_add(digits.max(1) * unit);
                digits = 0;
            }
            None => digits = numeral(*c).unwrap_or_default(),
        }
    }
    total.saturating_add(digits).to_string()
}

/// Whether kanji numerals are a number and not part of a name such as 三田, 麻布十番 or 三番町. `behind` is what follows them.
fn is_number(behind: &[char], last: Option<&Token>) -> bool {
    let is_behind_link = matches!(last, Some(Token::Link | Token::Chome));
    let counter = counter(behind);
    let counts = matches!(counter, Some((Token::Chome, _))) || ["番地", "条"].iter().any(|name| begins(behind, name));
    let counts_behind_link = counter.is_some();
    let ends = behind.first().is_none_or(|c| !is_letter_or_digit(*c) || is_digit(*c));
    counts || is_joint(behind) || is_behind_link && (ends || counts_behind_link)
}

/// What counts houses and rooms, at the beginning of what follows a number.
fn counter(chars: &[char]) -> Option<(Token, usize)> {
    const COUNTERS: [&str; 7] = ["番地", "号室", "号棟", "号", "室", "階", "棟"];
    if begins(chars, "丁目") {
        return Some((Token::Chome, 2));
    }
    if let Some(name) = COUNTERS.iter().find(|name| begins(chars, name)) {
        return Some((Token::Link, name.chars().count()));
    }
    let next = chars.get(1).copied();
    match chars.first()? {
        // Not that of 三番町 and 一番丁, which are names.
        '番' if !matches!(next, Some('町' | '丁')) => Some((Token::Link, 1)),
        // As 丁目 is written in Sakai.
        '丁' if next.is_none_or(|c| !is_letter_or_digit(c) || is_digit(c) || is_numeral(c)) => Some((Token::Chome, 1)),
        // A storey: 3F.
        'f' if next.is_none_or(|c| !c.is_ascii_alphabetic()) => Some((Token::Link, 1)),
        _ => None,
    }
}

/// Whether this is a stroke or the particle between two numbers. It may be read, or typed, as the sound mark or the number one.
fn is_joint(chars: &[char]) -> bool {
    match chars {
        ['一', next, ..] => is_digit(*next),
        [c, next, ..] if *c == 'の' || is_stroke(*c) => is_digit(*next) || is_numeral(*next),
        _ => false,
    }
}

/// A hyphen, or what people type for one.
const fn is_stroke(c: char) -> bool {
    matches!(c, 'ー' | '-' | '\u{2010}'..='\u{2015}' | '\u{2212}')
}

fn begins(chars: &[char], with: &str) -> bool {
    chars.iter().copied().take(with.chars().count()).eq(with.chars())
}

/// The parts of an address in any other script.
#[derive(Default)]
struct Western {
    /// The words of two letters or more, abbreviated.
    words: Vec<String>,
    /// The points of the compass, in alphabetical order.
    directions: Vec<&'static str>,
    /// Numbers and single letters, except those of the following.
    house: Vec<String>,
    /// Those behind a word such as Flat.
    flat: Vec<String>,
    postcode: Vec<String>,
}

impl Western {
    fn of(text: &str) -> Self {
        // Accents and apostrophes are within words.
        let is_between = |c: char| !(c.is_alphanumeric() || is_combining_mark(c) || matches!(c, '\'' | '\u{2019}'));
        let text = text.replace('#', " UNIT ");
        let mut address = Self::default();
        let mut others = String::new();
        for part in text.split(|c: char| c.is_whitespace() || c == ',') {
            if let Some(postcode) = hyphenated_postcode(part) {
                address.postcode.push(postcode);
            } else {
                others.extend([part, " "]);
            }
        }
        let words = others.split(is_between).map(plain);
        let words: Vec<String> = words.filter(|word| !word.is_empty()).collect();
        let mut rest = words.as_slice();
        while let [word, behind @ ..] = rest {
            let next = behind.first().map_or("", String::as_str);
            let taken = address.take(word, next);
            rest = &rest[taken..];
        }
        address.directions.sort_unstable();
        address
    }

    /// Takes a word, or two; returns how many.
    fn take(&mut self, word: &str, next: &str) -> usize {
        let both = format!("{word}{next}");
        let is_numbered = next.chars().count() == 1 || next.contains(char::is_numeric);
        if is_postcode(word) {
            self.postcode.push(word.to_owned());
        } else if word.contains(char::is_numeric) && !next.is_empty() && is_postcode(&both) {
            self.postcode.push(both);
            return 2;
        } else if is_flat(word) && is_numbered {
            self.flat.extend(runs(next).iter().map(|run| number(run)));
            return 2;
        } else if let Some(direction) = direction(word) {
            self.directions.push(direction);
        } else if !(matches!(word, "NO" | "NR") && is_numbered || is_flat(word) && is_flat(next)) {
            self.take_runs(&runs(word));
        }
        1
    }

    fn take_runs(&mut self, runs: &[String]) {
        /// Digits of a postcode, where they do not come first.
        const POSTCODE: usize = 4;
        if let [label, flat @ ..] = runs
            && is_flat(label)
            && !flat.is_empty()
        {
            self.flat.extend(flat.iter().map(|run| number(run)));
            return;
        }
        let mut is_behind_number = false;
        for run in runs {
            let is_number = run.contains(char::is_numeric);
            let is_ordinal = is_behind_number && matches!(run.as_str(), "ST" | "ND" | "RD" | "TH");
            if is_number && run.len() >= POSTCODE && !self.house.is_empty() {
                self.postcode.push(run.clone());
            } else if is_number || run.chars().count() == 1 {
                self.house.push(number(run));
            } else if !is_ordinal {
                self.words.push(abbreviated(run));
            }
            is_behind_number = is_number;
        }
    }

    fn is(&self, other: &Self) -> bool {
        let no_postcode = self.postcode.is_empty() || other.postcode.is_empty();
        self.directions == other.directions
            && (no_postcode || same_postcode(&self.postcode, &other.postcode))
            && self.has_numbers_of(other)
            && (self.words.concat() == other.words.concat()
                || is_part(&self.words, &other.words)
                || is_part(&other.words, &self.words))
    }

    fn has_numbers_of(&self, other: &Self) -> bool {
        let (bare, labelled) = match (self.flat.is_empty(), other.flat.is_empty()) {
            (true, false) => (self, other),
            (false, true) => (other, self),
            _ => return self.house == other.house && self.flat == other.flat,
        };
        let (house, flat) = (&labelled.house, &labelled.flat);
        let flat_first = [flat.as_slice(), house].concat();
        let flat_last = [house.as_slice(), flat].concat();
        [house, &flat_first, &flat_last].contains(&&bare.house)
    }
}

/// A word in runs of digits and of letters.
fn runs(word: &str) -> Vec<String> {
    let chars: Vec<char> = word.chars().collect();
    let runs = chars.chunk_by(|a, b| a.is_numeric() == b.is_numeric());
    runs.map(|run| run.iter().collect()).collect()
}

/// Whether these are British or Canadian postcodes' letters and digits.
fn is_postcode(word: &str) -> bool {
    let form = |c: char| match c {
        '0'..='9' => '9',
        'A'..='Z' => 'A',
        other => other,
    };
    let form: String = word.chars().map(form).collect();
    matches!(
        form.as_str(),
        "A99AA" | "A999AA" | "AA99AA" | "AA999AA" | "A9A9AA" | "AA9A9AA" | "A9A9A9"
    )
}

/// The digits of a Japanese (150-0001), Brazilian (01310-100) or Portuguese postcode (1000-001). Numbers of houses do not have that many.
fn hyphenated_postcode(word: &str) -> Option<String> {
    let parts = hyphenated(word)?;
    let is_postcode = matches!(parts.each_ref().map(String::len), [3, 4] | [5, 3] | [4, 3]);
    is_postcode.then(|| parts.concat())
}

/// American ones may have four digits more.
fn same_postcode(a: &[String], b: &[String]) -> bool {
    let (a, b) = (a.concat(), b.concat());
    a.starts_with(&b) || b.starts_with(&a)
}

fn is_flat(word: &str) -> bool {
    matches!(
        word,
        "FLAT" | "APT" | "APPT" | "APARTMENT" | "UNIT" | "SUITE" | "STE" | "ROOM" | "RM" | "DEPTO" | "WHG"
    )
}

fn direction(word: &str) -> Option<&'static str> {
    match word {
        "N" | "NORTH" => Some("N"),
        "E" | "EAST" => Some("E"),
        "S" | "SOUTH" => Some("S"),
        "W" | "WEST" => Some("W"),
        "NE" | "NORTHEAST" => Some("NE"),
        "NW" | "NORTHWEST" => Some("NW"),
        "SE" | "SOUTHEAST" => Some("SE"),
        "SW" | "SOUTHWEST" => Some("SW"),
        _ => None,
    }
}

fn abbreviated(word: &str) -> String {
    let short = match word {
        "STREET" | "SAINT" => "ST",
        "ROAD" => "RD",
        "AVENUE" | "AV" => "AVE",
        "LANE" => "LN",
        "DRIVE" => "DR",
        "COURT" => "CT",
        "PLACE" => "PL",
        "SQUARE" => "SQ",
        "BOULEVARD" => "BLVD",
        "CRESCENT" => "CRES",
        "HIGHWAY" => "HWY",
        "PARKWAY" => "PKWY",
        "MOUNT" => "MT",
        _ if word.ends_with("STRASSE") => &word[..word.len() - "ASSE".len()],
        _ => word,
    };
    short.to_owned()
}

/// Whether every word is one of the whole, which has not much beside them.
fn is_part(part: &[String], whole: &[String]) -> bool {
    /// One letter in so many may be beside them.
    const BESIDE: usize = 3;
    let letters = |words: &[String]| words.iter().map(|word| word.chars().count()).sum::<usize>();
    let is_near = |a: &str, b: &str| {
        let [a, b] = [a, b].map(|word| word.chars().collect::<Vec<char>>());
        is_close(&a, &b)
    };
    let mut rest = whole.to_vec();
    for word in part {
        let equal = rest.iter().position(|other| other == word);
        let Some(at) = equal.or_else(|| rest.iter().position(|other| is_near(other, word))) else {
            return false;
        };
        rest.swap_remove(at);
    }
    letters(&rest) * BESIDE <= letters(whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn judge(pairs: &[(&str, &str)], same: bool) {
        for (a, b) in pairs {
            assert_eq!(same_address(a, b), Some(same), "{a} | {b}");
            assert_eq!(same_address(b, a), Some(same), "{b} | {a}");
        }
    }

    #[test]
    fn an_address_in_japan_is_the_same_in_every_notation() {
        judge(
            &[
                ("東京都港区芝一丁目2番3号", "東京都港区芝1-2-3"),
                ("東京都港区芝一丁目二番三号", "港区芝１丁目２−３"),
                ("東京都港区芝1丁目2番地3", "東京都港区芝1の2の3"),
                ("東京都港区芝 1丁目 2番 3号", "東京都港区芝１ー２ー３"),
                ("東京都港区三田一ー二ー三", "東京都港区三田1-2-3"),
                ("東京都新宿区西新宿二十一丁目2番3号", "東京都新宿区西新宿21-2-3"),
                ("東京都千代田区三番町6番地2", "千代田区三番町6-2"),
                ("東京都港区麻布十番一丁目2番3号", "東京都港区麻布十番1-2-3"),
                ("東京都千代田区霞ヶ関2-1-2", "東京都千代田区霞が関2-1-2"),
                ("埼玉県比企郡小川町大字小川123番地4", "埼玉県小川町小川123-4"),
                ("北海道札幌市北区北10条西3丁目2番1号", "札幌市北区北十条西3-2-1"),
                ("京都府京都市下京区二丁目御旅町35番地", "京都市下京区二丁目御旅町35"),
                ("大阪府堺市中区深井一丁2番3号", "大阪府堺市中区深井1-2-3"),
                ("東京都港区芝1-2-3 芝ハイツ405号室", "東京都港区芝1-2-3-405"),
                (
                    "東京都港区芝1-2-3芝ハイツ４０５",
                    "東京都港区芝1丁目2番3号 芝ハイツ 405号",
                ),
                ("東京都港区芝1-2-3 芝ハイツA棟405", "東京都港区芝1-2-3 芝ハイツA-405"),
                ("東京都港区芝1-2-3 芝ハイツ405", "東京都港区芝1-2-3"),
                ("東京都港区芝1-2-3-405", "東京都港区芝1-2-3"),
                ("東京都港区芝1-2-3 芝ハイツ3F", "東京都港区芝1-2-3 芝ハイツ3階"),
                ("埼玉県川越市小川123 小川荘5", "埼玉県川越市小川123"),
                ("東京都千代田區飯田橋1-2-3", "東京都千代田区飯田橋1-2-3"),
                ("150-0001 東京都渋谷区神宮前1-2-3", "東京都渋谷区神宮前1-2-3"),
                ("１５０－０００１東京都渋谷区神宮前1-2-3", "東京都渋谷区神宮前1-2-3"),
                // One letter was misread.
                ("東京都千代田区飯田橋1-2-3", "東京都千代田区飯由橋1-2-3"),
            ],
            true,
        );
    }

    #[test]
    fn another_house_or_place_in_japan_is_not_the_same() {
        judge(
            &[
                ("東京都港区芝1-12-3", "東京都港区芝11-2-3"),
                ("東京都港区芝一丁目12番3号", "東京都港区芝11-2-3"),
                ("東京都港区芝1-2-3", "東京都港区芝1-2-4"),
                ("東京都港区芝1-2-3", "東京都港区芝1-2"),
                ("東京都港区芝1-2", "東京都港区芝一丁目"),
                ("東京都港区芝1-2-3", "東京都港区芝"),
                ("埼玉県川越市小川123", "埼玉県川越市小川123-4"),
                (
                    "東京都港区芝1-2-3 グランドメゾン芝公園レジデンス405",
                    "東京都港区芝1-2-4 グランドメゾン芝公園レジデンス405",
                ),
                (
                    "東京都港区芝1-2-3 グランドメゾン芝公園レジデンス405",
                    "東京都港区芝1-2-3 グランドメゾン芝公園レジデンス406",
                ),
                ("東京都港区芝1-2-3 芝ハイツA405", "東京都港区芝1-2-3 芝ハイツB405"),
                ("東京都港区芝1-2-3 芝ハイツ405", "東京都港区芝1-2-3-406"),
                ("東京都港区芝1-2-3 芝ハイツ405", "東京都港区芝1-2-3 三田コーポ405"),
                ("東京都港区芝1-2-3", "東京都港区芝浦1-2-3"),
                ("東京都新宿区西新宿1-2-3", "東京都新宿区新宿1-2-3"),
                ("東京都品川区東五反田1-2-3", "東京都品川区西五反田1-2-3"),
                ("埼玉県さいたま市浦和区高砂1-2-3", "埼玉県さいたま市浦和区常盤1-2-3"),
                ("東京都府中市宮町1-2-3", "広島県府中市宮町1-2-3"),
                ("北海道札幌市北区北10条西3丁目2-1", "北海道札幌市北区北11条西3丁目2-1"),
                ("京都府京都市下京区二丁目御旅町35", "京都府京都市下京区二丁目"),
                ("東京都港区麻布十番1-2-3", "東京都港区麻布十番1-2"),
                ("東京都渋谷区神宮前1-2-3", "1-2-3"),
                ("150-0001 東京都渋谷区神宮前1-2-3", "150-0001 東京都渋谷区神宮前1-2-4"),
                ("東京都港区芝1ー2ー3", "1ー2ー4"),
            ],
            false,
        );
    }

    #[test]
    fn an_address_elsewhere_is_the_same_in_every_notation() {
        judge(
            &[
                ("12 High Street, London SW1A 1AA", "12 HIGH ST LONDON SW1A1AA"),
                ("Flat 3, 12 High Street, London", "12 High Street, Flat 3, London"),
                ("Flat 3, 12 High Street, London", "3/12 High Street, London"),
                ("Apt #3, 12 High Street, London", "12 High Street #3, London"),
                ("Flat 3, 12 High Street, London", "12 High Street, London"),
                ("12A High Street, London", "12 a High Street, London"),
                ("12 High Street, London SW1A 1AA", "12 High Street, London"),
                (
                    "2570 24TH STREET ANYTOWN CA 95818",
                    "2570 24th St, Anytown, CA 95818-1234",
                ),
                ("12 N Main Street, Springfield", "12 North Main St, Springfield"),
                ("Hauptstraße 5, 10115 Berlin", "Hauptstr. 5, Berlin"),
                ("1-2-3 Chiyoda, Tokyo", "Chiyoda 1-2-3, Tokyo"),
                ("1-2-3 Jingumae, Tokyo 150-0001", "1-2-3 Jingumae, Tokyo"),
                ("150-0001 1-2-3 Jingumae, Tokyo", "〒150-0001 1-2-3 Jingumae, Tokyo"),
                ("Rua Augusta 100, São Paulo 01310-100", "Rua Augusta 100, São Paulo"),
                (
                    "Rua Augusta 100, São Paulo 01310-100",
                    "Rua Augusta 100, São Paulo 01310100",
                ),
                ("Rua Augusta 10, 1000-001 Lisboa", "RUA AUGUSTA 10 LISBOA"),
                ("12 Kealiʻi Street, Honolulu", "12 KEALII ST HONOLULU"),
                // One letter was misread, or a space.
                ("7 Harbour Street, Amaurot", "7 HARBOUB STREET AMAUROT"),
                ("7 Harbour Wharf, Amaurot", "7 HARBOURWHARF AMAUROT"),
                ("ул. Ленина 12, Москва", "УЛ ЛЕНИНА 12 МОСКВА"),
            ],
            true,
        );
    }

    #[test]
    fn another_house_or_street_elsewhere_is_not_the_same() {
        judge(
            &[
                ("12 High Street, London", "21 High Street, London"),
                ("12 High Street, London", "12A High Street, London"),
                ("12 High Street, London", "12-14 High Street, London"),
                ("12 High Street, London", "High Street, London"),
                ("Flat 3, 12 High Street, London", "Flat 12, 3 High Street, London"),
                ("Flat 3, 12 High Street, London", "Flat 4, 12 High Street, London"),
                ("12345 Main Street, Springfield", "12346 Main Street, Springfield"),
                (
                    "Apt 5, 1234 Main Street, Springfield",
                    "Apt 5, 1235 Main Street, Springfield",
                ),
                ("12 High Street, London SW1A 1AA", "12 High Street, London SW1A 2AA"),
                ("1-2-3 Jingumae, Tokyo 150-0001", "1-2-4 Jingumae, Tokyo 150-0001"),
                ("Rua Augusta 10, 1000-001 Lisboa", "Rua Augusta 10, 1000-002 Lisboa"),
                ("12 Hill Road, Southampton", "12 Mill Road, Southampton"),
                ("12 N Main Street, Springfield", "12 S Main Street, Springfield"),
                ("5 Park Street, New York", "5 Park Avenue, New York"),
                ("12 London", "12 High Street, Mayfair, London"),
            ],
            false,
        );
    }

    #[test]
    fn what_says_nothing_is_neither_the_same_nor_another() {
        assert_eq!(same_address("", " - "), None);
        assert_eq!(same_address("anywhere", ""), Some(false));
        assert_eq!(same_address("anywhere", "Anywhere"), Some(true));
    }

    #[test]
    fn an_address_in_another_script_is_neither_the_same_nor_another() {
        for (japanese, other) in [
            ("東京都渋谷区神宮前1-2-3", "Jingumae 1-2-3, Shibuya-ku, Tokyo"),
            ("東京都渋谷区神宮前1-2-3 Aハイツ", "〒150-0001 1-2-3 Jingumae, Shibuya"),
            ("東京都渋谷区神宮前1-2-3", "도쿄도 시부야구 진구마에 1-2-3"),
        ] {
            assert_eq!(same_address(japanese, other), None, "{other}");
            assert_eq!(same_address(other, japanese), None, "{other}");
        }
    }

    /// Notations of one house in Japan.
    fn notations([a, b, c]: [u32; 3]) -> [String; 6] {
        let kanji = |n: u32| -> String {
            let digit = |n: u32| "〇一二三四五六七八九".chars().nth(n as usize).unwrap();
            let tens = match n / 10 {
                0 => String::new(),
                1 => "十".into(),
                tens => format!("{}十", digit(tens)),
            };
            let ones = Some(n % 10).filter(|n| *n > 0).map(digit);
            tens.chars().chain(ones).collect()
        };
        [
            format!("東京都港区三田{a}-{b}-{c}"),
            format!("港区三田{a}丁目{b}番{c}号"),
            format!("東京都港区三田{}丁目{b}番地{c}", kanji(a)),
            format!("港区三田{}丁目{}番{}号", kanji(a), kanji(b), kanji(c)),
            format!("東京都港区三田{a}−{b}ー{c}号室"),
            format!("東京都港区 三田 {a}の{b}の{c} 三田第一ハイツ405"),
        ]
    }

    proptest! {
        #[test]
        fn houses_are_the_same_if_their_numbers_are_in_whatever_notation(
            one in [1..40_u32, 1..40, 1..40], other in [1..40_u32, 1..40, 1..40], at in 0..6_usize, to in 0..6_usize
        ) {
            let own = notations(one);
            prop_assert_eq!(same_address(&own[at], &own[to]), Some(true), "{} {}", own[at], own[to]);
            let others = notations(other);
            prop_assert_eq!(same_address(&own[at], &others[to]), Some(one == other), "{} {}", own[at], others[to]);
        }

        #[test]
        fn a_flat_is_the_same_wherever_it_stands(house in 1..999_u32, flat in 1..999_u32, other in 1..999_u32) {
            let first = format!("Flat {flat}, {house} High Street, London");
            for last in [
                format!("{house} High St, Apt {flat}, London"),
                format!("{house} HIGH STREET #{flat} LONDON"),
                format!("{flat}/{house} High Street, London"),
            ] {
                prop_assert_eq!(same_address(&first, &last), Some(true), "{} {}", first, last);
            }
            let neighbour = format!("{house} High Street, Apt {other}, London");
            prop_assert_eq!(same_address(&first, &neighbour), Some(flat == other));
        }

        #[test]
        fn every_address_is_its_own_and_the_order_of_two_does_not_matter(
            a in "[芝三一十番町郡県丁目号ノーA-Ca-c0-3 /#-]{0,16}", b in "[芝三一十番町郡県丁目号ノーA-Ca-c0-3 /#-]{0,16}"
        ) {
            prop_assert_eq!(same_address(&a, &b), same_address(&b, &a));
            prop_assert!(same_address(&a, &a) != Some(false));
        }

        #[test]
        fn no_text_is_too_much(a in any::<String>(), b in any::<String>()) {
            prop_assert_eq!(same_address(&a, &b), same_address(&b, &a));
            prop_assert!(same_address(&a, &a) != Some(false));
        }
    }
}
