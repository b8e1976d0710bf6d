//! `POST /v1/sandbox/verification-sessions/{id}/complete`, and the same from the start page and the console.

use super::{
    browser::Browser,
    console,
    support::{SESSIONS, Server, mask},
};
use domain::role::Role;
use insta::assert_snapshot;
use service::jobs::worker::{Lane, Worker};
use std::fmt::Write as _;

fn path(id: &str) -> String {
    format!("/v1/sandbox/verification-sessions/{id}/complete")
}

async fn create(server: &Server) -> String {
    server.create("{}").await["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn each_outcome_is_answered_and_read() {
    let server = Server::sandbox().await;
    let mut shown = String::new();
    for outcome in ["approved", "rejected", "needs_review", "failed", "expired"] {
        let id = create(&server).await;
        let answer = server
            .call("POST", &path(&id), &format!(r#"{{"outcome":"{outcome}"}}"#))
            .await;
        let read = server.call("GET", &format!("{SESSIONS}/{id}"), "").await.json();
        let reasons = &read["outcome"]["reasons"];
        let typed = read["userInputInfo"]["lastName"].as_str();
        writeln!(
            shown,
            "{outcome} -> {} {} {reasons} {typed:?}",
            answer.status,
            mask(&answer.body)
        )
        .unwrap();
    }
    assert_snapshot!(shown, @r#"
    approved -> 200 {"id":"vs_…","status":"completed"} [] Some("SAMPLE")
    rejected -> 200 {"id":"vs_…","status":"completed"} ["selfie_face_mismatch"] Some("SAMPLE")
    needs_review -> 200 {"id":"vs_…","status":"reviewing"} ["document_authenticity_unknown"] Some("SAMPLE")
    failed -> 200 {"id":"vs_…","status":"failed"} null None
    expired -> 200 {"id":"vs_…","status":"expired"} null None
    "#);
}

#[tokio::test]
async fn a_completed_session_is_read_like_any_other() {
    let server = Server::sandbox().await;
    let id = create(&server).await;
    server.call("POST", &path(&id), r#"{"outcome":"approved"}"#).await;
    let read = server.call("GET", &format!("{SESSIONS}/{id}"), "").await;
    assert_snapshot!(mask(&read.body), @r#"{"id":"vs_…","status":"completed","plan":{"steps":["document","selfie"]},"expiresAt":"2026-08-09T09:30:00.000Z","createdAt":"2026-08-02T09:30:00.000Z","metadata":null,"completedAt":"2026-08-02T09:30:00.000Z","purgedAt":null,"preRegisteredInfo":null,"userInputInfo":{"lastName":"SAMPLE","firstName":"HANAKO","lastNameKana":null,"firstNameKana":null,"birthDate":"1990-02-28","address":"1-2-3 Sample Town"},"documentOcr":{"documentType":"passport","fields":[{"side":"front","name":"lastName","text":"SAMPLE","normalized":"SAMPLE"},{"side":"front","name":"firstName","text":"HANAKO","normalized":"HANAKO"},{"side":"front","name":"birthDate","text":"1990-02-28","normalized":"1990-02-28"},{"side":"front","name":"gender","text":"female","normalized":"female"},{"side":"front","name":"nationality","text":"UTO","normalized":"UTO"},{"side":"front","name":"documentNumber","text":"UTO000000","normalized":"UTO000000"},{"side":"front","name":"expiryDate","text":"2031-07-27","normalized":"2031-07-27"},{"side":"front","name":"issuingCountry","text":"UTO","normalized":"UTO"}]},"outcome":{"session":{"sessionId":"vs_…","tenantId":"tn_…"},"verdict":"approved","decidedAt":"2026-08-02T09:30:00.000Z","source":"automatic","review":null,"checks":{"document":{"performed":true,"documentType":"passport","authenticity":"authentic"},"selfie":{"performed":true,"livenessConfidence":0.8498,"faceMatchConfidence":1.0},"inputMatch":{"performed":true,"matched":true,"fields":{"birthDate":true,"firstName":true,"lastName":true}}},"reasons":[]}}"#);
}

#[tokio::test]
async fn what_has_ended_is_refused_with_a_tag_of_its_own() {
    let server = Server::sandbox().await;
    let id = create(&server).await;
    server.call("POST", &path(&id), r#"{"outcome":"approved"}"#).await;
    assert_snapshot!(server.call("POST", &path(&id), r#"{"outcome":"expired"}"#).await.shown(), @r#"
    409
    content-type: application/json
    cache-control: no-store
    {"_tag":"CompletionNotAllowed","id":"vs_…"}
    "#);
}

#[tokio::test]
async fn the_body_must_name_an_outcome() {
    let server = Server::sandbox().await;
    let id = create(&server).await;
    let mut shown = String::new();
    for body in [
        "",
        "[]",
        r#"{"outcome":null}"#,
        r#"{"outcome":"maybe"}"#,
        r#"{"outcome":"failed","outcome":"failed"}"#,
    ] {
        let answer = server.call("POST", &path(&id), body).await;
        writeln!(shown, "{body} -> {} {}", answer.status, answer.body).unwrap();
    }
    assert_snapshot!(shown, @r#"
     -> 400 {"_tag":"HttpApiDecodeError","issues":[{"_tag":"Missing","message":"must be given","path":["outcome"]}],"message":"The request does not match the API description."}
    [] -> 400 {"_tag":"HttpApiDecodeError","issues":[{"_tag":"Type","message":"must be a JSON object","path":[]}],"message":"The request does not match the API description."}
    {"outcome":null} -> 400 {"_tag":"HttpApiDecodeError","issues":[{"_tag":"Type","message":"must be a string","path":["outcome"]}],"message":"The request does not match the API description."}
    {"outcome":"maybe"} -> 400 {"_tag":"HttpApiDecodeError","issues":[{"_tag":"Format","message":"must be one of approved, rejected, needs_review, failed, expired","path":["outcome"]}],"message":"The request does not match the API description."}
    {"outcome":"failed","outcome":"failed"} -> 400 {"_tag":"HttpApiDecodeError","issues":[{"_tag":"Syntax","message":"`outcome` is given twice","path":["outcome"]}],"message":"The request does not match the API description."}
    "#);
    let large = format!(r#"{{"outcome":"failed"}}{}"#, " ".repeat(64 * 1024));
    assert_eq!(server.call("POST", &path(&id), &large).await.status, 400);
}

#[tokio::test]
async fn for_live_tenants_there_is_no_such_session_whatever_the_body() {
    let live = Server::new().await;
    let mine = create(&live).await;
    for body in [r#"{"outcome":"approved"}"#, "nonsense", ""] {
        for id in [mine.as_str(), "nonsense", "%ff", "", &"a".repeat(10_240)] {
            let here = live.call("POST", &path(id), body).await;
            let gone = live
                .call("GET", &format!("{SESSIONS}/{}", id.replace(&mine, "gone")), "")
                .await;
            assert_eq!((here.status, gone.status), (404, 404), "{id} {body}");
            assert_eq!(here.body.replace(&mine, "gone"), gone.body, "{id} {body}");
        }
    }
    assert_eq!(
        live.call("GET", &format!("{SESSIONS}/{mine}"), "").await.json()["status"],
        "created"
    );
    assert_eq!(live.send("POST", &path(&mine), &[], "{}").await.status, 401);
    assert_eq!(live.call("GET", &path(&mine), "").await.header("allow"), Some("POST"));
}

#[tokio::test]
async fn the_start_page_of_a_sandbox_completes_and_uses_the_link_up() {
    let server = Server::sandbox().await;
    for (outcome, shown) in [
        ("approved", 200),
        ("rejected", 200),
        ("needs_review", 200),
        ("failed", 200),
        ("expired", 410),
    ] {
        let created = server
            .create(r#"{"callbackUrl":"https://shop.example/done","state":"s"}"#)
            .await;
        let url = created["verificationUrl"].as_str().unwrap();
        let path = url.strip_prefix("https://id.example").unwrap();
        let mut browser = Browser::new(&server);
        let page = browser.get(path).await;
        assert!(page.body.contains("Complete with test data"), "{}", page.body);
        let done = browser.post(path, &format!("outcome={outcome}")).await;
        assert_eq!((done.status, done.header("location")), (303, Some("/capture/result")));
        let result = browser.get("/capture/result").await;
        assert_eq!(result.status, shown, "{outcome}");
        let back = format!("sessionId={}&amp;state=s", created["id"].as_str().unwrap());
        assert!(result.body.contains(&back), "{outcome}: {}", result.body);
        assert_eq!(
            Browser::new(&server).post(path, "outcome=failed").await.status,
            404,
            "used up"
        );
    }
}

#[tokio::test]
async fn an_outcome_that_does_not_exist_is_refused_and_the_link_is_still_good() {
    let server = Server::sandbox().await;
    let created = server.create("{}").await;
    let url = created["verificationUrl"].as_str().unwrap();
    let path = url.strip_prefix("https://id.example").unwrap();
    let mut browser = Browser::new(&server);
    browser.get(path).await;
    let refused = browser.post(path, "outcome=maybe").await;
    assert_eq!(refused.status, 422);
    assert!(refused.body.contains("Complete with test data"), "{}", refused.body);
    let read = server
        .call("GET", &format!("{SESSIONS}/{}", created["id"].as_str().unwrap()), "")
        .await;
    assert_eq!(read.json()["status"], "created");
    let done = browser.post(path, "outcome=approved").await;
    assert_eq!((done.status, done.header("location")), (303, Some("/capture/result")));
}

#[tokio::test]
async fn an_outcome_sent_to_a_live_link_only_starts_it() {
    let live = Server::new().await;
    let created = live.create("{}").await;
    let url = created["verificationUrl"].as_str().unwrap();
    let path = url.strip_prefix("https://id.example").unwrap();
    let mut browser = Browser::new(&live);
    assert!(!browser.get(path).await.body.contains("test data"));
    let done = browser.post(path, "outcome=approved").await;
    assert_eq!(done.header("location"), Some("/capture"));
    let read = live
        .call("GET", &format!("{SESSIONS}/{}", created["id"].as_str().unwrap()), "")
        .await;
    assert_eq!(read.json()["status"], "collecting");
}

#[tokio::test]
async fn the_console_says_that_it_is_a_sandbox_and_completes_a_session() {
    let server = Server::sandbox().await;
    let id = create(&server).await;
    let page = format!("/admin/sessions/{id}");
    let mut reviewer = console::Browser::signed_in(&server, Role::Reviewer).await;
    let shown = reviewer.get(&page).await;
    assert!(shown.body.contains("Sandbox") && shown.body.contains("Complete with test data"));
    let done = reviewer.post(&format!("{page}/complete"), "outcome=needs_review").await;
    assert_eq!(done.header("location"), Some(page.as_str()));
    let shown = reviewer.get(&page).await;
    assert!(
        shown.body.contains("Completed: the session is now “In review”."),
        "{}",
        shown.body
    );
    assert!(shown.body.contains("Review this case") && !shown.body.contains("Complete with test data"));
    assert_eq!(reviewer.get(&format!("/admin/review/{id}")).await.status, 200);
    let again = reviewer.post(&format!("{page}/complete"), "outcome=approved").await;
    assert_eq!(again.status, 303);
    assert!(
        reviewer
            .get(&page)
            .await
            .body
            .contains("Not done: the session has already ended.")
    );
    assert_eq!(
        reviewer.post(&format!("{page}/complete"), "outcome=x").await.status,
        422
    );

    let live = Server::new().await;
    let id = create(&live).await;
    let mut reviewer = console::Browser::signed_in(&live, Role::Reviewer).await;
    let shown = reviewer.get(&format!("/admin/sessions/{id}")).await;
    assert!(!shown.body.contains("Sandbox") && !shown.body.contains("test data"));
    let refused = reviewer
        .post(&format!("/admin/sessions/{id}/complete"), "outcome=approved")
        .await;
    assert_eq!(refused.status, 404);
}

#[tokio::test]
async fn the_test_clock_is_answered_with_the_session_and_refuses_what_cannot_be() {
    let server = Server::sandbox().await;
    let id = create(&server).await;
    let path = |id: &str| format!("/v1/sandbox/verification-sessions/{id}/advance");
    let mut shown = String::new();
    for body in [
        r#"{"to":"retention_end"}"#,
        r#"{"to":"deadline"}"#,
        r#"{"to":"deadline"}"#,
        r#"{"to":"retention_end"}"#,
        "",
        r#"{"to":"tomorrow"}"#,
    ] {
        let answer = server.call("POST", &path(&id), body).await;
        writeln!(shown, "{body} -> {} {}", answer.status, mask(&answer.body)).unwrap();
    }
    assert_snapshot!(shown, @r#"
    {"to":"retention_end"} -> 409 {"_tag":"AdvanceNotAllowed","id":"vs_…"}
    {"to":"deadline"} -> 200 {"id":"vs_…","status":"expired","expiresAt":"2026-08-02T09:30:00.000Z"}
    {"to":"deadline"} -> 409 {"_tag":"AdvanceNotAllowed","id":"vs_…"}
    {"to":"retention_end"} -> 200 {"id":"vs_…","status":"expired","expiresAt":"2026-08-02T09:30:00.000Z"}
     -> 400 {"_tag":"HttpApiDecodeError","issues":[{"_tag":"Missing","message":"must be given","path":["to"]}],"message":"The request does not match the API description."}
    {"to":"tomorrow"} -> 400 {"_tag":"HttpApiDecodeError","issues":[{"_tag":"Format","message":"must be one of deadline, retention_end","path":["to"]}],"message":"The request does not match the API description."}
    "#);
    let live = Server::new().await;
    let mine = create(&live).await;
    let refused = live.call("POST", &path(&mine), r#"{"to":"deadline"}"#).await;
    assert_eq!(refused.status, 404);
    let read = live.call("GET", &format!("{SESSIONS}/{mine}"), "").await;
    assert_eq!(read.json()["status"], "created");
}

#[tokio::test]
async fn the_console_moves_the_clock_of_a_session_to_its_deadline_and_then_to_the_end_of_its_retention() {
    let server = Server::sandbox_with("[worker]\nembedded = false\n").await;
    let body = r#"{"preRegisteredInfo":{"lastName":"Qwertzuiop"}}"#;
    let id = server.create(body).await["id"].as_str().unwrap().to_owned();
    let page = format!("/admin/sessions/{id}");
    let mut admin = console::Browser::signed_in(&server, Role::Admin).await;
    for (to, button, notice) in [
        ("deadline", "Move to the deadline", "The deadline has passed."),
        (
            "retention_end",
            "Move to the end of retention",
            "The retention period is over.",
        ),
    ] {
        let shown = admin.get(&page).await.body;
        assert!(shown.contains(button) && shown.contains("Qwertzuiop"), "{shown}");
        // An expired session is kept for 90 days.
        let due = shown
            .split_once("Erasure due")
            .map(|(_, due)| due.contains("2026-10-31 09:30</time> UTC"));
        assert_eq!(due, (to == "retention_end").then_some(true), "{shown}");
        let moved = admin.post(&format!("{page}/advance"), &format!("to={to}")).await;
        assert_eq!(moved.header("location"), Some(page.as_str()));
        let shown = admin.get(&page).await.body;
        assert!(shown.contains(notice), "{shown}");
        for lane in Lane::ALL {
            let worker = Worker::new(server.app.honnin.clone(), lane, 1);
            worker.run_until_idle().await.unwrap();
        }
    }
    let shown = admin.get(&page).await.body;
    assert!(
        !["Qwertzuiop", "Test clock", "Erasure due"]
            .iter()
            .any(|gone| shown.contains(gone)),
        "{shown}"
    );
    assert!(
        shown.contains("Personal data erased") && shown.contains("verification.expired"),
        "{shown}"
    );
    let refused = admin.post(&format!("{page}/advance"), "to=deadline").await;
    assert_eq!(refused.status, 303);
    assert!(admin.get(&page).await.body.contains("Not done"));
    assert_eq!(admin.post(&format!("{page}/advance"), "to=x").await.status, 422);
}
