//! From a checked receiver URL to a TLS connection. Every address is checked after resolving and the connection goes to the
//! checked address, so that DNS rebinding gains nothing; then the socket itself is asked for its peer.

use super::{
    address::AddressRules,
    receiver_url::{ReceiverHost, ReceiverUrl},
    resolve::Resolve,
};
use domain::delivery::DeliveryFault;
use rustls_pki_types::ServerName;
use std::{
    collections::VecDeque,
    mem::swap,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket},
    time::Duration,
};
use tokio::{
    net::TcpStream,
    time::{Instant, timeout, timeout_at},
};
use tokio_rustls::{TlsConnector, client::TlsStream};

/// How many of a name's addresses are tried, of IPv6 and IPv4 in turn.
const TRIED: usize = 3;

/// Maximum number of addresses of a name; more indicates an attempt to keep us busy.
const MOST: usize = 64;

/// The addresses of `url`'s host, each one checked. One bad address disqualifies the name, since no legitimate name mixes
/// public and private ones.
///
/// # Errors
/// [`DeliveryFault::Unresolved`] or [`DeliveryFault::AddressRefused`].
pub(super) async fn addresses(
    resolver: &dyn Resolve,
    rules: &AddressRules,
    url: &ReceiverUrl,
) -> Result<Vec<SocketAddr>, DeliveryFault> {
    let found = match url.host() {
        ReceiverHost::Literal(address) => vec![*address],
        ReceiverHost::Name(name) => resolver.resolve(name).await.map_err(|_| DeliveryFault::Unresolved)?,
    };
    if found.is_empty() || found.len() > MOST {
        return Err(DeliveryFault::Unresolved);
    }
    if found.iter().all(|&address| is_fair(rules, address)) {
        Ok(found.into_iter().map(|address| url.socket_address(address)).collect())
    } else {
        Err(DeliveryFault::AddressRefused)
    }
}

fn is_fair(rules: &AddressRules, address: IpAddr) -> bool {
    rules.is_allowed_by_name(address) || (rules.admits(address) && !is_own(address))
}

/// Whether `address` belongs to this machine. The routing table knows: packets to an own address would leave from that same
/// address. Connecting a UDP socket consults it and sends nothing.
fn is_own(address: IpAddr) -> bool {
    let any: IpAddr = match address {
        IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let source = UdpSocket::bind((any, 0)).and_then(|socket| {
        socket.connect((address, 443))?;
        socket.local_addr()
    });
    source.is_ok_and(|source| source.ip() == address)
}

/// The addresses of both families in turn, beginning with the first one's, and each family's in its order (RFC 8305, section 4): where
/// one family leads nowhere, the other is tried next.
fn alternate(addresses: &[SocketAddr]) -> Vec<SocketAddr> {
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

/// Connects to the first of `addresses` that answers within `time_limit`.
///
/// # Errors
/// [`DeliveryFault::ConnectTimeout`], [`DeliveryFault::ConnectFailed`], or [`DeliveryFault::AddressRefused`] if the socket's peer is another address.
pub(super) async fn dial(
    addresses: &[SocketAddr],
    rules: &AddressRules,
    time_limit: Duration,
) -> Result<TcpStream, DeliveryFault> {
    let deadline = Instant::now() + time_limit;
    let mut tried = alternate(addresses);
    tried.truncate(TRIED);
    let mut fault = DeliveryFault::ConnectFailed;
    for (index, address) in tried.iter().enumerate() {
        // An address that does not respond must leave time for the next one.
        let share =
            deadline.saturating_duration_since(Instant::now()) / u32::try_from(tried.len() - index).unwrap_or(1);
        match timeout(share, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => return checked(stream, *address, rules),
            Ok(Err(_)) => fault = DeliveryFault::ConnectFailed,
            Err(_) => fault = DeliveryFault::ConnectTimeout,
        }
    }
    Err(fault)
}

/// Checks the socket's peer address.
fn checked(stream: TcpStream, wanted: SocketAddr, rules: &AddressRules) -> Result<TcpStream, DeliveryFault> {
    let peer = stream.peer_addr().map_err(|_| DeliveryFault::ConnectFailed)?;
    let is_right = peer.ip() == wanted.ip() && peer.port() == wanted.port() && rules.admits(peer.ip());
    // Without Nagle's algorithm the small request leaves immediately; failing to disable it only costs some milliseconds.
    drop(stream.set_nodelay(true));
    if is_right {
        Ok(stream)
    } else {
        Err(DeliveryFault::AddressRefused)
    }
}

/// TLS to `url`'s host over `stream`.
///
/// # Errors
/// [`DeliveryFault::Tls`]; [`DeliveryFault::TimedOut`] at the `deadline` of the exchange.
pub(super) async fn encrypt(
    tls: &TlsConnector,
    url: &ReceiverUrl,
    stream: TcpStream,
    deadline: Instant,
) -> Result<TlsStream<TcpStream>, DeliveryFault> {
    let name = ServerName::try_from(url.tls_name()).map_err(|_| DeliveryFault::UrlRefused)?;
    match timeout_at(deadline, tls.connect(name, stream)).await {
        Ok(Ok(stream)) => Ok(stream),
        Ok(Err(_)) => Err(DeliveryFault::Tls),
        Err(_) => Err(DeliveryFault::TimedOut),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machines_own_addresses_are_known() {
        assert!(is_own(Ipv4Addr::LOCALHOST.into()));
        assert!(!is_own(Ipv4Addr::new(198, 51, 100, 7).into()));
    }

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
}
