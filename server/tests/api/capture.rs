//! The capture pages as a browser without scripts meets them, and uploads of every bad kind.

use super::support::{Answer, Server};
use std::fmt::Write as _;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};
use vision::{Picture, raster::Raster};

const BOUNDARY: &str = "----a-boundary-of-a-browser";

/// A browser: it keeps cookies and says where its requests come from.
struct Browser<'a> {
    server: &'a Server,
    cookies: Vec<(String, String)>,
}

impl<'a> Browser<'a> {
    fn new(server: &'a Server) -> Self {
        Self {
            server,
            cookies: Vec::new(),
        }
    }

    async fn send(&mut self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut head = format!("{method} {path} HTTP/1.1\r\nhost: id.example\r\nconnection: close\r\n");
        if !self.cookies.is_empty() {
            let pairs: Vec<_> = self
                .cookies
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            write!(head, "cookie: {}\r\n", pairs.join("; ")).unwrap();
        }
        for (name, value) in headers {
            write!(head, "{name}: {value}\r\n").unwrap();
        }
        write!(head, "content-length: {}\r\n\r\n", body.len()).unwrap();
        let stream = TcpStream::connect(self.server.address).await.unwrap();
        let (mut read, mut write) = stream.into_split();
        let message = [head.as_bytes(), body].concat();
        let sending = tokio::spawn(async move {
            drop(write.write_all(&message).await);
            write
        });
        let mut bytes = Vec::new();
        drop(read.read_to_end(&mut bytes).await);
        drop(sending.await.unwrap());
        let answer = Answer::parse(&bytes);
        for (name, value) in answer.headers.iter().filter(|(name, _)| name == "set-cookie") {
            assert!(
                value.contains("Secure") && value.contains("HttpOnly") && value.contains("SameSite=Lax"),
                "{name}: {value}"
            );
            let (name, value) = value.split(';').next().unwrap().split_once('=').unwrap();
            self.cookies.retain(|(known, _)| known != name);
            self.cookies.push((name.to_owned(), value.to_owned()));
        }
        answer
    }

    async fn get(&mut self, path: &str) -> Answer {
        self.send("GET", path, &[("sec-fetch-site", "same-origin")], b"").await
    }

    async fn post(&mut self, path: &str, form: &str) -> Answer {
        let headers = [
            ("sec-fetch-site", "same-origin"),
            ("content-type", "application/x-www-form-urlencoded"),
        ];
        self.send("POST", path, &headers, form.as_bytes()).await
    }

    async fn upload(&mut self, path: &str, texts: &[(&str, &str)], files: &[(&str, &[u8])], json: bool) -> Answer {
        let kind = format!("multipart/form-data; boundary={BOUNDARY}");
        let accept = if json { "application/json" } else { "text/html" };
        let headers = [
            ("sec-fetch-site", "same-origin"),
            ("content-type", kind.as_str()),
            ("accept", accept),
        ];
        self.send("POST", path, &headers, &multipart(texts, files)).await
    }

    /// Opens the link of a new session and agrees.
    async fn agree(&mut self) -> serde_json::Value {
        let created = self
            .server
            .create(r#"{"callbackUrl":"https://shop.example/done","state":"s"}"#)
            .await;
        let url = created["verificationUrl"].as_str().unwrap().to_owned();
        let path = url.strip_prefix("https://id.example").unwrap();
        assert_eq!(self.get(path).await.status, 200);
        assert_eq!(self.post(path, "").await.header("location"), Some("/capture"));
        let version = app::capture::consent::CONSENT_VERSION;
        let agreed = self
            .post("/capture/consent", &format!("decision=accept&version={version}"))
            .await;
        assert_eq!(
            (agreed.status, agreed.header("location")),
            (303, Some("/capture/document-type"))
        );
        created
    }

    async fn choose_passport(&mut self) {
        let chosen = self.post("/capture/document-type", "documentType=passport").await;
        assert_eq!(chosen.header("location"), Some("/capture/document"));
    }
}

fn multipart(texts: &[(&str, &str)], files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, value) in texts {
        body.extend(
            format!("--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n").bytes(),
        );
    }
    for (name, bytes) in files {
        body.extend(
            format!("--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"{name}\"; filename=\"a.jpg\"\r\ncontent-type: image/jpeg\r\n\r\n")
                .bytes(),
        );
        body.extend_from_slice(bytes);
        body.extend(b"\r\n");
    }
    body.extend(format!("--{BOUNDARY}--\r\n").bytes());
    body
}

fn photo(grey: u8) -> Vec<u8> {
    Picture::from_raster(Raster::filled(640, 480, [grey; 3])).unwrap().jpeg
}

/// A PNG whose header promises this size; nothing follows.
fn png_header(width: u32, height: u32) -> Vec<u8> {
    let mut chunk = b"IHDR".to_vec();
    chunk.extend(width.to_be_bytes());
    chunk.extend(height.to_be_bytes());
    chunk.extend([8, 2, 0, 0, 0]);
    let mut crc = u32::MAX;
    for byte in &chunk {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 {
                (crc >> 1) ^ 0xEDB8_8320
            } else {
                crc >> 1
            };
        }
    }
    let mut file = b"\x89PNG\r\n\x1a\n\0\0\0\x0d".to_vec();
    file.extend(&chunk);
    file.extend((!crc).to_be_bytes());
    file.extend(b"\0\0\0\0IDAT\x35\xaf\x06\x1e");
    file
}

#[tokio::test]
async fn a_whole_verification_works_without_scripts_and_a_step_out_of_turn_leads_to_the_right_one() {
    let server = Server::new().await;
    let mut browser = Browser::new(&server);
    let created = browser.agree().await;
    for page in [
        "/capture",
        "/capture/document",
        "/capture/check",
        "/capture/details",
        "/capture/selfie",
        "/capture/submit",
        "/capture/result",
    ] {
        let answer = browser.get(page).await;
        assert_eq!(answer.status, 303, "{page}");
    }
    browser.choose_passport().await;
    let shown = browser.get("/capture/document").await;
    assert!(shown.status == 200 && shown.body.contains("multipart/form-data"));
    let sent = browser
        .upload(
            "/capture/pictures",
            &[("slot", "document-front")],
            &[("picture", &photo(90))],
            false,
        )
        .await;
    assert_eq!((sent.status, sent.header("location")), (303, Some("/capture/check")));
    let check = browser.get("/capture/check").await;
    let picture = check
        .body
        .split("src=\"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap()
        .to_owned();
    assert!(picture.starts_with("/capture/pictures/cap_"), "{picture}");
    let bytes = browser.get(&picture).await;
    assert_eq!(
        (
            bytes.status,
            bytes.header("content-type"),
            bytes.header("cache-control")
        ),
        (200, Some("image/jpeg"), Some("no-store"))
    );
    assert_eq!(Browser::new(&server).get(&picture).await.status, 401);
    assert_eq!(
        browser.post("/capture/check", "decision=use").await.header("location"),
        Some("/capture/details")
    );
    let mistaken = browser
        .post(
            "/capture/details",
            "lastName=Tanaka&firstName=Hanako&birthDate=1990-02-30&address=x",
        )
        .await;
    assert!(mistaken.status == 422 && mistaken.body.contains("1990-02-30"));
    let typed = browser
        .post(
            "/capture/details",
            "lastName=Tanaka&firstName=Hanako&birthDate=1990-02-28&address=x",
        )
        .await;
    assert_eq!(typed.header("location"), Some("/capture/selfie"));
    let (straight, turned) = (photo(120), photo(130));
    let frames = [("frame", straight.as_slice()), ("frame", turned.as_slice())];
    let mut challenges = std::collections::BTreeSet::new();
    // A grey sheet is no good selfie: it is asked for again, each time with another challenge, and the last one is taken as it is.
    let location = loop {
        let page = browser.get("/capture/selfie").await.body;
        let challenge = page
            .split("name=\"challenge\" value=\"")
            .nth(1)
            .unwrap()
            .split('"')
            .next()
            .unwrap()
            .to_owned();
        assert!(challenges.insert(challenge.clone()));
        let sent = browser
            .upload("/capture/selfie", &[("challenge", &challenge)], &frames, false)
            .await;
        assert_eq!(sent.status, 303);
        match sent.header("location") {
            Some("/capture/selfie") => {}
            other => break other.unwrap().to_owned(),
        }
    };
    assert_eq!(challenges.len(), 5);
    assert_eq!(location, "/capture/submit");
    let summary = browser.get("/capture/submit").await;
    assert!(summary.status == 200 && summary.body.contains("Tanaka"));
    assert_eq!(
        browser.post("/capture/submit", "").await.header("location"),
        Some("/capture/result")
    );
    let result = browser.get("/capture/result").await;
    assert_eq!(result.status, 200);
    let back = format!(
        "https://shop.example/done?sessionId={}&amp;state=s",
        created["id"].as_str().unwrap()
    );
    assert!(result.body.contains(&back), "{}", result.body);
    let read = server
        .call(
            "GET",
            &format!("/v1/verification-sessions/{}", created["id"].as_str().unwrap()),
            "",
        )
        .await
        .json();
    // Without models nothing could be checked: a person looks.
    assert_eq!(read["status"], "reviewing");
    assert!(
        read["outcome"]["reasons"]
            .as_array()
            .unwrap()
            .contains(&"check_unavailable".into())
    );
}

#[tokio::test]
async fn files_of_every_bad_kind_get_a_clear_answer() {
    let server = Server::new().await;
    let mut browser = Browser::new(&server);
    browser.agree().await;
    browser.choose_passport().await;
    let good = photo(90);
    let heic = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic".to_vec();
    for (file, code) in [
        (good[..good.len() / 2].to_vec(), "file_damaged"),
        (
            b"This is a text, whatever its name says.".repeat(10),
            "file_not_a_picture",
        ),
        (png_header(30_000, 30_000), "file_too_many_pixels"),
        (png_header(10, 10), "file_too_small"),
        (heic, "file_heic"),
        (Vec::new(), "file_missing"),
        (vec![b'x'; 50 * 1024 * 1024], "file_too_large"),
        (vec![0xFF; 10 * 1024 * 1024 + 1], "file_too_large"),
    ] {
        let answer = browser
            .upload(
                "/capture/pictures",
                &[("slot", "document-front")],
                &[("picture", &file)],
                true,
            )
            .await;
        assert_eq!(answer.status, 422, "{code} {}", answer.body);
        assert_eq!(answer.json()["problems"][0]["code"], code);
        assert!(answer.json()["problems"][0]["sentence"].as_str().unwrap().len() > 10);
    }
    let page = browser
        .upload(
            "/capture/pictures",
            &[("slot", "document-front")],
            &[("picture", b"text")],
            false,
        )
        .await;
    assert!(
        page.status == 422 && page.body.contains("not a JPEG, PNG or WebP"),
        "{}",
        page.status
    );
    let taken = browser
        .upload(
            "/capture/pictures",
            &[("slot", "document-front")],
            &[("picture", &good)],
            true,
        )
        .await;
    assert_eq!(
        (taken.status, taken.body.as_str()),
        (200, r#"{"next":"/capture/check"}"#)
    );
}

#[tokio::test]
async fn a_form_that_breaks_off_or_is_none_is_refused() {
    let server = Server::new().await;
    let mut browser = Browser::new(&server);
    browser.agree().await;
    browser.choose_passport().await;
    let whole = multipart(&[("slot", "document-front")], &[("picture", &photo(90))]);
    let kind = format!("multipart/form-data; boundary={BOUNDARY}");
    for (kind, body) in [
        (kind.as_str(), &whole[..whole.len() / 2]),
        (kind.as_str(), b""),
        ("text/plain", b"x"),
        ("", b"x"),
    ] {
        let headers = [
            ("sec-fetch-site", "same-origin"),
            ("content-type", kind),
            ("accept", "application/json"),
        ];
        let answer = browser.send("POST", "/capture/pictures", &headers, body).await;
        assert_eq!(
            (answer.status, answer.json()["problems"][0]["code"].as_str()),
            (422, Some("file_damaged")),
            "{kind}"
        );
    }
}

#[tokio::test]
async fn posts_from_other_sites_change_nothing() {
    let server = Server::new().await;
    let created = server.create("{}").await;
    let path = created["verificationUrl"]
        .as_str()
        .unwrap()
        .strip_prefix("https://id.example")
        .unwrap()
        .to_owned();
    for headers in [[("sec-fetch-site", "cross-site")], [("origin", "https://evil.example")]] {
        let answer = Browser::new(&server).send("POST", &path, &headers, b"").await;
        assert_eq!(answer.status, 403);
    }
    let status = server
        .call(
            "GET",
            &format!("/v1/verification-sessions/{}", created["id"].as_str().unwrap()),
            "",
        )
        .await;
    assert_eq!(status.json()["status"], "created");
}

#[tokio::test]
async fn a_used_link_opens_nowhere_else_and_leads_its_own_browser_back() {
    let server = Server::new().await;
    let mut mine = Browser::new(&server);
    let created = mine.agree().await;
    let path = created["verificationUrl"]
        .as_str()
        .unwrap()
        .strip_prefix("https://id.example")
        .unwrap()
        .to_owned();
    assert_eq!(mine.get(&path).await.header("location"), Some("/capture"));
    assert_eq!(mine.post(&path, "").await.header("location"), Some("/capture"));
    let mut other = Browser::new(&server);
    let (used, unknown) = (
        other.get(&path).await,
        other.get(&format!("/v/{}", "A".repeat(43))).await,
    );
    assert_eq!((used.status, unknown.status), (404, 404));
    let plain = |answer: &Answer, path: &str| {
        let nonce = answer
            .header("content-security-policy")
            .unwrap()
            .split("'nonce-")
            .nth(1)
            .unwrap()
            .split('\'')
            .next()
            .unwrap()
            .to_owned();
        answer.body.replace(&nonce, "").replace(path, "")
    };
    assert_eq!(plain(&used, &path), plain(&unknown, &format!("/v/{}", "A".repeat(43))));
    assert_eq!(other.post(&path, "").await.status, 404);
    assert_eq!(other.get("/capture").await.status, 401);
}

#[tokio::test]
async fn the_language_switch_is_kept_and_the_pages_obey_it() {
    let server = Server::new().await;
    let mut browser = Browser::new(&server);
    browser.agree().await;
    let switched = browser.get("/capture/document-type?lang=ja").await;
    assert_eq!(
        (switched.status, switched.header("location")),
        (303, Some("/capture/document-type"))
    );
    let page = browser.get("/capture/document-type").await;
    assert!(page.body.contains("lang=\"ja\"") && page.header("permissions-policy").unwrap().contains("camera=(self)"));
    assert_eq!(page.header("referrer-policy"), Some("no-referrer"));
}
