//! Webhooks: the deliveries with their filters, and the receiver's health. One delivery, the secrets and the debugger have
//! pages of their own.

use crate::PageMeta;
use crate::console::day::mistake;
use crate::console::layout::{Frame, page};
use crate::console::parts::{
    Line, Tone, age, badge, empty, grouped, heading, line, next_page, seconds, select, short, time, time_utc,
};
use crate::console::table::{Cell, Table, cell};
use crate::console::words::{say, tell};
use domain::{
    event::EventKind,
    named::Named,
    time::{Millis, Timestamp},
};
use leptos::prelude::*;

/// After failing for this long, every webhook page shows an alert at the top.
const ALARM: Millis = Millis::hours(24);

/// The filters as given in the URL.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Asked {
    /// State of the delivery.
    pub state: String,
    /// Type of the event.
    pub kind: String,
    /// First day.
    pub from: String,
    /// Last day.
    pub to: String,
    /// How far the events matching these filters have been resent: where the next request continues.
    pub sent: String,
}

impl Asked {
    fn any(&self) -> bool {
        [&self.state, &self.kind, &self.from, &self.to]
            .iter()
            .any(|text| !text.is_empty())
    }
}

/// The state of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::console) enum State {
    /// The next attempt is due at this time.
    Pending(Timestamp),
    /// Answered 2xx.
    Delivered,
    /// All attempts failed.
    Abandoned,
    /// Not sent: its type was not selected, or there was no receiver.
    NotSent,
    /// Not known: deliveries that were settled long ago are removed.
    NoRecord,
}

impl State {
    pub(crate) fn badge(self, tried: bool) -> AnyView {
        match self {
            Self::Pending(_) if tried => badge(say("retrying", "再試行中"), Tone::Warn),
            Self::Pending(_) => badge(say("waiting", "待機中"), Tone::Live),
            Self::Delivered => badge(say("delivered", "配信済み"), Tone::Good),
            Self::Abandoned => badge(say("abandoned", "配信中止"), Tone::Bad),
            Self::NotSent => badge(say("not sent", "未送信"), Tone::Plain),
            Self::NoRecord => badge(say("no longer on record", "記録なし"), Tone::Plain),
        }
    }
}

/// A delivery in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// The event's id.
    pub id: String,
    /// Its type.
    pub kind: Named<EventKind>,
    /// When it happened.
    pub at: Timestamp,
    /// Where it stands.
    pub state: State,
    /// Attempts so far.
    pub attempts: i64,
    /// The result of the last attempt: a status, or a class of failure.
    pub last: Option<String>,
}

/// The receiver's health.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Health {
    /// Its URL; `None` if none is set.
    pub receiver: Option<String>,
    /// Its last 2xx.
    pub last_success_at: Option<Timestamp>,
    /// The first failure since.
    pub failing_since: Option<Timestamp>,
    /// Why nothing is sent, if the cause is not the receiver.
    pub ours: Option<String>,
}

/// The receiver's state, for the top of the other pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReceiverStatus {
    /// The receiver.
    pub health: Health,
    /// Valid secrets.
    pub secrets: usize,
    /// Now.
    pub now: Timestamp,
}

impl ReceiverStatus {
    pub(super) fn alarm(&self) -> AnyView {
        alarm(&self.health, self.secrets, self.now)
    }
}

/// The list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WebhooksView {
    /// The filters.
    pub asked: Asked,
    /// The rows, newest first.
    pub rows: Vec<Row>,
    /// Address of the next page.
    pub next: Option<String>,
    /// The receiver.
    pub health: Health,
    /// Valid secrets.
    pub secrets: usize,
    /// Events that happened while there was no receiver.
    pub unsent: i64,
    /// Now.
    pub now: Timestamp,
}

/// What is wrong with the receiver, at the top of every webhook page.
pub(crate) fn alarm(health: &Health, secrets: usize, now: Timestamp) -> AnyView {
    let Some(receiver) = &health.receiver else {
        return view! {
            <p class="note">{say("No receiver URL is configured, so no webhooks are sent. ", "受信先のURLが設定されていないため、Webhookは送信されません。")}
                <a href="/admin/settings/webhook">{say("Set one in the settings", "設定で登録する")}</a></p>
        }
        .into_any();
    };
    if secrets == 0 {
        return view! {
            <p class="answer bad" role="alert">{say("There is no signing secret, so no webhooks can be sent. ", "署名シークレットがないため、Webhookを送信できません。")}
                <a href="/admin/webhooks/secrets">{say("Issue one", "発行する")}</a></p>
        }
        .into_any();
    }
    let failing = health.failing_since.filter(|since| since.plus(ALARM) <= now);
    failing
        .map(|since| {
            let (how_long, at) = (age(since, now), seconds(since));
            let what = match &health.ours {
                Some(why) => tell!(
                    "Nothing has been delivered for {how_long}, since {at} UTC. {why}",
                    "{at}（UTC）から{how_long}、1件も配信されていません。{why}"
                ),
                None => tell!(
                    "{receiver} has been failing for {how_long}, since {at} UTC.",
                    "{receiver} への配信が、{at}（UTC）から{how_long}にわたり失敗しています。"
                ),
            };
            view! {
                <p class="answer bad" role="alert">
                    {tell!(
                        "{what} Events are abandoned about 75 hours after they happened; you can resend them from the list of webhooks.",
                        "{what}イベントの配信は、発生から約75時間後に中止されます。Webhookの一覧から再送できます。"
                    )}
                </p>
            }
        })
        .into_any()
}

fn health(view: &WebhooksView) -> AnyView {
    let Some(receiver) = view.health.receiver.clone() else {
        return ().into_any();
    };
    let state = match (view.health.failing_since, view.health.last_success_at) {
        (Some(since), _) => view! { {badge(say("failing", "配信エラー"), Tone::Bad)}{say(" since ", " 発生：")}{time_utc(since)} }.into_any(),
        (None, Some(at)) => view! { {badge(say("healthy", "正常"), Tone::Good)}{say(" last 2xx response at ", " 直近の2xx応答：")}{time_utc(at)} }.into_any(),
        (None, None) => badge(say("nothing sent yet", "送信履歴なし"), Tone::Plain),
    };
    let rotating = (view.secrets > 1).then(|| {
        view! { <p class="note">
            {say("A signing secret is being rotated. Webhooks carry both signatures. ", "署名シークレットを切り替え中です。Webhookには両方の署名が付きます。")}
            <a href="/admin/webhooks/secrets">{say("Continue", "続ける")}</a>
        </p> }
    });
    view! {
        <section class="panel">
            <h2>{say("Receiver", "受信先")}</h2>
            <p class="mono">{receiver}</p>
            <p>{state}</p>
            {rotating}
        </section>
    }
    .into_any()
}

fn filters(asked: &Asked) -> AnyView {
    let states = [
        ("pending", say("pending", "配信待ち")),
        ("delivered", say("delivered", "配信済み")),
        ("abandoned", say("abandoned", "配信中止")),
    ]
    .map(|(state, name)| (state.to_owned(), name.to_owned()));
    let kinds = EventKind::ALL.map(|kind| (kind.to_string(), kind.to_string()));
    let day = |name, label, value: &str| {
        line(
            Line {
                name,
                label,
                kind: "date",
                value: value.to_owned(),
                autocomplete: "off",
                ..Line::default()
            },
            &[],
        )
    };
    view! {
        <form class="filters" method="get" action="/admin/webhooks" role="search">
            {select("state", say("State", "状態"), say("Any state", "すべての状態"), states, &asked.state)}
            {select("kind", say("Type", "種類"), say("Any type", "すべての種類"), kinds, &asked.kind)}
            {day("from", say("From (UTC)", "開始日（UTC）"), &asked.from)}
            {day("to", say("To (UTC)", "終了日（UTC）"), &asked.to)}
            <div class="filter-actions">
                <button class="button secondary small" type="submit">{say("Filter", "絞り込む")}</button>
                {asked.any().then(|| view! { <a class="button quiet small" href="/admin/webhooks">{say("Clear", "クリア")}</a> })}
            </div>
        </form>
    }
    .into_any()
}

/// Resends everything the filters select. Requires a filter, so that nobody resends the whole history by accident, and something that it selects:
/// what was resent may no longer match it, and then there is more to resend.
fn range(view: &WebhooksView) -> AnyView {
    let asked = &view.asked;
    if !asked.any() || (view.rows.is_empty() && asked.sent.is_empty()) {
        return ().into_any();
    }
    let fields = [
        ("state", &asked.state),
        ("kind", &asked.kind),
        ("from", &asked.from),
        ("to", &asked.to),
        ("sent", &asked.sent),
    ];
    let button = if asked.sent.is_empty() {
        say("Resend all of these", "これらをすべて再送")
    } else {
        say("Resend the next 1,000", "次の1,000件を再送")
    };
    let hidden = fields
        .into_iter()
        .map(|(name, value)| view! { <input type="hidden" name=name value=value.clone()/> })
        .collect_view();
    view! {
        <form class="row-form" method="post" action="/admin/webhooks/again">
            {hidden}
            <button class="button secondary small" type="submit">{button}</button>
            <p class="hint">{say(
                "Resends all events that match the filters, on all pages, oldest first, 1,000 at a time. Their ids do not change.",
                "条件に一致するイベントを、全ページ分、古い順に1,000件ずつ再送します。IDは変わりません。",
            )}</p>
        </form>
    }
    .into_any()
}

/// How long after it is due an attempt is usually under way.
const UNDER_WAY: Millis = Millis::seconds(5);

/// When the next attempt takes place. A delivery that has been due for a while waits for a free slot of its receiver.
pub(crate) fn next_try(state: State, now: Timestamp) -> Option<AnyView> {
    match state {
        State::Pending(at) if at <= now && now < at.plus(UNDER_WAY) => Some(say("now", "送信中").into_any()),
        State::Pending(at) if at <= now => Some(say("queued (receiver busy)", "順番待ち（受信先が混雑）").into_any()),
        State::Pending(at) => Some(time_utc(at)),
        State::Delivered | State::Abandoned | State::NotSent | State::NoRecord => None,
    }
}

fn row(row: &Row, now: Timestamp) -> [Cell; 7] {
    let href = format!("/admin/webhooks/{}", row.id);
    let next = next_try(row.state, now);
    let id = short(&row.id);
    [
        cell(view! { <a class="mono" href=href title=row.id.clone()>{id}</a> }),
        cell(row.kind.to_string()).class("mono"),
        cell(row.state.badge(row.attempts > 0)),
        cell(row.attempts).class("number"),
        cell(row.last.clone()).class("soft"),
        cell(next).class("nowrap"),
        cell(time(row.at)).class("nowrap"),
    ]
}

fn list(view: &WebhooksView) -> AnyView {
    if view.rows.is_empty() && view.asked.any() {
        let (title, advice) = mistake(&view.asked.from, &view.asked.to).unwrap_or_else(|| {
            (
                say("No deliveries match these filters", "条件に一致する配信はありません"),
                say("Clear some of them to see more.", "条件を減らしてお試しください。"),
            )
        });
        return empty(title, advice).into_any();
    }
    if view.rows.is_empty() {
        let advice = if view.health.receiver.is_some() {
            say(
                "They appear when a session is decided, expires or fails. Try the receiver with a test event.",
                "セッションの判定、期限切れ、失敗の際に表示されます。テストイベントで受信先を確認できます。",
            )
        } else {
            say(
                "With a receiver, they appear when a session is decided, expires or fails.",
                "受信先を登録すると、セッションの判定、期限切れ、失敗の際に表示されます。",
            )
        };
        return empty(say("No deliveries yet", "配信はまだありません"), advice).into_any();
    }
    let columns = [
        say("Event", "イベント"),
        say("Type", "種類"),
        say("State", "状態"),
        say("Attempts", "試行回数"),
        say("Last response", "直近の応答"),
        say("Next attempt", "次の試行"),
        say("Occurred (UTC)", "発生日時（UTC）"),
    ];
    Table::new(say("Deliveries", "配信"), columns).rows(view.rows.iter().map(|each| row(each, view.now)))
}

/// That there are events which nobody was told of.
fn unsent(count: i64) -> Option<AnyView> {
    let said = match count {
        ..=0 => return None,
        1 => say(
            "1 event was not sent, because it happened while no receiver URL was configured. ",
            "受信先のURLが未設定の間に発生した1件のイベントは、送信されていません。",
        )
        .to_owned(),
        _ => tell!(
            "{} events were not sent, because they happened while no receiver URL was configured. ",
            "受信先のURLが未設定の間に発生した{}件のイベントは、送信されていません。",
            grouped(count)
        ),
    };
    Some(
        view! { <p class="note">{said}<a href="/admin/webhooks/unsent">{say("Show them", "表示する")}</a></p> }
            .into_any(),
    )
}

/// The page.
#[must_use]
pub(super) fn render(view: &WebhooksView, frame: &Frame, meta: &PageMeta) -> AnyView {
    let test = view.health.receiver.is_some().then(|| {
        view! {
            <form method="post" action="/admin/webhooks/test">
                <button class="button primary small" type="submit">{say("Send a test event", "テストイベントを送信")}</button>
            </form>
        }
    });
    let actions = view! {
        {test}
        <a class="button secondary small" href="/admin/webhooks/secrets">{say("Signing secrets", "署名シークレット")}</a>
        <a class="button secondary small" href="/admin/webhooks/check">{say("Check a signature", "署名の確認")}</a>
    };
    let main = view! {
        {heading(say("Webhooks", "Webhook"), actions.into_any())}
        {alarm(&view.health, view.secrets, view.now)}
        {unsent(view.unsent)}
        {health(view)}
        {filters(&view.asked)}
        {list(view)}
        {next_page(view.next.clone())}
        {range(view)}
    };
    page(frame, meta, say("Webhooks", "Webhook"), main.into_any())
}
