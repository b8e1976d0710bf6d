//! The languages of the pages.

use crate::named::vocabulary;

vocabulary! {
    /// A supported language.
    Language {
        /// English.
        En = "en",
        /// Japanese.
        Ja = "ja",
        /// Simplified Chinese.
        ZhHans = "zh-Hans",
        /// Korean.
        Ko = "ko",
        /// Vietnamese.
        Vi = "vi",
        /// Portuguese, as in Brazil.
        Pt = "pt",
        /// Spanish.
        Es = "es",
    }
}

impl Language {
    /// The first supported language of an `Accept-Language` header (RFC 9110 section 12.5.4), or English.
    #[must_use]
    pub fn negotiate(accept_language: &str) -> Self {
        let mut best = (0.0_f32, Self::En);
        for item in accept_language.split(',') {
            let mut parts = item.split(';');
            let tag = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
            let weight = parts
                .find_map(|p| p.trim().strip_prefix("q=")?.parse().ok())
                .unwrap_or(1.0);
            let language = Self::ALL.iter().find(|language| language.serves(&tag));
            if let Some(&language) = language
                && weight > best.0
            {
                best = (weight, language);
            }
        }
        best.1
    }

    /// Whether somebody who asks for `tag`, in lower case, is served in this language.
    fn serves(self, tag: &str) -> bool {
        let (language, rest) = tag.split_once('-').unwrap_or((tag, ""));
        match self {
            // Readers of traditional characters get the next language of their list.
            Self::ZhHans => language == "zh" && !["hant", "tw", "hk", "mo"].iter().any(|other| rest.starts_with(other)),
            other => language == other.as_str(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_wanted_supported_language_wins() {
        for (header, language) in [
            ("", Language::En),
            ("ja", Language::Ja),
            ("ja-JP,ja;q=0.9,en;q=0.8", Language::Ja),
            ("fr,en;q=0.7,ja;q=0.3", Language::En),
            ("fr;q=1.0, ja;q=0.5", Language::Ja),
            ("java", Language::En),
            ("ja;q=0", Language::En),
            ("zh-CN,zh;q=0.9,en;q=0.8", Language::ZhHans),
            ("zh-Hans-SG", Language::ZhHans),
            ("zh-TW,ja;q=0.8", Language::Ja),
            ("zh-Hant-HK", Language::En),
            ("ko-KR", Language::Ko),
            ("vi", Language::Vi),
            ("pt-BR,pt;q=0.9", Language::Pt),
            ("es-419,es;q=0.9", Language::Es),
            ("est", Language::En),
        ] {
            assert_eq!(Language::negotiate(header), language, "{header}");
        }
    }
}
