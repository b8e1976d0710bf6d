//! The states of a session: the table of its transitions, and the diagram drawn from it.

use super::{
    json::in_code,
    table::{code, row, table, words},
};
use domain::{named::Vocabulary as _, session::Status};
use leptos::prelude::*;
use std::fmt::Write as _;

/// What leads from some states to another.
struct Transition {
    from: &'static [Status],
    what: &'static str,
    to: Status,
}

const fn transition(from: &'static [Status], what: &'static str, to: Status) -> Transition {
    Transition { from, what, to }
}

/// All of them.
const TRANSITIONS: [Transition; 11] = {
    use Status::{Collecting, Completed, Created, Deciding, Expired, Failed, Reviewing};
    [
        transition(&[Created], "The user taps Start.", Collecting),
        transition(&[Created, Collecting], "The deadline `expiresAt` passes.", Expired),
        transition(&[Created, Collecting], "Your server cancels the session.", Failed),
        transition(&[Collecting], "The user submits everything.", Deciding),
        transition(&[Collecting], "The user declines consent.", Failed),
        transition(&[Deciding], "The verdict is `approved` or `rejected`.", Completed),
        transition(&[Deciding], "The verdict is `needs_review`.", Reviewing),
        transition(&[Deciding], "Processing fails after internal retries.", Failed),
        transition(&[Reviewing], "A reviewer approves or rejects.", Completed),
        transition(
            &[Completed, Failed, Reviewing],
            "Your server reprocesses the session, or a reviewer asks again.",
            Collecting,
        ),
        transition(
            &[Created, Collecting, Deciding, Reviewing],
            "The personal data is erased.",
            Failed,
        ),
    ]
};

/// The states and their transitions.
pub(super) fn states() -> AnyView {
    let states = Status::ALL
        .iter()
        .map(|status| row(vec![code(status.as_str()), in_code(status.meaning())]));
    let transitions = TRANSITIONS.iter().map(|transition| {
        let from: Vec<_> = transition.from.iter().map(|status| status.as_str()).collect();
        row(vec![
            words(from.join(", ")),
            in_code(transition.what),
            words(transition.to.as_str()),
        ])
    });
    view! {
        <h2 id="states">"States"</h2>
        <div class="diagram" tabindex="0" role="group" aria-label="Diagram of the states" inner_html=diagram()></div>
        {table(&["Status", "Meaning"], states.collect())}
        <h3 id="transitions">"Transitions"</h3>
        {table(&["From", "What happens", "To"], transitions.collect())}
    }
    .into_any()
}

/// Half the width and height of a state's box.
const HALF: Point = Point { x: 60.0, y: 20.0 };
/// The distance of two arrows in opposite directions from the line between their boxes.
const APART: f64 = 8.0;

#[derive(Clone, Copy, PartialEq)]
struct Point {
    x: f64,
    y: f64,
}

/// The middle of a state's box. The usual way is the row in the middle.
const fn position(status: Status) -> Point {
    let (x, y) = match status {
        Status::Created => (80.0, 130.0),
        Status::Collecting => (280.0, 130.0),
        Status::Deciding => (480.0, 130.0),
        Status::Completed => (680.0, 130.0),
        Status::Expired => (180.0, 30.0),
        Status::Reviewing => (640.0, 235.0),
        Status::Failed => (320.0, 310.0),
    };
    Point { x, y }
}

/// The diagram: a box for each state, an arrow for each pair in the table, dashed where a session starts over.
fn diagram() -> String {
    let mut svg = String::from(
        "<svg viewBox=\"0 0 760 340\" role=\"img\" aria-labelledby=\"states-diagram\" fill=\"none\" stroke=\"currentColor\">\
         <title id=\"states-diagram\">States of a session. The table below lists the transitions.</title>\
         <defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\">\
         <path d=\"M0 0L8 4L0 8z\" fill=\"currentColor\" stroke=\"none\"/></marker></defs><g marker-end=\"url(#tip)\">",
    );
    let arrows = arrows();
    for (from, to) in &arrows {
        let both_ways = arrows.contains(&(*to, *from));
        let dashes = if again(*from, *to) {
            " stroke-dasharray=\"5 4\""
        } else {
            ""
        };
        // Writing to a String cannot fail.
        let _ = write!(svg, "<path d=\"{}\"{dashes}/>", arrow(*from, *to, both_ways));
    }
    svg.push_str("</g>");
    for status in Status::ALL {
        let Point { x, y } = position(*status);
        let (left, top, baseline) = (x - HALF.x, y - HALF.y, y + 5.0);
        let _ = write!(
            svg,
            "<rect x=\"{left}\" y=\"{top}\" width=\"{}\" height=\"{}\" rx=\"8\"/>\
             <text x=\"{x}\" y=\"{baseline}\" fill=\"currentColor\" stroke=\"none\" text-anchor=\"middle\" font-size=\"15\">{status}</text>",
            2.0 * HALF.x,
            2.0 * HALF.y
        );
    }
    svg + "</svg>"
}

/// Every pair of the table once.
fn arrows() -> Vec<(Status, Status)> {
    let mut arrows = Vec::new();
    for transition in &TRANSITIONS {
        for from in transition.from {
            if !arrows.contains(&(*from, transition.to)) {
                arrows.push((*from, transition.to));
            }
        }
    }
    arrows
}

/// Whether a session starts over.
fn again(from: Status, to: Status) -> bool {
    to == Status::Collecting && from != Status::Created
}

/// The path of an arrow between two boxes.
fn arrow(from: Status, to: Status, both_ways: bool) -> String {
    let (a, b) = (position(from), position(to));
    if a.y == b.y && (b.x - a.x).abs() > 4.0 * HALF.x {
        // A straight line would cross the boxes between them.
        let (x, top) = ((a.x + b.x) / 2.0, a.y - HALF.y);
        return format!("M{} {top}Q{x} {} {} {top}", a.x, top - 120.0, b.x);
    }
    let (dx, dy) = (b.x - a.x, b.y - a.y);
    let length = dx.hypot(dy);
    let aside = if both_ways { APART } else { 0.0 };
    let (sx, sy) = (-dy / length * aside, dx / length * aside);
    let reach = (HALF.x / dx.abs()).min(HALF.y / dy.abs());
    format!(
        "M{:.0} {:.0}L{:.0} {:.0}",
        a.x + dx * reach + sx,
        a.y + dy * reach + sy,
        b.x - dx * reach + sx,
        b.y - dy * reach + sy
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{
        ids::{SessionId, TenantId},
        outcome::Verdict,
        session::{Plan, Session, Step},
        time::{Millis, Timestamp},
    };
    use std::collections::BTreeSet;

    /// Every change of state that a session makes by any of its operations, before and after its deadline.
    fn made() -> BTreeSet<(&'static str, &'static str)> {
        let (start, late) = (Timestamp::from_millis(0), Timestamp::from_millis(2000));
        let plan = Plan {
            steps: vec![Step::Document],
        };
        let new = Session::new(
            SessionId::from_random([1; 16]),
            TenantId::from_random([1; 16]),
            plan,
            start,
            Millis(1000),
        );
        let mut made = BTreeSet::new();
        for from in Status::ALL {
            let session = Session {
                status: *from,
                ..new.clone()
            };
            let now = [
                session.start(start).ok(),
                session.submit(start).ok(),
                session.decide(Verdict::Approved, start).ok(),
                session.decide(Verdict::NeedsReview, start).ok(),
                session.rule(start).ok(),
                session.fail(start).ok(),
                session.abandon(start).ok(),
                session.reprocess(start, Millis(1000)).ok(),
                session.expire(late),
            ];
            for to in now.into_iter().flatten().filter(|to| to.status != *from) {
                made.insert((from.as_str(), to.status.as_str()));
            }
        }
        made
    }

    #[test]
    fn the_table_has_the_transitions_of_the_session_and_no_other() {
        let listed: BTreeSet<_> = arrows().iter().map(|(from, to)| (from.as_str(), to.as_str())).collect();
        assert_eq!(listed, made());
    }

    #[test]
    fn every_state_and_every_transition_is_drawn() {
        let drawn = diagram();
        for status in Status::ALL {
            assert!(drawn.contains(&format!(">{status}</text>")), "{status}");
        }
        let (_, arrows_drawn) = drawn.split_once("url(#tip)").unwrap();
        assert_eq!(arrows_drawn.matches("<path").count(), arrows().len());
    }
}
