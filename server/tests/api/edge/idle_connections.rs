//! Half-open connections: they are closed, and no other client waits for them.
//!
//! `HONNIN_HALF_OPEN=2000` runs the full test under the default time-outs and also compares the latencies of other clients; the
//! normal run is smaller with shorter time-outs and compares none, since the result would depend on the load of the machine.
//!
//! Planted fault that this test detects: no deadline for a head, or for a body.

use super::connections::IMPATIENT;
use crate::support::{Answer, SESSIONS, Server};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::time::{Duration, Instant};
use testkit::long_runs::count;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    task::JoinSet,
    time::{interval, timeout},
};

/// Deadline for closing all of them.
const CLOSED_WITHIN: Duration = Duration::from_secs(15);
/// The full number.
const ALL: usize = 2_000;

/// What half-open connections have sent.
const HEADS: [&str; 4] = [
    "",
    "G",
    "GET / HTTP/1.1\r\n",
    "POST /v1/verification-sessions HTTP/1.1\r\nhost: x\r\nx: ",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn half_open_and_slow_connections_are_closed_and_hold_up_nobody() {
    let half_open = usize::try_from(count("HONNIN_HALF_OPEN", 200)).unwrap();
    let slow = half_open / 10;
    raise_descriptor_limit();
    let server = Server::with(if half_open < ALL { IMPATIENT } else { "" }).await;
    let alone = times(&server).await;
    let mut crowd = JoinSet::new();
    for number in 0..half_open {
        crowd.spawn(wait(server.address, HEADS[number % HEADS.len()].to_owned()));
    }
    let head = format!(
        "POST {SESSIONS} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\ncontent-length: 60000\r\n\r\n",
        server.key
    );
    for _ in 0..slow {
        crowd.spawn(drip(server.address, head.clone()));
    }
    let beside = times(&server).await;
    let closed = crowd.join_all().await;
    let refused = closed.iter().filter(|status| **status == 408).count();
    assert_eq!(
        (closed.len(), refused),
        (half_open + slow, slow),
        "slow bodies are told why"
    );
    let [before, during] = [alone, beside].map(|times| times[times.len() * 99 / 100]);
    println!("{half_open} half open, {slow} slow: the others' p99 went from {before:?} to {during:?}");
    assert!(
        half_open < ALL || during <= (before * 2).max(Duration::from_millis(20)),
        "{before:?} {during:?}"
    );
}

/// Both ends of every connection are in this process.
fn raise_descriptor_limit() {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let all = Rlimit {
        current: maximum,
        maximum,
    };
    setrlimit(Resource::Nofile, all).unwrap();
}

/// Latencies of other clients' requests, shortest first.
async fn times(server: &Server) -> Vec<Duration> {
    let mut times = Vec::new();
    for _ in 0..300 {
        let began = Instant::now();
        assert_eq!(server.call("GET", &format!("{SESSIONS}/x"), "").await.status, 404);
        times.push(began.elapsed());
    }
    times.sort_unstable();
    times
}

/// Sends `head` and waits to be closed. Returns the status of the response, 0 for none.
async fn wait(address: std::net::SocketAddr, head: String) -> u16 {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    let closed = timeout(CLOSED_WITHIN, stream.read_to_end(&mut bytes)).await;
    drop(closed.expect("closed in time"));
    Answer::parse(&bytes).status
}

/// The same, with a body of one byte now and then.
async fn drip(address: std::net::SocketAddr, head: String) -> u16 {
    let (mut read, mut write) = TcpStream::connect(address).await.unwrap().into_split();
    write.write_all(head.as_bytes()).await.unwrap();
    let dripping = tokio::spawn(async move {
        let mut tick = interval(Duration::from_millis(200));
        while write.write_all(b" ").await.is_ok() {
            tick.tick().await;
        }
    });
    let mut bytes = Vec::new();
    let closed = timeout(CLOSED_WITHIN, read.read_to_end(&mut bytes)).await;
    drop(closed.expect("closed in time"));
    dripping.abort();
    Answer::parse(&bytes).status
}
