//! Signing secrets: showing one once, and the rotation in four steps.

use crate::PageMeta;
use crate::console::keys::shown_once;
use crate::console::layout::{Frame, page};
use crate::console::parts::{Tone, badge, empty, heading, time};
use crate::console::table::{Table, cell, row_name};
use crate::console::webhooks::view::ReceiverStatus;
use domain::time::Timestamp;
use leptos::prelude::*;

/// A secret in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SecretRow {
    /// Its public name.
    pub id: String,
    /// When it was issued.
    pub created_at: Timestamp,
    /// When it was disabled.
    pub disabled_at: Option<Timestamp>,
}

/// The page's content.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct SecretsView {
    /// The receiver's state, shown at the top.
    pub receiver_status: ReceiverStatus,
    /// Newest first.
    pub secrets: Vec<SecretRow>,
    /// A secret just issued, shown only now.
    pub issued: Option<String>,
    /// Whether the receiver accepted a test event, which only the newest secret signs, since that secret was issued.
    pub confirmed: bool,
    /// What went wrong.
    pub refused: Option<&'static str>,
}

impl std::fmt::Debug for SecretsView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SecretsView({} secrets)", self.secrets.len())
    }
}

fn step(number: usize, title: &'static str, here: bool, done: bool, inside: AnyView) -> AnyView {
    let state = match (done, here) {
        (true, _) => badge("done", Tone::Good),
        (false, true) => badge("now", Tone::Live),
        (false, false) => badge("later", Tone::Plain),
    };
    view! {
        <li class="panel" aria-current=here.then_some("step")>
            <div class="panel-head"><h3 class="small">{format!("{number}. {title}")}</h3>{state}</div>
            {inside}
        </li>
    }
    .into_any()
}

fn issue_button(text: &'static str) -> AnyView {
    view! {
        <form method="post" action="/admin/webhooks/secrets">
            <button class="button primary small" type="submit">{text}</button>
        </form>
    }
    .into_any()
}

/// The four steps of the contract: reissue, set, confirm, disable.
fn rotation(view: &SecretsView) -> AnyView {
    let valid: Vec<&SecretRow> = view
        .secrets
        .iter()
        .filter(|secret| secret.disabled_at.is_none())
        .collect();
    let rotating = valid.len() > 1;
    let confirmed = rotating && view.confirmed;
    let disable = valid.last().filter(|_| rotating).map(|old| {
        let action = format!("/admin/webhooks/secrets/{}/disable", old.id);
        view! {
            <form method="post" action=action>
                <button class="button secondary small" type="submit">"Disable the old secret"</button>
            </form>
        }
    });
    let test = rotating.then(|| {
        view! {
            <form method="post" action="/admin/webhooks/test">
                <button class="button secondary small" type="submit">"Send a test event"</button>
            </form>
        }
    });
    let issue = (!rotating).then(|| issue_button("Issue a new secret"));
    let first = view! { <p>"The new secret is shown only once. From then on, every webhook carries two signatures, one for each secret."</p>{issue} };
    let second = view! { <p>"Configure the new secret in your receiver, and restart the receiver if necessary."</p> };
    let third = view! { <p>"Send a test event. It is signed with the new secret only, so a receiver that accepts it has the new secret."</p>{test} };
    let fourth = view! { <p>"The old secret is deleted and signs no more webhooks. If it may have leaked, complete all four steps now."</p>{disable} };
    view! {
        <section class="stack">
            <h2>"Replace the secret without losing an event"</h2>
            <ol class="stack">
                {step(1, "Issue a new secret", !rotating, rotating, first.into_any())}
                {step(2, "Set it in the receiver", rotating && !confirmed, confirmed, second.into_any())}
                {step(3, "Confirm that verification succeeds", rotating && !confirmed, confirmed, third.into_any())}
                {step(4, "Disable the old secret", confirmed, false, fourth.into_any())}
            </ol>
        </section>
    }
    .into_any()
}

fn list(view: &SecretsView) -> AnyView {
    if view.secrets.is_empty() {
        return view! {
            {empty("No secret yet", "Webhooks cannot be sent without a signing secret, because your receiver could not verify them.")}
            {issue_button("Issue the first secret")}
        }
        .into_any();
    }
    let row = |secret: &SecretRow| {
        let state = match secret.disabled_at {
            None => badge("active", Tone::Good),
            Some(_) => badge("disabled", Tone::Plain),
        };
        [
            row_name(secret.id.clone()).class("mono"),
            cell(state),
            cell(time(secret.created_at)).class("nowrap"),
            cell(secret.disabled_at.map(time)).class("nowrap"),
        ]
    };
    let table = Table::new("Signing secrets", ["Secret", "State", "Issued (UTC)", "Disabled (UTC)"])
        .rows(view.secrets.iter().map(row));
    view! { {table}{rotation(view)} }.into_any()
}

/// The page.
#[must_use]
pub(super) fn render(view: &SecretsView, frame: &Frame, meta: &PageMeta) -> AnyView {
    let issued = view.issued.clone().map(|secret| {
        shown_once(
            "Your new signing secret",
            secret,
            "Copy it now: it is not shown again. Your receiver verifies signatures with it.",
        )
    });
    let main = view! {
        <p class="crumb"><a href="/admin/webhooks">"Webhooks"</a></p>
        {heading("Signing secrets", ().into_any())}
        {view.receiver_status.alarm()}
        {view.refused.map(|why| view! { <p class="answer bad" role="alert">{why}</p> })}
        {issued}
        {list(view)}
    };
    page(frame, meta, "Signing secrets", main.into_any())
}
