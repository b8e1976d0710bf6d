//! Certificates of the signers of seals: only those that the operator installed are trusted.

use domain::findings::Signature;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, SignatureVerificationAlgorithm};
use std::path::Path;
use webpki::ring::{ECDSA_P256_SHA256, ECDSA_P384_SHA384};
use webpki::{EndEntityCert, Error};

/// The signatures that can be checked; others, such as those over Brainpool curves, stay unchecked.
const ALGORITHMS: [&dyn SignatureVerificationAlgorithm; 2] = [ECDSA_P256_SHA256, ECDSA_P384_SHA384];
/// The first byte of an ASN.1 sequence.
const SEQUENCE: u8 = 0x30;
/// More files than this are not certificates of seals.
const MAX_FILES: usize = 1000;

/// Certificates by the reference under which seals name them.
#[derive(Default)]
pub(crate) struct Certificates {
    known: Vec<(String, CertificateDer<'static>)>,
}

impl Certificates {
    /// Nobody's.
    pub(crate) const fn none() -> Self {
        Self { known: Vec::new() }
    }

    /// Reads the files of a folder: `REFERENCE.pem`, or `.der`, `.cer`, `.crt` with the bare certificate. A folder that is not there
    /// holds none, and what is no certificate is passed over, so that its seals stay unchecked.
    pub(crate) fn load(folder: &Path) -> Self {
        let files = std::fs::read_dir(folder)
            .into_iter()
            .flatten()
            .filter_map(Result::ok)
            .take(MAX_FILES);
        let known = files.filter_map(|file| certificate(&file.path())).collect();
        Self { known }
    }

    /// What became of the signature over `message` by the certificates that go under `reference`: one that was renewed may still be installed
    /// beside its successor. It is invalid only by all of them.
    pub(super) fn named(&self, reference: &str, message: &[u8], signature: &[u8]) -> Signature {
        let named = self
            .known
            .iter()
            .filter(|(name, _)| name.eq_ignore_ascii_case(reference));
        let checked: Vec<Signature> = named
            .map(|(_, certificate)| check(certificate, message, signature))
            .collect();
        if checked.contains(&Signature::Valid) {
            Signature::Valid
        } else if !checked.is_empty() && checked.iter().all(|one| *one == Signature::Invalid) {
            Signature::Invalid
        } else {
            Signature::NotChecked
        }
    }

    /// What became of the signature over `message` by a certificate that came with the seal: it counts only if it is installed.
    pub(super) fn enclosed(&self, certificate: &[u8], message: &[u8], signature: &[u8]) -> Signature {
        let found = self.known.iter().find(|(_, known)| known.as_ref() == certificate);
        found.map_or(Signature::NotChecked, |(_, certificate)| {
            check(certificate, message, signature)
        })
    }
}

fn certificate(path: &Path) -> Option<(String, CertificateDer<'static>)> {
    let name = path.file_stem()?.to_str()?.to_owned();
    let certificate = match path.extension()?.to_str()? {
        "pem" => CertificateDer::from_pem_file(path).ok()?,
        "der" | "cer" | "crt" => CertificateDer::from(std::fs::read(path).ok()?),
        _ => return None,
    };
    EndEntityCert::try_from(&certificate)
        .is_ok()
        .then_some((name, certificate))
}

/// Checks a signature of two numbers of equal length, as seals have it, or of an ASN.1 sequence, as some issuers write it.
fn check(certificate: &CertificateDer<'_>, message: &[u8], signature: &[u8]) -> Signature {
    let Ok(certificate) = EndEntityCert::try_from(certificate) else {
        return Signature::NotChecked;
    };
    // What is no such signature is none by a key on one of these curves either. On another curve it may be one.
    let numbers = sequence(signature).unwrap_or_default();
    let is_sequence = signature.first() == Some(&SEQUENCE);
    for algorithm in ALGORITHMS {
        let verify = |signature: &[u8]| certificate.verify_signature(algorithm, message, signature);
        match verify(&numbers) {
            Ok(()) => return Signature::Valid,
            Err(Error::InvalidSignatureForPublicKey) if is_sequence && verify(signature).is_ok() => {
                return Signature::Valid;
            }
            Err(Error::InvalidSignatureForPublicKey) => return Signature::Invalid,
            // Another curve.
            Err(_) => {}
        }
    }
    Signature::NotChecked
}

/// Two numbers as an ASN.1 sequence (RFC 3279, section 2.2.3). `None` where they are empty or longer than on the curves that can be checked.
fn sequence(signature: &[u8]) -> Option<Vec<u8>> {
    if signature.is_empty() || !signature.len().is_multiple_of(2) || signature.len() > 96 {
        return None;
    }
    let (r, s) = signature.split_at(signature.len() / 2);
    let mut body = Vec::with_capacity(signature.len() + 6);
    for number in [r, s] {
        let zeros = number
            .iter()
            .take_while(|byte| **byte == 0)
            .count()
            .min(number.len() - 1);
        let number = &number[zeros..];
        // A number is positive only if its first bit is not set.
        let sign = usize::from(number[0] >= 0x80);
        body.extend([0x02, u8::try_from(number.len() + sign).ok()?]);
        body.extend(std::iter::repeat_n(0, sign));
        body.extend(number);
    }
    let mut all = vec![SEQUENCE, u8::try_from(body.len()).ok()?];
    all.extend(body);
    Some(all)
}
