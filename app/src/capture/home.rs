//! What this site is, for visitors without a link: people who have lost theirs, and staff.

use super::visit::{PageResult, Request};
use crate::page::page;
use crate::parts::draw::{self, Scene};
use crate::text::{entry as text, problem};
use crate::{PageMeta, forms, shell};
use leptos::prelude::*;

/// The page at `/`.
#[component]
pub fn HomePage() -> impl IntoView {
    page(show)
}

async fn show(request: Request) -> PageResult<AnyView> {
    Ok(render(request.who.cookie.is_some(), &request.meta(None)))
}

/// The page. `taking_part`: this browser may still hold a session that it can continue.
#[must_use]
pub fn render(taking_part: bool, meta: &PageMeta) -> AnyView {
    let heading = meta.say(text::HOME_TITLE);
    let go_on = taking_part.then(|| {
        view! { <a class="button primary" href=forms::CAPTURE>{meta.say(problem::LINK_ACTION)}</a> }
    });
    let main = view! {
        <div class="result">
            <div class="figure">{draw::scene(Scene::Home)}</div>
            <h1>{heading}</h1>
            <p class="lead">{meta.say(text::HOME_LEAD)}</p>
            <section class="group">
                <h2>{meta.say(text::HOME_LOST)}</h2>
                <p>{meta.say(text::HOME_LOST_LEAD)}</p>
            </section>
            <div class="actions">
                {go_on}
                <a class="button quiet" href="/admin">{meta.say(text::HOME_STAFF)}</a>
            </div>
        </div>
    };
    shell::phone(meta, heading.to_owned(), main.into_any())
}
