//! Reads one symbol whose ends are known: shape, rows, characters, correction, message.

use super::guards::Guard;
use super::message::message;
use super::quad::Quad;
use super::reed_solomon::correct;
use super::rows::{Edge, Indicator, Ladder, Shape};
use super::table::{CLUSTERS, MODULES, START, STOP};
use super::templates::{DEGRADATIONS, Degradation, Match, Modules, TYPICAL, Templates, likeness, normalise};
use crate::code::grey::Grey;
use crate::geometry::{Point, midpoint};
use lens::geometry::distance;

/// Samples a module.
const SAMPLES: usize = 4;
/// Modules sampled beyond either end, so that lines may be shifted.
const MARGIN: usize = 6;
/// Modules of the start pattern and the left indicator.
const BEFORE: usize = 2 * MODULES;
/// Modules of the right indicator and the stop pattern.
const BEHIND: usize = 2 * MODULES + 1;
/// The least share of a symbol's width that a guard has.
const LEAST_GUARD: f32 = 0.01;
/// Modules along which a symbol of unknown width is straightened. What lies behind is straightened as well: the corners are a parallelogram's.
const STRAIGHTENED: f32 = 100.0;
/// How far a width that was measured at the guards may be off: this share of it, and half a character.
const OFF_WIDTH: f32 = 0.1;
/// Fewest and most scan lines of a symbol that are searched for row indicators.
const LINES: std::ops::RangeInclusive<usize> = 12..=160;
/// Shares of a row's height over which its characters are read, in turns until the correction agrees.
const SHARES: [f32; 3] = [0.5, 0.2, 0.8];
/// Correction codewords that stay in reserve and confirm a result (docs/decisions/0009-pdf417-by-likeness.md).
const RESERVE: usize = 2;
/// Shifts at which a row indicator is looked for, in samples.
const INDICATOR_SHIFTS: [isize; 3] = [0, -2, 2];

/// Where the rows of a symbol lie.
#[derive(Clone, Copy)]
struct Rows {
    shape: Shape,
    /// At the left indicators.
    left: Ladder,
    /// At the right indicators.
    right: Ladder,
}

/// One scan line of the straightened symbol, [`SAMPLES`] a module.
struct Strip {
    levels: Vec<f32>,
}

impl Strip {
    /// The modules from `module` on, moved by `shift` samples, normalised.
    fn modules(&self, module: usize, shift: isize) -> Modules {
        let from = ((module + MARGIN) * SAMPLES).checked_add_signed(shift).unwrap_or(0);
        let mut modules: Modules = std::array::from_fn(|i| {
            let at = from + i * SAMPLES;
            self.levels
                .get(at..at + SAMPLES)
                .map_or(0.0, |levels| levels.iter().sum())
        });
        normalise(&mut modules);
        modules
    }
}

/// A symbol between its guards. Its width in modules is known when its columns are.
#[derive(Clone, Copy)]
pub(crate) struct Symbol<'a> {
    grey: &'a Grey,
    quad: Quad,
    width: f32,
    /// Whether it has a right indicator: the compact form has none.
    right: bool,
    /// Scan lines worth reading: as many as it has pixels.
    lines: usize,
}

impl<'a> Symbol<'a> {
    /// The symbol between a start and a stop pattern.
    pub(crate) fn between(grey: &'a Grey, start: &Guard, stop: &Guard) -> Option<Self> {
        let [a, d] = start.outer;
        let [b, c] = stop.outer;
        let quad = Quad::new([a, b, c, d])?;
        let middle = |[top, bottom]: [Point; 2]| midpoint(top, bottom);
        let first = quad.along(middle(start.inner), 0.5);
        let last = 1.0 - quad.along(middle(stop.inner), 0.5);
        if first < LEAST_GUARD || last < LEAST_GUARD {
            return None;
        }
        let width = (MODULES as f32 / first + (MODULES + 1) as f32 / last) / 2.0;
        Some(Self {
            grey,
            quad,
            width,
            right: true,
            lines: lines(&[start.outer, stop.outer]),
        })
    }

    /// A symbol of which only the start pattern is known, or whose compact form has no stop pattern: rows are taken to stand
    /// at right angles to the bars.
    pub(crate) fn behind(grey: &'a Grey, start: &Guard) -> Option<Self> {
        let [top, bottom] = start.outer;
        let (dx, dy) = (bottom[0] - top[0], bottom[1] - top[1]);
        let length = dx.hypot(dy).max(1.0);
        // The scan line crossed the bars at an angle; a module is measured across them.
        let inner = start.inner[0];
        let across = ((inner[0] - top[0]) * dy - (inner[1] - top[1]) * dx).abs() / length;
        let module = across / MODULES as f32;
        let width = STRAIGHTENED;
        let (x, y) = (dy / length * module * width, -dx / length * module * width);
        let quad = Quad::new([top, [top[0] + x, top[1] + y], [bottom[0] + x, bottom[1] + y], bottom])?;
        Some(Self {
            grey,
            quad,
            width,
            right: false,
            lines: lines(&[start.outer]),
        })
    }

    /// The mean of scan lines whose heights at the left and right end are given.
    fn strip(&self, heights: &[(f32, f32)], modules: usize) -> Strip {
        let count = (modules + 2 * MARGIN) * SAMPLES;
        let scale = 1.0 / (SAMPLES as f32 * self.width);
        let levels = (0..count)
            .map(|i| {
                let along = (i as f32 + 0.5 - (MARGIN * SAMPLES) as f32) * scale;
                let sum: f32 = heights
                    .iter()
                    .map(|(left, right)| {
                        let [x, y] = self.quad.place(along, left + (right - left) * along);
                        self.grey.sample(x, y)
                    })
                    .sum();
                sum
            })
            .collect();
        Strip { levels }
    }

    /// The degradation that makes the start patterns most like themselves; `None` where nothing does.
    fn degradation(&self) -> Option<Degradation> {
        let heights: Vec<(f32, f32)> = (1..10).map(|i| i as f32 / 10.0).map(|v| (v, v)).collect();
        let seen = self.strip(&heights, MODULES).modules(0, 0);
        let alike = |tried: &Degradation| likeness(&seen, &tried.shown(|i| is_dark(&START, i)));
        let best = DEGRADATIONS.iter().max_by(|a, b| alike(a).total_cmp(&alike(b)));
        best.copied().filter(|tried| alike(tried) > ALIKE)
    }

    fn indicators(&self, templates: &Templates) -> Vec<Indicator> {
        let mut found = Vec::new();
        let right = self.width.round() as usize;
        for line in 0..self.lines {
            let height = (line as f32 + 0.5) / self.lines as f32;
            let strip = self.strip(&[(height, height)], right.max(BEFORE));
            found.extend(indicator(templates, &strip, MODULES, height, Edge::Left));
            // Guards that were misjudged may be too near to each other for one.
            if self.right
                && let Some(module) = right.checked_sub(BEHIND)
            {
                found.extend(indicator(templates, &strip, module, height, Edge::Right));
            }
        }
        found
    }

    /// The bytes of the symbol's message.
    pub(crate) fn read(mut self) -> Option<Vec<u8>> {
        let templates = Templates::new(self.degradation()?);
        let indicators = self.indicators(&templates);
        let shape = Shape::of(&indicators)?;
        let whole = MODULES * shape.columns + BEFORE + if self.right { BEHIND } else { 1 };
        if self.right {
            // Measured at the guards, the width is off by a few modules at most.
            if (whole as f32 - self.width).abs() > OFF_WIDTH * self.width + MODULES as f32 / 2.0 {
                return None;
            }
            self.width = whole as f32;
        }
        let left = Ladder::of(&indicators, Edge::Left, shape);
        let right = Ladder::of(&indicators, Edge::Right, shape);
        let even = Ladder::even(shape.rows);
        let rows = Rows {
            shape,
            left: left.or(right).unwrap_or(even),
            right: right.or(left).unwrap_or(even),
        };
        let mut best = vec![Match::default(); shape.rows * shape.columns];
        for share in SHARES {
            for row in 0..shape.rows {
                let found = self.row(&templates, rows, row, share);
                for (known, new) in best[row * shape.columns..].iter_mut().zip(found) {
                    if new.margin > known.margin {
                        *known = new;
                    }
                }
            }
            if let Some(message) = corrected(&best, shape) {
                return Some(message);
            }
        }
        None
    }

    /// The characters of a row, read over the inner `share` of its height.
    fn row(&self, templates: &Templates, rows: Rows, row: usize, share: f32) -> Vec<Match> {
        let Rows { shape, left, right } = rows;
        let heights: Vec<(f32, f32)> = [-0.5, -0.25, 0.0, 0.25, 0.5]
            .map(|off| row as f32 + off * share)
            .map(|row| (left.middle(row), right.middle(row)))
            .to_vec();
        let modules = MODULES * shape.columns + BEFORE + if self.right { BEHIND } else { 1 };
        let strip = self.strip(&heights, modules);
        let cluster = row % CLUSTERS;
        let known = |codeword: usize| templates.one(cluster, codeword);
        let mut path = Path::default();
        path.step(&strip, 0, |modules| fixed(modules, &start()));
        path.step(&strip, MODULES, |modules| {
            fixed(modules, &known(shape.indicator(row, Edge::Left)))
        });
        for column in 0..shape.columns {
            path.step(&strip, BEFORE + column * MODULES, |modules| {
                templates.best(cluster, modules)
            });
        }
        if self.right {
            let at = BEFORE + shape.columns * MODULES;
            path.step(&strip, at, |modules| {
                fixed(modules, &known(shape.indicator(row, Edge::Right)))
            });
            path.step(&strip, at + MODULES, |modules| fixed(modules, &stop()));
        }
        let found = path.end();
        found[2..2 + shape.columns].to_vec()
    }
}

/// Scan lines for guards of this height.
fn lines(guards: &[[Point; 2]]) -> usize {
    let height = |[top, bottom]: &[Point; 2]| distance(*top, *bottom);
    let pixels = guards.iter().map(height).fold(0.0, f32::max);
    (pixels as usize).clamp(*LINES.start(), *LINES.end())
}

fn is_dark(bars: &[u8], module: usize) -> bool {
    let mut end = 0;
    let run = bars.iter().position(|width| {
        end += usize::from(*width);
        module < end
    });
    run.is_some_and(|run| run.is_multiple_of(2))
}

fn start() -> Modules {
    TYPICAL.shown(|i| is_dark(&START, i))
}

fn stop() -> Modules {
    TYPICAL.shown(|i| is_dark(&STOP, i))
}

fn fixed(modules: &Modules, wanted: &Modules) -> Match {
    Match {
        codeword: 0,
        likeness: likeness(modules, wanted),
        margin: 1.0,
    }
}

/// Similarity below which a pattern was misidentified.
const ALIKE: f32 = 0.8;

/// The row indicator that a line shows near `module`, in whichever cluster.
fn indicator(templates: &Templates, strip: &Strip, module: usize, height: f32, edge: Edge) -> Option<Indicator> {
    let mut best: Option<(usize, Match)> = None;
    for shift in INDICATOR_SHIFTS {
        let modules = strip.modules(module, shift);
        for cluster in 0..CLUSTERS {
            let found = templates.best(cluster, &modules);
            if best.is_none_or(|(_, best)| found.likeness > best.likeness) {
                best = Some((cluster, found));
            }
        }
    }
    let (cluster, found) = best.filter(|(_, found)| found.likeness > ALIKE)?;
    let codeword = found.codeword;
    Some(Indicator {
        edge,
        height,
        cluster,
        codeword,
        weight: found.likeness * found.likeness,
    })
}

/// Greatest shift of a character from where it is expected, in samples.
const REACH: isize = 14;
const SHIFTS: usize = 2 * REACH as usize + 1;
/// What a sample of shift between neighbours costs in likeness, and how many there may be.
const BEND: f32 = 0.02;
const MAX_BEND: usize = 2;

/// The way through a row along which characters are most alike: paper bends, lenses bend it more, so each character may be
/// shifted a little further than the one before.
#[derive(Default)]
struct Path {
    scores: Vec<f32>,
    steps: Vec<Vec<(Match, usize)>>,
}

impl Path {
    fn step(&mut self, strip: &Strip, module: usize, read: impl Fn(&Modules) -> Match) {
        let before = std::mem::take(&mut self.scores);
        let mut step = Vec::with_capacity(SHIFTS);
        for shift in 0..SHIFTS {
            let (from, score) = if before.is_empty() {
                // The start pattern's place was measured.
                (shift, -BEND * shift.abs_diff(REACH as usize) as f32)
            } else {
                let near = shift.saturating_sub(MAX_BEND)..(shift + MAX_BEND + 1).min(SHIFTS);
                near.map(|from| (from, before[from] - BEND * from.abs_diff(shift) as f32))
                    .fold((shift, f32::MIN), |best, new| if new.1 > best.1 { new } else { best })
            };
            let found = read(&strip.modules(module, shift as isize - REACH));
            self.scores.push(score + found.likeness);
            step.push((found, from));
        }
        self.steps.push(step);
    }

    /// The characters along the best way.
    fn end(self) -> Vec<Match> {
        let best = self.scores.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
        let mut shift = best.map_or(0, |(shift, _)| shift);
        let mut found: Vec<Match> = Vec::with_capacity(self.steps.len());
        for step in self.steps.iter().rev() {
            let (character, from) = step[shift];
            found.push(character);
            shift = from;
        }
        found.reverse();
        found
    }
}

/// Decodes a message from characters that may be wrong; the least certain ones are treated as unknown, more of them each time.
fn corrected(found: &[Match], shape: Shape) -> Option<Vec<u8>> {
    let codewords: Vec<u32> = found.iter().map(|m| m.codeword as u32).collect();
    let mut doubtful: Vec<usize> = (0..found.len()).collect();
    doubtful.sort_by(|a, b| found[*a].margin.total_cmp(&found[*b].margin));
    [0, 2, 4, 6, 8].into_iter().find_map(|eighths| {
        let mut attempt = codewords.clone();
        let unknown = shape.correction.saturating_sub(RESERVE) * eighths / 8;
        correct(&mut attempt, shape.correction, doubtful.get(..unknown)?)?;
        message(&attempt, shape.correction)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raster::Raster;

    #[test]
    fn guards_that_are_too_near_to_each_other_have_no_indicators() {
        let grey = Grey::of(&Raster::filled(40, 20, [255; 3]));
        let symbol = Symbol {
            grey: &grey,
            quad: Quad::new([[0.0, 0.0], [40.0, 0.0], [40.0, 20.0], [0.0, 20.0]]).unwrap(),
            width: 20.0,
            right: true,
            lines: 3,
        };
        assert!(symbol.indicators(&Templates::new(TYPICAL)).is_empty());
    }
}
