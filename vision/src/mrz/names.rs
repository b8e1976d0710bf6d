//! Letters of a name that are hard to tell apart, such as O and D: no check digit covers them, but the name is printed a second time. What the
//! print says is taken if the zone's own picture makes it hardly less likely.

use super::find::Zone;
use super::{format, format::Class, viterbi};
use unicode_normalization::UnicodeNormalization;

/// How much less likely the letter of the print may be in the zone, in natural logarithms. A legible letter is e^7 times likelier than
/// any other.
const HARDLY_LESS: f32 = 3.0;
/// Letters of a word for each that may differ from the print.
const LETTERS_PER_DOUBT: usize = 4;

/// Settles letters in doubt by words of the print, which are transliterated as the zone is.
pub(super) fn settle(zone: &mut Zone, printed: &[String]) {
    for index in 0..zone.lines.len() {
        let Some(names) = zone.format.names(index) else {
            continue;
        };
        for word in words(&zone.lines[index], names) {
            if let Some(settled) = settled(zone, index, &word, printed) {
                zone.lines[index] = settled;
            }
        }
    }
}

/// Words of the names that nothing but the form of the zone speaks for: the free reading of the same line has them not, nor does the
/// print. Where a line lost symbols, the form fills it up with letters nobody wrote.
pub(super) fn doubtful(zone: &Zone, printed: &[String]) -> Vec<String> {
    let lines = zone.lines.iter().zip(&zone.free).enumerate();
    let named = lines.filter_map(|(index, (line, free))| Some((line, free, zone.format.names(index)?)));
    let doubtful = named.flat_map(|(line, free, names)| {
        let free = shapes(free);
        let has_not = move |word: &String| !free.contains(&shapes(word));
        words(line, names).into_iter().map(|(_, word)| word).filter(has_not)
    });
    doubtful.filter(|word| !printed.contains(word)).collect()
}

/// The letters and digits of a reading without fillers, which greedy reading miscounts in long runs; those of one shape count as one,
/// since telling them apart is what the format is for. The recogniser knows words, and reads `ESPANOLA` as `ESPAÑOLA`: accents do not count.
pub(super) fn shapes(line: &str) -> String {
    let symbols = line.nfd().filter(char::is_ascii_alphanumeric);
    symbols.map(|symbol| shape(symbol.to_ascii_uppercase())).collect()
}

/// The digit that looks like this letter in OCR-B.
const fn shape(symbol: char) -> char {
    match symbol {
        'O' | 'D' | 'Q' => '0',
        'I' | 'L' => '1',
        'Z' => '2',
        'S' => '5',
        'G' => '6',
        'B' => '8',
        other => other,
    }
}

/// A word of a line: where it begins, and its letters.
type Word = (usize, String);

fn words(line: &str, names: std::ops::Range<usize>) -> Vec<Word> {
    let from = names.start;
    let mut at = from;
    let mut words = Vec::new();
    for word in line.get(names).unwrap_or_default().split('<') {
        if !word.is_empty() {
            words.push((at, word.to_owned()));
        }
        at += word.len() + 1;
    }
    words
}

/// The line with a word as it is printed; `None` where it is printed as it was read, or not nearly, or the zone says otherwise.
fn settled(zone: &Zone, index: usize, (at, word): &Word, printed: &[String]) -> Option<String> {
    let lattice = &zone.rows.get(index)?.lattice;
    let differing = |print: &String| {
        let pairs = word.bytes().zip(print.bytes()).enumerate();
        let differing: Vec<usize> = pairs.filter(|(_, (a, b))| a != b).map(|(place, _)| place).collect();
        (print.len() == word.len()).then_some(differing)
    };
    let nearest = printed.iter().filter_map(|print| Some((differing(print)?, print)));
    let (places, print) = nearest.min_by_key(|(places, _)| places.len())?;
    if places.is_empty() || places.len() * LETTERS_PER_DOUBT > word.len() {
        return None;
    }
    let read = exactly(&zone.lines[index]);
    let mut wanted = read.clone();
    for place in &places {
        wanted[at + place] = Class::Only(*print.as_bytes().get(*place)?);
    }
    // Both under the same constraint, so that nothing but these letters makes the difference.
    let ((_, as_read), (line, as_printed)) = (viterbi::decode(lattice, &read)?, viterbi::decode(lattice, &wanted)?);
    let lost = (as_read - as_printed) * read.len() as f32;
    let fits = line
        .bytes()
        .zip(format::classes(zone.format, index))
        .all(|(symbol, class)| class.allows(symbol));
    (fits && lost <= HARDLY_LESS * places.len() as f32).then_some(line)
}

/// The classes that allow nothing but this line.
fn exactly(line: &str) -> Vec<Class> {
    line.bytes().map(Class::Only).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mrz::find::tests::zone_of;
    use crate::mrz::viterbi::tests::{hesitating, lattice_of};
    use crate::text::Lattice;

    const SEEN: &str = "P<UTOERIKSSDN<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<";
    const PRINTED: &str = "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<";

    fn settled(lattice: Lattice, words: &[&str]) -> String {
        let mut zone = zone_of(&[
            (SEEN, lattice),
            ("L898902C36UTO7408122F1204159ZE184226B<<<<<10", Lattice::default()),
        ]);
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        settle(&mut zone, &words);
        zone.lines.swap_remove(0)
    }

    #[test]
    fn the_print_tells_letters_apart_that_the_zone_does_not() {
        let in_doubt = || hesitating(SEEN, PRINTED, 5, 0.6, 0.35);
        assert_eq!(settled(in_doubt(), &["ANNA", "MARIA", "ERIKSSON"]), PRINTED);
        for words in [
            &["ANNA", "ERIKSSEN"][..],
            &["ERIKSSONS"],
            &["ERIKSSDN", "ERIKSSON"],
            &["ANDERSON"],
        ] {
            assert_eq!(settled(in_doubt(), words), SEEN, "{words:?}");
        }
    }

    #[test]
    fn a_word_that_neither_the_free_reading_nor_the_print_has_is_in_doubt() {
        let zone = |read: &str, free: &str| {
            let mut zone = zone_of(&[(read, lattice_of(read, 0.99))]);
            zone.free = vec![free.to_owned()];
            zone
        };
        let lost = || {
            zone(
                "P<UTOMUSTERMANN<<ERAIKRA<<<<<<<<<<<<<<<<<<<<",
                "P<UTOMUSTERMANN<<ERIKA<<<",
            )
        };
        assert_eq!(doubtful(&lost(), &[]), ["ERAIKRA"]);
        assert!(doubtful(&lost(), &["ERAIKRA".to_owned()]).is_empty());
        let miscounted = zone(PRINTED, "P<UT0ER1KSS0N<ANNA<<<MARlA<<<<");
        assert!(doubtful(&miscounted, &[]).is_empty());
        let accented = zone(
            "P<ESPESPANOLA<<CARMEN<<<<<<<<<<<<<<<<<<<<<<<",
            "P<ESPESPAÑOLA<<CÁRMEN<<<",
        );
        assert!(doubtful(&accented, &[]).is_empty());
    }

    #[test]
    fn a_letter_that_the_zone_shows_clearly_stays_whatever_is_printed() {
        assert_eq!(settled(lattice_of(SEEN, 0.99), &["ERIKSSON"]), SEEN);
    }
}
