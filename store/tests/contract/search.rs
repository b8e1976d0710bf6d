//! Finding sessions by their properties.

use crate::fixtures::{World, at, keep, outcome, read, session, world, write};
use domain::{document::DocumentType, ids::SessionId, outcome::Verdict, reasons::Reason, session::Status};
use store::{
    Db, review,
    session::{
        search::{self, DayCount, Filter, Order, Page},
        sessions,
    },
};
use testkit::databases::{Backend, backends};

const NEWEST: Page = Page {
    order: Order::Newest,
    after: None,
    limit: 10,
};

/// Besides session 11 of the world (created at 11 s, open until 3,611 s): 13 is in review, 14 is approved, 15 has failed.
async fn searchable(db: &Db) -> World {
    let world = world(db).await;
    let states = [
        (
            13,
            Status::Reviewing,
            Some(Verdict::NeedsReview),
            Some(DocumentType::Passport),
        ),
        (
            14,
            Status::Completed,
            Some(Verdict::Approved),
            Some(DocumentType::IdCard),
        ),
        (15, Status::Failed, None, None),
    ];
    for (number, status, verdict, kind) in states {
        let mut row = session(world.tenant, number);
        row.session.status = status;
        row.document_type = kind;
        row.outcome = verdict.map(|verdict| outcome(&row, verdict, None));
        row.metadata = (number == 14).then(|| r#"{"Ref":"100%_SURE"}"#.to_owned().into());
        let row = keep(row);
        write!(db, tx => sessions::insert(tx, row)).unwrap();
    }
    world
}

/// The seconds at which the sessions found were created.
async fn found(db: &Db, world: World, filter: Filter, page: Page, now: i64) -> Vec<i64> {
    let (filter, page) = (keep(filter), keep(page));
    read!(db, tx => search::list(tx, &world.tenant.id, filter, page, at(now)))
        .into_iter()
        .map(|found| found.created_at.as_millis() / 1_000)
        .collect()
}

#[tokio::test]
async fn sessions_are_found_by_each_thing_known_of_them() {
    for Backend { name, db, .. } in backends().await {
        let world = searchable(&db).await;
        let all = Filter::default();
        let id = Some(SessionId::from_random([14; 16]));
        let foreign = Some(world.foreign.session.id.clone());
        let cases = [
            (all.clone(), vec![15, 14, 13, 11]),
            (Filter { id, ..all.clone() }, vec![14]),
            (
                Filter {
                    id: foreign,
                    ..all.clone()
                },
                vec![],
            ),
            (
                Filter {
                    status: Some(Status::Reviewing),
                    ..all.clone()
                },
                vec![13],
            ),
            (
                Filter {
                    status: Some(Status::Created),
                    ..all.clone()
                },
                vec![11],
            ),
            (
                Filter {
                    status: Some(Status::Expired),
                    ..all.clone()
                },
                vec![],
            ),
            (
                Filter {
                    verdict: Some(Verdict::Approved),
                    ..all.clone()
                },
                vec![14],
            ),
            (
                Filter {
                    reason: Some(Reason::DocumentExpired),
                    ..all.clone()
                },
                vec![14, 13],
            ),
            (
                Filter {
                    reason: Some(Reason::DocumentTampered),
                    ..all.clone()
                },
                vec![],
            ),
            (
                Filter {
                    document_type: Some(DocumentType::Passport),
                    ..all.clone()
                },
                vec![13],
            ),
            (
                Filter {
                    from: Some(at(13_000)),
                    until: Some(at(15_000)),
                    ..all.clone()
                },
                vec![14, 13],
            ),
            (
                Filter {
                    metadata: Some("a-11".into()),
                    ..all.clone()
                },
                vec![11],
            ),
            (
                Filter {
                    metadata: Some("100%_sure".into()),
                    ..all.clone()
                },
                vec![14],
            ),
            (
                Filter {
                    metadata: Some("100__sure".into()),
                    ..all.clone()
                },
                vec![],
            ),
        ];
        for (filter, expected) in cases {
            assert_eq!(
                found(&db, world, filter.clone(), NEWEST, 20_000).await,
                expected,
                "{name}: {filter:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_session_past_its_deadline_is_found_as_expired_before_that_is_written() {
    for Backend { name, db, .. } in backends().await {
        let world = searchable(&db).await;
        let late = 3_611_000;
        let expired = Filter {
            status: Some(Status::Expired),
            ..Filter::default()
        };
        assert_eq!(
            found(&db, world, expired.clone(), NEWEST, late - 1).await,
            Vec::<i64>::new(),
            "{name}"
        );
        assert_eq!(found(&db, world, expired.clone(), NEWEST, late).await, [11], "{name}");
        let rows = read!(db, tx => search::list(tx, &world.tenant.id, keep(Filter::default()), &NEWEST, at(late)));
        assert_eq!(rows.last().map(|row| row.status), Some(Status::Expired), "{name}");
    }
}

#[tokio::test]
async fn pages_follow_each_other_newest_first() {
    for Backend { name, db, .. } in backends().await {
        let world = searchable(&db).await;
        let after = |number: u8| Some((at(i64::from(number) * 1_000), SessionId::from_random([number; 16])));
        for (after, expected) in [(None, [15, 14]), (after(14), [13, 11])] {
            let page = Page {
                after,
                limit: 2,
                ..NEWEST
            };
            assert_eq!(
                found(&db, world, Filter::default(), page, 20_000).await,
                expected,
                "{name}"
            );
        }
    }
}

/// Detects if the order is that of creation: the case created last has waited longest.
#[tokio::test]
async fn the_queue_begins_with_the_case_that_has_waited_longest() {
    for Backend { name, db, .. } in backends().await {
        let world = searchable(&db).await;
        for (number, decided_at) in [(16, 80_000), (17, 70_000)] {
            let mut row = session(world.tenant, number);
            row.session.status = Status::Reviewing;
            let mut decided = outcome(&row, Verdict::NeedsReview, None);
            decided.decided_at = at(decided_at);
            row.outcome = Some(decided);
            let row = keep(row);
            write!(db, tx => sessions::insert(tx, row)).unwrap();
        }
        let page = |after, limit| Page {
            order: Order::LongestWaiting,
            after,
            limit,
        };
        let all = found(&db, world, Filter::default(), page(None, 10), 90_000).await;
        assert_eq!(all, [13, 17, 16], "{name}");
        let after = Some((at(70_000), SessionId::from_random([17; 16])));
        assert_eq!(
            found(&db, world, Filter::default(), page(after, 10), 90_000).await,
            [16],
            "{name}"
        );
        let mut ruled = session(world.tenant, 17);
        ruled.session.status = Status::Completed;
        ruled.outcome = Some(outcome(&ruled, Verdict::Approved, None));
        let ruled = keep(ruled);
        write!(db, tx => async move { sessions::save(tx, &mut ruled.clone()).await }).unwrap();
        let rest = found(&db, world, Filter::default(), page(None, 10), 90_000).await;
        assert_eq!(rest, [13, 16], "{name}: who is ruled on waits no more");
    }
}

#[tokio::test]
async fn a_list_shows_who_holds_a_case_now() {
    for Backend { name, db, .. } in backends().await {
        let world = searchable(&db).await;
        let case = keep(SessionId::from_random([13; 16]));
        write!(db, tx => review::hold(tx, case, &world.user.id, at(0), at(100))).unwrap();
        let filter = keep(Filter {
            id: Some(case.clone()),
            ..Filter::default()
        });
        for (now, holder) in [
            (99, Some((world.user.id.clone(), world.user.name.clone()))),
            (100, None),
        ] {
            let rows = read!(db, tx => search::list(tx, &world.tenant.id, filter, &NEWEST, at(now)));
            assert_eq!(
                rows.into_iter().map(|row| row.held_by).collect::<Vec<_>>(),
                [holder],
                "{name} at {now}"
            );
        }
    }
}

#[tokio::test]
async fn sessions_are_counted_by_day_and_the_waiting_ones_with_the_longest() {
    for Backend { name, db, .. } in backends().await {
        let World { tenant, other, .. } = searchable(&db).await;
        let count = |status, verdict| DayCount {
            day: 0,
            status,
            verdict,
            count: 1,
        };
        assert_eq!(
            read!(db, tx => search::count_by_day(tx, &tenant.id, at(13_000))),
            [
                count(Status::Completed, Some(Verdict::Approved)),
                count(Status::Failed, None),
                count(Status::Reviewing, Some(Verdict::NeedsReview)),
            ],
            "{name}"
        );
        assert_eq!(
            read!(db, tx => search::backlog(tx, &tenant.id)),
            (1, Some(at(5_000))),
            "{name}"
        );
        assert_eq!(read!(db, tx => search::backlog(tx, &other.id)), (0, None), "{name}");
    }
}
