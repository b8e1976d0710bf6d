//! API keys: `hn_live_` or `hn_test_`, 160 random bits, and a checksum that lets scanners recognise keys and reveals typing
//! errors.

use crate::runtime::random::Random;
use domain::{secret::Secret, tenant::Mode};
use sha2::{Digest, Sha256};

/// Lengths of the random part and of the checksum behind it, in bytes.
const RANDOM_BYTES: usize = 20;
const CHECKSUM_BYTES: usize = 3;
/// Characters of a key that may be shown again: the prefix and the first four digits.
const PREFIX_LENGTH: usize = "hn_live_".len() + 4;

const fn kind(mode: Mode) -> &'static str {
    match mode {
        Mode::Live => "hn_live_",
        Mode::Sandbox => "hn_test_",
    }
}

/// A new key, to be shown once.
#[must_use]
pub fn generate(random: &dyn Random, mode: Mode) -> Secret<String> {
    let mut bytes = [0; RANDOM_BYTES];
    random.fill(&mut bytes);
    let body = format!("{}{}", kind(mode), hex::encode(bytes));
    let sum = checksum(&body);
    Secret::new(format!("{body}{sum}"))
}

fn checksum(body: &str) -> String {
    hex::encode(&Sha256::digest(body.as_bytes())[..CHECKSUM_BYTES])
}

/// Whether `text` has the form and checksum of a key. Anything else is refused without a look-up.
#[must_use]
pub fn is_well_formed(text: &str) -> bool {
    let of = |mode| text.strip_prefix(kind(mode));
    let Some(digits) = of(Mode::Live).or_else(|| of(Mode::Sandbox)) else {
        return false;
    };
    let exact = digits.len() == 2 * (RANDOM_BYTES + CHECKSUM_BYTES)
        && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    exact && {
        let (body, sum) = text.split_at(text.len() - 2 * CHECKSUM_BYTES);
        checksum(body) == sum
    }
}

/// What is stored of a key. 160 random bits need no slow hash.
#[must_use]
pub fn hash(key: &str) -> Vec<u8> {
    Sha256::digest(key.as_bytes()).to_vec()
}

/// The part that distinguishes keys for people.
#[must_use]
pub fn prefix(key: &str) -> String {
    key.chars().take(PREFIX_LENGTH).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::random::SeededRandom;

    #[test]
    fn a_key_tells_its_kind_and_fits_its_checksum() {
        let random = SeededRandom::new(7);
        for (mode, start) in [(Mode::Live, "hn_live_"), (Mode::Sandbox, "hn_test_")] {
            let key = generate(&random, mode);
            assert!(key.expose().starts_with(start) && is_well_formed(key.expose()));
            assert!(prefix(key.expose()).len() == 12 && key.expose().starts_with(&prefix(key.expose())));
        }
    }

    #[test]
    fn a_changed_character_is_noticed() {
        let key = generate(&SeededRandom::new(7), Mode::Live);
        for at in 0..key.expose().len() {
            let mut changed = key.expose().clone().into_bytes();
            changed[at] = if changed[at] == b'0' { b'1' } else { b'0' };
            let changed = String::from_utf8(changed).unwrap();
            assert!(!is_well_formed(&changed), "{changed}");
        }
    }
}
