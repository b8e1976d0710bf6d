//! Characters that do not belong in text that people type and others read: invisible ones, and those that change how the surrounding text
//! is displayed. With them, two names can look alike and compare as different, or the other way round.

use unicode_normalization::char::is_combining_mark;

/// Whether a text has a character that cannot be seen, or that overrides the direction of others. Joiners are allowed where a script needs them
/// (Persian, Hindi), and variation selectors behind the character that they vary (kanji of Japanese family names).
#[must_use]
pub fn hides_something(text: &str) -> bool {
    let mut before = None;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let is_hidden = match c {
            '\u{200c}' | '\u{200d}' => !(before.is_some_and(joins) && rest.peek().copied().is_some_and(joins)),
            _ if is_variation_selector(c) => {
                !before.is_some_and(|before| can_be_seen(before) && !is_variation_selector(before))
            }
            _ => c.is_control() || is_unseen(c),
        };
        if is_hidden {
            return true;
        }
        before = Some(c);
    }
    false
}

/// Whether anything of a text can be seen.
#[must_use]
pub(crate) fn shows_something(text: &str) -> bool {
    text.chars().any(|c| can_be_seen(c) && !is_combining_mark(c))
}

fn can_be_seen(c: char) -> bool {
    !(c.is_whitespace() || c.is_control() || is_unseen(c) || is_joiner(c) || is_variation_selector(c))
}

const fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

const fn is_variation_selector(c: char) -> bool {
    matches!(c, '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Whether a joiner beside this character changes what is shown: in the scripts from Arabic to Mongolian whose letters connect, and between the
/// parts of an emoji.
fn joins(c: char) -> bool {
    match c {
        '\u{620}'..='\u{8ff}'
        | '\u{900}'..='\u{dff}'
        | '\u{1000}'..='\u{109f}'
        | '\u{1780}'..='\u{18af}'
        | '\u{a8e0}'..='\u{a8ff}' => c.is_alphabetic() || is_combining_mark(c),
        '\u{2600}'..='\u{27bf}' | '\u{fe0f}' | '\u{1f000}'..='\u{1faff}' => true,
        _ => false,
    }
}

/// Unicode 16: the characters of the category Cf and those with the property `Default_Ignorable_Code_Point`, except joiners and variation
/// selectors; and those that are blank without being white space.
const fn is_unseen(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{600}'..='\u{605}'
            | '\u{61c}'
            | '\u{6dd}'
            | '\u{70f}'
            | '\u{890}'..='\u{891}'
            | '\u{8e2}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180e}'
            | '\u{200b}'
            | '\u{200e}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{110bd}'
            | '\u{110cd}'
            | '\u{13430}'..='\u{1343f}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e00ff}'
            | '\u{e01f0}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_found_and_what_names_need_is_not() {
        for (text, hides) in [
            ("HANAKO", false),
            ("田中 花子", false),
            ("O’Connor-Łukasz", false),
            ("Nguyễn Thị Ánh", false),
            ("محمد", false),
            ("نیک\u{200c}پور", false),
            ("क्\u{200d}ष", false),
            ("辻\u{e0100}", false),
            ("👩\u{200d}💻 builds", false),
            ("❤\u{fe0f}", false),
            ("HA\u{200b}NA\u{ad}KO", true),
            ("HA\u{200d}NAKO", true),
            ("\u{200d}نیک", true),
            ("نیک\u{200c}", true),
            ("نیک\u{200c}\u{200c}پور", true),
            ("\u{202e}OKANAH", true),
            ("HANAKO\u{200f}", true),
            ("\u{2066}HANAKO\u{2069}", true),
            ("H\u{2060}ANAKO", true),
            ("\u{feff}HANAKO", true),
            ("田\u{115f}\u{1160}中", true),
            ("\u{3164}", true),
            ("\u{e0041}", true),
            ("\u{e0100}", true),
            ("辻\u{e0100}\u{e0101}", true),
            ("HANA\u{2028}KO", true),
            ("HANA\nKO", true),
        ] {
            assert_eq!(hides_something(text), hides, "{text:?}");
        }
    }

    #[test]
    fn a_text_of_blanks_shows_nothing() {
        for (text, shows) in [
            ("a", true),
            ("÷", true),
            ("", false),
            ("\u{a0}\u{3000}", false),
            ("\u{200b}", false),
            ("\u{2800}", false),
            ("\u{301}", false),
        ] {
            assert_eq!(shows_something(text), shows, "{text:?}");
        }
    }

    /// The standard library has a table of its own of what is not to be printed as it is.
    #[test]
    fn nothing_that_can_be_printed_is_taken_for_hidden() {
        // Letters and symbols of which nothing is shown.
        let blank = ['\u{115f}', '\u{1160}', '\u{2800}', '\u{3164}', '\u{ffa0}'];
        for c in (char::MIN..=char::MAX).filter(|c| is_unseen(*c) && !blank.contains(c)) {
            assert!(c.escape_debug().count() > 1, "{c:?}");
        }
    }
}
