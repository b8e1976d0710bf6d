//! The symbol characters of PDF417: 929 codewords in three clusters, 17 modules each (ISO/IEC 15438, 5.3.1 and annex A).

use super::reed_solomon::PRIME;
use rxing::pdf417::pdf_417_common::{CODEWORD_TABLE, SYMBOL_TABLE};
use std::sync::LazyLock;

/// Modules of a symbol character.
pub(crate) const MODULES: usize = 17;
/// Codewords of a cluster.
pub(crate) const CODEWORDS: usize = PRIME as usize;
/// Clusters; rows take them in turn.
pub(crate) const CLUSTERS: usize = 3;
/// Bars and spaces of the start pattern, in modules.
pub(crate) const START: [u8; 8] = [8, 1, 1, 1, 1, 1, 1, 3];
/// Bars and spaces of the stop pattern.
pub(crate) const STOP: [u8; 9] = [7, 1, 1, 3, 1, 1, 1, 2, 1];

/// Patterns of 17 bits by cluster and codeword, the first module in the highest bit, 1 is dark.
pub(crate) static PATTERNS: LazyLock<[Vec<u32>; CLUSTERS]> = LazyLock::new(|| {
    let mut patterns = [(); CLUSTERS].map(|()| vec![0; CODEWORDS]);
    for (symbol, codeword) in SYMBOL_TABLE.iter().zip(CODEWORD_TABLE) {
        let codeword = (codeword as usize + CODEWORDS - 1) % CODEWORDS;
        patterns[cluster(*symbol)][codeword] = *symbol;
    }
    patterns
});

/// Which of the three clusters a pattern belongs to: its bars' widths tell (5.3.1).
fn cluster(pattern: u32) -> usize {
    let mut widths = [0_usize; 8];
    let mut run = 0_usize;
    for module in 0..MODULES {
        let dark = pattern >> (MODULES - 1 - module) & 1 == 1;
        if dark != run.is_multiple_of(2) {
            run = (run + 1).min(7);
        }
        widths[run] += 1;
    }
    (widths[0] + widths[4] + 18 - widths[2] - widths[6]) % 9 / 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_codeword_has_its_own_pattern_of_four_bars_in_every_cluster() {
        let mut seen = std::collections::HashSet::new();
        for pattern in PATTERNS.iter().flatten() {
            assert!(seen.insert(*pattern));
            assert_eq!((pattern ^ (pattern >> 1)).count_ones(), 8, "{pattern:017b}");
            assert!(pattern >> 16 == 1 && pattern & 1 == 0);
        }
        assert_eq!(seen.len(), CLUSTERS * CODEWORDS);
    }

    /// ISO/IEC 15438, annex A: the first and the last codeword of each cluster.
    #[test]
    fn patterns_stand_where_the_standard_has_them() {
        let widths = |cluster: usize, codeword: usize| {
            format!("{:017b}", PATTERNS[cluster][codeword])
                .into_bytes()
                .chunk_by(|a, b| a == b)
                .map(<[u8]>::len)
                .fold(0, |sum, width| sum * 10 + width)
        };
        assert_eq!(
            (widths(0, 0), widths(1, 0), widths(2, 0)),
            (31_111_136, 51_111_125, 21_111_155)
        );
    }
}
