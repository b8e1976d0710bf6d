//! Managing webhooks in the console.

use crate::{
    console::Browser,
    support::{Server, between, settings},
};
use domain::{role::Role, tenant::TenantSettings, time::Millis};
use service::jobs::worker::{Lane, Worker};

/// A tenant whose only session has expired, with a receiver that is refused without using the network.
async fn with_failed_delivery() -> Server {
    // The test runs the background jobs itself.
    let server = Server::with("[worker]\nembedded = false\n").await;
    server
        .save_settings(Some(TenantSettings {
            webhook_url: Some("https://192.168.0.1/hooks".into()),
            ..settings()
        }))
        .await;
    server.create(r#"{"metadata": {"order": "it's A-17 <b>"}}"#).await;
    server.clock.advance(Millis::days(7));
    run(&server).await;
    server
}

/// Runs every background job that is due.
pub(crate) async fn run(server: &Server) {
    for lane in [Lane::Housekeeping, Lane::Deliver] {
        Worker::new(server.app.honnin.clone(), lane, 1)
            .run_until_idle()
            .await
            .unwrap();
    }
}

/// The id of the one event in a page.
fn event_in(body: &str) -> String {
    let id = body.split("/admin/webhooks/evt_").nth(1).unwrap();
    format!("evt_{}", &id[..32])
}

#[tokio::test]
async fn a_failed_delivery_is_listed_shown_with_its_attempts_and_sent_again() {
    let server = with_failed_delivery().await;
    let mut browser = Browser::signed_in(&server, Role::Developer).await;
    let list = browser.get("/admin/webhooks?state=pending").await;
    assert!(list.status == 200 && list.body.contains("verification.expired") && list.body.contains("Retrying"));
    assert!(
        !browser
            .get("/admin/webhooks?state=delivered")
            .await
            .body
            .contains("/admin/webhooks/evt_")
    );
    let path = format!("/admin/webhooks/{}", event_in(&list.body));
    let page = browser.get(&path).await;
    assert!(page.body.contains("The receiver URL is not acceptable."));
    assert!(page.body.contains("webhook-signature: v1,") && page.body.contains("curl -i"));
    let (_, command) = page.body.split_once("As a curl command").unwrap();
    assert!(command.contains("data-copying"), "a button copies it: {command}");
    assert!(page.body.contains("it's A-17 &lt;b&gt;"), "as text, not as markup");
    let attempt = browser.get(&format!("{path}?attempt=1")).await;
    assert!(attempt.body.contains("The request of attempt #1"));
    let again = browser.post(&format!("{path}/again"), "").await;
    assert_eq!((again.status, again.header("location")), (303, Some(path.as_str())));
    run(&server).await;
    assert!(browser.get(&path).await.body.contains("#2"));
}

#[tokio::test]
async fn a_range_is_sent_again_only_where_a_filter_says_which() {
    let server = with_failed_delivery().await;
    let mut browser = Browser::signed_in(&server, Role::Developer).await;
    assert_eq!(browser.post("/admin/webhooks/again", "state=").await.status, 422);
    let only_after = format!("after=1785663000000.evt_{}", "0".repeat(32));
    assert_eq!(browser.post("/admin/webhooks/again", &only_after).await.status, 422);
    let sent = browser
        .post("/admin/webhooks/again", "state=pending&kind=&from=&to=")
        .await;
    let list = "/admin/webhooks?state=pending";
    assert_eq!(sent.header("location"), Some(list), "the filters stay");
    let told = browser.get(list).await.body;
    for part in ["Resent: 1.", "From (UTC)", "To (UTC)"] {
        assert!(told.contains(part), "{part}: {told}");
    }
}

#[tokio::test]
async fn only_what_is_listed_is_offered_to_be_sent_again_and_days_in_the_wrong_order_are_named() {
    let server = with_failed_delivery().await;
    let mut browser = Browser::signed_in(&server, Role::Developer).await;
    for (query, advice, is_offered) in [
        ("state=pending", "From (UTC)", true),
        ("state=delivered", "No deliveries match these filters", false),
        ("from=2026-08-03&to=2026-08-02", "Correct one of the two dates", false),
        ("from=2026-13-01", "“From” is not a date", false),
        ("to=2026-02-30", "“To” is not a date", false),
    ] {
        let page = browser.get(&format!("/admin/webhooks?{query}")).await.body;
        assert!(page.contains(advice), "{query}: {page}");
        assert_eq!(page.contains("Resend all of these"), is_offered, "{query}: {page}");
    }
    let sent = browser
        .post("/admin/webhooks/again", "state=&kind=&from=2026-13-01&to=")
        .await;
    let told = browser.get(sent.header("location").unwrap()).await.body;
    assert!(told.contains("Resent: 0."), "{told}");
    assert!(told.contains(r#"class="flash bad""#), "not as a success: {told}");
}

#[tokio::test]
async fn a_range_that_could_not_be_sent_keeps_its_filters_and_the_place_that_was_reached() {
    let server = with_failed_delivery().await;
    server.save_settings(Some(settings())).await;
    let mut browser = Browser::signed_in(&server, Role::Developer).await;
    let reached = format!("sent=1785663000000.evt_{}", "0".repeat(32));
    for (page, filters) in [("/admin/webhooks", "state=pending&"), ("/admin/webhooks/unsent", "")] {
        let form = if filters.is_empty() {
            page
        } else {
            "/admin/webhooks/again"
        };
        let refused = browser.post(form, &format!("{filters}kind=&{reached}")).await;
        let back = format!("{page}?{filters}{reached}");
        assert_eq!(refused.header("location"), Some(back.as_str()));
        let told = browser.get(&back).await.body;
        assert!(
            told.contains("Nothing was sent: no receiver URL is configured."),
            "{told}"
        );
    }
}

#[tokio::test]
async fn the_page_of_a_session_says_where_the_delivery_of_each_event_stands_to_those_who_may_see_it() {
    let server = with_failed_delivery().await;
    let mut developer = Browser::signed_in(&server, Role::Developer).await;
    let event = event_in(&developer.get("/admin/webhooks").await.body);
    let page = developer.get(&format!("/admin/webhooks/{event}")).await.body;
    let session = format!("/admin/sessions/{}", between(&page, "/admin/sessions/", &['"']));
    let shown = developer.get(&session).await.body;
    assert!(
        shown.contains(">Delivery</th>") && shown.contains(">Retrying<"),
        "{shown}"
    );
    let mut auditor = Browser::signed_in(&server, Role::Auditor).await;
    let shown = auditor.get(&session).await.body;
    assert!(shown.contains("verification.expired"), "{shown}");
    assert!(
        !shown.contains(">Delivery</th>") && !shown.contains("Retrying"),
        "{shown}"
    );
}

#[tokio::test]
async fn an_event_whose_delivery_was_removed_because_of_its_age_is_not_called_unsent() {
    let server = with_failed_delivery().await;
    let mut developer = Browser::signed_in(&server, Role::Developer).await;
    let event = event_in(&developer.get("/admin/webhooks").await.body);
    for removal in [
        "UPDATE events SET removed_delivery = 'sent'",
        "DELETE FROM delivery_attempts",
        "DELETE FROM deliveries",
    ] {
        server.run(removal).await;
    }
    let page = developer.get(&format!("/admin/webhooks/{event}")).await.body;
    for part in [
        ">No longer on record<",
        "The attempts are no longer on record",
        ">Resend<",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(
        !page.contains(">Not sent<") && !page.contains("No attempts yet."),
        "{page}"
    );
}

#[tokio::test]
async fn a_day_without_a_delivery_is_said_on_top_of_every_page_and_no_receiver_is_blamed_for_our_own_faults() {
    let server = with_failed_delivery().await;
    let mut browser = Browser::signed_in(&server, Role::Developer).await;
    let early = browser.get("/admin/webhooks").await;
    assert!(!early.body.contains("Nothing has been delivered"));
    server.clock.advance(Millis::hours(25));
    let mut browser = Browser::signed_in(&server, Role::Admin).await;
    for page in ["", "/secrets", "/check"] {
        let page = browser.get(&format!("/admin/webhooks{page}")).await;
        let said = page
            .body
            .split("role=\"alert\"")
            .nth(1)
            .unwrap()
            .split("</p>")
            .next()
            .unwrap();
        assert!(said.contains("Nothing has been delivered for 25 h"), "{said}");
        assert!(
            said.contains("The receiver URL is not acceptable.") && !said.contains("192.168.0.1"),
            "{said}"
        );
    }
}

#[tokio::test]
async fn an_attempt_that_is_due_and_not_made_is_said_to_wait_for_a_place() {
    let server = with_failed_delivery().await;
    let mut browser = Browser::signed_in(&server, Role::Developer).await;
    let path = format!(
        "/admin/webhooks/{}",
        event_in(&browser.get("/admin/webhooks").await.body)
    );
    for page in ["/admin/webhooks", &path] {
        assert!(!browser.get(page).await.body.contains("queued (receiver busy)"));
    }
    server.clock.advance(Millis::seconds(20));
    for page in ["/admin/webhooks", &path] {
        assert!(browser.get(page).await.body.contains("queued (receiver busy)"));
    }
}

#[tokio::test]
async fn secrets_are_shown_once_and_rotated_in_steps() {
    let server = with_failed_delivery().await;
    let mut browser = Browser::signed_in(&server, Role::Developer).await;
    server.clock.advance(Millis::seconds(1));
    let issued = browser.post("/admin/webhooks/secrets", "").await;
    assert!(issued.status == 201 && issued.body.contains("whsec_"));
    let page = browser.get("/admin/webhooks/secrets").await;
    assert!(!page.body.contains("whsec_") && page.body.contains("/disable\""));
    let third = browser.post("/admin/webhooks/secrets", "").await;
    assert!(third.status == 422 && third.body.contains("Two secrets are already active."));
    // The first button gives up the new one, the second one ends the rotation.
    let old = page.body.split("/admin/webhooks/secrets/whk_").nth(2).unwrap();
    let disable = format!("/admin/webhooks/secrets/whk_{}/disable", &old[..32]);
    let asked = browser.post(&disable, "").await;
    assert_eq!(asked.status, 200);
    for part in ["Disable this signing secret?", &format!("whk_{}", &old[..32]), ">none<"] {
        assert!(asked.body.contains(part), "{part}: {}", asked.body);
    }
    let kept = browser.post(&disable, "confirmed=no").await;
    assert_eq!(kept.header("location"), Some("/admin/webhooks/secrets"));
    let page = browser.get("/admin/webhooks/secrets").await.body;
    assert!(page.contains("/disable\""), "nothing was disabled: {page}");
    let disabled = browser.post(&disable, "confirmed=yes").await;
    assert_eq!(disabled.header("location"), Some("/admin/webhooks/secrets"));
    let page = browser.get("/admin/webhooks/secrets").await;
    assert!(page.body.contains("disabled and deleted") && !page.body.contains("/disable\""));
}

/// A developer of a tenant whose receiver cannot be reached.
async fn developer_of(server: &Server) -> Browser<'_> {
    server
        .save_settings(Some(TenantSettings {
            webhook_url: Some("https://192.168.0.1/hooks".into()),
            ..settings()
        }))
        .await;
    Browser::signed_in(server, Role::Developer).await
}

#[tokio::test]
async fn whoever_sends_an_event_by_hand_is_told_what_became_of_it() {
    let server = Server::new().await;
    let mut developer = developer_of(&server).await;
    let sent = developer.post("/admin/webhooks/test", "").await;
    let page = sent.header("location").unwrap().to_owned();
    let told = "The event was not delivered. The receiver URL is not acceptable.";
    let shown = developer.get(&page).await.body;
    assert!(shown.contains(told) && shown.contains("#1"), "{shown}");
    assert!(shown.contains(r#"class="flash bad""#), "not as a success: {shown}");
    assert_eq!(developer.post(&format!("{page}/again"), "").await.status, 303);
    let shown = developer.get(&page).await.body;
    assert!(shown.contains(told) && shown.contains("#2"), "{shown}");
}

#[tokio::test]
async fn an_attempt_that_has_just_become_due_is_on_its_way() {
    // Nobody makes it.
    let server = Server::without_worker().await;
    let mut developer = developer_of(&server).await;
    assert_eq!(developer.post("/admin/webhooks/test", "").await.status, 303);
    let page = developer.get("/admin/webhooks").await.body;
    assert!(!page.contains("receiver busy") && page.contains(">now<"), "{page}");
    assert!(page.contains("The event is being sent."), "{page}");
}

#[tokio::test]
async fn reloading_the_page_that_shows_a_secret_issues_no_second_one() {
    let server = with_failed_delivery().await;
    let mut browser = Browser::signed_in(&server, Role::Developer).await;
    server.clock.advance(Millis::seconds(1));
    let page = browser.get("/admin/webhooks/secrets").await.body;
    let form = format!("id={}", between(&page, "name=\"id\" value=\"", &['"']));
    assert_eq!(browser.post("/admin/webhooks/secrets", &form).await.status, 201);
    let again = browser.post("/admin/webhooks/secrets", &form).await;
    assert_eq!(again.header("location"), Some("/admin/webhooks/secrets"));
    let page = browser.get("/admin/webhooks/secrets").await.body;
    assert!(
        page.contains("cannot be shown again") && !page.contains("whsec_"),
        "{page}"
    );
    // Not even once the one that was issued is given up.
    let lost = page.split("/admin/webhooks/secrets/whk_").nth(1).unwrap();
    let disable = format!("/admin/webhooks/secrets/whk_{}/disable", &lost[..32]);
    assert_eq!(form, format!("id=whk_{}", &lost[..32]));
    assert_eq!(browser.post(&disable, "confirmed=yes").await.status, 303);
    assert_eq!(browser.post("/admin/webhooks/secrets", &form).await.status, 303);
    let page = browser.get("/admin/webhooks/secrets").await.body;
    assert!(!page.contains("/disable\""), "one secret is active: {page}");
}

#[tokio::test]
async fn what_a_receiver_got_is_explained() {
    let server = with_failed_delivery().await;
    let mut browser = Browser::signed_in(&server, Role::Developer).await;
    let nothing = browser.post("/admin/webhooks/check", "headers=&body=%7B%7D").await;
    assert!(nothing.body.contains("There is no webhook-id header."));
    let id = event_in(&browser.get("/admin/webhooks").await.body);
    let signature = format!("v1%2C{}%3D", "A".repeat(43));
    let headers = format!("webhook-id%3A+{id}%0D%0Awebhook-timestamp%3A+1%0D%0Awebhook-signature%3A+{signature}");
    let wrong = browser
        .post(
            "/admin/webhooks/check",
            &format!("headers={headers}&body=%7B%22id%22%3A1%7D"),
        )
        .await;
    assert!(wrong.body.contains("matches none of the active secrets") && wrong.body.contains("from byte 6 on"));
}

#[tokio::test]
async fn what_no_page_of_ours_sends_is_not_understood() {
    let server = Server::new().await;
    let mut browser = Browser::signed_in(&server, Role::Admin).await;
    for path in [
        "/admin/sessions?metadata=%00",
        "/admin/webhooks?kind=a%00b",
        "/admin/audit?after=%00",
    ] {
        assert_eq!(browser.get(path).await.status, 422, "{path}");
    }
}

#[tokio::test]
async fn events_without_a_receiver_are_announced_listed_and_sent_later() {
    let server = Server::with("[worker]\nembedded = false\n").await;
    for _ in 0..2 {
        server.create("{}").await;
    }
    server.clock.advance(Millis::days(7));
    run(&server).await;
    let mut developer = Browser::signed_in(&server, Role::Developer).await;
    let page = developer.get("/admin/webhooks").await.body;
    assert!(
        page.contains("2 events were not sent") && page.contains("href=\"/admin/webhooks/unsent\""),
        "{page}"
    );
    let listed = developer.get("/admin/webhooks/unsent").await.body;
    assert_eq!(listed.matches("/admin/webhooks/evt_").count(), 2, "{listed}");
    assert!(
        listed.contains("No receiver URL is configured") && !listed.contains("Send all"),
        "{listed}"
    );
    developer.post("/admin/webhooks/unsent", "sent=").await;
    assert!(developer.get("/admin/webhooks").await.body.contains("Nothing was sent"));

    server
        .save_settings(Some(TenantSettings {
            webhook_url: Some("https://192.168.0.1/hooks".into()),
            ..settings()
        }))
        .await;
    let listed = developer.get("/admin/webhooks/unsent").await.body;
    assert!(listed.contains("Send all"), "{listed}");
    let one = format!("/admin/webhooks/{}", event_in(&listed));
    assert_eq!(developer.post(&format!("{one}/again"), "").await.status, 303);
    let sent = developer.post("/admin/webhooks/unsent", "sent=").await;
    assert_eq!(sent.header("location"), Some("/admin/webhooks/unsent"));
    let listed = developer.get("/admin/webhooks/unsent").await.body;
    assert!(
        listed.contains("Being sent: 1.") && listed.contains("Every event was sent"),
        "{listed}"
    );
    let page = developer.get("/admin/webhooks").await.body;
    assert!(
        !page.contains("not sent") && page.matches("/admin/webhooks/evt_").count() == 2,
        "{page}"
    );
}
