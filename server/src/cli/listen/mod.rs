//! `listen`: webhooks for a receiver that Honnin cannot reach, such as one on a developer's laptop. It asks the API for new events,
//! signs each one as a webhook, and sends it to the receiver. The server needs no configuration for it, and can run anywhere.

use super::{Failure, Settings, block_on, demo::Kept, read, say};
use crate::{config::Layers, http_client::Client};
use clap::Args;
use domain::{ids::EventId, secret::Secret, time::Clock as _};
use http::StatusCode;
use serde::Deserialize;
use serde_json::value::RawValue;
use service::{
    runtime::clock::SystemClock,
    webhook::sender::{
        headers,
        signature::{SignedRequest, SigningSecret},
    },
};
use sha2::{Digest as _, Sha256};
use std::{
    collections::HashSet,
    io::Write as _,
    path::PathBuf,
    time::{Duration, Instant},
};
use url::Url;

/// Time between two looks, and once nothing has happened in [`QUIET`] looks: each one is an entry in the request log.
const INTERVAL: Duration = Duration::from_secs(1);
const QUIET_INTERVAL: Duration = Duration::from_secs(5);
const QUIET: u32 = 120;
/// Time before an event is sent to the receiver again, and how often it is sent.
const RETRY: Duration = Duration::from_secs(5);
const ATTEMPTS: u32 = 10;
/// For how long Honnin may not answer, or refuse, before a run that waits for a number of events gives up.
const LOST: Duration = Duration::from_secs(60);
/// Where the demonstration listens by default.
const DEFAULT_URL: &str = "http://localhost:3000";

#[derive(Args)]
pub(super) struct Listen {
    /// URL of your receiver, http or https.
    #[arg(long, value_name = "URL", value_parser = http_url)]
    forward_to: Url,
    /// Base URL of Honnin. By default HONNIN_URL, the demonstration's URL, or http://localhost:3000.
    #[arg(long, value_name = "URL", value_parser = http_url)]
    url: Option<Url>,
    /// API key with the scope `read`. By default HONNIN_API_KEY, or the key of the demonstration's sandbox tenant. If given here, other
    /// users of the machine can see it in the list of processes.
    #[arg(long)]
    key: Option<String>,
    /// Signing secret, `whsec_..`. By default HONNIN_WEBHOOK_SECRET, or one that is derived from the key and printed. If given here,
    /// other users of the machine can see it in the list of processes.
    #[arg(long)]
    secret: Option<String>,
    /// PEM file to trust, if Honnin has a self-signed certificate.
    #[arg(long, value_name = "FILE")]
    trust: Option<PathBuf>,
    /// First send up to this many of the newest existing events; at most 100.
    #[arg(long, value_name = "COUNT", default_value_t = 0, value_parser = clap::value_parser!(u8).range(..=100))]
    replay: u8,
    /// Exit after this many events have been accepted, or with an error as soon as it gives up on one, or if Honnin has not answered for a
    /// minute.
    #[arg(long, value_name = "COUNT")]
    until: Option<usize>,
}

/// `GET /v1/events`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    events: Vec<Box<RawValue>>,
    next_cursor: Option<String>,
}

/// What is shown of an event.
#[derive(Deserialize)]
struct Envelope {
    id: EventId,
    #[serde(rename = "type")]
    kind: String,
}

/// An event that the receiver has not accepted yet.
struct Waiting {
    id: EventId,
    kind: String,
    body: Vec<u8>,
    attempts: u32,
    due: Instant,
}

struct Listener {
    client: Client,
    events: Url,
    authorization: String,
    forward_to: Url,
    secret: SigningSecret,
    seen: HashSet<EventId>,
    waiting: Vec<Waiting>,
    progress: Progress,
}

/// How far back a look goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// The newest page, of 100 events.
    NewestPage,
    /// Page after page until one has an event that was seen before, however many are new: those that a look leaves out, no later one finds.
    LastSeen,
}

/// What became of the events so far.
#[derive(Clone, Copy, Default)]
struct Progress {
    accepted: usize,
    given_up: usize,
}

impl Progress {
    /// How a run that waits for `until` accepted events ends; `None` while it goes on.
    fn end(self, until: Option<usize>) -> Option<Result<(), Failure>> {
        let until = until?;
        if self.accepted >= until {
            return Some(Ok(()));
        }
        if self.given_up > 0 {
            return Some(Err("the receiver did not accept every event".into()));
        }
        None
    }
}

/// Whether a run that waits for `until` accepted events ends if there has been no list of events for so long. Nobody may be there to end it.
fn gives_up(until: Option<usize>, lost: Duration) -> bool {
    until.is_some() && lost >= LOST
}

fn http_url(text: &str) -> Result<Url, String> {
    Url::parse(text)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https"))
        .ok_or_else(|| "must be a URL that begins with http:// or https://".to_owned())
}

pub(super) fn run(settings: &Settings, arguments: Listen) -> Result<(), Failure> {
    if arguments.key.is_some() || arguments.secret.is_some() {
        let warning =
            "--key and --secret are visible in the list of processes; HONNIN_API_KEY and HONNIN_WEBHOOK_SECRET are not";
        drop(writeln!(std::io::stderr(), "honnin: {warning}"));
    }
    let layers = settings.layers()?;
    let set = layers.client_variables();
    // What comes from a file or the clipboard may end in a line break.
    let given = |argument: Option<String>, variable: &Option<Secret<String>>| {
        let text = argument.map(Secret::new).or_else(|| variable.clone())?;
        Some(Secret::new(text.expose().trim().to_owned()))
    };
    let key = match given(arguments.key, &set.api_key) {
        Some(key) => key.expose().clone(),
        None => {
            let kept = demonstration(&layers)?.ok_or("there is no demonstration in this folder: set HONNIN_API_KEY")?;
            kept.sandbox.api_key
        }
    };
    let url = match (arguments.url, &set.url) {
        (Some(url), _) => url,
        (None, Some(text)) => http_url(text.trim()).map_err(|wrong| format!("HONNIN_URL {wrong}"))?,
        // A folder whose configuration cannot be read has none.
        (None, None) => match demonstration(&layers).ok().flatten().and_then(|kept| kept.url) {
            Some(url) => url,
            None => Url::parse(DEFAULT_URL)?,
        },
    };
    let secret = match given(arguments.secret, &set.webhook_secret) {
        Some(text) => SigningSecret::parse(&text).ok_or("the signing secret must be whsec_ and base64")?,
        None => secret_for(&key),
    };
    let mut listener = Listener {
        client: Client::new(arguments.trust.as_deref())?,
        events: url.join("/v1/events?limit=100")?,
        authorization: format!("Bearer {key}"),
        forward_to: arguments.forward_to,
        secret,
        seen: HashSet::new(),
        waiting: Vec::new(),
        progress: Progress::default(),
    };
    block_on(async move { listener.listen(arguments.replay.into(), arguments.until).await })
}

/// The demonstration on this machine, if there is one.
fn demonstration(layers: &Layers) -> Result<Option<Kept>, Failure> {
    Ok(Kept::read(&read(layers)?.data_dir))
}

/// The same for the same key, so that the receiver is configured once.
fn secret_for(key: &str) -> SigningSecret {
    let bytes = Sha256::new_with_prefix("honnin listen ").chain_update(key).finalize();
    SigningSecret::new(Secret::new(bytes.to_vec()))
}

impl Listener {
    async fn listen(&mut self, replay: usize, until: Option<usize>) -> Result<(), Failure> {
        // Everything is new now, and the newest page is enough.
        let past = self.look(Reach::NewestPage).await?;
        let skipped = past.len().saturating_sub(replay);
        self.waiting.extend(past.into_iter().skip(skipped));
        say(format_args!("Signing secret   {}", self.secret.to_text().expose()))?;
        say(format_args!("Forwarding to    {} (Ctrl-C to stop)", self.forward_to))?;
        let (mut lost_since, mut quiet) = (None::<Instant>, 0);
        loop {
            self.forward().await?;
            if let Some(end) = self.progress.end(until) {
                return end;
            }
            tokio::time::sleep(if quiet < QUIET { INTERVAL } else { QUIET_INTERVAL }).await;
            match self.look(Reach::LastSeen).await {
                Ok(new) => {
                    quiet = if new.is_empty() { quiet.saturating_add(1) } else { 0 };
                    self.waiting.extend(new);
                    if lost_since.take().is_some() {
                        say("connected again")?;
                    }
                }
                Err(error) => match lost_since {
                    None => {
                        lost_since = Some(Instant::now());
                        say(format_args!("{error}; trying again"))?;
                    }
                    Some(since) if gives_up(until, since.elapsed()) => return Err(error),
                    Some(_) => {}
                },
            }
        }
    }

    /// The events not seen before, oldest first.
    async fn look(&mut self, reach: Reach) -> Result<Vec<Waiting>, Failure> {
        let mut new = Vec::new();
        let mut url = self.events.clone();
        loop {
            let page = self.page(&url).await?;
            let (before, length) = (new.len(), page.events.len());
            for event in page.events {
                let envelope: Envelope = serde_json::from_str(event.get())?;
                if self.seen.contains(&envelope.id) {
                    continue;
                }
                new.push(Waiting {
                    id: envelope.id,
                    kind: envelope.kind,
                    body: event.get().as_bytes().to_vec(),
                    attempts: 0,
                    due: Instant::now(),
                });
            }
            let goes_on = reach == Reach::LastSeen && new.len() - before == length;
            let Some(next) = page.next_cursor.filter(|_| goes_on) else {
                break;
            };
            url = self.events.clone();
            url.query_pairs_mut().append_pair("cursor", &next);
        }
        self.seen.extend(new.iter().map(|event| event.id.clone()));
        new.reverse();
        Ok(new)
    }

    async fn page(&self, url: &Url) -> Result<Page, Failure> {
        let headers = [("authorization", self.authorization.clone())];
        let answer = self.client.send("GET", url, &headers, Vec::new()).await;
        let answer =
            answer.map_err(|error| format!("cannot reach {}: {error}", self.events.origin().ascii_serialization()))?;
        let (status, body) = (answer.status(), answer.body());
        if status != StatusCode::OK {
            let hint = if status == StatusCode::UNAUTHORIZED {
                " Events are listed with the scope `read`."
            } else {
                ""
            };
            // Errors of the API contain no personal data.
            return Err(format!("{url}: {status} {}{hint}", String::from_utf8_lossy(body)).into());
        }
        Ok(serde_json::from_slice(body)?)
    }

    /// Sends every event that is due.
    async fn forward(&mut self) -> Result<(), Failure> {
        for mut event in std::mem::take(&mut self.waiting) {
            if event.due > Instant::now() {
                self.waiting.push(event);
                continue;
            }
            let request = SignedRequest::new(
                event.id.clone(),
                SystemClock.now(),
                event.body.clone(),
                std::slice::from_ref(&self.secret),
            );
            let began = Instant::now();
            let answer = self
                .client
                .send("POST", &self.forward_to, &headers(&request), request.body)
                .await;
            let took = began.elapsed().as_millis();
            let (kind, id) = (&event.kind, &event.id);
            match &answer {
                Ok(answer) => say(format_args!("{kind} {id} -> {} in {took} ms", answer.status().as_u16()))?,
                Err(error) => say(format_args!("{kind} {id} -> {error}"))?,
            }
            if answer.is_ok_and(|answer| answer.status().is_success()) {
                self.progress.accepted += 1;
                continue;
            }
            event.attempts += 1;
            if event.attempts == ATTEMPTS {
                self.progress.given_up += 1;
                say(format_args!(
                    "giving up on {id} after {ATTEMPTS} attempts; --replay sends it again"
                ))?;
                continue;
            }
            event.due = Instant::now() + RETRY;
            self.waiting.push(event);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_waits_for_a_number_of_events_fails_once_one_was_given_up() {
        let ended = |accepted, given_up, until| Progress { accepted, given_up }.end(until).map(|end| end.is_ok());
        assert_eq!(ended(1, 0, Some(2)), None);
        assert_eq!(ended(2, 0, Some(2)), Some(true));
        assert_eq!(ended(1, 1, Some(2)), Some(false));
        assert_eq!(ended(0, 3, None), None, "it runs until it is stopped");
    }

    #[test]
    fn a_run_that_waits_for_a_number_of_events_fails_once_honnin_is_gone_for_a_minute() {
        assert!(gives_up(Some(2), Duration::from_secs(60)));
        assert!(!gives_up(Some(2), Duration::from_secs(59)));
        assert!(
            !gives_up(None, Duration::from_secs(3600)),
            "it runs until it is stopped"
        );
    }

    #[test]
    fn a_key_always_has_the_same_secret() {
        let text = secret_for("hn_test_a").to_text();
        assert_eq!(text.expose(), secret_for("hn_test_a").to_text().expose());
        assert_ne!(text.expose(), secret_for("hn_test_b").to_text().expose());
    }
}
