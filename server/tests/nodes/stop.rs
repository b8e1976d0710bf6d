//! SIGTERM under load, and a rolling restart of two nodes behind a proxy.
//!
//! Planted faults that these tests detect: closing the listener with connections waiting in it; cutting off running requests.

use super::{
    free_port,
    load::Load,
    node::{Installation, Node, add_tenant, settings},
};
use domain::{
    ids::TenantId,
    time::{Millis, Timestamp},
};
use rustix::process::{Pid, Signal, kill_process};
use server::state::App;
use std::{
    collections::VecDeque,
    io::{BufRead as _, BufReader},
    net::SocketAddr,
    process::Stdio,
};
use store::session::search;
use testkit::databases;
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sigterm_under_load_fails_no_request_that_was_accepted() {
    let installation = Installation::new();
    let app = installation.open(Millis(0)).await;
    let tenant = add_tenant(&app, settings(None)).await;
    let mut created = 0;
    for _ in 0..5 {
        let address = SocketAddr::from(([127, 0, 0, 1], free_port()));
        let node = begin(&installation, address).await;
        let mut load = Load::start(address, tenant.key.expose(), 12, 4);
        load.until_created(100).await;
        node.stop().await;
        created += load.end().await;
    }
    assert_eq!(count(&app, &tenant.id).await, created, "as many sessions as answers");
}

/// Planted fault that this test detects: leaving the signal to the system, which ends the process.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sighup_ends_neither_a_server_nor_a_worker() {
    let installation = Installation::new();
    for (command, ready) in [("serve", "listening"), ("worker", "working")] {
        let mut node = installation.start(command, &format!("127.0.0.1:{}", free_port()));
        node.until_it_says(ready).await;
        node.hang_up();
        node.until_it_says("SIGHUP: nothing is reloaded").await;
        node.stop().await;
    }
}

/// Planted fault that this test detects: reporting on stderr that stderr cannot be written to.
#[test]
fn a_node_whose_log_nobody_reads_any_more_stops_as_well() {
    let installation = Installation::new();
    let script = format!("export HONNIN_LISTEN=127.0.0.1:{}\nexec_honnin serve", free_port());
    let mut shell = installation.shell(&script);
    let mut node = shell.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let log = BufReader::new(node.stderr.take().unwrap());
    let mut lines = log.lines().map_while(Result::ok);
    assert!(lines.any(|line| line.contains("listening")));
    drop(lines);
    kill_process(Pid::from_child(&node), Signal::TERM).unwrap();
    assert!(node.wait().unwrap().success());
}

/// A node that listens on `address`.
async fn begin(installation: &Installation, address: SocketAddr) -> Node {
    let mut node = installation.start("serve", &address.to_string());
    node.until_it_says("listening").await;
    node
}

/// How many sessions the tenant has in the database.
async fn count(app: &App, tenant: &TenantId) -> usize {
    let tenant = tenant.clone();
    let unit = app
        .honnin
        .db()
        .read(async move |tx| search::count_by_day(tx, &tenant, Timestamp::from_millis(0)).await);
    let days = unit.await.unwrap();
    days.iter().map(|day| usize::try_from(day.count).unwrap()).sum()
}

/// Forwards each connection to the first node that accepts it.
fn proxy(listener: TcpListener, nodes: [SocketAddr; 2]) -> JoinHandle<()> {
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            tokio::spawn(async move {
                for node in nodes {
                    if let Ok(mut server) = TcpStream::connect(node).await {
                        drop(copy_bidirectional(&mut client, &mut server).await);
                        return;
                    }
                }
            });
        }
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rolling_restart_of_two_nodes_on_one_postgres_fails_no_request() {
    // Skipped without a server: `scripts/with-postgres` starts one.
    let Some(postgres) = databases::postgres_server() else {
        return;
    };
    let database = databases::postgres(&postgres).await;
    let installation = Installation::new().on(&database);
    let app = installation.open(Millis(0)).await;
    let tenant = add_tenant(&app, settings(None)).await;
    let addresses = [(); 2].map(|()| SocketAddr::from(([127, 0, 0, 1], free_port())));
    let mut nodes = VecDeque::new();
    for address in addresses {
        nodes.push_back(begin(&installation, address).await);
    }
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let front = listener.local_addr().unwrap();
    let proxy = proxy(listener, addresses);
    let mut load = Load::start(front, tenant.key.expose(), 8, 0);
    for address in addresses.into_iter().cycle().take(4) {
        load.until_created(40).await;
        nodes.pop_front().unwrap().stop().await;
        nodes.push_back(begin(&installation, address).await);
    }
    load.until_created(40).await;
    let created = load.end().await;
    proxy.abort();
    assert_eq!(count(&app, &tenant.id).await, created, "as many sessions as answers");
}
