//! The master key as an HTTPS service answers with it.

use super::{LONGEST, MasterKeyError, read};
use crate::{config::KeyService, http_client::Client};
use bytes::Bytes;
use http::StatusCode;
use std::time::Duration;
use zeroize::{Zeroize as _, Zeroizing};

/// Pauses between attempts: a service that is being restarted answers within a minute.
const PAUSES: [Duration; 4] = [
    Duration::from_secs(1),
    Duration::from_secs(3),
    Duration::from_secs(10),
    Duration::from_secs(30),
];

/// Asks the service, several times if it does not respond.
///
/// # Errors
/// [`MasterKeyError::Service`], or if the token cannot be read.
pub(super) async fn ask(service: &KeyService) -> Result<Zeroizing<String>, MasterKeyError> {
    ask_with(service, &PAUSES).await
}

pub(super) async fn ask_with(service: &KeyService, pauses: &[Duration]) -> Result<Zeroizing<String>, MasterKeyError> {
    let client = Client::new(service.ca_file.as_deref())
        .map_err(|error| MasterKeyError::Service(format!("cannot be asked: {error}")))?;
    let mut pauses = pauses.iter();
    loop {
        let reason = match once(service, &client).await {
            Ok(text) => return Ok(text),
            Err(NoKey::Final(error)) => return Err(error),
            Err(NoKey::Temporary(reason)) => reason,
        };
        let Some(pause) = pauses.next() else {
            return Err(MasterKeyError::Service(reason));
        };
        tracing::warn!(reason, "the key service does not answer; trying again");
        tokio::time::sleep(*pause).await;
    }
}

/// Why an attempt brought no key.
enum NoKey {
    /// Worth another attempt.
    Temporary(String),
    /// Another attempt would end the same.
    Final(MasterKeyError),
}

impl NoKey {
    /// The service's answer, which `reason` describes, will not be another.
    fn answered(reason: impl Into<String>) -> Self {
        Self::Final(MasterKeyError::Service(reason.into()))
    }
}

async fn once(service: &KeyService, client: &Client) -> Result<Zeroizing<String>, NoKey> {
    let mut headers = vec![("accept", Zeroizing::new("text/plain".to_owned()))];
    if let Some(path) = &service.token_file {
        headers.push(("authorization", bearer(&read(path).map_err(NoKey::Final)?)));
    }
    let answer = client
        .send("GET", &service.url, &headers, Vec::new())
        .await
        .map_err(|error| NoKey::Temporary(format!("does not respond: {error}")))?;
    match answer.status() {
        StatusCode::OK if answer.body().len() <= LONGEST => {
            text(answer.into_body()).ok_or_else(|| NoKey::answered("answered with something that is not text"))
        }
        StatusCode::OK => Err(NoKey::answered("answered with more than a key")),
        status if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS => {
            Err(NoKey::Temporary(format!("answered {status}")))
        }
        status => Err(NoKey::answered(format!("answered {status}"))),
    }
}

/// The header's value, in memory of its final size: growing would leave copies behind.
fn bearer(token: &str) -> Zeroizing<String> {
    const SCHEME: &str = "Bearer ";
    let token = token.trim();
    let mut value = Zeroizing::new(String::with_capacity(SCHEME.len() + token.len()));
    value.push_str(SCHEME);
    value.push_str(token);
    value
}

/// The text of an answer, which is wiped from where it arrived. The connection's own buffers are out of reach.
fn text(body: Bytes) -> Option<Zeroizing<String>> {
    let text = std::str::from_utf8(&body).ok();
    let text = text.map(|text| Zeroizing::new(text.to_owned()));
    if let Ok(mut body) = body.try_into_mut() {
        body.as_mut().zeroize();
    }
    text
}
