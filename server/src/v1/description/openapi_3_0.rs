//! The description in OpenAPI 3.0, for the generators that do not read 3.1. It is derived from the other, and says the same except for the
//! webhooks, which 3.0 does not have.

use serde_json::{Map, Value, json};

/// Keywords whose members are schemas by name.
const BY_NAME: [&str; 1] = ["properties"];
/// Keywords whose value is a list of schemas.
const LISTS: [&str; 3] = ["allOf", "anyOf", "oneOf"];
/// Keywords whose value is a schema.
const SINGLE: [&str; 2] = ["items", "additionalProperties"];

/// Rewrites a description of OpenAPI 3.1.
pub(super) fn lowered(mut api: Value) -> Value {
    api["openapi"] = json!("3.0.3");
    if let Some(api) = api.as_object_mut() {
        api.remove("webhooks");
    }
    // 3.0 names a licence by an address.
    if let Some(license) = api["info"]["license"].as_object_mut()
        && let Some(Value::String(identifier)) = license.remove("identifier")
    {
        license.insert(
            "url".to_owned(),
            format!("https://spdx.org/licenses/{identifier}.html").into(),
        );
    }
    find_schemas(&mut api);
    api
}

/// Lowers every schema in a part of the document that is none itself.
fn find_schemas(part: &mut Value) {
    match part {
        Value::Object(members) => {
            for (key, value) in members {
                match (key.as_str(), value) {
                    ("schema", value) => lower(value),
                    ("schemas", Value::Object(schemas)) => schemas.values_mut().for_each(lower),
                    // Values, in which a member may have any name.
                    ("example" | "examples", _) => {}
                    (_, value) => find_schemas(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(find_schemas),
        _ => {}
    }
}

/// Rewrites a schema and those in it.
fn lower(schema: &mut Value) {
    let Some(members) = schema.as_object_mut() else {
        return;
    };
    for (key, value) in members.iter_mut() {
        match (key.as_str(), value) {
            (key, Value::Object(schemas)) if BY_NAME.contains(&key) => schemas.values_mut().for_each(lower),
            (key, Value::Array(schemas)) if LISTS.contains(&key) => schemas.iter_mut().for_each(lower),
            (key, value) if SINGLE.contains(&key) => lower(value),
            _ => {}
        }
    }
    // 3.0 has no such keyword. An operation refuses what it forbids either way.
    members.remove("propertyNames");
    if let Some(first) = members.remove("examples").and_then(|examples| examples.get(0).cloned()) {
        members.entry("example").or_insert(first);
    }
    one_type(members);
    nullable_choice(members);
    string_of_known_values(members);
    reference_alone(members);
}

/// `type: [string, null]` is `type: string, nullable: true`.
fn one_type(members: &mut Map<String, Value>) {
    let Some(types) = members.get("type").and_then(Value::as_array) else {
        return;
    };
    let kept = types.iter().find(|kind| *kind != "null").cloned();
    if types.iter().any(|kind| kind == "null") {
        members.insert("nullable".to_owned(), json!(true));
    }
    match kept {
        Some(kind) => members.insert("type".to_owned(), kind),
        None => members.remove("type"),
    };
}

/// `oneOf: [X, null]` is X, nullable. A reference gets no type beside it, as a purist would want: generators would take it for another type.
fn nullable_choice(members: &mut Map<String, Value>) {
    let Some(choices) = members.get_mut("oneOf").and_then(Value::as_array_mut) else {
        return;
    };
    let all = choices.len();
    choices.retain(|choice| choice["type"] != "null");
    let is_nullable = choices.len() < all;
    let only = match choices.as_mut_slice() {
        [only] if is_nullable => only.take(),
        _ => Value::Null,
    };
    if is_nullable {
        members.insert("nullable".to_owned(), json!(true));
    }
    if let Value::Object(only) = only {
        members.remove("oneOf");
        members.extend(only);
    }
}

/// An enumeration that grows is any string: most generators of 3.0 cannot make a type of a choice between the two. Its description lists the
/// known values.
fn string_of_known_values(members: &mut Map<String, Value>) {
    let is_string = |choice: &Value| choice["type"] == "string";
    let choices = members.get("anyOf").and_then(Value::as_array);
    if choices.is_some_and(|choices| choices.iter().all(is_string) && choices.contains(&json!({"type": "string"}))) {
        members.remove("anyOf");
        members.insert("type".to_owned(), json!("string"));
    }
}

/// What stands beside a reference is ignored in 3.0, unless the reference is the only member of a list.
fn reference_alone(members: &mut Map<String, Value>) {
    if members.len() > 1
        && let Some(reference) = members.remove("$ref")
    {
        members.insert("allOf".to_owned(), json!([{ "$ref": reference }]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn becomes(mut schema: Value, expected: &Value) {
        lower(&mut schema);
        assert_eq!(schema, *expected);
    }

    #[test]
    fn what_only_3_1_can_say_is_said_otherwise() {
        becomes(
            json!({"type": ["string", "null"], "format": "date-time"}),
            &json!({"type": "string", "nullable": true, "format": "date-time"}),
        );
        becomes(
            json!({"oneOf": [{"$ref": "#/x", "description": "Why"}, {"type": "null"}]}),
            &json!({"allOf": [{"$ref": "#/x"}], "description": "Why", "nullable": true}),
        );
        becomes(
            json!({"oneOf": [{"$ref": "#/x"}, {"$ref": "#/y"}]}),
            &json!({"oneOf": [{"$ref": "#/x"}, {"$ref": "#/y"}]}),
        );
        becomes(json!({"$ref": "#/x"}), &json!({"$ref": "#/x"}));
        becomes(
            json!({"anyOf": [{"type": "string", "title": "Known", "enum": ["a"]}, {"type": "string"}], "description": "- `a`"}),
            &json!({"type": "string", "description": "- `a`"}),
        );
        becomes(
            json!({"type": "object", "examples": [{"type": ["x", "null"]}], "propertyNames": {"type": "string"}}),
            &json!({"type": "object", "example": {"type": ["x", "null"]}}),
        );
    }

    #[test]
    fn schemas_are_found_wherever_they_are_and_a_field_may_be_called_like_a_keyword() {
        becomes(
            json!({"properties": {
                "type": {"type": ["string", "null"]},
                "examples": {"type": "array", "items": {"type": ["integer", "null"]}},
            }}),
            &json!({"properties": {
                "type": {"type": "string", "nullable": true},
                "examples": {"type": "array", "items": {"type": "integer", "nullable": true}},
            }}),
        );
    }

    #[test]
    fn the_whole_description_keeps_its_operations_and_has_nothing_of_3_1() {
        let original = serde_json::to_value(super::super::document()).unwrap();
        let api = lowered(original.clone());
        let names = |api: &Value, part: &str| api[part].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&api, "paths"), names(&original, "paths"));
        assert_eq!(
            names(&api["components"], "schemas"),
            names(&original["components"], "schemas")
        );
        let text = api.to_string();
        for keyword in [
            "\"null\"",
            "\"type\":[",
            "\"propertyNames\"",
            "\"identifier\"",
            "\"webhooks\"",
        ] {
            assert!(!text.contains(keyword), "{keyword}");
        }
        let session = &api["components"]["schemas"]["SessionDetail"]["properties"];
        assert_eq!(session["completedAt"]["nullable"], true);
        assert_eq!(
            session["outcome"]["allOf"],
            json!([{"$ref": "#/components/schemas/Outcome"}])
        );
    }
}
