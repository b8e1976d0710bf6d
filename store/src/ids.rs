//! Ids as they are stored.

use crate::StoreError;
use domain::ids::{EventId, SessionId, TenantId, UserId};

pub(crate) fn session_id(text: &str) -> Result<SessionId, StoreError> {
    SessionId::parse(text).ok_or(StoreError::Corrupt("a malformed session id"))
}

pub(crate) fn tenant_id(text: &str) -> Result<TenantId, StoreError> {
    TenantId::parse(text).ok_or(StoreError::Corrupt("a malformed tenant id"))
}

pub(crate) fn user_id(text: &str) -> Result<UserId, StoreError> {
    UserId::parse(text).ok_or(StoreError::Corrupt("a malformed user id"))
}

pub(crate) fn event_id(text: &str) -> Result<EventId, StoreError> {
    EventId::parse(text).ok_or(StoreError::Corrupt("a malformed event id"))
}
