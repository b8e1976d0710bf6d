//! What GET returns about a session.

use super::{Row, here, there, world};
use crate::support::START;
use domain::time::Millis;
use serde_json::{Value, json};
use world::{World, is_id, keys};

pub(super) const ROWS: &[Row] = &[
    here!("id |", a_session_has_exactly_these_fields),
    here!("status |", super::states::each_status_is_met),
    here!("plan |", a_session_has_exactly_these_fields),
    here!("expiresAt, createdAt |", a_session_has_exactly_these_fields),
    here!("metadata |", super::request::metadata_comes_back_as_written),
    here!("completedAt |", it_tells_when_it_was_completed),
    here!("purgedAt |", after_erasure_the_outcome_remains),
    here!("preRegisteredInfo |", personal_data_is_read),
    here!("preRegisteredInfo: Personal", after_erasure_the_outcome_remains),
    here!("userInputInfo |", personal_data_is_read),
    here!("userInputInfo: Personal", after_erasure_the_outcome_remains),
    there!(
        "userInputInfo: Fields seen",
        "service/tests/capture/submit.rs",
        "the_details_are_filled_in_from_the_document_and_kept_as_typed"
    ),
    here!("documentOcr |", personal_data_is_read),
    here!("documentOcr: Personal", after_erasure_the_outcome_remains),
    here!("outcome |", the_outcome_is_there_while_reviewing_or_completed),
    here!(
        "outcome: Present only",
        the_outcome_is_there_while_reviewing_or_completed
    ),
    here!("`documentOcr`: `documentType`", personal_data_is_read),
    here!("After personal data is erased", after_erasure_the_outcome_remains),
];

const KNOWN: &str = r#"{"metadata": {"order": "7"}, "preRegisteredInfo": {"lastName": "Tanaka", "gender": "female"}}"#;

async fn a_session_has_exactly_these_fields() {
    let world = World::new().await;
    let id = world.create("{}").await;
    let read = world.read(&id).await;
    let mut fields = keys(&read);
    fields.sort_unstable();
    assert_eq!(
        fields,
        [
            "completedAt",
            "createdAt",
            "documentOcr",
            "expiresAt",
            "id",
            "metadata",
            "outcome",
            "plan",
            "preRegisteredInfo",
            "purgedAt",
            "status",
            "userInputInfo"
        ]
    );
    assert!(is_id("vs_", &read["id"]) && read["id"] == json!(id));
    assert_eq!(read["plan"], json!({"steps": ["document", "selfie"]}));
    assert_eq!(read["createdAt"], START.to_iso());
    assert_eq!(read["expiresAt"], START.plus(Millis::days(7)).to_iso());
    for unset in [
        "completedAt",
        "documentOcr",
        "metadata",
        "outcome",
        "preRegisteredInfo",
        "purgedAt",
        "userInputInfo",
    ] {
        assert_eq!(read[unset], Value::Null, "{unset}");
    }
}

async fn it_tells_when_it_was_completed() {
    let world = World::new().await;
    world.server.clock.advance(Millis::hours(1));
    let now = START.plus(Millis::hours(1)).to_iso();
    for (outcome, completed) in [
        ("approved", json!(now)),
        ("rejected", json!(now)),
        ("needs_review", Value::Null),
        ("failed", Value::Null),
        ("expired", Value::Null),
    ] {
        let id = world.ended("{}", outcome).await;
        assert_eq!(world.read(&id).await["completedAt"], completed, "{outcome}");
    }
}

pub(super) async fn personal_data_is_read() {
    let world = World::new().await;
    let id = world.ended(KNOWN, "approved").await;
    let read = world.read(&id).await;
    assert_eq!(
        read["preRegisteredInfo"],
        json!({"lastName": "Tanaka", "gender": "female"}),
        "as submitted"
    );
    let typed = &read["userInputInfo"];
    let mut fields = keys(typed);
    fields.sort_unstable();
    assert_eq!(
        fields,
        [
            "address",
            "birthDate",
            "firstName",
            "firstNameKana",
            "lastName",
            "lastNameKana"
        ]
    );
    assert_eq!(typed["lastName"], "Tanaka");
    let mut ocr = keys(&read["documentOcr"]);
    ocr.sort_unstable();
    assert_eq!(ocr, ["documentType", "fields"]);
    assert_eq!(read["documentOcr"]["documentType"], "passport");
    let items = read["documentOcr"]["fields"].as_array().unwrap();
    assert!(items.len() > 4);
    for item in items {
        let mut parts = keys(item);
        parts.sort_unstable();
        assert_eq!(parts, ["name", "normalized", "side", "text"]);
        assert!(item["side"].is_string() && item["name"].is_string());
        assert!(item["text"].is_string() || item["text"].is_null());
        assert!(item["normalized"].is_string() || item["normalized"].is_null());
    }
}

async fn the_outcome_is_there_while_reviewing_or_completed() {
    let world = World::new().await;
    let id = world.create("{}").await;
    assert_eq!(world.read(&id).await["outcome"], Value::Null, "created");
    for (outcome, there) in [
        ("needs_review", true),
        ("approved", true),
        ("rejected", true),
        ("failed", false),
    ] {
        world.end(&id, outcome).await;
        assert_eq!(world.read(&id).await["outcome"].is_object(), there, "{outcome}");
        assert_eq!(world.reprocess(&id).await.status, 200);
        assert_eq!(world.read(&id).await["outcome"], Value::Null, "collecting");
    }
    world.end(&id, "expired").await;
    assert_eq!(world.read(&id).await["outcome"], Value::Null, "expired");
}

pub(super) async fn after_erasure_the_outcome_remains() {
    let world = World::new().await;
    let id = world.ended(KNOWN, "approved").await;
    let before = world.read(&id).await;
    assert_eq!(before["purgedAt"], Value::Null);
    world.wait(Millis(Millis::days(90).0 - 1)).await;
    assert_eq!(world.read(&id).await, before, "not a moment too early");
    world.wait(Millis(1)).await;
    let after = world.read(&id).await;
    assert_eq!(after["purgedAt"], START.plus(Millis::days(90)).to_iso());
    for erased in ["preRegisteredInfo", "userInputInfo", "documentOcr"] {
        assert!(before[erased].is_object() && after[erased].is_null(), "{erased}");
    }
    assert_eq!(after["outcome"], before["outcome"]);
}
