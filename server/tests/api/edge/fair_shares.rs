//! One hostile network, and other clients that are served. The networks are on loopback: 127.0.0.0/24 attacks, others send
//! ordinary requests.
//!
//! Planted faults that these tests detect: taking a request's slot before its body has arrived; accepting connections only
//! while there is a free permit; one limit for all networks; upload memory reserved as bytes arrive.

use crate::{
    browser::{BOUNDARY, Browser, PASSPORT, photo},
    support::{Answer, SESSIONS, Server, add_tenant, between, settings},
};
use futures::future::join_all;
use std::{
    net::Ipv4Addr,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    sync::Notify,
    task::{JoinHandle, JoinSet},
    time::timeout,
};

const ATTACKER: Ipv4Addr = Ipv4Addr::LOCALHOST;
const OTHER: Ipv4Addr = Ipv4Addr::new(127, 7, 7, 7);

/// Far longer than any of this takes: a server that does not respond must not hang the test.
const AT_LAST: Duration = Duration::from_secs(60);

/// The status for a client of another network.
async fn elsewhere(server: &Server, path: &str) -> u16 {
    let mut stream = server.connect_from(OTHER).await;
    let head = format!(
        "GET {path} HTTP/1.1\r\nhost: id.example\r\nauthorization: Bearer {}\r\nconnection: close\r\n\r\n",
        server.key
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    let read = timeout(AT_LAST, stream.read_to_end(&mut bytes)).await;
    read.expect("an answer").unwrap();
    Answer::parse(&bytes).status
}

/// What other clients request, and the responses.
async fn everybody_else_is_served(server: &Server) {
    for (path, status) in [
        ("/healthz", 200),
        ("/readyz", 200),
        (&format!("{SESSIONS}/x"), 404),
        ("/admin/sign-in", 200),
        ("/v/anything", 404),
    ] {
        assert_eq!(elsewhere(server, path).await, status, "{path}");
    }
}

/// Announces a body, gets `100 Continue`, and sends a little of it.
async fn announce(server: &Server, path: &str) -> TcpStream {
    let mut stream = server.connect_from(ATTACKER).await;
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: id.example\r\nsec-fetch-site: same-origin\r\nexpect: 100-continue\r\n\
         content-type: application/x-www-form-urlencoded\r\ncontent-length: 60000\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut asked = [0; 25];
    stream.read_exact(&mut asked).await.unwrap();
    assert_eq!(&asked, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(b"email=").await.unwrap();
    stream
}

#[tokio::test]
async fn bodies_that_do_not_come_hold_no_slot() {
    let server = Server::with("[http]\nmax_requests = 8\n").await;
    let mut attack = Vec::new();
    for number in 0..16 {
        let path = ["/admin/sign-in", "/v/anything"][number % 2];
        // Refused immediately only if there is no slot left.
        attack.push(timeout(AT_LAST, announce(&server, path)).await.expect("it is read"));
    }
    everybody_else_is_served(&server).await;
}

#[tokio::test]
async fn the_memory_of_bodies_is_shared_among_networks() {
    let server = Server::with("[http]\nbody_memory = 1\n").await;
    let mut attack = JoinSet::new();
    let half = vec![b'a'; 200 * 1024];
    let head = format!(
        "POST /admin/sign-in HTTP/1.1\r\nhost: id.example\r\nsec-fetch-site: same-origin\r\ncontent-length: {}\r\n\r\n",
        half.len() + 1
    );
    for _ in 0..6 {
        let mut stream = server.connect_from(ATTACKER).await;
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(&half).await.unwrap();
        attack.spawn(async move {
            let mut bytes = Vec::new();
            stream.read_to_end(&mut bytes).await.unwrap();
            Answer::parse(&bytes)
        });
    }
    // Two and a half of them are half of a MiB. Which two are held depends on whose bytes are read first; the others are refused.
    for _ in 0..4 {
        let answer = timeout(AT_LAST, attack.join_next()).await.expect("an answer");
        let answer = answer.unwrap().unwrap();
        assert_eq!((answer.status, answer.header("connection")), (503, Some("close")));
    }
    assert_eq!(attack.len(), 2);
    let mut bytes = Vec::new();
    let mut stream = server.connect_from(OTHER).await;
    stream
        .write_all(head.replace("\r\n\r\n", "\r\nconnection: close\r\n\r\n").as_bytes())
        .await
        .unwrap();
    stream.write_all(&half).await.unwrap();
    stream.write_all(b"a").await.unwrap();
    timeout(AT_LAST, stream.read_to_end(&mut bytes))
        .await
        .expect("an answer")
        .unwrap();
    assert_eq!(Answer::parse(&bytes).status, 422, "a form like any other");
}

#[tokio::test]
async fn idle_connections_shut_nobody_out() {
    // Nothing times out here.
    let server = Server::with("[http]\nmax_connections = 16\nheader_timeout = 3600\nidle_timeout = 3600\n").await;
    let mut attack = Vec::new();
    for _ in 0..60 {
        attack.push(server.connect_from(ATTACKER).await);
    }
    everybody_else_is_served(&server).await;
    // The newest of them are still open: a network has its share, and the latest connection is served.
    let newest = attack.last_mut().unwrap();
    newest
        .write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        .await
        .unwrap();
    let mut bytes = Vec::new();
    newest.read_to_end(&mut bytes).await.unwrap();
    assert_eq!(Answer::parse(&bytes).status, 200);
    bytes.clear();
    drop(attack[0].read_to_end(&mut bytes).await);
    assert!(bytes.is_empty(), "the oldest was closed");
}

#[tokio::test]
async fn connections_that_wait_for_bodies_shut_nobody_out() {
    let server = Server::with("[http]\nmax_connections = 16\nheader_timeout = 3600\nbody_grace = 3600\n").await;
    let mut attack = Vec::new();
    for _ in 0..60 {
        attack.push(
            timeout(AT_LAST, announce(&server, "/admin/sign-in"))
                .await
                .expect("it is read"),
        );
    }
    everybody_else_is_served(&server).await;
}

/// Running requests hold their slots: each waits for the writer, which the test blocks.
/// More than there are slots for pages.
const APPLICANTS: usize = 18;

/// An applicant whose photo is not analysed yet, and the form with which they use it.
async fn about_to_use_a_photo(server: &Server, network: u8) -> (Browser<'_>, String) {
    let mut browser = Browser::at(server, Ipv4Addr::new(127, network, 0, 1));
    browser.agree().await;
    browser.choose_passport().await;
    let photo = photo(90);
    let files = [("picture", photo.as_slice())];
    let sent = browser.upload("/capture/pictures", &PASSPORT, &files, false).await;
    assert_eq!(sent.header("location"), Some("/capture/check"));
    let page = browser.get("/capture/check").await.body;
    let shown = between(&page, "name=\"shown\" value=\"", &['"']);
    let form = format!("decision=use&shown={shown}");
    (browser, form)
}

/// How many were answered, and when the server was stopped.
#[derive(Default)]
struct Waits {
    answered: AtomicUsize,
    stopped: OnceLock<Instant>,
}

/// Returns the status. Once all others are answered, one waits: whoever comes is served, and the server stops.
async fn use_the_photo(server: &Server, (browser, form): &mut (Browser<'_>, String), waits: &Waits) -> u16 {
    let answer = browser.post("/capture/check", form).await;
    if waits.answered.fetch_add(1, Ordering::SeqCst) + 1 == APPLICANTS - 1 {
        everybody_else_is_served(server).await;
        waits.stopped.set(Instant::now()).unwrap();
        server.app.stopping.cancel();
    }
    answer.status
}

/// Nobody analyses here, as where all that do are busy.
#[tokio::test]
async fn pages_that_wait_for_an_analysis_shut_nobody_out() {
    let server = Server::with("[http]\nmax_requests = 8\n[worker]\nembedded = false\n").await;
    let mut applicants = Vec::new();
    for network in 1..=APPLICANTS {
        let network = u8::try_from(network).unwrap();
        applicants.push(about_to_use_a_photo(&server, network).await);
    }
    let waits = Waits::default();
    let press = applicants
        .iter_mut()
        .map(|applicant| use_the_photo(&server, applicant, &waits));
    let statuses = join_all(press).await;
    assert!(
        statuses.iter().all(|status| [200, 303].contains(status)),
        "{statuses:?}"
    );
    // Half of what the page would have waited.
    let kept = waits.stopped.get().unwrap().elapsed();
    assert!(
        kept < Duration::from_secs(5),
        "a node that stops keeps nobody waiting: {kept:?}"
    );
}

/// Keeps everybody else from writing to the database until the returned notice is given.
async fn hold_writer(server: &Server) -> (JoinHandle<()>, Arc<Notify>) {
    let (entered, release) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (app, begun, end) = (server.app.clone(), entered.clone(), release.clone());
    let writer = tokio::spawn(async move {
        let unit = app.honnin.db().write(async move |_| {
            begun.notify_one();
            end.notified().await;
            Ok::<_, store::StoreError>(())
        });
        unit.await.unwrap();
    });
    entered.notified().await;
    (writer, release)
}

#[tokio::test]
async fn where_every_slot_is_taken_probes_are_answered_and_the_rest_is_told() {
    let server = Server::with("[http]\nmax_requests = 1\n").await;
    // Readiness writes, which the test is about to prevent; for some seconds it returns the last result.
    assert_eq!(server.send("GET", "/readyz", &[], "").await.status, 200);
    let (writer, release) = hold_writer(&server).await;
    let runs = server.call("POST", SESSIONS, "{}");
    let beside = async {
        while server.send("GET", "/v1/x", &[], "").await.status != 503 {}
        for (path, status) in [
            ("/healthz", 200),
            ("/readyz", 200),
            ("/admin/sign-in", 503),
            ("/v1/x", 503),
        ] {
            let answer = server.send("GET", path, &[], "").await;
            let wait = (status == 503).then_some("5");
            assert_eq!((answer.status, answer.header("retry-after")), (status, wait), "{path}");
        }
        release.notify_one();
    };
    let (created, ()) = tokio::join!(runs, beside);
    assert_eq!(created.status, 201);
    writer.await.unwrap();
}

#[tokio::test]
async fn where_every_slot_is_taken_browsers_get_a_page_and_callers_of_the_api_what_they_always_get() {
    let server = Server::with("[http]\nmax_requests = 1\n").await;
    // It has started, for which it writes; the test is about to prevent that.
    assert_eq!(server.send("GET", "/healthz", &[], "").await.status, 200);
    let (writer, release) = hold_writer(&server).await;
    let runs = server.call("POST", SESSIONS, "{}");
    let beside = async {
        while server.send("GET", "/v1/x", &[], "").await.status != 503 {}
        let language = ("accept-language", "ja");
        let browser = [language, ("accept", "text/html"), ("sec-fetch-dest", "document")];
        let page = server.send("GET", "/capture", &browser, "").await;
        let form = server.send("POST", "/capture/details", &browser, "").await;
        for answer in [&page, &form] {
            assert_eq!((answer.status, answer.header("retry-after")), (503, Some("5")));
            assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"));
            assert_eq!(answer.header("cache-control"), Some("no-store"));
            let policy = answer.header("content-security-policy").unwrap();
            assert!(
                policy.starts_with("default-src 'none'; script-src 'self' 'nonce-"),
                "{policy}"
            );
            assert!(answer.body.contains("<html lang=\"ja\""), "{}", answer.body);
        }
        assert_eq!(page.body.matches("<a ").count(), 1, "{}", page.body);
        assert!(page.body.contains("もう一度試す"), "{}", page.body);
        assert_eq!(form.body.matches("<a ").count(), 0, "{}", form.body);
        assert!(form.body.contains("前の画面に戻り"), "{}", form.body);
        // What a script or a caller gets is no page, whatever else it says of itself.
        let script = [language, ("accept", "application/json"), ("sec-fetch-dest", "empty")];
        let told = server.send("POST", "/capture/more-time", &script, "").await;
        assert_eq!(told.header("content-type"), Some("text/plain; charset=utf-8"));
        let api = server.send("GET", "/v1/x", &browser, "").await;
        insta::assert_snapshot!(api.shown(), @r#"
        503
        content-type: application/json
        cache-control: no-store
        retry-after: 5
        {"_tag":"Unavailable","message":"The service is overloaded or shutting down. Retry later."}
        "#);
        release.notify_one();
    };
    let (created, ()) = tokio::join!(runs, beside);
    assert_eq!(created.status, 201);
    writer.await.unwrap();
}

/// A tenant's request over a connection from the network `from`, with its whole response.
async fn call(stream: TcpStream, method: &str, key: &str) -> Answer {
    let mut stream = stream;
    let head = format!(
        "{method} {SESSIONS} HTTP/1.1\r\nhost: id.example\r\nauthorization: Bearer {key}\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    timeout(AT_LAST, stream.read_to_end(&mut bytes))
        .await
        .expect("an answer")
        .unwrap();
    Answer::parse(&bytes)
}

/// Planted fault that this test detects: no share for tenants.
#[tokio::test]
async fn a_tenant_with_many_networks_leaves_a_quarter_of_the_requests_to_the_others() {
    let server = Server::with("[http]\nmax_requests = 8\n").await;
    let other = add_tenant(&server.app, settings()).await.key.expose().clone();
    for key in [&other, &server.key] {
        assert_eq!(call(server.connect_from(OTHER).await, "GET", key).await.status, 200);
    }
    let (writer, release) = hold_writer(&server).await;
    // Each creation waits for the writer.
    let mut flood = JoinSet::new();
    for number in 0..8 {
        let (stream, key) = (
            server.connect_from(Ipv4Addr::new(127, 20 + number, 0, 1)).await,
            server.key.clone(),
        );
        flood.spawn(async move { call(stream, "POST", &key).await });
    }
    for _ in 0..2 {
        let refused = flood.join_next().await.unwrap().unwrap();
        let wait = refused.header("retry-after");
        assert_eq!((refused.status, wait), (503, Some("5")), "{}", refused.body);
    }
    assert_eq!(call(server.connect_from(OTHER).await, "GET", &other).await.status, 200);
    release.notify_one();
    while let Some(answer) = flood.join_next().await {
        assert_eq!(answer.unwrap().status, 201);
    }
    writer.await.unwrap();
}

/// Sends the beginning of a picture of 9.9 MiB, and after `100 Continue` everything but its end.
async fn stall(mut stream: TcpStream, cookies: String) -> TcpStream {
    let length = 99 * 1024 * 1024 / 10;
    let head = format!(
        "POST /capture/pictures HTTP/1.1\r\nhost: id.example\r\nsec-fetch-site: same-origin\r\ncookie: {cookies}\r\n\
         content-type: multipart/form-data; boundary={BOUNDARY}\r\nexpect: 100-continue\r\ncontent-length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut asked = [0; 25];
    stream.read_exact(&mut asked).await.unwrap();
    assert_eq!(&asked, b"HTTP/1.1 100 Continue\r\n\r\n");
    let field = format!("--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"picture\"; filename=\"a.jpg\"\r\n\r\n");
    let begun = [field.into_bytes(), vec![b'x'; length - 4096]].concat();
    stream.write_all(&begun).await.unwrap();
    stream
}

#[tokio::test]
async fn uploads_that_stall_shut_nobody_out() {
    let server = Server::with("[uploads]\nroom = 96\nspill = 0\nstall = 3600\n").await;
    let mut attack = JoinSet::new();
    for _ in 0..10 {
        let mut browser = Browser::new(&server);
        browser.agree().await;
        browser.choose_passport().await;
        attack.spawn(stall(server.connect_from(ATTACKER).await, browser.cookies()));
    }
    let mut held = Vec::new();
    // Half of the memory: the rest of them wait.
    for _ in 0..4 {
        held.push(attack.join_next().await.unwrap().unwrap());
    }
    everybody_else_is_served(&server).await;
    let mut browser = Browser::at(&server, OTHER);
    browser.agree().await;
    browser.choose_passport().await;
    let picture = photo(90);
    let (texts, files) = (PASSPORT, [("picture", picture.as_slice())]);
    let taken = browser.upload("/capture/pictures", &texts, &files, true);
    let taken = timeout(AT_LAST, taken).await.expect("room");
    assert_eq!(
        (taken.status, taken.body.as_str()),
        (200, r#"{"next":"/capture/check"}"#)
    );
    assert_eq!(attack.len(), 6, "nobody was let in beyond the share");
}

#[tokio::test]
async fn where_there_is_no_room_the_picture_is_sent_again() {
    let server = Server::with("[uploads]\nroom = 1\nspill = 0\npatience = 1\nstall = 3600\n").await;
    let mut attack = Browser::new(&server);
    attack.agree().await;
    attack.choose_passport().await;
    let _held = stall(server.connect_from(ATTACKER).await, attack.cookies()).await;
    let mut browser = Browser::at(&server, OTHER);
    browser.agree().await;
    browser.choose_passport().await;
    let picture = photo(90);
    for json in [true, false] {
        let answer = browser
            .upload("/capture/pictures", &PASSPORT, &[("picture", &picture)], json)
            .await;
        assert_eq!((answer.status, answer.header("retry-after")), (503, Some("5")));
        assert!(
            json || answer.body.contains("choose the photo and send it again"),
            "{}",
            answer.body
        );
    }
}
