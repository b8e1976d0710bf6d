//! The funnel: how many people get to each step, and where they give up. The bars stand in the table.

use crate::console::labels::funnel_step as label;
use crate::console::parts::grouped;
use crate::console::table::{Row, Table, cell, row_name};
use crate::console::words::{say, tell};
use domain::funnel::FunnelStep;
use leptos::prelude::*;
use service::session::overview::StepCount;

/// A step with its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reached {
    step: FunnelStep,
    /// How many got here.
    count: i64,
    /// How many got here but no further, and cannot continue.
    gave_up: i64,
    /// How many are here and can continue.
    open: i64,
}

/// A user who took a step has taken those before it.
fn reached(counts: &[StepCount]) -> Vec<Reached> {
    let sum = |keep: &dyn Fn(&StepCount) -> bool| -> i64 {
        counts.iter().filter(|count| keep(count)).map(|count| count.count).sum()
    };
    let of = |&step: &FunnelStep| Reached {
        step,
        count: sum(&|count| count.step >= step),
        gave_up: if step == FunnelStep::Decided {
            0
        } else {
            sum(&|count| count.step == step && !count.open)
        },
        open: sum(&|count| count.step == step && count.open),
    };
    FunnelStep::ALL.iter().map(of).collect()
}

/// The step after which most people who had opened the link gave up.
fn worst(steps: &[Reached]) -> Option<Reached> {
    let people = steps.iter().filter(|step| step.step != FunnelStep::Created);
    people
        .max_by_key(|step| step.gave_up)
        .filter(|step| step.gave_up > 0)
        .copied()
}

/// Whole per cent, rounded.
pub(super) const fn percent(part: i64, whole: i64) -> i64 {
    if whole == 0 {
        0
    } else {
        (part * 100 + whole / 2) / whole
    }
}

fn row(step: &Reached, all: i64, worst: Option<Reached>) -> Row {
    let width = percent(step.count, all);
    let lost = percent(step.gave_up, all);
    let worst = worst.is_some_and(|worst| worst.step == step.step);
    let class = if worst { "lost worst" } else { "lost" };
    let bar = format!(
        r#"<rect class="ground" width="100" height="8"/><rect class="kept" width="{width}" height="8"/><rect class="{class}" x="{}" width="{lost}" height="8"/>"#,
        width - lost
    );
    let bar = view! {
        <svg class="funnel-bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" focusable="false" inner_html=bar></svg>
    };
    let number = |count: i64| cell((count > 0).then(|| grouped(count))).class("number");
    let row: Row = [
        row_name(view! { {label(step.step)}{bar} }),
        cell(grouped(step.count)).class("number"),
        cell(format!("{width}%")).class("number"),
        number(step.gave_up),
        number(step.open),
    ]
    .into();
    if worst { row.class("worst") } else { row }
}

/// The panel. `from`: the first day counted.
pub(super) fn panel(counts: &[StepCount], from: &str) -> AnyView {
    let steps = reached(counts);
    let all = steps.first().map_or(0, |first| first.count);
    let worst = worst(&steps);
    let rows = steps.iter().map(|step| row(step, all, worst));
    let table = Table::new(
        say("Where people give up", "ステップ別の離脱"),
        [
            say("Step", "ステップ"),
            say("Reached", "到達"),
            say("% of all", "割合"),
            say("Gave up here", "離脱"),
            say("Still open", "手続き中"),
        ],
    )
    .class("cards funnel")
    .rows(rows);
    let most = worst.map(|worst| {
        let step = label(worst.step).to_lowercase();
        let sentence = match worst.gave_up {
            1 => tell!(
                "Biggest drop-off: one person who {step} and went no further.",
                "離脱が最も多いのは「{step}」の後です（1人）。"
            ),
            count => tell!(
                "Biggest drop-off: {} people who {step} and went no further.",
                "離脱が最も多いのは「{step}」の後です（{}人）。",
                grouped(count)
            ),
        };
        let lost = format!("/admin/sessions?lost={}&from={from}", worst.step);
        view! { <p class="soft">{sentence}" "<a href=lost>{say("Show these sessions", "該当するセッションを表示")}</a></p> }
    });
    view! { <section class="panel"><h2>{say("Where people give up", "ステップ別の離脱")}</h2>{most}{table}</section> }
        .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_rounded_and_not_cut_off() {
        for (part, whole, told) in [
            (2, 3, 67),
            (1, 3, 33),
            (1, 200, 1),
            (0, 0, 0),
            (199, 200, 100),
            (7, 7, 100),
        ] {
            assert_eq!(percent(part, whole), told, "{part} of {whole}");
        }
    }

    #[test]
    fn whoever_took_a_step_has_taken_those_before_it_and_open_sessions_have_not_given_up() {
        let count = |step, open, count| StepCount { step, open, count };
        let steps = reached(&[
            count(FunnelStep::Created, false, 5),
            count(FunnelStep::Opened, false, 2),
            count(FunnelStep::DocumentSent, false, 3),
            count(FunnelStep::DocumentSent, true, 1),
            count(FunnelStep::Decided, false, 9),
        ]);
        let counts: Vec<_> = steps.iter().map(|step| (step.count, step.gave_up, step.open)).collect();
        let expected = [
            (20, 5, 0),
            (15, 2, 0),
            (13, 0, 0),
            (13, 3, 1),
            (9, 0, 0),
            (9, 0, 0),
            (9, 0, 0),
            (9, 0, 0),
        ];
        assert_eq!(counts, expected);
        assert_eq!(worst(&steps).map(|step| step.step), Some(FunnelStep::DocumentSent));
        assert_eq!(worst(&reached(&[count(FunnelStep::Created, false, 5)])), None);
        let html = panel(&[count(FunnelStep::DocumentSent, false, 3)], "2026-08-02").to_html();
        assert!(
            html.contains(r#"href="/admin/sessions?lost=document_sent&amp;from=2026-08-02""#),
            "{html}"
        );
    }
}
