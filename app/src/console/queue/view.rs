//! The review queue: waiting cases, oldest first.

use crate::PageMeta;
use crate::console::labels;
use crate::console::layout::{Frame, page};
use crate::console::parts::{Tone, age, badge, empty, heading, next_page, select, time};
use domain::{document::DocumentType, named::Named, reasons::Reason, time::Timestamp};
use leptos::prelude::*;

/// A waiting case.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Waiting {
    /// Session id.
    pub id: String,
    /// When the automatic decision sent it to review.
    pub since: Timestamp,
    /// Kind of document.
    pub document: Option<DocumentType>,
    /// Codes.
    pub reasons: Vec<Named<Reason>>,
    /// Face match, 0 to 1.
    pub face_match: Option<f64>,
    /// Liveness, 0 to 1.
    pub liveness: Option<f64>,
    /// Who has reserved it, and whether that is the person viewing the page.
    pub held_by: Option<(String, bool)>,
}

/// The queue.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct QueueView {
    /// Filter: reason code.
    pub reason: String,
    /// Filter: kind of document.
    pub document: String,
    /// The cases.
    pub rows: Vec<Waiting>,
    /// Address of the next page.
    pub next: Option<String>,
    /// Now.
    pub now: Timestamp,
}

fn row(case: &Waiting, now: Timestamp) -> AnyView {
    let href = format!("/admin/review/{}", case.id);
    let score = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.2}"));
    let more = case.reasons.len().saturating_sub(1);
    let first = case.reasons.first().map(labels::reason).unwrap_or_default();
    let holder = match &case.held_by {
        Some((_, true)) => badge("you", Tone::Live),
        Some((name, false)) => badge(name.clone(), Tone::Warn),
        None => ().into_any(),
    };
    view! {
        <tr>
            <td class="nowrap"><strong>{age(case.since, now)}</strong><br/><span class="soft">{time(case.since)}</span></td>
            <td>{case.document.map_or("–", labels::document)}</td>
            <td>{first}{(more > 0).then(|| view! { <span class="soft">{format!(" and {more} more")}</span> })}</td>
            <td class="number">{score(case.face_match)}</td>
            <td class="number">{score(case.liveness)}</td>
            <td>{holder}</td>
            <td><a class="button secondary small" href=href>"Open"<span class="unseen">{format!(" {}", case.id)}</span></a></td>
        </tr>
    }
    .into_any()
}

/// The page.
#[must_use]
pub(super) fn render(view: &QueueView, frame: &Frame, meta: &PageMeta) -> AnyView {
    let reasons = Reason::ALL.iter().map(|r| (r.to_string(), r.to_string()));
    let kinds = DocumentType::ALL
        .iter()
        .map(|k| (k.to_string(), labels::document(*k).to_owned()));
    let filtered = !view.reason.is_empty() || !view.document.is_empty();
    let list = if view.rows.is_empty() && filtered {
        empty("No cases match these filters", "Clear them to see the whole queue.").into_any()
    } else if view.rows.is_empty() {
        empty(
            "Nothing to review",
            "Cases appear here when a session could not be decided automatically.",
        )
        .into_any()
    } else {
        let rows = view.rows.iter().map(|case| row(case, view.now)).collect_view();
        view! {
            <div class="scroll"><table>
                <thead><tr>
                    <th scope="col">"Waiting"</th><th scope="col">"Document"</th><th scope="col">"Reason"</th>
                    <th scope="col">"Face match"</th><th scope="col">"Liveness"</th><th scope="col">"Reserved by"</th>
                    <th scope="col"><span class="unseen">"Open"</span></th>
                </tr></thead>
                <tbody>{rows}</tbody>
            </table></div>
        }
        .into_any()
    };
    let first = view
        .rows
        .iter()
        .find(|case| case.held_by.as_ref().is_none_or(|(_, mine)| *mine))
        .map(|case| {
            let href = format!("/admin/review/{}", case.id);
            view! { <a class="button primary small" href=href>"Start with the oldest"</a> }
        });
    let main = view! {
        {heading("Review", first.into_any())}
        <form class="filters" method="get" action="/admin/review" role="search">
            {select("reason", "Reason", "Any reason", reasons, &view.reason)}
            {select("document", "Document", "Any document", kinds, &view.document)}
            <div class="filter-actions"><button class="button secondary small" type="submit">"Filter"</button>
                {filtered.then(|| view! { <a class="button quiet small" href="/admin/review">"Clear"</a> })}</div>
        </form>
        {list}
        {next_page(view.next.clone())}
    };
    page(frame, meta, "Review", main.into_any())
}
