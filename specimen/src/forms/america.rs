//! Driving licences of the United States and Canada (AAMVA DL/ID Card Design Standard): labels with the standard's numbers,
//! arranged as in each state; all data again in the PDF417 on the back.

use super::america_states::{Arrangement, STATES, State};
use crate::Done;
use crate::{
    label::Item,
    names::ENGLISH,
    page::{Page, Value},
    pdf417::pdf417,
    people::{Owner, digits, letters, pick, street},
    person::Date,
    picture::{Colour, Picture},
};
use rand::{Rng, RngExt, seq::IndexedRandom};

/// What is on one licence.
#[derive(Clone, Debug)]
pub(crate) struct Licence {
    pub(crate) owner: Owner,
    state: usize,
    number: String,
    street: String,
    town: String,
    issued: Date,
    pub(super) expiry: Date,
    height: (u8, u8),
    eyes: &'static str,
}

impl Licence {
    /// A fictional licence.
    pub(crate) fn invented(faces: usize, chance: &mut impl Rng) -> Self {
        let owner = Owner::invented(&ENGLISH, faces, chance);
        let state = chance.random_range(0..STATES.len());
        let form = &STATES[state];
        let issued = Date::drawn(chance, 2022, 2025);
        let number = form.number.chars().map(|c| match c {
            'A' => letters(1, chance),
            '9' => digits(1, chance),
            other => other.to_string(),
        });
        Self {
            number: number.collect(),
            state,
            street: street(chance),
            town: pick(form.towns, chance),
            // Until a birthday, as in most states.
            expiry: owner
                .birth
                .years_later(issued.year + chance.random_range(4..8) - owner.birth.year),
            issued,
            height: (chance.random_range(4..7), chance.random_range(0..12)),
            eyes: ["BRO", "BLU", "GRN", "HAZ", "BLK"]
                .choose(chance)
                .copied()
                .unwrap_or("BRO"),
            owner,
        }
    }

    fn form(&self) -> &'static State {
        &STATES[self.state]
    }

    /// Code of the state.
    pub(crate) fn code(&self) -> &'static str {
        self.form().code
    }

    /// The background tints of the card.
    pub(crate) fn tints(&self) -> [Colour; 2] {
        [self.form().tint, [240.0, 240.0, 232.0]]
    }

    fn day(&self, date: Date) -> String {
        if self.form().canada {
            format!("{}/{:02}/{:02}", date.year, date.month, date.day)
        } else {
            format!("{:02}/{:02}/{}", date.month, date.day, date.year)
        }
    }

    /// The payload of the barcode, version 9 of the standard.
    pub(crate) fn payload(&self) -> String {
        let owner = &self.owner;
        let form = self.form();
        let day = |date: Date| {
            if form.canada {
                format!("{}{:02}{:02}", date.year, date.month, date.day)
            } else {
                format!("{:02}{:02}{}", date.month, date.day, date.year)
            }
        };
        let (first, middle) = owner.given.split_once(' ').unwrap_or((&owner.given, "NONE"));
        let (city, rest) = self.town.split_once(", ").unwrap_or((&self.town, ""));
        let postal: String = rest
            .trim_start_matches(form.code)
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .collect();
        let inches = u32::from(self.height.0) * 12 + u32::from(self.height.1);
        let number: String = self.number.chars().filter(char::is_ascii_alphanumeric).collect();
        let items = [
            ("DCA", "C".to_owned()),
            ("DCB", "NONE".to_owned()),
            ("DCD", "NONE".to_owned()),
            ("DBA", day(self.expiry)),
            ("DCS", owner.family.clone()),
            ("DDE", "N".to_owned()),
            ("DAC", first.to_owned()),
            ("DDF", "N".to_owned()),
            ("DAD", middle.to_owned()),
            ("DDG", "N".to_owned()),
            ("DBD", day(self.issued)),
            ("DBB", day(owner.birth)),
            ("DBC", if owner.sex == 'F' { "2" } else { "1" }.to_owned()),
            ("DAY", self.eyes.to_owned()),
            ("DAU", format!("{inches:03} in")),
            ("DAG", self.street.clone()),
            ("DAI", city.to_owned()),
            ("DAJ", form.code.to_owned()),
            ("DAK", format!("{postal:<11}")),
            ("DAQ", number),
            ("DCF", format!("{}{}", day(self.issued), "FRED00")),
            ("DCG", if form.canada { "CAN" } else { "USA" }.to_owned()),
        ];
        let body: Vec<String> = items.iter().map(|(name, value)| format!("{name}{value}")).collect();
        let subfile = format!("DL{}\r", body.join("\n"));
        // 21 characters of header and 10 of the one subfile's designator stand before it.
        format!(
            "@\n\u{1e}\rANSI {}090001DL{:04}{:04}{subfile}",
            form.issuer,
            31,
            subfile.len()
        )
    }
}

/// Prints the front.
pub(crate) fn front(
    page: &mut Page<'_>,
    licence: &Licence,
    portrait: impl FnOnce(usize, usize) -> Picture,
    words: bool,
) {
    let form = licence.form();
    let heading = if form.canada {
        "DRIVER'S LICENCE"
    } else {
        "DRIVER LICENSE"
    };
    page.block(
        0.0,
        0.0,
        85.6,
        8.6,
        [form.tint[0] * 0.72, form.tint[1] * 0.72, form.tint[2] * 0.86],
        0.55,
    );
    let right = page.title(form.name, 4.0, 6.6, 5.0, [30.0, 40.0, 90.0]);
    page.title(heading, (right + 4.0).clamp(50.0, 56.0), 6.2, 3.2, [60.0, 30.0, 40.0]);
    if page.chance.random_bool(0.5) {
        page.form("USA", 78.0, 3.2, 2.0);
    }
    let top = page.chance.random_range(11.0..13.5);
    page.portrait(portrait, 3.6, top, 23.0, 29.5);
    let country = if form.canada { "CAN" } else { "USA" };
    page.implied(Item::IssuingCountry, country);
    page.implied(Item::IssuingAuthority, form.region());
    match form.arrangement {
        Arrangement::Numbered => arranged(page, licence, &NUMBERED, false),
        Arrangement::Inline => arranged(page, licence, &INLINE, false),
        Arrangement::Above => arranged(page, licence, &ABOVE, true),
    }
    page.ghost(68.0, 18.0, 13.0);
    if words {
        // Narrow enough to cover no item: those begin at 29 mm.
        page.specimen("SPECIMEN", 3.6, 49.0, 3.6);
    }
}

/// Labels of number, expiry, family name, given names, address, birth, sex, issue, class, height, eyes.
const NUMBERED: [&str; 11] = [
    "4d DLN", "4b EXP", "1", "2", "8", "3 DOB", "15 SEX", "4a ISS", "9 CLASS", "16 HGT", "18 EYES",
];
const INLINE: [&str; 11] = ["DL", "EXP", "LN", "FN", "", "DOB", "SEX", "ISS", "CLASS", "HGT", "EYES"];
const ABOVE: [&str; 11] = [
    "ID NUMBER",
    "EXPIRES",
    "LAST NAME",
    "FIRST NAME",
    "ADDRESS",
    "DATE OF BIRTH",
    "SEX",
    "ISSUED",
    "CLASS",
    "HEIGHT",
    "EYES",
];

/// A label and its value, beside or below it; returns the right end.
fn cell(
    page: &mut Page<'_>,
    label: &str,
    value: &Value<'_>,
    (x, y): (f32, f32),
    em: f32,
    above: bool,
    room: f32,
) -> f32 {
    if above {
        page.form(label, x, y - em * 0.98, 1.55);
        page.item(value, x, y, em, room)
    } else {
        let right = if label.is_empty() {
            x
        } else {
            page.form(label, x, y, em * 0.72) + 1.0
        };
        page.item(value, right, y, em, room - (right - x))
    }
}

fn arranged(page: &mut Page<'_>, licence: &Licence, labels: &[&str; 11], above: bool) {
    let owner = &licence.owner;
    let left = page.chance.random_range(29.0..31.0);
    let em = page.chance.random_range(2.8..3.2);
    let step = if above { 5.6 } else { 4.7 };
    let mut y = page.chance.random_range(13.0..14.4);
    let value = Value {
        item: Item::DocumentNumber,
        text: &licence.number,
        normal: &licence.number,
    };
    let right = cell(page, labels[0], &value, (left, y), em * 1.1, above, 36.0);
    let (expiry, issued, birth) = (
        licence.day(licence.expiry),
        licence.day(licence.issued),
        licence.day(owner.birth),
    );
    let value = Value {
        item: Item::ExpiryDate,
        text: &expiry,
        normal: &licence.expiry.to_string(),
    };
    if right < 57.0 {
        cell(page, labels[1], &value, (59.0, y), em, above, 24.0);
    } else {
        y += step;
        cell(page, labels[1], &value, (left, y), em, above, 30.0);
    }
    y += step;
    let value = Value {
        item: Item::LastName,
        text: &owner.family,
        normal: &owner.family,
    };
    cell(page, labels[2], &value, (left, y), em, above, 40.0);
    y += step;
    let value = Value {
        item: Item::FirstName,
        text: &owner.given,
        normal: &owner.given,
    };
    cell(page, labels[3], &value, (left, y), em, above, 40.0);
    y += step;
    let address = format!("{} {}", licence.street, licence.town);
    let label_right = if above {
        page.form(labels[4], left, y - em * 0.98, 1.55);
        left
    } else if labels[4].is_empty() {
        left
    } else {
        page.form(labels[4], left, y, em * 0.72) + 1.0
    };
    let value = Value {
        item: Item::Address,
        text: &address,
        normal: &address,
    };
    let lines = [licence.street.clone(), licence.town.clone()];
    page.item_lines(&value, &lines, [label_right, y], em * 0.95, em * 1.12, 45.0);
    y += step + em * 1.0;
    let value = Value {
        item: Item::BirthDate,
        text: &birth,
        normal: &owner.birth.to_string(),
    };
    cell(page, labels[5], &value, (left, y), em * 1.05, above, 30.0);
    let value = Value {
        item: Item::IssueDate,
        text: &issued,
        normal: &licence.issued.to_string(),
    };
    cell(page, labels[7], &value, (60.0, y), em * 0.95, above, 23.0);
    y += step;
    let sex = owner.sex.to_string();
    let value = Value {
        item: Item::Gender,
        text: &sex,
        normal: owner.gender(),
    };
    cell(page, labels[6], &value, (left, y), em * 0.95, above, 10.0);
    let height = format!("{}'-{:02}\"", licence.height.0, licence.height.1);
    for (label, text, x) in [
        (labels[9], height.as_str(), 44.0),
        (labels[10], licence.eyes, 60.0),
        (labels[8], "C", 74.0),
    ] {
        if above {
            page.form(label, x, y - em * 0.98, 1.55);
            page.fill(text, x, y, em * 0.95);
        } else {
            let right = page.form(label, x, y, em * 0.7) + 0.8;
            page.fill(text, right, y, em * 0.9);
        }
    }
}

/// Prints the back: the barcode's place, and small print.
pub(crate) fn back(page: &mut Page<'_>, licence: &Licence, words: bool) -> Done {
    barcode(page, licence)?;
    page.form("CLASS C - Any single vehicle under 26,001 lbs GVWR", 5.0, 34.0, 1.7);
    page.form("END: NONE   RSTR: NONE", 5.0, 37.4, 1.9);
    page.form(
        &format!(
            "This card is the property of the {} and must be surrendered on demand.",
            licence.form().name
        ),
        5.0,
        41.0,
        1.4,
    );
    page.form(
        "Donor information and medical alerts are kept by the department.",
        5.0,
        43.4,
        1.4,
    );
    if words {
        page.specimen("SPECIMEN", 50.0, 50.0, 4.5);
    }
    Ok(())
}

/// The symbol and its content. Its modules are 0.17 to 0.33 mm wide and its rows three to four times as high (annex D.3).
fn barcode(page: &mut Page<'_>, licence: &Licence) -> Done {
    let payload = licence.payload();
    let rows = pdf417(&payload)?;
    let columns = rows.first().map_or(1, Vec::len) as f32;
    let narrow = (page.chance.random_range(68.0..76.0) / columns).min(0.33);
    let tall = (narrow * page.chance.random_range(3.0..4.0)).min(26.0 / rows.len() as f32);
    let (left, top) = ((85.6 - columns * narrow) / 2.0, page.chance.random_range(3.4..5.0));
    let (wide, high) = (columns * narrow, rows.len() as f32 * tall);
    page.block(left - 1.4, top - 1.4, wide + 2.8, high + 2.8, [250.0; 3], 0.97);
    let black = page.chance.random_range(10.0..45.0);
    for (row, modules) in (0_u16..).zip(&rows) {
        for (column, _) in (0_u16..).zip(modules).filter(|(_, dark)| **dark) {
            let (x, y) = (left + f32::from(column) * narrow, top + f32::from(row) * tall);
            page.block(x, y, narrow, tall, [black; 3], 0.97);
        }
    }
    let owner = &licence.owner;
    for (item, normal) in [
        (Item::LastName, owner.family.as_str()),
        (Item::FirstName, &owner.given),
        (Item::BirthDate, &owner.birth.to_string()),
        (Item::IssueDate, &licence.issued.to_string()),
        (Item::ExpiryDate, &licence.expiry.to_string()),
        (Item::DocumentNumber, &licence.number),
        (Item::Gender, owner.gender()),
        (Item::Address, &format!("{} {}", licence.street, licence.town)),
    ] {
        page.coded(item, normal);
        if item == Item::FirstName {
            // The code contains only the first of several given names.
            page.also(&[owner.given.split(' ').next().unwrap_or_default()]);
        }
        if item == Item::DocumentNumber {
            let bare: String = normal.chars().filter(char::is_ascii_alphanumeric).collect();
            page.also(&[bare.as_str()]);
        }
    }
    page.implied(Item::IssuingCountry, if licence.form().canada { "CAN" } else { "USA" });
    page.implied(Item::IssuingAuthority, licence.form().region());
    page.printed.barcode = Some(payload);
    Ok(())
}
