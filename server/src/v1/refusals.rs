//! The bodies of error responses, as they are sent and as the description shows them.

use domain::{request::Issue, tenant::NotReady};
use serde::Serialize;
use serde_json::{Value, json};
use std::net::IpAddr;
use utoipa::{IntoResponses, ToSchema};

/// Ids in error responses are cut at this many characters.
const ID_LIMIT: usize = 64;
/// The id in the examples.
const SESSION: &str = "vs_0123456789abcdef0123456789abcdef";

/// The tags: one type for each, with a single value.
mod tag {
    use super::{Serialize, ToSchema};

    macro_rules! tags {
        ($($name:ident),+ $(,)?) => {
            $(#[derive(Serialize, ToSchema)]
            pub(in crate::v1) enum $name { $name })+
        };
    }
    tags!(
        Unauthorized,
        IpNotAllowed,
        RateLimited,
        CallbackUrlNotAllowed,
        SessionCreationNotAllowed,
        HttpApiDecodeError,
        SessionNotFound,
        ReprocessNotAllowed,
        CancelNotAllowed,
        CompletionNotAllowed,
        AdvanceNotAllowed,
        IdempotencyConflict,
        RequestTimeout,
        InternalError,
        Unavailable,
    );
}

/// Error responses that have only a tag and a message.
macro_rules! with_message {
    ($($(#[$meta:meta])* $name:ident: $message:literal;)+) => {
        $($(#[$meta])*
        #[derive(Serialize, ToSchema)]
        #[schema(example = $name::example)]
        pub(in crate::v1) struct $name {
            #[serde(rename = "_tag")]
            #[schema(inline)]
            tag: tag::$name,
            message: &'static str,
        }

        impl $name {
            pub(in crate::v1) const fn new() -> Self {
                Self { tag: tag::$name::$name, message: $message }
            }

            fn example() -> Value {
                json!(Self::new())
            }
        })+
    };
}

with_message! {
    /// The key is missing, wrong, revoked or expired, or lacks the scope of this operation. The response does not say which.
    Unauthorized: "The API key is missing or not valid.";
    /// Retry later. The response does not state the limit.
    RateLimited: "The session-creation limit is reached. Retry later.";
    /// The Idempotency-Key was used with another body, or its session has been erased.
    IdempotencyConflict: "This Idempotency-Key was used with another body, or its session has been erased. Use a new key.";
    /// The request body arrived too slowly.
    RequestTimeout: "The request body arrived too slowly.";
    /// Overloaded or shutting down.
    Unavailable: "The service is overloaded or shutting down. Retry later.";
}

/// The key is valid, but the caller's address is not on the tenant's allow-list, or not in the networks of the key.
#[derive(Serialize, ToSchema)]
#[schema(example = IpNotAllowed::example)]
pub(in crate::v1) struct IpNotAllowed {
    #[serde(rename = "_tag")]
    #[schema(inline)]
    tag: tag::IpNotAllowed,
    /// Names the address that was seen. Behind a proxy, it may not be the one that the caller expects.
    message: String,
}

impl IpNotAllowed {
    pub(in crate::v1) fn new(address: IpAddr) -> Self {
        Self {
            tag: tag::IpNotAllowed::IpNotAllowed,
            message: format!("Calls from {address} are not allowed with this key."),
        }
    }

    fn example() -> Value {
        json!(Self::new(IpAddr::from([203, 0, 113, 7])))
    }
}

/// Error responses that name a session.
macro_rules! of_session {
    ($($(#[$meta:meta])* $name:ident { $(#[$about:meta])* id };)+) => {
        $($(#[$meta])*
        #[derive(Serialize, ToSchema)]
        #[schema(example = $name::example)]
        pub(in crate::v1) struct $name {
            #[serde(rename = "_tag")]
            #[schema(inline)]
            tag: tag::$name,
            $(#[$about])*
            id: String,
        }

        impl $name {
            pub(in crate::v1) fn new(id: &str) -> Self {
                Self { tag: tag::$name::$name, id: id.chars().take(ID_LIMIT).collect() }
            }

            fn example() -> Value {
                json!(Self::new(SESSION))
            }
        })+
    };
}

of_session! {
    /// The same for a session that does not exist, another tenant's, and a malformed id.
    SessionNotFound {
        /// As given, cut at 64 characters.
        #[schema(max_length = 64)]
        id
    };
    /// The session cannot be reprocessed.
    ReprocessNotAllowed { id };
    /// The session is past `created` and `collecting`, so there is nothing to cancel.
    CancelNotAllowed { id };
    /// The sandbox session has already ended or is about to end.
    CompletionNotAllowed { id };
    /// The sandbox session is past that time, or has not ended.
    AdvanceNotAllowed { id };
}

/// Not on the allow-list, not https, or with a query or fragment.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = CallbackUrlNotAllowed::example)]
pub(in crate::v1) struct CallbackUrlNotAllowed {
    #[serde(rename = "_tag")]
    #[schema(inline)]
    tag: tag::CallbackUrlNotAllowed,
    callback_url: String,
}

impl CallbackUrlNotAllowed {
    pub(in crate::v1) fn new(callback_url: &str) -> Self {
        Self {
            tag: tag::CallbackUrlNotAllowed::CallbackUrlNotAllowed,
            callback_url: callback_url.to_owned(),
        }
    }

    fn example() -> Value {
        json!(Self::new("https://elsewhere.example/verified"))
    }
}

/// The request does not match the API description. Values are never repeated.
#[derive(Serialize, ToSchema)]
#[schema(example = HttpApiDecodeError::example)]
pub(in crate::v1) struct HttpApiDecodeError {
    #[serde(rename = "_tag")]
    #[schema(inline)]
    tag: tag::HttpApiDecodeError,
    message: &'static str,
    #[schema(min_items = 1)]
    issues: Vec<Issue>,
}

impl HttpApiDecodeError {
    pub(in crate::v1) const fn new(issues: Vec<Issue>) -> Self {
        Self {
            tag: tag::HttpApiDecodeError::HttpApiDecodeError,
            message: "The request does not match the API description.",
            issues,
        }
    }

    fn example() -> Value {
        json!(Self::new(vec![Issue {
            tag: "Type",
            path: vec!["state".to_owned()],
            message: "must be a string".to_owned(),
        }]))
    }
}

/// The tenant's settings do not allow sessions.
#[derive(Serialize, ToSchema)]
#[schema(example = SessionCreationNotAllowed::example)]
pub(in crate::v1) struct SessionCreationNotAllowed {
    #[serde(rename = "_tag")]
    #[schema(inline)]
    tag: tag::SessionCreationNotAllowed,
    reason: NotReady,
    message: &'static str,
}

impl SessionCreationNotAllowed {
    pub(in crate::v1) const fn new(reason: NotReady) -> Self {
        Self {
            tag: tag::SessionCreationNotAllowed::SessionCreationNotAllowed,
            reason,
            message: match reason {
                NotReady::SettingsMissing => {
                    "The tenant has no settings yet. An admin must save them in the console, under Settings."
                }
                NotReady::NoStepsEnabled => {
                    "The tenant has no verification step enabled. An admin must enable one in the console, under Settings."
                }
            },
        }
    }

    fn example() -> Value {
        json!(Self::new(NotReady::NoStepsEnabled))
    }
}

/// Internal error. Give `requestId` to support.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = InternalError::example)]
pub(in crate::v1) struct InternalError {
    #[serde(rename = "_tag")]
    #[schema(inline)]
    tag: tag::InternalError,
    message: &'static str,
    #[schema(pattern = "^req_[0-9a-f]{32}$")]
    request_id: String,
}

impl InternalError {
    pub(in crate::v1) fn new(request_id: &str) -> Self {
        Self {
            tag: tag::InternalError::InternalError,
            message: "An internal error occurred.",
            request_id: request_id.to_owned(),
        }
    }

    fn example() -> Value {
        json!(Self::new("req_0123456789abcdef0123456789abcdef"))
    }
}

/// Error responses of every operation.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "names the bodies of these statuses for the description")]
pub(in crate::v1) enum OfEveryOperation {
    /// The key is missing or not valid
    #[response(status = 401, headers(("WWW-Authenticate" = String, description = "`Bearer`")))]
    Unauthorized(Unauthorized),
    /// The address is not allowed
    #[response(status = 403)]
    IpNotAllowed(IpNotAllowed),
    /// Internal error
    #[response(status = 500)]
    InternalError(InternalError),
    /// Overloaded or shutting down
    #[response(
        status = 503,
        headers(("Retry-After" = u32, description = "Seconds. If it is present, no part of the request was processed"))
    )]
    Unavailable(Unavailable),
}

/// Further error responses of operations on one session.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "names the body of this status for the description")]
pub(in crate::v1) enum OfOneSession {
    /// No such session, another tenant's, or a malformed id
    #[response(status = 404)]
    SessionNotFound(SessionNotFound),
}

/// Further error responses of operations that ignore the body of the request, which must still arrive.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "names the bodies of these statuses for the description")]
pub(in crate::v1) enum OfABody {
    /// The body did not arrive completely
    #[response(status = 400)]
    Broken(HttpApiDecodeError),
    /// The request body arrived too slowly
    #[response(status = 408)]
    TooSlow(RequestTimeout),
}

/// The body is invalid, or the callback URL is not allowed.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[schema(examples(HttpApiDecodeError::example, CallbackUrlNotAllowed::example))]
#[expect(dead_code, reason = "names the bodies of one status for the description")]
pub(in crate::v1) enum BadRequest {
    Decode(HttpApiDecodeError),
    CallbackUrl(CallbackUrlNotAllowed),
}

/// The settings do not allow sessions, or the Idempotency-Key was used with another body or for a session that has been erased.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[schema(examples(SessionCreationNotAllowed::example, IdempotencyConflict::example))]
#[expect(dead_code, reason = "names the bodies of one status for the description")]
pub(in crate::v1) enum CreationConflict {
    Settings(SessionCreationNotAllowed),
    Key(IdempotencyConflict),
}
