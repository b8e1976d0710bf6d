//! Our signatures, verified by the official library.

use super::*;
use crate::runtime::clock::SystemClock;
use domain::time::{Clock, Millis};
use http::{HeaderMap, HeaderName, HeaderValue};
use proptest::prelude::*;

fn headers(request: &SignedRequest) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in crate::webhook::sender::headers(request) {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_str(&value).unwrap());
    }
    headers
}

fn secret(bytes: &[u8]) -> SigningSecret {
    SigningSecret::new(Secret::new(bytes.to_vec()))
}

/// The library's verifier, created as a receiver does from the text that the console shows.
fn judge(secret: &SigningSecret) -> standardwebhooks::Webhook {
    standardwebhooks::Webhook::new(secret.to_text().expose()).unwrap()
}

#[test]
fn a_secret_is_whsec_and_base64() {
    assert_eq!(
        secret(&[0; 32]).to_text().expose(),
        &format!("whsec_{}=", "A".repeat(43))
    );
}

#[test]
fn the_example_of_the_standard_is_signed_as_it_says() {
    let bytes = BASE64.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
    let signed = secret(&bytes).sign(
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        1_614_265_330,
        br#"{"test": 2432232314}"#,
    );
    assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

#[test]
fn a_secret_is_read_as_it_is_shown() {
    let text = secret(&[7; 32]).to_text();
    let read = SigningSecret::parse(&text).unwrap();
    assert_eq!(read.to_text().expose(), text.expose());
    for bad in ["", "whsec_", "whsec_?", "BwcHBwcHBwc="] {
        assert!(SigningSecret::parse(&Secret::new(bad.to_owned())).is_none(), "{bad}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_body_signed_with_any_secrets_is_accepted_by_the_official_library_with_each_of_them(
        id in any::<[u8; 16]>(),
        body in any::<String>(),
        old in any::<[u8; 32]>(),
        new in any::<[u8; 32]>(),
        off in -290_000_i64..290_000,
    ) {
        let (old, new) = (secret(&old), secret(&new));
        // The library uses the machine's clock and accepts five minutes.
        let at = SystemClock.now().plus(Millis(off));
        let request = SignedRequest::new(EventId::from_random(id), at, body.into_bytes(), &[new.clone(), old.clone()]);
        prop_assert_eq!(request.signature.split(' ').count(), 2);
        for known in [&old, &new] {
            prop_assert!(judge(known).verify(&request.body, &headers(&request)).is_ok());
        }
    }

    #[test]
    fn one_changed_bit_anywhere_is_refused(
        body in proptest::collection::vec(any::<u8>(), 1..200),
        bytes in any::<[u8; 32]>(),
        place in any::<proptest::sample::Index>(),
        bit in 0_u8..8,
    ) {
        let secret = secret(&bytes);
        let id = EventId::from_random([7; 16]);
        let request = SignedRequest::new(id, SystemClock.now(), body, std::slice::from_ref(&secret));
        let mut changed = request.body.clone();
        changed[place.index(request.body.len())] ^= 1 << bit;
        prop_assert!(judge(&secret).verify(&changed, &headers(&request)).is_err());
        let signature = request.signature.trim_start_matches("v1,");
        prop_assert!(secret.verifies(signature, request.id.as_str(), request.timestamp, &request.body));
        prop_assert!(!secret.verifies(signature, request.id.as_str(), request.timestamp, &changed));
        prop_assert!(!secret.verifies(signature, request.id.as_str(), request.timestamp + 1, &request.body));
    }
}
