//! Lists and counts of sessions for the console.

use crate::{Honnin, access::Staff};
pub use store::session::search::{Filter, Order, Page, Person, SessionSummary};
use store::{StoreError, session::search};

/// A page of the sessions of the tenant that `staff` works in. Lists contain no personal data, so every role may see them.
///
/// # Errors
/// If the database does not respond.
pub async fn list_sessions(
    honnin: &Honnin,
    staff: &Staff,
    filter: Filter,
    page: Page,
) -> Result<Vec<SessionSummary>, StoreError> {
    let (tenant, now) = (staff.tenant().clone(), honnin.now());
    let unit = honnin
        .db
        .read(async move |tx| search::list(tx, &tenant, &filter, &page, now).await);
    unit.await
}

/// How many cases are waiting in the tenant that `staff` works in.
///
/// # Errors
/// If the database does not respond.
pub async fn count_waiting(honnin: &Honnin, staff: &Staff) -> Result<i64, StoreError> {
    let tenant = staff.tenant().clone();
    let unit = honnin.db.read(async move |tx| search::backlog(tx, &tenant).await);
    unit.await.map(|(count, _)| count)
}
