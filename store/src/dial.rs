//! Connecting to a host with several addresses: an unreachable one leaves time to try the next.

use std::{collections::VecDeque, io, mem::swap, net::SocketAddr, time::Duration};
use tokio::{
    net::lookup_host,
    time::{Instant, timeout, timeout_at},
};

/// The addresses of both families in turn, beginning with the first one's, and each family's in its order (RFC 8305, section 4): where
/// one family leads nowhere, the other is tried next.
#[must_use]
pub fn alternate(addresses: &[SocketAddr]) -> Vec<SocketAddr> {
    let is_first = |address: &SocketAddr| address.is_ipv6() == addresses[0].is_ipv6();
    let (mut first, mut second): (VecDeque<SocketAddr>, VecDeque<SocketAddr>) =
        addresses.iter().copied().partition(is_first);
    let mut all = Vec::with_capacity(addresses.len());
    while let Some(address) = first.pop_front() {
        all.push(address);
        if !second.is_empty() {
            swap(&mut first, &mut second);
        }
    }
    all
}

/// Connects to the first of `addresses`, in their order, that answers. Each may take its share of what is left of `time_limit`.
///
/// # Errors
/// What became of the last one; [`io::ErrorKind::TimedOut`] if it did not answer.
pub async fn first<T, F>(
    addresses: &[SocketAddr],
    time_limit: Duration,
    connect: impl Fn(SocketAddr) -> F,
) -> io::Result<T>
where
    F: Future<Output = io::Result<T>>,
{
    let deadline = Instant::now() + time_limit;
    let mut fault = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    for (index, address) in addresses.iter().enumerate() {
        let untried = u32::try_from(addresses.len() - index).unwrap_or(u32::MAX);
        let share = deadline.saturating_duration_since(Instant::now()) / untried;
        match timeout(share, connect(*address)).await {
            Ok(Ok(connected)) => return Ok(connected),
            Ok(Err(error)) => fault = error,
            Err(_) => fault = io::Error::new(io::ErrorKind::TimedOut, format!("{address} does not answer")),
        }
    }
    Err(fault)
}

/// Resolves `host`, and connects to the first of its addresses that answers, all within `time_limit`.
///
/// # Errors
/// If it does not resolve, or as [`first`].
pub async fn host<T, F>(
    (host, port): (&str, u16),
    time_limit: Duration,
    connect: impl Fn(SocketAddr) -> F,
) -> io::Result<T>
where
    F: Future<Output = io::Result<T>>,
{
    let deadline = Instant::now() + time_limit;
    let found = timeout_at(deadline, lookup_host((host, port))).await??;
    let addresses: Vec<SocketAddr> = found.collect();
    let left = deadline.saturating_duration_since(Instant::now());
    first(&alternate(&addresses), left, connect).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        future::pending,
        net::{IpAddr, Ipv4Addr, Ipv6Addr},
    };

    #[test]
    fn addresses_of_both_families_take_turns_in_their_order() {
        for (given, expected) in [
            ("", ""),
            ("a b c", "a b c"),
            ("a b c 1", "a 1 b c"),
            ("1 2 a 3 b", "1 a 2 b 3"),
            ("1 a b c", "1 a b c"),
        ] {
            let parse = |names: &str| -> Vec<SocketAddr> {
                let address = |name: &str| match "abc".find(name) {
                    Some(at) => IpAddr::V6(Ipv6Addr::from_bits(at as u128)),
                    None => IpAddr::V4(Ipv4Addr::from_bits(name.parse().unwrap())),
                };
                names
                    .split_whitespace()
                    .map(|name| (address(name), 443).into())
                    .collect()
            };
            assert_eq!(alternate(&parse(given)), parse(expected), "{given}");
        }
    }

    #[tokio::test]
    async fn an_address_that_does_not_answer_leaves_time_for_the_next() {
        let addresses = [1, 2, 3].map(|port| SocketAddr::from(([192, 0, 2, 7], port)));
        let connect = |address: SocketAddr| async move {
            match address.port() {
                1 => pending::<io::Result<u16>>().await,
                2 => Err(io::Error::from(io::ErrorKind::ConnectionRefused)),
                port => Ok(port),
            }
        };
        let limit = Duration::from_millis(50);
        assert_eq!(first(&addresses, limit, connect).await.unwrap(), 3);
        for (count, kind) in [
            (0, io::ErrorKind::NotFound),
            (1, io::ErrorKind::TimedOut),
            (2, io::ErrorKind::ConnectionRefused),
        ] {
            let error = first(&addresses[..count], limit, connect).await.unwrap_err();
            assert_eq!(error.kind(), kind, "{error}");
        }
    }
}
