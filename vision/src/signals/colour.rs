//! Colours of the light that comes from paper, and from what lies on it.

/// Brightness at which tints are compared, and how much red and blue of one tint differ at most: shadows on rendered pictures reach 10, skin on white
/// paper is 25 and more away. Pale skin on pink paper may be nearer.
pub(super) const TINT: (f32, f32) = (200.0, 12.0);

/// Root mean square over the channels.
pub(super) fn difference(one: [f32; 3], other: [f32; 3]) -> f32 {
    let square: f32 = one
        .iter()
        .zip(other)
        .map(|(one, other)| (one - other) * (one - other))
        .sum();
    (square / 3.0).sqrt()
}

/// Whether two colours differ in brightness only.
pub(super) fn is_of_tint(one: [f32; 3], other: [f32; 3]) -> bool {
    let mut tints = tint(one).into_iter().zip(tint(other));
    tints.all(|(one, other)| (one - other).abs() < TINT.1)
}

/// Red and blue of a colour, brought to one brightness.
pub(super) fn tint(colour: [f32; 3]) -> [f32; 2] {
    let [red, _, blue] = colour.map(|value| value / brightness(colour).max(1.0) * TINT.0);
    [red, blue]
}

/// The mean of the channels.
pub(super) fn brightness(colour: [f32; 3]) -> f32 {
    colour.iter().sum::<f32>() / 3.0
}
