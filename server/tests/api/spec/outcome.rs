//! The decision record, as returned by GET and as sent in events.

use super::{Row, exempt, here, there, world};
use crate::{
    console,
    support::{START, settings},
};
use domain::{role::Role, session::Step, tenant::TenantSettings, time::Millis};
use serde_json::{Value, json};
use service::review::UNDO;
use world::{World, is_id, keys, text};

pub(super) const ROWS: &[Row] = &[
    here!("Outcome (GET", get_and_the_event_tell_the_same),
    here!("session |", get_and_the_event_tell_the_same),
    here!("verdict |", each_verdict_is_told),
    here!("decidedAt |", a_ruling_fills_the_review),
    here!("source |", a_ruling_fills_the_review),
    here!("review |", a_ruling_fills_the_review),
    here!("review: Fields", a_note_is_told_until_it_is_erased),
    here!("checks |", checks_carry_no_values),
    here!("checks: Keys", checks_follow_the_plan),
    here!("reasons |", each_verdict_is_told),
    here!("reasons: Each", each_verdict_is_told),
    exempt!("reasons: The set grows", "the receiver's part; the description says so"),
    here!("`checks.document`", checks_follow_the_plan),
    there!(
        "checks.document: `authentic` means",
        "domain/src/decision/tests.rs",
        "a_statistical_signal_is_reviewed_unless_the_tenant_rejects_on_it"
    ),
    there!(
        "`unknown` must not be used",
        "domain/src/decision/tests.rs",
        "approved_implies_every_check_over_its_threshold"
    ),
    here!("`checks.selfie`", checks_follow_the_plan),
    here!("`checks.inputMatch`", checks_carry_no_values),
    exempt!(
        "Value sets of",
        "left open there; our vocabulary is part of our description"
    ),
    exempt!(
        "Constraints of the",
        "left open there; the tests of domain::user_input hold ours"
    ),
    exempt!(
        "Vocabulary of",
        "left open there; domain::reasons and domain::session list ours"
    ),
];

async fn get_and_the_event_tell_the_same() {
    let world = World::new().await;
    let id = world.ended("{}", "rejected").await;
    let (outcome, event) = (world.read(&id).await["outcome"].clone(), world.event().await.json());
    assert_eq!(outcome, event["data"]);
    let mut fields = keys(&outcome);
    fields.sort_unstable();
    assert_eq!(
        fields,
        [
            "checks",
            "decidedAt",
            "reasons",
            "review",
            "session",
            "source",
            "verdict"
        ]
    );
    assert_eq!(outcome["session"]["sessionId"], json!(id));
    assert!(is_id("tn_", &outcome["session"]["tenantId"]));
    assert_eq!(keys(&outcome["session"]).len(), 2);
}

async fn each_verdict_is_told() {
    let world = World::new().await;
    for verdict in ["approved", "rejected", "needs_review"] {
        let id = world.ended("{}", verdict).await;
        let outcome = &world.read(&id).await["outcome"];
        assert_eq!(outcome["verdict"], verdict);
        let reasons = outcome["reasons"].as_array().unwrap();
        assert_eq!(reasons.is_empty(), verdict == "approved", "{outcome}");
        assert!(reasons.iter().all(|reason| !reason.as_str().unwrap().is_empty()));
    }
}

/// A session that a reviewer has approved an hour after it was decided, with this note.
async fn ruled(world: &World, note: &str) -> String {
    let id = world.ended("{}", "needs_review").await;
    world.server.clock.advance(Millis::hours(1));
    let mut reviewer = console::Browser::signed_in(&world.server, Role::Reviewer).await;
    let ruling = reviewer
        .post(
            &format!("/admin/review/{id}"),
            &format!("attempt=1&decision=approve&note={note}"),
        )
        .await;
    assert_eq!(ruling.status, 303, "{}", ruling.body);
    world.wait(UNDO).await;
    id
}

pub(super) async fn a_ruling_fills_the_review() {
    let world = World::new().await;
    let id = world.ended("{}", "needs_review").await;
    let automatic = world.read(&id).await["outcome"].clone();
    assert_eq!(
        (&automatic["source"], &automatic["review"]),
        (&json!("automatic"), &Value::Null)
    );
    assert_eq!(automatic["decidedAt"], START.to_iso());
    let other = World::new().await;
    let id = ruled(&other, "").await;
    let manual = other.read(&id).await["outcome"].clone();
    let later = START.plus(Millis::hours(1)).to_iso();
    assert_eq!(
        (&manual["source"], &manual["verdict"]),
        (&json!("manual_review"), &json!("approved"))
    );
    let effective = START.plus(Millis::hours(1)).plus(UNDO).to_iso();
    assert_eq!(manual["decidedAt"], json!(effective));
    assert_eq!(manual["review"], json!({"reviewedAt": later, "note": null}));
}

pub(super) async fn a_note_is_told_until_it_is_erased() {
    let world = World::new().await;
    let id = ruled(&world, "seen+by+eye").await;
    let events = world.events().await;
    assert_eq!(world.read(&id).await["outcome"]["review"]["note"], "seen by eye");
    assert_eq!(events[1].json()["data"]["review"]["note"], "seen by eye");
    world.wait(Millis::days(90)).await;
    let review = world.read(&id).await["outcome"]["review"].clone();
    assert_eq!(review["note"], Value::Null);
    assert_eq!(text(&review["reviewedAt"]), START.plus(Millis::hours(1)).to_iso());
}

async fn checks_follow_the_plan() {
    let world = World::new().await;
    for steps in [vec![Step::Document], vec![Step::Selfie], Step::ALL.to_vec()] {
        let (document, selfie) = (steps.contains(&Step::Document), steps.contains(&Step::Selfie));
        world
            .server
            .save_settings(Some(TenantSettings { steps, ..settings() }))
            .await;
        let id = world.ended("{}", "approved").await;
        let checks = &world.read(&id).await["outcome"]["checks"];
        let mut fields = keys(checks);
        fields.sort_unstable();
        assert_eq!(fields, ["document", "inputMatch", "selfie"]);
        assert_eq!(checks["document"].is_object(), document);
        assert_eq!(checks["inputMatch"].is_object(), document);
        assert_eq!(checks["selfie"].is_object(), selfie);
        if document {
            let expected = json!({"performed": true, "documentType": "passport", "authenticity": "authentic"});
            assert_eq!(checks["document"], expected);
        }
        if selfie {
            let check = &checks["selfie"];
            assert_eq!((keys(check).len(), &check["performed"]), (3, &json!(true)));
            let within = |value: &Value| value.as_f64().is_some_and(|number| (0.0..=1.0).contains(&number));
            assert!(within(&check["livenessConfidence"]), "{check}");
            assert!(if document {
                within(&check["faceMatchConfidence"])
            } else {
                check["faceMatchConfidence"].is_null()
            });
        }
    }
}

async fn checks_carry_no_values() {
    let world = World::new().await;
    let body = r#"{"preRegisteredInfo": {"lastName": "Quandary", "birthDate": "1971-11-11", "address": "9 Elm Row"}}"#;
    let id = world.ended(body, "approved").await;
    let checks = &world.read(&id).await["outcome"]["checks"];
    let input = &checks["inputMatch"];
    assert_eq!((&input["performed"], &input["matched"]), (&json!(true), &json!(true)));
    let fields = input["fields"].as_object().unwrap();
    assert!(fields.contains_key("lastName") && fields.values().all(Value::is_boolean));
    for value in ["Quandary", "1971", "Elm"] {
        assert!(!checks.to_string().contains(value), "{checks}");
    }
}
