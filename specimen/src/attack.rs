//! Selfie bursts for measuring the detection of presentation attacks, in the folders that `honnin eval attacks` reads: prints, screens, stills
//! and swaps in front of the camera, and rendered heads that do as asked.
//!
//! The heads are photographs on an ellipsoid with a nose. They are not people: what is measured on `genuine` shows whether a change made
//! things worse, not how many people are refused.

use super::{
    burst::{MOVEMENTS, Person, SENT_BEFORE, TURN, WATCHED, camera, display, head},
    degrade,
    display::Display,
    flash,
    head::{Head, turned},
    picture::{Picture, mix},
    sitter::{self, Sitter},
};
use crate::Done;
use rand::{RngExt, SeedableRng, rngs::StdRng};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
};

/// What to render.
#[derive(clap::Args)]
pub(crate) struct Attacks {
    /// Output folder; created if missing
    #[arg(long)]
    out: PathBuf,
    /// Recordings of each kind
    #[arg(long, default_value_t = 20)]
    count: usize,
    /// Folder of frontal photographs, 250 × 250 pixels, aligned as Labeled Faces in the Wild, instead of the sample faces
    #[arg(long)]
    faces: Option<PathBuf>,
    /// The same seed gives the same pictures
    #[arg(long, default_value_t = 7)]
    seed: u64,
    /// Recordings rendered concurrently
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Instead of the usual kinds, those that are told apart by the colours of the screen
    #[arg(long)]
    colours: bool,
}

/// How much closer whoever is asked to comes.
const CLOSER: f32 = 1.36;

/// Frames before the first movement.
const STRAIGHT_FRAMES: usize = 3;

/// What is in front of the camera.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A head that does as asked.
    Genuine,
    /// A flat print, turned and brought closer.
    FlatPrint,
    /// A print bent around an upright axis.
    BentPrint,
    /// A flat print with holes, through which the eyes of somebody else look.
    EyeHoles,
    /// Prints of one head, straight and turned, that are exchanged at the request.
    Exchanged,
    /// A screen, turned and brought closer.
    Screen,
    /// A tablet that is moved sideways in front of a room.
    Tablet,
    /// A film of the right head that does as asked, on a screen.
    ScreenFilm,
    /// A film of the right head, injected, made before anybody knew what would be asked.
    EarlierFilm,
    /// One picture whose middle is pushed aside as a turn would do.
    Morphed,
    /// One picture, again and again.
    Still,
    /// One picture that is shifted.
    Shifted,
    /// Another person makes the movement.
    Swapped,
    /// The same, by a camera of so few frames that nothing between the two is seen.
    SwappedQuickly,
    /// A photograph of one person, and another person from the first movement on.
    TakenOver,
    /// A film of the right head that does as asked, before it is asked.
    TooEarly,
    /// The very frames that another session has sent.
    Replayed,
    /// A cut-out face of one person held before the head of another.
    CutFace,
    /// A head that turns to the other side.
    WrongSide,
    /// A head that does nothing.
    NoMovement,
}

const KINDS: [(&str, Kind); 20] = [
    ("genuine", Kind::Genuine),
    ("flat-print", Kind::FlatPrint),
    ("bent-print", Kind::BentPrint),
    ("print-with-eye-holes", Kind::EyeHoles),
    ("prints-exchanged", Kind::Exchanged),
    ("screen", Kind::Screen),
    ("tablet", Kind::Tablet),
    ("film-on-screen", Kind::ScreenFilm),
    ("film-made-earlier", Kind::EarlierFilm),
    ("still-morphed", Kind::Morphed),
    ("still-injected", Kind::Still),
    ("still-shifted", Kind::Shifted),
    ("another-person-mid-burst", Kind::Swapped),
    ("another-person-low-frame-rate", Kind::SwappedQuickly),
    ("another-person-takes-over", Kind::TakenOver),
    ("film-too-early", Kind::TooEarly),
    ("frames-of-another-session", Kind::Replayed),
    ("cut-face", Kind::CutFace),
    ("wrong-side", Kind::WrongSide),
    ("no-movement", Kind::NoMovement),
];

/// What a folder holds.
#[derive(Clone, Copy)]
enum Recording {
    Movements(Kind),
    Colours(flash::Kind),
}

/// Renders the recordings; returns how many.
pub(crate) fn render(wanted: &Attacks, samples: &Path) -> Done<usize> {
    let people = people(wanted, samples)?;
    let kinds: Vec<(&str, Recording)> = if wanted.colours {
        flash::KINDS
            .map(|(name, kind)| (name, Recording::Colours(kind)))
            .to_vec()
    } else {
        KINDS.map(|(name, kind)| (name, Recording::Movements(kind))).to_vec()
    };
    let jobs: Vec<(usize, &str, Recording)> = kinds
        .iter()
        .flat_map(|(name, kind)| (0..wanted.count).map(move |number| (number, *name, *kind)))
        .collect();
    let next = AtomicUsize::new(0);
    std::thread::scope(|threads| {
        let work = || -> Done {
            while let Some((number, name, kind)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                // Each person makes each attempt with the same dice, so that kinds can be compared.
                let mut chance =
                    StdRng::seed_from_u64(wanted.seed.wrapping_mul(1_000_003).wrapping_add(*number as u64));
                let folder = wanted.out.join(name).join(format!("{number:04}"));
                if folder.join(MOVEMENTS).exists() {
                    // An earlier run has finished it.
                    continue;
                }
                fs::create_dir_all(&folder)?;
                match *kind {
                    Recording::Movements(kind) => record(&folder, &people, *number, kind, &mut chance)?,
                    Recording::Colours(kind) => flash::record(&folder, &people, *number, kind, &mut chance)?,
                }
            }
            Ok(())
        };
        let workers: Vec<_> = (0..wanted.jobs.max(1)).map(|_| threads.spawn(work)).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().map_err(|_| "rendering panicked")?)
    })?;
    Ok(jobs.len())
}

fn people(wanted: &Attacks, samples: &Path) -> Done<Vec<Person>> {
    let Some(folder) = &wanted.faces else {
        let sitters = sitter::OTHERS.into_iter().chain([sitter::FIRST_SELFIE]);
        let person = |sitter: Sitter| {
            Ok(Person {
                photograph: sitter.photograph(samples)?,
                sitter,
            })
        };
        return sitters.map(person).collect();
    };
    let mut files: Vec<PathBuf> = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.retain(|path| path.extension().is_some_and(|ending| ending == "jpg"));
    files.sort();
    let open = |path: &PathBuf| -> Done<Person> {
        Ok(Person {
            photograph: Picture::from_rgb(&image::open(path)?.to_rgb8()),
            sitter: Sitter::LFW,
        })
    };
    files.iter().map(open).collect()
}

/// The frames of one recording: straight, the turn, straight, closer.
fn record(folder: &Path, people: &[Person], number: usize, kind: Kind, chance: &mut StdRng) -> Done {
    let person = &people[number % people.len()];
    // Far enough in a folder that is sorted by name to be somebody else.
    let other = &people[(number + people.len() / 2) % people.len()];
    let left = chance.random_bool(0.5);
    // Without a second request, nobody sees who is there after the first movement.
    let closer = chance.random_bool(0.5) || kind == Kind::TakenOver;
    let side = if left { 1.0 } else { -1.0 };
    let head = head(chance);
    let (own, foreign) = (person.photographed(head), other.photographed(head));
    let display = display(chance);
    let turn = TURN * chance.random_range(0.85..1.15);
    let mut steps = vec![(0.0, 1.0); STRAIGHT_FRAMES];
    steps.extend([0.35, 0.7, 1.0, 1.0].map(|share| (side * turn * share, 1.0)));
    steps.push((0.0, 1.0));
    if closer {
        steps.extend([1.15, CLOSER, CLOSER].map(|zoom| (0.0, zoom)));
    }
    let mut watched = if closer { vec![2, 5, 7, 9] } else { vec![2, 5] };
    let light = [0; 3].map(|_| chance.random_range(0.9..1.1));
    let [other_side, other_distance] = [chance.random_bool(0.5), chance.random_bool(0.5)];
    match kind {
        Kind::EarlierFilm => shuffle(&mut steps, other_side, other_distance, closer),
        Kind::SwappedQuickly => {
            steps = watched.iter().map(|index| steps[*index]).collect();
            watched = (0..steps.len()).collect();
        }
        Kind::TooEarly => steps = early(steps),
        Kind::Exchanged => {
            // A print is straight or turned, and never on its way.
            for (yaw, _) in steps.iter_mut().filter(|(yaw, _)| *yaw != 0.0) {
                *yaw = side * turn;
            }
        }
        _ => {}
    }
    for (index, &(yaw, zoom)) in steps.iter().enumerate() {
        let scene = scene(kind, (&own, &foreign), head, (yaw, zoom), display.at(index), index);
        let frame = camera(&scene, light, chance);
        fs::write(folder.join(format!("{index:02}.jpg")), degrade::jpeg(&frame, 88)?)?;
    }
    if kind == Kind::Replayed {
        fs::write(folder.join(SENT_BEFORE), format!("genuine/{number:04}"))?;
    }
    let watched: Vec<String> = watched.iter().map(ToString::to_string).collect();
    fs::write(folder.join(WATCHED), watched.join(","))?;
    let asked = if left { "turn_left" } else { "turn_right" };
    let movements = if closer {
        format!("{asked},come_closer")
    } else {
        asked.to_owned()
    };
    Ok(fs::write(folder.join(MOVEMENTS), movements)?)
}

/// What a film shows that was made without knowing the request: as often the other side, as often not closer.
fn shuffle(steps: &mut [(f32, f32)], other_side: bool, other_distance: bool, closer: bool) {
    for (yaw, zoom) in steps {
        if other_side {
            *yaw = -*yaw;
        }
        if other_distance && closer {
            *zoom = 1.0;
        }
    }
}

/// A video whose movements come a few frames before they are asked for.
fn early(steps: Vec<(f32, f32)>) -> Vec<(f32, f32)> {
    let (first, count) = (steps[0], steps.len());
    let moves = steps.into_iter().skip_while(|step| *step == first);
    let mut film: Vec<_> = std::iter::once(first).chain(moves).collect();
    film.resize(count, first);
    film
}

/// What is in front of the camera when the head should have this yaw and be this much closer.
fn scene(
    kind: Kind,
    (own, foreign): (&Picture, &Picture),
    head: Head,
    (yaw, zoom): (f32, f32),
    display: Display,
    index: usize,
) -> Picture {
    let near = |picture: &Picture| zoomed(picture, head, zoom);
    match kind {
        Kind::Genuine | Kind::EarlierFilm | Kind::TooEarly | Kind::Replayed => near(&turned(own, head, yaw)),
        Kind::FlatPrint => near(&tilted(own, head, yaw * 1.6, 0.0)),
        Kind::BentPrint => near(&tilted(own, head, yaw * 1.3, 0.5)),
        Kind::EyeHoles => near(&with_eye_holes(
            &tilted(own, head, yaw * 1.6, 0.0),
            &turned(foreign, head, yaw),
            head,
        )),
        Kind::Exchanged => near(&held(&turned(own, head, yaw), head, yaw != 0.0)),
        Kind::Tablet => near(&on_tablet(
            &display.shows(&tilted(own, head, yaw * 1.6, 0.0)),
            foreign,
            head,
            yaw,
        )),
        Kind::ScreenFilm => display.shows(&near(&turned(own, head, yaw))),
        Kind::Morphed => near(&pushed(own, head, yaw)),
        Kind::Screen => display.shows(&near(&tilted(own, head, yaw * 1.6, 0.0))),
        Kind::Still => own.clone(),
        Kind::Shifted => {
            let (dx, dy) = (index as f32 * 2.5, index as f32 * 1.5);
            own.sampled(own.width, own.height, |x, y| (x - dx, y - dy))
        }
        Kind::Swapped | Kind::SwappedQuickly if yaw == 0.0 => near(own),
        Kind::Swapped | Kind::SwappedQuickly => near(&turned(foreign, head, yaw)),
        Kind::TakenOver if index < STRAIGHT_FRAMES => near(own),
        Kind::TakenOver => near(&turned(foreign, head, yaw)),
        Kind::CutFace => near(&cut_out(&turned(foreign, head, yaw), own, head)),
        Kind::WrongSide => near(&turned(own, head, -yaw)),
        Kind::NoMovement => own.clone(),
    }
}

/// Enlarged about the eyes.
fn zoomed(picture: &Picture, head: Head, zoom: f32) -> Picture {
    let (x0, y0) = head.eyes;
    picture.sampled(picture.width, picture.height, |x, y| {
        (x0 + (x - x0) / zoom, y0 + (y - y0) / zoom)
    })
}

/// A print as one hand holds it, or as the other does.
fn held(print: &Picture, head: Head, is_other_hand: bool) -> Picture {
    let (tilt, turn, moved) = if is_other_hand {
        (0.14, 0.03_f32, 0.04)
    } else {
        (-0.1, -0.02, -0.02)
    };
    let sheet = tilted(print, head, tilt, 0.08);
    let ((x0, y0), (sin, cos)) = (head.eyes, turn.sin_cos());
    let (dx, dy) = (moved * head.apart, moved * head.apart / 2.0);
    sheet.sampled(sheet.width, sheet.height, |x, y| {
        let (across, down) = (x - x0 - dx, y - y0 - dy);
        (x0 + across * cos - down * sin, y0 + across * sin + down * cos)
    })
}

/// A sheet with the picture, turned about its upright axis; bent by this share of its width towards the camera.
fn tilted(picture: &Picture, head: Head, yaw: f32, bend: f32) -> Picture {
    let (x0, y0) = head.eyes;
    // The camera is an arm's length away, in the same unit as the head's.
    let distance = 9.0 * head.apart;
    let (sin, cos) = yaw.sin_cos();
    picture.sampled(picture.width, picture.height, |x, y| {
        let (across, down) = (x - x0, y - y0);
        let u = across * distance / (distance * cos - across * sin).max(1.0);
        // A cylinder: what is aside lies further away and is compressed.
        let radius = picture.width as f32;
        let u = if bend > 0.0 {
            radius / bend * (u * bend / radius).clamp(-1.0, 1.0).asin()
        } else {
            u
        };
        let depth = (distance + u * sin) / distance;
        (x0 + u, y0 + down * depth)
    })
}

/// The flat face of one picture over the head of another.
fn cut_out(below: &Picture, face: &Picture, head: Head) -> Picture {
    let mut out = below.clone();
    let pixels = &face.pixels;
    out.change(|x, y, colour| {
        let (dx, dy) = (
            (x - head.eyes.0) / (1.15 * head.apart),
            (y - head.eyes.1 - 0.55 * head.apart) / (1.6 * head.apart),
        );
        let beyond = ((dx * dx + dy * dy).sqrt() - 0.95) / 0.06;
        mix(
            pixels[y as usize * face.width + x as usize],
            colour,
            beyond.clamp(0.0, 1.0),
        )
    });
    out
}

/// A print through whose holes the eyes of the head behind it are seen. The hand keeps the holes before the eyes.
fn with_eye_holes(print: &Picture, behind: &Picture, head: Head) -> Picture {
    let mut out = print.clone();
    let pixels = &behind.pixels;
    out.change(|x, y, colour| {
        let hole = |side: f32| {
            let across = (x - head.eyes.0 - side * head.apart / 2.0) / (0.26 * head.apart);
            let down = (y - head.eyes.1) / (0.15 * head.apart);
            (across.hypot(down) - 0.9) / 0.1
        };
        let paper = hole(-1.0).min(hole(1.0)).clamp(0.0, 1.0);
        mix(pixels[y as usize * behind.width + x as usize], colour, paper)
    });
    out
}

/// A screen with a black frame, moved sideways with the wanted turn in front of another picture, blurred, that moves half as far.
fn on_tablet(shown: &Picture, room: &Picture, head: Head, yaw: f32) -> Picture {
    let (width, height) = (shown.width as f32, shown.height as f32);
    let moved = yaw * 0.25 * width;
    let behind = room
        .blurred(6.0)
        .sampled(shown.width, shown.height, |x, y| (x - moved / 2.0, y));
    let screen = shown.sampled(shown.width, shown.height, |x, y| (x - moved, y));
    let mut out = behind;
    out.change(|x, y, colour| {
        // How far outside the screen, in pixels; a frame of 14 pixels is around it.
        let outside = ((x - head.eyes.0 - moved).abs() - 0.42 * width).max((y - height / 2.0).abs() - 0.46 * height);
        match outside {
            _ if outside <= 0.0 => screen.pixels[y as usize * screen.width + x as usize],
            _ if outside <= 14.0 => [12.0, 12.0, 14.0],
            _ => colour,
        }
    });
    out
}

/// A flat picture whose middle of the face is pushed to the side of the turn, most at the nose.
fn pushed(picture: &Picture, head: Head, yaw: f32) -> Picture {
    let (x0, y0) = (head.eyes.0, head.eyes.1 + 0.6 * head.apart);
    picture.sampled(picture.width, picture.height, |x, y| {
        let (across, down) = ((x - x0) / (1.0 * head.apart), (y - y0) / (1.3 * head.apart));
        let push = yaw * 0.9 * head.apart * (-(across * across + down * down)).exp();
        (x - push, y)
    })
}
