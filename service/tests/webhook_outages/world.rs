//! One system with a simulated receiver: what happens in it is drawn from a seed, and time jumps from one event to the next.

#![expect(unreachable_pub, reason = "a module of one test binary")]

use super::{
    below, outages,
    receiver::{Receiver, Sent, State},
};
use domain::{
    ids::{SessionId, TenantId},
    session::Step,
    tenant::{Mode, TenantSettings},
    time::{Clock as _, ManualClock, Millis},
};
use service::{
    access::Developer,
    jobs::worker::{Lane, Worker},
    runtime::random::{Random, SeededRandom},
    session::{create, rate_limit::CreationRate},
    webhook::{
        sender::{WebhookSender, address::AddressRules},
        signing_secret,
    },
};
use std::{
    path::Path,
    sync::{Arc, Mutex},
};
use store::{
    jobs,
    session::sessions,
    settings::tenants::TenantRow,
    vault::Vault,
    webhook::{
        deliveries::{AttemptRow, DeliveryRow},
        events::EventRow,
    },
};
use testkit::{Harness, START, ScriptedAnalyser, add_tenant, databases, loopback_sender, names::Names, open};

/// What every session carries until it is erased.
pub const METADATA: &str = r#"{"order":7.0}"#;
pub const NOTE: &str = "Called back.";

/// The result of one event.
pub struct EventResult {
    pub event: EventRow,
    pub delivery: DeliveryRow,
    pub attempts: Vec<AttemptRow>,
}

/// What happened in one seed.
pub struct Story {
    pub sent: Vec<Sent>,
    pub results: Vec<EventResult>,
    pub sessions: usize,
    pub reviewed: usize,
}

/// Randomness that restarts with each seed.
struct Seeded(Mutex<SeededRandom>);

impl Random for Seeded {
    fn fill(&self, bytes: &mut [u8]) {
        self.0.lock().unwrap().fill(bytes);
    }
}

/// What may happen besides jobs.
#[derive(Clone, Copy)]
enum Act {
    Create,
    /// A reviewer decides the session with this index.
    Review(usize),
    /// Issues a second secret, or disables the older of two.
    Rotate,
    /// The clock is set.
    Jump(i64),
}

pub struct World {
    harness: Harness,
    vault: Vault,
    random: Arc<Seeded>,
    receiver: Arc<Receiver>,
}

impl World {
    pub async fn new() -> Self {
        // In memory: this simulates time, not power cuts.
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() {
            tempfile::tempdir_in(memory)
        } else {
            tempfile::tempdir()
        }
        .unwrap();
        let (clock, analyser) = (Arc::new(ManualClock::at(START)), Arc::new(ScriptedAnalyser::default()));
        let random = Arc::new(Seeded(Mutex::new(SeededRandom::new(0))));
        let receiver = Arc::new(Receiver(Mutex::default(), Arc::clone(&clock)));
        let sender = WebhookSender::over(Arc::clone(&receiver) as _, AddressRules::default());
        let database = databases::sqlite_in(folder).await;
        let rate = CreationRate::default();
        let random_bytes = Arc::clone(&random) as _;
        let honnin = open(
            &database,
            (database.db.clone(), database.vault().await),
            &clock,
            &analyser,
            random_bytes,
            sender,
            rate,
        )
        .await;
        let vault = database.vault().await;
        let harness = Harness {
            tenant: tenant(TenantId::from_random([0; 16])),
            key: String::new(),
            names: Arc::new(Names::default()),
            sender: loopback_sender(),
            honnin,
            vault: vault.clone(),
            pictures: database.pictures(),
            clock,
            analyser,
            database,
            rate,
            secrets: Vec::new(),
        };
        Self {
            harness,
            vault,
            random,
            receiver,
        }
    }

    /// Everything that happens in `days` of `seed`, and what follows until nothing is left to do.
    pub async fn live(&mut self, seed: u64, days: i64) -> Story {
        let developer = self.begin(seed, days).await;
        let mut plan = plan(&SeededRandom::new(!seed), days);
        let (mut sessions, mut reviewed) = (Vec::new(), 0);
        self.rotate(&developer).await;
        loop {
            let due = self.next_due().await;
            match (plan.last(), due) {
                (Some(&(at, act)), due) if due.is_none_or(|due| at < due) => {
                    plan.pop();
                    self.pass_until(at);
                    self.act(act, &mut sessions, &developer).await;
                    reviewed += usize::from(matches!(act, Act::Review(_)));
                }
                (_, Some(due)) => self.pass_until(due),
                (_, None) => break,
            }
            self.work(&sessions).await;
        }
        let mut results = Vec::new();
        for session in &sessions {
            for event in self.harness.events(session).await {
                let delivery = self.harness.delivery(&event.id).await.unwrap();
                let attempts = self.harness.attempts(&event.id).await;
                results.push(EventResult {
                    event,
                    delivery,
                    attempts,
                });
            }
        }
        assert!(
            self.harness.open_jobs().await.is_empty(),
            "seed {seed}: something was left to do"
        );
        Story {
            sent: std::mem::take(&mut self.receiver.0.lock().unwrap().sent),
            sessions: sessions.len(),
            results,
            reviewed,
        }
    }

    async fn act(&self, act: Act, sessions: &mut Vec<SessionId>, developer: &Developer) {
        match act {
            Act::Create => sessions.push(self.create().await),
            Act::Review(which) => self.review(&sessions[which]).await,
            Act::Rotate => self.rotate(developer).await,
            Act::Jump(span) => self.jump(span),
        }
    }

    /// A separate tenant, at the same time for every seed.
    async fn begin(&mut self, seed: u64, days: i64) -> Developer {
        *self.random.0.lock().unwrap() = SeededRandom::new(seed);
        self.harness
            .clock
            .advance(Millis(START.as_millis() - self.harness.clock.now().as_millis()));
        let random = SeededRandom::new(seed.rotate_left(32));
        let away = outages(&random, days);
        *self.receiver.0.lock().unwrap() = State {
            random: Some(random),
            away,
            ..State::default()
        };
        self.harness.tenant = tenant(TenantId::from_random(self.harness.honnin.random_bytes()));
        self.harness.key = add_tenant(&self.harness.honnin, &self.harness.tenant).await;
        self.harness.developer().await
    }

    /// The time of the next job, as true time from the beginning.
    async fn next_due(&self) -> Option<i64> {
        let due = self.harness.read(async |tx| jobs::find_next_due_at(tx).await).await;
        let offset = self.receiver.0.lock().unwrap().offset;
        due.map(|due| due.as_millis() - START.as_millis() - offset)
    }

    /// What is overdue is done now.
    fn pass_until(&self, truly: i64) {
        let offset = self.receiver.0.lock().unwrap().offset;
        let now = self.harness.clock.now().as_millis() - START.as_millis() - offset;
        self.harness.clock.advance(Millis((truly - now).max(0)));
    }

    fn jump(&self, span: i64) {
        self.harness.clock.advance(Millis(span));
        let mut state = self.receiver.0.lock().unwrap();
        state.offset += span;
        state.forward += span.max(0);
        state.jumps += 1;
    }

    async fn create(&self) -> SessionId {
        let (honnin, caller) = (&self.harness.honnin, self.harness.caller().await);
        let body = format!(r#"{{"metadata":{METADATA}}}"#);
        create::create_session(honnin, &caller, body.as_bytes())
            .await
            .unwrap()
            .id
    }

    async fn review(&self, session: &SessionId) {
        let note = self.harness.seal_note(&self.vault, session, NOTE).await;
        self.harness.record_reviewed(session, Some(note)).await;
    }

    async fn rotate(&self, developer: &Developer) {
        let honnin = &self.harness.honnin;
        let oldest = {
            let valid = &mut self.receiver.0.lock().unwrap().secrets;
            (valid.len() == 2).then(|| valid.remove(0).0)
        };
        if let Some(oldest) = oldest {
            signing_secret::disable(honnin, developer, &oldest).await.unwrap();
        } else {
            let issued = signing_secret::issue(honnin, developer, signing_secret::draft(honnin))
                .await
                .unwrap();
            let secret = (issued.id, issued.text.expose().clone());
            self.receiver.0.lock().unwrap().secrets.push(secret);
        }
    }

    /// Runs what is due, and keeps the receiver informed about erasures.
    async fn work(&self, sessions: &[SessionId]) {
        let erased = self.receiver.0.lock().unwrap().erased.len();
        // Deadlines come before erasures, so an erased session has nothing left to do.
        if erased < sessions.len() && self.run(Lane::Housekeeping).await > 0 {
            for session in sessions {
                let id = session.clone();
                let found = self.harness.read(async move |tx| sessions::find_any(tx, &id).await);
                if found.await.unwrap().session.purged_at.is_some() {
                    self.receiver.0.lock().unwrap().erased.insert(session.to_string());
                }
            }
        }
        self.run(Lane::Deliver).await;
    }

    async fn run(&self, lane: Lane) -> usize {
        Worker::new(self.harness.honnin.clone(), lane, 1)
            .run_until_idle()
            .await
            .unwrap()
    }
}

fn tenant(id: TenantId) -> TenantRow {
    TenantRow {
        id,
        name: "Example Shop".into(),
        settings: Some(TenantSettings {
            steps: Step::ALL.to_vec(),
            webhook_url: Some("https://hooks.example/".into()),
            // The shortest lifetimes, so that erasures meet events that are still being delivered.
            session_lifetime: Millis::hours(1),
            retention: Millis::days(1),
            ..TenantSettings::default()
        }),
        mode: Mode::Live,
        created_at: START,
        version: 0,
    }
}

/// What happens when, last first.
fn plan(random: &SeededRandom, days: i64) -> Vec<(i64, Act)> {
    let whole = Millis::days(days).0;
    let mut acts = Vec::new();
    let mut created: Vec<i64> = (0..2 + days / 6).map(|_| below(random, whole)).collect();
    created.sort_unstable();
    for (which, at) in created.into_iter().enumerate() {
        acts.push((at, Act::Create));
        acts.push((at + 1 + below(random, Millis::minutes(50).0), Act::Review(which)));
    }
    acts.extend((0..days).map(|_| (below(random, whole), Act::Rotate)));
    // Every second seed has a correct clock, so that both kinds of time are judged.
    for _ in 0..below(random, 2) * (1 + days / 3) {
        let span = Millis::minutes(1).0 + below(random, Millis::hours(6).0);
        let way = if below(random, 2) == 0 { span } else { -span };
        acts.push((below(random, whole), Act::Jump(way)));
    }
    acts.sort_by_key(|&(at, _)| std::cmp::Reverse(at));
    acts
}
