//! Whether two sets of landmarks are two views of a plane: fits a homography and measures its residual.
//!
//! A photograph that is tilted and moved in front of the camera stays a plane; a head that turns does not.

/// A homography as its nine numbers, the last of them 1.
type Homography = [f64; 9];

/// Root mean square distance that the best homography from `from` to `to` leaves, over `unit`; `None` where the points do
/// not define one.
pub(super) fn residual(from: &[[f32; 2]], to: &[[f32; 2]], unit: f32) -> Option<f32> {
    if from.len() != to.len() || from.len() < 8 || unit <= 0.0 {
        return None;
    }
    let (from, _) = normalised(from)?;
    let (to, scale) = normalised(to)?;
    let h = fit(&from, &to)?;
    let error: f64 = from
        .iter()
        .zip(&to)
        .map(|(p, q)| {
            let r = apply(&h, *p);
            (r[0] - q[0]).powi(2) + (r[1] - q[1]).powi(2)
        })
        .sum();
    let rms = (error / from.len() as f64).sqrt() * scale / f64::from(unit);
    rms.is_finite().then_some(rms as f32)
}

/// Points about their mean with mean distance √2, as the direct linear transform wants them, and the scale that was taken out.
fn normalised(points: &[[f32; 2]]) -> Option<(Vec<[f64; 2]>, f64)> {
    let count = points.len() as f64;
    let mean = |axis: usize| points.iter().map(|p| f64::from(p[axis])).sum::<f64>() / count;
    let (x, y) = (mean(0), mean(1));
    let centred: Vec<[f64; 2]> = points
        .iter()
        .map(|p| [f64::from(p[0]) - x, f64::from(p[1]) - y])
        .collect();
    let spread = centred.iter().map(|p| p[0].hypot(p[1])).sum::<f64>() / count / std::f64::consts::SQRT_2;
    (spread > 1e-9).then(|| (centred.iter().map(|p| p.map(|v| v / spread)).collect(), spread))
}

/// Least squares over the eight free numbers (normal equations), then twice again with each row divided by its depth, so that
/// true distances are minimised.
fn fit(from: &[[f64; 2]], to: &[[f64; 2]]) -> Option<Homography> {
    let mut h: Homography = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    for _ in 0..3 {
        let mut normal = [[0.0; 9]; 8];
        for (p, q) in from.iter().zip(to) {
            let depth = h[6] * p[0] + h[7] * p[1] + 1.0;
            let weight = 1.0 / (depth * depth).max(1e-6);
            let rows = [
                ([p[0], p[1], 1.0, 0.0, 0.0, 0.0, -p[0] * q[0], -p[1] * q[0]], q[0]),
                ([0.0, 0.0, 0.0, p[0], p[1], 1.0, -p[0] * q[1], -p[1] * q[1]], q[1]),
            ];
            for (row, value) in rows {
                for i in 0..8 {
                    for j in 0..8 {
                        normal[i][j] += weight * row[i] * row[j];
                    }
                    normal[i][8] += weight * row[i] * value;
                }
            }
        }
        let solved = solve(normal)?;
        h[..8].copy_from_slice(&solved);
    }
    Some(h)
}

/// Gaussian elimination with row exchange.
fn solve(mut rows: [[f64; 9]; 8]) -> Option<[f64; 8]> {
    for column in 0..8 {
        let pivot = (column..8).max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()))?;
        if rows[pivot][column].abs() < 1e-12 {
            return None;
        }
        rows.swap(column, pivot);
        let lead = rows[column];
        for (index, row) in rows.iter_mut().enumerate() {
            if index != column {
                let factor = row[column] / lead[column];
                row.iter_mut().zip(lead).for_each(|(value, l)| *value -= factor * l);
            }
        }
    }
    Some(std::array::from_fn(|i| rows[i][8] / rows[i][i]))
}

fn apply(h: &Homography, p: [f64; 2]) -> [f64; 2] {
    let depth = h[6] * p[0] + h[7] * p[1] + h[8];
    [
        (h[0] * p[0] + h[1] * p[1] + h[2]) / depth,
        (h[3] * p[0] + h[4] * p[1] + h[5]) / depth,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face::pose::tests::head;

    #[test]
    fn a_tilted_photograph_is_a_plane_and_a_turned_head_is_not() {
        let frontal = head(0.0, false);
        let eye = frontal.eye_distance();
        let photograph = residual(head(0.0, true).points(), head(35.0, true).points(), eye).unwrap();
        let person = residual(frontal.points(), head(35.0, false).points(), eye).unwrap();
        assert!(photograph < 0.02, "{photograph}");
        assert!(person > 0.08, "{person}");
    }

    #[test]
    fn points_on_one_spot_define_nothing() {
        assert!(residual(&[[1.0, 1.0]; 68], &[[2.0, 2.0]; 68], 60.0).is_none());
        assert!(residual(&[[1.0, 1.0]; 4], &[[2.0, 2.0]; 4], 60.0).is_none());
    }
}
