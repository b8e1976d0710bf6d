//! What the console offers for sessions of sandbox tenants.

use super::parts::options;
use crate::{forms, text::entry::sandbox_outcome};
use domain::{language::Language, sandbox::SandboxOutcome};
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
