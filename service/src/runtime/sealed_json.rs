//! Encrypted JSON: personal values are stored and loaded only through here.

use domain::secret::Personal;
use serde::{Serialize, de::DeserializeOwned};
use store::{
    StoreError,
    vault::{AssociatedData, SessionKey},
};

/// Encrypts a value as JSON.
///
/// # Errors
/// If the operating system provides no randomness.
pub(crate) fn seal_json<T: Serialize>(
    key: &SessionKey,
    associated_data: &AssociatedData<'_>,
    value: &T,
) -> Result<Vec<u8>, StoreError> {
    let json = serde_json::to_vec(value).map_err(|_| StoreError::Corrupt("a value that is not JSON"))?;
    key.seal(associated_data, &json)
}

/// Decrypts what [`seal_json`] made.
///
/// # Errors
/// [`StoreError::Corrupt`] if it was tampered with or moved, or does not parse.
pub(crate) fn open_json<T: DeserializeOwned>(
    key: &SessionKey,
    associated_data: &AssociatedData<'_>,
    sealed: &[u8],
) -> Result<Personal<T>, StoreError> {
    let json = key.open(associated_data, sealed)?;
    serde_json::from_slice(json.expose())
        .map(Personal::new)
        .map_err(|_| StoreError::Corrupt("encrypted JSON that does not parse"))
}

/// Decrypts a column that may be empty.
///
/// # Errors
/// As [`open_json`].
pub(crate) fn open_column<T: DeserializeOwned>(
    key: &SessionKey,
    associated_data: &AssociatedData<'_>,
    sealed: Option<&Vec<u8>>,
) -> Result<Option<Personal<T>>, StoreError> {
    sealed.map(|sealed| open_json(key, associated_data, sealed)).transpose()
}
