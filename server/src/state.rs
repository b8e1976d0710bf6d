//! The state of every handler.

use crate::{
    config::Config,
    edge::{RequestContext, Sending, TenantPool},
    inbox::Inbox,
    metrics::Metrics,
    upload::Admission,
};
use app::page::{Request, Site};
use domain::findings::Unavailable;
use service::Honnin;
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// The state of the router. Cheap to clone.
#[derive(Clone)]
pub struct App {
    /// The service.
    pub honnin: Honnin,
    /// What all pages have in common.
    pub site: Site,
    /// The effective settings.
    pub config: Arc<Config>,
    /// The requests of `/v1`, shared among tenants.
    pub tenants: TenantPool,
    /// The memory of pictures that are being sent.
    pub sending: Sending,
    /// The places of pages that wait for what is about to happen.
    pub waiting: Arc<Semaphore>,
    /// Admits uploads.
    pub admission: Arc<Admission>,
    /// The metrics.
    pub metrics: Arc<Metrics>,
    /// Components of `vision` that are unavailable.
    pub models_missing: Arc<[Unavailable]>,
    /// The webhook receiver of the demonstration.
    pub inbox: Option<Arc<Inbox>>,
    /// Whether webhooks are held since this installation was restored from a backup.
    pub restored: bool,
    /// Cancelled when the server is shutting down.
    pub stopping: CancellationToken,
    /// Whether pages reload by themselves after the server was started again.
    #[cfg(debug_assertions)]
    pub reload: bool,
}

impl App {
    /// A request of `who`, as the pages know it.
    pub(crate) fn page_request<W>(&self, context: &RequestContext, who: W) -> Request<W> {
        Request::new(
            self.site.clone(),
            who,
            context.client,
            context.nonce.clone(),
            context.id.to_string(),
        )
    }
}
