//! `honnin check-config`: what it refuses, a start would refuse.

use super::{free_port, http::get, node::Installation};
use domain::time::Millis;
use rustix::process::{Pid, Signal, kill_process};
use std::{
    io::{BufRead as _, BufReader},
    net::{SocketAddr, TcpListener},
    process::Stdio,
};
use testkit::databases::run_at;

#[test]
fn files_that_a_start_would_refuse_are_faults_of_the_configuration() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).display().to_string();
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    std::fs::write(file("certificate.pem"), made.cert.pem()).unwrap();
    std::fs::write(file("key.pem"), made.signing_key.serialize_pem()).unwrap();
    std::fs::write(file("empty.pem"), "").unwrap();
    for (certificate, key, roots, faults) in [
        ("certificate.pem", "key.pem", "certificate.pem", &[][..]),
        (
            "certificate.pem",
            "empty.pem",
            "certificate.pem",
            &["tls.certificate, tls.key: "][..],
        ),
        (
            "missing.pem",
            "key.pem",
            "empty.pem",
            &["tls.certificate, tls.key: ", "audit.ca_file: "][..],
        ),
    ] {
        let installation = Installation::new().with(&format!(
            "tls.mode = \"files\"\ntls.certificate = {:?}\ntls.key = {:?}\naudit.ca_file = {:?}\n",
            file(certificate),
            file(key),
            file(roots)
        ));
        let checked = installation.shell("honnin check-config").output().unwrap();
        let said = String::from_utf8(checked.stderr).unwrap();
        assert_eq!(checked.status.success(), faults.is_empty(), "{said}");
        assert!(faults.iter().all(|fault| said.contains(fault)), "{said}");
    }
}

#[test]
fn a_key_service_whose_authorities_cannot_be_read_is_a_fault_of_the_configuration() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("empty.pem");
    std::fs::write(&file, "").unwrap();
    let installation = Installation::new().with(&format!(
        "master_key.source = \"service\"\nmaster_key.url = \"https://kms.example/key\"\nmaster_key.ca_file = {file:?}\n"
    ));
    let checked = installation.shell("honnin check-config").output().unwrap();
    let said = String::from_utf8(checked.stderr).unwrap();
    assert!(
        !checked.status.success() && said.contains("master_key.ca_file: ") && said.contains("contains no certificate"),
        "{said}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_certificate_that_has_expired_is_warned_about_and_does_not_prevent_a_start() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).display().to_string();
    let key = rcgen::KeyPair::generate().unwrap();
    let mut wanted = rcgen::CertificateParams::new(["localhost".to_owned()]).unwrap();
    wanted.not_after = rcgen::date_time_ymd(2001, 2, 3);
    std::fs::write(file("key.pem"), key.serialize_pem()).unwrap();
    std::fs::write(file("certificate.pem"), wanted.self_signed(&key).unwrap().pem()).unwrap();
    let installation = Installation::new().with(&format!(
        "tls.mode = \"files\"\ntls.certificate = {:?}\ntls.key = {:?}\n",
        file("certificate.pem"),
        file("key.pem")
    ));
    let expired = "the certificate expired at 2001-02-03T00:00:00.000Z";
    let checked = installation.shell("honnin check-config").output().unwrap();
    let said = String::from_utf8(checked.stdout).unwrap();
    assert!(
        checked.status.success() && said.contains(&format!("tls.certificate: {expired}")),
        "{said}"
    );
    let mut node = installation.start("serve", &format!("127.0.0.1:{}", free_port()));
    node.until_it_says(expired).await;
    node.hang_up();
    node.until_it_says("the certificate was reloaded").await;
    node.until_it_says(expired).await;
    node.stop().await;
}

#[test]
fn an_output_that_cannot_be_written_is_not_taken_for_a_full_disk_of_the_installation() {
    let checked = Installation::new()
        .shell("honnin check-config > /dev/full")
        .output()
        .unwrap();
    let said = String::from_utf8(checked.stderr).unwrap();
    assert!(
        !checked.status.success() && said.contains("cannot write the output: "),
        "{said}"
    );
}

#[test]
fn a_server_whose_output_cannot_be_written_serves_all_the_same() {
    let installation = Installation::new().with(&format!("listen = \"127.0.0.1:{}\"\n", free_port()));
    let mut shell = installation.shell("exec_honnin serve > /dev/full");
    let mut process = shell.stderr(Stdio::piped()).spawn().unwrap();
    let mut log = BufReader::new(process.stderr.take().unwrap()).lines();
    let is_told = log.any(|line| line.unwrap().contains("cannot print where the console is"));
    // It may have ended.
    _ = kill_process(Pid::from_child(&process), Signal::TERM);
    log.for_each(drop);
    assert!(is_told && process.wait().unwrap().success());
}

/// Planted fault that this test detects: a process that ends before its databases are signed off.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_start_that_fails_is_not_taken_for_a_crash_by_the_next_one() {
    for (command, ready) in [("serve", "listening"), ("worker", "working")] {
        let metrics = SocketAddr::from(([127, 0, 0, 1], free_port()));
        let installation = Installation::new().with(&format!("metrics_listen = \"{metrics}\"\n"));
        let taken = TcpListener::bind(metrics).unwrap();
        let mut node = installation.start(command, &format!("127.0.0.1:{}", free_port()));
        node.until_it_says("cannot listen on").await;
        assert_eq!(node.status().await, Some(1), "{command}");
        drop(taken);
        let mut node = installation.start(command, &format!("127.0.0.1:{}", free_port()));
        node.until_it_says(ready).await;
        let crash = node.said().iter().find(|line| line.contains("was not closed cleanly"));
        assert_eq!(crash, None, "{command}");
        node.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_cannot_store_the_link_to_the_first_account_serves_all_the_same() {
    let installation = Installation::new();
    installation.open(Millis(0)).await.honnin.close().await.unwrap();
    let url = format!("sqlite://{}", installation.data().join("honnin.db").display());
    // As on a disk that is full.
    let full = "CREATE TRIGGER full BEFORE INSERT ON set_up_links BEGIN SELECT RAISE(ABORT, 'the disk is full'); END";
    run_at(&url, full).await;
    let address = SocketAddr::from(([127, 0, 0, 1], free_port()));
    let mut node = installation.start("serve", &address.to_string());
    node.until_it_says("cannot make the link that creates the first account")
        .await;
    assert_eq!(get(address, "/readyz").await.0, 200);
    node.stop().await;
}
