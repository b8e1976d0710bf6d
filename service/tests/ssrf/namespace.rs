//! The real sender with the system's resolver, in a network namespace in which every address leads to listeners of this test.
//! The sender could reach what it must not, and the kernel's own counters show that it did not send a single packet.
//!
//! Planted faults that these tests detect: dropping one range of `sender/address.rs`; checking only at registration; checking
//! before a name is resolved and connecting to what it resolves to the second time; trusting an earlier resolution; not
//! checking whether an address is the machine's own; reading a proxy from the environment.

use super::{
    dns::Dns,
    request,
    table::{EMBEDDED, LITERALS, PUBLIC, REFUSED_V4, REFUSED_V6, addresses},
    tenant,
};
use domain::{delivery::DeliveryFault, time::Timestamp};
use service::webhook::sender::{SenderConfig, WebhookSender, fault::Answer, receiver_url::UrlFault};
use std::{
    collections::BTreeSet,
    fs,
    net::IpAddr,
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};
use testkit::{
    authority::{acceptor, root},
    receiver::{Receiver, Reply},
};

/// Addresses of the machine itself inside the namespace: public ones, so that no range protects them.
const OWN: [&str; 2] = ["93.184.215.1", "2a00:1450:4001:81b::1"];
/// Where a proxy would listen.
const PROXY: &str = "http://93.184.215.14:3128";
/// Ports of receivers, taken in turn, and the proxy's.
const PORTS: [u16; 4] = [443, 8443, 3000, 3128];
/// Tells the test below which network namespace it must not be in.
const OUTSIDE: &str = "HONNIN_TEST_OUTER_NETWORK";
const NETWORK: &str = "/proc/self/ns/net";

#[test]
fn in_a_world_where_every_address_answers_not_a_packet_leaves_for_one_that_is_not_public() {
    let Some(mut namespace) = unshare() else {
        eprintln!(
            "SKIPPED: this machine permits no network namespaces (or has no IPv6); the sender was not judged in one"
        );
        return;
    };
    namespace
        .arg(std::env::current_exe().unwrap())
        .args(["ssrf::namespace::inside", "--exact", "--ignored", "--nocapture"])
        .env(OUTSIDE, network());
    for name in ["http_proxy", "https_proxy", "all_proxy"] {
        namespace.env(name, PROXY).env(name.to_uppercase(), PROXY);
    }
    let judged = namespace.output().unwrap();
    let told = [judged.stdout, judged.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let told = told.concat();
    // A name that no test has would match none, which succeeds, too.
    assert!(judged.status.success() && told.contains(" 1 passed;"), "{told}");
}

/// The command that creates a namespace, as root or as a user who may create user namespaces.
fn unshare() -> Option<Command> {
    let has_ipv6 = Path::new("/proc/net/if_inet6").exists();
    let ways: [&[&str]; 2] = [&["--net", "--mount"], &["--map-root-user", "--net", "--mount"]];
    let way = ways.into_iter().find(|way| {
        let probe = Command::new("unshare")
            .args(*way)
            .arg("true")
            .stderr(Stdio::null())
            .status();
        probe.is_ok_and(|status| status.success())
    })?;
    let mut command = Command::new("unshare");
    command.args(way);
    has_ipv6.then_some(command)
}

fn network() -> String {
    fs::read_link(NETWORK).unwrap().to_string_lossy().into_owned()
}

fn run(command: &str) {
    let mut words = command.split(' ');
    let status = Command::new(words.next().unwrap()).args(words).status().unwrap();
    assert!(status.success(), "{command}");
}

/// Every address is reached over loopback, and only `OWN` belongs to the machine according to its routing table.
fn make_world(folder: &Path) {
    let [v4, v6] = OWN;
    let names = folder.join("resolv.conf");
    fs::write(&names, "nameserver 127.0.0.1\n").unwrap();
    run("ip link set lo up");
    run(&format!("ip address add {v4}/32 dev lo"));
    run(&format!("ip route add local default dev lo src {v4}"));
    run(&format!("ip address add {v6}/128 dev lo nodad"));
    run(&format!("ip -6 route add local default dev lo src {v6}"));
    run(&format!("mount --bind {} /etc/resolv.conf", names.display()));
}

/// What has left this network so far: connections begun, TCP segments, and packets of any kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sent {
    connections: u64,
    segments: u64,
    packets: u64,
}

impl Sent {
    fn so_far() -> Self {
        let snmp = fs::read_to_string("/proc/net/snmp").unwrap();
        let [names, values] = ["Tcp: Rto", "Tcp: 1"].map(|start| {
            let line = snmp.lines().find(|line| line.starts_with(start)).unwrap();
            line.split(' ').collect::<Vec<_>>()
        });
        let of = |wanted| {
            let at = names.iter().position(|name| *name == wanted).unwrap();
            values[at].parse().unwrap()
        };
        let devices = fs::read_to_string("/proc/net/dev").unwrap();
        let loopback = devices
            .lines()
            .find_map(|line| line.trim().strip_prefix("lo:"))
            .unwrap();
        Self {
            connections: of("ActiveOpens"),
            segments: of("OutSegs"),
            packets: loopback.split_whitespace().nth(9).unwrap().parse().unwrap(),
        }
    }
}

struct World {
    dns: Dns,
    receivers: Vec<Receiver>,
}

impl World {
    fn destinations(&self) -> Vec<IpAddr> {
        self.receivers.iter().flat_map(Receiver::destinations).collect()
    }

    /// Sends to `name`, on one port after the other.
    async fn send(&self, sender: &WebhookSender, name: &str, turn: usize) -> Answer {
        let url = format!("https://{name}:{}/", PORTS[turn % 3]);
        let url = sender.parse_receiver(&url).unwrap();
        sender.send(&url, &request(), Timestamp::from_millis(0)).await
    }
}

/// Longer than a busy machine takes to resolve a name and to connect.
const PATIENCE: Duration = Duration::from_secs(60);

fn sender(allowed: &[&str], connect_timeout: Duration) -> WebhookSender {
    WebhookSender::new(SenderConfig {
        allow_networks: allowed.iter().map(|network| network.parse().unwrap()).collect(),
        extra_roots: vec![root()],
        native_roots: false,
        connect_timeout,
        ..SenderConfig::default()
    })
    .unwrap()
}

#[tokio::test]
#[ignore = "runs in the namespace that the test above makes"]
async fn inside() {
    let outside = std::env::var_os(OUTSIDE).unwrap();
    assert_ne!(outside.to_string_lossy(), network(), "not in a namespace");
    let folder = tempfile::tempdir().unwrap();
    make_world(folder.path());
    let mut receivers = Vec::new();
    for port in PORTS {
        receivers.push(Receiver::at(&format!("[::]:{port}"), acceptor(&["*.hooks.example"], true)).await);
    }
    let world = World {
        dns: Dns::start("127.0.0.1:53"),
        receivers,
    };
    nothing_is_sent_to_what_is_not_public(&world).await;
    public_addresses_are_reached(&world).await;
    a_name_that_changes_its_mind_gains_nothing(&world).await;
    let proxied = world.receivers[3].connections();
    assert_eq!(proxied, 0, "nobody asked the proxy of the environment");
    what_was_refused_could_have_been_reached(&world).await;
}

async fn nothing_is_sent_to_what_is_not_public(world: &World) {
    let sender = sender(&[], PATIENCE);
    let own = OWN.map(|address| address.parse().unwrap());
    let public: [IpAddr; 2] = [PUBLIC[0].parse().unwrap(), PUBLIC[20].parse().unwrap()];
    let refused = [&addresses()[..], &own].concat();
    let before = Sent::so_far();
    for (turn, &address) in refused.iter().enumerate() {
        // Each one alone, and mixed with public ones.
        for (place, answer) in [vec![address], [&public[..], &[address]].concat()].iter().enumerate() {
            let name = format!("v{turn}-{place}.hooks.example");
            world.dns.say(&name, &[answer]);
            let answer = world.send(&sender, &name, turn).await;
            assert_eq!(answer, Answer::failed(DeliveryFault::AddressRefused), "{address}");
            let registered = sender.check_receiver_url(&tenant(), &format!("https://{name}/")).await;
            assert_eq!(registered.unwrap_err(), UrlFault::NotPublic, "{address}");
        }
    }
    for literal in LITERALS {
        assert!(
            sender
                .check_receiver_url(&tenant(), &format!("https://{literal}/"))
                .await
                .is_err(),
            "{literal}"
        );
    }
    let after = Sent::so_far();
    assert_eq!(
        (after.connections, after.segments),
        (before.connections, before.segments)
    );
    let asked = world.dns.datagrams();
    assert_eq!(
        after.packets - before.packets,
        asked,
        "every packet is a question to the name server or its answer"
    );
    assert_eq!(world.destinations(), Vec::<IpAddr>::new());
    println!(
        "{} vectors refused, {asked} datagrams of DNS and nothing else",
        refused.len() * 2 + LITERALS.len()
    );
}

/// So that refusing everything does not pass.
async fn public_addresses_are_reached(world: &World) {
    let sender = sender(&[], PATIENCE);
    let before = Sent::so_far().connections;
    for (turn, text) in PUBLIC.into_iter().enumerate() {
        let name = format!("p{turn}.hooks.example");
        world.dns.say(&name, &[&[text.parse().unwrap()]]);
        assert_eq!(
            world.send(&sender, &name, turn).await,
            Answer::of_status(200, None),
            "{text}"
        );
    }
    let reached: BTreeSet<IpAddr> = world.destinations().into_iter().collect();
    assert_eq!(reached, PUBLIC.iter().map(|text| text.parse().unwrap()).collect());
    assert_eq!(Sent::so_far().connections - before, PUBLIC.len() as u64);
}

async fn a_name_that_changes_its_mind_gains_nothing(world: &World) {
    let sender = sender(&[], PATIENCE);
    let public: IpAddr = PUBLIC[4].parse().unwrap();
    for (turn, private) in [
        "10.0.0.1",
        "127.0.0.53",
        "169.254.169.254",
        "fd00:ec2::254",
        "::ffff:127.0.0.1",
    ]
    .iter()
    .enumerate()
    {
        let private: IpAddr = private.parse().unwrap();
        let name = format!("r{turn}.hooks.example");
        // Public at registration and at the first attempt, private afterwards, also for a second look-up within one attempt.
        world.dns.say(&name, &[&[public], &[public], &[private]]);
        let registered = sender.check_receiver_url(&tenant(), &format!("https://{name}/")).await;
        assert!(registered.is_ok(), "{registered:?}");
        let before = world.destinations().len();
        assert_eq!(world.send(&sender, &name, 0).await, Answer::of_status(200, None));
        let segments = Sent::so_far().segments;
        assert_eq!(
            world.send(&sender, &name, 0).await,
            Answer::failed(DeliveryFault::AddressRefused),
            "{private}"
        );
        let reached = world.receivers[0].destinations();
        assert_eq!(
            (world.destinations().len() - before, reached.last()),
            (1, Some(&public))
        );
        // The end of the connection to the public address is not a new connection.
        assert!(Sent::so_far().segments - segments < 8, "{private}");
    }
}

/// Verifies the test: with every network allowed, the same sender reaches what it refused above. What no kernel connects to,
/// such as multicast, is left out.
async fn what_was_refused_could_have_been_reached(world: &World) {
    // Some of them never answer.
    let sender = sender(&["0.0.0.0/0", "::/0"], Duration::from_secs(2));
    let trap = &world.receivers[0];
    let before = trap.connections();
    let refused = [&REFUSED_V4[..], &REFUSED_V6, &EMBEDDED].concat();
    for (turn, text) in refused.iter().enumerate() {
        let name = format!("t{turn}.hooks.example");
        world.dns.say(&name, &[&[text.parse().unwrap()]]);
        trap.reply([Reply::CloseBeforeTls]);
        world.send(&sender, &name, 0).await;
    }
    let reached = trap.connections() - before;
    println!(
        "{reached} of {} refused addresses could have been reached",
        refused.len()
    );
    assert!(reached > 110, "{reached} of {}", refused.len());
}
