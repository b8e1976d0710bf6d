//! The webhook sender: makes every outgoing connection to an address that a tenant chose. It sends one signed request to one checked
//! address and reports the result. `webhook::deliver` decides what is sent, `webhook::schedule` when.
//!
//! https only; no redirects; proxy settings in the environment are ignored; no connection and no TLS session is reused for a
//! second request, so that tenants share nothing.

pub mod address;
mod connect;
mod exchange;
pub mod fault;
pub(crate) mod pacing;
pub mod receiver_url;
pub mod resolve;
pub mod signature;
pub mod wire;

pub use exchange::headers;

use crate::runtime::turns::Turns;
use address::AddressRules;
use domain::{delivery::DeliveryFault, ids::TenantId, time::Timestamp};
use fault::Answer;
use ipnet::IpNet;
use pacing::Pacing;
use receiver_url::{ReceiverUrl, UrlFault};
use resolve::{Resolve, SystemResolver};
use rustls_pki_types::CertificateDer;
use signature::SignedRequest;
use std::{net::SocketAddr, sync::Arc, time::Duration};
use tokio::time::timeout;
use tokio_rustls::rustls;
use wire::{Network, Wire};

/// Default time-out for resolving the name and for connecting.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Default time-out for the whole exchange.
pub(crate) const EXCHANGE_TIMEOUT: Duration = Duration::from_secs(15);
/// Maximum size of a response's head, in bytes. The buffer grows no further, however much the receiver sends.
pub(crate) const LARGEST_HEAD: usize = 16 * 1024;

/// Receivers that one tenant has looked up at a time, in order to register them.
const LOOKED_UP: usize = 2;

/// What the sender needs to know of the installation.
#[derive(Clone, Debug)]
pub struct SenderConfig {
    /// Networks that are not public but allowed nevertheless: for development and tests.
    pub allow_networks: Vec<IpNet>,
    /// Networks that are never sent to although they are public: the installation's own, and its translators' prefixes.
    pub refuse_networks: Vec<IpNet>,
    /// Certificate authorities trusted in addition to the system's.
    pub extra_roots: Vec<CertificateDer<'static>>,
    /// Whether the system's certificate authorities are trusted.
    pub native_roots: bool,
    /// Time-out for resolving the name and for connecting.
    pub connect_timeout: Duration,
    /// Time-out for the whole exchange, from resolving the name to the head of the response.
    pub exchange_timeout: Duration,
}

impl Default for SenderConfig {
    fn default() -> Self {
        Self {
            allow_networks: Vec::new(),
            refuse_networks: Vec::new(),
            extra_roots: Vec::new(),
            native_roots: true,
            connect_timeout: CONNECT_TIMEOUT,
            exchange_timeout: EXCHANGE_TIMEOUT,
        }
    }
}

/// Why the sender cannot start.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SenderError {
    /// Without a trusted authority no receiver could be reached.
    #[error("there is no trusted certificate authority: neither the system's nor a configured one")]
    NoRoots,
    /// A configured certificate cannot be parsed.
    #[error("a configured certificate authority does not parse: {0}")]
    BadRoot(rustls::Error),
    /// The cryptography library cannot do TLS.
    #[error("TLS cannot be set up: {0}")]
    Tls(rustls::Error),
}

/// Sends webhooks.
pub struct WebhookSender {
    wire: Arc<dyn Wire>,
    rules: AddressRules,
    pub(crate) pacing: Arc<Pacing>,
    looking_up: Turns<TenantId>,
    look_up_timeout: Duration,
}

impl WebhookSender {
    /// A sender that resolves names with the operating system.
    ///
    /// # Errors
    /// [`SenderError`].
    pub fn new(config: SenderConfig) -> Result<Self, SenderError> {
        Self::with_resolver(config, Arc::new(SystemResolver::default()))
    }

    /// A sender with the given resolver.
    ///
    /// # Errors
    /// [`SenderError`].
    pub fn with_resolver(config: SenderConfig, resolver: Arc<dyn Resolve>) -> Result<Self, SenderError> {
        if !config.allow_networks.is_empty() {
            tracing::warn!(networks = ?config.allow_networks, "webhooks are allowed to non-public networks (webhooks.allow_networks)");
        }
        let rules = AddressRules::new(config.allow_networks.clone()).refusing(config.refuse_networks.clone());
        let wire = Network::new(&config, rules.clone(), resolver)?;
        Ok(Self {
            look_up_timeout: config.connect_timeout,
            ..Self::over(Arc::new(wire), rules)
        })
    }

    /// A sender over a wire that is not the network, for tests.
    #[must_use]
    pub fn over(wire: Arc<dyn Wire>, rules: AddressRules) -> Self {
        Self {
            wire,
            rules,
            pacing: Arc::default(),
            looking_up: Turns::of_each(LOOKED_UP),
            look_up_timeout: CONNECT_TIMEOUT,
        }
    }

    /// The same sender with `wrap` around its wire, for receivers inside this process.
    #[must_use]
    pub fn through(mut self, wrap: impl FnOnce(Arc<dyn Wire>) -> Arc<dyn Wire>) -> Self {
        self.wire = wrap(self.wire);
        self
    }

    /// The rules for a receiver URL that need no network.
    ///
    /// # Errors
    /// The first rule that it breaks.
    pub fn parse_receiver(&self, text: &str) -> Result<ReceiverUrl, UrlFault> {
        ReceiverUrl::parse(text, &self.rules)
    }

    /// Checks a URL that somebody wants to register for `tenant`: its form, and that its host currently resolves to public addresses. The
    /// same checks are made at every attempt.
    ///
    /// # Errors
    /// The first rule that it breaks.
    pub async fn check_receiver_url(&self, tenant: &TenantId, text: &str) -> Result<ReceiverUrl, UrlFault> {
        let url = self.parse_receiver(text)?;
        let found = timeout(self.look_up_timeout, self.look_up(tenant, &url)).await;
        match found.unwrap_or(Err(DeliveryFault::Unresolved)) {
            Ok(_) => Ok(url),
            Err(fault) => {
                let receiver = url.authority();
                tracing::info!(%tenant, receiver, fault = fault.as_str(), "the host of a webhook receiver was refused");
                Err(UrlFault::NotPublic)
            }
        }
    }

    /// The addresses of a receiver. A look-up keeps its tenant's turn until it ends, even if its caller has gone away: with ever new names, whose
    /// name server keeps silent, nobody occupies the places of other tenants.
    async fn look_up(&self, tenant: &TenantId, url: &ReceiverUrl) -> Result<Vec<SocketAddr>, DeliveryFault> {
        let turn = self.looking_up.take(tenant.clone()).await;
        let (wire, url) = (Arc::clone(&self.wire), url.clone());
        let found = tokio::spawn(async move {
            let _turn = turn;
            wire.find(&url).await
        });
        found.await.unwrap_or(Err(DeliveryFault::Unresolved))
    }

    /// Sends `request` to `url`. `now` is the time of the attempt.
    pub async fn send(&self, url: &ReceiverUrl, request: &SignedRequest, now: Timestamp) -> Answer {
        self.wire.send(url, request, now).await
    }
}

impl std::fmt::Debug for WebhookSender {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WebhookSender")
            .field("rules", &self.rules)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_authority_that_does_not_parse_is_refused_with_its_fault() {
        let config = SenderConfig {
            extra_roots: vec![CertificateDer::from(vec![0x30, 0x00])],
            native_roots: false,
            ..SenderConfig::default()
        };
        let refused = WebhookSender::new(config).err().unwrap().to_string();
        assert!(refused.contains("BadEncoding"), "{refused}");
    }
}
