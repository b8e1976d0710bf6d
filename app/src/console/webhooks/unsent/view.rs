//! The events that were not sent, oldest first: the order in which they are sent.

use crate::PageMeta;
use crate::console::layout::{Frame, page};
use crate::console::parts::{empty, grouped, heading, next_page, short, time};
use crate::console::table::{Cell, Table, cell};
use crate::console::webhooks::view::ReceiverStatus;
use crate::console::words::{say, tell};
use domain::{event::EventKind, time::Timestamp};
use leptos::prelude::*;

/// An event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// Its id.
    pub id: String,
    /// Its type.
    pub kind: EventKind,
    /// When it happened.
    pub at: Timestamp,
}

/// The page's content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UnsentView {
    /// Oldest first.
    pub rows: Vec<Row>,
    /// Address of the next page.
    pub next: Option<String>,
    /// How many there are, on all pages.
    pub count: i64,
    /// How far they have been sent: where the next request continues.
    pub sent: String,
    /// The receiver.
    pub status: ReceiverStatus,
}

fn row(row: &Row, can_send: bool) -> [Cell; 4] {
    let href = format!("/admin/webhooks/{}", row.id);
    let action = format!("{href}/again");
    let name = tell!("Send {} of {}", "{}（{}）を送信", row.kind, row.at.to_iso());
    let send = can_send.then(|| {
        view! {
            <form method="post" action=action><button class="button secondary small" type="submit" aria-label=name>{say(
                "Send",
                "送信",
            )}</button></form>
        }
    });
    [
        cell(view! { <a class="mono" href=href title=row.id.clone()>{short(&row.id)}</a> }),
        cell(row.kind.as_str()).class("mono"),
        cell(time(row.at)).class("nowrap"),
        cell(send),
    ]
}

fn send_all(view: &UnsentView) -> AnyView {
    let button = if view.sent.is_empty() {
        say("Send all", "すべて送信")
    } else {
        say("Send the next 1,000", "次の1,000件を送信")
    };
    view! {
        <form class="row-form" method="post" action="/admin/webhooks/unsent">
            <input type="hidden" name="sent" value=view.sent.clone()/>
            <button class="button primary small" type="submit">{button}</button>
            <p class="hint">{say(
                "Sends the events on all pages, oldest first, 1,000 at a time. Your server may already know some of them from GET /v1/events; their ids are the same.",
                "全ページのイベントを、古い順に1,000件ずつ送信します。GET /v1/eventsで取得済みのイベントが含まれることもありますが、IDは同じです。",
            )}</p>
        </form>
    }
    .into_any()
}

fn happened(count: i64) -> String {
    let events = if count == 1 { "event" } else { "events" };
    tell!(
        "{} {events} happened while no receiver URL was configured.",
        "受信先のURLが未設定の間に、{}件のイベントが発生しました。",
        grouped(count)
    )
}

/// The page.
#[must_use]
pub(super) fn render(view: &UnsentView, frame: &Frame, meta: &PageMeta) -> AnyView {
    let can_send = view.status.health.receiver.is_some();
    let list = if view.rows.is_empty() {
        empty(
            say("Every event was sent", "未送信のイベントはありません"),
            say(
                "Events are listed here if they happen while no receiver URL is configured.",
                "受信先のURLが未設定の間に発生したイベントが、ここに表示されます。",
            ),
        )
        .into_any()
    } else {
        let columns = [
            say("Event", "イベント"),
            say("Type", "種類"),
            say("Occurred (UTC)", "発生日時（UTC）"),
        ];
        Table::new(say("Events that were not sent", "未送信のイベント"), columns)
            .unseen(say("Send", "送信"))
            .rows(view.rows.iter().map(|each| row(each, can_send)))
    };
    let main = view! {
        <p class="crumb"><a href="/admin/webhooks">{say("Webhooks", "Webhook")}</a></p>
        {heading(say("Events that were not sent", "未送信のイベント"), ().into_any())}
        {view.status.alarm()}
        {(view.count > 0).then(|| view! { <p class="soft">{happened(view.count)}</p> })}
        {(can_send && view.count > 0).then(|| send_all(view))}
        {list}
        {next_page(view.next.clone())}
    };
    page(
        frame,
        meta,
        say("Events that were not sent", "未送信のイベント"),
        main.into_any(),
    )
}
