//! The webhook inbox: what arrived, with its headers and the check of its signature.

use super::{INBOX_URL, Received, check, document};
use leptos::prelude::*;

/// The whole document.
pub(super) fn render(received: &[Received], nonce: &str) -> AnyView {
    let newest = received.first().map_or(0, |received| received.number);
    let all: Vec<_> = received.iter().map(webhook).collect();
    let empty = received.is_empty().then(|| {
        view! { <p data-empty>"Nothing has arrived yet. Complete a session, and its webhook appears here."</p> }
    });
    let main = view! {
        <p>
            "Webhooks of the demonstration, newest first. Its tenants send them to "<code>{INBOX_URL}</code>
            ". New ones appear by themselves; without scripts, reload the page."
        </p>
        <p class="q">
            "To receive webhooks in your own program, run the command that the server printed at its start after \u{201c}Your receiver\u{201d}."
        </p>
        <div data-newest=newest aria-live="polite">{empty}{all}</div>
    };
    document("Webhook inbox", nonce, main.into_any(), Some(include_str!("inbox.js")))
}

fn webhook(received: &Received) -> AnyView {
    let (class, sentence) = check(&received.signature);
    let head: String = received
        .headers
        .iter()
        .map(|(name, value)| format!("{name}: {value}\n"))
        .collect();
    view! {
        <article data-number=received.number>
            <h2>{format!("#{} ", received.number)}<code>{received.kind()}</code></h2>
            <p class="q">{received.at.to_iso()}" "<code>{received.session()}</code></p>
            <p class=class>{sentence}</p>
            <details><summary>"Headers and body"</summary><pre>{head}</pre><pre>{indented(&received.body)}</pre>
                <p class="q">"The signature covers the raw bytes:"</p><pre>{received.body.clone()}</pre></details>
        </article>
    }
    .into_any()
}

/// JSON with a line for each member, in the order in which it was sent; anything else as it is.
fn indented(body: &str) -> String {
    let mut out = Vec::new();
    let mut from = serde_json::Deserializer::from_str(body);
    let done = serde_transcode::transcode(&mut from, &mut serde_json::Serializer::pretty(&mut out));
    match (done.and_then(|()| from.end()), String::from_utf8(out)) {
        (Ok(()), Ok(text)) => text,
        _ => body.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::SignatureCheck;
    use domain::time::Timestamp;

    #[test]
    fn what_arrived_is_shown_as_text() {
        let received = Received {
            number: 7,
            at: Timestamp::from_millis(0),
            headers: vec![("webhook-id", "evt_1".to_owned())],
            body: r#"{"type":"<b>","data":{"session":{"sessionId":"vs_1"}}}"#.to_owned(),
            signature: SignatureCheck::Unknown,
        };
        let html = render(&[received], "n").to_html();
        assert!(
            html.contains("data-newest=\"7\"") && html.contains("data-number=\"7\""),
            "{html}"
        );
        assert!(html.contains(r#"rel="icon" href="/favicon.svg""#), "{html}");
        assert!(html.contains("webhook-id: evt_1") && html.contains("vs_1"));
        assert!(html.contains("&lt;b&gt;") && !html.contains("<b>"));
        assert!(html.contains("matches no secret"));
    }

    #[test]
    fn a_body_is_indented_in_the_order_in_which_it_was_sent() {
        let sent = r#"{"id":"evt_1","apiVersion":"x","data":[]}"#;
        assert_eq!(
            indented(sent),
            "{\n  \"id\": \"evt_1\",\n  \"apiVersion\": \"x\",\n  \"data\": []\n}"
        );
        for not_json in ["", "{", "{} x"] {
            assert_eq!(indented(not_json), not_json);
        }
    }
}
