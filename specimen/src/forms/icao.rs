//! Passports and identity cards of ICAO Doc 9303: visual zone in two languages above, machine-readable lines below.

use crate::{
    label::{Item, Kind, Side},
    mrz,
    page::{Page, Value},
    person::{Document, Format},
    picture::Picture,
};

/// The kind and the layout's name.
pub(crate) const fn kind(format: Format) -> (Kind, &'static str) {
    match format {
        Format::Td1 => (Kind::IdCard, "icao.id_card"),
        Format::Td2 => (Kind::IdCard, "icao.id_card"),
        Format::Td3 => (Kind::Passport, "icao.passport"),
    }
}

/// Prints one side.
pub(crate) fn print(
    page: &mut Page<'_>,
    document: &Document,
    side: Side,
    portrait: impl FnOnce(usize, usize) -> Picture,
) {
    match (document.format, side) {
        (Format::Td3, _) => front(page, document, portrait, (5.0, 17.0, 33.0), 43.0),
        (Format::Td2, _) => front(page, document, portrait, (4.0, 15.0, 27.0), 35.0),
        (Format::Td1, Side::Front) => front(page, document, portrait, (4.0, 13.5, 24.0), 32.0),
        (Format::Td1, Side::Back) => back(page, document),
    }
    if side == Side::Back || document.format != Format::Td1 {
        page.machine_zone(mrz::lines(document), 4.5);
    }
}

/// A label with its value below it.
fn field(page: &mut Page<'_>, label: &str, item: Item, text: &str, normal: &str, (x, y): (f32, f32)) {
    let room = page.picture.width as f32 / page.scale - x - 3.0;
    page.form_within(label, x, y, 2.0, room);
    page.item(&Value { item, text, normal }, x, y + 3.9, 3.1, room.min(46.0));
}

fn front(
    page: &mut Page<'_>,
    document: &Document,
    portrait: impl FnOnce(usize, usize) -> Picture,
    (left, top, width): (f32, f32, f32),
    column: f32,
) {
    let passport = document.format == Format::Td3;
    let (title, em) = if passport {
        ("UTOPIA ユートピア国   PASSPORT 旅券", 4.4)
    } else {
        ("UTOPIA ユートピア国   IDENTITY CARD 身分証明書", 3.4)
    };
    page.title(title, left, 8.0, em, [40.0, 50.0, 110.0]);
    page.portrait(portrait, left, top, width, width * 45.0 / 35.0);
    let step = if document.format == Format::Td1 { 7.6 } else { 9.0 };
    let (sex, gender) = if document.sex == 'F' {
        ("F", "female")
    } else {
        ("M", "male")
    };
    let second = column + if passport { 38.0 } else { 28.0 };
    let (surname, given) = (document.surname.to_uppercase(), document.given_names.to_uppercase());
    let mut y = top + 1.5;
    field(page, "Surname / 姓", Item::LastName, &surname, &surname, (column, y));
    if passport {
        field(
            page,
            "Passport No. / 旅券番号",
            Item::DocumentNumber,
            &document.number,
            &document.number,
            (second, y),
        );
    }
    y += step;
    field(page, "Given names / 名", Item::FirstName, &given, &given, (column, y));
    y += step;
    field(
        page,
        "Nationality / 国籍",
        Item::Nationality,
        &document.nationality,
        &document.nationality,
        (column, y),
    );
    field(page, "Sex / 性別", Item::Gender, sex, gender, (second, y));
    y += step;
    let (birth, issued, expiry) = (document.birth, document.issued, document.expiry);
    field(
        page,
        "Date of birth / 生年月日",
        Item::BirthDate,
        &birth.printed(),
        &birth.to_string(),
        (column, y),
    );
    if passport {
        field(
            page,
            "Issuing country / 発行国",
            Item::IssuingCountry,
            &document.issuer,
            &document.issuer,
            (second, y),
        );
    } else {
        field(
            page,
            "Document No. / 番号",
            Item::DocumentNumber,
            &document.number,
            &document.number,
            (second, y),
        );
        page.implied(Item::IssuingCountry, &document.issuer);
    }
    y += step;
    field(
        page,
        "Date of issue / 発行年月日",
        Item::IssueDate,
        &issued.printed(),
        &issued.to_string(),
        (column, y),
    );
    field(
        page,
        "Date of expiry / 有効期間満了日",
        Item::ExpiryDate,
        &expiry.printed(),
        &expiry.to_string(),
        (second, y),
    );
    match document.format {
        Format::Td3 => page.ghost(103.0, 21.0, 17.0),
        Format::Td2 => page.ghost(86.0, 12.0, 14.0),
        Format::Td1 => page.ghost(66.0, 11.0, 13.0),
    }
}

fn back(page: &mut Page<'_>, document: &Document) {
    page.form("Address / 住所", 5.0, 6.0, 2.0);
    let address = "7 HARBOUR STREET, AMAUROT";
    page.item(
        &Value {
            item: Item::Address,
            text: address,
            normal: address,
        },
        5.0,
        9.9,
        3.1,
        70.0,
    );
    page.also(&[
        "ユートピア国 アマウロト市 港通り七番",
        "7 HARBOUR STREET, AMAUROT ユートピア国 アマウロト市 港通り七番",
    ]);
    page.fill("ユートピア国 アマウロト市 港通り七番", 5.0, 14.0, 2.6);
    field(
        page,
        "Document No. / 番号",
        Item::DocumentNumber,
        &document.number,
        &document.number,
        (5.0, 20.0),
    );
    let authority = "MINISTRY OF THE INTERIOR";
    field(
        page,
        "Authority / 発行機関",
        Item::IssuingAuthority,
        authority,
        authority,
        (45.0, 20.0),
    );
    let (surname, given) = (document.surname.to_uppercase(), document.given_names.to_uppercase());
    let gender = if document.sex == 'F' { "female" } else { "male" };
    for (item, normal) in [
        (Item::LastName, surname.as_str()),
        (Item::FirstName, &given),
        (Item::BirthDate, &document.birth.to_string()),
        (Item::ExpiryDate, &document.expiry.to_string()),
        (Item::Gender, gender),
        (Item::Nationality, &document.nationality),
        (Item::IssuingCountry, &document.issuer),
    ] {
        page.coded(item, normal);
    }
}
