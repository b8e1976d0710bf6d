//! 11, Result: never shows scores or fraud reasons.

use crate::capture::{Quoted, receipt};
use crate::parts::draw::{self, Icon, icon};
use crate::text::{Text, finish as text};
use crate::{PageMeta, forms, shell};
use domain::{ids::SessionId, time::Timestamp};
use leptos::prelude::*;

/// How it ended, or that it has not ended yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultState {
    /// Still deciding. The page asks for the result by itself; without scripts it loads itself again.
    Waiting,
    /// Approved.
    Approved,
    /// In review.
    Review,
    /// Rejected.
    Rejected,
    /// The user declined consent.
    Declined,
    /// The tenant cancelled it.
    Cancelled,
    /// The data was erased before there was a decision.
    Erased,
    /// Ended by an error on our side.
    Failed,
}

/// The result page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultView {
    /// How it ended.
    pub state: ResultState,
    /// The tenant's callback URL with `sessionId` and `state`, if there is one.
    pub return_url: Option<String>,
    /// The session's id, which the tenant knows as well.
    pub session: SessionId,
    /// When it was decided, or ended.
    pub at: Option<Timestamp>,
}

/// The page.
#[must_use]
pub fn render(view: &ResultView, meta: &PageMeta) -> AnyView {
    let (heading, lead): (Text, Text) = match view.state {
        ResultState::Waiting => (text::WAITING_TITLE, text::WAITING_LEAD),
        ResultState::Approved => (text::APPROVED_TITLE, text::APPROVED_LEAD),
        ResultState::Review => (text::REVIEW_TITLE, text::REVIEW_LEAD),
        ResultState::Rejected => (text::REJECTED_TITLE, text::REJECTED_LEAD),
        ResultState::Declined => (text::DECLINED_TITLE, text::DECLINED_LEAD),
        ResultState::Cancelled => (text::CANCELLED_TITLE, text::CANCELLED_LEAD),
        ResultState::Erased => (text::ERASED_TITLE, text::ERASED_LEAD),
        ResultState::Failed => (text::FAILED_TITLE, text::FAILED_LEAD),
    };
    let tone = match view.state {
        ResultState::Approved => "receipt is-good",
        ResultState::Waiting | ResultState::Review => "receipt is-busy",
        ResultState::Rejected
        | ResultState::Declined
        | ResultState::Cancelled
        | ResultState::Erased
        | ResultState::Failed => "receipt is-plain",
    };
    let rows = (view.state != ResultState::Waiting).then(|| {
        let rows = [
            (text::RECEIPT_FOR, Some(Quoted::Words(meta.tenant().to_owned()))),
            (text::RECEIPT_REFERENCE, Some(Quoted::Id(view.session.to_string()))),
            (text::RECEIPT_TIME, view.at.map(Quoted::Time)),
        ];
        receipt(meta, rows)
    });
    let next = (view.state == ResultState::Review).then(|| next(meta));
    let main = view! {
        <div class="result">
            <div class=tone>
                <div class="receipt-head">
                    {draw::rosette()}
                    {mark(view.state)}
                    <h1>{meta.say(heading)}</h1>
                    <p role="status">{meta.tell(lead, &[])}</p>
                </div>
                {rows}
            </div>
            {next}
            <div class="actions">{way_on(view, meta)}</div>
            {(view.state == ResultState::Waiting).then(|| follow(meta))}
            {countdown(view, meta)}
            {(view.state != ResultState::Waiting).then(|| shell::contact(meta))}
        </div>
    };
    shell::phone(meta, meta.say(heading).to_owned(), main.into_any())
}

/// Where the user goes from here.
fn way_on(view: &ResultView, meta: &PageMeta) -> AnyView {
    match (&view.return_url, view.state) {
        (_, ResultState::Waiting) => {
            view! { <a class="button secondary" href=forms::RESULT data-again>{meta.say(text::WAITING_AGAIN)}</a> }
                .into_any()
        }
        (Some(url), _) => {
            view! { <a class="button primary" href=url.clone() data-way-back>{meta.tell(text::RETURN, &[])}</a> }
                .into_any()
        }
        // The review sentence already says so.
        (None, ResultState::Review) => ().into_any(),
        (None, _) => view! { <p class="hint">{meta.say(text::CLOSE)}</p> }.into_any(),
    }
}

/// What brings the result to a page that waits for it, and what is said while there is no connection.
fn follow(meta: &PageMeta) -> impl IntoView + use<> {
    view! {
        <p class="note" role="alert" data-offline hidden>{meta.say(text::WAITING_OFFLINE)}</p>
        <noscript inner_html=r#"<meta http-equiv="refresh" content="3">"#></noscript>
        <script nonce=meta.nonce.clone() inner_html=concat!(include_str!("../../shell/over.js"), include_str!("../../shell/fetch_within.js"), include_str!("waiting.js"))></script>
    }
}

/// Seconds until the browser goes back by itself: as long as anybody needs to stop it with a simple action (WCAG 2.2, success criterion 2.2.1).
const RETURN_AFTER: u32 = 20;

/// Goes back to the tenant by itself, unless the user stops it. Only after a result with nothing to write down; without scripts
/// there is the link.
fn countdown(view: &ResultView, meta: &PageMeta) -> Option<AnyView> {
    let plain = matches!(view.state, ResultState::Approved | ResultState::Review);
    if !plain || view.return_url.is_none() {
        return None;
    }
    // The script fills in the seconds. Screen readers would announce each one, so they get the text once.
    let [told, last] = ["{seconds}", "1"].map(|seconds| meta.tell(text::RETURN_SOON, &[("seconds", seconds)]));
    let shown = view! {
        <div class="countdown" data-return=RETURN_AFTER.to_string() hidden>
            <p data-told=told data-last=last aria-hidden="true"></p>
            <button class="button quiet" type="button">{meta.say(text::RETURN_STAY)}</button>
        </div>
        <p class="unseen" role="status" data-told-once></p>
        <script nonce=meta.nonce.clone() inner_html=include_str!("return.js")></script>
    };
    Some(shown.into_any())
}

/// What happens while a person reviews it.
fn next(meta: &PageMeta) -> impl IntoView + use<> {
    let items = [text::NEXT_SENT, text::NEXT_PERSON, text::NEXT_TOLD];
    let items: Vec<_> = items
        .into_iter()
        .enumerate()
        .map(|(position, item)| {
            let dot = if position == 0 {
                view! { <span class="dot done">{icon(Icon::Tick)}</span> }.into_any()
            } else {
                view! { <span class="dot" class:now=position == 1>{position + 1}</span> }.into_any()
            };
            view! { <li>{dot}<span>{meta.tell(item, &[])}</span></li> }
        })
        .collect();
    view! {
        <section class="group">
            <h2>{meta.say(text::NEXT)}</h2>
            <ol class="next">{items}</ol>
        </section>
    }
}

/// The mark over a result.
fn mark(state: ResultState) -> impl IntoView {
    let (class, inside) = match state {
        ResultState::Approved => (
            "mark good",
            r#"<circle class="disc" cx="32" cy="32" r="32"/><path class="stroke" d="M19 33l9 9 18-20"/>"#,
        ),
        ResultState::Waiting => (
            "mark busy",
            r#"<circle class="ring" cx="32" cy="32" r="28"/><path class="arc" d="M32 4a28 28 0 0 1 28 28"/>"#,
        ),
        ResultState::Review => (
            "mark accent",
            r#"<circle class="disc" cx="32" cy="32" r="32"/><path class="stroke" d="M32 16v17l11 7"/>"#,
        ),
        ResultState::Rejected | ResultState::Failed => (
            "mark plain",
            r#"<circle class="disc" cx="32" cy="32" r="32"/><path class="stroke" d="M32 17v19M32 45.5v.5"/>"#,
        ),
        ResultState::Declined | ResultState::Cancelled | ResultState::Erased => (
            "mark plain",
            r#"<circle class="disc" cx="32" cy="32" r="32"/><path class="stroke" d="M20 32h24"/>"#,
        ),
    };
    draw::svg(class, "0 0 64 64", inside)
}
