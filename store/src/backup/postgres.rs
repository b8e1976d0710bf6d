//! Copies of PostgreSQL databases, made and restored with PostgreSQL's own programs.

use super::{
    BackupError, FileHash, Half, at, files,
    references::{CAPTURES, Captured, KEYS_IN_USE, KEYS_STORED, OLDEST_TENANT, Picture, pictures_of},
};
use crate::{
    DbOptions,
    db::limits::{Scope, lift_limits},
    marks::{self, Mark},
};
use sqlx::{
    ConnectOptions as _, Connection as _, PgConnection, PgPool,
    postgres::{PgConnectOptions, PgPoolOptions},
};
use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    str::FromStr as _,
};

/// The table of marks.
const MARKS: &str = include_str!("../../../migrations/postgres/0031_marks.sql");

/// Begins a transaction that sees one moment, for the time that it takes.
const BEGIN: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// The dump of a database.
pub(super) const fn dump_of(half: Half) -> &'static str {
    match half {
        Half::Data => "honnin.pgdump",
        Half::Keys => "keys.pgdump",
    }
}

/// The ids of the keys that are in a dump, or that its sessions refer to: so that halves can be compared without a server.
pub(super) const fn ids_of(half: Half) -> &'static str {
    match half {
        Half::Data => "session-keys.txt",
        Half::Keys => "key-ids.txt",
    }
}

/// The pictures that the sessions of a dump refer to, each with its session's key.
pub(super) const PICTURES: &str = "pictures.txt";

/// What was copied of a database.
pub(super) struct Dumped {
    pub(super) files: Vec<(&'static str, FileHash)>,
    pub(super) oldest_tenant: Option<String>,
}

/// Copies the database at `url` as it is at one moment into the files that `staged` names, with lists of what a comparison needs.
pub(super) async fn copy(url: &str, half: Half, staged: impl Fn(&str) -> PathBuf) -> Result<Dumped, BackupError> {
    let dump = &staged(dump_of(half));
    let options = parse(url)?;
    let failed = |error: sqlx::Error| BackupError::database(dump, error);
    let mut connection = options.connect().await.map_err(failed)?;
    // The program and the statements below see the same moment.
    begin(&mut connection).await.map_err(failed)?;
    let snapshot: String = sqlx::query_scalar("SELECT pg_export_snapshot()")
        .fetch_one(&mut connection)
        .await
        .map_err(failed)?;
    let statement = match half {
        Half::Data => KEYS_IN_USE,
        Half::Keys => KEYS_STORED,
    };
    let listed: Vec<String> = sqlx::query_scalar(statement)
        .fetch_all(&mut connection)
        .await
        .map_err(failed)?;
    let (mut captures, mut oldest_tenant) = (Vec::<Captured>::new(), None);
    if half == Half::Data {
        captures = sqlx::query_as(CAPTURES)
            .fetch_all(&mut connection)
            .await
            .map_err(failed)?;
        oldest_tenant = sqlx::query_scalar(OLDEST_TENANT)
            .fetch_optional(&mut connection)
            .await
            .map_err(failed)?;
    }
    write_dump(&options, &snapshot, dump).await?;
    // The dump is whole whatever becomes of the transaction, which has only read.
    if let Err(error) = connection.close().await {
        tracing::warn!(%error, "the connection that a database was copied with did not close properly");
    }
    files::sync(dump)?;
    let mut lists = vec![(ids_of(half), listed.join("\n"))];
    if half == Half::Data {
        let lines: Vec<_> = pictures_of(dump, &captures)?.iter().map(Picture::line).collect();
        lists.push((PICTURES, lines.join("\n")));
    }
    let mut files = vec![(dump_of(half), files::hash(dump)?)];
    for (name, text) in lists {
        let list = staged(name);
        files::write(&list, text.as_bytes())?;
        files.push((name, files::hash(&list)?));
    }
    Ok(Dumped { files, oldest_tenant })
}

/// Writes the database as a `snapshot` sees it to the file `dump`.
async fn write_dump(options: &PgConnectOptions, snapshot: &str, dump: &Path) -> Result<(), BackupError> {
    let arguments = [
        "--format=custom",
        "--no-owner",
        "--no-privileges",
        "--no-password",
        // What is marked in this installation says nothing about the one that the copy is put back into, which has marks before anything
        // else.
        "--exclude-table=*.marks",
        "--snapshot",
    ];
    let mut program = program("pg_dump", options);
    program.args(arguments).arg(snapshot);
    // That of a command that was killed may still write to the file that is there.
    files::remove(dump)?;
    end(program, dump, Some(files::create(dump).map_err(at(dump))?)).await
}

/// What a statement finds that asks for one column of texts.
pub(super) async fn texts(url: &str, statement: &'static str) -> Result<Vec<String>, BackupError> {
    let mut connection = connect(url).await?;
    begin(&mut connection).await.map_err(failed)?;
    let found = sqlx::query_scalar(statement)
        .fetch_all(&mut connection)
        .await
        .map_err(failed)?;
    connection.close().await.map_err(failed)?;
    Ok(found)
}

/// The pictures that the sessions name.
pub(super) async fn pictures(url: &str) -> Result<Vec<Picture>, BackupError> {
    let mut connection = connect(url).await?;
    begin(&mut connection).await.map_err(failed)?;
    let captures: Vec<Captured> = sqlx::query_as(CAPTURES)
        .fetch_all(&mut connection)
        .await
        .map_err(failed)?;
    connection.close().await.map_err(failed)?;
    pictures_of(Path::new("PostgreSQL"), &captures)
}

/// Whether a tenant is one of the installation at `url`.
pub(super) async fn has_tenant(url: &str, tenant: &str) -> Result<bool, BackupError> {
    let mut connection = connect(url).await?;
    let found: bool = sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM tenants WHERE id = $1)")
        .bind(tenant)
        .fetch_one(&mut connection)
        .await
        .map_err(failed)?;
    connection.close().await.map_err(failed)?;
    Ok(found)
}

/// Whether the database at `url` has no installation in it.
pub(super) async fn is_empty(url: &str) -> Result<bool, BackupError> {
    let mut connection = connect(url).await?;
    let found: bool = sqlx::query_scalar(
        "SELECT EXISTS (SELECT 1 FROM pg_tables WHERE tablename IN ('sessions', 'data_keys') AND schemaname = ANY (current_schemas(false)))",
    )
    .fetch_one(&mut connection)
    .await
    .map_err(failed)?;
    connection.close().await.map_err(failed)?;
    Ok(!found)
}

/// Marks the database at `url`, which may be empty: a copy is being put back into it.
pub(super) async fn begin_restoring(url: &str) -> Result<(), BackupError> {
    let mut connection = connect(url).await?;
    sqlx::raw_sql(MARKS).execute(&mut connection).await.map_err(failed)?;
    change_mark(connection, marks::SET).await
}

/// Removes the mark from the database at `url`.
pub(super) async fn end_restoring(url: &str) -> Result<(), BackupError> {
    change_mark(connect(url).await?, marks::REMOVE).await
}

async fn change_mark(mut connection: PgConnection, statement: &'static str) -> Result<(), BackupError> {
    let mark = Mark::Restoring.as_str();
    let changed = sqlx::query(statement).bind(mark).execute(&mut connection).await;
    changed.map_err(failed)?;
    connection.close().await.map_err(failed)
}

/// Whether a copy is being put back into the database at `url`. A server that is just starting is waited for, as when it is opened.
pub(super) async fn is_restoring(url: &str) -> Result<bool, BackupError> {
    let (options, limit) = (parse(url)?, DbOptions::default().timeout);
    let opened = PgPoolOptions::new()
        .max_connections(1)
        .acquire_timeout(limit)
        .connect_with(options.clone())
        .await;
    let pool = match opened {
        Ok(pool) => pool,
        // It has tried again and again, and does not say what went wrong.
        Err(timed_out @ sqlx::Error::PoolTimedOut) => {
            let why = match tokio::time::timeout(limit, options.connect()).await {
                Ok(Err(why)) => why,
                Ok(Ok(_)) | Err(_) => timed_out,
            };
            return Err(failed(why));
        }
        Err(error) => return Err(failed(error)),
    };
    let is_set = has_mark(&pool).await.map_err(failed);
    pool.close().await;
    is_set
}

async fn has_mark(pool: &PgPool) -> Result<bool, sqlx::Error> {
    let exists: bool = sqlx::query_scalar("SELECT to_regclass('marks') IS NOT NULL")
        .fetch_one(pool)
        .await?;
    if !exists {
        return Ok(false);
    }
    let found: Option<i64> = sqlx::query_scalar(marks::FIND)
        .bind(Mark::Restoring.as_str())
        .fetch_optional(pool)
        .await?;
    Ok(found.is_some())
}

/// Begins to read for as long as it takes: what the role's limits are meant for are requests. It is also idle while a program runs.
async fn begin(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    sqlx::raw_sql(BEGIN).execute(&mut *connection).await?;
    lift_limits(connection, Scope::Transaction).await
}

async fn connect(url: &str) -> Result<PgConnection, BackupError> {
    parse(url)?.connect().await.map_err(failed)
}

fn failed(error: sqlx::Error) -> BackupError {
    BackupError::database(Path::new("PostgreSQL"), error)
}

/// Puts a dump back into the database at `url`: all of it, or nothing.
pub(super) async fn put_back(dump: &Path, url: &str) -> Result<(), BackupError> {
    let options = parse(url)?;
    let mut program = program("pg_restore", &options);
    program
        .args(["--clean", "--if-exists", "--single-transaction", "--exit-on-error"])
        .args(["--no-owner", "--no-privileges", "--no-password"])
        .arg(format!(
            "--dbname={}",
            options.get_database().unwrap_or(options.get_username())
        ))
        .arg(dump);
    end(program, dump, None).await
}

/// Whether a dump can be read.
pub(super) async fn check(dump: &Path) -> Result<(), BackupError> {
    let mut program = Command::new("pg_restore");
    program.arg("--list").arg(dump);
    end(program, dump, None).await
}

/// A key of each version of the master key in a dump: its id, and the key as it is stored. None if there is none, or the dump cannot be read, which
/// [`check`] reports.
pub(super) async fn list_keys(dump: &Path) -> Vec<(String, Vec<u8>)> {
    let mut program = Command::new("pg_restore");
    // Without a database, it prints what it would send to one.
    program.args(["--data-only", "--table=data_keys", "--file=-"]).arg(dump);
    program
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let found = tokio::task::spawn_blocking(move || {
        let mut running = program.spawn().ok()?;
        // Line by line: there may be millions.
        let found = keys(BufReader::new(running.stdout.take()?).lines().map_while(Result::ok));
        // If it has ended, there is nothing to kill.
        drop(running.kill());
        drop(running.wait());
        Some(found)
    });
    found.await.ok().flatten().unwrap_or_default()
}

/// The first row of each version that is copied into the table of keys.
fn keys(mut lines: impl Iterator<Item = String>) -> Vec<(String, Vec<u8>)> {
    let head = lines.find(|line| line.starts_with(COPY)).unwrap_or_default();
    let place = |column| place_of(column, &head);
    let (Some(id), Some(version), Some(sealed)) = (place("id"), place("master_version"), place("sealed")) else {
        return Vec::new();
    };
    let mut found: BTreeMap<String, (String, Vec<u8>)> = BTreeMap::new();
    for row in lines.take_while(|line| line != END_OF_ROWS) {
        let cells: Vec<&str> = row.split('\t').collect();
        let cell = |number: usize| cells.get(number).copied().unwrap_or_default();
        if found.contains_key(cell(version)) {
            continue;
        }
        if let Some(bytes) = bytes_of(cell(sealed)) {
            found.insert(cell(version).to_owned(), (cell(id).to_owned(), bytes));
        }
    }
    found.into_values().collect()
}

/// The secrets of webhooks and authenticators in a dump, as they are stored. None if the dump cannot be read, which [`check`] reports.
pub(super) async fn list_secrets(dump: &Path) -> Vec<Vec<u8>> {
    let mut listed = Vec::new();
    for (table, column) in [("webhook_secrets", "sealed"), ("authenticators", "secret")] {
        listed.extend(list_column(dump, table, column).await);
    }
    listed
}

async fn list_column(dump: &Path, table: &str, column: &'static str) -> Vec<Vec<u8>> {
    let mut program = Command::new("pg_restore");
    program
        .args(["--data-only", "--file=-"])
        .arg(format!("--table={table}"))
        .arg(dump);
    program.stdin(Stdio::null()).stderr(Stdio::null());
    let listed = tokio::task::spawn_blocking(move || {
        let printed = program.output().ok()?.stdout;
        Some(encrypted(String::from_utf8_lossy(&printed).lines(), column))
    });
    listed.await.ok().flatten().unwrap_or_default()
}

/// The encrypted bytes in this column of the rows that are copied into a table. Rows without any, such as disabled secrets, are passed over.
fn encrypted<'a>(mut lines: impl Iterator<Item = &'a str>, column: &str) -> Vec<Vec<u8>> {
    let head = lines.find(|line| line.starts_with(COPY));
    let Some(place) = head.and_then(|head| place_of(column, head)) else {
        return Vec::new();
    };
    let rows = lines.take_while(|line| *line != END_OF_ROWS);
    let bytes = |row: &str| bytes_of(row.split('\t').nth(place)?);
    rows.filter_map(bytes).collect()
}

/// How the statement begins that copies rows into a table. It names the columns.
const COPY: &str = "COPY ";
/// The line after the last row.
const END_OF_ROWS: &str = r"\.";

/// The place of a column in each row, by the statement before the rows.
fn place_of(column: &str, statement: &str) -> Option<usize> {
    let (columns, _) = statement.split_once('(')?.1.split_once(')')?;
    columns.split(", ").position(|name| name == column)
}

/// The bytes in a cell; `None` if it has none.
fn bytes_of(cell: &str) -> Option<Vec<u8>> {
    hex::decode(cell.strip_prefix(r"\\x")?).ok()
}

fn parse(url: &str) -> Result<PgConnectOptions, BackupError> {
    PgConnectOptions::from_str(url).map_err(failed)
}

/// A program that connects as this one does. The password is in its environment, where other users cannot see it.
fn program(name: &str, options: &PgConnectOptions) -> Command {
    let mut program = Command::new(name);
    let url = options.to_url_lossy();
    let host = options
        .get_socket()
        .and_then(|socket| socket.to_str())
        // An IPv6 address has brackets in a URL only.
        .unwrap_or_else(|| options.get_host().trim_matches(['[', ']']));
    program
        .env("PGHOST", host)
        .env("PGPORT", options.get_port().to_string())
        .env("PGUSER", options.get_username())
        .env("PGDATABASE", options.get_database().unwrap_or(options.get_username()));
    if let Some(password) = url.password() {
        let password = percent_encoding::percent_decode_str(password);
        program.env("PGPASSWORD", password.decode_utf8_lossy().as_ref());
    }
    for (key, variable) in [
        ("sslmode", "PGSSLMODE"),
        ("sslrootcert", "PGSSLROOTCERT"),
        ("sslcert", "PGSSLCERT"),
        ("sslkey", "PGSSLKEY"),
    ] {
        if let Some((_, value)) = url.query_pairs().find(|(name, _)| name == key) {
            program.env(variable, value.as_ref());
        }
    }
    program
}

/// Runs a program to its end, with its output in a file if there is one.
async fn end(mut program: Command, about: &Path, output: Option<File>) -> Result<(), BackupError> {
    let name = program.get_program().to_string_lossy().into_owned();
    program.stdin(Stdio::null()).stderr(Stdio::piped());
    program.stdout(output.map_or_else(Stdio::null, Stdio::from));
    let ended = tokio::task::spawn_blocking(move || program.spawn()?.wait_with_output()).await;
    let ended = ended.map_err(|error| BackupError::database(about, error))?;
    match ended {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            Err(BackupError::database(
                about,
                format_args!("{name} failed: {}", said.trim()),
            ))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(BackupError::database(
            about,
            format_args!("{name} is not installed; it comes with the client of PostgreSQL"),
        )),
        Err(error) => Err(BackupError::database(
            about,
            format_args!("{name} cannot be started: {error}"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_of_each_version_is_found_in_a_dump_and_none_in_one_without_keys() {
        let found = |rows: &str| {
            let printed = format!(
                "SET row_security = off;\n\nCOPY public.data_keys (id, master_version, sealed) FROM stdin;\n{rows}\\.\n\n"
            );
            keys(printed.lines().map(str::to_owned))
        };
        let rows = "dk_ab\t1\t\\\\x0000000101ff\ndk_cd\t1\t\\\\x00000001\ndk_ef\t2\t\\\\x0000000202ff\n";
        let first = ("dk_ab".to_owned(), vec![0_u8, 0, 0, 1, 1, 0xff]);
        let of_another_version = ("dk_ef".to_owned(), vec![0_u8, 0, 0, 2, 2, 0xff]);
        assert_eq!(found(rows), [first, of_another_version]);
        assert!(found("").is_empty() && keys(std::iter::empty()).is_empty());
    }

    #[test]
    fn the_secrets_of_a_dump_are_found_but_for_those_that_are_disabled() {
        let rows = "whk_1\ttn_1\t1\t\\\\x0000000101ff\t5\t\\N\nwhk_2\ttn_1\t2\t\\N\t5\t6\n";
        let printed = format!(
            "SET row_security = off;\n\nCOPY public.webhook_secrets (id, tenant_id, slot, sealed, created_at, disabled_at) \
             FROM stdin;\n{rows}\\.\n\n"
        );
        assert_eq!(encrypted(printed.lines(), "sealed"), [vec![0_u8, 0, 0, 1, 1, 0xff]]);
        assert!(encrypted("".lines(), "sealed").is_empty());
        let printed = "COPY public.authenticators (user_id, secret, created_at) FROM stdin;\nusr_1\t\\\\x0000000102ff\t5\n\\.\n\n";
        assert_eq!(encrypted(printed.lines(), "secret"), [vec![0_u8, 0, 0, 1, 2, 0xff]]);
    }

    #[test]
    fn a_program_connects_to_an_ipv6_address_without_the_brackets_of_a_url() {
        for (host, wanted) in [
            ("[fd00::5]", "fd00::5"),
            ("192.0.2.7", "192.0.2.7"),
            ("db.example", "db.example"),
        ] {
            let options = parse(&format!("postgres://u:sesame@{host}:5433/d")).unwrap();
            let program = program("pg_dump", &options);
            let variable = |name: &str| {
                let found = program.get_envs().find(|(key, _)| *key == name);
                found.and_then(|(_, value)| value?.to_str())
            };
            assert_eq!(variable("PGHOST"), Some(wanted));
            assert_eq!(
                (variable("PGPORT"), variable("PGPASSWORD")),
                (Some("5433"), Some("sesame"))
            );
        }
    }
}
