//! 2, Choose the document: one large row for each kind, with a drawing. Tapping a row continues.

use crate::capture::said;
use crate::parts::{Mistake, choice, draw, error_summary, primary, title};
use crate::text::capture as text;
use crate::text::entry::ERROR_SUMMARY;
use crate::{PageMeta, forms, shell};
use domain::document::DocumentType;
use leptos::prelude::*;

/// The choice of the document.
#[derive(Clone, Debug, PartialEq)]
pub struct ChooseView {
    /// The kinds that people in this country usually carry, in the order shown.
    pub usual: Vec<DocumentType>,
    /// The other kinds.
    pub others: Vec<DocumentType>,
    /// What was chosen before, if anything.
    pub chosen: Option<DocumentType>,
    /// Whether there are photos of it that can be discarded for new ones.
    pub again: bool,
    /// Continue was pressed with nothing chosen.
    pub missing: bool,
}

/// The page.
#[must_use]
pub fn render(view: &ChooseView, meta: &PageMeta) -> AnyView {
    let [heading, hint, missing, go_on] = said(
        meta,
        [
            text::CHOOSE_TITLE,
            text::CHOOSE_HINT,
            text::CHOOSE_MISSING,
            crate::text::entry::CONTINUE,
        ],
    );
    let first = view
        .usual
        .first()
        .map_or_else(String::new, |kind| kind.as_str().to_owned());
    let mistakes = if view.missing {
        vec![Mistake {
            field: first,
            sentence: missing.into(),
        }]
    } else {
        Vec::new()
    };
    let rows = |kinds: &[DocumentType]| -> Vec<_> {
        let rows = kinds.iter();
        rows.map(|&kind| row(meta, kind, view.chosen == Some(kind))).collect()
    };
    let open = view.chosen.is_some_and(|chosen| view.others.contains(&chosen));
    let others = (!view.others.is_empty()).then(|| {
        view! {
            <details class="fold" open=open>
                <summary>{meta.say(text::CHOOSE_OTHERS)}</summary>
                <div class="more">{rows(&view.others)}</div>
            </details>
        }
    });
    let again = view
        .again
        .then(|| choice("secondary", forms::DECISION, forms::AGAIN, meta.say(text::CHOOSE_AGAIN)));
    let main = view! {
        {error_summary(meta, ERROR_SUMMARY, &mistakes)}
        <form class="ends" method="post" action=forms::CHOOSE>
            <fieldset class="choices" class:wrong=view.missing aria-describedby="choose-hint">
                <legend><h1>{heading}</h1></legend>
                <p class="hint" id="choose-hint">{hint}</p>
                {view.again.then(|| view! { <p class="hint">{meta.say(text::CHOOSE_KEEPS)}</p> })}
                {view.missing.then(|| view! { <p class="error">{missing}</p> })}
                {rows(&view.usual)}
                {others}
            </fieldset>
            <div class="actions">{primary(go_on)} {again}</div>
        </form>
    };
    shell::phone(meta, title(meta, heading, view.missing), main.into_any())
}

fn row(meta: &PageMeta, kind: DocumentType, chosen: bool) -> impl IntoView + use<> {
    let id = kind.as_str();
    let hint = format!("{id}-hint");
    view! {
        <label class="choice" for=id>
            {draw::document(kind)}
            <span class="choice-text">
                <span class="choice-name">{meta.say(text::document_type(kind))}</span>
                <span class="hint" id=hint.clone()>{meta.say(text::sides(kind))}</span>
            </span>
            <input type="radio" id=id name=forms::DOCUMENT_TYPE value=id checked=chosen aria-describedby=hint/>
        </label>
    }
}
