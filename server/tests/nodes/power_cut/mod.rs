//! Power cuts. The program runs under load while a recorder notes what it writes and what it syncs. Then the disk is rebuilt as a power
//! cut at a random moment may leave it: what was not synced may be missing, torn or out of order. The program is started on it and
//! must have everything that it acknowledged before the cut.
//!
//! Planted faults that this test detects: `synchronous=NORMAL`; pictures, or their folders, that are not synced. The test plants
//! them at each run.

mod disk;
mod judge;
mod recording;

use super::{
    acknowledged::{Fact, Keys, Note, Notes, use_node},
    free_port,
    node::{Installation, Node},
};
use disk::{Disk, Fault, Left, Tree};
use judge::judge;
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use recording::{Recorder, Recording};
use serde_json::Value;
use std::{fs, net::SocketAddr, path::Path, process::Command, sync::Arc};
use testkit::{
    authority::acceptor,
    long_runs::{count, seed},
    receiver::Receiver,
};
use tokio::task::block_in_place;

/// Facts that are noted before the program is stopped, before it is started again and its master key is replaced, and before it is
/// killed.
const STAGES: [usize; 3] = [60, 120, 180];
/// Cuts after which a planted fault must have shown.
const ENOUGH: usize = 40;

/// A run of the program, and what was acknowledged in it.
struct Run {
    recording: Recording,
    notes: Vec<Note>,
    receiver: Arc<Receiver>,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_acknowledged_is_there_after_a_power_cut_at_any_moment() {
    let Some(run) = run().await else { return };
    let seed = seed();
    let cuts = usize::try_from(count("HONNIN_CUTS", 5)).unwrap();
    println!("HONNIN_SEED={seed:#x} HONNIN_CUTS={cuts}");
    let mut random = StdRng::seed_from_u64(seed);
    let mut checked = 0;
    for (at, left) in run.moments(cuts, &mut random) {
        let (tree, facts) = (run.cut(Fault::None, at, left, &mut random), run.facts(at));
        let judged = judge(&tree, &facts, &run.receiver).await;
        judged.unwrap_or_else(|fault| panic!("cut after event {at}, {left:?} of what was not synced is left: {fault}"));
        checked += facts.len();
    }
    let [events, facts] = [run.recording.events.len(), run.notes.len()];
    println!("{cuts} cuts in {events} events; {facts} facts were acknowledged, and {checked} found again");
    for fault in [Fault::Commits, Fault::Pictures, Fault::Folders] {
        run.shows(fault, &mut random).await;
    }
}

/// A program that lists a folder by its descriptor, which `closedir` closes, and writes to what has the number next.
const REUSES_A_DESCRIPTOR: &str = "
import os, sys
folder = os.open(sys.argv[1], os.O_RDONLY)
listed = os.dup(folder)
os.close(listed)
os.listdir(folder)
other = os.eventfd(0)
assert other == listed, (other, listed)
os.write(other, bytes(8))
";

#[test]
fn what_a_program_writes_elsewhere_is_not_recorded_although_the_descriptor_was_a_folders() {
    let Some(recorder) = Recorder::compile() else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let status = Command::new("python3")
        .args(["-c", REUSES_A_DESCRIPTOR])
        .arg(&folder)
        .envs(recorder.environment(&folder))
        .status();
    assert!(status.unwrap().success());
    assert!(recorder.read(&folder).events.is_empty());
}

impl Run {
    /// Random moments: half of them right after something was acknowledged.
    fn moments(&self, cuts: usize, random: &mut StdRng) -> Vec<(usize, Left)> {
        let events = &self.recording.events;
        let mut moment = |cut: usize| {
            let at = if cut.is_multiple_of(2) {
                let note = &self.notes[random.random_range(0..self.notes.len())];
                events.partition_point(|(end, _)| *end <= note.from)
            } else {
                random.random_range(0..=events.len())
            };
            let left = match random.random_range(0..4) {
                0 => Left::Nothing,
                1 => Left::Everything,
                _ => Left::Some,
            };
            (at, left)
        };
        (0..cuts).map(&mut moment).collect()
    }

    /// What is on the disk after that many events.
    fn cut(&self, fault: Fault, at: usize, left: Left, random: &mut StdRng) -> Tree {
        let mut disk = Disk::new(&self.recording.log, fault);
        for (_, event) in &self.recording.events[..at] {
            disk.happen(event);
        }
        disk.cut(left, random)
    }

    /// What was acknowledged by then, and still holds.
    fn facts(&self, at: usize) -> Vec<&Fact> {
        let events = &self.recording.events;
        let reached = at.checked_sub(1).map_or(0, |last| events[last].0);
        let hold = |note: &&Note| note.from <= reached && reached <= note.until;
        self.notes.iter().filter(hold).map(|note| &note.fact).collect()
    }

    /// A planted fault is detected.
    async fn shows(&self, fault: Fault, random: &mut StdRng) {
        for (cut, (at, _)) in self.moments(ENOUGH, random).into_iter().enumerate() {
            let tree = self.cut(fault, at, Left::Nothing, random);
            if let Err(difference) = judge(&tree, &self.facts(at), &self.receiver).await {
                println!("{fault:?} not synced is detected by cut {}: {difference}", cut + 1);
                return;
            }
        }
        panic!("{fault:?} are not synced, and {ENOUGH} power cuts did not show it");
    }
}

/// Runs the program under load, from an empty folder, through a restart and a change of the master key, until it is killed.
async fn run() -> Option<Run> {
    let Some(recorder) = Recorder::compile() else {
        println!("SKIPPED: without a C compiler on Linux, power cuts were not tried");
        return None;
    };
    let recorder = Arc::new(recorder);
    let receiver = Arc::new(Receiver::at("127.0.0.1:0", acceptor(&["127.0.0.1"], true)).await);
    let installation = Installation::new();
    let folder = installation.folder.path().canonicalize().unwrap();
    let installation = installation.with_environment(recorder.environment(&folder));
    let clock = Arc::clone(&recorder);
    // What has happened by then is recorded by then.
    let notes = Arc::new(Notes::new(move || clock.length()));
    let webhook = format!("https://127.0.0.1:{}/hooks", receiver.port);
    let keys = Keys {
        live: tenant(&installation, &notes, &webhook, ""),
        sandbox: tenant(&installation, &notes, &webhook, "--sandbox"),
    };
    let [first, second, third] = STAGES;
    let (node, address) = start(&installation).await;
    use_node(address, &keys, &notes, &receiver, first).await;
    node.stop().await;
    let (node, address) = start(&installation).await;
    use_node(address, &keys, &notes, &receiver, second).await;
    let replaced = block_in_place(|| installation.shell("honnin keys rotate --settle 0").output().unwrap());
    assert!(
        replaced.status.success(),
        "{}",
        String::from_utf8_lossy(&replaced.stderr)
    );
    use_node(address, &keys, &notes, &receiver, third).await;
    let held = recorder.between_calls();
    drop(node);
    drop(held);
    let recording = recorder.read(&folder);
    saw_everything(&recording, &folder);
    Some(Run {
        recording,
        notes: notes.since(0),
        receiver,
    })
}

async fn start(installation: &Installation) -> (Node, SocketAddr) {
    let address = SocketAddr::from(([127, 0, 0, 1], free_port()));
    let mut node = installation.start("serve", &address.to_string());
    node.until_it_says("listening").await;
    (node, address)
}

/// Creates a tenant at the command line. Returns its key.
fn tenant(installation: &Installation, notes: &Notes, webhook: &str, more: &str) -> String {
    let script = format!("honnin tenant create --name Shop --json --webhook {webhook} {more}");
    let made = block_in_place(|| installation.shell(&script).output().unwrap());
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let made: Value = serde_json::from_slice(&made.stdout).unwrap();
    let key = made["apiKey"].as_str().unwrap().to_owned();
    notes.add(Fact::Tenant(key.clone()));
    key
}

/// Applying everything that was recorded gives the folder as it is: nothing escaped the recorder.
fn saw_everything(recording: &Recording, folder: &Path) {
    let mut disk = Disk::new(&recording.log, Fault::None);
    for (_, event) in &recording.events {
        disk.happen(event);
    }
    let rebuilt = disk.cut(Left::Everything, &mut StdRng::seed_from_u64(0));
    let mut found = Tree::new();
    list(folder, folder, &mut found);
    // The files that the test put there, and those that SQLite writes through shared memory.
    let is_written = |path: &Path| path.starts_with("data") && !path.to_string_lossy().ends_with("-shm");
    let names = |tree: &Tree| -> Vec<_> { tree.keys().filter(|path| is_written(path)).cloned().collect() };
    assert_eq!(names(&rebuilt), names(&found));
    for (path, content) in found.iter().filter(|(path, _)| is_written(path)) {
        assert!(
            rebuilt[path] == *content,
            "{}: changes escaped the recorder",
            path.display()
        );
    }
}

fn list(folder: &Path, root: &Path, tree: &mut Tree) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root).unwrap().to_owned();
        if path.is_dir() {
            tree.insert(name, None);
            list(&path, root, tree);
        } else {
            tree.insert(name, Some(fs::read(path).unwrap()));
        }
    }
}
