//! Sending a request from the page: a form for each operation, which a small script unhides, and the same request as a command
//! for everybody else. The script sends no key of a live tenant; the server does not tell browsers apart (decision 33).

use super::json::text;
use crate::html::escaped;
use leptos::prelude::*;
use serde_json::Value;
use std::fmt::Write as _;

/// Where the key is entered. Without scripts it is not shown.
pub(super) fn key() -> AnyView {
    view! {
        <form class="try-key" hidden data-try-key>
            <label for="try-key">"Key of a sandbox tenant"</label>
            <input id="try-key" type="password" autocomplete="off" spellcheck="false" placeholder="hn_test_…" aria-describedby="try-key-hint"/>
            <p class="q" id="try-key-hint">
                "To send requests from this page. The key stays in the memory of this page and is forgotten when you close it. Keys of live tenants are refused."
            </p>
        </form>
    }
    .into_any()
}

/// The script.
pub(super) fn script(nonce: &str) -> AnyView {
    view! { <script nonce=nonce.to_owned() inner_html=include_str!("try_it.js")></script> }.into_any()
}

/// One operation's form and command.
pub(super) fn operation(api: &Value, path: &str, method: &str, operation: &Value) -> AnyView {
    let id = text(&operation["operationId"]);
    let example = example(api, operation);
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let fields: Vec<_> = parameters.map(|parameter| field(&id, parameter)).collect();
    let body = example.as_ref().map(|example| {
        let (name, shown) = (format!("{id}-body"), format!("{example:#}"));
        let rows = shown.lines().count().to_string();
        view! { <p><label for=name.clone()>"Body"</label><textarea id=name data-in="body" rows=rows spellcheck="false" inner_html=escaped(&shown)></textarea></p> }
    });
    let base = text(&api["servers"][0]["url"]);
    let command = command(base.trim_end_matches('/'), path, method, example.as_ref());
    view! {
        <details class="try">
            <summary>"Try it"</summary>
            <pre>{command}</pre>
            <form hidden data-try=method.to_uppercase() data-path=path.to_owned()>
                {fields}
                {body}
                <p><button>"Send"</button></p>
                <p role="status"></p>
                <pre hidden tabindex="0" role="group" aria-label="Response"></pre>
            </form>
        </details>
    }
    .into_any()
}

fn field(operation: &str, parameter: &Value) -> AnyView {
    let name = text(&parameter["name"]);
    let id = format!("{operation}-{name}");
    let is_object = parameter["schema"]["type"] == "object";
    let location = if is_object {
        "members".to_owned()
    } else {
        text(&parameter["in"])
    };
    let required = parameter["required"] == true;
    let hint = match location.as_str() {
        "path" => "vs_…",
        "members" => "order=4711",
        _ => "",
    };
    view! {
        <p>
            <label for=id.clone()><code>{name.clone()}</code></label>
            <input id=id name=name data-in=location required=required placeholder=hint autocomplete="off" spellcheck="false"/>
        </p>
    }
    .into_any()
}

/// The example of the operation's body; `None` if it takes none.
fn example(api: &Value, operation: &Value) -> Option<Value> {
    let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
    let target = schema["$ref"].as_str()?;
    api.pointer(target.trim_start_matches('#'))?.get("example").cloned()
}

/// The request for a shell. Examples contain no quotation mark that is special there.
fn command(base: &str, path: &str, method: &str, body: Option<&Value>) -> String {
    let mut command = format!(
        "curl -X {} '{base}{}' \\\n  -H 'Authorization: Bearer hn_test_…'",
        method.to_uppercase(),
        path.replace("{id}", "vs_…")
    );
    if let Some(body) = body {
        // Writing to a String cannot fail.
        let _ = write!(command, " \\\n  -d '{body}'");
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_form_and_the_command_follow_the_description() {
        let api = json!({
            "servers": [{"url": "https://id.example"}],
            "components": {"schemas": {"Completion": {"example": {"outcome": "approved"}}}},
        });
        let described = json!({
            "operationId": "complete",
            "parameters": [
                {"name": "id", "in": "path", "required": true, "schema": {"type": "string"}},
                {"name": "metadata", "in": "query", "required": false, "schema": {"type": "object"}},
            ],
            "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Completion"}}}},
        });
        let html = operation(&api, "/v1/x/{id}/complete", "post", &described).to_html();
        assert!(
            html.contains("curl -X POST 'https://id.example/v1/x/vs_…/complete'"),
            "{html}"
        );
        assert!(html.contains("-d '{\"outcome\":\"approved\"}'"), "{html}");
        assert!(
            html.contains("data-try=\"POST\" data-path=\"/v1/x/{id}/complete\""),
            "{html}"
        );
        assert!(html.contains("data-in=\"path\" required"), "{html}");
        assert!(
            html.contains("name=\"metadata\" data-in=\"members\" placeholder"),
            "{html}"
        );
        assert!(html.contains("<form hidden"), "shown by the script: {html}");
    }
}
