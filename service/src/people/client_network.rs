//! The network that counts as one caller for rate limits.

use std::net::IpAddr;

/// The network of one caller: a single IPv4 address, or the /64 network of an IPv6 address, because anyone who has one address
/// has all of them.
#[must_use]
pub(super) fn client_network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6((v6.to_bits() >> 64 << 64).into()),
        v4 => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_version_4_stands_for_itself_in_either_notation() {
        let address = IpAddr::from([192, 0, 2, 1]);
        assert_eq!(client_network(address), address);
        assert_eq!(client_network("::ffff:192.0.2.1".parse().unwrap()), address);
    }

    #[test]
    fn the_addresses_of_a_64_bit_network_are_one_caller() {
        let home = |text: &str| client_network(text.parse().unwrap());
        assert_eq!(home("2001:db8:0:1::1"), home("2001:db8:0:1:9:9:9:9"));
        assert_ne!(home("2001:db8:0:1::1"), home("2001:db8:0:2::1"));
    }
}
