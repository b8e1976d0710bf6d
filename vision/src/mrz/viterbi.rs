//! The likeliest line of a given length and given classes: a Viterbi search over the recogniser's CTC lattice.
//!
//! Greedy decoding drops a `<` from a long run and confuses `O` with `0`; here the format fixes the number and class of
//! the symbols, and the probabilities decide the rest.

use super::format::Class;
use crate::text::{Lattice, MRZ_SYMBOLS};

const IMPOSSIBLE: f32 = -1e30;
/// The blank and the symbols.
const STATES: usize = MRZ_SYMBOLS.len() + 1;
/// Marks a step that went on to the next place of the line.
const ADVANCED: u8 = 64;
/// Marks a place and state that no path reaches.
const UNREACHED: u8 = 255;

/// Scores of being at one place of the line with a state: 0 is the blank behind the place's symbol, others are the symbol.
type Scores = [f32; STATES];
type Back = [u8; STATES];

/// The best reading of a lattice that has exactly one symbol of each class, with its mean log-probability per symbol.
pub(crate) fn decode(lattice: &Lattice, classes: &[Class]) -> Option<(String, f32)> {
    let places = classes.len();
    if lattice.steps.len() < places || places == 0 {
        return None;
    }
    let allowed: Vec<Vec<usize>> = classes.iter().map(|class| allowed(*class)).collect();
    let mut scores = vec![[IMPOSSIBLE; STATES]; places + 1];
    scores[0][0] = 0.0;
    let mut backs: Vec<Vec<Back>> = Vec::with_capacity(lattice.steps.len());
    for step in &lattice.steps {
        let mut next = vec![[IMPOSSIBLE; STATES]; places + 1];
        let mut back = vec![[UNREACHED; STATES]; places + 1];
        for place in 0..=places {
            let (best, value) = best_state(&scores[place]);
            if value > IMPOSSIBLE / 2.0 {
                next[place][0] = value + step[0];
                back[place][0] = best as u8;
            }
            if place > 0 {
                advance(
                    &scores[place - 1],
                    &scores[place],
                    &allowed[place - 1],
                    step,
                    &mut next[place],
                    &mut back[place],
                );
            }
        }
        scores = next;
        backs.push(back);
    }
    let (state, value) = best_state(&scores[places]);
    if value < IMPOSSIBLE / 2.0 {
        return None;
    }
    Some((trace(&backs, places, state)?, value / places as f32))
}

/// Scores of the symbols of one place: entered from the place before, or held.
fn advance(before: &Scores, here: &Scores, allowed: &[usize], step: &Scores, next: &mut Scores, back: &mut Back) {
    let (best, best_value) = best_state(before);
    let mut others = *before;
    others[best] = IMPOSSIBLE;
    let (second, second_value) = best_state(&others);
    for &symbol in allowed {
        // The same symbol twice needs a blank between (CTC), so it cannot follow itself directly.
        let (from, entered) = if best == symbol {
            (second, second_value)
        } else {
            (best, best_value)
        };
        let (value, mark) = if here[symbol] >= entered {
            (here[symbol], symbol as u8)
        } else {
            (entered, ADVANCED + from as u8)
        };
        if value > IMPOSSIBLE / 2.0 {
            next[symbol] = value + step[symbol];
            back[symbol] = mark;
        }
    }
}

fn best_state(scores: &Scores) -> (usize, f32) {
    scores.iter().copied().enumerate().fold(
        (0, IMPOSSIBLE),
        |best, (state, value)| if value > best.1 { (state, value) } else { best },
    )
}

/// States of the symbols a class allows.
fn allowed(class: Class) -> Vec<usize> {
    MRZ_SYMBOLS
        .iter()
        .enumerate()
        .filter(|(_, symbol)| class.allows(**symbol))
        .map(|(index, _)| index + 1)
        .collect()
}

/// Follows the marks from the end.
fn trace(backs: &[Vec<Back>], places: usize, state: usize) -> Option<String> {
    let (mut place, mut state) = (places, state);
    let mut symbols = vec![b'<'; places];
    for back in backs.iter().rev() {
        if let (Some(symbol), Some(slot)) = (state.checked_sub(1), place.checked_sub(1)) {
            symbols[slot] = MRZ_SYMBOLS[symbol];
        }
        match back[place][state] {
            UNREACHED => return None,
            mark if mark >= ADVANCED => {
                place = place.checked_sub(1)?;
                state = usize::from(mark - ADVANCED);
            }
            mark => state = usize::from(mark),
        }
    }
    String::from_utf8(symbols).ok()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::mrz::format::{classes, dimensions};
    use domain::findings::MrzFormat;
    use proptest::prelude::*;

    /// A lattice that reads `text`, each symbol one step with a blank after it, `sure` the probability of the right one.
    pub(crate) fn lattice_of(text: &str, sure: f32) -> Lattice {
        let other = ((1.0 - sure) / (STATES - 1) as f32).max(1e-7).ln();
        let mut steps = Vec::new();
        for symbol in text.bytes() {
            let state = MRZ_SYMBOLS.iter().position(|s| *s == symbol).unwrap() + 1;
            for state in [state, 0] {
                let mut step = [other; STATES];
                step[state] = sure.ln();
                steps.push(step);
            }
        }
        Lattice { steps }
    }

    /// A lattice that reads `seen` with `sure`, and `printed` from the place `from` on with `other`.
    pub(crate) fn hesitating(seen: &str, printed: &str, from: usize, sure: f32, other: f32) -> Lattice {
        let mut lattice = lattice_of(seen, sure);
        for (place, symbol) in printed.bytes().enumerate().skip(from) {
            let state = MRZ_SYMBOLS.iter().position(|s| *s == symbol).unwrap() + 1;
            let step = &mut lattice.steps[2 * place];
            step[state] = step[state].max(other.ln());
        }
        lattice
    }

    const NAMES: &str = "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<";

    #[test]
    fn a_sure_line_reads_as_it_is() {
        let (text, log) = decode(&lattice_of(NAMES, 0.99), &classes(MrzFormat::Td3, 0)).unwrap();
        assert_eq!(text, NAMES);
        assert!(log > -0.1);
    }

    #[test]
    fn a_letter_where_a_digit_must_be_is_read_as_the_likeliest_digit() {
        let line = "L898902C36UTO7408122F1204159ZE184226B<<<<<10";
        let mut lattice = lattice_of(line, 0.9);
        // The O of a careless printer at the birth date's fourth place, with the zero second.
        let step = &mut lattice.steps[2 * 15];
        let letter = MRZ_SYMBOLS.iter().position(|s| *s == b'O').unwrap() + 1;
        let zero = MRZ_SYMBOLS.iter().position(|s| *s == b'0').unwrap() + 1;
        step[letter] = 0.0;
        step[zero] = -1.0;
        assert_eq!(decode(&lattice, &classes(MrzFormat::Td3, 1)).unwrap().0, line);
    }

    #[test]
    fn a_lost_filler_comes_back_where_the_line_must_be_longer() {
        let mut lattice = lattice_of(NAMES, 0.95);
        // Between two of the last fillers the blank is less likely than the filler, so that greedy reading sees one symbol.
        let blank = &mut lattice.steps[2 * 42 - 1];
        (blank[0], blank[1]) = (0.3_f32.ln(), 0.6_f32.ln());
        assert_eq!(decode(&lattice, &classes(MrzFormat::Td3, 0)).unwrap().0, NAMES);
        lattice.steps.truncate(43);
        assert!(decode(&lattice, &classes(MrzFormat::Td3, 0)).is_none());
    }

    proptest! {
        #[test]
        fn what_it_reads_always_has_the_length_and_the_classes(values in prop::collection::vec(-9.0_f32..0.0, STATES * 60)) {
            let steps = values.chunks_exact(STATES).map(|s| std::array::from_fn(|i| s[i])).collect();
            let lattice = Lattice { steps };
            for &format in MrzFormat::ALL {
                for line in 0..dimensions(format).0 {
                    let classes = classes(format, line);
                    let (text, _) = decode(&lattice, &classes).unwrap();
                    prop_assert_eq!(text.len(), classes.len());
                    prop_assert!(text.bytes().zip(&classes).all(|(symbol, class)| class.allows(symbol)));
                }
            }
        }
    }
}
