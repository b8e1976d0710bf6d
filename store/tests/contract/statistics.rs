//! How far people get, how long decisions take, and how deliveries turn out.

use crate::fixtures::{World, at, expired, keep, outcome, read, session, world, write};
use domain::{
    delivery::DeliveryFault,
    document::Side,
    funnel::FunnelStep,
    ids::{CaptureId, SessionId},
    named::Named,
    outcome::{Source, Verdict},
    session::{AttemptNumber, Status},
    time::Millis,
};
use store::{
    Db,
    capture::{
        attempts::{self, AttemptRow, Consent},
        capture_cookies::{self, CookieRow},
        captures::{self, CaptureRow, Slot},
    },
    session::{
        queue_stays,
        search::{self, Filter, Order, Page},
        sessions,
        statistics::{self, DecisionDay, DecisionTimes, StepCount},
    },
    webhook::{
        deliveries::{self, DeliveryCounts, DeliveryState},
        delivery_attempts, events,
    },
};
use testkit::databases::{Backend, backends};

async fn open(db: &Db, id: &SessionId, number: u8) {
    let cookie = keep(CookieRow {
        hash: vec![number; 32],
        session: id.clone(),
        attempt: AttemptNumber::FIRST,
        created_at: at(1),
        seen_at: at(1),
        ended_at: None,
    });
    write!(db, tx => capture_cookies::insert(tx, cookie)).unwrap();
}

async fn answer(db: &Db, id: &SessionId, change: fn(&mut AttemptRow)) {
    let id = keep(id.clone());
    let saved: Result<(), store::StoreError> = db
        .write(async move |tx| {
            let mut row = attempts::load(tx, id, AttemptNumber::FIRST).await?;
            change(&mut row);
            attempts::save(tx, &mut row).await
        })
        .await;
    saved.unwrap();
}

async fn take(db: &Db, id: &SessionId, number: u8, slot: Slot, accepted: bool) {
    let capture = CaptureId::from_random([number; 16]);
    let row = keep(CaptureRow {
        accepted_at: accepted.then_some(at(2)),
        ..CaptureRow::new(capture, (id, AttemptNumber::FIRST), slot, Vec::new(), at(1))
    });
    write!(db, tx => captures::insert(tx, row)).unwrap();
}

const FRONT: Slot = Slot::Document(Side::Front);

/// Sessions 30 to 37 of the first tenant, one at each step.
async fn sessions_at_each_step(db: &Db, world: World) {
    for number in 30..38 {
        let mut row = session(world.tenant, number);
        if number == 37 {
            row.session.status = Status::Completed;
        }
        let row = keep(row);
        write!(db, tx => sessions::insert(tx, row)).unwrap();
        let id = &row.session.id;
        if number >= 31 {
            open(db, id, number).await;
        }
        if number >= 32 {
            let consent = |row: &mut AttemptRow| {
                row.consent = Some(Consent {
                    version: "1".into(),
                    at: at(2),
                    retention: None,
                });
            };
            answer(db, id, consent).await;
            // A photo that is not accepted yet does not count.
            take(db, id, number, FRONT, number >= 33).await;
        }
        if number >= 34 {
            answer(db, id, |row| row.typed = Some(vec![1])).await;
            // The details stay given after they are erased.
            write!(db, tx => captures::erase(tx, id)).unwrap();
        }
        if number >= 35 {
            take(db, id, number + 100, Slot::Selfie, true).await;
        }
        if number >= 36 {
            answer(db, id, |row| row.submitted_at = Some(at(3))).await;
        }
    }
}

#[tokio::test]
async fn sessions_are_counted_by_the_last_step_taken() {
    for Backend { name, db, .. } in backends().await {
        let world = world(&db).await;
        sessions_at_each_step(&db, world).await;
        let counted = async |from, now| {
            let counts = read!(db, tx => statistics::count_by_step(tx, &world.tenant.id, at(from), at(now)));
            let mut counts: Vec<_> = counts
                .iter()
                .map(|count| (count.step, count.open, count.count))
                .collect();
            counts.sort();
            counts
        };
        let while_open: Vec<_> = FunnelStep::ALL
            .iter()
            .map(|step| (*step, *step != FunnelStep::Decided, 1))
            .collect();
        assert_eq!(counted(30_000, 40_000).await, while_open, "{name}");
        // A link stays opened once its cookies are erased, and one that nobody opened does not become so.
        for number in 30..33 {
            let id = keep(session(world.tenant, number).session.id);
            write!(db, tx => capture_cookies::remove_all(tx, id)).unwrap();
        }
        assert_eq!(counted(30_000, 40_000).await, while_open, "{name}");
        let past_the_deadline: Vec<_> = FunnelStep::ALL.iter().map(|step| (*step, false, 1)).collect();
        assert_eq!(counted(30_000, 10_000_000).await, past_the_deadline, "{name}");
        assert_eq!(
            counted(37_000, 40_000).await,
            [(FunnelStep::Decided, false, 1)],
            "{name}"
        );
        for step in FunnelStep::ALL {
            let found = async |now| {
                let filter = keep(Filter {
                    lost_after: Some(*step),
                    from: Some(at(30_000)),
                    ..Filter::default()
                });
                let page = keep(Page {
                    order: Order::Newest,
                    after: None,
                    limit: 10,
                });
                read!(db, tx => search::list(tx, &world.tenant.id, filter, page, at(now))).len()
            };
            assert_eq!(found(40_000).await, 0, "{name}: {step} can go on");
            let lost = usize::from(*step != FunnelStep::Decided);
            assert_eq!(found(10_000_000).await, lost, "{name}: {step}");
        }
        let theirs = read!(db, tx => statistics::count_by_step(tx, &world.other.id, at(0), at(20_000)));
        let created = StepCount {
            step: FunnelStep::Created,
            open: true,
            count: 1,
        };
        assert_eq!(theirs, [created], "{name}: the other tenant's");
    }
}

#[tokio::test]
async fn the_time_to_decision_is_told_by_nearest_rank_and_by_who_decided() {
    for Backend { name, db, .. } in backends().await {
        let world = world(&db).await;
        // Automatic decisions after 1, 2, .. 10 s, and two of a person after 60 and 90 s.
        let automatic = (1..=10).map(|seconds| (seconds, None));
        let people = [(60, Some("")), (90, Some(""))];
        for (number, (seconds, note)) in (40..).zip(automatic.chain(people)) {
            let mut row = session(world.tenant, number);
            row.session.status = Status::Completed;
            row.session.completed_at = Some(at(1_000 + seconds * 1_000));
            row.outcome = Some(outcome(&row, Verdict::Approved, note));
            let row = keep(row);
            write!(db, tx => sessions::insert(tx, row)).unwrap();
            answer(&db, &row.session.id, |row| row.submitted_at = Some(at(1_000))).await;
        }
        let times = read!(db, tx => statistics::decision_times(tx, &world.tenant.id, at(40_000)));
        let expected = [(Source::Automatic, 10, 5, 9), (Source::ManualReview, 2, 60, 90)];
        let expected = expected.map(|(source, count, median, ninetieth)| DecisionTimes {
            source,
            count,
            median: Millis(median * 1_000),
            ninetieth: Millis(ninetieth * 1_000),
        });
        assert_eq!(times, expected, "{name}");
        let none = read!(db, tx => statistics::decision_times(tx, &world.tenant.id, at(60_000)));
        assert_eq!(none, [], "{name}: created before");
        let theirs = read!(db, tx => statistics::decision_times(tx, &world.other.id, at(0)));
        assert_eq!(theirs, [], "{name}");
    }
}

#[tokio::test]
async fn the_median_time_to_decision_is_told_by_the_day_of_the_decision() {
    const DAY: i64 = 86_400_000;
    for Backend { name, db, .. } in backends().await {
        let world = world(&db).await;
        // Submitted just before midnight of the first day: decided on that day, on the next one, and by a person two days later.
        let decided = [
            (DAY - 500, None),
            (DAY, None),
            (DAY + 1_000, None),
            (DAY + 2_000, None),
            (3 * DAY, Some("")),
        ];
        for (number, (decided_at, note)) in (40..).zip(decided) {
            let mut row = session(world.tenant, number);
            row.session.status = Status::Completed;
            row.session.completed_at = Some(at(decided_at));
            row.outcome = Some(outcome(&row, Verdict::Approved, note));
            let row = keep(row);
            write!(db, tx => sessions::insert(tx, row)).unwrap();
            answer(&db, &row.session.id, |row| row.submitted_at = Some(at(DAY - 1_000))).await;
        }
        let days = read!(db, tx => statistics::decision_times_by_day(tx, &world.tenant.id, at(40_000)));
        let expected = [
            (0, Source::Automatic, 500),
            (1, Source::Automatic, 2_000),
            (3, Source::ManualReview, 2 * DAY + 1_000),
        ];
        let expected = expected.map(|(day, source, median)| DecisionDay {
            day,
            source,
            median: Millis(median),
        });
        assert_eq!(days, expected, "{name}");
        let theirs = read!(db, tx => statistics::decision_times_by_day(tx, &world.other.id, at(0)));
        assert_eq!(theirs, [], "{name}");
    }
}

#[tokio::test]
async fn deliveries_are_counted_by_day_and_by_how_they_turned_out() {
    for Backend { name, db, .. } in backends().await {
        let world = world(&db).await;
        let turned_out = [
            (60, DeliveryState::Delivered, 1, None),
            (61, DeliveryState::Delivered, 3, Some(DeliveryFault::Status)),
            (62, DeliveryState::Pending, 2, Some(DeliveryFault::Status)),
            (63, DeliveryState::Abandoned, 9, Some(DeliveryFault::Status)),
            // Resent after it was delivered.
            (64, DeliveryState::Delivered, 2, None),
        ];
        for (number, state, attempts, first_fault) in turned_out {
            let event = keep(expired(world.session, number));
            let stored: Result<(), store::StoreError> = write!(db, tx => async {
                events::insert(tx, event).await?;
                deliveries::insert(tx, event, at(100)).await
            });
            stored.unwrap();
            let before = keep(read!(db, tx => deliveries::find_any(tx, &event.id)).unwrap());
            let mut after = before.clone();
            (after.state, after.attempts) = (state, attempts);
            if state != DeliveryState::Pending {
                (after.next_attempt_at, after.settled_at) = (None, Some(at(2)));
            }
            let after = keep(after);
            let first = keep(deliveries::AttemptRow {
                event: event.id.clone(),
                number: 1,
                attempted_at: at(101),
                duration_ms: 5,
                status: None,
                fault: first_fault.map(Named::Known),
            });
            let saved = write!(db, tx => async {
                delivery_attempts::insert(tx, &world.tenant.id, first).await?;
                deliveries::save(tx, before, after).await
            });
            saved.unwrap();
        }
        let counted = async |tenant, from| read!(db, tx => deliveries::count_by_day(tx, tenant, at(from)));
        let counts = DeliveryCounts {
            at_once: 2,
            later: 1,
            pending: 1,
            abandoned: 1,
        };
        assert_eq!(counted(&world.tenant.id, 60).await, [(0, counts)], "{name}");
        let later = DeliveryCounts {
            at_once: 1,
            ..DeliveryCounts::default()
        };
        assert_eq!(counted(&world.tenant.id, 64).await, [(0, later)], "{name}");
        assert_eq!(counted(&world.other.id, 0).await, [], "{name}");
    }
}

#[tokio::test]
async fn the_queue_grows_and_shrinks_on_the_days_on_which_cases_come_and_go() {
    const DAY: i64 = 86_400_000;
    for Backend { name, db, .. } in backends().await {
        let World {
            tenant,
            other,
            session: one,
            foreign,
            ..
        } = world(&db).await;
        let day = |days: i64, millis: i64| at(days * DAY + millis);
        let two = keep(session(tenant, 7));
        write!(db, tx => sessions::insert(tx, two)).unwrap();
        // Another attempt of a session has a stay of its own.
        let mut again = one.session.clone();
        again.attempt = again.attempt.next();
        let again = keep(again);
        write!(db, tx => queue_stays::enter(tx, &one.session, day(2, 5))).unwrap();
        write!(db, tx => queue_stays::enter(tx, &two.session, day(10, 0))).unwrap();
        write!(db, tx => queue_stays::enter(tx, &foreign.session, day(10, 0))).unwrap();
        write!(db, tx => queue_stays::leave(tx, &one.session.id, day(10, DAY - 1))).unwrap();
        write!(db, tx => queue_stays::leave(tx, &one.session.id, day(11, 0))).unwrap();
        write!(db, tx => queue_stays::enter(tx, again, day(12, 3))).unwrap();
        for (from, changes) in [
            (9, vec![(8, 1), (10, 0), (12, 1)]),
            (2, vec![(2, 1), (10, 0), (12, 1)]),
            (10, vec![(9, 1), (10, 0), (12, 1)]),
            (11, vec![(10, 1), (12, 1)]),
            (13, vec![(12, 2)]),
        ] {
            let found = read!(db, tx => queue_stays::changes_by_day(tx, &tenant.id, day(from, 0)));
            assert_eq!(found, changes, "{name}: from {from}");
        }
        let theirs = read!(db, tx => queue_stays::changes_by_day(tx, &other.id, day(10, 0)));
        assert_eq!(theirs, [(10, 1)], "{name}");
        for (before, removed) in [(10, 0), (11, 1), (11, 0)] {
            let done = write!(db, tx => queue_stays::remove_ended(tx, day(before, 0), 9)).unwrap();
            assert_eq!(done, removed, "{name}: before {before}");
        }
        // A node of an earlier version keeps no stays: none of these sessions is in review, and one that is has no stay.
        let mut waits = session(tenant, 8);
        waits.session.status = Status::Reviewing;
        let mut decided = outcome(&waits, Verdict::NeedsReview, None);
        decided.decided_at = day(14, 0);
        waits.outcome = Some(decided);
        let waits = keep(waits);
        write!(db, tx => sessions::insert(tx, waits)).unwrap();
        // The sweeps of two nodes may meet.
        let repair = async || write!(db, tx => queue_stays::repair(tx, day(15, 0)));
        let (one, other) = futures::join!(repair(), repair());
        assert_eq!(one.unwrap() + other.unwrap(), 4, "{name}");
        assert_eq!(repair().await.unwrap(), 0, "{name}");
        let found = read!(db, tx => queue_stays::changes_by_day(tx, &tenant.id, day(15, 0)));
        assert_eq!(found, [(14, 3), (15, -2)], "{name}");
    }
}
