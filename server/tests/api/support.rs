//! A separate server for each test, and a client that sends exactly the given bytes.

use domain::{
    ids::{SessionId, TenantId},
    session::Step,
    tenant::{Mode, TenantSettings},
    time::{ManualClock, Timestamp},
};
use server::{
    config::{Config, Layers},
    open::{open_demo_with, open_with},
    serve::{listen, serve},
    state::App,
};
use service::{
    access::Operator,
    runtime::random::{Random, SystemRandom},
    settings::create_tenant::{CreatedTenant, NewTenant, create_tenant},
};
use std::{
    fmt::Write as _,
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
};
use store::{
    folders,
    session::sessions::{self, SessionRow},
    settings::tenants,
};
use tempfile::TempDir;
use testkit::{databases::run_at, template};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpSocket, TcpStream},
    task::JoinHandle,
};
use vision::Vision;

/// 2026-08-02T09:30:00Z.
pub(crate) const START: Timestamp = Timestamp::from_millis(1_785_663_000_000);
pub(crate) const SESSIONS: &str = "/v1/verification-sessions";

/// A running server with one tenant.
pub(crate) struct Server {
    pub(crate) app: App,
    pub(crate) address: SocketAddr,
    /// The address of `/metrics`, if it is on.
    pub(crate) metrics: Option<SocketAddr>,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) tenant: TenantId,
    pub(crate) key: String,
    pub(crate) webhook_secret: String,
    pub(crate) task: JoinHandle<()>,
    folder: TempDir,
}

/// Both steps, one callback URL.
pub(crate) fn settings() -> TenantSettings {
    TenantSettings {
        steps: Step::ALL.to_vec(),
        callback_urls: vec!["https://shop.example/done".into()],
        ..TenantSettings::default()
    }
}

impl Server {
    pub(crate) async fn new() -> Self {
        Self::with("").await
    }

    /// Without a worker: the test runs the background jobs itself.
    pub(crate) async fn without_worker() -> Self {
        Self::with("[worker]\nembedded = false\n").await
    }

    /// With a sandbox tenant.
    pub(crate) async fn sandbox() -> Self {
        Self::sandbox_with("").await
    }

    /// The same with further settings of the installation.
    pub(crate) async fn sandbox_with(toml: &str) -> Self {
        let mut server = Self::with(toml).await;
        let made = add_sandbox(&server.app, settings()).await;
        (server.tenant, server.key) = (made.id, made.key.expose().clone());
        server.webhook_secret = made.webhook_secret.expose().clone();
        server
    }

    /// With further settings of the installation, as TOML.
    pub(crate) async fn with(toml: &str) -> Self {
        Self::opened(toml, false).await
    }

    /// With the demonstration's inbox, and without a worker.
    pub(crate) async fn demo() -> Self {
        Self::opened("[worker]\nembedded = false\n", true).await
    }

    /// With another source of randomness.
    pub(crate) async fn with_random(random: Arc<dyn Random>) -> Self {
        Self::opened_with("", false, random).await
    }

    async fn opened(toml: &str, demo: bool) -> Self {
        Self::opened_with(toml, demo, Arc::new(SystemRandom)).await
    }

    async fn opened_with(toml: &str, demo: bool, random: Arc<dyn Random>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        folders::create_durably(&data).unwrap();
        template::copy_into(&data).await;
        let mut layers = Layers::defaults();
        layers.add_file("test.toml", toml);
        layers.set("data_dir", data.to_str().unwrap());
        layers.set("listen", "127.0.0.1:0");
        layers.set("base_url", "https://id.example");
        layers.set("models.dir", folder.path().to_str().unwrap());
        layers.set("site.dir", folder.path().to_str().unwrap());
        let config = Arc::new(Config::read(&layers).unwrap());
        std::fs::create_dir_all(folder.path().join("pkg")).unwrap();
        std::fs::write(folder.path().join("pkg/honnin.1234.css"), "body{}").unwrap();
        std::fs::write(folder.path().join("favicon.svg"), "<svg/>").unwrap();
        let clock = Arc::new(ManualClock::at(START));
        let vision = Vision::load(folder.path());
        let app = if demo {
            open_demo_with(Arc::clone(&config), vision, Arc::clone(&clock) as _, random).await
        } else {
            open_with(Arc::clone(&config), vision, Arc::clone(&clock) as _, random).await
        };
        let app = app.unwrap();
        let listening = listen(&config).unwrap();
        let (address, metrics) = (listening.address, listening.metrics_address());
        let serving = serve(app.clone(), listening);
        let task = tokio::spawn(async move { serving.await.unwrap() });
        let made = add_tenant(&app, settings()).await;
        let (key, webhook_secret) = (made.key.expose().clone(), made.webhook_secret.expose().clone());
        Self {
            app,
            address,
            metrics,
            clock,
            tenant: made.id,
            key,
            webhook_secret,
            task,
            folder,
        }
    }

    /// Runs SQL directly, on a separate connection. Returns the affected rows.
    pub(crate) async fn run(&self, sql: &'static str) -> u64 {
        run_at(&self.database_url(), sql).await
    }

    /// The address of the main database.
    pub(crate) fn database_url(&self) -> String {
        format!("sqlite://{}", self.folder.path().join("data/honnin.db").display())
    }

    /// A request with the tenant's key.
    pub(crate) async fn call(&self, method: &str, path: &str, body: &str) -> Answer {
        self.call_with(method, path, &[], body).await
    }

    /// The same with further headers.
    pub(crate) async fn call_with(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let bearer = format!("Bearer {}", self.key);
        let mut all = vec![("authorization", bearer.as_str())];
        all.extend(headers);
        self.send(method, path, &all, body).await
    }

    /// A request with these headers only.
    pub(crate) async fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut text = format!("{method} {path} HTTP/1.1\r\nhost: id.example\r\nconnection: close\r\n");
        for (name, value) in headers {
            write!(text, "{name}: {value}\r\n").unwrap();
        }
        if !body.is_empty() {
            write!(text, "content-length: {}\r\n", body.len()).unwrap();
        }
        text.push_str("\r\n");
        text.push_str(body);
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        // A server that refuses a body early may close before it has read all of it.
        drop(stream.write_all(text.as_bytes()).await);
        let mut bytes = Vec::new();
        drop(stream.read_to_end(&mut bytes).await);
        Answer::parse(&bytes)
    }

    /// A connection from a loopback address.
    pub(crate) async fn connect_from(&self, address: Ipv4Addr) -> TcpStream {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind((address, 0).into()).unwrap();
        socket.connect(self.address).await.unwrap()
    }

    /// Creates a session and returns the response's JSON.
    pub(crate) async fn create(&self, body: &str) -> serde_json::Value {
        let answer = self.call("POST", SESSIONS, body).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
        answer.json()
    }

    /// Changes a session directly in the database.
    pub(crate) async fn change(&self, id: &str, change: impl Fn(&mut SessionRow) + Send + 'static) {
        let id = SessionId::parse(id).unwrap();
        let unit = self.app.honnin.db().write(async move |tx| {
            let mut row = sessions::find_any(tx, &id).await?.unwrap();
            change(&mut row);
            sessions::save(tx, &mut row).await
        });
        unit.await.unwrap();
    }

    /// Gives the tenant other settings, or none.
    pub(crate) async fn save_settings(&self, settings: Option<TenantSettings>) {
        let id = self.tenant.clone();
        let unit = self.app.honnin.db().write(async move |tx| {
            let mut row = tenants::find(tx, &id).await?.unwrap();
            row.settings.clone_from(&settings);
            tenants::save(tx, &row).await
        });
        unit.await.unwrap();
    }
}

/// Another tenant of the same installation.
pub(crate) async fn add_tenant(app: &App, settings: TenantSettings) -> CreatedTenant {
    add_tenant_of(app, settings, Mode::Live).await
}

/// Another sandbox tenant.
pub(crate) async fn add_sandbox(app: &App, settings: TenantSettings) -> CreatedTenant {
    add_tenant_of(app, settings, Mode::Sandbox).await
}

async fn add_tenant_of(app: &App, settings: TenantSettings, mode: Mode) -> CreatedTenant {
    let new = NewTenant {
        name: "Example Shop".into(),
        settings,
        mode,
    };
    create_tenant(&app.honnin, &Operator::at_command_line(), new)
        .await
        .unwrap()
}

/// Waits until the server has begun with a request that says `expect: 100-continue`: it asks for the body.
pub(crate) async fn until_asked_for_body(stream: &mut TcpStream) {
    const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";
    let mut said = [0; CONTINUE.len()];
    stream.read_exact(&mut said).await.expect("an interim response");
    assert_eq!(said, CONTINUE, "{}", String::from_utf8_lossy(&said));
}

/// The text of a page after the first `before`, up to the next of `end`.
pub(crate) fn between<'a>(page: &'a str, before: &str, end: &[char]) -> &'a str {
    let (_, rest) = page
        .split_once(before)
        .unwrap_or_else(|| panic!("no {before} in {page}"));
    rest.split(end).next().unwrap_or_default()
}

/// A response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let mut lines = head.lines();
        let status = lines
            .next()
            .and_then(|line| line.split(' ').nth(1))
            .and_then(|code| code.parse().ok());
        let headers = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        Self {
            status: status.unwrap_or_default(),
            headers,
            body: body.to_owned(),
        }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// Status, the headers that matter to a caller of the API, body; with random parts replaced.
    pub(crate) fn shown(&self) -> String {
        let mut shown = format!("{}\n", self.status);
        for name in [
            "content-type",
            "cache-control",
            "www-authenticate",
            "allow",
            "retry-after",
        ] {
            if let Some(value) = self.header(name) {
                writeln!(shown, "{name}: {value}").unwrap();
            }
        }
        assert!(
            self.header("x-request-id").is_some_and(|id| id.starts_with("req_")),
            "every answer has a request id"
        );
        shown + &mask(&self.body)
    }
}

/// Replaces random ids and tokens.
pub(crate) fn mask(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = ["vs_", "tn_", "req_", "id.example/v/"]
        .iter()
        .filter_map(|p| rest.find(p).map(|at| (at, p.len())))
        .min()
    {
        let (at, length) = (at.0, at.1);
        let end = at + length;
        out.push_str(&rest[..end]);
        let random = rest[end..]
            .bytes()
            .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
            .count();
        out.push_str(if random >= 32 { "…" } else { &rest[end..end + random] });
        rest = &rest[end + random..];
    }
    out + rest
}

/// The content of a chunked body.
pub(crate) fn dechunked(body: &str) -> String {
    let (mut content, mut rest) = (String::new(), body);
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        content += &after[..size];
        rest = after[size..].strip_prefix("\r\n").unwrap();
    }
    content
}
