//! Webhook events: their types, and the envelope rendered at each attempt.

use crate::{
    ids::{EventId, TenantId},
    named::Vocabulary,
    named::vocabulary,
    outcome::{Outcome, SessionRef, Verdict},
    session::FailureReason,
    time::Timestamp,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::fmt;

/// Version of the payload's shape; the only value so far.
const API_VERSION: &str = "2026-08-02";

vocabulary! {
    /// What happened.
    EventType {
        /// The session was approved.
        Approved = "verification.approved",
        /// The session was rejected.
        Rejected = "verification.rejected",
        /// A reviewer has to decide.
        NeedsReview = "verification.needs_review",
        /// The deadline passed before the user finished.
        Expired = "verification.expired",
        /// Ended by an unrecoverable error.
        Failed = "verification.failed",
    }
}

impl From<Verdict> for EventType {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Approved => Self::Approved,
            Verdict::Rejected => Self::Rejected,
            Verdict::NeedsReview => Self::NeedsReview,
        }
    }
}

/// What an event is called on the wire: what happened to a session, or a test of the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// A session changed state.
    Session(EventType),
    /// An admin tests the receiver. Not an [`EventType`]: it is sent on request only and cannot be selected.
    Test,
}

impl EventKind {
    /// Every kind.
    pub const ALL: [Self; EventType::ALL.len() + 1] = {
        let mut all = [Self::Test; EventType::ALL.len() + 1];
        let mut at = 0;
        while at < EventType::ALL.len() {
            all[at] = Self::Session(EventType::ALL[at]);
            at += 1;
        }
        all
    };

    /// `type` on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Session(kind) => kind.as_str(),
            Self::Test => TestEvent::TYPE,
        }
    }
}

impl Vocabulary for EventKind {
    fn name(self) -> &'static str {
        self.as_str()
    }

    fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    fn values() -> &'static [Self] {
        &Self::ALL
    }

    fn meaning(self) -> &'static str {
        match self {
            Self::Session(kind) => kind.meaning(),
            Self::Test => "An admin tests the receiver.",
        }
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// `data`, by type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum EventData {
    /// Of the three decision events.
    Decision(Box<Outcome>),
    /// Of `verification.expired`.
    #[serde(rename_all = "camelCase")]
    Expired {
        /// Which session.
        session: SessionRef,
        /// Its deadline.
        expired_at: Timestamp,
    },
    /// Of `verification.failed`.
    Failed {
        /// Which session.
        session: SessionRef,
        /// Why.
        reason: FailureReason,
    },
}

impl EventData {
    /// What happened.
    #[must_use]
    pub fn kind(&self) -> EventType {
        match self {
            Self::Decision(outcome) => outcome.verdict.into(),
            Self::Expired { .. } => EventType::Expired,
            Self::Failed { .. } => EventType::Failed,
        }
    }

    /// Whether it is a reviewer's decision, which may have a note.
    #[must_use]
    pub const fn is_reviewed(&self) -> bool {
        match self {
            Self::Decision(outcome) => outcome.review.is_some(),
            Self::Expired { .. } | Self::Failed { .. } => false,
        }
    }
}

/// An event as stored: the whole payload except the metadata and the note, which are read at each attempt so that an erasure
/// takes effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Stable across redeliveries.
    pub id: EventId,
    /// What happened.
    pub kind: EventType,
    /// When.
    pub created_at: Timestamp,
    /// The rest.
    pub data: EventData,
}

/// An admin's test of the receiver: the same envelope, with a `type` that receivers ignore like every unknown one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestEvent {
    /// Stable across redeliveries.
    pub id: EventId,
    /// When it was requested.
    pub created_at: Timestamp,
    /// The tenant whose receiver is tested.
    pub tenant: TenantId,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Envelope<'a, D> {
    id: &'a EventId,
    #[serde(rename = "type")]
    kind: &'a str,
    api_version: &'a str,
    created_at: Timestamp,
    metadata: Option<&'a RawValue>,
    data: &'a D,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TestData<'a> {
    tenant_id: &'a TenantId,
}

impl Event {
    /// The body to sign and send. `metadata` is the session's compact JSON, `None` when none was given or it is erased.
    ///
    /// # Errors
    /// If `metadata` is not JSON, which only a damaged database could cause.
    pub fn render(&self, metadata: Option<&str>) -> Result<Vec<u8>, serde_json::Error> {
        let metadata = metadata.map(serde_json::from_str::<&RawValue>).transpose()?;
        serde_json::to_vec(&Envelope {
            id: &self.id,
            kind: self.kind.as_str(),
            api_version: API_VERSION,
            created_at: self.created_at,
            metadata,
            data: &self.data,
        })
    }
}

impl TestEvent {
    /// `type` on the wire.
    pub const TYPE: &'static str = "webhook.test";

    /// The body to sign and send.
    ///
    /// # Errors
    /// None in practice: every part of it is text.
    pub fn render(&self) -> Result<Vec<u8>, serde_json::Error> {
        serde_json::to_vec(&Envelope {
            id: &self.id,
            kind: Self::TYPE,
            api_version: API_VERSION,
            created_at: self.created_at,
            metadata: None,
            data: &TestData {
                tenant_id: &self.tenant,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::SessionId;

    #[test]
    fn a_test_event_has_the_same_envelope_and_names_its_tenant_only() {
        let event = TestEvent {
            id: EventId::from_random([1; 16]),
            created_at: Timestamp::from_millis(0),
            tenant: TenantId::from_random([3; 16]),
        };
        let body = String::from_utf8(event.render().unwrap()).unwrap();
        insta::assert_snapshot!(body, @r#"{"id":"evt_01010101010101010101010101010101","type":"webhook.test","apiVersion":"2026-08-02","createdAt":"1970-01-01T00:00:00.000Z","metadata":null,"data":{"tenantId":"tn_03030303030303030303030303030303"}}"#);
    }

    #[test]
    fn an_envelope_has_the_contracts_shape_and_the_metadata_as_written() {
        let event = Event {
            id: EventId::from_random([1; 16]),
            kind: EventType::Expired,
            created_at: Timestamp::from_millis(0),
            data: EventData::Expired {
                session: SessionRef {
                    session_id: SessionId::from_random([2; 16]),
                    tenant_id: TenantId::from_random([3; 16]),
                },
                expired_at: Timestamp::from_millis(1),
            },
        };
        let body = String::from_utf8(event.render(Some(r#"{"b":1.50,"a":2}"#)).unwrap()).unwrap();
        insta::assert_snapshot!(body, @r#"{"id":"evt_01010101010101010101010101010101","type":"verification.expired","apiVersion":"2026-08-02","createdAt":"1970-01-01T00:00:00.000Z","metadata":{"b":1.50,"a":2},"data":{"session":{"sessionId":"vs_02020202020202020202020202020202","tenantId":"tn_03030303030303030303030303030303"},"expiredAt":"1970-01-01T00:00:00.001Z"}}"#);
    }
}
