//! The routes of the server, read from the source of the router and of the pages.

use crate::support::between;
use std::{collections::BTreeSet, fs, path::Path};

/// The text between the parenthesis at the start of `text` and its closing one.
fn in_parentheses(text: &str) -> &str {
    let mut depth = 0;
    for (at, letter) in text.char_indices() {
        depth += match letter {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        if depth == 0 {
            return &text[1..at];
        }
    }
    panic!("a parenthesis that nobody closes");
}

/// Every route of the router: `METHOD /path`, read from its source.
pub(super) fn routes() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| fs::read_to_string(root.join(path)).unwrap();
    let forms = read("../app/src/forms.rs");
    let address = |name: &str| between(&forms, &format!("pub const {name}: &str = \""), &['"']).to_owned();
    let mut routes = BTreeSet::new();
    let mut files = vec![root.join("src"), root.join("../app/src")];
    while let Some(path) = files.pop() {
        if path.is_dir() {
            files.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let source = fs::read_to_string(&path).unwrap();
        for (at, call) in source.match_indices("path=path!(") {
            let segments = in_parentheses(&source[at + call.len() - 1..])
                .trim_matches('"')
                .split('/');
            // `:id` in the table of pages is `{id}` elsewhere.
            let segments: Vec<_> = segments
                .map(|part| {
                    part.strip_prefix(':')
                        .map_or_else(|| part.to_owned(), |id| format!("{{{id}}}"))
                })
                .collect();
            routes.insert(format!("GET {}", segments.join("/")));
        }
        for (at, call) in source.match_indices(".route(") {
            let (path, methods) = in_parentheses(&source[at + call.len() - 1..]).split_once(',').unwrap();
            let path = path.trim();
            let path = path
                .strip_prefix("forms::")
                .map_or_else(|| path.trim_matches('"').to_owned(), address);
            for method in ["get", "post", "put", "delete", "patch", "any"] {
                let starts = |before: &str| !before.ends_with(|letter: char| letter.is_alphanumeric() || letter == '_');
                if methods
                    .match_indices(&format!("{method}("))
                    .any(|(at, _)| starts(&methods[..at]))
                {
                    routes.insert(format!("{} {path}", method.to_uppercase()));
                }
            }
        }
    }
    routes
}
