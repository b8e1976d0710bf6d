//! TLS: from certificate files, or with a certificate generated here for evaluation in the local network.

use crate::http_client::certificates;
use domain::time::{Millis, Timestamp};
use rustls::{
    CertificateError, Error as RustlsError, RootCertStore, ServerConfig,
    client::verify_server_cert_signed_by_trust_anchor,
    server::{ClientHello, ParsedCertificate, ResolvesServerCert},
    sign::CertifiedKey,
};
use rustls_pki_types::{
    CertificateDer, PrivateKeyDer, UnixTime,
    pem::{self, PemObject},
};
use sha2::{Digest, Sha256};
use std::{
    fs,
    io::{self, Write as _},
    net::{IpAddr, UdpSocket},
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};
use tokio_rustls::TlsAcceptor;

/// The file name of the certificate that is generated here.
pub const SELF_SIGNED: &str = "self-signed.pem";

/// How long before a certificate expires there are warnings, unless a quarter of its validity is shorter: one that is valid for a week is renewed only
/// days before it expires. The alert in docs/monitoring begins at the same time.
const WARNED_BEFORE: Millis = Millis::days(14);

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
    /// only if it does not cover them, or cannot be used because writing it was interrupted, so that a phone has to accept it once.
    ///
    /// # Errors
    /// If it cannot be generated or written.
    pub fn self_signed(folder: &Path, names: &[String]) -> Result<Self, TlsError> {
        let files = Self {
            certificate: folder.join(SELF_SIGNED),
            key: folder.join("self-signed.key"),
        };
        let covers = folder.join("self-signed.names");
        let mut names = names.to_vec();
        names.extend(["localhost", "127.0.0.1", "::1"].map(str::to_owned));
        names.extend(local_addresses().iter().map(IpAddr::to_string));
        names.extend(host_names());
        names.sort();
        names.dedup();
        let wanted = names.join("\n");
        let ready = fs::read_to_string(&covers).is_ok_and(|made| made == wanted) && files.check().is_ok();
        if !ready {
            fs::create_dir_all(folder).map_err(|source| TlsError::File {
                path: folder.to_owned(),
                source,
            })?;
            let made = rcgen::generate_simple_self_signed(names).map_err(|e| TlsError::Certificate(e.to_string()))?;
            write_private(&files.key, made.signing_key.serialize_pem().as_bytes())?;
            write_private(&files.certificate, made.cert.pem().as_bytes())?;
            write_private(&covers, wanted.as_bytes())?;
        }
        Ok(files)
    }

    /// Whether it could be used.
    ///
    /// # Errors
    /// If a file cannot be read, or certificate and key do not match.
    pub fn check(&self) -> Result<(), TlsError> {
        self.load().map(drop)
    }

    fn load(&self) -> Result<CertifiedKey, TlsError> {
        let (chain, key) = (chain(&self.certificate)?, key(&self.key)?);
        let provider = rustls::crypto::ring::default_provider();
        CertifiedKey::from_der(chain, key, &provider).map_err(|error| {
            let (path, reason) = match error {
                RustlsError::InconsistentKeys(_) => {
                    let certificate = self.certificate.display();
                    let reason = format!("is not the key of the first certificate in {certificate}");
                    (&self.key, reason)
                }
                RustlsError::InvalidCertificate(fault) => (
                    &self.certificate,
                    format!("the first certificate cannot be used: {fault}"),
                ),
                other => (&self.key, other.to_string()),
            };
            let path = path.clone();
            TlsError::Pem { path, reason }
        })
    }

    /// When the leaf is valid; `None` if that cannot be told.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn validity(&self) -> Result<Option<Validity>, TlsError> {
        Ok(chain(&self.certificate)?.first().and_then(Validity::of))
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

/// The certificate that is in use. It can be read again, since it is renewed while the server runs.
#[derive(Debug)]
pub struct LiveCertificate {
    files: Certificate,
    read: RwLock<Arc<CertifiedKey>>,
}

impl LiveCertificate {
    /// Reads the files.
    ///
    /// # Errors
    /// If one cannot be read, or certificate and key do not match.
    pub fn read(files: Certificate) -> Result<Arc<Self>, TlsError> {
        let read = RwLock::new(Arc::new(files.load()?));
        Ok(Arc::new(Self { files, read }))
    }

    /// Reads the files again, for the connections that come from now on.
    ///
    /// # Errors
    /// The same. What was read before stays in use then.
    pub fn read_again(&self) -> Result<(), TlsError> {
        let read = Arc::new(self.files.load()?);
        *self.read.write().unwrap_or_else(PoisonError::into_inner) = read;
        Ok(())
    }

    /// When the leaf is valid; `None` if that cannot be told.
    #[must_use]
    pub fn validity(&self) -> Option<Validity> {
        self.current().cert.first().and_then(Validity::of)
    }

    /// The acceptor for it. HTTP/1.1 only: a second protocol would need a second set of limits.
    ///
    /// # Errors
    /// If TLS cannot be set up.
    pub fn acceptor(self: &Arc<Self>) -> Result<TlsAcceptor, TlsError> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let resolver: Arc<dyn ResolvesServerCert> = Arc::<Self>::clone(self);
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| TlsError::Certificate(error.to_string()))?
            .with_no_client_auth()
            .with_cert_resolver(resolver);
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(TlsAcceptor::from(Arc::new(config)))
    }

    fn current(&self) -> Arc<CertifiedKey> {
        Arc::clone(&self.read.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl ResolvesServerCert for LiveCertificate {
    fn resolve(&self, _client_hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.current())
    }
}

/// The time in which a certificate is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Validity {
    /// Its beginning.
    pub not_before: Timestamp,
    /// Its end.
    pub not_after: Timestamp,
}

impl Validity {
    /// That of a certificate. A verification reports it if it takes place earlier or later; it looks at the time before it looks for an issuer.
    fn of(leaf: &CertificateDer<'_>) -> Option<Self> {
        let leaf = ParsedCertificate::try_from(leaf).ok()?;
        let verify_at = |since_epoch| {
            let now = UnixTime::since_unix_epoch(since_epoch);
            verify_server_cert_signed_by_trust_anchor(&leaf, &RootCertStore::empty(), &[], now, &[])
        };
        let not_after = match verify_at(Duration::MAX) {
            Err(RustlsError::InvalidCertificate(CertificateError::ExpiredContext { not_after, .. })) => {
                timestamp(not_after)?
            }
            _ => return None,
        };
        let not_before = match verify_at(Duration::ZERO) {
            Err(RustlsError::InvalidCertificate(CertificateError::NotValidYetContext { not_before, .. })) => {
                timestamp(not_before)?
            }
            // It begins where Unix time does.
            _ => Timestamp::from_millis(0),
        };
        Some(Self { not_before, not_after })
    }

    /// What to say about the certificate; nothing if it does not expire soon.
    pub(crate) fn warning(self, now: Timestamp) -> Option<String> {
        let at = self.not_after.to_iso();
        let quarter = self.not_after.millis_since(self.not_before) / 4;
        if self.not_after < now {
            Some(format!("the certificate expired at {at}"))
        } else if self.not_after.millis_since(now) <= quarter.min(WARNED_BEFORE.0) {
            Some(format!("the certificate expires at {at}"))
        } else {
            None
        }
    }
}

fn timestamp(time: UnixTime) -> Option<Timestamp> {
    let seconds = i64::try_from(time.as_secs()).ok()?;
    Some(Timestamp::from_millis(seconds.checked_mul(1000)?))
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
    certificates(path).map_err(|reason| TlsError::Pem {
        path: path.to_owned(),
        reason,
    })
}

fn key(path: &Path) -> Result<PrivateKeyDer<'static>, TlsError> {
    PrivateKeyDer::from_pem_file(path).map_err(|error| {
        let reason = if fs::read_to_string(path).is_ok_and(|text| text.contains("ENCRYPTED")) {
            "the key is protected with a passphrase, for which nobody could be asked; store it without one".to_owned()
        } else if let pem::Error::NoItemsFound = error {
            "contains no private key".to_owned()
        } else {
            error.to_string()
        };
        TlsError::Pem {
            path: path.to_owned(),
            reason,
        }
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Generates a certificate and a key in this folder.
    fn renew(folder: &Path) -> Certificate {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let files = Certificate {
            certificate: folder.join("certificate.pem"),
            key: folder.join("key.pem"),
        };
        write_private(&files.certificate, made.cert.pem().as_bytes()).unwrap();
        write_private(&files.key, made.signing_key.serialize_pem().as_bytes()).unwrap();
        files
    }

    #[test]
    fn a_renewed_certificate_is_used_once_it_is_read_again_and_one_that_is_half_written_never() {
        let folder = tempfile::tempdir().unwrap();
        let files = renew(folder.path());
        let live = LiveCertificate::read(files.clone()).unwrap();
        let leaf = || live.current().end_entity_cert().unwrap().clone().into_owned();
        let first = leaf();
        let key = fs::read(&files.key).unwrap();
        renew(folder.path());
        assert_eq!(leaf(), first);
        let renewed = fs::read(&files.key).unwrap();
        fs::write(&files.key, key).unwrap();
        let refused = live.read_again().unwrap_err().to_string();
        assert!(
            refused.contains("key.pem: is not the key of the first certificate in") && leaf() == first,
            "{refused}"
        );
        fs::write(&files.key, renewed).unwrap();
        live.read_again().unwrap();
        assert_ne!(leaf(), first);
    }

    #[test]
    fn a_self_signed_certificate_is_kept_and_made_again_where_writing_it_was_interrupted() {
        let folder = tempfile::tempdir().unwrap();
        let make = || Certificate::self_signed(folder.path(), &["id.example".to_owned()]).unwrap();
        let files = make();
        let first = files.fingerprint().unwrap();
        assert_eq!(make().fingerprint().unwrap(), first);
        // As a power cut leaves what was not synced, and as a process that was killed between the two.
        let other = renew(folder.path());
        let key = fs::read(other.key).unwrap();
        for left in [Vec::new(), key] {
            fs::write(&files.key, left).unwrap();
            make().check().unwrap();
        }
    }

    #[test]
    fn the_validity_of_a_certificate_is_known_whether_it_has_begun_or_passed_or_not() {
        let folder = tempfile::tempdir().unwrap();
        let files = renew(folder.path());
        let live = LiveCertificate::read(files.clone()).unwrap();
        // What rcgen uses.
        let usual = validity("1975-01-01T00:00:00.000Z", "4096-01-01T00:00:00.000Z");
        assert_eq!((live.validity(), files.validity().unwrap()), (Some(usual), Some(usual)));
        for (from, to) in [(1970, 2001), (2000, 2090), (2080, 2090)] {
            let key = rcgen::KeyPair::generate().unwrap();
            let mut wanted = rcgen::CertificateParams::new(["localhost".to_owned()]).unwrap();
            wanted.not_before = rcgen::date_time_ymd(from, 1, 1);
            wanted.not_after = rcgen::date_time_ymd(to, 2, 3);
            wanted.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
            let made = wanted.self_signed(&key).unwrap();
            write_private(&files.certificate, made.pem().as_bytes()).unwrap();
            write_private(&files.key, key.serialize_pem().as_bytes()).unwrap();
            live.read_again().unwrap();
            let (from, to) = (
                format!("{from}-01-01T00:00:00.000Z"),
                format!("{to}-02-03T00:00:00.000Z"),
            );
            let known = Some(validity(&from, &to));
            assert_eq!((live.validity(), files.validity().unwrap()), (known, known));
        }
    }

    fn at(time: &str) -> Timestamp {
        Timestamp::parse_iso(time).unwrap()
    }

    fn validity(not_before: &str, not_after: &str) -> Validity {
        Validity {
            not_before: at(not_before),
            not_after: at(not_after),
        }
    }

    #[test]
    fn a_certificate_of_eight_days_is_warned_about_in_the_last_two() {
        let short = validity("2026-08-01T00:00:00.000Z", "2026-08-09T00:00:00.000Z");
        for (now, is_warned) in [
            ("2026-08-01T00:00:00.000Z", false),
            ("2026-08-06T23:59:59.999Z", false),
            ("2026-08-07T00:00:00.000Z", true),
        ] {
            assert_eq!(short.warning(at(now)).is_some(), is_warned, "{now}");
        }
    }

    #[test]
    fn a_certificate_is_warned_about_from_two_weeks_before_it_expires() {
        let long = validity("2026-05-17T00:00:00.000Z", "2026-08-15T00:00:00.000Z");
        let said = |now: &str| long.warning(at(now));
        assert_eq!(said("2026-07-31T23:59:59.999Z"), None);
        for now in ["2026-08-01T00:00:00.000Z", "2026-08-15T00:00:00.000Z"] {
            assert_eq!(
                said(now).as_deref(),
                Some("the certificate expires at 2026-08-15T00:00:00.000Z")
            );
        }
        assert_eq!(
            said("2026-08-15T00:00:00.001Z").as_deref(),
            Some("the certificate expired at 2026-08-15T00:00:00.000Z")
        );
    }

    #[test]
    fn a_certificate_that_cannot_be_read_is_not_blamed_on_its_key() {
        let folder = tempfile::tempdir().unwrap();
        let files = renew(folder.path());
        fs::write(
            &files.certificate,
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
        )
        .unwrap();
        let refused = files.check().unwrap_err().to_string();
        assert!(
            refused.contains("certificate.pem: the first certificate cannot be used"),
            "{refused}"
        );
    }

    #[test]
    fn a_key_that_cannot_be_used_is_said_to_be_missing_or_protected() {
        let folder = tempfile::tempdir().unwrap();
        let files = renew(folder.path());
        files.check().unwrap();
        for (text, wanted) in [
            ("", "contains no private key"),
            (
                "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\nAAAA\n-----END EC PRIVATE KEY-----\n",
                "is protected with a passphrase",
            ),
            (
                "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n",
                "is protected with a passphrase",
            ),
        ] {
            fs::write(&files.key, text).unwrap();
            let refused = files.check().unwrap_err().to_string();
            assert!(refused.contains(wanted), "{refused}");
        }
    }
}
