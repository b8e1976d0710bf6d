//! Deciding cases in the console.

use crate::{console::Browser, support::Server};
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
            row.outcome = Some(outcome(row));
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
fn outcome(row: &store::session::sessions::SessionRow) -> Outcome {
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
