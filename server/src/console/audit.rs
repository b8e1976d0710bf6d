//! The audit log.

use super::{
    form::Fields,
    wall::{Answer, Desk, ok},
};
use app::console::{
    Place,
    audit::{self, AuditView, Entry},
    words,
};
use domain::ids::{ApiKeyId, SessionId};
use service::{access::Auditor, search::list_audit};
use store::audit::{Recorded, SYSTEM};

const PAGE: u32 = 100;

/// Who did it, in words.
pub(super) fn who(recorded: &Recorded) -> String {
    let actor = &recorded.entry.actor;
    match &recorded.actor_name {
        Some(name) => name.clone(),
        None if actor == SYSTEM && words::is_applicants(&recorded.entry.action) => "The applicant".to_owned(),
        None if actor == SYSTEM => "The system".to_owned(),
        None if ApiKeyId::parse(actor).is_some() => "An API key".to_owned(),
        None => actor.clone(),
    }
}

pub(super) async fn page(desk: Desk, fields: Fields) -> Answer {
    let auditor = Auditor::of(&desk.staff)?;
    let before = fields.text("after").parse().ok();
    let mut found = list_audit(&desk.app.honnin, &auditor, before, PAGE + 1).await?;
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
            what: words::action(&entry.action),
            subject,
            // The id of a picture behind its kind says nothing to people.
            detail: entry
                .detail
                .as_deref()
                .and_then(|detail| detail.split(' ').next())
                .map(str::to_owned),
            address: entry.address.clone(),
        }
    });
    let view = AuditView {
        entries: entries.collect(),
        next,
    };
    let frame = desk.frame(Place::Audit).await?;
    ok(audit::render(&view, &frame, &desk.meta()))
}
