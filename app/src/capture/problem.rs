//! Why the flow cannot continue: one page for each problem, with one cause, at most one action, and what to quote.

pub use crate::text::problem::Problem;

use super::{Quoted, receipt};
use crate::parts::draw::{self, Scene};
use crate::text::{finish, problem as text, switch_device};
use crate::{PageMeta, forms, shell};
use domain::time::Timestamp;
use leptos::prelude::*;

/// What finds the request in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The request's id.
    pub request: String,
    /// When it was made.
    pub at: Timestamp,
}

/// The page; the status is the caller's.
#[must_use]
pub fn render(problem: &Problem, reference: &Reference, meta: &PageMeta) -> AnyView {
    let texts = problem.texts();
    let heading = meta.say(texts.title);
    let way_on = match problem {
        Problem::Expired { return_url: Some(url) } => Some((url.clone(), meta.tell(finish::RETURN, &[]))),
        _ => texts
            .action
            .map(|label| (forms::CAPTURE.to_owned(), meta.say(label).to_owned())),
    };
    let way_on = way_on.map(|(href, label)| {
        view! { <div class="actions"><a class="button primary" href=href>{label}</a></div> }
    });
    let lead = meta.tell(texts.lead, &[("other", meta.say(switch_device::OTHER_DEVICE))]);
    let rows = [
        (finish::RECEIPT_REFERENCE, Some(Quoted::Code(reference.request.clone()))),
        (finish::RECEIPT_TIME, Some(Quoted::Time(reference.at))),
    ];
    let main = view! {
        <div class="result">
            <div class="figure">{draw::scene(scene(problem))}</div>
            <h1>{heading}</h1>
            <p class="lead">{lead}</p>
            <details class="fold"><summary>{meta.say(text::REFERENCE)}</summary>{receipt(meta, rows)}</details>
            {way_on}
            {shell::contact(meta)}
        </div>
    };
    shell::phone(meta, heading.to_owned(), main.into_any())
}

const fn scene(problem: &Problem) -> Scene {
    match problem {
        Problem::LinkUnusable { .. } | Problem::Stranger => Scene::Link,
        Problem::SessionOver | Problem::Submitted | Problem::Expired { .. } | Problem::Stale => Scene::Time,
        Problem::TooManyTries | Problem::Busy { .. } | Problem::NotSent | Problem::TooSlow => Scene::Busy,
        Problem::Broken { .. } => Scene::Broken,
        Problem::NotFound { .. } => Scene::Nothing,
    }
}
