//! Converts what a Japanese keyboard enters where letters and digits are expected.

use unicode_normalization::UnicodeNormalization;

/// Full-width letters, digits and signs (`１．５`) as those that programs read (`1.5`), by NFKC.
#[must_use]
pub fn half_width(typed: &str) -> String {
    typed.nfkc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_width_letters_digits_and_signs_become_those_of_ascii() {
        for (typed, read) in [
            ("１．５", "1.5"),
            ("ＡＢ－ｃ　９", "AB-c 9"),
            ("0.60", "0.60"),
            ("", ""),
        ] {
            assert_eq!(half_width(typed), read);
        }
    }
}
