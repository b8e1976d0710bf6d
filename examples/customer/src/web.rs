//! The minimal HTTP and TLS that the example needs: a client for Honnin and a receiver for its webhooks.

use crate::Result;
use bytes::Bytes;
use http::{HeaderValue, Request, Response, StatusCode, Uri, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper::{body::Incoming, service::service_fn};
use hyper_util::rt::TokioIo;
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use rustls_pki_types::{CertificateDer, PrivateKeyDer, ServerName, pem::PemObject};
use serde_json::Value;
use standardwebhooks::Webhook;
use std::{
    convert::Infallible,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    sync::{mpsc, oneshot},
};
use tokio_rustls::{TlsAcceptor, TlsConnector};

/// No event is larger than this.
const LARGEST_EVENT: usize = 64 * 1024;

trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}
impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

/// A client of Honnin's API.
pub(crate) struct Client {
    base: Uri,
    key: String,
    tls: TlsConnector,
}

impl Client {
    pub(crate) fn new(base: &str, key: &str, trust: Option<&Path>) -> Result<Self> {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if let Some(path) = trust {
            roots.add(CertificateDer::from_pem_file(path)?)?;
        }
        let tls = ClientConfig::builder()
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self {
            base: base.parse()?,
            key: key.to_owned(),
            tls: TlsConnector::from(Arc::new(tls)),
        })
    }

    /// Calls the API; any response but a success is an error.
    pub(crate) async fn call(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value> {
        let host = self.base.host().ok_or("--base has no host")?;
        let is_https = self.base.scheme_str() == Some("https");
        let port = self.base.port_u16().unwrap_or(if is_https { 443 } else { 80 });
        let tcp = TcpStream::connect((host, port)).await?;
        let stream: Box<dyn Stream> = if is_https {
            Box::new(self.tls.connect(ServerName::try_from(host.to_owned())?, tcp).await?)
        } else {
            Box::new(tcp)
        };
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::HOST, format!("{host}:{port}"))
            .header(header::AUTHORIZATION, format!("Bearer {}", self.key))
            .header(header::CONTENT_TYPE, "application/json")
            .body(Full::new(Bytes::from(body.map(Value::to_string).unwrap_or_default())))?;
        let answer = sender.send_request(request).await?;
        let status = answer.status();
        let bytes = answer.into_body().collect().await?.to_bytes();
        if !status.is_success() {
            // Errors of this API carry no personal data, so they may be shown.
            return Err(format!("{method} {path}: {status} {}", String::from_utf8_lossy(&bytes)).into());
        }
        Ok(serde_json::from_slice(&bytes)?)
    }
}

/// The receiver's certificate and key.
pub(crate) struct Certificate {
    pub(crate) path: PathBuf,
    key: PathBuf,
}

impl Certificate {
    /// Loads the one in the folder, or creates it.
    pub(crate) fn in_folder(folder: &Path) -> Result<Self> {
        let found = Self {
            path: folder.join("customer.pem"),
            key: folder.join("customer.key"),
        };
        if !found.path.exists() || !found.key.exists() {
            fs::create_dir_all(folder)?;
            let made = rcgen::generate_simple_self_signed(["localhost".to_owned(), "127.0.0.1".to_owned()])?;
            fs::write(&found.key, made.signing_key.serialize_pem())?;
            fs::write(&found.path, made.cert.pem())?;
        }
        Ok(found)
    }

    pub(crate) fn acceptor(&self) -> Result<TlsAcceptor> {
        let chain = vec![CertificateDer::from_pem_file(&self.path)?];
        let config = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(chain, PrivateKeyDer::from_pem_file(&self.key)?)?;
        Ok(TlsAcceptor::from(Arc::new(config)))
    }
}

/// A webhook with a valid signature.
pub(crate) struct Delivery {
    pub(crate) body: Bytes,
    processed: oneshot::Sender<()>,
}

impl Delivery {
    /// Reports that the event was processed, so that the response is a success.
    pub(crate) fn accept(self) {
        // If nobody is waiting any more, the event is delivered again and recognised.
        let _ = self.processed.send(());
    }
}

/// Receives webhooks until aborted.
pub(crate) async fn receive(listener: TcpListener, tls: TlsAcceptor, judge: Webhook, to: mpsc::Sender<Delivery>) {
    let judge = Arc::new(judge);
    while let Ok((tcp, _)) = listener.accept().await {
        let (tls, judge, to) = (tls.clone(), judge.clone(), to.clone());
        tokio::spawn(async move {
            let Ok(stream) = tls.accept(tcp).await else { return };
            let service = service_fn(move |request| {
                let (judge, to) = (judge.clone(), to.clone());
                async move {
                    let mut answer = Response::new(Full::new(Bytes::new()));
                    answer
                        .headers_mut()
                        .insert(header::CONNECTION, HeaderValue::from_static("close"));
                    *answer.status_mut() = answer_to(request, &judge, &to).await;
                    Ok::<_, Infallible>(answer)
                }
            });
            // If a connection breaks, the sender retries.
            let _ = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

/// Verifies the signature over the raw bytes, then waits until the event was processed.
async fn answer_to(request: Request<Incoming>, judge: &Webhook, to: &mpsc::Sender<Delivery>) -> StatusCode {
    let (head, body) = request.into_parts();
    let Ok(body) = Limited::new(body, LARGEST_EVENT).collect().await else {
        return StatusCode::BAD_REQUEST;
    };
    let body = body.to_bytes();
    if judge.verify(&body, &head.headers).is_err() {
        return StatusCode::BAD_REQUEST;
    }
    let (processed, done) = oneshot::channel();
    if to.send(Delivery { body, processed }).await.is_err() || done.await.is_err() {
        return StatusCode::SERVICE_UNAVAILABLE;
    }
    StatusCode::NO_CONTENT
}
