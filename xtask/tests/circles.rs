//! No module of a crate imports, directly or indirectly, a module that imports it, so that every module can be understood
//! without a cycle of others. Planted faults were tried once: `domain::time` importing `domain::session`, and
//! `app::console::parts` importing `layout`.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// Modules of one folder, each with the neighbours that it names.
type Imports = BTreeMap<String, BTreeSet<String>>;

/// The sources in a folder and below, without tests in files or folders of their own.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.file_stem().is_some_and(|name| name == "tests") {
            continue;
        }
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            found.push(path);
        }
    }
    found
}

/// The text without comments and without the tests at its end, which may import anything.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let tests = ["#[cfg(test)]\nmod tests {", "#[cfg(test)]\npub(crate) mod scenarios {"];
    let text = tests
        .iter()
        .fold(text.as_str(), |text, tests| text.split(tests).next().unwrap());
    text.lines()
        .map(|line| line.split("//").next().unwrap())
        .collect::<Vec<_>>()
        .join("\n")
}

/// The paths from the crate's root that `code`, located in the module `at`, names by `crate::` or `super::`.
fn named(code: &str, at: &[String]) -> BTreeSet<Vec<String>> {
    let mut names = BTreeSet::new();
    for rest in code.split("crate::").skip(1) {
        unfold(rest, Vec::new(), &mut names);
    }
    let mut parent = at.to_vec();
    for rest in code.split("super::").skip(1) {
        parent.pop();
        if !rest.is_empty() {
            unfold(rest, parent, &mut names);
            parent = at.to_vec();
        }
    }
    names
}

/// Adds every path that begins with `path` and continues as `text` does, with braces expanded.
fn unfold(text: &str, mut path: Vec<String>, names: &mut BTreeSet<Vec<String>>) {
    if let Some(list) = text.strip_prefix('{') {
        items(list).for_each(|item| unfold(item.trim_start(), path.clone(), names));
        return;
    }
    let word = first_word(text);
    let rest = text[word.len()..].strip_prefix("::");
    path.push(word);
    match rest {
        Some(rest) => unfold(rest, path, names),
        None => drop(names.insert(path)),
    }
}

/// The items between the commas of a list, up to its closing brace.
fn items(list: &str) -> impl Iterator<Item = &str> {
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
    starts.into_iter().map(|at| &list[at..])
}

fn first_word(text: &str) -> String {
    text.chars()
        .take_while(|letter| letter.is_alphanumeric() || *letter == '_')
        .collect()
}

/// The module path of a file; empty for a crate's root.
fn module(inside: &Path) -> Vec<String> {
    let mut path: Vec<String> = inside
        .with_extension("")
        .iter()
        .map(|part| part.to_string_lossy().into_owned())
        .collect();
    if path
        .last()
        .is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str()))
    {
        path.pop();
    }
    path
}

/// The imports among the modules of each folder. What a module names of its parent is ignored.
fn imports(crate_folder: &Path) -> BTreeMap<Vec<String>, Imports> {
    let folder = crate_folder.join("src");
    let files: Vec<_> = sources(&folder)
        .into_iter()
        .map(|file| (module(file.strip_prefix(&folder).unwrap()), code(&file)))
        .collect();
    let mut folders: BTreeMap<Vec<String>, Imports> = BTreeMap::new();
    for (at, _) in &files {
        for (depth, module) in at.iter().enumerate() {
            let neighbours = folders.entry(at[..depth].to_vec()).or_default();
            neighbours.entry(module.clone()).or_default();
        }
    }
    for (at, code) in &files {
        for name in named(code, at) {
            let shared = at.iter().zip(&name).take_while(|(one, other)| one == other).count();
            let (Some(from), Some(to)) = (at.get(shared), name.get(shared)) else {
                continue;
            };
            let neighbours = folders.get_mut(&at[..shared]).unwrap();
            if neighbours.contains_key(to) {
                neighbours.get_mut(from).unwrap().insert(to.clone());
            }
        }
    }
    folders
}

/// What remains when modules that import nothing, or only such, are removed: the cycles and what leads into them.
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
    for name in [
        "domain", "lens", "vision", "store", "service", "app", "server", "specimen", "xtask",
    ] {
        let folders = imports(&root.join(name));
        let found: usize = folders.values().flat_map(BTreeMap::values).map(BTreeSet::len).sum();
        assert!(found > 0, "{name}: no import was found at all");
        for (folder, imports) in folders {
            assert_eq!(circles(imports), Imports::new(), "{name}::{}", folder.join("::"));
        }
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
    let text =
        "use crate::{one::{x, y}, two};\nuse super::{near, other::z};\nlet a = crate::four::f(super::super::top());";
    let at = ["a", "b", "c"].map(str::to_owned);
    let found: Vec<_> = named(text, &at).into_iter().map(|path| path.join("::")).collect();
    assert_eq!(
        found,
        [
            "a::b::near",
            "a::b::other::z",
            "a::top",
            "four::f",
            "one::x",
            "one::y",
            "two"
        ]
    );
}
