//! The confirmation page before something that cannot be undone: what it means, what it affects, and the form once more.

use super::{
    fault::Fault,
    layout::{Frame, NavigationItem, page},
    parts::facts,
    request::{PageResult, Request, signed_in},
    words::say,
};
use crate::{PageMeta, forms, page::Fields};
use leptos::prelude::*;

/// What somebody has answered.
pub(super) enum Answer {
    /// They have not been asked yet.
    Open,
    /// They still want it.
    Yes,
    /// They do not.
    No,
}

/// What the form says.
pub(super) fn answer(fields: &Fields) -> Answer {
    match fields.raw(forms::CONFIRMED) {
        "" => Answer::Open,
        forms::YES => Answer::Yes,
        _ => Answer::No,
    }
}

/// A form that does something that cannot be undone, once somebody has confirmed it.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Irreversible {
    /// The question.
    pub title: &'static str,
    /// What it means, in paragraphs.
    pub meaning: Vec<&'static str>,
    /// What it is done to.
    pub about: Vec<(&'static str, String)>,
    /// The button that does it.
    pub button: &'static str,
    /// The form's address.
    pub action: String,
    /// What was typed, which is sent again.
    pub typed: Vec<(String, String)>,
}

impl std::fmt::Debug for Irreversible {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Irreversible({})", self.action)
    }
}

/// The fields of a form, without the answer.
pub(super) fn typed(fields: &Fields) -> Vec<(String, String)> {
    let typed = fields.without(&[forms::CONFIRMED]);
    typed.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// A page of which some forms are answered by a second look first.
pub(super) fn page_or_second_look<V, F>(
    item: NavigationItem,
    load: fn(Request) -> F,
    render_page: fn(&V, &Frame, &PageMeta) -> AnyView,
) -> AnyView
where
    V: Clone + Send + Sync + 'static,
    F: Future<Output = PageResult<V>> + Send + 'static,
{
    if use_context::<Irreversible>().is_some() {
        signed_in(item, |_| std::future::ready(Err(Fault::NotFound)), render).into_any()
    } else {
        signed_in(item, load, render_page).into_any()
    }
}

/// The second look.
#[must_use]
pub(super) fn render(view: &Irreversible, frame: &Frame, meta: &PageMeta) -> AnyView {
    let meaning = view
        .meaning
        .iter()
        .enumerate()
        .map(|(at, paragraph)| view! { <p class=(at == 0).then_some("lead")>{*paragraph}</p> })
        .collect_view();
    let about = view
        .about
        .iter()
        .map(|(name, value)| (*name, value.clone().into_any()))
        .collect::<Vec<_>>();
    let typed = view
        .typed
        .iter()
        .map(|(name, value)| view! { <input type="hidden" name=name.clone() value=value.clone()/> })
        .collect_view();
    let main = view! {
        <div class="narrow-page stack">
            <h1>{view.title}</h1>
            {meaning}
            {(!about.is_empty()).then(|| facts(about))}
            <form class="stack" method="post" action=view.action.clone()>
                {typed}
                <div class="rulings">
                    <button class="button primary" type="submit" name=forms::CONFIRMED value=forms::YES>{view.button}</button>
                    <button class="button secondary" type="submit" name=forms::CONFIRMED value=forms::NO>{say("Cancel", "キャンセル")}</button>
                </div>
            </form>
        </div>
    };
    page(frame, meta, view.title, main.into_any())
}
