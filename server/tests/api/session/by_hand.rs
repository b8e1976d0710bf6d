//! Sessions created in the console.

use crate::{
    browser,
    console::Browser,
    support::{Server, between, settings},
};
use domain::{role::Role, tenant::TenantSettings, time::Millis};

#[tokio::test]
async fn a_session_made_by_hand_shows_its_link_once_and_can_get_another() {
    let server = Server::new().await;
    let mut browser = Browser::signed_in(&server, Role::Reviewer).await;
    let bad = browser.post("/admin/sessions/new", "metadata=%7Bnot+json").await;
    assert!(bad.status == 422 && bad.body.contains("not valid JSON"));
    let made = browser
        .post(
            "/admin/sessions/new",
            "metadata=%7B%22order%22%3A%22A-17%22%7D&lastName=Tanaka",
        )
        .await;
    assert!(made.status == 200 && made.body.contains("https://id.example/v/") && made.body.contains("<svg"));
    let found = browser.get("/admin/sessions?metadata=a-17").await;
    let id = between(&found.body, "/admin/sessions/vs_", &['"']).to_owned();
    let page = browser.get(&format!("/admin/sessions/vs_{id}")).await;
    assert!(page.body.contains("Tanaka") && !page.body.contains("/v/"));
    let again = browser.post(&format!("/admin/sessions/vs_{id}/link"), "").await;
    assert!(again.body.contains("https://id.example/v/"));
    let mut developer = Browser::signed_in(&server, Role::Developer).await;
    let seen = developer.get(&format!("/admin/sessions/vs_{id}")).await;
    assert!(
        seen.status == 200 && !seen.body.contains("Tanaka"),
        "no personal data for developers"
    );
}

/// The path of the link that a page shows.
fn link_of(page: &str) -> &str {
    between(page, "https://id.example", &['<', '"'])
}

#[tokio::test]
async fn reloading_the_page_that_shows_a_link_makes_no_other_one() {
    const NEW: &str = "/admin/sessions/new";
    let server = Server::new().await;
    let mut browser = Browser::signed_in(&server, Role::Reviewer).await;
    let drafted = |page: &str| between(page, "name=\"form\" value=\"", &['"']).to_owned();
    let draft = drafted(&browser.get(NEW).await.body);
    let form = format!("form={draft}&lastName=Tanaka");
    let mistaken = browser.post(NEW, &format!("{form}&metadata=%5B1%5D")).await;
    assert_eq!((mistaken.status, drafted(&mistaken.body)), (422, draft));
    let made = browser.post(NEW, &form).await;
    assert_eq!(made.status, 200);
    let session = format!(
        "/admin/sessions/vs_{}",
        between(&made.body, "/admin/sessions/vs_", &['"'])
    );
    let again = browser.post(NEW, &form).await;
    assert_eq!((again.status, again.header("location")), (303, Some(&*session)));
    let page = browser.get(&session).await.body;
    assert!(page.contains("cannot be shown again"), "{page}");
    let all = server.call("GET", "/v1/verification-sessions", "").await.json();
    assert_eq!(all["sessions"].as_array().map(Vec::len), Some(1), "{all}");
    assert_eq!(server.send("GET", link_of(&made.body), &[], "").await.status, 200);

    let reissue = format!("{session}/link");
    let form = format!("links={}", between(&page, "name=\"links\" value=\"", &['"']));
    let reissued = browser.post(&reissue, &form).await;
    assert_eq!(server.send("GET", link_of(&made.body), &[], "").await.status, 404);
    let again = browser.post(&reissue, &form).await;
    assert_eq!((again.status, again.header("location")), (303, Some(&*session)));
    let page = browser.get(&session).await.body;
    assert!(page.contains("cannot be shown again"), "{page}");
    assert_eq!(server.send("GET", link_of(&reissued.body), &[], "").await.status, 200);
}

/// Detects if only the last link is looked at, which is not the one that was opened where the user made one for another device.
#[tokio::test]
async fn a_link_is_reissued_after_a_second_look_where_the_user_is_in_the_middle_of_it() {
    let server = Server::without_worker().await;
    let mut reviewer = Browser::signed_in(&server, Role::Reviewer).await;
    let mut user = browser::Browser::new(&server);
    let created = user.agree().await;
    server.clock.advance(Millis::seconds(1));
    let own = user.post("/capture/another-device", "").await;
    assert!(own.body.contains("https://id.example/v/"), "{}", own.body);
    let page = format!("/admin/sessions/{}", created["id"].as_str().unwrap());
    let (reissue, shown) = (format!("{page}/link"), reviewer.get(&page).await.body);
    let form = format!("links={}", between(&shown, "name=\"links\" value=\"", &['"']));
    let asked = reviewer.post(&reissue, &form).await;
    assert_eq!(asked.status, 200, "{}", asked.body);
    assert!(asked.body.contains("Reissue the link?"), "{}", asked.body);
    assert!(asked.body.contains(r#"name="links" value="2""#), "{}", asked.body);
    assert!(!asked.body.contains("id.example/v/"), "{}", asked.body);
    let kept = reviewer.post(&reissue, &format!("{form}&confirmed=no")).await;
    assert_eq!(kept.header("location"), Some(page.as_str()));
    assert_eq!(
        user.get("/capture/document-type").await.status,
        200,
        "nothing has happened"
    );
    let reissued = reviewer.post(&reissue, &format!("{form}&confirmed=yes")).await;
    assert!(reissued.body.contains("https://id.example/v/"), "{}", reissued.body);
    assert_eq!(user.get("/capture/document-type").await.status, 401);
    let again = reviewer.post(&reissue, "links=3").await;
    assert!(again.body.contains("https://id.example/v/"), "{}", again.body);
}

#[tokio::test]
async fn a_link_is_reissued_at_once_where_no_browser_can_go_on() {
    let server = Server::without_worker().await;
    let mut user = browser::Browser::new(&server);
    let created = user.agree().await;
    server.clock.advance(Millis::minutes(31));
    assert_eq!(
        user.get("/capture/document-type").await.status,
        401,
        "idle for too long"
    );
    let mut reviewer = Browser::signed_in(&server, Role::Reviewer).await;
    let reissue = format!("/admin/sessions/{}/link", created["id"].as_str().unwrap());
    let reissued = reviewer.post(&reissue, "links=1").await;
    assert!(reissued.body.contains("https://id.example/v/"), "{}", reissued.body);
}

#[tokio::test]
async fn a_session_whose_events_are_gone_is_not_said_to_have_failed_when_it_was_created() {
    let server = Server::without_worker().await;
    let mut reviewer = Browser::signed_in(&server, Role::Reviewer).await;
    let id = server.create("{}").await["id"].as_str().unwrap().to_owned();
    let cancel = format!("/v1/verification-sessions/{id}/cancel");
    assert_eq!(server.call("POST", &cancel, "").await.status, 200);
    let page = format!("/admin/sessions/{id}");
    let failed = "<span>Failed</span>";
    let shown = reviewer.get(&page).await.body;
    assert!(shown.contains(failed), "{shown}");
    for removal in ["DELETE FROM unsent_events", "DELETE FROM events"] {
        server.run(removal).await;
    }
    let shown = reviewer.get(&page).await.body;
    assert!(!shown.contains(failed), "{shown}");
}

#[tokio::test]
async fn a_session_made_by_hand_has_every_field_of_the_api() {
    let server = Server::new().await;
    let mut browser = Browser::signed_in(&server, Role::Reviewer).await;
    let form = browser.get("/admin/sessions/new").await.body;
    assert!(form.contains(r#"<option value="https://shop.example/done">"#), "{form}");
    let made = browser
        .post(
            "/admin/sessions/new",
            "lastName=Tanaka&firstName=Hana&birthDate=1990-02-03&gender=female&address=1+Sample+Town\
             &callbackUrl=https%3A%2F%2Fshop.example%2Fdone&state=a+b&metadata=%7B%22big%22%3A1e400%7D",
        )
        .await;
    assert_eq!(made.status, 200, "{}", made.body);
    let id = between(&made.body, "/admin/sessions/vs_", &['"']).to_owned();
    let path = format!("/v1/verification-sessions/vs_{id}");
    let read = server.call("GET", &path, "").await;
    assert!(read.body.contains(r#""metadata":{"big":1e400}"#), "{}", read.body);
    assert!(
        read.body.contains(
            r#""preRegisteredInfo":{"birthDate":"1990-02-03","lastName":"Tanaka","firstName":"Hana","address":"1 Sample Town","gender":"female"}"#
        ),
        "{}",
        read.body
    );
    let page = browser.get(&format!("/admin/sessions/vs_{id}")).await.body;
    assert!(page.contains("https://shop.example/done"));
}

#[tokio::test]
async fn what_the_api_refuses_is_said_beside_the_field_with_what_was_typed() {
    let server = Server::new().await;
    let mut browser = Browser::signed_in(&server, Role::Reviewer).await;
    for (typed, sentence) in [
        (
            "callbackUrl=https%3A%2F%2Fother.example%2F",
            "This callback URL is not on the allow-list.",
        ),
        (
            "callbackUrl=http%3A%2F%2Fshop.example%2Fdone",
            "Callback URL must begin with https://.",
        ),
        ("birthDate=yesterday", "Date of birth must have the form YYYY-MM-DD."),
        ("birthDate=2062-08-04", "Date of birth must not be in the future."),
        ("gender=other", "Gender must be male or female."),
        ("metadata=%5B1%5D", "Metadata must be an object."),
    ] {
        let refused = browser
            .post("/admin/sessions/new", &format!("{typed}&address=1+Sample+Town"))
            .await;
        assert_eq!(refused.status, 422, "{typed}");
        assert!(refused.body.contains(sentence), "{sentence}: {}", refused.body);
        assert!(refused.body.contains("value=\"1 Sample Town\""), "{typed}");
    }
}

#[tokio::test]
async fn a_date_of_birth_in_the_future_is_refused_in_the_console_and_taken_by_the_api() {
    const NEW: &str = "/admin/sessions/new";
    let server = Server::new().await;
    let mut browser = Browser::signed_in(&server, Role::Reviewer).await;
    // It is 2 August in UTC: the 3rd has begun in the east, and the 4th nowhere.
    let refused = browser.post(NEW, "birthDate=2026-08-04").await;
    assert_eq!(refused.status, 422, "{}", refused.body);
    let sentence = "Date of birth must not be in the future.";
    assert!(refused.body.contains(sentence), "{}", refused.body);
    let refused = browser.post(NEW, "birthDate=2026-08-04&metadata=%5B1%5D").await;
    assert!(refused.body.contains(sentence) && refused.body.contains("Metadata must be an object."));
    assert_eq!(browser.post(NEW, "birthDate=2026-08-03").await.status, 200);
    server
        .create(r#"{"preRegisteredInfo":{"birthDate":"2026-08-04"}}"#)
        .await;
}

#[tokio::test]
async fn whoever_cannot_create_a_session_for_want_of_steps_is_told_what_they_can_do() {
    let server = Server::new().await;
    let without_steps = TenantSettings {
        steps: Vec::new(),
        ..settings()
    };
    server.save_settings(Some(without_steps)).await;
    let link = "href=\"/admin/settings/steps\"";
    for (role, may_open) in [(Role::Admin, true), (Role::Reviewer, false)] {
        let mut browser = Browser::signed_in(&server, role).await;
        assert_eq!(browser.get("/admin/settings/steps").await.status == 200, may_open);
        let page = browser.get("/admin/sessions/new").await.body;
        assert!(page.contains("No verification step is enabled"), "{page}");
        assert_eq!(page.contains(link), may_open, "{page}");
        assert_eq!(page.contains("Ask an admin of your organisation."), !may_open, "{page}");
    }
}
