//! The overview as it is shown.

use super::RANGES;
use super::chart::{self, Day};
use super::funnel;
use crate::PageMeta;
use crate::console::layout::{Frame, page};
use crate::console::parts::{Tone, age, badge, duration, empty, facts, grouped, heading, time};
use crate::console::table::{Table, cell, row_name};
use domain::{outcome::Source, time::Timestamp};
use leptos::prelude::*;
use service::session::overview::{Backlog, DecisionTimes, DeliveryCounts, StepCount};

/// What has happened since the person's last visit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SinceLastVisit {
    /// The last visit.
    pub at: Timestamp,
    /// Its address.
    pub from: Option<String>,
    /// When, and what, newest first.
    pub entries: Vec<(Timestamp, String)>,
}

/// How webhooks are doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Deliveries {
    /// How they turned out.
    pub counts: DeliveryCounts,
    /// Whether there is a receiver.
    pub has_receiver: bool,
    /// Its last 2xx.
    pub last_success_at: Option<Timestamp>,
    /// The first failure since.
    pub failing_since: Option<Timestamp>,
}

/// The numbers shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OverviewView {
    /// What has happened since the last visit, if anything.
    pub news: Option<SinceLastVisit>,
    /// How many days are counted.
    pub range: i64,
    /// Oldest first.
    pub days: Vec<Day>,
    /// Sessions by the last step taken.
    pub steps: Vec<StepCount>,
    /// How long decisions took.
    pub times: Vec<DecisionTimes>,
    /// Waiting cases.
    pub backlog: Backlog,
    /// Webhooks; `None` for people who may not see them.
    pub deliveries: Option<Deliveries>,
    /// Now.
    pub now: Timestamp,
    /// What is missing before the first session: sentence and address.
    pub missing: Vec<(&'static str, &'static str)>,
}

fn tile(name: &'static str, value: String, hint: String) -> AnyView {
    view! { <div class="tile"><p class="tile-name">{name}</p><p class="tile-value">{value}</p><p class="hint">{hint}</p></div> }
        .into_any()
}

fn to_do(missing: &[(&'static str, &'static str)]) -> AnyView {
    if missing.is_empty() {
        return ().into_any();
    }
    let items = missing
        .iter()
        .map(|(name, href)| view! { <li><a href=*href>{*name}</a></li> })
        .collect_view();
    view! { <section class="panel notice"><h2>"To do"</h2><ul class="bullets alone">{items}</ul></section> }.into_any()
}

fn since_last_visit(news: &SinceLastVisit) -> AnyView {
    let items = news
        .entries
        .iter()
        .map(|(at, what)| view! { <li>{time(*at)}" "{what.clone()}</li> })
        .collect_view();
    let from = news
        .from
        .as_ref()
        .map(|from| format!(" from {from}"))
        .unwrap_or_default();
    view! {
        <section class="panel notice">
            <h2>"Since your last visit"</h2>
            <ul class="bullets">{items}</ul>
            <p class="soft">"You last signed in at "{time(news.at)}{format!(" UTC{from}.")}</p>
        </section>
    }
    .into_any()
}

/// Data of people who still wait for a decision is kept longer and longer.
fn overdue(count: i64) -> AnyView {
    let sentence = match count {
        0 => return ().into_any(),
        1 => "One case has been waiting for longer than half the retention period. It is not erased by time until it is decided.".to_owned(),
        count => format!(
            "{count} cases have been waiting for longer than half the retention period. They are not erased by time until they are decided."
        ),
    };
    view! { <section class="panel notice"><p>{sentence}" "<a href="/admin/review">"Review"</a></p></section> }
        .into_any()
}

/// The ranges, each a link.
fn ranges(chosen: i64) -> AnyView {
    let links = RANGES
        .map(|days| {
            let href = format!("/admin?days={days}");
            view! { <a href=href aria-current=(days == chosen).then_some("true")>{format!("{days} days")}</a> }
        })
        .collect_view();
    view! { <nav class="ranges" aria-label="Days counted">{links}</nav> }.into_any()
}

fn times(times: &[DecisionTimes]) -> AnyView {
    let inside = if times.is_empty() {
        view! { <p class="soft">"No decisions on submitted sessions yet."</p> }.into_any()
    } else {
        let rows = times.iter().map(|times| {
            let name = match times.source {
                Source::Automatic => "Automatic",
                Source::ManualReview => "By a reviewer",
            };
            [
                row_name(name),
                cell(grouped(times.count)).class("number"),
                cell(duration(times.median)).class("number"),
                cell(duration(times.ninetieth)).class("number"),
            ]
        });
        Table::new(
            "Time to decision",
            ["Decided", "Decisions", "Half within", "Nine in ten within"],
        )
        .rows(rows)
    };
    view! {
        <section class="panel">
            <h2>"Time to decision"</h2>
            <p class="soft">"From the submission to the final decision."</p>
            {inside}
        </section>
    }
    .into_any()
}

fn review(backlog: Backlog, now: Timestamp, may_review: bool) -> AnyView {
    let oldest = backlog.oldest.map_or_else(|| "–".to_owned(), |oldest| age(oldest, now));
    let late = if backlog.late > 0 {
        badge(grouped(backlog.late), Tone::Bad)
    } else {
        badge("none", Tone::Good)
    };
    let items = vec![
        ("Waiting", grouped(backlog.count).into_any()),
        ("Oldest case", oldest.into_any()),
        ("Target", duration(backlog.target).into_any()),
        ("Late", late),
    ];
    let link = may_review.then(|| view! { <a href="/admin/review">"Open the queue"</a> });
    view! {
        <section class="panel">
            <div class="panel-head"><h2>"Review backlog"</h2>{link}</div>
            {facts(items)}
        </section>
    }
    .into_any()
}

fn webhooks(deliveries: &Deliveries, now: Timestamp) -> AnyView {
    let state = match (
        deliveries.has_receiver,
        deliveries.failing_since,
        deliveries.last_success_at,
    ) {
        (false, ..) => badge("no receiver", Tone::Plain),
        (true, Some(since), _) => view! { {badge("failing", Tone::Bad)}" for "{age(since, now)} }.into_any(),
        (true, None, Some(_)) => badge("healthy", Tone::Good),
        (true, None, None) => badge("nothing sent yet", Tone::Plain),
    };
    let DeliveryCounts {
        at_once,
        later,
        pending,
        abandoned,
    } = deliveries.counts;
    let given_up = if abandoned > 0 {
        badge(grouped(abandoned), Tone::Bad)
    } else {
        "0".into_any()
    };
    let items = vec![
        ("Receiver", state),
        ("Delivered at once", grouped(at_once).into_any()),
        ("After retries", grouped(later).into_any()),
        ("Still to send", grouped(pending).into_any()),
        ("Abandoned", given_up),
    ];
    view! {
        <section class="panel">
            <div class="panel-head"><h2>"Webhooks"</h2><a href="/admin/webhooks">"Deliveries"</a></div>
            {facts(items)}
        </section>
    }
    .into_any()
}

fn tiles(view: &OverviewView) -> AnyView {
    let sum = |part: fn(&Day) -> i64| view.days.iter().map(part).sum::<i64>();
    let (approved, rejected) = (sum(|day| day.approved), sum(|day| day.rejected));
    let decided = approved + rejected;
    let rate = if decided > 0 {
        format!("{}% of decided sessions", approved * 100 / decided)
    } else {
        "none decided yet".to_owned()
    };
    let automatic = view.times.iter().find(|times| times.source == Source::Automatic);
    let median = automatic.map_or_else(|| "–".to_owned(), |times| duration(times.median));
    let ninetieth = automatic.map_or_else(
        || "no automatic decisions yet".to_owned(),
        |times| format!("nine in ten within {}", duration(times.ninetieth)),
    );
    let oldest = view.backlog.oldest.map_or_else(
        || "queue is empty".to_owned(),
        |at| format!("oldest: {}", age(at, view.now)),
    );
    let oldest = match view.backlog.late {
        0 => oldest,
        late => format!("{late} late, {oldest}"),
    };
    view! {
        <div class="tiles">
            {tile("Sessions", grouped(sum(Day::total)), format!("last {} days", view.range))}
            {tile("Approved", grouped(approved), rate)}
            {tile("Half decided within", median, ninetieth)}
            {tile("Waiting for review", grouped(view.backlog.count), oldest)}
        </div>
    }
    .into_any()
}

fn figures(view: &OverviewView, frame: &Frame) -> AnyView {
    let total: i64 = view.days.iter().map(Day::total).sum();
    let review = review(view.backlog, view.now, frame.may.review);
    let webhooks = view
        .deliveries
        .as_ref()
        .map(|deliveries| webhooks(deliveries, view.now));
    if total == 0 {
        let title = match view.range {
            7 => "No sessions in the last 7 days",
            90 => "No sessions in the last 90 days",
            _ => "No sessions in the last 30 days",
        };
        let advice = "Sessions appear here once you or your server have created one.";
        return view! { {empty(title, advice)}<div class="halves">{review}{webhooks}</div> }.into_any();
    }
    view! {
        <section class="panel">
            <h2>"Sessions by day"</h2>
            {chart::bars(&view.days)}
            <ul class="legend">
                <li class="good">"Approved"</li><li class="bad">"Rejected"</li>
                <li class="warn">"In review"</li><li class="plain">"Unfinished, expired, failed"</li>
            </ul>
            {chart::table(&view.days)}
        </section>
        <div class="halves">{funnel::panel(&view.steps)}<div class="stack">{times(&view.times)}{review}{webhooks}</div></div>
    }
    .into_any()
}

/// The page.
#[must_use]
pub(super) fn render(view: &OverviewView, frame: &Frame, meta: &PageMeta) -> AnyView {
    let new = frame
        .may
        .review
        .then(|| view! { <a class="button secondary small" href="/admin/sessions/new">"Create a session"</a> });
    let actions = view! { {ranges(view.range)}{new} };
    let main = view! {
        {heading("Overview", actions.into_any())}
        {view.news.as_ref().map(since_last_visit)}
        {to_do(&view.missing)}
        {overdue(view.backlog.overdue)}
        {tiles(view)}
        {figures(view, frame)}
    };
    page(frame, meta, "Overview", main.into_any())
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::time::Millis;

    #[test]
    fn a_failing_receiver_and_abandoned_events_stand_out() {
        let now = Timestamp::from_millis(10_000_000);
        let deliveries = Deliveries {
            counts: DeliveryCounts {
                abandoned: 2,
                ..DeliveryCounts::default()
            },
            has_receiver: true,
            last_success_at: None,
            failing_since: Some(now.plus(Millis::minutes(-30))),
        };
        let html = webhooks(&deliveries, now).to_html();
        assert!(html.contains("failing") && html.contains("30 min"), "{html}");
        assert!(html.contains(r#"badge bad">2"#), "{html}");
    }
}
