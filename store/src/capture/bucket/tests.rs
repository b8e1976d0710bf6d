//! Requests to a server that is silent, or slow.
//!
//! Planted faults that these tests detect: waiting for a silent server as long as requests are repeated; one limit for a whole request; one
//! limit for taking a picture and for storing it; taking what the system holds for what the server has.

use super::{Bucket, http::Timeouts};
use domain::secret::Secret;
use object_store::{ObjectStore, ObjectStoreExt, path::Path};
use std::{sync::Arc, time::Duration};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpSocket, TcpStream},
    sync::mpsc,
    time::{Instant, interval, interval_at},
};

/// What counts as silence here.
const SILENCE: Duration = Duration::from_millis(400);
/// How long a server may take to store what it has.
const ANSWER: Duration = Duration::from_millis(1600);
/// Several times as much as connections hold that nobody reads.
const LARGE: usize = 24 << 20;

const STORED: &[u8] = b"HTTP/1.1 200 OK\r\netag: \"e\"\r\ncontent-length: 0\r\n\r\n";
const HEAD: &[u8] =
    b"HTTP/1.1 200 OK\r\netag: \"e\"\r\nlast-modified: Sun, 02 Aug 2026 09:30:00 GMT\r\ncontent-length: 6\r\n\r\n";

/// A server that buffers little, and a bucket on it.
fn server() -> (TcpListener, Arc<dyn ObjectStore>) {
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
        extra_roots: Vec::new(),
    };
    let timeouts = Timeouts {
        silence: SILENCE,
        answer: ANSWER,
    };
    (listener, bucket.open_with(timeouts).unwrap())
}

/// Reads a request's head, and returns what followed it.
async fn head(stream: &mut TcpStream) -> usize {
    let mut bytes = Vec::new();
    loop {
        assert!(stream.read_buf(&mut bytes).await.unwrap() > 0);
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            return bytes.len() - end - 4;
        }
    }
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
