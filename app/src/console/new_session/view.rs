//! Creating a session by hand.

use crate::PageMeta;
use crate::console::labels;
use crate::console::layout::{Frame, mistakes, page};
use crate::console::parts::{Line, area, heading, line, select};
use crate::console::words::say;
use crate::parts::{Mistake, title};
use domain::{document::FieldName, user_input::Gender};
use leptos::prelude::*;
use std::collections::BTreeMap;

/// The fields about the user's return, as the API names them.
pub(super) const RETURN: [&str; 2] = ["callbackUrl", "state"];
/// The fields of `preRegisteredInfo`.
pub(super) const PERSON: [&str; 5] = ["lastName", "firstName", "birthDate", "gender", "address"];

/// The form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct NewSessionView {
    /// The id of the form, which makes one session, however often it is sent.
    pub form: String,
    /// What was typed, by the API's name of the field.
    pub typed: BTreeMap<&'static str, String>,
    /// The URLs to which users may return.
    pub callback_urls: Vec<String>,
    /// What is wrong.
    pub mistakes: Vec<Mistake>,
    /// Why no session can be created at all.
    pub not_ready: Option<&'static str>,
}

/// A field's name in the form.
pub(super) fn label(field: &str) -> &'static str {
    match field {
        "callbackUrl" => say("Callback URL", "コールバックURL"),
        "state" => say("State", "ステート"),
        "lastName" => labels::field(FieldName::LastName),
        "firstName" => labels::field(FieldName::FirstName),
        "birthDate" => labels::field(FieldName::BirthDate),
        "gender" => labels::field(FieldName::Gender),
        "address" => labels::field(FieldName::Address),
        _ => say("Metadata", "メタデータ"),
    }
}

/// What was typed into a field.
fn typed(view: &NewSessionView, name: &str) -> String {
    view.typed.get(name).cloned().unwrap_or_default()
}

/// A field of one line.
fn text(view: &NewSessionView, name: &'static str) -> Line {
    Line::text(name, label(name), typed(view, name))
}

fn callback(view: &NewSessionView) -> Line {
    Line {
        kind: "url",
        hint: Some(
            say(
                "Where the user returns to after the verification: one of the callback URLs in the settings.",
                "本人確認の終了後に利用者が戻るURLです。設定で許可したコールバックURLのいずれかを入力します。",
            )
            .into(),
        ),
        suggestions: view.callback_urls.clone(),
        ..text(view, "callbackUrl")
    }
}

fn state(view: &NewSessionView) -> Line {
    Line {
        hint: Some(
            say(
                "Added to the callback URL unchanged. Must not contain personal data.",
                "コールバックURLにそのまま付加されます。個人情報は含めないでください。",
            )
            .into(),
        ),
        ..text(view, "state")
    }
}

fn metadata(view: &NewSessionView) -> Line {
    Line {
        hint: Some(
            say(
                r#"A JSON object, like {"order": "A-17"}. Returned in webhooks. Must not contain personal data."#,
                r#"JSONオブジェクトを入力します（例：{"order": "A-17"}）。Webhookで返されます。個人情報は含めないでください。"#,
            )
            .into(),
        ),
        ..text(view, "metadata")
    }
}

/// What to do if no session can be created: only admins can open the settings that are missing.
fn what_to_do(frame: &Frame) -> AnyView {
    if frame.may.administer {
        view! { <a href="/admin/settings/steps">{say("Open the settings", "設定を開く")}</a> }.into_any()
    } else {
        say(
            "Ask an admin of your organisation.",
            "組織の管理者にお問い合わせください。",
        )
        .into_any()
    }
}

/// The page.
#[must_use]
pub(super) fn render(view: &NewSessionView, frame: &Frame, meta: &PageMeta) -> AnyView {
    let wrong = &view.mistakes;
    let birth_date = Line {
        kind: "date",
        ..text(view, "birthDate")
    };
    let genders = Gender::ALL
        .iter()
        .map(|gender| (gender.to_string(), labels::gender(*gender).to_owned()));
    let main = view! {
        <p class="crumb"><a href="/admin/sessions">{say("Sessions", "セッション")}</a></p>
        {heading(say("Create a session", "セッションを作成"), ().into_any())}
        {view.not_ready.map(|why| view! { <p class="note">{why}" "{what_to_do(frame)}</p> })}
        {mistakes(wrong)}
        <form class="stack narrow-page" method="post" action="/admin/sessions/new">
            <input type="hidden" name="form" value=view.form.clone()/>
            <p class="soft">{say("Every field is optional.", "すべての項目は任意です。")}</p>
            <section class="panel stack">
                <h2>{say("What you know about the person", "利用者の登録情報")}</h2>
                <p class="soft">{say("Compared with the document. Encrypted at rest.", "本人確認書類と照合します。入力内容は暗号化して保存されます。")}</p>
                <div class="grid-form">
                    {line(text(view, "lastName"), wrong)}
                    {line(text(view, "firstName"), wrong)}
                    {line(birth_date, wrong)}
                    {select("gender", label("gender"), say("Not known", "不明"), genders, &typed(view, "gender"))}
                </div>
                {line(text(view, "address"), wrong)}
            </section>
            <section class="panel stack">
                <h2>{say("Return to your application", "アプリケーションへの戻り先")}</h2>
                {line(callback(view), wrong)}
                {line(state(view), wrong)}
            </section>
            <section class="panel stack">
                <h2>{say("For your records", "管理用の情報")}</h2>
                {area(metadata(view), 3, wrong)}
            </section>
            <p><button class="button primary" type="submit">{say("Create", "作成")}</button></p>
        </form>
    };
    page(
        frame,
        meta,
        &title(meta, say("Create a session", "セッションを作成"), !wrong.is_empty()),
        main.into_any(),
    )
}
