//! The decision record as tenants see it: `outcome` of GET and `data` of decision events. Contains no personal data except the
//! note.

use crate::{
    document::DocumentType,
    ids::{SessionId, TenantId},
    named::{Named, vocabulary},
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
        /// Nothing suspicious was found, and there is evidence that it is genuine.
        Authentic = "authentic",
        /// Something suspicious was found.
        Suspicious = "suspicious",
        /// Could not be judged free of suspicion. Never grounds for approval.
        Unknown = "unknown",
    }
}

/// Which session of which tenant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SessionRef {
    /// The session.
    #[cfg_attr(feature = "schema", schema(value_type = String, pattern = "^vs_[0-9a-f]{32}$"))]
    pub session_id: SessionId,
    /// Its owner.
    #[cfg_attr(feature = "schema", schema(value_type = String, pattern = "^tn_[0-9a-f]{32}$"))]
    pub tenant_id: TenantId,
}

/// The decision: `outcome` of GET, `data` of `verification.approved`, `.rejected` and `.needs_review`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Outcome {
    /// Which session.
    pub session: SessionRef,
    /// The decision.
    pub verdict: Verdict,
    /// When the decision was made.
    #[cfg_attr(feature = "schema", schema(value_type = String, format = DateTime))]
    pub decided_at: Timestamp,
    /// Who decided.
    pub source: Source,
    /// Filled only when `source` is `manual_review`.
    #[cfg_attr(feature = "schema", schema(required))]
    pub review: Option<Review>,
    /// What was checked.
    pub checks: Checks,
    /// Reason codes, most serious first; ignore those you do not know.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<Reason>))]
    pub reasons: Vec<Named<Reason>>,
}

/// Filled only when `source` is `manual_review`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Review {
    /// When the decision was made.
    #[cfg_attr(feature = "schema", schema(value_type = String, format = DateTime))]
    pub reviewed_at: Timestamp,
    /// Free text; may contain personal data. Null after erasure.
    // Stored encrypted, apart from the rest.
    #[cfg_attr(feature = "schema", schema(required))]
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

/// Summary of the checks, without personal data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Checks {
    /// Null when the plan has no such step.
    #[cfg_attr(feature = "schema", schema(required))]
    pub document: Option<DocumentCheck>,
    /// Null when the plan has no such step.
    #[cfg_attr(feature = "schema", schema(required))]
    pub selfie: Option<SelfieCheck>,
    /// Null when nothing was compared.
    #[cfg_attr(feature = "schema", schema(required))]
    pub input_match: Option<InputMatchCheck>,
}

/// What the document showed. Null when the plan has no such step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct DocumentCheck {
    /// Whether there was something to check.
    pub performed: bool,
    /// Chosen by the user, never detected.
    #[cfg_attr(feature = "schema", schema(required))]
    pub document_type: Option<DocumentType>,
    /// Null means not assessed. `unknown` does not allow approval.
    #[cfg_attr(feature = "schema", schema(required))]
    pub authenticity: Option<Authenticity>,
}

/// What the selfie showed. Null when the plan has no such step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SelfieCheck {
    /// Whether there was something to check.
    pub performed: bool,
    /// 0 to 1.
    #[cfg_attr(feature = "schema", schema(required, minimum = 0, maximum = 1))]
    pub liveness_confidence: Option<f64>,
    /// 0 to 1.
    #[cfg_attr(feature = "schema", schema(required, minimum = 0, maximum = 1))]
    pub face_match_confidence: Option<f64>,
}

/// Whether the typed and pre-registered data match the document. Null when nothing was compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct InputMatchCheck {
    /// Whether the comparison was made.
    pub performed: bool,
    /// True when every comparable item matched, null when none could be compared.
    #[cfg_attr(feature = "schema", schema(required))]
    pub matched: Option<bool>,
    /// Whether each item matched, by its name; never a value.
    #[cfg_attr(feature = "schema", schema(required))]
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
