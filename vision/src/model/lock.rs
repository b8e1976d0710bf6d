//! The lock file: which model files exist, and their hashes. A file is read completely and hashed before it is used.

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
    license: String,
    files: Vec<File>,
}

#[derive(Deserialize)]
struct File {
    name: String,
    sha256: String,
}

/// The pinned files.
pub(crate) struct Pins(Vec<ModelHash>);

impl Pins {
    /// The lock file this crate was built with.
    pub(crate) fn built_in() -> Result<Self, ModelError> {
        let lock: Lock =
            toml::from_str(LOCK).map_err(|e| ModelError::Unusable("models.lock".to_owned(), e.to_string()))?;
        let pinned = |package: Package| {
            let licence = package.license;
            package.files.into_iter().map(move |file| ModelHash {
                name: file.name,
                sha256: file.sha256,
                licence: licence.clone(),
            })
        };
        Ok(Self(lock.package.into_iter().flat_map(pinned).collect()))
    }

    fn find(&self, name: &str) -> Option<&ModelHash> {
        self.0.iter().find(|pinned| pinned.name == name)
    }

    /// Reads a file and checks it.
    pub(crate) fn read(&self, dir: &Path, name: &str) -> Result<Vec<u8>, ModelError> {
        let pinned = self.find(name).ok_or_else(|| ModelError::Missing(name.to_owned()))?;
        let bytes = std::fs::read(dir.join(name)).map_err(|error| ModelError::unread(name, &error))?;
        if hex::encode(Sha256::digest(&bytes)) != pinned.sha256 {
            return Err(ModelError::Altered(name.to_owned()));
        }
        Ok(bytes)
    }

    /// Hashes and licences of these files, for the findings.
    pub(crate) fn hashes(&self, names: &[&str]) -> Vec<ModelHash> {
        names.iter().filter_map(|name| self.find(name)).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_and_an_altered_file_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        let pins = Pins::built_in().unwrap();
        let name = "tiny_face_detector_model.bin";
        assert_eq!(pins.read(dir, name), Err(ModelError::Missing(name.to_owned())));
        std::fs::write(dir.join(name), b"not the weights").unwrap();
        assert_eq!(pins.read(dir, name), Err(ModelError::Altered(name.to_owned())));
        assert_eq!(
            pins.read(dir, "../Cargo.toml"),
            Err(ModelError::Missing("../Cargo.toml".to_owned()))
        );
    }

    #[test]
    fn a_file_that_is_there_and_cannot_be_read_is_not_called_missing() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        let name = "tiny_face_detector_model.bin";
        // A folder cannot be read as a file, by whomever.
        std::fs::create_dir_all(dir.join(name)).unwrap();
        let read = Pins::built_in().unwrap().read(dir, name);
        assert!(
            matches!(&read, Err(ModelError::Unusable(file, _)) if file == name),
            "{read:?}"
        );
    }
}
