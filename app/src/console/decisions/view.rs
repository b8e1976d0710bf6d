//! The page that says how decisions are made.

use crate::{
    PageMeta,
    console::{
        labels,
        layout::{Frame, page},
        parts::{facts, heading},
        table::{Table, cell, row_name},
    },
};
use domain::{
    decision::{Accepted, Policy, ScoreName},
    named::Named,
};
use leptos::prelude::*;

/// A measurement and its limit.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Limit {
    pub(super) name: ScoreName,
    pub(super) value: f64,
}

/// A file of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Model {
    pub(super) file: String,
    pub(super) licence: String,
    pub(super) sha256: String,
}

/// The page's content.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DecisionsView {
    pub(super) policy: Policy,
    pub(super) limits: Vec<Limit>,
    pub(super) models: Vec<Model>,
    /// Whether a link to the settings leads anywhere.
    pub(super) may_change: bool,
}

fn rules() -> AnyView {
    view! {
        <section class="panel">
            <h2>"Rules"</h2>
            <ol>
                <li>"A reason that rejects, such as another person's face, rejects the session."</li>
                <li>"Any other reason, a check that could not be made, or a document that is not shown to be authentic sends it to a reviewer."</li>
                <li>"Only a session without any reason, with every required check made, is approved automatically."</li>
            </ol>
            <p>"Every reason and its effect: "<a href="/docs#reasons">"Reasons"</a>"."</p>
        </section>
    }
    .into_any()
}

fn thresholds(policy: &Policy) -> AnyView {
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    let yes = |on: bool| if on { "Yes" } else { "No" }.into_any();
    let between = |accept: f64, review: f64| format!("accepted from {accept:.2}, reviewed from {review:.2}").into_any();
    let duplicates = if policy.find_duplicates {
        format!("Same person from {:.2}", policy.duplicate_from)
    } else {
        "Off".to_owned()
    };
    let evidence = match policy.accepted {
        Accepted::MachineReadable => "Machine-readable data",
        Accepted::Visual => "Machine-readable data or visual evidence",
    };
    view! {
        <section class="panel">
            <h2>"Your thresholds"</h2>
            {facts(vec![
                ("Face match", between(policy.match_accept, policy.match_review)),
                ("Liveness", between(policy.liveness_accept, policy.liveness_review)),
                ("Accepted evidence", evidence.into_any()),
                ("Face search among approved people", duplicates.into_any()),
                ("Quality control", percent(policy.sampled).into_any()),
                ("Statistical signs of fraud alone reject", yes(policy.reject_on_fraud_signals)),
                ("Specimens count as genuine", yes(policy.accept_specimens)),
            ])}
        </section>
    }
    .into_any()
}

fn limits(limits: &[Limit]) -> AnyView {
    let rows = limits.iter().map(|limit| {
        let bound = if limit.name.is_at_most() { "at most" } else { "at least" };
        [
            row_name(labels::score(&Named::Known(limit.name))),
            cell(format!("{bound} {}", decimals(limit.value))).class("nowrap"),
        ]
    });
    view! {
        <section class="panel">
            <h2>"Measurements and their limits"</h2>
            <p class="soft">"The page of each session shows what was measured against these limits."</p>
            {Table::new("Limits", ["Measurement", "Limit"]).rows(rows)}
        </section>
    }
    .into_any()
}

/// Two decimals, as beside a decision, and up to four where two would hide the limit.
fn decimals(value: f64) -> String {
    let mut text = format!("{value:.4}");
    while text.ends_with('0') && text.rfind('.').is_some_and(|point| text.len() - point > 3) {
        text.pop();
    }
    text
}

fn models(models: &[Model]) -> AnyView {
    let rows = models.iter().map(|model| {
        [
            row_name(model.file.clone()),
            cell(model.licence.clone()),
            cell(view! { <code class="mono">{model.sha256.clone()}</code> }),
        ]
    });
    view! {
        <section class="panel">
            <h2>"Models"</h2>
            <p class="soft">"The networks that judge pictures. Each decision keeps the hashes of those it was made with."</p>
            {Table::new("Models", ["File", "Licence", "SHA-256"]).rows(rows)}
        </section>
    }
    .into_any()
}

/// The page.
#[must_use]
pub(super) fn render(view: &DecisionsView, frame: &Frame, meta: &PageMeta) -> AnyView {
    let change = view
        .may_change
        .then(|| view! { <a class="button secondary small" href="/admin/settings">"Settings"</a> });
    let main = view! {
        {heading("How decisions are made", change.into_any())}
        {rules()}
        {thresholds(&view.policy)}
        {limits(&view.limits)}
        {models(&view.models)}
    };
    page(frame, meta, "How decisions are made", main.into_any())
}

#[cfg(test)]
mod tests {
    use super::decimals;

    #[test]
    fn a_limit_has_at_least_two_decimals_and_as_many_as_it_needs() {
        assert_eq!(
            [0.5, 0.655, 0.0785, -0.5, 7.5].map(decimals),
            ["0.50", "0.655", "0.0785", "-0.50", "7.50"]
        );
    }
}
