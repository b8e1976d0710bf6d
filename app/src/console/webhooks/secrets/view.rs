//! Signing secrets: showing one once, and the rotation in four steps.

use crate::PageMeta;
use crate::console::keys::shown_once;
use crate::console::layout::{Frame, page};
use crate::console::parts::{Tone, badge, empty, heading, time};
use crate::console::table::{Table, cell, row_name};
use crate::console::webhooks::view::ReceiverStatus;
use crate::console::words::say;
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
    /// The id of the secret that the form issues, however often it is sent.
    pub next: String,
    /// A secret just issued, shown only now.
    pub issued: Option<String>,
    /// Whether the receiver accepted a test event since the newest secret was issued. It may have used the old one: both sign.
    pub confirmed: bool,
    /// What went wrong.
    pub refused: Option<&'static str>,
}

impl std::fmt::Debug for SecretsView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SecretsView({} secrets)", self.secrets.len())
    }
}

/// How far a step of the rotation is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StepState {
    Done,
    Now,
    Later,
}

fn step(number: usize, title: &'static str, state: StepState, inside: AnyView) -> AnyView {
    let shown = match state {
        StepState::Done => badge(say("done", "完了"), Tone::Good),
        StepState::Now => badge(say("now", "進行中"), Tone::Live),
        StepState::Later => badge(say("later", "未着手"), Tone::Plain),
    };
    view! {
        <li class="panel" aria-current=(state == StepState::Now).then_some("step")>
            <div class="panel-head"><h3 class="small">{format!("{number}. {title}")}</h3>{shown}</div>
            {inside}
        </li>
    }
    .into_any()
}

fn issue_button(view: &SecretsView, text: &'static str) -> AnyView {
    view! {
        <form method="post" action="/admin/webhooks/secrets">
            <input type="hidden" name="id" value=view.next.clone()/>
            <button class="button primary small" type="submit">{text}</button>
        </form>
    }
    .into_any()
}

fn disable_button(secret: &SecretRow, text: &'static str) -> AnyView {
    let action = format!("/admin/webhooks/secrets/{}/disable", secret.id);
    view! { <form method="post" action=action><button class="button secondary small" type="submit">{text}</button></form> }
        .into_any()
}

fn test_button() -> AnyView {
    view! {
        <form method="post" action="/admin/webhooks/test">
            <button class="button secondary small" type="submit">{say("Send a test event", "テストイベントを送信")}</button>
        </form>
    }
    .into_any()
}

fn issue_it(button: Option<AnyView>) -> AnyView {
    view! {
        <p>{say(
            "The new secret is shown only once. From then on, every webhook carries two signatures, one for each secret.",
            "新しいシークレットは一度だけ表示されます。以後、Webhookにはシークレットごとに1つ、計2つの署名が付きます。",
        )}</p>{button}
    }
    .into_any()
}

/// `give_up` is the button for a secret that nobody has copied.
fn configure_it(give_up: Option<AnyView>) -> AnyView {
    view! {
        <p>{say(
            "Configure the new secret in your receiver, and restart the receiver if necessary.",
            "受信先に新しいシークレットを設定し、必要に応じて再起動してください。",
        )}</p>
        {give_up.map(|disable| view! {
            <p>{say(
                "If nobody copied it, disable it and issue another one.",
                "コピーしていない場合は、無効にしてから新しく発行してください。",
            )}</p>
            {disable}
        })}
    }
    .into_any()
}

fn confirm_it(button: Option<AnyView>) -> AnyView {
    view! {
        <p>{say(
            "Send a test event. Like every webhook, it now carries both signatures: check in your receiver that the new secret verifies it.",
            "テストイベントを送信してください。ほかのWebhookと同じく2つの署名が付くため、新しいシークレットで検証できることを受信先で確認してください。",
        )}</p>{button}
    }
    .into_any()
}

fn disable_the_old(button: Option<AnyView>) -> AnyView {
    view! {
        <p>{say(
            "The old secret is deleted and no longer signs webhooks. If it may have leaked, complete all four steps now.",
            "古いシークレットは削除され、以後の署名には使用されません。漏えいのおそれがある場合は、4つの手順をすぐに完了してください。",
        )}</p>{button}
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
    let (issuing, checking, disabling) = match (rotating, confirmed) {
        (false, _) => (StepState::Now, StepState::Later, StepState::Later),
        (true, false) => (StepState::Done, StepState::Now, StepState::Later),
        (true, true) => (StepState::Done, StepState::Done, StepState::Now),
    };
    let [new, old] = [valid.first(), valid.last()].map(|secret| secret.filter(|_| rotating));
    let issue = (!rotating).then(|| issue_button(view, say("Issue a new secret", "新しいシークレットを発行")));
    let give_up = new
        .filter(|_| !confirmed)
        .map(|new| disable_button(new, say("Disable the new secret", "新しいシークレットを無効にする")));
    let test = rotating.then(test_button);
    let disable = old.map(|old| disable_button(old, say("Disable the old secret", "古いシークレットを無効にする")));
    view! {
        <section class="stack">
            <h2>{say("Replace the secret without losing an event", "イベントを取りこぼさずにシークレットを切り替える")}</h2>
            <ol class="stack">
                {step(1, say("Issue a new secret", "新しいシークレットを発行"), issuing, issue_it(issue))}
                {step(2, say("Set it in the receiver", "受信先に設定"), checking, configure_it(give_up))}
                {step(3, say("Confirm that verification succeeds", "検証の成功を確認"), checking, confirm_it(test))}
                {step(4, say("Disable the old secret", "古いシークレットを無効にする"), disabling, disable_the_old(disable))}
            </ol>
        </section>
    }
    .into_any()
}

fn list(view: &SecretsView) -> AnyView {
    if view.secrets.is_empty() {
        return view! {
            {empty(
                say("No secret yet", "シークレットはまだありません"),
                say(
                    "Webhooks cannot be sent without a signing secret, because your receiver could not verify them.",
                    "署名シークレットがないと受信先で検証できないため、Webhookを送信できません。",
                ),
            )}
            {issue_button(view, say("Issue the first secret", "最初のシークレットを発行"))}
        }
        .into_any();
    }
    let row = |secret: &SecretRow| {
        let state = match secret.disabled_at {
            None => badge(say("active", "有効"), Tone::Good),
            Some(_) => badge(say("disabled", "無効"), Tone::Plain),
        };
        [
            row_name(secret.id.clone()).class("mono"),
            cell(state),
            cell(time(secret.created_at)).class("nowrap"),
            cell(secret.disabled_at.map(time)).class("nowrap"),
        ]
    };
    let table = Table::new(
        say("Signing secrets", "署名シークレット"),
        [
            say("Secret", "シークレット"),
            say("State", "状態"),
            say("Issued (UTC)", "発行日時（UTC）"),
            say("Disabled (UTC)", "無効化日時（UTC）"),
        ],
    )
    .rows(view.secrets.iter().map(row));
    view! { {table}{rotation(view)} }.into_any()
}

/// The page.
#[must_use]
pub(super) fn render(view: &SecretsView, frame: &Frame, meta: &PageMeta) -> AnyView {
    let issued = view.issued.clone().map(|secret| {
        shown_once(
            say("Your new signing secret", "新しい署名シークレット"),
            secret,
            say(
                "Copy it now: it is not shown again. Your receiver verifies signatures with it.",
                "再表示はできませんので、今すぐコピーしてください。受信先が署名の検証に使用します。",
            ),
            meta,
        )
    });
    let main = view! {
        <p class="crumb"><a href="/admin/webhooks">{say("Webhooks", "Webhook")}</a></p>
        {heading(say("Signing secrets", "署名シークレット"), ().into_any())}
        {view.receiver_status.alarm()}
        {view.refused.map(|why| view! { <p class="answer bad" role="alert">{why}</p> })}
        {issued}
        {list(view)}
    };
    page(frame, meta, say("Signing secrets", "署名シークレット"), main.into_any())
}
