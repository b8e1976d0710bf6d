//! Pooling: the largest or the mean value under a window.

use super::{Map, Padding};

/// The largest value of each window.
pub(crate) fn pool_max(input: &Map, kernel: usize, stride: usize, padding: Padding) -> Map {
    let windows = Windows {
        kernel,
        stride,
        padding,
    };
    pool(input, windows, f32::MIN, |sum, value| sum.max(value), |value, _| value)
}

/// The mean of each window, over the pixels that are inside the picture.
pub(crate) fn pool_average(input: &Map, kernel: usize, stride: usize, padding: Padding) -> Map {
    let windows = Windows {
        kernel,
        stride,
        padding,
    };
    pool(
        input,
        windows,
        0.0,
        |sum, value| sum + value,
        |sum, count| sum / count as f32,
    )
}

/// The mean of each channel.
pub(crate) fn global_average(input: &Map) -> Vec<f32> {
    let mut mean = vec![0.0; input.channels];
    for pixel in input.data.chunks_exact(input.channels) {
        mean.iter_mut().zip(pixel).for_each(|(m, v)| *m += v);
    }
    let count = (input.height * input.width) as f32;
    mean.iter_mut().for_each(|m| *m /= count);
    mean
}

/// The windows under which values are pooled.
struct Windows {
    /// Side in pixels.
    kernel: usize,
    /// Pixels from one to the next.
    stride: usize,
    padding: Padding,
}

fn pool(
    input: &Map,
    windows: Windows,
    start: f32,
    step: impl Fn(f32, f32) -> f32,
    finish: impl Fn(f32, usize) -> f32,
) -> Map {
    let Windows {
        kernel,
        stride,
        padding,
    } = windows;
    let (height, top) = padding.along(input.height, kernel, stride);
    let (width, left) = padding.along(input.width, kernel, stride);
    let mut out = Map::zeros(height, width, input.channels);
    let inside = |at: usize, pad: usize, length: usize| {
        (at * stride).saturating_sub(pad)..(at * stride + kernel).saturating_sub(pad).min(length)
    };
    for y in 0..height {
        for x in 0..width {
            let (rows, columns) = (inside(y, top, input.height), inside(x, left, input.width));
            let count = rows.len() * columns.len();
            let result = out.at_mut(y, x);
            result.fill(start);
            for (row, column) in rows.flat_map(|row| columns.clone().map(move |column| (row, column))) {
                result
                    .iter_mut()
                    .zip(input.at(row, column))
                    .for_each(|(r, v)| *r = step(*r, *v));
            }
            result.iter_mut().for_each(|r| *r = finish(*r, count));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_at_the_edge_count_the_pixels_inside_only() {
        let input = Map {
            height: 3,
            width: 3,
            channels: 1,
            data: (1..=9).map(|i| i as f32).collect(),
        };
        let max = pool_max(&input, 2, 2, Padding::Same);
        assert_eq!((max.height, max.data.as_slice()), (2, &[5.0, 6.0, 8.0, 9.0][..]));
        let mean = pool_average(&input, 2, 2, Padding::Same);
        assert_eq!(mean.data, [3.0, 4.5, 7.5, 9.0]);
        assert_eq!(pool_average(&input, 3, 1, Padding::Valid).data, [5.0]);
        assert_eq!(global_average(&input), [5.0]);
    }
}
