//! The rule for names that people choose: for themselves, a tenant, a key, a passkey or a saved filter.

use crate::visible;

/// Most characters of the name of a person, a tenant or a key.
pub const LONGEST: usize = 100;

/// Whether a name has 1 to `longest` characters, all of which can be seen. Surrounding white space counts: the caller trims it.
#[must_use]
pub fn is_acceptable(name: &str, longest: usize) -> bool {
    (1..=longest).contains(&name.chars().count()) && visible::shows_something(name) && !visible::hides_something(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_1_to_100_characters_that_can_be_seen() {
        for (name, fits) in [
            ("Example Shop", true),
            (&*"é".repeat(100), true),
            ("", false),
            (&*"é".repeat(101), false),
            ("Example\nShop", false),
            ("\u{200b}", false),
            ("\u{3000}", false),
            ("Example\u{202e}pohS", false),
            ("Exam\u{ad}ple", false),
            ("👩\u{200d}💻 laptop", true),
        ] {
            assert_eq!(is_acceptable(name, LONGEST), fits, "{name:?}");
        }
    }
}
