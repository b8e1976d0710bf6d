//! One request per connection.

use serde_json::Value;
use std::{io, net::SocketAddr};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

/// `GET path`. Returns status and body.
pub(crate) async fn get(address: SocketAddr, path: &str) -> (u16, Value) {
    send(address, &format!("GET {path} HTTP/1.1\r\n"), "").await
}

/// Creates a session. Returns status and body.
pub(crate) async fn create(address: SocketAddr, key: &str, body: &str) -> (u16, Value) {
    let head = format!("POST /v1/verification-sessions HTTP/1.1\r\nauthorization: Bearer {key}\r\n");
    send(address, &head, body).await
}

/// Reads a session. Returns status and body.
pub(crate) async fn read(address: SocketAddr, key: &str, id: &str) -> (u16, Value) {
    let head = format!("GET /v1/verification-sessions/{id} HTTP/1.1\r\nauthorization: Bearer {key}\r\n");
    send(address, &head, "").await
}

async fn send(address: SocketAddr, head: &str, body: &str) -> (u16, Value) {
    let answer = call(address, head, body.as_bytes()).await.unwrap();
    (answer.status, answer.json())
}

/// A response.
pub(crate) struct Answer {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    fn parse(bytes: &[u8]) -> io::Result<Self> {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        let end = end.ok_or(io::ErrorKind::UnexpectedEof)?;
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        Ok(Self {
            status: status.ok_or(io::ErrorKind::InvalidData)?,
            head,
            body: bytes[end + 4..].to_vec(),
        })
    }

    /// Every value of a header.
    pub(crate) fn headers<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let lines = self.head.lines();
        lines.filter_map(move |line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// One request with the given request line and headers.
///
/// Fails if the connection ends before the response has begun.
pub(crate) async fn call(address: SocketAddr, head: &str, body: &[u8]) -> io::Result<Answer> {
    let head = format!(
        "{head}host: id.example\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(&[head.as_bytes(), body].concat()).await?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await?;
    Answer::parse(&bytes)
}
