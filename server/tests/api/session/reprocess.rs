//! `POST /v1/verification-sessions/{id}/reprocess`.

use crate::support::{SESSIONS, START, Server};
use domain::{session::Status, time::Millis};
use insta::assert_snapshot;

#[tokio::test]
async fn completed_failed_and_reviewing_sessions_go_back_to_collecting() {
    let server = Server::new().await;
    for status in [Status::Completed, Status::Failed, Status::Reviewing] {
        let id = server.create(r#"{"metadata": {"n": 1.0}}"#).await["id"]
            .as_str()
            .unwrap()
            .to_owned();
        server.change(&id, move |row| row.session.status = status).await;
        let answer = server.call("POST", &format!("{SESSIONS}/{id}/reprocess"), "").await;
        insta::allow_duplicates! {
            assert_snapshot!(answer.shown(), @r#"
            200
            content-type: application/json
            cache-control: no-store
            {"id":"vs_…","status":"collecting","plan":{"steps":["document","selfie"]},"expiresAt":"2026-08-09T09:30:00.000Z","createdAt":"2026-08-02T09:30:00.000Z","metadata":{"n":1.0}}
            "#);
        }
        assert_eq!(
            server.call("GET", &format!("{SESSIONS}/{id}"), "").await.json()["status"],
            "collecting"
        );
    }
}

#[tokio::test]
async fn the_deadline_is_counted_anew() {
    let server = Server::new().await;
    let id = server.create("{}").await["id"].as_str().unwrap().to_owned();
    server.change(&id, |row| row.session.status = Status::Completed).await;
    server.clock.advance(Millis::days(3));
    let answer = server
        .call("POST", &format!("{SESSIONS}/{id}/reprocess"), "")
        .await
        .json();
    assert_eq!(answer["expiresAt"], START.plus(Millis::days(10)).to_iso());
    assert_eq!(answer["createdAt"], START.to_iso());
    assert!(answer.get("verificationUrl").is_none());
}

#[tokio::test]
async fn any_other_status_and_erased_sessions_are_refused() {
    let server = Server::with("[worker]\nembedded = false\n").await;
    let id = server.create("{}").await["id"].as_str().unwrap().to_owned();
    let path = format!("{SESSIONS}/{id}/reprocess");
    assert_snapshot!(server.call("POST", &path, "").await.shown(), @r#"
    409
    content-type: application/json
    cache-control: no-store
    {"_tag":"ReprocessNotAllowed","id":"vs_…"}
    "#);
    for status in [Status::Created, Status::Collecting, Status::Deciding, Status::Expired] {
        server.change(&id, move |row| row.session.status = status).await;
        assert_eq!(server.call("POST", &path, "").await.status, 409, "{status}");
    }
    server
        .change(&id, |row| {
            row.session.status = Status::Completed;
            row.session.purged_at = Some(START);
        })
        .await;
    assert_eq!(server.call("POST", &path, "").await.status, 409);
    assert_eq!(
        server.call("GET", &format!("{SESSIONS}/{id}"), "").await.status,
        200,
        "erased is not unknown"
    );
}

#[tokio::test]
async fn a_session_past_its_deadline_is_refused_before_the_job_has_written_it() {
    let server = Server::with("[worker]\nembedded = false\n").await;
    let id = server.create("{}").await["id"].as_str().unwrap().to_owned();
    server.clock.advance(Millis::days(7));
    assert_eq!(
        server
            .call("POST", &format!("{SESSIONS}/{id}/reprocess"), "")
            .await
            .status,
        409
    );
}

#[tokio::test]
async fn an_id_that_is_not_there_is_404() {
    let server = Server::new().await;
    let answer = server.call("POST", &format!("{SESSIONS}/nonsense/reprocess"), "").await;
    assert_snapshot!(answer.shown(), @r#"
    404
    content-type: application/json
    cache-control: no-store
    {"_tag":"SessionNotFound","id":"nonsense"}
    "#);
}
