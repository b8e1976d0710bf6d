//! `GET /v1/verification-sessions/{id}`.

use crate::support::{SESSIONS, Server, add_tenant, settings};
use domain::{
    document::DocumentType,
    outcome::{Authenticity, Checks, DocumentCheck, Outcome, SessionRef, Source, Verdict},
    reasons::Reason,
    session::Status,
    time::Millis,
};
use insta::assert_snapshot;

#[tokio::test]
async fn a_new_session_is_read_with_every_field_and_metadata_as_given() {
    let server = Server::new().await;
    let body = r#"{"metadata": {"z": 1.50, "a": [1e2, null], "é": "\u00e9"}, "preRegisteredInfo": {"lastName": "髙橋", "gender": "female"}}"#;
    let created = server.create(body).await;
    let answer = server
        .call("GET", &format!("{SESSIONS}/{}", created["id"].as_str().unwrap()), "")
        .await;
    assert_snapshot!(answer.shown(), @r#"
    200
    content-type: application/json
    cache-control: no-store
    {"id":"vs_…","status":"created","plan":{"steps":["document","selfie"]},"expiresAt":"2026-08-09T09:30:00.000Z","createdAt":"2026-08-02T09:30:00.000Z","metadata":{"z":1.50,"a":[1e2,null],"é":"\u00e9"},"completedAt":null,"purgedAt":null,"preRegisteredInfo":{"lastName":"髙橋","gender":"female"},"userInputInfo":null,"documentOcr":null,"outcome":null}
    "#);
}

#[tokio::test]
async fn the_outcome_is_there_only_while_reviewing_or_completed() {
    let server = Server::new().await;
    let id = server.create("{}").await["id"].as_str().unwrap().to_owned();
    let tenant = server.tenant.clone();
    let path = format!("{SESSIONS}/{id}");
    for (status, there) in [
        (Status::Reviewing, true),
        (Status::Completed, true),
        (Status::Failed, false),
        (Status::Deciding, false),
    ] {
        let tenant = tenant.clone();
        server
            .change(&id, move |row| {
                row.session.status = status;
                row.outcome = Some(Outcome {
                    session: SessionRef {
                        session_id: row.session.id.clone(),
                        tenant_id: tenant.clone(),
                    },
                    verdict: Verdict::NeedsReview,
                    decided_at: crate::support::START,
                    source: Source::Automatic,
                    review: None,
                    checks: Checks {
                        document: Some(DocumentCheck {
                            performed: true,
                            document_type: Some(DocumentType::Passport),
                            authenticity: Some(Authenticity::Unknown),
                        }),
                        ..Checks::default()
                    },
                    reasons: vec![Reason::DocumentAuthenticityUnknown.into()],
                });
            })
            .await;
        let answer = server.call("GET", &path, "").await;
        assert_eq!(answer.json()["outcome"].is_object(), there, "{status}");
        if status == Status::Reviewing {
            let outcome = answer.body.split("\"outcome\":").nth(1).unwrap().to_owned();
            assert_snapshot!(crate::support::mask(&outcome), @r#"{"session":{"sessionId":"vs_…","tenantId":"tn_…"},"verdict":"needs_review","decidedAt":"2026-08-02T09:30:00.000Z","source":"automatic","review":null,"checks":{"document":{"performed":true,"documentType":"passport","authenticity":"unknown"},"selfie":null,"inputMatch":null},"reasons":["document_authenticity_unknown"]}}"#);
        }
    }
}

#[tokio::test]
async fn unknown_foreign_and_malformed_ids_are_alike() {
    let server = Server::new().await;
    let other = add_tenant(&server.app, settings()).await;
    let mine = server.create("{}").await["id"].as_str().unwrap().to_owned();
    let bearer = format!("Bearer {}", other.key.expose());
    let unknown = format!("vs_{}", "0".repeat(32));
    let foreign = server
        .send("GET", &format!("{SESSIONS}/{mine}"), &[("authorization", &bearer)], "")
        .await;
    let missing = server
        .send(
            "GET",
            &format!("{SESSIONS}/{unknown}"),
            &[("authorization", &bearer)],
            "",
        )
        .await;
    assert_snapshot!(missing.shown(), @r#"
    404
    content-type: application/json
    cache-control: no-store
    {"_tag":"SessionNotFound","id":"vs_…"}
    "#);
    assert_eq!(foreign.body.replace(&mine, ""), missing.body.replace(&unknown, ""));
    let names =
        |answer: &crate::support::Answer| answer.headers.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&foreign), names(&missing));
    let long = "a".repeat(10_240);
    for (path, id) in [
        ("nonsense", "nonsense"),
        ("%ff", "\u{fffd}"),
        ("%00", "\0"),
        ("", ""),
        (&format!("{mine}/"), &format!("{mine}/")),
        (&mine.to_uppercase(), &mine.to_uppercase()),
        (&format!("{mine}%20"), &format!("{mine} ")),
        ("..%2f", "../"),
        ("'%20OR%201=1--", "' OR 1=1--"),
        (&long, &long[..64]),
        (&"%E9%AB%99".repeat(100), &"髙".repeat(64)),
    ] {
        let answer = server.call("GET", &format!("{SESSIONS}/{path}"), "").await;
        assert_eq!(answer.status, 404, "{path}");
        assert_eq!(
            answer.json(),
            serde_json::json!({"_tag": "SessionNotFound", "id": id}),
            "{path}"
        );
        assert_eq!(names(&answer), names(&missing), "{path}");
    }
}

#[tokio::test]
async fn a_session_past_its_deadline_is_expired_for_every_reader_at_once() {
    let server = Server::with("[worker]\nembedded = false\n").await;
    let id = server.create("{}").await["id"].as_str().unwrap().to_owned();
    let path = format!("{SESSIONS}/{id}");
    server.clock.advance(Millis(Millis::days(7).0 - 1));
    assert_eq!(server.call("GET", &path, "").await.json()["status"], "created");
    server.clock.advance(Millis(1));
    assert_eq!(server.call("GET", &path, "").await.json()["status"], "expired");
}

#[tokio::test]
async fn a_head_request_is_a_get_without_the_body() {
    let server = Server::new().await;
    let id = server.create("{}").await["id"].as_str().unwrap().to_owned();
    let (get, head) = (
        server.call("GET", &format!("{SESSIONS}/{id}"), "").await,
        server.call("HEAD", &format!("{SESSIONS}/{id}"), "").await,
    );
    assert_eq!((head.status, head.body.as_str()), (200, ""));
    assert_eq!(head.header("content-length"), get.header("content-length"));
}
