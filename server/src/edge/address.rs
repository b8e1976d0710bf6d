//! The client's address. Without a trusted proxy it is the peer's, whatever the headers say. Behind one it is the right-most
//! hop that is not a trusted proxy: everything to the left of it was written by that hop and may be forged.

use http::{HeaderMap, HeaderName, header::FORWARDED};
use ipnet::IpNet;
use std::net::{IpAddr, SocketAddr};

/// The header in which the proxies append addresses. Only one is read: a client could send the other, and a proxy would pass it on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForwardingHeader {
    /// `X-Forwarded-For: client, proxy`.
    XForwardedFor,
    /// `Forwarded: for=client, for=proxy` (RFC 7239).
    Forwarded,
}

/// The peers that are trusted to name the client.
#[derive(Clone, Debug)]
pub struct Proxies {
    /// Their networks.
    pub trusted: Vec<IpNet>,
    /// The header they write.
    pub header: ForwardingHeader,
}

impl Proxies {
    /// Whether the address belongs to a trusted proxy.
    pub(super) fn trusts(&self, address: IpAddr) -> bool {
        self.trusted.iter().any(|net| net.contains(&address))
    }

    /// The client's address, from the connection and the headers of its request.
    #[must_use]
    pub fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer.to_canonical();
        if !self.trusts(client) {
            return client;
        }
        for hop in self.hops(headers).into_iter().rev() {
            // A hop that cannot be parsed was not written by a trusted proxy: the nearest known address is the answer.
            let Some(address) = hop else { return client };
            client = address;
            if !self.trusts(client) {
                return client;
            }
        }
        client
    }

    /// Every hop of every line, left to right; `None` for one that is not an address.
    fn hops(&self, headers: &HeaderMap) -> Vec<Option<IpAddr>> {
        let name = match self.header {
            ForwardingHeader::XForwardedFor => HeaderName::from_static("x-forwarded-for"),
            ForwardingHeader::Forwarded => FORWARDED,
        };
        let mut hops = Vec::new();
        for line in headers.get_all(name) {
            // Obs-text from the client must not hide the hops that proxies appended to the same line.
            let text = String::from_utf8_lossy(line.as_bytes());
            hops.extend(text.split(',').map(|element| match self.header {
                ForwardingHeader::XForwardedFor => node(element.trim()),
                ForwardingHeader::Forwarded => forwarded_for(element).and_then(node),
            }));
        }
        hops
    }
}

/// The node of the single `for=` parameter of an element. A comma inside a quoted string splits it into two hops that are not
/// addresses, which is the safe side.
fn forwarded_for(element: &str) -> Option<&str> {
    let mut nodes = element.split(';').filter_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        name.trim().eq_ignore_ascii_case("for").then_some(value.trim())
    });
    let node = nodes.next()?;
    if nodes.next().is_some() {
        return None;
    }
    match (node.strip_prefix('"'), node.ends_with('"')) {
        (Some(open), true) => open.strip_suffix('"'),
        (None, false) => Some(node),
        _ => None,
    }
}

/// `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:80`.
fn node(text: &str) -> Option<IpAddr> {
    let bare = text.parse::<IpAddr>().ok();
    let with_port = || text.parse::<SocketAddr>().ok().map(|address| address.ip());
    let in_brackets = || {
        text.strip_prefix('[')?
            .strip_suffix(']')?
            .parse::<std::net::Ipv6Addr>()
            .ok()
            .map(IpAddr::V6)
    };
    bare.or_else(with_port)
        .or_else(in_brackets)
        .map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ForwardingHeader::{Forwarded, XForwardedFor};

    fn client(header: ForwardingHeader, peer: &str, lines: &[(&'static str, &str)]) -> String {
        let proxies = Proxies {
            trusted: vec!["10.0.0.0/8".parse().unwrap(), "2001:db8:a::/48".parse().unwrap()],
            header,
        };
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, http::HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        proxies.client(peer.parse().unwrap(), &headers).to_string()
    }

    #[test]
    fn the_right_most_untrusted_hop_over_all_lines_is_the_client() {
        const XFF: &str = "x-forwarded-for";
        for (peer, lines, wanted) in [
            ("203.0.113.9", vec![], "203.0.113.9"),
            // A peer that is not a proxy is not believed.
            ("203.0.113.9", vec![(XFF, "198.51.100.1")], "203.0.113.9"),
            ("10.0.0.1", vec![], "10.0.0.1"),
            ("10.0.0.1", vec![(XFF, "198.51.100.1")], "198.51.100.1"),
            ("::ffff:10.0.0.1", vec![(XFF, "::ffff:198.51.100.1")], "198.51.100.1"),
            // What the client wrote itself is on the left.
            ("10.0.0.1", vec![(XFF, "192.0.2.66, 198.51.100.1")], "198.51.100.1"),
            (
                "10.0.0.1",
                vec![(XFF, "192.0.2.66, 198.51.100.1, 10.0.0.2")],
                "198.51.100.1",
            ),
            // Also on a separate line, before or after another.
            (
                "10.0.0.1",
                vec![(XFF, "192.0.2.66"), (XFF, "198.51.100.1")],
                "198.51.100.1",
            ),
            (
                "10.0.0.1",
                vec![(XFF, "198.51.100.1"), (XFF, "10.0.0.2")],
                "198.51.100.1",
            ),
            // A forged proxy entry gets no further than the first untrusted hop.
            (
                "10.0.0.1",
                vec![(XFF, "192.0.2.66, 10.9.9.9, 198.51.100.1")],
                "198.51.100.1",
            ),
            ("10.0.0.1", vec![(XFF, "198.51.100.1:4711")], "198.51.100.1"),
            ("10.0.0.1", vec![(XFF, "[2001:db8::7]:4711")], "2001:db8::7"),
            ("10.0.0.1", vec![(XFF, "2001:db8::7")], "2001:db8::7"),
            ("2001:db8:a::1", vec![(XFF, "[2001:db8::7]")], "2001:db8::7"),
            // Unparsable: nothing to the left of it counts.
            ("10.0.0.1", vec![(XFF, "192.0.2.66, unknown")], "10.0.0.1"),
            ("10.0.0.1", vec![(XFF, "192.0.2.66,,10.0.0.2")], "10.0.0.2"),
            ("10.0.0.1", vec![(XFF, "\u{80}, 198.51.100.1")], "198.51.100.1"),
            ("10.0.0.1", vec![(XFF, "192.0.2.66 198.51.100.1")], "10.0.0.1"),
            // Every hop is a proxy: the left-most one counts.
            ("10.0.0.1", vec![(XFF, "10.0.0.3, 10.0.0.2")], "10.0.0.3"),
            // The header that is not configured is not read.
            (
                "10.0.0.1",
                vec![("forwarded", "for=192.0.2.66"), (XFF, "198.51.100.1")],
                "198.51.100.1",
            ),
            (
                "10.0.0.1",
                vec![("forwarded", "for=192.0.2.66"), ("x-real-ip", "192.0.2.66")],
                "10.0.0.1",
            ),
        ] {
            assert_eq!(client(XForwardedFor, peer, &lines), wanted, "{peer} {lines:?}");
        }
    }

    #[test]
    fn the_standard_header_is_read_where_it_is_configured() {
        for (value, wanted) in [
            ("for=198.51.100.1", "198.51.100.1"),
            ("For=\"[2001:db8::7]:80\";proto=https;by=10.0.0.1", "2001:db8::7"),
            ("for=192.0.2.66, for=198.51.100.1;host=x, for=10.0.0.2", "198.51.100.1"),
            ("for=192.0.2.66;for=198.51.100.1", "10.0.0.1"),
            ("for=_hidden", "10.0.0.1"),
            ("for=\"198.51.100.1", "10.0.0.1"),
            ("host=\"a,for=192.0.2.66\", for=198.51.100.1", "198.51.100.1"),
            ("198.51.100.1", "10.0.0.1"),
        ] {
            assert_eq!(
                client(Forwarded, "10.0.0.1", &[("forwarded", value)]),
                wanted,
                "{value}"
            );
        }
        assert_eq!(
            client(Forwarded, "10.0.0.1", &[("x-forwarded-for", "192.0.2.66")]),
            "10.0.0.1"
        );
    }
}
