//! `/docs`: the OpenAPI description as a page for people. Works offline: no script, one style, nothing loaded.

use super::description::document;
use crate::edge::RequestContext;
use axum::response::Html;
use serde_json::Value;
use std::fmt::Write as _;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1.5rem;color-scheme:light dark}\
code,pre{font:14px/1.45 ui-monospace,monospace}pre{padding:.75rem;overflow:auto;border:1px solid #8886;border-radius:6px}\
table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.35rem .6rem;border-bottom:1px solid #8884}\
h2{margin-top:2.5rem}.m{padding:.1rem .5rem;border-radius:4px;background:#2463eb;color:#fff;font-size:.8em}.q{opacity:.75}";

pub(super) async fn handler(context: RequestContext) -> Html<String> {
    let description = serde_json::to_value(document()).unwrap_or_default();
    Html(page(&description, &context.nonce))
}

fn page(api: &Value, nonce: &str) -> String {
    let mut out = String::new();
    let title = escape(text(&api["info"]["title"]));
    let _ = write!(
        out,
        "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\"><title>{title}</title><style nonce=\"{nonce}\">{STYLE}</style></head>\
         <body><main><h1>{title}</h1><p class=\"q\">Version {} · <a href=\"/v1/openapi.json\">openapi.json</a></p>",
        escape(text(&api["info"]["version"])),
    );
    paragraphs(&mut out, text(&api["info"]["description"]));
    for (path, methods) in entries(&api["paths"]) {
        for (method, operation) in entries(methods) {
            self::operation(&mut out, path, method, operation);
        }
    }
    out.push_str("<h2 id=\"schemas\">Bodies</h2>");
    for (name, schema) in entries(&api["components"]["schemas"]) {
        self::schema(&mut out, name, schema);
    }
    out.push_str("</main></body></html>");
    out
}

fn operation(out: &mut String, path: &str, method: &str, operation: &Value) {
    let _ = write!(
        out,
        "<h2 id=\"{}\">{}</h2><p><span class=\"m\">{}</span> <code>{}</code></p>",
        escape(text(&operation["operationId"])),
        escape(text(&operation["summary"])),
        method.to_uppercase(),
        escape(path),
    );
    paragraphs(out, text(&operation["description"]));
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        let (name, place) = (escape(text(&parameter["name"])), escape(text(&parameter["in"])));
        let _ = write!(out, "<p><code>{name}</code> <span class=\"q\">{place}</span> — ");
        out.push_str(&marked(text(&parameter["description"])));
        out.push_str("</p>");
    }
    let body = &operation["requestBody"]["content"]["application/json"]["schema"];
    if !body.is_null() {
        let _ = write!(out, "<p>Body: {}</p>", kind(body));
    }
    out.push_str("<table><thead><tr><th>Status</th><th>When</th><th>Body</th></tr></thead><tbody>");
    for (status, response) in entries(&operation["responses"]) {
        let schema = &response["content"]["application/json"]["schema"];
        let _ = write!(
            out,
            "<tr><td>{status}</td><td>{}</td><td>{}</td></tr>",
            marked(text(&response["description"])),
            kind(schema),
        );
    }
    out.push_str("</tbody></table>");
}

fn schema(out: &mut String, name: &str, schema: &Value) {
    let _ = write!(out, "<h3 id=\"{0}\">{0}</h3>", escape(name));
    paragraphs(out, text(&schema["description"]));
    let required: Vec<_> = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    if schema["properties"].is_object() {
        out.push_str("<table><tbody>");
        for (field, of) in entries(&schema["properties"]) {
            let optional = if required.contains(&field) {
                ""
            } else {
                " <span class=\"q\">optional</span>"
            };
            let _ = write!(
                out,
                "<tr><td><code>{}</code>{optional}</td><td>{}</td><td>",
                escape(field),
                kind(of)
            );
            out.push_str(&marked(text(&of["description"])));
            out.push_str("</td></tr>");
        }
        out.push_str("</tbody></table>");
    } else {
        let _ = write!(out, "<p>{}</p>", kind(schema));
    }
    let examples = schema["examples"].as_array().into_iter().flatten();
    for example in schema.get("example").into_iter().chain(examples) {
        let _ = write!(out, "<pre>{}</pre>", escape(&format!("{example:#}")));
    }
}

/// What a schema allows, in a few words.
fn kind(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|target| target.rsplit('/').next()) {
        return format!("<a href=\"#{0}\">{0}</a>", escape(name));
    }
    for list in ["oneOf", "anyOf"] {
        if let Some(choices) = schema[list].as_array() {
            return choices.iter().map(kind).collect::<Vec<_>>().join(" or ");
        }
    }
    if let Some(values) = schema["enum"].as_array() {
        return values
            .iter()
            .map(|v| format!("<code>{}</code>", escape(text(v))))
            .collect::<Vec<_>>()
            .join(" or ");
    }
    let mut words = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().map(text).collect::<Vec<_>>().join(" or "),
        other => text(other).to_owned(),
    };
    if schema["items"].is_object() {
        return format!("{} of {}", escape(&words), kind(&schema["items"]));
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
    escape(&words)
}

fn entries(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    value
        .as_object()
        .into_iter()
        .flatten()
        .map(|(key, value)| (key.as_str(), value))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn paragraphs(out: &mut String, text: &str) {
    for paragraph in text.split("\n\n").filter(|paragraph| !paragraph.is_empty()) {
        let _ = write!(out, "<p>{}</p>", marked(paragraph));
    }
}

/// Escapes, and turns `` `code` `` into code.
fn marked(text: &str) -> String {
    let parts = escape(text);
    parts
        .split('`')
        .enumerate()
        .map(|(i, part)| {
            if i % 2 == 1 {
                format!("<code>{part}</code>")
            } else {
                part.to_owned()
            }
        })
        .collect()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
