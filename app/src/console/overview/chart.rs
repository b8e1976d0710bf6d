//! Sessions by day: stacked bars, and the same numbers as a table. The bars are stretched to the width there is, so everything to
//! read is beside them in HTML.

use crate::console::parts::grouped;
use crate::console::table::{Table, cell, row_name};
use crate::console::words::{say, tell};
use leptos::prelude::*;

/// The sessions of one day by result.
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
}

impl Day {
    /// All of them.
    pub(super) const fn total(&self) -> i64 {
        self.approved + self.rejected + self.reviewing + self.other
    }
}

/// Units of the drawing: a day is this wide, with its gap.
const DAY: i64 = 12;
const GAP: i64 = 2;
const HEIGHT: i64 = 160;

/// Stacked bars, one for each day.
pub(super) fn bars(days: &[Day]) -> AnyView {
    let most = days.iter().map(Day::total).max().unwrap_or(0).max(1);
    let mut bars = String::new();
    let mut x = GAP / 2;
    for day in days {
        let mut y = HEIGHT;
        for (class, value) in [
            ("good", day.approved),
            ("bad", day.rejected),
            ("warn", day.reviewing),
            ("plain", day.other),
        ] {
            let height = value * HEIGHT / most;
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
    let total: i64 = days.iter().map(Day::total).sum();
    let label = match days.len() {
        1 => tell!(
            "Sessions of today by verdict: {total} in total",
            "今日の判定別セッション数：合計{total}件"
        ),
        count => tell!(
            "Sessions of the last {count} days by verdict: {total} in total",
            "過去{count}日間の判定別セッション数：合計{total}件"
        ),
    };
    let view_box = format!("0 0 {} {HEIGHT}", x - GAP / 2);
    let mut named = vec![0, days.len() / 2, days.len().saturating_sub(1)];
    named.dedup();
    let names = named
        .into_iter()
        .filter_map(|at| days.get(at))
        .map(|day| view! { <span>{day.name.clone()}</span> })
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

/// The numbers behind the bars, newest first.
pub(super) fn table(days: &[Day]) -> AnyView {
    let rows = days.iter().rev().map(|day| {
        let counts = [day.approved, day.rejected, day.reviewing, day.other];
        let counts = counts.map(|count| cell(grouped(count)).class("number"));
        std::iter::once(row_name(day.name.clone())).chain(counts)
    });
    let columns = [
        say("Day", "日付"),
        say("Approved", "承認"),
        say("Rejected", "不承認"),
        say("In review", "審査中"),
        say("Unfinished, expired, failed", "未完了・期限切れ・失敗"),
    ];
    let table = Table::new(say("Sessions by day", "日別のセッション"), columns).rows(rows);
    view! { <details class="fold"><summary>{say("Show as a table", "表で表示")}</summary>{table}</details> }.into_any()
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
        let today = bars(&[Day {
            name: "2026-08-02".into(),
            ..day(1, 0)
        }])
        .to_html();
        assert!(
            today.contains("Sessions of today") && today.matches("2026-08-02").count() == 1,
            "{today}"
        );
        assert!(
            html.contains(r#"viewBox="0 0 36 160""#) && html.contains("6 in total"),
            "{html}"
        );
    }
}
