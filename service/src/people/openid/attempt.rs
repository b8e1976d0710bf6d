//! An attempt to sign in with the provider, kept by the browser in a sealed cookie until the provider sends it back. Nothing is stored
//! here before that, so that opening the page changes nothing, however often somebody does.

use crate::{Honnin, runtime::token};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use domain::{
    ids::UserId,
    secret::Secret,
    time::{Millis, Timestamp},
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use store::StoreError;
use subtle::ConstantTimeEq as _;
use url::Url;

/// How long after its beginning an attempt can be finished.
pub const LIFETIME: Millis = Millis::minutes(10);
/// What the cookie is sealed for.
const OWNER: &str = "openid";
const NAME: &str = "attempt";
/// Longest cookie that is looked at, in characters.
const LONGEST: usize = 4000;

/// What a person signs in at the provider for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To sign in here.
    SignIn,
    /// This person, who is signed in, has to prove again who they are.
    Confirm(UserId),
    /// To accept the invitation with this token.
    Join(String),
}

/// What begins an attempt.
#[derive(Clone, Debug)]
pub struct Begun {
    /// Where the browser goes.
    pub location: Url,
    /// The value of its cookie.
    pub cookie: Secret<String>,
}

/// An attempt.
pub(super) struct Attempt {
    secret: String,
    pub(super) purpose: Purpose,
    /// Where to continue afterwards.
    pub(super) next: String,
    pub(super) begun_at: Timestamp,
}

/// An attempt in the cookie.
#[derive(Deserialize, Serialize)]
struct Kept {
    secret: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    confirm: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    join: Option<String>,
    next: String,
    begun_at: i64,
}

impl Attempt {
    pub(super) fn new(honnin: &Honnin, purpose: Purpose, next: &str) -> Self {
        Self {
            secret: token::generate(&*honnin.random).expose().clone(),
            purpose,
            next: next.to_owned(),
            begun_at: honnin.now(),
        }
    }

    /// A value that only this browser can know. One secret gives them all, none of which gives away another.
    fn derived(&self, what: &str) -> String {
        URL_SAFE_NO_PAD.encode(Sha256::digest(format!("{what}\n{}", self.secret)))
    }

    pub(super) fn state(&self) -> String {
        self.derived("state")
    }

    pub(super) fn nonce(&self) -> String {
        self.derived("nonce")
    }

    /// The code verifier (RFC 7636).
    pub(super) fn verifier(&self) -> String {
        self.derived("verifier")
    }

    pub(super) fn code_challenge(&self) -> String {
        URL_SAFE_NO_PAD.encode(Sha256::digest(self.verifier()))
    }

    /// The cookie.
    pub(super) async fn seal(&self, honnin: &Honnin) -> Result<Secret<String>, StoreError> {
        let (confirm, join) = match &self.purpose {
            Purpose::SignIn => (None, None),
            Purpose::Confirm(user) => (Some(user.to_string()), None),
            Purpose::Join(token) => (None, Some(token.clone())),
        };
        let kept = Kept {
            secret: self.secret.clone(),
            confirm,
            join,
            next: self.next.clone(),
            begun_at: self.begun_at.as_millis(),
        };
        let json = serde_json::to_vec(&kept).map_err(|_| StoreError::Corrupt("an attempt that is not JSON"))?;
        let sealed = honnin.vault.seal_secret(OWNER, NAME, &json).await?;
        Ok(Secret::new(URL_SAFE_NO_PAD.encode(sealed)))
    }

    /// The attempt of the browser with this cookie, if it was begun by it, is not too old, and has this state.
    pub(super) fn open(honnin: &Honnin, cookie: &str, state: &str) -> Option<Self> {
        if cookie.len() > LONGEST {
            return None;
        }
        let sealed = URL_SAFE_NO_PAD.decode(cookie).ok()?;
        let json = honnin.vault.open_secret(OWNER, NAME, &sealed).ok()?;
        let kept: Kept = serde_json::from_slice(json.expose()).ok()?;
        let purpose = match (kept.confirm, kept.join) {
            (Some(user), _) => Purpose::Confirm(UserId::parse(&user)?),
            (None, Some(token)) => Purpose::Join(token),
            (None, None) => Purpose::SignIn,
        };
        let attempt = Self {
            secret: kept.secret,
            purpose,
            next: kept.next,
            begun_at: Timestamp::from_millis(kept.begun_at),
        };
        let own = bool::from(attempt.state().as_bytes().ct_eq(state.as_bytes()));
        let in_time = attempt.begun_at.is_within(LIFETIME, honnin.now());
        (own && in_time).then_some(attempt)
    }
}
