//! The provider's public keys (RFC 7517) and the signatures that they verify (RFC 7518).

use super::invalid_token::InvalidToken;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::signature::{
    self, ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RsaParameters, RsaPublicKeyComponents,
    UnparsedPublicKey, VerificationAlgorithm,
};
use serde::Deserialize;

/// An asymmetric signature algorithm. There is no other kind here: a token signed with the client's secret, or with nothing, is
/// refused before a key is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Algorithm {
    Rs256,
    Rs384,
    Rs512,
    Ps256,
    Ps384,
    Ps512,
    Es256,
    Es384,
    EdDsa,
}

impl Algorithm {
    const ALL: [(&'static str, Self); 9] = [
        ("RS256", Self::Rs256),
        ("RS384", Self::Rs384),
        ("RS512", Self::Rs512),
        ("PS256", Self::Ps256),
        ("PS384", Self::Ps384),
        ("PS512", Self::Ps512),
        ("ES256", Self::Es256),
        ("ES384", Self::Es384),
        ("EdDSA", Self::EdDsa),
    ];

    pub(super) fn parse(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, found)| *found)
    }

    /// The RSA scheme, for keys of 2048 bits and more.
    fn rsa(self) -> Option<&'static RsaParameters> {
        match self {
            Self::Rs256 => Some(&signature::RSA_PKCS1_2048_8192_SHA256),
            Self::Rs384 => Some(&signature::RSA_PKCS1_2048_8192_SHA384),
            Self::Rs512 => Some(&signature::RSA_PKCS1_2048_8192_SHA512),
            Self::Ps256 => Some(&signature::RSA_PSS_2048_8192_SHA256),
            Self::Ps384 => Some(&signature::RSA_PSS_2048_8192_SHA384),
            Self::Ps512 => Some(&signature::RSA_PSS_2048_8192_SHA512),
            Self::Es256 | Self::Es384 | Self::EdDsa => None,
        }
    }
}

/// A key as the provider publishes it.
#[derive(Deserialize)]
struct Jwk {
    kty: String,
    kid: Option<String>,
    #[serde(rename = "use")]
    used_for: Option<String>,
    alg: Option<String>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

#[derive(Clone, Debug)]
enum Public {
    Rsa { n: Vec<u8>, e: Vec<u8> },
    P256(Vec<u8>),
    P384(Vec<u8>),
    Ed25519(Vec<u8>),
}

#[derive(Clone, Debug)]
struct Key {
    id: Option<String>,
    /// The only algorithm it is for, if the provider says so.
    algorithm: Option<Algorithm>,
    public: Public,
}

/// The keys of a provider. Those of unknown kinds are left out.
#[derive(Clone, Debug, Default)]
pub(super) struct Keys(Vec<Key>);

#[derive(Deserialize)]
struct Set {
    keys: Vec<serde_json::Value>,
}

impl Keys {
    /// From a JWK set.
    pub(super) fn parse(json: &[u8]) -> Result<Self, serde_json::Error> {
        let set: Set = serde_json::from_slice(json)?;
        let keys = set.keys.into_iter().filter_map(|key| serde_json::from_value(key).ok());
        Ok(Self(keys.filter_map(usable).collect()))
    }

    /// Checks a signature with the key named `id`, or with whichever fits if the token names none.
    pub(super) fn verify(
        &self,
        algorithm: Algorithm,
        id: Option<&str>,
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), InvalidToken> {
        let mut fault = InvalidToken::UnknownKey;
        for key in &self.0 {
            let named = id.is_none_or(|id| key.id.as_deref() == Some(id));
            if !named || key.algorithm.is_some_and(|only| only != algorithm) {
                continue;
            }
            match key.public.verify(algorithm, message, signature) {
                Some(true) => return Ok(()),
                Some(false) => fault = InvalidToken::Signature,
                None => {}
            }
        }
        Err(fault)
    }
}

impl Public {
    /// `None` if the algorithm needs another kind of key.
    fn verify(&self, algorithm: Algorithm, message: &[u8], signature: &[u8]) -> Option<bool> {
        let fixed = |algorithm: &'static dyn VerificationAlgorithm, point: &[u8]| {
            let key = UnparsedPublicKey::new(algorithm, point);
            Some(key.verify(message, signature).is_ok())
        };
        match (self, algorithm) {
            (Self::Rsa { n, e }, _) => {
                let key = RsaPublicKeyComponents { n, e };
                Some(key.verify(algorithm.rsa()?, message, signature).is_ok())
            }
            (Self::P256(point), Algorithm::Es256) => fixed(&ECDSA_P256_SHA256_FIXED, point),
            (Self::P384(point), Algorithm::Es384) => fixed(&ECDSA_P384_SHA384_FIXED, point),
            (Self::Ed25519(point), Algorithm::EdDsa) => fixed(&ED25519, point),
            _ => None,
        }
    }
}

fn usable(jwk: Jwk) -> Option<Key> {
    if jwk.used_for.as_deref().is_some_and(|used_for| used_for != "sig") {
        return None;
    }
    let bytes = |value: &Option<String>| URL_SAFE_NO_PAD.decode(value.as_deref()?).ok();
    // An uncompressed point (SEC 1, section 2.3.3).
    let point = |length: usize| {
        let (x, y) = (bytes(&jwk.x)?, bytes(&jwk.y)?);
        (x.len() == length && y.len() == length).then(|| [&[4], &*x, &*y].concat())
    };
    let public = match (jwk.kty.as_str(), jwk.crv.as_deref()) {
        ("RSA", _) => {
            let n = bytes(&jwk.n)?;
            let zeros = n.iter().take_while(|byte| **byte == 0).count();
            Public::Rsa {
                n: n[zeros..].to_vec(),
                e: bytes(&jwk.e)?,
            }
        }
        ("EC", Some("P-256")) => Public::P256(point(32)?),
        ("EC", Some("P-384")) => Public::P384(point(48)?),
        ("OKP", Some("Ed25519")) => Public::Ed25519(bytes(&jwk.x)?),
        _ => return None,
    };
    let algorithm = match &jwk.alg {
        Some(name) => Some(Algorithm::parse(name)?),
        None => None,
    };
    Some(Key {
        id: jwk.kid,
        algorithm,
        public,
    })
}

#[cfg(test)]
mod tests;
