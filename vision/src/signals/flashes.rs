//! Whether a face reflects the colours of the screen in front of it. The skin is near the screen and the background is far, so the light of the
//! screen shows in the difference of their colours. A flat picture is lit evenly, together with its own background; a screen emits its own light;
//! a video recorded earlier cannot know the colours.

use crate::face::Shape;
use crate::geometry::{Point, clip, mean};
use crate::raster::Raster;
use crate::statistics::median;
use domain::findings::{Colour, Tint};
use lens::geometry::bounds;

/// Channels are compared from this value on and up to this one: darker is noise, and brighter is cut off.
const DARKEST: u8 = 12;
const BRIGHTEST: u8 = 250;
/// Half the side of a patch of skin, in eye distances.
const PATCH: f32 = 0.14;
/// How far the background is from the jaw, and from the brows to above the hair, in eye distances.
const BESIDE: f32 = 0.4;
const ABOVE: f32 = 1.9;
/// A background smaller than this share of the picture says nothing.
const LEAST_BACKGROUND: f32 = 0.01;
/// Of a patch, at least this share must be neither too dark nor too bright.
const LEAST_PATCH: f32 = 0.5;
/// Patches of skin, and how many of them must be measurable, each in so many frames.
const PATCHES: usize = 5;
const LEAST_PATCHES: usize = 3;
const LEAST_FRAMES: usize = 6;
/// Maximum number of frames between the request for a colour and its appearance: cameras deliver pictures late.
const LATEST: usize = 2;
/// Differences of two frames of a steady scene, as logarithms: smaller ones are no response, however well they correlate.
const NOISE: f32 = 0.004;
/// Tints are stored in parts of this.
const PARTS: f32 = 10_000.0;

/// The colour of each patch of skin against the background; `None` if too little of that can be measured.
pub(crate) fn tint(picture: &Raster, shape: &Shape) -> Option<Tint> {
    let background = background(picture, shape)?;
    let against = |middle: Point| {
        let skin = patch(picture, middle, PATCH * shape.eye_distance())?;
        Some([0, 1].map(|axis| ((skin[axis] - background[axis]) * PARTS) as i16))
    };
    Some(Tint(patches(shape).map(against).to_vec()))
}

/// How well the tints follow the colours, in the order of the frames: the correlation of both, at the delay that fits best; of the patches the
/// median. `None` if too few frames or patches could be measured.
pub(crate) fn followed(flashes: &[(Colour, Option<&Tint>)]) -> Option<f32> {
    let at_delay = |delay: usize| {
        let each: Vec<f32> = (0..PATCHES)
            .filter_map(|patch| correlation(flashes, patch, delay))
            .collect();
        let is_enough = each.len() >= LEAST_PATCHES;
        median(each).filter(|_| is_enough)
    };
    (0..=LATEST).filter_map(at_delay).reduce(f32::max)
}

/// The correlation of a patch with the colours that were told so many frames before; frames before the first of them took effect are
/// left out.
fn correlation(flashes: &[(Colour, Option<&Tint>)], patch: usize, delay: usize) -> Option<f32> {
    let late = flashes.iter().skip(delay);
    let pairs: Vec<([f32; 2], [f32; 2])> = flashes
        .iter()
        .zip(late)
        .filter_map(|((colour, _), (_, tint))| {
            let seen = (*tint)?.0.get(patch).copied().flatten()?;
            Some((direction(*colour), seen.map(|part| f32::from(part) / PARTS)))
        })
        .collect();
    if pairs.len() < LEAST_FRAMES {
        return None;
    }
    let (told, seen): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
    let (told, seen) = (centred(&told), centred(&seen));
    let product = |a: &[[f32; 2]], b: &[[f32; 2]]| {
        let pairs = a.iter().flatten().zip(b.iter().flatten());
        pairs.map(|(a, b)| a * b).sum::<f32>()
    };
    let noise = NOISE * NOISE * (2 * seen.len()) as f32;
    let scale = product(&told, &told) * (product(&seen, &seen) + noise);
    (scale > 0.0).then(|| product(&told, &seen) / scale.sqrt())
}

/// How much redder and bluer than green a colour makes a grey thing, up to a factor.
fn direction(colour: Colour) -> [f32; 2] {
    let [red, green, blue] = colour.light();
    [red - green, blue - green]
}

/// The values without their mean.
fn centred(values: &[[f32; 2]]) -> Vec<[f32; 2]> {
    let mean = mean(values);
    values
        .iter()
        .map(|[red, blue]| [red - mean[0], blue - mean[1]])
        .collect()
}

/// The middles of the patches: both cheeks, the nose, the chin, the forehead. Landmarks have the numbers of the 68-point model.
fn patches(shape: &Shape) -> [Point; PATCHES] {
    let at = |index: usize| shape.points()[index];
    let between = |a: Point, b: Point, share: f32| [0, 1].map(|axis| a[axis] + (b[axis] - a[axis]) * share);
    let brows = between(at(21), at(22), 0.5);
    [
        between(at(31), at(2), 0.5),
        between(at(35), at(14), 0.5),
        at(29),
        between(at(57), at(8), 0.55),
        between(at(33), brows, 1.35),
    ]
}

/// Logarithms of red and blue over green in the square around a place.
fn patch(picture: &Raster, [x, y]: Point, half: f32) -> Option<[f32; 2]> {
    let (left, right) = (clip(x - half, picture.width()), clip(x + half, picture.width()));
    let (top, bottom) = (clip(y - half, picture.height()), clip(y + half, picture.height()));
    let mut sum = Sum::default();
    for row in top..bottom {
        sum.add(&picture.row(row)[left * 3..right * 3]);
    }
    sum.ratios((4.0 * half * half * LEAST_PATCH).max(1.0))
}

/// The same of what is beside and above the head.
fn background(picture: &Raster, shape: &Shape) -> Option<[f32; 2]> {
    let jaw = &shape.points()[..17];
    let apart = shape.eye_distance();
    let [left, _, right, chin] = bounds(jaw);
    let left = clip(left - BESIDE * apart, picture.width());
    let right = clip(right + BESIDE * apart, picture.width());
    let above = clip(shape.points()[21][1] - ABOVE * apart, picture.height());
    let chin = clip(chin, picture.height());
    let mut sum = Sum::default();
    for y in 0..chin {
        let row = picture.row(y);
        if y < above {
            sum.add(row);
        } else {
            sum.add(&row[..left * 3]);
            sum.add(&row[right * 3..]);
        }
    }
    sum.ratios(LEAST_BACKGROUND * (picture.width() * picture.height()) as f32)
}

/// Sums of the channels over measurable pixels.
#[derive(Default)]
struct Sum {
    channels: [u64; 3],
    count: u64,
}

impl Sum {
    fn add(&mut self, pixels: &[u8]) {
        for pixel in pixels.chunks_exact(3) {
            if pixel.iter().all(|channel| (DARKEST..=BRIGHTEST).contains(channel)) {
                for (sum, channel) in self.channels.iter_mut().zip(pixel) {
                    *sum += u64::from(*channel);
                }
                self.count += 1;
            }
        }
    }

    /// Logarithms of red and blue over green, of at least so many pixels.
    fn ratios(&self, least: f32) -> Option<[f32; 2]> {
        let [red, green, blue] = self.channels.map(|sum| sum as f32);
        (self.count as f32 >= least && green > 0.0).then(|| [(red / green).ln(), (blue / green).ln()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face::pose::tests::head;
    use domain::live::drawn_colours;
    use proptest::prelude::*;

    const FACE: [f32; 3] = [176.0, 132.0, 112.0];
    const WALL: [f32; 3] = [150.0, 152.0, 158.0];

    /// What lies before the camera.
    #[derive(Clone, Copy)]
    struct Scene {
        /// The light of a white screen over that of the room, on the face and on the wall.
        on_face: f32,
        on_wall: f32,
        /// Frames until a colour is seen.
        late: usize,
    }

    const PERSON: Scene = Scene {
        on_face: 0.08,
        on_wall: 0.008,
        late: 0,
    };

    /// A picture of this light, by a camera that takes half of a cast away and changes its exposure.
    fn frame(scene: Scene, colour: Option<Colour>, exposure: f32) -> Raster {
        let light = colour.map_or([0.0; 3], Colour::light);
        let lit = |reflected: [f32; 3], share: f32| {
            let mut balance = light.map(|light| 1.0 + light * (scene.on_face + scene.on_wall) / 2.0);
            let grey = balance.iter().sum::<f32>() / 3.0;
            balance = balance.map(|channel| (grey / channel).sqrt());
            let channel =
                |at: usize| reflected[at] * ((1.0 + share * light[at]) * balance[at] * exposure).powf(1.0 / 2.2);
            std::array::from_fn::<u8, 3, _>(|at| channel(at).round().clamp(0.0, 255.0) as u8)
        };
        let mut picture = Raster::filled(600, 600, lit(WALL, scene.on_wall));
        picture.paste(&Raster::filled(180, 240, lit(FACE, scene.on_face)), 210, 200);
        picture
    }

    fn measured(scene: Scene, told: &[Colour], shown: &[Colour]) -> Option<f32> {
        let shape = head(0.0, false);
        let each: Vec<Colour> = shown.iter().flat_map(|colour| [*colour; 2]).collect();
        let tints: Vec<Tint> = (0..each.len())
            .map(|at| {
                let colour = at.checked_sub(scene.late).map(|at| each[at]);
                let exposure = 1.0 + 0.05 * (at as f32 * 1.7).sin();
                tint(&frame(scene, colour, exposure), &shape).unwrap()
            })
            .collect();
        let told = told.iter().flat_map(|colour| [*colour; 2]);
        let flashes: Vec<_> = told.zip(tints.iter().map(Some)).collect();
        followed(&flashes)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn a_face_follows_whatever_colours_are_told_even_late(dice: [u8; 5], late in 0_usize..3) {
            let told = drawn_colours(dice);
            let found = measured(Scene { late, ..PERSON }, &told, &told);
            prop_assert!(found.is_some_and(|found| found > 0.9), "{found:?} {told:?}");
        }

        #[test]
        fn a_print_that_is_lit_with_its_background_and_a_film_do_not_follow(dice: [u8; 5]) {
            let told = drawn_colours(dice);
            for on in [0.0, 0.08] {
                let found = measured(Scene { on_face: on, on_wall: on, ..PERSON }, &told, &told);
                prop_assert!(found.is_some_and(|found| found < 0.6), "{found:?} {told:?}");
            }
        }
    }

    #[test]
    fn a_film_of_other_colours_seldom_fits() {
        let mut dice = (0_u8..=255).cycle().step_by(37);
        let mut draw = || drawn_colours(std::array::from_fn(|_| dice.next().unwrap_or_default()));
        let fits = (0..60).filter(|_| {
            let (told, shown) = (draw(), draw());
            told != shown && measured(PERSON, &told, &shown).is_some_and(|found| found >= 0.80)
        });
        let fits = fits.count();
        assert!(fits <= 3, "{fits} of 60");
    }

    #[test]
    fn too_bright_or_too_small_a_background_is_not_measured() {
        let shape = head(0.0, false);
        assert_eq!(tint(&Raster::filled(600, 600, [255; 3]), &shape), None);
        let close = shape
            .points()
            .iter()
            .map(|point| point.map(|at| (at - 300.0) * 4.0 + 300.0));
        let close = Shape::new(close.collect()).unwrap();
        assert_eq!(tint(&frame(PERSON, None, 1.0), &close), None);
        assert_eq!(followed(&[(Colour::Green, None); 10]), None);
        assert_eq!(followed(&[]), None);
    }
}
