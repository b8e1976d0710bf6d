//! From a form to its response.

use super::{
    answer::{Provide, RETRY_SOON, refuse, render},
    fields::Fields,
    request::{Area, Request},
};
use axum::{
    extract::FromRequestParts as _,
    response::{IntoResponse, Redirect, Response},
};
use http::{Extensions, StatusCode, header::RETRY_AFTER};
use leptos::prelude::{expect_context, provide_context};
use leptos_axum::ResponseOptions;
use std::{pin::Pin, sync::Arc};

/// The result of a form.
pub(crate) enum Outcome {
    /// Accepted.
    Done(Response),
    /// Its page is rendered again, with these extensions of the response.
    Again(StatusCode, Provide, Extensions),
}

impl Outcome {
    /// Accepted; redirects to `path`.
    pub(crate) fn go(path: &str) -> Self {
        Self::Done(Redirect::to(path).into_response())
    }

    /// Adds an extension of the response for the middleware.
    pub(crate) fn with<T: Clone + Send + Sync + 'static>(mut self, extension: T) -> Self {
        let extensions = match &mut self {
            Self::Done(answer) => answer.extensions_mut(),
            Self::Again(_, _, extensions) => extensions,
        };
        extensions.insert(extension);
        self
    }

    /// Refused: its page shows `view`, with what is wrong and what was typed.
    pub(crate) fn refused<V: Clone + Send + Sync + 'static>(view: V) -> Self {
        Self::shown(StatusCode::UNPROCESSABLE_ENTITY, view)
    }

    /// Its page shows `view` with `status`. For what is shown only once: a redirect would have to store it somewhere.
    pub(crate) fn shown<V: Clone + Send + Sync + 'static>(status: StatusCode, view: V) -> Self {
        Self::Again(
            status,
            Arc::new(move || provide_context(view.clone())),
            Extensions::new(),
        )
    }
}

/// A response in progress.
type Answering = Pin<Box<dyn Future<Output = Response> + Send>>;

/// The result of a form in progress.
type Acting<W> = Pin<Box<dyn Future<Output = Result<Outcome, <W as Area>::Fault>> + Send>>;

/// What a form does. Of one type for all forms of an area, so that what surrounds it is compiled once for each area.
type Action<W> = Arc<dyn Fn(Request<W>, Fields) -> Acting<W> + Send + Sync>;

/// The handler of a form shown by the page at the route `page`: reads its fields, calls `action`, and responds. After success
/// that is usually a 303 redirect; for a refused form, its page is rendered again at its route, with the view in a context.
pub(crate) fn form<W: Area, F>(
    page: &'static str,
    action: fn(Request<W>, Fields) -> F,
) -> impl Fn(axum::extract::Request) -> Answering + Clone + Send + Sync + 'static
where
    F: Future<Output = Result<Outcome, W::Fault>> + Send + 'static,
{
    form_for(page, |_| Ok(()), action)
}

/// The same for those who `may` send it: what others send is not read.
pub(crate) fn form_for<W: Area, F>(
    page: &'static str,
    may: fn(&Request<W>) -> Result<(), W::Fault>,
    action: fn(Request<W>, Fields) -> F,
) -> impl Fn(axum::extract::Request) -> Answering + Clone + Send + Sync + 'static
where
    F: Future<Output = Result<Outcome, W::Fault>> + Send + 'static,
{
    let action: Action<W> =
        Arc::new(move |request: Request<W>, fields: Fields| -> Acting<W> { Box::pin(action(request, fields)) });
    move |request| Box::pin(answered(page, may, Arc::clone(&action), request))
}

async fn answered<W: Area>(
    page: &'static str,
    may: fn(&Request<W>) -> Result<(), W::Fault>,
    action: Action<W>,
    request: axum::extract::Request,
) -> Response {
    let (mut parts, body) = request.into_parts();
    let request = match Request::<W>::from_request_parts(&mut parts, &()).await {
        Ok(request) => request,
        Err(rejection) => return rejection,
    };
    if let Err(fault) = may(&request) {
        return refuse(request, fault).await;
    }
    let body = axum::extract::Request::from_parts(parts, body);
    let done = match W::fields(body).await {
        Ok(fields) => action(request.clone(), fields).await,
        Err(fault) => Err(fault),
    };
    match done {
        Ok(Outcome::Done(answer)) => answer,
        Ok(Outcome::Again(status, provide, extensions)) => {
            let with_status = move || {
                expect_context::<ResponseOptions>().set_status(status);
                provide();
            };
            let mut answer = render(request, page, Arc::new(with_status)).await;
            answer.extensions_mut().extend(extensions);
            if status == StatusCode::SERVICE_UNAVAILABLE {
                answer.headers_mut().insert(RETRY_AFTER, RETRY_SOON);
            }
            answer
        }
        Err(fault) => refuse(request, fault).await,
    }
}

/// The handler of a request that gets no page: a picture, or what a page's script requests.
pub(crate) fn handler<W: Area, F>(
    answer: fn(Request<W>) -> F,
) -> impl Fn(axum::extract::Request) -> Answering + Clone + Send + Sync + 'static
where
    F: Future<Output = Result<Response, W::Fault>> + Send + 'static,
{
    move |request| {
        Box::pin(async move {
            let (mut parts, _) = request.into_parts();
            let request = match Request::<W>::from_request_parts(&mut parts, &()).await {
                Ok(request) => request,
                Err(rejection) => return rejection,
            };
            match answer(request.clone()).await {
                Ok(answer) => answer,
                Err(fault) => refuse(request, fault).await,
            }
        })
    }
}

/// The handler of the methods that a route does not have: the page for `fault`, with the status that says so. The router adds the methods that the
/// route has (`Allow`).
pub(crate) fn not_allowed<W: Area>(
    fault: W::Fault,
) -> impl Fn(axum::extract::Request) -> Answering + Clone + Send + Sync + 'static {
    move |request| {
        let fault = fault.clone();
        Box::pin(async move {
            let (mut parts, _) = request.into_parts();
            let request = match Request::<W>::from_request_parts(&mut parts, &()).await {
                Ok(request) => request,
                Err(rejection) => return rejection,
            };
            let mut answer = refuse(request, fault).await;
            *answer.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
            answer
        })
    }
}
