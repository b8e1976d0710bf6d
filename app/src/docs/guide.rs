//! The parts of the page that explain: states, events with samples, and what a test does in a sandbox.

use super::json::{entries, in_code, text};
use domain::{named::Vocabulary as _, session::Status};
use leptos::prelude::*;
use serde_json::Value;

/// From, what happens, to.
const TRANSITIONS: [(&str, &str, &str); 12] = [
    ("created", "The user taps Start.", "collecting"),
    ("created, collecting", "The deadline `expiresAt` passes.", "expired"),
    ("created, collecting", "Your server cancels the session.", "failed"),
    ("collecting", "The user submits everything.", "deciding"),
    ("collecting", "The user declines consent.", "failed"),
    ("deciding", "The verdict is `approved` or `rejected`.", "completed"),
    ("deciding", "The verdict is `needs_review`.", "reviewing"),
    ("deciding", "Processing fails after internal retries.", "failed"),
    ("reviewing", "A reviewer approves or rejects.", "completed"),
    ("completed, failed, reviewing", "Reprocess.", "collecting"),
    ("created, collecting", "The personal data is erased.", "failed"),
    ("deciding, reviewing", "The personal data is erased.", "failed"),
];

/// The usual transitions. The table has all of them.
const DIAGRAM: &str = "<svg viewBox=\"0 -10 740 280\" role=\"img\" aria-labelledby=\"states-diagram\" fill=\"none\" stroke=\"currentColor\">\
<title id=\"states-diagram\">States of a session. The table below lists the transitions.</title>\
<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\">\
<path d=\"M0 0L8 4L0 8z\" fill=\"currentColor\" stroke=\"none\"/></marker></defs>\
<g marker-end=\"url(#tip)\"><path d=\"M140 70H200\"/><path d=\"M320 70H380\"/><path d=\"M500 70H600\"/>\
<path d=\"M470 90L520 140\"/><path d=\"M590 140L640 90\"/><path d=\"M80 90L140 220\"/><path d=\"M240 90L190 220\"/>\
<path d=\"M290 90L390 220\"/><path d=\"M440 90V220\"/><path d=\"M540 180L490 220\"/>\
<path d=\"M660 50C640 5 280 5 260 50\" stroke-dasharray=\"5 4\"/></g>\
<g><rect x=\"20\" y=\"50\" width=\"120\" height=\"40\" rx=\"8\"/><rect x=\"200\" y=\"50\" width=\"120\" height=\"40\" rx=\"8\"/>\
<rect x=\"380\" y=\"50\" width=\"120\" height=\"40\" rx=\"8\"/><rect x=\"600\" y=\"50\" width=\"120\" height=\"40\" rx=\"8\"/>\
<rect x=\"500\" y=\"140\" width=\"120\" height=\"40\" rx=\"8\"/><rect x=\"100\" y=\"220\" width=\"120\" height=\"40\" rx=\"8\"/>\
<rect x=\"380\" y=\"220\" width=\"120\" height=\"40\" rx=\"8\"/></g>\
<g fill=\"currentColor\" stroke=\"none\" text-anchor=\"middle\" font-size=\"15\"><text x=\"80\" y=\"75\">created</text>\
<text x=\"260\" y=\"75\">collecting</text><text x=\"440\" y=\"75\">deciding</text><text x=\"660\" y=\"75\">completed</text>\
<text x=\"560\" y=\"165\">reviewing</text><text x=\"160\" y=\"245\">expired</text><text x=\"440\" y=\"245\">failed</text>\
<text x=\"460\" y=\"6\" font-size=\"13\">reprocess</text></g></svg>";

/// The states and their transitions.
pub(super) fn states() -> AnyView {
    let states: Vec<_> = Status::ALL
        .iter()
        .map(|status| view! { <tr><td><code>{status.as_str()}</code></td><td>{in_code(status.meaning())}</td></tr> })
        .collect();
    let transitions: Vec<_> = TRANSITIONS
        .iter()
        .map(|(from, event, to)| {
            view! { <tr><td>{*from}</td><td>{in_code(event)}</td><td>{*to}</td></tr> }
        })
        .collect();
    view! {
        <h2 id="states">"States"</h2>
        <div inner_html=DIAGRAM></div>
        <table><thead><tr><th>"Status"</th><th>"Meaning"</th></tr></thead><tbody>{states}</tbody></table>
        <h3>"Transitions"</h3>
        <table><thead><tr><th>"From"</th><th>"What happens"</th><th>"To"</th></tr></thead><tbody>{transitions}</tbody></table>
    }
    .into_any()
}

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
            "Each event is sent to your receiver as a signed webhook. Verify the signature over the raw bytes of the body, answer 2xx at once, and process "
            "each "<code>"id"</code>" once. Ignore types that you do not know."
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
    let listen = format!("honnin listen --url {server} --key hn_test_… --forward-to http://localhost:8080/hooks");
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
    let recipes: Vec<_> = recipes
        .iter()
        .map(|(what, outcome, then)| view! { <tr><td>{*what}</td><td><code>{*outcome}</code></td><td>{in_code(then)}</td></tr> })
        .collect();
    view! {
        <h2 id="sandbox">"Sandbox"</h2>
        <p>"A sandbox tenant tests your integration. Nothing is analysed, and your test chooses the outcome. Everything else is real."</p>
        <pre>{create}</pre>
        <pre>{complete}</pre>
        <p>"To receive the webhooks on your machine:"</p>
        <pre>{listen}</pre>
        <p>"To let time pass for one session, "<code>"deadline"</code>" or "<code>"retention_end"</code>":"</p>
        <pre>{advance}</pre>
        <table><thead><tr><th>"To test that"</th><th>"complete with"</th><th>"What follows"</th></tr></thead><tbody>{recipes}</tbody></table>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::session::Status;

    #[test]
    fn every_state_is_drawn_and_listed() {
        let html = states().to_html();
        for status in Status::ALL {
            assert!(DIAGRAM.contains(&format!(">{status}</text>")), "{status}");
            assert!(html.contains(&format!("<code>{status}</code>")), "{status}");
            assert!(
                TRANSITIONS
                    .iter()
                    .any(|(from, _, to)| from.contains(status.as_str()) || to == &status.as_str())
            );
        }
    }
}
