//! When two ways of writing a name are the same name.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// `None` if the scripts differ: a kanji name and its Latin transcription cannot be compared.
pub(crate) fn same_name(a: &str, b: &str) -> Option<bool> {
    // Also for punctuation alone, of which the rules below leave nothing.
    if a == b {
        return Some(true);
    }
    match (is_latin(a), is_latin(b)) {
        (true, true) => Some(same_latin(a, b)),
        (false, false) => Some(folded(a) == folded(b)),
        _ => None,
    }
}

/// A name printed as one against a family and a given name. The given name may come first or last, and may be the first of
/// several. `None` also if what is printed ends before the second of them: that says nothing of it.
pub(crate) fn same_full_name(full: &str, last: &str, first: &str) -> Option<bool> {
    let compared: Vec<Option<bool>> = [(last, first), (first, last)]
        .into_iter()
        .filter_map(|(one, other)| {
            let same = same_name(full, &format!("{one} {other}"))?;
            let covers = !is_latin(full) || names(other).is_empty() || !is_within(full, one);
            Some((!same || covers).then_some(same))
        })
        .collect();
    if compared.contains(&Some(true)) {
        return Some(true);
    }
    (!compared.is_empty() && !compared.contains(&None)).then_some(false)
}

pub(crate) fn is_latin(text: &str) -> bool {
    // The small schwa of Azerbaijan stands apart from all other letters of European names.
    let is_latin = |c| u32::from(c) < 0x250 || c == 'ə';
    text.nfkd().filter(|c| c.is_alphabetic()).all(is_latin)
}

/// A document may contain more given names than people type: the shorter list of names must be a prefix of the longer one, each under one
/// of its transliterations. Where one name ends and the next begins is written in many ways: `Xiao Ming` is `XIAOMING`, `McCarthy` is
/// `MC CARTHY`.
fn same_latin(a: &str, b: &str) -> bool {
    let (a, b) = (names(a), names(b));
    if a.is_empty() || b.is_empty() {
        return false;
    }
    let same = |(x, y): (&[String; 2], &[String; 2])| x.iter().any(|form| y.contains(form));
    a.iter().zip(&b).all(same) || is_beginning(&a, &b) || is_beginning(&b, &a)
}

/// Whether all letters of some names are those of the first of other ones.
fn is_beginning(names: &[[String; 2]], of: &[[String; 2]]) -> bool {
    let whole = joined(names);
    (1..=of.len()).any(|count| joined(&of[..count]).iter().any(|beginning| whole.contains(beginning)))
}

/// Whether a name goes on where another one was cut: word by word, since some zones keep the beginning of every word (ICAO 9303-3
/// section 4.6).
pub(crate) fn goes_on(cut: &str, whole: &str) -> bool {
    !names(cut).is_empty() && is_within(cut, whole)
}

/// Whether every word of a name is one of these.
pub(crate) fn has_words_of<'a>(name: &str, of: impl IntoIterator<Item = &'a str>) -> bool {
    let of: Vec<[String; 2]> = of.into_iter().flat_map(names).collect();
    let is_one = |word: &[String; 2]| of.iter().any(|other| word.iter().any(|form| other.contains(form)));
    let words = names(name);
    !words.is_empty() && words.iter().all(is_one)
}

/// Whether a name has nothing behind the end of another one, whichever way each is transliterated.
fn is_within(name: &str, whole: &str) -> bool {
    let (name, whole) = (names(name), names(whole));
    begins_word_by_word(&name, &whole) || begins_joined(&name, &whole)
}

/// Whether the words of a name are those of another one, or their beginnings, in their order.
fn begins_word_by_word(name: &[[String; 2]], whole: &[[String; 2]]) -> bool {
    let begins = |(part, word): (&[String; 2], &[String; 2])| {
        part.iter()
            .any(|part| word.iter().any(|word| word.starts_with(part.as_str())))
    };
    name.len() <= whole.len() && name.iter().zip(whole).all(begins)
}

/// Whether another name begins with all letters of a name, however each is divided into words.
fn begins_joined(name: &[[String; 2]], whole: &[[String; 2]]) -> bool {
    let (name, whole) = (joined(name), joined(whole));
    name.iter()
        .any(|name| whole.iter().any(|whole| whole.starts_with(name.as_str())))
}

/// All letters of some names, in each form.
fn joined(names: &[[String; 2]]) -> [String; 2] {
    [0, 1].map(|form| names.iter().map(|name| name[form].as_str()).collect())
}

/// The parts of a name, each in the forms it may have in a machine-readable zone.
fn names(text: &str) -> Vec<[String; 2]> {
    text.split(|c: char| c.is_whitespace() || matches!(c, '-' | '\u{2010}'..='\u{2015}' | '<' | ',' | '\u{30fb}'))
        .map(|part| [transliterated(part), plain(part)])
        .filter(|forms| !forms[1].is_empty())
        .collect()
}

/// Recommended transliterations of ICAO 9303-3 section 6.A that use more than one letter.
pub(crate) fn transliterated(part: &str) -> String {
    let expanded: String = part
        .nfc()
        .flat_map(char::to_uppercase)
        .map(|c| match c {
            'Ä' | 'Æ' => "AE".to_owned(),
            'Ö' | 'Ø' | 'Œ' => "OE".to_owned(),
            'Ü' => "UE".to_owned(),
            'Å' => "AA".to_owned(),
            'ẞ' => "SS".to_owned(),
            'Þ' => "TH".to_owned(),
            'Ə' => "E".to_owned(),
            other => other.to_string(),
        })
        .collect();
    plain(&expanded)
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
        .filter(|c| c.is_alphanumeric())
        .collect()
}

/// NFKC without spaces and punctuation between words, variants of the same kanji folded.
pub(crate) fn folded(text: &str) -> String {
    text.nfkc()
        .map(|c| match c {
            '髙' => '高',
            '﨑' => '崎',
            '濵' | '濱' => '浜',
            '邊' | '邉' => '辺',
            '齋' | '斎' | '齊' => '斉',
            '澤' => '沢',
            '廣' => '広',
            '櫻' => '桜',
            '德' => '徳',
            '增' => '増',
            '眞' => '真',
            '證' | '证' => '証',
            other => other,
        })
        .flat_map(char::to_lowercase)
        .filter(|c| c.is_alphanumeric())
        .collect()
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
            ("Łukasz", "LUKASZ", true),
            ("Xiao Ming", "XIAOMING", true),
            ("Minjun", "MIN JUN", true),
            ("McCarthy", "MC CARTHY", true),
            ("Delacruz", "DE LA CRUZ", true),
            ("Anna", "AN NATALIA", false),
            ("Jean\u{2010}Luc", "JEAN LUC", true),
            ("Məmmədov", "MAMMADOV", true),
            ("Məmmədov", "MEMMEDOV", true),
            ("÷", "÷", true),
        ] {
            assert_eq!(same_name(a, b), Some(same), "{a} {b}");
        }
        assert_eq!(same_name("田中", "TANAKA"), None, "scripts differ");
        assert_eq!(same_name("髙橋", "高橋"), Some(true));
        assert_eq!(same_name("德永", "徳永"), Some(true));
        assert_eq!(same_name("增田", "増田"), Some(true));
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
        fn a_name_always_matches_itself(name in "[A-Za-zÀ-ž]{1,12}( [A-Za-z]{1,8})?") {
            prop_assert_eq!(same_name(&name, &name), Some(true));
        }
    }
}
