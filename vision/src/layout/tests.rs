//! Whole pages of lines: recognised, and read by their layout.

use super::*;
use crate::text::{Area, Lattice, Symbol};
use domain::document::DocumentType;
use time::macros::date;

/// Texts with left edge and middle in millimetres.
type Lines = &'static [(&'static str, f32, f32)];

/// Height of the letters, in pixels.
const EM: f32 = 40.0;

/// A line whose left edge and middle are given, 16 pixels to the millimetre.
fn line(text: &str, x_mm: f32, y_mm: f32) -> Line {
    let widths: Vec<f32> = text.chars().map(|c| if c.is_ascii() { 0.55 } else { 1.0 }).collect();
    let width = widths.iter().sum::<f32>() * EM;
    let mut before = 0.0;
    let symbols = text.chars().zip(&widths).map(|(symbol, share)| {
        let at = (before + share * EM / 2.0) / width;
        before += share * EM;
        Symbol {
            symbol,
            at,
            probability: 0.99,
        }
    });
    Line {
        symbols: symbols.collect(),
        area: Area {
            x: x_mm * 16.0 + width / 2.0,
            y: y_mm * 16.0,
            half_width: width / 2.0,
            half_height: EM / 2.0,
            angle: 0.0,
        },
        text: text.to_owned(),
        confidence: 0.99,
        lattice: Lattice::default(),
    }
}

pub(crate) fn page(lines: &[(&str, f32, f32)]) -> Vec<Line> {
    lines.iter().map(|&(text, x, y)| line(text, x, y)).collect()
}

fn layouts() -> Layouts {
    Layouts::built_in().unwrap()
}

pub(crate) const TODAY: Date = date!(2026 - 11 - 21);

fn value<'a>(known: &'a Known<'_>, name: &str) -> Option<&'a str> {
    known
        .items
        .iter()
        .find(|item| item.name == name)
        .and_then(|item| item.parsed.normalized.as_deref())
}

pub(crate) const LICENCE: [(&str, f32, f32); 14] = [
    ("氏名", 2.0, 4.5),
    ("日本花子 昭和61年5月1日生", 9.0, 4.5),
    ("住所", 2.0, 9.0),
    ("東京都千代田区霞が関2-1-2", 9.0, 9.0),
    ("交付", 2.0, 13.5),
    ("令和01年05月07日 12345", 9.0, 13.5),
    ("2024年(令和06年)06月01日まで有効", 3.0, 18.5),
    ("免許の", 2.0, 23.5),
    ("条件等", 2.0, 26.5),
    ("番号", 2.0, 37.0),
    ("第 300412345670 号", 9.0, 37.0),
    ("二・小・原", 2.0, 41.0),
    ("平成16年04月01日", 14.0, 41.0),
    ("公安委員会", 60.0, 50.0),
];

#[test]
fn a_japanese_driving_licence_is_known_and_read() {
    let layouts = layouts();
    let known = layouts.read(&page(&LICENCE), TODAY).unwrap();
    assert_eq!(known.reading.layout, "jp.driving_license");
    for (name, wanted) in [
        ("fullName", "日本花子"),
        ("birthDate", "1986-05-01"),
        ("address", "東京都千代田区霞が関2-1-2"),
        ("issueDate", "2019-05-07"),
        ("expiryDate", "2024-06-01"),
        ("firstLicence", "2004-04-01"),
    ] {
        assert_eq!(value(&known, name), Some(wanted), "{name}");
    }
    let held = |rule: &str| known.reading.rules.iter().find(|r| r.rule == rule).map(|r| r.held);
    assert_eq!(held("issueDate_before_expiryDate"), Some(true));
    assert_eq!(held("age_16_at_issueDate"), Some(true));
    assert_eq!(held("labels_in_place"), Some(true));
}

#[test]
fn the_labels_in_place_tell_where_the_cards_corners_are() {
    let layouts = layouts();
    let corners = |lines: &[(&str, f32, f32)]| layouts.read(&page(lines), TODAY).unwrap().corners;
    let found = corners(&LICENCE).unwrap();
    let wanted = [[0.0, 0.0], [85.6, 0.0], [85.6, 53.98], [0.0, 53.98]];
    for (corner, at) in found.iter().zip(wanted) {
        let off = (corner[0] - at[0] * 16.0).hypot(corner[1] - at[1] * 16.0);
        assert!(off < 2.0 * 16.0, "{corner:?} {at:?}");
    }
    // Without its left half the page begins outside the picture, wherever that ends.
    let mut moved = LICENCE;
    moved.iter_mut().for_each(|line| line.1 -= 20.0);
    assert!(corners(&moved).is_some_and(|[[left, _], ..]| left < -16.0 * 15.0));
    let mut scattered = LICENCE;
    for (index, line) in scattered.iter_mut().enumerate() {
        (line.1, line.2) = (2.0 + (index % 2) as f32 * 40.0, ((index * 5) % 14) as f32 * 3.8);
    }
    assert_eq!(corners(&scattered), None);
}

#[test]
fn a_page_squeezed_in_one_direction_by_tilt_has_its_corners_where_each_direction_says() {
    let labels = [
        ("在留カード", 20.0, 2.5),
        ("番号", 58.0, 2.5),
        ("氏名", 3.0, 8.5),
        ("生年月日", 3.0, 13.5),
        ("性別", 38.0, 13.5),
        ("国籍・地域", 3.0, 18.5),
        ("住居地", 3.0, 23.5),
        ("在留資格", 3.0, 28.5),
        ("在留期間(満了日)", 3.0, 33.5),
        ("許可の種類", 3.0, 38.0),
        ("許可年月日", 3.0, 42.0),
        ("交付年月日", 36.0, 42.0),
        ("このカードは", 3.0, 46.5),
    ];
    let layouts = layouts();
    for [across, down] in [[1.0, 0.85], [0.85, 1.0], [1.0, 1.0]] {
        let squeezed = labels.map(|(text, x, y)| (text, x * across, y * down));
        let known = layouts.read(&page(&squeezed), TODAY).unwrap();
        assert_eq!(known.reading.layout, "jp.residence_card");
        let found = known.corners.unwrap();
        let wanted = [[0.0, 0.0], [85.6, 0.0], [85.6, 53.98], [0.0, 53.98]];
        for (corner, [x, y]) in found.iter().zip(wanted) {
            let off = (corner[0] - x * across * 16.0).hypot(corner[1] - y * down * 16.0);
            assert!(off < 16.0, "{across} {down}: {corner:?}");
        }
    }
}

#[test]
fn labels_out_of_place_are_told() {
    let mut lines = LICENCE;
    for (index, line) in lines.iter_mut().enumerate() {
        (line.1, line.2) = (2.0 + (index % 2) as f32 * 40.0, ((index * 5) % 14) as f32 * 3.8);
    }
    let layouts = layouts();
    let known = layouts.read(&page(&lines), TODAY).unwrap();
    let held = known.reading.rules.iter().find(|rule| rule.rule == "labels_in_place");
    assert_eq!(held.map(|rule| rule.held), Some(false));
}

#[test]
fn a_label_that_cannot_be_read_is_found_by_its_place() {
    let mut lines = LICENCE;
    lines[2].0 = "仕昕";
    let layouts = layouts();
    let known = layouts.read(&page(&lines), TODAY).unwrap();
    assert_eq!(value(&known, "address"), Some("東京都千代田区霞が関2-1-2"));
}

#[test]
fn a_second_line_goes_on_with_an_address_and_the_next_row_does_not() {
    let mut lines = LICENCE.to_vec();
    lines.push(("グリーンハイツ101号室", 9.0, 11.2));
    lines[4].2 = 14.5;
    lines[5].2 = 14.5;
    let layouts = layouts();
    let known = layouts.read(&page(&lines), TODAY).unwrap();
    assert_eq!(
        value(&known, "address"),
        Some("東京都千代田区霞が関2-1-2 グリーンハイツ101号室")
    );
    lines.retain(|line| !line.0.starts_with("グリーン"));
    lines[4].2 = 11.5;
    lines[5] = ("令和01年05月07日", 9.0, 11.5);
    let known = layouts.read(&page(&lines), TODAY).unwrap();
    assert_eq!(value(&known, "address"), Some("東京都千代田区霞が関2-1-2"));
}

#[test]
fn what_stands_far_from_an_address_is_none_of_it() {
    let layouts = layouts();
    let address = |lines: &[(&str, f32, f32)]| {
        let lines = page(lines);
        let known = layouts.read(&lines, TODAY).unwrap();
        value(&known, "address").map(str::to_owned)
    };
    let card = |title: (&'static str, f32, f32)| {
        [
            ("氏名 番号花子", 3.0, 5.0),
            ("住所", 3.0, 10.0),
            ("東京都千代田区霞が関2-1-2", 10.0, 10.0),
            title,
            ("ハイツ霞101号", 10.0, 12.6),
            ("平成元年3月31日生", 28.0, 17.0),
            ("性別 女", 57.0, 17.0),
            ("2025年3月31日まで有効", 28.0, 22.0),
            ("電子証明書の有効期限", 28.0, 31.0),
        ]
    };
    let wanted = Some("東京都千代田区霞が関2-1-2 ハイツ霞101号".to_owned());
    assert_eq!(address(&card(("カード", 60.0, 10.0))), wanted);
    assert_eq!(address(&card(("カード", 60.0, 12.6))), wanted);
}

#[test]
fn the_name_of_an_office_that_tells_the_layout_is_a_value_too() {
    let layouts = layouts();
    let lines = page(&[
        ("DRIVING LICENCE", 30.0, 4.0),
        ("1. TURNER", 30.0, 11.0),
        ("2. ELIZABETH", 30.0, 16.0),
        ("3. 23.06.1978 LEEDS", 30.0, 21.0),
        ("4a. 04.05.2020", 30.0, 26.0),
        ("4c. DVLA", 60.0, 26.0),
        ("4b. 03.05.2030", 30.0, 31.0),
        ("5. TURNE756238E99AB", 30.0, 36.0),
    ]);
    let known = layouts.read(&lines, TODAY).unwrap();
    assert_eq!(known.reading.layout, "gb.driving_license");
    assert_eq!(value(&known, "issuingAuthority"), Some("DVLA"));
}

#[test]
fn a_licence_of_northern_ireland_has_a_number_that_is_made_of_nothing() {
    let layouts = layouts();
    let read = |office: &'static str, number: &'static str| {
        let lines = page(&[
            ("DRIVING LICENCE", 30.0, 4.0),
            ("1. TURNER", 30.0, 11.0),
            ("2. ELIZABETH", 30.0, 16.0),
            ("3. 23.06.1978 BELFAST", 30.0, 21.0),
            ("4a. 04.05.2020", 30.0, 26.0),
            (office, 60.0, 26.0),
            ("4b. 03.05.2030", 30.0, 31.0),
            (number, 30.0, 36.0),
        ]);
        let known = layouts.read(&lines, TODAY).unwrap();
        let number = value(&known, "documentNumber").map(str::to_owned);
        (known.reading, number)
    };
    let (reading, number) = read("4c. DVA", "5. 12345678");
    assert_eq!(reading.layout, "gb.driving_license.ni");
    assert_eq!(number.as_deref(), Some("12345678"));
    assert!(reading.rules.iter().all(|rule| rule.held), "{:?}", reading.rules);
    // Where the office cannot be read, the number tells.
    let (reading, number) = read("4c.", "5. 12345678");
    assert_eq!(reading.layout, "gb.driving_license.ni");
    assert_eq!(number.as_deref(), Some("12345678"));
    assert_eq!(read("4c.", "5. TURNE756238E99AB").0.layout, "gb.driving_license");
    // A number of sixteen characters is made of the name, whatever the office, and Great Britain has no other.
    for (office, number) in [("4c. DVA", "5. SMITH756238E99AB"), ("4c. DVLA", "5. 12345678")] {
        let (reading, _) = read(office, number);
        assert_eq!(reading.layout, "gb.driving_license", "{office} {number}");
        assert!(reading.rules.iter().any(|rule| !rule.held), "{office} {number}");
    }
}

#[test]
fn a_title_on_a_british_licence_is_no_given_name_and_one_that_may_be_leaves_it_uncertain() {
    let layouts = layouts();
    let given = |names: &str| {
        let lines = page(&[
            ("DRIVING LICENCE", 30.0, 4.0),
            ("1. TURNER", 30.0, 11.0),
            (names, 30.0, 16.0),
            ("3. 23.06.1978 LEEDS", 30.0, 21.0),
            ("4a. 04.05.2020", 30.0, 26.0),
            ("4c. DVLA", 60.0, 26.0),
            ("4b. 03.05.2030", 30.0, 31.0),
            ("5. TURNE756238E99AB", 30.0, 36.0),
        ]);
        let known = layouts.read(&lines, TODAY).unwrap();
        value(&known, "firstName").map(str::to_owned)
    };
    for (printed, wanted) in [
        ("2. MRS JANE", Some("JANE")),
        ("2. REV JOHN PAUL", None),
        ("2. PROF. DAME JANE", None),
        ("2. LORD", Some("LORD")),
    ] {
        assert_eq!(given(printed).as_deref(), wanted, "{printed}");
    }
}

#[test]
fn a_licence_of_another_country_with_american_words_has_no_american_dates() {
    let layouts = layouts();
    let read = |state: &'static str| {
        let lines = page(&[
            (state, 4.0, 5.0),
            ("DRIVER LICENCE", 50.0, 5.0),
            ("LICENCE NO 987654321", 30.0, 11.0),
            ("EXPIRES 05-07-2029", 30.0, 16.0),
            ("DATE OF BIRTH 05-07-1983", 30.0, 21.0),
            ("ADDRESS 12 OAK AVENUE", 30.0, 31.0),
        ]);
        let known = layouts.read(&lines, TODAY)?;
        Some((
            known.reading.layout.clone(),
            value(&known, "birthDate").map(str::to_owned),
        ))
    };
    let of = |born: Option<&str>| Some(("us.driving_license".to_owned(), born.map(str::to_owned)));
    for state in ["ONTARIO", "GUAM", "U.S. VIRGIN ISLANDS"] {
        assert_eq!(read(state), of(Some("1983-05-07")), "{state}");
    }
    // The state was not read, or is one that is not known.
    assert_eq!(read("ST. VINCENT"), of(None));
    for state in ["VICTORIA AUSTRALIA", "NEW SOUTH WALES", "JAMAICA"] {
        assert_eq!(read(state), None, "{state}");
    }
}

#[test]
fn a_place_of_america_that_is_called_as_another_country_is_in_america() {
    let items = american(&[
        ("LN TRAN", 30.0, 14.0),
        ("FN VICTORIA", 30.0, 17.0),
        ("465 BERMUDA DR", 30.0, 22.0),
        ("JAMAICA, NY 11432", 30.0, 24.6),
    ]);
    assert_eq!(of(&items, "birthDate"), Some("1985-02-03"));
    assert_eq!(of(&items, "firstName"), Some("VICTORIA"));
    assert_eq!(of(&items, "address"), Some("465 BERMUDA DR JAMAICA, NY 11432"));
}

#[test]
fn a_name_over_two_lines_of_a_numbered_licence_is_whole() {
    let layouts = layouts();
    let names = |lines: &[(&str, f32, f32)]| {
        let lines = page(lines);
        let known = layouts.read(&lines, TODAY).unwrap();
        ["lastName", "firstName"].map(|name| value(&known, name).map(str::to_owned))
    };
    let both = |last: &str, first: &str| [Some(last.to_owned()), Some(first.to_owned())];
    // The second line stands below the first letter of the name.
    let portuguese = [
        ("CARTA DE CONDUÇÃO", 24.0, 4.0),
        ("1. SILVA PEREIRA DOS", 30.0, 11.0),
        ("SANTOS OLIVEIRA", 34.1, 13.3),
        ("2. MARIA", 30.0, 17.0),
        ("3. 02.03.1985 LISBOA", 30.0, 21.0),
        ("4a. 04.05.2020", 30.0, 26.0),
        ("4c. IMT LISBOA", 60.0, 26.0),
        ("4b. 03.05.2035", 30.0, 31.0),
        ("5. L-1234567 8", 30.0, 36.0),
        ("9. B", 30.0, 46.0),
    ];
    assert_eq!(names(&portuguese), both("SILVA PEREIRA DOS SANTOS OLIVEIRA", "MARIA"));
    let british = [
        ("DRIVING LICENCE", 30.0, 4.0),
        ("1. TURNER", 30.0, 11.0),
        ("2. MR JONATHAN CHRISTOPHER", 30.0, 15.0),
        ("ALEXANDER", 34.1, 17.3),
        ("3. 23.06.1978 LEEDS", 30.0, 21.0),
        ("4a. 04.05.2020", 30.0, 26.0),
        ("4c. DVLA", 60.0, 26.0),
        ("4b. 03.05.2030", 30.0, 31.0),
        ("5. TURNE756238E99AB", 30.0, 36.0),
    ];
    assert_eq!(names(&british), both("TURNER", "JONATHAN CHRISTOPHER ALEXANDER"));
    // What stands there with room for a number of its own is something else.
    let mut apart = british;
    apart[3].2 = 18.0;
    assert_eq!(names(&apart), both("TURNER", "JONATHAN CHRISTOPHER"));
    // The line below a family name is the given names, whose number was not read.
    let mut unnumbered = portuguese;
    (unnumbered[2].0, unnumbered[3]) = ("MARIA", ("4d.", 60.0, 31.0));
    unnumbered[4].2 = 17.0;
    assert_eq!(names(&unnumbered)[0].as_deref(), Some("SILVA PEREIRA DOS"));
}

#[test]
fn a_licence_that_is_called_as_the_british_one_is_british_only_by_its_office_state_or_number() {
    let layouts = layouts();
    let read = |title: &'static str, office: &'static str, number: &'static str| {
        let lines = page(&[
            (title, 30.0, 4.0),
            ("1. GEORGIOU", 30.0, 11.0),
            ("2. ELENI", 30.0, 16.0),
            ("3. 23.06.1978 LEFKOSIA", 30.0, 21.0),
            ("4a. 04.05.2020", 30.0, 26.0),
            (office, 60.0, 26.0),
            ("4b. 03.05.2030", 30.0, 31.0),
            (number, 30.0, 36.0),
            ("7.", 30.0, 40.0),
            ("9. B", 30.0, 46.0),
        ]);
        let known = layouts.read(&lines, TODAY).unwrap();
        let number = value(&known, "documentNumber").map(str::to_owned);
        (known.reading.layout, number)
    };
    let title = "DRIVING LICENCE";
    for title in [title, "DRIVING LICENCE UNITED KINGDOM GIBRALTAR"] {
        let (layout, number) = read(title, "4c. RTD", "5. A1234567");
        assert_eq!(layout, "eu.driving_license", "{title}");
        assert_eq!(number.as_deref(), Some("A1234567"), "{title}");
    }
    for (title, office, number) in [
        (title, "4c. DVLA", "5. A1234567"),
        (title, "4c.", "5. GEORG756238E99AB"),
        ("UNITED KINGDOM DRIVING LICENCE", "4c. DVLA", "5. GEORG756238E99AB"),
        // Its holder was born there.
        ("DRIVING LICENCE JERSEY", "4c.", "5. GEORG756238E99AB"),
    ] {
        assert_eq!(
            read(title, office, number).0,
            "gb.driving_license",
            "{title} {office} {number}"
        );
    }
}

#[test]
fn a_licence_of_another_country_is_not_british_by_eight_digits_or_by_the_numbers_of_its_items() {
    let layouts = layouts();
    let read = |title: &[(&str, f32, f32)], number: &'static str| {
        let items = [
            ("1. MEIER", 30.0, 11.0),
            ("2. ANNA", 30.0, 16.0),
            ("3. 23.06.1978 GRAZ", 30.0, 21.0),
            ("4a. 04.05.2020", 30.0, 26.0),
            ("4c. NDLS", 60.0, 26.0),
            ("4b. 03.05.2030", 30.0, 31.0),
            ("4d. 123456789", 60.0, 31.0),
            (number, 30.0, 36.0),
            ("7.", 30.0, 40.0),
            ("8. 12 OAK AVENUE", 30.0, 43.0),
            ("9. B", 30.0, 46.0),
        ];
        let known = layouts.read(&page(&[title, &items].concat()), TODAY).unwrap();
        let number = value(&known, "documentNumber").map(str::to_owned);
        (known.reading.layout, number)
    };
    // The title was not read, such as that of Austria.
    let (layout, number) = read(&[], "5. 12345678");
    assert_eq!(layout, "eu.driving_license");
    assert_eq!(number.as_deref(), Some("12345678"));
    // Of the title of Ireland, only the English half was.
    let (layout, number) = read(&[("DRIVING LICENCE", 30.0, 4.0)], "5. 987654321");
    assert_eq!(layout, "eu.driving_license");
    assert_eq!(number.as_deref(), Some("987654321"));
    // Cyprus has eight digits, and the title in English beside one in Turkish or the name of the state.
    for other in ["SÜRÜCÜ BELGESİ", "REPUBLIC OF CYPRUS", "ΑΔΕΙΑ ΟΔΗΓΗΣΗΣ"] {
        let (layout, number) = read(&[("DRIVING LICENCE", 30.0, 4.0), (other, 58.0, 4.0)], "5. 12345678");
        assert_eq!(layout, "eu.driving_license", "{other}");
        assert_eq!(number.as_deref(), Some("12345678"), "{other}");
    }
}

#[test]
fn a_passport_card_is_an_identity_card() {
    let layouts = layouts();
    let lines = page(&[
        ("UNITED STATES OF AMERICA", 5.0, 4.0),
        ("PASSPORT CARD", 60.0, 4.0),
        ("Nationality", 32.0, 9.0),
        ("USA", 32.0, 11.8),
        ("Passport Card no.", 58.0, 9.0),
        ("C03004786", 58.0, 11.8),
        ("Surname", 32.0, 16.0),
        ("TRAVELER", 32.0, 18.8),
        ("Given Names", 32.0, 23.0),
        ("HAPPY", 32.0, 25.8),
        ("Sex", 32.0, 30.0),
        ("M", 32.0, 32.8),
        ("Date of Birth", 44.0, 30.0),
        ("1 JAN 1981", 44.0, 32.8),
        ("Issued On", 32.0, 37.0),
        ("30 NOV 2019", 32.0, 39.8),
        ("Expires On", 58.0, 37.0),
        ("29 NOV 2029", 58.0, 39.8),
    ]);
    let known = layouts.read(&lines, TODAY).unwrap();
    assert_eq!(known.reading.layout, "icao.id_card");
    for (name, text) in [
        ("documentNumber", "C03004786"),
        ("lastName", "TRAVELER"),
        ("firstName", "HAPPY"),
        ("birthDate", "1981-01-01"),
        ("issueDate", "2019-11-30"),
        ("expiryDate", "2029-11-29"),
    ] {
        assert_eq!(value(&known, name), Some(text), "{name}");
    }
}

#[test]
fn a_licence_of_brazil_is_no_european_one() {
    let layouts = layouts();
    let lines = page(&[
        ("CARTEIRA NACIONAL DE HABILITAÇÃO", 5.0, 4.0),
        ("DRIVER LICENSE / PERMISO DE CONDUCCIÓN", 5.0, 7.0),
        ("2 e 1 NOME E SOBRENOME", 30.0, 11.0),
        ("ANA EXEMPLO DA SILVA", 30.0, 13.8),
        ("3 DATA, LOCAL E UF DE NASCIMENTO", 30.0, 18.0),
        ("4a DATA EMISSÃO", 30.0, 24.0),
        ("4b VALIDADE", 60.0, 24.0),
        ("4c DOC IDENTIDADE / ÓRG EMISSOR / UF", 30.0, 30.0),
        ("4d CPF", 30.0, 36.0),
        ("5 Nº REGISTRO", 50.0, 36.0),
        ("9 CAT HAB", 70.0, 36.0),
    ]);
    let layout = layouts.read(&lines, TODAY).map(|known| known.reading.layout);
    assert_ne!(layout.as_deref(), Some("eu.driving_license"));
}

#[test]
fn a_licence_with_french_labels_alone_is_read() {
    let items = named(&[
        ("QUÉBEC", 30.0, 4.0),
        ("PERMIS DE CONDUIRE", 30.0, 8.0),
        ("4d Numéro", 30.0, 12.0),
        ("G2514-180776-09", 30.0, 14.6),
        ("1 Nom", 30.0, 18.0),
        ("GAGNON-BOUCHARD", 30.0, 20.6),
        ("2 Prénom", 30.0, 24.0),
        ("MARC-ANTOINE", 30.0, 26.6),
        ("3 Naissance", 65.0, 12.0),
        ("1976-07-18", 65.0, 14.6),
        ("4a Délivré le", 30.0, 36.0),
        ("2022-07-02", 30.0, 38.6),
        ("4b Expire le", 55.0, 36.0),
        ("2030-07-18", 55.0, 38.6),
        ("15 Sexe", 30.0, 42.0),
        ("M", 30.0, 44.6),
        ("16 Taille", 45.0, 42.0),
        ("181 cm", 45.0, 44.6),
        ("18 Yeux", 60.0, 42.0),
        ("BLEU", 60.0, 44.6),
    ]);
    for (name, value) in [
        ("documentNumber", "G2514-180776-09"),
        ("lastName", "GAGNON-BOUCHARD"),
        ("firstName", "MARC-ANTOINE"),
        ("birthDate", "1976-07-18"),
        ("issueDate", "2022-07-02"),
        ("expiryDate", "2030-07-18"),
        ("gender", "male"),
    ] {
        assert_eq!(of(&items, name), Some(value), "{name}");
    }
}

#[test]
fn the_card_access_number_is_no_number_of_the_document() {
    let items = named(&[
        ("DOWÓD OSOBISTY / IDENTITY CARD", 20.0, 6.0),
        ("NAZWISKO / SURNAME", 30.0, 12.0),
        ("NOWAK", 30.0, 14.6),
        ("IMIONA / GIVEN NAMES", 30.0, 18.0),
        ("ZUZANNA", 30.0, 20.6),
        ("DATA URODZENIA / DATE OF BIRTH", 30.0, 24.0),
        ("21.12.1993", 30.0, 26.6),
        ("PŁEĆ / SEX", 30.0, 30.0),
        ("K", 30.0, 32.6),
        ("CARD NUMBER", 30.0, 40.0),
        ("CAN", 62.0, 40.0),
        ("204718", 62.0, 42.6),
    ]);
    assert_eq!(of(&items, "documentNumber"), None);
    assert_eq!(of(&items, "lastName"), Some("NOWAK"));
}

#[test]
fn a_licence_of_quebec_is_no_european_one() {
    let layouts = layouts();
    let lines = page(&[
        ("PERMIS DE CONDUIRE", 30.0, 4.0),
        ("1 TREMBLAY", 30.0, 10.0),
        ("2 ANNE", 30.0, 14.0),
        ("3 DATE DE NAISSANCE 1990-01-31", 30.0, 18.0),
        ("4d T6543-310190-08", 30.0, 22.0),
        ("4a 2022-01-31", 30.0, 26.0),
        ("4b 2030-01-31", 60.0, 26.0),
        ("5 N° DE RÉFÉRENCE PEJ7ABC12345", 30.0, 30.0),
        ("9 CLASSE 5", 30.0, 34.0),
        ("15 SEXE F", 30.0, 38.0),
        ("16 TAILLE 168 cm", 50.0, 38.0),
        ("18 YEUX BRUN", 70.0, 38.0),
    ]);
    let known = layouts.read(&lines, TODAY).unwrap();
    assert_eq!(known.reading.layout, "us.driving_license");
}

#[test]
fn columns_found_as_one_line_are_two_values() {
    let layouts = layouts();
    let lines = page(&[
        ("ONTARIO", 4.0, 5.0),
        ("DRIVER'S LICENCE", 50.0, 5.0),
        ("ID NUMBER", 30.0, 11.0),
        ("EXPIRES", 57.7, 11.0),
        ("R6427-23689-21665 2029/03/26", 30.0, 14.5),
        ("LAST NAME", 30.0, 20.0),
        ("SAMPLE", 30.0, 23.5),
        ("DATE OF BIRTH", 30.0, 30.0),
        ("1952/03/26", 30.0, 33.5),
        ("HEIGHT", 57.0, 30.0),
    ]);
    let known = layouts.read(&lines, TODAY).unwrap();
    assert_eq!(value(&known, "documentNumber"), Some("R6427-23689-21665"));
    assert_eq!(value(&known, "expiryDate"), Some("2029-03-26"));
    assert_eq!(
        value(&known, "birthDate"),
        Some("1952-03-26"),
        "19 is no number of an item"
    );
}

#[test]
fn a_label_glued_to_its_value_leaves_the_value_out_and_an_address_is_given_whole() {
    let layouts = layouts();
    let mut lines = vec![
        ("BRITISH COLUMBIA", 4.0, 5.0),
        ("DRIVER'S LICENCE", 50.0, 5.0),
        ("4d DLNL829-491-10", 30.0, 11.0),
        ("DOB 1981/03/10", 30.0, 16.0),
        ("HGT 170", 30.0, 20.0),
        ("EYES BRN", 50.0, 20.0),
        ("495 OAK DRIVE", 30.0, 30.0),
        ("VICTORIA, BC V8V 1X4", 30.0, 32.6),
    ];
    let read = |lines: &[(&str, f32, f32)], name: &str| {
        let lines = page(lines);
        let known = layouts.read(&lines, TODAY).unwrap();
        value(&known, name).map(str::to_owned)
    };
    assert_eq!(read(&lines, "documentNumber"), None);
    let whole = "495 OAK DRIVE VICTORIA, BC V8V 1X4".to_owned();
    assert_eq!(read(&lines, "address"), Some(whole));
    lines[2].0 = "4d DLN L829-491-10";
    assert_eq!(read(&lines, "documentNumber"), Some("L829-491-10".to_owned()));
}

#[test]
fn the_letter_of_the_sex_may_be_glued_to_its_label() {
    for (line, sex) in [
        ("15 SEXF", Some("female")),
        ("15 SEX M", Some("male")),
        ("SEXM HGT", Some("male")),
        ("SEXX", None),
        ("15 SEXFM", None),
        ("SEXTON", None),
    ] {
        let items = american(&[(line, 30.0, 41.0)]);
        assert_eq!(of(&items, "gender"), sex, "{line}");
    }
}

#[test]
fn where_items_are_numbered_an_address_that_took_its_number_in_is_left_out() {
    let layouts = layouts();
    let read = |surname: &str, street: &str| {
        let lines = page(&[
            ("ILLINOIS", 4.0, 5.0),
            ("DRIVER LICENSE", 50.0, 5.0),
            (surname, 30.0, 11.0),
            ("DOB 04/02/1966", 30.0, 16.0),
            ("HGT 5'-08\"", 30.0, 20.0),
            ("EYES BLU", 50.0, 20.0),
            (street, 30.0, 30.0),
            ("SPRINGFIELD, IL 62701", 30.0, 32.6),
        ]);
        let known = layouts.read(&lines, TODAY).unwrap();
        value(&known, "address").map(str::to_owned)
    };
    let given = |street: &str| Some(format!("{street} SPRINGFIELD, IL 62701"));
    assert_eq!(read("1 THOMPSON", "8932 HIGH STREET"), None);
    assert_eq!(read("1 THOMPSON", "8 932 HIGH STREET"), given("932 HIGH STREET"));
    assert_eq!(read("1 THOMPSON", "732 HIGH STREET"), given("732 HIGH STREET"));
    assert_eq!(read("LN THOMPSON", "8932 HIGH STREET"), given("8932 HIGH STREET"));
}

#[test]
fn what_is_covered_is_told_by_what_is_missing() {
    let layouts = layouts();
    let hidden = |lines: &[(&str, f32, f32)]| layouts.read(&page(lines), TODAY).unwrap().reading.hidden;
    let mut lines = LICENCE.to_vec();
    lines.push(("他", 2.0, 45.0));
    lines.push(("平成00年00月00日", 14.0, 45.0));
    lines.push(("二種", 2.0, 49.0));
    lines.push(("平成00年00月00日", 14.0, 49.0));
    assert_eq!(hidden(&lines), 0.0);
    // A note over the upper right, from beside the labels on.
    let covered: Vec<_> = lines
        .iter()
        .copied()
        .filter(|&(_, x, y)| x < 8.0 && x != 3.0 || y > 30.0)
        .collect();
    let share = hidden(&covered);
    assert!(share > 0.4, "{share}");
}

#[test]
fn the_legend_on_the_back_of_a_european_licence_is_no_front() {
    let layouts = layouts();
    let lines = page(&[
        ("1. Name 2. First name", 2.6, 12.0),
        ("3. Date and place of birth", 2.6, 15.0),
        ("4a. Date of issue", 2.6, 18.0),
        ("4b. Date of expiry", 2.6, 21.0),
        ("27.07.25", 36.0, 21.0),
        ("4c. Issued by", 2.6, 24.0),
        ("5. Number", 2.6, 27.0),
        ("9.", 26.0, 5.0),
        ("AM", 26.0, 8.0),
    ]);
    let known = layouts.read(&lines, TODAY).unwrap();
    assert_eq!(known.reading.layout, "eu.driving_license.back");
    assert!(known.items.is_empty());
}

#[test]
fn a_card_is_known_by_its_words_whatever_the_paper_below_it_says() {
    let layouts = layouts();
    let lines = page(&[
        ("what is to be bought before the end of the month", 0.0, 1.0),
        ("Address / 住所", 5.0, 6.0),
        ("7 HARBOUR STREET, AMAUROT", 5.0, 9.5),
        ("Document No. / 番号", 5.0, 20.0),
        ("AN2238035", 5.0, 23.5),
        ("Authority / 発行機関", 45.0, 20.0),
        ("MINISTRY OF THE INTERIOR", 45.0, 23.5),
        ("in the morning; the rest is due", 0.0, 52.0),
    ]);
    let known = layouts.read(&lines, TODAY).unwrap();
    assert_eq!(known.reading.layout, "icao.id_card.back");
    assert_eq!(value(&known, "address"), Some("7 HARBOUR STREET, AMAUROT"));
    assert_eq!(value(&known, "issuingAuthority"), Some("MINISTRY OF THE INTERIOR"));
    assert_eq!(value(&known, "documentNumber"), Some("AN2238035"));
}

/// The items that the entries on a page say are out of date.
fn superseded(lines: &[(&str, f32, f32)], entries: &[(&str, f32, f32)]) -> Vec<FieldName> {
    let layouts = layouts();
    let known = judged(&layouts, &page(&[lines, entries].concat()));
    let mut results = known.reading.rules.iter();
    assert!(results.all(|result| !result.contradiction), "{entries:?}");
    let results = known.reading.rules.iter();
    results.filter_map(RuleResult::superseded_item).collect()
}

#[test]
fn a_new_address_or_name_on_the_back_of_a_licence_replaces_that_of_the_front() {
    let back = [
        ("備考", 4.0, 6.5),
        ("公安委員会", 70.0, 30.0),
        ("臓器提供に関する意思", 4.0, 41.0),
        ("《自筆署名》", 4.0, 50.0),
    ];
    for (entry, items) in [
        ("令和5年6月1日 新住所 東京都港区芝1-2-3", vec![FieldName::Address]),
        ("東京都港区芝1-2-3", vec![FieldName::Address]),
        ("横浜市中区日本大通1", vec![FieldName::Address]),
        ("R6.6.1 港区芝1-2-3", vec![FieldName::Address]),
        ("令和5年6月1日 新氏名 田中花子", vec![FieldName::FullName]),
        ("令和5年6月1日 新条件 眼鏡等", vec![]),
        // What stands in brackets beside the name on the front, or would.
        ("氏名欄の括弧内は旧姓を使用した氏名", vec![]),
        ("令和5年6月1日 旧姓を使用した氏名 東京花子", vec![]),
    ] {
        assert_eq!(superseded(&back, &[(entry, 6.0, 13.4)]), items, "{entry}");
    }
    assert_eq!(superseded(&back, &[]), [], "no entry");
}

#[test]
fn an_entry_in_the_table_of_addresses_of_a_residence_card_replaces_that_of_the_front() {
    let back = [
        ("住居地記載欄", 3.0, 6.0),
        ("届出年月日", 4.0, 9.8),
        ("住居地", 34.0, 9.8),
        ("記載者印", 72.0, 9.8),
        ("資格外活動許可欄", 3.0, 31.0),
        ("在留期間更新等許可申請欄", 44.0, 31.0),
    ];
    let special = &back[..4];
    let (day, address) = (("2024年05月01日", 4.0, 13.4), ("東京都港区芝1-2-3", 25.0, 13.4));
    let next = ("大阪府大阪市北区梅田1-2-3", 25.0, 17.4);
    let [short, era] = [("2024.6.1", 4.0, 13.4), ("R6.6.1", 4.0, 13.4)];
    // Without its prefecture, and misread: that something is entered is enough.
    let [town, illegible] = [("横浜市中区日本大通1", 25.0, 13.4), ("檳洪巾中医日本", 25.0, 13.4)];
    for entries in [
        &[day][..],
        &[address],
        &[day, address],
        &[day, address, next],
        &[short],
        &[era],
        &[town],
        &[illegible],
        &[short, town],
    ] {
        for lines in [&back[..], special] {
            assert_eq!(superseded(lines, entries), [FieldName::Address], "{entries:?}");
        }
    }
    let permission = ("許可(原則週28時間以内・風俗営業等の従事を除く)", 4.0, 38.0);
    assert_eq!(superseded(&back, &[permission]), [], "the table is empty");
    assert_eq!(superseded(special, &[]), [], "the table is empty");
}

#[test]
fn the_stamp_of_a_pending_application_says_that_the_stay_goes_on_and_the_head_of_its_column_does_not() {
    let back = |stamp: &'static str| {
        let lines = [
            ("住居地記載欄", 3.0, 6.0),
            ("届出年月日", 4.0, 9.8),
            ("資格外活動許可欄", 3.0, 31.0),
            ("在留期間更新等許可申請欄", 44.0, 31.0),
        ];
        superseded(&lines, &[(stamp, 46.0, 40.0)])
    };
    for stamp in ["在留期間更新許可申請中", "在留資格変更許可申請中", "申請中"] {
        assert_eq!(back(stamp), [FieldName::ExpiryDate], "{stamp}");
    }
    for other in ["在留期間更新許可申請欄", "申請欄", "許可申請"] {
        assert_eq!(back(other), [], "{other}");
    }
}

#[test]
fn what_is_entered_on_a_my_number_card_takes_the_normal_form_of_what_it_replaces() {
    let front = [
        ("氏名 番号花子", 3.0, 5.0),
        ("住所 東京都千代田区霞が関2-1-2", 3.0, 10.0),
        ("追記欄", 4.0, 18.0),
        ("平成元年3月31日生", 28.0, 25.6),
        ("性別 女", 61.0, 25.6),
        ("2035年3月31日まで有効", 28.0, 32.0),
        ("電子証明書の有効期限", 28.0, 37.6),
        ("個人番号カード", 28.0, 44.0),
    ];
    let all = vec![FieldName::FullName, FieldName::Address, FieldName::ExpiryDate];
    let address = vec![FieldName::Address];
    for (entry, items) in [
        (
            Some("令和5年4月1日転入 令和5年4月10日届出 東京都港区芝1-2-3"),
            all.clone(),
        ),
        (Some("有効期間 2037年3月31日"), all.clone()),
        (Some("東京都港区芝1-2-3"), address),
        // How the name is read takes nothing away, a name or an address beside it does.
        (Some("令和8年6月10日 氏名の振り仮名 バンゴウ ハナコ"), vec![]),
        (Some("令和8年6月10日 ローマ字 BANGO HANAKO"), vec![]),
        (
            Some("令和8年6月10日 振り仮名 バンゴウ ハナコ 東京都港区芝1-2-3"),
            all.clone(),
        ),
        (None, vec![]),
    ] {
        let entries: Vec<_> = entry.into_iter().map(|entry| (entry, 14.0, 18.0)).collect();
        assert_eq!(superseded(&front, &entries), items, "{entry:?}");
        let layouts = layouts();
        let known = judged(&layouts, &page(&[&front[..], &entries[..]].concat()));
        for (name, item) in [
            ("fullName", FieldName::FullName),
            ("address", FieldName::Address),
            ("expiryDate", FieldName::ExpiryDate),
        ] {
            let read = known.items.iter().find(|item| item.name == name).unwrap();
            assert_eq!(
                read.parsed.normalized.is_none(),
                items.contains(&item),
                "{name} {entry:?}"
            );
        }
    }
    let renamed = "令和8年6月10日 氏名 山田花子 氏名の振り仮名 ヤマダ ハナコ";
    assert_eq!(
        superseded(&front, &[(renamed, 14.0, 18.0)]),
        all,
        "a name beside its reading"
    );
}

#[test]
fn a_certificate_that_says_so_is_no_licence() {
    let mut lines = LICENCE.to_vec();
    lines[6] = ("自動車等の運転はできません", 4.0, 20.0);
    let layouts = layouts();
    let known = layouts.read(&page(&lines), TODAY).unwrap();
    assert_eq!(known.reading.layout, "jp.driving_history_certificate");
}

#[test]
fn a_rule_that_fails_takes_the_normal_forms_of_what_it_doubts() {
    let mut lines = LICENCE;
    lines[6].0 = "2018年(平成30年)06月01日まで有効";
    let layouts = layouts();
    let known = judged(&layouts, &page(&lines));
    assert_eq!((value(&known, "issueDate"), value(&known, "expiryDate")), (None, None));
    assert!(
        known.items.iter().any(|item| item.name == "expiryDate"),
        "the text stays"
    );
    assert_eq!(value(&known, "birthDate"), Some("1986-05-01"));
    assert_eq!(contradictions(&known), ["issueDate_before_expiryDate"]);
}

/// A page of which every item was read with certainty.
fn judged<'a>(layouts: &'a Layouts, lines: &[Line]) -> Known<'a> {
    let mut known = layouts.read(lines, TODAY).unwrap();
    let mut items = known.items.clone();
    known.judge(&mut items);
    known.items = items;
    known
}

fn contradictions<'a>(known: &'a Known<'_>) -> Vec<&'a str> {
    let contradicted = |rule: &'a RuleResult| rule.contradiction.then_some(rule.rule.as_str());
    known.reading.rules.iter().filter_map(contradicted).collect()
}

#[test]
fn a_date_that_no_calendar_has_contradicts_the_document() {
    let layouts = layouts();
    let passport = |issued| {
        judged(
            &layouts,
            &page(&[
                ("UTOPIA", 5.0, 5.0),
                ("PASSPORT", 60.0, 5.0),
                ("Surname", 45.0, 15.0),
                ("ERIKSSON", 45.0, 19.0),
                ("Date of birth", 45.0, 30.0),
                ("12 AUG 1974", 45.0, 34.0),
                ("Date of issue", 45.0, 45.0),
                (issued, 45.0, 49.0),
                ("Date of expiry", 45.0, 58.0),
                ("15 APR 2032", 45.0, 62.0),
            ]),
        )
    };
    for issued in ["65 JUN 2025", "02 OCT 2093", "31.02.2024"] {
        let known = passport(issued);
        assert_eq!(contradictions(&known), ["issueDate_sound"], "{issued}");
        let item = known.items.iter().find(|item| item.name == "issueDate").unwrap();
        assert_eq!((item.parsed.text.as_str(), &item.parsed.normalized), (issued, &None));
    }
    let known = passport("25 JUN 2025");
    assert_eq!(
        (value(&known, "issueDate"), contradictions(&known)),
        (Some("2025-06-25"), vec![])
    );
    assert_eq!(
        contradictions(&passport("25 JUN 2033")),
        ["issueDate_sound"],
        "still to come"
    );
    // A year of another calendar is none that the document cannot have.
    for issued in ["05/07/2568", "1447/01/09", "02 OCT 2493"] {
        let known = passport(issued);
        assert_eq!(
            (value(&known, "issueDate"), contradictions(&known)),
            (None, vec![]),
            "{issued}"
        );
    }
    // It is tomorrow already east of here.
    let known = passport("22 NOV 2026");
    assert_eq!(
        (value(&known, "issueDate"), contradictions(&known)),
        (Some("2026-11-22"), vec![])
    );
    assert_eq!(contradictions(&passport("23 NOV 2026")), ["issueDate_sound"]);
}

#[test]
fn a_year_in_which_nothing_was_issued_contradicts_a_licence() {
    let layouts = layouts();
    for (issued, read, contradicted) in [
        ("4a ISS 10/28/2023", Some("2023-10-28"), vec![]),
        ("4a ISS 10/28/4023", None, vec!["issueDate_sound"]),
        ("4a ISS 10/28/2123", None, vec!["issueDate_sound"]),
        ("4a ISS 10/28/0023", None, vec!["issueDate_sound"]),
    ] {
        let lines = page(&[
            ("OHIO", 4.0, 5.0),
            ("DRIVER LICENSE", 50.0, 5.0),
            ("LN STANTON", 30.0, 14.0),
            ("FN CLARA ROSE", 30.0, 18.0),
            (issued, 30.0, 26.0),
            ("4b EXP 10/28/2029", 30.0, 31.0),
            ("DOB 02/03/1985", 30.0, 36.0),
            ("HGT 5'-04\"", 50.0, 41.0),
            ("EYES BRN", 65.0, 41.0),
        ]);
        let known = judged(&layouts, &lines);
        assert_eq!(
            (value(&known, "issueDate"), contradictions(&known)),
            (read, contradicted),
            "{issued}"
        );
        assert_eq!(value(&known, "expiryDate"), Some("2029-10-28"), "{issued}");
    }
}

#[test]
fn a_check_digit_known_by_report_only_is_doubt_and_no_contradiction() {
    let mut lines = LICENCE;
    lines[10].0 = "第 300412345679 号";
    let layouts = layouts();
    let known = judged(&layouts, &page(&lines));
    let sound = known
        .reading
        .rules
        .iter()
        .find(|rule| rule.rule == "documentNumber_sound");
    assert_eq!(sound.map(|rule| (rule.held, rule.contradiction)), Some((false, false)));
}

/// Whether a rule holds and whether it is contradicted; `None` where it says nothing.
fn rule(known: &Known<'_>, name: &str) -> Option<(bool, bool)> {
    let found = known.reading.rules.iter().find(|rule| rule.rule == name)?;
    Some((found.held, found.contradiction))
}

#[test]
fn a_required_rule_whose_item_was_not_read_does_not_hold_and_is_no_contradiction() {
    let layouts = layouts();
    let mut lines = LICENCE.to_vec();
    lines[10].0 = "第 300412345600 号";
    let known = judged(&layouts, &page(&lines));
    assert_eq!(rule(&known, "documentNumber_sound"), Some((true, false)));
    assert_eq!(rule(&known, "age_16_at_issueDate"), Some((true, false)));
    lines.remove(10);
    let known = judged(&layouts, &page(&lines));
    assert_eq!(known.reading.layout, "jp.driving_license");
    assert_eq!(rule(&known, "documentNumber_sound"), Some((false, false)));
    assert_eq!(rule(&known, "age_16_at_issueDate"), Some((true, false)));
    assert_eq!(rule(&known, "number_year"), None, "it is not required");
}

#[test]
fn a_residence_card_without_a_date_of_issue_is_as_good_as_one_with_it() {
    let layouts = layouts();
    let card = |lines: &[(&'static str, f32, f32)]| {
        let common = [
            ("在留カード", 30.0, 2.5),
            ("番号 AB12345678CD", 58.0, 2.5),
            ("氏名 SAMPLE ANNA", 3.0, 8.5),
            ("生年月日 1985年03月02日", 3.0, 13.5),
            ("性別 女", 38.0, 13.5),
            ("国籍・地域 米国", 3.0, 18.5),
            ("住居地 東京都港区芝1丁目2番3号", 3.0, 23.5),
            ("在留資格 留学", 3.0, 28.5),
            ("このカードは2028年03月01日まで有効です。", 3.0, 46.5),
        ];
        let known = judged(&layouts, &page(&[&common[..], lines].concat()));
        assert_eq!(known.reading.layout, "jp.residence_card");
        known
    };
    let known = card(&[("在留期間の満了日 2028年03月01日", 3.0, 33.5)]);
    let rules = &known.reading.rules;
    assert!(rules.iter().all(|rule| rule.held), "{rules:?}");
    assert_eq!(rule(&known, "birthDate_before_expiryDate"), Some((true, false)));
    assert_eq!(rule(&known, "birthDate_before_issueDate"), None, "it has none");
    assert!(known.reading.hidden < 0.01, "{}", known.reading.hidden);
    let issued = ("交付年月日 1984年03月01日", 36.0, 42.0);
    let known = card(&[("在留期間(満了日) 4年3月(2028年03月01日)", 3.0, 33.5), issued]);
    assert_eq!(rule(&known, "birthDate_before_issueDate"), Some((false, true)));
}

#[test]
fn a_residence_card_that_outlasts_the_stay_it_prints_is_in_doubt() {
    let layouts = layouts();
    for (stay, held, expires) in [
        (
            "在留期間(満了日) 4年3月(2028年03月01日)",
            Some((true, false)),
            Some("2028-03-01"),
        ),
        // Somebody under 16 gets another card before the stay ends.
        (
            "在留期間の満了日 2029年03月01日",
            Some((true, false)),
            Some("2028-03-01"),
        ),
        ("在留期間(満了日) 4年3月(2025年03月01日)", Some((false, false)), None),
        ("在留期間(満了日) ********", None, Some("2028-03-01")),
    ] {
        let known = judged(
            &layouts,
            &page(&[
                ("在留カード", 30.0, 2.5),
                ("番号 AB12345678CD", 58.0, 2.5),
                ("氏名 SAMPLE ANNA", 3.0, 8.5),
                ("生年月日 1985年03月02日", 3.0, 13.5),
                ("性別 女", 38.0, 13.5),
                ("国籍・地域 米国", 3.0, 18.5),
                ("住居地 東京都港区芝1丁目2番3号", 3.0, 23.5),
                ("在留資格 留学", 3.0, 28.5),
                (stay, 3.0, 33.5),
                ("このカードは2028年03月01日まで有効です。", 3.0, 46.5),
            ]),
        );
        assert_eq!(rule(&known, "expiryDate_within_0_years"), held, "{stay}");
        assert_eq!(value(&known, "expiryDate"), expires, "{stay}");
    }
}

#[test]
fn a_residence_card_that_is_a_my_number_card_too_is_known_as_a_residence_card() {
    let layouts = layouts();
    let common = [
        ("番号 AB12345678CD", 58.0, 2.5),
        ("氏名 SAMPLE ANNA", 3.0, 8.5),
        ("生年月日 1985年03月02日", 3.0, 13.5),
        ("性別 女", 38.0, 13.5),
        ("国籍・地域 米国", 3.0, 18.5),
        ("住居地 東京都港区芝1丁目2番3号", 3.0, 23.5),
        ("個人番号カード", 60.0, 50.5),
        ("電子証明書の有効期限", 3.0, 50.5),
    ];
    let residence = [
        ("特定在留カード", 30.0, 2.5),
        ("在留資格 留学", 3.0, 28.5),
        ("在留期間の満了日 2028年03月01日", 3.0, 33.5),
        ("このカードは2028年03月01日まで有効です。", 3.0, 46.5),
    ];
    let permanent = [
        ("特定特別永住者証明書", 20.0, 2.5),
        ("この証明書は2033年03月02日まで有効です。", 3.0, 46.5),
    ];
    for (own, layout) in [
        (&residence[..], "jp.residence_card"),
        (&permanent[..], "jp.special_permanent_resident_certificate"),
    ] {
        let known = judged(&layouts, &page(&[&common[..], own].concat()));
        assert_eq!(known.reading.layout, layout);
        assert_eq!(rule(&known, "documentNumber_sound"), Some((true, false)), "{layout}");
        assert_eq!(value(&known, "birthDate"), Some("1985-03-02"), "{layout}");
    }
}

#[test]
fn rules_are_applied_to_the_items_that_were_confirmed() {
    let layouts = layouts();
    let mut lines = LICENCE;
    lines[10].0 = "第 300412345600 号";
    let mut known = layouts.read(&page(&lines), TODAY).unwrap();
    let mut items = known.items.clone();
    items.retain(|item| item.name != "documentNumber");
    assert_eq!(rule(&known, "documentNumber_sound"), Some((true, false)));
    known.judge(&mut items);
    assert_eq!(rule(&known, "documentNumber_sound"), Some((false, false)));
    assert_eq!(rule(&known, "number_year"), None);
    assert_eq!(rule(&known, "labels_in_place"), Some((true, false)));

    let mut known = layouts.read(&page(&lines), TODAY).unwrap();
    let mut items = known.items.clone();
    let number = items.iter_mut().find(|item| item.name == "documentNumber").unwrap();
    number.parsed.normalized = Some("301912345600".to_owned());
    assert_eq!(rule(&known, "number_year"), Some((true, false)));
    known.judge(&mut items);
    assert_eq!(rule(&known, "number_year"), Some((false, false)));
}

#[test]
fn a_licence_that_is_valid_for_longer_than_any_is_in_doubt() {
    let layouts = layouts();
    for (expiry, held) in [
        ("2025年(令和07年)06月01日まで有効", true),
        ("2026年(令和08年)06月01日まで有効", false),
    ] {
        let mut lines = LICENCE;
        lines[6].0 = expiry;
        let known = judged(&layouts, &page(&lines));
        let within = rule(&known, "expiryDate_within_6_years");
        assert_eq!(within, Some((held, false)), "{expiry}");
        assert_eq!(value(&known, "expiryDate").is_some(), held, "{expiry}");
        assert_eq!(rule(&known, "issueDate_before_expiryDate"), Some((true, false)));
    }
}

/// A My Number card with these lines for name, birth and expiry.
fn my_number(name: &'static str, born: &'static str, expires: &'static str) -> Vec<Line> {
    page(&[
        (name, 3.0, 5.0),
        ("住所 東京都千代田区霞が関2-1-2", 3.0, 10.0),
        (born, 28.0, 17.0),
        ("性別 女", 57.0, 17.0),
        (expires, 28.0, 22.0),
        ("電子証明書の有効期限", 28.0, 31.0),
        ("個人番号カード", 28.0, 37.0),
    ])
}

#[test]
fn a_my_number_card_ends_ten_years_from_now_at_most_and_five_for_minors() {
    let layouts = layouts();
    for (born, expires, held) in [
        ("昭和61年5月1日生", "2036年5月1日まで有効", true),
        ("昭和61年5月1日生", "2037年5月1日まで有効", false),
        ("平成24年5月1日生", "2031年5月1日まで有効", true),
        ("平成24年5月1日生", "2032年5月1日まで有効", false),
    ] {
        let known = judged(&layouts, &my_number("氏名 日本花子", born, expires));
        let within = rule(&known, "expiryDate_within_10_years");
        assert_eq!(within, Some((held, false)), "{born} {expires}");
        let birthday = rule(&known, "expires_on_birthday");
        assert_eq!(birthday, Some((true, false)), "{born} {expires}");
    }
}

#[test]
fn a_my_number_card_must_show_whose_birthday_it_ends_on_unless_the_name_is_foreign() {
    let layouts = layouts();
    let birthday = |name| {
        let lines = my_number(name, "昭和61年5月1日生", "2033年11月3日まで有効");
        rule(&judged(&layouts, &lines), "expires_on_birthday")
    };
    assert_eq!(birthday("氏名 日本花子"), Some((false, false)));
    assert_eq!(birthday("氏名"), Some((false, false)));
    assert_eq!(birthday("氏名 TURNER ELIZABETH"), None);
}

#[test]
fn the_back_of_a_driving_history_certificate_is_that_of_a_licence() {
    let layouts = layouts();
    let lines = page(&[("備考", 3.0, 5.0), ("臓器提供", 3.0, 30.0), ("自筆署名", 3.0, 40.0)]);
    let reading = layouts.read(&lines, TODAY).unwrap().reading;
    assert_eq!(reading.layout, "jp.driving_license.back");
    assert!(reading.is_of(DocumentType::DrivingHistoryCertificate) && reading.is_of(DocumentType::DrivingLicense));
}

#[test]
fn each_document_is_known_whatever_was_chosen() {
    let pages: [(&str, Lines); 6] = [
        (
            "jp.my_number_card",
            &[
                ("氏名 番号花子", 3.0, 5.0),
                ("住所 東京都千代田区霞が関2-1-2", 3.0, 10.0),
                ("平成元年3月31日生", 28.0, 17.0),
                ("性別 女", 57.0, 17.0),
                ("2025年3月31日まで有効", 28.0, 22.0),
                ("電子証明書の有効期限", 28.0, 31.0),
                ("個人番号カード", 28.0, 37.0),
            ],
        ),
        (
            "jp.my_number_card.back",
            &[("個人番号", 10.0, 10.0), ("氏名", 10.0, 20.0), ("生年月日", 10.0, 30.0)],
        ),
        (
            "jp.special_permanent_resident_certificate.back",
            &[
                ("住居地記載欄", 3.0, 5.0),
                ("届出年月日", 4.0, 9.0),
                ("記載者印", 70.0, 9.0),
            ],
        ),
        (
            "eu.driving_license",
            &[
                ("FÜHRERSCHEIN", 24.0, 4.0),
                ("1. Muster", 30.0, 11.0),
                ("2. Anna", 30.0, 16.0),
                ("3. 02.03.1985 Berlin", 30.0, 21.0),
                ("4a. 04.05.2020", 30.0, 26.0),
                ("4c. Stadt Essen", 60.0, 26.0),
                ("4b. 03.05.2035", 30.0, 31.0),
                ("5. B072RRE2I55", 30.0, 36.0),
                ("9. B", 30.0, 46.0),
            ],
        ),
        (
            "us.driving_license",
            &[
                ("CALIFORNIA", 4.0, 5.0),
                ("DRIVER LICENSE", 50.0, 5.0),
                ("DL I1234567", 30.0, 11.0),
                ("EXP 08/31/2029", 30.0, 16.0),
                ("LN SAMPLE", 30.0, 21.0),
                ("FN ANNA", 30.0, 26.0),
                ("DOB 02/03/1985", 30.0, 36.0),
                ("HGT 5'-04\"", 50.0, 41.0),
                ("EYES BRN", 65.0, 41.0),
            ],
        ),
        (
            "icao.passport",
            &[
                ("PASSPORT", 5.0, 5.0),
                ("Surname / Nom", 40.0, 15.0),
                ("SAMPLE", 40.0, 18.5),
                ("Given names / Prénoms", 40.0, 24.0),
                ("ANNA", 40.0, 27.5),
                ("Date of birth", 40.0, 34.0),
                ("02 MAR 1985", 40.0, 37.5),
                ("Nationality", 40.0, 44.0),
                ("Date of issue", 40.0, 52.0),
            ],
        ),
    ];
    let layouts = layouts();
    for (wanted, lines) in pages {
        let known = layouts.read(&page(lines), TODAY).unwrap();
        assert_eq!(known.reading.layout, wanted);
    }
    let known = layouts.read(&page(pages[3].1), TODAY).unwrap();
    assert_eq!(value(&known, "birthDate"), Some("1985-03-02"), "the day comes first");
    let known = layouts.read(&page(pages[4].1), TODAY).unwrap();
    assert_eq!(value(&known, "birthDate"), Some("1985-02-03"), "the month comes first");
    let known = layouts.read(&page(pages[5].1), TODAY).unwrap();
    assert_eq!(value(&known, "lastName"), Some("SAMPLE"), "below its label");
}

#[test]
fn a_page_of_no_document_is_none_and_a_turned_letter_is_read() {
    let layouts = layouts();
    assert!(
        layouts
            .read(&page(&[("THE QUICK BROWN FOX", 5.0, 5.0), ("住所", 5.0, 10.0)]), TODAY)
            .is_none()
    );
    let mut lines = page(&[
        ("DRIVER LICENSE", 50.0, 5.0),
        ("OHIO", 4.0, 5.0),
        ("DOB 02/03/1985", 30.0, 36.0),
        ("HGT 5'-04\"", 50.0, 41.0),
        ("EYES BRN", 65.0, 41.0),
        ("SEX", 30.0, 41.0),
        ("F", 35.0, 41.0),
    ]);
    // A letter alone is as wide as high: the direction found for it says nothing.
    lines[6].area.angle = 1.2;
    let known = layouts.read(&lines, TODAY).unwrap();
    assert_eq!(value(&known, "gender"), Some("female"));
}

#[test]
fn a_number_older_than_the_dates_that_were_read_is_no_contradiction() {
    let layouts = layouts();
    let with = |label, date| {
        let mut lines = LICENCE;
        // Its eleventh digit is right: of a number that is in doubt nothing is said.
        lines[10].0 = "第 300412345600 号";
        (lines[11].0, lines[12].0) = (label, date);
        let known = layouts.read(&page(&lines), TODAY).unwrap();
        let rule = known.reading.rules.iter().find(|rule| rule.rule == "number_year");
        rule.map(|rule| rule.held)
    };
    assert_eq!(with("二・小・原", "平成16年04月01日"), Some(true));
    assert_eq!(with("他", "平成19年04月01日"), None, "the first may not have been read");
    assert_eq!(with("他", "平成15年04月01日"), Some(false), "the first cannot be later");
}

#[test]
fn the_number_of_a_house_or_flat_is_no_item() {
    let layouts = layouts();
    let british = page(&[
        ("DRIVING LICENCE", 30.0, 3.0),
        ("1. O'CONNOR", 27.0, 10.0),
        ("2. LIAM", 27.0, 14.0),
        ("3. 01.06.1969 IRELAND", 27.0, 18.0),
        ("4a. 06.01.2024", 27.0, 22.0),
        ("4c. DVLA", 52.0, 22.0),
        ("4b. 05.01.2034", 27.0, 26.0),
        ("5. OCONN606019L91AA 67", 27.0, 30.0),
        ("7.", 27.0, 36.0),
        ("8. FLAT 3, 14 THE HAWTHORNS,", 27.0, 42.0),
        ("ST. ALBANS, AL3 4QT", 29.5, 45.0),
        ("9. AM/A/B1/B", 27.0, 49.0),
    ]);
    let known = layouts.read(&british, TODAY).unwrap();
    let address = "FLAT 3, 14 THE HAWTHORNS, ST. ALBANS, AL3 4QT";
    assert_eq!(value(&known, "address"), Some(address));
    assert_eq!(value(&known, "birthDate"), Some("1969-06-01"));

    let american = |first: &'static str| {
        page(&[
            ("PENNSYLVANIA", 5.0, 3.0),
            ("DRIVER'S LICENSE", 55.0, 3.0),
            ("4d DLN: 57 083 340", 5.0, 10.0),
            ("1 ABERNATHY", 5.0, 14.0),
            ("2 CHRISTOPHER ALEXANDER", 5.0, 18.0),
            (first, 5.0, 22.0),
            ("HARRISBURG, PA 17101-0000", 7.0, 25.0),
            ("3 DOB: 01/06/1961", 5.0, 30.0),
            ("15 SEX M", 40.0, 30.0),
            ("4a ISS: 10/15/2020", 5.0, 34.0),
            ("4b EXP: 01/06/2028", 40.0, 34.0),
            ("16 HGT 6'-01\"", 5.0, 38.0),
            ("18 EYES BRN", 30.0, 38.0),
        ])
    };
    // Also where the number of the item was not seen.
    for first in ["8 1 OAK AVE APT 12B", "1 OAK AVE APT 12B"] {
        let lines = american(first);
        let known = layouts.read(&lines, TODAY).unwrap();
        assert_eq!(value(&known, "lastName"), Some("ABERNATHY"), "{first}");
        let address = value(&known, "address").unwrap_or_default();
        assert!(address.is_empty() || address.starts_with("1 OAK AVE"), "{address}");
    }
}

#[test]
fn a_second_line_beside_the_second_language_of_its_own_label_is_read() {
    let layouts = layouts();
    let card = page(&[
        ("在留カード", 24.0, 4.0),
        ("番号", 58.0, 2.5),
        ("BA31382929LC", 62.0, 2.5),
        ("氏名", 3.0, 8.5),
        ("DELA CRUZ MARIA", 12.0, 8.7),
        ("NAME", 3.0, 10.8),
        ("CLARA SANTOS", 12.0, 11.5),
        ("生年月日", 3.0, 15.0),
        ("1966年02月05日", 14.0, 15.0),
        ("国籍・地域", 3.0, 19.5),
        ("フィリピン", 16.0, 19.5),
        ("住居地", 3.0, 24.0),
        ("愛知県名古屋市中区三の丸3-1-2シャトー・ド・三の", 12.0, 24.0),
        ("ADDRESS", 3.0, 26.5),
        ("丸A棟1203", 12.0, 27.0),
        ("在留資格", 3.0, 31.0),
        ("定住者", 14.0, 31.0),
    ]);
    let known = layouts.read(&card, TODAY).unwrap();
    assert_eq!(value(&known, "fullName"), Some("DELA CRUZ MARIA CLARA SANTOS"));
    let address = value(&known, "address").unwrap();
    assert!(address.ends_with("丸A棟1203"), "{address}");
}

#[test]
fn a_name_is_kept_though_another_label_or_the_address_has_its_letters() {
    let layouts = layouts();
    let read = |name: &str, town: &str| {
        let card = page(&[
            ("VIRGINIA", 5.0, 3.0),
            ("DRIVER LICENSE", 45.0, 3.0),
            ("4d DLN T64235789", 25.0, 9.0),
            ("1 LN", 25.0, 13.0),
            (name, 33.0, 13.0),
            ("2 FN HUGH", 25.0, 17.0),
            ("8 ADD 18 OLIVER ROAD", 25.0, 21.0),
            (town, 33.0, 24.0),
            ("3 DOB 08/12/1984", 25.0, 29.0),
            ("15 SEX M", 60.0, 29.0),
            ("4a ISS 06/11/2023", 25.0, 33.0),
            ("4b EXP 08/12/2031", 25.0, 37.0),
            ("16 HGT 5'-09\"", 60.0, 33.0),
            ("18 EYES BRO", 60.0, 37.0),
        ]);
        let mut items = layouts.read(&card, TODAY).unwrap().items;
        drop_mistaken_names(&mut items);
        let text = |name: &str| {
            items
                .iter()
                .find(|item| item.name == name)
                .map(|item| item.parsed.text.clone())
        };
        (text("lastName"), text("address"))
    };
    for name in ["LEE", "LI", "ENDO", "MORA", "REIS", "DATE", "PLACE", "PERSON", "PASS"] {
        let (last, address) = read(name, "LEESBURG, VA 20175");
        assert_eq!(last.as_deref(), Some(name));
        assert_eq!(address.as_deref(), Some("18 OLIVER ROAD LEESBURG, VA 20175"), "{name}");
    }
}

/// The items of an American licence with these lines besides what tells it.
fn american(lines: &[(&str, f32, f32)]) -> Vec<(String, String)> {
    let mut all = vec![
        ("OHIO", 4.0, 5.0),
        ("DRIVER LICENSE", 50.0, 5.0),
        ("DOB 02/03/1985", 30.0, 36.0),
        ("HGT 5'-04\"", 50.0, 41.0),
        ("EYES BRN", 65.0, 41.0),
    ];
    all.extend_from_slice(lines);
    named(&all)
}

fn named(lines: &[(&str, f32, f32)]) -> Vec<(String, String)> {
    let layouts = layouts();
    let known = layouts.read(&page(lines), TODAY).unwrap();
    let named = |item: &Item| Some((item.name.clone(), item.parsed.normalized.clone()?));
    known.items.iter().filter_map(named).collect()
}

fn of<'a>(items: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let item = items.iter().find(|(known, _)| known == name);
    item.map(|(_, value)| value.as_str())
}

#[test]
fn a_lane_is_no_surname() {
    let items = american(&[
        ("LN STANTON", 30.0, 14.0),
        ("FN CLARA ROSE", 30.0, 18.0),
        ("465 ALDERWOOD LN", 30.0, 22.0),
        ("SAN JOSE, CA 95112", 30.0, 24.6),
    ]);
    assert_eq!(of(&items, "lastName"), Some("STANTON"));
    assert_eq!(of(&items, "address"), Some("465 ALDERWOOD LN SAN JOSE, CA 95112"));
    let items = american(&[("WGT 165 lb SEX F", 30.0, 14.0)]);
    assert_eq!(of(&items, "gender"), Some("female"));
}

#[test]
fn a_street_that_begins_like_a_month_is_a_street() {
    for street in ["MARINA", "JUNIPER", "MARY"] {
        let house = format!("465 {street} LN");
        let items = american(&[
            ("LN STANTON", 30.0, 14.0),
            ("FN CLARA ROSE", 30.0, 18.0),
            (house.as_str(), 30.0, 22.0),
            ("SAN JOSE, CA 95112", 30.0, 24.6),
        ]);
        let address = format!("{house} SAN JOSE, CA 95112");
        assert_eq!(of(&items, "address"), Some(address.as_str()));
    }
    let items = american(&[("EXP 12 OCT 2029 SEX F", 30.0, 14.0)]);
    assert_eq!(of(&items, "expiryDate"), Some("2029-10-12"));
    assert_eq!(of(&items, "gender"), Some("female"));
}

#[test]
fn the_day_on_which_a_holder_comes_of_age_is_not_that_of_expiry() {
    let items = american(&[("EXP 08/31/2029 UNDER 21 UNTIL 02/03/2028", 4.0, 46.0)]);
    assert_eq!(of(&items, "expiryDate"), Some("2029-08-31"));
}

#[test]
fn names_without_labels_stand_above_the_address() {
    let with = |names: &[&'static str]| {
        let top = 22.0 - 2.6 * names.len() as f32;
        let names = names
            .iter()
            .enumerate()
            .map(|(at, name)| (*name, 30.0, top + 2.6 * at as f32));
        let address = [("301 MAPLE DR", 30.0, 22.0), ("ALBANY NY 12222", 30.0, 24.6)];
        let items = american(&names.chain(address).collect::<Vec<_>>());
        (
            of(&items, "lastName").map(str::to_owned),
            of(&items, "firstName").map(str::to_owned),
        )
    };
    let both = (Some("OBRIEN".to_owned()), Some("SAMUEL".to_owned()));
    assert_eq!(with(&["OBRIEN", "SAMUEL"]), both);
    assert_eq!(with(&["OBRIEN, SAMUEL"]), both);
    assert_eq!(with(&["ID 499 962 283", "OBRIEN,", "SAMUEL"]), both);
    assert_eq!(with(&["1 OBRIEN", "2 SAMUEL"]), both);
    assert_eq!(with(&["1,2 NAME/NOM", "OBRIEN,", "SAMUEL"]), both);
    // Which of three is the family's nobody can say, nor in which order one line has them.
    assert_eq!(with(&["MARIA", "OBRIEN", "SAMUEL"]), (None, None));
    assert_eq!(with(&["SAMUEL OBRIEN"]), (None, None));
}

#[test]
fn a_number_glued_to_a_name_is_a_number_in_a_list_only() {
    let items = american(&[("1OBRIEN", 30.0, 14.0), ("2 SAMUEL", 30.0, 17.0)]);
    assert_eq!(of(&items, "lastName"), Some("OBRIEN"));
    let items = american(&[("LN OBRIEN", 30.0, 14.0), ("1RENE", 30.0, 17.0)]);
    assert_eq!(of(&items, "firstName"), None);
}

const CARD: [(&str, f32, f32); 3] = [
    ("IDENTITY CARD", 5.0, 5.0),
    ("Nationality", 60.0, 14.0),
    ("Date of birth", 60.0, 24.0),
];

#[test]
fn name_means_what_the_label_beside_it_means() {
    let with = |surname: &'static str, given: &'static str| {
        let names = [
            (surname, 30.0, 10.0),
            ("BELLINI", 30.0, 13.0),
            (given, 30.0, 18.0),
            ("GIAN MARCO", 30.0, 21.0),
        ];
        let items = named(&[&CARD[..], &names[..]].concat());
        (
            of(&items, "lastName").map(str::to_owned),
            of(&items, "firstName").map(str::to_owned),
        )
    };
    let both = (Some("BELLINI".to_owned()), Some("GIAN MARCO".to_owned()));
    assert_eq!(with("COGNOME / SURNAME", "NOME / NAME"), both);
    assert_eq!(with("Name / Surname", "Vornamen / Given names"), both);
    // By itself it is the label of the whole name, as in Brazil.
    let name = [("Nome / Name", 30.0, 10.0), ("MARIA DA SILVA", 30.0, 13.0)];
    let items = named(&[&CARD[..], &name[..]].concat());
    assert_eq!(of(&items, "fullName"), Some("MARIA DA SILVA"));
    assert_eq!((of(&items, "lastName"), of(&items, "firstName")), (None, None));
}

/// Checks that a page has a layout and these items with their normal forms, and none with an empty one.
fn assert_read(lines: &[(&str, f32, f32)], layout: &str, wanted: &[(&str, &str)]) {
    let layouts = layouts();
    let known = layouts.read(&page(lines), TODAY).unwrap();
    assert_eq!(known.reading.layout, layout);
    assert!(
        known.reading.rules.iter().all(|rule| rule.held),
        "{:?}",
        known.reading.rules
    );
    for (name, text) in wanted {
        assert_eq!(value(&known, name).unwrap_or_default(), *text, "{name}");
    }
}

#[test]
fn a_brazilian_card_or_licence_has_the_whole_name_below_one_label() {
    assert_read(
        &[
            ("REPÚBLICA FEDERATIVA DO BRASIL", 20.0, 4.0),
            ("CARTEIRA DE IDENTIDADE", 25.0, 8.0),
            ("Nome / Name", 30.0, 13.0),
            ("MARIA DA SILVA", 30.0, 16.0),
            ("Registro Geral - CPF / Personal Number", 30.0, 20.0),
            ("000.000.000-00", 30.0, 23.0),
            ("Sexo / Sex", 30.0, 27.0),
            ("F", 30.0, 30.0),
            ("Data de Nascimento / Date of Birth", 30.0, 34.0),
            ("12/08/1990", 30.0, 37.0),
            ("Nacionalidade / Nationality", 30.0, 41.0),
            ("BRA", 30.0, 44.0),
        ],
        "br.id_card",
        &[
            ("fullName", "MARIA DA SILVA"),
            ("firstName", ""),
            ("birthDate", "1990-08-12"),
            ("gender", "female"),
            ("nationality", "BRA"),
            ("documentNumber", ""),
        ],
    );
    assert_read(
        &[
            ("CARTEIRA NACIONAL DE HABILITAÇÃO", 5.0, 4.0),
            ("DRIVER LICENSE / PERMISO DE CONDUCCIÓN", 5.0, 7.0),
            ("2 e 1 NOME E SOBRENOME", 30.0, 12.0),
            ("ANA EXEMPLO DA SILVA", 30.0, 14.8),
            ("3 DATA, LOCAL E UF DE NASCIMENTO", 30.0, 19.0),
            ("12/08/1990, CURITIBA, PR", 30.0, 21.8),
            ("4a DATA EMISSÃO", 30.0, 26.0),
            ("10/02/2023", 30.0, 28.8),
            ("4b VALIDADE", 60.0, 26.0),
            ("10/02/2033", 60.0, 28.8),
            ("4c DOC IDENTIDADE / ÓRG EMISSOR / UF", 30.0, 33.0),
            ("4d CPF", 30.0, 39.0),
            ("NACIONALIDADE", 30.0, 45.0),
            ("BRASILEIRA", 30.0, 47.8),
        ],
        "br.driving_license",
        &[
            ("fullName", "ANA EXEMPLO DA SILVA"),
            ("birthDate", "1990-08-12"),
            ("issueDate", "2023-02-10"),
            ("expiryDate", "2033-02-10"),
            ("nationality", "BRA"),
        ],
    );
}

#[test]
fn an_indonesian_card_has_each_value_behind_a_colon_and_may_never_expire() {
    for (sex, gender) in [("PEREMPUAN", "female"), ("LAKI-LAKI", "male")] {
        let sex = format!("Jenis Kelamin : {sex} Gol. Darah : B");
        assert_read(
            &[
                ("PROVINSI DKI JAKARTA", 30.0, 3.0),
                ("NIK : 3171234567890123", 4.0, 9.0),
                ("Nama : ANNA SAMPLE", 4.0, 13.0),
                ("Tempat/Tgl Lahir : JAKARTA, 18-02-1986", 4.0, 16.5),
                (sex.as_str(), 4.0, 20.0),
                ("Alamat : JL. PASTI CEPAT A7/66", 4.0, 23.5),
                ("RT/RW : 007/008", 4.0, 27.0),
                ("Kel/Desa : PEGADUNGAN", 4.0, 30.5),
                ("Kecamatan : KALIDERES", 4.0, 34.0),
                ("Status Perkawinan : KAWIN", 4.0, 37.5),
                ("Pekerjaan : PEGAWAI SWASTA", 4.0, 41.0),
                ("Kewarganegaraan : WNI", 4.0, 44.5),
                ("Berlaku Hingga : SEUMUR HIDUP", 4.0, 48.0),
            ],
            "id.id_card",
            &[
                ("documentNumber", "3171234567890123"),
                ("fullName", "ANNA SAMPLE"),
                ("birthDate", "1986-02-18"),
                ("gender", gender),
                ("expiryDate", ""),
            ],
        );
    }
}

#[test]
fn a_thai_card_has_a_title_before_the_given_names_and_its_dates_above_their_labels() {
    assert_read(
        &[
            ("Thai National ID Card", 30.0, 4.0),
            ("Identification Number", 30.0, 8.0),
            ("1 1037 02071 81 1", 60.0, 8.0),
            ("Name Mr. CHAYAPA", 30.0, 14.0),
            ("Last name DEJTHAMRONG", 30.0, 18.0),
            ("Date of Birth 15 Mar. 1978", 30.0, 22.0),
            ("5 Feb. 2020", 30.0, 40.0),
            ("Date of Issue", 30.0, 42.5),
            ("4 Feb. 2029", 60.0, 40.0),
            ("Date of Expiry", 60.0, 42.5),
        ],
        "th.id_card",
        &[
            ("documentNumber", "1103702071811"),
            ("firstName", "CHAYAPA"),
            ("lastName", "DEJTHAMRONG"),
            ("birthDate", "1978-03-15"),
            ("issueDate", ""),
            ("expiryDate", ""),
        ],
    );
}

#[test]
fn a_south_african_card_has_its_given_names_below_names() {
    assert_read(
        &[
            ("REPUBLIC OF SOUTH AFRICA", 20.0, 3.0),
            ("NATIONAL IDENTITY CARD", 22.0, 7.0),
            ("Surname", 30.0, 12.0),
            ("SAMPLE", 30.0, 14.8),
            ("Names", 30.0, 18.0),
            ("ANNA", 30.0, 20.8),
            ("Sex", 30.0, 24.0),
            ("M", 30.0, 26.8),
            ("Nationality", 45.0, 24.0),
            ("RSA", 45.0, 26.8),
            ("Identity Number", 30.0, 30.0),
            ("8001015009087", 30.0, 32.8),
            ("Date of Birth", 30.0, 36.0),
            ("01 JAN 1980", 30.0, 38.8),
            ("Country of Birth", 30.0, 42.0),
            ("RSA", 30.0, 44.8),
        ],
        "za.id_card",
        &[
            ("documentNumber", "8001015009087"),
            ("lastName", "SAMPLE"),
            ("firstName", "ANNA"),
            ("gender", "male"),
            ("nationality", "ZAF"),
            ("birthDate", "1980-01-01"),
        ],
    );
}

#[test]
fn the_number_of_an_argentine_card_is_labelled_document_alone() {
    assert_read(
        &[
            ("REGISTRO NACIONAL DE LAS PERSONAS", 15.0, 4.0),
            ("DOCUMENTO NACIONAL DE IDENTIDAD", 15.0, 8.0),
            ("Apellido / Surname", 30.0, 12.0),
            ("SAMPLE", 30.0, 14.8),
            ("Nombre / Name", 30.0, 18.0),
            ("ANNA", 30.0, 20.8),
            ("Sexo / Sex", 30.0, 24.0),
            ("F", 30.0, 26.8),
            ("Nacionalidad / Nationality", 45.0, 24.0),
            ("ARGENTINA", 45.0, 26.8),
            ("Fecha de nacimiento / Date of birth", 30.0, 30.0),
            ("15 AGO/ AUG 1988", 30.0, 32.8),
            ("Fecha de emisión / Date of issue", 30.0, 36.0),
            ("02 ENE/ JAN 2020", 30.0, 38.8),
            ("Documento / Document", 4.0, 46.0),
            ("12.345.678", 4.0, 48.8),
        ],
        "icao.id_card",
        &[
            ("documentNumber", "12.345.678"),
            ("lastName", "SAMPLE"),
            ("firstName", "ANNA"),
            ("gender", "female"),
            ("nationality", "ARG"),
            ("birthDate", "1988-08-15"),
            ("issueDate", "2020-01-02"),
        ],
    );
}

#[test]
fn a_philippine_card_is_no_american_one_and_its_middle_name_no_surname() {
    assert_read(
        &[
            ("REPUBLIKA NG PILIPINAS", 20.0, 3.0),
            ("Philippine Identification Card", 20.0, 8.0),
            ("Apelyido/Last Name", 30.0, 15.0),
            ("SAMPLE", 30.0, 17.8),
            ("Mga Pangalan/Given Names", 30.0, 21.0),
            ("ANNA", 30.0, 23.8),
            ("Gitnang Apelyido/Middle Name", 30.0, 27.0),
            ("TURNER", 30.0, 29.8),
            ("Petsa ng Kapanganakan/Date of Birth", 30.0, 33.0),
            ("JANUARY 05, 1990", 30.0, 35.8),
        ],
        "icao.id_card",
        &[
            ("lastName", "SAMPLE"),
            ("firstName", "ANNA"),
            ("birthDate", "1990-01-05"),
        ],
    );
}

#[test]
fn a_name_in_use_beside_the_family_name_is_another_item() {
    let names = [
        ("NOM / Surname", 30.0, 10.0),
        ("BELLINI", 30.0, 13.0),
        ("Prénoms / Given names", 30.0, 17.0),
        ("ANNA", 30.0, 20.0),
        ("NOM D'USAGE / Alternate name", 30.0, 30.0),
        ("TURNER", 30.0, 33.0),
    ];
    let items = named(&[&CARD[..], &names[..]].concat());
    assert_eq!(of(&items, "lastName"), Some("BELLINI"));
    assert_eq!(of(&items, "firstName"), Some("ANNA"));
}

#[test]
fn a_name_goes_on_in_a_tight_line_above_the_next_label_and_not_beyond_it() {
    let family = |second: &'static str, label: f32| {
        let names = [
            ("APELLIDOS", 30.0, 10.0),
            ("CASTRO", 30.0, 13.0),
            (second, 30.0, 15.3),
            ("NOMBRE", 30.0, label),
            ("LUCIA", 30.0, label + 2.5),
        ];
        of(&named(&[&CARD[..], &names[..]].concat()), "lastName").map(str::to_owned)
    };
    assert_eq!(family("VILA", 18.0).as_deref(), Some("CASTRO VILA"));
    assert_eq!(family("VILA", 24.0).as_deref(), Some("CASTRO"));
}

#[test]
fn a_name_begins_with_its_first_word_whatever_language_of_its_label_was_read() {
    let names = [
        ("Vxxrnxmn", 22.0, 10.0),
        ("given names", 31.0, 10.0),
        ("Johanna Maria", 22.0, 13.0),
    ];
    assert_eq!(of(&named(&[&CARD[..], &names[..]].concat()), "firstName"), None);
    let names = [("Vxxrnxmn/given names", 22.0, 10.0), ("Johanna Maria", 22.0, 13.0)];
    let items = named(&[&CARD[..], &names[..]].concat());
    assert_eq!(of(&items, "firstName"), Some("Johanna Maria"));
}

#[test]
fn a_line_much_higher_than_a_label_is_no_value_beside_it() {
    let mut lines = page(&CARD);
    lines.extend(page(&[("姓", 30.0, 10.0), ("JPN", 36.0, 10.0)]));
    let high = lines.last_mut().unwrap();
    high.area.half_height = EM * 1.6;
    let layouts = layouts();
    let known = layouts.read(&lines, TODAY).unwrap();
    assert_eq!(value(&known, "lastName"), None);
}

#[test]
fn a_european_licence_may_have_an_address() {
    let lines = |address: &[(&'static str, f32, f32)]| {
        let mut lines = vec![
            ("PERMISO DE CONDUCCIÓN", 15.0, 4.0),
            ("1. CASTRO VILA", 28.0, 10.0),
            ("2. LUCIA", 28.0, 14.0),
            ("3. 07-01-1984 MADRID", 28.0, 18.0),
            ("4a. 23-12-2018", 28.0, 22.0),
            ("4c. 46/05", 55.0, 22.0),
            ("4b. 23-12-2028", 28.0, 26.0),
            ("5. 48589848-P", 28.0, 30.0),
            ("9. B", 28.0, 42.0),
        ];
        lines.extend_from_slice(address);
        lines
    };
    let items = named(&lines(&[("8. C/ SERRANO 37 MADRID", 28.0, 38.0)]));
    assert_eq!(of(&items, "address"), Some("C/ SERRANO 37 MADRID"));
    let layouts = layouts();
    let known = layouts.read(&page(&lines(&[])), TODAY).unwrap();
    assert_eq!(known.reading.hidden, 0.0);
}

#[test]
fn a_label_of_another_column_does_not_end_an_address() {
    let items = named(&[
        ("Augenfarbe/Colour of eyes", 3.0, 5.0),
        ("Anschrift/Address/Adresse", 54.0, 5.0),
        ("80331 MÜNCHEN", 54.0, 7.6),
        ("Größe/Height/Taille", 3.0, 10.2),
        ("LINDENALLEE 66A", 54.0, 10.4),
        ("Behörde/Authority/Autorité", 3.0, 16.0),
    ]);
    assert_eq!(of(&items, "address"), Some("80331 MÜNCHEN LINDENALLEE 66A"));
}

#[test]
fn a_signature_beside_the_label_of_a_passports_authority_is_no_authority() {
    let layouts = layouts();
    let mut lines = vec![
        ("日本国旅券 PASSPORT", 80.0, 4.0),
        ("旅券番号/Passport No.", 80.0, 8.0),
        ("TR0274006", 80.0, 11.5),
        ("生年月日/Date of birth", 45.0, 26.0),
        ("03 SEP 1994", 45.0, 29.5),
        ("発行年月日/Date of issue", 45.0, 38.0),
        ("02 MAY 2022", 45.0, 41.5),
        ("有効期間満了日/Date of expiry", 80.0, 38.0),
        ("02 MAY 2032", 80.0, 41.5),
        ("発行官庁/Authority", 45.0, 50.0),
        ("Kobayashi", 82.0, 50.5),
    ];
    let authority = |lines: &[(&str, f32, f32)]| {
        let known = layouts.read(&page(lines), TODAY).unwrap();
        assert_eq!(known.reading.layout, "icao.passport");
        value(&known, "issuingAuthority").map(str::to_owned)
    };
    assert_eq!(
        authority(&lines).as_deref(),
        Some("Kobayashi"),
        "where nothing else says it"
    );
    lines.push(("MINISTRY OF FOREIGN AFFAIRS", 45.0, 53.5));
    assert_eq!(authority(&lines).as_deref(), Some("MINISTRY OF FOREIGN AFFAIRS"));
}

/// A Spanish identity card with these lines between its surnames' label and its given names'.
fn spanish(surnames: &[&'static str], given: &'static str) -> Vec<(&'static str, f32, f32)> {
    let mut lines = vec![
        ("DOCUMENTO NACIONAL DE IDENTIDAD", 25.0, 4.0),
        ("APELLIDOS", 30.0, 10.0),
    ];
    lines.extend(
        surnames
            .iter()
            .zip(1_u8..)
            .map(|(surname, row)| (*surname, 30.0, 10.7 + 2.3 * f32::from(row))),
    );
    lines.extend([
        ("NOMBRE", 30.0, 18.0),
        (given, 30.0, 21.0),
        ("SEXO", 30.0, 28.5),
        ("F", 30.0, 31.5),
        ("NACIONALIDAD", 45.0, 28.5),
        ("ESP", 45.0, 31.5),
        ("FECHA DE NACIMIENTO", 30.0, 36.0),
        ("15 03 1978", 30.0, 39.0),
        ("VALIDEZ", 60.0, 36.0),
        ("01 01 9999", 60.0, 39.0),
    ]);
    lines
}

#[test]
fn a_name_that_looks_like_a_label_is_a_name() {
    let layouts = layouts();
    for (surnames, given, last) in [
        (&["VALDEZ", "PEÑA"][..], "MARIA", "VALDEZ PEÑA"),
        (&["KON", "PEÑA"], "MARIA", "KON PEÑA"),
        (&["PEÑA"], "KEN", "PEÑA"),
        (&["SPOL"], "NEM", "SPOL"),
    ] {
        let known = layouts.read(&page(&spanish(surnames, given)), TODAY).unwrap();
        assert_eq!(known.reading.layout, "icao.id_card");
        assert_eq!(value(&known, "lastName"), Some(last));
        assert_eq!(value(&known, "firstName"), Some(given), "{last}");
        assert_eq!(value(&known, "gender"), Some("female"), "{last}");
    }
}

#[test]
fn a_card_that_never_expires_contradicts_nothing() {
    let layouts = layouts();
    for expiry in ["01 01 9999", "01-01-9999", "01.01.9999"] {
        let mut lines = spanish(&["PEÑA"], "MARIA");
        lines.last_mut().unwrap().0 = expiry;
        let known = layouts.read(&page(&lines), TODAY).unwrap();
        assert_eq!(value(&known, "birthDate"), Some("1978-03-15"));
        assert_eq!(value(&known, "expiryDate"), None, "{expiry}");
        assert!(
            known.reading.rules.iter().all(|rule| !rule.contradiction),
            "{expiry}: {:?}",
            known.reading.rules
        );
    }
}

#[test]
fn the_only_label_of_a_name_is_that_of_the_whole_name() {
    let layouts = layouts();
    let card = |names: &[(&'static str, f32, f32)]| {
        let mut lines = vec![("IDENTITY CARD NO. S1234567D", 20.0, 4.0)];
        lines.extend(names);
        lines.extend([
            ("Sex", 30.0, 30.0),
            ("F", 30.0, 33.0),
            ("Date of birth", 30.0, 38.0),
            ("15-03-1978", 30.0, 41.0),
            ("Nationality", 60.0, 38.0),
            ("SGP", 60.0, 41.0),
        ]);
        let known = layouts.read(&page(&lines), TODAY).unwrap();
        ["lastName", "firstName", "fullName"].map(|name| value(&known, name).map(str::to_owned))
    };
    let some = |text: &str| Some(text.to_owned());
    let whole = [("Name", 30.0, 14.0), ("MOHAMED ALI KHAN", 30.0, 17.0)];
    assert_eq!(card(&whole), [None, None, some("MOHAMED ALI KHAN")]);
    // As cards of Thailand have them.
    let given = [("Name CHAYAPA", 30.0, 14.0), ("Last name DEJTHAMRONG", 30.0, 20.0)];
    assert_eq!(card(&given), [some("DEJTHAMRONG"), some("CHAYAPA"), None]);
    let german = [
        ("Name", 30.0, 10.0),
        ("MUSTERMANN", 30.0, 13.0),
        ("Vornamen", 30.0, 18.0),
        ("ERIKA", 30.0, 21.0),
    ];
    assert_eq!(card(&german), [some("MUSTERMANN"), some("ERIKA"), None]);
    let pakistani = [
        ("Name", 30.0, 10.0),
        ("AYESHA SIDDIQUI", 30.0, 13.0),
        ("Father Name", 30.0, 18.0),
        ("IMRAN SIDDIQUI", 30.0, 21.0),
    ];
    assert_eq!(card(&pakistani), [None, None, some("AYESHA SIDDIQUI")]);
    let brazilian = [("NOME", 30.0, 14.0), ("MARIA DA SILVA", 30.0, 17.0)];
    assert_eq!(card(&brazilian), [None, None, some("MARIA DA SILVA")]);
    let portuguese = [
        ("APELIDOS", 30.0, 10.0),
        ("DA SILVA", 30.0, 13.0),
        ("NOME", 30.0, 18.0),
        ("MARIA", 30.0, 21.0),
    ];
    assert_eq!(card(&portuguese), [some("DA SILVA"), some("MARIA"), None]);
}

#[test]
fn a_full_name_below_the_label_of_given_names_is_in_doubt_unless_the_layout_calls_it_so() {
    let layouts = layouts();
    let judged_name = |lines: &[(&str, f32, f32)]| {
        let known = judged(&layouts, &page(lines));
        let item = known.items.iter().find(|item| item.name == "fullName");
        item.map(|item| item.parsed.normalized.clone())
    };
    // The label of the surnames is blurred.
    let spanish = |label: &'static str| {
        [
            ("DOCUMENTO NACIONAL DE IDENTIDAD", 20.0, 4.0),
            (label, 30.0, 14.0),
            ("MARGARITA", 30.0, 17.0),
            ("SEXO", 30.0, 30.0),
            ("F", 30.0, 33.0),
            ("FECHA DE NACIMIENTO", 30.0, 38.0),
            ("15-03-1978", 30.0, 41.0),
            ("NACIONALIDAD", 60.0, 38.0),
            ("ESP", 60.0, 41.0),
        ]
    };
    assert_eq!(judged_name(&spanish("NOMBRE")), Some(None));
    assert_eq!(judged_name(&spanish("FULL NAME")), Some(Some("MARGARITA".to_owned())));
    let mexican = [
        ("INSTITUTO NACIONAL ELECTORAL", 25.0, 4.0),
        ("CREDENCIAL PARA VOTAR", 30.0, 8.0),
        ("NOMBRE", 28.0, 13.0),
        ("GÓMEZ", 28.0, 15.3),
        ("VELÁZQUEZ", 28.0, 17.6),
        ("MARGARITA", 28.0, 19.9),
        ("DOMICILIO", 28.0, 22.6),
        ("CLAVE DE ELECTOR GMVLMR74081209M100", 28.0, 33.0),
    ];
    let whole = Some("GÓMEZ VELÁZQUEZ MARGARITA".to_owned());
    assert_eq!(judged_name(&mexican), Some(whole));
}

#[test]
fn a_mexican_voters_card_has_the_whole_name_below_one_label_and_m_for_a_woman() {
    let layouts = layouts();
    for (sex, wanted) in [("SEXO M", "female"), ("SEXO H", "male")] {
        let lines = page(&[
            ("INSTITUTO NACIONAL ELECTORAL", 25.0, 4.0),
            ("CREDENCIAL PARA VOTAR", 30.0, 8.0),
            ("NOMBRE", 28.0, 13.0),
            ("FECHA DE NACIMIENTO", 62.0, 13.0),
            ("GÓMEZ", 28.0, 15.3),
            ("12/08/1974", 62.0, 15.3),
            ("VELÁZQUEZ", 28.0, 17.6),
            ("MARGARITA", 28.0, 19.9),
            (sex, 62.0, 19.9),
            ("DOMICILIO", 28.0, 22.6),
            ("C PINO SUAREZ 12", 28.0, 25.2),
            ("COL CENTRO 06010", 28.0, 27.5),
            ("CLAVE DE ELECTOR GMVLMR74081209M100", 28.0, 33.0),
            ("AÑO DE REGISTRO 1992 00", 28.0, 37.0),
            ("EMISIÓN 2014", 28.0, 45.0),
            ("VIGENCIA 2024", 55.0, 45.0),
        ]);
        let known = layouts.read(&lines, TODAY).unwrap();
        assert_eq!(known.reading.layout, "mx.id_card");
        for (name, wanted) in [
            ("fullName", Some("GÓMEZ VELÁZQUEZ MARGARITA")),
            ("firstName", None),
            ("lastName", None),
            ("birthDate", Some("1974-08-12")),
            ("gender", Some(wanted)),
        ] {
            assert_eq!(value(&known, name), wanted, "{name}");
        }
    }
}

#[test]
fn the_name_of_a_residence_begins_an_address() {
    let layouts = layouts();
    let card = |first: &'static str| {
        let lines = page(&[
            ("INDIRIZZO DI RESIDENZA / RESIDENCE", 5.0, 8.0),
            (first, 5.0, 11.0),
            ("12 RUE DE LA PAIX 75001 PARIS", 5.0, 14.0),
            ("CODICE FISCALE", 5.0, 22.0),
            ("STATURA 170", 50.0, 22.0),
            ("FILIAZIONE", 5.0, 28.0),
        ]);
        let known = layouts.read(&lines, TODAY).unwrap();
        value(&known, "address").map(str::to_owned)
    };
    for first in ["RESIDENCE LES LILAS 3", "PAVILLON DES LILAS 3"] {
        assert_eq!(card(first), Some(format!("{first} 12 RUE DE LA PAIX 75001 PARIS")));
    }
}

#[test]
fn names_whose_numbers_were_not_read_are_found_by_their_place() {
    let names = |lines: &[(&str, f32, f32)]| {
        let items = american(lines);
        ["lastName", "firstName"].map(|name| of(&items, name).map(str::to_owned))
    };
    let both = |last: &str, first: &str| [Some(last.to_owned()), Some(first.to_owned())];
    let above_birth = [("LINDQVIST-NGUYEN", 30.0, 29.4), ("HANNAH MAE", 30.0, 32.4)];
    assert_eq!(names(&above_birth), both("LINDQVIST-NGUYEN", "HANNAH MAE"));
    let three = [&[("WASHINGTON", 30.0, 26.4)], &above_birth[..]].concat();
    assert_eq!(names(&three), [None, None], "any two of three lines may be the names");
    let labelled = [("PONCE DE LEON", 32.4, 14.0), ("2 ALEJANDRA SOFIA", 30.0, 17.0)];
    assert_eq!(names(&labelled), both("PONCE DE LEON", "ALEJANDRA SOFIA"));
    let address = [("1836 OCEAN PKWY", 30.0, 22.0), ("BROOKLYN, NY 11223", 30.0, 24.6)];
    let with_comma = [("ROSENBAUM", 30.0, 16.4), ("SHIRA, DEVORAH", 30.0, 19.4)];
    let of_new_york = [&with_comma[..], &address[..]].concat();
    assert_eq!(names(&of_new_york), both("ROSENBAUM", "SHIRA, DEVORAH"));
    // The box of a small number reaches into the line behind it.
    let overlapped = [
        ("1 OKONKWO", 30.0, 14.0),
        ("2", 30.0, 17.0),
        ("ADAEZE GRACE", 30.9, 17.0),
    ];
    assert_eq!(names(&overlapped), both("OKONKWO", "ADAEZE GRACE"));
}

#[test]
fn labels_in_romansh_turkish_and_hungarian_are_no_names() {
    let layouts = layouts();
    let name = |label: &'static str, printed: &'static str| {
        let lines = page(&[
            ("IDENTITY CARD", 27.0, 4.0),
            (label, 27.0, 12.0),
            (printed, 27.0, 16.0),
            ("Nationality", 27.0, 22.0),
            ("Date of birth", 27.0, 30.0),
            ("24 07 1958", 27.0, 34.0),
            ("Date of expiry", 27.0, 40.0),
            ("08 09 2035", 27.0, 44.0),
        ]);
        let known = layouts.read(&lines, TODAY).unwrap();
        ["lastName", "firstName", "fullName"].map(|item| value(&known, item).map(str::to_owned))
    };
    let named = |text: &str| Some(text.to_owned());
    assert_eq!(
        name("Name · Nom · Cognome · Num · Surname", "Käslin"),
        [named("Käslin"), None, None]
    );
    assert_eq!(
        name("Soyadı / Surname", "YILDIRIMER"),
        [named("YILDIRIMER"), None, None]
    );
    // Hungary prints both names below one label, the family name first.
    let [_, _, whole] = name("Családi és utónév / Family name and Given name", "NYÍREGYI ZSÓFIA");
    assert_eq!(whole, named("NYÍREGYI ZSÓFIA"));
}

#[test]
fn a_label_below_another_that_has_its_value_is_a_label() {
    let items = american(&[("LN TRAN", 30.0, 14.0), ("FN MINH QUOC", 30.0, 17.0)]);
    assert_eq!(of(&items, "lastName"), Some("TRAN"));
    assert_eq!(of(&items, "firstName"), Some("MINH QUOC"));
    // Also where that value was not seen.
    let items = american(&[("LN", 30.0, 14.0), ("FN MINH QUOC", 30.0, 17.0)]);
    assert_eq!(of(&items, "lastName"), None);
    assert_eq!(of(&items, "firstName"), Some("MINH QUOC"));
    let items = american(&[("FN", 30.0, 14.0), ("SEX F", 30.0, 17.0)]);
    assert_eq!(of(&items, "firstName"), None);
    assert_eq!(of(&items, "gender"), Some("female"));
}

#[test]
fn a_name_that_was_labelled_and_not_read_is_in_no_other_line() {
    let items = american(&[
        ("1. GARCIA-L0PEZ", 30.0, 11.0),
        ("DE LA CRUZ", 32.4, 14.0),
        ("2. ANA", 30.0, 17.0),
    ]);
    assert_eq!(of(&items, "lastName"), None);
    assert_eq!(of(&items, "firstName"), Some("ANA"));
}

#[test]
fn a_value_stands_behind_the_second_language_of_its_label() {
    let items = american(&[("4d NUMBER/NUMÉRO M5808-32324-30408", 30.0, 14.0)]);
    assert_eq!(of(&items, "documentNumber"), Some("M5808-32324-30408"));
}

#[test]
fn the_second_language_of_a_label_that_is_cut_short_is_no_value() {
    let names = |label: &'static str| {
        named(&[
            ("CARTA DI IDENTITA", 25.0, 4.0),
            (label, 30.0, 10.0),
            ("BELLANDI", 30.0, 13.0),
            ("Nome / Given names", 30.0, 17.0),
            ("GIULIA", 30.0, 20.0),
            ("Data di nascita / Date of birth", 30.0, 24.0),
            ("07.05.1971", 30.0, 27.0),
        ])
    };
    for label in ["Cognome / Surname", "Cognome / Su", "Cognome /Surna"] {
        assert_eq!(of(&names(label), "lastName"), Some("BELLANDI"), "{label}");
    }
}

#[test]
fn a_zone_tells_the_back_of_a_card() {
    let layouts = layouts();
    let back = |zone: &'static str| {
        let lines = page(&[
            ("ANSCHRIFT/ADDRESS/ADRESSE", 40.0, 8.0),
            ("88662 ÜBERLINGEN", 40.0, 11.0),
            ("BAHNHOFSTRASSE 19", 40.0, 14.0),
            (zone, 4.0, 36.0),
        ]);
        layouts.read(&lines, TODAY).map(|known| known.reading.layout)
    };
    assert_eq!(
        back("IDD<<LG82T62N47<<<<<<<<<<<<<<<").as_deref(),
        Some("icao.id_card.back")
    );
    assert_eq!(back("88662 ÜBERLINGEN AM BODENSEE 1"), None);
}

/// A German card from 2021, with these lines below the label of the names.
fn german(names: &[&'static str]) -> Vec<Line> {
    let mut lines = page(&[
        ("PERSONALAUSWEIS", 14.0, 6.0),
        ("[a] Name/Surname/Nom [b] Geburtsname/Name at birth", 27.5, 13.0),
        ("Vornamen/Given names/Prénoms", 33.0, 23.5),
        ("SÖREN", 33.0, 26.5),
        ("Geburtstag/Date of birth/Date de naissance", 33.0, 30.0),
        ("09.09.2000", 33.0, 33.0),
    ]);
    let at = |(index, name): (usize, &&'static str)| line(name, 33.0, 16.0 + 3.2 * index as f32);
    lines.extend(names.iter().enumerate().map(at));
    lines
}

#[test]
fn a_number_of_letters_with_one_digit_and_a_short_label_of_the_issue_are_read() {
    let mut lines = spanish(&["LEFÈVRE"], "ODILE");
    lines.extend([
        ("N° DU DOCUMENT / Document No", 30.0, 43.0),
        ("ZRLWXJR3T", 30.0, 46.0),
        ("afgifte / issue", 62.0, 43.0),
        ("15 JUN/JUN 2025", 62.0, 46.0),
    ]);
    let items = named(&lines);
    assert_eq!(of(&items, "documentNumber"), Some("ZRLWXJR3T"));
    assert_eq!(of(&items, "issueDate"), Some("2025-06-15"));
}

#[test]
fn the_number_of_a_german_or_italian_card_stands_beside_no_label() {
    let number = |state: &'static str, text: &'static str| {
        let mut lines = spanish(&["MUSTERMANN"], "ERIKA");
        lines.extend([(state, 20.0, 2.0), (text, 66.0, 6.0)]);
        of(&named(&lines), "documentNumber").map(str::to_owned)
    };
    for (state, text, wanted) in [
        ("BUNDESREPUBLIK DEUTSCHLAND", "L01X00T47", Some("L01X00T47")),
        ("BUNDESREPUBLIK DEUTSCHLAND", "LOIXOOT47", Some("L01X00T47")),
        ("BUNDESREPUBLIK DEUTSCHLAND", "CA00000AA", None),
        ("BUNDESREPUBLIK DEUTSCHLAND", "KIRCHDORF", None),
        ("REPUBBLICA ITALIANA", "CA00000AA", Some("CA00000AA")),
        ("REPUBBLICA ITALIANA", "L01X00T47", None),
        // Elsewhere nothing says that it is the number of the card.
        ("REINO DE ESPAÑA", "L01X00T47", None),
    ] {
        assert_eq!(number(state, text).as_deref(), wanted, "{state}: {text}");
    }
}

#[test]
fn the_check_digit_of_a_german_licence_is_one_of_german_licences_only() {
    let number = |state: &'static str, text: &'static str| {
        let lines = page(&[
            ("FÜHRERSCHEIN", 20.0, 4.0),
            (state, 45.0, 4.0),
            ("1. Mustermann", 28.0, 10.0),
            ("2. Erika", 28.0, 14.0),
            ("3. 12.08.1984 Berlin", 28.0, 18.0),
            ("4a. 01.02.2020", 28.0, 22.0),
            ("4b. 31.01.2035", 28.0, 26.0),
            (text, 28.0, 30.0),
        ]);
        let layouts = layouts();
        let known = layouts.read(&lines, TODAY).unwrap();
        value(&known, "documentNumber").map(str::to_owned)
    };
    for (state, text, wanted) in [
        ("BUNDESREPUBLIK DEUTSCHLAND", "5. B072RRE2I55", Some("B072RRE2I55")),
        ("BUNDESREPUBLIK DEUTSCHLAND", "5. BO72RRE2155", None),
        ("BUNDESREPUBLIK DEUTSCHLAND", "5. B072RRE2155", Some("B072RRE2I55")),
        ("REPUBLIK ÖSTERREICH", "5. B072RRE2155", Some("B072RRE2155")),
    ] {
        assert_eq!(number(state, text).as_deref(), wanted, "{state}: {text}");
    }
}

#[test]
fn the_first_letter_of_a_number_does_not_end_its_label() {
    for (line, number) in [
        ("4d DLN O216-423-95-460-8", "O216-423-95-460-8"),
        ("DL N9676437", "N9676437"),
        ("DL NO 9676437", "9676437"),
        ("DLN 9676437", "9676437"),
        ("LIC. NO. D400-7836-0001", "D400-7836-0001"),
        ("4d NO. 123456-789", "123456-789"),
    ] {
        let items = american(&[(line, 30.0, 14.0)]);
        let read = items.iter().find(|(name, _)| name == "documentNumber");
        assert_eq!(read.map(|(_, value)| value.as_str()), Some(number), "{line}");
    }
}

#[test]
fn a_name_at_birth_is_not_the_family_name_and_its_label_is_no_name() {
    let layouts = layouts();
    for names in [
        vec!["BRÜGGEMANN"],
        vec!["[a] BRÜGGEMANN"],
        vec!["[a] BRÜGGEMANN", "[b] GABLER"],
        vec!["BRÜGGEMANN", "GEB. GABLER"],
    ] {
        let lines = german(&names);
        let known = layouts.read(&lines, TODAY).unwrap();
        assert_eq!(value(&known, "lastName"), Some("BRÜGGEMANN"), "{names:?}");
        assert_eq!(value(&known, "firstName"), Some("SÖREN"));
    }
}

#[test]
fn a_long_name_goes_on_below_the_next_label_and_is_never_cut_there() {
    let layouts = layouts();
    for (name, read) in [
        (
            "GRÄFIN VON DER SCHULENBURG WOLFSBURG",
            Some("GRÄFIN VON DER SCHULENBURG WOLFSBURG"),
        ),
        // The last word begins where the next label does.
        ("GRÄFIN ZU SCHAUMBURG LIPPE", None),
    ] {
        let lines = german(&[name]);
        let known = layouts.read(&lines, TODAY).unwrap();
        assert_eq!(value(&known, "lastName"), read, "{name}");
    }
}

#[test]
fn a_title_without_labels_teaches_little() {
    let layouts = layouts();
    let lacks = |lines: &[(&str, f32, f32)]| layouts.read(&page(lines), TODAY).unwrap().lacks_items();
    assert!(lacks(&[
        ("PERSONALAUSWEIS", 5.0, 5.0),
        ("IDENTITY CARD", 40.0, 5.0),
        ("26.09.2032", 30.0, 30.0)
    ]));
    assert!(!lacks(&spanish(&["PEÑA"], "MARIA")));
}

#[test]
fn eight_digits_by_themselves_may_be_a_date_and_a_month_named_twice_is_sure() {
    let mut lines = page(&[
        ("20022024", 30.0, 10.0),
        ("31132024", 30.0, 14.0),
        ("05 SEP /SEPT 21", 30.0, 18.0),
        ("12 OCT/2019", 30.0, 22.0),
    ]);
    let letters = lines.iter_mut().flat_map(|line| &mut line.symbols);
    for symbol in letters.filter(|symbol| symbol.symbol == 'T') {
        symbol.probability = 0.5;
    }
    let dates = printed_dates(&lines, TODAY);
    let seen: Vec<_> = dates
        .iter()
        .map(|date| (date.normalized.as_str(), date.confidence > 0.98))
        .collect();
    assert_eq!(
        seen,
        [("2024-02-20", true), ("2021-09-05", true), ("2019-10-12", false)]
    );
}

#[test]
fn both_surnames_are_read_where_each_has_a_label() {
    let peruvian = |second: &'static str| {
        let mut lines = page(&[
            ("REPÚBLICA DEL PERÚ", 13.0, 4.0),
            ("DOCUMENTO NACIONAL DE IDENTIDAD", 13.0, 7.5),
            ("Primer Apellido", 30.0, 12.0),
            ("SALAZAR", 30.0, 15.0),
            ("Segundo Apellido", 30.0, 19.0),
            ("Pre Nombres", 30.0, 26.0),
            ("RENZO ANDRÉS", 30.0, 29.0),
            ("Nacimiento: Fecha y Ubigeo", 30.0, 33.0),
            ("25 08 1984", 30.0, 36.0),
            ("Sexo", 30.0, 40.0),
            ("M", 30.0, 43.0),
            ("Fecha Emisión", 62.0, 26.0),
            ("26 08 2024", 62.0, 29.0),
            ("Fecha Caducidad", 62.0, 33.0),
            ("26 08 2034", 62.0, 36.0),
        ]);
        if !second.is_empty() {
            lines.extend(page(&[(second, 30.0, 22.0)]));
        }
        lines
    };
    let layouts = layouts();
    let lines = peruvian("INGA");
    let known = layouts.read(&lines, TODAY).unwrap();
    for (name, wanted) in [
        ("lastName", "SALAZAR INGA"),
        ("firstName", "RENZO ANDRÉS"),
        ("birthDate", "1984-08-25"),
        ("gender", "male"),
        ("issueDate", "2024-08-26"),
        ("expiryDate", "2034-08-26"),
    ] {
        assert_eq!(value(&known, name), Some(wanted), "{name}");
    }
    let lines = peruvian("");
    let known = layouts.read(&lines, TODAY).unwrap();
    assert_eq!(value(&known, "lastName"), None, "half of it was not read");
}

/// A card of Poland on which the strokes between two languages were misread or missed, and two labels were found as one line.
fn polish(born: &'static str) -> Vec<Line> {
    page(&[
        ("RZECZPOSPOLITA POLSKA", 13.0, 4.0),
        ("DOWÓD OSOBISTY", 13.0, 7.5),
        ("NAZWISKO/SURNAME", 30.0, 13.0),
        ("WRÓBLEWSKA", 30.0, 16.0),
        ("IMIONAIGIVEN NAMES", 30.0, 20.0),
        ("ZOFIA", 30.0, 23.0),
        ("OBYWATELSTWO/NATIONALIDXTA URODZENIA/DATE OF BIRTH", 30.0, 27.0),
        ("POLSKIE", 30.0, 30.0),
        (born, 56.0, 30.0),
        ("NUMER DOWODUIDENTITY CARD NUMBER", 30.0, 41.0),
        ("XFX 633508", 30.0, 44.0),
    ])
}

#[test]
fn labels_in_two_languages_are_known_though_the_stroke_between_them_was_misread() {
    let layouts = layouts();
    let lines = polish("23.10.1973");
    let known = layouts.read(&lines, TODAY).unwrap();
    assert_eq!(value(&known, "firstName"), Some("ZOFIA"));
    assert_eq!(value(&known, "documentNumber"), Some("XFX633508"));
}

#[test]
fn a_date_under_a_label_is_its_own_wherever_the_label_begins() {
    let layouts = layouts();
    let born = |text: &'static str| {
        let lines = polish(text);
        let known = layouts.read(&lines, TODAY).unwrap();
        value(&known, "birthDate").map(str::to_owned)
    };
    assert_eq!(born("23.10.1973").as_deref(), Some("1973-10-23"));
    assert_eq!(born("23101973").as_deref(), Some("1973-10-23"), "no space was seen");
    assert_eq!(born("23101931A"), None);
    assert_eq!(born("23102973"), None, "in no year that has been");
}
