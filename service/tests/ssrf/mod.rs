//! Server-side request forgery: whatever a tenant enters as its receiver URL, and whatever its name resolves to, no address
//! that is not public is ever connected to. Verified with listeners that count.
//!
//! Here the test resolves names and the machine's network is used as it is; in `namespace` the system's resolver uses the
//! test's name server, in a network in which every address answers.
//!
//! Planted faults that these tests detect: dropping any one range of `sender/address.rs`; dropping ISATAP or the translators'
//! prefixes; checking only the first address of a name; checking only at registration; parsing literals as names.

mod dns;
mod namespace;
mod table;

use domain::{
    delivery::DeliveryFault,
    ids::{EventId, TenantId},
    time::Timestamp,
};
use service::webhook::sender::{
    SenderConfig, WebhookSender, address::is_public, fault::Answer, receiver_url::UrlFault, signature::SignedRequest,
};
use std::{
    net::IpAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};
use table::{LITERALS, PUBLIC, addresses};
use testkit::{authority::root, names::Names};
use tokio::net::TcpListener;

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
        ..SenderConfig::default()
    };
    WebhookSender::with_resolver(config, Arc::clone(names) as _).unwrap()
}

/// Whose receivers they are.
fn tenant() -> TenantId {
    TenantId::from_random([1; 16])
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
                Answer::failed(DeliveryFault::AddressRefused),
                "{answer:?}"
            );
            assert_eq!(
                sender.check_receiver_url(&tenant(), url.as_str()).await.unwrap_err(),
                UrlFault::NotPublic,
                "{answer:?}"
            );
        }
    }
    assert_eq!(connections.load(Ordering::SeqCst), 0);
}

/// Detects if somebody who registers receivers learns which names there are in the installation's own network.
#[tokio::test]
async fn a_name_of_the_own_network_is_refused_as_one_that_there_is_not() {
    let names = Arc::new(Names::default());
    let sender = sender(&names, &[]);
    let private: IpAddr = "10.0.0.7".parse().unwrap();
    names.say("payroll.internal", &[&[private]]);
    names.say("nothing.internal", &[&[]]);
    let register = async |host: &str| {
        let refused = sender.check_receiver_url(&tenant(), &format!("https://{host}/")).await;
        refused.unwrap_err()
    };
    let (known, unknown) = (register("payroll.internal").await, register("nothing.internal").await);
    assert_eq!(known, unknown);
    assert_eq!(
        known.to_string(),
        "must have a host name that resolves to public addresses only"
    );
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
async fn a_name_that_leads_to_this_machine_reaches_nothing_unless_loopback_is_allowed_by_name() {
    // Public addresses of the machine itself are tested in the namespace: outside of it a machine may have none.
    let (port, connections) = trap().await;
    let names = Arc::new(Names::default());
    let closed = sender(&names, &[]);
    let url = closed
        .parse_receiver(&format!("https://hooks.example:{port}/"))
        .unwrap();
    closed.send(&url, &request(), Timestamp::from_millis(0)).await;
    assert_eq!(connections.load(Ordering::SeqCst), 0);
    // The trap works: if loopback is allowed, it counts.
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
        assert_eq!(answer, Answer::failed(DeliveryFault::AddressRefused), "{address}");
    }
}
