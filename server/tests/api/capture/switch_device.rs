//! Continuing on another device, following a link, and asking for more time.

use crate::{
    browser::Browser,
    console,
    support::{Server, between},
};
use domain::{role::Role, time::Millis};

/// The path of the link on a page.
fn link_on(page: &str) -> String {
    between(page, "value=\"https://id.example", &['"']).to_owned()
}

#[tokio::test]
async fn a_link_of_ones_own_moves_the_session_to_another_phone_when_it_is_opened_there() {
    let server = Server::new().await;
    let (mut here, mut there) = (Browser::new(&server), Browser::new(&server));
    here.agree().await;
    assert_eq!(here.get("/capture/another-device").await.status, 200);
    let first = link_on(&here.post("/capture/another-device", "").await.body);
    let made = here.post("/capture/another-device", "").await;
    let link = link_on(&made.body);
    assert!(made.body.contains("<svg"), "with its code");
    assert_eq!(there.post(&first, "").await.status, 404, "a newer link replaced it");
    assert_eq!(
        here.get("/capture/document-type").await.status,
        200,
        "nothing has moved yet"
    );

    let page = there.get(&link).await.body;
    for said in [
        "<h1>Continue verifying your identity</h1>",
        "Step 2 of 5 · Document",
        "so far is saved",
        "tap “Continue”",
        ">Continue<",
    ] {
        assert!(page.contains(said), "{said}: {page}");
    }
    assert!(
        !page.contains("Verify your identity") && !page.contains("Start"),
        "{page}"
    );
    assert_eq!(there.post(&link, "").await.header("location"), Some("/capture"));
    assert_eq!(
        there.get("/capture").await.header("location"),
        Some("/capture/document-type"),
        "consent was given already"
    );
    assert_eq!(here.get("/capture/document-type").await.status, 401);
    assert_eq!(Browser::new(&server).post(&link, "").await.status, 404, "once");
}

#[tokio::test]
async fn the_page_of_the_session_does_not_say_that_a_reviewer_reissued_the_link() {
    let server = Server::new().await;
    let mut here = Browser::new(&server);
    let created = here.agree().await;
    server.clock.advance(Millis::seconds(1));
    assert!(link_on(&here.post("/capture/another-device", "").await.body).starts_with("/v/"));
    let mut reviewer = console::Browser::signed_in(&server, Role::Reviewer).await;
    let session = format!("/admin/sessions/{}", created["id"].as_str().unwrap());
    let page = reviewer.get(&session).await.body;
    assert!(page.contains("New link issued"), "{page}");
    assert!(!page.contains("Link reissued"), "{page}");
}

#[tokio::test]
async fn a_link_of_a_session_to_which_nobody_has_agreed_yet_begins_it() {
    let server = Server::new().await;
    let mut here = Browser::new(&server);
    let created = server.create("{}").await;
    let path = created["verificationUrl"]
        .as_str()
        .unwrap()
        .strip_prefix("https://id.example");
    assert_eq!(here.open(path.unwrap()).await.header("location"), Some("/capture"));
    let link = link_on(&here.post("/capture/another-device", "").await.body);
    let page = Browser::new(&server).get(&link).await.body;
    assert!(
        page.contains("<h1>Verify your identity</h1>") && !page.contains("so far is saved"),
        "{page}"
    );
}

#[tokio::test]
async fn a_link_of_ones_own_lasts_a_quarter_of_an_hour_and_is_the_applicants_alone() {
    let server = Server::new().await;
    let mut here = Browser::new(&server);
    assert_eq!(here.post("/capture/another-device", "").await.status, 401);
    here.agree().await;
    let link = link_on(&here.post("/capture/another-device", "").await.body);
    server.clock.advance(Millis(Millis::minutes(15).0 - 1));
    assert_eq!(Browser::new(&server).get(&link).await.status, 200);
    server.clock.advance(Millis(1));
    assert_eq!(Browser::new(&server).get(&link).await.status, 404);
    assert_eq!(here.get("/capture/document-type").await.status, 200);
}

/// Detects if a stranger could distinguish a used link from one that never existed.
#[tokio::test]
async fn whoever_follows_a_link_learns_only_that_it_does_not_open_any_more() {
    let server = Server::new().await;
    let mut browser = Browser::new(&server);
    let created = server.create("{}").await;
    let url = created["verificationUrl"].as_str().unwrap();
    let path = url.strip_prefix("https://id.example").unwrap();
    assert_eq!(browser.open(path).await.status, 303);
    let unknown = format!("/v/{}", "A".repeat(path.len() - 3));
    let mut stranger = Browser::new(&server);
    for path in [path, unknown.as_str(), "/v/x"] {
        let told = stranger.get(&format!("{path}/opened")).await;
        assert_eq!((told.status, told.body.as_str()), (200, r#"{"open":false}"#), "{path}");
    }
}

#[tokio::test]
async fn asking_for_more_time_puts_the_end_off_until_four_hours_are_over() {
    let server = Server::new().await;
    let mut browser = Browser::new(&server);
    browser.agree().await;
    let json = [("sec-fetch-site", "same-origin"), ("accept", "application/json")];
    for asked in 1..=8 {
        server.clock.advance(Millis::minutes(29));
        let left = browser.send("POST", "/capture/more-time", &json, b"").await.json();
        let renewable = asked < 8;
        let seconds = if renewable { 29 * 60 } else { 8 * 60 };
        assert_eq!(
            left,
            serde_json::json!({ "seconds": seconds, "renewable": renewable }),
            "after {asked}"
        );
    }
    let page = browser.get("/capture/document-type").await;
    assert!(page.body.contains("data-closing=\"480\"") && page.body.contains("data-renewable=\"false\""));
    server.clock.advance(Millis::minutes(8));
    let over = browser.send("POST", "/capture/more-time", &json, b"").await;
    assert_eq!(over.status, 401);
}

#[tokio::test]
async fn without_scripts_more_time_leads_back_to_the_step() {
    let server = Server::new().await;
    let mut browser = Browser::new(&server);
    browser.agree().await;
    let answer = browser.post("/capture/more-time", "").await;
    assert_eq!((answer.status, answer.header("location")), (303, Some("/capture")));
}

#[tokio::test]
async fn only_capture_pages_may_use_the_camera() {
    let server = Server::new().await;
    for (path, camera) in [
        ("/capture/consent", "camera=(self)"),
        ("/v/x", "camera=(self)"),
        ("/admin/sign-in", "camera=()"),
        ("/docs", "camera=()"),
        ("/nowhere", "camera=()"),
    ] {
        let answer = server.send("GET", path, &[], "").await;
        let policy = answer.header("permissions-policy").unwrap();
        assert!(policy.starts_with(camera), "{path}: {policy}");
    }
}
