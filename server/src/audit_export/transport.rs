//! How syslog messages are transported: datagrams to a local socket, or a connection with counted octets (RFC 5425, RFC 6587).

use async_trait::async_trait;
use futures::FutureExt as _;
use rustls_pki_types::ServerName;
use service::audit_export::SinkError;
use std::path::PathBuf;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::{TcpStream, UnixDatagram},
};
use tokio_rustls::TlsConnector;

/// A way to a syslog server.
#[async_trait]
pub(super) trait Transport: Send {
    /// Sends messages.
    ///
    /// # Errors
    /// If it is uncertain whether all of them arrived.
    async fn send(&mut self, messages: Vec<String>) -> Result<(), SinkError>;
}

/// A local socket such as `/dev/log`.
pub(super) struct Datagrams {
    path: PathBuf,
}

impl Datagrams {
    pub(super) const fn new(path: PathBuf) -> Self {
        Self { path }
    }
}

#[async_trait]
impl Transport for Datagrams {
    async fn send(&mut self, messages: Vec<String>) -> Result<(), SinkError> {
        let socket = UnixDatagram::unbound()?;
        for message in messages {
            let sent = socket.send_to(message.as_bytes(), &self.path).await;
            sent.map_err(|error| format!("{}: {error}", self.path.display()))?;
        }
        Ok(())
    }
}

trait Duplex: AsyncRead + AsyncWrite + Unpin + Send {}
impl<S: AsyncRead + AsyncWrite + Unpin + Send> Duplex for S {}

/// A connection. Syslog servers confirm nothing: what was written just before a connection broke may be lost. So a new connection begins with
/// the messages that were sent last on the one before.
pub(super) struct Stream {
    /// Host and port.
    to: (String, u16),
    tls: Option<TlsConnector>,
    connection: Option<Box<dyn Duplex>>,
    sent_last: Vec<u8>,
}

impl Stream {
    pub(super) fn new(to: (String, u16), tls: Option<TlsConnector>) -> Self {
        Self {
            to,
            tls,
            connection: None,
            sent_last: Vec::new(),
        }
    }

    async fn connect(&mut self) -> Result<Box<dyn Duplex>, SinkError> {
        let (host, port) = &self.to;
        let tcp = TcpStream::connect((host.as_str(), *port)).await;
        let tcp = tcp.map_err(|error| format!("{host}:{port}: {error}"))?;
        Ok(match &self.tls {
            None => Box::new(tcp),
            Some(tls) => {
                let connected = tls.connect(ServerName::try_from(host.clone())?, tcp).await;
                Box::new(connected.map_err(|error| format!("{host}:{port}: {error}"))?)
            }
        })
    }

    async fn deliver(&mut self, frames: &[u8]) -> Result<(), SinkError> {
        if self.connection.as_mut().is_some_and(is_closed) {
            self.connection = None;
        }
        let mut connection = match self.connection.take() {
            Some(open) => open,
            None => {
                let mut new = self.connect().await?;
                new.write_all(&self.sent_last).await?;
                new
            }
        };
        connection.write_all(frames).await?;
        connection.flush().await?;
        if is_closed(&mut connection) {
            return Err("the connection was closed".into());
        }
        self.connection = Some(connection);
        Ok(())
    }
}

/// Whether the other side has closed the connection, as far as that has arrived here. Nothing is expected from it.
fn is_closed(connection: &mut Box<dyn Duplex>) -> bool {
    let mut unexpected = [0; 256];
    loop {
        match connection.read(&mut unexpected).now_or_never() {
            None => return false,
            Some(Ok(0) | Err(_)) => return true,
            Some(Ok(_)) => {}
        }
    }
}

#[async_trait]
impl Transport for Stream {
    async fn send(&mut self, messages: Vec<String>) -> Result<(), SinkError> {
        let mut frames = Vec::new();
        for message in messages {
            frames.extend_from_slice(format!("{} {message}", message.len()).as_bytes());
        }
        // After a failure, or a time-out at any of the waits in it, there is no connection any more.
        self.deliver(&frames).await?;
        self.sent_last = frames;
        Ok(())
    }
}
