//! The contents of the files in a folder, for tests that nothing is left in any of them.

use std::{collections::BTreeSet, path::Path};

/// Which of the needles occur in the files of a folder.
pub fn search(folder: &Path, needles: &[Vec<u8>]) -> BTreeSet<usize> {
    let mut hits = BTreeSet::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            hits.extend(search(&path, needles));
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        let is_in = |needle: &[u8]| bytes.windows(needle.len()).any(|window| window == needle);
        hits.extend((0..needles.len()).filter(|&at| is_in(&needles[at])));
    }
    hits
}
