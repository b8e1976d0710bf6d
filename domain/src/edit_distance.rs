//! How much two texts differ.

/// Levenshtein distance: how many elements must be replaced, added or left out to make one of the other.
#[must_use]
pub fn edit_distance<T: PartialEq>(a: &[T], b: &[T]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_replaced_added_or_missing_element_counts_once() {
        for (a, b, distance) in [("", "", 0), ("kitten", "sitting", 3), ("港区", "東京都港区", 3)] {
            let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
            assert_eq!(edit_distance(&a, &b), distance);
        }
    }

    proptest! {
        #[test]
        fn edit_distance_is_symmetric_and_bounded(a in "[ab東京]{0,8}", b in "[ab東京]{0,8}") {
            let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
            let distance = edit_distance(&a, &b);
            prop_assert_eq!(distance, edit_distance(&b, &a));
            prop_assert!(distance <= a.len().max(b.len()) && distance >= a.len().abs_diff(b.len()));
        }
    }
}
