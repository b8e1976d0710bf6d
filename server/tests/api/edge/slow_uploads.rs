//! Phones on slow networks. Their pictures arrive at the same time, in encrypted files without a name, although there is memory for one.
//!
//! Planted faults that these tests detect: memory that is held while a picture arrives; pictures written as they are; files that outlive
//! their connection; one limit for the disk of all networks and tenants; a full disk that refuses pictures.

use crate::{
    browser::{BOUNDARY, Browser, PASSPORT, multipart, photo},
    support::{Answer, Server, add_tenant, settings},
};
use domain::ids::SessionId;
use sha2::{Digest as _, Sha256};
use std::{
    fs,
    net::Ipv4Addr,
    path::{Path, PathBuf},
    time::Duration,
};
use store::capture::captures;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpSocket, TcpStream},
    time::timeout,
};

/// Far longer than any of this takes.
const AT_LAST: Duration = Duration::from_secs(60);
/// Follows a picture until it has this many bytes, far more than a connection holds unread: it counts as 2 MiB.
const CANARY: &[u8] = b"what nobody may find on the disk; ";
const LENGTH: usize = 3 * 512 * 1024;
/// The end of a form, which a slow phone has not sent yet.
const LAST: usize = 100;
/// Memory for one picture, and the rest of the settings.
const ONE: &str = "[uploads]\nroom = 1\nstall = 3600\n";

/// A phone that has sent its picture, except for the end.
struct Slow {
    stream: TcpStream,
    last: Vec<u8>,
    cookies: String,
    session: SessionId,
    /// SHA-256 of its picture.
    hash: String,
}

impl Slow {
    /// A phone in the network 127.`network`.0.0 that has sent nothing yet.
    async fn connect(server: &Server, network: u8) -> (Self, Vec<u8>) {
        let mut browser = Browser::at(server, Ipv4Addr::new(127, network, 0, 1));
        let session = browser.agree().await["id"].as_str().and_then(SessionId::parse).unwrap();
        browser.choose_passport().await;
        let mut picture = photo(network);
        picture.extend(CANARY.iter().cycle().take(LENGTH - picture.len()));
        let mut form = multipart(&PASSPORT, &[("picture", &picture)]);
        let head = format!(
            "POST /capture/pictures HTTP/1.1\r\nhost: id.example\r\nsec-fetch-site: same-origin\r\nconnection: close\r\ncookie: {}\r\n\
             accept: application/json\r\ncontent-type: multipart/form-data; boundary={BOUNDARY}\r\ncontent-length: {}\r\n\r\n",
            browser.cookies(),
            form.len()
        );
        let last = form.split_off(form.len() - LAST);
        let socket = TcpSocket::new_v4().unwrap();
        // What the system keeps of it proves nothing.
        socket.set_send_buffer_size(64 * 1024).unwrap();
        socket.bind((browser.address(), 0).into()).unwrap();
        let stream = socket.connect(server.address).await.unwrap();
        let cookies = browser.cookies();
        let phone = Self {
            stream,
            last,
            cookies,
            session,
            hash: hex::encode(Sha256::digest(&picture)),
        };
        (phone, [head.into_bytes(), form].concat())
    }

    /// A phone whose picture was read up to the end that is missing.
    async fn begin(server: &Server, network: u8) -> Self {
        let (mut phone, begun) = Self::connect(server, network).await;
        let sent = timeout(AT_LAST, phone.stream.write_all(&begun)).await;
        sent.expect("it is read").unwrap();
        phone
    }

    /// The response to the whole picture.
    async fn finish(mut self) -> Answer {
        self.stream.write_all(&self.last).await.unwrap();
        let mut bytes = Vec::new();
        let read = timeout(AT_LAST, self.stream.read_to_end(&mut bytes)).await;
        read.expect("an answer").unwrap();
        Answer::parse(&bytes)
    }

    /// Waits until it has a number in the queue.
    async fn waits(&self, server: &Server) {
        let headers = [("sec-fetch-site", "same-origin"), ("cookie", self.cookies.as_str())];
        while server.send("GET", "/capture/queue", &headers, "").await.json()["sentence"].is_null() {
            tokio::task::yield_now().await;
        }
    }
}

/// The open files without a name in a folder, as this process sees them (proc(5)).
fn files(folder: &Path) -> Vec<PathBuf> {
    let begin = format!("{}/#", folder.display());
    let all = fs::read_dir("/proc/self/fd")
        .unwrap()
        .map(|entry| entry.unwrap().path());
    all.filter(|file| fs::read_link(file).is_ok_and(|to| to.to_string_lossy().starts_with(&begin)))
        .collect()
}

fn files_of(server: &Server) -> usize {
    files(&server.app.config.data_dir).len()
}

/// SHA-256 of the pictures of a session, as they arrived.
async fn stored(server: &Server, session: SessionId) -> Vec<String> {
    let found = server
        .app
        .honnin
        .db()
        .read(async move |tx| captures::list_all(tx, &session).await);
    let captures = found.await.unwrap().into_iter();
    captures
        .flat_map(|capture| capture.frames)
        .map(|frame| frame.sha256)
        .collect()
}

#[tokio::test]
async fn they_all_send_at_once_although_there_is_memory_for_one() {
    let server = Server::with(ONE).await;
    let mut phones = Vec::new();
    for network in 1..=6 {
        phones.push(Slow::begin(&server, network).await);
    }
    let open = files(&server.app.config.data_dir);
    assert_eq!(open.len(), phones.len());
    for file in open {
        // The system may still hold some of it, and the server the last piece.
        while fs::metadata(&file).unwrap().len() < LENGTH as u64 - 32 * 1024 {
            tokio::task::yield_now().await;
        }
        let bytes = fs::read(file).unwrap();
        assert!(!bytes.windows(CANARY.len()).any(|window| window == CANARY));
    }
    for phone in phones {
        let (session, sent) = (phone.session.clone(), phone.hash.clone());
        let taken = phone.finish().await;
        assert_eq!(
            (taken.status, taken.body.as_str()),
            (200, r#"{"next":"/capture/check"}"#)
        );
        assert_eq!(stored(&server, session).await, [sent], "byte by byte");
    }
    assert_eq!(files_of(&server), 0);
}

#[tokio::test]
async fn one_that_goes_away_leaves_its_place_on_the_disk() {
    let server = Server::with(&format!("{ONE}spill = 2\n")).await;
    let first = Slow::begin(&server, 1).await;
    let second = Slow::begin(&server, 2).await;
    assert_eq!(files_of(&server), 1, "the second is in memory");
    drop(first);
    while files_of(&server) > 0 {
        tokio::task::yield_now().await;
    }
    let third = Slow::begin(&server, 3).await;
    assert_eq!(files_of(&server), 1);
    for phone in [second, third] {
        assert_eq!(phone.finish().await.status, 200);
    }
}

#[tokio::test]
async fn one_that_stalls_is_told_that_it_is_slow_and_not_that_we_are_busy() {
    let server = Server::with("[uploads]\nstall = 5\n").await;
    let mut phone = Slow::begin(&server, 1).await;
    let mut bytes = Vec::new();
    let read = timeout(AT_LAST, phone.stream.read_to_end(&mut bytes)).await;
    read.expect("an answer").unwrap();
    let told = Answer::parse(&bytes);
    assert_eq!((told.status, told.body.as_str()), (408, r#"{"problems":[]}"#));
}

#[tokio::test]
async fn one_network_leaves_half_of_the_disk_to_the_others() {
    let server = Server::with(&format!("{ONE}spill = 8\n")).await;
    let mut greedy = Vec::new();
    for _ in 0..2 {
        greedy.push(Slow::begin(&server, 1).await);
    }
    let in_memory = Slow::begin(&server, 1).await;
    assert_eq!(files_of(&server), 2);
    let (mut waiting, begun) = Slow::connect(&server, 1).await;
    let (head, _) = begun.split_at(1024);
    waiting.stream.write_all(head).await.unwrap();
    waiting.waits(&server).await;
    let others = [Slow::begin(&server, 2).await, Slow::begin(&server, 3).await];
    assert_eq!(files_of(&server), 4);
    assert_eq!(in_memory.finish().await.status, 200);
    for phone in others {
        assert_eq!(phone.finish().await.status, 200);
    }
}

#[tokio::test]
async fn a_tenant_with_many_networks_leaves_a_quarter_of_the_disk_to_the_others() {
    let mut server = Server::with(&format!("{ONE}spill = 8\n")).await;
    let mut other = add_tenant(&server.app, settings()).await.key.expose().clone();
    std::mem::swap(&mut server.key, &mut other);
    assert_eq!(Slow::begin(&server, 1).await.finish().await.status, 200);
    std::mem::swap(&mut server.key, &mut other);
    let mut greedy = Vec::new();
    for network in 2..=5 {
        greedy.push(Slow::begin(&server, network).await);
    }
    assert_eq!(files_of(&server), 3, "the last is in memory");
    std::mem::swap(&mut server.key, &mut other);
    greedy.push(Slow::begin(&server, 6).await);
    assert_eq!(files_of(&server), 4);
}

#[tokio::test]
async fn without_a_usable_disk_pictures_arrive_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().display();
    // A file system that never has space left (proc(5)); and a folder that is gone.
    for spill in ["spill_dir = \"/proc\"\n".to_owned(), format!("spill_dir = \"{dir}\"\n")] {
        let server = Server::with(&format!("{ONE}{spill}")).await;
        if !spill.contains("/proc") {
            fs::remove_dir(folder.path()).unwrap();
        }
        let (one, other) = (Slow::begin(&server, 1).await, Slow::connect(&server, 2).await);
        assert_eq!((files_of(&server), files(folder.path()).len()), (0, 0));
        assert_eq!(one.finish().await.status, 200);
        let (mut other, begun) = other;
        other.stream.write_all(&begun).await.unwrap();
        assert_eq!(other.finish().await.status, 200);
    }
}

#[tokio::test]
async fn pictures_arrive_in_the_folder_of_the_settings() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::with(&format!("{ONE}spill_dir = \"{}\"\n", folder.path().display())).await;
    let phone = Slow::begin(&server, 1).await;
    assert_eq!((files_of(&server), files(folder.path()).len()), (0, 1));
    assert!(folder.path().read_dir().unwrap().next().is_none(), "it has no name");
    assert_eq!(phone.finish().await.status, 200);
}
