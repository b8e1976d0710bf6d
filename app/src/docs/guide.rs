//! The parts of the page that explain: events with samples, and what a test does in a sandbox.

use super::{
    json::{entries, in_code, text},
    table::{code, row, table, words},
};
use leptos::prelude::*;
use serde_json::Value;

/// Every event with a sample of its webhook.
pub(super) fn events(api: &Value) -> AnyView {
    let events: Vec<_> = entries(&api["webhooks"])
        .map(|(kind, item)| {
            let post = &item["post"];
            let target = text(&post["requestBody"]["content"]["application/json"]["schema"]["$ref"]);
            let schema = api.pointer(target.trim_start_matches('#')).unwrap_or(&Value::Null);
            let name = target.rsplit('/').next().unwrap_or_default().to_owned();
            let summary = text(&post["summary"]);
            let meaning = summary
                .split_once(": ")
                .map_or(summary.as_str(), |(_, meaning)| meaning)
                .to_owned();
            view! {
                <h3 id=kind.to_owned()><code>{kind.to_owned()}</code></h3>
                <p>{meaning}" Body: "<a href=format!("#{name}")>{name.clone()}</a></p>
                <details><summary>"Sample"</summary><pre>{format!("{:#}", sample(kind, schema))}</pre></details>
            }
        })
        .collect();
    view! {
        <h2 id="events">"Events"</h2>
        <p>
            "Each event is sent to your receiver as a signed webhook. "<a href="/docs/webhooks">"Webhooks"</a>" explains how to receive them."
        </p>
        {events}
    }
    .into_any()
}

/// The example of the schema, as an event of type `kind`.
fn sample(kind: &str, schema: &Value) -> Value {
    let mut sample = schema["example"].clone();
    if sample["type"] != kind {
        let verdict = kind.trim_start_matches("verification.");
        sample["type"] = kind.into();
        sample["data"]["verdict"] = verdict.into();
        let reason = if verdict == "rejected" {
            "document_expired"
        } else {
            "selfie_face_match_uncertain"
        };
        sample["data"]["reasons"] = vec![reason].into();
    }
    sample
}

/// What a test does in place of the user.
pub(super) fn sandbox(server: &str) -> AnyView {
    let create = format!(
        "curl -X POST {server}/v1/verification-sessions \\\n  -H 'Authorization: Bearer hn_test_…' -d '{{\"metadata\": {{\"order\": \"4711\"}}}}'"
    );
    let complete = format!(
        "curl -X POST {server}/v1/sandbox/verification-sessions/vs_…/complete \\\n  -H 'Authorization: Bearer hn_test_…' -d '{{\"outcome\": \"approved\"}}'"
    );
    let advance = format!(
        "curl -X POST {server}/v1/sandbox/verification-sessions/vs_…/advance \\\n  -H 'Authorization: Bearer hn_test_…' -d '{{\"to\": \"retention_end\"}}'"
    );
    let listen =
        format!("HONNIN_API_KEY=hn_test_… honnin listen --url {server} --forward-to http://localhost:8080/hooks");
    let recipes = [
        (
            "A customer is verified",
            "approved",
            "The webhook is `verification.approved`.",
        ),
        (
            "A customer is turned away",
            "rejected",
            "The webhook is `verification.rejected`, with a reason.",
        ),
        (
            "A reviewer has to decide",
            "needs_review",
            "The webhook is `verification.needs_review`. Decide the case in the console: another webhook follows, with another id.",
        ),
        (
            "Something breaks",
            "failed",
            "The webhook is `verification.failed`, with the reason `processing_error`.",
        ),
        (
            "The customer never comes",
            "expired",
            "The webhook is `verification.expired`. Create a new session.",
        ),
    ];
    let recipes = recipes
        .iter()
        .map(|(what, outcome, then)| row(vec![words(*what), code(*outcome), in_code(then)]));
    view! {
        <h2 id="sandbox">"Sandbox"</h2>
        <p>
            "In a sandbox tenant nothing is analysed: your test chooses the outcome. "<a href="/docs/sandbox">"Sandbox"</a>" has the details, and a test for CI."
        </p>
        <pre>{create}</pre>
        <pre>{complete}</pre>
        <p>"To receive the webhooks on your machine:"</p>
        <pre>{listen}</pre>
        <p>"To let time pass for one session, "<code>"deadline"</code>" or "<code>"retention_end"</code>":"</p>
        <pre>{advance}</pre>
        {table(&["To test that", "Complete with", "What follows"], recipes.collect())}
    }
    .into_any()
}
