//! Finds folders next to the program if they are not where the settings say: in a release, and in a build folder.

use std::path::{Path, PathBuf};

/// The first existing folder of the site: as configured, or beside the program.
#[must_use]
pub(crate) fn site(configured: &Path) -> PathBuf {
    or(configured, &["site", "../site"])
}

/// `configured` if it exists, otherwise the first existing one of `others`, relative to the program's folder.
pub(crate) fn or(configured: &Path, others: &[&str]) -> PathBuf {
    let program = std::env::current_exe().ok();
    let folder = program.as_deref().and_then(Path::parent);
    let found = folder.and_then(|folder| others.iter().map(|other| folder.join(other)).find(|path| path.is_dir()));
    match found {
        Some(found) if !configured.is_dir() => found,
        _ => configured.to_owned(),
    }
}
