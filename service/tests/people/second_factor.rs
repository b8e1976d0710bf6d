//! Second factors: asked for after the password and before sensitive actions, each code good once, and passkeys of this site only.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use super::hang_up_on;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ciborium::Value;
use domain::{
    audit::AuditAction,
    event::EventType,
    ids::UserId,
    role::Role,
    scope::{Scope, Scopes},
    secret::Secret,
    session::Step,
    tenant::Change,
    time::{Millis, Timestamp},
};
use futures::future::join;
use ring::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair as _},
};
use service::{
    access::{Admin, Developer, Staff, staff},
    jobs::sweep,
    people::{
        Change as PersonChange, PeopleError,
        change_password::{ChangePasswordError, change_password},
        change_person, console_session, known_browser,
        news::news,
        pending_sign_in::{self, AfterFirstFactor, PendingSignIn},
        reset_password::issue_reset,
        second_factor::{
            AuthenticatorError, CodeError, RenewCodesError, begin_authenticator, begun_authenticator,
            confirm_authenticator, confirm_code, list_factors, list_factors_of,
            passkeys::{self, Answerer, PasskeyError, issue_challenge, register},
            remove_authenticator, remove_of, renew_recovery_codes, sign_in_with_code,
        },
        sign_in::{self, SignInError, confirm_password},
        visit::Entrance,
    },
    settings::{
        self,
        api_keys::{NewKey, draft_key, issue_key},
    },
    webhook::signing_secret,
};
use sha2::{Digest, Sha256};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use std::{cell::Cell, net::IpAddr};
use store::audit;
use testkit::{Harness, client_at, client_with, databases::backends, localhost, loopback_sender, sign_in};
use totp_rs::{Builder, Totp};

const RIGHT: &str = "correct horse battery";
const EMAIL: &str = "rita@shop.example";

async fn rita() -> (Harness, Staff) {
    let harness = Harness::new().await;
    let id = harness.invited(EMAIL, Role::Reviewer, RIGHT).await;
    let rita = staff(&harness.honnin, &id, None, localhost()).await.unwrap().unwrap();
    (harness, rita)
}

fn app(secret: &str) -> Totp {
    let secret = totp_rs::Secret::try_from_base32(secret).unwrap();
    Builder::new().with_secret(secret).build().unwrap()
}

fn code(harness: &Harness, app: &Totp) -> String {
    let seconds = u64::try_from(harness.honnin.now().as_seconds()).unwrap();
    app.generate(seconds).to_string()
}

/// Sets up an authenticator app; returns it with the recovery codes.
async fn with_app(harness: &Harness, rita: &Staff) -> (Totp, Vec<String>) {
    let begun = begin_authenticator(&harness.honnin, rita).await.unwrap();
    assert!(
        begun
            .url
            .expose()
            .starts_with("otpauth://totp/Honnin:rita%40shop.example?secret=")
    );
    let app = app(begun.secret.expose());
    let codes = confirm_authenticator(&harness.honnin, rita, &code(harness, &app)).await;
    let codes = codes.unwrap().unwrap();
    (app, codes.iter().map(|code| code.expose().clone()).collect())
}

async fn enter_password(harness: &Harness) -> Result<Entrance, SignInError> {
    sign_in(
        &harness.honnin,
        EMAIL,
        Secret::new(RIGHT.into()),
        &client_at(localhost()),
    )
    .await
}

async fn enter_code(harness: &Harness, rita: &Staff, code: &str) -> Result<(), CodeError> {
    let pending = begin_to_sign_in(harness, localhost()).await;
    assert_eq!(pending.user, *rita.user());
    let client = client_at(localhost());
    sign_in_with_code(&harness.honnin, &pending, code, &client)
        .await
        .map(drop)
}

#[tokio::test]
async fn the_password_alone_no_longer_signs_in_once_a_code_from_the_app_was_entered() {
    let (harness, rita) = rita().await;
    let begun = begin_authenticator(&harness.honnin, &rita).await.unwrap();
    let wrong = confirm_authenticator(&harness.honnin, &rita, "000000").await;
    assert!(matches!(wrong, Err(AuthenticatorError::Code(CodeError::Wrong))));
    let again = begun_authenticator(&harness.honnin, &rita).await.unwrap();
    assert_eq!(
        again.secret.expose(),
        begun.secret.expose(),
        "shown again after a typing error"
    );
    assert!(enter_password(&harness).await.is_ok(), "not finished");
    let (app, codes) = with_app(&harness, &rita).await;
    assert_eq!(codes.len(), 10);
    assert!(codes.iter().all(|code| code.len() == 29));
    assert!(matches!(
        begin_authenticator(&harness.honnin, &rita).await,
        Err(AuthenticatorError::Exists)
    ));
    assert_eq!(begin_to_sign_in(&harness, localhost()).await.user, *rita.user());
    assert!(
        matches!(
            enter_code(&harness, &rita, &code(&harness, &app)).await,
            Err(CodeError::Wrong)
        ),
        "used for the set-up"
    );
    harness.clock.advance(Millis::seconds(30));
    let next = code(&harness, &app);
    let spaced = format!("{} {}", &next[..3], &next[3..]);
    enter_code(&harness, &rita, &spaced).await.unwrap();
    assert!(
        matches!(enter_code(&harness, &rita, &next).await, Err(CodeError::Wrong)),
        "good once"
    );
    // A step-up still accepts the password, wherever one is asked for.
    let password = Secret::new(RIGHT.to_owned());
    assert!(confirm_password(&harness.honnin, &rita, password).await.is_ok());
}

#[tokio::test]
async fn a_code_is_accepted_as_a_japanese_keyboard_types_it() {
    let (harness, rita) = rita().await;
    let (app, codes) = with_app(&harness, &rita).await;
    harness.clock.advance(Millis::seconds(30));
    let full_width = |ascii: &str| -> String {
        let wide = |c: char| char::from_u32(u32::from(c) + 0xfee0).unwrap();
        ascii.chars().map(wide).collect()
    };
    assert_eq!(full_width("12"), "１２");
    enter_code(&harness, &rita, &full_width(&code(&harness, &app)))
        .await
        .unwrap();
    enter_code(&harness, &rita, &full_width(&codes[0])).await.unwrap();
}

#[tokio::test]
async fn codes_of_the_steps_around_now_are_accepted_and_older_ones_are_not() {
    let (harness, rita) = rita().await;
    let (app, _) = with_app(&harness, &rita).await;
    harness.clock.advance(Millis::minutes(10));
    for (back, good) in [(60, false), (30, true)] {
        let late = code(&harness, &app);
        harness.clock.advance(Millis::seconds(back));
        assert_eq!(enter_code(&harness, &rita, &late).await.is_ok(), good, "{back} s late");
    }
}

#[tokio::test]
async fn the_sixth_code_of_a_window_is_not_looked_at() {
    let (harness, rita) = rita().await;
    let (app, codes) = with_app(&harness, &rita).await;
    harness.clock.advance(Millis::minutes(1));
    let pending = begin_to_sign_in(&harness, localhost()).await;
    let enter = async |code: &str| sign_in_with_code(&harness.honnin, &pending, code, &client_at(localhost())).await;
    for _ in 0..5 {
        let refused = enter("000000").await;
        assert!(matches!(refused, Err(CodeError::Wrong)));
    }
    for right in [&code(&harness, &app), &codes[0]] {
        let refused = enter(right).await;
        assert!(matches!(refused, Err(CodeError::Throttled)));
    }
    harness.clock.advance(Millis::minutes(15));
    enter_code(&harness, &rita, &codes[0]).await.unwrap();
    for _ in 0..10 {
        harness.clock.advance(Millis::seconds(30));
        enter_code(&harness, &rita, &code(&harness, &app)).await.unwrap();
    }
}

#[tokio::test]
async fn somebody_with_the_password_alone_keeps_the_owner_neither_from_signing_in_nor_from_a_step_up() {
    let (harness, rita) = rita().await;
    let (_, codes) = with_app(&harness, &rita).await;
    let guess_with = async |pending: &PendingSignIn, from: IpAddr| {
        sign_in_with_code(&harness.honnin, pending, "000000", &client_at(from)).await
    };
    let guess = async |from: IpAddr| guess_with(&begin_to_sign_in(&harness, from).await, from).await;
    let elsewhere = IpAddr::from([192, 0, 2, 7]);
    let pending = begin_to_sign_in(&harness, elsewhere).await;
    for _ in 0..5 {
        assert!(matches!(guess_with(&pending, elsewhere).await, Err(CodeError::Wrong)));
    }
    assert!(matches!(
        guess_with(&pending, elsewhere).await,
        Err(CodeError::Throttled)
    ));
    enter_code(&harness, &rita, &codes[0]).await.unwrap();
    confirm_code(&harness.honnin, &rita, &codes[1]).await.unwrap();
    // With many networks, they reach the limit of all: those who are signed in work on.
    for network in 0..25 {
        let guessed = guess(IpAddr::from([198, 51, 100, network])).await;
        assert!(matches!(guessed, Err(CodeError::Wrong)), "{network}");
    }
    assert!(matches!(
        guess(IpAddr::from([198, 51, 100, 99])).await,
        Err(CodeError::Throttled)
    ));
    confirm_code(&harness.honnin, &rita, &codes[2]).await.unwrap();
    // Nor does somebody with a stolen session keep the owner from signing in.
    harness.clock.advance(Millis::minutes(15));
    for _ in 0..5 {
        let guessed = confirm_code(&harness.honnin, &rita, "000000").await;
        assert!(matches!(guessed, Err(CodeError::Wrong)));
    }
    let guessed = confirm_code(&harness.honnin, &rita, &codes[3]).await;
    assert!(matches!(guessed, Err(CodeError::Throttled)));
    enter_code(&harness, &rita, &codes[3]).await.unwrap();
}

#[tokio::test]
async fn whoever_has_nothing_but_the_password_begins_five_sign_ins_and_the_owner_signs_in_as_often_as_they_like() {
    let (harness, rita) = rita().await;
    let (app, codes) = with_app(&harness, &rita).await;
    let elsewhere = IpAddr::from([192, 0, 2, 7]);
    let mut begun = Vec::new();
    for _ in 0..5 {
        begun.push(begin_to_sign_in(&harness, elsewhere).await);
    }
    let begin = async || begin_from(&harness, elsewhere).await;
    let sixth = begin().await;
    assert!(matches!(sixth, Err(SignInError::Throttled)), "{sixth:?}");
    for _ in 0..6 {
        harness.clock.advance(Millis::seconds(30));
        enter_code(&harness, &rita, &code(&harness, &app)).await.unwrap();
    }
    // The owner, who has mistyped their codes.
    let client = client_at(elsewhere);
    sign_in_with_code(&harness.honnin, &begun[0], &codes[0], &client)
        .await
        .unwrap();
    assert!(matches!(begin().await, Ok(AfterFirstFactor::SecondFactor(_))));
}

#[tokio::test]
async fn a_recovery_code_signs_in_once_however_it_is_typed_and_new_ones_end_the_old() {
    let (harness, rita) = rita().await;
    let none = renew_recovery_codes(&harness.honnin, &rita, None).await;
    assert!(matches!(none, Err(RenewCodesError::NoFactor)), "{none:?}");
    let (_, codes) = with_app(&harness, &rita).await;
    let letters = |code: &String| code.chars().filter(char::is_ascii_alphanumeric).count();
    assert!(codes.iter().all(|code| letters(code) == 24), "120 bits, five in each");
    let shouted = codes[0].replace('-', " ").to_uppercase();
    enter_code(&harness, &rita, &shouted).await.unwrap();
    assert!(matches!(
        enter_code(&harness, &rita, &codes[0]).await,
        Err(CodeError::Wrong)
    ));
    let factors = list_factors(&harness.honnin, rita.user()).await.unwrap();
    assert_eq!(factors.recovery_codes, 9);
    confirm_code(&harness.honnin, &rita, &codes[1]).await.unwrap();
    let fresh = renew_recovery_codes(&harness.honnin, &rita, None).await.unwrap();
    assert!(enter_code(&harness, &rita, &codes[2]).await.is_err());
    enter_code(&harness, &rita, fresh[0].expose()).await.unwrap();
    remove_authenticator(&harness.honnin, &rita).await.unwrap();
    assert!(enter_password(&harness).await.is_ok());
    let factors = list_factors(&harness.honnin, rita.user()).await.unwrap();
    assert_eq!(factors.recovery_codes, 0, "they go with the last factor");
}

#[tokio::test]
async fn recovery_codes_are_renewed_once_for_each_set_that_was_known() {
    let (harness, rita) = rita().await;
    let (_, codes) = with_app(&harness, &rita).await;
    let mark = async || {
        let factors = list_factors(&harness.honnin, rita.user()).await.unwrap();
        factors.recovery_mark
    };
    let first = mark().await;
    let fresh = renew_recovery_codes(&harness.honnin, &rita, Some(&first))
        .await
        .unwrap();
    let again = renew_recovery_codes(&harness.honnin, &rita, Some(&first)).await;
    assert!(matches!(again, Err(RenewCodesError::Repeated)), "{again:?}");
    enter_code(&harness, &rita, fresh[0].expose()).await.unwrap();
    assert!(enter_code(&harness, &rita, &codes[0]).await.is_err());
    let used = mark().await;
    confirm_code(&harness.honnin, &rita, fresh[1].expose()).await.unwrap();
    let late = renew_recovery_codes(&harness.honnin, &rita, Some(&used)).await;
    assert!(matches!(late, Err(RenewCodesError::Repeated)), "{late:?}");
    let known = mark().await;
    renew_recovery_codes(&harness.honnin, &rita, Some(&known))
        .await
        .unwrap();
}

#[tokio::test]
async fn an_admin_removes_the_factors_of_a_colleague_and_not_of_a_stranger_or_themselves() {
    let (harness, rita) = rita().await;
    with_app(&harness, &rita).await;
    let admin = Admin::of(&harness.staff(Role::Admin).await).unwrap();
    let own = remove_of(&harness.honnin, &admin, admin.staff().user()).await;
    assert!(matches!(own, Err(PeopleError::NotFound)));
    let elsewhere = Harness::new().await;
    let stranger = Admin::of(&elsewhere.staff(Role::Admin).await).unwrap();
    let foreign = remove_of(&elsewhere.honnin, &stranger, rita.user()).await;
    assert!(matches!(foreign, Err(PeopleError::NotFound)));
    remove_of(&harness.honnin, &admin, rita.user()).await.unwrap();
    assert!(enter_password(&harness).await.is_ok());
    let tenant = harness.tenant.id.clone();
    let log = harness
        .read(async move |tx| audit::list(tx, &tenant, None, None, 10).await)
        .await;
    let removed = log
        .iter()
        .find(|one| one.entry.action == AuditAction::FactorRemove)
        .unwrap();
    assert_eq!(
        (removed.entry.actor.as_str(), removed.entry.subject.as_deref()),
        (admin.staff().user().as_str(), Some(rita.user().as_str()))
    );
}

/// What a browser and a security key do.
struct SecurityKey {
    pair: EcdsaKeyPair,
    id: Vec<u8>,
    origin: &'static str,
    counter: Cell<u32>,
}

impl SecurityKey {
    fn new(id: u8) -> Self {
        let random = SystemRandom::new();
        let made = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &random).unwrap();
        Self {
            pair: EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, made.as_ref(), &random).unwrap(),
            id: vec![id; 16],
            origin: "https://id.example",
            counter: Cell::new(0),
        }
    }

    fn client_data(&self, kind: &str, challenge: &str) -> Vec<u8> {
        let origin = self.origin;
        format!(r#"{{"type":"webauthn.{kind}","challenge":"{challenge}","origin":"{origin}"}}"#).into_bytes()
    }

    fn data(&self, flags: u8) -> Vec<u8> {
        self.counter.set(self.counter.get() + 1);
        [
            &Sha256::digest("id.example")[..],
            &[flags],
            &self.counter.get().to_be_bytes(),
        ]
        .concat()
    }

    fn create(&self, challenge: &str) -> String {
        let point = self.pair.public_key().as_ref();
        let members: Vec<(Value, Value)> = vec![
            (1.into(), 2.into()),
            (3.into(), (-7).into()),
            ((-1).into(), 1.into()),
            ((-2).into(), Value::Bytes(point[1..33].to_vec())),
            ((-3).into(), Value::Bytes(point[33..].to_vec())),
        ];
        let mut data = self.data(0b0100_0101);
        data.extend([0; 16]);
        data.extend(u16::try_from(self.id.len()).unwrap().to_be_bytes());
        data.extend(&self.id);
        ciborium::into_writer(&Value::Map(members), &mut data).unwrap();
        let object = Value::Map(vec![
            ("fmt".into(), "none".into()),
            ("attStmt".into(), Value::Map(Vec::new())),
            ("authData".into(), Value::Bytes(data)),
        ]);
        let mut attestation = Vec::new();
        ciborium::into_writer(&object, &mut attestation).unwrap();
        serde_json::json!({
            "id": URL_SAFE_NO_PAD.encode(&self.id),
            "clientData": URL_SAFE_NO_PAD.encode(self.client_data("create", challenge)),
            "attestation": URL_SAFE_NO_PAD.encode(attestation),
        })
        .to_string()
    }

    fn get(&self, challenge: &str) -> String {
        let (data, client) = (self.data(0b101), self.client_data("get", challenge));
        let signed = [&data[..], &Sha256::digest(&client)[..]].concat();
        let signature = self.pair.sign(&SystemRandom::new(), &signed).unwrap();
        serde_json::json!({
            "id": URL_SAFE_NO_PAD.encode(&self.id),
            "clientData": URL_SAFE_NO_PAD.encode(client),
            "authenticatorData": URL_SAFE_NO_PAD.encode(data),
            "signature": URL_SAFE_NO_PAD.encode(signature.as_ref()),
        })
        .to_string()
    }
}

async fn challenge(harness: &Harness, user: Option<&UserId>) -> String {
    let answerer = user.map_or(Answerer::Guest(localhost()), Answerer::SignedIn);
    let issued = issue_challenge(&harness.honnin, answerer).await.unwrap();
    assert_eq!(issued.party, "id.example");
    issued.challenge.expose().clone()
}

async fn registered(harness: &Harness, staff: &Staff, id: u8) -> SecurityKey {
    let key = SecurityKey::new(id);
    let response = key.create(&challenge(harness, Some(staff.user())).await);
    register(&harness.honnin, staff, "Laptop", &response).await.unwrap();
    key
}

/// With a passkey after the password of `user`, or with the passkey alone.
async fn enter_passkey(harness: &Harness, user: Option<&UserId>, response: &str) -> Result<UserId, PasskeyError> {
    let pending = match user {
        Some(user) => Some(begin_to_sign_in(harness, localhost()).await).filter(|pending| pending.user == *user),
        None => None,
    };
    assert_eq!(pending.is_some(), user.is_some());
    let client = client_at(localhost());
    let entered = passkeys::sign_in(&harness.honnin, pending.as_ref(), response, &client).await;
    entered.map(|entrance| entrance.user)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_first_factors_at_the_same_time_one_brings_the_recovery_codes() {
    for database in backends().await {
        let name = database.name;
        let harness = Harness::on(database, Default::default(), loopback_sender(), Default::default()).await;
        for round in 0..10 {
            let rita = harness.staff(Role::Reviewer).await;
            let mut responses = Vec::new();
            for number in 0..2 {
                let key = SecurityKey::new(2 * round + number);
                responses.push(key.create(&challenge(&harness, Some(rita.user())).await));
            }
            let (one, two) = join(
                register(&harness.honnin, &rita, "Laptop", &responses[0]),
                register(&harness.honnin, &rita, "Phone", &responses[1]),
            )
            .await;
            let sets: Vec<_> = [one, two].into_iter().filter_map(Result::unwrap).collect();
            assert_eq!(sets.len(), 1, "{name}, round {round}");
            let factors = list_factors(&harness.honnin, rita.user()).await.unwrap();
            assert_eq!(factors.recovery_codes, 10, "{name}, round {round}");
        }
    }
}

#[tokio::test]
async fn a_passkey_signs_in_alone_after_the_password_and_again_for_a_step_up() {
    let (harness, rita) = rita().await;
    let key = registered(&harness, &rita, 1).await;
    let factors = list_factors(&harness.honnin, rita.user()).await.unwrap();
    assert_eq!((factors.passkeys.len(), factors.recovery_codes), (1, 10));
    begin_to_sign_in(&harness, localhost()).await;
    let me = rita.user();
    let alone = key.get(&challenge(&harness, None).await);
    assert_eq!(enter_passkey(&harness, None, &alone).await.unwrap(), *me);
    let second = key.get(&challenge(&harness, Some(me)).await);
    assert_eq!(enter_passkey(&harness, Some(me), &second).await.unwrap(), *me);
    let step_up = key.get(&challenge(&harness, Some(me)).await);
    passkeys::confirm(&harness.honnin, &rita, &step_up).await.unwrap();
    for replayed in [alone, second, step_up] {
        for user in [None, Some(me)] {
            let refused = enter_passkey(&harness, user, &replayed).await;
            assert!(matches!(refused, Err(PasskeyError::Refused)), "answered once");
        }
    }
}

#[tokio::test]
async fn a_passkey_of_another_person_site_or_copy_is_refused() {
    let (harness, rita) = rita().await;
    let otto = harness.staff(Role::Reviewer).await;
    let hers = registered(&harness, &rita, 1).await;
    let his = registered(&harness, &otto, 2).await;
    let me = rita.user();
    let refused = |found: Result<UserId, PasskeyError>| assert!(matches!(found, Err(PasskeyError::Refused)));
    refused(enter_passkey(&harness, Some(me), &his.get(&challenge(&harness, Some(me)).await)).await);
    // A challenge for one person does not sign in anybody, and the other way round.
    refused(enter_passkey(&harness, None, &hers.get(&challenge(&harness, Some(me)).await)).await);
    refused(enter_passkey(&harness, Some(me), &hers.get(&challenge(&harness, None).await)).await);
    let phished = SecurityKey {
        origin: "https://id.example.evil.example",
        ..SecurityKey::new(1)
    };
    refused(enter_passkey(&harness, None, &phished.get(&challenge(&harness, None).await)).await);
    let forged = SecurityKey::new(1);
    refused(enter_passkey(&harness, None, &forged.get(&challenge(&harness, None).await)).await);
    let old = challenge(&harness, None).await;
    harness.clock.advance(Millis::minutes(5));
    refused(enter_passkey(&harness, None, &hers.get(&old)).await);
    hers.counter.set(0);
    refused(enter_passkey(&harness, None, &hers.get(&challenge(&harness, None).await)).await);
    refused(enter_passkey(&harness, None, "{}").await);
    hers.counter.set(50);
    let back = hers.get(&challenge(&harness, None).await);
    assert_eq!(enter_passkey(&harness, None, &back).await.unwrap(), *me);
}

#[tokio::test]
async fn a_passkey_is_registered_once_and_removed_by_its_owner() {
    let (harness, rita) = rita().await;
    let otto = harness.staff(Role::Reviewer).await;
    let key = registered(&harness, &rita, 1).await;
    let again = key.create(&challenge(&harness, Some(otto.user())).await);
    let refused = register(&harness.honnin, &otto, "Laptop", &again).await;
    assert!(matches!(refused, Err(PasskeyError::Exists)));
    let foreign = key.create(&challenge(&harness, Some(rita.user())).await);
    let refused = register(&harness.honnin, &otto, "Laptop", &foreign).await;
    assert!(matches!(refused, Err(PasskeyError::Refused)));
    let refused = register(&harness.honnin, &rita, " ", "{}").await;
    assert!(matches!(refused, Err(PasskeyError::BadName)));
    let id = URL_SAFE_NO_PAD.encode(&key.id);
    assert!(!passkeys::remove(&harness.honnin, &otto, &id).await.unwrap());
    assert!(passkeys::remove(&harness.honnin, &rita, &id).await.unwrap());
    assert!(enter_password(&harness).await.is_ok());
    let gone = key.get(&challenge(&harness, None).await);
    let refused = enter_passkey(&harness, None, &gone).await;
    assert!(matches!(refused, Err(PasskeyError::Refused)));
}

#[tokio::test]
async fn whoever_sends_the_form_of_a_new_passkey_twice_is_told_that_they_have_it() {
    let (harness, rita) = rita().await;
    let otto = harness.staff(Role::Reviewer).await;
    let form = SecurityKey::new(1).create(&challenge(&harness, Some(rita.user())).await);
    assert!(
        register(&harness.honnin, &rita, "Laptop", &form)
            .await
            .unwrap()
            .is_some()
    );
    let again = register(&harness.honnin, &rita, "Laptop", &form).await;
    assert!(matches!(again, Err(PasskeyError::Exists)), "{again:?}");
    let foreign = register(&harness.honnin, &otto, "Laptop", &form).await;
    assert!(matches!(foreign, Err(PasskeyError::Refused)), "{foreign:?}");
    let factors = list_factors(&harness.honnin, rita.user()).await.unwrap();
    assert_eq!(factors.passkeys.len(), 1);
}

#[tokio::test]
async fn challenges_for_one_network_are_limited() {
    let (harness, _) = rita().await;
    for _ in 0..100 {
        challenge(&harness, None).await;
    }
    let refused = issue_challenge(&harness.honnin, Answerer::Guest(localhost())).await;
    assert!(matches!(refused, Err(PasskeyError::Throttled)));
}

#[tokio::test]
async fn challenges_that_others_behind_the_same_address_used_up_keep_nobody_from_their_passkey() {
    let (harness, rita) = rita().await;
    let key = registered(&harness, &rita, 1).await;
    let use_up = async |answerer: Answerer<'_>| {
        for _ in 0..100 {
            issue_challenge(&harness.honnin, answerer).await.unwrap();
        }
        let refused = issue_challenge(&harness.honnin, answerer).await;
        assert!(matches!(refused, Err(PasskeyError::Throttled)), "{answerer:?}");
    };
    use_up(Answerer::Guest(localhost())).await;
    let pending = begin_to_sign_in(&harness, localhost()).await;
    let answerer = Answerer::of_sign_in(Some(&pending), localhost());
    let issued = issue_challenge(&harness.honnin, answerer).await.unwrap();
    let right = key.get(issued.challenge.expose());
    passkeys::sign_in(&harness.honnin, Some(&pending), &right, &client_at(localhost()))
        .await
        .unwrap();
    // Somebody who has the password does.
    use_up(answerer).await;
    let step_up = key.get(&challenge(&harness, Some(rita.user())).await);
    passkeys::confirm(&harness.honnin, &rita, &step_up).await.unwrap();
    use_up(Answerer::SignedIn(rita.user())).await;
}

#[tokio::test]
async fn a_set_up_that_was_begun_can_be_finished_within_an_hour() {
    let (harness, rita) = rita().await;
    let begun = begin_authenticator(&harness.honnin, &rita).await.unwrap();
    harness.clock.advance(Millis::minutes(59));
    let again = begun_authenticator(&harness.honnin, &rita).await.unwrap();
    assert_eq!(again.secret.expose(), begun.secret.expose());
    harness.clock.advance(Millis::minutes(1));
    let late = begun_authenticator(&harness.honnin, &rita).await;
    assert!(
        matches!(late, Err(AuthenticatorError::Code(CodeError::Wrong))),
        "{late:?}"
    );
    let code = code(&harness, &app(begun.secret.expose()));
    let late = confirm_authenticator(&harness.honnin, &rita, &code).await;
    assert!(
        matches!(late, Err(AuthenticatorError::Code(CodeError::Wrong))),
        "{late:?}"
    );
    assert!(!list_factors(&harness.honnin, rita.user()).await.unwrap().any());
}

#[tokio::test]
async fn an_admin_sees_which_factors_of_a_colleague_they_would_remove_and_when_one_was_used() {
    let (harness, rita) = rita().await;
    let admin = Admin::of(&harness.staff(Role::Admin).await).unwrap();
    let unused = list_factors_of(&harness.honnin, &admin, rita.user()).await.unwrap();
    assert_eq!((unused.1.any(), unused.1.last_used_at), (false, None));
    with_app(&harness, &rita).await;
    // A code of the app is that of half a minute.
    let used = harness.honnin.now().as_millis() / 30_000 * 30_000;
    let (person, factors) = list_factors_of(&harness.honnin, &admin, rita.user()).await.unwrap();
    assert_eq!(person.email, EMAIL);
    assert!(factors.authenticator.is_some());
    assert_eq!(factors.last_used_at, Some(Timestamp::from_millis(used)));
    harness.clock.advance(Millis::minutes(5));
    let key = registered(&harness, &rita, 1).await;
    let step_up = key.get(&challenge(&harness, Some(rita.user())).await);
    passkeys::confirm(&harness.honnin, &rita, &step_up).await.unwrap();
    let (_, factors) = list_factors_of(&harness.honnin, &admin, rita.user()).await.unwrap();
    assert_eq!(factors.last_used_at, Some(harness.honnin.now()), "a passkey");
    let own = list_factors_of(&harness.honnin, &admin, admin.staff().user()).await;
    assert!(matches!(own, Err(PeopleError::NotFound)), "{own:?}");
}

#[tokio::test]
async fn challenges_that_were_answered_rightly_are_not_counted() {
    let (harness, rita) = rita().await;
    let key = registered(&harness, &rita, 1).await;
    for _ in 0..101 {
        let step_up = key.get(&challenge(&harness, Some(rita.user())).await);
        passkeys::confirm(&harness.honnin, &rita, &step_up).await.unwrap();
        let alone = key.get(&challenge(&harness, None).await);
        enter_passkey(&harness, None, &alone).await.unwrap();
    }
}

/// Detects if whoever has shown a passkey is let in without another look at it.
#[tokio::test]
async fn a_passkey_that_is_removed_while_it_signs_somebody_in_lets_nobody_in() {
    let Some(harness) = Harness::on_postgres(Step::ALL).await else {
        return;
    };
    let id = harness.invited(EMAIL, Role::Reviewer, RIGHT).await;
    let rita = staff(&harness.honnin, &id, None, localhost()).await.unwrap().unwrap();
    let right = registered(&harness, &rita, 1)
        .await
        .get(&challenge(&harness, None).await);
    let mut other = PgConnection::connect(&harness.database.url).await.unwrap();
    // Until it is committed, the passkey is as good as ever, and nobody is let in.
    let lock = format!("BEGIN; UPDATE users SET operator = operator WHERE id = '{id}'");
    sqlx::raw_sql(AssertSqlSafe(lock)).execute(&mut other).await.unwrap();
    let is_done = Cell::new(false);
    let remove = async {
        while !harness.database.one_waits().await {
            assert!(!is_done.get(), "nobody waits for the person");
            tokio::task::yield_now().await;
        }
        let removed = "DELETE FROM passkeys; COMMIT";
        sqlx::raw_sql(removed).execute(&mut other).await.unwrap();
    };
    let enter = async {
        let entered = enter_passkey(&harness, None, &right).await;
        is_done.set(true);
        entered
    };
    let (entered, ()) = join(enter, remove).await;
    assert!(matches!(entered, Err(PasskeyError::Refused)), "{entered:?}");
}

#[tokio::test]
async fn neither_a_factor_nor_a_password_comes_from_a_session_that_has_ended() {
    let (harness, rita) = rita().await;
    let begun = begin_authenticator(&harness.honnin, &rita).await.unwrap();
    let response = SecurityKey::new(1).create(&challenge(&harness, Some(rita.user())).await);
    console_session::sign_out_everywhere(&harness.honnin, &rita)
        .await
        .unwrap();
    let code = code(&harness, &app(begun.secret.expose()));
    let added = confirm_authenticator(&harness.honnin, &rita, &code).await;
    assert!(
        matches!(added, Err(AuthenticatorError::Code(CodeError::Wrong))),
        "{added:?}"
    );
    let added = register(&harness.honnin, &rita, "Laptop", &response).await;
    assert!(matches!(added, Err(PasskeyError::Refused)), "{added:?}");
    let factors = list_factors(&harness.honnin, rita.user()).await.unwrap();
    assert!(!factors.any() && factors.recovery_codes == 0, "{factors:?}");
    let (present, new) = (
        Secret::new(RIGHT.into()),
        Secret::new("four words of another kind".into()),
    );
    let changed = change_password(&harness.honnin, &rita, present, new).await;
    assert!(matches!(changed, Err(ChangePasswordError::Ended)), "{changed:?}");
    assert!(enter_password(&harness).await.is_ok(), "with the password from before");
}

/// Somebody else may have seen its key in one of them.
#[tokio::test]
async fn a_set_up_of_an_authenticator_app_ends_with_the_sessions_of_its_person() {
    let (harness, rita) = rita().await;
    begin_authenticator(&harness.honnin, &rita).await.unwrap();
    console_session::sign_out_everywhere(&harness.honnin, &rita)
        .await
        .unwrap();
    let back = staff(&harness.honnin, rita.user(), None, localhost()).await;
    let back = back.unwrap().unwrap();
    let begun = async || begun_authenticator(&harness.honnin, &back).await;
    assert!(
        matches!(begun().await, Err(AuthenticatorError::Code(CodeError::Wrong))),
        "its key is shown to nobody"
    );
    let late = begin_authenticator(&harness.honnin, &rita).await;
    assert!(
        matches!(late, Err(AuthenticatorError::Code(CodeError::Wrong))),
        "in a session that has ended: {late:?}"
    );
    assert!(begun().await.is_err());
    with_app(&harness, &back).await;
}

/// Whoever has a stolen session and the password would need no factor afterwards.
#[tokio::test]
async fn no_factor_is_removed_in_a_session_that_has_ended() {
    let (harness, rita) = rita().await;
    with_app(&harness, &rita).await;
    registered(&harness, &rita, 1).await;
    console_session::sign_out_everywhere(&harness.honnin, &rita)
        .await
        .unwrap();
    remove_authenticator(&harness.honnin, &rita).await.unwrap();
    let id = URL_SAFE_NO_PAD.encode([1; 16]);
    assert!(!passkeys::remove(&harness.honnin, &rita, &id).await.unwrap());
    let factors = list_factors(&harness.honnin, rita.user()).await.unwrap();
    assert!(factors.authenticator.is_some(), "{factors:?}");
    assert_eq!((factors.passkeys.len(), factors.recovery_codes), (1, 10));
}

#[tokio::test]
async fn no_recovery_codes_come_from_a_session_that_has_ended() {
    let (harness, rita) = rita().await;
    let (_, codes) = with_app(&harness, &rita).await;
    console_session::sign_out_everywhere(&harness.honnin, &rita)
        .await
        .unwrap();
    let renewed = renew_recovery_codes(&harness.honnin, &rita, None).await;
    assert!(matches!(renewed, Err(RenewCodesError::Ended)), "{renewed:?}");
    enter_code(&harness, &rita, &codes[0]).await.unwrap();
}

#[tokio::test]
async fn the_second_visit_shows_what_colleagues_and_others_did_in_between() {
    let harness = Harness::new().await;
    let id = harness.invited(EMAIL, Role::Admin, RIGHT).await;
    let rita = staff(&harness.honnin, &id, None, localhost()).await.unwrap().unwrap();
    let colleague = Developer::of(&harness.staff(Role::Developer).await).unwrap();
    let issue = async |developer: &Developer| {
        let key = NewKey {
            id: draft_key(&harness.honnin),
            name: "Till".into(),
            lifetime: None,
            scopes: Scopes::NONE.with(Scope::Create),
            networks: Vec::new(),
        };
        harness.clock.advance(Millis::minutes(1));
        issue_key(&harness.honnin, developer, key).await.unwrap();
    };
    let actions = async |entered: &Entrance| {
        let told = news(&harness.honnin, &rita, entered.since.as_ref()).await;
        let told = told.unwrap().unwrap();
        let actions = told.entries.iter().map(|one| one.entry.action.as_str().to_owned());
        actions.collect::<Vec<_>>()
    };
    issue(&colleague).await;
    let entered = enter_password(&harness).await.unwrap();
    assert_eq!(actions(&entered).await, ["key.issue"], "since they joined");
    issue(&colleague).await;
    issue(&Developer::of(&rita).unwrap()).await;
    registered(&harness, &rita, 1).await;
    passkeys::remove(&harness.honnin, &rita, &URL_SAFE_NO_PAD.encode([1; 16]))
        .await
        .unwrap();
    harness.clock.advance(Millis::hours(1));
    let entered = enter_password(&harness).await.unwrap();
    assert_eq!(
        actions(&entered).await,
        ["factor.remove", "factor.add", "key.issue", "key.issue"],
        "the key in their own name as well: somebody else may have used their session"
    );
}

#[tokio::test]
async fn what_was_made_in_somebodys_own_name_is_told_to_them_as_well() {
    let harness = Harness::new().await;
    let id = harness.invited(EMAIL, Role::Admin, RIGHT).await;
    let rita = staff(&harness.honnin, &id, None, localhost()).await.unwrap().unwrap();
    enter_password(&harness).await.unwrap();
    harness.clock.advance(Millis::minutes(1));
    // Whoever has the cookie of this session.
    let developer = Developer::of(&rita).unwrap();
    let key = NewKey {
        id: draft_key(&harness.honnin),
        name: "Till".into(),
        lifetime: None,
        scopes: Scopes::NONE.with(Scope::Create),
        networks: Vec::new(),
    };
    issue_key(&harness.honnin, &developer, key).await.unwrap();
    let draft = signing_secret::draft(&harness.honnin);
    signing_secret::issue(&harness.honnin, &developer, draft).await.unwrap();
    harness.names.say("shop.example", &[&[localhost()]]);
    let receiver = Change::Webhook {
        url: Some("https://shop.example/hooks".into()),
        event_types: EventType::ALL.to_vec(),
    };
    for change in [Change::Addresses(vec!["127.0.0.0/8".parse().unwrap()]), receiver] {
        let tenant = settings::load(&harness.honnin, &rita).await.unwrap();
        let confirmed = settings::Confirmation::Given;
        settings::change(&harness.honnin, &rita, tenant.version, &change, confirmed)
            .await
            .unwrap();
    }
    let entered = enter_password(&harness).await.unwrap();
    let told = told(&harness, &rita, &entered).await;
    let [receiver, secret, key] = told.as_slice() else {
        panic!("{told:?}")
    };
    assert!(receiver.starts_with("settings.change (webhook: "), "{receiver}");
    assert!(
        secret.starts_with("webhook_secret.issue") && key.starts_with("key.issue (create"),
        "{told:?}"
    );
}

/// What the person is told who has just come in.
async fn told(harness: &Harness, person: &Staff, entered: &Entrance) -> Vec<String> {
    let news = news(&harness.honnin, person, entered.since.as_ref()).await;
    let news = news.unwrap().unwrap();
    let words = |one: audit::Recorded| {
        let detail = one
            .entry
            .detail
            .map(|detail| format!(" ({detail})"))
            .unwrap_or_default();
        format!("{}{detail}", one.entry.action.as_str())
    };
    news.entries.into_iter().map(words).collect()
}

#[tokio::test]
async fn many_ordinary_changes_hide_neither_a_new_receiver_nor_a_lost_factor() {
    let harness = Harness::new().await;
    let id = harness.invited(EMAIL, Role::Admin, RIGHT).await;
    let rita = staff(&harness.honnin, &id, None, localhost()).await.unwrap().unwrap();
    enter_password(&harness).await.unwrap();
    let entered = enter_password(&harness).await.unwrap();
    registered(&harness, &rita, 1).await;
    let colleague = harness.staff(Role::Admin).await;
    remove_of(&harness.honnin, &Admin::of(&colleague).unwrap(), &id)
        .await
        .unwrap();
    harness.names.say("shop.example", &[&[localhost()]]);
    harness.point_to(Role::Admin, "https://shop.example/hooks".into()).await;
    for number in 0..60 {
        let tenant = settings::load(&harness.honnin, &colleague).await.unwrap();
        let change = Change::Addresses(vec![format!("127.0.0.0/{}", 8 + number % 2).parse().unwrap()]);
        settings::change(
            &harness.honnin,
            &colleague,
            tenant.version,
            &change,
            settings::Confirmation::Given,
        )
        .await
        .unwrap();
    }
    let told = told(&harness, &rita, &entered).await;
    let [receiver, lost, added] = told.as_slice() else {
        panic!("{told:?}")
    };
    assert!(receiver.starts_with("settings.change (webhook: "), "{receiver}");
    assert!(
        lost.starts_with("factor.remove") && added.starts_with("factor.add"),
        "{told:?}"
    );
}

#[tokio::test]
async fn a_sign_in_from_a_new_network_and_what_admins_do_to_an_account_are_told() {
    let harness = Harness::new().await;
    let id = harness.invited(EMAIL, Role::Reviewer, RIGHT).await;
    let rita = staff(&harness.honnin, &id, None, localhost()).await.unwrap().unwrap();
    let elsewhere = "192.0.2.7".parse().unwrap();
    for _ in 0..2 {
        enter_password(&harness).await.unwrap();
    }
    let client = client_at(elsewhere);
    let entered = sign_in(&harness.honnin, EMAIL, Secret::new(RIGHT.into()), &client).await;
    let entered = entered.unwrap();
    // To confirm is no visit: what happened since the last one is told all the same.
    confirm_password(&harness.honnin, &rita, Secret::new(RIGHT.into()))
        .await
        .unwrap();
    let admin = Admin::of(&harness.staff(Role::Admin).await).unwrap();
    issue_reset(&harness.honnin, &admin, &id, None).await.unwrap();
    change_person(&harness.honnin, &admin, &id, PersonChange::Role(Role::Auditor))
        .await
        .unwrap();
    assert_eq!(
        told(&harness, &rita, &entered).await,
        [
            "person.change (reviewer → auditor)",
            "person.issue_reset",
            "person.sign_in (new network)"
        ]
    );
    let entered = enter_password(&harness).await.unwrap();
    let (present, new) = (
        Secret::new(RIGHT.into()),
        Secret::new("four words of another kind".into()),
    );
    change_password(&harness.honnin, &rita, present, new).await.unwrap();
    assert_eq!(
        told(&harness, &rita, &entered).await,
        [
            "person.change_password",
            "person.change (reviewer → auditor)",
            "person.issue_reset",
            "person.sign_in (new network)"
        ],
        "at the next visit, which is from a network that is known"
    );
}

#[tokio::test]
async fn a_sign_in_with_a_new_browser_is_told_until_the_browser_is_known() {
    let (harness, rita) = rita().await;
    let enter = async |browser: &str| {
        harness.clock.advance(Millis::minutes(1));
        let client = client_with(localhost(), browser);
        let entered = sign_in(&harness.honnin, EMAIL, Secret::new(RIGHT.into()), &client).await;
        entered.unwrap()
    };
    let new = "person.sign_in (new browser: Firefox on Linux)";
    for (browser, sign_ins, why) in [
        ("laptop", 1, "the browser in which they joined is not told"),
        ("phone", 2, "to a browser that is new, what the others did"),
        ("laptop", 2, "to one that is known, what followed its own sign-in"),
        ("phone", 1, "the same"),
        ("laptop", 0, "all is known"),
        ("phone", 0, "all is known"),
    ] {
        let entered = enter(browser).await;
        assert_eq!(told(&harness, &rita, &entered).await, vec![new; sign_ins], "{why}");
    }
    let own = known_browser::list_own(&harness.honnin, &rita).await.unwrap();
    assert_eq!(own.len(), 3);
    assert!(own[0].agent.starts_with("phone") && own[0].first_used_at < own[0].last_used_at);
    let otto = harness.staff(Role::Reviewer).await;
    let forget = async |staff: &Staff| {
        known_browser::forget_own(&harness.honnin, staff, &own[0].id)
            .await
            .unwrap()
    };
    assert!(!forget(&otto).await, "of somebody else");
    assert!(forget(&rita).await && !forget(&rita).await);
    let entered = enter("phone").await;
    assert_eq!(
        told(&harness, &rita, &entered).await,
        [new; 3],
        "forgotten: it is told all since they joined"
    );
    // A year without a sign-in, and too many others, are forgotten, too.
    harness.clock.advance(known_browser::LIFETIME);
    harness.clock.advance(Millis::minutes(1));
    sweep::plan(&harness.honnin).await.unwrap();
    harness.run_until_idle().await;
    assert_eq!(known_browser::list_own(&harness.honnin, &rita).await.unwrap(), []);
    let entered = enter("browser 0").await;
    assert_eq!(
        told(&harness, &rita, &entered).await,
        [new],
        "of the last thirty days, there is nothing else"
    );
    for number in 1..25 {
        enter(&format!("browser {number}")).await;
    }
    let own = known_browser::list_own(&harness.honnin, &rita).await.unwrap();
    assert_eq!(own.len(), 20);
    assert!(own[0].agent.starts_with("browser 24 ") && own[19].agent.starts_with("browser 5 "));
    // The same browser, in which somebody else signs in, is not known to them, and their rows do not tell.
    let client = client_with(localhost(), "browser 24");
    assert_eq!(client.browser.id(rita.user()), own[0].id);
    assert_ne!(client.browser.id(otto.user()), own[0].id);
}

#[tokio::test]
async fn whoever_signs_in_again_and_again_with_a_stolen_password_hides_nothing_from_its_owner() {
    let (harness, rita) = rita().await;
    let thief = client_with(IpAddr::from([192, 0, 2, 7]), "the browser of a thief");
    let steal = async |password: &str| {
        harness.clock.advance(Millis::hours(1));
        let password = Secret::new(password.to_owned());
        sign_in(&harness.honnin, EMAIL, password, &thief).await
    };
    steal("a wrong guess").await.unwrap_err();
    for _ in 0..3 {
        steal(RIGHT).await.unwrap();
    }
    let entered = enter_password(&harness).await.unwrap();
    assert_eq!(
        told(&harness, &rita, &entered).await,
        ["person.sign_in (new network, new browser: Firefox on Linux)"]
    );
    let news = news(&harness.honnin, &rita, entered.since.as_ref()).await;
    assert_eq!(news.unwrap().unwrap().refused.map(|refused| refused.count), Some(1));
}

#[tokio::test]
async fn whoever_signs_in_with_so_many_browsers_that_the_owners_is_forgotten_hides_nothing_either() {
    let (harness, rita) = rita().await;
    for number in 0..25 {
        harness.clock.advance(Millis::minutes(1));
        let thief = client_with(IpAddr::from([192, 0, 2, 7]), &format!("browser {number}"));
        let password = Secret::new(RIGHT.to_owned());
        sign_in(&harness.honnin, EMAIL, password, &thief).await.unwrap();
    }
    harness.clock.advance(Millis::days(40));
    let entered = enter_password(&harness).await.unwrap();
    let told = told(&harness, &rita, &entered).await;
    let by_the_thief = told.iter().filter(|entry| entry.contains("new browser"));
    assert!(by_the_thief.count() >= 25, "{told:?}");
}

#[tokio::test]
async fn refused_attempts_at_an_account_are_told_at_the_next_visit_and_whether_the_password_was_right() {
    let (harness, rita) = rita().await;
    let (app, _) = with_app(&harness, &rita).await;
    let visit = async || {
        harness.clock.advance(Millis::minutes(1));
        let pending = begin_to_sign_in(&harness, localhost()).await;
        let code = code(&harness, &app);
        let entered = sign_in_with_code(&harness.honnin, &pending, &code, &client_at(localhost())).await;
        entered.unwrap()
    };
    let refused = async |entered: &Entrance| {
        let news = news(&harness.honnin, &rita, entered.since.as_ref()).await;
        news.unwrap().unwrap().refused
    };
    visit().await;
    assert_eq!(refused(&visit().await).await, None);
    let elsewhere = "192.0.2.7".parse().unwrap();
    for password in ["wrong", "wrong too"] {
        let password = Secret::new(password.to_owned());
        sign_in(&harness.honnin, EMAIL, password, &client_at(elsewhere))
            .await
            .unwrap_err();
    }
    let pending = begin_to_sign_in(&harness, elsewhere).await;
    for _ in 0..2 {
        let wrong = sign_in_with_code(&harness.honnin, &pending, "000000", &client_at(elsewhere)).await;
        wrong.unwrap_err();
    }
    begin_to_sign_in(&harness, elsewhere).await;
    harness.wait(pending_sign_in::LIFETIME).await;
    let last_at = harness.honnin.now();
    let told = audit::RefusedSignIns {
        count: 5,
        wrong_second_factor: 2,
        stopped: 1,
        last_at,
        last_from: Some("192.0.2.7".to_owned()),
    };
    assert_eq!(refused(&visit().await).await, Some(told));
    let last = visit().await;
    assert_eq!(refused(&last).await, None, "told once");
    // Those that went on to a second factor, right or wrong, have not stopped.
    harness.wait(Millis::hours(1)).await;
    assert_eq!(refused(&last).await, None);
}

#[tokio::test]
async fn what_ends_the_sessions_of_a_person_ends_sign_ins_that_wait_for_the_second_factor() {
    let (harness, rita) = rita().await;
    let (_, codes) = with_app(&harness, &rita).await;
    let key = registered(&harness, &rita, 1).await;
    let elsewhere = IpAddr::from([192, 0, 2, 7]);
    let client = client_at(elsewhere);
    let thief = begin_to_sign_in(&harness, elsewhere).await;
    console_session::sign_out_everywhere(&harness.honnin, &rita)
        .await
        .unwrap();
    let entered = sign_in_with_code(&harness.honnin, &thief, &codes[0], &client).await;
    assert!(matches!(entered, Err(CodeError::Wrong)), "{entered:?}");

    let rita = staff(&harness.honnin, rita.user(), None, localhost()).await;
    let rita = rita.unwrap().unwrap();
    let thief = begin_to_sign_in(&harness, elsewhere).await;
    let (present, new) = (
        Secret::new(RIGHT.into()),
        Secret::new("four words of another kind".into()),
    );
    change_password(&harness.honnin, &rita, present, new).await.unwrap();
    let entered = sign_in_with_code(&harness.honnin, &thief, &codes[1], &client).await;
    assert!(matches!(entered, Err(CodeError::Wrong)), "{entered:?}");
    let right = key.get(&challenge(&harness, Some(rita.user())).await);
    let entered = passkeys::sign_in(&harness.honnin, Some(&thief), &right, &client).await;
    assert!(matches!(entered, Err(PasskeyError::Refused)), "{entered:?}");

    // They have stopped, as whoever knows their account will be told, once.
    let stopped = async || {
        let me = rita.user().clone();
        let found = harness
            .read(async move |tx| audit::find_refused_sign_ins(tx, 0, &me).await)
            .await;
        found.map(|found| (found.count, found.stopped))
    };
    assert_eq!(stopped().await, Some((2, 2)));
    harness.wait(pending_sign_in::LIFETIME).await;
    assert_eq!(stopped().await, Some((2, 2)));
}

#[tokio::test]
async fn a_wrong_code_may_be_corrected_and_a_right_one_is_good_for_one_sign_in() {
    let (harness, rita) = rita().await;
    let (_, codes) = with_app(&harness, &rita).await;
    let pending = begin_to_sign_in(&harness, localhost()).await;
    let enter = async |code: &str| sign_in_with_code(&harness.honnin, &pending, code, &client_at(localhost())).await;
    assert!(matches!(enter("000000").await, Err(CodeError::Wrong)));
    enter(&codes[0]).await.unwrap();
    let again = enter(&codes[1]).await;
    assert!(matches!(again, Err(CodeError::Wrong)), "{again:?}");
}

/// Detects a code that is counted and then forgotten together with its request.
#[tokio::test]
async fn a_code_whose_client_hangs_up_is_recorded_or_taken_back_as_well() {
    const REFUSED: &str = "SELECT COUNT(*) FROM audit WHERE action = 'person.sign_in_refused'";
    const COUNTED: &str = "SELECT COUNT(*) FROM sign_in_tries WHERE tries > 0";
    const USED: &str = "SELECT MAX(last_step) FROM authenticators";
    let (harness, rita) = rita().await;
    let (app, _) = with_app(&harness, &rita).await;
    let number = async |sql: &'static str| harness.database.number(sql).await;
    harness.clock.advance(Millis::seconds(30));
    let (counted, used) = (number(COUNTED).await, number(USED).await);
    hang_up_on(confirm_code(&harness.honnin, &rita, &code(&harness, &app)));
    // It is used up in the unit that takes the attempt back.
    while number(USED).await == used {
        tokio::task::yield_now().await;
    }
    assert_eq!(number(COUNTED).await, counted);
    let (pending, client) = (begin_to_sign_in(&harness, localhost()).await, client_at(localhost()));
    hang_up_on(sign_in_with_code(&harness.honnin, &pending, "000000", &client));
    while number(REFUSED).await < 1 {
        tokio::task::yield_now().await;
    }
    hang_up_on(confirm_code(&harness.honnin, &rita, "000000"));
    while number(REFUSED).await < 2 {
        tokio::task::yield_now().await;
    }
}

async fn begin_from(harness: &Harness, from: IpAddr) -> Result<AfterFirstFactor, SignInError> {
    sign_in::sign_in(&harness.honnin, EMAIL, Secret::new(RIGHT.into()), &client_at(from)).await
}

async fn begin_to_sign_in(harness: &Harness, from: IpAddr) -> PendingSignIn {
    match begin_from(harness, from).await {
        Ok(AfterFirstFactor::SecondFactor(pending)) => pending,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_passkey_that_does_not_prove_its_owner_is_a_refused_attempt_at_their_account() {
    let (harness, rita) = rita().await;
    let me = rita.user();
    let key = registered(&harness, &rita, 1).await;
    let attempts = async || {
        let me = me.clone();
        let found = harness
            .read(async move |tx| audit::find_refused_sign_ins(tx, 0, &me).await)
            .await;
        found.map_or((0, 0), |found| (found.count, found.wrong_second_factor))
    };
    let refused = async |user: Option<&UserId>, response: &str| {
        let answer = enter_passkey(&harness, user, response).await;
        assert!(matches!(answer, Err(PasskeyError::Refused)));
    };
    let forged = SecurityKey::new(1);
    refused(None, &forged.get(&challenge(&harness, None).await)).await;
    assert_eq!(attempts().await, (1, 0), "nobody has shown a password");
    refused(Some(me), &forged.get(&challenge(&harness, Some(me)).await)).await;
    assert_eq!(attempts().await, (2, 1));
    let unknown = SecurityKey::new(2);
    refused(Some(me), &unknown.get(&challenge(&harness, Some(me)).await)).await;
    assert_eq!(attempts().await, (3, 2), "after the password, any other passkey is");
    refused(None, &unknown.get(&challenge(&harness, None).await)).await;
    // Nothing that anybody can send as often as they like.
    let answered = forged.get(&challenge(&harness, None).await);
    refused(None, &answered).await;
    for _ in 0..3 {
        refused(None, &answered).await;
    }
    assert_eq!(attempts().await, (4, 2), "an answered challenge is none");
    let right = key.get(&challenge(&harness, Some(me)).await);
    enter_passkey(&harness, Some(me), &right).await.unwrap();
    assert_eq!(attempts().await, (4, 2));
}

#[tokio::test]
async fn admins_are_told_of_new_admins_and_developers_of_secrets_that_others_disabled() {
    let harness = Harness::new().await;
    let id = harness.invited(EMAIL, Role::Admin, RIGHT).await;
    let rita = staff(&harness.honnin, &id, None, localhost()).await.unwrap().unwrap();
    enter_password(&harness).await.unwrap();
    let entered = enter_password(&harness).await.unwrap();
    let colleague = harness.staff(Role::Admin).await;
    let (admin, developer) = (Admin::of(&colleague).unwrap(), Developer::of(&colleague).unwrap());
    let promoted = harness.staff(Role::Reviewer).await;
    for role in [Role::Auditor, Role::Admin] {
        change_person(&harness.honnin, &admin, promoted.user(), PersonChange::Role(role))
            .await
            .unwrap();
    }
    let issued = signing_secret::issue(&harness.honnin, &developer, signing_secret::draft(&harness.honnin))
        .await
        .unwrap();
    signing_secret::issue(&harness.honnin, &developer, signing_secret::draft(&harness.honnin))
        .await
        .unwrap();
    signing_secret::disable(&harness.honnin, &developer, &issued.id)
        .await
        .unwrap();
    assert_eq!(
        told(&harness, &rita, &entered).await,
        [
            "webhook_secret.disable",
            "webhook_secret.issue",
            "webhook_secret.issue",
            "person.change (auditor → admin)"
        ]
    );
}

#[tokio::test]
async fn an_authenticator_app_counts_only_together_with_its_audit_entry_and_its_recovery_codes() {
    const BREAK: &str = "CREATE TRIGGER broken BEFORE INSERT ON audit WHEN NEW.action = 'factor.add'
        BEGIN SELECT RAISE(ABORT, 'broken'); END";
    let (harness, rita) = rita().await;
    let begun = begin_authenticator(&harness.honnin, &rita).await.unwrap();
    let code = code(&harness, &app(begun.secret.expose()));
    harness.database.run(BREAK).await;
    let failed = confirm_authenticator(&harness.honnin, &rita, &code).await;
    assert!(matches!(failed, Err(AuthenticatorError::Store(_))), "{failed:?}");
    let factors = list_factors(&harness.honnin, rita.user()).await.unwrap();
    assert!(!factors.any() && factors.recovery_codes == 0, "{factors:?}");
    harness.database.run("DROP TRIGGER broken").await;
    let codes = confirm_authenticator(&harness.honnin, &rita, &code).await.unwrap();
    assert_eq!(codes.unwrap().len(), 10);
}
