//! A picture in floating point, so that layers of light can be added without clipping in between.

use image::{Rgb, RgbImage};

/// Red, green and blue, 0 to 255 and beyond.
pub(crate) type Colour = [f32; 3];

/// Rows of colours.
#[derive(Clone)]
pub(crate) struct Picture {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) pixels: Vec<Colour>,
}

impl Picture {
    /// A picture of one colour.
    pub(crate) fn filled(width: usize, height: usize, colour: Colour) -> Self {
        Self {
            width,
            height,
            pixels: vec![colour; width * height],
        }
    }

    /// The same picture in floating point.
    pub(crate) fn from_rgb(from: &RgbImage) -> Self {
        let pixels = from.pixels().map(|pixel| pixel.0.map(f32::from)).collect();
        Self {
            width: from.width() as usize,
            height: from.height() as usize,
            pixels,
        }
    }

    /// The picture with eight bits per channel.
    pub(crate) fn to_rgb(&self) -> RgbImage {
        RgbImage::from_fn(self.width as u32, self.height as u32, |x, y| {
            Rgb(self.pixels[y as usize * self.width + x as usize].map(|value| value.round().clamp(0.0, 255.0) as u8))
        })
    }

    /// The interpolated colour; outside the picture, that of the nearest edge.
    pub(crate) fn at(&self, x: f32, y: f32) -> Colour {
        let x = x.clamp(0.0, (self.width - 1) as f32);
        let y = y.clamp(0.0, (self.height - 1) as f32);
        let (left, top) = (x as usize, y as usize);
        let (right, bottom) = ((left + 1).min(self.width - 1), (top + 1).min(self.height - 1));
        let (dx, dy) = (x - left as f32, y - top as f32);
        let pixel = |x: usize, y: usize| self.pixels[y * self.width + x];
        let upper = mix(pixel(left, top), pixel(right, top), dx);
        mix(upper, mix(pixel(left, bottom), pixel(right, bottom), dx), dy)
    }

    /// Mixes a colour into one pixel; outside the picture nothing happens.
    pub(crate) fn blend(&mut self, x: i64, y: i64, colour: Colour, share: f32) {
        if x >= 0 && y >= 0 && (x as usize) < self.width && (y as usize) < self.height {
            let pixel = &mut self.pixels[y as usize * self.width + x as usize];
            *pixel = mix(*pixel, colour, share.clamp(0.0, 1.0));
        }
    }

    /// Changes every pixel by a function of its position and colour.
    pub(crate) fn change(&mut self, mut with: impl FnMut(f32, f32, Colour) -> Colour) {
        let width = self.width;
        for (index, pixel) in self.pixels.iter_mut().enumerate() {
            *pixel = with((index % width) as f32, (index / width) as f32, *pixel);
        }
    }

    /// Copies another picture onto this one.
    pub(crate) fn paste(&mut self, other: &Picture, left: usize, top: usize) {
        for y in 0..other.height {
            for x in 0..other.width {
                self.blend(
                    (left + x) as i64,
                    (top + y) as i64,
                    other.pixels[y * other.width + x],
                    1.0,
                );
            }
        }
    }

    /// The picture in another size, with area averaging or interpolation.
    pub(crate) fn resized(&self, width: usize, height: usize) -> Picture {
        let (step_x, step_y) = (self.width as f32 / width as f32, self.height as f32 / height as f32);
        let (taps_x, taps_y) = (step_x.ceil().max(1.0) as usize, step_y.ceil().max(1.0) as usize);
        let mut out = Picture::filled(width, height, [0.0; 3]);
        out.change(|x, y, _| {
            let mut sum = [0.0; 3];
            for tap_y in 0..taps_y {
                for tap_x in 0..taps_x {
                    let at_x = (x + (tap_x as f32 + 0.5) / taps_x as f32) * step_x - 0.5;
                    let at_y = (y + (tap_y as f32 + 0.5) / taps_y as f32) * step_y - 0.5;
                    add(&mut sum, self.at(at_x, at_y), 1.0);
                }
            }
            sum.map(|value| value / (taps_x * taps_y) as f32)
        });
        out
    }

    /// A part of the picture, rotated and scaled: `from` maps each new pixel to its source.
    pub(crate) fn sampled(&self, width: usize, height: usize, from: impl Fn(f32, f32) -> (f32, f32)) -> Picture {
        let mut out = Picture::filled(width, height, [0.0; 3]);
        out.change(|x, y, _| {
            let (at_x, at_y) = from(x, y);
            self.at(at_x, at_y)
        });
        out
    }

    /// The picture blurred with a Gaussian of this width.
    pub(crate) fn blurred(&self, sigma: f32) -> Picture {
        let reach = (sigma * 3.0).ceil() as i64;
        let kernel: Vec<f32> = (-reach..=reach)
            .map(|at| (-((at * at) as f32) / (2.0 * sigma * sigma)).exp())
            .collect();
        let total: f32 = kernel.iter().sum();
        let pass = |from: &Picture, along_x: bool| {
            let mut out = Picture::filled(from.width, from.height, [0.0; 3]);
            let (last_x, last_y) = (from.width as i64 - 1, from.height as i64 - 1);
            out.change(|x, y, _| {
                let mut sum = [0.0; 3];
                for (weight, offset) in kernel.iter().zip(-reach..=reach) {
                    let (dx, dy) = if along_x { (offset, 0) } else { (0, offset) };
                    let at_x = (x as i64 + dx).clamp(0, last_x) as usize;
                    let at_y = (y as i64 + dy).clamp(0, last_y) as usize;
                    add(&mut sum, from.pixels[at_y * from.width + at_x], weight / total);
                }
                sum
            });
            out
        };
        pass(&pass(self, true), false)
    }
}

/// `share` of the second colour in the first.
pub(crate) fn mix(one: Colour, other: Colour, share: f32) -> Colour {
    std::array::from_fn(|channel| one[channel] + (other[channel] - one[channel]) * share)
}

fn add(sum: &mut Colour, colour: Colour, weight: f32) {
    for (total, value) in sum.iter_mut().zip(colour) {
        *total += value * weight;
    }
}
