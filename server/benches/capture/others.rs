//! The other clients: people and programs of other networks that send ordinary requests at a steady pace. They run on a
//! separate thread, so that their latencies are the node's and not those of the loop that simulates phones and the hostile
//! network.

use crate::{http::call, node::Node};
use std::{
    collections::BTreeMap,
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
    thread,
    time::Duration,
};
use tokio::{
    sync::{Mutex, oneshot},
    time::{Instant, MissedTickBehavior, interval},
};
use tokio_util::sync::CancellationToken;

/// Between two requests.
const EVERY: Duration = Duration::from_millis(25);

/// Sends requests until told to stop.
pub(crate) struct Others {
    stop: CancellationToken,
    seen: oneshot::Receiver<Seen>,
}

/// What the other clients measured.
#[derive(Default)]
pub(crate) struct Seen {
    /// For each request, seconds from the first to it, and its latency in seconds.
    latencies: Vec<(f64, f64)>,
    /// Refused or failed requests.
    pub(crate) refused: usize,
    /// Their number by path, with the status or the error.
    pub(crate) refused_at: BTreeMap<(&'static str, String), usize>,
}

impl Seen {
    /// The 99th percentile of all latencies.
    pub(crate) fn p99(&self) -> f64 {
        self.p99_of_first(Duration::MAX)
    }

    /// That of the requests that were sent in this time from the first on.
    pub(crate) fn p99_of_first(&self, time: Duration) -> f64 {
        let sent = self.latencies.iter().filter(|(at, _)| *at < time.as_secs_f64());
        let mut latencies: Vec<f64> = sent.map(|(_, took)| *took).collect();
        latencies.sort_by(f64::total_cmp);
        latencies[(latencies.len() - 1) * 99 / 100]
    }
}

impl Others {
    pub(crate) fn start(node: &Node) -> Self {
        let stop = CancellationToken::new();
        let asking = ask(node.address, node.key.clone(), stop.clone());
        let (tell, seen) = oneshot::channel();
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            drop(tell.send(runtime.block_on(asking)));
        });
        Self { stop, seen }
    }

    pub(crate) async fn stop(self) -> Seen {
        self.stop.cancel();
        self.seen.await.unwrap()
    }
}

async fn ask(to: SocketAddr, key: String, stop: CancellationToken) -> Seen {
    let seen = Arc::new(Mutex::new(Seen::default()));
    let mut tick = interval(EVERY);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let wanted = [
        ("/v1/verification-sessions/x", 404),
        ("/healthz", 200),
        ("/readyz", 200),
        ("/admin/sign-in", 200),
        ("/v/anything", 404),
    ];
    let mut asking = tokio::task::JoinSet::new();
    let first = Instant::now();
    for number in 0_usize.. {
        tokio::select! {
            _ = tick.tick() => {}
            () = stop.cancelled() => break,
        }
        let (path, status) = wanted[number % wanted.len()];
        let head = format!(
            "GET {path} HTTP/1.1\r\nhost: id.example\r\nauthorization: Bearer {key}\r\nconnection: close\r\n\r\n"
        );
        let seen = Arc::clone(&seen);
        asking.spawn(async move {
            let began = Instant::now();
            let from = Ipv4Addr::new(127, 9, u8::try_from(number % 250).unwrap_or(0), 1);
            let answer = call(to, from, &head, b"", None).await;
            let mut seen = seen.lock().await;
            let (at, took) = (began - first, began.elapsed());
            seen.latencies.push((at.as_secs_f64(), took.as_secs_f64()));
            let answer = answer.map_or_else(|error| error.to_string(), |answer| answer.status.to_string());
            if answer != status.to_string() {
                seen.refused += 1;
                *seen.refused_at.entry((path, answer)).or_default() += 1;
            }
        });
    }
    asking.join_all().await;
    std::mem::take(&mut *seen.lock().await)
}
