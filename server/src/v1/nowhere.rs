//! Responses to requests that lead to no operation. With a valid key they are in the request log like any other.

use super::{ApiError, caller::recognise, request_log::Unanswered};
use crate::{edge::RequestContext, state::App};
use axum::{extract::State, response::Response};
use http::{HeaderMap, Method};

pub(super) async fn method_not_allowed(
    State(app): State<App>,
    context: RequestContext,
    headers: HeaderMap,
) -> Response {
    recognise(&app, &context, &headers).await;
    ApiError::MethodNotAllowed.answer(&context)
}

/// For a path that leads somewhere with another method, and is written in another way than its operation's.
pub(super) async fn not_found(State(app): State<App>, context: RequestContext, headers: HeaderMap) -> Response {
    recognise(&app, &context, &headers).await;
    ApiError::NotFound.answer(&context)
}

/// The response to a request under `/v1` whose path leads nowhere.
pub(crate) async fn nothing_here(
    app: &App,
    context: &RequestContext,
    method: &Method,
    headers: &HeaderMap,
) -> Response {
    let unanswered = Unanswered::new(app.clone(), context.clone(), method, "");
    recognise(app, context, headers).await;
    let response = ApiError::NotFound.answer(context);
    unanswered.answered(&response);
    response
}
