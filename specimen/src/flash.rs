//! Selfie bursts that end with coloured light from the screen, with and without a face that it falls on.
//!
//! The shading is simple: a broad lamp an arm's length away, a head that is lit less towards its sides, a wall whose light falls off
//! with the square of its distance. Rendered heads have no gloss, no fringe and no glasses. They are not people.

use super::{
    burst::{self, Person},
    degrade,
    display::{from_light, to_light},
    head::{Head, turned},
    picture::{Colour as Rgb, Picture},
};
use crate::Done;
use domain::{findings::Colour, live::drawn_colours};
use rand::{RngExt, rngs::StdRng};
use std::{fs, path::Path};

/// What is in front of the camera.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A head in a room with so many lux.
    Genuine(u16),
    /// A film of the right head with the right movements, injected, made without the colours.
    Film,
    /// The same, made before a screen that showed other colours.
    FilmOfOthers,
    /// A film of the right movements on a screen, which reflects a little of the light evenly.
    Screen,
    /// A film of the right movements, and for the colours a print over the whole view.
    Print,
    /// The same with a print cut out along the head, before a wall.
    CutPrint,
}

/// Folders and kinds. The lux of attacks are those of an office.
pub(crate) const KINDS: [(&str, Kind); 10] = [
    ("genuine-100-lux", Kind::Genuine(100)),
    ("genuine-200-lux", Kind::Genuine(200)),
    ("genuine-400-lux", Kind::Genuine(400)),
    ("genuine-1000-lux", Kind::Genuine(1_000)),
    ("genuine-10000-lux", Kind::Genuine(10_000)),
    ("film-made-earlier", Kind::Film),
    ("film-of-other-colours", Kind::FilmOfOthers),
    ("film-on-screen", Kind::Screen),
    ("film-then-print", Kind::Print),
    ("film-then-cut-print", Kind::CutPrint),
];

/// Light on the face from a phone's whole screen in white: 450 cd/m² from 0.0055 m² (three quarters of 6.5 × 14 cm is lit, the rest is
/// around) at 0.3 m.
const SCREEN_LUX: f32 = 27.0;
const OFFICE_LUX: u16 = 400;
/// Share of the light that a screen's glass throws back in all directions.
const GLASS: f32 = 0.03;
/// Frames of each colour, as the server keeps them.
const FRAMES_EACH: usize = 2;
/// How often a camera is so late that it shows a colour a frame later.
const LATE: f64 = 0.25;
/// How much of a cast automatic white balance takes away, and how much of the way it goes with each frame.
const BALANCED: f32 = 0.5;
const BALANCES: f32 = 0.35;

/// Written with the movements: the number of each frame with its colour.
const COLOURS: &str = "colours";

/// The frames of one recording: the movement, then the colours.
pub(crate) fn record(folder: &Path, people: &[Person], number: usize, kind: Kind, chance: &mut StdRng) -> Done {
    let person = &people[number % people.len()];
    let head = burst::head(chance);
    let own = person.photographed(head);
    let left = chance.random_bool(0.5);
    let turn = if left { burst::TURN } else { -burst::TURN } * chance.random_range(0.85..1.15);
    let display = burst::display(chance);
    let cast = [0; 3].map(|_| chance.random_range(0.9..1.1));
    let show = |picture: &Picture| match kind {
        Kind::Screen => display.shows(picture),
        _ => picture.clone(),
    };
    let mut taken = 0;
    let mut write = |frame: &Picture| -> Done<usize> {
        fs::write(folder.join(format!("{taken:02}.jpg")), degrade::jpeg(frame, 85)?)?;
        taken += 1;
        Ok(taken - 1)
    };
    for yaw in [0.0, 0.0, 0.35, 0.7, 1.0, 1.0, 0.0].map(|share| share * turn) {
        write(&burst::camera(&show(&turned(&own, head, yaw)), cast, chance))?;
    }
    // Straight at the request, and turned all the way.
    fs::write(folder.join(burst::WATCHED), "1,4")?;
    let told = drawn_colours(chance.random());
    let others = drawn_colours(chance.random());
    let room = Room::of(kind, chance);
    let late = usize::from(chance.random_bool(LATE));
    let mut balance = Balance::of(&own);
    let mut lines = String::new();
    for at in 0..told.len() * FRAMES_EACH {
        let shown = at.checked_sub(late).map(|at| at / FRAMES_EACH);
        let colour = |sequence: &[Colour]| shown.map_or([0.0; 3], |at| sequence[at].light());
        let pose = turned(&own, head, chance.random_range(-0.04..0.04_f32));
        let lit = match kind {
            Kind::Genuine(_) => room.on_face(&pose, head, colour(&told)),
            Kind::Film => pose,
            Kind::FilmOfOthers => room.on_face(&pose, head, colour(&others)),
            Kind::Screen => room.on_glass(&show(&pose), colour(&told)),
            Kind::Print => room.evenly(&pose, head, colour(&told), false),
            Kind::CutPrint => room.evenly(&pose, head, colour(&told), true),
        };
        let number = write(&burst::camera(&balance.of_next(&lit), cast, chance))?;
        lines.push_str(&format!("{number} {}\n", told[at / FRAMES_EACH]));
    }
    fs::write(folder.join(COLOURS), lines)?;
    let asked = if left { "turn_left" } else { "turn_right" };
    Ok(fs::write(folder.join(burst::MOVEMENTS), asked)?)
}

/// The light of a white screen over that of the room.
struct Room {
    on_face: f32,
    on_wall: f32,
}

impl Room {
    fn of(kind: Kind, chance: &mut StdRng) -> Self {
        let lux = match kind {
            Kind::Genuine(lux) => lux,
            _ => OFFICE_LUX,
        };
        // The face is 25 to 45 cm from the screen, the wall 1 to 3 m.
        let (near, far) = (chance.random_range(0.25..0.45_f32), chance.random_range(1.0..3.0_f32));
        let on_face = SCREEN_LUX / f32::from(lux) * (0.3 / near).powi(2);
        Self {
            on_face,
            on_wall: on_face * (near / far).powi(2),
        }
    }

    /// A head before a wall.
    fn on_face(&self, picture: &Picture, head: Head, light: Rgb) -> Picture {
        lit(picture, light, |x, y| {
            let facing = head.facing(x, y);
            self.on_wall + (self.on_face - self.on_wall) * facing
        })
    }

    /// A sheet: all of the view, or cut out along the head before a wall.
    fn evenly(&self, picture: &Picture, head: Head, light: Rgb, cut_out: bool) -> Picture {
        lit(picture, light, |x, y| {
            if cut_out && head.facing(x, y) == 0.0 {
                self.on_wall
            } else {
                self.on_face
            }
        })
    }

    /// A screen, whose own light is what the picture shows.
    fn on_glass(&self, picture: &Picture, light: Rgb) -> Picture {
        let mut out = picture.clone();
        out.change(|_, _, colour| {
            std::array::from_fn(|channel| {
                from_light(to_light(colour[channel]) + GLASS * self.on_face * light[channel] * 0.5)
            })
        });
        out
    }
}

/// The picture with more light, by the share that falls on a place.
fn lit(picture: &Picture, light: Rgb, share: impl Fn(f32, f32) -> f32) -> Picture {
    let mut out = picture.clone();
    out.change(|x, y, colour| {
        let share = share(x, y);
        std::array::from_fn(|channel| from_light(to_light(colour[channel]) * (1.0 + share * light[channel])))
    });
    out
}

/// The white balance and the exposure of a camera, which follow what it sees.
struct Balance {
    at_first: Rgb,
    gains: Rgb,
}

impl Balance {
    fn of(picture: &Picture) -> Self {
        Self {
            at_first: mean(picture),
            gains: [1.0; 3],
        }
    }

    /// The next frame, with the gains that the frames before led to.
    fn of_next(&mut self, picture: &Picture) -> Picture {
        let mut out = picture.clone();
        let gains = self.gains;
        out.change(|_, _, colour| std::array::from_fn(|channel| colour[channel] * gains[channel]));
        let now = mean(picture);
        for (gain, (first, now)) in self.gains.iter_mut().zip(self.at_first.iter().zip(now)) {
            let wanted = (first / now.max(1.0)).powf(BALANCED);
            *gain += (wanted - *gain) * BALANCES;
        }
        out
    }
}

fn mean(picture: &Picture) -> Rgb {
    let count = picture.pixels.len() as f32;
    std::array::from_fn(|channel| picture.pixels.iter().map(|colour| colour[channel]).sum::<f32>() / count)
}
