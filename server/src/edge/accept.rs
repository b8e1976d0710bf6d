//! The accept loop. `axum::serve` keeps half-open connections for ever; this one does not.

use super::{
    Peer,
    body::{Paced, Watched},
    io::{Phase, Timed},
};
use axum::{Router, body::Body};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::{convert::Infallible, io, net::SocketAddr, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::timeout,
};
use tokio_rustls::TlsAcceptor;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower::ServiceExt as _;

/// Bounds of connections.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// At a time.
    pub connections: usize,
    /// For a TLS handshake, and for a request's head.
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

/// Serves `router` on `listener` until `stop` is cancelled, then lets running requests finish. Returns false where some had to be
/// cut off.
pub async fn serve(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    router: Router,
    limits: Limits,
    stop: CancellationToken,
) -> bool {
    let slots = Arc::new(Semaphore::new(limits.connections.min(Semaphore::MAX_PERMITS)));
    let connections = TaskTracker::new();
    let cut = CancellationToken::new();
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            accepted = accept(&listener, &slots) => accepted,
        };
        let Some((stream, peer, slot)) = accepted else { continue };
        let (tls, router, stop, cut) = (tls.clone(), router.clone(), stop.clone(), cut.clone());
        connections.spawn(async move {
            tokio::select! {
                () = connection(stream, peer, tls, router, limits, stop) => {}
                () = cut.cancelled() => {}
            }
            drop(slot);
        });
    }
    // Closed at once, so that a load balancer goes elsewhere.
    drop(listener);
    connections.close();
    let finished = timeout(limits.stop, connections.wait()).await.is_ok();
    cut.cancel();
    connections.wait().await;
    finished
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
    // Answers are written whole; waiting for more only delays them.
    drop(stream.set_nodelay(true));
    match tls {
        None => requests(stream, peer, router, limits, stop).await,
        // A failed handshake is the client's affair: a scanner, or a browser that does not trust the certificate.
        Some(tls) => match timeout(limits.head, tls.accept(stream)).await {
            Ok(Ok(stream)) => requests(stream, peer, router, limits, stop).await,
            Ok(Err(error)) => tracing::debug!(%error, "TLS handshake failed"),
            Err(_) => tracing::debug!("TLS handshake timed out"),
        },
    }
}

async fn requests<S>(stream: S, peer: SocketAddr, router: Router, limits: Limits, stop: CancellationToken)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let phase = Phase::default();
    let io = Timed::new(stream, phase.clone(), limits.head, limits.idle, limits.write);
    let service = service_fn(move |request: http::Request<Incoming>| {
        phase.busy();
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
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = outcome {
        tracing::debug!(%error, "connection ended");
    }
}
