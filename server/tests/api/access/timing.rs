//! Response times reveal no more than the responses: a missing, a foreign and a malformed id take equally long. Welch's t-test
//! over interleaved requests in random order on one connection, with ids drawn beforehand; a fourth kind with 20 µs more is the
//! planted fault, and must be detected.
//!
//! Too many samples for everyday use: `HONNIN_TIMING_SAMPLES` sets their number, and without it nothing is measured.

use crate::support::{SESSIONS, Server, add_tenant, settings};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use std::time::{Duration, Instant};
use testkit::long_runs::count;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

const KINDS: [&str; 4] = ["missing", "foreign", "malformed", "planted"];
const PLANTED: Duration = Duration::from_micros(20);
/// Beyond this, two means differ with a probability of error under 1 in 100,000.
const LIMIT: f64 = 4.5;
/// Number of foreign sessions.
const FOREIGN: usize = 48;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn missing_foreign_and_malformed_ids_take_equally_long() {
    let samples = usize::try_from(count("HONNIN_TIMING_SAMPLES", 0)).unwrap();
    if samples == 0 {
        return;
    }
    let mut server = Server::new().await;
    let other = add_tenant(&server.app, settings()).await;
    let own = std::mem::replace(&mut server.key, other.key.expose().clone());
    let mut foreign = Vec::new();
    for _ in 0..FOREIGN {
        foreign.push(server.create("{}").await["id"].as_str().unwrap().to_owned());
    }
    server.key = own;

    let mut random = StdRng::seed_from_u64(20_260_802);
    let drawn: Vec<(usize, Vec<u8>)> = (0..samples)
        .map(|_| {
            let kind = random.random_range(0..KINDS.len());
            let digits = hex::encode(random.random::<[u8; 16]>());
            let id = match kind {
                1 => foreign[random.random_range(0..FOREIGN)].clone(),
                2 => format!("vs_{}g", &digits[..31]),
                _ => format!("vs_{digits}"),
            };
            let head = format!("GET {SESSIONS}/{id} HTTP/1.1\r\nhost: id.example\r\n");
            (
                kind,
                format!("{head}authorization: Bearer {}\r\n\r\n", server.key).into_bytes(),
            )
        })
        .collect();
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.set_nodelay(true).unwrap();
    let mut times = [const { Vec::new() }; 4];
    for (number, (kind, request)) in drawn.iter().enumerate() {
        let took = ask(&mut stream, request, *kind == 3).await;
        // The first ones warm the caches.
        if number > samples / 100 {
            times[*kind].push(took);
        }
    }
    for kind in 1..KINDS.len() {
        let t = welch(&times[0], &times[kind]);
        println!(
            "missing against {}: t = {t:.2} over {} and {}",
            KINDS[kind],
            times[0].len(),
            times[kind].len()
        );
        assert_eq!(
            t.abs() >= LIMIT,
            kind == 3,
            "missing against {}: t = {t:.2}",
            KINDS[kind]
        );
    }
}

/// Seconds until the whole response has arrived.
async fn ask(stream: &mut TcpStream, request: &[u8], planted: bool) -> f64 {
    let mut buffer = Vec::with_capacity(4096);
    let begun = Instant::now();
    stream.write_all(request).await.unwrap();
    while !buffer.ends_with(b"}") {
        assert!(stream.read_buf(&mut buffer).await.unwrap() > 0);
    }
    let until = begun.elapsed();
    while planted && begun.elapsed() < until + PLANTED {}
    let took = begun.elapsed();
    assert!(
        buffer.starts_with(b"HTTP/1.1 404"),
        "{}",
        String::from_utf8_lossy(&buffer)
    );
    took.as_secs_f64()
}

/// Welch's t of two samples, without their slowest twentieth, which depends on the machine rather than the program.
fn welch(a: &[f64], b: &[f64]) -> f64 {
    let mut all = [a, b].concat();
    all.sort_by(f64::total_cmp);
    let cut = all[all.len() * 19 / 20];
    let (mean_a, error_a) = mean(a, cut);
    let (mean_b, error_b) = mean(b, cut);
    (mean_a - mean_b) / (error_a + error_b).sqrt()
}

/// The mean of the values below `cut`, and the square of its standard error.
fn mean(sample: &[f64], cut: f64) -> (f64, f64) {
    let kept: Vec<f64> = sample.iter().copied().filter(|value| *value < cut).collect();
    let count = kept.len() as f64;
    let mean = kept.iter().sum::<f64>() / count;
    let variance = kept.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, variance / count)
}
