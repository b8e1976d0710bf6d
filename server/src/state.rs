//! What every handler gets.

use crate::{config::Config, figures::Figures, upload::Admission};
use domain::findings::Unavailable;
use service::Honnin;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// The state of the router. Cheap to clone.
#[derive(Clone)]
pub struct App {
    /// What the system can do.
    pub honnin: Honnin,
    /// Addresses of the hashed files.
    pub assets: app::Assets,
    /// The settings in force.
    pub config: Arc<Config>,
    /// Lets uploads in.
    pub admission: Arc<Admission>,
    /// What is counted for the operator.
    pub figures: Arc<Figures>,
    /// Machinery of `vision` that is not there.
    pub models_missing: Arc<[Unavailable]>,
    /// Cancelled when the server is told to stop.
    pub stopping: CancellationToken,
}
