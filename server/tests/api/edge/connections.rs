//! Misbehaving connections, and shutting down.

use crate::support::{Answer, SESSIONS, Server, until_asked_for_body};
use std::time::{Duration, Instant};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};

pub(crate) const IMPATIENT: &str = "[http]\nheader_timeout = 1\nbody_grace = 1\nidle_timeout = 2\nwrite_timeout = 1\n";

/// Less than any limit that is not set for these tests.
const SOON: Duration = Duration::from_secs(8);
/// Far longer than any of this takes: a server that does not close must not hang the test.
const AT_LAST: Duration = Duration::from_secs(30);

/// What arrives until the server closes, and after how long it closes.
async fn until_closed(stream: &mut TcpStream) -> (Vec<u8>, Duration) {
    let began = Instant::now();
    let mut bytes = Vec::new();
    drop(
        timeout(AT_LAST, stream.read_to_end(&mut bytes))
            .await
            .expect("the server closes by itself"),
    );
    (bytes, began.elapsed())
}

#[tokio::test]
async fn half_open_connections_are_closed() {
    let server = Server::with(IMPATIENT).await;
    for head in ["", "GET", "GET / HTTP/1.1\r\nhost: x\r\n"] {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        let (bytes, after) = until_closed(&mut stream).await;
        assert!(bytes.is_empty() && after < SOON, "{head:?} {after:?}");
    }
}

#[tokio::test]
async fn a_head_that_trickles_is_closed_in_time() {
    let server = Server::with(IMPATIENT).await;
    let stream = TcpStream::connect(server.address).await.unwrap();
    let (mut read, mut write) = stream.into_split();
    let trickle = tokio::spawn(async move {
        let mut tick = tokio::time::interval(Duration::from_millis(100));
        for byte in b"GET / HTTP/1.1\r\nx-very-long-header-name-that-takes-a-while: 1"
            .iter()
            .cycle()
        {
            tick.tick().await;
            if write.write_all(&[*byte]).await.is_err() {
                return;
            }
        }
    });
    let began = Instant::now();
    let mut bytes = Vec::new();
    drop(timeout(AT_LAST, read.read_to_end(&mut bytes)).await.expect("closed"));
    assert!(began.elapsed() < SOON);
    trickle.abort();
}

#[tokio::test]
async fn a_connection_may_rest_between_requests_for_longer_than_a_head_may_take() {
    let server = Server::with(IMPATIENT).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let request = b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n";
    stream.write_all(request).await.unwrap();
    let mut buffer = [0; 4096];
    assert!(stream.read(&mut buffer).await.unwrap() > 0);
    let (rest, after) = until_closed(&mut stream).await;
    assert!(rest.is_empty());
    assert!(after > Duration::from_millis(1500) && after < SOON, "{after:?}");
}

#[tokio::test]
async fn a_body_that_does_not_come_is_refused() {
    let server = Server::with(IMPATIENT).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let head = format!(
        "POST {SESSIONS} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\ncontent-length: 10\r\n\r\n{{",
        server.key
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let (bytes, after) = until_closed(&mut stream).await;
    let answer = Answer::parse(&bytes);
    assert_eq!(
        (answer.status, answer.json()["_tag"].as_str()),
        (408, Some("RequestTimeout"))
    );
    assert!(after < SOON, "{after:?}");
}

#[tokio::test]
async fn a_body_whose_chunks_are_malformed_is_no_slow_one() {
    let server = Server::new().await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let head = format!(
        "POST {SESSIONS} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{{\r\nZZ\r\n",
        server.key
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let (bytes, _) = until_closed(&mut stream).await;
    let answer = Answer::parse(&bytes);
    assert_eq!((answer.status, answer.header("connection")), (400, Some("close")));
    let body = answer.json();
    assert_eq!(body["_tag"], "HttpApiDecodeError");
    assert_eq!(
        body["issues"][0]["message"],
        "the body ended too early, or its chunks are malformed"
    );
}

#[tokio::test]
async fn nonsense_is_refused_and_the_server_goes_on() {
    let server = Server::new().await;
    for bytes in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc"[..],
        b"NOT HTTP\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\0\0\0\0\r\n\r\n",
    ] {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        stream.shutdown().await.unwrap();
        let (answer, _) = until_closed(&mut stream).await;
        assert!(answer.is_empty() || Answer::parse(&answer).status == 400, "{bytes:?}");
    }
    assert_eq!(server.send("GET", "/healthz", &[], "").await.status, 200);
}

#[tokio::test]
async fn a_head_over_the_limit_is_refused() {
    let server = Server::new().await;
    let answer = server
        .send("GET", "/healthz", &[("x-big", &"a".repeat(40_000))], "")
        .await;
    assert_eq!((answer.status, answer.body.as_str()), (431, ""));
    assert_eq!(answer.header("x-request-id"), None, "the request is not known yet");
    let many: Vec<_> = (0..101).map(|_| ("x-small", "a")).collect();
    assert_eq!(server.send("GET", "/healthz", &many, "").await.status, 431);
}

#[tokio::test]
async fn stopping_finishes_what_runs_and_accepts_nothing_new() {
    let mut server = Server::new().await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let head = format!(
        "POST {SESSIONS} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\ncontent-length: 2\r\n\
         expect: 100-continue\r\n\r\n",
        server.key
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    until_asked_for_body(&mut stream).await;
    // An idle connection does not delay the shutdown.
    let _idle = TcpStream::connect(server.address).await.unwrap();
    server.app.stopping.cancel();
    while TcpStream::connect(server.address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    stream.write_all(b"{}").await.unwrap();
    let (bytes, _) = until_closed(&mut stream).await;
    let answer = Answer::parse(&bytes);
    assert_eq!(answer.status, 201, "{}", String::from_utf8_lossy(&bytes));
    // What ends is not said to stay.
    assert_eq!(
        (answer.header("connection"), answer.header("keep-alive")),
        (Some("close"), None)
    );
    timeout(AT_LAST, &mut server.task).await.expect("it ends").unwrap();
}

#[tokio::test]
async fn the_next_request_of_a_client_that_was_on_its_way_when_the_server_stopped_is_answered() {
    let server = Server::new().await;
    let request = b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n";
    let mut streams = Vec::new();
    for _ in 0..16 {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream.write_all(request).await.unwrap();
        assert!(stream.read(&mut [0; 4096]).await.unwrap() > 0);
        streams.push(stream);
    }
    server.app.stopping.cancel();
    for stream in &mut streams {
        stream.write_all(request).await.unwrap();
    }
    for stream in &mut streams {
        let (bytes, _) = until_closed(stream).await;
        assert_eq!(Answer::parse(&bytes).status, 200);
    }
}
