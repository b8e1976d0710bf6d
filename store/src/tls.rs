//! Clients of TLS servers, and whom they trust.

use std::sync::Arc;
use tokio_rustls::rustls::{self, ClientConfig, RootCertStore, crypto::ring};

/// The certificate authorities that the system trusts. Those that cannot be read are logged: without them, a connection fails later, and only says that
/// the issuer is unknown.
#[must_use]
pub fn system_roots() -> RootCertStore {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    let (_, ignored) = roots.add_parsable_certificates(found.certs);
    if ignored > 0 || !found.errors.is_empty() {
        let error = found.errors.first().map(ToString::to_string);
        tracing::warn!(
            ignored,
            errors = found.errors.len(),
            error,
            "some of the system's certificates were not read"
        );
    }
    roots
}

/// A client that trusts `roots` and offers the protocols `alpn`.
///
/// # Errors
/// If the cryptography library cannot do TLS.
pub fn client(roots: RootCertStore, alpn: &[&[u8]]) -> Result<ClientConfig, rustls::Error> {
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = alpn.iter().map(|name| name.to_vec()).collect();
    Ok(config)
}
