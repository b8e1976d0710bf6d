//! The networks among which the node's capacity is shared. A client with one address can usually use its neighbours: an IPv4
//! `/24` is the smallest prefix that is routed on its own, and an IPv6 `/56` is what a home or office is commonly given (RFC
//! 6177).

use std::net::{IpAddr, Ipv6Addr};

/// Prefix length of an IPv4 network.
const V4_BITS: u32 = 24;
/// Prefix length of an IPv6 network.
const V6_BITS: u32 = 56;

/// The network of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Network(IpAddr);

impl Network {
    /// The network of an address. IPv4-mapped IPv6 is IPv4.
    pub(crate) fn of(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V4(address) => {
                let mask = u32::MAX << (u32::BITS - V4_BITS);
                IpAddr::from((address.to_bits() & mask).to_be_bytes())
            }
            IpAddr::V6(address) => {
                let mask = u128::MAX << (u128::BITS - V6_BITS);
                IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & mask))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_share_a_network() {
        let of = |text: &str| Network::of(text.parse().unwrap());
        for (one, other, same) in [
            ("192.0.2.1", "192.0.2.254", true),
            ("192.0.2.1", "192.0.3.1", false),
            ("192.0.2.1", "::ffff:192.0.2.9", true),
            ("2001:db8:0:100::1", "2001:db8:0:1ff:9::1", true),
            ("2001:db8:0:100::1", "2001:db8:0:200::1", false),
            ("::1", "127.0.0.1", false),
        ] {
            assert_eq!(of(one) == of(other), same, "{one} {other}");
        }
    }
}
