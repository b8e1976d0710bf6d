//! The one-time link and the cookie it is exchanged for.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use domain::{
    role::Role,
    session::Status,
    time::{Millis, SKEW},
};
use service::{
    access::{
        Reviewer,
        capture_cookie::{self, CookieError},
    },
    capture::{
        open_link::{OpenLinkError, browser_mark, open_link, view_link},
        progress::{StepRefused, progress},
        switch_device::{MOST_LINKS, switch_device},
    },
    session::{read, reissue_link::reissue_link, reprocess},
};
use store::session::links;
use testkit::Harness;

async fn status(harness: &Harness, id: &domain::ids::SessionId) -> Status {
    let caller = harness.caller().await;
    read::read_session(&harness.honnin, &caller, id.as_str())
        .await
        .unwrap()
        .status
}

#[tokio::test]
async fn looking_at_a_link_changes_nothing_however_often() {
    let harness = Harness::new().await;
    let created = harness.create().await;
    for _ in 0..20 {
        let start = view_link(&harness.honnin, &Harness::token(&created)).await.unwrap();
        assert_eq!(start.branding.name, "Example Shop");
    }
    assert_eq!(status(&harness, &created.id).await, Status::Created);
    open_link(&harness.honnin, &Harness::token(&created), None)
        .await
        .unwrap();
    assert_eq!(status(&harness, &created.id).await, Status::Collecting);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_a_hundred_browsers_that_open_a_link_at_once_one_wins() {
    let harness = Harness::new().await;
    let created = harness.create().await;
    let opens = (0..100).map(|_| {
        let (honnin, token) = (harness.honnin.clone(), Harness::token(&created));
        tokio::spawn(async move { open_link(&honnin, &token, None).await })
    });
    let mut won = 0;
    for opened in futures::future::join_all(opens).await {
        match opened.unwrap() {
            Ok(_) => won += 1,
            Err(error) => assert!(matches!(error, OpenLinkError::NotUsable), "{error}"),
        }
    }
    assert_eq!(won, 1);
}

#[tokio::test]
async fn a_browser_that_taps_twice_gets_the_same_cookie_and_no_other_browser_gets_one() {
    let harness = Harness::new().await;
    let created = harness.create().await;
    let (mark, token) = (browser_mark(&harness.honnin), Harness::token(&created));
    let first = open_link(&harness.honnin, &token, Some(mark.expose())).await.unwrap();
    let second = open_link(&harness.honnin, &token, Some(mark.expose())).await.unwrap();
    assert_eq!(first.cookie, second.cookie);
    let other = browser_mark(&harness.honnin);
    for mark in [None, Some("x"), Some(other.expose().as_str())] {
        let refused = open_link(&harness.honnin, &token, mark).await;
        assert!(matches!(refused, Err(OpenLinkError::NotUsable)));
    }
}

#[tokio::test]
async fn unknown_used_and_expired_links_look_alike() {
    let harness = Harness::new().await;
    let (used, late) = (harness.create().await, harness.create().await);
    harness.start(&used).await;
    let unknown = "A".repeat(43);
    for token in [unknown.as_str(), "", "../../etc", &Harness::token(&used)] {
        assert!(matches!(
            view_link(&harness.honnin, token).await,
            Err(OpenLinkError::NotUsable)
        ));
        assert!(matches!(
            open_link(&harness.honnin, token, None).await,
            Err(OpenLinkError::NotUsable)
        ));
    }
    harness.clock.advance(Millis::hours(48));
    let token = Harness::token(&late);
    assert!(matches!(
        view_link(&harness.honnin, &token).await,
        Err(OpenLinkError::NotUsable)
    ));
    assert!(matches!(
        open_link(&harness.honnin, &token, None).await,
        Err(OpenLinkError::NotUsable)
    ));
    assert_eq!(status(&harness, &late.id).await, Status::Created);
}

/// Each link for another device is an entry of the audit log and of the session's page.
#[tokio::test]
async fn a_user_gets_so_many_links_for_other_devices_and_then_continues_on_this_one() {
    let harness = Harness::new().await;
    let (id, applicant) = harness.agreed().await;
    // The first link is the tenant's.
    for _ in 1..MOST_LINKS {
        switch_device(&harness.honnin, &applicant).await.unwrap();
    }
    let refused = switch_device(&harness.honnin, &applicant).await;
    assert!(matches!(refused, Err(StepRefused::OutOfTurn)), "{refused:?}");
    let session = id.clone();
    let all = harness.read(async move |tx| links::list(tx, &session).await).await;
    assert_eq!(all.len(), MOST_LINKS);
    progress(&harness.honnin, &applicant).await.unwrap();
    let reviewer = Reviewer::of(&harness.staff(Role::Reviewer).await).unwrap();
    let reissued = reissue_link(&harness.honnin, &reviewer, &id, None).await;
    assert!(reissued.is_ok(), "a reviewer makes one all the same: {reissued:?}");
}

#[tokio::test]
async fn a_cookie_lives_for_thirty_idle_minutes_and_four_hours_at_most() {
    let harness = Harness::new().await;
    let created = harness.create().await;
    let opened = open_link(&harness.honnin, &Harness::token(&created), None)
        .await
        .unwrap();
    let cookie = opened.cookie.expose();
    // Seen every 29 minutes it stays valid, until the four hours are over.
    for _ in 0..8 {
        harness.clock.advance(Millis::minutes(29));
        capture_cookie::applicant(&harness.honnin, cookie).await.unwrap();
    }
    harness.clock.advance(Millis::minutes(8));
    let over = capture_cookie::applicant(&harness.honnin, cookie).await;
    assert!(matches!(over, Err(CookieError::Over)));

    let created = harness.create().await;
    let opened = open_link(&harness.honnin, &Harness::token(&created), None)
        .await
        .unwrap();
    harness.clock.advance(Millis::minutes(30));
    let over = capture_cookie::applicant(&harness.honnin, opened.cookie.expose()).await;
    assert!(matches!(over, Err(CookieError::Over)));
}

#[tokio::test]
async fn a_cookie_of_a_time_that_has_not_come_is_refused() {
    let (hours, minutes) = (Millis::hours(2), Millis::minutes(20));
    // Opened while the clock was ahead, or only seen then.
    for (opened_at, seen_at, ahead) in [(hours, Millis(0), hours), (Millis(0), minutes, minutes)] {
        let harness = Harness::new().await;
        let created = harness.create().await;
        harness.clock.jump(opened_at);
        let opened = open_link(&harness.honnin, &Harness::token(&created), None)
            .await
            .unwrap();
        harness.clock.jump(seen_at);
        let seen = capture_cookie::applicant(&harness.honnin, opened.cookie.expose()).await;
        assert!(seen.is_ok(), "{ahead:?}");
        harness.clock.jump(Millis(-ahead.0));
        let over = capture_cookie::applicant(&harness.honnin, opened.cookie.expose()).await;
        assert!(matches!(over, Err(CookieError::Over)), "{ahead:?}");
    }
}

#[tokio::test]
async fn a_cookie_outlives_a_clock_that_is_set_back_a_little() {
    let harness = Harness::new().await;
    let created = harness.create().await;
    let opened = open_link(&harness.honnin, &Harness::token(&created), None)
        .await
        .unwrap();
    harness.clock.jump(Millis(-SKEW.0));
    let seen = capture_cookie::applicant(&harness.honnin, opened.cookie.expose()).await;
    assert!(seen.is_ok());
}

#[tokio::test]
async fn a_cookie_ends_with_the_sessions_deadline_and_with_a_new_attempt() {
    let mut settings = domain::tenant::TenantSettings {
        steps: domain::session::Step::ALL.to_vec(),
        ..Default::default()
    };
    settings.session_lifetime = Millis::hours(1);
    let harness = Harness::with(settings).await;
    let created = harness.create().await;
    let opened = open_link(&harness.honnin, &Harness::token(&created), None)
        .await
        .unwrap();
    for _ in 0..3 {
        harness.clock.advance(Millis::minutes(20));
        drop(capture_cookie::applicant(&harness.honnin, opened.cookie.expose()).await);
    }
    let expired = capture_cookie::applicant(&harness.honnin, opened.cookie.expose()).await;
    assert!(matches!(expired, Err(CookieError::Expired)));

    let created = harness.create().await;
    let opened = open_link(&harness.honnin, &Harness::token(&created), None)
        .await
        .unwrap();
    let applicant = capture_cookie::applicant(&harness.honnin, opened.cookie.expose())
        .await
        .unwrap();
    service::capture::decline::decline(&harness.honnin, &applicant)
        .await
        .unwrap();
    let caller = harness.caller().await;
    reprocess::reprocess(&harness.honnin, &caller, created.id.as_str())
        .await
        .unwrap();
    let over = capture_cookie::applicant(&harness.honnin, opened.cookie.expose()).await;
    assert!(matches!(over, Err(CookieError::Over)));
    assert!(
        service::capture::progress::progress(&harness.honnin, &applicant)
            .await
            .is_err(),
        "nor does an applicant made before"
    );
    harness.run_until_idle().await;
}
