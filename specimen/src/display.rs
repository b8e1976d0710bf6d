//! A picture on a screen, as a camera sees it: the stripes of the screen's pixels, brought to the camera's sensor by a lens, counted
//! through the sensor's own colour filter. Where the two grids interfere, moiré appears, even with pixels finer than the sensor's.

use super::picture::{Colour, Picture};

/// Brightness of a screen and of a sensor follows the number to this power.
const GAMMA: f32 = 2.2;
/// Rays counted for each pixel of the sensor, each way, and how far apart in pixels the outermost lie: the lens blurs.
const RAYS: usize = 4;
const SPOT: f32 = 2.0;
/// Share of the light that comes from the room and is reflected by the screen's glass.
const REFLECTED: f32 = 0.06;
/// Width and height of what is lit of a pixel's stripe; the rest is its frame.
const LIT: (f32, f32) = (0.9 / 3.0, 0.9);

/// A screen in front of the camera.
#[derive(Clone, Copy)]
pub(crate) struct Display {
    /// Width of the screen's pixels in pixels of the camera.
    pub(crate) pitch: f32,
    /// How far the screen is turned against the camera, in radians.
    pub(crate) angle: f32,
    /// Its light, as a share of the full.
    pub(crate) brightness: f32,
    /// How much darker the bands are that run over the picture where the screen is refreshed while the camera reads its rows.
    pub(crate) bands: f32,
    /// Where the bands are, as a share of the distance between two.
    pub(crate) phase: f32,
}

/// Bands in the height of a picture: a phone reads its rows in about two refreshes.
const BANDS: f32 = 2.0;
/// How far they run from one frame to the next, as a share of the distance between two: the rates of camera and screen have no common measure.
const RUNS: f32 = 0.382;

impl Display {
    /// The same screen while the camera takes this frame of a burst.
    pub(crate) fn at(self, frame: usize) -> Self {
        Self {
            phase: (self.phase + RUNS * frame as f32).fract(),
            ..self
        }
    }

    /// What the camera records of a screen that shows this picture over its whole view.
    pub(crate) fn shows(self, picture: &Picture) -> Picture {
        let light = Picture {
            pixels: picture.pixels.iter().map(|colour| colour.map(to_light)).collect(),
            ..*picture
        };
        let mut sensor = Picture::filled(picture.width, picture.height, [0.0; 3]);
        sensor.change(|x, y, _| self.counted(&light, x, y));
        let mut seen = demosaic(&sensor);
        seen.change(|_, _, colour| colour.map(from_light));
        seen
    }

    /// The light that falls on this pixel of the sensor, three colours.
    fn counted(self, light: &Picture, x: f32, y: f32) -> Colour {
        let (mut sum, mut total) = ([0.0; 3], 0.0);
        for ray in 0..RAYS * RAYS {
            let aside = |at: usize| ((at as f32 + 0.5) / RAYS as f32 - 0.5) * SPOT;
            let (across, down) = (aside(ray % RAYS), aside(ray / RAYS));
            let weight = (1.0 - across.abs()) * (1.0 - down.abs());
            let (u, v) = self.place(x + across, y + down);
            let colour = light.at(x + across, y + down);
            for (channel, sum) in sum.iter_mut().enumerate() {
                let stripe = (u - (channel as f32 + 0.5) / 3.0).abs() < LIT.0 / 2.0;
                if stripe && v < LIT.1 {
                    *sum += weight * colour[channel] / (LIT.0 * LIT.1);
                }
            }
            total += weight;
        }
        let light = self.brightness * self.band(y / light.height as f32);
        sum.map(|sum| sum / total * light * (1.0 - REFLECTED) + REFLECTED / 2.0)
    }

    /// The share of its light with which the screen shines at this height of the picture, from 0 to 1.
    fn band(self, height: f32) -> f32 {
        let wave = (std::f32::consts::TAU * (height * BANDS + self.phase)).cos();
        1.0 - self.bands * (0.5 + 0.5 * wave)
    }

    /// The place within a pixel of the screen.
    fn place(self, x: f32, y: f32) -> (f32, f32) {
        let (sin, cos) = self.angle.sin_cos();
        let (u, v) = (x * cos + y * sin, y * cos - x * sin);
        ((u / self.pitch).rem_euclid(1.0), (v / self.pitch).rem_euclid(1.0))
    }
}

pub(crate) fn to_light(value: f32) -> f32 {
    (value.clamp(0.0, 255.0) / 255.0).powf(GAMMA)
}

pub(crate) fn from_light(value: f32) -> f32 {
    value.clamp(0.0, 1.0).powf(1.0 / GAMMA) * 255.0
}

/// Each pixel of a sensor counts one colour: red and green in one row, green and blue in the next. The other two are the mean of the
/// neighbours that count them.
fn demosaic(sensor: &Picture) -> Picture {
    let counts = |x: usize, y: usize| match (x % 2, y % 2) {
        (0, 0) => 0,
        (1, 1) => 2,
        _ => 1,
    };
    let mut out = sensor.clone();
    out.change(|x, y, _| {
        let (x, y) = (x as usize, y as usize);
        let (mut sum, mut weight) = ([0.0; 3], [0.0; 3]);
        for down in y.saturating_sub(1)..(y + 2).min(sensor.height) {
            for across in x.saturating_sub(1)..(x + 2).min(sensor.width) {
                let channel = counts(across, down);
                let near = 1.0 / (1 + x.abs_diff(across) + y.abs_diff(down)) as f32;
                sum[channel] += near * sensor.pixels[down * sensor.width + across][channel];
                weight[channel] += near;
            }
        }
        let own = counts(x, y);
        std::array::from_fn(|channel| {
            if channel == own {
                sensor.pixels[y * sensor.width + x][channel]
            } else {
                sum[channel] / weight[channel]
            }
        })
    });
    out
}
