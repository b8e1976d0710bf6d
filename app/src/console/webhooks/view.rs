//! Webhooks: the deliveries with their filters, and the receiver's health. One delivery, the secrets and the debugger have
//! pages of their own.

use crate::PageMeta;
use crate::console::layout::{Frame, page};
use crate::console::parts::{Line, Tone, age, badge, empty, heading, line, next_page, select, short, time};
use crate::console::table::{Cell, Table, cell};
use domain::{
    event::{EventType, TestEvent},
    time::{Millis, Timestamp},
};
use leptos::prelude::*;
use std::borrow::Cow;

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
pub(super) enum State {
    /// The next attempt is due at this time.
    Pending(Timestamp),
    /// Answered 2xx.
    Delivered,
    /// All attempts failed.
    Abandoned,
    /// Not sent: its type was not selected, or there was no receiver.
    NotSent,
}

impl State {
    pub(crate) fn badge(self, tried: bool) -> AnyView {
        match self {
            Self::Pending(_) if tried => badge("retrying", Tone::Warn),
            Self::Pending(_) => badge("waiting", Tone::Live),
            Self::Delivered => badge("delivered", Tone::Good),
            Self::Abandoned => badge("abandoned", Tone::Bad),
            Self::NotSent => badge("not sent", Tone::Plain),
        }
    }
}

/// A delivery in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// The event's id.
    pub id: String,
    /// Its type.
    pub kind: String,
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
    pub ours: Option<Cow<'static, str>>,
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

/// A time, to the second, in UTC.
#[must_use]
pub(super) fn seconds(at: Timestamp) -> String {
    at.to_iso().get(..19).unwrap_or_default().replace('T', " ")
}

/// What is wrong with the receiver, at the top of every webhook page.
pub(crate) fn alarm(health: &Health, secrets: usize, now: Timestamp) -> AnyView {
    let Some(receiver) = &health.receiver else {
        return view! {
            <p class="note">"No receiver URL is configured, so no webhooks are sent. "<a href="/admin/settings">"Set one in the settings"</a></p>
        }
        .into_any();
    };
    if secrets == 0 {
        return view! {
            <p class="answer bad" role="alert">"There is no signing secret, so no webhooks can be sent. "
                <a href="/admin/webhooks/secrets">"Issue one"</a></p>
        }
        .into_any();
    }
    let failing = health.failing_since.filter(|since| since.plus(ALARM) <= now);
    failing
        .map(|since| {
            let (how_long, at) = (age(since, now), seconds(since));
            let what = match &health.ours {
                Some(why) => format!("Nothing has been delivered for {how_long}, since {at} UTC. {why}"),
                None => format!("{receiver} has been failing for {how_long}, since {at} UTC."),
            };
            view! {
                <p class="answer bad" role="alert">
                    {format!("{what} Events are abandoned about 75 hours after they happened; you can resend them from the list of webhooks.")}
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
        (Some(since), _) => view! { {badge("failing", Tone::Bad)}" since "{time(since)} }.into_any(),
        (None, Some(at)) => view! { {badge("healthy", Tone::Good)}" last 2xx response at "{time(at)} }.into_any(),
        (None, None) => badge("nothing sent yet", Tone::Plain),
    };
    let rotating = (view.secrets > 1).then(|| {
        view! { <p class="note">"A signing secret is being rotated. Webhooks carry both signatures. "<a href="/admin/webhooks/secrets">"Continue"</a></p> }
    });
    view! {
        <section class="panel">
            <h2>"Receiver"</h2>
            <p class="mono">{receiver}</p>
            <p>{state}</p>
            {rotating}
        </section>
    }
    .into_any()
}

fn filters(asked: &Asked) -> AnyView {
    let states = ["pending", "delivered", "abandoned"].map(|state| (state.to_owned(), state.to_owned()));
    let kinds = EventType::ALL
        .iter()
        .map(|kind| kind.to_string())
        .chain([TestEvent::TYPE.to_owned()])
        .map(|kind| (kind.clone(), kind));
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
            {select("state", "State", "Any state", states, &asked.state)}
            {select("kind", "Type", "Any type", kinds, &asked.kind)}
            {day("from", "From", &asked.from)}
            {day("to", "To", &asked.to)}
            <div class="filter-actions">
                <button class="button primary small" type="submit">"Filter"</button>
                {asked.any().then(|| view! { <a class="button quiet small" href="/admin/webhooks">"Clear"</a> })}
            </div>
        </form>
    }
    .into_any()
}

/// Resends everything the filters select. Requires a filter, so that nobody resends the whole history by accident.
fn range(asked: &Asked) -> AnyView {
    if !asked.any() {
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
        "Resend all of these"
    } else {
        "Resend the next 1,000"
    };
    let hidden = fields
        .into_iter()
        .map(|(name, value)| view! { <input type="hidden" name=name value=value.clone()/> })
        .collect_view();
    view! {
        <form class="row-form" method="post" action="/admin/webhooks/again">
            {hidden}
            <button class="button secondary small" type="submit">{button}</button>
            <p class="hint">"Resends all events that match the filters, on all pages, oldest first, 1,000 at a time. Their ids do not change."</p>
        </form>
    }
    .into_any()
}

/// When the next attempt takes place. A delivery that is already due waits for a free slot of its receiver.
pub(crate) fn next_try(state: State, now: Timestamp) -> Option<AnyView> {
    match state {
        State::Pending(at) if at <= now => Some("queued (receiver busy)".into_any()),
        State::Pending(at) => Some(time(at)),
        State::Delivered | State::Abandoned | State::NotSent => None,
    }
}

fn row(row: &Row, now: Timestamp) -> [Cell; 7] {
    let href = format!("/admin/webhooks/{}", row.id);
    let next = next_try(row.state, now);
    let id = short(&row.id);
    [
        cell(view! { <a class="mono" href=href title=row.id.clone()>{id}</a> }),
        cell(row.kind.clone()).class("mono"),
        cell(row.state.badge(row.attempts > 0)),
        cell(row.attempts).class("number"),
        cell(row.last.clone()).class("soft"),
        cell(next).class("nowrap"),
        cell(time(row.at)).class("nowrap"),
    ]
}

fn list(view: &WebhooksView) -> AnyView {
    if view.rows.is_empty() && view.asked.any() {
        return empty("No deliveries match these filters", "Clear some of them to see more.").into_any();
    }
    if view.rows.is_empty() {
        return empty(
            "No deliveries yet",
            "They appear when a session is decided, expires or fails. Try the receiver with a test event.",
        )
        .into_any();
    }
    let columns = [
        "Event",
        "Type",
        "State",
        "Attempts",
        "Last response",
        "Next attempt",
        "Occurred (UTC)",
    ];
    Table::new("Deliveries", columns).rows(view.rows.iter().map(|each| row(each, view.now)))
}

/// That there are events which nobody was told of.
fn unsent(count: i64) -> Option<AnyView> {
    let said = match count {
        ..=0 => return None,
        1 => "1 event was not sent, because it happened while no receiver URL was configured. ".to_owned(),
        _ => format!("{count} events were not sent, because they happened while no receiver URL was configured. "),
    };
    Some(view! { <p class="note">{said}<a href="/admin/webhooks/unsent">"Show them"</a></p> }.into_any())
}

/// The page.
#[must_use]
pub(super) fn render(view: &WebhooksView, frame: &Frame, meta: &PageMeta) -> AnyView {
    let test = view.health.receiver.is_some().then(|| {
        view! {
            <form method="post" action="/admin/webhooks/test">
                <button class="button primary small" type="submit">"Send a test event"</button>
            </form>
        }
    });
    let actions = view! {
        {test}
        <a class="button secondary small" href="/admin/webhooks/secrets">"Signing secrets"</a>
        <a class="button secondary small" href="/admin/webhooks/check">"Check a signature"</a>
    };
    let main = view! {
        {heading("Webhooks", actions.into_any())}
        {alarm(&view.health, view.secrets, view.now)}
        {unsent(view.unsent)}
        {health(view)}
        {filters(&view.asked)}
        {list(view)}
        {next_page(view.next.clone())}
        {range(&view.asked)}
    };
    page(frame, meta, "Webhooks", main.into_any())
}
