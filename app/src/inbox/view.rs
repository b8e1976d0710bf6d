//! The inbox as HTML.

use super::{InboxReader, Received, SignatureCheck};
use leptos::prelude::*;
use serde_json::Value;

const STYLE: &str = ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1.5rem}\
code,pre{font:14px/1.45 ui-monospace,monospace}pre{padding:.75rem;overflow:auto;border:1px solid #8886;border-radius:6px}\
article{border-top:1px solid #8884;padding:.75rem 0}h2{font-size:1rem;margin:0}p{margin:.25rem 0}\
.q{opacity:.75}.good{color:#18794e}.bad{color:#c62828}summary{cursor:pointer}\
@media(prefers-color-scheme:dark){.good{color:#4cc38a}.bad{color:#ff8a80}}";

/// The whole document.
pub(super) fn render(inbox: &InboxReader, nonce: &str) -> AnyView {
    let newest = inbox.received.first().map_or(0, |received| received.number);
    let all: Vec<_> = inbox.received.iter().map(webhook).collect();
    let empty = inbox.received.is_empty().then(|| {
        view! { <p data-empty>"Nothing has arrived yet. Complete a session, and its webhook appears here."</p> }
    });
    view! {
        <!DOCTYPE html>
        <html lang="en">
            <head>
                <meta charset="utf-8"/>
                <meta name="viewport" content="width=device-width, initial-scale=1"/>
                <title>"Webhook inbox"</title>
                {crate::shell::favicon()}
                <style nonce=nonce.to_owned() inner_html=STYLE></style>
            </head>
            <body>
                <main>
                    <h1>"Webhook inbox"</h1>
                    <p>
                        "Webhooks of the demonstration, newest first. Its tenants send them to "<code>{inbox.address}</code>
                        ". New ones appear by themselves; without scripts, reload the page."
                    </p>
                    <p class="q">
                        "To receive webhooks in your own program, run the command that the server printed at its start after \u{201c}Your receiver\u{201d}."
                    </p>
                    <div data-newest=newest aria-live="polite">{empty}{all}</div>
                </main>
                <script nonce=nonce.to_owned() inner_html=include_str!("inbox.js")></script>
            </body>
        </html>
    }
    .into_any()
}

fn webhook(received: &Received) -> AnyView {
    let body: Option<Value> = serde_json::from_str(&received.body).ok();
    let text = |pointer: &str| {
        let value = body.as_ref().and_then(|body| body.pointer(pointer)?.as_str());
        value.unwrap_or_default().to_owned()
    };
    let (kind, session) = (text("/type"), text("/data/session/sessionId"));
    let (class, check) = match &received.signature {
        SignatureCheck::Valid(tenant) => (
            "good",
            format!("Signature valid for the secret of the {tenant} tenant."),
        ),
        SignatureCheck::Unknown => (
            "bad",
            "The signature fits no secret of the demonstration: the secret was replaced, or another tenant sent this."
                .to_owned(),
        ),
    };
    let head: String = received
        .headers
        .iter()
        .map(|(name, value)| format!("{name}: {value}\n"))
        .collect();
    let shown = body.map_or_else(|| received.body.clone(), |body| format!("{body:#}"));
    view! {
        <article data-number=received.number>
            <h2>{format!("#{} ", received.number)}<code>{kind}</code></h2>
            <p class="q">{received.at.to_iso()}" "<code>{session}</code></p>
            <p class=class>{check}</p>
            <details><summary>"Headers and body"</summary><pre>{head}</pre><pre>{shown}</pre>
                <p class="q">"The signature covers the raw bytes:"</p><pre>{received.body.clone()}</pre></details>
        </article>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::time::Timestamp;

    #[test]
    fn what_arrived_is_shown_as_text() {
        let inbox = InboxReader {
            received: vec![Received {
                number: 7,
                at: Timestamp::from_millis(0),
                headers: vec![("webhook-id", "evt_1".to_owned())],
                body: r#"{"type":"<b>","data":{"session":{"sessionId":"vs_1"}}}"#.to_owned(),
                signature: SignatureCheck::Unknown,
            }],
            address: "https://inbox.invalid/demo",
        };
        let html = render(&inbox, "n").to_html();
        assert!(
            html.contains("data-newest=\"7\"") && html.contains("data-number=\"7\""),
            "{html}"
        );
        assert!(html.contains(r#"rel="icon" href="/favicon.svg""#), "{html}");
        assert!(html.contains("webhook-id: evt_1") && html.contains("vs_1"));
        assert!(html.contains("&lt;b&gt;") && !html.contains("<b>"));
        assert!(html.contains("fits no secret"));
    }
}
