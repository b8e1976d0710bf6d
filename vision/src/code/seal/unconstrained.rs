//! Visible digital seals for non-constrained environments (ICAO VDS-NC): signed JSON in a QR code.

use super::certificates::Certificates;
use crate::mrz::alpha3;
use base64::Engine;
use base64::engine::general_purpose::{URL_SAFE, URL_SAFE_NO_PAD};
use domain::document::{FieldName, OcrField, Side};
use domain::findings::{CodeReading, CodeStandard, Signature};
use domain::user_input::Gender;
use serde_json::Value;

/// Longer items are cut: no name has more letters.
const LONGEST: usize = 200;

/// The reading of a seal, or `None` where the bytes are none.
pub(super) fn reading(bytes: &[u8], side: Side, known: &Certificates) -> Option<CodeReading> {
    let seal: Value = serde_json::from_slice(bytes).ok()?;
    let (data, sig) = (seal.get("data")?, seal.get("sig")?);
    let (header, message) = (data.get("hdr")?, data.get("msg")?);
    // All types that ICAO defines begin with its name.
    text(header, "t").filter(|kind| kind.starts_with("icao."))?;
    let country = text(header, "is");
    let person = message.get("pid").unwrap_or(message);
    let plain = |text: String| (text.clone(), Some(text));
    let found = [
        (FieldName::FullName, text(person, "n").map(plain)),
        (
            FieldName::BirthDate,
            text(person, "dob").map(|text| (text.clone(), is_date(&text).then_some(text))),
        ),
        (
            FieldName::Gender,
            text(person, "sex").map(|text| (text.clone(), gender(&text))),
        ),
        (
            FieldName::DocumentNumber,
            text(person, "dn").or_else(|| text(person, "i")).map(plain),
        ),
        (
            FieldName::IssuingCountry,
            country
                .clone()
                .map(|code| (code.clone(), alpha3(&code).map(str::to_owned))),
        ),
    ];
    let fields = found.into_iter().filter_map(|(name, value)| {
        let (text, normalized) = value?;
        Some(OcrField {
            side,
            name,
            text: Some(text),
            normalized,
        })
    });
    Some(CodeReading {
        standard: CodeStandard::SealNc,
        // It names the document its holder showed, not the one it stands on.
        kind: None,
        fields: fields.collect(),
        issuer: country,
        signature: checked(data, sig, known).unwrap_or(Signature::NotChecked),
    })
}

/// What became of the signature; `None` where the seal does not say what would be checked.
fn checked(data: &Value, sig: &Value, known: &Certificates) -> Option<Signature> {
    let decode = |name: &str| {
        let text = sig.get(name)?.as_str()?;
        URL_SAFE_NO_PAD.decode(text).or_else(|_| URL_SAFE.decode(text)).ok()
    };
    let mut message = String::new();
    canonical(data, &mut message)?;
    Some(known.enclosed(&decode("cer")?, message.as_bytes(), &decode("sigvl")?))
}

/// The one way to write a value (RFC 8785). `None` for numbers with a fraction, which no seal has.
fn canonical(value: &Value, out: &mut String) -> Option<()> {
    match value {
        Value::Number(number) if number.is_f64() => return None,
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                canonical(item, out)?;
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by(|a, b| a.0.encode_utf16().cmp(b.0.encode_utf16()));
            out.push('{');
            for (index, (name, member)) in members.into_iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                out.push_str(&serde_json::to_string(name).ok()?);
                out.push(':');
                canonical(member, out)?;
            }
            out.push('}');
        }
        other => out.push_str(&other.to_string()),
    }
    Some(())
}

fn text(object: &Value, name: &str) -> Option<String> {
    let text: String = object.get(name)?.as_str()?.chars().take(LONGEST).collect();
    (!text.is_empty()).then_some(text)
}

fn is_date(text: &str) -> bool {
    time::Date::parse(text, &time::macros::format_description!("[year]-[month]-[day]")).is_ok()
}

fn gender(text: &str) -> Option<String> {
    Gender::of_letter(text).map(|gender| gender.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::seal::tests::signer;
    use proptest::prelude::*;
    use serde_json::json;

    fn sealed() -> (tempfile::TempDir, Value) {
        let (folder, sign) = signer("UTO");
        let data = json!({
            "msg": {"pid": {"n": "ERIKSSON ANNA", "dob": "1974-08-12", "sex": "F", "i": "L898902C3"}, "ver": 1},
            "hdr": {"v": 1, "t": "icao.vacc", "is": "JPN"},
        });
        let mut message = String::new();
        canonical(&data, &mut message).unwrap();
        let certificate = std::fs::read(folder.path().join("UTO.der")).unwrap();
        let sig = json!({
            "alg": "ES256",
            "cer": URL_SAFE_NO_PAD.encode(certificate),
            "sigvl": URL_SAFE_NO_PAD.encode(sign(message.as_bytes())),
        });
        (folder, json!({"data": data, "sig": sig}))
    }

    fn read(seal: &Value, known: &Certificates) -> CodeReading {
        reading(seal.to_string().as_bytes(), Side::Front, known).unwrap()
    }

    #[test]
    fn names_are_sorted_and_nothing_stands_between() {
        let mut out = String::new();
        canonical(&json!({"b": [1, {"z": null, "a": "é\n"}], "a": true}), &mut out).unwrap();
        assert_eq!(out, "{\"a\":true,\"b\":[1,{\"a\":\"é\\n\",\"z\":null}]}");
    }

    #[test]
    fn a_seal_is_read_and_its_signature_checked_by_an_installed_certificate_alone() {
        let (folder, seal) = sealed();
        let known = Certificates::load(folder.path());
        let found = read(&seal, &known);
        assert_eq!(
            (found.signature, found.issuer.as_deref()),
            (Signature::Valid, Some("JPN"))
        );
        let of = |name| {
            found
                .fields
                .iter()
                .find(|f| f.name == name)
                .and_then(|f| f.normalized.clone())
        };
        assert_eq!(of(FieldName::BirthDate).as_deref(), Some("1974-08-12"));
        assert_eq!(of(FieldName::Gender).as_deref(), Some("female"));
        assert_eq!(read(&seal, &Certificates::default()).signature, Signature::NotChecked);

        let mut changed = seal.clone();
        changed["data"]["msg"]["pid"]["n"] = json!("ERIKSSON BERTA");
        assert_eq!(read(&changed, &known).signature, Signature::Invalid);
    }

    proptest! {
        #[test]
        fn any_text_is_a_seal_or_none(text in ".{0,300}", t in "icao.{0,9}", n in ".{0,300}") {
            reading(text.as_bytes(), Side::Back, &Certificates::default());
            let seal = json!({"data": {"hdr": {"t": t, "is": n}, "msg": {"pid": {"n": n, "dob": n}}}, "sig": {"cer": n, "sigvl": n}});
            let found = reading(seal.to_string().as_bytes(), Side::Back, &Certificates::default());
            for field in found.into_iter().flat_map(|code| code.fields) {
                prop_assert!(field.text.unwrap().chars().count() <= LONGEST);
            }
        }
    }
}
