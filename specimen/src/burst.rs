//! What all rendered selfie bursts have in common: people, where their heads are, screens, and the camera.

use super::{degrade, display::Display, head::Head, picture::Picture, sitter::Sitter};
use rand::{Rng, RngExt, rngs::StdRng};

/// Size of a frame.
pub(crate) const SIZE: (usize, usize) = (480, 640);
/// Head turn of whoever follows the request, in radians.
pub(crate) const TURN: f32 = 0.48;
/// Finest and widest pixels of a screen that are made, in pixels of the camera.
const PITCHES: (f32, f32) = (0.5, 3.0);

/// A person who can be photographed.
pub(crate) struct Person {
    pub(crate) photograph: Picture,
    pub(crate) sitter: Sitter,
}

impl Person {
    /// In front of a wall.
    pub(crate) fn photographed(&self, head: Head) -> Picture {
        self.sitter.alone(&self.photograph, SIZE, head.eyes, head.apart)
    }
}

/// Written last into the folder of a recording: the movements that are asked for.
pub(crate) const MOVEMENTS: &str = "movements";
/// The frames that the server sees when it asks for a movement and when that was followed.
pub(crate) const WATCHED: &str = "watched";
/// A recording that another session has sent before.
pub(crate) const SENT_BEFORE: &str = "sent-before";

/// A head in the middle of the view.
pub(crate) fn head(chance: &mut StdRng) -> Head {
    let apart = SIZE.0 as f32 * chance.random_range(0.17..0.23);
    Head {
        eyes: (
            SIZE.0 as f32 * chance.random_range(0.46..0.54),
            SIZE.1 as f32 * chance.random_range(0.40..0.46),
        ),
        apart,
    }
}

/// A screen of some fineness.
pub(crate) fn display(chance: &mut StdRng) -> Display {
    Display {
        pitch: PITCHES.0 * (PITCHES.1 / PITCHES.0).powf(chance.random()),
        angle: chance.random_range(-0.1..0.1),
        brightness: chance.random_range(0.4..1.0),
        bands: chance.random_range(0.0..0.25),
        phase: chance.random(),
    }
}

/// What a phone's camera makes of it: the light of the room, a little blur, noise.
pub(crate) fn camera(scene: &Picture, light: [f32; 3], chance: &mut impl Rng) -> Picture {
    let (dx, dy) = (chance.random_range(-1.5..1.5), chance.random_range(-1.5..1.5));
    let mut frame = scene
        .sampled(scene.width, scene.height, |x, y| (x + dx, y + dy))
        .blurred(0.6);
    let gain = chance.random_range(0.98..1.02_f32);
    let noise: Vec<f32> = (0..4096).map(|_| degrade::normal(chance) * 3.0).collect();
    let (mut at, step) = (0, 2 * chance.random_range(100..2000_usize) + 1);
    frame.change(|_, _, colour| {
        at = (at + step) % noise.len();
        std::array::from_fn(|channel| colour[channel] * light[channel] * gain + noise[(at + channel * 7) % noise.len()])
    });
    frame
}
