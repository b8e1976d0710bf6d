//! Creating a session by hand.

use crate::PageMeta;
use crate::console::layout::{Frame, mistakes, page};
use crate::console::parts::{Line, area, heading, line};
use crate::parts::Mistake;
use leptos::prelude::*;

/// The form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct NewSessionView {
    /// JSON object as typed.
    pub metadata: String,
    /// Pre-registered data as typed: last name, first name, date of birth.
    pub known: [String; 3],
    /// What is wrong.
    pub mistakes: Vec<Mistake>,
    /// Why no session can be created at all.
    pub not_ready: Option<&'static str>,
}

/// The page.
#[must_use]
pub(super) fn render(view: &NewSessionView, frame: &Frame, meta: &PageMeta) -> AnyView {
    let wrong = &view.mistakes;
    let [last, first, birth] = view.known.clone();
    let text = |name, label, kind, value| Line {
        name,
        label,
        kind,
        value,
        autocomplete: "off",
        ..Line::default()
    };
    let metadata = Line {
        name: "metadata",
        label: "Metadata (optional)",
        hint: Some(
            r#"A JSON object, like {"order": "A-17"}. Returned in webhooks. Must not contain personal data."#.into(),
        ),
        value: view.metadata.clone(),
        ..Line::default()
    };
    let main = view! {
        <p class="crumb"><a href="/admin/sessions">"Sessions"</a></p>
        {heading("Create a session", ().into_any())}
        {view.not_ready.map(|why| view! { <p class="note">{why}" "<a href="/admin/settings">"Open the settings"</a></p> })}
        {mistakes(wrong)}
        <form class="stack narrow-page" method="post" action="/admin/sessions/new">
            <section class="panel stack">
                <h2>"What you know about the person (optional)"</h2>
                <p class="soft">"Compared with the document. Encrypted at rest."</p>
                <div class="grid-form">
                    {line(text("lastName", "Last name", "text", last), wrong)}
                    {line(text("firstName", "First name", "text", first), wrong)}
                    {line(text("birthDate", "Date of birth", "date", birth), wrong)}
                </div>
            </section>
            {area(metadata, 3, wrong)}
            <p><button class="button primary" type="submit">"Create"</button></p>
        </form>
    };
    page(frame, meta, "Create a session", main.into_any())
}
