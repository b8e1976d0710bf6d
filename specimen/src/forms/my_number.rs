//! The front of the My Number card. Its back must never be copied, so there is none here either.

use super::{Order, japanese_date, plain_date};
use crate::{
    label::Item,
    page::{Page, Value},
    people::{Owner, digits, japanese_address},
    person::Date,
    picture::Picture,
};
use rand::{Rng, RngExt, seq::IndexedRandom};

/// What is on one card.
#[derive(Clone, Debug)]
pub(crate) struct Card {
    pub(crate) owner: Owner,
    address: String,
    expiry: Date,
    certificate: Date,
    code: String,
}

impl Card {
    /// A fictional card, valid until the tenth birthday after its issue.
    pub(crate) fn invented(owner: Owner, chance: &mut impl Rng) -> Self {
        let issued = chance.random_range(2018..=2025);
        Self {
            address: japanese_address(chance).0,
            expiry: owner.birth.years_later(issued + 10 - owner.birth.year),
            certificate: owner.birth.years_later(issued + 5 - owner.birth.year),
            code: digits(4, chance),
            owner,
        }
    }
}

/// Prints the front.
pub(crate) fn front(page: &mut Page<'_>, card: &Card, portrait: impl FnOnce(usize, usize) -> Picture, words: bool) {
    let owner = &card.owner;
    page.form("氏名", 3.0, 5.6, 2.0);
    let gap = [" ", "\u{3000}", ""].choose(&mut page.chance).copied().unwrap_or(" ");
    let name = format!("{}{gap}{}", owner.family, owner.given);
    let normal = format!("{} {}", owner.family, owner.given);
    let value = Value {
        item: Item::FullName,
        text: &name,
        normal: &normal,
    };
    page.item(&value, 9.0, 6.2, 3.9, 40.0);
    page.implied(Item::LastName, &owner.family);
    page.implied(Item::FirstName, &owner.given);
    page.implied(Item::IssuingCountry, "JPN");
    page.form("住所", 3.0, 11.2, 2.0);
    let value = Value {
        item: Item::Address,
        text: &card.address,
        normal: &card.address,
    };
    page.item(&value, 9.0, 11.6, 2.9, 60.0);
    page.title("個人番号", 73.0, 5.2, 2.6, [200.0, 90.0, 120.0]);
    page.title("カード", 73.6, 8.2, 2.6, [200.0, 90.0, 120.0]);
    page.block(3.0, 14.6, 79.0, 5.0, [250.0, 250.0, 248.0], 0.8);
    page.form("追記欄", 4.0, 18.0, 1.8);
    page.portrait(portrait, 4.0, 21.6, 20.0, 26.0);
    let birth = if page.chance.random_bool(0.85) {
        japanese_date(owner.birth, Order::drawn(&mut page.chance))
    } else {
        plain_date(owner.birth, Order::Bare)
    };
    let value = Value {
        item: Item::BirthDate,
        text: &birth,
        normal: &owner.birth.to_string(),
    };
    page.item_between(&value, ("", "生"), 27.0, 25.6, 3.1, 32.0);
    page.form("性別", 61.0, 25.2, 2.2);
    let sex = if owner.sex == 'F' { "女" } else { "男" };
    let value = Value {
        item: Item::Gender,
        text: sex,
        normal: owner.gender(),
    };
    page.item(&value, 66.2, 25.6, 3.1, 6.0);
    let expiry = plain_date(card.expiry, Order::drawn(&mut page.chance));
    let value = Value {
        item: Item::ExpiryDate,
        text: &expiry,
        normal: &card.expiry.to_string(),
    };
    page.item_between(&value, ("", "まで有効"), 27.0, 32.0, 3.1, 40.0);
    page.form("電子証明書の有効期限", 27.0, 37.6, 2.0);
    if page.chance.random_bool(0.5) {
        page.fill(&plain_date(card.certificate, Order::Bare), 48.0, 37.8, 2.6);
    } else {
        page.form("20__年__月__日", 48.0, 37.6, 2.4);
    }
    page.fill(&card.code, 74.0, 32.0, 2.8);
    let town = card
        .address
        .chars()
        .position(|c| c == '市')
        .map_or("霞市", |_| "見本市");
    page.form(&format!("{town}長"), 66.0, 46.0, 2.8);
    page.form("臓器提供意思", 27.0, 43.6, 1.7);
    page.form("《1.脳死後及び心停止後 2.心停止後のみ 3.提供せず》", 27.0, 46.4, 1.3);
    if words {
        page.specimen("見本", 45.0, 44.5, 7.0);
    }
}
