//! The suite is complete: each function that runs SQL is called by a test that runs on both databases. And statements name their columns.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// `module::function` for each public function over a transaction. Files of a folder count for the module they belong to.
fn store_functions() -> BTreeSet<String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../store/src");
    let mut functions = BTreeSet::new();
    for file in rust_files(&source) {
        let path = file.strip_prefix(&source).unwrap().with_extension("");
        let mut parts: Vec<_> = path.iter().map(|part| part.to_str().unwrap()).collect();
        parts.retain(|part| *part != "mod");
        // The files of this folder are private: its functions are called by its name.
        let module = if parts[0] == "jobs" {
            "jobs"
        } else {
            parts[parts.len() - 1]
        };
        let text = fs::read_to_string(&file).unwrap();
        for rest in text.split("\npub async fn ").skip(1) {
            let (name, arguments) = rest.split_once('(').unwrap();
            if arguments.trim_start().starts_with("tx: &mut Tx") {
                functions.insert(format!("{module}::{name}"));
            }
        }
    }
    functions
}

#[test]
fn every_store_function_is_called_by_a_contract_test() {
    let functions = store_functions();
    assert!(
        functions.contains("jobs::claim") && functions.contains("jobs::any_due"),
        "{functions:?}"
    );
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../store/tests/contract");
    let text: String = rust_files(&tests)
        .iter()
        .map(|file| fs::read_to_string(file).unwrap())
        .collect();
    let missing: Vec<_> = functions
        .iter()
        .filter(|name| !text.contains(&format!("{name}(")))
        .collect();
    assert!(missing.is_empty(), "called by no contract test: {missing:?}");
}

/// [`super::schema`] shows why.
#[test]
fn no_statement_asks_for_whatever_columns_there_are() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../store/src");
    for file in rust_files(&source) {
        let text = fs::read_to_string(&file).unwrap();
        for all in ["SELECT *", "RETURNING *", ".*,", ".* FROM"] {
            assert!(!text.contains(all), "{all} in {}", file.display());
        }
    }
}
