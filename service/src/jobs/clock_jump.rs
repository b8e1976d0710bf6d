//! What a clock that was ahead leaves behind once it is right again: jobs planned for a time that is far away, and leases that would
//! outlive every worker.

use crate::{Honnin, jobs::lease::LEASE};
use domain::time::{Millis, Timestamp};
use store::{
    StoreError,
    jobs::{self, JobKind},
};

/// The longest time for which a job of these kinds is ever planned ahead. Deadlines and erasures are not among them: they are as far
/// ahead as their tenant wants.
const LONGEST: [(JobKind, Millis); 7] = [
    (JobKind::Analyse, Millis::minutes(15)),
    (JobKind::Decide, Millis::minutes(15)),
    (JobKind::Rule, Millis::minutes(15)),
    (JobKind::Redate, Millis::minutes(15)),
    (JobKind::HalfSignIn, Millis::minutes(15)),
    // Twice the longest wait of the schedule, if the receiver asks for it.
    (JobKind::Deliver, Millis::hours(50)),
    (JobKind::Sweep, Millis::hours(2)),
];
/// Clocks of nodes that share a database may differ by this much.
const CLOCKS_DIFFER: Millis = Millis::minutes(1);

/// Runs now what was planned further ahead than it can be, and ends leases that are longer than they can be.
///
/// # Errors
/// If the database does not respond.
pub(crate) async fn mend(honnin: &Honnin, now: Timestamp) -> Result<(), StoreError> {
    let unit = honnin.db.write(async move |tx| {
        let mut mended = jobs::end_leases_after(tx, now.plus(LEASE).plus(CLOCKS_DIFFER)).await?;
        for (kind, longest) in LONGEST {
            mended += jobs::bring_forward(tx, kind, now.plus(longest), now).await?;
        }
        Ok::<_, StoreError>(mended)
    });
    let mended = unit.await?;
    if mended > 0 {
        tracing::warn!(
            mended,
            "jobs of a time that has not come were brought forward: a clock had been ahead"
        );
    }
    Ok(())
}
