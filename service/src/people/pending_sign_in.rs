//! Sign-ins that have come as far as the second factor. Whoever stops there may be somebody else who has the first one, so each is recorded
//! once: as a sign-in, as refused because the second factor was wrong (each time), or as refused because it never came.

use super::{
    known_browser::Client,
    provider_link,
    visit::{self, Entrance},
};
use crate::{Honnin, runtime::job_error::JobError};
use domain::{
    audit_detail::DetailWord,
    ids::UserId,
    time::{Millis, Timestamp},
};
use std::net::IpAddr;
use store::{
    StoreError, Tx, audit,
    jobs::{self, Job, JobKind, NewJob},
    people::{
        pending_sign_ins::{self, PendingSignInRow},
        provider_accounts::ProviderIdentity,
        second_factors,
        users::{self, UserRow},
    },
};

/// How long after the first factor the second one can be shown.
pub const LIFETIME: Millis = Millis::minutes(10);

/// Somebody who has yet to show their second factor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingSignIn {
    /// Who.
    pub user: UserId,
    /// Distinguishes it from the same person's other attempts.
    pub number: i64,
}

/// What comes after a first factor that was right: a password, the OpenID provider, or a link from the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AfterFirstFactor {
    /// The person has no second factor: they are signed in.
    SignedIn(Entrance),
    /// They have one, which comes next.
    SecondFactor(PendingSignIn),
}

/// What is known of a first factor that was right.
#[derive(Clone, Debug, Default)]
pub(super) struct FirstFactor {
    /// When a password was counted as an attempt; others are not counted.
    pub(super) counted_at: Option<Timestamp>,
    /// The account at the provider, if it is not linked yet. It is linked together with the sign-in: whoever has somebody's account at the provider, and
    /// not their second factor, does not become them for good.
    pub(super) to_link: Option<ProviderIdentity>,
}

/// Signs a person in, in the unit that has accepted their first factor, unless they have a second one: then a sign-in begins that waits for it.
/// `entry` records the sign-in.
pub(super) async fn enter(
    tx: &mut Tx,
    user: &UserRow,
    entry: &audit::Entry,
    client: &Client,
    first: &FirstFactor,
) -> Result<AfterFirstFactor, StoreError> {
    if second_factors::has_any(tx, &user.id).await? {
        let pending = begin(tx, &user.id, client.address, entry.at, first).await?;
        return Ok(AfterFirstFactor::SecondFactor(pending));
    }
    if let Some(account) = &first.to_link {
        provider_link::add(tx, user, account, entry.at, client.address).await?;
    }
    let entrance = visit::record(tx, &user.id, entry.clone(), client).await?;
    Ok(AfterFirstFactor::SignedIn(entrance))
}

async fn begin(
    tx: &mut Tx,
    user: &UserId,
    address: IpAddr,
    now: Timestamp,
    first: &FirstFactor,
) -> Result<PendingSignIn, StoreError> {
    let row = PendingSignInRow {
        user: user.clone(),
        address: address.to_string(),
        refused: false,
        counted_at: first.counted_at,
        to_link: first.to_link.clone(),
    };
    let number = pending_sign_ins::insert(tx, &row).await?;
    let subject = number.to_string();
    let job = NewJob {
        kind: JobKind::RecordPendingSignIn,
        subject: &subject,
        run_at: now.plus(LIFETIME),
        dedup_key: None,
    };
    jobs::enqueue(tx, job).await?;
    Ok(PendingSignIn { user: row.user, number })
}

/// Ends one in the unit that records what became of it. `None` if it had ended before: then, nobody may come in with it.
pub(super) async fn end(tx: &mut Tx, pending: &PendingSignIn) -> Result<Option<PendingSignInRow>, StoreError> {
    let row = pending_sign_ins::take(tx, pending.number).await?;
    Ok(row.filter(|row| row.user == pending.user))
}

/// Notes that a wrong second factor is recorded in the caller's unit. They may try again, and are not recorded once more if they stop.
pub(super) async fn refuse(tx: &mut Tx, pending: &PendingSignIn) -> Result<(), StoreError> {
    pending_sign_ins::mark_refused(tx, pending.number).await
}

/// Ends those of a person together with their sessions, since somebody else may have begun them.
pub(super) async fn end_all(tx: &mut Tx, user: &UserId, now: Timestamp) -> Result<(), StoreError> {
    for row in pending_sign_ins::take_of(tx, user).await? {
        record_stop(tx, row, now).await?;
    }
    Ok(())
}

/// Records somebody who has not shown a second factor, neither a right nor a wrong one.
async fn record_stop(tx: &mut Tx, row: PendingSignInRow, now: Timestamp) -> Result<(), StoreError> {
    match users::find(tx, &row.user).await? {
        Some(user) if !row.refused => {
            let entry = visit::refusal(Some(&user), now, row.address).with_detail(DetailWord::Stopped);
            audit::record(tx, &entry).await
        }
        _ => Ok(()),
    }
}

/// Whether one can still be finished.
///
/// # Errors
/// If the database does not respond.
pub async fn is_open(honnin: &Honnin, pending: &PendingSignIn) -> Result<bool, StoreError> {
    let pending = pending.clone();
    let unit = honnin
        .db
        .read(async move |tx| pending_sign_ins::exists(tx, &pending.user, pending.number).await);
    unit.await
}

/// Drops an attempt that the same browser has restarted, so that it is not recorded as abandoned.
///
/// # Errors
/// If the database does not respond.
pub async fn forget(honnin: &Honnin, pending: PendingSignIn) -> Result<(), StoreError> {
    honnin.db.write(async move |tx| end(tx, &pending).await.map(drop)).await
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
        match pending_sign_ins::take(tx, number).await? {
            Some(row) => record_stop(tx, row, now).await,
            None => Ok(()),
        }
    });
    Ok(unit.await?)
}
