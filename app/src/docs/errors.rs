//! The error responses of the API with what a developer does about each. The server checks that none is missing.

use super::{
    json::in_code,
    table::{self, anchored, code, words},
};
use leptos::prelude::*;

/// An error response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorResponse {
    /// Its `_tag`.
    pub tag: &'static str,
    /// Its HTTP status.
    pub status: u16,
    /// When it is sent; code in backticks.
    pub meaning: &'static str,
    /// What to do about it.
    pub advice: &'static str,
}

const fn error(status: u16, tag: &'static str, meaning: &'static str, advice: &'static str) -> ErrorResponse {
    ErrorResponse {
        tag,
        status,
        meaning,
        advice,
    }
}

/// Every error response, by status.
pub const ERRORS: [ErrorResponse; 17] = [
    error(
        400,
        "HttpApiDecodeError",
        "The body, a header or the query is not as described.",
        "`issues` names each place and what is expected there. Correct the request; sending it again does not help.",
    ),
    error(
        400,
        "CallbackUrlNotAllowed",
        "`callbackUrl` is not on the tenant's allow-list, is not https, or has a query or fragment.",
        "Add the URL in the console under Settings, exactly as you send it. What changes from session to session belongs in `state`.",
    ),
    error(
        401,
        "Unauthorized",
        "The key is missing, wrong, revoked or expired, or lacks the scope of this operation.",
        "Check that the header is `Authorization: Bearer` and the key, that the key is one of this installation, and its scopes in the console under API keys.",
    ),
    error(
        403,
        "IpNotAllowed",
        "The key is valid, but the caller's address is not on the tenant's IP allow-list, or not in the networks of this key.",
        "The message and API requests in the console show the address that was seen. Add it under Settings, or to the key's networks under API keys.",
    ),
    error(
        404,
        "SessionNotFound",
        "There is no such session, it belongs to another tenant, or the id is malformed.",
        "Check that the key is one of the tenant that created the session: a sandbox does not see the sessions of another tenant.",
    ),
    error(
        404,
        "NotFound",
        "There is no operation at this path.",
        "Check the path against this page.",
    ),
    error(
        405,
        "MethodNotAllowed",
        "The operation has another method.",
        "The response header `Allow` names the methods.",
    ),
    error(
        408,
        "RequestTimeout",
        "The request body arrived too slowly.",
        "Send the request again.",
    ),
    error(
        409,
        "SessionCreationNotAllowed",
        "The tenant's settings do not allow sessions: `settings_missing` or `no_steps_enabled`.",
        "Save the settings in the console, with at least one verification step.",
    ),
    error(
        409,
        "ReprocessNotAllowed",
        "The session is not `completed`, `failed` or `reviewing`, its personal data was erased or its erasure was requested, or another operation changed it at the same time.",
        "Read the session. Create a new one if it is `expired` or erased.",
    ),
    error(
        409,
        "CancelNotAllowed",
        "The session is past `created` and `collecting`.",
        "Read the session; there is nothing left to cancel.",
    ),
    error(
        409,
        "CompletionNotAllowed",
        "The sandbox session has ended or is about to.",
        "Create another session.",
    ),
    error(
        409,
        "AdvanceNotAllowed",
        "The sandbox session is not waiting for that time.",
        "`deadline` needs a session in `created` or `collecting`, `retention_end` one that has ended and is not erased.",
    ),
    error(
        409,
        "IdempotencyConflict",
        "The `Idempotency-Key` was used with another body within 24 hours, or the session that it created has been erased.",
        "Use a new key for a new request, and the same body for a repeated one.",
    ),
    error(
        429,
        "RateLimited",
        "Too many sessions were created.",
        "Wait and try again, each time twice as long. Send an `Idempotency-Key`, so that nothing is created twice.",
    ),
    error(
        500,
        "InternalError",
        "Something failed in the service.",
        "Try again. If it stays, give `requestId` to the operator of the installation.",
    ),
    error(
        503,
        "Unavailable",
        "The service is overloaded, is shutting down, or cannot reach its database.",
        "Wait a few seconds and try again.",
    ),
];

/// The address of an error's row on the page of the API.
#[must_use]
pub fn link(tag: &str) -> String {
    format!("/docs#{}", anchor(tag))
}

fn anchor(tag: &str) -> String {
    format!("error-{tag}")
}

/// The table.
pub(super) fn table() -> AnyView {
    let rows = ERRORS.iter().map(|error| {
        let cells = vec![
            words(error.status.to_string()),
            code(error.tag),
            in_code(error.meaning),
            in_code(error.advice),
        ];
        anchored(anchor(error.tag), cells)
    });
    view! {
        <h2 id="errors">"Errors"</h2>
        <p>
            "Every error response is a JSON object with a "<code>"_tag"</code>". Branch on the status and the "<code>"_tag"</code>". The header "
            <code>"x-request-id"</code>" finds a call again under API requests in the console. Which requests may be repeated is in "
            <a href="/docs/retries">"Retries"</a>"."
        </p>
        {table::table(&["Status", "`_tag`", "When", "What to do"], rows.collect())}
    }
    .into_any()
}
