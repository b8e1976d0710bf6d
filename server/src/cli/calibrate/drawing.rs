//! Two distributions over one axis, drawn as SVG.

use std::fmt::Write as _;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 240.0;
/// Bins over the axis.
const BINS: usize = 50;
/// Left and lower margin, where the labels are.
const MARGIN: f64 = 28.0;

/// Two groups of values, each with its name and colour, on an axis from `from` to `to`, with a line at `mark`.
pub(super) struct Distributions<'a> {
    pub(super) axis: &'a str,
    pub(super) range: (f64, f64),
    pub(super) groups: [(&'a str, &'a [f64]); 2],
    pub(super) mark: (&'a str, f64),
}

const COLOURS: [&str; 2] = ["#1a56db", "#b3261e"];

impl Distributions<'_> {
    /// A picture with a text for whoever does not see it.
    pub(super) fn svg(&self) -> String {
        let (from, to) = self.range;
        let across = |value: f64| MARGIN + (value - from) / (to - from).max(f64::MIN_POSITIVE) * (WIDTH - MARGIN);
        let base = HEIGHT - MARGIN;
        let names: Vec<&str> = self.groups.iter().map(|(name, _)| *name).collect();
        let mut svg = format!(
            "<svg class=\"curve\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{} of {}\">",
            self.axis,
            names.join(" and of ")
        );
        for (index, (name, values)) in self.groups.iter().enumerate() {
            let colour = COLOURS[index];
            let bins = shares(values, self.range);
            let most = bins.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
            let mut points = format!("{MARGIN},{base}");
            for (bin, share) in bins.iter().enumerate() {
                let middle = from + (to - from) * (bin as f64 + 0.5) / BINS as f64;
                let _ = write!(
                    points,
                    " {:.1},{:.1}",
                    across(middle),
                    base - share / most * (base - 24.0)
                );
            }
            let _ = write!(points, " {WIDTH},{base}");
            let _ = write!(
                svg,
                "<polygon points=\"{points}\" fill=\"{colour}\" fill-opacity=\".25\" stroke=\"{colour}\"/>"
            );
            let y = 16 + 16 * index;
            let _ = write!(
                svg,
                "<text x=\"{WIDTH}\" y=\"{y}\" text-anchor=\"end\" fill=\"{colour}\">{name}</text>"
            );
        }
        let (label, at) = self.mark;
        let x = across(at);
        let _ = write!(
            svg,
            "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"20\" y2=\"{base}\" stroke=\"#1b1f24\" stroke-dasharray=\"4 3\"/>\
             <text x=\"{x:.1}\" y=\"14\" text-anchor=\"middle\">{label} {at:.3}</text>"
        );
        for tick in 0..=5 {
            let value = from + (to - from) * f64::from(tick) / 5.0;
            let anchor = ["start", "middle", "end"][usize::from(tick > 0) + usize::from(tick == 5)];
            let _ = write!(
                svg,
                "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"{anchor}\">{value:.2}</text>",
                across(value),
                HEIGHT - 8.0
            );
        }
        svg + "</svg>"
    }
}

/// Share of the values in each bin.
fn shares(values: &[f64], (from, to): (f64, f64)) -> [f64; BINS] {
    let mut bins = [0.0; BINS];
    for value in values {
        let at = (value - from) / (to - from).max(f64::MIN_POSITIVE) * BINS as f64;
        bins[(at.max(0.0) as usize).min(BINS - 1)] += 1.0 / values.len() as f64;
    }
    bins
}
