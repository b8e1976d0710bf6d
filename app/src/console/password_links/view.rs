//! The pages behind links for choosing a password: an invitation, and a password reset.

use crate::PageMeta;
use crate::console::labels;
use crate::console::layout::{door, mistakes};
use crate::console::parts::{Line, line, new_password};
use crate::parts::Mistake;
use domain::role::Role;
use leptos::prelude::*;

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

fn what_they_will_be(view: &InvitationView) -> String {
    let role = |role: Option<Role>| format!("{} ({})", labels::role(role), labels::role_hint(role));
    match (&view.tenant, view.role, view.operator) {
        (Some(tenant), Some(own), true) => format!("{} of {tenant}, and {}", role(Some(own)), role(None)),
        (Some(tenant), Some(own), false) => format!("{} of {tenant}", role(Some(own))),
        _ => role(None),
    }
}

/// A form for a password alone, with the e-mail address that password managers store beside it.
fn form(action: String, email: &str, button: &'static str, wrong: &[Mistake]) -> AnyView {
    let field = Line {
        hint: Some(
            "At least 15 characters. A sentence is easier to remember than symbols. Only you will know it.".into(),
        ),
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
    let or = view.has_passwords.then_some("Instead of a password: ");
    Some(view! { <p>{or}<a class=class href=to>{format!("Accept with {name}")}</a></p> }.into_any())
}

/// The page of an invitation.
#[must_use]
pub(super) fn invitation(view: &InvitationView, meta: &PageMeta) -> AnyView {
    let main = view! {
        <h1>{format!("Welcome, {}", view.name)}</h1>
        <p class="lead">"You have been invited as "{what_they_will_be(view)}". You will sign in as "<strong>{view.email.clone()}</strong>"."</p>
        {mistakes(&view.mistakes)}
        {view.has_passwords.then(|| form(format!("/admin/invitation/{}", view.token), &view.email, "Create my account", &view.mistakes))}
        {join(view)}
    };
    door(meta, "Invitation", main.into_any())
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
        <h1>"Sign in"</h1>
        <p class="lead">"This link signs you in as "<strong>{view.email.clone()}</strong>", once."</p>
        {mistakes(&view.mistakes)}
        <form class="stack" method="post" action=format!("/admin/reset/{}", view.token)>
            <button class="button primary" type="submit">"Sign in"</button>
        </form>
    };
    door(meta, "Sign in", main.into_any())
}

/// The page of a password reset.
#[must_use]
pub(super) fn reset(view: &ResetView, meta: &PageMeta) -> AnyView {
    if !view.has_passwords {
        return sign_in_by_link(view, meta);
    }
    let main = view! {
        <h1>"Choose a new password"</h1>
        <p class="lead">"For "<strong>{view.email.clone()}</strong>". This signs you out everywhere."</p>
        {mistakes(&view.mistakes)}
        {form(format!("/admin/reset/{}", view.token), &view.email, "Change the password", &view.mistakes)}
    };
    door(meta, "New password", main.into_any())
}
