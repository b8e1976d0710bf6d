//! Standard Webhooks signatures: HMAC-SHA256 over `id.timestamp.body`, written as `v1,` and base64; one for each active secret.

use base64::{Engine, engine::general_purpose::STANDARD as BASE64};
use domain::{ids::EventId, secret::Secret, time::Timestamp};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// Prefix of a secret in text form.
const SECRET_PREFIX: &str = "whsec_";

/// A new secret's length in bytes.
pub(crate) const SECRET_BYTES: usize = 32;

/// A signing secret's bytes.
#[derive(Clone, Debug)]
pub struct SigningSecret(Secret<Vec<u8>>);

impl SigningSecret {
    /// Wraps a secret's bytes.
    #[must_use]
    pub const fn new(bytes: Secret<Vec<u8>>) -> Self {
        Self(bytes)
    }

    /// The secret as it is shown, once: `whsec_` and base64.
    #[must_use]
    pub fn to_text(&self) -> Secret<String> {
        Secret::new(format!("{SECRET_PREFIX}{}", BASE64.encode(self.0.expose())))
    }

    /// Parses a secret as it is shown.
    #[must_use]
    pub fn parse(text: &Secret<String>) -> Option<Self> {
        let bytes = BASE64.decode(text.expose().strip_prefix(SECRET_PREFIX)?).ok()?;
        (!bytes.is_empty()).then(|| Self(Secret::new(bytes)))
    }

    /// The signature of one request, with its `v1,`.
    #[must_use]
    pub fn sign(&self, id: &str, timestamp: i64, body: &[u8]) -> String {
        format!(
            "v1,{}",
            BASE64.encode(self.mac(id, timestamp, body).finalize().into_bytes())
        )
    }

    /// Whether `signature`, base64 without its `v1,`, is valid for this secret; compared in constant time.
    #[must_use]
    pub fn verifies(&self, signature: &str, id: &str, timestamp: i64, body: &[u8]) -> bool {
        BASE64
            .decode(signature)
            .is_ok_and(|bytes| self.mac(id, timestamp, body).verify_slice(&bytes).is_ok())
    }

    /// Whether `signature`, without its `v1,`, is well formed.
    #[must_use]
    pub fn is_well_formed(signature: &str) -> bool {
        BASE64.decode(signature).is_ok_and(|bytes| bytes.len() == 32)
    }

    fn mac(&self, id: &str, timestamp: i64, body: &[u8]) -> Hmac<Sha256> {
        // HMAC takes keys of any length, so this cannot fail.
        #[expect(clippy::expect_used, reason = "HMAC takes keys of any length")]
        let mut mac = Hmac::<Sha256>::new_from_slice(self.0.expose()).expect("any length is a key");
        mac.update(id.as_bytes());
        mac.update(b".");
        mac.update(timestamp.to_string().as_bytes());
        mac.update(b".");
        mac.update(body);
        mac
    }
}

/// A request ready to be sent: the body and its headers.
#[derive(Clone, PartialEq, Eq)]
pub struct SignedRequest {
    /// `webhook-id`.
    pub id: EventId,
    /// `webhook-timestamp`, in seconds.
    pub timestamp: i64,
    /// `webhook-signature`: one signature for each secret, separated by spaces.
    pub signature: String,
    /// The exact bytes that are signed and sent.
    pub body: Vec<u8>,
}

impl SignedRequest {
    /// Signs `body` at `now` with every secret.
    #[must_use]
    pub fn new(id: EventId, now: Timestamp, body: Vec<u8>, secrets: &[SigningSecret]) -> Self {
        let timestamp = now.as_seconds();
        let signatures: Vec<String> = secrets
            .iter()
            .map(|secret| secret.sign(id.as_str(), timestamp, &body))
            .collect();
        Self {
            id,
            timestamp,
            signature: signatures.join(" "),
            body,
        }
    }
}

/// The body may contain a note and metadata, which are never logged.
impl std::fmt::Debug for SignedRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SignedRequest({}, {})", self.id, self.timestamp)
    }
}

#[cfg(test)]
mod tests;
