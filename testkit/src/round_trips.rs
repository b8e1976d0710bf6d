//! A proxy in front of PostgreSQL that counts what a client waits for: a simple query (`Q`), a statement that is prepared (`P`) or executed
//! (`E`). It does not count the lone syncs by which the pool tests a connection after its unit, because nobody waits for those.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, copy},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
};

/// The code of a request for TLS, which precedes the start-up message and has its form.
const TLS_REQUEST: [u8; 4] = 80_877_103_u32.to_be_bytes();

pub struct RoundTrips {
    /// Of the proxy.
    pub url: String,
    count: Arc<AtomicU64>,
}

impl RoundTrips {
    /// In front of the server at `url`, which is asked without TLS.
    pub async fn to(url: &str) -> Self {
        let (scheme, rest) = url.split_once('@').unwrap();
        let (server, database) = rest.split_once('/').unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy = listener.local_addr().unwrap();
        let (server, count) = (server.to_owned(), Arc::new(AtomicU64::new(0)));
        let counted = Arc::clone(&count);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (to_client, to_server) = (
                    client.into_split(),
                    TcpStream::connect(&server).await.unwrap().into_split(),
                );
                tokio::spawn(answers(to_server.0, to_client.1));
                tokio::spawn(questions(to_client.0, to_server.1, Arc::clone(&counted)));
            }
        });
        Self {
            url: format!("{scheme}@{proxy}/{database}"),
            count,
        }
    }

    pub fn count(&self) -> u64 {
        self.count.load(Ordering::SeqCst)
    }
}

async fn answers(mut from: OwnedReadHalf, mut to: OwnedWriteHalf) {
    // Ends with either side.
    drop(copy(&mut from, &mut to).await);
}

/// Ends with either side.
async fn questions(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, count: Arc<AtomicU64>) -> std::io::Result<()> {
    loop {
        let body = message(&mut from, &mut to).await?;
        if !body.starts_with(&TLS_REQUEST) {
            break;
        }
    }
    loop {
        let kind = from.read_u8().await?;
        if matches!(kind, b'Q' | b'P' | b'E') {
            count.fetch_add(1, Ordering::SeqCst);
        }
        to.write_u8(kind).await?;
        message(&mut from, &mut to).await?;
    }
}

/// Passes on a message without its kind, and returns its body.
async fn message(from: &mut OwnedReadHalf, to: &mut OwnedWriteHalf) -> std::io::Result<Vec<u8>> {
    let length = from.read_u32().await?;
    let mut body = vec![0; length as usize - 4];
    from.read_exact(&mut body).await?;
    to.write_u32(length).await?;
    to.write_all(&body).await?;
    Ok(body)
}
