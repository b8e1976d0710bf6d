//! Addresses: a Japanese one begins with its prefecture; others are letters and digits.

use super::{Parsed, stretch};
use crate::fold;
use crate::layout::page::{Folded, Glyph};
use serde::Deserialize;

/// The 47 prefectures (ISO 3166-2:JP in its order).
pub(super) const PREFECTURES: [&str; 47] = [
    "北海道",
    "青森県",
    "岩手県",
    "宮城県",
    "秋田県",
    "山形県",
    "福島県",
    "茨城県",
    "栃木県",
    "群馬県",
    "埼玉県",
    "千葉県",
    "東京都",
    "神奈川県",
    "新潟県",
    "富山県",
    "石川県",
    "福井県",
    "山梨県",
    "長野県",
    "岐阜県",
    "静岡県",
    "愛知県",
    "三重県",
    "滋賀県",
    "京都府",
    "大阪府",
    "兵庫県",
    "奈良県",
    "和歌山県",
    "鳥取県",
    "島根県",
    "岡山県",
    "広島県",
    "山口県",
    "徳島県",
    "香川県",
    "愛媛県",
    "高知県",
    "福岡県",
    "佐賀県",
    "長崎県",
    "熊本県",
    "大分県",
    "宮崎県",
    "鹿児島県",
    "沖縄県",
];
/// Letters of the shortest address and the longest.
const LETTERS: std::ops::RangeInclusive<usize> = 6..=120;
/// Names of places and families that begin with the number one and continue in katakana.
const BEGIN_WITH_ONE: [&str; 10] = [
    "一ツ橋",
    "一ツ木",
    "一ツ屋",
    "一ツ家",
    "一ツ葉",
    "一ツ松",
    "一ノ瀬",
    "一ノ宮",
    "一ノ関",
    "一ノ割",
];
/// Specks that may be read before an address.
const SPECKS: usize = 1;

/// An address that begins with a prefecture and continues with a city, ward, town or village.
pub(super) fn japanese(glyphs: &[Glyph]) -> Option<Parsed> {
    let folded = Folded::of(glyphs);
    let chars = &folded.chars;
    let begins = |at: usize| {
        PREFECTURES
            .iter()
            .find(|name| name.chars().eq(chars[at..].iter().copied().take(name.chars().count())))
    };
    let from = (0..chars.len().min(SPECKS + 1)).find(|&at| begins(at).is_some())?;
    let rest = from + begins(from)?.chars().count();
    let town = chars[rest..]
        .iter()
        .any(|c| matches!(c, '市' | '区' | '町' | '村' | '郡' | '島'));
    let sound = chars[from..].iter().all(|&c| c.is_alphanumeric() || is_joint(c));
    if !town || !sound || !LETTERS.contains(&(chars.len() - from)) {
        return None;
    }
    let (text, first, last) = stretch(glyphs, &folded, from, chars.len())?;
    let text = with_strokes(&fold::japanese(&text));
    Some(Parsed {
        normalized: Some(text.clone()),
        text,
        from: first,
        to: last,
    })
}

/// An address as an office enters it: with its prefecture, or with a city, ward or district somewhere and a number behind it.
pub(super) fn entered(glyphs: &[Glyph]) -> Option<Parsed> {
    japanese(glyphs).or_else(|| without_prefecture(glyphs))
}

fn without_prefecture(glyphs: &[Glyph]) -> Option<Parsed> {
    let folded = Folded::of(glyphs);
    let chars = &folded.chars;
    let is_letter = |at: usize| chars.get(at).is_some_and(|c| c.is_alphabetic() && !c.is_ascii());
    let is_town = |&at: &usize| matches!(chars[at], '市' | '区' | '郡') && is_letter(at - 1) && is_letter(at + 1);
    let town = (1..chars.len()).find(is_town)?;
    let rest = &chars[town..];
    let sound = rest.iter().all(|&c| c.is_alphanumeric() || is_joint(c));
    if !sound || !rest.iter().any(char::is_ascii_digit) {
        return None;
    }
    let named = (0..town).rev().take_while(|&at| is_letter(at)).last()?;
    let (text, from, to) = stretch(glyphs, &folded, named, chars.len())?;
    Some(Parsed {
        normalized: Some(text.clone()),
        text,
        from,
        to,
    })
}

/// The post code that ends an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Post {
    /// `CA 95818`, `NY 12222-0001`, `ON M5V 2T6`.
    American,
    /// `LS1 4AB`.
    British,
}

impl Post {
    /// Letters (`A`) and digits (`9`), spaces and hyphens left out.
    const fn forms(self) -> &'static [&'static str] {
        match self {
            Self::American => &["AA99999", "AA999999999", "AAA9A9A9"],
            Self::British => &["A99AA", "A999AA", "AA99AA", "AA999AA", "A9A9AA", "AA9A9AA"],
        }
    }

    /// Whether these letters are a whole address: a post code ends it and, in America, a number stands before that, of a house, a route or a
    /// box. Without it the first line is missing, or is another's.
    fn completes(self, chars: &[char]) -> bool {
        let bare: Vec<char> = chars.iter().copied().filter(|c| c.is_alphanumeric()).collect();
        let is_of = |form: &str, code: &[char]| {
            code.iter().zip(form.bytes()).all(|(c, class)| match class {
                b'9' => c.is_ascii_digit(),
                _ => c.is_ascii_uppercase(),
            })
        };
        self.forms().iter().any(|form| {
            let Some((place, code)) = bare.len().checked_sub(form.len()).map(|at| bare.split_at(at)) else {
                return false;
            };
            is_of(form, code) && (self == Self::British || place.iter().any(char::is_ascii_digit))
        })
    }
}

/// Letters and digits over one or more lines.
pub(super) fn latin(glyphs: &[Glyph], post: Option<Post>) -> Option<Parsed> {
    let folded = Folded::of(glyphs);
    if post.is_some_and(|post| !post.completes(&folded.chars)) {
        return None;
    }
    let (letters, digits) = (
        folded.chars.iter().filter(|c| c.is_alphabetic()).count(),
        folded.chars.iter().filter(|c| c.is_ascii_digit()).count(),
    );
    let sound = folded.chars.iter().all(|&c| c.is_alphanumeric() || is_joint(c));
    if letters < 4 || digits == 0 || !sound || !LETTERS.contains(&folded.chars.len()) {
        return None;
    }
    let (text, first, last) = stretch(glyphs, &folded, 0, folded.chars.len())?;
    Some(Parsed {
        normalized: Some(text.clone()),
        text,
        from: first,
        to: last,
    })
}

const fn is_joint(c: char) -> bool {
    let is_in_name = matches!(c, '\'' | '’' | '&');
    is_in_name
        || matches!(
            c,
            '-' | '−' | '‐' | '–' | '—' | '―' | 'ー' | '・' | '.' | ',' | '/' | '#' | '(' | ')' | '々' | 'ヶ' | 'ノ'
        )
}

/// Between two digits every stroke is a hyphen, 2ー1, 2一1 and 2−1 are 2-1; between two katakana it is the long vowel, コ一ポ is コーポ, スポ一ツ館 is
/// スポーツ館. In a name that is known to begin with the number one, such as 一ツ橋, it is that, whatever stands before it.
fn with_strokes(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let around = |at: usize, is: fn(&char) -> bool| {
        let before = at.checked_sub(1).and_then(|i| chars.get(i));
        before.is_some_and(is) && chars.get(at + 1).is_some_and(is)
    };
    let katakana = |c: &char| matches!(c, '\u{30a1}'..='\u{30fa}');
    let is_number_one = |at: usize| {
        let begins = |name: &&str| chars[at..].iter().take(name.chars().count()).copied().eq(name.chars());
        BEGIN_WITH_ONE.iter().any(begins)
    };
    let stroke = |c: char| matches!(c, '−' | '‐' | '–' | '—' | '―' | 'ー' | '一' | '-');
    chars
        .iter()
        .enumerate()
        .map(|(at, &c)| match c {
            c if !stroke(c) => c,
            _ if around(at, char::is_ascii_digit) => '-',
            '一' if is_number_one(at) => c,
            _ if around(at, katakana) => 'ー',
            c => c,
        })
        .collect()
}
