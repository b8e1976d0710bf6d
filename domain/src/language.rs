//! The languages of the pages.

use crate::document::vocabulary;

vocabulary! {
    /// A supported language.
    Language {
        /// English.
        En = "en",
        /// Japanese.
        Ja = "ja",
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
            let language = Self::ALL
                .iter()
                .find(|l| tag == l.as_str() || tag.starts_with(&format!("{l}-")));
            if let Some(&language) = language
                && weight > best.0
            {
                best = (weight, language);
            }
        }
        best.1
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
        ] {
            assert_eq!(Language::negotiate(header), language, "{header}");
        }
    }
}
