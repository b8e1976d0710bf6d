//! The webhook sender: the only thing in the product that makes outgoing connections. It sends one signed request to one checked
//! address and says what came of it. Not here: what is sent and when (`deliver_event`).
//!
//! https only; no redirects; no proxy from the environment; no connection and no TLS session is ever used for a second request, so
//! tenants share nothing.

pub mod address;
mod connect;
mod exchange;
pub mod fault;
pub(crate) mod pacing;
pub mod receiver_url;
pub mod resolve;
pub mod signature;

pub use exchange::headers;

use address::AddressRules;
use domain::time::Timestamp;
use fault::{Answer, Fault};
use ipnet::IpNet;
use pacing::Pacing;
use receiver_url::{ReceiverUrl, UrlFault};
use resolve::{Resolve, SystemResolver};
use rustls_pki_types::CertificateDer;
use signature::SignedRequest;
use std::{sync::Arc, time::Duration};
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::{
    TlsConnector,
    rustls::{ClientConfig, RootCertStore, client::Resumption, crypto::ring},
};

/// What the sender needs to know of the installation.
#[derive(Clone, Debug)]
pub struct SenderConfig {
    /// Networks that are not public and may be sent to all the same: for development and tests.
    pub allow_networks: Vec<IpNet>,
    /// Certificate authorities that are trusted besides the system's.
    pub extra_roots: Vec<CertificateDer<'static>>,
    /// Whether the system's certificate authorities are trusted.
    pub native_roots: bool,
    /// Longest wait for the name and for a connection.
    pub connect_timeout: Duration,
    /// Longest whole exchange, from the look-up of the name to the head of the answer.
    pub exchange_timeout: Duration,
}

impl Default for SenderConfig {
    fn default() -> Self {
        Self {
            allow_networks: Vec::new(),
            extra_roots: Vec::new(),
            native_roots: true,
            connect_timeout: Duration::from_secs(5),
            exchange_timeout: Duration::from_secs(15),
        }
    }
}

/// Why the sender cannot start.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SenderError {
    /// Without a trusted authority no receiver could ever be reached.
    #[error("there is no trusted certificate authority: neither the system's nor a configured one")]
    NoRoots,
    /// A configured certificate is none.
    #[error("a configured certificate authority does not parse")]
    BadRoot,
    /// The cryptography cannot do TLS.
    #[error("TLS cannot be set up: {0}")]
    Tls(String),
}

/// Sends webhooks.
pub struct WebhookSender {
    resolver: Arc<dyn Resolve>,
    rules: AddressRules,
    tls: TlsConnector,
    connect_timeout: Duration,
    exchange_timeout: Duration,
    pub(crate) pacing: Arc<Pacing>,
}

impl WebhookSender {
    /// A sender that resolves names with the operating system.
    ///
    /// # Errors
    /// [`SenderError`].
    pub fn new(config: SenderConfig) -> Result<Self, SenderError> {
        Self::with_resolver(config, Arc::new(SystemResolver))
    }

    /// A sender with a resolver of its own.
    ///
    /// # Errors
    /// [`SenderError`].
    pub fn with_resolver(config: SenderConfig, resolver: Arc<dyn Resolve>) -> Result<Self, SenderError> {
        if !config.allow_networks.is_empty() {
            tracing::warn!(networks = ?config.allow_networks, "webhooks may be sent to networks that are not public");
        }
        Ok(Self {
            resolver,
            tls: connector(&config)?,
            rules: AddressRules::new(config.allow_networks),
            connect_timeout: config.connect_timeout,
            exchange_timeout: config.exchange_timeout,
            pacing: Arc::default(),
        })
    }

    /// The rules for a receiver's URL that need no network.
    ///
    /// # Errors
    /// The first rule that it breaks.
    pub fn parse_receiver(&self, text: &str) -> Result<ReceiverUrl, UrlFault> {
        ReceiverUrl::parse(text, &self.rules)
    }

    /// Checks a URL that an admin wants to register: its form, and that its host resolves to public addresses now. The same checks
    /// are made again at every attempt.
    ///
    /// # Errors
    /// The first rule that it breaks.
    pub async fn check_receiver_url(&self, text: &str) -> Result<ReceiverUrl, UrlFault> {
        let url = self.parse_receiver(text)?;
        let found = timeout(
            self.connect_timeout,
            connect::addresses(&*self.resolver, &self.rules, &url),
        )
        .await;
        match found {
            Ok(Ok(_)) => Ok(url),
            Ok(Err(Fault::AddressRefused)) => Err(UrlFault::NotPublic),
            Ok(Err(_)) | Err(_) => Err(UrlFault::Unresolved),
        }
    }

    /// Sends `request` to `url`. `now` is the time of the attempt.
    pub async fn send(&self, url: &ReceiverUrl, request: &SignedRequest, now: Timestamp) -> Answer {
        let deadline = Instant::now() + self.exchange_timeout;
        let stream = match self.connect(url, deadline).await {
            Ok(stream) => stream,
            Err(fault) => return Answer::failed(fault),
        };
        timeout_at(deadline, exchange::exchange(stream, url, request, now))
            .await
            .unwrap_or(Answer::failed(Fault::TimedOut))
    }

    async fn connect(
        &self,
        url: &ReceiverUrl,
        deadline: Instant,
    ) -> Result<tokio_rustls::client::TlsStream<tokio::net::TcpStream>, Fault> {
        let started = Instant::now();
        let addresses = timeout(
            self.connect_timeout,
            connect::addresses(&*self.resolver, &self.rules, url),
        )
        .await
        .unwrap_or(Err(Fault::Unresolved))?;
        let left = deadline.saturating_duration_since(Instant::now());
        let patience = self.connect_timeout.saturating_sub(started.elapsed()).min(left);
        let stream = connect::dial(&addresses, &self.rules, patience).await?;
        connect::encrypt(&self.tls, url, stream, deadline).await
    }
}

impl std::fmt::Debug for WebhookSender {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WebhookSender")
            .field("rules", &self.rules)
            .finish_non_exhaustive()
    }
}

fn connector(config: &SenderConfig) -> Result<TlsConnector, SenderError> {
    let mut roots = RootCertStore::empty();
    if config.native_roots {
        let native = rustls_native_certs::load_native_certs();
        let (_, ignored) = roots.add_parsable_certificates(native.certs);
        if ignored > 0 || !native.errors.is_empty() {
            tracing::warn!(
                ignored,
                errors = native.errors.len(),
                "some of the system's certificates were not read"
            );
        }
    }
    for root in &config.extra_roots {
        roots.add(root.clone()).map_err(|_| SenderError::BadRoot)?;
    }
    if roots.is_empty() {
        return Err(SenderError::NoRoots);
    }
    let mut tls = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| SenderError::Tls(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    tls.alpn_protocols = vec![b"http/1.1".to_vec()];
    // A resumed TLS session would be shared by all tenants who send to the same host.
    tls.resumption = Resumption::disabled();
    Ok(TlsConnector::from(Arc::new(tls)))
}
