//! The edge of the capture pages: cookies, language, cross-site form posts, and uploaded pictures. The pages themselves are in
//! `app`.

mod uploads;
mod visit;

use crate::{
    edge::{CAMERA_ONLY, PERMISSIONS_POLICY},
    state::App,
    upload,
};
use app::{forms, routes};
use axum::{
    Router,
    middleware::{from_fn_with_state, map_response},
    response::Response,
    routing::{get, post},
};
use http::HeaderValue;
pub(crate) use visit::stranger;

/// The routes of the capture pages.
pub(crate) fn routes(app: &App) -> Router<App> {
    let uploads = Router::new()
        .route(forms::PICTURES, post(uploads::picture))
        .route(forms::SELFIE, post(uploads::selfie))
        .route(forms::SELFIE_LIVE, post(uploads::live))
        .layer(upload::no_limit_of_axum());
    uploads
        .route(forms::QUEUE, get(uploads::queue))
        .merge(routes::capture().with_state(()))
        .route_layer(from_fn_with_state(app.clone(), visit::visits))
        .layer(map_response(with_camera))
}

/// Whether this route takes uploaded pictures.
pub(crate) fn takes_pictures(route: &str) -> bool {
    [forms::PICTURES, forms::SELFIE, forms::SELFIE_LIVE].contains(&route)
}

/// Only these pages may use the camera.
async fn with_camera(mut response: Response) -> Response {
    let only = HeaderValue::from_static(CAMERA_ONLY);
    response.headers_mut().insert(PERMISSIONS_POLICY, only);
    response
}
