//! Sends a form and interprets the response.

use super::window;
use js_sys::Reflect;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, AbortSignal, FormData, Headers, RequestInit, Response};

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
const DEAD_MS: i32 = 180_000;
/// Retry later: too slow, too many requests, overloaded, or a proxy that reached no server.
const LATER: [u16; 5] = [408, 429, 502, 503, 504];

/// Sends the form once.
pub(super) async fn send(address: &str, form: &FormData) -> Answer {
    let Ok(giving_up) = AbortController::new() else {
        return Answer::Lost;
    };
    let late = giving_up.clone();
    let abort = Closure::once_into_js(move || late.abort());
    let timer = window().and_then(|window| {
        let abort = abort.unchecked_ref();
        window
            .set_timeout_with_callback_and_timeout_and_arguments_0(abort, DEAD_MS)
            .ok()
    });
    let answer = try_send(address, form, &giving_up.signal()).await;
    if let (Some(window), Some(timer)) = (window(), timer) {
        window.clear_timeout_with_handle(timer);
    }
    answer.unwrap_or(Answer::Lost)
}

async fn try_send(address: &str, form: &FormData, giving_up: &AbortSignal) -> Result<Answer, JsValue> {
    let window = window().ok_or(JsValue::NULL)?;
    let headers = Headers::new()?;
    headers.set("accept", "application/json")?;
    let request = RequestInit::new();
    request.set_method("POST");
    request.set_headers(&headers);
    request.set_body(form);
    request.set_signal(Some(giving_up));
    let answer = JsFuture::from(window.fetch_with_str_and_init(address, &request)).await?;
    let answer: Response = answer.dyn_into()?;
    if LATER.contains(&answer.status()) {
        let asked = answer.headers().get("retry-after")?;
        return Ok(Answer::Busy(asked.and_then(|seconds| seconds.parse().ok())));
    }
    let json = answer
        .headers()
        .get("content-type")?
        .is_some_and(|kind| kind.starts_with("application/json"));
    if !json {
        return Ok(Answer::Elsewhere);
    }
    let body = JsFuture::from(answer.json()?).await?;
    let text = |value: &JsValue, name: &str| Reflect::get(value, &name.into()).ok().and_then(|v| v.as_string());
    if let Some(next) = text(&body, "next").filter(|_| answer.ok()) {
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
