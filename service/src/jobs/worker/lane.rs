//! Lanes separate kinds of work, so that a backlog of one does not delay another.

use store::jobs::JobKind;

/// A share of the process for some kinds of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// Pictures and decisions: CPU-bound.
    Decide,
    /// Webhooks: mostly waiting.
    Deliver,
    /// Deadlines, reviewers' decisions, erasures, sweeps.
    Housekeeping,
}

impl Lane {
    /// Every lane.
    pub const ALL: [Self; 3] = [Self::Decide, Self::Deliver, Self::Housekeeping];

    /// What housekeeping does while the clock cannot be trusted: nothing that destroys.
    pub(super) const UNDER_A_DOUBTFUL_CLOCK: Ranks = &[&[JobKind::ApplyRuling]];

    /// The kinds of job it takes, by precedence: those of a rank are taken, the oldest first, before any of the next one. Each kind is in
    /// exactly one lane. Of deadlines and erasures, there may be as many due at once as there are sessions; of what has precedence, only a
    /// few, and somebody waits for it. Bringing erasures forward takes long, so only one slot does it.
    #[must_use]
    pub const fn ranks(self) -> Ranks {
        match self {
            Self::Decide => &[&[JobKind::Analyse, JobKind::Decide]],
            Self::Deliver => &[&[JobKind::Deliver]],
            Self::Housekeeping => &[
                &[
                    JobKind::ApplyRuling,
                    JobKind::RecordPendingSignIn,
                    JobKind::Sweep,
                    JobKind::Redate,
                ],
                &[JobKind::BringErasuresForward],
                &[JobKind::Expire],
                &[JobKind::Erase],
            ],
        }
    }
}

/// Kinds of job by precedence.
pub type Ranks = &'static [&'static [JobKind]];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_job_is_in_exactly_one_lane() {
        for kind in JobKind::ALL {
            let lanes = Lane::ALL
                .iter()
                .filter(|lane| lane.ranks().concat().contains(kind))
                .count();
            assert_eq!(lanes, 1, "{}", kind.as_str());
        }
    }
}
