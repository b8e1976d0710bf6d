//! The architecture rules that neither the compiler nor cargo-deny (deny.toml) checks.
//!
//! A planted fault for each was tried once: `tokio` in vision, `domain` importing `lens`, a migration on one database only.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};
use toml::Table;

/// Each crate and the crates it may depend on. No dependency goes the other way.
const IMPORTS: [(&str, &[&str]); 13] = [
    ("domain", &[]),
    ("lens", &["domain"]),
    ("vision", &["domain", "lens"]),
    ("seal", &[]),
    ("store", &["domain", "seal"]),
    ("service", &["domain", "vision", "store"]),
    ("app", &["domain", "lens", "service"]),
    ("frontend", &["app"]),
    ("server", &["domain", "vision", "store", "service", "app"]),
    (TEST_TOOLS, &["domain", "store", "service"]),
    ("specimen", &["domain"]),
    ("xtask", &[]),
    ("examples/customer", &[]),
];

/// The crate that others may depend on for their tests only.
const TEST_TOOLS: &str = "testkit";

/// External crates and the only crates of the workspace that may use them. A name that ends in `*` is a prefix. The rules for
/// crates that no library uses are in deny.toml.
const CONFINED: [(&str, &[&str]); 7] = [
    // Cryptography that libraries use as well: hashes, signatures, TLS.
    ("sha2", &["vision", "store", "service", "server", TEST_TOOLS, "xtask"]),
    ("ring", &["service"]),
    ("webpki", &["vision"]),
    ("rustls", &["service", "server"]),
    ("wasm-bindgen*", &["app", "frontend", "xtask"]),
    ("web-sys", &["app", "frontend"]),
    (
        "tokio*",
        &["store", "service", "app", "server", TEST_TOOLS, "examples/customer"],
    ),
];

/// The workspace, or the copy with a planted fault that the variable names.
fn root() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    Path::new(&here).parent().unwrap().to_path_buf()
}

fn manifest(member: &str) -> Table {
    let path = root().join(member).join("Cargo.toml");
    fs::read_to_string(&path).unwrap().parse().unwrap()
}

/// The names in a manifest's tables of dependencies, for every target.
fn dependencies(member: &str, kinds: &[&str]) -> BTreeSet<String> {
    let manifest = manifest(member);
    let targets = manifest.get("target").and_then(|targets| targets.as_table());
    let tables = targets
        .into_iter()
        .flat_map(|targets| targets.values().filter_map(|target| target.as_table()));
    std::iter::once(&manifest)
        .chain(tables)
        .flat_map(|table| kinds.iter().filter_map(|kind| table.get(*kind)?.as_table()))
        .flat_map(|names| names.keys().cloned())
        .collect()
}

/// Every file of the repository with this ending, outside build folders.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if !name.starts_with('.') && !["target", "node_modules", "models", "data"].contains(&name.as_str()) {
                found.extend(files(&path, ending));
            }
        } else if name.ends_with(ending) {
            found.push(path);
        }
    }
    found
}

#[test]
fn every_crate_is_in_the_rules() {
    let workspace = manifest(".");
    let members: BTreeSet<&str> = workspace["workspace"]["members"]
        .as_array()
        .unwrap()
        .iter()
        .map(|member| member.as_str().unwrap())
        .collect();
    assert_eq!(members, IMPORTS.iter().map(|(member, _)| *member).collect());
}

#[test]
fn crates_import_only_what_lies_below_them() {
    let members: BTreeSet<&str> = IMPORTS.iter().map(|(member, _)| *member).collect();
    let mut faults = Vec::new();
    for (member, allowed) in IMPORTS {
        for name in dependencies(member, &["dependencies", "build-dependencies"]) {
            if members.contains(name.as_str()) && !allowed.contains(&name.as_str()) {
                faults.push(format!("{member} imports {name}"));
            }
        }
        for name in dependencies(member, &["dev-dependencies"]) {
            let may = allowed.contains(&name.as_str()) || name == TEST_TOOLS;
            if members.contains(name.as_str()) && !may {
                faults.push(format!("the tests of {member} import {name}"));
            }
        }
    }
    assert_eq!(faults, Vec::<String>::new());
}

#[test]
fn outside_crates_are_used_only_where_they_may() {
    let mut faults = Vec::new();
    for (member, _) in IMPORTS {
        for name in dependencies(member, &["dependencies", "build-dependencies"]) {
            for (pattern, members) in CONFINED {
                let is_meant = pattern
                    .strip_suffix('*')
                    .map_or(name == pattern, |start| name.starts_with(start));
                if is_meant && !members.contains(&member) {
                    faults.push(format!("{member} uses {name}, which belongs to {members:?}"));
                }
            }
        }
    }
    assert_eq!(faults, Vec::<String>::new());
}

#[test]
fn only_the_server_reads_the_environment() {
    let mut faults = Vec::new();
    for (member, _) in IMPORTS
        .iter()
        .filter(|(member, _)| !["server", TEST_TOOLS, "specimen", "xtask"].contains(member))
    {
        for path in files(&root().join(member).join("src"), ".rs") {
            // Tests get the database's address from their command.
            if path.components().any(|part| part.as_os_str() == "tests") {
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            if ["env::var", "env::vars", "env::args"]
                .iter()
                .any(|call| text.contains(call))
            {
                faults.push(path);
            }
        }
    }
    assert_eq!(faults, Vec::<PathBuf>::new());
}

#[test]
fn every_migration_exists_for_both_databases() {
    let names = |database: &str| -> BTreeSet<PathBuf> {
        let folder = root().join("migrations").join(database);
        files(&folder, ".sql")
            .iter()
            .map(|path| path.strip_prefix(&folder).unwrap().to_path_buf())
            .collect()
    };
    assert!(!names("sqlite").is_empty());
    assert_eq!(names("sqlite"), names("postgres"));
}

#[test]
fn lints_may_not_be_allowed_only_expected() {
    let allowed: Vec<PathBuf> = files(&root(), ".rs")
        .into_iter()
        // The words are assembled here, or this file would match.
        .filter(|path| fs::read_to_string(path).unwrap().contains(concat!("[al", "low(")))
        .collect();
    assert_eq!(allowed, Vec::<PathBuf>::new(), "use expect with a reason");
}

/// A target without one would be run on nothing by `cargo test`, which looks no different.
#[test]
fn every_fuzz_target_has_inputs_where_it_looks_for_them() {
    let mut targets = 0;
    for file in files(&root(), "fuzz.rs") {
        let text = fs::read_to_string(&file).unwrap();
        let folder = file.parent().unwrap();
        let path = file.with_extension("").to_string_lossy().into_owned();
        let module = path.rsplit_once("/src/").unwrap().1.replace('/', "__");
        for rest in text.split("#[test]\nfn ").skip(1) {
            let name = rest.split_once('(').unwrap().0;
            let corpus = folder.join(format!("__fuzz__/{module}__{name}/corpus"));
            let inputs = fs::read_dir(&corpus).map_or(0, Iterator::count);
            assert!(inputs > 0, "{} has no inputs", corpus.display());
            targets += 1;
        }
    }
    assert!(targets > 0, "no target was found");
}
