//! The thresholds and switches of a tenant, stored with each decision so that it can be recomputed.

use super::Accepted;
use crate::quality::{QualityLimits, SelfieLimits};
use serde::{Deserialize, Serialize};

/// Thresholds on confidences from 0 to 1, and switches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Policy {
    /// Face match at or above: the same person.
    pub match_accept: f64,
    /// Face match below: another person; in between, a person reviews.
    pub match_review: f64,
    /// Liveness at or above: alive.
    pub liveness_accept: f64,
    /// Liveness below: an attack; in between, a person reviews.
    pub liveness_review: f64,
    /// Whether a statistical fraud signal alone rejects.
    pub reject_on_fraud_signals: bool,
    /// Whether specimens and documents of the fictional state `UTO` (ICAO 9303-3 section 5) count as genuine: for
    /// demonstrations and tests only.
    pub accept_specimens: bool,
    /// The evidence required for automatic approval.
    pub accepted: Accepted,
    /// Whether the face is searched for among approved people. Requires a separate consent.
    pub find_duplicates: bool,
    /// Face match confidence from which two faces count as the same person.
    pub duplicate_from: f64,
    /// Share of otherwise approved sessions that go to review for quality control, 0 to 1.
    pub sampled: f64,
}

impl Default for Policy {
    /// Face limits: distances 0.552 and 0.6045 of the logistic in [`super::match_confidence`].
    fn default() -> Self {
        Self {
            match_accept: 0.83,
            match_review: 0.50,
            liveness_accept: 0.60,
            liveness_review: 0.20,
            reject_on_fraud_signals: false,
            accept_specimens: false,
            accepted: Accepted::MachineReadable,
            find_duplicates: false,
            duplicate_from: 0.99,
            sampled: 0.0,
        }
    }
}

/// What is wrong with a threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ThresholdFault {
    /// Below the least value that is allowed, or no number.
    Below(f64),
    /// Above the greatest value.
    Above(f64),
    /// The review threshold is above the acceptance threshold, which this is.
    AboveAcceptance(f64),
}

impl Policy {
    /// Below this, another face than the portrait's could pass by chance, so no tenant may go lower.
    pub const LEAST_MATCH_ACCEPT: f64 = 0.50;

    /// Below this, liveness could be accepted although one of its signs speaks against it. The confidence is 0.85 times one factor
    /// for each sign, and a factor is 0.5 at the limit of its sign: a face as flat as a picture, or one that is another person's
    /// at the end of the burst, has at most 0.425.
    pub const LEAST_LIVENESS_ACCEPT: f64 = 0.43;

    /// Below this, one face in a few thousand matches by chance, and each face is compared with all.
    pub const LEAST_DUPLICATE: f64 = 0.83;

    /// Limits of image quality; the same for every tenant, since the phone uses them too.
    #[must_use]
    pub fn quality(&self) -> QualityLimits {
        QualityLimits::default()
    }

    /// Limits of the signs on selfies; the same for every tenant, since the phone uses them too.
    #[must_use]
    pub fn selfie(&self) -> SelfieLimits {
        SelfieLimits::default()
    }

    /// Whether the thresholds are ordered and within their bounds.
    #[must_use]
    pub fn is_sane(&self) -> bool {
        self.faults().is_empty()
    }

    /// The thresholds that are out of bounds, by name.
    #[must_use]
    pub fn faults(&self) -> Vec<(&'static str, ThresholdFault)> {
        let within = |value: f64, least: f64| {
            if value > 1.0 {
                Some(ThresholdFault::Above(1.0))
            } else if value >= least {
                None
            } else {
                Some(ThresholdFault::Below(least))
            }
        };
        let review = |review: f64, accept: f64| {
            within(review, 0.0).or_else(|| (review > accept).then_some(ThresholdFault::AboveAcceptance(accept)))
        };
        let all = [
            ("match_accept", within(self.match_accept, Self::LEAST_MATCH_ACCEPT)),
            ("match_review", review(self.match_review, self.match_accept)),
            (
                "liveness_accept",
                within(self.liveness_accept, Self::LEAST_LIVENESS_ACCEPT),
            ),
            ("liveness_review", review(self.liveness_review, self.liveness_accept)),
            ("sampled", within(self.sampled, 0.0)),
            ("duplicate_from", within(self.duplicate_from, Self::LEAST_DUPLICATE)),
        ];
        all.into_iter()
            .filter_map(|(name, fault)| Some((name, fault?)))
            .collect()
    }
}
