//! Schemas of requests, responses and errors, for the handlers' OpenAPI attributes.

mod bodies;
pub(super) mod examples;
mod refusals;

pub(super) use bodies::{NewSession, ReprocessedSession, SandboxCompletion, SessionDetail, SessionStatus};
pub(super) use refusals::{
    BadRequest, CompletionNotAllowed, CreationConflict, HttpApiDecodeError, InternalError, IpNotAllowed,
    OfEveryOperation, OfOneSession, RateLimited, ReprocessNotAllowed, RequestTimeout, SessionNotFound, Unauthorized,
    Unavailable,
};
