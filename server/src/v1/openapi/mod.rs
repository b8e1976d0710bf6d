//! What the description of the API says of bodies and refusals, for the handlers to name.

mod bodies;
pub(super) mod examples;
mod refusals;

pub(super) use bodies::{NewSession, ReprocessedSession, SandboxCompletion, SessionDetail, SessionStatus};
pub(super) use refusals::{
    BadRequest, CompletionNotAllowed, CreationConflict, HttpApiDecodeError, InternalError, IpNotAllowed,
    OfEveryOperation, OfOneSession, RateLimited, ReprocessNotAllowed, RequestTimeout, SessionNotFound, Unauthorized,
    Unavailable,
};
