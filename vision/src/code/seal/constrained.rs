//! Visible digital seals for constrained environments (ICAO 9303-13, part I): a header, features, a signature.

use super::c40;
use super::certificates::Certificates;
use crate::mrz::Elements;
use domain::document::{DocumentType, FieldName, OcrField, Side};
use domain::findings::{CodeReading, CodeStandard, MrzFormat};
use time::Date;

const MAGIC: u8 = 0xdc;
/// The tag of the signature, behind all features.
const SIGNED: u8 = 0xff;

/// A tag and its value.
type Feature<'a> = (u8, &'a [u8]);

/// A seal taken apart.
struct Seal<'a> {
    /// Country and signer, then the certificate's number there.
    reference: String,
    /// Feature definition and type of document: what the tags mean.
    meaning: (u8, u8),
    features: Vec<Feature<'a>>,
    /// What the signature is of.
    message: &'a [u8],
    signature: &'a [u8],
}

impl<'a> Seal<'a> {
    fn parse(bytes: &'a [u8]) -> Option<Self> {
        let mut rest = bytes;
        let mut take = |length: usize| {
            let (taken, behind) = rest.split_at_checked(length)?;
            rest = behind;
            Some(taken)
        };
        let (&[MAGIC, version], _) = (take(2)?, take(2)?) else {
            return None;
        };
        // Version 3 has a certificate reference of five symbols, version 4 one that tells its length (2.2).
        let reference = match version {
            2 => c40::text(take(6)?)?,
            3 => {
                let signer = c40::text(take(4)?)?;
                let (signer, length) = signer.split_at_checked(4)?;
                let length = usize::from_str_radix(length.trim(), 16).ok()?;
                format!("{signer}{}", c40::text(take(length.div_ceil(3) * 2)?)?)
            }
            _ => return None,
        };
        // Dates of issue and of signing.
        take(6)?;
        let &[definition, kind] = take(2)? else { return None };
        let header = bytes.len() - rest.len();
        let (features, behind) = features(&bytes[header..])?;
        let signature = bytes.get(header + behind..)?;
        let message = &bytes[..header + behind];
        Some(Self {
            reference: reference.trim().to_owned(),
            meaning: (definition, kind),
            features,
            message,
            signature: value(signature.strip_prefix(&[SIGNED])?)?.0,
        })
    }

    fn feature(&self, tag: u8) -> Option<String> {
        let (_, value) = self.features.iter().find(|(known, _)| *known == tag)?;
        c40::text(value)
    }

    /// What the seal says of the document: its zone or its number, as the use case has it (ICAO 9303-13 part II, BSI TR-03137).
    fn contents(&self) -> (Option<DocumentType>, Option<String>, Option<String>) {
        match self.meaning {
            // Visa.
            (0x5d, 1) => (None, self.feature(1).or_else(|| self.feature(2)), None),
            // Emergency travel document, residence permit.
            (0x5e, 3) | (0xfb, 6) => (None, self.feature(2), None),
            // The address on a German identity card.
            (0xf9, 8) => (Some(DocumentType::IdCard), None, self.feature(1)),
            _ => (None, None, None),
        }
    }
}

/// Tags, lengths, values up to the signature, and how many bytes they have.
fn features(bytes: &[u8]) -> Option<(Vec<Feature<'_>>, usize)> {
    let (mut found, mut rest) = (Vec::new(), bytes);
    loop {
        match rest {
            [SIGNED, ..] => return Some((found, bytes.len() - rest.len())),
            [tag, behind @ ..] => {
                let (value, behind) = value(behind)?;
                found.push((*tag, value));
                rest = behind;
            }
            [] => return None,
        }
    }
}

/// A length of one byte, or of one behind 0x81, and as many bytes; then what follows.
fn value(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    match *bytes {
        [0x81, length, ref rest @ ..] => rest.split_at_checked(usize::from(length)),
        [length @ ..=0x7f, ref rest @ ..] => rest.split_at_checked(usize::from(length)),
        _ => None,
    }
}

/// The reading of a seal, or `None` where the bytes are none.
pub(super) fn reading(bytes: &[u8], side: Side, today: Date, known: &Certificates) -> Option<CodeReading> {
    let seal = Seal::parse(bytes)?;
    let (kind, zone, number) = seal.contents();
    let mut fields = zone.map(|zone| of_zone(&zone, side, today)).unwrap_or_default();
    fields.extend(number.map(|number| OcrField {
        side,
        name: FieldName::DocumentNumber,
        text: Some(number.clone()),
        normalized: Some(number),
    }));
    Some(CodeReading {
        standard: CodeStandard::Seal,
        kind,
        fields,
        signature: known.named(&seal.reference, seal.message, seal.signature),
        issuer: Some(seal.reference),
    })
}

/// Items of a zone within a seal. Visas leave its last symbols out; those are filled up, and no digit of them is relied on.
fn of_zone(zone: &str, side: Side, today: Date) -> Vec<OcrField> {
    let zone = zone.replace(' ', "<");
    let visa = zone.starts_with('V');
    let (format, length, whole) = match (zone.len(), visa) {
        (72, true) => (MrzFormat::MrvA, 44, 88),
        (64, true) => (MrzFormat::MrvB, 36, 72),
        (72, false) => (MrzFormat::Td2, 36, 72),
        (90, false) => (MrzFormat::Td1, 30, 90),
        (88, false) => (MrzFormat::Td3, 44, 88),
        _ => return Vec::new(),
    };
    let zone = format!("{zone:<<whole$}");
    let lines: Vec<String> = zone
        .as_bytes()
        .chunks(length)
        .map(|line| String::from_utf8_lossy(line).into_owned())
        .collect();
    let mut fields = Elements::new(format, &lines).fields(side, &zone, today);
    // The zone is the seal's, not one that was read from the document.
    fields.retain(|field| field.name != FieldName::Mrz);
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::seal::tests::{TODAY, signer};
    use domain::findings::Signature;
    use proptest::prelude::*;

    const ZONE: &str = "V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<L8988901C4UTO4009078F9612109";

    /// A visa's seal, all but its signature.
    fn unsigned(version: u8) -> Vec<u8> {
        let reference = if version == 2 { "UTTS5B001" } else { "UTTS055B001" };
        let mut bytes = vec![MAGIC, version];
        bytes.extend(c40::bytes("UTO"));
        if version == 2 {
            bytes.extend(c40::bytes(reference));
        } else {
            bytes.extend(c40::bytes(&reference[..6]));
            bytes.extend(c40::bytes(&reference[6..]));
        }
        bytes.extend([0x31, 0x9c, 0x96, 0x31, 0x9c, 0x96, 0x5d, 1]);
        let zone = c40::bytes(&ZONE.replace('<', " "));
        bytes.extend([1, zone.len() as u8]);
        bytes.extend(zone);
        bytes
    }

    fn sealed(version: u8, sign: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
        let mut bytes = unsigned(version);
        let signature = sign(&bytes);
        bytes.extend([SIGNED, signature.len() as u8]);
        bytes.extend(signature);
        bytes
    }

    #[test]
    fn a_visas_seal_is_read_and_its_signature_checked() {
        let (folder, sign) = signer("UTTS5B001");
        for version in [2, 3] {
            let seal = sealed(version, &sign);
            let read = reading(&seal, Side::Front, TODAY, &Certificates::load(folder.path())).unwrap();
            assert_eq!(read.signature, Signature::Valid);
            assert_eq!(read.issuer.as_deref(), Some("UTTS5B001"));
            let of = |name| {
                read.fields
                    .iter()
                    .find(|f| f.name == name)
                    .and_then(|f| f.normalized.as_deref())
            };
            assert_eq!(
                (of(FieldName::LastName), of(FieldName::BirthDate)),
                (Some("ERIKSSON"), Some("1940-09-07"))
            );
            assert_eq!(of(FieldName::DocumentNumber), Some("L8988901C"));

            let unknown = reading(&seal, Side::Front, TODAY, &Certificates::default()).unwrap();
            assert_eq!(unknown.signature, Signature::NotChecked);
        }
    }

    #[test]
    fn a_changed_seal_is_not_its_issuers() {
        let (folder, sign) = signer("UTTS5B001");
        let seal = sealed(2, &sign);
        let known = Certificates::load(folder.path());
        // A letter of the name, and a byte of the signature.
        for at in [30, seal.len() - 9] {
            let mut changed = seal.clone();
            changed[at] ^= 1;
            let read = reading(&changed, Side::Front, TODAY, &known).unwrap();
            assert_eq!(read.signature, Signature::Invalid, "byte {at}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_seal_or_none(bytes in prop::collection::vec(any::<u8>(), 0..120), version in 2_u8..4) {
            reading(&bytes, Side::Back, TODAY, &Certificates::default());
            let mut headed = unsigned(version);
            headed.extend(bytes);
            reading(&headed, Side::Back, TODAY, &Certificates::default());
        }

        #[test]
        fn a_mutated_seal_does_no_harm(at in any::<prop::sample::Index>(), to in any::<u8>(), cut in any::<prop::sample::Index>()) {
            let mut seal = sealed(3, |_| vec![7; 64]);
            let (at, cut) = (at.index(seal.len()), cut.index(seal.len()));
            seal[at] = to;
            reading(&seal, Side::Back, TODAY, &Certificates::default());
            reading(&seal[..cut], Side::Back, TODAY, &Certificates::default());
        }
    }
}
