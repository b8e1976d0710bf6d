//! The page at the demonstration's callback URL: what the address says, and what the customer's server knows at that moment.

use super::{INBOX_PATH, Received, check, document};
use crate::page::Fields;
use leptos::prelude::*;

/// The whole document.
pub(super) fn render(received: &[Received], query: &Fields, nonce: &str) -> AnyView {
    let (session, state) = (query.text("sessionId"), query.raw("state").to_owned());
    let main = if session.is_empty() {
        view! {
            <p>
                "Honnin sends users here at the end of a verification, and appends "<code>"sessionId"</code>" and "
                <code>"state"</code>" to the address. This address has neither."
            </p>
        }
        .into_any()
    } else {
        returned_from(&session, state, received)
    };
    document("Back at your site", nonce, main, None)
}

fn returned_from(session: &str, state: String, received: &[Received]) -> AnyView {
    let state = if state.is_empty() {
        view! { "none was given" }.into_any()
    } else {
        view! { <code>{state}</code> }.into_any()
    };
    view! {
        <p>"This page takes the place of your own site. Honnin has sent the user\u{2019}s browser back to it, with this in the address:"</p>
        <dl>
            <dt>"sessionId"</dt><dd><code>{session.to_owned()}</code></dd>
            <dt>"state"</dt><dd>{state}</dd>
        </dl>
        <p>
            "This proves nothing: anybody can type an address. Compare "<code>"state"</code>
            " with the value in the user\u{2019}s session at your site, and look the verification up by the id that your server stored."
        </p>
        <section>
            <h2>"Webhooks about this session"</h2>
            {webhooks(received)}
        </section>
        <section>
            <p>
                "Your server reads the result with "<code>{format!("GET /v1/verification-sessions/{session}")}</code>". "
                <a href="/docs/callbacks">"How callbacks work"</a>
            </p>
        </section>
    }
    .into_any()
}

fn webhooks(received: &[Received]) -> AnyView {
    if received.is_empty() {
        return view! { <p>"None has arrived yet. Show \u{201c}we are checking\u{201d} until one does. Reload the page in a moment."</p> }
            .into_any();
    }
    let all: Vec<_> = received
        .iter()
        .map(|one| {
            let (class, sentence) = check(&one.signature);
            view! {
                <article>
                    <p><code>{one.kind()}</code>" "<span class="q">{one.at.to_iso()}</span></p>
                    <p class=class>{sentence}</p>
                </article>
            }
        })
        .collect();
    view! {
        {all}
        <p class="q">"The "<a href=INBOX_PATH>"inbox"</a>" shows them in full, on the machine of the demonstration only."</p>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::SignatureCheck;
    use domain::time::Timestamp;

    fn shown(query: &str, received: Vec<Received>) -> String {
        render(&received, &Fields::of_bytes(query.as_bytes()).unwrap(), "n").to_html()
    }

    #[test]
    fn the_address_and_the_webhooks_of_its_session_are_shown_as_text() {
        let received = Received {
            number: 1,
            at: Timestamp::from_millis(0),
            headers: Vec::new(),
            body: r#"{"type":"verification.approved","data":{"session":{"sessionId":"vs_1"}}}"#.to_owned(),
            signature: SignatureCheck::Valid("live".to_owned()),
        };
        let html = shown("sessionId=vs_1&state=%3Cb%3E+x", vec![received]);
        assert!(
            html.contains("vs_1") && html.contains("&lt;b&gt; x") && !html.contains("<b>"),
            "{html}"
        );
        assert!(html.contains("verification.approved") && html.contains("valid for the secret of the live tenant"));
    }

    #[test]
    fn a_page_without_a_webhook_says_so() {
        let html = shown("sessionId=vs_1", Vec::new());
        assert!(
            html.contains("None has arrived yet") && html.contains("none was given"),
            "{html}"
        );
    }

    #[test]
    fn a_page_without_parameters_says_what_comes_here() {
        assert!(shown("", Vec::new()).contains("This address has neither"));
    }
}
