//! The thresholds and switches of a tenant, stored with each decision so that it can be recomputed.

use super::Accepted;
use crate::{
    quality::{QualityLimits, SelfieLimits},
    setting::Setting,
};
use serde::{Deserialize, Serialize};
use std::fmt;

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
    /// Liveness below, by what was measured alone: an attack; in between, a person reviews.
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

impl fmt::Display for ThresholdFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Below(least) => write!(f, "must be at least {least:.2}"),
            Self::Above(most) => write!(f, "must be at most {most:.2}"),
            Self::AboveAcceptance(accept) => write!(f, "must not be above the acceptance threshold ({accept:.2})"),
        }
    }
}

impl Policy {
    /// Below this, another face than the portrait's could pass by chance, so no tenant may go lower.
    pub const LEAST_MATCH_ACCEPT: f64 = 0.50;

    /// Below this, liveness could be accepted although one of its signs speaks against it. The confidence is 0.85 times one factor
    /// for each sign, and a factor is 0.5 at the limit of its sign: a face as flat as a picture, or one that is another person's
    /// at the end of the burst, has at most 0.425.
    pub const LEAST_LIVENESS_ACCEPT: f64 = 0.43;

    /// Above this, a selfie would be rejected although each of its signs speaks for a living person: no confidence is above 0.85, and two signs a little
    /// on the right side of their limits, with factors of 0.84, leave 0.60.
    pub const MOST_LIVENESS_REVIEW: f64 = 0.60;

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

    /// The lowest value of a threshold or share.
    #[must_use]
    pub const fn least(threshold: Setting) -> f64 {
        match threshold {
            Setting::MatchAccept => Self::LEAST_MATCH_ACCEPT,
            Setting::LivenessAccept => Self::LEAST_LIVENESS_ACCEPT,
            Setting::DuplicateFrom => Self::LEAST_DUPLICATE,
            _ => 0.0,
        }
    }

    /// The highest value of a threshold or share.
    #[must_use]
    pub const fn most(threshold: Setting) -> f64 {
        match threshold {
            Setting::LivenessReview => Self::MOST_LIVENESS_REVIEW,
            _ => 1.0,
        }
    }

    /// The thresholds that are out of bounds.
    #[must_use]
    pub fn faults(&self) -> Vec<(Setting, ThresholdFault)> {
        let within = |threshold: Setting, value: f64| {
            let (least, most) = (Self::least(threshold), Self::most(threshold));
            if value > most {
                Some(ThresholdFault::Above(most))
            } else if value >= least {
                None
            } else {
                Some(ThresholdFault::Below(least))
            }
        };
        let values = [
            (Setting::MatchAccept, self.match_accept, None),
            (Setting::MatchReview, self.match_review, Some(self.match_accept)),
            (Setting::LivenessAccept, self.liveness_accept, None),
            (
                Setting::LivenessReview,
                self.liveness_review,
                Some(self.liveness_accept),
            ),
            (Setting::Sampled, self.sampled, None),
            (Setting::DuplicateFrom, self.duplicate_from, None),
        ];
        let fault = |(threshold, value, accept): (Setting, f64, Option<f64>)| {
            let above = accept
                .filter(|accept| value > *accept)
                .map(ThresholdFault::AboveAcceptance);
            Some((threshold, within(threshold, value).or(above)?))
        };
        values.into_iter().filter_map(fault).collect()
    }
}
