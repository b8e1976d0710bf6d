//! Three nodes on one PostgreSQL, one of them killed by `kill -9` in the middle of its work, again and again. The clients try the
//! next node where one does not answer.
//!
//! Planted faults that these tests detect: a lease of a minute; a claim without the condition on leases; a decision that does not
//! finish its job in the same unit; an idempotency key that only its own node knows.

use super::{
    free_port,
    node::{Installation, Node, add_tenant, settings},
};
use domain::{
    audit::AuditAction,
    document::{DocumentType, Side},
    ids::SessionId,
    scope::Scope,
    session::Step,
    tenant::TenantSettings,
    time::{Clock as _, Millis, Timestamp},
};
use rand::RngExt as _;
use serde_json::Value;
use server::state::App;
use service::{
    Honnin,
    access::{Applicant, Tenant, capture_cookie, tenant_by_key},
    capture::{
        check::{PhotoChoice, check_picture},
        choose_document::{Photos, choose_document},
        details::save_details,
        open_link::open_link,
        progress::{Next, StepRefused, progress},
        retake::to_check,
        submit::submit,
        take::{CaptureError, capture_document},
    },
    jobs::{
        lease::LEASE,
        sweep,
        worker::{Lane, Worker},
    },
    runtime::clock::SystemClock,
    session::{cancel::cancel, create::create_session},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    net::{IpAddr, SocketAddr},
    sync::{Arc, Mutex},
    time::Duration,
};
use store::{
    StoreError, audit,
    decision::decisions,
    jobs::{self, JobKind},
    session::search,
    webhook::{delivery_attempts, events},
};
use testkit::{
    applicant::{agree, details},
    authority::acceptor,
    buckets, databases,
    long_runs::count,
    receiver::{Receiver, Reply},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    sync::Notify,
    task::JoinSet,
    time::timeout,
};
use tokio_util::sync::CancellationToken;
use vision::{Picture, raster::Raster};

/// Longest time between the work that a kill waits for and the kill.
const LONGEST_PAUSE: Duration = Duration::from_millis(200);

/// An installation on one PostgreSQL and, if there is an S3 server, with its pictures in a bucket; `None` without a PostgreSQL.
async fn shared() -> Option<Installation> {
    let database = databases::postgres(&databases::postgres_server()?).await;
    let installation = Installation::new().on(&database);
    Some(match buckets::fresh().await {
        Some(bucket) => installation.in_bucket(&bucket),
        None => installation,
    })
}

/// A running node, and the names under which its workers hold jobs.
pub(super) struct Member {
    pub(super) node: Node,
    pub(super) address: SocketAddr,
    pub(super) workers: Vec<String>,
}

impl Member {
    pub(super) async fn start(installation: &Installation, command: &str, address: SocketAddr) -> Self {
        let mut node = installation.start(command, &address.to_string());
        let mut workers = Vec::new();
        for _ in Lane::ALL {
            node.until_it_says("worker started").await;
            let line = node.said().last().unwrap();
            let (_, name) = line.split_once("worker=").unwrap();
            workers.push(name.split([' ', '\u{1b}']).next().unwrap().trim_matches('"').to_owned());
        }
        if command == "serve" && !node.said().iter().any(|line| line.contains("listening")) {
            node.until_it_says("listening").await;
        }
        Self { node, address, workers }
    }
}

pub(super) fn addresses() -> [SocketAddr; 3] {
    [(); 3].map(|()| SocketAddr::from(([127, 0, 0, 1], free_port())))
}

async fn caller(app: &App, key: &str) -> Tenant {
    tenant_by_key(&app.honnin, key, IpAddr::from([127, 0, 0, 1]), Scope::Create)
        .await
        .unwrap()
}

/// A job that a worker holds.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) subject: String,
    pub(super) worker: String,
    until: Timestamp,
}

/// The jobs of a kind that workers hold.
pub(super) async fn held(app: &App, kind: JobKind) -> Vec<Held> {
    let listed = app.honnin.db().read(async |tx| jobs::list(tx, None, 1_000).await);
    let held = |job: jobs::JobState| {
        Some(Held {
            worker: job.leased_by.filter(|_| job.kind == kind)?,
            until: job.leased_until?,
            subject: job.subject,
        })
    };
    listed.await.unwrap().into_iter().filter_map(held).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_jobs_of_a_killed_node_are_taken_over_by_the_others_within_20_seconds() {
    const EVENTS: usize = 24;
    let Some(installation) = shared().await else {
        return;
    };
    let receiver = Receiver::at("127.0.0.1:0", acceptor(&["127.0.0.1"], true)).await;
    // An hour late: the deadline of any session it creates is now.
    let late = installation.open(Millis(-Millis::hours(1).0)).await;
    let url = format!("https://127.0.0.1:{}/hooks", receiver.port);
    let tenant = add_tenant(&late, settings(Some(url))).await;
    let caller = caller(&late, tenant.key.expose()).await;
    let mut members = Vec::new();
    for address in addresses() {
        members.push(Member::start(&installation, "worker", address).await);
    }
    // Each is still being sent when its node is killed.
    receiver.reply(vec![Reply::Silence; EVENTS]);
    for _ in 0..EVENTS {
        create_session(&late.honnin, &caller, b"{}").await.unwrap();
    }
    receiver.wait_for(EVENTS).await;
    let sending = held(&late, JobKind::Deliver).await;
    let load = |member: &Member| {
        sending
            .iter()
            .filter(|job| member.workers.contains(&job.worker))
            .count()
    };
    let busiest = (0..members.len()).max_by_key(|&index| load(&members[index])).unwrap();
    let victim = members.swap_remove(busiest);
    drop(victim.node);
    let killed_at = SystemClock.now();
    let orphans: Vec<Held> = held(&late, JobKind::Deliver)
        .await
        .into_iter()
        .filter(|job| victim.workers.contains(&job.worker))
        .collect();
    assert!(!orphans.is_empty(), "{sending:?}");
    for orphan in &orphans {
        assert!(orphan.until <= killed_at.plus(LEASE), "{orphan:?}");
    }
    let sent_again = |id: &str| {
        let received = receiver.received();
        received.iter().filter(|one| one.header("webhook-id") == id).count() > 1
    };
    let mut seen = receiver.count();
    while !orphans.iter().all(|orphan| sent_again(&orphan.subject)) {
        seen += 1;
        receiver.wait_for(seen).await;
    }
    // The living stop in order: every attempt is stored then.
    for member in members {
        member.node.stop().await;
    }
    let mut last = (0, None);
    for orphan in &orphans {
        let id = domain::ids::EventId::parse(&orphan.subject).unwrap();
        let attempts = late
            .honnin
            .db()
            .read(async move |tx| delivery_attempts::list(tx, &id).await);
        let attempts = attempts.await.unwrap();
        // The killed node's attempt is unknown.
        let [attempt] = attempts.as_slice() else {
            panic!("{attempts:?}")
        };
        assert!(
            attempt.attempted_at >= orphan.until,
            "{orphan:?}: before its lease had ended"
        );
        let after = attempt.attempted_at.as_millis() - killed_at.as_millis();
        if after > last.0 {
            last = (after, Some(orphan));
        }
    }
    // As docs/SCALING.md says, whatever the lease is.
    let taken = orphans.len();
    let (longest, orphan) = last;
    assert!(
        longest <= Millis::seconds(20).0,
        "{taken} taken over, the last one after {longest} ms: {orphan:?}"
    );
}

/// Planted faults that this test detects: leases whose end is compared with the node's own clock, by a worker and at a start.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_whose_clock_is_wrong_takes_no_job_that_another_one_holds() {
    let Some(installation) = shared().await else {
        return;
    };
    let receiver = Receiver::at("127.0.0.1:0", acceptor(&["127.0.0.1"], true)).await;
    let right = installation.open(Millis(0)).await;
    let ahead = installation.open(Millis::minutes(1)).await;
    let behind = installation.open(Millis(-Millis::minutes(2).0)).await;
    let url = format!("https://127.0.0.1:{}/hooks", receiver.port);
    let tenant = add_tenant(&right, settings(Some(url))).await;
    let caller = caller(&right, tenant.key.expose()).await;
    // The first one waits for its response until this test is over.
    receiver.reply([Reply::Silence]);
    let mut workers = JoinSet::new();
    for (app, slots) in [(&right, 1), (&ahead, 4)] {
        let created = create_session(&right.honnin, &caller, b"{}").await.unwrap();
        cancel(&right.honnin, &caller, created.id.as_str()).await.unwrap();
        let worker = Worker::new(app.honnin.clone(), Lane::Deliver, slots);
        workers.spawn(async move { worker.run(CancellationToken::new(), &Notify::new()).await });
        receiver.wait_for(workers.len()).await;
    }
    // The second one was claimed with everything else that could be: the first one, had its lease ended, would be before it.
    let (ids, mut runs) = (receiver.ids(), Vec::new());
    for id in ids.clone() {
        let listed = right
            .honnin
            .db()
            .read(async move |tx| jobs::list(tx, Some(id.as_str()), 10).await);
        runs.extend(listed.await.unwrap().iter().map(|job| job.attempt));
    }
    assert_eq!(runs, [1, 1]);
    // A start ends the leases that are longer than they can be.
    sweep::plan(&behind.honnin).await.unwrap();
    let held = held(&right, JobKind::Deliver).await;
    assert!(held.iter().any(|job| job.subject == ids[0]), "{held:?}");
}

/// Clients that take sessions from their creation to the submit. What a node does not answer is asked of the next one.
struct Clients {
    tasks: JoinSet<()>,
    books: Arc<Books>,
}

#[derive(Default)]
struct Books {
    submitted: Mutex<Vec<SessionId>>,
    more: Notify,
    enough: CancellationToken,
}

impl Clients {
    fn start(app: &App, key: &str, nodes: [SocketAddr; 3]) -> Self {
        let books = Arc::new(Books::default());
        let mut tasks = JoinSet::new();
        let photo = Picture::from_raster(Raster::filled(640, 480, [90; 3])).unwrap().jpeg;
        for client in 0..3 {
            let (honnin, books, key, photo) = (app.honnin.clone(), Arc::clone(&books), key.to_owned(), photo.clone());
            tasks.spawn(async move {
                for number in 0_u32.. {
                    if books.enough.is_cancelled() {
                        return;
                    }
                    let created = create(nodes, &key, &format!("client-{client}-{number}")).await;
                    verify(&honnin, &created, &photo).await;
                    let id = SessionId::parse(created["id"].as_str().unwrap()).unwrap();
                    books.submitted.lock().unwrap().push(id);
                    books.more.notify_one();
                }
            });
        }
        Self { tasks, books }
    }

    /// Returns when this many have been submitted. Fails if a client fails.
    async fn until_submitted(&mut self, wanted: usize) {
        while self.books.submitted.lock().unwrap().len() < wanted {
            tokio::select! {
                () = self.books.more.notified() => {}
                ended = self.tasks.join_next() => ended.unwrap().unwrap(),
            }
        }
    }

    async fn end(mut self) -> Vec<SessionId> {
        self.books.enough.cancel();
        while let Some(client) = self.tasks.join_next().await {
            client.unwrap();
        }
        self.books.submitted.lock().unwrap().clone()
    }
}

/// Creates one session, however often the request has to be repeated.
pub(super) async fn create(nodes: [SocketAddr; 3], key: &str, idempotency_key: &str) -> Value {
    for node in nodes.into_iter().cycle() {
        if let Some((status, body)) = post(node, key, idempotency_key).await {
            assert_eq!(status, 201, "{body}");
            return body;
        }
        tokio::task::yield_now().await;
    }
    unreachable!("the nodes never end")
}

/// `None` without a whole answer.
async fn post(node: SocketAddr, key: &str, idempotency_key: &str) -> Option<(u16, Value)> {
    let mut stream = TcpStream::connect(node).await.ok()?;
    let request = format!(
        "POST /v1/verification-sessions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {key}\r\n\
         idempotency-key: {idempotency_key}\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{{}}"
    );
    stream.write_all(request.as_bytes()).await.ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    Some((status, serde_json::from_str(body).ok()?))
}

/// What the end user does. Returns how often their photo was refused because it could not be stored at the time.
pub(super) async fn verify(honnin: &Honnin, created: &Value, photo: &[u8]) -> usize {
    let token = created["verificationUrl"].as_str().unwrap().rsplit('/').next().unwrap();
    let opened = open_link(honnin, token, None).await.unwrap();
    let applicant = capture_cookie::applicant(honnin, opened.cookie.expose()).await.unwrap();
    agree(honnin, &applicant, None).await.unwrap();
    choose_document(honnin, &applicant, DocumentType::Passport, Photos::KeepGood)
        .await
        .unwrap();
    let refused = photograph(honnin, &applicant, photo).await;
    loop {
        match progress(honnin, &applicant).await.unwrap().next(honnin.now()) {
            Next::Check(_) => {
                let shown = to_check(honnin, &applicant).await.unwrap();
                // The analysis of a node may come in between, and find more.
                drop(check_picture(honnin, &applicant, &shown.id, PhotoChoice::Use(shown.problems)).await);
            }
            Next::Details => save_details(honnin, &applicant, &domain::secret::Personal::new(details()))
                .await
                .unwrap(),
            Next::Submit => drop(submit(honnin, &applicant).await),
            Next::Result => return refused,
            other => panic!("{other:?} once more"),
        }
    }
}

/// Sends a photo until it is stored, as a phone does.
async fn photograph(honnin: &Honnin, applicant: &Applicant, photo: &[u8]) -> usize {
    for refused in 0.. {
        let sent = capture_document(honnin, applicant, DocumentType::Passport, Side::Front, photo.to_vec());
        match sent.await {
            Err(CaptureError::StepRefused(StepRefused::Store(StoreError::Unavailable(_)))) => {}
            stored => {
                stored.unwrap();
                return refused;
            }
        }
    }
    unreachable!("it is sent for ever")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whichever_of_three_nodes_is_killed_each_session_is_created_and_decided_once_and_no_event_is_lost() {
    const SESSIONS_A_LIFE: usize = 6;
    let Some(installation) = shared().await else {
        return;
    };
    let kills = usize::try_from(count("HONNIN_NODE_KILLS", 5)).unwrap();
    let receiver = Receiver::at("127.0.0.1:0", acceptor(&["127.0.0.1"], true)).await;
    let app = installation.open(Millis(0)).await;
    let url = format!("https://127.0.0.1:{}/hooks", receiver.port);
    let steps = vec![Step::Document];
    let tenant = add_tenant(
        &app,
        TenantSettings {
            steps,
            ..settings(Some(url))
        },
    )
    .await;
    let addresses = addresses();
    let mut members = Vec::new();
    for address in addresses {
        members.push(Member::start(&installation, "serve", address).await);
    }
    let mut clients = Clients::start(&app, tenant.key.expose(), addresses);
    for kill in 1..=kills {
        receiver.reply([Reply::Status(500), Reply::Close].into_iter().take(kill % 3));
        clients.until_submitted(kill * SESSIONS_A_LIFE).await;
        let mut victim = members.swap_remove(rand::rng().random_range(0..members.len()));
        let moment = LONGEST_PAUSE.mul_f64(rand::rng().random());
        timeout(moment, victim.node.until_it_ends())
            .await
            .expect_err("it ended by itself");
        let address = victim.address;
        drop(victim);
        members.push(Member::start(&installation, "serve", address).await);
    }
    let sessions = clients.end().await;
    for member in members {
        member.node.stop().await;
    }
    finish(&installation).await;
    let id = tenant.id.clone();
    let days = app
        .honnin
        .db()
        .read(async move |tx| search::count_by_day(tx, &id, Timestamp::from_millis(0)).await);
    let created: i64 = days.await.unwrap().iter().map(|day| day.count).sum();
    assert_eq!(created, sessions.len() as i64, "as many sessions as idempotency keys");
    let mut arrived: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for request in receiver.received() {
        let session = request.json()["data"]["session"]["sessionId"]
            .as_str()
            .unwrap()
            .to_owned();
        let ids = arrived.entry(session).or_default();
        ids.insert(request.header("webhook-id").to_owned());
    }
    let mut taken_over = 0;
    for session in &sessions {
        let judged = judge(&app, &tenant.id, session).await;
        assert_eq!((judged.decisions, judged.audited), (1, 1), "{session}");
        let arrived = arrived.remove(session.as_str()).unwrap_or_default();
        assert_eq!(arrived, BTreeSet::from([judged.event]), "{session}");
        taken_over += judged.taken_over;
    }
    assert!(arrived.is_empty(), "{arrived:?}");
    println!(
        "{kills} kills, {} sessions, {taken_over} jobs were begun again",
        sessions.len()
    );
}

/// Finishes what the nodes left undone, at times when their leases have expired and every attempt is due.
pub(super) async fn finish(installation: &Installation) {
    for later in [
        Millis::minutes(2),
        Millis::minutes(4),
        Millis::hours(1),
        Millis::hours(9),
    ] {
        let app = installation.open(later).await;
        for lane in [Lane::Decide, Lane::Deliver] {
            Worker::new(app.honnin.clone(), lane, 1).run_until_idle().await.unwrap();
        }
        app.honnin.close().await.unwrap();
    }
}

/// What became of a session.
pub(super) struct Judged {
    pub(super) decisions: usize,
    pub(super) audited: usize,
    pub(super) event: String,
    /// Its jobs that were claimed more than once.
    pub(super) taken_over: usize,
}

pub(super) async fn judge(app: &App, tenant: &domain::ids::TenantId, session: &SessionId) -> Judged {
    let (tenant, id) = (tenant.clone(), session.clone());
    let unit = app.honnin.db().read(async move |tx| {
        let [event] = events::list_of_session(tx, &id).await?.try_into().unwrap();
        let entries = audit::list(tx, &tenant, Some(id.as_str()), None, 100).await?;
        let decided = |entry: &&audit::Recorded| entry.entry.action == AuditAction::SessionDecide;
        let mut jobs = jobs::list(tx, Some(id.as_str()), 100).await?;
        jobs.extend(jobs::list(tx, Some(event.id.as_str()), 100).await?);
        Ok::<_, StoreError>(Judged {
            decisions: decisions::list(tx, &id).await?.len(),
            audited: entries.iter().filter(decided).count(),
            event: event.id.to_string(),
            taken_over: jobs.iter().filter(|job| job.attempt > 1).count(),
        })
    });
    unit.await.unwrap()
}
