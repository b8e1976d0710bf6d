//! The result for the end user: how it ended, without scores or fraud signals, and the way back to the tenant.

use crate::{
    Honnin,
    access::{Applicant, capture_cookie::expired_session},
    capture::progress::{StepRefused, progress},
    runtime::wake_up::poll_until,
};
use domain::{
    callback::CallbackUrl,
    outcome::Verdict,
    secret::Personal,
    session::{FailureReason, Status},
    time::Timestamp,
};
use std::time::Duration;
use store::{StoreError, session::sessions::SessionRow, vault::SealedValue};

/// How it ended, or that it has not ended yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Not submitted: there is no result.
    None,
    /// Being decided.
    Waiting,
    /// Approved.
    Approved,
    /// In review.
    Review,
    /// Rejected.
    Rejected,
    /// The user declined consent.
    Declined,
    /// The tenant cancelled it.
    Cancelled,
    /// The data was erased before there was a decision.
    Erased,
    /// Ended by an error on our side.
    Failed,
    /// The deadline passed first.
    Expired,
}

/// The result as the user sees it.
#[derive(Clone, Debug)]
pub struct Shown {
    /// How it ended.
    pub ending: Ending,
    /// The tenant's callback URL with the session's id and `state`, if there is one.
    pub return_url: Option<Personal<String>>,
    /// When it was decided, or ended without a decision.
    pub at: Option<Timestamp>,
}

/// The result of the user's attempt. If it is still being decided, waits for the decision at most for `wait_at_most`.
///
/// # Errors
/// [`StepRefused`].
pub async fn result_within(
    honnin: &Honnin,
    applicant: &Applicant,
    wait_at_most: Duration,
) -> Result<Shown, StepRefused> {
    let decided = |shown: &Shown| shown.ending != Ending::Waiting;
    poll_until(honnin, applicant.session(), wait_at_most, decided, || {
        result(honnin, applicant)
    })
    .await
}

/// The result of the user's attempt.
///
/// # Errors
/// [`StepRefused`].
pub async fn result(honnin: &Honnin, applicant: &Applicant) -> Result<Shown, StepRefused> {
    let row = progress(honnin, applicant).await?.row;
    let verdict = row.outcome.as_ref().map(|outcome| outcome.verdict);
    let ending = match (row.session.status_at(honnin.now()), verdict) {
        (Status::Created | Status::Collecting, _) => Ending::None,
        (Status::Deciding, _) => Ending::Waiting,
        (Status::Completed, Some(Verdict::Approved)) => Ending::Approved,
        (Status::Completed, Some(Verdict::Rejected)) => Ending::Rejected,
        (Status::Reviewing | Status::Completed, _) => Ending::Review,
        (Status::Failed, _) => match row.failure_reason {
            Some(FailureReason::ConsentDeclined) => Ending::Declined,
            Some(FailureReason::OperatorCancelled) => Ending::Cancelled,
            Some(FailureReason::ErasedBeforeDecision) => Ending::Erased,
            Some(
                FailureReason::ProcessingError
                | FailureReason::MediaCorrupted
                | FailureReason::MediaLost
                | FailureReason::AttemptsExhausted
                | FailureReason::DeviceNotSupported
                | FailureReason::SettingsInvalid,
            )
            | None => Ending::Failed,
        },
        (Status::Expired, _) => Ending::Expired,
    };
    let return_url = match ending {
        Ending::None | Ending::Waiting => None,
        _ => return_url(honnin, &row).await?,
    };
    let decided_at = row.outcome.as_ref().map(|outcome| outcome.decided_at);
    Ok(Shown {
        ending,
        return_url,
        at: row.session.completed_at.or(decided_at),
    })
}

/// The way back to the tenant for a browser that took part until the session's deadline passed.
///
/// # Errors
/// If the database does not respond.
pub async fn return_url_after_deadline(honnin: &Honnin, cookie: &str) -> Result<Option<Personal<String>>, StoreError> {
    match expired_session(honnin, cookie).await? {
        Some(row) => return_url(honnin, &row).await,
        None => Ok(None),
    }
}

/// The tenant's callback URL with the session's id and `state`, if there is one.
async fn return_url(honnin: &Honnin, row: &SessionRow) -> Result<Option<Personal<String>>, StoreError> {
    // It was parsed when the session was created. One that this version would refuse leads nowhere, and the result is shown all the same.
    let Some(callback) = row.callback_url.as_deref().and_then(|url| CallbackUrl::parse(url).ok()) else {
        return Ok(None);
    };
    let key = honnin.vault.open(&row.data_key).await?;
    let state = row
        .state
        .as_ref()
        .map(|sealed| key.open_text(&row.associated_data(SealedValue::State), sealed))
        .transpose()?;
    let state = state.as_ref().map(|state| state.expose().as_str());
    Ok(Some(Personal::new(callback.return_url(&row.session.id, state))))
}
