//! Opens the system that the settings describe: databases, keys, pictures, models, the webhook sender.

use crate::{
    beside,
    config::{BucketName, Config, PictureStore, S3},
    edge::{Sending, TenantPool, places_to_wait},
    held_secrets::held,
    hold, http_client,
    inbox::Inbox,
    master_key::{MasterKeyError, open_vault},
    metrics::Metrics,
    openid::ProviderConnection,
    site,
    state::App,
    upload::Admission,
};
use domain::time::Clock;
use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use rustls_pki_types::CertificateDer;
use service::{
    Honnin, Parts, ServiceConfig,
    people::openid::provider::Provider,
    privacy::after_restore::{has_only_keys, lacks_all_keys},
    runtime::{
        analyser::VisionAnalyser,
        clock::SystemClock,
        random::{Random, SystemRandom},
    },
    session::rate_limit::CreationRate,
    webhook::sender::{SenderConfig, SenderError, WebhookSender},
};
use std::{
    io,
    net::{Ipv4Addr, Ipv6Addr},
    path::{Path, PathBuf},
    sync::Arc,
};
use store::{
    Db, DbOptions, StoreError,
    backup::{DatabasePlace, PicturePlace, UNFINISHED, remove_left},
    capture::{bucket::Bucket, pictures::Pictures},
    folders::create_durably,
};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use vision::Vision;

/// Why the system did not start.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The data folder cannot be created.
    #[error("cannot create the folder {}: {source}", path.display())]
    Folder {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A backup is being restored into the data folder.
    #[error("{}: a backup is being restored into this folder; run `honnin backup restore` again if it was interrupted", .0.display())]
    Restoring(PathBuf),
    /// The data folder cannot be read, so it is unknown whether a backup is being restored into it.
    #[error(
        "cannot look into the data folder, which must belong to the user that Honnin runs as: {}: {source}",
        path.display()
    )]
    RestoringUnknown {
        /// The file that would say so, if it exists.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A backup is being restored into the database, perhaps from another node.
    #[error(
        "database.url: a backup is being restored into this database; run `honnin backup restore` again if it was interrupted"
    )]
    RestoringDatabase,
    /// A command about an installation found none.
    #[error(
        "database.url: there is no installation here: {0}. Check --config and data_dir; `honnin serve` begins a new one"
    )]
    NoInstallation(String),
    /// Part of the storage.
    #[error("{what}: {source}")]
    Store {
        /// What was being opened.
        what: &'static str,
        /// Why it did not open.
        source: StoreError,
    },
    /// The database of keys does not belong to the sessions.
    #[error(
        "database.keys_url: this database has the key of no stored session, so it is not the one that belongs to database.url; put that one back. If these databases were restored by hand, `honnin backup settle --put-back` says what is missing"
    )]
    KeysOfNobody,
    /// The database does not belong to the keys.
    #[error(
        "database.url: this database is new, but database.keys_url has keys, so it is not the one that belongs to them; put that one back. For a new installation, move the database of keys away, too"
    )]
    KeysOnly,
    /// The master key is not available.
    #[error("{setting}: {source}")]
    MasterKey {
        /// The setting that says where it is.
        setting: &'static str,
        /// Why not.
        source: MasterKeyError,
    },
    /// The webhook sender.
    #[error("webhooks: {0}")]
    Sender(#[from] SenderError),
    /// The file with the certificate authority of the OpenID provider.
    #[error("openid.ca_file: {0}")]
    Provider(String),
    /// A file of certificate authorities.
    #[error("{setting} {}: {reason}", path.display())]
    Authorities {
        /// The setting that names it.
        setting: &'static str,
        /// Which.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}

fn on(what: &'static str) -> impl FnOnce(StoreError) -> OpenError {
    move |source| OpenError::Store { what, source }
}

/// What a process is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Answering requests, and background jobs unless `worker.embedded` is off.
    Serve,
    /// Background jobs only.
    Work,
}

impl Purpose {
    /// Whether background jobs run in the process. Only they read documents.
    #[must_use]
    pub fn has_worker(self, config: &Config) -> bool {
        self == Self::Work || config.worker.embedded
    }
}

/// Opens everything for a node and runs the migrations.
///
/// # Errors
/// [`OpenError`].
pub async fn open(config: Arc<Config>, purpose: Purpose) -> Result<App, OpenError> {
    let staged = Arc::clone(&config);
    // It has logged what it could not remove.
    drop(tokio::task::spawn_blocking(move || remove_staged(&staged)).await);
    let vision = load_vision(&config, purpose).await;
    let app = open_with(config, vision, Arc::new(SystemClock), Arc::new(SystemRandom)).await?;
    refuse_strangers(app).await
}

/// Removes the databases that a command for a backup in a bucket has left on this machine, because it was killed.
pub(crate) fn remove_staged(config: &Config) {
    if let Err(error) = remove_left(&config.uploads.spill_dir) {
        tracing::warn!(%error, "a backup that was killed has left databases, perhaps with keys, which cannot be removed: remove them by hand");
    }
}

/// Refuses databases that do not belong together. With the keys of another installation, a node would consider every session erased, and
/// end those that wait for a decision; with a new database, it would begin a new installation in the place of one that is only missing.
///
/// # Errors
/// [`OpenError::KeysOfNobody`], [`OpenError::KeysOnly`].
pub(crate) async fn refuse_strangers(app: App) -> Result<App, OpenError> {
    let refusal = match find_strangers(&app.honnin).await {
        Ok(None) => return Ok(app),
        Ok(Some(refusal)) => refusal,
        Err(error) => {
            tracing::warn!(%error, "cannot tell whether the keys are those of the sessions");
            return Ok(app);
        }
    };
    // The opened database may be new and empty: none of its logs may remain beside the database that takes its place.
    if let Err(error) = app.honnin.close().await {
        tracing::warn!(%error, "closing");
    }
    Err(refusal)
}

async fn find_strangers(honnin: &Honnin) -> Result<Option<OpenError>, StoreError> {
    if lacks_all_keys(honnin).await? {
        return Ok(Some(OpenError::KeysOfNobody));
    }
    Ok(has_only_keys(honnin).await?.then_some(OpenError::KeysOnly))
}

/// Where a demonstration may send webhooks besides public addresses: to a receiver on the same machine.
const LOOPBACK: [IpNet; 2] = [
    IpNet::V4(Ipv4Net::new_assert(Ipv4Addr::new(127, 0, 0, 0), 8)),
    IpNet::V6(Ipv6Net::new_assert(Ipv6Addr::LOCALHOST, 128)),
];

/// Opens everything for the demonstration, with its webhook receiver.
///
/// # Errors
/// [`OpenError`].
pub async fn open_demo(config: Arc<Config>) -> Result<App, OpenError> {
    let vision = load_vision(&config, Purpose::Serve).await;
    open_demo_with(config, vision, Arc::new(SystemClock), Arc::new(SystemRandom)).await
}

/// The same with the given vision, clock and randomness.
///
/// # Errors
/// [`OpenError`].
pub async fn open_demo_with(
    config: Arc<Config>,
    vision: Vision,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
) -> Result<App, OpenError> {
    check_restored(&config)?;
    let inbox = Arc::new(Inbox::default());
    let mut allowed = config.webhooks.allow_networks.clone();
    allowed.extend(LOOPBACK);
    let sender = sender(&config, allowed)?.through(|network| inbox.before(network));
    let opening = Opening {
        inbox: Some(inbox),
        ..Opening::new(vision, clock, random, sender)
    };
    assemble(config, opening).await
}

async fn load_vision(config: &Config, purpose: Purpose) -> Vision {
    let models = beside::or(&config.models_dir, &["models", "../models", "../../models"]);
    let load: fn(&Path) -> Vision = if purpose.has_worker(config) {
        Vision::load
    } else {
        Vision::load_without_reader
    };
    // Reads and hashes 45 MB.
    let vision = tokio::task::spawn_blocking(move || load(&models)).await;
    let vision = vision.unwrap_or_else(|_| blind());
    for fault in vision.faults() {
        tracing::warn!(%fault, "sessions that need this go to human review");
    }
    vision
}

/// Opens everything but the models, for commands that analyse no pictures.
///
/// # Errors
/// [`OpenError`].
pub async fn open_without_models(config: Arc<Config>) -> Result<App, OpenError> {
    open_with(config, blind(), Arc::new(SystemClock), Arc::new(SystemRandom)).await
}

/// Opens an existing installation for a command about its contents. A new one is never created: with the wrong configuration, the command would find
/// it empty, and report it as intact.
///
/// # Errors
/// [`OpenError`].
pub(crate) async fn open_existing(config: Arc<Config>) -> Result<App, OpenError> {
    check_restored(&config)?;
    refuse_restoring(&config.database_url).await?;
    refuse_nothing(&config.database_url).await?;
    open_without_models(config).await
}

/// The same for a command about all keys, which must be those of the sessions. In another database of keys, a rotation would find nothing to encrypt,
/// and remove the version of the master key that the right one needs.
///
/// # Errors
/// [`OpenError`].
pub(crate) async fn open_with_its_keys(config: Arc<Config>) -> Result<App, OpenError> {
    refuse_strangers(open_existing(config).await?).await
}

async fn refuse_nothing(url: &str) -> Result<(), OpenError> {
    let Ok(place) = DatabasePlace::at(url) else {
        // Opening it reports what is wrong.
        return Ok(());
    };
    let nothing = match (place.is_empty().await, place) {
        (Ok(false) | Err(_), _) => return Ok(()),
        (Ok(true), DatabasePlace::File(path)) => format!("{} does not exist", path.display()),
        (Ok(true), DatabasePlace::Postgres(_)) => "the PostgreSQL database is empty".to_owned(),
    };
    Err(OpenError::NoInstallation(nothing))
}

/// No models: everything goes to review.
fn blind() -> Vision {
    Vision::load(Path::new(""))
}

/// Opens an installation whose restore is not finished.
///
/// # Errors
/// [`OpenError`].
pub(crate) async fn open_restored(config: Arc<Config>) -> Result<App, OpenError> {
    let sender = sender(&config, config.webhooks.allow_networks.clone())?;
    let opening = Opening {
        unfinished: Unfinished::Expected,
        ..Opening::new(blind(), Arc::new(SystemClock), Arc::new(SystemRandom), sender)
    };
    assemble(config, opening).await
}

/// Opens everything with the given vision, clock and randomness.
///
/// # Errors
/// [`OpenError`].
pub async fn open_with(
    config: Arc<Config>,
    vision: Vision,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
) -> Result<App, OpenError> {
    check_restored(&config)?;
    let sender = sender(&config, config.webhooks.allow_networks.clone())?;
    assemble(config, Opening::new(vision, clock, random, sender)).await
}

fn check_restored(config: &Config) -> Result<(), OpenError> {
    let path = config.data_dir.join(UNFINISHED);
    match path.try_exists() {
        Ok(false) => Ok(()),
        Ok(true) => Err(OpenError::Restoring(config.data_dir.clone())),
        Err(source) => Err(OpenError::RestoringUnknown { path, source }),
    }
}

/// Whether an installation is opened whose restore is not finished.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unfinished {
    Refused,
    Expected,
}

/// Refuses a database into which a backup is being restored, before opening it would migrate it.
async fn refuse_restoring(url: &str) -> Result<(), OpenError> {
    let Ok(place) = DatabasePlace::at(url) else {
        // Opening it reports what is wrong.
        return Ok(());
    };
    match place.is_restoring().await {
        Ok(false) => Ok(()),
        Ok(true) => Err(OpenError::RestoringDatabase),
        Err(error) => Err(on("database.url")(StoreError::Unavailable(error.to_string().into()))),
    }
}

/// How one way of opening an installation differs from another.
struct Opening {
    vision: Vision,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
    sender: WebhookSender,
    /// Receives the demonstration's webhooks.
    inbox: Option<Arc<Inbox>>,
    unfinished: Unfinished,
}

impl Opening {
    fn new(vision: Vision, clock: Arc<dyn Clock>, random: Arc<dyn Random>, sender: WebhookSender) -> Self {
        Self {
            vision,
            clock,
            random,
            sender,
            inbox: None,
            unfinished: Unfinished::Refused,
        }
    }
}

async fn assemble(config: Arc<Config>, opening: Opening) -> Result<App, OpenError> {
    make_private(&config.data_dir)?;
    if opening.unfinished == Unfinished::Refused {
        refuse_restoring(&config.database_url).await?;
    }
    let options = DbOptions {
        readers: config.connections,
        connections: config.connections,
        ..DbOptions::default()
    };
    let db = Db::open(&config.database_url, options)
        .await
        .map_err(on("database.url"))?;
    let vault = open_vault(&config, options, &db)
        .await
        .map_err(|error| vault_error(&config, error))?;
    let models_missing = opening.vision.missing().into();
    let honnin = Honnin::new(Parts {
        db,
        vault,
        pictures: pictures(&config)?,
        clock: opening.clock,
        random: opening.random,
        analyser: Arc::new(VisionAnalyser::new(opening.vision)),
        sender: Arc::new(opening.sender),
        provider: provider(&config)?,
        config: service_config(&config)?,
    });
    let restored = hold::is_on(&honnin).await.map_err(on("database.url"))?;
    Ok(App {
        restored,
        metrics: Arc::new(Metrics::new(honnin.db())),
        site: app::routes::site(honnin.clone(), site::assets(&config.site_dir)),
        honnin,
        tenants: TenantPool::new(config.max_requests),
        sending: Sending::new(config.picture_memory),
        waiting: Arc::new(Semaphore::new(places_to_wait(config.max_requests))),
        admission: Arc::new(Admission::new(&config.uploads)),
        models_missing,
        inbox: opening.inbox,
        stopping: CancellationToken::new(),
        #[cfg(debug_assertions)]
        reload: false,
        config,
    })
}

/// The setting that a fault of the vault is about.
fn vault_error(config: &Config, error: MasterKeyError) -> OpenError {
    match error {
        MasterKeyError::Store(source @ (StoreError::Locked(_) | StoreError::Corrupt(_))) => {
            on(config.master_key.setting())(source)
        }
        MasterKeyError::Store(source) => on("database.keys_url")(source),
        source => OpenError::MasterKey {
            setting: config.master_key.setting(),
            source,
        },
    }
}

/// The part of the configuration that operations read.
fn service_config(config: &Config) -> Result<ServiceConfig, OpenError> {
    Ok(ServiceConfig {
        base_url: config.base_url.clone(),
        creation_rate: CreationRate {
            per_minute: config.rates.creations_per_minute,
            burst: config.rates.creation_burst,
        },
        retention: config.retention,
        local_sign_in: config.openid.local_sign_in,
        secret_age: config.secret_age,
        secrets: held(config).map_err(|source| OpenError::MasterKey {
            setting: config.master_key.setting(),
            source,
        })?,
    })
}

/// The OpenID provider, if there is one. It is first contacted when somebody signs in, because it may be unavailable at the moment.
fn provider(config: &Config) -> Result<Option<Provider>, OpenError> {
    let Some(provider) = &config.openid.provider else {
        return Ok(None);
    };
    let connection = ProviderConnection::new(config.openid.ca_file.as_deref())
        .map_err(|error| OpenError::Provider(error.to_string()))?;
    Ok(Some(Provider::new(provider.clone(), Arc::new(connection))))
}

fn pictures(config: &Config) -> Result<Pictures, OpenError> {
    match picture_place(config)? {
        PicturePlace::Folder(folder) => Pictures::in_folder(&folder).map_err(on("storage.pictures_dir")),
        PicturePlace::Bucket(pictures) => Ok(pictures),
    }
}

/// Where the pictures are. A folder is not opened: it may not exist yet.
pub(crate) fn picture_place(config: &Config) -> Result<PicturePlace, OpenError> {
    match &config.pictures {
        PictureStore::Folder(folder) => Ok(PicturePlace::Folder(folder.clone())),
        PictureStore::Bucket(name) => Pictures::in_bucket(&bucket(&config.s3, name)?)
            .map(PicturePlace::Bucket)
            .map_err(on("s3")),
    }
}

/// A bucket on the S3 server of the configuration.
pub(crate) fn bucket(server: &S3, BucketName { name, prefix }: &BucketName) -> Result<Bucket, OpenError> {
    Ok(Bucket {
        name: name.clone(),
        prefix: prefix.clone(),
        endpoint: server.endpoint.clone(),
        region: server.region.clone(),
        path_style: server.path_style,
        credentials: server.credentials.clone(),
        role: server.role.clone(),
        extra_roots: authorities("s3.ca_file", server.ca_file.as_deref())?,
    })
}

/// The certificate authorities of a file, if there is one.
fn authorities(setting: &'static str, file: Option<&Path>) -> Result<Vec<CertificateDer<'static>>, OpenError> {
    let Some(path) = file else { return Ok(Vec::new()) };
    http_client::certificates(path).map_err(|reason| OpenError::Authorities {
        setting,
        path: path.to_owned(),
        reason,
    })
}

fn sender(config: &Config, allow_networks: Vec<IpNet>) -> Result<WebhookSender, OpenError> {
    let extra_roots = authorities("webhooks.extra_ca_file", config.webhooks.extra_ca_file.as_deref())?;
    Ok(WebhookSender::new(SenderConfig {
        allow_networks,
        refuse_networks: config.webhooks.refuse_networks.clone(),
        extra_roots,
        ..SenderConfig::default()
    })?)
}

/// Makes the data folder accessible to its owner only, even if it already existed. A volume may belong to another user and be
/// shared through its group; then its mode cannot be changed, and a warning is logged.
fn make_private(path: &Path) -> Result<(), OpenError> {
    let made = create_durably(path);
    #[cfg(unix)]
    let made = made.and_then(|()| shut_out_others(path));
    made.map_err(|source| OpenError::Folder {
        path: path.to_owned(),
        source,
    })
}

#[cfg(unix)]
fn shut_out_others(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    const OTHERS: u32 = 0o077;
    let mut mode = std::fs::metadata(path)?.permissions();
    if mode.mode() & OTHERS == 0 {
        return Ok(());
    }
    mode.set_mode(mode.mode() & !OTHERS);
    if let Err(error) = std::fs::set_permissions(path, mode) {
        tracing::warn!(path = %path.display(), %error, "other users can read the data folder, which contains the keys");
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use domain::{
        document::{DocumentType, Side},
        findings::Unavailable,
    };
    use std::{
        fs::{Permissions, metadata, set_permissions},
        os::unix::fs::PermissionsExt as _,
    };

    #[test]
    fn a_data_folder_that_was_open_to_others_is_shut() {
        let folder = tempfile::tempdir().unwrap();
        set_permissions(folder.path(), Permissions::from_mode(0o2775)).unwrap();
        for path in [folder.path().to_owned(), folder.path().join("new/data")] {
            make_private(&path).unwrap();
            assert_eq!(metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        }
    }

    #[tokio::test]
    async fn only_a_process_with_a_worker_reads_documents_and_all_have_the_models() {
        let photo = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/samples/sample1.jpg");
        let photo = vision::normalise(&std::fs::read(photo).unwrap()).unwrap();
        for (purpose, embedded, unread) in [
            (Purpose::Serve, true, None),
            (Purpose::Serve, false, Some(Unavailable::Text)),
            (Purpose::Work, true, None),
            (Purpose::Work, false, None),
        ] {
            let mut layers = crate::config::Layers::defaults();
            layers.set("models.dir", concat!(env!("CARGO_MANIFEST_DIR"), "/../models"));
            layers.set("worker.embedded", embedded);
            let vision = load_vision(&Config::read(&layers).unwrap(), purpose).await;
            assert_eq!(vision.missing(), [], "{:?}", vision.faults());
            let today = time::macros::date!(2026 - 11 - 21);
            let found = vision.examine_document(&photo, DocumentType::Passport, Side::Front, today);
            let expected: Vec<_> = unread.into_iter().collect();
            assert_eq!(found.unavailable, expected, "{purpose:?}, embedded: {embedded}");
        }
    }

    #[test]
    fn a_mark_of_a_restore_that_cannot_be_looked_for_is_not_missing() {
        let folder = tempfile::tempdir().unwrap();
        let mut layers = crate::config::Layers::defaults();
        layers.set("data_dir", folder.path().to_str().unwrap());
        let config = Config::read(&layers).unwrap();
        assert!(check_restored(&config).is_ok());
        std::os::unix::fs::symlink(UNFINISHED, folder.path().join(UNFINISHED)).unwrap();
        let refused = check_restored(&config).unwrap_err().to_string();
        assert!(refused.contains(UNFINISHED), "{refused}");
        assert!(refused.starts_with("cannot look into the data folder"), "{refused}");
    }
}
