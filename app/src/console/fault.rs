//! Why a page of the console is not shown, or a form is refused.

use crate::page::Malformed;
use http::StatusCode;
use service::{access::Forbidden, stored::StoreError};

/// Why there is no page.
#[derive(Clone, Copy, Debug)]
pub enum Fault {
    /// The role does not allow it.
    Forbidden,
    /// There is no such thing.
    NotFound,
    /// The password must be entered again first; then the page to continue at.
    Confirm(&'static str),
    /// A second factor without the password before it, or too long after it.
    NoPassword,
    /// The installation has already been set up.
    SetUpClosed,
    /// A link for choosing a password that was used, revoked or replaced, has expired, or never existed.
    LinkClosed,
    /// The form was sent from another site.
    Foreign,
    /// A form that none of our pages sends.
    Malformed,
    /// Our error; logged where it occurred.
    Broken,
}

impl From<Forbidden> for Fault {
    fn from(_: Forbidden) -> Self {
        Self::Forbidden
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        tracing::error!(%error, "the console could not answer");
        Self::Broken
    }
}

impl From<Malformed> for Fault {
    fn from(_: Malformed) -> Self {
        Self::Malformed
    }
}

impl Fault {
    pub(crate) const fn status(&self) -> StatusCode {
        match self {
            Self::Forbidden | Self::Foreign => StatusCode::FORBIDDEN,
            Self::NotFound | Self::SetUpClosed | Self::LinkClosed => StatusCode::NOT_FOUND,
            Self::Confirm(_) | Self::NoPassword => StatusCode::SEE_OTHER,
            Self::Malformed => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Broken => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    pub(crate) const fn words(&self) -> (&'static str, &'static str) {
        match self {
            Self::Forbidden => (
                "Access denied",
                "Your role does not allow this. Ask an admin of your organisation.",
            ),
            Self::NotFound => (
                "Not found",
                "There is no such page, or it belongs to another organisation.",
            ),
            Self::Confirm(_) => ("Confirm", "Confirm your identity."),
            Self::NoPassword => ("Sign in", "Enter your password first."),
            Self::SetUpClosed => (
                "Set-up is closed",
                "This set-up link has already been used or does not exist. Sign in, or restart the server to get a new link.",
            ),
            Self::LinkClosed => (
                "This link cannot be used",
                "This link has been used or revoked, or it is older than 72 hours. Ask for a new one.",
            ),
            Self::Foreign => (
                "Request refused",
                "This form was not sent from one of our pages. Reload the page and try again.",
            ),
            Self::Malformed => (
                "Invalid request",
                "The form was incomplete. Reload the page and try again.",
            ),
            Self::Broken => ("Something went wrong on our side", "Please try again in a moment."),
        }
    }
}
