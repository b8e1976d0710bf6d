//! `honnin check-config`: what it refuses, a start would refuse.

use super::{free_port, node::Installation};

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
    node.until_it_says("the certificate was read again").await;
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
