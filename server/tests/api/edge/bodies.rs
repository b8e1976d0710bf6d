//! Requests whose body is not what its head says, or whose head says what it must not: nothing of them happens.

use crate::{
    browser::{Browser, photo},
    support::{Answer, SESSIONS, Server, settings},
};
use app::capture::consent::CONSENT_VERSION;
use domain::{session::Step, tenant::TenantSettings};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

/// What a tenant may do to a session without saying anything in the body.
const OPERATIONS: [&str; 3] = ["cancel", "erase", "reprocess"];

/// Sends these bytes, closes its direction if `leaves`, and reads what is answered until the server closes.
async fn say(server: &Server, bytes: &[u8], leaves: bool) -> Answer {
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    if leaves {
        stream.shutdown().await.unwrap();
    }
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    Answer::parse(&answer)
}

fn head(server: &Server, path: &str, lines: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nhost: id.example\r\nauthorization: Bearer {}\r\n{lines}\r\n",
        server.key
    )
}

#[tokio::test]
async fn an_operation_whose_body_did_not_arrive_does_not_run() {
    let server = Server::with("[http]\nbody_grace = 1\n").await;
    for operation in OPERATIONS {
        let id = server.create("{}").await["id"].as_str().unwrap().to_owned();
        if operation == "reprocess" {
            server.call("POST", &format!("{SESSIONS}/{id}/cancel"), "").await;
        }
        let before = server.call("GET", &format!("{SESSIONS}/{id}"), "").await.body;
        let path = format!("{SESSIONS}/{id}/{operation}");
        let started = head(&server, &path, "content-length: 10\r\n") + "{";
        let broken = head(&server, &path, "transfer-encoding: chunked\r\n") + "1\r\n{\r\nZZ\r\n";
        let left = say(&server, started.as_bytes(), true).await;
        assert!(matches!(left.status, 0 | 400), "{operation}: {left:?}");
        assert_eq!(say(&server, broken.as_bytes(), false).await.status, 400, "{operation}");
        let stalled = say(&server, started.as_bytes(), false).await;
        assert_eq!(
            (stalled.status, stalled.json()["_tag"].as_str()),
            (408, Some("RequestTimeout")),
            "{operation}"
        );
        let after = server.call("GET", &format!("{SESSIONS}/{id}"), "").await.body;
        assert_eq!(after, before, "{operation}");
    }
}

/// The head of a browser's form.
fn form_head(browser: &Browser<'_>, path: &str, lines: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nhost: id.example\r\nconnection: close\r\nsec-fetch-site: same-origin\r\ncookie: {}\r\n\
         content-type: application/x-www-form-urlencoded\r\n{lines}\r\n",
        browser.cookies()
    )
}

/// A form whose end does not arrive: the browser leaves, the chunks are broken, nothing more comes, or there is too much of it. Each leads
/// back to `page`.
async fn breaks_off(server: &Server, browser: &Browser<'_>, page: &str, begun: &str) {
    let length = format!("content-length: {}\r\n", begun.len() + 9);
    let started = form_head(browser, page, &length) + begun;
    let chunks = format!("{:x}\r\n{begun}\r\nZZ\r\n", begun.len());
    let broken = form_head(browser, page, "transfer-encoding: chunked\r\n") + &chunks;
    let rest = "x".repeat(64 * 1024);
    let length = format!("content-length: {}\r\n", begun.len() + rest.len());
    let long = form_head(browser, page, &length) + begun + &rest;
    let left = say(server, started.as_bytes(), true).await;
    assert!(matches!(left.status, 0 | 303), "{left:?}");
    for sent in [broken, started, long] {
        let answer = say(server, sent.as_bytes(), false).await;
        assert_eq!(
            (answer.status, answer.header("location")),
            (303, Some(page)),
            "{sent:.400}"
        );
    }
}

#[tokio::test]
async fn a_form_whose_end_did_not_arrive_does_nothing_and_its_page_is_shown_again() {
    let server = Server::with("[http]\nbody_grace = 1\n").await;
    let only_selfie = TenantSettings {
        steps: vec![Step::Selfie],
        ..settings()
    };
    server.save_settings(Some(only_selfie)).await;
    let created = server.create("{}").await;
    let url = created["verificationUrl"].as_str().unwrap();
    let start = url.strip_prefix("https://id.example").unwrap();
    let mut browser = Browser::new(&server);
    assert_eq!(browser.get(start).await.status, 200);
    breaks_off(&server, &browser, start, "outcome=appro").await;
    assert_eq!(browser.post(start, "").await.header("location"), Some("/capture"));
    let agree = format!("decision=accept&version={CONSENT_VERSION}&retentionDays=90");
    breaks_off(&server, &browser, "/capture/consent", &agree).await;
    let agreed = browser.post("/capture/consent", &agree).await;
    assert_eq!(agreed.header("location"), Some("/capture/selfie"));
    // A grey sheet is no good selfie, and the last try is accepted as it is.
    let (text, file) = ([("withoutChallenge", "yes")], photo(120));
    while browser.get("/capture").await.header("location") == Some("/capture/selfie") {
        let taken = browser
            .upload("/capture/selfie", &text, &[("frame", &file)], false)
            .await;
        assert_eq!(taken.status, 303, "{}", taken.body);
    }
    breaks_off(&server, &browser, "/capture/submit", "decis").await;
    // Nor is a form understood that does not say what it is for.
    assert_eq!(
        browser.post("/capture/submit", "").await.header("location"),
        Some("/capture")
    );
    assert_eq!(
        browser.get("/capture").await.header("location"),
        Some("/capture/submit")
    );
    let sent = browser.post("/capture/submit", "decision=send").await;
    assert_eq!(sent.header("location"), Some("/capture/result"));
}

#[tokio::test]
async fn a_body_that_is_announced_as_too_large_is_refused_without_waiting_for_it() {
    let server = Server::with("[http]\nbody_grace = 3600\n").await;
    for length in [64 * 1024 + 1, 100_000, 10_000_000] {
        for expects in ["", "expect: 100-continue\r\n"] {
            let announced = head(&server, SESSIONS, &format!("{expects}content-length: {length}\r\n"));
            let answer = say(&server, announced.as_bytes(), false).await;
            assert_eq!(answer.status, 400, "{length} {expects}{answer:?}");
            assert_eq!(answer.header("connection"), Some("close"));
            assert_eq!(
                answer.json()["issues"][0]["message"],
                "the body must be at most 65536 bytes"
            );
        }
    }
}

/// The contract gives these operations no body, and no error for one.
#[tokio::test]
async fn an_operation_without_a_body_ignores_one_of_any_length() {
    let server = Server::new().await;
    for operation in OPERATIONS {
        let id = server.create("{}").await["id"].as_str().unwrap().to_owned();
        if operation == "reprocess" {
            server.call("POST", &format!("{SESSIONS}/{id}/cancel"), "").await;
        }
        let large = " ".repeat(100_000);
        let body = format!("content-length: {}\r\n\r\n{large}", large.len());
        for (session, status) in [("vs_x", 404), (&*id, if operation == "erase" { 202 } else { 200 })] {
            let asked = head(&server, &format!("{SESSIONS}/{session}/{operation}"), "");
            let asked = asked.trim_end().to_owned() + "\r\nconnection: close\r\n" + &body;
            let answer = say(&server, asked.as_bytes(), false).await;
            assert_eq!(answer.status, status, "{operation} {session}: {answer:?}");
        }
    }
}

#[tokio::test]
async fn a_request_without_a_host_or_with_two_lengths_is_refused() {
    let server = Server::new().await;
    let bearer = format!("authorization: Bearer {}\r\n", server.key);
    let without_host = format!("GET {SESSIONS} HTTP/1.1\r\nconnection: close\r\n{bearer}\r\n");
    let two_hosts = format!("GET {SESSIONS} HTTP/1.1\r\nhost: a\r\nhost: b\r\nconnection: close\r\n{bearer}\r\n");
    for bad in [without_host, two_hosts] {
        let answer = say(&server, bad.as_bytes(), false).await;
        assert_eq!(answer.status, 400, "{bad}");
        assert_eq!(answer.json()["issues"][0]["path"], serde_json::json!(["Host"]));
        assert!(answer.header("x-request-id").is_some());
    }
    let old = say(&server, b"GET /healthz HTTP/1.0\r\n\r\n", false).await;
    assert_eq!(old.status, 200);

    let both = head(&server, SESSIONS, "content-length: 5\r\ntransfer-encoding: chunked\r\n") + "2\r\n{}\r\n0\r\n\r\n";
    let answer = say(&server, both.as_bytes(), false).await;
    let connection: Vec<_> = answer.headers.iter().filter(|(name, _)| name == "connection").collect();
    assert_eq!(connection.len(), 1, "{answer:?}");
    assert_eq!(answer.header("connection"), Some("close"));
    assert_eq!(answer.header("keep-alive"), None);
}

/// A coding besides `chunked` would be left in the body (RFC 9112 section 6.1).
#[tokio::test]
async fn a_body_in_a_coding_other_than_chunks_is_refused() {
    let server = Server::new().await;
    let sent = "2\r\n{}\r\n0\r\n\r\n";
    for codings in [
        "transfer-encoding: gzip, chunked\r\n",
        "transfer-encoding: chunked, chunked\r\n",
        "transfer-encoding: gzip\r\ntransfer-encoding: chunked\r\n",
    ] {
        let answer = say(&server, (head(&server, SESSIONS, codings) + sent).as_bytes(), false).await;
        assert_eq!(answer.status, 400, "{codings}{answer:?}");
        assert_eq!(
            answer.json()["issues"][0]["path"],
            serde_json::json!(["Transfer-Encoding"])
        );
        assert_eq!(answer.header("connection"), Some("close"), "{codings}");
    }
    let understood = head(&server, SESSIONS, "connection: close\r\ntransfer-encoding: Chunked\r\n") + sent;
    assert_eq!(say(&server, understood.as_bytes(), false).await.status, 201);
}
