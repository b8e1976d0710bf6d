//! Findings and policy in, verdict and reasons out: the only place where a verification is decided.
//!
//! Any rejecting reason rejects. Otherwise any other reason, a check not performed, or an authenticity other than `authentic`
//! leads to review. Otherwise approved.

mod across;
mod document;
mod earlier;
mod evidence;
mod input;
mod limits;
mod policy;
mod score;
mod selfie;
mod shown;

pub use across::contradictions;
pub use document::AGREEMENT_LIMIT;
pub use earlier::{Earlier, FaceSearch, Person, document_identity};
pub use evidence::{Accepted, MachineReadable, Provable, READING_LIMIT, provable};
pub use limits::limit;
pub use policy::{Policy, ThresholdFault};
pub use score::ScoreName;
pub use selfie::{AUTOMATIC_RUNS, liveness_confidence, match_confidence, unfollowed_requests};
pub use shown::{kind_shown, kind_shown_instead, must_not_be_kept, retake_reasons};

use crate::{
    document::DocumentType,
    findings::{DocumentFindings, SelfieFindings},
    named::Named,
    outcome::{Authenticity, Checks, Verdict},
    reasons::{Effect, Reason},
    request::PreRegistered,
    session::{Plan, Step},
    user_input::UserInput,
};
use serde::{Deserialize, Serialize};
use time::Date;

/// The input of a decision.
#[derive(Clone, Debug)]
pub struct Evidence<'a> {
    /// The steps.
    pub plan: &'a Plan,
    /// The kind of document that the user chose.
    pub document_type: Option<DocumentType>,
    /// The last picture of each side.
    pub document: &'a [DocumentFindings],
    /// The last selfie.
    pub selfie: Option<&'a SelfieFindings>,
    /// What the user typed.
    pub typed: Option<&'a UserInput>,
    /// What the tenant pre-registered.
    pub known: Option<&'a PreRegistered>,
    /// What earlier approved sessions say about the document and the face.
    pub earlier: &'a Earlier,
    /// A uniform draw from 0 to 1: below the tenant's share, a session without reasons is reviewed for quality control.
    pub draw: f64,
    /// Today, UTC.
    pub today: Date,
}

/// A score of the decision, stored for the reviewer and for recomputing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// What was measured.
    pub name: Named<ScoreName>,
    /// Its value.
    pub value: f64,
    /// Its limit.
    pub threshold: f64,
    /// Whether it is within the limit.
    pub passed: bool,
}

/// What was decided, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// The verdict.
    pub verdict: Verdict,
    /// Reasons, rejecting ones first.
    pub reasons: Vec<Reason>,
    /// The summary for the tenant.
    pub checks: Checks,
    /// All scores.
    pub scores: Vec<Score>,
}

/// Reasons and scores collected by the checks.
#[derive(Default)]
struct Notes {
    reasons: Vec<Reason>,
    /// Those among them that are fraud signals by their code, but rest on no statistics here.
    certain: Vec<Reason>,
    /// Those that are fraud signals by their code, but that honest people give as well.
    doubtful: Vec<Reason>,
    scores: Vec<Score>,
}

impl Notes {
    fn reason(&mut self, reason: Reason) {
        self.doubtful.retain(|other| *other != reason);
        if !self.reasons.contains(&reason) {
            self.reasons.push(reason);
        }
    }

    /// Notes a fraud signal that cannot be wrong: it rejects, whatever the tenant wants of statistical ones.
    fn certain(&mut self, reason: Reason) {
        self.reason(reason);
        self.certain.push(reason);
    }

    /// Notes a fraud signal that honest people give as well: a person judges it, whatever the tenant wants of the others.
    fn doubtful(&mut self, reason: Reason) {
        if !self.reasons.contains(&reason) {
            self.reasons.push(reason);
            self.doubtful.push(reason);
        }
    }

    fn rejects(&self, reason: Reason, policy: &Policy) -> bool {
        match reason.effect() {
            Effect::Reject => true,
            Effect::FraudSignal => {
                let is_wanted = policy.reject_on_fraud_signals && !self.doubtful.contains(&reason);
                is_wanted || self.certain.contains(&reason)
            }
            Effect::AskAgain | Effect::Review => false,
        }
    }

    /// Notes `value`, which must be at least `threshold`; returns whether it is.
    fn at_least(&mut self, name: impl Into<Named<ScoreName>>, value: f64, threshold: f64) -> bool {
        self.score(name, value, threshold, value >= threshold)
    }

    /// Notes `value`, which must be at most `threshold`; returns whether it is.
    fn at_most(&mut self, name: impl Into<Named<ScoreName>>, value: f64, threshold: f64) -> bool {
        self.score(name, value, threshold, value <= threshold)
    }

    fn score(&mut self, name: impl Into<Named<ScoreName>>, value: f64, threshold: f64, passed: bool) -> bool {
        // NaN compares false both ways, so a broken measurement never passes.
        self.scores.push(Score {
            name: name.into(),
            value,
            threshold,
            passed,
        });
        passed
    }
}

/// Decides.
#[must_use]
pub fn decide(evidence: &Evidence<'_>, policy: &Policy) -> Decision {
    let mut notes = Notes::default();
    let document = evidence
        .plan
        .has(Step::Document)
        .then(|| document::check(evidence, policy, &mut notes));
    let selfie = evidence
        .plan
        .has(Step::Selfie)
        .then(|| selfie::check(evidence, policy, &mut notes));
    let input_match = evidence
        .plan
        .has(Step::Document)
        .then(|| input::check(evidence, &mut notes))
        .flatten();
    earlier::check(evidence, policy, &mut notes);
    let checks = Checks {
        document,
        selfie,
        input_match,
    };
    if verdict(&notes, &checks, policy) == Verdict::Approved && evidence.draw < policy.sampled {
        notes.reason(Reason::QualitySampling);
    }
    let verdict = verdict(&notes, &checks, policy);
    let mut reasons = notes.reasons.clone();
    reasons.sort_by_key(|reason| !notes.rejects(*reason, policy));
    Decision {
        verdict,
        reasons,
        checks,
        scores: notes.scores,
    }
}

fn verdict(notes: &Notes, checks: &Checks, policy: &Policy) -> Verdict {
    let unperformed = checks.document.as_ref().is_some_and(|check| !check.performed)
        || checks.selfie.as_ref().is_some_and(|check| !check.performed);
    let doubtful = checks
        .document
        .as_ref()
        .is_some_and(|check| check.authenticity != Some(Authenticity::Authentic));
    let uncompared = checks.document.is_some()
        && checks
            .selfie
            .as_ref()
            .is_some_and(|check| check.face_match_confidence.is_none());
    if notes.reasons.iter().any(|reason| notes.rejects(*reason, policy)) {
        Verdict::Rejected
    } else if !notes.reasons.is_empty() || unperformed || doubtful || uncompared {
        Verdict::NeedsReview
    } else {
        Verdict::Approved
    }
}

#[cfg(test)]
pub(crate) mod coverage_tests;
#[cfg(test)]
mod pairs_tests;
#[cfg(test)]
mod sides_tests;
#[cfg(test)]
mod tests;
