//! 1, Consent: an explicit tap, with the version of the text. Declining ends the session.

use crate::capture::said;
use crate::parts::choice;
use crate::text::entry as text;
use crate::{PageMeta, forms, shell};
use domain::session::{Plan, Step};
use leptos::prelude::*;

/// The version of the sentences below; it is stored with the consent. Change it whenever they change.
pub const CONSENT_VERSION: &str = "2026-11-22";
/// The version of the page that also asks for the face search; the answer is stored beside it.
pub const CONSENT_VERSION_SEARCH: &str = "2026-11-22-search";

/// The consent page.
#[derive(Clone, Debug, PartialEq)]
pub struct ConsentView {
    /// The steps of the session.
    pub plan: Plan,
    /// Days until the data is deleted after the end.
    pub retention_days: u32,
    /// Whether the tenant searches for faces among approved people, which requires a separate consent.
    pub face_search: bool,
}

/// The version of the text, which depends on whether the tenant uses the face search.
#[must_use]
pub const fn version(face_search: bool) -> &'static str {
    if face_search {
        CONSENT_VERSION_SEARCH
    } else {
        CONSENT_VERSION
    }
}

/// The page.
#[must_use]
pub fn render(view: &ConsentView, meta: &PageMeta) -> AnyView {
    let (document, selfie) = (view.plan.has(Step::Document), view.plan.has(Step::Selfie));
    let days = view.retention_days.to_string();
    let points = [
        document.then_some(text::CONSENT_DOCUMENT),
        selfie.then_some(if document {
            text::CONSENT_SELFIE
        } else {
            text::CONSENT_SELFIE_ONLY
        }),
        Some(text::CONSENT_REVIEW),
        Some(text::CONSENT_DELETE),
    ];
    let points: Vec<_> = points
        .into_iter()
        .flatten()
        .map(|t| view! { <li>{meta.tell(t, &[("days", &days)])}</li> })
        .collect();
    let [title, lead, agree, decline] = said(
        meta,
        [
            text::CONSENT_TITLE,
            text::CONSENT_LEAD,
            text::CONSENT_AGREE,
            text::CONSENT_DECLINE,
        ],
    );
    let hint = meta.tell(text::CONSENT_DECLINE_HINT, &[]);
    let of_text = version(view.face_search);
    let said_version = meta.tell(text::CONSENT_VERSION, &[("version", of_text)]);
    let search = view.face_search.then(|| search(meta, &days));
    let main = view! {
        <h1>{title}</h1>
        <p class="lead">{lead}</p>
        <ul class="points card">{points}</ul>
        <p class="hint">{said_version}</p>
        <form class="actions" method="post" action=forms::CONSENT>
            <input type="hidden" name=forms::VERSION value=of_text/>
            {search}
            {choice("primary", forms::DECISION, forms::ACCEPT, agree)}
            {choice("quiet", forms::DECISION, forms::DECLINE, decline)}
            <p class="hint">{hint}</p>
        </form>
    };
    shell::phone(meta, title.to_owned(), false, main.into_any())
}

/// The separate question: not ticked in advance, and the verification continues without it.
fn search(meta: &PageMeta, days: &str) -> impl IntoView + use<> {
    let [title, hint] = [text::CONSENT_SEARCH_TITLE, text::CONSENT_SEARCH_HINT].map(|t| meta.tell(t, &[]));
    let label = meta.tell(text::CONSENT_SEARCH, &[("days", days)]);
    view! {
        <fieldset class="agree card">
            <legend>{title}</legend>
            <div class="agree-row">
                <input type="checkbox" id=forms::FACE_SEARCH name=forms::FACE_SEARCH value=forms::YES aria-describedby="face-search-hint"/>
                <label for=forms::FACE_SEARCH>{label}</label>
            </div>
            <p class="hint" id="face-search-hint">{hint}</p>
        </fieldset>
    }
}
