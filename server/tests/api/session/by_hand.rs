//! Sessions created in the console.

use crate::{
    console::Browser,
    support::{Server, between},
};
use domain::role::Role;

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
