//! Patterns of `LIKE .. ESCAPE '\'`.

use domain::name;

/// The pattern of names that contain `part`. Of what is longer than any name, the beginning is enough to find none, and SQLite refuses patterns
/// of more than 50,000 bytes.
pub(crate) fn name_containing(part: &str) -> String {
    let mut pattern = String::from("%");
    for c in part.chars().take(name::LONGEST + 1) {
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
        assert_eq!(name_containing("50%_a\\"), "%50\\%\\_a\\\\%");
    }
}
