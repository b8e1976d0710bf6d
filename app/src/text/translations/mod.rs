//! The texts in the languages beside English and Japanese, from the files in this folder.

use super::{Text, camera, capture, picture, switch_device};
use domain::language::Language;
use std::{
    collections::{BTreeMap, HashMap},
    sync::LazyLock,
};

type Table = HashMap<&'static str, &'static str>;

static TABLES: LazyLock<Vec<(Language, Table)>> = LazyLock::new(|| {
    let all = Language::ALL.iter();
    all.filter_map(|language| Some((*language, parse(file(*language)?))))
        .collect()
});

const fn file(language: Language) -> Option<&'static str> {
    match language {
        // In the source.
        Language::En | Language::Ja => None,
        Language::ZhHans => Some(include_str!("zh-Hans.txt")),
        Language::Ko => Some(include_str!("ko.txt")),
        Language::Vi => Some(include_str!("vi.txt")),
        Language::Pt => Some(include_str!("pt.txt")),
        Language::Es => Some(include_str!("es.txt")),
    }
}

/// Lines `MODULE::NAME = text`; a text in quotation marks keeps its spaces.
fn parse(file: &'static str) -> Table {
    let lines = file.lines().filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| line.split_once(" = "))
        .map(|(key, text)| {
            let quoted = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
            (key, quoted.unwrap_or(text))
        })
        .collect()
}

fn table(language: Language) -> Option<&'static Table> {
    TABLES.iter().find(|(of, _)| *of == language).map(|(_, table)| table)
}

/// The text with this key.
pub(super) fn find(language: Language, key: &str) -> Option<&'static str> {
    table(language)?.get(key).copied()
}

/// The keys of a language.
#[cfg(test)]
pub(super) fn keys(language: Language) -> impl Iterator<Item = &'static str> {
    table(language).into_iter().flat_map(|table| table.keys().copied())
}

/// What the camera says besides the texts of its own module.
const BORROWED: [Text; 3] = [
    capture::SELFIE_CANNOT,
    switch_device::OTHER_DEVICE,
    picture::FILE_TOO_LARGE,
];

/// The texts of the islands in that language, as JSON.
pub(crate) fn for_islands(language: Language) -> String {
    let own = camera::ALL.iter().map(|(_, text)| *text);
    let texts: BTreeMap<_, _> = own
        .chain(BORROWED)
        .map(|text| (text.key(), text.get(language)))
        .collect();
    // Nothing in it can end the element around it. A map of strings always becomes JSON.
    serde_json::to_string(&texts)
        .unwrap_or_default()
        .replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, path::Path};

    fn sources(folder: &Path) -> String {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        entries
            .map(|path| {
                if path.is_dir() {
                    sources(&path)
                } else {
                    fs::read_to_string(path).unwrap()
                }
            })
            .collect()
    }

    #[test]
    fn a_page_brings_every_text_that_its_island_says() {
        let brought = for_islands(Language::Ko);
        let said = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/camera"));
        for module in [
            "capture",
            "switch_device",
            "details",
            "picture",
            "closing",
            "entry",
            "finish",
        ] {
            for (at, _) in said.match_indices(&format!("{module}::")) {
                let name: String = said[at + module.len() + 2..]
                    .chars()
                    .take_while(|c| c.is_ascii_uppercase() || *c == '_')
                    .collect();
                let key = format!("{module}::{name}");
                assert!(name.is_empty() || brought.contains(&format!("\"{key}\":")), "{key}");
            }
        }
        assert!(brought.contains("\"camera::OPEN\":\"카메라 열기\""), "{brought}");
        assert!(for_islands(Language::Ja).contains("\"camera::OPEN\":\"カメラを開く\""));
    }

    #[test]
    fn a_text_in_quotation_marks_keeps_its_spaces() {
        let table = parse("# nothing\n\na::B = \" y \"\na::C = x = y\n");
        assert_eq!(table.get("a::B"), Some(&" y "));
        assert_eq!(table.get("a::C"), Some(&"x = y"));
        assert_eq!(table.len(), 2);
    }
}
