//! A file of JSON lines. It is opened for each batch, so that it can be rotated by renaming it, without a signal.

use async_trait::async_trait;
use service::audit_export::{Line, Sink, SinkError};
use std::{
    fs::OpenOptions,
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};
use tokio::task::{JoinHandle, spawn_blocking};

/// Makes what was written to a file durable.
type MakeDurable = fn(&std::fs::File) -> io::Result<()>;

/// A file.
pub(super) struct File {
    path: PathBuf,
    sync: MakeDurable,
    /// An append that may still run: where the disk hangs, it outlives the time-out of the one who waits for it.
    running: Option<JoinHandle<io::Result<()>>>,
}

impl File {
    pub(super) const fn new(path: PathBuf) -> Self {
        Self::synced_by(path, std::fs::File::sync_data)
    }

    const fn synced_by(path: PathBuf, sync: MakeDurable) -> Self {
        Self {
            path,
            sync,
            running: None,
        }
    }

    /// Waits for the append that runs, if there is one. Whoever gives up waiting leaves it to the next.
    async fn end(&mut self) -> Result<(), SinkError> {
        let Some(running) = &mut self.running else {
            return Ok(());
        };
        let ended = running.await;
        self.running = None;
        ended?.map_err(|error| format!("{}: {error}", self.path.display()).into())
    }
}

#[async_trait]
impl Sink for File {
    async fn take(&mut self, lines: &[Line]) -> Result<(), SinkError> {
        // One that ended too late was not noted as exported: whether it failed or not, its lines are among these.
        drop(self.end().await);
        let text: String = lines.iter().flat_map(|line| [line.json.as_str(), "\n"]).collect();
        let (path, sync) = (self.path.clone(), self.sync);
        self.running = Some(spawn_blocking(move || append(&path, &text, sync)));
        self.end().await
    }
}

/// Appends `text` durably. If it does not fit, nothing of it stays, unless somebody else has appended since.
fn append(path: &Path, text: &str, sync: MakeDurable) -> io::Result<()> {
    let mut file = OpenOptions::new()
        .create(true)
        .read(true)
        .append(true)
        .mode(0o600)
        .open(path)?;
    let before = file.metadata()?.len();
    let mut written = 0;
    let outcome = unfinished_line(&mut file, before)
        .and_then(|end| write_counted(&mut file, end, &mut written))
        .and_then(|()| write_counted(&mut file, text, &mut written))
        .and_then(|()| sync(&file));
    if outcome.is_err() && file.metadata()?.len() == before + written {
        drop(file.set_len(before));
    }
    outcome
}

/// Writes all of `text`. What of it was written is added to `written` even if it fails.
fn write_counted(file: &mut std::fs::File, text: &str, written: &mut u64) -> io::Result<()> {
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        match file.write(rest) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(length) => {
                rest = rest.get(length..).unwrap_or_default();
                *written += length as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// What ends a line that a power cut has left unfinished. Its entry was not noted as exported, and follows whole.
fn unfinished_line(file: &mut std::fs::File, length: u64) -> io::Result<&'static str> {
    if length == 0 {
        return Ok("");
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(if last == *b"\n" { "" } else { "\n" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::time::Timestamp;
    use futures::FutureExt as _;
    use std::{
        fs,
        os::unix::fs::PermissionsExt as _,
        sync::{
            Mutex,
            atomic::{AtomicUsize, Ordering},
            mpsc::{Receiver, Sender, channel},
        },
    };

    fn append_at(path: &Path, text: &str) -> io::Result<()> {
        append(path, text, std::fs::File::sync_data)
    }

    #[test]
    fn lines_are_appended_for_the_owner_only_and_a_renamed_file_is_begun_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        append_at(&path, "{1}\n").unwrap();
        append_at(&path, "{2}\n{3}\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "{1}\n{2}\n{3}\n");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        fs::rename(&path, folder.path().join("audit.jsonl.1")).unwrap();
        append_at(&path, "{4}\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "{4}\n");
    }

    #[test]
    fn a_torn_line_is_ended_before_the_next() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        fs::write(&path, "{1}\n{\"posi").unwrap();
        append_at(&path, "{2}\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "{1}\n{\"posi\n{2}\n");
    }

    #[test]
    fn what_could_not_be_made_durable_is_taken_back_unless_somebody_has_appended_since() {
        fn fails(_: &std::fs::File) -> io::Result<()> {
            Err(io::ErrorKind::StorageFull.into())
        }
        fn fails_after_another(mut file: &std::fs::File) -> io::Result<()> {
            file.write_all(b"{3}\n")?;
            fails(file)
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        append_at(&path, "{1}\n").unwrap();
        append(&path, "{2}\n", fails).unwrap_err();
        assert_eq!(fs::read_to_string(&path).unwrap(), "{1}\n");
        append(&path, "{2}\n", fails_after_another).unwrap_err();
        assert_eq!(fs::read_to_string(&path).unwrap(), "{1}\n{2}\n{3}\n");
    }

    /// The disk of the test below.
    static HUNG: AtomicUsize = AtomicUsize::new(0);
    static BEGUN: Mutex<Option<Sender<()>>> = Mutex::new(None);
    static RELEASED: Mutex<Option<Receiver<()>>> = Mutex::new(None);

    /// Hangs the first time until it is released, and fails then.
    fn hangs_once(file: &std::fs::File) -> io::Result<()> {
        if HUNG.fetch_add(1, Ordering::SeqCst) > 0 {
            return file.sync_data();
        }
        BEGUN.lock().unwrap().take().unwrap().send(()).unwrap();
        RELEASED.lock().unwrap().take().unwrap().recv().unwrap();
        Err(io::ErrorKind::TimedOut.into())
    }

    #[tokio::test]
    async fn an_append_that_outlives_its_time_out_takes_nothing_of_the_next_away() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let ((begin, begun), (release, released)) = (channel(), channel());
        (*BEGUN.lock().unwrap(), *RELEASED.lock().unwrap()) = (Some(begin), Some(released));
        let mut file = File::synced_by(path.clone(), hangs_once);
        let line = |number| Line {
            at: Timestamp::from_millis(number),
            action: "key.issue".into(),
            json: format!("{{{number}}}"),
        };
        let lines = [line(1), line(2)];
        // Whoever waits for it gives up.
        assert!(file.take(&lines[..1]).now_or_never().is_none());
        begun.recv().unwrap();
        let mut second = file.take(&lines);
        assert!((&mut second).now_or_never().is_none());
        release.send(()).unwrap();
        second.await.unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "{1}\n{2}\n");
    }
}
