//! Each source when it works, and when it fails.

use super::*;
use crate::config::KeyService;
use std::{fs, time::Duration};
use tempfile::TempDir;
use testkit::{
    authority::{acceptor, root_pem},
    receiver::{Receiver, Reply},
};
use url::Url;

/// Appears in no error.
const KEY: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

fn command(script: &str) -> MasterKey {
    MasterKey::Command(["sh", "-c", script].map(str::to_owned).to_vec())
}

async fn error_of(source: &MasterKey) -> String {
    let error = load(source).await.unwrap_err().to_string();
    assert!(!error.contains(KEY), "{error}");
    error
}

#[tokio::test]
async fn a_credential_is_read_from_the_folder_that_systemd_names() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("key"), format!("# a comment\n1 {KEY}\n3 {KEY}\n")).unwrap();
    let credential = |name: &str, folder: Option<&Path>| MasterKey::Credential {
        name: name.to_owned(),
        folder: folder.map(Path::to_owned),
    };
    let keys = load(&credential("key", Some(folder.path()))).await.unwrap();
    assert_eq!(keys.versions(), [1, 3]);
    let missing = error_of(&credential("other", Some(folder.path()))).await;
    assert!(missing.contains("/other: No such file"), "{missing}");
    let none = error_of(&credential("key", None)).await;
    assert!(none.contains("$CREDENTIALS_DIRECTORY is not set"), "{none}");
}

#[tokio::test]
async fn a_command_prints_the_key_or_the_error_says_what_it_did_instead() {
    assert_eq!(load(&command(&format!("echo {KEY}"))).await.unwrap().versions(), [1]);
    for (script, wanted) in [
        (format!("echo 1 {KEY}; exit 3"), "sh failed: exit status: 3"),
        ("true".to_owned(), "the master key is malformed"),
        (format!("echo {KEY}0"), "the master key is malformed"),
        ("printf '\\377'".to_owned(), "sh printed something that is not text"),
        ("cat /dev/zero".to_owned(), "sh printed more than a key"),
    ] {
        let error = error_of(&command(&script)).await;
        assert!(error.contains(wanted), "{script}: {error}");
    }
    let unknown = error_of(&MasterKey::Command(vec!["/nonexistent/kms".to_owned()])).await;
    assert!(unknown.starts_with("/nonexistent/kms cannot be started:"), "{unknown}");
    let endless = ["sh", "-c", "exec tail -f /dev/null"].map(str::to_owned);
    let late = command::output_within(&endless, Duration::from_millis(200))
        .await
        .unwrap_err();
    assert_eq!(late.to_string(), "sh did not end within 0 s");
}

struct Kms {
    server: Receiver,
    folder: TempDir,
}

impl Kms {
    async fn start(trusted: bool) -> Self {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("ca.pem"), root_pem()).unwrap();
        fs::write(folder.path().join("token"), "sesame\n").unwrap();
        let server = Receiver::at("127.0.0.1:0", acceptor(&["127.0.0.1"], trusted)).await;
        Self { server, folder }
    }

    fn source(&self) -> KeyService {
        KeyService {
            url: Url::parse(&format!(
                "https://127.0.0.1:{}/v1/keys/honnin?latest=1",
                self.server.port
            ))
            .unwrap(),
            token_file: Some(self.folder.path().join("token")),
            ca_file: Some(self.folder.path().join("ca.pem")),
        }
    }

    async fn ask(&self) -> Result<Zeroizing<String>, MasterKeyError> {
        service::ask_with(&self.source(), &[Duration::ZERO; 2]).await
    }
}

fn with_key() -> Reply {
    let text = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n2 {KEY}\n", KEY.len() + 3);
    Reply::Raw(Box::leak(text.into_boxed_str()))
}

#[tokio::test]
async fn a_key_service_is_asked_with_the_token_over_tls_and_again_if_it_does_not_respond() {
    let kms = Kms::start(true).await;
    kms.server.reply([with_key()]);
    let keys = load(&MasterKey::Service(kms.source())).await.unwrap();
    assert_eq!(keys.versions(), [2]);
    let asked = &kms.server.received()[0];
    assert_eq!(asked.line, "GET /v1/keys/honnin?latest=1 HTTP/1.1");
    assert_eq!(asked.header("authorization"), "Bearer sesame");
    kms.server.reply([Reply::Status(503), Reply::Close, with_key()]);
    assert!(kms.ask().await.is_ok());
    assert_eq!(kms.server.count(), 4);
    kms.server
        .reply([Reply::Status(500), Reply::Status(502), Reply::Status(429)]);
    let busy = kms.ask().await.unwrap_err().to_string();
    assert_eq!(busy, "the key service answered 429 Too Many Requests");
    kms.server.reply([Reply::Status(403)]);
    let refused = kms.ask().await.unwrap_err().to_string();
    assert_eq!(refused, "the key service answered 403 Forbidden");
    assert_eq!(kms.server.count(), 8, "a refusal is final");
    fs::remove_file(kms.folder.path().join("token")).unwrap();
    let without = kms.ask().await.unwrap_err().to_string();
    assert!(without.contains("token: No such file"), "{without}");
}

#[tokio::test]
async fn the_token_is_not_sent_to_a_service_whose_certificate_is_not_trusted() {
    let kms = Kms::start(false).await;
    let error = kms.ask().await.unwrap_err().to_string();
    assert!(error.contains("does not respond: invalid peer certificate"), "{error}");
    assert_eq!(kms.server.count(), 0);
}

#[tokio::test]
async fn all_authorities_of_a_file_are_trusted_and_a_file_without_one_is_refused() {
    let kms = Kms::start(true).await;
    let file = kms.folder.path().join("ca.pem");
    let trusted = fs::read_to_string(&file).unwrap();
    let other = rcgen::generate_simple_self_signed(["other.example".to_owned()]).unwrap();
    fs::write(&file, other.cert.pem() + &trusted).unwrap();
    kms.server.reply([with_key()]);
    kms.ask().await.unwrap();
    fs::write(&file, "# none\n").unwrap();
    let refused = kms.ask().await.unwrap_err().to_string();
    assert!(refused.ends_with("/ca.pem: contains no certificate"), "{refused}");
}

#[test]
fn a_command_that_is_ended_leaves_nothing_behind_that_this_process_waits_for() {
    for script in ["tail -f /dev/null & wait", "tail -f /dev/null & echo started"] {
        let (tell, told) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let command = ["sh", "-c", script].map(str::to_owned);
            let runtime = tokio::runtime::Runtime::new().unwrap();
            let late = runtime.block_on(command::output_within(&command, Duration::from_millis(200)));
            // Waits until nobody can write to the pipe any more.
            drop(runtime);
            tell.send(late.is_err()).unwrap();
        });
        assert_eq!(told.recv_timeout(Duration::from_secs(20)), Ok(true), "{script}");
    }
}
