//! The sessions of a tenant for a file, read page by page while the file is sent: one page is in memory, however many sessions there are, and
//! no copy of the customers' metadata stays on the server.

use super::search::{Filter, Order, Page, SessionSummary, list_sessions};
use crate::{Honnin, access::Staff};
use domain::{audit::AuditAction, ids::SessionId, time::Timestamp};
use futures::{Stream, stream::try_unfold};
use store::{StoreError, audit};

/// Sessions read at a time.
pub const BATCH: u32 = 500;

/// What is still to be read.
struct Rest {
    honnin: Honnin,
    staff: Staff,
    filter: Filter,
    after: Option<(Timestamp, SessionId)>,
    is_last: bool,
}

/// The sessions that match, newest first, without personal data, so every role may have them. The export is in the audit log before the
/// first session is read.
///
/// # Errors
/// If the database does not respond: before the first session, or in place of further ones.
pub async fn export_sessions(
    honnin: &Honnin,
    staff: &Staff,
    filter: Filter,
) -> Result<impl Stream<Item = Result<Vec<SessionSummary>, StoreError>> + Send + use<>, StoreError> {
    let entry = staff.entry(honnin.now(), AuditAction::SessionExport, None);
    honnin.db.write(async move |tx| audit::record(tx, &entry).await).await?;
    let rest = Rest {
        honnin: honnin.clone(),
        staff: staff.clone(),
        filter,
        after: None,
        is_last: false,
    };
    Ok(try_unfold(rest, |mut rest| async move {
        if rest.is_last {
            return Ok(None);
        }
        let page = Page {
            order: Order::Newest,
            after: rest.after.take(),
            limit: BATCH,
        };
        let found = list_sessions(&rest.honnin, &rest.staff, rest.filter.clone(), page).await?;
        rest.is_last = found.len() < BATCH as usize;
        rest.after = found.last().map(|last| (last.created_at, last.id.clone()));
        Ok(Some((found, rest)))
    }))
}
