//! Rate limit and `Idempotency-Key`.

use crate::{
    console::Browser,
    support::{SESSIONS, Server, add_tenant, settings},
};
use domain::{role::Role, time::Millis};
use insta::assert_snapshot;

#[tokio::test]
async fn creation_is_limited_and_the_bucket_fills_again() {
    let server = Server::new().await;
    for _ in 0..60 {
        server.create("{}").await;
    }
    assert_snapshot!(server.call("POST", SESSIONS, "{}").await.shown(), @r#"
    429
    content-type: application/json
    cache-control: no-store
    {"_tag":"RateLimited","message":"The session-creation limit is reached. Retry later."}
    "#);
    server.clock.advance(Millis(199));
    assert_eq!(server.call("POST", SESSIONS, "{}").await.status, 429);
    server.clock.advance(Millis(1));
    server.create("{}").await;
    assert_eq!(server.call("POST", SESSIONS, "{}").await.status, 429);
    let other = add_tenant(&server.app, settings()).await;
    let bearer = format!("Bearer {}", other.key.expose());
    assert_eq!(
        server
            .send("POST", SESSIONS, &[("authorization", &bearer)], "")
            .await
            .status,
        201
    );
    assert_eq!(
        server.call("GET", &format!("{SESSIONS}/x"), "").await.status,
        404,
        "only creation is limited"
    );
}

#[tokio::test]
async fn many_at_once_get_no_more_than_the_bucket_holds() {
    let server = Server::with("[limits]\ncreations_per_minute = 1\ncreation_burst = 5\n").await;
    let answers = futures::future::join_all((0..16).map(|_| server.call("POST", SESSIONS, "{}"))).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 5);
    assert_eq!(answers.iter().filter(|answer| answer.status == 429).count(), 11);
}

#[tokio::test]
async fn the_same_key_and_body_give_the_same_answer() {
    let server = Server::new().await;
    let key = [("idempotency-key", "order-4711")];
    let first = server.call_with("POST", SESSIONS, &key, r#"{"state":"a"}"#).await;
    assert_eq!(first.status, 201);
    server.clock.advance(Millis(Millis::hours(24).0 - 1));
    let again = server.call_with("POST", SESSIONS, &key, r#"{"state":"a"}"#).await;
    assert_eq!((again.status, &again.body), (201, &first.body));
    let other = server.call_with("POST", SESSIONS, &key, r#"{"state":"b"}"#).await;
    assert_snapshot!(other.shown(), @r#"
    409
    content-type: application/json
    cache-control: no-store
    {"_tag":"IdempotencyConflict","message":"This Idempotency-Key was used with another body, or its session has been erased. Use a new key."}
    "#);
    let stranger = add_tenant(&server.app, settings()).await;
    let bearer = format!("Bearer {}", stranger.key.expose());
    let headers = [("authorization", bearer.as_str()), key[0]];
    let theirs = server.send("POST", SESSIONS, &headers, r#"{"state":"a"}"#).await;
    assert!(
        theirs.status == 201 && theirs.body != first.body,
        "keys are separate for each tenant"
    );
    server.clock.advance(Millis(1));
    let next_day = server.call_with("POST", SESSIONS, &key, r#"{"state":"a"}"#).await;
    assert!(next_day.status == 201 && next_day.body != first.body);
}

#[tokio::test]
async fn a_creation_is_repeated_although_the_limit_is_reached_and_a_new_one_is_refused() {
    let server = Server::with("[limits]\ncreations_per_minute = 1\ncreation_burst = 1\n").await;
    let key = [("idempotency-key", "order-4711")];
    let first = server.call_with("POST", SESSIONS, &key, "{}").await;
    assert_eq!(first.status, 201);
    for _ in 0..3 {
        let again = server.call_with("POST", SESSIONS, &key, "{}").await;
        assert_eq!((again.status, &again.body), (201, &first.body));
    }
    let other = server.call_with("POST", SESSIONS, &key, r#"{"state":"b"}"#).await;
    assert_eq!(other.status, 409, "known, and no creation");
    let (new, none) = ([("idempotency-key", "order-4712")], [("idempotency-key", "a b")]);
    for keys in [&new[..], &none, &[]] {
        let refused = server.call_with("POST", SESSIONS, keys, "{}").await;
        assert_eq!(refused.status, 429, "{keys:?}");
    }
    let stranger = add_tenant(&server.app, settings()).await;
    let bearer = format!("Bearer {}", stranger.key.expose());
    let theirs = [("authorization", bearer.as_str()), key[0]];
    assert_eq!(server.send("POST", SESSIONS, &theirs, "{}").await.status, 201);
    let created = server.send("POST", SESSIONS, &[theirs[0]], "{}").await;
    assert_eq!(created.status, 429, "each tenant has its own");
    server.clock.advance(Millis::hours(24));
    // The first response is forgotten, so the key creates again, and takes the token that there is.
    let next_day = server.call_with("POST", SESSIONS, &key, "{}").await;
    assert!(next_day.status == 201 && next_day.body != first.body);
    assert_eq!(server.call("POST", SESSIONS, "{}").await.status, 429);
}

#[tokio::test]
async fn of_many_with_the_same_key_one_creates() {
    let server = Server::new().await;
    let calls = (0..16).map(|_| server.call_with("POST", SESSIONS, &[("idempotency-key", "k")], "{}"));
    let answers = futures::future::join_all(calls).await;
    assert!(
        answers
            .iter()
            .all(|answer| answer.status == 201 && answer.body == answers[0].body)
    );
}

#[tokio::test]
async fn a_refused_creation_is_not_remembered() {
    let server = Server::new().await;
    let key = [("idempotency-key", "k")];
    assert_eq!(
        server
            .call_with("POST", SESSIONS, &key, r#"{"callbackUrl":"http://x/"}"#)
            .await
            .status,
        400
    );
    assert_eq!(server.call_with("POST", SESSIONS, &key, "{}").await.status, 201);
}

#[tokio::test]
async fn the_secret_url_is_repeated_only_while_nobody_opened_it() {
    let server = Server::new().await;
    let key = [("idempotency-key", "k")];
    let first = server.call_with("POST", SESSIONS, &key, "{}").await.json();
    let url = first["verificationUrl"].as_str().unwrap().to_owned();
    let hash = service::runtime::token::hash(url.rsplit('/').next().unwrap());
    let now = crate::support::START;
    let burn = server
        .app
        .honnin
        .db()
        .write(async move |tx| store::session::links::use_once(tx, &hash, now).await);
    assert!(burn.await.unwrap());
    let again = server.call_with("POST", SESSIONS, &key, "{}").await;
    assert_eq!(again.status, 201);
    let again = again.json();
    assert_eq!(again["id"], first["id"]);
    assert_eq!(again["verificationUrl"], "https://id.example/v/opened");
}

#[tokio::test]
async fn a_link_that_no_longer_opens_anything_is_not_repeated() {
    let server = Server::sandbox().await;
    let mut reviewer = Browser::signed_in(&server, Role::Reviewer).await;
    let ends: [(&str, &str); 5] = [
        ("cancel", ""),
        ("erase", ""),
        ("advance", r#"{"to":"deadline"}"#),
        ("complete", r#"{"outcome":"approved"}"#),
        // In the console: the new link is shown there.
        ("link", ""),
    ];
    for (operation, body) in ends {
        let key = [("idempotency-key", operation)];
        let first = server.call_with("POST", SESSIONS, &key, "{}").await.json();
        let id = first["id"].as_str().unwrap();
        let paths = [SESSIONS, "/v1/sandbox/verification-sessions"];
        let mut statuses = futures::future::join_all(paths.map(async |path| {
            server
                .call("POST", &format!("{path}/{id}/{operation}"), body)
                .await
                .status
        }))
        .await;
        if operation == "link" {
            statuses.push(reviewer.post(&format!("/admin/sessions/{id}/link"), body).await.status);
        }
        assert!(
            statuses.iter().any(|status| matches!(status, 200..=202)),
            "{operation}: {statuses:?}"
        );
        let again = server.call_with("POST", SESSIONS, &key, "{}").await;
        // Once it is erased, its key creates nothing and repeats nothing.
        if again.status == 201 {
            assert_eq!(
                again.json()["verificationUrl"],
                "https://id.example/v/opened",
                "{operation}"
            );
        } else {
            assert_eq!((again.status, operation), (409, "erase"));
        }
    }
    let key = [("idempotency-key", "expired")];
    let first = server.call_with("POST", SESSIONS, &key, "{}").await.json();
    server
        .change(first["id"].as_str().unwrap(), |row| {
            row.session.expires_at = crate::support::START
        })
        .await;
    let again = server.call_with("POST", SESSIONS, &key, "{}").await.json();
    assert_eq!(
        again["verificationUrl"], "https://id.example/v/opened",
        "past its deadline"
    );
}

#[tokio::test]
async fn a_key_that_is_none_is_a_decode_error() {
    let server = Server::new().await;
    let long = "k".repeat(256);
    for keys in [&["a b"][..], &[""], &[&long], &["a", "b"], &["ä"]] {
        let headers: Vec<_> = keys.iter().map(|key| ("idempotency-key", *key)).collect();
        let answer = server.call_with("POST", SESSIONS, &headers, "{}").await;
        assert_eq!(
            (answer.status, answer.json()["issues"][0]["path"][0].as_str()),
            (400, Some("Idempotency-Key")),
            "{keys:?}"
        );
    }
}
