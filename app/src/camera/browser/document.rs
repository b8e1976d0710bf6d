//! Films one side of a document: analyses frames, shows hints, releases the shutter.

use super::device::{Camera, Encoding, Facing};
use super::run::{Filmed, Run, Stopped, Subject, ToSend};
use super::scene::{DRAWN, Look};
use super::trouble::Trouble;
use super::{now, plain_form, rest, window};
use crate::camera::announcer::Announcer;
use crate::camera::light::Light;
use crate::camera::stage::{Stage, Tap};
use crate::forms;
use crate::text::{Text, camera as text};
use domain::quality::QualityLimits;
use js_sys::Reflect;
use lens::frame::{ANALYSED_SIDE, Frame};
use lens::gate::{Gate, Hint};
use lens::quality;
use lens::stillness::Stillness;
use leptos::prelude::*;
use std::rc::Rc;
use web_sys::{Blob, FormData, HtmlVideoElement};

/// Width over height of the part in the middle of the picture that is analysed and sent, as in `style/camera.css`.
const VIEW: f64 = 4.0 / 3.0;
/// At most ten frames are analysed per second.
const LOOK_EVERY_MS: u64 = 100;
/// The manual button appears when the conditions have not been met for this long.
const MANUAL_AFTER_MS: u64 = 8_000;
/// Longest side of what is sent.
const SENT_SIDE: f64 = 3_000.0;
/// Qualities of what is sent: the first with which it arrives soon, or the last one. At 0.7 it has a third of the bytes and is read as well.
const SENT_QUALITIES: [f64; 3] = [0.9, 0.8, 0.7];
/// How long sending it may take, in seconds.
const SOON: f64 = 4.5;

pub(in crate::camera) fn start(stage: Stage) -> Rc<dyn Fn(Tap)> {
    let camera = Camera::new(Facing::Environment, VIEW);
    let run = Run::start(stage, camera, Subject::Document, |run, turn| Box::pin(film(run, turn)));
    Rc::new(move |tap| run.tapped(tap))
}

async fn film(run: Rc<Run>, turn: u32) -> Filmed {
    let video = run.video().ok_or(Stopped::Ended)?;
    let (mut gate, mut stillness) = (Gate::new(QualityLimits::default()), Stillness::default());
    let started = now();
    let (mut light, mut announcer) = (Light::default(), Announcer::default());
    loop {
        let frame_at = now();
        run.fit(&video);
        if let Some((width, height, pixels)) = run.camera.pixels(&video, ANALYSED_SIDE as f64)
            && let Some(frame) = Frame::rgba(width, height, &pixels)
        {
            let plane = frame.plane(ANALYSED_SIDE);
            let look = quality::look_at(&plane);
            let seen = gate.see(frame_at, &look, stillness.motion(&plane));
            run.stage.advise(&mut announcer, run.stage.say(hint(seen.hint)), false);
            run.stage.look(Look::Well, seen.hint == Hint::Good);
            run.stage
                .look(Look::Warn, matches!(seen.hint, Hint::Dark | Hint::Glare | Hint::Focus));
            run.stage.look(Look::Good, seen.holds);
            let scale = DRAWN / plane.width() as f32;
            let points = look.outline.map(|outline| points(outline.corners, scale));
            run.stage.edge(&points.unwrap_or_default());
            light.see(frame_at, look.quality.exposure);
            if seen.fire || run.was_pressed() {
                return take(&run, &video).await.ok_or(Stopped::Failed(Trouble::Black));
            }
        } else {
            light.see(frame_at, 0.0);
        }
        if light.is_out(frame_at) {
            return Err(Stopped::Failed(Trouble::Black));
        }
        if frame_at - started > MANUAL_AFTER_MS {
            run.stage.shutter.set(true);
        }
        let spent = now() - frame_at;
        rest(LOOK_EVERY_MS.saturating_sub(spent).max(10) as i32).await;
        if !run.wanted(turn) {
            return Err(Stopped::Ended);
        }
    }
}

async fn take(run: &Run, video: &HtmlVideoElement) -> Option<ToSend> {
    run.freeze(video);
    run.stage.tell(run.stage.say(text::TAKEN));
    let blob = encoded(run, video).await?;
    // The plain form says what the page asks for; the photo stands in for the file.
    let form = FormData::new_with_form(&plain_form()?).ok()?;
    form.set_with_blob_and_filename(forms::PICTURE, &blob, "picture.jpg")
        .ok()?;
    Some(ToSend {
        address: forms::PICTURES,
        form,
    })
}

/// The frozen picture, in fewer bytes where the network is known to be slow.
async fn encoded(run: &Run, video: &HtmlVideoElement) -> Option<Blob> {
    let mut blob = None;
    for quality in SENT_QUALITIES {
        let encoding = Encoding {
            side: SENT_SIDE,
            quality,
        };
        let made = run.camera.jpeg(video, encoding).await?;
        let is_soon = bytes_per_second().is_none_or(|rate| made.size() <= rate * SOON);
        blob = Some(made);
        if is_soon {
            break;
        }
    }
    blob
}

/// What the browser knows of its network, if it tells (the Network Information API, not in Safari and Firefox).
fn bytes_per_second() -> Option<f64> {
    let navigator = window()?.navigator();
    let connection = Reflect::get(&navigator, &"connection".into()).ok()?;
    let megabits = Reflect::get(&connection, &"downlink".into()).ok()?.as_f64()?;
    (megabits > 0.0).then_some(megabits * 125_000.0)
}

/// The corners as an SVG polygon has them.
fn points(corners: [[f32; 2]; 4], scale: f32) -> String {
    let points = corners.map(|[x, y]| format!("{},{}", (x * scale) as i32, (y * scale) as i32));
    points.join(" ")
}

const fn hint(hint: Hint) -> Text {
    match hint {
        Hint::Find => text::HINT_FIND,
        Hint::Whole => text::HINT_WHOLE,
        Hint::Closer => text::HINT_CLOSER,
        Hint::Farther => text::HINT_FARTHER,
        Hint::Level => text::HINT_LEVEL,
        Hint::Still => text::HINT_STILL,
        Hint::Dark => text::HINT_DARK,
        Hint::Glare => text::HINT_GLARE,
        Hint::Focus => text::HINT_FOCUS,
        Hint::Good => text::HINT_GOOD,
    }
}
