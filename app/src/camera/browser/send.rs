//! Sends a form and interprets the response.

use super::{now, window};
use crate::camera::retry::DEAD_MS;
use crate::forms;
use crate::text::{Text, camera, picture};
use js_sys::{Function, JSON, Promise, Reflect};
use std::cell::RefCell;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{FormData, ProgressEvent, XmlHttpRequest};

/// The result of sending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// Accepted: the page to continue at.
    Next(String),
    /// Refused, because of a file.
    Refused(Fault),
    /// Answered by a proxy, for a limit or a rule of its own.
    NotPassedOn,
    /// Not taken: the sentence that says why. Retry later, after this many seconds if the server says so.
    Later(Text, Option<u64>),
    /// Anything else: the server knows which step the user is at.
    Elsewhere,
}

/// What is wrong with a file, as the server says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) sentence: String,
    /// The number of the file among those of its form, from 0.
    pub(super) file: u32,
    /// Whether the page asks for what is no longer asked.
    pub(super) is_of_an_old_page: bool,
}

/// What a status says that has nothing to do with the pictures: retry later.
const fn later(status: u16) -> Option<Text> {
    match status {
        0 => Some(camera::OFFLINE),
        408 => Some(camera::SLOW),
        // Too many requests, overloaded, or a proxy that reached no server.
        429 | 502..=504 => Some(camera::BUSY),
        // A fault of the server's, or a proxy's own statuses.
        500.. => Some(camera::BROKEN),
        _ => None,
    }
}

/// Whether an answer without JSON is a proxy's: too large, suspicious to its firewall, or a page of its own, such as one to sign in to the network. What
/// the server itself answers is JSON.
const fn is_of_a_proxy(status: u16) -> bool {
    matches!(status, 200..=299 | 403 | 413)
}

/// The upload that is running, if there is one: the pictures, or a frame of the selfie.
#[derive(Default)]
pub(super) struct Upload(RefCell<Option<XmlHttpRequest>>);

impl Upload {
    /// Aborts it. The server may have received it all the same.
    pub(super) fn stop(&self) {
        if let Some(request) = self.0.take() {
            let _ = request.abort();
        }
    }
}

/// Sends the form once, and tells which share of it has been sent.
pub(super) async fn send(address: &str, form: &FormData, upload: &Upload, sent: impl Fn(f64) + 'static) -> Answer {
    let answer = try_send(address, form, upload, sent).await;
    answer.unwrap_or(Answer::Later(camera::OFFLINE, None))
}

async fn try_send(
    address: &str,
    form: &FormData,
    upload: &Upload,
    sent: impl Fn(f64) + 'static,
) -> Result<Answer, JsValue> {
    let begun = now();
    let moved = move |request: &XmlHttpRequest, share| {
        // The time-out counts from the start of the request (XMLHttpRequest Standard, section 3.5.3), so each sign of life moves it on.
        request.set_timeout(DEAD_MS.saturating_add(u32::try_from(now() - begun).unwrap_or(u32::MAX)));
        sent(share);
    };
    let request = XmlHttpRequest::new()?;
    post(&request, address, form, upload, DEAD_MS, moved).await?;
    let status = request.status()?;
    if let Some(why) = later(status) {
        return Ok(Answer::Later(why, pause(&request)?));
    }
    let Some(body) = json(&request)? else {
        return Ok(if is_of_a_proxy(status) {
            Answer::NotPassedOn
        } else {
            Answer::Elsewhere
        });
    };
    if let Some(next) = text(&body, "next").filter(|_| (200..300).contains(&status)) {
        return Ok(Answer::Next(next));
    }
    let first = Reflect::get(&body, &"problems".into()).and_then(|list| Reflect::get_u32(&list, 0));
    let fault = first.ok().and_then(|problem| fault(&problem));
    Ok(fault.map_or(Answer::Elsewhere, Answer::Refused))
}

/// For how many seconds the server wants to be left alone (RFC 9110, section 10.2.3), if it says so.
fn pause(request: &XmlHttpRequest) -> Result<Option<u64>, JsValue> {
    let header = request.get_response_header("retry-after")?;
    Ok(header.and_then(|seconds| seconds.parse().ok()))
}

/// What the server says of a file; `None` if it says nothing.
fn fault(problem: &JsValue) -> Option<Fault> {
    let sentence = text(problem, "sentence")?;
    let file = Reflect::get(problem, &"file".into()).ok()?.as_f64();
    Some(Fault {
        sentence,
        file: file.unwrap_or_default() as u32,
        is_of_an_old_page: text(problem, "code").is_some_and(|code| picture::is_of_an_old_page(&code)),
    })
}

/// What the server says of a frame.
pub(super) enum Heard {
    /// What to do next.
    Instruction(JsValue),
    /// Overloaded, at fault, stopped by a proxy, or the frame was damaged: the next frame may fare better.
    Nothing,
    /// Overloaded: no frame for this many seconds.
    Pause(u64),
    /// No answer, or none in time.
    Silence,
    /// No more runs of the camera.
    Over,
    /// The server knows which step the user is at.
    Elsewhere,
}

/// How long an answer to a frame is waited for.
const FRAME_DEAD_MS: u32 = 6_000;

/// Sends a frame while the camera is on.
pub(super) async fn show(address: &str, form: &FormData, upload: &Upload) -> Heard {
    try_show(address, form, upload).await.unwrap_or(Heard::Nothing)
}

async fn try_show(address: &str, form: &FormData, upload: &Upload) -> Result<Heard, JsValue> {
    let request = XmlHttpRequest::new()?;
    post(&request, address, form, upload, FRAME_DEAD_MS, |_, _| ()).await?;
    let status = request.status()?;
    if status == 0 {
        return Ok(Heard::Silence);
    }
    if status == 422 {
        return Ok(Heard::Nothing);
    }
    if later(status).is_some() {
        return Ok(pause(&request)?.map_or(Heard::Nothing, Heard::Pause));
    }
    Ok(match json(&request)? {
        Some(body) if text(&body, "run").is_some() => Heard::Instruction(body),
        Some(body) if Reflect::has(&body, &"over".into())? => Heard::Over,
        None if is_of_a_proxy(status) => Heard::Nothing,
        _ => Heard::Elsewhere,
    })
}

/// A text of a JSON object.
pub(super) fn text(value: &JsValue, name: &str) -> Option<String> {
    Reflect::get(value, &name.into()).ok()?.as_string()
}

/// Not by `fetch`, which does not tell how much has been sent.
async fn post(
    request: &XmlHttpRequest,
    address: &str,
    form: &FormData,
    upload: &Upload,
    dead_ms: u32,
    moved: impl Fn(&XmlHttpRequest, f64) + 'static,
) -> Result<(), JsValue> {
    request.open("POST", address)?;
    request.set_request_header("accept", "application/json")?;
    request.set_timeout(dead_ms);
    let moving = request.clone();
    let progress = Closure::<dyn Fn(ProgressEvent)>::new(move |event: ProgressEvent| {
        if event.total() > 0.0 {
            moved(&moving, event.loaded() / event.total());
        }
    });
    request.upload()?.set_onprogress(progress.as_ref().dyn_ref());
    request.send_with_opt_form_data(Some(form))?;
    upload.0.replace(Some(request.clone()));
    let response = ended(request).await;
    upload.0.take();
    response.map(drop)
}

/// Waits for the response, or for what became of it.
async fn ended(request: &XmlHttpRequest) -> Result<JsValue, JsValue> {
    let ended = Promise::new(&mut |resolve: Function, _| request.set_onloadend(Some(&resolve)));
    JsFuture::from(ended).await
}

/// Why pictures that are being sent do not move.
pub(super) enum Stuck {
    /// The server has not begun to take them: its sentence.
    Queued(String),
    /// The server is within reach, and they do not wait for it.
    Taken,
    /// Nothing answers.
    Unheard,
}

/// Asks the server about pictures that do not move.
pub(super) async fn stuck() -> Stuck {
    let Some(request) = ask_queue().await.filter(is_heard) else {
        return Stuck::Unheard;
    };
    let answer = json(&request).ok().flatten();
    let sentence = answer.and_then(|answer| text(&answer, "sentence"));
    sentence.map_or(Stuck::Taken, Stuck::Queued)
}

/// Whether the server is within reach, or a proxy before it: a frame may have been too much for it. A network that wants to be signed in to answers
/// with a page of its own.
pub(super) async fn is_answered() -> bool {
    let is_theirs = |request: &XmlHttpRequest| {
        let is_accepted = request.status().is_ok_and(|status| (200..300).contains(&status));
        is_accepted && !matches!(json(request), Ok(Some(_)))
    };
    let answer = ask_queue().await;
    answer.is_some_and(|request| is_heard(&request) && !is_theirs(&request))
}

/// Whether a request was answered.
fn is_heard(request: &XmlHttpRequest) -> bool {
    request.status().is_ok_and(|status| status != 0)
}

async fn ask_queue() -> Option<XmlHttpRequest> {
    let request = XmlHttpRequest::new().ok()?;
    request.open("GET", forms::QUEUE).ok()?;
    request.set_timeout(FRAME_DEAD_MS);
    request.send().ok()?;
    ended(&request).await.ok()?;
    Some(request)
}

/// The body, if it is JSON.
fn json(request: &XmlHttpRequest) -> Result<Option<JsValue>, JsValue> {
    let is_json = request
        .get_response_header("content-type")?
        .is_some_and(|kind| kind.starts_with("application/json"));
    if !is_json {
        return Ok(None);
    }
    JSON::parse(&request.response_text()?.unwrap_or_default()).map(Some)
}

/// Navigates to another page of the flow.
pub(super) fn go(address: &str) {
    if let Some(window) = window() {
        let _ = window.location().assign(address);
    }
}
