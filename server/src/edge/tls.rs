//! TLS: from certificate files, or with a certificate generated here for evaluation in the local network.

use rustls::ServerConfig;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};
use sha2::{Digest, Sha256};
use std::{
    fs,
    io::{self, Write as _},
    net::{IpAddr, UdpSocket},
    path::{Path, PathBuf},
    sync::Arc,
};
use tokio_rustls::TlsAcceptor;

/// The file name of the certificate that is generated here.
pub const SELF_SIGNED: &str = "self-signed.pem";

/// Why TLS cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A PEM file does not contain what it should.
    #[error("{}: {reason}", path.display())]
    Pem {
        /// Which.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// Certificate and key do not match, or cannot be generated.
    #[error("{0}")]
    Certificate(String),
}

/// Where a certificate and its key are.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// PEM, the leaf first.
    pub certificate: PathBuf,
    /// PEM.
    pub key: PathBuf,
}

impl Certificate {
    /// A self-signed certificate in `folder`, valid for `names` and for this machine's current addresses. It is regenerated
    /// only if it does not cover them, so that a phone has to accept it once.
    ///
    /// # Errors
    /// If it cannot be generated or written.
    pub fn self_signed(folder: &Path, names: &[String]) -> Result<Self, TlsError> {
        let (certificate, key, covers) = (
            folder.join(SELF_SIGNED),
            folder.join("self-signed.key"),
            folder.join("self-signed.names"),
        );
        let mut names = names.to_vec();
        names.extend(["localhost", "127.0.0.1", "::1"].map(str::to_owned));
        names.extend(local_addresses().iter().map(IpAddr::to_string));
        names.extend(host_names());
        names.sort();
        names.dedup();
        let wanted = names.join("\n");
        let ready =
            fs::read_to_string(&covers).is_ok_and(|made| made == wanted) && certificate.exists() && key.exists();
        if !ready {
            fs::create_dir_all(folder).map_err(|source| TlsError::File {
                path: folder.to_owned(),
                source,
            })?;
            let made = rcgen::generate_simple_self_signed(names).map_err(|e| TlsError::Certificate(e.to_string()))?;
            write_private(&key, made.signing_key.serialize_pem().as_bytes())?;
            write_private(&certificate, made.cert.pem().as_bytes())?;
            write_private(&covers, wanted.as_bytes())?;
        }
        Ok(Self { certificate, key })
    }

    /// SHA-256 of the leaf, as browsers show it.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn fingerprint(&self) -> Result<String, TlsError> {
        let leaf = chain(&self.certificate)?;
        let digest = leaf
            .first()
            .map(|leaf| Sha256::digest(leaf.as_ref()))
            .unwrap_or_default();
        Ok(digest
            .iter()
            .map(|byte| format!("{byte:02X}"))
            .collect::<Vec<_>>()
            .join(":"))
    }
}

/// The acceptor for a certificate. HTTP/1.1 only: a second protocol would need a second set of limits.
///
/// # Errors
/// If a file cannot be read, or certificate and key do not match.
pub fn acceptor(files: &Certificate) -> Result<TlsAcceptor, TlsError> {
    let key = PrivateKeyDer::from_pem_file(&files.key).map_err(|error| pem_error(&files.key, &error))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| TlsError::Certificate(error.to_string()))?
        .with_no_client_auth()
        .with_single_cert(chain(&files.certificate)?, key)
        .map_err(|error| TlsError::Certificate(error.to_string()))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// The addresses at which this machine can be reached. Connecting a datagram socket sends nothing; it only consults the routing
/// table.
#[must_use]
pub(crate) fn local_addresses() -> Vec<IpAddr> {
    [("0.0.0.0:0", "192.0.2.1:9"), ("[::]:0", "[2001:db8::1]:9")]
        .iter()
        .filter_map(|(from, to)| {
            let socket = UdpSocket::bind(from).ok()?;
            socket.connect(to).ok()?;
            socket.local_addr().ok().map(|address| address.ip())
        })
        .filter(|address| !address.is_unspecified() && !address.is_loopback())
        .collect()
}

fn host_names() -> Vec<String> {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.trim();
    let plain = !name.is_empty()
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.'));
    if plain {
        vec![name.to_owned(), format!("{name}.local")]
    } else {
        Vec::new()
    }
}

fn chain(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| pem_error(path, &error))
        .and_then(|chain| {
            let empty = TlsError::Pem {
                path: path.to_owned(),
                reason: "contains no certificate".to_owned(),
            };
            if chain.is_empty() { Err(empty) } else { Ok(chain) }
        })
}

fn pem_error(path: &Path, error: &rustls_pki_types::pem::Error) -> TlsError {
    TlsError::Pem {
        path: path.to_owned(),
        reason: error.to_string(),
    }
}

fn write_private(path: &Path, content: &[u8]) -> Result<(), TlsError> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
        .open(path)
        .and_then(|mut file| file.write_all(content))
        .map_err(|source| TlsError::File {
            path: path.to_owned(),
            source,
        })
}
