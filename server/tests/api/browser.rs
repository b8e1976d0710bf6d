//! A browser without scripts: it keeps cookies, sends `Sec-Fetch-Site`, and uploads files.

use super::support::{Answer, Server};
use std::{fmt::Write as _, net::Ipv4Addr};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use vision::{Picture, raster::Raster};

pub(crate) const BOUNDARY: &str = "----a-boundary-of-a-browser";

/// What the page for a passport sends beside its photo.
pub(crate) const PASSPORT: [(&str, &str); 2] = [("documentType", "passport"), ("slot", "document-front")];

/// A browser.
pub(crate) struct Browser<'a> {
    server: &'a Server,
    /// Its loopback address.
    address: Ipv4Addr,
    cookies: Vec<(String, String)>,
}

impl<'a> Browser<'a> {
    pub(crate) fn new(server: &'a Server) -> Self {
        Self::at(server, Ipv4Addr::LOCALHOST)
    }

    /// A browser at another loopback address.
    pub(crate) fn at(server: &'a Server, address: Ipv4Addr) -> Self {
        Self {
            server,
            address,
            cookies: Vec::new(),
        }
    }

    /// Its loopback address.
    pub(crate) const fn address(&self) -> Ipv4Addr {
        self.address
    }

    /// Its cookies as a header value.
    pub(crate) fn cookies(&self) -> String {
        let pairs: Vec<_> = self
            .cookies
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        pairs.join("; ")
    }

    pub(crate) async fn send(&mut self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut head = format!("{method} {path} HTTP/1.1\r\nhost: id.example\r\nconnection: close\r\n");
        if !self.cookies.is_empty() {
            write!(head, "cookie: {}\r\n", self.cookies()).unwrap();
        }
        for (name, value) in headers {
            write!(head, "{name}: {value}\r\n").unwrap();
        }
        write!(head, "content-length: {}\r\n\r\n", body.len()).unwrap();
        let stream = self.server.connect_from(self.address).await;
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

    pub(crate) async fn get(&mut self, path: &str) -> Answer {
        self.send("GET", path, &[("sec-fetch-site", "same-origin")], b"").await
    }

    pub(crate) async fn post(&mut self, path: &str, form: &str) -> Answer {
        let headers = [
            ("sec-fetch-site", "same-origin"),
            ("content-type", "application/x-www-form-urlencoded"),
        ];
        self.send("POST", path, &headers, form.as_bytes()).await
    }

    pub(crate) async fn upload(
        &mut self,
        path: &str,
        texts: &[(&str, &str)],
        files: &[(&str, &[u8])],
        json: bool,
    ) -> Answer {
        let kind = format!("multipart/form-data; boundary={BOUNDARY}");
        let accept = if json { "application/json" } else { "text/html" };
        let headers = [
            ("sec-fetch-site", "same-origin"),
            ("content-type", kind.as_str()),
            ("accept", accept),
        ];
        self.send("POST", path, &headers, &multipart(texts, files)).await
    }

    /// Opens a link as a person does: looks at its page, then taps Start.
    pub(crate) async fn open(&mut self, link: &str) -> Answer {
        self.get(link).await;
        self.post(link, "").await
    }

    /// Opens the link of a new session and agrees.
    pub(crate) async fn agree(&mut self) -> serde_json::Value {
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
            .post(
                "/capture/consent",
                &format!("decision=accept&version={version}&retentionDays=90"),
            )
            .await;
        assert_eq!(
            (agreed.status, agreed.header("location")),
            (303, Some("/capture/document-type"))
        );
        created
    }

    pub(crate) async fn choose_passport(&mut self) {
        let chosen = self.post("/capture/document-type", "documentType=passport").await;
        assert_eq!(chosen.header("location"), Some("/capture/document"));
    }
}

pub(crate) fn multipart(texts: &[(&str, &str)], files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, value) in texts {
        body.extend(
            format!("--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n").bytes(),
        );
    }
    for (name, bytes) in files {
        // As browsers do for an input that was left empty.
        let file = if bytes.is_empty() { "" } else { "a.jpg" };
        body.extend(
            format!("--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"{name}\"; filename=\"{file}\"\r\ncontent-type: image/jpeg\r\n\r\n")
                .bytes(),
        );
        body.extend_from_slice(bytes);
        body.extend(b"\r\n");
    }
    body.extend(format!("--{BOUNDARY}--\r\n").bytes());
    body
}

/// A grey sheet.
pub(crate) fn photo(grey: u8) -> Vec<u8> {
    Picture::from_raster(Raster::filled(640, 480, [grey; 3])).unwrap().jpeg
}
