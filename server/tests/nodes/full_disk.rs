//! A disk that is full, and then no longer: the node reports that it is not ready, creates nothing, and recovers without a
//! restart.
//!
//! Planted fault that these tests detect: a readiness check that only reads.

use super::{
    free_port,
    http::{create, get},
    node::{Installation, Node, add_tenant, settings},
    person::Person,
};
use domain::time::Millis;
use serde_json::Value;
use std::{
    fs::File,
    io::{ErrorKind, Write as _},
    net::SocketAddr,
    path::Path,
    time::Duration,
};
use tokio::time::timeout;

/// Enough for the databases and the space that a picture needs, and quickly filled.
const DISK_MIB: u32 = 48;

/// Many times as long as a result is cached.
const LONG: Duration = Duration::from_secs(120);

/// Polls until the response has this status. Each result is cached for some seconds, so it polls often.
async fn until_readiness_is(address: SocketAddr, status: u16) -> Value {
    let asking = async {
        loop {
            let (found, told) = get(address, "/readyz").await;
            if found == status {
                return told;
            }
        }
    };
    let found = timeout(LONG, asking).await;
    found.unwrap_or_else(|_| panic!("/readyz does not come to {status}"))
}

/// Fills the disk.
fn fill(path: &Path) {
    let mut file = File::create(path).unwrap();
    for size in [1 << 20, 1 << 12, 1] {
        let block = vec![7; size];
        let error = loop {
            if let Err(error) = file.write_all(&block) {
                break error;
            }
        };
        assert_eq!(error.kind(), ErrorKind::StorageFull);
    }
}

/// A node on a small disk, where it listens, and a tenant's key; `None` where the machine permits no mounts.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
async fn on_small_disk() -> Option<(Installation, Node, SocketAddr, String)> {
    let installation = Installation::new();
    let app = installation.open(Millis(0)).await;
    let tenant = add_tenant(&app, settings(None)).await;
    app.honnin.close().await.unwrap();
    let address = SocketAddr::from(([127, 0, 0, 1], free_port()));
    let Some(mut node) = installation.start_on_small_disk(&address.to_string(), DISK_MIB) else {
        eprintln!("SKIPPED: this machine permits no mount namespaces; a full disk was not tried");
        return None;
    };
    node.until_it_says("listening").await;
    Some((installation, node, address, tenant.key.expose().clone()))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_makes_a_node_not_ready_until_there_is_room_again() {
    let Some((installation, node, address, key)) = on_small_disk().await else {
        return;
    };
    assert_eq!(get(address, "/readyz").await.0, 200);
    assert_eq!(create(address, &key, "{}").await.0, 201);

    let filler = node.sees(&installation.data().join("filler"));
    fill(&filler);
    let told = until_readiness_is(address, 503).await;
    for part in ["ready", "database", "keys", "pictures"] {
        assert_eq!(told[part], false, "{told}");
    }
    for _ in 0..20 {
        let (status, body) = create(address, &key, "{}").await;
        assert_eq!((status, &body["_tag"]), (503, &"Unavailable".into()), "{body}");
    }

    std::fs::remove_file(filler).unwrap();
    until_readiness_is(address, 200).await;
    assert_eq!(create(address, &key, "{}").await.0, 201);
    node.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_photo_for_which_the_disk_has_no_room_is_refused_and_can_be_sent_again() {
    let Some((installation, node, address, key)) = on_small_disk().await else {
        return;
    };
    let (status, created) = create(address, &key, "{}").await;
    assert_eq!(status, 201, "{created}");
    let link = created["verificationUrl"].as_str().unwrap();
    let mut person = Person::at(address);
    person.begin(&link["http://id.example".len()..]).await.unwrap();
    let filler = node.sees(&installation.data().join("filler"));
    fill(&filler);
    // At first the node takes itself for ready, then it does not.
    for _ in 0..3 {
        let refused = person.photograph().await.unwrap_err().to_string();
        assert_eq!(refused, "/capture/pictures: 503");
    }
    until_readiness_is(address, 503).await;
    let refused = person.photograph().await.unwrap_err().to_string();
    assert_eq!(refused, "/capture/pictures: 503");

    std::fs::remove_file(filler).unwrap();
    until_readiness_is(address, 200).await;
    let picture = person.photograph().await.unwrap();
    assert_eq!(person.get(&picture).await.unwrap().status, 200);
    node.stop().await;
}
