use super::*;
use serde_json::{Value, json};

const MESSAGE: &[u8] = b"the signed part of a token";

/// Signatures of [`MESSAGE`] by another implementation (OpenSSL), with their public keys. The private ones were not kept.
fn signatures() -> Vec<(Algorithm, Value, Vec<u8>)> {
    let all: Vec<Value> = serde_json::from_str(include_str!("signatures.json")).unwrap();
    let read = |one: Value| {
        let text = |name: &str| one[name].as_str().unwrap().to_owned();
        let signature = URL_SAFE_NO_PAD.decode(text("signature")).unwrap();
        (Algorithm::parse(&text("alg")).unwrap(), one["jwk"].clone(), signature)
    };
    all.into_iter().map(read).collect()
}

fn keys(jwks: &[Value]) -> Keys {
    Keys::parse(json!({ "keys": jwks }).to_string().as_bytes()).unwrap()
}

#[test]
fn signatures_of_another_implementation_are_verified_and_no_changed_one() {
    for (algorithm, jwk, signature) in signatures() {
        let (keys, id) = (keys(&[jwk]), None);
        assert_eq!(keys.verify(algorithm, id, MESSAGE, &signature), Ok(()), "{algorithm:?}");
        let mut changed = signature.clone();
        changed[7] ^= 1;
        for (message, signature) in [
            (MESSAGE, &*changed),
            (b"another".as_slice(), &*signature),
            (MESSAGE, &[]),
        ] {
            let refused = keys.verify(algorithm, id, message, signature);
            assert_eq!(refused, Err(InvalidToken::Signature), "{algorithm:?}");
        }
    }
}

#[test]
fn a_key_verifies_only_what_it_is_named_for_and_fit_for() {
    let all = signatures();
    let set: Vec<Value> = all.iter().map(|(_, jwk, _)| jwk.clone()).collect();
    let keys = keys(&set);
    for (algorithm, jwk, signature) in &all {
        let id = jwk["kid"].as_str();
        assert_eq!(keys.verify(*algorithm, id, MESSAGE, signature), Ok(()), "{algorithm:?}");
        for (_, other) in Algorithm::ALL.iter().filter(|(_, other)| other != algorithm) {
            assert!(
                keys.verify(*other, id, MESSAGE, signature).is_err(),
                "{algorithm:?} as {other:?}"
            );
        }
        let unknown = keys.verify(*algorithm, Some("another"), MESSAGE, signature);
        assert_eq!(unknown, Err(InvalidToken::UnknownKey));
    }
}

#[test]
fn keys_for_encryption_for_secrets_and_of_unknown_kinds_are_left_out() {
    let (algorithm, jwk, signature) = signatures().remove(0);
    let with = |name: &str, value: Value| {
        let mut jwk = jwk.clone();
        jwk[name] = value;
        jwk
    };
    for useless in [
        with("use", json!("enc")),
        with("alg", json!("HS256")),
        with("alg", json!("RS384")),
        with("kty", json!("oct")),
        with("kty", json!(7)),
        with("n", json!("%")),
        json!("no key"),
    ] {
        let refused = keys(std::slice::from_ref(&useless)).verify(algorithm, None, MESSAGE, &signature);
        assert_eq!(refused, Err(InvalidToken::UnknownKey), "{useless}");
        let beside = keys(&[useless, jwk.clone()]);
        assert_eq!(beside.verify(algorithm, None, MESSAGE, &signature), Ok(()));
    }
}

#[test]
fn there_is_no_algorithm_without_a_key_pair() {
    for name in ["none", "None", "HS256", "HS384", "HS512", "rs256", "ES256K", ""] {
        assert_eq!(Algorithm::parse(name), None, "{name}");
    }
}
