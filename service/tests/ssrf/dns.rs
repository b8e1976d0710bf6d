//! A name server for the system's resolver, controlled by the test: it answers as told, may change its answers, and counts
//! questions and answers.

#![expect(unreachable_pub, reason = "a module of one test binary")]

use std::{
    collections::{HashMap, VecDeque},
    net::{IpAddr, UdpSocket},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

/// Query type: A and AAAA.
const A: u16 = 1;
const AAAA: u16 = 28;
/// "No such name".
const NXDOMAIN: u8 = 3;

/// Answers by name and query type.
type Answers = HashMap<(String, u16), VecDeque<Vec<IpAddr>>>;

/// A running name server; it ends with the process.
#[derive(Clone, Default)]
pub struct Dns {
    answers: Arc<Mutex<Answers>>,
    datagrams: Arc<AtomicU64>,
}

impl Dns {
    /// Listens on `address`.
    pub fn start(address: &str) -> Self {
        let socket = UdpSocket::bind(address).unwrap();
        let dns = Self::default();
        let server = dns.clone();
        thread::spawn(move || {
            let mut buffer = [0; 512];
            while let Ok((length, client)) = socket.recv_from(&mut buffer) {
                server.datagrams.fetch_add(2, Ordering::SeqCst);
                let answer = server.answer(&buffer[..length]);
                socket.send_to(&answer, client).unwrap();
            }
        });
        dns
    }

    /// Answers for `name`, one after another; the last one is repeated.
    pub fn say(&self, name: &str, answers: &[&[IpAddr]]) {
        let mut known = self.answers.lock().unwrap();
        for (kind, is_v4) in [(A, true), (AAAA, false)] {
            let of_kind = |answer: &&[IpAddr]| {
                answer
                    .iter()
                    .copied()
                    .filter(|found| found.is_ipv4() == is_v4)
                    .collect()
            };
            known.insert((name.to_owned(), kind), answers.iter().map(of_kind).collect());
        }
    }

    /// Number of questions and answers so far.
    pub fn datagrams(&self) -> u64 {
        self.datagrams.load(Ordering::SeqCst)
    }

    /// Header and question as received, then the addresses.
    fn answer(&self, query: &[u8]) -> Vec<u8> {
        let (name, kind, end) = question(query);
        let mut known = self.answers.lock().unwrap();
        let found = known.get_mut(&(name, kind)).map(|answers| match answers.len() {
            0 | 1 => answers.front().cloned().unwrap_or_default(),
            _ => answers.pop_front().unwrap_or_default(),
        });
        let code = if found.is_none() { NXDOMAIN } else { 0 };
        let found = found.unwrap_or_default();
        // An answer (QR) that is complete, with one question and as many records as were found.
        let mut answer = [
            &query[..2],
            &[0x84, code, 0, 1, 0, found.len() as u8, 0, 0, 0, 0],
            &query[12..end],
        ]
        .concat();
        for address in found {
            // The name refers to the question; the class is Internet; the TTL is zero.
            answer.extend([0xc0, 12, 0, kind as u8, 0, 1, 0, 0, 0, 0]);
            match address {
                IpAddr::V4(address) => answer.extend([&[0, 4], &address.octets()[..]].concat()),
                IpAddr::V6(address) => answer.extend([&[0, 16], &address.octets()[..]].concat()),
            }
        }
        answer
    }
}

/// Name, type and end of the one question.
fn question(query: &[u8]) -> (String, u16, usize) {
    let (mut at, mut labels) = (12, Vec::new());
    while query[at] != 0 {
        let end = at + 1 + usize::from(query[at]);
        labels.push(String::from_utf8_lossy(&query[at + 1..end]).to_lowercase());
        at = end;
    }
    (
        labels.join("."),
        u16::from_be_bytes([query[at + 1], query[at + 2]]),
        at + 5,
    )
}
