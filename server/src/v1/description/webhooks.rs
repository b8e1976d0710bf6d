//! The requests to receivers, one for each type of event.

use domain::{
    event::{EventType, TestEvent},
    named::Vocabulary as _,
};
use utoipa::{
    Modify,
    openapi::{
        Components, ContentBuilder, HttpMethod, PathItem, Paths, Ref, RefOr, Required, ResponseBuilder, Schema,
        SecurityRequirement,
        path::{OperationBuilder, ParameterBuilder, ParameterIn},
        request_body::RequestBodyBuilder,
        schema::{ObjectBuilder, Type},
    },
};

const HEADERS: [(&str, &str); 3] = [
    ("webhook-id", "Id of the event, equal to `id` in the body"),
    (
        "webhook-timestamp",
        "When this attempt was signed, in seconds since 1970",
    ),
    (
        "webhook-signature",
        "`v1,` and the base64 of an HMAC-SHA256; two of them, separated by a space, while the secret is rotated",
    ),
];

pub(super) struct Webhooks;

impl Modify for Webhooks {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let mut webhooks = Paths::new();
        for kind in EventType::ALL {
            let item = request(kind.as_str(), kind.meaning(), schema_of(*kind));
            webhooks.paths.insert(kind.as_str().to_owned(), item);
        }
        let test = request(
            TestEvent::TYPE,
            "A test event that somebody sent from the console.",
            "TestEvent",
        );
        webhooks.paths.insert(TestEvent::TYPE.to_owned(), test);
        openapi.webhooks = Some(webhooks);
        let components = openapi.components.get_or_insert_default();
        for schema in ["DecisionEvent", "ExpiredEvent", "FailedEvent"] {
            let types = EventType::ALL.iter().filter(|kind| schema_of(**kind) == schema);
            limit_types(components, schema, types.map(|kind| kind.as_str()));
        }
        limit_types(components, "TestEvent", [TestEvent::TYPE].into_iter());
    }
}

/// The shape of an event.
const fn schema_of(kind: EventType) -> &'static str {
    match kind {
        EventType::Approved | EventType::Rejected | EventType::NeedsReview => "DecisionEvent",
        EventType::Expired => "ExpiredEvent",
        EventType::Failed => "FailedEvent",
    }
}

/// Lists the types that have this shape, so that generated clients know `data` by `type`.
fn limit_types(components: &mut Components, schema: &str, types: impl Iterator<Item = &'static str>) {
    if let Some(RefOr::T(Schema::Object(event))) = components.schemas.get_mut(schema) {
        let kind = ObjectBuilder::new()
            .schema_type(Type::String)
            .title(Some(format!("{schema}Type")))
            .description(Some("What happened."))
            .enum_values(Some(types));
        event.properties.insert("type".to_owned(), kind.into());
    }
}

fn request(kind: &str, summary: &str, schema: &str) -> PathItem {
    let content = ContentBuilder::new()
        .schema(Some(Ref::from_schema_name(schema)))
        .build();
    let body = RequestBodyBuilder::new()
        .content("application/json", content)
        .required(Some(Required::True));
    let words = kind.split(['.', '_']).map(|word| {
        let (first, rest) = word.split_at(1);
        first.to_uppercase() + rest
    });
    let mut operation = OperationBuilder::new()
        .operation_id(Some(format!("on{}", words.collect::<String>())))
        .summary(Some(format!("{kind}: {summary}")))
        .description(Some(
            "Verify the signature over the raw bytes of the body, answer 2xx at once, and process each `id` once.",
        ))
        .tag("Webhooks")
        .request_body(Some(body.build()))
        .response(
            "2XX",
            ResponseBuilder::new().description("Delivered. The body is not read."),
        )
        .response(
            "4XX",
            ResponseBuilder::new().description("The signature is not valid. This and every other status is retried."),
        )
        .securities(Some(Vec::<SecurityRequirement>::new()));
    for (name, description) in HEADERS {
        let header = ParameterBuilder::new()
            .name(name)
            .parameter_in(ParameterIn::Header)
            .required(Required::True)
            .description(Some(description))
            .schema(Some(ObjectBuilder::new().schema_type(Type::String)));
        operation = operation.parameter(header);
    }
    PathItem::new(HttpMethod::Post, operation)
}
