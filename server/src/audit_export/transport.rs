//! How syslog messages are transported: datagrams to a local socket, or a connection with counted octets (RFC 5425, RFC 6587).

use async_trait::async_trait;
use futures::FutureExt as _;
use rustix::net::sockopt;
use rustls_pki_types::ServerName;
use service::audit_export::SinkError;
use std::{path::PathBuf, time::Duration};
use store::dial;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::{TcpStream, UnixDatagram},
};
use tokio_rustls::{TlsConnector, client::TlsStream};

/// Time-out of connecting, to whichever of the server's addresses answers: it leaves time for handing entries over.
const CONNECT: Duration = Duration::from_secs(10);
/// A connection breaks when the other side has acknowledged nothing for this long, whether something was sent or not.
const UNACKNOWLEDGED: Duration = Duration::from_secs(15);
/// How often a silent connection is tried within that time.
const PROBE: Duration = Duration::from_secs(5);

/// A way to a syslog server.
#[async_trait]
pub(super) trait Transport: Send {
    /// See [`Sink::connect`](service::audit_export::Sink::connect).
    async fn connect(&mut self) -> Result<bool, SinkError> {
        Ok(false)
    }

    /// See [`Sink::disconnect`](service::audit_export::Sink::disconnect).
    fn disconnect(&mut self) {}

    /// See [`Sink::is_cut_off`](service::audit_export::Sink::is_cut_off).
    fn is_cut_off(&mut self) -> bool {
        false
    }

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

trait Duplex: AsyncRead + AsyncWrite + Unpin + Send {
    /// Its socket.
    #[cfg(test)]
    fn socket(&self) -> &TcpStream;
}

impl Duplex for TcpStream {
    #[cfg(test)]
    fn socket(&self) -> &TcpStream {
        self
    }
}

impl Duplex for TlsStream<TcpStream> {
    #[cfg(test)]
    fn socket(&self) -> &TcpStream {
        self.get_ref().0
    }
}

/// A connection. Syslog servers confirm nothing: what was written before a connection broke may be lost.
pub(super) struct Stream {
    /// Host and port.
    to: (String, u16),
    tls: Option<TlsConnector>,
    connection: Option<Box<dyn Duplex>>,
}

impl Stream {
    pub(super) fn new(to: (String, u16), tls: Option<TlsConnector>) -> Self {
        Self {
            to,
            tls,
            connection: None,
        }
    }

    async fn open(&mut self) -> Result<Box<dyn Duplex>, SinkError> {
        let (host, port) = &self.to;
        let tcp = dial::host((host.as_str(), *port), CONNECT, TcpStream::connect).await;
        let tcp = tcp.map_err(|error| format!("{host}:{port}: {error}"))?;
        give_up_soon(&tcp)?;
        Ok(match &self.tls {
            None => Box::new(tcp),
            Some(tls) => {
                let connected = tls.connect(ServerName::try_from(host.clone())?, tcp).await;
                Box::new(connected.map_err(|error| format!("{host}:{port}: {error}"))?)
            }
        })
    }
}

/// Lets a connection break that leads nowhere. Otherwise, it would take what is written to it for a quarter of an hour or longer, and all of that
/// would be lost.
fn give_up_soon(tcp: &TcpStream) -> rustix::io::Result<()> {
    let millis = u32::try_from(UNACKNOWLEDGED.as_millis()).unwrap_or(u32::MAX);
    sockopt::set_tcp_user_timeout(tcp, millis)?;
    sockopt::set_socket_keepalive(tcp, true)?;
    sockopt::set_tcp_keepidle(tcp, PROBE)?;
    sockopt::set_tcp_keepintvl(tcp, PROBE)
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
    async fn connect(&mut self) -> Result<bool, SinkError> {
        if self.is_cut_off() {
            self.connection = None;
        }
        if self.connection.is_some() {
            return Ok(false);
        }
        self.connection = Some(self.open().await?);
        Ok(true)
    }

    fn disconnect(&mut self) {
        self.connection = None;
    }

    fn is_cut_off(&mut self) -> bool {
        self.connection.as_mut().is_some_and(is_closed)
    }

    async fn send(&mut self, messages: Vec<String>) -> Result<(), SinkError> {
        let mut frames = Vec::new();
        for message in messages {
            frames.extend_from_slice(format!("{} {message}", message.len()).as_bytes());
        }
        // After a failure, or a time-out at any of the waits, there is no connection any more.
        let mut connection = self.connection.take().ok_or("there is no connection")?;
        connection.write_all(&frames).await?;
        connection.flush().await?;
        if is_closed(&mut connection) {
            return Err("the connection was closed".into());
        }
        self.connection = Some(connection);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::net::TcpListener;

    #[tokio::test]
    async fn a_connection_breaks_when_nothing_is_acknowledged_for_15_seconds() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut stream = Stream::new((address.ip().to_string(), address.port()), None);
        let connection = stream.open().await.unwrap();
        let tcp = connection.socket();
        assert_eq!(sockopt::tcp_user_timeout(tcp).unwrap(), 15_000);
        assert!(sockopt::socket_keepalive(tcp).unwrap());
        assert_eq!(sockopt::tcp_keepidle(tcp).unwrap(), PROBE);
        assert_eq!(sockopt::tcp_keepintvl(tcp).unwrap(), PROBE);
    }

    #[tokio::test]
    async fn a_connection_that_the_other_side_has_closed_is_replaced_by_a_new_one() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut stream = Stream::new((address.ip().to_string(), address.port()), None);
        assert!(stream.send(vec!["lost".into()]).await.is_err(), "not connected");
        assert!(stream.connect().await.unwrap());
        let (mut first, _) = listener.accept().await.unwrap();
        assert!(!stream.connect().await.unwrap() && !stream.is_cut_off());
        stream.send(vec!["one".into(), "two".into()]).await.unwrap();
        let mut received = [0; 10];
        first.read_exact(&mut received).await.unwrap();
        assert_eq!(&received, b"3 one3 two");
        drop(first);
        while !stream.is_cut_off() {
            tokio::task::yield_now().await;
        }
        assert!(stream.connect().await.unwrap() && !stream.is_cut_off());
    }
}
