//! Passwords of console users: argon2id on the blocking pool, a few at a time. A password has to be long and not easy to
//! guess (NIST SP 800-63B-4, 3.1.1.2); there are no composition rules.

use argon2::{
    Argon2,
    password_hash::{PasswordHasher, PasswordVerifier, phc::PasswordHash},
};
use domain::secret::Secret;
use sha2::{Digest, Sha256};
use store::StoreError;
use tokio::sync::Semaphore;

/// Minimum length, in characters.
pub const LEAST: usize = 15;
/// Maximum length, in bytes: longer ones cost time without adding security.
pub const MAX_BYTES: usize = 1024;
/// Minimum number of guesses, as estimated by the crate `zxcvbn`, for an attacker who first tries common passwords, words,
/// keyboard patterns, dates, repetitions and what they know about the person. 10^12 hashes as below take 800 years on one core.
/// Measured: of 51 passwords that satisfy the length alone (`passwordpassword`, `Welcome123456789`, ..) 47 take fewer;
/// sentences of four common words take 10^13.8 and more.
const LEAST_GUESSES: u64 = 1_000_000_000_000;
/// Concurrent hashes: each takes 19 MiB and a core.
const MAX_AT_ONCE: usize = 4;
static SLOTS: Semaphore = Semaphore::const_new(MAX_AT_ONCE);
/// Known about every installation.
const PRODUCT: &str = "honnin";
/// Compared if there is no such account, so that it takes as long: the current cost, but the hash of no password.
const NOBODY: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// What is wrong with a new password, as a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadPassword {
    /// Fewer than [`LEAST`] characters.
    #[error("The password must have at least {LEAST} characters.")]
    TooShort,
    /// More than [`MAX_BYTES`] bytes.
    #[error("The password must be at most {MAX_BYTES} bytes.")]
    TooLong,
    /// Easy to guess.
    #[error(
        "The password is easy to guess: it is common, repetitive, a keyboard pattern, or based on your name or address. \
         Use a sentence of your own."
    )]
    Guessable,
    /// Among the leaked ones that are tried first.
    #[error("The password has appeared in a data breach. Use a sentence of your own.")]
    Leaked,
    /// Whatever it is: people sign in with the provider only.
    #[error("Passwords are not used here.")]
    Unused,
}

/// Sorted prefixes of the SHA-256 of the long ones among the million most used leaked passwords, in lower case; made by
/// `cargo xtask passwords`. Nothing is asked of a service on the Internet (NIST SP 800-63B-4, 3.1.1.2: a blocklist).
const LEAKED: &[[u8; PREFIX]] = include_bytes!("leaked_passwords.bin").as_chunks().0;
/// Bytes of a prefix.
const PREFIX: usize = 8;

fn is_leaked(password: &str) -> bool {
    let hash = Sha256::digest(password.to_lowercase());
    hash.first_chunk()
        .is_some_and(|prefix: &[u8; PREFIX]| LEAKED.binary_search(prefix).is_ok())
}

/// Checks a new password of a person about whom `known` is known: their name, address, organisation.
///
/// # Errors
/// [`BadPassword`].
pub fn check(password: &str, known: &[&str]) -> Result<(), BadPassword> {
    if password.len() > MAX_BYTES {
        return Err(BadPassword::TooLong);
    }
    if password.chars().count() < LEAST {
        return Err(BadPassword::TooShort);
    }
    let parts = known
        .iter()
        .flat_map(|text| text.split(|letter: char| !letter.is_alphanumeric()));
    let known: Vec<&str> = known.iter().copied().chain(parts).chain([PRODUCT]).collect();
    if zxcvbn::zxcvbn(password, &known).guesses() < LEAST_GUESSES {
        return Err(BadPassword::Guessable);
    }
    if is_leaked(password) {
        return Err(BadPassword::Leaked);
    }
    Ok(())
}

/// The PHC string to store.
///
/// # Errors
/// [`StoreError::Unavailable`] if randomness or memory is lacking.
pub(crate) async fn hash(password: Secret<String>) -> Result<String, StoreError> {
    let hashed = work(move || {
        Argon2::default()
            .hash_password(password.expose().as_bytes())
            .map(|phc| phc.to_string())
    });
    hashed.await?.map_err(StoreError::unavailable)
}

/// Whether `password` matches `stored`; `None` takes as long and never matches.
///
/// # Errors
/// If it could not be compared.
pub(crate) async fn verify(password: Secret<String>, stored: Option<String>) -> Result<bool, StoreError> {
    let compared = work(move || {
        let phc = stored.as_deref().unwrap_or(NOBODY);
        let given = &password.expose().as_bytes()[..password.expose().len().min(MAX_BYTES)];
        let same = PasswordHash::new(phc).is_ok_and(|phc| Argon2::default().verify_password(given, &phc).is_ok());
        same && stored.is_some() && password.expose().len() <= MAX_BYTES
    });
    compared.await
}

/// Runs a job as soon as there is a slot. A job that has begun cannot be ended, so it keeps its slot even if its caller goes away: hanging up
/// after each request must not lead to more jobs at a time.
async fn work<T: Send + 'static>(job: impl FnOnce() -> T + Send + 'static) -> Result<T, StoreError> {
    let slot = SLOTS.acquire().await.map_err(StoreError::unavailable)?;
    let job = tokio::task::spawn_blocking(move || {
        let _slot = slot;
        job()
    });
    job.await.map_err(|_| StoreError::Panicked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    const RITA: [&str; 3] = ["rita.hayes@shop.example", "Rita Hayes", "Example Shop"];

    #[test]
    fn length_and_being_hard_to_guess_count_and_kinds_of_characters_do_not() {
        for (password, judged) in [
            ("Tr0ub4dor&3", Err(BadPassword::TooShort)),
            ("correct horse", Err(BadPassword::TooShort)),
            ("correct horse battery", Ok(())),
            ("tuesday is for pancakes", Ok(())),
            ("7 apples and a pear", Ok(())),
            ("kx9vq2llm4tz7pw", Ok(())),
            ("あさひがのぼるやまのふもとのいえ", Ok(())),
        ] {
            assert_eq!(check(password, &RITA), judged, "{password}");
        }
        assert_eq!(check(&"abcd ".repeat(300), &RITA), Err(BadPassword::TooLong));
    }

    #[test]
    fn what_anybody_would_try_first_is_refused_however_long() {
        for guess in [
            "passwordpassword",
            "PasswordPassword",
            "Password12345678",
            "P@ssw0rdP@ssw0rd",
            "letmeinletmeinletmein",
            "iloveyouiloveyou",
            "administrator2026",
            "Welcome123456789",
            "SummerSummer2024",
            "qwertyuiopasdfghjkl",
            "1qaz2wsx3edc4rfv",
            "123456789012345",
            "0123456789abcdef",
            "abcdefghijklmnop",
            "aaaaaaaaaaaaaaaaaaaa",
            "abc123abc123abc123",
            "rita.hayes@shop.example",
            "RitaHayes1234567",
            "rita hayes rita hayes",
            "Example Shop 2026",
            "honninhonninhonnin",
            "Honnin2026!!!!!",
            "honnin-password-1",
        ] {
            assert_eq!(check(guess, &RITA), Err(BadPassword::Guessable), "{guess}");
        }
        assert_eq!(check("Zbigniew Oyelaran 7", &RITA), Ok(()), "not this person's name");
        let him = ["zbigniew@shop.example", "Zbigniew Oyelaran"];
        assert_eq!(check("Zbigniew Oyelaran 7", &him), Err(BadPassword::Guessable));
    }

    #[test]
    fn what_leaked_elsewhere_is_refused_however_random_and_whatever_its_case() {
        for leaked in ["ZMNh9UDdFJYIEbL5A3", "yTARImElAHEW735", "YTARIMELAHEW735"] {
            assert_eq!(check(leaked, &RITA), Err(BadPassword::Leaked), "{leaked}");
        }
        assert!(LEAKED.is_sorted() && LEAKED.len() > 9_000);
    }

    #[tokio::test]
    async fn a_password_opens_its_own_hash_only() {
        let stored = hash(Secret::new("correct horse battery".into())).await.unwrap();
        let opens = async |password: &str, stored| verify(Secret::new(password.into()), stored).await.unwrap();
        assert!(opens("correct horse battery", Some(stored.clone())).await);
        assert!(!opens("correct horse batterz", Some(stored)).await);
        assert!(!opens("correct horse battery", Some(String::new())).await);
        assert!(!opens("", None).await);
    }

    /// Otherwise the time would tell which addresses have an account.
    #[tokio::test]
    async fn a_password_for_no_account_waits_for_its_turn_to_be_hashed_like_any_other() {
        let all = u32::try_from(MAX_AT_ONCE).unwrap();
        let taken = SLOTS.acquire_many(all).await.unwrap();
        let mut compared = Box::pin(verify(Secret::new("correct horse battery".into()), None));
        assert!(futures::poll!(&mut compared).is_pending());
        drop(taken);
        assert!(!compared.await.unwrap());
    }

    #[tokio::test]
    async fn a_caller_that_hangs_up_frees_no_slot() {
        let (begun, mut seen) = tokio::sync::mpsc::unbounded_channel();
        let gate = Arc::new(tokio::sync::Mutex::new(()));
        let closed = gate.lock().await;
        let calls: Vec<_> = (0..MAX_AT_ONCE)
            .map(|_| {
                let (begun, gate) = (begun.clone(), Arc::clone(&gate));
                tokio::spawn(work(move || {
                    begun.send(()).unwrap();
                    drop(gate.blocking_lock());
                }))
            })
            .collect();
        for call in &calls {
            seen.recv().await.unwrap();
            assert!(!call.is_finished());
        }
        for call in calls {
            call.abort();
            assert!(call.await.unwrap_err().is_cancelled());
        }
        let mut next = Box::pin(work(|| ()));
        assert!(futures::poll!(&mut next).is_pending());
        assert_eq!(SLOTS.available_permits(), 0, "their jobs still run");
        drop(closed);
        next.await.unwrap();
    }

    #[test]
    fn nobodys_hash_costs_what_a_new_one_does() {
        let phc = PasswordHash::new(NOBODY).unwrap();
        let fresh = Argon2::default().hash_password(b"correct horse battery").unwrap();
        assert_eq!(phc.params.to_string(), fresh.params.to_string());
    }
}
