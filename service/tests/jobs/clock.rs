//! The machine's clock is set wrong, and right again, in the middle of everything.
//!
//! Planted faults that these tests detect: claiming deadlines whatever the clock does; a sweep that asks the clock again at each step;
//! retries that stay where a wrong clock planned them; deadlines and erasures planned by a wrong clock; decisions by its date; keys of
//! creations, deadlines that are stored by an erasure, links and steps of deliveries that keep its times.

use domain::{
    event::{EventKind, EventType},
    findings::SelfieFindings,
    ids::SessionId,
    role::Role,
    scope::{Scope, Scopes},
    session::{AttemptNumber, Status},
    tenant::{Change, TenantSettings},
    time::{Clock as _, Millis},
};
use service::{
    access::{Applicant, CommandLine, Developer, Reviewer},
    capture::{
        decline::decline,
        open_link::open_link,
        submit::submit,
        switch_device::{self, switch_device},
    },
    jobs::sweep,
    people::{
        NewPerson,
        accept_invitation::{AcceptError, open_invitation},
        invite::{Offer, invite_from_here},
    },
    privacy::erase_now::erase_of_tenant,
    review::{LookedAt, ReviewDecision, UNDO, rule},
    session::{
        cancel::cancel,
        create::{CreateSessionError, create_session_once},
        reissue_link::reissue_link,
        reprocess::reprocess,
    },
    settings::{
        self, Confirmation,
        api_keys::{NewKey, draft_key, issue_key, list_keys, rotate_key},
    },
    webhook::schedule::WAITS,
};
use store::{
    jobs::JobKind,
    session::links::{self, LinkRow},
    webhook::deliveries::DeliveryState,
};
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
    rule(
        &harness.honnin,
        &rita,
        LookedAt::new(&id, AttemptNumber::FIRST),
        ReviewDecision::Approve,
        None,
    )
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
        rule(
            &harness.honnin,
            &rita,
            LookedAt::new(&ruled, AttemptNumber::FIRST),
            ReviewDecision::Approve,
            None,
        )
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
async fn what_a_machine_noted_after_a_pause_keeps_its_times_and_is_planned() {
    let harness = Harness::new().await;
    harness.analyser.see_selfie(SelfieFindings {
        liveness: None,
        ..holder()
    });
    let (ruled, _) = harness.decided().await;
    let (caller, cancelled) = (harness.caller().await, harness.create().await.id);
    // Its clock shows the right time again, which the monotonic one has not seen pass.
    harness.clock.jump(Millis::hours(1));
    let created = harness.create().await;
    cancel(&harness.honnin, &caller, cancelled.as_str()).await.unwrap();
    let rita = Reviewer::of(&harness.staff(Role::Reviewer).await).unwrap();
    rule(
        &harness.honnin,
        &rita,
        LookedAt::new(&ruled, AttemptNumber::FIRST),
        ReviewDecision::Approve,
        None,
    )
    .await
    .unwrap();
    harness.wait(UNDO).await;
    harness.run_until_idle().await;
    let noted = async || {
        let link = open_link_of(&harness, &created.id).await;
        (
            harness.detail(&ruled).await.session.completed_at.unwrap(),
            harness.events(&cancelled).await.remove(0).created_at,
            harness.detail(&created.id).await.session.expires_at,
            (link.created_at, link.expires_at),
        )
    };
    let told = noted().await;
    harness.wait(STEADY).await;
    harness.run_until_idle().await;
    assert!(harness.honnin.clock_is_steady());
    assert_eq!(noted().await, told);
    harness.wait(Millis::days(7)).await;
    assert_eq!(harness.detail(&created.id).await.session.status, Status::Expired);
    harness.wait(Millis::days(84)).await;
    for id in [&ruled, &cancelled] {
        assert!(harness.detail(id).await.session.purged_at.is_some());
    }
}

#[tokio::test]
async fn a_session_whose_times_could_not_be_set_anew_while_the_clock_was_ahead_has_them_once_it_is_right() {
    let harness = Harness::new().await;
    harness.clock.jump(YEAR);
    let session = harness.create().await.id;
    let (broken, mended) = (
        "CREATE TRIGGER broken BEFORE INSERT ON jobs WHEN NEW.kind = 'expire' BEGIN SELECT RAISE(ABORT, 'broken'); END",
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

#[tokio::test]
async fn a_creation_is_repeated_for_a_day_and_no_longer_though_the_clock_was_wrong() {
    let far = Millis::hours(36);
    // A clock that was wrong for long enough was trusted.
    for (by, trusted) in [(far, false), (far, true), (Millis(-far.0), false)] {
        let harness = Harness::new().await;
        let caller = harness.caller().await;
        let once = async |body: &'static [u8]| create_session_once(&harness.honnin, &caller, "key", body).await;
        let case = format!("{by:?}, trusted: {trusted}");
        harness.clock.jump(by);
        harness.run_until_idle().await;
        if trusted {
            harness.wait(STEADY).await;
        }
        assert_eq!(harness.honnin.clock_is_steady(), trusted, "{case}");
        let first = once(b"{}").await.unwrap();
        harness.clock.jump(Millis(-by.0));
        // At once, while the clock is in doubt, and once it is trusted.
        for span in [Millis(0), Millis(STEADY.0 / 2), Millis(STEADY.0 / 2), Millis::hours(23)] {
            harness.wait(span).await;
            let (again, detail) = (once(b"{}").await.unwrap(), harness.detail(&first.id).await);
            assert_eq!(
                (again.id, again.created_at, again.verification_url),
                (first.id.clone(), first.created_at, first.verification_url.clone()),
                "{case}, after {span:?}"
            );
            if harness.honnin.clock_is_steady() && !trusted {
                assert_eq!(again.expires_at, detail.session.expires_at, "{case}");
                let id = first.id.clone();
                let links = harness.read(async move |tx| links::list(tx, &id).await).await;
                let ends = links.last().unwrap().expires_at;
                assert_eq!(
                    again.verification_url_expires_at, ends,
                    "{case}: as the link that is repeated"
                );
                assert!(ends > harness.clock.now(), "{case}: it can be opened");
            }
            let other = once(br#"{"state":"other"}"#).await;
            assert!(
                matches!(other, Err(CreateSessionError::IdempotencyConflict)),
                "{case}, after {span:?}: {other:?}"
            );
        }
        assert!(harness.honnin.clock_is_steady(), "{case}");
        harness.wait(Millis::hours(1)).await;
        let new = once(br#"{"state":"other"}"#).await.unwrap();
        assert_ne!(new.id, first.id, "{case}");
    }
}

#[tokio::test]
async fn erasing_a_session_whose_deadline_has_passed_by_a_doubtful_clock_does_not_expire_it() {
    let harness = Harness::new().await;
    let session = harness.create().await.id;
    let caller = harness.caller().await;
    harness.clock.jump(YEAR);
    let erased = erase_of_tenant(&harness.honnin, &caller, session.as_str())
        .await
        .unwrap();
    assert_eq!(erased.status, Status::Failed);
    harness.clock.jump(Millis(-YEAR.0));
    harness.run_until_idle().await;
    harness.wait(STEADY).await;
    harness.run_until_idle().await;
    let events = harness.events(&session).await;
    let kinds: Vec<EventKind> = events.iter().map(|event| event.content.kind()).collect();
    assert_eq!(kinds, [EventKind::Session(EventType::Failed)]);
    let detail = harness.detail(&session).await;
    assert_eq!(detail.session.status, Status::Failed);
    assert!(detail.session.purged_at.is_some());
}

#[tokio::test]
async fn a_failure_by_a_wrong_clock_is_dated_anew_and_that_of_an_earlier_attempt_keeps_its_time() {
    for by in [Millis::hours(2), Millis(-YEAR.0)] {
        let harness = Harness::new().await;
        let (caller, id) = (harness.caller().await, harness.create().await.id);
        cancel(&harness.honnin, &caller, id.as_str()).await.unwrap();
        let first = harness.events(&id).await;
        harness.wait(Millis::hours(1)).await;
        reprocess(&harness.honnin, &caller, id.as_str()).await.unwrap();
        let again_at = harness.clock.now();
        harness.clock.jump(by);
        cancel(&harness.honnin, &caller, id.as_str()).await.unwrap();
        harness.wait(Millis::minutes(3)).await;
        harness.clock.jump(Millis(-by.0));
        harness.run_until_idle().await;
        harness.wait(STEADY).await;
        harness.run_until_idle().await;
        let events = harness.events(&id).await;
        assert_eq!((events.len(), &events[..1]), (2, &first[..]), "{by:?}");
        let second_at = events[1].created_at;
        assert!(again_at < second_at && second_at <= harness.clock.now(), "{by:?}");
    }
}

#[tokio::test]
async fn a_retention_that_is_shortened_by_a_clock_that_is_ahead_is_applied_once_it_is_right() {
    const AHEAD: Millis = Millis::days(30);
    for trusted in [false, true] {
        let harness = Harness::new().await;
        harness.decided().await;
        let erasure = async || {
            let open = harness.open_jobs().await;
            let planned = open.iter().find(|job| job.kind == JobKind::Erase).unwrap();
            planned.run_at
        };
        let planned = erasure().await;
        let admin = harness.staff(Role::Admin).await;
        harness.clock.jump(AHEAD);
        harness.run_until_idle().await;
        if trusted {
            harness.wait(STEADY).await;
        }
        assert_eq!(harness.honnin.clock_is_steady(), trusted);
        let default = TenantSettings::default();
        let shorter = Change::Lifetimes {
            link: default.link_lifetime,
            session: default.session_lifetime,
            retention: Millis(default.retention.0 - Millis::days(30).0),
        };
        let version = settings::load(&harness.honnin, &admin).await.unwrap().version;
        settings::change(&harness.honnin, &admin, version, &shorter, Confirmation::Given)
            .await
            .unwrap();
        // It is right again before a worker has looked.
        harness.clock.jump(Millis(-AHEAD.0));
        harness.run_until_idle().await;
        harness.wait(STEADY).await;
        harness.run_until_idle().await;
        assert_eq!(erasure().await, planned.plus(Millis::days(-30)), "trusted: {trusted}");
    }
}

/// The only link of a session that nobody has opened.
async fn open_link_of(harness: &Harness, id: &SessionId) -> LinkRow {
    let id = id.clone();
    let mut all = harness.read(async move |tx| links::list(tx, &id).await).await;
    all.retain(|link| link.used_at.is_none() && link.killed_at.is_none());
    assert_eq!(all.len(), 1);
    all.remove(0)
}

#[tokio::test]
async fn a_link_that_is_reissued_by_a_slow_clock_can_be_opened_once_it_is_right_and_the_deadline_stays() {
    let harness = Harness::new().await;
    let created = harness.create().await;
    let rita = Reviewer::of(&harness.staff(Role::Reviewer).await).unwrap();
    harness.clock.jump(Millis::days(-4));
    let made = reissue_link(&harness.honnin, &rita, &created.id, None).await.unwrap();
    harness.clock.jump(Millis::days(4));
    harness.run_until_idle().await;
    harness.wait(STEADY).await;
    let left = open_link_of(&harness, &created.id).await.expires_at;
    assert_eq!(left, harness.clock.now().plus(Millis::hours(48)));
    assert_eq!(
        harness.detail(&created.id).await.session.expires_at,
        created.expires_at,
        "the deadline was set by a clock that was right"
    );
    let token = made.url.expose().rsplit('/').next().unwrap();
    assert!(open_link(&harness.honnin, token, None).await.is_ok());
    harness.wait(Millis::days(7)).await;
    assert_eq!(harness.events(&created.id).await.len(), 1, "expired once");
}

#[tokio::test]
async fn a_link_for_another_device_that_is_made_by_a_wrong_clock_lasts_no_longer_than_any_other() {
    for by in [Millis::days(2), Millis::days(-2)] {
        let harness = Harness::new().await;
        harness.clock.jump(by);
        let (id, applicant) = harness.agreed().await;
        switch_device(&harness.honnin, &applicant).await.unwrap();
        harness.clock.jump(Millis(-by.0));
        harness.run_until_idle().await;
        harness.wait(STEADY).await;
        let left = open_link_of(&harness, &id).await.expires_at.as_millis() - harness.clock.now().as_millis();
        assert_eq!(left, switch_device::LIFETIME.0, "{by:?}");
    }
}

#[tokio::test]
async fn invitations_and_rotated_keys_of_a_clock_that_was_ahead_are_valid_no_longer_than_others() {
    let harness = Harness::new().await;
    let developer = Developer::of(&harness.staff(Role::Developer).await).unwrap();
    let issue = async |lifetime: Option<Millis>| {
        let new = NewKey {
            id: draft_key(&harness.honnin),
            name: "Till".into(),
            lifetime,
            scopes: Scopes::NONE.with(Scope::Create),
            networks: Vec::new(),
        };
        issue_key(&harness.honnin, &developer, new).await.unwrap().id
    };
    let (before, replaced) = (issue(Some(Millis::days(90))).await, issue(None).await);
    let ends = harness.clock.now().plus(Millis::days(90));
    harness.clock.jump(YEAR);
    harness.run_until_idle().await;
    let ahead = issue(Some(Millis::days(30))).await;
    let chosen = harness.clock.now().plus(Millis::days(30));
    let overlap = Millis::hours(24);
    rotate_key(&harness.honnin, &developer, &replaced, overlap)
        .await
        .unwrap();
    let person = NewPerson {
        email: "olga@host.example".into(),
        name: "Olga Sand".into(),
    };
    let invited = invite_from_here(&harness.honnin, CommandLine::here(), Offer::operator(), person);
    let link = invited.await.unwrap().link;
    let open = async || open_invitation(&harness.honnin, link.expose().rsplit('/').next().unwrap()).await;
    assert!(open().await.is_ok());
    harness.clock.jump(Millis(-YEAR.0));
    assert!(matches!(open().await, Err(AcceptError::Closed)), "nobody knows yet");
    harness.run_until_idle().await;
    harness.wait(STEADY).await;
    let now = harness.clock.now();
    let listed = list_keys(&harness.honnin, &developer).await.unwrap();
    for (id, end) in [(&before, ends), (&ahead, chosen), (&replaced, now.plus(overlap))] {
        let key = listed.iter().find(|key| key.id == *id).unwrap();
        assert_eq!(key.expires_at, Some(end));
        assert!(key.replaced_at.is_none_or(|at| at <= now));
    }
    assert!(open().await.is_ok(), "made now");
    harness.clock.advance(Millis::hours(72));
    assert!(matches!(open().await, Err(AcceptError::Closed)));
}

#[tokio::test]
async fn a_start_by_a_clock_that_is_behind_ends_no_key_link_or_response() {
    let mut harness = Harness::new().await;
    let developer = Developer::of(&harness.staff(Role::Developer).await).unwrap();
    let new = |lifetime| NewKey {
        id: draft_key(&harness.honnin),
        name: "Till".into(),
        lifetime,
        scopes: Scopes::NONE.with(Scope::Create),
        networks: Vec::new(),
    };
    let (expiring, replaced) = (new(Some(Millis::days(90))), new(None));
    issue_key(&harness.honnin, &developer, expiring).await.unwrap();
    let replaced = issue_key(&harness.honnin, &developer, replaced).await.unwrap().id;
    rotate_key(&harness.honnin, &developer, &replaced, Millis::hours(24))
        .await
        .unwrap();
    let person = NewPerson {
        email: "olga@host.example".into(),
        name: "Olga Sand".into(),
    };
    let invited = invite_from_here(&harness.honnin, CommandLine::here(), Offer::operator(), person);
    let link = invited.await.unwrap().link;
    let caller = harness.caller().await;
    let first = create_session_once(&harness.honnin, &caller, "key", b"{}")
        .await
        .unwrap();
    let keys = list_keys(&harness.honnin, &developer).await.unwrap();
    let answered_at = "SELECT created_at FROM idempotency";
    let answered = harness.database.number(answered_at).await;
    harness.clock.jump(Millis(-YEAR.0));
    harness.restart().await;
    sweep::plan(&harness.honnin).await.unwrap();
    harness.run_until_idle().await;
    assert_eq!(list_keys(&harness.honnin, &developer).await.unwrap(), keys);
    assert_eq!(harness.database.number(answered_at).await, answered);
    // The clock is set right, as every node sees.
    harness.clock.jump(YEAR);
    harness.run_until_idle().await;
    harness.wait(STEADY).await;
    harness.run_until_idle().await;
    assert_eq!(list_keys(&harness.honnin, &developer).await.unwrap(), keys);
    let token = link.expose().rsplit('/').next().unwrap();
    assert!(open_invitation(&harness.honnin, token).await.is_ok());
    let again = create_session_once(&harness.honnin, &caller, "key", b"{}")
        .await
        .unwrap();
    assert_eq!(again.id, first.id);
}

#[tokio::test]
async fn attempts_by_a_doubtful_clock_do_not_bring_the_end_of_a_delivery_nearer() {
    let receiver = Receiver::start().await;
    let (harness, _) = Harness::with_receiver(&receiver).await;
    let session = harness.create().await.id;
    let refused = |times: usize| receiver.reply((0..times).map(|_| Reply::Status(400)).collect::<Vec<_>>());
    refused(9);
    let event = harness.record_expired(&session).await;
    harness.run_until_idle().await;
    for wait in &WAITS[1..9] {
        harness.wait(Millis(wait.0 * 12 / 10)).await;
    }
    let planned = harness.delivery(&event).await.unwrap();
    assert_eq!((planned.step, planned.state), (9, DeliveryState::Pending));
    // By this clock, the last attempt is due. Its receiver refuses the timestamp.
    refused(2);
    harness.clock.jump(Millis::days(2));
    harness.run_until_idle().await;
    harness.wait(Millis::minutes(5)).await;
    harness.clock.jump(Millis::days(-2));
    harness.run_until_idle().await;
    let delivery = harness.delivery(&event).await.unwrap();
    assert_eq!((delivery.step, delivery.state), (9, DeliveryState::Pending));
    assert_eq!(delivery.attempts, 10, "one attempt in five minutes, and it is shown");
    harness.wait(STEADY).await;
    harness.wait(Millis::days(2)).await;
    let delivery = harness.delivery(&event).await.unwrap();
    assert_eq!((delivery.step, delivery.state), (10, DeliveryState::Abandoned));
}
