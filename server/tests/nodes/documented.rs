//! What the documentation says about the program: its commands exist, and so do the messages by which somebody looks for help.

use super::node::PROGRAM;
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Planted faults that this test detects: a subcommand or an option that was renamed in the program only.
#[test]
fn every_command_that_the_documentation_quotes_is_one_of_the_program() {
    let mut found = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for quoted in quoted(&text) {
            // Everything before it must be known; what is missing is not asked for.
            let asked = Command::new(PROGRAM)
                .args(words(&quoted))
                .arg("--help")
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&asked.stderr);
            // Some values are placeholders.
            let is_known = asked.status.success() || said.starts_with("error: invalid value");
            assert!(is_known, "{}: {quoted}: {said}", page.display());
            found += 1;
        }
    }
    assert!(found > 50, "the commands were not found: {found}");
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn pages() -> Vec<PathBuf> {
    let listed = fs::read_dir(root().join("docs")).unwrap();
    let mut pages: Vec<_> = listed.map(|entry| entry.unwrap().path()).collect();
    pages.retain(|page| page.extension().is_some_and(|extension| extension == "md"));
    pages.push(root().join("README.md"));
    pages
}

/// Commands in the text between backticks, and on lines of blocks.
fn quoted(text: &str) -> Vec<String> {
    let inline = text.split('`').skip(1).step_by(2);
    let lines = text.lines().filter(|line| !line.contains('`'));
    let all = inline.chain(lines).map(str::trim);
    // The package's command passes its arguments on.
    let commands = all.filter_map(|part| {
        let rest = part
            .strip_prefix("honnin ")
            .or_else(|| part.strip_prefix("honnin-admin "))?;
        // A sentence that begins with the name of the program, or a placeholder.
        rest.starts_with(|first: char| first.is_ascii_lowercase() || first == '-')
            .then(|| rest.to_owned())
    });
    commands.collect()
}

/// The arguments of one command.
fn words(command: &str) -> Vec<String> {
    let end = command.find([';', '|', '#', '&', '>']).unwrap_or(command.len());
    let words = command[..end].split_whitespace();
    words
        .map(|word| word.trim_matches(['[', ']', '"']).to_owned())
        .collect()
}

#[test]
fn each_message_in_the_table_of_symptoms_is_one_of_the_program() {
    let page = fs::read_to_string(root().join("docs/MONITORING.md")).unwrap();
    let (_, rest) = page.split_once("\n## By symptom\n").unwrap();
    let tables = rest.split("\n## ").next().unwrap();
    let symptoms = tables
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    let messages: Vec<&str> = symptoms
        .flat_map(|symptom| symptom.split('`').skip(1).step_by(2))
        // An address or a status is not a message.
        .filter(|text| text.contains(' '))
        .collect();
    assert!(messages.len() > 10, "{messages:?}");
    let sources: String = ["server/src", "service/src", "store/src", "vision/src", "app/src"]
        .iter()
        .flat_map(|folder| rust_files(&root().join(folder)))
        .map(|file| fs::read_to_string(file).unwrap())
        .collect();
    for message in messages {
        // After the last colon: what comes before is the name of a setting or a path.
        let known = message.rsplit(": ").next().unwrap();
        assert!(sources.contains(known), "no message of the program: {message}");
    }
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| if path.is_dir() { rust_files(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect()
}
