//! Deciding cases in the console.

use crate::{
    console::Browser,
    support::{Server, between},
};
use domain::{
    outcome::{Authenticity, Checks, DocumentCheck, Outcome, SessionRef, Source, Verdict},
    reasons::Reason,
    role::Role,
    session::Status,
    time::Millis,
};

#[tokio::test]
async fn a_case_somebody_works_at_stays_theirs() {
    let server = Server::without_worker().await;
    let id = server.create("{}").await["id"].as_str().unwrap().to_owned();
    server
        .change(&id, |row| {
            row.session.status = Status::Reviewing;
            row.outcome = Some(waiting_outcome(row));
        })
        .await;
    let mut first = Browser::signed_in_as(&server, "first", Role::Reviewer).await;
    let mut second = Browser::signed_in_as(&server, "second", Role::Reviewer).await;
    let keep = format!("/admin/review/{id}/hold");
    assert_eq!(first.get(&format!("/admin/review/{id}")).await.status, 200);
    server.clock.advance(Millis::minutes(14));
    assert_eq!(first.post(&keep, "").await.json()["until"], "2026-08-02 09:59");
    server.clock.advance(Millis::minutes(14));
    assert_eq!(second.post(&keep, "").await.json()["until"], serde_json::Value::Null);
    let seen = second.get(&format!("/admin/review/{id}")).await;
    assert!(seen.body.contains("You can view it but not decide it"));
    let unknown = format!("/admin/review/vs_{}/hold", "0".repeat(32));
    assert_eq!(first.post(&unknown, "").await.status, 404);
}

/// What a session has that waits for a reviewer.
/// Of a case that waits for a reviewer.
pub(crate) fn waiting_outcome(row: &store::session::sessions::SessionRow) -> Outcome {
    Outcome {
        session: SessionRef {
            session_id: row.session.id.clone(),
            tenant_id: row.session.tenant.clone(),
        },
        verdict: Verdict::NeedsReview,
        decided_at: row.session.created_at,
        source: Source::Automatic,
        review: None,
        checks: Checks {
            document: Some(DocumentCheck {
                performed: true,
                document_type: None,
                authenticity: Some(Authenticity::Unknown),
            }),
            ..Checks::default()
        },
        reasons: vec![Reason::DocumentBlurry.into()],
    }
}

#[tokio::test]
async fn a_decision_on_a_case_is_undone_with_a_form_and_needs_a_reason_to_reject() {
    let server = Server::sandbox().await;
    let id = server.create("{}").await["id"].as_str().unwrap().to_owned();
    let complete = format!("/v1/sandbox/verification-sessions/{id}/complete");
    let completed = server.call("POST", &complete, r#"{"outcome":"needs_review"}"#).await;
    assert_eq!(completed.status, 200);
    let mut browser = Browser::signed_in(&server, Role::Reviewer).await;
    let case = format!("/admin/review/{id}");
    let page = browser.get(&case).await.body;
    let ticked: Vec<&str> = page
        .split("<input type=\"checkbox\"")
        .skip(1)
        .filter(|tag| tag.split_once('>').is_some_and(|(input, _)| input.contains("checked")))
        .map(|tag| between(tag, "value=\"", &['"']))
        .collect();
    assert!(!ticked.is_empty(), "the system's reasons are ticked");
    let unreasoned = browser.post(&case, "decision=reject&note=Not+her.").await;
    assert!(unreasoned.status == 422 && unreasoned.body.contains("Choose at least one reason"));
    assert!(
        unreasoned.body.contains("Not her.") && !unreasoned.body.contains(" checked"),
        "as it was sent"
    );
    let reasons: String = ticked.iter().map(|reason| format!("&reason={reason}")).collect();
    let rejected = browser.post(&case, &format!("decision=reject{reasons}")).await;
    assert_eq!(rejected.header("location"), Some("/admin/review"));
    let undo = format!("{case}/undo");
    assert!(browser.get("/admin").await.body.contains(&format!("action=\"{undo}\"")));
    assert_eq!(browser.post(&undo, "").await.header("location"), Some(&*case));
    assert!(!browser.get("/admin").await.body.contains(&undo));
    let late = browser.post(&undo, "").await;
    assert!(late.status == 422 && late.body.contains("can no longer be undone"));
    assert_eq!(
        browser.post(&case, &format!("decision=reject{reasons}")).await.status,
        303
    );
    server.clock.advance(Millis::seconds(10));
    assert!(!browser.get("/admin").await.body.contains(&undo), "its time is over");
}
