//! What tests and benchmarks share. Only ever a dev-dependency.
//!
//! [`Harness`] is a whole system on a separate database (SQLite unless a test uses another), with a manual clock, seeded randomness and a
//! scripted analyser.

#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(missing_docs, reason = "what a test does with it explains it")]

pub mod analyser;
pub mod applicant;
pub mod authority;
pub mod buckets;
pub mod databases;
pub mod files;
pub mod floors;
pub mod long_runs;
pub mod names;
pub mod network;
pub mod proxy;
pub mod receiver;
pub mod round_trips;
pub mod template;
pub mod webhooks;

pub use analyser::ScriptedAnalyser;

use databases::Backend;
use domain::{
    decision::Policy,
    ids::{ApiKeyId, SessionId, TenantId},
    scope::{Scope, Scopes},
    secret::Secret,
    secret_kind::SecretKind,
    session::Step,
    tenant::{Mode, TenantSettings},
    time::{ManualClock, Millis, Timestamp},
};
use service::{
    Honnin, Parts, ServiceConfig,
    access::{self, Tenant, api_key},
    jobs::{
        sweep::Retention,
        worker::{Lane, Worker},
    },
    people::{
        known_browser::{Browser, Client},
        pending_sign_in::AfterFirstFactor,
        sign_in::{self, SignInError},
        visit::Entrance,
    },
    runtime::random::{Random, SeededRandom},
    session::{
        create::{self, Created},
        rate_limit::CreationRate,
    },
    webhook::sender::{SenderConfig, WebhookSender},
};
use std::{
    fs::File,
    net::IpAddr,
    path::Path,
    sync::Arc,
    time::{Duration, UNIX_EPOCH},
};
use store::{
    Db, StoreError,
    capture::pictures::{Pictures, path_of},
    jobs::{self, JobState},
    settings::{
        api_keys,
        tenants::{self, TenantRow},
    },
    vault::Vault,
    webhook::events::{self, EventRow},
};

/// 2026-08-02T09:30:00Z.
pub const START: Timestamp = Timestamp::from_millis(1_785_663_000_000);

/// A system with one tenant and its key.
pub struct Harness {
    pub honnin: Honnin,
    /// The vault of this process.
    pub vault: Vault,
    pub pictures: Pictures,
    pub clock: Arc<ManualClock>,
    pub analyser: Arc<ScriptedAnalyser>,
    pub names: Arc<names::Names>,
    pub sender: SenderConfig,
    pub database: Backend,
    pub rate: CreationRate,
    pub tenant: TenantRow,
    pub key: String,
    /// The secrets in the configuration, from the next restart on.
    pub secrets: Vec<(SecretKind, Secret<String>)>,
}

impl Harness {
    /// With both steps, one callback URL, and a receiver URL that nobody listens on.
    pub async fn new() -> Self {
        Self::with(TenantSettings {
            steps: Step::ALL.to_vec(),
            callback_urls: vec!["https://shop.example/done".into()],
            ..TenantSettings::default()
        })
        .await
    }

    /// With the face search among approved people.
    pub async fn searching() -> Self {
        Self::with(TenantSettings {
            steps: Step::ALL.to_vec(),
            policy: Policy {
                find_duplicates: true,
                ..Policy::default()
            },
            ..TenantSettings::default()
        })
        .await
    }

    /// With the given settings.
    pub async fn with(settings: TenantSettings) -> Self {
        Self::with_sender(settings, loopback_sender()).await
    }

    /// With the given settings and sender.
    pub async fn with_sender(settings: TenantSettings, sender: SenderConfig) -> Self {
        Self::on(databases::sqlite().await, settings, sender, CreationRate::default()).await
    }

    /// With the given steps, on a fresh PostgreSQL database; `None` where there is no server.
    pub async fn on_postgres(steps: &[Step]) -> Option<Self> {
        let settings = TenantSettings {
            steps: steps.to_vec(),
            ..TenantSettings::default()
        };
        let database = databases::postgres(&databases::postgres_server()?).await;
        Some(Self::on(database, settings, loopback_sender(), CreationRate::default()).await)
    }

    /// On the given database, with the given settings, sender and rate limit.
    pub async fn on(database: Backend, settings: TenantSettings, sender: SenderConfig, rate: CreationRate) -> Self {
        let clock = Arc::new(ManualClock::at(START));
        let analyser = Arc::new(ScriptedAnalyser::default());
        let names = Arc::new(names::Names::default());
        let webhooks = WebhookSender::with_resolver(sender.clone(), Arc::clone(&names) as _).unwrap();
        let vault = database.vault().await;
        let honnin = open(
            &database,
            (database.db.clone(), vault.clone()),
            &clock,
            &analyser,
            fresh_random(&database),
            webhooks,
            rate,
        )
        .await;
        let tenant = TenantRow {
            id: TenantId::from_random(honnin.random_bytes()),
            name: "Example Shop".into(),
            settings: Some(settings),
            mode: Mode::Live,
            created_at: START,
            version: 0,
        };
        let key = add_tenant(&honnin, &tenant).await;
        Self {
            honnin,
            vault,
            pictures: database.pictures(),
            clock,
            analyser,
            names,
            sender,
            database,
            rate,
            tenant,
            key,
            secrets: Vec::new(),
        }
    }

    /// The same with a sandbox tenant and its key instead of the live one.
    pub async fn into_sandbox(mut self) -> Self {
        self.tenant = TenantRow {
            id: TenantId::from_random(self.honnin.random_bytes()),
            mode: Mode::Sandbox,
            ..self.tenant
        };
        self.key = add_tenant(&self.honnin, &self.tenant).await;
        self
    }

    /// The system again after its process was killed: memory is lost, the disk is kept.
    pub async fn restart(&mut self) {
        let webhooks = WebhookSender::with_resolver(self.sender.clone(), Arc::clone(&self.names) as _).unwrap();
        let db = self.database.reopen().await;
        let random = fresh_random(&self.database);
        self.vault = self.database.vault().await;
        self.honnin = open_holding(
            &self.database,
            (db, self.vault.clone()),
            (&self.clock, random),
            &self.analyser,
            webhooks,
            self.rate,
            self.secrets.clone(),
        );
    }

    /// Where its files are.
    pub fn folder(&self) -> &Path {
        self.database.folder()
    }

    /// Makes a stored picture as old as if it had been stored at `at`: the folder's clock is not the manual one.
    pub fn age_picture(&self, session: &SessionId, name: &str, at: Timestamp) {
        let path = self.folder().join("pictures").join(path_of(session, name).unwrap());
        let at = UNIX_EPOCH + Duration::from_millis(at.as_millis().unsigned_abs());
        let picture = File::options().write(true).open(path).unwrap();
        picture.set_modified(at).unwrap();
    }

    /// The tenant as the API knows it.
    pub async fn caller(&self) -> Tenant {
        access::tenant_by_key(&self.honnin, &self.key, localhost(), Scope::Create)
            .await
            .unwrap()
    }

    /// A session created with an empty body.
    pub async fn create(&self) -> Created {
        create::create_session(&self.honnin, &self.caller().await, b"{}")
            .await
            .unwrap()
    }

    /// The token of a link just created.
    pub fn token(created: &Created) -> String {
        created.verification_url.expose().rsplit('/').next().unwrap().to_owned()
    }

    /// Runs every due job, in every lane, until there is none.
    pub async fn run_until_idle(&self) -> usize {
        let mut ran = 0;
        loop {
            let mut round = 0;
            for lane in Lane::ALL {
                round += Worker::new(self.honnin.clone(), lane, 1)
                    .run_until_idle()
                    .await
                    .unwrap();
            }
            if round == 0 {
                return ran;
            }
            ran += round;
        }
    }

    /// Advances the clock, then runs what became due.
    pub async fn wait(&self, span: Millis) -> usize {
        self.clock.advance(span);
        self.run_until_idle().await
    }

    /// Unfinished jobs.
    pub async fn open_jobs(&self) -> Vec<JobState> {
        self.read(async |tx| jobs::list(tx, None, 1000).await).await
    }

    /// Every event of a session, oldest first.
    pub async fn events(&self, session: &SessionId) -> Vec<EventRow> {
        let id = session.clone();
        self.read(async move |tx| events::list_of_session(tx, &id).await).await
    }

    /// A second tenant of the same installation.
    pub async fn another_tenant(&self) -> Tenant {
        let tenant = TenantRow {
            id: TenantId::from_random(self.honnin.random_bytes()),
            name: "Another Shop".into(),
            version: 0,
            ..self.tenant.clone()
        };
        let key = add_tenant(&self.honnin, &tenant).await;
        access::tenant_by_key(&self.honnin, &key, localhost(), Scope::Create)
            .await
            .unwrap()
    }

    /// Saves other settings.
    pub async fn save_settings(&mut self, settings: TenantSettings) {
        self.tenant.settings = Some(settings);
        let tenant = self.tenant.clone();
        let saved: Result<(), StoreError> = self
            .honnin
            .db()
            .write(async move |tx| tenants::save(tx, &tenant).await)
            .await;
        saved.unwrap();
        self.tenant.version += 1;
    }

    /// Reads something.
    pub async fn read<T, F>(&self, unit: F) -> T
    where
        T: Send + 'static,
        F: AsyncFnMut(&mut store::Tx) -> Result<T, StoreError> + Send + 'static,
    {
        self.honnin.db().read(unit).await.unwrap()
    }
}

/// Sends to receivers on loopback, by any name, and trusts the test's authority.
pub fn loopback_sender() -> SenderConfig {
    SenderConfig {
        allow_networks: vec!["127.0.0.0/8".parse().unwrap()],
        extra_roots: vec![authority::root()],
        native_roots: false,
        ..SenderConfig::default()
    }
}

/// A restarted system draws other bytes, as a real one would.
fn fresh_random(database: &Backend) -> Arc<dyn Random> {
    let files = std::fs::read_dir(database.folder()).unwrap().count() as u64;
    Arc::new(SeededRandom::new(files))
}

/// A system of parts that a test can inspect.
pub async fn open(
    database: &Backend,
    (db, vault): (Db, Vault),
    clock: &Arc<ManualClock>,
    analyser: &Arc<ScriptedAnalyser>,
    random: Arc<dyn Random>,
    sender: WebhookSender,
    creation_rate: CreationRate,
) -> Honnin {
    open_holding(
        database,
        (db, vault),
        (clock, random),
        analyser,
        sender,
        creation_rate,
        Vec::new(),
    )
}

/// The same with secrets in the configuration.
fn open_holding(
    database: &Backend,
    (db, vault): (Db, Vault),
    (clock, random): (&Arc<ManualClock>, Arc<dyn Random>),
    analyser: &Arc<ScriptedAnalyser>,
    sender: WebhookSender,
    creation_rate: CreationRate,
    secrets: Vec<(SecretKind, Secret<String>)>,
) -> Honnin {
    Honnin::new(Parts {
        db,
        vault,
        pictures: database.pictures(),
        clock: Arc::clone(clock) as _,
        random,
        analyser: Arc::clone(analyser) as _,
        sender: Arc::new(sender),
        provider: None,
        config: ServiceConfig {
            base_url: "https://id.example/".parse().unwrap(),
            creation_rate,
            retention: Retention::default(),
            local_sign_in: true,
            secret_age: Millis::days(365),
            secrets,
        },
    })
}

/// Stores a tenant with a new key, which is returned.
pub async fn add_tenant(honnin: &Honnin, tenant: &TenantRow) -> String {
    let seed = u64::from_le_bytes(honnin.random_bytes());
    let key = api_key::generate(&SeededRandom::new(seed), tenant.mode);
    let row = api_keys::ApiKeyRow {
        id: ApiKeyId::from_random(honnin.random_bytes()),
        tenant: tenant.id.clone(),
        name: "test".into(),
        prefix: api_key::prefix(key.expose()),
        hash: api_key::hash(key.expose()),
        scopes: Scopes::ALL,
        created_at: START,
        expires_at: None,
        revoked_at: None,
        replaced_at: None,
        last_used_at: None,
        last_used_from: None,
        networks: Vec::new(),
    };
    let tenant = tenant.clone();
    let stored: Result<(), StoreError> = honnin
        .db()
        .write(async move |tx| {
            tenants::insert(tx, &tenant).await?;
            api_keys::insert(tx, &row).await
        })
        .await;
    stored.unwrap();
    key.expose().clone()
}

/// The address of test callers.
pub fn localhost() -> IpAddr {
    IpAddr::from([127, 0, 0, 1])
}

/// Signs in with the password alone, as a person who has no second factor.
///
/// # Panics
/// If they have one.
pub async fn sign_in(
    honnin: &Honnin,
    email: &str,
    password: Secret<String>,
    client: &Client,
) -> Result<Entrance, SignInError> {
    match sign_in::sign_in(honnin, email, password, client).await? {
        AfterFirstFactor::SignedIn(entrance) => Ok(entrance),
        AfterFirstFactor::SecondFactor(pending) => panic!("the second factor of {} comes next", pending.user),
    }
}

/// Somebody who signs in from `address`, always with the same browser.
pub fn client_at(address: IpAddr) -> Client {
    client_with(address, "the browser of the tests")
}

/// The same with the browser of this name.
pub fn client_with(address: IpAddr, name: &str) -> Client {
    Client {
        address,
        browser: Browser {
            agent: format!("{name} Firefox/140.0 (X11; Linux)"),
            token: Secret::new(name.to_owned()),
        },
    }
}
