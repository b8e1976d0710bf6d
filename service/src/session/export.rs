//! The sessions of a tenant for a file, read part by part while the file is sent: one part is in memory, however many sessions there are, and
//! no copy of the customers' metadata stays on the server.

use super::search::{Filter, LOOKED_AT, Order, Page, SessionSummary, before, search_sessions};
use crate::{
    Honnin,
    access::Staff,
    audit::describe_filter,
    runtime::pages::{Part, pages},
};
use domain::{
    audit::AuditAction,
    audit_detail::{DetailPhrase, DetailWord},
};
use futures::Stream;
use store::{StoreError, audit};

/// Sessions read at a time.
pub const BATCH: u32 = 500;

/// The sessions that match, newest first, without personal data, so every role may have them. A part is empty if none of the sessions matches
/// that were looked at for it. The export is in the audit log, with its filter, before the first session is read.
///
/// # Errors
/// If the database does not respond: before the first session, or in place of further ones.
pub async fn export_sessions(
    honnin: &Honnin,
    staff: &Staff,
    filter: Filter,
) -> Result<impl Stream<Item = Result<Vec<SessionSummary>, StoreError>> + Send + use<>, StoreError> {
    let entry = staff
        .entry(honnin.now(), AuditAction::SessionExport)
        .with_detail(describe(&filter));
    honnin.db.write(async move |tx| audit::record(tx, &entry).await).await?;
    let (honnin, staff) = (honnin.clone(), staff.clone());
    let cursor = |last: &SessionSummary| (last.created_at, last.id.clone());
    Ok(pages(move |after| {
        let (honnin, staff, filter) = (honnin.clone(), staff.clone(), filter.clone());
        let page = Page {
            order: Order::Newest,
            after,
            limit: BATCH,
        };
        async move {
            let found = search_sessions(&honnin, &staff, filter, page, LOOKED_AT).await?;
            Ok(Part::of(found.sessions, BATCH, cursor, found.reach.map(before)))
        }
    }))
}

/// For the audit log, which holds no personal data: that a name, a date of birth or a text was searched for, and not which.
fn describe(filter: &Filter) -> String {
    let searched = |is_set: bool, by: DetailWord| is_set.then(|| by.to_string());
    describe_filter([
        filter.id.as_ref().map(|id| DetailPhrase::Session.with(id)),
        filter.id_prefix.as_ref().map(|id| DetailPhrase::IdPrefix.with(id)),
        filter.status.map(|status| DetailPhrase::Status.with(status)),
        filter.verdict.map(|verdict| DetailPhrase::Verdict.with(verdict)),
        filter.reason.map(|reason| DetailPhrase::Reason.with(reason)),
        filter.document_type.map(|kind| DetailPhrase::Document.with(kind)),
        filter.lost_after.map(|step| DetailPhrase::LastStep.with(step)),
        filter.from.map(|time| DetailPhrase::From.with(time.to_iso())),
        filter.until.map(|time| DetailPhrase::Until.with(time.to_iso())),
        searched(filter.metadata.is_some(), DetailWord::MetadataSearch),
        searched(!filter.person.name.is_empty(), DetailWord::NameSearch),
        searched(filter.person.birth_date.is_some(), DetailWord::BirthDateSearch),
    ])
}
