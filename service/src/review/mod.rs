//! Reviewing: the queue, the case with its pictures, and the decision. A case is reserved for one reviewer at a time, and an
//! attempt is decided once; a second reviewer sees who was first, and when.

mod assign;
mod case;
mod rule;
pub(crate) mod take_effect;

pub use assign::{AssignError, assign, list_reviewers};
pub use case::{Case, CaseError, Picture, find_picture, keep_case, open_case};
pub use rule::{AskedAgain, ReviewDecision, RuleError, UNDO, ask_again, reopen, rule};
pub use store::review::PendingRuling;
pub use take_effect::{UndoError, list_pending, undo};

use crate::{
    Honnin,
    access::Reviewer,
    session::search::{Filter, Order, Page, SessionSummary, list_sessions},
};
use domain::{
    document::DocumentType,
    outcome::Checks,
    reasons::Reason,
    session::{Plan, Status, Step},
    time::Millis,
};
use std::collections::BTreeMap;
use store::{StoreError, session::search};

/// How long opening a case reserves it.
pub const HOLD: Millis = Millis::minutes(15);

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

/// Counts the waiting cases, or those with one kind of document, or those assigned to the caller, by reason.
///
/// # Errors
/// If the database does not respond.
pub async fn count_by_reason(
    honnin: &Honnin,
    reviewer: &Reviewer,
    document: Option<DocumentType>,
    mine: bool,
) -> Result<ReasonCounts, StoreError> {
    let (tenant, user) = (reviewer.staff().tenant().clone(), reviewer.staff().user().clone());
    let unit = honnin.db.read(async move |tx| {
        let assigned_to = mine.then_some(&user);
        let cases = search::list_waiting_reasons(tx, &tenant, document, assigned_to).await?;
        Ok::<_, StoreError>((cases, search::count_assigned(tx, &tenant, &user).await?))
    });
    let (cases, mine) = unit.await?;
    let mut counts: BTreeMap<Reason, i64> = BTreeMap::new();
    for reason in cases.iter().flatten().filter_map(|reason| reason.known()) {
        *counts.entry(reason).or_default() += 1;
    }
    let mut by_reason: Vec<_> = counts.into_iter().collect();
    by_reason.sort_by_key(|(_, count)| -count);
    Ok(ReasonCounts {
        all: i64::try_from(cases.len()).unwrap_or(i64::MAX),
        mine,
        by_reason,
    })
}

/// The steps of the plan that were not performed: with any of them the session cannot be approved.
#[must_use]
pub fn steps_not_performed(plan: &Plan, checks: &Checks) -> Vec<Step> {
    let performed = |step: &Step| match step {
        Step::Document => checks.document.as_ref().is_some_and(|check| check.performed),
        Step::Selfie => checks.selfie.as_ref().is_some_and(|check| check.performed),
    };
    plan.steps.iter().copied().filter(|step| !performed(step)).collect()
}
