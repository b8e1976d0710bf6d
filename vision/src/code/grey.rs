//! Grey pictures as the code readers take them.

use crate::raster::Raster;

/// 8-bit luma, rows from the top, no padding.
#[derive(Clone)]
pub(crate) struct Grey {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) pixels: Vec<u8>,
}

impl Grey {
    /// Luma by Rec. 601 in integers.
    pub(crate) fn of(picture: &Raster) -> Self {
        let luma = |p: &[u8]| ((u32::from(p[0]) * 77 + u32::from(p[1]) * 150 + u32::from(p[2]) * 29) >> 8) as u8;
        Self {
            width: picture.width(),
            height: picture.height(),
            pixels: picture.pixels().chunks_exact(3).map(luma).collect(),
        }
    }

    /// The brightness between pixels; white beyond the picture. (0, 0) is the first pixel's centre.
    pub(crate) fn sample(&self, x: f32, y: f32) -> f32 {
        let (left, top) = (x.floor(), y.floor());
        let (dx, dy) = (x - left, y - top);
        let (left, top) = (left as i64, top as i64);
        let upper = self.pixel(left, top) * (1.0 - dx) + self.pixel(left + 1, top) * dx;
        let lower = self.pixel(left, top + 1) * (1.0 - dx) + self.pixel(left + 1, top + 1) * dx;
        upper * (1.0 - dy) + lower * dy
    }

    fn pixel(&self, x: i64, y: i64) -> f32 {
        match (usize::try_from(x), usize::try_from(y)) {
            (Ok(x), Ok(y)) if x < self.width && y < self.height => f32::from(self.pixels[y * self.width + x]),
            _ => 255.0,
        }
    }

    /// Half as wide and half as high, four pixels averaged into one; a last odd row or column is left out.
    pub(crate) fn halved(&self) -> Self {
        let (width, height) = ((self.width / 2).max(1), (self.height / 2).max(1));
        let at =
            |x: usize, y: usize| u32::from(self.pixels[y.min(self.height - 1) * self.width + x.min(self.width - 1)]);
        let mean = |x: usize, y: usize| ((at(x, y) + at(x + 1, y) + at(x, y + 1) + at(x + 1, y + 1) + 2) / 4) as u8;
        Self {
            width,
            height,
            pixels: (0..width * height)
                .map(|i| mean(i % width * 2, i / width * 2))
                .collect(),
        }
    }

    /// Each pixel the mean of itself and its eight neighbours: less noise, less sharpness.
    pub(crate) fn smoothed(&self) -> Self {
        let at =
            |x: usize, y: usize| u32::from(self.pixels[y.min(self.height - 1) * self.width + x.min(self.width - 1)]);
        let mean = |x: usize, y: usize| {
            let columns = [x.saturating_sub(1), x, x + 1];
            let sum: u32 = [y.saturating_sub(1), y, y + 1]
                .iter()
                .flat_map(|y| columns.map(|x| at(x, *y)))
                .sum();
            ((sum + 4) / 9) as u8
        };
        Self {
            width: self.width,
            height: self.height,
            pixels: (0..self.width * self.height)
                .map(|i| mean(i % self.width, i / self.width))
                .collect(),
        }
    }

    /// Twice as wide and twice as high, by Catmull-Rom curves, which keep narrow bars apart.
    pub(crate) fn doubled(&self) -> Self {
        let across = Self::stretched(&self.pixels, self.width, self.height);
        let turned = transposed(&across, self.width * 2, self.height);
        let down = Self::stretched(&turned, self.height, self.width * 2);
        Self {
            width: self.width * 2,
            height: self.height * 2,
            pixels: transposed(&down, self.height * 2, self.width * 2),
        }
    }

    /// Rows of twice the length.
    fn stretched(pixels: &[u8], width: usize, height: usize) -> Vec<u8> {
        let mut out = Vec::with_capacity(width * height * 2);
        for row in pixels.chunks_exact(width) {
            let at = |x: usize| f32::from(row[x.clamp(1, width) - 1]);
            for x in 1..=width {
                // The two new pixels lie a quarter to the left and to the right of the old one's centre.
                let near = [at(x.saturating_sub(2)), at(x - 1), at(x), at(x + 1), at(x + 2)];
                for taps in [
                    [near[0], near[1], near[2], near[3]],
                    [near[4], near[3], near[2], near[1]],
                ] {
                    const WEIGHTS: [f32; 4] = [-0.023_437_5, 0.226_562_5, 0.867_187_5, -0.070_312_5];
                    let value: f32 = taps.iter().zip(WEIGHTS).map(|(tap, weight)| tap * weight).sum();
                    out.push(value.round().clamp(0.0, 255.0) as u8);
                }
            }
        }
        out
    }
}

fn transposed(pixels: &[u8], width: usize, height: usize) -> Vec<u8> {
    (0..width * height)
        .map(|i| pixels[i % height * width + i / height])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ramp(width: usize, height: usize) -> Grey {
        Grey {
            width,
            height,
            pixels: (0..width * height)
                .map(|i| (i % width * 4 + i / width * 8) as u8)
                .collect(),
        }
    }

    #[test]
    fn a_ramp_stays_a_ramp_in_every_size() {
        let grey = ramp(20, 12);
        let (half, double) = (grey.halved(), grey.doubled());
        assert_eq!((half.width, half.height, double.width, double.height), (10, 6, 40, 24));
        // Centres: a pixel x of the half lies at 2x + 0.5, one of the double at (x - 0.5) / 2.
        for (x, y) in [(2, 2), (7, 4)] {
            let wanted = grey.sample(x as f32 * 2.0 + 0.5, y as f32 * 2.0 + 0.5);
            assert!((f32::from(half.pixels[y * 10 + x]) - wanted).abs() <= 1.0);
        }
        for (x, y) in [(9, 9), (21, 14)] {
            let wanted = grey.sample((x as f32 - 0.5) / 2.0, (y as f32 - 0.5) / 2.0);
            assert!((f32::from(double.pixels[y * 40 + x]) - wanted).abs() <= 1.5);
        }
        assert_eq!(grey.smoothed().pixels[5 * 20 + 5], grey.pixels[5 * 20 + 5]);
    }

    #[test]
    fn beyond_the_picture_all_is_white() {
        let grey = ramp(4, 4);
        assert!((grey.sample(-3.0, 1.0) - 255.0).abs() < 1e-6 && (grey.sample(1.0, 9.0) - 255.0).abs() < 1e-6);
    }
}
