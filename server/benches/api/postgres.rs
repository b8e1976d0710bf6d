//! The same creations on Postgres, compared with pgbench with equal rows and clients on the same server.

use crate::{
    CLIENTS, REQUESTS, Round, load, share,
    system::{System, pgbench_script},
};
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use std::process::Command;
use tempfile::TempDir;
use testkit::floors::results;

/// Empty if no server is named.
pub(crate) async fn round() -> Round {
    let Some(server) = server() else { return Vec::new() };
    let folder = TempDir::new_in(results()).unwrap();
    let schema = format!("bench_{:016x}", rand::random::<u64>());
    let mut admin = PgConnection::connect(&server).await.unwrap();
    for schema in [schema.clone(), format!("{schema}_keys")] {
        let create = sqlx::raw_sql(AssertSqlSafe(format!("CREATE SCHEMA {schema}")));
        create.execute(&mut admin).await.unwrap();
    }
    let url = format!("{server}?options[search_path]={schema}");
    let system = System::start(&folder.path().join("data"), Some((&url, &format!("{url}_keys")))).await;
    let created = load::closed(system.address, share((0..REQUESTS).map(|_| system.creation())));
    let script = folder.path().join("creation.sql");
    std::fs::write(&script, pgbench_script(&system.tenant)).unwrap();
    let pgbench = pgbench(&server, &schema, script.to_str().unwrap());
    system.stop().await;
    vec![("pg_create", created.rate), ("pgbench", pgbench)]
}

/// Transactions per second.
fn pgbench(server: &str, schema: &str, script: &str) -> f64 {
    let each = (REQUESTS / CLIENTS).to_string();
    let output = Command::new("pgbench")
        .args([
            "--no-vacuum",
            "--protocol=prepared",
            "--jobs=2",
            "--client",
            &CLIENTS.to_string(),
        ])
        .args(["--transactions", &each, "--file", script, server])
        .env("PGOPTIONS", format!("-c search_path={schema}"))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().find_map(|line| line.strip_prefix("tps = "));
    let line = line.unwrap_or_else(|| panic!("{text}{}", String::from_utf8_lossy(&output.stderr)));
    line.split(' ').next().unwrap().parse().unwrap()
}

#[expect(
    clippy::disallowed_methods,
    reason = "the server's address comes from the environment"
)]
fn server() -> Option<String> {
    std::env::var("HONNIN_BENCH_POSTGRES")
        .ok()
        .filter(|server| !server.is_empty())
}
