//! The first account.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use domain::secret::Secret;
use service::{
    access::{Admin, Operator, staff},
    people::set_up::{SetUp, SetUpError, open_set_up, set_up, set_up_link},
};
use testkit::{Harness, client_at, localhost, sign_in};

fn form() -> SetUp {
    SetUp {
        organisation: "Ignored".into(),
        email: " First@Shop.Example ".into(),
        name: "First Person".into(),
        password: Secret::new("correct horse battery".into()),
    }
}

async fn token(harness: &Harness) -> String {
    let link = set_up_link(&harness.honnin).await.unwrap().unwrap();
    assert!(link.expose().starts_with("https://id.example/admin/set-up/"));
    link.expose().rsplit('/').next().unwrap().to_owned()
}

#[tokio::test]
async fn the_link_makes_the_first_person_admin_and_operator_and_is_dead_then() {
    let harness = Harness::new().await;
    let token = token(&harness).await;
    assert_eq!(
        open_set_up(&harness.honnin, &token).await.unwrap().as_deref(),
        Some("Example Shop")
    );
    let id = set_up(&harness.honnin, &token, form(), &client_at(localhost()))
        .await
        .unwrap()
        .user;
    let here = "SELECT COUNT(*) FROM audit WHERE action = 'installation.set_up' AND address = '127.0.0.1'";
    assert_eq!(harness.database.number(here).await, 1);
    let first = staff(&harness.honnin, &id, None, localhost()).await.unwrap().unwrap();
    assert_eq!(first.tenant(), &harness.tenant.id);
    assert!(Admin::of(&first).is_ok() && Operator::of(&first).is_ok());
    let password = Secret::new("correct horse battery".into());
    assert_eq!(
        sign_in(&harness.honnin, "first@shop.example", password, &client_at(localhost()))
            .await
            .unwrap()
            .user,
        id
    );
    assert!(matches!(
        set_up(&harness.honnin, &token, form(), &client_at(localhost())).await,
        Err(SetUpError::Closed)
    ));
    assert!(matches!(
        open_set_up(&harness.honnin, &token).await,
        Err(SetUpError::Closed)
    ));
    assert!(
        set_up_link(&harness.honnin).await.unwrap().is_none(),
        "there is an account now"
    );
}

#[tokio::test]
async fn a_link_lives_through_restarts_until_one_is_used() {
    let mut harness = Harness::new().await;
    let first = token(&harness).await;
    harness.restart().await;
    let second = token(&harness).await;
    assert_ne!(first, second);
    set_up(&harness.honnin, &first, form(), &client_at(localhost()))
        .await
        .unwrap();
    assert!(matches!(
        set_up(&harness.honnin, &second, form(), &client_at(localhost())).await,
        Err(SetUpError::Closed)
    ));
}

#[tokio::test]
async fn of_two_at_once_one_is_made() {
    let harness = Harness::new().await;
    let (one, two) = (token(&harness).await, token(&harness).await);
    let other = SetUp {
        email: "other@shop.example".into(),
        ..form()
    };
    let here = client_at(localhost());
    let made = tokio::join!(
        set_up(&harness.honnin, &one, form(), &here),
        set_up(&harness.honnin, &two, other, &here)
    );
    assert!(made.0.is_ok() != made.1.is_ok());
}

#[tokio::test]
async fn a_guessed_link_opens_nothing_and_a_weak_password_keeps_the_link_open() {
    let harness = Harness::new().await;
    let token = token(&harness).await;
    for guess in ["", "x", &"a".repeat(43)] {
        assert!(
            matches!(
                set_up(&harness.honnin, guess, form(), &client_at(localhost())).await,
                Err(SetUpError::Closed)
            ),
            "{guess}"
        );
    }
    let weak = SetUp {
        password: Secret::new("short".into()),
        email: "nobody".into(),
        name: String::new(),
        ..form()
    };
    let Err(SetUpError::Bad(faults)) = set_up(&harness.honnin, &token, weak, &client_at(localhost())).await else {
        panic!("must be refused")
    };
    let fields: Vec<_> = faults.iter().map(|fault| fault.field()).collect();
    assert_eq!(fields, ["email", "name", "password"]);
    assert!(
        set_up(&harness.honnin, &token, form(), &client_at(localhost()))
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn a_password_that_anybody_would_guess_is_refused() {
    let harness = Harness::new().await;
    let token = token(&harness).await;
    for guess in [
        "passwordpassword",
        "Password12345678",
        "qwertyuiopasdfghjkl",
        "123456789012345",
        "first@shop.example",
        "firstpersonfirstperson",
        "exampleshopexampleshop",
        "honninhonninhonnin",
        "Honnin2026!!!!!",
    ] {
        let weak = SetUp {
            password: Secret::new(guess.into()),
            ..form()
        };
        let Err(SetUpError::Bad(faults)) = set_up(&harness.honnin, &token, weak, &client_at(localhost())).await else {
            panic!("{guess} was taken")
        };
        assert_eq!(
            faults.iter().map(|fault| fault.field()).collect::<Vec<_>>(),
            ["password"]
        );
    }
    assert!(
        set_up(&harness.honnin, &token, form(), &client_at(localhost()))
            .await
            .is_ok()
    );
}
