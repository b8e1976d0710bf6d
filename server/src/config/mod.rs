//! The settings: a documented default file in the program, overridden by `--config FILE`, overridden by the environment. The
//! only place that reads environment variables.

mod audit;
mod layers;
mod master_key;
mod openid;
mod pictures;
mod read;

#[cfg(test)]
mod tests;

pub use audit::{Audit, AuditExport};
pub use layers::{ClientVariables, Layers, Origin};
pub use master_key::{KeyService, MasterKey};
pub use openid::OpenId;
pub use pictures::{BucketName, PictureStore, S3};

use crate::edge::{Certificate, ForwardingHeader, Limits, Proxies};
use domain::{network::canonical, time::Millis};
use ipnet::IpNet;
use read::Reader;
use service::{jobs::sweep::Retention, request_log::Kept};
use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    time::Duration,
};
use tracing_subscriber::filter::{EnvFilter, LevelFilter};
use url::Url;

/// The documented defaults.
pub const DEFAULTS: &str = include_str!("../../default.toml");

const MIB: usize = 1024 * 1024;
/// The longest `uploads.patience`, in seconds. With the two minutes that an upload that has arrived may wait as well, a phone must not consider
/// its connection dead ([`app::camera::retry::DEAD_MS`]), or it would send the same picture again and again.
pub(crate) const MOST_PATIENCE: u64 = 50;

/// One thing wrong with the settings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key} ({origin}): {message}")]
pub struct Fault {
    /// Which setting.
    pub key: String,
    /// Where its value comes from.
    pub origin: Origin,
    /// What is wrong.
    pub message: String,
}

/// Settings that were read and validated.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where to listen.
    pub listen: SocketAddr,
    /// The address of `/metrics` for Prometheus; `None` if it is off.
    pub metrics_listen: Option<SocketAddr>,
    /// The public URL of the installation.
    pub base_url: Url,
    /// Folder for everything stored.
    pub data_dir: PathBuf,
    /// Main database.
    pub database_url: String,
    /// Database of the data keys.
    pub keys_url: String,
    /// Connection pool size of each.
    pub connections: u32,
    /// Where the master key comes from.
    pub master_key: MasterKey,
    /// Where encrypted pictures are.
    pub pictures: PictureStore,
    /// How buckets are reached.
    pub s3: S3,
    /// Model files.
    pub models_dir: PathBuf,
    /// The browser's half.
    pub site_dir: PathBuf,
    /// The trusted reverse proxies.
    pub proxies: Proxies,
    /// Limits of connections.
    pub limits: Limits,
    /// Concurrent requests.
    pub max_requests: usize,
    /// Memory for all request bodies together, in bytes, before their requests run.
    pub body_memory: usize,
    /// Memory for all pictures together, in bytes, while they are being sent.
    pub picture_memory: usize,
    /// Uploads.
    pub uploads: Uploads,
    /// TLS.
    pub tls: Tls,
    /// The audit log.
    pub audit: Audit,
    /// Signing in to the console with a provider.
    pub openid: OpenId,
    /// Webhooks.
    pub webhooks: Webhooks,
    /// Background jobs.
    pub worker: Worker,
    /// How long rows are kept that are not part of a session.
    pub retention: Retention,
    /// The maximum age of a secret.
    pub secret_age: Millis,
    /// Rate limits.
    pub rates: Rates,
    /// Logs.
    pub log: Log,
}

/// Whether and how the server speaks TLS itself.
#[derive(Clone, Debug)]
pub enum Tls {
    /// Off.
    Off,
    /// With a self-signed certificate.
    SelfSigned,
    /// With a certificate from files.
    Files(Certificate),
}

/// Settings of uploads.
#[derive(Clone, Debug)]
pub struct Uploads {
    /// Memory of all uploads together, in MiB.
    pub room: usize,
    /// Disk for all uploads together while they arrive, in MiB.
    pub spill: usize,
    /// Folder whose disk that is.
    pub spill_dir: PathBuf,
    /// How many may wait for memory.
    pub waiting: usize,
    /// How long each may wait.
    pub wait_at_most: Duration,
    /// An upload from which no byte arrives for this long loses its place.
    pub stall: Duration,
}

/// Settings of webhooks.
#[derive(Clone, Debug)]
pub struct Webhooks {
    /// Whether deliveries are held.
    pub hold: bool,
    /// Allowed although not public.
    pub allow_networks: Vec<IpNet>,
    /// Never sent to although public.
    pub refuse_networks: Vec<IpNet>,
    /// Additional certificate authorities.
    pub extra_ca_file: Option<PathBuf>,
}

/// Settings of background jobs.
#[derive(Clone, Copy, Debug)]
pub struct Worker {
    /// Whether `serve` runs them too.
    pub embedded: bool,
    /// Concurrent jobs.
    pub concurrency: usize,
}

/// Rate limits. 0 means no limit.
#[derive(Clone, Copy, Debug)]
pub struct Rates {
    /// Sessions of a tenant per minute.
    pub creations_per_minute: u32,
    /// Burst of sessions of a tenant.
    pub creation_burst: u32,
}

/// Settings of logs.
#[derive(Clone, Debug)]
pub struct Log {
    /// One JSON object per line instead of text.
    pub json: bool,
    /// The log filter.
    pub level: String,
}

impl Config {
    /// Reads the settings from the layers.
    ///
    /// # Errors
    /// All faults, not only the first one.
    pub fn read(layers: &Layers) -> Result<Self, Vec<Fault>> {
        let mut reader = Reader::new(layers);
        let config = Self::build(&mut reader);
        match config {
            Some(config) if reader.faults.is_empty() => Ok(config),
            _ => Err(reader.faults),
        }
    }

    /// `None` if a fault was noted.
    fn build(reader: &mut Reader<'_>) -> Option<Self> {
        let listen = reader.parsed::<SocketAddr>("listen", "an address and a port, such as 127.0.0.1:3000");
        let metrics_listen = metrics_listen(reader, listen);
        let data_dir = PathBuf::from(reader.filled("data_dir"));
        let tls = tls(reader);
        let base_url = base_url(reader, listen, tls.as_ref());
        let database_url = database_url(reader, "database.url", &data_dir.join("honnin.db"));
        let keys_url = keys_url(reader, &database_url, &data_dir);
        let limits = limits(reader);
        // All are read before a missing one ends this, so that every fault is reported at once.
        let proxies = proxies(reader);
        let master_key = master_key::read(reader, &data_dir);
        let s3 = pictures::read_server(reader);
        let log = Log::read(reader);
        Some(Self {
            connections: reader.number("database.connections", 2..=1000),
            pictures: pictures::read(reader, &data_dir),
            models_dir: reader.filled("models.dir").into(),
            site_dir: crate::beside::site(Path::new(&reader.filled("site.dir"))),
            limits,
            max_requests: reader.number("http.max_requests", 1..=1_000_000),
            uploads: Uploads::read(reader, &data_dir),
            body_memory: reader.number::<usize>("http.body_memory", 1..=65_536) * MIB,
            picture_memory: reader.number::<usize>("http.picture_memory", 16..=65_536) * MIB,
            audit: audit::read(reader),
            openid: openid::read(reader),
            webhooks: Webhooks::read(reader),
            worker: Worker::read(reader),
            retention: retention(reader),
            secret_age: reader.days("secrets.max_age_days", 1),
            rates: Rates::read(reader),
            master_key: master_key?,
            s3: s3?,
            proxies: proxies?,
            log: log?,
            listen: listen?,
            metrics_listen,
            base_url: base_url?,
            tls: tls?,
            data_dir,
            database_url,
            keys_url,
        })
    }

    /// Folder of the self-signed certificate.
    #[must_use]
    pub fn tls_dir(&self) -> PathBuf {
        self.data_dir.join("tls")
    }
}

fn limits(reader: &mut Reader<'_>) -> Limits {
    Limits {
        connections: reader.number("http.max_connections", 1..=1_000_000),
        head: reader.seconds("http.header_timeout"),
        body: reader.seconds("http.body_grace"),
        idle: reader.seconds("http.idle_timeout"),
        write: reader.seconds("http.write_timeout"),
        // The router knows what an operation accepts.
        announced: |_| u64::MAX,
        head_bytes: reader.number("http.max_header_bytes", 8192..=1 << 20),
        stop: reader.seconds("http.stop_timeout"),
    }
}

/// `None` if a fault was noted.
fn proxies(reader: &mut Reader<'_>) -> Option<Proxies> {
    let forwarding = [
        ("x-forwarded-for", ForwardingHeader::XForwardedFor),
        ("forwarded", ForwardingHeader::Forwarded),
    ];
    let header = reader.choice("http.forwarding_header", &forwarding);
    let trusted = reader.networks("http.trusted_proxies");
    Some(Proxies {
        trusted: trusted.into_iter().map(canonical).collect(),
        header: header?,
    })
}

fn retention(reader: &mut Reader<'_>) -> Retention {
    Retention {
        audit: reader.days("retention.audit_days", 30),
        // The retries of a delivery take three days.
        deliveries: reader.days("retention.deliveries_days", 7),
        events: reader.days("retention.events_days", 1),
        finished_jobs: reader.days("retention.finished_jobs_days", 1),
        requests: Kept {
            most: reader.number("retention.requests_per_tenant", 0..=1_000_000),
            age: reader.days("retention.requests_days", 1),
        },
    }
}

impl Uploads {
    fn read(reader: &mut Reader<'_>, data_dir: &Path) -> Self {
        Self {
            room: reader.number("uploads.room", 1..=1024),
            spill: reader.number("uploads.spill", 0..=1 << 20),
            spill_dir: spill_dir(reader, data_dir),
            waiting: reader.number("uploads.waiting", 1..=1_000_000),
            wait_at_most: Duration::from_secs(reader.number("uploads.patience", 1..=MOST_PATIENCE)),
            stall: reader.seconds("uploads.stall"),
        }
    }
}

impl Webhooks {
    fn read(reader: &mut Reader<'_>) -> Self {
        let ca = reader.text("webhooks.extra_ca_file");
        Self {
            hold: reader.flag("webhooks.hold"),
            allow_networks: reader.networks("webhooks.allow_networks"),
            refuse_networks: reader.networks("webhooks.refuse_networks"),
            extra_ca_file: (!ca.is_empty()).then(|| ca.into()),
        }
    }
}

impl Worker {
    fn read(reader: &mut Reader<'_>) -> Self {
        let concurrency = match reader.number::<usize>("worker.concurrency", 0..=1024) {
            0 => std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            given => given,
        };
        Self {
            embedded: reader.flag("worker.embedded"),
            concurrency,
        }
    }
}

impl Rates {
    fn read(reader: &mut Reader<'_>) -> Self {
        Self {
            creations_per_minute: reader.number("limits.creations_per_minute", 0..=1_000_000),
            creation_burst: reader.number("limits.creation_burst", 1..=1_000_000),
        }
    }
}

impl Log {
    /// `None` if a fault was noted.
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let json = reader.choice("log.format", &[("text", false), ("json", true)]);
        let level = log_level(reader);
        Some(Self { json: json?, level })
    }
}

/// The folder for uploads that arrive. The data folder is created at start; another one must be there.
fn spill_dir(reader: &mut Reader<'_>, data_dir: &Path) -> PathBuf {
    const KEY: &str = "uploads.spill_dir";
    let folder = PathBuf::from(reader.text(KEY));
    if folder.as_os_str().is_empty() {
        return data_dir.to_owned();
    }
    if !folder.is_dir() {
        reader.fault(KEY, "must be a folder that exists");
    }
    folder
}

fn metrics_listen(reader: &mut Reader<'_>, listen: Option<SocketAddr>) -> Option<SocketAddr> {
    const KEY: &str = "metrics_listen";
    if reader.text(KEY).is_empty() {
        return None;
    }
    let address = reader.parsed::<SocketAddr>(KEY, "an address and a port, such as 127.0.0.1:9464");
    // Port 0 is a different port each time.
    if address.is_some_and(|address| address.port() != 0) && address == listen {
        reader.fault(KEY, "must differ from listen, because /metrics has no authentication");
    }
    address
}

fn tls(reader: &mut Reader<'_>) -> Option<Tls> {
    let files = Certificate {
        certificate: reader.text("tls.certificate").into(),
        key: reader.text("tls.key").into(),
    };
    let mode = reader.choice("tls.mode", &[("off", 0), ("self-signed", 1), ("files", 2)])?;
    if mode == 2 {
        for (key, path) in [("tls.certificate", &files.certificate), ("tls.key", &files.key)] {
            if path.as_os_str().is_empty() {
                reader.fault(key, "must name a PEM file if tls.mode is \"files\"");
            }
        }
    }
    Some(match mode {
        0 => Tls::Off,
        1 => Tls::SelfSigned,
        _ => Tls::Files(files),
    })
}

fn base_url(reader: &mut Reader<'_>, listen: Option<SocketAddr>, tls: Option<&Tls>) -> Option<Url> {
    const KEY: &str = "base_url";
    let text = reader.text(KEY);
    if text.is_empty() {
        let port = listen?.port();
        return match tls? {
            Tls::Off => Url::parse(&format!("http://localhost:{port}/")).ok(),
            Tls::Files(_) => Url::parse(&format!("https://localhost:{port}/")).ok(),
            Tls::SelfSigned => {
                let lan = crate::edge::local_addresses()
                    .into_iter()
                    .find(std::net::IpAddr::is_ipv4);
                let host = lan.filter(|_| !listen.is_some_and(|at| at.ip().is_loopback()));
                Url::parse(&format!(
                    "https://{}:{port}/",
                    host.map_or("localhost".to_owned(), |ip| ip.to_string())
                ))
                .ok()
            }
        };
    }
    let Ok(url) = Url::parse(&text) else {
        reader.fault(KEY, "must be a URL such as https://verify.example.com");
        return None;
    };
    let bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() || !bare {
        reader.fault(
            KEY,
            "must consist of http:// or https://, a host and optionally a port, and nothing else",
        );
        return None;
    }
    Some(url)
}

fn database_url(reader: &mut Reader<'_>, key: &str, default: &Path) -> String {
    let url = reader.text(key);
    if url.is_empty() {
        return format!("sqlite://{}", default.display());
    }
    if !["sqlite:", "postgres:", "postgresql:"]
        .iter()
        .any(|scheme| url.starts_with(scheme))
    {
        // The value may contain a password and is not repeated.
        reader.fault(key, "must begin with sqlite: or postgres:");
    } else if !url.starts_with("sqlite:") && !Url::parse(&url).is_ok_and(|url| !url.cannot_be_a_base()) {
        reader.fault(
            key,
            "must be a URL such as postgres://USER:PASSWORD@HOST/NAME; percent-encode the password",
        );
    }
    url
}

fn keys_url(reader: &mut Reader<'_>, main: &str, data_dir: &Path) -> String {
    const KEY: &str = "database.keys_url";
    let url = database_url(reader, KEY, &data_dir.join("keys.db"));
    if url == main {
        reader.fault(KEY, "must differ from database.url");
    } else if main.starts_with("postgres") && reader.text(KEY).is_empty() {
        reader.fault(KEY, "must be set if database.url is a PostgreSQL address");
    }
    url
}

fn log_level(reader: &mut Reader<'_>) -> String {
    let level = reader.filled("log.level");
    if level.parse::<EnvFilter>().is_err() || !level.split(',').any(says_a_level) {
        reader.fault(
            "log.level",
            "must be error, warn, info, debug, trace, or a filter such as info,service=debug",
        );
    }
    level
}

/// Whether a part of a filter says which level is meant. If none does, as in "warning", each part would be taken for the name of a crate, and only
/// those crates would be logged.
fn says_a_level(part: &str) -> bool {
    part.contains(['=', '[']) || !part.is_empty() && part.parse::<LevelFilter>().is_ok()
}
