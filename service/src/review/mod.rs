//! Reviewing: the queue, the case with its pictures, and the decision. A case is reserved for one reviewer at a time, and an
//! attempt is decided once; a second reviewer sees who was first, and when.

mod assign;
mod case;
mod rule;
mod same_face;
pub(crate) mod take_effect;

pub use assign::{AssignError, Reassignment, assign, list_reviewers};
pub use case::{Case, CaseError, Picture, UndoneDecision, find_picture, keep_case, leave_case, open_case};
pub use rule::{AskedAgain, LookedAt, NOTE_LIMIT, ReviewDecision, RuleError, UNDO, ask_again, reopen, rule};
pub use store::review::PendingRuling;
pub use take_effect::{UndoError, list_pending, undo};

use crate::{
    Honnin,
    access::Reviewer,
    runtime::counted::{Bounds, Counted},
    session::search::{Filter, Order, Page, SessionSummary, list_sessions},
};
use domain::{
    document::DocumentType,
    ids::{SessionId, TenantId},
    named::Named,
    outcome::Checks,
    reasons::Reason,
    ruling::RESERVATION,
    session::{Plan, Status, Step},
    time::Millis,
};
use std::{cmp::Reverse, sync::Arc};
use store::{
    StoreError, review,
    session::search::{self, Cases},
};

/// A page of the waiting cases, longest waiting first.
///
/// # Errors
/// If the database does not respond.
pub async fn queue(
    honnin: &Honnin,
    reviewer: &Reviewer,
    filter: Filter,
    page: Page,
) -> Result<Vec<SessionSummary>, StoreError> {
    let filter = Filter {
        status: Some(Status::Reviewing),
        ..filter
    };
    list_sessions(
        honnin,
        reviewer.staff(),
        filter,
        Page {
            order: Order::LongestWaiting,
            ..page
        },
    )
    .await
}

/// Those of a filter's waiting cases that nobody but the caller works on or is to decide.
fn free_for(reviewer: &Reviewer, filter: Filter) -> Filter {
    Filter {
        status: Some(Status::Reviewing),
        free_for: Some(reviewer.staff().user().clone()),
        ..filter
    }
}

/// The first case of the queue.
const FIRST: Page = Page {
    order: Order::LongestWaiting,
    after: None,
    limit: 1,
};

/// Whether a case comes next for the caller, however far down the queue it is.
///
/// # Errors
/// If the database does not respond.
pub async fn has_next(honnin: &Honnin, reviewer: &Reviewer, filter: Filter) -> Result<bool, StoreError> {
    let found = list_sessions(honnin, reviewer.staff(), free_for(reviewer, filter), FIRST).await?;
    Ok(!found.is_empty())
}

/// Reserves the case that comes next, however far down the queue it is: of those that a filter selects and that nobody but the caller works on or is
/// to decide, the one that has been waiting longest. The search may take long, so it does not hold the writer. The unit that reserves the case checks
/// that it is still free, so that reviewers who continue at the same moment get different cases.
///
/// # Errors
/// If the database does not respond.
pub async fn reserve_next(
    honnin: &Honnin,
    reviewer: &Reviewer,
    filter: Filter,
) -> Result<Option<SessionId>, StoreError> {
    let filter = free_for(reviewer, filter);
    loop {
        let found = list_sessions(honnin, reviewer.staff(), filter.clone(), FIRST).await?;
        let Some(case) = found.into_iter().next() else {
            return Ok(None);
        };
        if reserve_if_free(honnin, reviewer, &filter, &case.id).await? {
            return Ok(Some(case.id));
        }
        // Somebody else was faster. The next search sees that.
    }
}

/// Reserves a case if a filter still selects it. Returns whether it did.
async fn reserve_if_free(
    honnin: &Honnin,
    reviewer: &Reviewer,
    filter: &Filter,
    case: &SessionId,
) -> Result<bool, StoreError> {
    let (staff, now) = (reviewer.staff().clone(), honnin.now());
    let filter = Filter {
        id: Some(case.clone()),
        ..filter.clone()
    };
    let unit = honnin.db.write(async move |tx| {
        let found = search::list(tx, staff.tenant(), &filter, &FIRST, now).await?;
        let Some(case) = found.into_iter().next() else {
            return Ok(false);
        };
        let reservation = review::reserve(tx, &case.id, staff.user(), now, now.plus(RESERVATION)).await?;
        Ok(reservation.user == *staff.user())
    });
    unit.await
}

/// The cases before and after one in the queue, however far down it they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Neighbours {
    /// The one that has been waiting a little longer.
    pub previous: Option<SessionId>,
    /// The one that comes next.
    pub next: Option<SessionId>,
}

/// The neighbours, among the waiting cases that a filter selects, of a case that need not be one of them; none of a case that does not wait.
///
/// # Errors
/// If the database does not respond.
pub async fn neighbours(
    honnin: &Honnin,
    reviewer: &Reviewer,
    filter: Filter,
    id: &SessionId,
) -> Result<Neighbours, StoreError> {
    let (tenant, id, now) = (reviewer.staff().tenant().clone(), id.clone(), honnin.now());
    let itself = Filter {
        id: Some(id.clone()),
        status: Some(Status::Reviewing),
        ..Filter::default()
    };
    let others = Filter {
        status: Some(Status::Reviewing),
        ..filter
    };
    let unit = honnin.db.read(async move |tx| {
        let one = |order, after| Page { order, after, limit: 1 };
        let found = search::list(tx, &tenant, &itself, &one(Order::LongestWaiting, None), now).await?;
        let Some(case) = found.first() else {
            return Ok(Neighbours::default());
        };
        let here = (case.waiting_since.unwrap_or(case.created_at), id.clone());
        let mut beside = [None, None];
        for (beside, order) in beside.iter_mut().zip([Order::ShortestWaiting, Order::LongestWaiting]) {
            let found = search::list(tx, &tenant, &others, &one(order, Some(here.clone())), now).await?;
            *beside = found.into_iter().next().map(|case| case.id);
        }
        let [previous, next] = beside;
        Ok(Neighbours { previous, next })
    });
    unit.await
}

/// How many waiting cases have which reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReasonCounts {
    /// All of them, with whatever reason.
    pub all: i64,
    /// Those assigned to the caller, of whatever kind.
    pub mine: i64,
    /// By reason, the most frequent first. A case with several reasons counts for each.
    pub by_reason: Vec<(Reason, i64)>,
}

/// How many cases there are, and how many have which reason, the most frequent first.
#[derive(Debug)]
pub(crate) struct Reasons {
    all: i64,
    by_reason: Vec<(Reason, i64)>,
}

/// The reasons of a tenant's waiting cases.
pub(crate) type CountedReasons = Counted<(TenantId, Cases), Arc<Reasons>>;

/// For how long reasons are kept that took long to count: no longer than until an open queue asks again.
pub(crate) const KEPT: Bounds = Bounds {
    quick: Millis(20),
    longest: Millis::seconds(5),
};

/// Whose waiting cases are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CasesOf {
    /// All, whether they are assigned to somebody or not.
    Everybody,
    /// Those that are assigned to the caller.
    Caller,
}

/// Counts the waiting cases, or those with one kind of document, or those assigned to the caller, by reason. With thousands of cases, the
/// numbers may be some seconds old, but for that of the caller's own.
///
/// # Errors
/// If the database does not respond.
pub async fn count_by_reason(
    honnin: &Honnin,
    reviewer: &Reviewer,
    document: Option<DocumentType>,
    of: CasesOf,
) -> Result<ReasonCounts, StoreError> {
    let (tenant, user) = (reviewer.staff().tenant().clone(), reviewer.staff().user().clone());
    let cases = Cases {
        document,
        assigned_to: match of {
            CasesOf::Everybody => None,
            CasesOf::Caller => Some(user.clone()),
        },
    };
    let key = (tenant.clone(), cases.clone());
    let (db, cases_of) = (honnin.db.clone(), tenant.clone());
    let count = async move {
        let count = db.read(async move |tx| search::count_reasons(tx, &cases_of, &cases).await);
        let (all, counts) = count.await?;
        let by_reason = by_frequency(&counts);
        Ok(Arc::new(Reasons { all, by_reason }))
    };
    let counted = honnin.reasons.get(&honnin.clock, key, count).await?;
    let assigned = honnin
        .db
        .ask(async move |tx| search::count_assigned(tx, &tenant, &user).await);
    Ok(ReasonCounts {
        all: counted.all,
        mine: assigned.await?,
        by_reason: counted.by_reason.clone(),
    })
}

/// The reasons that this version knows, the most frequent first.
fn by_frequency(counts: &[(Named<Reason>, i64)]) -> Vec<(Reason, i64)> {
    let known = counts
        .iter()
        .filter_map(|(reason, count)| Some((reason.known()?, *count)));
    let mut known: Vec<_> = known.collect();
    known.sort_by_key(|&(reason, count)| (Reverse(count), reason));
    known
}

/// The steps of the plan that were not performed: with any of them the session cannot be approved.
#[must_use]
pub(crate) fn steps_not_performed(plan: &Plan, checks: &Checks) -> Vec<Step> {
    let performed = |step: &Step| match step {
        Step::Document => checks.document.as_ref().is_some_and(|check| check.performed),
        Step::Selfie => checks.selfie.as_ref().is_some_and(|check| check.performed),
    };
    plan.steps.iter().copied().filter(|step| !performed(step)).collect()
}
