//! Patterns of `LIKE .. ESCAPE '\'`.

/// The pattern of texts that contain `part`.
pub(crate) fn containing(part: &str) -> String {
    let mut pattern = String::from("%");
    for c in part.chars() {
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_takes_no_character_of_the_text_for_a_wildcard() {
        assert_eq!(containing("50%_a\\"), "%50\\%\\_a\\\\%");
    }
}
