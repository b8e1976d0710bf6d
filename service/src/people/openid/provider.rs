//! The installation's OpenID provider: where it is, what it publishes about itself, and what it answers.

use super::{
    invalid_token::InvalidToken,
    keys::Keys,
    token::{Expected, Person, verify},
};
use async_trait::async_trait;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use domain::{
    secret::Secret,
    time::{Millis, Timestamp},
};
use http::StatusCode;
use serde::{Deserialize, de::DeserializeOwned};
use std::{error::Error, sync::Arc};
use tokio::sync::Mutex;
use url::{Url, form_urlencoded};

/// How long metadata and keys are used. A key that the provider withdraws is refused after this time at the latest.
const KEPT: Millis = Millis::hours(1);

/// What the operator knows about the provider.
#[derive(Clone, Debug)]
pub struct ProviderConfig {
    /// Its issuer identifier, exactly as it writes it itself.
    pub issuer: String,
    /// Our id there.
    pub client_id: String,
    /// Our secret there; a public client has none.
    pub client_secret: Option<Secret<String>>,
    /// The name that buttons show.
    pub name: String,
    /// What is asked for: `openid` and more.
    pub scopes: Vec<String>,
    /// Whether its e-mail addresses are taken for verified although it does not say so.
    pub trusts_emails: bool,
}

/// Sends requests to the provider, and bounds its answers in size and time.
#[async_trait]
pub trait ProviderHttp: Send + Sync {
    /// Sends a request. Redirects are not followed.
    ///
    /// # Errors
    /// If there is no answer, or too large a one.
    async fn send(
        &self,
        method: &str,
        url: &Url,
        headers: &[(&str, String)],
        body: Vec<u8>,
    ) -> Result<(StatusCode, Bytes), Box<dyn Error + Send + Sync>>;
}

/// Why the provider's answer cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
pub(super) enum ProviderError {
    /// It does not answer, or not as the specification says.
    #[error("{0}")]
    Unreachable(String),
    /// It refused the code.
    #[error("the code was refused")]
    Code,
    /// Its token was not accepted.
    #[error("the token was refused: {0}")]
    Token(#[from] InvalidToken),
}

/// The provider's description of itself (OpenID Connect Discovery 1.0, section 3), as far as it is used.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Published {
    issuer: String,
    authorization_endpoint: Url,
    token_endpoint: Url,
    jwks_uri: Url,
    end_session_endpoint: Option<Url>,
    #[serde(default)]
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
}

impl Published {
    /// Parses the description, which must be of the provider that was asked and have no address without TLS.
    pub(super) fn parse(body: &[u8], issuer: &str) -> Result<Self, String> {
        let metadata: Self = json(body).map_err(|error| error.to_string())?;
        metadata.check(issuer)?;
        Ok(metadata)
    }

    fn check(&self, issuer: &str) -> Result<(), String> {
        if self.issuer != issuer {
            return Err(format!("it calls itself {:?} and not {issuer:?}", self.issuer));
        }
        if self.endpoints().all(is_allowed) {
            Ok(())
        } else {
            Err("an endpoint without TLS".into())
        }
    }

    /// Every address that requests or the browser are sent to.
    pub(super) fn endpoints(&self) -> impl Iterator<Item = &Url> {
        let always = [&self.authorization_endpoint, &self.token_endpoint, &self.jwks_uri];
        always.into_iter().chain(&self.end_session_endpoint)
    }
}

#[derive(Clone)]
struct Known {
    metadata: Published,
    keys: Keys,
    since: Timestamp,
}

/// The provider, with what it publishes.
pub struct Provider {
    config: ProviderConfig,
    http: Arc<dyn ProviderHttp>,
    known: Mutex<Option<Known>>,
}

/// What goes into the address that the browser is sent to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Question<'a> {
    pub(super) redirect_uri: &'a str,
    pub(super) state: &'a str,
    pub(super) nonce: &'a str,
    /// SHA-256 of the code verifier, base64url (RFC 7636).
    pub(super) code_challenge: &'a str,
    /// Whether the person must prove again who they are.
    pub(super) again: bool,
}

/// Whether requests may go to `url`: with TLS, or to this machine.
#[must_use]
pub fn is_allowed(url: &Url) -> bool {
    let here = match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    url.scheme() == "https" || (url.scheme() == "http" && here)
}

fn unreachable(what: &str, why: impl std::fmt::Display) -> ProviderError {
    ProviderError::Unreachable(format!("{what}: {why}"))
}

impl Provider {
    /// A provider that has not been asked anything yet.
    #[must_use]
    pub fn new(config: ProviderConfig, http: Arc<dyn ProviderHttp>) -> Self {
        Self {
            config,
            http,
            known: Mutex::new(None),
        }
    }

    /// What the operator knows about it.
    #[must_use]
    pub const fn config(&self) -> &ProviderConfig {
        &self.config
    }

    async fn get<T, E: std::fmt::Display>(
        &self,
        what: &str,
        url: &Url,
        parse: impl FnOnce(&[u8]) -> Result<T, E>,
    ) -> Result<T, ProviderError> {
        let accept = [("accept", "application/json".to_owned())];
        let answer = self.http.send("GET", url, &accept, Vec::new()).await;
        let (status, body) = answer.map_err(|error| unreachable(what, error))?;
        if status != StatusCode::OK {
            return Err(unreachable(what, status));
        }
        parse(&body).map_err(|error| unreachable(what, error))
    }

    /// What it publishes, asked for at most once an hour, and `anew` at once.
    async fn known(&self, now: Timestamp, anew: bool) -> Result<Known, ProviderError> {
        let mut known = self.known.lock().await;
        if let Some(known) = known.as_ref().filter(|known| !anew && now < known.since.plus(KEPT)) {
            return Ok(known.clone());
        }
        let metadata = self.metadata().await?;
        let keys = self.get("its keys", &metadata.jwks_uri, Keys::parse).await?;
        let found = Known {
            metadata,
            keys,
            since: now,
        };
        *known = Some(found.clone());
        Ok(found)
    }

    async fn metadata(&self) -> Result<Published, ProviderError> {
        const WHAT: &str = "its configuration";
        let issuer = &self.config.issuer;
        let address = format!("{}/.well-known/openid-configuration", issuer.trim_end_matches('/'));
        let address = Url::parse(&address).map_err(|error| unreachable(WHAT, error))?;
        self.get(WHAT, &address, |body| Published::parse(body, issuer)).await
    }

    /// Where the browser asks the person to sign in.
    pub(super) async fn ask(&self, now: Timestamp, question: Question<'_>) -> Result<Url, ProviderError> {
        let mut url = self.known(now, false).await?.metadata.authorization_endpoint;
        let scope = self.config.scopes.join(" ");
        url.query_pairs_mut().extend_pairs([
            ("response_type", "code"),
            ("client_id", &self.config.client_id),
            ("redirect_uri", question.redirect_uri),
            ("scope", &scope),
            ("state", question.state),
            ("nonce", question.nonce),
            ("code_challenge", question.code_challenge),
            ("code_challenge_method", "S256"),
        ]);
        if question.again {
            url.query_pairs_mut()
                .extend_pairs([("prompt", "login"), ("max_age", "0")]);
        }
        Ok(url)
    }

    /// Where a person signs out of it, if it publishes that.
    pub(super) async fn sign_out(&self, now: Timestamp, back: &str) -> Option<Url> {
        let mut url = self.known(now, false).await.ok()?.metadata.end_session_endpoint?;
        url.query_pairs_mut().extend_pairs([
            ("client_id", &*self.config.client_id),
            ("post_logout_redirect_uri", back),
        ]);
        Some(url)
    }

    /// Checks the `iss` beside the code (RFC 9207): an answer of another provider is refused before its code is sent anywhere.
    pub(super) async fn check_answer(&self, now: Timestamp, issuer: Option<&str>) -> Result<(), ProviderError> {
        let required = self
            .known(now, false)
            .await?
            .metadata
            .authorization_response_iss_parameter_supported;
        match issuer {
            Some(issuer) if issuer == self.config.issuer => Ok(()),
            None if !required => Ok(()),
            _ => Err(InvalidToken::Issuer.into()),
        }
    }

    /// The person who a code stands for.
    pub(super) async fn redeem(
        &self,
        code: &str,
        verifier: &str,
        redirect_uri: &str,
        expected: Expected<'_>,
    ) -> Result<Person, ProviderError> {
        let known = self.known(expected.now, false).await?;
        let token = self.exchange(&known.metadata, code, verifier, redirect_uri).await?;
        match verify(&token, &known.keys, &expected) {
            // It may have been signed with a key that is newer than what we know.
            Err(InvalidToken::UnknownKey) => {
                let keys = self.known(expected.now, true).await?.keys;
                Ok(verify(&token, &keys, &expected)?)
            }
            other => Ok(other?),
        }
    }

    /// The headers and the body of a request to the token endpoint, with our secret if there is one.
    fn code_request(
        &self,
        metadata: &Published,
        code: &str,
        verifier: &str,
        redirect_uri: &str,
    ) -> (Vec<(&'static str, String)>, Vec<u8>) {
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.extend_pairs([
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", redirect_uri),
            ("code_verifier", verifier),
        ]);
        let mut headers = vec![
            ("content-type", "application/x-www-form-urlencoded".to_owned()),
            ("accept", "application/json".to_owned()),
        ];
        match &self.config.client_secret {
            None => {
                form.append_pair("client_id", &self.config.client_id);
            }
            Some(secret) if accepts_basic(metadata) => {
                headers.push(("authorization", basic(&self.config.client_id, secret.expose())));
            }
            Some(secret) => {
                form.append_pair("client_id", &self.config.client_id);
                form.append_pair("client_secret", secret.expose());
            }
        }
        (headers, form.finish().into_bytes())
    }

    async fn exchange(
        &self,
        metadata: &Published,
        code: &str,
        verifier: &str,
        redirect_uri: &str,
    ) -> Result<String, ProviderError> {
        const WHAT: &str = "its token endpoint";
        let (headers, body) = self.code_request(metadata, code, verifier, redirect_uri);
        let answer = self.http.send("POST", &metadata.token_endpoint, &headers, body).await;
        let (status, body) = answer.map_err(|error| unreachable(WHAT, error))?;
        match status {
            // The error's own text could quote the token.
            StatusCode::OK => json::<Tokens>(&body)
                .map(|tokens| tokens.id_token)
                .map_err(|_| unreachable(WHAT, "no ID token")),
            // `invalid_grant` (RFC 6749, section 5.2): wrong, used before, or too old.
            StatusCode::BAD_REQUEST => match json::<Refusal>(&body) {
                Ok(refusal) if refusal.error == "invalid_grant" => Err(ProviderError::Code),
                Ok(refusal) => Err(unreachable(WHAT, format!("{status}, {:?}", refusal.error))),
                Err(_) => Err(unreachable(WHAT, status)),
            },
            status => Err(unreachable(WHAT, status)),
        }
    }
}

#[derive(Deserialize)]
struct Tokens {
    id_token: String,
}

#[derive(Deserialize)]
struct Refusal {
    error: String,
}

fn json<T: DeserializeOwned>(body: &[u8]) -> Result<T, serde_json::Error> {
    serde_json::from_slice(body)
}

/// `client_secret_basic` is the default where a provider lists nothing.
fn accepts_basic(metadata: &Published) -> bool {
    let methods = metadata.token_endpoint_auth_methods_supported.as_ref();
    methods.is_none_or(|methods| methods.iter().any(|method| method == "client_secret_basic"))
}

/// Both parts are form-encoded first (RFC 6749, section 2.3.1).
fn basic(id: &str, secret: &str) -> String {
    let encoded = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    format!(
        "Basic {}",
        STANDARD.encode(format!("{}:{}", encoded(id), encoded(secret)))
    )
}
