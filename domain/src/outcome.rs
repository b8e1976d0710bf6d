//! The decision record as tenants see it: `outcome` of GET and `data` of decision events. Contains no personal data except the
//! note.

use crate::{
    document::{DocumentType, vocabulary},
    ids::{SessionId, TenantId},
    named::Named,
    reasons::Reason,
    time::Timestamp,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

vocabulary! {
    /// The decision.
    Verdict {
        /// Identity verified.
        Approved = "approved",
        /// Not verified.
        Rejected = "rejected",
        /// Routed to a person.
        NeedsReview = "needs_review",
    }
}

vocabulary! {
    /// Who decided.
    Source {
        /// The service.
        Automatic = "automatic",
        /// A reviewer.
        ManualReview = "manual_review",
    }
}

vocabulary! {
    /// Whether the document looks genuine.
    Authenticity {
        /// Nothing suspicious, on positive evidence.
        Authentic = "authentic",
        /// Something suspicious.
        Suspicious = "suspicious",
        /// Could not be judged free of suspicion; never grounds for approval.
        Unknown = "unknown",
    }
}

/// Which session of which tenant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionRef {
    /// The session.
    pub session_id: SessionId,
    /// Its owner.
    pub tenant_id: TenantId,
}

/// `outcome` of GET, `data` of `verification.approved`, `.rejected` and `.needs_review`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// Which session.
    pub session: SessionRef,
    /// The decision.
    pub verdict: Verdict,
    /// When it was fixed.
    pub decided_at: Timestamp,
    /// Who decided.
    pub source: Source,
    /// Filled only by a reviewer.
    pub review: Option<Review>,
    /// What was checked.
    pub checks: Checks,
    /// Reason codes, most serious first.
    pub reasons: Vec<Named<Reason>>,
}

/// A reviewer's part of the outcome.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Review {
    /// When the decision was made.
    pub reviewed_at: Timestamp,
    /// Free text for the tenant; may contain personal data, so it is stored encrypted, and `None` after erasure.
    pub note: Option<String>,
}

/// The note is personal data, and must not get into a log through an outcome.
impl std::fmt::Debug for Review {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let note = self.note.as_ref().map(|_| crate::secret::Personal::new(()));
        f.debug_struct("Review")
            .field("reviewed_at", &self.reviewed_at)
            .field("note", &note)
            .finish()
    }
}

/// Summary of the checks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Checks {
    /// `None` if the plan has no such step.
    pub document: Option<DocumentCheck>,
    /// `None` if the plan has no such step.
    pub selfie: Option<SelfieCheck>,
    /// `None` if nothing was compared.
    pub input_match: Option<InputMatchCheck>,
}

/// What the document showed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentCheck {
    /// Whether there was something to check.
    pub performed: bool,
    /// Chosen by the user.
    pub document_type: Option<DocumentType>,
    /// `None` means not assessed.
    pub authenticity: Option<Authenticity>,
}

/// What the selfie showed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SelfieCheck {
    /// Whether there was something to check.
    pub performed: bool,
    /// 0 to 1.
    pub liveness_confidence: Option<f64>,
    /// 0 to 1.
    pub face_match_confidence: Option<f64>,
}

/// Whether the typed and pre-registered data match the document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InputMatchCheck {
    /// Whether the comparison was made.
    pub performed: bool,
    /// `true` if every comparable item matched, `None` if none could be compared.
    pub matched: Option<bool>,
    /// Whether each item matched, by its name; never a value.
    pub fields: Option<BTreeMap<String, bool>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_review_prints_nothing_of_its_note() {
        let review = |note: Option<&str>| Review {
            reviewed_at: Timestamp::from_millis(0),
            note: note.map(str::to_owned),
        };
        let printed = format!("{:?} {:#?}", review(Some("canary")), review(Some("canary")));
        assert!(
            !printed.contains("canary") && printed.contains("[personal]"),
            "{printed}"
        );
        assert!(format!("{:?}", review(None)).contains("None"));
    }
}
