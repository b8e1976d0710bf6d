//! Pixels in memory: 8-bit RGB rows, with bilinear sampling, area downscaling and quarter turns. No files, no formats.

use lens::frame::Frame;
use std::borrow::Cow;

/// A channel is amplified at most this many times: what is darker is only noise.
const MOST_GAIN: f32 = 4.0;

/// An 8-bit RGB picture, rows from the top, no padding.
#[derive(Clone, PartialEq, Eq)]
pub struct Raster {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl std::fmt::Debug for Raster {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Raster({}x{})", self.width, self.height)
    }
}

impl Raster {
    /// The picture as `lens` takes it.
    pub(crate) fn frame(&self) -> Option<Frame<'_>> {
        Frame::rgb(
            u32::try_from(self.width()).ok()?,
            u32::try_from(self.height()).ok()?,
            self.pixels(),
        )
    }

    /// A picture of three bytes a pixel; `None` where the length does not fit the size or the size is nothing.
    #[must_use]
    pub fn new(width: usize, height: usize, pixels: Vec<u8>) -> Option<Self> {
        let length = width.checked_mul(height)?.checked_mul(3)?;
        (length > 0 && length == pixels.len()).then_some(Self { width, height, pixels })
    }

    /// A picture in one colour; sides of 0 become 1.
    #[must_use]
    pub fn filled(width: usize, height: usize, colour: [u8; 3]) -> Self {
        let (width, height) = (width.max(1), height.max(1));
        Self {
            width,
            height,
            pixels: colour.repeat(width * height),
        }
    }

    /// Pixels from left to right.
    #[must_use]
    pub const fn width(&self) -> usize {
        self.width
    }

    /// Pixels from top to bottom.
    #[must_use]
    pub const fn height(&self) -> usize {
        self.height
    }

    /// The longer side.
    #[must_use]
    pub fn longest(&self) -> usize {
        self.width.max(self.height)
    }

    /// All bytes, three a pixel.
    #[must_use]
    pub fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    /// The bytes of one row.
    pub(crate) fn row(&self, y: usize) -> &[u8] {
        let from = y * self.width * 3;
        &self.pixels[from..from + self.width * 3]
    }

    /// Copies `other` into this picture with its upper left corner at (`x`, `y`); what does not fit is left out.
    pub fn paste(&mut self, other: &Self, x: usize, y: usize) {
        let columns = other.width.min(self.width.saturating_sub(x));
        let rows = other.height.min(self.height.saturating_sub(y));
        if columns == 0 {
            return;
        }
        for row in 0..rows {
            let to = ((row + y) * self.width + x) * 3;
            self.pixels[to..to + columns * 3].copy_from_slice(&other.row(row)[..columns * 3]);
        }
    }

    /// The part of the picture that begins at (`x`, `y`), cut at the picture's edges; `None` where nothing is left.
    #[must_use]
    pub fn crop(&self, x: usize, y: usize, width: usize, height: usize) -> Option<Self> {
        let width = width.min(self.width.checked_sub(x)?);
        let height = height.min(self.height.checked_sub(y)?);
        let mut pixels = Vec::with_capacity(width * height * 3);
        for row in y..y + height {
            pixels.extend_from_slice(&self.row(row)[x * 3..(x + width) * 3]);
        }
        Self::new(width, height, pixels)
    }

    /// The colour between pixels; coordinates beyond the edge take the edge's colour. (0, 0) is the first pixel's centre.
    pub(crate) fn sample(&self, x: f32, y: f32) -> [f32; 3] {
        let x = x.clamp(0.0, (self.width - 1) as f32);
        let y = y.clamp(0.0, (self.height - 1) as f32);
        let (left, top) = (x as usize, y as usize);
        let (right, bottom) = ((left + 1).min(self.width - 1), (top + 1).min(self.height - 1));
        let (dx, dy) = (x - left as f32, y - top as f32);
        let (upper, lower) = (self.row(top), self.row(bottom));
        let weights = [(1.0 - dx) * (1.0 - dy), dx * (1.0 - dy), (1.0 - dx) * dy, dx * dy];
        let (a, b) = (&upper[left * 3..left * 3 + 3], &upper[right * 3..right * 3 + 3]);
        let (c, d) = (&lower[left * 3..left * 3 + 3], &lower[right * 3..right * 3 + 3]);
        std::array::from_fn(|i| {
            f32::from(a[i]) * weights[0]
                + f32::from(b[i]) * weights[1]
                + f32::from(c[i]) * weights[2]
                + f32::from(d[i]) * weights[3]
        })
    }

    /// The picture averaged down so that its longer side is at most `side`; a smaller one is returned as it is.
    #[must_use]
    pub fn shrunk(&self, side: usize) -> Cow<'_, Self> {
        let longest = self.longest();
        if longest <= side {
            return Cow::Borrowed(self);
        }
        let scale = side as f32 / longest as f32;
        let scaled = |length: usize| ((length as f32 * scale).round() as usize).max(1);
        Cow::Owned(self.resized(scaled(self.width), scaled(self.height)))
    }

    /// The picture at another size: area average where it gets smaller, bilinear where it gets larger.
    ///
    /// Works row by row, so that it needs no more memory than the result. Rows are added before their pixels are, since whole rows
    /// are added many numbers at a time.
    #[must_use]
    pub fn resized(&self, width: usize, height: usize) -> Self {
        let (width, height) = (width.max(1), height.max(1));
        if (width, height) == (self.width, self.height) {
            return self.clone();
        }
        let columns = Taps::new(self.width, width);
        let rows = Taps::new(self.height, height);
        let mut pixels = Vec::with_capacity(width * height * 3);
        let mut sums = vec![0.0_f32; self.width * 3];
        for y in 0..height {
            let (first, weights) = rows.of(y);
            sums.fill(0.0);
            for (offset, weight) in weights.iter().enumerate() {
                let row = self.row(first + offset);
                sums.iter_mut()
                    .zip(row)
                    .for_each(|(sum, value)| *sum += f32::from(*value) * weight);
            }
            columns.squeeze(&sums, &mut pixels);
        }
        Self { width, height, pixels }
    }

    /// The picture turned clockwise by this many quarters.
    #[must_use]
    pub fn turned(&self, quarters: u8) -> Self {
        let (w, h) = (self.width, self.height);
        let (width, height) = if quarters.is_multiple_of(2) { (w, h) } else { (h, w) };
        let mut pixels = Vec::with_capacity(self.pixels.len());
        for y in 0..height {
            for x in 0..width {
                let (from_x, from_y) = match quarters % 4 {
                    0 => (x, y),
                    1 => (y, h - 1 - x),
                    2 => (w - 1 - x, h - 1 - y),
                    _ => (w - 1 - y, x),
                };
                let at = (from_y * w + from_x) * 3;
                pixels.extend_from_slice(&self.pixels[at..at + 3]);
            }
        }
        Self { width, height, pixels }
    }

    /// The picture as a mirror shows it.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        let rows = self.pixels.chunks_exact(self.width * 3);
        let pixels = rows
            .flat_map(|row| row.chunks_exact(3).rev().flatten().copied())
            .collect();
        Self {
            width: self.width,
            height: self.height,
            pixels,
        }
    }

    /// BT.601 luma, one byte a pixel.
    #[must_use]
    pub fn luma(&self) -> Vec<u8> {
        let grey = |p: &[u8]| (u32::from(p[0]) * 77 + u32::from(p[1]) * 150 + u32::from(p[2]) * 29 + 128) >> 8;
        self.pixels.chunks_exact(3).map(|p| grey(p) as u8).collect()
    }

    /// The picture as in white light: each channel is made as bright on average as the brightest one (the grey-world assumption).
    pub(crate) fn balanced(&self) -> Self {
        let mut sums = [0_u64; 3];
        for pixel in self.pixels.chunks_exact(3) {
            for (sum, value) in sums.iter_mut().zip(pixel) {
                *sum += u64::from(*value);
            }
        }
        let most = sums.iter().max().copied().unwrap_or_default();
        let gains = sums.map(|sum| (most as f32 / sum.max(1) as f32).min(MOST_GAIN));
        let balanced =
            |pixel: &[u8]| [0, 1, 2].map(|channel| (f32::from(pixel[channel]) * gains[channel]).min(255.0) as u8);
        Self {
            pixels: self.pixels.chunks_exact(3).flat_map(balanced).collect(),
            ..*self
        }
    }
}

/// For every place of a resized row, the source pixels that make it up and their weights.
struct Taps(Vec<(usize, Vec<f32>)>);

impl Taps {
    fn new(from: usize, to: usize) -> Self {
        let scale = from as f32 / to as f32;
        let taps = (0..to).map(|i| {
            if scale > 1.0 {
                area(i, scale, from)
            } else {
                linear(i, scale, from)
            }
        });
        Self(taps.collect())
    }

    fn of(&self, index: usize) -> (usize, &[f32]) {
        self.0
            .get(index)
            .map_or((0, &[][..]), |(first, weights)| (*first, weights))
    }

    /// Adds the pixels of a row to the result.
    fn squeeze(&self, row: &[f32], out: &mut Vec<u8>) {
        for (first, weights) in &self.0 {
            let mut sum = [0.5_f32; 3];
            for (pixel, weight) in row[first * 3..].chunks_exact(3).zip(weights) {
                for channel in 0..3 {
                    sum[channel] += pixel[channel] * weight;
                }
            }
            out.extend(sum.map(|value| value as u8));
        }
    }
}

fn area(index: usize, scale: f32, from: usize) -> (usize, Vec<f32>) {
    let (start, end) = (index as f32 * scale, ((index + 1) as f32 * scale).min(from as f32));
    let first = (start as usize).min(from - 1);
    let last = (end.ceil() as usize).clamp(first + 1, from);
    let covered = |pixel: usize| ((pixel + 1) as f32).min(end) - (pixel as f32).max(start);
    let weights: Vec<f32> = (first..last).map(|pixel| covered(pixel).max(0.0)).collect();
    let sum: f32 = weights.iter().sum();
    (
        first,
        weights.iter().map(|w| if sum > 0.0 { w / sum } else { 1.0 }).collect(),
    )
}

fn linear(index: usize, scale: f32, from: usize) -> (usize, Vec<f32>) {
    let at = ((index as f32 + 0.5) * scale - 0.5).clamp(0.0, (from - 1) as f32);
    let first = at as usize;
    if first + 1 >= from {
        (first, vec![1.0])
    } else {
        (first, vec![1.0 - at.fract(), at.fract()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ramp(width: usize, height: usize) -> Raster {
        let pixels = (0..width * height)
            .flat_map(|i| [(i % width) as u8, (i / width) as u8, 7])
            .collect();
        Raster { width, height, pixels }
    }

    #[test]
    fn coloured_light_is_balanced_and_white_light_stays() {
        let seen = |colour: [u8; 3]| Raster::filled(4, 2, colour).balanced().pixels()[..3].to_vec();
        assert_eq!(seen([60, 150, 100]), [150, 150, 150]);
        assert_eq!(seen([90, 90, 90]), [90, 90, 90]);
        assert_eq!(seen([10, 200, 0]), [40, 200, 0], "noise is not amplified without bound");
    }

    #[test]
    fn four_quarter_turns_are_the_same_picture_and_one_moves_the_first_pixel_to_the_right() {
        let picture = ramp(5, 3);
        let turned = (0..4).fold(picture.clone(), |p, _| p.turned(1));
        assert_eq!(turned, picture);
        let once = picture.turned(1);
        assert_eq!(
            (once.width(), once.height(), &once.row(0)[6..9]),
            (3, 5, &[0, 0, 7][..])
        );
        assert_eq!(picture.turned(2), picture.turned(1).turned(1));
        assert_eq!(picture.turned(3).turned(1), picture);
    }

    #[test]
    fn shrinking_keeps_the_mean_and_growing_keeps_the_corners() {
        let picture = ramp(200, 100);
        let small = picture.resized(20, 10);
        assert_eq!(&small.row(0)[..3], &[5, 5, 7], "mean of 0..=9 is 4.5, rounded up");
        let large = small.resized(40, 20);
        assert_eq!(large.row(0)[..3], small.row(0)[..3]);
        assert_eq!(picture.shrunk(50).width(), 50);
        assert!(matches!(picture.shrunk(200), Cow::Borrowed(_)), "nothing is copied");
    }

    #[test]
    fn a_sample_between_pixels_is_their_mean_and_beyond_the_edge_the_edge() {
        let picture = ramp(4, 4);
        assert_eq!(picture.sample(1.5, 2.5), [1.5, 2.5, 7.0]);
        assert_eq!(picture.sample(-5.0, 99.0), [0.0, 3.0, 7.0]);
    }
}
