//! Copies: a document on a screen, in a printer's dots, and in black and white on a sheet of paper.

use super::{
    picture::{Colour, Picture},
    shot::{Subject, placed},
};
use crate::label::Corners;
use rand::{Rng, RngExt};

/// A sheet of paper or a screen with the document on it.
pub(crate) struct Copy {
    pub(crate) picture: Picture,
    /// Its size in the document's millimetres.
    pub(crate) millimetres: (f32, f32),
    /// Left, top, right, bottom of the document, as shares of the copy.
    inner: [f32; 4],
}

impl Copy {
    /// The copy as a subject to photograph.
    pub(crate) const fn subject(&self) -> Subject<'_> {
        Subject {
            picture: &self.picture,
            millimetres: self.millimetres,
            round: 0.0,
        }
    }

    /// The document's corners in a picture that shows the copy with these corners.
    pub(crate) fn corners(&self, copy: Corners) -> Corners {
        let place = placed(copy);
        let [left, top, right, bottom] = self.inner;
        [(left, top), (right, top), (right, bottom), (left, bottom)].map(|(u, v)| {
            let (x, y) = place(u, v);
            [x, y]
        })
    }
}

/// The document at twice its pixels in the middle of a sheet, with this much of the sheet around it.
fn sheet(document: &Subject<'_>, border: f32, colour: Colour) -> Copy {
    let (width, height) = (document.picture.width * 2, document.picture.height * 2);
    let scale = width as f32 / document.millimetres.0;
    let margin = (border * scale) as usize;
    let mut picture = Picture::filled(width + 2 * margin, height + 2 * margin, colour);
    picture.paste(&document.picture.resized(width, height), margin, margin);
    let (wide, high) = (picture.width as f32, picture.height as f32);
    let inner = [
        margin as f32 / wide,
        margin as f32 / high,
        1.0 - margin as f32 / wide,
        1.0 - margin as f32 / high,
    ];
    Copy {
        millimetres: (wide / scale, high / scale),
        picture,
        inner,
    }
}

/// On a screen of red, green and blue stripes; a screen's pixel is 0.11 to 0.2 mm of the document.
pub(crate) fn on_screen(document: &Subject<'_>, chance: &mut impl Rng) -> Copy {
    let window: f32 = chance.random_range(20.0..250.0);
    let mut copy = sheet(document, chance.random_range(3.0..12.0), [window, window, window]);
    let scale = copy.picture.width as f32 / copy.millimetres.0;
    let pitch = chance.random_range(0.11..0.2) * scale;
    let (gap, blue): (f32, f32) = (chance.random_range(0.08..0.2), chance.random_range(1.0..1.12));
    let source = copy.picture.clone();
    copy.picture.change(|x, y, _| {
        let (across, down) = (x / pitch, y / pitch);
        // A pixel of the screen shows the document at its centre.
        let shown = source.at((across.floor() + 0.5) * pitch, (down.floor() + 0.5) * pitch);
        let lit = if down.fract() < gap { 0.35 } else { 1.0 };
        let stripe = (across.fract() * 3.0) as usize;
        let light = |channel: usize| if channel == stripe { 2.1 } else { 0.42 };
        [
            shown[0] * light(0) * lit,
            shown[1] * light(1) * lit,
            shown[2] * light(2) * lit * blue,
        ]
        .map(|value| value.min(255.0))
    });
    copy
}

/// Printed in four colours of dots, 60 to 100 to a centimetre, each colour at its own angle.
pub(crate) fn printed(document: &Subject<'_>, chance: &mut impl Rng) -> Copy {
    let mut copy = sheet(document, chance.random_range(5.0..16.0), [246.0, 245.0, 240.0]);
    let scale = copy.picture.width as f32 / copy.millimetres.0;
    let pitch = chance.random_range(0.1..0.17) * scale;
    let angles: [f32; 4] = [15.0, 75.0, 0.0, 45.0];
    let source = copy.picture.blurred(chance.random_range(0.3..0.8) * pitch);
    copy.picture.change(|x, y, _| {
        let colour = source.at(x, y).map(|value| 1.0 - (value / 255.0).clamp(0.0, 1.0));
        let black = colour.iter().copied().fold(1.0, f32::min) * 0.8;
        let inks = [colour[0] - black, colour[1] - black, colour[2] - black, black];
        let mut paper: Colour = [246.0, 245.0, 240.0];
        for (ink, (share, angle)) in inks.into_iter().zip(angles).enumerate() {
            let (sin, cos) = angle.to_radians().sin_cos();
            let (u, v) = ((x * cos + y * sin) / pitch, (y * cos - x * sin) / pitch);
            let dot = ((u * std::f32::consts::TAU).cos() + (v * std::f32::consts::TAU).cos()) / 4.0 + 0.5;
            let covered = ((share - (1.0 - dot)) * 6.0 + 0.5).clamp(0.0, 1.0);
            for (channel, value) in paper.iter_mut().enumerate() {
                if ink == channel || ink == 3 {
                    *value *= 1.0 - covered * 0.86;
                }
            }
        }
        paper
    });
    copy
}

/// In black and white, with a copier's hard contrast and specks.
pub(crate) fn grey(document: &Subject<'_>, chance: &mut impl Rng) -> Copy {
    let paper: f32 = chance.random_range(225.0..250.0);
    let mut copy = sheet(document, chance.random_range(6.0..18.0), [255.0; 3]);
    let hard = chance.random_range(1.0..1.7);
    copy.picture.change(|_, _, colour| {
        let luma = 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2];
        let toner = ((luma - 128.0) * hard + 136.0).clamp(18.0, 255.0) / 255.0 * paper;
        let speck = if chance.random_range(0..4000_u16) == 0 {
            -120.0
        } else {
            chance.random_range(-5.0..5.0)
        };
        [(toner + speck).clamp(10.0, paper); 3]
    });
    copy
}
