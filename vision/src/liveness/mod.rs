//! Liveness measurements from a burst of frames around a head turn. This module measures; the rules judge.

mod passive;
mod plane;
mod repeated;
mod still;

pub(crate) use passive::Passive;

use crate::face::Shape;
use crate::raster::Raster;
use domain::findings::{Asked, Challenge, LiveFindings, LivenessFindings, Movement};

/// One frame of a burst in which a face was found.
pub(crate) struct Seen<'a> {
    /// Index among the frames received.
    pub(crate) index: usize,
    pub(crate) picture: &'a Raster,
    pub(crate) shape: Shape,
}

/// Landmarks of two frames are compared only where the head has moved at least this much between them: below, the residual is
/// the landmarks' own noise (yaw 0.025, 95 of 100 below 0.07).
const MOVED: f32 = 0.15;

/// The frame that looks most straight into the camera.
pub(crate) fn most_frontal<'a: 'b, 'b>(frames: impl IntoIterator<Item = &'b Seen<'a>>) -> Option<&'b Seen<'a>> {
    frames
        .into_iter()
        .min_by(|a, b| a.shape.yaw().abs().total_cmp(&b.shape.yaw().abs()))
}

/// The frames in which the server saw the movements while the camera was on; none if it did not watch. Only these are known to be of that
/// time: the sender of the burst can add others.
pub(crate) fn watched_frames(asked: &Asked) -> Vec<usize> {
    let watched = asked.live.iter().flat_map(|live| live.watched.iter().flatten());
    watched.filter_map(|frame| usize::try_from(*frame).ok()).collect()
}

/// Frames up to this yaw show the distance between the eyes unshortened.
const FRONTAL: f32 = 0.2;

/// Measures a burst; `None` without two frames that show a face, or if nothing was asked for. `same_person` is measured elsewhere,
/// from descriptors: of the frontal frames, and of the turned ones.
pub(crate) fn measure(
    frames: &[Seen<'_>],
    asked: &Asked,
    [same_person, turned_person]: [Option<f32>; 2],
) -> Option<LivenessFindings> {
    let frontal = most_frontal(frames)?;
    if frames.len() < 2 || asked.movements.is_empty() {
        return None;
    }
    let watched = watched_frames(asked);
    let mut known: Vec<&Seen<'_>> = frames.iter().filter(|seen| watched.contains(&seen.index)).collect();
    if known.is_empty() {
        known = frames.iter().collect();
    }
    let movements = asked.movements.iter().map(|challenge| match challenge.direction() {
        Some(direction) => turn(&known, frontal, *challenge, direction),
        None => Movement {
            challenge: *challenge,
            extent: approach(frames),
            plane_residual: None,
        },
    });
    let pictures: Vec<&Raster> = frames.iter().map(|seen| seen.picture).collect();
    Some(LivenessFindings {
        movements: movements.collect(),
        frontal_yaw: frontal.shape.yaw(),
        same_person_distance: same_person,
        turned_person_distance: turned_person,
        still: still::is_still(&pictures),
        live: asked.live.clone().map(|live| LiveFindings {
            repeated_frames: live.repeated_frames + repeated::count(frames),
            ..live
        }),
        colours_followed: None,
    })
}

/// The frame turned furthest in that direction.
fn furthest<'a, 'b>(frames: &[&'b Seen<'a>], direction: f32) -> Option<&'b Seen<'a>> {
    let extent = |seen: &Seen<'_>| seen.shape.yaw() * direction;
    frames.iter().copied().max_by(|a, b| extent(a).total_cmp(&extent(b)))
}

/// The frame among `known` that is turned furthest in the requested direction, against the most frontal of all. Whether it is a plane, only
/// `known` ones tell.
fn turn(known: &[&Seen<'_>], frontal: &Seen<'_>, challenge: Challenge, direction: f32) -> Movement {
    let turned = furthest(known, direction).unwrap_or(frontal);
    let straight = most_frontal(known.iter().copied()).unwrap_or(frontal);
    // A head that is turned in every frame has not moved.
    let (yaw, change) = (turned.shape.yaw(), turned.shape.yaw() - frontal.shape.yaw());
    let moved = (yaw - straight.shape.yaw()).abs() >= MOVED;
    let residual = || {
        plane::residual(
            straight.shape.points(),
            turned.shape.points(),
            straight.shape.eye_distance(),
        )
    };
    Movement {
        challenge,
        extent: (yaw * direction).min(change * direction),
        plane_residual: moved.then(residual).flatten(),
    }
}

/// How much closer a frontal face came: the greatest distance between the eyes over the smallest. 1 if it did not move.
fn approach(frames: &[Seen<'_>]) -> f32 {
    let frontal = frames.iter().filter(|seen| seen.shape.yaw().abs() <= FRONTAL);
    // Frames of a burst have one size; if they do not, shares of the width are comparable.
    let shares = frontal.map(|seen| seen.shape.eye_distance() / seen.picture.width().max(1) as f32);
    let (least, most) = shares.fold((f32::MAX, 0.0_f32), |(least, most), share| {
        (least.min(share), most.max(share))
    });
    if least > 0.0 && most >= least {
        most / least
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face::pose::tests::head;
    use domain::live::TURNED_BY;

    fn burst(pictures: &[Raster], yaws: &[f32], flat: bool, challenge: Challenge) -> LivenessFindings {
        let seen: Vec<Seen<'_>> = pictures
            .iter()
            .zip(yaws)
            .enumerate()
            .map(|(index, (picture, yaw))| Seen {
                index,
                picture,
                shape: head(*yaw, flat),
            })
            .collect();
        let asked = Asked {
            movements: vec![challenge],
            live: None,
        };
        measure(&seen, &asked, [Some(0.2), Some(0.4)]).unwrap()
    }

    fn pictures() -> Vec<Raster> {
        let frame = |x: usize| {
            let mut raster = Raster::filled(240, 320, [40, 60, 80]);
            raster.paste(&Raster::filled(80, 90, [220, 180, 160]), x, 100);
            raster
        };
        vec![frame(20), frame(60), frame(120)]
    }

    #[test]
    fn a_turn_to_the_own_left_goes_to_the_right_of_the_picture() {
        // The head of the tests turns its nose to the picture's right with a positive angle.
        let left = burst(&pictures(), &[0.0, 15.0, 35.0], false, Challenge::TurnLeft);
        assert!(
            left.movements[0].extent > 0.35 && left.movements[0].plane_residual.unwrap() > 0.08 && !left.still,
            "{left:?}"
        );
        let wrong = burst(&pictures(), &[0.0, -15.0, -35.0], false, Challenge::TurnLeft);
        assert!(wrong.movements[0].extent < 0.1, "{wrong:?}");
        let right = burst(&pictures(), &[0.0, -15.0, -35.0], false, Challenge::TurnRight);
        assert!(right.movements[0].extent > 0.35, "{right:?}");
    }

    /// Detects if the camera is content with a turn in which no head could be told from a picture: whoever turns slowly would be taken for one.
    #[test]
    fn the_least_turn_that_the_camera_takes_shows_whether_the_head_is_solid() {
        let least = (1..45_u8)
            .map(f32::from)
            .find(|yaw| head(*yaw, false).yaw() >= TURNED_BY)
            .unwrap();
        let residual = |flat| {
            let turned = burst(&pictures(), &[0.0, least / 2.0, least], flat, Challenge::TurnLeft);
            turned.movements[0].plane_residual
        };
        assert!(residual(false).is_some_and(|residual| residual > 0.0785), "{least}");
        assert!(residual(true).is_none_or(|residual| residual < 0.0785), "{least}");
    }

    #[test]
    fn a_turn_that_the_server_did_not_see_is_not_measured() {
        let pictures = pictures();
        let heads = [(0.0, true), (35.0, true), (40.0, false)];
        let seen: Vec<Seen<'_>> = (0..)
            .zip(&pictures)
            .zip(heads)
            .map(|((index, picture), (yaw, flat))| Seen {
                index,
                picture,
                shape: head(yaw, flat),
            })
            .collect();
        let turned = |watched: Option<Vec<u32>>| {
            let asked = Asked {
                movements: vec![Challenge::TurnLeft],
                live: Some(LiveFindings {
                    answered_ms: vec![900],
                    same_frames: true,
                    watched,
                    commitment: None,
                    run: 1,
                    repeated_frames: 0,
                    unseen_turns: 0,
                    flashes: None,
                }),
            };
            measure(&seen, &asked, [None, None]).unwrap().movements[0]
        };
        // A photograph turned before the server; a solid head was added to the burst.
        let known = turned(Some(vec![0, 1]));
        let added = turned(None);
        assert!(known.extent < added.extent, "{known:?} {added:?}");
        assert!(
            known.plane_residual.is_none_or(|residual| residual < 0.0785),
            "{known:?}"
        );
        assert!(added.plane_residual.unwrap() > 0.0785, "{added:?}");
    }

    #[test]
    fn a_face_that_grows_came_closer_and_a_turned_one_does_not_count() {
        let pictures = pictures();
        let seen = |index: usize, yaw: f32, scale: f32| {
            let points = head(yaw, false)
                .points()
                .iter()
                .map(|p| [p[0] * scale, p[1] * scale])
                .collect();
            Seen {
                index,
                picture: &pictures[index],
                shape: Shape::new(points).unwrap(),
            }
        };
        let asked = Asked {
            movements: vec![Challenge::ComeCloser],
            live: None,
        };
        let near = [seen(0, 0.0, 1.0), seen(1, 40.0, 0.6), seen(2, 3.0, 1.4)];
        let found = measure(&near, &asked, [None, None]).unwrap().movements[0];
        assert!(
            (found.extent - 1.4).abs() < 0.02 && found.plane_residual.is_none(),
            "{found:?}"
        );
        let away = [seen(0, 0.0, 1.0), seen(1, 2.0, 1.02)];
        assert!(measure(&away, &asked, [None, None]).unwrap().movements[0].extent < 1.05);
    }

    #[test]
    fn one_picture_shown_again_and_again_is_still_and_turns_nowhere() {
        let still = burst(
            &vec![pictures().remove(0); 3],
            &[0.0, 0.0, 0.0],
            false,
            Challenge::TurnLeft,
        );
        assert!(
            still.still && still.movements[0].extent.abs() < 0.05 && still.movements[0].plane_residual.is_none(),
            "{still:?}"
        );
    }
}
