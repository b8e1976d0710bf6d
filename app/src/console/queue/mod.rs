//! The queue of cases waiting for review.

mod live;
mod view;

pub use live::CASES;

use super::{
    layout::NavigationItem,
    next_case::{none_left, reserve_next},
    request::{PageResult, Request, signed_in},
    selection::{QUEUE, Selection},
    sessions::PAGE,
};
use crate::page::{Fields, Outcome, form, handler};
use axum::{
    Router,
    routing::{get, post},
};
use domain::{cursor, ids::SessionId};
use leptos::prelude::*;
use service::{
    access::Reviewer,
    review::{self, CasesOf},
    session::search::{self, Order, Page, count_waiting},
    settings,
};
use view::{Holder, QueueView, Waiting, render};

/// The queue.
#[component]
pub fn QueuePage() -> impl IntoView {
    signed_in(NavigationItem::Review, load, render)
}

/// Its form, and what its script asks for.
pub(super) fn forms() -> Router {
    Router::new()
        .route(QUEUE, post(form(QUEUE, start)))
        .route("/admin/review/cases", get(handler(live::cases_now)))
}

/// POST: the person begins with the case that has been waiting longest. A link to it would lead those who begin at the same moment to one case.
async fn start(request: Request, _: Fields) -> PageResult<Outcome> {
    let reviewer = Reviewer::of(request.staff())?;
    let selection = Selection::of(request.query()?);
    match reserve_next(&request, &reviewer, selection).await? {
        Some(next) => Ok(Outcome::go(&next)),
        None => none_left(&request, &reviewer, selection).await,
    }
}

async fn load(request: Request) -> PageResult<QueueView> {
    let fields = request.query()?;
    let reviewer = Reviewer::of(request.staff())?;
    let selection = Selection::of(fields);
    let mut after = fields.text("after");
    let mut found = page_after(&request, &reviewer, selection, &after).await?;
    if found.is_empty() && !after.is_empty() {
        // All cases of this page have been decided. Those of the pages before may still be waiting.
        after.clear();
        found = page_after(&request, &reviewer, selection, &after).await?;
    }
    let of = if selection.mine {
        CasesOf::Caller
    } else {
        CasesOf::Everybody
    };
    let counts = review::count_by_reason(request.honnin(), &reviewer, selection.document, of).await?;
    let settings = settings::load(request.honnin(), request.staff()).await?.settings;
    let (found, more) = cursor::page_of(found, PAGE);
    let last = found.last().filter(|_| more);
    let backlog = count_waiting(request.honnin(), request.staff()).await?;
    let next = last.map(|last| {
        let since = last.waiting_since.unwrap_or(last.created_at);
        selection.href_after(QUEUE, &cursor::write(&(since, &last.id)))
    });
    let me = request.staff().user().clone();
    let rows: Vec<_> = found.into_iter().map(|found| waiting(found, &request)).collect();
    let has_next = review::has_next(request.honnin(), &reviewer, selection.filter(&me)).await?;
    let mut view = QueueView {
        selection,
        counts,
        rows,
        has_next,
        next,
        target: settings.unwrap_or_default().review_target,
        now: request.honnin().now(),
        backlog,
        me,
        live: selection.href_after(CASES, &after),
        after,
        version: String::new(),
    };
    view.version = live::Regions::of(&view).version(view.backlog);
    Ok(view)
}

/// A page of the cases, and one case more if there is another page.
async fn page_after(
    request: &Request,
    reviewer: &Reviewer,
    selection: Selection,
    after: &str,
) -> PageResult<Vec<search::SessionSummary>> {
    let page = Page {
        order: Order::LongestWaiting,
        after: cursor::parse(after, SessionId::parse),
        limit: PAGE + 1,
    };
    let filter = selection.filter(request.staff().user());
    Ok(review::queue(request.honnin(), reviewer, filter, page).await?)
}

fn waiting(found: search::SessionSummary, request: &Request) -> Waiting {
    let selfie = found.outcome.as_ref().and_then(|outcome| outcome.checks.selfie.clone());
    Waiting {
        id: found.id.to_string(),
        since: found.waiting_since.unwrap_or(found.created_at),
        document: found.document_type,
        reasons: found.outcome.map(|outcome| outcome.reasons).unwrap_or_default(),
        face_match: selfie.as_ref().and_then(|selfie| selfie.face_match_confidence),
        liveness: selfie.and_then(|selfie| selfie.liveness_confidence),
        assigned_to: found.assigned_to,
        held_by: found.held_by.map(|holder| {
            if holder.id == *request.staff().user() {
                Holder::Me
            } else {
                Holder::Colleague(holder.name)
            }
        }),
    }
}
