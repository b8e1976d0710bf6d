//! What a clock that was ahead leaves behind once it is right again: jobs planned for a time that is far away, leases that would
//! outlive every worker, and responses to creations that would be repeated for longer than a day.

use crate::{Honnin, jobs::lease::LEASE};
use domain::time::{Millis, SKEW, Timestamp};
use store::{
    StoreError,
    jobs::{self, JobKind},
    session::idempotency,
};

/// The longest time for which a job of these kinds is ever planned ahead. Deadlines and erasures are not among them: they are as far
/// ahead as their tenant wants.
const LONGEST: [(JobKind, Millis); 8] = [
    (JobKind::Analyse, Millis::minutes(15)),
    (JobKind::Decide, Millis::minutes(15)),
    (JobKind::Rule, Millis::minutes(15)),
    (JobKind::Redate, Millis::minutes(15)),
    (JobKind::HalfSignIn, Millis::minutes(15)),
    (JobKind::Retain, Millis::minutes(15)),
    // Twice the longest wait of the schedule, if the receiver asks for it.
    (JobKind::Deliver, Millis::hours(50)),
    (JobKind::Sweep, Millis::hours(2)),
];

/// Runs now what was planned further ahead than it can be, ends leases that are longer than they can be, and lets responses to creations that
/// were stored in the future count as stored now.
///
/// # Errors
/// If the database does not respond.
pub(crate) async fn mend(honnin: &Honnin, now: Timestamp) -> Result<(), StoreError> {
    let unit = honnin.db.write(async move |tx| {
        let mut mended = jobs::end_leases_after(tx, now.plus(LEASE).plus(SKEW)).await?;
        for (kind, longest) in LONGEST {
            mended += jobs::bring_forward(tx, kind, now.plus(longest), now).await?;
        }
        mended += idempotency::bring_back(tx, now.plus(SKEW), now).await?;
        Ok::<_, StoreError>(mended)
    });
    let mended = unit.await?;
    if mended > 0 {
        tracing::warn!(
            mended,
            "jobs, leases and responses of a time that has not come were dated anew: a clock had been ahead"
        );
    }
    Ok(())
}
