//! The accept loop. `axum::serve` keeps half-open connections for ever; this one does not.

use super::{
    Peer,
    body::{Paced, Watched},
    io::{Phase, Timed},
};
use axum::{Router, body::Body};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use prometheus_client::metrics::gauge::Gauge;
use std::{convert::Infallible, io, net::SocketAddr, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::{Instant, timeout, timeout_at},
};
use tokio_rustls::TlsAcceptor;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower::ServiceExt as _;

/// How long a connection that has said nothing yet is listened to after the signal to stop: whoever has just connected is about to
/// speak, and has been told by the operating system that somebody listens.
const FIRST_WORD: Duration = Duration::from_secs(1);

/// Bounds of connections.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// At a time.
    pub connections: usize,
    /// For a request's head; for the first one together with the TLS handshake.
    pub head: Duration,
    /// For a body, however slow; after that it must keep a pace.
    pub body: Duration,
    /// Between two requests.
    pub idle: Duration,
    /// For a client that takes no bytes.
    pub write: Duration,
    /// Of a request's head.
    pub head_bytes: usize,
    /// For what runs to finish after the signal to stop.
    pub stop: Duration,
}

/// A connection among those that are open.
struct Open(Gauge);

impl Open {
    fn new(open: &Gauge) -> Self {
        open.inc();
        Self(open.clone())
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// Serves `router` on `listener` until `stop` is cancelled, then lets running requests finish; `open` tells how many connections
/// there are. Returns false where some had to be cut off.
pub async fn serve(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    router: Router,
    limits: Limits,
    open: Gauge,
    stop: CancellationToken,
) -> bool {
    let slots = Arc::new(Semaphore::new(limits.connections.min(Semaphore::MAX_PERMITS)));
    let connections = TaskTracker::new();
    let cut = CancellationToken::new();
    let begin = |(stream, peer, slot): Accepted| {
        let (tls, router, stop, cut) = (tls.clone(), router.clone(), stop.clone(), cut.clone());
        let counted = Open::new(&open);
        connections.spawn(async move {
            tokio::select! {
                () = connection(stream, peer, tls, router, limits, stop) => {}
                () = cut.cancelled() => {}
            }
            drop((slot, counted));
        });
    };
    loop {
        tokio::select! {
            () = stop.cancelled() => break,
            accepted = accept(&listener, &slots) => if let Some(accepted) = accepted { begin(accepted) },
        }
    }
    // Closed at once, so that a load balancer goes elsewhere.
    waiting(listener, &slots).into_iter().for_each(begin);
    connections.close();
    let finished = timeout(limits.stop, connections.wait()).await.is_ok();
    cut.cancel();
    connections.wait().await;
    finished
}

/// Closes `listener` and returns the connections that the operating system had accepted for it: their clients believe to be served,
/// and closing it would reset them.
fn waiting(listener: TcpListener, slots: &Arc<Semaphore>) -> Vec<Accepted> {
    // Asked without the run time, which may not have heard yet of those that came last.
    let Ok(listener) = listener.into_std() else {
        return Vec::new();
    };
    let next = || {
        let slot = Arc::clone(slots).try_acquire_owned().ok()?;
        let (stream, peer) = listener.accept().ok()?;
        stream.set_nonblocking(true).ok()?;
        Some((TcpStream::from_std(stream).ok()?, peer, slot))
    };
    std::iter::from_fn(next).collect()
}

type Accepted = (TcpStream, SocketAddr, tokio::sync::OwnedSemaphorePermit);

/// The next connection, once there is a slot for it.
async fn accept(listener: &TcpListener, slots: &Arc<Semaphore>) -> Option<Accepted> {
    let slot = Arc::clone(slots).acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, peer)) => Some((stream, peer, slot)),
        Err(error) => {
            // A client that gave up already is its own affair; no file descriptors left is ours, and passes.
            if !matches!(
                error.kind(),
                io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset
            ) {
                tracing::error!(%error, "cannot accept connections");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            None
        }
    }
}

async fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    tls: Option<TlsAcceptor>,
    router: Router,
    limits: Limits,
    stop: CancellationToken,
) {
    // One for the handshake and the first head: two would let a client that says nothing stay for twice as long.
    let first_head = Instant::now() + limits.head;
    // Answers are written whole; waiting for more only delays them.
    drop(stream.set_nodelay(true));
    match tls {
        None => requests(stream, first_head, peer, router, limits, stop).await,
        // A failed handshake is the client's affair: a scanner, or a browser that does not trust the certificate.
        Some(tls) => match timeout_at(first_head, tls.accept(stream)).await {
            Ok(Ok(stream)) => requests(stream, first_head, peer, router, limits, stop).await,
            Ok(Err(error)) => tracing::debug!(%error, "TLS handshake failed"),
            Err(_) => tracing::debug!("TLS handshake timed out"),
        },
    }
}

async fn requests<S>(
    stream: S,
    first_head: Instant,
    peer: SocketAddr,
    router: Router,
    limits: Limits,
    stop: CancellationToken,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let phase = Phase::default();
    let io = Timed::new(
        stream,
        phase.clone(),
        first_head,
        limits.head,
        limits.idle,
        limits.write,
    );
    let spoken = CancellationToken::new();
    let speaks = spoken.clone();
    let service = service_fn(move |request: http::Request<Incoming>| {
        phase.busy();
        speaks.cancel();
        let (router, phase) = (router.clone(), phase.clone());
        async move {
            let mut request = request.map(|body| Body::new(Paced::new(body, limits.body)));
            request.extensions_mut().insert(Peer(peer));
            let answer = match router.oneshot(request).await {
                Ok(answer) => answer,
                Err(never) => match never {},
            };
            Ok::<_, Infallible>(answer.map(|body| Watched::new(body, phase)))
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        // Ours tells a head that does not come from a connection that rests.
        .header_read_timeout(None)
        .max_header_size(limits.head_bytes)
        // Room for a head, and for a good piece of a body at a time.
        .max_buf_size(limits.head_bytes.max(64 * 1024))
        .half_close(false)
        .serve_connection(TokioIo::new(io), service);
    let mut connection = std::pin::pin!(connection);
    let outcome = tokio::select! {
        outcome = connection.as_mut() => outcome,
        // Asked to shut down, hyper closes a connection that has said nothing yet at once, whatever is on its way.
        () = stop.cancelled() => match timeout(FIRST_WORD, until(&spoken, connection.as_mut())).await {
            Ok(Some(outcome)) => outcome,
            Ok(None) | Err(_) => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        },
    };
    if let Err(error) = outcome {
        tracing::debug!(%error, "connection ended");
    }
}

/// What `connection` comes to; `None` where it has `spoken` first.
async fn until<T>(spoken: &CancellationToken, connection: impl Future<Output = T>) -> Option<T> {
    tokio::select! {
        biased;
        () = spoken.cancelled() => None,
        outcome = connection => Some(outcome),
    }
}
