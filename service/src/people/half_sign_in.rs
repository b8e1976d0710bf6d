//! Sign-ins that have come as far as the second factor. Whoever stops there may be somebody else who has the password, so each is recorded
//! once: as a sign-in, as refused because the second factor was wrong, or as refused because it never came.

use super::visit;
use crate::{Honnin, runtime::job_error::JobError};
use domain::{
    ids::UserId,
    time::{Millis, Timestamp},
};
use std::net::IpAddr;
use store::{
    StoreError, Tx,
    audit::{self, STOPPED},
    jobs::{self, Job, JobKind, NewJob},
    people::{
        half_sign_ins::{self, HalfSignInRow},
        users,
    },
};

/// How long a second factor can be shown after the password.
pub const LIFETIME: Millis = Millis::minutes(10);

/// Somebody who has yet to show their second factor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HalfSignIn {
    /// Who.
    pub user: UserId,
    /// Distinguishes it from the same person's other attempts.
    pub number: i64,
}

/// Begins one, in the unit that has accepted the password.
pub(super) async fn begin(
    tx: &mut Tx,
    user: &UserId,
    address: IpAddr,
    now: Timestamp,
) -> Result<HalfSignIn, StoreError> {
    let row = HalfSignInRow {
        user: user.clone(),
        address: address.to_string(),
    };
    let number = half_sign_ins::insert(tx, &row).await?;
    let subject = number.to_string();
    let job = NewJob {
        kind: JobKind::HalfSignIn,
        subject: &subject,
        run_at: now.plus(LIFETIME),
        dedup_key: None,
    };
    jobs::enqueue(tx, job).await?;
    Ok(HalfSignIn { user: row.user, number })
}

/// Ends one in the unit that records what became of it.
pub(super) async fn end(tx: &mut Tx, half: &HalfSignIn) -> Result<(), StoreError> {
    half_sign_ins::take(tx, half.number).await.map(drop)
}

/// Drops an attempt that the same browser has restarted, so that it is not recorded as abandoned.
///
/// # Errors
/// If the database does not respond.
pub async fn forget(honnin: &Honnin, half: HalfSignIn) -> Result<(), StoreError> {
    honnin.db.write(async move |tx| end(tx, &half).await).await
}

/// Records one whose second factor has not come, and ends the job.
///
/// # Errors
/// If storage fails; the job is retried then.
pub(crate) async fn run(honnin: &Honnin, job: &Job) -> Result<(), JobError> {
    let number = job.subject.parse().map_err(|_| JobError::MALFORMED_SUBJECT)?;
    let (job, now) = (job.clone(), honnin.now());
    let unit = honnin.db.write(async move |tx| -> Result<_, StoreError> {
        jobs::finish(tx, &job, now).await?;
        let Some(half) = half_sign_ins::take(tx, number).await? else {
            return Ok(());
        };
        let Some(user) = users::find(tx, &half.user).await? else {
            return Ok(());
        };
        let entry = visit::refusal(Some(&user), now, half.address).with_detail(STOPPED);
        audit::record(tx, &entry).await
    });
    Ok(unit.await?)
}
