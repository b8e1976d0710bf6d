//! `honnin listen` beside a running server.

use crate::{
    events::complete,
    support::{START, Server},
};
use domain::{ids::EventId, time::Millis};
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};
use std::{
    io::{BufRead as _, BufReader},
    process::{Command, Stdio},
};
use store::{
    StoreError,
    webhook::events::{self, EventContent, EventRow},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::spawn_blocking,
};

/// Reads one request and answers with `status`.
async fn receive(listener: &TcpListener, status: &str) -> (HeaderMap, Vec<u8>) {
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut bytes = Vec::new();
    loop {
        assert!(stream.read_buf(&mut bytes).await.unwrap() > 0);
        if let Some((headers, body)) = parse(&bytes) {
            answer(&mut stream, status).await;
            return (headers, body);
        }
    }
}

async fn answer(stream: &mut TcpStream, status: &str) {
    let text = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n");
    stream.write_all(text.as_bytes()).await.unwrap();
}

/// A whole request.
fn parse(bytes: &[u8]) -> Option<(HeaderMap, Vec<u8>)> {
    let text = std::str::from_utf8(bytes).unwrap();
    let (head, body) = text.split_once("\r\n\r\n")?;
    let lines = head.lines().skip(1).filter_map(|line| line.split_once(": "));
    let headers: HeaderMap = lines
        .map(|(name, value)| {
            let name: HeaderName = name.parse().unwrap();
            (name, HeaderValue::from_str(value).unwrap())
        })
        .collect();
    let length: usize = headers["content-length"].to_str().unwrap().parse().unwrap();
    (body.len() == length).then(|| (headers, body.as_bytes().to_vec()))
}

#[tokio::test]
async fn listen_forwards_signed_events_and_sends_those_again_that_were_refused() {
    let server = Server::sandbox().await;
    complete(&server, "approved").await;
    let receiver = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_honnin"))
        .args(["listen", "--replay", "1", "--until", "2"])
        .env("HONNIN_API_KEY", &server.key)
        .arg(format!("--url=http://{}", server.address))
        .arg(format!(
            "--forward-to=http://{}/hooks?a=1",
            receiver.local_addr().unwrap()
        ))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let (first, lines) = spawn_blocking(move || (lines.next().unwrap().unwrap(), lines))
        .await
        .unwrap();
    let secret = first.split_whitespace().last().unwrap();
    let judge = standardwebhooks::Webhook::new(secret).unwrap();
    let mut seen = Vec::new();
    for (status, new) in [("500 No", None), ("204 No Content", Some("failed")), ("200 OK", None)] {
        let (headers, body) = receive(&receiver, status).await;
        judge.verify(&body, &headers).unwrap();
        let event: Value = serde_json::from_slice(&body).unwrap();
        seen.push((
            headers["webhook-id"].to_str().unwrap().to_owned(),
            event["type"].clone(),
        ));
        if let Some(outcome) = new {
            complete(&server, outcome).await;
        }
    }
    let ended = spawn_blocking(move || (lines.count(), child.wait().unwrap()));
    assert!(
        ended.await.unwrap().1.success(),
        "it ends after the second that was accepted"
    );
    assert_eq!(seen[0], seen[1], "the one that was refused comes again");
    assert_eq!(
        (&seen[0].1, &seen[2].1),
        (&json!("verification.approved"), &json!("verification.failed"))
    );
}

#[tokio::test]
async fn listen_forwards_every_event_however_many_happened_between_two_looks() {
    /// More than ten pages of events.
    const MANY: u16 = 1_001;
    let server = Server::sandbox().await;
    complete(&server, "approved").await;
    let receiver = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_honnin"))
        .args(["listen", &format!("--until={MANY}")])
        .env("HONNIN_API_KEY", &server.key)
        .arg(format!("--url=http://{}", server.address))
        .arg(format!("--forward-to=http://{}/", receiver.local_addr().unwrap()))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    // It has looked once by its first line.
    let lines = spawn_blocking(move || {
        lines.next().unwrap().unwrap();
        lines
    });
    let lines = lines.await.unwrap();
    let ended = spawn_blocking(move || (lines.count(), child.wait().unwrap()));
    let new: Vec<EventRow> = (0..MANY)
        .map(|number| {
            let at = START.plus(Millis::hours(1)).plus(Millis(number.into()));
            EventRow {
                id: EventId::ordered(at, [7; 16]),
                tenant: server.tenant.clone(),
                created_at: at,
                content: EventContent::Test,
            }
        })
        .collect();
    let expected: Vec<_> = new.iter().map(|event| event.id.to_string()).collect();
    let unit = server.app.honnin.db().write(async move |tx| {
        for event in &new {
            events::insert(tx, event).await?;
        }
        Ok::<_, StoreError>(())
    });
    unit.await.unwrap();
    for (number, id) in expected.iter().enumerate() {
        let (headers, _) = receive(&receiver, "200 OK").await;
        assert_eq!(headers["webhook-id"].to_str().unwrap(), id, "event {number}");
    }
    assert!(ended.await.unwrap().1.success(), "it ends after the last");
}

#[tokio::test]
async fn listen_understands_a_key_that_ends_in_a_line_break() {
    let server = Server::sandbox().await;
    let mut command = Command::new(env!("CARGO_BIN_EXE_honnin"));
    command
        .args(["listen", "--until", "0", "--forward-to", "http://127.0.0.1:1/"])
        .env("HONNIN_API_KEY", format!("{}\r\n", server.key))
        .arg(format!("--url=http://{}", server.address));
    let output = spawn_blocking(move || command.output()).await.unwrap().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[tokio::test]
async fn listen_asks_where_its_variable_says_or_where_the_demonstration_was_started() {
    let server = Server::sandbox().await;
    let url = format!("http://{}", server.address);
    let folder = tempfile::tempdir().unwrap();
    let tenant = json!({"tenant": "tn_demo", "apiKey": server.key, "webhookSecret": "whsec_AAAA"});
    let kept = json!({"url": url, "live": tenant, "sandbox": tenant});
    std::fs::write(folder.path().join("demo.json"), kept.to_string()).unwrap();
    let command = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_honnin"));
        command
            .args(["listen", "--until", "0", "--forward-to", "http://127.0.0.1:1/"])
            .env("HONNIN_DATA_DIR", folder.path());
        command
    };
    let (mut beside, mut told, mut wrong) = (command(), command(), command());
    told.env("HONNIN_URL", &url)
        .env("HONNIN_DATA_DIR", "/nowhere")
        .env("HONNIN_API_KEY", &server.key);
    wrong.env("HONNIN_URL", "localhost:3000");
    let outputs = spawn_blocking(move || [beside.output(), told.output(), wrong.output()])
        .await
        .unwrap();
    let [beside, told, wrong] = outputs.map(Result::unwrap);
    for output in [beside, told] {
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let error = String::from_utf8_lossy(&wrong.stderr);
    assert!(
        !wrong.status.success() && error.contains("HONNIN_URL must be a URL that begins with http"),
        "{error}"
    );
}

#[tokio::test]
async fn listen_says_what_is_wrong_with_a_url() {
    for url in ["foo", "localhost:8080/hooks", "ftp://bank.example/"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_honnin"));
        command.args(["listen", "--forward-to", url]);
        let output = spawn_blocking(move || command.output()).await.unwrap().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(
            output.status.code() == Some(2) && error.contains("begins with http:// or https://"),
            "{url}: {error}"
        );
    }
}

#[tokio::test]
async fn listen_says_what_is_wrong_with_its_key() {
    let server = Server::sandbox().await;
    let mut command = Command::new(env!("CARGO_BIN_EXE_honnin"));
    command
        .args([
            "listen",
            "--key",
            "hn_test_wrong",
            "--forward-to",
            "http://127.0.0.1:1/",
        ])
        .arg(format!("--url=http://{}", server.address));
    let output = spawn_blocking(move || command.output()).await.unwrap().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(
        !output.status.success() && error.contains("401") && error.contains("Unauthorized") && error.contains("`read`"),
        "{error}"
    );
}
