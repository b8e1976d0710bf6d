//! Why a request of an end user does not do what it asked for. How it is told: `visit`.

use crate::page::Malformed;
use service::{
    access::capture_cookie::CookieError,
    capture::{open_link::OpenLinkError, progress::NotNow},
    stored::StoreError,
};

/// Why a request does not do what it asked for.
#[derive(Clone, Copy, Debug)]
pub enum Refusal {
    /// The link does not open.
    Link,
    /// No cookie, or it is no longer good.
    Over,
    /// The deadline has passed.
    Expired,
    /// Another step is next.
    OutOfTurn,
    /// Sent by another site.
    Foreign,
    /// No try is left.
    NoTryLeft,
    /// No such thing.
    NotFound,
    /// Too much to do: the picture was not taken.
    Busy,
    /// The database does not answer.
    Unavailable,
    /// Our fault; logged where it happened.
    Broken,
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        match error {
            // Somebody was faster, in another tab: the server knows where the user stands.
            StoreError::Conflict | StoreError::Duplicate => Self::OutOfTurn,
            StoreError::Erased => Self::Over,
            other => {
                tracing::error!(error = %other, "a capture page failed");
                if matches!(other, StoreError::Unavailable(_)) {
                    Self::Unavailable
                } else {
                    Self::Broken
                }
            }
        }
    }
}

impl From<NotNow> for Refusal {
    fn from(error: NotNow) -> Self {
        match error {
            NotNow::Over => Self::Over,
            NotNow::OutOfTurn => Self::OutOfTurn,
            NotNow::Store(error) => error.into(),
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
