//! Countries by their codes and by the names that Japanese cards and passports print.

use super::{Parsed, stretch};
use crate::country::code;
use crate::layout::page::{Folded, Glyph};

/// Registered as this on Japanese cards are people who or whose forebears came from the peninsula before there were two states. It says
/// nothing of a nationality, least of all that of one of these states, and has no code.
const KOREAN_PENINSULA: &str = "朝鮮";

/// A code or a name at the beginning of a text, alone there or in two languages with a stroke between.
pub(super) fn parse(glyphs: &[Glyph]) -> Option<Parsed> {
    let folded = Folded::of(glyphs);
    let whole = folded.chars.len();
    let first_word = (1..whole).find(|&at| folded.apart[at]).unwrap_or(whole);
    let found = [whole, first_word]
        .into_iter()
        .find_map(|to| Some((named(&folded.chars[..to])?, to)));
    // A code that is no country's, such as that of Utopia, is kept as it is printed.
    let code = whole == 3 && folded.chars.iter().all(char::is_ascii_uppercase);
    let (normalized, to) = match found {
        Some((found, to)) => (Some(found.to_owned()), to),
        None if code || folded.chars.iter().collect::<String>() == KOREAN_PENINSULA => (None, whole),
        None => return None,
    };
    let (text, from, to) = stretch(glyphs, &folded, 0, to)?;
    Some(Parsed {
        text,
        normalized,
        from,
        to,
    })
}

/// The code that all parts of a text name, as far as they name one.
fn named(chars: &[char]) -> Option<&'static str> {
    let text: String = chars.iter().collect();
    let mut parts = text.split(['/', '(', ')']).filter(|part| !part.is_empty()).map(code);
    let found = parts.next()??;
    parts
        .all(|other| other.is_none_or(|other| other == found))
        .then_some(found)
}
