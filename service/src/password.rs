//! Passwords of people of the console: argon2id on the blocking pool, a few at a time. The rule is length alone.

use argon2::{
    Argon2,
    password_hash::{PasswordHasher, PasswordVerifier, phc::PasswordHash},
};
use domain::secret::Secret;
use tokio::sync::Semaphore;

/// Shortest password, in characters.
pub const LEAST: usize = 15;
/// Longest password, in bytes: more costs time and says nothing.
const MOST: usize = 1024;
/// Hashes at a time: each takes 19 MiB and a core.
static SLOTS: Semaphore = Semaphore::const_new(4);
/// Compared where there is no such account, so that it takes as long: today's cost, no password's hash.
const NOBODY: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// What is wrong with a new password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadPassword {
    /// Fewer than [`LEAST`] characters.
    #[error("must have at least 15 characters")]
    TooShort,
    /// More than fits.
    #[error("must have at most 1024 bytes")]
    TooLong,
    /// One or two characters over and over.
    #[error("must not repeat the same characters over and over")]
    Monotonous,
}

/// Judges a new password.
///
/// # Errors
/// [`BadPassword`].
pub fn check(password: &str) -> Result<(), BadPassword> {
    if password.len() > MOST {
        return Err(BadPassword::TooLong);
    }
    if password.chars().count() < LEAST {
        return Err(BadPassword::TooShort);
    }
    let mut different: Vec<char> = password.chars().collect();
    different.sort_unstable();
    different.dedup();
    if different.len() < 4 {
        Err(BadPassword::Monotonous)
    } else {
        Ok(())
    }
}

/// The PHC string to store. Empty without randomness or memory: it verifies nothing, and `store::users` refuses to keep it, so that
/// whatever the password was for fails.
pub(crate) async fn hash(password: Secret<String>) -> String {
    work(move || {
        Argon2::default()
            .hash_password(password.expose().as_bytes())
            .map(|phc| phc.to_string())
            .ok()
    })
    .await
    .flatten()
    .unwrap_or_default()
}

/// Whether `password` is that of `stored`; `None` takes as long and is never right.
pub(crate) async fn verify(password: Secret<String>, stored: Option<String>) -> bool {
    work(move || {
        let phc = stored.as_deref().unwrap_or(NOBODY);
        let given = &password.expose().as_bytes()[..password.expose().len().min(MOST)];
        let same = PasswordHash::new(phc).is_ok_and(|phc| Argon2::default().verify_password(given, &phc).is_ok());
        same && stored.is_some() && password.expose().len() <= MOST
    })
    .await
    .unwrap_or(false)
}

async fn work<T: Send + 'static>(job: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let _slot = SLOTS.acquire().await.ok()?;
    tokio::task::spawn_blocking(job).await.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_length_and_variety_count() {
        assert_eq!(check("Tr0ub4dor&3"), Err(BadPassword::TooShort));
        assert_eq!(check("aaaaaaaaaaaaaaaaaaaa"), Err(BadPassword::Monotonous));
        assert_eq!(check(&"abcd".repeat(300)), Err(BadPassword::TooLong));
        assert_eq!(check("correct horse battery"), Ok(()));
        assert_eq!(check("あさひがのぼるやまのふもとのいえ"), Ok(()));
    }

    #[tokio::test]
    async fn a_password_opens_its_own_hash_only() {
        let stored = hash(Secret::new("correct horse battery".into())).await;
        assert!(verify(Secret::new("correct horse battery".into()), Some(stored.clone())).await);
        assert!(!verify(Secret::new("correct horse batterz".into()), Some(stored)).await);
        assert!(!verify(Secret::new("correct horse battery".into()), Some(String::new())).await);
        assert!(!verify(Secret::new(String::new()), None).await);
    }

    #[test]
    fn nobodys_hash_costs_what_a_new_one_does() {
        let phc = PasswordHash::new(NOBODY).unwrap();
        let fresh = Argon2::default().hash_password(b"correct horse battery").unwrap();
        assert_eq!(phc.params.to_string(), fresh.params.to_string());
    }
}
