//! The pages for requests that no handler answers. They are prepared in advance: an overloaded or stopping node only has to send them.

use crate::{
    Assets, PageMeta,
    page::without_markers,
    parts::draw::{self, Scene},
    shell,
    text::problem as text,
};
use domain::language::Language;
use leptos::prelude::*;

/// Why nobody answers, and what was requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unanswered {
    /// Overloaded or stopping: a page.
    Busy,
    /// The same: a form, none of which was processed.
    BusyForm,
    /// Our error: a page.
    Broken,
    /// The same: a form, of which nobody knows how much was processed.
    BrokenForm,
}

impl Unanswered {
    /// Every value.
    pub const ALL: [Self; 4] = [Self::Busy, Self::BusyForm, Self::Broken, Self::BrokenForm];
}

/// The page as it is sent.
#[must_use]
pub fn html(what: Unanswered, language: Language, assets: &Assets) -> String {
    let meta = PageMeta {
        language,
        // Without scripts and styles of its own, it needs none.
        nonce: String::new(),
        assets: assets.clone(),
        brand: None,
        path: String::new(),
        progress: None,
        closing: None,
        notice: None,
    };
    without_markers(&shell::text(|| render(what, &meta)))
}

/// The page.
#[must_use]
pub fn render(what: Unanswered, meta: &PageMeta) -> AnyView {
    let (title, lead, scene) = match what {
        Unanswered::Busy => (text::BUSY_TITLE, text::RETRY_LEAD, Scene::Busy),
        Unanswered::BusyForm => (text::BUSY_TITLE, text::FORM_NOT_SENT_LEAD, Scene::Busy),
        Unanswered::Broken => (text::BROKEN_TITLE, text::RETRY_LEAD, Scene::Broken),
        Unanswered::BrokenForm => (text::BROKEN_TITLE, text::FORM_UNCERTAIN_LEAD, Scene::Broken),
    };
    let heading = meta.say(title);
    // A link without an address leads to the page's own. After a form, it would lead away from what was typed.
    let again = matches!(what, Unanswered::Busy | Unanswered::Broken).then(
        || view! { <div class="actions"><a class="button primary" href="">{meta.say(text::BUSY_ACTION)}</a></div> },
    );
    let main = view! {
        <div class="result">
            <div class="figure">{draw::scene(scene)}</div>
            <h1>{heading}</h1>
            <p class="lead">{meta.say(lead)}</p>
            {again}
        </div>
    };
    shell::anywhere(meta, heading.to_owned(), main.into_any())
}
