//! Lists and counts for the console: sessions by their properties, days of the overview.

use crate::{Honnin, access::Staff};
use domain::time::{Millis, Timestamp};
pub use store::session::search::{DayCount, Filter, Order, Page, SessionSummary};
use store::{StoreError, session::search, settings::tenants};

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

/// What the overview shows.
#[derive(Clone, Debug)]
pub struct Overview {
    /// Sessions by day, status and verdict.
    pub days: Vec<DayCount>,
    /// Number of waiting cases, and since when the oldest has been waiting.
    pub backlog: (i64, Option<Timestamp>),
    /// Number of cases that have been waiting for longer than half the retention period.
    pub overdue: i64,
    /// The first day counted, as a time.
    pub from: Timestamp,
}

/// The last `days` days, today included.
///
/// # Errors
/// If the database does not respond.
pub async fn overview(honnin: &Honnin, staff: &Staff, days: i64) -> Result<Overview, StoreError> {
    let today = honnin.now().as_millis().div_euclid(Millis::days(1).0);
    let from = Timestamp::from_millis((today - days + 1) * Millis::days(1).0);
    let (tenant, now) = (staff.tenant().clone(), honnin.now());
    let unit = honnin.db.read(async move |tx| {
        let days = search::count_by_day(tx, &tenant, from).await?;
        let settings = tenants::find(tx, &tenant).await?.and_then(|tenant| tenant.settings);
        let half = Millis(settings.unwrap_or_default().retention.0 / 2);
        let overdue = search::count_waiting_since(tx, &tenant, now.plus(Millis(-half.0))).await?;
        Ok(Overview {
            days,
            overdue,
            backlog: search::backlog(tx, &tenant).await?,
            from,
        })
    });
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
