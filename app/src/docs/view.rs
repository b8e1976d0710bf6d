//! From the OpenAPI description to HTML.

use super::{
    errors,
    files::COLLECTION_PATH,
    frame, guide,
    json::{entries, in_code, text},
    operations, reasons, states,
    table::{row, table, words},
    try_it,
};
use leptos::prelude::*;
use serde_json::Value;
use std::fmt::Write as _;

/// The whole document.
pub(super) fn render(api: &Value, nonce: &str) -> AnyView {
    let title = text(&api["info"]["title"]);
    let operations: Vec<_> = operations::ordered(api)
        .into_iter()
        .map(|(path, method, of)| operation(api, path, method, of))
        .collect();
    let schemas: Vec<_> = entries(&api["components"]["schemas"])
        .map(|(name, of)| schema(name, of))
        .collect();
    let content = view! {
        <p class="q">{format!("Version {} · ", text(&api["info"]["version"]))}<a href="/v1/openapi.json">"openapi.json"</a>" · "<a href="/v1/openapi-3.0.json">"OpenAPI 3.0"</a>" · "<a href=COLLECTION_PATH>"Postman collection"</a>" · "<a href="/docs/api-changes">"Changes"</a></p>
        {paragraphs(&api["info"]["description"])}
        {contents(api)}
        {try_it::key()}
        {operations}
        {states::states()}
        {guide::events(api)}
        {reasons::table()}
        {errors::table()}
        {guide::sandbox(&text(&api["servers"][0]["url"]))}
        <h2 id="schemas">"Bodies"</h2>
        {schemas}
        {try_it::script(nonce)}
    };
    frame::page(&title, Some("/docs"), nonce, content.into_any())
}

/// Links to the parts of the page.
fn contents(api: &Value) -> AnyView {
    let operations = operations::ordered(api);
    let operations = operations
        .into_iter()
        .map(|(_, _, of)| (text(&of["operationId"]), text(&of["summary"])));
    let parts = [
        ("states", "States"),
        ("events", "Events"),
        ("reasons", "Reasons"),
        ("errors", "Errors"),
        ("sandbox", "Sandbox"),
        ("schemas", "Bodies"),
    ];
    let parts = parts.map(|(id, title)| (id.to_owned(), title.to_owned()));
    let links: Vec<_> = operations
        .chain(parts)
        .map(|(id, title)| view! { <li><a href=format!("#{id}")>{title}</a></li> })
        .collect();
    view! { <nav class="contents" aria-label="Contents"><ul>{links}</ul></nav> }.into_any()
}

fn operation(api: &Value, path: &str, method: &str, operation: &Value) -> AnyView {
    let parameters: Vec<_> = operation["parameters"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|parameter| {
            let (name, location) = (text(&parameter["name"]), text(&parameter["in"]));
            view! { <p><code>{name}</code>" "<span class="q">{location}</span>" — "{marked(&parameter["description"])}</p> }
        })
        .collect();
    let body = &operation["requestBody"]["content"]["application/json"]["schema"];
    let answers = entries(&operation["responses"]).map(|(status, answer)| {
        let schema = &answer["content"]["application/json"]["schema"];
        row(vec![words(status), marked(&answer["description"]), kind(schema)])
    });
    view! {
        <h2 id=text(&operation["operationId"])>{text(&operation["summary"])}</h2>
        <p><span class="m">{method.to_uppercase()}</span>" "<code>{path.to_owned()}</code></p>
        {paragraphs(&operation["description"])}
        {parameters}
        {(!body.is_null()).then(|| view! { <p>"Body: "{kind(body)}</p> })}
        {table(&["Status", "When", "Body"], answers.collect())}
        {try_it::operation(api, path, method, operation)}
    }
    .into_any()
}

fn schema(name: &str, schema: &Value) -> AnyView {
    let required: Vec<_> = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let content = if schema["properties"].is_object() {
        let fields = entries(&schema["properties"]).map(|(field, of)| {
            let optional = (!required.contains(&field)).then(|| view! { " "<span class="q">"optional"</span> });
            let name = view! { <code>{field.to_owned()}</code>{optional} };
            row(vec![name.into_any(), kind(of), marked(&of["description"])])
        });
        table(&["Field", "Type", "Meaning"], fields.collect())
    } else {
        view! { <p>{kind(schema)}</p> }.into_any()
    };
    let examples = schema["examples"].as_array().into_iter().flatten();
    let examples: Vec<_> = schema
        .get("example")
        .into_iter()
        .chain(examples)
        .map(|example| view! { <pre>{format!("{example:#}")}</pre> })
        .collect();
    view! {
        <h3 id=name.to_owned()>{name.to_owned()}</h3>
        {paragraphs(&schema["description"])}
        {content}
        {examples}
    }
    .into_any()
}

/// What a schema allows, in a few words.
fn kind(schema: &Value) -> AnyView {
    if let Some(name) = schema["$ref"].as_str().and_then(|target| target.rsplit('/').next()) {
        return view! { <a href=format!("#{name}")>{name.to_owned()}</a> }.into_any();
    }
    for list in ["oneOf", "anyOf"] {
        if let Some(choices) = schema[list].as_array() {
            return either(choices.iter().map(kind));
        }
    }
    if let Some(values) = schema["enum"].as_array() {
        return either(
            values
                .iter()
                .map(|value| view! { <code>{text(value)}</code> }.into_any()),
        );
    }
    let mut words = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().map(text).collect::<Vec<_>>().join(" or "),
        other => text(other),
    };
    if schema["items"].is_object() {
        return view! { {words}" of "{kind(&schema["items"])} }.into_any();
    }
    for (key, word) in [
        ("format", ""),
        ("minLength", "from "),
        ("maxLength", "to "),
        ("pattern", ""),
    ] {
        match &schema[key] {
            Value::Null => {}
            Value::String(value) => {
                let _ = write!(words, ", {word}{value}");
            }
            value => {
                let _ = write!(words, ", {word}{value} characters");
            }
        }
    }
    words.into_any()
}

/// One of several.
fn either(choices: impl Iterator<Item = AnyView>) -> AnyView {
    let choices: Vec<_> = choices
        .enumerate()
        .map(|(at, choice)| view! { {(at > 0).then_some(" or ")}{choice} })
        .collect();
    choices.into_any()
}

fn paragraphs(value: &Value) -> AnyView {
    let all = text(value);
    let shown: Vec<_> = all
        .split("\n\n")
        .filter(|paragraph| !paragraph.is_empty())
        .map(|paragraph| view! { <p>{in_code(paragraph)}</p> })
        .collect();
    shown.into_any()
}

fn marked(value: &Value) -> AnyView {
    in_code(&text(value))
}
