//! Every sentence of the pages, in every language. English and Japanese are in the source, so that a text without them does not
//! compile. The other languages are files in `translations`, which a test compares with the source. The browser's half contains
//! none of them: the page provides the texts of its island.

pub mod camera;
pub mod capture;
#[cfg(feature = "ssr")]
pub mod closing;
#[cfg(feature = "ssr")]
pub mod dates;
#[cfg(feature = "ssr")]
pub mod details;
#[cfg(feature = "ssr")]
pub mod entry;
#[cfg(feature = "ssr")]
pub mod finish;
#[cfg(not(feature = "ssr"))]
mod from_page;
#[cfg(feature = "ssr")]
pub mod live;
pub mod picture;
#[cfg(feature = "ssr")]
pub mod problem;
pub mod switch_device;
#[cfg(feature = "ssr")]
mod translations;
#[cfg(test)]
mod wording_tests;

#[cfg(feature = "ssr")]
pub(crate) use translations::for_islands;

use domain::language::Language;

/// A language's own name.
#[must_use]
pub const fn language_name(language: Language) -> &'static str {
    match language {
        Language::En => "English",
        Language::Ja => "日本語",
        Language::ZhHans => "简体中文",
        Language::Ko => "한국어",
        Language::Vi => "Tiếng Việt",
        Language::Pt => "Português",
        Language::Es => "Español",
    }
}

/// One text in every language. `{name}` is a placeholder; `{name:day|days}` stands for the first word if the value of `name` is 1, otherwise for
/// the second: languages that need no such words have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text {
    /// Names it in the files of the other languages.
    key: &'static str,
    /// English.
    #[cfg(feature = "ssr")]
    pub en: &'static str,
    /// Japanese.
    #[cfg(feature = "ssr")]
    pub ja: &'static str,
}

impl Text {
    /// The text in that language.
    #[cfg(feature = "ssr")]
    #[must_use]
    pub fn get(self, lang: Language) -> &'static str {
        match lang {
            Language::En => self.en,
            Language::Ja => self.ja,
            other => translations::find(other, self.key()).unwrap_or(self.en),
        }
    }

    /// The text in the page's language.
    #[cfg(not(feature = "ssr"))]
    #[must_use]
    pub fn get(self, _: Language) -> &'static str {
        from_page::find(self.key())
    }

    /// Names it in the files of the other languages: `camera::OPEN`.
    fn key(self) -> &'static str {
        self.key.strip_prefix("app::text::").unwrap_or(self.key)
    }

    /// The text in that language with its placeholders filled in.
    #[cfg(feature = "ssr")]
    #[must_use]
    pub fn fill(self, lang: Language, values: &[(&str, &str)]) -> String {
        let value = |name| values.iter().find(|(of, _)| *of == name).map_or("", |(_, value)| value);
        let mut out = String::new();
        let mut rest = self.get(lang);
        // Filled in one pass, so that a value that looks like a placeholder is left as it is.
        while let Some((before, after)) = rest.split_once('{') {
            out.push_str(before);
            let Some((name, after)) = after.split_once('}') else {
                rest = after;
                break;
            };
            out.push_str(match name.split_once(':') {
                None => value(name),
                Some((count, words)) => {
                    let (one, more) = words.split_once('|').unwrap_or((words, words));
                    if value(count) == "1" { one } else { more }
                }
            });
            rest = after;
        }
        out.push_str(rest);
        out
    }
}

/// Declares texts: `NAME: "English", "Japanese";`. Also lists them, for the tests.
macro_rules! texts {
    ($($(#[$meta:meta])* $name:ident: $en:literal, $ja:literal;)+) => {
        $($(#[$meta])* pub const $name: $crate::text::Text = $crate::text::Text {
            key: concat!(module_path!(), "::", stringify!($name)),
            #[cfg(feature = "ssr")]
            en: $en,
            #[cfg(feature = "ssr")]
            ja: $ja,
        };)+
        /// Every text of this table with its name.
        #[cfg(feature = "ssr")]
        pub const ALL: &[(&str, $crate::text::Text)] = &[$((stringify!($name), $name)),+];
    };
}
pub(crate) use texts;

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn all() -> impl Iterator<Item = &'static (&'static str, Text)> {
        [
            camera::ALL,
            capture::ALL,
            closing::ALL,
            details::ALL,
            switch_device::ALL,
            entry::ALL,
            finish::ALL,
            live::ALL,
            picture::ALL,
            problem::ALL,
        ]
        .into_iter()
        .flatten()
    }

    fn placeholders(text: &str) -> Vec<&str> {
        let mut placeholders: Vec<&str> = text
            .split('{')
            .skip(1)
            .filter_map(|s| s.split_once('}').map(|(name, _)| name))
            // Not every language has words for one and for more.
            .map(|name| name.split_once(':').map_or(name, |(count, _)| count))
            .collect();
        placeholders.sort_unstable();
        placeholders.dedup();
        placeholders
    }

    #[test]
    fn every_text_says_something_in_both_languages_with_the_same_places() {
        assert!(all().count() > 100);
        for (name, text) in all() {
            assert!(!text.en.trim().is_empty() && !text.ja.trim().is_empty(), "{name}");
            assert_eq!(placeholders(text.en), placeholders(text.ja), "{name}");
        }
    }

    #[test]
    fn every_other_language_has_exactly_these_texts_with_the_same_places() {
        for language in Language::ALL
            .iter()
            .filter(|language| !matches!(language, Language::En | Language::Ja))
        {
            for (_, text) in all() {
                let translated = translations::find(*language, text.key());
                let translated = translated.unwrap_or_else(|| panic!("{language} lacks {}", text.key()));
                assert!(!translated.is_empty(), "{language}: {}", text.key());
                assert_eq!(
                    placeholders(translated),
                    placeholders(text.en),
                    "{language}: {}",
                    text.key()
                );
            }
            let known: Vec<&str> = all().map(|(_, text)| text.key()).collect();
            let unknown: Vec<_> = translations::keys(*language)
                .filter(|key| !known.contains(key))
                .collect();
            assert!(
                unknown.is_empty(),
                "{language} has texts that no page says: {unknown:?}"
            );
        }
    }

    pub(super) fn no_text_says(words: &[(Language, &str)]) {
        for (name, text) in all() {
            for (language, word) in words {
                let said = text.get(*language).to_lowercase();
                assert!(!said.contains(word), "{name} in {language}: {said}");
            }
        }
    }

    /// As a bank writes: what to do, without begging.
    #[test]
    fn no_text_begs() {
        no_text_says(&[
            (Language::En, "please"),
            (Language::Es, "por favor"),
            (Language::Pt, "por favor"),
            (Language::Vi, "vui lòng"),
        ]);
    }

    /// A company may be called anything: nobody knows its gender.
    #[test]
    fn no_text_guesses_the_gender_of_a_company() {
        no_text_says(&[
            (Language::Es, "{tenant} es "),
            (Language::Es, "{tenant} ha sido "),
            (Language::Pt, "{tenant} é "),
            (Language::Pt, "{tenant} foi "),
        ]);
    }

    /// The other words are in use: `camera`, `bạn`, `tab`, `foto`, `prédio`, `My Number`, `selfi`, `computadora`, `borrar`, `마이넘버`,
    /// `重新拍摄`.
    #[test]
    fn a_thing_has_one_name_in_a_language() {
        no_text_says(&[
            (Language::Vi, "máy ảnh"),
            (Language::Vi, "quý khách"),
            (Language::Vi, "thẻ khác"),
            (Language::Vi, "mã số cá nhân"),
            (Language::Pt, "fotografia"),
            (Language::Pt, "edifício"),
            (Language::Pt, "número individual"),
            (Language::Es, "selfie"),
            (Language::Es, "ordenador"),
            (Language::Es, "número individual"),
            (Language::Es, "elimin"),
            (Language::Ko, "개인번호"),
            (Language::ZhHans, "重新拍照"),
        ]);
    }

    /// Chrome's menu has another word for the camera than Safari's and the camera app. The prose has Chrome's.
    #[test]
    fn chinese_texts_name_the_camera_as_the_menu_they_lead_to_does() {
        let names = [
            "DENIED_SAFARI",
            "DENIED_SAFARI_COMPUTER",
            "USE_APP",
            "FILE_TOO_LARGE",
            "FILE_TOO_MANY_PIXELS",
            "FILE_HEIC",
            "PHOTO_LOST",
        ];
        for (name, text) in all() {
            let said = text.get(Language::ZhHans);
            let unexpected = if names.contains(name) { "摄像头" } else { "相机" };
            assert!(!said.contains(unexpected), "{name}: {said}");
        }
    }

    #[test]
    fn one_day_is_no_days() {
        const COUNTS: [&str; 3] = ["days", "minutes", "seconds"];
        let one = ["day", "minute", "second", "día", "minuto", "segundo", "dia", "min"];
        let more = [
            "days", "minutes", "seconds", "días", "minutos", "segundos", "dias", "min",
        ];
        let counting = |text: &Text| {
            placeholders(text.en)
                .iter()
                .any(|placeholder| COUNTS.contains(placeholder))
        };
        let texts: Vec<Text> = all().map(|(_, text)| *text).filter(counting).collect();
        assert!(texts.len() > 8, "{}", texts.len());
        for (text, language) in texts
            .iter()
            .flat_map(|text| Language::ALL.iter().map(move |of| (*text, *of)))
        {
            let told = |count: &str| text.fill(language, &COUNTS.map(|name| (name, count)));
            match language {
                Language::En | Language::Pt | Language::Es => {
                    for (count, words) in [("1", one), ("2", more), ("21", more)] {
                        let told = told(count);
                        let (_, rest) = told.split_once(&format!("{count} ")).unwrap();
                        let word = rest.split(|c: char| !c.is_alphabetic()).next().unwrap();
                        assert!(words.contains(&word), "{language}: {told}");
                    }
                }
                Language::Ja | Language::ZhHans | Language::Ko | Language::Vi => {
                    assert_eq!(told("1").replace('1', "2"), told("2"));
                }
            }
        }
    }

    #[test]
    fn chinese_and_korean_texts_are_in_their_own_scripts() {
        for (_, text) in all() {
            let chinese = text.get(Language::ZhHans);
            assert!(
                chinese.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c)),
                "{chinese}"
            );
            let korean = text.get(Language::Ko);
            assert!(
                korean.chars().any(|c| ('\u{ac00}'..='\u{d7a3}').contains(&c)),
                "{korean}"
            );
        }
    }

    #[test]
    fn what_applicants_are_told_about_their_photos_is_in_every_language() {
        use domain::reasons::{Effect, Reason};
        for reason in Reason::ALL.iter().filter(|reason| reason.effect() == Effect::AskAgain) {
            for language in Language::ALL.iter().filter(|language| **language != Language::En) {
                assert_ne!(
                    reason.sentence(*language),
                    reason.sentence(Language::En),
                    "{reason} in {language}"
                );
            }
        }
    }

    #[test]
    fn whoever_takes_a_photo_again_is_told_how() {
        use domain::reasons::{Effect, Reason};
        // What to do depends on the kind and the side, which the page names.
        let named = [Reason::DocumentSideMissing, Reason::DocumentTypeMismatch];
        let asked = Reason::ALL
            .iter()
            .filter(|reason| reason.effect() == Effect::AskAgain && !named.contains(reason));
        for reason in asked {
            for language in Language::ALL {
                let sentence = reason.sentence(*language);
                let parts = sentence.matches(['.', '。', '，']).count();
                assert!(parts > 1, "{reason} in {language}: {sentence}");
            }
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
            key: "",
            en: "{a} and {b}",
            ja: "{a}と{b}",
        };
        assert_eq!(text.fill(Language::En, &[("a", "{b}"), ("b", "x")]), "{b} and x");
    }
}
