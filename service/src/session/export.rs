//! The sessions of a tenant for a file, read part by part while the file is sent: one part is in memory, however many sessions there are, and
//! no copy of the customers' metadata stays on the server.

use super::search::{Filter, LOOKED_AT, Order, Page, SessionSummary, before, search_sessions};
use crate::{
    Honnin,
    access::Staff,
    audit::describe_filter,
    runtime::pages::{Part, pages},
};
use domain::{audit::AuditAction, time::Timestamp};
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
    let searched = |is_set: bool| is_set.then(String::new);
    describe_filter([
        ("session", filter.id.as_ref().map(ToString::to_string)),
        ("id prefix", filter.id_prefix.clone()),
        ("status", filter.status.map(|status| status.to_string())),
        ("verdict", filter.verdict.map(|verdict| verdict.to_string())),
        ("reason", filter.reason.map(|reason| reason.to_string())),
        ("document", filter.document_type.map(|kind| kind.to_string())),
        ("last step", filter.lost_after.map(|step| step.to_string())),
        ("from", filter.from.map(Timestamp::to_iso)),
        ("until", filter.until.map(Timestamp::to_iso)),
        ("metadata search", searched(filter.metadata.is_some())),
        ("name search", searched(!filter.person.name.is_empty())),
        ("date of birth search", searched(filter.person.birth_date.is_some())),
    ])
}
