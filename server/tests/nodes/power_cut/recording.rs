//! What a program did to the files of a folder, as `recorder.c` writes it down.

use std::{
    fs::File,
    ops::Range,
    path::{Path, PathBuf},
    process::Command,
};
use tempfile::TempDir;

/// The recorder, compiled, and its log. Several processes append to it, one after another or at the same time.
pub(super) struct Recorder {
    folder: TempDir,
}

impl Recorder {
    /// Compiles it. `None` without a C compiler or on another system than Linux.
    pub(super) fn compile() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let recorder = Self { folder };
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/nodes/power_cut/recorder.c");
        let mut compiler = Command::new("cc");
        let compiler = compiler.args(["-O2", "-shared", "-fPIC", "-o"]);
        let compiled = compiler
            .arg(recorder.library())
            .arg(source)
            .args(["-ldl", "-lpthread"])
            .status();
        let compiled = cfg!(target_os = "linux") && compiled.is_ok_and(|status| status.success());
        std::fs::write(recorder.log(), "").unwrap();
        compiled.then_some(recorder)
    }

    fn library(&self) -> PathBuf {
        self.folder.path().join("recorder.so")
    }

    fn log(&self) -> PathBuf {
        self.folder.path().join("log")
    }

    /// The environment in which a program's changes below `folder` are recorded.
    pub(super) fn environment(&self, folder: &Path) -> Vec<(&'static str, PathBuf)> {
        vec![
            ("LD_PRELOAD", self.library()),
            ("RECORDER_FOLDER", folder.to_owned()),
            ("RECORDER_LOG", self.log()),
        ]
    }

    /// How much is recorded so far, in bytes: what has happened before now is in it.
    pub(super) fn length(&self) -> u64 {
        std::fs::metadata(self.log()).unwrap().len()
    }

    /// Until the file is dropped, no call that is recorded has begun and not ended: a process that is killed meanwhile has made no change
    /// that is not recorded.
    pub(super) fn between_calls(&self) -> File {
        let log = File::open(self.log()).unwrap();
        log.lock().unwrap();
        log
    }

    /// Everything that was recorded below `folder`.
    pub(super) fn read(&self, folder: &Path) -> Recording {
        let log = std::fs::read(self.log()).unwrap();
        let root = folder.canonicalize().unwrap();
        let mut reader = Reader {
            log: &log,
            at: 0,
            root: &root,
        };
        let mut events = Vec::new();
        while reader.at < log.len() {
            let event = reader.event();
            events.push((reader.at as u64, event));
        }
        Recording { log, events }
    }
}

/// What happened, in order, each with the length of the log after it.
pub(super) struct Recording {
    /// The data of [`Event::Written`] is in it.
    pub(super) log: Vec<u8>,
    pub(super) events: Vec<(u64, Event)>,
}

/// One change, or one request to make changes durable. Paths are relative to the folder.
pub(super) enum Event {
    FileMade(u64, PathBuf),
    /// At an offset, with a range of the log.
    Written(u64, usize, Range<usize>),
    Resized(u64, usize),
    FileSynced(u64),
    FolderSynced(PathBuf),
    FolderMade(PathBuf),
    Removed(PathBuf),
    Renamed(PathBuf, PathBuf),
    Linked(PathBuf, PathBuf),
}

struct Reader<'a> {
    log: &'a [u8],
    at: usize,
    root: &'a Path,
}

impl Reader<'_> {
    fn event(&mut self) -> Event {
        let kind = self.log[self.at];
        self.at += 1;
        let inode = self.number() as u64;
        let [number, first, second, data] = [(); 4].map(|()| self.number());
        let (first, second) = (self.text(first), self.text(second));
        let data = self.at..self.at + data;
        self.at = data.end;
        let below = |path: &str| Path::new(path).strip_prefix(self.root).unwrap().to_owned();
        match kind {
            b'c' => Event::FileMade(inode, below(&first)),
            b'w' => Event::Written(inode, number, data),
            b't' => Event::Resized(inode, number),
            b's' => Event::FileSynced(inode),
            b'S' => Event::FolderSynced(below(&first)),
            b'm' => Event::FolderMade(below(&first)),
            b'u' => Event::Removed(below(&first)),
            b'r' => Event::Renamed(below(&first), below(&second)),
            b'l' => Event::Linked(below(&first), below(&second)),
            _ => panic!("the recorder does not follow {first} of {second}"),
        }
    }

    fn number(&mut self) -> usize {
        let bytes = self.log[self.at..self.at + 8].try_into().unwrap();
        self.at += 8;
        usize::try_from(u64::from_ne_bytes(bytes)).unwrap()
    }

    fn text(&mut self, length: usize) -> String {
        let text = &self.log[self.at..self.at + length];
        self.at += length;
        String::from_utf8(text.to_vec()).unwrap()
    }
}
