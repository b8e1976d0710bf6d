//! Generates the client from the description in OpenAPI 3.0, which is what progenitor reads.

use serde_json::{Map, Value, json};
use std::{env, error::Error, fs, path::Path};

const DESCRIPTION: &str = "../../docs/openapi-3.0.json";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={DESCRIPTION}");
    let mut api: Value = serde_json::from_str(&fs::read_to_string(DESCRIPTION)?)?;
    let errors = error_tags(&api);
    for path in members(&mut api["paths"]) {
        for operation in members(path) {
            with_one_error_type(operation);
            without_nested_parameters(operation);
        }
    }
    api["components"]["schemas"]["ErrorResponse"] = json!({
        "type": "object",
        "description": format!("An error response. `_tag` is one of {}; the other members depend on it.", errors.join(", ")),
        "required": ["_tag"],
        "properties": { "_tag": { "type": "string" }, "message": { "type": "string" }, "requestId": { "type": "string" } },
    });
    let mut settings = progenitor::GenerationSettings::default();
    settings.with_interface(progenitor::InterfaceStyle::Builder);
    let client = progenitor::Generator::new(&settings).generate_tokens(&serde_json::from_value(api)?)?;
    fs::write(Path::new(&env::var("OUT_DIR")?).join("client.rs"), client.to_string())?;
    Ok(())
}

fn members(value: &mut Value) -> impl Iterator<Item = &mut Value> {
    value.as_object_mut().into_iter().flat_map(Map::values_mut)
}

/// The schemas that are error responses.
fn error_tags(api: &Value) -> Vec<String> {
    let schemas = api["components"]["schemas"].as_object().into_iter().flatten();
    schemas
        .filter(|(_, schema)| !schema["properties"]["_tag"].is_null() && !schema["example"].is_null())
        .map(|(name, _)| format!("`{name}`"))
        .collect()
}

/// progenitor takes one type of error for each operation.
fn with_one_error_type(operation: &mut Value) {
    let Some(responses) = operation["responses"].as_object_mut() else {
        return;
    };
    for (status, response) in responses {
        if !status.starts_with('2') {
            response["content"]["application/json"]["schema"] = json!({ "$ref": "#/components/schemas/ErrorResponse" });
        }
    }
}

/// progenitor has no parameters like `metadata[order]=4711`.
fn without_nested_parameters(operation: &mut Value) {
    if let Some(parameters) = operation["parameters"].as_array_mut() {
        parameters.retain(|parameter| parameter["style"] != "deepObject");
    }
}
