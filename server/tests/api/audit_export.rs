//! Exporting the audit log to a file and to syslog servers, which may be away.

use crate::support::{SESSIONS, Server};
use serde_json::Value;
use std::collections::BTreeSet;
use testkit::authority::{acceptor, root_pem};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _},
    net::{TcpListener, TcpSocket, TcpStream, UnixDatagram},
};

/// Stops the server, which exports the rest.
async fn stop(server: &mut Server) {
    server.app.stopping.cancel();
    (&mut server.task).await.unwrap();
}

/// The next message of a connection with counted octets; `None` at its end.
async fn message(stream: &mut (impl AsyncRead + Unpin)) -> Option<String> {
    let mut length = 0;
    loop {
        match stream.read_u8().await.ok()? {
            b' ' => break,
            digit => length = length * 10 + usize::from(digit - b'0'),
        }
    }
    let mut bytes = vec![0; length];
    stream.read_exact(&mut bytes).await.ok()?;
    String::from_utf8(bytes).ok()
}

/// The entry in a message.
fn entry(message: &str) -> Value {
    assert!(
        message.starts_with("<110>1 2026-08-02T09:30:00.000Z id.example honnin "),
        "{message}"
    );
    serde_json::from_str(&message[message.find('{').unwrap()..]).unwrap()
}

/// Reads until an entry about `subject`, and notes the positions of all.
async fn read_until(stream: &mut (impl AsyncRead + Unpin), subject: &str, seen: &mut BTreeSet<i64>) {
    loop {
        let entry = entry(&message(stream).await.expect("the entry is sent"));
        seen.insert(entry["position"].as_i64().unwrap());
        if entry["subject"] == subject {
            return;
        }
    }
}

#[tokio::test]
async fn a_file_has_every_entry_once_in_the_order_of_the_chain_and_nothing_personal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let mut server = Server::with(&format!("[audit]\nexport = \"file://{}\"\n", path.display())).await;
    let body = r#"{"metadata": {"order": "canary"}, "preRegisteredInfo": {"lastName": "Canary"}}"#;
    let id = server.create(body).await["id"].as_str().unwrap().to_owned();
    server.call("GET", &format!("{SESSIONS}/{id}"), "").await;
    stop(&mut server).await;
    let text = std::fs::read_to_string(&path).unwrap();
    let entries: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let positions: Vec<_> = entries
        .iter()
        .map(|entry| entry["position"].as_i64().unwrap())
        .collect();
    assert_eq!(positions, (1..=positions.len() as i64).collect::<Vec<_>>());
    let about: Vec<_> = entries.iter().filter(|entry| entry["subject"] == *id).collect();
    let actions: Vec<_> = about.iter().map(|entry| entry["action"].as_str().unwrap()).collect();
    assert_eq!(actions, ["session.create", "session.read"]);
    assert_eq!(about[0]["tenant"], server.tenant.as_str());
    assert!(about[0]["actor"].as_str().unwrap().starts_with("key_"));
    assert_eq!(
        (&about[0]["address"], about[0]["hash"].as_str().unwrap().len()),
        (&"127.0.0.1".into(), 64)
    );
    assert!(!text.contains("anary"), "{text}");
}

#[tokio::test]
async fn what_happens_while_the_syslog_server_is_away_arrives_when_it_is_back() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut server = Server::with(&format!("[audit]\nexport = \"tcp://{address}\"\n")).await;
    let create = async |server: &Server| server.create("{}").await["id"].as_str().unwrap().to_owned();
    let mut seen = BTreeSet::new();
    let (mut stream, _) = listener.accept().await.unwrap();
    let first = create(&server).await;
    read_until(&mut stream, &first, &mut seen).await;
    drop((stream, listener));
    // While nobody listens on it, its port stays taken: it could be given to a server of another test, which would get these entries.
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_reuseaddr(true).unwrap();
    while socket.bind(address).is_err() {
        tokio::task::yield_now().await;
    }
    let mut away = Vec::new();
    for _ in 0..3 {
        away.push(create(&server).await);
    }
    let refused = TcpStream::connect(address).await;
    assert!(refused.is_err(), "it is away");
    let listener = socket.listen(16).unwrap();
    let (mut stream, _) = listener.accept().await.unwrap();
    for id in &away {
        read_until(&mut stream, id, &mut seen).await;
    }
    let last = *seen.last().unwrap();
    assert_eq!(
        seen.into_iter().collect::<Vec<_>>(),
        (1..=last).collect::<Vec<_>>(),
        "without a gap"
    );
    stop(&mut server).await;
}

#[tokio::test]
async fn a_new_connection_begins_with_what_was_exported_lately_though_the_old_one_has_taken_it() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut server = Server::with(&format!("[audit]\nexport = \"tcp://{address}\"\n")).await;
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut seen = BTreeSet::new();
    // Each is a batch of its own, which the next one confirms in no way.
    for _ in 0..3 {
        let id = server.create("{}").await["id"].as_str().unwrap().to_owned();
        read_until(&mut stream, &id, &mut seen).await;
    }
    drop(stream);
    // Nothing is new, and it connects again.
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut again = BTreeSet::new();
    while again.len() < seen.len() {
        let entry = entry(&message(&mut stream).await.expect("the entry is sent"));
        again.insert(entry["position"].as_i64().unwrap());
    }
    assert_eq!(again, seen);
    stop(&mut server).await;
}

#[tokio::test]
async fn a_local_socket_gets_a_datagram_for_each_entry() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let socket = UnixDatagram::bind(&path).unwrap();
    let server = Server::with(&format!("[audit]\nexport = \"unix://{}\"\n", path.display())).await;
    let id = server.create("{}").await["id"].as_str().unwrap().to_owned();
    let mut datagram = vec![0; 65_536];
    loop {
        let length = socket.recv(&mut datagram).await.unwrap();
        let entry = entry(std::str::from_utf8(&datagram[..length]).unwrap());
        if entry["subject"] == *id {
            assert_eq!(entry["action"], "session.create");
            return;
        }
    }
}

#[tokio::test]
async fn over_tls_only_a_server_of_the_trusted_authority_gets_entries() {
    let folder = tempfile::tempdir().unwrap();
    let authority = folder.path().join("ca.pem");
    std::fs::write(&authority, root_pem()).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let toml = format!(
        "[audit]\nexport = \"tls://localhost:{port}\"\nca_file = \"{}\"\n",
        authority.display()
    );
    let server = Server::with(&toml).await;
    let id = server.create("{}").await["id"].as_str().unwrap().to_owned();
    let (stranger, _) = listener.accept().await.unwrap();
    let refused = acceptor(&["localhost"], false).accept(stranger).await;
    assert!(refused.is_err(), "a server of another authority");
    let (stream, _) = listener.accept().await.unwrap();
    let mut trusted = acceptor(&["localhost"], true).accept(stream).await.unwrap();
    read_until(&mut trusted, &id, &mut BTreeSet::new()).await;
}
