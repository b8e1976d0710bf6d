//! Figures by day: stacked bars, and the same numbers as a table. The bars are stretched to the available width, so all text is
//! beside them in HTML.

use crate::console::parts::{duration, grouped};
use crate::console::table::{Table, cell, row_name};
use crate::console::words::{say, tell};
use domain::{outcome::Source, time::Millis};
use leptos::prelude::*;
use service::session::overview::DeliveryCounts;

/// One day: its sessions by result, the median times to decision, and its webhooks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Day {
    /// `2026-08-02`.
    pub name: String,
    /// Approved.
    pub approved: i64,
    /// Rejected.
    pub rejected: i64,
    /// Waiting for review.
    pub reviewing: i64,
    /// Everything else.
    pub other: i64,
    /// Half of its decisions took at most this long, by who decided.
    pub times: Vec<(Source, Millis)>,
    /// How many cases were waiting for review at its end.
    pub waiting: i64,
    /// Its webhooks.
    pub deliveries: DeliveryCounts,
}

impl Day {
    /// All of them.
    pub(super) const fn total(&self) -> i64 {
        self.approved + self.rejected + self.reviewing + self.other
    }

    fn time(&self, of: Source) -> Option<Millis> {
        let found = self.times.iter().find(|(source, _)| *source == of);
        found.map(|(_, median)| *median)
    }

    const fn session_parts(&self) -> [i64; 4] {
        [self.approved, self.rejected, self.reviewing, self.other]
    }

    const fn delivery_parts(&self) -> [i64; 4] {
        let DeliveryCounts {
            at_once,
            later,
            pending,
            abandoned,
        } = self.deliveries;
        [at_once, later, pending, abandoned]
    }
}

/// Units of the drawing: a day is this wide, with its gap.
const DAY: i64 = 12;
const GAP: i64 = 2;
const HEIGHT: i64 = 160;
/// Height of the smallest part: one rejection among hundreds of approvals is seen.
const LEAST: i64 = 2;

/// Stacked bars, one for each day, of which the highest takes the whole height. Each part has its class.
fn stacks<const N: usize>(classes: [&'static str; N], days: &[[i64; N]], most: i64) -> String {
    let mut bars = String::new();
    let mut x = GAP / 2;
    for day in days {
        let mut y = HEIGHT;
        for (class, height) in classes.into_iter().zip(heights(*day, most)) {
            y -= height;
            if height > 0 {
                let width = DAY - GAP;
                bars.push_str(&format!(
                    r#"<rect class="bar {class}" x="{x}" y="{y}" width="{width}" height="{height}"/>"#
                ));
            }
        }
        x += DAY;
    }
    bars
}

/// How high the parts of a day are: in proportion, but each that is there is seen. What that takes is taken from the highest.
fn heights<const N: usize>(day: [i64; N], most: i64) -> [i64; N] {
    let seen = |value: i64| (value * HEIGHT / most.max(1)).max(LEAST * value.signum());
    let mut heights = day.map(seen);
    let beyond = heights.iter().sum::<i64>() - HEIGHT;
    if let Some(highest) = heights.iter_mut().max().filter(|_| beyond > 0) {
        *highest -= beyond;
    }
    heights
}

/// The drawing, with its scale and the names of some days.
fn figure(names: &[&str], most: String, label: String, bars: String) -> AnyView {
    let width = i64::try_from(names.len()).unwrap_or(0) * DAY;
    let view_box = format!("0 0 {width} {HEIGHT}");
    let mut named = vec![0, names.len() / 2, names.len().saturating_sub(1)];
    named.dedup();
    let names = named
        .into_iter()
        .filter_map(|at| names.get(at))
        .map(|name| view! { <span>{(*name).to_owned()}</span> })
        .collect_view();
    view! {
        <figure class="chart">
            <p class="chart-most number" aria-hidden="true">{most}</p>
            <svg viewBox=view_box preserveAspectRatio="none" role="img" aria-label=label inner_html=bars></svg>
            <p class="chart-days" aria-hidden="true">{names}</p>
        </figure>
    }
    .into_any()
}

/// The sessions of each day by result.
pub(super) fn bars(days: &[Day]) -> AnyView {
    let most = days.iter().map(Day::total).max().unwrap_or(0).max(1);
    let parts: Vec<_> = days.iter().map(Day::session_parts).collect();
    let bars = stacks(["good", "bad", "warn", "plain"], &parts, most);
    let total = grouped(days.iter().map(Day::total).sum());
    let label = match days.len() {
        1 => tell!(
            "Today’s sessions by verdict: {total} in total",
            "今日の判定別セッション数：合計{total}件"
        ),
        count => tell!(
            "Sessions of the last {count} days by verdict: {total} in total",
            "過去{count}日間の判定別セッション数：合計{total}件"
        ),
    };
    figure(&names(days), grouped(most), label, bars)
}

fn names(days: &[Day]) -> Vec<&str> {
    days.iter().map(|day| day.name.as_str()).collect()
}

/// The median time to decision of each day, by who decided: automatic decisions take seconds, people hours, so each has its scale.
pub(super) fn times(days: &[Day], source: Source) -> Option<AnyView> {
    let medians: Vec<_> = days
        .iter()
        .map(|day| [day.time(source).map_or(0, |median| median.0)])
        .collect();
    let most = medians.iter().map(|[median]| *median).max().filter(|most| *most > 0)?;
    let label = match source {
        Source::Automatic => tell!(
            "Median time of automatic decisions by day: at most {}",
            "自動判定の時間の中央値（日別）：最大{}",
            duration(Millis(most))
        ),
        Source::ManualReview => tell!(
            "Median time of decisions by reviewers by day: at most {}",
            "審査担当者による判定の時間の中央値（日別）：最大{}",
            duration(Millis(most))
        ),
    };
    let bars = stacks(["plain"], &medians, most);
    Some(figure(&names(days), duration(Millis(most)), label, bars))
}

/// The medians behind the bars, newest first.
pub(super) fn times_table(days: &[Day]) -> AnyView {
    let shown = |day: &Day, source| day.time(source).map_or_else(|| "–".to_owned(), duration);
    let columns = [say("Automatic", "自動"), say("By a reviewer", "審査担当者")];
    numbers(
        say("Median time to decision by day", "日別の判定時間の中央値"),
        columns,
        days,
        |day| [Source::Automatic, Source::ManualReview].map(|source| shown(day, source)),
    )
}

/// How many cases were waiting for review at the end of each day.
pub(super) fn waiting(days: &[Day]) -> Option<AnyView> {
    let parts: Vec<_> = days.iter().map(|day| [day.waiting]).collect();
    let most = days.iter().map(|day| day.waiting).max().filter(|most| *most > 0)?;
    let label = tell!(
        "Cases waiting for review at the end of each day: at most {}",
        "各日の終わりの審査待ち件数：最大{}件",
        grouped(most)
    );
    Some(figure(
        &names(days),
        grouped(most),
        label,
        stacks(["warn"], &parts, most),
    ))
}

/// The numbers behind the bars, newest first.
pub(super) fn waiting_table(days: &[Day]) -> AnyView {
    numbers(
        say(
            "Cases waiting for review at the end of each day",
            "各日の終わりの審査待ち件数",
        ),
        [say("Waiting", "審査待ち")],
        days,
        |day| [grouped(day.waiting)],
    )
}

/// The webhooks of each day by how they turned out.
pub(super) fn deliveries(days: &[Day]) -> Option<AnyView> {
    let parts: Vec<_> = days.iter().map(Day::delivery_parts).collect();
    let total = grouped(parts.iter().flatten().sum());
    let most = parts
        .iter()
        .map(|day| day.iter().sum())
        .max()
        .filter(|most| *most > 0)?;
    let label = tell!(
        "Webhooks by day and result: {total} in total",
        "日別・結果別のWebhook数：合計{total}件"
    );
    let bars = stacks(["good", "plain", "warn", "bad"], &parts, most);
    Some(figure(&names(days), grouped(most), label, bars))
}

/// The numbers behind the bars, newest first.
pub(super) fn deliveries_table(days: &[Day]) -> AnyView {
    let columns = [
        say("First attempt", "初回"),
        say("After retries", "再試行後"),
        say("Still to send", "配信待ち"),
        say("Abandoned", "配信中止"),
    ];
    numbers(say("Webhooks by day", "日別のWebhook"), columns, days, |day| {
        day.delivery_parts().map(grouped)
    })
}

/// A table of some numbers of each day, newest first, folded away.
fn numbers<const N: usize>(
    title: &'static str,
    columns: [&'static str; N],
    days: &[Day],
    of: impl Fn(&Day) -> [String; N],
) -> AnyView {
    let rows = days.iter().rev().map(|day| {
        let cells = of(day).map(|number| cell(number).class("number"));
        std::iter::once(row_name(day.name.clone())).chain(cells)
    });
    let table = Table::new(title, std::iter::once(say("Day", "日付")).chain(columns)).rows(rows);
    view! { <details class="fold"><summary>{say("Show as a table", "表で表示")}</summary>{table}</details> }.into_any()
}

/// The numbers behind the bars, newest first.
pub(super) fn table(days: &[Day]) -> AnyView {
    let columns = [
        say("Approved", "承認"),
        say("Rejected", "不承認"),
        say("In review", "審査中"),
        say("Unfinished, expired, failed", "未完了・期限切れ・失敗"),
    ];
    numbers(
        say("Sessions by day", "日別のセッション"),
        columns,
        days,
        |day| day.session_parts().map(grouped),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_drawn_as_high_as_its_share_of_the_fullest() {
        let day = |approved, other| Day {
            approved,
            other,
            ..Day::default()
        };
        let html = bars(&[day(4, 0), day(1, 1), Day::default()]).to_html();
        assert!(
            html.contains(r#"class="bar good" x="1" y="0" width="10" height="160""#),
            "{html}"
        );
        assert!(
            html.contains(r#"class="bar good" x="13" y="120" width="10" height="40""#),
            "{html}"
        );
        assert!(
            html.contains(r#"class="bar plain" x="13" y="80" width="10" height="40""#),
            "{html}"
        );
        assert_eq!(html.matches("<rect").count(), 3, "{html}");
        let rare = Day {
            rejected: 1,
            ..day(400, 0)
        };
        let rare = bars(&[rare]).to_html();
        assert!(
            rare.contains(r#"class="bar bad" x="1" y="0" width="10" height="2""#),
            "one in hundreds is seen: {rare}"
        );
        let today = bars(&[Day {
            name: "2026-08-02".into(),
            ..day(1, 0)
        }])
        .to_html();
        assert!(
            today.contains("Today’s sessions by verdict") && today.matches("2026-08-02").count() == 1,
            "{today}"
        );
        assert!(
            html.contains(r#"viewBox="0 0 36 160""#) && html.contains("6 in total"),
            "{html}"
        );
        let many = bars(&[day(12_345, 0)]).to_html();
        assert!(many.contains("12,345 in total") && many.contains(">12,345<"), "{many}");
    }

    #[test]
    fn the_backlog_is_drawn_as_it_was_at_the_end_of_each_day() {
        let day = |waiting| Day {
            waiting,
            ..Day::default()
        };
        assert!(waiting(&[day(0), day(0)]).is_none(), "an empty queue needs no chart");
        let html = waiting(&[day(2), day(0), day(8)]).unwrap().to_html();
        assert!(
            html.contains(r#"class="bar warn" x="1" y="120" width="10" height="40""#)
                && html.contains(r#"class="bar warn" x="25" y="0" width="10" height="160""#)
                && html.matches("<rect").count() == 2
                && html.contains("at most 8"),
            "{html}"
        );
    }

    #[test]
    fn medians_and_webhooks_of_each_day_are_drawn_in_a_scale_of_their_own() {
        let mut days = vec![Day::default(), Day::default()];
        assert!(times(&days, Source::Automatic).is_none() && deliveries(&days).is_none());
        days[0].times = vec![
            (Source::Automatic, Millis::seconds(2)),
            (Source::ManualReview, Millis::minutes(90)),
        ];
        days[1].times = vec![(Source::Automatic, Millis::seconds(4))];
        days[1].deliveries = DeliveryCounts {
            at_once: 3,
            abandoned: 1,
            ..DeliveryCounts::default()
        };
        let automatic = times(&days, Source::Automatic).unwrap().to_html();
        assert!(
            automatic.contains(r#"x="1" y="80" width="10" height="80""#) && automatic.contains("at most 4 s"),
            "{automatic}"
        );
        let people = times(&days, Source::ManualReview).unwrap().to_html();
        assert!(
            people.matches("<rect").count() == 1 && people.contains(r#"height="160""#),
            "{people}"
        );
        let sent = deliveries(&days).unwrap().to_html();
        assert!(
            sent.contains(r#"class="bar good" x="13" y="40" width="10" height="120""#)
                && sent.contains(r#"class="bar bad" x="13" y="0" width="10" height="40""#)
                && sent.contains("4 in total"),
            "{sent}"
        );
    }
}
