//! Requests to a server that is silent, or slow.
//!
//! Planted faults that these tests detect: waiting for a silent server as long as requests are repeated; one limit for a whole request; one
//! limit for taking a picture and for storing it; taking what the system holds for what the server has; taking the time that a piece of an object
//! takes to be stored here for silence of the server.

use super::{
    Bucket, TIMEOUTS,
    http::{Connector, Timeouts},
};
use domain::secret::Secret;
use futures::StreamExt as _;
use http::Uri;
use object_store::{ObjectStore, ObjectStoreExt, path::Path};
use std::{sync::Arc, time::Duration};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpSocket, TcpStream},
    sync::{mpsc, oneshot},
    time::{Instant, interval, interval_at},
};
use tower::Service as _;

/// What counts as silence here.
const SILENCE: Duration = Duration::from_millis(400);
/// How long a server may take to store what it has.
const ANSWER: Duration = Duration::from_millis(1600);
const PATIENCE: Timeouts = Timeouts {
    silence: SILENCE,
    answer: ANSWER,
};
/// Several times as much as connections hold that nobody reads.
const LARGE: usize = 24 << 20;

const STORED: &[u8] = b"HTTP/1.1 200 OK\r\netag: \"e\"\r\ncontent-length: 0\r\n\r\n";
const HEAD: &[u8] =
    b"HTTP/1.1 200 OK\r\netag: \"e\"\r\nlast-modified: Sun, 02 Aug 2026 09:30:00 GMT\r\ncontent-length: 6\r\n\r\n";

/// A server that buffers little, and a bucket on it.
fn listen() -> (TcpListener, Bucket) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(64 << 10).unwrap();
    socket.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let listener = socket.listen(16).unwrap();
    let bucket = Bucket {
        name: "b".into(),
        prefix: String::new(),
        endpoint: Some(format!("http://{}", listener.local_addr().unwrap())),
        region: "us-east-1".into(),
        path_style: true,
        credentials: Some(("AKIDTEST".into(), Secret::new("sesame".into()))),
        role: Vec::new(),
        extra_roots: Vec::new(),
    };
    (listener, bucket)
}

/// The same, opened.
fn server() -> (TcpListener, Arc<dyn ObjectStore>) {
    let (listener, bucket) = listen();
    (listener, bucket.open_with(PATIENCE).unwrap())
}

/// Reads a request's head, and returns it and how many bytes followed it.
async fn head_text(stream: &mut TcpStream) -> (String, usize) {
    let mut bytes = Vec::new();
    loop {
        assert!(stream.read_buf(&mut bytes).await.unwrap() > 0);
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            return (
                String::from_utf8_lossy(&bytes[..end]).into_owned(),
                bytes.len() - end - 4,
            );
        }
    }
}

/// Reads a request's head, and returns what followed it.
async fn head(stream: &mut TcpStream) -> usize {
    head_text(stream).await.1
}

/// Reads `length` bytes of a body.
async fn body(stream: &mut TcpStream, length: usize) {
    let read = tokio::io::copy(&mut stream.take(length as u64), &mut tokio::io::sink()).await;
    assert_eq!(read.unwrap(), length as u64);
}

#[tokio::test]
async fn a_server_that_says_nothing_is_asked_again() {
    let (listener, bucket) = server();
    let (asked, mut times) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        let (mut silent, _) = listener.accept().await.unwrap();
        head(&mut silent).await;
        asked.send("silent").unwrap();
        let (mut stalled, _) = listener.accept().await.unwrap();
        head(&mut stalled).await;
        stalled.write_all(&HEAD[..20]).await.unwrap();
        asked.send("stalled").unwrap();
        let (mut good, _) = listener.accept().await.unwrap();
        body(&mut good, 1).await;
        good.write_all(STORED).await.unwrap();
        asked.send("good").unwrap();
        std::future::pending::<()>().await;
    });
    bucket.put(&Path::from("x"), vec![0].into()).await.unwrap();
    let order = [times.recv().await, times.recv().await, times.recv().await];
    assert_eq!(order, ["silent", "stalled", "good"].map(Some));
}

#[tokio::test]
async fn a_large_picture_is_sent_to_a_slow_server_at_once_however_long_it_takes() {
    let (listener, bucket) = server();
    let serve = async {
        let (mut slow, _) = listener.accept().await.unwrap();
        let mut left = LARGE - head(&mut slow).await;
        // Twice as long as silence may last, in ten steps.
        let mut pause = interval(SILENCE / 5);
        for _ in 0..10 {
            pause.tick().await;
            let part = left.min(1 << 20);
            body(&mut slow, part).await;
            left -= part;
        }
        body(&mut slow, left).await;
        slow.write_all(STORED).await.unwrap();
    };
    let (name, picture) = (Path::from("x"), vec![0; LARGE].into());
    let (stored, ()) = tokio::join!(bucket.put(&name, picture), serve);
    stored.unwrap();
}

/// Waits for so many fifths of [`SILENCE`].
async fn fifths(count: u32) {
    interval_at(Instant::now() + SILENCE / 5 * count, SILENCE).tick().await;
}

#[tokio::test]
async fn a_server_that_has_a_picture_may_store_it_for_longer_than_silence_lasts() {
    let (listener, bucket) = server();
    let serve = async {
        let (mut slow, _) = listener.accept().await.unwrap();
        let left = 100_000 - head(&mut slow).await;
        body(&mut slow, left).await;
        fifths(10).await;
        slow.write_all(STORED).await.unwrap();
    };
    let (name, picture) = (Path::from("x"), vec![0; 100_000].into());
    let (stored, ()) = tokio::join!(bucket.put(&name, picture), serve);
    stored.unwrap();
}

#[tokio::test]
async fn what_the_system_holds_of_a_picture_is_not_taken_for_sent() {
    const STEP: usize = 256 << 10;
    let (listener, bucket) = server();
    let length = 20 * STEP;
    let serve = async {
        let (mut slow, _) = listener.accept().await.unwrap();
        let mut left = length - head(&mut slow).await;
        // Longer than the server may take to answer.
        while left > 0 {
            fifths(2).await;
            let part = left.min(STEP);
            body(&mut slow, part).await;
            left -= part;
        }
        slow.write_all(STORED).await.unwrap();
    };
    let (name, picture) = (Path::from("x"), vec![0; length].into());
    let (stored, ()) = tokio::join!(bucket.put(&name, picture), serve);
    stored.unwrap();
}

#[tokio::test]
async fn an_object_that_stops_coming_is_an_error_before_long() {
    let (listener, bucket) = server();
    tokio::spawn(async move {
        let mut streams = Vec::new();
        while let Ok((mut stream, _)) = listener.accept().await {
            head(&mut stream).await;
            stream.write_all(&[HEAD, b"sea"].concat()).await.unwrap();
            streams.push(stream);
        }
    });
    let found = bucket.get(&Path::from("x")).await.unwrap();
    assert!(found.bytes().await.is_err());
}

#[tokio::test]
async fn whoever_takes_long_to_store_a_piece_of_an_object_gets_the_rest_of_it() {
    let (listener, bucket) = server();
    let (wait, waiting) = oneshot::channel();
    let serving = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        head(&mut stream).await;
        stream.write_all(&[HEAD, b"sea"].concat()).await.unwrap();
        waiting.await.unwrap();
        stream.write_all(b"led").await.unwrap();
        stream
    });
    let mut pieces = bucket.get(&Path::from("x")).await.unwrap().into_stream();
    let first = pieces.next().await.unwrap().unwrap();
    fifths(7).await;
    let (rest, ()) = tokio::join!(pieces.next(), async { wait.send(()).unwrap() });
    assert_eq!([first, rest.unwrap().unwrap()].concat(), b"sealed");
    drop(serving.await.unwrap());
}

fn role(variables: [(&str, &str); 2]) -> Vec<(String, String)> {
    variables
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec()
}

#[tokio::test]
async fn without_an_access_key_requests_are_signed_with_the_role_of_the_pod() {
    const CREDENTIALS: &str = r#"{"AccessKeyId":"AKIDROLE","SecretAccessKey":"sesame","Token":"of-the-role","Expiration":"2126-08-02T09:30:00Z"}"#;
    let folder = tempfile::tempdir().unwrap();
    let token = folder.path().join("token");
    std::fs::write(&token, "of-the-pod").unwrap();
    let agent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let uri = format!("http://{}/v1/credentials", agent.local_addr().unwrap());
    let (listener, mut bucket) = listen();
    bucket.credentials = None;
    bucket.role = role([
        ("AWS_CONTAINER_CREDENTIALS_FULL_URI", &uri),
        ("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", token.to_str().unwrap()),
    ]);
    let store = bucket.open_with(TIMEOUTS).unwrap();
    let serve = async {
        let (mut asked, _) = agent.accept().await.unwrap();
        let (head, _) = head_text(&mut asked).await;
        let is_meant = head.starts_with("GET /v1/credentials ") && head.contains("authorization: of-the-pod");
        assert!(is_meant, "{head}");
        let length = CREDENTIALS.len();
        let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{CREDENTIALS}");
        asked.write_all(answer.as_bytes()).await.unwrap();
        let (mut stream, _) = listener.accept().await.unwrap();
        let (head, more) = head_text(&mut stream).await;
        let is_signed = head.contains("Credential=AKIDROLE/") && head.contains("x-amz-security-token: of-the-role");
        assert!(is_signed, "{head}");
        body(&mut stream, 1 - more).await;
        stream.write_all(STORED).await.unwrap();
    };
    let (name, picture) = (Path::from("x"), vec![0].into());
    let (stored, ()) = tokio::join!(store.put(&name, picture), serve);
    stored.unwrap();
}

#[tokio::test]
async fn the_role_of_a_service_account_is_asked_for_with_its_token_which_is_sent_over_tls_only() {
    let (_listener, mut bucket) = listen();
    bucket.credentials = None;
    bucket.role = role([
        ("AWS_WEB_IDENTITY_TOKEN_FILE", "/nowhere/token"),
        ("AWS_ROLE_ARN", "arn:aws:iam::123456789012:role/honnin"),
    ]);
    let store = bucket.open_with(TIMEOUTS).unwrap();
    let error = store.put(&Path::from("x"), vec![0].into()).await.unwrap_err();
    assert!(format!("{error:?}").contains("/nowhere/token"), "{error:?}");
    let mut connector = Connector::new(&[], TIMEOUTS).unwrap();
    let refused = connector.call(Uri::from_static("http://127.0.0.1:9/")).await;
    let refused = refused.err().unwrap().to_string();
    assert_eq!(refused, "this address must begin with https:");
}
