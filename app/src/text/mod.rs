//! Every sentence of the pages, in every language: a text that lacks one of its languages does not compile.

pub mod camera;
pub mod capture;
pub mod closing;
#[cfg(feature = "ssr")]
pub mod dates;
pub mod details;
pub mod entry;
pub mod finish;
#[cfg(feature = "ssr")]
pub mod live;
pub mod picture;
#[cfg(feature = "ssr")]
pub mod problem;
pub mod switch_device;

use domain::language::Language;

/// A language's own name.
#[must_use]
pub const fn language_name(language: Language) -> &'static str {
    match language {
        Language::En => "English",
        Language::Ja => "日本語",
    }
}

/// One text in every language. `{name}` is a placeholder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text {
    /// English.
    pub en: &'static str,
    /// Japanese.
    pub ja: &'static str,
}

impl Text {
    /// The text in that language.
    #[must_use]
    pub const fn get(self, lang: Language) -> &'static str {
        match lang {
            Language::En => self.en,
            Language::Ja => self.ja,
        }
    }

    /// The text in that language with its placeholders filled in.
    #[must_use]
    pub fn fill(self, lang: Language, values: &[(&str, &str)]) -> String {
        let mut out = String::new();
        let mut rest = self.get(lang);
        // Filled in one pass, so that a value that looks like a placeholder is left as it is.
        while let Some((before, after)) = rest.split_once('{') {
            out.push_str(before);
            let Some((name, after)) = after.split_once('}') else {
                rest = after;
                break;
            };
            out.push_str(values.iter().find(|(n, _)| *n == name).map_or("", |(_, v)| v));
            rest = after;
        }
        out.push_str(rest);
        out
    }
}

/// Declares texts: `NAME: "English", "Japanese";`. Also lists them, for the tests.
macro_rules! texts {
    ($($(#[$meta:meta])* $name:ident: $en:literal, $ja:literal;)+) => {
        $($(#[$meta])* pub const $name: $crate::text::Text = $crate::text::Text { en: $en, ja: $ja };)+
        /// Every text of this table with its name.
        pub const ALL: &[(&str, $crate::text::Text)] = &[$((stringify!($name), $name)),+];
    };
}
pub(crate) use texts;

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> impl Iterator<Item = &'static (&'static str, Text)> {
        [
            camera::ALL,
            capture::ALL,
            closing::ALL,
            details::ALL,
            switch_device::ALL,
            entry::ALL,
            finish::ALL,
            picture::ALL,
            problem::ALL,
        ]
        .into_iter()
        .flatten()
    }

    fn places(text: &str) -> Vec<&str> {
        let mut places: Vec<&str> = text
            .split('{')
            .skip(1)
            .filter_map(|s| s.split_once('}').map(|(name, _)| name))
            .collect();
        places.sort_unstable();
        places
    }

    #[test]
    fn every_text_says_something_in_both_languages_with_the_same_places() {
        assert!(all().count() > 100);
        for (name, text) in all() {
            assert!(!text.en.trim().is_empty() && !text.ja.trim().is_empty(), "{name}");
            assert_eq!(places(text.en), places(text.ja), "{name}");
        }
    }

    #[test]
    fn no_japanese_text_is_left_in_english() {
        for (name, text) in all() {
            assert!(text.ja.chars().any(|c| c >= '\u{3000}'), "{name}: {}", text.ja);
        }
    }

    #[test]
    fn a_value_that_looks_like_a_place_is_not_filled_again() {
        let text = Text {
            en: "{a} and {b}",
            ja: "{a}と{b}",
        };
        assert_eq!(text.fill(Language::En, &[("a", "{b}"), ("b", "x")]), "{b} and x");
    }
}
