//! One request per connection.

use serde_json::Value;
use std::net::SocketAddr;
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
    let length = body.len();
    let request = format!("{head}host: x\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}");
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, serde_json::from_str(body).unwrap())
}
