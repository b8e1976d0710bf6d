//! A phone's photograph of a document: perspective, lens, light, sensor, JPEG.

use super::{
    degrade::{jpeg, normal, to_unit_square},
    desk,
    label::Corners,
    letters::Types,
    picture::{Colour, Picture, mix},
};
use crate::Done;
use rand::{Rng, RngExt, seq::IndexedRandom};

/// Position of a document in front of the camera. Angles are in degrees.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pose {
    /// Rotation about the camera's axis, clockwise.
    pub(crate) turn: f32,
    /// Tilt away from the camera, and the axis of the document about which it is tilted.
    pub(crate) tilt: f32,
    pub(crate) axis: f32,
    /// Free space around it as a share of the picture.
    pub(crate) margin: f32,
    /// Shift of its middle as a share of the free space.
    pub(crate) off: (f32, f32),
}

/// A reflection: its centre and its size as shares of the document, and its brightness.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    pub(crate) at: (f32, f32),
    pub(crate) size: (f32, f32),
    pub(crate) strength: f32,
}

/// The camera and its light. Lengths on the document are in millimetres.
#[derive(Clone, Debug)]
pub(crate) struct Camera {
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// Width of the blur (one sigma).
    pub(crate) blur: f32,
    /// Length and direction of motion blur.
    pub(crate) moved: (f32, f32),
    pub(crate) gain: f32,
    pub(crate) balance: Colour,
    /// Falloff of light from one side to the other.
    pub(crate) shade: (f32, f32),
    pub(crate) spots: Vec<Spot>,
    /// Standard deviation of the sensor's noise, of 255.
    pub(crate) noise: f32,
    pub(crate) quality: u8,
}

impl Camera {
    /// A random phone in a random room.
    pub(crate) fn drawn(chance: &mut impl Rng) -> Self {
        let (wide, high) = [(1600, 1200), (1920, 1080), (1920, 1440), (1280, 960), (1200, 1600)]
            .choose(chance)
            .copied()
            .unwrap_or((1600, 1200));
        let warm = chance.random_range(-0.07..0.07);
        Self {
            width: wide,
            height: high,
            blur: chance.random_range(0.02..0.06),
            moved: (0.0, 0.0),
            gain: chance.random_range(0.8..1.06),
            balance: [1.0 + warm, 1.0, 1.0 - warm],
            shade: (chance.random_range(-0.16..0.16), chance.random_range(-0.12..0.12)),
            spots: Vec::new(),
            noise: chance.random_range(0.6..3.5),
            quality: chance.random_range(76..95),
        }
    }
}

/// Objects around the document and on it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Around {
    /// Another card partly in the picture.
    pub(crate) other_card: bool,
    /// A hand that holds it at an edge.
    pub(crate) held: bool,
    /// Objects on it: centre and half sizes as shares of the document; a finger if the last is missing.
    pub(crate) covers: Vec<Cover>,
}

/// An object on the document, in shares of its width and height.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cover {
    /// From outside to this tip.
    Finger {
        from: (f32, f32),
        tip: (f32, f32),
        width: f32,
    },
    /// A note or a sticker: left, top, right, bottom.
    Note([f32; 4], Colour),
}

/// A document and how large it is.
pub(crate) struct Subject<'a> {
    pub(crate) picture: &'a Picture,
    pub(crate) millimetres: (f32, f32),
    /// Radius of its corners in millimetres.
    pub(crate) round: f32,
}

/// The photograph before compression, and the document's corners in it.
pub(crate) struct Photograph {
    pub(crate) picture: Picture,
    pub(crate) corners: Corners,
}

/// Photographs a document.
pub(crate) fn take(
    subject: &Subject<'_>,
    pose: Pose,
    camera: &Camera,
    around: &Around,
    types: &Types,
    chance: &mut impl Rng,
) -> Photograph {
    let corners = corners(subject, pose, camera);
    let mut photo = desk::top(camera.width, camera.height, types, chance);
    if around.other_card {
        lay_other(&mut photo, corners, types, chance);
    }
    shadow(&mut photo, corners, chance);
    lay(&mut photo, subject, corners);
    let place = placed(corners);
    let span = side(corners[0], corners[1]);
    let skin = desk::skin(chance);
    for cover in &around.covers {
        match *cover {
            Cover::Finger { from, tip, width } => desk::finger(
                &mut photo,
                place(from.0, from.1),
                place(tip.0, tip.1),
                width * span,
                skin,
            ),
            Cover::Note(area, colour) => note(&mut photo, corners, area, colour),
        }
    }
    if around.held {
        // From a long or short edge, a few millimetres deep.
        let (from, tip) = [
            ((-0.25, 0.9), (0.015, 0.62)),
            ((1.25, 0.8), (0.985, 0.55)),
            ((0.75, 1.5), (0.7, 0.985)),
        ]
        .choose(chance)
        .copied()
        .unwrap_or(((0.7, 1.4), (0.7, 0.98)));
        desk::finger(
            &mut photo,
            place(from.0, from.1),
            place(tip.0, tip.1),
            0.14 * span,
            skin,
        );
    }
    let scale = span / subject.millimetres.0;
    expose(&mut photo, corners, camera, scale, chance);
    Photograph {
        picture: photo,
        corners,
    }
}

/// The bytes of the file.
pub(crate) fn developed(photograph: &Picture, camera: &Camera) -> Done<Vec<u8>> {
    jpeg(photograph, camera.quality)
}

/// Lens, light and sensor.
fn expose(photo: &mut Picture, corners: Corners, camera: &Camera, scale: f32, chance: &mut impl Rng) {
    let blur = camera.blur * scale;
    if blur > 0.25 {
        *photo = photo.blurred(blur);
    }
    let (length, direction) = camera.moved;
    if length > 0.0 {
        *photo = moved(photo, length * scale, direction);
    }
    let (wide, high) = (photo.width as f32, photo.height as f32);
    let back = to_unit_square(corners.map(|[x, y]| (x, y)));
    photo.change(|x, y, colour| {
        let light =
            camera.gain * (1.0 + camera.shade.0 * (x / wide - 0.5) * 2.0 + camera.shade.1 * (y / high - 0.5) * 2.0);
        let mut glare = 0.0;
        if !camera.spots.is_empty() {
            let (u, v) = back(x, y);
            for spot in &camera.spots {
                let reach = ((u - spot.at.0) / spot.size.0).powi(2) + ((v - spot.at.1) / spot.size.1).powi(2);
                // A flat top with a soft rim, like the reflection of a lamp.
                glare += spot.strength / (1.0 + reach.powi(3));
            }
        }
        let grain = camera.noise * normal(chance);
        std::array::from_fn(|channel| {
            let value = colour[channel] * light * camera.balance[channel] + glare;
            let uneven = if camera.noise > 0.0 {
                grain * 0.7 + camera.noise * 0.5 * chance.random_range(-1.0..1.0_f32)
            } else {
                0.0
            };
            (value + uneven).clamp(0.0, 255.0)
        })
    });
}

fn moved(photo: &Picture, length: f32, direction: f32) -> Picture {
    let steps = (length.ceil() as usize).max(2);
    let (sin, cos) = direction.to_radians().sin_cos();
    let mut out = photo.clone();
    out.change(|x, y, _| {
        let mut sum = [0.0; 3];
        for step in 0..steps {
            let at = (step as f32 / (steps - 1) as f32 - 0.5) * length;
            let colour = photo.at(x + at * cos, y + at * sin);
            for channel in 0..3 {
                sum[channel] += colour[channel] / steps as f32;
            }
        }
        sum
    });
    out
}

fn side(a: [f32; 2], b: [f32; 2]) -> f32 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

/// Positions of the corners: a pinhole camera with a phone's angle of view, the document rotated and tilted in front of it.
fn corners(subject: &Subject<'_>, pose: Pose, camera: &Camera) -> Corners {
    let (width, height) = subject.millimetres;
    let (turn, tilt, axis) = (pose.turn.to_radians(), pose.tilt.to_radians(), pose.axis.to_radians());
    // The distance at which people hold a phone: three widths.
    let distance = 3.0 * width;
    let flat: Corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[x, y]: [f32; 2]| {
        let (x, y) = (x * width / 2.0, y * height / 2.0);
        let (along, across) = (x * axis.cos() + y * axis.sin(), y * axis.cos() - x * axis.sin());
        let depth = distance + across * tilt.sin();
        let across = across * tilt.cos();
        let (x, y) = (
            along * axis.cos() - across * axis.sin(),
            along * axis.sin() + across * axis.cos(),
        );
        let (x, y) = (x * distance / depth, y * distance / depth);
        [x * turn.cos() - y * turn.sin(), x * turn.sin() + y * turn.cos()]
    });
    let bounds = |axis: usize| {
        let values = flat.map(|corner| corner[axis]);
        (
            values.iter().copied().fold(f32::MAX, f32::min),
            values.iter().copied().fold(f32::MIN, f32::max),
        )
    };
    let (left, right) = bounds(0);
    let (top, bottom) = bounds(1);
    let (wide, high) = (camera.width as f32, camera.height as f32);
    let scale = (wide / (right - left)).min(high / (bottom - top)) * (1.0 - 2.0 * pose.margin);
    let (free_x, free_y) = (wide - (right - left) * scale, high - (bottom - top) * scale);
    let (x0, y0) = (free_x * (0.5 + pose.off.0 * 0.5), free_y * (0.5 + pose.off.1 * 0.5));
    flat.map(|[x, y]| [x0 + (x - left) * scale, y0 + (y - top) * scale])
}

/// The map from shares of the document to pixels of the picture.
pub(crate) fn placed(corners: Corners) -> impl Fn(f32, f32) -> (f32, f32) {
    let [[x0, y0], [x1, y1], [x2, y2], [x3, y3]] = corners;
    let (dx1, dx2, dx3) = (x1 - x2, x3 - x2, x0 - x1 + x2 - x3);
    let (dy1, dy2, dy3) = (y1 - y2, y3 - y2, y0 - y1 + y2 - y3);
    let whole = dx1 * dy2 - dx2 * dy1;
    let (g, h) = ((dx3 * dy2 - dx2 * dy3) / whole, (dx1 * dy3 - dx3 * dy1) / whole);
    move |u, v| {
        let w = g * u + h * v + 1.0;
        (
            ((x1 - x0 + g * x1) * u + (x3 - x0 + h * x3) * v + x0) / w,
            ((y1 - y0 + g * y1) * u + (y3 - y0 + h * y3) * v + y0) / w,
        )
    }
}

/// Draws the document between its corners; each pixel is the mean of four rays.
fn lay(photo: &mut Picture, subject: &Subject<'_>, corners: Corners) {
    let back = to_unit_square(corners.map(|[x, y]| (x, y)));
    let (last_x, last_y) = ((subject.picture.width - 1) as f32, (subject.picture.height - 1) as f32);
    let (width, height) = subject.millimetres;
    let round = subject.round;
    let inside = |u: f32, v: f32| {
        let (x, y) = (u * width, v * height);
        let (dx, dy) = (
            (round - x).max(x - width + round).max(0.0),
            (round - y).max(y - height + round).max(0.0),
        );
        (0.0..=1.0).contains(&u) && (0.0..=1.0).contains(&v) && (round <= 0.0 || dx.hypot(dy) <= round)
    };
    photo.change(|x, y, colour| {
        let (mut sum, mut hits) = ([0.0; 3], 0.0);
        for (dx, dy) in [(-0.25, -0.25), (0.25, -0.25), (-0.25, 0.25), (0.25, 0.25)] {
            let (u, v) = back(x + dx, y + dy);
            if inside(u, v) {
                let seen = subject.picture.at(u * last_x, v * last_y);
                for channel in 0..3 {
                    sum[channel] += seen[channel];
                }
                hits += 1.0;
            }
        }
        if hits == 0.0 {
            colour
        } else {
            mix(colour, sum.map(|value| value / hits), hits / 4.0)
        }
    });
}

/// The shadow of a document on the table.
fn shadow(photo: &mut Picture, corners: Corners, chance: &mut impl Rng) {
    let (dx, dy) = (chance.random_range(-0.012..0.012), chance.random_range(-0.004..0.02));
    let depth = chance.random_range(0.1..0.45);
    let back = to_unit_square(corners.map(|[x, y]| (x, y)));
    photo.change(|x, y, colour| {
        let (u, v) = back(x, y);
        let beyond = (-u + dx).max(u - 1.0 - dx).max(-v + dy).max(v - 1.0 - dy);
        let dark = depth * (1.0 - beyond / 0.025).clamp(0.0, 1.0);
        colour.map(|value| value * (1.0 - dark))
    });
}

fn lay_other(photo: &mut Picture, corners: Corners, types: &Types, chance: &mut impl Rng) {
    let other = desk::other_card(types, chance);
    let place = placed(corners);
    let (u, v) = [(-0.98, -0.1), (0.98, 0.12), (0.1, -1.05), (-0.15, 1.05)][chance.random_range(0..4)];
    let lean = chance.random_range(-0.06..0.06);
    let at = [(0.0, 0.0), (1.0, lean), (1.0 - lean, 1.0 + lean), (-lean, 1.0)]
        .map(|(x, y): (f32, f32)| place(x * 0.96 + u, y * 0.96 + v))
        .map(|(x, y)| [x, y]);
    let subject = Subject {
        picture: &other,
        millimetres: (85.6, 54.0),
        round: 3.2,
    };
    lay(photo, &subject, at);
}

fn note(photo: &mut Picture, corners: Corners, [left, top, right, bottom]: [f32; 4], tone: Colour) {
    let back = to_unit_square(corners.map(|[x, y]| (x, y)));
    photo.change(|x, y, colour| {
        let (u, v) = back(x, y);
        if u > left && u < right && v > top && v < bottom {
            tone.map(|value| value * (0.93 + 0.07 * (u - left) / (right - left)))
        } else {
            colour
        }
    });
}
