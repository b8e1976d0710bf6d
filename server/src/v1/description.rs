//! The OpenAPI description, generated from the handlers. A copy is committed as `docs/openapi.json`; a test compares the two.

use super::refusals::{InternalError, IpNotAllowed, SessionNotFound, Unauthorized, Unavailable};
use axum::Json;
use utoipa::{
    Modify, OpenApi,
    openapi::{
        RefOr, Required,
        security::{Http, HttpAuthScheme, SecurityScheme},
    },
};

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
    paths(super::create::handler, super::read::handler, super::reprocess::handler, super::sandbox::handler),
    // Schemas that only the shared error responses refer to are not discovered automatically.
    components(schemas(InternalError, IpNotAllowed, SessionNotFound, Unauthorized, Unavailable)),
    modifiers(&Bearer, &Optional),
    security(("bearer" = [])),
    tags(
        (name = "Verification sessions", description = "One session is one verification of one end user."),
        (name = "Sandbox", description = "For sandbox tenants, whose keys begin with `hn_test_`."),
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

/// The description.
#[must_use]
pub fn document() -> utoipa::openapi::OpenApi {
    Description::openapi()
}

pub(super) async fn handler() -> Json<utoipa::openapi::OpenApi> {
    Json(document())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With `HONNIN_TEST_WRITE=1` in the environment, writes the copy instead.
    #[test]
    #[expect(clippy::disallowed_methods, reason = "how a person asks for the new copy")]
    fn the_committed_copy_is_the_generated_description() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/openapi.json");
        let generated = document().to_pretty_json().unwrap() + "\n";
        if std::env::var("HONNIN_TEST_WRITE").is_ok() {
            std::fs::write(&path, &generated).unwrap();
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            committed == generated,
            "docs/openapi.json is out of date; run this test with HONNIN_TEST_WRITE=1"
        );
    }

    #[test]
    fn it_is_openapi_3_1_of_version_0_0_1_with_the_three_operations_and_the_sandboxs() {
        let document = serde_json::to_value(document()).unwrap();
        assert_eq!(document["openapi"], "3.1.0");
        assert_eq!(document["info"]["version"], "0.0.1");
        assert_eq!(document["paths"].as_object().unwrap().len(), 4);
    }
}
