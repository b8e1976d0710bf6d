//! The pages behind links for choosing a password: an invitation, and a password reset.

use crate::PageMeta;
use crate::console::labels;
use crate::console::layout::{door, mistakes};
use crate::console::parts::{Line, line, new_password};
use crate::console::words::{say, tell, with_japanese};
use crate::parts::{Mistake, title};
use domain::role::Role;
use leptos::prelude::*;
use service::people::password;

/// An open invitation.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct InvitationView {
    /// The link's token; the form is posted back to it.
    pub token: String,
    /// Who is invited.
    pub name: String,
    /// What they will sign in with.
    pub email: String,
    /// `admin`, ..; `None` for an operator who belongs to no tenant.
    pub role: Option<Role>,
    /// Where; `None` for an operator who belongs to no tenant.
    pub tenant: Option<String>,
    /// Whether they become an operator.
    pub operator: bool,
    /// The OpenID provider's name.
    pub provider: Option<String>,
    /// Whether they can choose a password.
    pub has_passwords: bool,
    /// What is wrong.
    pub mistakes: Vec<Mistake>,
}

impl std::fmt::Debug for InvitationView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "InvitationView({} mistakes)", self.mistakes.len())
    }
}

/// What somebody becomes, with what they may do.
fn position(role: Option<Role>) -> String {
    let en = match role {
        Some(Role::Admin) => "an admin, with access to everything",
        Some(Role::Developer) => "a developer, with access to keys, webhooks and allow-lists, but not to personal data",
        Some(Role::Reviewer) => "a reviewer, with access to cases and sessions",
        Some(Role::Auditor) => "an auditor, who can read sessions and the audit log, but sees no pictures",
        None => "an operator, who runs the installation and invites first admins, but sees no personal data",
    };
    with_japanese(en, format!("{}（{}）", labels::role(role), labels::role_hint(role)))
}

fn what_they_will_be(view: &InvitationView) -> String {
    match (&view.tenant, view.role, view.operator) {
        (Some(tenant), Some(own), true) => {
            let (own, operator) = (position(Some(own)), position(None));
            tell!(
                "You have been invited to {tenant} as {own}, and as {operator}.",
                "{tenant} の{own}、および{operator}として招待されています。"
            )
        }
        (Some(tenant), Some(own), false) => {
            let own = position(Some(own));
            tell!(
                "You have been invited to {tenant} as {own}.",
                "{tenant} の{own}として招待されています。"
            )
        }
        _ => {
            let operator = position(None);
            tell!(
                "You have been invited as {operator}.",
                "{operator}として招待されています。"
            )
        }
    }
}

/// A form for a password alone, with the e-mail address that password managers store beside it.
fn form(action: String, email: &str, button: &'static str, wrong: &[Mistake]) -> AnyView {
    let field = Line {
        hint: Some(tell!(
            "At least {} characters. A sentence is easier to remember than symbols. Only you will know it.",
            "{}文字以上で入力してください。記号を交ぜるより、文にするほうが覚えやすくなります。パスワードはご本人にしかわかりません。",
            password::LEAST
        )),
        ..new_password()
    };
    view! {
        <form class="stack" method="post" action=action>
            <input type="hidden" name="username" autocomplete="username" value=email.to_owned()/>
            {line(field, wrong)}
            <button class="button primary" type="submit">{button}</button>
        </form>
    }
    .into_any()
}

/// Accepting an invitation with the account at the provider.
fn join(view: &InvitationView) -> Option<AnyView> {
    let name = view.provider.clone()?;
    let class = if view.has_passwords {
        "button secondary"
    } else {
        "button primary"
    };
    let to = format!("/admin/invitation/{}/openid", view.token);
    let or = view
        .has_passwords
        .then(|| say("Instead of a password: ", "パスワードの代わりに："));
    Some(view! { <p>{or}<a class=class href=to>{tell!("Accept with {name}", "{name} で承諾")}</a></p> }.into_any())
}

/// The page of an invitation.
#[must_use]
pub(super) fn invitation(view: &InvitationView, meta: &PageMeta) -> AnyView {
    let main = view! {
        <h1>{tell!("Welcome, {}", "{}さん、ようこそ", view.name)}</h1>
        <p class="lead">{what_they_will_be(view)}{say(" You will sign in as ", "サインイン用のメールアドレス：")}
            <strong>{view.email.clone()}</strong>{say(".", "")}</p>
        {mistakes(&view.mistakes)}
        {view.has_passwords.then(|| form(format!("/admin/invitation/{}", view.token), &view.email, say("Create my account", "アカウントを作成"), &view.mistakes))}
        {join(view)}
    };
    let title = title(meta, say("Invitation", "招待"), !view.mistakes.is_empty());
    door(meta, "", &title, main.into_any())
}

/// An open password reset.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct ResetView {
    /// The link's token; the form is posted back to it.
    pub token: String,
    /// Whose password.
    pub email: String,
    /// Whether people have passwords; otherwise the link signs in.
    pub has_passwords: bool,
    /// What is wrong.
    pub mistakes: Vec<Mistake>,
}

impl std::fmt::Debug for ResetView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ResetView({} mistakes)", self.mistakes.len())
    }
}

/// The page of a link from the command line where nobody has a password.
fn sign_in_by_link(view: &ResetView, meta: &PageMeta) -> AnyView {
    let main = view! {
        <h1>{say("Sign in", "サインイン")}</h1>
        <p class="lead">{say("This link signs you in as ", "このリンクで、次のアカウントに一度だけサインインできます：")}<strong>{view.email.clone()}</strong>{say(", once.", "")}</p>
        {mistakes(&view.mistakes)}
        <form class="stack" method="post" action=format!("/admin/reset/{}", view.token)>
            <button class="button primary" type="submit">{say("Sign in", "サインイン")}</button>
        </form>
    };
    let title = title(meta, say("Sign in", "サインイン"), !view.mistakes.is_empty());
    door(meta, "", &title, main.into_any())
}

/// The page of a password reset.
#[must_use]
pub(super) fn reset(view: &ResetView, meta: &PageMeta) -> AnyView {
    if !view.has_passwords {
        return sign_in_by_link(view, meta);
    }
    let main = view! {
        <h1>{say("Choose a new password", "新しいパスワードの設定")}</h1>
        <p class="lead">{say("For ", "対象：")}<strong>{view.email.clone()}</strong>{say(". This signs you out everywhere.", "。変更すると、すべてのブラウザーからサインアウトされます。")}</p>
        {mistakes(&view.mistakes)}
        {form(format!("/admin/reset/{}", view.token), &view.email, say("Change the password", "パスワードを変更"), &view.mistakes)}
    };
    let title = title(meta, say("New password", "新しいパスワード"), !view.mistakes.is_empty());
    door(meta, "", &title, main.into_any())
}
