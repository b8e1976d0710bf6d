//! Films the selfie. The server sees a small copy of each frame and says what to do next; the frames that it selects are sent
//! at full size at the end.

use super::device::{Camera, Encoding, Facing};
use super::digest::sha256;
use super::run::{Filmed, Run, Stopped, Subject, ToSend};
use super::scene::Look;
use super::send::{Heard, go, is_answered, show, text as field};
use super::trouble::Trouble;
use super::{is_online, now, rest};
use crate::camera::announcer::Announcer;
use crate::camera::frozen::Frozen;
use crate::camera::light::Light;
use crate::camera::obstacle::Obstacle;
use crate::camera::stage::{Stage, Tap};
use crate::forms;
use crate::text::{Text, camera as text};
use domain::findings::Challenge;
use domain::live::{COPY_SIDE, FRAME_SIDE, Hint, Keep, OPTIONAL_FRAMES};
use js_sys::Reflect;
use std::rc::Rc;
use wasm_bindgen::JsValue;
use web_sys::{Blob, FormData, HtmlVideoElement};

/// Width over height of the part in the middle of the picture that is analysed and sent, as in `style/camera.css`.
const VIEW: f64 = 3.0 / 4.0;
/// Least time between two frames: four a second show a movement, and the server has other phones to look at.
const FRAME_EVERY_MS: u64 = 250;
/// Least time between the answer to a frame and the next frame.
const LEAST_MS: u64 = 20;
/// How long frames may go unanswered before the run ends and the user is asked.
const UNANSWERED_MS: u64 = 15_000;
/// How long the server may be silent before the user is told: a phone that switches networks is back in a moment.
const SILENT_MS: u64 = 2_000;
/// A pause that the server asks for is longer by at most this: four frames of a phone, in milliseconds.
const PAUSE_SPREAD_MS: f64 = 1_000.0;
/// A frame that is sent at the end.
const SENT: Encoding = Encoding {
    side: FRAME_SIDE as f64,
    quality: 0.85,
};
/// Its small copy.
const COPY: Encoding = Encoding {
    side: COPY_SIDE as f64,
    quality: 0.7,
};
/// After a new colour, the next frame waits until the screen has faded to it, as in `style/camera.css`, and the camera has seen it.
const FADED_MS: u64 = 320;

pub(in crate::camera) fn start(stage: Stage) -> Rc<dyn Fn(Tap)> {
    let camera = Camera::new(Facing::User, VIEW);
    let run = Run::start(stage, camera, Subject::Selfie, |run, turn| Box::pin(film(run, turn)));
    Rc::new(move |tap| run.tapped(tap))
}

/// A frame with the time it was taken at.
struct Shot {
    at: u64,
    blob: Blob,
    required: bool,
}

/// The run as far as it has come.
#[derive(Default)]
struct Burst {
    /// The server's token.
    token: String,
    movement: Option<Challenge>,
    colour: Option<String>,
    shots: Vec<Shot>,
    /// Paces what screen readers hear of the server's sentences.
    announcer: Announcer,
}

/// A frame at both sizes.
struct Frame {
    blob: Blob,
    copy: Blob,
    /// The hash of `blob`, if the browser can make one.
    file: Option<String>,
}

/// Whether the camera films anything, as its frames show.
#[derive(Default)]
struct Watch {
    light: Light,
    frozen: Frozen,
}

async fn film(run: Rc<Run>, turn: u32) -> Filmed {
    let video = run.video().ok_or(Stopped::Ended)?;
    run.stage.tell(run.stage.say(text::SELFIE_PLACE));
    let (mut burst, mut heard_at) = (Burst::default(), now());
    let (mut watch, mut obstacle) = (Watch::default(), Obstacle::default());
    loop {
        let at = now();
        run.fit(&video);
        let Some(Frame { blob, copy, file }) = watch.take(&run, turn, &video, at).await? else {
            pace(&run, turn, at, LEAST_MS).await?;
            continue;
        };
        let question = question(&burst.token, &copy, file.as_deref(), run.without_colours());
        let heard = show(forms::SELFIE_LIVE, &question.ok_or(Stopped::Ended)?, &run.upload).await;
        if !run.wanted(turn) {
            return Err(Stopped::Ended);
        }
        let mut least = LEAST_MS;
        match heard {
            Heard::Instruction(instruction) => {
                heard_at = now();
                if shine(&run, &mut burst, &instruction) {
                    least = FADED_MS;
                }
                match follow(&run, &mut burst, &instruction, at, blob) {
                    Some(Hint::Done) => break,
                    Some(hint) => return Err(ended_by(&run, hint, obstacle)),
                    None => obstacle.see(
                        field(&instruction, "sentence").unwrap_or_default(),
                        field(&instruction, "tone").as_deref() == Some("good"),
                        field(&instruction, "movement").is_some(),
                    ),
                }
            }
            Heard::Nothing | Heard::Silence if now() - heard_at > UNANSWERED_MS => return Err(unanswered().await),
            Heard::Silence if now() - heard_at > SILENT_MS => tell_silence(&run, &mut burst),
            Heard::Nothing | Heard::Silence => {}
            Heard::Pause(seconds) => {
                least = pause_ms(seconds);
                // Nobody would be asked for anything any more by then.
                if now() - heard_at + least > UNANSWERED_MS {
                    return Err(Stopped::Failed(Trouble::ServerBusy));
                }
                tell_instead(&run, &mut burst, text::LIVE_BUSY_TITLE);
            }
            Heard::Over => return Err(Stopped::Failed(Trouble::RunsOver)),
            Heard::Elsewhere => {
                go(forms::CAPTURE);
                return Err(Stopped::Ended);
            }
        }
        pace(&run, turn, at, least).await?;
    }
    run.freeze(&video);
    form(&burst).ok_or(Stopped::Failed(Trouble::Black))
}

/// Waits until the frame after the one of the time `at` is due, and for `least` milliseconds.
async fn pace(run: &Run, turn: u32, at: u64, least: u64) -> Result<(), Stopped> {
    let spent = now() - at;
    rest(FRAME_EVERY_MS.saturating_sub(spent).max(least) as i32).await;
    if run.wanted(turn) { Ok(()) } else { Err(Stopped::Ended) }
}

impl Watch {
    /// Takes the frame of the time `at`; `None` if the browser makes no picture of it, as one that is short of memory for a moment.
    async fn take(
        &mut self,
        run: &Run,
        turn: u32,
        video: &HtmlVideoElement,
        at: u64,
    ) -> Result<Option<Frame>, Stopped> {
        let frame = run.camera.twice(video, [SENT, COPY]).await;
        // Closed meanwhile: nothing more is sent.
        if !run.wanted(turn) {
            return Err(Stopped::Ended);
        }
        let exposure = frame.as_ref().map_or(0.0, |(_, exposure)| *exposure);
        self.light.see(at, exposure);
        if self.light.is_out(at) {
            return Err(Stopped::Failed(Trouble::Black));
        }
        let Some(([blob, copy], _)) = frame else {
            return Ok(None);
        };
        // Hashed before the server has said anything about the frame: one that is altered to suit its answer is another file.
        let file = sha256(&blob).await;
        if !run.wanted(turn) {
            return Err(Stopped::Ended);
        }
        if let Some(hash) = &file {
            self.frozen.see(at, hash);
        }
        if self.frozen.is_still(at) {
            return Err(Stopped::Failed(Trouble::Frozen));
        }
        Ok(Some(Frame { blob, copy, file }))
    }
}

/// The failure that a hint ends a run with. If it took too long, the panel says what stood in the way last.
fn ended_by(run: &Run, hint: Hint, obstacle: Obstacle) -> Stopped {
    Stopped::Failed(match hint {
        Hint::TooSlow => {
            run.obstacle.set(obstacle.into_lead());
            Trouble::TooSlow
        }
        Hint::Replaced => Trouble::Replaced,
        _ => Trouble::NotAsked,
    })
}

/// Why nothing is heard: the server answers everything but frames, or nothing reaches it.
async fn unanswered() -> Stopped {
    Stopped::Failed(if is_answered().await {
        Trouble::ServerBusy
    } else {
        Trouble::Unreachable
    })
}

/// Shows what the server says and keeps the frame `blob`, taken `at`, if it is wanted. Returns the hint if that ends the run.
fn follow(run: &Run, burst: &mut Burst, instruction: &JsValue, at: u64, blob: Blob) -> Option<Hint> {
    burst.token = field(instruction, "run").unwrap_or_default();
    let keep = field(instruction, "keep").and_then(|name| Keep::parse(&name));
    if keep != Some(Keep::No) {
        let required = keep == Some(Keep::Required);
        burst.keep(Shot { at, blob, required });
    }
    let movement = field(instruction, "movement").and_then(|name| Challenge::parse(&name));
    let is_request = movement != burst.movement;
    let sentence = field(instruction, "sentence").unwrap_or_default();
    run.stage.advise(&mut burst.announcer, sentence, is_request);
    let tone = field(instruction, "tone");
    run.stage.look(Look::Warn, tone.as_deref() == Some("warn"));
    run.stage.look(Look::Good, tone.as_deref() == Some("good"));
    if is_request {
        run.stage.look(Look::Left, movement == Some(Challenge::TurnLeft));
        run.stage.look(Look::Right, movement == Some(Challenge::TurnRight));
        run.stage.look(Look::Near, movement == Some(Challenge::ComeCloser));
        run.cues.call();
        burst.movement = movement;
    }
    let progress = Reflect::get(instruction, &"progress".into())
        .ok()
        .and_then(|p| p.as_f64());
    run.stage.filled(progress.unwrap_or_default());
    let hint = field(instruction, "hint").and_then(|name| Hint::parse(&name));
    hint.filter(|hint| hint.ends_run())
}

/// How long no frame is sent if the server asks for `seconds` without. Spread, so that phones that were refused together do not come back together.
fn pause_ms(seconds: u64) -> u64 {
    let spread = PAUSE_SPREAD_MS * js_sys::Math::random();
    seconds.saturating_mul(1_000).min(2 * UNANSWERED_MS) + spread as u64
}

/// Says that nothing is heard of the frames. Where there is a network, it may carry nothing, or the server may be slow.
fn tell_silence(run: &Run, burst: &mut Burst) {
    let sentence = if is_online() {
        text::NO_ANSWER
    } else {
        text::LIVE_LOST_TITLE
    };
    tell_instead(run, burst, sentence);
}

/// Says that nobody sees the frames, in the place of the latest request. What the server says next takes its place in turn.
fn tell_instead(run: &Run, burst: &mut Burst, sentence: Text) {
    run.stage.advise(&mut burst.announcer, run.stage.say(sentence), true);
    run.stage.look(Look::Good, false);
    run.stage.look(Look::Warn, true);
}

/// Gives the screen the colour that the server wants. Returns whether that changed it.
fn shine(run: &Run, burst: &mut Burst, instruction: &JsValue) -> bool {
    let colour = field(instruction, "colour");
    let is_new = colour != burst.colour;
    if is_new {
        run.stage.shine(colour.as_deref());
        burst.colour = colour;
    }
    is_new
}

impl Burst {
    fn keep(&mut self, shot: Shot) {
        self.shots.push(shot);
        let optional = self.shots.iter().filter(|shot| !shot.required).count();
        if optional > OPTIONAL_FRAMES
            && let Some(oldest) = self.shots.iter().position(|shot| !shot.required)
        {
            self.shots.remove(oldest);
        }
    }
}

/// The small `copy` of a frame with the hash of its `file`, and with the `token` of the run; before the run has one, with what the user wants of it.
fn question(token: &str, copy: &Blob, file: Option<&str>, without_colours: bool) -> Option<FormData> {
    let form = FormData::new().ok()?;
    if !token.is_empty() {
        form.append_with_str(forms::RUN, token).ok()?;
    } else if without_colours {
        form.append_with_str(forms::WITHOUT_COLOURS, forms::YES).ok()?;
    }
    if let Some(file) = file {
        form.append_with_str(forms::FILE, file).ok()?;
    }
    form.append_with_blob_and_filename(forms::FRAME, copy, "frame.jpg")
        .ok()?;
    Some(form)
}

fn form(burst: &Burst) -> Option<ToSend> {
    let form = FormData::new().ok()?;
    form.append_with_str(forms::RUN, &burst.token).ok()?;
    let first = burst.shots.first()?.at;
    for (i, shot) in burst.shots.iter().enumerate() {
        // The time comes before its frame, so that a server that streams the form has it in time.
        form.append_with_str(forms::AT, &(shot.at - first).to_string()).ok()?;
        form.append_with_blob_and_filename(forms::FRAME, &shot.blob, &format!("frame-{i}.jpg"))
            .ok()?;
    }
    Some(ToSend {
        address: forms::SELFIE,
        form,
    })
}
