//! The pages of the demonstration: the inbox, and the page to which users return.

use crate::{capture, edge::RequestContext, inbox::Inbox, state::App};
use app::{
    capture::Refusal,
    demo::Visitor,
    page::{Request as PageRequest, refuse},
    routes,
};
use axum::{
    Router,
    extract::{Request, State},
    middleware::{Next, from_fn_with_state},
    response::Response,
};
use http::{HeaderMap, header::HOST};
use std::sync::Arc;
use url::{Host, Url, form_urlencoded};

/// The inbox and the callback page.
pub(crate) fn routes(app: &App, inbox: &Arc<Inbox>) -> Router<App> {
    let state = (app.clone(), Arc::clone(inbox));
    let inbox = routes::inbox().route_layer(from_fn_with_state(state.clone(), for_this_machine));
    let callback = routes::callback().route_layer(from_fn_with_state(state, for_whoever_returns));
    inbox.merge(callback).with_state(())
}

/// Passes the webhooks to the page. Webhooks may contain a reviewer's note, and a demonstration can be open to the local network: only
/// people at this machine see them.
async fn for_this_machine(
    State((app, inbox)): State<(App, Arc<Inbox>)>,
    context: RequestContext,
    mut request: Request,
    next: Next,
) -> Response {
    if !context.client.is_loopback() || !is_own_name(request.headers(), app.honnin.base_url()) {
        return refuse(capture::stranger(&app, &context, request.headers()), Refusal::NotFound).await;
    }
    let visitor: PageRequest<Visitor> = app.page_request(&context, Visitor { received: inbox.all() });
    request.extensions_mut().insert(visitor);
    next.run(request).await
}

/// Whether a request is for a name of this machine or of the installation. Another site can let its own name lead to this machine (DNS
/// rebinding); its page would read the webhooks in the browser of somebody who works here.
fn is_own_name(headers: &HeaderMap, base_url: &Url) -> bool {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let url = host.and_then(|host| Url::parse(&format!("http://{host}/")).ok());
    match url.as_ref().and_then(Url::host) {
        Some(Host::Domain(name)) => name == "localhost" || base_url.domain() == Some(name),
        // Nobody's name server decides where it leads.
        Some(Host::Ipv4(_) | Host::Ipv6(_)) => true,
        None => false,
    }
}

/// Passes the webhooks about the session in the address to the page, which shows their types only: users return with their phones.
async fn for_whoever_returns(
    State((app, inbox)): State<(App, Arc<Inbox>)>,
    context: RequestContext,
    mut request: Request,
    next: Next,
) -> Response {
    let query = request.uri().query().unwrap_or_default();
    let session = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "sessionId");
    let received = session.map_or_else(Vec::new, |(_, session)| inbox.about(session.trim()));
    let visitor: PageRequest<Visitor> = app.page_request(&context, Visitor { received });
    request.extensions_mut().insert(visitor);
    next.run(request).await
}
