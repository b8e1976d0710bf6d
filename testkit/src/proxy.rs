//! A network that fails: a proxy between a client and a server whose connections can be stalled, silently dropped, or cut and refused.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::{TcpListener, TcpSocket, TcpStream},
    sync::watch,
};

/// Connections that wait to be accepted.
const BACKLOG: u32 = 1024;

/// What becomes of connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// They work.
    Open,
    /// They stay open, and new ones are accepted, but nothing passes.
    Stalled,
    /// They are cut, and new ones are refused.
    Cut,
}

/// A proxy on a port of its own. It ends when it is dropped.
pub struct Proxy {
    pub address: SocketAddr,
    link: watch::Sender<Link>,
    /// Bytes that still pass to the server before the link stalls.
    left: Arc<AtomicU64>,
    /// Changes when the connections that are open are lost.
    losses: watch::Sender<()>,
}

impl Proxy {
    /// Before the server at an address such as `127.0.0.1:9000`.
    pub async fn before(server: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (link, seen) = watch::channel(Link::Open);
        let left = Arc::new(AtomicU64::new(u64::MAX));
        let losses = watch::Sender::new(());
        let passage = Passage {
            server,
            link: link.clone(),
            left: Arc::clone(&left),
            losses: losses.clone(),
        };
        tokio::spawn(accept(listener, address, passage, seen));
        Self {
            address,
            link,
            left,
            losses,
        }
    }

    /// Before the server of the database at `url`. Returns the address through the proxy as well.
    pub async fn before_database(url: &str) -> (Self, String) {
        let (scheme, rest) = url.split_once('@').unwrap();
        let (server, database) = rest.split_once('/').unwrap();
        let proxy = Self::before(server.to_owned()).await;
        let url = format!("{scheme}@{}/{database}", proxy.address);
        (proxy, url)
    }

    /// Loses the connections that are open now, as a firewall does that forgets them: neither side is told, and whatever it sends is
    /// swallowed. New ones work.
    pub fn lose_open(&self) {
        self.losses.send_replace(());
    }

    pub fn set(&self, link: Link) {
        self.left.store(u64::MAX, Ordering::SeqCst);
        self.link.send_replace(link);
    }

    /// Lets so many bytes pass to the server before the link stalls.
    pub fn stall_after(&self, bytes: u64) {
        self.left.store(bytes, Ordering::SeqCst);
    }

    /// Returns when the link is stalled.
    pub async fn until_stalled(&self) {
        let mut link = self.link.subscribe();
        link.wait_for(|link| *link == Link::Stalled).await.unwrap();
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.set(Link::Cut);
    }
}

#[derive(Clone)]
struct Passage {
    server: String,
    link: watch::Sender<Link>,
    left: Arc<AtomicU64>,
    losses: watch::Sender<()>,
}

/// Listens unless the link is cut.
async fn accept(listener: TcpListener, address: SocketAddr, passage: Passage, mut link: watch::Receiver<Link>) {
    let (mut listener, mut kept) = (Some(listener), None);
    loop {
        let is_cut = *link.borrow_and_update() == Link::Cut;
        match &listener {
            Some(_) if is_cut => {
                listener = None;
                kept = Some(keep(address).await);
            }
            None if !is_cut => listener = kept.take().map(|socket: TcpSocket| socket.listen(BACKLOG).unwrap()),
            _ => {}
        }
        tokio::select! {
            changed = link.changed() => if changed.is_err() { return },
            Ok((client, _)) = next(listener.as_ref()) => drop(tokio::spawn(connect(client, passage.clone()))),
        }
    }
}

/// Keeps the port while nobody listens on it: a server of another test could be given it, and would answer in place of the one behind the proxy.
async fn keep(address: SocketAddr) -> TcpSocket {
    loop {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_reuseaddr(true).unwrap();
        if socket.bind(address).is_ok() {
            return socket;
        }
        tokio::task::yield_now().await;
    }
}

async fn next(listener: Option<&TcpListener>) -> std::io::Result<(TcpStream, SocketAddr)> {
    match listener {
        Some(listener) => listener.accept().await,
        None => std::future::pending().await,
    }
}

async fn connect(client: TcpStream, passage: Passage) {
    let lost = passage.losses.subscribe();
    let Ok(server) = TcpStream::connect(&passage.server).await else {
        return;
    };
    let mut link = passage.link.subscribe();
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    tokio::select! {
        _ = link.wait_for(|link| *link == Link::Cut) => {}
        ((), ()) = async {
            tokio::join!(
                pass(from_client, to_server, &passage, &lost, Some(&passage.left)),
                pass(from_server, to_client, &passage, &lost, None),
            )
        } => {}
    }
}

/// Passes what comes while the link is open, until one side ends. Of a connection that is lost, nothing passes, not even its end.
async fn pass(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    passage: &Passage,
    lost: &watch::Receiver<()>,
    left: Option<&AtomicU64>,
) {
    let mut link = passage.link.subscribe();
    let mut piece = vec![0; 16 << 10];
    while let Ok(length @ 1..) = from.read(&mut piece).await {
        if let Some(left) = left {
            let counted = left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| match left {
                u64::MAX => None,
                _ => Some(left.saturating_sub(length as u64)),
            });
            if counted.is_ok_and(|before| before <= length as u64) {
                passage.link.send_replace(Link::Stalled);
            }
        }
        if is_lost(lost) {
            continue;
        }
        if link.wait_for(|link| *link == Link::Open).await.is_err() || to.write_all(&piece[..length]).await.is_err() {
            return;
        }
    }
    if is_lost(lost) {
        std::future::pending::<()>().await;
    }
    // The other side is told; a connection that is broken already needs no telling.
    drop(to.shutdown().await);
}

fn is_lost(lost: &watch::Receiver<()>) -> bool {
    lost.has_changed().unwrap_or(true)
}
