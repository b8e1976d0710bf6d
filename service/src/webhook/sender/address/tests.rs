//! Whole ranges; single addresses are in the table of `tests/ssrf/table.rs`.

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
        // RFC 6052: the IPv4 address follows the prefix and skips octet 8.
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

    #[test]
    fn a_private_address_is_found_at_the_end_of_any_prefix_of_96_bits(
        prefix in any::<u64>(),
        middle in 0..1_u32 << 24,
        private in prop::sample::select(vec![[10, 1, 2, 3], [127, 0, 0, 1], [169, 254, 169, 254], [192, 168, 0, 9], [172, 16, 5, 4]]),
    ) {
        let mut octets = [0; 16];
        octets[..8].copy_from_slice(&prefix.to_be_bytes());
        octets[0] = 0x2a;
        octets[8..12].copy_from_slice(&middle.to_be_bytes());
        octets[12..].copy_from_slice(&private);
        prop_assert!(!is_public(Ipv6Addr::from(octets).into()));
    }

    #[test]
    fn an_interface_identifier_of_a_network_card_is_no_translators(network in any::<u32>(), card in any::<[u8; 6]>()) {
        let [a, b, c, d, e, f] = card;
        let [n1, n2, n3, n4] = network.to_be_bytes();
        let octets = [0x2a, 0x05, n1, n2, n3, n4, 0, 1, a ^ 2, b, c, 0xff, 0xfe, d, e, f];
        prop_assert!(is_public(Ipv6Addr::from(octets).into()));
    }
}

#[test]
fn a_network_named_as_refused_is_refused_though_it_is_public_or_allowed() {
    let network = |text: &str| text.parse::<IpNet>().unwrap();
    let rules = AddressRules::new(vec![network("10.0.0.0/8")]).refusing(vec![
        network("2a00:1450:64::/48"),
        network("10.9.0.0/16"),
        network("93.184.0.0/16"),
    ]);
    for (text, admitted) in [
        ("2a00:1450:64:a00:1::7", false),
        ("2a00:1450:65::7", true),
        ("10.9.1.1", false),
        ("10.8.1.1", true),
        ("93.184.215.14", false),
        ("93.185.215.14", true),
    ] {
        let address: IpAddr = text.parse().unwrap();
        assert_eq!(rules.admits(address), admitted, "{text}");
        assert!(admitted || !rules.is_allowed_by_name(address), "{text}");
    }
}
