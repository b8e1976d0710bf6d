//! What a clock that was ahead leaves behind once it is right again: jobs planned for a time that is far away, leases that would
//! outlive every worker, responses to creations that would be repeated for longer than a day, links that would open for longer than they may, and
//! rotated API keys that would be valid for longer than was chosen.

use crate::{Honnin, jobs::lease::LEASE};
use domain::time::{Millis, SKEW, Timestamp};
use store::{
    StoreError, Tx,
    jobs::{self, JobKind, Moment},
    people::{invitations, password_resets},
    session::idempotency,
    settings::api_keys,
};

/// The longest time for which a job of these kinds is ever planned ahead. Deadlines and erasures are not among them: they are as far
/// ahead as their tenant wants.
const LONGEST: [(JobKind, Millis); 8] = [
    (JobKind::Analyse, Millis::minutes(15)),
    (JobKind::Decide, Millis::minutes(15)),
    (JobKind::ApplyRuling, Millis::minutes(15)),
    (JobKind::Redate, Millis::minutes(15)),
    (JobKind::RecordPendingSignIn, Millis::minutes(15)),
    (JobKind::BringErasuresForward, Millis::minutes(15)),
    // Twice the longest wait of the schedule, if the receiver asks for it.
    (JobKind::Deliver, Millis::hours(50)),
    (JobKind::Sweep, Millis::hours(2)),
];

/// Runs now what was planned further ahead than it can be, and ends leases that are longer than they can be. At a start as well, where nobody knows
/// whether the clock is right: a job that runs too early does no harm.
///
/// # Errors
/// If the database does not respond.
pub(crate) async fn repair_jobs(honnin: &Honnin, now: Timestamp) -> Result<(), StoreError> {
    let moment = honnin.moment(now);
    let unit = honnin.db.write(async move |tx| bring_forward(tx, moment).await);
    note(unit.await?);
    Ok(())
}

/// The same, and lets responses to creations, links and rotations of API keys that lie in the future count as stored and made now. Only once a clock
/// has settled after a jump: by one that is behind, what every other node made would lie in the future and soon be over.
///
/// # Errors
/// If the database does not respond.
pub(crate) async fn repair(honnin: &Honnin, now: Timestamp) -> Result<(), StoreError> {
    let moment = honnin.moment(now);
    let unit = honnin.db.write(async move |tx| {
        let mut repaired = bring_forward(tx, moment).await?;
        repaired += idempotency::bring_back(tx, now.plus(SKEW), now).await?;
        repaired += invitations::bring_back(tx, now).await?;
        repaired += password_resets::bring_back(tx, now).await?;
        repaired += api_keys::bring_back(tx, now.plus(SKEW), now).await?;
        Ok::<_, StoreError>(repaired)
    });
    note(unit.await?);
    Ok(())
}

async fn bring_forward(tx: &mut Tx, at: Moment) -> Result<u64, StoreError> {
    let now = at.now;
    let mut repaired = jobs::end_leases_after(tx, at.leases.plus(LEASE).plus(SKEW)).await?;
    for (kind, longest) in LONGEST {
        repaired += jobs::bring_forward(tx, kind, now.plus(longest), now).await?;
    }
    Ok(repaired)
}

fn note(repaired: u64) {
    if repaired > 0 {
        tracing::warn!(
            repaired,
            "jobs, leases, responses, links and rotated API keys with dates in the future got new dates: a clock had been ahead"
        );
    }
}
