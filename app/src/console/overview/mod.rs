//! The overview.

mod view;

use super::{
    audit::who,
    labels,
    layout::NavigationItem,
    request::{PageResult, Request, signed_in},
};
use domain::{
    outcome::Verdict,
    session::Status,
    time::{Millis, Timestamp},
};
use leptos::prelude::*;
use service::{
    access::{Admin, Developer},
    people::news::news,
    session::search::{DayCount, overview as count},
    settings,
    stored::Recorded,
};
use view::{Day, OverviewView, SinceLastVisit, render};

/// The overview.
#[component]
pub fn OverviewPage() -> impl IntoView {
    signed_in(NavigationItem::Overview, load, render)
}

const DAYS: i64 = 14;

async fn load(request: Request) -> PageResult<OverviewView> {
    let honnin = request.honnin();
    let counted = count(honnin, request.staff(), DAYS).await?;
    let tenant = settings::load(honnin, request.staff()).await?;
    let first = counted.from.as_millis() / Millis::days(1).0;
    let mut days: Vec<Day> = (first..first + DAYS)
        .map(|day| {
            let iso = Timestamp::from_millis(day * Millis::days(1).0).to_iso();
            Day {
                name: iso.get(5..10).unwrap_or_default().to_owned(),
                ..Day::default()
            }
        })
        .collect();
    for counted in &counted.days {
        let at = usize::try_from(counted.day - first).ok();
        if let Some(day) = at.and_then(|at| days.get_mut(at)) {
            add(day, counted);
        }
    }
    let steps = tenant
        .settings
        .as_ref()
        .is_none_or(|settings| settings.steps.is_empty());
    let receiver = tenant
        .settings
        .as_ref()
        .is_none_or(|settings| settings.webhook_url.is_none());
    let mut missing = Vec::new();
    if steps && Admin::of(request.staff()).is_ok() {
        missing.push((
            "Choose the verification steps. At least one is needed to create sessions",
            "/admin/settings#steps",
        ));
    }
    if receiver && Developer::of(request.staff()).is_ok() {
        missing.push((
            "Set a webhook receiver. Without one, your server has to poll with GET",
            "/admin/settings#webhook",
        ));
    }
    let news = news(honnin, request.staff())
        .await?
        .filter(|news| !news.entries.is_empty());
    Ok(OverviewView {
        news: news.map(|news| SinceLastVisit {
            at: news.since,
            from: news.from,
            entries: news.entries.iter().map(told).collect(),
        }),
        days,
        backlog: counted.backlog,
        overdue: counted.overdue,
        now: honnin.now(),
        missing,
    })
}

/// An entry of the audit log in a sentence, with its time.
fn told(recorded: &Recorded) -> (Timestamp, String) {
    let entry = &recorded.entry;
    let detail = entry
        .detail
        .as_ref()
        .map(|detail| format!(" ({detail})"))
        .unwrap_or_default();
    (
        entry.at,
        format!("{} {}{detail}", who(recorded), labels::action(&entry.action)),
    )
}

fn add(day: &mut Day, counted: &DayCount) {
    let place = match (counted.status, counted.verdict) {
        (Status::Completed, Some(Verdict::Approved)) => &mut day.approved,
        (Status::Completed, Some(Verdict::Rejected)) => &mut day.rejected,
        (Status::Reviewing, _) => &mut day.reviewing,
        _ => &mut day.other,
    };
    *place += counted.count;
}
