//! Both databases have the same schema.

use crate::fixtures::{World, at, keep, read, world, write};
use domain::{ruling::Ruling, session::AttemptNumber};
use sqlx::{Connection, PgConnection, SqliteConnection};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};
use store::{
    people::second_factors::{self, PasskeyRow},
    review::{self, NamedPending, PendingRuling},
};
use testkit::databases::{backends, postgres_server, sqlite};

fn file_names(folder: &str) -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../migrations").join(folder);
    std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

#[test]
fn migrations_of_both_databases_have_equal_file_names() {
    for (one, other) in [("sqlite", "postgres"), ("keys/sqlite", "keys/postgres")] {
        assert_eq!(file_names(one), file_names(other));
        assert!(!file_names(one).is_empty());
    }
}

#[test]
fn every_sqlite_table_is_strict() {
    for folder in ["sqlite", "keys/sqlite"] {
        for name in file_names(folder) {
            let path = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("../migrations")
                .join(folder)
                .join(&name);
            let text = std::fs::read_to_string(path).unwrap();
            let (tables, strict) = (text.matches("CREATE TABLE").count(), text.matches("STRICT;").count());
            assert_eq!(tables, strict, "{folder}/{name}");
        }
    }
}

/// (table, column, declared type, NOT NULL)
type Column = (String, String, String, bool);
type Columns = BTreeMap<(String, String), (&'static str, bool)>;

fn comparable(columns: Vec<Column>) -> Columns {
    let kind = |declared: &str| match declared.to_ascii_uppercase().as_str() {
        "INTEGER" | "BIGINT" | "BOOLEAN" => "whole number",
        "TEXT" => "text",
        "BLOB" | "BYTEA" => "bytes",
        "REAL" | "DOUBLE PRECISION" => "fraction",
        other => panic!("a column of an unportable type {other}"),
    };
    columns
        .into_iter()
        .map(|(table, column, declared, set)| ((table, column), (kind(&declared), set)))
        .collect()
}

async fn sqlite_columns(url: &str) -> Columns {
    let mut connection = SqliteConnection::connect(url).await.unwrap();
    let columns = sqlx::query_as(
        "SELECT m.name, c.name, c.type, c.\"notnull\" = 1 FROM sqlite_schema m, pragma_table_info(m.name) c
         WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND m.name NOT LIKE '\\_sqlx%' ESCAPE '\\'",
    );
    comparable(columns.fetch_all(&mut connection).await.unwrap())
}

async fn postgres_columns(url: &str) -> Columns {
    let mut connection = PgConnection::connect(url).await.unwrap();
    let columns = sqlx::query_as(
        "SELECT table_name::text, column_name::text, data_type::text, is_nullable = 'NO' FROM information_schema.columns
         WHERE table_schema = current_schema() AND table_name NOT LIKE '\\_sqlx%'",
    );
    comparable(columns.fetch_all(&mut connection).await.unwrap())
}

#[tokio::test]
async fn both_schemas_have_equal_tables_columns_types_and_not_nulls() {
    let all = backends().await;
    let [sqlite, postgres] = all.as_slice() else {
        assert!(postgres_server().is_none());
        return;
    };
    for backend in [sqlite, postgres] {
        backend.vault().await.take().await.unwrap();
    }
    let main = sqlite_columns(&sqlite.url).await;
    assert!(main.contains_key(&("jobs".to_owned(), "subject".to_owned())));
    assert_eq!(main, postgres_columns(&postgres.url).await);
    assert_eq!(
        sqlite_columns(&sqlite.keys_url).await,
        postgres_columns(&postgres.keys_url).await
    );
}

#[tokio::test]
async fn sqlite_has_no_known_fault_of_its_log() {
    let backend = sqlite().await;
    let mut connection = SqliteConnection::connect(&backend.url).await.unwrap();
    let version: String = sqlx::query_scalar("SELECT sqlite_version()")
        .fetch_one(&mut connection)
        .await
        .unwrap();
    let parts: Vec<u32> = version.split('.').map(|part| part.parse().unwrap()).collect();
    assert!(
        parts > vec![3, 51, 2],
        "{version} can corrupt a database when its log restarts"
    );
}

#[tokio::test]
async fn opening_an_open_database_again_changes_nothing() {
    for backend in backends().await {
        let before = backend.number("SELECT COUNT(*) FROM _sqlx_migrations").await;
        drop(backend.reopen().await);
        assert_eq!(
            backend.number("SELECT COUNT(*) FROM _sqlx_migrations").await,
            before,
            "{}",
            backend.name
        );
    }
}

/// A node of the version before goes on while the next one adds columns. PostgreSQL refuses a statement that was prepared before with other columns
/// in its result, on each connection that ran it.
#[tokio::test]
async fn rows_that_were_read_before_a_column_was_added_are_read_after_it() {
    for backend in backends().await {
        let (name, db) = (backend.name, &backend.db);
        let World { session, user, .. } = world(db).await;
        let key = keep(PasskeyRow {
            id: vec![1; 16],
            user: user.id.clone(),
            name: "Laptop".into(),
            public_key: vec![7; 77],
            counter: 0,
            created_at: at(1),
            last_used_at: None,
        });
        write!(db, tx => second_factors::insert_passkey(tx, key)).unwrap();
        let pending = keep(PendingRuling {
            session: session.session.id.clone(),
            attempt: AttemptNumber::FIRST,
            user: user.id.clone(),
            ruling: Ruling::Approved,
            reasons: Vec::new(),
            note: None,
            address: "192.0.2.1".into(),
            made_at: at(1),
            due_at: at(2),
        });
        write!(db, tx => review::insert_pending(tx, pending)).unwrap();
        for change in [
            None,
            Some("ALTER TABLE passkeys ADD COLUMN later TEXT"),
            Some("ALTER TABLE pending_rulings ADD COLUMN later TEXT"),
        ] {
            if let Some(change) = change {
                backend.run(change).await;
            }
            // With more than one connection.
            for _ in 0..16 {
                let found = read!(db, tx => second_factors::find_passkey(tx, &key.id));
                assert_eq!(found.as_ref(), Some(key), "{name}: {change:?}");
                let listed = read!(db, tx => second_factors::list_passkeys(tx, &user.id));
                assert_eq!(listed, std::slice::from_ref(key), "{name}: {change:?}");
                let found = read!(db, tx => review::find_pending(tx, &pending.session));
                let expected = NamedPending {
                    pending: pending.clone(),
                    name: user.name.clone(),
                };
                assert_eq!(found, Some(expected), "{name}: {change:?}");
                let listed = read!(db, tx => review::list_pending(tx, &user.id));
                assert_eq!(listed, std::slice::from_ref(pending), "{name}: {change:?}");
            }
        }
    }
}
