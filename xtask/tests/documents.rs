//! Whatever documents and scripts refer to in the repository exists: paths, files named without their folder, and tests.
//!
//! Planted faults that this detects: a test file moved into a folder; a test renamed; a filter of `cargo test` that no test begins with.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Folders and files of the repository, relative to its root, without what tools leave there.
fn everything() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = vec![String::new()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(root().join(&folder)).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            if name.starts_with('.') || ["target", "node_modules", "models"].contains(&name.as_str()) {
                continue;
            }
            let path = if folder.is_empty() {
                name
            } else {
                format!("{folder}/{name}")
            };
            if entry.file_type().unwrap().is_dir() {
                open.push(path.clone());
            }
            found.insert(path);
        }
    }
    found
}

/// The documents, with their text outside of blocks of code.
fn documents(all: &BTreeSet<String>) -> Vec<(&String, String)> {
    let is_document = |path: &&String| {
        path.ends_with(".md")
            && (path.starts_with("docs/") || ["README.md", "CONTRIBUTING.md"].contains(&path.as_str()))
    };
    let text = |path: &String| {
        let text = fs::read_to_string(root().join(path)).unwrap();
        text.split("```").step_by(2).collect::<String>()
    };
    all.iter().filter(is_document).map(|path| (path, text(path))).collect()
}

/// The words between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    let quotes = text.split('`').skip(1).step_by(2);
    quotes.flat_map(|quote| quote.split([' ', ',']))
}

/// A part of it stands for a name, as in `app/src/text/NAME.rs`.
fn is_placeholder(path: &str) -> bool {
    path.split(['/', '.'])
        .any(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_uppercase()))
}

fn has_name(path: &str, name: &str) -> bool {
    path.rsplit('/').next() == Some(name)
}

#[test]
fn every_path_and_every_file_that_a_document_names_exists() {
    let all = everything();
    let is_source = |word: &str| {
        let (stem, kind) = word.rsplit_once('.').unwrap_or_default();
        ["rs", "mjs", "sh", "c"].contains(&kind)
            && !stem.is_empty()
            && stem
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'_' | b'-'))
    };
    let (mut missing, mut found) = (Vec::new(), 0);
    for (document, text) in documents(&all) {
        for word in quoted(&text).map(|word| word.trim_end_matches(['/', '.', ':'])) {
            let exists = match word.split_once('/') {
                Some((top, _)) if all.contains(top) && !is_placeholder(word) => all.contains(word),
                None if is_source(word) => all.iter().any(|path| has_name(path, word)),
                _ => continue,
            };
            found += 1;
            if !exists {
                missing.push(format!("{document}: {word}"));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    assert!(found > 200, "the paths were not found: {found}");
}

/// The text of all source files.
fn sources(all: &BTreeSet<String>) -> String {
    let sources = all.iter().filter(|path| path.ends_with(".rs"));
    sources
        .map(|path| fs::read_to_string(root().join(path)).unwrap())
        .collect()
}

#[test]
fn every_test_that_the_security_page_names_exists() {
    let all = everything();
    let sources = sources(&all);
    let (_, page) = documents(&all)
        .into_iter()
        .find(|(path, _)| *path == "docs/SECURITY.md")
        .unwrap();
    let is_test = |word: &&str| {
        word.matches('_').count() >= 3
            && word
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
    };
    let named: Vec<&str> = quoted(&page).filter(is_test).collect();
    let missing: Vec<_> = named
        .iter()
        .filter(|name| !sources.contains(&format!("fn {name}(")))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(named.len() > 25, "the tests were not found: {}", named.len());
}

/// What selects tests in a command line: `--lib FILTER`, and `--test TARGET FILTER`.
fn filters<'a>(words: &[&'a str]) -> Vec<&'a str> {
    let found = (0..words.len()).filter_map(|at| match words[at] {
        "--lib" => words.get(at + 1),
        "--test" => words.get(at + 2),
        _ => None,
    });
    found.copied().collect()
}

/// Whether it is the beginning of a test's name, or a module of tests.
fn selects_a_test(filter: &str, all: &BTreeSet<String>, sources: &str) -> bool {
    let name = filter.trim_end_matches("::");
    let files = [format!("/{name}.rs"), format!("/{name}/mod.rs")];
    let is_module = all.iter().any(|path| files.iter().any(|file| path.ends_with(file)));
    is_module || sources.contains(&format!("fn {name}"))
}

/// Cargo succeeds where a filter matches no test, so that a long run of a renamed test would test nothing.
#[test]
fn every_filter_of_the_long_running_tests_matches_a_test() {
    let all = everything();
    let sources = sources(&all);
    let script = fs::read_to_string(root().join("scripts/soak.sh")).unwrap();
    let words: Vec<&str> = script.split_whitespace().collect();
    let mut filters = filters(&words);
    // A target without one is followed by the next step.
    filters.retain(|word| *word != "long");
    for filter in &filters {
        assert!(selects_a_test(filter, &all, &sources), "{filter}");
    }
    assert!(filters.len() > 5, "the filters were not found: {filters:?}");
}

/// What a document says to regenerate or to repeat would silently not be.
#[test]
fn every_filter_of_tests_that_a_document_names_matches_a_test() {
    let all = everything();
    let sources = sources(&all);
    let mut found = 0;
    for (document, text) in documents(&all) {
        let commands = text.split('`').skip(1).step_by(2);
        for command in commands.filter(|quote| quote.contains("cargo test ")) {
            let words: Vec<&str> = command.split_whitespace().collect();
            for filter in filters(&words).into_iter().filter(|word| !word.starts_with('-')) {
                found += 1;
                assert!(selects_a_test(filter, &all, &sources), "{document}: {filter}");
            }
        }
    }
    assert!(found > 3, "the filters were not found: {found}");
}
