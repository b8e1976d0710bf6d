//! What the console offers for sessions of sandbox tenants.

use super::{
    parts::options,
    words::{language, say},
};
use crate::{forms, text::entry::sandbox_outcome};
use domain::sandbox::{SandboxOutcome, SandboxTime};
use leptos::prelude::*;

/// The form that completes a session without a phone.
pub(super) fn complete(id: &str) -> AnyView {
    let action = format!("/admin/sessions/{id}/complete");
    let outcomes = SandboxOutcome::ALL.iter().map(|&outcome| {
        let word = sandbox_outcome(outcome).get(language());
        (outcome.to_string(), word.to_owned())
    });
    let options = options(outcomes, SandboxOutcome::Approved.as_str());
    view! {
        <section class="panel">
            <h2>{say("Complete with test data", "テストデータで完了")}</h2>
            <p class="soft">{say(
                "The session is completed with fictional data and ends with the outcome you choose. Webhooks, review and erasure are real.",
                "セッションは架空のデータで完了し、選択した結果で終了します。Webhook、審査、消去は実際に行われます。",
            )}</p>
            <form class="stack" method="post" action=action>
                <div class="field">
                    <label for=forms::OUTCOME>{say("Outcome", "結果")}</label>
                    <select class="input" id=forms::OUTCOME name=forms::OUTCOME>{options}</select>
                </div>
                <p><button class="button secondary small" type="submit">{say("Complete", "完了する")}</button></p>
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
            say(
                "Moves this session to its deadline. It then expires as usual, and the event is sent.",
                "このセッションの時刻を期限まで進めます。通常どおり期限切れになり、イベントも送信されます。",
            ),
            say("Move to the deadline", "期限まで進める"),
        ),
        SandboxTime::RetentionEnd => (
            say(
                "Moves this session to the end of its retention period. Its personal data is then erased as usual.",
                "このセッションの時刻を保存期間の終了まで進めます。個人情報は通常どおり消去されます。",
            ),
            say("Move to the end of retention", "保存期間の終了まで進める"),
        ),
    };
    view! {
        <section class="panel">
            <h2>{say("Test clock", "テスト用の時計")}</h2>
            <p class="soft">{what}</p>
            <form method="post" action=action>
                <input type="hidden" name=forms::TIME value=to.as_str()/>
                <button class="button secondary small" type="submit">{button}</button>
            </form>
        </section>
    }
    .into_any()
}
