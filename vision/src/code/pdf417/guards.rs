//! Finds start and stop patterns: the bars at both ends of a symbol, which are the same in all rows.

use super::edges::edges;
use super::regression::least_squares;
use super::table::{MODULES, START, STOP};
use crate::code::grey::Grey;
use crate::geometry::{Point, midpoint};
use crate::statistics::median;
use lens::geometry::distance;

/// Pixels that a module must have along a scan line.
const LEAST_MODULE: f32 = 0.8;
/// How far a bar or a space may differ from its width in the pattern: so many modules, and this share of its width.
const OFF_WIDTH: (f32, f32) = (0.75, 0.1);
/// The same from an edge to the next of its kind.
const OFF_PERIOD: (f32, f32) = (0.5, 0.06);

/// How many of the scan lines that are looked at, and how many modules, may lie between two hits of a track.
const GAP: (usize, f32) = (6, 4.0);
/// Tracks that a hit is compared with, the latest.
const LATEST_TRACKS: usize = 200;
/// The module of a hit, as a multiple of that of the hit before it.
const ALIKE_MODULES: std::ops::Range<f32> = 0.75..1.34;
/// Pixels along the scan lines that a bar may move from one line to the next: 52 degrees.
const STEEPEST: f32 = 1.3;
/// Modules from the first scan line that sees a pattern to the last one.
const LEAST_HEIGHT: f32 = 2.0;

/// Points may lie this many times the median distance off their line.
const OUTLIER: f32 = 3.0;
/// Pixels that a point may lie off in any case.
const LEAST_OUTLIER: f32 = 0.3;

/// Characters from a start to a stop pattern of one symbol, from its outer edge to the other's. One data column and both indicators make five,
/// thirty make 34.
const BETWEEN: std::ops::Range<f32> = 3.5..36.0;
/// The module of a start pattern, as a multiple of that of the stop pattern. Perspective makes the two differ.
const FACING_MODULES: std::ops::Range<f32> = 0.5..2.0;
/// The same of their heights.
const FACING_HEIGHTS: std::ops::Range<f32> = 0.4..2.5;

/// Which end of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Start,
    Stop,
}

/// One end of a symbol, as straight lines along its bars.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guard {
    pub(crate) end: End,
    /// The outer edge: top and bottom as the symbol is read.
    pub(crate) outer: [Point; 2],
    /// The edge towards the symbol's middle.
    pub(crate) inner: [Point; 2],
    /// Pixels a module along the scan lines.
    pub(crate) module: f32,
    /// Scan lines that saw it.
    pub(crate) seen: usize,
}

/// The four ways in which a picture is scanned.
#[derive(Clone, Copy)]
pub(crate) struct Scan<'a> {
    grey: &'a Grey,
    quarters: u8,
}

impl<'a> Scan<'a> {
    /// Scan lines that run to the right, down, left or up.
    pub(crate) const fn new(grey: &'a Grey, quarters: u8) -> Self {
        Self { grey, quarters }
    }

    /// How many lines there are, and how long they are.
    const fn size(&self) -> (usize, usize) {
        if self.quarters.is_multiple_of(2) {
            (self.grey.height, self.grey.width)
        } else {
            (self.grey.width, self.grey.height)
        }
    }

    /// The point of the picture at `x` of scan line `line`.
    fn place(&self, x: f32, line: f32) -> Point {
        let (right, bottom) = ((self.grey.width - 1) as f32, (self.grey.height - 1) as f32);
        match self.quarters % 4 {
            0 => [x, line],
            1 => [right - line, x],
            2 => [right - x, bottom - line],
            _ => [line, bottom - x],
        }
    }

    fn line(&self, number: usize, out: &mut Vec<f32>) {
        out.clear();
        let (grey, (lines, length)) = (self.grey, self.size());
        let back = lines - 1 - number;
        let at = |x: usize| match self.quarters % 4 {
            0 => number * length + x,
            1 => x * lines + back,
            2 => back * length + (length - 1 - x),
            _ => (length - 1 - x) * lines + number,
        };
        out.extend((0..length).map(|x| f32::from(grey.pixels[at(x)])));
    }

    fn level(&self, x: f32, line: f32) -> f32 {
        let [x, y] = self.place(x, line);
        self.grey.sample(x, y)
    }
}

/// A pattern on one scan line.
#[derive(Clone, Copy)]
struct Hit {
    line: f32,
    outer: f32,
    inner: f32,
    module: f32,
}

/// The ends of symbols that lie along the scan lines or at most some 50 degrees off them, those seen by most lines first.
pub(crate) fn find(scan: &Scan<'_>, step: usize) -> Vec<Guard> {
    let (lines, _) = scan.size();
    let (mut starts, mut stops, mut row) = (Tracks::default(), Tracks::default(), Vec::new());
    for number in (0..lines).step_by(step.max(1)) {
        scan.line(number, &mut row);
        let edges = edges(&row);
        for at in (0..edges.len()).step_by(2) {
            let hit = |bars: &[u8], end: End| {
                let runs = edges.get(at..=at + bars.len())?;
                let module = matched(runs, bars)?;
                let (first, last) = (runs[0], runs[bars.len()]);
                let (outer, inner) = if end == End::Start {
                    (first, last)
                } else {
                    (last, first)
                };
                let line = number as f32;
                Some(Hit {
                    line,
                    outer,
                    inner,
                    module,
                })
            };
            starts.extend(hit(&START, End::Start), step);
            stops.extend(hit(&STOP, End::Stop), step);
        }
    }
    let mut guards: Vec<Guard> = starts.guards(scan, End::Start);
    guards.extend(stops.guards(scan, End::Stop));
    guards.sort_by_key(|guard| std::cmp::Reverse(guard.seen));
    guards
}

/// The width of a module where runs between edges are those of a pattern, up to bars that have grown or shrunk.
fn matched(edges: &[f32], bars: &[u8]) -> Option<f32> {
    let (first, last) = (*edges.first()?, *edges.last()?);
    let modules: u8 = bars.iter().sum();
    let module = (last - first) / f32::from(modules);
    if module < LEAST_MODULE {
        return None;
    }
    for i in 0..bars.len() {
        let (width, wanted) = ((edges[i + 1] - edges[i]) / module, f32::from(bars[i]));
        if (width - wanted).abs() > OFF_WIDTH.0 + OFF_WIDTH.1 * wanted {
            return None;
        }
        // From an edge to the next of its kind, growth cancels out.
        if let (Some(edge), Some(next)) = (edges.get(i + 2), bars.get(i + 1)) {
            let (width, wanted) = ((edge - edges[i]) / module, f32::from(bars[i] + next));
            if (width - wanted).abs() > OFF_PERIOD.0 + OFF_PERIOD.1 * wanted {
                return None;
            }
        }
    }
    Some(module)
}

/// Hits on successive lines that continue each other.
#[derive(Default)]
struct Tracks {
    tracks: Vec<Vec<Hit>>,
}

/// More pictures of bars than this are not a document.
const MAX_TRACKS: usize = 4000;

impl Tracks {
    fn extend(&mut self, hit: Option<Hit>, step: usize) {
        let Some(hit) = hit else { return };
        let gap = (GAP.0 * step) as f32 + GAP.1 * hit.module;
        let room = self.tracks.len() < MAX_TRACKS;
        let nearest = self
            .tracks
            .iter_mut()
            .rev()
            .take(LATEST_TRACKS)
            .filter_map(|track| {
                let last = track.last()?;
                let lines = hit.line - last.line;
                let off = (hit.outer - last.outer).abs();
                let alike = ALIKE_MODULES.contains(&(hit.module / last.module));
                let near = lines > 0.0 && lines <= gap && off <= STEEPEST * lines + hit.module;
                (alike && near).then_some((off, track))
            })
            .min_by(|a, b| a.0.total_cmp(&b.0));
        match nearest {
            Some((_, track)) => track.push(hit),
            None if room => self.tracks.push(vec![hit]),
            None => {}
        }
    }

    fn guards(&self, scan: &Scan<'_>, end: End) -> Vec<Guard> {
        self.tracks.iter().filter_map(|track| guard(scan, track, end)).collect()
    }
}

/// Lines that see a pattern at least.
const FEWEST: usize = 3;

fn guard(scan: &Scan<'_>, hits: &[Hit], end: End) -> Option<Guard> {
    if hits.len() < FEWEST {
        return None;
    }
    let outer = Fit::of(hits.iter().map(|hit| (hit.line, hit.outer)))?;
    let inner = Fit::of(hits.iter().map(|hit| (hit.line, hit.inner)))?;
    let module = median(hits.iter().map(|hit| hit.module))?;
    let (first, last) = (hits.first()?.line, hits.last()?.line);
    if last - first < LEAST_HEIGHT * module {
        return None;
    }
    let (top, bottom) = extent(scan, hits, &outer, &inner, end);
    let line = |fit: &Fit| [top, bottom].map(|line| scan.place(fit.at(line), line));
    Some(Guard {
        end,
        outer: line(&outer),
        inner: line(&inner),
        module,
        seen: hits.len(),
    })
}

/// How far the wide bar reaches up and down: until the paper's brightness comes.
fn extent(scan: &Scan<'_>, hits: &[Hit], outer: &Fit, inner: &Fit, end: End) -> (f32, f32) {
    // The wide bar's middle and the wide space's, as shares of the way from the first to the last edge as it is read.
    let (bar, space) = match end {
        End::Start => (4.0 / 17.0, 15.5 / 17.0),
        End::Stop => (1.0 - 3.5 / 18.0, 1.0 - 10.5 / 18.0),
    };
    let level = |line: f32, share: f32| {
        let (from, to) = (outer.at(line), inner.at(line));
        scan.level(from + (to - from) * share, line)
    };
    let mean = |share: f32| hits.iter().map(|hit| level(hit.line, share)).sum::<f32>() / hits.len() as f32;
    let middle = f32::midpoint(mean(bar), mean(space));
    let (lines, _) = scan.size();
    let reach = |from: f32, way: f32| {
        let mut line = from;
        loop {
            let next = line + way;
            if next < -0.5 || next > lines as f32 - 0.5 || level(next, bar) > middle {
                return line + way * 0.5;
            }
            line = next;
        }
    };
    let (first, last) = (hits[0].line, hits[hits.len() - 1].line);
    (reach(first, -1.0), reach(last, 1.0))
}

/// A straight line `x = a + b * line`.
struct Fit {
    a: f32,
    b: f32,
}

impl Fit {
    /// By least squares, once over all points and twice over those that lie near.
    fn of(points: impl Iterator<Item = (f32, f32)>) -> Option<Self> {
        let mut points: Vec<(f32, f32)> = points.collect();
        let through = |points: &[(f32, f32)]| least_squares(points).map(|(a, b)| Self { a, b });
        let mut fit = through(&points)?;
        for _ in 0..2 {
            let off = |p: &(f32, f32)| (p.1 - fit.at(p.0)).abs();
            let limit = (median(points.iter().map(off))? * OUTLIER).max(LEAST_OUTLIER);
            points.retain(|p| off(p) <= limit);
            fit = through(&points)?;
        }
        Some(fit)
    }

    fn at(&self, line: f32) -> f32 {
        self.a + self.b * line
    }
}

/// A start and a stop pattern that can belong to one symbol: they face each other, and their sizes are alike.
pub(crate) fn pairs(guards: &[Guard]) -> Vec<(Guard, Guard)> {
    let of = |end: End| guards.iter().filter(move |guard| guard.end == end);
    let mut pairs: Vec<(Guard, Guard)> = of(End::Start)
        .flat_map(|start| of(End::Stop).map(move |stop| (*start, *stop)))
        .filter(|(start, stop)| facing(start, stop))
        .collect();
    pairs.sort_by_key(|(start, stop)| std::cmp::Reverse(start.seen.min(stop.seen)));
    pairs
}

fn facing(start: &Guard, stop: &Guard) -> bool {
    let centre = |[top, bottom]: [Point; 2]| midpoint(top, bottom);
    let width = distance(centre(start.outer), centre(stop.outer));
    let height = |guard: &Guard| {
        let [top, bottom] = guard.outer;
        distance(top, bottom)
    };
    let modules = start.module / stop.module;
    let heights = height(start) / height(stop).max(1.0);
    let least = start.module.min(stop.module) * MODULES as f32 * BETWEEN.start;
    let most = start.module.max(stop.module) * MODULES as f32 * BETWEEN.end;
    FACING_MODULES.contains(&modules) && FACING_HEIGHTS.contains(&heights) && (least..most).contains(&width)
}
