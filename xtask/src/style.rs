//! The style sheets, bundled from `style/main.css` and `style/console.css`, and minified.

use crate::Done;
use lightningcss::stylesheet::{MinifyOptions, ParserOptions, PrinterOptions, StyleSheet};
use std::{fs, path::Path};

/// One style sheet from `main` and everything it imports.
pub(crate) fn bundle(main: &Path) -> Done<Vec<u8>> {
    let text = with_imports(main)?;
    // The errors borrow from the text, so they are converted to text of their own here.
    let mut sheet =
        StyleSheet::parse(&text, ParserOptions::default()).map_err(|error| format!("{}: {error}", main.display()))?;
    sheet
        .minify(MinifyOptions::default())
        .map_err(|error| error.to_string())?;
    let printed = sheet.to_css(PrinterOptions {
        minify: true,
        ..PrinterOptions::default()
    });
    Ok(printed.map_err(|error| error.to_string())?.code.into_bytes())
}

/// The text of a style sheet, with other sheets in the place of the lines that import them.
fn with_imports(sheet: &Path) -> Done<String> {
    let in_sheet = |error: &dyn std::fmt::Display| format!("{}: {error}", sheet.display());
    let folder = sheet.parent().unwrap_or(Path::new(""));
    let mut text = String::new();
    for line in fs::read_to_string(sheet).map_err(|error| in_sheet(&error))?.lines() {
        match line
            .strip_prefix("@import \"")
            .and_then(|rest| rest.strip_suffix("\";"))
        {
            Some(imported) => text += &with_imports(&folder.join(imported)).map_err(|error| in_sheet(&error))?,
            // A browser would look for it at an address that the site does not have.
            None if line.contains("@import") => return Err(in_sheet(&format!("not understood: {line}")).into()),
            None => text += line,
        }
        text.push('\n');
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_become_part_of_one_small_sheet() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        fs::create_dir(folder.path().join("parts")).unwrap();
        write("main.css", "@import \"./parts/a.css\";\nbody { color: #ff0000; }");
        write("parts/a.css", "@import \"./b.css\";\np { margin: 0px 0px; }");
        write("parts/b.css", "i { color: #000000; }");
        let css = String::from_utf8(bundle(&folder.path().join("main.css")).unwrap()).unwrap();
        assert_eq!(css, "i{color:#000}p{margin:0}body{color:red}");
    }

    #[test]
    fn an_import_that_would_be_left_to_the_browser_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let main = folder.path().join("main.css");
        fs::write(folder.path().join("a.css"), "").unwrap();
        for import in [
            "@import url(\"./a.css\");",
            "@import \"./a.css\" print;",
            "p {} @import \"./a.css\";",
        ] {
            fs::write(&main, import).unwrap();
            let error = bundle(&main).unwrap_err().to_string();
            assert!(error.contains("main.css: not understood: "), "{error}");
        }
    }

    /// A browser that lacks `:has()` drops a whole rule for one selector with it, whatever else the rule is for.
    #[test]
    fn what_needs_has_takes_no_other_selector_of_the_phones_pages_with_it() {
        let main = Path::new(env!("CARGO_MANIFEST_DIR")).join("../style/main.css");
        let css = String::from_utf8(bundle(&main).unwrap()).unwrap();
        // Before each brace stands what it is for; minified, nothing else has one.
        let lists = css.split('{').filter_map(|part| part.rsplit(['}', ';']).next());
        let lists: Vec<&str> = lists.filter(|list| list.contains(":has(")).collect();
        assert!(!lists.is_empty());
        for list in lists {
            let selectors = outside_of_brackets(list);
            assert!(selectors.iter().all(|one| one.contains(":has(")), "{list}");
        }
    }

    /// A browser that lacks `color-mix()` does not drop a property that holds it: whatever uses that property then has no colour at all. And of
    /// two values of a property in one rule, of which the first is for browsers that lack `dvh`, minifying leaves the second.
    #[test]
    fn what_older_browsers_lack_stands_where_they_do_not_look() {
        let main = Path::new(env!("CARGO_MANIFEST_DIR")).join("../style/main.css");
        let css = String::from_utf8(bundle(&main).unwrap()).unwrap();
        for (new, old) in [
            ("color-mix(", "--accent-press:var(--accent)"),
            ("dvh", "min-height:100vh"),
        ] {
            assert!(css.contains(old), "{old}");
            let places: Vec<usize> = css.match_indices(new).map(|(at, _)| at).collect();
            assert!(!places.is_empty(), "{new}");
            for at in places {
                let around = rules_around(&css[..at]);
                // What `@supports` itself asks stands outside of its braces.
                let last = css[..at].rsplit(['{', '}', ';']).next().unwrap_or_default();
                let asks = |rule: &str| rule.starts_with("@supports") && rule.contains(new);
                let is_asked = last.starts_with("@supports") || around.iter().any(|rule| asks(rule));
                assert!(is_asked, "{new} in {around:?}");
            }
        }
    }

    /// Chrome before 104, and so Samsung Internet before 20, has no `translate`, `scale` and `rotate` as properties of their own: the frame would stand
    /// beside the part of the picture that is analysed, and the arrow to the left would point to the right.
    #[test]
    fn nothing_is_placed_or_turned_by_a_property_that_older_phones_lack() {
        let main = Path::new(env!("CARGO_MANIFEST_DIR")).join("../style/main.css");
        let css = String::from_utf8(bundle(&main).unwrap()).unwrap();
        for property in ["translate:", "scale:", "rotate:"] {
            let begins = |at: usize| css[..at].ends_with(['{', ';']);
            let found = css.match_indices(property).filter(|(at, _)| begins(*at)).count();
            assert_eq!(found, 0, "{property}");
        }
    }

    /// What stands before each brace that is open at the end of a minified sheet's beginning.
    fn rules_around(beginning: &str) -> Vec<&str> {
        let mut open = Vec::new();
        let mut from = 0;
        for (at, letter) in beginning.char_indices() {
            match letter {
                '{' => open.push(&beginning[from..at]),
                '}' => {
                    open.pop();
                }
                ';' => {}
                _ => continue,
            }
            from = at + 1;
        }
        open
    }

    /// The parts of a list, of which some may hold lists in brackets.
    fn outside_of_brackets(list: &str) -> Vec<String> {
        let (mut parts, mut depth) = (vec![String::new()], 0);
        for letter in list.chars() {
            match letter {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            if letter == ',' && depth == 0 {
                parts.push(String::new());
            } else if let Some(last) = parts.last_mut() {
                last.push(letter);
            }
        }
        parts
    }

    #[test]
    fn a_missing_import_is_named() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("main.css"), "@import \"./gone.css\";").unwrap();
        let error = bundle(&folder.path().join("main.css")).unwrap_err().to_string();
        assert!(error.contains("main.css") && error.contains("gone.css"), "{error}");
    }
}
