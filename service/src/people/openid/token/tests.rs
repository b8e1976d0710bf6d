use super::*;
use serde_json::{Value, json};

const ISSUER: &str = "https://login.bank.example";
const NOW: Timestamp = Timestamp::from_millis(1_785_663_000_000);

fn seconds(after: i64) -> i64 {
    NOW.as_seconds() + after
}

fn claims() -> Value {
    json!({
        "iss": ISSUER, "sub": "u-1", "aud": "honnin", "nonce": "n", "iat": seconds(-1), "exp": seconds(300),
        "email": "rei@bank.example", "email_verified": true, "auth_time": seconds(-5),
    })
}

fn judged(claims: Value, since: Option<i64>) -> Result<Person, InvalidToken> {
    let expected = Expected {
        issuer: ISSUER,
        client: "honnin",
        nonce: "n",
        now: NOW,
        authenticated_since: since.map(|after| NOW.plus(Millis::seconds(after))),
    };
    accept(
        serde_json::from_value(claims).map_err(|_| InvalidToken::Malformed)?,
        &expected,
    )
}

fn with(name: &str, value: Value) -> Value {
    let mut claims = claims();
    claims[name] = value;
    claims
}

#[test]
fn a_token_says_who_somebody_is() {
    let person = judged(claims(), None).unwrap();
    assert_eq!(person.subject, "u-1");
    assert_eq!(
        (person.email.as_deref(), person.email_verified),
        (Some("rei@bank.example"), true)
    );
    assert_eq!(person.authenticated_at, Some(NOW.plus(Millis::seconds(-5))));
    for (value, verified) in [
        (json!("true"), true),
        (json!("false"), false),
        (json!(false), false),
        (json!(null), false),
    ] {
        assert_eq!(
            judged(with("email_verified", value), None).unwrap().email_verified,
            verified
        );
    }
}

#[test]
fn a_token_for_somebody_else_or_of_somebody_else_is_refused() {
    use InvalidToken::{Audience, Issuer, Malformed, Nonce};
    for (name, value, fault) in [
        ("iss", json!("https://login.bank.example/"), Issuer),
        ("aud", json!("another"), Audience),
        ("aud", json!([]), Audience),
        // Several audiences, and no word on which of them asked.
        ("aud", json!(["honnin", "another"]), Audience),
        ("azp", json!("another"), Audience),
        ("nonce", json!("m"), Nonce),
        ("nonce", json!(null), Nonce),
        ("sub", json!(""), Malformed),
        ("sub", json!("a".repeat(256)), Malformed),
        ("sub", json!(7), Malformed),
        ("exp", json!("soon"), Malformed),
        ("exp", json!(null), Malformed),
    ] {
        assert_eq!(judged(with(name, value.clone()), None), Err(fault), "{name}: {value}");
    }
    let mut several = with("aud", json!(["another", "honnin"]));
    several["azp"] = json!("honnin");
    assert!(judged(several, None).is_ok());
    assert!(judged(with("aud", json!(["honnin"])), None).is_ok());
}

#[test]
fn a_token_is_good_in_its_time_and_a_minute_around_it() {
    for (name, after, good) in [
        ("exp", -59, true),
        ("exp", -60, false),
        ("iat", 60, true),
        ("iat", 61, false),
        ("iat", -600, true),
        ("iat", -601, false),
        ("nbf", 60, true),
        ("nbf", 61, false),
    ] {
        let judged = judged(with(name, json!(seconds(after))), None);
        assert_eq!(judged.is_ok(), good, "{name} {after}: {judged:?}");
    }
    for strange in [json!(-1), json!(1e300)] {
        assert_eq!(judged(with("exp", strange), None), Err(InvalidToken::Time));
    }
}

#[test]
fn a_step_up_needs_an_authentication_since_it_was_asked_for() {
    for (at, good) in [
        (json!(seconds(0)), true),
        (json!(seconds(-90)), true),
        (json!(seconds(-91)), false),
        (json!(null), false),
    ] {
        let judged = judged(with("auth_time", at.clone()), Some(-30));
        assert_eq!(judged.is_ok(), good, "{at}: {judged:?}");
    }
}

#[test]
fn a_token_that_is_none_is_malformed_and_an_unsigned_one_has_no_algorithm() {
    let expected = Expected {
        issuer: ISSUER,
        client: "honnin",
        nonce: "n",
        now: NOW,
        authenticated_since: None,
    };
    let part = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let body = part(claims());
    let token = |header: Value| format!("{}.{body}.", part(header));
    let keys = Keys::default();
    for text in ["", ".", "..", "a.b.c", &format!("{body}.{body}.")] {
        assert_eq!(verify(text, &keys, &expected), Err(InvalidToken::Malformed), "{text}");
    }
    for alg in ["none", "HS256"] {
        assert_eq!(
            verify(&token(json!({ "alg": alg })), &keys, &expected),
            Err(InvalidToken::Algorithm)
        );
    }
    let extended = token(json!({ "alg": "RS256", "crit": ["b64"], "b64": false }));
    assert_eq!(verify(&extended, &keys, &expected), Err(InvalidToken::Malformed));
    assert_eq!(
        verify(&token(json!({ "alg": "RS256" })), &keys, &expected),
        Err(InvalidToken::UnknownKey)
    );
}
