//! The machine's clock is set wrong, and right again, in the middle of everything.
//!
//! Planted faults that these tests detect: claiming deadlines whatever the clock does; a sweep that asks the clock again at each step;
//! retries that stay where a wrong clock planned them; deadlines and erasures planned by a wrong clock; decisions by its date.

use domain::{
    findings::SelfieFindings,
    ids::SessionId,
    role::Role,
    session::Status,
    time::{Clock as _, Millis},
};
use service::{
    access::{Applicant, Reviewer},
    capture::{decline::decline, submit::submit},
    jobs::sweep,
    privacy::erase_now::erase_of_tenant,
    review::{ReviewDecision, UNDO, rule},
    session::cancel::cancel,
};
use store::webhook::deliveries::DeliveryState;
use testkit::{
    Harness,
    analyser::holder,
    receiver::{Receiver, Reply},
};

const YEAR: Millis = Millis::days(365);
const STEADY: Millis = Millis::minutes(10);

/// A session whose user is in the middle of it, one that waits for its user, and one that has ended.
struct World {
    begun: (SessionId, Applicant),
    waiting: SessionId,
    ended: SessionId,
}

async fn world(harness: &Harness) -> World {
    let (ended, _) = harness.decided().await;
    let begun = harness.ready().await;
    let waiting = harness.create().await.id;
    sweep::plan(&harness.honnin).await.unwrap();
    harness.run_until_idle().await;
    World { begun, waiting, ended }
}

/// Whether nothing was destroyed.
async fn is_intact(harness: &Harness, world: &World) -> bool {
    let kept = harness
        .database
        .number("SELECT COUNT(*) FROM sessions WHERE status <> 'expired' AND purged_at IS NULL");
    let pictures = harness.stored_pictures(&world.begun.1).await.len();
    let events = harness.events(&world.waiting).await.len();
    kept.await == 3 && pictures > 0 && events == 0
}

#[tokio::test]
async fn a_clock_that_was_a_year_ahead_for_a_while_has_destroyed_nothing_and_the_user_goes_on() {
    for by in [YEAR, Millis(-YEAR.0)] {
        let harness = Harness::new().await;
        let world = world(&harness).await;
        assert!(harness.honnin.clock_is_steady());
        harness.clock.jump(by);
        for _ in 0..9 {
            harness.wait(Millis::minutes(1)).await;
            assert!(
                is_intact(&harness, &world).await && !harness.honnin.clock_is_steady(),
                "{by:?}"
            );
        }
        harness.clock.jump(Millis(-by.0));
        for _ in 0..9 {
            harness.wait(Millis::minutes(1)).await;
            assert!(
                is_intact(&harness, &world).await && !harness.honnin.clock_is_steady(),
                "{by:?}"
            );
        }
        submit(&harness.honnin, &world.begun.1).await.unwrap();
        harness.run_until_idle().await;
        assert_eq!(harness.detail(&world.begun.0).await.session.status, Status::Deciding);
        // The first look after the jump was a minute after it.
        harness.wait(Millis::minutes(2)).await;
        assert!(
            harness.honnin.clock_is_steady() && is_intact(&harness, &world).await,
            "{by:?}"
        );
        assert_eq!(
            harness.detail(&world.begun.0).await.session.status,
            Status::Completed,
            "{by:?}"
        );
    }
}

#[tokio::test]
async fn a_clock_that_was_wrong_and_is_right_now_is_followed_once_it_was_steady_for_ten_minutes() {
    let harness = Harness::new().await;
    let world = world(&harness).await;
    harness.clock.jump(YEAR);
    harness.wait(Millis(STEADY.0 - 1)).await;
    assert!(is_intact(&harness, &world).await);
    // The first look after the jump was at its end.
    harness.wait(STEADY).await;
    assert_eq!(harness.detail(&world.waiting).await.session.status, Status::Expired);
    assert_eq!(harness.events(&world.waiting).await.len(), 1);
    assert!(harness.detail(&world.ended).await.session.purged_at.is_some());
}

#[tokio::test]
async fn what_was_due_when_the_clock_was_set_back_goes_on_after_ten_minutes() {
    let harness = Harness::new().await;
    let (id, applicant) = harness.ready().await;
    submit(&harness.honnin, &applicant).await.unwrap();
    harness.clock.jump(Millis(-YEAR.0));
    harness.run_until_idle().await;
    harness.wait(STEADY).await;
    // What was brought forward has woken the other lanes.
    harness.run_until_idle().await;
    assert_eq!(harness.detail(&id).await.session.status, Status::Completed);
}

#[tokio::test]
async fn a_delivery_whose_retry_was_planned_by_a_wrong_clock_arrives_after_all() {
    let receiver = Receiver::start().await;
    let (harness, _) = Harness::with_receiver(&receiver).await;
    let session = harness.create().await.id;
    receiver.reply([Reply::Status(500)]);
    harness.clock.jump(YEAR);
    let event = harness.record_expired(&session).await;
    harness.run_until_idle().await;
    assert_eq!(receiver.count(), 1);
    harness.clock.jump(Millis(-YEAR.0));
    let planned = harness.delivery(&event).await.unwrap().next_attempt_at.unwrap();
    assert!(planned > harness.clock.now().plus(Millis::days(300)));
    harness.run_until_idle().await;
    harness.wait(STEADY).await;
    harness.run_until_idle().await;
    assert_eq!(receiver.count(), 2);
    assert_eq!(harness.delivery(&event).await.unwrap().state, DeliveryState::Delivered);
}

#[tokio::test]
async fn a_reviewers_decision_made_while_the_clock_was_ahead_takes_effect_once_it_is_right() {
    let harness = Harness::new().await;
    harness.analyser.see_selfie(SelfieFindings {
        liveness: None,
        ..holder()
    });
    let (id, _) = harness.decided().await;
    let rita = Reviewer::of(&harness.staff(Role::Reviewer).await).unwrap();
    harness.clock.jump(YEAR);
    rule(&harness.honnin, &rita, &id, ReviewDecision::Approve, None)
        .await
        .unwrap();
    harness.run_until_idle().await;
    harness.clock.jump(Millis(-YEAR.0));
    harness.run_until_idle().await;
    harness.wait(STEADY).await;
    harness.run_until_idle().await;
    let detail = harness.detail(&id).await;
    assert_eq!(detail.session.status, Status::Completed);
    let reviewed = detail.outcome.unwrap().review.unwrap();
    assert!(reviewed.reviewed_at <= harness.clock.now());
}

#[tokio::test]
async fn a_job_held_by_a_clock_that_was_ahead_is_not_lost_for_a_year_when_its_worker_dies() {
    let receiver = Receiver::start().await;
    let (mut harness, _) = Harness::with_receiver(&receiver).await;
    let session = harness.create().await.id;
    harness.clock.jump(YEAR);
    let event = harness.record_expired(&session).await;
    receiver.reply([Reply::Silence]);
    tokio::select! {
        _ = harness.run_until_idle() => panic!("the receiver keeps silent"),
        () = receiver.wait_for(1) => {}
    }
    harness.clock.jump(Millis(-YEAR.0));
    harness.restart().await;
    assert_eq!(harness.run_until_idle().await, 0);
    // As every start does.
    sweep::plan(&harness.honnin).await.unwrap();
    harness.run_until_idle().await;
    assert_eq!(harness.delivery(&event).await.unwrap().state, DeliveryState::Delivered);
}

/// A session that is created while the clock is wrong, one that its user abandons then, one that is cancelled, and one that is to be erased.
struct Jumped {
    created: SessionId,
    declined: SessionId,
    cancelled: SessionId,
    erased: SessionId,
}

async fn live_through(harness: &Harness, by: Millis) -> Jumped {
    let (declining, cancelled, erased) = (
        harness.agreed().await,
        harness.create().await.id,
        harness.create().await.id,
    );
    harness.clock.jump(by);
    let created = harness.create().await.id;
    let caller = harness.caller().await;
    decline(&harness.honnin, &declining.1).await.unwrap();
    cancel(&harness.honnin, &caller, cancelled.as_str()).await.unwrap();
    erase_of_tenant(&harness.honnin, &caller, erased.as_str())
        .await
        .unwrap();
    harness.wait(Millis::minutes(3)).await;
    harness.clock.jump(Millis(-by.0));
    harness.run_until_idle().await;
    harness.wait(STEADY).await;
    harness.run_until_idle().await;
    Jumped {
        created,
        declined: declining.0,
        cancelled,
        erased,
    }
}

#[tokio::test]
async fn what_begins_and_ends_while_the_clock_is_wrong_lives_as_long_as_if_it_were_right() {
    // Ahead within the time that a browser takes part.
    for by in [Millis::hours(2), Millis(-YEAR.0)] {
        let harness = Harness::new().await;
        sweep::plan(&harness.honnin).await.unwrap();
        harness.run_until_idle().await;
        let jumped = live_through(&harness, by).await;
        assert!(harness.honnin.clock_is_steady(), "{by:?}");
        let detail = harness.detail(&jumped.created).await;
        assert_eq!(detail.session.status, Status::Created, "{by:?}");
        let left = detail.session.expires_at.as_millis() - harness.clock.now().as_millis();
        assert!(
            (Millis::days(6).0..=Millis::days(7).0).contains(&left),
            "{by:?}: {left}"
        );
        assert!(
            harness.detail(&jumped.erased).await.session.purged_at.is_some(),
            "{by:?}: at once"
        );
        let ended = [&jumped.declined, &jumped.cancelled];
        // A shorter period counts from when they ended.
        harness.wait(Millis::days(89)).await;
        assert_eq!(
            harness.detail(&jumped.created).await.session.status,
            Status::Expired,
            "{by:?}"
        );
        for id in ended {
            let session = harness.detail(id).await.session;
            assert_eq!((session.status, session.purged_at), (Status::Failed, None), "{by:?}");
        }
        harness.wait(Millis::days(2)).await;
        for id in ended {
            assert!(harness.detail(id).await.session.purged_at.is_some(), "{by:?}");
        }
    }
}

#[tokio::test]
async fn a_session_that_is_decided_or_ruled_on_while_the_clock_is_wrong_is_kept_for_its_whole_retention() {
    for by in [YEAR, Millis(-YEAR.0)] {
        let harness = Harness::new().await;
        harness.analyser.see_selfie(SelfieFindings {
            liveness: None,
            ..holder()
        });
        let (ruled, _) = harness.decided().await;
        harness.analyser.see_selfie(holder());
        let (id, applicant) = harness.ready().await;
        submit(&harness.honnin, &applicant).await.unwrap();
        harness.clock.jump(by);
        let rita = Reviewer::of(&harness.staff(Role::Reviewer).await).unwrap();
        rule(&harness.honnin, &rita, &ruled, ReviewDecision::Approve, None)
            .await
            .unwrap();
        harness.wait(UNDO).await;
        harness.run_until_idle().await;
        assert_eq!(
            harness.detail(&ruled).await.session.status,
            Status::Completed,
            "{by:?}: a person decides by what is in front of them"
        );
        assert_eq!(
            harness.detail(&id).await.session.status,
            Status::Deciding,
            "{by:?}: by what date?"
        );
        harness.clock.jump(Millis(-by.0));
        harness.run_until_idle().await;
        harness.wait(STEADY).await;
        harness.run_until_idle().await;
        let session = harness.detail(&id).await.session;
        assert_eq!(session.status, Status::Completed, "{by:?}");
        harness.wait(Millis::days(89)).await;
        for id in [&id, &ruled] {
            assert!(harness.detail(id).await.session.purged_at.is_none(), "{by:?}");
        }
        harness.wait(Millis::days(2)).await;
        for id in [&id, &ruled] {
            assert!(harness.detail(id).await.session.purged_at.is_some(), "{by:?}");
        }
    }
}

#[tokio::test]
async fn a_session_whose_times_could_not_be_set_anew_while_the_clock_was_ahead_has_them_once_it_is_right() {
    let harness = Harness::new().await;
    harness.clock.jump(YEAR);
    let session = harness.create().await.id;
    let (broken, mended) = (
        "CREATE TRIGGER broken BEFORE UPDATE ON sessions BEGIN SELECT RAISE(ABORT, 'broken'); END",
        "DROP TRIGGER broken",
    );
    harness.database.run(broken).await;
    // Long enough for the wrong clock to be trusted.
    harness.wait(STEADY).await;
    harness.clock.jump(Millis(-YEAR.0));
    harness.database.run(mended).await;
    let retry = harness.open_jobs().await;
    assert!(
        matches!(&retry[..], [job] if job.attempt == 1 && job.run_at > harness.clock.now().plus(Millis::days(300))),
        "{retry:?}"
    );
    harness.run_until_idle().await;
    harness.wait(STEADY).await;
    let left = harness.detail(&session).await.session.expires_at.as_millis() - harness.clock.now().as_millis();
    assert_eq!(left, Millis::days(7).0);
    harness.wait(Millis::days(7)).await;
    assert_eq!(harness.detail(&session).await.session.status, Status::Expired);
    assert_eq!(harness.events(&session).await.len(), 1);
}
