//! The median of some values, and other quantiles.

/// The median, of an even number of values the greater of the two in the middle; `None` of no values.
pub(crate) fn median(values: impl IntoIterator<Item = f32>) -> Option<f32> {
    quantile(values, [1, 2])
}

/// The value that `part` of every `whole` values are below; `None` of no values.
pub(crate) fn quantile(values: impl IntoIterator<Item = f32>, [part, whole]: [usize; 2]) -> Option<f32> {
    let mut values: Vec<f32> = values.into_iter().collect();
    let index = values.len() * part / whole;
    (index < values.len()).then(|| *values.select_nth_unstable_by(index, f32::total_cmp).1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_has_as_many_values_below_as_above() {
        assert_eq!(median([5.0, 1.0, 3.0]), Some(3.0));
        assert_eq!(median([4.0, 1.0, 3.0, 2.0]), Some(3.0), "the greater of two");
        assert_eq!(median([]), None);
    }

    #[test]
    fn a_quantile_has_its_share_of_the_values_below() {
        let values = || (0_u8..40).rev().map(f32::from);
        assert_eq!(quantile(values(), [1, 20]), Some(2.0));
        assert_eq!(quantile(values(), [9, 10]), Some(36.0));
        assert_eq!(quantile([7.0], [1, 20]), Some(7.0));
    }
}
