//! Ending a session by a decision (automatic or a reviewer's), by failure, or by its deadline: state, outcome and event in the
//! caller's unit. A failure and the deadline may come before the link was opened: the link that is kept for a repeated creation is wiped then, since
//! it opens nothing any more.

use crate::{
    runtime::clock_trust::ClockReading,
    session::retention::schedule_erasure,
    webhook::record_event::{self, NewEvent},
};
use domain::{
    event::EventData,
    ids::EventId,
    outcome::{Outcome, SessionRef},
    session::{FailureReason, Status},
};
use store::{
    StoreError, Tx,
    session::{
        idempotency, queue_stays,
        sessions::{self, SessionRow},
    },
    settings::tenants::TenantRow,
};

/// A session that has made its transition and is about to be saved, with the event that tells of it.
pub(crate) struct Ending<'a> {
    /// Id of the event.
    pub(crate) event: &'a EventId,
    /// The session's tenant, pinned ([`load_pinned`](store::settings::tenants::load_pinned)) before anything of the session was written.
    pub(crate) tenant: &'a TenantRow,
    /// The session; its note is already encrypted.
    pub(crate) row: &'a mut SessionRow,
    /// When.
    pub(crate) at: ClockReading,
}

impl Ending<'_> {
    /// By a decision: `completed`, or `reviewing`, which ends with a reviewer's.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] if a concurrent operation came first.
    pub(crate) async fn decide(self, tx: &mut Tx, outcome: Outcome) -> Result<(), StoreError> {
        tx.count_session(self.row.session.status);
        tx.count_verdict(outcome.verdict, outcome.source);
        self.row.outcome = Some(outcome.clone());
        sessions::save(tx, self.row).await?;
        match self.row.session.status {
            Status::Reviewing => queue_stays::enter(tx, &self.row.session, self.at.now).await?,
            Status::Completed => {
                queue_stays::leave(tx, &self.row.session.id, self.at.now).await?;
                schedule_erasure(tx, &self.row.session, self.at).await?;
            }
            Status::Created | Status::Collecting | Status::Deciding | Status::Expired | Status::Failed => {}
        }
        self.record(tx, EventData::Decision(Box::new(outcome))).await
    }

    /// By a failure: `failed`.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] if a concurrent operation came first.
    pub(crate) async fn fail(self, tx: &mut Tx, reason: FailureReason) -> Result<(), StoreError> {
        tx.count_session(self.row.session.status);
        self.row.failure_reason = Some(reason);
        sessions::save(tx, self.row).await?;
        idempotency::forget_link(tx, &self.row.session.id).await?;
        schedule_erasure(tx, &self.row.session, self.at).await?;
        let session = self.session();
        self.record(tx, EventData::Failed { session, reason }).await
    }

    /// By its deadline: `expired`.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] if a concurrent operation came first.
    pub(crate) async fn expire(self, tx: &mut Tx) -> Result<(), StoreError> {
        tx.count_session(self.row.session.status);
        sessions::save(tx, self.row).await?;
        idempotency::forget_link(tx, &self.row.session.id).await?;
        let expired_at = self.row.session.expires_at;
        // However late this worker is, the session ended at its deadline.
        let deadline = ClockReading {
            now: expired_at,
            ..self.at
        };
        schedule_erasure(tx, &self.row.session, deadline).await?;
        let session = self.session();
        self.record(tx, EventData::Expired { session, expired_at }).await
    }

    /// The session as outcomes and events name it.
    pub(crate) fn session(&self) -> SessionRef {
        SessionRef {
            session_id: self.row.session.id.clone(),
            tenant_id: self.tenant.id.clone(),
        }
    }

    async fn record(self, tx: &mut Tx, data: EventData) -> Result<(), StoreError> {
        let new = NewEvent {
            id: self.event,
            data,
            at: self.at.now,
        };
        record_event::record(tx, self.tenant, self.row, new).await
    }
}
