//! Makes the table of Japanese postcodes, `service/src/capture/postcode/table.bin`, which `service` embeds.
//!
//! Source: Japan Post's list of postcodes and places (`KEN_ALL.CSV`, free of rights by Japan Post's own word), as the npm package `yubin`
//! ships it.

use crate::models::{Package, Pinned, Registry, unpack};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use flate2::{Compression, read::DeflateDecoder, write::DeflateEncoder};
use std::{
    collections::BTreeMap,
    fs,
    io::{Read as _, Write as _},
    path::Path,
};

/// Columns of a line of the package's table.
const KIND: usize = 0;
const POSTCODE: usize = 1;
const PREFECTURE: usize = 4;
const CITY: usize = 6;
const PLACE: usize = 8;
/// `1` if the postcode has further places, which the package leaves out.
const SHARED: usize = 13;

/// Writes the table; returns how many postcodes it holds.
pub(crate) fn make(root: &Path) -> Result<usize, String> {
    let package = Package {
        registry: Registry::Npm,
        name: "yubin".into(),
        version: "0.2.2".into(),
        archive_sha256: Some("10a2951a062ced74377ed24c96072f3e8d59c712c838b153aa3303255cdd5f8b".into()),
        files: Vec::<Pinned>::new(),
    };
    let unpacked = unpack(root, &package)?;
    let script = unpacked.folder.join("package/dist/index.mjs");
    let script = fs::read_to_string(&script).map_err(|e| format!("{}: {e}", script.display()))?;
    let mut all = BTreeMap::new();
    for chunk in chunks(&script) {
        let lines = inflated(chunk)?;
        all.extend(lines.lines().filter_map(entry));
    }
    let file = root.join("service/src/capture/postcode/table.bin");
    fs::write(&file, table(&all)?).map_err(|e| format!("{}: {e}", file.display()))?;
    Ok(all.len())
}

/// The values of the script's object of chunks: `"060": "base64"`.
fn chunks(script: &str) -> impl Iterator<Item = &str> {
    script.split('"').filter(|text| {
        let base64 = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'+' | b'/' | b'=');
        text.len() > 40 && text.bytes().all(base64)
    })
}

fn inflated(chunk: &str) -> Result<String, String> {
    let bytes = STANDARD.decode(chunk).map_err(|e| e.to_string())?;
    let mut text = String::new();
    let read = DeflateDecoder::new(bytes.as_slice()).read_to_string(&mut text);
    read.map(|_| text).map_err(|e| e.to_string())
}

/// The postcode of a line and its address, as far as the postcode tells it.
fn entry(line: &str) -> Option<(String, String)> {
    let columns: Vec<&str> = line.split(',').collect();
    let column = |number: usize| columns.get(number).copied().unwrap_or_default();
    if column(KIND) != "k" {
        return None;
    }
    let place = if column(SHARED) == "1" {
        ""
    } else {
        place(column(PLACE))
    };
    Some((
        column(POSTCODE).to_owned(),
        [column(PREFECTURE), column(CITY), place].concat(),
    ))
}

/// The name of a place without Japan Post's notes: which of its blocks have the postcode, and that it stands for a whole town.
fn place(name: &str) -> &str {
    let name = name.split('（').next().unwrap_or_default();
    // One place is called so: 滋賀県犬上郡多賀町一円.
    let whole = name != "一円" && name.ends_with("一円");
    if whole || name.ends_with("場合") { "" } else { name }
}

/// For each of the 100 first two digits: where its part begins, four bytes, little-endian; then the parts, each a deflated list of lines of the
/// other five digits and the address.
fn table(all: &BTreeMap<String, String>) -> Result<Vec<u8>, String> {
    let (mut starts, mut parts) = (Vec::new(), Vec::new());
    for first in 0..100 {
        let digits = format!("{first:02}");
        let lines = all
            .range(digits.clone()..)
            .map_while(|(postcode, address)| Some(format!("{}{address}\n", postcode.strip_prefix(&digits)?)));
        let mut part = DeflateEncoder::new(Vec::new(), Compression::best());
        part.write_all(lines.collect::<String>().as_bytes())
            .map_err(|e| e.to_string())?;
        let start = 400 + u32::try_from(parts.len()).map_err(|e| e.to_string())?;
        starts.extend(start.to_le_bytes());
        parts.extend(part.finish().map_err(|e| e.to_string())?);
    }
    Ok([starts, parts].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_no_part_of_an_address() {
        let of = |line: &str| entry(line).unwrap().1;
        let line = |place: &str, shared: &str| format!("k,1000001,100,13101,東京都,,千代田区,,{place},,0,0,0,{shared}");
        assert_eq!(of(&line("千代田", "0")), "東京都千代田区千代田");
        assert_eq!(of(&line("大通西（１〜１９丁目）", "0")), "東京都千代田区大通西");
        assert_eq!(of(&line("一円", "0")), "東京都千代田区一円");
        for note in ["以下に掲載がない場合", "境町の次に番地がくる場合", "利島村一円"] {
            assert_eq!(of(&line(note, "0")), "東京都千代田区", "{note}");
        }
        assert_eq!(of(&line("千代田", "1")), "東京都千代田区", "one of several places");
        assert_eq!(entry("j,0608621,060,01101,北海道,札幌市中央区,北一条西"), None);
    }
}
