//! The session: its states and all transitions, one function each. Nothing else changes a status.

mod attempt;

pub use attempt::AttemptNumber;

use crate::{
    ids::{SessionId, TenantId},
    named::vocabulary,
    outcome::Verdict,
    time::{Millis, Timestamp},
};
use serde::{Deserialize, Serialize};

vocabulary! {
    /// Progress of a session. The decision is separate, in `outcome.verdict`.
    #[cfg_attr(feature = "schema", schema(as = SessionStatus))]
    Status {
        /// The user has not started.
        Created = "created",
        /// The user is taking photos or entering details.
        Collecting = "collecting",
        /// Everything is submitted; the decision is in progress.
        Deciding = "deciding",
        /// A reviewer has to decide: the verdict is `needs_review`.
        Reviewing = "reviewing",
        /// The decision has been made.
        Completed = "completed",
        /// Deadline passed before completion.
        Expired = "expired",
        /// Ended by an unrecoverable error.
        Failed = "failed",
    }
}

vocabulary! {
    /// One part of what the user must show.
    Step {
        /// Photographs of an identity document, and the details typed in.
        Document = "document",
        /// A selfie with a challenge.
        Selfie = "selfie",
    }
}

vocabulary! {
    /// Why a session ended in `failed` (`verification.failed.reason`).
    FailureReason {
        /// Processing failed permanently.
        ProcessingError = "processing_error",
        /// A stored picture is damaged.
        MediaCorrupted = "media_corrupted",
        /// A stored picture is missing.
        MediaLost = "media_lost",
        /// Internal retries are used up.
        AttemptsExhausted = "attempts_exhausted",
        /// The user declined consent.
        ConsentDeclined = "consent_declined",
        /// Reserved. A user whose device is not supported can continue on another one, so no session ends for this reason.
        DeviceNotSupported = "device_not_supported",
        /// Reserved. Settings are checked when they are saved, so no session ends for this reason.
        SettingsInvalid = "settings_invalid",
        /// Cancelled through the API, or by an operator.
        OperatorCancelled = "operator_cancelled",
        /// The personal data was erased before a decision.
        ErasedBeforeDecision = "erased_before_decision",
    }
}

/// The steps the user completes, fixed at creation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Plan {
    /// At least one step, each at most once, in the order they are taken.
    pub steps: Vec<Step>,
}

impl Plan {
    /// A plan of the enabled steps in their fixed order; `None` if none is enabled.
    #[must_use]
    pub fn of(enabled: &[Step]) -> Option<Self> {
        let steps: Vec<Step> = Step::ALL
            .iter()
            .copied()
            .filter(|step| enabled.contains(step))
            .collect();
        (!steps.is_empty()).then_some(Self { steps })
    }

    /// Whether the plan has `step`.
    #[must_use]
    pub fn has(&self, step: Step) -> bool {
        self.steps.contains(&step)
    }
}

/// One verification of one end user: what is needed to decide which operation is allowed. Personal data is stored elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Its id.
    pub id: SessionId,
    /// The owner.
    pub tenant: TenantId,
    /// Stored status; readers use [`Session::status_at`].
    pub status: Status,
    /// Its steps.
    pub plan: Plan,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it expires, if it is still `created` or `collecting`.
    pub expires_at: Timestamp,
    /// When the decision was fixed.
    pub completed_at: Option<Timestamp>,
    /// When the erasure was requested. From then on, nothing can stop it.
    pub erasure_requested_at: Option<Timestamp>,
    /// When the personal data was erased.
    pub purged_at: Option<Timestamp>,
    /// The attempt it is in.
    pub attempt: AttemptNumber,
    /// Compared and incremented by each save.
    pub version: i64,
}

/// A transition that is not in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The status does not allow it.
    #[error("the session's status does not allow this")]
    Status(Status),
    /// The personal data is erased, or somebody has requested it.
    #[error("the session's personal data was erased, or is about to be")]
    Erased,
}

impl Session {
    /// A new session, `created`, version 0 (not stored yet).
    #[must_use]
    pub const fn new(id: SessionId, tenant: TenantId, plan: Plan, now: Timestamp, lifetime: Millis) -> Self {
        Self {
            id,
            tenant,
            status: Status::Created,
            plan,
            created_at: now,
            expires_at: now.plus(lifetime),
            completed_at: None,
            erasure_requested_at: None,
            purged_at: None,
            attempt: AttemptNumber::FIRST,
            version: 0,
        }
    }

    /// The status as readers see it: past its deadline, an unfinished session is `expired` immediately, stored or not.
    #[must_use]
    pub fn status_at(&self, now: Timestamp) -> Status {
        match self.status {
            Status::Created | Status::Collecting if now >= self.expires_at => Status::Expired,
            status => status,
        }
    }

    /// `created | collecting → collecting`: the user taps Start, or opens a reissued link.
    ///
    /// # Errors
    /// [`Refused::Status`] in other states, also past the deadline.
    pub fn start(&self, now: Timestamp) -> Result<Self, Refused> {
        match self.status_at(now) {
            Status::Created | Status::Collecting => Ok(self.to(Status::Collecting)),
            other => Err(Refused::Status(other)),
        }
    }

    /// `collecting → deciding`: the user submits.
    ///
    /// # Errors
    /// [`Refused::Status`] in other states, also past the deadline.
    pub fn submit(&self, now: Timestamp) -> Result<Self, Refused> {
        match self.status_at(now) {
            Status::Collecting => Ok(self.to(Status::Deciding)),
            other => Err(Refused::Status(other)),
        }
    }

    /// `deciding → completed | reviewing`: the automatic decision.
    ///
    /// # Errors
    /// [`Refused::Status`] in other states.
    pub fn decide(&self, verdict: Verdict, now: Timestamp) -> Result<Self, Refused> {
        match (self.status, verdict) {
            (Status::Deciding, Verdict::NeedsReview) => Ok(self.to(Status::Reviewing)),
            (Status::Deciding, Verdict::Approved | Verdict::Rejected) => Ok(self.completed(now)),
            (other, _) => Err(Refused::Status(other)),
        }
    }

    /// `reviewing → completed`: a reviewer's decision.
    ///
    /// # Errors
    /// [`Refused::Status`] in other states, for example for a second reviewer.
    pub fn rule(&self, now: Timestamp) -> Result<Self, Refused> {
        match self.status {
            Status::Reviewing => Ok(self.completed(now)),
            other => Err(Refused::Status(other)),
        }
    }

    /// `created | collecting | deciding → failed`: an unrecoverable end, such as declined consent.
    ///
    /// # Errors
    /// [`Refused::Status`] in other states, also past the deadline.
    pub fn fail(&self, now: Timestamp) -> Result<Self, Refused> {
        match self.status_at(now) {
            Status::Created | Status::Collecting | Status::Deciding => Ok(self.to(Status::Failed)),
            other => Err(Refused::Status(other)),
        }
    }

    /// `created | collecting | deciding | reviewing → failed`: an admin has the personal data erased before there is a decision.
    ///
    /// # Errors
    /// [`Refused::Status`] if it has ended, also past the deadline.
    pub fn abandon(&self, now: Timestamp) -> Result<Self, Refused> {
        match self.status_at(now) {
            Status::Created | Status::Collecting | Status::Deciding | Status::Reviewing => Ok(self.to(Status::Failed)),
            other => Err(Refused::Status(other)),
        }
    }

    /// `created | collecting → expired`: the deadline has passed. `None` if there is nothing to expire.
    #[must_use]
    pub fn expire(&self, now: Timestamp) -> Option<Self> {
        let due = matches!(self.status, Status::Created | Status::Collecting) && now >= self.expires_at;
        due.then(|| self.to(Status::Expired))
    }

    /// `created | collecting → expired` ahead of time, in a sandbox: the deadline is now.
    ///
    /// # Errors
    /// [`Refused::Status`] in other states, also past the deadline.
    pub fn expire_early(&self, now: Timestamp) -> Result<Self, Refused> {
        match self.status_at(now) {
            Status::Created | Status::Collecting => Ok(Self {
                expires_at: now,
                ..self.to(Status::Expired)
            }),
            other => Err(Refused::Status(other)),
        }
    }

    /// Brings the deadline of a session that is `created` or `collecting` forward to now, in a sandbox. The job at the deadline does the rest.
    ///
    /// # Errors
    /// [`Refused::Status`] in other states, also past the deadline.
    pub fn bring_deadline_forward(&self, now: Timestamp) -> Result<Self, Refused> {
        match self.status_at(now) {
            Status::Created | Status::Collecting => Ok(Self {
                expires_at: now,
                ..self.clone()
            }),
            other => Err(Refused::Status(other)),
        }
    }

    /// `completed | failed | reviewing → collecting`: a new attempt with a new deadline.
    ///
    /// # Errors
    /// [`Refused::Erased`] once the personal data is gone or its erasure was requested, otherwise [`Refused::Status`] in other states.
    pub fn reprocess(&self, now: Timestamp, lifetime: Millis) -> Result<Self, Refused> {
        if !self.may_be_revived() {
            return Err(Refused::Erased);
        }
        match self.status_at(now) {
            Status::Completed | Status::Failed | Status::Reviewing => Ok(Self {
                expires_at: now.plus(lifetime),
                completed_at: None,
                attempt: self.attempt.next(),
                ..self.to(Status::Collecting)
            }),
            other => Err(Refused::Status(other)),
        }
    }

    /// Whether its personal data is still kept. The end of the retention period alone changes nothing until the data is erased. A request
    /// for erasure does, since its author was told that it would be carried out.
    #[must_use]
    pub const fn may_be_revived(&self) -> bool {
        self.purged_at.is_none() && self.erasure_requested_at.is_none()
    }

    /// The same session with the times corrected that a wrong clock had set: an unfinished one gets a new deadline, and one that has been
    /// decided ended now. `None` if there is nothing to set: a session that is being decided or reviewed has no deadline, and the time of
    /// a failure is not stored.
    #[must_use]
    pub fn redate(&self, now: Timestamp, lifetime: Millis) -> Option<Self> {
        let expires_at = match self.status {
            Status::Created | Status::Collecting => now.plus(lifetime),
            Status::Expired => now,
            Status::Completed => return Some(self.completed(now)),
            Status::Deciding | Status::Reviewing | Status::Failed => return None,
        };
        Some(Self {
            expires_at,
            ..self.clone()
        })
    }

    fn to(&self, status: Status) -> Self {
        Self { status, ..self.clone() }
    }

    fn completed(&self, now: Timestamp) -> Self {
        Self {
            completed_at: Some(now),
            ..self.to(Status::Completed)
        }
    }
}

#[cfg(test)]
mod tests;
