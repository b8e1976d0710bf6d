//! A webhook receiver: a real TLS server on loopback that records everything it gets and answers as scripted, correctly or not.

use crate::authority;
use http::{HeaderMap, HeaderName, HeaderValue};
use std::{
    collections::VecDeque,
    net::IpAddr,
    sync::{Arc, Mutex},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::Notify,
    task::JoinHandle,
};
use tokio_rustls::{TlsAcceptor, server::TlsStream};

/// The name in the receivers' certificates.
pub const HOST: &str = "hooks.example";

/// What the receiver does with a request.
#[derive(Clone, Debug)]
pub enum Reply {
    /// A status line and an empty body.
    Status(u16),
    /// A status line and an empty body, once somebody notifies it.
    Held(u16, Arc<Notify>),
    /// A status line and one header.
    Header(u16, &'static str, String),
    /// These bytes literally, then the end of the connection.
    Raw(&'static str),
    /// A status line and a body without end.
    EndlessBody(u16),
    /// A status line and headers without end.
    EndlessHeaders,
    /// One interim response after the other.
    EndlessInterim,
    /// One byte, then nothing.
    OneByte,
    /// Nothing at all, and the connection stays open.
    Silence,
    /// The connection is closed without an answer.
    Close,
    /// The connection is closed before TLS has begun.
    CloseBeforeTls,
    /// Nothing instead of a TLS handshake.
    SilenceBeforeTls,
    /// Plain HTTP instead of TLS.
    NoTls,
}

/// A request that came in.
#[derive(Clone, Debug)]
pub struct Received {
    pub line: String,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Received {
    pub fn header(&self, name: &str) -> &str {
        self.headers[name].to_str().unwrap()
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

#[derive(Default)]
struct Books {
    replies: Mutex<VecDeque<Reply>>,
    received: Mutex<Vec<Received>>,
    destinations: Mutex<Vec<IpAddr>>,
    came_in: Notify,
}

/// A running receiver; it ends when dropped.
pub struct Receiver {
    pub port: u16,
    books: Arc<Books>,
    task: JoinHandle<()>,
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Receiver {
    /// Answers 200 unless scripted otherwise.
    pub async fn start() -> Self {
        Self::with(authority::acceptor(&[HOST, "other.example"], true)).await
    }

    /// With a given certificate.
    pub async fn with(tls: TlsAcceptor) -> Self {
        Self::at("127.0.0.1:0", tls).await
    }

    /// At a given address.
    pub async fn at(address: &str, tls: TlsAcceptor) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let books = Arc::new(Books::default());
        let task = tokio::spawn(serve(listener, tls, Arc::clone(&books)));
        Self { port, books, task }
    }

    /// Its address as an admin registers it.
    pub fn url(&self) -> String {
        format!("https://{HOST}:{}/hooks?from=honnin", self.port)
    }

    /// The answers to the next requests; after the last one, 200.
    pub fn reply(&self, replies: impl IntoIterator<Item = Reply>) {
        self.books.replies.lock().unwrap().extend(replies);
    }

    /// Everything that came in so far.
    pub fn received(&self) -> Vec<Received> {
        self.books.received.lock().unwrap().clone()
    }

    /// The events of the requests received, in their order.
    pub fn ids(&self) -> Vec<String> {
        let received = self.received();
        received.iter().map(|one| one.header("webhook-id").to_owned()).collect()
    }

    /// How many requests came in so far.
    pub fn count(&self) -> usize {
        self.books.received.lock().unwrap().len()
    }

    /// Returns when `count` requests have come in.
    pub async fn wait_for(&self, count: usize) {
        while self.count() < count {
            self.books.came_in.notified().await;
        }
    }

    /// TCP connections that came in so far.
    pub fn connections(&self) -> usize {
        self.destinations().len()
    }

    /// The addresses they were meant for, in order.
    pub fn destinations(&self) -> Vec<IpAddr> {
        self.books.destinations.lock().unwrap().clone()
    }
}

async fn serve(listener: TcpListener, tls: TlsAcceptor, books: Arc<Books>) {
    // Connections end with the receiver.
    let mut connections = tokio::task::JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        // A connection that is gone already counts nevertheless.
        let meant = stream
            .local_addr()
            .map_or(IpAddr::from([0, 0, 0, 0]), |address| address.ip().to_canonical());
        books.destinations.lock().unwrap().push(meant);
        connections.spawn(one(stream, tls.clone(), Arc::clone(&books)));
    }
}

async fn one(mut stream: TcpStream, tls: TlsAcceptor, books: Arc<Books>) {
    let reply = books.replies.lock().unwrap().pop_front().unwrap_or(Reply::Status(200));
    match reply {
        Reply::CloseBeforeTls => return,
        Reply::SilenceBeforeTls => std::future::pending().await,
        Reply::NoTls => {
            drop(stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await);
            return;
        }
        _ => {}
    }
    let Ok(mut stream) = tls.accept(stream).await else {
        return;
    };
    let Some(received) = read(&mut stream).await else {
        return;
    };
    books.received.lock().unwrap().push(received);
    books.came_in.notify_one();
    // The sender disconnects as soon as it knows enough, so writing may fail.
    drop(answer(&mut stream, reply).await);
}

async fn answer(stream: &mut TlsStream<TcpStream>, reply: Reply) -> std::io::Result<()> {
    match reply {
        Reply::Status(status) => empty(stream, status).await?,
        Reply::Held(status, told) => {
            told.notified().await;
            empty(stream, status).await?;
        }
        Reply::Header(status, name, value) => {
            let text = format!("HTTP/1.1 {status} Whatever\r\n{name}: {value}\r\ncontent-length: 0\r\n\r\n");
            stream.write_all(text.as_bytes()).await?;
        }
        Reply::Raw(text) => stream.write_all(text.as_bytes()).await?,
        Reply::EndlessBody(status) => {
            stream
                .write_all(format!("HTTP/1.1 {status} Whatever\r\n\r\n").as_bytes())
                .await?;
            endless(stream, &[b'x'; 8192]).await?;
        }
        Reply::EndlessHeaders => {
            stream.write_all(b"HTTP/1.1 200 OK\r\n").await?;
            endless(stream, &b"x-filler: 0123456789\r\n".repeat(100)).await?;
        }
        Reply::EndlessInterim => endless(stream, b"HTTP/1.1 100 Continue\r\n\r\n").await?,
        Reply::OneByte => {
            stream.write_all(b"H").await?;
            stream.flush().await?;
            std::future::pending::<()>().await;
        }
        Reply::Silence => std::future::pending().await,
        Reply::Close | Reply::CloseBeforeTls | Reply::SilenceBeforeTls | Reply::NoTls => {}
    }
    stream.shutdown().await
}

async fn empty(stream: &mut TlsStream<TcpStream>, status: u16) -> std::io::Result<()> {
    let text = format!("HTTP/1.1 {status} Whatever\r\ncontent-length: 0\r\n\r\n");
    stream.write_all(text.as_bytes()).await
}

async fn endless(stream: &mut TlsStream<TcpStream>, filler: &[u8]) -> std::io::Result<()> {
    loop {
        stream.write_all(filler).await?;
    }
}

/// One request, by its `Content-Length`.
async fn read(stream: &mut TlsStream<TcpStream>) -> Option<Received> {
    let mut bytes = Vec::new();
    let head = loop {
        if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break at;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let text = std::str::from_utf8(&bytes[..head]).unwrap().to_owned();
    let mut lines = text.split("\r\n");
    let line = lines.next().unwrap().to_owned();
    let mut headers = HeaderMap::new();
    for header in lines {
        let (name, value) = header.split_once(": ").unwrap();
        headers.append(
            name.parse::<HeaderName>().unwrap(),
            HeaderValue::from_str(value).unwrap(),
        );
    }
    // A GET has no body.
    let length = headers.get("content-length");
    let length: usize = length.map_or(0, |length| length.to_str().unwrap().parse().unwrap());
    let mut body = bytes.split_off(head + 4);
    while body.len() < length {
        if stream.read_buf(&mut body).await.ok()? == 0 {
            return None;
        }
    }
    Some(Received { line, headers, body })
}
