//! The view of the overview.

use super::RANGES;
use super::chart::{self, Day};
use super::funnel;
use crate::PageMeta;
use crate::console::labels;
use crate::console::layout::{Frame, page};
use crate::console::parts::{Tone, age, badge, duration, empty, facts, grouped, heading, minutes, time, time_utc};
use crate::console::table::{Table, cell, row_name};
use crate::console::words::{say, tell};
use domain::{
    outcome::Source,
    secret_kind::SecretKind,
    time::{Millis, Timestamp},
};
use leptos::prelude::*;
use service::{
    privacy::secret_age::SecretAge,
    session::overview::{Backlog, DecisionTimes, DeliveryCounts, StepCount},
};

/// Something that has happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NewsItem {
    /// When.
    pub at: Timestamp,
    /// What.
    pub what: String,
    /// Whether it may have been somebody else who signed in to the reader's account.
    pub doubtful: bool,
}

/// What has happened since the person's last visit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SinceLastVisit {
    /// The last visit with this browser, or how far back is told if there was none.
    pub at: Timestamp,
    /// The address of that visit; `None` if there was none.
    pub from: Option<String>,
    /// The last refused attempt to sign in, and how many there were.
    pub refused: Option<(Timestamp, String)>,
    /// When, and what, newest first.
    pub entries: Vec<NewsItem>,
    /// What to do if it was somebody else who signed in.
    pub advice: String,
}

/// A secret that should be replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OldSecret {
    /// Which, and how old.
    pub age: SecretAge,
    /// The name of an API key.
    pub name: Option<String>,
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
    /// Secrets that should be replaced.
    pub old_secrets: Vec<OldSecret>,
    /// When the sessions were counted.
    pub counted_at: Timestamp,
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
    view! { <section class="panel notice"><h2>{say("To do", "対応が必要な項目")}</h2><ul class="bullets alone">{items}</ul></section> }.into_any()
}

fn since_last_visit(news: &SinceLastVisit) -> AnyView {
    let refused = news.refused.iter().map(|(at, what)| NewsItem {
        at: *at,
        what: what.clone(),
        doubtful: false,
    });
    let items = refused
        .chain(news.entries.iter().cloned())
        .map(|NewsItem { at, what, doubtful }| {
            let advice = doubtful.then(|| {
                view! {
                    {say(" Not you? ", "心当たりがない場合は、")}
                    <a href="/admin/account">{news.advice.clone()}</a>
                }
            });
            view! { <li>{time_utc(at)}" "{what}{advice}</li> }
        })
        .collect_view();
    let (title, before, after) = match &news.from {
        Some(from) => (
            say("Since your last visit", "前回のサインイン以降"),
            say(
                "You last signed in with this browser at ",
                "このブラウザーでの前回のサインイン：",
            ),
            tell!(" UTC from {from}.", "（UTC、{from}）"),
        ),
        None => {
            let after = say(" UTC is listed.", "（UTC）以降の履歴を表示しています。");
            (
                say("Recent activity", "最近の履歴"),
                say(
                    "You had not signed in with this browser before. Activity since ",
                    "このブラウザーでのサインインは初めてです。",
                ),
                after.to_owned(),
            )
        }
    };
    view! {
        <section class="panel notice">
            <h2>{title}</h2>
            <ul class="bullets">{items}</ul>
            <p class="soft">{before}{time(news.at)}{after}</p>
        </section>
    }
    .into_any()
}

/// The secrets that should be replaced, with the pages where that is done.
fn old_secrets(secrets: &[OldSecret], now: Timestamp) -> AnyView {
    if secrets.is_empty() {
        return ().into_any();
    }
    let items = secrets
        .iter()
        .map(|old| {
            let (kind, page) = labels::secret(old.age.kind);
            let name = match &old.name {
                Some(name) => tell!("{kind} “{name}”", "{kind}「{name}」"),
                None => kind.to_owned(),
            };
            let name = match page {
                Some(page) => view! { <a href=page>{name}</a> }.into_any(),
                None => name.into_any(),
            };
            let days = (now.as_millis() - old.age.since.as_millis()).max(0) / Millis::days(1).0;
            let days = if days == 1 {
                say(": 1 day.", "：1日").to_owned()
            } else {
                tell!(": {} days.", "：{}日", grouped(days))
            };
            let how = (old.age.kind == SecretKind::MasterKey).then(|| view! {
                {say(" Run ", "。サーバーで")}<code>"honnin keys rotate"</code>{say(" on the server.", "を実行してください。")}
            });
            view! { <li>{name}{days}{how}</li> }
        })
        .collect_view();
    view! {
        <section class="panel notice">
            <h2>{say("Secrets to replace", "更新が必要なシークレット")}</h2>
            <p>{say(
                "These have been in use for longer than this installation allows. Issue new ones, and revoke the old ones once nothing uses them.",
                "このシステムで定めた期間を超えて使用されています。新しいものを発行し、古いものは使用されなくなってから無効にしてください。",
            )}</p>
            <ul class="bullets alone">{items}</ul>
        </section>
    }
    .into_any()
}

/// Data of people who still wait for a decision is kept longer and longer. Only those who may open the queue get a link to it.
fn overdue(count: i64, may_review: bool) -> AnyView {
    let sentence = match count {
        0 => return ().into_any(),
        1 => say(
            "One case has been waiting for longer than half the retention period. Its data is kept until it is decided, even after the retention period.",
            "保存期間の半分を超えて審査を待っている案件が1件あります。判定されるまでは、保存期間が過ぎても消去されません。",
        )
        .to_owned(),
        count => tell!(
            "{} cases have been waiting for longer than half the retention period. Their data is kept until they are decided, even after the retention period.",
            "保存期間の半分を超えて審査を待っている案件が{}件あります。判定されるまでは、保存期間が過ぎても消去されません。",
            grouped(count)
        ),
    };
    let link = may_review.then(|| view! { " "<a href="/admin/review">{say("Review", "審査")}</a> });
    view! { <section class="panel notice"><p>{sentence}{link}</p></section> }.into_any()
}

/// The ranges, each a link.
fn ranges(chosen: i64) -> AnyView {
    let links = RANGES
        .map(|days| {
            let href = format!("/admin?days={days}");
            let name = match days {
                1 => say("Today", "今日").to_owned(),
                days => tell!("{days} days", "{days}日間"),
            };
            view! { <a href=href aria-current=(days == chosen).then_some("true")>{name}</a> }
        })
        .collect_view();
    view! { <nav class="ranges" aria-label=say("Days counted", "集計期間")>{links}</nav> }.into_any()
}

fn times(times: &[DecisionTimes], days: &[Day]) -> AnyView {
    let inside = if times.is_empty() {
        view! { <p class="soft">{say("No decisions on submitted sessions yet.", "提出されたセッションの判定はまだありません。")}</p> }.into_any()
    } else {
        let rows = times.iter().map(|times| {
            let name = match times.source {
                Source::Automatic => say("Automatic", "自動"),
                Source::ManualReview => say("By a reviewer", "審査担当者"),
            };
            [
                row_name(name),
                cell(grouped(times.count)).class("number"),
                cell(duration(times.median)).class("number"),
                cell(duration(times.ninetieth)).class("number"),
            ]
        });
        Table::new(
            say("Time to decision", "判定までの時間"),
            [
                say("Decided", "判定方法"),
                say("Decisions", "件数"),
                say("Median", "中央値"),
                say("90th percentile", "90パーセンタイル"),
            ],
        )
        .rows(rows)
    };
    view! {
        <section class="panel">
            <h2>{say("Time to decision", "判定までの時間")}</h2>
            <p class="soft">{say("From the submission to the final decision.", "提出から最終判定までの時間です。")}</p>
            {inside}
            {times_by_day(days)}
        </section>
    }
    .into_any()
}

/// The medians by day, in their own scale for each who decided. One day needs no chart.
fn times_by_day(days: &[Day]) -> Option<AnyView> {
    let titles = [
        (
            Source::Automatic,
            say("Automatic: median by day", "自動：中央値（日別）"),
        ),
        (
            Source::ManualReview,
            say("By a reviewer: median by day", "審査担当者：中央値（日別）"),
        ),
    ];
    let charts: Vec<_> = titles
        .into_iter()
        .filter_map(|(source, title)| Some(view! { <h3>{title}</h3>{chart::times(days, source)?} }))
        .collect();
    (days.len() > 1 && !charts.is_empty()).then(|| view! { {charts}{chart::times_table(days)} }.into_any())
}

fn review(backlog: Backlog, days: &[Day], now: Timestamp, may_review: bool) -> AnyView {
    let oldest = backlog.oldest.map_or_else(|| "–".to_owned(), |oldest| age(oldest, now));
    let late = if backlog.late > 0 {
        badge(grouped(backlog.late), Tone::Bad)
    } else {
        badge(say("none", "なし"), Tone::Good)
    };
    let items = vec![
        (say("Waiting", "審査待ち"), grouped(backlog.count).into_any()),
        (say("Oldest case", "最長の待ち時間"), oldest.into_any()),
        (say("Target", "目標"), duration(backlog.target).into_any()),
        (say("Late", "目標超過"), late),
    ];
    let link = may_review.then(|| view! { <a href="/admin/review">{say("Open the queue", "審査待ち一覧を開く")}</a> });
    view! {
        <section class="panel">
            <div class="panel-head"><h2>{say("Review backlog", "審査の状況")}</h2>{link}</div>
            {facts(items)}
            {waiting_by_day(days)}
        </section>
    }
    .into_any()
}

/// The backlog by day. One day needs no chart.
fn waiting_by_day(days: &[Day]) -> Option<AnyView> {
    let bars = chart::waiting(days).filter(|_| days.len() > 1)?;
    let title = say("Waiting at the end of each day", "各日の終わりの審査待ち");
    Some(view! { <h3>{title}</h3>{bars}{chart::waiting_table(days)} }.into_any())
}

fn webhooks(deliveries: &Deliveries, days: &[Day], now: Timestamp) -> AnyView {
    let state = match (
        deliveries.has_receiver,
        deliveries.failing_since,
        deliveries.last_success_at,
    ) {
        (false, ..) => badge(say("no receiver", "受信先なし"), Tone::Plain),
        (true, Some(since), _) => {
            view! { {badge(say("failing", "配信エラー"), Tone::Bad)}{tell!(" for {}", "（{}）", age(since, now))} }
                .into_any()
        }
        (true, None, Some(_)) => badge(say("healthy", "正常"), Tone::Good),
        (true, None, None) => badge(say("nothing sent yet", "送信履歴なし"), Tone::Plain),
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
        (say("Receiver", "受信先"), state),
        (
            say("Delivered at the first attempt", "初回で配信"),
            grouped(at_once).into_any(),
        ),
        (say("After retries", "再試行後に配信"), grouped(later).into_any()),
        (say("Still to send", "配信待ち"), grouped(pending).into_any()),
        (say("Abandoned", "配信中止"), given_up),
    ];
    view! {
        <section class="panel">
            <div class="panel-head"><h2>{say("Webhooks", "Webhook")}</h2><a href="/admin/webhooks">{say("Deliveries", "配信")}</a></div>
            {facts(items)}
            {webhooks_by_day(days)}
        </section>
    }
    .into_any()
}

/// The webhooks by day. One day needs no chart.
fn webhooks_by_day(days: &[Day]) -> Option<AnyView> {
    let bars = chart::deliveries(days).filter(|_| days.len() > 1)?;
    let legend = view! {
        <ul class="legend">
            <li class="good">{say("First attempt", "初回")}</li><li class="plain">{say("After retries", "再試行後")}</li>
            <li class="warn">{say("Still to send", "配信待ち")}</li><li class="bad">{say("Abandoned", "配信中止")}</li>
        </ul>
    };
    Some(view! { <h3>{say("By day", "日別")}</h3>{bars}{legend}{chart::deliveries_table(days)} }.into_any())
}

/// What is counted. Days are those of UTC.
fn span(range: i64) -> String {
    match range {
        1 => say("today (UTC)", "今日（UTC）").to_owned(),
        days => tell!("last {days} days", "過去{days}日間"),
    }
}

fn tiles(view: &OverviewView) -> AnyView {
    let sum = |part: fn(&Day) -> i64| view.days.iter().map(part).sum::<i64>();
    let (approved, rejected) = (sum(|day| day.approved), sum(|day| day.rejected));
    let decided = approved + rejected;
    let rate = if decided > 0 {
        tell!(
            "{}% of decided sessions",
            "判定済みの{}%",
            funnel::percent(approved, decided)
        )
    } else {
        say("none decided yet", "判定はまだありません").to_owned()
    };
    let automatic = view.times.iter().find(|times| times.source == Source::Automatic);
    let median = automatic.map_or_else(|| "–".to_owned(), |times| duration(times.median));
    let ninetieth = automatic.map_or_else(
        || say("no automatic decisions yet", "自動判定はまだありません").to_owned(),
        |times| tell!("90th percentile: {}", "90パーセンタイル：{}", duration(times.ninetieth)),
    );
    let oldest = view.backlog.oldest.map_or_else(
        || say("queue is empty", "審査待ちなし").to_owned(),
        |at| tell!("oldest: {}", "最長{}", age(at, view.now)),
    );
    let oldest = match view.backlog.late {
        0 => oldest,
        late => tell!("{} late, {oldest}", "目標超過{}件、{oldest}", grouped(late)),
    };
    view! {
        <div class="tiles">
            {tile(say("Sessions", "セッション"), grouped(sum(Day::total)), span(view.range))}
            {tile(say("Approved", "承認"), grouped(approved), rate)}
            {tile(say("Median time to decision", "判定時間の中央値"), median, ninetieth)}
            {tile(say("Waiting for review", "審査待ち"), grouped(view.backlog.count), oldest)}
        </div>
    }
    .into_any()
}

/// What is older than this is said to be.
const A_WHILE: Millis = Millis::seconds(1);

/// When the sessions were counted, if that is some time ago because counting takes long.
fn counted(at: Timestamp, now: Timestamp) -> AnyView {
    let shown = minutes(at);
    (at.plus(A_WHILE) < now)
        .then(|| {
            tell!(
                "Sessions and webhooks as of {shown} (UTC).",
                "セッションとWebhookの件数は{shown}（UTC）現在のものです。"
            )
        })
        .map(|sentence| view! { <p class="soft small">{sentence}</p> })
        .into_any()
}

fn figures(view: &OverviewView, frame: &Frame) -> AnyView {
    let total: i64 = view.days.iter().map(Day::total).sum();
    let review = review(view.backlog, &view.days, view.now, frame.may.review);
    let webhooks = view
        .deliveries
        .as_ref()
        .map(|deliveries| webhooks(deliveries, &view.days, view.now));
    if total == 0 {
        let title = match view.range {
            1 => say("No sessions today", "今日のセッションはありません"),
            7 => say("No sessions in the last 7 days", "過去7日間のセッションはありません"),
            90 => say("No sessions in the last 90 days", "過去90日間のセッションはありません"),
            _ => say("No sessions in the last 30 days", "過去30日間のセッションはありません"),
        };
        let advice = say(
            "Sessions appear here once you or your server have created one.",
            "管理コンソールまたはサーバーからセッションを作成すると、ここに表示されます。",
        );
        return view! { {empty(title, advice)}<div class="halves">{review}{webhooks}</div> }.into_any();
    }
    view! {
        <section class="panel">
            <h2>{say("Sessions by day", "日別のセッション")}</h2>
            {chart::bars(&view.days)}
            <ul class="legend">
                <li class="good">{say("Approved", "承認")}</li><li class="bad">{say("Rejected", "不承認")}</li>
                <li class="warn">{say("In review", "審査中")}</li><li class="plain">{say("Unfinished, expired, failed", "未完了・期限切れ・失敗")}</li>
            </ul>
            {chart::table(&view.days)}
        </section>
        {funnel::panel(&view.steps, view.days.first().map_or("", |day| day.name.as_str()))}
        <div class="halves">{times(&view.times, &view.days)}{webhooks}{review}</div>
    }
    .into_any()
}

/// The page.
#[must_use]
pub(super) fn render(view: &OverviewView, frame: &Frame, meta: &PageMeta) -> AnyView {
    let new = frame
        .may
        .review
        .then(|| view! { <a class="button secondary small" href="/admin/sessions/new">{say("Create a session", "セッションを作成")}</a> });
    let actions = view! { {ranges(view.range)}{new} };
    let main = view! {
        {heading(say("Overview", "概要"), actions.into_any())}
        {view.news.as_ref().map(since_last_visit)}
        {to_do(&view.missing)}
        {old_secrets(&view.old_secrets, view.now)}
        {overdue(view.backlog.overdue, frame.may.review)}
        {tiles(view)}
        {counted(view.counted_at, view.now)}
        {figures(view, frame)}
    };
    page(frame, meta, say("Overview", "概要"), main.into_any())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_that_were_counted_some_time_ago_say_when() {
        let now = Timestamp::from_millis(1_785_663_000_000);
        let html = counted(now.plus(Millis::seconds(-40)), now).to_html();
        assert!(html.contains("as of 2026-08-02 09:29 (UTC)"), "{html}");
        assert_eq!(
            counted(now.minus(Millis(900)), now).to_html(),
            counted(now, now).to_html()
        );
    }

    #[test]
    fn each_piece_of_news_says_that_its_time_is_in_utc() {
        let at = Timestamp::from_millis(1_785_663_000_000);
        let item = |what: &str| NewsItem {
            at,
            what: what.to_owned(),
            doubtful: false,
        };
        let news = SinceLastVisit {
            at,
            from: None,
            refused: Some((at, "One attempt failed.".to_owned())),
            entries: vec![item("Somebody issued an API key")],
            advice: String::new(),
        };
        let html = crate::page::without_markers(&since_last_visit(&news).to_html());
        for what in ["One attempt failed.", "Somebody issued an API key"] {
            let told = format!("2026-08-02 09:30</time> UTC {what}");
            assert!(html.contains(&told), "{html}");
        }
    }

    #[test]
    fn cases_that_wait_too_long_lead_to_the_queue_only_those_who_may_open_it() {
        for count in [1, 2] {
            let [reviewer, auditor] = [true, false].map(|may_review| overdue(count, may_review).to_html());
            assert!(reviewer.contains(r#"href="/admin/review""#), "{reviewer}");
            assert!(auditor.contains("half the retention period"), "{auditor}");
            assert!(!auditor.contains("href"), "{auditor}");
        }
        assert!(!overdue(0, true).to_html().contains("href"));
    }

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
        let html = webhooks(&deliveries, &[], now).to_html();
        assert!(html.contains("Failing") && html.contains("30 min"), "{html}");
        assert!(html.contains(r#"badge bad">2"#), "{html}");
    }
}
