//! A selfie: one picture or a burst. Finds the person in each frame, picks the best frame, measures liveness.

use crate::Vision;
use crate::face::{Detection, Faces};
use crate::face_view;
use crate::geometry::mean;
use crate::liveness::{self, Passive, Seen};
use crate::model::ModelError;
use crate::raster::Raster;
use crate::signals;
use crate::stopwatch::Stopwatch;
use domain::findings::{
    Asked, Face, LivenessFindings, PassiveFindings, Pose, Quality, SelfieFindings, SelfieSigns, Unavailable,
};
use domain::live::TOO_FAR;

/// Frames up to this yaw are frontal enough to compare descriptors: beyond, the same person looks like another.
const FRONTAL: f32 = 0.25;
/// A face narrower than this share of the largest is in the background: a poster, a person passing.
const BACKGROUND: f32 = 0.25;

/// The frames of a selfie, and what is known of them.
struct Shots<'a> {
    frames: &'a [&'a Raster],
    /// One for each frame.
    qualities: &'a [Quality],
    asked: &'a Asked,
    /// Indices of the frames that were taken while the screen had a colour.
    lit: Vec<usize>,
}

/// What was found in a burst.
#[derive(Default)]
struct Found {
    faces: u32,
    best: Option<(usize, Face)>,
    watched: Vec<Face>,
    liveness: Option<LivenessFindings>,
    signs: SelfieSigns,
    passive: Option<PassiveFindings>,
    poses: Vec<Pose>,
}

pub(crate) fn examine(vision: &Vision, frames: &[&Raster], asked: &Asked) -> SelfieFindings {
    let mut watch = Stopwatch::start();
    // Every frame: one that nobody looks at could show anybody.
    let qualities: Vec<Quality> = frames.iter().map(|frame| quality(frame)).collect();
    watch.lap("quality");
    let mut unavailable: Vec<Unavailable> = vision
        .missing()
        .into_iter()
        .filter(|missing| *missing != Unavailable::Text)
        .collect();
    let found = vision.faces.as_ref().map_or_else(
        || Ok(Found::default()),
        |faces| {
            let shots = Shots {
                frames,
                qualities: &qualities,
                asked,
                lit: lit_frames(asked),
            };
            look(faces, vision.passive_network(), &shots, &mut watch)
        },
    );
    let found = found.unwrap_or_else(|error| {
        error.log();
        unavailable.push(Unavailable::Face);
        Found::default()
    });
    let mut quality = qualities.first().copied().unwrap_or_default();
    if let Some((index, face)) = &found.best {
        quality = qualities[*index];
        // The room may be dark, and a window bright: now that the face is found, only its light counts.
        (quality.exposure, quality.face_range) = light(frames[*index], face);
    }
    let best = found.best.as_ref();
    let face_crop = best.and_then(|(index, face)| face_view::crop(frames[*index], face.eyes));
    SelfieFindings {
        quality,
        frames: u32::try_from(frames.len()).unwrap_or(u32::MAX),
        faces: found.faces,
        best_frame: found.best.as_ref().and_then(|(index, _)| u32::try_from(*index).ok()),
        face_crop,
        face: found.best.map(|(_, face)| face),
        watched_faces: found.watched,
        poses: found.poses,
        // The pictures do not show it.
        repeated_files: 0,
        liveness: found.liveness,
        signs: found.signs,
        passive: found.passive,
        unavailable,
        models: vision.selfie_models().cloned().collect(),
        timings: watch.into_laps(),
    }
}

/// The frames that were taken while the screen had a colour.
fn lit_frames(asked: &Asked) -> Vec<usize> {
    let flashes = asked.live.iter().flat_map(|live| live.flashes.iter().flatten());
    flashes.filter_map(|flash| usize::try_from(flash.frame?).ok()).collect()
}

/// Mean and range of the face's luma.
fn light(picture: &Raster, face: &Face) -> (f32, Option<[f32; 2]>) {
    let [left, top, width, height] = face.bounds;
    let face = Detection {
        score: 1.0,
        left,
        top,
        width,
        height,
    };
    let luma = picture.luma();
    (
        signals::brightness(picture, &luma, Some(face)),
        signals::range(picture, &luma, face),
    )
}

pub(crate) fn quality(picture: &Raster) -> Quality {
    picture
        .frame()
        .map(|frame| lens::quality::judge_plain(&frame))
        .unwrap_or_default()
}

/// The faces of a burst, one for each frame in which somebody is seen.
struct Burst<'a> {
    seen: Vec<Seen<'a>>,
    detections: Vec<(usize, Detection)>,
    /// People in the frame that shows the most, those in the background left out.
    most: u32,
}

impl<'a> Burst<'a> {
    /// The first frame is searched thoroughly, those after it quickly, and again thoroughly where that finds nobody or several.
    fn find(faces: &Faces, frames: &[&'a Raster]) -> Result<Self, ModelError> {
        let mut burst = Self {
            seen: Vec::new(),
            detections: Vec::new(),
            most: 0,
        };
        for (index, &picture) in frames.iter().enumerate() {
            let mut found = if index == 0 {
                Vec::new()
            } else {
                faces.detector.find_quickly(picture)?
            };
            if near(&found) != 1 {
                found = faces.detector.find(picture)?;
                burst.most = burst.most.max(near(&found));
            }
            let Some(detection) = largest(&found) else { continue };
            if let Some(shape) = faces.shape(picture, &detection)? {
                burst.seen.push(Seen { index, picture, shape });
                burst.detections.push((index, detection));
            }
        }
        Ok(burst)
    }
}

/// Finds the person of a burst and measures what the frames show of them.
fn look(
    faces: &Faces,
    network: Option<&Passive>,
    shots: &Shots<'_>,
    watch: &mut Stopwatch,
) -> Result<Found, ModelError> {
    let Burst { seen, detections, most } = Burst::find(faces, shots.frames)?;
    let asked = shots.asked;
    watch.lap("faces");
    let poses = seen.iter().map(pose).collect();
    // In the colours of the screen a face is recognised worse, and a still picture does not look still.
    let is_lit = |s: &Seen<'_>| shots.lit.contains(&s.index);
    let (in_colour, seen): (Vec<Seen<'_>>, Vec<Seen<'_>>) = seen.into_iter().partition(is_lit);
    let watched = liveness::watched_frames(asked);
    let best = best(&seen, shots.qualities, &watched).and_then(|best| {
        let (_, detection) = detections.iter().find(|(index, _)| *index == best.index)?;
        Some((best, *detection))
    });
    let Some((best, detection)) = best else {
        return Ok(Found {
            faces: most,
            ..Found::default()
        });
    };
    // Only that frame was searched thoroughly in any case. The first with a face may come after one without.
    let (detection, people) = if best.index == 0 {
        (detection, most)
    } else {
        search_again(faces, best, detection)?
    };
    let descriptor = faces.describe(best.picture, &best.shape)?;
    let face = faces.finding(&detection, &best.shape, descriptor);
    watch.lap("descriptor");
    let others = seen.iter().chain(&in_colour).filter(|s| s.index != best.index);
    let others = comparable(described(faces, others, &detections)?, asked);
    let same = same_person(&others, &face);
    let liveness = liveness::measure(&seen, asked, same).map(|found| LivenessFindings {
        colours_followed: colours_followed(&in_colour, asked),
        ..found
    });
    watch.lap("liveness");
    let signs = signs(&seen, best, &face, &watched);
    watch.lap("signs");
    let passive = match network {
        Some(network) => network.measure(&straight(&seen, &detections, best.index, &watched))?,
        None => None,
    };
    watch.lap("passive");
    Ok(Found {
        faces: most.max(people).max(1),
        best: Some((best.index, face)),
        watched: straight_among(&watched, others),
        liveness,
        signs,
        passive,
        poses,
    })
}

/// Searches a frame thoroughly that was searched quickly: the largest face, or the one found before if there is none now, and how many people there
/// are.
fn search_again(faces: &Faces, seen: &Seen<'_>, before: Detection) -> Result<(Detection, u32), ModelError> {
    let again = faces.detector.find(seen.picture)?;
    Ok((largest(&again).unwrap_or(before), near(&again)))
}

/// How well the skin followed the colours of the screen: in the small copies that the server saw at the time, which nobody can have
/// coloured afterwards, and in the frames that were sent, of which the other signals say whose they are. The lesser counts.
fn colours_followed(seen: &[Seen<'_>], asked: &Asked) -> Option<f32> {
    let flashes = asked.live.as_ref()?.flashes.as_ref()?;
    let then: Vec<_> = flashes
        .iter()
        .map(|flash| (flash.colour, flash.tint.as_ref()))
        .collect();
    let tints: Vec<_> = flashes
        .iter()
        .map(|flash| {
            let index = usize::try_from(flash.frame?).ok()?;
            let frame = seen.iter().find(|s| s.index == index)?;
            signals::tint(frame.picture, &frame.shape)
        })
        .collect();
    let sent = flashes
        .iter()
        .zip(&tints)
        .map(|(flash, tint)| (flash.colour, tint.as_ref()));
    let sent: Vec<_> = sent.collect();
    Some(signals::followed(&then)?.min(signals::followed(&sent)?))
}

/// The frames that a passive network sees, each with its face: the best, and the first and the last in which the face looks straight.
/// They were trained on straight faces, and an attack may be in a part of the burst only. Of a run, they are among those that the server watched: others may
/// have been added, before and after them.
fn straight<'a>(
    seen: &[Seen<'a>],
    detections: &[(usize, Detection)],
    best: usize,
    watched: &[usize],
) -> Vec<(&'a Raster, Detection)> {
    let is_straight = |s: &&Seen<'_>| s.shape.yaw().abs() <= FRONTAL;
    let is_known = |s: &&Seen<'_>| watched.is_empty() || watched.contains(&s.index);
    let straight = || seen.iter().filter(is_straight).filter(is_known).map(|s| s.index);
    let mut wanted: Vec<usize> = straight()
        .next()
        .into_iter()
        .chain(straight().next_back())
        .chain([best])
        .collect();
    wanted.sort_unstable();
    wanted.dedup();
    let shown = wanted.into_iter().filter_map(|index| {
        let (_, detection) = detections.iter().find(|(i, _)| *i == index)?;
        Some((seen.iter().find(|s| s.index == index)?.picture, *detection))
    });
    shown.collect()
}

fn pose(seen: &Seen<'_>) -> Pose {
    Pose {
        frame: u32::try_from(seen.index).unwrap_or(u32::MAX),
        yaw: seen.shape.yaw(),
        eye_distance: seen.shape.eye_distance() / seen.picture.width().max(1) as f32,
    }
}

/// Signs that the pictures show something else than a bare, living face. Covers are looked for where the face looks straight, the grid
/// of a screen in every frame, and in those that the server watched by themselves.
fn signs(seen: &[Seen<'_>], best: &Seen<'_>, face: &Face, watched: &[usize]) -> SelfieSigns {
    let covered = (best.shape.yaw().abs() <= FRONTAL).then(|| signals::covered(best.picture, &best.shape));
    let faces: Vec<_> = seen.iter().map(|s| (s.picture, mean(s.shape.points()))).collect();
    let known: Vec<usize> = (0..seen.len())
        .filter(|&at| watched.contains(&seen[at].index))
        .collect();
    SelfieSigns {
        eyes_covered: covered.map(|[eyes, _]| eyes),
        mouth_covered: covered.map(|[_, mouth]| mouth),
        grid: signals::grid(&faces, &known),
        in_card: Some(signals::share_in_card(best.picture, face.bounds)),
    }
}

/// Faces that are not far behind the largest.
pub(crate) fn near(found: &[Detection]) -> u32 {
    let widest = found.iter().map(|d| d.width).fold(0.0, f32::max);
    let count = found.iter().filter(|d| d.width >= widest * BACKGROUND).count();
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The largest of the faces.
pub(crate) fn largest(found: &[Detection]) -> Option<Detection> {
    found.iter().copied().max_by(|a, b| a.area().total_cmp(&b.area()))
}

/// The sharpest of the frontal frames, or the most frontal where none is. Of a run, one in which the server saw a face that looks straight: any
/// other may have been added to the burst, to be compared with the document. Where none of those does, the rules see that a request was made to
/// nobody.
fn best<'a, 'b>(seen: &'b [Seen<'a>], qualities: &[Quality], watched: &[usize]) -> Option<&'b Seen<'a>> {
    let is_known = |s: &&Seen<'_>| watched.contains(&s.index) && s.shape.yaw().abs() <= FRONTAL;
    let mut among: Vec<&Seen<'_>> = seen.iter().filter(is_known).collect();
    if among.is_empty() {
        among = seen.iter().collect();
    }
    let sharpness = |s: &Seen<'_>| qualities.get(s.index).map_or(0.0, |quality| quality.sharpness);
    // A head held a little askew counts as straight; among those, sharper is better.
    let frontal = among.iter().copied().filter(|s| s.shape.yaw().abs() < FRONTAL / 2.0);
    frontal
        .max_by(|a, b| sharpness(a).total_cmp(&sharpness(b)))
        .or_else(|| liveness::most_frontal(among.iter().copied()))
}

/// The face of a frame.
struct Described {
    index: usize,
    yaw: f32,
    face: Face,
}

impl Described {
    fn is_frontal(&self) -> bool {
        self.yaw.abs() <= FRONTAL
    }
}

fn described<'a, 'b: 'a>(
    faces: &Faces,
    seen: impl Iterator<Item = &'a Seen<'b>>,
    detections: &[(usize, Detection)],
) -> Result<Vec<Described>, ModelError> {
    let mut described = Vec::new();
    for s in seen {
        let Some((_, detection)) = detections.iter().find(|(index, _)| *index == s.index) else {
            continue;
        };
        let descriptor = faces.describe(s.picture, &s.shape)?;
        described.push(Described {
            index: s.index,
            yaw: s.shape.yaw(),
            face: faces.finding(detection, &s.shape, descriptor),
        });
    }
    Ok(described)
}

/// The faces that are compared with the best one. While the server watches, nobody turns too far for that, and every frame counts. Whoever sends
/// files is not told how far to turn: a distance would say nothing, and a person looks at them.
fn comparable(mut others: Vec<Described>, asked: &Asked) -> Vec<Described> {
    if asked.live.is_none() {
        others.retain(|other| other.yaw.abs() <= TOO_FAR);
    }
    others
}

/// The greatest distances between the best face and those of the other frames: of the frontal ones, or of all where none is, and of
/// the turned ones. Every frame counts: another person may be in one alone.
fn same_person(others: &[Described], face: &Face) -> [Option<f32>; 2] {
    let (mut frontal, mut turned): (Vec<_>, Vec<_>) = others.iter().partition(|other| other.is_frontal());
    if frontal.is_empty() {
        // Two pictures, straight and turned: a turned face compares worse, but another person's still worse than that.
        std::mem::swap(&mut frontal, &mut turned);
    }
    let greatest = |others: Vec<&Described>| {
        let distances = others.into_iter().filter_map(|other| face.distance(&other.face));
        distances.reduce(f32::max)
    };
    [greatest(frontal), greatest(turned)]
}

/// The faces that look straight in the frames that the server watched: the portrait is compared with the best of them, but each must be the
/// portrait's.
fn straight_among(watched: &[usize], others: Vec<Described>) -> Vec<Face> {
    let straight = others
        .into_iter()
        .filter(|other| watched.contains(&other.index) && other.is_frontal());
    straight.map(|other| other.face).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face::pose::tests::head;
    use domain::findings::{Challenge, FaceEngine, LiveFindings};

    /// The face of a frame that is not the best one.
    fn other(index: usize, yaw: f32) -> Described {
        Described {
            index,
            yaw,
            face: Face {
                bounds: [0.0; 4],
                eye_distance: 80.0,
                eyes: [[0.0; 2]; 2],
                score: 0.9,
                descriptor: vec![index as f32 / 10.0],
                engine: FaceEngine::default(),
            },
        }
    }

    #[test]
    fn a_sharper_frame_that_the_server_did_not_see_is_not_compared_with_the_portrait() {
        let picture = Raster::filled(240, 320, [40, 60, 80]);
        let seen: Vec<Seen<'_>> = (0..)
            .zip([0.0, 35.0, 1.0, 2.0])
            .map(|(index, yaw)| Seen {
                index,
                picture: &picture,
                shape: head(yaw, false),
            })
            .collect();
        let qualities = [0.3, 0.9, 0.9, 0.5].map(|sharpness| Quality {
            sharpness,
            ..Quality::default()
        });
        let best = |watched: &[usize]| best(&seen, &qualities, watched).map(|best| best.index);
        assert_eq!(best(&[0, 1]), Some(0));
        assert_eq!(best(&[0, 1, 3, 1]), Some(3));
        assert_eq!(best(&[]), Some(2), "nobody watched");
        assert_eq!(best(&[1]), Some(2), "no face looks straight in what was watched");
    }

    /// Detects if frames of a living face, added before and after the others, keep a passive network from seeing them.
    #[test]
    fn a_passive_network_sees_the_first_and_the_last_straight_face_of_those_that_the_server_watched() {
        let picture = Raster::filled(240, 320, [40, 60, 80]);
        let seen: Vec<Seen<'_>> = (0..)
            .zip([0.0, 1.0, 35.0, 2.0, 1.0, 0.0])
            .map(|(index, yaw)| Seen {
                index,
                picture: &picture,
                shape: head(yaw, false),
            })
            .collect();
        let face = |index: usize| Detection {
            score: 0.9,
            left: index as f32,
            top: 0.0,
            width: 80.0,
            height: 80.0,
        };
        let detections: Vec<(usize, Detection)> = (0..seen.len()).map(|index| (index, face(index))).collect();
        let shown = |watched: &[usize]| -> Vec<f32> {
            let frames = straight(&seen, &detections, 3, watched);
            frames.iter().map(|(_, face)| face.left).collect()
        };
        assert_eq!(shown(&[1, 2, 3, 4]), [1.0, 3.0, 4.0]);
        assert_eq!(shown(&[]), [0.0, 3.0, 5.0], "nobody watched");
    }

    /// Grey with the noise of a camera and, of the first four frames, the gaps between the pixels of a screen in a hand.
    fn filmed(frame: u16) -> Raster {
        let mut state = 1_u32 + u32::from(frame);
        let (sin, cos) = (f32::from(frame) * 0.03).sin_cos();
        let pitch = 3.3 + f32::from(frame) * 0.1;
        let darker = if frame < 4 { 5.0 } else { 0.0 };
        let gap = |at: f32| {
            if (at / pitch).rem_euclid(1.0) < 0.3 {
                darker
            } else {
                0.0
            }
        };
        let pixels = (0..600 * 600).flat_map(|at| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let (x, y) = ((at % 600) as f32, (at / 600) as f32);
            let noise = (state >> 24) as f32 / 32.0;
            [(150.0 + noise - gap(x * cos + y * sin) - gap(y * cos - x * sin)) as u8; 3]
        });
        Raster::new(600, 600, pixels.collect()).unwrap()
    }

    #[test]
    fn the_grid_of_a_screen_is_looked_for_in_the_watched_frames_by_themselves() {
        let pictures: Vec<Raster> = (0..13).map(filmed).collect();
        // No face was found in the first two frames of the burst.
        let seen: Vec<Seen<'_>> = (2..)
            .zip(&pictures)
            .map(|(index, picture)| Seen {
                index,
                picture,
                shape: head(0.0, false),
            })
            .collect();
        let face = other(2, 0.0).face;
        let grid = |watched: &[usize]| signs(&seen, &seen[0], &face, watched).grid.unwrap();
        assert!(grid(&[2, 3, 4, 5]) > 1.3, "{}", grid(&[2, 3, 4, 5]));
        assert!(grid(&[]) < 1.3, "{}", grid(&[]));
    }

    #[test]
    fn every_watched_face_that_looks_straight_is_to_be_compared_with_the_portrait() {
        let others = || vec![other(1, 0.4), other(2, 0.1), other(3, -0.2), other(4, 0.0)];
        let straight = straight_among(&[0, 1, 3, 4], others());
        let found: Vec<f32> = straight.iter().map(|face| face.descriptor[0]).collect();
        assert_eq!(
            found,
            [0.3, 0.4],
            "turned heads compare badly, and nobody watched the second"
        );
        assert!(straight_among(&[], others()).is_empty());
        // Every frame is compared with the best one.
        let [frontal, turned] = same_person(&others(), &other(0, 0.0).face);
        assert_eq!((frontal, turned), (Some(0.4), Some(0.1)));
        assert_eq!(same_person(&[other(1, 0.4)], &other(0, 0.0).face), [Some(0.1), None]);
    }

    /// Detects if whoever sends files, and turns their head as far as they can in one of them, is taken for two people.
    #[test]
    fn a_head_that_is_turned_far_is_compared_with_nobody_in_files_and_with_the_best_face_in_a_run() {
        let compared = |live: Option<LiveFindings>| -> Vec<usize> {
            let asked = Asked {
                movements: vec![Challenge::TurnLeft],
                live,
            };
            let heads = vec![other(1, 0.5), other(2, -0.84), other(3, 0.9), other(4, -1.1)];
            comparable(heads, &asked).iter().map(|head| head.index).collect()
        };
        assert_eq!(compared(None), [1, 2]);
        let watched = LiveFindings {
            answered_ms: vec![900],
            same_frames: true,
            watched: None,
            commitment: None,
            run: 1,
            repeated_frames: 0,
            unseen_turns: 0,
            flashes: None,
        };
        assert_eq!(
            compared(Some(watched)),
            [1, 2, 3, 4],
            "somebody else's head may be in one alone"
        );
        assert_eq!(same_person(&[], &other(0, 0.0).face), [None, None]);
    }

    #[test]
    fn a_small_face_far_behind_does_not_count() {
        let face = |width| Detection {
            score: 0.9,
            left: 0.0,
            top: 0.0,
            width,
            height: width,
        };
        assert_eq!(near(&[face(200.0), face(40.0)]), 1);
        assert_eq!(near(&[face(200.0), face(120.0)]), 2);
        assert_eq!(near(&[]), 0);
    }
}
