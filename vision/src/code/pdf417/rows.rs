//! Where each row of a symbol lies, according to the row indicators, the characters beside the guards.

use super::regression::least_squares;
use super::table::CLUSTERS;

/// Values that an indicator has in each cluster (ISO/IEC 15438, 5.11.3.1).
const VALUES: usize = 30;
/// Rows of a symbol (ISO/IEC 15438).
const ROWS: std::ops::RangeInclusive<usize> = 3..=90;
/// Characters of a symbol, all columns together (ISO/IEC 15438).
const MOST_CODEWORDS: usize = 928;

/// About how many of the indicators are tried in pairs.
const TRIED: usize = 50;
/// The height of a row, as a multiple of what it has if all are equally high.
const ROW_HEIGHT: std::ops::Range<f32> = 0.5..2.0;
/// How many heights of a row an indicator may stand off the middle of its row.
const OFF_ROW: f32 = 0.75;
/// Indicators that must agree.
const FEWEST: usize = 3;

/// The side of a symbol at which a row indicator stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edge {
    Left,
    Right,
}

impl Edge {
    /// By how many clusters what its indicators tell is shifted.
    const fn shift(self) -> usize {
        match self {
            Self::Left => 0,
            Self::Right => 2,
        }
    }
}

/// A row indicator as read on one scan line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Indicator {
    /// Where it stands.
    pub(crate) edge: Edge,
    /// Height in the symbol, 0 at the top and 1 at the bottom, as far as the guards tell.
    pub(crate) height: f32,
    pub(crate) cluster: usize,
    pub(crate) codeword: usize,
    /// How sure the reading is.
    pub(crate) weight: f32,
}

impl Indicator {
    fn row(&self) -> usize {
        self.codeword / VALUES * CLUSTERS + self.cluster
    }
}

/// What the row indicators say of the whole symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// Correction codewords.
    pub(crate) correction: usize,
}

impl Shape {
    /// The likeliest shape (ISO/IEC 15438, 5.11.3.1). Left indicators tell in their three clusters: rows, level and rest of rows,
    /// columns; right ones the same, shifted by a cluster.
    pub(crate) fn of(indicators: &[Indicator]) -> Option<Self> {
        let mut votes = [[0.0_f32; VALUES]; CLUSTERS];
        for indicator in indicators {
            let kind = (indicator.cluster + indicator.edge.shift()) % CLUSTERS;
            votes[kind][indicator.codeword % VALUES] += indicator.weight;
        }
        let [rows, level, columns] = votes.map(|votes| {
            let best = votes.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
            best.filter(|(_, votes)| **votes > 0.0).map(|(value, _)| value)
        });
        let (rows, level) = (rows? * 3 + level? % 3 + 1, level? / 3);
        let shape = Self {
            rows,
            columns: columns? + 1,
            correction: 2 << level,
        };
        shape.is_possible().then_some(shape)
    }

    fn is_possible(&self) -> bool {
        let codewords = self.rows * self.columns;
        ROWS.contains(&self.rows) && codewords <= MOST_CODEWORDS && codewords > self.correction
    }

    /// The codeword that stands in an indicator of a row.
    pub(crate) const fn indicator(&self, row: usize, edge: Edge) -> usize {
        let kind = (row + edge.shift()) % CLUSTERS;
        let value = match kind {
            0 => (self.rows - 1) / 3,
            1 => self.correction.ilog2() as usize * 3 - 3 + (self.rows - 1) % 3,
            _ => self.columns - 1,
        };
        row / CLUSTERS * VALUES + value
    }
}

/// A straight map from rows to heights.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ladder {
    first: f32,
    step: f32,
}

impl Ladder {
    /// The height of a row's middle.
    pub(crate) fn middle(&self, row: f32) -> f32 {
        self.first + self.step * row
    }

    /// Rows of equal height between the guards' ends.
    pub(crate) fn even(rows: usize) -> Self {
        let step = 1.0 / rows as f32;
        Self {
            first: step / 2.0,
            step,
        }
    }

    /// The map that most of one side's indicators agree with: tried on pairs of them, then fitted to all that agree.
    pub(crate) fn of(indicators: &[Indicator], edge: Edge, shape: Shape) -> Option<Self> {
        let points: Vec<(f32, f32, f32)> = indicators
            .iter()
            .filter(|i| i.edge == edge && i.row() < shape.rows)
            .filter(|i| i.codeword == shape.indicator(i.row(), edge))
            .map(|i| (i.row() as f32, i.height, i.weight))
            .collect();
        let likely = 1.0 / shape.rows as f32;
        let mut best: Option<(f32, Self)> = None;
        let stride = (points.len() / TRIED).max(1);
        for (i, a) in points.iter().enumerate().step_by(stride) {
            for b in points[i + 1..].iter().step_by(stride) {
                let step = (b.1 - a.1) / (b.0 - a.0);
                let is_one_row = (b.0 - a.0).abs() < 0.5;
                if is_one_row || !(likely * ROW_HEIGHT.start..likely * ROW_HEIGHT.end).contains(&step) {
                    continue;
                }
                let ladder = Self {
                    first: a.1 - step * a.0,
                    step,
                };
                let votes: f32 = points.iter().filter(|p| ladder.agrees(p)).map(|p| p.2).sum();
                if best.is_none_or(|(most, _)| votes > most) {
                    best = Some((votes, ladder));
                }
            }
        }
        let (_, ladder) = best?;
        let agreeing = points.iter().filter(|p| ladder.agrees(p));
        let agreeing: Vec<(f32, f32)> = agreeing.map(|p| (p.0, p.1)).collect();
        let fitted = least_squares(&agreeing).map(|(first, step)| Self { first, step });
        (agreeing.len() >= FEWEST).then(|| fitted.unwrap_or(ladder))
    }

    fn agrees(&self, point: &(f32, f32, f32)) -> bool {
        (point.1 - self.middle(point.0)).abs() < self.step * OFF_ROW
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape {
        rows: 20,
        columns: 9,
        correction: 64,
    };

    fn seen(shape: Shape, edge: Edge, row: usize, height: f32) -> Indicator {
        Indicator {
            edge,
            height,
            cluster: row % CLUSTERS,
            codeword: shape.indicator(row, edge),
            weight: 1.0,
        }
    }

    #[test]
    fn indicators_of_either_side_tell_the_shape() {
        for edge in [Edge::Left, Edge::Right] {
            let indicators: Vec<Indicator> = (0..20).map(|row| seen(SHAPE, edge, row, 0.0)).collect();
            assert_eq!(Shape::of(&indicators), Some(SHAPE));
        }
        assert_eq!(Shape::of(&[]), None);
    }

    #[test]
    fn rows_are_found_among_wrong_readings_where_the_ends_were_misjudged() {
        let mut indicators: Vec<Indicator> = (0..20)
            .map(|row| seen(SHAPE, Edge::Left, row, 0.1 + row as f32 * 0.04))
            .collect();
        for row in 0..8 {
            indicators.push(seen(SHAPE, Edge::Left, (row * 7) % 20, row as f32 * 0.11));
        }
        let ladder = Ladder::of(&indicators, Edge::Left, SHAPE).unwrap();
        for row in [0.0, 10.0, 19.0] {
            assert!((ladder.middle(row) - (0.1 + row * 0.04)).abs() < 0.01);
        }
        assert!(Ladder::of(&indicators, Edge::Right, SHAPE).is_none());
    }
}
