//! Why a handler of the console gave no page. The wall makes a page of it, since only the wall knows who is there.

use axum::response::{IntoResponse, Redirect, Response};
use http::StatusCode;
use service::access::Forbidden;
use store::StoreError;
use url::form_urlencoded;

/// Why a handler gave no page. The wall makes one of it.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    /// The role does not allow it.
    Forbidden,
    /// Nothing is there.
    NotFound,
    /// It asks for the password again first, then goes on here.
    Confirm(&'static str),
    /// Not from one of our pages.
    Foreign,
    /// A form that none of our pages sends.
    Malformed,
    /// Our fault; logged where it happened.
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

impl From<tower_sessions::session::Error> for Fault {
    fn from(error: tower_sessions::session::Error) -> Self {
        tracing::error!(%error, "the console's session could not be kept");
        Self::Broken
    }
}

impl Fault {
    pub(super) const fn status(&self) -> StatusCode {
        match self {
            Self::Forbidden | Self::Foreign => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Confirm(_) => StatusCode::SEE_OTHER,
            Self::Malformed => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Broken => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    pub(super) const fn words(&self) -> (&'static str, &'static str) {
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

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        if let Self::Confirm(next) = self {
            return Redirect::to(&format!("/admin/confirm?next={}", encoded(next))).into_response();
        }
        let mut response = self.status().into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// What a handler of the console answers.
pub(crate) type Answer = Result<Response, Fault>;

pub(super) fn encoded(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}
