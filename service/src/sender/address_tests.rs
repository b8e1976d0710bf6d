//! Ranges as wholes; single addresses are in the table of `tests/ssrf/table.rs`.

use super::*;
use proptest::prelude::*;

proptest! {
    #[test]
    fn nothing_within_a_refused_network_is_public(index in 0..REFUSED_V4.len(), host in any::<u32>()) {
        let (network, prefix) = REFUSED_V4[index];
        let mask = u32::MAX << (32 - prefix);
        prop_assert!(!is_public(Ipv4Addr::from(u32::from(network) | (host & !mask)).into()));
    }

    #[test]
    fn nothing_outside_global_unicast_is_public(bits in any::<u128>()) {
        let address = Ipv6Addr::from_bits(bits);
        prop_assume!(!is_within(address, GLOBAL_UNICAST));
        prop_assert!(!is_public(address.into()));
    }

    #[test]
    fn nothing_within_a_refused_part_of_global_unicast_is_public(index in 0..REFUSED_V6.len(), host in any::<u128>()) {
        let (network, prefix) = REFUSED_V6[index];
        let mask = u128::MAX << (128 - prefix);
        prop_assert!(!is_public(Ipv6Addr::from_bits(network.to_bits() | (host & !mask)).into()));
    }

    #[test]
    fn a_private_address_is_found_behind_any_translators_prefix(
        prefix in any::<u64>(),
        private in prop::sample::select(vec![[10, 1, 2, 3], [127, 0, 0, 1], [169, 254, 169, 254], [192, 168, 0, 9], [172, 16, 5, 4]]),
        length in prop::sample::select(vec![32_usize, 40, 48, 56, 64, 96]),
    ) {
        let mut octets = [0; 16];
        octets[..8].copy_from_slice(&prefix.to_be_bytes());
        octets[0] = 0x2a;
        octets[length / 8..].fill(0);
        // RFC 6052: the IPv4 address follows the prefix and leaves out octet 8.
        let mut at = length / 8;
        for octet in private {
            if at == 8 {
                at += 1;
            }
            octets[at] = octet;
            at += 1;
        }
        prop_assert!(!is_public(Ipv6Addr::from(octets).into()));
    }
}
