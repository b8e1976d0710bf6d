//! Where a scan line changes between light and dark.

/// Changes of brightness below this are noise, whatever the contrast.
const NOISE: f32 = 9.0;
/// Share of the contrast nearby that a bar must have at least: narrow bars of a blurred picture are faint.
const FAINT: f32 = 0.14;
/// Pixels over which contrast is looked for.
const NEARBY: usize = 48;

/// Places of a scan line at which the brightness crosses the middle between a light and a dark extreme, in turns: the first one
/// leads from light to dark, the last one from dark to light. The line is taken to lie on white paper.
pub(crate) fn edges(line: &[f32]) -> Vec<f32> {
    let turns = turns(line);
    let mut edges: Vec<f32> = turns.windows(2).map(|pair| crossing(line, pair[0], pair[1])).collect();
    if !edges.len().is_multiple_of(2) {
        edges.push(line.len() as f32 - 0.5);
    }
    edges
}

/// A place at which a line turns from brightening to darkening or back; the first stands before the line.
#[derive(Clone, Copy)]
struct Turn {
    place: Option<usize>,
    level: f32,
}

/// The light and dark extremes in turns, light first.
fn turns(line: &[f32]) -> Vec<Turn> {
    let ranges = ranges(line);
    let paper = ranges.first().map_or(255.0, |range| range.1);
    let mut here = Turn {
        place: None,
        level: paper,
    };
    let (mut turns, mut light) = (Vec::new(), true);
    for (x, &level) in line.iter().enumerate() {
        let (low, high) = ranges[x / NEARBY];
        let further = if light {
            level >= here.level
        } else {
            level <= here.level
        };
        let back = (level - here.level).abs() > ((high - low) * FAINT).max(NOISE);
        if !further && back {
            turns.push(here);
            light = !light;
        }
        if further || back {
            here = Turn { place: Some(x), level };
        }
    }
    turns.push(here);
    turns
}

/// The darkest and the lightest level of each stretch and its neighbours.
fn ranges(line: &[f32]) -> Vec<(f32, f32)> {
    let join = |a: (f32, f32), b: (f32, f32)| (a.0.min(b.0), a.1.max(b.1));
    let range = |stretch: &[f32]| stretch.iter().fold((f32::MAX, f32::MIN), |sum, v| join(sum, (*v, *v)));
    let own: Vec<(f32, f32)> = line.chunks(NEARBY).map(range).collect();
    (0..own.len())
        .map(|i| {
            let near = &own[i.saturating_sub(1)..(i + 2).min(own.len())];
            near.iter().fold((f32::MAX, f32::MIN), |sum, r| join(sum, *r))
        })
        .collect()
}

/// Where the line between two turns first crosses the level between them, with linear interpolation.
fn crossing(line: &[f32], from: Turn, to: Turn) -> f32 {
    let middle = f32::midpoint(from.level, to.level);
    let (Some(from), Some(to)) = (from.place, to.place) else {
        return -0.5;
    };
    let beyond = |level: f32| (level > middle) == (line[to] > middle);
    (from..to)
        .find(|x| beyond(line[x + 1]))
        .map_or(to as f32, |x| x as f32 + (middle - line[x]) / (line[x + 1] - line[x]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Bars on white paper, each pixel the mean of what it covers.
    fn drawn(length: usize, bars: &[(f32, f32)], dark: f32) -> Vec<f32> {
        (0..length)
            .map(|x| {
                let (from, to) = (x as f32 - 0.5, x as f32 + 0.5);
                let covered: f32 = bars.iter().map(|bar| (bar.1.min(to) - bar.0.max(from)).max(0.0)).sum();
                230.0 - (230.0 - dark) * covered
            })
            .collect()
    }

    #[test]
    fn edges_are_found_between_the_pixels() {
        let line = drawn(60, &[(10.3, 14.3), (20.0, 21.6), (30.5, 40.2)], 20.0);
        for (found, wanted) in edges(&line).iter().zip([10.3, 14.3, 20.0, 21.6, 30.5, 40.2]) {
            assert!((found - wanted).abs() < 0.3, "{found} is not {wanted}");
        }
        assert_eq!(edges(&line).len(), 6);
    }

    #[test]
    fn a_bar_at_the_end_of_the_picture_ends_there() {
        let line = drawn(30, &[(-5.0, 6.5), (25.0, 40.0)], 20.0);
        assert_eq!(edges(&line), [-0.5, 6.5, 25.0, 29.5]);
    }

    #[test]
    fn noise_is_no_bar() {
        let line: Vec<f32> = (0..100).map(|x| 200.0 + (x * 7 % 8) as f32).collect();
        assert!(edges(&line).is_empty());
    }

    proptest! {
        #[test]
        fn edges_rise_and_come_in_pairs(line in prop::collection::vec(0.0_f32..255.0, 0..300)) {
            let edges = edges(&line);
            prop_assert!(edges.len().is_multiple_of(2));
            prop_assert!(edges.windows(2).all(|pair| pair[0] <= pair[1]), "{:?}", edges);
        }
    }
}
