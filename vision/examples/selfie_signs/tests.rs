//! The signs on selfies with the real models: faces as they are, covered, filmed from a screen, and printed on a card.

use crate::attacks::{Cover, Dice, on_screen, photographed};
use domain::findings::{Asked, Face, SelfieSigns};
use domain::quality::{SelfieLimits, face_is_covered};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use vision::raster::Raster;
use vision::{Picture, Vision, normalise};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn vision() -> &'static Vision {
    static VISION: OnceLock<Vision> = OnceLock::new();
    VISION.get_or_init(|| {
        let vision = Vision::load(&root().join("models"));
        assert!(vision.missing().is_empty(), "run `cargo xtask models` first");
        vision
    })
}

/// Three selfies of two people, cut out of the photographs that come with the models.
fn selfies() -> Vec<Raster> {
    let places = [(1, 1380, 80), (6, 1070, 230), (3, 960, 140)];
    let cut = |(number, x, y)| {
        let bytes = std::fs::read(root().join(format!("models/samples/sample{number}.jpg"))).unwrap();
        normalise(&bytes).unwrap().rgb.crop(x, y, 420, 500).unwrap()
    };
    places.into_iter().map(cut).collect()
}

fn look(picture: Picture) -> (Face, SelfieSigns) {
    let found = vision().examine_selfie(&[picture], &Asked::default());
    (found.face.unwrap(), found.signs)
}

/// Covers of which one in five or more passes (docs/decisions/0016): three faces say nothing of them.
const fn hard(cover: Cover) -> bool {
    matches!(
        cover,
        Cover::SkinMask | Cover::CheckedMask | Cover::BrownGlasses | Cover::MirrorGlasses | Cover::HandOnEyes
    )
}

#[test]
fn bare_faces_show_no_sign_and_covered_ones_do() {
    let (limits, mut dice) = (SelfieLimits::default(), Dice(7));
    // The head of the third is turned: whether it is covered is not judged.
    for (number, scene) in selfies().iter().take(2).enumerate() {
        let (face, bare) = look(Picture::from_raster(scene.clone()).unwrap());
        assert!(!face_is_covered(&bare, &limits), "{number}: {bare:?}");
        assert!(
            bare.in_card.unwrap() < limits.in_card && bare.grid.unwrap() < limits.grid,
            "{number}: {bare:?}"
        );
        for cover in Cover::ALL.into_iter().filter(|cover| !hard(*cover)) {
            let drawn = cover.draw(scene, &face, &mut dice);
            // A face that is not found any more is asked for again too.
            let found = vision().examine_selfie(&[photographed(&drawn, &mut dice)], &Asked::default());
            let hidden = found.face.is_none() || face_is_covered(&found.signs, &limits);
            assert!(hidden, "{number} {cover:?}: {:?}", found.signs);
        }
    }
}

#[test]
fn a_face_on_a_screen_shows_the_grid_of_its_pixels() {
    let (limits, mut dice) = (SelfieLimits::default(), Dice(7));
    for (number, scene) in selfies().iter().take(2).enumerate() {
        let large = scene.resized(840, 1000);
        let screen = on_screen(&large, 3.3, 0.3, &mut dice);
        let (_, signs) = look(photographed(&screen, &mut dice));
        assert!(signs.grid.unwrap() > limits.grid, "{number}: {signs:?}");
        let (_, signs) = look(photographed(&large, &mut dice));
        assert!(signs.grid.unwrap() < limits.grid, "{number}: {signs:?}");
    }
}

#[test]
fn a_burst_before_a_screen_that_moves_shows_the_grid_of_its_pixels() {
    let (limits, mut dice) = (SelfieLimits::default(), Dice(7));
    let mut burst = |scene: &Raster, on: Option<[f32; 2]>| {
        let frames = (0..4).map(|_| match on {
            Some([period, depth]) => {
                let screen = on_screen(scene, period, depth, &mut dice);
                photographed(&screen, &mut dice)
            }
            None => photographed(scene, &mut dice),
        });
        let frames: Vec<Picture> = frames.collect();
        vision().examine_selfie(&frames, &Asked::default()).signs
    };
    for (number, scene) in selfies().iter().enumerate() {
        let large = scene.resized(840, 1000);
        let bare = burst(&large, None);
        assert!(bare.grid.unwrap() < limits.grid, "{number}: {bare:?}");
        let screen = burst(&large, Some([1.3, 0.3]));
        assert!(screen.grid.unwrap() > limits.grid, "{number}: {screen:?}");
    }
}

#[test]
fn a_portrait_held_into_the_camera_is_in_a_card_and_nearly_the_same_picture() {
    let (limits, mut dice) = (SelfieLimits::default(), Dice(7));
    let portrait = &selfies()[2];
    let mut table = Raster::filled(960, 1280, [70, 60, 52]);
    table.paste(&Raster::filled(760, 480, [214, 222, 226]), 100, 380);
    table.paste(&portrait.resized(277, 330), 140, 450);
    let (face, signs) = look(photographed(&table, &mut dice));
    assert!(signs.in_card.unwrap() >= limits.in_card, "{signs:?}");
    let (printed, _) = look(Picture::from_raster(portrait.clone()).unwrap());
    let (again, _) = look(Picture::from_raster(selfies()[0].clone()).unwrap());
    let distance = |other: &Face| other.distance(&printed).unwrap();
    assert!(distance(&face) < limits.same_picture, "{}", distance(&face));
    assert!(
        distance(&again) > limits.same_picture,
        "another photograph of the same person: {}",
        distance(&again)
    );
}

/// Detects if an animated or printed portrait is noted only where the edge of its card is seen.
#[test]
fn a_portrait_without_the_edge_of_its_card_is_told_from_another_picture_of_its_owner() {
    let mut dice = Dice(7);
    let crop = |picture: Picture| {
        let found = vision().examine_selfie(&[picture], &Asked::default());
        found.face_crop.unwrap()
    };
    let pictures = selfies();
    let portrait = &pictures[2];
    let printed = crop(Picture::from_raster(portrait.clone()).unwrap());
    for _ in 0..3 {
        let shown = photographed(&portrait.resized(840, 1000), &mut dice);
        let likeness = printed.likeness(&crop(shown));
        assert!(likeness > 0.78, "{likeness}");
    }
    for other in &pictures[..2] {
        let likeness = printed.likeness(&crop(Picture::from_raster(other.clone()).unwrap()));
        assert!(likeness < 0.7, "{likeness}");
    }
}
