//! The audit log: who did what, when, from where.

use crate::PageMeta;
use crate::console::day::mistake;
use crate::console::labels;
use crate::console::layout::{Frame, page};
use crate::console::parts::{Line, Tone, badge, empty, heading, line, next_page, select, time_to_second};
use crate::console::table::{Row, Table, cell};
use crate::console::words::{say, tell};
use domain::{audit::AuditAction, named::Named, time::Timestamp};
use leptos::prelude::*;

/// What an entry is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Subject {
    /// Its id.
    pub id: String,
    /// The name of a person or an API key.
    pub name: Option<String>,
    /// Its page, or the address of everything about it.
    pub href: String,
}

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
    /// What it is about.
    pub subject: Option<Subject>,
    /// What else is worth knowing.
    pub detail: Option<String>,
    /// From where.
    pub address: Option<String>,
}

/// What a check of the chain found. Places are counted over the whole installation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chain {
    /// Nothing is missing and nothing was changed.
    Intact {
        /// The first entry that was checked.
        first: i64,
        /// The last one.
        last: i64,
        /// How many newer ones are not yet linked.
        open: i64,
    },
    /// It is broken at this position.
    Broken(i64),
}

impl Chain {
    /// In a sentence or two.
    pub(super) fn sentence(self) -> String {
        match self {
            Self::Broken(position) => tell!(
                "The chain is broken at position {position}: the entry there is missing, or was changed or moved. Report this to your security team.",
                "チェーンの位置{position}に不整合があります。その位置の記録が失われたか、変更または移動されています。セキュリティ担当者に報告してください。"
            ),
            // Of a new log, and of one whose linked entries were all removed because of their age.
            Self::Intact { first, last, open } if last < first => tell!(
                "There are no linked entries. Not yet linked: {open}.",
                "連結済みの記録はありません。未連結：{open}件"
            ),
            Self::Intact { first, last, open: 0 } => {
                tell!(
                    "Entries {first} to {last} are intact.",
                    "記録{first}〜{last}に改ざんはありません。"
                )
            }
            Self::Intact { first, last, open } => tell!(
                "Entries {first} to {last} are intact. Not yet linked: {open}.",
                "記録{first}〜{last}に改ざんはありません。未連結：{open}件"
            ),
        }
    }

    fn badge(self) -> AnyView {
        match self {
            Self::Broken(_) => badge(say("broken", "不整合"), Tone::Bad),
            Self::Intact { first, last, .. } if last < first => badge(say("nothing linked", "連結なし"), Tone::Plain),
            Self::Intact { .. } => badge(say("intact", "正常"), Tone::Good),
        }
    }
}

impl Default for Chain {
    fn default() -> Self {
        Self::Intact {
            first: 1,
            last: 0,
            open: 0,
        }
    }
}

/// The page's content.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct AuditView {
    /// The chain of the newest entries.
    pub chain: Chain,
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
    /// The filters as a query, which the form that checks the chain carries.
    pub query: String,
    /// Addresses of the CSV and JSON lines files.
    pub files: [String; 2],
}

fn row(entry: &Entry) -> Row {
    let is_named = entry.subject.as_ref().is_some_and(|subject| subject.name.is_some());
    let subject = entry.subject.clone().map(|Subject { id, name, href }| {
        let class = name.is_none().then_some("mono");
        let text = name.unwrap_or_else(|| crate::console::parts::short(&id));
        view! { <a class=class href=href title=id>{text}</a> }
    });
    let detail = entry
        .detail
        .clone()
        .map(|detail| view! { <span class="soft">{tell!(" ({detail})", "（{detail}）")}</span> });
    [
        cell(time_to_second(entry.at)).class("nowrap"),
        cell(view! { <a href=entry.by.clone()>{entry.who.clone()}</a> }).class("name"),
        cell(view! { {entry.what.clone()}{detail} }).class("name"),
        cell(subject).class(if is_named { "name" } else { "nowrap" }),
        cell(entry.address.clone()).class("mono soft"),
    ]
    .into()
}

/// The state of the chain, and the button that checks more of it.
fn chain(view: &AuditView) -> AnyView {
    let (chain, action) = (view.chain, format!("/admin/audit/verify{}", view.query));
    view! {
        <form class="inline" method="post" action=action>
            {chain.badge()}
            <span>{chain.sentence()}</span>
            <button class="button secondary small" type="submit">{say("Check the whole log (up to a million entries)", "ログ全体を検証（最大100万件）")}</button>
        </form>
    }
    .into_any()
}

/// Whether the page shows only some of the entries.
fn is_filtered(view: &AuditView) -> bool {
    let [from, until] = &view.days;
    let typed = [&view.action, &view.subject, &view.actor, from, until];
    typed.iter().any(|text| !text.is_empty())
}

/// The entries, or why there are none.
fn entries(view: &AuditView) -> AnyView {
    let [from, until] = &view.days;
    let wrong = mistake(from, until).filter(|_| view.entries.is_empty());
    if let Some((title, advice)) = wrong {
        empty(title, advice).into_any()
    } else if view.entries.is_empty() && is_filtered(view) {
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
    }
}

/// The form that narrows the list down.
fn filters(view: &AuditView) -> AnyView {
    let [from, until] = view.days.clone();
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
    view! {
        <form class="filters" method="get" action="/admin/audit" role="search">
            {select("action", say("Action", "操作"), say("Any action", "すべての操作"), actions, &view.action)}
            {line(Line::text("actor", say("By (id)", "実行者（ID）"), view.actor.clone()), &[])}
            {line(Line::text("subject", say("Subject (id)", "対象（ID）"), view.subject.clone()), &[])}
            {day("from", say("From (UTC)", "開始日（UTC）"), from)}
            {day("until", say("To (UTC)", "終了日（UTC）"), until)}
            <div class="filter-actions"><button class="button secondary small" type="submit">{say("Filter", "絞り込む")}</button>
                {is_filtered(view).then(|| view! { <a class="button quiet small" href="/admin/audit">{say("Clear", "クリア")}</a> })}</div>
        </form>
    }
    .into_any()
}

/// The page.
#[must_use]
pub(super) fn render(view: &AuditView, frame: &Frame, meta: &PageMeta) -> AnyView {
    let [csv, jsonl] = view.files.clone();
    let files = view! {
        <a class="button secondary small" href=csv>"CSV"</a>" "<a class="button secondary small" href=jsonl>{say("JSON lines", "JSONL")}</a>
    };
    let main = view! {
        {heading(say("Audit log", "監査ログ"), files.into_any())}
        {chain(view)}
        {filters(view)}
        {entries(view)}
        {next_page(view.next.clone())}
        <script nonce=meta.nonce.clone() inner_html=include_str!("../local_times.js")></script>
    };
    page(frame, meta, say("Audit log", "監査ログ"), main.into_any())
}
