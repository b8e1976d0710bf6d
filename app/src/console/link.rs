//! Creating a session by hand, and a link that is shown once, with its QR code.

use super::layout::{Frame, mistakes, page};
use super::parts::{Line, area, heading, line, time};
use crate::PageMeta;
use crate::parts::Mistake;
use domain::time::Timestamp;
use leptos::prelude::*;

/// The form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewSessionView {
    /// JSON object as typed.
    pub metadata: String,
    /// What is known of the person, as typed: last name, first name, date of birth.
    pub known: [String; 3],
    /// What is wrong.
    pub mistakes: Vec<Mistake>,
    /// Why no session can be created at all.
    pub not_ready: Option<&'static str>,
}

/// The page.
#[must_use]
pub fn new_session(view: &NewSessionView, frame: &Frame, meta: &PageMeta) -> String {
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

/// A link just made.
#[derive(Clone, PartialEq, Eq)]
pub struct LinkView {
    /// Session id.
    pub session: String,
    /// The link: shown this once.
    pub url: String,
    /// Until when it opens.
    pub expires_at: Timestamp,
    /// The link as a QR code, SVG.
    pub qr: Option<String>,
    /// What was done.
    pub title: &'static str,
}

impl std::fmt::Debug for LinkView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "LinkView({})", self.session)
    }
}

/// The page.
#[must_use]
pub fn link(view: &LinkView, frame: &Frame, meta: &PageMeta) -> String {
    let back = format!("/admin/sessions/{}", view.session);
    let main = view! {
        <p class="crumb"><a href="/admin/sessions">"Sessions"</a></p>
        {heading(view.title, ().into_any())}
        <section class="panel secret link-shown" role="status">
            <div class="stack">
                <h2>"The link for the user"</h2>
                <p class="secret-text"><code>{view.url.clone()}</code></p>
                <p>"It works once, until "{time(view.expires_at)}" UTC. It is not shown again. Share it only with the user."</p>
                <p><a class="button secondary small" href=back>"Go to the session"</a></p>
            </div>
            {view.qr.clone().map(|qr| view! { <div class="qr" role="img" aria-label="The link as a QR code" inner_html=qr></div> })}
        </section>
    };
    page(frame, meta, view.title, main.into_any())
}
