//! Bearer tokens: shown once, stored as their SHA-256. Used for one-time links, capture cookies and set-up links.

use crate::runtime::random::Random;
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use domain::secret::Secret;
use sha2::{Digest, Sha256};

/// 256 random bits, so that none can be guessed.
const BYTES: usize = 32;

/// A new token of 43 URL-safe characters.
#[must_use]
pub fn generate(random: &dyn Random) -> Secret<String> {
    let mut bytes = [0; BYTES];
    random.fill(&mut bytes);
    Secret::new(URL_SAFE_NO_PAD.encode(bytes))
}

/// What is stored of a token.
#[must_use]
pub fn hash(token: &str) -> Vec<u8> {
    Sha256::digest(token.as_bytes()).to_vec()
}

/// A text that could not be a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAToken;

/// The hash of a token that somebody presents.
///
/// # Errors
/// [`NotAToken`].
pub(crate) fn hash_presented(text: &str) -> Result<Vec<u8>, NotAToken> {
    if is_well_formed(text) {
        Ok(hash(text))
    } else {
        Err(NotAToken)
    }
}

/// Whether `text` could be a token; anything else needs no look-up.
#[must_use]
pub fn is_well_formed(text: &str) -> bool {
    text.len() == 43
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::random::SeededRandom;

    #[test]
    fn a_token_is_well_formed_and_each_is_another() {
        let random = SeededRandom::new(1);
        let (a, b) = (generate(&random), generate(&random));
        assert!(is_well_formed(a.expose()) && is_well_formed(b.expose()));
        assert_eq!(hash_presented(a.expose()), Ok(hash(a.expose())));
        assert_ne!(a, b);
        assert_eq!(hash(a.expose()).len(), 32);
    }

    #[test]
    fn other_texts_are_not() {
        for bad in [
            "",
            "short",
            &"a".repeat(44),
            &format!("{}/", "a".repeat(42)),
            &"é".repeat(21),
        ] {
            assert!(!is_well_formed(bad) && hash_presented(bad).is_err(), "{bad}");
        }
    }
}
