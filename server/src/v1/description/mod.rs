//! The OpenAPI description, generated from the handlers. Copies are committed as `docs/openapi.json` and, in OpenAPI 3.0,
//! `docs/openapi-3.0.json`; a test compares them.

mod openapi_3_0;
mod schemas;
mod webhooks;

use super::{
    events::{DecisionEvent, ExpiredEvent, FailedEvent, TestEvent},
    refusals::{InternalError, IpNotAllowed, SessionNotFound, Unauthorized, Unavailable},
};
use crate::state::App;
use axum::{Json, extract::State};
use domain::event::EventType;
use schemas::Refined;
use serde_json::Value;
use url::Url;
use utoipa::{
    Modify, OpenApi,
    openapi::{
        HeaderBuilder, RefOr, Required, ServerBuilder,
        schema::{ObjectBuilder, Type},
        security::{Http, HttpAuthScheme, SecurityScheme},
    },
};
use webhooks::Webhooks;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Honnin identity verification",
        version = "0.0.1",
        description = "Remote identity verification: create a session, send the user to its `verificationUrl`, receive the \
                       webhook, read the result.\n\nSend the API key as `Authorization: Bearer <API_KEY>`, from servers only. A key has scopes: \
                       `create`, `read` (personal data), `manage`. A key without the scope an operation requires is treated \
                       like a wrong key. \
                       Errors are JSON objects with a `_tag`; branch on the HTTP status and the `_tag`. Within one version \
                       fields and enumerated values may be added: ignore those you do not know.",
        license(name = "Apache-2.0", identifier = "Apache-2.0"),
        contact(),
    ),
    servers((url = "/", description = "The installation that serves this description")),
    paths(
        super::create::handler,
        super::list::handler,
        super::read::handler,
        super::reprocess::handler,
        super::cancel::handler,
        super::erase::handler,
        super::events::handler,
        super::sandbox::handler,
        super::advance::handler,
    ),
    // Schemas that only the shared error responses or the webhooks refer to are not discovered automatically.
    components(schemas(
        InternalError, IpNotAllowed, SessionNotFound, Unauthorized, Unavailable,
        DecisionEvent, ExpiredEvent, FailedEvent, TestEvent, EventType,
    )),
    modifiers(&Bearer, &Optional, &RequestId, &Refined, &Webhooks),
    security(("bearer" = [])),
    tags(
        (name = "Verification sessions", description = "One session is one verification of one end user."),
        (name = "Events", description = "What happened to sessions, for servers that missed webhooks."),
        (name = "Sandbox", description = "For sandbox tenants, whose keys begin with `hn_test_`."),
        (name = "Webhooks", description = "Signed requests to your receiver. The guide at `/docs/webhooks` explains how to verify them."),
    ),
)]
struct Description;

struct Bearer;

impl Modify for Bearer {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let mut scheme = Http::new(HttpAuthScheme::Bearer);
        scheme.description =
            Some("An API key, issued in the console and shown there once. Its scopes are chosen there.".to_owned());
        let components = openapi.components.get_or_insert_default();
        components.add_security_scheme("bearer", SecurityScheme::Http(scheme));
    }
}

/// The body and the header of a creation are optional. An `Option` in the handler would declare them nullable, which they are
/// not.
struct Optional;

impl Modify for Optional {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let creation = openapi.paths.paths.get_mut("/v1/verification-sessions");
        let Some(operation) = creation.and_then(|path| path.post.as_mut()) else {
            return;
        };
        if let Some(RefOr::T(body)) = &mut operation.request_body {
            body.required = None;
        }
        for parameter in operation.parameters.iter_mut().flatten() {
            if let RefOr::T(parameter) = parameter {
                parameter.required = Required::False;
            }
        }
    }
}

/// Every response has the id under which the request is found in the console and in the logs.
struct RequestId;

impl Modify for RequestId {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let header = HeaderBuilder::new()
            .schema(Some(ObjectBuilder::new().schema_type(Type::String)))
            .description(Some("Id of this request. Quote it when you contact the operator"))
            .build();
        let items = openapi.paths.paths.values_mut();
        let operations = items.flat_map(|item| [&mut item.get, &mut item.post].into_iter().flatten());
        for response in operations.flat_map(|operation| operation.responses.responses.values_mut()) {
            if let RefOr::T(response) = response {
                response
                    .headers
                    .insert("x-request-id".to_owned(), RefOr::T(header.clone()));
            }
        }
    }
}

/// The description.
#[must_use]
pub fn document() -> utoipa::openapi::OpenApi {
    Description::openapi()
}

/// The description as the installation at `base_url` serves it.
fn document_of(base_url: &Url) -> utoipa::openapi::OpenApi {
    let mut document = document();
    let here = ServerBuilder::new()
        .url(base_url.as_str().trim_end_matches('/'))
        .description(Some("This installation"));
    document.servers = Some(vec![here.build()]);
    document
}

/// The same as JSON.
pub(super) fn json_of(base_url: &Url) -> Value {
    // Nothing in it can fail to be written as JSON: its keys are all texts.
    serde_json::to_value(document_of(base_url)).unwrap_or_default()
}

pub(super) async fn handler(State(app): State<App>) -> Json<utoipa::openapi::OpenApi> {
    Json(document_of(&app.config.base_url))
}

/// The same in OpenAPI 3.0.
pub(super) async fn handler_3_0(State(app): State<App>) -> Json<Value> {
    Json(openapi_3_0::lowered(json_of(&app.config.base_url)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{
        document::{DocumentType, FieldName, Side},
        named::Vocabulary,
        outcome::{Authenticity, Source, Verdict},
        reasons::Reason,
        sandbox::SandboxOutcome,
        session::{FailureReason, Status, Step},
    };
    use serde_json::json;

    /// With `HONNIN_TEST_WRITE=1` in the environment, writes the copies instead.
    #[test]
    #[expect(clippy::disallowed_methods, reason = "how a person asks for the new copies")]
    fn the_committed_copies_are_the_generated_description() {
        let lowered = openapi_3_0::lowered(serde_json::to_value(document()).unwrap());
        for (name, generated) in [
            ("openapi.json", document().to_pretty_json().unwrap()),
            ("openapi-3.0.json", serde_json::to_string_pretty(&lowered).unwrap()),
        ] {
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("../docs")
                .join(name);
            let generated = generated + "\n";
            if std::env::var("HONNIN_TEST_WRITE").is_ok() {
                std::fs::write(&path, &generated).unwrap();
            }
            let committed = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(
                committed == generated,
                "docs/{name} is out of date; run this test with HONNIN_TEST_WRITE=1"
            );
        }
    }

    #[test]
    fn it_is_openapi_3_1_of_version_0_0_1_with_every_operation() {
        let document = serde_json::to_value(document()).unwrap();
        assert_eq!(document["openapi"], "3.1.0");
        assert_eq!(document["info"]["version"], "0.0.1");
        assert_eq!(document["paths"].as_object().unwrap().len(), 8);
    }

    #[test]
    fn an_installation_describes_itself_as_the_server() {
        let url = Url::parse("https://verify.example.com/").unwrap();
        let served = serde_json::to_value(document_of(&url)).unwrap();
        assert_eq!(served["servers"][0]["url"], "https://verify.example.com");
    }

    #[test]
    fn every_event_has_its_webhook() {
        let document = serde_json::to_value(document()).unwrap();
        let webhooks: Vec<_> = document["webhooks"].as_object().unwrap().keys().collect();
        let mut types: Vec<_> = EventType::ALL.iter().map(|kind| kind.as_str()).collect();
        types.push("webhook.test");
        types.sort_unstable();
        assert_eq!(webhooks, types);
    }

    #[test]
    fn the_type_of_an_event_tells_its_shape() {
        let document = serde_json::to_value(document()).unwrap();
        for (schema, types) in [
            (
                "DecisionEvent",
                json!([
                    "verification.approved",
                    "verification.needs_review",
                    "verification.rejected"
                ]),
            ),
            ("ExpiredEvent", json!(["verification.expired"])),
            ("FailedEvent", json!(["verification.failed"])),
            ("TestEvent", json!(["webhook.test"])),
        ] {
            let mut listed = document["components"]["schemas"][schema]["properties"]["type"]["enum"].clone();
            listed.as_array_mut().unwrap().sort_by_key(ToString::to_string);
            assert_eq!(listed, types, "{schema}");
        }
    }

    #[test]
    fn vocabularies_that_grow_allow_unknown_values_and_explain_the_known_ones() {
        let document = serde_json::to_value(document()).unwrap();
        let schemas = &document["components"]["schemas"];
        for name in [
            "Reason",
            "FailureReason",
            "EventType",
            "Step",
            "Side",
            "FieldName",
            "DocumentType",
        ] {
            let choices = schemas[name]["anyOf"].as_array().unwrap();
            assert!(
                choices[0]["enum"].is_array() && choices[1] == json!({"type": "string"}),
                "{name}"
            );
        }
        let reasons = schemas["Reason"]["description"].as_str().unwrap();
        assert!(reasons.contains("- `document_expired` (rejection): "), "{reasons}");
        assert!(
            schemas["SessionStatus"]["description"]
                .as_str()
                .unwrap()
                .contains("- `deciding`: ")
        );
    }

    #[test]
    fn the_values_of_a_vocabulary_are_its_names_on_the_wire() {
        fn agrees<T: Vocabulary>(schemas: &Value, name: &str) {
            let schema = &schemas[name];
            let values = schema.get("enum").or_else(|| schema["anyOf"][0].get("enum"));
            let names: Vec<_> = T::values().iter().map(|value| value.name()).collect();
            assert_eq!(values, Some(&json!(names)), "{name}");
        }
        let document = serde_json::to_value(document()).unwrap();
        let schemas = &document["components"]["schemas"];
        agrees::<Reason>(schemas, "Reason");
        agrees::<FailureReason>(schemas, "FailureReason");
        agrees::<EventType>(schemas, "EventType");
        agrees::<Step>(schemas, "Step");
        agrees::<Side>(schemas, "Side");
        agrees::<FieldName>(schemas, "FieldName");
        agrees::<DocumentType>(schemas, "DocumentType");
        agrees::<Status>(schemas, "SessionStatus");
        agrees::<Verdict>(schemas, "Verdict");
        agrees::<Source>(schemas, "Source");
        agrees::<Authenticity>(schemas, "Authenticity");
        agrees::<SandboxOutcome>(schemas, "SandboxOutcome");
    }

    #[test]
    fn free_form_objects_allow_every_member_and_tags_have_names() {
        let document = serde_json::to_value(document()).unwrap();
        let schemas = &document["components"]["schemas"];
        for name in ["NewSession", "SessionDetail", "DecisionEvent"] {
            assert_eq!(
                schemas[name]["properties"]["metadata"]["additionalProperties"], true,
                "{name}"
            );
        }
        assert_eq!(
            schemas["Unauthorized"]["properties"]["_tag"]["title"],
            "UnauthorizedTag"
        );
    }
}
