//! What symbol characters look like in a picture: their modules' brightness, with the growth of bars in print and the camera's
//! blur. Template matching needs no edges, so bars may be as narrow as a pixel.

use super::table::{CLUSTERS, CODEWORDS, MODULES, PATTERNS};

/// Brightness of the modules of one character.
pub(crate) type Modules = [f32; MODULES];

/// How print and camera change a pattern.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Degradation {
    /// How far each edge of a bar has moved outwards, in modules.
    growth: f32,
    /// Share of a module's brightness that comes from each of its neighbours.
    blur: f32,
}

/// Those that are tried.
pub(crate) const DEGRADATIONS: [Degradation; 12] = {
    let mut all = [Degradation { growth: 0.0, blur: 0.0 }; 12];
    let (growths, blurs) = ([0.0, 0.15, -0.15, 0.3], [0.05, 0.15, 0.27]);
    let mut i = 0;
    while i < all.len() {
        all[i] = Degradation {
            growth: growths[i % 4],
            blur: blurs[i / 4],
        };
        i += 1;
    }
    all
};
/// Bars as wide as they should be, with the blur of most pictures.
pub(crate) const TYPICAL: Degradation = DEGRADATIONS[4];

impl Degradation {
    /// Brightness of the modules of a pattern that stands between a light and a dark module, mean 0 and length 1.
    pub(crate) fn shown(self, dark: impl Fn(usize) -> bool) -> Modules {
        // Two modules more on either side: the space before and the bar behind.
        let is_dark = |i: usize| if i < 2 { false } else { i >= MODULES + 2 || dark(i - 2) };
        let printed: [f32; MODULES + 4] = std::array::from_fn(|i| {
            let sides = [i.saturating_sub(1), (i + 1).min(MODULES + 3)].map(is_dark);
            let moved = sides.into_iter().filter(|side| *side != is_dark(i)).count() as f32 * self.growth;
            match (is_dark(i), self.growth > 0.0) {
                (true, true) => 0.0,
                (true, false) => -moved,
                (false, true) => 1.0 - moved,
                (false, false) => 1.0,
            }
        });
        let mut seen: Modules = std::array::from_fn(|i| {
            printed[i + 2] * (1.0 - 2.0 * self.blur) + (printed[i + 1] + printed[i + 3]) * self.blur
        });
        normalise(&mut seen);
        seen
    }
}

/// Mean 0 and length 1; all 0 where there is no difference at all.
pub(crate) fn normalise(modules: &mut Modules) {
    let mean = modules.iter().sum::<f32>() / MODULES as f32;
    let length = modules.iter().map(|m| (m - mean) * (m - mean)).sum::<f32>().sqrt();
    let scale = if length > 1e-3 { 1.0 / length } else { 0.0 };
    for module in modules {
        *module = (*module - mean) * scale;
    }
}

/// Likeness of two normalised patterns, -1 to 1.
pub(crate) fn likeness(a: &Modules, b: &Modules) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The best and the second best codeword for a pattern.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Match {
    pub(crate) codeword: usize,
    pub(crate) likeness: f32,
    /// How much less alike the next codeword is.
    pub(crate) margin: f32,
}

/// All characters with one degradation, module by module so that all codewords of a cluster are compared at once.
pub(crate) struct Templates {
    clusters: [[Vec<f32>; MODULES]; CLUSTERS],
}

impl Templates {
    pub(crate) fn new(degradation: Degradation) -> Self {
        let clusters = std::array::from_fn(|cluster| {
            let mut columns: [Vec<f32>; MODULES] = [(); MODULES].map(|()| Vec::with_capacity(CODEWORDS));
            for pattern in &PATTERNS[cluster] {
                let shown = degradation.shown(|i| pattern >> (MODULES - 1 - i) & 1 == 1);
                for (column, value) in columns.iter_mut().zip(shown) {
                    column.push(value);
                }
            }
            columns
        });
        Self { clusters }
    }

    /// One character of the table.
    pub(crate) fn one(&self, cluster: usize, codeword: usize) -> Modules {
        std::array::from_fn(|i| self.clusters[cluster][i][codeword])
    }

    /// The codeword of a cluster that normalised modules are most like.
    pub(crate) fn best(&self, cluster: usize, modules: &Modules) -> Match {
        let mut scores = [0.0_f32; CODEWORDS];
        for (column, module) in self.clusters[cluster].iter().zip(modules) {
            for (score, value) in scores.iter_mut().zip(column) {
                *score += value * module;
            }
        }
        let (mut best, mut second) = ((0, f32::MIN), f32::MIN);
        for (codeword, score) in scores.iter().enumerate() {
            if *score > best.1 {
                second = best.1;
                best = (codeword, *score);
            } else if *score > second {
                second = *score;
            }
        }
        Match {
            codeword: best.0,
            likeness: best.1,
            margin: best.1 - second,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_is_most_like_itself_however_it_is_degraded() {
        for degradation in DEGRADATIONS {
            let templates = Templates::new(degradation);
            for (cluster, patterns) in PATTERNS.iter().enumerate() {
                for (codeword, pattern) in patterns.iter().enumerate().step_by(23) {
                    let shown = degradation.shown(|i| pattern >> (MODULES - 1 - i) & 1 == 1);
                    let found = templates.best(cluster, &shown);
                    assert!(
                        found.codeword == codeword && found.margin > 0.0,
                        "{degradation:?} {found:?}"
                    );
                    assert!((likeness(&shown, &templates.one(cluster, codeword)) - 1.0).abs() < 1e-4);
                }
            }
        }
    }
}
