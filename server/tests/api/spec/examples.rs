//! Every body in the description has examples, and they match their schemas.

use crate::support::Server;
use serde_json::{Map, Value, json};

/// The keywords that [`check`] supports, and those without effect on a value. New ones must be added here.
const KNOWN: &[&str] = &[
    "$ref",
    "additionalProperties",
    "anyOf",
    "description",
    "enum",
    "example",
    "examples",
    "format",
    "items",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "oneOf",
    "pattern",
    "properties",
    "propertyNames",
    "required",
    "title",
    "type",
];

struct Api(Value);

impl Api {
    async fn served() -> Self {
        let server = Server::new().await;
        Self(server.send("GET", "/v1/openapi.json", &[], "").await.json())
    }

    fn resolve<'a>(&'a self, schema: &'a Value) -> &'a Value {
        match schema["$ref"].as_str() {
            Some(target) => self.0.pointer(target.trim_start_matches('#')).expect(target),
            None => schema,
        }
    }

    /// The schema of each request and response body, with its location.
    fn bodies(&self) -> Vec<(String, &Value)> {
        let mut bodies = Vec::new();
        for (path, methods) in self.0["paths"].as_object().unwrap() {
            for (method, operation) in methods.as_object().unwrap() {
                let responses = operation["responses"].as_object().unwrap().iter();
                let all = responses.map(|(status, response)| (status.as_str(), response));
                for (of, holder) in all.chain([("request", &operation["requestBody"])]) {
                    for media in holder["content"].as_object().into_iter().flat_map(Map::values) {
                        bodies.push((format!("{method} {path} {of}"), self.resolve(&media["schema"])));
                    }
                }
            }
        }
        bodies
    }

    /// What is wrong with `value`, each with its location.
    fn check(&self, schema: &Value, value: &Value, at: &str) -> Vec<String> {
        let schema = self.resolve(schema);
        let mut wrong = Vec::new();
        let mut rule = |holds: bool, what: &str| {
            if !holds {
                wrong.push(format!("{at}: {what} of {value}"));
            }
        };
        for keyword in schema.as_object().unwrap().keys() {
            rule(KNOWN.contains(&keyword.as_str()), &format!("unknown keyword {keyword}"));
        }
        let kinds = match &schema["type"] {
            Value::Array(kinds) => kinds.clone(),
            Value::Null => vec![],
            one => vec![one.clone()],
        };
        rule(kinds.is_empty() || kinds.iter().any(|kind| is(kind, value)), "type");
        let choices = schema["enum"].as_array();
        rule(choices.is_none_or(|choices| choices.contains(value)), "enum");
        let alternatives = schema["oneOf"].as_array();
        let fitting = |all: &Vec<Value>| all.iter().filter(|one| self.check(one, value, at).is_empty()).count();
        rule(alternatives.is_none_or(|all| fitting(all) == 1), "oneOf");
        rule(schema["anyOf"].as_array().is_none_or(|all| fitting(all) > 0), "anyOf");
        let bound = |key: &str| schema[key].as_f64();
        if let Some(text) = value.as_str() {
            let length = text.chars().count() as f64;
            rule(bound("minLength").is_none_or(|least| length >= least), "minLength");
            rule(bound("maxLength").is_none_or(|most| length <= most), "maxLength");
            rule(
                schema["format"].as_str().is_none_or(|name| has_format(name, text)),
                "format",
            );
            rule(
                schema["pattern"].as_str().is_none_or(|name| fits(name, text)),
                "pattern",
            );
        }
        if let Some(number) = value.as_f64() {
            rule(bound("minimum").is_none_or(|least| number >= least), "minimum");
            rule(bound("maximum").is_none_or(|most| number <= most), "maximum");
        }
        if let Some(items) = value.as_array() {
            rule(
                bound("minItems").is_none_or(|least| items.len() as f64 >= least),
                "minItems",
            );
            for (i, item) in items.iter().enumerate() {
                wrong.extend(self.check(&schema["items"], item, &format!("{at}/{i}")));
            }
        }
        if let Some(object) = value.as_object() {
            wrong.extend(self.check_object(schema, object, at));
        }
        wrong
    }

    /// An example contains nothing that is not described, so a key without a schema is a fault too, except in free-form
    /// objects.
    fn check_object(&self, schema: &Value, object: &Map<String, Value>, at: &str) -> Vec<String> {
        let mut wrong = Vec::new();
        for name in schema["required"].as_array().into_iter().flatten() {
            if !object.contains_key(name.as_str().unwrap()) {
                wrong.push(format!("{at}: {name} is missing"));
            }
        }
        if schema["minProperties"]
            .as_u64()
            .is_some_and(|least| (object.len() as u64) < least)
        {
            wrong.push(format!("{at}: minProperties"));
        }
        for (name, value) in object {
            let at = format!("{at}/{name}");
            match (&schema["properties"][name], &schema["additionalProperties"]) {
                (Value::Null, Value::Null) if schema["properties"].is_object() => {
                    wrong.push(format!("{at}: not described"));
                }
                (Value::Null, Value::Null | Value::Bool(true)) => {}
                (Value::Null, other) => wrong.extend(self.check(other, value, &at)),
                (described, _) => wrong.extend(self.check(described, value, &at)),
            }
        }
        wrong
    }
}

fn is(kind: &Value, value: &Value) -> bool {
    match kind.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("unknown type {other}"),
    }
}

fn has_format(name: &str, text: &str) -> bool {
    match name {
        "date-time" => text.len() == 24 && domain::time::Timestamp::parse_iso(text).is_some(),
        "uri" => url::Url::parse(text).is_ok(),
        other => panic!("unknown format {other}"),
    }
}

/// The patterns in use.
fn fits(pattern: &str, text: &str) -> bool {
    let id = |prefix: &str| {
        let random = text.strip_prefix(prefix).unwrap_or_default();
        random.len() == 32 && random.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    };
    match pattern {
        "^vs_[0-9a-f]{32}$" => id("vs_"),
        "^tn_[0-9a-f]{32}$" => id("tn_"),
        "^evt_[0-9a-f]{32}$" => id("evt_"),
        "^https://" => text.starts_with("https://"),
        "^req_[0-9a-f]{32}$" => id("req_"),
        r"^\d{4}-\d{2}-\d{2}$" => domain::civil_date::has_form(text),
        other => panic!("unknown pattern {other}"),
    }
}

/// The examples of a schema: one or several.
fn examples(schema: &Value) -> Vec<&Value> {
    let several = schema["examples"].as_array().into_iter().flatten();
    schema.get("example").into_iter().chain(several).collect()
}

#[tokio::test]
async fn every_body_has_an_example_that_its_schema_allows() {
    let api = Api::served().await;
    let bodies = api.bodies();
    assert!(bodies.len() > 30, "{}", bodies.len());
    for (place, schema) in bodies {
        let examples = examples(schema);
        assert!(!examples.is_empty(), "{place} has no example");
        for example in examples {
            assert_eq!(api.check(schema, example, &place), Vec::<String>::new());
        }
    }
}

#[tokio::test]
async fn what_a_schema_does_not_allow_is_seen() {
    let api = Api::served().await;
    let schema = &api.0["components"]["schemas"]["SessionDetail"];
    let good = &schema["example"];
    for (place, bad) in [
        ("/id", json!("vs_1")),
        ("/status", json!("done")),
        ("/plan/steps/0", json!(1)),
        ("/outcome/verdict", json!("later")),
        ("/metadata", json!([])),
        ("/createdAt", json!("2026-08-02")),
        ("/outcome/checks/selfie/livenessConfidence", json!(1.1)),
        ("/outcome/checks/inputMatch/fields/lastName", json!("yes")),
        ("/preRegisteredInfo", json!({})),
        ("/outcome/review", json!({"reviewedAt": "2026-08-02T09:30:00.000Z"})),
        ("/plan", json!({"steps": [], "more": 1})),
    ] {
        let mut example = good.clone();
        *example.pointer_mut(place).unwrap() = bad;
        assert!(!api.check(schema, &example, "").is_empty(), "{place}");
    }
}

#[tokio::test]
async fn the_page_shows_every_example() {
    let api = Api::served().await;
    let server = Server::new().await;
    let page = server.send("GET", "/docs", &[], "").await.body;
    for (place, schema) in api.bodies() {
        for example in examples(schema) {
            let shown = format!("{example:#}");
            assert!(page.contains(&format!("<pre>{shown}</pre>")), "{place}");
        }
    }
}
