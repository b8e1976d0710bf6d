//! PDF417 symbols (ISO/IEC 15438), as on the backs of North American licences.

use crate::Done;
use rxing::pdf417::encoder::PDF417;

/// The level required by the AAMVA card design standard (annex D.3.5): at least 3, or 5 if there is room.
const ERROR_CORRECTION: u32 = 5;

/// The modules of a symbol with `payload`, rows from the top, `true` is dark.
///
/// A row is one module high here; it is printed at least three times as high as a module is wide, with two modules of light
/// paper around the symbol.
pub(crate) fn pdf417(payload: &str) -> Done<Vec<Vec<bool>>> {
    let mut encoder = PDF417::new();
    encoder.generateBarcodeLogic(payload, ERROR_CORRECTION)?;
    let matrix = encoder.getBarcodeMatrix().as_ref().ok_or("the encoder made nothing")?;
    // The encoder's rows are upside down.
    let rows = matrix.getMatrix().into_iter().rev();
    Ok(rows
        .map(|row| row.into_iter().map(|module| module == 1).collect())
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Eight bars and spaces of 8 1 1 1 1 1 1 3 modules, and nine of 7 1 1 3 1 1 1 2 1 (ISO/IEC 15438, 5.3).
    const START: &str = "########.#.#.#...";
    const STOP: &str = "#######.#...#.#..#";

    fn written(modules: &[bool]) -> String {
        modules.iter().map(|dark| if *dark { '#' } else { '.' }).collect()
    }

    #[test]
    fn every_row_stands_between_the_start_and_the_stop_pattern() {
        let rows = pdf417("@\n\u{1e}\rANSI 636000100002DL00410278ZV03190008DLDAQT64235789").unwrap();
        let width = rows[0].len();
        assert!(
            rows.len() >= 3 && (width - 69).is_multiple_of(17),
            "{} by {width}",
            rows.len()
        );
        for row in &rows {
            let row = written(row);
            assert!(row.starts_with(START) && row.ends_with(STOP), "{row}");
        }
    }

    /// The clusters of rows are identified by the widths of their bars (5.3.1), and rows take clusters 0, 3 and 6 in turn.
    #[test]
    fn the_first_row_is_on_top() {
        let rows = pdf417("PDF417 OF NOBODY").unwrap();
        assert_ne!(rows.len() % 3, 1, "turned over, the clusters would be the same");
        for (number, row) in rows.iter().enumerate() {
            let bars: Vec<usize> = row[17..34].chunk_by(|a, b| a == b).map(<[bool]>::len).collect();
            assert_eq!(
                (bars[0] + 18 + bars[4] - bars[2] - bars[6]) % 9,
                number % 3 * 3,
                "row {number}: {bars:?}"
            );
        }
    }
}
