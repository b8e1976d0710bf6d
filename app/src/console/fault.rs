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
    /// Signing in with the provider failed.
    Provider(ProviderFault),
    /// The form was sent from another site.
    Foreign,
    /// A form that none of our pages sends.
    Malformed,
    /// Our error; logged where it occurred.
    Broken,
}

/// Why the OpenID provider signed nobody in.
#[derive(Clone, Copy, Debug)]
pub enum ProviderFault {
    /// It cannot be reached, or does not answer as it should.
    Away,
    /// The attempt was begun in another browser, is too old, or was finished before.
    Closed,
    /// The person did not sign in there.
    Denied,
    /// Its answer was not accepted.
    Refused,
    /// Nobody here is this person.
    Unknown,
    /// The account belongs to somebody else, or somebody else was to confirm.
    Other,
    /// Too many attempts.
    Throttled,
}

impl ProviderFault {
    const fn status(self) -> StatusCode {
        match self {
            Self::Away => StatusCode::BAD_GATEWAY,
            Self::Closed => StatusCode::BAD_REQUEST,
            Self::Denied | Self::Refused | Self::Unknown | Self::Other => StatusCode::FORBIDDEN,
            Self::Throttled => StatusCode::TOO_MANY_REQUESTS,
        }
    }

    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Away => (
                "Your identity provider cannot be reached",
                "It does not answer as it should. Try again in a moment; if this persists, ask an administrator of this installation.",
            ),
            Self::Closed => (
                "This sign-in cannot be continued",
                "It was started in another browser, took longer than 10 minutes, or has already been completed. Start again.",
            ),
            Self::Denied => (
                "You were not signed in",
                "Your identity provider did not sign you in. Start again if that was not intended.",
            ),
            Self::Refused => (
                "You were not signed in",
                "The answer of your identity provider was not accepted. Start again; if this persists, ask an administrator of this \
                 installation.",
            ),
            Self::Unknown => (
                "You do not have an account",
                "Your identity provider knows you, but you have not been invited here, or your account is disabled. Ask an admin of your \
                 organisation.",
            ),
            Self::Other => (
                "This is another account",
                "Your identity provider signed in somebody else than the owner of this account. Sign out there, then try again.",
            ),
            Self::Throttled => ("Too many attempts", "Wait 15 minutes, then try again."),
        }
    }
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
            Self::Provider(fault) => fault.status(),
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
            Self::Provider(fault) => fault.words(),
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
