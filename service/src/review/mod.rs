//! Reviewing: the queue, the case with its pictures, and the decision. A case is reserved for one reviewer at a time, and an
//! attempt is decided once; a second reviewer sees who was first, and when.

mod case;
mod rule;
pub(crate) mod take_effect;

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
    outcome::Checks,
    session::{Plan, Status, Step},
    time::Millis,
};
use store::StoreError;

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

/// The steps of the plan that were not performed: with any of them the session cannot be approved.
#[must_use]
pub fn steps_not_performed(plan: &Plan, checks: &Checks) -> Vec<Step> {
    let performed = |step: &Step| match step {
        Step::Document => checks.document.as_ref().is_some_and(|check| check.performed),
        Step::Selfie => checks.selfie.as_ref().is_some_and(|check| check.performed),
    };
    plan.steps.iter().copied().filter(|step| !performed(step)).collect()
}
