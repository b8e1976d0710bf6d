//! The relying party's side of W3C Web Authentication, level 3, section 7: checks of a registration and of an assertion. Pure: the
//! challenges and credentials are stored by the callers. Attestation is not asked for and not looked at: which authenticator a
//! person uses is their choice.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ciborium::Value;
use ring::signature::{
    ECDSA_P256_SHA256_ASN1, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use url::Url;

/// COSE algorithm identifiers that are accepted, preferred ones first: ES256, EdDSA with Ed25519, RS256.
pub const ALGORITHMS: [i64; 3] = [-7, -8, -257];

/// Why a response of an authenticator was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
    /// Not in the form of the standard.
    #[error("the response is malformed")]
    Malformed,
    /// Made for another purpose, site or page.
    #[error("the response was made for another site or purpose")]
    Foreign,
    /// The authenticator did not verify the person.
    #[error("the authenticator did not verify the user")]
    NotVerified,
    /// A kind of key that is not accepted.
    #[error("the kind of key is not supported")]
    Algorithm,
    /// The signature is wrong.
    #[error("the signature is wrong")]
    Signature,
    /// The counter went back: there may be a copy of the key.
    #[error("the signature counter went back")]
    Cloned,
}

/// What a response is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// `webauthn.create`.
    Register,
    /// `webauthn.get`.
    SignIn,
}

/// This installation as authenticators know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelyingParty {
    id: String,
    origin: String,
}

/// A key that was just registered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewKey {
    /// The credential id.
    pub id: Vec<u8>,
    /// The public key as a COSE key.
    pub public_key: Vec<u8>,
    /// The signature counter; always 0 with many authenticators.
    pub counter: u32,
}

#[derive(Deserialize)]
struct ClientData {
    #[serde(rename = "type")]
    kind: String,
    challenge: String,
    origin: String,
    #[serde(default, rename = "crossOrigin")]
    cross_origin: bool,
}

/// Authenticator data, level 3, section 6.1.
struct AuthenticatorData<'a> {
    counter: u32,
    /// Credential id and public key, if present.
    key: Option<(&'a [u8], &'a [u8])>,
}

/// Flags of the authenticator data.
const USER_PRESENT: u8 = 1;
const USER_VERIFIED: u8 = 1 << 2;
const HAS_KEY: u8 = 1 << 6;
/// Maximum length of a credential id in bytes (level 3, section 5.8.3).
const ID_LIMIT: usize = 1023;

impl RelyingParty {
    /// The relying party at `base_url`: its host is the id, and its origin is where pages may use it.
    #[must_use]
    pub fn at(base_url: &Url) -> Self {
        Self {
            id: base_url.host_str().unwrap_or_default().to_owned(),
            origin: base_url.origin().ascii_serialization(),
        }
    }

    /// The relying party id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The challenge that a response answers, after its purpose and origin are found to be right.
    ///
    /// # Errors
    /// [`Invalid::Malformed`] or [`Invalid::Foreign`].
    pub fn challenge(&self, client_data: &[u8], purpose: Purpose) -> Result<Vec<u8>, Invalid> {
        let client: ClientData = serde_json::from_slice(client_data).map_err(|_| Invalid::Malformed)?;
        let kind = match purpose {
            Purpose::Register => "webauthn.create",
            Purpose::SignIn => "webauthn.get",
        };
        if client.kind != kind || client.origin != self.origin || client.cross_origin {
            return Err(Invalid::Foreign);
        }
        URL_SAFE_NO_PAD.decode(client.challenge).map_err(|_| Invalid::Malformed)
    }

    /// The key of a registration whose client data was checked by [`RelyingParty::challenge`].
    ///
    /// # Errors
    /// [`Invalid`].
    pub fn register(&self, attestation_object: &[u8]) -> Result<NewKey, Invalid> {
        let object: Value = ciborium::from_reader(attestation_object).map_err(|_| Invalid::Malformed)?;
        let members = object.as_map().ok_or(Invalid::Malformed)?;
        let data = members.iter().find(|(name, _)| name.as_text() == Some("authData"));
        let data = data.and_then(|(_, data)| data.as_bytes()).ok_or(Invalid::Malformed)?;
        let data = self.authenticator_data(data)?;
        let (id, public_key) = data.key.ok_or(Invalid::Malformed)?;
        PublicKey::parse(public_key)?;
        Ok(NewKey {
            id: id.to_vec(),
            public_key: public_key.to_vec(),
            counter: data.counter,
        })
    }

    /// Checks an assertion whose client data was checked by [`RelyingParty::challenge`], by the stored key and counter. Returns the
    /// new counter.
    ///
    /// # Errors
    /// [`Invalid`].
    pub fn sign_in(
        &self,
        client_data: &[u8],
        authenticator_data: &[u8],
        signature: &[u8],
        (public_key, counter): (&[u8], u32),
    ) -> Result<u32, Invalid> {
        let data = self.authenticator_data(authenticator_data)?;
        let mut signed = authenticator_data.to_vec();
        signed.extend(Sha256::digest(client_data));
        PublicKey::parse(public_key)?.verify(&signed, signature)?;
        if (data.counter != 0 || counter != 0) && data.counter <= counter {
            return Err(Invalid::Cloned);
        }
        Ok(data.counter)
    }

    fn authenticator_data<'a>(&self, bytes: &'a [u8]) -> Result<AuthenticatorData<'a>, Invalid> {
        let (site, rest) = bytes.split_at_checked(32).ok_or(Invalid::Malformed)?;
        let (&flags, rest) = rest.split_first().ok_or(Invalid::Malformed)?;
        let (counter, rest) = rest.split_first_chunk::<4>().ok_or(Invalid::Malformed)?;
        if site != &Sha256::digest(&self.id)[..] {
            return Err(Invalid::Foreign);
        }
        if flags & USER_PRESENT == 0 || flags & USER_VERIFIED == 0 {
            return Err(Invalid::NotVerified);
        }
        let key = if flags & HAS_KEY == 0 {
            None
        } else {
            // The authenticator's model comes first; it is ignored.
            let (_, rest) = rest.split_at_checked(16).ok_or(Invalid::Malformed)?;
            let (length, rest) = rest.split_first_chunk::<2>().ok_or(Invalid::Malformed)?;
            let length = usize::from(u16::from_be_bytes(*length));
            if length == 0 || length > ID_LIMIT {
                return Err(Invalid::Malformed);
            }
            let (id, rest) = rest.split_at_checked(length).ok_or(Invalid::Malformed)?;
            Some((id, one_item(rest)?))
        };
        Ok(AuthenticatorData {
            counter: u32::from_be_bytes(*counter),
            key,
        })
    }
}

/// The bytes of the first CBOR item: extensions may follow it.
fn one_item(bytes: &[u8]) -> Result<&[u8], Invalid> {
    let mut rest = bytes;
    ciborium::from_reader::<Value, _>(&mut rest).map_err(|_| Invalid::Malformed)?;
    bytes.get(..bytes.len() - rest.len()).ok_or(Invalid::Malformed)
}

/// A public key of one of [`ALGORITHMS`].
enum PublicKey {
    /// Uncompressed point on P-256.
    Es256(Vec<u8>),
    /// Ed25519.
    Ed25519(Vec<u8>),
    /// Modulus and exponent.
    Rs256(Vec<u8>, Vec<u8>),
}

impl PublicKey {
    /// From a COSE key (RFC 9053, sections 7.1.1 and 7.2; RFC 8230, section 4).
    fn parse(cose: &[u8]) -> Result<Self, Invalid> {
        let key: Value = ciborium::from_reader(cose).map_err(|_| Invalid::Malformed)?;
        let members = key.as_map().ok_or(Invalid::Malformed)?;
        let member = |label: i64| {
            let labelled = |name: &Value| name.as_integer().is_some_and(|name| name == label.into());
            members.iter().find(|(name, _)| labelled(name)).map(|(_, value)| value)
        };
        let number = |label| {
            let found = member(label).and_then(Value::as_integer);
            found.and_then(|value| i64::try_from(value).ok())
        };
        let bytes = |label| member(label).and_then(Value::as_bytes).ok_or(Invalid::Malformed);
        // Key type, algorithm, curve.
        match (number(1), number(3), number(-1)) {
            (Some(2), Some(-7), Some(1)) => {
                let (x, y) = (bytes(-2)?, bytes(-3)?);
                if x.len() != 32 || y.len() != 32 {
                    return Err(Invalid::Malformed);
                }
                Ok(Self::Es256([&[4], &x[..], &y[..]].concat()))
            }
            (Some(1), Some(-8), Some(6)) => Ok(Self::Ed25519(bytes(-2)?.clone())),
            (Some(3), Some(-257), _) => Ok(Self::Rs256(bytes(-1)?.clone(), bytes(-2)?.clone())),
            _ => Err(Invalid::Algorithm),
        }
    }

    fn verify(&self, signed: &[u8], signature: &[u8]) -> Result<(), Invalid> {
        let verified = match self {
            Self::Es256(point) => UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, point).verify(signed, signature),
            Self::Ed25519(point) => UnparsedPublicKey::new(&ED25519, point).verify(signed, signature),
            Self::Rs256(n, e) => {
                let key = RsaPublicKeyComponents { n, e };
                key.verify(&RSA_PKCS1_2048_8192_SHA256, signed, signature)
            }
        };
        verified.map_err(|_| Invalid::Signature)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ring::{
        rand::SystemRandom,
        signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _},
    };

    const CHALLENGE: &[u8] = b"0123456789abcdef";

    fn party() -> RelyingParty {
        RelyingParty::at(&"https://id.example/".parse().unwrap())
    }

    fn client_data(kind: &str, origin: &str, more: &str) -> Vec<u8> {
        let challenge = URL_SAFE_NO_PAD.encode(CHALLENGE);
        format!(r#"{{"type":"{kind}","challenge":"{challenge}","origin":"{origin}"{more}}}"#).into_bytes()
    }

    fn authenticator_data(site: &str, flags: u8, counter: u32, key: &[u8]) -> Vec<u8> {
        [&Sha256::digest(site)[..], &[flags], &counter.to_be_bytes(), key].concat()
    }

    fn cbor(value: &Value) -> Vec<u8> {
        let mut bytes = Vec::new();
        ciborium::into_writer(value, &mut bytes).unwrap();
        bytes
    }

    fn cose(members: Vec<(i64, Value)>) -> Vec<u8> {
        let members = members.into_iter().map(|(label, value)| (label.into(), value));
        cbor(&Value::Map(members.collect()))
    }

    fn es256() -> (EcdsaKeyPair, Vec<u8>) {
        let random = SystemRandom::new();
        let made = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, made.as_ref(), &random).unwrap();
        let point = pair.public_key().as_ref();
        let (x, y) = (point[1..33].to_vec(), point[33..].to_vec());
        let key = vec![
            (1, 2.into()),
            (3, (-7).into()),
            (-1, 1.into()),
            (-2, Value::Bytes(x)),
            (-3, Value::Bytes(y)),
        ];
        let key = cose(key);
        (pair, key)
    }

    fn attested(id: &[u8], key: &[u8]) -> Vec<u8> {
        let length = u16::try_from(id.len()).unwrap().to_be_bytes();
        [&[9; 16][..], &length, id, key].concat()
    }

    fn attestation(data: Vec<u8>) -> Vec<u8> {
        cbor(&Value::Map(vec![
            ("fmt".into(), "none".into()),
            ("attStmt".into(), Value::Map(Vec::new())),
            ("authData".into(), Value::Bytes(data)),
        ]))
    }

    #[test]
    fn the_challenge_of_this_site_and_purpose_is_read_and_no_other() {
        let (create, get, here) = ("webauthn.create", "webauthn.get", "https://id.example");
        let read = |data: &[u8], purpose| party().challenge(data, purpose);
        assert_eq!(
            read(&client_data(get, here, ""), Purpose::SignIn),
            Ok(CHALLENGE.to_vec())
        );
        for (data, wrong) in [
            (client_data(create, here, ""), Invalid::Foreign),
            (client_data(get, "https://evil.example", ""), Invalid::Foreign),
            (client_data(get, "http://id.example", ""), Invalid::Foreign),
            (client_data(get, here, r#","crossOrigin":true"#), Invalid::Foreign),
            (b"{}".to_vec(), Invalid::Malformed),
        ] {
            assert_eq!(read(&data, Purpose::SignIn), Err(wrong));
        }
    }

    #[test]
    fn a_registered_key_signs_in_and_nothing_changed_does() {
        let (pair, key) = es256();
        let data = authenticator_data("id.example", 0b0100_0101, 0, &attested(b"credential", &key));
        let made = party().register(&attestation(data)).unwrap();
        assert_eq!(
            made,
            NewKey {
                id: b"credential".to_vec(),
                public_key: key.clone(),
                counter: 0
            }
        );
        let client = client_data("webauthn.get", "https://id.example", "");
        let sign = |data: &[u8]| {
            let signed = [data, &Sha256::digest(&client)[..]].concat();
            pair.sign(&SystemRandom::new(), &signed).unwrap().as_ref().to_vec()
        };
        let check = |data: &[u8], signature: &[u8], counter| {
            party().sign_in(&client, data, signature, (&made.public_key, counter))
        };
        let data = authenticator_data("id.example", 0b101, 7, &[]);
        assert_eq!(check(&data, &sign(&data), 6), Ok(7));
        assert_eq!(check(&data, &sign(&data), 7), Err(Invalid::Cloned));
        let still = authenticator_data("id.example", 0b101, 0, &[]);
        assert_eq!(
            check(&still, &sign(&still), 0),
            Ok(0),
            "an authenticator without a counter"
        );
        assert_eq!(check(&still, &sign(&still), 3), Err(Invalid::Cloned));
        let other = authenticator_data("id.example", 0b101, 8, &[]);
        assert_eq!(check(&other, &sign(&data), 6), Err(Invalid::Signature));
        for (data, wrong) in [
            (authenticator_data("evil.example", 0b101, 8, &[]), Invalid::Foreign),
            (authenticator_data("id.example", 0b001, 8, &[]), Invalid::NotVerified),
            (authenticator_data("id.example", 0b100, 8, &[]), Invalid::NotVerified),
            (data[..36].to_vec(), Invalid::Malformed),
        ] {
            assert_eq!(check(&data, &sign(&data), 6), Err(wrong));
        }
        let (_, another) = es256();
        let refused = party().sign_in(&client, &data, &sign(&data), (&another, 6));
        assert_eq!(refused, Err(Invalid::Signature));
    }

    #[test]
    fn ed25519_keys_sign_in_and_weak_kinds_of_keys_are_refused() {
        let made = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        let pair = Ed25519KeyPair::from_pkcs8(made.as_ref()).unwrap();
        let point = Value::Bytes(pair.public_key().as_ref().to_vec());
        let key = |algorithm: i64| {
            cose(vec![
                (1, 1.into()),
                (3, algorithm.into()),
                (-1, 6.into()),
                (-2, point.clone()),
            ])
        };
        let client = client_data("webauthn.get", "https://id.example", "");
        let data = authenticator_data("id.example", 0b101, 1, &[]);
        let signature = pair.sign(&[&data[..], &Sha256::digest(&client)[..]].concat());
        let signed_in = party().sign_in(&client, &data, signature.as_ref(), (&key(-8), 0));
        assert_eq!(signed_in, Ok(1));
        // RS1, which uses SHA-1.
        let refused = party().sign_in(&client, &data, signature.as_ref(), (&key(-65_535), 0));
        assert_eq!(refused, Err(Invalid::Algorithm));
    }

    #[test]
    fn a_registration_that_is_cut_off_or_padded_is_refused_or_read_the_same() {
        let (_, key) = es256();
        let whole = authenticator_data("id.example", 0b0100_0101, 0, &attested(b"credential", &key));
        for end in 0..whole.len() {
            assert!(party().register(&attestation(whole[..end].to_vec())).is_err(), "{end}");
        }
        // Extensions follow the key.
        let extended = [&whole[..], &cbor(&Value::Map(Vec::new()))].concat();
        assert_eq!(party().register(&attestation(extended)).unwrap().public_key, key);
        let unverified = authenticator_data("id.example", 0b0100_0001, 0, &attested(b"credential", &key));
        assert_eq!(party().register(&attestation(unverified)), Err(Invalid::NotVerified));
        let keyless = authenticator_data("id.example", 0b101, 0, &[]);
        assert_eq!(party().register(&attestation(keyless)), Err(Invalid::Malformed));
    }
}
