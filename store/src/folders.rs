//! Folders that survive a power cut, and the free space on their disks. A name is durable once the folder that contains it is synced.

use std::{
    fs::{DirBuilder, File, metadata},
    io,
    os::unix::fs::MetadataExt as _,
    path::Path,
};

/// Creates a folder, with those above it, durably and accessible to its owner only. It may exist.
///
/// # Errors
/// If it cannot be created or made durable.
pub fn create_durably(path: &Path) -> io::Result<()> {
    let existed = path.ancestors().find(|folder| named(folder).exists());
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)?;
    if existed == Some(path) {
        // A process that was killed may have created it a moment ago. If the folder above it is not ours to read, somebody else did.
        drop(path.parent().map(sync));
        return Ok(());
    }
    for folder in path.ancestors().skip(1) {
        sync(folder)?;
        if Some(folder) == existed {
            break;
        }
    }
    Ok(())
}

/// The number of the disk that a folder is on at present. Where a disk is not mounted, it is that of the disk below.
///
/// # Errors
/// If there is no such folder.
pub(crate) fn disk_of(folder: &Path) -> io::Result<u64> {
    let found = metadata(named(folder))?;
    if found.is_dir() {
        Ok(found.dev())
    } else {
        Err(io::ErrorKind::NotADirectory.into())
    }
}

/// How many bytes of a folder's disk this process can still write.
///
/// # Errors
/// If the folder is not there.
pub(crate) fn free_bytes(folder: &Path) -> io::Result<u64> {
    let disk = rustix::fs::statvfs(folder)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Makes the names in a folder durable. An empty path is the current folder.
///
/// # Errors
/// If the folder cannot be read or synced.
pub(crate) fn sync(folder: &Path) -> io::Result<()> {
    File::open(named(folder))?.sync_all()
}

/// Makes the name of a file durable.
///
/// # Errors
/// If its folder cannot be read or synced.
pub(crate) fn sync_name(file: &Path) -> io::Result<()> {
    file.parent().map_or(Ok(()), sync)
}

/// A folder by a path that can be opened: an empty one is the current folder.
pub(crate) fn named(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    }
}
