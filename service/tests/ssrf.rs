//! Server-side request forgery: whatever a tenant writes as its receiver's address, and whatever its name resolves to, nothing that
//! is not public is ever connected to. Judged by listeners that count.
//!
//! Planted faults that make this fail: dropping any one range of `sender/address.rs`; checking the first address of a name only;
//! parsing literals as names.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use domain::{ids::EventId, time::Timestamp};
use service::sender::{
    SenderConfig, WebhookSender,
    address::is_public,
    fault::{Answer, Fault},
    receiver_url::UrlFault,
    signature::SignedRequest,
};
use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};
use support::{authority::root, names::Names};
use tokio::net::TcpListener;

/// IPv4 addresses nobody may be sent to: the edges of every special range, and what lives there.
const REFUSED_V4: [&str; 62] = [
    "0.0.0.0",
    "0.0.0.1",
    "0.255.255.255",
    "10.0.0.0",
    "10.0.0.1",
    "10.96.0.1",
    "10.255.255.255",
    "100.64.0.0",
    "100.64.0.1",
    "100.100.100.200",
    "100.127.255.255",
    "127.0.0.0",
    "127.0.0.1",
    "127.0.0.53",
    "127.1.2.3",
    "127.255.255.255",
    "168.63.129.16",
    "169.254.0.0",
    "169.254.169.254",
    "169.254.170.2",
    "169.254.255.255",
    "172.16.0.0",
    "172.17.0.1",
    "172.20.10.1",
    "172.31.255.255",
    "192.0.0.0",
    "192.0.0.1",
    "192.0.0.9",
    "192.0.0.170",
    "192.0.0.192",
    "192.0.0.255",
    "192.0.2.0",
    "192.0.2.1",
    "192.0.2.255",
    "192.31.196.1",
    "192.52.193.1",
    "192.88.99.0",
    "192.88.99.1",
    "192.88.99.255",
    "192.168.0.0",
    "192.168.0.1",
    "192.168.1.254",
    "192.168.255.255",
    "192.175.48.1",
    "198.18.0.0",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.0",
    "198.51.100.1",
    "198.51.100.255",
    "203.0.113.0",
    "203.0.113.1",
    "203.0.113.255",
    "224.0.0.0",
    "224.0.0.251",
    "239.255.255.250",
    "239.255.255.255",
    "240.0.0.0",
    "240.0.0.1",
    "254.1.2.3",
    "255.255.255.254",
    "255.255.255.255",
];

/// IPv6 addresses nobody may be sent to.
const REFUSED_V6: [&str; 56] = [
    "::",
    "::1",
    "::2",
    "::ffff",
    "::127.0.0.1",
    "::10.0.0.1",
    "::8.8.8.8",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:169.254.169.254",
    "::ffff:8.8.8.8",
    "::ffff:0:127.0.0.1",
    "::ffff:0:10.0.0.1",
    "64:ff9b::127.0.0.1",
    "64:ff9b::10.0.0.1",
    "64:ff9b::169.254.169.254",
    "64:ff9b::8.8.8.8",
    "64:ff9b:1::10.0.0.1",
    "64:ff9b:1:ffff::1",
    "100::",
    "100::1",
    "100:0:0:1::1",
    "2001::",
    "2001::1",
    "2001:0:7f00:1::1",
    "2001:0:53aa:64c:0:7f00:1:1",
    "2001:1::1",
    "2001:2::1",
    "2001:3::1",
    "2001:4:112::1",
    "2001:5::1",
    "2001:10::1",
    "2001:20::1",
    "2001:1ff:ffff::1",
    "2001:db8::",
    "2001:db8::1",
    "2001:db8:ffff:ffff::1",
    "2002::",
    "2002:7f00:1::1",
    "2002:a00:1::1",
    "2002:a9fe:a9fe::1",
    "2002:808:808::1",
    "2620:4f:8000::1",
    "3ffe::1",
    "3fff::1",
    "3fff:fff::1",
    "4000::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fdff:ffff::1",
    "fe80::1",
    "febf::1",
    "fec0::1",
    "ff02::1",
    "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
];

/// Private IPv4 addresses inside an otherwise public IPv6 address, as translators and tunnels write them.
const EMBEDDED: [&str; 14] = [
    "2a00:1450::5efe:127.0.0.1",
    "2a00:1450::5efe:10.0.0.1",
    "2a00:1450:1:2:200:5efe:192.168.0.1",
    "2a00:1450:1:2:0:5efe:8.8.8.8",
    "2a00:1450:1:2::10.0.0.1",
    "2a00:1450:1:2::127.0.0.1",
    "2a00:1450:1:2::169.254.169.254",
    "2a00:1450:a00:1::",
    "2a00:1450:7f00:1::",
    "2a00:1450:0a:0:1::",
    "2a00:1450:10a:0:1::",
    "2a00:1450:1:a00:0:100::",
    "2a00:1450:1:20a:0:1::",
    "2a00:1450:1:2:a:0:100:0",
];

/// One address in notations that a parser might take for a name, or for another address.
const LITERALS: [&str; 46] = [
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "0x7f.0.0.1",
    "0x7f000001",
    "0x7F.1",
    "017700000001",
    "0177.0.0.1",
    "0177.0x0.0.01",
    "2130706433",
    "127.0.0.1.",
    "127.000.000.001",
    "１２７.０.０.１",
    "127。0。0。1",
    "127．0．0．1",
    "①②⑦.⓪.⓪.①",
    "%31%32%37.0.0.1",
    "127.0.0.%31",
    "0",
    "0x0",
    "0.0.0.0",
    "00",
    "0x00000000",
    "169.254.169.254",
    "0xa9fea9fe",
    "2852039166",
    "025177524776",
    "0251.0376.0251.0376",
    "0xa9.0xfe.0xa9.0xfe",
    "169.254.43518",
    "169.16689662",
    "10.0.0.1",
    "167772161",
    "0xA000001",
    "[::1]",
    "[::]",
    "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:ffff:127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "[fe80::1]",
    "[fd00:ec2::254]",
    "[::127.0.0.1]",
    "8.8.8.8",
];

/// Public addresses, so that refusing everything does not pass.
const PUBLIC: [&str; 22] = [
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.1",
    "93.184.215.14",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.1",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.1",
    "192.167.255.255",
    "192.169.0.1",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2001:200::1",
    "2001:4860:4860::8888",
    "2606:4700::6810:84e5",
    "2a00:1450:4001:81b::200e",
    "2a01:4f8:c17:b0f::2",
];

fn addresses() -> Vec<IpAddr> {
    let listed = REFUSED_V4
        .iter()
        .chain(&REFUSED_V6)
        .chain(&EMBEDDED)
        .map(|text| text.parse().unwrap());
    // Every refused IPv4 address again, in each wrapping of it.
    let wrapped = REFUSED_V4.iter().flat_map(|text| {
        let [a, b, c, d] = text.parse::<Ipv4Addr>().unwrap().octets();
        let (high, low) = (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
        [
            Ipv6Addr::new(0, 0, 0, 0, 0, 0, high, low),
            Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, high, low),
            Ipv6Addr::new(0, 0, 0, 0, 0xffff, 0, high, low),
            Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, high, low),
            Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, high, low),
            Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, !high, !low),
            Ipv6Addr::new(0x2002, high, low, 0, 0, 0, 0, 1),
            Ipv6Addr::new(0x2a00, 0x1450, 0, 1, 0, 0x5efe, high, low),
        ]
        .map(IpAddr::V6)
    });
    listed.chain(wrapped).collect()
}

/// A listener on every address of this machine, and how many connections it has had.
async fn trap() -> (u16, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let v4 = TcpListener::bind("0.0.0.0:0").await.unwrap();
    let port = v4.local_addr().unwrap().port();
    // A machine without IPv6 has no such address to protect.
    let v6 = TcpListener::bind(("::1", port)).await.ok();
    for listener in [Some(v4), v6].into_iter().flatten() {
        let count = Arc::clone(&count);
        tokio::spawn(async move {
            while listener.accept().await.is_ok() {
                count.fetch_add(1, Ordering::SeqCst);
            }
        });
    }
    (port, count)
}

fn sender(names: &Arc<Names>, allowed: &[&str]) -> WebhookSender {
    let config = SenderConfig {
        allow_networks: allowed.iter().map(|network| network.parse().unwrap()).collect(),
        extra_roots: vec![root()],
        native_roots: false,
        exchange_timeout: std::time::Duration::from_secs(2),
        ..SenderConfig::default()
    };
    WebhookSender::with_resolver(config, Arc::clone(names) as _).unwrap()
}

fn request() -> SignedRequest {
    SignedRequest::new(
        EventId::from_random([1; 16]),
        Timestamp::from_millis(0),
        b"{}".to_vec(),
        &[],
    )
}

#[test]
fn the_table_is_as_large_as_it_claims_and_public_addresses_are_not_in_it() {
    let refused = addresses();
    assert!(refused.len() + LITERALS.len() >= 600, "{}", refused.len());
    for address in refused {
        assert!(!is_public(address), "{address}");
    }
    for address in PUBLIC {
        assert!(is_public(address.parse().unwrap()), "{address}");
    }
}

#[tokio::test]
async fn no_name_leads_to_an_address_that_is_not_public() {
    let (port, connections) = trap().await;
    let names = Arc::new(Names::default());
    let sender = sender(&names, &[]);
    let url = sender
        .parse_receiver(&format!("https://hooks.example:{port}/"))
        .unwrap();
    let public: IpAddr = "93.184.215.14".parse().unwrap();
    for address in addresses() {
        for answer in [vec![address], vec![public, address], vec![address, public]] {
            names.say("hooks.example", &[&answer]);
            assert_eq!(
                sender.send(&url, &request(), Timestamp::from_millis(0)).await,
                Answer::failed(Fault::AddressRefused),
                "{answer:?}"
            );
            assert_eq!(
                sender.check_receiver_url(url.as_str()).await.unwrap_err(),
                UrlFault::NotPublic,
                "{answer:?}"
            );
        }
    }
    assert_eq!(connections.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn no_address_is_taken_for_a_name() {
    let names = Arc::new(Names::default());
    let sender = sender(&names, &[]);
    for literal in LITERALS {
        for text in [
            format!("https://{literal}/"),
            format!("https://{literal}:8443/x"),
            format!("HTTPS://{literal}"),
        ] {
            let fault = sender.parse_receiver(&text).unwrap_err();
            assert!(
                matches!(fault, UrlFault::Literal | UrlFault::Malformed),
                "{text}: {fault:?}"
            );
        }
    }
}

#[tokio::test]
async fn this_machines_own_addresses_are_refused_even_where_they_are_public() {
    // The one own address every machine has is not public; the question is asked of the routing table, not of the range.
    let (port, connections) = trap().await;
    let names = Arc::new(Names::default());
    let closed = sender(&names, &[]);
    let url = closed
        .parse_receiver(&format!("https://hooks.example:{port}/"))
        .unwrap();
    closed.send(&url, &request(), Timestamp::from_millis(0)).await;
    assert_eq!(connections.load(Ordering::SeqCst), 0);
    // The trap works: where loopback is allowed by name, it counts.
    let open = sender(&names, &["127.0.0.0/8"]);
    open.send(&url, &request(), Timestamp::from_millis(0)).await;
    assert_eq!(connections.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn allowing_one_network_allows_no_other() {
    let names = Arc::new(Names::default());
    let sender = sender(&names, &["127.0.0.0/8"]);
    let url = sender.parse_receiver("https://hooks.example:8443/").unwrap();
    for address in addresses()
        .into_iter()
        .filter(|address| !address.to_string().starts_with("127."))
    {
        names.say("hooks.example", &[&[address]]);
        let answer = sender.send(&url, &request(), Timestamp::from_millis(0)).await;
        assert_eq!(answer, Answer::failed(Fault::AddressRefused), "{address}");
    }
}
