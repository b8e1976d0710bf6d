//! A tenant with a running receiver, and people who manage it.

use crate::{Harness, client_at, localhost, receiver::Receiver};
use domain::{
    event::{EventData, EventType},
    ids::{EventId, SessionId, UserId},
    outcome::{Checks, Outcome, Review, SessionRef, Source, Verdict},
    role::{Membership, Role},
    secret::{Personal, Secret},
    session::Step,
    tenant::{Change, TenantSettings},
    time::{Clock, Millis, Timestamp},
};
use service::{
    access::{self, CommandLine, Developer, Staff},
    people::{
        NewPerson,
        accept_invitation::accept_invitation,
        invite::{Offer, invite_from_here},
    },
    runtime::clock::SystemClock,
    settings::{self, Confirmation},
    webhook::{
        record_event::{self, NewEvent},
        signing_secret,
    },
};
use store::{
    StoreError,
    people::users::{self, UserRow},
    session::sessions,
    vault::{SealedValue, Vault},
    webhook::{
        deliveries::{self, AttemptRow, DeliveryRow},
        delivery_attempts,
    },
};

/// Settings whose webhooks go to `receiver`.
pub fn settings_for(receiver: &Receiver) -> TenantSettings {
    TenantSettings {
        steps: Step::ALL.to_vec(),
        webhook_url: Some(receiver.url()),
        ..TenantSettings::default()
    }
}

impl Harness {
    /// With a receiver and one secret, which is returned, at the machine's current time: the official libraries compare with
    /// it.
    pub async fn with_receiver(receiver: &Receiver) -> (Self, String) {
        let harness = Self::with(settings_for(receiver)).await;
        let present = SystemClock.now().as_millis() - harness.honnin.now().as_millis();
        harness.clock.advance(Millis(present));
        let secret = harness.issue_secret().await;
        (harness, secret)
    }

    /// Issues a secret by hand.
    pub async fn issue_secret(&self) -> String {
        let developer = self.developer().await;
        let issued = signing_secret::issue(&self.honnin, &developer, signing_secret::draft(&self.honnin))
            .await
            .unwrap();
        issued.text.expose().clone()
    }

    /// A person signed in with `role`.
    pub async fn staff(&self, role: Role) -> Staff {
        let id = UserId::from_random(self.honnin.random_bytes());
        let user = UserRow {
            id: id.clone(),
            membership: Some(Membership {
                tenant: self.tenant.id.clone(),
                role,
            }),
            email: format!("{id}@shop.example"),
            name: "Somebody".into(),
            operator: false,
            password: Some("none".into()),
            created_at: self.honnin.now(),
            disabled_at: None,
            session_epoch: 0,
        };
        let stored: Result<(), StoreError> = self
            .honnin
            .db()
            .write(async move |tx| users::insert(tx, &user).await)
            .await;
        stored.unwrap();
        access::staff(&self.honnin, &id, None, localhost())
            .await
            .unwrap()
            .unwrap()
    }

    /// A person who accepted an invitation to the tenant and chose `password`.
    pub async fn invited(&self, email: &str, role: Role, password: &str) -> UserId {
        let person = NewPerson {
            email: email.to_owned(),
            name: "Rita".into(),
        };
        let offer = Offer::of(self.tenant.id.clone(), role);
        let invited = invite_from_here(&self.honnin, CommandLine::here(), offer, person);
        let link = invited.await.unwrap().link;
        let token = link.expose().rsplit('/').next().unwrap();
        let password = Secret::new(password.to_owned());
        accept_invitation(&self.honnin, token, password, &client_at(localhost()))
            .await
            .unwrap()
            .user
    }

    /// A person who may manage webhooks.
    pub async fn developer(&self) -> Developer {
        Developer::of(&self.staff(Role::Developer).await).unwrap()
    }

    /// Changes the receiver to `url` as `role`.
    pub async fn point_to(&self, role: Role, url: String) {
        let staff = self.staff(role).await;
        let version = settings::load(&self.honnin, &staff).await.unwrap().version;
        let change = Change::Webhook {
            url: Some(url),
            event_types: EventType::ALL.to_vec(),
        };
        let changed = settings::change(&self.honnin, &staff, version, &change, Confirmation::Given);
        changed.await.unwrap();
    }

    /// Records an event of `session` as if its deadline had passed.
    pub async fn record_expired(&self, session: &SessionId) -> EventId {
        let data = EventData::Expired {
            session: self.reference(session),
            expired_at: self.honnin.now(),
        };
        self.record(session, data, None).await
    }

    /// Records `count` such events in one unit, a millisecond between them. Oldest first.
    pub async fn pile(&self, session: &SessionId, count: usize) -> Vec<EventId> {
        let (tenant, now) = (self.tenant.clone(), self.honnin.now());
        let ids: Vec<EventId> = (0..count).map(|_| self.honnin.event_id()).collect();
        let data = EventData::Expired {
            session: self.reference(session),
            expired_at: now,
        };
        let (given, session) = (ids.clone(), session.clone());
        let recorded: Result<(), StoreError> = self
            .honnin
            .db()
            .write(async move |tx| {
                let row = sessions::find_any(tx, &session).await?.unwrap();
                for (at, id) in (0..).zip(&given) {
                    let (data, at) = (data.clone(), now.plus(Millis(at)));
                    record_event::record(tx, &tenant, &row, NewEvent { id, data, at }).await?;
                }
                Ok(())
            })
            .await;
        recorded.unwrap();
        ids
    }

    /// Records a reviewer's approval of `session` with an encrypted note.
    pub async fn record_reviewed(&self, session: &SessionId, note: Option<Vec<u8>>) -> EventId {
        let outcome = Outcome {
            session: self.reference(session),
            verdict: Verdict::Approved,
            decided_at: self.honnin.now(),
            source: Source::ManualReview,
            review: Some(Review {
                reviewed_at: self.honnin.now(),
                note: None,
            }),
            checks: Checks::default(),
            reasons: Vec::new(),
        };
        self.record(session, EventData::Decision(Box::new(outcome)), note).await
    }

    fn reference(&self, session: &SessionId) -> SessionRef {
        SessionRef {
            session_id: session.clone(),
            tenant_id: self.tenant.id.clone(),
        }
    }

    async fn record(&self, session: &SessionId, data: EventData, note: Option<Vec<u8>>) -> EventId {
        let (id, now, tenant) = (self.honnin.event_id(), self.honnin.now(), self.tenant.clone());
        let (given, session) = (id.clone(), session.clone());
        let recorded: Result<(), StoreError> = self
            .honnin
            .db()
            .write(async move |tx| {
                let mut row = sessions::find_any(tx, &session).await?.unwrap();
                row.note.clone_from(&note);
                sessions::save(tx, &mut row).await?;
                let new = NewEvent {
                    id: &given,
                    data: data.clone(),
                    at: now,
                };
                record_event::record(tx, &tenant, &row, new).await
            })
            .await;
        recorded.unwrap();
        id
    }

    /// A note about `session`, encrypted as by the review.
    pub async fn seal_note(&self, vault: &Vault, session: &SessionId, note: &str) -> Vec<u8> {
        let id = session.clone();
        let found = self.read(async move |tx| sessions::find_any(tx, &id).await);
        let row = found.await.unwrap();
        let key = vault.open(&row.data_key).await.unwrap();
        let associated_data = row.associated_data(SealedValue::Note);
        key.seal_text(&associated_data, &Personal::new(note.to_owned()))
            .unwrap()
    }

    /// Changes a session's row to the state after an erasure.
    pub async fn mark_erased(&self, session: &SessionId) {
        let (now, id) = (self.honnin.now(), session.clone());
        let erased: Result<(), StoreError> = self
            .honnin
            .db()
            .write(async move |tx| {
                let mut row = sessions::find_any(tx, &id).await?.unwrap();
                row.session.purged_at = Some(now);
                sessions::save(tx, &mut row).await
            })
            .await;
        erased.unwrap();
    }

    /// The state of an event's delivery.
    pub async fn delivery(&self, event: &EventId) -> Option<DeliveryRow> {
        let event = event.clone();
        self.read(async move |tx| deliveries::find_any(tx, &event).await).await
    }

    /// The attempts of an event.
    pub async fn attempts(&self, event: &EventId) -> Vec<AttemptRow> {
        let event = event.clone();
        self.read(async move |tx| delivery_attempts::list(tx, &event).await)
            .await
    }

    /// Sets the clock to `time`, then runs what became due.
    pub async fn run_at(&self, time: Timestamp) -> usize {
        self.wait(Millis(time.as_millis() - self.honnin.now().as_millis()))
            .await
    }
}
