//! Reading and writing files. All writes are synced, because a copy must survive a power cut.

use super::{BackupError, FileHash, at};
use crate::folders;
use sha2::{Digest, Sha256};
use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs::{self, File, OpenOptions},
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
};

/// Before each change to the disk or to a bucket.
pub(super) use interruption::reach;

/// The extension of a small file until it is whole.
pub(super) const STAGED: &str = "part";
/// A folder that many file systems have at their top, which only root may open: it is nobody's, so it is passed over.
const OF_THE_FILE_SYSTEM: &str = "lost+found";
/// Bytes read at a time.
const PIECE: usize = 1 << 16;

/// Creates a folder with those above it, durably and accessible to its owner only.
pub(super) fn create_folder(path: &Path) -> Result<(), BackupError> {
    reach(path)?;
    folders::create_durably(path).map_err(at(path))
}

/// Creates a file, or empties it, readable by its owner only.
pub(super) fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Copies a file and returns what was copied. Its name is durable once its folder is synced.
pub(super) fn copy(from: &Path, to: &Path) -> Result<FileHash, BackupError> {
    reach(to)?;
    let source = File::open(from).map_err(at(from))?;
    let mut target = create(to).map_err(at(to))?;
    let copied = pass((source, from), |piece| target.write_all(piece).map_err(at(to)))?;
    target.sync_all().map_err(at(to))?;
    Ok(copied)
}

/// The hash of a file.
pub(super) fn hash(path: &Path) -> Result<FileHash, BackupError> {
    let source = File::open(path).map_err(at(path))?;
    pass((source, path), |_| Ok(()))
}

/// Gives what is in a file to `to`, piece by piece. An error names the side that it is of.
fn pass(
    (mut source, from): (File, &Path),
    mut to: impl FnMut(&[u8]) -> Result<(), BackupError>,
) -> Result<FileHash, BackupError> {
    let (mut hash, mut bytes, mut piece) = (Sha256::new(), 0, vec![0; PIECE]);
    loop {
        let length = source.read(&mut piece).map_err(at(from))?;
        if length == 0 {
            break;
        }
        hash.update(&piece[..length]);
        bytes += length as u64;
        to(&piece[..length])?;
    }
    Ok(FileHash::of(hash, bytes))
}

/// A file that is small enough for memory, or `None` if it is missing.
pub(super) fn read_if_any(path: &Path) -> Result<Option<Vec<u8>>, BackupError> {
    match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        content => content.map(Some).map_err(at(path)),
    }
}

/// Writes a small file: whole or not at all.
pub(super) fn write(path: &Path, content: &[u8]) -> Result<(), BackupError> {
    reach(path)?;
    let staged = path.with_extension(STAGED);
    let mut file = create(&staged).map_err(at(&staged))?;
    file.write_all(content).map_err(at(&staged))?;
    file.sync_all().map_err(at(&staged))?;
    rename(&staged, path)
}

/// Makes what another program wrote durable.
pub(super) fn sync(path: &Path) -> Result<(), BackupError> {
    File::open(path).and_then(|file| file.sync_all()).map_err(at(path))
}

/// Renames a file and makes that durable.
pub(super) fn rename(from: &Path, to: &Path) -> Result<(), BackupError> {
    reach(to)?;
    fs::rename(from, to).map_err(at(to))?;
    sync_folder(to.parent().unwrap_or(to))
}

/// Makes the names in a folder durable.
pub(super) fn sync_folder(path: &Path) -> Result<(), BackupError> {
    folders::sync(path).map_err(at(path))
}

/// Removes a file that may not exist.
pub(super) fn remove(path: &Path) -> Result<(), BackupError> {
    reach(path)?;
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(at(path)(error)),
        _ => Ok(()),
    }
}

/// Removes a folder with everything in it; it may not exist.
pub(super) fn remove_folder(path: &Path) -> Result<(), BackupError> {
    reach(path)?;
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(at(path)(error)),
        _ => Ok(()),
    }
}

/// Whether there is a file or folder. What cannot be looked for is not missing.
pub(super) fn exists(path: &Path) -> Result<bool, BackupError> {
    path.try_exists().map_err(at(path))
}

/// The sizes of what is directly in a folder, in bytes, by name. Names that are not text are left out.
pub(super) fn sizes(folder: &Path) -> Result<BTreeMap<String, u64>, BackupError> {
    let mut sizes = BTreeMap::new();
    for name in names(folder)?.into_iter().filter_map(|name| name.into_string().ok()) {
        let path = folder.join(&name);
        match fs::symlink_metadata(&path) {
            Ok(found) => drop(sizes.insert(name, found.len())),
            // Removed in the meantime.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(at(&path)(error)),
        }
    }
    Ok(sizes)
}

/// The names of what is directly in a folder.
pub(super) fn names(folder: &Path) -> Result<Vec<OsString>, BackupError> {
    let entries = fs::read_dir(folder).map_err(at(folder))?;
    entries
        .map(|entry| entry.map(|entry| entry.file_name()).map_err(at(folder)))
        .collect()
}

/// Creates a marker: an empty file whose existence is all that it says.
pub(super) fn mark(path: &Path) -> Result<(), BackupError> {
    reach(path)?;
    create(path).and_then(|file| file.sync_all()).map_err(at(path))?;
    sync_folder(path.parent().unwrap_or(path))
}

/// The files below a folder, as paths within it, in order. A folder in it that was removed in the meantime has none; the folder itself
/// must exist.
pub(super) fn below(folder: &Path) -> Result<Vec<PathBuf>, BackupError> {
    below_where(folder, |_| true)
}

/// The same, but a folder of which `is_opened` says no is listed itself, by its path within the folder, with whatever is in it.
pub(super) fn below_where(folder: &Path, is_opened: impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>, BackupError> {
    let (mut found, mut open) = (Vec::new(), vec![PathBuf::new()]);
    while let Some(inner) = open.pop() {
        let here: PathBuf = folder.components().chain(inner.components()).collect();
        let entries = match fs::read_dir(&here) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && here != folder => continue,
            entries => entries.map_err(at(&here))?,
        };
        for entry in entries {
            let entry = entry.map_err(at(&here))?;
            let path = inner.join(entry.file_name());
            if path == Path::new(OF_THE_FILE_SYSTEM) {
                continue;
            }
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && is_opened(&path) => open.push(path),
                Ok(_) => found.push(path),
                // Removed in the meantime.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(at(&here)(error)),
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Where a test ends what a power cut or a signal would: before one of the changes to the disk.
#[cfg(not(test))]
mod interruption {
    use super::{BackupError, Path};

    pub(in crate::backup) const fn reach(_: &Path) -> Result<(), BackupError> {
        Ok(())
    }
}

/// Where a test ends what a power cut or a signal would: before one of the changes to the disk.
#[cfg(test)]
pub(super) mod interruption {
    use super::{BackupError, Path, at, io};
    use std::cell::Cell;

    /// What happens before a change, and how many come before that one.
    type Meanwhile = (usize, Box<dyn FnOnce()>);

    thread_local! {
        static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
        static MEANWHILE: Cell<Option<Meanwhile>> = const { Cell::new(None) };
    }

    /// Lets this thread make so many changes and no more; any number for `None`.
    pub(crate) fn after(changes: Option<usize>) {
        LEFT.set(changes);
    }

    /// Lets something else happen once this thread has made so many more changes.
    pub(crate) fn meanwhile(changes: usize, happens: impl FnOnce() + 'static) {
        MEANWHILE.set(Some((changes, Box::new(happens))));
    }

    pub(in crate::backup) fn reach(path: &Path) -> Result<(), BackupError> {
        match MEANWHILE.take() {
            Some((0, happens)) => happens(),
            Some((changes, happens)) => MEANWHILE.set(Some((changes - 1, happens))),
            None => {}
        }
        match LEFT.get() {
            Some(0) => Err(at(path)(io::ErrorKind::Interrupted.into())),
            left => {
                LEFT.set(left.map(|left| left - 1));
                Ok(())
            }
        }
    }
}
