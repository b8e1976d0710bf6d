//! Fuzz targets for ID tokens and their claims: see docs/TESTING.md.

use super::{Expected, LONGEST_SUBJECT, accept, verify};
use crate::people::openid::keys::Keys;
use domain::time::Timestamp;
use std::str::from_utf8;

const EXPECTED: Expected<'static> = Expected {
    issuer: "https://login.bank.example",
    client: "honnin",
    nonce: "n",
    now: Timestamp::from_millis(1_785_663_000_000),
    authenticated_since: None,
};

/// No token is accepted that the provider has not signed. The keys are of those in `keys/signatures.json`; nobody has the private ones.
#[test]
fn id_tokens() {
    let all: Vec<serde_json::Value> = serde_json::from_str(include_str!("../keys/signatures.json")).unwrap();
    let jwks: Vec<_> = all.into_iter().map(|one| one["jwk"].clone()).collect();
    let keys = Keys::parse(serde_json::json!({ "keys": jwks }).to_string().as_bytes()).unwrap();
    bolero::check!().with_iterations(0).for_each(|bytes: &[u8]| {
        let Ok(token) = from_utf8(bytes) else { return };
        assert!(verify(token, &keys, &EXPECTED).is_err(), "nobody signed it");
    });
}

/// What the signed claims of a token may be: somebody with a name that can be stored, and nothing that was meant for others.
#[test]
fn id_token_claims() {
    bolero::check!().with_iterations(0).for_each(|bytes: &[u8]| {
        let Ok(claims) = serde_json::from_slice(bytes) else {
            return;
        };
        if let Ok(person) = accept(claims, &EXPECTED) {
            assert!((1..=LONGEST_SUBJECT).contains(&person.subject.len()) && person.subject.is_ascii());
            let text: serde_json::Value = serde_json::from_slice(bytes).unwrap();
            assert!(
                text["iss"] == EXPECTED.issuer && text["nonce"] == EXPECTED.nonce,
                "meant for others"
            );
        }
    });
}
