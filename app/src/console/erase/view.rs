//! The page that erases a session now: what it means, the word to type, the password.

use crate::PageMeta;
use crate::console::layout::{Frame, mistakes, page};
use crate::console::parts::{Line, line};
use crate::console::proof::{Proof, proof_fields};
use crate::console::words::say;
use crate::parts::{Mistake, title};
use leptos::prelude::*;

/// What has to be typed.
pub(super) const WORD: &str = "ERASE";

/// The page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct EraseView {
    /// Session id.
    pub id: String,
    /// What is unfinished about the session, which erasing ends.
    pub ends: Option<&'static str>,
    /// What the person is asked for.
    pub proof: Proof,
    /// What was typed.
    pub word: String,
    /// What is wrong.
    pub mistakes: Vec<Mistake>,
}

/// The page.
#[must_use]
pub(super) fn render(view: &EraseView, frame: &Frame, meta: &PageMeta) -> AnyView {
    let (session, action) = (
        format!("/admin/sessions/{}", view.id),
        format!("/admin/sessions/{}/erase", view.id),
    );
    let ends = view.ends.map(|unfinished| {
        view! { <p class="note">{unfinished}" "{say(
            "The session will end as failed, and your server will be notified.",
            "消去すると、セッションは「失敗」として終了し、サーバーに通知されます。",
        )}</p> }
    });
    let word = Line::text(
        "word",
        say("Type ERASE to confirm", "確認のため「ERASE」と入力"),
        view.word.clone(),
    );
    let main = view! {
        <div class="narrow-page stack">
            <p class="crumb"><a href=session.clone()>{say("Session", "セッション")}</a></p>
            <h1>{say("Erase the personal data now", "個人情報を今すぐ消去")}</h1>
            <p class="lead">{say(
                "Pictures, readings, what the user typed and what your server sent are erased here and become unreadable in every backup. \
                    This cannot be undone.",
                "画像、読み取り内容、利用者の入力内容、サーバーから送信されたデータが消去され、バックアップからも読み取れなくなります。\
                    この操作は取り消せません。",
            )}</p>
            <p>{say(
                "The verdict, its reasons and times, the metadata and the audit log are kept. The session can no longer be reprocessed.",
                "判定とその理由・日時、メタデータ、監査ログは保持されます。再提出の依頼はできなくなります。",
            )}</p>
            {ends}
            {mistakes(&view.mistakes)}
            <form class="stack" method="post" action=action data-passkey=view.proof.challenge()>
                <p class="soft">{say("Session ", "セッション ")}<code>{view.id.clone()}</code></p>
                {line(word, &view.mistakes)}
                {proof_fields(view.proof, &view.mistakes, meta)}
                <div class="rulings"><button class="button reject" type="submit">{say("Erase now", "今すぐ消去")}</button>
                    <a class="button secondary" href=session>{say("Cancel", "キャンセル")}</a></div>
            </form>
        </div>
    };
    let title = title(meta, say("Erase now", "今すぐ消去"), !view.mistakes.is_empty());
    page(frame, meta, &title, main.into_any())
}
