//! The lock file: which model files exist and what they hash to. A file is read whole, hashed, and only then used.

use super::ModelError;
use domain::findings::ModelHash;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::path::Path;

const LOCK: &str = include_str!("../../models.lock");

#[derive(Deserialize)]
struct Lock {
    package: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    files: Vec<Pinned>,
}

#[derive(Deserialize)]
struct Pinned {
    name: String,
    sha256: String,
}

/// The pinned hashes by file name.
pub(crate) struct Pins(Vec<Pinned>);

impl Pins {
    /// The lock file this crate was built with.
    pub(crate) fn built_in() -> Result<Self, ModelError> {
        let lock: Lock =
            toml::from_str(LOCK).map_err(|e| ModelError::Unusable("models.lock".to_owned(), e.to_string()))?;
        Ok(Self(
            lock.package.into_iter().flat_map(|package| package.files).collect(),
        ))
    }

    fn sha256(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|pinned| pinned.name == name)
            .map(|pinned| pinned.sha256.as_str())
    }

    /// Reads a file and checks it.
    pub(crate) fn read(&self, dir: &Path, name: &str) -> Result<Vec<u8>, ModelError> {
        let wanted = self.sha256(name).ok_or_else(|| ModelError::Missing(name.to_owned()))?;
        let bytes = std::fs::read(dir.join(name)).map_err(|_| ModelError::Missing(name.to_owned()))?;
        if hex::encode(Sha256::digest(&bytes)) != wanted {
            return Err(ModelError::Altered(name.to_owned()));
        }
        Ok(bytes)
    }

    /// The pinned hashes of these files, for the findings.
    pub(crate) fn hashes(&self, names: &[&str]) -> Vec<ModelHash> {
        let hash = |name: &&str| {
            self.sha256(name).map(|h| ModelHash {
                name: (*name).to_owned(),
                sha256: h.to_owned(),
            })
        };
        names.iter().filter_map(hash).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_and_an_altered_file_are_told_apart() {
        let dir = std::env::temp_dir().join(format!("vision-lock-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let pins = Pins::built_in().unwrap();
        let name = "tiny_face_detector_model.bin";
        assert_eq!(pins.read(&dir, name), Err(ModelError::Missing(name.to_owned())));
        std::fs::write(dir.join(name), b"not the weights").unwrap();
        assert_eq!(pins.read(&dir, name), Err(ModelError::Altered(name.to_owned())));
        assert_eq!(
            pins.read(&dir, "../Cargo.toml"),
            Err(ModelError::Missing("../Cargo.toml".to_owned()))
        );
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
