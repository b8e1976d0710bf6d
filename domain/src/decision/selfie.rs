//! Judges the selfie: one face, of a live person, that matches the portrait.

use super::{Evidence, Notes, Policy, score::ScoreName};
use crate::{
    document::Side,
    findings::{
        Challenge, Commitment, DocumentFindings, Face, FaceEngine, LiveFindings, LivenessFindings, Pose,
        SelfieFindings, Unavailable,
    },
    live::ASIDE,
    outcome::SelfieCheck,
    quality::{SelfieLimits, cover_problem, document_problems, face_is_covered, selfie_is_poor},
    reasons::Reason,
    session::Step,
};

/// Highest liveness that a burst alone can show: without a passive network, a prepared video cannot be detected.
const LIVENESS_CAP: f64 = 0.85;
/// The same if the server did not watch: files can be of any day and any person, so no tenant can accept them unseen. Just below
/// [`Policy::LEAST_LIVENESS_ACCEPT`].
const UNWATCHED_CAP: f64 = 0.42;
/// Yaw proxy of half a turn; noise stays under 0.07, and the camera takes a turn of [`crate::live::TURNED_BY`] at least.
pub(super) const HALF_TURN: f64 = 0.21;
/// Runs of the camera of which one can be approved without a person. A recording of all movements passes one run in nine by chance
/// (`domain::live` tests), so three times out of ten one of three.
pub const AUTOMATIC_RUNS: u32 = 3;
/// Ratio of eye distances of a face that has come closer: from an arm's length to two thirds of it. Two measurements of the same
/// face differ by less than a tenth.
pub(super) const CLOSER: f64 = 1.18;
/// Midway between flat photographs (p95 0.054) and real turns (p5 0.103) of the homography residual.
pub(super) const PLANE_LIMIT: f64 = 0.0785;
/// Distance between the eyes of a portrait, in pixels, below which faces are recognised worse: with 16 and more, 95 % of LFW's pairs match
/// at a false match rate of 0.1 %, with 12 pixels 93 %, and some portraits are not found.
const SMALL_PORTRAIT: f32 = 16.0;
/// Descriptor distance within one burst above which the person has changed.
pub(super) const SAME_PERSON_LIMIT: f64 = 0.60;
/// The same for two straight faces that the server watched, which are of one camera and one minute. Two photographs that show one person on different
/// days have a median of 0.41 (`docs/decisions/0016`), and of rendered heads that are turned, 34 of 35 are within 0.49 of the straight one.
pub(super) const SAME_WATCHED_LIMIT: f64 = 0.50;
/// The same for frames with a turned head, which look less alike. Of rendered heads 112 of 113 stayed below 0.55 and one reached 0.67; with
/// another person's head in the turn, 31 of 31 had 0.65 and more (`docs/decisions/0030`).
pub(super) const SAME_TURNED_LIMIT: f64 = 0.60;

/// Greatest distance of a face that the server watched from the portrait. The best of them must be nearer (`match_accept`). Of 4,500 pairs of
/// two people (LFW) 1 % are nearer than 0.61, of 450 pairs of one person 97 %; those of one burst are more alike.
pub(super) const WATCHED_PORTRAIT_LIMIT: f64 = 0.61;

/// Likeness of two crops up to which they are two pictures of a person. Of 450 pairs of photographs of one person (LFW) the most alike had 0.72;
/// of 300 copies, turned, tilted, relit, blurred and encoded again, the least alike had 0.82 (`docs/decisions/0016`).
pub(super) const SAME_PICTURE_LIMIT: f64 = 0.78;

/// How far a movement goes at least, as a share of its limit, in the very frame in which the server saw it all the way: two measurements
/// of the same yaw differ by up to 0.07 (p95).
const WATCHED_SHARE: f64 = 2.0 / 3.0;

/// Least correlation of the skin's colour with the screen's; see `docs/decisions/0043` for what was measured.
pub(super) const COLOURS_LIMIT: f64 = 0.80;

/// Frames that may be equal to those that were sent before: two living faces never give the same frame, but one could be black.
pub(super) const REPEATED_LIMIT: u32 = 1;
/// The same for files, of which there are one or two, and which somebody has chosen.
const REPEATED_FILES_LIMIT: u32 = 0;

pub(super) fn check(evidence: &Evidence<'_>, policy: &Policy, notes: &mut Notes) -> SelfieCheck {
    let Some(selfie) = evidence.selfie else {
        notes.reason(Reason::SelfieNoFace);
        return SelfieCheck {
            performed: false,
            liveness_confidence: None,
            face_match_confidence: None,
        };
    };
    if !selfie.unavailable.is_empty() {
        notes.reason(Reason::CheckUnavailable);
    }
    presence(selfie, policy, notes);
    signs(selfie, &policy.selfie(), notes);
    let liveness = liveness(selfie, policy, notes);
    let face_match = if evidence.plan.has(Step::Document) {
        face_match(evidence, selfie, policy, notes)
    } else {
        None
    };
    SelfieCheck {
        performed: selfie.unavailable.is_empty(),
        liveness_confidence: liveness,
        face_match_confidence: face_match,
    }
}

fn presence(selfie: &SelfieFindings, policy: &Policy, notes: &mut Notes) {
    if selfie.faces > 1 {
        notes.reason(Reason::SelfieMultipleFaces);
    } else if selfie.face.is_none() && !selfie.unavailable.contains(&Unavailable::Face) {
        notes.reason(Reason::SelfieNoFace);
    } else if selfie_is_poor(&selfie.quality, &policy.quality()) {
        notes.reason(Reason::SelfieLowQuality);
    }
}

/// Notes every sign that the selfie shows something other than an uncovered, living face.
fn signs(selfie: &SelfieFindings, limits: &SelfieLimits, notes: &mut Notes) {
    let signs = &selfie.signs;
    let noted = [
        (ScoreName::EyesCovered, signs.eyes_covered),
        (ScoreName::MouthCovered, signs.mouth_covered),
    ];
    for (name, covered) in noted {
        if let Some(covered) = covered {
            notes.at_most(name, f64::from(covered), f64::from(limits.covered));
        }
    }
    if let Some(problem) = cover_problem(signs, &selfie.quality, limits) {
        notes.reason(problem);
    }
    // Too few pixels for a spectrum, or no straight face: an attacker could arrange either to avoid the check. Nor is anything known from a broken
    // measurement (NaN).
    let sought = [signs.eyes_covered, signs.mouth_covered, signs.grid];
    let unmeasured = sought.iter().any(|sign| sign.is_none_or(f32::is_nan));
    if selfie.face.is_some() && unmeasured {
        notes.reason(Reason::SelfieLivenessUncertain);
    }
    if selfie.repeated_files > REPEATED_FILES_LIMIT {
        let (repeated, limit) = (f64::from(selfie.repeated_files), f64::from(REPEATED_FILES_LIMIT));
        notes.at_most(ScoreName::RepeatedFrames, repeated, limit);
        // Somebody whose session has expired chooses the same photo again.
        notes.doubtful(Reason::SelfieInjectionSuspected);
    }
    let limit = f64::from(limits.grid);
    if signs
        .grid
        .is_some_and(|grid| !notes.at_most(ScoreName::SelfieGrid, f64::from(grid), limit))
    {
        notes.reason(Reason::SelfieScreenReplay);
    }
    // Such a network may send a case to a person, never approve one: those that were tried let every deepfake pass.
    if let Some(passive) = &selfie.passive
        && !notes.at_least(
            ScoreName::PassiveLiveness,
            f64::from(passive.score),
            f64::from(passive.limit),
        )
    {
        notes.reason(Reason::SelfieLivenessUncertain);
    }
}

fn liveness(selfie: &SelfieFindings, policy: &Policy, notes: &mut Notes) -> Option<f64> {
    let Some(found) = &selfie.liveness else {
        notes.reason(Reason::SelfieLivenessUncertain);
        return None;
    };
    let confidence = liveness_confidence(found);
    let mut within =
        |name, distance: Option<f32>, limit| distance.is_none_or(|d| notes.at_most(name, f64::from(d), limit));
    let same = within(ScoreName::SamePerson, found.same_person_distance, SAME_PERSON_LIMIT);
    let alike = within(
        ScoreName::SamePersonWatched,
        distance_among_watched(selfie),
        SAME_WATCHED_LIMIT,
    );
    let changed = !within(
        ScoreName::SamePersonTurned,
        found.turned_person_distance,
        SAME_TURNED_LIMIT,
    ) || !same;
    let prepared = found.live.as_ref().is_some_and(|live| {
        let repeated = f64::from(live.repeated_frames);
        let is_new = notes.at_most(ScoreName::RepeatedFrames, repeated, f64::from(REPEATED_LIMIT));
        let altered = live.commitment == Some(Commitment::Broken);
        !is_new || !live.same_frames || altered || !shows_what_was_watched(selfie, found, live)
    });
    if changed || prepared {
        notes.reason(Reason::SelfieInjectionSuspected);
    } else if !alike {
        // Two people who look alike, or one whose light or expression has changed.
        notes.doubtful(Reason::SelfieInjectionSuspected);
    }
    colours(found, notes);
    let followed = movements(found, notes);
    if !followed {
        notes.reason(Reason::SelfieChallengeNotFollowed);
    }
    if !notes.at_least(ScoreName::Liveness, confidence, policy.liveness_accept) {
        notes.reason(if speaks_against_life(found, followed, policy) {
            Reason::SelfieLivenessFailed
        } else {
            Reason::SelfieLivenessUncertain
        });
    }
    Some(confidence)
}

/// The greatest distance between two of the straight faces that the server watched: somebody may take over from another between two movements. The
/// best face is one of them, unless there are none.
fn distance_among_watched(selfie: &SelfieFindings) -> Option<f32> {
    let faces: Vec<&Face> = selfie.face.iter().chain(&selfie.watched_faces).collect();
    let pairs = faces.iter().enumerate().flat_map(|(number, face)| {
        let later = faces.iter().skip(number + 1);
        later.filter_map(move |other| face.distance(other))
    });
    pairs.reduce(f32::max)
}

/// Whether what was measured speaks against a living person. A missing turn does not: people who did not understand the instruction fail it too,
/// and some choose one file twice. Nor does it that nobody watched, or that a sign could not be measured: for both, a person looks.
fn speaks_against_life(found: &LivenessFindings, followed: bool, policy: &Policy) -> bool {
    let is_meant = if found.still { found.live.is_some() } else { followed };
    is_meant && measured_confidence(found, 1.0) < policy.liveness_review
}

/// Whether the frames that the server saw while the camera was on show in the burst what they showed then: a face at each request, and
/// the movement that followed it. Somebody else may have answered the requests, in frames altered so that nobody is found in them.
fn shows_what_was_watched(selfie: &SelfieFindings, found: &LivenessFindings, live: &LiveFindings) -> bool {
    let Some(watched) = &live.watched else {
        return true;
    };
    let movements: Vec<Challenge> = found.movements.iter().map(|movement| movement.challenge).collect();
    watched.len() == 2 * movements.len() && unfollowed_requests(&movements, watched, &selfie.poses).is_empty()
}

/// The requests, by their numbers from 0, that were not followed in the burst as the server saw it: in one of the two frames that it watched at each no
/// face is found, the face looked aside at the request, or it moved too little.
#[must_use]
pub fn unfollowed_requests(movements: &[Challenge], watched: &[u32], poses: &[Pose]) -> Vec<usize> {
    let pose = |at: usize| {
        let frame = watched.get(at)?;
        poses.iter().find(|pose| pose.frame == *frame)
    };
    let is_shown = |number: usize, challenge: Challenge| {
        let pair = pose(2 * number).zip(pose(2 * number + 1));
        pair.is_some_and(|(from, to)| is_followed(from, to, challenge))
    };
    let requests = movements.iter().enumerate();
    requests
        .filter(|(number, challenge)| !is_shown(*number, **challenge))
        .map(|(number, _)| number)
        .collect()
}

/// Whether a face went from one pose to another as asked. The small copy that the server saw went all the way; the frame itself is measured
/// again. A head that is turned at the request already has followed nothing.
fn is_followed(from: &Pose, to: &Pose, challenge: Challenge) -> bool {
    if from.yaw.abs() >= ASIDE {
        return false;
    }
    match challenge.direction() {
        Some(direction) => f64::from(to.yaw * direction) >= HALF_TURN * WATCHED_SHARE,
        None => f64::from(to.eye_distance / from.eye_distance) >= 1.0 + (CLOSER - 1.0) * WATCHED_SHARE,
    }
}

/// Notes how the skin followed the colours of the screen. In bright light it hardly can, and a person who is sensitive to such light
/// goes without: a person looks at both. It never adds to the confidence, for a mask follows as well.
fn colours(found: &LivenessFindings, notes: &mut Notes) {
    if found.live.as_ref().is_none_or(|live| live.flashes.is_none()) {
        return;
    }
    let followed = found
        .colours_followed
        .is_some_and(|followed| notes.at_least(ScoreName::ColoursFollowed, f64::from(followed), COLOURS_LIMIT));
    if !followed {
        notes.reason(Reason::SelfieLivenessUncertain);
    }
}

/// Notes how far each movement went; returns whether all were followed.
fn movements(found: &LivenessFindings, notes: &mut Notes) -> bool {
    let mut followed = !found.movements.is_empty();
    for movement in &found.movements {
        let (name, limit) = limit_of(movement.challenge);
        followed &= notes.at_least(name, f64::from(movement.extent), limit);
        if let Some(residual) = movement.plane_residual {
            notes.at_least(ScoreName::Solidity, f64::from(residual), PLANE_LIMIT);
        }
    }
    followed
}

/// The score of a movement, and how far it must go.
const fn limit_of(challenge: Challenge) -> (ScoreName, f64) {
    match challenge {
        Challenge::TurnLeft | Challenge::TurnRight => (ScoreName::Turn, HALF_TURN),
        Challenge::ComeCloser => (ScoreName::ComeCloser, CLOSER),
    }
}

/// Confidence, 0 to 0.85, that the burst shows a living head that made the requested movements.
#[must_use]
pub fn liveness_confidence(found: &LivenessFindings) -> f64 {
    // Unmeasured counts as the middle: neither evidence for nor against.
    let confidence = measured_confidence(found, 0.5);
    // Without a commitment, the frames may have been altered since. A page of an earlier version makes none.
    let seen = |live: &LiveFindings| {
        let committed = live.commitment != Some(Commitment::Absent);
        live.same_frames && committed && live.run <= AUTOMATIC_RUNS && live.unseen_turns == 0
    };
    let watched = found.live.as_ref().is_some_and(seen);
    rounded(if watched {
        confidence
    } else {
        confidence.min(UNWATCHED_CAP)
    })
}

/// The same, whether the server watched or not. A sign that could not be measured has the factor `unmeasured`.
fn measured_confidence(found: &LivenessFindings, unmeasured: f64) -> f64 {
    if found.still || found.movements.is_empty() {
        return 0.0;
    }
    let followed = found.movements.iter().map(|movement| {
        let (name, limit) = limit_of(movement.challenge);
        // A turn's noise stays under a fifth of the way to its limit, that of a distance under half of it.
        let width = if name == ScoreName::Turn { 0.035 } else { 0.025 };
        logistic((f64::from(movement.extent) - limit) / width)
    });
    let followed = followed.fold(1.0, f64::min);
    // Every turn must be solid.
    let turns = found
        .movements
        .iter()
        .filter(|movement| movement.challenge.direction().is_some());
    let solidity = |residual: f32| logistic((f64::from(residual) - PLANE_LIMIT) / 0.008);
    let solid = turns
        .map(|movement| {
            // The least of several would pass over a broken one (NaN).
            let residual = movement.plane_residual.filter(|residual| !residual.is_nan());
            residual.map_or(unmeasured, solidity)
        })
        .reduce(f64::min)
        .unwrap_or(unmeasured);
    let same = found.same_person_distance.map_or(unmeasured, |distance| {
        logistic((SAME_PERSON_LIMIT - f64::from(distance)) / 0.033)
    });
    LIVENESS_CAP * followed * solid * same
}

fn face_match(evidence: &Evidence<'_>, selfie: &SelfieFindings, policy: &Policy, notes: &mut Notes) -> Option<f64> {
    let front = evidence.document.iter().find(|findings| findings.side == Side::Front)?;
    let (face, portrait) = (selfie.face.as_ref()?, front.portrait.as_ref()?);
    let Some(distance) = face.distance(portrait) else {
        // Two faces without comparable descriptors were not compared, so they do not allow approval.
        notes.reason(Reason::SelfieFaceMatchUncertain);
        return None;
    };
    let limits = policy.selfie();
    let in_card = selfie.signs.in_card.is_some_and(|share| share >= limits.in_card);
    let on_card = in_card
        && !notes.at_least(
            ScoreName::PortraitDistance,
            f64::from(distance),
            f64::from(limits.same_picture),
        );
    if is_same_picture(front, selfie, notes) || on_card {
        notes.reason(Reason::SelfieIsDocumentPhoto);
    }
    let confidence = match_confidence(f64::from(distance));
    if !notes.at_least(ScoreName::FaceMatch, confidence, policy.match_accept) {
        let other = confidence < policy.match_review && is_clear(front, portrait, selfie, policy);
        notes.reason(if other {
            Reason::SelfieFaceMismatch
        } else {
            Reason::SelfieFaceMatchUncertain
        });
    } else if !all_watched_match(selfie, portrait, notes) {
        notes.reason(Reason::SelfieFaceMatchUncertain);
    }
    Some(confidence)
}

/// Whether the selfie is the portrait itself, without the edge of its card: an animated or a printed one.
fn is_same_picture(front: &DocumentFindings, selfie: &SelfieFindings, notes: &mut Notes) -> bool {
    let crops = selfie.face_crop.as_ref().zip(front.portrait_crop.as_ref());
    crops.is_some_and(|(face, portrait)| {
        let likeness = face.likeness(portrait).max(face.likeness(&portrait.mirrored()));
        !notes.at_most(ScoreName::PortraitDetails, f64::from(likeness), SAME_PICTURE_LIMIT)
    })
}

/// Whether every face that followed the requests is like the portrait's: one that was made up of two people's joins both.
fn all_watched_match(selfie: &SelfieFindings, portrait: &Face, notes: &mut Notes) -> bool {
    let distances = selfie.watched_faces.iter().filter_map(|face| face.distance(portrait));
    distances
        .reduce(f32::max)
        .is_none_or(|distance| notes.at_most(ScoreName::WatchedPortrait, f64::from(distance), WATCHED_PORTRAIT_LIMIT))
}

/// What may be wrong with the photo of a document and makes its portrait look like somebody else's.
const SPOILS_PORTRAIT: [Reason; 4] = [
    Reason::DocumentBlurry,
    Reason::DocumentTooDark,
    Reason::DocumentGlare,
    Reason::DocumentObstructed,
];

/// Whether both faces show enough for a great distance to mean another person. Of a small or blurred one it says nothing, nor of one under glare, nor
/// of one that is covered or looks aside; and among several people, the face may be that of the person who stood nearer.
fn is_clear(front: &DocumentFindings, portrait: &Face, selfie: &SelfieFindings, policy: &Policy) -> bool {
    let limits = policy.quality();
    let problems = document_problems(&front.quality, &limits);
    let is_spoilt = problems.iter().any(|problem| SPOILS_PORTRAIT.contains(problem));
    portrait.eye_distance >= SMALL_PORTRAIT
        && !is_spoilt
        && !selfie_is_poor(&selfie.quality, &limits)
        && selfie.faces <= 1
        && is_bare(selfie, &policy.selfie())
}

/// Whether the whole face is seen: covers are looked for only where it looks straight.
fn is_bare(selfie: &SelfieFindings, limits: &SelfieLimits) -> bool {
    let signs = &selfie.signs;
    let is_measured = signs.eyes_covered.is_some() && signs.mouth_covered.is_some();
    is_measured && !face_is_covered(signs, limits)
}

/// Confidence that two faces at this distance belong to the same person.
#[must_use]
pub fn match_confidence(distance: f64) -> f64 {
    rounded(FaceEngine::SCALE.at(distance))
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Four decimals: more would suggest more precision than was measured.
fn rounded(confidence: f64) -> f64 {
    (confidence * 10_000.0).round() / 10_000.0
}

/// Evidence for each reason of this file.
#[cfg(test)]
pub(crate) mod scenarios {
    use super::*;
    use crate::decision::{coverage_tests::Scenario, tests::face};

    pub(crate) const ALL: &[Scenario] = &[
        (Reason::SelfieNoFace, |case| {
            (case.face().face, case.face().faces) = (None, 0)
        }),
        (Reason::SelfieMultipleFaces, |case| case.face().faces = 2),
        (Reason::SelfieFaceCovered, |case| {
            case.face().signs.mouth_covered = Some(0.9)
        }),
        (Reason::SelfieLowQuality, |case| case.face().quality.sharpness = 0.01),
        (Reason::SelfieChallengeNotFollowed, |case| {
            case.face().liveness.as_mut().unwrap().movements[0].extent = 0.0
        }),
        (Reason::SelfieLivenessUncertain, |case| case.face().liveness = None),
        (Reason::SelfieFaceMatchUncertain, |case| {
            case.face().face = Some(face(0.58))
        }),
        (Reason::SelfieLivenessFailed, |case| {
            case.face().liveness.as_mut().unwrap().still = true
        }),
        (Reason::SelfieScreenReplay, |case| case.face().signs.grid = Some(3.0)),
        (Reason::SelfieInjectionSuspected, |case| {
            case.face().liveness.as_mut().unwrap().same_person_distance = Some(0.9);
        }),
        (Reason::SelfieIsDocumentPhoto, |case| {
            (case.face().face, case.face().signs.in_card) = (Some(face(0.05)), Some(1.0));
        }),
        (Reason::SelfieFaceMismatch, |case| case.face().face = Some(face(0.9))),
    ];
}
