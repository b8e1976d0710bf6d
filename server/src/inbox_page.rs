//! The page of the demonstration's webhook receiver, for people at this machine.

use crate::{capture, edge::RequestContext, inbox::Inbox, state::App};
use app::{capture::Refusal, page::refuse, routes};
use axum::{
    Router,
    extract::{Request, State},
    middleware::{Next, from_fn_with_state},
    response::Response,
};
use std::sync::Arc;

/// The page of the inbox.
pub(crate) fn routes(app: &App, inbox: &Arc<Inbox>) -> Router<App> {
    routes::inbox()
        .route_layer(from_fn_with_state((app.clone(), Arc::clone(inbox)), for_this_machine))
        .with_state(())
}

/// Passes the webhooks to the page. Webhooks may contain a reviewer's note, and a demonstration can be open to the local network: only
/// people at this machine see them.
async fn for_this_machine(
    State((app, inbox)): State<(App, Arc<Inbox>)>,
    context: RequestContext,
    mut request: Request,
    next: Next,
) -> Response {
    if !context.client.is_loopback() {
        return refuse(capture::stranger(&app, &context, request.headers()), Refusal::NotFound).await;
    }
    request
        .extensions_mut()
        .insert(app.page_request(&context, inbox.reader()));
    next.run(request).await
}
