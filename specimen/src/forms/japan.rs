//! The Japanese driving licence and the driving history certificate, which has the same layout.
//!
//! From top to bottom: name with date of birth, address, date of issue; the coloured band with the date of expiry; conditions;
//! number; dates of the first licences and the grid of kinds. The portrait is on the right, the vertical title beside it, the
//! commission and its seal below.

use super::{Order, japanese_date, plain_date};
use crate::{
    label::{Item, Kind},
    page::{Page, Value},
    people::{Owner, commission, digits, japanese_address, pick},
    person::Date,
    picture::{Colour, Picture},
};
use rand::{Rng, RngExt, seq::IndexedRandom};

/// First-time holders, others, and those without offences.
const BANDS: [Colour; 3] = [[140.0, 200.0, 120.0], [120.0, 180.0, 225.0], [225.0, 195.0, 95.0]];
const CONDITIONS: [&str; 4] = [
    "眼鏡等",
    "中型車は中型車(8t)に限る",
    "準中型車は準中型車(5t)に限る",
    "普通車はAT車に限る",
];
const KINDS: [&str; 14] = [
    "大型",
    "中型",
    "準中型",
    "普通",
    "大特",
    "大自二",
    "普自二",
    "小特",
    "原付",
    "け引",
    "大二",
    "中二",
    "普二",
    "大特二",
];

/// What is on one licence.
#[derive(Clone, Debug)]
pub(crate) struct Licence {
    pub(crate) owner: Owner,
    address: String,
    prefecture: &'static str,
    number: String,
    issued: Date,
    expiry: Date,
    first: Date,
    reference: String,
    band: usize,
    history: bool,
}

impl Licence {
    /// A fictional licence, or a certificate that the holder had one.
    pub(crate) fn invented(owner: Owner, history: bool, chance: &mut impl Rng) -> Self {
        let (address, prefecture) = japanese_address(chance);
        let issued = Date::drawn(chance, 2021, 2025);
        // After the eighteenth birthday, and before the issue.
        let youngest = owner.birth.year + 19;
        let first = Date::drawn(chance, youngest.min(2024), (youngest + 12).min(2024));
        // Until a month after a birthday, as the law says.
        let expiry = owner
            .birth
            .years_later(issued.year + chance.random_range(3..6) - owner.birth.year);
        let body = format!("{}{:02}{}", commission(prefecture), first.year % 100, digits(6, chance));
        let number = format!("{body}{}{}", check_digit(&body), chance.random_range(0..3));
        Self {
            owner,
            address,
            prefecture,
            number,
            issued,
            expiry: expiry.month_later(),
            first,
            reference: digits(5, chance),
            band: chance.random_range(0..BANDS.len()),
            history,
        }
    }

    /// Renews it on this day, until a month after the fifth birthday.
    pub(super) fn renew(&mut self, day: Date) {
        let birth = self.owner.birth;
        self.issued = day;
        self.expiry = birth.years_later(day.year + 5 - birth.year).month_later();
    }
}

/// Weights 5 4 3 2 7 6 5 4 3 2 over the first ten digits; the last digit of eleven minus the remainder modulo eleven.
fn check_digit(body: &str) -> u32 {
    let sum: u32 = body
        .chars()
        .filter_map(|digit| digit.to_digit(10))
        .zip([5, 4, 3, 2, 7, 6, 5, 4, 3, 2])
        .map(|(digit, weight)| digit * weight)
        .sum();
    (11 - sum % 11) % 10
}

/// Prints the front.
pub(crate) fn front(
    page: &mut Page<'_>,
    licence: &Licence,
    portrait: impl FnOnce(usize, usize) -> Picture,
    words: bool,
) {
    let owner = &licence.owner;
    let small = page.chance.random_range(1.9..2.3);
    let width = 85.6;
    page.frame(2.6, 2.8, width - 5.2, 12.9);
    for y in [7.3, 11.5] {
        page.rule(2.6, y, width - 5.2, 0.0);
    }
    page.rule(9.6, 2.8, 0.0, 12.9);
    for (label, y) in [("氏名", 6.0), ("住所", 10.2), ("交付", 14.3)] {
        page.form(label, 3.4, y, 2.5);
    }
    let gap = ["", " ", "\u{3000}"].choose(&mut page.chance).copied().unwrap_or(" ");
    let name = format!("{}{gap}{}", owner.family, owner.given);
    let normal = format!("{} {}", owner.family, owner.given);
    let value = Value {
        item: Item::FullName,
        text: &name,
        normal: &normal,
    };
    page.item(&value, 11.0, 6.3, 3.5, 38.0);
    page.implied(Item::LastName, &owner.family);
    page.implied(Item::FirstName, &owner.given);
    page.implied(Item::IssuingCountry, "JPN");
    let padding = Order::drawn(&mut page.chance);
    let birth = japanese_date(owner.birth, padding);
    let value = Value {
        item: Item::BirthDate,
        text: &birth,
        normal: &owner.birth.to_string(),
    };
    page.item_between(&value, ("", "生"), 53.5, 6.2, 3.0, 28.5);
    let value = Value {
        item: Item::Address,
        text: &licence.address,
        normal: &licence.address,
    };
    page.item(&value, 11.0, 10.5, 3.0, 71.0);
    let issued = japanese_date(licence.issued, padding);
    let value = Value {
        item: Item::IssueDate,
        text: &issued,
        normal: &licence.issued.to_string(),
    };
    let right = page.item(&value, 11.0, 14.5, 3.0, 34.0);
    page.fill(&licence.reference, right + 3.0, 14.5, 3.0);
    validity(page, licence);
    conditions(page);
    page.form("番号", 3.2, 39.3, small + 0.3);
    let value = Value {
        item: Item::DocumentNumber,
        text: &licence.number,
        normal: &licence.number,
    };
    page.item_between(&value, ("第 ", " 号"), 11.5, 39.5, 3.3, 43.0);
    page.frame(2.6, 36.4, 55.0, 4.3);
    first_dates(page, licence, small, padding);
    kinds(page);
    let title = if licence.history {
        "運転経歴証明書"
    } else {
        "運転免許証"
    };
    let step = if licence.history { 2.8 } else { 3.9 };
    page.upright(title, 59.6, 16.8, step - 0.6, step);
    page.portrait(portrait, 61.6, 16.6, 21.2, 27.6);
    page.form(licence.prefecture, 62.0, 47.4, 2.4);
    page.form("公安委員会", 62.0, 50.8, 2.4);
    page.implied(Item::IssuingAuthority, &format!("{}公安委員会", licence.prefecture));
    page.seal(
        if licence.prefecture == "北海道" {
            "北海道公安委員会"
        } else {
            "公安委員会之印"
        },
        76.4,
        44.9,
        6.6,
    );
    if words {
        page.specimen("見本", 41.0, 34.6, 8.0);
    }
}

fn validity(page: &mut Page<'_>, licence: &Licence) {
    if licence.history {
        page.form("自動車等の運転はできません", 4.0, 20.3, 3.2);
        return;
    }
    page.block(2.6, 16.4, 54.4, 5.4, BANDS[licence.band], 0.8);
    let (era, year) = licence.expiry.era();
    let day = licence.expiry;
    let text = if page.chance.random_bool(0.85) {
        format!("{}年({era}{year:02}年){:02}月{:02}日", day.year, day.month, day.day)
    } else {
        format!("{era}{year:02}年{:02}月{:02}日", day.month, day.day)
    };
    let value = Value {
        item: Item::ExpiryDate,
        text: &text,
        normal: &day.to_string(),
    };
    page.item_between(&value, ("", "まで有効"), 4.2, 20.4, 3.7, 51.5);
}

fn conditions(page: &mut Page<'_>) {
    page.form("免許の", 3.2, 25.4, 2.1);
    page.form("条件等", 3.2, 28.0, 2.1);
    let count = page.chance.random_range(0..3);
    for line in 0..count {
        let condition = pick(&CONDITIONS, &mut page.chance);
        page.fill(&condition, 12.0, 25.6 + line as f32 * 3.4, 2.7);
    }
    if page.chance.random_bool(0.5) {
        page.frame(2.8, 31.6, 6.6, 4.0);
        page.title("優良", 3.3, 34.6, 2.6, [40.0, 40.0, 60.0]);
    }
}

fn first_dates(page: &mut Page<'_>, licence: &Licence, small: f32, order: Order) {
    let none = "昭和00年00月00日".to_owned();
    let later = licence.first.years_later(1);
    let dates = [
        japanese_date(licence.first, Order::Zeros),
        if page.chance.random_bool(0.6) {
            japanese_date(later, Order::Zeros)
        } else {
            none.clone()
        },
        if page.chance.random_bool(0.2) {
            japanese_date(later, order)
        } else {
            none
        },
    ];
    for (index, (label, date)) in ["二・小・原", "他", "二種"].iter().zip(dates).enumerate() {
        let y = 43.9 + index as f32 * 3.3;
        page.form_within(label, 3.2, y, small, 7.0);
        page.fill(&date, 11.2, y, 2.4);
    }
}

fn kinds(page: &mut Page<'_>) {
    page.upright("種類", 35.2, 42.6, 2.3, 4.2);
    for (index, kind) in KINDS.iter().enumerate() {
        let (x, y) = (37.2 + (index % 7) as f32 * 3.0, 41.3 + (index / 7) as f32 * 5.0);
        page.frame(x, y, 3.0, 5.0);
        let text = if page.chance.random_bool(0.4) { *kind } else { "-" };
        page.form_within(text, x + 0.3, y + 3.0, 1.9, 2.5);
    }
}

/// Prints the back: a free field for later notes.
pub(crate) fn back(page: &mut Page<'_>, licence: &Licence, words: bool) {
    page.form("備考", 4.0, 6.5, 2.6);
    page.frame(3.0, 3.0, 79.6, 34.0);
    for line in 0..5 {
        page.rule(3.0, 9.0 + line as f32 * 5.6, 79.6, 0.0);
    }
    if page.chance.random_bool(0.3) {
        let moved = plain_date(licence.issued.years_later(1).eve(), Order::Zeros);
        page.fill(&format!("{moved} 新住所 {}", licence.address), 6.0, 13.4, 2.4);
        page.implied(Item::Address, &licence.address);
        page.seal("公安委員会", 70.0, 10.0, 5.0);
    }
    page.form("臓器提供に関する意思", 4.0, 41.0, 2.2);
    page.form("《 1. 2. 3. いずれかの番号を○で囲んでください。》", 4.0, 44.6, 1.8);
    page.form("《自筆署名》", 4.0, 50.0, 1.9);
    if words {
        page.specimen("見本", 60.0, 33.0, 9.0);
    }
}

/// The kind and the layout's name.
pub(crate) fn kind(licence: &Licence) -> (Kind, &'static str) {
    if licence.history {
        (Kind::DrivingHistoryCertificate, "jp.driving_history_certificate")
    } else {
        (Kind::DrivingLicense, "jp.driving_license")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_licence_ends_in_the_last_digit_of_eleven_less_the_remainder() {
        assert_eq!(check_digit("3090123456"), 2);
        assert_eq!(check_digit("3004123456"), 0, "a remainder of 1");
        assert_eq!(check_digit("3012000000"), 1, "no remainder");
    }
}
