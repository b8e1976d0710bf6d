//! The accept loop. `axum::serve` keeps half-open connections forever; this one does not.

use super::{
    Network, Peer, Proxies,
    body::{Paced, Watched},
    close_listener,
    connections::{Arriving, ConnectionSlot, Connections},
    io::{Phase, TimeLimits, Timed},
};
use axum::{Router, body::Body};
use http::{
    HeaderMap, HeaderName, HeaderValue, Version,
    header::{CONNECTION, TRANSFER_ENCODING},
};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use prometheus_client::metrics::gauge::Gauge;
use std::{convert::Infallible, io, net::SocketAddr, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    sync::{Notify, Semaphore},
    time::{Instant, timeout, timeout_at},
};
use tokio_rustls::TlsAcceptor;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower::ServiceExt as _;

/// After the signal to stop, how long to wait for a request on a connection that is at rest: a client that has just connected is about to send one,
/// because the operating system has already accepted its connection, and the next one of a client that reuses its connection may be on its way.
const FIRST_WORD: Duration = Duration::from_secs(1);

/// How long a refused connection is held unread before it is closed. A client that reconnects whenever it is closed is slowed down by it, and
/// the server holds only a file descriptor.
const REFUSED: Duration = Duration::from_secs(10);

/// Limits of connections.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Concurrent connections.
    pub connections: usize,
    /// Time-out for a request's head; for the first one it includes the TLS handshake.
    pub head: Duration,
    /// Grace period for a body, however slow; after that it must keep a minimum rate.
    pub body: Duration,
    /// Keep-alive time-out between two requests.
    pub idle: Duration,
    /// Time-out for a client that does not read its response.
    pub write: Duration,
    /// The largest body that may be announced for a path: a longer one is refused without waiting for it.
    pub announced: fn(path: &str) -> u64,
    /// Maximum size of a request's head.
    pub head_bytes: usize,
    /// How long running requests get to finish after the signal to stop.
    pub stop: Duration,
}

/// Counts one open connection.
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

/// What is served on a listener, and how.
pub struct Served {
    /// Answers the requests.
    pub router: Router,
    /// Decrypts them; `None` for plain HTTP.
    pub tls: Option<TlsAcceptor>,
    /// Limits of connections.
    pub limits: Limits,
    /// Which clients carry many people's requests.
    pub proxies: Arc<Proxies>,
    /// Counts the open connections.
    pub open: Gauge,
}

/// Serves on `listener` until `stop` is cancelled, then lets running requests finish. Returns false if some had to be cut off.
pub async fn serve(listener: TcpListener, served: Served, stop: CancellationToken) -> bool {
    let acceptor = Acceptor::new(served, stop.clone());
    while let Some(new) = stop.run_until_cancelled(accept(&listener)).await {
        if let Some(new) = new {
            acceptor.take(new).await;
        }
    }
    // Closed immediately, so that a load balancer uses another node.
    for new in close_listener::close(listener).await {
        if !acceptor.take(new).await {
            break;
        }
    }
    acceptor.finish().await
}

/// Admits connections and runs them.
struct Acceptor {
    served: Arc<Served>,
    stop: CancellationToken,
    slots: Arc<Connections>,
    running: TaskTracker,
    /// Permits for refused connections that are held for a while.
    refused: Arc<Semaphore>,
    all_cut: CancellationToken,
}

impl Acceptor {
    fn new(served: Served, stop: CancellationToken) -> Self {
        let most = served.limits.connections;
        Self {
            served: Arc::new(served),
            stop,
            slots: Connections::new(most),
            running: TaskTracker::new(),
            refused: Arc::new(Semaphore::new(most)),
            all_cut: CancellationToken::new(),
        }
    }

    /// Serves a connection as soon as it has a permit. Once the server stops, it waits no longer than [`FIRST_WORD`] for one; returns false if none
    /// came in that time.
    async fn take(&self, new: (TcpStream, SocketAddr)) -> bool {
        let mut admitted = std::pin::pin!(self.admit(new));
        // The wait for a permit is not given up at the signal: its client is connected and expects to be served.
        let accepted = match self.stop.run_until_cancelled(admitted.as_mut()).await {
            Some(accepted) => accepted,
            None => match timeout(FIRST_WORD, admitted).await {
                Ok(accepted) => accepted,
                Err(_) => return false,
            },
        };
        accepted.into_iter().for_each(|new| self.begin(new));
        true
    }

    /// Waits for a permit; without one, the connection is closed.
    async fn admit(&self, (stream, peer): (TcpStream, SocketAddr)) -> Option<Accepted> {
        let (phase, cut) = (self.slots.phase(), self.all_cut.child_token());
        let who = if self.served.proxies.trusts(peer.ip().to_canonical()) {
            Arriving::Proxy(Network::of(peer.ip()))
        } else {
            Arriving::Client(Network::of(peer.ip()))
        };
        let Some(slot) = self.slots.wait_for_slot(who, &phase, &cut).await else {
            refuse(stream, &self.refused, self.stop.clone());
            return None;
        };
        Some(Accepted {
            stream,
            peer,
            phase,
            cut,
            slot,
        })
    }

    /// Serves a connection in a task of its own.
    fn begin(&self, accepted: Accepted) {
        let (served, stop) = (Arc::clone(&self.served), self.stop.clone());
        let counted = Open::new(&self.served.open);
        let Accepted {
            stream,
            peer,
            phase,
            cut,
            slot,
        } = accepted;
        self.running.spawn(async move {
            tokio::select! {
                () = connection(stream, (peer, phase), &served, &stop) => {}
                () = cut.cancelled() => {}
            }
            drop((slot, counted));
        });
    }

    /// Lets running requests finish. Returns false if some had to be cut off.
    async fn finish(self) -> bool {
        self.running.close();
        let finished = timeout(self.served.limits.stop, self.running.wait()).await.is_ok();
        self.all_cut.cancel();
        self.running.wait().await;
        finished
    }
}

/// Closes a connection after [`REFUSED`], or at once if no permit is left in `refused`.
fn refuse(stream: TcpStream, refused: &Arc<Semaphore>, stop: CancellationToken) {
    if let Ok(permit) = Arc::clone(refused).try_acquire_owned() {
        tokio::spawn(async move {
            drop(timeout(REFUSED, stop.cancelled()).await);
            drop((stream, permit));
        });
    }
}

/// A connection with its permit.
struct Accepted {
    stream: TcpStream,
    peer: SocketAddr,
    phase: Phase,
    /// Closes it immediately.
    cut: CancellationToken,
    slot: ConnectionSlot,
}

/// The next connection.
async fn accept(listener: &TcpListener) -> Option<(TcpStream, SocketAddr)> {
    match listener.accept().await {
        Ok(new) => Some(new),
        Err(error) => {
            // A client that has already disconnected is harmless; running out of file descriptors is our problem, and
            // temporary.
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

async fn connection(stream: TcpStream, (peer, phase): (SocketAddr, Phase), served: &Served, stop: &CancellationToken) {
    // One deadline for the handshake and the first head: two would let a silent client stay twice as long.
    let first_head = Instant::now() + served.limits.head;
    if !speaks(&stream, first_head, stop).await {
        return;
    }
    // Responses are written as a whole; waiting for more would only delay them.
    drop(stream.set_nodelay(true));
    let answers = Answers::new(served, peer, phase, stop);
    match &served.tls {
        None => Box::pin(requests(stream, first_head, answers)).await,
        // A failed handshake is the client's problem: a scanner, or a browser that does not trust the certificate.
        Some(tls) => match timeout_at(first_head, tls.accept(stream)).await {
            Ok(Ok(stream)) => Box::pin(requests(stream, first_head, answers)).await,
            Ok(Err(error)) => tracing::debug!(%error, "TLS handshake failed"),
            Err(_) => tracing::debug!("TLS handshake timed out"),
        },
    }
}

/// Waits for a client's first byte; returns whether there is one. What a connection needs is made only then, so that one that stays
/// silent costs little more than its socket.
async fn speaks(stream: &TcpStream, latest: Instant, stop: &CancellationToken) -> bool {
    let mut first_byte = std::pin::pin!(timeout_at(latest, stream.readable()));
    let spoke = tokio::select! {
        spoke = first_byte.as_mut() => spoke,
        () = stop.cancelled() => timeout(FIRST_WORD, first_byte).await.flatten(),
    };
    matches!(spoke, Ok(Ok(())))
}

/// Answers the requests of one connection.
struct Answers {
    router: Router,
    limits: Limits,
    peer: SocketAddr,
    phase: Phase,
    /// Notified by each request.
    asked: Arc<Notify>,
    stop: CancellationToken,
    /// The `Keep-Alive` header: how long the connection may be idle.
    keep_alive: Option<HeaderValue>,
}

impl Answers {
    fn new(served: &Served, peer: SocketAddr, phase: Phase, stop: &CancellationToken) -> Self {
        Self {
            router: served.router.clone(),
            limits: served.limits,
            peer,
            phase,
            asked: Arc::default(),
            stop: stop.clone(),
            keep_alive: HeaderValue::from_str(&format!("timeout={}", served.limits.idle.as_secs())).ok(),
        }
    }

    fn answer(
        &self,
        request: http::Request<Incoming>,
    ) -> impl Future<Output = Result<http::Response<Watched<Body>>, Infallible>> + Send + use<> {
        self.phase.busy();
        self.asked.notify_waiters();
        let keep_alive = self.keep_alive.clone().filter(|_| wants_keep_alive(&request));
        let (router, phase, limits, peer) = (self.router.clone(), self.phase.clone(), self.limits, self.peer);
        let stop = self.stop.clone();
        async move {
            let largest = (limits.announced)(request.uri().path());
            let mut request = request.map(|body| Body::new(Paced::new(body, limits.body, largest)));
            request.extensions_mut().insert(Peer(peer));
            request.extensions_mut().insert(phase.clone());
            let mut answer = match router.oneshot(request).await {
                Ok(answer) => answer,
                Err(never) => match never {},
            };
            if ends(answer.headers()) {
                phase.leave_unread();
            } else if let Some(keep_alive) = keep_alive.filter(|_| !stop.is_cancelled()) {
                // Once the server stops, hyper closes the connection after this response, and the response must not say both.
                announce_idle_timeout(answer.headers_mut(), keep_alive);
            }
            Ok(answer.map(|body| Watched::new(body, phase)))
        }
    }
}

/// Speaks HTTP until the client or the server ends the connection.
async fn requests<S>(stream: S, first_head: Instant, answers: Answers)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (limits, phase) = (answers.limits, answers.phase.clone());
    let (asked, stop) = (Arc::clone(&answers.asked), answers.stop.clone());
    let time = TimeLimits {
        head: limits.head,
        idle: limits.idle,
        write: limits.write,
    };
    let io = Timed::new(stream, phase.clone(), first_head, time);
    let service = service_fn(move |request| answers.answer(request));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        // Our own time-out distinguishes a head that does not arrive from an idle connection.
        .header_read_timeout(None)
        .max_header_size(limits.head_bytes)
        // Enough for a head, and for a large piece of a body at a time.
        .max_buf_size(limits.head_bytes.max(64 * 1024))
        .half_close(false)
        .serve_connection(TokioIo::new(io), service);
    let mut connection = std::pin::pin!(connection);
    let outcome = tokio::select! {
        outcome = connection.as_mut() => outcome,
        // hyper's shutdown closes a connection that is at rest immediately, even if a request is in transit.
        () = stop.cancelled() => {
            let first_word = if phase.is_at_rest() { FIRST_WORD } else { Duration::ZERO };
            match timeout(first_word, until(asked.notified(), connection.as_mut())).await {
                Ok(Some(outcome)) => outcome,
                Ok(None) | Err(_) => {
                    connection.as_mut().graceful_shutdown();
                    connection.await
                }
            }
        }
    };
    if let Err(error) = outcome {
        tracing::debug!(%error, "connection ended");
    }
}

/// Whether the client intends to reuse its connection. A request in chunks is not told how long it may be idle: if it gave a length as well, hyper
/// removes that before we see it and closes the connection (RFC 9112 section 6.1), and the response must not say both.
fn wants_keep_alive(request: &http::Request<Incoming>) -> bool {
    let headers = request.headers();
    request.version() == Version::HTTP_11 && !ends(headers) && !headers.contains_key(TRANSFER_ENCODING)
}

/// Whether a message closes the connection.
fn ends(headers: &HeaderMap) -> bool {
    let mut lines = headers.get_all(CONNECTION).iter().filter_map(|line| line.to_str().ok());
    lines.any(|line| {
        line.split(',')
            .any(|option| option.trim().eq_ignore_ascii_case("close"))
    })
}

/// Announces how long the connection may be idle, so that a client does not reuse it at the moment it is closed. Node.js and
/// undici respect it (`Keep-Alive`, RFC 2068 section 19.7.1.1, as registered by draft-thomson-hybi-http-timeout).
fn announce_idle_timeout(headers: &mut HeaderMap, keep_alive: HeaderValue) {
    headers.insert(CONNECTION, HeaderValue::from_static("keep-alive"));
    headers.insert(HeaderName::from_static("keep-alive"), keep_alive);
}

/// The result of `connection`; `None` if something is `asked` first.
async fn until<T>(asked: impl Future<Output = ()>, connection: impl Future<Output = T>) -> Option<T> {
    tokio::select! {
        biased;
        () = asked => None,
        outcome = connection => Some(outcome),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edge::ForwardingHeader;
    use axum::routing::get;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    const LONG: Duration = Duration::from_secs(60);

    /// Limits with which a connection is closed as soon as it is idle.
    const RESTLESS: Limits = Limits {
        connections: 1,
        head: LONG,
        body: LONG,
        idle: Duration::ZERO,
        write: LONG,
        announced: |_| u64::MAX,
        head_bytes: 8192,
        stop: LONG,
    };

    const SIZE: usize = 256 * 1024;

    /// The same, with a client that may read nothing for half a second.
    const IMPATIENT: Limits = Limits {
        write: Duration::from_millis(500),
        ..RESTLESS
    };

    fn serving(router: Router, limits: Limits) -> Answers {
        let served = Served {
            router,
            tls: None,
            limits,
            proxies: Arc::new(Proxies {
                trusted: Vec::new(),
                header: ForwardingHeader::XForwardedFor,
            }),
            open: Gauge::default(),
        };
        let peer = SocketAddr::from(([127, 0, 0, 1], 1));
        Answers::new(&served, peer, Phase::default(), &CancellationToken::new())
    }

    /// A response that is made piece by piece, each after a rest that is longer than a client may read nothing.
    fn made_slowly() -> Router {
        let pieces = || {
            let tick = tokio::time::interval(IMPATIENT.write * 3 / 2);
            futures::stream::unfold((4, tick), async |(left, mut tick)| {
                tick.tick().await;
                let piece = Ok::<_, Infallible>(vec![b'a'; 100]);
                (left > 0).then(|| (piece, (left - 1, tick)))
            })
        };
        Router::new().route("/", get(async move || Body::from_stream(pieces())))
    }

    #[tokio::test]
    async fn a_client_that_reads_next_to_nothing_is_left_and_one_that_reads_what_there_is_is_served() {
        let picture = Router::new().route("/", get(async || vec![b'a'; SIZE]));
        let (mut client, stream) = tokio::io::duplex(512);
        client.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
        let answers = serving(picture, IMPATIENT);
        let trickling = async {
            let mut tick = tokio::time::interval(IMPATIENT.write / 10);
            let mut read = 0;
            while client.read(&mut [0; 16]).await.unwrap() > 0 {
                read += 16;
                tick.tick().await;
            }
            read
        };
        let both = futures::future::join(requests(stream, Instant::now() + LONG, answers), trickling);
        let ((), read) = timeout(LONG, both).await.expect("it is served for as long as it likes");
        assert!(read < SIZE, "{read}");

        let (mut client, stream) = tokio::io::duplex(512);
        client.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
        let answers = serving(made_slowly(), IMPATIENT);
        let mut bytes = Vec::new();
        let read = client.read_to_end(&mut bytes);
        let both = futures::future::join(requests(stream, Instant::now() + LONG, answers), read);
        timeout(LONG, both).await.unwrap().1.unwrap();
        assert!(bytes.ends_with(b"0\r\n\r\n"), "{}", String::from_utf8_lossy(&bytes));
    }

    /// A picture is one frame, which hyper takes at once and writes as fast as the client reads.
    #[tokio::test]
    async fn a_response_that_is_read_slowly_arrives_whole_and_the_connection_is_idle_only_then() {
        let picture = Router::new().route("/", get(async || vec![b'a'; SIZE]));
        let answers = serving(picture, RESTLESS);
        // No more than this is on its way at a time.
        let (mut client, stream) = tokio::io::duplex(512);
        client.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
        let read = async {
            let mut bytes = Vec::new();
            client.read_to_end(&mut bytes).await.unwrap();
            bytes
        };
        let both = futures::future::join(requests(stream, Instant::now() + LONG, answers), read);
        let ((), bytes) = timeout(LONG, both).await.unwrap();
        assert!(bytes.starts_with(b"HTTP/1.1 200 OK\r\n"));
        assert!(
            bytes.iter().filter(|byte| **byte == b'a').count() >= SIZE,
            "{}",
            bytes.len()
        );
    }
}
