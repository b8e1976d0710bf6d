//! The pages before sign-in: signing in and setting up.

use crate::PageMeta;
use crate::console::layout::{door, mistakes};
use crate::console::next::with_next;
use crate::console::parts::{Line, current_password, line, new_password};
use crate::console::proof::{code_line, passkey_button, passkey_script};
use crate::console::words::{say, tell};
use crate::parts::{Mistake, title};
use leptos::prelude::*;

/// Signing in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SignInView {
    /// What was typed.
    pub email: String,
    /// Where to continue.
    pub next: String,
    /// Whether a new password has just been chosen through a link.
    pub has_new_password: bool,
    /// Whether they have just signed out.
    pub has_signed_out: bool,
    /// Whether they have sent a form in a session that had ended.
    pub has_lost_form: bool,
    /// Where to sign out of the provider as well.
    pub sign_out_elsewhere: Option<String>,
    /// The provider's name.
    pub provider: Option<String>,
    /// Whether there are passwords and passkeys.
    pub is_local: bool,
    /// What is wrong.
    pub mistakes: Vec<Mistake>,
}

fn email(value: &str, wrong: &[Mistake]) -> AnyView {
    let field = Line {
        name: "email",
        label: say("E-mail address", "メールアドレス"),
        kind: "email",
        autocomplete: "username",
        value: value.to_owned(),
        ..Line::default()
    };
    line(field, wrong)
}

/// The page.
#[must_use]
pub(super) fn sign_in(view: &SignInView, meta: &PageMeta) -> AnyView {
    let main = view! {
        <h1>{say("Sign in", "サインイン")}</h1>
        {view.has_new_password.then(|| view! { <p class="flash" role="status">{say("Your password has been changed.", "パスワードを変更しました。")}</p> })}
        {view.has_signed_out.then(|| signed_out(view))}
        {view.has_lost_form.then(|| view! {
            <p class="answer bad" role="alert">{say(
                "You were signed out. What you sent was not saved.",
                "サインアウトされていたため、送信した内容は保存されていません。",
            )}</p>
        })}
        {mistakes(&view.mistakes)}
        {view.is_local.then(|| local(view, meta))}
        {with_provider(view)}
    };
    let here = with_next("/admin/sign-in", &view.next);
    let title = title(meta, say("Sign in", "サインイン"), !view.mistakes.is_empty());
    door(meta, &here, &title, main.into_any())
}

/// After signing out here: people may still be signed in at the provider, and could come back without a password.
fn signed_out(view: &SignInView) -> AnyView {
    let name = view.provider.clone();
    let elsewhere = view.sign_out_elsewhere.clone().zip(name).map(|(address, name)| {
        let said = tell!(
            " You may still be signed in to {name}: ",
            " {name} にはまだサインインしている可能性があります："
        );
        view! { {said}<a href=address>{say("sign out there as well", "あわせてサインアウト")}</a>{say(".", "")} }
    });
    view! { <p class="flash" role="status">{say("You have been signed out.", "サインアウトしました。")}{elsewhere}</p> }
        .into_any()
}

/// The button of the provider. It is a link, so that the provider's redirects need not be part of the page's policy for forms.
fn with_provider(view: &SignInView) -> Option<AnyView> {
    let name = view.provider.clone()?;
    let class = if view.is_local {
        "button secondary"
    } else {
        "button primary"
    };
    let to = with_next("/admin/sign-in/openid", &view.next);
    Some(view! { <p><a class=class href=to>{tell!("Sign in with {name}", "{name} でサインイン")}</a></p> }.into_any())
}

/// Password and passkey.
fn local(view: &SignInView, meta: &PageMeta) -> AnyView {
    view! {
        <form class="stack" method="post" action="/admin/sign-in">
            <input type="hidden" name="next" value=view.next.clone()/>
            {email(&view.email, &view.mistakes)}
            {current_password(&[])}
            <button class="button primary" type="submit">{say("Sign in", "サインイン")}</button>
        </form>
        <form class="stack passkey-form" method="post" action="/admin/sign-in/passkey" data-passkey="/admin/sign-in/challenge/start" hidden>
            <input type="hidden" name="next" value=view.next.clone()/>
            {passkey_button(say("Sign in with a passkey", "パスキーでサインイン"))}
        </form>
        <p class="soft">{say(
            "Forgot your password? An admin can send you a link.",
            "パスワードをお忘れの場合は、管理者に再設定リンクの発行を依頼してください。",
        )}</p>
        {passkey_script(meta)}
    }
    .into_any()
}

/// The second factor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CodeView {
    /// Where to continue.
    pub next: String,
    /// Whether the person has a passkey.
    pub passkey: bool,
    /// What is wrong.
    pub mistakes: Vec<Mistake>,
}

/// The page.
#[must_use]
pub(super) fn code(view: &CodeView, meta: &PageMeta) -> AnyView {
    let passkey = view
        .passkey
        .then(|| view! { {passkey_button(say("Use a passkey", "パスキーを使用"))}{passkey_script(meta)} });
    let main = view! {
        <h1>{say("Second factor", "2要素認証")}</h1>
        {mistakes(&view.mistakes)}
        <form class="stack" method="post" action="/admin/sign-in/code" data-passkey=view.passkey.then_some("/admin/sign-in/challenge/code")>
            <input type="hidden" name="next" value=view.next.clone()/>
            {code_line(&view.mistakes)}
            <button class="button primary" type="submit">{say("Sign in", "サインイン")}</button>
            {passkey}
        </form>
        <p><a href="/admin/sign-in">{say("Start again", "最初からやり直す")}</a></p>
    };
    let here = with_next("/admin/sign-in/code", &view.next);
    let title = title(meta, say("Second factor", "2要素認証"), !view.mistakes.is_empty());
    door(meta, &here, &title, main.into_any())
}

/// Setting up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SetUpView {
    /// The link's token; the form is posted back to it.
    pub token: String,
    /// The existing tenant; `None` if one will be created.
    pub tenant: Option<String>,
    /// What was typed.
    pub organisation: String,
    /// What was typed.
    pub name: String,
    /// What was typed.
    pub email: String,
    /// What is wrong.
    pub mistakes: Vec<Mistake>,
}

/// The page.
#[must_use]
pub(super) fn set_up(view: &SetUpView, meta: &PageMeta) -> AnyView {
    let wrong = &view.mistakes;
    let lead = view.tenant.as_ref().map_or_else(
        || {
            say(
                "You are creating the first account. You will be the operator of this installation and the admin of your organisation.",
                "最初のアカウントを作成します。このアカウントは、このシステムの運用者と組織の管理者を兼ねます。",
            )
            .to_owned()
        },
        |tenant| {
            tell!(
                "You are creating the first account. You will be the operator of this installation and the admin of {tenant}.",
                "最初のアカウントを作成します。このアカウントは、このシステムの運用者と {tenant} の管理者を兼ねます。"
            )
        },
    );
    let organisation = view.tenant.is_none().then(|| {
        let field = Line {
            name: "organisation",
            label: say("Organisation", "組織名"),
            hint: Some(say("The name your users know you by.", "利用者に表示される名称です。").into()),
            kind: "text",
            value: view.organisation.clone(),
            autocomplete: "organization",
            ..Line::default()
        };
        line(field, wrong)
    });
    let name = Line {
        name: "name",
        label: say("Your name", "お名前"),
        kind: "text",
        value: view.name.clone(),
        autocomplete: "name",
        ..Line::default()
    };
    let action = format!("/admin/set-up/{}", view.token);
    let main = view! {
        <h1>{say("Set up Honnin", "Honnin の初期設定")}</h1>
        <p class="lead">{lead}</p>
        {mistakes(wrong)}
        <form class="stack" method="post" action=action>
            {organisation}
            {line(name, wrong)}
            {email(&view.email, wrong)}
            {line(new_password(), wrong)}
            <button class="button primary" type="submit">{say("Create my account", "アカウントを作成")}</button>
        </form>
    };
    let title = title(meta, say("Set up", "初期設定"), !wrong.is_empty());
    door(meta, "", &title, main.into_any())
}
