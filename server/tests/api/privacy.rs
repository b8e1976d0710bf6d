//! Erasing a session in the console.

use crate::{
    console::Browser,
    review::waiting_outcome,
    support::{SESSIONS, Server},
};
use domain::{
    ids::SessionId,
    role::Role,
    session::{FailureReason, Status},
};
use service::jobs::worker::{Lane, Worker};
use store::{StoreError, session::sessions};

async fn work(server: &Server) {
    let worker = Worker::new(server.app.honnin.clone(), Lane::Housekeeping, 1);
    worker.run_until_idle().await.unwrap();
}

const CANARY: &str = r#"{"preRegisteredInfo":{"lastName":"Qwertzuiop"}}"#;

#[tokio::test]
async fn an_admin_erases_a_session_by_a_word_and_a_password_and_it_ends_by_that() {
    let server = Server::without_worker().await;
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
    let server = Server::without_worker().await;
    let mut admin = Browser::signed_in(&server, Role::Admin).await;
    for status in [Status::Reviewing, Status::Deciding] {
        let id = server.create(CANARY).await["id"].as_str().unwrap().to_owned();
        server
            .change(&id, move |row| {
                row.session.status = status;
                row.outcome = (status == Status::Reviewing).then(|| waiting_outcome(row));
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
