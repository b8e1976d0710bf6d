//! What every operation works with: storage, clock, randomness, analyser. Created once at start, cheap to clone.

use crate::{
    capture::rectify::Viewer,
    fingerprints::KeyNames,
    jobs::sweep::Retention,
    people::openid::provider::{Provider, ProviderConfig},
    request_log::RequestLog,
    review::{self, CountedReasons},
    runtime::{
        analyser::Analyser,
        bulk::Bulk,
        clock_trust::{ClockReading, ClockTrust},
        counted::Counted,
        cpu_pool::CpuPool,
        lease_clock::LeaseClock,
        random::Random,
        readiness::LastCheck,
        turns::{Effort, Turns},
        wake_up::WakeUps,
    },
    session::{
        overview::{self, CountedFigures},
        rate_limit::CreationRate,
    },
    webhook::sender::WebhookSender,
};
use domain::{
    findings::ModelHash,
    ids::{CaptureId, EventId, SessionId, TenantId, WorkerId},
    secret::Secret,
    secret_kind::SecretKind,
    time::{Clock, Millis, Timestamp},
};
use std::sync::Arc;
use store::{
    Db, StoreError,
    capture::pictures::Pictures,
    jobs::{self, Job, Moment},
    vault::Vault,
};
use tokio::sync::Mutex;
use url::Url;

/// What operations need to know of the installation.
#[derive(Clone, Debug)]
pub struct ServiceConfig {
    /// The public URL of this installation, with a trailing slash.
    pub base_url: Url,
    /// The rate limit of session creation.
    pub creation_rate: CreationRate,
    /// How long rows are kept that are not part of a session.
    pub retention: Retention,
    /// Whether people may sign in with what they have here: a password, or a passkey alone. Without it they use the provider.
    pub local_sign_in: bool,
    /// The maximum age of a secret.
    pub secret_age: Millis,
    /// The secrets in the configuration.
    pub secrets: Vec<(SecretKind, Secret<String>)>,
}

/// The parts of a running system.
pub struct Parts {
    /// The main database.
    pub db: Db,
    /// The keys of personal data.
    pub vault: Vault,
    /// The encrypted pictures.
    pub pictures: Pictures,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub random: Arc<dyn Random>,
    /// Analyses pictures.
    pub analyser: Arc<dyn Analyser>,
    /// Sends webhooks.
    pub sender: Arc<WebhookSender>,
    /// The OpenID provider, if there is one.
    pub provider: Option<Provider>,
    /// The installation.
    pub config: ServiceConfig,
}

/// Views of pictures that are made for one [`Viewer`] at a time: enough for the pictures of a page.
const VIEWS: usize = 4;

/// A running system.
#[derive(Clone)]
pub struct Honnin {
    pub(crate) db: Db,
    pub(crate) vault: Vault,
    pub(crate) pictures: Pictures,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) random: Arc<dyn Random>,
    pub(crate) cpu_pool: Arc<CpuPool>,
    models: Arc<[ModelHash]>,
    /// For frames of a camera that waits for the answer: they do not queue behind pictures that take a second each.
    pub(crate) look_pool: Arc<CpuPool>,
    /// Turns of those who are shown pictures, in `cpu_pool`: a caller that requests many views at once waits only for its own.
    pub(crate) views: Arc<Turns<Viewer>>,
    /// Turns of tenants for each [`Effort`].
    pub(crate) efforts: Arc<Turns<(TenantId, Effort)>>,
    pub(crate) sender: Arc<WebhookSender>,
    pub(crate) provider: Option<Arc<Provider>>,
    pub(crate) config: Arc<ServiceConfig>,
    pub(crate) wake_ups: Arc<WakeUps>,
    pub(crate) request_log: Arc<RequestLog>,
    pub(crate) last_check: Arc<LastCheck>,
    pub(crate) clock_trust: Arc<ClockTrust>,
    lease_clock: Arc<LeaseClock>,
    bulk: Arc<Bulk>,
    /// Held by the request that checks much of the audit log.
    pub(crate) audit_check: Arc<Mutex<()>>,
    pub(crate) key_names: Arc<KeyNames>,
    /// Figures of overviews.
    pub(crate) figures: Arc<CountedFigures>,
    /// Reasons of the waiting cases.
    pub(crate) reasons: Arc<CountedReasons>,
}

impl Honnin {
    /// Assembles the parts.
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        Self {
            db: parts.db,
            vault: parts.vault,
            pictures: parts.pictures,
            clock_trust: Arc::new(ClockTrust::new(&*parts.clock)),
            clock: parts.clock,
            random: parts.random,
            models: parts.analyser.models().into(),
            cpu_pool: Arc::new(CpuPool::new(Arc::clone(&parts.analyser))),
            look_pool: Arc::new(CpuPool::new(parts.analyser)),
            views: Arc::new(Turns::of_each(VIEWS)),
            efforts: Arc::new(Turns::of_each(1)),
            sender: parts.sender,
            provider: parts.provider.map(Arc::new),
            config: Arc::new(parts.config),
            wake_ups: Arc::default(),
            request_log: Arc::default(),
            last_check: Arc::default(),
            lease_clock: Arc::default(),
            bulk: Arc::default(),
            audit_check: Arc::default(),
            key_names: Arc::default(),
            figures: Arc::new(Counted::new(overview::KEPT)),
            reasons: Arc::new(Counted::new(review::KEPT)),
        }
    }

    /// The current time.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The current time for what destroys; `None` while the clock cannot be trusted, because it has jumped.
    pub(crate) fn steady_now(&self) -> Option<Timestamp> {
        self.clock_trust.steady_now(&*self.clock)
    }

    /// The current time, for what is planned by it.
    pub(crate) fn read_clock(&self) -> ClockReading {
        let steady = self.steady_now();
        ClockReading {
            now: steady.unwrap_or_else(|| self.now()),
            is_steady: steady.is_some(),
        }
    }

    /// Whether the clock is steady. While it is not, nothing is decided automatically, expires, is erased or swept.
    #[must_use]
    pub fn clock_is_steady(&self) -> bool {
        self.steady_now().is_some()
    }

    /// Sees to it that leases end by the clock of the database, if it has one.
    ///
    /// # Errors
    /// If the database does not respond.
    pub(crate) async fn follow_lease_clock(&self) -> Result<(), StoreError> {
        self.lease_clock.follow(&self.db, &*self.clock).await
    }

    /// The current time by the clock of leases.
    pub(crate) fn lease_now(&self) -> Timestamp {
        self.lease_clock.now(&*self.clock)
    }

    /// What time it is for jobs, if it is `now` by this node's clock.
    pub(crate) fn moment(&self, now: Timestamp) -> Moment {
        Moment {
            now,
            leases: self.lease_now(),
        }
    }

    /// The public URL of this installation, with a trailing slash.
    #[must_use]
    pub fn base_url(&self) -> &Url {
        &self.config.base_url
    }

    /// After this time, a secret should be replaced.
    #[must_use]
    pub fn secret_age(&self) -> Millis {
        self.config.secret_age
    }

    /// The OpenID provider that people can sign in with, if there is one.
    #[must_use]
    pub fn provider(&self) -> Option<&ProviderConfig> {
        self.provider.as_ref().map(|provider| provider.config())
    }

    /// Whether people may sign in with a password, or a passkey alone.
    #[must_use]
    pub fn allows_local_sign_in(&self) -> bool {
        self.config.local_sign_in
    }

    /// Runs a unit of work that writes unit after unit: with pauses, in which other processes get their turn.
    pub(crate) async fn in_turn<T>(&self, unit: impl Future<Output = T>) -> T {
        self.bulk.run(&*self.clock, unit).await
    }

    /// Finishes a job that has nothing more to do, in a unit of its own.
    ///
    /// # Errors
    /// [`StoreError::LeaseLost`] if another worker has it or it is finished, or if storage fails.
    pub(crate) async fn finish(&self, job: &Job) -> Result<(), StoreError> {
        let (job, now) = (job.clone(), self.now());
        let unit = self.db.write(async move |tx| jobs::finish(tx, &job, now).await);
        unit.await
    }

    /// The URL of a one-time link.
    pub(crate) fn link_url(&self, token: &str) -> Secret<String> {
        Secret::new(format!("{}v/{token}", self.base_url()))
    }

    /// The models that judge pictures.
    #[must_use]
    pub fn models(&self) -> &[ModelHash] {
        &self.models
    }

    /// The database, for the session store of the console and for readiness checks.
    #[must_use]
    pub fn db(&self) -> &Db {
        &self.db
    }

    /// `N` random bytes.
    #[must_use]
    pub fn random_bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.random.fill(&mut bytes);
        bytes
    }

    /// A number from 0 to 1, 1 excluded.
    #[must_use]
    pub(crate) fn random_fraction(&self) -> f64 {
        f64::from(u32::from_be_bytes(self.random_bytes())) / (f64::from(u32::MAX) + 1.0)
    }

    /// A new session id.
    #[must_use]
    pub fn session_id(&self) -> SessionId {
        SessionId::ordered(self.now(), self.random_bytes())
    }

    /// A new event id.
    #[must_use]
    pub fn event_id(&self) -> EventId {
        EventId::ordered(self.now(), self.random_bytes())
    }

    /// A new capture id.
    #[must_use]
    pub(crate) fn capture_id(&self) -> CaptureId {
        CaptureId::ordered(self.now(), self.random_bytes())
    }

    /// A new name for a worker of this process.
    #[must_use]
    pub(crate) fn worker_name(&self) -> String {
        WorkerId::from_random(self.random_bytes()).to_string()
    }

    /// Stops background writers and closes the databases, after all pending units are committed.
    ///
    /// # Errors
    /// If the database of keys does not respond.
    pub async fn close(&self) -> Result<(), StoreError> {
        self.db.close().await;
        self.vault.close().await
    }
}

impl std::fmt::Debug for Honnin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Honnin")
    }
}
