//! The limits of the creation request, each tested from both sides.

use super::*;
use proptest::prelude::*;

fn issue_of(body: &str) -> (&'static str, String) {
    let issues = CreationRequest::parse(body.as_bytes()).expect_err(body);
    assert_eq!(issues.len(), 1, "{issues:?}");
    (issues[0].tag, issues[0].path.join("."))
}

#[test]
fn an_empty_body_asks_for_nothing_in_particular() {
    for body in ["", " ", "\r\n", "\t \n", " {} \n", "{}"] {
        let request = CreationRequest::parse(body.as_bytes()).unwrap();
        let nothing = CreationRequest {
            callback_url: None,
            state: None,
            metadata: None,
            pre_registered: None,
        };
        assert_eq!(request, nothing);
    }
}

#[test]
fn each_wrong_type_and_null_is_named_by_its_path() {
    for (body, tag, path) in [
        ("[]", "Type", ""),
        ("null", "Type", ""),
        ("{", "Syntax", ""),
        (r#"{"state":1}"#, "Type", "state"),
        (r#"{"state":null}"#, "Type", "state"),
        (r#"{"callbackUrl":null}"#, "Type", "callbackUrl"),
        (r#"{"metadata":null}"#, "Type", "metadata"),
        (r#"{"metadata":[]}"#, "Type", "metadata"),
        (r#"{"metadata":{"a":1,"a":2}}"#, "Syntax", "metadata.a"),
        (r#"{"preRegisteredInfo":null}"#, "Type", "preRegisteredInfo"),
        (r#"{"preRegisteredInfo":{}}"#, "Missing", "preRegisteredInfo"),
        (r#"{"preRegisteredInfo":{"unknown":1}}"#, "Missing", "preRegisteredInfo"),
        (
            r#"{"preRegisteredInfo":{"gender":"other"}}"#,
            "Format",
            "preRegisteredInfo.gender",
        ),
        (
            r#"{"preRegisteredInfo":{"birthDate":"1990-1-01"}}"#,
            "Format",
            "preRegisteredInfo.birthDate",
        ),
        (
            r#"{"preRegisteredInfo":{"lastName":""}}"#,
            "Limit",
            "preRegisteredInfo.lastName",
        ),
        (
            r#"{"preRegisteredInfo":{"lastName":null}}"#,
            "Type",
            "preRegisteredInfo.lastName",
        ),
    ] {
        assert_eq!(issue_of(body), (tag, path.to_owned()), "{body}");
    }
}

#[test]
fn names_and_addresses_are_counted_in_characters() {
    for (name, limit) in [("lastName", 128), ("firstName", 128), ("address", 512)] {
        let body = |n: usize| format!(r#"{{"preRegisteredInfo":{{"{name}":"{}"}}}}"#, "𠮷".repeat(n));
        CreationRequest::parse(body(limit).as_bytes()).unwrap();
        assert_eq!(
            issue_of(&body(limit + 1)),
            ("Limit", format!("preRegisteredInfo.{name}"))
        );
    }
}

#[test]
fn metadata_is_measured_as_bytes_of_compact_json() {
    let body = |n: usize| format!("{{ \"metadata\" : {{ \"k\" :   \"{}\" }} }}", "x".repeat(n));
    let overhead = r#"{"k":""}"#.len();
    let kept = CreationRequest::parse(body(METADATA_LIMIT - overhead).as_bytes()).unwrap();
    assert_eq!(kept.metadata.unwrap().len(), METADATA_LIMIT);
    assert_eq!(
        issue_of(&body(METADATA_LIMIT - overhead + 1)),
        ("Limit", "metadata".to_owned())
    );
}

#[test]
fn metadata_is_measured_with_the_escapes_that_json_needs_and_kept_as_written() {
    let overhead = r#"{"k":""}"#.len();
    for (written, bytes) in [
        (r"\u3042", 3),
        (r"\u00e9", 2),
        (r"\ud83d\ude00", 4),
        (r"\/", 1),
        (r"\u0041", 1),
        (r"\u0022", 2),
        (r"\u005c", 2),
        (r"\u000a", 2),
        (r"\u0001", 6),
        (r#"\""#, 2),
        (r"\\", 2),
        (r"\n", 2),
    ] {
        let body = |n: usize| format!(r#"{{"metadata":{{"k":"{}"}}}}"#, written.repeat(n));
        let most = (METADATA_LIMIT - overhead) / bytes;
        let kept = CreationRequest::parse(body(most).as_bytes()).unwrap();
        assert_eq!(
            kept.metadata.unwrap().len(),
            overhead + most * written.len(),
            "{written}"
        );
        assert_eq!(issue_of(&body(most + 1)), ("Limit", "metadata".to_owned()), "{written}");
    }
}

fn messages(body: &[u8]) -> Vec<(String, String)> {
    let issues = CreationRequest::parse(body).expect_err("nothing is wrong with it");
    let shown = issues.into_iter().map(|issue| (issue.path.join("."), issue.message));
    shown.collect()
}

#[test]
fn every_key_that_is_given_twice_is_named_with_its_place() {
    let body = br#"{"state":"a","metadata":{"a":[1,{"b":1,"b":2}]},"st\u0061te":"b","x":{"y":1,"y":1,"y":1}}"#;
    let named = |path: &str, key: &str| (path.to_owned(), format!("`{key}` is given twice"));
    assert_eq!(
        messages(body),
        [named("metadata.a.1.b", "b"), named("state", "state"), named("x.y", "y")]
    );
    let long = "k".repeat(100);
    let body = format!(r#"{{"{long}":1,"{long}":2}}"#);
    assert_eq!(messages(body.as_bytes())[0].0.len(), 64, "keys are cut");
    let many: String = (0..100).map(|n| format!(r#""k{n}":1,"k{n}":1,"#)).collect();
    let issues = messages(format!(r#"{{{many}"z":0}}"#).as_bytes());
    assert_eq!(issues.len(), 16, "and there is an end of it");
}

#[test]
fn what_is_no_json_is_told_why() {
    for (body, message) in [
        (&b"\xef\xbb\xbf{}"[..], "the body begins with a byte order mark"),
        (
            b"\x1f\x8b\x08\x00",
            "the body is compressed with gzip; send it uncompressed",
        ),
        (b"{\"state\":\"\xff\"}", "the body is not UTF-8 from byte 11"),
        (
            br#"{"state":"\ud800"}"#,
            "the body has one half of a surrogate pair at line 1, column 17",
        ),
        (
            br#"{"state":"\udc00"}"#,
            "the body has one half of a surrogate pair at line 1, column 16",
        ),
        (b"{\"state\":", "the body ends too early at line 1, column 9"),
        (b"state=1", "the body is not valid JSON at line 1, column 1"),
    ] {
        assert_eq!(messages(body), [(String::new(), message.to_owned())]);
    }
}

#[test]
fn the_state_is_mentioned_only_where_there_is_one() {
    let long = format!("https://shop.example/{}", "x".repeat(CALLBACK_LIMIT));
    let limit = |body: String| messages(body.as_bytes())[0].1.clone();
    assert_eq!(
        limit(format!(r#"{{"callbackUrl":"{long}"}}"#)),
        "must be at most 8000 bytes"
    );
    assert_eq!(
        limit(format!(r#"{{"callbackUrl":"{long}","state":"s"}}"#)),
        "with the percent-encoded state appended must be at most 8000 bytes"
    );
}

#[test]
fn callback_and_state_share_one_limit() {
    let url = "https://shop.example/done";
    let room = CALLBACK_LIMIT - format!("{url}?state=").len();
    let body = |n: usize| format!(r#"{{"callbackUrl":"{url}","state":"{}"}}"#, "s".repeat(n));
    CreationRequest::parse(body(room).as_bytes()).unwrap();
    assert_eq!(issue_of(&body(room + 1)), ("Limit", "callbackUrl".to_owned()));
    let alone = |n: usize| format!(r#"{{"state":"{}"}}"#, "s".repeat(n));
    CreationRequest::parse(alone(CALLBACK_LIMIT).as_bytes()).unwrap();
    assert_eq!(issue_of(&alone(CALLBACK_LIMIT + 1)), ("Limit", "state".to_owned()));
}

#[test]
fn a_callback_url_is_limited_as_it_is_given_and_not_only_as_it_is_normalised() {
    let body = |segments: usize| {
        let url = format!("https://shop.example/{}done", "./".repeat(segments));
        (url.len(), format!(r#"{{"callbackUrl":"{url}"}}"#))
    };
    let segments = (CALLBACK_LIMIT - "https://shop.example/done".len()) / "./".len();
    let ((longest, fits), (longer, long)) = (body(segments), body(segments + 1));
    assert!(longest <= CALLBACK_LIMIT && longer > CALLBACK_LIMIT);
    CreationRequest::parse(fits.as_bytes()).unwrap();
    assert_eq!(issue_of(&long), ("Limit", "callbackUrl".to_owned()));
    // Nor does what is not allowed anyway have room for a longer state.
    let state = "あ".repeat(CALLBACK_LIMIT / 6);
    let body = format!(r#"{{"callbackUrl":"http://shop.example/done","state":"{state}"}}"#);
    assert_eq!(issue_of(&body), ("Limit", "callbackUrl".to_owned()));
}

#[test]
fn nesting_too_deep_has_a_sentence_of_its_own() {
    let body = |levels: usize| {
        format!(
            r#"{{"metadata":{}1{}}}"#,
            r#"{"a":"#.repeat(levels - 1),
            "}".repeat(levels - 1)
        )
    };
    CreationRequest::parse(body(json::DEPTH_LIMIT).as_bytes()).unwrap();
    let issues = CreationRequest::parse(body(json::DEPTH_LIMIT + 1).as_bytes()).unwrap_err();
    assert_eq!(issues[0].tag, "Syntax");
    let sentence = format!(
        "the body is nested more than {} levels deep at line 1, column ",
        json::DEPTH_LIMIT
    );
    assert!(issues[0].message.starts_with(&sentence), "{}", issues[0].message);
}

#[test]
fn a_request_prints_nothing_of_what_it_holds() {
    let body = r#"{"state":"canary","metadata":{"order":"canary"},"preRegisteredInfo":{"lastName":"canary"}}"#;
    let request = CreationRequest::parse(body.as_bytes()).unwrap();
    let printed = format!("{request:?} {request:#?}");
    assert!(!printed.contains("canary"), "{printed}");
}

/// Any number of the JSON grammar (RFC 8259 section 6), of any size.
const NUMBER: &str = r"-?(0|[1-9][0-9]{0,40})(\.[0-9]{1,40})?([eE][+-]?[0-9]{1,6})?";

proptest! {
    #[test]
    fn numbers_of_metadata_come_back_as_written(numbers in prop::collection::vec(NUMBER, 1..8)) {
        let metadata = format!(r#"{{"n":{},"all":[{}]}}"#, numbers[0], numbers.join(","));
        let request = CreationRequest::parse(format!(r#"{{"unknown":{},"metadata":{metadata}}}"#, numbers[0]).as_bytes());
        let kept = request.unwrap().metadata;
        prop_assert_eq!(kept.as_deref(), Some(metadata.as_str()));
    }

    #[test]
    fn no_issue_repeats_a_value(secret in "[a-z]{24}") {
        for body in [
            format!(r#"{{"state":{{"x":"{secret}"}}}}"#),
            format!(r#"{{"preRegisteredInfo":{{"gender":"{secret}","birthDate":"{secret}"}}}}"#),
            format!(r#"{{"metadata":"{secret}"}}"#),
            format!(r#"{{"a":"{secret}" "#),
        ] {
            let issues = CreationRequest::parse(body.as_bytes()).unwrap_err();
            prop_assert!(!serde_json::to_string(&issues).unwrap().contains(&secret));
        }
    }

    #[test]
    fn no_bytes_make_it_panic(body in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = CreationRequest::parse(&body);
    }
}
