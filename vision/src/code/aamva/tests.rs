use super::payload::Payload;
use super::*;
use proptest::prelude::*;

/// A code as an issuer makes it, with designators that are right.
pub(crate) fn code(issuer: &str, version: u8, kind: &str, elements: &[&str]) -> Vec<u8> {
    let body = format!("{kind}{}\r", elements.join("\n"));
    let version_of_issuer = if version < 2 { "" } else { "00" };
    let head = format!("@\n\u{1e}\rANSI {issuer}{version:02}{version_of_issuer}01");
    let offset = head.len() + 10;
    format!("{head}{kind}{offset:04}{:04}{body}", body.len()).into_bytes()
}

fn read(code: &[u8]) -> Vec<String> {
    let reading = reading(code, Side::Back).unwrap();
    let kind = reading.kind.unwrap();
    let mut lines = vec![format!("{kind} of {}", reading.issuer.unwrap())];
    lines.extend(reading.fields.iter().map(|field| {
        let (text, normal) = (field.text.as_deref().unwrap(), field.normalized.as_deref());
        format!("{} {text:?} {}", field.name, normal.unwrap_or("-"))
    }));
    lines
}

/// The edition of 2025, which a licence of 2020 differs from in no element that is read here.
const OF_2025: [&str; 20] = [
    "DAQT64235789",
    "DCSSAMPLE",
    "DDEN",
    "DACMICHAEL",
    "DDFN",
    "DADJOHN",
    "DDGN",
    "DCUJR",
    "DCAD",
    "DBB06061986",
    "DBA12102032",
    "DBD06062024",
    "DBC1",
    "DAU068 in",
    "DAYBRO",
    "DAG2300 WEST BROAD STREET",
    "DAIRICHMOND",
    "DAJVA",
    "DAK232690000  ",
    "DCGUSA",
];

#[test]
fn a_licence_of_the_newest_edition() {
    assert_eq!(
        read(&code("636000", 10, "DL", &OF_2025)),
        [
            "driving_license of 636000",
            "lastName \"SAMPLE\" SAMPLE",
            "firstName \"MICHAEL JOHN\" MICHAEL JOHN",
            "birthDate \"06061986\" 1986-06-06",
            "gender \"1\" male",
            "address \"2300 WEST BROAD STREET, RICHMOND, VA 23269\" 2300 WEST BROAD STREET, RICHMOND, VA 23269",
            "documentNumber \"T64235789\" T64235789",
            "issueDate \"06062024\" 2024-06-06",
            "expiryDate \"12102032\" 2032-12-10",
            "issuingAuthority \"Virginia\" Virginia",
            "issuingCountry \"USA\" USA",
        ]
    );
}

#[test]
fn an_identity_card_of_canada_writes_the_year_first() {
    let elements = [
        "DCSEXEMPLE",
        "DCTANNE,MARIE",
        "DBB19900229",
        "DBA20300131",
        "DBD20200131",
        "DBC2",
        "DAQE1234-567890-12",
        "DCGCAN",
    ];
    assert_eq!(
        read(&code("604428", 3, "ID", &elements)),
        [
            "id_card of 604428",
            "lastName \"EXEMPLE\" EXEMPLE",
            "firstName \"ANNE MARIE\" ANNE MARIE",
            // 1990 had no such day.
            "birthDate \"19900229\" -",
            "gender \"2\" female",
            "documentNumber \"E1234-567890-12\" E1234-567890-12",
            "issueDate \"20200131\" 2020-01-31",
            "expiryDate \"20300131\" 2030-01-31",
            "issuingAuthority \"Quebec\" Quebec",
            "issuingCountry \"CAN\" CAN",
        ]
    );
}

#[test]
fn a_licence_of_the_first_edition_has_its_name_in_one_piece() {
    let elements = [
        "DAASAMPLE,JANE,Q",
        "DAQ123456789",
        "DBB19700102",
        "DBA20110102",
        "DBCF",
        "DAL1 MAIN ST",
        "DANALBANY",
        "DAONY",
        "DAP12207",
    ];
    assert_eq!(
        read(&code("636001", 1, "DL", &elements)),
        [
            "driving_license of 636001",
            "lastName \"SAMPLE\" SAMPLE",
            "firstName \"JANE Q\" JANE Q",
            "birthDate \"19700102\" 1970-01-02",
            "gender \"F\" female",
            "address \"1 MAIN ST, ALBANY, NY 12207\" 1 MAIN ST, ALBANY, NY 12207",
            "documentNumber \"123456789\" 123456789",
            "expiryDate \"20110102\" 2011-01-02",
            "issuingAuthority \"New York\" New York",
            "issuingCountry \"USA\" USA",
        ]
    );
}

#[test]
fn what_a_card_says_it_has_not_is_not_read() {
    let code = code("636026", 9, "EN", &["DCSSAMPLE", "DACunavl", "DADNONE", "DBB", "DAQD1"]);
    assert_eq!(
        read(&code)[1..3],
        ["lastName \"SAMPLE\" SAMPLE", "documentNumber \"D1\" D1"]
    );
}

#[test]
fn a_subfile_that_lies_elsewhere_than_its_designator_says_is_found() {
    let right = code("636014", 8, "DL", &OF_2025);
    let wrong = String::from_utf8(right.clone())
        .unwrap()
        .replacen("DL0031", "DL0039", 1);
    assert_ne!(wrong.as_bytes(), right, "the designator was not where the test thinks");
    assert_eq!(read(wrong.as_bytes()), read(&right));
}

#[test]
fn other_codes_are_not_taken_for_licences() {
    for other in [
        "",
        "@",
        "https://example.com/ANSI 6360000102DL",
        "@\n\u{1e}\rANSI 63600x100001DL00310010DLDAQ1",
        "@\n\u{1e}\rANSI 636000100001ZV00310010ZVZVA01\r",
    ] {
        assert_eq!(reading(other.as_bytes(), Side::Back), None, "{other:?}");
    }
}

proptest! {
    #[test]
    fn any_bytes_give_a_bounded_reading_or_none(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        reading(&bytes, Side::Back);
        let mut headed = b"@\n\x1e\rANSI 636000100001DL00310100DL".to_vec();
        headed.extend(&bytes);
        let fields = reading(&headed, Side::Back).unwrap().fields;
        prop_assert!(fields.iter().all(|field| field.text.as_ref().unwrap().chars().count() <= 1100));
    }

    #[test]
    fn a_changed_byte_does_no_harm(at in any::<prop::sample::Index>(), to in any::<u8>(), cut in any::<prop::sample::Index>()) {
        let mut bytes = code("636000", 10, "DL", &OF_2025);
        let (at, cut) = (at.index(bytes.len()), cut.index(bytes.len()));
        bytes[at] = to;
        reading(&bytes, Side::Front);
        Payload::parse(&bytes[..cut]);
    }

    #[test]
    fn a_date_comes_back_in_either_order(days in 0_i64..100_000) {
        let date = time::macros::date!(1900 - 01 - 01) + time::Duration::days(days);
        let (year, month, day) = (date.year(), u8::from(date.month()), date.day());
        prop_assert_eq!(super::date(&format!("{month:02}{day:02}{year:04}")), Some(date));
        prop_assert_eq!(super::date(&format!("{year:04}{month:02}{day:02}")), Some(date));
    }
}
