//! The warning before a page closes, and the form that extends the time.

use super::{Closing, PageMeta};
use crate::forms;
use crate::text::closing as text;
use leptos::prelude::*;

/// Without scripts there is no warning, so the footer mentions it in advance: an end that nothing puts off is not called inactivity.
pub(super) fn note(meta: &PageMeta, closing: Closing) -> impl IntoView + use<> {
    let minutes = (closing.seconds / 60).max(1).to_string();
    let sentence = if closing.renewable { text::NOTE } else { text::LAST_LEAD };
    view! { <noscript><p>{meta.tell(sentence, &[("minutes", &minutes)])}</p></noscript> }
}

/// Both dialogs: the time can be extended now, but perhaps not the next time.
pub(super) fn warning(meta: &PageMeta, closing: Closing) -> impl IntoView + use<> {
    let (seconds, renewable) = (closing.seconds.to_string(), closing.renewable.to_string());
    // The script fills in the minutes.
    let keep = [("minutes", "{minutes}")];
    let (idle, last) = (meta.tell(text::IDLE_LEAD, &keep), meta.tell(text::LAST_LEAD, &keep));
    view! {
        <dialog class="closing" data-closing=seconds data-renewable=renewable aria-labelledby="closing-idle">
            <h2 id="closing-idle">{meta.say(text::IDLE_TITLE)}</h2>
            <p data-told=idle></p>
            <form method="post" action=forms::MORE_TIME>
                <button class="button primary" type="submit">{meta.say(text::IDLE_MORE)}</button>
                <p class="hint" role="status" data-failed=meta.say(text::IDLE_FAILED)></p>
            </form>
        </dialog>
        <dialog class="closing" data-closing-last aria-labelledby="closing-last">
            <h2 id="closing-last">{meta.say(text::LAST_TITLE)}</h2>
            <p data-told=last></p>
            <form method="dialog"><button class="button primary" type="submit">{meta.say(text::LAST_OK)}</button></form>
        </dialog>
        <script nonce=meta.nonce.clone() inner_html=concat!(include_str!("over.js"), include_str!("fetch_within.js"), include_str!("closing.js"))></script>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Assets;
    use domain::language::Language;

    #[test]
    fn the_footer_speaks_of_inactivity_only_if_activity_extends_the_time() {
        let meta = PageMeta {
            language: Language::En,
            nonce: String::new(),
            assets: Assets::parse("", "honnin"),
            brand: None,
            path: "/capture/consent".into(),
            progress: None,
            closing: None,
            notice: None,
        };
        for (renewable, told) in [
            (true, "This page closes after 8 minutes of inactivity."),
            (
                false,
                "You have about 8 min left to finish this verification. After that you will need a new link.",
            ),
        ] {
            let closing = Closing {
                seconds: 8 * 60,
                renewable,
            };
            let html = crate::shell::text(|| note(&meta, closing).into_any());
            assert!(html.contains(told), "{html}");
        }
    }
}
