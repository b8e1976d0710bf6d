//! From a page to its response.

use super::request::{Area, Refused, Request};
use axum::{
    body::{Body, to_bytes},
    extract::{FromRequestParts, MatchedPath},
    response::{IntoResponse, Response},
};
use futures::{Stream, StreamExt as _, stream::once};
use http::{HeaderValue, StatusCode, header::CONTENT_TYPE};
use leptos::{nonce::Nonce, prelude::*};
use leptos_axum::ResponseOptions;
use std::{pin::Pin, sync::Arc};

/// `Retry-After` of a refusal that will soon be over: seconds.
pub const RETRY_SOON: HeaderValue = HeaderValue::from_static("5");

/// The context in which a refused request is rendered.
#[derive(Clone)]
struct Fault<F>(F);

/// Sets up the context in which a page is rendered.
pub(crate) type Provide = Arc<dyn Fn() + Send + Sync>;

/// A page: what `show` finds and renders, or the area's refusal page. The future is awaited in a plain [`Suspend`] and not in a
/// `Resource`, which would write its value into the page a second time, as JSON.
pub(crate) fn page<W: Area, F>(show: impl FnOnce(Request<W>) -> F + Send + 'static) -> impl IntoView
where
    F: Future<Output = Result<AnyView, W::Fault>> + Send + 'static,
{
    suspended(Box::new(move |request: Request<W>| -> Finding<W> {
        Box::pin(show(request))
    }))
}

/// What a page shows, in progress.
type Finding<W> = Soon<Result<AnyView, <W as Area>::Fault>>;

/// A page that has no type of its own, so that this is compiled once for each area.
fn suspended<W: Area>(show: Box<dyn FnOnce(Request<W>) -> Finding<W> + Send>) -> impl IntoView {
    let (request, response) = (use_context::<Request<W>>(), use_context::<ResponseOptions>());
    let fault = use_context::<Fault<W::Fault>>();
    Suspend::new(async move {
        let (Some(request), Some(response)) = (request, response) else {
            // Rendered for a request of another area: there is no such page.
            return ().into_any();
        };
        let shown = match fault {
            // Logged by `refuse`.
            Some(Fault(fault)) => Err(fault),
            None => show(request.clone()).await.inspect_err(W::log),
        };
        match shown {
            Ok(view) => view,
            Err(fault) => {
                let Refused { status, header, view } = W::refused(&request, fault).await;
                response.set_status(status);
                if let Some((name, value)) = header {
                    response.insert_header(name, value);
                }
                view
            }
        }
    })
}

/// GET: the page of the route.
pub(crate) async fn get<W: Area>(request: axum::extract::Request) -> Response {
    let (mut parts, _) = request.into_parts();
    let route = parts.extensions.get::<MatchedPath>().cloned();
    match Request::<W>::from_request_parts(&mut parts, &()).await {
        Ok(request) => {
            let route = route.as_ref().map_or("/", MatchedPath::as_str);
            render(request, route, Arc::new(|| ())).await
        }
        Err(rejection) => rejection,
    }
}

/// No page has this route, so that the application's fallback shows a refusal.
const NO_PAGE: &str = "/-";

/// The response to a refused request.
pub async fn refuse<W: Area>(request: Request<W>, fault: W::Fault) -> Response {
    W::log(&fault);
    if let Some(answer) = W::answer(&request, &fault) {
        return answer;
    }
    let provide = move || provide_context(Fault(fault.clone()));
    render(request, NO_PAGE, Arc::new(provide)).await
}

/// Renders the application at `route`, in the context that `provide` sets up. The router gets the route as matched by axum and
/// not the requested URL, so that the two cannot disagree and no id or token gets into the view.
pub(crate) async fn render<W: Area>(request: Request<W>, route: &str, provide: Provide) -> Response {
    let app = request.site.app;
    let nonce = Nonce::from_value(request.nonce.clone());
    let context = move || {
        provide_context(nonce.clone());
        provide_context(request.clone());
        provide();
    };
    render_in(Arc::new(context), app, route).await
}

/// The same in a context of any kind. All of `leptos_axum` is compiled for each type of context, so there is one type and not one for each form.
async fn render_in(context: Provide, app: fn() -> AnyView, route: &str) -> Response {
    let address = match http::Request::builder().uri(route).body(Body::empty()) {
        Ok(address) => address,
        Err(error) => {
            tracing::error!(%error, route, "a route is not a valid address");
            return StatusCode::INTERNAL_SERVER_ERROR.into_response();
        }
    };
    let answer = leptos_axum::handle_response_inner(move || context(), app, address, whole).await;
    let (mut parts, body) = answer.into_parts();
    let html = match to_bytes(body, usize::MAX).await {
        Ok(html) => html,
        Err(error) => {
            tracing::error!(%error, route, "a page was not rendered");
            return StatusCode::INTERNAL_SERVER_ERROR.into_response();
        }
    };
    if parts.status.is_redirection() {
        parts.headers.remove(CONTENT_TYPE);
        return Response::from_parts(parts, Body::empty());
    }
    Response::from_parts(parts, Body::from(html))
}

type Html = Pin<Box<dyn Stream<Item = String> + Send>>;
type Soon<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// The whole page, once everything in it is ready, as in `SsrMode::Async`. The scripts that would pass resources to the browser
/// are left out: there are none, and a page without an island has no script.
fn whole<V: IntoView + 'static>(
    app: V,
    _resources: Box<dyn FnOnce() -> Html + Send>,
    _out_of_order: bool,
) -> Soon<Html> {
    Box::pin(async move {
        let html = app.to_html_stream_in_order().collect::<String>().await;
        Box::pin(once(async move { without_markers(&html) })) as Html
    })
}

/// A page without hydration markers (`<!>`), except from its first island on. Nothing else is hydrated, and a `<title>`, whose content is
/// text, would show them.
pub(crate) fn without_markers(html: &str) -> String {
    let (before, rest) = html.split_at(html.find("<leptos-island").unwrap_or(html.len()));
    before.replace("<!>", "") + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_hydrated_keeps_its_markers() {
        let whole = "<title>A<!></title><p>B<!></p><leptos-island>C<!></leptos-island>D<!>";
        let kept = "<title>A</title><p>B</p><leptos-island>C<!></leptos-island>D<!>";
        assert_eq!(without_markers(whole), kept);
        assert_eq!(without_markers("<p>A<!></p>"), "<p>A</p>");
    }
}
