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

    /// BT.601 luma of one pixel, in 256ths.
    fn luma_at(&self, index: usize) -> u32 {
        let (offset, rgb) = match self.layout {
            Layout::Luma => return self.pixels.get(index).map_or(0, |&v| u32::from(v) << 8),
            Layout::Rgb => (index * 3, self.pixels.get(index * 3..index * 3 + 3)),
            Layout::Rgba => (index * 4, self.pixels.get(index * 4..index * 4 + 3)),
        };
        debug_assert!(offset < self.pixels.len());
        match rgb {
            Some(&[r, g, b]) => 77 * u32::from(r) + 150 * u32::from(g) + 29 * u32::from(b),
            _ => 0,
        }
    }

    /// The grey plane, averaged down so that neither side is longer than `side`.
    #[must_use]
    pub fn plane(&self, side: usize) -> Plane {
        let longest = self.width.max(self.height);
        let side = side.clamp(1, longest);
        // Rounded up so that a sliver of a picture keeps one pixel.
        let width = (self.width * side).div_ceil(longest);
        let height = (self.height * side).div_ceil(longest);
        if side == longest {
            let values = (0..width * height).map(|i| rounded(self.luma_at(i))).collect();
            return Plane { width, height, values };
        }
        let columns: Vec<usize> = (0..=width).map(|x| x * self.width / width).collect();
        let mut values = Vec::with_capacity(width * height);
        let mut sums = vec![0_u64; width];
        for y in 0..height {
            let (top, bottom) = (y * self.height / height, (y + 1) * self.height / height);
            sums.fill(0);
            for row in top..bottom {
                let start = row * self.width;
                for (sum, edges) in sums.iter_mut().zip(columns.windows(2)) {
                    *sum += (edges[0]..edges[1])
                        .map(|x| u64::from(self.luma_at(start + x)))
                        .sum::<u64>();
                }
            }
            for (sum, edges) in sums.iter().zip(columns.windows(2)) {
                let count = ((edges[1] - edges[0]) * (bottom - top)).max(1) as u64;
                values.push(((*sum / count + 128) >> 8).min(255) as u8);
            }
        }
        Plane { width, height, values }
    }
}

/// The nearest whole step of a luma in 256ths.
fn rounded(luma: u32) -> u8 {
    ((luma + 128) >> 8).min(255) as u8
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
