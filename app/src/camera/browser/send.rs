//! Sends a form and interprets the response.

use super::window;
use js_sys::{Function, JSON, Promise, Reflect};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{FormData, ProgressEvent, XmlHttpRequest};

/// The result of sending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// Accepted: the page to continue at.
    Next(String),
    /// Refused: the sentence that says why.
    Refused(String),
    /// The server is overloaded: retry later, after this many seconds if it says so.
    Busy(Option<u64>),
    /// No response: retry later.
    Lost,
    /// Anything else: the server knows which step the user is at.
    Elsewhere,
}

/// A connection that has not transferred the pictures after this many milliseconds is dead: the server lets a request wait for
/// 45 s, and then allows two minutes.
const DEAD_MS: u32 = 180_000;
/// Retry later: too slow, too many requests, overloaded, or a proxy that reached no server.
const LATER: [u16; 5] = [408, 429, 502, 503, 504];

/// Sends the form once, and tells which share of it has been sent.
pub(super) async fn send(address: &str, form: &FormData, sent: impl Fn(f64) + 'static) -> Answer {
    try_send(address, form, sent).await.unwrap_or(Answer::Lost)
}

/// Not by `fetch`, which does not tell how much has been sent.
async fn try_send(address: &str, form: &FormData, sent: impl Fn(f64) + 'static) -> Result<Answer, JsValue> {
    let request = XmlHttpRequest::new()?;
    request.open("POST", address)?;
    request.set_request_header("accept", "application/json")?;
    request.set_timeout(DEAD_MS);
    let progress = Closure::<dyn Fn(ProgressEvent)>::new(move |event: ProgressEvent| {
        if event.total() > 0.0 {
            sent(event.loaded() / event.total());
        }
    });
    request.upload()?.set_onprogress(progress.as_ref().dyn_ref());
    let ended = Promise::new(&mut |resolve: Function, _| request.set_onloadend(Some(&resolve)));
    request.send_with_opt_form_data(Some(form))?;
    JsFuture::from(ended).await?;
    let status = request.status()?;
    if status == 0 {
        return Ok(Answer::Lost);
    }
    if LATER.contains(&status) {
        let asked = request.get_response_header("retry-after")?;
        return Ok(Answer::Busy(asked.and_then(|seconds| seconds.parse().ok())));
    }
    let json = request
        .get_response_header("content-type")?
        .is_some_and(|kind| kind.starts_with("application/json"));
    if !json {
        return Ok(Answer::Elsewhere);
    }
    let body = JSON::parse(&request.response_text()?.unwrap_or_default())?;
    let text = |value: &JsValue, name: &str| Reflect::get(value, &name.into()).ok().and_then(|v| v.as_string());
    if let Some(next) = text(&body, "next").filter(|_| (200..300).contains(&status)) {
        return Ok(Answer::Next(next));
    }
    let first = Reflect::get(&body, &"problems".into()).and_then(|list| Reflect::get_u32(&list, 0));
    let sentence = first.ok().and_then(|problem| text(&problem, "sentence"));
    Ok(sentence.map_or(Answer::Elsewhere, Answer::Refused))
}

/// Navigates to another page of the flow.
pub(super) fn go(address: &str) {
    if let Some(window) = window() {
        let _ = window.location().assign(address);
    }
}
