//! The whole server in this process, as run by `honnin serve`, and the rows it writes.

use server::{
    config::{Config, Layers},
    open::open_without_models,
    serve::{listen, serve},
    state::App,
};
use service::{
    access::Operator,
    settings::create_tenant::{NewTenant, create_tenant},
};
use sqlx::SqliteConnection;
use std::{net::SocketAddr, path::Path, sync::Arc, time::Duration};
use testkit::floors::Bare;
use tokio::task::JoinHandle;

/// What a customer sends for each user.
pub(crate) const BODY: &str = r#"{"metadata":{"order":"A-1029"},"state":"b1f0c2","preRegisteredInfo":{"lastName":"田中","firstName":"花子","birthDate":"1990-02-28"}}"#;

/// A server with one tenant.
pub(crate) struct System {
    app: App,
    serving: JoinHandle<()>,
    pub(crate) address: SocketAddr,
    pub(crate) tenant: String,
    key: String,
}

impl System {
    /// On a fresh data folder, with the default settings except for the rate limit; on other databases if their addresses are
    /// given.
    pub(crate) async fn start(folder: &Path, databases: Option<(&str, &str)>) -> Self {
        let mut layers = Layers::defaults();
        layers.set("data_dir", folder.to_str().unwrap());
        layers.set("listen", "127.0.0.1:0");
        layers.set("base_url", "https://id.example");
        // A limit that is never reached costs as much as any other.
        layers.set("limits.creations_per_minute", 1_000_000_i64);
        layers.set("limits.creation_burst", 1_000_000_i64);
        if let Some((main, keys)) = databases {
            layers.set("database.url", main);
            layers.set("database.keys_url", keys);
        }
        let config = Arc::new(Config::read(&layers).unwrap());
        let app = open_without_models(Arc::clone(&config)).await.unwrap();
        let listening = listen(&config).unwrap();
        let address = listening.address;
        let serving = serve(app.clone(), listening);
        let serving = tokio::spawn(async move { serving.await.unwrap() });
        let new = NewTenant {
            name: "Example Shop".into(),
            settings: domain::tenant::TenantSettings {
                steps: domain::session::Step::ALL.to_vec(),
                ..Default::default()
            },
            mode: domain::tenant::Mode::Live,
        };
        let made = create_tenant(&app.honnin, &Operator::at_command_line(), new)
            .await
            .unwrap();
        Self {
            app,
            serving,
            address,
            tenant: made.id.to_string(),
            key: made.key.expose().clone(),
        }
    }

    /// The bytes of one creation.
    pub(crate) fn creation(&self) -> Vec<u8> {
        let head = self.head("POST /v1/verification-sessions");
        format!("{head}content-length: {}\r\n\r\n{BODY}", BODY.len()).into_bytes()
    }

    /// The bytes of one reading.
    pub(crate) fn reading(&self, id: &str) -> Vec<u8> {
        format!("{}\r\n", self.head(&format!("GET /v1/verification-sessions/{id}"))).into_bytes()
    }

    fn head(&self, line: &str) -> String {
        format!(
            "{line} HTTP/1.1\r\nhost: id.example\r\nauthorization: Bearer {}\r\n",
            self.key
        )
    }

    /// Stops as at SIGTERM.
    pub(crate) async fn stop(self) {
        self.app.stopping.cancel();
        self.serving.await.unwrap();
    }
}

const SESSION: &str = r#"INSERT INTO sessions (id, tenant_id, status, plan, created_at, expires_at, attempt, version, data_key,
    metadata, state, known) VALUES ('vs_' || $1, $2, 'created', '{"steps":["document","selfie"]}', 1785663000000, 1786267800000, 1, 0,
    'dk_' || $1, '{"order":"A-1029"}', zeroblob(47), zeroblob(120))"#;
const LINK: &str = "INSERT INTO links (hash, session_id, created_at, expires_at)
    VALUES ($1, 'vs_' || $2, 1785663000000, 1785835800000)";
const JOB: &str =
    "INSERT INTO jobs (kind, subject, dedup_key, run_at) VALUES ('expire', 'vs_' || $1, NULL, 1786267800000)
    RETURNING id";
const AUDIT: &str = "INSERT INTO audit (at, tenant_id, actor, action, subject, detail, address)
    VALUES (1785663000000, $1, 'key_0123456789abcdef0123456789abcdef', $2, 'vs_' || $3, NULL, '127.0.0.1')";

/// Inserts the rows of a creation in the bare loop.
pub(crate) async fn insert_creations(bare: &mut Bare, tenant: &str, rows: usize, per_commit: usize) -> Vec<Duration> {
    bare.insert(rows, per_commit, async |connection, _| {
        let id = hex::encode(rand::random::<[u8; 16]>());
        let hash = rand::random::<[u8; 32]>().to_vec();
        run(sqlx::query(SESSION).bind(&id).bind(tenant), connection).await;
        run(sqlx::query(LINK).bind(&hash).bind(&id), connection).await;
        run(sqlx::query(JOB).bind(&id), connection).await;
        run(
            sqlx::query(AUDIT).bind(tenant).bind("session.create").bind(&id),
            connection,
        )
        .await;
    })
    .await
}

/// Inserts the row of a read in the bare loop.
pub(crate) async fn insert_readings(bare: &mut Bare, tenant: &str, rows: usize, per_commit: usize) -> Vec<Duration> {
    bare.insert(rows, per_commit, async |connection, _| {
        let id = hex::encode(rand::random::<[u8; 16]>());
        run(
            sqlx::query(AUDIT).bind(tenant).bind("session.read").bind(&id),
            connection,
        )
        .await;
    })
    .await
}

type Query<'q> = sqlx::query::Query<'q, sqlx::Sqlite, sqlx::sqlite::SqliteArguments>;

async fn run(query: Query<'_>, connection: &mut SqliteConnection) {
    query.execute(connection).await.unwrap();
}

/// The rows of a creation as a script for pgbench.
pub(crate) fn pgbench_script(tenant: &str) -> String {
    let id = "md5(random()::text || clock_timestamp()::text)";
    let text = |sql: &str| sql.replace("zeroblob(47)", "decode(repeat('00', 47), 'hex')");
    let text = |sql: &str| {
        text(sql)
            .replace("zeroblob(120)", "decode(repeat('00', 120), 'hex')")
            .replace('\n', " ")
    };
    let fill = |sql: &str, values: &[&str]| {
        let numbered = values.iter().enumerate();
        numbered.fold(text(sql), |sql, (at, value)| {
            sql.replace(&format!("${}", at + 1), value)
        }) + ";\n"
    };
    let (tenant, hash) = (
        format!("'{tenant}'"),
        "decode(CAST(:id AS text) || CAST(:id AS text), 'hex')",
    );
    [
        format!("SELECT {id} AS id \\gset\n"),
        "BEGIN;\n".into(),
        fill(SESSION, &["CAST(:id AS text)", &tenant]),
        fill(LINK, &[hash, "CAST(:id AS text)"]),
        fill(JOB, &["CAST(:id AS text)"]),
        fill(AUDIT, &[&tenant, "'session.create'", "CAST(:id AS text)"]),
        "COMMIT;\n".into(),
    ]
    .concat()
}
