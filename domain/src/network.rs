//! Networks of callers in canonical form: IPv4-mapped IPv6 is IPv4.

use ipnet::{IpNet, Ipv4Net};
use std::net::IpAddr;

/// Where the IPv4 address begins in an IPv4-mapped one (`::ffff:0:0/96`, RFC 4291 section 2.5.5.2).
const MAPPED: u8 = 96;

/// The IPv4 network of an IPv4-mapped one; any other unchanged. Callers' addresses are compared in this form
/// ([`IpAddr::to_canonical`]), so a list with the other form would never match.
#[must_use]
pub fn canonical(network: IpNet) -> IpNet {
    let mapped = match (network.addr().to_canonical(), network) {
        (IpAddr::V4(address), IpNet::V6(written)) => {
            let length = written.prefix_len().checked_sub(MAPPED);
            length.and_then(|length| Ipv4Net::new(address, length).ok())
        }
        _ => None,
    };
    mapped.map_or(network, IpNet::V4)
}

/// Whether `address` is in one of `networks`; with none, every address is. IPv4-mapped IPv6 counts as IPv4.
#[must_use]
pub fn admits(networks: &[IpNet], address: IpAddr) -> bool {
    networks.is_empty() || networks.iter().any(|network| network.contains(&address.to_canonical()))
}

/// Networks and single addresses in canonical form; the first text that is neither otherwise.
///
/// # Errors
/// That text.
pub fn parse_list<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Vec<IpNet>, &'a str> {
    let parse = |text: &'a str| {
        let network = text
            .parse::<IpNet>()
            .or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
        network.map(|network| canonical(network).trunc()).map_err(|_| text)
    };
    texts.into_iter().map(parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mapped_network_is_the_ipv4_one_and_any_other_itself() {
        for (written, meant) in [
            ("::ffff:192.0.2.0/120", "192.0.2.0/24"),
            ("::ffff:192.0.2.7/128", "192.0.2.7/32"),
            ("::ffff:0:0/96", "0.0.0.0/0"),
            // Wider than all of IPv4.
            ("::ffff:0:0/95", "::ffff:0.0.0.0/95"),
            ("::/0", "::/0"),
            ("192.0.2.0/24", "192.0.2.0/24"),
            ("2001:db8::/32", "2001:db8::/32"),
        ] {
            assert_eq!(canonical(written.parse().unwrap()), meant.parse().unwrap(), "{written}");
        }
    }
}
