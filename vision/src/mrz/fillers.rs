//! Keeps runs of fillers as fillers. On a blurred page, a recogniser misreads `<<<<<` as `<CCCC` or `<<K<<C`; no name has such letters.
//!
//! The name field is the family name, `<<`, the given names, and fillers to its end (ICAO 9303-3 section 4.6). Where a reading continues after that
//! end, or repeats one letter as no name does, the line is read once more with nothing but fillers from there on. That reading is taken if it is
//! hardly less likely.

use super::{format::Class, viterbi};
use crate::text::Lattice;
use std::ops::Range;

/// How much likelier a letter has to be than the filler, in natural logarithms, to stay where no letter is expected. A legible letter is
/// e^7 times likelier and more, one on a blurred page e^0 to e^2.
const LIKELIER: f32 = 3.0;
/// So many of one letter in a row are in no name: `III` and the `SSS` of a transliterated ß are.
const RUN: usize = 4;

/// The reading with the name's end filled up, where letters behind it are hardly likelier than fillers.
pub(super) fn filled(lattice: &Lattice, classes: &[Class], names: Range<usize>, read: (String, f32)) -> (String, f32) {
    let (text, log) = &read;
    let field = text.as_bytes().get(names.clone()).unwrap_or_default();
    for end in ends(field) {
        let letters = field[end..].iter().filter(|symbol| **symbol != b'<').count();
        let mut classes = classes.to_vec();
        classes[names.start + end..names.end].fill(Class::Filler);
        let Some((filled, likely)) = viterbi::decode(lattice, &classes) else {
            continue;
        };
        let lost = (log - likely) * classes.len() as f32;
        if lost <= LIKELIER * letters as f32 {
            return (filled, likely);
        }
    }
    read
}

/// Where the name may end although letters follow, first to last: behind the second `<<`, and before a long run of one letter.
fn ends(field: &[u8]) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut separators = 0;
    for (at, symbol) in field.iter().enumerate() {
        let letter = *symbol != b'<';
        let begins = at == 0 || field[at - 1] == b'<';
        if letter && begins && at >= 2 && field[at - 2] == b'<' {
            separators += 1;
            // Three fillers and more are the end, whichever separator they stand for.
            let long = at >= 3 && field[at - 3] == b'<';
            if separators > 1 || long {
                ends.push(at);
            }
        }
        let run = field[at..].iter().take_while(|next| **next == *symbol).count();
        if letter && run >= RUN && (begins || field[at - 1] != *symbol) {
            ends.push(at);
        }
    }
    ends
}

/// Whether a name repeats a letter as none does: what is left of fillers that nothing could tell from letters.
pub(super) fn is_noise(name: &str) -> bool {
    let letters = name.as_bytes();
    letters
        .windows(RUN)
        .any(|run| run.iter().all(|letter| *letter == run[0] && *letter != b' '))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mrz::format::classes;
    use crate::mrz::viterbi::tests::{hesitating, lattice_of};
    use domain::findings::MrzFormat;

    const NAMES: &str = "P<UTOMUELLER<<FELIX<<<<<<<<<<<<<<<<<<<<<<<<<";

    fn read(lattice: &Lattice) -> String {
        let classes = classes(MrzFormat::Td3, 0);
        let first = viterbi::decode(lattice, &classes).unwrap();
        filled(lattice, &classes, 5..44, first).0
    }

    #[test]
    fn fillers_that_blur_into_letters_stay_fillers() {
        // From each of these places on the letter is twice as likely as the filler that was printed.
        for (seen, from) in [
            ("P<UTOMUELLER<<FELIX<CCCCCCCCCCCCCCCCCCCCCCCC", 20),
            ("P<UTOMUELLER<<FELIX<<<<<CCC<<<<<<<<<<<<<<<<<", 20),
            ("P<UTOMUELLER<<FELIX<<K<<<<C<<<<<<<<<<<<<<<<<", 20),
            ("P<UTOMUELLER<<FELIXCCCCCCCCCC<<<<<<<<<<<<<<<", 19),
        ] {
            let lattice = hesitating(seen, NAMES, from, 0.6, 0.3);
            assert_eq!(viterbi::decode(&lattice, &classes(MrzFormat::Td3, 0)).unwrap().0, seen);
            assert_eq!(read(&lattice), NAMES, "{seen}");
        }
    }

    #[test]
    fn a_field_of_nothing_but_one_letter_is_empty() {
        let seen = "P<UTOCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC";
        let blank = format!("P<UTO{}", "<".repeat(39));
        assert_eq!(read(&hesitating(seen, &blank, 5, 0.6, 0.3)), blank);
        assert!(is_noise("CCCC") && is_noise("ANNA CCCCC") && !is_noise("JOHN III") && !is_noise("PRESSSEE"));
    }

    #[test]
    fn clear_letters_stay_however_odd_they_are() {
        for odd in [
            "P<UTOSMITH<<JOHN<III<<<<<<<<<<<<<<<<<<<<<<<<",
            "P<UTOSMITH<<JOHN<<PAUL<<<<<<<<<<<<<<<<<<<<<<",
            "P<UTOPRESSSEE<<ANNA<<<<<<<<<<<<<<<<<<<<<<<<<",
            "P<UTOAAAAA<<BBBBB<<<<<<<<<<<<<<<<<<<<<<<<<<<",
            "P<D<<MUELLER<<HANS<<<<<<<<<<<<<<<<<<<<<<<<<<",
        ] {
            assert_eq!(read(&lattice_of(odd, 0.99)), odd);
        }
    }
}
