//! `verify-decision`: recomputes the automatic decisions on a session from what is stored, and compares.

use super::{Failure, Settings, block_on, end, logging, say};
use crate::open::open_existing;
use clap::Args;
use service::{
    access::CommandLine,
    decision::verify::{Difference, Missing, VerifiedDecision, verify_decisions},
};

/// How the process ends where nothing differs, but not everything could be recomputed.
pub(super) const INCOMPLETE: u8 = 3;

#[derive(Args)]
pub(super) struct VerifyDecision {
    /// The session's id.
    #[arg(value_name = "SESSION")]
    session: String,
}

/// Why the process fails where something differs. Which release decided is not stored.
const OTHERWISE: &str = "by the rules of this release, a decision does not follow from what is stored. If another release decided, it may \
                         have judged by other rules";
const UNREADABLE: &str = "something that a decision was based on cannot be read";

/// Nothing differs, but not everything could be recomputed.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Incomplete(&'static str);

pub(super) fn run(settings: &Settings, command: &VerifyDecision) -> Result<(), Failure> {
    let config = settings.load()?;
    logging::start(&config.log);
    block_on(async move {
        let app = open_existing(config).await?;
        let verified = verify_decisions(&app.honnin, CommandLine::here(), &command.session).await;
        let said = match verified {
            Ok(verified) => show(&verified),
            Err(error) => Err(error.into()),
        };
        end(&app.honnin, said).await
    })
}

fn show(verified: &[VerifiedDecision]) -> Result<(), Failure> {
    for line in verified.iter().flat_map(lines) {
        say(line)?;
    }
    conclude(verified)
}

/// What is printed of a decision.
fn lines(verified: &VerifiedDecision) -> Vec<String> {
    let VerifiedDecision {
        attempt,
        decided_at,
        verdict,
        differences,
        missing,
    } = verified;
    let mut lines = vec![format!("Attempt {attempt}, decided {}: {verdict}", decided_at.to_iso())];
    lines.extend(differences.iter().map(|difference| match difference {
        Difference::Recorded { what, recorded, again } => {
            format!("  {what}: recorded {recorded}, recomputed {again}")
        }
        Difference::Unreadable(fault) => format!("  something stored cannot be read: {fault}"),
    }));
    lines.extend(missing.iter().map(|missing| format!("  {}", sentence(*missing))));
    if differences.is_empty() && missing.is_empty() {
        lines.push("  recomputed: the same".to_owned());
    }
    lines
}

const fn sentence(missing: Missing) -> &'static str {
    match missing {
        Missing::PersonalData => "not recomputed: the personal data is erased",
        Missing::Record => "not recomputed: the record of its scores and reasons is not stored",
        Missing::Findings => "not recomputed: its data was made up in a sandbox",
        Missing::Holders => {
            "taken as recorded: the comparison with people who were approved with the same document, whose data is not kept with it"
        }
        Missing::FaceSearch => "not recomputed: the search for the face was not kept by the version that decided",
    }
}

fn conclude(verified: &[VerifiedDecision]) -> Result<(), Failure> {
    if verified.is_empty() {
        return Err(Incomplete("no attempt of this session was decided automatically").into());
    }
    let mut differences = verified.iter().flat_map(|one| &one.differences).peekable();
    if differences.peek().is_some() {
        let is_readable = differences.all(|difference| matches!(difference, Difference::Recorded { .. }));
        let why = if is_readable { OTHERWISE } else { UNREADABLE };
        return Err(why.into());
    }
    if verified.iter().any(|one| !one.missing.is_empty()) {
        return Err(Incomplete("not everything could be recomputed").into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{outcome::Verdict, session::AttemptNumber, time::Timestamp};

    fn decided(attempt: i64) -> VerifiedDecision {
        VerifiedDecision {
            attempt: AttemptNumber::new(attempt),
            decided_at: Timestamp::from_millis(1_785_663_000_000),
            verdict: Verdict::Approved,
            differences: Vec::new(),
            missing: Vec::new(),
        }
    }

    fn is_incomplete(verified: &[VerifiedDecision]) -> bool {
        conclude(verified).unwrap_err().is::<Incomplete>()
    }

    #[test]
    fn a_difference_is_told_before_what_is_missing() {
        let (same, mut differs, mut erased) = (decided(1), decided(2), decided(3));
        differs.differences.push(Difference::Recorded {
            what: "verdict",
            recorded: "approved".into(),
            again: "rejected".into(),
        });
        erased.missing.push(Missing::PersonalData);
        assert!(conclude(std::slice::from_ref(&same)).is_ok());
        assert!(is_incomplete(&[]));
        assert!(is_incomplete(&[same.clone(), erased.clone()]));
        assert!(!is_incomplete(&[same, erased.clone(), differs.clone()]));
        let failure = |verified: &[VerifiedDecision]| conclude(verified).unwrap_err().to_string();
        assert_eq!(failure(std::slice::from_ref(&differs)), OTHERWISE);
        let mut damaged = decided(4);
        damaged.differences.push(Difference::Unreadable("a capture"));
        assert_eq!(failure(&[differs.clone(), damaged]), UNREADABLE);
        assert_eq!(lines(&decided(1))[1..], ["  recomputed: the same"]);
        assert_eq!(
            lines(&differs),
            [
                "Attempt 2, decided 2026-08-02T09:30:00.000Z: approved",
                "  verdict: recorded approved, recomputed rejected",
            ]
        );
        assert_eq!(lines(&erased)[1..], ["  not recomputed: the personal data is erased"]);
    }
}
