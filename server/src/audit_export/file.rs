//! A file of JSON lines. It is opened for each batch, so that it can be rotated by renaming it, without a signal.

use async_trait::async_trait;
use service::audit_export::{Line, Sink, SinkError};
use std::{
    fs::OpenOptions,
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

/// A file.
pub(super) struct File {
    path: PathBuf,
}

impl File {
    pub(super) const fn new(path: PathBuf) -> Self {
        Self { path }
    }
}

#[async_trait]
impl Sink for File {
    async fn take(&mut self, lines: &[Line]) -> Result<(), SinkError> {
        let text: String = lines.iter().flat_map(|line| [line.json.as_str(), "\n"]).collect();
        let path = self.path.clone();
        let written = tokio::task::spawn_blocking(move || append(&path, &text)).await?;
        written.map_err(|error| format!("{}: {error}", self.path.display()).into())
    }
}

/// Appends `text` durably. If it does not fit, nothing of it stays.
fn append(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new()
        .create(true)
        .read(true)
        .append(true)
        .mode(0o600)
        .open(path)?;
    let before = file.metadata()?.len();
    let written = end_torn_line(&mut file, before)
        .and_then(|()| file.write_all(text.as_bytes()))
        .and_then(|()| file.sync_data());
    if written.is_err() {
        drop(file.set_len(before));
    }
    written
}

/// Ends a line that a power cut has left unfinished. Its entry was not noted as exported, and follows whole.
fn end_torn_line(file: &mut std::fs::File, length: u64) -> io::Result<()> {
    if length == 0 {
        return Ok(());
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    if last == *b"\n" { Ok(()) } else { file.write_all(b"\n") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, os::unix::fs::PermissionsExt as _};

    #[test]
    fn lines_are_appended_for_the_owner_only_and_a_renamed_file_is_begun_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        append(&path, "{1}\n").unwrap();
        append(&path, "{2}\n{3}\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "{1}\n{2}\n{3}\n");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        fs::rename(&path, folder.path().join("audit.jsonl.1")).unwrap();
        append(&path, "{4}\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "{4}\n");
    }

    #[test]
    fn a_torn_line_is_ended_before_the_next() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        fs::write(&path, "{1}\n{\"posi").unwrap();
        append(&path, "{2}\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "{1}\n{\"posi\n{2}\n");
    }
}
