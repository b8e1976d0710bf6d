//! One event: the state of its delivery, every attempt, and the exact request to view and repeat.

use crate::PageMeta;
use crate::console::layout::{Frame, page};
use crate::console::parts::{Tone, badge, copy_button, facts, heading, seconds, time_utc};
use crate::console::table::{Table, cell, row_name};
use crate::console::webhooks::view::{Health, State, alarm, next_try};
use crate::console::words::{say, tell};
use domain::{event::EventKind, time::Timestamp};
use leptos::prelude::*;

/// An attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Attempt {
    /// Its number.
    pub number: i64,
    /// When it began.
    pub at: Timestamp,
    /// How long the exchange took.
    pub duration_ms: i64,
    /// The HTTP status of the response.
    pub status: Option<u16>,
    /// What went wrong, in words.
    pub fault: Option<String>,
}

/// The request, byte for byte.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Request {
    /// The number of the attempt; `None` for a request that would be sent now.
    pub attempt: Option<i64>,
    /// Where it goes.
    pub url: Option<String>,
    /// The headers that are sent.
    pub headers: Vec<(String, String)>,
    /// The signed bytes as text, or why they are not shown.
    pub body: Result<String, String>,
    /// The request as a command.
    pub curl: Option<String>,
}

/// Metadata and notes are never logged.
impl std::fmt::Debug for Request {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Request({} bytes)", self.body.as_ref().map_or(0, String::len))
    }
}

/// The page's content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DeliveryView {
    /// The event's id.
    pub id: String,
    /// Its type.
    pub kind: EventKind,
    /// When it happened.
    pub at: Timestamp,
    /// The session it is about, and whether this person may open it.
    pub session: Option<String>,
    /// State of the delivery.
    pub state: State,
    /// First to last.
    pub attempts: Vec<Attempt>,
    /// The request.
    pub request: Request,
    /// The receiver.
    pub health: Health,
    /// Valid secrets.
    pub secrets: usize,
    /// Now.
    pub now: Timestamp,
}

fn attempts(view: &DeliveryView) -> AnyView {
    if view.attempts.is_empty() {
        let none = if view.state == State::NoRecord {
            say(
                "The attempts are no longer on record: they are removed some time after the event was delivered or abandoned.",
                "試行の記録は残っていません。配信の完了または中止から一定の期間が過ぎると削除されます。",
            )
        } else {
            say("No attempts yet.", "まだ送信されていません。")
        };
        return view! { <p class="soft">{none}</p> }.into_any();
    }
    let row = |attempt: &Attempt| {
        let href = format!("/admin/webhooks/{}?attempt={}#request", view.id, attempt.number);
        let outcome = match &attempt.fault {
            None => badge(say("delivered", "配信済み"), Tone::Good),
            Some(_) => badge(say("failed", "失敗"), Tone::Bad),
        };
        [
            row_name(view! { <a href=href>{format!("#{}", attempt.number)}</a> }),
            cell(seconds(attempt.at)).class("nowrap mono"),
            cell(outcome),
            cell(attempt.status).class("number"),
            cell(format!("{} ms", attempt.duration_ms)).class("number nowrap"),
            cell(attempt.fault.clone()),
        ]
    };
    Table::new(
        say("Attempts", "試行"),
        [
            say("Attempt", "試行"),
            say("At (UTC)", "日時（UTC）"),
            say("Outcome", "結果"),
            say("Status", "ステータス"),
            say("Duration", "所要時間"),
            say("Reason", "理由"),
        ],
    )
    .rows(view.attempts.iter().map(row))
}

fn request(request: &Request, meta: &PageMeta) -> AnyView {
    let title = match request.attempt {
        Some(number) => tell!("The request of attempt #{number}", "{number}回目の試行のリクエスト"),
        None => say("The request as it would be sent now", "今送信する場合のリクエスト").to_owned(),
    };
    let headers: String = request
        .headers
        .iter()
        .map(|(name, value)| format!("{name}: {value}\n"))
        .collect();
    let body = request.body.clone().map_or_else(
        |why| view! { <p class="note">{why}</p> }.into_any(),
        |body| view! { <pre class="code"><code>{body}</code></pre> }.into_any(),
    );
    let curl = request.curl.clone().map(|curl| {
        view! {
            <details class="fold"><summary>{say("As a curl command", "curlコマンド")}</summary>
                // What the button copies.
                <section>
                    <p class="hint">{say(
                        "It sends the same bytes with the same signature. A receiver that checks the time accepts it for only five minutes.",
                        "同じ本文を同じ署名で送信します。時刻を検証する受信先が受け付けるのは5分間だけです。",
                    )}</p>
                    <pre class="code"><code>{curl}</code></pre>
                    {copy_button(meta)}
                </section>
            </details>
        }
    });
    let signed = match &request.body {
        Ok(body) => tell!("Body: {} bytes", "本文：{}バイト", body.len()),
        Err(_) => say("Body", "本文").to_owned(),
    };
    view! {
        <section class="panel" id="request">
            <h2>{title}</h2>
            <p class="hint">{say(
                "Rendered from the stored event with the current secrets and receiver. Data erased in the meantime is missing. An attempt that failed before \
                 the connection was made sent nothing.",
                "保存されたイベントと、現在のシークレットおよび受信先から生成しています。その後消去されたデータは含まれません。接続前に失敗した試行では、何も送信されていません。",
            )}</p>
            <p class="mono">{format!("POST {}", request.url.clone().unwrap_or_else(|| say("(no receiver)", "（受信先なし）").to_owned()))}</p>
            <h3 class="small">{say("Headers", "ヘッダー")}</h3>
            <pre class="code"><code>{headers}</code></pre>
            <h3 class="small">{signed}</h3>
            <p class="hint">{say(
                "The signature covers webhook-id, a dot, webhook-timestamp, a dot, and exactly these bytes.",
                "署名の対象は、webhook-id、ピリオド、webhook-timestamp、ピリオド、およびこのバイト列です。",
            )}</p>
            {body}
            {curl}
        </section>
    }
    .into_any()
}

/// The page.
#[must_use]
pub(super) fn render(view: &DeliveryView, frame: &Frame, meta: &PageMeta) -> AnyView {
    let action = format!("/admin/webhooks/{}/again", view.id);
    let again = match view.state {
        State::Pending(_) => say("Send now", "今すぐ送信"),
        State::Delivered | State::Abandoned | State::NoRecord => say("Resend", "再送"),
        State::NotSent => say("Send", "送信"),
    };
    let can_send = view.health.receiver.is_some();
    let send = can_send.then(|| {
        view! {
            <form method="post" action=action><button class="button primary small" type="submit">{again}</button></form>
        }
    });
    let session = view.session.clone().map(|id| {
        let href = format!("/admin/sessions/{id}");
        (
            say("Session", "セッション"),
            view! { <a class="mono" href=href>{id}</a> }.into_any(),
        )
    });
    let next = next_try(view.state, view.now).map(|next| (say("Next attempt", "次の試行"), next));
    let items = [
        Some((say("State", "状態"), view.state.badge(!view.attempts.is_empty()))),
        next,
        Some((
            say("Type", "種類"),
            view! { <span class="mono">{view.kind.as_str()}</span> }.into_any(),
        )),
        Some((say("Occurred", "発生日時"), time_utc(view.at))),
        session,
    ];
    let main = view! {
        <p class="crumb"><a href="/admin/webhooks">{say("Webhooks", "Webhook")}</a></p>
        {heading(say("Event", "イベント"), send.into_any())}
        {alarm(&view.health, view.secrets, view.now)}
        <p class="mono">{view.id.clone()}</p>
        {facts(items.into_iter().flatten().collect())}
        <section class="panel"><h2>{say("Attempts", "試行")}</h2>{attempts(view)}</section>
        {request(&view.request, meta)}
    };
    page(frame, meta, say("Event", "イベント"), main.into_any())
}
