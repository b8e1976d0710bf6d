//! People, their browsers, their decisions, and the audit log.

use crate::fixtures::{World, at, create, keep, new_session, read, tenant, user, world, write};
use domain::{
    audit::{Actor, AuditAction},
    ids::{ApiKeyId, SecretId, TenantId, UserId},
    named::Named,
    reasons::Reason,
    role::{Membership, Role},
    ruling::{Ruling, latest_end_of_reservation},
    scope::Scopes,
    secret_kind::SecretKind,
    session::AttemptNumber,
    tenant::Mode,
    time::Millis,
};
use store::{
    StoreError,
    audit::{self, Entry},
    people::{
        console_sessions::{self, ConsoleSession},
        set_up_links, try_counters,
        users::{self, ListedPeople, UserRow},
    },
    review::{self, NamedPending, NewRuling, PendingRuling, Reservation, Undone},
    session::sessions::SessionRow,
    settings::{
        api_keys::{self, ApiKeyRow},
        secret_ages::{self, SecretAgeRow},
        tenants, webhook_secrets,
    },
};
use testkit::databases::{Backend, backends};

#[tokio::test]
async fn the_activity_of_each_tenant_is_its_own() {
    for Backend { name, db, .. } in backends().await {
        let World { tenant, other, .. } = world(&db).await;
        let row = |tenant, created_at| {
            let mut row = new_session(tenant);
            row.session.created_at = created_at;
            keep(row)
        };
        for (tenant, created_at) in [
            (&tenant.id, at(99_999)),
            (&tenant.id, at(100_000)),
            (&tenant.id, at(100_001)),
            (&other.id, at(105_000)),
        ] {
            let row = row(tenant, created_at);
            write!(db, tx => create(tx, row, None)).unwrap();
        }
        let later = keep(Entry {
            at: at(109_000),
            ..entry(
                Some(&tenant.id),
                "usr_1",
                AuditAction::SettingsChange.as_str(),
                "tenant",
            )
        });
        write!(db, tx => audit::record(tx, later)).unwrap();
        let found = read!(db, tx => tenants::list_activity(tx, "", at(100_000), 2));
        let of = |id: &TenantId| {
            found
                .iter()
                .find(|one| one.tenant == *id)
                .map(|one| (one.sessions, one.last_at))
        };
        assert_eq!(of(&tenant.id), Some((2, Some(at(109_000)))), "{name}");
        assert_eq!(
            of(&other.id),
            Some((1, Some(at(1_000)))),
            "{name}: the entry of its session"
        );
    }
}

#[tokio::test]
async fn tenants_are_listed_by_name_up_to_a_limit_and_found_by_a_part_of_it() {
    for Backend { name, db, .. } in backends().await {
        for (number, called) in [(1, "shop B"), (2, "Shop A"), (3, "100% Bank"), (4, "1000 Banks")] {
            let row = keep(tenants::TenantRow {
                name: called.to_owned(),
                ..tenant(number)
            });
            write!(db, tx => tenants::insert(tx, row)).unwrap();
        }
        let names = read!(db, tx => tenants::list_names(tx, 3));
        let names: Vec<_> = names.iter().map(|(_, name)| name.as_str()).collect();
        assert!(
            names.contains(&"Shop A") && !names.contains(&"shop B"),
            "{name}: {names:?}"
        );
        let all = read!(db, tx => tenants::list_names(tx, 9));
        assert_eq!(
            all[2..],
            [(tenant(2).id, "Shop A".to_owned()), (tenant(1).id, "shop B".to_owned())],
            "{name}"
        );
        for (part, limit, expected) in [
            ("SHOP", 9, vec!["Shop A", "shop B"]),
            ("shop", 1, vec!["Shop A"]),
            ("100%", 9, vec!["100% Bank"]),
            ("nobody", 9, vec![]),
        ] {
            let found = read!(db, tx => tenants::list_activity(tx, part, at(0), limit));
            let found: Vec<_> = found.iter().map(|one| one.name.as_str()).collect();
            assert_eq!(found, expected, "{name}: {part}");
        }
        let found = read!(db, tx => tenants::list_activity(tx, "shop b", at(0), 9));
        assert_eq!(
            (found[0].created_at, found[0].mode, found[0].last_at),
            (at(1), Mode::Live, None),
            "{name}"
        );
    }
}

#[tokio::test]
async fn people_are_listed_page_by_page_those_who_are_enabled_or_the_others() {
    for Backend { name, db, .. } in backends().await {
        let World {
            tenant,
            other,
            user: first,
            ..
        } = world(&db).await;
        // Two are added at the same time. The last one is disabled.
        let people = keep([(40, 100, None), (41, 100, None), (42, 101, Some(at(200)))].map(
            |(number, added, disabled_at)| UserRow {
                created_at: at(added),
                disabled_at,
                ..user(tenant, number, Role::Reviewer)
            },
        ));
        let theirs = keep(user(other, 43, Role::Admin));
        for person in people.iter().chain([theirs]) {
            write!(db, tx => users::insert(tx, person)).unwrap();
        }
        let ids: Vec<_> = std::iter::once(first).chain(people).map(|person| &person.id).collect();
        let db = &db;
        let listed = |which, limit| async move {
            let (mut all, mut after) = (Vec::new(), None);
            loop {
                let from = keep(after);
                let page = read!(db, tx => users::list_page(tx, &tenant.id, which, from.as_ref(), limit));
                let Some(last) = page.last() else { return all };
                after = Some((last.created_at, last.id.clone()));
                all.extend(page.into_iter().map(|person| person.id));
            }
        };
        for (which, expected) in [
            (ListedPeople::All, &ids[..]),
            (ListedPeople::Enabled, &ids[..3]),
            (ListedPeople::Disabled, &ids[3..]),
        ] {
            for limit in [1, 2, 9] {
                let found: Vec<UserId> = listed(which, limit).await;
                assert!(
                    found.iter().eq(expected.iter().copied()),
                    "{name}: {which:?}, {limit} a page: {found:?}"
                );
            }
        }
    }
}

#[tokio::test]
async fn people_are_found_by_id_and_address_and_listed_by_tenant() {
    for Backend { name, db, .. } in backends().await {
        assert!(!read!(db, tx => users::exist(tx)), "{name}");
        let World {
            tenant,
            other,
            user: reviewer,
            ..
        } = world(&db).await;
        assert!(read!(db, tx => users::exist(tx)), "{name}");
        let operator = UserRow {
            membership: None,
            operator: true,
            ..user(tenant, 31, Role::Admin)
        };
        let (operator, theirs) = (keep(operator), keep(user(other, 32, Role::Admin)));
        let newer = keep(user(tenant, 33, Role::Auditor));
        for person in [operator, theirs, newer] {
            write!(db, tx => users::insert(tx, person)).unwrap();
        }
        for person in [reviewer, operator, theirs] {
            assert_eq!(
                read!(db, tx => users::find(tx, &person.id)).as_ref(),
                Some(person),
                "{name}"
            );
            assert_eq!(
                read!(db, tx => users::find_by_email(tx, &person.email)).as_ref(),
                Some(person),
                "{name}"
            );
        }
        assert_eq!(
            read!(db, tx => users::find_by_email(tx, "nobody@example.com")),
            None,
            "{name}"
        );
        assert_eq!(
            read!(db, tx => users::list(tx, &tenant.id)),
            [reviewer.clone(), newer.clone()],
            "{name}"
        );
        let twin = keep(UserRow {
            id: UserId::from_random([40; 16]),
            ..reviewer.clone()
        });
        let elsewhere = keep(UserRow {
            email: reviewer.email.clone(),
            ..user(other, 41, Role::Admin)
        });
        for another in [twin, elsewhere] {
            let refused = write!(db, tx => users::insert(tx, another));
            assert!(
                matches!(refused, Err(StoreError::Duplicate)),
                "{name}: an address has one account, whatever the tenant"
            );
        }
        let open = keep(UserRow {
            email: "new@example.com".into(),
            password: Some(String::new()),
            ..twin.clone()
        });
        let refused = write!(db, tx => users::insert(tx, open));
        assert!(matches!(refused, Err(StoreError::Refused(_))), "{name}: no password");
        let elsewhere = keep(UserRow {
            email: "new@example.com".into(),
            password: None,
            ..twin.clone()
        });
        write!(db, tx => users::insert(tx, elsewhere)).unwrap();
        assert_eq!(
            read!(db, tx => users::find(tx, &elsewhere.id)).as_ref(),
            Some(elsewhere),
            "{name}"
        );
        let refused = write!(db, tx => users::set_password(tx, &reviewer.id, ""));
        assert!(matches!(refused, Err(StoreError::Refused(_))), "{name}: no password");
    }
}

#[tokio::test]
async fn the_epochs_of_a_persons_sessions_are_counted() {
    for Backend { name, db, .. } in backends().await {
        let World { user, .. } = world(&db).await;
        for epoch in 1..=2 {
            let begun = write!(db, tx => users::begin_session_epoch(tx, &user.id));
            assert_eq!(begun.unwrap(), epoch, "{name}");
            let visit = write!(db, tx => users::mark_visit(tx, &user.id, None, at(epoch)));
            assert_eq!(visit.unwrap().session_epoch, epoch, "{name}");
            let found = read!(db, tx => users::find(tx, &user.id)).unwrap();
            assert_eq!(found.session_epoch, epoch, "{name}");
        }
    }
}

#[tokio::test]
async fn a_persons_place_of_work_address_and_password_are_not_changed_by_saving() {
    for Backend { name, db, .. } in backends().await {
        let World { tenant, user, .. } = world(&db).await;
        let changed = UserRow {
            membership: Some(Membership {
                tenant: tenant.id.clone(),
                role: Role::Admin,
            }),
            name: "Renamed".into(),
            disabled_at: Some(at(9)),
            ..user.clone()
        };
        let asked = keep(UserRow {
            email: "other@example.com".into(),
            password: Some("$argon2id$other".into()),
            ..changed.clone()
        });
        write!(db, tx => users::save(tx, asked)).unwrap();
        assert_eq!(
            read!(db, tx => users::find(tx, &user.id)),
            Some(changed.clone()),
            "{name}"
        );
        write!(db, tx => users::set_password(tx, &user.id, "$argon2id$new")).unwrap();
        let with_password = UserRow {
            password: Some("$argon2id$new".into()),
            ..changed
        };
        assert_eq!(
            read!(db, tx => users::find(tx, &user.id)),
            Some(with_password),
            "{name}"
        );
    }
}

#[tokio::test]
async fn one_used_set_up_link_closes_all() {
    for Backend { name, db, .. } in backends().await {
        let (one, two): (&[u8], &[u8]) = (&[1; 32], &[2; 32]);
        for hash in [one, two] {
            write!(db, tx => set_up_links::insert(tx, hash, at(1))).unwrap();
        }
        assert!(read!(db, tx => set_up_links::is_open(tx, one)), "{name}");
        assert!(!read!(db, tx => set_up_links::is_open(tx, &[3; 32])), "{name}");
        assert!(write!(db, tx => set_up_links::close_all(tx, at(2))).unwrap(), "{name}");
        assert!(
            !write!(db, tx => set_up_links::close_all(tx, at(2))).unwrap(),
            "{name}: again"
        );
        assert!(!read!(db, tx => set_up_links::is_open(tx, two)), "{name}");
        write!(db, tx => set_up_links::insert(tx, &[4; 32], at(3))).unwrap();
        assert!(
            !read!(db, tx => set_up_links::is_open(tx, &[4; 32])),
            "{name}: after the set-up"
        );
    }
}

#[tokio::test]
async fn tries_are_counted_within_their_window() {
    for Backend { name, db, .. } in backends().await {
        let mut counted = Vec::new();
        for now in [0, 40, 99, 100, 150] {
            counted.push(write!(db, tx => try_counters::count(tx, b"who", at(now), Millis(100))).unwrap());
        }
        assert_eq!(counted, [1, 2, 3, 1, 2], "{name}");
        let other = write!(db, tx => try_counters::count(tx, b"else", at(150), Millis(100)));
        assert_eq!(other.unwrap(), 1, "{name}");
        write!(db, tx => try_counters::forget(tx, b"who")).unwrap();
        let again = write!(db, tx => try_counters::count(tx, b"who", at(151), Millis(100)));
        assert_eq!(again.unwrap(), 1, "{name}");
        let set_back = write!(db, tx => try_counters::count(tx, b"else", at(20), Millis(100)));
        assert_eq!(set_back.unwrap(), 1, "{name}: the clock was set back");
        assert_eq!(
            write!(db, tx => try_counters::count(tx, b"else", at(21), Millis(100))).unwrap(),
            2,
            "{name}"
        );
    }
}

#[tokio::test]
async fn tries_are_removed_when_their_window_is_over() {
    for Backend { name, db, .. } in backends().await {
        for (bucket, now) in [(b"a", 0), (b"b", 100), (b"c", 101), (b"d", 300)] {
            write!(db, tx => try_counters::count(tx, bucket, at(now), Millis(100))).unwrap();
        }
        let mut last = None;
        for slice in [Some(b"b".to_vec()), Some(b"d".to_vec()), None] {
            let after = keep(last);
            last = write!(db, tx => try_counters::sweep(tx, at(200), Millis(100), after.as_deref(), 2)).unwrap();
            assert_eq!(last, slice, "{name}");
        }
        let mut counted = Vec::new();
        for bucket in [b"a", b"b", b"c", b"d"] {
            counted.push(write!(db, tx => try_counters::count(tx, bucket, at(200), Millis(1000))).unwrap());
        }
        assert_eq!(counted, [1, 1, 2, 1], "{name}");
    }
}

fn browser(user: Option<&UserId>, number: u8, end: i64) -> ConsoleSession {
    ConsoleSession {
        hash: vec![number; 32],
        user: user.cloned(),
        data: "{}".into(),
        expires_at: at(end),
    }
}

#[tokio::test]
async fn a_browsers_session_ends_and_does_not_come_back() {
    for Backend { name, db, .. } in backends().await {
        let World { user, .. } = world(&db).await;
        let fresh = keep(browser(None, 1, 100));
        write!(db, tx => console_sessions::insert(tx, fresh)).unwrap();
        assert!(matches!(
            write!(db, tx => console_sessions::insert(tx, fresh)),
            Err(StoreError::Duplicate)
        ));
        let signed_in = keep(ConsoleSession {
            data: r#"{"a":1}"#.into(),
            ..browser(Some(&user.id), 1, 200)
        });
        write!(db, tx => console_sessions::save(tx, signed_in)).unwrap();
        let held = write!(db, tx => console_sessions::lock(tx, &signed_in.hash)).unwrap();
        assert_eq!(held.as_ref(), Some(&signed_in.data), "{name}");
        let find = |now| {
            let db = db.clone();
            async move { read!(db, tx => console_sessions::find(tx, &signed_in.hash, at(now))) }
        };
        assert_eq!(find(199).await, Some((r#"{"a":1}"#.to_owned(), at(200))), "{name}");
        assert_eq!(find(200).await, None, "{name}: over");
        for there in [true, false] {
            let ended = write!(db, tx => console_sessions::delete(tx, &signed_in.hash));
            assert_eq!(ended.unwrap(), there, "{name}");
        }
        write!(db, tx => console_sessions::save(tx, signed_in)).unwrap();
        assert_eq!(find(1).await, None, "{name}: signed out");
        let held = write!(db, tx => console_sessions::lock(tx, &signed_in.hash)).unwrap();
        assert_eq!(held, None, "{name}");
    }
}

#[tokio::test]
async fn a_persons_browsers_end_together_and_old_ones_are_removed() {
    for Backend { name, db, .. } in backends().await {
        let World { user, .. } = world(&db).await;
        for session in [
            browser(Some(&user.id), 1, 100),
            browser(Some(&user.id), 2, 100),
            browser(None, 3, 100),
            browser(None, 4, 200),
        ] {
            let session = keep(session);
            write!(db, tx => console_sessions::insert(tx, session)).unwrap();
        }
        assert_eq!(
            write!(db, tx => console_sessions::delete_of(tx, &user.id)).unwrap(),
            2,
            "{name}"
        );
        assert_eq!(
            write!(db, tx => console_sessions::remove_ended(tx, at(100), 10)).unwrap(),
            1,
            "{name}"
        );
        assert!(
            read!(db, tx => console_sessions::find(tx, &[4; 32], at(100))).is_some(),
            "{name}"
        );
    }
}

#[tokio::test]
async fn a_person_lists_and_ends_their_own_browsers_only() {
    for Backend { name, db, .. } in backends().await {
        let World { tenant, user: rita, .. } = world(&db).await;
        let otto = keep(user(tenant, 22, Role::Reviewer));
        write!(db, tx => users::insert(tx, otto)).unwrap();
        for session in [
            browser(Some(&rita.id), 1, 100),
            browser(Some(&rita.id), 2, 200),
            browser(Some(&rita.id), 3, 50),
            browser(Some(&otto.id), 4, 200),
        ] {
            let session = keep(session);
            write!(db, tx => console_sessions::insert(tx, session)).unwrap();
        }
        let listed = read!(db, tx => console_sessions::list_of(tx, &rita.id, at(50)));
        assert_eq!(
            listed,
            [browser(Some(&rita.id), 2, 200), browser(Some(&rita.id), 1, 100)],
            "{name}"
        );
        for (hash, ended) in [([4; 32], false), ([1; 32], true), ([1; 32], false)] {
            let done = write!(db, tx => console_sessions::delete_own(tx, &rita.id, &hash));
            assert_eq!(done.unwrap(), ended, "{name}: {hash:?}");
        }
    }
}

#[tokio::test]
async fn a_case_is_held_by_one_person_until_their_time_is_over_or_they_let_go() {
    for Backend { name, db, .. } in backends().await {
        let World {
            tenant,
            session,
            user: first,
            ..
        } = world(&db).await;
        let second = keep(user(tenant, 22, Role::Reviewer));
        write!(db, tx => users::insert(tx, second)).unwrap();
        let id = &session.session.id;
        let reserve = |person: &'static UserRow, now, until| {
            let db = db.clone();
            async move { write!(db, tx => review::reserve(tx, id, &person.id, at(now), at(until))).unwrap() }
        };
        let held = |person: &UserRow, until| Reservation {
            user: person.id.clone(),
            name: person.name.clone(),
            until: at(until),
            undone: None,
        };
        assert_eq!(reserve(first, 0, 100).await, held(first, 100), "{name}");
        assert_eq!(reserve(second, 50, 150).await, held(first, 100), "{name}: taken");
        assert_eq!(reserve(first, 60, 160).await, held(first, 160), "{name}: renewed");
        assert_eq!(reserve(second, 160, 260).await, held(second, 260), "{name}: over");
        write!(db, tx => review::end_reservations_of(tx, &first.id, at(200))).unwrap();
        assert_eq!(
            read!(db, tx => review::find_reservation(tx, id, at(259))),
            Some(held(second, 260)),
            "{name}: only that of others was ended"
        );
        write!(db, tx => review::end_reservations_of(tx, &second.id, at(200))).unwrap();
        let ended = read!(db, tx => review::find_reservation(tx, id, at(200)));
        assert_eq!(ended, None, "{name}");
        write!(db, tx => review::release(tx, id)).unwrap();
        assert_eq!(
            read!(db, tx => review::find_reservation(tx, id, at(170))),
            None,
            "{name}"
        );
        assert_eq!(reserve(first, 300, 400).await, held(first, 400), "{name}");
        for (now, removed) in [(399, 0), (400, 1), (400, 0)] {
            let swept = write!(db, tx => review::remove_ended_reservations(tx, at(now), 10));
            assert_eq!(swept.unwrap(), removed, "{name}: at {now}");
        }
        // By a clock that was ahead.
        let latest = latest_end_of_reservation(at(500)).as_millis();
        assert_eq!(reserve(first, 500, latest).await, held(first, latest), "{name}");
        assert_eq!(reserve(second, 500, 600).await, held(first, latest), "{name}: taken");
        write!(db, tx => review::remove_ended_reservations(tx, at(500), 10)).unwrap();
        assert_eq!(
            read!(db, tx => review::find_reservation(tx, id, at(500))),
            Some(held(first, latest)),
            "{name}"
        );
        assert_eq!(
            read!(db, tx => review::find_reservation(tx, id, at(499))),
            None,
            "{name}: longer than any"
        );
        assert_eq!(
            reserve(second, 499, 600).await,
            held(second, 600),
            "{name}: longer than any"
        );
        reserve(second, 500, latest).await;
        let swept = write!(db, tx => review::remove_ended_reservations(tx, at(499), 10));
        assert_eq!(swept.unwrap(), 1, "{name}: longer than any");
    }
}

/// On PostgreSQL, a reviewer may reserve a case again while the sweep removes the reservation that has ended.
#[tokio::test]
async fn a_reservation_that_is_made_again_while_ended_ones_are_removed_stays() {
    for backend in backends().await {
        let Backend { name, db, .. } = &backend;
        if *name == "sqlite" {
            // Units run one after another.
            continue;
        }
        let World { session, user, .. } = world(db).await;
        let id = &session.session.id;
        write!(db, tx => review::reserve(tx, id, &user.id, at(0), at(100))).unwrap();
        let again = format!("UPDATE review_holds SET held_until = 300 WHERE session_id = '{id}'");
        let removed = backend
            .beside(&again, async {
                write!(db, tx => review::remove_ended_reservations(tx, at(200), 10))
            })
            .await;
        assert_eq!(removed.unwrap(), 0, "{name}");
        let found = read!(db, tx => review::find_reservation(tx, id, at(200)));
        assert_eq!(found.map(|found| found.until), Some(at(300)), "{name}");
    }
}

#[tokio::test]
async fn an_attempt_is_ruled_on_once_and_its_note_can_be_emptied() {
    for Backend { name, db, .. } in backends().await {
        let World { session, user, .. } = world(&db).await;
        let id = &session.session.id;
        for (attempt, ruling) in [(2, Ruling::Approved), (1, Ruling::AskedAgain)] {
            let new = NewRuling {
                session: id,
                attempt: AttemptNumber::new(attempt),
                user: &user.id,
                ruling,
                note: Some(&[7]),
                at: at(attempt),
            };
            write!(db, tx => review::insert(tx, new)).unwrap();
        }
        let second = NewRuling {
            session: id,
            attempt: AttemptNumber::new(2),
            user: &user.id,
            ruling: Ruling::Rejected,
            note: None,
            at: at(9),
        };
        let again = write!(db, tx => review::insert(tx, second));
        assert!(matches!(again, Err(StoreError::Duplicate)), "{name}");
        let rulings: Vec<_> = read!(db, tx => review::list(tx, id))
            .into_iter()
            .map(|ruled| {
                (
                    ruled.attempt,
                    ruled.ruling,
                    ruled.at,
                    ruled.user,
                    ruled.name,
                    ruled.note,
                )
            })
            .collect();
        let expected = [(1, Ruling::AskedAgain), (2, Ruling::Approved)].map(|(attempt, ruling)| {
            (
                AttemptNumber::new(attempt),
                ruling,
                at(attempt),
                user.id.clone(),
                user.name.clone(),
                Some(vec![7]),
            )
        });
        assert_eq!(rulings, expected, "{name}");
        write!(db, tx => review::erase_notes(tx, id)).unwrap();
        assert!(
            read!(db, tx => review::list(tx, id))
                .iter()
                .all(|ruled| ruled.note.is_none()),
            "{name}"
        );
    }
}

#[tokio::test]
async fn a_case_has_one_pending_decision_which_is_removed_once() {
    for Backend { name, db, .. } in backends().await {
        let World {
            tenant,
            session,
            foreign,
            user,
            ..
        } = world(&db).await;
        let of = |session: &SessionRow, made| PendingRuling {
            session: session.session.id.clone(),
            attempt: AttemptNumber::FIRST,
            user: user.id.clone(),
            ruling: Ruling::Rejected,
            reasons: vec![Reason::DocumentExpired.into(), Named::Other("another".into())],
            note: Some(vec![7]),
            address: "192.0.2.1".into(),
            made_at: at(made),
            due_at: at(made + 10),
        };
        let (late, early) = (keep(of(session, 2)), keep(of(foreign, 1)));
        let colleague = keep(self::user(tenant, 23, Role::Reviewer));
        for pending in [late, early] {
            write!(db, tx => review::insert_pending(tx, pending)).unwrap();
        }
        let again = write!(db, tx => review::insert_pending(tx, late));
        assert!(matches!(again, Err(StoreError::Duplicate)), "{name}");
        let found = read!(db, tx => review::find_pending(tx, &late.session));
        let expected = NamedPending {
            pending: late.clone(),
            name: user.name.clone(),
        };
        assert_eq!(found, Some(expected), "{name}");
        let mine = read!(db, tx => review::list_pending(tx, &user.id));
        assert_eq!(mine, [late.clone(), early.clone()], "{name}: the last one first");
        let replaced = keep(PendingRuling {
            made_at: at(1),
            ..late.clone()
        });
        for (pending, taken) in [(replaced, false), (late, true), (late, false)] {
            let done = write!(db, tx => review::take_pending(tx, pending));
            assert_eq!(done.unwrap(), taken, "{name}: {:?}", pending.made_at);
        }
        // What was undone stays with the reservation while the same person has it.
        write!(db, tx => review::reserve(tx, &late.session, &user.id, at(3), at(100))).unwrap();
        write!(db, tx => review::keep_undone(tx, late)).unwrap();
        let renewed = write!(db, tx => review::reserve(tx, &late.session, &user.id, at(4), at(101))).unwrap();
        let undone = Undone {
            reasons: late.reasons.clone(),
            note: late.note.clone(),
        };
        assert_eq!(renewed.undone, Some(undone), "{name}");
        write!(db, tx => users::insert(tx, colleague)).unwrap();
        let held = |now| {
            let db = db.clone();
            async move { read!(db, tx => review::find_reservation(tx, &late.session, at(now))) }
        };
        write!(db, tx => review::end_reservation(tx, &late.session, &colleague.id, at(5))).unwrap();
        assert!(held(5).await.is_some(), "{name}: another person's");
        write!(db, tx => review::end_reservation(tx, &late.session, &user.id, at(5))).unwrap();
        assert_eq!(held(5).await, None, "{name}: their own");
        let back = write!(db, tx => review::reserve(tx, &late.session, &user.id, at(6), at(101))).unwrap();
        assert_eq!(back.undone, renewed.undone, "{name}: they have come back");
        let next = write!(db, tx => review::reserve(tx, &late.session, &colleague.id, at(101), at(200))).unwrap();
        assert_eq!((next.user, next.undone), (colleague.id.clone(), None), "{name}");
        for removed in [true, false] {
            assert_eq!(
                write!(db, tx => review::remove_pending(tx, &early.session)).unwrap(),
                removed,
                "{name}"
            );
        }
        assert_eq!(read!(db, tx => review::find_pending(tx, &late.session)), None, "{name}");
    }
}

fn entry(tenant: Option<&TenantId>, actor: &str, action: &str, subject: &str) -> Entry {
    Entry {
        at: at(5),
        tenant: tenant.cloned(),
        actor: Actor::parse(actor),
        action: Named::parse(action),
        subject: Some(subject.to_owned()),
        detail: None,
        address: Some("192.0.2.1".into()),
    }
}

#[tokio::test]
async fn an_entry_is_known_by_who_did_what_to_what_from_where_and_when() {
    for Backend { name, db, .. } in backends().await {
        let World {
            tenant, other, user, ..
        } = world(&db).await;
        let like = |tenant, actor| Entry {
            detail: Some("front cap_1, selfie cap_2".into()),
            ..entry(tenant, actor, "case.open", "one")
        };
        let written = keep(like(Some(&tenant.id), user.id.as_str()));
        write!(db, tx => audit::record(tx, written)).unwrap();
        let known = async |like: Entry, part: &'static str, since| {
            let like = keep(like);
            let actions = [AuditAction::CaseOpen, AuditAction::PictureView];
            read!(db, tx => audit::is_recorded(tx, like, actions, part, at(since)))
        };
        assert!(known(written.clone(), "cap_2", 5).await, "{name}");
        assert!(!known(written.clone(), "cap_3", 5).await, "{name}: another picture");
        assert!(
            !known(written.clone(), "cap__", 5).await,
            "{name}: a text and no pattern"
        );
        assert!(!known(written.clone(), "cap_2", 6).await, "{name}: earlier");
        let earlier = Entry {
            at: at(4),
            ..written.clone()
        };
        assert!(
            !known(earlier, "cap_2", 0).await,
            "{name}: written while a clock was ahead"
        );
        assert!(
            !known(like(Some(&tenant.id), "usr_2"), "cap_2", 5).await,
            "{name}: somebody else"
        );
        assert!(
            !known(like(Some(&other.id), user.id.as_str()), "cap_2", 5).await,
            "{name}: another tenant"
        );
        let elsewhere = Entry {
            address: None,
            ..written.clone()
        };
        assert!(!known(elsewhere, "cap_2", 5).await, "{name}: from elsewhere");
        let (db, part) = (&db, "cap_2");
        let others = [AuditAction::CaseRule, AuditAction::CaseUndo];
        assert!(
            !read!(db, tx => audit::is_recorded(tx, written, others, part, at(5))),
            "{name}: something else"
        );
    }
}

#[tokio::test]
async fn what_was_done_since_an_entry_is_known_by_its_number() {
    for Backend { name, db, .. } in backends().await {
        let World {
            tenant, other, user, ..
        } = world(&db).await;
        let done = async |subject: &'static str, number| read!(db, tx => audit::is_done_since(tx, AuditAction::PersonInvite, subject, number));
        let before = read!(db, tx => audit::find_newest(tx, &tenant.id));
        assert!(!done("inv_1", 0).await, "{name}");
        for (action, subject) in [("person.invite", "inv_1"), ("person.join", "inv_2")] {
            let entry = keep(entry(Some(&tenant.id), user.id.as_str(), action, subject));
            write!(db, tx => audit::record(tx, entry)).unwrap();
        }
        let after = read!(db, tx => audit::find_newest(tx, &tenant.id));
        assert!(before < after, "{name}: {before} {after}");
        let elsewhere = keep(entry(Some(&other.id), user.id.as_str(), "person.invite", "inv_3"));
        write!(db, tx => audit::record(tx, elsewhere)).unwrap();
        let newest = read!(db, tx => audit::find_newest(tx, &tenant.id));
        assert_eq!(newest, after, "{name}: nobody sees how much others do");
        assert!(done("inv_1", before).await && !done("inv_1", after).await, "{name}");
        assert!(!done("inv_2", before).await, "{name}: something else");
    }
}

#[tokio::test]
async fn a_tenants_book_is_read_newest_first_page_by_page_and_holds_no_others() {
    for Backend { name, db, .. } in backends().await {
        let World {
            tenant, other, user, ..
        } = world(&db).await;
        let entries = [
            entry(Some(&tenant.id), user.id.as_str(), "session.read", "one"),
            entry(Some(&tenant.id), "system", "session.expired", "two"),
            entry(Some(&other.id), "system", "session.read", "one"),
            entry(None, "system", "user.created", "one"),
            entry(Some(&tenant.id), "key_1", "session.read", "one"),
        ]
        .map(keep);
        for entry in entries {
            write!(db, tx => audit::record(tx, entry)).unwrap();
        }
        let list = |subject: Option<&'static str>, before, limit| {
            let db = db.clone();
            async move { read!(db, tx => audit::list(tx, &tenant.id, subject, before, limit)) }
        };
        let all = list(None, None, 10).await;
        assert_eq!(
            all.iter().map(|r| &r.entry).collect::<Vec<_>>(),
            [entries[4], entries[1], entries[0]],
            "{name}"
        );
        assert_eq!(
            all.iter().map(|r| r.actor_name.as_deref()).collect::<Vec<_>>(),
            [None, None, Some(user.name.as_str())],
            "{name}"
        );
        let page = list(None, Some(all[0].number), 1).await;
        assert_eq!(
            page.iter().map(|r| &r.entry).collect::<Vec<_>>(),
            [entries[1]],
            "{name}"
        );
        let of_one = list(Some("one"), None, 10).await;
        assert_eq!(
            of_one.iter().map(|r| &r.entry).collect::<Vec<_>>(),
            [entries[4], entries[0]],
            "{name}"
        );
    }
}

#[tokio::test]
async fn an_entry_names_the_person_that_it_is_about() {
    for Backend { name, db, .. } in backends().await {
        let World { tenant, user, .. } = world(&db).await;
        for subject in ["one", user.id.as_str()] {
            let written = keep(entry(Some(&tenant.id), "system", "person.change", subject));
            write!(db, tx => audit::record(tx, written)).unwrap();
        }
        let all = read!(db, tx => audit::list(tx, &tenant.id, None, None, 10));
        let names: Vec<_> = all.iter().map(|one| one.subject_name.as_deref()).collect();
        assert_eq!(names, [Some(user.name.as_str()), None], "{name}");
    }
}

#[tokio::test]
async fn a_search_that_looks_at_each_entry_has_a_reach() {
    for Backend { name, db, .. } in backends().await {
        let World { tenant, other, .. } = world(&db).await;
        for of in [&tenant, &other, &tenant, &tenant, &other] {
            let written = keep(entry(Some(&of.id), "system", "session.read", "one"));
            write!(db, tx => audit::record(tx, written)).unwrap();
        }
        let all = read!(db, tx => audit::list(tx, &tenant.id, None, None, 10));
        let [third, second, first] = [0, 1, 2].map(|place| all[place].number);
        for (before, most, expected) in [
            (None, 3, None),
            (None, 2, Some(first + 1)),
            (None, 1, Some(second + 1)),
            (Some(third), 1, Some(first + 1)),
            (Some(third), 2, None),
            (Some(first), 1, None),
        ] {
            let found = read!(db, tx => audit::find_reach(tx, &tenant.id, before, most));
            assert_eq!(found, expected, "{name}: {most} before {before:?}");
        }
        let numbers = keep(second..third);
        let found = read!(db, tx => audit::search(tx, &tenant.id, keep(audit::Filter::default()), numbers, 10));
        assert_eq!(found, all[1..2], "{name}");
    }
}

#[tokio::test]
async fn the_age_of_a_secret_is_that_of_the_one_in_use() {
    for Backend { name, db, .. } in backends().await {
        let row = |kind, mark: &str, since| {
            keep(SecretAgeRow {
                kind,
                mark: mark.to_owned(),
                since: at(since),
            })
        };
        let (key, next) = (row(SecretKind::MasterKey, "1", 5), row(SecretKind::MasterKey, "2", 9));
        let other = row(SecretKind::BucketKey, "hash", 7);
        for new in [key, other] {
            write!(db, tx => secret_ages::put(tx, new, None)).unwrap();
        }
        assert_eq!(
            read!(db, tx => secret_ages::list(tx)),
            [other.clone(), key.clone()],
            "{name}"
        );
        for before in [None, Some("0")] {
            write!(db, tx => secret_ages::put(tx, next, before)).unwrap();
            let kept = read!(db, tx => secret_ages::list(tx));
            assert_eq!(kept, [other.clone(), key.clone()], "{name}: another node was faster");
        }
        write!(db, tx => secret_ages::put(tx, next, Some("1"))).unwrap();
        assert_eq!(
            read!(db, tx => secret_ages::list(tx)),
            [other.clone(), next.clone()],
            "{name}"
        );
    }
}

#[tokio::test]
async fn the_oldest_secret_of_a_tenant_is_one_that_is_valid() {
    for Backend { name, db, .. } in backends().await {
        let World { tenant, other, .. } = world(&db).await;
        let none = read!(db, tx => webhook_secrets::find_oldest(tx, None));
        assert_eq!(none, None, "{name}");
        let ids: Vec<_> = (1..=3).map(|number| SecretId::from_random([number; 16])).collect();
        let ids = keep(ids);
        write!(db, tx => webhook_secrets::insert(tx, &tenant.id, &ids[0], b"old", at(1))).unwrap();
        write!(db, tx => webhook_secrets::insert(tx, &tenant.id, &ids[1], b"new", at(3))).unwrap();
        write!(db, tx => webhook_secrets::insert(tx, &other.id, &ids[2], b"foreign", at(2))).unwrap();
        for (of, oldest) in [(None, 1), (Some(&tenant.id), 1), (Some(&other.id), 2)] {
            let found = read!(db, tx => webhook_secrets::find_oldest(tx, of));
            assert_eq!(found, Some(at(oldest)), "{name}: {of:?}");
        }
        write!(db, tx => webhook_secrets::disable(tx, &tenant.id, &ids[0], at(4))).unwrap();
        let found = read!(db, tx => webhook_secrets::find_oldest(tx, Some(&tenant.id)));
        assert_eq!(found, Some(at(3)), "{name}: the old one is disabled");
        let found = read!(db, tx => webhook_secrets::find_oldest(tx, None));
        assert_eq!(found, Some(at(2)), "{name}");

        let key = |number: u8, created: i64, expires: Option<i64>| {
            keep(ApiKeyRow {
                id: ApiKeyId::from_random([number; 16]),
                tenant: tenant.id.clone(),
                name: "Till".into(),
                prefix: "hk_test".into(),
                hash: vec![number; 32],
                scopes: Scopes::ALL,
                created_at: at(created),
                expires_at: expires.map(at),
                revoked_at: None,
                replaced_at: None,
                last_used_at: None,
                last_used_from: None,
                networks: Vec::new(),
            })
        };
        let revoked = key(2, 2, None);
        for row in [key(1, 1, Some(9)), revoked, key(3, 3, None)] {
            write!(db, tx => api_keys::insert(tx, row)).unwrap();
        }
        write!(db, tx => api_keys::revoke(tx, &tenant.id, &revoked.id, at(5))).unwrap();
        for (now, oldest) in [(8, 1), (9, 3)] {
            let found = read!(db, tx => api_keys::find_oldest(tx, Some(&tenant.id), at(now)));
            assert_eq!(found, Some(at(oldest)), "{name}: at {now}");
        }
        let foreign = read!(db, tx => api_keys::find_oldest(tx, Some(&other.id), at(8)));
        assert_eq!(foreign, None, "{name}");
    }
}
