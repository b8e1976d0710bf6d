//! 5, Check the photo: large, with what was found and how to mend it. Never a dead end: it can be used anyway.

use super::{said, tries_left};
use crate::parts::choice;
use crate::text::capture as text;
use crate::{PageMeta, forms, shell};
use domain::document::{DocumentType, Side};
use domain::reasons::Reason;
use leptos::prelude::*;

/// The photo just taken.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckView {
    /// Address of the photo, readable with the capture cookie.
    pub picture_url: String,
    /// The kind.
    pub document_type: DocumentType,
    /// The side.
    pub side: Side,
    /// What was found, most urgent first; empty where it is good.
    pub problems: Vec<Reason>,
    /// Tries left after this one; with none left the photo can only be used.
    pub tries_left: u8,
}

/// The page.
#[must_use]
pub fn render(view: &CheckView, meta: &PageMeta) -> String {
    let good = view.problems.is_empty();
    let heading = meta.say(if good {
        text::CHECK_TITLE
    } else {
        text::CHECK_TITLE_PROBLEM
    });
    let [alt, use_it, anyway, again] = said(
        meta,
        [
            text::CHECK_ALT,
            text::CHECK_USE,
            text::CHECK_USE_ANYWAY,
            text::CHECK_AGAIN,
        ],
    );
    let problems: Vec<_> = view
        .problems
        .iter()
        .map(|problem| view! { <li>{problem.sentence(meta.language)}</li> })
        .collect();
    let may_again = view.tries_left > 0;
    // What is likely right comes first: another try where something was found, else this photo.
    let buttons = match (good, may_again) {
        (true, true) => [
            Some(("primary", forms::USE, use_it)),
            Some(("secondary", forms::AGAIN, again)),
        ],
        (false, true) => [
            Some(("primary", forms::AGAIN, again)),
            Some(("secondary", forms::USE, anyway)),
        ],
        (true, false) => [Some(("primary", forms::USE, use_it)), None],
        (false, false) => [Some(("primary", forms::USE, anyway)), None],
    };
    let buttons: Vec<_> = buttons
        .into_iter()
        .flatten()
        .map(|(look, value, label)| choice(look, forms::DECISION, value, label))
        .collect();
    let left = (!good)
        .then(|| tries_left(meta, view.tries_left))
        .flatten()
        .filter(|_| may_again);
    let main = view! {
        <h1>{heading}</h1>
        {(!good).then(|| view! { <div class="problems" role="status"><ul>{problems}</ul></div> })}
        <img class="photo" src=view.picture_url.clone() alt=alt/>
        {left.map(|left| view! { <p class="note">{left}</p> })}
        <form class="actions" method="post" action=forms::CHECK>{buttons}</form>
    };
    shell::phone(meta, heading.to_owned(), false, main.into_any())
}
