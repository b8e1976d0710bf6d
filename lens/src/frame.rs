//! The lens's input: borrowed pixels in, one grey plane of bounded size out.

/// The longest side of the plane that is analysed, so that a phone's preview and a large upload are judged at one scale.
pub const ANALYSED_SIDE: usize = 640;

/// How the borrowed pixels are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    Rgba,
    Rgb,
    Luma,
}

/// Borrowed pixels of one picture, rows from the top, no padding between rows.
#[derive(Clone, Copy)]
pub struct Frame<'a> {
    width: usize,
    height: usize,
    pixels: &'a [u8],
    layout: Layout,
}

impl std::fmt::Debug for Frame<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Frame({}x{} {:?})", self.width, self.height, self.layout)
    }
}

impl<'a> Frame<'a> {
    /// A frame of four bytes a pixel, as a browser's canvas gives it; `None` where the length does not fit the size.
    #[must_use]
    pub fn rgba(width: u32, height: u32, pixels: &'a [u8]) -> Option<Self> {
        Self::new(width, height, pixels, Layout::Rgba, 4)
    }

    /// A frame of three bytes a pixel; `None` where the length does not fit the size.
    #[must_use]
    pub fn rgb(width: u32, height: u32, pixels: &'a [u8]) -> Option<Self> {
        Self::new(width, height, pixels, Layout::Rgb, 3)
    }

    /// A frame of one grey byte a pixel; `None` where the length does not fit the size.
    #[must_use]
    pub fn luma(width: u32, height: u32, pixels: &'a [u8]) -> Option<Self> {
        Self::new(width, height, pixels, Layout::Luma, 1)
    }

    fn new(width: u32, height: u32, pixels: &'a [u8], layout: Layout, bytes: usize) -> Option<Self> {
        let (width, height) = (usize::try_from(width).ok()?, usize::try_from(height).ok()?);
        let length = width.checked_mul(height)?.checked_mul(bytes)?;
        (length == pixels.len() && length > 0).then_some(Self {
            width,
            height,
            pixels,
            layout,
        })
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

    /// The grey plane, averaged down so that neither side is longer than `side`.
    #[must_use]
    pub fn plane(&self, side: usize) -> Plane {
        let longest = self.width.max(self.height);
        let side = side.clamp(1, longest);
        // Rounded up so that a sliver of a picture keeps one pixel.
        let width = (self.width * side).div_ceil(longest);
        let height = (self.height * side).div_ceil(longest);
        let columns: Vec<usize> = (0..=width).map(|x| x * self.width / width).collect();
        let mut values = Vec::with_capacity(width * height);
        let mut sums = vec![0_u64; width];
        for y in 0..height {
            let (top, bottom) = (y * self.height / height, (y + 1) * self.height / height);
            sums.fill(0);
            for row in top..bottom {
                self.add_row(row, &columns, &mut sums);
            }
            for (sum, edges) in sums.iter().zip(columns.windows(2)) {
                let count = ((edges[1] - edges[0]) * (bottom - top)).max(1) as u64;
                values.push(((*sum / count + 128) >> 8).min(255) as u8);
            }
        }
        Plane { width, height, values }
    }

    /// Adds the BT.601 luma of a row, in 256ths: to each sum, that of the pixels between two of the columns.
    fn add_row(&self, row: usize, columns: &[usize], sums: &mut [u64]) {
        let of_rgb = |r: u8, g: u8, b: u8| 77 * u32::from(r) + 150 * u32::from(g) + 29 * u32::from(b);
        match self.layout {
            Layout::Luma => add(self.row(row), columns, sums, |&[luma]: &[u8; 1]| u32::from(luma) << 8),
            Layout::Rgb => add(self.row(row), columns, sums, |&[r, g, b]: &[u8; 3]| of_rgb(r, g, b)),
            Layout::Rgba => add(self.row(row), columns, sums, |&[r, g, b, _]: &[u8; 4]| of_rgb(r, g, b)),
        }
    }

    /// The pixels of one row, of so many bytes each.
    fn row<const BYTES: usize>(&self, row: usize) -> &[[u8; BYTES]] {
        let pixels = self.pixels.as_chunks::<BYTES>().0;
        &pixels[row * self.width..(row + 1) * self.width]
    }
}

/// Adds to each sum what `luma` says of the pixels between two of the columns.
fn add<const BYTES: usize>(
    pixels: &[[u8; BYTES]],
    columns: &[usize],
    sums: &mut [u64],
    luma: impl Fn(&[u8; BYTES]) -> u32,
) {
    for (sum, edges) in sums.iter_mut().zip(columns.windows(2)) {
        let pixels = &pixels[edges[0]..edges[1]];
        *sum += pixels.iter().map(|pixel| u64::from(luma(pixel))).sum::<u64>();
    }
}

/// A grey picture of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plane {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) values: Vec<u8>,
}

impl Plane {
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

    /// The grey values, rows from the top.
    #[must_use]
    pub fn values(&self) -> &[u8] {
        &self.values
    }

    /// Mean luma, 0 to 1, of the rectangle of whole pixels `left..right` × `top..bottom`, which is cut to the plane.
    #[must_use]
    pub fn mean(&self, area: Area) -> f32 {
        let area = area.within(self);
        let mut sum = 0_u64;
        for y in area.top..area.bottom {
            let row = &self.values[y * self.width..(y + 1) * self.width];
            sum += row[area.left..area.right].iter().map(|&v| u64::from(v)).sum::<u64>();
        }
        let count = area.pixels().max(1) as f32;
        sum as f32 / count / 255.0
    }

    /// The same picture averaged down so that neither side is longer than `side`.
    #[must_use]
    pub fn reduced(&self, side: usize) -> Self {
        Frame {
            width: self.width,
            height: self.height,
            pixels: &self.values,
            layout: Layout::Luma,
        }
        .plane(side)
    }

    /// How many times as wide and as high the picture of this size is that this plane was averaged down from. The two differ a little: each side is
    /// rounded to whole pixels, which are many of the picture's.
    #[must_use]
    pub(crate) fn scale_to(&self, [width, height]: [usize; 2]) -> [f32; 2] {
        [width as f32 / self.width as f32, height as f32 / self.height as f32]
    }

    /// The whole of it.
    #[must_use]
    pub const fn area(&self) -> Area {
        Area {
            left: 0,
            top: 0,
            right: self.width,
            bottom: self.height,
        }
    }
}

/// A rectangle of whole pixels; right and bottom are outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    /// First column.
    pub left: usize,
    /// First row.
    pub top: usize,
    /// First column outside.
    pub right: usize,
    /// First row outside.
    pub bottom: usize,
}

impl Area {
    /// Cut to the plane.
    #[must_use]
    pub fn within(self, plane: &Plane) -> Self {
        let (right, bottom) = (self.right.min(plane.width), self.bottom.min(plane.height));
        Self {
            left: self.left.min(right),
            top: self.top.min(bottom),
            right,
            bottom,
        }
    }

    /// Pixels inside.
    #[must_use]
    pub const fn pixels(self) -> usize {
        (self.right - self.left) * (self.bottom - self.top)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plane_has_the_mean_luma_of_each_part_however_the_pixels_are_laid_out() {
        let (width, height) = (7, 5);
        let rgb: Vec<u8> = (0..width * height * 3).map(|i| (i * 37 % 256) as u8).collect();
        let rgba: Vec<u8> = rgb.chunks_exact(3).flat_map(|p| [p[0], p[1], p[2], 9]).collect();
        let luma: Vec<u8> = rgb.iter().copied().step_by(3).collect();
        // In 256ths, by the definition.
        let of_rgb = |at: usize| {
            let [r, g, b] = [0, 1, 2].map(|channel| u32::from(rgb[at * 3 + channel]));
            77 * r + 150 * g + 29 * b
        };
        let of_luma = |at: usize| u32::from(luma[at]) * 256;
        let mean = |value: &dyn Fn(usize) -> u32, [left, top, right, bottom]: [usize; 4]| {
            let places = (top..bottom).flat_map(|y| (left..right).map(move |x| y * width + x));
            let count = (right - left) * (bottom - top);
            ((places.map(value).sum::<u32>() / count as u32 + 128) / 256) as u8
        };
        for (side, columns, rows) in [
            (7, vec![0, 1, 2, 3, 4, 5, 6, 7], vec![0, 1, 2, 3, 4, 5]),
            (3, vec![0, 2, 4, 7], vec![0, 1, 3, 5]),
        ] {
            let wanted = |value: &dyn Fn(usize) -> u32| -> Vec<u8> {
                let parts = rows
                    .windows(2)
                    .flat_map(|y| columns.windows(2).map(move |x| [x[0], y[0], x[1], y[1]]));
                parts.map(|part| mean(value, part)).collect()
            };
            let seen = |frame: Option<Frame<'_>>| frame.unwrap().plane(side).values;
            assert_eq!(seen(Frame::rgb(7, 5, &rgb)), wanted(&of_rgb));
            assert_eq!(seen(Frame::rgba(7, 5, &rgba)), wanted(&of_rgb));
            assert_eq!(seen(Frame::luma(7, 5, &luma)), wanted(&of_luma));
        }
    }
}
