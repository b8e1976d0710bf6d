//! Keeps digits in the field of a state. Where a format allows letters only, the likeliest letters are read whatever is printed;
//! some specimens and forgeries have digits there, and reading them as letters would hide that.

use super::{format, format::Class, viterbi};
use crate::text::Lattice;
use domain::findings::MrzFormat;

/// How much likelier a digit has to be than the letter in its place, in natural logarithms. A legible symbol is e^7 times likelier.
const LIKELIER: f32 = 5.0;

/// The line as it was read, but with digits where the picture clearly shows them in place of the letters of a state or nationality; `None`
/// where it does not. One of them at least looks like no letter: telling an O from a zero is what the format is for.
pub(super) fn as_printed(format: MrzFormat, line: usize, lattice: &Lattice, read: &str) -> Option<String> {
    let classes = format::classes(format, line);
    let names = format.names(line).unwrap_or_default();
    let is_state = |place: &usize| classes[*place] == Class::Letter && !names.contains(place);
    let (free, _) = viterbi::decode(lattice, &allowing(&classes, (0..classes.len()).filter(is_state)))?;
    let symbol = |place: usize| free.as_bytes().get(place).copied().unwrap_or_default();
    let digits: Vec<usize> = (0..classes.len())
        .filter(|place| is_state(place) && symbol(*place).is_ascii_digit())
        .collect();
    if !digits.iter().any(|place| is_unlike_letters(symbol(*place))) {
        return None;
    }
    let (_, forced) = viterbi::decode(lattice, &classes)?;
    let (printed, likely) = viterbi::decode(lattice, &allowing(&classes, digits.iter().copied()))?;
    let gained = (likely - forced) * classes.len() as f32;
    // Whatever else of the line was put right stays so.
    let symbols = read.chars().zip(printed.chars()).enumerate();
    let kept = symbols.map(|(place, (read, printed))| if digits.contains(&place) { printed } else { read });
    (gained >= LIKELIER * digits.len() as f32).then(|| kept.collect())
}

const fn is_unlike_letters(digit: u8) -> bool {
    matches!(digit, b'3' | b'4' | b'7' | b'9')
}

/// The classes with any symbol in some places.
fn allowing(classes: &[Class], places: impl Iterator<Item = usize>) -> Vec<Class> {
    let mut classes = classes.to_vec();
    places.for_each(|place| classes[place] = Class::Any);
    classes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mrz::format::classes;
    use crate::mrz::viterbi::tests::{hesitating, lattice_of};

    fn read(lattice: &Lattice) -> String {
        let (forced, _) = viterbi::decode(lattice, &classes(MrzFormat::Td2, 1)).unwrap();
        as_printed(MrzFormat::Td2, 1, lattice, &forced).unwrap_or(forced)
    }

    #[test]
    fn fillers_that_were_put_right_stay_beside_a_state_in_digits() {
        let seen = "I<5R3TESTER<<FELIX<CCCC<<<<<<<<<<<<<";
        let put_right = "I<SRBTESTER<<FELIX<<<<<<<<<<<<<<<<<<";
        let printed = "I<5R3TESTER<<FELIX<<<<<<<<<<<<<<<<<<";
        let lattice = lattice_of(seen, 0.99);
        assert_eq!(
            as_printed(MrzFormat::Td2, 0, &lattice, put_right).as_deref(),
            Some(printed)
        );
    }

    #[test]
    fn a_nationality_in_digits_is_read_as_it_is_printed() {
        let printed = "HD198025<51328505095M130509012049941";
        assert_eq!(read(&lattice_of(printed, 0.99)), printed);
    }

    #[test]
    fn a_digit_that_looks_like_the_letter_or_is_hardly_likelier_is_the_letter() {
        let seen = "HD198025<5R0U8505095M130509012049941";
        let printed = "HD198025<5ROU8505095M130509012049941";
        assert_eq!(read(&hesitating(seen, printed, 10, 0.9, 0.05)), printed);
        let seen = "HD198025<5R4U8505095M130509012049941";
        let printed = "HD198025<5RAU8505095M130509012049941";
        assert_eq!(read(&hesitating(seen, printed, 10, 0.6, 0.3)), printed);
    }
}
