//! Why a background job did not end as it should. The jobs say it, the worker acts on it.

use store::StoreError;

/// Why a run did not settle its job.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum JobError {
    /// Storage; tried again.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Something else that may pass; tried again. Names no personal data.
    #[error("{0}")]
    Transient(&'static str),
    /// Nothing that time would mend: the job is given up. Names no personal data.
    #[error("{0}")]
    Permanent(&'static str),
}
