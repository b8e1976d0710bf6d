//! Attacks made from photographs: covers drawn over a face, a screen filmed, a portrait's print held into the camera. Colours, sizes and
//! places vary with the seed.

use domain::findings::Face;
use vision::Picture;
use vision::raster::Raster;

/// Numbers from 0 to 1 that a seed repeats.
pub(crate) struct Dice(pub(crate) u32);

impl Dice {
    /// The next number.
    pub(crate) fn roll(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as f32 / 16_777_216.0
    }

    /// A number about 1, at most this share away from it.
    pub(crate) fn about(&mut self, share: f32) -> f32 {
        1.0 + (self.roll() * 2.0 - 1.0) * share
    }
}

/// What covers a part of a face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cover {
    BlueMask,
    WhiteMask,
    BlackMask,
    CheckedMask,
    SkinMask,
    HandOnMouth,
    BlackGlasses,
    BrownGlasses,
    MirrorGlasses,
    HandOnEyes,
}

impl Cover {
    pub(crate) const ALL: [Self; 10] = [
        Self::BlueMask,
        Self::WhiteMask,
        Self::BlackMask,
        Self::CheckedMask,
        Self::SkinMask,
        Self::HandOnMouth,
        Self::BlackGlasses,
        Self::BrownGlasses,
        Self::MirrorGlasses,
        Self::HandOnEyes,
    ];

    /// Whether a place belongs to it: across from the middle between the eyes and down from them, in distances between the eyes.
    fn has(self, across: f32, down: f32) -> bool {
        let oval = |x: f32, y: f32, a: f32, b: f32| ((across - x) / a).powi(2) + ((down - y) / b).powi(2) < 1.0;
        match self {
            Self::BlueMask | Self::WhiteMask | Self::BlackMask | Self::CheckedMask | Self::SkinMask => {
                let width = 1.15 - ((down - 0.9) / 1.1).max(0.0).powi(2) * 0.7;
                down > 0.4 + across.abs() * 0.15 && down < 1.95 && across.abs() < width
            }
            Self::HandOnMouth => oval(0.15, 1.2, 1.05, 0.5),
            Self::BlackGlasses | Self::BrownGlasses | Self::MirrorGlasses => {
                oval(-0.53, 0.07, 0.42, 0.32)
                    || oval(0.53, 0.07, 0.42, 0.32)
                    || (down.abs() < 0.04 && across.abs() < 0.2)
            }
            Self::HandOnEyes => oval(0.0, 0.0, 1.2, 0.36),
        }
    }

    /// Its colour at a place, over what was there.
    fn colour(self, was: [f32; 3], skin: [f32; 3], [across, down]: [f32; 2]) -> [f32; 3] {
        let shade = 0.75 + 0.25 * (was.iter().sum::<f32>() / 390.0).clamp(0.3, 1.6);
        let lit = |colour: [f32; 3]| colour.map(|v| v * shade);
        let hand = |along: f32| {
            let finger = along.rem_euclid(0.23) / 0.23;
            let light = if finger < 0.12 {
                0.62
            } else {
                0.9 + 0.1 * (finger * std::f32::consts::TAU).sin()
            };
            skin.map(|v| v * light)
        };
        match self {
            Self::BlueMask => lit([145.0, 185.0, 215.0]),
            Self::WhiteMask => lit([226.0, 226.0, 222.0]),
            Self::BlackMask => lit([36.0, 34.0, 37.0]),
            Self::SkinMask => lit([214.0, 178.0, 150.0]),
            Self::CheckedMask => {
                let even = ((across / 0.13).floor() + (down / 0.13).floor()).rem_euclid(2.0) < 1.0;
                if even {
                    [172.0, 44.0, 52.0]
                } else {
                    [218.0, 208.0, 190.0]
                }
            }
            Self::HandOnMouth => hand(across + down * 0.4),
            Self::HandOnEyes => hand(down + across * 0.15),
            Self::BlackGlasses => was.map(|v| v * 0.08 + 13.0),
            Self::BrownGlasses => [was[0] * 0.2 + 36.0, was[1] * 0.15 + 21.0, was[2] * 0.12 + 12.0],
            Self::MirrorGlasses => {
                let sky = 110.0 - 200.0 * (down - 0.07);
                [was[0] * 0.1 + sky * 0.8, was[1] * 0.1 + sky * 0.9, was[2] * 0.1 + sky]
            }
        }
    }

    /// The picture with this over its face.
    pub(crate) fn draw(self, picture: &Raster, face: &Face, dice: &mut Dice) -> Raster {
        let [left, right] = face.eyes;
        let middle = [f32::midpoint(left[0], right[0]), f32::midpoint(left[1], right[1])];
        let size = face.eye_distance.max(1.0) * dice.about(0.06);
        let (cos, sin) = (
            (right[0] - left[0]) / face.eye_distance,
            (right[1] - left[1]) / face.eye_distance,
        );
        let tint = [dice.about(0.12), dice.about(0.12), dice.about(0.12)];
        let skin = pixel(picture, middle[0] - sin * size * 0.45, middle[1] + cos * size * 0.45);
        map(picture, |x, y, was| {
            let (dx, dy) = (x as f32 - middle[0], y as f32 - middle[1]);
            let (across, down) = ((dx * cos + dy * sin) / size, (dy * cos - dx * sin) / size);
            if !self.has(across, down) {
                return was;
            }
            let colour = self.colour(was, skin, [across, down]);
            std::array::from_fn(|channel| colour[channel] * tint[channel])
        })
    }
}

/// What a camera makes of a scene: a little soft, noisy, compressed.
pub(crate) fn photographed(scene: &Raster, dice: &mut Dice) -> Picture {
    let (width, height) = (scene.width(), scene.height());
    let soft = scene.resized(width * 3 / 4, height * 3 / 4).resized(width, height);
    let noisy = map(&soft, |_, _, was| {
        let noise = (dice.roll() + dice.roll() + dice.roll() - 1.5) * 6.0;
        was.map(|v| v + noise)
    });
    Picture::from_raster(noisy).unwrap_or_else(|_| unreachable!("a picture that was decoded encodes"))
}

/// A screen that shows the picture, filmed so that one of its pixels is `period` of the camera's, a little turned; the gaps between its
/// pixels are darker by `depth`, and each colour lights a third of a pixel.
pub(crate) fn on_screen(picture: &Raster, period: f32, depth: f32, dice: &mut Dice) -> Raster {
    let (turn, phase) = ((dice.roll() - 0.5) * 0.3, dice.roll());
    let (sin, cos) = turn.sin_cos();
    map(picture, |x, y, was| {
        // Four samples a pixel: the lens and the sensor average.
        let mut sum = [0.0; 3];
        for (dx, dy) in [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)] {
            let (x, y) = (x as f32 + dx, y as f32 + dy);
            let across = ((x * cos + y * sin) / period + phase).rem_euclid(1.0);
            let down = ((y * cos - x * sin) / period).rem_euclid(1.0);
            for (channel, value) in sum.iter_mut().enumerate() {
                let third = channel as f32 / 3.0;
                let lit = (across - third).rem_euclid(1.0) < 0.5 && down < 0.8;
                *value += if lit { 1.0 + depth } else { 1.0 - depth } / 4.0;
            }
        }
        std::array::from_fn(|channel| was[channel] * sum[channel])
    })
}

fn pixel(picture: &Raster, x: f32, y: f32) -> [f32; 3] {
    let inside = |v: f32, count: usize| (v.max(0.0) as usize).min(count - 1);
    let at = (inside(y, picture.height()) * picture.width() + inside(x, picture.width())) * 3;
    std::array::from_fn(|channel| f32::from(picture.pixels()[at + channel]))
}

fn map(picture: &Raster, mut colour: impl FnMut(usize, usize, [f32; 3]) -> [f32; 3]) -> Raster {
    let mut pixels = Vec::with_capacity(picture.pixels().len());
    for (index, was) in picture.pixels().chunks_exact(3).enumerate() {
        let (x, y) = (index % picture.width(), index / picture.width());
        let new = colour(x, y, [was[0], was[1], was[2]].map(f32::from));
        pixels.extend(new.map(|v| v.clamp(0.0, 255.0) as u8));
    }
    Raster::new(picture.width(), picture.height(), pixels).unwrap_or_else(|| unreachable!("as many pixels as before"))
}
