//! The accept loop. `axum::serve` keeps half-open connections for ever; this one does not.

use super::{
    Network, Peer, Proxies,
    body::{Paced, Watched},
    connections::{ConnectionSlot, Connections},
    io::{Phase, Timed},
};
use axum::{Router, body::Body};
use http::{HeaderMap, HeaderName, HeaderValue, Version, header::CONNECTION};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use prometheus_client::metrics::gauge::Gauge;
use std::{convert::Infallible, io, net::SocketAddr, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
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
/// there are, `proxies` which of them are many people's. Returns false where some had to be cut off.
pub async fn serve(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    router: Router,
    limits: Limits,
    proxies: Arc<Proxies>,
    open: Gauge,
    stop: CancellationToken,
) -> bool {
    let guests = Connections::new(limits.connections);
    let connections = TaskTracker::new();
    let all_cut = CancellationToken::new();
    let begin = |accepted: Accepted| {
        let (tls, router, stop) = (tls.clone(), router.clone(), stop.clone());
        let counted = Open::new(&open);
        let Accepted {
            stream,
            peer,
            phase,
            cut,
            place,
        } = accepted;
        connections.spawn(async move {
            tokio::select! {
                () = connection(stream, peer, phase, tls, router, limits, stop) => {}
                () = cut.cancelled() => {}
            }
            drop((place, counted));
        });
    };
    let arrive = async |(stream, peer): (TcpStream, SocketAddr)| {
        let (phase, cut) = (Phase::default(), all_cut.child_token());
        let is_proxy = proxies.trusts(peer.ip().to_canonical());
        let place = guests.place(Network::of(peer.ip()), is_proxy, &phase, &cut).await?;
        Some(Accepted {
            stream,
            peer,
            phase,
            cut,
            place,
        })
    };
    loop {
        let accepted = async {
            match accept(&listener).await {
                Some(new) => arrive(new).await,
                None => None,
            }
        };
        tokio::select! {
            () = stop.cancelled() => break,
            accepted = accepted => accepted.into_iter().for_each(begin),
        }
    }
    // Closed at once, so that a load balancer goes elsewhere.
    for new in waiting(listener) {
        match timeout(FIRST_WORD, arrive(new)).await {
            Ok(accepted) => accepted.into_iter().for_each(begin),
            Err(_) => break,
        }
    }
    connections.close();
    let finished = timeout(limits.stop, connections.wait()).await.is_ok();
    all_cut.cancel();
    connections.wait().await;
    finished
}

/// Closes `listener` and returns the connections that the operating system had accepted for it: their clients believe to be served,
/// and closing it would reset them.
fn waiting(listener: TcpListener) -> Vec<(TcpStream, SocketAddr)> {
    // Asked without the runtime, which may not have heard yet of those that came last.
    let Ok(listener) = listener.into_std() else {
        return Vec::new();
    };
    let next = || {
        let (stream, peer) = listener.accept().ok()?;
        stream.set_nonblocking(true).ok()?;
        Some((TcpStream::from_std(stream).ok()?, peer))
    };
    std::iter::from_fn(next).collect()
}

/// A connection with its place.
struct Accepted {
    stream: TcpStream,
    peer: SocketAddr,
    phase: Phase,
    /// Ends it at once.
    cut: CancellationToken,
    place: ConnectionSlot,
}

/// The next connection.
async fn accept(listener: &TcpListener) -> Option<(TcpStream, SocketAddr)> {
    match listener.accept().await {
        Ok(new) => Some(new),
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
    phase: Phase,
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
        None => requests(stream, first_head, peer, phase, router, limits, stop).await,
        // A failed handshake is the client's affair: a scanner, or a browser that does not trust the certificate.
        Some(tls) => match timeout_at(first_head, tls.accept(stream)).await {
            Ok(Ok(stream)) => requests(stream, first_head, peer, phase, router, limits, stop).await,
            Ok(Err(error)) => tracing::debug!(%error, "TLS handshake failed"),
            Err(_) => tracing::debug!("TLS handshake timed out"),
        },
    }
}

async fn requests<S>(
    stream: S,
    first_head: Instant,
    peer: SocketAddr,
    phase: Phase,
    router: Router,
    limits: Limits,
    stop: CancellationToken,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
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
    let stopping = stop.clone();
    let rests = HeaderValue::from_str(&format!("timeout={}", limits.idle.as_secs())).ok();
    let service = service_fn(move |request: http::Request<Incoming>| {
        phase.busy();
        speaks.cancel();
        let (router, phase, rests) = (router.clone(), phase.clone(), rests.clone());
        let may_rest = !stopping.is_cancelled() && wants_to_rest(&request);
        async move {
            let mut request = request.map(|body| Body::new(Paced::new(body, limits.body)));
            request.extensions_mut().insert(Peer(peer));
            request.extensions_mut().insert(phase.clone());
            let mut answer = match router.oneshot(request).await {
                Ok(answer) => answer,
                Err(never) => match never {},
            };
            if ends(answer.headers()) {
                phase.leave_unread();
            } else if let Some(rests) = rests.filter(|_| may_rest) {
                tell_rest(answer.headers_mut(), rests);
            }
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

/// Whether the client means to use its connection again.
fn wants_to_rest(request: &http::Request<Incoming>) -> bool {
    request.version() == Version::HTTP_11 && !ends(request.headers())
}

/// Whether a message says that the connection ends with it.
fn ends(headers: &HeaderMap) -> bool {
    let mut lines = headers.get_all(CONNECTION).iter().filter_map(|line| line.to_str().ok());
    lines.any(|line| {
        line.split(',')
            .any(|option| option.trim().eq_ignore_ascii_case("close"))
    })
}

/// Says how long the connection may rest, so that a client does not use it in the moment in which it is closed. Node's and undici's
/// go by it (`Keep-Alive`, RFC 2068 section 19.7.1.1, as registered by draft-thomson-hybi-http-timeout).
fn tell_rest(headers: &mut HeaderMap, rests: HeaderValue) {
    headers.insert(CONNECTION, HeaderValue::from_static("keep-alive"));
    headers.insert(HeaderName::from_static("keep-alive"), rests);
}

/// What `connection` comes to; `None` where it has `spoken` first.
async fn until<T>(spoken: &CancellationToken, connection: impl Future<Output = T>) -> Option<T> {
    tokio::select! {
        biased;
        () = spoken.cancelled() => None,
        outcome = connection => Some(outcome),
    }
}
