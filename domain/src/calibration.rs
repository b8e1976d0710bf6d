//! What a network's distances mean: the confidence for each distance, and the error rates at each threshold, fitted to pairs with
//! a known answer.

use crate::share::Share;
use serde::{Deserialize, Serialize};

/// Confidence as a logistic function of a distance: 1 / (1 + exp(slope · (distance − middle))).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Logistic {
    /// The distance with confidence 0.5.
    pub middle: f64,
    /// How fast the confidence falls there, per unit of distance; above 0.
    pub slope: f64,
}

impl Logistic {
    /// Confidence at a distance, 0 to 1.
    #[must_use]
    pub fn at(self, distance: f64) -> f64 {
        1.0 / (1.0 + (self.slope * (distance - self.middle)).exp())
    }

    /// The distance with the same confidence under `other`.
    #[must_use]
    pub(crate) fn in_terms_of(self, other: Self, distance: f64) -> f64 {
        other.middle + self.slope / other.slope * (distance - self.middle)
    }

    /// Whether distances can be judged with it.
    #[must_use]
    pub fn is_sane(self) -> bool {
        self.middle.is_finite() && self.slope.is_finite() && self.slope > 0.0
    }

    /// Fits the function to pairs of the same person and of different people, each kind with half the weight. The targets are those
    /// of Platt (1999), so that pairs that do not overlap give a finite slope. `None` without pairs of both kinds, or if distances
    /// of the same person are not the smaller ones.
    #[must_use]
    pub fn fitted(same: &[f64], different: &[f64]) -> Option<Self> {
        let (n, m) = (same.len() as f64, different.len() as f64);
        if same.is_empty() || different.is_empty() || same.iter().chain(different).any(|d| !d.is_finite()) {
            return None;
        }
        let pairs = || {
            let matching = same.iter().map(|d| (*d, (n + 1.0) / (n + 2.0), 1.0 / n));
            matching.chain(different.iter().map(|d| (*d, 1.0 / (m + 2.0), 1.0 / m)))
        };
        // Around the common mean and in units of the common spread, the two parameters hardly depend on each other.
        let mean = pairs().map(|(d, _, weight)| d * weight).sum::<f64>() / 2.0;
        let spread = (pairs().map(|(d, _, weight)| (d - mean).powi(2) * weight).sum::<f64>() / 2.0).sqrt();
        if spread <= f64::EPSILON {
            return None;
        }
        let scaled: Vec<_> = pairs()
            .map(|(d, target, weight)| ((d - mean) / spread, target, weight))
            .collect();
        let [offset, slope] = newton(&scaled);
        let fitted = Self {
            middle: mean - spread * offset / slope,
            slope: -slope / spread,
        };
        fitted.is_sane().then_some(fitted)
    }
}

/// Offset and slope of the logistic regression of (value, target, weight), by Newton's method with halved steps.
fn newton(pairs: &[(f64, f64, f64)]) -> [f64; 2] {
    let loss = |[a, b]: [f64; 2]| -> f64 {
        let one = |(x, target, weight): &(f64, f64, f64)| {
            let z = a + b * x;
            // log(1 + exp(z)) without overflow.
            weight * (z.max(0.0) + (-z.abs()).exp().ln_1p() - target * z)
        };
        pairs.iter().map(one).sum()
    };
    let mut at = [0.0, 0.0];
    for _ in 0..100 {
        let ([mut ga, mut gb], [mut haa, mut hab, mut hbb]) = ([0.0; 2], [1e-9, 0.0, 1e-9]);
        for (x, target, weight) in pairs {
            let p = 1.0 / (1.0 + (-(at[0] + at[1] * x)).exp());
            let (gradient, curvature) = (weight * (p - target), weight * p * (1.0 - p));
            ga += gradient;
            gb += gradient * x;
            haa += curvature;
            hab += curvature * x;
            hbb += curvature * x * x;
        }
        let determinant = haa * hbb - hab * hab;
        let step = [(hbb * ga - hab * gb) / determinant, (haa * gb - hab * ga) / determinant];
        let before = loss(at);
        let mut length = 1.0;
        let moved = |length: f64| [at[0] - length * step[0], at[1] - length * step[1]];
        while length > 1e-6 && loss(moved(length)) > before {
            length /= 2.0;
        }
        at = moved(length);
        if step.iter().all(|part| part.abs() * length < 1e-9) {
            break;
        }
    }
    at
}

/// Errors at a threshold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Operating {
    /// Pairs up to this distance match.
    pub distance: f64,
    /// False match rate: different pairs that match.
    pub fmr: Share,
    /// False non-match rate: pairs of the same person that do not.
    pub fnmr: Share,
}

/// The distances of labelled pairs, sorted.
#[derive(Clone, Debug)]
pub struct Errors {
    same: Vec<f64>,
    different: Vec<f64>,
}

impl Errors {
    /// The errors of these pairs.
    #[must_use]
    pub fn of(mut same: Vec<f64>, mut different: Vec<f64>) -> Self {
        same.sort_by(f64::total_cmp);
        different.sort_by(f64::total_cmp);
        Self { same, different }
    }

    /// Pairs of the same person, the smallest distance first.
    #[must_use]
    pub fn same(&self) -> &[f64] {
        &self.same
    }

    /// Pairs of different people, the smallest distance first.
    #[must_use]
    pub fn different(&self) -> &[f64] {
        &self.different
    }

    /// The errors if pairs up to this distance match.
    #[must_use]
    pub fn at(&self, distance: f64) -> Operating {
        let up_to = |pairs: &[f64]| pairs.partition_point(|d| *d <= distance);
        Operating {
            distance,
            fmr: Share::of(up_to(&self.different), self.different.len()),
            fnmr: Share::of(self.same.len() - up_to(&self.same), self.same.len()),
        }
    }

    /// The greatest threshold whose false match rate is at most this; `None` if there are too few pairs to see such a rate.
    #[must_use]
    pub fn at_fmr(&self, fmr: f64) -> Option<Operating> {
        let matching = (fmr * self.different.len() as f64).floor() as usize;
        let next = *self.different.get(matching).filter(|_| matching > 0)?;
        // The greatest distance of any pair below the first that may not match.
        let below = |pairs: &[f64]| pairs[..pairs.partition_point(|d| *d < next)].last().copied();
        let distance = below(&self.same)
            .into_iter()
            .chain(below(&self.different))
            .reduce(f64::max)?;
        Some(self.at(distance))
    }

    /// The threshold at which both rates are most nearly equal, and their mean there: the equal error rate.
    #[must_use]
    pub fn equal(&self) -> Option<(f64, f64)> {
        let rates = |distance: f64| {
            let rate = |pairs: &[f64]| pairs.partition_point(|d| *d <= distance) as f64 / pairs.len().max(1) as f64;
            (1.0 - rate(&self.same), rate(&self.different))
        };
        let distances = self.same.iter().chain(&self.different).copied();
        let apart = |distance: &f64| {
            let (miss, pass) = rates(*distance);
            (miss - pass).abs()
        };
        let distance = distances.min_by(|a, b| apart(a).total_cmp(&apart(b)))?;
        let (miss, pass) = rates(distance);
        Some((distance, f64::midpoint(miss, pass)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn pairs_drawn_from_a_logistic_give_it_back() {
        let truth = Logistic {
            middle: 0.55,
            slope: 25.0,
        };
        // At each distance, of a thousand pairs as many are of the same person as the confidence says.
        let (mut same, mut different) = (Vec::new(), Vec::new());
        for step in 0..=110 {
            let distance = f64::from(step) / 100.0;
            let matching = (truth.at(distance) * 1_000.0).round() as usize;
            same.extend(std::iter::repeat_n(distance, matching));
            different.extend(std::iter::repeat_n(distance, 1_000 - matching));
        }
        let fitted = Logistic::fitted(&same, &different).unwrap();
        assert!((fitted.middle - truth.middle).abs() < 1e-3, "{fitted:?}");
        assert!((fitted.slope / truth.slope - 1.0).abs() < 0.01, "{fitted:?}");
    }

    #[test]
    fn pairs_that_do_not_overlap_still_give_a_finite_slope_and_what_is_no_distance_gives_none() {
        let fitted = Logistic::fitted(&[0.1, 0.2, 0.3], &[0.8, 0.9]).unwrap();
        assert!(fitted.slope < 1e3 && (0.3..0.8).contains(&fitted.middle), "{fitted:?}");
        for (same, different) in [
            (vec![], vec![0.5]),
            (vec![0.5], vec![]),
            (vec![0.5], vec![0.5]),
            (vec![0.9, 0.8], vec![0.1, 0.2]),
            (vec![f64::NAN], vec![0.5]),
        ] {
            assert_eq!(Logistic::fitted(&same, &different), None, "{same:?} {different:?}");
        }
    }

    #[test]
    fn a_rate_that_the_pairs_cannot_show_has_no_threshold() {
        let errors = Errors::of(
            vec![0.1, 0.2, 0.6],
            (0..1_000).map(|i| 0.4 + f64::from(i) / 1_000.0).collect(),
        );
        let at = errors.at_fmr(0.001).unwrap();
        assert_eq!((at.distance, at.fmr.hits, at.fnmr.hits), (0.4, 1, 1));
        assert_eq!(errors.at_fmr(0.0001), None);
    }

    proptest! {
        #[test]
        fn a_distance_has_the_same_confidence_in_terms_of_another_function(
            middle in 0.1..2.0_f64, slope in 1.0..60.0_f64, distance in 0.0..2.0_f64,
        ) {
            let (own, other) = (Logistic { middle, slope }, Logistic { middle: 0.6045, slope: 30.0 });
            let there = own.in_terms_of(other, distance);
            prop_assert!((own.at(distance) - other.at(there)).abs() < 1e-9);
        }

        #[test]
        fn more_matches_mean_more_false_ones_and_fewer_missed_ones(
            same in prop::collection::vec(0.0..1.0_f64, 1..40), different in prop::collection::vec(0.3..1.5_f64, 1..60),
            near in 0.0..0.7_f64, further in 0.0..0.7_f64,
        ) {
            let errors = Errors::of(same, different);
            let (low, high) = (errors.at(near), errors.at(near + further));
            prop_assert!(low.fmr.hits <= high.fmr.hits && low.fnmr.hits >= high.fnmr.hits);
        }
    }
}
