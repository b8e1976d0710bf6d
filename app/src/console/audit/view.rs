//! The audit log: who did what, when, from where.

use crate::PageMeta;
use crate::console::labels;
use crate::console::layout::{Frame, page};
use crate::console::parts::{Line, empty, heading, line, next_page, select, time};
use crate::console::table::{Row, Table, cell};
use crate::console::words::{say, tell};
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
        .map(|detail| view! { <span class="soft">{tell!(" ({detail})", "（{detail}）")}</span> });
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
        empty(
            say("No entries match these filters", "条件に一致する記録はありません"),
            say(
                "Clear them to see everything.",
                "条件をクリアするとすべて表示されます。",
            ),
        )
        .into_any()
    } else if view.entries.is_empty() {
        empty(
            say("No entries yet", "記録はまだありません"),
            say(
                "Every access and every change will be listed here.",
                "すべての閲覧と変更がここに表示されます。",
            ),
        )
        .into_any()
    } else {
        Table::new(
            say("Audit log", "監査ログ"),
            [
                say("When (UTC)", "日時（UTC）"),
                say("Who", "実行者"),
                say("What", "操作"),
                say("Subject", "対象"),
                say("IP address", "IPアドレス"),
            ],
        )
        .rows(view.entries.iter().map(row))
    };
    let [csv, jsonl] = view.files.clone();
    let files = view! {
        <a class="button secondary small" href=csv>"CSV"</a>" "<a class="button secondary small" href=jsonl>{say("JSON lines", "JSONL")}</a>
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
        {heading(say("Audit log", "監査ログ"), files.into_any())}
        <form class="filters" method="get" action="/admin/audit" role="search">
            {select("action", say("Action", "操作"), say("Any action", "すべての操作"), actions, &view.action)}
            {line(Line::text("actor", say("By (id)", "実行者（ID）"), view.actor.clone()), &[])}
            {line(Line::text("subject", say("Subject (id)", "対象（ID）"), view.subject.clone()), &[])}
            {day("from", say("From", "開始日"), from)}
            {day("until", say("To", "終了日"), until)}
            <div class="filter-actions"><button class="button secondary small" type="submit">{say("Filter", "絞り込む")}</button>
                {filtered.then(|| view! { <a class="button quiet small" href="/admin/audit">{say("Clear", "クリア")}</a> })}</div>
        </form>
        {list}
        {next_page(view.next.clone())}
    };
    page(frame, meta, say("Audit log", "監査ログ"), main.into_any())
}
