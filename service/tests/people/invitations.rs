//! Who gets access, and how: invitations, password reset links, operators created on the command line. Each rule with attempts
//! to circumvent it.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use super::hang_up_on;
use domain::{
    audit::AuditAction,
    ids::{SessionId, UserId},
    role::Role,
    secret::Secret,
    time::Millis,
};
use service::{
    Honnin,
    access::{Admin, Auditor, CommandLine, Operator, Roster, Staff, staff},
    audit::{Filter, search},
    jobs::sweep,
    people::{
        Change, NewPerson, PeopleError, PeopleFilter,
        accept_invitation::{AcceptError, accept_invitation, open_invitation},
        change_password::change_password,
        change_person,
        command_line::{AccountError, disable, enable, grant_operator, release, revoke_operator},
        console_session::{self, BrowserSession},
        invite::{
            self, InviteError, Invited, Offer, draft_invitation, invite_from_here, list_invitations, revoke_invitation,
        },
        known_browser::{self, Client},
        links, list_people,
        news::news,
        reset_password::{
            ResetError, ResetLink, issue_reset, issue_reset_from_here, newest_entry, open_reset, reset_password,
        },
        sign_in::{SignInError, confirm_password},
        visit::Entrance,
    },
    session::page::read_page,
};
use store::audit;
use testkit::{Harness, client_at, client_with, localhost, sign_in};

const PASSWORD: &str = "correct horse battery";
const HERE: CommandLine = CommandLine::here();

fn person(email: &str) -> NewPerson {
    NewPerson {
        email: email.to_owned(),
        name: "Ines Moreau".into(),
    }
}

/// Invites a person with a form of its own.
async fn invite(honnin: &Honnin, roster: &Roster, person: NewPerson, role: Role) -> Result<Invited, InviteError> {
    invite::invite(honnin, roster, draft_invitation(honnin), person, role).await
}

fn token(link: &Secret<String>) -> String {
    link.expose().rsplit('/').next().unwrap().to_owned()
}

async fn admin(harness: &Harness) -> Roster {
    Roster::of(&harness.staff(Role::Admin).await).unwrap()
}

/// An operator of no tenant, working in the harness's.
async fn operator(harness: &Harness) -> Roster {
    let invited = invite_from_here(&harness.honnin, HERE, Offer::operator(), person("olga@host.example"));
    let id = accept(harness, &invited.await.unwrap()).await.unwrap();
    let found = staff(&harness.honnin, &id, Some(&harness.tenant.id), localhost()).await;
    Roster::of(&found.unwrap().unwrap()).unwrap()
}

async fn accept(harness: &Harness, invited: &Invited) -> Result<UserId, AcceptError> {
    join(harness, invited).await.map(|entrance| entrance.user)
}

async fn join(harness: &Harness, invited: &Invited) -> Result<Entrance, AcceptError> {
    let password = Secret::new(PASSWORD.to_owned());
    accept_invitation(
        &harness.honnin,
        &token(&invited.link),
        password,
        &client_at(localhost()),
    )
    .await
}

/// Makes a person of the harness's tenant an operator.
async fn make_operator(harness: &Harness, email: &str) {
    let tenant = Some(&harness.tenant.id);
    grant_operator(&harness.honnin, HERE, email, tenant).await.unwrap();
}

async fn who(harness: &Harness, id: &UserId) -> Staff {
    staff(&harness.honnin, id, None, localhost()).await.unwrap().unwrap()
}

async fn enter(harness: &Harness, email: &str, password: &str) -> Result<UserId, SignInError> {
    let password = Secret::new(password.to_owned());
    let entered = sign_in(&harness.honnin, email, password, &client_at(localhost())).await;
    entered.map(|entrance| entrance.user)
}

async fn actions(harness: &Harness) -> Vec<String> {
    let tenant = harness.tenant.id.clone();
    let listed = harness
        .read(async move |tx| audit::list(tx, &tenant, None, None, 100).await)
        .await;
    listed
        .into_iter()
        .rev()
        .map(|recorded| recorded.entry.action.to_string())
        .collect()
}

/// Of each entry that has one of the actions: the action, and the address.
async fn addresses(harness: &Harness, actions: &[&str]) -> Vec<(String, Option<String>)> {
    let tenant = harness.tenant.id.clone();
    let listed = harness.read(async move |tx| audit::list(tx, &tenant, None, None, 100).await);
    let entries = listed.await.into_iter().rev().map(|recorded| recorded.entry);
    entries
        .map(|entry| (entry.action.to_string(), entry.address))
        .filter(|(action, _)| actions.contains(&action.as_str()))
        .collect()
}

#[tokio::test]
async fn joining_and_a_reset_have_an_address_and_joining_is_the_first_visit() {
    let harness = Harness::new().await;
    let roster = admin(&harness).await;
    let invited = invite(&harness.honnin, &roster, person("ines@shop.example"), Role::Reviewer);
    let joined = join(&harness, &invited.await.unwrap()).await.unwrap();
    let id = joined.user;
    let ines = who(&harness, &id).await;
    let admin = Admin::of(&harness.staff(Role::Admin).await).unwrap();
    let reset = issue_reset(&harness.honnin, &admin, &id, None).await.unwrap();
    let password = Secret::new("an entirely new sentence".to_owned());
    let elsewhere = "192.0.2.7".parse().unwrap();
    reset_password(&harness.honnin, &token(&reset.link), password, elsewhere)
        .await
        .unwrap();
    assert_eq!(
        addresses(&harness, &["person.join", "person.reset_password"]).await,
        [
            ("person.join".to_owned(), Some("127.0.0.1".to_owned())),
            ("person.reset_password".to_owned(), Some("192.0.2.7".to_owned())),
        ]
    );
    let none = news(&harness.honnin, &ines, joined.since.as_ref()).await;
    assert_eq!(none.unwrap(), None, "one visit so far");
    let password = Secret::new("an entirely new sentence".to_owned());
    let client = client_at(localhost());
    let entered = sign_in(&harness.honnin, "ines@shop.example", password, &client).await;
    let told = news(&harness.honnin, &ines, entered.unwrap().since.as_ref()).await;
    let told = told.unwrap().unwrap();
    let told: Vec<_> = told.entries.iter().map(|one| one.entry.action.to_string()).collect();
    assert_eq!(
        told,
        ["person.reset_password", "person.issue_reset"],
        "since they joined"
    );
    let own = known_browser::list_own(&harness.honnin, &ines).await.unwrap();
    assert_eq!(own.len(), 1, "the one they joined with");
}

/// Planted fault that this test detects: a page that shows a link makes another one each time it is loaded again.
#[tokio::test]
async fn a_form_that_is_sent_again_makes_no_second_invitation() {
    let harness = Harness::new().await;
    let admin = admin(&harness).await;
    let draft = draft_invitation(&harness.honnin);
    let ask = || {
        let ines = person("ines@shop.example");
        invite::invite(&harness.honnin, &admin, draft.clone(), ines, Role::Auditor)
    };
    let invited = ask().await.unwrap();
    assert_eq!(invited.id, draft);
    let again = ask().await;
    assert!(matches!(again, Err(InviteError::Repeated)), "{again:?}");
    let link = token(&invited.link);
    assert!(open_invitation(&harness.honnin, &link).await.is_ok(), "it is the same");
    assert!(
        revoke_invitation(&harness.honnin, &admin, &invited.id).await.unwrap(),
        "there is one"
    );
    let again = ask().await;
    assert!(matches!(again, Err(InviteError::Repeated)), "revoked: {again:?}");
    let other = invite(&harness.honnin, &admin, person("ines@shop.example"), Role::Auditor).await;
    accept(&harness, &other.unwrap()).await.unwrap();
    let again = ask().await;
    assert!(matches!(again, Err(InviteError::Repeated)), "accepted: {again:?}");
}

/// Planted fault that this test detects: as above.
#[tokio::test]
async fn a_form_that_is_sent_again_issues_no_second_reset_link() {
    let harness = Harness::new().await;
    let roster = admin(&harness).await;
    let admin = Admin::of(roster.staff()).unwrap();
    let [one, other] = [Role::Reviewer, Role::Auditor].map(|role| harness.staff(role));
    let (one, other) = (one.await.user().clone(), other.await.user().clone());
    let seen = newest_entry(&harness.honnin, &roster).await.unwrap();
    let issue = |id, seen| issue_reset(&harness.honnin, &admin, id, Some(seen));
    let link = issue(&one, seen).await.unwrap().link;
    let again = issue(&one, seen).await;
    assert!(matches!(again, Err(PeopleError::Repeated)), "{again:?}");
    assert!(
        open_reset(&harness.honnin, &token(&link)).await.is_ok(),
        "it is the same"
    );
    let password = Secret::new("an entirely new sentence".to_owned());
    reset_password(&harness.honnin, &token(&link), password, localhost())
        .await
        .unwrap();
    let again = issue(&one, seen).await;
    assert!(matches!(again, Err(PeopleError::Repeated)), "used: {again:?}");
    issue(&other, seen).await.unwrap();
    // Whoever has seen that there is one may want another.
    let seen = newest_entry(&harness.honnin, &roster).await.unwrap();
    issue(&one, seen).await.unwrap();
}

#[tokio::test]
async fn whoever_is_invited_chooses_the_password_and_the_link_opens_once() {
    let harness = Harness::new().await;
    let admin = admin(&harness).await;
    let invited = invite(&harness.honnin, &admin, person(" Ines@Shop.Example "), Role::Reviewer)
        .await
        .unwrap();
    assert!(
        invited
            .link
            .expose()
            .starts_with("https://id.example/admin/invitation/")
    );
    let shown = open_invitation(&harness.honnin, &token(&invited.link)).await.unwrap();
    assert_eq!(
        open_invitation(&harness.honnin, &token(&invited.link)).await.unwrap(),
        shown
    );
    assert_eq!(
        (shown.email.as_str(), shown.role),
        ("ines@shop.example", Some(Role::Reviewer))
    );
    assert_eq!(list_invitations(&harness.honnin, &admin).await.unwrap().len(), 1);
    let id = accept(&harness, &invited).await.unwrap();
    assert_eq!(enter(&harness, "ines@shop.example", PASSWORD).await.unwrap(), id);
    assert_eq!(who(&harness, &id).await.tenant(), &harness.tenant.id);
    assert!(matches!(accept(&harness, &invited).await, Err(AcceptError::Closed)));
    assert!(list_invitations(&harness.honnin, &admin).await.unwrap().is_empty());
    assert_eq!(
        actions(&harness).await,
        ["person.invite", "person.join", "person.sign_in"]
    );
}

#[tokio::test]
async fn a_weak_password_keeps_the_link_open_and_a_guessed_link_opens_nothing() {
    let harness = Harness::new().await;
    let invited = invite(
        &harness.honnin,
        &admin(&harness).await,
        person("ines@shop.example"),
        Role::Auditor,
    )
    .await
    .unwrap();
    for weak in ["short", "ines moreau 2026", "passwordpassword"] {
        let refused = accept_invitation(
            &harness.honnin,
            &token(&invited.link),
            Secret::new(weak.to_owned()),
            &client_at(localhost()),
        )
        .await;
        assert!(matches!(refused, Err(AcceptError::Bad(_))), "{weak}");
    }
    for guess in ["", "x", &"a".repeat(43)] {
        let opened = open_invitation(&harness.honnin, guess).await;
        assert!(matches!(opened, Err(AcceptError::Closed)), "{guess}");
    }
    assert!(accept(&harness, &invited).await.is_ok());
}

#[tokio::test]
async fn an_invitation_ends_after_72_hours_when_it_is_revoked_and_when_another_follows() {
    let harness = Harness::new().await;
    let admin = admin(&harness).await;
    let ask = || invite(&harness.honnin, &admin, person("ines@shop.example"), Role::Auditor);
    let lost = ask().await.unwrap();
    let second = ask().await.unwrap();
    assert!(
        matches!(accept(&harness, &lost).await, Err(AcceptError::Closed)),
        "replaced"
    );
    assert!(revoke_invitation(&harness.honnin, &admin, &second.id).await.unwrap());
    assert!(!revoke_invitation(&harness.honnin, &admin, &second.id).await.unwrap());
    assert!(
        matches!(accept(&harness, &second).await, Err(AcceptError::Closed)),
        "revoked"
    );
    let third = ask().await.unwrap();
    sweep::plan(&harness.honnin).await.unwrap();
    harness.clock.advance(Millis(Millis::hours(72).0 - 1));
    assert!(open_invitation(&harness.honnin, &token(&third.link)).await.is_ok());
    harness.clock.advance(Millis(1));
    assert!(
        matches!(accept(&harness, &third).await, Err(AcceptError::Closed)),
        "expired"
    );
    harness.run_until_idle().await;
    assert_eq!(harness.database.number("SELECT COUNT(*) FROM invitations").await, 0);
}

#[tokio::test]
async fn an_address_is_taken_once() {
    let harness = Harness::new().await;
    let admin = admin(&harness).await;
    let ask = || invite(&harness.honnin, &admin, person("RITA@shop.example"), Role::Auditor);
    let early = ask().await.unwrap();
    let elsewhere = harness.another_tenant().await;
    let offer = Offer::of(elsewhere.id().clone(), Role::Admin);
    let theirs = invite_from_here(&harness.honnin, HERE, offer, person("rita@shop.example"));
    accept(&harness, &theirs.await.unwrap()).await.unwrap();
    assert!(matches!(accept(&harness, &early).await, Err(AcceptError::Taken)));
    let Err(InviteError::Bad(faults)) = ask().await else {
        panic!("must be refused")
    };
    assert_eq!(faults[0].field(), "email");
}

#[tokio::test]
async fn admins_do_not_learn_of_many_addresses_whether_they_have_an_account_in_another_tenant() {
    let harness = Harness::new().await;
    let admin = admin(&harness).await;
    let elsewhere = harness.another_tenant().await;
    let offer = Offer::of(elsewhere.id().clone(), Role::Admin);
    let theirs = invite_from_here(&harness.honnin, HERE, offer, person("rita@bank.example"));
    accept(&harness, &theirs.await.unwrap()).await.unwrap();
    let ask = async |email: &str| invite(&harness.honnin, &admin, person(email), Role::Auditor).await;
    // However many are invited who have none.
    for number in 0..10 {
        ask(&format!("new-{number}@shop.example")).await.unwrap();
    }
    for _ in 0..5 {
        let told = ask("rita@bank.example").await;
        assert!(matches!(told, Err(InviteError::Bad(_))), "{told:?}");
    }
    for email in ["rita@bank.example", "nobody@bank.example"] {
        let told = ask(email).await;
        assert!(matches!(told, Err(InviteError::Throttled)), "{email}: {told:?}");
    }
    harness.clock.advance(Millis::minutes(16));
    ask("nobody@bank.example").await.unwrap();
}

#[tokio::test]
async fn an_invitation_whose_client_hangs_up_is_made_and_does_not_stay_counted() {
    let harness = Harness::new().await;
    let admin = admin(&harness).await;
    let counted = "SELECT COUNT(*) FROM sign_in_tries WHERE tries > 0";
    let before = harness.database.number(counted).await;
    let asked = invite(&harness.honnin, &admin, person("rita@shop.example"), Role::Auditor);
    hang_up_on(asked);
    while list_invitations(&harness.honnin, &admin).await.unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    // It was counted before it was made.
    while harness.database.number(counted).await > before {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn an_operator_brings_one_first_admin_into_anothers_tenant_and_nobody_else() {
    let harness = Harness::new().await;
    let operator = operator(&harness).await;
    for role in [Role::Developer, Role::Reviewer, Role::Auditor] {
        let refused = invite(&harness.honnin, &operator, person("mole@host.example"), role).await;
        assert!(matches!(refused, Err(InviteError::Forbidden)), "{role:?}");
    }
    let kept = invite(&harness.honnin, &operator, person("mole@host.example"), Role::Admin);
    let kept = kept.await.unwrap();
    let given = invite(&harness.honnin, &operator, person("ines@shop.example"), Role::Admin);
    let first = accept(&harness, &given.await.unwrap()).await.unwrap();
    // A second link that the operator kept for later.
    assert!(matches!(
        open_invitation(&harness.honnin, &token(&kept.link)).await,
        Err(AcceptError::Closed)
    ));
    assert!(matches!(accept(&harness, &kept).await, Err(AcceptError::Closed)));
    let refused = invite(&harness.honnin, &operator, person("mole@host.example"), Role::Admin).await;
    assert!(matches!(refused, Err(InviteError::Forbidden)));
    assert!(
        Admin::of(operator.staff()).is_err(),
        "nor do they change or reset anybody"
    );
    assert!(Admin::of(&who(&harness, &first).await).is_ok());
}

#[tokio::test]
async fn links_end_with_the_power_of_whoever_made_them() {
    let harness = Harness::new().await;
    let boss = Admin::of(&harness.staff(Role::Admin).await).unwrap();
    for end in [Change::Role(Role::Developer), Change::Disable] {
        let admin = admin(&harness).await;
        let invited = invite(&harness.honnin, &admin, person("mole@shop.example"), Role::Admin);
        let invited = invited.await.unwrap();
        let victim = harness.staff(Role::Reviewer).await.user().clone();
        let admin = Admin::of(admin.staff()).unwrap();
        let reset = issue_reset(&harness.honnin, &admin, &victim, None).await.unwrap();
        change_person(&harness.honnin, &boss, admin.staff().user(), end)
            .await
            .unwrap();
        assert!(
            matches!(accept(&harness, &invited).await, Err(AcceptError::Closed)),
            "{end:?}"
        );
        assert!(
            matches!(new_password(&harness, &reset).await, Err(ResetError::Closed)),
            "{end:?}"
        );
    }
}

#[tokio::test]
async fn links_end_with_the_sessions_of_whoever_made_them_since_somebody_else_may_have() {
    let harness = Harness::new().await;
    let honnin = &harness.honnin;
    let id = harness.invited("ada@shop.example", Role::Admin, PASSWORD).await;
    let victim = harness.staff(Role::Reviewer).await;
    for (ended, end) in ["signed out", "new password", "reset"].into_iter().enumerate() {
        let ada = who(&harness, &id).await;
        let roster = Roster::of(&ada).unwrap();
        let invited = invite(honnin, &roster, person("mole@shop.example"), Role::Admin).await;
        let invited = invited.unwrap();
        let admin = Admin::of(&ada).unwrap();
        let reset = issue_reset(honnin, &admin, victim.user(), None).await.unwrap();
        let open = links::list_own(honnin, &ada).await.unwrap();
        assert_eq!(open, ["mole@shop.example", victim.email()], "{end}");
        match end {
            "signed out" => {
                console_session::sign_out_everywhere(honnin, &ada).await.unwrap();
            }
            "new password" => {
                let present = Secret::new(PASSWORD.to_owned());
                let new = Secret::new("four words of another kind".to_owned());
                change_password(honnin, &ada, present, new).await.unwrap();
            }
            _ => {
                let own = issue_reset_from_here(honnin, HERE, "ada@shop.example").await;
                new_password(&harness, &own.unwrap()).await.unwrap();
            }
        }
        let open = links::list_own(honnin, &who(&harness, &id).await).await.unwrap();
        assert!(open.is_empty(), "{end}: {open:?}");
        assert!(
            matches!(accept(&harness, &invited).await, Err(AcceptError::Closed)),
            "{end}"
        );
        assert!(
            matches!(new_password(&harness, &reset).await, Err(ResetError::Closed)),
            "{end}"
        );
        let done = actions(&harness).await;
        let withdrawn = done.iter().filter(|action| *action == "person.revoke_invitation");
        assert_eq!(withdrawn.count(), ended + 1, "{end}: {done:?}");
    }
}

#[tokio::test]
async fn a_tenant_sees_when_an_operator_from_elsewhere_has_looked_at_its_people_sessions_or_log() {
    let harness = Harness::new().await;
    let (operator, admin) = (operator(&harness).await, admin(&harness).await);
    let look = async |roster: &Roster| {
        let auditor = Auditor::of(roster.staff()).unwrap();
        list_people(&harness.honnin, roster, PeopleFilter::default(), 10)
            .await
            .unwrap();
        search(&harness.honnin, &auditor, Filter::default(), None, 10)
            .await
            .unwrap();
        let none = read_page(&harness.honnin, roster.staff(), &SessionId::from_random([1; 16])).await;
        assert!(none.unwrap().is_none());
    };
    let looks = async || {
        let tenant = harness.tenant.id.clone();
        let listed = harness.read(async move |tx| audit::list(tx, &tenant, None, None, 100).await);
        let entries = listed.await.into_iter().rev().map(|recorded| recorded.entry);
        let looks = entries.filter(|entry| entry.action == AuditAction::TenantView);
        looks
            .map(|entry| (entry.actor.person().cloned(), entry.detail.unwrap()))
            .collect::<Vec<_>>()
    };
    look(&admin).await;
    assert!(looks().await.is_empty(), "of an admin of the tenant");
    look(&operator).await;
    look(&operator).await;
    let olga = Some(operator.staff().user().clone());
    let once = ["people", "audit log", "sessions"].map(|page| (olga.clone(), page.to_owned()));
    assert_eq!(looks().await, once);
    harness.clock.advance(Millis::minutes(16));
    look(&operator).await;
    assert_eq!(looks().await, [once.clone(), once].concat(), "later");
}

async fn new_password(harness: &Harness, reset: &ResetLink) -> Result<(), ResetError> {
    let password = Secret::new("an entirely new sentence".to_owned());
    reset_password(&harness.honnin, &token(&reset.link), password, localhost()).await
}

#[tokio::test]
async fn a_reset_link_changes_the_password_once_and_signs_everybody_out() {
    let harness = Harness::new().await;
    let id = harness.invited("rita@shop.example", Role::Reviewer, PASSWORD).await;
    let admin = Admin::of(&harness.staff(Role::Admin).await).unwrap();
    let lost = issue_reset(&harness.honnin, &admin, &id, None).await.unwrap();
    let reset = issue_reset(&harness.honnin, &admin, &id, None).await.unwrap();
    assert!(
        matches!(
            open_reset(&harness.honnin, &token(&lost.link)).await,
            Err(ResetError::Closed)
        ),
        "replaced"
    );
    assert_eq!(
        open_reset(&harness.honnin, &token(&reset.link)).await.unwrap(),
        "rita@shop.example"
    );
    let weak = reset_password(
        &harness.honnin,
        &token(&reset.link),
        Secret::new("rita@shop.example".into()),
        localhost(),
    )
    .await;
    assert!(matches!(weak, Err(ResetError::Bad(_))));
    assert_eq!(
        enter(&harness, "rita@shop.example", PASSWORD).await.unwrap(),
        id,
        "nothing has changed"
    );
    new_password(&harness, &reset).await.unwrap();
    assert!(matches!(
        enter(&harness, "rita@shop.example", PASSWORD).await,
        Err(SignInError::Wrong)
    ));
    assert_eq!(
        enter(&harness, "rita@shop.example", "an entirely new sentence")
            .await
            .unwrap(),
        id
    );
    assert!(
        matches!(new_password(&harness, &reset).await, Err(ResetError::Closed)),
        "once"
    );
    let late = issue_reset(&harness.honnin, &admin, &id, None).await.unwrap();
    harness.clock.advance(Millis::hours(72));
    assert!(
        matches!(new_password(&harness, &late).await, Err(ResetError::Closed)),
        "expired"
    );
}

#[tokio::test]
async fn nobody_makes_a_reset_link_for_whom_is_above_them_elsewhere_out_or_themselves() {
    let harness = Harness::new().await;
    let admin = Admin::of(&harness.staff(Role::Admin).await).unwrap();
    let offer = Offer {
        operator: true,
        ..Offer::of(harness.tenant.id.clone(), Role::Reviewer)
    };
    let both = invite_from_here(&harness.honnin, HERE, offer, person("both@shop.example"));
    let above = accept(&harness, &both.await.unwrap()).await.unwrap();
    let refused = issue_reset(&harness.honnin, &admin, &above, None).await;
    assert!(matches!(refused, Err(PeopleError::Above)));
    let elsewhere = operator(&harness).await.staff().user().clone();
    let out = harness.staff(Role::Reviewer).await.user().clone();
    change_person(&harness.honnin, &admin, &out, Change::Disable)
        .await
        .unwrap();
    for nobody in [&elsewhere, &out, admin.staff().user()] {
        let refused = issue_reset(&harness.honnin, &admin, nobody, None).await;
        assert!(matches!(refused, Err(PeopleError::NotFound)));
    }
    // A link for a person who becomes an operator in the meantime.
    let rita = harness.invited("rita@shop.example", Role::Reviewer, PASSWORD).await;
    let early = issue_reset(&harness.honnin, &admin, &rita, None).await.unwrap();
    make_operator(&harness, "rita@shop.example").await;
    assert!(matches!(new_password(&harness, &early).await, Err(ResetError::Closed)));
}

#[tokio::test]
async fn the_last_operator_stays_and_the_command_line_makes_and_restores_them() {
    let harness = Harness::new().await;
    let admin = Admin::of(&harness.staff(Role::Admin).await).unwrap();
    let rita = harness.invited("rita@shop.example", Role::Reviewer, PASSWORD).await;
    make_operator(&harness, " Rita@Shop.Example ").await;
    assert!(Operator::of(&who(&harness, &rita).await).is_ok());
    let out = Change::Disable;
    let refused = change_person(&harness.honnin, &admin, &rita, out).await;
    assert!(matches!(refused, Err(PeopleError::Above)), "{refused:?}");
    change_person(&harness.honnin, &admin, &rita, Change::Role(Role::Admin))
        .await
        .unwrap();
    let herself = Admin::of(&who(&harness, &rita).await).unwrap();
    let refused = change_person(&harness.honnin, &herself, &rita, out).await;
    assert!(matches!(refused, Err(PeopleError::LastOperator)));
    operator(&harness).await;
    let refused = change_person(&harness.honnin, &admin, &rita, out).await;
    assert!(
        matches!(refused, Err(PeopleError::Above)),
        "however many operators there are: {refused:?}"
    );
    change_person(&harness.honnin, &herself, &rita, out).await.unwrap();
    let refused = change_person(&harness.honnin, &admin, &rita, Change::Enable).await;
    assert!(
        matches!(refused, Err(PeopleError::Above)),
        "who was shut out keeps no power that an admin of the tenant could give back: {refused:?}"
    );
    assert!(matches!(
        enter(&harness, "rita@shop.example", PASSWORD).await,
        Err(SignInError::Wrong)
    ));
    let refused = issue_reset_from_here(&harness.honnin, HERE, "rita@shop.example").await;
    assert!(matches!(refused, Err(PeopleError::NotFound)));
    make_operator(&harness, "rita@shop.example").await;
    let reset = issue_reset_from_here(&harness.honnin, HERE, "RITA@shop.example")
        .await
        .unwrap();
    new_password(&harness, &reset).await.unwrap();
    assert!(
        enter(&harness, "rita@shop.example", "an entirely new sentence")
            .await
            .is_ok()
    );
    let nobody = grant_operator(&harness.honnin, HERE, "nobody@shop.example", None).await;
    assert!(matches!(nobody, Err(AccountError::NotFound)));
    let roster = Roster::of(admin.staff()).unwrap();
    let people = list_people(&harness.honnin, &roster, PeopleFilter::default(), 10)
        .await
        .unwrap();
    assert!(
        people
            .listed
            .iter()
            .any(|user| user.id == rita && user.operator && user.disabled_at.is_none())
    );
    let done = actions(&harness).await;
    for action in [
        "person.grant_operator",
        "person.issue_reset",
        "person.reset_password",
        "person.change",
    ] {
        assert!(done.iter().any(|one| one == action), "{action}: {done:?}");
    }
}

/// Whoever administers a tenant may have invited anybody under that address, and handed the link to somebody else.
#[tokio::test]
async fn operator_rights_are_granted_to_nobody_whose_tenant_was_not_named() {
    let harness = Harness::new().await;
    let (shop, elsewhere) = (&harness.tenant.id, harness.another_tenant().await.id().clone());
    let rita = harness.invited("rita@shop.example", Role::Reviewer, PASSWORD).await;
    for named in [None, Some(&elsewhere)] {
        let refused = grant_operator(&harness.honnin, HERE, "rita@shop.example", named).await;
        let Err(AccountError::OtherTenant(account)) = refused else {
            panic!("{refused:?}")
        };
        let tenant = Some((shop.clone(), harness.tenant.name.clone()));
        assert_eq!((&*account.name, &account.tenant), ("Rita", &tenant));
    }
    assert!(Operator::of(&who(&harness, &rita).await).is_err());
    let granted = grant_operator(&harness.honnin, HERE, "rita@shop.example", Some(shop)).await;
    assert_eq!(granted.unwrap().id, rita);
    assert!(Operator::of(&who(&harness, &rita).await).is_ok());

    operator(&harness).await;
    let refused = grant_operator(&harness.honnin, HERE, "olga@host.example", Some(shop)).await;
    assert!(matches!(refused, Err(AccountError::OtherTenant(account)) if account.tenant.is_none()));
    let restored = grant_operator(&harness.honnin, HERE, "olga@host.example", None).await;
    assert!(restored.is_ok(), "{restored:?}");
}

#[tokio::test]
async fn the_command_line_disables_an_operator_without_a_tenant_but_not_the_last_one() {
    let harness = Harness::new().await;
    let olga = operator(&harness).await.staff().user().clone();
    let email = "olga@host.example";
    let refused = disable(&harness.honnin, HERE, email).await;
    assert!(
        matches!(refused, Err(AccountError::People(PeopleError::LastOperator))),
        "{refused:?}"
    );
    enter(&harness, email, PASSWORD).await.unwrap();
    harness.invited("rita@shop.example", Role::Reviewer, PASSWORD).await;
    make_operator(&harness, "rita@shop.example").await;
    let session = BrowserSession {
        cookie: "a session".into(),
        user: Some(olga.clone()),
        data: "{}".into(),
        expires_at: harness.honnin.now().plus(Millis::hours(1)),
    };
    console_session::create(&harness.honnin, session).await.unwrap();

    let disabled = disable(&harness.honnin, HERE, " Olga@Host.Example ").await.unwrap();
    assert_eq!((&disabled.id, disabled.tenant), (&olga, None));
    let session = console_session::load(&harness.honnin, "a session").await;
    assert_eq!(session.unwrap(), None);
    let found = staff(&harness.honnin, &olga, None, localhost()).await;
    assert!(found.unwrap().is_none());
    let refused = enter(&harness, email, PASSWORD).await;
    assert!(matches!(refused, Err(SignInError::Wrong)), "{refused:?}");

    enable(&harness.honnin, HERE, email).await.unwrap();
    let (password, client) = (Secret::new(PASSWORD.to_owned()), client_at(localhost()));
    let entered = sign_in(&harness.honnin, email, password, &client).await.unwrap();
    let told = news(&harness.honnin, &who(&harness, &olga).await, entered.since.as_ref()).await;
    let told = told.unwrap().unwrap().entries;
    let recorded = told.iter().map(|one| (&one.entry.action, one.entry.detail.as_deref()));
    let recorded: Vec<_> = recorded.collect();
    let [(enabled, Some("enabled")), (disabled, Some("disabled"))] = recorded.as_slice() else {
        panic!("{recorded:?}")
    };
    for action in [enabled, disabled] {
        assert_eq!(**action, AuditAction::PersonChange);
    }
    let nobody = disable(&harness.honnin, HERE, "nobody@shop.example").await;
    assert!(matches!(nobody, Err(AccountError::NotFound)));
}

#[tokio::test]
async fn the_command_line_revokes_operator_rights_and_leaves_what_somebody_is_in_their_tenant() {
    let harness = Harness::new().await;
    let rita = harness.invited("rita@shop.example", Role::Admin, PASSWORD).await;
    make_operator(&harness, "rita@shop.example").await;
    let refused = disable(&harness.honnin, HERE, "rita@shop.example").await;
    assert!(
        matches!(refused, Err(AccountError::People(PeopleError::LastAdmin))),
        "{refused:?}"
    );
    let revoke = async |email: &str| revoke_operator(&harness.honnin, HERE, email).await;
    let refused = revoke("rita@shop.example").await;
    assert!(
        matches!(refused, Err(AccountError::People(PeopleError::LastOperator))),
        "{refused:?}"
    );
    operator(&harness).await;
    let before = who(&harness, &rita).await;
    revoke("rita@shop.example").await.unwrap();
    let after = who(&harness, &rita).await;
    assert!(Operator::of(&after).is_err() && Admin::of(&after).is_ok());
    assert!(after.session_epoch() > before.session_epoch(), "sessions are over");
    let done = actions(&harness).await;
    assert!(done.iter().any(|one| one == "person.revoke_operator"), "{done:?}");
    let again = revoke("rita@shop.example").await;
    assert!(matches!(again, Err(AccountError::NoOperator)), "{again:?}");
    let refused = revoke("olga@host.example").await;
    assert!(matches!(refused, Err(AccountError::NoTenant)), "{refused:?}");
}

/// Whoever administers a tenant may have invited an address of another company, and accepted the link themselves.
#[tokio::test]
async fn the_command_line_releases_an_address_so_that_whose_it_is_can_be_invited_elsewhere() {
    let harness = Harness::new().await;
    let (shop, bank) = (&harness.tenant.id, harness.another_tenant().await.id().clone());
    let email = "bob@bank.example";
    let squatter = harness.invited(email, Role::Reviewer, PASSWORD).await;
    enter(&harness, email, PASSWORD).await.unwrap();
    let invite_bob = async || {
        let offer = Offer::of(bank.clone(), Role::Admin);
        invite_from_here(&harness.honnin, HERE, offer, person(email)).await
    };
    let taken = invite_bob().await;
    assert!(matches!(taken, Err(InviteError::Bad(_))), "{taken:?}");
    for named in [None, Some(&bank)] {
        let refused = release(&harness.honnin, HERE, email, named).await;
        assert!(matches!(refused, Err(AccountError::OtherTenant(_))), "{refused:?}");
    }

    let released = release(&harness.honnin, HERE, " Bob@Bank.Example ", Some(shop)).await;
    let released = released.unwrap();
    assert_eq!((&released.id, &*released.email), (&squatter, email));
    let found = staff(&harness.honnin, &squatter, None, localhost()).await;
    assert!(found.unwrap().is_none());
    let refused = enter(&harness, email, PASSWORD).await;
    assert!(matches!(refused, Err(SignInError::Wrong)), "{refused:?}");
    let bob = accept(&harness, &invite_bob().await.unwrap()).await.unwrap();
    assert_ne!(bob, squatter);
    assert_eq!(enter(&harness, email, PASSWORD).await.unwrap(), bob);
    let done = actions(&harness).await;
    assert!(done.iter().any(|one| one == "person.release_address"), "{done:?}");
    let refused = release(&harness.honnin, HERE, email, Some(&bank)).await;
    assert!(
        matches!(refused, Err(AccountError::People(PeopleError::LastAdmin))),
        "{refused:?}"
    );
    let nobody = release(&harness.honnin, HERE, "nobody@bank.example", Some(&bank)).await;
    assert!(matches!(nobody, Err(AccountError::NotFound)), "{nobody:?}");
}

#[tokio::test]
async fn an_operator_without_a_tenant_is_told_what_happened_to_their_account() {
    let harness = Harness::new().await;
    let olga = operator(&harness).await;
    let elsewhere = client_with("192.0.2.7".parse().unwrap(), "another browser");
    let here = client_at(localhost());
    let enter = async |password: &str, client: &Client| {
        let password = Secret::new(password.to_owned());
        sign_in(&harness.honnin, "olga@host.example", password, client).await
    };
    enter("wrong", &elsewhere).await.unwrap_err();
    enter(PASSWORD, &elsewhere).await.unwrap();
    let reset = issue_reset_from_here(&harness.honnin, HERE, "olga@host.example").await;
    reset.unwrap();
    let entered = enter(PASSWORD, &here).await.unwrap();
    let told = news(&harness.honnin, olga.staff(), entered.since.as_ref()).await;
    let told = told.unwrap().unwrap();
    let actions: Vec<_> = told.entries.iter().map(|one| one.entry.action.to_string()).collect();
    assert_eq!(actions, ["person.issue_reset", "person.sign_in"]);
    let detail = told.entries[1].entry.detail.as_deref().unwrap();
    assert!(detail.starts_with("new network, new browser"), "{detail}");
    assert_eq!(told.refused.map(|refused| refused.count), Some(1));
}

#[tokio::test]
async fn what_an_operator_does_to_their_account_from_another_tenant_is_recorded_at_home() {
    let harness = Harness::new().await;
    let elsewhere = harness.another_tenant().await.id().clone();
    let rita = harness.invited("rita@shop.example", Role::Reviewer, PASSWORD).await;
    make_operator(&harness, "rita@shop.example").await;
    let away = staff(&harness.honnin, &rita, Some(&elsewhere), localhost()).await;
    let away = away.unwrap().unwrap();
    assert_eq!(away.tenant(), &elsewhere);
    let [wrong, right] = ["wrong", PASSWORD].map(|password| Secret::new(password.to_owned()));
    let refused = confirm_password(&harness.honnin, &away, wrong).await;
    assert!(refused.is_err());
    let new = "an entirely new sentence";
    let changed = change_password(&harness.honnin, &away, right, Secret::new(new.to_owned())).await;
    changed.unwrap();

    let (password, client) = (Secret::new(new.to_owned()), client_at(localhost()));
    let entered = sign_in(&harness.honnin, "rita@shop.example", password, &client).await;
    let home = who(&harness, &rita).await;
    let told = news(&harness.honnin, &home, entered.unwrap().since.as_ref()).await;
    let told = told.unwrap().unwrap();
    assert_eq!(told.refused.map(|refused| refused.count), Some(1));
    let done: Vec<_> = told.entries.iter().map(|one| one.entry.action.to_string()).collect();
    assert_eq!(done, ["person.change_password"]);
    let done = actions(&harness).await;
    for action in ["person.sign_in_refused", "person.change_password"] {
        assert!(done.iter().any(|one| one == action), "{action}: {done:?}");
    }
    let log = harness.read(async move |tx| audit::list(tx, &elsewhere, None, None, 100).await);
    let log = log.await;
    let theirs = log.iter().filter(|one| one.entry.actor.person() == Some(&rita));
    assert_eq!(theirs.count(), 0, "the other tenant does not have it");
}
