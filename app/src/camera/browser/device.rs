//! The camera itself: requesting it, its live picture, taking pixels and JPEGs from it, releasing it.

use super::trouble::Trouble;
use super::{is_hidden, rest, timer, window};
use js_sys::{Array, Function, Object, Promise, Reflect};
use lens::frame::Frame;
use leptos::task::spawn_local;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Blob, CanvasRenderingContext2d, HtmlCanvasElement, HtmlVideoElement, MediaDevices, MediaStream,
    MediaStreamConstraints, MediaStreamTrack,
};

/// How long the browser is waited for before the user is told: longer than it takes to read its question. A question that nobody answers and a
/// driver that hangs never settle what was asked for.
const ANSWER_MS: i32 = 15_000;
/// A camera that has shown nothing after this time never will.
const FIRST_FRAME_MS: i32 = 10_000;
/// How often in a row, and how long after each other, a camera must be found to deliver nothing before it counts as stopped: a slow one may pause for
/// a second, and a page that was busy learns late that it continues.
const SILENT_TIMES: u32 = 4;
const SILENT_EVERY_MS: i32 = 500;
/// Side of the square in the middle of a frame of which the light is measured: all of it would take too long.
const LIT_SIDE: u32 = 160;

/// The direction the camera faces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Facing {
    /// Away from the user.
    Environment,
    /// At the user.
    User,
}

/// How a picture becomes a JPEG.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Encoding {
    /// Its longest side at most, in pixels.
    pub(super) side: f64,
    /// From 0 to 1, as `HTMLCanvasElement.toBlob` takes it.
    pub(super) quality: f64,
}

/// A centred part of the live picture.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Crop {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl Crop {
    /// The part that the screen shows, as the picture fills it; of that, the largest part with a ratio of width to height. `None`
    /// before the first frame.
    fn of(video: &HtmlVideoElement, aspect: Option<f64>) -> Option<Self> {
        let (width, height) = (f64::from(video.video_width()), f64::from(video.video_height()));
        if width < 2.0 || height < 2.0 {
            return None;
        }
        let largest = |(width, height): (f64, f64), aspect: f64| {
            if width > height * aspect {
                (height * aspect, height)
            } else {
                (width, width / aspect)
            }
        };
        let (across, down) = (f64::from(video.client_width()), f64::from(video.client_height()));
        let mut part = (width, height);
        if across > 0.0 && down > 0.0 {
            part = largest(part, across / down);
        }
        if let Some(aspect) = aspect {
            part = largest(part, aspect);
        }
        let (w, h) = part;
        Some(Self {
            left: (width - w) / 2.0,
            top: (height - h) / 2.0,
            width: w,
            height: h,
        })
    }
}

/// One camera at a time, and one canvas for everything.
pub(super) struct Camera {
    facing: Facing,
    /// Width over height of what is analysed and sent.
    aspect: f64,
    stream: RefCell<Option<MediaStream>>,
    /// Incremented whenever the camera is closed: a stream that was asked for before is not wanted any more.
    closed: Cell<u32>,
    canvas: RefCell<Option<HtmlCanvasElement>>,
    torch: Cell<bool>,
    /// The id of the camera that the user switched to.
    chosen: RefCell<Option<String>>,
}

impl Camera {
    pub(super) const fn new(facing: Facing, aspect: f64) -> Self {
        Self {
            facing,
            aspect,
            stream: RefCell::new(None),
            closed: Cell::new(0),
            canvas: RefCell::new(None),
            torch: Cell::new(false),
            chosen: RefCell::new(None),
        }
    }

    /// Opens the camera and starts playing its stream in the video element, which must already be in the page for iOS. If the camera that
    /// was switched to does not work, that is the one there was before: depth and infrared cameras are listed, too. Calls `unanswered` when the browser
    /// has given neither a camera nor a refusal for a while, and goes on waiting: a late answer counts.
    pub(super) async fn open(&self, video: &HtmlVideoElement, unanswered: &dyn Fn()) -> Result<(), Trouble> {
        loop {
            self.close(Some(video));
            let closed = self.closed.get();
            let played = self.play(video, closed, unanswered).await;
            let is_over = self.closed.get() != closed || matches!(played, Ok(()) | Err(Trouble::Paused));
            if is_over || self.chosen.take().is_none() {
                return played;
            }
        }
    }

    async fn play(&self, video: &HtmlVideoElement, closed: u32, unanswered: &dyn Fn()) -> Result<(), Trouble> {
        let stream = match ask(&self.video_constraints(), unanswered).await {
            Err(Trouble::Constraint) => ask(&JsValue::TRUE, unanswered).await,
            other => other,
        }?;
        if self.closed.get() != closed || is_hidden() {
            // Closed or left while the browser was asking for permission: it must not stay on, and another may be on by now.
            stop(&stream);
            return Err(Trouble::Paused);
        }
        // Not `stream.clone()`, which is the browser's method: it makes a second camera of the first, which nobody would turn off.
        self.stream.replace(Some(Clone::clone(&stream)));
        // The attributes alone do not suffice if a parser created the element before there was a stream.
        video.set_muted(true);
        video.set_src_object(Some(&stream));
        let playing = video.play().map_err(|e| Trouble::of_playing(&e))?;
        // Some cameras open but never show anything: then this promise never settles.
        let playing_or_late = Promise::race(&Array::of2(&playing, &timer(FIRST_FRAME_MS)));
        JsFuture::from(playing_or_late)
            .await
            .map_err(|e| Trouble::of_playing(&e))?;
        if video.video_width() == 0 {
            // Muted, it is the system that keeps the camera from the page, as during a call.
            let is_kept = self.track().is_some_and(|track| track.muted());
            return Err(if is_kept { Trouble::Busy } else { Trouble::Black });
        }
        Ok(())
    }

    /// `{facingMode: {ideal}, width: {ideal: 1920}, height: {ideal: 1080}}`, or the camera that was switched to: nothing is `exact`, so
    /// that every camera qualifies.
    fn video_constraints(&self) -> JsValue {
        let ideal = |value: JsValue| {
            let constraint = Object::new();
            let _ = Reflect::set(&constraint, &"ideal".into(), &value);
            JsValue::from(constraint)
        };
        let chosen = self.chosen.borrow();
        let (name, value) = match (chosen.as_deref(), self.facing) {
            (Some(id), _) => ("deviceId", id),
            (None, Facing::Environment) => ("facingMode", "environment"),
            (None, Facing::User) => ("facingMode", "user"),
        };
        let constraints = Object::new();
        let _ = Reflect::set(&constraints, &name.into(), &ideal(value.into()));
        let _ = Reflect::set(&constraints, &"width".into(), &ideal(1920.into()));
        let _ = Reflect::set(&constraints, &"height".into(), &ideal(1080.into()));
        constraints.into()
    }

    /// Calls back when the stream stops without our doing: it ends, as in the background on iOS, or is muted while the system keeps the camera from the
    /// page, as beside another app that films. A muted one shows its last frame, or black.
    pub(super) fn on_stopped(&self, stopped: impl Fn() + 'static) {
        let Some(track) = self.track() else { return };
        let stopped: Rc<dyn Fn()> = Rc::new(stopped);
        // As of a stream, `track.clone()` would be another camera.
        let (of, told) = (Clone::clone(&track), Rc::clone(&stopped));
        let ended = Closure::<dyn Fn()>::new(move || stopped()).into_js_value();
        track.set_onended(ended.dyn_ref());
        let check = move || {
            let (track, stopped) = (Clone::clone(&of), Rc::clone(&told));
            spawn_local(async move {
                if stays_silent(&track).await {
                    stopped();
                }
            });
        };
        // Nobody listened yet while the first picture was waited for.
        if is_silent(&track) {
            check();
        }
        track.set_onmute(Closure::<dyn Fn()>::new(check).into_js_value().dyn_ref());
    }

    fn track(&self) -> Option<MediaStreamTrack> {
        self.stream.borrow().as_ref()?.get_video_tracks().get(0).dyn_into().ok()
    }

    /// The camera after the one that is open, if there is another. Browsers list them once the user has allowed one.
    async fn next(&self) -> Option<String> {
        let text = |of: &JsValue, name: &str| Reflect::get(of, &name.into()).ok()?.as_string();
        let track = self.track()?;
        let settings: Function = Reflect::get(&track, &"getSettings".into()).ok()?.dyn_into().ok()?;
        let open = text(&settings.call0(&track).ok()?, "deviceId")?;
        let all: Array = JsFuture::from(devices()?.enumerate_devices().ok()?)
            .await
            .ok()?
            .dyn_into()
            .ok()?;
        let cameras = all
            .iter()
            .filter(|device| text(device, "kind").as_deref() == Some("videoinput"));
        let ids: Vec<String> = cameras.filter_map(|device| text(&device, "deviceId")).collect();
        let at = ids.iter().position(|id| *id == open)?;
        let next = ids.get((at + 1) % ids.len())?;
        (*next != open).then(|| next.clone())
    }

    /// Whether there is another camera to switch to.
    pub(super) async fn has_another(&self) -> bool {
        self.next().await.is_some()
    }

    /// Opens another camera from now on: phones have several at the back, and the browser's choice may not focus on a card.
    pub(super) async fn switch(&self) {
        let next = self.next().await;
        if next.is_some() {
            self.chosen.replace(next);
        }
    }

    /// Whether the torch can be switched.
    pub(super) fn has_torch(&self) -> bool {
        let capabilities = self.track().and_then(|track| {
            let get: Function = Reflect::get(&track, &"getCapabilities".into()).ok()?.dyn_into().ok()?;
            get.call0(&track).ok()
        });
        capabilities
            .and_then(|c| Reflect::get(&c, &"torch".into()).ok())
            .is_some_and(|t| t.is_truthy())
    }

    /// Toggles the torch. Returns whether it is on now: a phone that is hot, or whose battery is low, refuses to switch it on.
    pub(super) async fn switch_torch(&self) -> bool {
        let Some(track) = self.track() else { return false };
        let (closed, on) = (self.closed.get(), !self.torch.get());
        // Closed meanwhile: it has gone out with the camera.
        if light_torch(&track, on).await && self.closed.get() == closed {
            self.torch.set(on);
        }
        self.torch.get()
    }

    /// Releases the camera and the canvas.
    pub(super) fn close(&self, video: Option<&HtmlVideoElement>) {
        self.closed.set(self.closed.get().wrapping_add(1));
        if let Some(stream) = self.stream.borrow_mut().take() {
            stop(&stream);
        }
        if let Some(video) = video {
            video.set_src_object(None);
        }
        if let Some(canvas) = self.canvas.borrow().as_ref() {
            release(canvas);
        }
        self.torch.set(false);
    }

    /// Draws a part of the picture into the canvas, no side longer than `side`.
    fn draw(
        &self,
        video: &HtmlVideoElement,
        crop: &Crop,
        side: f64,
    ) -> Option<(HtmlCanvasElement, CanvasRenderingContext2d)> {
        let canvas = self.canvas()?;
        let scale = (side / crop.width.max(crop.height)).min(1.0);
        let (width, height) = ((crop.width * scale).round(), (crop.height * scale).round());
        // Setting a size clears the canvas and is expensive: only if it changes.
        if (f64::from(canvas.width()), f64::from(canvas.height())) != (width, height) {
            canvas.set_width(width as u32);
            canvas.set_height(height as u32);
        }
        let options = Object::new();
        let _ = Reflect::set(&options, &"willReadFrequently".into(), &JsValue::TRUE);
        let context: CanvasRenderingContext2d = canvas
            .get_context_with_context_options("2d", &options)
            .ok()??
            .dyn_into()
            .ok()?;
        let &Crop {
            left,
            top,
            width: w,
            height: h,
        } = crop;
        context
            .draw_image_with_html_video_element_and_sw_and_sh_and_dx_and_dy_and_dw_and_dh(
                video, left, top, w, h, 0.0, 0.0, width, height,
            )
            .ok()?;
        Some((canvas, context))
    }

    fn canvas(&self) -> Option<HtmlCanvasElement> {
        let mut kept = self.canvas.borrow_mut();
        if kept.is_none() {
            let made = window()?.document()?.create_element("canvas").ok()?;
            *kept = Some(made.dyn_into().ok()?);
        }
        kept.clone()
    }

    /// The pixels of what is analysed: width, height, RGBA.
    pub(super) fn pixels(&self, video: &HtmlVideoElement, side: f64) -> Option<(u32, u32, Vec<u8>)> {
        let crop = Crop::of(video, Some(self.aspect))?;
        let (canvas, context) = self.draw(video, &crop, side)?;
        let (width, height) = (canvas.width(), canvas.height());
        let data = context
            .get_image_data(0.0, 0.0, f64::from(width), f64::from(height))
            .ok()?;
        Some((width, height, data.data().0))
    }

    /// A JPEG of what is sent.
    pub(super) async fn jpeg(&self, video: &HtmlVideoElement, encoding: Encoding) -> Option<Blob> {
        let crop = Crop::of(video, Some(self.aspect))?;
        self.encode(video, &crop, encoding).await
    }

    /// A JPEG of everything the screen shows.
    pub(super) async fn still(&self, video: &HtmlVideoElement, encoding: Encoding) -> Option<Blob> {
        let crop = Crop::of(video, None)?;
        self.encode(video, &crop, encoding).await
    }

    /// Two JPEGs of the same frame, the one that is sent at the end and a small copy; and the brightness of its middle, from 0 to 1.
    pub(super) async fn twice(
        &self,
        video: &HtmlVideoElement,
        [large, small]: [Encoding; 2],
    ) -> Option<([Blob; 2], f32)> {
        let crop = Crop::of(video, Some(self.aspect))?;
        let (canvas, context) = self.draw(video, &crop, large.side)?;
        let light = light(&canvas, &context)?;
        let copy = reduced(&canvas, small.side)?;
        let small = blob(&copy, small.quality).await;
        release(&copy);
        Some(([blob(&canvas, large.quality).await?, small?], light))
    }

    async fn encode(&self, video: &HtmlVideoElement, crop: &Crop, encoding: Encoding) -> Option<Blob> {
        let (canvas, _) = self.draw(video, crop, encoding.side)?;
        blob(&canvas, encoding.quality).await
    }
}

fn stop(stream: &MediaStream) {
    for track in stream.get_tracks() {
        let track: MediaStreamTrack = track.unchecked_into();
        track.set_onended(None);
        track.set_onmute(None);
        track.stop();
    }
}

/// Whether a track delivers nothing at the moment, or nothing any more.
fn is_silent(track: &MediaStreamTrack) -> bool {
    let state = Reflect::get(track, &"readyState".into()).ok();
    track.muted() || state.and_then(|state| state.as_string()).as_deref() == Some("ended")
}

/// Whether a track that delivers nothing keeps doing so.
async fn stays_silent(track: &MediaStreamTrack) -> bool {
    for _ in 0..SILENT_TIMES {
        rest(SILENT_EVERY_MS).await;
        if !is_silent(track) {
            return false;
        }
    }
    true
}

/// Switches the torch of a camera on or off. Returns whether it did.
async fn light_torch(track: &MediaStreamTrack, on: bool) -> bool {
    let (constraint, wanted) = (Object::new(), Object::new());
    let _ = Reflect::set(&constraint, &"torch".into(), &on.into());
    let _ = Reflect::set(&wanted, &"advanced".into(), &Array::of1(&constraint));
    let apply = Reflect::get(track, &"applyConstraints".into()).and_then(JsCast::dyn_into::<Function>);
    let asked = apply.and_then(|apply| apply.call1(track, &wanted));
    match asked.and_then(JsCast::dyn_into::<Promise>) {
        Ok(asked) => JsFuture::from(asked).await.is_ok(),
        Err(_) => false,
    }
}

/// What opens cameras; in-app browsers may have nothing of the kind.
fn devices() -> Option<MediaDevices> {
    let navigator = window()?.navigator();
    let devices = Reflect::get(&navigator, &"mediaDevices".into()).ok()?;
    (!devices.is_undefined() && !devices.is_null()).then(|| devices.unchecked_into())
}

/// Asks for a camera that fits `video`: `true`, or constraints. Calls `unanswered` once if that takes long.
async fn ask(video: &JsValue, unanswered: &dyn Fn()) -> Result<MediaStream, Trouble> {
    let devices = devices().ok_or(Trouble::InApp)?;
    let constraints = MediaStreamConstraints::new();
    constraints.set_audio(&JsValue::FALSE);
    constraints.set_video(video);
    let asked = devices
        .get_user_media_with_constraints(&constraints)
        .map_err(|e| Trouble::of(&e))?;
    let answered_or_late = Promise::race(&Array::of2(&asked, &timer(ANSWER_MS)));
    let mut stream = JsFuture::from(answered_or_late).await.map_err(|e| Trouble::of(&e))?;
    // What the timer gives: the browser has given nothing yet.
    if stream.is_undefined() {
        unanswered();
        stream = JsFuture::from(asked).await.map_err(|e| Trouble::of(&e))?;
    }
    Ok(stream.unchecked_into())
}

/// Gives the memory of a canvas back. Safari limits that of all canvases together, and counts one that nobody uses until it is collected.
fn release(canvas: &HtmlCanvasElement) {
    canvas.set_width(0);
    canvas.set_height(0);
}

/// How light the middle of a canvas is, from 0 to 1.
fn light(canvas: &HtmlCanvasElement, context: &CanvasRenderingContext2d) -> Option<f32> {
    let middle = |length: u32| f64::from(length.saturating_sub(LIT_SIDE) / 2);
    let (left, top, side) = (middle(canvas.width()), middle(canvas.height()), f64::from(LIT_SIDE));
    let data = context.get_image_data(left, top, side, side).ok()?;
    let plane = Frame::rgba(LIT_SIDE, LIT_SIDE, &data.data().0)?.plane(LIT_SIDE as usize);
    Some(plane.mean(plane.area()))
}

/// A copy of a canvas, no side longer than `side`.
fn reduced(canvas: &HtmlCanvasElement, side: f64) -> Option<HtmlCanvasElement> {
    let (width, height) = (f64::from(canvas.width()), f64::from(canvas.height()));
    let scale = (side / width.max(height)).min(1.0);
    let copy: HtmlCanvasElement = window()?.document()?.create_element("canvas").ok()?.dyn_into().ok()?;
    let (w, h) = ((width * scale).round(), (height * scale).round());
    copy.set_width(w as u32);
    copy.set_height(h as u32);
    let context: CanvasRenderingContext2d = copy.get_context("2d").ok()??.dyn_into().ok()?;
    context
        .draw_image_with_html_canvas_element_and_dw_and_dh(canvas, 0.0, 0.0, w, h)
        .ok()?;
    Some(copy)
}

/// A JPEG of a canvas.
async fn blob(canvas: &HtmlCanvasElement, quality: f64) -> Option<Blob> {
    let promise = Promise::new(&mut |resolve: Function, _| {
        let done = Closure::once_into_js(move |blob: JsValue| {
            let _ = resolve.call1(&JsValue::NULL, &blob);
        });
        let _ = canvas.to_blob_with_type_and_encoder_options(
            done.unchecked_ref(),
            "image/jpeg",
            &JsValue::from_f64(quality),
        );
    });
    JsFuture::from(promise).await.ok()?.dyn_into().ok()
}
