//! How a picture is taken: legible, with the usual ways of holding a phone, or with defects that make it unusable.

use super::{
    picture::Colour,
    shot::{Around, Camera, Cover, Pose, Spot},
};
use rand::{Rng, RngExt, seq::IndexedRandom};

/// A set of circumstances in which reading is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Condition {
    /// From above, still, in good light.
    Flat,
    /// Up to thirty degrees from the side.
    Tilted,
    /// Rotated by any angle.
    Turned,
    /// A little out of focus.
    Soft,
    /// A reflection on a part without much print, so that the rest is legible.
    Lit,
    /// Almost no space around.
    Tight,
    /// Far away, small in the picture.
    Far,
    /// Poor light: dark and noisy, still legible.
    Dim,
    /// Another card beside it, or a hand that holds it.
    Crowded,
    /// Unusable: out of focus, or blurred by motion.
    Blurry,
    /// Unusable: a reflection over the print.
    Glare,
    /// Unusable: almost no light.
    Dark,
    /// Unusable: a part is outside the picture.
    CutOff,
    /// Unusable: no document.
    Nothing,
    /// Unusable: fingers, a sleeve or a note over it.
    Obstructed,
    /// A black and white copy.
    Grey,
    /// Shown on a screen.
    Screen,
}

/// Those in which a person can read the document: reading is measured in them, and no defect may be reported.
pub(crate) const FAIR: [Condition; 9] = [
    Condition::Flat,
    Condition::Tilted,
    Condition::Turned,
    Condition::Soft,
    Condition::Lit,
    Condition::Tight,
    Condition::Far,
    Condition::Dim,
    Condition::Crowded,
];
/// Those with a defect that must be reported.
pub(crate) const DEFECTS: [Condition; 8] = [
    Condition::Blurry,
    Condition::Glare,
    Condition::Dark,
    Condition::CutOff,
    Condition::Nothing,
    Condition::Obstructed,
    Condition::Grey,
    Condition::Screen,
];

/// All parameters of one photograph.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub(crate) pose: Pose,
    pub(crate) camera: Camera,
    pub(crate) around: Around,
}

impl Condition {
    /// Its name on the label.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Flat => "flat",
            Self::Tilted => "tilted",
            Self::Turned => "turned",
            Self::Soft => "soft",
            Self::Lit => "lit",
            Self::Tight => "tight",
            Self::Far => "far",
            Self::Dim => "dim",
            Self::Crowded => "crowded",
            Self::Blurry => "blurry",
            Self::Glare => "glare",
            Self::Dark => "dark",
            Self::CutOff => "cut_off",
            Self::Nothing => "nothing",
            Self::Obstructed => "obstructed",
            Self::Grey => "grey",
            Self::Screen => "screen",
        }
    }

    /// The reason codes that must be reported.
    pub(crate) fn codes(self) -> Vec<&'static str> {
        let code = match self {
            Self::Blurry => "document_blurry",
            Self::Glare => "document_glare",
            Self::Dark => "document_too_dark",
            Self::CutOff => "document_cut_off",
            Self::Nothing => "document_not_found",
            Self::Obstructed => "document_obstructed",
            Self::Grey => "document_not_in_color",
            Self::Screen => "document_screen_capture",
            _ => return Vec::new(),
        };
        vec![code]
    }

    /// One photograph in these circumstances.
    pub(crate) fn setting(self, chance: &mut impl Rng) -> Setting {
        let mut camera = Camera::drawn(chance);
        let mut around = Around::default();
        let mut pose = Pose {
            turn: chance.random_range(-6.0..6.0),
            tilt: chance.random_range(0.0..10.0),
            axis: chance.random_range(0.0..360.0),
            margin: chance.random_range(0.03..0.1),
            off: (chance.random_range(-0.7..0.7), chance.random_range(-0.7..0.7)),
        };
        match self {
            Self::Flat => {
                pose.tilt = chance.random_range(0.0..3.0);
                pose.turn = chance.random_range(-2.0..2.0);
            }
            Self::Tilted => {
                pose.tilt = chance.random_range(12.0..30.0);
                pose.turn = chance.random_range(-15.0..15.0);
            }
            Self::Turned => {
                pose.turn = chance.random_range(0.0..360.0);
                pose.margin = chance.random_range(0.02..0.06);
                camera.width = camera.width.max(1600);
                camera.height = camera.height.max(1440);
            }
            Self::Soft => camera.blur = chance.random_range(0.08..0.13),
            Self::Lit => camera.spots = vec![spot((0.04, 0.09), (90.0, 200.0), edge(chance), chance)],
            Self::Tight => pose.margin = chance.random_range(0.004..0.015),
            Self::Far => pose.margin = chance.random_range(0.14..0.2),
            Self::Dim => {
                camera.gain = chance.random_range(0.42..0.6);
                camera.noise = chance.random_range(3.0..6.5);
                camera.quality = chance.random_range(60..80);
            }
            Self::Crowded => {
                around.other_card = chance.random_bool(0.6);
                around.held = !around.other_card || chance.random_bool(0.3);
                pose.margin = chance.random_range(0.08..0.15);
            }
            Self::Blurry if chance.random_bool(0.6) => camera.blur = chance.random_range(0.4..0.9),
            Self::Blurry => camera.moved = (chance.random_range(1.8..4.0), chance.random_range(0.0..180.0)),
            Self::Glare => {
                let middle = (chance.random_range(0.25..0.75), chance.random_range(0.25..0.75));
                camera.spots = vec![spot((0.13, 0.26), (260.0, 420.0), middle, chance)];
            }
            Self::Dark => {
                camera.gain = chance.random_range(0.05..0.14);
                camera.noise = chance.random_range(2.0..6.0);
            }
            Self::CutOff => cut(&mut pose, chance),
            Self::Obstructed => around.covers = covers(chance),
            Self::Nothing | Self::Grey | Self::Screen => {}
        }
        Setting { pose, camera, around }
    }
}

fn spot(size: (f32, f32), strength: (f32, f32), at: (f32, f32), chance: &mut impl Rng) -> Spot {
    Spot {
        at,
        size: (
            chance.random_range(size.0..size.1),
            chance.random_range(size.0..size.1) * 1.3,
        ),
        strength: chance.random_range(strength.0..strength.1),
    }
}

/// A point on the edge of a document.
fn edge(chance: &mut impl Rng) -> (f32, f32) {
    let along = chance.random_range(0.05..0.95);
    let beside = chance.random_range(-0.04..0.05);
    match chance.random_range(0..4_u8) {
        0 => (along, beside),
        1 => (along, 1.0 - beside),
        2 => (beside, along),
        _ => (1.0 - beside, along),
    }
}

/// Moves the document out of the picture on one or two sides.
fn cut(pose: &mut Pose, chance: &mut impl Rng) {
    let share: f32 = chance.random_range(0.12..0.32);
    // The free space is small and the shift is relative to it, so the margin is compensated.
    pose.margin = -share * chance.random_range(0.35..0.5);
    let sign = if chance.random_bool(0.5) { 1.0 } else { -1.0 };
    pose.off = (sign, chance.random_range(-1.0..1.0));
}

fn covers(chance: &mut impl Rng) -> Vec<Cover> {
    let width = chance.random_range(0.17..0.24);
    if chance.random_bool(0.6) {
        let (from, tip) = [
            ((0.35, 1.6), (0.45, 0.3)),
            ((0.65, -0.6), (0.55, 0.65)),
            ((-0.4, 0.7), (0.5, 0.5)),
            ((1.4, 0.6), (0.45, 0.45)),
        ]
        .choose(chance)
        .copied()
        .unwrap_or(((0.4, 1.5), (0.45, 0.35)));
        let beside = |(x, y): (f32, f32), step: f32| (x + step, y + step * 0.4);
        return vec![
            Cover::Finger { from, tip, width },
            Cover::Finger {
                from: beside(from, 0.2),
                tip: beside(tip, 0.19),
                width: width * 0.95,
            },
        ];
    }
    let (left, top): (f32, f32) = (chance.random_range(0.05..0.5), chance.random_range(-0.05..0.4));
    let tone: Colour = [
        [250.0, 235.0, 120.0],
        [240.0, 240.0, 240.0],
        [40.0, 40.0, 45.0],
        [250.0, 150.0, 190.0],
    ]
    .choose(chance)
    .copied()
    .unwrap_or([240.0; 3]);
    vec![Cover::Note(
        [
            left,
            top,
            left + chance.random_range(0.35..0.5),
            top + chance.random_range(0.5..0.7),
        ],
        tone,
    )]
}
