//! Connecting, and the settings that durability depends on.

use super::{
    Backend, Connection, Db, DbOptions, Tx, migrations, on,
    postgres::{Pools, end_what_nobody_waits_for},
    readers::Readers,
    shutdown::{self, Opening},
    threads::{self, Wakes},
    unit,
    writer::{self, Writer},
};
use crate::{StoreError, metrics::Metrics};
use sqlx::{
    Connection as _, SqlitePool,
    postgres::{PgConnectOptions, PgPoolOptions},
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};
use std::{collections::BTreeSet, fs::OpenOptions, io, path::Path, str::FromStr, sync::Arc, time::Duration};
use tokio::sync::{Notify, mpsc, oneshot};

/// A connection that was idle for this long is checked before use.
const RESTED: Duration = Duration::from_secs(1);
const STATEMENT_TIMEOUT: &str = "statement_timeout";

/// The encoding of a database, and whether it orders ids as their bytes are ordered. In Danish and Norwegian, `aa` is a letter that comes after `z`,
/// and in Welsh, `ff` one that comes after `f`. The letter `g` ends the range of the ids that begin alike.
const TEXTS: &str = "SELECT current_setting('server_encoding'),
        string_agg(pair, '' ORDER BY pair) = string_agg(pair, '' ORDER BY pair COLLATE \"C\")
    FROM (SELECT one || two AS pair
        FROM regexp_split_to_table('0123456789abcdefg', '') AS one
        CROSS JOIN regexp_split_to_table('0123456789abcdefg', '') AS two) AS pairs";

/// Which tables a database holds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Schema {
    /// Everything but the keys.
    Main,
    /// The data keys, which are stored separately.
    Keys,
}

/// Whether this is the address of a PostgreSQL database.
pub(crate) fn is_postgres(url: &str) -> bool {
    url.starts_with("postgres:") || url.starts_with("postgresql:")
}

impl Db {
    pub(crate) async fn open_schema(url: &str, options: DbOptions, schema: Schema) -> Result<Self, StoreError> {
        let (jobs_changed, metrics) = (Arc::new(Notify::new()), Arc::new(Metrics::default()));
        let backend = if url.starts_with("sqlite:") {
            open_sqlite(url, options, schema, &jobs_changed, &metrics).await?
        } else if is_postgres(url) {
            open_postgres(url, options, schema).await?
        } else {
            return Err(StoreError::refused(
                "a database address must start with sqlite: or postgres:",
            ));
        };
        Ok(Self {
            backend,
            jobs_changed,
            metrics,
        })
    }
}

async fn open_sqlite(
    url: &str,
    options: DbOptions,
    schema: Schema,
    jobs_changed: &Arc<Notify>,
    metrics: &Arc<Metrics>,
) -> Result<Backend, StoreError> {
    let connect = sqlite_options(url, options)?;
    let for_writing = connect
        .clone()
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        // FULL: what was acknowledged survives a power cut. NORMAL would lose the last commits.
        .synchronous(SqliteSynchronous::Full);
    let turn = migrations::take_turn(connect.get_filename()).await;
    let found = shutdown::look(&connect).await;
    found.log(connect.get_filename());
    create_for_owner(connect.get_filename());
    let alone = migrate_sqlite(&for_writing, options, schema).await?;
    drop(turn);
    let acquired = alone.acquire().await.map_err(|error| StoreError::from_sql(&error))?;
    let mut connection = acquired.detach();
    let opening = Opening::begin(&mut connection, connect.get_filename(), &found).await;
    if let Err(error) = &opening {
        // It can still be read; `/readyz` reports that it cannot be written.
        tracing::warn!(%error, file = %connect.get_filename().display(), "the database cannot be written");
    }
    let readers = Readers::new(connect, options)?;
    let (units, inbox) = mpsc::channel(writer::QUEUE);
    let (checkpoints, asked) = mpsc::channel(writer::CHECKPOINTS);
    let closing = Arc::new(Notify::new());
    let writer = Writer {
        opening: opening.ok(),
        held: Some(Tx::writing(Connection::Sqlite(connection), Arc::clone(metrics))),
        // Where the file is gone with its disk, no empty database is begun in its place.
        options: for_writing.create_if_missing(false),
        lock_timeout: options.timeout,
        closing: Arc::clone(&closing),
        inbox,
        checkpoints: asked,
        jobs_changed: Arc::clone(jobs_changed),
        metrics: Arc::clone(metrics),
    };
    threads::start("store-writer", Wakes::Threads, move || writer.run())?;
    Ok(Backend::Sqlite {
        readers,
        units,
        closing,
        checkpoints,
    })
}

/// What the connections that read and the one that writes have in common.
fn sqlite_options(url: &str, options: DbOptions) -> Result<SqliteConnectOptions, StoreError> {
    let connect = SqliteConnectOptions::from_str(url).map_err(malformed)?;
    Ok(connect
        .foreign_keys(true)
        .busy_timeout(options.timeout)
        .statement_cache_capacity(512)
        // Deleted content is overwritten, and sorting never writes rows to temporary files.
        .pragma("secure_delete", "ON")
        .pragma("temp_store", "MEMORY"))
}

/// Brings the tables up to date. Returns a pool with the one connection that writes.
async fn migrate_sqlite(
    for_writing: &SqliteConnectOptions,
    options: DbOptions,
    schema: Schema,
) -> Result<SqlitePool, StoreError> {
    let alone = SqlitePoolOptions::new()
        .max_connections(1)
        .acquire_timeout(options.timeout)
        .connect_with(for_writing.clone())
        .await
        .map_err(|error| naming(for_writing.get_filename(), &error))?;
    let migrator = match schema {
        Schema::Main => &migrations::SQLITE,
        Schema::Keys => &migrations::KEYS_SQLITE,
    };
    migrations::done(migrator.run(&alone).await)?;
    Ok(alone)
}

/// A fault of a database's file, whose name is seldom in the settings and never in SQLite's errors.
fn naming(file: &Path, error: &sqlx::Error) -> StoreError {
    match StoreError::from_sql(error) {
        StoreError::Unavailable(reason) => StoreError::unavailable(format_args!("{}: {reason}", file.display())),
        other => other,
    }
}

/// Creates a database's file, if it is missing, so that nobody but its owner can read it, in whatever folder it is. SQLite gives its logs the
/// same mode. If the file cannot be created, SQLite says why.
fn create_for_owner(file: &Path) {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    drop(options.open(file));
}

async fn open_postgres(url: &str, options: DbOptions, schema: Schema) -> Result<Backend, StoreError> {
    let connect = PgConnectOptions::from_str(url)
        .map_err(malformed)?
        .application_name("honnin");
    let own = own_settings(&connect);
    let bounds_writing = !own.contains(STATEMENT_TIMEOUT);
    let connect = limited(connect, &own, options);
    // Within the time that a unit waits for a connection, several that are lost are found to be so.
    let ping_timeout = options.timeout / 5;
    let pool = PgPoolOptions::new()
        .acquire_timeout(options.timeout)
        // Checking a connection that was busy a moment ago would cost a unit another round trip to the server.
        .test_before_acquire(false)
        .after_connect(|connection, _| Box::pin(end_what_nobody_waits_for(connection)))
        .before_acquire(move |connection, state| {
            Box::pin(async move {
                if state.idle_for > RESTED {
                    let answer = tokio::time::timeout(ping_timeout, connection.ping()).await;
                    answer.map_err(io::Error::from)??;
                }
                Ok(true)
            })
        });
    let pools = Pools::open(pool, &connect, options, bounds_writing).await?;
    let (encoding, orders_by_bytes) = find_encoding_and_order(&pools).await?;
    refuse_other_encoding(&encoding)?;
    refuse_other_order(orders_by_bytes)?;
    let migrator = match schema {
        Schema::Main => &migrations::POSTGRES,
        Schema::Keys => &migrations::KEYS_POSTGRES,
    };
    pools.migrate(migrator).await?;
    Ok(Backend::Postgres(pools))
}

/// The encoding of a database, and whether it orders ids by their bytes.
async fn find_encoding_and_order(pools: &Pools) -> Result<(String, bool), StoreError> {
    let (unit, found) = unit::pack(async |tx| on!(tx, conn => sqlx::query_as(TEXTS).fetch_one(conn).await));
    let (_caller, waiting) = oneshot::channel();
    pools.ask(unit, waiting, Arc::default())?;
    found.wait().await
}

/// In another encoding, most names could not be stored, and nobody would notice before the first one comes.
fn refuse_other_encoding(encoding: &str) -> Result<(), StoreError> {
    if encoding == "UTF8" {
        return Ok(());
    }
    Err(StoreError::unavailable(format_args!(
        "its encoding is {encoding}; create the database with ENCODING 'UTF8'"
    )))
}

/// Sessions are found by the beginnings of their ids, and the newest ones by the greatest ids. In another order some would be missed, and nobody
/// would notice.
fn refuse_other_order(is_of_bytes: bool) -> Result<(), StoreError> {
    if is_of_bytes {
        return Ok(());
    }
    Err(StoreError::unavailable(
        "its collation orders ids by the rules of a language, such as Danish, in which aa is a letter; create the database with LOCALE 'C'",
    ))
}

/// Has the server notice that a node has vanished, which may be in the middle of a unit: its locks are released before another node gives up
/// waiting for them twice, and its connections end in a minute. What the address itself sets is left as it is.
fn limited(connect: PgConnectOptions, own: &BTreeSet<String>, options: DbOptions) -> PgConnectOptions {
    let millis = |time: Duration| format!("{}ms", time.as_millis());
    let limits = [
        // A statement whose caller has gone away does not run forever. Units that write set their own limit.
        (STATEMENT_TIMEOUT, millis(options.read)),
        ("lock_timeout", millis(options.timeout)),
        ("idle_in_transaction_session_timeout", millis(options.timeout * 2)),
        ("tcp_keepalives_idle", "30".to_owned()),
        ("tcp_keepalives_interval", "10".to_owned()),
        ("tcp_keepalives_count", "3".to_owned()),
        ("tcp_user_timeout", millis(Duration::from_secs(60))),
    ];
    connect.options(limits.into_iter().filter(|(name, _)| !own.contains(*name)))
}

/// The names of the settings in an address, as `-c name=value`, `-cname=value` or `--name=value`. PostgreSQL does not distinguish capital letters
/// in them, nor `-` and `_` in the last form.
fn own_settings(connect: &PgConnectOptions) -> BTreeSet<String> {
    let words = connect.get_options().unwrap_or_default().split_whitespace();
    let name = |word: &str| {
        let (name, _) = word.split_once('=')?;
        let name = match name.strip_prefix("--") {
            Some(name) => name.replace('-', "_"),
            None => name.strip_prefix("-c").unwrap_or(name).to_owned(),
        };
        Some(name.to_ascii_lowercase())
    };
    words.filter_map(name).collect()
}

/// The URL may contain a password and is not repeated.
fn malformed(_: sqlx::Error) -> StoreError {
    StoreError::refused("the database address is malformed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_in_which_most_names_cannot_be_stored_is_refused() {
        refuse_other_encoding("UTF8").unwrap();
        for encoding in ["LATIN1", "SQL_ASCII", "EUC_JP"] {
            let refused = refuse_other_encoding(encoding).unwrap_err().to_string();
            assert!(refused.contains(encoding) && refused.contains("UTF8"), "{refused}");
        }
    }
}
