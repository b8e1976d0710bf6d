//! The recogniser's symbols, and which of them are those of a machine-readable zone.

use crate::model::ModelError;

/// The 37 symbols of ICAO 9303-3 section 4.3.
pub(crate) const MRZ_SYMBOLS: &[u8; 37] = b"<0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// Symbols by the recogniser's index: 0 is the blank between symbols, the last is the space.
pub(crate) struct Alphabet {
    symbols: Vec<String>,
    mrz: [usize; MRZ_SYMBOLS.len()],
}

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
        Ok(Self { symbols, mrz })
    }

    pub(crate) fn len(&self) -> usize {
        self.symbols.len()
    }

    pub(crate) fn symbol(&self, index: usize) -> &str {
        self.symbols.get(index).map_or("", String::as_str)
    }

    /// The recogniser's indices of the MRZ symbols, in their order.
    pub(crate) const fn mrz(&self) -> &[usize; MRZ_SYMBOLS.len()] {
        &self.mrz
    }
}
