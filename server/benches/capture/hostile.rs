//! One hostile network: silent connections, slow bodies, stalled uploads. Whatever is closed is opened again.

use crate::{http::connect, node::Node, phones::Phone};
use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    task::JoinSet,
    time::sleep,
};

/// All its addresses are in one `/24`.
const ADDRESSES: usize = 200;
/// Pause before reopening, and between two bytes of a slow body.
const PAUSE: Duration = Duration::from_secs(1);

/// All hostile connections; they end when it is dropped.
pub(crate) struct Hostile {
    _running: JoinSet<()>,
    /// How many connections it tries to hold.
    pub(crate) connections: usize,
    count: Arc<Count>,
}

/// How many connections were opened, are open, and were open at most.
#[derive(Default)]
struct Count {
    opened: AtomicUsize,
    open: AtomicUsize,
    most: AtomicUsize,
}

impl Count {
    fn open(&self) {
        self.opened.fetch_add(1, Ordering::Relaxed);
        self.most
            .fetch_max(1 + self.open.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
    }

    fn close(&self) {
        self.open.fetch_sub(1, Ordering::Relaxed);
    }
}

fn address(number: usize) -> Ipv4Addr {
    Ipv4Addr::new(127, 66, 6, 1 + u8::try_from(number % ADDRESSES).unwrap_or(0))
}

impl Hostile {
    /// Starts this many connections, a fifth as many slow bodies, and a hundredth as many uploads.
    pub(crate) async fn start(node: &Node, connections: usize) -> Self {
        let mut running = JoinSet::new();
        let (to, counted) = (node.address, Arc::<Count>::default());
        let count = || Arc::clone(&counted);
        let mut uploads = Vec::new();
        for number in 0..connections / 100 {
            let phone = Phone::begin(node, address(number)).await.unwrap();
            let length = 99 * 1024 * 1024 / 10;
            let begun = [phone.upload_head(length).into_bytes(), vec![b'x'; 64 * 1024]].concat();
            uploads.push(begun);
        }
        for (number, begun) in uploads.into_iter().enumerate() {
            running.spawn(again_and_again(to, number, begun, false, count()));
        }
        let head = "POST /admin/sign-in HTTP/1.1\r\nhost: id.example\r\nsec-fetch-site: same-origin\r\ncontent-length: 60000\r\n\r\nemail=";
        for number in 0..connections / 5 {
            running.spawn(again_and_again(to, number, head.as_bytes().to_vec(), true, count()));
        }
        for number in 0..connections {
            running.spawn(again_and_again(to, number, Vec::new(), false, count()));
        }
        Self {
            _running: running,
            connections: connections + connections / 5 + connections / 100,
            count: counted,
        }
    }

    /// How many connections were opened so far, those that were closed and opened again included.
    pub(crate) fn opened(&self) -> usize {
        self.count.opened.load(Ordering::Relaxed)
    }

    /// How many were open at the same time, at most.
    pub(crate) fn most(&self) -> usize {
        self.count.most.load(Ordering::Relaxed)
    }
}

/// Connects, sends its head, holds on, and starts again when it is closed.
async fn again_and_again(to: SocketAddr, number: usize, begun: Vec<u8>, drips: bool, count: Arc<Count>) {
    loop {
        if let Ok(mut stream) = connect(to, address(number)).await {
            count.open();
            drop(stream.write_all(&begun).await);
            let mut buffer = [0; 4096];
            loop {
                tokio::select! {
                    read = stream.read(&mut buffer) => if !matches!(read, Ok(1..)) { break },
                    () = sleep(PAUSE), if drips => if stream.write_all(b"x").await.is_err() { break },
                }
            }
            drop(stream);
            count.close();
        }
        sleep(PAUSE).await;
    }
}
