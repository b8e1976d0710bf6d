//! Lists and counts of sessions for the console.

use crate::{Honnin, access::Staff, audit::record_look};
use domain::{
    audit_detail::DetailWord,
    cursor::After,
    ids::{SessionId, TenantId},
    time::Timestamp,
};
pub use store::session::search::{Filter, LONGEST_PART, Order, Page, Person, SessionSummary};
use store::{StoreError, Tx, session::search};

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

/// The sessions that are looked at for one page of the API, or one part of a file, by a search that no index answers. Further ones are left to
/// the next page, so that a page takes as long whether there are ten thousand sessions or ten million.
pub const LOOKED_AT: u32 = 10_000;
/// The same for a page of the console, for which somebody waits.
pub const LOOKED_AT_FOR_CONSOLE: u32 = 3_000;

/// What a search found.
#[derive(Clone, Debug)]
pub struct Found {
    /// Newest first.
    pub sessions: Vec<SessionSummary>,
    /// Sessions created before this were not looked at.
    pub reach: Option<Timestamp>,
}

/// A page of the sessions of the tenant that `staff` works in, newest first, as [`list_sessions`]; but if no index answers the search, only
/// the newest `looked_at` are looked at. That an operator from elsewhere looks at them is recorded: the metadata is the tenant's.
///
/// # Errors
/// If the database does not respond.
pub async fn search_sessions(
    honnin: &Honnin,
    staff: &Staff,
    filter: Filter,
    page: Page,
    looked_at: u32,
) -> Result<Found, StoreError> {
    record_look(honnin, staff, DetailWord::Sessions).await?;
    let (tenant, now) = (staff.tenant().clone(), honnin.now());
    let unit = honnin.db.read(async move |tx| {
        let bounded = within_reach(tx, &tenant, filter.clone(), page.after.as_ref(), looked_at);
        let (filter, reach) = bounded.await?;
        let sessions = search::list(tx, &tenant, &filter, &page, now).await?;
        Ok(Found {
            // A full page has a next one, which goes further.
            reach: reach.filter(|_| sessions.len() < page.limit as usize),
            sessions,
        })
    });
    unit.await
}

/// The filter, bounded so that it looks at no more than `looked_at` sessions, and the bound if older ones are left out.
pub(super) async fn within_reach(
    tx: &mut Tx,
    tenant: &TenantId,
    filter: Filter,
    after: Option<&After<SessionId>>,
    looked_at: u32,
) -> Result<(Filter, Option<Timestamp>), StoreError> {
    if !filter.looks_at_each() {
        return Ok((filter, None));
    }
    let reach = search::find_reach(tx, tenant, &filter, after, looked_at).await?;
    let from = filter.from.max(reach);
    Ok((Filter { from, ..filter }, reach))
}

/// Where the next page starts of a search that went back to `reach`.
#[must_use]
pub fn before(reach: Timestamp) -> After<SessionId> {
    // No id comes before it.
    (reach, SessionId::from_random([0; 16]))
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
