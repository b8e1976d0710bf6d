//! ID tokens: whether a provider signed one, and whether it is the one that was asked for (OpenID Connect Core 1.0, section 3.1.3.7).
//! Pure. Signatures are verified by `ring`; the decision page 36 says why no library does the rest.

use super::{
    invalid_token::InvalidToken,
    keys::{Algorithm, Keys},
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use domain::time::{Millis, SKEW, Timestamp};
use serde::{Deserialize, de::DeserializeOwned};
use subtle::ConstantTimeEq as _;

/// A token is for now: an older one is refused even if it has not expired.
const OLDEST: Millis = Millis::minutes(10);
/// Longest `sub`, in ASCII characters (section 2).
const LONGEST_SUBJECT: usize = 255;

/// What a token must match.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expected<'a> {
    pub(super) issuer: &'a str,
    pub(super) client: &'a str,
    pub(super) nonce: &'a str,
    pub(super) now: Timestamp,
    /// For a step-up: the person must have proved who they are since.
    pub(super) authenticated_since: Option<Timestamp>,
}

/// What a token says about a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Person {
    /// The provider's name for them.
    pub(super) subject: String,
    /// Their e-mail address, if given.
    pub(super) email: Option<String>,
    /// Whether the provider says that the address is theirs.
    pub(super) email_verified: bool,
    /// When they authenticated, if given.
    pub(super) authenticated_at: Option<Timestamp>,
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
    /// Extensions that must be understood (RFC 7515, section 4.1.11). None is.
    crit: Option<serde_json::Value>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Audience {
    One(String),
    Many(Vec<String>),
}

#[derive(Deserialize)]
struct Claims {
    iss: String,
    sub: String,
    aud: Audience,
    azp: Option<String>,
    exp: f64,
    iat: f64,
    nbf: Option<f64>,
    nonce: Option<String>,
    auth_time: Option<f64>,
    email: Option<String>,
    #[serde(default)]
    email_verified: Verified,
}

/// A boolean, which some providers send as text.
#[derive(Default, Deserialize)]
#[serde(untagged)]
enum Verified {
    Flag(bool),
    Text(String),
    #[default]
    Absent,
}

/// Seconds since the epoch, which may have a fraction.
fn at(seconds: f64) -> Result<Timestamp, InvalidToken> {
    // The year 9999. A cast saturates, but a time that far away is no time.
    if !(0.0..=253_402_300_799.0).contains(&seconds) {
        return Err(InvalidToken::Time);
    }
    Ok(Timestamp::from_millis((seconds * 1000.0) as i64))
}

fn decoded(part: &str) -> Result<Vec<u8>, InvalidToken> {
    URL_SAFE_NO_PAD.decode(part).map_err(|_| InvalidToken::Malformed)
}

fn json<T: DeserializeOwned>(part: &str) -> Result<T, InvalidToken> {
    serde_json::from_slice(&decoded(part)?).map_err(|_| InvalidToken::Malformed)
}

/// The person a token is about.
///
/// # Errors
/// [`InvalidToken`]. After [`InvalidToken::UnknownKey`], newer keys may verify it.
pub(super) fn verify(token: &str, keys: &Keys, expected: &Expected<'_>) -> Result<Person, InvalidToken> {
    let (signed, signature) = token.rsplit_once('.').ok_or(InvalidToken::Malformed)?;
    let (head, body) = signed.split_once('.').ok_or(InvalidToken::Malformed)?;
    let header: Header = json(head)?;
    if header.crit.is_some() {
        return Err(InvalidToken::Malformed);
    }
    let algorithm = Algorithm::parse(&header.alg).ok_or(InvalidToken::Algorithm)?;
    keys.verify(
        algorithm,
        header.kid.as_deref(),
        signed.as_bytes(),
        &decoded(signature)?,
    )?;
    accept(json(body)?, expected)
}

fn accept(claims: Claims, expected: &Expected<'_>) -> Result<Person, InvalidToken> {
    if claims.iss != expected.issuer {
        return Err(InvalidToken::Issuer);
    }
    check_audience(&claims, expected.client)?;
    check_times(&claims, expected.now)?;
    let nonce = claims.nonce.as_deref().unwrap_or_default();
    if !bool::from(nonce.as_bytes().ct_eq(expected.nonce.as_bytes())) {
        return Err(InvalidToken::Nonce);
    }
    if claims.sub.is_empty() || claims.sub.len() > LONGEST_SUBJECT || !claims.sub.is_ascii() {
        return Err(InvalidToken::Malformed);
    }
    let authenticated_at = claims.auth_time.map(at).transpose()?;
    if let Some(since) = expected.authenticated_since
        && authenticated_at.is_none_or(|at| at.plus(SKEW) < since)
    {
        return Err(InvalidToken::NotFresh);
    }
    Ok(Person {
        subject: claims.sub,
        email: claims.email,
        email_verified: match claims.email_verified {
            Verified::Flag(verified) => verified,
            Verified::Text(text) => text == "true",
            Verified::Absent => false,
        },
        authenticated_at,
    })
}

/// The token is for this client and was requested by it.
fn check_audience(claims: &Claims, client: &str) -> Result<(), InvalidToken> {
    let (listed, several) = match &claims.aud {
        Audience::One(one) => (one == client, false),
        Audience::Many(many) => (many.iter().any(|one| one == client), many.len() > 1),
    };
    let requested = match &claims.azp {
        Some(party) => party == client,
        None => !several,
    };
    if listed && requested {
        Ok(())
    } else {
        Err(InvalidToken::Audience)
    }
}

fn check_times(claims: &Claims, now: Timestamp) -> Result<(), InvalidToken> {
    let (expires, issued) = (at(claims.exp)?, at(claims.iat)?);
    let begins = claims.nbf.map(at).transpose()?.unwrap_or(issued);
    let is_current = now < expires.plus(SKEW) && issued.max(begins) <= now.plus(SKEW) && now <= issued.plus(OLDEST);
    if is_current { Ok(()) } else { Err(InvalidToken::Time) }
}

#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod tests;
