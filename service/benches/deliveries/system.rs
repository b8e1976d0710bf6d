//! A system to measure: ten tenants with a receiver, and a running clock.

use crate::{TENANTS, results};
use async_trait::async_trait;
use domain::{
    delivery::DeliveryFault,
    ids::{EventId, SessionId, TenantId},
    session::Step,
    tenant::{Mode, TenantSettings},
    time::{ManualClock, Millis, Timestamp},
};
use service::{
    runtime::random::SystemRandom,
    session::rate_limit::CreationRate,
    webhook::sender::{
        WebhookSender, address::AddressRules, fault::Answer, receiver_url::ReceiverUrl, resolve::Resolve,
        signature::SignedRequest, wire::Wire,
    },
};
use std::{
    io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};
use store::settings::tenants::TenantRow;
use tempfile::TempDir;
use testkit::{
    Harness, START, ScriptedAnalyser, add_tenant, databases, loopback_sender, names::Names, open, receiver::Receiver,
};
use tokio::time::interval;
use tokio_util::task::AbortOnDropHandle;

/// Responds immediately.
struct Quick;

#[async_trait]
impl Wire for Quick {
    async fn find(&self, _: &ReceiverUrl) -> Result<Vec<SocketAddr>, DeliveryFault> {
        Ok(Vec::new())
    }

    async fn send(&self, _: &ReceiverUrl, _: &SignedRequest, _: Timestamp) -> Answer {
        Answer::of_status(200, None)
    }
}

/// Resolves every name to loopback.
struct Loopback;

#[async_trait]
impl Resolve for Loopback {
    async fn resolve(&self, _: &str) -> io::Result<Vec<IpAddr>> {
        Ok(vec![Ipv4Addr::LOCALHOST.into()])
    }
}

/// A system with a running clock and ten tenants.
pub(crate) struct System {
    pub(crate) harness: Harness,
    pub(crate) tenants: Vec<TenantRow>,
    pub(crate) session: SessionId,
    /// Advances the clock. Ends with the system, so that no round keeps the machine busy for the next.
    _ticking: AbortOnDropHandle<()>,
}

impl System {
    pub(crate) async fn over_a_quick_wire() -> Self {
        let sender = WebhookSender::over(Arc::new(Quick), AddressRules::default());
        let url = |_| "https://hooks.example/".to_owned();
        Self::new(sender, url).await
    }

    /// The last of the tenants has the second receiver.
    pub(crate) async fn over_tls(receivers: &[Receiver; 2]) -> Self {
        let sender = WebhookSender::with_resolver(loopback_sender(), Arc::new(Loopback)).unwrap();
        let url = |tenant| receivers[usize::from(tenant == TENANTS - 1)].url();
        Self::new(sender, url).await
    }

    async fn new(sender: WebhookSender, url: impl Fn(usize) -> String) -> Self {
        let folder = TempDir::new_in(results()).unwrap();
        let (clock, analyser) = (Arc::new(ManualClock::at(START)), Arc::new(ScriptedAnalyser::default()));
        let database = databases::sqlite_in(folder).await;
        let (rate, vault) = (CreationRate::default(), database.vault().await);
        let honnin = open(
            &database,
            (database.db.clone(), vault.clone()),
            &clock,
            &analyser,
            Arc::new(SystemRandom),
            sender,
            rate,
        )
        .await;
        let tenant = |number| TenantRow {
            id: TenantId::from_random(honnin.random_bytes()),
            name: "Example Shop".into(),
            settings: Some(TenantSettings {
                steps: Step::ALL.to_vec(),
                webhook_url: Some(url(number)),
                ..TenantSettings::default()
            }),
            mode: Mode::Live,
            created_at: START,
            version: 0,
        };
        let tenants: Vec<_> = (0..TENANTS).map(tenant).collect();
        let mut harness = Harness {
            tenant: tenants[0].clone(),
            key: String::new(),
            secrets: Vec::new(),
            names: Arc::new(Names::default()),
            sender: loopback_sender(),
            honnin,
            vault,
            pictures: database.pictures(),
            clock: Arc::clone(&clock),
            analyser,
            database,
            rate,
        };
        for tenant in &tenants {
            harness.tenant = tenant.clone();
            harness.key = add_tenant(&harness.honnin, tenant).await;
            harness.issue_secret().await;
        }
        let session = harness.create().await.id;
        let ticking = tokio::spawn(async move {
            let mut tick = interval(Duration::from_millis(1));
            loop {
                tick.tick().await;
                clock.advance(Millis(1));
            }
        });
        Self {
            harness,
            tenants,
            session,
            _ticking: AbortOnDropHandle::new(ticking),
        }
    }

    /// Records events of the tenants, this many for each.
    pub(crate) async fn record(&mut self, count: impl Fn(usize) -> usize) -> Vec<EventId> {
        let mut events = Vec::new();
        for (number, tenant) in self.tenants.clone().into_iter().enumerate() {
            self.harness.tenant = tenant;
            let recorded = (0..count(number)).map(|_| self.harness.record_expired(&self.session));
            events.extend(futures::future::join_all(recorded).await);
        }
        events
    }
}
