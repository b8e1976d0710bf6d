//! The audit log.

mod view;

use super::{
    labels,
    layout::NavigationItem,
    request::{PageResult, Request, signed_in},
};
use domain::{
    audit::AuditAction,
    ids::{ApiKeyId, SessionId},
};
use leptos::prelude::*;
use service::{
    access::Auditor,
    session::search::list_audit,
    stored::{Recorded, SYSTEM},
};
use view::{AuditView, Entry, render};

/// The audit log.
#[component]
pub fn AuditPage() -> impl IntoView {
    signed_in(NavigationItem::Audit, load, render)
}

const PAGE: u32 = 100;

/// Who did it, in words.
pub(super) fn who(recorded: &Recorded) -> String {
    let actor = &recorded.entry.actor;
    match &recorded.actor_name {
        Some(name) => name.clone(),
        None if actor == SYSTEM && recorded.entry.action.known().is_some_and(AuditAction::is_of_applicant) => {
            "The user".to_owned()
        }
        None if actor == SYSTEM => "The system".to_owned(),
        None if ApiKeyId::parse(actor).is_some() => "An API key".to_owned(),
        None => actor.clone(),
    }
}

async fn load(request: Request) -> PageResult<AuditView> {
    let fields = request.query()?;
    let auditor = Auditor::of(request.staff())?;
    let before = fields.text("after").parse().ok();
    let mut found = list_audit(request.honnin(), &auditor, before, PAGE + 1).await?;
    let more = found.len() > PAGE as usize;
    found.truncate(PAGE as usize);
    let next = found
        .last()
        .filter(|_| more)
        .map(|last| fields.next_page("/admin/audit", &last.number.to_string()));
    let entries = found.iter().map(|recorded| {
        let entry = &recorded.entry;
        let subject = entry.subject.clone().map(|subject| {
            let href = SessionId::parse(&subject).map(|id| format!("/admin/sessions/{id}"));
            (subject, href)
        });
        Entry {
            at: entry.at,
            who: who(recorded),
            what: labels::action(&entry.action),
            subject,
            // The id of a picture (after its slot) means nothing to people.
            detail: entry
                .detail
                .as_deref()
                .and_then(|detail| detail.split(' ').next())
                .map(str::to_owned),
            address: entry.address.clone(),
        }
    });
    Ok(AuditView {
        entries: entries.collect(),
        next,
    })
}
