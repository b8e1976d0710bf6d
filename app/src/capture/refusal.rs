//! Why a request of an end user is refused. `visit` turns it into a page.

use crate::page::Malformed;
use service::{
    access::capture_cookie::CookieError,
    capture::{open_link::OpenLinkError, progress::StepRefused},
    stored::StoreError,
};

/// Why a request is refused.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// The link cannot be opened.
    Link,
    /// No cookie, or it is no longer valid.
    Over,
    /// The deadline has passed.
    Expired,
    /// Another step is due.
    OutOfTurn,
    /// The page was out of date, as after the user has continued in another window: nothing of what they did on it was saved.
    NotSaved,
    /// The form did not arrive whole: what it says is unknown.
    Unread,
    /// Sent by another site.
    Foreign,
    /// No try is left.
    NoTryLeft,
    /// There is no such thing.
    NotFound,
    /// Overloaded: the picture was not accepted.
    Busy,
    /// The picture arrived too slowly.
    Slow,
    /// Storage failed. Worth a retry if that is temporary.
    Store(StoreError),
}

impl Refusal {
    /// Logs an error that nobody has logged yet.
    pub(super) fn log(&self) {
        if let Self::Store(error) = self {
            tracing::error!(%error, "a capture page failed");
        }
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        match error {
            // Another tab was faster: the server knows which step the user is at.
            StoreError::Conflict | StoreError::Duplicate => Self::OutOfTurn,
            StoreError::Erased => Self::Over,
            other => Self::Store(other),
        }
    }
}

impl From<StepRefused> for Refusal {
    fn from(error: StepRefused) -> Self {
        match error {
            StepRefused::Over => Self::Over,
            StepRefused::OutOfTurn => Self::OutOfTurn,
            StepRefused::Store(error) => error.into(),
        }
    }
}

impl From<CookieError> for Refusal {
    fn from(error: CookieError) -> Self {
        match error {
            CookieError::Over => Self::Over,
            CookieError::Expired => Self::Expired,
            CookieError::Store(error) => error.into(),
        }
    }
}

impl From<OpenLinkError> for Refusal {
    fn from(error: OpenLinkError) -> Self {
        match error {
            OpenLinkError::NotUsable => Self::Link,
            OpenLinkError::Store(error) => error.into(),
        }
    }
}

impl From<Malformed> for Refusal {
    fn from(_: Malformed) -> Self {
        Self::OutOfTurn
    }
}
