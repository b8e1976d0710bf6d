//! A process that is told to stop before it has started.
//!
//! Planted fault that this test detects: signals that are listened for only once everything is open. The first process of a container, which no other
//! signal ends, would start nevertheless.

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
