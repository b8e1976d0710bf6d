//! Each defect made on purpose is named by its own code, and clean pictures are left alone.
//!
//! The planted fault these must catch: any of the limits of `domain::quality` halved or doubled.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod scene;

use domain::findings::Quality;
use domain::quality::{QualityLimits, document_problems};
use domain::reasons::Reason;
use lens::frame::Frame;
use lens::gate::Hint;
use lens::outline::Outline;
use lens::quality::{judge, look};
use scene::{Dice, Picture, SIZE, Scene};

/// Pictures of each kind.
const PICTURES: u64 = 40;

fn judged(picture: &Picture, noise: f32, dice: &mut Dice) -> (Quality, Hint) {
    let pixels = picture.taken(noise, dice);
    let frame = Frame::luma(picture.width as u32, picture.height as u32, &pixels).unwrap();
    let look = look(&frame);
    (look.quality, Hint::of(&look, 0.0, &QualityLimits::default()))
}

/// How many of the pictures have that problem, with the first few that have not.
fn named(reason: Reason, make: impl Fn(u64, &mut Dice) -> Picture) -> (u64, Vec<String>) {
    let (mut hits, mut missed) = (0, Vec::new());
    for seed in 0..PICTURES {
        let mut dice = Dice::new(seed + 1000);
        let picture = make(seed, &mut dice);
        let noise = dice.between(0.0, 5.0);
        let (quality, _) = judged(&picture, noise, &mut dice);
        if document_problems(&quality, &QualityLimits::default()).contains(&reason) {
            hits += 1;
        } else {
            missed.push(format!("{seed}: {quality:?}"));
        }
    }
    (hits, missed)
}

fn at_least_95_percent((hits, missed): (u64, Vec<String>)) {
    assert!(
        hits * 100 >= PICTURES * 95,
        "{hits} of {PICTURES}: {:#?}",
        &missed[..missed.len().min(8)]
    );
}

#[test]
fn who_wants_no_outline_gets_the_same_judgement() {
    for seed in 0..4 {
        let picture = Scene::good(seed).draw(SIZE);
        let pixels = picture.taken(2.0, &mut Dice::new(seed));
        let frame = Frame::luma(picture.width as u32, picture.height as u32, &pixels).unwrap();
        assert_eq!(judge(&frame), look(&frame).quality);
    }
}

#[test]
fn at_most_2_percent_of_clean_pictures_are_faulted() {
    let mut faulted = Vec::new();
    for seed in 0..PICTURES * 2 {
        let mut dice = Dice::new(seed + 500);
        let picture = Scene::good(seed).draw(SIZE);
        let noise = dice.between(0.0, 4.0);
        let (quality, _) = judged(&picture, noise, &mut dice);
        let problems = document_problems(&quality, &QualityLimits::default());
        if !problems.is_empty() {
            faulted.push(format!("{seed}: {problems:?} {quality:?}"));
        }
    }
    assert!(
        faulted.len() as u64 * 100 <= PICTURES * 2 * 2,
        "{}: {:#?}",
        faulted.len(),
        &faulted[..faulted.len().min(8)]
    );
}

#[test]
fn at_least_95_percent_of_clean_pictures_open_the_gate() {
    let mut shut = Vec::new();
    for seed in 0..PICTURES {
        let mut dice = Dice::new(seed + 700);
        let noise = dice.between(0.0, 3.0);
        let (quality, hint) = judged(&Scene::good(seed).draw(SIZE), noise, &mut dice);
        if hint != Hint::Good {
            shut.push(format!("{seed}: {hint:?} {quality:?}"));
        }
    }
    assert!(
        shut.len() as u64 * 100 <= PICTURES * 5,
        "{}: {:#?}",
        shut.len(),
        &shut[..shut.len().min(8)]
    );
}

#[test]
fn out_of_focus_is_blurry() {
    at_least_95_percent(named(Reason::DocumentBlurry, |seed, dice| {
        Scene::good(seed).draw(SIZE).blurred(dice.between(3.2, 6.0))
    }));
}

#[test]
fn moved_in_any_direction_is_blurry() {
    at_least_95_percent(named(Reason::DocumentBlurry, |seed, dice| {
        let direction = [(1, 0), (0, 1), (1, 1), (1, -1)][(dice.next() * 4.0) as usize % 4];
        Scene::good(seed)
            .draw(SIZE)
            .moved(dice.between(13.0, 22.0) as usize, direction)
    }));
}

#[test]
fn a_reflection_is_glare() {
    at_least_95_percent(named(Reason::DocumentGlare, |seed, dice| {
        let place = (dice.between(0.3, 0.7), dice.between(0.25, 0.5));
        Scene::good(seed).draw(SIZE).with_glare(place, dice.between(0.1, 0.2))
    }));
}

#[test]
fn paper_that_the_camera_took_too_bright_is_no_glare() {
    let (hits, _) = named(Reason::DocumentGlare, |seed, dice| {
        Scene {
            paper: dice.between(246.0, 256.0),
            ..Scene::good(seed)
        }
        .draw(SIZE)
        .lit_unevenly(dice.between(-0.08, 0.08))
    });
    // Waves of print twelve levels deep, of which the camera keeps the troughs only, look like reflections here and there.
    assert!(hits * 100 <= PICTURES * 20, "{hits} of {PICTURES}");
}

#[test]
fn a_card_just_inside_the_picture_is_not_cut_off() {
    let (hits, _) = named(Reason::DocumentCutOff, |seed, dice| {
        Scene {
            scale: dice.between(0.98, 0.99),
            tilt: 0.0,
            perspective: 0.0,
            shift: (0.0, 0.0),
            passport: false,
            ..Scene::good(seed)
        }
        .draw(SIZE)
    });
    assert!(hits * 100 <= PICTURES * 5, "{hits} of {PICTURES}");
}

#[test]
fn too_little_light_is_too_dark() {
    at_least_95_percent(named(Reason::DocumentTooDark, |seed, dice| {
        Scene::good(seed).draw(SIZE).dimmed(dice.between(0.08, 0.2))
    }));
}

#[test]
fn a_card_over_the_border_is_cut_off() {
    at_least_95_percent(named(Reason::DocumentCutOff, |seed, dice| {
        let mut scene = Scene::good(seed);
        let far = dice.between(0.2, 0.3);
        scene.shift = if dice.next() < 0.5 { (far, 0.0) } else { (-far, 0.0) };
        scene.draw(SIZE)
    }));
}

#[test]
fn a_card_over_two_borders_is_cut_off() {
    at_least_95_percent(named(Reason::DocumentCutOff, |seed, dice| {
        let mut side = |from: f32, to: f32| dice.between(from, to) * if dice.next() < 0.5 { 1.0 } else { -1.0 };
        Scene {
            shift: (side(0.2, 0.26), side(0.16, 0.2)),
            ..Scene::good(seed)
        }
        .draw(SIZE)
    }));
}

/// A picture of the usual size whose luma at a place is what this says.
fn outlined(luma: impl Fn(usize, usize) -> u8) -> Option<Outline> {
    let pixels: Vec<u8> = (0..SIZE.0 * SIZE.1).map(|at| luma(at % SIZE.0, at / SIZE.0)).collect();
    look(&Frame::luma(SIZE.0 as u32, SIZE.1 as u32, &pixels).unwrap()).outline
}

#[test]
fn a_card_of_which_a_quarter_is_below_the_picture_is_cut_off_though_it_looks_longer() {
    let card = |x: usize, y: usize| (80..560).contains(&x) && y >= 257;
    let below = outlined(|x, y| if card(x, y) { 210 } else { 50 }).unwrap();
    assert!(below.cut_off && (2.0..2.3).contains(&below.aspect()), "{below:?}");
    let [left, top] = below.corners[0];
    assert!((left - 80.0).abs() < 5.0 && (top - 257.0).abs() < 5.0, "{below:?}");
    let above = outlined(|x, y| if card(x, SIZE.1 - 1 - y) { 210 } else { 50 });
    assert!(above.is_some_and(|outline| outline.cut_off), "{above:?}");
    let half_out = outlined(|x, y| if card(x, y) && y >= 330 { 210 } else { 50 });
    assert!(half_out.is_none(), "a strip: {half_out:?}");
    // As long, but cut at a short side: no document is as long as that.
    let strip = outlined(|x, y| if x >= 160 && (130..350).contains(&y) { 210 } else { 50 });
    assert!(strip.is_none(), "{strip:?}");
}

#[test]
fn a_whole_card_on_a_tray_that_the_border_cuts_off_is_whole() {
    let found = outlined(|x, y| {
        let is_card = (170..470).contains(&x) && (255..444).contains(&y);
        let is_tray = (60..580).contains(&x) && y >= 230;
        match (is_card, is_tray) {
            (true, _) => 210,
            (false, true) => 120,
            (false, false) => 50,
        }
    });
    assert!(found.is_some_and(|outline| !outline.cut_off), "{found:?}");
}

#[test]
fn an_empty_table_or_a_far_card_is_not_found() {
    let mut wrong = 0;
    for seed in 0..PICTURES {
        let mut dice = Dice::new(seed);
        let empty = Scene {
            card: false,
            ..Scene::good(seed)
        };
        let (quality, hint) = judged(&empty.draw(SIZE), dice.between(0.0, 4.0), &mut dice);
        wrong += u64::from(quality.coverage.is_some() || !matches!(hint, Hint::Find | Hint::Dark));
    }
    assert!(wrong * 100 <= PICTURES * 5, "{wrong} of {PICTURES}");
    at_least_95_percent(named(Reason::DocumentNotFound, |seed, dice| {
        Scene {
            scale: dice.between(0.3, 0.42),
            ..Scene::good(seed)
        }
        .draw(SIZE)
    }));
}

#[test]
fn the_judgement_does_not_depend_on_the_size_of_the_picture() {
    for seed in 0..12 {
        let scene = Scene::good(seed);
        let mut dice = Dice::new(seed);
        let (small, _) = judged(&scene.draw(SIZE), 1.0, &mut dice);
        let (large, _) = judged(&scene.draw((1920, 1440)), 1.0, &mut dice);
        assert!((small.sharpness - large.sharpness).abs() < 0.3, "{small:?} {large:?}");
        assert!((small.exposure - large.exposure).abs() < 0.02);
        assert!(
            (small.coverage.unwrap() - large.coverage.unwrap()).abs() < 0.03,
            "{small:?} {large:?}"
        );
    }
}

#[test]
fn the_outline_lies_on_the_card() {
    for seed in 0..40 {
        let scene = Scene {
            tilt: 0.0,
            perspective: 0.0,
            shift: (0.0, 0.0),
            ..Scene::good(seed)
        };
        let pixels = scene.draw(SIZE).taken(1.0, &mut Dice::new(seed));
        let found = look(&Frame::luma(SIZE.0 as u32, SIZE.1 as u32, &pixels).unwrap())
            .outline
            .unwrap();
        let aspect = if scene.passport { 125.0 / 88.0 } else { 85.6 / 54.0 };
        let (half_width, half_height) = (scene.scale * 320.0, scene.scale * 320.0 / aspect);
        let [left, top] = found.corners[0];
        assert!((left - (320.0 - half_width)).abs() < 5.0, "{seed}: {found:?}");
        assert!((top - (240.0 - half_height)).abs() < 5.0, "{seed}: {found:?}");
        assert!(!found.cut_off && found.slant() < 0.03);
    }
}

/// Detects if an outline is enlarged by one factor for both sides: a small plane has whole rows, and 161 of them are 2,000 of such a picture.
#[test]
fn the_lower_side_of_a_card_is_where_it_lies_in_a_picture_of_any_proportions() {
    let (width, height) = (3000_u32, 2000_u32);
    let lowest: Vec<u32> = (1860..1890).step_by(4).collect();
    let off = lowest.iter().map(|&bottom| {
        let is_card = |x: u32, y: u32| (300..2800).contains(&x) && (200..bottom).contains(&y);
        let pixels: Vec<u8> = (0..width * height)
            .map(|i| if is_card(i % width, i / width) { 210 } else { 50 })
            .collect();
        let found = look(&Frame::luma(width, height, &pixels).unwrap()).outline.unwrap();
        found.corners[2][1] - bottom as f32
    });
    // It is found to a pixel of the small plane, which is 12 of these.
    let mean = off.sum::<f32>() / lowest.len() as f32;
    assert!(mean.abs() < 5.0, "{mean}");
}

#[test]
fn a_card_of_any_turn_is_outlined_as_large_as_it_is() {
    let mut missed = Vec::new();
    // In the middle of a wide picture, and from corner to corner of a square one.
    let turns = [(SIZE, 0.55), ((SIZE.1, SIZE.1), 0.8)]
        .into_iter()
        .flat_map(|framed| (-90..90).step_by(10).map(move |degrees| (framed, degrees)));
    for (seed, ((size, scale), degrees)) in (0_u64..).zip(turns) {
        let scene = Scene {
            tilt: (degrees as f32).to_radians(),
            scale,
            passport: false,
            ..Scene::good(seed)
        };
        let picture = scene.draw(size);
        let pixels = picture.taken(2.0, &mut Dice::new(seed));
        let frame = Frame::luma(picture.width as u32, picture.height as u32, &pixels).unwrap();
        let width = size.0 as f32 * scale;
        let wanted = width * width * 54.0 / 85.6;
        let outlines = lens::quality::outlines(&frame);
        let first = outlines.first().map(|outline| (outline.area(), outline.cut_off));
        if first.is_none_or(|(area, cut_off)| (area / wanted - 1.0).abs() > 0.06 || cut_off) {
            missed.push((size, degrees, first, wanted));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn two_cards_in_one_picture_are_two_outlines() {
    let one = |shift| Scene {
        scale: 0.4,
        shift,
        passport: false,
        ..Scene::good(3)
    };
    let (left, right) = (one((-0.24, -0.1)).draw(SIZE), one((0.24, 0.1)).draw(SIZE));
    let half = SIZE.0 / 2;
    let pick = |at: usize| if at % SIZE.0 < half { &left } else { &right };
    let values = (0..SIZE.0 * SIZE.1).map(|at| pick(at).values[at]).collect();
    let both = Picture { values, ..left.clone() };
    let pixels = both.taken(2.0, &mut Dice::new(1));
    let frame = Frame::luma(both.width as u32, both.height as u32, &pixels).unwrap();
    let mut sides: Vec<bool> = lens::quality::outlines(&frame)
        .iter()
        .filter(|outline| (outline.aspect() - 85.6 / 54.0).abs() < 0.1)
        .map(|outline| outline.corners[0][0] < half as f32 - 40.0)
        .collect();
    sides.sort_unstable();
    sides.dedup();
    assert_eq!(sides, [false, true]);
}
