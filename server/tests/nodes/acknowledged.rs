//! Customers and people who use a node, and note what it acknowledged.

use super::{http::call, person::Person};
use serde_json::{Value, json};
use std::{
    future::Future,
    io,
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};
use testkit::receiver::Receiver;
use tokio::task::JoinSet;

/// How many use a node at the same time.
const CLIENTS: usize = 6;

/// What somebody was told, and must find again.
#[derive(Clone)]
pub(super) enum Fact {
    /// The key of a tenant works.
    Tenant(String),
    /// A session by tenant's key and id, with the number in its metadata and in its personal data.
    Session(String, String, usize),
    /// A link was used.
    LinkUsed(String),
    /// A person's picture at this address has these bytes.
    Picture(Person, String, Vec<u8>),
    /// The session is past the person's part.
    Submitted(String, String),
    /// The session has ended with this event.
    Event(String, Value),
    /// The receiver got the event with this id, of this session.
    Delivered(String, String),
    /// The personal data of a session is erased.
    Erased(String, String),
}

/// A fact, and the times between which it holds.
#[derive(Clone)]
pub(super) struct Note {
    pub(super) from: u64,
    pub(super) until: u64,
    pub(super) fact: Fact,
}

/// Everything that was acknowledged.
pub(super) struct Notes {
    /// Tells the time: any number that never decreases.
    now: Box<dyn Fn() -> u64 + Send + Sync>,
    notes: Mutex<Vec<Note>>,
    number: AtomicUsize,
}

impl Notes {
    pub(super) fn new(now: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        Self {
            now: Box::new(now),
            notes: Mutex::default(),
            number: AtomicUsize::new(0),
        }
    }

    /// Writes down what was acknowledged a moment ago. Returns its place.
    pub(super) fn add(&self, fact: Fact) -> usize {
        let from = (self.now)();
        let mut notes = self.notes.lock().unwrap();
        notes.push(Note {
            from,
            until: u64::MAX,
            fact,
        });
        notes.len() - 1
    }

    /// From now on a fact need not hold.
    fn end(&self, note: usize) {
        self.notes.lock().unwrap()[note].until = (self.now)();
    }

    /// All of them but the first `known`, in order.
    pub(super) fn since(&self, known: usize) -> Vec<Note> {
        self.notes.lock().unwrap()[known..].to_vec()
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.notes.lock().unwrap().len()
    }
}

/// The keys of a live tenant and of a sandbox tenant.
#[derive(Clone)]
pub(super) struct Keys {
    pub(super) live: String,
    pub(super) sandbox: String,
}

/// Uses the node until `enough` facts are noted. Fails if a request fails.
pub(super) async fn use_node(
    address: SocketAddr,
    keys: &Keys,
    notes: &Arc<Notes>,
    receiver: &Arc<Receiver>,
    enough: usize,
) {
    let mut busy = JoinSet::new();
    for client in 0..CLIENTS {
        let (notes, keys) = (Arc::clone(notes), keys.clone());
        busy.spawn(async move {
            while notes.count() < enough {
                visit(client, address, &keys, &notes).await.unwrap();
            }
        });
    }
    tokio::select! {
        () = listen(Arc::clone(notes), Arc::clone(receiver)) => {}
        () = async { while let Some(ended) = busy.join_next().await { ended.unwrap(); } } => {}
    }
}

/// Uses the node until a request fails. Returns why.
pub(super) async fn use_until_it_fails(address: SocketAddr, keys: &Keys, notes: &Notes) -> io::Error {
    let visits = (0..CLIENTS).map(|client| {
        Box::pin(async move {
            loop {
                if let Err(error) = visit(client, address, keys, notes).await {
                    return error;
                }
            }
        })
    });
    futures::future::select_all(visits).await.0
}

/// A visit of this client: half of them are people, half are customers of a sandbox.
async fn visit(client: usize, address: SocketAddr, keys: &Keys, notes: &Notes) -> io::Result<()> {
    if client < CLIENTS / 2 {
        verify(address, &keys.live, notes).await
    } else {
        complete(address, &keys.sandbox, notes).await
    }
}

/// Notes what the receiver got.
async fn listen(notes: Arc<Notes>, receiver: Arc<Receiver>) {
    for number in receiver.count().. {
        receiver.wait_for(number + 1).await;
        let request = &receiver.received()[number];
        let session = request.json()["data"]["session"]["sessionId"]
            .as_str()
            .unwrap()
            .to_owned();
        notes.add(Fact::Delivered(session, request.header("webhook-id").to_owned()));
    }
}

/// Creates a session. Returns its id, the path of its link, and its number.
async fn session(address: SocketAddr, key: &str, notes: &Notes) -> io::Result<(String, String, usize)> {
    let number = notes.number.fetch_add(1, Ordering::SeqCst);
    let body = json!({"metadata": {"number": number}, "preRegisteredInfo": {"lastName": format!("Tanaka {number}")}});
    let head = format!("POST /v1/verification-sessions HTTP/1.1\r\nauthorization: Bearer {key}\r\n");
    let created = call(address, &head, body.to_string().as_bytes()).await?;
    assert_eq!(created.status, 201, "{}", created.text());
    let created = created.json();
    let id = created["id"].as_str().unwrap().to_owned();
    let link = created["verificationUrl"].as_str().unwrap();
    let link = link.strip_prefix("http://id.example").unwrap().to_owned();
    notes.add(Fact::Session(key.to_owned(), id.clone(), number));
    Ok((id, link, number))
}

/// A person goes through the pages: some keep their picture, some submit, some have it erased.
async fn verify(address: SocketAddr, key: &str, notes: &Notes) -> io::Result<()> {
    let (id, link, number) = session(address, key, notes).await?;
    let mut person = Person::at(address);
    person.begin(&link).await?;
    notes.add(Fact::LinkUsed(link));
    let picture = person.photograph().await?;
    let bytes = person.get(&picture).await?.body;
    let noted = notes.add(Fact::Picture(person.clone(), picture, bytes));
    match number % 4 {
        0 => {
            notes.end(noted);
            person.finish().await?;
            notes.add(Fact::Submitted(key.to_owned(), id));
        }
        1 => {
            notes.end(noted);
            erase(address, key, &id).await?;
            notes.add(Fact::Erased(key.to_owned(), id));
        }
        _ => {}
    }
    Ok(())
}

async fn erase(address: SocketAddr, key: &str, id: &str) -> io::Result<()> {
    let path = format!("/v1/verification-sessions/{id}/erase");
    let head = format!("POST {path} HTTP/1.1\r\nauthorization: Bearer {key}\r\n");
    let asked = call(address, &head, b"").await?;
    assert_eq!(asked.status, 202, "{}", asked.text());
    until(|| async { Ok(!read(address, key, id).await?["purgedAt"].is_null()) }).await
}

/// Completes a session of a sandbox, and finds its event.
async fn complete(address: SocketAddr, key: &str, notes: &Notes) -> io::Result<()> {
    let (id, ..) = session(address, key, notes).await?;
    let head =
        format!("POST /v1/sandbox/verification-sessions/{id}/complete HTTP/1.1\r\nauthorization: Bearer {key}\r\n");
    let done = call(address, &head, br#"{"outcome":"approved"}"#).await?;
    assert_eq!(done.status, 200, "{}", done.text());
    notes.add(Fact::Submitted(key.to_owned(), id.clone()));
    let events = get(address, key, "/v1/events?limit=100").await?;
    let of_it = |event: &&Value| event["data"]["session"]["sessionId"] == id.as_str();
    let event = events["events"].as_array().unwrap().iter().find(of_it);
    notes.add(Fact::Event(key.to_owned(), event.unwrap().clone()));
    Ok(())
}

/// A session as the API returns it.
pub(super) async fn read(address: SocketAddr, key: &str, id: &str) -> io::Result<Value> {
    get(address, key, &format!("/v1/verification-sessions/{id}")).await
}

/// The body of a response that is a success.
pub(super) async fn get(address: SocketAddr, key: &str, path: &str) -> io::Result<Value> {
    let head = format!("GET {path} HTTP/1.1\r\nauthorization: Bearer {key}\r\n");
    let answer = call(address, &head, b"").await?;
    if answer.status == 200 {
        Ok(answer.json())
    } else {
        Err(io::Error::other(format!("{path}: {} {}", answer.status, answer.text())))
    }
}

/// Asks until the answer is yes.
async fn until<F>(ask: impl Fn() -> F) -> io::Result<()>
where
    F: Future<Output = io::Result<bool>>,
{
    while !ask().await? {
        tokio::task::yield_now().await;
    }
    Ok(())
}
