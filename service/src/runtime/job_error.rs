//! Why a background job failed. The jobs report it, the worker acts on it.

use store::StoreError;

/// Failed runs, some twelve hours, after which what a missing version of the master key encrypted counts as unreadable: it may be lost for good, and
/// nobody should wait forever.
pub(crate) const MAX_WITHOUT_MASTER_KEY: i64 = 75;

/// Why a run did not finish its job.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum JobError {
    /// Storage; retried.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Another temporary fault; retried. Contains no personal data.
    #[error("{0}")]
    Transient(&'static str),
    /// A permanent fault: the job is given up. Contains no personal data.
    #[error("{0}")]
    Permanent(&'static str),
}

impl JobError {
    /// The clock has jumped, and what the job does depends on it.
    pub(crate) const CLOCK_JUMPED: Self = Self::Transient("the clock has jumped");

    /// A newer version recorded the event that is to be sent.
    pub(crate) const UNKNOWN_EVENT_TYPE: Self = Self::Transient("an event of a type that this version does not know");

    /// The job does not name what it is about.
    pub(crate) const MALFORMED_SUBJECT: Self = Self::Permanent("malformed subject");
}
