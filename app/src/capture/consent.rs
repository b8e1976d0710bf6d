//! 1, Consent: an explicit tap, with the version of the text. Declining ends the session.

use super::said;
use crate::parts::choice;
use crate::text::entry as text;
use crate::{PageMeta, forms, shell};
use domain::session::{Plan, Step};
use leptos::prelude::*;

/// The version of the sentences below; it is stored with the consent. Change it whenever they change.
pub const CONSENT_VERSION: &str = "2026-11-21";

/// The consent page.
#[derive(Clone, Debug, PartialEq)]
pub struct ConsentView {
    /// What will be asked for.
    pub plan: Plan,
    /// Days until the data is deleted after the end.
    pub retention_days: u32,
}

/// The page.
#[must_use]
pub fn render(view: &ConsentView, meta: &PageMeta) -> String {
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
    let version = meta.tell(text::CONSENT_VERSION, &[("version", CONSENT_VERSION)]);
    let main = view! {
        <h1>{title}</h1>
        <p class="lead">{lead}</p>
        <ul class="points card">{points}</ul>
        <p class="hint">{version}</p>
        <form class="actions" method="post" action=forms::CONSENT>
            <input type="hidden" name=forms::VERSION value=CONSENT_VERSION/>
            {choice("primary", forms::DECISION, forms::ACCEPT, agree)}
            {choice("quiet", forms::DECISION, forms::DECLINE, decline)}
            <p class="hint">{hint}</p>
        </form>
    };
    shell::phone(meta, title.to_owned(), false, main.into_any())
}
