//! The demonstration's webhook receiver: a wire that keeps what is sent to one address and passes everything else on. The webhooks
//! that it keeps do not leave the process, so the rules for addresses stay as they are.

use app::demo::{Received, SignatureCheck};
use async_trait::async_trait;
use domain::{delivery::DeliveryFault, secret::Secret, time::Timestamp};
use service::webhook::sender::{
    fault::Answer,
    headers,
    receiver_url::{ReceiverHost, ReceiverUrl},
    signature::{SignedRequest, SigningSecret},
    wire::Wire,
};
use std::{
    collections::VecDeque,
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// The host of [`app::demo::INBOX_URL`].
const INBOX_HOST: &str = "inbox.invalid";
/// Webhooks kept; the oldest is dropped.
const KEPT: usize = 100;

/// The webhooks that arrived.
#[derive(Debug, Default)]
pub struct Inbox(Mutex<Content>);

#[derive(Debug, Default)]
struct Content {
    /// Newest first.
    received: VecDeque<Received>,
    /// How many arrived in all.
    count: u64,
    /// Signing secrets with the names of their tenants.
    secrets: Vec<(String, SigningSecret)>,
}

impl Inbox {
    fn content(&self) -> MutexGuard<'_, Content> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Verifies with this secret from now on; `tenant` is shown if it fits.
    pub fn trust(&self, tenant: &str, secret: &str) {
        if let Some(secret) = SigningSecret::parse(&Secret::new(secret.to_owned())) {
            self.content().secrets.push((tenant.to_owned(), secret));
        }
    }

    /// This inbox in front of the network.
    pub(crate) fn before(self: &Arc<Self>, network: Arc<dyn Wire>) -> Arc<dyn Wire> {
        Arc::new(InboxWire {
            inbox: Arc::clone(self),
            network,
        })
    }

    fn keep(&self, request: &SignedRequest, now: Timestamp) {
        let mut content = self.content();
        let fits = |secret: &SigningSecret| {
            let mut signatures = request.signature.split(' ').filter_map(|one| one.strip_prefix("v1,"));
            signatures.any(|one| secret.verifies(one, request.id.as_str(), request.timestamp, &request.body))
        };
        let found = content.secrets.iter().find(|(_, secret)| fits(secret));
        let signature = found.map_or(SignatureCheck::Unknown, |(tenant, _)| {
            SignatureCheck::Valid(tenant.clone())
        });
        content.count += 1;
        let received = Received {
            number: content.count,
            at: now,
            headers: headers(request).to_vec(),
            body: String::from_utf8_lossy(&request.body).into_owned(),
            signature,
        };
        content.received.push_front(received);
        content.received.truncate(KEPT);
    }

    /// The webhooks about a session, newest first.
    pub(crate) fn about(&self, session: &str) -> Vec<Received> {
        let content = self.content();
        let all = content.received.iter();
        all.filter(|received| received.session() == session).cloned().collect()
    }

    /// All that arrived, newest first.
    pub(crate) fn all(&self) -> Vec<Received> {
        self.content().received.iter().cloned().collect()
    }
}

struct InboxWire {
    inbox: Arc<Inbox>,
    network: Arc<dyn Wire>,
}

fn is_inbox(url: &ReceiverUrl) -> bool {
    matches!(url.host(), ReceiverHost::Name(name) if name == INBOX_HOST)
}

#[async_trait]
impl Wire for InboxWire {
    async fn find(&self, url: &ReceiverUrl) -> Result<Vec<SocketAddr>, DeliveryFault> {
        if is_inbox(url) {
            return Ok(vec![(Ipv4Addr::LOCALHOST, url.port()).into()]);
        }
        self.network.find(url).await
    }

    async fn send(&self, url: &ReceiverUrl, request: &SignedRequest, now: Timestamp) -> Answer {
        if is_inbox(url) {
            self.inbox.keep(request, now);
            return Answer::of_status(204, None);
        }
        self.network.send(url, request, now).await
    }
}
