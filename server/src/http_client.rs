//! A minimal HTTP client for addresses that the operator gave: of `honnin listen`, of the key service and of the OpenID provider. One
//! request for each connection; no redirects. Webhooks have a client of their own, in `service`, because tenants choose their addresses.

use bytes::Bytes;
use http::{
    Request, Response,
    header::{CONNECTION, HOST},
};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper_util::rt::TokioIo;
use rustls_pki_types::{CertificateDer, ServerName, pem::PemObject as _};
use std::{error::Error, path::Path, sync::Arc, time::Duration};
use store::{dial, tls};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::TlsConnector;
use tokio_util::task::AbortOnDropHandle;
use url::Url;

/// Time-out of a whole exchange, as for webhooks.
const TIME_LIMIT: Duration = Duration::from_secs(15);
/// The largest response. A page of events is smaller.
const LARGEST: usize = 8 * 1024 * 1024;

/// Why there is no response; its text is meant for people.
pub(crate) type ClientError = Box<dyn Error + Send + Sync>;

trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}
impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

/// A client that trusts the system's certificate authorities, and those of a file if given.
pub(crate) struct Client {
    tls: TlsConnector,
    time_limit: Duration,
    largest: usize,
}

impl Client {
    pub(crate) fn new(ca_file: Option<&Path>) -> Result<Self, ClientError> {
        Ok(Self {
            tls: trust(ca_file, &[b"http/1.1"])?,
            time_limit: TIME_LIMIT,
            largest: LARGEST,
        })
    }

    /// With another time-out of a whole exchange, and another size of the largest response in bytes.
    pub(crate) fn limited(self, time_limit: Duration, largest: usize) -> Self {
        Self {
            time_limit,
            largest,
            ..self
        }
    }

    /// Sends a request to `url` and returns the response. Redirects are not followed.
    pub(crate) async fn send(
        &self,
        method: &str,
        url: &Url,
        headers: &[(&str, impl AsRef<str>)],
        body: Vec<u8>,
    ) -> Result<Response<Bytes>, ClientError> {
        let exchange = self.exchange(method, url, headers, body);
        timeout(self.time_limit, exchange)
            .await
            .map_err(|_| format!("no response within {} s", self.time_limit.as_secs()))?
    }

    async fn exchange(
        &self,
        method: &str,
        url: &Url,
        headers: &[(&str, impl AsRef<str>)],
        body: Vec<u8>,
    ) -> Result<Response<Bytes>, ClientError> {
        let (host, port) = (
            url.host_str().unwrap_or_default(),
            url.port_or_known_default().unwrap_or(80),
        );
        let bare = host.trim_matches(['[', ']']);
        let tcp = dial::host((bare, port), self.time_limit, TcpStream::connect).await?;
        let stream: Box<dyn Stream> = if url.scheme() == "https" {
            Box::new(self.tls.connect(ServerName::try_from(bare.to_owned())?, tcp).await?)
        } else {
            Box::new(tcp)
        };
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
        // Ends with this exchange, however that ends.
        let _connection = AbortOnDropHandle::new(tokio::spawn(connection));
        let target = url
            .query()
            .map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()));
        let mut request = Request::builder().method(method).uri(target);
        let authority = url
            .port()
            .map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
        request = request.header(HOST, authority).header(CONNECTION, "close");
        for (name, value) in headers.iter().filter(|(name, _)| *name != "connection") {
            request = request.header(*name, value.as_ref());
        }
        let response = sender.send_request(request.body(Full::new(Bytes::from(body)))?).await?;
        let (head, body) = response.into_parts();
        let body = Limited::new(body, self.largest).collect().await?.to_bytes();
        Ok(Response::from_parts(head, body))
    }
}

/// All certificates of a PEM file.
///
/// # Errors
/// If it cannot be read, or has none.
pub(crate) fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let found = CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| error.to_string())?;
    if found.is_empty() {
        return Err("contains no certificate".to_owned());
    }
    Ok(found)
}

/// A TLS client that trusts the system's certificate authorities, and those of `ca_file`, and offers the protocols `alpn`.
///
/// # Errors
/// If `ca_file` cannot be read.
pub(crate) fn trust(ca_file: Option<&Path>, alpn: &[&[u8]]) -> Result<TlsConnector, ClientError> {
    let mut roots = tls::system_roots();
    if let Some(path) = ca_file {
        let unreadable = |error: &dyn std::fmt::Display| format!("cannot read {}: {error}", path.display());
        for authority in certificates(path).map_err(|error| unreadable(&error))? {
            roots.add(authority).map_err(|error| unreadable(&error))?;
        }
    }
    Ok(TlsConnector::from(Arc::new(tls::client(roots, alpn)?)))
}
