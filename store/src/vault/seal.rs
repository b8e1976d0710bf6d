//! Encrypts bytes so that they can be decrypted only with their key and only in the place that they are bound to.

use super::{
    DataKeyId,
    associated_data::{AssociatedData, context},
};
use crate::StoreError;
use ::seal::SealError;
use domain::secret::Personal;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::sync::Arc;
use zeroize::Zeroizing;

/// Context of the fingerprint key.
const FINGERPRINTS: &[u8] = b"honnin/fingerprints/1";

/// A 256-bit key, wiped from memory when its last holder is dropped.
pub(super) type RawKey = Arc<Zeroizing<[u8; 32]>>;

/// The key of one session's personal data. `Debug` prints nothing of it.
#[derive(Clone)]
pub struct SessionKey {
    pub(super) id: DataKeyId,
    pub(super) key: RawKey,
}

impl SessionKey {
    /// The id of this key, which the session's row stores.
    #[must_use]
    pub const fn id(&self) -> &DataKeyId {
        &self.id
    }

    /// Encrypts `plain`, bound to `associated_data`.
    ///
    /// # Errors
    /// If the operating system provides no randomness.
    pub fn seal(&self, associated_data: &AssociatedData<'_>, plain: &[u8]) -> Result<Vec<u8>, StoreError> {
        seal(&self.key, plain, &associated_data.bytes(&self.id))
    }

    /// Decrypts what [`SessionKey::seal`] made with the same associated data.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if it was tampered with, moved, or encrypted with another key.
    pub fn open(&self, associated_data: &AssociatedData<'_>, sealed: &[u8]) -> Result<Personal<Vec<u8>>, StoreError> {
        open(&self.key, sealed, &associated_data.bytes(&self.id)).map(Personal::new)
    }

    /// Encrypts a text, bound to `associated_data`.
    ///
    /// # Errors
    /// If the operating system provides no randomness.
    pub fn seal_text(
        &self,
        associated_data: &AssociatedData<'_>,
        plain: &Personal<String>,
    ) -> Result<Vec<u8>, StoreError> {
        self.seal(associated_data, plain.expose().as_bytes())
    }

    /// Decrypts a text.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if it was tampered with, moved, encrypted with another key, or is not text.
    pub fn open_text(
        &self,
        associated_data: &AssociatedData<'_>,
        sealed: &[u8],
    ) -> Result<Personal<String>, StoreError> {
        let plain = open(&self.key, sealed, &associated_data.bytes(&self.id))?;
        String::from_utf8(plain)
            .map(Personal::new)
            .map_err(|_| StoreError::Corrupt("encrypted data is not text"))
    }

    /// The key of this one's fingerprints, for several of them. It is derived from this one, so that the cipher's key is used by the cipher alone.
    #[must_use]
    pub fn fingerprints(&self) -> FingerprintKey {
        FingerprintKey(Zeroizing::new(hmac(&self.key, FINGERPRINTS)))
    }

    /// The [fingerprint](FingerprintKey::of) of `parts`, for a single one.
    #[must_use]
    pub fn fingerprint(&self, parts: &[&str]) -> [u8; 32] {
        self.fingerprints().of(parts)
    }
}

/// The key of fingerprints that is derived from a data key.
pub struct FingerprintKey(Zeroizing<[u8; 32]>);

impl FingerprintKey {
    /// A fingerprint that recognises `parts` and reveals nothing without the key: HMAC-SHA256.
    #[must_use]
    pub fn of(&self, parts: &[&str]) -> [u8; 32] {
        let parts: Vec<&[u8]> = parts.iter().map(|part| part.as_bytes()).collect();
        hmac(&self.0, &context(&parts))
    }
}

impl std::fmt::Debug for SessionKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SessionKey({})", self.id)
    }
}

/// HMAC-SHA256 (RFC 2104): a key shorter than a block of the hash is padded with zeros.
fn hmac(key: &[u8; 32], message: &[u8]) -> [u8; 32] {
    let mut block = Zeroizing::new([0; 64]);
    block[..32].copy_from_slice(key);
    let mut mac = <Hmac<Sha256> as KeyInit>::new(&(*block).into());
    mac.update(message);
    mac.finalize().into_bytes().into()
}

pub(super) fn seal(key: &RawKey, plain: &[u8], context: &[u8]) -> Result<Vec<u8>, StoreError> {
    ::seal::encrypt(key, plain, context).map_err(of_seal)
}

pub(super) fn open(key: &RawKey, sealed: &[u8], context: &[u8]) -> Result<Vec<u8>, StoreError> {
    ::seal::decrypt(key, sealed, context).map_err(of_seal)
}

/// Bytes from the operating system's generator.
pub(super) fn random<const N: usize>() -> Result<[u8; N], StoreError> {
    ::seal::random().map_err(of_seal)
}

fn of_seal(error: SealError) -> StoreError {
    match error {
        SealError::NoRandomness(_) => StoreError::unavailable(error),
        SealError::TooLong => StoreError::Corrupt("too long to encrypt"),
        SealError::UnknownFormat => StoreError::Corrupt("encrypted data of an unknown format"),
        SealError::Broken => StoreError::Corrupt("encrypted data cannot be decrypted"),
    }
}
