//! The pages an end user sees, from the link to the result. Each handler asks the service where the user stands, fills the page's
//! view model, or takes what was sent and leads on; it decides nothing itself.

mod answer;
mod elsewhere;
mod link;
mod pictures;
mod refusal;
mod result;
mod selfie;
mod steps;
mod visit;

use crate::{
    edge::{CAMERA_ONLY, PERMISSIONS_POLICY},
    state::App,
    upload,
};
use app::forms;
use axum::{Router, middleware::map_response, response::Response, routing::get};
use http::HeaderValue;

/// The routes of the capture pages.
pub(crate) fn routes() -> Router<App> {
    let uploads = Router::new()
        // Whoever asks for the page of a mistake again is led to the step.
        .route(forms::PICTURES, get(steps::current).post(pictures::upload))
        .route(forms::SELFIE, get(selfie::page).post(selfie::upload))
        .layer(upload::no_limit_of_axum());
    Router::new()
        .route("/v/{token}", get(link::page).post(link::start))
        .route("/v/{token}/opened", get(link::opened))
        .route(forms::CAPTURE, get(steps::current))
        .route(forms::CONSENT, get(steps::consent_page).post(steps::consent))
        .route(forms::CHOOSE, get(steps::choose_page).post(steps::choose))
        .route(forms::DOCUMENT, get(pictures::page))
        .route(forms::CHECK, get(pictures::check_page).post(pictures::check))
        .route(forms::CHECK_FOUND, get(pictures::found))
        .route("/capture/pictures/{id}", get(pictures::show))
        .route(forms::DETAILS, get(steps::details_page).post(steps::details))
        .route(forms::SUBMIT, get(steps::submit_page).post(steps::submit))
        .route(forms::RESULT, get(result::page))
        .route(forms::ELSEWHERE, get(elsewhere::page).post(elsewhere::make))
        .route(forms::MORE_TIME, get(steps::current).post(elsewhere::more_time))
        .merge(uploads)
        .layer(map_response(with_camera))
}

/// Whether pictures are posted to this route.
pub(crate) fn takes_pictures(route: &str) -> bool {
    [forms::PICTURES, forms::SELFIE].contains(&route)
}

/// Only these pages may film.
async fn with_camera(mut response: Response) -> Response {
    let only = HeaderValue::from_static(CAMERA_ONLY);
    response.headers_mut().insert(PERMISSIONS_POLICY, only);
    response
}
