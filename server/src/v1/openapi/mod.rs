//! The OpenAPI description, generated from the handlers. A copy is committed as `docs/openapi.json`; a test holds the two together.

mod bodies;
mod refusals;

pub(super) use bodies::{NewSession, ReprocessedSession, SessionDetail, SessionStatus};
pub(super) use refusals::{
    BadRequest, CreationConflict, InternalError, IpNotAllowed, PayloadTooLarge, RateLimited, ReprocessNotAllowed,
    RequestTimeout, SessionNotFound, Unauthorized, Unavailable,
};

use axum::Json;
use utoipa::{
    Modify, OpenApi,
    openapi::security::{Http, HttpAuthScheme, SecurityScheme},
};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Honnin identity verification",
        version = "0.0.1",
        description = "Remote identity verification: create a session, send the user to its `verificationUrl`, receive the \
                       webhook, read the result.\n\nSend the API key as `Authorization: Bearer <API_KEY>`, from servers only. \
                       Errors are JSON objects with a `_tag`; branch on the HTTP status and the `_tag`. Within one version \
                       fields and enumerated values may be added: ignore those you do not know.",
        license(name = "Apache-2.0", identifier = "Apache-2.0"),
        contact(),
    ),
    paths(super::create::handler, super::read::handler, super::reprocess::handler),
    modifiers(&Bearer),
    security(("bearer" = [])),
    tags((name = "Verification sessions", description = "One session is one verification of one end user.")),
)]
struct Description;

struct Bearer;

impl Modify for Bearer {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let mut scheme = Http::new(HttpAuthScheme::Bearer);
        scheme.description = Some("An API key, issued in the console and shown there once.".to_owned());
        let components = openapi.components.get_or_insert_default();
        components.add_security_scheme("bearer", SecurityScheme::Http(scheme));
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

    /// With `HONNIN_TEST_WRITE=1` in the environment the copy is written instead.
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
            "docs/openapi.json is old; run this test with HONNIN_TEST_WRITE=1"
        );
    }

    #[test]
    fn it_is_openapi_3_1_of_version_0_0_1_with_the_three_operations() {
        let document = serde_json::to_value(document()).unwrap();
        assert_eq!(document["openapi"], "3.1.0");
        assert_eq!(document["info"]["version"], "0.0.1");
        assert_eq!(document["paths"].as_object().unwrap().len(), 3);
    }
}
