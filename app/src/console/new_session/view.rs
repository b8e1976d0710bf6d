//! Creating a session by hand.

use crate::PageMeta;
use crate::console::layout::{Frame, mistakes, page};
use crate::console::parts::{Line, area, heading, line};
use crate::console::words::say;
use crate::parts::Mistake;
use leptos::prelude::*;

/// The form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct NewSessionView {
    /// JSON object as typed.
    pub metadata: String,
    /// Pre-registered data as typed: last name, first name, date of birth.
    pub known: [String; 3],
    /// What is wrong.
    pub mistakes: Vec<Mistake>,
    /// Why no session can be created at all.
    pub not_ready: Option<&'static str>,
}

/// The page.
#[must_use]
pub(super) fn render(view: &NewSessionView, frame: &Frame, meta: &PageMeta) -> AnyView {
    let wrong = &view.mistakes;
    let [last, first, birth] = view.known.clone();
    let text = |name, label, kind, value| Line {
        name,
        label,
        kind,
        value,
        autocomplete: "off",
        ..Line::default()
    };
    let metadata = Line {
        name: "metadata",
        label: say("Metadata (optional)", "メタデータ（任意）"),
        hint: Some(
            say(
                r#"A JSON object, like {"order": "A-17"}. Returned in webhooks. Must not contain personal data."#,
                r#"JSONオブジェクトを入力します（例：{"order": "A-17"}）。Webhookで返されます。個人情報は含めないでください。"#,
            )
            .into(),
        ),
        value: view.metadata.clone(),
        ..Line::default()
    };
    let main = view! {
        <p class="crumb"><a href="/admin/sessions">{say("Sessions", "セッション")}</a></p>
        {heading(say("Create a session", "セッションを作成"), ().into_any())}
        {view.not_ready.map(|why| view! { <p class="note">{why}" "<a href="/admin/settings">{say("Open the settings", "設定を開く")}</a></p> })}
        {mistakes(wrong)}
        <form class="stack narrow-page" method="post" action="/admin/sessions/new">
            <section class="panel stack">
                <h2>{say("What you know about the person (optional)", "利用者の登録情報（任意）")}</h2>
                <p class="soft">{say("Compared with the document. Encrypted at rest.", "本人確認書類と照合します。入力内容は暗号化して保存されます。")}</p>
                <div class="grid-form">
                    {line(text("lastName", say("Last name", "姓"), "text", last), wrong)}
                    {line(text("firstName", say("First name", "名"), "text", first), wrong)}
                    {line(text("birthDate", say("Date of birth", "生年月日"), "date", birth), wrong)}
                </div>
            </section>
            {area(metadata, 3, wrong)}
            <p><button class="button primary" type="submit">{say("Create", "作成")}</button></p>
        </form>
    };
    page(
        frame,
        meta,
        say("Create a session", "セッションを作成"),
        main.into_any(),
    )
}
