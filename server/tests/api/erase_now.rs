//! Erasing now, changing one's own password, keeping a reservation.

use super::{
    console::Browser,
    support::{SESSIONS, Server},
};
use domain::{
    ids::SessionId,
    outcome::{Authenticity, Checks, DocumentCheck, Outcome, SessionRef, Source, Verdict},
    reasons::Reason,
    role::Role,
    session::{FailureReason, Status},
    time::Millis,
};
use service::jobs::worker::{Lane, Worker};
use store::{StoreError, session::sessions};

/// The test runs the background jobs itself.
async fn lone_server() -> Server {
    Server::with("[worker]\nembedded = false\n").await
}

async fn work(server: &Server) {
    let worker = Worker::new(server.app.honnin.clone(), Lane::Housekeeping, 1);
    worker.run_until_idle().await.unwrap();
}

const CANARY: &str = r#"{"preRegisteredInfo":{"lastName":"Qwertzuiop"}}"#;

#[tokio::test]
async fn an_admin_erases_a_session_by_a_word_and_a_password_and_it_ends_by_that() {
    let server = lone_server().await;
    let mut admin = Browser::signed_in(&server, Role::Admin).await;
    let id = server.create(CANARY).await["id"].as_str().unwrap().to_owned();
    let (page, form) = (format!("/admin/sessions/{id}/erase"), |word: &str, password: &str| {
        format!("word={word}&password={password}")
    });
    let asked = admin.get(&page).await;
    assert!(asked.status == 200 && asked.body.contains("will end as failed"));
    for (word, password, wrong) in [
        ("erase", "correct+horse+battery", "in capitals"),
        ("ERASE", "not+the+password", "incorrect"),
    ] {
        let refused = admin.post(&page, &form(word, password)).await;
        assert!(
            refused.status == 422 && refused.body.contains(wrong),
            "{}",
            refused.body
        );
    }
    let path = format!("{SESSIONS}/{id}");
    work(&server).await;
    assert!(server.call("GET", &path, "").await.body.contains("Qwertzuiop"));

    let done = admin.post(&page, &form("ERASE", "correct+horse+battery")).await;
    assert_eq!(
        (done.status, done.header("location")),
        (303, Some(&*format!("/admin/sessions/{id}")))
    );
    work(&server).await;
    let detail = server.call("GET", &path, "").await.json();
    assert_eq!(
        (detail["status"].as_str(), &detail["preRegisteredInfo"]),
        (Some("failed"), &serde_json::Value::Null)
    );
    assert!(detail["purgedAt"].is_string(), "{detail}");
    assert!(
        admin
            .get("/admin/audit")
            .await
            .body
            .contains("requested erasure of the personal data")
    );
}

#[tokio::test]
async fn what_waits_for_a_reviewer_can_be_erased_and_ends_as_failed() {
    let server = lone_server().await;
    let mut admin = Browser::signed_in(&server, Role::Admin).await;
    for status in [Status::Reviewing, Status::Deciding] {
        let id = server.create(CANARY).await["id"].as_str().unwrap().to_owned();
        server
            .change(&id, move |row| {
                row.session.status = status;
                row.outcome = (status == Status::Reviewing).then(|| outcome(row));
            })
            .await;
        let page = format!("/admin/sessions/{id}/erase");
        assert!(admin.get(&page).await.body.contains("has not been decided"));
        let erased = admin.post(&page, "word=ERASE&password=correct+horse+battery").await;
        assert_eq!(erased.status, 303);
        work(&server).await;
        let detail = server.call("GET", &format!("{SESSIONS}/{id}"), "").await.json();
        assert_eq!(
            (
                detail["status"].as_str(),
                detail["purgedAt"].is_null(),
                &detail["outcome"]
            ),
            (Some("failed"), false, &serde_json::Value::Null),
            "{status}"
        );
        let row = server.app.honnin.db().read(async move |tx| {
            let id = SessionId::parse(&id).unwrap();
            sessions::find_any(tx, &id).await
        });
        let row: Result<_, StoreError> = row.await;
        assert_eq!(
            row.unwrap().unwrap().failure_reason,
            Some(FailureReason::ErasedBeforeDecision)
        );
    }
}

#[tokio::test]
async fn a_new_password_ends_every_browser_but_the_one_that_chose_it() {
    let server = lone_server().await;
    let mut here = Browser::signed_in_as(&server, "rei", Role::Reviewer).await;
    let mut there = here.another("rei@shop.example").await;
    assert_eq!(there.get("/admin").await.status, 200);
    for (present, new, wrong) in [
        ("not+it", "four+words+of+another+kind", "incorrect"),
        ("correct+horse+battery", "short", "at least 15"),
    ] {
        let form = format!("present={present}&password={new}");
        let refused = here.post("/admin/account/password", &form).await;
        assert!(
            refused.status == 422 && refused.body.contains(wrong),
            "{}",
            refused.body
        );
    }
    let form = "present=correct+horse+battery&password=four+words+of+another+kind";
    let changed = here.post("/admin/account/password", form).await;
    assert_eq!(
        (changed.status, changed.header("location")),
        (303, Some("/admin/account"))
    );
    assert!(
        here.get("/admin/account")
            .await
            .body
            .contains("Your password has been changed")
    );
    assert_eq!(there.get("/admin").await.status, 303, "signed out");
    let old = "email=rei%40shop.example&password=correct+horse+battery";
    assert_eq!(there.post("/admin/sign-in", old).await.status, 422);
    let new = "email=rei%40shop.example&password=four+words+of+another+kind";
    assert_eq!(there.post("/admin/sign-in", new).await.status, 303);
}

#[tokio::test]
async fn a_case_somebody_works_at_stays_theirs() {
    let server = lone_server().await;
    let id = server.create(CANARY).await["id"].as_str().unwrap().to_owned();
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
