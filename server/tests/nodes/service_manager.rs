//! What the process tells the service manager, over the socket that systemd would pass.
//!
//! Planted faults that these tests detect: ready before the port is open; silent while requests finish.

use super::{
    free_port,
    node::{Installation, Node, add_tenant, settings},
};
use domain::time::Millis;
use std::{
    net::{SocketAddr, TcpListener},
    os::unix::net::UnixDatagram,
    path::PathBuf,
    time::Duration,
};
use tokio::{io::AsyncWriteExt as _, net::TcpStream, task::block_in_place};

/// Never reached by a process that does what it should.
const LONG: Duration = Duration::from_secs(60);

/// Starts a process and returns what it tells.
fn start(command: &str, address: SocketAddr) -> (Node, UnixDatagram, Installation) {
    start_in(Installation::new(), command, address)
}

fn start_in(installation: Installation, command: &str, address: SocketAddr) -> (Node, UnixDatagram, Installation) {
    let path = installation.folder.path().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    socket.set_read_timeout(Some(LONG)).unwrap();
    let environment = vec![("NOTIFY_SOCKET", path), ("WATCHDOG_USEC", PathBuf::from("400000"))];
    let installation = installation.with_environment(environment);
    let node = installation.start(command, &address.to_string());
    (node, socket, installation)
}

fn next(socket: &UnixDatagram) -> String {
    let mut buffer = [0; 256];
    let length = block_in_place(|| socket.recv(&mut buffer)).unwrap();
    String::from_utf8_lossy(&buffer[..length]).trim_end().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_and_a_worker_say_when_they_are_ready_that_they_are_alive_and_that_they_stop() {
    for command in ["serve", "worker"] {
        let address = SocketAddr::from(([127, 0, 0, 1], free_port()));
        let (node, socket, _installation) = start(command, address);
        assert_eq!(next(&socket), "READY=1", "{command}");
        if command == "serve" {
            TcpStream::connect(address).await.unwrap();
        }
        for _ in 0..3 {
            assert_eq!(next(&socket), "WATCHDOG=1", "{command}");
        }
        node.ask_to_stop();
        let told = std::iter::repeat_with(|| next(&socket)).find(|told| told != "WATCHDOG=1");
        assert_eq!(told.unwrap(), "STOPPING=1", "{command}");
        node.ends().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_cannot_serve_its_metrics_is_never_ready() {
    for command in ["serve", "worker"] {
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let metrics = format!("metrics_listen = \"{}\"\n", taken.local_addr().unwrap());
        let address = SocketAddr::from(([127, 0, 0, 1], free_port()));
        let (mut node, socket, _installation) = start_in(Installation::new().with(&metrics), command, address);
        node.until_it_says("cannot listen on").await;
        socket.set_nonblocking(true).unwrap();
        assert!(socket.recv(&mut [0; 256]).is_err(), "{command}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_is_alive_while_a_request_finishes() {
    let address = SocketAddr::from(([127, 0, 0, 1], free_port()));
    let (node, socket, installation) = start("serve", address);
    assert_eq!(next(&socket), "READY=1");
    let tenant = add_tenant(&installation.open(Millis(0)).await, settings(None)).await;
    let mut client = TcpStream::connect(address).await.unwrap();
    let begun = format!(
        "POST /v1/verification-sessions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\ncontent-length: 2\r\n\r\n{{",
        tenant.key.expose()
    );
    client.write_all(begun.as_bytes()).await.unwrap();
    assert_eq!(next(&socket), "WATCHDOG=1");
    node.ask_to_stop();
    let mut told = std::iter::repeat_with(|| next(&socket)).skip_while(|told| told != "STOPPING=1");
    assert_eq!(told.next().unwrap(), "STOPPING=1");
    for _ in 0..2 {
        assert_eq!(told.next().unwrap(), "WATCHDOG=1");
    }
    client.write_all(b"}").await.unwrap();
    node.ends().await;
}
