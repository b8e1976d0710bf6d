//! Error correction of PDF417 (ISO/IEC 15438, 5.10): a Reed-Solomon code over the integers modulo 929.

/// The field's size, a prime.
pub(crate) const PRIME: u32 = 929;
/// Generates the field's multiplicative group.
const GENERATOR: u32 = 3;
/// Two of the correction codewords only ever detect, so that a wrong reading is not mended into another message (5.10.2).
const RESERVED: usize = 2;

const fn times(a: u32, b: u32) -> u32 {
    a * b % PRIME
}

const fn minus(a: u32, b: u32) -> u32 {
    (a + PRIME - b) % PRIME
}

const fn power(base: u32, mut exponent: u32) -> u32 {
    let (mut result, mut square) = (1, base % PRIME);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = times(result, square);
        }
        square = times(square, square);
        exponent >>= 1;
    }
    result
}

/// By Fermat: the inverse of `a`, which is not 0.
const fn inverse(a: u32) -> u32 {
    power(a, PRIME - 2)
}

/// The value of a polynomial, lowest coefficient first.
fn value(polynomial: &[u32], x: u32) -> u32 {
    polynomial.iter().rev().fold(0, |sum, c| (sum * x + c) % PRIME)
}

/// Mends `codewords`, of which the last `correction` are correction codewords and those at the places `erased` are unknown.
///
/// Returns how many codewords were changed; `None`, with the codewords as they were, where there is too much to mend.
pub(crate) fn correct(codewords: &mut [u32], correction: usize, erased: &[usize]) -> Option<usize> {
    let length = codewords.len();
    let budget = correction.checked_sub(RESERVED)?;
    if length >= PRIME as usize || correction >= length || erased.len() > budget {
        return None;
    }
    let syndromes = syndromes(codewords, correction);
    if syndromes.iter().all(|s| *s == 0) {
        return Some(0);
    }
    let root = |place: usize| power(GENERATOR, (length - 1 - place) as u32);
    let erasures: Vec<u32> = erased.iter().map(|place| root(*place)).collect();
    let locator = locator(&syndromes, &erasures);
    let faults = locator.iter().rposition(|c| *c != 0)?;
    if faults < erased.len() || 2 * faults - erased.len() > budget {
        return None;
    }
    let places: Vec<usize> = (0..length)
        .filter(|place| value(&locator, inverse(root(*place))) == 0)
        .collect();
    if places.len() != faults {
        return None;
    }
    let before = codewords.to_vec();
    let evaluator = evaluator(&syndromes, &locator);
    let derivative: Vec<u32> = locator
        .iter()
        .enumerate()
        .skip(1)
        .map(|(i, c)| times(i as u32, *c))
        .collect();
    for place in places {
        // Forney's formula.
        let at = inverse(root(place));
        let error = minus(0, times(value(&evaluator, at), inverse(value(&derivative, at))));
        codewords[place] = minus(codewords[place], error);
    }
    if self::syndromes(codewords, correction).iter().any(|s| *s != 0) {
        codewords.copy_from_slice(&before);
        return None;
    }
    Some(before.iter().zip(codewords.iter()).filter(|(a, b)| a != b).count())
}

fn syndromes(codewords: &[u32], correction: usize) -> Vec<u32> {
    (1..=correction as u32)
        .map(|i| {
            let x = power(GENERATOR, i);
            codewords.iter().fold(0, |sum, c| (sum * x + c) % PRIME)
        })
        .collect()
}

/// The polynomial whose roots are the inverses of the faults' places (Berlekamp and Massey, begun with the erasures).
fn locator(syndromes: &[u32], erasures: &[u32]) -> Vec<u32> {
    let known = erasures.len();
    let mut locator = vec![0; syndromes.len() + 2];
    locator[0] = 1;
    for (degree, root) in erasures.iter().enumerate() {
        for i in (0..=degree).rev() {
            locator[i + 1] = minus(locator[i + 1], times(locator[i], *root));
        }
    }
    let (mut previous, mut faults) = (locator.clone(), known);
    for step in known + 1..=syndromes.len() {
        let discrepancy = (0..step).fold(0, |sum, i| (sum + locator[i] * syndromes[step - 1 - i]) % PRIME);
        previous.pop();
        previous.insert(0, 0);
        if discrepancy == 0 {
            continue;
        }
        let next: Vec<u32> = locator
            .iter()
            .zip(&previous)
            .map(|(a, b)| minus(*a, times(discrepancy, *b)))
            .collect();
        if 2 * faults < step + known {
            faults = step + known - faults;
            let scale = inverse(discrepancy);
            previous = locator.iter().map(|c| times(*c, scale)).collect();
        }
        locator = next;
    }
    locator
}

fn evaluator(syndromes: &[u32], locator: &[u32]) -> Vec<u32> {
    (0..syndromes.len())
        .map(|degree| (0..=degree).fold(0, |sum, i| (sum + locator[i] * syndromes[degree - i]) % PRIME))
        .collect()
}

/// Puts `correction` correction codewords behind the data.
#[cfg(test)]
pub(crate) fn protect(data: &[u32], correction: usize) -> Vec<u32> {
    let mut generator = vec![1];
    for i in 1..=correction as u32 {
        let root = power(GENERATOR, i);
        generator.push(0);
        for at in (1..generator.len()).rev() {
            generator[at] = minus(generator[at], times(generator[at - 1], root));
        }
    }
    let mut rest = data.to_vec();
    rest.resize(data.len() + correction, 0);
    for at in 0..data.len() {
        let factor = rest[at];
        for (i, c) in generator.iter().enumerate() {
            rest[at + i] = minus(rest[at + i], times(factor, *c));
        }
    }
    let mut all = data.to_vec();
    all.extend(rest[data.len()..].iter().map(|c| minus(0, *c)));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The example of ISO/IEC 15438, annex Q: "PDF417" at level 1.
    #[test]
    fn the_standards_example_is_whole_and_mended() {
        let sent = [5, 453, 178, 121, 239, 452, 327, 657, 619];
        assert_eq!(protect(&sent[..5], 4), sent);
        let mut received = sent;
        received[2] = 0;
        assert_eq!(correct(&mut received, 4, &[]), Some(1));
        assert_eq!(received, sent);
    }

    proptest! {
        #[test]
        fn as_many_faults_as_the_level_allows_are_mended(
            data in prop::collection::vec(0..PRIME, 1..200),
            level in 1_u32..6,
            seed in prop::collection::vec((any::<prop::sample::Index>(), 1..PRIME), 64),
            share in 0_usize..=10,
        ) {
            let correction = 2_usize << level;
            let sent = protect(&data, correction);
            let mut received = sent.clone();
            let erasures = (correction - RESERVED) * share / 10;
            let errors = (correction - RESERVED - erasures) / 2;
            let mut places: Vec<usize> = Vec::new();
            for (place, change) in seed {
                let place = place.index(sent.len());
                if places.len() < erasures + errors && !places.contains(&place) {
                    places.push(place);
                    received[place] = (received[place] + change) % PRIME;
                }
            }
            let erased: Vec<usize> = places.iter().copied().take(erasures).collect();
            prop_assert_eq!(correct(&mut received, correction, &erased), Some(places.len()));
            prop_assert_eq!(received, sent);
        }

        #[test]
        fn anything_is_refused_or_becomes_whole(
            words in prop::collection::vec(0..PRIME, 1..60),
            correction in 0_usize..70,
            erased in prop::collection::vec(0_usize..60, 0..8),
        ) {
            let mut erased: Vec<usize> = erased.into_iter().filter(|place| *place < words.len()).collect();
            erased.sort_unstable();
            erased.dedup();
            let mut received = words.clone();
            match correct(&mut received, correction, &erased) {
                None => prop_assert_eq!(received, words),
                Some(_) => prop_assert!(syndromes(&received, correction).iter().all(|s| *s == 0)),
            }
        }
    }
}
