//! What each signal contributes: the attacks that would be approved without it.

use domain::findings::{LiveFindings, SelfieFindings, SelfieSigns};

/// A signal: its name in the report, and what removes it from findings.
pub(super) type Signal = (&'static str, fn(&mut SelfieFindings));

/// Further than the limit of any movement.
const FAR_ENOUGH: f32 = 1.5;
/// A residual as that of a head.
const SOLID: f32 = 0.3;
/// A distance as between two pictures of one person.
const SAME: f32 = 0.2;

/// Every signal of liveness. Recordings are judged as if the random movements of the live camera had been known.
pub(super) const SIGNALS: [Signal; 10] = [
    ("requested movements", |found| {
        for movement in found.liveness.iter_mut().flat_map(|liveness| &mut liveness.movements) {
            movement.extent = FAR_ENOUGH;
        }
    }),
    ("depth of the turned face", |found| {
        for movement in found.liveness.iter_mut().flat_map(|liveness| &mut liveness.movements) {
            if movement.challenge.direction().is_some() {
                movement.plane_residual = Some(SOLID);
            }
        }
    }),
    ("same person in straight frames", |found| {
        if let Some(liveness) = &mut found.liveness {
            liveness.same_person_distance = Some(SAME);
        }
        found.watched_faces.clear();
    }),
    ("same person in turned frames", |found| {
        if let Some(liveness) = &mut found.liveness {
            liveness.turned_person_distance = Some(SAME);
        }
    }),
    ("frames that do not move", |found| {
        if let Some(liveness) = &mut found.liveness {
            liveness.still = false;
        }
    }),
    ("movements at the time of the request", |found| {
        if let Some(live) = live(found) {
            live.watched = None;
        }
    }),
    ("frames of another session", |found| {
        if let Some(live) = live(found) {
            live.repeated_frames = 0;
        }
    }),
    ("colours of the screen", |found| {
        if let Some(live) = live(found) {
            live.flashes = None;
        }
    }),
    ("pixel grid of a screen", |found| {
        found.signs.grid = SelfieSigns::NOTHING_SEEN.grid;
    }),
    ("eyes and mouth visible", |found| {
        found.signs = SelfieSigns {
            grid: found.signs.grid,
            in_card: found.signs.in_card,
            ..SelfieSigns::NOTHING_SEEN
        };
    }),
];

fn live(found: &mut SelfieFindings) -> Option<&mut LiveFindings> {
    found.liveness.as_mut()?.live.as_mut()
}

/// The findings without a signal.
pub(super) fn without((_, remove): &Signal, found: &SelfieFindings) -> SelfieFindings {
    let mut found = found.clone();
    remove(&mut found);
    found
}
