//! Building blocks of the pages: error summary, fields, buttons, drawings.

pub mod crop;
pub mod draw;
pub mod field;

use crate::PageMeta;
use crate::text::{Text, entry};
use leptos::prelude::*;

/// One mistake: the sentence, and the id of the element it refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The `id` of the field.
    pub field: String,
    /// The sentence.
    pub sentence: String,
}

/// The list of mistakes at the top of the page under `head`, each a link to its field; nothing if there are none.
pub fn error_summary(meta: &PageMeta, head: Text, mistakes: &[Mistake]) -> impl IntoView + use<> {
    let links = mistakes.iter().map(|m| link_to(&m.field, &m.sentence));
    error_summary_of(meta, head, links.collect())
}

/// The sentence of a mistake as a link to the element with the id `field`.
pub fn link_to(field: &str, sentence: &str) -> AnyView {
    let href = format!("#{field}");
    view! { <a href=href>{sentence.to_owned()}</a> }.into_any()
}

/// The list of mistakes whose links are `links`.
pub fn error_summary_of(meta: &PageMeta, head: Text, links: Vec<AnyView>) -> impl IntoView + use<> {
    let head = meta.say(head);
    let items: Vec<_> = links.into_iter().map(|link| view! { <li>{link}</li> }).collect();
    (!items.is_empty()).then(|| {
        view! {
            <div class="error-summary" role="alert" tabindex="-1" autofocus>
                <h2>{head}</h2>
                <ul>{items}</ul>
            </div>
        }
    })
}

/// The page's title, marked if there are mistakes, because a screen reader reads it first.
#[must_use]
pub fn title(meta: &PageMeta, title: &str, mistakes: bool) -> String {
    if mistakes {
        format!("{}{title}", meta.say(entry::ERROR_PREFIX))
    } else {
        title.to_owned()
    }
}

/// A list of short advice with a tick before each.
pub fn tips(items: impl IntoIterator<Item = &'static str>) -> impl IntoView {
    let items: Vec<_> = items
        .into_iter()
        .map(|tip| view! { <li>{draw::tick()}<span>{tip}</span></li> })
        .collect();
    view! { <ul class="tips">{items}</ul> }
}

/// A full-width button that sends its form.
pub fn primary(label: impl Into<String>) -> impl IntoView {
    view! { <button class="button primary" type="submit">{label.into()}</button> }
}

/// What Enter in a field of the form with the id `form` presses: its first button. For forms with another button above the primary one;
/// nobody sees it, finds it with the keyboard or hears of it.
pub fn default_button(form: &'static str) -> impl IntoView {
    view! { <button class="default" type="submit" form=form tabindex="-1" aria-hidden="true"></button> }
}

/// A full-width button that sends its form with a name and value, styled `primary`, `secondary` or `quiet`.
pub fn choice(look: &'static str, name: &'static str, value: &'static str, label: impl Into<String>) -> impl IntoView {
    let class = format!("button {look}");
    view! { <button class=class type="submit" name=name value=value>{label.into()}</button> }
}

/// A key or an id in groups of four letters, to be typed off; the first one keeps the prefix before `_`. It is copied without gaps.
pub fn groups(text: &str) -> impl IntoView + use<> {
    let start = text.find('_').map_or(0, |at| at + 1);
    let (prefix, rest) = text.split_at(start);
    let letters: Vec<char> = rest.chars().collect();
    let mut groups: Vec<String> = letters.chunks(4).map(|group| group.iter().collect()).collect();
    if let Some(first) = groups.first_mut() {
        first.insert_str(0, prefix);
    }
    groups
        .into_iter()
        .map(|group| view! { <span>{group}</span> })
        .collect::<Vec<_>>()
}
