//! Which addresses webhooks may be sent to: public unicast ones, and the networks that the installation allows. Everything else
//! is refused, in whatever form it is written.
//!
//! The lists follow the IANA special-purpose address registries; for IPv6 only global unicast (`2000::/3`) is considered
//! public.

use ipnet::IpNet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Networks as `(first address, prefix length)`.
type V4 = (Ipv4Addr, u32);
type V6 = (Ipv6Addr, u32);

const fn v4(a: u8, b: u8, c: u8, d: u8, prefix: u32) -> V4 {
    (Ipv4Addr::new(a, b, c, d), prefix)
}

/// IPv4 that is not public unicast.
const REFUSED_V4: [V4; 19] = [
    v4(0, 0, 0, 0, 8),        // this network
    v4(10, 0, 0, 0, 8),       // private
    v4(100, 64, 0, 0, 10),    // carrier-grade NAT; a cloud's metadata service
    v4(127, 0, 0, 0, 8),      // loopback
    v4(168, 63, 129, 16, 32), // a cloud's host agent: looks public, never leaves the host
    v4(169, 254, 0, 0, 16),   // link-local; the clouds' metadata services
    v4(172, 16, 0, 0, 12),    // private
    v4(192, 0, 0, 0, 24),     // protocol assignments; a cloud's metadata service
    v4(192, 0, 2, 0, 24),     // documentation
    v4(192, 31, 196, 0, 24),  // AS112
    v4(192, 52, 193, 0, 24),  // AMT relays
    v4(192, 88, 99, 0, 24),   // 6to4 relays
    v4(192, 168, 0, 0, 16),   // private
    v4(192, 175, 48, 0, 24),  // AS112
    v4(198, 18, 0, 0, 15),    // benchmarks
    v4(198, 51, 100, 0, 24),  // documentation
    v4(203, 0, 113, 0, 24),   // documentation
    v4(224, 0, 0, 0, 4),      // multicast
    v4(240, 0, 0, 0, 4),      // reserved, broadcast
];

/// All of public IPv6.
const GLOBAL_UNICAST: V6 = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// Parts of global unicast that are not public, or that contain an IPv4 address and so may lead anywhere.
const REFUSED_V6: [V6; 6] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23), // protocol assignments: Teredo, benchmarks, ORCHID
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32), // documentation
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16), // 6to4
    (Ipv6Addr::new(0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0), 48), // AS112
    (Ipv6Addr::new(0x3ffe, 0, 0, 0, 0, 0, 0, 0), 16), // the former 6bone
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20), // documentation
];

/// Which addresses webhooks may be sent to.
#[derive(Clone, Debug, Default)]
pub struct AddressRules {
    allowed: Vec<IpNet>,
    refused: Vec<IpNet>,
}

impl AddressRules {
    /// Public addresses, and those of `allowed`: private networks of a development installation.
    #[must_use]
    pub const fn new(allowed: Vec<IpNet>) -> Self {
        Self {
            allowed,
            refused: Vec::new(),
        }
    }

    /// Excludes those of `refused`, even if they are public or allowed: an installation's own networks, and prefixes of its
    /// translators, which cannot be recognised from outside.
    #[must_use]
    pub fn refusing(self, refused: Vec<IpNet>) -> Self {
        Self { refused, ..self }
    }

    /// Whether the installation explicitly allows this address.
    #[must_use]
    pub(crate) fn is_allowed_by_name(&self, address: IpAddr) -> bool {
        self.allowed.iter().any(|network| network.contains(&address)) && !self.is_refused_by_name(address)
    }

    fn is_refused_by_name(&self, address: IpAddr) -> bool {
        self.refused.iter().any(|network| network.contains(&address))
    }

    /// Whether webhooks may be sent to `address`.
    #[must_use]
    pub fn admits(&self, address: IpAddr) -> bool {
        (is_public(address) && !self.is_refused_by_name(address)) || self.is_allowed_by_name(address)
    }
}

/// Whether `address` is public unicast in every interpretation.
#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    !REFUSED_V4.iter().any(|&(network, prefix)| {
        let mask = u32::MAX << (32 - prefix);
        u32::from(address) & mask == u32::from(network)
    })
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    is_within(address, GLOBAL_UNICAST)
        && !REFUSED_V6.iter().any(|&network| is_within(address, network))
        && !is_isatap(address)
        && embedded_v4(address).all(is_public_v4)
}

const fn is_within(address: Ipv6Addr, (network, prefix): V6) -> bool {
    let mask = u128::MAX << (128 - prefix);
    address.to_bits() & mask == network.to_bits()
}

/// ISATAP (RFC 5214): interface identifier `[0|200]:5efe:a.b.c.d` under any prefix. No public server uses it.
const fn is_isatap(address: Ipv6Addr) -> bool {
    let [.., a, b, _, _] = address.segments();
    b == 0x5efe && (a == 0 || a == 0x200)
}

/// IPv4 addresses that a translator with a network-specific prefix (RFC 6052) could extract from `address`: the prefix is 32,
/// 40, 48, 56, 64 or 96 bits long, and bits 64 to 71 are zero. What would give `0.x.y.z` is left out: translators do not send
/// there, and ordinary hosts look like it (`2001:db8::1`).
///
/// Any prefix of 96 bits is possible, so one address in 20,000 with a random interface identifier is refused as well. Behind
/// the shorter prefixes, an address is recognised only if nothing follows it, as the RFC requires: with anything behind it, it
/// looks like any other network's. [`AddressRules::refusing`] is for those.
fn embedded_v4(address: Ipv6Addr) -> impl Iterator<Item = Ipv4Addr> {
    const READINGS: [[usize; 4]; 5] = [
        [4, 5, 6, 7],
        [5, 6, 7, 9],
        [6, 7, 9, 10],
        [7, 9, 10, 11],
        [9, 10, 11, 12],
    ];
    let octets = address.octets();
    let within = READINGS.into_iter().filter_map(move |[a, b, c, d]| {
        let after = (d + 1).max(8);
        let is_padded = octets[8] == 0 && octets[after..].iter().all(|&octet| octet == 0);
        is_padded.then(|| Ipv4Addr::new(octets[a], octets[b], octets[c], octets[d]))
    });
    let last = Ipv4Addr::new(octets[12], octets[13], octets[14], octets[15]);
    let is_bare = octets[8..12].iter().all(|&octet| octet == 0);
    // Nobody listens on multicast and reserved addresses, and a network card's own interface identifier can look like one.
    let at_the_end = (is_bare || (octets[8] == 0 && last.octets()[0] < 224)).then_some(last);
    within.chain(at_the_end).filter(|found| found.octets()[0] != 0)
}

#[cfg(test)]
mod tests;
