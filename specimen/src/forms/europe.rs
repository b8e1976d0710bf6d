//! Driving licences of the EU and EEA model (Directive 2006/126/EC, annex I) and of the United Kingdom: numbered fields.

use super::europe_states::{KINGDOM, STATES, State};
use crate::{
    label::Item,
    mrz::{check_digit, plain},
    page::{Page, Value},
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
    issued: Date,
    expiry: Date,
    authority: String,
    place: String,
    address: String,
    personal: String,
    categories: &'static str,
}

impl Licence {
    /// A fictional licence of the EU model.
    pub(crate) fn invented(faces: usize, chance: &mut impl Rng) -> Self {
        let state = chance.random_range(0..STATES.len());
        Self::of(state, faces, chance)
    }

    /// A fictional licence of the United Kingdom.
    pub(crate) fn of_kingdom(faces: usize, chance: &mut impl Rng) -> Self {
        Self::of(usize::MAX, faces, chance)
    }

    fn of(state: usize, faces: usize, chance: &mut impl Rng) -> Self {
        let form = STATES.get(state).unwrap_or(&KINGDOM);
        let mut owner = Owner::invented(form.names, faces, chance);
        if form.capitals {
            owner.family = owner.family.to_uppercase();
            owner.given = owner.given.to_uppercase();
        }
        let issued = Date::drawn(chance, 2018, 2025);
        let number = if form.number.is_empty() {
            driver_number(&owner, chance)
        } else {
            let number = patterned(form.number, chance);
            if form.alpha3 == "DEU" {
                with_german_check(&number)
            } else {
                number
            }
        };
        Self {
            state,
            number,
            expiry: issued.years_later([10, 15][chance.random_range(0..2)]).eve(),
            issued,
            authority: pick(form.authorities, chance),
            place: pick(form.places, chance),
            address: format!(
                "{}, {}",
                street(chance),
                pick(
                    &[
                        "LEEDS, LS1 4AB",
                        "CARDIFF, CF10 1AA",
                        "OXFORD, OX1 2JD",
                        "EDINBURGH EH1 9GP"
                    ],
                    chance
                )
            ),
            personal: digits(9, chance),
            categories: ["AM/B1/B/f/k/l/n/p/q", "AM/A1/B/L", "B/AM", "AM/B/BE/L/T"]
                .choose(chance)
                .copied()
                .unwrap_or("B"),
            owner,
        }
    }

    fn form(&self) -> &'static State {
        STATES.get(self.state).unwrap_or(&KINGDOM)
    }

    /// The layout's name.
    pub(crate) fn layout(&self) -> &'static str {
        if self.state < STATES.len() {
            "eu.driving_license"
        } else {
            "gb.driving_license"
        }
    }

    /// ISO 3166-1 alpha-3 code of the state.
    pub(crate) fn issuer(&self) -> &'static str {
        self.form().alpha3
    }

    /// The background tints of the card.
    pub(crate) fn tints(&self) -> [Colour; 2] {
        [self.form().tint, [232.0, 228.0, 246.0]]
    }

    fn day(&self, date: Date) -> String {
        let between = self.form().between;
        format!("{:02}{between}{:02}{between}{}", date.day, date.month, date.year)
    }
}

fn patterned(pattern: &str, chance: &mut impl Rng) -> String {
    pattern
        .chars()
        .map(|c| match c {
            'A' => letters(1, chance),
            '9' => digits(1, chance),
            other => other.to_string(),
        })
        .collect()
}

/// The number of a German licence with its check digit in the tenth place: the nine before it, weighted 9 to 1, modulo 11; X stands for 10.
fn with_german_check(number: &str) -> String {
    let checked = number.chars().take(9).filter_map(|c| c.to_digit(36));
    let sum: u32 = checked.zip((1..=9).rev()).map(|(value, weight)| value * weight).sum();
    let digit = char::from_digit(sum % 11, 10).unwrap_or('X');
    let replaced = number
        .chars()
        .enumerate()
        .map(|(at, c)| if at == 9 { digit } else { c });
    replaced.collect()
}

/// Five letters of the family name, birth date with 5 added to a woman's month, two initials, a digit and two letters.
fn driver_number(owner: &Owner, chance: &mut impl Rng) -> String {
    let plain: String = owner.family.chars().filter(char::is_ascii_alphabetic).collect();
    // MAC and MC are treated alike.
    let plain = plain
        .strip_prefix("MAC")
        .map_or(plain.clone(), |rest| format!("MC{rest}"));
    let birth = owner.birth;
    let mut initials = owner.given.split(' ').filter_map(|name| name.chars().next());
    format!(
        "{:9<5}{}{}{}{:02}{}{}{}9{}",
        plain.chars().take(5).collect::<String>(),
        birth.year / 10 % 10,
        birth.month / 10 + if owner.sex == 'F' { 5 } else { 0 },
        birth.month % 10,
        birth.day,
        birth.year % 10,
        initials.next().unwrap_or('9'),
        initials.next().unwrap_or('9'),
        letters(2, chance),
    )
}

/// Prints the front.
pub(crate) fn front(
    page: &mut Page<'_>,
    licence: &Licence,
    portrait: impl FnOnce(usize, usize) -> Picture,
    words: bool,
) {
    let form = licence.form();
    let kingdom = licence.layout() == "gb.driving_license";
    page.block(
        3.0,
        3.0,
        if kingdom { 8.0 } else { 10.5 },
        7.0,
        [30.0, 60.0, 150.0],
        0.9,
    );
    page.title(form.sign, 5.2, 8.2, 4.0, [245.0, 245.0, 240.0]);
    let right = page.title(
        form.title,
        16.0,
        7.4,
        if form.title.len() > 22 { 3.2 } else { 4.2 },
        [60.0, 60.0, 120.0],
    );
    page.form(
        form.state,
        if right > 50.0 { 16.0 } else { right + 3.0 },
        if right > 50.0 { 10.2 } else { 7.2 },
        2.0,
    );
    let top = page.chance.random_range(12.5..14.5);
    page.portrait(portrait, 4.0, top + 1.0, 22.5, 29.0);
    rows(page, licence, top + 2.4, kingdom);
    page.implied(Item::IssuingCountry, form.alpha3);
    page.ghost(68.0, 23.0, 13.0);
    if words {
        page.specimen("SPECIMEN", 3.6, 51.4, 4.6);
    }
}

/// The numbered fields, from top to bottom.
fn rows(page: &mut Page<'_>, licence: &Licence, top: f32, kingdom: bool) {
    let left = page.chance.random_range(28.5..31.5);
    let step = if kingdom {
        3.75
    } else {
        page.chance.random_range(3.9..4.5)
    };
    let em = page.chance.random_range(2.7..3.1);
    let owner = &licence.owner;
    let mut y = top;
    let number = |page: &mut Page<'_>, text: &str, x: f32, y: f32| {
        let text = if licence.form().point {
            format!("{text}.")
        } else {
            text.to_owned()
        };
        page.form(&text, x, y, em * 0.85).max(x + 3.2) + 0.8
    };
    let row = |page: &mut Page<'_>, name: &str, value: &Value<'_>, y: f32| {
        let x = number(page, name, left, y);
        page.item(value, x, y, em, 82.0 - x);
    };
    row(
        page,
        "1",
        &Value {
            item: Item::LastName,
            text: &owner.family,
            normal: &owner.family,
        },
        y,
    );
    y += step;
    let given = Value {
        item: Item::FirstName,
        text: &owner.given,
        normal: &owner.given,
    };
    if kingdom && page.chance.random_bool(0.35) {
        let title = if owner.sex == 'F' { "MISS " } else { "MR " };
        let x = number(page, "2", left, y);
        page.item_between(&given, (title, ""), x, y, em, 82.0 - x);
        page.also(&[&format!("{title}{}", owner.given)]);
    } else {
        row(page, "2", &given, y);
    }
    y += step;
    let birth = licence.day(owner.birth);
    let x = number(page, "3", left, y);
    let after = format!(" {}", licence.place);
    page.item_between(
        &Value {
            item: Item::BirthDate,
            text: &birth,
            normal: &owner.birth.to_string(),
        },
        ("", &after),
        x,
        y,
        em,
        82.0 - x,
    );
    y += step;
    let (issued, expiry) = (licence.day(licence.issued), licence.day(licence.expiry));
    let issue = Value {
        item: Item::IssueDate,
        text: &issued,
        normal: &licence.issued.to_string(),
    };
    let expire = Value {
        item: Item::ExpiryDate,
        text: &expiry,
        normal: &licence.expiry.to_string(),
    };
    let authority = Value {
        item: Item::IssuingAuthority,
        text: &licence.authority,
        normal: &licence.authority,
    };
    let x = number(page, "4a", left, y);
    let right = page.item(&issue, x, y, em, 26.0);
    let x = number(page, "4c", (right + 2.5).max(left + 22.5), y);
    page.item(&authority, x, y, em, 82.5 - x);
    y += step;
    let x = number(page, "4b", left, y);
    let right = page.item(&expire, x, y, em, 26.0);
    if licence.form().has_4d {
        let x = number(page, "4d", (right + 2.5).max(left + 22.5), y);
        page.fill(&licence.personal, x, y, em);
    }
    y += step;
    row(
        page,
        "5",
        &Value {
            item: Item::DocumentNumber,
            text: &licence.number,
            normal: &licence.number,
        },
        y,
    );
    if kingdom {
        let issue = digits(2, &mut page.chance);
        page.also(&[
            &format!("{}{issue}", licence.number),
            &format!("{} {issue}", licence.number),
        ]);
        y += step * 1.8;
        number(page, "7", left, y);
        signature(page, left + 5.0, y);
        y += step * 1.1;
        row(
            page,
            "8",
            &Value {
                item: Item::Address,
                text: &licence.address,
                normal: &licence.address,
            },
            y,
        );
        number(page, "9", left, 50.4);
        page.fill(licence.categories, left + 5.0, 50.4, em * 0.9);
    } else {
        y += step * 1.5;
        number(page, "7", left, y);
        signature(page, left + 5.0, y);
        number(page, "9", left, 50.0);
        page.fill(licence.categories, left + 5.0, 50.0, em);
    }
}

/// A signature.
fn signature(page: &mut Page<'_>, x: f32, y: f32) {
    let (a, b): (f32, f32) = (page.chance.random_range(0.7..1.4), page.chance.random_range(0.5..1.2));
    for step in 0..260_u16 {
        let t = f32::from(step) / 14.0;
        let (px, py) = (x + t * 0.9 + (t * 1.7).sin() * a, y - 0.8 + (t * 2.3 + a).sin() * b);
        page.block(px, py, 0.22, 0.22, [40.0, 40.0, 90.0], 0.8);
    }
}

/// The machine-readable line: `D1`, the state, and thirty characters in total.
fn zone(licence: &Licence) -> String {
    let form = licence.form();
    let body = if form.alpha3 == "FRA" {
        // Its digit covers what stands before the number, too, as on the published French specimen.
        let number = format!("D1FRA{}", licence.number);
        format!(
            "{number}{}{}{:<<8}",
            check_digit(&number),
            licence.expiry.six_digits(),
            plain(&licence.owner.family).chars().take(8).collect::<String>()
        )
    } else {
        let tail: String = licence.personal.chars().cycle().take(13).collect();
        format!("D1{}1{}{tail}", form.alpha3, licence.number)
    };
    let body: String = body.chars().take(29).collect();
    format!("{body}{}", check_digit(&body))
}

/// Prints the back: the table of categories, and in some states a machine-readable line.
pub(crate) fn back(page: &mut Page<'_>, licence: &Licence, words: bool) {
    let categories = ["AM", "A1", "A2", "A", "B1", "B", "C1", "C", "D1", "D", "BE"];
    for (text, x) in [("9.", 26.0), ("10.", 36.0), ("11.", 52.0), ("12.", 68.0)] {
        page.form(text, x, 5.4, 2.2);
    }
    let from = licence.day(licence.issued);
    let to = licence.day(licence.expiry);
    for (index, name) in categories.iter().enumerate() {
        let y = 8.6 + index as f32 * 3.1;
        page.rule(24.0, y + 0.7, 58.0, 0.0);
        page.form(name, 26.0, y, 2.2);
        if ["AM", "B1", "B"].contains(name) {
            page.fill(&from, 36.0, y, 2.1);
            page.fill(&to, 52.0, y, 2.1);
        }
    }
    for (line, text) in [
        "1. Name 2. First name",
        "3. Date and place of birth",
        "4a. Date of issue",
        "4b. Date of expiry",
        "4c. Issued by",
        "5. Number",
    ]
    .iter()
    .enumerate()
    {
        page.form_within(text, 2.6, 12.0 + line as f32 * 3.0, 1.6, 20.5);
    }
    if licence.form().has_zone {
        page.machine_zone(vec![zone(licence)], 2.4);
        page.coded(Item::DocumentNumber, &licence.number);
        page.implied(Item::IssuingCountry, licence.form().alpha3);
        page.implied(Item::ExpiryDate, &licence.expiry.to_string());
        page.implied(Item::LastName, &licence.owner.family);
    }
    if words {
        page.specimen("SPECIMEN", 3.0, 40.0, 3.6);
    }
}
