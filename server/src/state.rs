//! What every handler gets.

use crate::{config::Config, edge::RequestContext, metrics::Metrics, upload::Admission};
use app::page::{Request, Site};
use domain::findings::Unavailable;
use service::Honnin;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// The state of the router. Cheap to clone.
#[derive(Clone)]
pub struct App {
    /// What the system can do.
    pub honnin: Honnin,
    /// What all pages have in common.
    pub site: Site,
    /// The settings in force.
    pub config: Arc<Config>,
    /// Lets uploads in.
    pub admission: Arc<Admission>,
    /// What is counted for the operator.
    pub metrics: Arc<Metrics>,
    /// Machinery of `vision` that is not there.
    pub models_missing: Arc<[Unavailable]>,
    /// Cancelled when the server is told to stop.
    pub stopping: CancellationToken,
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
