//! The sessions of a tenant for a file, read part by part while the file is sent: one part is in memory, however many sessions there are, and
//! no copy of the customers' metadata stays on the server.

use super::search::{Filter, Order, Page, SessionSummary, before, search_sessions};
use crate::{
    Honnin,
    access::Staff,
    runtime::pages::{Part, pages},
};
use domain::audit::AuditAction;
use futures::Stream;
use store::{StoreError, audit};

/// Sessions read at a time.
pub const BATCH: u32 = 500;

/// The sessions that match, newest first, without personal data, so every role may have them. A part is empty if none of the sessions matches
/// that were looked at for it. The export is in the audit log before the first session is read.
///
/// # Errors
/// If the database does not respond: before the first session, or in place of further ones.
pub async fn export_sessions(
    honnin: &Honnin,
    staff: &Staff,
    filter: Filter,
) -> Result<impl Stream<Item = Result<Vec<SessionSummary>, StoreError>> + Send + use<>, StoreError> {
    let entry = staff.entry(honnin.now(), AuditAction::SessionExport);
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
            let found = search_sessions(&honnin, &staff, filter, page).await?;
            Ok(Part::of(found.sessions, BATCH, cursor, found.reach.map(before)))
        }
    }))
}
