//! `GET /v1/verification-sessions`: a tenant's sessions without personal data.

use super::{
    ApiError,
    body::{self, Rendered},
    caller::caller,
    error::respond,
    examples,
    query::Query,
    read::metadata,
    refusals,
};
use crate::{edge::RequestContext, state::App};
use axum::{
    extract::{Request, State},
    response::Response,
};
use domain::{cursor, ids::SessionId, outcome::Verdict, scope::Scope, session::Status};
use http::HeaderMap;
use serde::Serialize;
use serde_json::value::RawValue;
use service::session::list::{SessionList, SessionQuery, SessionSummary, list_of_tenant};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        RefOr,
        schema::{ObjectBuilder, Schema, SchemaType, Type},
    },
};

/// A page of sessions.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = examples::sessions)]
pub(super) struct VerificationSessions<'a> {
    /// Newest first.
    sessions: Vec<ListedSession<'a>>,
    /// `cursor` of the next page; null on the last one.
    #[schema(required)]
    next_cursor: Option<String>,
}

/// A session without its personal data.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ListedSession<'a> {
    #[schema(pattern = "^vs_[0-9a-f]{32}$")]
    id: &'a str,
    status: Status,
    /// Only while `reviewing` or `completed`.
    #[schema(required)]
    verdict: Option<Verdict>,
    #[schema(format = DateTime)]
    expires_at: String,
    #[schema(format = DateTime)]
    created_at: String,
    /// Null when not completed.
    #[schema(required, format = DateTime)]
    completed_at: Option<String>,
    /// When the personal data was erased; null before.
    #[schema(required, format = DateTime)]
    purged_at: Option<String>,
    /// As given at creation.
    #[schema(required, value_type = Option<Object>)]
    metadata: Option<&'a RawValue>,
}

impl<'a> From<&'a SessionSummary> for ListedSession<'a> {
    fn from(session: &'a SessionSummary) -> Self {
        Self {
            id: session.id.as_str(),
            status: session.status,
            verdict: session.verdict(),
            expires_at: session.expires_at.to_iso(),
            created_at: session.created_at.to_iso(),
            completed_at: session.completed_at.map(|at| at.to_iso()),
            purged_at: session.purged_at.map(|at| at.to_iso()),
            metadata: metadata(session.metadata.as_deref()),
        }
    }
}

/// The members that a session's metadata must have. In a query, every name is text: the schema says only that one must be given.
struct MetadataFilter;

impl PartialSchema for MetadataFilter {
    fn schema() -> RefOr<Schema> {
        let text = || ObjectBuilder::new().schema_type(SchemaType::Type(Type::String));
        let name = ObjectBuilder::new()
            .schema_type(SchemaType::AnyValue)
            .min_length(Some(1));
        ObjectBuilder::new()
            .additional_properties(Some(text()))
            .property_names(Some(name))
            .into()
    }
}

impl ToSchema for MetadataFilter {}

/// List sessions
///
/// The tenant's sessions, newest first, without personal data. All filters given must match. Scope: `read`.
#[utoipa::path(
    get,
    path = "/v1/verification-sessions",
    operation_id = "listVerificationSessions",
    tag = "Verification sessions",
    params(
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 100,
            description = "Maximum number of sessions, 20 by default. A page may have fewer even if another one follows."),
        ("cursor" = Option<String>, Query, pattern = r"^[0-9]{1,18}\.vs_[0-9a-f]{32}$",
            description = "`nextCursor` of the previous page"),
        ("status" = Option<Status>, Query, description = "Only sessions in this status"),
        ("verdict" = Option<Verdict>, Query, description = "Only sessions with this verdict"),
        ("createdFrom" = Option<String>, Query, format = DateTime, description = "Only sessions created at this time or later"),
        ("createdBefore" = Option<String>, Query, format = DateTime, description = "Only sessions created before this time"),
        ("metadata" = inline(Option<MetadataFilter>), Query, style = DeepObject, explode = true,
            description = "Only sessions whose metadata has these members: `metadata[order]=A-17`. A value is the content of a string, or the \
                           compact JSON of anything else."),
    ),
    responses(
        (status = 200, description = "A page of sessions", body = VerificationSessions),
        (status = 400, description = "A parameter is not as described", body = refusals::HttpApiDecodeError),
        refusals::OfEveryOperation,
    ),
)]
pub(super) async fn handler(State(app): State<App>, context: RequestContext, request: Request) -> Response {
    let outcome = list(&app, &context, request.headers(), request.uri().query()).await;
    respond(&context, outcome)
}

async fn list(
    app: &App,
    context: &RequestContext,
    headers: &HeaderMap,
    query: Option<&str>,
) -> Result<Rendered, ApiError> {
    let tenant = caller(app, context, headers, Scope::Read).await?;
    let query = parse(query)?;
    let found = list_of_tenant(&app.honnin, &tenant, query).await?;
    rendered(found)
}

fn parse(text: Option<&str>) -> Result<SessionQuery, ApiError> {
    let mut query = Query::new(text);
    let parsed = SessionQuery {
        limit: query.limit(),
        after: query.after(SessionId::parse),
        status: query.parsed("status", one_of(Status::ALL), Status::parse),
        verdict: query.parsed("verdict", one_of(Verdict::ALL), Verdict::parse),
        from: query.time("createdFrom"),
        until: query.time("createdBefore"),
        metadata: query.members("metadata"),
    };
    query.finish(parsed)
}

/// "one of" all words of a vocabulary.
fn one_of<T: ToString>(all: &[T]) -> String {
    let names: Vec<_> = all.iter().map(ToString::to_string).collect();
    format!("one of {}", names.join(", "))
}

fn rendered(found: SessionList) -> Result<Rendered, ApiError> {
    body::rendered(&VerificationSessions {
        sessions: found.sessions.iter().map(ListedSession::from).collect(),
        next_cursor: found.next.as_ref().map(cursor::write),
    })
}
