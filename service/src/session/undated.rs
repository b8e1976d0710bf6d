//! Schedules the correction of a session's times, because the clock that set them is in doubt.

use crate::runtime::clock_trust::ClockReading;
use domain::ids::SessionId;
use store::{
    StoreError, Tx,
    jobs::{self, JobKind, NewJob},
};

/// The job for a session, due whatever the clock says.
pub(crate) fn job(session: &SessionId) -> NewJob<'_> {
    NewJob {
        kind: JobKind::Redate,
        subject: session.as_str(),
        run_at: ClockReading::LONG_AGO,
        // Not deduplicated: a job that is running may have read the session before it ended.
        dedup_key: None,
    }
}

/// Adds the job for a session to the unit that creates or ends it.
pub(crate) async fn schedule(tx: &mut Tx, session: &SessionId) -> Result<(), StoreError> {
    jobs::enqueue(tx, job(session)).await.map(drop)
}
