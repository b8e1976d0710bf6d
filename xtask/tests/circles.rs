//! No module of a crate imports, by way of others, a module that imports it: whoever reads one never has to hold a ring of
//! them in the head. A planted fault was tried once: `domain::time` importing `domain::session`.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// Modules at the top of a crate, each with those it names.
type Imports = BTreeMap<String, BTreeSet<String>>;

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            found.push(path);
        }
    }
    found
}

/// The text without comments and without the tests at its end, which may look at anything.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    text.lines()
        .map(|line| line.split("//").next().unwrap())
        .collect::<Vec<_>>()
        .join("\n")
}

/// The first names after each `crate::`, braces unfolded.
fn named(code: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for rest in code.split("crate::").skip(1) {
        let Some(list) = rest.strip_prefix('{') else {
            names.insert(first_word(rest));
            continue;
        };
        let (mut depth, mut starts) = (0, vec![0]);
        for (at, letter) in list.char_indices() {
            match letter {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => starts.push(at + 1),
                _ => {}
            }
        }
        names.extend(starts.into_iter().map(|at| first_word(list[at..].trim_start())));
    }
    names
}

fn first_word(text: &str) -> String {
    text.chars()
        .take_while(|letter| letter.is_alphanumeric() || *letter == '_')
        .collect()
}

fn imports(crate_folder: &Path) -> Imports {
    let folder = crate_folder.join("src");
    let mut imports = Imports::new();
    for path in sources(&folder) {
        let inside = path.strip_prefix(&folder).unwrap();
        let top = inside
            .components()
            .next()
            .unwrap()
            .as_os_str()
            .to_string_lossy()
            .trim_end_matches(".rs")
            .to_owned();
        if !["lib", "main"].contains(&top.as_str()) {
            imports.entry(top).or_default().extend(named(&code(&path)));
        }
    }
    let modules: BTreeSet<String> = imports.keys().cloned().collect();
    for (module, names) in &mut imports {
        names.retain(|name| modules.contains(name) && name != module);
    }
    imports
}

/// What is left when modules that import nothing, or only such, are taken away: the rings and what leads into them.
fn circles(mut imports: Imports) -> Imports {
    loop {
        let free: BTreeSet<String> = imports
            .iter()
            .filter(|(_, names)| names.is_empty())
            .map(|(module, _)| module.clone())
            .collect();
        if free.is_empty() {
            return imports;
        }
        imports.retain(|module, _| !free.contains(module));
        for names in imports.values_mut() {
            names.retain(|name| !free.contains(name));
        }
    }
}

#[test]
fn no_modules_import_each_other_in_a_circle() {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let root = Path::new(&here).parent().unwrap();
    for name in ["domain", "lens", "vision", "store", "service", "app", "server", "xtask"] {
        let imports = imports(&root.join(name));
        assert!(
            imports.values().any(|names| !names.is_empty()),
            "{name}: no import was found at all"
        );
        assert_eq!(
            circles(imports),
            Imports::new(),
            "{name} has a circle among these modules"
        );
    }
}

#[test]
fn a_circle_is_found_where_there_is_one() {
    let names = |text: &str| {
        text.split(' ')
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let imports: Imports = [("a", "b"), ("b", "c"), ("c", "a"), ("d", "")]
        .map(|(module, named)| (module.to_owned(), names(named)))
        .into();
    assert_eq!(circles(imports).into_keys().collect::<Vec<_>>(), ["a", "b", "c"]);
}

#[test]
fn names_are_found_in_braces_and_without() {
    let text = "use crate::{one::{x, y}, two, three::z};\nlet a = crate::four::f();";
    assert_eq!(named(text), ["one", "two", "three", "four"].map(str::to_owned).into());
}
