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
use http::{Response, StatusCode};
use serde::{Deserialize, de::DeserializeOwned};
use std::{
    error::Error,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use url::{Url, form_urlencoded};

/// How long metadata and keys are used. A key that the provider withdraws is refused after this time at the latest, if the provider can be
/// reached then.
const KEPT: Millis = Millis::hours(1);
/// How long they are used while the provider does not publish newer ones.
const KEPT_WITHOUT_IT: Millis = Millis::days(1);
/// Pause before it is asked again, while what it published before is used.
const PAUSE: Millis = Millis::seconds(30);
/// The same while there is nothing to use: somebody is waiting.
const SHORT_PAUSE: Millis = Millis::seconds(5);

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
    /// Whether its e-mail addresses are treated as verified although it does not say so.
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
    ) -> Result<Response<Bytes>, Box<dyn Error + Send + Sync>>;
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

/// What the provider has published, and how it went when it was asked the last time.
#[derive(Default)]
struct Memory {
    known: Option<Known>,
    failure: Option<ProviderError>,
    /// When it was asked, and for how long that is enough.
    last: Option<(Timestamp, Millis)>,
    /// How often it was asked.
    asked: u64,
}

impl Memory {
    /// What it published, unless that is too old to be used.
    fn usable(&self, now: Timestamp) -> Option<&Known> {
        self.known
            .as_ref()
            .filter(|known| now < known.since.plus(KEPT_WITHOUT_IT))
    }

    /// What is known without asking, if it need not be asked now.
    fn answer(&self, now: Timestamp) -> Option<Result<Known, ProviderError>> {
        // A clock that was set back does not prolong it.
        self.last.filter(|(at, pause)| *at <= now && now < at.plus(*pause))?;
        match (self.usable(now), &self.failure) {
            (Some(known), _) => Some(Ok(known.clone())),
            (None, Some(failure)) => Some(Err(failure.clone())),
            (None, None) => None,
        }
    }

    /// What it answered if it was asked more often than `asked` times.
    fn answered_since(&self, asked: u64) -> Option<Result<Known, ProviderError>> {
        if self.asked == asked {
            return None;
        }
        match &self.failure {
            Some(failure) => Some(Err(failure.clone())),
            None => self.known.clone().map(Ok),
        }
    }

    /// Remembers how it went.
    fn note(&mut self, now: Timestamp, found: Result<Known, ProviderError>) {
        let pause = match &found {
            Ok(_) => KEPT,
            Err(_) if self.usable(now).is_some() => PAUSE,
            Err(_) => SHORT_PAUSE,
        };
        self.last = Some((now, pause));
        self.asked += 1;
        match found {
            Ok(known) => (self.known, self.failure) = (Some(known), None),
            Err(failure) => self.failure = Some(failure),
        }
    }
}

/// The provider, with what it publishes.
pub struct Provider {
    config: ProviderConfig,
    http: Arc<dyn ProviderHttp>,
    memory: Mutex<Memory>,
    /// Held while it is asked, by one at a time.
    asking: tokio::sync::Mutex<()>,
}

/// What of the provider's publications is at hand.
struct Recalled {
    /// The answer, if it need not be asked now.
    answer: Option<Result<Known, ProviderError>>,
    /// What can be used if it does not answer.
    usable: Option<Known>,
}

/// What the token endpoint is sent in exchange for a code.
struct CodeRequest {
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
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
            memory: Mutex::default(),
            asking: tokio::sync::Mutex::default(),
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
        let answer = answer.map_err(|error| unreachable(what, error))?;
        if answer.status() != StatusCode::OK {
            return Err(unreachable(what, answer.status()));
        }
        parse(answer.body()).map_err(|error| unreachable(what, error))
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        // Nothing under the lock can panic.
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn recall(&self, now: Timestamp) -> Recalled {
        let memory = self.memory();
        Recalled {
            answer: memory.answer(now),
            usable: memory.usable(now).cloned(),
        }
    }

    /// What it publishes, asked for once an hour. While it is away, what it published before is used, and nobody but the one who asks
    /// waits for it.
    async fn known(&self, now: Timestamp) -> Result<Known, ProviderError> {
        let Recalled { answer, usable } = self.recall(now);
        if let Some(answer) = answer {
            return answer;
        }
        let _asking = match (self.asking.try_lock(), usable) {
            (Ok(asking), _) => asking,
            (Err(_), Some(known)) => return Ok(known),
            (Err(_), None) => self.asking.lock().await,
        };
        // A caller that had to wait gets the answer of the one before.
        if let Some(answer) = self.recall(now).answer {
            return answer;
        }
        let found = self.refresh(now).await;
        found.or_else(|failure| self.recall(now).usable.ok_or(failure))
    }

    /// What it publishes at this moment.
    async fn refreshed(&self, now: Timestamp) -> Result<Known, ProviderError> {
        let asked = self.memory().asked;
        let _asking = self.asking.lock().await;
        // Somebody else may have asked in the meantime.
        let answered = self.memory().answered_since(asked);
        match answered {
            Some(answer) => answer,
            None => self.refresh(now).await,
        }
    }

    /// Asks it, and remembers how that went.
    async fn refresh(&self, now: Timestamp) -> Result<Known, ProviderError> {
        let found = self.publication(now).await;
        self.memory().note(now, found.clone());
        found
    }

    async fn publication(&self, now: Timestamp) -> Result<Known, ProviderError> {
        let metadata = self.metadata().await?;
        let keys = self.get("its keys", &metadata.jwks_uri, Keys::parse).await?;
        Ok(Known {
            metadata,
            keys,
            since: now,
        })
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
        let mut url = self.known(now).await?.metadata.authorization_endpoint;
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
        let mut url = self.known(now).await.ok()?.metadata.end_session_endpoint?;
        url.query_pairs_mut().extend_pairs([
            ("client_id", &*self.config.client_id),
            ("post_logout_redirect_uri", back),
        ]);
        Some(url)
    }

    /// Checks the `iss` beside the code (RFC 9207): an answer of another provider is refused before its code is sent anywhere.
    pub(super) async fn check_answer(&self, now: Timestamp, issuer: Option<&str>) -> Result<(), ProviderError> {
        let required = self
            .known(now)
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
        let known = self.known(expected.now).await?;
        let token = self.exchange(&known.metadata, code, verifier, redirect_uri).await?;
        match verify(&token, &known.keys, &expected) {
            // It may have been signed with a key that is newer than what we know.
            Err(InvalidToken::UnknownKey) => {
                let keys = self.refreshed(expected.now).await?.keys;
                Ok(verify(&token, &keys, &expected)?)
            }
            other => Ok(other?),
        }
    }

    /// A request to the token endpoint, with our secret if there is one.
    fn code_request(&self, metadata: &Published, code: &str, verifier: &str, redirect_uri: &str) -> CodeRequest {
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
        CodeRequest {
            headers,
            body: form.finish().into_bytes(),
        }
    }

    async fn exchange(
        &self,
        metadata: &Published,
        code: &str,
        verifier: &str,
        redirect_uri: &str,
    ) -> Result<String, ProviderError> {
        const WHAT: &str = "its token endpoint";
        let CodeRequest { headers, body } = self.code_request(metadata, code, verifier, redirect_uri);
        let answer = self.http.send("POST", &metadata.token_endpoint, &headers, body).await;
        let answer = answer.map_err(|error| unreachable(WHAT, error))?;
        match answer.status() {
            // The error's own text could quote the token.
            StatusCode::OK => json::<Tokens>(answer.body())
                .map(|tokens| tokens.id_token)
                .map_err(|_| unreachable(WHAT, "no ID token")),
            // `invalid_grant` (RFC 6749, section 5.2): wrong, used before, or too old.
            status @ StatusCode::BAD_REQUEST => match json::<Refusal>(answer.body()) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    const START: Timestamp = Timestamp::from_millis(1_785_663_000_000);

    /// A provider that answers or does not, and counts what it is asked.
    #[derive(Default)]
    struct Scripted {
        is_away: AtomicBool,
        asked: AtomicUsize,
    }

    impl Scripted {
        fn set_away(&self, is_away: bool) {
            self.is_away.store(is_away, Ordering::Relaxed);
        }

        /// Requests since the last call.
        fn asked(&self) -> usize {
            self.asked.swap(0, Ordering::Relaxed)
        }
    }

    #[async_trait]
    impl ProviderHttp for Scripted {
        async fn send(
            &self,
            _: &str,
            url: &Url,
            _: &[(&str, String)],
            _: Vec<u8>,
        ) -> Result<Response<Bytes>, Box<dyn Error + Send + Sync>> {
            self.asked.fetch_add(1, Ordering::Relaxed);
            tokio::task::yield_now().await;
            if self.is_away.load(Ordering::Relaxed) {
                return Err("no answer".into());
            }
            let body = match url.path() {
                "/keys" => r#"{"keys": []}"#,
                _ => {
                    r#"{"issuer": "https://login.example", "authorization_endpoint": "https://login.example/a",
                        "token_endpoint": "https://login.example/t", "jwks_uri": "https://login.example/keys"}"#
                }
            };
            Ok(Response::new(Bytes::from(body)))
        }
    }

    fn provider() -> (Provider, Arc<Scripted>) {
        let http = Arc::new(Scripted::default());
        let config = ProviderConfig {
            issuer: "https://login.example".into(),
            client_id: "honnin".into(),
            client_secret: None,
            name: "Login".into(),
            scopes: vec!["openid".into()],
            trusts_emails: false,
        };
        (Provider::new(config, Arc::clone(&http) as _), http)
    }

    #[tokio::test]
    async fn what_it_published_is_used_while_it_is_away_and_it_is_not_asked_by_everybody() {
        let (provider, http) = provider();
        let known = async |at: Millis| provider.known(START.plus(at)).await;
        assert!(known(Millis(0)).await.is_ok() && known(Millis::minutes(59)).await.is_ok());
        assert_eq!(http.asked(), 2, "its configuration and its keys");
        http.set_away(true);
        for (seconds, asked) in [(3_600, 1), (3_629, 0), (3_630, 1), (3_659, 0)] {
            assert!(known(Millis::seconds(seconds)).await.is_ok(), "{seconds} s");
            assert_eq!(http.asked(), asked, "{seconds} s");
        }
        assert!(
            known(Millis::hours(25)).await.is_err(),
            "its keys may have been withdrawn"
        );
        http.set_away(false);
        assert!(known(Millis::hours(26)).await.is_ok());
        assert_eq!(http.asked(), 3);
    }

    #[tokio::test]
    async fn a_provider_that_was_never_reached_is_not_asked_again_at_once() {
        let (provider, http) = provider();
        let known = async |at: Millis| provider.known(START.plus(at)).await;
        http.set_away(true);
        let waiting = std::iter::repeat_with(|| known(Millis(0))).take(3);
        assert!(futures::future::join_all(waiting).await.iter().all(Result::is_err));
        assert!(known(Millis::seconds(4)).await.is_err());
        assert_eq!(http.asked(), 1);
        http.set_away(false);
        assert!(known(Millis::seconds(5)).await.is_ok());
    }

    #[tokio::test]
    async fn new_keys_are_asked_for_at_once_and_whoever_needs_none_does_not_wait() {
        let (provider, http) = provider();
        provider.known(START).await.unwrap();
        assert_eq!(http.asked(), 2);
        let anew = [provider.refreshed(START), provider.refreshed(START)];
        let mut anew = std::pin::pin!(futures::future::join_all(anew));
        assert!(futures::poll!(&mut anew).is_pending());
        assert!(matches!(
            futures::poll!(std::pin::pin!(provider.known(START))),
            std::task::Poll::Ready(Ok(_))
        ));
        assert!(anew.await.iter().all(Result::is_ok));
        assert_eq!(http.asked(), 2, "once for both");
    }
}
