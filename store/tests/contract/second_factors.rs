//! Second factors: codes and challenges are good once, and nobody uses another person's.

use crate::fixtures::{World, at, keep, read, user, world, write};
use domain::{
    audit::{Actor, AuditAction},
    audit_detail::DetailWord,
    ids::{TenantId, UserId},
    role::Role,
    time::Millis,
};
use store::{
    StoreError,
    audit::{self, Concerns, Entry, RefusedSignIns},
    people::{
        pending_sign_ins::{self, PendingSignInRow},
        provider_accounts::ProviderIdentity,
        second_factors::{self, AuthenticatorRow, PasskeyRow},
        users,
    },
};
use testkit::databases::{Backend, backends, texts_at};

#[tokio::test]
async fn an_authenticator_counts_from_its_first_code_and_each_code_is_good_once() {
    for Backend { name, db, .. } in backends().await {
        let World { user, .. } = world(&db).await;
        let id = &user.id;
        for secret in [&[1_u8; 20], &[2; 20]] {
            write!(db, tx => second_factors::put_authenticator(tx, id, secret, at(1))).unwrap();
        }
        let begun = AuthenticatorRow {
            secret: vec![2; 20],
            created_at: at(1),
            confirmed_at: None,
            last_step: 0,
        };
        assert_eq!(
            read!(db, tx => second_factors::find_authenticator(tx, id)),
            Some(begun),
            "{name}: replaced"
        );
        assert!(
            !read!(db, tx => second_factors::has_any(tx, id)),
            "{name}: not confirmed"
        );
        let dropped = write!(db, tx => second_factors::remove_authenticator(tx, id));
        assert!(!dropped.unwrap(), "{name}: it did not count");
        write!(db, tx => second_factors::put_authenticator(tx, id, &[2; 20], at(1))).unwrap();
        write!(db, tx => second_factors::drop_begun_authenticator(tx, id)).unwrap();
        let none = read!(db, tx => second_factors::find_authenticator(tx, id));
        assert_eq!(none, None, "{name}: the set-up is dropped");
        write!(db, tx => second_factors::put_authenticator(tx, id, &[2; 20], at(1))).unwrap();
        for (secret, step, good) in [
            (1, 10, false),
            (2, 10, true),
            (2, 10, false),
            (2, 9, false),
            (2, 11, true),
        ] {
            let secret = keep([secret; 20]);
            let used = write!(db, tx => second_factors::use_step(tx, id, secret, step, at(step)));
            assert_eq!(used.unwrap(), good, "{name}: {step} of {secret:?}");
        }
        write!(db, tx => second_factors::drop_begun_authenticator(tx, id)).unwrap();
        let confirmed = read!(db, tx => second_factors::find_authenticator(tx, id)).unwrap();
        assert_eq!(
            (confirmed.confirmed_at, confirmed.last_step),
            (Some(at(10)), 11),
            "{name}"
        );
        assert!(read!(db, tx => second_factors::has_any(tx, id)), "{name}");
        let again = write!(db, tx => second_factors::put_authenticator(tx, id, &[3; 20], at(2)));
        assert!(matches!(again, Err(StoreError::Duplicate)), "{name}: confirmed");
        for removed in [true, false] {
            let gone = write!(db, tx => second_factors::remove_authenticator(tx, id));
            assert_eq!(gone.unwrap(), removed, "{name}");
        }
    }
}

#[tokio::test]
async fn an_authenticators_secret_is_replaced_unless_the_person_has_a_new_one() {
    for Backend { name, db, .. } in backends().await {
        let World { user, .. } = world(&db).await;
        let id = &user.id;
        write!(db, tx => second_factors::put_authenticator(tx, id, &[1; 20], at(1))).unwrap();
        for (old, new, stored) in [(1, 2, 2), (1, 3, 2), (2, 4, 4)] {
            let (old, new) = (keep([old; 20]), keep([new; 20]));
            write!(db, tx => second_factors::replace_secret(tx, id, old, new)).unwrap();
            let all = read!(db, tx => second_factors::list_authenticators(tx));
            assert_eq!(all, [(id.clone(), vec![stored; 20])], "{name}");
        }
    }
}

#[tokio::test]
async fn a_recovery_code_is_used_once_and_new_ones_replace_the_old() {
    for Backend { name, db, .. } in backends().await {
        let World { tenant, user: rita, .. } = world(&db).await;
        let otto = keep(user(tenant, 22, Role::Reviewer));
        write!(db, tx => users::insert(tx, otto)).unwrap();
        let codes = keep([vec![1; 32], vec![2; 32]]);
        for person in [rita, otto] {
            write!(db, tx => second_factors::replace_recovery_codes(tx, &person.id, codes)).unwrap();
        }
        for good in [true, false] {
            let used = write!(db, tx => second_factors::use_recovery_code(tx, &rita.id, &codes[0]));
            assert_eq!(used.unwrap(), good, "{name}");
        }
        let left = async |person: &'static store::people::users::UserRow| read!(db, tx => second_factors::count_recovery_codes(tx, &person.id));
        assert_eq!((left(rita).await, left(otto).await), (1, 2), "{name}");
        let hashes = read!(db, tx => second_factors::list_recovery_codes(tx, &otto.id));
        assert_eq!(hashes, *codes, "{name}");
        write!(db, tx => second_factors::replace_recovery_codes(tx, &otto.id, &codes[..1])).unwrap();
        assert_eq!(left(otto).await, 1, "{name}");
    }
}

#[tokio::test]
async fn a_passkey_belongs_to_one_person_and_its_counter_is_compared_and_set() {
    for Backend { name, db, .. } in backends().await {
        let World { tenant, user: rita, .. } = world(&db).await;
        let otto = keep(user(tenant, 22, Role::Reviewer));
        write!(db, tx => users::insert(tx, otto)).unwrap();
        let key = |id: u8, counter| PasskeyRow {
            id: vec![id; 16],
            user: rita.id.clone(),
            name: "Laptop".into(),
            public_key: vec![7; 77],
            counter,
            created_at: at(id.into()),
            last_used_at: None,
        };
        let (first, second) = (keep(key(1, 0)), keep(key(2, 5)));
        for key in [second, first] {
            write!(db, tx => second_factors::insert_passkey(tx, key)).unwrap();
        }
        let stolen = keep(PasskeyRow {
            user: otto.id.clone(),
            ..first.clone()
        });
        let refused = write!(db, tx => second_factors::insert_passkey(tx, stolen));
        assert!(matches!(refused, Err(StoreError::Duplicate)), "{name}");
        let listed = read!(db, tx => second_factors::list_passkeys(tx, &rita.id));
        assert_eq!(listed, [first.clone(), second.clone()], "{name}");
        for good in [true, false] {
            let used = write!(db, tx => second_factors::use_passkey(tx, &second.id, (5, 6), at(9)));
            assert_eq!(used.unwrap(), good, "{name}");
        }
        let used = PasskeyRow {
            counter: 6,
            last_used_at: Some(at(9)),
            ..second.clone()
        };
        assert_eq!(
            read!(db, tx => second_factors::find_passkey(tx, &second.id)),
            Some(used),
            "{name}"
        );
        let foreign = write!(db, tx => second_factors::remove_passkey(tx, &otto.id, &first.id));
        assert!(!foreign.unwrap(), "{name}");
        assert!(
            write!(db, tx => second_factors::remove_passkey(tx, &rita.id, &first.id)).unwrap(),
            "{name}"
        );
        assert!(read!(db, tx => second_factors::has_any(tx, &rita.id)), "{name}");
        write!(db, tx => second_factors::remove_all(tx, &rita.id)).unwrap();
        assert!(!read!(db, tx => second_factors::has_any(tx, &rita.id)), "{name}");
    }
}

#[tokio::test]
async fn a_challenge_is_answered_once_in_time_and_by_whom_it_was_made_for() {
    for Backend { name, db, .. } in backends().await {
        let World { user, .. } = world(&db).await;
        for (hash, owner) in [(&[1_u8; 32], Some(&user.id)), (&[2; 32], None)] {
            write!(db, tx => second_factors::insert_challenge(tx, hash, owner, at(100))).unwrap();
        }
        for (hash, owner, now, good) in [
            (&[1_u8; 32], None, 50, false),
            (&[2; 32], Some(&user.id), 50, false),
            (&[3; 32], None, 50, false),
            (&[1; 32], Some(&user.id), 100, false),
            (&[1; 32], Some(&user.id), 99, true),
            (&[1; 32], Some(&user.id), 99, false),
            (&[2; 32], None, 99, true),
        ] {
            let taken = write!(db, tx => second_factors::take_challenge(tx, hash, owner, at(now)));
            assert_eq!(taken.unwrap(), good, "{name}: {hash:?} {owner:?} {now}");
        }
        for (hash, ends) in [(&[4; 32], 100), (&[5; 32], 100), (&[6; 32], 101)] {
            write!(db, tx => second_factors::insert_challenge(tx, hash, None, at(ends))).unwrap();
        }
        for removed in [1, 1, 0] {
            let swept = write!(db, tx => second_factors::remove_expired_challenges(tx, at(100), 1));
            assert_eq!(swept.unwrap(), removed, "{name}");
        }
        let kept = write!(db, tx => second_factors::take_challenge(tx, &[6; 32], None, at(100)));
        assert!(kept.unwrap(), "{name}");
    }
}

#[tokio::test]
async fn a_visit_knows_where_the_two_before_came_from_and_what_was_recorded_until_then() {
    for Backend { name, db, .. } in backends().await {
        let World { tenant, user, .. } = world(&db).await;
        let entry = |actor: &UserId, action: AuditAction| {
            keep(Entry::new(at(1), Actor::Person(actor.clone()), action).in_tenant(tenant.id.clone()))
        };
        let mut entries = Vec::new();
        for visit in [1, 5, 9] {
            let from = keep(format!("192.0.2.{visit}"));
            let known = write!(db, tx => users::mark_visit(tx, &user.id, Some(from), at(visit))).unwrap();
            let expected: &[&str] = match visit {
                1 => &[],
                5 => &["192.0.2.1"],
                _ => &["192.0.2.5", "192.0.2.1"],
            };
            assert_eq!(
                (known.before, known.session_epoch, known.created_at),
                (expected.iter().map(|&one| one.into()).collect(), 0, user.created_at),
                "{name}: {visit}"
            );
            entries.push(known.entry);
            for action in [AuditAction::KeyIssue, AuditAction::SessionRead] {
                let entry = entry(&user.id, action);
                write!(db, tx => audit::record(tx, entry)).unwrap();
            }
        }
        let second = entries[1];
        let concerns = Concerns {
            user: &user.id,
            home: Some(&tenant.id),
            own: &[AuditAction::KeyIssue, AuditAction::KeyRevoke],
            to_them: &[],
            by_them: &[],
            by_others: &[],
        };
        let since = read!(db, tx => audit::list_news(tx, &tenant.id, second, concerns, 10));
        let actions: Vec<_> = since.iter().map(|one| one.entry.action.as_str()).collect();
        assert_eq!(
            actions,
            ["key.issue", "key.issue"],
            "{name}: of the second and third visit"
        );
        let one = read!(db, tx => audit::list_news(tx, &tenant.id, second, concerns, 1));
        assert_eq!(one, since[..1], "{name}");
    }
}

#[tokio::test]
async fn the_last_entry_before_a_time_is_found_although_numbers_are_missing() {
    for backend in backends().await {
        let Backend { name, db, .. } = &backend;
        let World { user, .. } = world(db).await;
        let none = read!(db, tx => audit::find_number_before(tx, at(i64::MAX)));
        for second in [10, 20, 20, 30, 40, 50, 60, 70] {
            let actor = Actor::Person(user.id.clone());
            let entry = keep(Entry::new(at(second), actor, AuditAction::KeyIssue));
            write!(db, tx => audit::record(tx, entry)).unwrap();
        }
        backend.run("DELETE FROM audit WHERE at IN (10, 40, 50)").await;
        let number = async |time: i64| {
            let before = read!(db, tx => audit::find_number_before(tx, at(time)));
            let sql = format!("SELECT COALESCE(MAX(at), 0) FROM audit WHERE number <= {before}");
            backend.number(keep(sql)).await
        };
        for (time, last) in [(0, 0), (20, 0), (21, 20), (30, 20), (60, 30), (61, 60), (99, 70)] {
            assert_eq!(number(time).await, last, "{name}: before {time}");
        }
        assert_eq!(none, 0, "{name}: there was none");
    }
}

/// On PostgreSQL, an entry has its number before it is committed, and others with greater numbers may be committed first.
#[tokio::test]
async fn a_visit_is_told_at_the_next_one_of_an_entry_that_was_committed_after_greater_numbers() {
    for backend in backends().await {
        let Backend { name, db, .. } = &backend;
        if *name == "sqlite" {
            // Units run one after another.
            continue;
        }
        let World { tenant, user, .. } = world(db).await;
        let mark = async |time: i64| write!(db, tx => users::mark_visit(tx, &user.id, None, at(time))).unwrap();
        let record = async |time: i64, action: AuditAction| {
            let actor = Actor::Person(user.id.clone());
            let entry = keep(Entry::new(at(time), actor, action).in_tenant(tenant.id.clone()));
            write!(db, tx => audit::record(tx, entry)).unwrap();
        };
        let late = format!(
            "INSERT INTO audit (at, tenant_id, actor, action) VALUES (10, '{}', '{}', 'key.issue')",
            tenant.id, user.id
        );
        record(9, AuditAction::SessionRead).await;
        let visit = backend
            .beside(&late, async {
                record(11, AuditAction::SessionRead).await;
                mark(12).await
            })
            .await;
        let concerns = Concerns {
            user: &user.id,
            home: Some(&tenant.id),
            own: &[AuditAction::KeyIssue],
            to_them: &[],
            by_them: &[],
            by_others: &[],
        };
        let told = read!(db, tx => audit::list_news(tx, &tenant.id, visit.entry, concerns, 10));
        let times: Vec<_> = told.iter().map(|one| one.entry.at).collect();
        assert_eq!(times, [at(10)], "{name}");
        // A number that stays missing, as after a unit that was rolled back, does not count for long.
        backend.run("DELETE FROM audit WHERE at = 10").await;
        let minutes_later = 10 + Millis::minutes(10).0;
        record(minutes_later, AuditAction::SessionRead).await;
        let newest = backend.number("SELECT MAX(number) FROM audit").await;
        assert_eq!(mark(minutes_later + 1).await.entry, newest, "{name}");
    }
}

/// An operator who belongs to no tenant, and anybody who was in another one.
#[tokio::test]
async fn what_concerns_an_account_is_found_in_whichever_tenant_it_is_recorded() {
    for Backend { name, db, .. } in backends().await {
        let World { tenant, user, .. } = world(&db).await;
        let me = user.id.as_str();
        let (here, away) = (Some(&tenant.id), Some(keep(TenantId::from_random([77; 16]))));
        let rows = [
            (None, me, AuditAction::PersonSignIn, None, Some("new network")),
            (here, me, AuditAction::PersonSignIn, None, Some("new network")),
            (away, me, AuditAction::PersonSignIn, None, Some("new network")),
            (None, "system", AuditAction::PersonIssueReset, Some(me), None),
            (away, "system", AuditAction::PersonIssueReset, Some(me), None),
            (away, me, AuditAction::FactorAdd, Some(me), None),
            (away, "system", AuditAction::SettingsChange, None, Some("webhook: x")),
            (None, "system", AuditAction::PersonSignInRefused, Some(me), None),
            (away, "system", AuditAction::PersonSignInRefused, Some(me), None),
        ];
        for (second, (tenant, actor, action, subject, detail)) in (1..).zip(rows) {
            let entry = keep(Entry {
                at: at(second),
                tenant: tenant.cloned(),
                actor: Actor::parse(actor),
                action: action.into(),
                subject: subject.map(str::to_owned),
                detail: detail.map(str::to_owned),
                address: None,
            });
            write!(db, tx => audit::record(tx, entry)).unwrap();
        }
        for (home, seconds) in [(None, [1, 4, 5, 6]), (here, [2, 4, 5, 6])] {
            let concerns = Concerns {
                user: &user.id,
                home,
                own: &[AuditAction::PersonSignIn, AuditAction::FactorAdd],
                to_them: &[AuditAction::PersonIssueReset],
                by_them: &[],
                by_others: &[AuditAction::SettingsChange],
            };
            let found = read!(db, tx => audit::list_news(tx, &tenant.id, 0, concerns, 50));
            let told: Vec<_> = found.iter().rev().map(|one| one.entry.at).collect();
            assert_eq!(told, seconds.map(at), "{name}: {home:?}");
        }
        let refused = read!(db, tx => audit::find_refused_sign_ins(tx, 0, &user.id)).unwrap();
        assert_eq!(refused.count, 2, "{name}");
    }
}

#[tokio::test]
async fn news_are_what_somebody_did_or_suffered_and_what_others_did() {
    for Backend { name, db, .. } in backends().await {
        let World { tenant, user, .. } = world(&db).await;
        let (me, other) = (user.id.as_str(), "usr_0123456789abcdef0123456789abcdef");
        let rows = [
            (me, AuditAction::FactorAdd, Some(me), None, true),
            (other, AuditAction::FactorRemove, Some(me), None, true),
            (other, AuditAction::FactorRemove, Some(other), None, false),
            (me, AuditAction::PersonSignIn, None, Some("code"), false),
            (me, AuditAction::PersonSignIn, None, Some("code, new network"), true),
            (
                me,
                AuditAction::PersonSignIn,
                None,
                Some("new browser: Edge on Windows"),
                true,
            ),
            (
                me,
                AuditAction::PersonSignIn,
                None,
                Some("code, new network, new browser: unknown"),
                true,
            ),
            (other, AuditAction::PersonSignIn, None, Some("new network"), false),
            (other, AuditAction::PersonIssueReset, Some(me), None, true),
            (me, AuditAction::PersonIssueReset, Some(other), None, false),
            (
                other,
                AuditAction::SettingsChange,
                None,
                Some("webhook: \"a\" → \"b\""),
                true,
            ),
            (other, AuditAction::SettingsChange, None, Some("look: name"), false),
            (other, AuditAction::SettingsChange, None, None, false),
            (me, AuditAction::SettingsChange, None, Some("webhook: x"), true),
            (me, AuditAction::SettingsChange, None, Some("look: name"), false),
            (me, AuditAction::KeyIssue, None, Some("create"), true),
            (me, AuditAction::KeyRevoke, None, None, false),
            (
                me,
                AuditAction::PersonChange,
                Some(other),
                Some("reviewer → admin"),
                true,
            ),
            (me, AuditAction::PersonChange, Some(other), Some("disabled"), false),
            (other, AuditAction::KeyIssue, None, Some("create"), false),
            (other, AuditAction::PersonChange, Some(other), Some("admin"), true),
            (
                other,
                AuditAction::PersonChange,
                Some(other),
                Some("reviewer → admin"),
                true,
            ),
            (
                other,
                AuditAction::PersonChange,
                Some(other),
                Some("admin → reviewer"),
                false,
            ),
            (other, AuditAction::PersonChange, Some(other), Some("reviewer"), false),
            (other, AuditAction::PersonChange, Some(me), Some("reviewer"), true),
            (other, AuditAction::KeyRevoke, None, None, false),
        ];
        for (second, (actor, action, subject, detail, _)) in (1..).zip(rows) {
            let entry = keep(Entry {
                at: at(second),
                tenant: Some(tenant.id.clone()),
                actor: Actor::parse(actor),
                action: action.into(),
                subject: subject.map(str::to_owned),
                detail: detail.map(str::to_owned),
                address: None,
            });
            write!(db, tx => audit::record(tx, entry)).unwrap();
        }
        let concerns = Concerns {
            user: &user.id,
            home: Some(&tenant.id),
            own: &[
                AuditAction::FactorAdd,
                AuditAction::FactorRemove,
                AuditAction::PersonSignIn,
            ],
            to_them: &[AuditAction::PersonIssueReset, AuditAction::PersonChange],
            by_them: &[
                AuditAction::KeyIssue,
                AuditAction::SettingsChange,
                AuditAction::PersonChange,
            ],
            by_others: &[AuditAction::SettingsChange, AuditAction::PersonChange],
        };
        let found = read!(db, tx => audit::list_news(tx, &tenant.id, 0, concerns, 50));
        let newest = found.first().map(|one| one.subject_name.as_deref());
        assert_eq!(newest, Some(Some(user.name.as_str())), "{name}: whom it is about");
        let told: Vec<_> = found.iter().rev().map(|one| one.entry.at).collect();
        let wanted = (1..).zip(rows).filter(|(_, (.., wanted))| *wanted);
        let wanted: Vec<_> = wanted.map(|(second, _)| at(second)).collect();
        assert_eq!(told, wanted, "{name}");
    }
}

/// A busy tenant writes as many entries in a few hours.
#[tokio::test]
async fn news_are_found_in_an_index_however_much_was_recorded_since() {
    for backend in backends().await {
        let Backend { name, db, .. } = &backend;
        let World { tenant, user, .. } = world(db).await;
        let removed = keep(Entry {
            at: at(1),
            tenant: Some(tenant.id.clone()),
            actor: Actor::parse("usr_0123456789abcdef0123456789abcdef"),
            action: AuditAction::FactorRemove.into(),
            subject: Some(user.id.to_string()),
            detail: None,
            address: None,
        });
        write!(db, tx => audit::record(tx, removed)).unwrap();
        let busy = keep(format!(
            "INSERT INTO audit (at, tenant_id, actor, action)
             WITH RECURSIVE entries (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM entries WHERE n <= {})
             SELECT 2, '{}', 'key_1', 'session.read' FROM entries",
            audit::SEARCHED,
            tenant.id
        ));
        assert!(backend.run(busy).await > 20_000, "{name}");
        let concerns = Concerns {
            user: &user.id,
            home: Some(&tenant.id),
            own: &[AuditAction::FactorRemove],
            to_them: &[],
            by_them: &[],
            by_others: &[],
        };
        let found = read!(db, tx => audit::list_news(tx, &tenant.id, 0, concerns, 50));
        let told: Vec<_> = found.iter().map(|one| &one.entry).collect();
        assert_eq!(told, [removed], "{name}");
        backend.run("ANALYZE audit").await;
        let asked = format!(
            "SELECT action FROM audit WHERE tenant_id = '{}' AND number > 0 AND action IN ({}) ORDER BY number DESC LIMIT 50",
            tenant.id,
            audit::NEWS
        );
        // SQLite refuses to prepare a statement that names an index of no use to it; PostgreSQL says which one it takes.
        let plan = match *name {
            "sqlite" => asked.replace("FROM audit", "FROM audit INDEXED BY audit_news"),
            _ => format!("EXPLAIN {asked}"),
        };
        let lines = texts_at(&backend.url, keep(plan)).await.join("\n");
        assert!(*name == "sqlite" || lines.contains("audit_news"), "{name}: {lines}");
        // So are those of somebody without a tenant, and those about an account.
        let about = format!("subject = '{}'", user.id);
        for (clause, index) in [("tenant_id IS NULL", "audit_news"), (&*about, "audit_of_subject")] {
            let asked = asked.replace(&format!("tenant_id = '{}'", tenant.id), clause);
            let plan = match *name {
                "sqlite" => asked.replace("FROM audit", &format!("FROM audit INDEXED BY {index}")),
                _ => format!("EXPLAIN {asked}"),
            };
            let lines = texts_at(&backend.url, keep(plan)).await.join("\n");
            assert!(!lines.contains("Seq Scan"), "{name}: {lines}");
        }
    }
}

#[tokio::test]
async fn refused_sign_ins_are_those_to_one_account_after_an_entry() {
    for Backend { name, db, .. } in backends().await {
        let World { tenant, user, .. } = world(&db).await;
        let (me, other) = (user.id.as_str(), "usr_0123456789abcdef0123456789abcdef");
        let rows = [
            (AuditAction::PersonSignInRefused, me, None),
            (AuditAction::PersonSignInRefused, other, None),
            (AuditAction::PersonSignIn, me, Some(DetailWord::Code)),
            (AuditAction::PersonSignInRefused, me, Some(DetailWord::Code)),
            (AuditAction::PersonSignInRefused, me, Some(DetailWord::SecondPasskey)),
            (AuditAction::PersonSignInRefused, me, Some(DetailWord::Stopped)),
            (AuditAction::PersonSignInRefused, me, Some(DetailWord::Passkey)),
        ];
        for (second, (action, subject, detail)) in (1..).zip(rows) {
            let entry = keep(Entry {
                at: at(second),
                tenant: Some(tenant.id.clone()),
                actor: Actor::System,
                action: action.into(),
                subject: Some(subject.to_owned()),
                detail: detail.map(|word| word.to_string()),
                address: Some(format!("192.0.2.{second}")),
            });
            write!(db, tx => audit::record(tx, entry)).unwrap();
        }
        let entries = read!(db, tx => audit::list(tx, &tenant.id, Some(me), None, 10));
        let (first, last) = (entries[5].number, entries[0].number);
        for (after, count, wrong_second_factor, stopped) in [(0, 5, 2, 1), (first, 4, 2, 1), (last, 0, 0, 0)] {
            let found = read!(db, tx => audit::find_refused_sign_ins(tx, after, &user.id));
            let wanted = (count > 0).then(|| RefusedSignIns {
                count,
                wrong_second_factor,
                stopped,
                last_at: at(7),
                last_from: Some("192.0.2.7".to_owned()),
            });
            assert_eq!(found, wanted, "{name}, {after}");
        }
    }
}

#[tokio::test]
async fn a_pending_sign_in_is_taken_once() {
    for Backend { name, db, .. } in backends().await {
        let World { user, .. } = world(&db).await;
        let row = |from: &str| {
            keep(PendingSignInRow {
                user: user.id.clone(),
                address: from.to_owned(),
                refused: false,
                counted_at: (from == "192.0.2.1").then(|| at(7)),
                to_link: (from == "192.0.2.2").then(|| ProviderIdentity {
                    issuer: "https://login.example".to_owned(),
                    subject: "u-1".to_owned(),
                }),
            })
        };
        let (one, other) = (row("192.0.2.1"), row("192.0.2.2"));
        let first = write!(db, tx => pending_sign_ins::insert(tx, one)).unwrap();
        let second = write!(db, tx => pending_sign_ins::insert(tx, other)).unwrap();
        for (number, found) in [(second, Some(other)), (second, None), (first, Some(one)), (first, None)] {
            let taken = write!(db, tx => pending_sign_ins::take(tx, number)).unwrap();
            assert_eq!(taken.as_ref(), found, "{name}: {number}");
        }
    }
}

#[tokio::test]
async fn the_pending_sign_ins_of_a_person_end_together_and_say_which_were_refused() {
    for Backend { name, db, .. } in backends().await {
        let World { tenant, user: rita, .. } = world(&db).await;
        let otto = keep(user(tenant, 22, Role::Reviewer));
        write!(db, tx => users::insert(tx, otto)).unwrap();
        let begin = async |user: &UserId, from: &str| {
            let row = keep(PendingSignInRow {
                user: user.clone(),
                address: from.to_owned(),
                refused: false,
                counted_at: None,
                to_link: None,
            });
            write!(db, tx => pending_sign_ins::insert(tx, row)).unwrap()
        };
        let first = begin(&rita.id, "192.0.2.1").await;
        begin(&rita.id, "192.0.2.2").await;
        let other = begin(&otto.id, "192.0.2.3").await;
        write!(db, tx => pending_sign_ins::mark_refused(tx, first)).unwrap();
        let is_there =
            async |user: &'static UserId, number| read!(db, tx => pending_sign_ins::exists(tx, user, number));
        assert!(is_there(&rita.id, first).await, "{name}");
        assert!(!is_there(&rita.id, other).await, "{name}: somebody else's");
        let mut ended = write!(db, tx => pending_sign_ins::take_of(tx, &rita.id)).unwrap();
        ended.sort_by(|one, other| one.address.cmp(&other.address));
        let told: Vec<_> = ended.iter().map(|row| (row.address.as_str(), row.refused)).collect();
        assert_eq!(told, [("192.0.2.1", true), ("192.0.2.2", false)], "{name}");
        assert!(!is_there(&rita.id, first).await, "{name}");
        assert!(is_there(&otto.id, other).await, "{name}");
        let none = write!(db, tx => pending_sign_ins::take_of(tx, &rita.id)).unwrap();
        assert_eq!(none, [], "{name}");
    }
}
