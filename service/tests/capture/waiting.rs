//! Pages that wait for something are notified immediately. Each test fails if there is no notification: polling would take two
//! seconds.

use domain::{
    document::{DocumentType, Side},
    role::Role,
    session::Status,
};
use service::{
    access::Admin,
    capture::{
        choose_document::{Photos, choose_document},
        open_link::{closed_within, open_link},
        progress::analysed_within,
        result::{Ending, result_within},
        submit::submit,
        take::capture_document,
    },
    privacy::erase_now::erase_now,
};
use std::time::{Duration, Instant};
use testkit::Harness;

/// Longer than any test.
const LONG: Duration = Duration::from_secs(600);
/// Half of the polling interval.
const SOON: Duration = Duration::from_secs(1);

/// Runs `wait` and `work` side by side and asserts that the wait ends soon after the work. Returns what was waited for.
async fn soon_after<T>(wait: impl Future<Output = T>, work: impl Future) -> T {
    let worked = async {
        // The waiting future first looks once and finds nothing.
        tokio::task::yield_now().await;
        work.await;
        Instant::now()
    };
    let waited = async { (wait.await, Instant::now()) };
    let ((seen, seen_at), done_at) = tokio::join!(waited, worked);
    assert!(seen_at.saturating_duration_since(done_at) < SOON, "nobody told");
    seen
}

#[tokio::test]
async fn a_result_is_shown_as_soon_as_it_is_decided() {
    let harness = Harness::new().await;
    let (id, applicant) = harness.ready().await;
    submit(&harness.honnin, &applicant).await.unwrap();
    let shown = soon_after(
        result_within(&harness.honnin, &applicant, LONG),
        harness.run_until_idle(),
    );
    assert_eq!(shown.await.unwrap().ending, Ending::Approved);
    assert_eq!(harness.detail(&id).await.status, Status::Completed);
}

#[tokio::test]
async fn a_picture_is_read_as_soon_as_it_is_analysed() {
    let harness = Harness::new().await;
    let (_, applicant) = harness.agreed().await;
    let honnin = &harness.honnin;
    choose_document(honnin, &applicant, DocumentType::Passport, Photos::KeepGood)
        .await
        .unwrap();
    capture_document(
        honnin,
        &applicant,
        DocumentType::Passport,
        Side::Front,
        b"passport".to_vec(),
    )
    .await
    .unwrap();
    let attempt = soon_after(analysed_within(honnin, &applicant, LONG), harness.run_until_idle());
    assert!(!attempt.await.unwrap().is_being_analysed());
}

#[tokio::test]
async fn a_start_page_learns_that_its_link_is_closed_and_nothing_else() {
    let harness = Harness::new().await;
    let (honnin, created) = (&harness.honnin, harness.create().await);
    let token = Harness::token(&created);
    assert!(!closed_within(honnin, &token, Duration::ZERO).await.unwrap());
    let closed = soon_after(closed_within(honnin, &token, LONG), open_link(honnin, &token, None));
    assert!(closed.await.unwrap());
    let unknown = "A".repeat(token.len());
    for token in [token.as_str(), unknown.as_str(), "", "no token"] {
        assert!(closed_within(honnin, token, LONG).await.unwrap(), "{token}: alike");
    }
}

#[tokio::test]
async fn a_page_learns_at_once_that_an_admin_erases_its_session() {
    let harness = Harness::new().await;
    let (id, applicant) = harness.ready().await;
    submit(&harness.honnin, &applicant).await.unwrap();
    let admin = Admin::of(&harness.staff(Role::Admin).await).unwrap();
    let erase = async { erase_now(&harness.honnin, &admin, &id).await.unwrap() };
    let shown = soon_after(result_within(&harness.honnin, &applicant, LONG), erase);
    assert_eq!(shown.await.unwrap().ending, Ending::Erased);
}

#[tokio::test]
async fn whoever_waits_in_vain_is_told_what_is_so() {
    let harness = Harness::new().await;
    let (_, applicant) = harness.ready().await;
    submit(&harness.honnin, &applicant).await.unwrap();
    let shown = result_within(&harness.honnin, &applicant, Duration::from_millis(1)).await;
    assert_eq!(shown.unwrap().ending, Ending::Waiting);
}
