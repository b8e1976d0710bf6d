//! Whole pages of lines become items.

use super::*;
use crate::text::{Area, Lattice};
use domain::document::FieldName;
use time::macros::date;

/// Lines at (left, level), 10 pixels high for each letter's half.
fn page(lines: &[(&str, f32, f32)]) -> Vec<Line> {
    let line = |&(text, left, level): &(&str, f32, f32)| {
        let half_width = text.chars().count() as f32 * 8.0;
        let area = Area {
            x: left + half_width,
            y: level,
            half_width,
            half_height: 10.0,
            angle: 0.0,
        };
        Line {
            area,
            text: text.to_owned(),
            confidence: 0.95,
            lattice: Lattice::default(),
            symbols: Vec::new(),
        }
    };
    lines.iter().map(line).collect()
}

fn read_page(lines: &[(&str, f32, f32)], kind: DocumentType) -> VisualZone {
    let lines = page(lines);
    read(
        &lines.iter().collect::<Vec<_>>(),
        kind,
        Side::Front,
        None,
        date!(2026 - 11 - 21),
    )
}

fn value(zone: &VisualZone, name: FieldName) -> Option<&str> {
    zone.fields
        .iter()
        .find(|field| field.name == name)
        .and_then(|field| field.normalized.as_deref())
}

#[test]
fn a_driving_licence_of_japan_becomes_items() {
    let zone = read_page(
        &[
            ("氏名 日本花子 昭和61年5月1日生", 0.0, 0.0),
            ("住所 東京都千代田区霞が関2-1-2", 0.0, 40.0),
            ("交付 令和01年05月07日 12345", 0.0, 80.0),
            ("2024年(令和06年)06月01日まで有効", 0.0, 120.0),
            ("第 012345678900 号", 0.0, 160.0),
        ],
        DocumentType::DrivingLicense,
    );
    assert_eq!(value(&zone, FieldName::FullName), Some("日本花子"));
    assert_eq!(value(&zone, FieldName::BirthDate), Some("1986-05-01"));
    assert_eq!(value(&zone, FieldName::Address), Some("東京都千代田区霞が関2-1-2"));
    assert_eq!(value(&zone, FieldName::IssueDate), Some("2019-05-07"));
    assert_eq!(value(&zone, FieldName::ExpiryDate), Some("2024-06-01"));
    assert_eq!(value(&zone, FieldName::DocumentNumber), Some("012345678900"));
}

#[test]
fn a_residence_card_becomes_items() {
    let zone = read_page(
        &[
            ("AB12345678CD", 400.0, 0.0),
            ("氏名 TURNER ELIZABETH", 0.0, 40.0),
            ("生年月日", 0.0, 80.0),
            ("1985年12月31日", 90.0, 80.0),
            ("性別 女 F.", 400.0, 80.0),
            ("国籍・地域 スリランカ", 0.0, 120.0),
            ("在留資格 留学", 0.0, 160.0),
        ],
        DocumentType::ResidenceCard,
    );
    assert_eq!(value(&zone, FieldName::DocumentNumber), Some("AB12345678CD"));
    assert_eq!(value(&zone, FieldName::FullName), Some("TURNER ELIZABETH"));
    assert_eq!(value(&zone, FieldName::BirthDate), Some("1985-12-31"));
    assert_eq!(value(&zone, FieldName::Gender), Some("female"));
    assert_eq!(value(&zone, FieldName::Nationality), Some("LKA"));
    assert_eq!(value(&zone, FieldName::ResidenceStatus), Some("留学"));
}

#[test]
fn a_card_with_values_below_their_labels_becomes_items() {
    let zone = read_page(
        &[
            ("Surname / 姓", 0.0, 0.0),
            ("Document No. / 番号", 300.0, 2.0),
            ("O'CONNOR", 1.0, 34.0),
            ("ZL7711223", 302.0, 36.0),
            ("Date of birth / 生年月日", 0.0, 80.0),
            ("12 AUG 1974", 0.0, 114.0),
            ("Date of issue / 発行年月日", 0.0, 160.0),
            ("01 FEB 2024", 0.0, 194.0),
        ],
        DocumentType::IdCard,
    );
    assert_eq!(value(&zone, FieldName::LastName), Some("O'CONNOR"));
    assert_eq!(value(&zone, FieldName::DocumentNumber), Some("ZL7711223"));
    assert_eq!(value(&zone, FieldName::BirthDate), Some("1974-08-12"));
    assert_eq!(value(&zone, FieldName::IssueDate), Some("2024-02-01"));
    assert_eq!(zone.lines, 8);
    assert!(!zone.is_of_nowhere);
}

#[test]
fn the_days_of_a_page_are_known_whatever_their_labels_are() {
    let zone = read_page(
        &[
            ("Card expires", 0.0, 0.0),
            ("12/31/27", 0.0, 34.0),
            ("15 6月/JUN 1990", 0.0, 80.0),
        ],
        DocumentType::IdCard,
    );
    for day in [date!(2027 - 12 - 31), date!(1990 - 06 - 15)] {
        assert!(zone.days.contains(&day), "{:?}", zone.days);
    }
}

#[test]
fn a_label_is_never_a_value() {
    let zone = read_page(
        &[
            ("Surname Nom", 0.0, 0.0),
            ("Given namesPrénoms", 0.0, 80.0),
            ("Authority", 0.0, 160.0),
            ("Autorité", 1.0, 194.0),
            ("Place of birth", 300.0, 160.0),
            ("Nationality", 0.0, 240.0),
            ("Nationalité", 0.0, 274.0),
            ("Sex", 300.0, 240.0),
            ("Lieu de naissance", 300.0, 274.0),
        ],
        DocumentType::Passport,
    );
    assert_eq!(zone.fields, [], "nothing but labels");
    let zone = read_page(
        &[
            ("Surname Nom", 0.0, 0.0),
            ("DUPONT", 1.0, 34.0),
            ("Authority", 0.0, 80.0),
            ("Autorité", 110.0, 80.0),
            ("PREFECTURE", 2.0, 114.0),
        ],
        DocumentType::Passport,
    );
    assert_eq!(value(&zone, FieldName::LastName), Some("DUPONT"));
    assert_eq!(value(&zone, FieldName::IssuingAuthority), Some("PREFECTURE"));
}

#[test]
fn a_plural_in_brackets_belongs_to_the_label() {
    for label in [
        "Given Name(s)",
        "GIVEN NAME (S)",
        "Prénom(s)/Given name(s)",
        "Given name(s)/Nombre(s)",
    ] {
        let lines = [(label, 0.0, 0.0), ("ANNA MARIA", 1.0, 34.0)];
        let zone = read_page(&lines, DocumentType::Passport);
        assert_eq!(value(&zone, FieldName::FirstName), Some("ANNA MARIA"), "{label}");
    }
}

#[test]
fn on_a_mexican_voters_card_m_may_be_a_woman() {
    let sex = |issuer: &str, sex: &str| {
        let lines = [(issuer, 0.0, 0.0), ("Sex", 0.0, 80.0), (sex, 0.0, 114.0)];
        value(&read_page(&lines, DocumentType::IdCard), FieldName::Gender).map(str::to_owned)
    };
    for issuer in [
        "INSTITUTO NACIONAL ELECTORAL",
        "INSTITUT0 NACI0NALELECTORAI",
        "CREDENCIALPARA VOTAR",
    ] {
        assert_eq!(sex(issuer, "M"), None, "{issuer}");
    }
    assert_eq!(sex("INSTITUTO NACIONAL ELECTORAL", "H").as_deref(), Some("male"));
    assert_eq!(sex("REPUBLIC OF UTOPIA", "M").as_deref(), Some("male"));
}

#[test]
fn m_that_was_read_as_a_womans_on_a_mexican_voters_card_stays() {
    let lines = page(&[("INSTITUTO NACIONAL ELECTORAL", 0.0, 0.0)]);
    for (read, left) in [("male", None), ("female", Some("female"))] {
        let mut items = [OcrField {
            side: Side::Front,
            name: FieldName::Gender,
            text: Some("M".to_owned()),
            normalized: Some(read.to_owned()),
        }];
        doubt_mexican_sex(&lines, &mut items);
        assert_eq!(items[0].normalized.as_deref(), left, "{read}");
    }
}

#[test]
fn the_word_of_a_specimen_counts_in_a_long_line_of_capitals_and_not_in_a_zone() {
    for (text, is_specimen) in [
        ("SPECIMEN", true),
        ("SPECIMEN SPECIMEN SPECIMEN", true),
        ("SPECIMEN<<ANNA<MARIA<<<<<<<<<<", false),
        ("CHRISTOPHER ALEXANDER", false),
    ] {
        let lines = page(&[(text, 0.0, 0.0)]);
        assert_eq!(says_specimen(&lines, &[]), is_specimen, "{text}");
    }
}

#[test]
fn unsure_lines_are_not_read_as_items() {
    let mut lines = page(&[("Surname", 0.0, 0.0), ("SMITH", 0.0, 34.0), ("SPECIMEN", 0.0, 90.0)]);
    lines.iter_mut().for_each(|line| line.confidence = 0.3);
    let zone = read(
        &lines.iter().collect::<Vec<_>>(),
        DocumentType::IdCard,
        Side::Front,
        None,
        date!(2026 - 11 - 21),
    );
    assert!(zone.fields.is_empty() && !says_specimen(&lines, &[]) && zone.lines == 0);
}
