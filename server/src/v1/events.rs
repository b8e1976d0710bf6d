//! `GET /v1/events`: what was sent to the tenant's receiver, or would have been.

use super::{ApiError, caller::caller, error::respond, examples, query::Query, refusals};
use crate::{edge::RequestContext, state::App};
use axum::{
    Json,
    extract::{Request, State},
    response::Response,
};
use domain::{
    cursor,
    event::EventType,
    ids::EventId,
    outcome::{Outcome, SessionRef},
    scope::Scope,
    session::FailureReason,
};
use http::HeaderMap;
use serde::Serialize;
use serde_json::value::RawValue;
use service::webhook::event_log::list_events;
use utoipa::ToSchema;

/// Declares the shapes of events: the envelope, with `type` and `data`.
macro_rules! events {
    ($($(#[$meta:meta])* $name:ident($kind:ident, $data:ident, $example:ident);)+) => {
        $($(#[$meta])*
        #[derive(Serialize, ToSchema)]
        #[serde(rename_all = "camelCase")]
        #[schema(example = examples::$example)]
        pub(super) struct $name {
            /// Id of the event, the same in every delivery: process it once.
            #[schema(pattern = "^evt_[0-9a-f]{32}$")]
            id: String,
            /// What happened.
            #[serde(rename = "type")]
            kind: $kind,
            /// Version of the payload's shape, a date.
            api_version: String,
            /// When it happened.
            #[schema(format = DateTime)]
            created_at: String,
            /// As given at creation; null when none was given, and after erasure.
            #[schema(required, value_type = Option<Object>)]
            metadata: Option<Box<RawValue>>,
            data: $data,
        })+
    };
}

events! {
    /// A decision was made, or a reviewer has to decide.
    DecisionEvent(EventType, Outcome, decision_event);
    /// The session's deadline passed before it was completed.
    ExpiredEvent(EventType, ExpiredData, expired_event);
    /// The session ended by an unrecoverable error.
    FailedEvent(EventType, FailedData, failed_event);
    /// A test event that somebody sent from the console. Answer 2xx, as for every type that you do not know.
    TestEvent(String, TestData, test_event);
}

/// `data` of `verification.expired`.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ExpiredData {
    session: SessionRef,
    /// The deadline that passed.
    #[schema(format = DateTime)]
    expired_at: String,
}

/// `data` of `verification.failed`.
#[derive(Serialize, ToSchema)]
pub(super) struct FailedData {
    session: SessionRef,
    reason: FailureReason,
}

/// `data` of `webhook.test`.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct TestData {
    /// The tenant whose receiver is tested.
    #[schema(pattern = "^tn_[0-9a-f]{32}$")]
    tenant_id: String,
}

/// An event of any other type. Ignore types that you do not know.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = examples::test_event)]
struct OtherEvent {
    #[schema(pattern = "^evt_[0-9a-f]{32}$")]
    id: String,
    #[serde(rename = "type")]
    kind: EventType,
    api_version: String,
    #[schema(format = DateTime)]
    created_at: String,
    #[schema(required, value_type = Option<Object>)]
    metadata: Option<Box<RawValue>>,
    #[schema(value_type = Object)]
    data: Box<RawValue>,
}

/// An event of any type, in the form of its webhook.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = Event)]
#[expect(dead_code, reason = "names the bodies of events for the description")]
enum AnyEvent {
    Decision(DecisionEvent),
    Expired(ExpiredEvent),
    Failed(FailedEvent),
    Other(OtherEvent),
}

/// A page of events.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = examples::events)]
pub(super) struct Events {
    /// Newest first.
    #[schema(value_type = Vec<AnyEvent>)]
    events: Vec<Box<RawValue>>,
    /// `cursor` of the next page; null on the last one.
    #[schema(required)]
    next_cursor: Option<String>,
}

/// List events
///
/// The tenant's events, newest first, whether they were sent or not, and even if no receiver was configured.
/// Each one is the body of its webhook, but `data.review.note` is null. Use it to catch up after your receiver was away for longer than webhooks
/// are retried. Scope: `read`.
#[utoipa::path(
    get,
    path = "/v1/events",
    operation_id = "listEvents",
    tag = "Events",
    params(
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 100, description = "Maximum number of events, 20 by default"),
        ("cursor" = Option<String>, Query, pattern = r"^[0-9]{1,18}\.evt_[0-9a-f]{32}$",
            description = "`nextCursor` of the previous page"),
    ),
    responses(
        (status = 200, description = "A page of events", body = Events),
        (status = 400, description = "A parameter is not as described", body = refusals::HttpApiDecodeError),
        refusals::OfEveryOperation,
    ),
)]
pub(super) async fn handler(State(app): State<App>, context: RequestContext, request: Request) -> Response {
    let outcome = list(&app, &context, request.headers(), request.uri().query()).await;
    respond(&context, outcome.map(Json))
}

async fn list(
    app: &App,
    context: &RequestContext,
    headers: &HeaderMap,
    query: Option<&str>,
) -> Result<Events, ApiError> {
    let tenant = caller(app, context, headers, Scope::Read).await?;
    let mut query = Query::new(query);
    let (limit, after) = (query.limit(), query.after(EventId::parse));
    let (limit, after) = query.finish((limit, after))?;
    let page = list_events(&app.honnin, &tenant, after, limit).await?;
    let bodies = page.bodies.iter().map(|body| serde_json::from_slice(body));
    Ok(Events {
        events: bodies.collect::<Result<_, serde_json::Error>>()?,
        next_cursor: page.next.as_ref().map(cursor::write),
    })
}
