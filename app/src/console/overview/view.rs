//! The overview: sessions and verdicts by day, and the review backlog.

use crate::PageMeta;
use crate::console::layout::{Frame, page};
use crate::console::parts::{age, empty, heading, time};
use domain::time::Timestamp;
use leptos::prelude::*;

/// The sessions of one day by result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Day {
    /// `08-02`.
    pub name: String,
    /// Approved.
    pub approved: i64,
    /// Rejected.
    pub rejected: i64,
    /// Waiting for review.
    pub reviewing: i64,
    /// Everything else.
    pub other: i64,
}

impl Day {
    const fn total(&self) -> i64 {
        self.approved + self.rejected + self.reviewing + self.other
    }
}

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

/// The numbers shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OverviewView {
    /// What has happened since the last visit, if anything.
    pub news: Option<SinceLastVisit>,
    /// Oldest first.
    pub days: Vec<Day>,
    /// Number of waiting cases, and since when the oldest has been waiting.
    pub backlog: (i64, Option<Timestamp>),
    /// Number of cases that have been waiting for longer than half the retention period.
    pub overdue: i64,
    /// Now.
    pub now: Timestamp,
    /// What is missing before the first session: sentence and address.
    pub missing: Vec<(&'static str, &'static str)>,
}

fn tile(name: &'static str, value: String, hint: String) -> AnyView {
    view! { <div class="tile"><p class="tile-name">{name}</p><p class="tile-value">{value}</p><p class="hint">{hint}</p></div> }
        .into_any()
}

const WIDTH: i64 = 700;
const HEIGHT: i64 = 180;

/// Stacked bars, one for each day.
fn chart(days: &[Day]) -> AnyView {
    let most = days.iter().map(Day::total).max().unwrap_or(0).max(4);
    let count = i64::try_from(days.len()).unwrap_or(1).max(1);
    let step = WIDTH / count;
    let mut bars = String::new();
    for (i, day) in days.iter().enumerate() {
        let x = i64::try_from(i).unwrap_or(0) * step + step / 6;
        let mut y = HEIGHT;
        for (class, value) in [
            ("good", day.approved),
            ("bad", day.rejected),
            ("warn", day.reviewing),
            ("plain", day.other),
        ] {
            let height = value * (HEIGHT - 10) / most;
            y -= height;
            if height > 0 {
                let width = step * 2 / 3;
                bars.push_str(&format!(
                    r#"<rect class="bar {class}" x="{x}" y="{y}" width="{width}" height="{height}" rx="2"/>"#
                ));
            }
        }
        let middle = i64::try_from(i).unwrap_or(0) * step + step / 2;
        bars.push_str(&format!(
            r#"<text class="axis" x="{middle}" y="{}" text-anchor="middle">{}</text>"#,
            HEIGHT + 18,
            day.name
        ));
    }
    bars.push_str(&format!(r#"<path class="ground" d="M0 {HEIGHT}h{WIDTH}"/>"#));
    let view_box = format!("0 0 {WIDTH} {}", HEIGHT + 24);
    let total: i64 = days.iter().map(Day::total).sum();
    let label = format!("Sessions of the last {} days by verdict: {total} in total", days.len());
    view! { <svg class="chart" viewBox=view_box role="img" aria-label=label inner_html=bars></svg> }.into_any()
}

/// The numbers behind the chart, newest first.
fn table(days: &[Day]) -> AnyView {
    let rows = days
        .iter()
        .rev()
        .map(|day| {
            view! {
                <tr>
                    <th scope="row">{day.name.clone()}</th>
                    <td>{day.approved}</td><td>{day.rejected}</td><td>{day.reviewing}</td><td>{day.other}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <details class="fold">
            <summary>"Show as a table"</summary>
            <div class="scroll" role="region" tabindex="0" aria-label="Sessions by day">
                <table>
                    <thead><tr>
                        <th scope="col">"Day"</th><th scope="col">"Approved"</th><th scope="col">"Rejected"</th>
                        <th scope="col">"In review"</th><th scope="col">"Unfinished, expired, failed"</th>
                    </tr></thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        </details>
    }
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
    view! { <section class="panel notice"><h2>"To do"</h2><ul class="bullets">{items}</ul></section> }.into_any()
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

/// The page.
#[must_use]
pub(super) fn render(view: &OverviewView, frame: &Frame, meta: &PageMeta) -> AnyView {
    let sum = |part: fn(&Day) -> i64| view.days.iter().map(part).sum::<i64>();
    let (approved, rejected) = (sum(|d| d.approved), sum(|d| d.rejected));
    let rate = if approved + rejected > 0 {
        format!("{}% of decided sessions", approved * 100 / (approved + rejected))
    } else {
        "none decided yet".to_owned()
    };
    let oldest = view.backlog.1.map_or_else(
        || "queue is empty".to_owned(),
        |at| format!("oldest: {}", age(at, view.now)),
    );
    let total = sum(Day::total);
    let last = format!("last {} days", view.days.len());
    let body = if total == 0 {
        empty(
            "No sessions yet",
            "Sessions appear here once you or your server have created the first one.",
        )
        .into_any()
    } else {
        view! {
            <section class="panel">
                <h2>"Sessions by day"</h2>
                {chart(&view.days)}
                {table(&view.days)}
                <ul class="legend">
                    <li class="good">"Approved"</li><li class="bad">"Rejected"</li>
                    <li class="warn">"In review"</li><li class="plain">"Unfinished, expired, failed"</li>
                </ul>
            </section>
        }
        .into_any()
    };
    let new = frame
        .may
        .review
        .then(|| view! { <a class="button secondary small" href="/admin/sessions/new">"Create a session"</a> })
        .into_any();
    let main = view! {
        {heading("Overview", new)}
        {view.news.as_ref().map(since_last_visit)}
        {to_do(&view.missing)}
        {overdue(view.overdue)}
        <div class="tiles">
            {tile("Sessions", total.to_string(), last.clone())}
            {tile("Approved", approved.to_string(), rate)}
            {tile("Rejected", rejected.to_string(), last)}
            {tile("Waiting for review", view.backlog.0.to_string(), oldest)}
        </div>
        {body}
    };
    page(frame, meta, "Overview", main.into_any())
}
