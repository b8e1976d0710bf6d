//! The list of sessions.

mod asked;
mod file;
mod saved;
mod view;

use super::{
    day::span,
    fault::Fault,
    layout::NavigationItem,
    request::{PageResult, Request, not_done, signed_in},
    webhooks::{refused, resent},
    words::say,
};
use crate::{
    page::{Fields, Outcome, form, handler, mistake},
    parts::Mistake,
};
use asked::{Asked, Typed};
use axum::{
    Router,
    routing::{get, post},
};
use domain::{
    cursor, document::DocumentType, funnel::FunnelStep, ids::SessionId, outcome::Verdict, reasons::Reason,
    secret::Personal, session::Status,
};
use http::StatusCode;
use leptos::prelude::*;
use service::{
    access::{Developer, Reader},
    session::{
        blind_index::{FindPersonError, Wanted, find_person},
        search::{self, Filter, Found, LOOKED_AT_FOR_CONSOLE, Order, Page, before, search_sessions},
    },
    webhook::redeliver,
};
use view::{Person, Reach, Row, SessionsView, render};

const HERE: &str = "/admin/sessions";
const FILE: &str = "/admin/sessions/export";
/// Resends the webhooks of sessions.
const RESEND: &str = "/admin/sessions/resend";
/// A session whose webhooks are to be sent again.
const TICKED: &str = "session";
/// Query parameter: after which session the page begins.
const AFTER: &str = "after";
/// The full name of the person who is looked for.
const NAME: &str = "name";
/// Their date of birth.
const BIRTH_DATE: &str = "birthDate";

/// The list of sessions.
#[component]
pub fn SessionsPage() -> impl IntoView {
    signed_in(NavigationItem::Sessions, load, render)
}

/// The form that looks for a person, which is posted, because no address may hold a name; saved filters; and the file.
pub(super) fn forms() -> Router {
    Router::new()
        .route(HERE, post(form(HERE, find)))
        .route(FILE, get(handler(file::file)))
        .route(RESEND, post(form(HERE, resend)))
        .route(saved::SAVE, post(form(HERE, saved::save)))
        .route(saved::REMOVE, post(form(HERE, saved::remove)))
}

/// Rows per page.
pub(super) const PAGE: u32 = 50;

fn filter(asked: &Asked) -> Filter {
    let text = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let [from, until] = span(&asked.from, &asked.to);
    let mut filter = Filter {
        id_prefix: None,
        assigned_to: None,
        free_for: None,
        person: search::Person::default(),
        // An invalid id must match nothing rather than everything.
        id: text(&asked.id).map(|id| SessionId::parse(&id).unwrap_or_else(|| SessionId::from_random([0; 16]))),
        status: Status::parse(&asked.status),
        verdict: Verdict::parse(&asked.verdict),
        reason: Reason::parse(&asked.reason),
        document_type: DocumentType::parse(&asked.document),
        from,
        until,
        metadata: text(&asked.metadata),
        or_escaped: false,
        lost_after: FunnelStep::parse(&asked.lost),
    };
    match Typed::of(&asked.q) {
        None => {}
        Some(Typed::Id(prefix)) => filter.id_prefix = Some(prefix),
        Some(Typed::Metadata(part)) => filter.metadata = Some(part),
        Some(Typed::Time(from, until)) => {
            filter.from = Some(filter.from.map_or(from, |first| first.max(from)));
            filter.until = Some(filter.until.map_or(until, |last| last.min(until)));
        }
    }
    filter
}

async fn load(request: Request) -> PageResult<SessionsView> {
    listed(&request, request.query()?, Vec::new()).await
}

/// The sessions that match the fields.
async fn listed(request: &Request, fields: &Fields, mistakes: Vec<Mistake>) -> PageResult<SessionsView> {
    let asked = Asked::of(fields);
    let after = cursor::parse(&fields.text(AFTER), SessionId::parse);
    let is_first = after.is_none();
    let page = Page {
        order: Order::Newest,
        after,
        limit: PAGE + 1,
    };
    let (honnin, staff) = (request.honnin(), request.staff());
    let found = search_sessions(honnin, staff, filter(&asked), page, LOOKED_AT_FOR_CONSOLE);
    let Found { sessions, reach } = found.await?;
    let (sessions, more) = cursor::page_of(sessions, PAGE);
    let page_after = |after| fields.next_page(HERE, &cursor::write(&after));
    let last = sessions.last().filter(|_| more);
    let next = last.map(|last| page_after((last.created_at, last.id.clone())));
    Ok(SessionsView {
        person: Reader::of(request.staff()).is_ok().then(Person::default),
        rows: sessions.into_iter().map(row).collect(),
        after: if is_first { String::new() } else { fields.text(AFTER) },
        next,
        reach: reach.map(|at| Reach {
            at,
            older: page_after(before(at)),
        }),
        file: Some(saved::address(FILE, &saved::query(&asked))),
        newest_only: false,
        asked,
        saved: saved::list(request).await?,
        name: String::new(),
        mistakes,
    })
}

/// POST: the sessions of a person.
async fn find(request: Request, fields: Fields) -> PageResult<Outcome> {
    let reader = Reader::of(request.staff())?;
    let wanted = Wanted {
        name: Personal::new(fields.text(NAME)),
        birth_date: Personal::new(fields.text(BIRTH_DATE)),
    };
    let found = find_person(request.honnin(), &reader, &wanted, PAGE).await;
    let mut newest_only = false;
    let (rows, mistakes) = match found {
        Ok(found) => {
            newest_only = found.more;
            (found.sessions.into_iter().map(row).collect(), Vec::new())
        }
        Err(FindPersonError::Nothing) => (
            Vec::new(),
            vec![mistake(
                NAME,
                say(
                    "Enter a name or a date of birth.",
                    "氏名または生年月日を入力してください。",
                ),
            )],
        ),
        Err(FindPersonError::NotADate) => (
            Vec::new(),
            vec![mistake(
                BIRTH_DATE,
                say("Enter a real date.", "実在する日付を入力してください。"),
            )],
        ),
        Err(FindPersonError::Store(error)) => return Err(error.into()),
    };
    let status = if mistakes.is_empty() {
        StatusCode::OK
    } else {
        StatusCode::UNPROCESSABLE_ENTITY
    };
    let view = SessionsView {
        asked: Asked::default(),
        person: Some(Person {
            name: fields.text(NAME),
            birth_date: fields.text(BIRTH_DATE),
        }),
        rows,
        after: String::new(),
        next: None,
        reach: None,
        newest_only,
        file: None,
        saved: saved::list(&request).await?,
        name: String::new(),
        mistakes,
    };
    Ok(Outcome::shown(status, view))
}

/// POST: every webhook of the ticked sessions again. What was searched for stays, and so does the page of the list.
async fn resend(request: Request, fields: Fields) -> PageResult<Outcome> {
    let developer = Developer::of(request.staff())?;
    let list = saved::address(HERE, &saved::query(&Asked::of(&fields)));
    let back = fields.kept(&list, &[AFTER]);
    let sessions: Option<Vec<SessionId>> = fields.all(TICKED).take(PAGE as usize).map(SessionId::parse).collect();
    let sessions = sessions.ok_or(Fault::NotFound)?;
    if sessions.is_empty() {
        return not_done(
            &back,
            say("Select at least one session.", "セッションを1件以上選択してください。"),
        );
    }
    match redeliver::send_sessions_again(request.honnin(), &developer, &sessions).await {
        Ok(sent) if sent.count + sent.left_out == 0 => not_done(
            &back,
            say(
                "Nothing was resent: the selected sessions have no events yet.",
                "再送するイベントはありません。選択したセッションのイベントはまだ発生していません。",
            ),
        ),
        Ok(sent) => resent(&back, &sent),
        Err(error) => refused(&back, error),
    }
}

/// A row of the list of sessions.
fn row(found: search::SessionSummary) -> Row {
    let outcome = found
        .outcome
        .filter(|_| matches!(found.status, Status::Reviewing | Status::Completed));
    Row {
        id: found.id.to_string(),
        status: found.status,
        verdict: outcome.as_ref().map(|outcome| outcome.verdict),
        reason: outcome.and_then(|outcome| outcome.reasons.into_iter().next()),
        document: found.document_type,
        created_at: found.created_at,
        metadata: found.metadata.as_deref().map(str::to_owned),
    }
}
