//! A new link for an open session.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use domain::{
    document::{DocumentType, Side},
    ids::SessionId,
    role::Role,
    session::{Status, Step},
    tenant::TenantSettings,
    time::Millis,
};
use futures::future::join;
use service::{
    access::{
        Reviewer,
        capture_cookie::{CookieError, applicant},
    },
    capture::{
        choose_document::{Photos, choose_document},
        open_link::open_link,
        progress::StepRefused,
        take::{CaptureError, capture_document},
    },
    session::reissue_link::{ReissueError, reissue_link},
};
use store::session::links;
use testkit::{Harness, applicant::agree, databases::backends, loopback_sender};

async fn reviewer(harness: &Harness) -> Reviewer {
    Reviewer::of(&harness.staff(Role::Reviewer).await).unwrap()
}

async fn open_links(harness: &Harness, id: &SessionId) -> usize {
    let (id, now) = (id.clone(), harness.honnin.now());
    let all = harness.read(async move |tx| links::list(tx, &id).await).await;
    all.iter().filter(|link| link.is_open(now)).count()
}

#[tokio::test]
async fn a_new_link_kills_the_old_one_and_lasts_no_longer_than_the_session() {
    let harness = Harness::new().await;
    let created = harness.create().await;
    let rita = reviewer(&harness).await;
    assert_eq!(open_links(&harness, &created.id).await, 1);
    harness.clock.advance(Millis::days(6));
    let made = reissue_link(&harness.honnin, &rita, &created.id, None).await.unwrap();
    assert_eq!(open_links(&harness, &created.id).await, 1);
    assert_ne!(made.url.expose(), created.verification_url.expose());
    assert_eq!(
        made.expires_at, created.expires_at,
        "a day is left, and a link would live for two"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_new_links_at_the_same_time_one_opens() {
    for database in backends().await {
        let name = database.name;
        let mut harness = Harness::on(database, Default::default(), loopback_sender(), Default::default()).await;
        harness
            .save_settings(TenantSettings {
                steps: Step::ALL.to_vec(),
                ..TenantSettings::default()
            })
            .await;
        let rita = reviewer(&harness).await;
        for round in 0..10 {
            let created = harness.create().await;
            let (one, two) = join(
                reissue_link(&harness.honnin, &rita, &created.id, None),
                reissue_link(&harness.honnin, &rita, &created.id, None),
            )
            .await;
            one.and(two).unwrap();
            assert_eq!(open_links(&harness, &created.id).await, 1, "{name}, round {round}");
        }
    }
}

#[tokio::test]
async fn whoever_knows_an_older_link_only_gets_no_new_one() {
    let harness = Harness::new().await;
    let created = harness.create().await;
    let rita = reviewer(&harness).await;
    let again = |know| reissue_link(&harness.honnin, &rita, &created.id, Some(know));
    let made = again(1).await.unwrap();
    assert!(matches!(again(1).await, Err(ReissueError::Repeated)));
    let opened = open_link(&harness.honnin, made.url.expose().rsplit('/').next().unwrap(), None).await;
    assert!(opened.is_ok(), "the link that was shown still opens");
    assert!(again(2).await.is_ok());
}

#[tokio::test]
async fn the_browser_that_held_the_session_is_cut_off_and_the_new_link_opens() {
    let harness = Harness::new().await;
    let created = harness.create().await;
    let opened = open_link(&harness.honnin, &Harness::token(&created), None)
        .await
        .unwrap();
    assert!(applicant(&harness.honnin, opened.cookie.expose()).await.is_ok());
    let made = reissue_link(&harness.honnin, &reviewer(&harness).await, &created.id, None)
        .await
        .unwrap();
    assert!(matches!(
        applicant(&harness.honnin, opened.cookie.expose()).await,
        Err(CookieError::Over)
    ));
    let token = made.url.expose().rsplit('/').next().unwrap();
    let again = open_link(&harness.honnin, token, None).await.unwrap();
    let applicant = applicant(&harness.honnin, again.cookie.expose()).await.unwrap();
    assert_eq!(*applicant.session(), created.id);
}

#[tokio::test]
async fn a_picture_that_was_on_its_way_when_the_link_was_replaced_is_not_stored() {
    let harness = Harness::new().await;
    let created = harness.create().await;
    let applicant = harness.start(&created).await;
    agree(&harness.honnin, &applicant, None).await.unwrap();
    let kind = DocumentType::Passport;
    choose_document(&harness.honnin, &applicant, kind, Photos::KeepGood)
        .await
        .unwrap();
    // From here on it is the request of a browser whose cookie was good when the request began.
    reissue_link(&harness.honnin, &reviewer(&harness).await, &created.id, None)
        .await
        .unwrap();
    let taken = capture_document(&harness.honnin, &applicant, kind, Side::Front, b"passport".to_vec()).await;
    assert!(
        matches!(taken, Err(CaptureError::StepRefused(StepRefused::Over))),
        "{taken:?}"
    );
}

#[tokio::test]
async fn a_session_that_is_over_gets_no_link() {
    let harness = Harness::new().await;
    let rita = reviewer(&harness).await;
    let (decided, _) = harness.decided().await;
    let refused = reissue_link(&harness.honnin, &rita, &decided, None).await.unwrap_err();
    assert!(matches!(refused, ReissueError::Status(Status::Completed)));
    let created = harness.create().await;
    harness.clock.advance(Millis::days(7));
    let refused = reissue_link(&harness.honnin, &rita, &created.id, None)
        .await
        .unwrap_err();
    assert!(matches!(refused, ReissueError::Status(Status::Expired)));
    harness.run_until_idle().await;
    let nobody = SessionId::from_random([9; 16]);
    assert!(matches!(
        reissue_link(&harness.honnin, &rita, &nobody, None).await,
        Err(ReissueError::NotFound)
    ));
}
