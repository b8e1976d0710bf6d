//! Who gets access, and how: invitations, password reset links, operators created on the command line. Each rule with attempts
//! to circumvent it.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use domain::{ids::UserId, role::Role, secret::Secret, time::Millis};
use service::{
    access::{Admin, CommandLine, Operator, Roster, Staff, staff},
    jobs::sweep,
    people::{
        Change, NewPerson, PeopleError,
        accept_invitation::{AcceptError, accept_invitation, open_invitation},
        change_person, grant_operator,
        invite::{InviteError, Invited, Offer, invite, invite_from_here, list_invitations, revoke_invitation},
        known_browser, list_people,
        news::news,
        reset_password::{ResetError, ResetLink, issue_reset, issue_reset_from_here, open_reset, reset_password},
        sign_in::{SignInError, sign_in},
    },
};
use store::audit;
use testkit::{Harness, client_at, localhost};

const PASSWORD: &str = "correct horse battery";
const HERE: CommandLine = CommandLine::here();

fn person(email: &str) -> NewPerson {
    NewPerson {
        email: email.to_owned(),
        name: "Ines Moreau".into(),
    }
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
    let password = Secret::new(PASSWORD.to_owned());
    accept_invitation(
        &harness.honnin,
        &token(&invited.link),
        password,
        &client_at(localhost()),
    )
    .await
    .map(|entrance| entrance.user)
}

async fn who(harness: &Harness, id: &UserId) -> Staff {
    staff(&harness.honnin, id, None, localhost()).await.unwrap().unwrap()
}

async fn enter(harness: &Harness, email: &str, password: &str) -> Result<UserId, SignInError> {
    sign_in(
        &harness.honnin,
        email,
        Secret::new(password.to_owned()),
        &client_at(localhost()),
    )
    .await
    .map(|entrance| entrance.user)
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
    let id = accept(&harness, &invited.await.unwrap()).await.unwrap();
    let ines = who(&harness, &id).await;
    let admin = Admin::of(&harness.staff(Role::Admin).await).unwrap();
    let reset = issue_reset(&harness.honnin, &admin, &id).await.unwrap();
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
    assert_eq!(news(&harness.honnin, &ines).await.unwrap(), None, "one visit so far");
    enter(&harness, "ines@shop.example", "an entirely new sentence")
        .await
        .unwrap();
    let told = news(&harness.honnin, &ines).await.unwrap().unwrap();
    let told: Vec<_> = told.entries.iter().map(|one| one.entry.action.to_string()).collect();
    assert_eq!(
        told,
        ["person.reset_password", "person.issue_reset"],
        "since they joined"
    );
    let own = known_browser::list_own(&harness.honnin, &ines).await.unwrap();
    assert_eq!(own.len(), 1, "the one they joined with");
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
        let reset = issue_reset(&harness.honnin, &admin, &victim).await.unwrap();
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

async fn new_password(harness: &Harness, reset: &ResetLink) -> Result<(), ResetError> {
    let password = Secret::new("an entirely new sentence".to_owned());
    reset_password(&harness.honnin, &token(&reset.link), password, localhost()).await
}

#[tokio::test]
async fn a_reset_link_changes_the_password_once_and_signs_everybody_out() {
    let harness = Harness::new().await;
    let id = harness.invited("rita@shop.example", Role::Reviewer, PASSWORD).await;
    let admin = Admin::of(&harness.staff(Role::Admin).await).unwrap();
    let lost = issue_reset(&harness.honnin, &admin, &id).await.unwrap();
    let reset = issue_reset(&harness.honnin, &admin, &id).await.unwrap();
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
    let late = issue_reset(&harness.honnin, &admin, &id).await.unwrap();
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
    let refused = issue_reset(&harness.honnin, &admin, &above).await;
    assert!(matches!(refused, Err(PeopleError::Above)));
    let elsewhere = operator(&harness).await.staff().user().clone();
    let out = harness.staff(Role::Reviewer).await.user().clone();
    change_person(&harness.honnin, &admin, &out, Change::Disable)
        .await
        .unwrap();
    for nobody in [&elsewhere, &out, admin.staff().user()] {
        let refused = issue_reset(&harness.honnin, &admin, nobody).await;
        assert!(matches!(refused, Err(PeopleError::NotFound)));
    }
    // A link for a person who becomes an operator in the meantime.
    let rita = harness.invited("rita@shop.example", Role::Reviewer, PASSWORD).await;
    let early = issue_reset(&harness.honnin, &admin, &rita).await.unwrap();
    grant_operator(&harness.honnin, HERE, "rita@shop.example")
        .await
        .unwrap();
    assert!(matches!(new_password(&harness, &early).await, Err(ResetError::Closed)));
}

#[tokio::test]
async fn the_last_operator_stays_and_the_command_line_makes_and_restores_them() {
    let harness = Harness::new().await;
    let admin = Admin::of(&harness.staff(Role::Admin).await).unwrap();
    let rita = harness.invited("rita@shop.example", Role::Reviewer, PASSWORD).await;
    grant_operator(&harness.honnin, HERE, " Rita@Shop.Example ")
        .await
        .unwrap();
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
    grant_operator(&harness.honnin, HERE, "rita@shop.example")
        .await
        .unwrap();
    let reset = issue_reset_from_here(&harness.honnin, HERE, "RITA@shop.example")
        .await
        .unwrap();
    new_password(&harness, &reset).await.unwrap();
    assert!(
        enter(&harness, "rita@shop.example", "an entirely new sentence")
            .await
            .is_ok()
    );
    let nobody = grant_operator(&harness.honnin, HERE, "nobody@shop.example").await;
    assert!(matches!(nobody, Err(PeopleError::NotFound)));
    let people = list_people(&harness.honnin, &Roster::of(admin.staff()).unwrap())
        .await
        .unwrap();
    assert!(
        people
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
