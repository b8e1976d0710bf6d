//! Measured shares with their 95 % Clopper-Pearson intervals (1934), which are exact, so that "none of 300" is reported with its true uncertainty.

use serde::Serialize;

/// A share of a count, and where the true share lies with 95 % confidence.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Share {
    /// How many have what is counted.
    pub hits: usize,
    /// Of how many.
    pub of: usize,
    /// Lower end of the interval, 0 to 1.
    pub low: f64,
    /// Upper end of the interval, 0 to 1.
    pub high: f64,
}

impl Share {
    /// `hits` out of `of`.
    #[must_use]
    pub fn of(hits: usize, of: usize) -> Self {
        // P(X >= hits) grows with the share and P(X <= hits) falls: where each is 2.5 % are the ends.
        let low = if hits == 0 {
            0.0
        } else {
            crossing(|share| tail(hits, of, share) >= 0.025)
        };
        let high = if hits == of {
            1.0
        } else {
            crossing(|share| 1.0 - tail(hits + 1, of, share) <= 0.025)
        };
        Self { hits, of, low, high }
    }

    /// `97.1 % (95.0–98.4)  340/350`
    #[must_use]
    pub fn text(self) -> String {
        if self.of == 0 {
            return "-".to_owned();
        }
        let percent = 100.0 * self.hits as f64 / self.of as f64;
        format!(
            "{percent:.1} % ({:.1}–{:.1}) {}/{}",
            self.low * 100.0,
            self.high * 100.0,
            self.hits,
            self.of
        )
    }
}

/// The least share for which this holds.
fn crossing(holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..50 {
        let middle = f64::midpoint(low, high);
        if holds(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

/// P(X >= hits) of the binomial distribution.
fn tail(hits: usize, of: usize, share: f64) -> f64 {
    if share <= 0.0 {
        return f64::from(u8::from(hits == 0));
    }
    if share >= 1.0 {
        return 1.0;
    }
    // The logarithm of the probability of no hit, then of one more at a time.
    let mut log = of as f64 * (1.0 - share).ln();
    let odds = (share / (1.0 - share)).ln();
    let mut sum = 0.0;
    for count in 0..=of {
        if count >= hits {
            sum += log.exp();
        }
        log += odds + ((of - count) as f64 / (count + 1) as f64).ln();
    }
    sum.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Table values of the exact method: 0 of 300 goes up to 1.2 %, 5 of 100 from 1.6 to 11.3 %.
    #[test]
    fn intervals_are_those_of_clopper_and_pearson() {
        let near = |value: f64, wanted: f64| (value - wanted).abs() < 5e-4;
        let none = Share::of(0, 300);
        assert!(none.low == 0.0 && near(none.high, 0.0122), "{none:?}");
        let five = Share::of(5, 100);
        assert!(near(five.low, 0.0164) && near(five.high, 0.1128), "{five:?}");
        let all = Share::of(20, 20);
        assert!(near(all.low, 0.8316) && all.high == 1.0, "{all:?}");
        assert_eq!(Share::of(0, 0).text(), "-");
    }
}
