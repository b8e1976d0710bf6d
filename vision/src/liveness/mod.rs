//! What a burst of frames around a head turn says about a living person. Measures; the rules judge.

mod plane;
mod still;

use crate::face::Shape;
use crate::raster::Raster;
use domain::findings::{Challenge, LivenessFindings};

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

/// The sign the yaw proxy has when the challenge is followed. Frames are camera pictures, not mirrored: a head turned to its
/// own left points to the picture's right.
const fn direction(challenge: Challenge) -> f32 {
    match challenge {
        Challenge::TurnLeft => 1.0,
        Challenge::TurnRight => -1.0,
    }
}

/// The frame that looks most straight into the camera.
pub(crate) fn most_frontal<'a, 'b>(frames: &'b [Seen<'a>]) -> Option<&'b Seen<'a>> {
    frames
        .iter()
        .min_by(|a, b| a.shape.yaw().abs().total_cmp(&b.shape.yaw().abs()))
}

/// The frame turned furthest the way that was asked for.
pub(crate) fn furthest<'a, 'b>(frames: &'b [Seen<'a>], challenge: Challenge) -> Option<&'b Seen<'a>> {
    let sign = direction(challenge);
    frames
        .iter()
        .max_by(|a, b| (a.shape.yaw() * sign).total_cmp(&(b.shape.yaw() * sign)))
}

/// Measures a burst; `None` without two frames that show a face. `same_person` is measured elsewhere, from descriptors.
pub(crate) fn measure(frames: &[Seen<'_>], challenge: Challenge, same_person: Option<f32>) -> Option<LivenessFindings> {
    let (frontal, turned) = (most_frontal(frames)?, furthest(frames, challenge)?);
    if frames.len() < 2 {
        return None;
    }
    let (frontal_yaw, turned_yaw) = (frontal.shape.yaw(), turned.shape.yaw());
    let plane_residual = ((turned_yaw - frontal_yaw).abs() >= MOVED)
        .then(|| {
            plane::residual(
                frontal.shape.points(),
                turned.shape.points(),
                frontal.shape.eye_distance(),
            )
        })
        .flatten();
    let pictures: Vec<&Raster> = frames.iter().map(|seen| seen.picture).collect();
    Some(LivenessFindings {
        challenge,
        frontal_yaw,
        turned_yaw: turned_yaw * direction(challenge),
        plane_residual,
        same_person_distance: same_person,
        still: still::is_still(&pictures),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face::pose::tests::head;

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
        measure(&seen, challenge, Some(0.2)).unwrap()
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
            left.turned_yaw > 0.35 && left.plane_residual.unwrap() > 0.08 && !left.still,
            "{left:?}"
        );
        let wrong = burst(&pictures(), &[0.0, -15.0, -35.0], false, Challenge::TurnLeft);
        assert!(wrong.turned_yaw < 0.1, "{wrong:?}");
        let right = burst(&pictures(), &[0.0, -15.0, -35.0], false, Challenge::TurnRight);
        assert!(right.turned_yaw > 0.35, "{right:?}");
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
            still.still && still.turned_yaw.abs() < 0.05 && still.plane_residual.is_none(),
            "{still:?}"
        );
    }
}
