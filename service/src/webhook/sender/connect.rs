//! From a checked receiver URL to a TLS connection. Every address is checked after resolving and the connection goes to the
//! checked address, so that DNS rebinding gains nothing; then the peer address of the socket itself is checked.

use super::{
    address::AddressRules,
    receiver_url::{ReceiverHost, ReceiverUrl},
    resolve::Resolve,
};
use domain::delivery::DeliveryFault;
use rustls_pki_types::ServerName;
use std::{
    io::ErrorKind,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket},
    time::Duration,
};
use store::dial::{alternate, first};
use tokio::{
    net::TcpStream,
    time::{Instant, timeout_at},
};
use tokio_rustls::{TlsConnector, client::TlsStream};

/// How many of a name's addresses are tried, of IPv6 and IPv4 in turn.
const TRIED: usize = 3;

/// Maximum number of addresses of a name; more indicates an attempt to keep us busy.
const MAX_ADDRESSES: usize = 64;

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
    if found.is_empty() || found.len() > MAX_ADDRESSES {
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

/// Connects to the first of `addresses` that answers within `time_limit`.
///
/// # Errors
/// [`DeliveryFault::ConnectTimeout`], [`DeliveryFault::ConnectFailed`], or [`DeliveryFault::AddressRefused`] if the socket's peer is another address.
pub(super) async fn dial(
    addresses: &[SocketAddr],
    rules: &AddressRules,
    time_limit: Duration,
) -> Result<TcpStream, DeliveryFault> {
    let mut tried = alternate(addresses);
    tried.truncate(TRIED);
    let connected = first(&tried, time_limit, |address| async move {
        let stream = TcpStream::connect(address).await;
        stream.map(|stream| (stream, address))
    });
    match connected.await {
        Ok((stream, address)) => checked(stream, address, rules),
        Err(error) if error.kind() == ErrorKind::TimedOut => Err(DeliveryFault::ConnectTimeout),
        Err(_) => Err(DeliveryFault::ConnectFailed),
    }
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
}
