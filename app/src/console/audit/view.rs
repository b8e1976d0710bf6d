//! The audit log: who did what, when, from where.

use crate::PageMeta;
use crate::console::layout::{Frame, page};
use crate::console::parts::{empty, heading, next_page, time};
use domain::time::Timestamp;
use leptos::prelude::*;

/// An entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// When.
    pub at: Timestamp,
    /// Who.
    pub who: String,
    /// What.
    pub what: String,
    /// The subject: text, and its URL if it has a page.
    pub subject: Option<(String, Option<String>)>,
    /// What else is worth knowing.
    pub detail: Option<String>,
    /// From where.
    pub address: Option<String>,
}

/// The page's content.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct AuditView {
    /// Newest first.
    pub entries: Vec<Entry>,
    /// Address of the next page.
    pub next: Option<String>,
}

fn row(entry: &Entry) -> AnyView {
    let subject = entry.subject.clone().map(|(text, href)| match href {
        Some(href) => view! { <a class="mono" href=href>{crate::console::parts::short(&text)}</a> }.into_any(),
        None => view! { <span class="mono soft">{crate::console::parts::short(&text)}</span> }.into_any(),
    });
    view! {
        <tr><td class="nowrap">{time(entry.at)}</td><td>{entry.who.clone()}</td>
            <td>{entry.what.clone()}{entry.detail.clone().map(|d| view! { <span class="soft">{format!(" ({d})")}</span> })}</td>
            <td>{subject}</td><td class="mono soft">{entry.address.clone()}</td></tr>
    }
    .into_any()
}

/// The page.
#[must_use]
pub(super) fn render(view: &AuditView, frame: &Frame, meta: &PageMeta) -> AnyView {
    let list = if view.entries.is_empty() {
        empty("No entries yet", "Every access and every change will be listed here.").into_any()
    } else {
        let rows = view.entries.iter().map(row).collect_view();
        view! {
            <div class="scroll"><table>
                <thead><tr><th scope="col">"When (UTC)"</th><th scope="col">"Who"</th><th scope="col">"What"</th>
                    <th scope="col">"Subject"</th><th scope="col">"IP address"</th></tr></thead>
                <tbody>{rows}</tbody>
            </table></div>
        }
        .into_any()
    };
    let main = view! { {heading("Audit log", ().into_any())}{list}{next_page(view.next.clone())} };
    page(frame, meta, "Audit log", main.into_any())
}
