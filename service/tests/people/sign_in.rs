//! Signing in.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use super::hang_up_on;
use domain::{audit::AuditAction, ids::UserId, role::Role, secret::Secret, time::Millis};
use service::{
    access::{Admin, Staff, staff},
    jobs::sweep,
    people::{
        Change, PeopleError, change_person,
        console_session::{self, BrowserSession},
        sign_in::{SignInError, confirm_password},
    },
};
use std::net::IpAddr;
use store::audit;
use testkit::{Harness, client_at, localhost, sign_in};

const RIGHT: &str = "correct horse battery";

async fn with_person() -> (Harness, Admin, UserId) {
    let harness = Harness::new().await;
    let admin = Admin::of(&harness.staff(Role::Admin).await).unwrap();
    let id = harness.invited("rita@shop.example", Role::Reviewer, RIGHT).await;
    (harness, admin, id)
}

async fn enter(harness: &Harness, email: &str, password: &str, address: IpAddr) -> Result<UserId, SignInError> {
    sign_in(
        &harness.honnin,
        email,
        Secret::new(password.to_owned()),
        &client_at(address),
    )
    .await
    .map(|entrance| entrance.user)
}

#[tokio::test]
async fn an_address_in_any_case_and_the_right_password_sign_in() {
    let (harness, _, id) = with_person().await;
    assert_eq!(
        enter(&harness, " Rita@Shop.Example", RIGHT, localhost()).await.unwrap(),
        id
    );
    for (email, password) in [
        ("rita@shop.example", "correct horse batterz"),
        ("nobody@shop.example", RIGHT),
        ("", ""),
    ] {
        assert!(
            matches!(
                enter(&harness, email, password, localhost()).await,
                Err(SignInError::Wrong)
            ),
            "{email}"
        );
    }
}

#[tokio::test]
async fn the_sixth_try_of_a_window_is_refused_even_with_the_right_password() {
    let (harness, _, id) = with_person().await;
    for _ in 0..5 {
        assert!(matches!(
            enter(&harness, "rita@shop.example", "wrong", localhost()).await,
            Err(SignInError::Wrong)
        ));
    }
    assert!(matches!(
        enter(&harness, "rita@shop.example", RIGHT, localhost()).await,
        Err(SignInError::Throttled)
    ));
    let elsewhere = IpAddr::from([192, 0, 2, 9]);
    assert_eq!(
        enter(&harness, "rita@shop.example", RIGHT, elsewhere).await.unwrap(),
        id,
        "nobody is locked out by another"
    );
    harness.clock.advance(Millis::minutes(15));
    assert_eq!(
        enter(&harness, "rita@shop.example", RIGHT, localhost()).await.unwrap(),
        id
    );
}

#[tokio::test]
async fn one_address_may_not_try_many_accounts() {
    let (harness, _, _) = with_person().await;
    for number in 0..30 {
        let email = format!("person{number}@shop.example");
        assert!(matches!(
            enter(&harness, &email, "wrong", localhost()).await,
            Err(SignInError::Wrong)
        ));
    }
    assert!(matches!(
        enter(&harness, "rita@shop.example", RIGHT, localhost()).await,
        Err(SignInError::Throttled)
    ));
}

#[tokio::test]
async fn passwords_that_are_right_lock_nobody_out_however_often_they_are_entered() {
    let (harness, _, id) = with_person().await;
    let rita = staff(&harness.honnin, &id, None, localhost()).await.unwrap().unwrap();
    for _ in 0..101 {
        confirm_password(&harness.honnin, &rita, Secret::new(RIGHT.into()))
            .await
            .unwrap();
    }
    let colleague = enter(&harness, "nobody@shop.example", RIGHT, localhost()).await;
    assert!(matches!(colleague, Err(SignInError::Wrong)), "looked at, not throttled");
    let elsewhere = IpAddr::from([192, 0, 2, 9]);
    assert_eq!(
        enter(&harness, "rita@shop.example", RIGHT, elsewhere).await.unwrap(),
        id
    );
}

#[tokio::test]
async fn a_right_password_in_between_gives_no_more_tries_at_other_accounts() {
    let (harness, _, _) = with_person().await;
    for number in 0..30 {
        let wrong = enter(&harness, &format!("person{number}@shop.example"), "wrong", localhost()).await;
        assert!(matches!(wrong, Err(SignInError::Wrong)));
        if number < 29 {
            enter(&harness, "rita@shop.example", RIGHT, localhost()).await.unwrap();
        }
    }
    let sprayed = enter(&harness, "person30@shop.example", "wrong", localhost()).await;
    assert!(matches!(sprayed, Err(SignInError::Throttled)));
}

#[tokio::test]
async fn many_tries_at_once_are_counted_before_any_password_is_looked_at() {
    let (harness, _, _) = with_person().await;
    let tries = (0..20).map(|_| enter(&harness, "rita@shop.example", "wrong", localhost()));
    let tried = futures::future::join_all(tries).await;
    let looked_at = tried.iter().filter(|tried| matches!(tried, Err(SignInError::Wrong)));
    assert_eq!(looked_at.count(), 5);
}

#[tokio::test]
async fn a_64_bit_network_counts_as_one_caller() {
    let (harness, _, _) = with_person().await;
    let address = |last: u16| IpAddr::from([0x2001, 0xdb8, 0, 1, 0, 0, 0, last]);
    for last in 0..5 {
        let refused = enter(&harness, "rita@shop.example", "wrong", address(last)).await;
        assert!(matches!(refused, Err(SignInError::Wrong)));
    }
    let refused = enter(&harness, "rita@shop.example", RIGHT, address(5)).await;
    assert!(matches!(refused, Err(SignInError::Throttled)));
}

#[tokio::test]
async fn who_is_throttled_makes_no_more_rows_and_the_rows_leave_with_the_next_sweep() {
    let (harness, _, _) = with_person().await;
    for number in 0..40 {
        let tried = enter(&harness, &format!("person{number}@shop.example"), "wrong", localhost()).await;
        assert_eq!(matches!(tried, Err(SignInError::Throttled)), number >= 30);
    }
    let rows = "SELECT COUNT(*) FROM sign_in_tries";
    assert_eq!(harness.database.number(rows).await, 1 + 2 * 30);
    sweep::plan(&harness.honnin).await.unwrap();
    harness.wait(Millis::minutes(15)).await;
    assert_eq!(harness.database.number(rows).await, 0);
}

/// Whose accounts the refused tries were at that an admin sees.
async fn refused_tries(harness: &Harness, admin: &Admin) -> Vec<Option<String>> {
    let tenant = admin.staff().tenant().clone();
    let listed = harness
        .read(async move |tx| audit::list(tx, &tenant, None, None, 100).await)
        .await;
    listed
        .into_iter()
        .filter(|recorded| recorded.entry.action == AuditAction::PersonSignInRefused)
        .map(|recorded| recorded.entry.subject)
        .collect()
}

#[tokio::test]
async fn a_tenant_sees_the_refused_tries_at_its_accounts_and_no_others() {
    let (harness, admin, id) = with_person().await;
    for email in ["rita@shop.example", "nobody@shop.example"] {
        let refused = enter(&harness, email, "wrong", localhost()).await;
        assert!(matches!(refused, Err(SignInError::Wrong)));
    }
    assert_eq!(refused_tries(&harness, &admin).await, [Some(id.to_string())]);
}

#[tokio::test]
async fn a_try_whose_client_hangs_up_at_once_is_seen_as_well() {
    let (harness, admin, id) = with_person().await;
    hang_up_on(enter(&harness, "rita@shop.example", "wrong", localhost()));
    while refused_tries(&harness, &admin).await.is_empty() {
        tokio::task::yield_now().await;
    }
    assert_eq!(refused_tries(&harness, &admin).await, [Some(id.to_string())]);
}

#[tokio::test]
async fn who_is_shut_out_can_neither_sign_in_nor_go_on() {
    let (harness, admin, id) = with_person().await;
    let browser = BrowserSession {
        cookie: "a-cookie".into(),
        user: Some(id.clone()),
        data: "{}".into(),
        expires_at: harness.honnin.now().plus(Millis::minutes(30)),
    };
    console_session::create(&harness.honnin, browser).await.unwrap();
    assert!(
        console_session::load(&harness.honnin, "a-cookie")
            .await
            .unwrap()
            .is_some()
    );
    change_person(&harness.honnin, &admin, &id, Change::Disable)
        .await
        .unwrap();
    assert!(
        console_session::load(&harness.honnin, "a-cookie")
            .await
            .unwrap()
            .is_none()
    );
    assert!(staff(&harness.honnin, &id, None, localhost()).await.unwrap().is_none());
    assert!(matches!(
        enter(&harness, "rita@shop.example", RIGHT, localhost()).await,
        Err(SignInError::Wrong)
    ));
}

#[tokio::test]
async fn signing_out_everywhere_ends_ones_own_sessions_only() {
    let (harness, admin, id) = with_person().await;
    let rita: Staff = staff(&harness.honnin, &id, None, localhost()).await.unwrap().unwrap();
    for (cookie, user) in [("one", &id), ("two", &id), ("other", admin.staff().user())] {
        let browser = BrowserSession {
            cookie: cookie.into(),
            user: Some(user.clone()),
            data: "{}".into(),
            expires_at: harness.honnin.now().plus(Millis::minutes(30)),
        };
        console_session::create(&harness.honnin, browser).await.unwrap();
    }
    assert_eq!(
        console_session::sign_out_everywhere(&harness.honnin, &rita)
            .await
            .unwrap(),
        2
    );
    assert!(console_session::load(&harness.honnin, "one").await.unwrap().is_none());
    assert!(console_session::load(&harness.honnin, "other").await.unwrap().is_some());
    harness.clock.advance(Millis::minutes(30));
    assert!(
        console_session::load(&harness.honnin, "other").await.unwrap().is_none(),
        "it has ended by itself"
    );
}

#[tokio::test]
async fn the_password_is_confirmed_by_its_owner_alone() {
    let (harness, _, id) = with_person().await;
    let rita = staff(&harness.honnin, &id, None, localhost()).await.unwrap().unwrap();
    assert!(
        confirm_password(&harness.honnin, &rita, Secret::new(RIGHT.into()))
            .await
            .is_ok()
    );
    let wrong = confirm_password(&harness.honnin, &rita, Secret::new("correct horse batterz".into())).await;
    assert!(matches!(wrong, Err(SignInError::Wrong)));
}

#[tokio::test]
async fn strangers_who_guess_at_sign_in_keep_nobody_from_confirming_and_guesses_there_are_limited_apart() {
    let (harness, _, id) = with_person().await;
    let here = async |address: IpAddr| staff(&harness.honnin, &id, None, address).await.unwrap().unwrap();
    let confirm = async |address: IpAddr, password: &str| {
        confirm_password(&harness.honnin, &here(address).await, Secret::new(password.to_owned())).await
    };
    let elsewhere = (1..20).map(|last| IpAddr::from([198, 51, 100, last]));
    let networks: Vec<_> = elsewhere.chain([localhost()]).collect();
    let another = IpAddr::from([192, 0, 2, 9]);
    for address in &networks {
        for _ in 0..5 {
            let refused = enter(&harness, "rita@shop.example", "wrong", *address).await;
            assert!(matches!(refused, Err(SignInError::Wrong)), "{address}");
        }
    }
    let refused = enter(&harness, "rita@shop.example", RIGHT, another).await;
    assert!(matches!(refused, Err(SignInError::Throttled)), "the account is full");
    confirm(localhost(), RIGHT).await.unwrap();

    // Somebody with a stolen session guesses no more often than at sign-in, and keeps the owner from signing in no more either.
    harness.clock.advance(Millis::minutes(15));
    for address in &networks {
        for _ in 0..5 {
            let refused = confirm(*address, "wrong").await;
            assert!(matches!(refused, Err(SignInError::Wrong)), "{address}");
        }
        let refused = confirm(*address, RIGHT).await;
        assert!(matches!(refused, Err(SignInError::Throttled)), "{address}");
    }
    let refused = confirm(another, RIGHT).await;
    assert!(matches!(refused, Err(SignInError::Throttled)), "from anywhere");
    enter(&harness, "rita@shop.example", RIGHT, localhost()).await.unwrap();
}

#[tokio::test]
async fn somebody_always_stays_admin() {
    let (harness, admin, id) = with_person().await;
    let me = admin.staff().user();
    for change in [Change::Role(Role::Auditor), Change::Disable] {
        let refused = change_person(&harness.honnin, &admin, me, change).await;
        assert!(matches!(refused, Err(PeopleError::LastAdmin)));
    }
    change_person(&harness.honnin, &admin, &id, Change::Role(Role::Admin))
        .await
        .unwrap();
    change_person(&harness.honnin, &admin, me, Change::Role(Role::Auditor))
        .await
        .unwrap();
}
