//! Clients that create sessions as fast as they get responses, and count the results.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    sync::Notify,
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

/// The running clients.
pub(crate) struct Load {
    clients: JoinSet<()>,
    books: Arc<Books>,
}

#[derive(Default)]
struct Books {
    created: AtomicUsize,
    answered: Notify,
    enough: CancellationToken,
}

impl Load {
    /// `fresh` clients with a connection for each request and `kept` ones with keep-alive. They end when nobody listens any
    /// more, or when they are stopped.
    pub(crate) fn start(address: SocketAddr, key: &str, fresh: usize, kept: usize) -> Self {
        let books = Arc::new(Books::default());
        let mut clients = JoinSet::new();
        for client in 0..fresh + kept {
            let (books, key) = (Arc::clone(&books), key.to_owned());
            clients.spawn(async move {
                while !books.enough.is_cancelled() {
                    let Ok(stream) = TcpStream::connect(address).await else {
                        return;
                    };
                    if client < fresh {
                        books.expect_201(once(stream, &key).await);
                    } else {
                        books.keep(stream, &key).await;
                    }
                }
            });
        }
        Self { clients, books }
    }

    /// Returns when `more` further sessions have been created. Fails if a client fails.
    pub(crate) async fn until_created(&mut self, more: usize) {
        let wanted = self.books.created.load(Ordering::SeqCst) + more;
        while self.books.created.load(Ordering::SeqCst) < wanted {
            tokio::select! {
                () = self.books.answered.notified() => {}
                ended = self.clients.join_next() => ended.unwrap().unwrap(),
            }
        }
    }

    /// Returns how many sessions were created, once every client has ended. Fails if a request was accepted but not answered.
    pub(crate) async fn end(mut self) -> usize {
        self.books.enough.cancel();
        while let Some(client) = self.clients.join_next().await {
            client.unwrap();
        }
        self.books.created.load(Ordering::SeqCst)
    }
}

impl Books {
    fn expect_201(&self, answer: Vec<u8>) {
        let text = String::from_utf8_lossy(&answer);
        assert!(text.starts_with("HTTP/1.1 201 ") && text.ends_with('}'), "{text:?}");
        self.created.fetch_add(1, Ordering::SeqCst);
        self.answered.notify_one();
    }

    /// One request after the other on one connection, until the server closes it between two of them.
    async fn keep(&self, mut stream: TcpStream, key: &str) {
        let mut first = true;
        while !self.enough.is_cancelled() {
            let sent = stream.write_all(&request(key, "keep-alive")).await;
            let answer = read_one(&mut stream).await;
            // HTTP lets a server close an idle connection; a request that crosses the close was never begun, which shows as a
            // response of zero bytes. The count of sessions proves it.
            if !first && answer.is_empty() {
                return;
            }
            sent.unwrap();
            self.expect_201(answer);
            first = false;
        }
    }
}

fn request(key: &str, connection: &str) -> Vec<u8> {
    format!(
        "POST /v1/verification-sessions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {key}\r\nconnection: {connection}\r\n\
         content-length: 2\r\n\r\n{{}}"
    )
    .into_bytes()
}

async fn once(mut stream: TcpStream, key: &str) -> Vec<u8> {
    stream.write_all(&request(key, "close")).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    answer
}

/// One response, by its `content-length`; or its beginning if the connection ends.
async fn read_one(stream: &mut TcpStream) -> Vec<u8> {
    let mut answer = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&answer);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if body.len() >= length.unwrap().parse().unwrap() {
                return answer;
            }
        }
        if stream.read_buf(&mut answer).await.unwrap_or(0) == 0 {
            return answer;
        }
    }
}
