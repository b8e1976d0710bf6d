//! Why the flow cannot continue: one page for each problem, each with at most one action.

pub use crate::text::problem::Problem;

use crate::parts::draw;
use crate::{PageMeta, forms, shell};
use leptos::prelude::*;

/// The page; the status is the caller's.
#[must_use]
pub fn render(problem: &Problem, meta: &PageMeta) -> AnyView {
    let told = problem.told();
    let request = match problem {
        Problem::Broken { request } => request.as_str(),
        _ => "",
    };
    let heading = meta.say(told.title);
    let way_on = told.action.map(|label| {
        view! { <div class="actions"><a class="button primary" href=forms::CAPTURE>{meta.say(label)}</a></div> }
    });
    let main = view! {
        <div class="result">
            {draw::problem()}
            <h1>{heading}</h1>
            <p class="lead">{meta.tell(told.lead, &[("request", request)])}</p>
            {way_on}
        </div>
    };
    shell::phone(meta, heading.to_owned(), false, main.into_any())
}
