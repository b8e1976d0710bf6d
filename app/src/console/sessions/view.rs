//! The list of sessions, with its filters in the URL.

use super::saved::{self, Saved};
use crate::PageMeta;
use crate::console::labels;
use crate::console::layout::{Frame, mistakes, page};
use crate::console::parts::{Line, badge, empty, heading, line, next_page, select, short, time};
use crate::console::table::{Cell, Table, cell};
use crate::page::Fields;
use crate::parts::Mistake;
use domain::{
    document::DocumentType, named::Named, outcome::Verdict, reasons::Reason, session::Status, time::Timestamp,
};
use leptos::prelude::*;

/// The filters as requested.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Asked {
    /// Session id.
    pub id: String,
    /// Status.
    pub status: String,
    /// Verdict.
    pub verdict: String,
    /// Reason code.
    pub reason: String,
    /// Kind of document.
    pub document: String,
    /// First day.
    pub from: String,
    /// Last day.
    pub to: String,
    /// Part of the metadata.
    pub metadata: String,
}

impl Asked {
    /// The filters of an address or a form.
    pub(super) fn of(fields: &Fields) -> Self {
        Self {
            id: fields.text("id"),
            status: fields.text("status"),
            verdict: fields.text("verdict"),
            reason: fields.text("reason"),
            document: fields.text("document"),
            from: fields.text("from"),
            to: fields.text("to"),
            metadata: fields.text("metadata"),
        }
    }

    fn any(&self) -> bool {
        *self != Self::default()
    }

    /// The filters that are set, with their names in [`of`](Self::of).
    pub(super) fn set(&self) -> Vec<(&'static str, String)> {
        let all = [
            ("id", &self.id),
            ("status", &self.status),
            ("verdict", &self.verdict),
            ("reason", &self.reason),
            ("document", &self.document),
            ("from", &self.from),
            ("to", &self.to),
            ("metadata", &self.metadata),
        ];
        let set = all.into_iter().filter(|(_, value)| !value.is_empty());
        set.map(|(name, value)| (name, value.clone())).collect()
    }

    fn more(&self) -> bool {
        [&self.reason, &self.document, &self.from, &self.to]
            .iter()
            .any(|text| !text.is_empty())
    }
}

/// The person who is looked for, as typed.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct Person {
    /// Full name.
    pub name: String,
    /// Date of birth.
    pub birth_date: String,
}

impl Person {
    fn any(&self) -> bool {
        *self != Self::default()
    }
}

/// A row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// Session id.
    pub id: String,
    /// Status.
    pub status: Status,
    /// The last verdict, if still current.
    pub verdict: Option<Verdict>,
    /// Kind of document.
    pub document: Option<DocumentType>,
    /// The first reason's code.
    pub reason: Option<Named<Reason>>,
    /// Created.
    pub created_at: Timestamp,
    /// Compact JSON.
    pub metadata: Option<String>,
}

/// The list.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct SessionsView {
    /// The filters.
    pub asked: Asked,
    /// The person who is looked for; `None` for people who may not see personal data.
    pub person: Option<Person>,
    /// The rows.
    pub rows: Vec<Row>,
    /// Address of the next page.
    pub next: Option<String>,
    /// Address of the file with all sessions that match.
    pub file: Option<String>,
    /// Searches that the person has saved.
    pub saved: Vec<Saved>,
    /// What is wrong with the search for a person, or with the name of a search.
    pub mistakes: Vec<Mistake>,
}

impl SessionsView {
    fn is_of_person(&self) -> bool {
        self.person.as_ref().is_some_and(Person::any)
    }
}

/// The form that looks for a person.
fn person(person: &Person, wrong: &[Mistake]) -> AnyView {
    let field = |name, label, kind, hint: Option<&str>, value: &str| {
        let field = Line {
            name,
            label,
            kind,
            hint: hint.map(str::to_owned),
            value: value.to_owned(),
            autocomplete: "off",
            ..Line::default()
        };
        line(field, wrong)
    };
    view! {
        <details class="fold" open=person.any() || !wrong.is_empty()>
            <summary>"Find a person"</summary>
            <form class="filters" method="post" action="/admin/sessions" role="search" aria-label="Find a person">
                {field(super::NAME, "Full name", "text", None, &person.name)}
                {field(super::BIRTH_DATE, "Date of birth", "date", None, &person.birth_date)}
                <div class="filter-actions">
                    <button class="button primary small" type="submit">"Find"</button>
                    {person.any().then(|| view! { <a class="button quiet small" href="/admin/sessions">"Clear"</a> })}
                </div>
                <p class="hint wide">
                    "Family name and given name in any order, in letters or kana. The search is recorded in the audit log, without the name."
                </p>
            </form>
        </details>
    }
    .into_any()
}

fn filters(asked: &Asked) -> AnyView {
    let statuses = Status::ALL
        .iter()
        .map(|s| (s.to_string(), labels::status(*s).0.to_owned()));
    let verdicts = Verdict::ALL
        .iter()
        .map(|v| (v.to_string(), labels::verdict(*v).0.to_owned()));
    let reasons = Reason::ALL.iter().map(|r| (r.to_string(), r.to_string()));
    let kinds = DocumentType::ALL
        .iter()
        .map(|k| (k.to_string(), labels::document(*k).to_owned()));
    let text = |name, label, kind, value: &str| {
        line(
            Line {
                name,
                label,
                kind,
                value: value.to_owned(),
                autocomplete: "off",
                ..Line::default()
            },
            &[],
        )
    };
    view! {
        <form class="filters" method="get" action="/admin/sessions" role="search">
            {text("id", "Session id", "text", &asked.id)}
            {select("status", "Status", "Any status", statuses, &asked.status)}
            {select("verdict", "Verdict", "Any verdict", verdicts, &asked.verdict)}
            {text("metadata", "Metadata contains", "text", &asked.metadata)}
            <details class="fold wide" open=asked.more()>
                <summary>"More filters"</summary>
                <div class="filters">
                    {select("reason", "Reason", "Any reason", reasons, &asked.reason)}
                    {select("document", "Document", "Any document", kinds, &asked.document)}
                    {text("from", "From", "date", &asked.from)}
                    {text("to", "To", "date", &asked.to)}
                </div>
            </details>
            <div class="filter-actions">
                <button class="button primary small" type="submit">"Search"</button>
                {asked.any().then(|| view! { <a class="button quiet small" href="/admin/sessions">"Clear"</a> })}
            </div>
        </form>
    }
    .into_any()
}

/// Searches that were saved, and the form that saves this one.
fn searches(view: &SessionsView) -> AnyView {
    let hidden = || {
        let set = view.asked.set().into_iter();
        set.map(|(name, value)| view! { <input type="hidden" name=name value=value/> })
            .collect_view()
    };
    let saved = view.saved.iter().map(|one| {
        let remove = format!("Remove the search {}", one.name);
        view! {
            <li>
                <a class="button secondary small" href=one.href.clone()>{one.name.clone()}</a>
                <form method="post" action=saved::REMOVE>
                    <input type="hidden" name=saved::NAME value=one.name.clone()/>
                    {hidden()}
                    <button class="button quiet small" type="submit" aria-label=remove.clone() title=remove>"\u{d7}"</button>
                </form>
            </li>
        }
    });
    let list = (!view.saved.is_empty())
        .then(|| view! { <ul class="searches" aria-label="Saved searches">{saved.collect_view()}</ul> });
    let wrong = view.mistakes.iter().any(|mistake| mistake.field == saved::NAME);
    let save = (view.asked.any() || wrong).then(|| {
        view! {
            <details class="fold" open=wrong>
                <summary>"Save this search"</summary>
                <form class="filters" method="post" action=saved::SAVE>
                    {hidden()}
                    {line(Line::text(saved::NAME, "Name", ""), &view.mistakes)}
                    <div class="filter-actions"><button class="button secondary small" type="submit">"Save"</button></div>
                </form>
            </details>
        }
    });
    view! { {list} {save} }.into_any()
}

fn row(row: &Row) -> [Cell; 7] {
    let href = format!("/admin/sessions/{}", row.id);
    let (status, tone) = labels::status(row.status);
    let verdict = row.verdict.map(|verdict| {
        let (word, tone) = labels::verdict(verdict);
        badge(word, tone)
    });
    [
        cell(view! { <a class="mono" href=href title=row.id.clone()>{short(&row.id)}</a> }),
        cell(badge(status, tone)),
        cell(verdict),
        cell(row.document.map(labels::document)),
        cell(row.reason.as_ref().map(labels::reason)).class("soft"),
        cell(row.metadata.clone()).class("mono soft clip"),
        cell(time(row.created_at)).class("nowrap"),
    ]
}

/// The page.
#[must_use]
pub(super) fn render(view: &SessionsView, frame: &Frame, meta: &PageMeta) -> AnyView {
    let list = if !view.mistakes.is_empty() && view.rows.is_empty() {
        ().into_any()
    } else if view.rows.is_empty() && view.is_of_person() {
        empty(
            "No sessions of this person",
            "Names are found as a whole: enter both the family name and the given name, as on the document.",
        )
        .into_any()
    } else if view.rows.is_empty() && view.asked.any() {
        empty("No sessions match these filters", "Clear some of them to see more.").into_any()
    } else if view.rows.is_empty() {
        empty(
            "No sessions yet",
            "Create one by hand, or call POST /v1/verification-sessions with an API key.",
        )
        .into_any()
    } else {
        let columns = [
            "Session",
            "Status",
            "Verdict",
            "Document",
            "First reason",
            "Metadata",
            "Created (UTC)",
        ];
        Table::new("Sessions", columns).rows(view.rows.iter().map(row))
    };
    let file = view.file.clone().filter(|_| !view.rows.is_empty());
    let file = file.map(|file| view! { <a class="button secondary small" href=file>"Download CSV"</a> });
    let new = frame
        .may
        .review
        .then(|| view! { <a class="button primary small" href="/admin/sessions/new">"Create a session"</a> });
    let main = view! {
        {heading("Sessions", view! { {file} {new} }.into_any())}
        {mistakes(&view.mistakes)}
        {filters(&view.asked)}
        {searches(view)}
        {view.person.as_ref().map(|asked| person(asked, &view.mistakes))}
        {list}
        {next_page(view.next.clone())}
    };
    page(frame, meta, "Sessions", main.into_any())
}
