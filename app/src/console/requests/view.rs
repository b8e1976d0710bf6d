//! The request log as a table with filters.

use crate::PageMeta;
use crate::console::layout::{Frame, page};
use crate::console::parts::{Line, Tone, badge, empty, grouped, heading, line, next_page, select};
use crate::console::table::{Cell, Table, cell};
use crate::console::words::{say, tell};
use domain::time::{Millis, Timestamp};
use leptos::prelude::*;
use service::request_log::Kept;

/// The statuses to choose from.
fn statuses() -> impl Iterator<Item = (String, String)> {
    let classes = [
        ("2xx", say("Successful (2xx)", "成功（2xx）")),
        ("4xx", say("Refused (4xx)", "拒否（4xx）")),
        ("5xx", say("Failed (5xx)", "失敗（5xx）")),
    ];
    let single = [
        "200", "201", "202", "400", "401", "403", "404", "405", "408", "409", "429", "499", "500", "503",
    ]
    .map(|status| (status, status));
    let all = classes.into_iter().chain(single);
    all.map(|(value, name)| (value.to_owned(), name.to_owned()))
}

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
        say("1 day", "1日").to_owned()
    } else {
        tell!("{days} days", "{days}日")
    };
    tell!(
        "The latest {} requests with a valid key, kept for up to {days}. Bodies, queries and the ids in paths are not recorded.",
        "有効なキーによる最新のリクエスト（最大{}件）です。最長{days}間保存されます。本文、クエリ、パス内のIDは記録されません。",
        grouped(kept.most.into())
    )
}

fn list(view: &RequestsView) -> AnyView {
    if view.kept.most == 0 {
        return empty(
            say("The request log is switched off", "リクエストログは無効です"),
            say(
                "The operator of this installation can switch it on.",
                "このシステムの運用者が有効にできます。",
            ),
        )
        .into_any();
    }
    if view.rows.is_empty() && view.is_filtered() {
        return empty(
            say(
                "No requests match these filters",
                "条件に一致するリクエストはありません",
            ),
            say("Clear some of them to see more.", "条件を減らしてお試しください。"),
        )
        .into_any();
    }
    if view.rows.is_empty() {
        let advice = view! {
            {say("They appear as soon as your server calls the API. ", "サーバーがAPIを呼び出すと、すぐに表示されます。")}
            <a href="/admin/keys">{say("Issue an API key", "APIキーを発行")}</a>{say(" or ", "または")}
            <a href="/docs/tutorial">{say("read the tutorial", "チュートリアル（英語）を読む")}</a>
        };
        return empty(say("No requests yet", "リクエストはまだありません"), advice).into_any();
    }
    Table::new(
        say("API requests", "APIリクエスト"),
        [
            say("At (UTC)", "日時（UTC）"),
            say("Request and its id", "リクエストとID"),
            say("Response", "応答"),
            say("Duration", "所要時間"),
            say("Key", "キー"),
            say("From", "接続元"),
        ],
    )
    .rows(view.rows.iter().map(row))
}

/// The page.
#[must_use]
pub(super) fn render(view: &RequestsView, frame: &Frame, meta: &PageMeta) -> AnyView {
    let operations = view.operations.iter().map(|name| (name.clone(), name.clone()));
    let clear = view
        .is_filtered()
        .then(|| view! { <a class="button quiet small" href="/admin/requests">{say("Clear", "クリア")}</a> });
    let main = view! {
        {heading(say("API requests", "APIリクエスト"), ().into_any())}
        <p class="soft">{extent(view.kept)}</p>
        <form class="filters" method="get" action="/admin/requests" role="search">
            {line(Line::text("request", say("Request id", "リクエストID"), view.request.clone()), &[])}
            {select("operation", say("Operation", "操作"), say("Any operation", "すべての操作"), operations, &view.operation)}
            {select("status", say("Status", "ステータス"), say("Any status", "すべてのステータス"), statuses(), &view.status)}
            {select("key", say("Key", "キー"), say("Any key", "すべてのキー"), view.keys.clone(), &view.key)}
            <div class="filter-actions"><button class="button secondary small" type="submit">{say("Filter", "絞り込む")}</button>{clear}</div>
        </form>
        {list(view)}
        {next_page(view.next.clone())}
    };
    page(frame, meta, say("API requests", "APIリクエスト"), main.into_any())
}
