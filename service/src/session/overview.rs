//! The figures of the console's overview.

use crate::{Honnin, access::Staff};
use domain::time::{Millis, Timestamp};
pub use store::session::{
    search::DayCount,
    statistics::{DecisionDay, DecisionTimes, StepCount},
};
pub use store::webhook::{deliveries::DeliveryCounts, delivery_attempts::ReceiverHealth};
use store::{
    StoreError, Tx,
    session::{queue_stays, search, statistics},
    settings::tenants::{self, TenantRow},
    webhook::{deliveries, delivery_attempts},
};

/// What the overview shows.
#[derive(Clone, Debug)]
pub struct Overview {
    /// The tenant.
    pub tenant: TenantRow,
    /// The first day counted, as a time.
    pub from: Timestamp,
    /// Sessions by day, status and verdict.
    pub days: Vec<DayCount>,
    /// Sessions by the last step taken.
    pub steps: Vec<StepCount>,
    /// How long decisions took, by who decided.
    pub times: Vec<DecisionTimes>,
    /// Their medians by the day of the decision.
    pub times_by_day: Vec<DecisionDay>,
    /// Cases waiting for a reviewer.
    pub backlog: Backlog,
    /// How many cases were waiting at the end of each day, in their order; today, how many are.
    pub waiting: Vec<(i64, i64)>,
    /// Deliveries by how they turned out, by day.
    pub deliveries: Vec<(i64, DeliveryCounts)>,
    /// The receiver.
    pub receiver: ReceiverHealth,
}

/// Cases waiting for a reviewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backlog {
    /// How many.
    pub count: i64,
    /// Since when the oldest has been waiting.
    pub oldest: Option<Timestamp>,
    /// Within what time they should be decided.
    pub target: Millis,
    /// How many have been waiting for longer than that.
    pub late: i64,
    /// How many have been waiting for longer than half the retention period.
    pub overdue: i64,
}

/// The figures of the last `days` days, today included.
///
/// # Errors
/// If the database does not respond.
pub async fn overview(honnin: &Honnin, staff: &Staff, days: i64) -> Result<Overview, StoreError> {
    let now = honnin.now();
    let today = now.as_millis().div_euclid(Millis::days(1).0);
    let first = today - days + 1;
    let from = Timestamp::from_millis(first * Millis::days(1).0);
    let id = staff.tenant().clone();
    let unit = honnin.db.read(async move |tx| {
        let tenant = tenants::find(tx, &id)
            .await?
            .ok_or(StoreError::Corrupt("a tenant is missing"))?;
        let set_at = tenant
            .settings
            .as_ref()
            .and_then(|settings| settings.webhook_url_set_at);
        Ok(Overview {
            from,
            days: search::count_by_day(tx, &id, from).await?,
            steps: statistics::count_by_step(tx, &id, from, now).await?,
            times: statistics::decision_times(tx, &id, from).await?,
            times_by_day: statistics::decision_times_by_day(tx, &id, from).await?,
            backlog: backlog(tx, &tenant, now).await?,
            waiting: waiting(&queue_stays::changes_by_day(tx, &id, from).await?, first, today),
            deliveries: deliveries::count_by_day(tx, &id, from).await?,
            receiver: delivery_attempts::find_health(tx, &id, set_at).await?,
            tenant,
        })
    });
    unit.await
}

/// What a queue that changed by so much on some days was at the end of each day from `first` to `last`.
fn waiting(changes: &[(i64, i64)], first: i64, last: i64) -> Vec<(i64, i64)> {
    let until = |day| {
        changes
            .iter()
            .filter(move |(on, _)| *on <= day)
            .map(|(_, change)| change)
            .sum()
    };
    (first..=last).map(|day| (day, until(day))).collect()
}

async fn backlog(tx: &mut Tx, tenant: &TenantRow, now: Timestamp) -> Result<Backlog, StoreError> {
    let settings = tenant.settings.clone().unwrap_or_default();
    let (count, oldest) = search::backlog(tx, &tenant.id).await?;
    let before = |span: i64| now.plus(Millis(-span));
    Ok(Backlog {
        count,
        oldest,
        target: settings.review_target,
        late: search::count_waiting_since(tx, &tenant.id, before(settings.review_target.0)).await?,
        overdue: search::count_waiting_since(tx, &tenant.id, before(settings.retention.0 / 2)).await?,
    })
}
