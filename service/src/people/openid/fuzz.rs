//! Fuzz targets for the responses of a provider: see docs/TESTING.md. Those for tokens are in `token`.

use super::{
    keys::{Algorithm, Keys},
    provider::Published,
};

const ISSUER: &str = "https://login.bank.example";

/// Nobody is sent, and no secret goes, to an address without TLS, but on this machine.
#[test]
fn provider_descriptions() {
    bolero::check!().with_iterations(0).for_each(|bytes: &[u8]| {
        let Ok(found) = Published::parse(bytes, ISSUER) else {
            return;
        };
        for endpoint in found.endpoints() {
            let is_here = matches!(endpoint.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
            assert!(endpoint.scheme() == "https" || is_here, "{endpoint}");
        }
    });
}

/// Whatever keys are published, nothing is signed by an empty signature.
#[test]
fn provider_keys() {
    bolero::check!().with_iterations(0).for_each(|bytes: &[u8]| {
        let Ok(keys) = Keys::parse(bytes) else { return };
        for algorithm in ["RS256", "PS512", "ES256", "ES384", "EdDSA"] {
            let algorithm = Algorithm::parse(algorithm).unwrap();
            assert!(keys.verify(algorithm, None, bytes, &[]).is_err(), "{algorithm:?}");
        }
    });
}
