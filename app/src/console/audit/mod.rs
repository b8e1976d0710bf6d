//! The audit log: its page with filters, and its export.

mod view;

use super::{
    csv,
    day::span,
    file::sent,
    labels,
    layout::NavigationItem,
    request::{PageResult, Request, done, not_done, signed_in},
    words::{say, tell},
};
use crate::page::{Fields, Outcome, form, handler};
use axum::{
    Router,
    response::Response,
    routing::{get, post},
};
use domain::{
    audit::{Actor, AuditAction},
    cursor,
    ids::SessionId,
};
use leptos::prelude::*;
use service::{
    access::Auditor,
    audit::{ExportFormat, Filter, Newest, Verified, export, search, verify_many, verify_newest},
    stored::Recorded,
};
use view::{AuditView, Chain, Entry, Subject, render};

/// The audit log.
#[component]
pub fn AuditPage() -> impl IntoView {
    signed_in(NavigationItem::Audit, load, render)
}

/// The files, and the check of the chain.
pub(super) fn forms() -> Router {
    Router::new()
        .route("/admin/audit/export", get(handler(file)))
        .route(VERIFY, post(form(HERE, check)))
}

const HERE: &str = "/admin/audit";
/// POST: checks more of the chain than the page does.
const VERIFY: &str = "/admin/audit/verify";
/// Query parameters: which entries are listed. The form that checks the chain carries them, so that the list is still the same afterwards.
const FILTERS: [&str; 5] = ["action", "actor", "subject", "from", "until"];
const PAGE: u32 = 100;
/// Newest entries whose chain the page checks, whatever the filter: that takes a few milliseconds, however long the log is.
const VERIFIED: u32 = 1_000;

/// Who did it, in words.
pub(super) fn who(recorded: &Recorded) -> String {
    let entry = &recorded.entry;
    match (&entry.actor, &recorded.actor_name) {
        (Actor::ApiKey(_), Some(name)) => tell!("Key “{name}”", "キー「{name}」"),
        (Actor::ApiKey(_), None) => say("An API key", "APIキー").to_owned(),
        (Actor::System, None) if entry.action.known().is_some_and(AuditAction::is_of_applicant) => {
            say("The user", "利用者").to_owned()
        }
        (Actor::System, None) => say("The system", "システム").to_owned(),
        (_, Some(name)) => name.clone(),
        (actor, None) => actor.to_string(),
    }
}

/// What else is worth knowing. The id of a picture, after its slot, means nothing to people.
pub(super) fn detail(recorded: &Recorded) -> Option<String> {
    let (action, detail) = (&recorded.entry.action, recorded.entry.detail.as_deref()?);
    let names_pictures = [AuditAction::CaseOpen, AuditAction::PictureView].map(|named| *action == named);
    if !names_pictures.contains(&true) {
        return Some(labels::detail(action, detail));
    }
    let slots = detail.split(", ").filter_map(|picture| picture.split(' ').next());
    Some(labels::detail(action, &slots.collect::<Vec<_>>().join(", ")))
}

/// The filter of a query. What does not parse filters nothing, but a day: nothing takes place on one that does not exist.
fn filter(fields: &Fields) -> Filter {
    let text = |name| Some(fields.text(name)).filter(|text| !text.is_empty());
    let [from, until] = span(&fields.text("from"), &fields.text("until"));
    Filter {
        subject: text("subject"),
        actor: text("actor").map(|typed| Actor::parse(&typed)),
        action: AuditAction::parse(&fields.text("action")),
        from,
        until,
    }
}

async fn load(request: Request) -> PageResult<AuditView> {
    let fields = request.query()?;
    let auditor = Auditor::of(request.staff())?;
    let before = fields.text("after").parse().ok();
    let found = search(request.honnin(), &auditor, filter(fields), before, PAGE + 1).await?;
    let (found, more) = cursor::page_of(found, PAGE);
    let next = found
        .last()
        .filter(|_| more)
        .map(|last| fields.next_page(HERE, &last.number.to_string()));
    let entries = found.iter().map(|recorded| {
        let entry = &recorded.entry;
        let subject = entry.subject.clone().map(|id| Subject {
            href: match SessionId::parse(&id) {
                Some(session) => format!("/admin/sessions/{session}"),
                None => fields.filtered(HERE, "subject", &id),
            },
            name: recorded.subject_name.clone(),
            id,
        });
        Entry {
            at: entry.at,
            who: who(recorded),
            by: fields.filtered(HERE, "actor", entry.actor.as_str()),
            what: labels::action(&entry.action),
            subject,
            detail: detail(recorded),
            address: entry.address.clone(),
        }
    });
    Ok(AuditView {
        chain: chain(&verify_newest(request.honnin(), &auditor, VERIFIED).await?),
        entries: entries.collect(),
        next,
        action: fields.text("action"),
        subject: fields.text("subject"),
        actor: fields.text("actor"),
        days: ["from", "until"].map(|name| fields.text(name)),
        query: fields.kept("", &FILTERS),
        files: [CSV, JSON_LINES].map(|file| fields.with("/admin/audit/export", "format", file.format.as_str())),
    })
}

/// What a check of the newest entries found.
fn chain(found: &Newest) -> Chain {
    match &found.verified {
        Verified::Whole(last, open) | Verified::NotedRemoved(last, open) => Chain::Intact {
            first: found.first,
            last: last.position,
            open: *open,
        },
        Verified::Broken(position) => Chain::Broken(*position),
        // Nothing was noted with which it could be compared.
        Verified::Replaced => Chain::Broken(found.first),
    }
}

/// POST: the chain of the whole log, or of as much as one request may check.
async fn check(request: Request, _: Fields) -> PageResult<Outcome> {
    let auditor = Auditor::of(request.staff())?;
    let list = request.query()?.kept(HERE, &FILTERS);
    request.check_fresh(list.clone())?;
    match verify_many(request.honnin(), &auditor).await? {
        Some(found) => match chain(&found) {
            broken @ Chain::Broken(_) => not_done(&list, broken.sentence()),
            intact @ Chain::Intact { .. } => done(&list, intact.sentence()),
        },
        None => not_done(
            &list,
            say(
                "Somebody else is checking the log. Try again in a few seconds.",
                "別の担当者が検証中です。数秒後に再度お試しください。",
            ),
        ),
    }
}

/// GET: the entries that match as a file, all of them.
async fn file(request: Request) -> PageResult<Response> {
    let auditor = Auditor::of(request.staff())?;
    let fields = request.query()?;
    request.check_fresh(fields.with(HERE, "format", ""))?;
    let file = FileFormat::of(&fields.text("format"));
    let found = export(request.honnin(), &auditor, filter(fields), file.format).await?;
    Ok(sent(
        &format!("audit.{}", file.format.as_str()),
        file.kind,
        file.head,
        found,
        file.row,
    ))
}

/// A format of the file.
#[derive(Clone, Copy)]
struct FileFormat {
    /// Which one.
    format: ExportFormat,
    /// Its media type.
    kind: &'static str,
    /// What comes before the first entry.
    head: &'static str,
    /// An entry.
    row: fn(&Recorded) -> String,
}

/// For spreadsheets.
const CSV: FileFormat = FileFormat {
    format: ExportFormat::Csv,
    kind: csv::KIND,
    head: "\u{feff}number,at,actor,actorName,action,subject,subjectName,detail,address\r\n",
    row: |recorded| csv::row(columns(recorded).map(|(_, value)| value)),
};

/// One JSON object on each line.
const JSON_LINES: FileFormat = FileFormat {
    format: ExportFormat::JsonLines,
    kind: "application/jsonl",
    head: "",
    row: json_line,
};

impl FileFormat {
    /// The one of this name; CSV if there is none.
    fn of(name: &str) -> Self {
        let is_named = |one: &Self| one.format.as_str() == name;
        Some(JSON_LINES).filter(is_named).unwrap_or(CSV)
    }
}

/// Names and values of an entry's columns, in the order of the file.
fn columns(recorded: &Recorded) -> [(&'static str, Option<String>); 9] {
    let entry = &recorded.entry;
    [
        ("number", Some(recorded.number.to_string())),
        ("at", Some(entry.at.to_iso())),
        ("actor", Some(entry.actor.to_string())),
        ("actorName", recorded.actor_name.clone()),
        ("action", Some(entry.action.as_str().to_owned())),
        ("subject", entry.subject.clone()),
        ("subjectName", recorded.subject_name.clone()),
        ("detail", entry.detail.clone()),
        ("address", entry.address.clone()),
    ]
}

fn json_line(recorded: &Recorded) -> String {
    let members = columns(recorded).map(|(name, value)| (name.to_owned(), value.into()));
    let object = serde_json::Value::Object(members.into_iter().collect());
    format!("{object}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{named::Named, time::Timestamp};

    #[test]
    fn a_file_keeps_every_character_and_holds_no_formula() {
        let recorded = Recorded {
            number: 7,
            entry: service::stored::AuditEntry {
                at: Timestamp::from_millis(0),
                tenant: None,
                actor: Actor::parse("usr_1"),
                action: Named::Known(AuditAction::SettingsChange),
                subject: None,
                detail: Some("look: name \"A\", → B\n".into()),
                address: Some("192.0.2.1".into()),
            },
            actor_name: Some("=HYPERLINK(1)".into()),
            subject_name: Some("Somebody".into()),
        };
        assert_eq!(
            (CSV.row)(&recorded),
            "\"7\",\"1970-01-01T00:00:00.000Z\",\"usr_1\",\"'=HYPERLINK(1)\",\"settings.change\",,\"Somebody\",\
             \"look: name \"\"A\"\", → B\n\",\"192.0.2.1\"\r\n"
        );
        let names = columns(&recorded).map(|(name, _)| name).join(",");
        assert_eq!(CSV.head, format!("\u{feff}{names}\r\n"));
        let line = (JSON_LINES.row)(&recorded);
        let parsed: serde_json::Value = serde_json::from_str(line.trim_end()).unwrap();
        assert_eq!(parsed["detail"], "look: name \"A\", → B\n");
        assert_eq!(
            (line.lines().count(), &parsed["subject"]),
            (1, &serde_json::Value::Null)
        );
    }
}
