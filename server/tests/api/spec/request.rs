//! The body of a creation.

use super::{Row, exempt, here, there, world};
use crate::{
    browser::Browser,
    support::{SESSIONS, between},
};
use domain::time::Millis;
use serde_json::{Value, json};
use world::{World, text};

pub(super) const ROWS: &[Row] = &[
    here!(
        "Session creation request (all fields optional)",
        every_field_may_be_left_out
    ),
    here!("callbackUrl | string | Where", the_user_is_sent_back_with_id_and_state),
    here!("callbackUrl: It must be", only_plain_urls_of_the_list_are_taken),
    here!("callbackUrl: On return", the_user_is_sent_back_with_id_and_state),
    here!(
        "callbackUrl: That query is not a result",
        the_way_back_is_the_same_whatever_the_result
    ),
    here!("state | string | Echoed", the_user_is_sent_back_with_id_and_state),
    exempt!("state: For correlation", "what the customer uses it for"),
    here!("metadata | JSON object", metadata_is_an_object),
    here!("metadata: At most 8192", metadata_has_at_most_8192_bytes),
    here!("metadata: Returned unchanged", metadata_comes_back_as_written),
    exempt!(
        "metadata: Must not hold",
        "the customer's part; the description says it"
    ),
    there!(
        "preRegisteredInfo | object | Known facts",
        "domain/src/input_match/mod.rs",
        "an_item_is_compared_only_where_two_sources_have_it"
    ),
    here!("preRegisteredInfo: When present", what_is_known_has_at_least_one_field),
    here!("preRegisteredInfo: It is personal data", what_is_known_is_erased),
    here!("`preRegisteredInfo` fields", each_known_field_may_stand_alone),
    here!("birthDate | string", birth_dates_have_the_form),
    here!("lastName | string", names_and_addresses_have_their_lengths),
    here!("firstName | string", names_and_addresses_have_their_lengths),
    here!("address | string", names_and_addresses_have_their_lengths),
    here!("gender | string", gender_is_one_of_two),
];

/// The status of a creation with this body, and the tag of its refusal.
async fn status(world: &World, body: &Value) -> (u16, String) {
    let answer = world.server.call("POST", SESSIONS, &body.to_string()).await;
    let tag = answer.json()["_tag"].as_str().unwrap_or_default().to_owned();
    (answer.status, tag)
}

const DECODE: &str = "HttpApiDecodeError";

/// Asserts that each body is accepted, or refused with this tag.
pub(super) async fn judged(cases: &[(Value, Option<&str>)]) {
    let world = World::new().await;
    for (body, refused) in cases {
        let expected = refused.map_or((201, ""), |tag| (400, tag));
        let (status, tag) = status(&world, body).await;
        assert_eq!((status, tag.as_str()), expected, "{body}");
    }
}

async fn every_field_may_be_left_out() {
    judged(&[
        (json!({}), None),
        (json!({"callbackUrl": "https://shop.example/done"}), None),
        (json!({"state": "s"}), None),
        (json!({"metadata": {}}), None),
        (json!({"preRegisteredInfo": {"lastName": "x"}}), None),
        (json!({"unknown": 1}), None),
    ])
    .await;
}

/// The return URL on the result page of a session that ended so.
async fn way_back(state: &str, outcome: &str) -> (String, String) {
    let world = World::new().await;
    let body = json!({"callbackUrl": "https://SHOP.example:443/done", "state": state});
    let created = world.server.create(&body.to_string()).await;
    let url = text(&created["verificationUrl"]);
    let path = url.strip_prefix("https://id.example").unwrap();
    let mut browser = Browser::new(&world.server);
    browser.get(path).await;
    browser.post(path, &format!("outcome={outcome}")).await;
    let page = browser.get("/capture/result").await.body;
    let back = between(&page, "href=\"https://shop.example/done", &['"']);
    (text(&created["id"]), back.replace("&amp;", "&"))
}

async fn the_user_is_sent_back_with_id_and_state() {
    let state = "a b&c=é+%/?#<\">";
    let (id, back) = way_back(state, "approved").await;
    let query = back.strip_prefix('?').unwrap();
    let pairs: Vec<_> = url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    let expected = [("sessionId".to_owned(), id), ("state".to_owned(), state.to_owned())];
    assert_eq!(pairs, expected);
}

async fn the_way_back_is_the_same_whatever_the_result() {
    for outcome in ["approved", "rejected", "failed"] {
        let (id, back) = way_back("s", outcome).await;
        assert_eq!(back, format!("?sessionId={id}&state=s"), "{outcome}");
    }
}

pub(super) async fn only_plain_urls_of_the_list_are_taken() {
    const TAG: Option<&str> = Some("CallbackUrlNotAllowed");
    let cases = [
        ("https://shop.example/done", None),
        ("https://shop.EXAMPLE:443/done", None),
        ("http://shop.example/done", TAG),
        ("https://shop.example/done?", TAG),
        ("https://shop.example/done?a=b", TAG),
        ("https://shop.example/done#", TAG),
        ("https://shop.example/done/", TAG),
        ("https://shop.example/Done", TAG),
        ("https://shop.example:444/done", TAG),
        ("https://u@shop.example/done", TAG),
        ("https://evil.example/done", TAG),
        ("https://shop.example.evil.example/done", TAG),
        ("//shop.example/done", TAG),
        ("javascript:alert(1)", TAG),
        ("", TAG),
    ];
    let cases: Vec<_> = cases.map(|(url, tag)| (json!({"callbackUrl": url}), tag)).into();
    judged(&cases).await;
}

async fn metadata_is_an_object() {
    let mut cases: Vec<_> = [json!(null), json!([]), json!("x"), json!(1), json!(true)]
        .map(|metadata| (json!({"metadata": metadata}), Some(DECODE)))
        .into();
    cases.push((json!({"metadata": {"a": {"b": [1, null, "c"]}}}), None));
    judged(&cases).await;
}

pub(super) async fn metadata_has_at_most_8192_bytes() {
    // {"k":"…"} takes 8 bytes besides the value.
    let of = |text: String| json!({"metadata": {"k": text}});
    judged(&[
        (of("a".repeat(8184)), None),
        (of("a".repeat(8185)), Some(DECODE)),
        (of("あ".repeat(2728)), None),
        (of("あ".repeat(2729)), Some(DECODE)),
    ])
    .await;
    let world = World::new().await;
    let spaced = format!(
        "{{\"metadata\": {{ \"k\" : \"{}\" {} }} }}",
        "a".repeat(8184),
        " ".repeat(5000)
    );
    assert_eq!(
        world.server.call("POST", SESSIONS, &spaced).await.status,
        201,
        "spaces do not count"
    );
}

pub(super) async fn metadata_comes_back_as_written() {
    let world = World::new().await;
    let written = r#"{"z":1.50,"a":[1e2,-0,10000000000000000000000000001,1e400,-1.0E-999999,null],"é":"\u00e9/","":{"b":{},"a":false}}"#;
    let id = world.create(&format!(r#"{{"metadata": {written}}}"#)).await;
    world.end(&id, "rejected").await;
    let (read, event) = (world.get(&id).await.body, world.event().await.body);
    let expected = format!(r#""metadata":{written},"#);
    assert!(read.contains(&expected), "{read}");
    assert!(String::from_utf8(event).unwrap().contains(&expected));
    let reprocessed = world.reprocess(&id).await.body;
    assert!(
        reprocessed.contains(&format!(r#""metadata":{written}}}"#)),
        "{reprocessed}"
    );
}

pub(super) async fn what_is_known_has_at_least_one_field() {
    judged(&[
        (json!({"preRegisteredInfo": {}}), Some(DECODE)),
        (json!({"preRegisteredInfo": {"unknown": "x"}}), Some(DECODE)),
        (json!({"preRegisteredInfo": null}), Some(DECODE)),
        (json!({"preRegisteredInfo": {"address": "x"}}), None),
    ])
    .await;
}

async fn what_is_known_is_erased() {
    let world = World::new().await;
    let id = world
        .ended(r#"{"preRegisteredInfo": {"lastName": "Tanaka"}}"#, "approved")
        .await;
    assert_eq!(world.read(&id).await["preRegisteredInfo"]["lastName"], "Tanaka");
    world.wait(Millis::days(90)).await;
    assert_eq!(world.read(&id).await["preRegisteredInfo"], Value::Null);
}

async fn each_known_field_may_stand_alone() {
    let fields = [
        json!({"birthDate": "1990-02-28"}),
        json!({"lastName": "x"}),
        json!({"firstName": "x"}),
        json!({"address": "x"}),
        json!({"gender": "male"}),
    ];
    judged(&fields.map(|known| (json!({"preRegisteredInfo": known}), None))).await;
}

async fn birth_dates_have_the_form() {
    let cases = [
        ("1990-02-28", None),
        // The contract requires the form; whether the day exists does not matter.
        ("1990-02-30", None),
        ("0000-00-00", None),
        ("1990-2-28", Some(DECODE)),
        ("19900228", Some(DECODE)),
        ("1990-02-28T00:00:00Z", Some(DECODE)),
        ("1990-02-28\n", Some(DECODE)),
        ("１９９０-02-28", Some(DECODE)),
        ("", Some(DECODE)),
    ];
    judged(&cases.map(|(date, tag)| (json!({"preRegisteredInfo": {"birthDate": date}}), tag))).await;
}

pub(super) async fn names_and_addresses_have_their_lengths() {
    let mut cases = Vec::new();
    for (field, most) in [("lastName", 128), ("firstName", 128), ("address", 512)] {
        // Four bytes and two UTF-16 units each: characters are counted.
        for (count, tag) in [(0, Some(DECODE)), (1, None), (most, None), (most + 1, Some(DECODE))] {
            cases.push((json!({"preRegisteredInfo": {field: "𠮷".repeat(count)}}), tag));
        }
        cases.push((json!({"preRegisteredInfo": {field: null}}), Some(DECODE)));
    }
    judged(&cases).await;
}

async fn gender_is_one_of_two() {
    let cases = [
        (json!("male"), None),
        (json!("female"), None),
        (json!("Male"), Some(DECODE)),
        (json!("other"), Some(DECODE)),
        (json!(""), Some(DECODE)),
        (json!(1), Some(DECODE)),
        (json!(null), Some(DECODE)),
    ];
    judged(&cases.map(|(gender, tag)| (json!({"preRegisteredInfo": {"gender": gender}}), tag))).await;
}
