//! The least that a server can do with a creation: receive it with axum, and answer.

use axum::{Router, body::Bytes, http::StatusCode, routing::post};
use std::net::SocketAddr;
use tokio::net::TcpListener;

/// Starts it on a free port, until the program ends.
pub(crate) async fn start() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let answer = async |_: Bytes| (StatusCode::CREATED, "{}");
    let router = Router::new().route("/v1/verification-sessions", post(answer));
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}
