//! Migrated databases, made once and copied for each test: migrating would take most of the time of a short test.

use super::databases::{OPTIONS, sqlite_address};
use sha2::{Digest as _, Sha256};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};
use store::{
    Db,
    vault::{MasterKeys, Vault},
};
use tempfile::TempDir;

/// Of both SQLite databases, as they lie in a data folder.
const FILES: [&str; 2] = ["honnin.db", "keys.db"];
/// The schemas of both databases in a copy on PostgreSQL.
pub(crate) const SCHEMAS: [&str; 2] = ["main", "main_keys"];
/// The number of the lock of whoever makes the template.
const MAKING: i64 = 4865;
/// The comment on a template that is complete.
const COMPLETE: &str = "migrated";

/// Distinguishes the templates of one state of the migrations from those of others.
static STATE: LazyLock<String> = LazyLock::new(|| {
    let migrations = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("migrations");
    let mut hash = Sha256::new();
    for folder in ["sqlite", "postgres", "keys/sqlite", "keys/postgres"] {
        let files = fs::read_dir(migrations.join(folder)).unwrap();
        let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
        files.sort();
        for file in files {
            hash.update(file.file_name().unwrap().as_encoded_bytes());
            hash.update(fs::read(&file).unwrap());
        }
    }
    hash.finalize()[..8].iter().map(|byte| format!("{byte:02x}")).collect()
});

/// Puts empty, migrated SQLite databases into `folder`.
pub async fn copy_into(folder: &Path) {
    let template = on_disk().await;
    for file in FILES {
        fs::copy(template.join(file), folder.join(file)).unwrap();
    }
}

/// The folder with the SQLite databases to copy.
async fn on_disk() -> PathBuf {
    // Beside the programs, so that `cargo clean` removes it.
    let program = std::env::current_exe().unwrap();
    let all = program.parent().unwrap().with_file_name("templates");
    let template = all.join(&*STATE);
    if !template.exists() {
        fs::create_dir_all(&all).unwrap();
        let made = TempDir::new_in(&all).unwrap();
        let address = sqlite_address(TempDir::new().unwrap());
        migrate(&address.url, &address.keys_url).await;
        for file in FILES {
            fs::copy(address.folder().join(file), made.path().join(file)).unwrap();
        }
        // Another test may have been faster, and have others copy its files by now.
        if fs::rename(made.path(), &template).is_ok() {
            drop(made.keep());
        }
    }
    template
}

/// The name of the database to copy on the PostgreSQL server at `server`, whose connection `admin` is.
pub(crate) async fn on_postgres(server: &str, admin: &mut PgConnection) -> String {
    let name = format!("template_{}", *STATE);
    if is_complete(admin, &name).await {
        return name;
    }
    sqlx::query("SELECT pg_advisory_lock($1)")
        .bind(MAKING)
        .execute(&mut *admin)
        .await
        .unwrap();
    if !is_complete(admin, &name).await {
        // Begun by a test that was ended.
        run(admin, format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await;
        run(admin, format!("CREATE DATABASE {name}")).await;
        let at = database_of(server, &name);
        let mut connection = PgConnection::connect(&at).await.unwrap();
        for schema in SCHEMAS {
            run(&mut connection, format!("CREATE SCHEMA {schema}")).await;
        }
        connection.close().await.unwrap();
        let [main, keys] = SCHEMAS.map(|schema| schema_of(&at, schema));
        migrate(&main, &keys).await;
        run(admin, format!("COMMENT ON DATABASE {name} IS '{COMPLETE}'")).await;
    }
    sqlx::query("SELECT pg_advisory_unlock($1)")
        .bind(MAKING)
        .execute(admin)
        .await
        .unwrap();
    name
}

async fn is_complete(admin: &mut PgConnection, name: &str) -> bool {
    let complete =
        "SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1 AND shobj_description(oid, 'pg_database') = $2)";
    sqlx::query_scalar(complete)
        .bind(name)
        .bind(COMPLETE)
        .fetch_one(admin)
        .await
        .unwrap()
}

async fn migrate(url: &str, keys_url: &str) {
    Db::open(url, OPTIONS).await.unwrap().close().await;
    let folder = TempDir::new().unwrap();
    let master = MasterKeys::load_or_create(&folder.path().join("master.key")).unwrap();
    let vault = Vault::open_at(keys_url, OPTIONS, master).await.unwrap();
    vault.close().await.unwrap();
}

/// Another database on the same server.
pub(crate) fn database_of(server: &str, name: &str) -> String {
    let (before, database) = server.rsplit_once('/').unwrap();
    let options = database.split_once('?').map(|(_, options)| format!("?{options}"));
    format!("{before}/{name}{}", options.unwrap_or_default())
}

/// A schema of the database at `url`.
pub(crate) fn schema_of(url: &str, schema: &str) -> String {
    let separator = if url.contains('?') { '&' } else { '?' };
    format!("{url}{separator}options[search_path]={schema}")
}

pub(crate) async fn run(connection: &mut PgConnection, sql: String) {
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(connection).await.unwrap();
}
