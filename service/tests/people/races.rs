//! Rules that count rows hold under concurrency: an admin remains, a secret remains, only one person is the first. On SQLite
//! and, if `HONNIN_TEST_POSTGRES` names a server, on Postgres.
//!
//! Planted faults that these tests detect on Postgres: `tenants::lock` that does nothing, `users::lock_operators` that locks
//! nobody, second factors that are changed before the person is locked, an invitation before which the tenant is not locked.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use domain::{audit::AuditAction, ids::UserId, role::Role, secret::Secret, session::Step};
use futures::future::{join, join_all};
use service::{
    Honnin,
    access::{Admin, CommandLine, Developer, Rank, Roster, Staff},
    people::{
        Change, ListedPeople, NewPerson, PeopleError, PeopleFilter,
        accept_invitation::{AcceptError, accept_invitation},
        change_password::change_password,
        change_person,
        command_line::{grant_operator, revoke_operator},
        console_session,
        invite::{
            self, InviteError, Invited, Offer, RevokeInvitationError, draft_invitation, invite_from_here,
            revoke_invitation,
        },
        list_people,
        openid::unlink_from_here,
        reset_password::{ResetError, issue_reset, reset_password},
        second_factor::{
            list_factors, passkeys, remove_authenticator, remove_from_here, remove_of, renew_recovery_codes,
        },
        set_up::{SetUp, SetUpError, set_up, set_up_link},
    },
    settings::api_keys::{RevokeKeyError, draft_key, revoke_key},
    webhook::signing_secret::{self, DisableSecretError},
};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use store::audit;
use testkit::{Harness, client_at, databases::backends, loopback_sender, sign_in};

/// Enough rounds for two units to overlap.
const ROUNDS: usize = 20;

/// Invites a person with a form of its own.
async fn invite(honnin: &Honnin, roster: &Roster, person: NewPerson, role: Role) -> Result<Invited, InviteError> {
    invite::invite(honnin, roster, draft_invitation(honnin), person, role).await
}

async fn harnesses() -> Vec<(&'static str, Harness)> {
    let mut all = Vec::new();
    for database in backends().await {
        let name = database.name;
        let harness = Harness::on(database, Default::default(), loopback_sender(), Default::default()).await;
        all.push((name, harness));
    }
    all
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_admins_who_shut_each_other_out_one_stays() {
    for (name, harness) in harnesses().await {
        let honnin = &harness.honnin;
        let mut admin = Admin::of(&harness.staff(Role::Admin).await).unwrap();
        for round in 0..ROUNDS {
            let other = Admin::of(&harness.staff(Role::Admin).await).unwrap();
            let out = Change::Disable;
            let (one, two) = join(
                change_person(honnin, &admin, other.staff().user(), out),
                change_person(honnin, &other, admin.staff().user(), out),
            )
            .await;
            let told = (one.is_ok(), two.is_ok());
            for lost in [one, two].into_iter().filter_map(Result::err) {
                assert!(matches!(lost, PeopleError::Forbidden), "{name}, {round}: {lost:?}");
            }
            admin = match told {
                (true, false) => admin,
                (false, true) => other,
                neither => panic!("{name}, round {round}: {neither:?}"),
            };
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_the_last_two_admins_who_leave_at_once_one_stays() {
    for (name, harness) in harnesses().await {
        let honnin = &harness.honnin;
        let mut admin = Admin::of(&harness.staff(Role::Admin).await).unwrap();
        for round in 0..ROUNDS {
            let other = Admin::of(&harness.staff(Role::Admin).await).unwrap();
            let out = Change::Role(Role::Auditor);
            let (one, two) = join(
                change_person(honnin, &admin, admin.staff().user(), out),
                change_person(honnin, &other, other.staff().user(), out),
            )
            .await;
            admin = match (one, two) {
                (Err(PeopleError::LastAdmin), Ok(())) => admin,
                (Ok(()), Err(PeopleError::LastAdmin)) => other,
                neither => panic!("{name}, round {round}: {neither:?}"),
            };
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_admins_who_remove_each_others_factors_one_is_signed_out_first() {
    for (name, harness) in harnesses().await {
        let honnin = &harness.honnin;
        for round in 0..ROUNDS {
            let admin = Admin::of(&harness.staff(Role::Admin).await).unwrap();
            let other = Admin::of(&harness.staff(Role::Admin).await).unwrap();
            let (one, two) = join(
                remove_of(honnin, &admin, other.staff().user()),
                remove_of(honnin, &other, admin.staff().user()),
            )
            .await;
            match (one, two) {
                (Ok(()), Err(PeopleError::Forbidden)) | (Err(PeopleError::Forbidden), Ok(())) => {}
                neither => panic!("{name}, round {round}: {neither:?}"),
            }
        }
    }
}

/// Detects if only the middleware asks what somebody is.
#[tokio::test]
async fn whoever_is_shut_out_changes_nobody_with_a_request_that_is_under_way() {
    for (name, harness) in harnesses().await {
        let honnin = &harness.honnin;
        let boss = Admin::of(&harness.staff(Role::Admin).await).unwrap();
        let colleague = harness.staff(Role::Reviewer).await;
        for out in ["demoted", "disabled", "signed out"] {
            let leaving = Admin::of(&harness.staff(Role::Admin).await).unwrap();
            match out {
                "demoted" => change_person(honnin, &boss, leaving.staff().user(), Change::Role(Role::Auditor))
                    .await
                    .unwrap(),
                "disabled" => change_person(honnin, &boss, leaving.staff().user(), Change::Disable)
                    .await
                    .unwrap(),
                _ => {
                    let ended = console_session::sign_out_everywhere(honnin, leaving.staff()).await;
                    assert!(ended.is_ok(), "{name}: {ended:?}");
                }
            }
            for change in [Change::Role(Role::Admin), Change::Disable] {
                let late = change_person(honnin, &leaving, colleague.user(), change).await;
                assert!(matches!(late, Err(PeopleError::Forbidden)), "{name}, {out}: {late:?}");
            }
            // Nor do they give themselves back what they had.
            let late = change_person(honnin, &leaving, leaving.staff().user(), Change::Role(Role::Admin)).await;
            assert!(matches!(late, Err(PeopleError::Forbidden)), "{name}, {out}: {late:?}");
            let late = remove_of(honnin, &leaving, colleague.user()).await;
            assert!(matches!(late, Err(PeopleError::Forbidden)), "{name}, {out}: {late:?}");
            let late = issue_reset(honnin, &leaving, colleague.user(), None).await;
            assert!(matches!(late, Err(PeopleError::Forbidden)), "{name}, {out}: {late:?}");
            let roster = Roster::of(leaving.staff()).unwrap();
            let person = NewPerson {
                email: "mole@shop.example".into(),
                name: "Mole".into(),
            };
            let late = invite(honnin, &roster, person, Role::Admin).await;
            assert!(matches!(late, Err(InviteError::Forbidden)), "{name}, {out}: {late:?}");
            let late = revoke_invitation(honnin, &roster, &draft_invitation(honnin)).await;
            assert!(
                matches!(late, Err(RevokeInvitationError::Forbidden(_))),
                "{name}, {out}: {late:?}"
            );
            let developer = Developer::of(leaving.staff()).unwrap();
            let late = revoke_key(honnin, &developer, &draft_key(honnin)).await;
            assert!(
                matches!(late, Err(RevokeKeyError::Forbidden(_))),
                "{name}, {out}: {late:?}"
            );
        }
        let after = service::access::staff(honnin, colleague.user(), None, testkit::localhost()).await;
        let after = after.unwrap().unwrap();
        assert_eq!(
            (after.rank(), after.session_epoch()),
            (Rank::Role(Role::Reviewer), colleague.session_epoch()),
            "{name}"
        );
    }
}

#[tokio::test]
async fn an_admin_who_is_no_operator_any_more_changes_no_operator_with_a_request_that_is_under_way() {
    for (name, harness) in harnesses().await {
        let honnin = &harness.honnin;
        let tenant = Some(&harness.tenant.id);
        let mut operators = Vec::new();
        for who in ["olga", "otto"] {
            let email = format!("{who}@host.example");
            let person = NewPerson {
                email: email.clone(),
                name: "Somebody".into(),
            };
            let offer = Offer::of(harness.tenant.id.clone(), Role::Admin);
            let invited = invite_from_here(honnin, CommandLine::here(), offer, person).await;
            let id = come_in(honnin, &invited.unwrap()).await.unwrap();
            grant_operator(honnin, CommandLine::here(), &email, tenant)
                .await
                .unwrap();
            let staff = service::access::staff(honnin, &id, tenant, testkit::localhost()).await;
            operators.push(Admin::of(&staff.unwrap().unwrap()).unwrap());
        }
        let [olga, otto] = operators.as_slice() else {
            panic!("{name}")
        };
        revoke_operator(honnin, CommandLine::here(), "olga@host.example")
            .await
            .unwrap();
        let late = change_person(honnin, olga, otto.staff().user(), Change::Disable).await;
        assert!(matches!(late, Err(PeopleError::Forbidden)), "{name}: {late:?}");
        let late = issue_reset(honnin, olga, otto.staff().user(), None).await;
        assert!(matches!(late, Err(PeopleError::Forbidden)), "{name}: {late:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_who_end_a_rotation_with_different_secrets_one_is_told() {
    for (name, harness) in harnesses().await {
        let (honnin, developer) = (&harness.honnin, harness.developer().await);
        signing_secret::issue(honnin, &developer, signing_secret::draft(honnin))
            .await
            .unwrap();
        for round in 0..ROUNDS {
            signing_secret::issue(honnin, &developer, signing_secret::draft(honnin))
                .await
                .unwrap();
            let valid = valid_secrets(&harness, &developer).await;
            let (one, two) = join(
                signing_secret::disable(honnin, &developer, &valid[0]),
                signing_secret::disable(honnin, &developer, &valid[1]),
            )
            .await;
            assert_eq!(
                u32::from(one.is_ok()) + u32::from(two.is_ok()),
                1,
                "{name}, round {round}"
            );
            let lost = one.and(two).unwrap_err();
            assert!(matches!(lost, DisableSecretError::OnlyOne), "{name}, {round}: {lost:?}");
            assert_eq!(
                valid_secrets(&harness, &developer).await.len(),
                1,
                "{name}, round {round}"
            );
        }
    }
}

async fn valid_secrets(harness: &Harness, developer: &Developer) -> Vec<domain::ids::SecretId> {
    let all = signing_secret::list(&harness.honnin, developer).await.unwrap();
    let valid = all.into_iter().filter(|secret| secret.disabled_at.is_none());
    valid.map(|secret| secret.id).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_who_set_up_with_links_of_their_own_one_is_the_first() {
    for (name, harness) in harnesses().await {
        let mut tokens = Vec::new();
        for _ in 0..2 {
            let link = set_up_link(&harness.honnin).await.unwrap().unwrap();
            tokens.push(link.expose().rsplit('/').next().unwrap().to_owned());
        }
        let form = |email: &str| SetUp {
            organisation: "Example Shop".into(),
            email: email.into(),
            name: "First Person".into(),
            password: Secret::new("correct horse battery".into()),
        };
        let here = client_at(testkit::localhost());
        let (one, two) = join(
            set_up(&harness.honnin, &tokens[0], form("one@shop.example"), &here),
            set_up(&harness.honnin, &tokens[1], form("two@shop.example"), &here),
        )
        .await;
        assert_eq!(u32::from(one.is_ok()) + u32::from(two.is_ok()), 1, "{name}");
        assert!(matches!(one.and(two), Err(SetUpError::Closed)), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn whoever_changes_their_password_while_they_are_shut_out_stays_out() {
    for (name, harness) in harnesses().await {
        let (honnin, admin) = (&harness.honnin, Admin::of(&harness.staff(Role::Admin).await).unwrap());
        let password = || Secret::new("correct horse battery".to_owned());
        let id = harness
            .invited("somebody@shop.example", Role::Reviewer, password().expose())
            .await;
        let somebody: Staff = service::access::staff(honnin, &id, None, testkit::localhost())
            .await
            .unwrap()
            .unwrap();
        let new = Secret::new("an entirely new sentence".to_owned());
        let (changed, out) = join(
            change_password(honnin, &somebody, password(), new),
            change_person(honnin, &admin, &id, Change::Disable),
        )
        .await;
        // If the account is disabled first, the change is refused; if the password is changed first, the account is disabled
        // with the new one.
        drop(changed);
        out.unwrap();
        let disabled = PeopleFilter {
            listed: ListedPeople::Disabled,
            after: None,
        };
        let roster = Roster::of(admin.staff()).unwrap();
        let found = list_people(honnin, &roster, disabled, 10).await.unwrap();
        assert!(found.listed.iter().any(|person| person.id == id), "{name}");
    }
}

/// The log has the order in which the units were done: hashing a password takes longer than any of them.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nobody_signs_in_after_they_were_shut_out_or_with_a_password_that_was_replaced_meanwhile() {
    for (name, harness) in harnesses().await {
        let (honnin, admin) = (&harness.honnin, Admin::of(&harness.staff(Role::Admin).await).unwrap());
        for round in 0..4 {
            let email = format!("person{round}@shop.example");
            let id = harness.invited(&email, Role::Reviewer, "correct horse battery").await;
            let enter = async |email: &str| {
                let password = Secret::new("correct horse battery".to_owned());
                sign_in(honnin, email, password, &client_at(testkit::localhost())).await
            };
            let ends = async || {
                if round % 2 == 0 {
                    return change_person(honnin, &admin, &id, Change::Disable).await;
                }
                let link = issue_reset(honnin, &admin, &id, None).await?.link;
                let token = link.expose().rsplit('/').next().unwrap();
                let new = Secret::new("an entirely new sentence".to_owned());
                reset_password(honnin, token, new, testkit::localhost()).await.unwrap();
                Ok(())
            };
            let (ended, ..) = tokio::join!(ends(), enter(&email), enter(&email), enter(&email));
            ended.unwrap();
            let tenant = harness.tenant.id.clone();
            let log = harness
                .read(async move |tx| audit::list(tx, &tenant, None, None, 1000).await)
                .await;
            let of = |actions: &[AuditAction]| {
                let concerns = |entry: &audit::Entry| {
                    entry.actor.as_str() == id.as_str() || entry.subject.as_deref() == Some(id.as_str())
                };
                let found = log
                    .iter()
                    .find(|one| concerns(&one.entry) && actions.iter().any(|action| one.entry.action == *action));
                found.map(|one| one.number)
            };
            let end = of(&[AuditAction::PersonChange, AuditAction::PersonResetPassword]);
            let signed_in = of(&[AuditAction::PersonSignIn]);
            assert!(
                signed_in < end,
                "{name}, round {round}: signed in as entry {signed_in:?}, ended as {end:?}"
            );
        }
    }
}

/// Whoever has a stolen session and the password must not have the last word. The log has the order in which the units were done.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nobody_changes_a_password_after_it_was_reset_or_their_sessions_were_ended() {
    for (name, harness) in harnesses().await {
        let (honnin, admin) = (&harness.honnin, Admin::of(&harness.staff(Role::Admin).await).unwrap());
        for round in 0..6 {
            let email = format!("person{round}@shop.example");
            let id = harness.invited(&email, Role::Reviewer, "correct horse battery").await;
            let session = service::access::staff(honnin, &id, None, testkit::localhost()).await;
            let session: Staff = session.unwrap().unwrap();
            let present = Secret::new("correct horse battery".to_owned());
            let new = Secret::new("four words of another kind".to_owned());
            let ends = async || {
                if round % 2 == 0 {
                    console_session::sign_out_everywhere(honnin, &session).await.unwrap();
                    return;
                }
                let link = issue_reset(honnin, &admin, &id, None).await.unwrap().link;
                let token = link.expose().rsplit('/').next().unwrap();
                let new = Secret::new("an entirely new sentence".to_owned());
                let reset = reset_password(honnin, token, new, testkit::localhost()).await;
                // A new password that was chosen before revokes the link.
                assert!(matches!(reset, Ok(()) | Err(ResetError::Closed)), "{name}: {reset:?}");
            };
            let (changed, ()) = join(change_password(honnin, &session, present, new), ends()).await;
            let tenant = harness.tenant.id.clone();
            let log = harness
                .read(async move |tx| audit::list(tx, &tenant, None, None, 1000).await)
                .await;
            let of = |actions: &[AuditAction]| {
                let found = log.iter().find(|one| {
                    one.entry.actor.as_str() == id.as_str() && actions.iter().any(|action| one.entry.action == *action)
                });
                found.map(|one| one.number)
            };
            let change = of(&[AuditAction::PersonChangePassword]);
            assert_eq!(change.is_some(), changed.is_ok(), "{name}, round {round}: {changed:?}");
            if let Some(end) = of(&[AuditAction::PersonSignOutEverywhere, AuditAction::PersonResetPassword]) {
                assert!(
                    change < Some(end),
                    "{name}, round {round}: changed as entry {change:?}, ended as {end}"
                );
            } else {
                assert!(changed.is_ok(), "{name}, round {round}: {changed:?}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_operators_who_are_shut_out_at_once_one_stays() {
    for (name, harness) in harnesses().await {
        let honnin = &harness.honnin;
        let elsewhere = harness.another_tenant().await.id().clone();
        // In separate tenants, so that only the lock on the operators makes one wait for the other.
        let mut sides = Vec::new();
        let tenants = [harness.tenant.id.clone(), elsewhere];
        for (number, tenant) in tenants.iter().enumerate() {
            let mut made = Vec::new();
            for name in ["boss", "operator"] {
                let person = NewPerson {
                    email: format!("{name}{number}@host.example"),
                    name: "Somebody".into(),
                };
                let offer = Offer::of(tenant.clone(), Role::Admin);
                let invited = invite_from_here(honnin, CommandLine::here(), offer, person).await;
                made.push(come_in(honnin, &invited.unwrap()).await.unwrap());
            }
            sides.push(made.remove(1));
        }
        for round in 0..ROUNDS {
            let mut operators = Vec::new();
            for (number, id) in sides.iter().enumerate() {
                let email = format!("operator{number}@host.example");
                let granted = grant_operator(honnin, CommandLine::here(), &email, Some(&tenants[number])).await;
                granted.unwrap();
                let operator = service::access::staff(honnin, id, None, testkit::localhost()).await;
                operators.push(Admin::of(&operator.unwrap().unwrap()).unwrap());
            }
            // Each disables themselves: nobody but an operator may do it.
            let out = |side: usize| change_person(honnin, &operators[side], &sides[side], Change::Disable);
            let (one, two) = join(out(0), out(1)).await;
            assert_eq!(
                u32::from(one.is_ok()) + u32::from(two.is_ok()),
                1,
                "{name}, round {round}"
            );
            let lost = one.and(two).unwrap_err();
            assert!(matches!(lost, PeopleError::LastOperator), "{name}, {round}: {lost:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_first_admins_whom_an_operator_invited_one_comes_in() {
    for (name, harness) in harnesses().await {
        let honnin = &harness.honnin;
        let person = |name: &str| NewPerson {
            email: format!("{name}@host.example"),
            name: "Somebody".into(),
        };
        let olga = invite_from_here(honnin, CommandLine::here(), Offer::operator(), person("olga"));
        let olga = come_in(honnin, &olga.await.unwrap()).await.unwrap();
        let tenant = Some(&harness.tenant.id);
        let olga = service::access::staff(honnin, &olga, tenant, testkit::localhost()).await;
        let olga = Roster::of(&olga.unwrap().unwrap()).unwrap();
        let given = invite(honnin, &olga, person("given"), Role::Admin).await.unwrap();
        let kept = invite(honnin, &olga, person("kept"), Role::Admin).await.unwrap();
        let (one, two) = join(come_in(honnin, &given), come_in(honnin, &kept)).await;
        assert_eq!(u32::from(one.is_ok()) + u32::from(two.is_ok()), 1, "{name}");
        assert!(matches!(one.and(two), Err(AcceptError::Closed)), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_admins_who_invite_one_address_at_once_the_link_of_one_stays_open() {
    for (name, harness) in harnesses().await {
        let honnin = &harness.honnin;
        let one = Roster::of(&harness.staff(Role::Admin).await).unwrap();
        let other = Roster::of(&harness.staff(Role::Admin).await).unwrap();
        for round in 0..ROUNDS {
            let person = || NewPerson {
                email: format!("person{round}@host.example"),
                name: "Somebody".into(),
            };
            let (first, second) = join(
                invite(honnin, &one, person(), Role::Reviewer),
                invite(honnin, &other, person(), Role::Reviewer),
            )
            .await;
            let (first, second) = (first.unwrap().id, second.unwrap().id);
            let listed = invite::list_invitations(honnin, &one).await.unwrap();
            let open = listed.iter().filter(|row| [&first, &second].contains(&&row.id));
            assert_eq!(open.count(), 1, "{name}, round {round}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_tenants_that_invited_the_same_address_one_gets_the_person() {
    for (name, harness) in harnesses().await {
        let honnin = &harness.honnin;
        let elsewhere = harness.another_tenant().await.id().clone();
        for round in 0..8 {
            let mut invited = Vec::new();
            for tenant in [&harness.tenant.id, &elsewhere] {
                let person = NewPerson {
                    email: format!("person{round}@host.example"),
                    name: "Somebody".into(),
                };
                let offer = Offer::of(tenant.clone(), Role::Reviewer);
                invited.push(
                    invite_from_here(honnin, CommandLine::here(), offer, person)
                        .await
                        .unwrap(),
                );
            }
            let (one, two) = join(come_in(honnin, &invited[0]), come_in(honnin, &invited[1])).await;
            assert_eq!(
                u32::from(one.is_ok()) + u32::from(two.is_ok()),
                1,
                "{name}, round {round}"
            );
            let lost = one.and(two).unwrap_err();
            assert!(matches!(lost, AcceptError::Taken), "{name}, round {round}: {lost:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_link_of_an_admin_is_left_who_stops_being_one_while_they_make_it() {
    for (name, harness) in harnesses().await {
        let honnin = &harness.honnin;
        let boss = Admin::of(&harness.staff(Role::Admin).await).unwrap();
        let rita = harness.staff(Role::Reviewer).await;
        for round in 0..ROUNDS {
            let leaving = Admin::of(&harness.staff(Role::Admin).await).unwrap();
            let roster = Roster::of(leaving.staff()).unwrap();
            let invites = (0..3).map(|number| {
                let person = NewPerson {
                    email: format!("person{round}-{number}@host.example"),
                    name: "Somebody".into(),
                };
                invite(honnin, &roster, person, Role::Admin)
            });
            let (invited, reset, demoted) = tokio::join!(
                join_all(invites),
                issue_reset(honnin, &leaving, rita.user(), None),
                change_person(honnin, &boss, leaving.staff().user(), Change::Role(Role::Auditor)),
            );
            demoted.unwrap();
            for late in invited.into_iter().filter_map(Result::err) {
                assert!(
                    matches!(late, InviteError::Forbidden),
                    "{name}, round {round}: {late:?}"
                );
            }
            if let Err(late) = reset {
                assert!(
                    matches!(late, PeopleError::Forbidden),
                    "{name}, round {round}: {late:?}"
                );
            }
            for links in [
                "SELECT COUNT(*) FROM invitations",
                "SELECT COUNT(*) FROM password_resets",
            ] {
                assert_eq!(
                    harness.database.number(links).await,
                    0,
                    "{name}, round {round}: {links}"
                );
            }
        }
    }
}

/// Detects if whoever signs out everywhere, or whose second factors are removed on the command line, does not wait for a link that is being made in
/// one of their sessions.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_link_is_left_that_is_made_in_a_session_while_it_ends() {
    for (name, harness) in harnesses().await {
        let honnin = &harness.honnin;
        let rita = harness.staff(Role::Reviewer).await;
        for round in 0..ROUNDS {
            let leaving = Admin::of(&harness.staff(Role::Admin).await).unwrap();
            let roster = Roster::of(leaving.staff()).unwrap();
            let person = NewPerson {
                email: format!("person{round}@host.example"),
                name: "Somebody".into(),
            };
            let end = async || {
                if round % 2 == 0 {
                    let ended = console_session::sign_out_everywhere(honnin, leaving.staff()).await;
                    ended.unwrap();
                } else {
                    let removed = remove_from_here(honnin, CommandLine::here(), leaving.staff().email()).await;
                    removed.unwrap();
                }
            };
            let (invited, reset, ()) = tokio::join!(
                invite(honnin, &roster, person, Role::Admin),
                issue_reset(honnin, &leaving, rita.user(), None),
                end(),
            );
            assert!(
                matches!(invited, Ok(_) | Err(InviteError::Forbidden)),
                "{name}, round {round}: {invited:?}"
            );
            assert!(
                matches!(reset, Ok(_) | Err(PeopleError::Forbidden)),
                "{name}, round {round}: {reset:?}"
            );
            for links in [
                "SELECT COUNT(*) FROM invitations",
                "SELECT COUNT(*) FROM password_resets",
            ] {
                assert_eq!(
                    harness.database.number(links).await,
                    0,
                    "{name}, round {round}: {links}"
                );
            }
        }
    }
}

/// Detects if a link is made for whoever the person was before the unit waited, or not looked for by a unit that waited.
#[tokio::test]
async fn no_link_of_an_admin_leads_to_the_account_of_somebody_who_is_becoming_an_operator() {
    let Some(harness) = Harness::on_postgres(Step::ALL).await else {
        return;
    };
    let (honnin, tenant) = (&harness.honnin, &harness.tenant.id);
    let admin = Admin::of(&harness.staff(Role::Admin).await).unwrap();
    let (rita, otto) = (harness.staff(Role::Reviewer).await, harness.staff(Role::Reviewer).await);
    let lock = format!("UPDATE tenants SET version = version WHERE id = '{tenant}';");
    let granted = format!("{lock} UPDATE users SET operator = TRUE WHERE id = '{}'", rita.user());
    let link = issue_reset(honnin, &admin, rita.user(), None);
    let link = harness.database.beside(&granted, link).await;
    assert!(matches!(link, Err(PeopleError::Above)), "{link:?}");

    let issued = format!(
        "{lock} INSERT INTO password_resets (user_id, hash, issued_by, expires_at) VALUES ('{}', '\\x01', '{}', 1)",
        otto.user(),
        admin.staff().user()
    );
    let grant = grant_operator(honnin, CommandLine::here(), otto.email(), Some(tenant));
    harness.database.beside(&issued, grant).await.unwrap();
    let links = harness.database.number("SELECT COUNT(*) FROM password_resets").await;
    assert_eq!(links, 0);
}

/// Runs `unit` while another one has locked a person and done `change`.
async fn beside<T>(harness: &Harness, person: &UserId, change: &str, unit: impl Future<Output = T>) -> T {
    let change = format!("UPDATE users SET operator = operator WHERE id = '{person}'; {change}");
    harness.database.beside(&change, unit).await
}

/// SQL that adds a passkey.
fn passkey(person: &UserId, number: u8) -> String {
    format!(
        "INSERT INTO passkeys (id, user_id, name, public_key, counter, created_at)
         VALUES ('\\x{number:02x}', '{person}', 'Laptop', '\\x00', 0, 0);"
    )
}

/// SQL that adds an authenticator app.
fn authenticator(person: &UserId) -> String {
    format!(
        "INSERT INTO authenticators (user_id, secret, created_at, confirmed_at, last_step)
         VALUES ('{person}', '\\x00', 0, 1, 1);"
    )
}

/// SQL that puts one recovery code in place of those there are.
fn recovery_code(person: &UserId, number: u8) -> String {
    format!(
        "DELETE FROM recovery_codes WHERE user_id = '{person}';
         INSERT INTO recovery_codes (user_id, hash) VALUES ('{person}', '\\x{number:02x}');"
    )
}

async fn run(harness: &Harness, sql: String) {
    let mut connection = PgConnection::connect(&harness.database.url).await.unwrap();
    sqlx::raw_sql(AssertSqlSafe(sql))
        .execute(&mut connection)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_passkey_that_is_being_added_while_an_admin_removes_every_factor_does_not_stay() {
    let Some(harness) = Harness::on_postgres(Step::ALL).await else {
        return;
    };
    let admin = Admin::of(&harness.staff(Role::Admin).await).unwrap();
    let rita = harness.staff(Role::Reviewer).await;
    let removal = remove_of(&harness.honnin, &admin, rita.user());
    beside(&harness, rita.user(), &passkey(rita.user(), 1), removal)
        .await
        .unwrap();
    let left = list_factors(&harness.honnin, rita.user()).await.unwrap();
    assert_eq!(left.passkeys, []);
}

#[tokio::test]
async fn of_recovery_codes_that_are_renewed_twice_at_the_same_time_one_set_is_valid() {
    let Some(harness) = Harness::on_postgres(Step::ALL).await else {
        return;
    };
    let rita = harness.staff(Role::Reviewer).await;
    let id = rita.user();
    run(&harness, passkey(id, 1) + &recovery_code(id, 1)).await;
    let renewal = renew_recovery_codes(&harness.honnin, &rita, None);
    let codes = beside(&harness, id, &recovery_code(id, 2), renewal).await.unwrap();
    assert_eq!(codes.len(), 10);
    let left = list_factors(&harness.honnin, id).await.unwrap();
    assert_eq!(left.recovery_codes, 10);
}

#[tokio::test]
async fn recovery_codes_stay_when_the_last_factor_is_removed_while_another_one_is_being_added() {
    let Some(harness) = Harness::on_postgres(Step::ALL).await else {
        return;
    };
    for removes_app in [true, false] {
        let rita = harness.staff(Role::Reviewer).await;
        let (id, first) = (rita.user(), if removes_app { 1 } else { 3 });
        let had = if removes_app {
            authenticator(id)
        } else {
            passkey(id, first)
        };
        run(&harness, had + &recovery_code(id, 1)).await;
        let before = list_factors(&harness.honnin, id).await.unwrap();
        let removal = async {
            match before.passkeys.first() {
                None => remove_authenticator(&harness.honnin, &rita).await.unwrap(),
                Some(key) => {
                    let removed = passkeys::remove(&harness.honnin, &rita, &passkeys::id_text(key)).await;
                    assert!(removed.unwrap());
                }
            }
        };
        beside(&harness, id, &passkey(id, first + 1), removal).await;
        let left = list_factors(&harness.honnin, id).await.unwrap();
        assert!(
            left.authenticator.is_none() && left.passkeys.len() == 1,
            "{removes_app}: {left:?}"
        );
        assert_eq!(left.recovery_codes, 1, "{removes_app}");
    }
}

/// The person is locked before what belongs to them, wherever it ends: otherwise two units would each wait for what the other has locked.
#[tokio::test]
async fn a_link_that_is_used_while_its_owner_is_shut_out_waits_for_the_person_and_is_closed_then() {
    for (name, harness) in harnesses().await {
        if name == "sqlite" {
            // Units run one after another.
            continue;
        }
        let honnin = &harness.honnin;
        let admin = Admin::of(&harness.staff(Role::Admin).await).unwrap();
        let rita = harness.staff(Role::Reviewer).await.user().clone();
        let issued = issue_reset(honnin, &admin, &rita, None).await.unwrap();
        let token = issued.link.expose().rsplit('/').next().unwrap().to_owned();
        let password = Secret::new("an entirely new sentence".to_owned());
        let used = reset_password(honnin, &token, password, testkit::localhost());
        let lock = format!("UPDATE users SET operator = operator WHERE id = '{rita}'");
        let revoke = format!("DELETE FROM password_resets WHERE user_id = '{rita}'");
        let used = harness.database.beside_both(&lock, &revoke, used).await;
        assert!(matches!(used, Err(ResetError::Closed)), "{name}: {used:?}");
    }
}

/// The same for the link to an account at the provider.
#[tokio::test]
async fn an_account_that_is_unlinked_while_somebody_signs_in_with_it_waits_for_the_person() {
    for (name, harness) in harnesses().await {
        if name == "sqlite" {
            // Units run one after another.
            continue;
        }
        let rita = harness.staff(Role::Reviewer).await;
        let link = format!(
            "INSERT INTO provider_accounts (issuer, subject, user_id, linked_at) VALUES ('https://login.example', 'rita', '{}', 1)",
            rita.user()
        );
        run(&harness, link).await;
        let lock = format!("UPDATE users SET operator = operator WHERE id = '{}'", rita.user());
        let touch = "UPDATE provider_accounts SET linked_at = 2";
        let unlinked = unlink_from_here(&harness.honnin, CommandLine::here(), rita.email());
        let unlinked = harness.database.beside_both(&lock, touch, unlinked).await;
        assert!(unlinked.is_ok(), "{name}: {unlinked:?}");
    }
}

/// Of two operators who are shut out at once, each would have locked one of them before the other.
#[tokio::test]
async fn operators_are_locked_in_one_order() {
    for (name, harness) in harnesses().await {
        if name == "sqlite" {
            // Units run one after another.
            continue;
        }
        let honnin = &harness.honnin;
        let mut operators = Vec::new();
        for who in ["olga", "otto"] {
            let email = format!("{who}@host.example");
            let person = NewPerson {
                email: email.clone(),
                name: "Somebody".into(),
            };
            let offer = Offer::of(harness.tenant.id.clone(), Role::Admin);
            let invited = invite_from_here(honnin, CommandLine::here(), offer, person).await;
            let id = come_in(honnin, &invited.unwrap()).await.unwrap();
            grant_operator(honnin, CommandLine::here(), &email, Some(&harness.tenant.id))
                .await
                .unwrap();
            operators.push((id.to_string(), email));
        }
        operators.sort();
        let [(first, _), (last, email)] = operators.as_slice() else {
            panic!("{name}")
        };
        let lock = |id: &str| format!("UPDATE users SET operator = operator WHERE id = '{id}'");
        let revoked = revoke_operator(honnin, CommandLine::here(), email);
        let revoked = harness.database.beside_both(&lock(first), &lock(last), revoked).await;
        assert!(revoked.is_ok(), "{name}: {revoked:?}");
    }
}

async fn come_in(honnin: &service::Honnin, invited: &Invited) -> Result<domain::ids::UserId, AcceptError> {
    let token = invited.link.expose().rsplit('/').next().unwrap();
    accept_invitation(
        honnin,
        token,
        Secret::new("correct horse battery".to_owned()),
        &client_at(testkit::localhost()),
    )
    .await
    .map(|entrance| entrance.user)
}
