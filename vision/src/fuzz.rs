//! Fuzz targets for pictures, and for what is read from them or shipped with them: see docs/TESTING.md. Those for the codes on cards
//! are in `code`.

use crate::{layout::Layout, logo, mrz::Elements, nn::Weights, normalise};
use domain::{document::Side, findings::MrzFormat};
use std::str::from_utf8;
use time::{Date, macros::date};

const TODAY: Date = date!(2026 - 11 - 21);
const FORMATS: [MrzFormat; 7] = [
    MrzFormat::Td1,
    MrzFormat::Td2,
    MrzFormat::France,
    MrzFormat::Td3,
    MrzFormat::MrvA,
    MrzFormat::MrvB,
    MrzFormat::License,
];

#[test]
fn pictures() {
    bolero::check!().with_iterations(0).for_each(|bytes: &[u8]| {
        if let Ok(picture) = normalise(bytes) {
            assert!(normalise(&picture.jpeg).is_ok(), "what is stored cannot be opened");
        }
    });
}

#[test]
fn logos() {
    bolero::check!()
        .with_iterations(0)
        .for_each(|bytes: &[u8]| drop(logo(bytes)));
}

#[test]
fn zone_lines() {
    bolero::check!().with_iterations(0).for_each(|bytes: &[u8]| {
        let Some((&first, rest)) = bytes.split_first() else {
            return;
        };
        let Ok(text) = from_utf8(rest) else { return };
        let format = FORMATS[usize::from(first) % FORMATS.len()];
        let lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
        let elements = Elements::new(format, &lines);
        drop(elements.fields(Side::Front, text, TODAY));
        assert!(elements.birth_date(TODAY).is_none_or(|birth| birth <= TODAY));
        assert!(elements.expiry_date(TODAY).is_none_or(|expiry| expiry.year() >= 1900));
    });
}

#[test]
fn layout_files() {
    bolero::check!().with_iterations(0).for_each(|bytes: &[u8]| {
        let Ok(text) = from_utf8(bytes) else { return };
        drop(Layout::parse("fuzz", text));
    });
}

#[test]
fn weights() {
    bolero::check!().with_iterations(0).for_each(|bytes: &[u8]| {
        let mut parts = bytes.splitn(2, |byte| *byte == 0);
        let (manifest, numbers) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        drop(Weights::parse("fuzz", manifest, numbers));
    });
}
