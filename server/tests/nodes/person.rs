//! A person with a browser that runs no scripts, who goes through the pages by their plain forms.

use super::http::{Answer, call};
use app::{capture::consent::CONSENT_VERSION, forms};
use std::{fmt::Write as _, io, net::SocketAddr};

const BOUNDARY: &str = "----a-boundary-of-a-browser";
/// A photo of the passport of somebody who does not exist.
const PASSPORT: &[u8] = include_bytes!("../../../vision/tests/specimens/passport.jpg");

/// A browser and its cookies.
#[derive(Clone)]
pub(crate) struct Person {
    pub(crate) address: SocketAddr,
    cookies: Vec<(String, String)>,
}

/// An error for a response that is not the expected one.
fn unexpected(path: &str, answer: &Answer) -> io::Error {
    io::Error::other(format!("{path}: {}", answer.status))
}

impl Person {
    pub(crate) fn at(address: SocketAddr) -> Self {
        Self {
            address,
            cookies: Vec::new(),
        }
    }

    pub(crate) async fn get(&mut self, path: &str) -> io::Result<Answer> {
        self.send("GET", path, "", b"").await
    }

    /// Sends a form, which leads on to another page.
    pub(crate) async fn post(&mut self, path: &str, fields: &str) -> io::Result<Answer> {
        let kind = "content-type: application/x-www-form-urlencoded\r\n";
        self.lead_on(path, kind, fields.as_bytes()).await
    }

    /// Opens a link, agrees, and chooses a passport.
    pub(crate) async fn begin(&mut self, link: &str) -> io::Result<()> {
        self.get(link).await?;
        self.post(link, "").await?;
        let consent = format!("decision=accept&version={CONSENT_VERSION}&retentionDays=90");
        self.post(forms::CONSENT, &consent).await?;
        self.post(forms::CHOOSE, "documentType=passport").await?;
        Ok(())
    }

    /// Sends the photo of the passport. Returns the address of the stored picture.
    pub(crate) async fn photograph(&mut self) -> io::Result<String> {
        let text = [(forms::DOCUMENT_TYPE, "passport"), (forms::SLOT, forms::SLOT_FRONT)];
        self.upload(forms::PICTURES, &text, forms::PICTURE).await?;
        let page = self.get(forms::CHECK).await?.text();
        let address = between(&page, "src=\"", "\"", "/capture/pictures/");
        address.ok_or_else(|| io::Error::other("the page shows no picture"))
    }

    /// Does what the pages ask for, until the result is shown: uses the photo, enters the details, sends a selfie and submits. Whoever
    /// submits while the photo is still being analysed may be asked for another one.
    pub(crate) async fn finish(&mut self) -> io::Result<()> {
        loop {
            match self.due().await?.as_str() {
                forms::DOCUMENT => drop(self.photograph().await?),
                forms::CHECK => self.use_photo().await?,
                forms::DETAILS => {
                    let details = "lastName=Tanaka&firstName=Hanako&birthYear=1990&birthMonth=2&birthDay=28&address=1-2-3+Chiyoda,+Tokyo";
                    self.post(forms::DETAILS, details).await?;
                }
                forms::SELFIE => {
                    let text = [(forms::WITHOUT_CHALLENGE, forms::YES)];
                    self.upload(forms::SELFIE, &text, forms::FRAME).await?;
                }
                forms::SUBMIT => drop(self.post(forms::SUBMIT, "decision=send").await?),
                forms::RESULT => return Ok(()),
                other => return Err(io::Error::other(format!("{other} is due"))),
            }
        }
    }

    /// The page that is due.
    async fn due(&mut self) -> io::Result<String> {
        let answer = self.get(forms::CAPTURE).await?;
        let page = answer.headers("location").next().map(str::to_owned);
        page.ok_or_else(|| unexpected(forms::CAPTURE, &answer))
    }

    async fn use_photo(&mut self) -> io::Result<()> {
        let page = self.get(forms::CHECK).await?.text();
        let shown = between(&page, "name=\"shown\" value=\"", "\"", "").unwrap_or_default();
        self.post(forms::CHECK, &format!("decision=use&shown={shown}")).await?;
        Ok(())
    }

    async fn upload(&mut self, path: &str, texts: &[(&str, &str)], file: &str) -> io::Result<Answer> {
        let mut body = Vec::new();
        for (name, value) in texts {
            let part = format!("--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
            body.extend(part.into_bytes());
        }
        let part = format!(
            "--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"{file}\"; filename=\"a.jpg\"\r\ncontent-type: image/jpeg\r\n\r\n"
        );
        body.extend(part.into_bytes());
        body.extend_from_slice(PASSPORT);
        body.extend(format!("\r\n--{BOUNDARY}--\r\n").into_bytes());
        let kind = format!("content-type: multipart/form-data; boundary={BOUNDARY}\r\n");
        self.lead_on(path, &kind, &body).await
    }

    async fn lead_on(&mut self, path: &str, headers: &str, body: &[u8]) -> io::Result<Answer> {
        let answer = self.send("POST", path, headers, body).await?;
        if answer.status == 303 {
            Ok(answer)
        } else {
            Err(unexpected(path, &answer))
        }
    }

    async fn send(&mut self, method: &str, path: &str, headers: &str, body: &[u8]) -> io::Result<Answer> {
        let mut head = format!("{method} {path} HTTP/1.1\r\nsec-fetch-site: same-origin\r\n{headers}");
        if !self.cookies.is_empty() {
            let pairs = self.cookies.iter().map(|(name, value)| format!("{name}={value}"));
            write!(head, "cookie: {}\r\n", pairs.collect::<Vec<_>>().join("; ")).map_err(io::Error::other)?;
        }
        let answer = call(self.address, &head, body).await?;
        for cookie in answer.headers("set-cookie") {
            let (name, value) = cookie.split(';').next().unwrap().split_once('=').unwrap();
            self.cookies.retain(|(known, _)| known != name);
            self.cookies.push((name.to_owned(), value.to_owned()));
        }
        Ok(answer)
    }
}

/// The first text between `before` and `after` that begins with `start`.
fn between(page: &str, before: &str, after: &str, start: &str) -> Option<String> {
    let parts = page.split(before).skip(1);
    let mut texts = parts.filter_map(|rest| rest.split(after).next());
    texts.find(|text| text.starts_with(start)).map(str::to_owned)
}
