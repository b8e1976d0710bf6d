//! Responses sent before the body was read, on keep-alive connections: either the connection stays usable, or the response
//! announces that it closes and arrives nevertheless.
//!
//! Planted faults that these tests detect: leaving what a handler did not read in the connection; closing it without
//! `Connection: close`; closing both directions immediately.

use crate::support::{Answer, SESSIONS, Server};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

/// Requests that are refused whatever their body says: method, path, key, status.
const REFUSED: [(&str, &str, &str, u16); 5] = [
    ("POST", SESSIONS, "wrong", 401),
    ("PUT", SESSIONS, "right", 405),
    ("POST", "/v1/nothing", "right", 404),
    ("POST", "/nothing", "none", 404),
    ("POST", "/capture/pictures", "none", 401),
];

/// The head of a request whose body has this length.
fn head(server: &Server, (method, path, key, _): (&str, &str, &str, u16), length: usize) -> String {
    let bearer = match key {
        "right" => format!("authorization: Bearer {}\r\n", server.key),
        "wrong" => "authorization: Bearer hk_none\r\n".to_owned(),
        _ => "sec-fetch-site: same-origin\r\n".to_owned(),
    };
    format!("{method} {path} HTTP/1.1\r\nhost: id.example\r\n{bearer}content-length: {length}\r\n\r\n")
}

/// One response on a connection that stays open.
async fn next_answer(stream: &mut TcpStream) -> Answer {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
                return Answer::parse(&bytes);
            }
        }
        let read = stream.read_buf(&mut bytes).await.unwrap();
        assert!(read > 0, "the connection ended after {text:?}");
    }
}

#[tokio::test]
async fn a_refused_request_leaves_its_connection_to_the_next() {
    let server = Server::new().await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    for length in [2, 30_000, 100_000] {
        for case in REFUSED {
            stream.write_all(head(&server, case, length).as_bytes()).await.unwrap();
            // A request on another connection in the meantime gives the server time to refuse without having seen the body.
            assert_eq!(server.send("GET", "/healthz", &[], "").await.status, 200);
            stream.write_all(&vec![b' '; length]).await.unwrap();
            let answer = next_answer(&mut stream).await;
            assert_eq!(answer.status, case.3, "{case:?} {length}");
            assert_eq!(answer.header("connection"), Some("keep-alive"), "{case:?} {length}");
        }
    }
}

#[tokio::test]
async fn a_body_too_long_to_wait_for_ends_the_connection_and_the_answer_arrives() {
    let server = Server::new().await;
    for case in REFUSED {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        let length = 8 * 1024 * 1024;
        stream.write_all(head(&server, case, length).as_bytes()).await.unwrap();
        // A client that reads the response only after it has sent everything, as browsers do.
        stream.write_all(&vec![b' '; length]).await.unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).await.unwrap();
        let answer = Answer::parse(&bytes);
        assert_eq!(
            (answer.status, answer.header("connection")),
            (case.3, Some("close")),
            "{case:?}"
        );
    }
}

#[tokio::test]
async fn a_head_that_is_refused_is_read_to_its_end() {
    let server = Server::new().await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let head = format!(
        "GET /healthz HTTP/1.1\r\nhost: x\r\nx-big: {}\r\n\r\n",
        "a".repeat(4 << 20)
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.unwrap();
    assert_eq!(Answer::parse(&bytes).status, 431);
}

#[tokio::test]
async fn whoever_waits_to_be_asked_for_a_body_that_nobody_wants_is_not_asked() {
    let server = Server::new().await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let head = "POST /capture/pictures HTTP/1.1\r\nhost: x\r\nsec-fetch-site: same-origin\r\nexpect: 100-continue\r\n\
                content-length: 900000\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.unwrap();
    let answer = Answer::parse(&bytes);
    assert_eq!((answer.status, answer.header("connection")), (401, Some("close")));
}

#[tokio::test]
async fn an_answer_says_how_long_its_connection_may_rest() {
    let server = Server::with("[http]\nidle_timeout = 17\n").await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream
        .write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n")
        .await
        .unwrap();
    let kept = next_answer(&mut stream).await;
    assert_eq!(
        (kept.header("connection"), kept.header("keep-alive")),
        (Some("keep-alive"), Some("timeout=17"))
    );
    let ended = server.send("GET", "/healthz", &[], "").await;
    assert_eq!(
        (ended.header("connection"), ended.header("keep-alive")),
        (Some("close"), None)
    );
}
