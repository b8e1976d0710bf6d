//! Files for temporary data. A file has no name, and its key is only in memory: however the process ends, nothing of the file can be
//! found or read afterwards. It is never synced, so most of it never reaches the disk.

use super::{
    associated_data::context,
    seal::{RawKey, open, random, seal},
};
use crate::{StoreError, folders};
use rustix::{
    fs::{Mode, OFlags},
    io::Errno,
};
use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::{FileExt as _, OpenOptionsExt as _},
    path::Path,
    sync::Arc,
};
use zeroize::Zeroizing;

/// An encrypted file without a name. It is written in pieces, and each piece is read as a whole. All operations block.
pub struct Scratch {
    file: File,
    key: RawKey,
    /// Length of each piece in the file, in bytes.
    lengths: Vec<usize>,
    /// Length of all of them.
    end: u64,
}

impl std::fmt::Debug for Scratch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Scratch({} bytes)", self.end)
    }
}

impl Scratch {
    /// A new file on the disk of `folder`, if at least `free` bytes of that are free.
    ///
    /// # Errors
    /// If the disk has less, or the file cannot be created.
    pub fn create_in(folder: &Path, free: u64) -> Result<Self, StoreError> {
        if folders::free_bytes(folder).map_err(StoreError::unavailable)? < free {
            return Err(StoreError::unavailable("the disk is nearly full"));
        }
        let file = unnamed(folder).map_err(StoreError::unavailable)?;
        Self::on(file)
    }

    fn on(file: File) -> Result<Self, StoreError> {
        Ok(Self {
            file,
            key: Arc::new(Zeroizing::new(random()?)),
            lengths: Vec::new(),
            end: 0,
        })
    }

    /// Adds a piece.
    ///
    /// # Errors
    /// If it cannot be written. The file then ends with the piece before.
    pub fn append(&mut self, piece: &[u8]) -> Result<(), StoreError> {
        let sealed = seal(&self.key, piece, &associated_data(self.lengths.len()))?;
        self.file
            .write_all_at(&sealed, self.end)
            .map_err(StoreError::unavailable)?;
        self.lengths.push(sealed.len());
        self.end += sealed.len() as u64;
        Ok(())
    }

    /// The piece with this number, counted from 0; `None` after the last.
    ///
    /// # Errors
    /// If it cannot be read, or is not what was written.
    pub fn piece(&self, number: usize) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(length) = self.lengths.get(number) else {
            return Ok(None);
        };
        let begin = self.lengths.iter().take(number).map(|length| *length as u64).sum();
        let mut sealed = vec![0; *length];
        self.file
            .read_exact_at(&mut sealed, begin)
            .map_err(StoreError::unavailable)?;
        open(&self.key, &sealed, &associated_data(number)).map(Some)
    }
}

/// Binds a piece to its place in the file. The key is bound to the file: no other one has it.
fn associated_data(number: usize) -> Vec<u8> {
    context(&[b"honnin/scratch/1", &number.to_be_bytes()])
}

/// A file that has no name in `folder`.
fn unnamed(folder: &Path) -> io::Result<File> {
    let flags = OFlags::TMPFILE | OFlags::EXCL | OFlags::RDWR | OFlags::CLOEXEC;
    match rustix::fs::open(folder, flags, Mode::RUSR | Mode::WUSR) {
        Ok(file) => Ok(file.into()),
        // The file system has no such files, or the kernel none at all (open(2)).
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::NOENT) => created_and_removed(folder),
        Err(error) => Err(error.into()),
    }
}

/// The same with a name for a moment, in which the file is empty.
fn created_and_removed(folder: &Path) -> io::Result<File> {
    let name = hex::encode(random::<16>().map_err(io::Error::other)?);
    let path = folder.join(name);
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&path)?;
    std::fs::remove_file(&path)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CANARY: &[u8] = b"the name of a person";

    fn is_empty(folder: &Path) -> bool {
        folder.read_dir().unwrap().next().is_none()
    }

    #[test]
    fn what_was_written_is_read_piece_by_piece() {
        let folder = tempfile::tempdir().unwrap();
        let mut scratch = Scratch::create_in(folder.path(), 1).unwrap();
        let pieces = [CANARY.to_vec(), Vec::new(), vec![7; 100_000]];
        for piece in &pieces {
            scratch.append(piece).unwrap();
        }
        for (number, piece) in pieces.iter().enumerate() {
            assert_eq!(scratch.piece(number).unwrap().as_ref(), Some(piece));
        }
        assert_eq!(scratch.piece(pieces.len()).unwrap(), None);
        assert!(is_empty(folder.path()), "it has no name");
    }

    #[test]
    fn nothing_in_it_can_be_read_without_its_key() {
        let folder = tempfile::tempdir().unwrap();
        let [mut one, mut other] = [0; 2].map(|_| Scratch::create_in(folder.path(), 1).unwrap());
        for scratch in [&mut one, &mut other] {
            scratch.append(CANARY).unwrap();
            scratch.append(CANARY).unwrap();
        }
        let mut bytes = vec![0; usize::try_from(one.end).unwrap()];
        one.file.read_exact_at(&mut bytes, 0).unwrap();
        assert!(!bytes.windows(CANARY.len()).any(|window| window == CANARY));
        let second = &bytes[one.lengths[0]..];
        one.file.write_all_at(second, 0).unwrap();
        assert!(one.piece(0).is_err(), "in another associated_data");
        other.file.write_all_at(&bytes, 0).unwrap();
        assert!(other.piece(0).is_err(), "in another file");
    }

    #[test]
    fn a_full_disk_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Scratch::create_in(folder.path(), u64::MAX).is_err());
        let full = OpenOptions::new().read(true).write(true).open("/dev/full").unwrap();
        let mut scratch = Scratch::on(full).unwrap();
        assert!(scratch.append(CANARY).is_err());
        assert_eq!(scratch.piece(0).unwrap(), None);
        assert!(Scratch::create_in(&folder.path().join("gone"), 1).is_err());
    }

    #[test]
    fn where_files_need_a_name_it_is_gone_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let mut scratch = Scratch::on(created_and_removed(folder.path()).unwrap()).unwrap();
        scratch.append(CANARY).unwrap();
        assert_eq!(scratch.piece(0).unwrap().as_deref(), Some(CANARY));
        assert!(is_empty(folder.path()));
    }
}
