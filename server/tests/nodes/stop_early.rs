//! A process that is told to stop before it has started.
//!
//! Planted faults that these tests detect: signals that are listened for only once everything is open, and commands that listen for none. The first
//! process of a container, which no other signal ends, would go on nevertheless.

use super::node::Installation;
use std::fs::{File, create_dir};

#[tokio::test]
async fn whoever_is_told_to_stop_while_another_process_migrates_ends_in_order() {
    for command in ["serve", "worker"] {
        let installation = Installation::new();
        create_dir(installation.data()).unwrap();
        // As another process does that migrates.
        let migrating = File::open(installation.data()).unwrap();
        migrating.lock().unwrap();
        let mut node = installation.start(command, "127.0.0.1:0");
        node.until_it_says("waiting for it").await;
        node.stop().await;
    }
}

#[tokio::test]
async fn a_command_that_is_the_first_process_of_a_container_ends_when_it_is_told_to() {
    let installation = Installation::new();
    create_dir(installation.data()).unwrap();
    // As another process does that migrates.
    let migrating = File::open(installation.data()).unwrap();
    migrating.lock().unwrap();
    let Some(mut node) = installation.start_as_first("migrate") else {
        eprintln!("SKIPPED: this machine permits no process namespaces; a first process was not tried");
        return;
    };
    node.until_it_says("waiting for it").await;
    node.ask_first_to_stop();
    node.until_it_says("honnin: ended by SIGTERM before it was done").await;
    assert_eq!(node.status().await, Some(143));
}
