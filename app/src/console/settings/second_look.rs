//! The second look at a change that weakens something: old and new values, what the change would do, and who makes it.

use crate::PageMeta;
use crate::console::labels;
use crate::console::layout::{Frame, mistakes, page};
use crate::console::proof::{Proof, proof_fields};
use crate::console::table::{Table, cell, row_name};
use crate::parts::Mistake;
use leptos::prelude::*;
use service::settings::preview::{Callers, Decisions, Erasures, MOST, Preview, Tally};

/// A change that is not saved yet.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SecondLook {
    /// Its section.
    pub section: String,
    /// What it would do.
    pub preview: Preview,
    /// The form as typed, which is sent again.
    pub typed: Vec<(String, String)>,
    /// What the person is asked for, unless they have just proved who they are.
    pub proof: Option<Proof>,
    /// What is wrong.
    pub mistakes: Vec<Mistake>,
}

fn changes(preview: &Preview) -> AnyView {
    let rows = preview
        .changes
        .iter()
        .map(|(name, old, new)| [row_name(labels::setting(name)), cell(old.clone()), cell(new.clone())]);
    Table::new("Changes", ["Setting", "Now", "New"]).rows(rows)
}

fn numbers(name: &'static str, head: [&'static str; 3], rows: [(&'static str, [String; 3]); 2]) -> AnyView {
    let rows = rows.map(|(name, values)| {
        let values = values.map(|value| cell(value).class("number"));
        std::iter::once(row_name(name)).chain(values)
    });
    Table::new(name, std::iter::once("").chain(head)).rows(rows)
}

fn decisions(found: &Decisions) -> AnyView {
    let Decisions { before, after } = found;
    if *before == Tally::default() {
        return view! { <p class="soft">"No decisions of the last 30 days can be made again: there are none, or their data is erased or test data."</p> }
            .into_any();
    }
    let row = |tally: &Tally| [tally.approved, tally.needs_review, tally.rejected].map(|count| count.to_string());
    let all = before.approved + before.needs_review + before.rejected;
    let lead = if all == MOST {
        format!(
            "The last {MOST} decisions, made again with the new settings. The search for people approved before is not repeated."
        )
    } else {
        "The decisions of the last 30 days, made again with the new settings. The search for people approved before is not repeated."
            .to_owned()
    };
    view! {
        <p>{lead}</p>
        {numbers("Decisions", ["Approved", "In review", "Rejected"], [("As decided", row(before)), ("New settings", row(after))])}
    }
    .into_any()
}

fn erasures(found: &Erasures) -> AnyView {
    let row = |counts: [i64; 3]| counts.map(|count| count.to_string());
    view! {
        <p>"Sessions that have ended and whose personal data will be erased. This cannot be undone."</p>
        {numbers(
            "Erasures",
            ["At once", "Within a week", "Within 30 days"],
            [("As it is", row(found.before)), ("New period", row(found.after))],
        )}
    }
    .into_any()
}

fn callers(found: &Callers) -> AnyView {
    let word = |admitted: bool| if admitted { "admitted" } else { "refused" };
    let own = format!("{}, your address: {}", found.own.0, word(found.own.1));
    let rows = found
        .lately
        .iter()
        .map(|(address, admitted)| view! { <li>{format!("{address}: {}", word(*admitted))}</li> })
        .collect_view();
    let none = found
        .lately
        .is_empty()
        .then(|| view! { <p class="soft">"No API key was used in the last 30 days."</p> });
    view! {
        <p>"Who could call the API. Addresses that used an API key in the last 30 days, latest first:"</p>
        <ul class="bullets">{rows}<li>{own}</li></ul>{none}
    }
    .into_any()
}

/// The page.
pub(super) fn render(view: &SecondLook, frame: &Frame, meta: &PageMeta) -> AnyView {
    let preview = &view.preview;
    let weaker = preview
        .weakenings
        .iter()
        .map(|weaker| view! { <li>{labels::weakening(*weaker)}</li> })
        .collect_view();
    let typed = view
        .typed
        .iter()
        .map(|(name, value)| view! { <input type="hidden" name=name.clone() value=value.clone()/> })
        .collect_view();
    let action = format!("/admin/settings/{}", view.section);
    let back = format!("/admin/settings#{}", view.section);
    let panel =
        |title: &'static str, inside: AnyView| view! { <section class="panel"><h2>{title}</h2>{inside}</section> };
    let main = view! {
        <div class="narrow-page stack">
            <p class="crumb"><a href=back.clone()>"Settings"</a></p>
            <h1>"Check this change"</h1>
            {mistakes(&view.mistakes)}
            <div class="panel notice"><p>"Nothing is saved yet."</p><ul class="bullets">{weaker}</ul></div>
            {panel("What changes", changes(preview))}
            {preview.decisions.as_ref().map(|found| panel("Effect on decisions", decisions(found)))}
            {preview.erasures.as_ref().map(|found| panel("Effect on personal data", erasures(found)))}
            {preview.callers.as_ref().map(|found| panel("Effect on callers", callers(found)))}
            <form class="stack" method="post" action=action data-passkey=view.proof.and_then(Proof::challenge)>
                {typed}
                <input type="hidden" name="confirmed" value="yes"/>
                {view.proof.map(|proof| proof_fields(proof, &view.mistakes, meta))}
                <p><button class="button primary" type="submit">"Save the change"</button>" "
                    <a class="button secondary" href=back>"Cancel"</a></p>
            </form>
        </div>
    };
    page(frame, meta, "Check this change", main.into_any())
}
