//! The rules for migration files that let nodes keep serving while one is run on PostgreSQL: nothing in a file holds a lock that others wait for
//! while it reads or writes a large table.
//!
//! The files from before the first release do not follow these rules. They are not edited, since databases that have them would refuse the program,
//! and a new installation runs them on empty tables.

use crate::db::migrations::{self, migration};
use sqlx::migrate::Migration;
use std::collections::BTreeSet;

/// The last ones that may stop nodes.
const OLD: i64 = 42;
const OLD_OF_KEYS: i64 = 3;

const PLAIN_INDEX: &str = "an index of a table with rows is built with CREATE INDEX CONCURRENTLY IF NOT EXISTS";
const PLAIN_DROP: &str = "an index is dropped with DROP INDEX CONCURRENTLY IF EXISTS";
const IN_A_TRANSACTION: &str = "what is CONCURRENTLY is alone in a file that begins with -- no-transaction";
const CROWDED: &str = "a file that alters a table with rows has nothing but ALTER TABLE of this one";
const SLOW: &str = "a table with rows gets plain columns, which need no look at the rows";
const IN_ONE_GO: &str = "rows are changed by the housekeeping worker, some at a time";

/// A statement in capital letters, without comments, its words between single blanks.
fn statements(text: &str) -> Vec<String> {
    let lines = text.lines().map(|line| line.split("--").next().unwrap_or_default());
    let code = lines.collect::<Vec<_>>().join(" ").to_uppercase();
    let words = |statement: &str| statement.split_whitespace().collect::<Vec<_>>().join(" ");
    code.split(';')
        .map(words)
        .filter(|statement| !statement.is_empty())
        .collect()
}

/// The name that comes after some words.
fn named_after<'a>(statement: &'a str, words: &str) -> Option<&'a str> {
    let (_, rest) = statement.split_once(words)?;
    rest.trim_start_matches("IF NOT EXISTS ")
        .trim_start_matches("IF EXISTS ")
        .split([' ', '('])
        .next()
}

fn faults(migration: &Migration) -> BTreeSet<&'static str> {
    let statements = statements(migration.sql.as_str());
    let created = |statement: &String| Some(named_after(statement, "CREATE TABLE ")?.to_owned());
    let new: BTreeSet<String> = statements.iter().filter_map(created).collect();
    let has_rows = |table: Option<&str>| table.is_some_and(|table| !new.contains(table));
    let mut faults = BTreeSet::new();
    for statement in &statements {
        let is = |beginning: &str| statement.starts_with(beginning);
        let on = named_after(statement, " ON ");
        if (is("CREATE INDEX ") || is("CREATE UNIQUE INDEX "))
            && has_rows(on)
            && !statement.contains(" INDEX CONCURRENTLY IF NOT EXISTS ")
        {
            faults.insert(PLAIN_INDEX);
        }
        if is("DROP INDEX ") && !is("DROP INDEX CONCURRENTLY IF EXISTS ") {
            faults.insert(PLAIN_DROP);
        }
        if statement.contains(" CONCURRENTLY ") && !(migration.no_tx && statements.len() == 1) {
            faults.insert(IN_A_TRANSACTION);
        }
        let altered = named_after(statement, "ALTER TABLE ");
        if is("ALTER TABLE ") && has_rows(altered) {
            let same = format!("ALTER TABLE {} ", altered.unwrap_or_default());
            if !statements.iter().all(|other| other.starts_with(&same)) {
                faults.insert(CROWDED);
            }
            let is_plain_column = is(&format!("{same}ADD COLUMN "))
                && !["REFERENCES", "UNIQUE", "CHECK", "PRIMARY", "GENERATED", "CONSTRAINT"]
                    .iter()
                    .any(|word| statement.contains(word));
            // Options of storage need no look at the rows either, and no reader or writer waits for their lock.
            if !is_plain_column && !is(&format!("{same}SET (")) {
                faults.insert(SLOW);
            }
        }
        if is("UPDATE ") && has_rows(named_after(statement, "UPDATE "))
            || is("DELETE ") && has_rows(named_after(statement, "DELETE FROM "))
        {
            faults.insert(IN_ONE_GO);
        }
    }
    faults
}

fn faults_of(text: &'static str) -> Vec<&'static str> {
    faults(&migration(1, "new", text)).into_iter().collect()
}

#[test]
fn no_new_migration_stops_nodes() {
    for (migrator, old) in [(&migrations::POSTGRES, OLD), (&migrations::KEYS_POSTGRES, OLD_OF_KEYS)] {
        assert!(migrator.version_exists(old));
        for migration in migrator.iter().filter(|migration| migration.version > old) {
            let found = faults(migration);
            assert!(found.is_empty(), "{}: {found:?}", migration.version);
        }
    }
}

#[test]
fn what_stops_nodes_is_found() {
    let old = |version| {
        migrations::POSTGRES
            .iter()
            .find(|old| old.version == version)
            .map(faults)
    };
    assert_eq!(
        old(8).unwrap(),
        BTreeSet::from([PLAIN_INDEX, PLAIN_DROP, CROWDED, IN_ONE_GO])
    );
    assert_eq!(old(40).unwrap(), BTreeSet::from([PLAIN_INDEX]));
    assert_eq!(old(41).unwrap(), BTreeSet::from([PLAIN_INDEX, CROWDED]));
    assert_eq!(old(42).unwrap(), BTreeSet::new());
    for (text, expected) in [
        ("create unique index a on jobs (subject);", vec![PLAIN_INDEX]),
        (
            "CREATE INDEX CONCURRENTLY a ON jobs (subject);",
            vec![PLAIN_INDEX, IN_A_TRANSACTION],
        ),
        (
            "CREATE INDEX CONCURRENTLY IF NOT EXISTS a ON jobs (subject);",
            vec![IN_A_TRANSACTION],
        ),
        (
            "-- no-transaction\nDROP INDEX CONCURRENTLY IF EXISTS a; SELECT 1",
            vec![IN_A_TRANSACTION],
        ),
        (
            "ALTER TABLE jobs ADD COLUMN a BIGINT; ALTER TABLE users ADD COLUMN a BIGINT;",
            vec![CROWDED],
        ),
        ("ALTER TABLE jobs ALTER COLUMN a TYPE TEXT", vec![SLOW]),
        ("ALTER TABLE jobs ADD COLUMN a TEXT REFERENCES tenants (id)", vec![SLOW]),
        ("DELETE FROM jobs", vec![IN_ONE_GO]),
        // None of these.
        ("ALTER TABLE jobs SET (autovacuum_vacuum_threshold = 50)", vec![]),
        (
            "CREATE TABLE a (b TEXT); CREATE INDEX c ON a (b); UPDATE a SET b = '';",
            vec![],
        ),
        (
            "ALTER TABLE jobs ADD COLUMN a BIGINT; ALTER TABLE jobs ADD COLUMN b BIGINT; -- UPDATE jobs",
            vec![],
        ),
        (
            "-- no-transaction\n-- Why.\nCREATE INDEX CONCURRENTLY IF NOT EXISTS a\n    ON jobs (subject);",
            vec![],
        ),
        ("-- no-transaction\nDROP INDEX CONCURRENTLY IF EXISTS a;", vec![]),
    ] {
        assert_eq!(
            BTreeSet::from_iter(faults_of(text)),
            BTreeSet::from_iter(expected),
            "{text}"
        );
    }
}
