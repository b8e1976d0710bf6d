//! The layouts and formats of driving licences in the states and provinces of North America.

use crate::picture::Colour;

/// One state or province.
pub(super) struct State {
    pub(super) name: &'static str,
    pub(super) code: &'static str,
    /// Issuer number of the barcode.
    pub(super) issuer: &'static str,
    pub(super) canada: bool,
    pub(super) number: &'static str,
    pub(super) towns: &'static [&'static str],
    pub(super) tint: Colour,
    pub(super) arrangement: Arrangement,
}

impl State {
    /// Its name as AAMVA lists issuers, whatever the card's title says.
    pub(super) fn region(&self) -> &'static str {
        self.name.trim_end_matches(" STATE")
    }
}

/// Positions of the labels.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrangement {
    /// Every label with the standard's number, small, above or before its value: `4d DLN`, `3 DOB`.
    Numbered,
    /// Short labels on the line of their values: `DL I1234567`, `LN`, `FN`.
    Inline,
    /// Small words above the values.
    Above,
}

pub(super) const STATES: [State; 8] = [
    State {
        name: "CALIFORNIA",
        code: "CA",
        issuer: "636014",
        canada: false,
        number: "A9999999",
        towns: &["ANYTOWN, CA 95818", "SANTA FLORA, CA 93105"],
        tint: [226.0, 236.0, 246.0],
        arrangement: Arrangement::Inline,
    },
    State {
        name: "NEW YORK STATE",
        code: "NY",
        issuer: "636001",
        canada: false,
        number: "999 999 999",
        towns: &["ALBANY, NY 12222", "ANYTOWN, NY 12345"],
        tint: [232.0, 238.0, 240.0],
        arrangement: Arrangement::Above,
    },
    State {
        name: "TEXAS",
        code: "TX",
        issuer: "636015",
        canada: false,
        number: "99999999",
        towns: &["AUSTIN, TX 78701", "ANYTOWN, TX 77000"],
        tint: [240.0, 232.0, 226.0],
        arrangement: Arrangement::Numbered,
    },
    State {
        name: "FLORIDA",
        code: "FL",
        issuer: "636010",
        canada: false,
        number: "A999-999-99-999-9",
        towns: &["TALLAHASSEE, FL 32301", "ANYCITY, FL 33100"],
        tint: [246.0, 234.0, 222.0],
        arrangement: Arrangement::Numbered,
    },
    State {
        name: "ILLINOIS",
        code: "IL",
        issuer: "636035",
        canada: false,
        number: "A999-9999-9999",
        towns: &["SPRINGFIELD, IL 62701", "ANYTOWN, IL 60600"],
        tint: [230.0, 240.0, 232.0],
        arrangement: Arrangement::Numbered,
    },
    State {
        name: "WASHINGTON",
        code: "WA",
        issuer: "636045",
        canada: false,
        number: "WDLAAA99999A",
        towns: &["OLYMPIA, WA 98501", "ANYTOWN, WA 98000"],
        tint: [226.0, 240.0, 236.0],
        arrangement: Arrangement::Numbered,
    },
    State {
        name: "ONTARIO",
        code: "ON",
        issuer: "636012",
        canada: true,
        number: "A9999-99999-99999",
        towns: &["TORONTO, ON, M5V 2T6", "OTTAWA, ON, K1P 1J1"],
        tint: [236.0, 240.0, 226.0],
        arrangement: Arrangement::Above,
    },
    State {
        name: "BRITISH COLUMBIA",
        code: "BC",
        issuer: "636028",
        canada: true,
        number: "9999999",
        towns: &["VICTORIA, BC V8V 1X4", "VANCOUVER, BC V6B 1A1"],
        tint: [224.0, 234.0, 246.0],
        arrangement: Arrangement::Inline,
    },
];
