//! A minimal HTTP client that can use any loopback address, optionally throttled.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpSocket, TcpStream},
    time::{Instant, sleep_until},
};

/// How often a throttled connection sends.
const TICK: Duration = Duration::from_millis(100);

/// A response.
pub(crate) struct Answer {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Answer {
    fn parse(bytes: &[u8]) -> io::Result<Self> {
        let text = String::from_utf8_lossy(bytes);
        let (head, body) = text.split_once("\r\n\r\n").ok_or(io::ErrorKind::UnexpectedEof)?;
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        Ok(Self {
            status: status.ok_or(io::ErrorKind::InvalidData)?,
            head: head.to_owned(),
            body: body.to_owned(),
        })
    }

    /// Every value of a header.
    pub(crate) fn headers<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.head
            .lines()
            .filter_map(move |line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

pub(crate) async fn connect(to: SocketAddr, from: Ipv4Addr) -> io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.bind((from, 0).into())?;
    let stream = socket.connect(to).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// One request on a new connection, sent at this many bytes per second if limited.
pub(crate) async fn call(
    to: SocketAddr,
    from: Ipv4Addr,
    head: &str,
    body: &[u8],
    bytes_per_second: Option<usize>,
) -> io::Result<Answer> {
    let (mut read, mut write) = connect(to, from).await?.into_split();
    let message = [head.as_bytes(), body].concat();
    let sending = async move {
        let piece = bytes_per_second.map_or(message.len(), |rate| rate / 10);
        let mut next = Instant::now();
        for piece in message.chunks(piece.max(1)) {
            sleep_until(next).await;
            // It may have been refused already; the response says so.
            if write.write_all(piece).await.is_err() {
                break;
            }
            // Time lost to back-pressure is not made up for.
            next = (next + TICK).max(Instant::now());
        }
        write
    };
    let reading = async move {
        let mut bytes = Vec::new();
        read.read_to_end(&mut bytes).await.map(|_| bytes)
    };
    let (_write, bytes) = tokio::join!(sending, reading);
    Answer::parse(&bytes?)
}
