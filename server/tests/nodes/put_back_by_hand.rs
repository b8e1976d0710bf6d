//! Databases that were copied and put back without `honnin backup`, such as with `pg_dump` and `pg_restore`.

use super::{
    backup::begin,
    http::{call, create, read},
    node::Installation,
};
use serde_json::Value;
use std::{fs, net::SocketAddr, process::Output};
use testkit::databases::number_at;

/// Runs a command on a stopped installation.
fn run(installation: &Installation, command: &str) -> Output {
    installation.shell(command).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

async fn until_erased(address: SocketAddr, key: &str, id: &str) -> Value {
    loop {
        let (_, session) = read(address, key, id).await;
        if !session["purgedAt"].is_null() {
            return session;
        }
        tokio::task::yield_now().await;
    }
}

/// What a search for a person finds.
async fn indexed(installation: &Installation) -> i64 {
    let url = format!("sqlite://{}", installation.data().join("honnin.db").display());
    number_at(&url, "SELECT COUNT(*) FROM blind_index").await
}

/// Planted faults that this test detects: nothing that erases again after such a restore; erasing without being told that the keys are the newer
/// half.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_was_erased_since_a_dump_is_erased_again_once_what_was_put_back_is_settled() {
    let (installation, key) = Installation::with_tenant().await;
    let key = key.as_str();
    let (node, address) = begin(&installation, "serve").await;
    let person = r#"{"preRegisteredInfo": {"lastName": "Tanaka", "firstName": "Rei", "dateOfBirth": "1990-04-01"}}"#;
    let (_, session) = create(address, key, person).await;
    let id = session["id"].as_str().unwrap();
    let (_, other) = create(address, key, "{}").await;
    node.stop().await;
    let [data, dump] = ["data/honnin.db", "dump"].map(|name| installation.folder.path().join(name));
    fs::copy(&data, &dump).unwrap();
    assert!(indexed(&installation).await > 0);

    let (node, address) = begin(&installation, "serve").await;
    let head = format!("POST /v1/verification-sessions/{id}/erase HTTP/1.1\r\nauthorization: Bearer {key}\r\n");
    assert!(call(address, &head, b"").await.unwrap().status < 300);
    until_erased(address, key, id).await;
    node.stop().await;

    // The data as it was, and the keys as they are.
    fs::copy(&dump, &data).unwrap();
    let refused = run(&installation, "honnin backup settle");
    let said = text(&refused.stderr);
    assert!(
        !refused.status.success() && said.contains("1 of 2 sessions have no key"),
        "{said}"
    );
    assert!(indexed(&installation).await > 0, "nothing was erased");
    let settled = run(&installation, "honnin backup settle --erase");
    let said = text(&settled.stdout);
    assert!(settled.status.success(), "{}", text(&settled.stderr));
    assert!(
        said.contains("are erased again at the next start: 1.") && said.contains("are held"),
        "{said}"
    );

    let (mut node, address) = begin(&installation, "serve").await;
    assert!(
        node.says("webhooks are on hold since this installation was restored")
            .await
    );
    let erased = until_erased(address, key, id).await;
    assert_eq!(erased["status"], "failed");
    let (_, other) = read(address, key, other["id"].as_str().unwrap()).await;
    assert!(other["purgedAt"].is_null() && other["status"] == "created", "{other}");
    node.stop().await;
    assert_eq!(indexed(&installation).await, 0);

    // Nothing is missing any more, and then nothing is held.
    assert!(run(&installation, "honnin backup settle").status.success());
    let released = run(&installation, "honnin backup settle --send-deliveries");
    assert!(released.status.success(), "{}", text(&released.stderr));
    let (mut node, _) = begin(&installation, "serve").await;
    node.ask_to_stop();
    assert!(!node.says("on hold").await, "{:?}", node.said());
    node.ends().await;
}
