//! What connects a signed request with its response: names, connections, TLS. Behind a trait, so that a test of the schedule
//! can respond in place of the network and simulate weeks in a second.

use super::{
    SenderConfig, SenderError, address::AddressRules, connect, exchange, fault::Answer, receiver_url::ReceiverUrl,
    resolve::Resolve, signature::SignedRequest,
};
use async_trait::async_trait;
use domain::{delivery::DeliveryFault, time::Timestamp};
use std::{net::SocketAddr, sync::Arc, time::Duration};
use store::tls;
use tokio::{
    net::TcpStream,
    time::{Instant, timeout, timeout_at},
};
use tokio_rustls::{
    TlsConnector,
    client::TlsStream,
    rustls::{RootCertStore, client::Resumption},
};

/// Carries requests to receivers.
#[async_trait]
pub trait Wire: Send + Sync + 'static {
    /// The current addresses of `url`'s host, each one checked. It takes as long as the name server does.
    ///
    /// # Errors
    /// [`DeliveryFault::Unresolved`] or [`DeliveryFault::AddressRefused`].
    async fn find(&self, url: &ReceiverUrl) -> Result<Vec<SocketAddr>, DeliveryFault>;

    /// Sends `request` to `url` and returns the result. `now` is the time of the attempt.
    async fn send(&self, url: &ReceiverUrl, request: &SignedRequest, now: Timestamp) -> Answer;
}

/// The real network.
pub(super) struct Network {
    resolver: Arc<dyn Resolve>,
    rules: AddressRules,
    tls: TlsConnector,
    connect_timeout: Duration,
    exchange_timeout: Duration,
}

impl Network {
    pub(super) fn new(
        config: &SenderConfig,
        rules: AddressRules,
        resolver: Arc<dyn Resolve>,
    ) -> Result<Self, SenderError> {
        Ok(Self {
            resolver,
            rules,
            tls: connector(config)?,
            connect_timeout: config.connect_timeout,
            exchange_timeout: config.exchange_timeout,
        })
    }

    async fn connect(&self, url: &ReceiverUrl, deadline: Instant) -> Result<TlsStream<TcpStream>, DeliveryFault> {
        let started = Instant::now();
        let found = timeout(self.connect_timeout, self.find(url)).await;
        let addresses = found.unwrap_or(Err(DeliveryFault::Unresolved))?;
        let left = deadline.saturating_duration_since(Instant::now());
        let time_limit = self.connect_timeout.saturating_sub(started.elapsed()).min(left);
        let stream = connect::dial(&addresses, &self.rules, time_limit).await?;
        connect::encrypt(&self.tls, url, stream, deadline).await
    }
}

#[async_trait]
impl Wire for Network {
    async fn find(&self, url: &ReceiverUrl) -> Result<Vec<SocketAddr>, DeliveryFault> {
        connect::addresses(&*self.resolver, &self.rules, url).await
    }

    async fn send(&self, url: &ReceiverUrl, request: &SignedRequest, now: Timestamp) -> Answer {
        let deadline = Instant::now() + self.exchange_timeout;
        let stream = match self.connect(url, deadline).await {
            Ok(stream) => stream,
            Err(fault) => return Answer::failed(fault),
        };
        timeout_at(deadline, exchange::exchange(stream, url, request, now))
            .await
            .unwrap_or(Answer::failed(DeliveryFault::TimedOut))
    }
}

fn connector(config: &SenderConfig) -> Result<TlsConnector, SenderError> {
    let mut roots = if config.native_roots {
        tls::system_roots()
    } else {
        RootCertStore::empty()
    };
    for root in &config.extra_roots {
        roots.add(root.clone()).map_err(SenderError::BadRoot)?;
    }
    if roots.is_empty() {
        return Err(SenderError::NoRoots);
    }
    let mut client = tls::client(roots, &[b"http/1.1"]).map_err(SenderError::Tls)?;
    // A resumed TLS session would be shared by all tenants that send to the same host.
    client.resumption = Resumption::disabled();
    Ok(TlsConnector::from(Arc::new(client)))
}
