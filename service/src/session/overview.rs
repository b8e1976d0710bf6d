//! The figures of the console's overview.

use crate::{
    Honnin,
    access::Staff,
    runtime::counted::{Bounds, Counted},
};
use domain::{
    ids::TenantId,
    time::{Millis, Timestamp},
};
use std::sync::Arc;
pub use store::session::{
    search::DayCount,
    statistics::{DecisionDay, DecisionTimes, StepCount},
};
pub use store::webhook::{deliveries::DeliveryCounts, delivery_attempts::ReceiverHealth};
use store::{
    Db, StoreError, Tx,
    session::{queue_stays, search, statistics},
    settings::tenants::{self, TenantRow},
    webhook::{deliveries, delivery_attempts},
};

/// For how long figures are kept that took long to count.
pub(crate) const KEPT: Bounds = Bounds {
    quick: Millis::seconds(1),
    longest: Millis::minutes(5),
};

/// What the overview shows.
#[derive(Clone, Debug)]
pub struct Overview {
    /// The tenant.
    pub tenant: TenantRow,
    /// What was counted, perhaps some time ago.
    pub figures: Arc<Figures>,
    /// Cases waiting for a reviewer.
    pub backlog: Backlog,
    /// The queue by day, oldest first.
    pub waiting: Vec<QueueDay>,
    /// The receiver.
    pub receiver: ReceiverHealth,
}

/// How many cases were waiting on a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueDay {
    /// Days since the epoch, UTC.
    pub day: i64,
    /// How many were waiting at its end; today, how many are.
    pub waiting: i64,
}

/// The figures for which every session of a range of days is looked at.
#[derive(Clone, Debug)]
pub struct Figures {
    /// When they were counted.
    pub at: Timestamp,
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
    /// Each day (since the epoch, UTC) with its deliveries by how they turned out.
    pub deliveries: Vec<(i64, DeliveryCounts)>,
}

/// The figures of a tenant by the number of days and the first one, which is another one after midnight.
pub(crate) type CountedFigures = Counted<(TenantId, i64, Timestamp), Arc<Figures>>;

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

/// The figures of the last `days` days, today included. Those that take long to count are up to five minutes old.
///
/// # Errors
/// If the database does not respond.
pub async fn overview(honnin: &Honnin, staff: &Staff, days: i64) -> Result<Overview, StoreError> {
    let now = honnin.now();
    let today = now.as_millis().div_euclid(Millis::days(1).0);
    let first = today - days + 1;
    let from = Timestamp::from_millis(first * Millis::days(1).0);
    let id = staff.tenant().clone();
    let figures = figures(honnin, &id, days, from).await?;
    let unit = honnin.db.read(async move |tx| {
        let tenant = tenants::load(tx, &id).await?;
        let set_at = tenant
            .settings
            .as_ref()
            .and_then(|settings| settings.webhook_url_set_at);
        Ok(Overview {
            figures: Arc::clone(&figures),
            backlog: backlog(tx, &tenant, now).await?,
            waiting: waiting(&queue_stays::changes_by_day(tx, &id, from).await?, first, today),
            receiver: delivery_attempts::find_health(tx, &id, set_at).await?,
            tenant,
        })
    });
    unit.await
}

/// How many cases were waiting at the end of each day from `first` to `last`. `changes` are days with how much the queue grew or shrank on them.
fn waiting(changes: &[(i64, i64)], first: i64, last: i64) -> Vec<QueueDay> {
    let until = |day| {
        changes
            .iter()
            .filter(move |(on, _)| *on <= day)
            .map(|(_, change)| change)
            .sum()
    };
    (first..=last)
        .map(|day| QueueDay {
            day,
            waiting: until(day),
        })
        .collect()
}

/// The figures of a tenant since `from`, for this number of days.
async fn figures(honnin: &Honnin, tenant: &TenantId, days: i64, from: Timestamp) -> Result<Arc<Figures>, StoreError> {
    let (db, id, at) = (honnin.db.clone(), tenant.clone(), honnin.now());
    let count = async move {
        Ok(Arc::new(Figures {
            at,
            from,
            days: counted(&db, &id, async move |tx, id| search::count_by_day(tx, id, from).await).await?,
            steps: counted(&db, &id, async move |tx, id| {
                statistics::count_by_step(tx, id, from, at).await
            })
            .await?,
            times: counted(&db, &id, async move |tx, id| {
                statistics::decision_times(tx, id, from).await
            })
            .await?,
            times_by_day: counted(&db, &id, async move |tx, id| {
                statistics::decision_times_by_day(tx, id, from).await
            })
            .await?,
            deliveries: counted(&db, &id, async move |tx, id| {
                deliveries::count_by_day(tx, id, from).await
            })
            .await?,
        }))
    };
    let of = (tenant.clone(), days, from);
    honnin.figures.get(&honnin.clock, of, count).await
}

/// One of the figures, in a unit of its own: of many sessions, each may take as long as a unit may.
async fn counted<T: Send + 'static>(
    db: &Db,
    tenant: &TenantId,
    mut count: impl AsyncFnMut(&mut Tx, &TenantId) -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    let tenant = tenant.clone();
    db.read(async move |tx| count(tx, &tenant).await).await
}

async fn backlog(tx: &mut Tx, tenant: &TenantRow, now: Timestamp) -> Result<Backlog, StoreError> {
    let settings = tenant.settings_or_default();
    let (count, oldest) = search::backlog(tx, &tenant.id).await?;
    let before = |span: i64| now.minus(Millis(span));
    Ok(Backlog {
        count,
        oldest,
        target: settings.review_target,
        late: search::count_waiting_since(tx, &tenant.id, before(settings.review_target.0)).await?,
        overdue: search::count_waiting_since(tx, &tenant.id, before(settings.retention.0 / 2)).await?,
    })
}
