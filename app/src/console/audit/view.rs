//! The audit log: who did what, when, from where.

use crate::PageMeta;
use crate::console::labels;
use crate::console::layout::{Frame, page};
use crate::console::parts::{Line, empty, heading, line, next_page, select, time};
use crate::console::table::{Row, Table, cell};
use domain::{audit::AuditAction, named::Named, time::Timestamp};
use leptos::prelude::*;

/// An entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// When.
    pub at: Timestamp,
    /// Who.
    pub who: String,
    /// The address of everything they did.
    pub by: String,
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
    /// Filter: the action.
    pub action: String,
    /// Filter: the subject's id.
    pub subject: String,
    /// Filter: the actor's id.
    pub actor: String,
    /// Filter: first and last day.
    pub days: [String; 2],
    /// Addresses of the CSV and JSON lines files.
    pub files: [String; 2],
}

fn row(entry: &Entry) -> Row {
    let subject = entry.subject.clone().map(|(text, href)| match href {
        Some(href) => view! { <a class="mono" href=href>{crate::console::parts::short(&text)}</a> }.into_any(),
        None => view! { <span class="mono soft">{crate::console::parts::short(&text)}</span> }.into_any(),
    });
    let detail = entry
        .detail
        .clone()
        .map(|detail| view! { <span class="soft">{format!(" ({detail})")}</span> });
    [
        cell(time(entry.at)).class("nowrap"),
        cell(view! { <a href=entry.by.clone()>{entry.who.clone()}</a> }),
        cell(view! { {entry.what.clone()}{detail} }),
        cell(subject),
        cell(entry.address.clone()).class("mono soft"),
    ]
    .into()
}

/// The page.
#[must_use]
pub(super) fn render(view: &AuditView, frame: &Frame, meta: &PageMeta) -> AnyView {
    let [from, until] = view.days.clone();
    let filtered = [&view.action, &view.subject, &view.actor, &from, &until]
        .iter()
        .any(|text| !text.is_empty());
    let list = if view.entries.is_empty() && filtered {
        empty("No entries match these filters", "Clear them to see everything.").into_any()
    } else if view.entries.is_empty() {
        empty("No entries yet", "Every access and every change will be listed here.").into_any()
    } else {
        Table::new("Audit log", ["When (UTC)", "Who", "What", "Subject", "IP address"])
            .rows(view.entries.iter().map(row))
    };
    let [csv, jsonl] = view.files.clone();
    let files = view! {
        <a class="button secondary small" href=csv>"CSV"</a>" "<a class="button secondary small" href=jsonl>"JSON lines"</a>
    };
    let actions = AuditAction::ALL
        .iter()
        .map(|action| (action.to_string(), labels::action(&Named::Known(*action))));
    let day = |name: &'static str, label: &'static str, value: String| {
        let field = Line {
            name,
            label,
            kind: "date",
            value,
            autocomplete: "off",
            ..Line::default()
        };
        line(field, &[])
    };
    let main = view! {
        {heading("Audit log", files.into_any())}
        <form class="filters" method="get" action="/admin/audit" role="search">
            {select("action", "Action", "Any action", actions, &view.action)}
            {line(Line::text("actor", "By (id)", view.actor.clone()), &[])}
            {line(Line::text("subject", "Subject (id)", view.subject.clone()), &[])}
            {day("from", "From", from)}
            {day("until", "To", until)}
            <div class="filter-actions"><button class="button secondary small" type="submit">"Filter"</button>
                {filtered.then(|| view! { <a class="button quiet small" href="/admin/audit">"Clear"</a> })}</div>
        </form>
        {list}
        {next_page(view.next.clone())}
    };
    page(frame, meta, "Audit log", main.into_any())
}
