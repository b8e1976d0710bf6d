//! The master key, replaced while the node is running.
//!
//! Planted faults that this test detects: a running process that keeps the keys it read at its start; removing the old version
//! before everything is encrypted with the new one.

use super::{
    backup::{Customers, NAME, begin, pictures},
    http::{create, read},
    node::{Installation, Node, add_tenant, settings},
};
use domain::time::Millis;
use rustix::process::{Pid, Signal, kill_process};
use std::{
    fs,
    io::{BufRead as _, BufReader},
    process::Stdio,
};
use testkit::databases::run_at;

/// Runs `honnin keys rotate` and kills it once it has printed this many lines, at most two: after the second it waits until every node
/// has read the new key.
fn kill_rotation(installation: &Installation, kill_after: usize) {
    let mut process = installation.shell("exec_honnin keys rotate --settle 600");
    let mut process = process.stdout(Stdio::piped()).spawn().unwrap();
    let printed = BufReader::new(process.stdout.take().unwrap()).lines();
    assert_eq!(printed.take(kill_after).count(), kill_after);
    kill_process(Pid::from_child(&process), Signal::KILL).unwrap();
    assert!(!process.wait().unwrap().success());
}

/// Runs `honnin keys rotate` to its end. Returns what it printed.
fn rotate(installation: &Installation) -> String {
    let mut process = installation.shell("honnin keys rotate --settle 1");
    let rotated = process.output().unwrap();
    assert!(rotated.status.success());
    String::from_utf8(rotated.stdout).unwrap()
}

async fn each_is_read(address: std::net::SocketAddr, key: &str, ids: &[String]) {
    for id in ids {
        let (status, session) = read(address, key, id).await;
        assert_eq!(
            (status, &session["preRegisteredInfo"]["lastName"]),
            (200, &NAME.into()),
            "{session}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_master_key_is_replaced_while_sessions_are_created_however_often_the_command_is_killed() {
    let (installation, key) = Installation::with_tenant().await;
    let key = key.as_str();
    let (node, address) = begin(&installation, "serve").await;
    let file = installation.data().join("master.key");
    let first = fs::read_to_string(&file).unwrap();
    let customers = Customers::start(address, key, &pictures(&installation));
    let mut so_far = customers.at_least(50).await.len();
    for kill_after in [0, 1, 2, 2] {
        tokio::task::block_in_place(|| kill_rotation(&installation, kill_after));
        let ids = customers.at_least(so_far + 20).await;
        so_far = ids.len();
        each_is_read(address, key, &ids[so_far - 20..]).await;
    }
    let printed = tokio::task::block_in_place(|| rotate(&installation));
    assert!(printed.contains("The old key version was removed"), "{printed}");
    customers.at_least(so_far + 70).await;
    let all = customers.end().await;
    each_is_read(address, key, &all).await;
    node.stop().await;
    // With the new key alone everything is read, and with the old one nothing is.
    let (node, address) = begin(&installation, "serve").await;
    each_is_read(address, key, &all).await;
    node.stop().await;
    fs::write(&file, first).unwrap();
    let mut node: Node = installation.start("serve", "127.0.0.1:0");
    node.until_it_says("its keys cannot decrypt the stored data").await;
}

/// Runs `honnin keys ..`. Returns whether it succeeded, and what it printed.
async fn keys(installation: &Installation, script: &str) -> (bool, String) {
    let mut shell = installation.shell(&format!("cd \"${{SETTINGS%/*}}\" && {script} 2>&1"));
    let output = tokio::task::spawn_blocking(move || shell.output())
        .await
        .unwrap()
        .unwrap();
    (output.status.success(), String::from_utf8(output.stdout).unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_master_key_that_a_command_prints_is_replaced_step_by_step_as_the_program_says() {
    let folder = tempfile::tempdir().unwrap();
    let elsewhere = folder.path().join("kms");
    let installation = Installation::new().with(&format!(
        "master_key.source = \"command\"\nmaster_key.command = [\"cat\", {elsewhere:?}]\n"
    ));
    let mut node = installation.start("serve", "127.0.0.1:0");
    node.until_it_says("master_key.command: cat failed: exit status: 1")
        .await;
    let (_, first) = keys(&installation, "honnin keys generate").await;
    fs::write(&elsewhere, &first).unwrap();
    let app = installation.open(Millis(0)).await;
    let tenant = add_tenant(&app, settings(None)).await;
    let key = tenant.key.expose();
    app.honnin.close().await.unwrap();
    assert!(
        !installation.data().join("master.key").exists(),
        "nothing is generated beside it"
    );
    let (node, address) = begin(&installation, "serve").await;
    let customers = Customers::start(address, key, &pictures(&installation));
    customers.at_least(20).await;
    let ids = customers.end().await;
    let (done, said) = keys(&installation, "honnin keys rotate").await;
    assert!(!done && said.contains("honnin keys generate --version 2"), "{said}");
    let (_, second) = keys(&installation, "honnin keys generate --version 2").await;
    fs::write(&elsewhere, format!("{first}{second}")).unwrap();
    let (done, said) = keys(&installation, "honnin keys rotate").await;
    assert!(!done && said.contains("Restart each of them"), "{said}");
    node.stop().await;
    let (node, address) = begin(&installation, "serve").await;
    each_is_read(address, key, &ids).await;
    let (done, said) = keys(&installation, "honnin keys rotate --restarted --settle 0").await;
    assert!(
        done && said.contains("Now remove the older versions from the command cat"),
        "{said}"
    );
    each_is_read(address, key, &ids).await;
    fs::write(&elsewhere, &second).unwrap();
    let (done, said) = keys(&installation, "honnin keys check").await;
    assert!(done && said.contains("Versions in the command cat: 2"), "{said}");
    node.stop().await;
    let (node, address) = begin(&installation, "serve").await;
    each_is_read(address, key, &ids).await;
    node.stop().await;
    // Another installation's key is refused, wherever it comes from.
    fs::write(&elsewhere, first).unwrap();
    let mut node: Node = installation.start("serve", "127.0.0.1:0");
    node.until_it_says("master_key.command: its keys cannot decrypt the stored data")
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_version_of_the_master_key_that_is_missing_is_named() {
    let (installation, key) = Installation::with_tenant().await;
    let (node, address) = begin(&installation, "serve").await;
    assert_eq!(create(address, &key, "{}").await.0, 201);
    node.stop().await;
    let (done, said) = keys(&installation, "honnin keys check").await;
    assert!(done && !said.contains("missing"), "{said}");
    let url = format!("sqlite://{}", installation.data().join("keys.db").display());
    // The last one, since a start tests the first.
    let lost = "INSERT INTO data_keys (id, master_version, sealed) SELECT 'dk_g', 9, sealed FROM data_keys LIMIT 1";
    assert_eq!(run_at(&url, lost).await, 1);
    let (done, said) = keys(&installation, "honnin keys check").await;
    assert!(
        !done && said.contains("Version 9 encrypts 1 session keys, and is missing"),
        "{said}"
    );
    let found = "DELETE FROM data_keys WHERE master_version = 9";
    assert_eq!(run_at(&url, found).await, 1);
    let (done, said) = keys(&installation, "honnin keys check").await;
    assert!(done && !said.contains("missing"), "{said}");
    let url = format!("sqlite://{}", installation.data().join("honnin.db").display());
    let user = "INSERT INTO users (id, email, name, operator, password, created_at)
                VALUES ('usr_00000000000000000000000000000001', 'ada@example.com', 'Ada', 1, '', 1)";
    assert_eq!(run_at(&url, user).await, 1);
    // A secret begins with the number of its version.
    let lost = "INSERT INTO authenticators (user_id, secret, created_at, last_step)
                VALUES ('usr_00000000000000000000000000000001', x'0000000700', 1, 0)";
    assert_eq!(run_at(&url, lost).await, 1);
    let (done, said) = keys(&installation, "honnin keys check").await;
    assert!(
        !done && said.contains("Version 7 encrypts 1 of them, and is missing"),
        "{said}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_master_key_that_cannot_be_read_is_reported_under_the_setting_that_says_where_it_is() {
    let installation = Installation::new();
    let app = installation.open(Millis(0)).await;
    add_tenant(&app, settings(None)).await;
    app.honnin.close().await.unwrap();
    let file = installation.data().join("master.key");
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    let mut node = installation.start("serve", "127.0.0.1:0");
    node.until_it_says("storage.master_key_file: cannot read the master key file")
        .await;
}
