//! The real program on what a power cut left.

use super::{
    super::{
        acknowledged::Fact,
        comparison::{compare, completed},
        free_port,
        node::{Installation, Node},
    },
    disk::Tree,
};
use std::{collections::HashMap, fs, io, net::SocketAddr, path::Path};
use testkit::{databases::number_at, receiver::Receiver};

/// Starts the program on a folder and compares it with what was acknowledged before the cut.
///
/// Fails with the first difference.
pub(super) async fn judge(tree: &Tree, facts: &[&Fact], receiver: &Receiver) -> Result<(), String> {
    let installation = Installation::new();
    write(tree, installation.folder.path()).unwrap();
    let address = SocketAddr::from(([127, 0, 0, 1], free_port()));
    let before = receiver.count();
    let mut node = installation.start("serve", &address.to_string());
    if !node.says("listening").await {
        return Err(format!("it does not start: {:?}", node.said().last()));
    }
    let seen = compare(address, facts, &installation.data()).await;
    seen.map_err(|error| error.to_string())?;
    let url = format!("sqlite://{}", installation.data().join("honnin.db").display());
    let done = completed(address, facts, &url, receiver).await;
    done.map_err(|error| error.to_string())?;
    stop(node).await?;
    same_events(facts, receiver, before)?;
    are_sound(&installation.data()).await
}

fn write(tree: &Tree, root: &Path) -> io::Result<()> {
    for (path, content) in tree {
        let path = root.join(path);
        match content {
            None if path.is_dir() => {}
            None => fs::create_dir(path)?,
            // SQLite makes the index of a log again.
            Some(_) if path.to_string_lossy().ends_with("-shm") => {}
            Some(content) => fs::write(path, content)?,
        }
    }
    Ok(())
}

/// It logs no error and ends orderly.
async fn stop(mut node: Node) -> Result<(), String> {
    node.ask_to_stop();
    node.says("a line that it never logs").await;
    let error = node.said().iter().find(|line| line.contains("ERROR"));
    error.map_or(Ok(()), |line| Err(line.clone()))
}

/// What is sent now about a session has the id under which it was sent before.
fn same_events(facts: &[&Fact], receiver: &Receiver, before: usize) -> Result<(), String> {
    let known = facts.iter().filter_map(|fact| match fact {
        Fact::Delivered(session, event) => Some((session.as_str(), event.as_str())),
        _ => None,
    });
    let known: HashMap<_, _> = known.collect();
    for request in &receiver.received()[before..] {
        let body = request.json();
        let session = body["data"]["session"]["sessionId"].as_str().unwrap();
        let id = request.header("webhook-id");
        if known.get(session).is_some_and(|known| *known != id) {
            return Err(format!("the event of {session} has two ids"));
        }
    }
    Ok(())
}

/// Both databases are whole.
async fn are_sound(data: &Path) -> Result<(), String> {
    for name in ["honnin.db", "keys.db"] {
        let url = format!("sqlite://{}", data.join(name).display());
        let faults = "SELECT (SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok')
            + (SELECT count(*) FROM pragma_foreign_key_check)";
        let faults = number_at(&url, faults).await;
        if faults > 0 {
            return Err(format!("{name} has {faults} faults"));
        }
    }
    Ok(())
}
