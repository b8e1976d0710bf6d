//! A page as the layout engine sees it: upright lines in one frame of reference, letter by letter.

use crate::fold;
use crate::text::Line;

/// A line that leans more than this from the page's direction, in radians, is a seal, a portrait or upright print.
const LEANING: f32 = 0.2;
/// Two lines stand in one row when their middles differ by less than this share of the higher one.
const SAME_ROW: f32 = 0.42;
/// A gap wider than this many heights between two letters separates columns.
const COLUMN_GAP: f32 = 1.3;

/// A letter, where it stands and how surely it was read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Glyph {
    pub(crate) symbol: char,
    /// Middle, in the page's upright frame.
    pub(crate) x: f32,
    pub(crate) y: f32,
    /// Height of its line.
    pub(crate) height: f32,
    /// Probability, 0 to 1.
    pub(crate) sure: f32,
    /// The line of the page that it belongs to.
    pub(crate) line: usize,
}

/// A line in the page's own directions: upright, whatever the picture's tilt.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) glyphs: Vec<Glyph>,
    pub(crate) left: f32,
    pub(crate) right: f32,
    pub(crate) y: f32,
    pub(crate) height: f32,
    /// How much lower a place one pixel to the right is.
    slope: f32,
}

/// All lines of a page, deskewed: in the direction of its rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeskewedPage {
    pub(crate) runs: Vec<Run>,
    /// Direction of the rows in the page's pixels, in radians.
    pub(crate) angle: f32,
}

impl DeskewedPage {
    /// The lines that lie in the page's direction, which is the median of them, weighed by length.
    pub(crate) fn new(lines: &[Line], legible: f32) -> Self {
        let mut angles: Vec<(f32, f32)> = lines
            .iter()
            .filter(|l| l.area.is_long())
            .map(|l| (l.area.angle, l.area.half_width))
            .collect();
        angles.sort_by(|a, b| a.0.total_cmp(&b.0));
        let half = angles.iter().map(|a| a.1).sum::<f32>() / 2.0;
        let mut passed = 0.0;
        let median = angles.iter().find(|(_, weight)| {
            passed += weight;
            passed >= half
        });
        let angle = median.map_or(0.0, |(angle, _)| *angle);
        let runs = lines
            .iter()
            .enumerate()
            .filter(|(_, line)| line.confidence >= legible && !line.symbols.is_empty())
            .filter(|(_, line)| !line.area.is_long() || (line.area.angle - angle).abs() < LEANING)
            .map(|(index, line)| Run::new(index, line, angle))
            .collect();
        let mut page = Self { runs, angle };
        page.join_single_letters();
        page.runs.sort_by(|a, b| a.y.total_cmp(&b.y));
        page
    }

    /// Whether two runs stand in one row.
    pub(crate) fn same_row(&self, a: &Run, b: &Run) -> bool {
        a.drop_to(b).abs() < SAME_ROW * a.height.max(b.height)
    }

    /// The runs of a row that begin to the right of a place, from left to right.
    pub(crate) fn right_of<'a>(&'a self, run: &'a Run, x: f32) -> Vec<&'a Run> {
        let mut found: Vec<&Run> = self
            .runs
            .iter()
            .filter(|other| {
                // The box of a small number before a line may reach into its first letter.
                let reach = run.height.max(other.height) * 0.6;
                !std::ptr::eq(*other, run) && other.left > x - reach && self.same_row(run, other)
            })
            .collect();
        found.sort_by(|a, b| a.left.total_cmp(&b.left));
        found
    }

    /// Labels of two kanji are printed wide apart and found as two lines: one letter joins what follows it in its row.
    fn join_single_letters(&mut self) {
        let mut index = 0;
        while index < self.runs.len() {
            let run = &self.runs[index];
            let follows = |other: &Run| {
                let gap = other.left - run.right;
                (-0.5 * run.height..run.height * 2.5).contains(&gap)
                    && other.glyphs.len() <= 2
                    && self.same_row(run, other)
            };
            let alone = run.glyphs.len() == 1 && !run.glyphs[0].symbol.is_ascii();
            let next = (0..self.runs.len()).filter(|&i| i != index && alone && follows(&self.runs[i]));
            if let Some(next) = next.min_by(|&a, &b| self.runs[a].left.total_cmp(&self.runs[b].left)) {
                let tail = self.runs.remove(next);
                let index = if next < index { index - 1 } else { index };
                let run = &mut self.runs[index];
                run.right = tail.right;
                run.glyphs.extend(tail.glyphs);
            } else {
                index += 1;
            }
        }
    }
}

impl Run {
    fn new(index: usize, line: &Line, angle: f32) -> Self {
        let (x, y) = line.area.in_frame_of(angle);
        let (left, width, height) = (
            x - line.area.half_width,
            line.area.half_width * 2.0,
            line.area.half_height * 2.0,
        );
        let slope = if line.area.is_long() {
            (line.area.angle - angle).tan()
        } else {
            0.0
        };
        let glyphs = line.symbols.iter().map(|symbol| {
            let at = left + width * symbol.at;
            Glyph {
                symbol: symbol.symbol,
                x: at,
                y: y + slope * (at - x),
                height,
                sure: symbol.probability,
                line: index,
            }
        });
        Self {
            glyphs: glyphs.collect(),
            left,
            right: left + width,
            y,
            height,
            slope,
        }
    }

    /// How far below this run another one stands, measured where the shorter one is along the longer one's slope.
    pub(crate) fn drop_to(&self, other: &Self) -> f32 {
        let middle = |run: &Self| f32::midpoint(run.left, run.right);
        let slope = if self.right - self.left > other.right - other.left {
            self.slope
        } else {
            other.slope
        };
        other.y - self.y - slope * (middle(other) - middle(self))
    }
}

/// Letters in the form they are compared in: folded, without spaces, each with the place it comes from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Folded {
    pub(crate) chars: Vec<char>,
    /// Index of the glyph that each comes from.
    pub(crate) from: Vec<usize>,
    /// Whether a space or a wide gap stands before it.
    pub(crate) apart: Vec<bool>,
}

impl Folded {
    pub(crate) fn of(glyphs: &[Glyph]) -> Self {
        let mut folded = Self::default();
        let mut apart = true;
        for (index, glyph) in glyphs.iter().enumerate() {
            if glyph.symbol.is_whitespace() {
                apart = true;
                continue;
            }
            if let Some(before) = index.checked_sub(1).and_then(|i| glyphs.get(i)) {
                apart |= before.line != glyph.line || glyph.x - before.x > glyph.height * COLUMN_GAP;
            }
            for c in fold::folded(glyph.symbol.encode_utf8(&mut [0; 4]))
                .chars()
                .filter(|c| !c.is_whitespace())
            {
                folded.chars.push(c);
                folded.from.push(index);
                folded.apart.push(apart);
                apart = false;
            }
        }
        folded
    }
}

/// The text of some letters as it is kept: NFKC, single spaces.
pub(crate) fn tidy(glyphs: &[Glyph]) -> String {
    fold::tidy(&glyphs.iter().map(|glyph| glyph.symbol).collect::<String>())
}

/// A space between two lines that are read as one text.
pub(crate) fn joined(parts: &[&[Glyph]]) -> Vec<Glyph> {
    let mut all: Vec<Glyph> = Vec::new();
    for part in parts.iter().filter(|part| !part.is_empty()) {
        if let Some(last) = all.last() {
            all.push(Glyph {
                symbol: ' ',
                sure: 1.0,
                ..*last
            });
        }
        all.extend_from_slice(part);
    }
    all
}
