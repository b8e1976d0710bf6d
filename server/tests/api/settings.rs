//! A tenant's settings in the console.

use crate::{
    console::Browser,
    support::{Server, between},
};
use domain::{role::Role, time::Millis};

#[tokio::test]
async fn settings_are_saved_by_section_and_mistakes_come_back_with_what_was_typed() {
    let server = Server::new().await;
    let mut browser = Browser::signed_in(&server, Role::Admin).await;
    let page = browser.get("/admin/settings").await;
    let version = between(&page.body, "name=\"version\" value=\"", &['"']).to_owned();
    let wrong = browser
        .post(
            "/admin/settings/addresses",
            &format!("version={version}&ip_allow_list=300.1.2.3"),
        )
        .await;
    assert!(wrong.status == 422 && wrong.body.contains("300.1.2.3 is not an IP address"));
    let saved = browser
        .post(
            "/admin/settings/steps",
            &format!("version={version}&step=selfie&tries=3&flashes=yes&confirmed=yes"),
        )
        .await;
    assert_eq!(saved.header("location"), Some("/admin/settings#steps"));
    let page = browser.get("/admin/settings").await;
    assert!(page.body.contains("Saved.") && page.body.contains("value=\"3\""));
    assert!(
        between(&page.body, "name=\"flashes\"", &['>']).contains("checked"),
        "the colours of the screen are asked for"
    );
    assert!(
        !browser.get("/admin/settings").await.body.contains("Saved."),
        "shown once"
    );
    let stale = browser
        .post(
            "/admin/settings/steps",
            &format!("version={version}&step=document&tries=5"),
        )
        .await;
    assert!(stale.status == 422 && stale.body.contains("Somebody else has changed"));
    let version = between(
        &browser.get("/admin/settings").await.body,
        "name=\"version\" value=\"",
        &['"'],
    )
    .to_owned();
    let decision = |from: &str| {
        format!(
            "version={version}&match_accept=0.83&match_review=0.5&liveness_accept=0.6&liveness_review=0.2&accepted=visual\
             &find_duplicates=yes&duplicate_from={from}&sampled=0.05"
        )
    };
    let loose = browser.post("/admin/settings/decision", &decision("0.6")).await;
    assert!(
        loose.status == 422 && loose.body.contains("value=\"0.6\""),
        "one face is compared with all"
    );
    let asked = browser.post("/admin/settings/decision", &decision("0.995")).await;
    assert!(
        asked.status == 200 && asked.body.contains("Nothing is saved yet"),
        "{}",
        asked.body
    );
    assert!(
        asked.body.contains("by its appearance") && !asked.body.contains("name=\"password\""),
        "just signed in"
    );
    assert!(browser.get("/admin/settings").await.body.contains("value=\"0.99\""));
    server.clock.advance(Millis::minutes(5));
    let asked = browser.post("/admin/settings/decision", &decision("0.995")).await;
    assert!(asked.body.contains("name=\"password\"") && asked.body.contains("name=\"confirmed\""));
    let confirmed = |password: &str| format!("{}&confirmed=yes&password={password}", decision("0.995"));
    let refused = browser.post("/admin/settings/decision", &confirmed("not+it")).await;
    assert!(refused.status == 422 && refused.body.contains("The password is incorrect"));
    assert!(refused.body.contains("value=\"0.995\"") && !refused.body.contains("not it"));
    let saved = browser
        .post("/admin/settings/decision", &confirmed("correct+horse+battery"))
        .await;
    assert_eq!(saved.header("location"), Some("/admin/settings#decision"));
    let page = browser.get("/admin/settings").await.body;
    let ticked = between(&page, "name=\"find_duplicates\"", &['>']);
    assert!(ticked.contains("checked") && page.contains("value=\"0.995\"") && page.contains("value=\"0.05\""));
    let tested = browser
        .get("/admin/settings?test=https%3A%2F%2Fshop.example%2Fdone")
        .await;
    assert!(tested.body.contains("Allowed."));
}
