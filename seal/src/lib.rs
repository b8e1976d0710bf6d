//! Authenticated encryption (XChaCha20-Poly1305), and the randomness for keys and nonces. It is a separate crate because generic code is
//! compiled where it is used: this way, optimising only this crate makes encryption of pictures fast in development builds.

use chacha20poly1305::{
    XChaCha20Poly1305, XNonce,
    aead::{Aead, AeadInOut, KeyInit, Payload},
};
use rand::{TryRng, rngs::SysRng};

/// The first byte of all encrypted data: identifies the cipher and the layout `format | nonce | ciphertext and tag`.
const FORMAT: u8 = 1;
const NONCE: usize = 24;
const TAG: usize = 16;

/// Why bytes were not encrypted or decrypted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// The operating system provides no randomness.
    #[error("no randomness: {0}")]
    NoRandomness(String),
    /// More than the cipher encrypts with one nonce (256 GiB).
    #[error("too long to encrypt")]
    TooLong,
    /// Encrypted by another version of this program.
    #[error("encrypted data of an unknown format")]
    UnknownFormat,
    /// Changed, cut off, encrypted with another key or for another place.
    #[error("encrypted data cannot be decrypted")]
    Broken,
}

/// Encrypts `plain` with a random nonce, bound to `associated_data`.
///
/// # Errors
/// If there is no randomness, or `plain` is too long.
pub fn encrypt(key: &[u8; 32], plain: &[u8], associated_data: &[u8]) -> Result<Vec<u8>, SealError> {
    let nonce = random::<NONCE>()?;
    // Encrypted where it is returned: a picture is copied only once.
    let mut sealed = Vec::with_capacity(1 + NONCE + plain.len() + TAG);
    sealed.push(FORMAT);
    sealed.extend_from_slice(&nonce);
    sealed.extend_from_slice(plain);
    let (_, message) = sealed.split_at_mut(1 + NONCE);
    let tag = XChaCha20Poly1305::new(&(*key).into())
        .encrypt_inout_detached(&XNonce::from(nonce), associated_data, message.into())
        .map_err(|_| SealError::TooLong)?;
    sealed.extend_from_slice(&tag);
    Ok(sealed)
}

/// Decrypts what [`encrypt`] made with the same key and associated data.
///
/// # Errors
/// [`SealError::UnknownFormat`] by its first byte, [`SealError::Broken`] otherwise.
pub fn decrypt(key: &[u8; 32], sealed: &[u8], associated_data: &[u8]) -> Result<Vec<u8>, SealError> {
    let (&[format], rest) = sealed.split_first_chunk::<1>().ok_or(SealError::Broken)?;
    if format != FORMAT {
        return Err(SealError::UnknownFormat);
    }
    let (nonce, ciphertext) = rest.split_first_chunk::<NONCE>().ok_or(SealError::Broken)?;
    let payload = Payload {
        msg: ciphertext,
        aad: associated_data,
    };
    XChaCha20Poly1305::new(&(*key).into())
        .decrypt(&XNonce::from(*nonce), payload)
        .map_err(|_| SealError::Broken)
}

/// Bytes from the operating system's generator.
///
/// # Errors
/// If it provides none.
pub fn random<const N: usize>() -> Result<[u8; N], SealError> {
    let mut bytes = [0; N];
    SysRng
        .try_fill_bytes(&mut bytes)
        .map_err(|error| SealError::NoRandomness(error.to_string()))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KEY: [u8; 32] = [7; 32];

    /// draft-irtf-cfrg-xchacha-03, appendix A.3.1.
    #[test]
    fn the_published_example_is_decrypted() {
        let key: [u8; 32] = std::array::from_fn(|at| 0x80 + at as u8);
        let associated_data = [0x50, 0x51, 0x52, 0x53, 0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7];
        let nonce: [u8; NONCE] = std::array::from_fn(|at| 0x40 + at as u8);
        let plain = b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.";
        let ciphertext = concat!(
            "bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb",
            "731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6708c54c216cb96b72e1213b452",
            "2f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff9",
            "21f9664c97637da9768812f615c68b13b52e",
            "c0875924c1c7987947deafd8780acf49",
        );
        let bytes = (0..ciphertext.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&ciphertext[at..at + 2], 16).unwrap());
        let sealed: Vec<u8> = std::iter::once(FORMAT).chain(nonce).chain(bytes).collect();
        assert_eq!(decrypt(&key, &sealed, &associated_data).unwrap(), plain);
    }

    proptest! {
        #[test]
        fn data_is_decrypted_with_its_key_and_in_its_place_only(
            plain in prop::collection::vec(any::<u8>(), 0..200), changed in any::<prop::sample::Index>(), bit in 0..8_u8
        ) {
            let mut sealed = encrypt(&KEY, &plain, b"here").unwrap();
            prop_assert_eq!(sealed.len(), 1 + NONCE + plain.len() + TAG);
            prop_assert_eq!(&decrypt(&KEY, &sealed, b"here").unwrap(), &plain);
            prop_assert_eq!(decrypt(&[8; 32], &sealed, b"here"), Err(SealError::Broken));
            prop_assert_eq!(decrypt(&KEY, &sealed, b"there"), Err(SealError::Broken));
            prop_assert_eq!(decrypt(&KEY, &sealed[..changed.index(sealed.len())], b"here"), Err(SealError::Broken));
            let at = changed.index(sealed.len());
            sealed[at] ^= 1 << bit;
            let expected = if at == 0 { SealError::UnknownFormat } else { SealError::Broken };
            prop_assert_eq!(decrypt(&KEY, &sealed, b"here"), Err(expected));
        }
    }

    #[test]
    fn equal_data_is_encrypted_differently_each_time() {
        assert_ne!(
            encrypt(&KEY, b"name", b"").unwrap(),
            encrypt(&KEY, b"name", b"").unwrap()
        );
    }
}
