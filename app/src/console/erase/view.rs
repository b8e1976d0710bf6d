//! The page that erases a session now: what it means, the word to type, the password.

use crate::PageMeta;
use crate::console::layout::{Frame, mistakes, page};
use crate::console::parts::{Line, line};
use crate::console::proof::{Proof, proof_fields};
use crate::parts::Mistake;
use leptos::prelude::*;

/// What has to be typed.
pub(super) const WORD: &str = "ERASE";

/// The page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct EraseView {
    /// Session id.
    pub id: String,
    /// What is unfinished about the session, which erasing ends.
    pub ends: Option<&'static str>,
    /// What the person is asked for.
    pub proof: Proof,
    /// What was typed.
    pub word: String,
    /// What is wrong.
    pub mistakes: Vec<Mistake>,
}

/// The page.
#[must_use]
pub(super) fn render(view: &EraseView, frame: &Frame, meta: &PageMeta) -> AnyView {
    let (session, action) = (
        format!("/admin/sessions/{}", view.id),
        format!("/admin/sessions/{}/erase", view.id),
    );
    let ends = view
        .ends
        .map(|unfinished| view! { <p class="note">{unfinished}" The session will end as failed, and your server will be notified."</p> });
    let word = Line::text("word", "Type ERASE to confirm", view.word.clone());
    let main = view! {
        <div class="narrow-page stack">
            <p class="crumb"><a href=session.clone()>"Session"</a></p>
            <h1>"Erase the personal data now"</h1>
            <p class="lead">"Pictures, readings, what the user typed and what your server sent are erased here and become unreadable in \
                every backup. This cannot be undone."</p>
            <p>"The verdict, its reasons and times, the metadata and the audit log are kept. The session can no longer be reprocessed."</p>
            {ends}
            {mistakes(&view.mistakes)}
            <form class="stack" method="post" action=action data-passkey=view.proof.challenge()>
                <p class="soft">"Session "<code>{view.id.clone()}</code></p>
                {line(word, &view.mistakes)}
                {proof_fields(view.proof, &view.mistakes, meta)}
                <div class="rulings"><button class="button reject" type="submit">"Erase now"</button>
                    <a class="button secondary" href=session>"Cancel"</a></div>
            </form>
        </div>
    };
    page(frame, meta, "Erase now", main.into_any())
}
