//! Measures the signs on selfies: on photographs as they are, and on attacks made from them.
//! `cargo run --release --example selfie_signs -- --data DIR`, with `DIR/faces/` as for `eval`. Faces of the models' own samples are measured too.
#![expect(clippy::print_stdout, reason = "a table on the terminal is what this is for")]

mod attacks;
#[cfg(test)]
mod tests;

use attacks::{Cover, Dice, on_screen, photographed};
use domain::findings::{Asked, Face, SelfieSigns};
use domain::quality::{SelfieLimits, face_is_covered};
use std::error::Error;
use std::path::{Path, PathBuf};
use vision::raster::Raster;
use vision::{Picture, Vision, normalise};

/// Repeats the run.
const SEED: u32 = 2026;
/// The side that faces are brought to for the screens: a selfie's, on which a raster can be seen.
const SELFIE: usize = 1024;

/// Hits among tries, with a 95 % interval (Wilson 1927).
struct Rate(usize, usize);

impl std::fmt::Display for Rate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (n, p, z) = (self.1.max(1) as f64, self.0 as f64 / self.1.max(1) as f64, 1.96_f64);
        let (middle, half) = (
            (p + z * z / (2.0 * n)) / (1.0 + z * z / n),
            z / (1.0 + z * z / n) * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt(),
        );
        let percent = |v: f64| 100.0 * v.clamp(0.0, 1.0);
        write!(
            f,
            "{} of {}: {:.1} % ({:.1} to {:.1})",
            self.0,
            self.1,
            percent(p),
            percent(middle - half),
            percent(middle + half)
        )
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let data = arguments
        .iter()
        .position(|a| a == "--data")
        .and_then(|at| arguments.get(at + 1));
    let vision = Vision::load(Path::new("models"));
    if !vision.missing().is_empty() {
        return Err(format!("models are missing: {:?}", vision.faults()).into());
    }
    let mut scenes = samples(&vision)?;
    if let Some(data) = data {
        scenes.extend(photographs(&Path::new(data).join("faces"))?);
    }
    let (limits, mut dice) = (SelfieLimits::default(), Dice(SEED));
    let see = |picture: &Picture| {
        let again = Picture::reopen(picture.jpeg.clone()).ok()?;
        let seen = vision.examine_selfie(&[again], &Asked::default());
        seen.face.map(|face| (face, seen.signs))
    };
    let faces: Vec<(Raster, Face, SelfieSigns)> = scenes
        .into_iter()
        .filter_map(|scene| see(&scene).map(|(face, signs)| (scene.rgb, face, signs)))
        // A head that is turned is not judged, and no selfie's best frame.
        .filter(|(_, _, signs)| signs.mouth_covered.is_some())
        .collect();
    let covered = |signs: &SelfieSigns| face_is_covered(signs, &limits);
    println!(
        "covered, as they are: {}",
        rate(faces.iter().map(|(_, _, signs)| covered(signs)))
    );
    let again = faces
        .iter()
        .filter_map(|(scene, ..)| see(&photographed(scene, &mut dice)));
    println!(
        "covered, photographed again: {}",
        rate(again.map(|(_, signs)| covered(&signs)))
    );
    for cover in Cover::ALL {
        let drawn: Vec<_> = faces
            .iter()
            .map(|(scene, face, _)| see(&photographed(&cover.draw(scene, face, &mut dice), &mut dice)))
            .collect();
        let (found, lost) = (
            drawn.iter().flatten(),
            drawn.iter().filter(|seen| seen.is_none()).count(),
        );
        println!(
            "{cover:?}: {}, no face on {lost}",
            rate(found.map(|(_, signs)| covered(signs)))
        );
    }
    let large: Vec<Raster> = faces.iter().map(|(scene, ..)| larger(scene)).collect();
    let grid = |scene: &Raster, dice: &mut Dice| {
        let found = see(&photographed(scene, dice)).and_then(|(_, signs)| signs.grid);
        found.is_some_and(|height| height > limits.grid)
    };
    println!(
        "screen, as they are: {}",
        rate(large.iter().map(|scene| grid(scene, &mut dice)))
    );
    for (period, depth) in [
        (2.4, 0.15),
        (3.3, 0.15),
        (4.7, 0.15),
        (3.3, 0.06),
        (3.3, 0.03),
        (1.6, 0.15),
    ] {
        let shown = large.iter().map(|scene| {
            let screen = on_screen(scene, period * dice.about(0.05), depth, &mut dice);
            grid(&screen, &mut dice)
        });
        println!("screen, {period} px a pixel, depth {depth}: {}", rate(shown));
    }
    let cards = faces
        .iter()
        .map(|(_, _, signs)| signs.in_card.is_some_and(|share| share >= limits.in_card));
    println!("in a card, as they are: {}", rate(cards));
    Ok(())
}

fn rate(tries: impl Iterator<Item = bool>) -> Rate {
    tries.fold(Rate(0, 0), |Rate(hits, n), hit| Rate(hits + usize::from(hit), n + 1))
}

/// At a selfie's size.
fn larger(scene: &Raster) -> Raster {
    let scale = SELFIE as f32 / scene.longest() as f32;
    let side = |pixels: usize| (pixels as f32 * scale) as usize;
    scene.resized(side(scene.width()), side(scene.height()))
}

/// The faces of the photographs that come with the models, cut out as a selfie shows them.
fn samples(vision: &Vision) -> Result<Vec<Picture>, Box<dyn Error>> {
    let mut found = Vec::new();
    for number in 1..=6 {
        let scene = normalise(&std::fs::read(format!("models/samples/sample{number}.jpg"))?)?;
        let whole = scene.rgb.clone();
        let Some(face) = vision.examine_selfie(&[scene], &Asked::default()).face else {
            continue;
        };
        let [left, top, width, height] = face.bounds;
        let margin = width.max(height) * 0.6;
        let (x, y) = ((left - margin).max(0.0) as usize, (top - margin).max(0.0) as usize);
        let size = |from: usize, length: f32, most: usize| ((length + margin * 2.0) as usize).min(most - from);
        let (w, h) = (size(x, width, whole.width()), size(y, height, whole.height()));
        found.extend(whole.crop(x, y, w, h).map(Picture::from_raster).transpose()?);
    }
    Ok(found)
}

fn photographs(folder: &Path) -> Result<Vec<Picture>, Box<dyn Error>> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)?
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "jpg"));
    files.sort();
    files.iter().map(|file| Ok(normalise(&std::fs::read(file)?)?)).collect()
}
