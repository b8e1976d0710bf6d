//! The request log as a table with filters.

use crate::PageMeta;
use crate::console::layout::{Frame, page};
use crate::console::parts::{Line, Tone, badge, empty, grouped, heading, line, next_page, select};
use crate::console::table::{Cell, Table, cell};
use domain::time::{Millis, Timestamp};
use leptos::prelude::*;
use service::request_log::Kept;

/// The statuses to choose from.
const STATUSES: [(&str, &str); 13] = [
    ("2xx", "Successful (2xx)"),
    ("4xx", "Refused (4xx)"),
    ("5xx", "Failed (5xx)"),
    ("200", "200"),
    ("201", "201"),
    ("202", "202"),
    ("400", "400"),
    ("401", "401"),
    ("403", "403"),
    ("404", "404"),
    ("409", "409"),
    ("429", "429"),
    ("500", "500"),
];

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// When it arrived.
    pub at: Timestamp,
    /// The HTTP method.
    pub method: String,
    /// The route template.
    pub route: String,
    /// The HTTP status of the response.
    pub status: u16,
    /// `_tag` of an error response.
    pub error: Option<String>,
    /// The name of the key.
    pub key: String,
    /// The caller's address.
    pub address: String,
    /// How long the response took.
    pub duration_ms: i64,
    /// Its id.
    pub request: String,
}

/// The page's content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RequestsView {
    /// Newest first.
    pub rows: Vec<Row>,
    /// Address of the next page.
    pub next: Option<String>,
    /// Filter: the request's id.
    pub request: String,
    /// Filter: the status or class.
    pub status: String,
    /// Filter: the operation.
    pub operation: String,
    /// The operations in the log, as `GET /v1/events`.
    pub operations: Vec<String>,
    /// Filter: the key's id.
    pub key: String,
    /// Ids and names of the tenant's keys.
    pub keys: Vec<(String, String)>,
    /// How much is kept.
    pub kept: Kept,
}

impl RequestsView {
    fn is_filtered(&self) -> bool {
        [&self.request, &self.operation, &self.status, &self.key]
            .iter()
            .any(|text| !text.is_empty())
    }
}

/// The time in UTC, to the millisecond, to be compared with another log.
fn moment(at: Timestamp) -> AnyView {
    let iso = at.to_iso();
    let shown = iso.trim_end_matches('Z').replace('T', " ");
    view! { <time datetime=iso>{shown}</time> }.into_any()
}

const fn tone(status: u16) -> Tone {
    match status {
        ..400 => Tone::Good,
        400..500 => Tone::Warn,
        _ => Tone::Bad,
    }
}

fn row(row: &Row) -> [Cell; 6] {
    let error = row.error.clone().map(|tag| {
        let href = crate::docs::errors::link(&tag);
        view! { " "<a class="mono" href=href>{tag}</a> }
    });
    [
        cell(moment(row.at)).class("nowrap mono"),
        cell(view! {
            <span class="mono">{format!("{} {}", row.method, row.route)}</span><br/>
            <span class="mono soft">{row.request.clone()}</span>
        }),
        cell(view! { {badge(row.status.to_string(), tone(row.status))}{error} }),
        cell(format!("{} ms", row.duration_ms)).class("number nowrap"),
        cell(row.key.clone()),
        cell(row.address.clone()).class("mono soft"),
    ]
}

/// How much of the log there is to see.
fn extent(kept: Kept) -> String {
    let days = kept.age.0 / Millis::days(1).0;
    let days = if days == 1 {
        "1 day".to_owned()
    } else {
        format!("{days} days")
    };
    format!(
        "The latest {} requests with a valid key, kept for up to {days}. Bodies, queries and the ids in paths are not recorded.",
        grouped(kept.most.into())
    )
}

fn list(view: &RequestsView) -> AnyView {
    if view.kept.most == 0 {
        return empty(
            "The request log is switched off",
            "The operator of this installation can switch it on.",
        )
        .into_any();
    }
    if view.rows.is_empty() && view.is_filtered() {
        return empty("No requests match these filters", "Clear some of them to see more.").into_any();
    }
    if view.rows.is_empty() {
        let advice = view! { "They appear as soon as your server calls the API. "<a href="/admin/keys">"Issue an API key"</a>" or "<a href="/docs/tutorial">"read the tutorial"</a> };
        return empty("No requests yet", advice).into_any();
    }
    Table::new(
        "API requests",
        ["At (UTC)", "Request and its id", "Response", "Duration", "Key", "From"],
    )
    .rows(view.rows.iter().map(row))
}

/// The page.
#[must_use]
pub(super) fn render(view: &RequestsView, frame: &Frame, meta: &PageMeta) -> AnyView {
    let statuses = STATUSES.map(|(value, name)| (value.to_owned(), name.to_owned()));
    let operations = view.operations.iter().map(|name| (name.clone(), name.clone()));
    let clear = view
        .is_filtered()
        .then(|| view! { <a class="button quiet small" href="/admin/requests">"Clear"</a> });
    let main = view! {
        {heading("API requests", ().into_any())}
        <p class="soft">{extent(view.kept)}</p>
        <form class="filters" method="get" action="/admin/requests" role="search">
            {line(Line::text("request", "Request id", view.request.clone()), &[])}
            {select("operation", "Operation", "Any operation", operations, &view.operation)}
            {select("status", "Status", "Any status", statuses, &view.status)}
            {select("key", "Key", "Any key", view.keys.clone(), &view.key)}
            <div class="filter-actions"><button class="button secondary small" type="submit">"Filter"</button>{clear}</div>
        </form>
        {list(view)}
        {next_page(view.next.clone())}
    };
    page(frame, meta, "API requests", main.into_any())
}
