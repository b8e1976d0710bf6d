//! The residence card and the special permanent resident certificate: labels in Japanese and English, names in Latin letters.

use super::{Order, plain_date};
use crate::{
    label::{Item, Kind},
    page::{Page, Value},
    people::{Owner, digits, japanese_address, letters},
    person::Date,
    picture::Picture,
};
use rand::{Rng, RngExt, seq::IndexedRandom};

/// Nationality as printed and its ISO 3166-1 alpha-3 code.
const NATIONS: [(&str, &str); 12] = [
    ("米国", "USA"),
    ("中国", "CHN"),
    ("ベトナム", "VNM"),
    ("フィリピン", "PHL"),
    ("ブラジル", "BRA"),
    ("ネパール", "NPL"),
    ("インドネシア", "IDN"),
    ("韓国", "KOR"),
    ("英国", "GBR"),
    ("インド", "IND"),
    ("ドイツ", "DEU"),
    ("台湾", "TWN"),
];
const STATUSES: [(&str, &str); 7] = [
    ("留学", "Student"),
    ("永住者", "Permanent Resident"),
    (
        "技術・人文知識・国際業務",
        "Engineer/Specialist in Humanities/International Services",
    ),
    ("家族滞在", "Dependent"),
    ("日本人の配偶者等", "Spouse or Child of Japanese National"),
    ("定住者", "Long Term Resident"),
    ("技能実習1号ロ", "Technical Intern Training(i)(b)"),
];

/// What is on one card.
#[derive(Clone, Debug)]
pub(crate) struct Card {
    pub(crate) owner: Owner,
    address: String,
    number: String,
    nation: (&'static str, &'static str),
    status: (&'static str, &'static str),
    issued: Date,
    expiry: Date,
    special: bool,
}

impl Card {
    /// A fictional card.
    pub(crate) fn invented(owner: Owner, special: bool, chance: &mut impl Rng) -> Self {
        let issued = Date::drawn(chance, 2022, 2025);
        let nations = if special { &NATIONS[7..8] } else { &NATIONS[..] };
        Self {
            address: japanese_address(chance).0,
            number: format!("{}{}{}", letters(2, chance), digits(8, chance), letters(2, chance)),
            nation: nations.choose(chance).copied().unwrap_or(NATIONS[0]),
            status: STATUSES.choose(chance).copied().unwrap_or(STATUSES[0]),
            expiry: issued.years_later(chance.random_range(3..8)),
            issued,
            owner,
            special,
        }
    }

    /// The kind and the layout's name.
    pub(crate) const fn kind(&self) -> (Kind, &'static str) {
        if self.special {
            (
                Kind::SpecialPermanentResidentCertificate,
                "jp.special_permanent_resident_certificate",
            )
        } else {
            (Kind::ResidenceCard, "jp.residence_card")
        }
    }
}

/// A label in both languages; returns where its value may begin.
fn label(page: &mut Page<'_>, japanese: &str, english: &str, y: f32) -> f32 {
    let right = page.form(japanese, 2.8, y, 1.95);
    page.form(english, 2.8, y + 1.75, 1.3).max(right).max(14.5)
}

/// Prints the front.
pub(crate) fn front(page: &mut Page<'_>, card: &Card, portrait: impl FnOnce(usize, usize) -> Picture, words: bool) {
    let order = Order::drawn(&mut page.chance);
    page.form("日本国政府", 2.8, 3.9, 2.1);
    page.form("GOVERNMENT OF JAPAN", 2.8, 5.7, 1.2);
    let (title, english) = if card.special {
        ("特別永住者証明書", "SPECIAL PERMANENT RESIDENT CERTIFICATE")
    } else {
        ("在留カード", "RESIDENCE CARD")
    };
    page.title(title, 23.0, 4.7, 3.2, [40.0, 50.0, 90.0]);
    page.form(english, 23.0, 6.5, 1.35);
    page.form("番号", 56.0, 4.0, 1.9);
    page.form("No.", 56.0, 5.8, 1.3);
    let value = Value {
        item: Item::DocumentNumber,
        text: &card.number,
        normal: &card.number,
    };
    page.item(&value, 60.6, 4.7, 2.9, 22.5);
    page.portrait(portrait, 61.5, 12.2, 20.8, 27.4);
    names(page, card, order);
    if card.special {
        certificate(page, card, order);
    } else {
        residence(page, card, order);
    }
    page.implied(Item::IssuingCountry, "JPN");
    page.implied(Item::IssuingAuthority, "出入国在留管理庁長官");
    page.seal("出入国在留管理庁長官", 75.6, 43.2, 7.6);
    page.form("出入国在留管理庁長官", 57.6, 46.4, 1.75);
    if words {
        let (x, y) = if card.special { (24.0, 49.0) } else { (34.0, 34.0) };
        page.specimen("見本 SPECIMEN", x, y, 4.2);
    }
}

fn names(page: &mut Page<'_>, card: &Card, order: Order) {
    let owner = &card.owner;
    let name = format!("{} {}", owner.family, owner.given);
    label(page, "氏名", "NAME", 9.3);
    let value = Value {
        item: Item::FullName,
        text: &name,
        normal: &name,
    };
    page.item(&value, 11.0, 10.4, 3.1, 47.0);
    page.implied(Item::LastName, &owner.family);
    page.implied(Item::FirstName, &owner.given);
    label(page, "生年月日", "DATE OF BIRTH", 14.0);
    let birth = plain_date(owner.birth, order);
    let value = Value {
        item: Item::BirthDate,
        text: &birth,
        normal: &owner.birth.to_string(),
    };
    let right = page.item(&value, 14.6, 15.0, 2.6, 24.0);
    page.form("Y     M    D", right - 14.0, 16.6, 1.1);
    page.form("性別", 40.6, 14.0, 1.9);
    page.form("SEX", 40.6, 15.7, 1.3);
    let sex = if owner.sex == 'F' { "女 F." } else { "男 M." };
    let value = Value {
        item: Item::Gender,
        text: sex,
        normal: owner.gender(),
    };
    page.item(&value, 46.0, 15.0, 2.6, 12.0);
    page.form("国籍・地域", 2.8, 18.6, 1.95);
    page.form("NATIONALITY/REGION", 2.8, 20.3, 1.3);
    let value = Value {
        item: Item::Nationality,
        text: card.nation.0,
        normal: card.nation.1,
    };
    page.item(&value, 17.8, 19.8, 2.6, 40.0);
    label(page, "住居地", "ADDRESS", 23.2);
    let value = Value {
        item: Item::Address,
        text: &card.address,
        normal: &card.address,
    };
    page.item(&value, 11.0, 24.4, 2.6, 48.0);
}

fn residence(page: &mut Page<'_>, card: &Card, order: Order) {
    page.rule(2.4, 26.0, 57.0, 0.0);
    label(page, "在留資格", "STATUS", 28.3);
    let value = Value {
        item: Item::ResidenceStatus,
        text: card.status.0,
        normal: card.status.0,
    };
    let right = page.item(&value, 14.0, 29.4, 2.6, 30.0);
    let both = format!("{} {}", card.status.0, card.status.1);
    page.also(&[&both]);
    // Up to the portrait, and not over the status.
    page.fill_within(card.status.1, right + 1.5, 29.4, 1.4, 58.5 - right);
    let work = if card.status.0 == "永住者" {
        "就労制限なし"
    } else {
        "在留資格に基づく就労活動のみ可"
    };
    page.form("就労制限の有無", 2.8, 32.4, 1.8);
    page.fill(work, 17.0, 32.7, 2.3);
    page.form("在留期間(満了日)", 2.8, 35.6, 1.8);
    page.form("PERIOD OF STAY (DATE OF EXPIRATION)", 2.8, 37.2, 1.15);
    let expiry = plain_date(card.expiry, order);
    let years = card.expiry.year - card.issued.year;
    page.fill(&format!("{years}年({expiry})"), 27.0, 36.2, 2.4);
    page.form("許可の種類", 2.8, 39.8, 1.8);
    page.fill("在留期間更新許可(東京出入国在留管理局長)", 13.5, 40.0, 2.0);
    let issued = plain_date(card.issued, order);
    page.form("許可年月日", 2.8, 43.4, 1.8);
    page.fill(&issued, 12.6, 43.6, 2.2);
    page.form("交付年月日", 31.5, 43.4, 1.8);
    let value = Value {
        item: Item::IssueDate,
        text: &issued,
        normal: &card.issued.to_string(),
    };
    page.item(&value, 41.3, 43.6, 2.2, 20.0);
    page.form("このカードは", 2.8, 49.4, 2.1);
    let value = Value {
        item: Item::ExpiryDate,
        text: &expiry,
        normal: &card.expiry.to_string(),
    };
    page.item_between(&value, ("", "まで有効"), 17.0, 49.5, 2.8, 36.0);
    page.form("です。", 53.4, 49.4, 2.1);
    page.form("PERIOD OF VALIDITY OF THIS CARD", 2.8, 51.4, 1.2);
}

fn certificate(page: &mut Page<'_>, card: &Card, order: Order) {
    page.form("この証明書は", 2.8, 33.0, 2.1);
    let expiry = plain_date(card.expiry, order);
    let value = Value {
        item: Item::ExpiryDate,
        text: &expiry,
        normal: &card.expiry.to_string(),
    };
    page.item_between(&value, ("", "まで有効"), 17.0, 33.2, 2.8, 36.0);
    page.form("です。", 53.0, 33.0, 2.1);
    page.form("PERIOD OF VALIDITY OF THIS CERTIFICATE", 2.8, 35.0, 1.2);
    let issued = plain_date(card.issued, order);
    page.form("交付年月日", 2.8, 40.0, 2.0);
    page.form("DATE OF ISSUE", 2.8, 41.7, 1.2);
    let value = Value {
        item: Item::IssueDate,
        text: &issued,
        normal: &card.issued.to_string(),
    };
    page.item(&value, 17.0, 40.4, 2.6, 30.0);
}

/// Prints the back: the table of changes of address, and notes.
pub(crate) fn back(page: &mut Page<'_>, card: &Card, words: bool) {
    page.form("住居地記載欄", 3.0, 6.0, 2.2);
    page.frame(2.6, 7.2, 80.4, 20.0);
    for (text, x) in [("届出年月日", 4.0), ("住居地", 34.0), ("記載者印", 72.0)] {
        page.form(text, x, 9.8, 1.8);
    }
    for line in 0..4 {
        page.rule(2.6, 11.0 + line as f32 * 4.0, 80.4, 0.0);
    }
    if page.chance.random_bool(0.4) {
        let moved = plain_date(card.issued.years_later(1).eve(), Order::Zeros);
        page.fill(&moved, 4.0, 14.2, 2.2);
        page.fill(&card.address, 24.0, 14.2, 2.2);
        page.implied(Item::Address, &card.address);
        page.seal("東京都", 75.0, 11.3, 3.6);
    }
    if !card.special {
        page.form("資格外活動許可欄", 3.0, 31.0, 2.1);
        page.frame(2.6, 32.0, 38.0, 16.0);
        page.form("在留期間更新等許可申請欄", 44.0, 31.0, 2.1);
        page.frame(43.6, 32.0, 39.4, 16.0);
        if page.chance.random_bool(0.4) {
            page.fill("許可(原則週28時間以内・風俗営業等の従事を除く)", 4.0, 38.0, 1.55);
        }
    }
    if words {
        page.specimen("見本", 30.0, 46.0, 8.0);
    }
}
