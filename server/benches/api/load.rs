//! HTTP clients with keep-alive connections and as little work as possible, because they share the machine with the server.

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    sync::mpsc::{UnboundedSender, unbounded_channel},
    task::JoinSet,
};

/// The result of a load.
pub(crate) struct Outcome {
    /// Responses per second.
    pub(crate) rate: f64,
    /// Latencies in seconds, in ascending order.
    pub(crate) latencies: Vec<f64>,
    /// The bodies of the responses.
    pub(crate) bodies: Vec<String>,
}

/// Closed loop: each client sends its requests one after another, as fast as the responses arrive.
pub(crate) fn closed(address: SocketAddr, clients: Vec<Vec<Vec<u8>>>) -> Outcome {
    run(address, clients, None)
}

/// Open loop: sends `rate` requests per second whether or not responses arrive. Each client has its share of the schedule, and
/// latency is counted from the scheduled time. A thread keeps the time, because the runtime's timer is no finer than a
/// millisecond, which is several commits.
pub(crate) fn open(address: SocketAddr, clients: Vec<Vec<Vec<u8>>>, rate: f64) -> Outcome {
    run(address, clients, Some(rate))
}

fn run(address: SocketAddr, clients: Vec<Vec<Vec<u8>>>, rate: Option<f64>) -> Outcome {
    let (clocks, due): (Vec<_>, Vec<_>) = clients.iter().map(|_| unbounded_channel()).unzip();
    let requests = clients.iter().map(Vec::len).sum();
    let work = async move {
        let mut connections = Vec::new();
        for _ in 0..clients.len() {
            connections.push(Connection::open(address).await);
        }
        let begun = Instant::now();
        std::thread::spawn(move || keep_time(begun, requests, &clocks, rate));
        let mut running = JoinSet::new();
        for ((mut connection, requests), mut due) in connections.into_iter().zip(clients).zip(due) {
            running.spawn(async move {
                let mut answers = Vec::with_capacity(requests.len());
                for request in &requests {
                    let due = due.recv().await.unwrap();
                    let from = if rate.is_some() { due } else { Instant::now() };
                    let body = connection.call(request).await;
                    answers.push((from.elapsed().as_secs_f64(), body));
                }
                answers
            });
        }
        let answers: Vec<(f64, String)> = running.join_all().await.into_iter().flatten().collect();
        let rate = answers.len() as f64 / begun.elapsed().as_secs_f64();
        let (mut latencies, bodies): (Vec<f64>, Vec<String>) = answers.into_iter().unzip();
        latencies.sort_by(f64::total_cmp);
        Outcome {
            rate,
            latencies,
            bodies,
        }
    };
    // A separate thread, so that the clients do not share the server's runtime.
    std::thread::spawn(|| {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(work)
    })
    .join()
    .unwrap()
}

/// Tells the clients in turn that a request is due; all of them immediately if there is no rate.
#[expect(clippy::disallowed_methods, reason = "keeps the time")]
fn keep_time(begun: Instant, requests: usize, clocks: &[UnboundedSender<Instant>], rate: Option<f64>) {
    for (index, clock) in (0..requests).zip(clocks.iter().cycle()) {
        let due = rate.map_or(begun, |rate| begun + Duration::from_secs_f64(index as f64 / rate));
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        if clock.send(due).is_err() {
            return;
        }
    }
}

struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    async fn open(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Self {
            stream,
            buffer: Vec::with_capacity(8192),
        }
    }

    /// The body of the response, which must be a success.
    async fn call(&mut self, request: &[u8]) -> String {
        self.stream.write_all(request).await.unwrap();
        self.buffer.clear();
        loop {
            let read = self.stream.read_buf(&mut self.buffer).await.unwrap();
            assert!(read > 0, "the server closed the connection");
            let text = std::str::from_utf8(&self.buffer).unwrap();
            let Some((head, body)) = text.split_once("\r\n\r\n") else {
                continue;
            };
            let length: usize = header(head, "content-length: ").parse().unwrap();
            if body.len() == length {
                assert!(head.starts_with("HTTP/1.1 20"), "{text}");
                return body.to_owned();
            }
        }
    }
}

fn header<'a>(head: &'a str, name: &str) -> &'a str {
    let line = head.lines().find_map(|line| line.strip_prefix(name));
    line.unwrap_or_else(|| panic!("no {name}in {head}"))
}
