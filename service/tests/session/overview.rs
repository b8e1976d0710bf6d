//! The figures of the overview.

use domain::{findings::SelfieFindings, funnel::FunnelStep, role::Role, tenant::TenantSettings, time::Millis};
use futures::future::join_all;
use service::{
    privacy::erase_now::erase_of_tenant,
    session::overview::{Overview, StepCount, overview},
};
use std::sync::Arc;
use testkit::{Harness, analyser::holder};

#[expect(clippy::unwrap_used, reason = "a test may panic")]
async fn of_last(harness: &Harness, days: i64) -> Overview {
    let staff = harness.staff(Role::Auditor).await;
    overview(&harness.honnin, &staff, days).await.unwrap()
}

#[tokio::test]
async fn sessions_leave_the_range_but_cases_stay_in_the_backlog_and_become_late() {
    let harness = Harness::new().await;
    harness.analyser.see_selfie(SelfieFindings {
        liveness: None,
        ..holder()
    });
    harness.decided().await;
    harness.create().await;
    let now = of_last(&harness, 7).await;
    assert_eq!(now.figures.days.iter().map(|day| day.count).sum::<i64>(), 2);
    let created = StepCount {
        step: FunnelStep::Created,
        open: true,
        count: 1,
    };
    let decided = StepCount {
        step: FunnelStep::Decided,
        open: false,
        count: 1,
    };
    assert_eq!(now.figures.steps, [created, decided]);
    assert_eq!((now.backlog.count, now.backlog.late), (1, 0));
    assert_eq!(now.backlog.target, Millis::hours(24), "the default");
    harness.clock.advance(Millis::hours(25));
    assert_eq!(of_last(&harness, 7).await.backlog.late, 1);
    harness.clock.advance(Millis::days(8));
    let later = of_last(&harness, 7).await;
    assert!(
        later.figures.days.is_empty() && later.figures.steps.is_empty(),
        "{later:?}"
    );
    assert_eq!(
        (later.backlog.count, later.backlog.late, later.backlog.overdue),
        (1, 1, 0)
    );
    assert_eq!(of_last(&harness, 30).await.figures.days.len(), now.figures.days.len());
    let half = TenantSettings::default().retention.0 / 2;
    harness.clock.advance(Millis(half));
    assert_eq!(of_last(&harness, 7).await.backlog.overdue, 1);
}

#[tokio::test]
async fn whoever_opened_the_link_and_left_counts_as_such_also_after_the_erasure() {
    let harness = Harness::new().await;
    let created = harness.create().await;
    harness.start(&created).await;
    let opened = |open| StepCount {
        step: FunnelStep::Opened,
        open,
        count: 1,
    };
    assert_eq!(of_last(&harness, 7).await.figures.steps, [opened(true)]);
    let caller = harness.caller().await;
    erase_of_tenant(&harness.honnin, &caller, created.id.as_str())
        .await
        .unwrap();
    harness.run_until_idle().await;
    assert!(harness.detail(&created.id).await.session.purged_at.is_some());
    // The figures are kept for a while.
    harness.clock.advance(Millis::hours(1));
    assert_eq!(of_last(&harness, 7).await.figures.steps, [opened(false)]);
}

#[tokio::test]
async fn those_who_open_it_at_once_share_a_count_and_whoever_comes_next_gets_another() {
    let harness = Harness::new().await;
    let staff = harness.staff(Role::Auditor).await;
    harness.create().await;
    let opened = join_all((0..16).map(|_| overview(&harness.honnin, &staff, 7))).await;
    let figures: Vec<_> = opened.into_iter().map(|one| one.unwrap().figures).collect();
    assert!(figures.iter().all(|one| Arc::ptr_eq(one, &figures[0])));
    harness.create().await;
    let next = of_last(&harness, 7).await.figures;
    assert_eq!(next.days.iter().map(|day| day.count).sum::<i64>(), 2);
}
