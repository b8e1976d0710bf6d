//! A signer of seals for tests, and seals from picture to reading.

use super::*;
use domain::findings::{CodeStandard, Signature};
use rcgen::{CertificateParams, KeyPair};
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_ASN1_SIGNING, ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, EcdsaSigningAlgorithm,
};
use rxing::{BarcodeFormat, EncodeHints, Writer};
use std::path::Path;
use time::macros::date;

pub(super) const TODAY: Date = date!(2026 - 11 - 21);

/// A folder with a certificate of this name, and its signature over what is given.
pub(super) fn signer(name: &str) -> (tempfile::TempDir, impl Fn(&[u8]) -> Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("{name}.der"));
    let sign = signer_at(&path, &ECDSA_P256_SHA256_FIXED_SIGNING);
    std::fs::write(folder.path().join("README.pem"), "no certificate").unwrap();
    (folder, sign)
}

/// Writes a new certificate to this file, and gives its signature over what is given.
fn signer_at(path: &Path, algorithm: &'static EcdsaSigningAlgorithm) -> impl Fn(&[u8]) -> Vec<u8> + use<> {
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new(vec!["signer.example".to_owned()])
        .unwrap()
        .self_signed(&key)
        .unwrap();
    std::fs::write(path, certificate.der()).unwrap();
    let random = SystemRandom::new();
    let key = EcdsaKeyPair::from_pkcs8(algorithm, &key.serialize_der(), &random).unwrap();
    move |message: &[u8]| key.sign(&random, message).unwrap().as_ref().to_vec()
}

#[test]
fn a_signature_is_invalid_only_by_every_certificate_of_its_reference() {
    let (folder, sign) = signer("UTTS5B001");
    let renewed = signer_at(&folder.path().join("utts5b001.cer"), &ECDSA_P256_SHA256_FIXED_SIGNING);
    let (_other, stranger) = signer("UTTS5B001");
    let known = Certificates::load(folder.path());
    let named = |signature: &[u8]| known.named("UTTS5B001", b"message", signature);
    assert_eq!(named(&sign(b"message")), Signature::Valid);
    assert_eq!(named(&renewed(b"message")), Signature::Valid);
    assert_eq!(named(&stranger(b"message")), Signature::Invalid);
    let key = KeyPair::generate_for(&rcgen::PKCS_ED25519).unwrap();
    let unknown = CertificateParams::new(vec!["signer.example".to_owned()])
        .unwrap()
        .self_signed(&key)
        .unwrap();
    std::fs::write(folder.path().join("UTTS5B001.crt"), unknown.der()).unwrap();
    let known = Certificates::load(folder.path());
    assert_eq!(
        known.named("UTTS5B001", b"message", &stranger(b"message")),
        Signature::NotChecked,
        "it may be of the one that cannot be checked"
    );
}

#[test]
fn a_signature_that_is_an_asn1_sequence_is_checked_as_one() {
    let folder = tempfile::tempdir().unwrap();
    let sign = signer_at(&folder.path().join("UTTS5B001.der"), &ECDSA_P256_SHA256_ASN1_SIGNING);
    let known = Certificates::load(folder.path());
    let named = |message: &[u8]| known.named("UTTS5B001", message, &sign(b"message"));
    assert_eq!(named(b"message"), Signature::Valid);
    assert_eq!(named(b"another"), Signature::Invalid);
}

#[test]
fn a_signature_that_cannot_be_checked_is_not_called_invalid() {
    let (folder, sign) = signer("UTTS5B001");
    let known = Certificates::load(folder.path());
    let named = |known: &Certificates, signature: &[u8]| known.named("UTTS5B001", b"message", signature);
    assert_eq!(named(&known, &sign(b"message")), Signature::Valid);
    // None is a signature on the curve of the certificate. The last one would be on a curve of 512 bits.
    for length in [0, 1, 63, 64, 128] {
        assert_eq!(named(&known, &vec![7; length]), Signature::Invalid, "{length}");
    }
    let key = KeyPair::generate_for(&rcgen::PKCS_ED25519).unwrap();
    let other = CertificateParams::new(vec!["signer.example".to_owned()])
        .unwrap()
        .self_signed(&key)
        .unwrap();
    std::fs::write(folder.path().join("UTTS5B001.der"), other.der()).unwrap();
    let known = Certificates::load(folder.path());
    for length in [0, 1, 63, 64, 128] {
        assert_eq!(named(&known, &vec![7; length]), Signature::NotChecked, "{length}");
    }
}

/// A code in the middle of a white picture, four pixels a module.
fn drawn(writer: &dyn Writer, format: BarcodeFormat, text: &str) -> Grey {
    let code = writer
        .encode_with_hints(text, &format, 0, 0, &EncodeHints::default())
        .unwrap();
    let (width, height) = (code.getWidth() as usize * 4 + 80, code.getHeight() as usize * 4 + 80);
    let dark = |x: usize, y: usize| {
        let place = |v: usize, size: u32| v.checked_sub(40).map(|v| v / 4).filter(|v| *v < size as usize);
        place(x, code.getWidth())
            .zip(place(y, code.getHeight()))
            .is_some_and(|(x, y)| code.get(x as u32, y as u32))
    };
    let pixels = (0..width * height)
        .map(|i| if dark(i % width, i / width) { 20 } else { 235 })
        .collect();
    Grey { width, height, pixels }
}

#[test]
fn a_data_matrix_seal_is_found_in_a_picture() {
    let mut seal = vec![0xdc, 2];
    seal.extend(c40::bytes("D  "));
    seal.extend(c40::bytes("DETS5B001"));
    seal.extend([0x31, 0x9c, 0x96, 0x31, 0x9c, 0x96, 0xf9, 8, 1, 6]);
    seal.extend(c40::bytes("T20000020"));
    seal.extend([0xff, 64]);
    seal.extend(0xc0..=0xff_u8);
    let text: String = seal.iter().map(|b| char::from(*b)).collect();
    let grey = drawn(
        &rxing::datamatrix::DataMatrixWriter {},
        BarcodeFormat::DATA_MATRIX,
        &text,
    );
    let found = read(&grey, Side::Back, TODAY, &Certificates::default()).unwrap();
    assert_eq!(
        (found.standard, found.signature),
        (CodeStandard::Seal, Signature::NotChecked)
    );
    assert_eq!(found.fields[0].text.as_deref(), Some("T20000020"));
}

#[test]
fn a_qr_code_that_is_no_seal_is_dropped() {
    // Twelve digits, as on the back of a My Number card.
    let grey = drawn(&rxing::qrcode::QRCodeWriter {}, BarcodeFormat::QR_CODE, "123456789018");
    assert_eq!(
        find::contents(&grey).len(),
        1,
        "the code must be readable for the test to say anything"
    );
    assert_eq!(read(&grey, Side::Back, TODAY, &Certificates::default()), None);
}

#[test]
fn a_qr_seal_is_found_in_a_picture() {
    let seal = r#"{"data":{"hdr":{"is":"UTO","t":"icao.test","v":1},"msg":{"pid":{"n":"ERIKSSON ANNA"}}},"sig":{}}"#;
    let grey = drawn(&rxing::qrcode::QRCodeWriter {}, BarcodeFormat::QR_CODE, seal);
    let found = read(&grey, Side::Back, TODAY, &Certificates::default()).unwrap();
    assert_eq!(
        (found.standard, found.signature),
        (CodeStandard::SealNc, Signature::NotChecked)
    );
}
