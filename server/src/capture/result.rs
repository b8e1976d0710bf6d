//! The result. It waits a while for the decision, so that most people see it at once, with and without scripts.

use super::{
    answer::{answered, come_back, page as html},
    refusal::Refusal,
    visit::Visit,
};
use crate::state::App;
use app::{
    capture::result::{self, ResultState, ResultView},
    forms,
};
use axum::{extract::State, response::Response};
use domain::secret::Personal;
use service::result::{Ending, result_within};
use std::time::Duration;

/// How long the page waits for the decision.
const PATIENCE: Duration = Duration::from_secs(10);

/// GET: the result.
pub(super) async fn page(State(app): State<App>, visit: Visit) -> Response {
    let shown = async {
        let (applicant, standing) = visit.standing(&app).await?;
        let shown = result_within(&app.honnin, &applicant, PATIENCE).await?;
        let state = match shown.ending {
            Ending::None => return Err(Refusal::OutOfTurn),
            Ending::Expired => return Err(Refusal::Expired),
            Ending::Waiting => ResultState::Waiting,
            Ending::Approved => ResultState::Approved,
            Ending::Review => ResultState::Review,
            Ending::Rejected => ResultState::Rejected,
            Ending::Declined => ResultState::Declined,
            Ending::Failed => ResultState::Failed,
        };
        let view = ResultView {
            state,
            return_url: shown.return_url.map(Personal::into_exposed),
        };
        let answer = html(result::render(
            &view,
            &visit.meta_of(&app, &standing, None, forms::RESULT),
        ));
        Ok(if state == ResultState::Waiting {
            come_back(answer)
        } else {
            answer
        })
    };
    answered(&app, &visit, shown.await)
}
