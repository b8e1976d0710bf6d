//! `cargo xtask dev`: builds and starts a demonstration, and does it again whenever a source file is saved.

use crate::{Done, site};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Child, Command},
    thread,
    time::{Duration, Instant, SystemTime},
};

/// What the server is built from.
const SOURCES: [&str; 17] = [
    "CHANGELOG.md",
    "Cargo.toml",
    "Cargo.lock",
    "app",
    "docs",
    "domain",
    "frontend",
    "lens",
    "migrations",
    "public",
    "server",
    "service",
    "store",
    "style",
    "vision/src",
    "vision/layouts",
    "vision/models.lock",
];
/// What the browser's half is built from, too. The rest of `app` is compiled for the server only.
const BROWSER: [&str; 11] = [
    "Cargo.toml",
    "Cargo.lock",
    "app/Cargo.toml",
    "app/src/camera",
    "app/src/forms.rs",
    "app/src/text",
    "domain",
    "frontend",
    "lens",
    "public",
    "style",
];
/// How often the files are looked at: a save is noticed without a delay that a person sees.
const INTERVAL: Duration = Duration::from_millis(250);

/// Runs until it is interrupted.
pub(crate) fn run(root: &Path, target: &Path) -> Done {
    let mut seen = Sources::read(root);
    let mut browser_changed = true;
    loop {
        let began = Instant::now();
        let server = match build(root, target, browser_changed) {
            Ok(()) => {
                println!("dev: built in {:.1} s", began.elapsed().as_secs_f32());
                Some(start(target)?)
            }
            Err(error) => {
                println!("dev: {error}; waiting for the next change");
                None
            }
        };
        // What was saved during a build that failed for another reason still has to be built.
        let failed = server.is_none() && browser_changed;
        let changed = wait_for_change(root, &mut seen);
        println!("dev: {} changed", changed.join(", "));
        browser_changed = failed || changed.iter().any(|path| is_below(path, &BROWSER));
        server.map_or(Ok(()), stop)?;
    }
}

fn build(root: &Path, target: &Path, browser: bool) -> Done {
    if browser {
        site::build(root, target, false)?;
    }
    site::build_server(root, false)
}

fn start(target: &Path) -> Done<Child> {
    Ok(Command::new(target.join("debug/honnin"))
        .args(["demo", "--reload"])
        .spawn()?)
}

/// Asks the server to end, and waits until it has: the next one listens on the same port.
fn stop(mut server: Child) -> Done {
    Command::new("kill").arg(server.id().to_string()).status()?;
    server.wait()?;
    Ok(())
}

/// The files that changed, once at least one did.
#[expect(
    clippy::disallowed_methods,
    reason = "files are looked at again and again: a watcher's events differ from one system to the next"
)]
fn wait_for_change(root: &Path, seen: &mut Sources) -> Vec<String> {
    loop {
        thread::sleep(INTERVAL);
        let now = Sources::read(root);
        let changed = now.changed_since(seen);
        *seen = now;
        if !changed.is_empty() {
            return changed;
        }
    }
}

fn is_below(path: &str, places: &[&str]) -> bool {
    places.iter().any(|place| Path::new(path).starts_with(place))
}

/// When each source file was saved last, by its path from the workspace.
struct Sources(BTreeMap<PathBuf, SystemTime>);

impl Sources {
    /// What cannot be read, such as a file that an editor is replacing, is not there.
    fn read(root: &Path) -> Self {
        let mut files = BTreeMap::new();
        for source in SOURCES {
            collect(root, Path::new(source), &mut files);
        }
        Self(files)
    }

    fn changed_since(&self, earlier: &Self) -> Vec<String> {
        let new = self
            .0
            .iter()
            .filter(|(path, saved)| earlier.0.get(*path) != Some(*saved));
        let removed = earlier.0.iter().filter(|(path, _)| !self.0.contains_key(*path));
        new.chain(removed).map(|(path, _)| path.display().to_string()).collect()
    }
}

fn collect(root: &Path, path: &Path, files: &mut BTreeMap<PathBuf, SystemTime>) {
    let full = root.join(path);
    if let Ok(entries) = fs::read_dir(&full) {
        for entry in entries.filter_map(Result::ok) {
            collect(root, &path.join(entry.file_name()), files);
        }
    } else if let Ok(saved) = fs::metadata(&full).and_then(|metadata| metadata.modified()) {
        files.insert(path.to_path_buf(), saved);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_saved_added_or_removed_has_changed() -> Done {
        let folder = tempfile::tempdir()?;
        let root = folder.path();
        fs::create_dir_all(root.join("app/src/console"))?;
        fs::write(root.join("app/src/lib.rs"), "")?;
        fs::write(root.join("app/src/console/keys.rs"), "")?;
        let before = Sources::read(root);
        assert!(Sources::read(root).changed_since(&before).is_empty());
        fs::File::options()
            .write(true)
            .open(root.join("app/src/lib.rs"))?
            .set_modified(SystemTime::UNIX_EPOCH)?;
        fs::remove_file(root.join("app/src/console/keys.rs"))?;
        fs::create_dir(root.join("style"))?;
        fs::write(root.join("style/main.css"), "")?;
        let changed = Sources::read(root).changed_since(&before);
        assert_eq!(changed, ["app/src/lib.rs", "style/main.css", "app/src/console/keys.rs"]);
        Ok(())
    }

    #[test]
    fn a_page_is_built_for_the_server_and_the_camera_for_both() {
        assert!(!is_below("app/src/console/keys/view.rs", &BROWSER));
        assert!(is_below("app/src/camera/stage.rs", &BROWSER));
        assert!(is_below("style/main.css", &BROWSER));
    }

    #[test]
    fn every_source_that_is_named_exists() {
        let root = crate::workspace();
        for place in SOURCES.iter().chain(&BROWSER) {
            assert!(root.join(place).exists(), "{place}");
        }
    }
}
