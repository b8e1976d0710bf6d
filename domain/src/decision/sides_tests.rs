//! Cards whose names are printed on the front and machine-readable on the back.

use super::tests::{GOOD, NOBODY, TODAY, decide_on, face, passport, typed};
use super::*;
use crate::named::Named;
use crate::{
    document::{FieldName, OcrField, Side},
    findings::{
        CodeReading, CodeStandard, LayoutReading, MrzFormat, MrzReading, PrintedDays, RuleResult, Signature,
        take_superseded,
    },
};

fn items(side: Side, items: &[(FieldName, &str)]) -> Vec<OcrField> {
    let item = |(name, value): &(FieldName, &str)| OcrField {
        side,
        name: *name,
        text: Some((*value).to_owned()),
        normalized: Some((*value).to_owned()),
    };
    items.iter().map(item).collect()
}

fn front(printed: &[(FieldName, &str)]) -> DocumentFindings {
    DocumentFindings {
        mrz: None,
        viz_agreement: None,
        portrait: Some(face(0.0)),
        fields: items(Side::Front, printed),
        ..passport()
    }
}

fn back(format: MrzFormat, lines: &[&str], read: &[(FieldName, &str)]) -> DocumentFindings {
    let mut back = passport();
    back.mrz = back.mrz.map(|zone| MrzReading {
        format,
        lines: lines.iter().map(|line| (*line).to_owned()).collect(),
        ..zone
    });
    DocumentFindings {
        side: Side::Back,
        quality: GOOD,
        viz_agreement: None,
        portrait: None,
        fields: items(Side::Back, read),
        ..back
    }
}

/// A card whose front has these names; its back names Anna Maria Eriksson.
fn card(last: &str, first: &str) -> [DocumentFindings; 2] {
    let others = [
        (FieldName::BirthDate, "1974-08-12"),
        (FieldName::ExpiryDate, "2030-04-15"),
        (FieldName::DocumentNumber, "D23145890"),
    ];
    let named = |last, first| {
        [
            vec![(FieldName::LastName, last), (FieldName::FirstName, first)],
            others.to_vec(),
        ]
        .concat()
    };
    let lines = [
        "I<SWED231458907<<<<<<<<<<<<<<<",
        "7408122F3004159SWE<<<<<<<<<<<6",
        "ERIKSSON<<ANNA<MARIA<<<<<<<<<<",
    ];
    [
        front(&named(last, first)),
        back(MrzFormat::Td1, &lines, &named("ERIKSSON", "ANNA MARIA")),
    ]
}

/// A card whose front has these names, and whose zone was taken for a birth in this century although the front prints another one, and
/// an issue before that birth.
fn card_of_old_person(printed: &str, zone: &str) -> [DocumentFindings; 2] {
    let mut sides = card("ERIKSSON", "ANNA MARIA");
    for (side, birth) in sides.iter_mut().zip([printed, zone]) {
        side.fields.retain(|field| field.name != FieldName::BirthDate);
        side.fields.extend(items(side.side, &[(FieldName::BirthDate, birth)]));
    }
    let issued = items(Side::Front, &[(FieldName::IssueDate, "2016-05-02")]);
    sides[0].fields.extend(issued);
    sides
}

/// A French licence, whose line has number, expiry and the first eight letters of the surname.
fn french(last: &str) -> [DocumentFindings; 2] {
    let read = [
        (FieldName::DocumentNumber, "13AA00002"),
        (FieldName::ExpiryDate, "2030-12-31"),
    ];
    let named = [
        (FieldName::LastName, last),
        (FieldName::FirstName, "PAUL"),
        (FieldName::BirthDate, "1974-08-12"),
    ];
    let printed = [named.to_vec(), read.to_vec()].concat();
    let line = "D1FRA13AA000026301231MARTIN<<9";
    let kind = DocumentType::DrivingLicense;
    let mut front = of_layout(front(&printed), "eu.driving_license", None, kind);
    front.layout.as_mut().unwrap().rules = vec![RuleResult {
        rule: "issueDate_before_expiryDate".to_owned(),
        held: true,
        contradiction: false,
    }];
    front.days_in_print = PrintedDays(vec!["1974-08-12".to_owned(), "2030-12-31".to_owned()]);
    let coded = [&read[..], &[(FieldName::Mrz, line)]].concat();
    let back = back(MrzFormat::License, &[line], &coded);
    [front, of_layout(back, "eu.driving_license.back", None, kind)]
}

fn judged(kind: DocumentType, document: &[DocumentFindings], last: &str, first: &str) -> Decision {
    judged_by(Accepted::MachineReadable, kind, document, [last, first])
}

fn judged_by(
    accepted: Accepted,
    kind: DocumentType,
    document: &[DocumentFindings],
    [last, first]: [&str; 2],
) -> Decision {
    let policy = Policy {
        accepted,
        ..Policy::default()
    };
    let typed = UserInput {
        last_name: Some(last.into()),
        first_name: Some(first.into()),
        birth_date: Some("1974-08-12".into()),
        ..UserInput::default()
    };
    decide_on(kind, document, &typed, &policy)
}

#[test]
fn names_printed_over_those_of_a_genuine_card_are_never_approved() {
    let decision = |card: &[DocumentFindings], last, first| judged(DocumentType::IdCard, card, last, first);
    let genuine = decision(&card("ERIKSSON", "ANNA MARIA"), "Eriksson", "Anna");
    assert_eq!(genuine.verdict, Verdict::Approved, "{:?}", genuine.reasons);

    let overprinted = card("NYBERG", "PETRA");
    let typed = decision(&overprinted, "Nyberg", "Petra");
    assert_ne!(typed.verdict, Verdict::Approved);
    assert!(
        typed.reasons.contains(&Reason::InputNameMismatch),
        "{:?}",
        typed.reasons
    );
    let as_the_zone_says = decision(&overprinted, "Eriksson", "Anna");
    assert_eq!(as_the_zone_says.verdict, Verdict::NeedsReview);
    assert!(as_the_zone_says.reasons.contains(&Reason::DocumentDataInconsistent));

    let surname_only = decision(&card("NYBERG", "ANNA MARIA"), "Nyberg", "Anna");
    assert_ne!(surname_only.verdict, Verdict::Approved);
}

#[test]
fn the_front_says_in_which_century_the_two_digits_of_the_zone_on_the_back_are() {
    let decision = |sides: &[DocumentFindings], born: &str| {
        let typed = UserInput {
            birth_date: Some(born.into()),
            ..typed()
        };
        decide_on(DocumentType::IdCard, sides, &typed, &Policy::default())
    };
    let old = card_of_old_person("1919-03-01", "2019-03-01");
    let same = decision(&old, "1919-03-01");
    assert_eq!(same.verdict, Verdict::NeedsReview, "a child may have altered it");
    assert_eq!(same.reasons, [Reason::DocumentAuthenticityUnknown]);
    let compared = same.checks.input_match.and_then(|check| check.fields).unwrap();
    assert_eq!(compared.get("birthDate"), Some(&true));
    let child = decision(&old, "2019-03-01");
    assert!(
        child.reasons.contains(&Reason::InputBirthDateMismatch),
        "{:?}",
        child.reasons
    );
    // Nobody is 121 years old, and another day is no other century.
    for printed in ["1905-03-01", "1919-03-02"] {
        let zone = format!("20{}", &"1905-03-01"[2..]);
        let other = decision(&card_of_old_person(printed, &zone), printed);
        assert!(
            other.reasons.contains(&Reason::InputBirthDateMismatch),
            "{printed}: {:?}",
            other.reasons
        );
    }
}

#[test]
fn a_person_decides_on_everybody_of_a_hundred_years_whose_zone_has_two_digits_of_the_year() {
    for (born, verdict) in [
        ("1926-08-03", Verdict::Approved),
        ("1926-08-02", Verdict::NeedsReview),
        ("1920-02-29", Verdict::NeedsReview),
    ] {
        let mut page = passport();
        page.fields.retain(|field| field.name != FieldName::BirthDate);
        page.fields.extend(items(Side::Front, &[(FieldName::BirthDate, born)]));
        let typed = UserInput {
            birth_date: Some(born.into()),
            ..typed()
        };
        let decision = decide_on(DocumentType::Passport, &[page], &typed, &Policy::default());
        assert_eq!(decision.verdict, verdict, "{born}: {:?}", decision.reasons);
    }
}

#[test]
fn a_zone_without_given_names_confirms_that_there_is_none() {
    let typed = UserInput {
        last_name: Some("Sukarno".into()),
        first_name: None,
        ..typed()
    };
    let decision = |line: &str, spoil: fn(&mut DocumentFindings)| {
        let mut page = passport();
        page.fields.retain(|field| field.name != FieldName::FirstName);
        let name = page.fields.iter_mut().find(|field| field.name == FieldName::LastName);
        name.into_iter()
            .for_each(|name| (name.text, name.normalized) = (Some("SUKARNO".into()), Some("SUKARNO".into())));
        page.mrz.as_mut().unwrap().lines[0] = line.to_owned();
        spoil(&mut page);
        decide_on(DocumentType::Passport, &[page], &typed, &Policy::default())
    };
    let one = "P<IDNSUKARNO<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<<";
    let approved = decision(one, |_| {});
    assert_eq!(approved.verdict, Verdict::Approved, "{:?}", approved.reasons);
    let spoils: [fn(&mut DocumentFindings); 4] = [
        |page| page.mrz.as_mut().unwrap().agrees_with_free_reading = false,
        |page| page.mrz.as_mut().unwrap().names_in_doubt = true,
        |page| page.mrz.as_mut().unwrap().checks_passed = 4,
        // The print has what the zone has not.
        |page| {
            page.fields
                .extend(items(Side::Front, &[(FieldName::FirstName, "HATTA")]))
        },
    ];
    for spoil in spoils {
        assert_ne!(decision(one, spoil).verdict, Verdict::Approved);
    }
    for line in [
        "P<IDNSUKARNO<<HATTA<<<<<<<<<<<<<<<<<<<<<<<<<",
        "P<IDNSUKARNOSUKARNOSUKARNOSUKARNOSUKARNOSUKA",
    ] {
        assert_eq!(decision(line, |_| {}).reasons, [Reason::InputNotComparable], "{line}");
    }
}

#[test]
fn an_only_name_is_confirmed_by_a_barcode_that_says_that_there_is_no_other() {
    const NAMES: [FieldName; 3] = [FieldName::LastName, FieldName::FirstName, FieldName::FullName];
    let kind = DocumentType::IdCard;
    let typed = UserInput {
        last_name: Some("Suharto".into()),
        birth_date: Some("1974-08-12".into()),
        ..UserInput::default()
    };
    let last = (FieldName::LastName, "SUHARTO");
    let whole = |name| (FieldName::FullName, name);
    let decision = |printed: &[(FieldName, &str)], coded_names: &[(FieldName, &str)]| {
        let [mut front, mut back] = card("SUHARTO", "HATTA");
        for (side, names) in [(&mut front, printed), (&mut back, coded_names)] {
            side.fields.retain(|field| !NAMES.contains(&field.name));
            side.fields.extend(items(side.side, names));
        }
        let back = coded(kind, &back);
        decide_on(kind, &[front, back], &typed, &Policy::default())
    };
    let approved = decision(&[last], &[last, whole("SUHARTO")]);
    assert_eq!(approved.verdict, Verdict::Approved, "{:?}", approved.reasons);
    let given = (FieldName::FirstName, "HATTA");
    for (printed, coded_names) in [
        // A given name may not be in the code because nobody knows it.
        (&[last][..], &[last][..]),
        (&[last][..], &[last, whole("SUHARTO HATTA")][..]),
        (&[last, given][..], &[last, whole("SUHARTO")][..]),
    ] {
        let unconfirmed = decision(printed, coded_names);
        assert_ne!(unconfirmed.verdict, Verdict::Approved, "{printed:?} {coded_names:?}");
    }
}

#[test]
fn a_family_name_that_is_given_alone_is_compared_with_all_names_that_a_zone_has_in_one() {
    let plan = Plan {
        steps: vec![Step::Document],
    };
    let mut page = passport();
    page.fields
        .retain(|field| !matches!(field.name, FieldName::LastName | FieldName::FirstName));
    page.fields
        .extend(items(Side::Front, &[(FieldName::LastName, "AHMAD BIN ALI")]));
    page.mrz.as_mut().unwrap().lines[0] = format!("{:<<44}", "P<MYSAHMAD<BIN<ALI");
    for (last, matched) in [("Ahmad Bin Ali", true), ("Ahmad Bin Abu", false)] {
        let known = PreRegistered {
            last_name: Some(last.into()),
            ..PreRegistered::default()
        };
        let evidence = Evidence {
            plan: &plan,
            document_type: Some(DocumentType::Passport),
            document: &[page.clone()],
            selfie: None,
            typed: None,
            known: Some(&known),
            earlier: &NOBODY,
            draw: 1.0,
            today: TODAY,
        };
        let compared = decide(&evidence, &Policy::default()).checks.input_match.unwrap();
        assert_eq!(compared.matched, Some(matched), "{last}");
    }
}

#[test]
fn all_names_that_a_zone_has_in_one_are_compared_as_a_whole() {
    let decision = |last: &str, first: &str| {
        let typed = UserInput {
            last_name: Some(last.into()),
            first_name: Some(first.into()),
            ..typed()
        };
        let mut page = passport();
        let is_name = |field: &OcrField| matches!(field.name, FieldName::LastName | FieldName::FirstName);
        page.fields.retain(|field| !is_name(field));
        let whole = items(Side::Front, &[(FieldName::LastName, "AHMAD BIN ALI")]);
        page.fields.extend(whole);
        page.mrz.as_mut().unwrap().lines[0] = format!("{:<<44}", "P<MYSAHMAD<BIN<ALI");
        decide_on(DocumentType::Passport, &[page], &typed, &Policy::default())
    };
    for (last, first) in [("Ali", "Ahmad"), ("Bin Ali", "Ahmad"), ("Ahmad", "Bin Ali")] {
        let Decision { verdict, reasons, .. } = decision(last, first);
        assert_eq!(verdict, Verdict::Approved, "{last}, {first}: {reasons:?}");
    }
    for (last, first, reason) in [
        ("Bin Abu", "Ahmad", Reason::InputNameMismatch),
        ("Ali", "Aminah", Reason::InputNameMismatch),
        // The given name may not have been printed.
        ("Ahmad Bin Ali", "Aminah", Reason::InputNotComparable),
    ] {
        assert_eq!(decision(last, first).reasons, [reason], "{last}, {first}");
    }
}

#[test]
fn a_page_that_prints_other_names_than_its_zone_is_never_approved() {
    let decision = |last, first| {
        let mut page = passport();
        page.viz_agreement = Some(0.6);
        page.printed = items(
            Side::Front,
            &[(FieldName::LastName, last), (FieldName::FirstName, first)],
        );
        judged(DocumentType::Passport, &[page], "Eriksson", "Anna")
    };
    for (last, first) in [
        ("ERIKSSON", "ANNA MARIA"),
        ("Lindqvist", "Anna Maria"),
        ("エリクソン", "アンナ"),
    ] {
        let reasons = decision(last, first).reasons;
        assert!(
            !reasons.contains(&Reason::DocumentDataInconsistent),
            "{last} {first}: {reasons:?}"
        );
    }
    let other = decision("NYBERG", "PETRA");
    assert_eq!(other.verdict, Verdict::NeedsReview);
    assert!(
        other.reasons.contains(&Reason::DocumentDataInconsistent),
        "{:?}",
        other.reasons
    );
}

#[test]
fn a_page_that_prints_another_given_name_than_its_zone_is_left_to_a_person_though_no_layout_knows_it() {
    for (first, verdict) in [
        ("ANNA MARIA", Verdict::Approved),
        ("Maria", Verdict::Approved),
        ("アンナ", Verdict::Approved),
        ("PETRA", Verdict::NeedsReview),
    ] {
        let mut page = passport();
        page.viz_agreement = Some(0.8);
        page.printed = page.fields.clone();
        page.printed.retain(|field| field.name != FieldName::FirstName);
        page.printed
            .extend(items(Side::Front, &[(FieldName::FirstName, first)]));
        let decision = judged(DocumentType::Passport, &[page], "Eriksson", "Anna");
        assert_eq!(decision.verdict, verdict, "{first}: {:?}", decision.reasons);
    }
}

#[test]
fn a_front_that_repeats_its_own_scrap_of_a_zone_vouches_for_no_back() {
    let [front, back] = card("ERIKSSON", "ANNA MARIA");
    let mut scrap = front;
    scrap.fields.clear();
    scrap.viz_agreement = Some(1.0);
    scrap.mrz = passport().mrz.map(|zone| MrzReading {
        log_probability: -1.0,
        checks_passed: 0,
        ..zone
    });
    let alone = judged(DocumentType::IdCard, &[scrap.clone(), back.clone()], "Eriksson", "Anna");
    assert_eq!(alone.verdict, Verdict::NeedsReview, "nothing of the back is in print");
    scrap.fields = items(
        Side::Front,
        &[(FieldName::LastName, "NYBERG"), (FieldName::FirstName, "PETRA")],
    );
    let other = judged(DocumentType::IdCard, &[scrap, back], "Eriksson", "Anna");
    assert!(
        other.reasons.contains(&Reason::DocumentDataInconsistent),
        "{:?}",
        other.reasons
    );
}

#[test]
fn names_that_are_spelt_otherwise_or_stand_in_another_order_are_the_same_persons() {
    for (last, first) in [
        ("Eriksson", "Anna"),
        ("ANNA MARIA", "ERIKSSON"),
        ("LINDQVIST", "Anna Maria"),
    ] {
        let decision = judged(DocumentType::IdCard, &card(last, first), "Eriksson", "Anna");
        assert!(
            !decision.reasons.contains(&Reason::DocumentDataInconsistent),
            "{last} {first}: {:?}",
            decision.reasons
        );
    }
}

#[test]
fn a_whole_name_on_the_front_is_compared_too() {
    let with = |whole: &str| {
        let mut sides = card("", "");
        let printed = &mut sides[0].fields;
        printed.retain(|field| ![FieldName::LastName, FieldName::FirstName].contains(&field.name));
        printed.extend(items(Side::Front, &[(FieldName::FullName, whole)]));
        let decision = judged(DocumentType::IdCard, &sides, "Eriksson", "Anna");
        decision.reasons.contains(&Reason::DocumentDataInconsistent)
    };
    assert!(!with("Anna Maria Eriksson"));
    assert!(with("Petra Nyberg"));
}

#[test]
fn a_front_that_prints_the_whole_name_and_no_number_agrees_with_its_back() {
    let agree = |whole: &str| {
        let mut sides = card("", "");
        sides[0].fields = items(
            Side::Front,
            &[(FieldName::FullName, whole), (FieldName::BirthDate, "1974-08-12")],
        );
        let decision = judged(DocumentType::IdCard, &sides, "Eriksson", "Anna");
        let scores = decision.scores.iter();
        let agree = scores.filter(|score| score.name == Named::Known(ScoreName::ZonesAgree));
        agree.map(|score| score.value).collect::<Vec<_>>()
    };
    assert_eq!(agree("Eriksson Anna Maria"), [1.0]);
    assert_eq!(agree("Nyberg Petra"), [0.5]);
}

#[test]
fn print_stands_for_a_name_that_the_zone_cut() {
    let mut sides = card("ERIKSSON", "ANNA MARIALUISA");
    let cut = sides[1]
        .fields
        .iter_mut()
        .find(|field| field.name == FieldName::FirstName)
        .unwrap();
    (cut.text, cut.normalized) = (Some("ANNA MARIAL".into()), None);
    let decision = judged(DocumentType::IdCard, &sides, "Eriksson", "Anna Marialuisa");
    assert_eq!(decision.verdict, Verdict::Approved, "{:?}", decision.reasons);
    let decision = judged(DocumentType::IdCard, &sides, "Eriksson", "Berta");
    assert!(decision.reasons.contains(&Reason::InputNameMismatch));
}

#[test]
fn the_surname_on_a_french_licence_begins_as_its_line_says() {
    let visually = |sides: &[DocumentFindings], last: &str| {
        judged_by(Accepted::Visual, DocumentType::DrivingLicense, sides, [last, "Paul"])
    };
    let decision = |last: &str| visually(&french(last), last);
    let genuine = decision("MARTIN");
    assert_eq!(genuine.verdict, Verdict::Approved, "{:?}", genuine.reasons);
    // The line says nothing of given name and date of birth, which are print alone.
    let by_its_line = judged(DocumentType::DrivingLicense, &french("MARTIN"), "Martin", "Paul");
    assert_eq!(by_its_line.reasons, [Reason::DocumentAuthenticityUnknown]);
    for other in ["NYBERG", "MARTINEZ"] {
        let decision = decision(other);
        assert_eq!(decision.verdict, Verdict::NeedsReview, "{other}");
        assert!(decision.reasons.contains(&Reason::DocumentDataInconsistent), "{other}");
    }
    let mut misread = french("NYBERG");
    misread[1].mrz.as_mut().unwrap().checks_passed = 4;
    let decision = visually(&misread, "Nyberg");
    assert_eq!(decision.verdict, Verdict::NeedsReview);
    assert!(
        !decision.reasons.contains(&Reason::DocumentDataInconsistent),
        "the letters may be misread"
    );
    let mut unread = french("MARTIN");
    unread[0].fields.retain(|field| field.name != FieldName::LastName);
    let decision = visually(&unread, "Martin");
    assert_eq!(decision.verdict, Verdict::NeedsReview);
}

/// A TD2 card of Anna Maria Eriksson with its zone on the front and these items on the back.
fn zone_on_the_front(issuer: &str, back: &[(FieldName, &str)]) -> [DocumentFindings; 2] {
    let mut page = passport();
    let zone = page.mrz.as_mut().unwrap();
    zone.format = MrzFormat::Td2;
    zone.lines[0] = format!("I<{issuer}ERIKSSON<<ANNA<MARIA<<<<<<<<<<<");
    let back = DocumentFindings {
        side: Side::Back,
        portrait: None,
        ..front(back)
    };
    [page, back]
}

#[test]
fn a_zone_on_the_front_proves_a_card_only_beside_the_back_of_that_card() {
    let decision = |sides: &[DocumentFindings]| judged(DocumentType::IdCard, sides, "Eriksson", "Anna");
    let [page, leaflet] = zone_on_the_front("SWE", &[]);
    let alone = decision(&[page.clone(), leaflet.clone()]);
    assert_eq!(alone.verdict, Verdict::NeedsReview);
    assert_eq!(alone.reasons, [Reason::DocumentAuthenticityUnknown]);
    for item in [
        (FieldName::DocumentNumber, "L898902 C3"),
        (FieldName::LastName, "Eriksson"),
    ] {
        let repeated = decision(&zone_on_the_front("SWE", &[item]));
        assert_eq!(repeated.verdict, Verdict::Approved, "{item:?}: {:?}", repeated.reasons);
    }
    let other_name = decision(&zone_on_the_front("SWE", &[(FieldName::LastName, "NYBERG")]));
    assert_eq!(other_name.verdict, Verdict::NeedsReview);
    let mut recognised = leaflet;
    recognised.layout = Some(LayoutReading {
        layout: "icao.id_card.back".into(),
        issuer: None,
        kind: DocumentType::IdCard,
        also: vec![],
        side: Side::Back,
        score: 1.0,
        rules: vec![],
        hidden: 0.0,
    });
    let whole = decision(&[page, recognised]);
    assert_eq!(whole.verdict, Verdict::Approved, "{:?}", whole.reasons);
}

#[test]
fn a_last_day_that_the_back_alone_prints_is_not_that_of_a_card_whose_zone_or_barcode_is_on_the_front() {
    let kind = DocumentType::IdCard;
    let sheet = [
        (FieldName::LastName, "ERIKSSON"),
        (FieldName::DocumentNumber, "L898902C3"),
        (FieldName::ExpiryDate, "2030-04-15"),
    ];
    let [mut page, sheet] = zone_on_the_front("SWE", &sheet);
    page.fields.retain(|field| field.name != FieldName::ExpiryDate);
    page.printed = page.fields.clone();
    for mut page in [coded(kind, &page), page] {
        for (last_day, is_proved) in [("2030-04-15", true), ("2020-04-15", false)] {
            page.days_in_print = PrintedDays(["1974-08-12", last_day].map(str::to_owned).to_vec());
            let decision = judged(kind, &[page.clone(), sheet.clone()], "Eriksson", "Anna");
            let expected: &[Reason] = if is_proved {
                &[]
            } else {
                &[Reason::DocumentAuthenticityUnknown]
            };
            assert_eq!(decision.reasons, expected, "{last_day} {:?}", page.mrz);
            assert_eq!(decision.verdict == Verdict::Approved, is_proved, "{last_day}");
        }
    }
}

#[test]
fn a_french_card_of_before_2021_has_no_last_day_and_is_left_to_a_person_whatever_is_printed_beside_it() {
    let number = [(FieldName::DocumentNumber, "L898902C3")];
    for last_day in ["2030-04-15", "2021-04-15"] {
        let [mut page, back] = zone_on_the_front("FRA", &number);
        page.mrz.as_mut().unwrap().format = MrzFormat::France;
        page.fields.retain(|field| field.name != FieldName::ExpiryDate);
        page.fields
            .extend(items(Side::Front, &[(FieldName::ExpiryDate, last_day)]));
        let decision = judged(DocumentType::IdCard, &[page, back], "Eriksson", "Anna");
        assert_eq!(decision.verdict, Verdict::NeedsReview, "{last_day}");
        assert_eq!(decision.reasons, [Reason::DocumentAuthenticityUnknown], "{last_day}");
    }
}

#[test]
fn a_card_whose_state_is_in_digits_is_not_proved_by_its_zone() {
    let number = [(FieldName::DocumentNumber, "L898902C3")];
    let card = |issuer| zone_on_the_front(issuer, &number);
    let decision = |issuer| judged(DocumentType::IdCard, &card(issuer), "Eriksson", "Anna");
    let invented = decision("5R3");
    assert_eq!(invented.verdict, Verdict::NeedsReview);
    assert_eq!(invented.reasons, [Reason::DocumentAuthenticityUnknown]);
    assert_eq!(decision("SRB").verdict, Verdict::Approved);
}

#[test]
fn a_licence_with_a_new_address_on_its_back_is_left_to_a_person_who_reads_it() {
    let layout = |side, rules| {
        Some(LayoutReading {
            layout: "jp.driving_license".to_owned(),
            issuer: Some("JPN".to_owned()),
            kind: DocumentType::DrivingLicense,
            also: Vec::new(),
            side,
            score: 0.9,
            rules,
            hidden: 0.0,
        })
    };
    let old = "東京都千代田区霞が関2-1-2";
    let mut licence = front(&[
        (FieldName::LastName, "ERIKSSON"),
        (FieldName::FirstName, "ANNA MARIA"),
        (FieldName::BirthDate, "1974-08-12"),
        (FieldName::ExpiryDate, "2030-04-15"),
        (FieldName::DocumentNumber, "300412345670"),
        (FieldName::Address, old),
    ]);
    let rule = RuleResult {
        rule: "issueDate_before_expiryDate".to_owned(),
        held: true,
        contradiction: false,
    };
    licence.layout = layout(Side::Front, vec![rule]);
    let decision = |entries: Vec<RuleResult>, address: &str| {
        let back = DocumentFindings {
            side: Side::Back,
            fields: Vec::new(),
            portrait: None,
            layout: layout(Side::Back, entries),
            ..licence.clone()
        };
        let mut document = [licence.clone(), back];
        take_superseded(&mut document);
        let typed = UserInput {
            address: Some(address.to_owned()),
            ..typed()
        };
        let policy = Policy {
            accepted: Accepted::Visual,
            ..Policy::default()
        };
        decide_on(DocumentType::DrivingLicense, &document, &typed, &policy)
    };
    let unchanged = decision(Vec::new(), old);
    assert_eq!(unchanged.verdict, Verdict::Approved, "{:?}", unchanged.reasons);
    for address in [old, "東京都港区芝1-2-3"] {
        let moved = decision(vec![RuleResult::superseded(FieldName::Address)], address);
        assert_eq!(moved.verdict, Verdict::NeedsReview, "{address}");
        let expected = [Reason::DocumentAuthenticityUnknown, Reason::InputNotComparable];
        assert_eq!(moved.reasons, expected, "{address}");
        let compared = moved.checks.input_match.and_then(|check| check.fields).unwrap();
        assert!(!compared.contains_key("address"), "{address}");
    }
}

#[test]
fn an_address_that_was_stated_needs_one_on_a_document_that_prints_it() {
    let kind = DocumentType::DrivingLicense;
    let rule = RuleResult {
        rule: "issueDate_before_expiryDate".to_owned(),
        held: true,
        contradiction: false,
    };
    let decision = |layout: &str, address: Option<&str>| {
        let items = [
            (FieldName::LastName, "ERIKSSON"),
            (FieldName::FirstName, "ANNA MARIA"),
            (FieldName::BirthDate, "1974-08-12"),
            (FieldName::ExpiryDate, "2030-04-15"),
            (FieldName::DocumentNumber, "300412345670"),
        ];
        let mut licence = of_layout(front(&items), layout, None, kind);
        licence.layout.as_mut().unwrap().rules = vec![rule.clone()];
        let mut back = DocumentFindings {
            side: Side::Back,
            fields: Vec::new(),
            portrait: None,
            ..licence.clone()
        };
        back.layout.as_mut().unwrap().side = Side::Back;
        let typed = UserInput {
            address: address.map(str::to_owned),
            ..typed()
        };
        let policy = Policy {
            accepted: Accepted::Visual,
            ..Policy::default()
        };
        decide_on(kind, &[licence, back], &typed, &policy).reasons
    };
    let said = Some("東京都港区芝1-2-3");
    assert_eq!(decision("jp.driving_license", said), [Reason::InputNotComparable]);
    assert_eq!(decision("jp.driving_license", None), []);
    assert_eq!(decision("eu.driving_license", said), []);
}

/// The side as one of a layout that this state alone has, or that several have.
fn of_layout(side: DocumentFindings, layout: &str, issuer: Option<&str>, kind: DocumentType) -> DocumentFindings {
    let layout = LayoutReading {
        layout: layout.to_owned(),
        issuer: issuer.map(str::to_owned),
        kind,
        also: Vec::new(),
        side: side.side,
        score: 1.0,
        rules: Vec::new(),
        hidden: 0.0,
    };
    DocumentFindings {
        layout: Some(layout),
        ..side
    }
}

#[test]
fn a_barcode_that_somebody_added_to_a_licence_without_one_proves_nothing() {
    let licence = DocumentType::DrivingLicense;
    let named = [(FieldName::LastName, "ERIKSSON"), (FieldName::FirstName, "ANNA MARIA")];
    let numbered = [
        (FieldName::BirthDate, "1974-08-12"),
        (FieldName::ExpiryDate, "2030-04-15"),
        (FieldName::DocumentNumber, "300412345670"),
    ];
    // Its name is in another script, so that nothing contradicts the one in the barcode.
    let kanji = [&[(FieldName::FullName, "日本花子")][..], &numbered].concat();
    let latin = [&named[..], &numbered].concat();
    let coded = |country: &str| {
        let of_country = [(FieldName::IssuingCountry, country)];
        let items = items(Side::Back, &[&latin[..], &of_country].concat());
        let code = CodeReading {
            standard: CodeStandard::Aamva,
            kind: Some(licence),
            issuer: Some("636000".into()),
            fields: items.clone(),
            signature: Signature::Absent,
        };
        DocumentFindings {
            side: Side::Back,
            portrait: None,
            codes: vec![code],
            fields: items,
            ..front(&[])
        }
    };
    for (layout, issuer, print, country, verdict) in [
        ("us.driving_license", None, &latin, "USA", Verdict::Approved),
        ("jp.driving_license", Some("JPN"), &kanji, "USA", Verdict::NeedsReview),
        ("jp.driving_license", None, &kanji, "JPN", Verdict::NeedsReview),
        ("eu.driving_license", None, &latin, "USA", Verdict::NeedsReview),
        ("gb.driving_license", Some("GBR"), &latin, "USA", Verdict::NeedsReview),
        ("gb.driving_license", Some("GBR"), &latin, "GBR", Verdict::NeedsReview),
    ] {
        let front = of_layout(front(print), layout, issuer, licence);
        let decision = judged(licence, &[front, coded(country)], "Eriksson", "Anna");
        assert_eq!(decision.verdict, verdict, "{layout} {country}: {:?}", decision.reasons);
        let unknown = decision.reasons.contains(&Reason::DocumentAuthenticityUnknown);
        assert_eq!(unknown, verdict == Verdict::NeedsReview, "{layout} {country}");
    }
}

#[test]
fn a_barcode_on_a_licence_that_something_else_proves_does_not_say_whose_it_is() {
    let licence = DocumentType::DrivingLicense;
    let decision = |document: &[DocumentFindings], [last, first]: [&str; 2], accepted: Accepted| {
        let typed = UserInput {
            last_name: Some(last.into()),
            first_name: Some(first.into()),
            birth_date: Some("1974-08-12".into()),
            ..UserInput::default()
        };
        let policy = Policy {
            accepted,
            ..Policy::default()
        };
        decide_on(licence, document, &typed, &policy)
    };
    // That of British Columbia does not say what it is on.
    let with_barcode = |back: &DocumentFindings, kind: Option<DocumentType>, read: &[(FieldName, &str)]| {
        let code = CodeReading {
            standard: CodeStandard::Aamva,
            kind,
            issuer: Some("636028".into()),
            fields: items(Side::Back, read),
            signature: Signature::Absent,
        };
        let mut back = back.clone();
        back.fields.extend(code.fields.clone());
        back.codes.push(code);
        back
    };
    let numbered = [
        (FieldName::BirthDate, "1974-08-12"),
        (FieldName::ExpiryDate, "2030-04-15"),
        (FieldName::DocumentNumber, "300412345670"),
    ];
    let kanji = [&[(FieldName::FullName, "日本花子")][..], &numbered].concat();
    let other = [(FieldName::LastName, "NYBERG"), (FieldName::FirstName, "PETRA")];
    let other = [&other[..], &numbered].concat();
    let mut japanese = of_layout(front(&kanji), "jp.driving_license", Some("JPN"), licence);
    japanese.layout.as_mut().unwrap().rules = vec![RuleResult {
        rule: "documentNumber_sound".into(),
        held: true,
        contradiction: false,
    }];
    let back = DocumentFindings {
        side: Side::Back,
        portrait: None,
        ..front(&[])
    };
    let back = of_layout(back, "jp.driving_license.back", Some("JPN"), licence);
    let own = decision(&[japanese.clone(), back.clone()], ["日本", "花子"], Accepted::Visual);
    assert_eq!(own.verdict, Verdict::Approved, "{:?}", own.reasons);
    for kind in [Some(licence), None] {
        let back = with_barcode(&back, kind, &other);
        let another = decision(&[japanese.clone(), back], ["Nyberg", "Petra"], Accepted::Visual);
        assert_eq!(another.reasons, [Reason::DocumentAuthenticityUnknown], "{kind:?}");

        let [front, back] = french("MARTIN");
        let front = of_layout(front, "eu.driving_license", None, licence);
        let brother = [(FieldName::LastName, "MARTIN"), (FieldName::FirstName, "PIERRE")];
        let back = with_barcode(&back, kind, &brother);
        let another = decision(&[front, back], ["Martin", "Pierre"], Accepted::MachineReadable);
        assert_eq!(another.verdict, Verdict::NeedsReview, "{kind:?}");
        let unknown = another.reasons.contains(&Reason::DocumentAuthenticityUnknown);
        assert!(unknown, "{kind:?}: {:?}", another.reasons);
    }
}

/// The back with a barcode that says what its zone said, in the place of that.
fn coded(kind: DocumentType, back: &DocumentFindings) -> DocumentFindings {
    let code = CodeReading {
        standard: CodeStandard::Aamva,
        kind: Some(kind),
        issuer: Some("636000".into()),
        fields: back.fields.clone(),
        signature: Signature::Absent,
    };
    DocumentFindings {
        mrz: None,
        codes: vec![code],
        ..back.clone()
    }
}

#[test]
fn machine_readable_data_proves_a_card_only_if_the_front_prints_one_of_its_names() {
    const LAST: FieldName = FieldName::LastName;
    const FIRST: FieldName = FieldName::FirstName;
    const WHOLE: FieldName = FieldName::FullName;
    let kind = DocumentType::IdCard;
    let [front, back] = card("ERIKSSON", "ANNA MARIA");
    let coded = coded(kind, &back);
    let rows: [(&[(FieldName, &str)], bool); 8] = [
        (&[(LAST, "ERIKSSON"), (FIRST, "ANNA MARIA")], true),
        (&[(LAST, "Eriksson")], true),
        (&[(FIRST, "Anna")], true),
        // A single name may have been changed by marriage.
        (&[(LAST, "LINDQVIST"), (FIRST, "ANNA MARIA")], true),
        (&[(WHOLE, "Anna Maria Eriksson")], true),
        // A card that no layout knows, with a sheet as its back: the three other items agree.
        (&[(WHOLE, "日本花子")], false),
        (&[(LAST, "田中"), (FIRST, "花子")], false),
        (&[], false),
    ];
    for (names, is_proved) in rows {
        let mut front = front.clone();
        front.fields.retain(|field| ![LAST, FIRST].contains(&field.name));
        front.fields.extend(items(Side::Front, names));
        for back in [&back, &coded] {
            // Printed on the sheet itself, they vouch for nothing.
            let mut back = back.clone();
            back.printed = items(Side::Back, &[(LAST, "ERIKSSON"), (FIRST, "ANNA MARIA")]);
            let decision = judged(kind, &[front.clone(), back], "Eriksson", "Anna");
            let authenticity = decision.checks.document.and_then(|check| check.authenticity);
            let expected = if is_proved {
                Authenticity::Authentic
            } else {
                Authenticity::Unknown
            };
            assert_eq!(authenticity, Some(expected), "{names:?}: {:?}", decision.reasons);
            assert_eq!(decision.verdict == Verdict::Approved, is_proved, "{names:?}");
        }
    }
    let mut nameless = back;
    nameless.fields.retain(|field| ![LAST, FIRST].contains(&field.name));
    let decision = judged(kind, &[front, nameless], "Eriksson", "Anna");
    assert_eq!(decision.reasons, [Reason::DocumentAuthenticityUnknown]);
}

#[test]
fn the_front_of_ones_own_card_beside_the_back_of_a_relatives_proves_nothing_wherever_the_thumb_is() {
    const LAST: (FieldName, &str) = (FieldName::LastName, "ERIKSSON");
    const OWN: (FieldName, &str) = (FieldName::FirstName, "PETRA");
    const EQUAL: (FieldName, &str) = (FieldName::FirstName, "ANNA MARIA");
    const ONE_OF_TWO: (FieldName, &str) = (FieldName::FirstName, "MARIA");
    const BORN: (FieldName, &str) = (FieldName::BirthDate, "1974-08-12");
    const ENDS: (FieldName, &str) = (FieldName::ExpiryDate, "2030-04-15");
    const NUMBER: (FieldName, &str) = (FieldName::DocumentNumber, "D23145890");
    const PART: (FieldName, &str) = (FieldName::DocumentNumber, "D2314589");
    let kind = DocumentType::IdCard;
    let [own, back] = card("ERIKSSON", "PETRA");
    let coded = coded(kind, &back);
    let rows: [(&[(FieldName, &str)], bool); 11] = [
        (&[LAST, BORN, ENDS], true),
        (&[LAST, NUMBER, BORN, ENDS], true),
        (&[LAST, EQUAL, BORN, ENDS], true),
        (&[LAST, ONE_OF_TWO, BORN, ENDS], true),
        (&[LAST, OWN], false),
        (&[LAST, ENDS], false),
        (&[LAST, OWN, ENDS], false),
        // Twins, or a sticker with a date.
        (&[LAST, OWN, BORN], false),
        // A father of the same name.
        (&[LAST, EQUAL, ENDS], false),
        // Somebody's own, with another day of birth on its back.
        (&[LAST, EQUAL, NUMBER, ENDS], false),
        // The number of a card that was issued just before, without its last digit.
        (&[LAST, PART, ENDS], false),
    ];
    for (print, is_proved) in rows {
        let mut own = own.clone();
        own.fields = items(Side::Front, print);
        for back in [&back, &coded] {
            let decision = judged(kind, &[own.clone(), back.clone()], "Eriksson", "Anna");
            let expected: &[Reason] = if is_proved {
                &[]
            } else {
                &[Reason::DocumentAuthenticityUnknown]
            };
            assert_eq!(decision.reasons, expected, "{print:?}");
            assert_eq!(decision.verdict == Verdict::Approved, is_proved, "{print:?}");
        }
    }
}

#[test]
fn machine_readable_data_proves_no_day_that_the_front_does_not_print() {
    let kind = DocumentType::IdCard;
    let [front, back] = card("ERIKSSON", "ANNA MARIA");
    let days = |days: [&str; 2]| PrintedDays(days.map(str::to_owned).to_vec());
    for back in [coded(kind, &back), back] {
        let decision = |front: &DocumentFindings, back: &DocumentFindings| {
            judged(kind, &[front.clone(), back.clone()], "Eriksson", "Anna")
        };
        let whole = decision(&front, &back);
        assert_eq!(whole.verdict, Verdict::Approved, "{:?}", whole.reasons);
        for day in [FieldName::ExpiryDate, FieldName::BirthDate] {
            // A thumb on the day on which one's own card expired, or on which a child was born, and a new barcode or zone on its back.
            let mut covered = front.clone();
            covered.fields.retain(|field| field.name != day);
            let sheet = DocumentFindings {
                days_in_print: days(["1974-08-12", "2030-04-15"]),
                ..back.clone()
            };
            for back in [&back, &sheet] {
                let decision = decision(&covered, back);
                assert_eq!(decision.verdict, Verdict::NeedsReview, "{day}");
                assert_eq!(decision.reasons, [Reason::DocumentAuthenticityUnknown], "{day}");
            }
            covered.days_in_print = days(["1974-12-08", "2030-04-16"]);
            assert_ne!(decision(&covered, &back).verdict, Verdict::Approved, "{day}");
            // It is in print, with a label that nobody knows.
            covered.days_in_print = days(["1974-08-12", "2030-04-15"]);
            let printed = decision(&covered, &back);
            assert_eq!(printed.verdict, Verdict::Approved, "{day}: {:?}", printed.reasons);
        }
    }
}

#[test]
fn a_birth_with_two_digits_of_its_year_prints_no_last_day_a_hundred_years_later() {
    let kind = DocumentType::IdCard;
    // The day and the month of the birth may be read in either order.
    for (last_day, is_proved) in [("2074-08-13", true), ("2074-08-12", false), ("2074-12-08", false)] {
        let [mut front, mut back] = card("ERIKSSON", "ANNA MARIA");
        front.fields.retain(|field| field.name != FieldName::ExpiryDate);
        front.days_in_print = PrintedDays(["1974-08-12", last_day].map(str::to_owned).to_vec());
        back.fields.retain(|field| field.name != FieldName::ExpiryDate);
        back.fields
            .extend(items(Side::Back, &[(FieldName::ExpiryDate, last_day)]));
        let decision = judged(kind, &[front, back], "Eriksson", "Anna");
        let is_approved = decision.verdict == Verdict::Approved;
        assert_eq!(is_approved, is_proved, "{last_day}: {:?}", decision.reasons);
    }
}

#[test]
fn a_barcode_proves_a_birth_in_no_other_century_than_the_front_prints() {
    let kind = DocumentType::IdCard;
    for (printed, verdict) in [
        (&["1974-08-12"][..], Verdict::Approved),
        // With two digits of the year.
        (&["1974-08-12", "2074-08-12"][..], Verdict::Approved),
        (&["2074-08-12"][..], Verdict::NeedsReview),
    ] {
        let [mut front, back] = card("ERIKSSON", "ANNA MARIA");
        // A label that nobody knows.
        front.fields.retain(|field| field.name != FieldName::BirthDate);
        front.days_in_print = PrintedDays(printed.iter().map(|day| (*day).to_owned()).collect());
        let decision = judged(kind, &[front, coded(kind, &back)], "Eriksson", "Anna");
        assert_eq!(decision.verdict, verdict, "{printed:?}: {:?}", decision.reasons);
    }
}

#[test]
fn a_zone_beside_a_barcode_without_a_last_day_adds_none_that_the_front_does_not_print() {
    let kind = DocumentType::IdCard;
    for (covered, verdict) in [
        (None, Verdict::Approved),
        (Some(FieldName::ExpiryDate), Verdict::NeedsReview),
    ] {
        let [mut front, back] = card("ERIKSSON", "ANNA MARIA");
        front.fields.retain(|field| Some(field.name) != covered);
        let mut both = coded(kind, &back);
        both.codes[0].fields.retain(|field| field.name != FieldName::ExpiryDate);
        both.fields.extend(items(Side::Back, &[(FieldName::Mrz, "I<SWE")]));
        both.mrz = back.mrz;
        let decision = judged(kind, &[front, both], "Eriksson", "Anna");
        assert_eq!(decision.verdict, verdict, "{covered:?}: {:?}", decision.reasons);
    }
}

#[test]
fn a_zone_that_its_page_contradicts_adds_no_day_to_a_licence_that_a_barcode_without_days_proves() {
    const NAMED: [(FieldName, &str); 3] = [
        (FieldName::LastName, "ERIKSSON"),
        (FieldName::FirstName, "ANNA MARIA"),
        (FieldName::DocumentNumber, "D23145890"),
    ];
    let licence = DocumentType::DrivingLicense;
    let days = [
        (FieldName::BirthDate, "1974-08-12"),
        (FieldName::ExpiryDate, "2030-04-15"),
    ];
    let zone = [(FieldName::IssuingCountry, "USA"), (FieldName::Mrz, "I<USA")];
    // As enhanced licences have both, on strips beside the portrait. Thumbs lie on the days in print.
    let mut page = front(&[&NAMED[..], &days, &zone].concat());
    page.mrz = passport().mrz.map(|zone| MrzReading {
        format: MrzFormat::Td1,
        lines: vec!["I<USAX123456789<<<<<<<<<<<<<<<".to_owned()],
        ..zone
    });
    page.printed = items(Side::Front, &NAMED);
    page.codes = vec![CodeReading {
        standard: CodeStandard::Aamva,
        kind: Some(licence),
        issuer: Some("636000".into()),
        fields: items(Side::Front, &[&NAMED[..], &zone[..1]].concat()),
        signature: Signature::Absent,
    }];
    page.viz_agreement = Some(0.4);
    let mut back = front(&NAMED[2..]);
    (back.side, back.portrait) = (Side::Back, None);
    for (printed, verdict) in [(&days[..], Verdict::Approved), (&[], Verdict::NeedsReview)] {
        let named = printed.iter().map(|(_, day)| (*day).to_owned());
        page.days_in_print = PrintedDays(named.collect());
        let decision = judged(licence, &[page.clone(), back.clone()], "Eriksson", "Anna");
        assert_eq!(decision.verdict, verdict, "{printed:?}: {:?}", decision.reasons);
    }
}

#[test]
fn a_card_that_prints_no_more_of_its_last_day_than_the_year_is_proved_only_with_that_year() {
    let kind = DocumentType::IdCard;
    let own = &["1974-08-12", "2030-12-31"];
    let (expiry, birth) = (FieldName::ExpiryDate, FieldName::BirthDate);
    for (state, is_recognised, covered, days, verdict) in [
        ("MEX", true, expiry, &own[..], Verdict::Approved),
        // It ran out, or a thumb lies on the year, and there is a strip with another zone on its back.
        ("MEX", true, expiry, &["2024-12-31"], Verdict::NeedsReview),
        ("MEX", true, expiry, &[], Verdict::NeedsReview),
        ("MEX", true, birth, &own[1..], Verdict::NeedsReview),
        ("MEX", false, expiry, own, Verdict::NeedsReview),
        ("SWE", true, expiry, own, Verdict::NeedsReview),
    ] {
        let [mut front, mut back] = card("ERIKSSON", "ANNA MARIA");
        front.fields.retain(|field| field.name != covered);
        front.days_in_print = PrintedDays(days.iter().map(|day| (*day).to_owned()).collect());
        back.mrz.as_mut().unwrap().lines[0] = format!("{:<<30}", format!("I<{state}D231458907"));
        let front = of_layout(front, "card", is_recognised.then_some(state), kind);
        let decision = judged(kind, &[front, back], "Eriksson", "Anna");
        let reasons = decision.reasons;
        assert_eq!(decision.verdict, verdict, "{state} {covered} {days:?}: {reasons:?}");
    }
}

#[test]
fn a_zone_on_a_front_of_which_the_page_does_not_say_enough_is_compared_with_the_items_beside_it() {
    let repeated = [
        (FieldName::DocumentNumber, "L898902C3"),
        (FieldName::LastName, "ERIKSSON"),
    ];
    for covered in [None, Some(FieldName::ExpiryDate), Some(FieldName::BirthDate)] {
        let [mut page, back] = zone_on_the_front("SWE", &repeated);
        page.viz_agreement = None;
        page.printed = page.fields.clone();
        page.printed.retain(|field| Some(field.name) != covered);
        let decision = judged(DocumentType::IdCard, &[page, back], "Eriksson", "Anna");
        let verdict = if covered.is_none() {
            Verdict::Approved
        } else {
            Verdict::NeedsReview
        };
        assert_eq!(decision.verdict, verdict, "{covered:?}: {:?}", decision.reasons);
    }
}

#[test]
fn a_sheet_as_the_back_gives_a_zone_or_barcode_on_the_front_neither_a_name_nor_a_day() {
    let kind = DocumentType::IdCard;
    let names = [FieldName::LastName, FieldName::FirstName];
    let printed = [
        (FieldName::LastName, "ERIKSSON"),
        (FieldName::FirstName, "ANNA MARIA"),
        (FieldName::BirthDate, "1974-08-12"),
        (FieldName::ExpiryDate, "2030-04-15"),
        (FieldName::DocumentNumber, "L898902C3"),
    ];
    // A strip on one's own card, with a thumb on what that prints otherwise.
    for covered in [&names[..], &[FieldName::BirthDate], &[FieldName::ExpiryDate], &[]] {
        let [mut page, mut sheet] = zone_on_the_front("SWE", &printed);
        sheet.days_in_print = PrintedDays(["1974-08-12", "2030-04-15"].map(str::to_owned).to_vec());
        page.viz_agreement = None;
        page.printed = page.fields.clone();
        page.printed.retain(|field| !covered.contains(&field.name));
        for page in [coded(kind, &page), page] {
            let decision = judged(kind, &[page, sheet.clone()], "Eriksson", "Anna");
            let expected: &[Reason] = if covered.is_empty() {
                &[]
            } else {
                &[Reason::DocumentAuthenticityUnknown]
            };
            assert_eq!(decision.reasons, expected, "{covered:?}");
            assert_eq!(decision.verdict == Verdict::Approved, covered.is_empty(), "{covered:?}");
        }
    }
}

#[test]
fn a_day_that_a_back_prints_beside_a_barcode_without_it_must_be_on_the_front() {
    let kind = DocumentType::IdCard;
    let [front, back] = card("ERIKSSON", "ANNA MARIA");
    for day in [FieldName::ExpiryDate, FieldName::BirthDate] {
        let mut back = coded(kind, &back);
        back.codes[0].fields.retain(|field| field.name != day);
        let whole = judged(kind, &[front.clone(), back.clone()], "Eriksson", "Anna");
        assert_eq!(whole.verdict, Verdict::Approved, "{day}: {:?}", whole.reasons);
        let mut covered = front.clone();
        covered.fields.retain(|field| field.name != day);
        let decision = judged(kind, &[covered, back], "Eriksson", "Anna");
        assert_eq!(decision.verdict, Verdict::NeedsReview, "{day}");
        assert_eq!(decision.reasons, [Reason::DocumentAuthenticityUnknown], "{day}");
    }
}

#[test]
fn a_barcode_proves_no_address_where_a_recognised_front_prints_another_one() {
    let kind = DocumentType::IdCard;
    let own = "2570 24TH ST ANYTOWN, OH 43004";
    for (coded_address, is_proved) in [
        ("2570 24TH STREET, ANYTOWN, OH 43004-1234", true),
        ("2571 24TH ST, ANYTOWN, OH 43004", false),
        ("99 ELM RD, OTHERTOWN, OH 43210", false),
    ] {
        let [mut front, mut back] = card("ERIKSSON", "ANNA MARIA");
        front.fields.extend(items(Side::Front, &[(FieldName::Address, own)]));
        back.fields
            .extend(items(Side::Back, &[(FieldName::Address, coded_address)]));
        let document = [of_layout(front, "us.id_card", None, kind), coded(kind, &back)];
        let decision = judged(kind, &document, "Eriksson", "Anna");
        let expected: &[Reason] = if is_proved {
            &[]
        } else {
            &[Reason::DocumentAuthenticityUnknown]
        };
        assert_eq!(decision.reasons, expected, "{coded_address}");
        assert_eq!(decision.verdict == Verdict::Approved, is_proved, "{coded_address}");
    }
}

#[test]
fn a_barcode_adds_no_address_to_a_zone_where_a_recognised_front_prints_another_one() {
    let kind = DocumentType::IdCard;
    let own = "2570 24TH ST ANYTOWN, OH 43004";
    for (coded_address, verdict) in [
        (own, Verdict::Approved),
        ("99 ELM RD, OTHERTOWN, OH 43210", Verdict::NeedsReview),
    ] {
        let [mut front, back] = card("ERIKSSON", "ANNA MARIA");
        front.fields.extend(items(Side::Front, &[(FieldName::Address, own)]));
        let front = of_layout(front, "icao.id_card", None, kind);
        let mut both = back.clone();
        both.fields
            .extend(items(Side::Back, &[(FieldName::Address, coded_address)]));
        let mut both = coded(kind, &both);
        both.mrz = back.mrz;
        let decision = judged(kind, &[front, both], "Eriksson", "Anna");
        assert_eq!(decision.verdict, verdict, "{coded_address}: {:?}", decision.reasons);
    }
}

#[test]
fn a_barcode_on_an_altered_front_is_compared_with_the_one_on_the_back() {
    let kind = DocumentType::IdCard;
    let [front, back] = card("ERIKSSON", "ANNA MARIA");
    let back = coded(kind, &back);
    let decision = |altered: Option<(FieldName, &str)>| {
        let mut front = front.clone();
        if let Some((name, value)) = altered {
            front.fields.retain(|field| field.name != name);
            front.fields.extend(items(Side::Front, &[(name, value)]));
        }
        front.printed = front.fields.clone();
        front.codes = coded(kind, &front).codes;
        judged(kind, &[front, back.clone()], "Eriksson", "Anna")
    };
    let genuine = decision(None);
    assert_eq!(genuine.verdict, Verdict::Approved, "{:?}", genuine.reasons);
    for altered in [
        (FieldName::ExpiryDate, "2033-04-15"),
        (FieldName::BirthDate, "1974-08-13"),
        (FieldName::FirstName, "PETRA"),
        (FieldName::LastName, "NYBERG"),
        (FieldName::FullName, "PETRA NYBERG"),
    ] {
        let forged = decision(Some(altered));
        assert_ne!(forged.verdict, Verdict::Approved, "{altered:?}");
        let is_noted = forged.reasons.contains(&Reason::DocumentDataInconsistent);
        assert!(is_noted, "{altered:?}: {:?}", forged.reasons);
    }
}

#[test]
fn print_beside_a_seal_without_items_is_compared_with_the_zone_on_the_other_side() {
    let sealed = |side: &mut DocumentFindings| {
        side.codes.push(CodeReading {
            standard: CodeStandard::Seal,
            kind: None,
            issuer: Some("SE01".into()),
            fields: Vec::new(),
            signature: Signature::NotChecked,
        });
    };
    let kind = DocumentType::IdCard;
    let [mut front, back] = card("ERIKSSON", "ANNA MARIA");
    sealed(&mut front);
    let own = judged(kind, &[front, back], "Eriksson", "Anna");
    assert_eq!(own.verdict, Verdict::Approved, "{:?}", own.reasons);
    for (birth, is_own) in [("1974-08-12", true), ("1981-03-05", false)] {
        let printed = [(FieldName::LastName, "Eriksson"), (FieldName::BirthDate, birth)];
        let [page, mut back] = zone_on_the_front("SWE", &printed);
        sealed(&mut back);
        let decision = judged(kind, &[page, back], "Eriksson", "Anna");
        let is_contradicted = decision.reasons.contains(&Reason::DocumentDataInconsistent);
        assert_eq!(is_contradicted, !is_own, "{birth}: {:?}", decision.reasons);
        assert_eq!(decision.verdict == Verdict::Approved, is_own, "{birth}");
    }
}

#[test]
fn a_zone_or_barcode_proves_no_sex_or_nationality_where_a_recognised_front_prints_another_one() {
    let kind = DocumentType::IdCard;
    let (female, swedish) = ((FieldName::Gender, "female"), (FieldName::Nationality, "SWE"));
    for (machine, print, is_known, verdict) in [
        (female, female, true, Verdict::Approved),
        (swedish, swedish, true, Verdict::Approved),
        (female, (FieldName::Gender, "male"), true, Verdict::NeedsReview),
        (swedish, (FieldName::Nationality, "SYR"), true, Verdict::NeedsReview),
        // The words beside a label may be anything.
        (female, (FieldName::Gender, "male"), false, Verdict::Approved),
    ] {
        let [mut front, mut back] = card("ERIKSSON", "ANNA MARIA");
        front.fields.extend(items(Side::Front, &[print]));
        back.fields.extend(items(Side::Back, &[machine]));
        if is_known {
            front = of_layout(front, "icao.id_card", None, kind);
        }
        for back in [coded(kind, &back), back] {
            let decision = judged(kind, &[front.clone(), back], "Eriksson", "Anna");
            assert_eq!(
                decision.verdict, verdict,
                "{machine:?} {print:?}: {:?}",
                decision.reasons
            );
        }
    }
}

#[test]
fn a_recognised_front_proves_neither_another_family_name_nor_another_given_name() {
    let kind = DocumentType::IdCard;
    let rows = [
        ("ERIKSSON", "ANNA MARIA", true),
        ("Eriksson", "Maria", true),
        // Two family names, of which the zone has one.
        ("ERIKSSON LINDQVIST", "ANNA MARIA", true),
        ("LINDQVIST", "ANNA MARIA", false),
        ("ERIKSSON", "PETRA", false),
    ];
    for (last, first, is_proved) in rows {
        let expected: &[Reason] = if is_proved {
            &[]
        } else {
            &[Reason::DocumentAuthenticityUnknown]
        };
        let [front, back] = card(last, first);
        let front = of_layout(front, "icao.id_card", None, kind);
        for back in [coded(kind, &back), back] {
            let decision = judged(kind, &[front.clone(), back], "Eriksson", "Anna");
            assert_eq!(decision.reasons, expected, "{last} {first}");
            assert_eq!(decision.verdict == Verdict::Approved, is_proved, "{last} {first}");
        }
        // A strip with a zone below the page of one's own passport.
        let mut page = of_layout(passport(), "icao.passport", None, DocumentType::Passport);
        page.viz_agreement = Some(0.8);
        page.printed = items(
            Side::Front,
            &[(FieldName::LastName, last), (FieldName::FirstName, first)],
        );
        let decision = judged(DocumentType::Passport, &[page], "Eriksson", "Anna");
        assert_eq!(decision.reasons, expected, "{last} {first}");
        assert_eq!(decision.verdict == Verdict::Approved, is_proved, "{last} {first}");
    }
}

#[test]
fn a_strip_with_the_zone_of_a_passport_below_another_card_makes_no_passport_of_it() {
    for (layout, kind, verdict) in [
        ("icao.passport", DocumentType::Passport, Verdict::Approved),
        // Both have the same labels.
        ("icao.id_card", DocumentType::IdCard, Verdict::Approved),
        ("eu.driving_license", DocumentType::DrivingLicense, Verdict::NeedsReview),
        ("us.driving_license", DocumentType::DrivingLicense, Verdict::NeedsReview),
    ] {
        let page = of_layout(passport(), layout, None, kind);
        let decision = judged(DocumentType::Passport, &[page], "Eriksson", "Anna");
        assert_eq!(decision.verdict, verdict, "{layout}: {:?}", decision.reasons);
        let unknown = decision.reasons == [Reason::DocumentAuthenticityUnknown];
        assert_eq!(unknown, verdict == Verdict::NeedsReview, "{layout}");
    }
}

#[test]
fn a_name_that_was_read_in_doubt_and_equals_the_one_of_the_zone_is_in_print() {
    let [mut front, back] = card("ERIKSSON", "ANNA MARIA");
    let is_name = |field: &&mut OcrField| matches!(field.name, FieldName::LastName | FieldName::FirstName);
    front
        .fields
        .iter_mut()
        .filter(is_name)
        .for_each(|field| field.normalized = None);
    let decision = judged(DocumentType::IdCard, &[front, back], "Eriksson", "Anna");
    assert_eq!(decision.verdict, Verdict::Approved, "{:?}", decision.reasons);
}

#[test]
fn names_of_a_zone_that_are_in_doubt_and_left_out_are_those_of_the_front_and_of_nothing_else() {
    let names = [FieldName::LastName, FieldName::FirstName];
    let [front, mut back] = card("ERIKSSON", "ANNA MARIA");
    back.mrz.as_mut().unwrap().names_in_doubt = true;
    back.fields.retain(|field| !names.contains(&field.name));
    let decision = |front: &DocumentFindings, back: &DocumentFindings, first: &str| {
        let document = [front.clone(), back.clone()];
        judged(DocumentType::IdCard, &document, "Eriksson", first)
    };
    let genuine = decision(&front, &back, "Anna");
    assert_eq!(genuine.verdict, Verdict::Approved, "{:?}", genuine.reasons);

    let mut unread = front.clone();
    unread.fields.retain(|field| !names.contains(&field.name));
    let mut sheet = back.clone();
    sheet.printed = items(
        Side::Back,
        &[(FieldName::LastName, "ERIKSSON"), (FieldName::FirstName, "ANNA MARIA")],
    );
    let of_sheet = decision(&unread, &sheet, "Anna");
    assert!(of_sheet.reasons.contains(&Reason::DocumentAuthenticityUnknown));

    // A barcode that does not say what it is on takes the place of the names.
    let mut coded = back.clone();
    let others = items(
        Side::Back,
        &[(FieldName::LastName, "ERIKSSON"), (FieldName::FirstName, "PETRA")],
    );
    coded.fields.extend(others.clone());
    coded.codes.push(CodeReading {
        standard: CodeStandard::Aamva,
        kind: None,
        issuer: Some("636028".into()),
        fields: others,
        signature: Signature::Absent,
    });
    let sister = decision(&front, &coded, "Petra");
    assert_eq!(sister.reasons, [Reason::DocumentAuthenticityUnknown]);
}

#[test]
fn a_zone_proves_no_card_of_another_state() {
    let kind = DocumentType::IdCard;
    for (layout, issuer, verdict) in [
        ("icao.id_card", None, Verdict::Approved),
        ("se.id_card", Some("SWE"), Verdict::Approved),
        ("mx.id_card", Some("MEX"), Verdict::NeedsReview),
    ] {
        let [front, back] = card("ERIKSSON", "ANNA MARIA");
        let front = of_layout(front, layout, issuer, kind);
        let decision = judged(kind, &[front, back], "Eriksson", "Anna");
        assert_eq!(decision.verdict, verdict, "{layout}: {:?}", decision.reasons);
    }
    // The line of a French licence, on the back of a Japanese one.
    let [front, back] = french("MARTIN");
    let kind = DocumentType::DrivingLicense;
    let mut front = of_layout(front, "jp.driving_license", Some("JPN"), kind);
    front.layout.as_mut().unwrap().rules = vec![RuleResult {
        rule: "documentNumber_sound".to_owned(),
        held: true,
        contradiction: false,
    }];
    let back = of_layout(back, "jp.driving_license.back", Some("JPN"), kind);
    let decision = judged_by(Accepted::Visual, kind, &[front, back], ["Martin", "Paul"]);
    assert_eq!(decision.verdict, Verdict::NeedsReview);
    assert_eq!(decision.reasons, [Reason::DocumentAuthenticityUnknown]);
}
