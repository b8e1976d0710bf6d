//! A disk with a volatile cache: what a power cut may leave of a folder. POSIX promises no more than this. The content of a file is
//! durable once the file is synced, its name once its folder is; until then each change may be there, be missing, be there in
//! part, and be there without an earlier one.

use super::recording::Event;
use rand::{Rng, RngExt as _, rngs::StdRng, seq::SliceRandom as _};
use std::{
    collections::{BTreeMap, HashMap},
    ops::Range,
    path::{Component, Path, PathBuf},
};

/// Disks write this many bytes at once, or none of them.
const SECTOR: usize = 512;

type Id = usize;

/// Files by their path, and `None` for folders.
pub(super) type Tree = BTreeMap<PathBuf, Option<Vec<u8>>>;

/// A fault planted in the program: requests to sync that it is treated as not having made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    None,
    /// `synchronous=NORMAL`: the log of a database is synced before it is copied into the database, but not at each commit.
    Commits,
    /// Pictures are not synced.
    Pictures,
    /// The folders of pictures are not synced.
    Folders,
}

/// How much of what was not synced is left.
#[derive(Clone, Copy, Debug)]
pub(super) enum Left {
    Nothing,
    Everything,
    Some,
}

enum Object {
    File {
        durable: Vec<u8>,
        pending: Vec<Change>,
    },
    Folder {
        durable: Names,
        now: Names,
        pending: Vec<Rename>,
    },
}

type Names = BTreeMap<String, Id>;

enum Change {
    /// At an offset, with a range of the log.
    Write(usize, Range<usize>),
    Resize(usize),
}

/// Names of one folder that change at once, each with what it then stands for.
type Rename = Vec<(String, Option<Id>)>;

/// A folder on that disk.
pub(super) struct Disk<'a> {
    log: &'a [u8],
    fault: Fault,
    objects: Vec<Object>,
    /// Files by inode, with the path under which they were made.
    files: HashMap<u64, (Id, PathBuf)>,
    /// Logs whose sync counts only if what follows is a write to their database.
    held: HashMap<PathBuf, u64>,
}

impl<'a> Disk<'a> {
    /// An empty folder.
    pub(super) fn new(log: &'a [u8], fault: Fault) -> Self {
        Self {
            log,
            fault,
            objects: vec![folder()],
            files: HashMap::new(),
            held: HashMap::new(),
        }
    }

    /// One more event.
    pub(super) fn happen(&mut self, event: &Event) {
        match event {
            Event::FileMade(inode, path) => {
                let id = self.add(Object::File {
                    durable: Vec::new(),
                    pending: Vec::new(),
                });
                self.files.insert(*inode, (id, path.clone()));
                self.name(path, Some(id));
            }
            Event::Written(inode, at, data) => {
                self.decide_held(*inode);
                self.change(*inode, Change::Write(*at, data.clone()));
            }
            Event::Resized(inode, length) => self.change(*inode, Change::Resize(*length)),
            Event::FileSynced(inode) => self.sync_file(*inode),
            Event::FolderSynced(path) => self.sync_folder(path),
            Event::FolderMade(path) => {
                let id = self.add(folder());
                self.name(path, Some(id));
            }
            Event::Removed(path) => self.name(path, None),
            Event::Renamed(from, to) => {
                let id = self.find(from);
                assert_eq!(from.parent(), to.parent(), "a rename from one folder into another");
                let names = vec![(last(from), None), (last(to), Some(id))];
                self.rename(from, names);
            }
            Event::Linked(from, to) => {
                let id = self.find(from);
                self.name(to, Some(id));
            }
        }
    }

    fn add(&mut self, object: Object) -> Id {
        self.objects.push(object);
        self.objects.len() - 1
    }

    fn change(&mut self, inode: u64, change: Change) {
        // A file that was there before is none of the program's.
        let (id, _) = self.files[&inode];
        let Object::File { pending, .. } = &mut self.objects[id] else {
            panic!("a file is a folder")
        };
        pending.push(change);
    }

    fn sync_file(&mut self, inode: u64) {
        let (_, path) = &self.files[&inode];
        let name = path.to_string_lossy().into_owned();
        if self.fault == Fault::Commits
            && let Some(database) = name.strip_suffix("-wal")
        {
            self.held.insert(database.into(), inode);
        } else if self.fault != Fault::Pictures || !path.starts_with("data/pictures") {
            self.make_durable(inode);
        }
    }

    /// Before a write: to a database, whose log had to be synced; or to the log, whose sync was that of a commit.
    fn decide_held(&mut self, written: u64) {
        let (_, path) = &self.files[&written];
        let name = path.to_string_lossy().into_owned();
        if let Some(log) = self.held.remove(path) {
            self.make_durable(log);
        } else if let Some(database) = name.strip_suffix("-wal") {
            self.held.remove(Path::new(database));
        }
    }

    fn make_durable(&mut self, inode: u64) {
        let (id, _) = self.files[&inode];
        if let Object::File { durable, pending } = &mut self.objects[id] {
            for change in pending.drain(..) {
                apply(durable, &change, self.log);
            }
        }
    }

    fn sync_folder(&mut self, path: &Path) {
        if self.fault == Fault::Folders && path.starts_with("data/pictures") {
            return;
        }
        let id = self.find(path);
        if let Object::Folder { durable, now, pending } = &mut self.objects[id] {
            durable.clone_from(now);
            pending.clear();
        }
    }

    fn name(&mut self, path: &Path, id: Option<Id>) {
        self.rename(path, vec![(last(path), id)]);
    }

    fn rename(&mut self, path: &Path, names: Rename) {
        let above = self.find(path.parent().unwrap());
        let Object::Folder { now, pending, .. } = &mut self.objects[above] else {
            panic!("a folder is a file")
        };
        set(now, &names);
        pending.push(names);
    }

    fn find(&self, path: &Path) -> Id {
        path.components().fold(0, |id, part| match (&self.objects[id], part) {
            (Object::Folder { now, .. }, Component::Normal(name)) => now[name.to_str().unwrap()],
            _ => panic!("{} is not there", path.display()),
        })
    }

    /// What a power cut now may leave.
    pub(super) fn cut(&self, left: Left, random: &mut StdRng) -> Tree {
        let mut tree = Tree::new();
        self.collect(0, Path::new(""), left, random, &mut tree);
        tree
    }

    fn collect(&self, id: Id, path: &Path, left: Left, random: &mut StdRng, tree: &mut Tree) {
        match &self.objects[id] {
            Object::File { durable, pending } => {
                let mut content = durable.clone();
                for change in survivors(pending, left, random) {
                    match change {
                        Change::Write(at, data) if matches!(left, Left::Some) && random.random_bool(0.3) => {
                            torn(&mut content, *at, &self.log[data.clone()], random);
                        }
                        change => apply(&mut content, change, self.log),
                    }
                }
                tree.insert(path.to_owned(), Some(content));
            }
            Object::Folder { durable, pending, .. } => {
                let mut names = durable.clone();
                let kept = pending.iter().filter(|_| survives(left, random));
                for rename in kept.collect::<Vec<_>>() {
                    set(&mut names, rename);
                }
                tree.insert(path.to_owned(), None);
                for (name, id) in names {
                    self.collect(id, &path.join(name), left, random, tree);
                }
            }
        }
    }
}

fn folder() -> Object {
    Object::Folder {
        durable: Names::new(),
        now: Names::new(),
        pending: Vec::new(),
    }
}

fn last(path: &Path) -> String {
    path.file_name().unwrap().to_str().unwrap().to_owned()
}

fn set(names: &mut Names, changes: &[(String, Option<Id>)]) {
    for (name, id) in changes {
        match id {
            Some(id) => names.insert(name.clone(), *id),
            None => names.remove(name),
        };
    }
}

fn survives(left: Left, random: &mut StdRng) -> bool {
    match left {
        Left::Nothing => false,
        Left::Everything => true,
        Left::Some => random.random_bool(0.6),
    }
}

/// The changes that reached the disk, in the order in which they did.
fn survivors<'a>(pending: &'a [Change], left: Left, random: &mut StdRng) -> Vec<&'a Change> {
    let mut kept: Vec<_> = pending.iter().filter(|_| survives(left, random)).collect();
    if matches!(left, Left::Some) && random.random() {
        kept.shuffle(random);
    }
    kept
}

fn apply(content: &mut Vec<u8>, change: &Change, log: &[u8]) {
    match change {
        Change::Write(at, data) => put(content, *at, &log[data.clone()]),
        Change::Resize(length) => content.resize(*length, 0),
    }
}

fn put(content: &mut Vec<u8>, at: usize, data: &[u8]) {
    if content.len() < at + data.len() {
        content.resize(at + data.len(), 0);
    }
    content[at..at + data.len()].copy_from_slice(data);
}

/// Writes some of the sectors.
fn torn(content: &mut Vec<u8>, at: usize, data: &[u8], random: &mut impl Rng) {
    for (number, sector) in data.chunks(SECTOR).enumerate() {
        if random.random() {
            put(content, at + number * SECTOR, sector);
        }
    }
}
