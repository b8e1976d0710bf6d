//! What the console offers for sessions of sandbox tenants.

use super::parts::options;
use crate::{forms, text::entry::sandbox_outcome};
use domain::{
    language::Language,
    sandbox::{SandboxOutcome, SandboxTime},
};
use leptos::prelude::*;

/// The form that completes a session without a phone.
pub(super) fn complete(id: &str) -> AnyView {
    let action = format!("/admin/sessions/{id}/complete");
    let outcomes = SandboxOutcome::ALL.iter().map(|&outcome| {
        let word = sandbox_outcome(outcome).get(Language::En);
        (outcome.to_string(), word.to_owned())
    });
    let options = options(outcomes, SandboxOutcome::Approved.as_str());
    view! {
        <section class="panel">
            <h2>"Complete with test data"</h2>
            <p class="soft">"The session is completed with fictional data and ends with the outcome you choose. Webhooks, review and erasure are real."</p>
            <form class="stack" method="post" action=action>
                <div class="field">
                    <label for=forms::OUTCOME>"Outcome"</label>
                    <select class="input" id=forms::OUTCOME name=forms::OUTCOME>{options}</select>
                </div>
                <p><button class="button secondary small" type="submit">"Complete"</button></p>
            </form>
        </section>
    }
    .into_any()
}

/// The form that moves a session's clock.
pub(super) fn advance(id: &str, to: SandboxTime) -> AnyView {
    let action = format!("/admin/sessions/{id}/advance");
    let (what, button) = match to {
        SandboxTime::Deadline => (
            "Lets the deadline of this session pass. It expires as it would by itself, with its event.",
            "Move to the deadline",
        ),
        SandboxTime::RetentionEnd => (
            "Lets the retention period of this session end. Its personal data is erased as it would be by itself.",
            "Move to the end of retention",
        ),
    };
    view! {
        <section class="panel">
            <h2>"Test clock"</h2>
            <p class="soft">{what}</p>
            <form method="post" action=action>
                <input type="hidden" name=forms::TIME value=to.as_str()/>
                <button class="button secondary small" type="submit">{button}</button>
            </form>
        </section>
    }
    .into_any()
}
