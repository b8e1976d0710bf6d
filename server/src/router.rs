//! All routes, and the responses if none matches.

use crate::{
    capture, console, csp_reports, demo,
    edge::{Asked, Class, Network, Outer, RequestContext, Slots, outermost},
    health, site,
    state::App,
    unanswered::Pages,
    v1::{self, ApiError},
};
use app::{capture::Refusal, page::refuse};
use axum::{
    Router,
    extract::{Request, State},
    middleware::{Next, from_fn, from_fn_with_state},
    response::{IntoResponse, Redirect, Response},
};
use domain::request::Issue;
use http::{
    HeaderValue, Method, Version,
    header::{CONNECTION, HOST, RETRY_AFTER, TRANSFER_ENCODING},
};
use std::sync::Arc;
use tower_http::compression::{
    CompressionLayer, Predicate,
    predicate::{NotForContentType, SizeAbove},
};

/// The whole server as one service.
pub fn router(app: App) -> Router {
    let unanswered = Pages::new(&app.site.assets);
    let outer = outer(&app, &unanswered);
    let pages = pages(&app, unanswered);
    #[cfg(debug_assertions)]
    let pages = if app.reload {
        crate::reload::reloading(pages)
    } else {
        pages
    };
    let pages = match &app.inbox {
        Some(inbox) => pages.merge(demo::routes(&app, inbox)),
        None => pages,
    };
    Router::new()
        .merge(v1::routes(&app))
        .merge(health::routes())
        .merge(csp_reports::routes())
        .merge(site::routes(&app.config.site_dir))
        .merge(pages.layer(compression()))
        .fallback(nothing_here)
        .layer(from_fn(well_formed))
        .layer(from_fn_with_state(outer, outermost))
        .with_state(app)
}

/// The outermost layer's settings.
fn outer(app: &App, unanswered: &Pages) -> Outer {
    let (if_busy, if_broken) = (unanswered.clone(), unanswered.clone());
    Outer {
        proxies: Arc::new(app.config.proxies.clone()),
        slots: Arc::new(Slots::new(app.config.max_requests, app.config.body_memory)),
        class,
        hsts: app.config.sends_hsts(),
        requests: app.metrics.requests.clone(),
        unavailable: Arc::new(move |asked: &Asked, context: &RequestContext| unavailable(&if_busy, asked, context)),
        broken: Arc::new(move |asked: &Asked, context: &RequestContext| broken(&if_broken, asked, context)),
    }
}

/// Pages for people. `/v1` is not compressed: its responses are small, and some contain secrets beside text chosen by the
/// caller.
fn pages(app: &App, unanswered: Pages) -> Router<App> {
    Router::new()
        .merge(v1::docs_routes(app))
        .merge(capture::routes(app))
        .merge(console::routes(app))
        .layer(from_fn_with_state((app.clone(), unanswered), within_memory))
}

/// A picture holds memory until its client has read it.
async fn within_memory(
    State((app, unanswered)): State<(App, Pages)>,
    context: RequestContext,
    request: Request,
    next: Next,
) -> Response {
    let asked = Asked::of(&request);
    let response = next.run(request).await;
    let held = app.sending.hold(Network::of(context.client), response);
    held.unwrap_or_else(|_| unavailable(&unanswered, &asked, &context))
}

fn compression() -> CompressionLayer<impl Predicate> {
    // Pictures are already compressed.
    CompressionLayer::new().compress_when(SizeAbove::new(1024).and(NotForContentType::IMAGES))
}

/// The class of a request.
fn class(method: &Method, route: &str, path: &str) -> Class {
    match route {
        "/healthz" => Class::Alive,
        "/readyz" => Class::Probe,
        _ if is_api(path) => Class::Api,
        _ if method == Method::POST && capture::takes_pictures(route) => Class::Upload,
        _ => Class::Page,
    }
}

/// Refuses a request that does not say in its head what it must.
async fn well_formed(context: RequestContext, request: Request, next: Next) -> Response {
    let (header, message, sentence) = if !is_addressed(&request) {
        ("Host", "must be given once", "The header Host must be given once.")
    } else if !is_plainly_coded(&request) {
        (
            "Transfer-Encoding",
            "must be chunked",
            "The header Transfer-Encoding must be chunked.",
        )
    } else {
        return next.run(request).await;
    };
    let issue = Issue {
        tag: "Format",
        path: vec![header.to_owned()],
        message: message.to_owned(),
    };
    let error = ApiError::Decode(vec![issue]);
    let mut answer = refusal(request.uri().path(), &context, &error, sentence);
    let close = HeaderValue::from_static("close");
    answer.headers_mut().insert(CONNECTION, close);
    answer
}

/// Whether it says once which host it is for; before HTTP/1.1, it need not (RFC 9112 section 3.2).
fn is_addressed(request: &Request) -> bool {
    let hosts = request.headers().get_all(HOST).iter().count();
    hosts == 1 || hosts == 0 && request.version() < Version::HTTP_11
}

/// Whether its body is in no coding, or in chunks only: those are taken apart for us, and what was put into them is not (RFC 9112 section 6.1).
fn is_plainly_coded(request: &Request) -> bool {
    let mut codings = request.headers().get_all(TRANSFER_ENCODING).iter();
    let first = codings.next();
    first.is_none_or(|coding| coding.as_bytes().trim_ascii().eq_ignore_ascii_case(b"chunked"))
        && codings.next().is_none()
}

/// The largest body that may be announced for a path.
pub(crate) fn largest_body(path: &str) -> u64 {
    if is_api(path) { v1::LARGEST_BODY } else { u64::MAX }
}

fn is_api(path: &str) -> bool {
    path == "/v1" || path.starts_with("/v1/")
}

async fn nothing_here(State(app): State<App>, context: RequestContext, request: Request) -> Response {
    if is_api(request.uri().path()) {
        return v1::nothing_here(&app, &context, request.method(), request.headers()).await;
    }
    if request.uri().path().starts_with("/docs/") {
        return v1::no_such_guide(&app, &context).await;
    }
    // Whoever types the console's address like this would get the page for applicants who are lost.
    if request.uri().path() == "/admin/" && matches!(*request.method(), Method::GET | Method::HEAD) {
        return Redirect::permanent("/admin").into_response();
    }
    match site::public_file(&app.config.site_dir, request).await {
        Ok(file) => file,
        Err(request) => refuse(capture::stranger(&app, &context, request.headers()), Refusal::NotFound).await,
    }
}

fn unavailable(pages: &Pages, asked: &Asked, context: &RequestContext) -> Response {
    let sentence = "The service is overloaded or shutting down. Try again in a moment.";
    refusal(&asked.path, context, &ApiError::Busy, pages.busy(asked, sentence))
}

fn broken(pages: &Pages, asked: &Asked, context: &RequestContext) -> Response {
    let sentence = "Something went wrong on our side. Try again in a moment.";
    refusal(&asked.path, context, &ApiError::Internal, pages.broken(asked, sentence))
}

/// The error response of `/v1` as it is; elsewhere, its status with what people are shown.
fn refusal(path: &str, context: &RequestContext, error: &ApiError, shown: impl IntoResponse) -> Response {
    let answer = error.answer(context);
    if is_api(path) {
        return answer;
    }
    let mut page = (answer.status(), shown).into_response();
    if let Some(wait) = answer.headers().get(RETRY_AFTER) {
        page.headers_mut().insert(RETRY_AFTER, wait.clone());
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        config::{Config, Layers},
        open::open_without_models,
    };
    use axum::{
        body::{Body, to_bytes},
        routing::get,
    };
    use tower::ServiceExt as _;

    async fn fails() -> &'static str {
        panic!("planted")
    }

    #[tokio::test]
    async fn a_handler_that_panics_is_answered_without_a_detail_and_the_next_request_is_served() {
        let folder = tempfile::tempdir().unwrap();
        let mut layers = Layers::defaults();
        layers.set("data_dir", folder.path().to_str().unwrap());
        let config = Config::read(&layers).unwrap();
        let app = open_without_models(Arc::new(config)).await.unwrap();
        let outer = outer(&app, &Pages::new(&app.site.assets));
        let router = Router::new()
            .route("/v1/fails", get(fails))
            .route("/fails", get(fails))
            .route("/v1/whole", get(|| async { "whole" }))
            .layer(from_fn_with_state(outer, outermost));
        for (path, status) in [
            ("/v1/fails", 500),
            ("/v1/whole", 200),
            ("/fails", 500),
            ("/v1/whole", 200),
        ] {
            let request = Request::get(path).body(Body::empty()).unwrap();
            let answer = router.clone().oneshot(request).await.unwrap();
            assert_eq!(answer.status(), status, "{path}");
            let id = answer.headers()["x-request-id"].to_str().unwrap().to_owned();
            let body = to_bytes(answer.into_body(), usize::MAX).await.unwrap();
            let body = String::from_utf8(body.to_vec()).unwrap();
            assert!(!body.contains("planted"), "{path}: {body}");
            // The page is prepared, and the same for everybody.
            assert_eq!(body.contains(&id), path == "/v1/fails", "{path}: {body}");
        }
        app.honnin.close().await.unwrap();
    }
}
