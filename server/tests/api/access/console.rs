//! The console's authentication: who may open its pages, whose forms it takes, and how long a sign-in lasts.

use crate::{
    console::{Browser, pages_that_require_sign_in},
    support::{SESSIONS, Server, between},
};
use axum::{
    body::{Body, to_bytes},
    extract::Request,
};
use domain::{role::Role, time::Millis};
use tower::ServiceExt as _;

#[tokio::test]
async fn a_page_without_the_middleware_in_front_of_it_shows_nothing() {
    for (pages, path) in [
        (app::routes::signed_in(), "/admin/people"),
        (app::routes::guests(), "/admin/sign-in"),
        (app::routes::capture(), "/capture/details"),
    ] {
        let request = Request::get(path).body(Body::empty()).unwrap();
        let answer = pages.oneshot(request).await.unwrap();
        assert_eq!(answer.status(), 500, "{path}");
        assert!(to_bytes(answer.into_body(), 1).await.unwrap().is_empty(), "{path}");
    }
}

#[tokio::test]
async fn nobody_sees_a_page_without_signing_in() {
    let server = Server::new().await;
    for (method, path, _) in pages_that_require_sign_in() {
        let answer = Browser::new(&server).send(method, &path, "").await;
        let to = answer.header("location").unwrap_or_default();
        assert_eq!(answer.status, 303, "{method} {path}");
        assert!(to.starts_with("/admin/sign-in"), "{method} {path} goes to {to}");
        assert_eq!(answer.body, "", "{method} {path}");
    }
    let mut guessing = Browser::new(&server);
    guessing.cookie = Some("AAAAAAAAAAAAAAAAAAAAAA".into());
    assert_eq!(guessing.get("/admin/sessions").await.status, 303);
}

#[tokio::test]
async fn each_role_meets_403_where_it_may_not_go_and_nowhere_else() {
    let server = Server::new().await;
    for &role in Role::ALL {
        let mut browser = Browser::signed_in(&server, role).await;
        for (method, path, who) in pages_that_require_sign_in() {
            let answer = browser.send(method, &path, "").await;
            assert_eq!(
                answer.status == 403,
                !who.contains(&role),
                "{role:?} {method} {path}: {}",
                answer.status
            );
            assert!(answer.status < 500, "{role:?} {method} {path}: {}", answer.status);
        }
    }
}

#[tokio::test]
async fn a_form_from_another_site_is_refused_signing_in_included() {
    let server = Server::new().await;
    let mut browser = Browser::signed_in(&server, Role::Admin).await;
    browser.site = "cross-site";
    for (method, path, _) in pages_that_require_sign_in() {
        let answer = browser.send(method, &path, "").await;
        assert_eq!(
            answer.status == 403,
            method == "POST",
            "{method} {path}: {}",
            answer.status
        );
    }
    for path in [
        "/admin/sign-in",
        "/admin/sign-out",
        "/admin/sign-out-everywhere",
        "/admin/confirm",
    ] {
        assert_eq!(browser.post(path, "").await.status, 403, "{path}");
    }
    browser.site = "same-origin";
    assert_eq!(browser.get("/admin").await.status, 200, "still signed in");
}

#[tokio::test]
async fn signing_in_changes_the_cookie_and_signing_out_ends_it() {
    let server = Server::new().await;
    let mut browser = Browser::signed_in(&server, Role::Reviewer).await;
    let first = browser.cookie.clone().unwrap();
    browser.sign_in("reviewer@shop.example").await;
    let second = browser.cookie.clone().unwrap();
    assert_ne!(first, second);
    browser.cookie = Some(first);
    assert_eq!(browser.get("/admin").await.status, 303, "the old value is invalid");
    browser.cookie = Some(second.clone());
    assert_eq!(
        browser.post("/admin/sign-out", "").await.header("location"),
        Some("/admin/sign-in")
    );
    browser.cookie = Some(second);
    assert_eq!(browser.get("/admin").await.status, 303);
}

#[tokio::test]
async fn a_session_ends_idle_after_half_an_hour_and_in_any_case_after_twelve_hours() {
    let server = Server::new().await;
    let mut browser = Browser::signed_in(&server, Role::Reviewer).await;
    for _ in 0..24 {
        server.clock.advance(Millis::minutes(29));
        assert_eq!(browser.get("/admin").await.status, 200);
    }
    server.clock.advance(Millis::minutes(24));
    assert_eq!(browser.get("/admin").await.status, 303, "twelve hours are over");
    let again = browser.sign_in("reviewer@shop.example").await;
    assert_eq!(again.status, 303);
    server.clock.advance(Millis::minutes(30));
    assert_eq!(browser.get("/admin").await.status, 303, "idle for half an hour");
}

#[tokio::test]
async fn a_key_asks_for_the_password_again_after_ten_minutes_and_is_shown_once() {
    let server = Server::new().await;
    let mut browser = Browser::signed_in(&server, Role::Developer).await;
    server.clock.advance(Millis::minutes(10));
    let asked = browser.post("/admin/keys", "name=Till&scope=create").await;
    assert_eq!(asked.header("location"), Some("/admin/confirm?next=%2Fadmin%2Fkeys"));
    let form = "next=%2Fadmin%2Fkeys&password=correct+horse+battery";
    assert_eq!(
        browser.post("/admin/confirm", form).await.header("location"),
        Some("/admin/keys")
    );
    let issued = browser.post("/admin/keys", "name=Till&scope=create").await;
    assert!(issued.status == 201 && issued.body.contains("hn_live_"));
    let key = between(&issued.body, "<code>", &['<']).to_owned();
    let bearer = format!("Bearer {key}");
    let made = server.send("POST", SESSIONS, &[("authorization", &bearer)], "").await;
    assert_eq!(made.status, 201);
    assert!(!browser.get("/admin/keys").await.body.contains(&key));
}
