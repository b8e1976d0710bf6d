//! A second look before a user is asked again: what it means, and the form once more.

use super::{
    layout::{Frame, page},
    words::say,
};
use crate::{PageMeta, forms, page::Fields};
use leptos::prelude::*;

/// The field with the attempt that the page of the form showed.
pub(super) const ATTEMPT: &str = "attempt";

/// The attempt that the page of the form showed; none for a form without it.
pub(super) fn attempt_of(fields: &Fields) -> i64 {
    fields.raw(ATTEMPT).parse().unwrap_or_default()
}

/// A form that asks a user again, once somebody has confirmed it.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct AskAgain {
    /// The form's address.
    action: String,
    /// What was typed, which is sent again.
    typed: Vec<(String, String)>,
}

impl std::fmt::Debug for AskAgain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "AskAgain({})", self.action)
    }
}

/// What somebody has answered.
pub(super) enum Answer {
    /// They have not been asked yet.
    Open,
    /// They still want it.
    Yes,
    /// They do not.
    No,
}

/// What the form says.
pub(super) fn answer(fields: &Fields) -> Answer {
    match fields.raw(forms::CONFIRMED) {
        "" => Answer::Open,
        forms::YES => Answer::Yes,
        _ => Answer::No,
    }
}

impl AskAgain {
    /// For the form at `action` with these fields.
    pub(super) fn of(action: String, fields: &Fields) -> Self {
        let typed = fields.without(&[forms::CONFIRMED]);
        Self {
            action,
            typed: typed.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        }
    }
}

/// The page.
#[must_use]
pub(super) fn render(view: &AskAgain, frame: &Frame, meta: &PageMeta) -> AnyView {
    let title = say("Ask the user again?", "利用者に再提出を依頼しますか？");
    let typed = view
        .typed
        .iter()
        .map(|(name, value)| view! { <input type="hidden" name=name.clone() value=value.clone()/> })
        .collect_view();
    let main = view! {
        <div class="narrow-page stack">
            <h1>{title}</h1>
            <p class="lead">{say(
                "The user starts again from the beginning. You get a new link to send to them.",
                "利用者は最初からやり直します。新しいリンクが発行されるので、利用者に送ってください。",
            )}</p>
            <p>{say(
                "Until they have finished, the session has no verdict. What they sent before is kept. This cannot be undone.",
                "手続きが完了するまで、このセッションに判定結果はありません。これまでに送信された内容は保持されます。この操作は取り消せません。",
            )}</p>
            <form class="stack" method="post" action=view.action.clone()>
                {typed}
                <div class="rulings">
                    <button class="button primary" type="submit" name=forms::CONFIRMED value=forms::YES>{say("Ask again", "再提出を依頼")}</button>
                    <button class="button secondary" type="submit" name=forms::CONFIRMED value=forms::NO>{say("Cancel", "キャンセル")}</button>
                </div>
            </form>
        </div>
    };
    page(frame, meta, title, main.into_any())
}
