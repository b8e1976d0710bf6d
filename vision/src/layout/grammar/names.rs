//! Names: letters only, never a label, never digits.

use super::words::katakana;
use super::{Context, Parsed, as_printed};
use crate::calendar::era_start;
use crate::fold;
use crate::layout::page::{Folded, Glyph, joined, tidy};
use std::ops::Range;

/// Letters a name has at least and at most.
const LETTERS: std::ops::RangeInclusive<usize> = 2..=60;

/// Brackets around a second name.
const OPENING: [char; 5] = ['[', '(', '［', '（', '〔'];
const CLOSING: [char; 5] = [']', ')', '］', '）', '〕'];

/// Kanji of names that have a twin which differs in a stroke or two: 渡邊 and 渡邉, 大曾根 and 大曽根. The recogniser is sure of the wrong one,
/// so that neither is a reading. For 靍 and 靏, cranes of surnames that it does not know, it reads 靄, which is in no name.
const NEVER_CERTAIN: [char; 5] = ['邊', '邉', '曾', '曽', '靄'];
/// Older forms that people bear in their names, 德 beside 徳. They are those of Chinese texts, too, and the recogniser reads them for the newer
/// forms: 21 of 120 renderings of 黒 as 黑, one in seven of the others. Where it does, either may be printed, so that neither is a reading. What it
/// reads as a newer form is one: of 680 renderings of older forms in five fonts it took five for the newer.
///
/// Not so 增, as which it reads 64 of 80 renderings of 増: nearly everybody with this letter has the newer form and would be left without a name. It
/// is given as 増, and a person who types 增 has the same name.
const OLDER_OR_MISREAD: [char; 7] = ['德', '步', '黑', '穰', '薰', '霸', '姬'];

/// A name as Japanese documents print it, without another one in brackets: a driving licence may have the former name there, `日本 花子[東京 花子]`, as
/// the police print it on request since December 2019. In the row of a licence the date of birth follows it.
pub(super) fn japanese(glyphs: &[Glyph], context: &Context<'_>) -> Option<Parsed> {
    let Some(other) = in_brackets(glyphs) else {
        return without_other(glyphs, context);
    };
    let (before, behind) = (&glyphs[..other.start], &glyphs[other.end..]);
    let mut name = without_other(&joined(&[before, behind]), context)?;
    let begins_before = name.from < before.len();
    if name.to > before.len() {
        // A space stood for what was left out.
        name.to = name.to - 1 + other.len();
    }
    begins_before.then_some(name)
}

/// The first brackets with what is in them.
fn in_brackets(glyphs: &[Glyph]) -> Option<Range<usize>> {
    let from = glyphs.iter().position(|glyph| OPENING.contains(&glyph.symbol))?;
    let length = glyphs[from..]
        .iter()
        .position(|glyph| CLOSING.contains(&glyph.symbol))?;
    Some(from..from + length + 1)
}

/// A name with nothing in brackets beside it.
fn without_other(glyphs: &[Glyph], context: &Context<'_>) -> Option<Parsed> {
    let folded = Folded::of(glyphs);
    let from = folded.chars.iter().position(|c| c.is_alphabetic())?;
    let to = (from..folded.chars.len())
        .find(|&i| ends_name(&folded.chars, i))
        .unwrap_or(folded.chars.len());
    let to = trimmed(&folded.chars, from, end_of_latin(&folded, from, to));
    let name = &folded.chars[from..to];
    let han = name.iter().any(|&c| is_han(c));
    let is_older = |at: &usize| OLDER_OR_MISREAD.contains(&glyphs[*at].symbol);
    if name.iter().any(|c| NEVER_CERTAIN.contains(c)) || folded.from[from..to].iter().any(is_older) {
        return None;
    }
    let latin = name.iter().any(char::is_ascii_alphabetic);
    if !name.iter().all(|&c| is_japanese_letter(c) || is_latin(c)) || han && latin {
        return None;
    }
    let mut parsed = kept(glyphs, &folded, from, to, context)?;
    if !latin && let Some(at) = end_of_family_name(&glyphs[parsed.from..parsed.to]) {
        let (family, given) = glyphs[parsed.from..parsed.to].split_at(at);
        parsed.text = fold::japanese(&format!("{} {}", tidy(family), tidy(given)));
    }
    let words = parsed.text.split(' ').enumerate();
    let in_katakana = |(at, word): (usize, &str)| {
        in_katakana(&if at > 0 {
            given_in_katakana(word)
        } else {
            word.to_owned()
        })
    };
    parsed.text = words.map(in_katakana).collect::<Vec<_>>().join(" ");
    parsed.normalized = Some(parsed.text.clone());
    Some(parsed)
}

/// A word of katakana without the kanji that look like them: 工ミ is エミ.
fn in_katakana(word: &str) -> String {
    let is_katakana = |c: char| matches!(c, '\u{30a1}'..='\u{30fc}');
    let letters: String = word.chars().map(katakana).collect();
    if word.chars().any(is_katakana) && letters.chars().all(is_katakana) {
        letters
    } else {
        word.to_owned()
    }
}

/// A given name without the kanji of divination, which stands in family names alone: where it seems to, 卜三子 is トミ子.
fn given_in_katakana(word: &str) -> String {
    let letter = |c: char| if c == '三' { 'ミ' } else { katakana(c) };
    if word.contains('卜') {
        word.chars().map(letter).collect()
    } else {
        word.to_owned()
    }
}

/// Where the kanji begin that a residence card prints after a name in Latin letters, `LI XIAOMING 李小明`; `to` where there are none.
fn end_of_latin(folded: &Folded, from: usize, to: usize) -> usize {
    let first = (from..to).find(|&at| is_han(folded.chars[at]));
    let latin = |at: usize| folded.apart[at] && folded.chars[from..at].iter().all(|&c| is_latin(c));
    first.filter(|&at| at > from && latin(at)).unwrap_or(to)
}

/// How many letters the family name has, where a space stands behind it that the recogniser did not see. Letters are set at one
/// distance, and the space is as wide as a letter.
fn end_of_family_name(glyphs: &[Glyph]) -> Option<usize> {
    if glyphs.len() < 3 || glyphs.iter().any(|glyph| glyph.symbol.is_whitespace()) {
        return None;
    }
    let steps: Vec<f32> = glyphs.windows(2).map(|pair| pair[1].x - pair[0].x).collect();
    let narrowest = steps.iter().copied().fold(f32::INFINITY, f32::min);
    let mut wide = (0..steps.len()).filter(|&at| steps[at] > narrowest * 1.35);
    let at = wide.next()?;
    (wide.next().is_none() && steps[at] > narrowest * 1.6).then_some(at + 1)
}

/// A name in Latin letters, without a title or the letter of its item before it. Words all in small letters belong to a label.
/// What may be a title or a name, as LORD in LORD BYRON, leaves the text whole and without a normal form.
pub(super) fn latin(
    glyphs: &[Glyph],
    [titles, titles_or_names]: [&[String]; 2],
    context: &Context<'_>,
) -> Option<Parsed> {
    let folded = Folded::of(glyphs);
    let start = behind_item_letter(&folded.chars);
    let from = start + folded.chars[start..].iter().position(|c| c.is_alphabetic())?;
    let behind = behind_titles(&folded, from, titles);
    let is_certain = behind_title(&folded, behind, titles_or_names).is_none();
    let from = if is_certain { behind } else { from };
    let to = trimmed(&folded.chars, from, folded.chars.len());
    // `4TH STREET` is not a name.
    if from > 0 && folded.chars[from - 1].is_ascii_digit() {
        return None;
    }
    if !folded.chars[from..to].iter().all(|&c| is_latin(c)) {
        return None;
    }
    let mut name = kept(glyphs, &folded, from, to, context)?;
    name.normalized = name.normalized.filter(|_| is_certain);
    name.text.chars().any(char::is_uppercase).then_some(name)
}

/// Where a value begins behind the letter of its item, `[a] MUSTERMANN` on a German card.
fn behind_item_letter(chars: &[char]) -> usize {
    match chars {
        ['[', letter, ']', ..] if letter.is_alphabetic() => 3,
        _ => 0,
    }
}

/// Whether a line is the name at birth, which a German document prints below the family name: `[b] GABLER`, `GEB. GABLER`.
pub(crate) fn is_name_at_birth(glyphs: &[Glyph]) -> bool {
    let chars = Folded::of(glyphs).chars;
    chars.starts_with(&['[']) || chars.starts_with(&['G', 'E', 'B', '.'])
}

/// Where a name begins behind its titles, `MR MISS SARAH`.
fn behind_titles(folded: &Folded, mut from: usize, titles: &[String]) -> usize {
    while let Some(next) = behind_title(folded, from, titles) {
        from = next;
    }
    from
}

/// Where a name begins that a title stands before: a word of its own, or one with a stop behind it, `DR.MUSTERMANN`.
fn behind_title(folded: &Folded, from: usize, titles: &[String]) -> Option<usize> {
    let rest = from + 1..folded.chars.len();
    let next_word = rest.clone().find(|&at| folded.apart[at]);
    let begins = |&at: &usize| folded.apart[at] || folded.chars[at - 1] == '.';
    let is_behind_title = |&at: &usize| {
        let word = || folded.chars[from..at].iter().copied().filter(|c| *c != '.');
        folded.chars[at].is_alphabetic() && titles.iter().any(|title| title.chars().eq(word()))
    };
    rest.filter(begins)
        .take_while(|&at| next_word.is_none_or(|next| at <= next))
        .filter(is_behind_title)
        .last()
}

fn kept(glyphs: &[Glyph], folded: &Folded, from: usize, to: usize, context: &Context<'_>) -> Option<Parsed> {
    let name = &folded.chars[from..to];
    let letters = name.iter().filter(|c| c.is_alphabetic()).count();
    // One word may begin the label of another item and be a name: ENDO, as ENDORSEMENTS; MORA, as MORADA.
    let is_one_word = !folded.apart[from..to].iter().skip(1).any(|&apart| apart);
    let is_in_a_label = context
        .words
        .iter()
        .any(|word| word == name || !is_one_word && begins(word, name));
    let is_in_its_label = context
        .labels
        .iter()
        .any(|label| begins(label, name) || as_misread(label) == as_misread(name));
    if !LETTERS.contains(&letters) || is_in_a_label || is_in_its_label {
        return None;
    }
    as_printed(glyphs, folded, from, to)
}

/// Letters as small print is misread, `Sumame` for `Surname`.
fn as_misread(letters: &[char]) -> String {
    letters.iter().collect::<String>().replace("RN", "M")
}

/// Whether a reading is the beginning of a label of which the rest was not seen: `Surn`.
fn begins(label: &[char], name: &[char]) -> bool {
    name.len() >= 4 && label.len() > 5 && label.starts_with(name)
}

/// Where a date begins, a name has ended.
fn ends_name(chars: &[char], at: usize) -> bool {
    let era = chars
        .get(at..at + 2)
        .is_some_and(|pair| era_start(&pair.iter().collect::<String>()).is_some())
        // 昭和 may begin a given name, but no name continues with a number.
        && chars.get(at + 2).is_some_and(|c| c.is_ascii_digit() || *c == '元');
    era || chars[at].is_ascii_digit()
}

/// The end without stops and strokes behind the last letter.
fn trimmed(chars: &[char], from: usize, to: usize) -> usize {
    let mut to = to;
    while to > from && !chars[to - 1].is_alphabetic() && chars[to - 1] != '.' {
        to -= 1;
    }
    to
}

pub(crate) const fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}' | '々' | '〆')
}

/// Kanji and kana with their iteration marks: みすゞ.
const fn is_japanese_letter(c: char) -> bool {
    is_han(c) || matches!(c, '\u{3041}'..='\u{3096}' | '\u{309d}' | '\u{309e}' | '\u{30a1}'..='\u{30fe}')
}

const fn is_latin(c: char) -> bool {
    c.is_ascii_alphabetic() || matches!(c, '\'' | '-' | '.' | ',' | '’' | '`' | '\u{00c0}'..='\u{024f}')
}
