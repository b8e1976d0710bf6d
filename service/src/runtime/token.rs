//! Bearer tokens: shown once, stored as their SHA-256. Used for one-time links, capture cookies and set-up links.

use crate::runtime::random::Random;
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use domain::{secret::Secret, time::Timestamp};
use sha2::{Digest, Sha256};

/// 256 random bits, so that none can be guessed.
const BYTES: usize = 32;
/// Characters of a token.
const LENGTH: usize = 43;
/// Characters of the time before a dated one: six bytes.
const DATE: usize = 8;

/// A new token of 43 URL-safe characters.
#[must_use]
pub fn generate(random: &dyn Random) -> Secret<String> {
    let mut bytes = [0; BYTES];
    random.fill(&mut bytes);
    Secret::new(URL_SAFE_NO_PAD.encode(bytes))
}

/// The same after the time: 51 characters. What is stored of such tokens is in the order in which they are made, so that those that are made together
/// share a page of their index; of others, each has its own.
#[must_use]
pub fn generate_dated(random: &dyn Random, now: Timestamp) -> Secret<String> {
    let [_, _, date @ ..] = now.as_millis().to_be_bytes();
    let date = URL_SAFE_NO_PAD.encode(date);
    Secret::new(date + generate(random).expose())
}

/// What is stored of a token: its SHA-256, after the time of a dated one.
#[must_use]
pub fn hash(token: &str) -> Vec<u8> {
    let mut stored = date_of(token).unwrap_or_default();
    stored.extend_from_slice(&Sha256::digest(token.as_bytes()));
    stored
}

/// The time that a dated token begins with.
fn date_of(token: &str) -> Option<Vec<u8>> {
    let (date, random) = token.split_at_checked(DATE)?;
    if random.len() != LENGTH {
        return None;
    }
    URL_SAFE_NO_PAD.decode(date).ok()
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
    text.len() == LENGTH
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
    fn what_is_stored_of_dated_tokens_is_in_the_order_of_their_times() {
        let random = SeededRandom::new(1);
        let of = |millis| generate_dated(&random, Timestamp::from_millis(millis));
        let tokens = [0, 1, 255, 256, 1_785_663_000_000, 1_785_663_000_001].map(of);
        let stored = tokens.each_ref().map(|token| hash(token.expose()));
        assert!(stored.is_sorted(), "{stored:?}");
        assert_eq!(stored[4][..6], 1_785_663_000_000_i64.to_be_bytes()[2..]);
        let token = tokens[4].expose();
        assert_eq!(stored[4][6..], Sha256::digest(token.as_bytes())[..]);
        let at_the_same_time = of(1_785_663_000_000);
        assert_ne!(&stored[4], &hash(at_the_same_time.expose()));
        let another_time = format!("{}{}", &tokens[5].expose()[..DATE], &token[DATE..]);
        assert_ne!(hash(&another_time)[6..], stored[4][6..], "the time is hashed as well");
        assert!(!is_well_formed(token), "only of links");
    }

    #[test]
    fn of_a_text_that_is_no_dated_token_there_is_a_hash_too() {
        for text in [
            "",
            "opened",
            &"é".repeat(25),
            &format!("========{}", "a".repeat(LENGTH)),
            &"é".repeat(26),
        ] {
            assert_eq!(hash(text), Sha256::digest(text.as_bytes()).to_vec(), "{text}");
        }
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
