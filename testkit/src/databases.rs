//! Fresh databases for a test: SQLite in a temporary folder and, if `HONNIN_TEST_POSTGRES` names a temporary server, one on
//! PostgreSQL.

use crate::template;
use sqlx::{AssertSqlSafe, Connection, PgConnection, SqliteConnection};
use std::{cell::Cell, path::Path, sync::Arc};
use store::{
    Db, DbOptions,
    capture::pictures::Pictures,
    vault::{MasterKeys, Vault},
};
use tempfile::TempDir;

/// Few connections, since many tests share one Postgres.
pub const OPTIONS: DbOptions = DbOptions {
    readers: 4,
    connections: 8,
    timeout: std::time::Duration::from_secs(20),
    write: std::time::Duration::from_secs(120),
    read: std::time::Duration::from_secs(120),
};

/// Where an empty database is, before anything opens it.
#[derive(Clone)]
pub struct Address {
    /// For the message of an assertion.
    pub name: &'static str,
    /// The main database.
    pub url: String,
    /// The key database.
    pub keys_url: String,
    folder: Arc<TempDir>,
}

impl Address {
    /// A temporary folder of its own; on SQLite the databases lie in it.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

/// An address on every database there is to test on.
pub async fn addresses() -> Vec<Address> {
    let mut all = vec![sqlite_address(TempDir::new().unwrap())];
    if let Some(server) = postgres_server() {
        all.push(postgres_address(&server).await);
    }
    all
}

/// Files in the given folder.
pub fn sqlite_address(folder: TempDir) -> Address {
    let url = |file: &str| format!("sqlite://{}", folder.path().join(file).display());
    Address {
        name: "sqlite",
        url: url("honnin.db"),
        keys_url: url("keys.db"),
        folder: Arc::new(folder),
    }
}

/// The address of a new database on the server at `server`. Programs of PostgreSQL copy whole databases, not schemas.
pub async fn empty(server: &str) -> String {
    create(server, "").await
}

/// The same, in which texts are in the order of a language, such as `da`. The server must be of version 15 or later.
pub async fn empty_in(server: &str, language: &str) -> String {
    let order = format!("TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE '{language}'");
    create(server, &order).await
}

async fn create(server: &str, options: &str) -> String {
    let name = format!("d_{:032x}", rand::random::<u128>());
    let mut admin = PgConnection::connect(server).await.unwrap();
    template::run(&mut admin, format!("CREATE DATABASE {name} {options}")).await;
    admin.close().await.unwrap();
    template::database_of(server, &name)
}

/// A fresh, empty schema on the server at `server`.
pub async fn postgres_address(server: &str) -> Address {
    let schema = format!("t_{:032x}", rand::random::<u128>());
    let mut admin = PgConnection::connect(server).await.unwrap();
    let keys = format!("{schema}_keys");
    for schema in [&schema, &keys] {
        template::run(&mut admin, format!("CREATE SCHEMA {schema}")).await;
    }
    admin.close().await.unwrap();
    Address {
        name: "postgres",
        url: template::schema_of(server, &schema),
        keys_url: template::schema_of(server, &keys),
        folder: Arc::new(TempDir::new().unwrap()),
    }
}

/// One database under test, migrated.
#[derive(Clone)]
pub struct Backend {
    /// For the message of an assertion.
    pub name: &'static str,
    /// The main database.
    pub db: Db,
    /// Its URL.
    pub url: String,
    /// The URL of the key database.
    pub keys_url: String,
    folder: Arc<TempDir>,
    /// On PostgreSQL.
    _copy: Option<Arc<CopiedDatabase>>,
}

/// Every database to test on, empty and migrated.
pub async fn backends() -> Vec<Backend> {
    let mut all = vec![sqlite().await];
    if let Some(server) = postgres_server() {
        all.push(postgres(&server).await);
    }
    all
}

/// A fresh SQLite database.
pub async fn sqlite() -> Backend {
    sqlite_in(TempDir::new().unwrap()).await
}

/// A SQLite database in the given folder, fresh unless there is one.
pub async fn sqlite_in(folder: TempDir) -> Backend {
    if !folder.path().join("honnin.db").exists() {
        template::copy_into(folder.path()).await;
    }
    Backend::open(sqlite_address(folder), None).await
}

/// A fresh database on `server`.
pub async fn postgres(server: &str) -> Backend {
    let name = format!("t_{:032x}", rand::random::<u128>());
    let mut admin = PgConnection::connect(server).await.unwrap();
    let template = template::on_postgres(server, &mut admin).await;
    template::run(&mut admin, format!("CREATE DATABASE {name} TEMPLATE {template}")).await;
    admin.close().await.unwrap();
    let [url, keys_url] =
        template::SCHEMAS.map(|schema| template::schema_of(&template::database_of(server, &name), schema));
    let address = Address {
        name: "postgres",
        url,
        keys_url,
        folder: Arc::new(TempDir::new().unwrap()),
    };
    Backend::open(address, Some(Arc::new(CopiedDatabase(name)))).await
}

/// The name of a database that is dropped with its last holder: a thousand of them would need 10 GB.
struct CopiedDatabase(String);

impl Drop for CopiedDatabase {
    fn drop(&mut self) {
        let (Some(server), name) = (postgres_server(), std::mem::take(&mut self.0)) else {
            return;
        };
        // The runtime of the test may be ending.
        let dropped = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.unwrap().block_on(async {
                let mut admin = PgConnection::connect(&server).await?;
                let drop = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
                sqlx::raw_sql(AssertSqlSafe(drop)).execute(&mut admin).await
            })
        });
        // The server may have been stopped by the test, or with it.
        let _ = dropped.join();
    }
}

/// The throw-away server, where there is one.
#[expect(
    clippy::disallowed_methods,
    reason = "the server's address comes from the environment"
)]
pub fn postgres_server() -> Option<String> {
    std::env::var("HONNIN_TEST_POSTGRES")
        .ok()
        .filter(|server| !server.is_empty())
}

impl Backend {
    async fn open(address: Address, copy: Option<Arc<CopiedDatabase>>) -> Self {
        Self {
            name: address.name,
            db: Db::open(&address.url, OPTIONS).await.unwrap(),
            url: address.url,
            keys_url: address.keys_url,
            folder: address.folder,
            _copy: copy,
        }
    }

    /// The temporary folder of this backend.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Another [`Db`] on the same database, as after a restart.
    pub async fn reopen(&self) -> Db {
        Db::open(&self.url, OPTIONS).await.unwrap()
    }

    /// A vault on this backend's key database; each call simulates another process.
    pub async fn vault(&self) -> Vault {
        let master = MasterKeys::load_or_create(&self.folder().join("master.key")).unwrap();
        Vault::open_at(&self.keys_url, OPTIONS, master).await.unwrap()
    }

    /// The pictures of this backend.
    pub fn pictures(&self) -> Pictures {
        Pictures::in_folder(&self.folder().join("pictures")).unwrap()
    }

    /// Runs SQL directly, on a separate connection. Returns the affected rows.
    pub async fn run(&self, sql: &'static str) -> u64 {
        run_at(&self.url, sql).await
    }

    /// Reads one number directly.
    pub async fn number(&self, sql: &'static str) -> i64 {
        number_at(&self.url, sql).await
    }

    /// Whether a unit waits for what another one has locked, on PostgreSQL.
    pub async fn one_waits(&self) -> bool {
        let waiting =
            "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        self.number(waiting).await > 0
    }

    /// Runs `unit` while another transaction has made `change`, which is committed once a unit waits for it or `unit` is done. On PostgreSQL.
    pub async fn beside<T>(&self, change: &str, unit: impl Future<Output = T>) -> T {
        self.beside_both(change, "SELECT 1", unit).await
    }

    /// The same, and the other transaction makes a second change before it is committed. Fails if `unit`, while it waits for the first, holds what
    /// the second needs: each would wait for the other.
    pub async fn beside_both<T>(&self, change: &str, second: &str, unit: impl Future<Output = T>) -> T {
        let mut other = PgConnection::connect(&self.url).await.unwrap();
        let begun = format!("BEGIN; {change}");
        sqlx::raw_sql(AssertSqlSafe(begun)).execute(&mut other).await.unwrap();
        let is_done = Cell::new(false);
        let unit = async {
            let answer = unit.await;
            is_done.set(true);
            answer
        };
        let commit = async {
            while !is_done.get() && !self.one_waits().await {
                tokio::task::yield_now().await;
            }
            let end = format!("SET LOCAL lock_timeout = '500ms'; {second}; COMMIT");
            sqlx::raw_sql(AssertSqlSafe(end)).execute(&mut other).await.unwrap();
        };
        tokio::join!(unit, commit).0
    }
}

/// Runs a query on a connection of its own to the database at `url`, whichever kind it is.
macro_rules! query_at {
    ($url:expr, $query:expr, $run:ident $(, $of_result:ident)?) => {
        if $url.starts_with("sqlite") {
            let mut connection = SqliteConnection::connect($url).await.unwrap();
            $query.$run(&mut connection).await.unwrap()$(.$of_result())?
        } else {
            let mut connection = PgConnection::connect($url).await.unwrap();
            $query.$run(&mut connection).await.unwrap()$(.$of_result())?
        }
    };
}

/// Runs SQL at `url`.
pub async fn run_at(url: &str, sql: &'static str) -> u64 {
    query_at!(url, sqlx::query(sql), execute, rows_affected)
}

/// Reads one number at `url`.
pub async fn number_at(url: &str, sql: &'static str) -> i64 {
    query_at!(url, sqlx::query_scalar(sql), fetch_one)
}

/// Reads one column of texts at `url`.
pub async fn texts_at(url: &str, sql: &'static str) -> Vec<String> {
    query_at!(url, sqlx::query_scalar(sql), fetch_all)
}

/// Reads one column of bytes at `url`.
pub async fn bytes_at(url: &str, sql: &'static str) -> Vec<Vec<u8>> {
    query_at!(url, sqlx::query_scalar(sql), fetch_all)
}

/// Keeps everybody else from writing to a SQLite database until it is dropped.
pub struct WriteLock(SqliteConnection);

impl WriteLock {
    /// Waits until nobody writes to the database at `url`.
    pub async fn acquire(url: &str) -> Self {
        let mut connection = SqliteConnection::connect(url).await.unwrap();
        sqlx::query("BEGIN IMMEDIATE").execute(&mut connection).await.unwrap();
        Self(connection)
    }

    /// Lets the others write again.
    pub async fn release(self) {
        self.0.close().await.unwrap();
    }
}
