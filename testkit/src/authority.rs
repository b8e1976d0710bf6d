//! A certificate authority of the test process, and its receivers' certificates.

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use std::sync::{Arc, LazyLock};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{ServerConfig, crypto::ring},
};

/// The authority that test senders trust.
struct Authority {
    certificate: CertificateDer<'static>,
    pem: String,
    issuer: Issuer<'static, KeyPair>,
}

static AUTHORITY: LazyLock<Authority> = LazyLock::new(|| {
    let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().unwrap();
    let certificate = params.self_signed(&key).unwrap();
    Authority {
        certificate: certificate.der().clone(),
        pem: certificate.pem(),
        issuer: Issuer::new(params, key),
    }
});

/// The authority's certificate.
pub fn root() -> CertificateDer<'static> {
    AUTHORITY.certificate.clone()
}

/// The same as a file has it.
pub fn root_pem() -> &'static str {
    &AUTHORITY.pem
}

/// TLS for a server named `names`; issued by another authority if `trusted` is false.
pub fn acceptor(names: &[&str], trusted: bool) -> TlsAcceptor {
    let params = CertificateParams::new(names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>()).unwrap();
    let key = KeyPair::generate().unwrap();
    let certificate = if trusted {
        params.signed_by(&key, &AUTHORITY.issuer).unwrap()
    } else {
        params.self_signed(&key).unwrap()
    };
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
        .unwrap();
    TlsAcceptor::from(Arc::new(config))
}
