//! How people get access: invitations, password reset links, operators.

use crate::fixtures::{World, at, keep, read, user as user_of, world, write};
use domain::{
    ids::{InvitationId, UserId},
    role::{Membership, Role},
    time::{Millis, SKEW},
};
use futures::future::join;
use store::{
    StoreError,
    people::{
        LINK_LIFETIME,
        invitations::{self, InvitationRow},
        known_browsers::{self, BrowserRow, LastUse},
        password_resets::{self, ResetRow},
        try_counters,
        users::{self, UserRow},
    },
    settings::tenants::TenantRow,
};
use testkit::databases::{Backend, backends};

fn invitation(tenant: &TenantRow, number: u8, by: Option<&UserRow>) -> InvitationRow {
    InvitationRow {
        id: InvitationId::from_random([number; 16]),
        hash: vec![number; 32],
        membership: Some(Membership {
            tenant: tenant.id.clone(),
            role: Role::Reviewer,
        }),
        operator: false,
        email: format!("invited{number}@example.com"),
        name: format!("Invited {number}"),
        invited_by: by.map(|user| user.id.clone()),
        first_admin: number.is_multiple_of(2),
        created_at: at(i64::from(number)),
        expires_at: at(100),
    }
}

#[tokio::test]
async fn an_invitation_is_found_while_it_is_open_and_taken_once() {
    for Backend { name, db, .. } in backends().await {
        let World { tenant, user, .. } = world(&db).await;
        let row = keep(invitation(tenant, 1, Some(user)));
        let nowhere = keep(InvitationRow {
            membership: None,
            operator: true,
            ..invitation(tenant, 2, None)
        });
        for row in [row, nowhere] {
            write!(db, tx => invitations::insert(tx, row)).unwrap();
            let found = read!(db, tx => invitations::find_open(tx, &row.hash, at(99)));
            assert_eq!(found.as_ref(), Some(row), "{name}");
            assert_eq!(
                read!(db, tx => invitations::find_open(tx, &row.hash, at(100))),
                None,
                "{name}"
            );
        }
        let again = write!(db, tx => invitations::insert(tx, row));
        assert!(matches!(again, Err(StoreError::Duplicate)), "{name}");
        assert_eq!(
            write!(db, tx => invitations::take(tx, &row.hash, at(100))).unwrap(),
            None,
            "{name}: over"
        );
        let take = || async { write!(db, tx => invitations::take(tx, &row.hash, at(99))).unwrap() };
        let (one, two) = join(take(), take()).await;
        assert_eq!(one.xor(two).as_ref(), Some(row), "{name}: of two at once, one");
    }
}

#[tokio::test]
async fn a_tenants_invitations_are_listed_and_revoked_by_id_address_and_inviter() {
    for Backend { name, db, .. } in backends().await {
        let World {
            tenant, other, user, ..
        } = world(&db).await;
        let rows = keep([
            invitation(tenant, 1, Some(user)),
            invitation(tenant, 2, None),
            invitation(tenant, 3, None),
            invitation(other, 4, Some(user)),
            InvitationRow {
                membership: None,
                operator: true,
                ..invitation(tenant, 5, None)
            },
        ]);
        for row in rows {
            write!(db, tx => invitations::insert(tx, row)).unwrap();
        }
        let db = &db;
        let list = |now| async move { read!(db, tx => invitations::list(tx, &tenant.id, at(now))) };
        assert_eq!(list(99).await, rows[..3], "{name}");
        assert!(list(100).await.is_empty(), "{name}: over");
        let foreign = write!(db, tx => invitations::revoke(tx, &tenant.id, &rows[3].id));
        assert!(!foreign.unwrap(), "{name}");
        assert!(
            write!(db, tx => invitations::revoke(tx, &tenant.id, &rows[2].id)).unwrap(),
            "{name}"
        );
        write!(db, tx => invitations::revoke_to(tx, Some(&tenant.id), &rows[1].email)).unwrap();
        assert_eq!(list(99).await, rows[..1], "{name}");
        write!(db, tx => invitations::revoke_to(tx, None, &rows[4].email)).unwrap();
        assert_eq!(
            read!(db, tx => invitations::find_open(tx, &rows[4].hash, at(1))),
            None,
            "{name}"
        );
        let addresses = |now| async move { read!(db, tx => invitations::list_addresses_by(tx, &user.id, at(now))) };
        assert_eq!(
            addresses(99).await,
            [rows[0].email.as_str(), rows[3].email.as_str()],
            "{name}: in any tenant"
        );
        assert!(addresses(100).await.is_empty(), "{name}: over");
        let mut revoked = write!(db, tx => invitations::revoke_by(tx, &user.id)).unwrap();
        revoked.sort_by(|one, other| one.email.cmp(&other.email));
        assert_eq!(revoked, [rows[0].clone(), rows[3].clone()], "{name}");
        assert!(list(99).await.is_empty(), "{name}");
        assert_eq!(
            read!(db, tx => invitations::find_open(tx, &rows[3].hash, at(1))),
            None,
            "{name}"
        );
        write!(db, tx => invitations::insert(tx, &rows[0])).unwrap();
        write!(db, tx => invitations::sweep(tx, at(99))).unwrap();
        assert_eq!(list(1).await.len(), 1, "{name}");
        write!(db, tx => invitations::sweep(tx, at(100))).unwrap();
        assert!(list(1).await.is_empty(), "{name}: swept");
    }
}

#[tokio::test]
async fn a_link_of_a_clock_that_was_ahead_opens_nothing_until_it_counts_as_made_by_the_right_one() {
    let longest = LINK_LIFETIME.0 + SKEW.0;
    for Backend { name, db, .. } in backends().await {
        let World { tenant, user, .. } = world(&db).await;
        let (invited, ahead) = (
            keep(InvitationRow {
                expires_at: at(longest + 10),
                ..invitation(tenant, 1, None)
            }),
            keep(ResetRow {
                expires_at: at(longest + 10),
                ..reset(user, 2, None)
            }),
        );
        write!(db, tx => invitations::insert(tx, invited)).unwrap();
        write!(db, tx => password_resets::put(tx, ahead)).unwrap();
        let opened = async |now: i64| {
            let invitation = read!(db, tx => invitations::find_open(tx, &invited.hash, at(now)));
            let owner = read!(db, tx => password_resets::find_open(tx, &ahead.hash, at(now)));
            (invitation.is_some(), owner.is_some())
        };
        assert_eq!(opened(10).await, (true, true), "{name}: clocks differ by a little");
        assert_eq!(opened(9).await, (false, false), "{name}");
        let taken = write!(db, tx => invitations::take(tx, &invited.hash, at(9))).unwrap();
        assert_eq!(taken, None, "{name}");
        let taken = write!(db, tx => password_resets::take(tx, &ahead.hash, at(9))).unwrap();
        assert_eq!(taken, None, "{name}");
        for (now, brought_back) in [(10, 0), (9, 1), (9, 0)] {
            let count = write!(db, tx => invitations::bring_back(tx, at(now))).unwrap();
            assert_eq!(count, brought_back, "{name}");
            let count = write!(db, tx => password_resets::bring_back(tx, at(now))).unwrap();
            assert_eq!(count, brought_back, "{name}");
        }
        assert_eq!(opened(9).await, (true, true), "{name}");
        assert_eq!(opened(9 + LINK_LIFETIME.0).await, (false, false), "{name}: over");
    }
}

fn reset(user: &UserRow, number: u8, by: Option<&UserRow>) -> ResetRow {
    ResetRow {
        user: user.id.clone(),
        hash: vec![number; 32],
        issued_by: by.map(|user| user.id.clone()),
        expires_at: at(100),
    }
}

#[tokio::test]
async fn a_person_has_one_link_to_a_new_password_which_is_taken_once() {
    for Backend { name, db, .. } in backends().await {
        let World { tenant, user, .. } = world(&db).await;
        let boss = keep(crate::fixtures::user(tenant, 22, Role::Admin));
        write!(db, tx => users::insert(tx, boss)).unwrap();
        let db = &db;
        let open = |number: u8, now| async move {
            let hash: &[u8] = keep([number; 32]);
            read!(db, tx => password_resets::find_open(tx, hash, at(now)))
        };
        let put = |number: u8| async move {
            let row = keep(reset(user, number, Some(boss)));
            write!(db, tx => password_resets::put(tx, row)).unwrap();
        };
        put(1).await;
        put(2).await;
        assert_eq!(open(1, 1).await, None, "{name}: replaced");
        assert_eq!(
            (open(2, 99).await, open(2, 100).await),
            (Some(user.id.clone()), None),
            "{name}"
        );
        let take = |now| async move { write!(db, tx => password_resets::take(tx, &[2; 32], at(now))).unwrap() };
        assert_eq!(take(100).await, None, "{name}: over");
        let (one, two): (Option<UserId>, _) = join(take(99), take(99)).await;
        assert_eq!(one.xor(two), Some(user.id.clone()), "{name}: of two at once, one");
        put(3).await;
        let addresses = |by: &'static UserRow, now| async move {
            read!(db, tx => password_resets::list_addresses_by(tx, &by.id, at(now)))
        };
        assert_eq!(addresses(boss, 99).await, [user.email.as_str()], "{name}");
        assert!(addresses(boss, 100).await.is_empty(), "{name}: over");
        assert!(addresses(user, 99).await.is_empty(), "{name}: theirs, not by them");
        write!(db, tx => password_resets::revoke_by(tx, &user.id)).unwrap();
        assert!(open(3, 1).await.is_some(), "{name}: theirs, not by them");
        write!(db, tx => password_resets::revoke_by(tx, &boss.id)).unwrap();
        assert_eq!(open(3, 1).await, None, "{name}");
        put(4).await;
        write!(db, tx => password_resets::revoke_of(tx, &user.id)).unwrap();
        assert_eq!(open(4, 1).await, None, "{name}");
        put(5).await;
        write!(db, tx => password_resets::sweep(tx, at(99))).unwrap();
        assert!(open(5, 1).await.is_some(), "{name}");
        write!(db, tx => password_resets::sweep(tx, at(100))).unwrap();
        assert_eq!(open(5, 1).await, None, "{name}: swept");
        let from_here = |number: u8| async move {
            let hash: &[u8] = keep([number; 32]);
            read!(db, tx => password_resets::is_from_command_line(tx, hash))
        };
        put(6).await;
        assert!(
            !from_here(6).await && !from_here(7).await,
            "{name}: by the boss, or by nobody"
        );
        let row = keep(reset(user, 7, None));
        write!(db, tx => password_resets::put(tx, row)).unwrap();
        assert!(from_here(7).await, "{name}");
    }
}

#[tokio::test]
async fn a_person_who_is_locked_is_not_changed_by_others_until_the_unit_is_done() {
    for Backend { name, db, .. } in backends().await {
        let World { user, .. } = world(&db).await;
        let before = read!(db, tx => users::find(tx, &user.id));
        let (locked, is_locked) = tokio::sync::oneshot::channel();
        let mut locked = Some(locked);
        let locking = db.write(async move |tx| {
            users::lock(tx, &user.id).await?;
            if let Some(locked) = locked.take() {
                locked.send(()).unwrap();
            }
            let stays = users::find(tx, &user.id).await?.unwrap();
            users::set_password(tx, &user.id, "locked").await?;
            Ok::<_, StoreError>(stays)
        });
        let changing = async {
            is_locked.await.unwrap();
            write!(db, tx => users::set_password(tx, &user.id, "changed")).unwrap();
        };
        let (stays, ()) = join(locking, changing).await;
        assert_eq!(Some(stays.unwrap()), before, "{name}: locking changes nothing");
        let after = read!(db, tx => users::find(tx, &user.id)).unwrap();
        assert_eq!(
            after.password.as_deref(),
            Some("changed"),
            "{name}: after the unit that had locked"
        );
    }
}

#[tokio::test]
async fn operators_are_made_restored_and_counted() {
    for Backend { name, db, .. } in backends().await {
        let World { tenant, user, .. } = world(&db).await;
        let out = keep(UserRow {
            disabled_at: Some(at(5)),
            ..crate::fixtures::user(tenant, 23, Role::Auditor)
        });
        write!(db, tx => users::insert(tx, out)).unwrap();
        assert!(write!(db, tx => users::grant_operator(tx, &user.id)).unwrap(), "{name}");
        assert!(
            !write!(db, tx => users::lock_operators(tx, &user.id)).unwrap(),
            "{name}: the only one"
        );
        assert!(write!(db, tx => users::grant_operator(tx, &out.id)).unwrap(), "{name}");
        assert!(write!(db, tx => users::lock_operators(tx, &user.id)).unwrap(), "{name}");
        let restored = read!(db, tx => users::find(tx, &out.id)).unwrap();
        assert!(restored.operator && restored.disabled_at.is_none(), "{name}");
        write!(db, tx => users::save(tx, out)).unwrap();
        assert!(
            !write!(db, tx => users::lock_operators(tx, &user.id)).unwrap(),
            "{name}: disabled again"
        );
        let nobody = keep(UserId::from_random([99; 16]));
        assert!(!write!(db, tx => users::grant_operator(tx, nobody)).unwrap(), "{name}");
        for had in [true, false] {
            let done = write!(db, tx => users::revoke_operator(tx, &user.id)).unwrap();
            assert_eq!(done, had, "{name}");
            let found = read!(db, tx => users::find(tx, &user.id)).unwrap();
            assert!(!found.operator && found.membership.is_some(), "{name}");
        }
        let homeless = keep(UserRow {
            id: UserId::from_random([24; 16]),
            membership: None,
            email: "olga@host.example".into(),
            operator: true,
            disabled_at: None,
            ..out.clone()
        });
        write!(db, tx => users::insert(tx, homeless)).unwrap();
        assert!(
            !write!(db, tx => users::revoke_operator(tx, &homeless.id)).unwrap(),
            "{name}: nothing would be left of them"
        );
    }
}

#[tokio::test]
async fn an_address_that_is_released_is_free_for_somebody_else() {
    for Backend { name, db, .. } in backends().await {
        let World { tenant, user, .. } = world(&db).await;
        write!(db, tx => users::release_email(tx, &user.id)).unwrap();
        assert_eq!(read!(db, tx => users::find_by_email(tx, &user.email)), None, "{name}");
        let released = read!(db, tx => users::find(tx, &user.id)).unwrap();
        assert_eq!(released.email, format!("released-{}@invalid", user.id), "{name}");
        let owner = keep(UserRow {
            email: user.email.clone(),
            ..user_of(tenant, 25, Role::Reviewer)
        });
        write!(db, tx => users::insert(tx, owner)).unwrap();
        let found = read!(db, tx => users::find_by_email(tx, &user.email));
        assert_eq!(found.as_ref(), Some(owner), "{name}");
    }
}

#[tokio::test]
async fn a_try_is_taken_back_in_its_own_window_only() {
    for Backend { name, db, .. } in backends().await {
        let count = |now| {
            let db = db.clone();
            async move { write!(db, tx => try_counters::count(tx, b"who", at(now), Millis(100))).unwrap() }
        };
        assert_eq!((count(0).await, count(50).await), (1, 2), "{name}");
        write!(db, tx => try_counters::take_back(tx, b"who", at(50))).unwrap();
        assert_eq!(count(60).await, 2, "{name}");
        assert_eq!(count(100).await, 1, "{name}: another window");
        write!(db, tx => try_counters::take_back(tx, b"who", at(60))).unwrap();
        assert_eq!(count(101).await, 2, "{name}: it was counted in the one before");
        for _ in 0..4 {
            write!(db, tx => try_counters::take_back(tx, b"who", at(101))).unwrap();
        }
        assert_eq!(count(102).await, 1, "{name}: never below none");
    }
}

#[tokio::test]
async fn a_browser_keeps_when_it_was_used_last_and_what_was_recorded_until_then() {
    for backend in backends().await {
        let Backend { name, db, .. } = &backend;
        let World { user, .. } = world(db).await;
        let see = async |used: i64, entry: i64| {
            let row = keep(BrowserRow {
                hash: vec![1; 32],
                agent: "agent".into(),
                address: format!("192.0.2.{used}"),
                first_used_at: at(used),
                last_used_at: at(used),
            });
            write!(db, tx => known_browsers::see(tx, &user.id, row, entry)).unwrap()
        };
        let last = |used: i64, entry: Option<i64>| {
            Some(LastUse {
                at: at(used),
                address: format!("192.0.2.{used}"),
                entry,
            })
        };
        assert_eq!(see(1, 10).await, None, "{name}");
        assert_eq!(see(2, 20).await, last(1, Some(10)), "{name}");
        assert_eq!(see(3, 30).await, last(2, Some(20)), "{name}");
        backend.run("UPDATE known_browsers SET last_entry = NULL").await;
        assert_eq!(
            see(4, 40).await,
            last(3, None),
            "{name}: recorded by an earlier version"
        );
    }
}

#[tokio::test]
async fn a_browser_is_known_to_its_person_until_it_is_removed_or_makes_room() {
    for Backend { name, db, .. } in backends().await {
        let World { tenant, user, .. } = world(&db).await;
        let colleague = keep(user_of(tenant, 9, Role::Reviewer));
        write!(db, tx => users::insert(tx, colleague)).unwrap();
        let row = |number: u8, used: i64| {
            keep(BrowserRow {
                hash: vec![number; 32],
                agent: format!("agent {used}"),
                address: format!("192.0.2.{used}"),
                first_used_at: at(used),
                last_used_at: at(used),
            })
        };
        let id = &user.id;
        for (seen, known) in [
            (row(1, 1), false),
            (row(2, 2), false),
            (row(1, 3), true),
            (row(3, 3), false),
        ] {
            let found = write!(db, tx => known_browsers::see(tx, id, seen, 7)).unwrap();
            assert_eq!(found.is_some(), known, "{name}: {seen:?}");
        }
        let both = row(9, 3);
        let (one, other) = (
            async { write!(db, tx => known_browsers::see(tx, id, both, 7)) },
            async { write!(db, tx => known_browsers::see(tx, id, both, 7)) },
        );
        let (one, other) = futures::join!(one, other);
        assert!(
            one.unwrap().is_some() != other.unwrap().is_some(),
            "{name}: of two at the same time, it is new to one"
        );
        write!(db, tx => known_browsers::remove(tx, id, &both.hash)).unwrap();
        let theirs = row(1, 4);
        assert!(
            write!(db, tx => known_browsers::see(tx, &colleague.id, theirs, 7))
                .unwrap()
                .is_none(),
            "{name}: somebody else's is not known"
        );
        let renewed = BrowserRow {
            first_used_at: at(1),
            ..row(1, 3).clone()
        };
        let listed = read!(db, tx => known_browsers::list(tx, id));
        assert_eq!(
            listed,
            [renewed.clone(), row(3, 3).clone(), row(2, 2).clone()],
            "{name}"
        );
        write!(db, tx => known_browsers::keep_newest(tx, id, 2)).unwrap();
        let listed = read!(db, tx => known_browsers::list(tx, id));
        assert_eq!(listed, [renewed, row(3, 3).clone()], "{name}");
        for removed in [true, false] {
            let done = write!(db, tx => known_browsers::remove(tx, id, &[3; 32])).unwrap();
            assert_eq!(done, removed, "{name}");
        }
        for (before, limit, removed) in [(3, 9, 0), (5, 1, 1), (5, 9, 1)] {
            let done = write!(db, tx => known_browsers::remove_unused(tx, at(before), limit)).unwrap();
            assert_eq!(done, removed, "{name}: before {before}");
        }
    }
}
