//! Retention: the job that erases a session once it has been kept for as long as its tenant says.

use domain::{session::Session, tenant::TenantSettings, time::Timestamp};
use store::{
    StoreError, Tx,
    jobs::{self, JobKind, NewJob},
    settings::tenants::TenantRow,
};

/// The job that erases the data of `session`, which ended at `ended_at`, after the retention period. Call it in the unit that
/// ends the session. A later attempt has a separate job: the subject names the attempt.
pub(crate) async fn schedule_erasure(
    tx: &mut Tx,
    tenant: &TenantRow,
    session: &Session,
    ended_at: Timestamp,
) -> Result<(), StoreError> {
    let retention = tenant
        .settings
        .as_ref()
        .map_or(TenantSettings::default().retention, |s| s.retention);
    schedule_erasure_at(tx, session, ended_at.plus(retention)).await
}

/// The job that erases the data of `session` at `run_at`, or earlier if a pending one is due earlier.
pub(crate) async fn schedule_erasure_at(tx: &mut Tx, session: &Session, run_at: Timestamp) -> Result<(), StoreError> {
    let subject = format!("{}#{}", session.id, session.attempt);
    let job = NewJob {
        kind: JobKind::Erase,
        subject: &subject,
        run_at,
        dedup_key: Some(&subject),
    };
    jobs::enqueue(tx, job).await.map(drop)
}
