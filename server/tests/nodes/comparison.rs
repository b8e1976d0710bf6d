//! What was acknowledged, as a node has it now.

use super::{
    acknowledged::{Fact, get, read},
    http::call,
    person::Person,
};
use serde_json::Value;
use std::{
    collections::{HashMap, HashSet},
    fs, io,
    net::SocketAddr,
    path::Path,
    sync::Mutex,
    time::Duration,
};
use testkit::{databases::texts_at, receiver::Receiver};
use tokio::time::timeout;

/// Longer than the leases of a process that was killed.
const PATIENCE: Duration = Duration::from_secs(60);
const DELIVERED: &str = "SELECT event_id FROM deliveries WHERE state = 'delivered'";

/// Compares what a node responds with what was acknowledged. Fails with the first difference.
pub(super) async fn compare(address: SocketAddr, facts: &[&Fact], data: &Path) -> io::Result<()> {
    let ready = call(address, "GET /readyz HTTP/1.1\r\n", b"").await?;
    check(ready.status == 200, || format!("not ready: {}", ready.text()))?;
    let mut events = HashMap::new();
    for fact in facts {
        match fact {
            Fact::Tenant(key) => drop(get(address, key, "/v1/verification-sessions?limit=1").await?),
            Fact::Session(key, id, number) => same_session(address, (key, id), *number).await?,
            Fact::LinkUsed(link) => link_is_used(address, link).await?,
            Fact::Picture(person, path, bytes) => same_picture(address, person, path, bytes).await?,
            Fact::Submitted(key, id) => {
                let status = read(address, key, id).await?["status"].clone();
                let past = ["deciding", "reviewing", "completed"]
                    .iter()
                    .any(|known| status == *known);
                check(past, || format!("{id} is {status}, but was submitted"))?;
            }
            Fact::Event(key, event) => {
                if !events.contains_key(key) {
                    events.insert(key, all_events(address, key).await?);
                }
                let found = events[key].contains(event);
                check(found, || format!("the event {} is missing or different", event["id"]))?;
            }
            // What is sent again has the same id; what was not sent before still is: see `completed`.
            Fact::Delivered(..) => {}
            Fact::Erased(key, id) => {
                let session = read(address, key, id).await?;
                check(!session["purgedAt"].is_null(), || format!("{id} is no longer erased"))?;
                check(!has_pictures(data, id), || format!("pictures of {id} are there again"))?;
            }
        }
    }
    Ok(())
}

/// Returns when the running node has done what the facts leave to do: each session that was submitted is decided, or left to a reviewer, and
/// each event has arrived. Fails with what is never done.
pub(super) async fn completed(address: SocketAddr, facts: &[&Fact], url: &str, receiver: &Receiver) -> io::Result<()> {
    for fact in facts {
        if let Fact::Submitted(key, id) = fact {
            let decided = timeout(PATIENCE, decided(address, key, id)).await;
            decided.map_err(|_| io::Error::other(format!("{id} was submitted and is never decided")))??;
        }
    }
    let missing = undelivered(facts, url, receiver).await;
    check(missing.is_empty(), || format!("events that never arrive: {missing:?}"))
}

async fn decided(address: SocketAddr, key: &str, id: &str) -> io::Result<()> {
    while read(address, key, id).await?["status"] == "deciding" {
        tokio::task::yield_now().await;
    }
    Ok(())
}

/// The events among the facts that the receiver does not have, or that the node does not know it has; empty as soon as there are none.
async fn undelivered(facts: &[&Fact], url: &str, receiver: &Receiver) -> Vec<String> {
    let acknowledged = facts.iter().filter_map(|fact| match fact {
        Fact::Event(_, event) => Some(event["id"].as_str()?.to_owned()),
        _ => None,
    });
    let acknowledged: Vec<String> = acknowledged.collect();
    let left = Mutex::new(Vec::new());
    let missing = async {
        loop {
            let settled: HashSet<_> = texts_at(url, DELIVERED).await.into_iter().collect();
            let arrived: HashSet<_> = receiver.ids().into_iter().collect();
            let missing = acknowledged
                .iter()
                .filter(|id| !settled.contains(*id) || !arrived.contains(*id));
            let missing: Vec<String> = missing.cloned().collect();
            if missing.is_empty() {
                return;
            }
            *left.lock().unwrap() = missing;
            tokio::task::yield_now().await;
        }
    };
    match timeout(PATIENCE, missing).await {
        Ok(()) => Vec::new(),
        Err(_) => std::mem::take(&mut *left.lock().unwrap()),
    }
}

fn check(holds: bool, fault: impl FnOnce() -> String) -> io::Result<()> {
    if holds { Ok(()) } else { Err(io::Error::other(fault())) }
}

/// Its metadata, and its personal data unless it was erased.
async fn same_session(address: SocketAddr, (key, id): (&str, &str), number: usize) -> io::Result<()> {
    let session = read(address, key, id).await?;
    let info = &session["preRegisteredInfo"];
    let whole = info["lastName"] == format!("Tanaka {number}") || !session["purgedAt"].is_null();
    let same =
        session["id"] == id && whole && (session["metadata"]["number"] == number || !session["purgedAt"].is_null());
    check(same, || format!("another session: {session}"))
}

/// A used link shows no start page, and cannot be used again.
async fn link_is_used(address: SocketAddr, link: &str) -> io::Result<()> {
    let mut stranger = Person::at(address);
    let shown = stranger.get(link).await?.status;
    check(shown != 200, || format!("the used link {link} is open again"))?;
    let opened = stranger.post(link, "").await.is_ok();
    check(!opened, || format!("the used link {link} opens again"))
}

async fn same_picture(address: SocketAddr, person: &Person, path: &str, bytes: &[u8]) -> io::Result<()> {
    let mut person = person.clone();
    person.address = address;
    let found = person.get(path).await?;
    check(found.status == 200 && found.body == bytes, || {
        format!("the picture {path} is missing or different: {}", found.status)
    })
}

async fn all_events(address: SocketAddr, key: &str) -> io::Result<Vec<Value>> {
    let (mut events, mut more) = (Vec::new(), String::new());
    loop {
        let page = get(address, key, &format!("/v1/events?limit=100{more}")).await?;
        events.extend(page["events"].as_array().unwrap().iter().cloned());
        let Some(cursor) = page["nextCursor"].as_str() else {
            return Ok(events);
        };
        more = format!("&cursor={cursor}");
    }
}

fn has_pictures(data: &Path, session: &str) -> bool {
    let shelves = fs::read_dir(data.join("pictures")).into_iter().flatten().flatten();
    shelves.into_iter().any(|shelf| shelf.path().join(session).exists())
}
