//! Fresh databases for a test: SQLite in a temporary folder and, if `HONNIN_TEST_POSTGRES` names a temporary server, a separate
//! schema on Postgres.

use sqlx::{AssertSqlSafe, Connection, PgConnection, SqliteConnection};
use std::{path::Path, sync::Arc};
use store::{
    Db, DbOptions,
    pictures::Pictures,
    vault::{MasterKeys, Vault},
};
use tempfile::TempDir;

/// Few connections, since many tests share one Postgres.
pub(crate) const OPTIONS: DbOptions = DbOptions {
    readers: 4,
    connections: 8,
    patience: std::time::Duration::from_secs(20),
};

/// One database under test.
#[derive(Clone)]
pub(crate) struct Backend {
    /// For the message of an assertion.
    pub(crate) name: &'static str,
    /// The main database.
    pub(crate) db: Db,
    /// Its URL.
    pub(crate) url: String,
    /// The URL of the key database.
    pub(crate) keys_url: String,
    folder: Arc<TempDir>,
}

/// Every database to test on, empty and migrated.
pub(crate) async fn backends() -> Vec<Backend> {
    let mut all = vec![sqlite().await];
    if let Some(server) = postgres_server() {
        all.push(postgres(&server).await);
    }
    all
}

/// A fresh SQLite database.
pub(crate) async fn sqlite() -> Backend {
    sqlite_in(TempDir::new().unwrap()).await
}

/// A fresh SQLite database in the given folder.
pub(crate) async fn sqlite_in(folder: TempDir) -> Backend {
    let url = |file: &str| format!("sqlite://{}", folder.path().join(file).display());
    let (url, keys_url) = (url("honnin.db"), url("keys.db"));
    let db = Db::open(&url, OPTIONS).await.unwrap();
    Backend {
        name: "sqlite",
        db,
        url,
        keys_url,
        folder: Arc::new(folder),
    }
}

/// A fresh schema on `server`.
pub(crate) async fn postgres(server: &str) -> Backend {
    let folder = TempDir::new().unwrap();
    let schema = format!("t_{:032x}", rand::random::<u128>());
    let mut admin = PgConnection::connect(server).await.unwrap();
    for schema in [schema.clone(), format!("{schema}_keys")] {
        sqlx::raw_sql(AssertSqlSafe(format!("CREATE SCHEMA {schema}")))
            .execute(&mut admin)
            .await
            .unwrap();
    }
    admin.close().await.unwrap();
    let separator = if server.contains('?') { '&' } else { '?' };
    let url = format!("{server}{separator}options[search_path]={schema}");
    let keys_url = format!("{url}_keys");
    let db = Db::open(&url, OPTIONS).await.unwrap();
    Backend {
        name: "postgres",
        db,
        url,
        keys_url,
        folder: Arc::new(folder),
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the server's address comes from the environment"
)]
pub(crate) fn postgres_server() -> Option<String> {
    std::env::var("HONNIN_TEST_POSTGRES")
        .ok()
        .filter(|server| !server.is_empty())
}

impl Backend {
    /// The temporary folder of this backend.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Another [`Db`] on the same database, as after a restart.
    pub(crate) async fn reopen(&self) -> Db {
        Db::open(&self.url, OPTIONS).await.unwrap()
    }

    /// A vault on this backend's key database; each call simulates another process.
    pub(crate) async fn vault(&self) -> Vault {
        let master = MasterKeys::load_or_create(&self.folder().join("master.key")).unwrap();
        Vault::open_at(&self.keys_url, OPTIONS, master).await.unwrap()
    }

    /// The pictures of this backend.
    pub(crate) fn pictures(&self) -> Pictures {
        Pictures::in_folder(&self.folder().join("pictures")).unwrap()
    }

    /// Runs SQL directly, on a separate connection. Returns the affected rows.
    pub(crate) async fn run(&self, sql: &'static str) -> u64 {
        run_at(&self.url, sql).await
    }

    /// Reads one number directly.
    pub(crate) async fn number(&self, sql: &'static str) -> i64 {
        number_at(&self.url, sql).await
    }
}

/// Runs SQL at `url`.
pub(crate) async fn run_at(url: &str, sql: &'static str) -> u64 {
    if url.starts_with("sqlite") {
        let mut connection = SqliteConnection::connect(url).await.unwrap();
        sqlx::query(sql).execute(&mut connection).await.unwrap().rows_affected()
    } else {
        let mut connection = PgConnection::connect(url).await.unwrap();
        sqlx::query(sql).execute(&mut connection).await.unwrap().rows_affected()
    }
}

/// Reads one number at `url`.
pub(crate) async fn number_at(url: &str, sql: &'static str) -> i64 {
    if url.starts_with("sqlite") {
        let mut connection = SqliteConnection::connect(url).await.unwrap();
        sqlx::query_scalar(sql).fetch_one(&mut connection).await.unwrap()
    } else {
        let mut connection = PgConnection::connect(url).await.unwrap();
        sqlx::query_scalar(sql).fetch_one(&mut connection).await.unwrap()
    }
}

/// Reads one column of bytes at `url`.
pub(crate) async fn bytes_at(url: &str, sql: &'static str) -> Vec<Vec<u8>> {
    if url.starts_with("sqlite") {
        let mut connection = SqliteConnection::connect(url).await.unwrap();
        sqlx::query_scalar(sql).fetch_all(&mut connection).await.unwrap()
    } else {
        let mut connection = PgConnection::connect(url).await.unwrap();
        sqlx::query_scalar(sql).fetch_all(&mut connection).await.unwrap()
    }
}
