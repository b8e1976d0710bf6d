//! Phones: each takes a session up to its pictures, then all of them send both sides of a document at the same time, at the
//! speed of a phone, and retry like the page when they are refused.

use crate::{
    http::{Answer, call},
    node::Node,
};
use app::{camera::retry::Retry, capture::consent::CONSENT_VERSION, forms};
use std::{
    fmt::Write as _,
    io,
    net::{Ipv4Addr, SocketAddr},
    ops::AddAssign,
    sync::Arc,
    time::Duration,
};
use tokio::{
    task::JoinSet,
    time::{Instant, sleep},
};
use vision::{Picture, raster::Raster};

const BOUNDARY: &str = "----a-boundary-of-a-phone";
/// The document that all of them photograph.
const KIND: &str = "driving_license";
/// A slow mobile network.
const BYTES_PER_SECOND: usize = 300_000;
/// Size of a picture of a document.
const PICTURE_BYTES: usize = 1_500_000;
/// Phones of one network.
const PER_NETWORK: usize = 20;

/// The result of all phones.
#[derive(Default)]
pub(crate) struct Outcome {
    /// Responses that asked to retry later.
    pub(crate) refused: usize,
    /// Attempts without a response.
    pub(crate) broken: usize,
    /// Phones that did not get both pictures through automatically.
    pub(crate) lost: usize,
    /// From the first byte to the response to the last picture.
    pub(crate) took: Duration,
}

impl AddAssign for Outcome {
    fn add_assign(&mut self, other: Self) {
        self.refused += other.refused;
        self.broken += other.broken;
        self.lost += other.lost;
        self.took += other.took;
    }
}

/// A phone in the middle of its session.
pub(crate) struct Phone {
    to: SocketAddr,
    from: Ipv4Addr,
    cookies: Vec<(String, String)>,
}

/// Phones before their first picture.
pub(crate) async fn prepare(node: &Node, phones: usize) -> Vec<Phone> {
    let mut ready = Vec::new();
    for number in 0..phones {
        let [high, low] = u16::try_from(number / PER_NETWORK).unwrap().to_be_bytes();
        let from = Ipv4Addr::new(127, 100 + high, low, 1 + u8::try_from(number % PER_NETWORK).unwrap());
        ready.push(Phone::begin(node, from).await.unwrap());
    }
    ready
}

/// The forms of both sides of a document. Created before anything is measured, because that keeps the cores busy for a while.
pub(crate) type Sides = [Arc<Vec<u8>>; 2];

pub(crate) fn sides() -> Sides {
    [forms::SLOT_FRONT, forms::SLOT_BACK].map(|slot| Arc::new(form(slot)))
}

/// Makes all of them send at the same time.
pub(crate) async fn send_all(phones: Vec<Phone>, sides: &Sides) -> Outcome {
    let began = Instant::now();
    let mut running = JoinSet::new();
    for phone in phones {
        let sides = sides.clone();
        running.spawn(phone.send_both(sides));
    }
    let mut all = Outcome::default();
    while let Some(one) = running.join_next().await {
        all += one.unwrap();
    }
    all.took = began.elapsed();
    all
}

impl Phone {
    /// A phone that has chosen its document.
    pub(crate) async fn begin(node: &Node, from: Ipv4Addr) -> io::Result<Self> {
        let mut phone = Self {
            to: node.address,
            from,
            cookies: Vec::new(),
        };
        let head = format!("authorization: Bearer {}\r\n", node.key);
        let made = phone
            .ask("POST", "/v1/verification-sessions", &head, b"{}", None)
            .await?;
        let made: serde_json::Value = serde_json::from_str(&made.body)?;
        let link = made["verificationUrl"]
            .as_str()
            .unwrap()
            .replace("http://id.example", "");
        phone.ask("GET", &link, "", b"", None).await?;
        let consent = format!("decision=accept&version={CONSENT_VERSION}&retentionDays=90");
        let choice = format!("{}={KIND}", forms::DOCUMENT_TYPE);
        let steps: [(&str, &str); 3] = [(&link, ""), (forms::CONSENT, &consent), (forms::CHOOSE, &choice)];
        for (path, fields) in steps {
            let done = phone.post(path, fields).await?;
            assert_eq!(done.status, 303, "{path}");
        }
        Ok(phone)
    }

    async fn post(&mut self, path: &str, fields: &str) -> io::Result<Answer> {
        let kind = "content-type: application/x-www-form-urlencoded\r\n";
        self.ask("POST", path, kind, fields.as_bytes(), None).await
    }

    /// The head of an upload by this phone.
    pub(crate) fn upload_head(&self, length: usize) -> String {
        let kind = format!("content-type: multipart/form-data; boundary={BOUNDARY}\r\naccept: application/json\r\n");
        self.head("POST", forms::PICTURES, &kind, length)
    }

    fn head(&self, method: &str, path: &str, more: &str, length: usize) -> String {
        let mut head = format!(
            "{method} {path} HTTP/1.1\r\nhost: id.example\r\nconnection: close\r\nsec-fetch-site: same-origin\r\n{more}"
        );
        if !self.cookies.is_empty() {
            let pairs = self.cookies.iter().map(|(name, value)| format!("{name}={value}"));
            write!(head, "cookie: {}\r\n", pairs.collect::<Vec<_>>().join("; ")).unwrap();
        }
        write!(head, "content-length: {length}\r\n\r\n").unwrap();
        head
    }

    async fn ask(
        &mut self,
        method: &str,
        path: &str,
        more: &str,
        body: &[u8],
        rate: Option<usize>,
    ) -> io::Result<Answer> {
        let head = self.head(method, path, more, body.len());
        let answer = call(self.to, self.from, &head, body, rate).await?;
        for cookie in answer.headers("set-cookie") {
            let (name, value) = cookie.split(';').next().unwrap().split_once('=').unwrap();
            self.cookies.retain(|(known, _)| known != name);
            self.cookies.push((name.to_owned(), value.to_owned()));
        }
        Ok(answer)
    }

    async fn send_both(mut self, sides: Sides) -> Outcome {
        let mut outcome = Outcome::default();
        for side in sides {
            if !self.deliver(&side, &mut outcome).await {
                outcome.lost = 1;
                return outcome;
            }
        }
        outcome
    }

    /// Uses the photo whatever its page says about it.
    async fn use_it(&mut self) -> io::Result<Answer> {
        let page = self.ask("GET", forms::CHECK, "", b"", None).await?;
        let shown = page
            .body
            .split_once("name=\"shown\" value=\"")
            .and_then(|(_, rest)| rest.split_once('"'));
        let shown = shown.map_or("", |(shown, _)| shown);
        self.post(forms::CHECK, &format!("decision=use&shown={shown}")).await
    }

    /// Sends one side until it is accepted, and uses it as it is. Returns whether it was accepted.
    async fn deliver(&mut self, side: &[u8], outcome: &mut Outcome) -> bool {
        let began = Instant::now();
        let now = || u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let mut retry = Retry::begin(0);
        let mut confirmed = false;
        loop {
            let done = if confirmed {
                self.use_it().await
            } else {
                let head = self.upload_head(side.len());
                call(self.to, self.from, &head, side, Some(BYTES_PER_SECOND)).await
            };
            let asked = match done {
                Ok(answer) if answer.status == 200 => {
                    confirmed = true;
                    continue;
                }
                Ok(answer) if answer.status == 303 => return true,
                Ok(answer) if answer.status == 503 => {
                    outcome.refused += 1;
                    let asked = answer.headers("retry-after").next();
                    asked.and_then(|seconds| seconds.parse().ok())
                }
                // Neither accepted nor "retry later".
                Ok(_) => return false,
                Err(_) => {
                    outcome.broken += 1;
                    None
                }
            };
            let Some(wait) = retry.wait(now(), asked, rand::random()) else {
                return false;
            };
            sleep(Duration::from_millis(wait)).await;
        }
    }
}

/// The form of one side: a picture of noise with the size and dimensions of a photo.
fn form(slot: &str) -> Vec<u8> {
    let (width, height) = (2_600, 1_950);
    let mut state = slot.len() as u32;
    let mut noise = || {
        // xorshift (Marsaglia 2003): any noise will do.
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 24) as u8
    };
    let mut picture = Vec::new();
    // Searches for the grain that gives the right size, because encoders differ.
    for grain in [4, 8, 12, 16, 24, 32, 48, 64] {
        let pixels = (0..width * height).flat_map(|_| [128 + noise() % grain; 3]).collect();
        picture = Picture::from_raster(Raster::new(width, height, pixels).unwrap())
            .unwrap()
            .jpeg;
        if picture.len() >= PICTURE_BYTES {
            break;
        }
    }
    let text =
        |(name, value)| format!("--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
    let texts = [(forms::DOCUMENT_TYPE, KIND), (forms::SLOT, slot)].map(text).concat();
    let file = format!(
        "--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"picture\"; filename=\"a.jpg\"\r\ncontent-type: image/jpeg\r\n\r\n"
    );
    [
        texts.as_bytes(),
        file.as_bytes(),
        &picture,
        format!("\r\n--{BOUNDARY}--\r\n").as_bytes(),
    ]
    .concat()
}
