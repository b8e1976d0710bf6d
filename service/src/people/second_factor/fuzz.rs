//! Fuzz targets for what authenticators send: see docs/TESTING.md.

use super::webauthn::{Purpose, RelyingParty};

#[test]
fn passkeys() {
    let here = RelyingParty::at(&"https://id.example/".parse().unwrap());
    bolero::check!().with_iterations(0).for_each(|bytes: &[u8]| {
        for purpose in [Purpose::Register, Purpose::SignIn] {
            drop(here.challenge(bytes, purpose));
        }
        if let Ok(key) = here.register(bytes) {
            assert!(!key.id.is_empty(), "a key without an id");
        }
        // Half of it as the authenticator's data, the rest as key and signature.
        let (data, rest) = bytes.split_at(bytes.len() / 2);
        let (key, signature) = rest.split_at(rest.len() / 2);
        assert!(
            here.sign_in(bytes, data, signature, (key, 0)).is_err(),
            "signed in without a key"
        );
    });
}
