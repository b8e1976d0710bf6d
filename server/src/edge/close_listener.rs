//! Closes a listener without resetting connections that clients already have.

use socket2::{SockFilter, SockRef};
use std::{io, net::SocketAddr, time::Duration};
use tokio::{
    net::{TcpListener, TcpStream},
    time::timeout,
};

/// How long a handshake that has begun may take to finish: more than a round trip to a nearby load balancer. A client that comes in the meantime is
/// delayed by one second, after which TCP repeats its first packet (RFC 6298) and is refused.
const HANDSHAKE: Duration = Duration::from_millis(20);

/// The longest queue of connections that Linux keeps for a listener by default (`net.core.somaxconn`). Where new clients cannot be ignored, more than
/// that are new ones.
const MAX_QUEUED: usize = 4096;

/// Closes `listener` and returns the connections that the operating system has accepted: their clients expect to be served, and closing would reset
/// them. No handshake begins meanwhile, or the last connection would be accepted between our last look and the close.
pub(super) async fn close(listener: TcpListener) -> Vec<(TcpStream, SocketAddr)> {
    if let Err(error) = ignore_new_clients(&listener) {
        tracing::debug!(%error, "connections that arrive while the listener is closed are reset");
    }
    let mut accepted = Vec::new();
    let finishing = async {
        while let Ok(new) = listener.accept().await {
            accepted.push(new);
        }
    };
    // Until the time is over, or until there are no more file descriptors.
    drop(timeout(HANDSHAKE, finishing).await);
    accepted.extend(without_the_runtime(listener));
    accepted
}

/// Drops the first packet of each new connection, a SYN without an ACK. All other packets pass, so that handshakes that have begun are finished.
fn ignore_new_clients(listener: &TcpListener) -> io::Result<()> {
    const FLAGS: u32 = 13; // their place in the TCP header (RFC 9293, section 3.1)
    const SYN_AND_ACK: u32 = 0x12;
    const SYN: u32 = 0x02;
    const EVERYTHING: u32 = u32::MAX;
    // Classic BPF, which the kernel runs from the TCP header on (linux/bpf_common.h: BPF_LD|BPF_B|BPF_ABS, BPF_ALU|BPF_AND|BPF_K,
    // BPF_JMP|BPF_JEQ|BPF_K, BPF_RET|BPF_K).
    SockRef::from(listener).attach_filter(&[
        SockFilter::new(0x30, 0, 0, FLAGS),
        SockFilter::new(0x54, 0, 0, SYN_AND_ACK),
        SockFilter::new(0x15, 0, 1, SYN),
        SockFilter::new(0x06, 0, 0, 0),
        SockFilter::new(0x06, 0, 0, EVERYTHING),
    ])
}

/// Accepts what the runtime may not yet know of.
fn without_the_runtime(listener: TcpListener) -> Vec<(TcpStream, SocketAddr)> {
    let Ok(listener) = listener.into_std() else {
        return Vec::new();
    };
    let next = || {
        let (stream, peer) = listener.accept().ok()?;
        stream.set_nonblocking(true).ok()?;
        Some((TcpStream::from_std(stream).ok()?, peer))
    };
    std::iter::from_fn(next).take(MAX_QUEUED).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        io::{Read as _, Write as _},
        net::TcpStream as Client,
        thread,
    };
    use tokio::io::AsyncWriteExt as _;

    /// Connects again and again, until nobody listens any more. Returns how many of the connections were not served.
    fn connect_until_refused(address: SocketAddr) -> usize {
        let mut connected = Vec::new();
        while connected.len() < 30 {
            // Somebody whose first packet was ignored does not wait until TCP sends it again.
            match Client::connect_timeout(&address, Duration::from_millis(50)) {
                Ok(client) => connected.push(client),
                Err(error) if error.kind() == io::ErrorKind::TimedOut => {}
                Err(_) => break,
            }
        }
        connected.into_iter().filter(|client| !is_served(client)).count()
    }

    fn is_served(mut client: &Client) -> bool {
        let mut answer = [0];
        client.write_all(b"?").is_ok() && matches!(client.read(&mut answer), Ok(1)) && answer == *b"!"
    }

    /// Planted faults that this test detects: closing with connections waiting; looking for them before the close only.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn every_client_that_was_connected_when_the_listener_closed_is_served() {
        for _ in 0..20 {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            let clients: Vec<_> = (0..4)
                .map(|_| thread::spawn(move || connect_until_refused(address)))
                .collect();
            let mut accepted = vec![listener.accept().await.unwrap()];
            accepted.extend(close(listener).await);
            for (stream, _) in &mut accepted {
                stream.write_all(b"!").await.unwrap();
            }
            let unserved: usize = clients.into_iter().map(|client| client.join().unwrap()).sum();
            assert_eq!(unserved, 0);
        }
    }
}
