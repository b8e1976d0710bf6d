//! `POST /v1/verification-sessions`. Checks in this order: key, address, rate limit, body, callback URL, tenant settings. The rate limit does not
//! apply to the repetition of a creation that has succeeded.

use super::{ApiError, body, caller::caller, error::respond, examples, refusals};
use crate::{edge::RequestContext, state::App};
use axum::{
    Json,
    extract::{Request, State},
    response::Response,
};
use domain::{request::NewSession, scope::Scope, session::Status};
use http::{HeaderMap, StatusCode};
use serde::Serialize;
use service::session::{
    create::{Created, create_session, create_session_once, was_created},
    rate_limit,
};
use utoipa::ToSchema;

/// A session just created. `verificationUrl` is a secret: give it only to the user, and do not log it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = examples::created)]
pub(super) struct CreatedSession {
    /// Session id.
    #[schema(pattern = "^vs_[0-9a-f]{32}$")]
    id: String,
    status: Status,
    /// Secret URL, usable once, returned only here.
    #[schema(format = "uri")]
    verification_url: String,
    /// Time until which `verificationUrl` can be opened.
    #[schema(format = DateTime)]
    verification_url_expires_at: String,
    /// Session deadline.
    #[schema(format = DateTime)]
    expires_at: String,
    /// Creation time.
    #[schema(format = DateTime)]
    created_at: String,
}

impl From<Created> for CreatedSession {
    fn from(created: Created) -> Self {
        Self {
            id: created.id.to_string(),
            status: created.status,
            verification_url: created.verification_url.expose().clone(),
            verification_url_expires_at: created.verification_url_expires_at.to_iso(),
            expires_at: created.expires_at.to_iso(),
            created_at: created.created_at.to_iso(),
        }
    }
}

/// Create a session
///
/// Creates one verification of one end user. Send the user to `verificationUrl`, which works once. Scope: `create`.
#[utoipa::path(
    post,
    path = "/v1/verification-sessions",
    operation_id = "createVerificationSession",
    tag = "Verification sessions",
    params(("Idempotency-Key" = String, Header, min_length = 1, max_length = 255, pattern = "^[!-~]+$",
        description = "1 to 255 visible ASCII characters. For 24 hours the same key and body give the same response; \
                       the same key with another body is refused.")),
    request_body(content = NewSession, content_type = "application/json"),
    responses(
        (status = 201, description = "Created", body = CreatedSession, links(
            ("read" = (operation_id = "readVerificationSession", parameters(("id" = "$response.body#/id")))),
            ("reprocess" = (operation_id = "reprocessVerificationSession", parameters(("id" = "$response.body#/id")))),
            ("complete" = (operation_id = "completeSandboxVerificationSession", parameters(("id" = "$response.body#/id"))))
        )),
        (status = 400, description = "The body does not match the API description, or the callback URL is not allowed",
            body = refusals::BadRequest),
        (status = 408, description = "The request body arrived too slowly", body = refusals::RequestTimeout),
        (status = 409, description = "The tenant's settings do not allow sessions, or the Idempotency-Key was used with \
                                      another body or for a session that has been erased", body = refusals::CreationConflict),
        (status = 429, description = "The session-creation limit is reached", body = refusals::RateLimited),
        refusals::OfEveryOperation,
    ),
)]
pub(super) async fn handler(State(app): State<App>, context: RequestContext, request: Request) -> Response {
    let outcome = create(&app, &context, request).await;
    respond(
        &context,
        outcome.map(|created| (StatusCode::CREATED, Json(CreatedSession::from(created)))),
    )
}

async fn create(app: &App, context: &RequestContext, request: Request) -> Result<Created, ApiError> {
    let tenant = caller(app, context, request.headers(), Scope::Create).await?;
    let key = idempotency_key(request.headers());
    if !rate_limit::may_create(&app.honnin, &tenant) {
        let repeats = match &key {
            Ok(Some(key)) => was_created(&app.honnin, &tenant, key).await?,
            Ok(None) | Err(_) => false,
        };
        if !repeats {
            return Err(ApiError::RateLimited);
        }
    }
    let key = key?;
    let body = body::read(request.into_body()).await?;
    Ok(match key {
        None => create_session(&app.honnin, &tenant, &body).await?,
        Some(key) => create_session_once(&app.honnin, &tenant, &key, &body).await?,
    })
}

fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let mut lines = headers.get_all("idempotency-key").iter();
    let Some(line) = lines.next() else { return Ok(None) };
    let text = line.to_str().map_err(|_| ApiError::BadIdempotencyKey)?;
    let fits = (1..=255).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
    if fits && lines.next().is_none() {
        Ok(Some(text.to_owned()))
    } else {
        Err(ApiError::BadIdempotencyKey)
    }
}
