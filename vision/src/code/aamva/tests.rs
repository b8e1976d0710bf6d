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
fn a_name_in_one_piece_is_taken_apart_by_position_and_its_suffix_left_out() {
    for (name, last, first, whole) in [
        ("DAAJOHNSON,JACK,,3RD", Some("JOHNSON"), Some("JACK"), None),
        ("DAASAMPLE@JANE@Q", Some("SAMPLE"), Some("JANE Q"), None),
        ("DAADE LA CRUZ$ANNA$$JR", Some("DE LA CRUZ"), Some("ANNA"), None),
        ("DAASMITH,JOHN,JR", Some("SMITH"), Some("JOHN"), None),
        ("DAASMITH,JR", Some("SMITH"), Some("JR"), None),
        ("DAASMITH,JOHN,V", Some("SMITH"), Some("JOHN V"), None),
        ("DAASMITH,JOHN,V,", Some("SMITH"), Some("JOHN V"), None),
        ("DAASMITH,JOHN,,V", Some("SMITH"), Some("JOHN"), None),
        (
            "DAAGARCIA LOPEZ,MARIA,DEL,CARMEN",
            Some("GARCIA LOPEZ"),
            Some("MARIA DEL CARMEN"),
            None,
        ),
        ("DAASAMPLE,", Some("SAMPLE"), None, None),
        ("DAAJANE Q SAMPLE", None, None, Some("JANE Q SAMPLE")),
    ] {
        let reading = reading(&code("636001", 1, "DL", &[name]), Side::Back).unwrap();
        let names = [FieldName::LastName, FieldName::FirstName, FieldName::FullName].map(|wanted| {
            let field = reading.fields.iter().find(|field| field.name == wanted);
            field.and_then(|field| field.normalized.as_deref())
        });
        assert_eq!(names, [last, first, whole], "{name}");
    }
}

#[test]
fn a_comma_behind_the_street_is_no_part_of_the_address() {
    let elements = ["DAG1017-16FAKE HALL DR, ", "DAITORONTO", "DAJON", "DAKM4N 1B6"];
    let address = "1017-16FAKE HALL DR, TORONTO, ON M4N 1B6";
    assert_eq!(
        read(&code("636012", 3, "DL", &elements))[1],
        format!("address {address:?} {address}")
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
fn the_family_name_is_the_whole_name_of_somebody_who_is_said_to_have_no_other() {
    let rows: [(&[&str], Option<&str>); 6] = [
        (&["DCSSUHARTO", "DDEN", "DACNONE", "DADNONE"], Some("SUHARTO")),
        (&["DCSSUHARTO", "DCTNONE"], Some("SUHARTO")),
        (&["DCSSUHARTO", "DDET", "DACNONE"], None),
        (&["DCSSUHARTO", "DACunavl"], None),
        (&["DCSSUHARTO", "DACNONE", "DADHATTA"], None),
        (&["DCSSUHARTO"], None),
    ];
    for (elements, whole) in rows {
        let fields = reading(&code("636026", 9, "DL", elements), Side::Back).unwrap().fields;
        let normal = |wanted: FieldName| {
            let field = fields.iter().find(|field| field.name == wanted);
            field.and_then(|field| field.normalized.as_deref())
        };
        assert_eq!(normal(FieldName::FullName), whole, "{elements:?}");
        assert!(whole.is_none() || normal(FieldName::LastName) == whole, "{elements:?}");
    }
}

#[test]
fn a_street_of_residence_stands_before_the_city_of_either_address() {
    // As Oregon (636029) writes the edition of 2000, and as North Carolina did.
    let mailing = ["DAG", "DAL4455 SE 25TH ST", "DAICORVALLIS", "DAJOR", "DAK97330      "];
    let residence = ["DAL11 KANDES CT", "DAM", "DANDURHAM", "DAONC", "DAP27713-9722"];
    for (elements, address) in [
        (mailing, "4455 SE 25TH ST, CORVALLIS, OR 97330"),
        (residence, "11 KANDES CT, DURHAM, NC 27713-9722"),
    ] {
        assert_eq!(
            read(&code("636029", 1, "DL", &elements))[1],
            format!("address {address:?} {address}")
        );
    }
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
fn elements_may_end_in_any_sign_of_a_new_line() {
    let standard = String::from_utf8(code("636000", 10, "DL", &OF_2025)).unwrap();
    let (head, body) = standard.split_at(standard.find("DLDAQ").unwrap());
    for end in ["\r\n", "\r", "\n\r"] {
        let other = format!("{head}{}", body.replace('\n', end));
        assert_eq!(read(other.as_bytes()), read(standard.as_bytes()), "{end:?}");
    }
}

#[test]
fn what_follows_the_subfile_of_the_card_is_none_of_its_elements() {
    let subfiles = ["DLDAQD1\nDCSSAMPLE\r", "ZVZVA01\nDACOTHER\r"];
    let head = "@\n\u{1e}\rANSI 636000100002";
    let first = head.len() + 20;
    let second = first + subfiles[0].len();
    let [length, other] = subfiles.map(str::len);
    let code = format!(
        "{head}DL{first:04}{length:04}ZV{second:04}{other:04}{}",
        subfiles.concat()
    );
    assert_eq!(
        read(code.as_bytes())[1..3],
        ["lastName \"SAMPLE\" SAMPLE", "documentNumber \"D1\" D1"]
    );
}

#[test]
fn a_subfile_whose_type_is_written_twice_is_read() {
    let twice = String::from_utf8(code("636000", 10, "DL", &OF_2025))
        .unwrap()
        .replacen("DLDAQ", "DLDLDAQ", 1);
    assert_eq!(read(twice.as_bytes()), read(&code("636000", 10, "DL", &OF_2025)));
}

#[test]
fn elements_are_read_without_the_type_before_them() {
    // As West Virginia (636061) and Wyoming (636060) write it, and Connecticut (636006) in the edition of 2000: the designator names a place
    // where the first element begins.
    let typed = String::from_utf8(code("636061", 4, "DL", &OF_2025)).unwrap();
    let untyped = typed.replacen("DLDAQ", "DAQ", 1);
    assert_eq!(read(untyped.as_bytes()), read(typed.as_bytes()));
    let first = "@\n\u{1e}\rAAMVA6360060101DL00290182DAASAMPLE,ANNA,,JR\nDAG60 STATE ST\nDAIWETHERSFIELD\nDAJCT\nDAK061091896  \nDAQ990000001\r";
    assert_eq!(
        read(first.as_bytes())[..4],
        [
            "driving_license of 636006",
            "lastName \"SAMPLE\" SAMPLE",
            "firstName \"ANNA\" ANNA",
            "address \"60 STATE ST, WETHERSFIELD, CT 06109-1896\" 60 STATE ST, WETHERSFIELD, CT 06109-1896",
        ]
    );
    // Designators that are too short are no reason either.
    let short = "@\n\u{1e}\rANSI 636000030001DLabacDLDCSSAMPLE\nDCTANNA\nDAQ1234\r";
    assert_eq!(read(short.as_bytes())[1], "lastName \"SAMPLE\" SAMPLE");
}

#[test]
fn letters_beyond_ascii_are_of_either_character_set() {
    let utf8 = code("604431", 5, "DL", &["DCSPEÑA", "DACJOSÉ"]);
    let latin: Vec<u8> = String::from_utf8(utf8.clone())
        .unwrap()
        .chars()
        .map(|c| u8::try_from(u32::from(c)).unwrap())
        .collect();
    assert_ne!(utf8, latin);
    for code in [utf8, latin] {
        assert_eq!(read(&code)[1..3], ["lastName \"PEÑA\" PEÑA", "firstName \"JOSÉ\" JOSÉ"]);
    }
}

#[test]
fn a_postal_code_is_five_digits_or_nine() {
    for (written, code) in [
        ("232690000  ", "23269"),
        ("061091896  ", "06109-1896"),
        ("71901 4455 ", "71901-4455"),
        ("96826     0", "96826"),
        ("0210800000  ", "02108"),
        ("20009-1234 ", "20009-1234"),
        ("82930      ", "82930"),
        ("1234", "1234"),
        ("M4N 1B6", "M4N 1B6"),
    ] {
        assert_eq!(super::postal_code(written.trim()), code, "{written}");
    }
}

#[test]
fn a_city_that_stands_twice_is_read_once() {
    let address = |more: &str| {
        let elements = ["DAG1 MAIN WAY", more, "DAICHEYENNE", "DAJWY", "DAK82001"];
        read(&code("636060", 4, "DL", &elements)).swap_remove(1)
    };
    let once = "1 MAIN WAY, CHEYENNE, WY 82001";
    assert_eq!(address("DAHCHEYENNE, WY  82001"), format!("address {once:?} {once}"));
    let court = "1 MAIN WAY CHEYENNE COURT 4, CHEYENNE, WY 82001";
    assert_eq!(address("DAHCHEYENNE COURT 4"), format!("address {court:?} {court}"));
}

#[test]
fn a_number_that_is_longer_than_any_has_no_normal_form() {
    // Programs that leave out the line feeds print codes as this.
    let run_together = code("636026", 8, "DL", &["DAQD12345678DCSPUBLICDDENDACJOHN", "DCSPUBLIC"]);
    assert_eq!(
        read(&run_together)[2],
        "documentNumber \"D12345678DCSPUBLICDDENDACJOHN\" -"
    );
    let longest = "K-134-123-145-103-1234567";
    assert_eq!(longest.len(), 25);
    let code = code("636003", 8, "DL", &[&format!("DAQ{longest}")]);
    assert_eq!(read(&code)[1], format!("documentNumber {longest:?} {longest}"));
}

#[test]
fn the_count_of_subfiles_is_found_where_an_edition_has_it_in_another_place() {
    for version in 1..=10 {
        let right = String::from_utf8(code("636000", version, "DL", &OF_2025)).unwrap();
        let digits = right.find("636000").unwrap() + 8;
        let mut other = right.clone();
        if version < 2 {
            other.insert_str(digits, "00");
        } else {
            other.replace_range(digits..digits + 2, "");
        }
        assert_ne!(other, right);
        assert_eq!(read(other.as_bytes()), read(right.as_bytes()), "{version}");
    }
}

#[test]
fn a_name_that_was_cut_or_may_have_been_has_no_normal_form() {
    let long = "A".repeat(40);
    for (last, said, is_whole) in [
        ("SAMPLE", "N", true),
        ("SAMPLE", "U", true),
        ("SAMPLE", "T", false),
        (&*long, "N", true),
        (&*long, "U", false),
        (&*long, "", false),
        (&*long, "T", false),
    ] {
        let (name, said) = (format!("DCS{last}"), format!("DDE{said}"));
        let reading = reading(&code("636000", 10, "DL", &[&name, &said, "DACANN"]), Side::Back).unwrap();
        let normal = |wanted: FieldName| {
            let field = reading.fields.iter().find(|field| field.name == wanted).unwrap();
            field.normalized.is_some()
        };
        assert_eq!(
            (normal(FieldName::LastName), normal(FieldName::FirstName)),
            (is_whole, true),
            "{last} {said}"
        );
    }
}

#[test]
fn given_names_that_stand_in_two_elements_are_read_once() {
    for (elements, first) in [
        (["DCTMICHAEL,JOHN", "DADJOHN"], "MICHAEL JOHN"),
        (["DCTMICHAEL", "DADJOHN"], "MICHAEL JOHN"),
        (["DACMICHAEL", "DADJOHN"], "MICHAEL JOHN"),
        (["DACJOHN", "DADJOHN"], "JOHN JOHN"),
    ] {
        let lines = read(&code("636000", 3, "DL", &elements));
        assert_eq!(lines[1], format!("firstName {first:?} {first}"), "{elements:?}");
    }
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
