//! Whether two spellings denote the same name.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// A word of a name in the forms it may have in a machine-readable zone.
struct Spellings {
    /// As [`transliterated`].
    recommended: String,
    /// As [`simplified`].
    simple: String,
    /// As [`transliterated_with_x`].
    with_x: String,
}

impl Spellings {
    fn of(word: &str) -> Self {
        Self {
            recommended: transliterated(word),
            simple: simplified(word),
            with_x: transliterated_with_x(word),
        }
    }

    fn forms(&self) -> [&str; 3] {
        [&self.recommended, &self.simple, &self.with_x]
    }
}

/// Suffixes of names, each in its ways of being written (AAMVA DL/ID Card Design Standard, DCU). Documents and people put them behind either name or
/// leave them out. Not those that are an initial or a name as well: I, V, VI and IX.
const SUFFIXES: [&[&str]; 11] = [
    &["JR"],
    &["SR"],
    &["1ST"],
    &["2ND", "II"],
    &["3RD", "III"],
    &["4TH", "IV"],
    &["5TH"],
    &["6TH"],
    &["7TH", "VII"],
    &["8TH", "VIII"],
    &["9TH"],
];

/// `None` if the scripts differ: a kanji name cannot be compared with its Latin transcription, nor with its reading in kana.
pub(crate) fn same_name(a: &str, b: &str) -> Option<bool> {
    // Also for punctuation alone, of which the rules below leave nothing.
    if a == b {
        return Some(true);
    }
    match (is_latin(a), is_latin(b)) {
        (true, true) => Some(same_latin(a, b)),
        (false, false) if is_kana(a) && has_kanji(b) || has_kanji(a) && is_kana(b) => None,
        (false, false) => Some(folded(a) == folded(b)),
        _ => None,
    }
}

/// Whether it has letters, and all of them are kana.
pub(super) fn is_kana(text: &str) -> bool {
    let letters = folded(text);
    let is_kana = |c| matches!(c, '\u{3041}'..='\u{309f}' | '\u{30a1}'..='\u{30ff}');
    !letters.is_empty() && letters.chars().all(is_kana)
}

fn has_kanji(text: &str) -> bool {
    // Forms that are compatible with others are folded, but for twelve.
    let is_kanji = |c| matches!(c, '\u{3400}'..='\u{9fff}' | '\u{fa0e}'..='\u{fa29}' | '\u{20000}'..='\u{3ffff}');
    folded(text).chars().any(is_kanji)
}

/// A name printed as one against a family and a given name. The given name may come first or last, and may be the first of
/// several, which stand between the two where it comes first. `None` also if what is printed ends before the second of them: that says nothing of it.
pub(crate) fn same_full_name(full: &str, last: &str, first: &str) -> Option<bool> {
    let compared: Vec<Option<bool>> = [(last, first), (first, last)]
        .into_iter()
        .filter_map(|(one, other)| {
            let whole = format!("{one} {other}");
            if full == whole || !is_latin(full) || !is_latin(&whole) {
                return same_name(full, &whole).map(Some);
            }
            let (full, whole, one, other) = (names(full), names(&whole), names(one), names(other));
            let same = are_same(&full, &whole, one.len());
            let covers = other.is_empty() || !are_within(without_suffix(&full, one.len()).0, &one);
            Some((!same || covers).then_some(same))
        })
        .collect();
    if compared.contains(&Some(true)) || begins_and_ends(full, first, last) {
        return Some(true);
    }
    (!compared.is_empty() && !compared.contains(&None)).then_some(false)
}

/// Whether a name printed as one begins with a given and ends with a family name: `JOHN KAMAU MWANGI` is that of John Mwangi.
fn begins_and_ends(full: &str, first: &str, last: &str) -> bool {
    if ![full, first, last].into_iter().all(is_latin) {
        return false;
    }
    let (full, first, last) = (names(full), names(first), names(last));
    let ((full, suffix), (last, other)) = (without_suffix(&full, 0), without_suffix(&last, 0));
    let end = full.len().checked_sub(last.len()).filter(|end| *end >= first.len());
    let same = |names: &[Spellings], of: &[Spellings]| names.iter().zip(of).all(|(x, y)| is_same(x, y));
    let is_given = !first.is_empty() && !last.is_empty() && are_compatible(suffix, other);
    is_given && end.is_some_and(|end| same(&first, full) && same(last, &full[end..]))
}

/// A name printed as one against the only name of a person: here a longer one is that of somebody else.
pub(crate) fn same_only_name(full: &str, only: &str) -> Option<bool> {
    let same = same_name(full, only)?;
    Some(same && (full == only || !is_latin(full) || is_within(full, only)))
}

pub(crate) fn is_latin(text: &str) -> bool {
    // The small schwa of Azerbaijan and the capital ß of Germany stand apart from all other letters of European names.
    let is_latin = |c: char| u32::from(c) < 0x250 || matches!(c, 'ə' | 'ẞ');
    text.nfkd()
        .filter(|c| is_letter_or_digit(*c) && c.is_alphabetic())
        .all(is_latin)
}

/// Unicode counts the spacing modifiers, of which the ʻokina and the modifier apostrophe of `Oʻrinov` are two, as letters. Phones type them where
/// others type an apostrophe, which zones and codes leave out (ICAO 9303-3 section 4.6).
pub(super) fn is_letter_or_digit(c: char) -> bool {
    c.is_alphanumeric() && !matches!(c, '\u{2b0}'..='\u{2ff}')
}

/// A document may contain more given names than people type: the shorter list of names must be a prefix of the longer one, each under one
/// of its transliterations. Behind the first, a letter stands for a name that begins with it. Where one name ends and the next begins is written in
/// many ways: `Xiao Ming` is `XIAOMING`, `McCarthy` is `MC CARTHY`.
fn same_latin(a: &str, b: &str) -> bool {
    are_same(&names(a), &names(b), 0)
}

/// As [`same_latin`], for two names in one: the word at `second`, with which the other of them begins, is neither an initial nor a suffix. Otherwise
/// `JOHN S OTIENO` would be John Sample, and `JOHN OTIENO` John Ii.
fn are_same(a: &[Spellings], b: &[Spellings], second: usize) -> bool {
    if a.is_empty() || b.is_empty() {
        return false;
    }
    let ((a, suffix), (b, other)) = (without_suffix(a, second), without_suffix(b, second));
    let same = |(at, (x, y)): (usize, (&Spellings, &Spellings))| {
        is_same(x, y) || at > 0 && at != second && (is_initial(x, y) || is_initial(y, x))
    };
    let is_one_name = a.iter().zip(b).enumerate().all(same) || is_beginning(a, b) || is_beginning(b, a);
    is_one_name && are_compatible(suffix, other)
}

/// Whether two names have the same letters under one of their transliterations, but for a suffix that one of them may lack.
pub(crate) fn same_but_for_suffix(a: &str, b: &str) -> bool {
    let (a, b) = (names(a), names(b));
    let ((a, suffix), (b, other)) = (without_suffix(&a, 0), without_suffix(&b, 0));
    is_same(&joined(a), &joined(b)) && !a.is_empty() && are_compatible(suffix, other)
}

/// Whether two names have the same letters under one of their transliterations, however each is divided into words.
pub(crate) fn same_letters(a: &str, b: &str) -> bool {
    let (a, b) = (joined(&names(a)), joined(&names(b)));
    !a.simple.is_empty() && is_same(&a, &b)
}

/// Whether two names are the same one if no letter has marks, which a soft picture loses first: MÜLLER is then read as `MULLER`, and a zone has
/// `MUELLER` (ICAO 9303-3 section 6.A).
pub(crate) fn same_but_for_marks(a: &str, b: &str) -> bool {
    same_name(&without_marks(a), &without_marks(b)) == Some(true)
}

/// The same for a name printed as one, as [`same_full_name`].
pub(crate) fn same_full_but_for_marks(full: &str, last: &str, first: &str) -> bool {
    let [full, last, first] = [full, last, first].map(without_marks);
    same_full_name(&full, &last, &first) == Some(true)
}

/// A name without marks, and without the second letter that zones have for them.
fn without_marks(name: &str) -> String {
    let without = |word: &str| {
        plain(word)
            .replace("AE", "A")
            .replace("OE", "O")
            .replace("UE", "U")
            .replace("AA", "A")
    };
    name.split_whitespace().map(without).collect::<Vec<_>>().join(" ")
}

/// Whether two words are the same under one of their transliterations.
fn is_same(one: &Spellings, other: &Spellings) -> bool {
    one.forms().iter().any(|form| other.forms().contains(form))
}

/// Whether a word begins with another one under one of their transliterations.
fn begins_with(word: &Spellings, beginning: &Spellings) -> bool {
    let begins = |beginning: &&str| word.forms().iter().any(|word| word.starts_with(*beginning));
    beginning.forms().iter().any(begins)
}

/// Whether a word is nothing but the first letter of another one.
fn is_initial(letter: &Spellings, of: &Spellings) -> bool {
    let begins = |form: &&str| form.chars().count() == 1 && of.forms().iter().any(|word| word.starts_with(*form));
    letter.forms().iter().any(begins)
}

/// The names before a suffix, more than `least` of them, and which suffix it is.
fn without_suffix(names: &[Spellings], least: usize) -> (&[Spellings], Option<usize>) {
    let suffix = |last: &Spellings| SUFFIXES.iter().position(|forms| forms.contains(&last.simple.as_str()));
    match names {
        [before @ .., last] if before.len() > least => match suffix(last) {
            Some(found) => (before, Some(found)),
            None => (names, None),
        },
        _ => (names, None),
    }
}

/// Whether two names may be of one person by their suffixes: father and son have different ones.
fn are_compatible(suffix: Option<usize>, other: Option<usize>) -> bool {
    suffix.zip(other).is_none_or(|(suffix, other)| suffix == other)
}

/// Whether all letters of some names are those of the first of other ones.
fn is_beginning(names: &[Spellings], of: &[Spellings]) -> bool {
    let whole = joined(names);
    (1..=of.len()).any(|count| is_same(&joined(&of[..count]), &whole))
}

/// Whether a name continues where another one was cut: word by word, since some zones keep the beginning of every word (ICAO
/// 9303-3 section 4.6).
pub(crate) fn goes_on(cut: &str, whole: &str) -> bool {
    !names(cut).is_empty() && is_within(cut, whole)
}

/// Whether every word of a name is one of these.
pub(crate) fn has_words_of<'a>(name: &str, of: impl IntoIterator<Item = &'a str>) -> bool {
    let of: Vec<Spellings> = of.into_iter().flat_map(names).collect();
    let is_one = |word: &Spellings| of.iter().any(|other| is_same(word, other));
    let words = names(name);
    !words.is_empty() && words.iter().all(is_one)
}

/// Whether a name has nothing behind the end of another one, whichever way each is transliterated.
fn is_within(name: &str, whole: &str) -> bool {
    are_within(&names(name), &names(whole))
}

fn are_within(name: &[Spellings], whole: &[Spellings]) -> bool {
    begins_word_by_word(name, whole) || begins_joined(name, whole)
}

/// Whether the words of a name are those of another one, or their beginnings, in their order.
fn begins_word_by_word(name: &[Spellings], whole: &[Spellings]) -> bool {
    let begins = |(part, word): (&Spellings, &Spellings)| begins_with(word, part);
    name.len() <= whole.len() && name.iter().zip(whole).all(begins)
}

/// Whether another name begins with all letters of a name, however each is divided into words.
fn begins_joined(name: &[Spellings], whole: &[Spellings]) -> bool {
    begins_with(&joined(whole), &joined(name))
}

/// All letters of some names, in each form.
fn joined(names: &[Spellings]) -> Spellings {
    Spellings {
        recommended: names.iter().map(|name| name.recommended.as_str()).collect(),
        simple: names.iter().map(|name| name.simple.as_str()).collect(),
        with_x: names.iter().map(|name| name.with_x.as_str()).collect(),
    }
}

/// The parts of a name, each in the forms it may have in a machine-readable zone.
fn names(text: &str) -> Vec<Spellings> {
    text.split(|c: char| c.is_whitespace() || matches!(c, '-' | '\u{2010}'..='\u{2015}' | '<' | ',' | '\u{30fb}'))
        .map(Spellings::of)
        .filter(|word| !word.simple.is_empty())
        .collect()
}

/// Without diacritics, and as other letters those that have no other transliteration: Ö as O in `THROSTUR`, and yet Þ as TH and Æ as AE.
fn simplified(part: &str) -> String {
    let part = part.replace(['Æ', 'æ'], "AE").replace('ẞ', "SS").replace('ĸ', "Q");
    plain(&part).replace('Þ', "TH").replace('Œ', "OE")
}

/// Recommended transliterations of ICAO 9303-3 section 6.A: Ü as UE, Ø as OE, ß as SS.
#[must_use]
pub fn transliterated(part: &str) -> String {
    spelt(part, |_| None)
}

/// Those that the same table has as another choice: Ñ as NXX, Ü as UXX.
#[must_use]
pub fn transliterated_with_x(part: &str) -> String {
    spelt(part, |c| match c {
        'Ñ' => Some("NXX"),
        'Ü' => Some("UXX"),
        _ => None,
    })
}

fn spelt(part: &str, chosen: impl Fn(char) -> Option<&'static str>) -> String {
    let mut expanded = String::new();
    for c in part.nfc().flat_map(char::to_uppercase) {
        match chosen(c).or_else(|| recommended(c)) {
            Some(letters) => expanded.push_str(letters),
            None => expanded.push(c),
        }
    }
    plain(&expanded)
}

/// The letters for a national one, where the table has more than one or another than its own without marks.
const fn recommended(c: char) -> Option<&'static str> {
    match c {
        'Ä' | 'Æ' => Some("AE"),
        'Ö' | 'Ø' | 'Œ' => Some("OE"),
        'Ü' => Some("UE"),
        'Å' => Some("AA"),
        'ẞ' => Some("SS"),
        'Þ' => Some("TH"),
        'Ə' => Some("E"),
        'ĸ' => Some("Q"),
        _ => None,
    }
}

/// Whether a name that is printed in Latin letters, or seems to be, is one of the machine-readable data: with the same name in other letters beside it,
/// or in Cyrillic or Greek capitals that look like Latin ones and were read as those. `POMAHOB` is Романов, whom a zone calls ROMANOV.
pub(crate) fn is_printed_as(machine: &str, print: &str) -> bool {
    let spells = |print: &str, letters: fn(char) -> Option<&'static str>| {
        // The Greek ΟΥ is one sound.
        let read: Option<String> = print.to_uppercase().chars().map(letters).collect();
        read.is_some_and(|read| {
            [read.replace("OY", "OU"), read]
                .iter()
                .any(|read| same_name(read, machine) == Some(true))
        })
    };
    let is_beside = has_words_of(machine, [print]);
    let others: Vec<&str> = print
        .split_whitespace()
        .filter(|word| !has_words_of(word, [machine]))
        .collect();
    let others = others.join(" ");
    let is_same = |letters| spells(print, letters) || (is_beside && spells(&others, letters));
    (is_beside && others.is_empty()) || [cyrillic, cyrillic_with_h, greek].into_iter().any(is_same)
}

/// What the Cyrillic capital that looks like this letter is in zones (ICAO 9303-3 section 6.B).
const fn cyrillic(c: char) -> Option<&'static str> {
    Some(match c {
        'A' => "A",
        'B' => "V",
        'C' => "S",
        'E' | 'Ë' => "E",
        'H' => "N",
        'I' | 'Ï' => "I",
        'J' => "J",
        'K' => "K",
        'M' => "M",
        'O' => "O",
        'P' => "R",
        'S' => "DZ",
        'T' => "T",
        'X' => "KH",
        'Y' => "U",
        ' ' => " ",
        '-' => "-",
        _ => return None,
    })
}

/// The same in Serbia and Bulgaria, where Х is H.
const fn cyrillic_with_h(c: char) -> Option<&'static str> {
    match c {
        'X' => Some("H"),
        other => cyrillic(other),
    }
}

/// What the Greek capital that looks like this letter is in passports (ISO 843, table 2).
const fn greek(c: char) -> Option<&'static str> {
    Some(match c {
        'A' => "A",
        'B' => "V",
        'E' => "E",
        'H' | 'I' => "I",
        'K' => "K",
        'M' => "M",
        'N' => "N",
        'O' => "O",
        'P' => "R",
        'T' => "T",
        'X' => "CH",
        'Y' => "Y",
        'Z' => "Z",
        ' ' => " ",
        '-' => "-",
        _ => return None,
    })
}

/// Upper-case letters and digits without diacritics.
pub(crate) fn plain(part: &str) -> String {
    part.nfkd()
        .filter(|c| !is_combining_mark(*c))
        .flat_map(char::to_uppercase)
        .map(|c| match c {
            'Ø' => 'O',
            'Ł' => 'L',
            'Đ' | 'Ð' => 'D',
            // As Azerbaijan's zones have it; ICAO recommends E.
            'Æ' | 'Ə' => 'A',
            'Ħ' => 'H',
            'Ŧ' => 'T',
            'Ŋ' => 'N',
            other => other,
        })
        .filter(|c| is_letter_or_digit(*c))
        .collect()
}

/// NFKC in lower case without spaces and punctuation, variants of the same kanji folded.
pub(crate) fn folded(text: &str) -> String {
    in_new_forms(text).filter(|c| is_letter_or_digit(*c)).collect()
}

/// NFKC in lower case, variants of the same kanji folded.
pub(super) fn in_new_forms(text: &str) -> impl Iterator<Item = char> {
    text.nfkc().map(in_new_form).flat_map(char::to_lowercase)
}

/// Folded less, as names were indexed before the table of [`in_new_form`] grew, except that 斎 is 斉: somebody who searches for a name need not know
/// which of the two it is.
pub(crate) fn folded_to_search(text: &str) -> String {
    const EARLIER: &str = "髙﨑濵濱邊邉澤廣櫻德增眞證证";
    text.nfkc()
        .map(|c| match c {
            c if EARLIER.contains(c) => in_new_form(c),
            '齋' | '斎' | '齊' => '斉',
            other => other,
        })
        .flat_map(char::to_lowercase)
        .filter(|c| is_letter_or_digit(*c))
        .collect()
}

/// The kanji in the form that it has had since 1946. Old and new form are one character: the table of kanji in common use has the old one in brackets, or
/// the list of those for names has the two as a pair. So are the popular forms of 高, 崎, 浜, 辺 and 吉. Others are registered as names of their own and
/// stay apart: 斎 and 斉, 島 and 嶋, 富 and 冨, 園 and 薗.
const fn in_new_form(c: char) -> char {
    match c {
        '亞' => '亜',
        '榮' => '栄',
        '衞' => '衛',
        '圓' => '円',
        '鹽' => '塩',
        '緣' => '縁',
        '應' => '応',
        '櫻' => '桜',
        '奧' => '奥',
        '橫' => '横',
        '樂' => '楽',
        '寬' => '寛',
        '關' => '関',
        '觀' => '観',
        '巖' => '巌',
        '氣' => '気',
        '龜' => '亀',
        '區' => '区',
        '峽' => '峡',
        '曉' => '暁',
        '勳' => '勲',
        '薰' => '薫',
        '惠' => '恵',
        '鷄' => '鶏',
        '縣' => '県',
        '藝' => '芸',
        '顯' => '顕',
        '嚴' => '厳',
        '廣' => '広',
        '恆' => '恒',
        '號' => '号',
        '黃' => '黄',
        '國' => '国',
        '黑' => '黒',
        '兒' => '児',
        '實' => '実',
        '壽' => '寿',
        '收' => '収',
        '澁' => '渋',
        '敍' => '叙',
        '緖' => '緒',
        '將' => '将',
        '涉' => '渉',
        '條' => '条',
        '穰' => '穣',
        '乘' => '乗',
        '淨' => '浄',
        '讓' => '譲',
        '眞' => '真',
        '愼' => '慎',
        '盡' => '尽',
        '穗' => '穂',
        '瀨' => '瀬',
        '齊' => '斉',
        '齋' => '斎',
        '靜' => '静',
        '攝' => '摂',
        '禪' => '禅',
        '壯' => '壮',
        '莊' => '荘',
        '巢' => '巣',
        '曾' => '曽',
        '增' => '増',
        '藏' => '蔵',
        '臺' => '台',
        '瀧' => '滝',
        '澤' => '沢',
        '鎭' => '鎮',
        '鐵' => '鉄',
        '轉' => '転',
        '傳' => '伝',
        '稻' => '稲',
        '德' => '徳',
        '禰' => '祢',
        '拜' => '拝',
        '檜' => '桧',
        '濱' | '濵' => '浜',
        '邊' | '邉' => '辺',
        '步' => '歩',
        '豐' => '豊',
        '槇' => '槙',
        '萬' => '万',
        '彌' => '弥',
        '與' => '与',
        '遙' => '遥',
        '樣' => '様',
        '來' => '来',
        '賴' => '頼',
        '覽' => '覧',
        '龍' => '竜',
        '綠' => '緑',
        '禮' => '礼',
        '曆' => '暦',
        '歷' => '歴',
        '鍊' => '錬',
        '郞' => '郎',
        '祿' => '禄',
        '錄' => '録',
        '堯' => '尭',
        '學' => '学',
        '靑' => '青',
        '淸' => '清',
        '證' | '证' => '証',
        '髙' => '高',
        '﨑' => '崎',
        '𠮷' => '吉',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::visible;
    use proptest::prelude::*;

    #[test]
    fn names_match_through_transliteration_order_and_extra_given_names() {
        for (a, b, same) in [
            ("Müller", "MUELLER", true),
            ("Müller", "MULLER", true),
            ("O'Connor", "OCONNOR", true),
            ("Anna", "ANNA MARIA", true),
            ("Anna Maria", "ANNA", true),
            ("García López", "GARCIA LOPEZ", true),
            ("Maria", "ANNA MARIA", false),
            ("Smith", "SMYTH", false),
            ("Müller", "MUXXLLER", true),
            ("Muñoz", "MUNOZ", true),
            ("Muñoz", "MUNXXOZ", true),
            ("Núñez Müller", "NUNXXEZ<MUXXLLER", true),
            ("Muñoz", "MUXXNOZ", false),
            ("Łukasz", "LUKASZ", true),
            ("Xiao Ming", "XIAOMING", true),
            ("Minjun", "MIN JUN", true),
            ("McCarthy", "MC CARTHY", true),
            ("Delacruz", "DE LA CRUZ", true),
            ("Anna", "AN NATALIA", false),
            ("Jean\u{2010}Luc", "JEAN LUC", true),
            ("Məmmədov", "MAMMADOV", true),
            ("Məmmədov", "MEMMEDOV", true),
            ("Þröstur", "THROSTUR", true),
            ("Þröstur", "THROESTUR", true),
            // Iceland has Ö as O, and Æ as AE as everybody has.
            ("Sæbjörn", "SAEBJORN", true),
            ("Sæbjörn", "SAEBJOERN", true),
            ("GROẞ", "GROSS", true),
            ("Groß", "GROẞ", true),
            ("Yıldız", "YILDIZ", true),
            ("İnönü", "INONU", true),
            ("Nguyễn Thị Ánh Đào", "NGUYEN THI ANH DAO", true),
            ("Ștefănescu", "STEFANESCU", true),
            ("Wałęsa-Żółć", "WALESA ZOLC", true),
            ("al-Sayed", "ALSAYED", true),
            ("van 't Hoff", "VAN T HOFF", true),
            ("d’Artagnan", "DARTAGNAN", true),
            ("Sæbjörn", "SABJORN", false),
            ("Yıldız", "YALDIZ", false),
            ("÷", "÷", true),
        ] {
            assert_eq!(same_name(a, b), Some(same), "{a} {b}");
        }
        assert_eq!(same_name("田中", "TANAKA"), None, "scripts differ");
        for (reading, name) in [
            ("タナカ", "田中"),
            ("たなか", "田中"),
            ("ﾀﾅｶ", "田中"),
            ("ササキ", "佐々木"),
            ("イチノセ", "一ノ瀬"),
        ] {
            assert_eq!(
                (same_name(reading, name), same_name(name, reading)),
                (None, None),
                "{name}"
            );
            assert_eq!(
                same_full_name(&format!("{name}花子"), reading, "ハナコ"),
                None,
                "{name}"
            );
        }
        assert_eq!(same_name("タナカ", "スズキ"), Some(false));
        assert_eq!(same_name("一ノ瀬", "田中"), Some(false));
        assert_eq!(same_name("髙橋", "高橋"), Some(true));
        assert_eq!(same_name("德永", "徳永"), Some(true));
        assert_eq!(same_name("增田", "増田"), Some(true));
    }

    #[test]
    fn a_suffix_may_be_left_out_and_an_initial_stands_for_a_name_behind_the_first() {
        for (a, b, same) in [
            ("Sample Jr.", "SAMPLE", true),
            ("Michael Jr", "MICHAEL JOHN", true),
            ("SAMPLE II", "Sample, 2nd", true),
            ("Sample Jr", "SAMPLE SR", false),
            ("Sample II", "SAMPLE III", false),
            ("Jr", "SAMPLE", false),
            ("Thao Vi", "THAO LAN", false),
            ("Jane Q.", "JANE QUINN", true),
            ("JANE Q", "Jane Quinn Rose", true),
            ("Jane Q Rose", "JANE QUINN ROSE", true),
            ("Jane Q", "JANE ROSE", false),
            ("J", "JANE", false),
            ("J Quinn", "JANE QUINN", false),
        ] {
            assert_eq!(same_name(a, b), Some(same), "{a} {b}");
            assert_eq!(same_name(b, a), Some(same), "{b} {a}");
        }
    }

    #[test]
    fn old_and_new_form_of_a_kanji_are_one_name_and_kanji_of_other_names_are_not() {
        for (a, b, same) in [
            ("國分", "国分", true),
            ("瀧川", "滝川", true),
            ("惠子", "恵子", true),
            ("榮一", "栄一", true),
            ("關谷", "関谷", true),
            ("龍彦", "竜彦", true),
            ("𠮷田", "吉田", true),
            ("齋藤", "斎藤", true),
            ("齊藤", "斉藤", true),
            ("斎藤", "斉藤", false),
            ("齋藤", "齊藤", false),
            ("齋藤", "斉藤", false),
            ("中嶋", "中島", false),
            ("冨田", "富田", false),
            ("薗田", "園田", false),
        ] {
            assert_eq!(same_name(a, b), Some(same), "{a} {b}");
            let full = format!("{a}花子");
            assert_eq!(same_full_name(&full, b, "花子"), Some(same), "{full} {b}");
        }
    }

    #[test]
    fn an_okina_is_left_out_as_an_apostrophe_is() {
        for mark in ['\u{2bb}', '\u{2bc}', '\u{2be}', '\'', '\u{2018}', '\u{2019}'] {
            for (name, zone) in [("Keali{}i", "KEALII"), ("O{}rinov", "ORINOV")] {
                let name = name.replace("{}", &mark.to_string());
                assert_eq!(same_name(&name, zone), Some(true), "{name}");
                assert_eq!(same_name(&name, "KEALOHA"), Some(false), "{name}");
                assert_eq!(transliterated(&name), zone);
            }
            // In Cyrillic, too.
            let name = format!("Знам{mark}янка");
            assert_eq!(same_name(&name, "ЗНАМЯНКА"), Some(true), "{name}");
        }
    }

    #[test]
    fn a_full_name_is_compared_as_a_whole_in_either_order() {
        for (full, last, first, same) in [
            ("日本花子", "日本", "花子", Some(true)),
            ("日本 花子", "日本", "花子", Some(true)),
            ("日本花子", "日", "子", Some(false)),
            ("日本花子", "東京", "花子", Some(false)),
            ("TURNER ELIZABETH MARY", "Turner", "Elizabeth", Some(true)),
            ("ELIZABETH TURNER", "Turner", "Elizabeth", Some(true)),
            ("TURNER ELIZABETH", "Turner", "Mary", Some(false)),
            ("TANAKA HANAKO", "田中", "花子", None),
            // Only as many names as the longer of the two: the other one is not on the document.
            ("TURNER ELIZABETH", "Turner Elizabeth", "Bob", None),
            ("TURNER", "Turner", "Bob", None),
            ("MC CARTHY", "McCarthy", "Bob", None),
            ("MÜLLER", "Muller", "Bob", None),
            ("MUELLER", "Müller", "Bob", None),
            ("MÜLLER", "Mueller", "Bob", None),
            ("MÜLLER BOB", "Mueller", "Bob", Some(true)),
            ("MC CARTHY BOB", "McCarthy", "Bob", Some(true)),
            ("TURNER", "Smith", "Bob", Some(false)),
            ("GARCIA LOPEZ ANA", "García López", "Ana María", Some(true)),
            ("JOHN KAMAU MWANGI", "Mwangi", "John", Some(true)),
            ("JOHN KAMAU VAN DER BERG", "van der Berg", "John", Some(true)),
            ("JOHN KAMAU MWANGI", "Otieno", "John", Some(false)),
            ("JOHN KAMAU MWANGI", "Mwangi", "James", Some(false)),
            ("JOHN Q SAMPLE JR", "Sample", "John", Some(true)),
            ("JOHN Q SAMPLE JR", "Sample Sr", "John", Some(false)),
            ("JOHN Q SAMPLE", "Sample", "John Quincy", Some(true)),
            // An initial stands for no family name, and for no given name that is the only one.
            ("JOHN S OTIENO", "Sample", "John", Some(false)),
            ("JOHN SAMPLE", "S", "John", Some(false)),
            ("SAMPLE J", "Sample", "John", Some(false)),
            // Some people are called as a suffix is: 井伊.
            ("NAOSUKE II", "Ii", "Naosuke", Some(true)),
            ("II NAOSUKE", "Ii", "Naosuke", Some(true)),
            ("NAOSUKE TANAKA", "Ii", "Naosuke", Some(false)),
            ("NAOSUKE II", "Tanaka", "Naosuke", Some(false)),
            ("MC CARTHY JR", "McCarthy", "Bob", None),
        ] {
            assert_eq!(same_full_name(full, last, first), same, "{full}: {last}, {first}");
        }
    }

    #[test]
    fn a_name_that_was_cut_goes_on_word_by_word() {
        for (cut, whole, same) in [
            ("CHAYAPA DEJTHAMRONG K", "Chayapa Dejthamrong Krasuang", true),
            (
                "BENNELONG WOOLOOM WARRAND WARNAM",
                "Bennelong Wooloomooloo Warrandyte Warnambool",
                true,
            ),
            ("BENNELONG W W", "BENNELONG WOOLOOMOOLOO WARRANDYTE WARNAMBOOL", true),
            ("MUELLER LUED", "Müller-Lüdenscheidt", true),
            ("MC CARTHY O", "McCarthy O'Brien", true),
            ("CHAYAPA DEJTHAMRONG K", "PETER", false),
            ("CHAYAPA DEJTHAMRONG K", "CHAYAPA", false),
            ("CHAYAPA DEJTHAMRONG K", "CHAYAPA KRASUANG DEJTHAMRONG", false),
            ("CHAYAPA", "GIVEN NAMES", false),
            ("", "PETER", false),
        ] {
            assert_eq!(goes_on(cut, whole), same, "{cut}: {whole}");
        }
    }

    #[test]
    fn a_name_in_letters_that_look_latin_is_the_one_that_they_spell() {
        for (machine, print, same) in [
            ("ROMANOV", "POMAHOB", true),
            ("KHOMENKO", "XOMEHKO", true),
            ("HASAN", "XACAH", true),
            ("KOURI", "KOYPH", true),
            ("MARIA", "MAPIA", true),
            ("ROMANOV", "POMAHOB ROMANOV", true),
            ("ROMANOV", "ROMANOV", true),
            ("ROMANOV", "POMAHEK", false),
            ("ROMANOV", "ROMANO", false),
            ("ROMANOV", "SMITH", false),
            ("POMAHOB", "ROMANOV", false),
            ("ROMANOV", "", false),
            ("JOSE", "MARIA JOSE", false),
        ] {
            assert_eq!(is_printed_as(machine, print), same, "{machine}: {print}");
        }
    }

    /// Letters of ICAO 9303-3 section 6.A with their transliteration, and with the other one where it has two.
    const NATIONAL: [(char, &str, &str); 44] = [
        ('Ä', "AE", "A"),
        ('Å', "AA", "A"),
        ('Ö', "OE", "O"),
        ('Ø', "OE", "O"),
        ('Ü', "UE", "U"),
        ('Æ', "AE", "AE"),
        ('Œ', "OE", "OE"),
        ('Þ', "TH", "TH"),
        ('ß', "SS", "SS"),
        ('Ĳ', "IJ", "IJ"),
        ('Ð', "D", "D"),
        ('Đ', "D", "D"),
        ('Ħ', "H", "H"),
        ('ı', "I", "I"),
        ('İ', "I", "I"),
        ('ĸ', "Q", "Q"),
        ('Ł', "L", "L"),
        ('Ŀ', "L", "L"),
        ('Ŋ', "N", "N"),
        ('Ŧ', "T", "T"),
        ('Á', "A", "A"),
        ('Ă', "A", "A"),
        ('Ą', "A", "A"),
        ('Ç', "C", "C"),
        ('Č', "C", "C"),
        ('Ċ', "C", "C"),
        ('Ď', "D", "D"),
        ('Ę', "E", "E"),
        ('Ë', "E", "E"),
        ('Ğ', "G", "G"),
        ('Ģ', "G", "G"),
        ('Ķ', "K", "K"),
        ('Ñ', "N", "N"),
        ('Ő', "O", "O"),
        ('Õ', "O", "O"),
        ('Ř', "R", "R"),
        ('Ș', "S", "S"),
        ('Ş', "S", "S"),
        ('Ț', "T", "T"),
        ('Ţ', "T", "T"),
        ('Ű', "U", "U"),
        ('Ų', "U", "U"),
        ('Ÿ', "Y", "Y"),
        ('Ż', "Z", "Z"),
    ];

    proptest! {
        // Three of four names hide something.
        #![proptest_config(ProptestConfig { max_global_rejects: 20_000, ..ProptestConfig::default() })]

        #[test]
        fn nothing_hidden_is_dropped_of_a_name_that_can_be_typed(
            name in "[A-Za-z\u{e9}\u{7530}\u{30bf}'\u{ad}\u{200b}-\u{200f}\u{202a}-\u{202e}\u{2060}-\u{206f}\u{115f}\u{3164}\u{feff}-]{1,6}"
        ) {
            prop_assume!(!visible::hides_something(&name));
            // What is compared is what is seen: letters, and the marks between them.
            let seen = |c: &char| c.is_alphanumeric() || matches!(c, '\'' | '-');
            prop_assert!(name.chars().all(|c| seen(&c)), "{name:?}");
        }

        #[test]
        fn a_mark_among_the_letters_of_a_name_changes_nothing(
            name in "[A-Za-zà-öø-ž]{2,12}", at in 1..12_usize, mark in "['\u{2019}\u{2b0}-\u{2ff}]"
        ) {
            // Those that decompose are letters with a space or a mark: ʰ is h, ˝ is an accent.
            prop_assume!(mark.nfkd().eq(mark.chars()));
            let (before, behind): (String, String) = (name.chars().take(at).collect(), name.chars().skip(at).collect());
            prop_assert_eq!(same_name(&format!("{before}{mark}{behind}"), &name), Some(true));
        }

        #[test]
        fn an_initial_and_a_suffix_and_a_middle_name_change_nothing(
            first in "[A-Z]{2,8}", middle in "[A-Z]{2,8}", last in "[A-Z]{2,8}", suffix in "JR|SR|II|III|IV|2ND"
        ) {
            prop_assume!([&middle, &last].iter().all(|name| !SUFFIXES.concat().contains(&name.as_str())));
            let whole = format!("{first} {middle}");
            prop_assert_eq!(same_name(&format!("{first} {}", &middle[..1]), &whole), Some(true));
            prop_assert_eq!(same_name(&format!("{whole} {suffix}"), &whole), Some(true));
            prop_assert_eq!(same_full_name(&format!("{whole} {last}"), &last, &first), Some(true));
        }

        #[test]
        fn a_name_is_that_of_its_zone_whichever_transliteration_its_state_uses(
            letters in prop::collection::vec(0..NATIONAL.len(), 1..8), begin in "[A-Z]{1,6}", is_other in any::<bool>()
        ) {
            let name: String = letters.iter().map(|&at| NATIONAL[at].0).collect();
            let zone: String = letters.iter().map(|&at| if is_other { NATIONAL[at].2 } else { NATIONAL[at].1 }).collect();
            let (name, zone) = (format!("{begin}{name}"), format!("{begin}{zone}"));
            prop_assert_eq!(same_name(&name, &zone), Some(true));
            prop_assert_eq!(same_name(&name.to_lowercase(), &zone), Some(true));
            prop_assert_eq!(same_name(&name, &format!("{zone}W")), Some(false));
        }

        #[test]
        fn a_name_with_another_letter_is_that_of_somebody_else(name in "[A-Z]{2,12}", at in 0..12_usize, letter in "[A-Z]") {
            let at = at % name.len();
            let other = format!("{}{letter}{}", &name[..at], &name[at + 1..]);
            prop_assume!(other != name);
            prop_assert_eq!(same_name(&name, &other), Some(false));
        }

        #[test]
        fn a_name_always_matches_itself(name in "[A-Za-zÀ-ž]{1,12}( [A-Za-z]{1,8})?") {
            prop_assert_eq!(same_name(&name, &name), Some(true));
        }
    }
}
