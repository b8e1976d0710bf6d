//! The result. The request waits a while for the decision, so that most people see it immediately, with and without scripts.

mod view;

pub use view::{ResultState, ResultView, render};

use super::{
    refusal::Refusal,
    visit::{Here, PageResult, step},
};
use crate::forms;
use domain::secret::Personal;
use leptos::prelude::*;
use service::capture::result::{Ending, Shown, result_within};
use std::{sync::Arc, time::Duration};

/// How long the page waits for the decision.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// The result.
#[component]
pub fn ResultPage() -> impl IntoView {
    step(None, forms::RESULT, load, render)
}

async fn load(here: Arc<Here>) -> PageResult<ResultView> {
    let enough = |shown: &Shown| shown.ending != Ending::Waiting;
    let look = |at_most| result_within(here.request.honnin(), &here.applicant, at_most);
    let shown = here.request.who.waiting.until(LONGEST_WAIT, enough, look).await?;
    let state = match shown.ending {
        Ending::None => return Err(Refusal::OutOfTurn),
        Ending::Expired => return Err(Refusal::Expired),
        Ending::Waiting => ResultState::Waiting,
        Ending::Approved => ResultState::Approved,
        Ending::Review => ResultState::Review,
        Ending::Rejected => ResultState::Rejected,
        Ending::Declined => ResultState::Declined,
        Ending::Cancelled => ResultState::Cancelled,
        Ending::Erased => ResultState::Erased,
        Ending::Failed => ResultState::Failed,
    };
    Ok(ResultView {
        state,
        return_url: shown.return_url.map(Personal::into_exposed),
        session: here.applicant.session().clone(),
        at: shown.at,
    })
}
