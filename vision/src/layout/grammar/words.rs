//! Items that are words: sex, status of residence, authority.

use super::{Context, Parsed, as_printed, stretch};
use crate::fold;
use crate::layout::page::{Folded, Glyph};
use domain::user_input::Gender;

/// Statuses of residence as cards print them (Immigration Control and Refugee Recognition Act, appended tables 1 and 2; its amendment of June 2024,
/// in force by June 2027, adds 育成就労 and a second sort of 企業内転勤).
const STATUSES: [&str; 43] = [
    "外交",
    "公用",
    "教授",
    "芸術",
    "宗教",
    "報道",
    "高度専門職1号イ",
    "高度専門職1号ロ",
    "高度専門職1号ハ",
    "高度専門職2号",
    "経営・管理",
    "法律・会計業務",
    "医療",
    "研究",
    "教育",
    "技術・人文知識・国際業務",
    "企業内転勤",
    "介護",
    "興行",
    "技能",
    "特定技能1号",
    "特定技能2号",
    "技能実習1号イ",
    "技能実習1号ロ",
    "技能実習2号イ",
    "技能実習2号ロ",
    "技能実習3号イ",
    "技能実習3号ロ",
    "文化活動",
    "短期滞在",
    "留学",
    "研修",
    "家族滞在",
    "特定活動",
    "永住者",
    "日本人の配偶者等",
    "永住者の配偶者等",
    "定住者",
    "高度専門職",
    "特別永住者",
    "企業内転勤1号",
    "企業内転勤2号",
    "育成就労",
];
/// Letters and digits of the shortest entry, `R6.6.1`.
const WRITTEN: usize = 4;
/// Letters of an authority's name.
const AUTHORITY: std::ops::RangeInclusive<usize> = 2..=40;

/// Sex: one kanji, one letter or a word, not two that contradict.
pub(super) fn gender(glyphs: &[Glyph], spanish: bool) -> Option<Parsed> {
    let folded = Folded::of(glyphs);
    let mut words: Vec<(usize, usize, String)> = Vec::new();
    for (at, &c) in folded.chars.iter().enumerate() {
        let kanji = matches!(c, '男' | '女');
        let goes_on = words.last().is_some_and(|(_, to, _)| *to == at) && !folded.apart[at] && !kanji;
        match words.last_mut().filter(|_| goes_on && c.is_alphabetic()) {
            Some((_, to, word)) if !matches!(word.as_str(), "男" | "女") => {
                word.push(c);
                *to = at + 1;
            }
            _ if c.is_alphabetic() => words.push((at, at + 1, c.to_string())),
            _ => {}
        }
    }
    let sex = |word: &str| match word {
        "H" if spanish => Some(Gender::Male),
        "M" if spanish => Some(Gender::Female),
        // *Kobieta* or *kvinna*.
        "K" => Some(Gender::Female),
        // *Laki-laki* on cards of Indonesia; *nam* and *nữ* on those of Vietnam.
        "LAKI" | "NAM" => Some(Gender::Male),
        "NU" => Some(Gender::Female),
        word => Gender::of_printed(word),
    };
    let sexes: Vec<_> = words
        .iter()
        .filter_map(|(from, to, word)| Some((*from, *to, sex(word)?)))
        .collect();
    let &(from, first_to, found) = sexes.first()?;
    if sexes.iter().any(|(_, _, other)| *other != found) {
        return None;
    }
    let to = sexes.last().map_or(first_to, |(_, to, _)| *to);
    let (text, first, last) = stretch(glyphs, &folded, from, to)?;
    Some(Parsed {
        text,
        normalized: Some(found.to_string()),
        from: first,
        to: last,
    })
}

/// A status of residence at the beginning of a text; its English name may follow.
pub(super) fn residence_status(glyphs: &[Glyph]) -> Option<Parsed> {
    let folded = Folded::of(glyphs);
    let plain = |c: &char| c.is_alphanumeric();
    let places: Vec<usize> = (0..folded.chars.len()).filter(|&at| plain(&folded.chars[at])).collect();
    let text: Vec<char> = places.iter().map(|&at| katakana(folded.chars[at])).collect();
    let fits = |status: &&&str| {
        let wanted: Vec<char> = fold::folded(status).chars().filter(plain).map(katakana).collect();
        text.starts_with(&wanted) && text.get(wanted.len()).is_none_or(|c| c.is_ascii())
    };
    let status = STATUSES.iter().filter(fits).max_by_key(|status| status.len())?;
    let last = *places.get(status.chars().filter(plain).count().checked_sub(1)?)?;
    let (read, from, to) = stretch(glyphs, &folded, *places.first()?, last + 1)?;
    Some(Parsed {
        text: read,
        normalized: Some((*status).to_owned()),
        from,
        to,
    })
}

/// The katakana that looks like this kanji: alone in print, nobody can tell them apart.
pub(super) const fn katakana(c: char) -> char {
    match c {
        '工' => 'エ',
        '夕' => 'タ',
        '卜' => 'ト',
        '口' => 'ロ',
        '八' => 'ハ',
        '二' => 'ニ',
        '力' => 'カ',
        other => other,
    }
}

/// Whatever is written, if it is long enough to be no speck.
pub(super) fn anything(glyphs: &[Glyph]) -> Option<Parsed> {
    let folded = Folded::of(glyphs);
    let letters = folded.chars.iter().filter(|c| c.is_alphanumeric()).count();
    let (text, from, to) = stretch(glyphs, &folded, 0, folded.chars.len()).filter(|_| letters >= WRITTEN)?;
    Some(Parsed {
        normalized: Some(text.clone()),
        text,
        from,
        to,
    })
}

/// The name of an authority: letters in the main.
pub(super) fn authority(glyphs: &[Glyph], context: &Context<'_>) -> Option<Parsed> {
    let folded = Folded::of(glyphs);
    let letters = folded.chars.iter().filter(|c| c.is_alphabetic()).count();
    let sound = folded
        .chars
        .iter()
        .all(|&c| c.is_alphanumeric() || matches!(c, '.' | ',' | '-' | '/' | '\'' | '’' | '(' | ')' | '&'));
    let known = context.words.contains(&folded.chars);
    if !sound || !AUTHORITY.contains(&letters) || letters * 2 < folded.chars.len() || known {
        return None;
    }
    as_printed(glyphs, &folded, 0, folded.chars.len())
}
