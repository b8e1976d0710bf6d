//! Databases that were copied and put back without `honnin backup`, such as with `pg_dump` and `pg_restore`.

use super::{
    backup::begin,
    http::{call, create, read},
    node::Installation,
};
use serde_json::Value;
use std::{fs, net::SocketAddr, process::Output};
use testkit::databases::{number_at, run_at};

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

/// Each of the commands ends at once, with that sentence.
fn are_refused(installation: &Installation, commands: &[&str], sentence: &str) {
    for command in commands {
        let refused = run(installation, command);
        let said = text(&refused.stderr);
        assert!(
            !refused.status.success() && said.contains(sentence),
            "{command}: {said}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_was_erased_since_the_keys_were_copied_is_erased_again_if_a_list_names_them() {
    let (installation, key) = Installation::with_tenant().await;
    let key = key.as_str();
    let (node, address) = begin(&installation, "serve").await;
    let (_, session) = create(address, key, "{}").await;
    let id = session["id"].as_str().unwrap();
    let (_, other) = create(address, key, "{}").await;
    node.stop().await;
    // Nothing is missing in the copy: it is from before the erasure.
    let list = installation.folder.path().join("list");
    fs::write(&list, id).unwrap();
    let settle = format!("honnin backup settle --put-back --erase-again {}", list.display());
    let settled = run(&installation, &settle);
    let said = text(&settled.stdout);
    assert!(settled.status.success(), "{}", text(&settled.stderr));
    assert!(
        said.contains("the list names, and that are erased again at the next start: 1."),
        "{said}"
    );
    let (node, address) = begin(&installation, "serve").await;
    until_erased(address, key, id).await;
    let (_, other) = read(address, key, other["id"].as_str().unwrap()).await;
    assert!(other["purgedAt"].is_null(), "{other}");
    node.stop().await;
}

/// What the lost installation has sent since the copy, the copy does not know.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_copy_has_still_to_send_counts_as_sent_once_it_was_put_back_and_what_it_has_sent_is_left_alone() {
    let (installation, _) = Installation::with_tenant().await;
    let (node, _) = begin(&installation, "serve").await;
    node.stop().await;
    let url = format!("sqlite://{}", installation.data().join("honnin.db").display());
    for add in [
        "INSERT INTO events (id, tenant_id, kind, created_at, removed_delivery)
         SELECT kind || id, id, 'webhook.test', 1, 'none'
         FROM tenants, (SELECT 'due' AS kind UNION ALL SELECT 'sent' UNION ALL SELECT 'given up')",
        "INSERT INTO deliveries (event_id, tenant_id, kind, created_at, state, attempts, started_at, step, next_attempt_at, settled_at)
         SELECT id, tenant_id, kind, 1, CASE WHEN id LIKE 'due%' THEN 'pending' WHEN id LIKE 'sent%' THEN 'delivered' ELSE 'abandoned' END,
             1, 1, 1, CASE WHEN id LIKE 'due%' THEN 1 END, CASE WHEN id NOT LIKE 'due%' THEN 1 END
         FROM events WHERE kind = 'webhook.test'",
    ] {
        assert!(run_at(&url, add).await >= 3);
    }
    let settled = run(&installation, "honnin backup settle --put-back");
    assert!(settled.status.success(), "{}", text(&settled.stderr));
    let wrong =
        "SELECT COUNT(*) FROM events WHERE kind = 'webhook.test' AND (removed_delivery = 'sent') = (id LIKE 'sent%')";
    assert_eq!(number_at(&url, wrong).await, 0);
}

/// Planted fault that this test detects: a command that takes every installation for one that was put back.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_installation_that_was_not_put_back_goes_on_sending_webhooks_whoever_settles_it() {
    let (installation, key) = Installation::with_tenant().await;
    let (node, address) = begin(&installation, "serve").await;
    let (_, session) = create(address, &key, "{}").await;
    let id = session["id"].as_str().unwrap();
    let list = installation.folder.path().join("list");
    fs::write(&list, id).unwrap();
    let commands = [
        "honnin backup settle".to_owned(),
        "honnin backup settle --erase".to_owned(),
        format!("honnin backup settle --erase-again {}", list.display()),
    ];
    let commands = commands.each_ref().map(String::as_str);
    are_refused(
        &installation,
        &commands,
        "nothing was changed, since webhooks are not held here. 0 of 1 sessions have no key",
    );
    node.stop().await;
    let (mut node, address) = begin(&installation, "serve").await;
    let (_, found) = read(address, &key, id).await;
    assert_eq!(found["status"], "created", "{found}");
    node.ask_to_stop();
    assert!(!node.says("on hold").await, "{:?}", node.said());
    node.ends().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn neither_a_node_nor_a_rotation_begins_on_a_database_of_keys_that_has_that_of_no_session() {
    let (installation, key) = Installation::with_tenant().await;
    let key = key.as_str();
    let (node, address) = begin(&installation, "serve").await;
    let (_, session) = create(address, key, "{}").await;
    let id = session["id"].as_str().unwrap();
    node.stop().await;
    let [keys, away] = ["data/keys.db", "away"].map(|name| installation.folder.path().join(name));
    fs::rename(&keys, &away).unwrap();
    let file = installation.data().join("master.key");
    let master = fs::read(&file).unwrap();
    are_refused(
        &installation,
        &[
            "honnin serve",
            "honnin worker",
            "honnin keys check",
            "honnin keys rotate --settle 0",
        ],
        "database.keys_url: this database has the key of no stored session",
    );
    assert!(fs::read(&file).unwrap() == master, "the master key was replaced");
    fs::rename(&away, &keys).unwrap();
    let (node, address) = begin(&installation, "serve").await;
    let (_, session) = read(address, key, id).await;
    assert!(
        session["purgedAt"].is_null() && session["status"] == "created",
        "{session}"
    );
    node.stop().await;
}

/// Planted fault that this test detects: taking everybody for erased where only the data was put back.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_is_erased_again_where_no_session_has_a_key() {
    let (installation, key) = Installation::with_tenant().await;
    let key = key.as_str();
    let (node, address) = begin(&installation, "serve").await;
    let (_, session) = create(address, key, "{}").await;
    let id = session["id"].as_str().unwrap();
    node.stop().await;
    let [keys, away] = ["data/keys.db", "away"].map(|name| installation.folder.path().join(name));
    fs::rename(&keys, &away).unwrap();
    are_refused(
        &installation,
        &["honnin backup settle --put-back --erase"],
        "none of the 1 sessions has a key",
    );
    fs::rename(&away, &keys).unwrap();
    let (node, address) = begin(&installation, "serve").await;
    let (_, session) = read(address, key, id).await;
    assert!(
        session["purgedAt"].is_null() && session["status"] == "created",
        "{session}"
    );
    node.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_node_begins_anew_beside_the_keys_of_an_installation_whose_database_is_gone() {
    let (installation, key) = Installation::with_tenant().await;
    let key = key.as_str();
    let (node, address) = begin(&installation, "serve").await;
    let (_, session) = create(address, key, "{}").await;
    let id = session["id"].as_str().unwrap();
    node.stop().await;
    let at = |name: &str| installation.folder.path().join(name);
    fs::rename(at("data/honnin.db"), at("away")).unwrap();
    // The first one that is refused leaves a new database behind.
    are_refused(
        &installation,
        &[
            "honnin serve",
            "honnin worker",
            "honnin tenant create --name Shop",
            "honnin serve",
        ],
        "database.url: this database is new, but database.keys_url has keys",
    );
    fs::rename(at("away"), at("data/honnin.db")).unwrap();
    let (node, address) = begin(&installation, "serve").await;
    let (_, found) = read(address, key, id).await;
    assert_eq!(found["status"], "created", "{found}");
    node.stop().await;
    // Without either, an installation is new, however often it is started.
    for name in ["honnin.db", "keys.db"] {
        fs::remove_file(at("data").join(name)).unwrap();
    }
    for _ in 0..2 {
        let (node, _) = begin(&installation, "serve").await;
        node.stop().await;
    }
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
    let refused = run(&installation, "honnin backup settle --put-back");
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
