//! The figures of the console's overview.

use crate::{Honnin, access::Staff};
use domain::{
    ids::TenantId,
    time::{Millis, Timestamp},
};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
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

/// Counting that takes less than this is repeated for everybody who looks.
const QUICK: Millis = Millis::seconds(1);
/// What took longer to count is kept for so many times as long: counting then takes a twentieth of a processor's time at most.
const TIMES_AS_LONG: i64 = 20;
/// But not for longer than this.
const LONGEST: Millis = Millis::minutes(5);

/// What the overview shows.
#[derive(Clone, Debug)]
pub struct Overview {
    /// The tenant.
    pub tenant: TenantRow,
    /// What was counted, perhaps some time ago.
    pub figures: Arc<Figures>,
    /// Cases waiting for a reviewer.
    pub backlog: Backlog,
    /// How many cases were waiting at the end of each day, in their order; today, how many are.
    pub waiting: Vec<(i64, i64)>,
    /// The receiver.
    pub receiver: ReceiverHealth,
}

/// What all sessions of some days have to be looked at for.
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
    /// Deliveries by how they turned out, by day.
    pub deliveries: Vec<(i64, DeliveryCounts)>,
}

/// Figures that took long to count, for whoever looks next, by tenant and number of days.
#[derive(Debug, Default)]
pub(crate) struct Counted(Mutex<BTreeMap<(TenantId, i64), Kept>>);

/// Figures, and until when they are shown, as time that passes evenly.
#[derive(Debug)]
struct Kept {
    figures: Arc<Figures>,
    until: Millis,
}

impl Counted {
    fn find(&self, of: &(TenantId, i64), from: Timestamp, elapsed: Millis) -> Option<Arc<Figures>> {
        let mut all = self.all();
        all.retain(|_, kept| kept.until > elapsed);
        // At midnight, another day is the first one.
        let kept = all.get(of).filter(|kept| kept.figures.from == from)?;
        Some(Arc::clone(&kept.figures))
    }

    /// Keeps figures that took long to count.
    fn keep(&self, of: (TenantId, i64), figures: &Arc<Figures>, took: Millis, elapsed: Millis) {
        if took < QUICK {
            return;
        }
        let span = (took.0 * TIMES_AS_LONG).min(LONGEST.0);
        let kept = Kept {
            figures: Arc::clone(figures),
            until: Millis(elapsed.0 + span),
        };
        self.all().insert(of, kept);
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<(TenantId, i64), Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
        let tenant = tenants::find(tx, &id)
            .await?
            .ok_or(StoreError::Corrupt("a tenant is missing"))?;
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

/// The figures of a tenant since `from`, the first of so many days.
async fn figures(honnin: &Honnin, tenant: &TenantId, days: i64, from: Timestamp) -> Result<Arc<Figures>, StoreError> {
    let (of, begun) = ((tenant.clone(), days), honnin.clock.elapsed());
    if let Some(kept) = honnin.counted.find(&of, from, begun) {
        return Ok(kept);
    }
    let (id, at) = (tenant.clone(), honnin.now());
    let unit = honnin.db.read(async move |tx| {
        Ok::<_, StoreError>(Figures {
            at,
            from,
            days: search::count_by_day(tx, &id, from).await?,
            steps: statistics::count_by_step(tx, &id, from, at).await?,
            times: statistics::decision_times(tx, &id, from).await?,
            times_by_day: statistics::decision_times_by_day(tx, &id, from).await?,
            deliveries: deliveries::count_by_day(tx, &id, from).await?,
        })
    });
    let figures = Arc::new(unit.await?);
    let now = honnin.clock.elapsed();
    honnin.counted.keep(of, &figures, Millis(now.0 - begun.0), now);
    Ok(figures)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(from: i64) -> Arc<Figures> {
        Arc::new(Figures {
            at: Timestamp::from_millis(from),
            from: Timestamp::from_millis(from),
            days: Vec::new(),
            steps: Vec::new(),
            times: Vec::new(),
            times_by_day: Vec::new(),
            deliveries: Vec::new(),
        })
    }

    #[test]
    fn what_took_long_to_count_is_kept_for_a_while_for_its_tenant_and_range() {
        let tenant = |number| TenantId::from_random([number; 16]);
        let (counted, of) = (Counted::default(), (tenant(1), 30));
        let from = Timestamp::from_millis(0);
        let is_kept = |of: &(TenantId, i64), elapsed| counted.find(of, from, Millis(elapsed)).is_some();
        counted.keep(of.clone(), &figures(0), Millis(999), Millis(1_000));
        assert!(!is_kept(&of, 1_000), "quickly counted");
        counted.keep(of.clone(), &figures(0), Millis(2_000), Millis(2_000));
        assert!(is_kept(&of, 2_000) && is_kept(&of, 41_999));
        assert!(!is_kept(&(tenant(1), 7), 2_000) && !is_kept(&(tenant(2), 30), 2_000));
        assert!(
            counted
                .find(&of, Timestamp::from_millis(86_400_000), Millis(2_000))
                .is_none(),
            "tomorrow"
        );
        assert!(!is_kept(&of, 42_000), "after twenty times as long");
        counted.keep(of.clone(), &figures(0), Millis::minutes(10), Millis(0));
        assert!(is_kept(&of, 299_999) && !is_kept(&of, 300_000), "five minutes at most");
    }
}
