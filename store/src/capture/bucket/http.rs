//! The connections to the S3 server: hyper's client with its pool, over TLS with the same cryptography as everything else. The object
//! store's own client would bring a second TLS stack.

use crate::{dial, tls};
use async_trait::async_trait;
use bytes::Bytes;
use http::Uri;
use http_body::{Body, Frame, SizeHint};
use hyper_util::{
    client::legacy::{
        self, Client,
        connect::{Connected, Connection},
    },
    rt::{TokioExecutor, TokioIo, TokioTimer},
};
use object_store::{
    ClientConfigKey, ClientOptions,
    client::{
        HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody, HttpResponse,
        HttpResponseBody, HttpService,
    },
};
use rustls_pki_types::{CertificateDer, ServerName};
use std::{
    fmt,
    future::{Pending, pending},
    io,
    net::SocketAddr,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpSocket, TcpStream},
    sync::Notify,
    time::{Timeout, error::Elapsed, timeout},
};
use tokio_rustls::TlsConnector;

/// Time-out for resolving the name, connecting, and the TLS handshake.
const CONNECT: Duration = Duration::from_secs(5);
/// So many bytes of a request count as progress.
const PIECE: usize = 64 << 10;
/// Bytes of a request that the system may hold: it would take megabytes, which say nothing of the server.
const SEND_BUFFER: u32 = 256 << 10;
/// How long an idle connection is kept: less than S3 servers do.
const IDLE: Duration = Duration::from_secs(15);

/// How long a server is waited for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timeouts {
    /// While something is sent or received, without any progress, and for the answer to a request without a body.
    pub(super) silence: Duration,
    /// For the answer to a request once all of its body was handed over: some of it is still on its way, and has to be stored.
    pub(super) answer: Duration,
}

/// Makes the client of one bucket.
#[derive(Clone)]
pub(super) struct Connector {
    tls: TlsConnector,
    timeouts: Timeouts,
    /// Whether it may also connect without TLS.
    is_http_allowed: bool,
}

impl Connector {
    /// Trusts the system's certificate authorities and `extra_roots`. A request fails when the server has made no progress for too long,
    /// however long all of it takes.
    pub(super) fn new(
        extra_roots: &[CertificateDer<'static>],
        timeouts: Timeouts,
    ) -> Result<Self, object_store::Error> {
        let mut roots = tls::system_roots();
        for root in extra_roots {
            roots.add(root.clone()).map_err(fault)?;
        }
        let config = tls::client(roots, &[b"http/1.1"]).map_err(fault)?;
        Ok(Self {
            tls: TlsConnector::from(Arc::new(config)),
            timeouts,
            is_http_allowed: false,
        })
    }
}

fn fault(source: impl std::error::Error + Send + Sync + 'static) -> object_store::Error {
    object_store::Error::Generic {
        store: "S3",
        source: Box::new(source),
    }
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Connector")
    }
}

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let allowed = options.get_config_value(&ClientConfigKey::AllowHttp);
        let connector = Self {
            is_http_allowed: allowed.is_some_and(|allowed| allowed == "true"),
            ..self.clone()
        };
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE)
            .build(connector);
        Ok(HttpClient::new(Http {
            client,
            timeouts: self.timeouts,
        }))
    }
}

#[derive(Debug)]
struct Http {
    client: Client<Connector, Sending>,
    timeouts: Timeouts,
}

#[async_trait]
impl HttpService for Http {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let taken = Arc::new(Taken::default());
        let request = request.map(|body| Sending::new(body, Arc::clone(&taken)));
        let mut answer = self.client.request(request);
        let answer = loop {
            let limit = if taken.is_whole() {
                self.timeouts.answer
            } else {
                self.timeouts.silence
            };
            tokio::select! {
                answer = &mut answer => break answer.map_err(of_client)?,
                progress = timeout(limit, taken.more.notified()) => progress.map_err(silent)?,
            }
        };
        let (head, body) = answer.into_parts();
        let body = Receiving::new(body, self.timeouts.silence);
        Ok(HttpResponse::from_parts(head, HttpResponseBody::new(body)))
    }
}

fn silent(late: Elapsed) -> HttpError {
    HttpError::new(HttpErrorKind::Timeout, late)
}

/// How much of a request's body was taken.
#[derive(Debug, Default)]
struct Taken {
    more: Notify,
    whole: AtomicBool,
}

impl Taken {
    /// Whether there was a body, and all of it was taken.
    fn is_whole(&self) -> bool {
        self.whole.load(Ordering::Acquire)
    }
}

/// The body of a request in pieces, of which each is noted when it is asked for: then those before have been taken.
#[derive(Debug)]
struct Sending {
    whole: HttpRequestBody,
    rest: Bytes,
    taken: Arc<Taken>,
}

impl Sending {
    fn new(whole: HttpRequestBody, taken: Arc<Taken>) -> Self {
        let rest = Bytes::new();
        Self { whole, rest, taken }
    }
}

impl Body for Sending {
    type Data = Bytes;
    type Error = HttpError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, HttpError>>> {
        self.taken.more.notify_one();
        while self.rest.is_empty() {
            match ready!(Pin::new(&mut self.whole).poll_frame(context)).transpose()? {
                Some(frame) => match frame.into_data() {
                    Ok(data) => self.rest = data,
                    Err(other) => return Poll::Ready(Some(Ok(other))),
                },
                None => return Poll::Ready(None),
            }
        }
        let length = self.rest.len().min(PIECE);
        let piece = self.rest.split_to(length);
        // After the last attempt, there is no retry.
        if self.is_end_stream() {
            self.taken.whole.store(true, Ordering::Release);
            self.taken.more.notify_one();
        }
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.whole.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let inner = self.whole.size_hint();
        inner
            .exact()
            .map_or(inner, |length| SizeHint::with_exact(length + self.rest.len() as u64))
    }
}

/// The body of an answer, which fails when somebody has waited for too long and nothing of it has come.
struct Receiving<B> {
    body: B,
    silence: Duration,
    /// Begins when somebody waits: a piece that takes long to be written to a disk is no silence of the server's.
    limit: Option<Pin<Box<Timeout<Pending<()>>>>>,
}

impl<B> Receiving<B> {
    fn new(body: B, silence: Duration) -> Self {
        Self {
            body,
            silence,
            limit: None,
        }
    }
}

impl<B> Body for Receiving<B>
where
    B: Body<Data = Bytes, Error: std::error::Error + Send + Sync + 'static> + Unpin,
{
    type Data = Bytes;
    type Error = HttpError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, HttpError>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            self.limit = None;
            let interrupted = |error| HttpError::new(HttpErrorKind::Interrupted, error);
            return Poll::Ready(frame.map(|frame| frame.map_err(interrupted)));
        }
        let silence = self.silence;
        let limit = self.limit.get_or_insert_with(|| Box::pin(timeout(silence, pending())));
        let ended = ready!(limit.as_mut().poll(context));
        Poll::Ready(ended.err().map(|late| Err(silent(late))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

fn of_client(error: legacy::Error) -> HttpError {
    let kind = if error.is_connect() {
        HttpErrorKind::Connect
    } else {
        HttpErrorKind::Interrupted
    };
    HttpError::new(kind, error)
}

impl tower::Service<Uri> for Connector {
    type Response = TokioIo<Stream>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<TokioIo<Stream>>> + Send>>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let connector = self.clone();
        Box::pin(async move {
            let connected = timeout(CONNECT, connect(connector, uri)).await;
            connected
                .map_err(|_| io::Error::from(io::ErrorKind::TimedOut))?
                .map(TokioIo::new)
        })
    }
}

async fn connect(connector: Connector, uri: Uri) -> io::Result<Stream> {
    let is_tls = uri.scheme_str() == Some("https");
    if !is_tls && !connector.is_http_allowed {
        return Err(io::Error::other("this address must begin with https:"));
    }
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    let port = uri.port_u16().unwrap_or(if is_tls { 443 } else { 80 });
    let tcp = dial::host((host, port), CONNECT, connect_at).await?;
    if !is_tls {
        return Ok(Stream(Box::new(tcp)));
    }
    let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
    Ok(Stream(Box::new(connector.tls.connect(name, tcp).await?)))
}

async fn connect_at(address: SocketAddr) -> io::Result<TcpStream> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    socket.set_send_buffer_size(SEND_BUFFER)?;
    socket.set_nodelay(true)?;
    socket.connect(address).await
}

trait Io: AsyncRead + AsyncWrite + Unpin + Send {}
impl<S: AsyncRead + AsyncWrite + Unpin + Send> Io for S {}

/// A connection, with TLS or without.
pub(super) struct Stream(Box<dyn Io>);

impl Connection for Stream {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for Stream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
