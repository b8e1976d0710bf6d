//! Makes texts comparable: one form for full and half width, upper and lower case, accents, and kanji that a recogniser confuses.

use domain::input_match;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Simplified and older forms that the recogniser, trained on Chinese, prints for Japanese ones.
const VARIANTS: [(char, char); 134] = [
    ('证', '証'),
    ('證', '証'),
    ('发', '発'),
    ('發', '発'),
    ('满', '満'),
    ('滿', '満'),
    ('效', '効'),
    ('许', '許'),
    ('龄', '齢'),
    ('关', '関'),
    ('县', '県'),
    ('转', '転'),
    ('轉', '転'),
    ('运', '運'),
    ('录', '録'),
    ('户', '戸'),
    ('广', '広'),
    ('泽', '沢'),
    ('滨', '浜'),
    ('边', '辺'),
    ('號', '号'),
    ('别', '別'),
    ('间', '間'),
    ('德', '徳'),
    ('增', '増'),
    ('步', '歩'),
    ('黑', '黒'),
    ('穰', '穣'),
    ('薰', '薫'),
    ('霸', '覇'),
    ('铃', '鈴'),
    ('铁', '鉄'),
    ('银', '銀'),
    ('锅', '鍋'),
    ('镰', '鎌'),
    ('锦', '錦'),
    ('镜', '鏡'),
    ('钟', '鐘'),
    ('针', '針'),
    ('绿', '緑'),
    ('结', '結'),
    ('绫', '綾'),
    ('绪', '緒'),
    ('绘', '絵'),
    ('织', '織'),
    ('纪', '紀'),
    ('纯', '純'),
    ('纱', '紗'),
    ('纲', '綱'),
    ('细', '細'),
    ('经', '経'),
    ('红', '紅'),
    ('绢', '絹'),
    ('维', '維'),
    ('绵', '綿'),
    ('缘', '縁'),
    ('岛', '島'),
    ('冈', '岡'),
    ('鸟', '鳥'),
    ('鹤', '鶴'),
    ('鹰', '鷹'),
    ('鸣', '鳴'),
    ('马', '馬'),
    ('驹', '駒'),
    ('骏', '駿'),
    ('东', '東'),
    ('长', '長'),
    ('门', '門'),
    ('问', '問'),
    ('贺', '賀'),
    ('贝', '貝'),
    ('贞', '貞'),
    ('贵', '貴'),
    ('贤', '賢'),
    ('赖', '頼'),
    ('须', '須'),
    ('顺', '順'),
    ('车', '車'),
    ('轮', '輪'),
    ('辉', '輝'),
    ('达', '達'),
    ('远', '遠'),
    ('连', '連'),
    ('进', '進'),
    ('阳', '陽'),
    ('阵', '陣'),
    ('园', '園'),
    ('场', '場'),
    ('坚', '堅'),
    ('实', '実'),
    ('宽', '寛'),
    ('师', '師'),
    ('库', '庫'),
    ('时', '時'),
    ('桥', '橋'),
    ('极', '極'),
    ('树', '樹'),
    ('样', '様'),
    ('气', '気'),
    ('汉', '漢'),
    ('泷', '滝'),
    ('洁', '潔'),
    ('济', '済'),
    ('浓', '濃'),
    ('润', '潤'),
    ('渔', '漁'),
    ('爱', '愛'),
    ('现', '現'),
    ('环', '環'),
    ('电', '電'),
    ('矶', '磯'),
    ('种', '種'),
    ('积', '積'),
    ('荣', '栄'),
    ('莲', '蓮'),
    ('苍', '蒼'),
    ('蓝', '藍'),
    ('观', '観'),
    ('设', '設'),
    ('诚', '誠'),
    ('诗', '詩'),
    ('话', '話'),
    ('语', '語'),
    ('诸', '諸'),
    ('见', '見'),
    ('觉', '覚'),
    ('规', '規'),
    ('飞', '飛'),
    ('风', '風'),
    ('鱼', '魚'),
    ('馆', '館'),
    ('饭', '飯'),
    ('龟', '亀'),
    ('姬', '姫'),
];

/// Of the variants, those that Japanese names are still written with and that the recogniser does not read for the newer ones.
const OLD_FORMS: [char; 6] = ['證', '發', '滿', '轉', '號', '效'];

/// For comparing: NFKC, upper case, no accents, one form of each kanji. Spaces stay.
pub(crate) fn folded(text: &str) -> String {
    text.nfkc()
        .flat_map(char::to_uppercase)
        .nfd()
        .filter(|c| !is_combining_mark(*c) || is_voiced(*c))
        .nfc()
        .map(variant)
        .collect()
}

/// The marks that make が of か are part of the letter.
const fn is_voiced(c: char) -> bool {
    matches!(c, '\u{3099}' | '\u{309A}')
}

fn variant(c: char) -> char {
    VARIANTS.iter().find(|(from, _)| *from == c).map_or(c, |(_, to)| *to)
}

/// Whether a letter is Latin, with or without marks: Ø, Đ and Ł have none that could be taken off.
pub(crate) fn is_latin(c: char) -> bool {
    u32::from(c) < 0x250
}

/// Letters and digits only, folded.
pub(crate) fn bare(text: &str) -> String {
    folded(text).chars().filter(|c| c.is_alphanumeric()).collect()
}

/// As the machine-readable zone may spell national letters, without anything but letters and digits (ICAO 9303-3 section 6.A): Ü as UE or UXX.
pub(crate) fn transliterated(text: &str) -> [String; 2] {
    [
        input_match::transliterated(text),
        input_match::transliterated_with_x(text),
    ]
}

/// For keeping: NFKC with single spaces.
pub(crate) fn tidy(text: &str) -> String {
    let normal: String = text.nfkc().collect();
    normal.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Simplified forms that no Japanese name or address is written with, as the Japanese ones. Other letters stay as they are read.
pub(crate) fn japanese(text: &str) -> String {
    let simplified = |c: char| !OLD_FORMS.contains(&c);
    text.chars()
        .map(|c| if simplified(c) { variant(c) } else { c })
        .collect()
}

/// Whether `needle` stands in `text` with at most this many wrong, missing or extra letters (Sellers' algorithm).
pub(crate) fn contains_nearly(text: &str, needle: &str, errors: usize) -> bool {
    let needle: Vec<char> = needle.chars().collect();
    if needle.is_empty() {
        return false;
    }
    let mut column: Vec<usize> = (0..=needle.len()).collect();
    for c in text.chars() {
        let mut diagonal = column[0];
        for (row, wanted) in needle.iter().enumerate() {
            let replaced = diagonal + usize::from(c != *wanted);
            diagonal = column[row + 1];
            column[row + 1] = replaced.min(diagonal + 1).min(column[row] + 1);
        }
        if column[needle.len()] <= errors {
            return true;
        }
    }
    column[needle.len()] <= errors
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn width_case_accents_and_variants_do_not_matter() {
        assert_eq!(folded("Ｐrénoms"), "PRENOMS");
        assert_eq!(folded("在留期间满了日"), "在留期間満了日");
        assert_eq!(folded("ガﾞ"), folded("ガ\u{3099}"));
        assert_eq!(bare("AB 12-34<"), "AB1234");
        let [recommended, other] = transliterated("Müller-Lüdenscheidt");
        assert_eq!(recommended, "MUELLERLUEDENSCHEIDT");
        assert_eq!(other, "MUXXLLERLUXXDENSCHEIDT");
        assert_eq!(transliterated("Ħŧŋə")[0], "HTNE");
        assert_eq!(tidy("  日本　花子 "), "日本 花子");
    }

    #[test]
    fn a_word_is_found_with_as_many_errors_as_allowed() {
        assert!(contains_nearly("XXERIKSSDNYY", "ERIKSSON", 1));
        assert!(!contains_nearly("XXERIKSSDNYY", "ERIKSSON", 0));
        assert!(contains_nearly("ERIKSON", "ERIKSSON", 1));
        assert!(!contains_nearly("", "A", 0) && !contains_nearly("ABC", "", 0));
    }
}
