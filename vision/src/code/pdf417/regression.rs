//! A straight line through points.

/// Height at 0 and slope of the line that passes points (place, height) with the least squared error; `None` where all have one place.
pub(super) fn least_squares(points: &[(f32, f32)]) -> Option<(f32, f32)> {
    let count = points.len() as f32;
    let (places, heights) = points.iter().fold((0.0, 0.0), |sum, p| (sum.0 + p.0, sum.1 + p.1));
    let (place, height) = (places / count, heights / count);
    let (both, own) = points.iter().fold((0.0, 0.0), |sum, p| {
        let off = p.0 - place;
        (sum.0 + off * (p.1 - height), sum.1 + off * off)
    });
    (own > 0.0).then(|| {
        let slope = both / own;
        (height - slope * place, slope)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_goes_through_points_that_lie_on_one_and_none_goes_through_a_single_place() {
        let (at_zero, slope) = least_squares(&[(0.0, 1.0), (2.0, 2.0), (4.0, 3.0)]).unwrap();
        assert!((at_zero - 1.0).abs() < 1e-6 && (slope - 0.5).abs() < 1e-6);
        assert!(least_squares(&[(3.0, 1.0), (3.0, 2.0)]).is_none());
        assert!(least_squares(&[]).is_none());
    }
}
