//! Films the selfie: a moment of looking straight ahead, the command, a burst during the movement.

use super::device::{Camera, Facing};
use super::run::{About, Filmed, Run};
use super::scene::Look;
use super::trouble::Trouble;
use super::{now, rest};
use crate::camera::stage::{Stage, Tap};
use crate::forms;
use crate::text::{Text, camera as text, capture};
use domain::findings::Challenge;
use lens::frame::{Frame, Plane};
use lens::gate::HINT_MS;
use lens::stillness::{MOVED, STILL, Stillness, Thumbnail};
use leptos::prelude::*;
use std::collections::VecDeque;
use std::rc::Rc;
use web_sys::{Blob, FormData, HtmlVideoElement};

/// Width over height of the part in the middle of the picture that is analysed and sent, as in `style/camera.css`.
const VIEW: f64 = 3.0 / 4.0;
/// Side of the analysed picture: brightness and motion need no more.
const LOOKED_SIDE: f64 = 160.0;
/// Time between analysed frames, and between frames of the burst.
const LOOK_EVERY_MS: i32 = 100;
const FRAME_EVERY_MS: u64 = 280;
/// Number of frames kept from before the command, and from after it.
const STRAIGHT: usize = 4;
const MOVING: usize = 14;
/// Conditions must hold this long before the burst begins; after the longer time it begins anyway, and the server judges.
const SETTLED_MS: u64 = 900;
const SETTLED_AT_LAST_MS: u64 = 8_000;
/// The burst continues this long after the head has moved, so that it is seen turned.
const AFTER_MOVE_MS: u64 = 1_600;
/// Time limit for the movement.
const TIME_MS: u64 = 20_000;
/// Mean luma range in which a face is visible.
const DARK: f32 = 0.16;
const BRIGHT: f32 = 0.93;
/// A head is never as still as a card on a table.
const CALM: f32 = STILL * 1.5;
/// Longest side and quality of a frame: a face fills most of it.
const SENT_SIDE: f64 = 1_280.0;
const SENT_QUALITY: f64 = 0.85;

pub(in crate::camera) fn start(
    stage: Stage,
    challenge_id: String,
    challenge: Challenge,
) -> impl Fn(Tap) + Clone + 'static {
    let about = About::Selfie {
        challenge_id,
        command: stage.say(capture::challenge(challenge)),
    };
    let run = Run::start(stage, Camera::new(Facing::User, VIEW), about, |run, turn| {
        Box::pin(film(run, turn))
    });
    move |tap| run.tapped(tap)
}

/// A frame with the time it was taken at.
struct Shot {
    at: u64,
    blob: Blob,
}

async fn film(run: Rc<Run>, turn: u32) -> Filmed {
    let video = run.video().ok_or(None)?;
    settle(&run, &video, turn).await?;
    let mut shots = VecDeque::new();
    run.stage.look(Look::Good, true);
    for _ in 0..STRAIGHT {
        shots.extend(shoot(&run, &video).await);
        progress(&run, shots.len());
        rest(FRAME_EVERY_MS as i32).await;
        if !run.wanted(turn) {
            return Err(None);
        }
    }
    let straight = look(&run, &video)
        .map(|plane| Thumbnail::of(&plane))
        .ok_or(Some(Trouble::Black))?;
    let About::Selfie { command, .. } = &run.about else {
        return Err(None);
    };
    run.stage.hint.set(command);
    run.stage.look(Look::Warn, false);
    run.stage.look(Look::Turning, true);
    run.cues.call();
    follow(&run, &video, turn, &straight, &mut shots).await?;
    run.stage.look(Look::Turning, false);
    run.freeze(&video);
    run.stage.filled(1.0);
    run.stage.hint.set(run.stage.say(text::SELFIE_DONE));
    form(&run, shots).ok_or(Some(Trouble::Black))
}

/// Waits until the light is right and the picture is still.
async fn settle(run: &Run, video: &HtmlVideoElement, turn: u32) -> Result<(), Option<Trouble>> {
    let started = now();
    let mut stillness = Stillness::default();
    let (mut well_since, mut hinted_at, mut shown) = (None, 0, None);
    loop {
        let at = now();
        let mut wanted: Text = text::SELFIE_PLACE;
        if let Some(plane) = look(run, video) {
            let light = plane.mean(plane.area());
            let calm = stillness.motion(&plane) <= CALM;
            if light < DARK {
                wanted = text::SELFIE_DARK;
            } else if light > BRIGHT {
                wanted = text::SELFIE_BRIGHT;
            }
            let well = calm && (DARK..=BRIGHT).contains(&light);
            well_since = if well { well_since.or(Some(at)) } else { None };
        }
        if shown != Some(wanted) && (shown.is_none() || at - hinted_at >= HINT_MS) {
            (shown, hinted_at) = (Some(wanted), at);
            run.stage.hint.set(run.stage.say(wanted));
            run.stage.look(Look::Warn, wanted != text::SELFIE_PLACE);
        }
        let settled = well_since.is_some_and(|since| at - since >= SETTLED_MS);
        if settled || at - started >= SETTLED_AT_LAST_MS {
            return Ok(());
        }
        rest(LOOK_EVERY_MS).await;
        if !run.wanted(turn) {
            return Err(None);
        }
    }
}

/// Takes frames until a little after the head has moved; if there are too many, the latest are kept.
async fn follow(
    run: &Run,
    video: &HtmlVideoElement,
    turn: u32,
    straight: &Thumbnail,
    shots: &mut VecDeque<Shot>,
) -> Result<(), Option<Trouble>> {
    let (started, mut moved_at) = (now(), None);
    loop {
        let at = now();
        if let Some(plane) = look(run, video)
            && moved_at.is_none()
            && straight.motion_to(&Thumbnail::of(&plane)) >= MOVED
        {
            moved_at = Some(at);
        }
        shots.extend(shoot(run, video).await);
        if shots.len() > STRAIGHT + MOVING {
            shots.remove(STRAIGHT);
        }
        progress(run, shots.len());
        // Collects all of them even if the picture moved immediately: a hand may have shaken, and the head turns later.
        let enough = shots.len() >= STRAIGHT + MOVING;
        if enough && moved_at.is_some_and(|moved| at - moved >= AFTER_MOVE_MS) {
            return Ok(());
        }
        if at - started >= TIME_MS {
            return Err(Some(Trouble::TooSlow));
        }
        let spent = now() - at;
        rest(FRAME_EVERY_MS.saturating_sub(spent).max(20) as i32).await;
        if !run.wanted(turn) {
            return Err(None);
        }
    }
}

fn progress(run: &Run, shots: usize) {
    run.stage.filled((shots as f64 / (STRAIGHT + MOVING) as f64).min(1.0));
}

fn look(run: &Run, video: &HtmlVideoElement) -> Option<Plane> {
    let (width, height, pixels) = run.camera.pixels(video, LOOKED_SIDE)?;
    Some(Frame::rgba(width, height, &pixels)?.plane(LOOKED_SIDE as usize))
}

async fn shoot(run: &Run, video: &HtmlVideoElement) -> Option<Shot> {
    let at = now();
    let blob = run.camera.jpeg(video, SENT_SIDE, SENT_QUALITY).await?;
    Some(Shot { at, blob })
}

fn form(run: &Run, shots: VecDeque<Shot>) -> Option<(&'static str, FormData)> {
    let About::Selfie { challenge_id, .. } = &run.about else {
        return None;
    };
    let form = FormData::new().ok()?;
    form.append_with_str(forms::CHALLENGE, challenge_id).ok()?;
    let first = shots.front()?.at;
    for (i, shot) in shots.iter().enumerate() {
        // The time comes before its frame, so that a server that streams the form has it in time.
        form.append_with_str(forms::AT, &(shot.at - first).to_string()).ok()?;
        form.append_with_blob_and_filename(forms::FRAME, &shot.blob, &format!("frame-{i}.jpg"))
            .ok()?;
    }
    Some((forms::SELFIE, form))
}
